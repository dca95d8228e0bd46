//! Writing out conditions over facts: rules are followed down to the facts of a state, and each sentence becomes a part of a
//! formula once.

use super::{Part, Source, Unmeasured, Written};
use crate::fixed::Relation;
use crate::terms::{TermId, Terms};
use gdl::{Atom, Clause, Literal, Symbol, Term, TermKind};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Parts, and steps of writing out, at most.
const MOST_PARTS: usize = 20_000;
const MOST_STEPS: usize = 300_000;
/// After so many steps it is asked whether there is time for more.
const ASK: usize = 1_000;

/// A formula in the making.
pub(super) struct Writer<'a> {
    source: Source<'a>,
    terms: &'a mut Terms,
    clauses: HashMap<Relation, Vec<&'a Clause>>,
    rows: HashMap<Relation, Option<Rc<Listed>>>,
    pub parts: Vec<Part>,
    numbers: HashMap<(Symbol, Vec<TermId>), Written<u32>>,
    steps: usize,
    more: &'a mut dyn FnMut() -> bool,
    /// The steps at which it is asked again.
    ask: usize,
}

type Bound = Vec<Option<TermId>>;

/// The rows of a relation that never changes: in order, and for looking up.
struct Listed {
    rows: Vec<Vec<TermId>>,
    all: HashSet<Vec<TermId>>,
}

impl<'a> Writer<'a> {
    pub fn new(source: Source<'a>, terms: &'a mut Terms, more: &'a mut dyn FnMut() -> bool) -> Writer<'a> {
        let mut clauses: HashMap<Relation, Vec<&Clause>> = HashMap::new();
        for clause in &source.rules.clauses {
            clauses.entry((clause.head.name, clause.head.args.len())).or_default().push(clause);
        }
        Writer {
            source,
            terms,
            clauses,
            rows: HashMap::new(),
            parts: vec![Part::Const(false), Part::Const(true)],
            numbers: HashMap::new(),
            steps: 0,
            more,
            ask: ASK,
        }
    }
}

impl Writer<'_> {
    fn part(&mut self, part: Part) -> Written<u32> {
        if self.parts.len() >= MOST_PARTS {
            return Err(Unmeasured::TooLarge);
        }
        self.parts.push(part);
        Ok(self.parts.len() as u32 - 1)
    }

    /// Counts steps of work.
    fn work(&mut self, steps: usize) -> Written<()> {
        self.steps += steps;
        if self.steps > MOST_STEPS {
            return Err(Unmeasured::TooLarge);
        }
        if self.steps >= self.ask {
            self.ask = self.steps + ASK;
            if !(self.more)() {
                // Whatever is asked for now has no time either.
                self.steps = MOST_STEPS;
                return Err(Unmeasured::Time);
            }
        }
        Ok(())
    }

    fn all(&mut self, mut parts: Vec<u32>) -> Written<u32> {
        parts.retain(|&part| part != 1);
        parts.sort_unstable();
        parts.dedup();
        match parts[..] {
            [] => Ok(1),
            _ if parts.contains(&0) => Ok(0),
            [one] => Ok(one),
            _ => self.part(Part::And(parts)),
        }
    }

    fn any(&mut self, mut parts: Vec<u32>) -> Written<u32> {
        parts.retain(|&part| part != 0);
        parts.sort_unstable();
        parts.dedup();
        match parts[..] {
            [] => Ok(0),
            _ if parts.contains(&1) => Ok(1),
            [one] => Ok(one),
            _ => self.part(Part::Or(parts)),
        }
    }

    fn not(&mut self, part: u32) -> Written<u32> {
        match part {
            0 | 1 => Ok(1 - part),
            _ => self.part(Part::Not(part)),
        }
    }

    /// The formula of a sentence without variables.
    pub fn sentence(&mut self, name: Symbol, args: Vec<TermId>) -> Written<u32> {
        if name == Symbol::DOES {
            return Err(Unmeasured::Moves);
        }
        let relation = (name, args.len());
        if name != Symbol::TRUE
            && self.source.fixed.is_fixed(relation)
            && let Some(rows) = self.listed(relation)
        {
            return Ok(u32::from(rows.all.contains(&args)));
        }
        let key = (name, args);
        if let Some(known) = self.numbers.get(&key) {
            return *known;
        }
        let part = if name == Symbol::TRUE {
            self.part(Part::Fact(key.1[0]))
        } else {
            // While it is being written it has no formula: what calls itself ends here.
            self.numbers.insert(key.clone(), Err(Unmeasured::CallsItself));
            self.derived(relation, &key.1)
        };
        self.numbers.insert(key, part);
        part
    }

    /// The formula of a sentence that follows by rules.
    fn derived(&mut self, relation: Relation, args: &[TermId]) -> Written<u32> {
        let mut ways = Vec::new();
        for clause in self.clauses.get(&relation).cloned().unwrap_or_default() {
            let mut bound: Bound = vec![None; clause.vars.len()];
            if clause.head.args.iter().zip(args).all(|(term, &id)| self.fit(term, id, &mut bound)) {
                let body: Vec<&Literal> = clause.body.iter().collect();
                self.ways(&body, bound, Vec::new(), &mut ways)?;
            }
        }
        self.any(ways)
    }

    /// The rows of a relation that never changes.
    fn listed(&mut self, relation: Relation) -> Option<Rc<Listed>> {
        if let Some(rows) = self.rows.get(&relation) {
            return rows.clone();
        }
        let rows = self.source.fixed.rows(self.source.rules, self.terms, relation);
        let rows = rows.map(|rows| Rc::new(Listed { all: rows.iter().cloned().collect(), rows }));
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
    fn ways(&mut self, body: &[&Literal], bound: Bound, sofar: Vec<u32>, out: &mut Vec<u32>) -> Written<()> {
        self.work(1)?;
        if body.is_empty() {
            let part = self.all(sofar)?;
            out.push(part);
            return Ok(());
        }
        // What is settled first: comparisons and sentences without open variables, then fixed relations, then facts.
        let rank = |writer: &Self, literal: &Literal| {
            let open = writer.open_vars(literal, &bound);
            match literal {
                _ if open == 0 => 0,
                Literal::Is(atom) if atom.name == Symbol::TRUE => 200 + open,
                Literal::Is(atom) if writer.source.fixed.is_fixed((atom.name, atom.args.len())) => 100 + open,
                Literal::Or(..) | Literal::And(..) => 300,
                Literal::Is(_) => 400 + open,
                _ => 1000,
            }
        };
        let (at, cost) = (0..body.len())
            .map(|at| (at, rank(self, body[at])))
            .min_by_key(|&(at, cost)| (cost, at))
            .ok_or(Unmeasured::Open)?;
        let literal = body[at];
        let rest: Vec<&Literal> = body.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, l)| *l).collect();
        if cost == 0 {
            let part = self.literal(literal, &bound)?;
            if part == 0 {
                return Ok(());
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
                Ok(())
            }
            _ => Err(Unmeasured::Open),
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
    ) -> Written<()> {
        if atom.name == Symbol::TRUE {
            for fact in self.facts(&atom.args[0], &bound)? {
                let mut own = bound.clone();
                if self.fit(&atom.args[0], fact, &mut own) {
                    let mut sofar = sofar.clone();
                    sofar.push(self.sentence(Symbol::TRUE, vec![fact])?);
                    self.ways(rest, own, sofar, out)?;
                }
            }
            return Ok(());
        }
        let relation = (atom.name, atom.args.len());
        if self.source.fixed.is_fixed(relation) {
            for row in &self.listed(relation).ok_or(Unmeasured::TooLarge)?.rows {
                let mut own = bound.clone();
                if atom.args.iter().zip(row).all(|(term, &id)| self.fit(term, id, &mut own)) {
                    self.ways(rest, own, sofar.clone(), out)?;
                }
            }
            return Ok(());
        }
        // A relation that changes: its own rules bind what is open here.
        let mut heads = Vec::new();
        for clause in self.clauses.get(&relation).cloned().unwrap_or_default() {
            self.heads(clause, atom, &bound, &mut heads)?;
        }
        for args in heads {
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
        Ok(())
    }

    /// Adds the sentences that a rule can have as its head, where what is known of them is given.
    fn heads(&mut self, clause: &Clause, atom: &Atom, bound: &Bound, found: &mut Vec<Vec<TermId>>) -> Written<()> {
        let mut own: Bound = vec![None; clause.vars.len()];
        for (term, asked) in clause.head.args.iter().zip(&atom.args) {
            if let Some(id) = self.put(asked, bound)
                && !self.fit(term, id, &mut own)
            {
                return Ok(());
            }
        }
        let mut open = vec![(clause.body.iter().collect::<Vec<_>>(), own)];
        while let Some((body, own)) = open.pop() {
            self.work(1)?;
            let head: Option<Vec<TermId>> = clause.head.args.iter().map(|term| self.put(term, &own)).collect();
            if let Some(head) = head {
                if !found.contains(&head) {
                    found.push(head);
                }
                continue;
            }
            // Facts and fixed relations bind; whatever else there is can only take away.
            let binds = body.iter().enumerate().find_map(|(at, literal)| match literal {
                Literal::Is(atom) if self.open_vars(literal, &own) > 0 => {
                    let binds = atom.name == Symbol::TRUE || self.source.fixed.is_fixed((atom.name, atom.args.len()));
                    binds.then_some((at, atom))
                }
                _ => None,
            });
            let Some((at, binds)) = binds else {
                self.listed_heads(clause, &own, found)?;
                continue;
            };
            let rest: Vec<&Literal> = body.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, l)| *l).collect();
            let (facts, listed);
            let rows = if binds.name == Symbol::TRUE {
                facts = self.facts(&binds.args[0], &own)?.into_iter().map(|fact| vec![fact]).collect();
                &facts
            } else {
                listed = self.listed((binds.name, binds.args.len())).ok_or(Unmeasured::TooLarge)?;
                &listed.rows
            };
            for row in rows {
                let mut next = own.clone();
                if binds.args.iter().zip(row).all(|(term, &id)| self.fit(term, id, &mut next)) {
                    open.push((rest.clone(), next));
                }
            }
        }
        Ok(())
    }

    /// Adds the heads with whatever names the rules can put where a variable is open: more than there are, never fewer.
    fn listed_heads(&mut self, clause: &Clause, own: &Bound, found: &mut Vec<Vec<TermId>>) -> Written<()> {
        let head = &clause.head;
        let mut open = vec![own.clone()];
        for (at, term) in head.args.iter().enumerate() {
            if self.put(term, own).is_some() {
                continue;
            }
            let TermKind::Var(var) = term.kind else { return Err(Unmeasured::Open) };
            let mut values = Vec::new();
            for (name, arity) in self.source.types.at((head.name, head.args.len(), at)) {
                if arity > 0 {
                    return Err(Unmeasured::Open);
                }
                values.push(self.terms.intern(name, Vec::new()));
            }
            self.work(open.len() * values.len())?;
            let mut bound = Vec::new();
            for sofar in open {
                if sofar[var.0 as usize].is_some() {
                    bound.push(sofar);
                    continue;
                }
                for &value in &values {
                    let mut next = sofar.clone();
                    next[var.0 as usize] = Some(value);
                    bound.push(next);
                }
            }
            open = bound;
        }
        for own in open {
            let args: Option<Vec<TermId>> = head.args.iter().map(|term| self.put(term, &own)).collect();
            let args = args.ok_or(Unmeasured::Open)?;
            if !found.contains(&args) {
                found.push(args);
            }
        }
        Ok(())
    }

    /// The facts that a term with open variables can be.
    fn facts(&mut self, term: &Term, bound: &Bound) -> Written<Vec<TermId>> {
        let TermKind::Call(name, args) = &term.kind else { return Err(Unmeasured::Open) };
        let fluent = self.source.fluents.iter().find(|f| f.name == *name && f.arity == args.len());
        // What no rule can make true is no fact.
        let Some(fluent) = fluent else { return Ok(Vec::new()) };
        if fluent.columns.len() != args.len() {
            return Err(Unmeasured::Open);
        }
        let mut found = vec![Vec::new()];
        for (arg, column) in args.iter().zip(&fluent.columns) {
            let values = match self.put(arg, bound) {
                Some(id) => vec![id],
                None => column.values.clone(),
            };
            self.work(found.len() * values.len())?;
            found = found
                .iter()
                .flat_map(|sofar: &Vec<TermId>| {
                    values.iter().map(move |&id| sofar.iter().copied().chain([id]).collect())
                })
                .collect();
        }
        Ok(found.into_iter().map(|args| self.terms.intern(*name, args)).collect())
    }

    /// The formula of a condition without open variables.
    fn literal(&mut self, literal: &Literal, bound: &Bound) -> Written<u32> {
        match literal {
            Literal::Is(atom) => {
                let args: Option<Vec<TermId>> = atom.args.iter().map(|arg| self.put(arg, bound)).collect();
                self.sentence(atom.name, args.ok_or(Unmeasured::Open)?)
            }
            Literal::Distinct(a, b, _) => match (self.put(a, bound), self.put(b, bound)) {
                (Some(a), Some(b)) => Ok(u32::from(a != b)),
                _ => Err(Unmeasured::Open),
            },
            Literal::Not(inner, _) => {
                let part = self.literal(inner, bound)?;
                self.not(part)
            }
            Literal::And(parts, _) | Literal::Or(parts, _) => {
                let parts: Written<Vec<u32>> = parts.iter().map(|part| self.literal(part, bound)).collect();
                if matches!(literal, Literal::And(..)) { self.all(parts?) } else { self.any(parts?) }
            }
        }
    }
}
