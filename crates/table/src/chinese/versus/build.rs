//! Building a table for two, layer by layer from the ends.
//!
//! A first sweep finds the ends and counts the moves of everything else. A layer is then four sweeps: for either side to move, the
//! lost positions of the layer win what lies before them, and the won ones take one off the counts of what lies before them. Lost ones come first,
//! so that nothing is counted down that is won already. Sweeps go over rows, and for each row it is noted which layers it has.
//!
//! Threads write to the same arrays, but never differently: a win is always set to the same value, and a count reaches zero for one
//! of them only. So the result does not depend on how many there are.

use super::super::Progress;
use super::super::store::{BuildError, store};
use super::probe::Versus;
use super::space::{Ended, Space, Spec};
use super::summary::{Counts, Summary};
use super::{BOTH, DRAW, MOST_PLIES, Outcome, PARTS};
use crate::file::{About, Form, Header, Part};
use crate::oracle::Metric;
use native::chinese::Unfit;
use rayon::prelude::*;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

/// Entries between two calls of the caller's function, about.
const BATCH: u64 = 1 << 22;

/// One side to move: the entries, and what is needed to find them.
struct Half {
    values: Vec<AtomicU8>,
    /// How many moves of an undecided position are not known to lose.
    left: Vec<AtomicU8>,
    /// For each row the layers of which it has wins, and losses, as bits, modulo 64.
    notes: [Vec<AtomicU64>; 2],
}

/// Which positions of a layer a sweep expands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sweep {
    /// Finds the ends, and counts moves.
    Ends,
    /// Those lost for this side to move.
    Lost(usize),
    /// Those won for this side to move.
    Won(usize),
}

/// The sweeps of a layer.
const SWEEPS: [Sweep; 4] = [Sweep::Lost(0), Sweep::Lost(1), Sweep::Won(0), Sweep::Won(1)];

/// A table being built.
pub struct Build {
    space: Space,
    halves: [Half; 2],
    counts: Counts,
    /// Where the work is: after the first sweep, the layer and which of its sweeps; then the first row that is not done.
    at: Option<(usize, usize)>,
    row: u64,
    /// Whether something was decided in more plies than a byte can tell.
    too_far: AtomicBool,
    finished: bool,
}

impl Build {
    /// Bytes of memory that building this table takes.
    pub fn memory(spec: &Spec) -> Result<u64, Unfit> {
        Ok(memory_for(&Space::new(spec.clone())?))
    }

    /// Gets ready to build, if `allowed` bytes of memory are enough.
    pub fn new(spec: Spec, allowed: u64) -> Result<Build, BuildError> {
        let space = Space::new(spec)?;
        let needed = memory_for(&space);
        if needed > allowed {
            return Err(BuildError::Memory { needed, allowed, fits_from: None });
        }
        let (entries, rows) = (space.entries() as usize, space.rows() as usize);
        let half = || Half {
            values: (0..entries).map(|_| AtomicU8::new(DRAW)).collect(),
            left: (0..entries).map(|_| AtomicU8::new(0)).collect(),
            notes: [0, 1].map(|_| (0..rows).map(|_| AtomicU64::new(0)).collect()),
        };
        let halves = [half(), half()];
        let too_far = AtomicBool::new(false);
        Ok(Build { halves, counts: Counts::default(), at: None, row: 0, too_far, finished: false, space })
    }

    /// Goes on until everything that can be forced is decided. `progress` is asked now and then; when it says `false` the build stops
    /// with [`BuildError::Stopped`], and `run` may be called again: nothing is done twice.
    pub fn run(&mut self, progress: &mut dyn FnMut(Progress) -> bool) -> Result<(), BuildError> {
        while !self.finished {
            match self.at {
                None => {
                    self.sweep(Sweep::Ends, 0, 0, progress)?;
                    self.at = Some((0, 0));
                }
                Some(_) if self.too_far.load(Relaxed) => return Err(BuildError::TooFar(MOST_PLIES, "plies")),
                Some((layer, _)) if layer > MOST_PLIES => self.finished = true,
                Some((layer, number)) => {
                    self.sweep(SWEEPS[number], layer, number, progress)?;
                    let last = number + 1 == SWEEPS.len();
                    self.at = Some(if last { (layer + 1, 0) } else { (layer, number + 1) });
                    self.finished = last && self.counts.layer(layer) == 0;
                }
            }
        }
        let total = self.space.entries();
        self.counts.settle(total);
        Ok(())
    }

    /// What has been counted so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// What is being built.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Writes the finished table.
    pub fn write(&self, path: impl AsRef<Path>, form: Form) -> Result<(), BuildError> {
        if !self.finished {
            return Err(BuildError::Stopped);
        }
        let spec = self.space.spec();
        let header = Header {
            name: spec.name(),
            identity: spec.identity(),
            metric: Metric::End,
            bits: 8,
            parts: PARTS.iter().map(|name| Part::new(*name, self.space.entries())).collect(),
            about: About::ChineseVersus(Summary::new(&self.space, &self.counts)),
        };
        store(path.as_ref(), header, form, self.halves.iter().map(|half| &half.values[..]))
    }

    /// The finished table in memory.
    ///
    /// # Panics
    /// If the build has not run to its end.
    pub fn into_versus(self) -> Versus {
        assert!(self.finished, "the build has to run to its end");
        let values = self.halves.map(|half| half.values.into_iter().map(AtomicU8::into_inner).collect());
        Versus::in_memory(self.space, values)
    }

    /// One sweep over all rows, from where the last one was stopped.
    fn sweep(
        &mut self,
        sweep: Sweep,
        layer: usize,
        number: usize,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(), BuildError> {
        let rows = self.space.rows();
        let step = (BATCH / self.space.row_length().max(1)).max(1);
        let batches = rows.div_ceil(step) as usize;
        while self.row < rows {
            let done = number * batches + (self.row / step) as usize;
            let (decided, total) = (self.counts.decided(), 2 * self.space.entries());
            if !progress(Progress { layer, decided, total, done, shares: SWEEPS.len() * batches }) {
                return Err(BuildError::Stopped);
            }
            let batch = self.row..(self.row + step).min(rows);
            let next = batch.end;
            let count: u64 = match sweep {
                Sweep::Ends => batch.into_par_iter().map(|row| self.begin(row)).sum(),
                Sweep::Lost(side) => batch.into_par_iter().map(|row| self.expand(row, side, layer, false)).sum(),
                Sweep::Won(side) => batch.into_par_iter().map(|row| self.expand(row, side, layer, true)).sum(),
            };
            match sweep {
                Sweep::Ends => self.counts.both += count,
                Sweep::Lost(side) => self.counts.add(side, Outcome::Loss(layer as u8), count),
                Sweep::Won(side) => self.counts.add(side, Outcome::Win(layer as u8), count),
            }
            self.row = next;
        }
        self.row = 0;
        Ok(())
    }

    /// The first sweep over a row: ends, and counts of moves. Returns how many placements have both goals filled.
    fn begin(&self, row: u64) -> u64 {
        let red = self.space.red_at(row);
        let mut both = 0;
        for at in 0..self.space.row_length() {
            let places = [red, self.space.blue_at(red, at)];
            let rank = (row * self.space.row_length() + at) as usize;
            match self.space.ended(places) {
                Ended::No => {
                    for (side, half) in self.halves.iter().enumerate() {
                        // Passing is a move. The space sees to it that they fit into a byte.
                        let moves = self.space.count_moves(places, side).max(1);
                        half.left[rank].store(moves as u8, Relaxed);
                    }
                }
                Ended::Won(winner) => {
                    self.set(winner, row, rank as u64, Outcome::Win(0));
                    self.set(1 - winner, row, rank as u64, Outcome::Loss(0));
                }
                Ended::Both => {
                    self.halves.iter().for_each(|half| half.values[rank].store(BOTH, Relaxed));
                    both += 1;
                }
            }
        }
        both
    }

    /// Tells everything before the positions of a row that are won, or lost, in so many plies. Returns how many these are.
    fn expand(&self, row: u64, side: usize, layer: usize, won: bool) -> u64 {
        let (half, before) = (&self.halves[side], 1 - side);
        if half.notes[usize::from(won)][row as usize].load(Relaxed) >> (layer & 63) & 1 == 0 {
            return 0;
        }
        let plies = layer as u8;
        let (outcome, next) = if won {
            (Outcome::Win(plies), Outcome::Loss(plies + 1))
        } else {
            (Outcome::Loss(plies), Outcome::Win(plies + 1))
        };
        let (code, length) = (outcome.byte(), self.space.row_length());
        let first = (row * length) as usize;
        let red = self.space.red_at(row);
        let mut count = 0;
        for (at, value) in half.values[first..first + length as usize].iter().enumerate() {
            if value.load(Relaxed) != code {
                continue;
            }
            count += 1;
            let places = [red, self.space.blue_at(red, at as u64)];
            let earlier = &self.halves[before];
            self.space.each_move(places, before, |rank| {
                if earlier.values[rank as usize].load(Relaxed) == DRAW
                    && (!won || earlier.left[rank as usize].fetch_sub(1, Relaxed) == 1)
                {
                    self.set(before, rank / length, rank, next);
                }
            });
        }
        count
    }

    /// Sets an entry and notes its layer. What is too far for a byte is not set, and ends the build.
    #[inline]
    fn set(&self, side: usize, row: u64, rank: u64, outcome: Outcome) {
        let (won, plies) = match outcome {
            Outcome::Win(plies) => (1, plies),
            Outcome::Loss(plies) => (0, plies),
            Outcome::Draw | Outcome::Both => return,
        };
        let half = &self.halves[side];
        if usize::from(plies) > MOST_PLIES {
            self.too_far.store(true, Relaxed);
            return;
        }
        half.values[rank as usize].store(outcome.byte(), Relaxed);
        let (notes, bit) = (&half.notes[won][row as usize], 1 << (plies & 63));
        if notes.load(Relaxed) & bit == 0 {
            notes.fetch_or(bit, Relaxed);
        }
    }
}

fn memory_for(space: &Space) -> u64 {
    // Entries and counts of both sides, notes, and a little for everything else.
    let rows = space.rows().saturating_mul(4 * 8);
    space.entries().saturating_mul(4).saturating_add(rows).saturating_add(1 << 18)
}
