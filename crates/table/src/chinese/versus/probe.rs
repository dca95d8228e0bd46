//! Asking a finished table for two: outcomes, the moves of a position, the line of best play.

use super::super::OpenError;
use super::space::{Ended, Placement, Space};
use super::summary::{Counts, Summary};
use super::{Outcome, PARTS};
use crate::file::{About, FileError, Table};
use native::chinese::Cells;
use std::path::Path;

/// A finished table, in memory or in a file.
pub struct Versus {
    pub(super) space: Space,
    pub(super) store: Store,
}

pub(super) enum Store {
    /// Red to move, blue to move.
    Memory([Vec<u8>; 2]),
    File(Box<Table>),
}

/// A move of the player to move: first and last cell, and what it is worth to that player.
pub type Choice = ((u8, u8), Outcome);

/// What is done in a turn: first and last cell of a move, or nothing where the player has to pass.
pub type Played = Option<(u8, u8)>;

/// A position as the table has it.
#[derive(Clone, Copy)]
struct Seen {
    places: Placement,
    turn: usize,
    /// Whether the board was turned and the colours exchanged.
    turned: bool,
}

impl Versus {
    pub(super) fn in_memory(space: Space, values: [Vec<u8>; 2]) -> Versus {
        Versus { space, store: Store::Memory(values) }
    }

    /// Opens a file: only what is asked for is ever read.
    pub fn open(path: impl AsRef<Path>) -> Result<Versus, OpenError> {
        let path = path.as_ref();
        let table = Table::open(path)?;
        let other = || OpenError::NotVersus(path.display().to_string());
        let header = table.header();
        let About::ChineseVersus(summary) = &header.about else { return Err(other()) };
        let space = Space::new(summary.table.spec().ok_or_else(other)?).map_err(|_| other())?;
        let parts = header.parts.iter().map(|part| (part.name.as_str(), part.entries));
        let fits = parts.eq(PARTS.map(|name| (name, space.entries())));
        if header.identity != space.spec().identity() || header.bits != 8 || !fits {
            return Err(other());
        }
        Ok(Versus { space, store: Store::File(Box::new(table)) })
    }

    /// The same table in memory, every block checked on the way: what long runs of probes want.
    pub fn load(self) -> Result<Versus, FileError> {
        let values = match &self.store {
            Store::Memory(_) => return Ok(self),
            Store::File(table) => unpack(table)?,
        };
        Ok(Versus::in_memory(self.space, values))
    }

    /// Which placements it has.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// What a position is worth to the side to move (0 red, 1 blue); pieces of red and of blue are given by their cells. A position with
    /// the numbers of pieces exchanged is turned first. `None` if the table has no such placement.
    #[inline]
    pub fn outcome(&self, pieces: [Cells; 2], turn: usize) -> Result<Option<Outcome>, FileError> {
        match self.seen(pieces, turn) {
            Some(seen) => self.value(seen.places, seen.turn).map(|byte| Some(Outcome::of(byte))),
            None => Ok(None),
        }
    }

    fn seen(&self, pieces: [Cells; 2], turn: usize) -> Option<Seen> {
        if turn > 1 {
            return None;
        }
        if let Some(places) = self.space.places(pieces) {
            return Some(Seen { places, turn, turned: false });
        }
        let side = self.space.spec().side;
        let off = pieces.iter().any(|cells| *cells >> (side * side) != 0);
        let symmetric =
            self.space.spec() == &super::Spec::new(side, self.space.spec().pieces[0], self.space.spec().pieces[1]);
        if off || !symmetric {
            return None;
        }
        let other = [pieces[1], pieces[0]].map(|cells| super::super::turned(side, cells));
        self.space.places(other).map(|places| Seen { places, turn: 1 - turn, turned: true })
    }

    #[inline]
    fn value(&self, places: Placement, turn: usize) -> Result<u8, FileError> {
        let rank = self.space.rank(places);
        match &self.store {
            Store::Memory(values) => Ok(values[turn][rank as usize]),
            Store::File(table) => table.get(turn, rank),
        }
    }

    /// Every move of the side to move with its worth to that side, the best first; of equal ones in order of their cells. None where
    /// the game is over or the table has no such placement. A player who cannot move has none either, and passes.
    pub fn moves(&self, pieces: [Cells; 2], turn: usize) -> Result<Vec<Choice>, FileError> {
        let Some(seen) = self.seen(pieces, turn) else { return Ok(Vec::new()) };
        if self.space.ended(seen.places) != Ended::No {
            return Ok(Vec::new());
        }
        let last = (self.space.board_cells() - 1) as u8;
        let mut ways = Vec::new();
        self.space.each_way(seen.places, seen.turn, |from, to| ways.push((from, to)));
        let mut moves = Vec::with_capacity(ways.len());
        for (from, to) in ways {
            let mut after = seen.places;
            after[seen.turn] ^= 1 << from | 1 << to;
            let worth = Outcome::of(self.value(after, 1 - seen.turn)?).before();
            let ends = [from, to].map(|place| self.space.cells([1 << place, 0])[0].trailing_zeros() as u8);
            let [from, to] = ends.map(|cell| if seen.turned { last - cell } else { cell });
            moves.push(((from, to), worth));
        }
        moves.sort_by_key(|(ends, worth)| (-worth.order(), *ends));
        Ok(moves)
    }

    /// A line of best play to the end, turn by turn; of equal moves the first. There is
    /// none from a draw. That a move does not lead where it should is an error.
    pub fn line(&self, pieces: [Cells; 2], turn: usize) -> Result<Option<Vec<Played>>, FileError> {
        let Some(plies) = self.outcome(pieces, turn)?.and_then(Outcome::plies) else { return Ok(None) };
        let (mut at, mut to_move) = (pieces, turn);
        let mut line = Vec::with_capacity(usize::from(plies));
        for left in (0..plies).rev() {
            let best = self.moves(at, to_move)?.first().copied();
            if let Some(((from, to), _)) = best {
                at[to_move] ^= 1 << from | 1 << to;
            }
            line.push(best.map(|(ends, _)| ends));
            to_move = 1 - to_move;
            if self.outcome(at, to_move)?.and_then(Outcome::plies) != Some(left) {
                let path = self.table().map_or(Path::new(""), Table::path);
                let place = format!("the checksums fit, but no move leads from {} plies to {left}", left + 1);
                return Err(FileError::Damaged { path: path.to_owned(), place });
            }
        }
        Ok(Some(line))
    }

    /// What the statistics in the header of the file say otherwise than these counts.
    pub fn misstated(&self, counts: &Counts) -> Option<String> {
        let About::ChineseVersus(stated) = &self.table()?.header().about else { return None };
        crate::file::misstated(stated, &Summary::new(&self.space, counts))
    }

    /// The file behind it, if there is one.
    pub fn table(&self) -> Option<&Table> {
        match &self.store {
            Store::Memory(_) => None,
            Store::File(table) => Some(table),
        }
    }
}

/// Both sides to move of a file.
pub(super) fn unpack(table: &Table) -> Result<[Vec<u8>; 2], FileError> {
    let load = |part: usize| {
        let mut values = vec![0; table.header().parts[part].entries as usize];
        table.load_into(part, &mut values).map(|()| values)
    };
    Ok([load(0)?, load(1)?])
}
