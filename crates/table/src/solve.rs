//! Solving a game outright: everything that can be reached from the start is listed, and then valued from the ends
//! backwards. Works for any game of one player, and of two who decide in turn.
//!
//! - *One player*: the value of a state is the best goal that can be reached, its distance the fewest moves to it. A state from
//!   which no end can be reached has no value.
//! - *Two players*: the value is how far the first role will be ahead of the second at the end (100, 0 and -100 where
//!   goals are 100, 50 and 0), if both do their best for the difference. Who is ahead hurries, who is behind delays; the
//!   distance is the number of moves (of either) to the end. An even result has no distance, and *play that never ends is
//!   an even result*: nobody has gained anything.
//! - A *stuck* state (faulty rules leave a role without a move) is an end, with the goals that the rules give there. Where an end
//!   gives a role no goal it counts as 0.
//! - More roles, or several who decide at the same time, are a [`SolveError`].
//!
//! States are known by a hash of 128 bits and are not kept, apart from the layer being expanded and the next one. A state takes
//! about 35 bytes and 4 for each different successor; 8 bytes more and 4 for each successor where positions can be
//! repeated. To be stored, a state takes 8 bytes more, its key. What is needed is told on the way ([`Reach::needed`]).
//!
//! ```
//! # use game::{Game, Goal, Limit, Move, Role, Turn};
//! # struct Heap(u8);
//! # impl Game for Heap {
//! #     type State = (u8, u8);
//! #     type View = (u8, u8);
//! #     fn roles(&self) -> usize { 2 }
//! #     fn start(&self) -> (u8, u8) { (self.0, 0) }
//! #     fn view(&self) -> (u8, u8) { (0, 0) }
//! #     fn look(&self, s: &(u8, u8), v: &mut (u8, u8)) -> Result<(), Limit> { *v = *s; Ok(()) }
//! #     fn turn(&self, v: &(u8, u8)) -> Turn { if v.0 == 0 { Turn::Over } else { Turn::One(Role(v.1)) } }
//! #     fn legal(&self, v: &(u8, u8), role: Role, out: &mut Vec<Move>) {
//! #         if role.0 == v.1 { (1..=v.0.min(2)).for_each(|n| out.push(Move(n.into()))) } else { out.push(Move(0)) }
//! #     }
//! #     fn goal(&self, v: &mut (u8, u8), role: Role) -> Result<Option<Goal>, Limit> {
//! #         Ok(Some(if role.0 == v.1 { 0 } else { 100 }))
//! #     }
//! #     fn play(&self, v: &mut (u8, u8), joint: &[Move], next: &mut (u8, u8)) -> Result<(), Limit> {
//! #         *next = (v.0 - joint[v.1 as usize].0 as u8, 1 - v.1); Ok(())
//! #     }
//! # }
//! // Take one or two from a heap of seven; who takes the last one wins.
//! let solved = table::solve::solve(&Heap(7), &table::solve::Options::default(), None, &mut |_| true).unwrap();
//! let start = solved.probe(&Heap(7).start()).unwrap();
//! assert_eq!((start.value, start.distance), (Some(100), Some(5)));
//! let line = solved.line(&Heap(7), &(7, 0)).unwrap();
//! assert_eq!(line.steps[0].joint[0], Move(1));
//! ```

mod back;
mod beyond;
mod fact_keys;
mod limited;
mod oracle;
mod play;
mod seen;
mod stored;
mod summary;
mod walk;

pub use beyond::Beyond;
pub use fact_keys::FactKeys;
pub use limited::{Counted, Counter, Limited, solve_limited};
pub(crate) use play::successors;
pub use play::{Choice, Line, LineEnd, Step};
pub use stored::{AskError, SolvedTable, StoredGame, Verified, key_of_facts};
pub use summary::{RulesText, Summary};
pub use walk::Name;

use back::{NO_DISTANCE, NO_VALUE};
use game::{Game, Limit};
use seen::{Blocks, Keys, Seen};
use std::collections::BTreeMap;
use std::fmt;

/// How to solve.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most memory to use, in bytes. Counted are the lists of the solver and the states it holds, not the game itself.
    pub memory: u64,
    /// How many states are worked on at the same time. The result does not depend on it.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { memory: 1 << 30, threads: rayon::current_num_threads() }
    }
}

/// Which way the solver goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Listing what can be reached.
    Forward,
    /// Valuing it.
    Backward,
}

/// How far the solver is.
#[derive(Clone, Debug)]
pub struct Reach {
    /// Which way it goes.
    pub phase: Phase,
    /// States seen.
    pub states: u64,
    /// States done: expanded on the way forward, valued on the way back.
    pub expanded: u64,
    /// Moves from the start: the layer being expanded, or the last one.
    pub depth: usize,
    /// Successors listed.
    pub edges: u64,
    /// Bytes that the solver needs at most for what is listed so far, the way back and storing included.
    pub needed: u64,
}

/// Is asked now and then; `false` stops the solver.
pub type Watch<'a> = &'a mut dyn FnMut(&Reach) -> bool;

/// Why a game was not solved.
#[derive(Clone, Debug)]
pub enum SolveError {
    /// More than two roles.
    Roles(usize),
    /// Several roles decide at the same time.
    Simultaneous(Reach),
    /// The caller said stop.
    Stopped(Reach),
    /// More memory is needed than is allowed.
    Memory {
        /// How far it came.
        reach: Reach,
        /// What was allowed, in bytes.
        limit: u64,
    },
    /// The engine came to a limit of its own.
    Limit {
        /// Which one.
        limit: Limit,
        /// How far the solver came.
        reach: Reach,
    },
    /// An end that is more than 65534 moves away.
    TooLong,
    /// The game cannot be solved without its counter ([`solve_limited`]), and this is why.
    Counter(String),
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reach { phase, states, expanded, depth, .. } = self;
        match phase {
            Phase::Forward => {
                write!(f, "{states} states seen, {expanded} of them expanded, up to {depth} moves from the start")
            }
            Phase::Backward => write!(f, "all {states} states were listed, {expanded} of them valued"),
        }
    }
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::Roles(count) => {
                write!(f, "the game has {count} roles; games of one and of two can be solved")
            }
            SolveError::Simultaneous(reach) => write!(
                f,
                "several roles decide at the same time ({} moves from the start); only games in which one decides at a \
                 time can be solved",
                reach.depth
            ),
            SolveError::Stopped(reach) => write!(f, "stopped: {reach}"),
            SolveError::Memory { reach, limit } => {
                let needed = reach.needed.max(*limit).div_ceil(1 << 20);
                write!(f, "the limit of {} MiB is reached ({needed} MiB needed so far): {reach}", limit >> 20)
            }
            SolveError::Limit { limit, reach } => write!(f, "{limit} ({reach})"),
            SolveError::TooLong => {
                write!(f, "a game can be forced to take more than 65534 moves, too many to be stored")
            }
            SolveError::Counter(why) => {
                write!(f, "the counter that ends the game cannot be left out ({why}); solve it with its counter")
            }
        }
    }
}

impl std::error::Error for SolveError {}

/// What is known of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// One player: the best goal that can be reached, `None` if no end can. Two: how far the first role will be ahead.
    pub value: Option<i8>,
    /// Moves to the end with best play; `None` for even results, and where no end can be reached.
    pub distance: Option<u16>,
}

impl Entry {
    fn of(value: i8, distance: u16) -> Entry {
        Entry { value: (value != NO_VALUE).then_some(value), distance: (distance != NO_DISTANCE).then_some(distance) }
    }
}

/// A game in numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// How many roles there are.
    pub roles: usize,
    /// States that can be reached.
    pub states: u64,
    /// Different successors of all states together.
    pub edges: u64,
    /// States by the fewest moves from the start.
    pub layers: Vec<u64>,
    /// Terminal states.
    pub terminal: u64,
    /// Terminal and stuck states by value.
    pub ends: BTreeMap<i8, u64>,
    /// States that are not terminal but leave a role without a move: the rules are faulty.
    pub stuck: u64,
    /// Ends that give a role no goal, or more than one.
    pub unrated: u64,
    /// The smallest and the greatest sum of the goals of both roles at an end; `None` if no end can be reached.
    pub sums: Option<(u8, u8)>,
    /// Whether a successor ever came before its state; without that nothing can be repeated.
    pub may_repeat: bool,
    /// States of each value; `None` stands for those from which no end can be reached.
    pub values: BTreeMap<Option<i8>, u64>,
    /// For each value that has distances: states by distance.
    pub distances: BTreeMap<i8, Vec<u64>>,
}

impl Statistics {
    /// Takes up what is known of one more state.
    fn count(&mut self, entry: Entry) {
        *self.values.entry(entry.value).or_default() += 1;
        if let (Some(value), Some(distance)) = (entry.value, entry.distance) {
            let counts = self.distances.entry(value).or_default();
            let distance = usize::from(distance);
            if counts.len() <= distance {
                counts.resize(distance + 1, 0);
            }
            counts[distance] += 1;
        }
    }
}

/// A solved game.
pub struct Solved {
    roles: usize,
    seen: Seen,
    values: Blocks<i8>,
    distances: Blocks<u16>,
    names: Blocks<u64>,
    statistics: Statistics,
}

/// Solves a game. `name` is called once for each state if the result is to be stored ([`Solved::store_game`]).
pub fn solve<G: Game>(
    game: &G,
    options: &Options,
    name: Option<&Name<'_, G>>,
    watch: Watch<'_>,
) -> Result<Solved, SolveError> {
    Ok(solve_with(game, options, name, watch, false)?.0)
}

/// As [`solve`]; with `rate_all` also the smallest and the greatest of what the goals of states that are not ends are worth.
fn solve_with<G: Game>(
    game: &G,
    options: &Options,
    name: Option<&Name<'_, G>>,
    watch: Watch<'_>,
    rate_all: bool,
) -> Result<(Solved, Option<(i8, i8)>), SolveError> {
    let roles = game.roles();
    if roles > 2 {
        return Err(SolveError::Roles(roles));
    }
    let mut graph = walk::walk(game, options, name, watch, rate_all)?;
    let mut statistics = Statistics {
        roles,
        states: graph.seen.len() as u64,
        edges: graph.edges.len() as u64,
        layers: std::mem::take(&mut graph.layers),
        terminal: graph.ends.0,
        ends: limited::ends_of(&graph.kinds, &graph.values),
        stuck: graph.ends.1,
        unrated: graph.unrated,
        sums: (graph.ends != (0, 0)).then_some(graph.sums),
        may_repeat: !graph.ascending,
        values: BTreeMap::new(),
        distances: BTreeMap::new(),
    };
    let depth = statistics.layers.len() - 1;
    let answers = back::solve(&mut graph, roles, depth, watch)?;
    for (value, distance) in answers.values.iter().zip(answers.distances.iter()) {
        statistics.count(Entry::of(value, distance));
    }
    let (values, distances) = (answers.values, answers.distances);
    let idle = graph.idle.0;
    Ok((Solved { roles, seen: graph.seen, values, distances, names: graph.names, statistics }, idle))
}

impl Solved {
    /// The game in numbers.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// What is known of the start.
    pub fn start(&self) -> Entry {
        Entry::of(self.values.get(0), self.distances.get(0))
    }

    /// What is known of a state (of the type that the game has); `None` if it cannot be reached from the start.
    pub fn probe<S: std::hash::Hash>(&self, state: &S) -> Option<Entry> {
        let number = self.seen.find(Keys::default().of(state))? as usize;
        Some(Entry::of(self.values.get(number), self.distances.get(number)))
    }

    /// The moves of a state with what they lead to, the best first.
    pub fn choices<G: Game>(&self, game: &G, state: &G::State) -> Result<Vec<Choice<G>>, Limit> {
        play::choices(game, state, self.roles, &|state| self.probe(state))
    }

    /// Best play from a state to the end, or until a state comes again.
    pub fn line<G: Game>(&self, game: &G, state: &G::State) -> Result<Line, Limit> {
        play::line(game, state, self.roles, &|state| self.probe(state))
    }
}
