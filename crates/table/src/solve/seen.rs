//! The states seen so far: numbered in the order of arrival, found by a key of 128 bits. The states themselves are not kept.

use std::hash::{Hash, Hasher};
use xxhash_rust::xxh3::xxh3_128;

/// The key of a state: a hash of all that the state tells a hasher. Two states of the same key are taken to be equal;
/// among a billion different states the odds of that happening once are about one to 10^21.
pub type Key = u128;

/// Makes keys; the memory for what a state tells is reused.
#[derive(Default)]
pub struct Keys(Capture);

#[derive(Default)]
struct Capture(Vec<u8>);

impl Hasher for Capture {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

impl Keys {
    /// The key of a state.
    pub fn of<S: Hash>(&mut self, state: &S) -> Key {
        self.0.0.clear();
        state.hash(&mut self.0);
        xxh3_128(&self.0.0)
    }

    /// About how many bytes the state takes whose key was made last: itself, and what it owns, taken to be as long as what it
    /// told. That is so for the states of all engines, which are lists of numbers or of bits.
    pub fn state_bytes<S>(&self) -> u64 {
        let owned =
            if std::mem::needs_drop::<S>() { (self.0.0.len() as u64 + 8).next_multiple_of(16).max(32) } else { 0 };
        size_of::<S>() as u64 + owned
    }
}

const BLOCK: usize = 1 << 16;
const SMALL: usize = 1 << 8;

/// A list that grows by blocks of the same size, so that it never holds its contents twice. Only the first block begins small.
pub struct Blocks<T> {
    blocks: Vec<Vec<T>>,
    len: usize,
}

impl<T: Copy> Blocks<T> {
    /// An empty list.
    pub fn new() -> Blocks<T> {
        Blocks { blocks: Vec::new(), len: 0 }
    }

    /// Appends a value.
    pub fn push(&mut self, value: T) {
        if self.len.is_multiple_of(BLOCK) {
            self.blocks.push(Vec::with_capacity(if self.len == 0 { SMALL } else { BLOCK }));
        }
        self.blocks[self.len / BLOCK].push(value);
        self.len += 1;
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The value at a place.
    #[inline]
    pub fn get(&self, at: usize) -> T {
        self.blocks[at / BLOCK][at % BLOCK]
    }

    /// Changes the value at a place.
    #[inline]
    pub fn set(&mut self, at: usize, value: T) {
        self.blocks[at / BLOCK][at % BLOCK] = value;
    }

    /// The values in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.blocks.iter().flatten().copied()
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.blocks.iter().map(|block| (block.capacity() * size_of::<T>()) as u64).sum()
    }
}

/// The numbers of the states, by key. Open addressing over the keys, which stand in the order of arrival.
pub struct Seen {
    keys: Blocks<Key>,
    slots: Vec<u32>,
}

const EMPTY: u32 = u32::MAX;

/// What [`Seen::find_all`] found; the memory is reused.
#[derive(Default)]
pub struct Looks {
    numbers: Vec<u32>,
    /// Whether the first look was enough.
    is_same: Vec<bool>,
}

impl Looks {
    /// Bytes held.
    pub fn held(&self) -> u64 {
        (self.numbers.capacity() * size_of::<u32>() + self.is_same.capacity()) as u64
    }

    /// The numbers in the order of the keys; `None` for those not seen.
    pub fn iter(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        self.numbers.iter().map(|number| (*number != EMPTY).then_some(*number))
    }
}

/// The most states that can be numbered.
pub const MOST: usize = u32::MAX as usize - 1;

impl Seen {
    /// Nothing seen yet.
    pub fn new() -> Seen {
        Seen { keys: Blocks::new(), slots: vec![EMPTY; 1024] }
    }

    /// How many states were seen.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The number of a state, if it was seen.
    pub fn find(&self, key: Key) -> Option<u32> {
        match self.slots[self.slot(key)] {
            EMPTY => None,
            number => Some(number),
        }
    }

    /// The numbers of many states, where they were seen. The first looks at memory are done for all of them before any answer is
    /// needed: one does not wait for the other, and waiting for memory is most of what a look costs.
    pub fn find_all(&self, keys: &[Key], looks: &mut Looks) {
        let mask = self.slots.len() - 1;
        looks.numbers.clear();
        looks.numbers.extend(keys.iter().map(|key| self.slots[*key as usize & mask]));
        looks.is_same.clear();
        let is_same = |(number, key): (&u32, &Key)| *number == EMPTY || self.keys.get(*number as usize) == *key;
        looks.is_same.extend(looks.numbers.iter().zip(keys).map(is_same));
        for ((number, is_same), key) in looks.numbers.iter_mut().zip(&looks.is_same).zip(keys) {
            if !is_same {
                *number = self.slots[self.slot(*key)];
            }
        }
    }

    /// The number of a state; a new one if it was not seen before. The flag tells whether it is new.
    pub fn number(&mut self, key: Key) -> (u32, bool) {
        let slot = self.slot(key);
        if self.slots[slot] != EMPTY {
            return (self.slots[slot], false);
        }
        let number = self.keys.len() as u32;
        self.keys.push(key);
        self.slots[slot] = number;
        if self.keys.len() * 4 > self.slots.len() * 3 {
            self.grow();
        }
        (number, true)
    }

    /// The slot that holds the key, or the free one where it belongs.
    fn slot(&self, key: Key) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = key as usize & mask;
        while self.slots[slot] != EMPTY && self.keys.get(self.slots[slot] as usize) != key {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        // The old slots go first: they can be made again from the keys.
        self.slots = Vec::new();
        self.slots = vec![EMPTY; size];
        for (number, key) in self.keys.iter().enumerate() {
            let mut slot = key as usize & (size - 1);
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = number as u32;
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.keys.bytes() + (self.slots.len() * 4) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_numbered_once() {
        let (mut seen, mut keys) = (Seen::new(), Keys::default());
        for round in 0..2 {
            for state in 0..200_000u32 {
                let expected = (state, round == 0);
                assert_eq!(seen.number(keys.of(&state)), expected);
            }
        }
        assert_eq!(seen.len(), 200_000);
        assert_eq!(seen.find(keys.of(&199_999u32)), Some(199_999));
        assert_eq!(seen.find(keys.of(&200_000u32)), None);
        let asked: Vec<Key> = (150_000..250_000u32).map(|state| keys.of(&state)).collect();
        let mut looks = Looks::default();
        for _ in 0..2 {
            seen.find_all(&asked, &mut looks);
            assert!(looks.iter().eq(asked.iter().map(|key| seen.find(*key))));
        }
        assert!(seen.bytes() >= 200_000 * 20);
    }

    #[test]
    fn blocks_are_a_list() {
        let mut list = Blocks::new();
        (0..BLOCK as u32 + 5).for_each(|value| list.push(value));
        list.set(BLOCK, 7);
        assert_eq!((list.get(BLOCK - 1), list.get(BLOCK), list.len()), (BLOCK as u32 - 1, 7, BLOCK + 5));
        assert_eq!(list.iter().count(), list.len());
    }
}
