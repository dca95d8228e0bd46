//! The smallest form of a block: LZMA without a header, each block by itself.

use lzma_rust2::{LzmaOptions, LzmaReader, LzmaWriter};
use std::io::{Read, Write};

/// Contexts of literals and of positions: entries of tables have none that would pay.
const CONTEXT: u32 = 0;
/// The least that a dictionary can be.
const LEAST: usize = 4096;

/// A block in fewer bytes; `None` if it does not become shorter.
pub fn squeeze(block: &[u8]) -> Option<Vec<u8>> {
    let mut options = LzmaOptions::with_preset(6);
    (options.lc, options.lp, options.pb) = (CONTEXT, CONTEXT, CONTEXT);
    options.dict_size = room(block.len());
    let mut writer = LzmaWriter::new(Vec::new(), &options, false, false, Some(block.len() as u64)).ok()?;
    writer.write_all(block).ok()?;
    writer.finish().ok().filter(|squeezed| squeezed.len() < block.len())
}

/// Expands what [`squeeze`] made into a space that is as long as the block; `false` if it is something else.
pub fn expand(stored: &[u8], space: &mut [u8]) -> bool {
    let reader = LzmaReader::new(stored, space.len() as u64, CONTEXT, CONTEXT, CONTEXT, room(space.len()), None);
    reader.is_ok_and(|mut reader| reader.read_exact(space).is_ok())
}

fn room(length: usize) -> u32 {
    u32::try_from(length.max(LEAST)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_squeezed_is_expanded() {
        for length in [1usize, 100, 4096, 32 << 10] {
            let block: Vec<u8> = (0..length).map(|at| (at / 7 % 5 + at / 900) as u8).collect();
            let Some(squeezed) = squeeze(&block) else {
                assert!(length < 200);
                continue;
            };
            let mut space = vec![0; length];
            assert!(expand(&squeezed, &mut space) && space == block, "{length}");
            assert!(!expand(&squeezed[..squeezed.len() / 2], &mut space), "{length}: cut short");
            assert!(!expand(&[], &mut space));
        }
    }
}
