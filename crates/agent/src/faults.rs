//! What only play shows: random games until a role has no move, a game ends without a goal or with two, or an engine gives
//! up. The same seed gives the same games; time decides how many of them there are.

use game::random::Rng;
use game::{Cancel, Game, Limit, LimitKind, Move, Names, Role, roles};
use gdl::{Atom, Clause, Literal, Problem, Rules, Severity, Span, Symbol};
use machine::{Engine, EngineKind, Loader, NoNet};
use std::collections::BTreeMap;
use std::sync::mpsc;
use std::time::Duration;

/// Random games for one rulesheet.
const GAMES: usize = 300;
/// Joint moves of a game. Terms that grow at every step reach the engines' limit long before.
const STEPS: usize = 2000;
/// Games without an end that are enough to say so.
const ENDLESS: usize = 20;
const SEED: u64 = 1;

/// A problem that play has shown.
pub struct Found {
    /// What is wrong, with its place in the rules.
    pub problem: Problem,
    /// The joint moves that lead there from the start, in words.
    pub moves: Vec<Vec<String>>,
}

/// What went wrong, apart from how it came about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    Stuck(u8),
    NoGoal(u8),
    SeveralGoals(u8, Vec<String>),
    /// Terms that grow, or anything else that has no finite answer.
    Refused {
        grows: bool,
        why: String,
    },
    Endless,
}

/// Plays random games for at most so long; `seen` hears how many there are already.
pub fn run(rules: &Rules, limit: Duration, seen: &mut dyn FnMut(usize)) -> Vec<Found> {
    let cancel = Cancel::new();
    let (done, waits) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let token = cancel.clone();
        scope.spawn(move || {
            if waits.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
                token.cancel();
            }
        });
        let found = play(rules, &cancel, seen);
        drop(done);
        found
    })
}

fn play(rules: &Rules, cancel: &Cancel, seen: &mut dyn FnMut(usize)) -> Vec<Found> {
    // Rule code is ready soon, whatever the rules; there is no time here for a net to pay.
    let game = match Loader::new(rules).until(cancel).make(EngineKind::Rules) {
        Ok(game) => game,
        Err(_) if cancel.is_cancelled() => return vec![too_slow()],
        Err(NoNet::Load(error)) => return vec![refused(error.span, &error.message)],
        Err(NoNet::Unfit(unfit)) => return vec![refused(None, &unfit.to_string())],
    };
    let mut trial = Trial { game, rules, cancel, values: None, faults: BTreeMap::new(), endless: 0 };
    let mut rng = Rng::new(SEED);
    let mut games = 0;
    while games < GAMES && trial.endless < ENDLESS && !cancel.is_cancelled() {
        // After a limit there is nothing more to play: out of time, or told already.
        if trial.once(&mut rng).is_err() {
            break;
        }
        games += 1;
        seen(games);
    }
    if games == 0 && trial.faults.is_empty() {
        return vec![too_slow()];
    }
    let endless = trial.endless;
    let faults = std::mem::take(&mut trial.faults);
    faults.into_iter().map(|(fault, moves)| trial.found(&fault, moves, (endless, games))).collect()
}

struct Trial<'a> {
    game: Engine,
    rules: &'a Rules,
    cancel: &'a Cancel,
    /// The same rules with goals in the place of moves: made when the values of several goals are asked for.
    values: Option<Option<Engine>>,
    /// What was found, with the shortest game that leads there.
    faults: BTreeMap<Fault, Vec<Vec<String>>>,
    endless: usize,
}

impl Trial<'_> {
    /// Plays one game and notes what is wrong with it. `Err` if no more can be played.
    fn once(&mut self, rng: &mut Rng) -> Result<(), Limit> {
        let mut made: Vec<Vec<Move>> = Vec::new();
        match self.finish_game(rng, &mut made) {
            Err(limit) if limit.kind == LimitKind::Time => Err(limit),
            Err(limit) => {
                let grows = limit.kind == LimitKind::Depth;
                self.note(Fault::Refused { grows, why: limit.to_string() }, &made);
                Err(limit)
            }
            Ok(faults) => {
                faults.into_iter().for_each(|fault| self.note(fault, &made));
                Ok(())
            }
        }
    }

    fn finish_game(&mut self, rng: &mut Rng, made: &mut Vec<Vec<Move>>) -> Result<Vec<Fault>, Limit> {
        let mut view = self.game.view();
        let mut state = self.game.start();
        let mut next = self.game.start();
        loop {
            self.game.look(&state, &mut view)?;
            if self.game.over(&view) {
                let mut faults = Vec::new();
                for role in roles(&self.game) {
                    if self.game.goal(&mut view, role)?.is_none() {
                        faults.push(self.goal_fault(&state, role));
                    }
                }
                return Ok(faults);
            }
            if made.len() == STEPS {
                self.endless += 1;
                return Ok(vec![Fault::Endless]);
            }
            let mut joint = Vec::new();
            for role in roles(&self.game) {
                let mut legal = Vec::new();
                self.game.legal(&view, role, &mut legal);
                if legal.is_empty() {
                    return Ok(vec![Fault::Stuck(role.0)]);
                }
                joint.push(legal[rng.below(legal.len())]);
            }
            self.game.play(&mut view, &joint, &mut next)?;
            made.push(joint);
            std::mem::swap(&mut state, &mut next);
        }
    }

    /// Why the role has not exactly one goal in this state.
    fn goal_fault(&mut self, state: &machine::State, role: Role) -> Fault {
        let values = self.goal_values(state, role).unwrap_or_default();
        if values.is_empty() { Fault::NoGoal(role.0) } else { Fault::SeveralGoals(role.0, values) }
    }

    /// All goals of the role, by asking for them as if they were moves; `None` if that cannot be worked out.
    fn goal_values(&mut self, state: &machine::State, role: Role) -> Option<Vec<String>> {
        let facts = self.game.facts(state);
        let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
        let engine = self.values.get_or_insert_with(|| {
            let rules = goals_as_moves(self.rules);
            Loader::new(&rules).until(self.cancel).make(EngineKind::Prover).ok()
        });
        let engine = engine.as_ref()?;
        let mut view = engine.view();
        engine.look(&engine.state_of(&facts)?, &mut view).ok()?;
        let mut values = Vec::new();
        engine.legal(&view, role, &mut values);
        Some(values.into_iter().map(|value| engine.move_text(value)).collect())
    }

    fn note(&mut self, fault: Fault, made: &[Vec<Move>]) {
        let moves: Vec<Vec<String>> =
            made.iter().map(|joint| joint.iter().map(|&mv| self.game.move_text(mv)).collect()).collect();
        let known = self.faults.entry(fault).or_insert_with(|| moves.clone());
        if moves.len() < known.len() {
            *known = moves;
        }
    }

    fn found(&self, fault: &Fault, moves: Vec<Vec<String>>, (endless, games): (usize, usize)) -> Found {
        let role = |number: u8| self.game.role_name(Role(number)).to_string();
        let after = after(&moves);
        let (severity, code, name, message, hint) = match fault {
            Fault::Stuck(number) => (
                Severity::Error,
                "no-move",
                Symbol::LEGAL,
                format!("`{}` has no legal move {after}, though the game is not over", role(*number)),
                "give it a move there, such as `noop`, or let the game end".to_string(),
            ),
            Fault::NoGoal(number) => (
                Severity::Error,
                "no-goal",
                Symbol::GOAL,
                format!("the game ends {after}, but `{}` has no goal", role(*number)),
                "say what it gets there".to_string(),
            ),
            Fault::SeveralGoals(number, values) => (
                Severity::Error,
                "several-goals",
                Symbol::GOAL,
                format!("the game ends {after}, and `{}` has the goals {}", role(*number), values.join(" and ")),
                "let the conditions of its goals exclude each other".to_string(),
            ),
            Fault::Refused { grows: true, why } => (
                Severity::Error,
                "terms-grow",
                Symbol::NEXT,
                format!("terms grow without bound {after} ({why})"),
                "a function of itself makes a larger term at every step; count with a relation such as (succ 1 2)"
                    .into(),
            ),
            Fault::Refused { grows: false, why } => (
                Severity::Error,
                "unplayable",
                Symbol::NEXT,
                format!("the rules cannot be worked out {after}: {why}"),
                "see that every question has a finite answer".to_string(),
            ),
            Fault::Endless => (
                Severity::Note,
                "endless",
                Symbol::TERMINAL,
                format!("{endless} of {games} random games did not end within {STEPS} steps"),
                "if the game can go on forever, let it end after some number of steps".to_string(),
            ),
        };
        let moves = if *fault == Fault::Endless { Vec::new() } else { moves };
        let span = self.rules.clauses.iter().find(|clause| clause.head.name == name).map(|clause| clause.head.span);
        Found { problem: Problem { severity, code, span: span.unwrap_or_default(), message, hint }, moves }
    }
}

/// `at the start`, `after 1 move`, `after 12 moves`.
fn after(moves: &[Vec<String>]) -> String {
    match moves.len() {
        0 => "at the start".to_string(),
        1 => "after 1 move".to_string(),
        count => format!("after {count} moves"),
    }
}

fn refused(span: Option<Span>, message: &str) -> Found {
    let hint = "what is written is valid, but no engine can begin with it";
    let problem = Problem::error("unplayable", span.unwrap_or_default(), message, hint);
    Found { problem, moves: Vec::new() }
}

fn too_slow() -> Found {
    let message = "not one random game could be played in the time for it";
    let hint = "allow more with `--seconds`";
    let problem = Problem {
        severity: Severity::Note,
        code: "not-played",
        span: Span::default(),
        message: message.to_string(),
        hint: hint.to_string(),
    };
    Found { problem, moves: Vec::new() }
}

/// The rules with goals in the place of legal moves, and without an end, so that an engine lists all goals of any state.
fn goals_as_moves(rules: &Rules) -> Rules {
    struct Names {
        legal: Symbol,
        terminal: Symbol,
    }
    impl Names {
        fn sentence(&self, atom: &mut Atom) {
            match atom.name {
                Symbol::LEGAL => atom.name = self.legal,
                Symbol::TERMINAL => atom.name = self.terminal,
                Symbol::GOAL => atom.name = Symbol::LEGAL,
                _ => {}
            }
        }
        fn condition(&self, literal: &mut Literal) {
            match literal {
                Literal::Is(atom) => self.sentence(atom),
                Literal::Distinct(..) => {}
                Literal::Not(inner, _) => self.condition(inner),
                Literal::Or(parts, _) | Literal::And(parts, _) => {
                    parts.iter_mut().for_each(|part| self.condition(part))
                }
            }
        }
    }
    let mut rules = rules.clone();
    // No name that was read has a space in it.
    let names = Names { legal: rules.symbols.intern("legal moves"), terminal: rules.symbols.intern("terminal state") };
    for clause in &mut rules.clauses {
        names.sentence(&mut clause.head);
        clause.body.iter_mut().for_each(|literal| names.condition(literal));
    }
    let span = Span::default();
    let head = Atom { name: Symbol::TERMINAL, args: Vec::new(), span, parens: false };
    let never = Literal::Or(Vec::new(), span);
    rules.clauses.push(Clause { head, body: vec![never], vars: Vec::new(), is_rule: true, span });
    rules
}
