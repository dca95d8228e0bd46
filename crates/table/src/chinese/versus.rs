//! Chinese checkers for two: K red pieces against L blue ones, who wins and in how many moves, for every placement (S1.6, kind 1).
//!
//! **The game.** Red wants to fill as many cells as it has pieces at the far corner, blue the same at the corner (0, 0), in the order
//! of [`from_home`](native::chinese::from_home), or other cells that are given. A goal is reached when every cell of it is filled, by
//! whomever, and at least one piece there is its owner's: the rule of S3.2, [`Win::Filled`](native::chinese::Win::Filled). A piece that stays in a cell
//! which the other needs does not help; only who fills *every* cell of the other's goal keeps it out. That takes as many pieces as the other has and
//! one more to move with, since nobody may pass: so there are draws where the numbers differ (a sixth of 3 against 2 on 9 by 9, none of 2 against 2 on 7 by 7).
//! Whose move it was does not matter: who fills the last cell of the other's goal has lost. Both sides are treated alike. A player who
//! cannot move passes. All this is the game [`ChineseCheckers::between`](native::chinese::ChineseCheckers::between), without a limit of plies.
//!
//! **The values.** A position is won, lost or drawn for the side to move. Distances are plies, of both sides: the fewest to a win, the most
//! to a loss. What nobody can force is drawn; play goes on for ever there. Both goals can be filled at once on paper but never in play (a move fills one cell, and the goals
//! have none in common); such placements are told apart, as [`Outcome::Both`].
//!
//! **The numbers.** The rank of a placement is `rank(red) * C(n - K, L) + rank(blue)`, with the blue pieces numbered among the cells
//! that red leaves free: there are no holes, and C(81,3) · C(78,2) = 256,215,960 placements of 3 against 2 (S1.7). All blue placements for one
//! placement of red are a *row*: a move of blue stays in its row, which fits into the nearest cache. Red is the side with more pieces;
//! fewer against more is the same table seen from the other side, and [`Versus::outcome`] takes positions either way round.
//!
//! **Building.** Moves can be taken back, so what moves lead to is also where they come from. Every position has a count of its moves; from the
//! ends backwards, layer by layer, a lost position wins all positions before it, and a won one takes one off the counts of those before it: where
//! nothing is left, the position is lost. Four bytes a placement are needed for this, of which two are stored.
//!
//! ```
//! use table::chinese::versus::{Build, Outcome, Spec};
//!
//! let mut build = Build::new(Spec::new(5, 2, 2), 1 << 20).unwrap();
//! build.run(&mut |_| true).unwrap();
//! let table = build.into_versus();
//! // Red in its own corner, blue in its: who is to move wins.
//! let start = table.outcome([0b11, 0b11 << 23], 0).unwrap();
//! assert!(matches!(start, Some(Outcome::Win(_))));
//! ```

mod build;
mod probe;
mod rest;
mod space;
mod summary;
mod verify;

pub use super::BuildError;
pub use build::Build;
pub use probe::{Choice, Played, Versus};
pub use space::{Ended, Placement, Space, Spec, Written};
pub use summary::{Counts, Side, Summary};
pub use verify::Fault;

use std::fmt;

/// The kind that stands in the header of a file.
pub const KIND: &str = "chinese-checkers-versus";

/// The names of the parts of a file: who is to move.
pub(crate) const PARTS: [&str; 2] = ["red to move", "blue to move"];

/// The most plies that a byte can tell.
const MOST_PLIES: usize = 126;
/// The byte of a draw, and while building of what is not decided yet.
const DRAW: u8 = 0;
/// The byte of a placement with both goals filled.
const BOTH: u8 = u8::MAX;

/// What a position is worth to the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// Won in so many plies; 0 where the other has just filled the goal.
    Win(u8),
    /// Nobody can force a win.
    Draw,
    /// Lost in so many plies; 0 where the game is over.
    Loss(u8),
    /// Both goals are filled: this cannot come about, and the rules say nothing of it.
    Both,
}

impl Outcome {
    /// The byte in a table: a win in n is 2n + 1, a loss in n is 2n + 2.
    fn byte(self) -> u8 {
        match self {
            Outcome::Win(plies) => 2 * plies + 1,
            Outcome::Loss(plies) => 2 * plies + 2,
            Outcome::Draw => DRAW,
            Outcome::Both => BOTH,
        }
    }

    /// What a byte in a table means.
    fn of(byte: u8) -> Outcome {
        match byte {
            DRAW => Outcome::Draw,
            BOTH => Outcome::Both,
            byte if byte & 1 == 1 => Outcome::Win(byte / 2),
            byte => Outcome::Loss(byte / 2 - 1),
        }
    }

    /// How many plies; draws have none.
    pub fn plies(self) -> Option<u8> {
        match self {
            Outcome::Win(plies) | Outcome::Loss(plies) => Some(plies),
            Outcome::Draw | Outcome::Both => None,
        }
    }

    /// Greater is better for the side to move: a near win, a far one, no decision, a far loss, a near one.
    pub fn order(self) -> i32 {
        match self {
            Outcome::Win(plies) => 1000 - i32::from(plies),
            Outcome::Draw | Outcome::Both => 0,
            Outcome::Loss(plies) => i32::from(plies) - 1000,
        }
    }

    /// What a move is worth to who makes it, if this is what it leads to: one ply more, and the other side's.
    pub fn before(self) -> Outcome {
        match self {
            Outcome::Win(plies) => Outcome::Loss(plies.saturating_add(1)),
            Outcome::Loss(plies) => Outcome::Win(plies.saturating_add(1)),
            other => other,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |plies: u8| if plies == 1 { "1 ply".to_string() } else { format!("{plies} plies") };
        match self {
            Outcome::Win(0) => f.write_str("won: the goal is filled"),
            Outcome::Win(plies) => write!(f, "win in {}", count(*plies)),
            Outcome::Draw => f.write_str("draw"),
            Outcome::Loss(0) => f.write_str("lost: the other's goal is filled"),
            Outcome::Loss(plies) => write!(f, "loss in {}", count(*plies)),
            Outcome::Both => f.write_str("both goals are filled, which cannot come about"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_back() {
        let mut seen = std::collections::BTreeSet::new();
        for byte in 0..=u8::MAX {
            assert_eq!(Outcome::of(byte).byte(), byte);
            seen.insert(format!("{:?}", Outcome::of(byte)));
        }
        assert_eq!(seen.len(), 256);
        assert_eq!(Outcome::of(254), Outcome::Loss(MOST_PLIES as u8));
    }

    #[test]
    fn better_is_greater() {
        let order = [
            Outcome::Win(0),
            Outcome::Win(3),
            Outcome::Win(126),
            Outcome::Draw,
            Outcome::Loss(126),
            Outcome::Loss(2),
            Outcome::Loss(0),
        ];
        assert!(order.windows(2).all(|pair| pair[0].order() > pair[1].order()));
        assert_eq!(Outcome::Loss(2).before(), Outcome::Win(3));
        assert_eq!(Outcome::Draw.before(), Outcome::Draw);
    }
}
