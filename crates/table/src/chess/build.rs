//! Retrograde analysis: from the mates and the smaller tables back through all positions of one material.
//!
//! Layers of one ply are worked through in order. A position lost in `n` makes every position before it won in at most `n + 1`; a
//! position won in `n` takes one move from each position before it, and whoever has none left is lost. Values that come from
//! captures and promotions are put in at the start and wait for their layer.
//!
//! There are two ways to do it. [`planes`] takes 64 positions at a time, and is what nearly all tables are built by. The one in this file
//! takes one at a time, with two bytes an entry: the value, and how many quiet moves are not yet known to lose. It knows en passant,
//! and the count to zeroing: there pawn moves are values of the start as well, and the positions with the pawns further ahead are
//! built before, in a pass of their own. Whoever is won or lost is told by the count of moves: those who have lost have none left.
//!
//! Every block (one pair of kings, one side to move) is written by one thread only: it looks at the finished layer of its
//! own block for the moves of the other men, and at the blocks that a king can go to. So no locks are needed, and each move
//! is seen exactly once, also where both kings stand on the diagonal and a position has two numbers.

mod first;
mod passes;
mod planes;
mod update;

use super::index::Index;
use super::layout::Layout;
use super::material::{Material, MaterialError};
use super::space::{Space, block_size};
use super::sub::Subs;
use super::table::{Code, Data, Metric, NOTHING, Outcome, Table, Tables};
use native::chess::Colour;
use passes::{Pass, Passes};
use planes::Planes;
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
    /// Which pass it is, from 0, and of how many; each looks at every position first and then works through layers.
    pub pass: (u8, u8),
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
    let words = match material.men().len() {
        1 => words::<1>(&material),
        2 => words::<2>(&material),
        _ => words::<3>(&material),
    };
    let classes = super::index::Kings::of(&material).pairs.len() as u64;
    let packed = 2 * Index::new(material).len();
    // 64 at a time: values of both sides, eight planes, and lists of what waits and of what was decided last.
    let by_words = 4 * 64 * classes * words + packed;
    let block = block_size(&material) as u64;
    let numbers = classes * block;
    // One at a time: values and counts of both sides; one part of a layer as a list; the finished table; the squares of each number.
    let by_counts = 4 * numbers + 4 * (numbers / PART + classes * 16) + packed + 4 * block;
    // Double steps that wait for en passant are less than one in a hundred.
    by_words.max(by_counts + if material.passing() { numbers / 2 } else { 0 }) + (2 << 20)
}

fn words<const N: usize>(material: &Material) -> u64 {
    Space::<N>::new(material).map_or(0, |space| Layout::new(&space).words as u64)
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
    build_by(Way::of(material, metric), material, metric, tables, progress)
}

/// How positions are worked through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// One at a time, counting moves.
    Counts,
    /// 64 at a time.
    Words,
}

impl Way {
    /// The faster way where it can be taken.
    fn of(material: Material, metric: Metric) -> Way {
        if metric == Metric::Zeroing || material.passing() { Way::Counts } else { Way::Words }
    }
}

fn build_by(
    way: Way,
    material: Material,
    metric: Metric,
    tables: &Tables,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<Table, BuildError> {
    match material.men().len() {
        1 => build_sized::<1>(way, material, metric, tables, progress),
        2 => build_sized::<2>(way, material, metric, tables, progress),
        _ => build_sized::<3>(way, material, metric, tables, progress),
    }
}

fn build_sized<const N: usize>(
    way: Way,
    material: Material,
    metric: Metric,
    tables: &Tables,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<Table, BuildError> {
    let space = Space::<N>::new(&material).ok_or(BuildError::Missing(material))?;
    let subs = Subs::new(&space.slots, metric, tables)?;
    let passes = Passes::new(&space, metric);
    let builder = Builder { space, subs, passing: material.passing(), metric };
    if way == Way::Words {
        let index = Index::new(material);
        let data = Planes::new(&builder, material).build(&index, progress)?;
        builder.subs.fault()?;
        return Ok(Table::new(index, metric, [Code::Parity; 2], Data::Memory(data)));
    }
    let mut work = builder.room();
    for pass in passes.iter() {
        builder.first(material, &pass, &mut work, progress)?;
        builder.layers(material, &pass, &mut work, progress)?;
    }
    builder.subs.fault()?;
    let index = Index::new(material);
    let last = (passes.count() - 1, passes.count());
    if !progress(Progress { pass: last, phase: Phase::Pack, done: 0, total: 2 * index.len() }) {
        return Err(BuildError::Stopped);
    }
    let mut codes = [Code::Parity; 2];
    if metric == Metric::Zeroing {
        for (code, side) in codes.iter_mut().zip(&work) {
            *code = side.code().ok_or(BuildError::TooLong(material))?;
        }
    }
    let mut data = [Vec::new(), Vec::new()];
    for ((data, side), &code) in data.iter_mut().zip(work).zip(&codes) {
        *data = builder.pack(&index, side, code);
    }
    Ok(Table::new(index, metric, codes, Data::Memory(data)))
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
    /// Quiet moves not yet known to lose; [`OUTSIDE`] says that there are also losing captures or promotions (counting to zeroing:
    /// that one of them loses but for the fifty-move rule).
    counts: Vec<u8>,
    /// By block.
    waiting: Vec<Vec<Waiting>>,
}

impl Side {
    /// The value of a number whose position can occur.
    #[inline]
    fn outcome(values: &[u8], counts: &[u8], number: usize) -> Outcome {
        match values[number] {
            NOTHING => Outcome::Draw,
            plies if counts[number] & COUNT == 0 => Outcome::Loss(plies),
            plies => Outcome::Win(plies),
        }
    }

    /// How its values become bytes where wins and losses may have the same plies.
    fn code(&self) -> Option<Code> {
        let most = |lost: bool| {
            let both = self.values.par_iter().zip(&self.counts);
            let some = both.filter(|&(&value, &count)| value != NOTHING && (count & COUNT == 0) == lost);
            some.map(|(&value, _)| value).max().unwrap_or(0)
        };
        Code::bordered(most(false), most(true))
    }
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
    metric: Metric,
}

impl<const N: usize> Builder<'_, N> {
    /// Whether pawn moves end what is counted.
    fn zeroing(&self) -> bool {
        self.metric == Metric::Zeroing
    }

    /// Room for all positions, none of which can occur as yet.
    fn room(&self) -> [Side; 2] {
        let numbers = self.space.kings.pairs.len() * self.space.block;
        Colour::BOTH.map(|_| Side { values: vec![0; numbers], counts: vec![BROKEN; numbers], waiting: Vec::new() })
    }

    fn kings(&self, class: usize) -> [u8; 2] {
        self.space.kings.at(class)
    }

    /// Works through all layers of a pass.
    fn layers(
        &self,
        material: Material,
        pass: &Pass<'_>,
        sides: &mut [Side; 2],
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(), BuildError> {
        let total = 2 * sides[0].values.len() as u64;
        let mut decided = 0;
        let mut last = self.highest(&sides[0], pass).max(self.highest(&sides[1], pass));
        let mut layer = 0;
        while layer <= last {
            if layer == NOTHING {
                return Err(BuildError::TooLong(material));
            }
            if !progress(Progress { pass: pass.place(), phase: Phase::Layer(layer), done: decided, total }) {
                return Err(BuildError::Stopped);
            }
            for turn in Colour::BOTH {
                let [white, black] = &mut *sides;
                let (decided_side, target) = match turn {
                    Colour::White => (white, black),
                    Colour::Black => (black, white),
                };
                for lost in [true, false] {
                    // Counting to mate or to conversion, the plies tell who has lost.
                    if self.zeroing() || lost == (layer & 1 == 0) {
                        let (found, reached) =
                            self.layer(Layer { plies: layer, lost, turn }, pass, decided_side, target);
                        decided += found;
                        last = last.max(reached);
                    }
                }
            }
            layer += 1;
        }
        Ok(())
    }

    /// One layer of the positions of one side to move that are lost, or won; tells how many there are and the highest value set.
    fn layer(&self, layer: Layer, pass: &Pass<'_>, from: &Side, target: &mut Side) -> (u64, u8) {
        let block = self.space.block;
        let count: usize =
            from.values.par_chunks(block).map(|values| values.iter().filter(|&&v| v == layer.plies).count()).sum();
        let parts = (count as u64 * PART).div_ceil(from.values.len() as u64).max(1) as usize;
        let mut reached = 0;
        let mut found = 0;
        for part in 0..parts {
            let range = block * part / parts..block * (part + 1) / parts;
            let lists: Vec<Vec<u32>> = from
                .values
                .par_chunks(block)
                .zip(from.counts.par_chunks(block))
                .map(|(values, counts)| collect(values, counts, range.clone(), layer, pass))
                .collect();
            found += lists.iter().map(|list| list.len() as u64).sum::<u64>();
            let waiting: &[Vec<Waiting>] = if part == 0 { &target.waiting } else { &[] };
            let blocks = target.values.par_chunks_mut(block).zip(target.counts.par_chunks_mut(block)).enumerate();
            let highest = blocks.map(|(class, (values, counts))| {
                let mut update = Update { builder: self, class, layer, values, counts, highest: 0 };
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
    fn pack(&self, index: &Index, side: Side, code: Code) -> Vec<u8> {
        let mut packed = vec![NOTHING; index.len() as usize];
        let block = self.space.block;
        index.by_kings(&mut packed).into_par_iter().enumerate().for_each(|(class, part)| {
            let values = &side.values[class * block..(class + 1) * block];
            let counts = &side.counts[class * block..(class + 1) * block];
            for (number, entry) in part.iter_mut().enumerate() {
                let placement = index.unrank_in(class, number as u64);
                let at = self.space.encode(&std::array::from_fn(|slot| placement.men[slot]));
                if values[at] != 0 || counts[at] & COUNT == 0 {
                    *entry = code.byte(Side::outcome(values, counts, at));
                }
            }
        });
        packed
    }
}

/// What is worked on at a time.
#[derive(Clone, Copy)]
struct Layer {
    /// Decided in so many plies …
    plies: u8,
    /// … as lost, or as won.
    lost: bool,
    /// Who is to move there.
    turn: Colour,
}

/// The numbers of a part of a block that have the value of the layer.
fn collect(values: &[u8], counts: &[u8], range: std::ops::Range<usize>, layer: Layer, pass: &Pass<'_>) -> Vec<u32> {
    let mut list = Vec::new();
    const CHUNK: usize = 64;
    let mut at = range.start;
    while at < range.end {
        let end = (at + CHUNK).min(range.end);
        if values[at..end].iter().fold(false, |any, &value| any | (value == layer.plies)) {
            for number in at..end {
                // Positions that cannot occur look like mates, except for their count.
                let lost = counts[number] & COUNT == 0;
                if values[number] == layer.plies && lost == layer.lost && (lost || layer.plies > 0) && pass.has(number)
                {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways make the same bytes, with pawns and without, with equal men and without.
    #[test]
    fn words_and_counts_agree() {
        for (name, metric) in
            [("KRPK", Metric::Mate), ("KPPK", Metric::Conversion), ("KBNK", Metric::Mate), ("KQKP", Metric::Mate)]
        {
            let material = Material::parse(name).unwrap();
            let mut tables = Tables::new();
            for material in material.needs().into_iter().chain([material]) {
                let one = build_by(Way::Counts, material, metric, &tables, &mut |_| true).unwrap();
                if Way::of(material, metric) == Way::Words {
                    let other = build_by(Way::Words, material, metric, &tables, &mut |_| true).unwrap();
                    let (Data::Memory(one), Data::Memory(other)) = (&one.data, &other.data) else { panic!() };
                    let differ = |side: usize| (0..one[side].len()).find(|&at| one[side][at] != other[side][at]);
                    assert_eq!([differ(0), differ(1)], [None, None], "{material} {}", metric.name());
                }
                tables.add(one);
            }
        }
    }
}
