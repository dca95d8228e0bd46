//! Finding a good move: alpha-beta, UCT and their kin. Knows only `game`.
//!
//! Everything that searches is a [`Searcher`]: it takes a game, a state, the role it plays for and a [`Budget`], and
//! answers with what it [`Found`]. While it runs, its best move so far can be read from a [`Latest`], so that whoever
//! plays has a move from the first moment on. A search knows no clock: the budget has a function that says which part of
//! the time is used up.
//!
//! | module | what it is |
//! |---|---|
//! | [`alphabeta`] | max/min to a depth or to the end, with teams, expectation at simultaneous moves |
//! | [`uct`] | a tree grown by random games, with proven values, on the engine's lanes |
//! | [`puzzle`] | one player: finds a line to the best goal and keeps it |
//! | [`simple`] | the Monte Carlo player and the greedy player |
//! | [`portfolio`] | several of these at once, and the choice between them |

pub mod alphabeta;
pub mod key;
mod measure;
pub mod portfolio;
pub mod puzzle;
pub mod simple;
mod table;
pub mod uct;

use game::{Evaluator, Game, Limit, Move, Role};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How much a search may spend. Whatever is reached first ends it.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Which part of the time is used up; 1 or more means stop. Asked often, from several threads.
    pub spent: &'a (dyn Fn() -> f32 + Sync),
    /// States to look at.
    pub nodes: Option<u64>,
    /// Random games to play.
    pub playouts: Option<u64>,
    /// Bytes for trees and tables, roughly.
    pub memory: usize,
    /// The same seed and the same nodes or playouts give the same move.
    pub seed: u64,
}

impl<'a> Budget<'a> {
    /// A budget that only the given function ends, with 256 MiB.
    pub fn timed(spent: &'a (dyn Fn() -> f32 + Sync), seed: u64) -> Budget<'a> {
        Budget { spent, nodes: None, playouts: None, memory: 256 << 20, seed }
    }

    /// A budget of so many states, whatever time they take.
    pub fn of_nodes(nodes: u64, seed: u64) -> Budget<'static> {
        Budget { spent: &|| 0.0, nodes: Some(nodes), playouts: None, memory: 256 << 20, seed }
    }

    /// A budget of so many random games, whatever time they take.
    pub fn of_playouts(playouts: u64, seed: u64) -> Budget<'static> {
        Budget { spent: &|| 0.0, nodes: None, playouts: Some(playouts), memory: 256 << 20, seed }
    }

    /// How much of a part of the time is used up: the part began when `begin` of the whole was, and lasts for `length` of
    /// it. Where states or games are counted, time has no parts: only the end of it ends anything, so that every run goes
    /// the same way.
    pub(crate) fn part_spent(&self, begin: f32, length: f32) -> f32 {
        match (self.spent)() {
            now if now >= 1.0 => now,
            _ if self.is_counted() => 0.0,
            now => (now - begin) / length.max(1e-9),
        }
    }

    /// Whether states or games are counted.
    fn is_counted(&self) -> bool {
        self.nodes.is_some() || self.playouts.is_some()
    }

    /// The same with a part of the states and games; at least one of each.
    pub(crate) fn part(&self, part: f32) -> Budget<'a> {
        let of = |most: Option<u64>| most.map(|most| ((most as f64 * f64::from(part)) as u64).max(1));
        Budget { nodes: of(self.nodes), playouts: of(self.playouts), ..*self }
    }

    /// States that a search without random games may look at: where only games are counted, as many as these.
    pub(crate) fn states(&self) -> Option<u64> {
        self.nodes.or(self.playouts)
    }

    /// Whether a search that has looked at so many states and played so many random games has to stop.
    pub fn is_spent(&self, nodes: u64, playouts: u64) -> bool {
        self.nodes.is_some_and(|most| nodes >= most)
            || self.playouts.is_some_and(|most| playouts >= most)
            || (self.spent)() >= 1.0
    }
}

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

/// The best move so far, to be read from outside at any moment while the search runs.
#[derive(Debug, Default)]
pub struct Latest(AtomicU64);

impl Latest {
    /// No move yet.
    pub fn new() -> Latest {
        Latest::default()
    }

    /// Replaces the move; the value is between 0 and 100.
    pub fn set(&self, mv: Move, value: f32) {
        let value = (value.clamp(0.0, 100.0) * 100.0) as u64;
        self.0.store(1 << 63 | value << 32 | u64::from(mv.0), Ordering::Release);
    }

    /// The best move so far and its value.
    pub fn get(&self) -> Option<(Move, f32)> {
        let word = self.0.load(Ordering::Acquire);
        (word != 0).then(|| (Move(word as u32), (word >> 32 & 0xffff) as f32 / 100.0))
    }
}

/// Something that finds a move.
///
/// A searcher may keep what it learned from one call to the next (a tree, a table, a winning line), so it is used for
/// one game and one match; where the state is one it knows, it goes on from there.
pub trait Searcher<G: Game>: Send {
    /// Looks for the best move of `role` until the budget is spent or nothing is left to find out.
    ///
    /// A first legal move is in `latest` before any searching begins. A limit of the engine inside the search ends or
    /// narrows the search; it is an error only if not even the state itself can be looked at.
    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        latest: &Latest,
    ) -> Result<Found, Limit>;

    /// Gets ready before the first move is due. Most searchers just search.
    fn prepare(&mut self, game: &G, state: &G::State, role: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        self.search(game, state, role, budget, &Latest::new()).map(|_| ())
    }
}

/// An evaluator that several searchers share.
pub type Judge<G> = Arc<dyn Evaluator<G>>;

/// A key for states: states with the same key are taken for the same. Used to leave out what does not matter, such as a
/// counter of moves. Two different states that matter must not get the same key except by rare accident.
pub type KeyOf<G> = Arc<dyn Fn(&<G as Game>::State) -> u64 + Send + Sync>;

/// The moves of a role that was asked for one: what every searcher begins with.
///
/// Looks at the state, puts the first legal move into `latest` and answers all of them; there are none if the game is
/// over or the role is stuck.
pub fn first_moves<G: Game>(
    game: &G,
    state: &G::State,
    role: Role,
    view: &mut G::View,
    latest: &Latest,
) -> Result<Vec<Move>, Limit> {
    game.look(state, view)?;
    let mut moves = Vec::new();
    if !game.over(view) {
        game.legal(view, role, &mut moves);
        if let Some(&mv) = moves.first() {
            latest.set(mv, 0.0);
        }
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latest_keeps_moves_and_values() {
        let latest = Latest::new();
        assert_eq!(latest.get(), None);
        latest.set(Move(0), 0.0);
        assert_eq!(latest.get(), Some((Move(0), 0.0)));
        latest.set(Move(u32::MAX), 100.0);
        assert_eq!(latest.get(), Some((Move(u32::MAX), 100.0)));
        latest.set(Move(7), 42.5);
        assert_eq!(latest.get(), Some((Move(7), 42.5)));
    }

    #[test]
    fn budgets_end() {
        assert!(!Budget::of_nodes(5, 0).is_spent(4, 1000));
        assert!(Budget::of_nodes(5, 0).is_spent(5, 0));
        assert!(Budget::of_playouts(5, 0).is_spent(0, 5));
        assert!(Budget::timed(&|| 1.0, 0).is_spent(0, 0));
    }
}
