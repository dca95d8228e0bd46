//! Tables of the prover: a question that was asked, and its answers so far.

use crate::bank::{Id, hash};
use crate::program::Rel;

/// How far a question is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// Nothing was done yet, or it must be done again; answers found before stay.
    Open,
    /// Being worked on, by the frame of this depth.
    Active(u32),
    /// Worked through, but it rests on a question that is still being worked on: on the frame of this depth.
    Tentative(u32),
    /// All answers are there.
    Complete,
}

/// One question: a relation with some arguments given.
#[derive(Clone)]
pub(crate) struct Table {
    pub rel: Rel,
    pub status: Status,
    /// The given arguments; 0 where one is asked for.
    key: Vec<Id>,
    /// How many arguments are asked for.
    pub free: u32,
    /// The answers: for each the values of the arguments asked for.
    rows: Vec<Id>,
    pub count: u32,
    /// Open addressing over answers (number + 1), once there are more than a few.
    slots: Vec<u32>,
}

/// Up to this many answers, comparing with each is quicker than hashing.
const FEW: u32 = 8;

impl Table {
    #[inline]
    pub fn key(&self) -> &[Id] {
        &self.key
    }

    #[inline]
    pub fn row(&self, row: u32) -> &[Id] {
        let width = self.free as usize;
        &self.rows[row as usize * width..(row as usize + 1) * width]
    }

    /// Adds an answer; tells whether it is new.
    pub fn insert(&mut self, row: &[Id]) -> bool {
        if self.free == 0 {
            let new = self.count == 0;
            self.count = 1;
            return new;
        }
        if self.count < FEW {
            if (0..self.count).any(|i| self.row(i) == row) {
                return false;
            }
        } else {
            if self.slots.len() < 2 * (self.count as usize + 1) {
                self.slots.clear();
                self.slots.resize(4 * (self.count as usize + 1).next_power_of_two(), 0);
                for i in 0..self.count {
                    let at = self.slot(self.row(i));
                    self.slots[at] = i + 1;
                }
            }
            let at = self.slot(row);
            if self.slots[at] != 0 {
                return false;
            }
            self.slots[at] = self.count + 1;
        }
        self.rows.extend_from_slice(row);
        self.count += 1;
        true
    }

    fn slot(&self, row: &[Id]) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash(0, row) as usize & mask;
        while self.slots[at] != 0 && self.row(self.slots[at] - 1) != row {
            at = (at + 1) & mask;
        }
        at
    }
}

/// All questions of one reach (fixed, by state, by moves), found by hash. Cleared in one go; memory is kept.
#[derive(Clone)]
pub(crate) struct Store {
    tables: Vec<Table>,
    used: usize,
    /// Open addressing: generation and number of the table.
    slots: Vec<(u32, u32)>,
    generation: u32,
}

impl Store {
    pub fn new() -> Store {
        Store { tables: Vec::new(), used: 0, slots: vec![(0, 0); 64], generation: 1 }
    }

    pub fn clear(&mut self) {
        self.used = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill((0, 0));
            self.generation = 1;
        }
    }

    #[inline]
    pub fn table(&self, number: u32) -> &Table {
        &self.tables[number as usize]
    }

    #[inline]
    pub fn table_mut(&mut self, number: u32) -> &mut Table {
        &mut self.tables[number as usize]
    }

    /// The table of this question, made if it is new.
    #[inline]
    pub fn find(&mut self, rel: Rel, key: &[Id]) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = hash(rel, key) as usize & mask;
        loop {
            let (generation, number) = self.slots[at];
            if generation != self.generation {
                break;
            }
            let table = &self.tables[number as usize];
            if table.rel == rel && table.key == key {
                return number;
            }
            at = (at + 1) & mask;
        }
        self.add(rel, key, at)
    }

    fn add(&mut self, rel: Rel, key: &[Id], at: usize) -> u32 {
        let number = self.used as u32;
        self.used += 1;
        let free = key.iter().filter(|&&id| id == 0).count() as u32;
        if let Some(table) = self.tables.get_mut(number as usize) {
            table.rel = rel;
            table.status = Status::Open;
            table.key.clear();
            table.key.extend_from_slice(key);
            table.free = free;
            table.rows.clear();
            table.count = 0;
            table.slots.clear();
        } else {
            self.tables.push(Table {
                rel,
                status: Status::Open,
                key: key.to_vec(),
                free,
                rows: Vec::new(),
                count: 0,
                slots: Vec::new(),
            });
        }
        self.slots[at] = (self.generation, number);
        if self.used * 2 > self.slots.len() {
            self.slots = vec![(0, 0); self.slots.len() * 4];
            self.generation = 1;
            let mask = self.slots.len() - 1;
            for number in 0..self.used {
                let table = &self.tables[number];
                let mut at = hash(table.rel, &table.key) as usize & mask;
                while self.slots[at].0 == self.generation {
                    at = (at + 1) & mask;
                }
                self.slots[at] = (self.generation, number as u32);
            }
        }
        number
    }
}
