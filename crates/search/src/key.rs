//! Hashing of states: the same on every machine and in every run, unlike the hasher of the standard library.

use std::hash::{Hash, Hasher};

/// 64 bits that stand for a state.
pub fn key<S: Hash>(state: &S) -> u64 {
    let mut hasher = Mix(0x243f_6a88_85a3_08d3);
    state.hash(&mut hasher);
    hasher.finish()
}

/// Folds each word in by a wide multiplication; every bit of the input reaches every bit of the result.
pub struct Mix(pub u64);

#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let wide = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd1b5_4a32_d192_ed03);
    (wide as u64) ^ (wide >> 64) as u64
}

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.write_u64(u64::from_le_bytes(word.try_into().unwrap_or_default()));
        }
        let rest = words.remainder();
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(word) ^ (rest.len() as u64) << 56);
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 = fold(self.0, word).wrapping_add(word.rotate_left(32));
    }

    fn finish(&self) -> u64 {
        fold(self.0, 0x5851_f42d_4c95_7f2d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn different_states_have_different_keys() {
        let mut seen = HashSet::new();
        for a in 0u64..300 {
            for b in 0u64..300 {
                assert!(seen.insert(key(&[a, b << 40])));
            }
        }
        // The low bits alone spread well: they choose the place in a table.
        let low: HashSet<u64> = (0u64..4096).map(|n| key(&n) & 0xffff).collect();
        assert!(low.len() > 3850, "{}", low.len());
    }
}
