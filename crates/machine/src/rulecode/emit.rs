//! Plans to code.

mod conditions;
mod tables;

use super::clause::{Cond, pat_vars, vars_of};
use super::code::*;
use super::plan::{Fitted, Mode, Planner, for_each_leaf, modes, repeated_vars, used_after};
use super::recursion::Shapes;
use super::space::{Digit, Domain, Shape, digits};
use super::vars::Vars;
use crate::bank::Id;
use crate::program::{Pat, Reach, Rel};
use game::LimitKind;
use gdl::Symbol;
use std::collections::HashMap;

/// Tables with more addresses than this are addressed by hash.
const MOST_BITS: u32 = 1 << 24;
const MOST_STARTS: u32 = 1 << 21;
/// Answers are kept in places addressed by the arguments up to this many.
const MOST_MARKS: u32 = 1 << 18;
const MOST_SPANS: u32 = 1 << 16;
/// Registers of a clause.
const MOST_REGS: u32 = 250;

/// A place in the code that is not known yet.
type Label = u32;

/// What happens when all conditions of a clause hold.
#[derive(Clone, Copy)]
pub(super) enum Sink {
    Prove,
    Yield,
    Answer,
    /// A fact or move of this functor; its number if it has one by position.
    Fact(Symbol),
    Move(Symbol),
    /// The one output is a fact or move.
    Term,
}

/// The state of a clause being written.
struct Frame {
    regs: HashMap<u16, Reg>,
    /// Registers used so far.
    used: u32,
    /// The variables in registers.
    known: Vars,
    /// The steps that can give something else, with what they bind.
    loops: Vec<(Label, Vars)>,
    /// Where to go when nothing is left.
    outer: Label,
    /// The component of the clause, if its calls inside it are asked and not called.
    component: Option<u32>,
}

impl Frame {
    /// Where to go back to when what went wrong depends on these variables only.
    fn back(&self, vars: Vars) -> Label {
        self.loops.iter().rev().find(|(_, binds)| binds.meets(vars)).map_or(self.outer, |(label, _)| *label)
    }

    /// Notes that a step without a choice has bound variables: they change with what it has read.
    fn follow(&mut self, reads: Vars, binds: Vars) {
        for (_, bound) in self.loops.iter_mut().filter(|(_, bound)| bound.meets(reads)) {
            *bound = bound.or(binds);
        }
    }
}

/// What a table's columns have to do with a condition's arguments.
#[derive(Default)]
struct Columns {
    keys: Vec<(u8, Source)>,
    outs: Vec<(u8, Reg)>,
    after: Vec<After>,
    /// The variables that a row binds.
    binds: Vars,
}

/// What remains to be checked once a row was read.
enum After {
    Same(Reg, Reg),
    Match(Reg, Pat),
}

pub(super) struct Emitter<'p, 'w, 'a> {
    pub planner: &'p mut Planner<'w, 'a>,
    pub code: Code,
    pub shapes: &'p Shapes,
    pub labels: Vec<Pc>,
    bits: HashMap<(Rel, Vec<u8>), u32>,
    rows: HashMap<(Rel, Vec<u8>, Vec<u8>), u32>,
    indexes: HashMap<(u32, Vec<u8>), u32>,
}

type Done = Result<(), String>;

impl<'p, 'w, 'a> Emitter<'p, 'w, 'a> {
    pub fn new(planner: &'p mut Planner<'w, 'a>, shapes: &'p Shapes, code: Code) -> Self {
        let (bits, rows, indexes) = Default::default();
        Emitter { planner, code, shapes, labels: Vec::new(), bits, rows, indexes }
    }

    fn label(&mut self) -> Label {
        self.labels.push(Pc::MAX);
        self.labels.len() as Label - 1
    }

    fn put(&mut self, label: Label) {
        self.labels[label as usize] = self.code.ops.len() as Pc;
    }

    fn op(&mut self, op: Op) {
        self.code.ops.push(op);
    }

    fn span<T>(list: &mut Vec<T>, items: impl IntoIterator<Item = T>) -> Span {
        let first = list.len() as u32;
        list.extend(items);
        Span { first, len: list.len() as u32 - first }
    }

    fn temp(&mut self, frame: &mut Frame) -> Result<Reg, String> {
        self.temps(frame, 1)
    }

    /// Consecutive new registers.
    fn temps(&mut self, frame: &mut Frame, count: usize) -> Result<Reg, String> {
        let first = frame.used;
        frame.used += count as u32;
        if frame.used > MOST_REGS {
            return Err(format!("a rule needs more than {MOST_REGS} registers"));
        }
        Ok(first as Reg)
    }

    /// The register of a variable.
    fn reg(&mut self, frame: &mut Frame, var: u16) -> Result<Reg, String> {
        if let Some(&reg) = frame.regs.get(&var) {
            return Ok(reg);
        }
        let reg = self.temp(frame)?;
        frame.regs.insert(var, reg);
        Ok(reg)
    }

    /// Writes the code of a routine; tells where it begins and how many registers it needs.
    pub fn routine(&mut self, number: u32, sink: Sink) -> Result<(Pc, u32), String> {
        let entry = self.code.ops.len() as Pc;
        let (calls, mut size) = (self.code.calls.len(), 0);
        let inputs = self.planner.routines[number as usize].inputs as u32;
        let clauses = self.planner.routines[number as usize].clauses.clone();
        let tabled = self.shapes.tabled[number as usize].then(|| self.shapes.component[number as usize]);
        let component = if matches!(sink, Sink::Answer) { tabled } else { None };
        for clause in &clauses {
            let next = self.label();
            let mut frame = Frame {
                regs: HashMap::new(),
                used: inputs,
                known: Vars::default(),
                loops: Vec::new(),
                outer: next,
                component,
            };
            self.clause(&mut frame, clause, sink)?;
            self.put(next);
            size = size.max(frame.used);
        }
        self.op(Op::Failed);
        size = size.max(inputs);
        self.code.calls[calls..].iter_mut().for_each(|call| call.frame = size);
        Ok((entry, size))
    }

    fn clause(&mut self, frame: &mut Frame, clause: &Fitted, sink: Sink) -> Done {
        for (reg, pat) in clause.inputs.iter().enumerate() {
            self.fit(frame, reg as Reg, pat, frame.outer)?;
        }
        let wanted = vars_of(&clause.outputs);
        self.sequence(frame, &clause.body, wanted)?;
        self.finish(frame, &clause.outputs, sink)
    }

    fn finish(&mut self, frame: &mut Frame, outputs: &[Pat], sink: Sink) -> Done {
        let wanted = vars_of(outputs);
        if !wanted.is_subset(frame.known) {
            self.op(Op::Raise { kind: LimitKind::Unbound });
            return Ok(());
        }
        let fail = frame.back(wanted);
        let mut values = Vec::new();
        for pat in outputs {
            values.push(self.value(frame, pat, None)?);
        }
        match sink {
            Sink::Prove => self.op(Op::Proved),
            Sink::Yield => {
                let list = self.list(values);
                self.op(Op::Yield { list, fail });
            }
            Sink::Answer => {
                let list = self.list(values);
                self.op(Op::Answer { list, fail });
            }
            Sink::Fact(functor) => {
                let shape = self.planner.world.facts.shape_of(functor, values.len()).cloned();
                self.finish_numbered(frame, functor, values, shape, fail)?;
            }
            Sink::Move(functor) => {
                let shape = self.planner.world.moves.shape_of(functor, values.len()).cloned();
                self.finish_numbered(frame, functor, values, shape, fail)?;
            }
            Sink::Term => {
                let a = self.in_reg(frame, values[0])?;
                self.op(Op::YieldTerm { a, fail });
            }
        }
        Ok(())
    }

    fn list(&mut self, values: Vec<Source>) -> u32 {
        let span = Self::span(&mut self.code.sources, values);
        self.code.lists.push(span);
        self.code.lists.len() as u32 - 1
    }

    /// Yields a fact or a move: its number by position if it has one, otherwise its term.
    fn finish_numbered(
        &mut self,
        frame: &mut Frame,
        functor: Symbol,
        values: Vec<Source>,
        shape: Option<Shape>,
        fail: Label,
    ) -> Done {
        let Some(shape) = shape else {
            let a = self.build(frame, functor, values)?;
            self.op(Op::YieldTerm { a, fail });
            return Ok(());
        };
        let keys = values.iter().copied().zip(shape.digits.iter().copied()).collect::<Vec<_>>();
        match self.look_at(&keys, shape.offset) {
            Some(look) => self.op(Op::YieldNumber { look, fail }),
            None => self.op(Op::Jump { to: fail }),
        }
        Ok(())
    }

    fn in_reg(&mut self, frame: &mut Frame, source: Source) -> Result<Reg, String> {
        match source {
            Source::Reg(reg) => Ok(reg),
            Source::Const(id) => {
                let to = self.temp(frame)?;
                self.op(Op::Const { to, id });
                Ok(to)
            }
        }
    }

    fn build(&mut self, frame: &mut Frame, functor: Symbol, args: Vec<Source>) -> Result<Reg, String> {
        let to = self.temp(frame)?;
        let args = Self::span(&mut self.code.sources, args);
        self.code.terms.push(Term { functor, args });
        self.op(Op::Build { term: self.code.terms.len() as u32 - 1, to });
        Ok(to)
    }

    /// The value of a pattern whose variables are all known. With a label the term is only looked for: if there is no
    /// such term, the code goes on there.
    fn value(&mut self, frame: &mut Frame, pat: &Pat, absent: Option<Label>) -> Result<Source, String> {
        match pat {
            Pat::Ground(id) => Ok(Source::Const(*id)),
            Pat::Var(var) => Ok(Source::Reg(self.reg(frame, *var)?)),
            Pat::Call(functor, args) => {
                let args: Result<Vec<Source>, String> = args.iter().map(|arg| self.value(frame, arg, absent)).collect();
                let Some(fail) = absent else { return Ok(Source::Reg(self.build(frame, *functor, args?)?)) };
                let to = self.temp(frame)?;
                let args = Self::span(&mut self.code.sources, args?);
                self.code.terms.push(Term { functor: *functor, args });
                self.op(Op::Find { term: self.code.terms.len() as u32 - 1, to, fail });
                Ok(Source::Reg(to))
            }
        }
    }

    /// Makes a register's value fit a pattern, binding variables that are not known.
    fn fit(&mut self, frame: &mut Frame, reg: Reg, pat: &Pat, fail: Label) -> Done {
        match pat {
            Pat::Ground(id) => self.op(Op::Is { a: reg, id: *id, fail }),
            Pat::Var(var) if frame.known.contains(*var) => {
                let b = self.reg(frame, *var)?;
                self.op(Op::Same { a: reg, b, fail });
            }
            Pat::Var(var) => {
                frame.regs.insert(*var, reg);
                frame.known.insert(*var);
            }
            Pat::Call(functor, args) => {
                let to = self.temps(frame, args.len())?;
                self.op(Op::Open { from: reg, to, arity: args.len() as u8, functor: *functor, fail });
                for (at, arg) in args.iter().enumerate() {
                    self.fit(frame, to + at as Reg, arg, fail)?;
                }
            }
        }
        Ok(())
    }

    /// Writes conditions that must all hold. `wanted` are the variables needed afterwards.
    fn sequence(&mut self, frame: &mut Frame, body: &[Cond], wanted: Vars) -> Done {
        for (at, cond) in body.iter().enumerate() {
            self.cond(frame, cond, used_after(body, at, wanted))?;
            // Also what no register holds, because nothing needs it: the plan counts it as known.
            frame.known = frame.known.or(cond.binds());
        }
        Ok(())
    }

    fn cond(&mut self, frame: &mut Frame, cond: &Cond, used: Vars) -> Done {
        let reads = cond.vars().and(frame.known);
        // A failure at once is the fault of what the condition reads; running out later can be anyone's.
        let first = frame.back(reads);
        let last = frame.back(cond.vars().or(used).and(frame.known));
        match cond {
            Cond::Distinct { a, b, negated } => self.distinct(frame, a, b, *negated, first),
            Cond::Any { branches, negated } => {
                let binds = cond.binds().without(frame.known).and(used);
                match (*negated, binds.is_empty()) {
                    (true, _) => self.none_of(frame, branches, first),
                    (false, true) => self.one_of(frame, branches, first),
                    (false, false) => self.each_of(frame, branches, binds, last),
                }
            }
            _ if self.must_be_wrapped(frame, cond) => {
                let mut inside = cond.clone();
                if let Cond::Rel { negated, .. } | Cond::Fact { negated, .. } | Cond::Does { negated, .. } = &mut inside
                {
                    *negated = false;
                }
                self.none_of(frame, &[vec![inside]], first)
            }
            Cond::Fact { pat, negated } => self.fact(frame, pat, *negated, used, (first, last)),
            Cond::Does { role, mv, .. } => self.does(frame, role, mv, used, (first, last)),
            Cond::Rel { rel, args, negated } => match self.planner.world.listed(*rel) {
                Some(_) => self.listed(frame, *rel, args, *negated, used, (first, last)),
                None => self.call(frame, *rel, args, *negated, used, (first, last)),
            },
        }
    }

    /// Whether a negated condition has to be written as "there is none" around the condition itself.
    fn must_be_wrapped(&mut self, frame: &Frame, cond: &Cond) -> bool {
        let partly = |args: &[Pat]| {
            let open = |arg: &Pat| !pat_vars(arg).is_subset(frame.known);
            repeated_vars(args).without(frame.known) != Vars::default()
                || args.iter().any(|arg| matches!(arg, Pat::Call(..)) && open(arg))
        };
        match cond {
            Cond::Does { negated, .. } => *negated,
            Cond::Fact { pat: Pat::Call(_, args), negated } => *negated && partly(args),
            Cond::Fact { pat, negated } => *negated && !pat_vars(pat).is_subset(frame.known),
            Cond::Rel { rel, args, negated: true } => match self.planner.world.listed(*rel) {
                Some(_) => partly(args),
                None => {
                    let mut free = false;
                    let modes = modes(args, frame.known, Vars::default());
                    for_each_leaf(args, &modes, &mut |_, mode| free |= *mode == Mode::Free);
                    free
                }
            },
            Cond::Rel { negated: false, .. } | Cond::Distinct { .. } | Cond::Any { .. } => false,
        }
    }

    fn distinct(&mut self, frame: &mut Frame, a: &Pat, b: &Pat, negated: bool, fail: Label) -> Done {
        if !pat_vars(a).or(pat_vars(b)).is_subset(frame.known) {
            // Something unbound could be the same.
            if !negated {
                self.op(Op::Jump { to: fail });
            }
            return Ok(());
        }
        let (a, b) = (self.value(frame, a, None)?, self.value(frame, b, None)?);
        match (a, b, negated) {
            (Source::Const(a), Source::Const(b), _) => {
                if (a == b) != negated {
                    self.op(Op::Jump { to: fail });
                }
            }
            (Source::Reg(a), Source::Const(id), true) | (Source::Const(id), Source::Reg(a), true) => {
                self.op(Op::Is { a, id, fail });
            }
            (Source::Reg(a), Source::Const(id), false) | (Source::Const(id), Source::Reg(a), false) => {
                self.op(Op::IsNot { a, id, fail });
            }
            (Source::Reg(a), Source::Reg(b), true) => self.op(Op::Same { a, b, fail }),
            (Source::Reg(a), Source::Reg(b), false) => self.op(Op::Differ { a, b, fail }),
        }
        Ok(())
    }

    /// Writes a branch of alternatives as a scope of its own.
    fn branch(&mut self, frame: &mut Frame, body: &[Cond], wanted: Vars, outer: Label) -> Result<Label, String> {
        let mut inner = Frame {
            regs: std::mem::take(&mut frame.regs),
            used: frame.used,
            known: frame.known,
            loops: Vec::new(),
            outer,
            component: None,
        };
        let done = self.sequence(&mut inner, body, wanted);
        frame.used = inner.used;
        let back = inner.back(wanted);
        frame.regs = inner.regs;
        done.map(|()| back)
    }

    /// One of the branches holds.
    fn one_of(&mut self, frame: &mut Frame, branches: &[Vec<Cond>], fail: Label) -> Done {
        let found = self.label();
        for (at, branch) in branches.iter().enumerate() {
            let last = at + 1 == branches.len();
            let next = if last { fail } else { self.label() };
            self.branch(frame, branch, Vars::default(), next)?;
            if !last {
                self.op(Op::Jump { to: found });
                self.put(next);
            }
        }
        if branches.is_empty() {
            self.op(Op::Jump { to: fail });
        }
        self.put(found);
        Ok(())
    }

    /// None of the branches holds.
    fn none_of(&mut self, frame: &mut Frame, branches: &[Vec<Cond>], fail: Label) -> Done {
        for branch in branches {
            let next = self.label();
            self.branch(frame, branch, Vars::default(), next)?;
            self.op(Op::Jump { to: fail });
            self.put(next);
        }
        Ok(())
    }

    /// Each of the branches in turn, with what it binds.
    fn each_of(&mut self, frame: &mut Frame, branches: &[Vec<Cond>], binds: Vars, fail: Label) -> Done {
        for var in binds.iter() {
            self.reg(frame, var)?;
        }
        let (then, again) = (self.label(), self.label());
        let which = self.temp(frame)?;
        let first = self.code.switches.len() as u32;
        // The places are labels until the end; those of nested alternatives must not come in between.
        self.code.switches.extend(std::iter::repeat_n(Pc::MAX, branches.len()));
        for (at, branch) in branches.iter().enumerate() {
            let next = if at + 1 == branches.len() { fail } else { self.label() };
            let back = self.branch(frame, branch, binds, next)?;
            self.code.switches[first as usize + at] = back;
            self.op(Op::Const { to: which, id: at as Id });
            self.op(Op::Jump { to: then });
            if at + 1 < branches.len() {
                self.put(next);
            }
        }
        self.put(again);
        self.op(Op::Switch { a: which, first });
        self.put(then);
        frame.known = frame.known.or(binds);
        frame.loops.push((again, binds));
        Ok(())
    }
}

fn has_no_free(mode: &Mode) -> bool {
    match mode {
        Mode::Free => false,
        Mode::Bound | Mode::Any => true,
        Mode::Call(_, modes) => modes.iter().all(has_no_free),
    }
}
