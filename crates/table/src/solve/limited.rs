//! Games that a counter ends: solved without the counter, and answered exactly within its limit.
//!
//! A counter of plies in a state multiplies the states by its limit and tells little: king and rook against king is a game of
//! 400,000 positions, and of 23 million states with a counter to 100. Where the counter does nothing but end the game, the *free* game
//! without it has all that is needed.
//!
//! Let the free game be solved, and let `n` plies be left of the limit. A play of the limited game is a play of the free game cut
//! after `n` plies; if it is cut, the outcome is that of the limit.
//!
//! **Two roles**, where the limit is even and every decided end of the free game gives the first role either `a > 0` or
//! `-b < 0`. The first role gets `a` in the limited game if and only if it can force an end worth `a` within `n` plies: whatever
//! else can happen is worth 0 or `-b`. That is so if and only if the free value is `a` and its distance is at most `n`, since the distance
//! of the free game is the least number of plies in which such an end can be forced (who is ahead hurries, who is
//! behind delays). A strategy that does it in the free game does it here, because it is never cut; and one here is one there.
//! In the same way for the second role. Otherwise neither can force more than even, so it is even. And the
//! distance of a decided state is the same, for the same reason.
//! With more than one positive outcome this would be wrong: a role may have to choose between less in time and more too late.
//!
//! **One role**, where every end of the free game has the goal `g` and the limit gives `h <= g`. The best is `g`, if it can be
//! reached within `n` moves, and then the fewest moves are those of the free game; otherwise every play is cut, and gets `h` after
//! `n` moves.
//!
//! Both conditions are checked while the free game is walked through: the goals of every state that is not an end are those
//! that the limit would give there. If they do not hold, the error says so, and the game has to be solved with its counter.

use super::seen::Blocks;
use super::{Choice, Entry, Line, Name, Options, SolveError, Solved, Statistics, Watch, play};
use game::{Game, Goal, Limit, Move, Role, Turn};
use serde::{Deserialize, Serialize};

/// A counter that limits a game and does nothing else. It is for whoever knows the rules to see to it that
///
/// - every move takes the counter to its next fact;
/// - no legal move, no other fact of the next state and no goal depends on it;
/// - the game is over at its last fact, whatever else holds, and at no other fact because of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Counter {
    /// The facts of the counter, in order: from that of the start to the one that ends the game.
    pub facts: Vec<String>,
}

impl Counter {
    /// How many plies a game can have.
    pub fn plies(&self) -> u32 {
        self.facts.len().saturating_sub(1) as u32
    }

    /// How many plies are left in a state with these facts; `None` if they say nothing of the counter.
    pub fn left<T: AsRef<str>>(&self, facts: &[T]) -> Option<u32> {
        let at = self.facts.iter().position(|own| facts.iter().any(|fact| fact.as_ref() == own))?;
        Some(self.plies() - at as u32)
    }
}

/// What happens at the limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AtLimit {
    /// Two roles: neither is ahead.
    Even,
    /// One role: its goal.
    Goal(i8),
}

impl AtLimit {
    /// The entry of a state of the free game when so many plies are left.
    pub(super) fn within(self, free: Entry, left: u32) -> Entry {
        match (free.distance, self) {
            (Some(moves), _) if u32::from(moves) <= left => free,
            (_, AtLimit::Even) => Entry { value: Some(0), distance: None },
            // Limits beyond what a distance can hold are not made (`limited`).
            (_, AtLimit::Goal(goal)) => Entry { value: Some(goal), distance: u16::try_from(left).ok() },
        }
    }

    /// As it stands in a header: the goal of one role.
    pub(super) fn goal(self) -> Option<i8> {
        match self {
            AtLimit::Even => None,
            AtLimit::Goal(goal) => Some(goal),
        }
    }
}

/// A game that ends after some plies, made of one that does not: a state is one of the free game and the plies so far.
pub struct Counted<'a, G> {
    /// The game without a counter.
    pub free: &'a G,
    /// After so many plies it is over.
    pub plies: u32,
}

impl<G: Game> Game for Counted<'_, G> {
    type State = (G::State, u32);
    type View = (G::View, u32);

    fn roles(&self) -> usize {
        self.free.roles()
    }

    fn start(&self) -> Self::State {
        (self.free.start(), 0)
    }

    fn view(&self) -> Self::View {
        (self.free.view(), 0)
    }

    fn look(&self, state: &Self::State, view: &mut Self::View) -> Result<(), Limit> {
        view.1 = state.1;
        self.free.look(&state.0, &mut view.0)
    }

    fn turn(&self, view: &Self::View) -> Turn {
        if view.1 >= self.plies { Turn::Over } else { self.free.turn(&view.0) }
    }

    fn legal(&self, view: &Self::View, role: Role, out: &mut Vec<Move>) {
        self.free.legal(&view.0, role, out);
    }

    fn goal(&self, view: &mut Self::View, role: Role) -> Result<Option<Goal>, Limit> {
        self.free.goal(&mut view.0, role)
    }

    fn play(&self, view: &mut Self::View, joint: &[Move], next: &mut Self::State) -> Result<(), Limit> {
        next.1 = view.1 + 1;
        self.free.play(&mut view.0, joint, &mut next.0)
    }
}

/// A game solved without the counter that ends it.
pub struct Limited {
    pub(super) free: Solved,
    pub(super) counter: Counter,
    pub(super) at_limit: AtLimit,
}

/// Solves a game that a counter ends, given as the free game without it. See the module for when this can be done;
/// [`SolveError::Counter`] says that it cannot, and then the game with its counter is to be solved.
pub fn solve_limited<G: Game>(
    free: &G,
    counter: &Counter,
    options: &Options,
    name: Option<&Name<'_, G>>,
    watch: Watch<'_>,
) -> Result<Limited, SolveError> {
    if counter.facts.is_empty() || counter.plies() >= u32::from(u16::MAX) {
        return Err(SolveError::Counter("it does not end the game soon enough".into()));
    }
    let (solved, idle) = super::solve_with(free, options, name, watch, true)?;
    let at_limit = at_limit(free.roles(), idle, &solved.statistics)?;
    Ok(Limited { free: solved, counter: counter.clone(), at_limit })
}

/// What the limit gives, if the conditions hold. `idle` is the smallest and the greatest value of states that are not ends.
pub(super) fn at_limit(roles: usize, idle: Option<(i8, i8)>, statistics: &Statistics) -> Result<AtLimit, SolveError> {
    let ends: Vec<i8> = statistics.ends.keys().copied().collect();
    let no = |why: &str| Err(SolveError::Counter(why.to_string()));
    match (roles, idle) {
        (1, None) => Ok(AtLimit::Goal(0)),
        (1, Some((least, most))) => match ends[..] {
            _ if least != most => no("what it gives at its limit is not always the same"),
            [] => Ok(AtLimit::Goal(least)),
            [goal] if least <= goal => Ok(AtLimit::Goal(least)),
            [..] => no("there are several goals, or more at its limit than before"),
        },
        (_, Some((least, most))) if (least, most) != (0, 0) => no("what it gives at its limit is not always even"),
        _ => match (ends.iter().filter(|end| **end > 0).count(), ends.iter().filter(|end| **end < 0).count()) {
            (0 | 1, 0 | 1) => Ok(AtLimit::Even),
            _ => no("there are wins of different worth"),
        },
    }
}

impl Limited {
    /// The free game in numbers: its states are those without the counter.
    pub fn statistics(&self) -> &Statistics {
        &self.free.statistics
    }

    /// The counter.
    pub fn counter(&self) -> &Counter {
        &self.counter
    }

    /// What is known of a state of the free game when so many plies are left; `None` if the free game never comes to it.
    pub fn probe<S: std::hash::Hash>(&self, state: &S, left: u32) -> Option<Entry> {
        Some(self.at_limit.within(self.free.probe(state)?, left))
    }

    /// The moves of a state with what they lead to, the best first. A state is one of the free game and the plies so far.
    pub fn choices<'a, G: Game>(
        &self,
        free: &'a G,
        state: &(G::State, u32),
    ) -> Result<Vec<Choice<Counted<'a, G>>>, Limit> {
        let game = Counted { free, plies: self.counter.plies() };
        play::choices(&game, state, self.free.roles, &|state| self.probe_counted::<G>(state))
    }

    /// Best play from a state to the end.
    pub fn line<G: Game>(&self, free: &G, state: &(G::State, u32)) -> Result<Line, Limit> {
        let game = Counted { free, plies: self.counter.plies() };
        play::line(&game, state, self.free.roles, &|state| self.probe_counted::<G>(state))
    }

    fn probe_counted<G: Game>(&self, state: &(G::State, u32)) -> Option<Entry> {
        self.probe(&state.0, self.counter.plies().saturating_sub(state.1))
    }

    /// What is known of the start.
    pub fn start(&self) -> Entry {
        self.at_limit.within(self.free.start(), self.counter.plies())
    }
}

/// The smallest and the greatest of what states that are not ends are worth.
#[derive(Clone, Copy, Default)]
pub(super) struct Idle(pub(super) Option<(i8, i8)>);

impl Idle {
    pub(super) fn add(&mut self, value: i8) {
        self.0 = Some(self.0.map_or((value, value), |(least, most)| (least.min(value), most.max(value))));
    }
}

/// Counts the ends of each value.
pub(super) fn ends_of(kinds: &Blocks<super::walk::Kind>, values: &Blocks<i8>) -> std::collections::BTreeMap<i8, u64> {
    let mut ends = std::collections::BTreeMap::new();
    for (kind, value) in kinds.iter().zip(values.iter()) {
        if kind == super::walk::Kind::End {
            *ends.entry(value).or_default() += 1;
        }
    }
    ends
}
