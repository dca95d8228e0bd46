//! Rules in the form that grounding wants: no `or`, conditions sorted by kind.

use super::Unfit;
use crate::bank::Bank;
use crate::budget::Budget;
use crate::program::{Pat, Program, Reach, Rel};
use gdl::{Atom, Clause, Literal, Rules, Symbol, Term};

/// A sentence in a body.
#[derive(Clone, Debug)]
pub(super) struct Sentence {
    pub rel: Rel,
    pub args: Box<[Pat]>,
    /// Only whether it could ever hold counts, not whether it does.
    pub shadow: bool,
}

/// A rule without `or`.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub head: Sentence,
    pub vars: usize,
    /// Must hold, and can change.
    pub holds: Vec<Sentence>,
    /// Must not hold, and can change.
    pub fails: Vec<Sentence>,
    /// Must hold (or, with `true`, must not) and never changes.
    pub fixed: Vec<(Sentence, bool)>,
    /// Must differ (or, with `true`, must not).
    pub distinct: Vec<(Pat, Pat, bool)>,
}

/// The most alternatives that the `or`s of one rule may stand for.
const MAX_ALTERNATIVES: usize = 512;
/// The most conditions of a rule; joins go one level deeper for each.
const MAX_CONDITIONS: usize = 400;

/// About what the arguments of a condition take.
const ARGS_BYTES: usize = 48;

/// A condition with the sign in front: `true` for "not".
type Signed<'a> = (&'a Literal, bool);

pub(super) struct Reader<'a> {
    pub program: &'a Program,
    pub bank: &'a mut Bank,
    /// The numbers of `true` and `does`, which the program has no relations for.
    pub rel_true: Rel,
    pub rel_does: Rel,
    pub budget: &'a mut Budget,
    /// About what the rules read so far take.
    pub bytes: usize,
}

impl Reader<'_> {
    /// All rules whose head can change, without `or`.
    pub fn read(&mut self, rules: &Rules) -> Result<Vec<Rule>, Unfit> {
        let mut out = Vec::new();
        for clause in &rules.clauses {
            let Some(head) = self.program.relation(clause.head.name, clause.head.args.len()) else { continue };
            if self.program.relations[head as usize].reach == Reach::Fixed && !is_output(clause.head.name) {
                continue;
            }
            for alternative in alternatives(&clause.body)? {
                self.budget.spend(1 + alternative.len() as u64)?;
                out.push(self.rule(clause, head, &alternative)?);
                // Rules are copied when they are taken apart.
                self.bytes += 2 * (size_of::<Rule>() + alternative.len() * (size_of::<Sentence>() + ARGS_BYTES));
                self.budget.hold_now(self.bytes)?;
            }
        }
        Ok(out)
    }

    fn rule(&mut self, clause: &Clause, head: Rel, body: &[Signed<'_>]) -> Result<Rule, Unfit> {
        if body.len() > MAX_CONDITIONS {
            return Err(Unfit::new(format!("a rule has more than {MAX_CONDITIONS} conditions")));
        }
        let head = Sentence { rel: head, args: self.pats(&clause.head.args), shadow: false };
        let mut rule = Rule {
            head,
            vars: clause.vars.len(),
            holds: Vec::new(),
            fails: Vec::new(),
            fixed: Vec::new(),
            distinct: Vec::new(),
        };
        for &(literal, negated) in body {
            match literal {
                Literal::Is(atom) => {
                    let (sentence, reach) = self.sentence(atom);
                    match (reach, negated) {
                        (Reach::Fixed, _) => rule.fixed.push((sentence, negated)),
                        (_, false) => rule.holds.push(sentence),
                        (_, true) => rule.fails.push(sentence),
                    }
                }
                Literal::Distinct(a, b, _) => {
                    let (a, b) = (self.pat(a), self.pat(b));
                    rule.distinct.push((a, b, negated));
                }
                Literal::Not(..) | Literal::And(..) | Literal::Or(..) => {
                    return Err(Unfit::new("a condition is composed in a way that cannot be taken apart"));
                }
            }
        }
        Ok(rule)
    }

    fn sentence(&mut self, atom: &Atom) -> (Sentence, Reach) {
        let args = self.pats(&atom.args);
        match (atom.name, args.len()) {
            (Symbol::TRUE, 1) => (Sentence { rel: self.rel_true, args, shadow: false }, Reach::State),
            (Symbol::DOES, 2) => (Sentence { rel: self.rel_does, args, shadow: false }, Reach::Moves),
            // Every relation of a body has a number.
            (name, arity) => {
                let rel = self.program.relation(name, arity).unwrap_or(Rel::MAX);
                let reach = self.program.relations.get(rel as usize).map_or(Reach::Fixed, |r| r.reach);
                (Sentence { rel, args, shadow: false }, reach)
            }
        }
    }

    fn pats(&mut self, terms: &[Term]) -> Box<[Pat]> {
        terms.iter().map(|term| self.pat(term)).collect()
    }

    fn pat(&mut self, term: &Term) -> Pat {
        Pat::of(term, self.bank)
    }
}

/// Relations that become outputs of the net even where nothing in them changes.
pub(super) fn is_output(name: Symbol) -> bool {
    matches!(name, Symbol::LEGAL | Symbol::NEXT | Symbol::GOAL | Symbol::TERMINAL)
}

/// The bodies that a body with `or` stands for.
fn alternatives(body: &[Literal]) -> Result<Vec<Vec<Signed<'_>>>, Unfit> {
    let mut done: Vec<Vec<Signed<'_>>> = vec![Vec::new()];
    for literal in body {
        let parts = expand(literal, false)?;
        if done.len() * parts.len() > MAX_ALTERNATIVES {
            return Err(Unfit::new(format!("the `or`s of a rule stand for more than {MAX_ALTERNATIVES} alternatives")));
        }
        done = done.iter().flat_map(|front| parts.iter().map(move |part| [&front[..], part].concat())).collect();
    }
    Ok(done)
}

/// One condition as alternatives of simple ones.
fn expand(literal: &Literal, negated: bool) -> Result<Vec<Vec<Signed<'_>>>, Unfit> {
    match literal {
        Literal::Is(_) | Literal::Distinct(..) => Ok(vec![vec![(literal, negated)]]),
        Literal::Not(inner, _) => expand(inner, !negated),
        // Under a negation, "all of" is "one of the negations" and the other way round.
        Literal::Or(parts, _) | Literal::And(parts, _) if matches!(literal, Literal::Or(..)) != negated => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(expand(part, negated)?);
                if all.len() > MAX_ALTERNATIVES {
                    return Err(Unfit::new("an `or` has too many alternatives"));
                }
            }
            Ok(all)
        }
        Literal::Or(parts, _) | Literal::And(parts, _) => {
            let mut done: Vec<Vec<Signed<'_>>> = vec![Vec::new()];
            for part in parts {
                let parts = expand(part, negated)?;
                if done.len() * parts.len() > MAX_ALTERNATIVES {
                    return Err(Unfit::new("an `or` has too many alternatives"));
                }
                done =
                    done.iter().flat_map(|front| parts.iter().map(move |part| [&front[..], part].concat())).collect();
            }
            Ok(done)
        }
    }
}

/// Whether a composed `not` has variables of its own: then taking it apart would change its meaning.
pub(super) fn has_local_negation(clause: &Clause) -> bool {
    fn composed<'a>(literal: &'a Literal, out: &mut Vec<&'a Literal>) {
        match literal {
            Literal::Not(inner, _) if !matches!(**inner, Literal::Is(_) | Literal::Distinct(..)) => out.push(literal),
            Literal::Or(parts, _) | Literal::And(parts, _) => parts.iter().for_each(|part| composed(part, out)),
            Literal::Is(_) | Literal::Not(..) | Literal::Distinct(..) => {}
        }
    }
    let mut found = Vec::new();
    clause.body.iter().for_each(|literal| composed(literal, &mut found));
    if found.is_empty() {
        return false;
    }
    // A variable is local if every one of its occurrences is inside the same composed `not`.
    let count = |literal: &Literal| {
        let mut counts = vec![0u32; clause.vars.len()];
        literal.for_each_var(&mut |var, _| counts[var.0 as usize] += 1);
        counts
    };
    let mut total = vec![0u32; clause.vars.len()];
    clause.head.for_each_var(&mut |var, _| total[var.0 as usize] += 1);
    for literal in &clause.body {
        count(literal).iter().zip(&mut total).for_each(|(c, t)| *t += c);
    }
    found.iter().any(|literal| count(literal).iter().zip(&total).any(|(&c, &t)| c > 0 && c == t))
}
