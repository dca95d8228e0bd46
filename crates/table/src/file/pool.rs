//! Room for blocks of many files, so that together they keep to one limit on memory.

use super::COMPRESSED_BLOCK;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// See the module. A block can only be in one slot, found by its file and its number; whoever comes later takes the slot.
pub struct Pool {
    slots: Vec<Mutex<Slot>>,
    files: AtomicU64,
}

/// A place for one block.
#[derive(Default)]
struct Slot {
    /// The number of the file and that of the block.
    of: Option<(u64, u64)>,
    bytes: Vec<u8>,
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "room for {} blocks", self.slots.len())
    }
}

impl Pool {
    /// Room for about so many bytes of compressed or of raw files, before compression, and one block at least; up to twice
    /// as many where there are both. It is taken as blocks are asked for.
    pub fn new(bytes: usize) -> Pool {
        let each = COMPRESSED_BLOCK as usize + size_of::<Mutex<Slot>>();
        let slots = (0..(bytes / each).max(1)).map(|_| Mutex::default()).collect();
        Pool { slots, files: AtomicU64::new(0) }
    }

    /// Bytes of blocks that are in memory now.
    pub fn held(&self) -> usize {
        let each = |slot: &Mutex<Slot>| slot.lock().unwrap_or_else(PoisonError::into_inner).bytes.capacity();
        self.slots.iter().map(each).sum()
    }

    /// A number for a file.
    pub(super) fn number(&self) -> u64 {
        self.files.fetch_add(1, Ordering::Relaxed)
    }

    /// So many bytes of a block, which `read` fills where it is not there.
    pub(super) fn get<const N: usize, E>(
        &self,
        (file, block): (u64, u64),
        offset: usize,
        length: usize,
        read: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<[u8; N], E> {
        let spread = (file << 40 ^ block).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = ((u128::from(spread) * self.slots.len() as u128) >> 64) as usize;
        // Large blocks share fewer slots, so that they keep to the limit too.
        let slot = slot - slot % length.div_ceil(COMPRESSED_BLOCK as usize).max(1);
        let mut slot = self.slots[slot].lock().unwrap_or_else(PoisonError::into_inner);
        if slot.of != Some((file, block)) {
            slot.of = None;
            if slot.bytes.capacity() > 2 * length {
                slot.bytes = Vec::new();
            }
            slot.bytes.resize(length, 0);
            read(&mut slot.bytes)?;
            slot.of = Some((file, block));
        }
        let mut bytes = [0; N];
        bytes.copy_from_slice(&slot.bytes[offset..offset + N]);
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_share_the_room_and_failures_leave_nothing() {
        let pool = Pool::new(1);
        assert_eq!(pool.slots.len(), 1);
        let (a, b) = (pool.number(), pool.number());
        let filled = |with: u8| {
            move |bytes: &mut [u8]| -> Result<(), &str> {
                bytes.fill(with);
                Ok(())
            }
        };
        assert_eq!(pool.get((a, 0), 3, 8, filled(1)), Ok([1, 1]));
        // It is there: nothing is read.
        assert_eq!(pool.get((a, 0), 3, 8, |_| Err("read")), Ok([1]));
        assert_eq!(pool.get((b, 0), 0, 4, filled(2)), Ok([2]));
        assert_eq!(pool.get::<1, _>((a, 0), 3, 8, |_| Err("read")), Err("read"));
        assert_eq!(pool.get::<1, _>((b, 0), 0, 4, |_| Err("read")), Err("read"));
        assert_eq!(pool.get((a, 1), 7, 8, filled(3)), Ok([3]));
    }
}
