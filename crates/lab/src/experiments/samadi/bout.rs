//! One game of the experiment: an opening by chance, two players who search to the same depth or for the same time, and when it is
//! over.

use abstraction::alone::Alone;
use anyhow::{Result, ensure};
use chinese::full_width::{Evaluation, FullWidth};
use chinese::uct::{Uct, UctSettings};
use game::Cancel;
use game::random::Rng;
use native::chinese::{Allowed, Arena, ChineseCheckers, Position};
use search::Budget;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// Random moves before the players begin (S1.11).
pub const RANDOM_MOVES: usize = 5;
/// A game that has so many plies, the random ones included, is a tie.
pub const MOST_PLIES: usize = 200;
/// A position that is there so many times is a tie.
const REPEATED: u8 = 3;
/// Bytes of each player's transposition table.
const MEMORY: usize = 16 << 20;
/// Seconds for a move of who has no more time than the opponent, as long as the opponent has used none.
const SHORTEST: f64 = 0.0002;

/// How a player thinks.
pub enum Mind {
    /// Minimax with every move to the depth of the game, judged by an evaluation.
    FullWidth(Arc<dyn Evaluation>),
    /// UCT with very short playouts, judged by an evaluation of this kind. It has the time that its opponent has used so far.
    TableSearch(Arc<Alone>),
}

enum Thinker {
    FullWidth(FullWidth),
    TableSearch(Uct),
}

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
    /// Positions whose moves were listed, by those who search to a depth.
    pub expansions: u64,
    /// Seconds that red and blue thought.
    pub thought: [f64; 2],
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

    /// Plays on from an opening; red and blue search to this depth, unless they have time instead. `each` sees every position and may name a move to be made instead
    /// of searching for one.
    pub fn play(
        &self,
        opening: Position,
        players: [&Mind; 2],
        depth: u32,
        cancel: &Cancel,
        mut each: impl FnMut(&Position) -> Option<(u8, u8)>,
    ) -> Result<Outcome> {
        let mut thinkers = players.map(|player| match player {
            Mind::FullWidth(evaluation) => {
                let mut searcher = FullWidth::new(Arc::clone(&self.arena), Arc::clone(evaluation), depth);
                searcher.remember(MEMORY);
                Thinker::FullWidth(searcher)
            }
            Mind::TableSearch(alone) => {
                Thinker::TableSearch(Uct::new(UctSettings::short(), Arc::clone(&self.arena), Some(Arc::clone(alone))))
            }
        });
        let (mut position, mut plies, mut expansions, mut thought) = (opening, RANDOM_MOVES, 0, [0.0; 2]);
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
                return Ok(Outcome { end, plies, expansions, thought });
            }
            let (turn, began) = (position.turn, Instant::now());
            let mv = match (each(&position), &mut thinkers[turn]) {
                (Some(mv), _) => Some(mv),
                (None, Thinker::FullWidth(searcher)) => {
                    let best = searcher.best(&position, &|_| cancel.is_cancelled());
                    expansions += best.as_ref().map_or(0, |best| best.expansions);
                    best.map(|best| best.mv)
                }
                (None, Thinker::TableSearch(uct)) => {
                    let seconds = f64::max(thought[1 - turn] - thought[turn], SHORTEST);
                    let spent = || match cancel.is_cancelled() {
                        true => 1.0,
                        false => (began.elapsed().as_secs_f64() / seconds) as f32,
                    };
                    uct.best(&position, &Budget::timed(&spent, plies as u64))
                }
            };
            ensure!(!cancel.is_cancelled(), "broken off");
            thought[turn] += began.elapsed().as_secs_f64();
            // Who cannot move passes.
            position = mv.map_or(Position { turn: 1 - position.turn, ..position }, |mv| position.after(mv));
            plies += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abstraction::alone::AloneSpec;
    use native::chinese::Win;

    #[test]
    fn table_search_has_the_time_of_its_opponent() {
        let stage = Stage::new(&ChineseCheckers::new(9, 10, Win::Filled, None).unwrap());
        // Rows need no table.
        let rows = AloneSpec { row: 1.0, curve: 0.01, ..AloneSpec::nothing(9, 10) };
        let rows = Arc::new(Alone::new(rows, Arc::clone(&stage.arena), |_| None).unwrap());
        let (minimax, ours) = (Mind::FullWidth(Arc::<Alone>::clone(&rows)), Mind::TableSearch(rows));
        let outcome = stage.play(stage.opening(1, 0), [&minimax, &ours], 2, &Cancel::new(), |_| None).unwrap();
        assert!(outcome.plies > 40 && outcome.plies <= MOST_PLIES, "{outcome:?}");
        assert!(outcome.thought[0] > 0.0 && outcome.thought[1] > 0.0, "{outcome:?}");
        // A few playouts more than allowed before it looks at the clock, on a busy machine more.
        let moves = outcome.plies as f64;
        assert!(outcome.thought[1] < outcome.thought[0] + moves * (SHORTEST + 0.05), "{outcome:?}");
    }
}
