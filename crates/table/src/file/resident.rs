//! The blocks of a table in one piece of memory, each put there when it is first asked for.
//!
//! The memory is the process's own and not a map of the file, so whatever happens to the file happens to reading it only. It
//! is reserved at once and taken page by page; in one piece it can have large pages, without which random probes are a third slower
//! than in a map of the file.

use memmap2::{MmapMut, MmapRaw};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// See the module.
pub struct Resident {
    memory: MmapRaw,
    /// log2 of the room for a block.
    block: u32,
    /// Which blocks are there. Set after the block is written, never taken back.
    ready: Vec<AtomicBool>,
    /// Held while a block is written: the one whose number ends in the number of the lock.
    writing: [Mutex<()>; 16],
}

impl Resident {
    /// Room for so many blocks; `None` if the system does not give it.
    pub fn new(blocks: usize, block: u32) -> Option<Resident> {
        let memory = MmapMut::map_anon((blocks << block).max(1)).ok()?;
        // A wish: where it is not granted, probes are slower.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        let ready = (0..blocks).map(|_| AtomicBool::new(false)).collect();
        Some(Resident { memory: memory.into(), block, ready, writing: Default::default() })
    }

    /// So many bytes from this place on, counted with all blocks of full size; `None` if the block is not there yet.
    ///
    /// # Panics
    /// If there is no such place, or they do not lie in one block.
    #[inline]
    pub fn get<const N: usize>(&self, place: u64) -> Option<[u8; N]> {
        let block = place >> self.block;
        assert!(N == 1 || (place + N as u64 - 1) >> self.block == block, "a block has fewer bytes");
        if !self.ready[block as usize].load(Ordering::Acquire) {
            return None;
        }
        // SAFETY: the bytes lie within the memory, since they lie in one block, and this is one of `ready`. It is ready: it was
        // written before the flag was set, and nothing writes to it afterwards.
        Some(unsafe { self.memory.as_ptr().add(place as usize).cast::<[u8; N]>().read() })
    }

    /// Lets `write` fill the first `length` bytes of a block, unless somebody else has done so. Where it fails, the block
    /// is not there, and the next one may try again.
    pub fn fill<E>(&self, block: u64, length: usize, write: impl FnOnce(&mut [u8]) -> Result<(), E>) -> Result<(), E> {
        assert!(length <= 1 << self.block, "a block has fewer bytes");
        let ready = &self.ready[block as usize];
        let lock = self.writing[block as usize % self.writing.len()].lock();
        let _held = lock.unwrap_or_else(PoisonError::into_inner);
        if !ready.load(Ordering::Acquire) {
            // SAFETY: the bytes lie within the memory, as above. Nobody reads a block that is not ready, and nobody else
            // writes to it, since the lock is held.
            let bytes = unsafe {
                std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().add((block as usize) << self.block), length)
            };
            write(bytes)?;
            ready.store(true, Ordering::Release);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_written_once_and_read_by_many() {
        let resident = Resident::new(40, 6).unwrap();
        assert_eq!(resident.get::<1>(3 * 64 + 5), None);
        assert_eq!(resident.fill(3, 64, |_| Err("no")), Err("no"));
        assert_eq!(resident.get::<1>(3 * 64 + 5), None);
        let written = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let (resident, written) = (&resident, &written);
                scope.spawn(move || {
                    for block in 0..40u64 {
                        let block = (block + thread * 7) % 40;
                        let fill = |bytes: &mut [u8]| {
                            assert!(block != 3 || !written.swap(true, Ordering::Relaxed), "written twice");
                            bytes.fill(block as u8);
                            Ok::<(), ()>(())
                        };
                        resident.fill(block, 64, fill).unwrap();
                        assert_eq!(resident.get::<8>(block * 64 + 56), Some([block as u8; 8]));
                    }
                });
            }
        });
    }

    #[test]
    #[should_panic(expected = "fewer bytes")]
    fn nothing_is_read_behind_a_block() {
        let resident = Resident::new(1, 6).unwrap();
        resident.get::<8>(57);
    }
}
