//! A game solved outright from its rules: without the counter that only ends it, where that is possible, and with the line of
//! best play in words.
//!
//! What solves is generic and compiled here for the engine, with all the care that the release profile has for this crate.

use crate::engines::{EngineChoice, load};
use anyhow::Result;
use game::{Cancel, Game, Move, Names, Role, role_names};
use gdl::Rules;
use library::Sheet;
use machine::{Engine, State};
use std::collections::BTreeSet;
use std::path::Path;
use study::PlyLimit;
use table::file::{FileError, Form};
use table::solve::{
    Beyond, Counter, Entry, FactKeys, Limited, Line, LineEnd, Name, Options, Reach, SolveError, Solved, Statistics,
    StoredGame, Watch, solve, solve_limited,
};

/// What is to be solved, and how.
pub struct Solving<'a> {
    /// Where the rules come from.
    pub sheet: &'a Sheet,
    /// The rules.
    pub rules: &'a Rules,
    /// Their engine.
    pub engine: &'a Engine,
    /// The engine for the rules without their counter.
    pub choice: EngineChoice,
    /// The most memory to use, in bytes.
    pub memory: u64,
    /// Whether the result is to be stored; it takes more memory.
    pub is_stored: bool,
    /// Ends it early.
    pub cancel: &'a Cancel,
}

/// What is told on the way.
pub enum Step<'a> {
    /// The game is tried without this counter.
    WithoutCounter(&'a Counter),
    /// It is solved with its counter after all, for this reason.
    WithCounter(&'a str),
    /// How far the solver is.
    At(&'a Reach),
}

/// A solved game.
pub struct Solution {
    values: Values,
    /// The names of the roles.
    pub roles: Vec<String>,
    /// The name of the engine that did it.
    pub engine: &'static str,
    /// Bytes that the solver needed.
    pub memory: u64,
    /// The counter that was left out of the states.
    pub counter: Option<Counter>,
    /// The line of best play.
    pub line: Vec<LineMove>,
    /// How it ends.
    pub end: LineEnd,
}

enum Values {
    Whole(Solved),
    WithoutCounter(Limited),
}

/// A move of the line of best play.
pub struct LineMove {
    /// Who makes it.
    pub role: String,
    /// The move.
    pub text: String,
    /// The moves of all roles.
    pub joint: Vec<String>,
    /// What is known of the state after it.
    pub entry: Option<Entry>,
}

impl Solution {
    /// The game in numbers.
    pub fn statistics(&self) -> &Statistics {
        match &self.values {
            Values::Whole(solved) => solved.statistics(),
            Values::WithoutCounter(limited) => limited.statistics(),
        }
    }

    /// What is known of the start.
    pub fn start(&self) -> Entry {
        match &self.values {
            Values::Whole(solved) => solved.start(),
            Values::WithoutCounter(limited) => limited.start(),
        }
    }

    /// Stores the table, if it was solved for that.
    pub fn store(&self, path: &Path, game: &StoredGame<'_>, form: Form) -> Result<(), FileError> {
        match &self.values {
            Values::Whole(solved) => solved.store_game(path, game, form),
            Values::WithoutCounter(limited) => limited.store_game(path, game, form),
        }
    }
}

/// What a solver is given beside the game.
struct Given<'a> {
    options: &'a Options,
    name: Option<&'a Name<'a, Engine>>,
    watch: Watch<'a>,
}

impl Solving<'_> {
    /// Solves it. Why there is no solution is a [`SolveError`], unless the engine could not be made or came to a limit.
    pub fn run(&self, tell: &mut dyn FnMut(Step<'_>)) -> Result<Solution> {
        // Games of more roles are refused, with or without a counter.
        let limit = if self.engine.roles() <= 2 { study::ply_limit(self.rules) } else { None };
        let without = limit.map(|limit| self.run_without_counter(&limit, tell)).transpose()?.flatten();
        without.map_or_else(|| self.run_whole(tell), Ok)
    }

    /// The game without the counter that ends it; `None` if it has to be solved with the counter, and then it is told why.
    fn run_without_counter(&self, limit: &PlyLimit, tell: &mut dyn FnMut(Step<'_>)) -> Result<Option<Solution>> {
        let counter = Counter { facts: limit.facts.clone() };
        tell(Step::WithoutCounter(&counter));
        let game = match load(self.choice, self.sheet, &limit.rules, self.cancel) {
            Ok(loaded) => loaded.engine,
            Err(error) if self.cancel.is_cancelled() => return Err(error),
            Err(error) => {
                tell(Step::WithCounter(&format!("{error:#}")));
                return Ok(None);
            }
        };
        let mut beyond = Beyond::new(counter.plies());
        let mut go_on = |reach: &Reach| !beyond.is_too_much(reach);
        let (solved, memory) = self.solve(&game, tell, &mut go_on, |Given { options, name, watch }| {
            solve_limited(&game, &counter, options, name, watch)
        });
        let solved = match solved {
            Ok(solved) => solved,
            Err(error) => {
                return match beyond.reason(&error) {
                    Some(why) if !self.cancel.is_cancelled() => {
                        tell(Step::WithCounter(&why));
                        Ok(None)
                    }
                    Some(_) | None => Err(error.into()),
                };
            }
        };
        let line = solved.line(&game, &(game.start(), 0))?;
        let probe = |state: &State, plies: usize| solved.probe(state, counter.plies().saturating_sub(plies as u32));
        Ok(Some(Solution {
            roles: role_names(&game),
            engine: game.kind().name(),
            memory,
            end: line.end,
            line: line_moves(&game, line, &probe)?,
            values: Values::WithoutCounter(solved),
            counter: Some(counter),
        }))
    }

    /// The game as it is.
    fn run_whole(&self, tell: &mut dyn FnMut(Step<'_>)) -> Result<Solution> {
        let game = self.engine;
        let (solved, memory) =
            self.solve(game, tell, &mut |_| true, |Given { options, name, watch }| solve(game, options, name, watch));
        let solved = solved?;
        let line = solved.line(game, &game.start())?;
        Ok(Solution {
            roles: role_names(game),
            engine: game.kind().name(),
            memory,
            end: line.end,
            line: line_moves(game, line, &|state: &State, _| solved.probe(state))?,
            values: Values::Whole(solved),
            counter: None,
        })
    }

    /// Runs a solver and tells how far it is; also how much memory it needed. It ends early when `go_on` says no.
    fn solve<T>(
        &self,
        game: &Engine,
        tell: &mut dyn FnMut(Step<'_>),
        go_on: &mut dyn FnMut(&Reach) -> bool,
        solver: impl FnOnce(Given<'_>) -> Result<T, SolveError>,
    ) -> (Result<T, SolveError>, u64) {
        let options = Options { memory: self.memory, ..Options::default() };
        let keys = FactKeys::new();
        let name = |state: &State| keys.key(game, state);
        let name = self.is_stored.then_some(&name as &Name<'_, Engine>);
        let mut needed = 0;
        let mut watch = |reach: &Reach| {
            needed = needed.max(reach.needed);
            tell(Step::At(reach));
            !self.cancel.is_cancelled() && go_on(reach)
        };
        let solved = solver(Given { options: &options, name, watch: &mut watch });
        (solved, needed)
    }
}

/// The line of best play in words. `probe` tells what is known of a state after so many plies from the start.
fn line_moves(game: &Engine, line: Line, probe: &dyn Fn(&State, usize) -> Option<Entry>) -> Result<Vec<LineMove>> {
    let mut view = game.view();
    let mut state = game.start();
    let mut legal = Vec::new();
    let mut waiting: Vec<BTreeSet<Move>> = vec![BTreeSet::new(); game.roles()];
    let mut moves = Vec::new();
    for mut step in line.steps {
        game.look(&state, &mut view)?;
        let mut next = state.clone();
        legal.clear();
        game.legal(&view, step.role, &mut legal);
        let others = game::roles(game).filter(|role| *role != step.role);
        if legal.len() > 1 {
            for role in others {
                waiting[role.0 as usize].insert(step.joint[role.0 as usize]);
            }
        } else {
            // Nobody has a choice: the move is that of a role which does something else than when it waits.
            let acts = |role: &Role| !waiting[role.0 as usize].contains(&step.joint[role.0 as usize]);
            step.role = [step.role].into_iter().chain(others).find(acts).unwrap_or(step.role);
        }
        game.play(&mut view, &step.joint, &mut next)?;
        moves.push(LineMove {
            role: game.role_name(step.role).to_string(),
            text: game.move_text(step.joint[step.role.0 as usize]),
            joint: step.joint.iter().map(|mv| game.move_text(*mv)).collect(),
            entry: probe(&next, moves.len() + 1),
        });
        state = next;
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five steps to the goal, and seven moves for them.
    const WALK: &str = "(role me) (init (at 0)) (init (step 0))
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
        (legal me stay) (<= (legal me right) (true (at ?x)) (succ ?x ?y))
        (<= (next (at ?y)) (does me right) (true (at ?x)) (succ ?x ?y))
        (<= (next (at ?x)) (does me stay) (true (at ?x))) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (<= terminal (true (at 5))) (<= terminal (true (step 7)))
        (<= (goal me 100) (true (at 5))) (<= (goal me 25) (not (true (at 5))))";

    /// Solves a game of the library, or other rules; what was told on the way beside how far it is.
    fn solved(name: &str, rules: Option<&str>, memory: u64, cancel: &Cancel) -> (Result<Solution>, Vec<String>) {
        let (sheet, own) = library::load(name).unwrap();
        let rules = rules.map_or(own, |text| gdl::parse(text).rules);
        let engine = load(EngineChoice::Auto, &sheet, &rules, &Cancel::new()).unwrap().engine;
        let (choice, is_stored) = (EngineChoice::Auto, false);
        let solving = Solving { sheet: &sheet, rules: &rules, engine: &engine, choice, memory, is_stored, cancel };
        let mut told = Vec::new();
        let solution = solving.run(&mut |step| match step {
            Step::WithoutCounter(counter) => told.push(format!("without {}", counter.facts.last().unwrap())),
            Step::WithCounter(why) => told.push(format!("with: {why}")),
            Step::At(_) => {}
        });
        (solution, told)
    }

    #[test]
    fn the_line_is_told_by_those_who_act() {
        let (solution, told) = solved("nim", None, 1 << 30, &Cancel::new());
        let solution = solution.unwrap();
        assert!(told.is_empty() && solution.counter.is_none());
        assert!(matches!(solution.end, LineEnd::Over(_)) && solution.start().value.is_some());
        for (at, step) in solution.line.iter().enumerate() {
            assert!(
                step.text.starts_with("(take") && step.role == solution.roles[at % 2],
                "{} {}",
                step.role,
                step.text
            );
            assert_eq!(step.joint.len(), 2);
        }
        assert_eq!(usize::from(solution.start().distance.unwrap()), solution.line.len());
    }

    #[test]
    fn a_counter_that_only_ends_the_game_is_left_out() {
        let (solution, told) = solved("nim", Some(WALK), 1 << 30, &Cancel::new());
        let solution = solution.unwrap();
        assert_eq!(told, ["without (step 7)"]);
        assert!(solution.counter.is_some() && solution.statistics().states == 6);
        assert_eq!((solution.start().value, solution.line.len()), (Some(100), 5));
    }

    #[test]
    fn a_counter_that_does_more_stays() {
        let (solution, told) = solved("minichess", None, 1 << 30, &Cancel::new());
        assert!(solution.unwrap().counter.is_none());
        assert_eq!(told.len(), 2);
        assert!(told[0].starts_with("without (step") && told[1].starts_with("with: "), "{told:?}");
    }

    #[test]
    fn why_there_is_no_solution_is_told() {
        let error = solved("connect-four", None, 1 << 20, &Cancel::new()).0.err().unwrap();
        assert!(matches!(error.downcast_ref(), Some(SolveError::Memory { .. })), "{error:#}");
        let cancel = Cancel::new();
        cancel.cancel();
        let error = solved("nim", None, 1 << 30, &cancel).0.err().unwrap();
        assert!(matches!(error.downcast_ref(), Some(SolveError::Stopped(_))), "{error:#}");
    }
}
