//! Which bits of some words are set: how legal moves are read off.

use super::Skill;
use game::Move;
use std::ops::Range;

/// The words that have bits of a range, without those outside of it, and the number of each word's first bit.
fn cut(bits: &[u64], range: Range<usize>) -> impl Iterator<Item = (usize, u64)> + '_ {
    let (first, last) = (range.start / 64, range.end / 64);
    let words = first..range.end.div_ceil(64);
    words.map(move |at| {
        let mut word = bits[at];
        if at == first {
            word &= !0 << (range.start % 64);
        }
        if at == last {
            word &= (1 << (range.end % 64)) - 1;
        }
        (64 * at, word)
    })
}

/// Tells the places of the bits of a range that are set.
#[inline]
pub(crate) fn each_one(bits: &[u64], range: Range<usize>, mut seen: impl FnMut(usize)) {
    for (from, mut word) in cut(bits, range) {
        while word != 0 {
            seen(from + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}

/// How many bits of a range are set: none, one, or more, which is 2.
pub(crate) fn some_ones(bits: &[u64], range: Range<usize>) -> usize {
    let mut found = 0;
    for (_, word) in cut(bits, range) {
        found += usize::from(word != 0) + usize::from(word & word.wrapping_sub(1) != 0);
        if found > 1 {
            return 2;
        }
    }
    found
}

/// Appends the bits of a range that are set, each as the move with its number.
pub(super) fn list(skill: Skill, bits: &[u64], range: Range<usize>, out: &mut Vec<Move>) {
    #[cfg(target_arch = "x86_64")]
    if skill == Skill::Picks {
        // SAFETY: words are made to be picked from only where the processor can.
        return unsafe { list_wide(bits, range, out) };
    }
    let _ = skill;
    each_one(bits, range, |at| out.push(Move(at as u32)));
}

/// The same without a loop over the bits, whose end would be foreseen wrongly in most words.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
unsafe fn list_wide(bits: &[u64], range: Range<usize>, out: &mut Vec<Move>) {
    use std::arch::x86_64::*;
    const NUMBERS: [u8; 64] = {
        let mut numbers = [0; 64];
        let mut at = 0;
        while at < 64 {
            numbers[at] = at as u8;
            at += 1;
        }
        numbers
    };
    for (from, word) in cut(bits, range) {
        if word == 0 {
            continue;
        }
        let count = word.count_ones() as usize;
        out.reserve(count);
        // SAFETY: 64 numbers are read; no more than `count` moves are written behind the last one, where there is room for them.
        unsafe {
            let mut places = _mm512_maskz_compress_epi8(word, _mm512_loadu_si512(NUMBERS.as_ptr().cast()));
            let base = _mm512_set1_epi32(from as i32);
            let room = out.as_mut_ptr().add(out.len());
            for done in (0..count).step_by(16) {
                let moves = _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places)));
                let here = u16::MAX >> 16usize.saturating_sub(count - done);
                _mm512_mask_storeu_epi32(room.add(done).cast(), here, moves);
                places = _mm512_alignr_epi64::<2>(places, places);
            }
            out.set_len(out.len() + count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::random::Rng;

    #[test]
    fn bits_of_any_range_are_found() {
        let mut rng = Rng::new(1);
        for round in 0..500 {
            let mut words = [0; 5].map(|_: u64| rng.bits());
            (0..round % 6).for_each(|_| words.iter_mut().for_each(|word| *word &= rng.bits()));
            let (a, b) = (rng.below(321), rng.below(321));
            let range = a.min(b)..a.max(b);
            let wanted: Vec<Move> =
                range.clone().filter(|at| words[at / 64] >> (at % 64) & 1 == 1).map(|at| Move(at as u32)).collect();
            for skill in [Skill::Turns, Skill::here()] {
                let mut found = vec![Move(7)];
                list(skill, &words, range.clone(), &mut found);
                assert_eq!(found[1..], wanted, "{skill:?}, {range:?}");
            }
            assert_eq!(some_ones(&words, range), wanted.len().min(2));
        }
    }
}
