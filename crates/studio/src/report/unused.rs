//! Which rules are never used: those whose conditions never hold all at once in the games that were played.
//!
//! The rules are asked as a game in which nothing happens: a state is given by what holds and by the moves that are made in it, and for every rule
//! there is a move that is legal where the conditions of the rule hold.

use game::{Cancel, Game as _, Names, Role};
use gdl::{Atom, Clause, Literal, Rules, Span, Symbol, Term, TermKind};
use machine::{Limits, Prover};
use std::collections::BTreeSet;

/// What a game came through: the facts of every state, and the moves that were made there.
pub(super) type Steps = Vec<(Vec<String>, Vec<String>)>;

/// The most states that are looked at, all games together.
const MOST_STATES: usize = 600;
/// The longest text of a rule.
const LONGEST: usize = 90;

/// Rules that are watched.
struct Watch {
    prover: Prover,
    did: String,
}

/// A name that the rules do not have.
fn fresh(rules: &mut Rules, wish: &str) -> Symbol {
    let mut name = wish.to_string();
    while rules.symbols.find(&name).is_some() {
        name.push('-');
    }
    rules.symbols.intern(&name)
}

fn term(kind: TermKind) -> Term {
    Term { kind, span: Span::new(0, 0) }
}

fn atom(name: Symbol, args: Vec<Term>) -> Atom {
    Atom { name, parens: !args.is_empty(), args, span: Span::new(0, 0) }
}

/// What keywords become: those that say what happens are relations like any other.
struct Renamed {
    names: Vec<(Symbol, Symbol)>,
    did: Symbol,
}

impl Renamed {
    fn head(&self, old: &Atom) -> Atom {
        let name = self.names.iter().find(|(keyword, _)| *keyword == old.name).map_or(old.name, |(_, own)| *own);
        Atom { name, ..old.clone() }
    }

    /// Conditions may be inside of each other, but no deeper than the reader of rules allows.
    fn condition(&self, literal: &Literal) -> Literal {
        let all = |parts: &[Literal]| parts.iter().map(|part| self.condition(part)).collect();
        match literal {
            Literal::Is(does) if does.name == Symbol::DOES => {
                Literal::Is(atom(Symbol::TRUE, vec![term(TermKind::Call(self.did, does.args.clone()))]))
            }
            Literal::Is(other) => Literal::Is(self.head(other)),
            Literal::Not(inner, span) => Literal::Not(Box::new(self.condition(inner)), *span),
            Literal::Or(parts, span) => Literal::Or(all(parts), *span),
            Literal::And(parts, span) => Literal::And(all(parts), *span),
            Literal::Distinct(..) => literal.clone(),
        }
    }
}

impl Watch {
    /// Watches these rules, by number.
    fn new(rules: &Rules, watched: &BTreeSet<usize>) -> Option<Watch> {
        let mut own = Rules { symbols: rules.symbols.clone(), clauses: Vec::new() };
        let keywords = [Symbol::LEGAL, Symbol::NEXT, Symbol::GOAL, Symbol::TERMINAL];
        let names = keywords.map(|keyword| (keyword, fresh(&mut own, "was"))).to_vec();
        let renamed = Renamed { names, did: fresh(&mut own, "did") };
        let rule = fresh(&mut own, "rule");
        let role = rules.clauses.iter().find(|clause| clause.head.name == Symbol::ROLE)?.head.args.first()?.clone();
        for (number, clause) in rules.clauses.iter().enumerate() {
            if matches!(clause.head.name, Symbol::BASE | Symbol::INPUT) {
                continue;
            }
            let body: Vec<Literal> = clause.body.iter().map(|literal| renamed.condition(literal)).collect();
            if watched.contains(&number) {
                let number = own.symbols.intern(&number.to_string());
                let named = term(TermKind::Call(rule, vec![term(TermKind::Name(number))]));
                let head = atom(Symbol::LEGAL, vec![role.clone(), named]);
                own.clauses.push(Clause { head, body: body.clone(), ..clause.clone() });
            }
            own.clauses.push(Clause { head: renamed.head(&clause.head), body, ..clause.clone() });
        }
        // There has to be an end, but it never comes.
        let never = Literal::Is(atom(Symbol::TRUE, vec![term(TermKind::Name(renamed.did))]));
        let head = atom(Symbol::TERMINAL, Vec::new());
        own.clauses.push(Clause { head, body: vec![never], vars: Vec::new(), is_rule: true, span: Span::new(0, 0) });
        let prover = Prover::with_limits(&own, Limits::default()).ok()?;
        Some(Watch { prover, did: own.symbols.name(renamed.did).to_string() })
    }

    /// The rules that are used in a state, given by its facts and the moves that are made there.
    fn used(&self, roles: &[String], facts: &[String], moves: &[String]) -> Option<Vec<usize>> {
        let did: Vec<String> =
            roles.iter().zip(moves).map(|(role, mv)| format!("({} {role} {mv})", self.did)).collect();
        let all: Vec<&str> = facts.iter().chain(&did).map(String::as_str).collect();
        let state = self.prover.state_of(&all)?;
        let mut view = self.prover.view();
        self.prover.look(&state, &mut view).ok()?;
        let mut legal = Vec::new();
        self.prover.legal(&view, Role(0), &mut legal);
        let number = |text: String| text.split(' ').nth(1)?.trim_end_matches(')').parse().ok();
        legal.into_iter().map(|mv| number(self.prover.move_text(mv))).collect()
    }
}

/// The rules that were never used in these games, as lines of the text with their heads, and in how many states that was seen; `None` where that cannot be
/// told.
pub(super) fn unused(
    rules: &Rules,
    text: &str,
    roles: &[String],
    games: &[&Steps],
    cancel: &Cancel,
) -> Option<(Vec<String>, usize)> {
    let is_told = |clause: &Clause| !matches!(clause.head.name, Symbol::BASE | Symbol::INPUT | Symbol::INIT);
    let mut left: BTreeSet<usize> = (0..rules.clauses.len())
        .filter(|&at| !rules.clauses[at].body.is_empty() && is_told(&rules.clauses[at]))
        .collect();
    let all: usize = games.iter().map(|game| game.len()).sum();
    // Ends are always looked at, of the other states as many as there is time for, evenly.
    let every = all.div_ceil(MOST_STATES).max(1);
    let mut seen = 0;
    for steps in games {
        if left.is_empty() || cancel.is_cancelled() {
            break;
        }
        let watch = Watch::new(rules, &left)?;
        for (at, (facts, moves)) in steps.iter().enumerate() {
            if at % every != 0 && at + 2 < steps.len() {
                continue;
            }
            for used in watch.used(roles, facts, moves)? {
                left.remove(&used);
            }
            seen += 1;
        }
    }
    let told = left.iter().map(|&at| {
        let clause = &rules.clauses[at];
        let line = text.get(..clause.span.start as usize).map_or(0, |before| before.matches('\n').count() + 1);
        let only = Rules { symbols: rules.symbols.clone(), clauses: vec![clause.clone()] };
        let words: Vec<String> = gdl::print(&only, gdl::Form::Kif).split_whitespace().map(str::to_string).collect();
        let mut words = words.join(" ");
        if words.chars().count() > LONGEST {
            words = words.chars().take(LONGEST - 2).collect::<String>() + " …";
        }
        format!("line {line}: {words}")
    });
    Some((told.collect(), seen))
}
