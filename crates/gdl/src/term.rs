//! One ground term from text, with the names of rules that were read before: what players and records call moves and facts.

use crate::kif;
use crate::limits::{Limits, Meter};
use crate::rules::{Term, TermKind};
use crate::symbol::{Symbol, Symbols};
use crate::tree::{NodeKind, Tree};

/// The ground term that a text in KIF means. `None` if it is anything else than exactly one term, has a variable, or a name
/// that is not among `symbols`. Spaces, comments and the case of letters make no difference; `(a)` is the same as `a`.
///
/// ```
/// let rules = gdl::parse("(role me) (legal me (go a))").rules;
/// let term = gdl::read_term(" ( GO A) ", &rules.symbols).unwrap();
/// assert_eq!(term.text(&rules.symbols), "(go a)");
/// assert!(gdl::read_term("(go b)", &rules.symbols).is_none());
/// ```
pub fn read_term(text: &str, symbols: &Symbols) -> Option<Term> {
    if text.len() > crate::MAX_BYTES {
        return None;
    }
    let mut problems = Vec::new();
    let tree = kif::read(text, 0, &mut problems, &mut Meter::new(&Limits::default())).ok()?;
    let [root] = tree.roots[..] else { return None };
    if problems.is_empty() { term(&tree, root, symbols) } else { None }
}

/// Recursion is bounded: the reader accepts nothing deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
fn term(tree: &Tree<'_>, node: u32, symbols: &Symbols) -> Option<Term> {
    let kind = match &tree.nodes[node as usize].kind {
        NodeKind::Name(name) => TermKind::Name(symbols.find(name)?),
        NodeKind::List(members) => {
            let (&head, args) = members.split_first()?;
            let head = name(tree, head, symbols)?;
            match args {
                [] => TermKind::Name(head),
                _ => TermKind::Call(head, args.iter().map(|&arg| term(tree, arg, symbols)).collect::<Option<_>>()?),
            }
        }
        NodeKind::Var(_) | NodeKind::Blank | NodeKind::Broken => return None,
    };
    Some(Term { kind, span: tree.span(node) })
}

fn name(tree: &Tree<'_>, node: u32, symbols: &Symbols) -> Option<Symbol> {
    match &tree.nodes[node as usize].kind {
        NodeKind::Name(name) => symbols.find(name),
        NodeKind::List(_) | NodeKind::Var(_) | NodeKind::Blank | NodeKind::Broken => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_means_one_ground_term() {
        let rules = crate::parse("(init (cell 1 (f b))) (legal me noop)").rules;
        let read = |text: &str| read_term(text, &rules.symbols).map(|term| term.text(&rules.symbols));
        for text in ["(cell 1 (f b))", "(CELL 1(F B))", "\t( cell ; a comment )\n 1 (f (b)) )"] {
            assert_eq!(read(text).as_deref(), Some("(cell 1 (f b))"), "{text}");
        }
        assert_eq!(read("(noop)").as_deref(), Some("noop"));
        for text in ["", "noop noop", "(cell 1", "cell 1)", "(cell ?x b)", "(cell 1 c)", "((cell) 1)", "()", "; noop"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&format!("{}b{}", "(f ".repeat(100_000), ")".repeat(100_000))), None);
    }
}
