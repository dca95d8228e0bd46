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

    /// Leaves only the preferred moves among the legal ones, in the lanes that have any and draw it.
    #[inline(always)]
    fn narrow(&mut self, from: usize, bias: PlayoutBias<'_>) {
        let is = |at: usize| bias.has(Move((from + at) as u32));
        let mut any = V::all(false);
        for (at, &legal) in self.legal.iter().enumerate() {
            if is(at) {
                any = any.or(legal);
            }
        }
        if any.is_zero() {
            return;
        }
        let narrowed = any.and(self.coin(bias.chance));
        for (at, legal) in self.legal.iter_mut().enumerate() {
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
        // All of it is written.
        self.legal.resize(end - from, V::all(false));
        for (legal, &slot) in self.legal.iter_mut().zip(&net.circuit.outputs[from..end]) {
            *legal = slots[slot as usize];
        }
        if let Some(bias) = bias {
            self.narrow(from, bias);
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
        self.legal.resize(widest, V::all(false));
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
        for block in self.legal.chunks(BLOCK) {
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
        let bits = usize::BITS as usize - self.legal.len().leading_zeros() as usize;
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
        for (at, count) in self.counts.iter().enumerate() {
            let block = at * BLOCK..((at + 1) * BLOCK).min(self.legal.len());
            // number - count: where it would go below zero, the move is in this block.
            let mut borrow = V::all(false);
            let mut less = [V::all(false); MOST_BITS];
            for bit in 0..bits {
                let take = if bit < BLOCK_BITS { count[bit] } else { V::all(false) };
                less[bit] = V::xor3(number[bit], take, borrow);
                borrow = V::majority(number[bit].not(), take, borrow);
            }
            let here = borrow.and(looking);
            if here.is_zero() {
                for mv in block {
                    out[mv] = V::all(false);
                }
            } else {
                let mut left = [V::all(false); BLOCK_BITS];
                left.copy_from_slice(&number[..BLOCK_BITS]);
                for mv in block {
                    let mut down = self.legal[mv].and(here);
                    for plane in &mut left {
                        let old = *plane;
                        *plane = old.xor(down);
                        down = down.and_not(old);
                    }
                    // What still has to be borrowed after all bits belongs to lanes that had counted down to zero.
                    out[mv] = down;
                }
            }
            looking = looking.and_not(here);
            for bit in 0..bits {
                number[bit] = V::choose(looking, less[bit], number[bit]);
            }
        }
    }
}

/// How many of up to 15 planes are true, bit-sliced, with full adders.
#[inline(always)]
fn count_block<V: Plane>(block: &[V]) -> [V; BLOCK_BITS] {
    let mut sum = [V::all(false); BLOCK_BITS];
    for pair in block.chunks(2) {
        let (a, b) = (pair[0], pair.get(1).copied().unwrap_or(V::all(false)));
        // Two new planes and the lowest bit make a sum and a carry; the carry ripples on.
        let low = V::xor3(sum[0], a, b);
        let mut carry = V::majority(sum[0], a, b);
        sum[0] = low;
        for plane in &mut sum[1..] {
            let old = *plane;
            *plane = old.xor(carry);
            carry = carry.and(old);
        }
    }
    sum
}
