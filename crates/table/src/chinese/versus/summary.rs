//! What is counted of a table for two, and what the header of its file says.

use super::Outcome;
use super::space::{Space, Written};
use serde::{Deserialize, Serialize};

/// How many positions there are of each outcome.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Red to move, and blue to move.
    pub sides: [Side; 2],
    /// Placements with both goals filled, which cannot come about.
    pub both: u64,
}

/// One side to move in numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Side {
    /// Won for the side to move.
    pub won: u64,
    /// Drawn.
    pub drawn: u64,
    /// Lost for the side to move.
    pub lost: u64,
    /// Wins by plies.
    pub wins: Vec<u64>,
    /// Losses by plies.
    pub losses: Vec<u64>,
}

impl Counts {
    /// So many more positions of this outcome.
    pub(super) fn add(&mut self, side: usize, outcome: Outcome, count: u64) {
        let row = &mut self.sides[side];
        if count == 0 {
            return;
        }
        let (list, plies) = match outcome {
            Outcome::Win(plies) => (&mut row.wins, plies),
            Outcome::Loss(plies) => (&mut row.losses, plies),
            Outcome::Draw => {
                row.drawn += count;
                return;
            }
            Outcome::Both => {
                // Told once for a placement.
                self.both += if side == 0 { count } else { 0 };
                return;
            }
        };
        let plies = usize::from(plies);
        list.resize(list.len().max(plies + 1), 0);
        list[plies] += count;
        match outcome {
            Outcome::Win(_) => row.won += count,
            Outcome::Loss(_) | Outcome::Draw | Outcome::Both => row.lost += count,
        }
    }

    /// The positions that are won or lost in so many plies.
    pub(super) fn layer(&self, plies: usize) -> u64 {
        let of = |list: &[u64]| list.get(plies).copied().unwrap_or(0);
        self.sides.iter().map(|side| of(&side.wins) + of(&side.losses)).sum()
    }

    /// The positions that are decided.
    pub fn decided(&self) -> u64 {
        self.sides.iter().map(|side| side.won + side.lost).sum()
    }

    /// What is left is drawn.
    pub(super) fn settle(&mut self, placements: u64) {
        for side in &mut self.sides {
            side.drawn = placements - self.both - side.won - side.lost;
        }
    }
}

/// What the header of a file says about its entries.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// Which placements, and what is to be filled.
    pub table: Written,
    /// All placements; each has an entry for either side to move.
    pub placements: u64,
    /// Placements with both goals filled, which cannot come about.
    pub both: u64,
    /// Red to move.
    #[serde(rename = "red to move")]
    pub red: Side,
    /// Blue to move.
    #[serde(rename = "blue to move")]
    pub blue: Side,
}

impl Summary {
    /// Of a table with these counts.
    pub(super) fn new(space: &Space, counts: &Counts) -> Summary {
        let [red, blue] = counts.sides.clone();
        Summary { table: Written::from(space.spec()), placements: space.entries(), both: counts.both, red, blue }
    }
}
