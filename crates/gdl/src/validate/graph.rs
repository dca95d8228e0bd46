//! Which relation depends on which. A relation is a name with a number of arguments; keywords are one relation each,
//! however many arguments they were given. There is no way from `true` to `next`: they speak of different states.

use std::collections::HashMap;

use super::{for_each_atom, is_connective};
use crate::limits::{Meter, Unfinished};
use crate::problem::Span;
use crate::rules::{Atom, Rules};
use crate::symbol::Symbol;

/// A relation and how it is used.
pub(super) struct Relation {
    pub name: Symbol,
    pub arity: usize,
    /// The first clause's head, if there is a clause.
    pub defined: Option<Span>,
    /// The first condition with it.
    pub used: Option<Span>,
    /// The first time it is written at all.
    pub first: Span,
    /// How often it is written.
    pub count: usize,
    /// Without arguments: the first time with and without parentheses.
    pub parens: Option<Span>,
    pub bare: Option<Span>,
}

pub(super) struct Graph {
    pub relations: Vec<Relation>,
    numbers: HashMap<(Symbol, usize), u32>,
    forward: Edges,
    backward: Edges,
    component: Vec<Option<u32>>,
}

impl Graph {
    pub fn new(rules: &Rules, meter: &mut Meter<'_>) -> Result<Graph, Unfinished> {
        let mut graph = Graph {
            relations: Vec::new(),
            numbers: HashMap::new(),
            forward: Edges::default(),
            backward: Edges::default(),
            component: Vec::new(),
        };
        let mut pairs = Vec::new();
        for clause in &rules.clauses {
            let (relations, edges) = (graph.relations.len(), pairs.len());
            let head = graph.add(&clause.head, true);
            for literal in &clause.body {
                for_each_atom(literal, None, &mut |atom, _| {
                    let condition = graph.add(atom, false);
                    // What the state and the players' moves are is given from outside, whatever the clause says.
                    if let (Some(head), Some(condition)) = (head, condition)
                        && !matches!(clause.head.name, Symbol::TRUE | Symbol::DOES)
                    {
                        pairs.push((head, condition));
                    }
                });
            }
            // With the arrays made of them below, and the room that arrays and hash tables keep for more.
            meter.step((graph.relations.len() - relations) * 300 + (pairs.len() - edges) * 32)?;
        }
        let count = graph.relations.len();
        graph.forward = Edges::new(count, pairs.iter().copied());
        graph.backward = Edges::new(count, pairs.iter().map(|&(from, to)| (to, from)));
        graph.component = components(&graph.forward);
        Ok(graph)
    }

    fn key(atom: &Atom) -> (Symbol, usize) {
        (atom.name, if atom.name.is_keyword() { 0 } else { atom.args.len() })
    }

    fn add(&mut self, atom: &Atom, is_head: bool) -> Option<u32> {
        if is_connective(atom.name) {
            return None;
        }
        let number = *self.numbers.entry(Graph::key(atom)).or_insert_with(|| {
            self.relations.push(Relation {
                name: atom.name,
                arity: atom.args.len(),
                defined: None,
                used: None,
                first: atom.span,
                count: 0,
                parens: None,
                bare: None,
            });
            self.relations.len() as u32 - 1
        });
        let relation = &mut self.relations[number as usize];
        relation.count += 1;
        let first = if is_head { &mut relation.defined } else { &mut relation.used };
        first.get_or_insert(atom.span);
        if atom.args.is_empty() {
            let first = if atom.parens { &mut relation.parens } else { &mut relation.bare };
            first.get_or_insert(atom.span);
        }
        Some(number)
    }

    /// The relation of this sentence; connectives have none.
    pub fn number(&self, atom: &Atom) -> Option<u32> {
        self.numbers.get(&Graph::key(atom)).copied()
    }

    /// The relation of a keyword, if it is written anywhere.
    pub fn keyword(&self, name: Symbol) -> Option<u32> {
        self.numbers.get(&(name, 0)).copied()
    }

    /// Whether a relation and one that it depends on directly depend on each other.
    pub fn in_cycle(&self, a: u32, b: u32) -> bool {
        self.component[a as usize] == self.component[b as usize]
    }

    /// Whether no other relation depends on this one directly.
    pub fn only_own_users(&self, relation: u32) -> bool {
        self.backward.of(relation).iter().all(|&user| user == relation)
    }

    /// Everything that these relations depend on, with themselves.
    pub fn reachable(&self, from: impl Iterator<Item = u32>) -> Vec<bool> {
        let mut seen = vec![false; self.relations.len()];
        let mut stack: Vec<u32> = from.collect();
        while let Some(relation) = stack.pop() {
            if !std::mem::replace(&mut seen[relation as usize], true) {
                stack.extend(self.forward.of(relation));
            }
        }
        seen
    }

    /// For every relation that depends on `target`: the next one on a shortest way there. Ways do not lead through
    /// relations named in `stop`.
    pub fn ways_to(&self, target: u32, stop: &[Symbol]) -> Vec<Option<u32>> {
        let mut next = vec![None; self.relations.len()];
        let mut queue = std::collections::VecDeque::from([target]);
        while let Some(relation) = queue.pop_front() {
            if relation != target && stop.contains(&self.relations[relation as usize].name) {
                continue;
            }
            for &user in self.backward.of(relation) {
                if user != target && next[user as usize].is_none() {
                    next[user as usize] = Some(relation);
                    queue.push_back(user);
                }
            }
        }
        next
    }

    /// A shortest way from one relation to another of the same cycle, both included; takes time linear in the cycle.
    pub fn way_within(&self, from: u32, to: u32) -> Vec<u32> {
        let mut before = HashMap::from([(from, from)]);
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(relation) = queue.pop_front() {
            if relation == to {
                break;
            }
            for &next in self.forward.of(relation) {
                if self.in_cycle(next, from) && !before.contains_key(&next) {
                    before.insert(next, relation);
                    queue.push_back(next);
                }
            }
        }
        let mut way = vec![to];
        let mut at = to;
        while let Some(&previous) = before.get(&at)
            && previous != at
        {
            way.push(previous);
            at = previous;
        }
        way.reverse();
        way
    }
}

/// The neighbours of all relations in one array.
#[derive(Default)]
struct Edges {
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl Edges {
    fn new(count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Edges {
        let mut starts = vec![0; count + 1];
        for (from, _) in pairs.clone() {
            starts[from as usize + 1] += 1;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut free = starts.clone();
        let mut ends = vec![0; starts[count] as usize];
        for (from, to) in pairs {
            ends[free[from as usize] as usize] = to;
            free[from as usize] += 1;
        }
        Edges { starts, ends }
    }

    fn of(&self, from: u32) -> &[u32] {
        &self.ends[self.starts[from as usize] as usize..self.starts[from as usize + 1] as usize]
    }
}

/// The strongly connected component of every relation (Tarjan's algorithm with a stack of its own: chains of
/// relations can be as long as the text).
fn components(edges: &Edges) -> Vec<Option<u32>> {
    let count = edges.starts.len().saturating_sub(1);
    let mut order: Vec<Option<u32>> = vec![None; count];
    let mut low = vec![0; count];
    let mut component = vec![None; count];
    let (mut visited, mut made) = (0, 0);
    let mut pending = Vec::new();
    let mut calls: Vec<(u32, usize)> = Vec::new();
    for root in 0..count as u32 {
        if order[root as usize].is_none() {
            calls.push((root, 0));
        }
        while let Some((at, done)) = calls.last_mut() {
            let relation = *at as usize;
            if *done == 0 {
                order[relation] = Some(visited);
                low[relation] = visited;
                visited += 1;
                pending.push(*at);
            }
            if let Some(&next) = edges.of(*at).get(*done) {
                *done += 1;
                let next_at = next as usize;
                match order[next_at] {
                    None => calls.push((next, 0)),
                    Some(order) if component[next_at].is_none() => low[relation] = low[relation].min(order),
                    Some(_) => {}
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent as usize] = low[parent as usize].min(low[relation]);
            }
            if Some(low[relation]) == order[relation] {
                while let Some(member) = pending.pop() {
                    component[member as usize] = Some(made);
                    if member as usize == relation {
                        break;
                    }
                }
                made += 1;
            }
        }
    }
    component
}
