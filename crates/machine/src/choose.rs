//! A random legal move for every lane at once.
//!
//! Nothing is done lane by lane: the legal moves of a role are counted in bit-sliced numbers, a random number below the count is
//! drawn for each lane by multiplying 32 random bits with the count (so that no move is likelier by more than one part in four
//! thousand million), and the move of that number is found by counting down.

use crate::net::PropNet;
use crate::plane::{Plane, WORDS, each_word};
use game::Move;
use game::random::Rng;
use game::rollouts::PlayoutBias;

/// Draws moves: its random bits, and the memory that it needs for it.
pub(crate) struct Chooser<V> {
    random: [[u64; WORDS]; 4],
    /// The legal moves of a role, and counts of blocks of them.
    legal: Vec<V>,
    counts: Vec<[V; BLOCK_BITS]>,
    /// The moves that were drawn, where they are not put to where they are made at once.
    drawn: Vec<V>,
}

/// Moves are counted and found in blocks of this many.
const BLOCK: usize = 15;
/// Bits of a count up to `BLOCK`.
const BLOCK_BITS: usize = 4;
/// Bits of the number of legal moves of a role.
const MOST_BITS: usize = 24;
/// Random bits a choice.
const RANDOM_BITS: usize = 32;

impl<V: Plane> Chooser<V> {
    /// The same seed draws the same moves.
    pub fn new(seed: u64) -> Chooser<V> {
        let mut rng = Rng::new(seed);
        let random = std::array::from_fn(|_| std::array::from_fn(|_| rng.bits()));
        Chooser { random, legal: Vec::new(), counts: Vec::new(), drawn: Vec::new() }
    }

    /// 64 random bits for each word of a plane: xoshiro256++, one generator a word, all words in step. Each operation is done for all
    /// words before the next: the compiler makes wide instructions of that, and of one loop over all operations it does not.
    #[inline(always)]
    fn random(&mut self) -> V {
        let [s0, s1, s2, s3] = self.random;
        let out = each_word!(i => s0[i].wrapping_add(s3[i]));
        let out = each_word!(i => out[i].rotate_left(23).wrapping_add(s0[i]));
        let t = each_word!(i => s1[i] << 17);
        let s2 = each_word!(i => s2[i] ^ s0[i]);
        let s3 = each_word!(i => s3[i] ^ s1[i]);
        let s1 = each_word!(i => s1[i] ^ s2[i]);
        let s0 = each_word!(i => s0[i] ^ s3[i]);
        let s2 = each_word!(i => s2[i] ^ t[i]);
        let s3 = each_word!(i => s3[i].rotate_left(45));
        self.random = [s0, s1, s2, s3];
        V::from_words(|at| out[at])
    }

    /// Lanes in so many of 16 cases.
    #[inline(always)]
    fn coin(&mut self, chance: u8) -> V {
        let mut lanes = V::all(chance >= 16);
        for bit in 0..4 {
            let coin = self.random();
            lanes = if chance >= 16 || chance >> bit & 1 == 1 { lanes.or(coin) } else { lanes.and(coin) };
        }
        lanes
    }

    /// Whole blocks for so many moves, of which those are still to be written; what is beyond them is never legal.
    #[inline(always)]
    fn make_room(&mut self, count: usize) {
        self.legal.resize(count.next_multiple_of(BLOCK), V::all(false));
        for legal in &mut self.legal[count..] {
            *legal = V::all(false);
        }
    }

    /// Leaves only the preferred moves among the legal ones, in the lanes that have any and draw it.
    #[inline(always)]
    fn narrow(&mut self, from: usize, count: usize, bias: PlayoutBias<'_>) {
        let is = |at: usize| bias.has(Move((from + at) as u32));
        let mut any = V::all(false);
        for (at, &legal) in self.legal[..count].iter().enumerate() {
            if is(at) {
                any = any.or(legal);
            }
        }
        if any.is_zero() {
            return;
        }
        let narrowed = any.and(self.coin(bias.chance));
        for (at, legal) in self.legal[..count].iter_mut().enumerate() {
            if !is(at) {
                *legal = legal.and_not(narrowed);
            }
        }
    }

    /// Picks a move of a role in every lane and sets its input; answers the lanes where there is none.
    #[inline(always)]
    pub fn choose(
        &mut self,
        net: &PropNet,
        slots: &mut [V],
        from: usize,
        end: usize,
        bias: Option<PlayoutBias<'_>>,
    ) -> V {
        if from == end {
            return V::all(true);
        }
        let first = 1 + net.fact_count() + from;
        self.make_room(end - from);
        for (legal, &slot) in self.legal.iter_mut().zip(&net.circuit.outputs[from..end]) {
            *legal = slots[slot as usize];
        }
        if let Some(bias) = bias {
            self.narrow(from, end - from, bias);
        }
        self.draw(&mut slots[first..first + (end - from)])
    }

    /// Draws a move of whoever decides in each lane, where nowhere several do: the moves of all roles are one list then, which is counted and
    /// searched once. They are in [`Chooser::drawn`] afterwards, by their number in the role; answers the lanes where there is none.
    #[inline(always)]
    pub fn draw_alone(&mut self, net: &PropNet, slots: &[V], acts: &[V]) -> V {
        let (mut from, mut widest) = (0, 0);
        for &end in &net.ends {
            widest = widest.max(end - from);
            from = end;
        }
        if widest == 0 {
            return V::all(true);
        }
        // The first role writes the list, the others add theirs: nothing is cleared before.
        self.make_room(widest);
        let (mut from, mut written) = (0, 0);
        for (&acts, &end) in acts.iter().zip(&net.ends) {
            let outputs = &net.circuit.outputs[from..end];
            let (both, more) = outputs.split_at(written.min(outputs.len()));
            let (old, new) = self.legal.split_at_mut(written);
            for (legal, &slot) in old.iter_mut().zip(both) {
                *legal = legal.or(slots[slot as usize].and(acts));
            }
            for (legal, &slot) in new.iter_mut().zip(more) {
                *legal = slots[slot as usize].and(acts);
            }
            (from, written) = (end, written.max(outputs.len()));
        }
        let mut drawn = std::mem::take(&mut self.drawn);
        // All of it is written.
        drawn.resize(widest, V::all(false));
        let none = self.draw(&mut drawn);
        self.drawn = drawn;
        none
    }

    /// What [`Chooser::draw_alone`] has drawn.
    pub fn drawn(&self) -> &[V] {
        &self.drawn
    }

    /// Sets the inputs of what [`Chooser::draw_alone`] has drawn, and of the only moves of those who wait.
    #[inline(always)]
    pub fn make_drawn(&self, net: &PropNet, slots: &mut [V], acts: &[V]) {
        let first = 1 + net.fact_count();
        let mut from = 0;
        for (&acts, &end) in acts.iter().zip(&net.ends) {
            // Inputs come before everything that is worked out, and nothing else is read from them here.
            for ((mv, &slot), &drawn) in (from..end).zip(&net.circuit.outputs[from..end]).zip(&self.drawn) {
                slots[first + mv] = V::choose(acts, drawn, slots[slot as usize]);
            }
            from = end;
        }
    }

    /// Draws one of the legal moves that were gathered, and answers the lanes where there are none.
    #[inline(always)]
    fn draw(&mut self, out: &mut [V]) -> V {
        // Count the legal moves, block by block and in all.
        self.counts.clear();
        let mut total = [V::all(false); MOST_BITS];
        for block in self.legal.as_chunks::<BLOCK>().0 {
            let count = count_block(block);
            let mut carry = V::all(false);
            for (bit, plane) in total.iter_mut().enumerate() {
                let more = if bit < BLOCK_BITS { count[bit] } else { V::all(false) };
                let sum = V::xor3(*plane, more, carry);
                carry = V::majority(*plane, more, carry);
                *plane = sum;
                if bit >= BLOCK_BITS && carry.is_zero() {
                    break;
                }
            }
            self.counts.push(count);
        }
        let bits = usize::BITS as usize - out.len().leading_zeros() as usize;
        let mut none = V::all(true);
        for plane in &total[..bits] {
            none = none.and_not(*plane);
        }
        // A random number below the count: the top bits of the product with 32 random bits.
        let mut number = [V::all(false); MOST_BITS + 1];
        for _ in 0..RANDOM_BITS {
            let coin = self.random();
            let mut carry = V::all(false);
            for bit in 0..bits {
                let more = total[bit].and(coin);
                let sum = V::xor3(number[bit], more, carry);
                carry = V::majority(number[bit], more, carry);
                // The halving: every bit moves down, the lowest is dropped.
                if bit > 0 {
                    number[bit - 1] = sum;
                }
            }
            number[bits - 1] = carry;
        }
        self.find(out, bits, &mut number, none);
        none
    }

    /// Sets the plane of the move whose number among the legal ones each lane has drawn.
    #[inline(always)]
    fn find(&self, out: &mut [V], bits: usize, number: &mut [V], none: V) {
        // Lanes still looking for the block of their move.
        let mut looking = none.not();
        let blocks = self.legal.as_chunks::<BLOCK>().0.iter().zip(&self.counts);
        for ((block, count), out) in blocks.zip(out.chunks_mut(BLOCK)) {
            // number - count: where it would go below zero, the move is in this block.
            let mut borrow = V::all(false);
            let mut first = [V::all(false); BLOCK_BITS];
            first.copy_from_slice(&number[..BLOCK_BITS]);
            for bit in 0..bits {
                let take = if bit < BLOCK_BITS { count[bit] } else { V::all(false) };
                let less = V::xor3(number[bit], take, borrow);
                borrow = V::majority(number[bit].not(), take, borrow);
                // Lanes that have found their block never look at the number again.
                number[bit] = less;
            }
            let here = borrow.and(looking);
            looking = looking.and_not(here);
            if here.is_zero() {
                out.iter_mut().for_each(|out| *out = V::all(false));
            } else if let Ok(out) = <&mut [V; BLOCK]>::try_from(&mut *out) {
                find_in_block(block, first, here, out);
            } else {
                let mut whole = [V::all(false); BLOCK];
                find_in_block(block, first, here, &mut whole);
                out.copy_from_slice(&whole[..out.len()]);
            }
        }
    }
}

/// The sum of three planes, its lower bit first.
#[inline(always)]
fn add<V: Plane>(a: V, b: V, c: V) -> [V; 2] {
    [V::xor3(a, b, c), V::majority(a, b, c)]
}

/// How many of 15 planes are true, bit-sliced: threes are added up, then their sums, bit by bit.
#[inline(always)]
fn count_block<V: Plane>(block: &[V; BLOCK]) -> [V; BLOCK_BITS] {
    let mut threes = [[V::all(false); 2]; BLOCK / 3];
    for (sum, &[a, b, c]) in threes.iter_mut().zip(block.as_chunks::<3>().0) {
        *sum = add(a, b, c);
    }
    let [[a0, a1], [b0, b1], [c0, c1], [d0, d1], [e0, e1]] = threes;
    let [some, two] = add(a0, b0, c0);
    let [ones, other_two] = add(some, d0, e0);
    let [some, four] = add(a1, b1, c1);
    let [some, other_four] = add(some, d1, e1);
    let [twos, last_four] = add(some, two, other_two);
    let [fours, eights] = add(four, other_four, last_four);
    [ones, twos, fours, eights]
}

/// Sets the plane of the move of this number in a block, in the lanes `here`, whose number is less than the count of the block: three moves at
/// a time.
#[inline(always)]
fn find_in_block<V: Plane>(block: &[V; BLOCK], number: [V; BLOCK_BITS], here: V, out: &mut [V; BLOCK]) {
    let [mut n0, mut n1, mut n2, mut n3] = number;
    let mut looking = here;
    for (at, (&[a, b, c], out)) in block.as_chunks::<3>().0.iter().zip(out.as_chunks_mut::<3>().0).enumerate() {
        // Whoever still looks at the last three has its move there.
        let mut mine = looking;
        let [m0, m1] = [n0, n1];
        if at < BLOCK / 3 - 1 {
            let [ones, twos] = add(a, b, c);
            let borrow = ones.and_not(n0);
            n0 = n0.xor(ones);
            let next = V::majority(n1.not(), twos, borrow);
            n1 = V::xor3(n1, twos, borrow);
            let borrow = next.and_not(n2);
            n2 = n2.xor(next);
            let next = borrow.and_not(n3);
            n3 = n3.xor(borrow);
            mine = looking.and(next);
            looking = looking.and_not(next);
        }
        // Its number is 0, 1 or 2: as many as are legal before the move.
        let none = mine.and_not(m1);
        *out = [
            none.and(a).and_not(m0),
            none.and(b).and_not(a.xor(m0)),
            mine.and(c).and_not(V::xor3(a, b, m0)).and_not(a.and(b).xor(m1)),
        ];
    }
}
