//! Retrograde analysis: from the mates and the smaller tables back through all positions of one material.
//!
//! Two bytes an entry while building: the value, and how many quiet moves are not yet known to lose. Layers of one ply are
//! worked through in order. A position lost in `n` makes every position before it won in at most `n + 1`; a position won
//! in `n` takes one move from each position before it, and whoever has none left is lost. Values that come from
//! captures and promotions are put in at the start and wait for their layer.
//!
//! Every block (one pair of kings, one side to move) is written by one thread only: it looks at the finished layer of its
//! own block for the moves of the other men, and at the blocks that a king can go to. So no locks are needed, and each move
//! is seen exactly once, also where both kings stand on the diagonal and a position has two numbers.

mod first;
mod update;

use super::index::Index;
use super::material::{Material, MaterialError};
use super::space::{Space, block_size};
use super::sub::Subs;
use super::table::{Metric, NOTHING, Table, Tables};
use native::chess::Colour;
use rayon::prelude::*;
use std::fmt;
use update::Update;

/// What the builder is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Looking at every position once: mates, captures, promotions, number of moves.
    First,
    /// Working through the layer of this many plies.
    Layer(u8),
    /// Putting the values into the order of the index.
    Pack,
}

/// How far the builder is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// What it is doing.
    pub phase: Phase,
    /// Positions looked at in the first phase and in the last, positions decided in between.
    pub done: u64,
    /// How many there are at most.
    pub total: u64,
}

/// Why a table was not built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildError {
    /// A smaller table is needed first.
    Missing(Material),
    /// A smaller table cannot be read, in the words of its error.
    File(String),
    /// There is no table for such men.
    Material(MaterialError),
    /// A value does not fit into a byte.
    TooLong(Material),
    /// The caller said stop.
    Stopped,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Missing(material) => write!(f, "the table of {material} is needed first; build it"),
            BuildError::File(error) => f.write_str(error),
            BuildError::Material(error) => error.fmt(f),
            BuildError::TooLong(material) => {
                write!(f, "{material}: a win takes more than 254 plies, which a byte cannot hold")
            }
            BuildError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for BuildError {}

/// The bytes that building a table takes at most, without the smaller tables.
pub fn memory(material: Material) -> u64 {
    let classes = super::index::Kings::of(&material).pairs.len() as u64;
    let block = block_size(&material) as u64;
    let numbers = classes * block;
    // Values and counts of both sides; one part of a layer as a list; the finished table; the squares of each number.
    let needed = 4 * numbers + 4 * (numbers / PART + classes * 16) + 2 * Index::new(material).len() + 4 * block;
    // Double steps that wait for en passant are less than one in a hundred.
    needed + if material.passing() { numbers / 2 } else { 0 } + (2 << 20)
}

/// A layer is worked through in so many parts that a list holds at most this share of all numbers (unless a whole
/// block is larger).
const PART: u64 = 8;

/// Builds one table. The tables that [`Material::next`] names must be there, with the same metric.
pub fn build(
    material: Material,
    metric: Metric,
    tables: &Tables,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<Table, BuildError> {
    match material.men().len() {
        1 => build_sized::<1>(material, metric, tables, progress),
        2 => build_sized::<2>(material, metric, tables, progress),
        _ => build_sized::<3>(material, metric, tables, progress),
    }
}

fn build_sized<const N: usize>(
    material: Material,
    metric: Metric,
    tables: &Tables,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<Table, BuildError> {
    let space = Space::<N>::new(&material).ok_or(BuildError::Missing(material))?;
    let subs = Subs::new(&space.slots, metric, tables)?;
    let builder = Builder { space, subs, passing: material.passing() };
    let mut work = builder.first(material, progress)?;
    builder.layers(material, &mut work, progress)?;
    builder.subs.fault()?;
    let index = Index::new(material);
    if !progress(Progress { phase: Phase::Pack, done: 0, total: 2 * index.len() }) {
        return Err(BuildError::Stopped);
    }
    let data = work.map(|side| builder.pack(&index, side));
    Ok(Table::new(index, metric, data))
}

/// A double step after which a pawn can be taken en passant, to the profit of the taker.
struct Waiting {
    /// The layer in which the double step turns out to lose, if not before.
    at: u8,
    before: u32,
    after: u32,
}

/// The work on one side to move.
#[derive(Default)]
struct Side {
    values: Vec<u8>,
    /// Quiet moves not yet known to lose; [`OUTSIDE`] says that there are also losing captures or promotions.
    counts: Vec<u8>,
    /// By block.
    waiting: Vec<Vec<Waiting>>,
}

const OUTSIDE: u8 = 0x80;
const COUNT: u8 = 0x7f;
/// A count that never reaches 0: nobody has so many moves.
const ENDLESS: u8 = 0x7f;
/// Positions that cannot occur have the value 0, so that nothing ever overwrites it, and this count; mates have count 0.
const BROKEN: u8 = 0xff;

struct Builder<'a, const N: usize> {
    space: Space<N>,
    subs: Subs<'a, N>,
    passing: bool,
}

impl<const N: usize> Builder<'_, N> {
    fn kings(&self, class: usize) -> [u8; 2] {
        let (white, black) = self.space.kings.pairs[class];
        [white, black]
    }

    /// Works through all layers.
    fn layers(
        &self,
        material: Material,
        sides: &mut [Side; 2],
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(), BuildError> {
        let total = 2 * sides[0].values.len() as u64;
        let mut decided = 0;
        let mut last = highest(&sides[0]).max(highest(&sides[1]));
        let mut layer = 0;
        while layer <= last {
            if layer == NOTHING {
                return Err(BuildError::TooLong(material));
            }
            if !progress(Progress { phase: Phase::Layer(layer), done: decided, total }) {
                return Err(BuildError::Stopped);
            }
            for turn in Colour::BOTH {
                let [white, black] = &mut *sides;
                let (decided_side, target) = match turn {
                    Colour::White => (white, black),
                    Colour::Black => (black, white),
                };
                let (found, reached) = self.layer(layer, turn, decided_side, target);
                decided += found;
                last = last.max(reached);
            }
            layer += 1;
        }
        Ok(())
    }

    /// One layer of the positions with `turn` to move; tells how many there are and the highest value set.
    fn layer(&self, layer: u8, turn: Colour, from: &Side, target: &mut Side) -> (u64, u8) {
        let block = self.space.block;
        let count: usize =
            from.values.par_chunks(block).map(|values| values.iter().filter(|&&v| v == layer).count()).sum();
        let parts = (count as u64 * PART).div_ceil(from.values.len() as u64).max(1) as usize;
        let mut reached = 0;
        let mut found = 0;
        for part in 0..parts {
            let range = block * part / parts..block * (part + 1) / parts;
            let lists: Vec<Vec<u32>> = from
                .values
                .par_chunks(block)
                .zip(from.counts.par_chunks(block))
                .map(|(values, counts)| collect(values, counts, range.clone(), layer))
                .collect();
            found += lists.iter().map(|list| list.len() as u64).sum::<u64>();
            let waiting: &[Vec<Waiting>] = if part == 0 { &target.waiting } else { &[] };
            let blocks = target.values.par_chunks_mut(block).zip(target.counts.par_chunks_mut(block)).enumerate();
            let highest = blocks.map(|(class, (values, counts))| {
                let mut update = Update { builder: self, class, layer, turn: turn.other(), values, counts, highest: 0 };
                update.men(&lists[class]);
                update.king(&lists);
                if let Some(waiting) = waiting.get(class) {
                    update.waiting(waiting, &from.values[class * block..(class + 1) * block]);
                }
                update.highest
            });
            reached = reached.max(highest.max().unwrap_or(0));
        }
        (found, reached)
    }

    /// The values in the order of the index.
    fn pack(&self, index: &Index, side: Side) -> Vec<u8> {
        let mut packed = vec![NOTHING; index.len() as usize];
        let mut parts = Vec::new();
        let mut rest = &mut packed[..];
        for pair in index.bases().windows(2) {
            let (part, more) = rest.split_at_mut((pair[1] - pair[0]) as usize);
            parts.push(part);
            rest = more;
        }
        let block = self.space.block;
        parts.into_par_iter().enumerate().for_each(|(class, part)| {
            let values = &side.values[class * block..(class + 1) * block];
            let counts = &side.counts[class * block..(class + 1) * block];
            for (number, entry) in part.iter_mut().enumerate() {
                let placement = index.unrank_in(class, number as u64);
                let at = self.space.encode(&std::array::from_fn(|slot| placement.men[slot]));
                if values[at] != 0 || counts[at] & COUNT == 0 {
                    *entry = values[at];
                }
            }
        });
        packed
    }
}

fn highest(side: &Side) -> u8 {
    let values = side.values.par_iter().map(|&value| if value == NOTHING { 0 } else { value }).max().unwrap_or(0);
    let waiting = side.waiting.iter().flatten().map(|entry| entry.at).max().unwrap_or(0);
    values.max(waiting)
}

/// The numbers of a part of a block that have the value of the layer.
fn collect(values: &[u8], counts: &[u8], range: std::ops::Range<usize>, layer: u8) -> Vec<u32> {
    let mut list = Vec::new();
    const CHUNK: usize = 64;
    let mut at = range.start;
    while at < range.end {
        let end = (at + CHUNK).min(range.end);
        if values[at..end].iter().fold(false, |any, &value| any | (value == layer)) {
            for number in at..end {
                // Positions that cannot occur look like mates, except for their count.
                if values[number] == layer && (layer > 0 || counts[number] & COUNT == 0) {
                    list.push(number as u32);
                }
            }
        }
        at = end;
    }
    list
}

/// Builds a table and everything it needs that is not there yet, in order.
pub fn build_all(
    material: Material,
    metric: Metric,
    tables: &mut Tables,
    progress: &mut dyn FnMut(Material, Progress) -> bool,
) -> Result<(), BuildError> {
    let mut list = material.needs();
    list.push(material);
    for material in list {
        if tables.get(material, metric).is_none() {
            let table = build(material, metric, tables, &mut |step| progress(material, step))?;
            tables.add(table);
        }
    }
    Ok(())
}
