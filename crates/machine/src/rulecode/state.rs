//! What a view holds: the state it looks at, with indexes, and all scratch memory.

use super::code::{Code, Group};
use crate::answers::Store;
use crate::bank::{Bank, Id};
use crate::extension::Extension;
use crate::program::Reach;

/// The end of a chain of facts.
pub(super) const NIL: u32 = u32::MAX;

/// What a role does: a move taken apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Played {
    pub number: u32,
    pub functor: gdl::Symbol,
    /// Where its arguments begin in `args`, and how many there are.
    pub first: u32,
    pub arity: u8,
}

/// A call that is not finished.
#[derive(Clone, Copy, Debug)]
pub(super) struct Return {
    pub pc: u32,
    pub base: u32,
    /// Where the answer is to be kept; `NIL` if nowhere.
    pub slot: u32,
    /// How long the lists of answers were: the callee's, and the one of what it calls.
    pub mine: u32,
    pub other: u32,
    /// A number of its own, to tell its answers from those of others.
    pub id: u32,
}

/// Something that waits for answers of a question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiter {
    pub ask: u32,
    /// The question it works for.
    pub owner: u32,
    /// Where its registers are kept.
    pub regs: u32,
    /// How many answers it has seen.
    pub seen: u32,
    /// The next that waits for the same question.
    pub next: u32,
}

/// A question being worked on together with those that lead to it and back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub reach: Reach,
    pub table: u32,
    /// The last that waits for its answers.
    pub waiter: u32,
    pub started: bool,
    pub queued: bool,
    /// All its answers were there before.
    pub complete: bool,
}

/// All that follows from one state, and scratch.
#[derive(Clone)]
pub struct View {
    pub(super) bank: Bank,
    /// The facts of the state, sorted by number.
    pub(super) state: Vec<u32>,
    /// A bit for each fact that has a number by position.
    pub(super) bits: Vec<u64>,
    pub(super) heads: Vec<u32>,
    pub(super) links: Vec<u32>,
    /// The facts without numbers by position, by group; and for each term the stamp of the last state it was a fact of.
    pub(super) groups: Vec<Extension>,
    pub(super) seen: Vec<u32>,
    /// By reach: changes whenever what is kept becomes void.
    pub(super) stamps: [u32; 3],
    /// Kept answers of tests: stamp and answer.
    pub(super) marks: Vec<u32>,
    /// Kept answers of lists: stamp, first and end in `kept`.
    pub(super) spans: Vec<(u32, u32, u32)>,
    pub(super) kept: [Vec<Id>; 3],
    pub(super) stores: [Store; 3],
    pub(super) answer_words: usize,
    pub(super) regs: Vec<Id>,
    pub(super) returns: Vec<Return>,
    /// Lists being made: calls at even depth write to one, at odd depth to the other.
    pub(super) lists: [Vec<Id>; 2],
    pub(super) depth: usize,
    pub(super) ids: u32,
    /// Where rows with this hash were last put: list's number and place.
    pub(super) filter: Vec<(u32, u32)>,
    pub(super) waiters: Vec<Waiter>,
    pub(super) waiting_regs: Vec<Id>,
    /// The questions being worked on, and those of them to be looked at next.
    pub(super) open: Vec<Open>,
    pub(super) queue: Vec<u32>,
    /// The question at hand, as a place in `open`.
    pub(super) current: u32,
    /// Where the questions of the innermost run begin, and how many runs are at work inside each other.
    pub(super) run: u32,
    pub(super) runs: u32,
    pub(super) played: Vec<Played>,
    pub(super) args: Vec<Id>,
    /// Numbers being yielded.
    pub(super) out: Vec<u32>,
    pub(super) out_bits: Vec<u64>,
    pub(super) over: bool,
    pub(super) legal: Vec<u32>,
    pub(super) ends: Vec<usize>,
    pub(super) key: Vec<Id>,
    /// Steps taken and allowed; with a budget for all questions together, or else for each.
    pub(super) work: u64,
    pub(super) most: u64,
    pub(super) budget: Option<u64>,
    pub(super) counts: Option<Box<super::run::Counts>>,
}

/// The size of the filter for answers found twice, as a power of two.
const FILTER: usize = 1 << 12;

impl View {
    pub(super) fn new(code: &Code, bank: Bank) -> View {
        let words = (code.facts.total as usize).div_ceil(64);
        let mut groups = vec![Extension::default(); code.groups.len()];
        for (&(_, arity), &group) in &code.groups {
            groups[group as usize] = Extension::new(arity, Vec::new());
        }
        View {
            bank,
            state: Vec::new(),
            bits: vec![0; words],
            heads: vec![NIL; code.heads as usize],
            links: vec![NIL; code.links as usize],
            groups,
            seen: Vec::new(),
            stamps: [1; 3],
            marks: vec![0; code.marks as usize],
            spans: vec![(0, 0, 0); code.spans as usize],
            kept: Default::default(),
            stores: [Store::new(), Store::new(), Store::new()],
            answer_words: 0,
            regs: vec![0; 1024],
            returns: Vec::new(),
            lists: Default::default(),
            depth: 0,
            ids: 0,
            filter: vec![(0, 0); FILTER],
            waiters: Vec::new(),
            waiting_regs: Vec::new(),
            open: Vec::new(),
            queue: Vec::new(),
            current: 0,
            run: 0,
            runs: 0,
            played: Vec::new(),
            args: Vec::new(),
            out: Vec::new(),
            out_bits: vec![0; words],
            over: false,
            legal: Vec::new(),
            ends: Vec::new(),
            key: Vec::new(),
            work: 0,
            most: 0,
            budget: None,
            counts: None,
        }
    }

    /// Takes over a state: only what is different from the last one is changed.
    pub(super) fn load(&mut self, code: &Code, state: &[u32]) {
        self.void(Reach::State);
        self.void(Reach::Moves);
        let old = std::mem::take(&mut self.state);
        let (mut a, mut b) = (old.iter().copied().peekable(), state.iter().copied().peekable());
        loop {
            match (a.peek(), b.peek()) {
                (Some(x), Some(y)) if x == y => {
                    a.next();
                    b.next();
                }
                (Some(&x), y) if y.is_none_or(|&y| x < y) => {
                    self.remove(code, x);
                    a.next();
                }
                (_, Some(&y)) => {
                    self.add(code, y);
                    b.next();
                }
                _ => break,
            }
        }
        self.state = old;
        self.state.clear();
        self.state.extend_from_slice(state);
        if code.facts.others {
            self.load_others(code);
        }
        self.played.clear();
        self.legal.clear();
        self.ends.clear();
    }

    fn add(&mut self, code: &Code, number: u32) {
        if number >= code.facts.total {
            return;
        }
        self.bits[number as usize / 64] |= 1 << (number % 64);
        let shape = code.facts.shape_at(number);
        let fact = number - code.facts.shapes[shape].offset;
        for &index in &code.indexes_of[shape] {
            let index = &code.indexes[index as usize];
            let head = &mut self.heads[(index.heads + index.keys[fact as usize]) as usize];
            self.links[(index.links + fact) as usize] = std::mem::replace(head, fact);
        }
    }

    fn remove(&mut self, code: &Code, number: u32) {
        if number >= code.facts.total {
            return;
        }
        self.bits[number as usize / 64] &= !(1 << (number % 64));
        let shape = code.facts.shape_at(number);
        let fact = number - code.facts.shapes[shape].offset;
        for &index in &code.indexes_of[shape] {
            let index = &code.indexes[index as usize];
            let next = self.links[(index.links + fact) as usize];
            let head = &mut self.heads[(index.heads + index.keys[fact as usize]) as usize];
            if *head == fact {
                *head = next;
                continue;
            }
            let mut at = *head;
            while self.links[(index.links + at) as usize] != fact {
                at = self.links[(index.links + at) as usize];
            }
            self.links[(index.links + at) as usize] = next;
        }
    }

    /// The facts that have no numbers by position.
    fn load_others(&mut self, code: &Code) {
        self.groups.iter_mut().for_each(Extension::clear);
        if self.seen.len() < self.bank.len() {
            self.seen.resize(self.bank.len(), 0);
        }
        let stamp = self.stamps[Reach::State as usize];
        let from = self.state.partition_point(|&number| number < code.facts.total);
        for &number in &self.state[from..] {
            let id = number - code.facts.total;
            self.seen[id as usize] = stamp;
            let args = self.bank.args(id);
            let group: Group = (self.bank.functor(id), args.len());
            if let Some(&group) = code.groups.get(&group)
                && !args.is_empty()
            {
                self.groups[group as usize].push(args);
            }
        }
    }

    /// Whether the state has this fact.
    pub(super) fn has(&self, code: &Code, number: u32) -> bool {
        match number.checked_sub(code.facts.total) {
            None => self.bits[number as usize / 64] >> (number % 64) & 1 != 0,
            Some(id) => self.seen.get(id as usize) == Some(&self.stamps[Reach::State as usize]),
        }
    }

    /// Forgets what was kept for this reach.
    pub(super) fn void(&mut self, reach: Reach) {
        let stamp = &mut self.stamps[reach as usize];
        *stamp += 1;
        if *stamp >= 1 << 31 {
            // Once in two thousand million states everything is forgotten properly.
            *stamp = 1;
            self.marks.fill(0);
            self.spans.fill((0, 0, 0));
            self.seen.fill(0);
        }
        self.kept[reach as usize].clear();
        self.stores[reach as usize].clear();
    }

    /// After a limit was reached: nothing half-done survives.
    pub(super) fn forget(&mut self) {
        for reach in [Reach::Fixed, Reach::State, Reach::Moves] {
            self.void(reach);
        }
        self.answer_words = 0;
        self.returns.clear();
        self.lists.iter_mut().for_each(Vec::clear);
        self.depth = 0;
        self.waiters.clear();
        self.waiting_regs.clear();
        self.open.clear();
        self.queue.clear();
        (self.run, self.runs) = (0, 0);
        for &number in &self.out {
            if let Some(word) = self.out_bits.get_mut(number as usize / 64) {
                *word = 0;
            }
        }
        self.out.clear();
    }

    /// About how many bytes all of it takes.
    pub(super) fn all_bytes(&self) -> usize {
        let words = self.state.capacity() + self.heads.capacity() + self.links.capacity() + self.seen.capacity();
        let kept = self.marks.capacity() * 4 + self.spans.capacity() * size_of::<(u32, u32, u32)>();
        size_of::<View>() + self.bytes() + words * 4 + self.bits.capacity() * 8 + kept
    }

    /// About how many bytes the parts take that grow while a question is answered.
    pub(super) fn bytes(&self) -> usize {
        let lists: usize = self.lists.iter().chain(&self.kept).map(Vec::capacity).sum();
        let words =
            lists + self.answer_words + self.regs.capacity() + self.waiting_regs.capacity() + self.out.capacity();
        self.bank.bytes() * 2 + words * 4 + self.returns.capacity() * size_of::<Return>()
    }
}
