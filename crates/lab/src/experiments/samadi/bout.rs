//! One game of the experiment: an opening by chance, two players who search to the same depth, and when it is over.

use anyhow::{Result, ensure};
use chinese::full_width::{Evaluation, FullWidth};
use game::Cancel;
use game::random::Rng;
use native::chinese::{Allowed, Arena, ChineseCheckers, Position};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// Random moves before the players begin (S1.11).
pub const RANDOM_MOVES: usize = 5;
/// A game that has so many plies, the random ones included, is a tie.
pub const MOST_PLIES: usize = 200;
/// A position that is there so many times is a tie.
const REPEATED: u8 = 3;
/// Bytes of each player's transposition table.
const MEMORY: usize = 16 << 20;

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Red won.
    Red,
    /// Blue won.
    Blue,
    /// A position was there for the third time.
    Repeated,
    /// Too many plies, or both corners filled at once.
    Long,
}

/// What came of a game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// Plies, the random ones included.
    pub plies: usize,
    /// Positions whose moves were listed, by both players.
    pub expansions: u64,
}

/// The board and the openings.
pub struct Stage {
    /// The board.
    pub arena: Arc<Arena>,
    start: Position,
}

impl Stage {
    /// For a game.
    pub fn new(game: &ChineseCheckers) -> Stage {
        let arena = Arc::new(Arena::new(game));
        let start = arena.position(&game::Game::start(game));
        Stage { arena, start }
    }

    /// The opening of this number: the same for the same seed.
    pub fn opening(&self, seed: u64, number: u64) -> Position {
        let mut rng = Rng::new(seed.wrapping_mul(1_000_003).wrapping_add(number));
        let (mut position, mut moves) = (self.start, Vec::new());
        for _ in 0..RANDOM_MOVES {
            self.arena.moves(&position, Allowed::All, &mut moves);
            position = position.after(moves[rng.below(moves.len())]);
        }
        position
    }

    /// Plays on from an opening; red and blue search to this depth. `each` sees every position and may name a move to be made instead
    /// of searching for one.
    pub fn play(
        &self,
        opening: Position,
        players: [&Arc<dyn Evaluation>; 2],
        depth: u32,
        cancel: &Cancel,
        mut each: impl FnMut(&Position) -> Option<(u8, u8)>,
    ) -> Result<Outcome> {
        let mut searchers = players.map(|player| {
            let mut searcher = FullWidth::new(Arc::clone(&self.arena), Arc::clone(player), depth);
            searcher.remember(MEMORY);
            searcher
        });
        let (mut position, mut plies, mut expansions) = (opening, RANDOM_MOVES, 0);
        let mut seen: HashMap<Position, u8> = HashMap::new();
        loop {
            let times = seen.entry(position).or_default();
            *times += 1;
            let end = match self.arena.winner(&position) {
                Some(0) => Some(End::Red),
                Some(_) => Some(End::Blue),
                None if *times >= REPEATED => Some(End::Repeated),
                None if plies >= MOST_PLIES || self.arena.over(&position) => Some(End::Long),
                None => None,
            };
            if let Some(end) = end {
                return Ok(Outcome { end, plies, expansions });
            }
            let mv = match each(&position) {
                Some(mv) => Some(mv),
                None => {
                    let best = searchers[position.turn].best(&position, &|_| cancel.is_cancelled());
                    ensure!(!cancel.is_cancelled(), "broken off");
                    expansions += best.as_ref().map_or(0, |best| best.expansions);
                    best.map(|best| best.mv)
                }
            };
            // Who cannot move passes.
            position = mv.map_or(Position { turn: 1 - position.turn, ..position }, |mv| position.after(mv));
            plies += 1;
        }
    }
}
