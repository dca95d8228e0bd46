//! Joins: all ways in which the conditions of a rule can hold together.

use super::Unfit;
use super::rows::{Columns, END, Rows};
use super::rule::{Rule, Sentence};
use crate::bank::{Id, UNBOUND};
use crate::budget::Budget;
use crate::gates::Lit;
use crate::program::{Pat, Rel};
use crate::prover::{Prover, View, unify};

/// What a step of the prover costs, in steps of joining.
const PROVER_STEP: u64 = 6;

/// Which rows of a group take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Range {
    /// All there are now.
    All,
    /// Those before this round.
    Old,
    /// Those that the last round brought.
    New,
    /// Those before this round and those that the last round brought.
    Now,
}

/// A group to go through, with what is known of its columns.
struct Target {
    group: u32,
    columns: Columns,
    mask: u64,
    index: usize,
    /// All columns that matter are known: at most one row fits.
    single: bool,
}

/// What a row that was gone through counts for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Worth {
    /// Its gate is a condition.
    Gate,
    /// It must not be impossible.
    Chance,
    /// It never changes.
    Nothing,
}

enum Step {
    /// Rows of a relation that can change, or of a fixed one whose rows are all known.
    Scan { targets: Vec<Target>, range: Range, binds: Vec<u16>, worth: Worth },
    /// A fixed relation that is asked for with what is known.
    Ask { sentence: usize, binds: Vec<u16> },
    /// A fixed relation that must not hold.
    Deny { sentence: usize },
    /// Two terms that must differ (or not).
    Differ { pair: usize },
    /// All of the head is known: go on only if it is new.
    Head,
}

/// A positive condition of a rule.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Condition {
    /// None yet: what needs no variables is settled here.
    Start,
    Holds(usize),
    Fixed(usize),
}

impl Condition {
    fn sentence(self, rule: &Rule) -> &Sentence {
        match self {
            Condition::Holds(at) => &rule.holds[at],
            Condition::Fixed(at) => &rule.fixed[at].0,
            Condition::Start => &rule.head,
        }
    }
}

/// With more conditions than this, only one order is looked at.
const MOST_STARTS: usize = 24;

/// What looking up a head costs, in rows looked at.
const HEAD_WORK: f64 = 4.0;

/// The order in which a rule's conditions are gone through.
pub(super) struct Plan(Vec<Step>);

/// What is found: the rule's head with bindings in the slots, and the gates of the conditions that can change.
pub(super) trait Sink {
    /// Whether a head that is known already is of interest.
    const ONLY_NEW: bool;
    fn found(&mut self, join: &mut Join<'_>, rule: &Rule) -> Result<(), Unfit>;
}

pub(super) struct Join<'a> {
    pub prover: &'a Prover,
    pub view: View,
    pub rows: Rows,
    /// Fixed relations whose rows are all in `rows`.
    pub complete: Vec<bool>,
    pub slots: Vec<Id>,
    /// The gates of the conditions gone through.
    pub lits: Vec<Lit>,
    pub budget: Budget,
    pub columns: Vec<Id>,
    /// The arguments of the sentence at hand.
    pub head: Vec<Id>,
}

impl Join<'_> {
    /// Whether all variables of a pattern are among the bound ones.
    fn known(pat: &Pat, bound: &[bool]) -> bool {
        match pat {
            Pat::Ground(_) => true,
            Pat::Var(var) => bound[*var as usize],
            Pat::Call(_, args) => args.iter().all(|arg| Self::known(arg, bound)),
        }
    }

    fn target(group: u32, columns: Columns, bound: &[bool]) -> Target {
        let mut mask = 0;
        let mut single = true;
        for (at, column) in columns.iter().enumerate() {
            match column {
                Some(pat) if Self::known(pat, bound) => mask |= 1 << at,
                Some(_) => single = false,
                None => {}
            }
        }
        // A group with a flattened argument is determined by the parts as well as by the whole.
        let last_only = columns.last().is_some_and(Option::is_some) && columns.iter().any(Option::is_none);
        single &= !last_only || mask >> (columns.len() - 1) & 1 == 1;
        Target { group, columns, mask, index: usize::MAX, single }
    }

    fn targets(&self, sentence: &Sentence, bound: &[bool]) -> Vec<Target> {
        let found = self.rows.targets(sentence.rel, &sentence.args, &self.view.bank);
        found.into_iter().map(|(group, columns)| Self::target(group, columns, bound)).collect()
    }

    /// Orders the conditions of a rule: `first` (one that can change) before all others, then always the one that
    /// leaves the fewest ways. `range` tells which rows each changing condition may use.
    pub fn plan(
        &mut self,
        rule: &Rule,
        first: Option<usize>,
        range: &dyn Fn(usize) -> Range,
        only_new: bool,
    ) -> Result<Plan, Unfit> {
        self.budget.spend(1 + self.spread(rule))?;
        let mut bound = vec![false; rule.vars];
        let mut steps = Vec::new();
        let mut denied: Vec<usize> = (0..rule.fixed.len()).filter(|&at| rule.fixed[at].1).collect();
        let mut pairs: Vec<usize> = (0..rule.distinct.len()).collect();
        let mut head_checked = !only_new;
        for which in self.best_order(rule, first) {
            match which {
                Condition::Holds(at) => {
                    let sentence = &rule.holds[at];
                    let targets = self.targets(sentence, &bound);
                    let worth = if sentence.shadow { Worth::Chance } else { Worth::Gate };
                    let binds = bind(sentence, &mut bound);
                    steps.push(Step::Scan { targets, range: range(at), binds, worth });
                }
                Condition::Fixed(at) => {
                    let sentence = &rule.fixed[at].0;
                    let targets = self.targets(sentence, &bound);
                    let binds = bind(sentence, &mut bound);
                    steps.push(match self.complete[sentence.rel as usize] {
                        true => Step::Scan { targets, range: Range::All, binds, worth: Worth::Nothing },
                        false => Step::Ask { sentence: at, binds },
                    });
                }
                Condition::Start => {}
            }
            pairs.retain(|&pair| {
                let (a, b, _) = &rule.distinct[pair];
                let ready = Self::known(a, &bound) && Self::known(b, &bound);
                if ready {
                    steps.push(Step::Differ { pair });
                }
                !ready
            });
            denied.retain(|&sentence| {
                let ready = rule.fixed[sentence].0.args.iter().all(|arg| Self::known(arg, &bound));
                if ready {
                    steps.push(Step::Deny { sentence });
                }
                !ready
            });
            if !head_checked && rule.head.args.iter().all(|arg| Self::known(arg, &bound)) {
                steps.push(Step::Head);
                head_checked = true;
            }
        }
        for step in &mut steps {
            if let Step::Scan { targets, .. } = step {
                for target in targets.iter_mut().filter(|target| target.mask != 0) {
                    target.index = self.rows.groups[target.group as usize].index(target.mask);
                }
            }
        }
        // What is left has variables that nothing binds: `distinct` of something unbound fails, a fixed `not` means "none at all".
        steps.extend(pairs.into_iter().map(|pair| Step::Differ { pair }));
        steps.extend(denied.into_iter().map(|sentence| Step::Deny { sentence }));
        if rule.head.args.iter().any(|arg| !Self::known(arg, &bound)) {
            return Err(Unfit::new("a variable in the head of a rule is bound by nothing"));
        }
        Ok(Plan(steps))
    }

    /// How many groups the conditions of a rule look at that do not say which.
    fn spread(&self, rule: &Rule) -> u64 {
        let groups = rule.holds.iter().map(|sentence| match self.rows.pivots[sentence.rel as usize] {
            Some(pivot) if matches!(sentence.args[pivot], Pat::Var(_)) => self.rows.list(sentence.rel).len() as u64,
            _ => 0,
        });
        groups.sum()
    }

    /// The best order of the positive conditions: each is tried as the first one (unless that is given), the others
    /// follow by fewest ways, and the order with the least work in all is taken.
    fn best_order(&self, rule: &Rule, first: Option<usize>) -> Vec<Condition> {
        let fixed = (0..rule.fixed.len()).filter(|&at| !rule.fixed[at].1).map(Condition::Fixed);
        let all: Vec<Condition> = (0..rule.holds.len()).map(Condition::Holds).chain(fixed).collect();
        let starts = match first {
            Some(first) => vec![Condition::Holds(first)],
            None if all.len() <= MOST_STARTS => all.clone(),
            None => Vec::new(),
        };
        let orders = starts.iter().map(|&start| self.order(rule, &all, Some(start)));
        let best = orders.min_by(|a, b| a.1.total_cmp(&b.1));
        best.unwrap_or_else(|| self.order(rule, &all, None)).0
    }

    /// The order that begins with `start` and goes on with whatever leaves the fewest ways, and about how many rows
    /// will be looked at.
    fn order(&self, rule: &Rule, all: &[Condition], start: Option<Condition>) -> (Vec<Condition>, f64) {
        let mut bound = vec![false; rule.vars];
        let mut left = all.to_vec();
        let mut order = vec![Condition::Start];
        let (mut ways, mut work) = (1.0, 0.0);
        let mut heads = None;
        let mut next = start;
        while !left.is_empty() {
            let (at, cost) = match next.take().and_then(|start| left.iter().position(|&which| which == start)) {
                Some(at) => (at, self.fanout(rule, left[at], &bound)),
                None => {
                    let costs = left.iter().map(|&which| self.fanout(rule, which, &bound)).enumerate();
                    costs.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
                }
            };
            let which = left.remove(at);
            ways *= cost;
            work += ways;
            bind(which.sentence(rule), &mut bound);
            order.push(which);
            if heads.is_none() && rule.head.args.iter().all(|arg| Self::known(arg, &bound)) {
                heads = Some(ways);
            }
        }
        // Looking a head up is dear; ways that lead to the same head one after the other do it once.
        (order, work + HEAD_WORK * heads.unwrap_or(ways))
    }

    /// About how many rows fit a condition when these variables are bound.
    fn fanout(&self, rule: &Rule, which: Condition, bound: &[bool]) -> f64 {
        let sentence = which.sentence(rule);
        if matches!(which, Condition::Holds(_)) || self.complete[sentence.rel as usize] {
            let targets = self.targets(sentence, bound);
            return targets.iter().map(|t| self.rows.groups[t.group as usize].fanout(t.mask)).sum();
        }
        // Asked for: cheap when everything is known, else as late as possible.
        let open = sentence.args.iter().filter(|arg| !Self::known(arg, bound)).count();
        if open == 0 { 1.0 } else { 1e9 * open as f64 }
    }

    /// Goes through all ways in which the rule's positive and fixed conditions hold.
    pub fn run<S: Sink>(&mut self, rule: &Rule, plan: &Plan, sink: &mut S) -> Result<(), Unfit> {
        self.slots.clear();
        self.slots.resize(rule.vars, UNBOUND);
        self.lits.clear();
        self.step(rule, &plan.0, sink)
    }

    fn step<S: Sink>(&mut self, rule: &Rule, steps: &[Step], sink: &mut S) -> Result<(), Unfit> {
        let Some((step, rest)) = steps.split_first() else { return sink.found(self, rule) };
        match step {
            Step::Scan { targets, range, binds, worth } => {
                for target in targets {
                    self.go_through(rule, (target, *range, *worth), binds, rest, sink)?;
                }
                Ok(())
            }
            Step::Ask { sentence, binds } => {
                let sentence = &rule.fixed[*sentence].0;
                for row in self.ask(sentence)? {
                    if self.fits(&sentence.args, &row) {
                        self.step(rule, rest, sink)?;
                    }
                    self.forget(binds);
                }
                Ok(())
            }
            Step::Deny { sentence } => {
                if self.denied(&rule.fixed[*sentence].0)? {
                    self.step(rule, rest, sink)
                } else {
                    Ok(())
                }
            }
            Step::Differ { pair } => {
                let (a, b, same) = &rule.distinct[*pair];
                let equal = match (self.resolve(a)?, self.resolve(b)?) {
                    (Some(a), Some(b)) => a == b,
                    _ => true,
                };
                if equal == *same { self.step(rule, rest, sink) } else { Ok(()) }
            }
            Step::Head => {
                self.head(&rule.head)?;
                let Join { rows, view, columns, head, .. } = self;
                if rows.find(rule.head.rel, head, &view.bank, columns).is_some() {
                    return Ok(());
                }
                self.step(rule, rest, sink)
            }
        }
    }

    fn go_through<S: Sink>(
        &mut self,
        rule: &Rule,
        (target, range, worth): (&Target, Range, Worth),
        binds: &[u16],
        rest: &[Step],
        sink: &mut S,
    ) -> Result<(), Unfit> {
        let group = &self.rows.groups[target.group as usize];
        let (from, to) = match range {
            Range::All => (0, group.len() as u32),
            Range::Old => (0, group.old),
            Range::New => (group.old, group.now),
            Range::Now => (0, group.now),
        };
        // A row range without an index is walked in order; with one, along the chain, newest first.
        let chained = target.mask != 0;
        let mut row = if chained {
            let mut key = [UNBOUND; 64];
            let mut left = target.mask;
            while left != 0 {
                let at = left.trailing_zeros() as usize;
                left &= left - 1;
                if let Some(pat) = &target.columns[at] {
                    match self.resolve(pat)? {
                        Some(id) => key[at] = id,
                        None => return Ok(()),
                    }
                }
            }
            self.rows.groups[target.group as usize].first(target.index, &key)
        } else if from < to {
            from
        } else {
            END
        };
        while row != END {
            self.budget.spend(1)?;
            let group = &self.rows.groups[target.group as usize];
            // Fetched early, so that waiting for it and for the row overlap.
            let following = if chained {
                group.next(target.index, row)
            } else if row + 1 < to {
                row + 1
            } else {
                END
            };
            let lit = group.lit(row);
            let inside = from <= row && row < to;
            if inside && (worth == Worth::Nothing || lit != Lit::FALSE) {
                let values = group.row(row);
                let Join { slots, view, .. } = self;
                let fits = target.columns.iter().zip(values).all(|(column, &value)| {
                    column.as_ref().is_none_or(|pat| unify(&view.bank, slots, None, 0, pat, value))
                });
                if fits {
                    let before = self.lits.len();
                    if worth == Worth::Gate && lit != Lit::TRUE {
                        self.lits.push(lit);
                    }
                    self.step(rule, rest, sink)?;
                    self.lits.truncate(before);
                }
                self.forget(binds);
                if fits && target.single {
                    return Ok(());
                }
            }
            row = following;
        }
        Ok(())
    }

    fn forget(&mut self, binds: &[u16]) {
        for &var in binds {
            self.slots[var as usize] = UNBOUND;
        }
    }

    fn fits(&mut self, args: &[Pat], row: &[Id]) -> bool {
        let Join { slots, view, .. } = self;
        args.iter().zip(row).all(|(arg, &value)| unify(&view.bank, slots, None, 0, arg, value))
    }

    /// The rows of a fixed relation that fit what is known, by asking the prover.
    fn ask(&mut self, sentence: &Sentence) -> Result<Vec<Vec<Id>>, Unfit> {
        let mut key = Vec::with_capacity(sentence.args.len());
        for arg in &sentence.args {
            key.push(self.resolve(arg)?.unwrap_or(UNBOUND));
        }
        let most = self.budget.left() / PROVER_STEP;
        let (rows, work) = self.prover.ask_fixed(&mut self.view, sentence.rel, &key, most).map_err(Unfit::from)?;
        self.budget.spend(4 + rows.len() as u64 + PROVER_STEP * work)?;
        Ok(rows)
    }

    /// Whether a fixed sentence does not hold, whatever its unbound variables are.
    fn denied(&mut self, sentence: &Sentence) -> Result<bool, Unfit> {
        let mut args = Vec::with_capacity(sentence.args.len());
        for arg in &sentence.args {
            match self.resolve(arg)? {
                Some(id) => args.push(id),
                None => break,
            }
        }
        if args.len() == sentence.args.len() && self.complete[sentence.rel as usize] {
            let Join { rows, view, columns, .. } = self;
            return Ok(rows.find(sentence.rel, &args, &view.bank, columns).is_none());
        }
        let saved = self.slots.clone();
        let mut none = true;
        for row in self.ask(sentence)? {
            none &= !self.fits(&sentence.args, &row);
            self.slots.copy_from_slice(&saved);
        }
        Ok(none)
    }

    /// Leaves the arguments of a sentence, all of whose variables are bound, in `head`.
    pub fn head(&mut self, sentence: &Sentence) -> Result<(), Unfit> {
        self.head.clear();
        for arg in &sentence.args {
            match self.resolve(arg)? {
                Some(id) => self.head.push(id),
                None => return Err(Unfit::new("a variable in the head of a rule is bound by nothing")),
            }
        }
        Ok(())
    }

    /// The gates of the changing rows that match a sentence whose variables may be unbound; each is added to `out`.
    pub fn matching(&mut self, sentence: &Sentence, out: &mut Vec<Lit>) -> Result<(), Unfit> {
        self.head.clear();
        for arg in &sentence.args {
            match self.resolve(arg)? {
                Some(id) => self.head.push(id),
                None => break,
            }
        }
        if self.head.len() == sentence.args.len() {
            let Join { rows, view, columns, head, .. } = self;
            if let Some((group, row)) = rows.find(sentence.rel, head, &view.bank, columns) {
                out.push(rows.groups[group as usize].lit(row));
            }
            return Ok(());
        }
        let saved = self.slots.clone();
        for (group, columns) in self.rows.targets(sentence.rel, &sentence.args, &self.view.bank) {
            for row in 0..self.rows.groups[group as usize].len() as u32 {
                self.budget.spend(1)?;
                let Join { slots, view, rows, .. } = self;
                let values = rows.groups[group as usize].row(row);
                let fits = columns.iter().zip(values).all(|(column, &value)| {
                    column.as_ref().is_none_or(|pat| unify(&view.bank, slots, None, 0, pat, value))
                });
                if fits {
                    out.push(rows.groups[group as usize].lit(row));
                }
                self.slots.copy_from_slice(&saved);
            }
        }
        Ok(())
    }

    /// The term that a pattern stands for now, if all its variables are bound.
    pub fn resolve(&mut self, pat: &Pat) -> Result<Option<Id>, Unfit> {
        match pat {
            Pat::Ground(id) => Ok(Some(*id)),
            Pat::Var(var) => {
                let id = self.slots[*var as usize];
                Ok((id != UNBOUND).then_some(id))
            }
            Pat::Call(functor, args) => {
                let mut ids = Vec::with_capacity(args.len());
                for arg in args {
                    match self.resolve(arg)? {
                        Some(id) => ids.push(id),
                        None => return Ok(None),
                    }
                }
                let made = self.prover.make(&mut self.view, *functor, &ids);
                made.map(Some).ok_or_else(|| Unfit::new("terms are nested too deeply"))
            }
        }
    }

    /// Takes over all rows of a fixed relation, if they are finite and not too many.
    pub fn import(&mut self, rel: Rel, most: u64) -> Result<(), Unfit> {
        let arity = self.prover.program().relations[rel as usize].arity;
        let free = vec![UNBOUND; arity];
        let Ok((rows, _)) = self.prover.ask_fixed(&mut self.view, rel, &free, most) else {
            return Ok(self.budget.heard()?);
        };
        self.budget.spend(1 + rows.len() as u64)?;
        for row in rows {
            let Join { rows, view, columns, .. } = self;
            rows.add(rel, &row, Lit::TRUE, &view.bank, columns);
        }
        self.complete[rel as usize] = true;
        Ok(())
    }
}

/// The variables of a sentence that are not bound yet; they are afterwards.
fn bind(sentence: &Sentence, bound: &mut [bool]) -> Vec<u16> {
    fn visit(pat: &Pat, bound: &mut [bool], out: &mut Vec<u16>) {
        match pat {
            Pat::Ground(_) => {}
            Pat::Var(var) => {
                if !bound[*var as usize] {
                    bound[*var as usize] = true;
                    out.push(*var);
                }
            }
            Pat::Call(_, args) => args.iter().for_each(|arg| visit(arg, bound, out)),
        }
    }
    let mut out = Vec::new();
    sentence.args.iter().for_each(|arg| visit(arg, bound, &mut out));
    out
}
