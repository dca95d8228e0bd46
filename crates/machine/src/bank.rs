//! Ground terms, each stored once and known by a number, so that equal terms have equal numbers.
//!
//! A bank only grows. Every view of the prover reads from its own copy without locking; a term that is new is first
//! put into the shared bank, and the copy then catches up. So a number means the same term everywhere.

use gdl::{Symbol, Symbols, Term, TermKind};
use std::cmp::Ordering;

/// The number of a ground term. 0 is no term: it stands for "not bound".
pub(crate) type Id = u32;

/// No term.
pub(crate) const UNBOUND: Id = 0;

#[derive(Clone, Copy)]
struct Node {
    functor: Symbol,
    args: u32,
    arity: u16,
    depth: u16,
}

/// A set of ground terms that only grows.
#[derive(Clone)]
pub(crate) struct Bank {
    nodes: Vec<Node>,
    args: Vec<Id>,
    /// Open addressing over node numbers; 0 is free. The length is a power of two.
    slots: Vec<u32>,
}

/// How deeply terms that rules build up at run time may be nested.
const MAX_TERM_DEPTH: u16 = 1000;

impl Bank {
    pub fn new() -> Bank {
        let unbound = Node { functor: Symbol(u32::MAX), args: 0, arity: 0, depth: 0 };
        Bank { nodes: vec![unbound], args: Vec::new(), slots: vec![0; 1024] }
    }

    /// How many terms there are, the one of number 0 included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// About how many bytes this takes.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + (self.args.len() + self.slots.len()) * 4
    }

    #[inline]
    pub fn functor(&self, id: Id) -> Symbol {
        self.nodes[id as usize].functor
    }

    #[inline]
    pub fn args(&self, id: Id) -> &[Id] {
        let node = &self.nodes[id as usize];
        &self.args[node.args as usize..node.args as usize + node.arity as usize]
    }

    #[inline]
    fn slot(&self, functor: Symbol, args: &[Id]) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash(functor.0, args) as usize & mask;
        loop {
            let id = self.slots[at];
            if id == 0 || (self.functor(id) == functor && self.args(id) == args) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// The term with this functor and these arguments, if it is here.
    #[inline]
    pub fn find(&self, functor: Symbol, args: &[Id]) -> Option<Id> {
        match self.slots[self.slot(functor, args)] {
            0 => None,
            id => Some(id),
        }
    }

    /// The term with this functor and these arguments, added if it is new; `None` if it would be nested too deeply.
    pub fn intern(&mut self, functor: Symbol, args: &[Id]) -> Option<Id> {
        if let Some(id) = self.find(functor, args) {
            return Some(id);
        }
        let depth = 1 + args.iter().map(|&arg| self.nodes[arg as usize].depth).max().unwrap_or(0);
        if depth > MAX_TERM_DEPTH {
            return None;
        }
        let start = self.args.len() as u32;
        self.args.extend_from_slice(args);
        self.push(Node { functor, args: start, arity: args.len() as u16, depth });
        Some(self.nodes.len() as u32 - 1)
    }

    fn push(&mut self, node: Node) {
        if self.nodes.len() * 2 > self.slots.len() {
            self.slots = vec![0; self.slots.len() * 2];
            for id in 1..self.nodes.len() as u32 {
                self.place(id);
            }
        }
        self.nodes.push(node);
        self.place(self.nodes.len() as u32 - 1);
    }

    fn place(&mut self, id: Id) {
        let at = self.slot(self.functor(id), self.args(id));
        self.slots[at] = id;
    }

    /// Takes over what `shared`, of which this is a copy of an earlier moment, has more.
    pub fn catch_up(&mut self, shared: &Bank) {
        self.args.extend_from_slice(&shared.args[self.args.len()..]);
        for node in &shared.nodes[self.nodes.len()..] {
            self.push(*node);
        }
    }

    /// Adds a ground term of the rules.
    pub fn add(&mut self, term: &Term) -> Option<Id> {
        match &term.kind {
            TermKind::Var(_) => None,
            TermKind::Name(name) => self.intern(*name, &[]),
            TermKind::Call(name, args) => {
                let args: Option<Vec<Id>> = args.iter().map(|arg| self.add(arg)).collect();
                self.intern(*name, &args?)
            }
        }
    }

    /// The number of a ground term that is here already.
    pub fn find_term(&self, term: &Term) -> Option<Id> {
        match &term.kind {
            TermKind::Var(_) => None,
            TermKind::Name(name) => self.find(*name, &[]),
            TermKind::Call(name, args) => {
                let args: Option<Vec<Id>> = args.iter().map(|arg| self.find_term(arg)).collect();
                self.find(*name, &args?)
            }
        }
    }

    /// The term in KIF.
    pub fn text(&self, id: Id, symbols: &Symbols) -> String {
        let mut out = String::new();
        self.write(id, symbols, &mut out);
        out
    }

    fn write(&self, id: Id, symbols: &Symbols, out: &mut String) {
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

    /// An order of terms that does not depend on when they were added.
    pub fn compare(&self, a: Id, b: Id) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        self.functor(a).cmp(&self.functor(b)).then_with(|| {
            let (x, y) = (self.args(a), self.args(b));
            x.len().cmp(&y.len()).then_with(|| {
                x.iter().zip(y).map(|(&x, &y)| self.compare(x, y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
            })
        })
    }
}

/// Mixes a number and a row of numbers.
#[inline]
pub(crate) fn hash(first: u32, rest: &[u32]) -> u64 {
    let mut h = u64::from(first).wrapping_add(0x9e37_79b9).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for &x in rest {
        h = (h.rotate_left(5) ^ u64::from(x)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    h ^ (h >> 32)
}
