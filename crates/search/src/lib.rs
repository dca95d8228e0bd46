//! Finding a good move: alpha-beta, UCT and their kin. Knows only `game`.
//!
//! Everything that searches is a [`Searcher`]: it takes a game, a state, the role it plays for and a [`Budget`], and
//! answers with what it [`Found`]. While it runs, a [`Monitor`] has its best move so far, so that whoever
//! plays has a move from the first moment on, and gives a whole report to those who ask. A search knows no clock: the budget
//! has a function that says which part of the time is used up.
//!
//! What a person sets is plain data, one type for each searcher, and its `Default` is the default wherever the searcher is
//! used. What is known of the game (evaluators, teams, keys of states) is [`Knowledge`]. A [`Method`] names a searcher
//! with its settings; with the knowledge it makes one.
//!
//! | module | what it is | settings |
//! |---|---|---|
//! | [`alphabeta`] | max/min to a depth or to the end, with teams, expectation at simultaneous moves | [`AlphaBetaSettings`] |
//! | [`duel`] | two opponents in turn who say more of their game: alpha-beta with all that makes it strong | [`duel::Settings`] |
//! | [`uct`] | a tree grown by random games, with proven values, on the engine's lanes | [`UctSettings`] |
//! | [`proof_number`] | whether a value can be forced: a tree that grows where a proof needs least | |
//! | [`puzzle`] | one player: finds a line to the best goal and keeps it | [`PuzzleSettings`] |
//! | [`simple`] | the Monte Carlo player and the greedy player | [`MonteCarloSettings`], [`GreedySettings`] |
//! | [`portfolio`] | several of these at once, and the choice between them | [`PortfolioSettings`] |

#![forbid(unsafe_code)]

pub mod alphabeta;
mod budget;
pub mod duel;
pub mod exchange;
pub mod key;
mod knowledge;
mod measure;
mod method;
mod monitor;
pub mod portfolio;
pub mod proof_number;
pub mod puzzle;
pub mod simple;
mod transposition;
pub mod uct;

pub use alphabeta::AlphaBetaSettings;
pub use budget::Budget;
pub use exchange::Exchange;
pub use knowledge::{
    Ceiling, CommonKey, Knowledge, Narrow, Part, Parts, SharedEvaluator, StateKey, Symmetries, Test, Way,
};
pub use measure::rank;
pub use method::{Method, UnknownEvaluator};
pub use monitor::Monitor;
pub use portfolio::{PortfolioSettings, Selection};
pub use puzzle::PuzzleSettings;
pub use simple::{GreedySettings, MonteCarloSettings};
pub use uct::UctSettings;

use game::{Game, Limit, Move, Role};

/// What a search came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The move to make; `None` only where the role has no legal move or the game is over.
    pub mv: Option<Move>,
    /// The reward expected for the role, from 0 to 100.
    pub value: f32,
    /// Whether the value is exact and the move reaches it, under the searcher's assumptions: with teams, that teammates
    /// help; where interests are not opposed, that everybody does what is best for itself.
    pub proven: bool,
    /// The depth searched, in joint moves; for trees of random games the depth of the most visited line.
    pub depth: u32,
    /// States looked at, outside of random games.
    pub nodes: u64,
    /// Random games played.
    pub playouts: u64,
    /// The joint moves expected, best for everybody.
    pub line: Vec<Vec<Move>>,
    /// What was found out about each legal move, in the order of the rules.
    pub moves: Vec<Choice>,
}

/// What a search thinks of one move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The move.
    pub mv: Move,
    /// The reward expected after it, from 0 to 100.
    pub value: f32,
    /// How often it was tried, or how many states were looked at below it.
    pub visits: u64,
    /// Whether the value is exact.
    pub proven: bool,
    /// The part of the time in which it would be chosen: 1 for the best move, or a mixture where roles move at the
    /// same time.
    pub share: f32,
}

/// Something that finds a move.
///
/// A searcher may keep what it learned from one call to the next (a tree, a table, a winning line), so it is used for
/// one game and one match; where the state is one it knows, it goes on from there.
pub trait Searcher<G: Game>: Send {
    /// Looks for the best move of `role` until the budget is spent or nothing is left to find out.
    ///
    /// The monitor has a first legal move before any searching begins, reports if asked, and has the result in the end. A limit
    /// of the engine inside the search ends or narrows the search; it is an error only if not even the state itself can be
    /// looked at.
    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit>;

    /// Gets ready before the first move is due. Most searchers just search.
    fn prepare(&mut self, game: &G, state: &G::State, role: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        self.search(game, state, role, budget, &Monitor::new()).map(|_| ())
    }

    /// Uses the time in which others decide in a state where this role cannot: what is found is of use in the states that
    /// follow. Does nothing where there is nothing that could be kept.
    fn ponder(&mut self, _: &G, _: &G::State, _: Role, _: &Budget<'_>) -> Result<(), Limit> {
        Ok(())
    }

    /// What moves are found by and why, in words, where that was chosen and not asked for.
    fn about(&self) -> Option<String> {
        None
    }

    /// What has changed about that since somebody asked last: what was chosen before the game, and that it was left for something else.
    fn news(&mut self) -> Option<String> {
        None
    }

    /// The way of searching that was chosen by measuring, and the names of the evaluators that it may use; `None` where nothing was
    /// measured.
    fn chosen(&self) -> Option<(Method, Vec<String>)> {
        None
    }

    /// From now on what its tree gains is told to others who search the same states, and what they gain is taken in; where it grows one tree.
    fn exchange_with(&mut self, others: Option<std::sync::Arc<dyn Exchange>>) {
        let _ = others;
    }
}

/// The moves of a role that was asked for one: what every searcher begins with.
///
/// Looks at the state, puts the first legal move into the monitor and answers all of them; there are none if the game is
/// over or the role is stuck.
pub fn first_moves<G: Game>(
    game: &G,
    state: &G::State,
    role: Role,
    view: &mut G::View,
    monitor: &Monitor,
) -> Result<Vec<Move>, Limit> {
    game.look(state, view)?;
    let mut moves = Vec::new();
    if !game.over(view) {
        game.legal(view, role, &mut moves);
    }
    monitor.begin(moves.first().copied());
    Ok(moves)
}

/// The answer where nothing is to be chosen: the only move, if there is one. The monitor hears of it.
pub fn without_choice(moves: &[Move], monitor: &Monitor) -> Found {
    let found = Found { mv: moves.first().copied(), value: 50.0, ..Found::default() };
    monitor.finish(&found);
    found
}
