//! Random playouts in bit-sliced batches: one operation advances hundreds of games.
//!
//! Every lane is a game of its own. A step works out for all of them what is legal and whether the game is over,
//! picks a uniformly random legal move for every role, and works out the next state; a lane whose game has ended
//! begins anew. Nothing is done lane by lane, not even the choice of moves: the legal moves of a role are counted in
//! bit-sliced numbers, a random number below the count is drawn for each lane by multiplying 32 random bits with the
//! count (so that no move is likelier by more than one part in four thousand million), and the move of that number is
//! found by counting down.

use crate::net::{PropNet, State};
use crate::plane::{Plane, Words, each_word, read, run, slots_for};
use game::Move;
use game::random::Rng;
use game::rollouts::PlayoutBias;

/// What many playouts came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Joint moves made.
    pub states: u64,
    /// Games that ended in a terminal state.
    pub playouts: u64,
    /// Games given up in a state where a role had no move.
    pub stuck: u64,
    /// Games given up because they grew too long.
    pub cut: u64,
    /// For each role, how many of the ended games brought each goal from 0 to 100.
    pub goals: Vec<Vec<u64>>,
}

/// Hundreds of random games at a time.
pub struct Lanes<'a> {
    net: &'a PropNet,
    planes: Planes,
}

enum Planes {
    #[cfg(target_arch = "x86_64")]
    Wide(Box<Batch<crate::plane::wide::Wide>>),
    Words(Box<Batch<Words>>),
}

/// Games longer than this are given up, unless told otherwise.
const MOST_STEPS: u32 = 10_000;

impl<'a> Lanes<'a> {
    pub(crate) fn new(net: &'a PropNet, from: &State, seed: u64) -> Lanes<'a> {
        #[cfg(target_arch = "x86_64")]
        if crate::plane::wide::available() {
            return Lanes { net, planes: Planes::Wide(Box::new(Batch::new(net, from, seed))) };
        }
        Lanes { net, planes: Planes::Words(Box::new(Batch::new(net, from, seed))) }
    }

    /// Lanes that use no instructions beyond what every processor of this family has.
    pub fn portable(net: &'a PropNet, seed: u64) -> Lanes<'a> {
        let from = &net.start;
        Lanes { net, planes: Planes::Words(Box::new(Batch::new(net, from, seed))) }
    }

    /// How many games run side by side.
    pub fn width(&self) -> usize {
        512
    }

    /// Makes one move in every game, so many times.
    pub fn run(&mut self, steps: u64) {
        match &mut self.planes {
            // SAFETY: this kind is made only where the processor has the instructions.
            #[cfg(target_arch = "x86_64")]
            Planes::Wide(batch) => unsafe { run_wide(batch, self.net, steps) },
            Planes::Words(batch) => run_words(batch, self.net, steps),
        }
    }

    /// Games that are still going on after so many moves are given up (10,000 unless set, at most 65,535).
    pub fn most_steps(&mut self, most: u16) {
        match &mut self.planes {
            #[cfg(target_arch = "x86_64")]
            Planes::Wide(batch) => batch.most = most.into(),
            Planes::Words(batch) => batch.most = most.into(),
        }
    }

    /// What all games so far came to.
    pub fn tally(&self) -> &Tally {
        match &self.planes {
            #[cfg(target_arch = "x86_64")]
            Planes::Wide(batch) => &batch.tally,
            Planes::Words(batch) => &batch.tally,
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
unsafe fn run_wide(batch: &mut Batch<crate::plane::wide::Wide>, net: &PropNet, steps: u64) {
    for _ in 0..steps {
        batch.step(net);
    }
}

fn run_words(batch: &mut Batch<Words>, net: &PropNet, steps: u64) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,popcnt")]
        unsafe fn with_avx2(batch: &mut Batch<Words>, net: &PropNet, steps: u64) {
            for _ in 0..steps {
                batch.step(net);
            }
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
            // SAFETY: just checked.
            return unsafe { with_avx2(batch, net, steps) };
        }
    }
    for _ in 0..steps {
        batch.step(net);
    }
}

/// Games side by side.
pub(crate) struct Batch<V> {
    /// Where games begin.
    start: State,
    pub(crate) slots: Vec<V>,
    pub(crate) next: Vec<V>,
    random: [[u64; WORDS]; 4],
    /// How many moves each game has seen, bit-sliced.
    pub(crate) age: [V; AGE_BITS],
    pub(crate) most: u32,
    tally: Tally,
    /// Scratch for choosing: the legal moves of a role, and counts of blocks of them.
    legal: Vec<V>,
    counts: Vec<[V; BLOCK_BITS]>,
}

/// Words of a plane.
pub(crate) const WORDS: usize = 8;
pub(crate) const AGE_BITS: usize = 16;
/// Moves are counted and found in blocks of this many.
const BLOCK: usize = 15;
/// Bits of a count up to `BLOCK`.
const BLOCK_BITS: usize = 4;
/// Bits of the number of legal moves of a role.
const MOST_BITS: usize = 24;
/// Random bits a choice.
const RANDOM_BITS: usize = 32;

impl<V: Plane> Batch<V> {
    pub(crate) fn new(net: &PropNet, from: &State, seed: u64) -> Batch<V> {
        let mut slots: Vec<V> = slots_for(&net.circuit);
        for fact in 0..net.fact_count() {
            slots[1 + fact] = V::all(from.0[fact / 64] >> (fact % 64) & 1 == 1);
        }
        let mut rng = Rng::new(seed);
        let random = std::array::from_fn(|_| std::array::from_fn(|_| rng.bits()));
        let goals = vec![vec![0; 101]; net.ends.len()];
        Batch {
            start: from.clone(),
            slots,
            next: vec![V::all(false); net.fact_count()],
            random,
            age: [V::all(false); AGE_BITS],
            most: MOST_STEPS,
            tally: Tally { goals, ..Tally::default() },
            legal: Vec::new(),
            counts: Vec::new(),
        }
    }

    #[inline(always)]
    fn step(&mut self, net: &PropNet) {
        let circuit = &net.circuit;
        run(circuit, &circuit.state, &mut self.slots);
        let outputs = &circuit.outputs;
        let terminal = read(&self.slots, outputs[net.move_count()]);
        let old = self.grow_older().and_not(terminal);
        let mut stuck = V::all(false);
        let mut from = 0;
        for &end in &net.ends {
            stuck = stuck.or(self.choose(net, from, end, None));
            from = end;
        }
        let stuck = stuck.and_not(terminal);
        let ended = terminal.or(stuck).or(old);
        if !ended.is_zero() {
            self.count(net, terminal, stuck, old);
            for plane in &mut self.age {
                *plane = plane.and_not(ended);
            }
        }
        self.tally.states += u64::from(V::LANES as u32 - ended.count());
        run(circuit, &circuit.moves, &mut self.slots);
        let outputs = &outputs[net.move_count() + 1 + net.goals.len()..];
        for (plane, &wire) in self.next.iter_mut().zip(outputs) {
            *plane = read(&self.slots, wire);
        }
        for (fact, plane) in self.next.iter().enumerate() {
            let first = self.start.0[fact / 64] >> (fact % 64) & 1 == 1;
            self.slots[1 + fact] = if first { plane.or(ended) } else { plane.and_not(ended) };
        }
    }

    /// Adds one to the age of every game; answers which have reached the greatest.
    #[inline(always)]
    pub(crate) fn grow_older(&mut self) -> V {
        let mut carry = V::all(true);
        let mut full = V::all(true);
        for (bit, plane) in self.age.iter_mut().enumerate() {
            let sum = plane.xor(carry);
            carry = carry.and(*plane);
            *plane = sum;
            full = if self.most >> bit & 1 == 1 { full.and(sum) } else { full.and_not(sum) };
        }
        full
    }

    #[inline(always)]
    fn count(&mut self, net: &PropNet, terminal: V, stuck: V, old: V) {
        self.tally.playouts += u64::from(terminal.count());
        self.tally.stuck += u64::from(stuck.count());
        self.tally.cut += u64::from(old.and_not(stuck).count());
        let outputs = &net.circuit.outputs[net.move_count() + 1..];
        for (&(role, value), &wire) in net.goals.iter().zip(outputs) {
            if let Some(value) = value {
                let ended = read(&self.slots, wire).and(terminal);
                self.tally.goals[role.0 as usize][value as usize] += u64::from(ended.count());
            }
        }
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
    pub(crate) fn choose(&mut self, net: &PropNet, from: usize, end: usize, bias: Option<PlayoutBias<'_>>) -> V {
        if from == end {
            return V::all(true);
        }
        let first = 1 + net.fact_count() + from;
        self.legal.clear();
        self.legal.reserve(end - from);
        for &wire in &net.circuit.outputs[from..end] {
            self.legal.push(read(&self.slots, wire));
        }
        if let Some(bias) = bias {
            self.narrow(from, bias);
        }
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
        let bits = usize::BITS as usize - (end - from).leading_zeros() as usize;
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
        self.find(first, bits, &mut number, none);
        none
    }

    /// Sets the input of the move whose number among the legal ones each lane has drawn.
    #[inline(always)]
    fn find(&mut self, first: usize, bits: usize, number: &mut [V], none: V) {
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
                    self.slots[first + mv] = V::all(false);
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
                    self.slots[first + mv] = down;
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
