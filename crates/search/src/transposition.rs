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
    /// Which of the states with this key it is: the low [`CHECK`] bits of a key of the whole state.
    pub(crate) whole: u64,
}

/// The bits of a whole state's key that are kept.
const CHECK: u32 = 40;

impl Entry {
    /// Whether it is about the very state with this key.
    pub(crate) fn is_of(&self, whole: u64) -> bool {
        (self.whole ^ whole) << (64 - CHECK) == 0
    }
}

/// An entry with its key, packed; without flags it is empty.
#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    value: i32,
    mv: u32,
    depth: u16,
    flags: u8,
    check: [u8; CHECK as usize / 8],
}

const USED: u8 = 1;
const FULL: u8 = 2;
const MIXED: u8 = 4;
const AT_LEAST: u8 = 8;
const AT_MOST: u8 = 16;

impl Slot {
    fn new(key: u64, entry: Entry) -> Slot {
        let Entry { value, mv, depth, .. } = entry;
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        let flags = USED
            | flag(entry.full, FULL)
            | flag(entry.mixed, MIXED)
            | flag(entry.bound == Bound::AtLeast, AT_LEAST)
            | flag(entry.bound == Bound::AtMost, AT_MOST);
        let mut check = [0; CHECK as usize / 8];
        check.iter_mut().zip(entry.whole.to_le_bytes()).for_each(|(byte, of)| *byte = of);
        Slot { key, value, mv, depth, flags, check }
    }

    fn is_used(&self) -> bool {
        self.flags & USED != 0
    }

    fn entry(&self) -> Entry {
        let bound = match self.flags & (AT_LEAST | AT_MOST) {
            AT_LEAST => Bound::AtLeast,
            AT_MOST => Bound::AtMost,
            _ => Bound::Exact,
        };
        let whole = self.check.iter().rev().fold(0, |whole, &byte| whole << 8 | u64::from(byte));
        let Slot { value, mv, depth, flags, .. } = *self;
        Entry { value, mv, depth, bound, full: flags & FULL != 0, mixed: flags & MIXED != 0, whole }
    }
}

/// Grows with use up to its limit; then entries of shallow searches make room first.
#[derive(Default)]
pub(crate) struct TranspositionTable {
    slots: Vec<Slot>,
    used: usize,
    most: usize,
}

/// Entries in one bucket: a key can be in any of them.
const BUCKET: usize = 4;
const FIRST: usize = 1 << 12;

impl TranspositionTable {
    /// The table takes about so many bytes at most. What it holds stays.
    pub(crate) fn fit(&mut self, bytes: usize) {
        let most = (bytes / size_of::<Slot>()).max(FIRST);
        // A power of two, so that the place of a key is a mask away.
        self.most = if most.is_power_of_two() { most } else { most.next_power_of_two() / 2 };
        if self.slots.is_empty() {
            self.slots = vec![Slot::default(); FIRST];
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
        bucket.iter().find(|slot| slot.key == key && slot.is_used()).map(Slot::entry)
    }

    pub(crate) fn put(&mut self, key: u64, entry: Entry) {
        if self.used * 2 > self.slots.len() && self.slots.len() < self.most {
            self.grow();
        }
        let range = self.bucket(key);
        let bucket = &mut self.slots[range];
        let worth = |slot: &Slot| match slot.is_used() {
            false => 0,
            true if slot.key == key => -1,
            true => 1 + i32::from(slot.depth) + if slot.flags & FULL != 0 { 1 << 16 } else { 0 },
        };
        let Some(slot) = bucket.iter_mut().min_by_key(|slot| worth(slot)) else { return };
        self.used += usize::from(!slot.is_used());
        *slot = Slot::new(key, entry);
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![Slot::default(); old.len() * 4.min(self.most / old.len())];
        self.used = 0;
        for slot in old.into_iter().filter(Slot::is_used) {
            self.put(slot.key, slot.entry());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_back_what_was_put_in() {
        let mut table = TranspositionTable::default();
        table.fit(1 << 20);
        for n in 0..1000u64 {
            let bound = [Bound::Exact, Bound::AtLeast, Bound::AtMost][n as usize % 3];
            let (full, mixed, whole) = (n % 2 == 0, n % 5 == 0, crate::key::key(&(n + 7)));
            let entry = Entry { value: 500 - n as i32, mv: n as u32, depth: n as u16, bound, full, mixed, whole };
            table.put(crate::key::key(&n), entry);
            let back = table.get(crate::key::key(&n)).unwrap();
            assert!(back.is_of(whole) && !back.is_of(whole ^ 1 << 39) && !back.is_of(whole + 1));
            let whole = back.whole;
            assert_eq!(format!("{back:?}"), format!("{:?}", Entry { whole, ..entry }));
        }
    }

    #[test]
    fn keeps_within_its_limit_and_prefers_depth() {
        let mut table = TranspositionTable::default();
        table.fit(1 << 20);
        let entry = |depth| Entry { value: 1, mv: 2, depth, bound: Bound::Exact, full: false, mixed: false, whole: 0 };
        let key = |n: u64| crate::key::key(&n);
        for n in 0..50u64 {
            table.put(key(n), entry(1000));
        }
        for n in 50..100_000u64 {
            table.put(key(n), entry(1));
        }
        assert!(table.slots.len() * size_of::<Slot>() <= 1 << 20);
        assert!((0..50).all(|n| table.get(key(n)).is_some_and(|entry| entry.depth == 1000)));
        assert!(table.get(key(1 << 40)).is_none());
    }
}
