//! The ground atoms of relations, in rows that can be joined.
//!
//! A relation whose arguments are functions somewhere (`true`, `legal`, `does` …) keeps its rows apart by that
//! function and flattens its arguments, so that `(true (cell ?x 2 ?p))` finds its rows through an index on the 2.

use crate::bank::{Bank, Id};
use crate::gates::Lit;
use crate::program::{Pat, Rel};
use gdl::Symbol;
use std::collections::{HashMap, HashSet};

/// Ends a chain.
pub(super) const END: u32 = u32::MAX;

/// An index over the rows by the values of some columns. It grows with the rows.
struct Index {
    mask: u64,
    heads: Vec<u32>,
    next: Vec<u32>,
    /// How many rows are in it.
    rows: usize,
}

impl Index {
    fn new(mask: u64) -> Index {
        Index { mask, heads: vec![END; 16], next: Vec::new(), rows: 0 }
    }
}

/// The index of each group over all its columns.
const WHOLE: usize = 0;

/// The different values of a column.
///
/// A row of bits where that is small; a set where few values have large numbers, so that many small groups of a game with very
/// many terms stay small.
enum Distinct {
    Bits(Vec<u64>, usize),
    Set(HashSet<Id>),
}

/// Words of bits that are always allowed, and for each value seen.
const FEW_WORDS: usize = 16;
const WORDS_EACH: usize = 64;

impl Distinct {
    fn insert(&mut self, value: Id) {
        match self {
            Distinct::Bits(bits, count) => {
                let (word, bit) = (value as usize / 64, 1 << (value % 64));
                if bits.len() <= word {
                    if word > FEW_WORDS + WORDS_EACH * (*count + 1) {
                        let ones = (0..64 * bits.len()).filter(|at| bits[at / 64] >> (at % 64) & 1 == 1);
                        let mut set: HashSet<Id> = ones.map(|at| at as Id).collect();
                        set.insert(value);
                        *self = Distinct::Set(set);
                        return;
                    }
                    bits.resize(word + 1, 0);
                }
                *count += usize::from(bits[word] & bit == 0);
                bits[word] |= bit;
            }
            Distinct::Set(set) => {
                set.insert(value);
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Distinct::Bits(_, count) => *count,
            Distinct::Set(set) => set.len(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Distinct::Bits(bits, _) => bits.capacity() * 8,
            Distinct::Set(set) => set.capacity() * 8,
        }
    }
}

/// Rows of one shape.
pub(super) struct Group {
    /// The relation, and how many arguments it has.
    pub rel: Rel,
    arity: usize,
    pub width: usize,
    /// Row after row: its values, then its gate, so that one look into memory finds both.
    cells: Vec<u32>,
    count: usize,
    indexes: Vec<Index>,
    /// For each column the values seen.
    seen: Vec<Distinct>,
    /// Rows before this one are old in the round at hand.
    pub old: u32,
    /// Rows before this one take part in the round at hand.
    pub now: u32,
}

impl Group {
    fn new(rel: Rel, arity: usize, width: usize) -> Group {
        Group {
            rel,
            arity,
            width,
            cells: Vec::new(),
            count: 0,
            indexes: vec![Index::new(full(width))],
            seen: (0..width).map(|_| Distinct::Bits(Vec::new(), 0)).collect(),
            old: 0,
            now: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.count
    }

    #[inline]
    pub fn row(&self, row: u32) -> &[Id] {
        let start = row as usize * (self.width + 1);
        &self.cells[start..start + self.width]
    }

    /// What a row is worth: its gate.
    #[inline]
    pub fn lit(&self, row: u32) -> Lit {
        Lit(self.cells[(row as usize + 1) * (self.width + 1) - 1])
    }

    pub fn set_lit(&mut self, row: u32, lit: Lit) {
        self.cells[(row as usize + 1) * (self.width + 1) - 1] = lit.0;
    }

    /// The index for this mask (of columns), brought up to date.
    pub fn index(&mut self, mask: u64) -> usize {
        let at = self.indexes.iter().position(|index| index.mask == mask).unwrap_or_else(|| {
            self.indexes.push(Index::new(mask));
            self.indexes.len() - 1
        });
        self.update(at);
        at
    }

    fn update(&mut self, at: usize) {
        let count = self.len();
        let index = &mut self.indexes[at];
        if count > index.heads.len() {
            index.heads.clear();
            index.heads.resize((count * 2).next_power_of_two(), END);
            index.rows = 0;
            index.next.clear();
        }
        for row in index.rows..count {
            let key = &self.cells[row * (self.width + 1)..][..self.width];
            let bucket = bucket(key, index.mask, index.heads.len());
            index.next.push(std::mem::replace(&mut index.heads[bucket], row as u32));
        }
        index.rows = count;
    }

    /// About how many rows one key finds: as if the columns had nothing to do with each other.
    pub fn fanout(&self, mask: u64) -> f64 {
        let mut rows = self.len() as f64;
        for (at, distinct) in self.seen.iter().enumerate() {
            if mask >> at & 1 == 1 {
                rows /= distinct.len().max(1) as f64;
            }
        }
        rows
    }

    fn push(&mut self, values: &[Id], lit: Lit) {
        values.iter().zip(&mut self.seen).for_each(|(&value, seen)| seen.insert(value));
        self.cells.extend_from_slice(values);
        self.cells.push(lit.0);
        self.count += 1;
    }

    #[inline]
    pub fn first(&self, index: usize, key: &[Id]) -> u32 {
        let index = &self.indexes[index];
        index.heads[bucket(key, index.mask, index.heads.len())]
    }

    #[inline]
    pub fn next(&self, index: usize, row: u32) -> u32 {
        self.indexes[index].next[row as usize]
    }

    /// The row with exactly these values.
    pub fn find(&mut self, values: &[Id]) -> Option<u32> {
        if self.indexes[WHOLE].rows < self.len() {
            self.update(WHOLE);
        }
        let mut row = self.first(WHOLE, values);
        // Rows are short: a loop is quicker than a call that compares memory.
        while row != END && !self.row(row).iter().zip(values).all(|(a, b)| a == b) {
            row = self.next(WHOLE, row);
        }
        (row != END).then_some(row)
    }

    fn bytes(&self) -> usize {
        let indexes: usize = self.indexes.iter().map(|index| index.heads.len() + index.next.len()).sum();
        let headers = size_of::<Group>() + self.indexes.len() * size_of::<Index>() + self.width * size_of::<Distinct>();
        headers + (self.cells.len() + indexes) * 4 + self.seen.iter().map(Distinct::bytes).sum::<usize>()
    }
}

/// A mask of that many columns.
pub(super) fn full(width: usize) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

#[inline]
fn bucket(key: &[Id], mask: u64, buckets: usize) -> usize {
    let mut h = 0u64;
    let mut left = mask;
    while left != 0 {
        h = (h.rotate_left(7) ^ u64::from(key[left.trailing_zeros() as usize])).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        left &= left - 1;
    }
    (h >> 32) as usize & (buckets - 1)
}

/// All rows of all relations.
pub(super) struct Rows {
    pub groups: Vec<Group>,
    /// For each relation, the argument that is flattened, if any.
    pub pivots: Vec<Option<usize>>,
    /// The groups of each relation: by function and number of arguments of the flattened argument.
    of: Vec<HashMap<(Symbol, usize), u32>>,
    /// The same in the order in which they were made.
    lists: Vec<Vec<u32>>,
    /// The groups that have got rows since their `now` was set last.
    fresh: Vec<u32>,
}

/// A pattern for the columns of a group; `None` where any value will do.
pub(super) type Columns = Box<[Option<Pat>]>;

impl Rows {
    pub fn new(pivots: Vec<Option<usize>>) -> Rows {
        let n = pivots.len();
        Rows { groups: Vec::new(), pivots, of: vec![HashMap::new(); n], lists: vec![Vec::new(); n], fresh: Vec::new() }
    }

    /// The groups of a relation.
    pub fn list(&self, rel: Rel) -> &[u32] {
        &self.lists[rel as usize]
    }

    pub fn bytes(&self) -> usize {
        self.groups.iter().map(Group::bytes).sum::<usize>() + self.of.len() * 96
    }

    /// The groups that have got rows since they were last asked for here.
    pub fn take_fresh(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.fresh)
    }

    /// Forgets the rows of a relation.
    pub fn clear(&mut self, rel: Rel) {
        for &group in &self.lists[rel as usize] {
            let Group { arity, width, .. } = self.groups[group as usize];
            self.groups[group as usize] = Group::new(rel, arity, width);
        }
    }

    /// The group to which an atom with these arguments belongs, and its columns.
    pub fn place(&mut self, rel: Rel, args: &[Id], bank: &Bank, columns: &mut Vec<Id>) -> u32 {
        columns.clear();
        let (key, width) = match self.pivots[rel as usize] {
            None => {
                columns.extend_from_slice(args);
                // Without a function there is one group only.
                if let Some(&group) = self.lists[rel as usize].first() {
                    return group;
                }
                ((Symbol(u32::MAX), 0), args.len())
            }
            Some(pivot) => {
                let term = args[pivot];
                columns.extend(args.iter().enumerate().filter(|(at, _)| *at != pivot).map(|(_, id)| *id));
                columns.extend_from_slice(bank.args(term));
                columns.push(term);
                ((bank.functor(term), bank.args(term).len()), columns.len())
            }
        };
        let Rows { groups, of, lists, .. } = self;
        *of[rel as usize].entry(key).or_insert_with(|| {
            groups.push(Group::new(rel, args.len(), width));
            lists[rel as usize].push(groups.len() as u32 - 1);
            groups.len() as u32 - 1
        })
    }

    /// The row of an atom, if there is one.
    pub fn find(&mut self, rel: Rel, args: &[Id], bank: &Bank, columns: &mut Vec<Id>) -> Option<(u32, u32)> {
        let group = self.place(rel, args, bank, columns);
        self.groups[group as usize].find(columns).map(|row| (group, row))
    }

    /// Adds an atom if it is new; answers its row and whether it was new.
    pub fn add(&mut self, rel: Rel, args: &[Id], lit: Lit, bank: &Bank, columns: &mut Vec<Id>) -> (u32, u32, bool) {
        let number = self.place(rel, args, bank, columns);
        let group = &mut self.groups[number as usize];
        if let Some(row) = group.find(columns) {
            return (number, row, false);
        }
        if group.len() as u32 == group.now {
            self.fresh.push(number);
        }
        group.push(columns, lit);
        (number, group.len() as u32 - 1, true)
    }

    /// The arguments of a row, as the relation has them.
    pub fn args(&self, rel: Rel, group: u32, row: u32, args: &mut Vec<Id>) {
        let values = self.groups[group as usize].row(row);
        args.clear();
        match self.pivots[rel as usize] {
            None => args.extend_from_slice(values),
            Some(pivot) => {
                let others = self.groups[group as usize].arity - 1;
                args.extend_from_slice(&values[..others]);
                args.insert(pivot, values[values.len() - 1]);
            }
        }
    }

    /// The groups that a sentence with these arguments can match, each with the pattern for its columns.
    pub fn targets(&self, rel: Rel, args: &[Pat], bank: &Bank) -> Vec<(u32, Columns)> {
        let Some(pivot) = self.pivots[rel as usize] else {
            let columns: Columns = args.iter().cloned().map(Some).collect();
            return self.list(rel).iter().map(|&group| (group, columns.clone())).collect();
        };
        let mut front: Vec<Option<Pat>> =
            args.iter().enumerate().filter(|(at, _)| *at != pivot).map(|(_, pat)| Some(pat.clone())).collect();
        let (key, inner): ((Symbol, usize), Vec<Pat>) = match &args[pivot] {
            Pat::Var(_) => {
                // Any function: only the whole term is looked at.
                return self
                    .list(rel)
                    .iter()
                    .map(|&group| {
                        let mut columns = front.clone();
                        columns.resize(self.groups[group as usize].width - 1, None);
                        columns.push(Some(args[pivot].clone()));
                        (group, columns.into())
                    })
                    .collect();
            }
            Pat::Ground(id) => {
                let inner = bank.args(*id);
                ((bank.functor(*id), inner.len()), inner.iter().map(|&id| Pat::Ground(id)).collect())
            }
            Pat::Call(functor, inner) => ((*functor, inner.len()), inner.to_vec()),
        };
        let Some(&group) = self.of[rel as usize].get(&key) else { return Vec::new() };
        front.extend(inner.into_iter().map(Some));
        front.push(None);
        vec![(group, front.into())]
    }
}
