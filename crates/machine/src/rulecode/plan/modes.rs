//! Patterns of known arguments, and what conditions need and bind.

use super::*;

pub(super) fn binds_of_any(branches: &[Vec<Cond>]) -> Vars {
    branches.iter().map(|branch| binds_of(branch)).reduce(Vars::and).unwrap_or_default()
}

/// The variables needed by what follows condition `at`.
pub(in crate::rulecode) fn used_after(body: &[Cond], at: usize, wanted: Vars) -> Vars {
    body[at + 1..].iter().map(Cond::vars).fold(wanted, Vars::or)
}

pub(super) fn ground(pat: &Pat) -> Option<Id> {
    match pat {
        Pat::Ground(id) => Some(*id),
        Pat::Var(_) | Pat::Call(..) => None,
    }
}

/// How deeply functions are taken apart in patterns.
const MOST_DEPTH: usize = 2;

/// The pattern of a call: `have` is bound, `used` is needed afterwards.
pub(in crate::rulecode) fn modes(args: &[Pat], have: Vars, used: Vars) -> Vec<Mode> {
    let repeated = repeated_vars(args);
    args.iter().map(|arg| mode(arg, have, used.or(repeated), 0)).collect()
}

pub(super) fn mode(pat: &Pat, have: Vars, used: Vars, depth: usize) -> Mode {
    match pat {
        Pat::Ground(_) => Mode::Bound,
        Pat::Var(var) if have.contains(*var) => Mode::Bound,
        Pat::Var(var) if used.contains(*var) => Mode::Free,
        Pat::Var(_) => Mode::Any,
        Pat::Call(..) if depth == MOST_DEPTH => {
            if pat_vars(pat).is_subset(have) {
                Mode::Bound
            } else {
                Mode::Free
            }
        }
        Pat::Call(functor, args) => {
            Mode::Call(*functor, args.iter().map(|arg| mode(arg, have, used, depth + 1)).collect())
        }
    }
}

/// The variables that occur more than once.
pub(in crate::rulecode) fn repeated_vars(pats: &[Pat]) -> Vars {
    fn note(pat: &Pat, once: &mut Vars, again: &mut Vars) {
        match pat {
            Pat::Ground(_) => {}
            Pat::Var(var) if once.contains(*var) => again.insert(*var),
            Pat::Var(var) => once.insert(*var),
            Pat::Call(_, args) => args.iter().for_each(|arg| note(arg, once, again)),
        }
    }
    let (mut once, mut again) = (Vars::default(), Vars::default());
    pats.iter().for_each(|pat| note(pat, &mut once, &mut again));
    again
}

/// Calls `f` with what stands at each leaf of a pattern.
pub(in crate::rulecode) fn for_each_leaf<'p>(args: &'p [Pat], modes: &[Mode], f: &mut dyn FnMut(&'p Pat, &Mode)) {
    for (arg, mode) in args.iter().zip(modes) {
        match (arg, mode) {
            (Pat::Call(_, args), Mode::Call(_, modes)) => for_each_leaf(args, modes, f),
            _ => f(arg, mode),
        }
    }
}

/// What is given in a call, in order.
pub(in crate::rulecode) fn bound_leaves(args: &[Pat], modes: &[Mode]) -> Vec<Pat> {
    let mut leaves = Vec::new();
    for_each_leaf(args, modes, &mut |pat, mode| {
        if *mode == Mode::Bound {
            leaves.push(pat.clone());
        }
    });
    leaves
}

pub(super) fn count_leaves(modes: &[Mode], inputs: &mut usize, outputs: &mut usize) {
    for mode in modes {
        match mode {
            Mode::Bound => *inputs += 1,
            Mode::Free => *outputs += 1,
            Mode::Any => {}
            Mode::Call(_, modes) => count_leaves(modes, inputs, outputs),
        }
    }
}

pub(in crate::rulecode) fn same_pats(a: &[Pat], b: &[Pat]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_pat(a, b))
}

pub(super) fn same_pat(a: &Pat, b: &Pat) -> bool {
    match (a, b) {
        (Pat::Ground(a), Pat::Ground(b)) => a == b,
        (Pat::Var(a), Pat::Var(b)) => a == b,
        (Pat::Call(f, a), Pat::Call(g, b)) => f == g && same_pats(a, b),
        _ => false,
    }
}
