//! Verifying a table for two: every entry is derived again from its successors, whoever made it.
//!
//! The entries are right exactly if the ends have theirs and nothing else has, a win in n has a loss in n - 1 behind a move and none
//! nearer, a loss in n has only wins behind its moves, the farthest in n - 1, and a draw has no loss behind a move, but something else than
//! wins. (By induction over n the wins and losses are right. A draw that was won would need a lost one behind it that is called a
//! draw, and this one a won one that is called a draw, and is nearer to its end: so there is none.)

use super::probe::{Store, Versus, unpack};
use super::space::{Ended, Placement};
use super::summary::Counts;
use super::{BOTH, MOST_PLIES, Outcome};
use crate::file::FileError;
use native::chinese::Cells;
use rayon::prelude::*;
use std::fmt;

/// Entries between two calls of the caller's function, about.
const BATCH: u64 = 1 << 22;

/// What is wrong with a table.
#[derive(Debug)]
pub enum Fault {
    /// An entry does not follow from its successors.
    Entry {
        /// The pieces of red and of blue: the bits of their cells.
        pieces: [Cells; 2],
        /// Who is to move: 0 red, 1 blue.
        turn: usize,
        /// The value of the entry.
        value: Outcome,
        /// What the successors say instead.
        derived: Outcome,
    },
    /// The caller's function said stop.
    Stopped,
    /// The file cannot be read.
    File(FileError),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Entry { pieces: [red, blue], turn, value, derived } => write!(
                f,
                "the placement {red:x} against {blue:x}, {}, has the value \"{value}\", and its successors say \"{derived}\"; build the \
                 table anew",
                super::PARTS[*turn & 1]
            ),
            Fault::Stopped => write!(f, "stopped before everything was verified"),
            Fault::File(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Fault {}

impl Versus {
    /// Checks the file, then derives every entry from its successors. `progress` hears how many entries are done and how many
    /// there are, and may say stop. Returns what was counted. What is in a file is read into memory for this.
    pub fn verify(&self, progress: &mut dyn FnMut(u64, u64) -> bool) -> Result<Counts, Fault> {
        let unpacked;
        let values = match &self.store {
            Store::Memory(values) => values,
            Store::File(table) => {
                unpacked = unpack(table).map_err(Fault::File)?;
                &unpacked
            }
        };
        let (rows, length) = (self.space.rows(), self.space.row_length());
        let step = (BATCH / length.max(1)).max(1);
        for begin in (0..rows).step_by(step as usize) {
            if !progress(2 * begin * length, 2 * rows * length) {
                return Err(Fault::Stopped);
            }
            let batch = begin..(begin + step).min(rows);
            batch.into_par_iter().try_for_each(|row| self.verify_row(values, row))?;
        }
        let mut counts = Counts::default();
        for (side, entries) in values.iter().enumerate() {
            let mut of_byte = [0u64; 256];
            entries.iter().for_each(|value| of_byte[usize::from(*value)] += 1);
            for (byte, count) in of_byte.into_iter().enumerate() {
                counts.add(side, Outcome::of(byte as u8), count);
            }
        }
        Ok(counts)
    }

    fn verify_row(&self, values: &[Vec<u8>; 2], row: u64) -> Result<(), Fault> {
        let length = self.space.row_length();
        let red = self.space.red_at(row);
        for at in 0..length {
            let places = [red, self.space.blue_at(red, at)];
            for turn in [0, 1] {
                let value = values[turn][(row * length + at) as usize];
                let derived = match self.space.ended(places) {
                    Ended::No => self.derived(values, places, turn),
                    Ended::Won(winner) if winner == turn => Outcome::Win(0),
                    Ended::Won(_) => Outcome::Loss(0),
                    Ended::Both => Outcome::Both,
                };
                let value = Outcome::of(value);
                if value != derived {
                    return Err(Fault::Entry { pieces: self.space.cells(places), turn, value, derived });
                }
            }
        }
        Ok(())
    }

    /// What the successors say.
    #[inline]
    fn derived(&self, values: &[Vec<u8>; 2], places: Placement, turn: usize) -> Outcome {
        // The nearest loss and the farthest win of the other, as bytes, and whether there is anything else.
        let (mut nearest, mut farthest, mut open) = (BOTH, 0, false);
        self.space.each_move(places, turn, |rank| match values[1 - turn][rank as usize] {
            0 | BOTH => open = true,
            byte if byte & 1 == 1 => farthest = farthest.max(byte),
            byte => nearest = nearest.min(byte),
        });
        match (Outcome::of(nearest), Outcome::of(farthest)) {
            (Outcome::Loss(plies), _) => Outcome::Win(further(plies)),
            (_, Outcome::Win(plies)) if !open => Outcome::Loss(further(plies)),
            _ => Outcome::Draw,
        }
    }
}

/// One ply more. A table whose entries need more than a byte can tell is never made; in a forged one this is the greatest, and
/// contradicts itself somewhere.
fn further(plies: u8) -> u8 {
    (plies + 1).min(MOST_PLIES as u8)
}
