//! How much of a goal's condition holds: the rules for goals, written out over the facts of a state and read softly.
//!
//! A condition of several parts holds as far as its parts do, less than in proportion, so that the last part counts most;
//! of several ways the one that has come furthest counts. What is true has the value 1 and what is false beyond repair 0.
//! Rules that call themselves, or that become too large, have no such formula.

use crate::fixed::{Fixed, Relation};
use crate::form::Fluent;
use crate::terms::{TermId, Terms};
use gdl::{Atom, Clause, Literal, Rules, Symbol, Term, TermKind};
use std::collections::HashMap;

/// A part of a formula; the parts it is made of come before it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Part {
    Const(bool),
    Fact(TermId),
    Not(u32),
    And(Vec<u32>),
    Or(Vec<u32>),
}

/// The formulas of the goals.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Formula {
    pub parts: Vec<Part>,
    /// For each role its goals: value and formula.
    pub goals: Vec<Vec<(u8, u32)>>,
}

/// Parts, and steps of writing out, at most.
const MOST_PARTS: usize = 20_000;
const MOST_STEPS: usize = 300_000;

struct Writer<'a> {
    rules: &'a Rules,
    fixed: &'a Fixed,
    fluents: &'a [Fluent],
    terms: &'a mut Terms,
    clauses: HashMap<Relation, Vec<&'a Clause>>,
    rows: HashMap<Relation, Option<Vec<Vec<TermId>>>>,
    parts: Vec<Part>,
    numbers: HashMap<(Symbol, Vec<TermId>), Option<u32>>,
    steps: usize,
}

type Bound = Vec<Option<TermId>>;

/// The formulas of all goals; `None` where the rules do not allow it.
pub(crate) fn formula(
    rules: &Rules,
    fixed: &Fixed,
    fluents: &[Fluent],
    roles: &[TermId],
    terms: &mut Terms,
) -> Option<Formula> {
    let mut clauses: HashMap<Relation, Vec<&Clause>> = HashMap::new();
    for clause in &rules.clauses {
        clauses.entry((clause.head.name, clause.head.args.len())).or_default().push(clause);
    }
    let mut values: Vec<(u8, TermId)> = Vec::new();
    for clause in clauses.get(&(Symbol::GOAL, 2))? {
        let TermKind::Name(name) = clause.head.args[1].kind else { return None };
        let value = (rules.symbols.name(name).parse().ok()?, terms.intern(name, Vec::new()));
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values.sort();
    let mut writer = Writer {
        rules,
        fixed,
        fluents,
        terms,
        clauses,
        rows: HashMap::new(),
        parts: vec![Part::Const(false), Part::Const(true)],
        numbers: HashMap::new(),
        steps: 0,
    };
    let mut goals = Vec::new();
    for &role in roles {
        let mut own = Vec::new();
        for &(value, id) in &values {
            own.push((value, writer.sentence(Symbol::GOAL, vec![role, id])?));
        }
        goals.push(own);
    }
    Some(Formula { parts: writer.parts, goals })
}

impl Writer<'_> {
    fn part(&mut self, part: Part) -> Option<u32> {
        if self.parts.len() >= MOST_PARTS {
            return None;
        }
        self.parts.push(part);
        Some(self.parts.len() as u32 - 1)
    }

    fn all(&mut self, mut parts: Vec<u32>) -> Option<u32> {
        parts.retain(|&part| part != 1);
        parts.sort_unstable();
        parts.dedup();
        match parts[..] {
            [] => Some(1),
            _ if parts.contains(&0) => Some(0),
            [one] => Some(one),
            _ => self.part(Part::And(parts)),
        }
    }

    fn any(&mut self, mut parts: Vec<u32>) -> Option<u32> {
        parts.retain(|&part| part != 0);
        parts.sort_unstable();
        parts.dedup();
        match parts[..] {
            [] => Some(0),
            _ if parts.contains(&1) => Some(1),
            [one] => Some(one),
            _ => self.part(Part::Or(parts)),
        }
    }

    fn not(&mut self, part: u32) -> Option<u32> {
        match part {
            0 | 1 => Some(1 - part),
            _ => self.part(Part::Not(part)),
        }
    }

    /// The formula of a sentence without variables.
    fn sentence(&mut self, name: Symbol, args: Vec<TermId>) -> Option<u32> {
        if name == Symbol::TRUE {
            let known = self.numbers.get(&(name, args.clone())).copied();
            if let Some(known) = known {
                return known;
            }
            let part = self.part(Part::Fact(args[0]));
            self.numbers.insert((name, args), part);
            return part;
        }
        if name == Symbol::DOES {
            return None;
        }
        let relation = (name, args.len());
        if self.fixed.is_fixed(relation)
            && let Some(rows) = self.listed(relation)
        {
            return Some(u32::from(rows.contains(&args)));
        }
        let key = (name, args);
        if let Some(known) = self.numbers.get(&key) {
            return *known;
        }
        // While it is being written it has no formula: what calls itself ends here.
        self.numbers.insert(key.clone(), None);
        let mut ways = Vec::new();
        for clause in self.clauses.get(&relation).cloned().unwrap_or_default() {
            let mut bound: Bound = vec![None; clause.vars.len()];
            if clause.head.args.iter().zip(&key.1).all(|(term, &id)| self.fit(term, id, &mut bound)) {
                let body: Vec<&Literal> = clause.body.iter().collect();
                self.ways(&body, bound, Vec::new(), &mut ways)?;
            }
        }
        let part = self.any(ways)?;
        self.numbers.insert(key, Some(part));
        Some(part)
    }

    /// The rows of a relation that never changes.
    fn listed(&mut self, relation: Relation) -> Option<Vec<Vec<TermId>>> {
        if let Some(rows) = self.rows.get(&relation) {
            return rows.clone();
        }
        let rows = self.fixed.rows(self.rules, self.terms, relation);
        self.rows.insert(relation, rows.clone());
        rows
    }

    fn fit(&self, term: &Term, id: TermId, bound: &mut Bound) -> bool {
        match &term.kind {
            TermKind::Var(var) => match bound[var.0 as usize] {
                Some(other) => other == id,
                None => {
                    bound[var.0 as usize] = Some(id);
                    true
                }
            },
            TermKind::Name(name) => self.terms.functor(id) == *name && self.terms.args(id).is_empty(),
            TermKind::Call(name, args) => {
                let known = self.terms.args(id).to_vec();
                self.terms.functor(id) == *name
                    && known.len() == args.len()
                    && args.iter().zip(known).all(|(arg, id)| self.fit(arg, id, bound))
            }
        }
    }

    /// The term with its variables put in; `None` if one is open.
    fn put(&mut self, term: &Term, bound: &Bound) -> Option<TermId> {
        match &term.kind {
            TermKind::Var(var) => bound[var.0 as usize],
            TermKind::Name(name) => Some(self.terms.intern(*name, Vec::new())),
            TermKind::Call(name, args) => {
                let args: Option<Vec<TermId>> = args.iter().map(|arg| self.put(arg, bound)).collect();
                Some(self.terms.intern(*name, args?))
            }
        }
    }

    fn open_vars(&self, literal: &Literal, bound: &Bound) -> usize {
        let mut open = 0;
        literal.for_each_var(&mut |var, _| open += usize::from(bound[var.0 as usize].is_none()));
        open
    }

    /// All ways in which the conditions can hold, each a conjunction.
    fn ways(&mut self, body: &[&Literal], bound: Bound, sofar: Vec<u32>, out: &mut Vec<u32>) -> Option<()> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return None;
        }
        if body.is_empty() {
            let part = self.all(sofar)?;
            out.push(part);
            return Some(());
        }
        // What is settled first: comparisons and sentences without open variables, then fixed relations, then facts.
        let rank = |writer: &Self, literal: &Literal| {
            let open = writer.open_vars(literal, &bound);
            match literal {
                _ if open == 0 => 0,
                Literal::Is(atom) if atom.name == Symbol::TRUE => 200 + open,
                Literal::Is(atom) if writer.fixed.is_fixed((atom.name, atom.args.len())) => 100 + open,
                Literal::Or(..) | Literal::And(..) => 300,
                Literal::Is(_) => 400 + open,
                _ => 1000,
            }
        };
        let (at, cost) = (0..body.len()).map(|at| (at, rank(self, body[at]))).min_by_key(|&(at, cost)| (cost, at))?;
        let literal = body[at];
        let rest: Vec<&Literal> = body.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, l)| *l).collect();
        if cost == 0 {
            let part = self.literal(literal, &bound)?;
            if part == 0 {
                return Some(());
            }
            let mut sofar = sofar;
            sofar.push(part);
            return self.ways(&rest, bound, sofar, out);
        }
        match literal {
            Literal::Is(atom) => self.values(atom, &rest, bound, sofar, out),
            Literal::And(parts, _) => {
                let body: Vec<&Literal> = parts.iter().chain(rest).collect();
                self.ways(&body, bound, sofar, out)
            }
            Literal::Or(parts, _) => {
                for part in parts {
                    let body: Vec<&Literal> = std::iter::once(part).chain(rest.iter().copied()).collect();
                    self.ways(&body, bound.clone(), sofar.clone(), out)?;
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Goes through all values of the open variables of a sentence.
    fn values(
        &mut self,
        atom: &Atom,
        rest: &[&Literal],
        bound: Bound,
        sofar: Vec<u32>,
        out: &mut Vec<u32>,
    ) -> Option<()> {
        if atom.name == Symbol::TRUE {
            for fact in self.facts(&atom.args[0], &bound)? {
                let mut own = bound.clone();
                if self.fit(&atom.args[0], fact, &mut own) {
                    let mut sofar = sofar.clone();
                    sofar.push(self.sentence(Symbol::TRUE, vec![fact])?);
                    self.ways(rest, own, sofar, out)?;
                }
            }
            return Some(());
        }
        let relation = (atom.name, atom.args.len());
        if self.fixed.is_fixed(relation) {
            for row in self.listed(relation)? {
                let mut own = bound.clone();
                if atom.args.iter().zip(row).all(|(term, id)| self.fit(term, id, &mut own)) {
                    self.ways(rest, own, sofar.clone(), out)?;
                }
            }
            return Some(());
        }
        // A relation that changes: its own rules bind what is open here.
        for clause in self.clauses.get(&relation).cloned().unwrap_or_default() {
            for args in self.heads(clause, atom, &bound)? {
                let mut own = bound.clone();
                if atom.args.iter().zip(&args).all(|(term, &id)| self.fit(term, id, &mut own)) {
                    let part = self.sentence(atom.name, args)?;
                    if part != 0 {
                        let mut sofar = sofar.clone();
                        sofar.push(part);
                        self.ways(rest, own, sofar, out)?;
                    }
                }
            }
        }
        Some(())
    }

    /// The sentences that a rule can have as its head, where what is known of them is given.
    fn heads(&mut self, clause: &Clause, atom: &Atom, bound: &Bound) -> Option<Vec<Vec<TermId>>> {
        let mut own: Bound = vec![None; clause.vars.len()];
        for (term, asked) in clause.head.args.iter().zip(&atom.args) {
            if let Some(id) = self.put(asked, bound)
                && !self.fit(term, id, &mut own)
            {
                return Some(Vec::new());
            }
        }
        let mut found: Vec<Vec<TermId>> = Vec::new();
        let mut open = vec![(clause.body.iter().collect::<Vec<_>>(), own)];
        while let Some((body, own)) = open.pop() {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return None;
            }
            let head: Option<Vec<TermId>> = clause.head.args.iter().map(|term| self.put(term, &own)).collect();
            if let Some(head) = head {
                if !found.contains(&head) {
                    found.push(head);
                }
                continue;
            }
            // Facts and fixed relations bind; whatever else there is can only take away.
            let at = body.iter().position(|literal| match literal {
                Literal::Is(atom) => {
                    self.open_vars(literal, &own) > 0
                        && (atom.name == Symbol::TRUE || self.fixed.is_fixed((atom.name, atom.args.len())))
                }
                _ => false,
            })?;
            let Literal::Is(binds) = body[at] else { return None };
            let rest: Vec<&Literal> = body.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, l)| *l).collect();
            let rows = if binds.name == Symbol::TRUE {
                self.facts(&binds.args[0], &own)?.into_iter().map(|fact| vec![fact]).collect()
            } else {
                self.listed((binds.name, binds.args.len()))?
            };
            for row in rows {
                let mut next = own.clone();
                if binds.args.iter().zip(row).all(|(term, id)| self.fit(term, id, &mut next)) {
                    open.push((rest.clone(), next));
                }
            }
        }
        Some(found)
    }

    /// The facts that a term with open variables can be.
    fn facts(&mut self, term: &Term, bound: &Bound) -> Option<Vec<TermId>> {
        let TermKind::Call(name, args) = &term.kind else { return None };
        let fluent = self.fluents.iter().find(|f| f.name == *name && f.arity == args.len())?;
        if fluent.columns.len() != args.len() {
            return None;
        }
        let mut found = vec![Vec::new()];
        for (arg, column) in args.iter().zip(&fluent.columns) {
            let values = match self.put(arg, bound) {
                Some(id) => vec![id],
                None => column.values.clone(),
            };
            self.steps += found.len() * values.len();
            if self.steps > MOST_STEPS {
                return None;
            }
            found = found
                .iter()
                .flat_map(|sofar: &Vec<TermId>| {
                    values.iter().map(move |&id| sofar.iter().copied().chain([id]).collect())
                })
                .collect();
        }
        Some(found.into_iter().map(|args| self.terms.intern(*name, args)).collect())
    }

    /// The formula of a condition without open variables.
    fn literal(&mut self, literal: &Literal, bound: &Bound) -> Option<u32> {
        match literal {
            Literal::Is(atom) => {
                let args: Option<Vec<TermId>> = atom.args.iter().map(|arg| self.put(arg, bound)).collect();
                self.sentence(atom.name, args?)
            }
            Literal::Distinct(a, b, _) => Some(u32::from(self.put(a, bound)? != self.put(b, bound)?)),
            Literal::Not(inner, _) => {
                let part = self.literal(inner, bound)?;
                self.not(part)
            }
            Literal::And(parts, _) | Literal::Or(parts, _) => {
                let parts: Option<Vec<u32>> = parts.iter().map(|part| self.literal(part, bound)).collect();
                if matches!(literal, Literal::And(..)) { self.all(parts?) } else { self.any(parts?) }
            }
        }
    }
}

/// The value of each part, given which facts hold; the facts are asked for with the place of their part.
pub(crate) fn soft(parts: &[Part], holds: &dyn Fn(usize, TermId) -> f32, out: &mut Vec<f32>) {
    out.clear();
    for (at, part) in parts.iter().enumerate() {
        let value = match part {
            Part::Const(value) => f32::from(u8::from(*value)),
            Part::Fact(fact) => holds(at, *fact),
            Part::Not(inner) => 1.0 - out[*inner as usize],
            Part::And(inner) => {
                let mean = inner.iter().map(|&part| out[part as usize]).sum::<f32>() / inner.len() as f32;
                mean * mean
            }
            Part::Or(inner) => {
                let most = inner.iter().map(|&part| out[part as usize]).fold(0.0, f32::max);
                let mean = inner.iter().map(|&part| out[part as usize]).sum::<f32>() / inner.len() as f32;
                if most >= 1.0 { 1.0 } else { 0.8 * most + 0.2 * mean }
            }
        };
        out.push(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_of_a_line_is_worth_more() {
        let rules = gdl::parse(
            "(role a) (role b) (index 1) (index 2) (index 3)
             (<= (init (cell ?x none)) (index ?x)) (<= (next (cell ?x ?p)) (does ?p (mark ?x)))
             (<= (legal ?p (mark ?x)) (role ?p) (true (cell ?x none)))
             (<= (line ?p) (true (cell 1 ?p)) (true (cell 2 ?p)) (true (cell 3 ?p)) (distinct ?p none))
             (<= terminal (line ?p)) (<= (goal ?p 100) (line ?p)) (<= (goal ?p 0) (role ?p) (not (line ?p)))",
        )
        .rules;
        let study = crate::Study::new(&rules);
        let mut terms = study.terms.clone();
        let formula = formula(&rules, &study.fixed, &study.fluents, &study.roles, &mut terms).unwrap();
        assert_eq!(formula.goals.len(), 2);
        let mut value = |facts: &[&str]| {
            let holding: Vec<TermId> = facts.iter().map(|fact| terms.read(fact, &rules.symbols).unwrap()).collect();
            let mut out = Vec::new();
            soft(&formula.parts, &|_, fact| if holding.contains(&fact) { 1.0 } else { 0.0 }, &mut out);
            let (_, win) = formula.goals[0][1];
            out[win as usize]
        };
        let none = value(&["(cell 1 b)"]);
        let one = value(&["(cell 1 a)"]);
        let two = value(&["(cell 1 a)", "(cell 2 a)"]);
        let all = value(&["(cell 1 a)", "(cell 2 a)", "(cell 3 a)"]);
        assert!(none == 0.0 && none < one && one < two && two < all && all == 1.0, "{none} {one} {two} {all}");
    }
}
