//! What stands where: a [`Board`] names cells and things, a [`Scene`] is one position of it.

use serde::{Deserialize, Serialize};

/// A set of cells.
pub type Cells = u128;
/// The most cells of a board.
pub const MOST_CELLS: usize = 128;

/// A thing that can stand on cells.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Thing {
    /// Its name.
    pub name: String,
    /// Whether it belongs to the side of the plan; `None` if it moves for nobody.
    pub ours: Option<bool>,
}

/// A board and what can be on it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Board {
    /// The names of the cells.
    pub cells: Vec<String>,
    /// Where each cell lies, across and up.
    pub places: Vec<(i16, i16)>,
    /// The neighbours of each cell, as numbers.
    pub neighbours: Vec<Vec<u8>>,
    /// The things.
    pub things: Vec<Thing>,
    /// The names of numbers that a position has beside its board.
    pub counters: Vec<String>,
    /// Where a cell is no place but a name in a fact: that fact, `?` standing for the thing. Empty for places, and where all cells are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
}

/// A position: for each thing its cells, for each counter its value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scene {
    /// The cells of each thing.
    pub sets: Vec<Cells>,
    /// The values of the counters.
    pub counters: Vec<i16>,
}

impl Scene {
    /// An empty position of a board.
    pub fn new(board: &Board) -> Scene {
        Scene { sets: vec![0; board.things.len()], counters: vec![0; board.counters.len()] }
    }

    /// Takes everything away.
    pub fn clear(&mut self) {
        self.sets.fill(0);
        self.counters.fill(0);
    }

    /// The cells on which something stands.
    pub fn occupied(&self) -> Cells {
        self.sets.iter().fold(0, |all, set| all | set)
    }
}

/// The set of one cell.
#[inline]
pub fn bit(cell: u8) -> Cells {
    1 << cell
}

/// The cells of a set, in order.
pub fn cells(mut set: Cells) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let cell = set.trailing_zeros() as u8;
            set &= set - 1;
            cell
        })
    })
}
