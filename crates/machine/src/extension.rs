//! Rows of ground terms with indexes that are made when they are first asked for.

use crate::bank::{Id, hash};

/// Marks the end of a chain.
pub(crate) const END: u32 = u32::MAX;

/// Up to this many rows, walking over all of them is quicker than an index.
const FEW: usize = 4;

/// The rows in which some arguments have given values, chained by hash.
#[derive(Clone, Default)]
struct Index {
    /// Which arguments.
    mask: u64,
    /// Whether it is up to date.
    ready: bool,
    heads: Vec<u32>,
    next: Vec<u32>,
}

/// All rows of one relation.
#[derive(Clone, Default)]
pub(crate) struct Extension {
    arity: usize,
    rows: Vec<Id>,
    indexes: Vec<Index>,
}

/// Where to go on in an extension: a way of walking, and the row to look at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    /// The index used, or `END` to take all rows in turn.
    pub index: u32,
    /// The row, or `END`.
    pub row: u32,
}

impl Extension {
    pub fn new(arity: usize, rows: Vec<Id>) -> Extension {
        Extension { arity, rows, indexes: Vec::new() }
    }

    pub fn clear(&mut self) {
        self.rows.clear();
        self.indexes.iter_mut().for_each(|index| index.ready = false);
    }

    pub fn push(&mut self, row: &[Id]) {
        self.rows.extend_from_slice(row);
    }

    fn len(&self) -> usize {
        self.rows.len() / self.arity
    }

    #[inline]
    pub fn row(&self, row: u32) -> &[Id] {
        let start = row as usize * self.arity;
        &self.rows[start..start + self.arity]
    }

    /// Begins a walk over a set of rows that contains all those in which the bound arguments (those of `key` that are
    /// not 0) have the values of `key`; it may contain others.
    pub fn walk(&mut self, key: &[Id], mask: u64) -> Walk {
        if mask == 0 || self.len() <= FEW {
            return Walk { index: END, row: if self.rows.is_empty() { END } else { 0 } };
        }
        let at = self.indexes.iter().position(|index| index.mask == mask).unwrap_or_else(|| {
            self.indexes.push(Index { mask, ..Index::default() });
            self.indexes.len() - 1
        });
        if !self.indexes[at].ready {
            self.build(at);
        }
        let index = &self.indexes[at];
        let row = index.heads[bucket(key, mask, index.heads.len())];
        Walk { index: at as u32, row }
    }

    /// The walk one row further.
    #[inline]
    pub fn step(&self, walk: Walk) -> Walk {
        let row = match self.indexes.get(walk.index as usize) {
            Some(index) => index.next[walk.row as usize],
            None if walk.row as usize + 1 < self.len() => walk.row + 1,
            None => END,
        };
        Walk { row, ..walk }
    }

    fn build(&mut self, at: usize) {
        let index = &mut self.indexes[at];
        let count = self.rows.len() / self.arity;
        index.heads.clear();
        index.heads.resize((count * 2).next_power_of_two(), END);
        index.next.resize(count, END);
        // From the last row to the first, so that chains run in the order of the rows.
        for row in (0..count).rev() {
            let key = &self.rows[row * self.arity..(row + 1) * self.arity];
            let bucket = bucket(key, index.mask, index.heads.len());
            index.next[row] = std::mem::replace(&mut index.heads[bucket], row as u32);
        }
        index.ready = true;
    }
}

#[inline]
fn bucket(key: &[Id], mask: u64, buckets: usize) -> usize {
    let mut h = 0;
    let mut left = mask;
    while left != 0 {
        h = hash(key[left.trailing_zeros() as usize], &[h as u32]);
        left &= left - 1;
    }
    h as usize & (buckets - 1)
}
