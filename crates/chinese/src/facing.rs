//! An evaluation of lookups that have pieces of both sides: three of one player against two of the other (S1.6, kind 1).
//!
//! The paper found it worse than five pieces of one side (S1.13) and does not say which pieces it took. Here every third of a player's
//! pieces, the front, the middle and the rear, faces a pair of the other's from the opposite end, the middle or the same end, and
//! both players are three once. A win is the better the nearer it is, a loss the farther; of equal moves the one that wins more rows is better.

use crate::evaluations::TIE;
use crate::full_width::Evaluation;
use native::chinese::{Arena, Cells, Position, each};
use std::ops::Range;
use std::sync::Arc;
use table::chinese::versus::{Outcome, Spec, Versus};

/// The pieces of the lookups, numbered from the front, from 0: three of one player, two of the other.
const FACING: [(Range<usize>, Range<usize>); 4] = [(0..3, 8..10), (2..5, 4..6), (5..8, 4..6), (7..10, 0..2)];

/// So many plies away a win and a loss are worth the same as a draw.
const HORIZON: f32 = 127.0;

/// See the module.
pub struct Facing {
    arena: Arc<Arena>,
    table: Arc<Versus>,
}

impl Facing {
    /// The table that is asked, for a board of so many rows.
    pub fn table(side: usize) -> Spec {
        Spec::new(side, 3, 2)
    }

    /// With a table, which should be in memory. Players have ten pieces; `None` for another board or table.
    pub fn new(arena: Arc<Arena>, table: Arc<Versus>) -> Option<Facing> {
        let fits = arena.pieces() == 10 && *table.space().spec() == Facing::table(arena.side());
        fits.then_some(Facing { arena, table })
    }

    /// The pieces of a player as cells, from the front.
    fn cells(&self, player: usize, pieces: Cells) -> [u8; 16] {
        let mut cells = [0; 16];
        for (at, seen) in each(self.arena.seen_by(player, pieces)).enumerate() {
            // Turned twice, a place is itself again.
            let place = self.arena.place_seen_by(player, seen);
            cells[at & 15] = self.arena.move_cells((place, place)).0;
        }
        cells
    }
}

impl Evaluation for Facing {
    fn lead(&self, position: &Position) -> f32 {
        let cells = [0, 1].map(|player| self.cells(player, position.pieces[player]));
        let set = |player: usize, pieces: &Range<usize>| {
            cells[player][pieces.clone()].iter().fold(0, |set: Cells, cell| set | 1 << cell)
        };
        let mut sum = 0.0;
        for three in 0..2 {
            for (more, fewer) in &FACING {
                let mut pieces = [0; 2];
                pieces[three] = set(three, more);
                pieces[1 - three] = set(1 - three, fewer);
                // What the table cannot tell counts as a draw; in memory it can tell everything.
                sum += match self.table.outcome(pieces, position.turn) {
                    Ok(Some(Outcome::Win(plies))) => HORIZON - f32::from(plies),
                    Ok(Some(Outcome::Loss(plies))) => f32::from(plies) - HORIZON,
                    _ => 0.0,
                };
            }
        }
        let left = |player: usize| self.arena.total_left(player, position.pieces[player]) as f32;
        // Two plies are a move.
        sum / 2.0 + TIE * (left(1 - position.turn) - left(position.turn))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::random::Rng;
    use native::chinese::{Allowed, ChineseCheckers, Win};

    #[test]
    fn both_sides_are_judged_alike() {
        // Where three against two are quick to build; ten pieces need five rows at least.
        let game = ChineseCheckers::new(5, 10, Win::Filled, None).unwrap();
        let arena = Arc::new(Arena::new(&game));
        let mut build = table::chinese::versus::Build::new(Facing::table(5), 1 << 30).unwrap();
        build.run(&mut |_| true).unwrap();
        let table = Arc::new(build.into_versus());
        let facing = Facing::new(Arc::clone(&arena), table).unwrap();
        let (mut rng, mut moves) = (Rng::new(2), Vec::new());
        let mut position = arena.position(&game::Game::start(&game));
        for _ in 0..60 {
            arena.moves(&position, Allowed::All, &mut moves);
            position = position.after(moves[rng.below(moves.len())]);
            let turned = Position {
                pieces: [1, 0].map(|player| {
                    each(position.pieces[player]).fold(0, |all, place| all | 1 << arena.place_seen_by(0, place))
                }),
                turn: 1 - position.turn,
            };
            // The board turned by half, with the colours exchanged, is the same position.
            assert_eq!(facing.lead(&position), facing.lead(&turned));
        }
        let start = arena.position(&game::Game::start(&game));
        assert!(facing.lead(&start) > 0.0, "who is on move is ahead");
    }
}
