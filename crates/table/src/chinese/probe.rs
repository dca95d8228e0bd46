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
    /// It is a whole table, but not one of pieces against pieces as this program numbers them.
    NotVersus(String),
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
            OpenError::NotVersus(path) => write!(
                f,
                "{path}: this is not a table of pieces against pieces in Chinese checkers as this program makes them; \
                 build one with `ludens table build chinese-checkers --against L`"
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

/// The part of a file and the number in it; in memory all is one part.
#[derive(Clone, Copy)]
struct Place {
    part: usize,
    rank: u64,
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

    /// Opens a file: only what is asked for is ever read.
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

    /// The same table in memory, every block checked on the way: what long runs of probes want.
    pub fn load(self) -> Result<Distances, FileError> {
        let values = match &self.store {
            Store::Memory(_) => return Ok(self),
            Store::File(_) => self.unpack()?,
        };
        Ok(Distances::in_memory(self.space, values))
    }

    /// The distance of a placement, given by its cells (`row * side + column`), to the corner at (0, 0).
    pub fn distance(&self, cells: Cells) -> Result<Distance, FileError> {
        let value = match self.whole(cells) {
            Some(places) => self.value(places)?,
            None => None,
        };
        Ok(self.meaning(value))
    }

    /// The distances of many placements: the same as one by one, but the ways to memory overlap.
    pub fn distances(&self, all: &[Cells], out: &mut Vec<Distance>) -> Result<(), FileError> {
        out.clear();
        for some in all.chunks(AT_A_TIME) {
            let mut places = [None; AT_A_TIME];
            for (place, &cells) in places.iter_mut().zip(some) {
                *place = self.whole(cells).map(|places| self.place(places));
            }
            for place in &places[..some.len()] {
                let value = match place {
                    Some(place) => self.at(*place)?,
                    None => None,
                };
                out.push(self.meaning(value));
            }
        }
        Ok(())
    }

    /// The entry of a placement given by its places (see [`Space`]), which must be as many as the table's pieces: the quickest way
    /// there is. `None` where the goal cannot be reached, or the entry is not in memory.
    #[inline]
    pub fn by_places(&self, places: Cells) -> Option<u8> {
        debug_assert_eq!(places.count_ones() as usize, self.space.spec().pieces);
        match &self.store {
            Store::Memory(values) => {
                values.get(self.space.rank(places) as usize).copied().filter(|value| *value != NEVER)
            }
            Store::File(_) => None,
        }
    }

    /// The numbers of the table's beginning, as far as it is in memory.
    pub fn values(&self) -> &[u8] {
        match &self.store {
            Store::Memory(values) => values,
            Store::File(_) => &[],
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

    /// Where the entry of a set of places is.
    #[inline]
    fn place(&self, places: Cells) -> Place {
        let rank = self.space.rank(places);
        match &self.store {
            Store::Memory(_) => Place { part: 0, rank },
            Store::File(_) => {
                let pieces = self.space.spec().pieces;
                let last = 127 - places.leading_zeros() as usize;
                Place { part: last + 1 - pieces, rank: rank - self.space.choose(last, pieces) }
            }
        }
    }

    #[inline]
    fn at(&self, place: Place) -> Result<Option<u8>, FileError> {
        match &self.store {
            Store::Memory(values) => Ok(values.get(place.rank as usize).copied()),
            Store::File(table) => table.get(place.part, place.rank).map(Some),
        }
    }

    /// The entry of a set of places.
    fn value(&self, places: Cells) -> Result<Option<u8>, FileError> {
        self.at(self.place(places))
    }

    /// Every move of a placement with the distance behind it, in order of first and last cell.
    pub fn moves(&self, cells: Cells) -> Result<Vec<(u8, u8, Distance)>, FileError> {
        let mut moves = Vec::new();
        let Some(places) = self.space.places(cells) else { return Ok(Vec::new()) };
        // On the table's own graph, which has neither deleted cells nor cells before the start, so that no chain uses them.
        self.space.graph.successors(places, 0, |_, _, next| {
            let next = self.space.cells(next);
            let (from, to) = ((cells & !next).trailing_zeros() as u8, (next & !cells).trailing_zeros() as u8);
            moves.push(self.distance(next).map(|distance| (from, to, distance)));
        });
        let mut moves = moves.into_iter().collect::<Result<Vec<_>, _>>()?;
        moves.sort_by_key(|row| (row.0, row.1));
        Ok(moves)
    }

    /// A shortest line to the goal, as first and last cells of its moves; `None` if there is no way that the table knows.
    /// That the distance does not fall along the line is an error.
    pub fn line(&self, cells: Cells) -> Result<Option<Vec<(u8, u8)>>, FileError> {
        let Some(moves) = self.distance(cells)?.moves() else { return Ok(None) };
        let mut at = cells;
        let mut line = Vec::with_capacity(usize::from(moves));
        for left in (0..moves).rev() {
            let known = self.moves(at)?;
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
