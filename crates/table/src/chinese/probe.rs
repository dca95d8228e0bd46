//! Asking a finished table: distances, best moves, whole lines.

use super::NEVER;
use super::space::{Space, Written};
use crate::file::{About, FileError, Table};
use native::chinese::Cells;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// What a table says about a placement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Distance {
    /// The least number of moves.
    Moves(u8),
    /// So many moves are enough, perhaps fewer: the table has a section only, and its lines do not leave it.
    AtMost(u8),
    /// The goal cannot be reached.
    Never,
    /// The table, or what was loaded of it, has no such placement.
    Absent,
}

impl Distance {
    /// The number, exact or bound.
    pub fn moves(self) -> Option<u8> {
        match self {
            Distance::Moves(moves) | Distance::AtMost(moves) => Some(moves),
            Distance::Never | Distance::Absent => None,
        }
    }
}

/// Why a file cannot be used here.
#[derive(Debug)]
pub enum OpenError {
    /// It cannot be read, or is damaged.
    File(FileError),
    /// It is a whole table, but not of distances in Chinese checkers as this program numbers them.
    Other(String),
    /// There is no section at this start.
    Start(usize),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::File(error) => error.fmt(f),
            OpenError::Other(path) => write!(
                f,
                "{path}: this is not a table of distances in Chinese checkers as this program makes them; \
                 build one with `ludens table build chinese-checkers`"
            ),
            OpenError::Start(start) => write!(f, "the table has no section at start {start}"),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<FileError> for OpenError {
    fn from(error: FileError) -> Self {
        OpenError::File(error)
    }
}

/// Placements whose ranks are worked out before the first of them is looked up.
const AT_A_TIME: usize = 64;

/// A finished table, in memory or in a file.
pub struct Distances {
    pub(super) space: Space,
    pub(super) store: Store,
}

pub(super) enum Store {
    /// The beginning of the table, or all of it.
    Memory(Vec<u8>),
    File(Box<Table>),
}

impl Distances {
    pub(super) fn in_memory(space: Space, values: Vec<u8>) -> Distances {
        Distances { space, store: Store::Memory(values) }
    }

    /// Opens a file: a raw one is mapped, so that only what is asked for is ever loaded.
    pub fn open(path: impl AsRef<Path>) -> Result<Distances, OpenError> {
        let (space, table) = open(path.as_ref())?;
        let mut distances = Distances::in_memory(space, Vec::new());
        distances.store = Store::File(Box::new(table));
        Ok(distances)
    }

    /// Loads into memory, and checks, only the sections at this start or nearer to home; the rest of the file is not read.
    pub fn open_from(path: impl AsRef<Path>, start: usize) -> Result<Distances, OpenError> {
        let (space, table) = open(path.as_ref())?;
        let sections = space.sections();
        let wanted = sections.partition_point(|section| section.0 >= start);
        if wanted == 0 {
            return Err(OpenError::Start(start));
        }
        let total: u64 = sections[..wanted].iter().map(|section| section.1).sum();
        let mut values = vec![0; total as usize];
        let mut rest = &mut values[..];
        for (part, section) in sections[..wanted].iter().enumerate() {
            let (space, behind) = rest.split_at_mut(section.1 as usize);
            table.load_into(part, space)?;
            rest = behind;
        }
        Ok(Distances::in_memory(space, values))
    }

    /// Which placements it has.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Entries that are there to be asked for.
    pub fn loaded(&self) -> u64 {
        match &self.store {
            Store::Memory(values) => values.len() as u64,
            Store::File(_) => self.space.entries(),
        }
    }

    /// The distance of a placement, given by its cells (`row * side + column`), to the corner at (0, 0).
    pub fn distance(&self, cells: Cells) -> Distance {
        self.meaning(self.whole(cells).and_then(|places| self.value(places)))
    }

    /// The distances of many placements: the same as one by one, but the ways to memory overlap.
    pub fn distances(&self, all: &[Cells], out: &mut Vec<Distance>) {
        out.clear();
        let Some(values) = self.slice() else {
            return out.extend(all.iter().map(|&cells| self.distance(cells)));
        };
        for some in all.chunks(AT_A_TIME) {
            let mut ranks = [usize::MAX; AT_A_TIME];
            for (rank, &cells) in ranks.iter_mut().zip(some) {
                *rank = self.whole(cells).map_or(usize::MAX, |places| self.space.rank(places) as usize);
            }
            out.extend(ranks[..some.len()].iter().map(|&rank| self.meaning(values.get(rank).copied())));
        }
    }

    /// The places of a placement that has as many pieces as the table.
    fn whole(&self, cells: Cells) -> Option<Cells> {
        let places = self.space.places(cells)?;
        (places.count_ones() as usize == self.space.spec().pieces).then_some(places)
    }

    fn meaning(&self, value: Option<u8>) -> Distance {
        match value {
            None => Distance::Absent,
            Some(NEVER) => Distance::Never,
            Some(value) if self.space.spec().start == 0 => Distance::Moves(value),
            Some(value) => Distance::AtMost(value),
        }
    }

    /// The entry of a set of places.
    fn value(&self, places: Cells) -> Option<u8> {
        let rank = self.space.rank(places);
        match &self.store {
            Store::Memory(values) => values.get(rank as usize).copied(),
            Store::File(table) => {
                let pieces = self.space.spec().pieces;
                let last = 127 - places.leading_zeros() as usize;
                Some(table.get(last + 1 - pieces, rank - self.space.choose(last, pieces)))
            }
        }
    }

    /// Every move of a placement with the distance behind it, in order of first and last cell.
    pub fn moves(&self, cells: Cells) -> Vec<(u8, u8, Distance)> {
        let mut moves = Vec::new();
        let Some(places) = self.space.places(cells) else { return moves };
        // On the table's own graph, which has neither deleted cells nor cells before the start, so that no chain uses them.
        self.space.graph.successors(places, 0, |_, _, next| {
            let next = self.space.cells(next);
            let (from, to) = ((cells & !next).trailing_zeros() as u8, (next & !cells).trailing_zeros() as u8);
            moves.push((from, to, self.distance(next)));
        });
        moves.sort_by_key(|row| (row.0, row.1));
        moves
    }

    /// Compares the block of a placement with its checksum, when it is asked for the first time; in memory all is right.
    fn check_block(&self, cells: Cells) -> Result<(), FileError> {
        let (Store::File(table), Some(places)) = (&self.store, self.whole(cells)) else { return Ok(()) };
        let pieces = self.space.spec().pieces;
        let last = 127 - places.leading_zeros() as usize;
        table.check_byte(last + 1 - pieces, self.space.rank(places) - self.space.choose(last, pieces))
    }

    /// As [`distance`](Distances::distance), but what is read is compared with its checksum first: for those who ask rarely
    /// and rely on the answer.
    pub fn distance_checked(&self, cells: Cells) -> Result<Distance, FileError> {
        self.check_block(cells)?;
        Ok(self.distance(cells))
    }

    /// As [`moves`](Distances::moves), with [`distance_checked`](Distances::distance_checked).
    pub fn moves_checked(&self, cells: Cells) -> Result<Vec<(u8, u8, Distance)>, FileError> {
        let moves = self.moves(cells);
        for (from, to, _) in &moves {
            self.check_block(cells & !(1 << from) | 1 << to)?;
        }
        Ok(moves)
    }

    /// As [`line`](Distances::line), with [`distance_checked`](Distances::distance_checked); that the distance does not fall
    /// along the line is an error too.
    pub fn line_checked(&self, cells: Cells) -> Result<Option<Vec<(u8, u8)>>, FileError> {
        let Some(moves) = self.distance_checked(cells)?.moves() else { return Ok(None) };
        let mut at = cells;
        let mut line = Vec::with_capacity(usize::from(moves));
        for left in (0..moves).rev() {
            let known = self.moves_checked(at)?;
            let Some((from, to, _)) = known.into_iter().find(|(_, _, distance)| distance.moves() == Some(left)) else {
                let path = self.table().map_or(Path::new(""), Table::path);
                let place = format!("the checksums fit, but no move leads from {} moves to {left}", left + 1);
                return Err(FileError::Damaged { path: path.to_owned(), place });
            };
            line.push((from, to));
            at = at & !(1 << from) | 1 << to;
        }
        Ok(Some(line))
    }

    /// What the statistics in the header of the file say otherwise than its entries, of which so many are in each layer.
    pub fn misstated(&self, layers: &[u64]) -> Option<String> {
        let About::Chinese(stated) = &self.table()?.header().about else { return None };
        crate::file::misstated(stated, &Summary::new(&self.space, layers))
    }

    /// A shortest line to the goal, as first and last cells of its moves; `None` if there is no way that the table knows.
    pub fn line(&self, cells: Cells) -> Option<Vec<(u8, u8)>> {
        let mut left = self.distance(cells).moves()?;
        let mut at = cells;
        let mut line = Vec::with_capacity(usize::from(left));
        while left > 0 {
            let places = self.space.places(at)?;
            let mut best = None;
            self.space.graph.successors(places, 0, |_, _, next| {
                if best.is_none() && self.value(next) == Some(left - 1) {
                    best = Some(next);
                }
            });
            let next = self.space.cells(best?);
            line.push(((at & !next).trailing_zeros() as u8, (next & !at).trailing_zeros() as u8));
            at = next;
            left -= 1;
        }
        Some(line)
    }

    /// The values in memory, if they can be had as one piece.
    pub(super) fn slice(&self) -> Option<&[u8]> {
        match &self.store {
            Store::Memory(values) => Some(values),
            Store::File(table) => table.raw_parts(),
        }
    }

    /// The file behind it, if there is one.
    pub fn table(&self) -> Option<&Table> {
        match &self.store {
            Store::Memory(_) => None,
            Store::File(table) => Some(table),
        }
    }
}

/// What the header of a file says about its entries.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// Which placements, and where they want to go.
    pub table: Written,
    /// Placements by moves to the goal.
    pub layers: Vec<u64>,
    /// The most moves that any of them takes.
    pub greatest: usize,
    /// Placements from which the goal can be reached.
    pub reached: u64,
    /// All placements.
    pub entries: u64,
}

impl Summary {
    /// Of a table with so many entries in each layer.
    pub(super) fn new(space: &Space, layers: &[u64]) -> Summary {
        Summary {
            table: Written::from(space.spec()),
            layers: layers.to_vec(),
            greatest: layers.len().saturating_sub(1),
            reached: layers.iter().sum(),
            entries: space.entries(),
        }
    }
}

fn open(path: &Path) -> Result<(Space, Table), OpenError> {
    let table = Table::open(path)?;
    let other = || OpenError::Other(path.display().to_string());
    let header = table.header();
    let About::Chinese(summary) = &header.about else { return Err(other()) };
    let spec = summary.table.spec().ok_or_else(other)?;
    let space = Space::new(spec).map_err(|_| other())?;
    let sections = space.sections();
    let fits = header.parts.iter().map(|part| part.entries).eq(sections.iter().map(|section| section.1));
    if header.identity != space.spec().identity() || header.bits != 8 || !fits {
        return Err(other());
    }
    Ok((space, table))
}
