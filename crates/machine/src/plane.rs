//! Planes: one truth value for each of many games, and how a circuit is run on them.

use crate::circuit::{Circuit, Code, Do, MOST_INPUTS, Piece, Wire};

/// Words of a plane of 512 lanes.
pub(crate) const WORDS: usize = 8;

/// A vector of truth values, one a lane.
pub(crate) trait Plane: Copy + Send + Sync {
    /// How many lanes.
    const LANES: usize;
    fn all(value: bool) -> Self;
    /// From 64-bit words, lane 0 in the lowest bit of the first.
    fn from_words(words: impl FnMut(usize) -> u64) -> Self;
    fn word(&self, at: usize) -> u64;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// `self` and not `other`.
    fn and_not(self, other: Self) -> Self;
    fn is_zero(self) -> bool;
    fn count(self) -> u32;

    #[inline(always)]
    fn not(self) -> Self {
        Self::all(true).and_not(self)
    }
    #[inline(always)]
    fn xor3(a: Self, b: Self, c: Self) -> Self {
        a.xor(b).xor(c)
    }
    /// True where at least two of the three are.
    #[inline(always)]
    fn majority(a: Self, b: Self, c: Self) -> Self {
        a.and(b).or(c.and(a.or(b)))
    }
    /// `yes` where `which`, else `no`.
    #[inline(always)]
    fn choose(which: Self, yes: Self, no: Self) -> Self {
        yes.and(which).or(no.and_not(which))
    }
}

impl Plane for u64 {
    const LANES: usize = 64;
    #[inline(always)]
    fn all(value: bool) -> u64 {
        if value { !0 } else { 0 }
    }
    #[inline(always)]
    fn from_words(mut words: impl FnMut(usize) -> u64) -> u64 {
        words(0)
    }
    #[inline(always)]
    fn word(&self, _: usize) -> u64 {
        *self
    }
    #[inline(always)]
    fn and(self, other: u64) -> u64 {
        self & other
    }
    #[inline(always)]
    fn or(self, other: u64) -> u64 {
        self | other
    }
    #[inline(always)]
    fn xor(self, other: u64) -> u64 {
        self ^ other
    }
    #[inline(always)]
    fn and_not(self, other: u64) -> u64 {
        self & !other
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self == 0
    }
    #[inline(always)]
    fn count(self) -> u32 {
        self.count_ones()
    }
}

/// Eight words worked out one by one. A plain loop, not closures handed to `std`: what is called inside a function with more
/// instructions must be inlined there to use them, and a loop needs no inlining.
macro_rules! each_word {
    ($at:ident => $word:expr) => {{
        let mut words = [0; 8];
        for $at in 0..8 {
            words[$at] = $word;
        }
        words
    }};
}
pub(crate) use each_word;

/// 512 lanes in plain words; the compiler makes of them what the processor has.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Words([u64; 8]);

impl Plane for Words {
    const LANES: usize = 512;
    #[inline(always)]
    fn all(value: bool) -> Words {
        Words([u64::all(value); 8])
    }
    #[inline(always)]
    fn from_words(mut words: impl FnMut(usize) -> u64) -> Words {
        Words(each_word!(at => words(at)))
    }
    #[inline(always)]
    fn word(&self, at: usize) -> u64 {
        self.0[at]
    }
    #[inline(always)]
    fn and(self, other: Words) -> Words {
        Words(each_word!(at => self.0[at] & other.0[at]))
    }
    #[inline(always)]
    fn or(self, other: Words) -> Words {
        Words(each_word!(at => self.0[at] | other.0[at]))
    }
    #[inline(always)]
    fn xor(self, other: Words) -> Words {
        Words(each_word!(at => self.0[at] ^ other.0[at]))
    }
    #[inline(always)]
    fn and_not(self, other: Words) -> Words {
        Words(each_word!(at => self.0[at] & !other.0[at]))
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        let mut all = 0;
        for word in self.0 {
            all |= word;
        }
        all == 0
    }
    #[inline(always)]
    fn count(self) -> u32 {
        let mut count = 0;
        for word in self.0 {
            count += word.count_ones();
        }
        count
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod wide {
    //! 512 lanes in one register, for processors with AVX-512.

    use super::Plane;
    use std::arch::x86_64::*;

    /// Only to be used where [`available`] says so: every method runs AVX-512 instructions.
    #[derive(Clone, Copy)]
    pub(crate) struct Wide(__m512i);

    /// Whether the processor has what [`Wide`] needs.
    pub(crate) fn available() -> bool {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("popcnt")
    }

    // SAFETY of every block below: the engine makes planes of this type only after `available` said yes.
    impl Plane for Wide {
        const LANES: usize = 512;
        #[inline(always)]
        fn all(value: bool) -> Wide {
            // SAFETY: see above.
            Wide(unsafe { _mm512_set1_epi64(if value { -1 } else { 0 }) })
        }
        #[inline(always)]
        fn from_words(words: impl FnMut(usize) -> u64) -> Wide {
            let words: [u64; 8] = std::array::from_fn(words);
            // SAFETY: see above; the array has 64 bytes.
            Wide(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
        }
        #[inline(always)]
        fn word(&self, at: usize) -> u64 {
            let mut words = [0u64; 8];
            // SAFETY: see above; the array has 64 bytes.
            unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) };
            words[at]
        }
        #[inline(always)]
        fn and(self, other: Wide) -> Wide {
            // SAFETY: see above.
            Wide(unsafe { _mm512_and_si512(self.0, other.0) })
        }
        #[inline(always)]
        fn or(self, other: Wide) -> Wide {
            // SAFETY: see above.
            Wide(unsafe { _mm512_or_si512(self.0, other.0) })
        }
        #[inline(always)]
        fn xor(self, other: Wide) -> Wide {
            // SAFETY: see above.
            Wide(unsafe { _mm512_xor_si512(self.0, other.0) })
        }
        #[inline(always)]
        fn and_not(self, other: Wide) -> Wide {
            // SAFETY: see above. The instruction negates its first operand.
            Wide(unsafe { _mm512_andnot_si512(other.0, self.0) })
        }
        #[inline(always)]
        fn is_zero(self) -> bool {
            // SAFETY: see above.
            unsafe { _mm512_test_epi64_mask(self.0, self.0) == 0 }
        }
        #[inline(always)]
        fn count(self) -> u32 {
            (0..8).map(|i| self.word(i).count_ones()).sum()
        }
        #[inline(always)]
        fn xor3(a: Wide, b: Wide, c: Wide) -> Wide {
            // SAFETY: see above.
            Wide(unsafe { _mm512_ternarylogic_epi64(a.0, b.0, c.0, 0x96) })
        }
        #[inline(always)]
        fn majority(a: Wide, b: Wide, c: Wide) -> Wide {
            // SAFETY: see above.
            Wide(unsafe { _mm512_ternarylogic_epi64(a.0, b.0, c.0, 0xe8) })
        }
        #[inline(always)]
        fn choose(which: Wide, yes: Wide, no: Wide) -> Wide {
            // SAFETY: see above.
            Wide(unsafe { _mm512_ternarylogic_epi64(which.0, yes.0, no.0, 0xca) })
        }
    }
}

/// The value of a wire.
#[inline(always)]
pub(crate) fn read<V: Plane>(slots: &[V], wire: Wire) -> V {
    slots[wire.slot as usize].xor(V::all(wire.negated))
}

/// Fresh slots for a circuit: the constant is set, everything else false.
pub(crate) fn slots_for<V: Plane>(circuit: &Circuit) -> Vec<V> {
    let mut slots = vec![V::all(false); circuit.slots as usize];
    slots[0] = V::all(true);
    slots
}

/// Planes as words, one plane after the other, for what is done lane by lane.
pub(crate) fn words<V: Plane>(planes: &[V]) -> &[u64] {
    const { assert!(size_of::<V>() * 8 == V::LANES && align_of::<V>() >= align_of::<u64>()) };
    // SAFETY: a plane is its lanes and nothing else, words one after the other, which was just checked; any bits are a word.
    unsafe { std::slice::from_raw_parts(planes.as_ptr().cast(), planes.len() * (V::LANES / 64)) }
}

/// The same, to be changed.
pub(crate) fn words_mut<V: Plane>(planes: &mut [V]) -> &mut [u64] {
    const { assert!(size_of::<V>() * 8 == V::LANES && align_of::<V>() >= align_of::<u64>()) };
    // SAFETY: as above; and any bits are a plane.
    unsafe { std::slice::from_raw_parts_mut(planes.as_mut_ptr().cast(), planes.len() * (V::LANES / 64)) }
}

/// Runs a program over slots that were made for its circuit.
#[inline(always)]
pub(crate) fn run<V: Plane>(circuit: &Circuit, code: &Code, slots: &mut [V]) {
    assert_eq!(slots.len(), circuit.slots as usize);
    let (mut piece, mut at) = (0, 0);
    let mut back = (0, 0);
    while let Some(next) = code.pieces.get(piece) {
        piece += 1;
        match next {
            &Piece::Run { what, inputs, count } => {
                let ops = &code.places()[at..];
                let ops = &ops[..(usize::from(inputs) + 1) * count as usize];
                at += ops.len();
                match what {
                    Do::And => wide(inputs, ops, slots, V::and),
                    Do::AndNot => each::<V, 3>(ops, slots, V::and_not),
                    Do::Or => wide(inputs, ops, slots, V::or),
                }
            }
            Piece::Loop { grows } => {
                for &(slot, _) in grows {
                    slots[slot as usize] = V::all(false);
                }
                back = (piece - 1, at);
            }
            Piece::End => {
                let Piece::Loop { grows } = &code.pieces[back.0] else { continue };
                let mut changed = V::all(false);
                for &(slot, wire) in grows {
                    let (old, more) = (slots[slot as usize], read(slots, wire));
                    changed = changed.or(more.and_not(old));
                    slots[slot as usize] = old.or(more);
                }
                if !changed.is_zero() {
                    (piece, at) = (back.0 + 1, back.1);
                }
            }
        }
    }
}

/// Operations of so many inputs each.
#[inline(always)]
fn wide<V: Plane>(inputs: u8, ops: &[u32], slots: &mut [V], f: impl Fn(V, V) -> V) {
    const { assert!(MOST_INPUTS == 8) };
    match inputs {
        2 => each::<V, 3>(ops, slots, f),
        3 => each::<V, 4>(ops, slots, f),
        4 => each::<V, 5>(ops, slots, f),
        5 => each::<V, 6>(ops, slots, f),
        6 => each::<V, 7>(ops, slots, f),
        7 => each::<V, 8>(ops, slots, f),
        _ => each::<V, 9>(ops, slots, f),
    }
}

/// The same for operations that have `WIDTH` places each: where it goes to, and its inputs.
#[inline(always)]
fn each<V: Plane, const WIDTH: usize>(ops: &[u32], slots: &mut [V], f: impl Fn(V, V) -> V) {
    // Of a plane with fewer lanes a slot has fewer bytes.
    const { assert!(size_of::<V>().is_multiple_of(Code::WORDS as usize) && WIDTH >= 3 && WIDTH <= MOST_INPUTS + 1) };
    let count = slots.len() as u32 * Code::WORDS;
    let first: *mut u8 = slots.as_mut_ptr().cast();
    for op in ops.as_chunks::<WIDTH>().0 {
        debug_assert!(op.iter().all(|&place| place < count && place % Code::WORDS == 0));
        // SAFETY: the scheduler hands out slot numbers below `Circuit::slots` only, and `run` checks that there are
        // that many; a place is the number of a slot times `Code::WORDS`, so this is where that slot begins.
        unsafe {
            let at = |input: usize| first.add(op[input] as usize * (size_of::<V>() / Code::WORDS as usize)).cast::<V>();
            let mut all = f(*at(1), *at(2));
            for input in 3..WIDTH {
                all = f(all, *at(input));
            }
            *at(0) = all;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, PropNet};
    use game::random::Rng;

    #[test]
    fn two_inputs_at_a_time_come_to_the_same() {
        // 21 lamps, and something that any of them lights.
        let lamps: String = (0..21)
            .map(|n| format!("(init (on {n})) (row {n}) (<= (next (on {n})) (does me (keep {n})) (not (true (lit))))"))
            .collect();
        let rules = format!(
            "(role me) {lamps} (<= (next (lit)) (true (on ?x))) (<= (legal me (keep ?x)) (row ?x))
             (<= terminal (true (lit)) (not (true (on 3)))) (goal me 100)"
        );
        let net = PropNet::new(&gdl::parse(&rules).rules, Budget::default()).unwrap();
        let circuit = &net.circuit;
        let widest = |code: &Code| {
            let inputs = |piece: &Piece| if let Piece::Run { inputs, .. } = piece { *inputs } else { 0 };
            code.pieces.iter().map(inputs).max()
        };
        assert!(widest(&circuit.moves) > Some(4), "{:?}", circuit.moves);
        assert_eq!(widest(&circuit.moves.in_pairs()), Some(2));
        let mut rng = Rng::new(1);
        for _ in 0..100 {
            let mut slots: Vec<u64> = slots_for(circuit);
            slots[1..=net.fact_count() + net.move_count()].fill_with(|| rng.bits());
            let mut other = slots.clone();
            for code in [&circuit.state, &circuit.moves] {
                run(circuit, code, &mut slots);
                run(circuit, &code.in_pairs(), &mut other);
            }
            assert_eq!(slots, other);
        }
    }
}
