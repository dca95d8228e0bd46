//! The code that rules become: steps over registers, and the tables they look things up in.
//!
//! A routine's clauses are tried in turn. Inside a clause a step that fails goes back to the last step before it that
//! can give something else *and* has to do with the failure; which one that is has been settled when the code was made. So
//! there is no stack of choices, no record of bindings to undo, and no test whether a register is filled.

use super::space::{Domains, Numbering};
use crate::bank::{Id, hash};
use crate::program::{Reach, Rel};
use game::LimitKind;
use gdl::Symbol;
use std::collections::HashMap;

/// A register of the frame at hand.
pub(super) type Reg = u8;
/// A place in the code.
pub(super) type Pc = u32;

/// One step. Where it succeeds the next one follows; where it fails it goes on at `fail`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    /// The registers hold the same.
    Same {
        a: Reg,
        b: Reg,
        fail: Pc,
    },
    Differ {
        a: Reg,
        b: Reg,
        fail: Pc,
    },
    /// The register holds this term.
    Is {
        a: Reg,
        id: Id,
        fail: Pc,
    },
    IsNot {
        a: Reg,
        id: Id,
        fail: Pc,
    },
    Const {
        to: Reg,
        id: Id,
    },
    Copy {
        from: Reg,
        to: Reg,
    },
    /// Takes a term apart, into consecutive registers.
    Open {
        from: Reg,
        to: Reg,
        arity: u8,
        functor: Symbol,
        fail: Pc,
    },
    /// Puts a term together; `terms` says how.
    Build {
        term: u32,
        to: Reg,
    },
    /// The same, if the term is known; a term that is not known is nowhere.
    Find {
        term: u32,
        to: Reg,
        fail: Pc,
    },

    /// A listed relation has such a row.
    Holds {
        look: u32,
        fail: Pc,
    },
    Lacks {
        look: u32,
        fail: Pc,
    },
    /// The one row that a listed relation can have.
    Row {
        look: u32,
        fail: Pc,
    },
    /// The rows of a listed relation; goes on after the `RowsNext` that follows it.
    Rows {
        look: u32,
        at: Reg,
        fail: Pc,
    },
    RowsNext {
        look: u32,
        at: Reg,
        fail: Pc,
    },

    /// The state has this fact.
    True {
        look: u32,
        fail: Pc,
    },
    False {
        look: u32,
        fail: Pc,
    },
    /// The state has such a fact.
    Some {
        look: u32,
        fail: Pc,
    },
    None {
        look: u32,
        fail: Pc,
    },
    /// The facts of the state; goes on after the `FactsNext` that follows it.
    Facts {
        look: u32,
        at: Reg,
        fail: Pc,
    },
    FactsNext {
        look: u32,
        at: Reg,
        fail: Pc,
    },

    /// The same for facts that have no numbers by position.
    Others {
        other: u32,
        at: Reg,
        fail: Pc,
    },
    OthersNext {
        other: u32,
        at: Reg,
        fail: Pc,
    },
    /// The state has (has not) the fact that is this term.
    TrueTerm {
        a: Reg,
        fail: Pc,
    },
    FalseTerm {
        a: Reg,
        fail: Pc,
    },
    /// All facts of the state, as terms.
    Terms {
        to: Reg,
        at: Reg,
        fail: Pc,
    },
    TermsNext {
        to: Reg,
        at: Reg,
        fail: Pc,
    },

    /// A role makes such a move; the loop is over roles.
    Does {
        does: u32,
        at: Reg,
        fail: Pc,
    },
    DoesNext {
        does: u32,
        at: Reg,
        fail: Pc,
    },

    /// A routine proves it.
    Test {
        call: u32,
        fail: Pc,
    },
    NotTest {
        call: u32,
        fail: Pc,
    },
    /// The answers of a routine; goes on after the `GatherNext` that follows it.
    Gather {
        call: u32,
        at: Reg,
        fail: Pc,
    },
    GatherNext {
        call: u32,
        at: Reg,
        fail: Pc,
    },
    /// Asks for the answers of a routine that may lead back here; what follows is done for each as it is found.
    Ask {
        ask: u32,
        fail: Pc,
    },

    Jump {
        to: Pc,
    },
    /// Goes on at the place that the register tells.
    Switch {
        a: Reg,
        first: u32,
    },

    /// The routine has one more answer.
    Yield {
        list: u32,
        fail: Pc,
    },
    /// The question being worked on has one more answer.
    Answer {
        list: u32,
        fail: Pc,
    },
    /// One more fact of the next state, or legal move, by its number.
    YieldNumber {
        look: u32,
        fail: Pc,
    },
    /// The same, as a term.
    YieldTerm {
        a: Reg,
        fail: Pc,
    },
    Proved,
    Failed,
    /// The rules need something they cannot have.
    Raise {
        kind: LimitKind,
    },
}

impl Op {
    /// Calls `f` with the places this step can go to, other than the next.
    pub fn for_each_place(&mut self, f: &mut dyn FnMut(&mut Pc)) {
        match self {
            Op::Same { fail, .. }
            | Op::Differ { fail, .. }
            | Op::Is { fail, .. }
            | Op::IsNot { fail, .. }
            | Op::Open { fail, .. }
            | Op::Find { fail, .. }
            | Op::Holds { fail, .. }
            | Op::Lacks { fail, .. }
            | Op::Row { fail, .. }
            | Op::Rows { fail, .. }
            | Op::RowsNext { fail, .. }
            | Op::True { fail, .. }
            | Op::False { fail, .. }
            | Op::Some { fail, .. }
            | Op::None { fail, .. }
            | Op::Facts { fail, .. }
            | Op::FactsNext { fail, .. }
            | Op::Others { fail, .. }
            | Op::OthersNext { fail, .. }
            | Op::TrueTerm { fail, .. }
            | Op::FalseTerm { fail, .. }
            | Op::Terms { fail, .. }
            | Op::TermsNext { fail, .. }
            | Op::Does { fail, .. }
            | Op::DoesNext { fail, .. }
            | Op::Test { fail, .. }
            | Op::NotTest { fail, .. }
            | Op::Gather { fail, .. }
            | Op::GatherNext { fail, .. }
            | Op::Ask { fail, .. }
            | Op::Yield { fail, .. }
            | Op::Answer { fail, .. }
            | Op::YieldNumber { fail, .. }
            | Op::YieldTerm { fail, .. }
            | Op::Jump { to: fail } => f(fail),
            Op::Const { .. }
            | Op::Copy { .. }
            | Op::Build { .. }
            | Op::Switch { .. }
            | Op::Proved
            | Op::Failed
            | Op::Raise { .. } => {}
        }
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Reg(Reg),
    Const(Id),
}

/// One register's part of an address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Where the ranks of its domain begin; the domain itself until all code is written.
    pub ranks: u32,
    /// The first term that has a rank, and how many follow from there on.
    pub low: u32,
    pub terms: u32,
    pub stride: u32,
    pub reg: Reg,
}

/// A part of one of the lists.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    pub first: u32,
    pub len: u32,
}

impl Span {
    #[inline]
    pub fn of<T>(self, list: &[T]) -> &[T] {
        &list[self.first as usize..(self.first + self.len) as usize]
    }
}

/// How a table is addressed and what is taken from a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    pub table: u32,
    /// What the known constants contribute to the address.
    pub base: u32,
    pub parts: Span,
    /// Pairs of column and register.
    pub outs: Span,
    /// The key is looked up by hash; `parts` is a part of `sources`.
    pub hashed: bool,
    /// For facts: where the links of the index begin.
    pub links: u32,
}

/// Puts a term together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    pub functor: Symbol,
    /// A part of `sources`.
    pub args: Span,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub routine: u32,
    /// A part of `sources`.
    pub args: Span,
    /// Pairs of column and register.
    pub outs: Span,
    /// Where the caller's registers end.
    pub frame: u32,
}

/// A call of a routine whose answers arrive over time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask {
    pub call: u32,
    /// Where to go on with an answer.
    pub then: Pc,
}

/// A condition on the moves being made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Does {
    /// The role, where it is known.
    pub role: Option<Source>,
    /// Where to put the role.
    pub role_to: Option<Reg>,
    /// The move's functor and number of arguments, where they are known.
    pub form: Option<(Symbol, u8)>,
    /// Where to put the whole move.
    pub term_to: Option<Reg>,
    /// Pairs of argument and register.
    pub outs: Span,
}

/// A condition on facts without numbers by position.
#[derive(Clone, Debug)]
pub(super) struct Other {
    /// The group of such facts.
    pub group: u32,
    /// What is known of each argument.
    pub known: Vec<Option<Source>>,
    /// Pairs of argument and register.
    pub outs: Span,
    pub negated: bool,
}

/// How answers of a routine are kept.
#[derive(Clone, Copy, Debug)]
pub(super) enum Memo {
    /// Not at all.
    No,
    /// In a place addressed by the arguments; the first place of this routine's.
    Direct { look: u32 },
    /// In a table found by hash.
    Hashed,
}

/// A routine as it runs.
#[derive(Clone, Debug)]
pub(super) struct Routine {
    pub rel: Rel,
    pub entry: Pc,
    pub inputs: u8,
    pub outputs: u8,
    pub reach: Reach,
    pub memo: Memo,
    /// Its answers are found by running all that lead to each other together.
    pub tabled: bool,
}

/// A set of addresses.
#[derive(Default)]
pub(super) struct Bits {
    pub words: Vec<u64>,
    pub keys: Option<Keys>,
}

/// Rows by address.
#[derive(Default)]
pub(super) struct Rows {
    /// Where the rows of each address begin, and one more.
    pub starts: Vec<u32>,
    pub values: Vec<Id>,
    pub width: u32,
    pub keys: Option<Keys>,
}

/// Addresses for keys that are too many to be numbered by position.
pub(super) struct Keys {
    width: usize,
    rows: Vec<Id>,
    slots: Vec<u32>,
}

impl Keys {
    /// The keys in this order get the numbers 0, 1, 2 …
    pub fn new(rows: Vec<Id>, width: usize) -> Keys {
        let count = rows.len() / width;
        let mut keys = Keys { width, rows, slots: vec![0; (count * 2 + 1).next_power_of_two()] };
        for row in 0..count {
            let at = keys.slot(&keys.rows[row * width..(row + 1) * width]);
            keys.slots[at] = row as u32 + 1;
        }
        keys
    }

    fn slot(&self, key: &[Id]) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash(0, key) as usize & mask;
        while let Some(row) = (self.slots[at] as usize).checked_sub(1) {
            if &self.rows[row * self.width..(row + 1) * self.width] == key {
                break;
            }
            at = (at + 1) & mask;
        }
        at
    }

    pub fn find(&self, key: &[Id]) -> Option<u32> {
        self.slots[self.slot(key)].checked_sub(1)
    }

    fn bytes(&self) -> usize {
        4 * (self.rows.len() + self.slots.len())
    }
}

/// An index over the facts of one shape.
pub(super) struct FactIndex {
    pub shape: u32,
    /// Where its heads begin.
    pub heads: u32,
    /// For each fact of the shape the address of its key.
    pub keys: Vec<u32>,
    /// Where the links of the facts begin.
    pub links: u32,
}

/// A group of facts without numbers by position.
pub(super) type Group = (Symbol, usize);

/// Everything that does not change while a game is played.
pub(super) struct Code {
    pub ops: Vec<Op>,
    pub looks: Vec<Look>,
    pub parts: Vec<Part>,
    pub pairs: Vec<(u8, Reg)>,
    pub sources: Vec<Source>,
    pub calls: Vec<Call>,
    pub asks: Vec<Ask>,
    pub terms: Vec<Term>,
    pub lists: Vec<Span>,
    pub does: Vec<Does>,
    pub others: Vec<Other>,
    pub switches: Vec<Pc>,
    pub routines: Vec<Routine>,
    pub bits: Vec<Bits>,
    pub rows: Vec<Rows>,
    pub indexes: Vec<FactIndex>,
    /// The indexes over each shape.
    pub indexes_of: Vec<Vec<u32>>,
    /// For each shape the arguments of its facts, one fact after the other; empty where no index needs them.
    pub columns: Vec<Vec<Id>>,
    pub groups: HashMap<Group, u32>,
    /// Places of terms in domains.
    pub ranks: Vec<u16>,
    pub domains: Domains,
    pub facts: Numbering,
    pub moves: Numbering,
    /// The sizes of the places for kept answers, of tests and of lists.
    pub marks: u32,
    pub spans: u32,
    /// The heads and links of all indexes.
    pub heads: u32,
    pub links: u32,
    pub entries: Entries,
}

impl Code {
    pub fn new(shapes: usize) -> Code {
        Code {
            ops: Vec::new(),
            looks: Vec::new(),
            parts: Vec::new(),
            pairs: Vec::new(),
            sources: Vec::new(),
            calls: Vec::new(),
            asks: Vec::new(),
            terms: Vec::new(),
            lists: Vec::new(),
            does: Vec::new(),
            others: Vec::new(),
            switches: Vec::new(),
            routines: Vec::new(),
            bits: Vec::new(),
            rows: Vec::new(),
            indexes: Vec::new(),
            indexes_of: vec![Vec::new(); shapes],
            columns: vec![Vec::new(); shapes],
            groups: HashMap::new(),
            ranks: Vec::new(),
            domains: Default::default(),
            facts: Default::default(),
            moves: Default::default(),
            marks: 0,
            spans: 0,
            heads: 0,
            links: 0,
            entries: Entries::default(),
        }
    }

    /// About how many bytes the code takes, with a view for it.
    pub fn bytes(&self) -> usize {
        let keys = |keys: &Option<Keys>| keys.as_ref().map_or(0, Keys::bytes);
        let bits: usize = self.bits.iter().map(|bits| 8 * bits.words.len() + keys(&bits.keys)).sum();
        let rows = self.rows.iter().map(|rows| 4 * (rows.starts.len() + rows.values.len()) + keys(&rows.keys));
        let indexes: usize = self.indexes.iter().map(|index| 4 * index.keys.len()).sum();
        let columns: usize = self.columns.iter().map(|column| 4 * column.len()).sum();
        bits + rows.sum::<usize>() + indexes + columns + self.ops.len() * size_of::<Op>() + self.view_bytes()
    }

    /// About how many bytes a view takes for places of kept answers and indexes.
    fn view_bytes(&self) -> usize {
        4 * (self.marks as usize + 3 * self.spans as usize + self.heads as usize + self.links as usize)
    }
}

/// Where the questions from outside are answered.
#[derive(Default)]
pub(super) struct Entries {
    /// Code that yields legal moves of the role in the first register.
    pub legal: Vec<Pc>,
    pub next: Vec<Pc>,
    /// The routines for `terminal` and `goal`.
    pub terminal: Option<u32>,
    pub goal: Option<u32>,
}
