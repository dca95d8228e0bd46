//! Clauses fitted to a pattern: the head unified with what a routine is given and asked for.

use super::*;

/// Fits a clause to a pattern; `None` if its head does not fit.
pub(super) fn fit(clause: &Clause, modes: &[Mode], bank: &mut Bank) -> Option<Fitted> {
    // Most clauses of a relation with many forms are of another form: seen without taking anything apart.
    let form = |(head, mode): (&Pat, &Mode)| match (head, mode) {
        (Pat::Call(functor, args), Mode::Call(wanted, modes)) => functor == wanted && args.len() == modes.len(),
        (Pat::Ground(id), Mode::Call(wanted, modes)) => {
            bank.functor(*id) == *wanted && bank.args(*id).len() == modes.len()
        }
        (Pat::Var(_), _) | (_, Mode::Bound | Mode::Free | Mode::Any) => true,
    };
    if !clause.head.iter().zip(modes).all(form) {
        return None;
    }
    let mut fitting = Fitting { values: vec![None; clause.vars as usize], inputs: Vec::new(), outputs: Vec::new() };
    let pattern: Vec<Pat> = modes.iter().map(|mode| fitting.leaf(mode, bank)).collect::<Option<_>>()?;
    for (head, pat) in clause.head.iter().zip(&pattern) {
        if !fitting.unify(head, pat, bank) {
            return None;
        }
    }
    let vars = |vars: &[u16], bank: &mut Bank| -> Vec<Pat> {
        vars.iter().map(|&var| fitting.resolve(&Pat::Var(var), bank)).collect()
    };
    let (inputs, outputs) = (vars(&fitting.inputs, bank), vars(&fitting.outputs, bank));
    let bank = std::cell::RefCell::new(bank);
    let body = clause.body.iter().map(|cond| cond.map(&|pat| fitting.resolve(pat, &mut bank.borrow_mut()))).collect();
    (fitting.values.len() <= MOST_VARS).then_some(Fitted { inputs, outputs, body })
}

struct Fitting {
    /// What each variable stands for, once that is known.
    values: Vec<Option<Pat>>,
    inputs: Vec<u16>,
    outputs: Vec<u16>,
}

impl Fitting {
    /// A pattern as a term with new variables.
    fn leaf(&mut self, mode: &Mode, bank: &mut Bank) -> Option<Pat> {
        let var = self.values.len() as u16;
        match mode {
            Mode::Call(functor, modes) if modes.is_empty() => return bank.intern(*functor, &[]).map(Pat::Ground),
            Mode::Call(functor, modes) => {
                let args: Option<Box<[Pat]>> = modes.iter().map(|mode| self.leaf(mode, bank)).collect();
                return Some(Pat::Call(*functor, args?));
            }
            Mode::Bound => self.inputs.push(var),
            Mode::Free => self.outputs.push(var),
            Mode::Any => {}
        }
        self.values.push(None);
        Some(Pat::Var(var))
    }

    /// Follows variables to what they stand for.
    fn walk(&self, pat: &Pat) -> Pat {
        let mut pat = pat;
        while let Pat::Var(var) = pat {
            match &self.values[*var as usize] {
                Some(value) => pat = value,
                None => break,
            }
        }
        pat.clone()
    }

    fn unify(&mut self, a: &Pat, b: &Pat, bank: &Bank) -> bool {
        match (self.walk(a), self.walk(b)) {
            (Pat::Var(a), Pat::Var(b)) if a == b => true,
            (Pat::Var(var), other) | (other, Pat::Var(var)) => {
                if self.occurs(var, &other) {
                    return false;
                }
                self.values[var as usize] = Some(other);
                true
            }
            (Pat::Ground(a), Pat::Ground(b)) => a == b,
            (Pat::Ground(id), Pat::Call(functor, args)) | (Pat::Call(functor, args), Pat::Ground(id)) => {
                let parts = bank.args(id).to_vec();
                bank.functor(id) == functor
                    && parts.len() == args.len()
                    && parts.iter().zip(&args).all(|(&part, arg)| self.unify(&Pat::Ground(part), arg, bank))
            }
            (Pat::Call(f, a), Pat::Call(g, b)) => {
                f == g && a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| self.unify(a, b, bank))
            }
        }
    }

    fn occurs(&self, var: u16, pat: &Pat) -> bool {
        match self.walk(pat) {
            Pat::Ground(_) => false,
            Pat::Var(other) => other == var,
            Pat::Call(_, args) => args.iter().any(|arg| self.occurs(var, arg)),
        }
    }

    /// The pattern with everything put in that is known.
    fn resolve(&self, pat: &Pat, bank: &mut Bank) -> Pat {
        match self.walk(pat) {
            Pat::Call(functor, args) => {
                let args: Box<[Pat]> = args.iter().map(|arg| self.resolve(arg, bank)).collect();
                let ids: Option<Vec<Id>> = args.iter().map(ground).collect();
                match ids.and_then(|ids| bank.intern(functor, &ids)) {
                    Some(id) => Pat::Ground(id),
                    None => Pat::Call(functor, args),
                }
            }
            other => other,
        }
    }
}
