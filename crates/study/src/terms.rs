//! Ground terms, each stored once and known by a number, and the way from the text of a fact to its number.
//!
//! Numbers follow the order in which terms are met, never their spelling.

use gdl::{Symbol, Symbols, Term, TermKind};
use std::cmp::Ordering;
use std::collections::HashMap;

/// A ground term, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(pub(crate) u32);

/// A set of ground terms that only grows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    nodes: Vec<(Symbol, Vec<TermId>)>,
    numbers: HashMap<(Symbol, Vec<TermId>), TermId>,
}

impl Terms {
    /// The term with this functor and these arguments.
    pub fn intern(&mut self, functor: Symbol, args: Vec<TermId>) -> TermId {
        let key = (functor, args);
        if let Some(&id) = self.numbers.get(&key) {
            return id;
        }
        let id = TermId(self.nodes.len() as u32);
        self.nodes.push(key.clone());
        self.numbers.insert(key, id);
        id
    }

    /// A term of the rules; `None` if it has variables.
    pub fn add(&mut self, term: &Term) -> Option<TermId> {
        match &term.kind {
            TermKind::Var(_) => None,
            TermKind::Name(name) => Some(self.intern(*name, Vec::new())),
            TermKind::Call(name, args) => {
                let args: Option<Vec<TermId>> = args.iter().map(|arg| self.add(arg)).collect();
                Some(self.intern(*name, args?))
            }
        }
    }

    pub fn functor(&self, id: TermId) -> Symbol {
        self.nodes[id.0 as usize].0
    }

    pub fn args(&self, id: TermId) -> &[TermId] {
        &self.nodes[id.0 as usize].1
    }

    /// Reads canonical KIF, as engines write facts, with the names of `symbols` only.
    pub fn read(&mut self, text: &str, symbols: &Symbols) -> Option<TermId> {
        // One entry for each open parenthesis: the functor, once it is known, and the arguments so far.
        let mut open: Vec<(Option<Symbol>, Vec<TermId>)> = vec![(None, Vec::new())];
        let mut rest = text;
        while !rest.is_empty() {
            match rest.as_bytes()[0] {
                b' ' => rest = &rest[1..],
                b'(' => {
                    open.push((None, Vec::new()));
                    rest = &rest[1..];
                }
                b')' => {
                    let (functor, args) = open.pop()?;
                    let id = self.intern(functor?, args);
                    open.last_mut()?.1.push(id);
                    rest = &rest[1..];
                }
                _ => {
                    let end = rest.find([' ', '(', ')']).unwrap_or(rest.len());
                    let symbol = symbols.find(&rest[..end])?;
                    rest = &rest[end..];
                    let inside = open.len() > 1;
                    let top = open.last_mut()?;
                    if inside && top.0.is_none() {
                        top.0 = Some(symbol);
                    } else {
                        let id = self.intern(symbol, Vec::new());
                        open.last_mut()?.1.push(id);
                    }
                }
            }
        }
        match (open.len(), &open[0].1[..]) {
            (1, [only]) => Some(*only),
            _ => None,
        }
    }

    /// The same term as one of another set.
    pub fn copy(&mut self, from: &Terms, id: TermId) -> TermId {
        let args = from.args(id).iter().map(|&arg| self.copy(from, arg)).collect();
        self.intern(from.functor(id), args)
    }

    /// The term in canonical KIF.
    pub fn text(&self, id: TermId, symbols: &Symbols) -> String {
        let mut out = String::new();
        self.write(id, symbols, &mut out);
        out
    }

    fn write(&self, id: TermId, symbols: &Symbols, out: &mut String) {
        let name = symbols.name(self.functor(id));
        if self.args(id).is_empty() {
            out.push_str(name);
            return;
        }
        out.push('(');
        out.push_str(name);
        for &arg in self.args(id) {
            out.push(' ');
            self.write(arg, symbols, out);
        }
        out.push(')');
    }

    /// The order in which the rules first name things, argument by argument.
    pub fn compare(&self, a: TermId, b: TermId) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let (x, y) = (self.args(a), self.args(b));
        self.functor(a).cmp(&self.functor(b)).then(x.len().cmp(&y.len())).then_with(|| {
            x.iter().zip(y).map(|(&x, &y)| self.compare(x, y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        let rules = gdl::parse("(init (cell 1 (f a b) c)) (init done)").rules;
        let mut terms = Terms::default();
        for text in ["(cell 1 (f a b) c)", "done"] {
            let id = terms.read(text, &rules.symbols).unwrap();
            assert_eq!(terms.text(id, &rules.symbols), text);
        }
        for text in ["(cell 1", "nowhere", "a b", "", ")"] {
            assert_eq!(terms.read(text, &rules.symbols), None, "{text}");
        }
    }
}
