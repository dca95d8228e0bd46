//! What an oracle says to do: the moves of a state in the order of their worth, and the line of best play.

use super::{AskError, Oracle, Verdict};
use crate::solve::successors;
use game::{Game, Move, Names, Role};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// A move of the role that decides, and what it leads to.
pub struct Choice<G: Game> {
    /// The role that decides.
    pub role: Role,
    /// The joint move.
    pub joint: Vec<Move>,
    /// The state that follows.
    pub state: G::State,
    /// What is known of that state.
    pub verdict: Option<Verdict>,
    /// Whether no move is known to be better.
    pub best: bool,
}

fn compare(a: Option<Verdict>, b: Option<Verdict>, role: Role) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.compare(&b, role),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

/// The moves of a state with what is known behind each, the best first, equal ones in the order of the engine and unknown
/// ones last; none if the game is over or stuck, or if several roles decide.
pub fn choices<G: Names>(oracle: &dyn Oracle, game: &G, state: &G::State) -> Result<Vec<Choice<G>>, AskError> {
    let mut found = Vec::new();
    for (role, joint, state) in successors(game, state)? {
        let verdict = oracle.ask(&game.facts(&state))?;
        found.push(Choice { role, joint, state, verdict, best: false });
    }
    found.sort_by(|a: &Choice<G>, b| compare(b.verdict, a.verdict, a.role));
    if let Some(top) = found.first().map(|choice| choice.verdict) {
        found.iter_mut().for_each(|choice| choice.best = compare(choice.verdict, top, choice.role).is_eq());
    }
    Ok(found)
}

/// Whether the best of these moves, as [`choices`] lists them, needs no thought: all are known, or the best wins for sure and
/// nothing can be worth more.
pub fn settles<G: Game>(choices: &[Choice<G>]) -> bool {
    let Some(first) = choices.first() else { return false };
    let most = first.verdict.is_some_and(|verdict| verdict.bounds(first.role).0 == 100);
    most || choices.iter().all(|choice| choice.verdict.is_some())
}

/// Best play from a state.
pub struct Line<G: Game> {
    /// Its moves; of equal ones the first in the order of the engine that leads somewhere new.
    pub steps: Vec<Choice<G>>,
    /// Why it ends.
    pub end: LineEnd,
}

/// Why a line ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEnd {
    /// The game is over or stuck, or several roles decide at once.
    NoMove,
    /// What is known does not say which move is best.
    Unknown,
    /// Every best move leads back to where the line has been.
    Repeats,
    /// It is as long as was asked for.
    Long,
}

/// The line of best play from a state, at most `most` moves long.
pub fn line<G: Names>(oracle: &dyn Oracle, game: &G, state: &G::State, most: usize) -> Result<Line<G>, AskError> {
    let mut been = BTreeSet::from([game.facts(state)]);
    let mut state = state.clone();
    let mut steps: Vec<Choice<G>> = Vec::new();
    while steps.len() < most {
        let choices = choices(oracle, game, &state)?;
        if choices.is_empty() {
            return Ok(Line { steps, end: LineEnd::NoMove });
        }
        if !settles(&choices) {
            return Ok(Line { steps, end: LineEnd::Unknown });
        }
        let fresh = |choice: &Choice<G>| choice.best && been.insert(game.facts(&choice.state));
        let Some(choice) = choices.into_iter().find(fresh) else {
            return Ok(Line { steps, end: LineEnd::Repeats });
        };
        state = choice.state.clone();
        steps.push(choice);
    }
    Ok(Line { steps, end: LineEnd::Long })
}
