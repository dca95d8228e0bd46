//! States of the prover and what follows from one: the questions asked so far, their answers, and scratch.

use crate::answers::Store;
use crate::bank::{Bank, Id};
use crate::extension::{Extension, Walk};
use crate::program::{Program, Reach};

/// The facts that are true, by number, sorted.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct State(pub(super) Vec<Id>);

impl State {
    /// The facts, as numbers of terms.
    pub(crate) fn ids(&self) -> &[Id] {
        &self.0
    }
}

/// What follows from one state: the questions asked so far and their answers.
#[derive(Clone)]
pub struct View {
    pub(crate) bank: Bank,
    /// Questions by reach: fixed, state, moves.
    pub(super) stores: [Store; 3],
    /// The ground facts of each relation.
    pub(super) facts: Vec<Extension>,
    /// The facts of the state by group.
    pub(super) groups: Vec<Extension>,
    pub(super) state: Vec<Id>,
    /// For each term the stamp of the last state it was true in.
    pub(super) marks: Vec<u32>,
    pub(super) stamp: u32,
    pub(super) joint: Vec<Id>,
    pub(super) over: bool,
    /// The legal moves of all roles, one after the other, and where each role's end.
    pub(super) legal: Vec<Id>,
    pub(super) ends: Vec<usize>,
    pub(super) frames: Vec<Frame>,
    pub(super) slots: Vec<Id>,
    pub(super) trail: Vec<u32>,
    pub(super) choices: Vec<Choice>,
    /// Answers added to recursive tables so far.
    pub(super) changes: u64,
    /// Tables that wait for the question they rest on, innermost last.
    pub(super) waiting: Vec<(Reach, u32)>,
    pub(super) answer_words: usize,
    pub(super) key: Vec<Id>,
    pub(super) row: Vec<Id>,
}

/// A question being worked on.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub reach: Reach,
    pub table: u32,
    /// The clause at hand, as a place in the relation's list; the facts come before the first.
    pub clause: u32,
    pub pc: u32,
    pub slots: u32,
    pub trail: u32,
    pub choices: u32,
    /// The depth of the outermost frame it rests on; its own depth if on none further out.
    pub lowest: u32,
    /// Whether its own answers were read while it was being worked on.
    pub looped: bool,
    /// What had changed, and what was waiting, when this pass over the clauses began.
    pub changes: u64,
    pub waiting: u32,
}

/// A way not yet taken.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    pub pc: u32,
    pub trail: u32,
    pub rest: Rest,
}

#[derive(Clone, Copy)]
pub(super) enum Rest {
    Rows(Walk),
    Answers { table: u32, row: u32 },
    Number(u32),
}

impl View {
    pub(super) fn new(program: &Program, bank: Bank) -> View {
        let facts = program.relations.iter().map(|r| Extension::new(r.arity, r.facts.clone())).collect();
        let mut groups = vec![Extension::default(); program.groups.len()];
        for (&(_, arity), &group) in &program.groups {
            groups[group as usize] = Extension::new(arity, Vec::new());
        }
        View {
            bank,
            stores: [Store::new(), Store::new(), Store::new()],
            facts,
            groups,
            state: Vec::new(),
            marks: Vec::new(),
            stamp: 0,
            joint: Vec::new(),
            over: false,
            legal: Vec::new(),
            ends: Vec::new(),
            frames: Vec::new(),
            slots: Vec::new(),
            trail: Vec::new(),
            choices: Vec::new(),
            changes: 0,
            waiting: Vec::new(),
            answer_words: 0,
            key: Vec::new(),
            row: Vec::new(),
        }
    }

    /// Takes over a state; everything that followed from the last one is forgotten.
    pub(super) fn load(&mut self, program: &Program, state: &State) {
        self.reset();
        self.state.extend_from_slice(&state.0);
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.marks.fill(0);
            self.stamp = 1;
        }
        if self.marks.len() < self.bank.len() {
            self.marks.resize(self.bank.len(), 0);
        }
        for &id in &state.0 {
            self.marks[id as usize] = self.stamp;
            let args = self.bank.args(id);
            if !args.is_empty()
                && let Some(&group) = program.groups.get(&(self.bank.functor(id), args.len()))
            {
                self.groups[group as usize].push(args);
            }
        }
    }

    pub(super) fn reset(&mut self) {
        self.stores[Reach::State as usize].clear();
        self.stores[Reach::Moves as usize].clear();
        self.groups.iter_mut().for_each(Extension::clear);
        self.state.clear();
        self.joint.clear();
        self.legal.clear();
        self.ends.clear();
    }

    pub(super) fn forget(&mut self) {
        self.stores.iter_mut().for_each(Store::clear);
        self.frames.clear();
        self.slots.clear();
        self.trail.clear();
        self.choices.clear();
        self.waiting.clear();
    }

    pub(super) fn holds(&self, id: Id) -> bool {
        self.marks.get(id as usize) == Some(&self.stamp)
    }
}
