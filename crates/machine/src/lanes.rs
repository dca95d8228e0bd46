//! Random playouts in bit-sliced batches: one operation advances hundreds of games.
//!
//! Every lane is a game of its own. A step works out for all of them what is legal and whether the game is over,
//! picks a uniformly random legal move for every role ([`Chooser`]), and works out the next state; a lane whose game has ended
//! begins anew. Nothing is done lane by lane, not even the choice of moves.

use crate::choose::Chooser;
use crate::net::{PropNet, State};
use crate::plane::{Plane, Words, run, slots_for};
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
    chooser: Chooser<V>,
    /// How many moves each game has seen, bit-sliced.
    pub(crate) age: [V; AGE_BITS],
    pub(crate) most: u32,
    tally: Tally,
}

pub(crate) const AGE_BITS: usize = 16;

impl<V: Plane> Batch<V> {
    pub(crate) fn new(net: &PropNet, from: &State, seed: u64) -> Batch<V> {
        let mut slots: Vec<V> = slots_for(&net.circuit);
        for fact in 0..net.fact_count() {
            slots[1 + fact] = V::all(from.0[fact / 64] >> (fact % 64) & 1 == 1);
        }
        let goals = vec![vec![0; 101]; net.ends.len()];
        Batch {
            start: from.clone(),
            slots,
            next: vec![V::all(false); net.fact_count()],
            chooser: Chooser::new(seed),
            age: [V::all(false); AGE_BITS],
            most: MOST_STEPS,
            tally: Tally { goals, ..Tally::default() },
        }
    }

    #[inline(always)]
    fn step(&mut self, net: &PropNet) {
        let circuit = &net.circuit;
        run(circuit, &circuit.state, &mut self.slots);
        let outputs = &circuit.outputs;
        let terminal = self.slots[outputs[net.move_count()] as usize];
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
        for (plane, &slot) in self.next.iter_mut().zip(outputs) {
            *plane = self.slots[slot as usize];
        }
        for (fact, plane) in self.next.iter().enumerate() {
            let first = self.start.0[fact / 64] >> (fact % 64) & 1 == 1;
            self.slots[1 + fact] = V::choose(ended, V::all(first), *plane);
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
        for (&(role, value), &slot) in net.goals.iter().zip(outputs) {
            if let Some(value) = value {
                let ended = self.slots[slot as usize].and(terminal);
                self.tally.goals[role.0 as usize][value as usize] += u64::from(ended.count());
            }
        }
    }

    /// Picks a move of a role in every lane and sets its input; answers the lanes where there is none.
    #[inline(always)]
    pub(crate) fn choose(&mut self, net: &PropNet, from: usize, end: usize, bias: Option<PlayoutBias<'_>>) -> V {
        self.chooser.choose(net, &mut self.slots, from, end, bias)
    }
}
