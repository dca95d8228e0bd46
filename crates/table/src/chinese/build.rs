//! Building a table: layer by layer from the goal, over one array of bytes.
//!
//! Moves can be taken back, so the placements one move from layer `d` are those from which layer `d` is one move away. A pass over
//! the array finds the entries with the value `d` and gives `d + 1` to every neighbour that has none. There are no lists of
//! open placements: the array itself is all the memory that is needed, and 1/128 of it for notes on which layers each block of
//! it has. A pass can be repeated without harm, so a build that was stopped or saved in the middle of a layer goes on with that layer.
//!
//! Only one of two mirror images is expanded; whenever an entry is set, so is its image's.

use super::NEVER;
use super::edges::Placement;
use super::probe::{Distances, Summary};
use super::space::{Space, Spec};
use super::store::{BuildError, store};
use crate::file::{About, Form, Header, Part, Table};
use crate::oracle::Metric;
use native::chinese::{Cells, Unfit};
use rayon::prelude::*;
use std::path::Path;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// Entries in a block, for which it is noted which layers it has.
const BLOCK: usize = 1024;
/// Blocks that one thread takes at a time.
const CHUNK: usize = 64;
/// Pieces of work between two calls of the caller's function.
const BATCH: usize = 256;

/// How far a build is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The layer whose neighbours are being found.
    pub layer: usize,
    /// Entries in all layers that are complete.
    pub decided: u64,
    /// All entries.
    pub total: u64,
    /// How much of this layer is done: so many …
    pub done: usize,
    /// … of so many equal shares.
    pub shares: usize,
}

/// A table being built.
pub struct Build {
    space: Space,
    values: Vec<AtomicU8>,
    /// For each block of the array the layers it has, as bits, modulo 64.
    layers_of: Vec<AtomicU64>,
    /// How many entries each complete layer has.
    counts: Vec<u64>,
    /// How far the pass over the present layer has come, so that it goes on there if `run` is called again: the first
    /// chunk that is not done, and the entries counted before it.
    begun: (usize, u64),
    finished: bool,
}

impl Build {
    /// Bytes of memory that building this table takes.
    pub fn memory(spec: &Spec) -> Result<u64, Unfit> {
        Ok(memory_for(Space::new(spec.clone())?.entries()))
    }

    /// Gets ready to build, if `allowed` bytes of memory are enough; says what is needed and what would fit otherwise.
    pub fn new(spec: Spec, allowed: u64) -> Result<Build, BuildError> {
        let space = Space::new(spec)?;
        let needed = memory_for(space.entries());
        if needed > allowed {
            let fits = |start: &usize| memory_for(space.entries_from(*start)) <= allowed;
            let last = space.sections()[0].0;
            let fits_from = (space.spec().start..=last).find(fits);
            return Err(BuildError::Memory { needed, allowed, fits_from });
        }
        let entries = space.entries() as usize;
        let build = Build {
            values: fresh(entries),
            layers_of: (0..entries.div_ceil(BLOCK)).map(|_| AtomicU64::new(0)).collect(),
            counts: Vec::new(),
            begun: (0, 0),
            finished: false,
            space,
        };
        build.seed();
        Ok(build)
    }

    /// Goes on until every placement that can be reached has its distance. `progress` is asked now and then; when it says
    /// `false` the build stops with [`BuildError::Stopped`], and `run` may be called again: nothing is done twice.
    pub fn run(&mut self, progress: &mut dyn FnMut(Progress) -> bool) -> Result<(), BuildError> {
        while !self.finished {
            if self.counts.len() >= usize::from(NEVER) {
                return Err(BuildError::TooFar(usize::from(NEVER) - 1, "moves"));
            }
            let count = self.pass(progress)?;
            self.finished = count == 0;
            if count > 0 {
                self.counts.push(count);
            }
        }
        Ok(())
    }

    /// How many placements have each distance, as far as known.
    pub fn layers(&self) -> &[u64] {
        &self.counts
    }

    /// What is being built.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Writes the finished table; what the file says about itself includes its layers.
    pub fn write(&self, path: impl AsRef<Path>, form: Form) -> Result<(), BuildError> {
        if !self.finished {
            return Err(BuildError::Stopped);
        }
        self.store(path.as_ref(), form, About::Chinese)
    }

    /// Writes an unfinished build, so that [`resume`](Build::resume) can go on with it. As with every table file, a name
    /// is given only to what is whole: whoever is killed while saving still has the save before.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), BuildError> {
        self.store(path.as_ref(), Form::Raw, About::ChineseUnfinished)
    }

    /// Takes up a build that was saved.
    pub fn resume(path: impl AsRef<Path>, allowed: u64) -> Result<Build, BuildError> {
        let table = Table::open(path.as_ref())?;
        let not = || BuildError::NotABuild(path.as_ref().display().to_string());
        let header = table.header();
        let About::ChineseUnfinished(Summary { table: written, layers, .. }) = &header.about else { return Err(not()) };
        let spec = written.spec().filter(|spec| spec.identity() == header.identity).ok_or_else(not)?;
        let mut build = Build::new(spec, allowed)?;
        if *header != build.header(About::ChineseUnfinished, layers) {
            return Err(not());
        }
        let mut rank = 0;
        for part in 0..header.parts.len() {
            for &value in table.load(part)?.bytes() {
                self::set(&build.values, &build.layers_of, rank, value);
                rank += 1;
            }
        }
        build.counts = layers.clone();
        Ok(build)
    }

    /// The finished table in memory.
    ///
    /// # Panics
    /// If the build has not run to its end.
    pub fn into_distances(self) -> Distances {
        assert!(self.finished, "the build has to run to its end");
        let values = self.values.into_iter().map(AtomicU8::into_inner).collect();
        Distances::in_memory(self.space, values)
    }

    fn store(&self, path: &Path, form: Form, about: fn(Summary) -> About) -> Result<(), BuildError> {
        store(path, self.header(about, &self.counts), form, [&self.values[..]])
    }

    fn header(&self, about: fn(Summary) -> About, layers: &[u64]) -> Header {
        let spec = self.space.spec();
        let metric = if spec.start == 0 { Metric::Home } else { Metric::HomeBound };
        Header {
            name: spec.name(),
            identity: spec.identity(),
            metric,
            bits: 8,
            parts: self.space.sections().iter().map(|(start, n)| Part::new(format!("start {start}"), *n)).collect(),
            about: about(Summary::new(&self.space, layers)),
        }
    }

    /// Layer 0: all placements inside the goal.
    fn seed(&self) {
        let goal: Vec<u32> = (0..128).filter(|place| self.space.goal >> place & 1 == 1).collect();
        let k = self.space.spec().pieces;
        let mut chosen: Vec<usize> = (0..k).collect();
        loop {
            let places = chosen.iter().fold(0, |places, &at| places | 1u128 << goal[at]);
            set(&self.values, &self.layers_of, self.space.rank(places) as usize, 0);
            // The next choice in order: raise the first that can be raised, and put all before it back to the beginning.
            let limit = |j: usize| if j + 1 < k { chosen[j + 1] } else { goal.len() };
            let Some(j) = (0..k).find(|&j| chosen[j] + 1 < limit(j)) else { return };
            chosen[j] += 1;
            (0..j).for_each(|lower| chosen[lower] = lower);
        }
    }

    /// Gives the next value to all neighbours of the last layer; returns how many entries that layer has.
    fn pass(&mut self, progress: &mut dyn FnMut(Progress) -> bool) -> Result<u64, BuildError> {
        let layer = self.counts.len();
        let chunks = self.layers_of.len().div_ceil(CHUNK);
        let (decided, total) = (self.counts.iter().sum(), self.values.len() as u64);
        let (first, mut count) = self.begun;
        for begin in (first..chunks).step_by(BATCH) {
            self.begun = (begin, count);
            if !progress(Progress { layer, decided, total, done: begin, shares: chunks }) {
                return Err(BuildError::Stopped);
            }
            let batch = begin..(begin + BATCH).min(chunks);
            count += batch.into_par_iter().map(|chunk| self.expand_chunk(chunk, layer as u8)).sum::<u64>();
        }
        self.begun = (0, 0);
        Ok(count)
    }

    fn expand_chunk(&self, chunk: usize, layer: u8) -> u64 {
        let blocks = chunk * CHUNK..((chunk + 1) * CHUNK).min(self.layers_of.len());
        let live = |block: &usize| self.layers_of[*block].load(Relaxed) >> (layer & 63) & 1 == 1;
        blocks.filter(live).map(|block| self.expand_block(block, layer)).sum()
    }

    fn expand_block(&self, block: usize, layer: u8) -> u64 {
        match self.space.spec().pieces {
            1 => fast_expand::<1>(self, block, layer),
            2 => fast_expand::<2>(self, block, layer),
            3 => fast_expand::<3>(self, block, layer),
            4 => fast_expand::<4>(self, block, layer),
            5 => fast_expand::<5>(self, block, layer),
            6 => fast_expand::<6>(self, block, layer),
            7 => fast_expand::<7>(self, block, layer),
            8 => fast_expand::<8>(self, block, layer),
            9 => fast_expand::<9>(self, block, layer),
            _ => fast_expand::<10>(self, block, layer),
        }
    }

    /// Expands the entries of one block that are in the layer; returns how many entries they stand for.
    #[inline(always)]
    fn expand<const K: usize>(&self, block: usize, layer: u8) -> u64 {
        let begin = block * BLOCK;
        let end = (begin + BLOCK).min(self.values.len());
        let mut placement = Placement::<K>::new(&self.space, begin as u64);
        if self.space.all_images(placement.set, self.space.unrank(end as u64 - 1)) {
            return 0;
        }
        let mut count = 0;
        let mut rank = begin;
        while rank < end {
            if self.values[rank].load(Relaxed) != layer {
                rank += 1;
                continue;
            }
            placement.advance(&self.space, rank as u64);
            let row = placement.row_begin() as usize;
            let row_end = (row + placement.row_length(&self.space)).min(end);
            let upper = placement.upper();
            let mut lowest: Cells = 0;
            for (at, value) in (rank - row..).zip(&self.values[rank..row_end]) {
                if value.load(Relaxed) == layer {
                    let set = upper | 1 << at;
                    let image = self.space.mirror(set);
                    if image >= set {
                        lowest |= 1 << at;
                        count += if image == set { 1 } else { 2 };
                    }
                }
            }
            rank = row_end;
            if lowest != 0 {
                placement.each_move_of_row(&self.space, lowest, |rank, others, place| {
                    if self.values[rank as usize].load(Relaxed) == NEVER {
                        self.reached(rank, others | 1 << place, layer + 1);
                    }
                });
            }
        }
        count
    }

    #[inline(never)]
    fn reached(&self, rank: u64, places: Cells, value: u8) {
        set(&self.values, &self.layers_of, rank as usize, value);
        let image = self.space.mirror(places);
        if image != places {
            set(&self.values, &self.layers_of, self.space.rank(image) as usize, value);
        }
    }
}

/// Calls `expand` compiled for the instructions that the processor has; counting bits is a large part of the work.
fn fast_expand<const K: usize>(build: &Build, block: usize, layer: u8) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt")]
        fn with_popcnt<const K: usize>(build: &Build, block: usize, layer: u8) -> u64 {
            build.expand::<K>(block, layer)
        }
        if is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
        {
            // SAFETY: the processor has these instructions.
            return unsafe { with_popcnt::<K>(build, block, layer) };
        }
    }
    build.expand::<K>(block, layer)
}

/// Sets an entry and notes its layer. Several threads may set the same entry, always to the same value.
#[inline]
fn set(values: &[AtomicU8], layers_of: &[AtomicU64], rank: usize, value: u8) {
    values[rank].store(value, Relaxed);
    if value != NEVER {
        let (notes, bit) = (&layers_of[rank / BLOCK], 1 << (value & 63));
        if notes.load(Relaxed) & bit == 0 {
            notes.fetch_or(bit, Relaxed);
        }
    }
}

fn memory_for(entries: u64) -> u64 {
    // The array, its notes, and a little for everything else.
    entries.saturating_add(entries / BLOCK as u64 * 8).saturating_add(1 << 18)
}

/// An array without values.
fn fresh(entries: usize) -> Vec<AtomicU8> {
    (0..entries).map(|_| AtomicU8::new(NEVER)).collect()
}
