//! Verifying a table: every entry is derived again from its neighbours, whoever made it.
//!
//! Distances are right exactly if the goal has 0 and nothing else has, every other entry has a neighbour that is one less
//! and none that is still less, and no entry without a value has a neighbour with one.

use super::NEVER;
use super::edges::Placement;
use super::probe::{Distances, Store};
use crate::file::FileError;
use native::chinese::Cells;
use rayon::prelude::*;
use std::fmt;

/// Entries that one thread takes at a time.
const CHUNK: u64 = 1 << 14;
/// Chunks between two calls of the caller's function.
const BATCH: u64 = 256;

/// What is wrong with a table.
#[derive(Debug)]
pub enum Fault {
    /// An entry does not follow from its neighbours.
    Entry {
        /// The placement: the bits of its cells.
        cells: Cells,
        /// Its value in moves; `None` says that the goal cannot be reached.
        value: Option<u8>,
        /// What the neighbours say instead.
        derived: Option<u8>,
    },
    /// Only a part of the table is loaded.
    Partial,
    /// The caller's function said stop.
    Stopped,
    /// The file cannot be read.
    File(FileError),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Entry { cells, value, derived } => {
                let [value, derived] =
                    [value, derived].map(|value| value.map_or("never".to_string(), |moves| moves.to_string()));
                write!(
                    f,
                    "the placement {cells:x} has the value {value}, and its neighbours say {derived}; build the table anew"
                )
            }
            Fault::Partial => write!(f, "only a part of the table is loaded; open the whole file to verify it"),
            Fault::Stopped => write!(f, "stopped before everything was verified"),
            Fault::File(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Fault {}

impl Distances {
    /// Checks the file, then derives every entry from its neighbours. `progress` hears how many entries are done and how many
    /// there are, and may say stop. Returns the number of entries in each layer. What is in a file is read into memory for this.
    pub fn verify(&self, progress: &mut dyn FnMut(u64, u64) -> bool) -> Result<Vec<u64>, Fault> {
        if self.loaded() != self.space.entries() {
            return Err(Fault::Partial);
        }
        let unpacked;
        let values = match &self.store {
            Store::Memory(values) => values,
            Store::File(_) => {
                unpacked = self.unpack().map_err(Fault::File)?;
                &unpacked
            }
        };
        let total = values.len() as u64;
        let chunks = total.div_ceil(CHUNK);
        for begin in (0..chunks).step_by(BATCH as usize) {
            if !progress(begin * CHUNK, total) {
                return Err(Fault::Stopped);
            }
            let batch = begin..(begin + BATCH).min(chunks);
            batch.into_par_iter().try_for_each(|chunk| self.verify_chunk(values, chunk))?;
        }
        let mut layers = vec![0u64; 256];
        values.iter().for_each(|&value| layers[usize::from(value)] += 1);
        layers.truncate(usize::from(NEVER));
        layers.truncate(layers.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1));
        Ok(layers)
    }

    /// All entries of a file in one piece.
    pub(super) fn unpack(&self) -> Result<Vec<u8>, FileError> {
        let mut values = vec![0; self.space.entries() as usize];
        if let Store::File(table) = &self.store {
            let mut rest = &mut values[..];
            for (part, section) in self.space.sections().iter().enumerate() {
                let (room, behind) = rest.split_at_mut(section.1 as usize);
                table.load_into(part, room)?;
                rest = behind;
            }
        }
        Ok(values)
    }

    fn verify_chunk(&self, values: &[u8], chunk: u64) -> Result<(), Fault> {
        match self.space.spec().pieces {
            1 => fast_verify::<1>(self, values, chunk),
            2 => fast_verify::<2>(self, values, chunk),
            3 => fast_verify::<3>(self, values, chunk),
            4 => fast_verify::<4>(self, values, chunk),
            5 => fast_verify::<5>(self, values, chunk),
            6 => fast_verify::<6>(self, values, chunk),
            7 => fast_verify::<7>(self, values, chunk),
            8 => fast_verify::<8>(self, values, chunk),
            9 => fast_verify::<9>(self, values, chunk),
            _ => fast_verify::<10>(self, values, chunk),
        }
    }

    fn fault(&self, places: Cells, value: u8, derived: u8) -> Fault {
        let moves = |value: u8| (value != NEVER).then_some(value);
        Fault::Entry { cells: self.space.cells(places), value: moves(value), derived: moves(derived) }
    }

    #[inline(always)]
    fn verify_entries<const K: usize>(&self, values: &[u8], chunk: u64) -> Result<(), Fault> {
        let end = ((chunk + 1) * CHUNK).min(values.len() as u64);
        let mut placement = Placement::<K>::new(&self.space, chunk * CHUNK);
        for rank in chunk * CHUNK..end {
            placement.advance(&self.space, rank);
            let value = values[rank as usize];
            let image = self.space.mirror(placement.set);
            if image < placement.set {
                // With all pairs of images equal, and one of each pair derived, the other follows.
                let derived = values[self.space.rank(image) as usize];
                if value != derived {
                    return Err(self.fault(placement.set, value, derived));
                }
                continue;
            }
            let mut least = NEVER;
            placement.each_move(&self.space, |rank, _| {
                least = least.min(values[rank as usize]);
            });
            let home = placement.set & !self.space.goal == 0;
            let derived = if home { 0 } else { least.saturating_add(1) };
            if value != derived {
                return Err(self.fault(placement.set, value, derived));
            }
        }
        Ok(())
    }
}

/// Calls `verify_entries` compiled for the instructions that the processor has.
fn fast_verify<const K: usize>(distances: &Distances, values: &[u8], chunk: u64) -> Result<(), Fault> {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt")]
        fn with_popcnt<const K: usize>(distances: &Distances, values: &[u8], chunk: u64) -> Result<(), Fault> {
            distances.verify_entries::<K>(values, chunk)
        }
        if is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
        {
            // SAFETY: the processor has these instructions.
            return unsafe { with_popcnt::<K>(distances, values, chunk) };
        }
    }
    distances.verify_entries::<K>(values, chunk)
}
