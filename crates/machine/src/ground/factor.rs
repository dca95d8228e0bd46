//! Taking rules apart before grounding, so that joins stay small.
//!
//! A variable that the head does not need is removed together with the conditions it stands in: those become a rule
//! of their own for a new relation over the variables they share with the rest. A rule of six variables may then
//! become three of two: thousands of ground rules instead of millions. The meaning does not change.

use super::Unfit;
use super::rule::{Rule, Sentence};
use crate::budget::Budget;
use crate::program::{Pat, Rel};
use std::collections::{HashMap, HashSet};

/// Takes all rules apart as far as it pays. New relations are numbered from `next` on; answers the number after the
/// last.
pub(super) fn factor(rules: Vec<Rule>, mut next: Rel, budget: &mut Budget) -> Result<(Vec<Rule>, Rel), Unfit> {
    let mut made = Made { known: HashMap::new(), next, rules: Vec::new() };
    let mut done = Vec::new();
    for mut rule in rules {
        // Variables are bits of a word below; rules with more are left alone.
        if rule.vars <= 64 {
            while split(&mut rule, &mut made) {
                budget.spend(1 + rule.holds.len() as u64)?;
            }
        }
        budget.spend(1)?;
        done.push(rule);
    }
    done.append(&mut made.rules);
    next = made.next;
    Ok((done, next))
}

/// Relations made so far, by their definition, so that equal ones are made once.
struct Made {
    known: HashMap<String, Rel>,
    next: Rel,
    rules: Vec<Rule>,
}

impl Made {
    /// The relation that holds for `vars` when the conditions of `body` do.
    fn relation(&mut self, mut body: Rule, vars: u64) -> Sentence {
        let args: Box<[Pat]> = bits(vars).map(Pat::Var).collect();
        body.head = Sentence { rel: Rel::MAX, args: args.clone(), shadow: false };
        rename(&mut body);
        let key = format!("{body:?}");
        let rel = *self.known.entry(key).or_insert_with(|| {
            body.head.rel = self.next;
            self.next += 1;
            self.rules.push(body);
            self.next - 1
        });
        Sentence { rel, args, shadow: false }
    }
}

fn bits(mask: u64) -> impl Iterator<Item = u16> {
    (0..64).filter(move |bit| mask >> bit & 1 == 1)
}

fn pat_vars(pat: &Pat) -> u64 {
    match pat {
        Pat::Ground(_) => 0,
        Pat::Var(var) => 1 << var,
        Pat::Call(_, args) => args.iter().fold(0, |mask, arg| mask | pat_vars(arg)),
    }
}

fn vars(sentence: &Sentence) -> u64 {
    sentence.args.iter().fold(0, |mask, arg| mask | pat_vars(arg))
}

/// Removes one variable (and those that go with it) from a rule, if that makes the rule smaller.
fn split(rule: &mut Rule, made: &mut Made) -> bool {
    let head = vars(&rule.head);
    let positive = rule.holds.iter().fold(0, |mask, s| mask | vars(s));
    let all = rule.fixed.iter().fold(positive | head, |mask, (s, _)| mask | vars(s));
    let mut candidates: Vec<(u32, u64)> = Vec::new();
    for var in bits(positive & !head) {
        let bit = 1 << var;
        let bucket = bucket_vars(rule, bit);
        let size = bucket.count_ones();
        // Without the bucket something must be left that the bucket does not look at.
        if bucket != all {
            candidates.push((size, bit));
        }
    }
    candidates.sort_unstable();
    candidates.into_iter().any(|(_, bit)| take_out(rule, bit, made))
}

/// The variables of all conditions in which a variable stands.
fn bucket_vars(rule: &Rule, bit: u64) -> u64 {
    let sentences = rule.holds.iter().chain(&rule.fails).chain(rule.fixed.iter().map(|(s, _)| s)).map(vars);
    let pairs = rule.distinct.iter().map(|(a, b, _)| pat_vars(a) | pat_vars(b));
    sentences.chain(pairs).filter(|vars| vars & bit != 0).fold(0, |mask, vars| mask | vars)
}

/// Moves the conditions in which the variable stands to a relation of their own.
fn take_out(rule: &mut Rule, bit: u64, made: &mut Made) -> bool {
    let inside = |mask: u64| mask & bit != 0;
    let mut body =
        Rule { holds: Vec::new(), fails: Vec::new(), fixed: Vec::new(), distinct: Vec::new(), ..rule.clone() };
    let mut rest = body.clone();
    for s in &rule.holds {
        if inside(vars(s)) { &mut body } else { &mut rest }.holds.push(s.clone());
    }
    for s in &rule.fails {
        if inside(vars(s)) { &mut body } else { &mut rest }.fails.push(s.clone());
    }
    for (s, negated) in &rule.fixed {
        if inside(vars(s)) { &mut body } else { &mut rest }.fixed.push((s.clone(), *negated));
    }
    for (a, b, same) in &rule.distinct {
        let part = if inside(pat_vars(a) | pat_vars(b)) { &mut body } else { &mut rest };
        part.distinct.push((a.clone(), b.clone(), *same));
    }
    let bound_by = |part: &Rule| {
        let fixed = part.fixed.iter().filter(|(_, negated)| !negated).map(|(s, _)| vars(s));
        part.holds.iter().map(vars).chain(fixed).fold(0, |mask, vars| mask | vars)
    };
    let used = |part: &Rule| {
        let negative = part.fails.iter().chain(part.fixed.iter().map(|(s, _)| s)).map(vars);
        let pairs = part.distinct.iter().map(|(a, b, _)| pat_vars(a) | pat_vars(b));
        bound_by(part) | negative.chain(pairs).fold(0, |mask, vars| mask | vars)
    };
    let shared = used(&body) & (used(&rest) | vars(&rule.head));
    // One wide changing condition in which a column is only exchanged for another would just be copied.
    let width = body.holds.first().map_or(0, |s| vars(s).count_ones());
    let alone = rest.fails.is_empty() && rest.holds.iter().all(|s| s.shadow);
    let exchange = alone || body.fixed.iter().all(|(s, _)| vars(s).count_ones() <= 2);
    if body.holds.len() == 1 && width > 2 && width == shared.count_ones() && exchange {
        return false;
    }
    // What only the rest binds must be bound inside too: by the values that the rest's conditions can have at all.
    let mut missing = shared & !body.holds.iter().map(vars).fold(0, |mask, vars| mask | vars);
    for s in &rest.holds {
        let here = vars(s) & missing;
        if here != 0 {
            let guard = Rule {
                holds: vec![Sentence { shadow: true, ..s.clone() }],
                fails: Vec::new(),
                fixed: Vec::new(),
                distinct: Vec::new(),
                ..rule.clone()
            };
            // All variables the condition shares with the new relation come along, to keep their combinations.
            body.holds.push(made.relation(guard, vars(s) & shared));
            missing &= !vars(s);
        }
    }
    // Fixed conditions may help to bind what is missing, and to leave out what cannot be.
    let scope = used(&body);
    for (s, negated) in &rest.fixed {
        let mine = vars(s);
        if !negated
            && (mine & missing != 0 || (mine & !scope == 0 && mine & shared != 0))
            && mine & !(scope | missing) == 0
        {
            body.fixed.push((s.clone(), false));
            missing &= !mine;
        }
    }
    if missing != 0 && missing & !bound_by(&body) != 0 {
        return false;
    }
    let narrower = used(&body) != used(rule) | vars(&rule.head);
    if !narrower
        || (rest.holds.is_empty() && rest.fails.is_empty() && vars(&rule.head) & !shared == 0 && rest.fixed.is_empty())
    {
        return false;
    }
    rest.holds.push(made.relation(body, shared));
    *rule = rest;
    true
}

/// Numbers the variables of a rule in the order in which they appear, so that equal rules look equal.
fn rename(rule: &mut Rule) {
    let mut map: HashMap<u16, u16> = HashMap::new();
    fn visit(pat: &mut Pat, map: &mut HashMap<u16, u16>) {
        match pat {
            Pat::Ground(_) => {}
            Pat::Var(var) => {
                let next = map.len() as u16;
                *var = *map.entry(*var).or_insert(next);
            }
            Pat::Call(_, args) => args.iter_mut().for_each(|arg| visit(arg, map)),
        }
    }
    let Rule { head, holds, fails, fixed, distinct, vars } = rule;
    let sentences = [head].into_iter().chain(holds).chain(fails).chain(fixed.iter_mut().map(|(s, _)| s));
    sentences.flat_map(|s| s.args.iter_mut()).for_each(|arg| visit(arg, &mut map));
    for (a, b, _) in distinct {
        visit(a, &mut map);
        visit(b, &mut map);
    }
    *vars = map.len();
}

/// Relations with fewer arguments than this are small anyway.
const WIDE: usize = 4;

/// Narrows wide relations that rules only ever deny: they are worked out just for the arguments that can come up where
/// they are denied. (What a rule wants to know is "is this square attacked after that move?", not "which squares could
/// be attacked after any move at all?".) New relations are numbered from `next` on.
pub(super) fn narrow(rules: &mut Vec<Rule>, mut next: Rel, budget: &mut Budget) -> Result<Rel, Unfit> {
    let graph = Graph::new(rules, next);
    let mut guards = Vec::new();
    for (rel, deniers) in graph.denied.iter().enumerate().filter(|(_, deniers)| !deniers.is_empty()) {
        let Some(guard) = guard(rules, &graph, rel as Rel, deniers, next, budget)? else { continue };
        let demand = next;
        next += 1;
        for &rule in &graph.heads[rel] {
            let rule = &mut rules[rule as usize];
            rule.holds.push(Sentence { rel: demand, args: rule.head.args.clone(), shadow: true });
        }
        guards.extend(guard);
    }
    rules.append(&mut guards);
    Ok(next)
}

/// Which rules have to do with a relation, by number.
struct Graph {
    /// Those with it as head.
    heads: Vec<Vec<u32>>,
    /// Those that deny it.
    denied: Vec<Vec<u32>>,
    /// Those with it as a condition, denied or not.
    users: Vec<Vec<u32>>,
    /// Whether a rule has it as a condition that holds.
    held: Vec<bool>,
}

impl Graph {
    fn new(rules: &[Rule], count: Rel) -> Graph {
        let lists = || vec![Vec::new(); count as usize];
        let mut graph = Graph { heads: lists(), denied: lists(), users: lists(), held: vec![false; count as usize] };
        for (rule, number) in rules.iter().zip(0..) {
            graph.heads[rule.head.rel as usize].push(number);
            for sentence in &rule.holds {
                graph.held[sentence.rel as usize] = true;
                graph.users[sentence.rel as usize].push(number);
            }
            for sentence in &rule.fails {
                let (denied, users) =
                    (&mut graph.denied[sentence.rel as usize], &mut graph.users[sentence.rel as usize]);
                users.push(number);
                if denied.last() != Some(&number) {
                    denied.push(number);
                }
            }
        }
        graph
    }

    /// The relations that lead to `rel` in one or more steps.
    fn leading_to(&self, rules: &[Rule], rel: Rel, budget: &mut Budget) -> Result<HashSet<Rel>, Unfit> {
        let mut seen = HashSet::new();
        let mut todo = vec![rel];
        while let Some(rel) = todo.pop() {
            budget.spend(1 + self.users[rel as usize].len() as u64)?;
            for &rule in &self.users[rel as usize] {
                let head = rules[rule as usize].head.rel;
                if seen.insert(head) {
                    todo.push(head);
                }
            }
        }
        Ok(seen)
    }
}

/// The rules for "these arguments can come up where `rel` is denied"; `None` where that cannot be said or does not pay.
fn guard(
    rules: &[Rule],
    graph: &Graph,
    rel: Rel,
    deniers: &[u32],
    demand: Rel,
    budget: &mut Budget,
) -> Result<Option<Vec<Rule>>, Unfit> {
    let mut heads = graph.heads[rel as usize].iter().map(|&rule| &rules[rule as usize]).peekable();
    if heads.peek().is_none()
        || heads.any(|rule| rule.vars > 64 || rule.head.args.len() < WIDE)
        || graph.held[rel as usize]
    {
        return Ok(None);
    }
    let leading = graph.leading_to(rules, rel, budget)?;
    if leading.contains(&rel) {
        return Ok(None);
    }
    let mut out = Vec::new();
    for rule in deniers.iter().map(|&rule| &rules[rule as usize]) {
        // What brings the arguments about must not rest on the relation itself; of relations made up here that is not known.
        let made_up = |s: &Sentence| s.rel as usize >= graph.held.len();
        if rule.vars > 64 || rule.holds.iter().any(|s| made_up(s) || leading.contains(&s.rel)) {
            return Ok(None);
        }
        let fixed = rule.fixed.iter().filter(|(_, negated)| !negated).map(|(s, _)| s);
        let bound = rule.holds.iter().chain(fixed).fold(0, |mask, s| mask | vars(s));
        for sentence in rule.fails.iter().filter(|s| s.rel == rel) {
            if vars(sentence) & !bound != 0 {
                return Ok(None);
            }
            let holds = rule.holds.iter().map(|s| Sentence { shadow: true, ..s.clone() }).collect();
            let head = Sentence { rel: demand, ..sentence.clone() };
            out.push(Rule { head, holds, fails: Vec::new(), ..rule.clone() });
        }
    }
    Ok(Some(out))
}
