//! What the form of the rules alone tells: the fluents with their columns, counters, and what stays true for good.

use crate::fixed::{Fixed, Order, order_of};
use crate::terms::{TermId, Terms};
use crate::types::{FACT, Item, Types};
use gdl::{Atom, Clause, Literal, Rules, Symbol, Term, TermKind, Var};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A kind of fact: all facts with one name and number of arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fluent {
    /// Its name.
    pub name: Symbol,
    /// How many arguments are written.
    pub arity: usize,
    /// Its columns: the arguments, where a function that always stands in one place counts as its arguments.
    pub columns: Vec<Column>,
}

/// One argument of a fluent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// The way to it: argument of the fact, argument of that argument, and so on.
    pub path: Vec<u8>,
    /// What can stand there; in the order of `order` if there is one, otherwise in the order of first naming.
    pub values: Vec<TermId>,
    /// The order of the values, by number.
    pub order: Option<usize>,
    /// Whether the values are roles.
    pub roles: bool,
}

/// How a counter goes on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Ticks {
    /// With every move, whatever happens.
    #[serde(rename = "with every move")]
    Always,
    /// With every move, but sometimes back to a fixed value.
    #[serde(rename = "with every move, unless it goes back")]
    Resets,
    /// Only under some condition.
    #[serde(rename = "with some moves")]
    Sometimes,
}

impl Ticks {
    /// When it goes on, in words.
    pub fn words(self) -> &'static str {
        match self {
            Ticks::Always => "with every move",
            Ticks::Resets => "with every move, unless it goes back",
            Ticks::Sometimes => "with some moves",
        }
    }
}

/// A fluent that counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// The fluent, by number.
    pub fluent: usize,
    /// The successor relation that it follows.
    pub relation: Symbol,
    /// When it goes on.
    pub ticks: Ticks,
    /// Whether legal moves, goals or other fluents depend on it; if not, it does nothing but end the game.
    pub matters: bool,
}

/// Whether the variables of terms are all different, and nothing else stands there.
fn all_different_vars(terms: &[&Term]) -> bool {
    let mut seen = HashSet::new();
    terms.iter().all(|term| matches!(term.kind, TermKind::Var(var) if seen.insert(var)))
}

/// The fluents that the rules can make true, in the order of their names' first appearance.
pub(crate) fn fluents(rules: &Rules, types: &Types, orders: &[Order], terms: &mut Terms) -> Vec<Fluent> {
    let roles: Vec<TermId> = rules.roles().into_iter().map(|role| terms.intern(role, Vec::new())).collect();
    let mut fluents = Vec::new();
    for (name, arity) in types.at(FACT) {
        let mut columns = Vec::new();
        for at in 0..arity {
            expand(types, (name, arity), vec![at as u8], 0, terms, &mut columns);
        }
        for column in &mut columns {
            column.order = order_of(orders, &column.values);
            sort_values(column, orders);
            column.roles = !column.values.is_empty() && column.values.iter().all(|value| roles.contains(value));
        }
        fluents.push(Fluent { name, arity, columns });
    }
    fluents
}

/// Puts the values in their order.
pub(crate) fn sort_values(column: &mut Column, orders: &[Order]) {
    if let Some(order) = column.order {
        let chain = &orders[order].chain;
        column.values.sort_by_key(|value| chain.iter().position(|thing| thing == value));
    }
}

fn expand(types: &Types, (name, arity): Item, path: Vec<u8>, depth: usize, terms: &mut Terms, out: &mut Vec<Column>) {
    let here = types.at((name, arity, path[path.len() - 1] as usize));
    if let [(inner, count)] = here[..]
        && count > 0
        && depth < 3
        && inner != name
    {
        for at in 0..count {
            let mut path = path.clone();
            path.push(at as u8);
            expand(types, (inner, count), path, depth + 1, terms, out);
        }
        return;
    }
    // Functions among names, or several functions: what stands there is known only once it has been seen.
    let names = if here.iter().all(|item| item.1 == 0) { here } else { Vec::new() };
    let values = names.iter().map(|item| terms.intern(item.0, Vec::new())).collect();
    out.push(Column { path, values, order: None, roles: false });
}

/// The fact of a term inside `true`, `next` or `init`: the name and the arguments.
pub(crate) fn fact(atom: &Atom) -> Option<(Symbol, &[Term])> {
    match &atom.args.first()?.kind {
        TermKind::Var(_) => None,
        TermKind::Name(name) => Some((*name, &[])),
        TermKind::Call(name, args) => Some((*name, args)),
    }
}

/// The fluent that counts in these rules, if this clause makes one count: `next c(v)` from `true c(u)` and `succ(u, v)`.
fn ticks(clause: &Clause, fixed: &Fixed) -> Option<(Symbol, Symbol, usize)> {
    let (name, args) = fact(&clause.head).filter(|_| clause.head.name == Symbol::NEXT)?;
    let [Term { kind: TermKind::Var(new), .. }] = args else { return None };
    let old = clause.body.iter().find_map(|literal| match literal {
        Literal::Is(atom) if atom.name == Symbol::TRUE => match fact(atom) {
            Some((same, [Term { kind: TermKind::Var(old), .. }])) if same == name && old != new => Some(*old),
            _ => None,
        },
        _ => None,
    })?;
    let is = |term: &Term, var: Var| term.kind == TermKind::Var(var);
    let relation = clause.body.iter().find_map(|literal| match literal {
        Literal::Is(atom) if fixed.given.contains_key(&(atom.name, 2)) && atom.args.len() == 2 => {
            let (a, b) = (&atom.args[0], &atom.args[1]);
            ((is(a, old) && is(b, *new)) || (is(a, *new) && is(b, old))).then_some(atom.name)
        }
        _ => None,
    })?;
    Some((name, relation, clause.body.len() - 2))
}

/// The counters, in the order of the fluents.
pub(crate) fn counters(rules: &Rules, fixed: &Fixed, orders: &[Order], fluents: &[Fluent]) -> Vec<Counter> {
    let mut counters = Vec::new();
    for (number, fluent) in fluents.iter().enumerate().filter(|(_, fluent)| fluent.arity == 1) {
        let heads: Vec<&Clause> = rules
            .clauses
            .iter()
            .filter(|clause| clause.head.name == Symbol::NEXT && fact(&clause.head).is_none_or(|f| f.0 == fluent.name))
            .collect();
        let found = heads.iter().filter_map(|clause| ticks(clause, fixed)).collect::<Vec<_>>();
        let Some(&(_, relation, more)) = found.first() else { continue };
        if found.iter().any(|other| other.1 != relation)
            || !orders.iter().any(|order| order.relation == relation && !order.circle)
        {
            continue;
        }
        let constant = |clause: &&&Clause| fact(&clause.head).is_some_and(|(_, args)| args.iter().all(Term::is_ground));
        let resets = heads.iter().filter(constant).count();
        let ticks = if more == 0 && heads.len() == 1 {
            Ticks::Always
        } else if resets > 0 && resets + found.len() == heads.len() {
            Ticks::Resets
        } else {
            Ticks::Sometimes
        };
        counters.push(Counter { fluent: number, relation, ticks, matters: matters(rules, fluent.name) });
    }
    counters
}

/// Whether anything but the end of the game, and the fluent itself, depends on the fluent.
fn matters(rules: &Rules, name: Symbol) -> bool {
    let mut tainted: HashSet<(Symbol, usize)> = HashSet::new();
    let mut matters = false;
    let mut grown = true;
    while grown {
        grown = false;
        for clause in &rules.clauses {
            let own = clause.head.name == Symbol::NEXT && fact(&clause.head).is_some_and(|f| f.0 == name);
            let mut uses = false;
            for literal in &clause.body {
                literal.for_each_atom(false, &mut |atom, _| {
                    uses |= if atom.name == Symbol::TRUE {
                        fact(atom).is_none_or(|f| f.0 == name)
                    } else {
                        tainted.contains(&(atom.name, atom.args.len()))
                    };
                });
            }
            if uses && !own {
                matters |= matches!(clause.head.name, Symbol::NEXT | Symbol::LEGAL | Symbol::GOAL);
                grown |= tainted.insert((clause.head.name, clause.head.args.len()));
            }
        }
    }
    matters
}

/// The rules without the counters that only end the game; `None` if there are none.
pub(crate) fn without_counters(rules: &Rules, fluents: &[Fluent], counters: &[Counter]) -> Option<Rules> {
    let out: Vec<Symbol> = counters.iter().filter(|c| c.leaves_out()).map(|c| fluents[c.fluent].name).collect();
    if out.is_empty() {
        return None;
    }
    let is_out = |clause: &Clause| {
        matches!(clause.head.name, Symbol::NEXT | Symbol::INIT | Symbol::BASE)
            && fact(&clause.head).is_some_and(|f| out.contains(&f.0))
    };
    let clauses = rules.clauses.iter().filter(|clause| !is_out(clause)).cloned().collect();
    Some(Rules { symbols: rules.symbols.clone(), clauses })
}

impl Counter {
    /// Whether it may be left out of a state: it goes on with every move, and does nothing but end the game.
    pub fn leaves_out(&self) -> bool {
        self.ticks == Ticks::Always && !self.matters
    }
}

/// Which facts of a fluent stay true for good, because a rule says `next f` from `true f`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Lasting {
    No,
    All,
    /// All but those with one of these values in some column.
    Except(Vec<(usize, TermId)>),
}

/// What the rules say about each fluent.
pub(crate) fn lasting(rules: &Rules, fluents: &[Fluent], terms: &mut Terms) -> Vec<Lasting> {
    let numbers: HashMap<(Symbol, usize), usize> =
        fluents.iter().enumerate().map(|(at, fluent)| ((fluent.name, fluent.arity), at)).collect();
    let mut lasting = vec![Lasting::No; fluents.len()];
    for clause in rules.clauses.iter().filter(|clause| clause.head.name == Symbol::NEXT) {
        let Some((name, args)) = fact(&clause.head) else { continue };
        let Some(&number) = numbers.get(&(name, args.len())) else { continue };
        if !all_different_vars(&args.iter().collect::<Vec<_>>()) {
            continue;
        }
        let mut same = 0;
        let mut except = BTreeSet::new();
        let mut other = false;
        for literal in &clause.body {
            match literal {
                Literal::Is(atom) if atom.name == Symbol::TRUE && fact(atom) == Some((name, args)) => same += 1,
                Literal::Distinct(a, b, _) => {
                    let (var, value) = if b.is_ground() { (a, b) } else { (b, a) };
                    let column = args.iter().position(|arg| arg == var);
                    match (column, terms.add(value)) {
                        (Some(column), Some(value)) => {
                            except.insert((column, value));
                        }
                        _ => other = true,
                    }
                }
                _ => other = true,
            }
        }
        if same > 0 && !other && lasting[number] != Lasting::All {
            lasting[number] =
                if except.is_empty() { Lasting::All } else { Lasting::Except(except.into_iter().collect()) };
        }
    }
    lasting
}
