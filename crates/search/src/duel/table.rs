//! The table of positions that all threads of a search share, without locks.
//!
//! An entry is two words, and the first is the key with the second mixed in: an entry that two threads wrote at once does not
//! fit its key and is not found.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a value says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub value: i32,
    /// The number of the best move; 0 if none is known.
    pub mv: u32,
    pub depth: i32,
    pub bound: Bound,
}

/// Entries in one bucket: a key can be in any of them. Together they are a line of the cache.
const BUCKET: usize = 4;
const AGES: u64 = 64;

type Bucket = [[AtomicU64; 2]; BUCKET];

pub(super) struct Table {
    buckets: Vec<Bucket>,
    /// Entries of earlier searches make room first.
    age: u64,
}

impl Table {
    /// A table of so many bytes, at least one bucket.
    pub fn new(bytes: usize) -> Table {
        let count = (bytes / size_of::<Bucket>()).max(1);
        Table { buckets: (0..count).map(|_| Bucket::default()).collect(), age: 0 }
    }

    pub fn next_age(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        // The high part of the product is an even spread over any number of buckets.
        &self.buckets[((u128::from(key) * self.buckets.len() as u128) >> 64) as usize]
    }

    pub fn get(&self, key: u64) -> Option<Entry> {
        self.bucket(key).iter().find_map(|slot| {
            let word = slot[1].load(Ordering::Relaxed);
            (word != 0 && slot[0].load(Ordering::Relaxed) ^ word == key).then(|| unpack(word))
        })
    }

    pub fn put(&self, key: u64, entry: Entry) {
        let worth = |slot: &[AtomicU64; 2]| {
            let word = slot[1].load(Ordering::Relaxed);
            if word == 0 {
                return -2000;
            }
            if slot[0].load(Ordering::Relaxed) ^ word == key {
                return -3000;
            }
            let old = (self.age + AGES - (word & (AGES - 1))) % AGES;
            unpack(word).depth - 4 * old as i32
        };
        let Some(slot) = self.bucket(key).iter().min_by_key(|slot| worth(slot)) else { return };
        let mut entry = entry;
        let word = slot[1].load(Ordering::Relaxed);
        // A bound without a move keeps the move that is known.
        if entry.mv == 0 && slot[0].load(Ordering::Relaxed) ^ word == key {
            entry.mv = unpack(word).mv;
        }
        let word = pack(entry, self.age);
        slot[1].store(word, Ordering::Relaxed);
        slot[0].store(key ^ word, Ordering::Relaxed);
    }

    /// How many entries of a sample were made by this search, in thousandths.
    pub fn full(&self) -> u32 {
        let sample = self.buckets.iter().take(250);
        let slots: Vec<u64> = sample.flatten().map(|slot| slot[1].load(Ordering::Relaxed)).collect();
        let used = slots.iter().filter(|&&word| word != 0 && word & (AGES - 1) == self.age).count();
        (used * 1000 / slots.len().max(1)) as u32
    }
}

/// From the lowest bit: age (6), bound (2, never 0), depth (8), move (32), value (16).
fn pack(entry: Entry, age: u64) -> u64 {
    let bound = match entry.bound {
        Bound::Exact => 1,
        Bound::AtLeast => 2,
        Bound::AtMost => 3,
    };
    let depth = entry.depth.clamp(0, 255) as u64;
    age | bound << 6 | depth << 8 | u64::from(entry.mv) << 16 | u64::from(entry.value as i16 as u16) << 48
}

fn unpack(word: u64) -> Entry {
    let bound = match word >> 6 & 3 {
        1 => Bound::Exact,
        2 => Bound::AtLeast,
        _ => Bound::AtMost,
    };
    let (depth, mv, value) = ((word >> 8 & 255) as i32, (word >> 16) as u32, i32::from((word >> 48) as u16 as i16));
    Entry { value, mv, depth, bound }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_back_what_was_put_in_and_prefers_depth() {
        let mut table = Table::new(1 << 16);
        let key = |n: u64| crate::key::key(&n);
        let entry = |n: u64, depth| {
            let bound = [Bound::Exact, Bound::AtLeast, Bound::AtMost][n as usize % 3];
            Entry { value: 30_000 - 60 * n as i32, mv: n as u32 | 1 << 31, depth, bound }
        };
        for n in 0..40 {
            table.put(key(n), entry(n, 200));
            assert_eq!(table.get(key(n)), Some(entry(n, 200)));
        }
        for n in 1000..50_000 {
            table.put(key(n), Entry { value: 1, mv: 1, depth: 1, bound: Bound::Exact });
        }
        assert!((0..40).all(|n| table.get(key(n)) == Some(entry(n, 200))));
        assert!(table.full() > 900);
        assert!(table.get(key(1 << 40)).is_none());
        // A bound that knows no move leaves the known one.
        table.put(key(3), Entry { value: 5, mv: 0, depth: 201, bound: Bound::AtMost });
        assert_eq!(table.get(key(3)).map(|entry| entry.mv), Some(3 | 1 << 31));
        // What is old goes first.
        (0..60).for_each(|_| table.next_age());
        for n in 60_000..160_000 {
            table.put(key(n), Entry { value: 1, mv: 1, depth: 10, bound: Bound::Exact });
        }
        assert!((0..40).all(|n| table.get(key(n)).is_none()));
    }
}
