//! What never changes in a game: relations that depend on neither the state nor the moves, and the orders found in them.
//!
//! A *successor relation* is a relation of two arguments, given as facts, in which nothing has two successors or two
//! predecessors; what it joins up are chains (numbers, rows, ranks) and circles (turn order, compass).

use crate::terms::{TermId, Terms};
use game::Names;
use gdl::{Atom, Clause, Literal, Rules, Span, Symbol, Term, TermKind, Var};
use machine::{Limits, Prover};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A relation: its name and number of arguments.
pub(crate) type Relation = (Symbol, usize);

/// Things in a row, joined by a successor relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// The relation that joins them.
    pub relation: Symbol,
    /// The things, smallest first.
    pub chain: Vec<TermId>,
    /// Whether the last one is followed by the first.
    pub circle: bool,
    /// Whether the relation leads from greater to smaller, as told by a longer chain of the same things.
    pub downwards: bool,
}

/// The relations that never change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fixed {
    changing: HashSet<Relation>,
    /// The relations given as facts alone, with their rows.
    pub given: BTreeMap<Relation, Vec<Vec<TermId>>>,
    /// The relations defined by rules.
    defined: BTreeSet<Relation>,
}

/// Steps of inference that listing one relation may take.
const WORK: u64 = 100_000;

impl Fixed {
    pub fn new(rules: &Rules, terms: &mut Terms) -> Fixed {
        let mut fixed = Fixed::default();
        let mut users: HashMap<Relation, Vec<Relation>> = HashMap::new();
        for clause in &rules.clauses {
            let head = (clause.head.name, clause.head.args.len());
            if clause.body.is_empty() {
                let row: Option<Vec<TermId>> = clause.head.args.iter().map(|arg| terms.add(arg)).collect();
                match row {
                    Some(row) => fixed.given.entry(head).or_default().push(row),
                    None => {
                        fixed.defined.insert(head);
                    }
                }
                continue;
            }
            fixed.defined.insert(head);
            for literal in &clause.body {
                literal.for_each_atom(false, &mut |atom, _| {
                    users.entry((atom.name, atom.args.len())).or_default().push(head);
                });
            }
        }
        let mut open = vec![(Symbol::TRUE, 1), (Symbol::DOES, 2)];
        while let Some(relation) = open.pop() {
            if fixed.changing.insert(relation) {
                open.extend(users.get(&relation).into_iter().flatten());
            }
        }
        let Fixed { given, defined, .. } = &mut fixed;
        given.retain(|relation, rows| {
            rows.dedup();
            !defined.contains(relation) && !matches!(relation.0, Symbol::INIT | Symbol::NEXT)
        });
        fixed
    }

    /// Whether the relation depends on nothing.
    pub fn is_fixed(&self, relation: Relation) -> bool {
        !self.changing.contains(&relation)
    }

    /// The rows of a relation that never changes; `None` if it does, or if listing it takes too much work.
    pub fn rows(&self, rules: &Rules, terms: &mut Terms, relation: Relation) -> Option<Vec<Vec<TermId>>> {
        if let Some(rows) = self.given.get(&relation) {
            return Some(rows.clone());
        }
        if !self.is_fixed(relation) || !self.defined.contains(&relation) {
            return None;
        }
        // The start of a game in which the rows of the relation are the facts: so the prover lists them.
        let mut small = needed(rules, relation);
        let wrap = small.symbols.intern("rows");
        let vars: Vec<Term> = (0..relation.1).map(|at| term(TermKind::Var(Var(at as u16)))).collect();
        let kind = if vars.is_empty() { TermKind::Name(wrap) } else { TermKind::Call(wrap, vars.clone()) };
        let names = (0..relation.1).map(|at| format!("v{at}")).collect();
        small.clauses.push(rule(Symbol::INIT, vec![term(kind)], vec![Literal::Is(atom(relation.0, vars))], names));
        for (name, args) in [(Symbol::ROLE, 1), (Symbol::LEGAL, 2), (Symbol::TERMINAL, 0)] {
            small.clauses.retain(|clause| clause.head.name != name);
            small.clauses.push(rule(name, vec![term(TermKind::Name(wrap)); args], Vec::new(), Vec::new()));
        }
        let limits = Limits { work: WORK, memory: 64 << 20, ..Limits::default() };
        let prover = Prover::with_limits(&small, limits).ok()?;
        let facts = prover.facts(&game::Game::start(&prover));
        let mut rows = Vec::with_capacity(facts.len());
        for fact in facts {
            let id = terms.read(&fact, &small.symbols)?;
            rows.push(terms.args(id).to_vec());
        }
        rows.sort_by(|a, b| {
            let order = a.iter().zip(b).map(|(&a, &b)| terms.compare(a, b)).find(|order| order.is_ne());
            order.unwrap_or(std::cmp::Ordering::Equal)
        });
        Some(rows)
    }

    /// The chains and circles of all successor relations, in the order of the rules. At least three things each.
    pub fn orders(&self) -> Vec<Order> {
        let mut orders = Vec::new();
        for (&(relation, arity), rows) in &self.given {
            if arity == 2 && !relation.is_keyword() {
                orders.extend(chains(relation, rows));
            }
        }
        orders.retain(|order| order.chain.len() >= 3);
        set_directions(&mut orders);
        orders
    }
}

fn term(kind: TermKind) -> Term {
    Term { kind, span: Span::new(0, 0) }
}

fn atom(name: Symbol, args: Vec<Term>) -> Atom {
    Atom { name, args, span: Span::new(0, 0), parens: true }
}

fn rule(name: Symbol, args: Vec<Term>, body: Vec<Literal>, vars: Vec<String>) -> Clause {
    let is_rule = !body.is_empty();
    Clause { head: atom(name, args), body, vars, is_rule, span: Span::new(0, 0) }
}

/// The clauses that a relation needs, those of GDL's own relations left out except `role`.
fn needed(rules: &Rules, relation: Relation) -> Rules {
    let mut wanted: HashSet<Relation> = HashSet::from([relation]);
    let mut grown = true;
    while grown {
        grown = false;
        for clause in &rules.clauses {
            if wanted.contains(&(clause.head.name, clause.head.args.len())) {
                for literal in &clause.body {
                    literal.for_each_atom(false, &mut |atom, _| grown |= wanted.insert((atom.name, atom.args.len())));
                }
            }
        }
    }
    let keep = |clause: &&Clause| wanted.contains(&(clause.head.name, clause.head.args.len()));
    // `role` has another meaning in the game that is made; where a relation needs it, it goes by another name.
    let mut small =
        Rules { symbols: rules.symbols.clone(), clauses: rules.clauses.iter().filter(keep).cloned().collect() };
    let other = small.symbols.intern("roles");
    for clause in &mut small.clauses {
        rename(&mut clause.head, other);
        clause.body.iter_mut().for_each(|literal| rename_in(literal, other));
    }
    small
}

fn rename(atom: &mut Atom, other: Symbol) {
    if atom.name == Symbol::ROLE {
        atom.name = other;
    }
}

fn rename_in(literal: &mut Literal, other: Symbol) {
    match literal {
        Literal::Is(atom) => rename(atom, other),
        Literal::Not(inner, _) => rename_in(inner, other),
        Literal::Or(parts, _) | Literal::And(parts, _) => parts.iter_mut().for_each(|part| rename_in(part, other)),
        Literal::Distinct(..) => {}
    }
}

/// The chains and circles of a relation; none if something has two successors or two predecessors.
fn chains(relation: Symbol, rows: &[Vec<TermId>]) -> Vec<Order> {
    let mut next: BTreeMap<TermId, TermId> = BTreeMap::new();
    let mut before: BTreeMap<TermId, TermId> = BTreeMap::new();
    for row in rows {
        let (a, b) = (row[0], row[1]);
        let again = next.insert(a, b).is_some_and(|old| old != b) || before.insert(b, a).is_some_and(|old| old != a);
        if again || a == b {
            return Vec::new();
        }
    }
    let mut orders = Vec::new();
    let mut done = BTreeSet::new();
    let follow = |first: TermId, done: &mut BTreeSet<TermId>| {
        let mut chain = Vec::new();
        let mut at = Some(first);
        while let Some(thing) = at.filter(|&thing| done.insert(thing)) {
            chain.push(thing);
            at = next.get(&thing).copied();
        }
        chain
    };
    for row in rows.iter().filter(|row| !before.contains_key(&row[0])) {
        let chain = follow(row[0], &mut done);
        orders.push(Order { relation, chain, circle: false, downwards: false });
    }
    for row in rows {
        if !done.contains(&row[0]) {
            let chain = follow(row[0], &mut done);
            orders.push(Order { relation, chain, circle: true, downwards: false });
        }
    }
    orders
}

/// Turns chains round that lead the other way than the longest chain of the same things.
fn set_directions(orders: &mut [Order]) {
    let mut longest: Vec<usize> = (0..orders.len()).filter(|&at| !orders[at].circle).collect();
    longest.sort_by_key(|&at| std::cmp::Reverse(orders[at].chain.len()));
    for i in 0..longest.len() {
        let at = longest[i];
        let (first, last) = (orders[at].chain[0], orders[at].chain[orders[at].chain.len() - 1]);
        let above = longest[..i].iter().find_map(|&other| {
            let chain = &orders[other].chain;
            let place = |thing| chain.iter().position(|&t| t == thing);
            Some(place(first)? > place(last)?)
        });
        if above == Some(true) {
            orders[at].chain.reverse();
            orders[at].downwards = true;
        }
    }
}

/// The order that has all of these values: the shortest one, and the first of several.
pub(crate) fn order_of(orders: &[Order], values: &[TermId]) -> Option<usize> {
    let has_all = |order: &Order| values.iter().all(|value| order.chain.contains(value));
    let fitting = (0..orders.len()).filter(|&at| !orders[at].circle && values.len() > 1 && has_all(&orders[at]));
    fitting.min_by_key(|&at| orders[at].chain.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_circles_and_directions() {
        let rules = gdl::parse(
            "(role r) (n 0 1) (n 1 2) (n 2 3) (n 3 4) (less 3 2) (less 2 1) (after a b) (after b c) (after c a)
             (odd 1 3) (odd 1 2) (odd 2 3) (<= (two ?a ?c) (n ?a ?b) (n ?b ?c)) (<= (now ?x) (true (at ?x)))
             (<= (mine ?x) (role ?x))",
        )
        .rules;
        let mut terms = Terms::default();
        let fixed = Fixed::new(&rules, &mut terms);
        let orders = fixed.orders();
        let told: Vec<(String, bool, bool)> = orders
            .iter()
            .map(|order| {
                let chain: Vec<String> = order.chain.iter().map(|&id| terms.text(id, &rules.symbols)).collect();
                (chain.join(" "), order.circle, order.downwards)
            })
            .collect();
        let expect = [("0 1 2 3 4", false, false), ("1 2 3", false, true), ("a b c", true, false)];
        assert_eq!(told, expect.map(|(chain, circle, down)| (chain.to_string(), circle, down)));
        let relation = |name: &str, arity| (rules.symbols.find(name).unwrap(), arity);
        assert_eq!(fixed.rows(&rules, &mut terms, relation("two", 2)).unwrap().len(), 3);
        assert_eq!(fixed.rows(&rules, &mut terms, relation("mine", 1)).unwrap().len(), 1);
        assert_eq!(fixed.rows(&rules, &mut terms, relation("now", 1)), None);
    }
}
