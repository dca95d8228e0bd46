//! The transposition table of alpha-beta: what was found out about states, within a limit on memory.

/// What a value says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// What is known of a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) value: i32,
    /// The best move.
    pub(crate) mv: u32,
    pub(crate) depth: u16,
    pub(crate) bound: Bound,
    /// Whether nothing below was cut off: the value holds for any depth.
    pub(crate) full: bool,
    /// Whether averages went into it.
    pub(crate) mixed: bool,
}

/// Grows with use up to its limit; then entries of shallow searches make room first.
#[derive(Default)]
pub(crate) struct Table {
    slots: Vec<Option<(u64, Entry)>>,
    used: usize,
    most: usize,
}

/// Entries in one bucket: a key can be in any of them.
const BUCKET: usize = 4;
const FIRST: usize = 1 << 12;

impl Table {
    /// The table takes about so many bytes at most. What it holds stays.
    pub(crate) fn fit(&mut self, bytes: usize) {
        let most = (bytes / size_of::<Option<(u64, Entry)>>()).max(FIRST);
        // A power of two, so that the place of a key is a mask away.
        self.most = if most.is_power_of_two() { most } else { most.next_power_of_two() / 2 };
        if self.slots.is_empty() {
            self.slots = vec![None; FIRST];
        }
    }

    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.used = 0;
    }

    fn bucket(&self, key: u64) -> std::ops::Range<usize> {
        let at = key as usize & (self.slots.len() - 1) & !(BUCKET - 1);
        at..at + BUCKET
    }

    pub(crate) fn get(&self, key: u64) -> Option<Entry> {
        let bucket = &self.slots[self.bucket(key)];
        bucket.iter().flatten().find(|(other, _)| *other == key).map(|(_, entry)| *entry)
    }

    pub(crate) fn put(&mut self, key: u64, entry: Entry) {
        if self.used * 2 > self.slots.len() && self.slots.len() < self.most {
            self.grow();
        }
        let range = self.bucket(key);
        let bucket = &mut self.slots[range];
        let worth = |slot: &Option<(u64, Entry)>| match slot {
            Some((other, _)) if *other == key => -1,
            None => 0,
            Some((_, entry)) => 1 + i32::from(entry.depth) + if entry.full { 1 << 16 } else { 0 },
        };
        let Some(slot) = bucket.iter_mut().min_by_key(|slot| worth(slot)) else { return };
        self.used += usize::from(slot.is_none());
        *slot = Some((key, entry));
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![None; old.len() * 4.min(self.most / old.len())];
        self.used = 0;
        for (key, entry) in old.into_iter().flatten() {
            self.put(key, entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_within_its_limit_and_prefers_depth() {
        let mut table = Table::default();
        table.fit(1 << 20);
        let entry = |depth| Entry { value: 1, mv: 2, depth, bound: Bound::Exact, full: false, mixed: false };
        let key = |n: u64| crate::key::key(&n);
        for n in 0..50u64 {
            table.put(key(n), entry(1000));
        }
        for n in 50..100_000u64 {
            table.put(key(n), entry(1));
        }
        assert!(table.slots.len() * size_of::<Option<(u64, Entry)>>() <= 1 << 20);
        assert!((0..50).all(|n| table.get(key(n)).is_some_and(|entry| entry.depth == 1000)));
        assert!(table.get(key(1 << 40)).is_none());
    }
}
