//! One state at a time, 64 gates at a time.
//!
//! The bits of a word are gates that do not depend on each other: a chunk. Every gate is kept as an `or` of literals, an `and` as the
//! `or` of its negated inputs, and records bring the bits of earlier words to where they are wanted: in most rules the gates that one rule
//! makes for all cells of a board read other such gates at the same distance, so that one turn of a word serves dozens of them. There is
//! hardly a branch.
//!
//! What is seldom true costs little. A chunk of nothing but `and` gates first looks at the input that is most seldom true of each
//! gate, and is done if no gate is left. Such a chunk hands its bits on to those that want them itself, and only if there are any. Moves that are
//! not made are looked at by nobody: a move knows the gates that it is an input of.
//!
//! Gates that depend on themselves are worked out again and again until nothing changes, a word at a time.

mod ones;
mod place;
mod records;
mod sample;

use crate::budget::{Budget, Stop};
use crate::gates::{Gates, Lit};
use game::Move;
use ones::list;
use place::place;
use records::{Pick, Record};
use std::ops::Range;

pub(crate) use ones::{each_one, some_ones};
pub(crate) use records::Skill;

/// A word of gates.
#[derive(Clone, Debug)]
struct Chunk {
    /// The word that is made.
    to: u32,
    /// Whether it is done when all gates are decided by the first records.
    exits: bool,
    /// Gates whose value is the negation; all where it exits.
    flip: u64,
    /// How many records of each kind: those that come first, the rest, and those that are handed on.
    first: [u32; 3],
    rest: [u32; 3],
    on: [u32; 3],
    /// How many records there are after the first.
    left: u32,
}

/// So many chunks.
#[derive(Clone, Debug)]
enum Block {
    /// One after the other.
    Run(u32),
    /// Until the last ones, whose words begin as false, do not change any more.
    Loop { count: u32, open: u32 },
}

#[derive(Clone, Debug, Default)]
struct Program {
    blocks: Vec<Block>,
    chunks: Vec<Chunk>,
    records: Vec<Record>,
    picks: Vec<Pick>,
    /// What each chunk begins with: gates that wait for a move are decided unless it is made.
    begin: Vec<u64>,
    /// Whether chunks hand bits on to others, so that what those begin with changes.
    hands_on: bool,
}

/// What a move that is made does to a chunk before that is run.
#[derive(Clone, Copy, Debug)]
struct Effect {
    chunk: u32,
    keep: u64,
    set: u64,
}

/// A net in words.
pub(crate) struct Packed {
    /// Words: the constant, facts, moves, and what is worked out; then the negations of all of them.
    words: usize,
    facts: usize,
    /// The first word of the moves, of what is legal and the end, of the goals, and of what the facts become.
    moves: usize,
    legal: usize,
    legal_words: usize,
    goals: usize,
    next: usize,
    /// What follows from the facts; the goals, which few ask for; and what follows from moves.
    look: Program,
    score: Program,
    play: Program,
    /// The effects of all moves, and where those of each begin.
    effects: Vec<Effect>,
    starts: Vec<u32>,
    /// Whether there is more to moves than their effects.
    reads_moves: bool,
    /// What records make use of.
    skill: Skill,
}

/// What to make words of: inputs are facts, then moves.
pub(crate) struct Plan<'a> {
    pub gates: &'a Gates,
    pub start: &'a [bool],
    /// Where the moves of each role end.
    pub ends: &'a [usize],
    pub legal: &'a [Lit],
    pub terminal: Lit,
    pub goals: &'a [Lit],
    pub next: &'a [Lit],
}

/// What one state looks like.
#[derive(Clone)]
pub(crate) struct Field {
    words: Vec<u64>,
    /// What the chunks of each program begin with: as the program says, but where bits have been handed on.
    begins: [Vec<u64>; 3],
    /// Whether the goals of this state are known.
    scored: bool,
}

impl Field {
    /// The bytes that its lists take.
    pub fn bytes(&self) -> usize {
        (self.words.capacity() + self.begins.iter().map(Vec::capacity).sum::<usize>()) * 8
    }
}

impl Packed {
    /// Puts gates into words, for a processor with this skill; [`Skill::here`] is the most that may be asked for.
    pub fn new(plan: &Plan<'_>, skill: Skill, budget: &Budget) -> Result<Packed, Stop> {
        place(plan, skill.min(Skill::here()), budget)
    }

    /// Room for one state.
    pub fn field(&self) -> Field {
        let mut words = vec![0; 2 * self.words];
        words[0] = !0;
        words[self.words + 1..].fill(!0);
        let begins = [&self.look, &self.score, &self.play].map(|program| program.begin.clone());
        Field { words, begins, scored: false }
    }

    /// Works out what is legal in a state, and whether it is the end.
    pub fn look(&self, field: &mut Field, state: &[u64]) {
        let (words, negated) = field.words.split_at_mut(self.words);
        let to = words[1..].iter_mut().zip(&mut negated[1..]);
        for (facts, (word, negated)) in state.iter().take(self.facts).zip(to) {
            let facts = alone(facts);
            (*word, *negated) = (facts, !facts);
        }
        field.scored = false;
        self.run(&self.look, &mut field.words, &mut field.begins[0]);
    }

    /// The facts of the state looked at.
    pub fn facts<'a>(&self, field: &'a Field) -> &'a [u64] {
        &field.words[1..1 + self.facts]
    }

    /// What is legal, a bit a move, and then whether it is the end.
    pub fn legal<'a>(&self, field: &'a Field) -> &'a [u64] {
        &field.words[self.legal..self.legal + self.legal_words]
    }

    /// Appends the moves of a range of numbers that are legal.
    pub fn list_legal(&self, field: &Field, range: Range<usize>, out: &mut Vec<Move>) {
        list(self.skill, self.legal(field), range, out);
    }

    /// The goals that hold in the state looked at, a bit each.
    pub fn goals<'a>(&self, field: &'a mut Field) -> &'a [u64] {
        if !field.scored {
            self.run(&self.score, &mut field.words, &mut field.begins[1]);
            field.scored = true;
        }
        &field.words[self.goals..]
    }

    /// Writes the facts after these moves, which are given by their numbers.
    pub fn play(&self, field: &mut Field, moves: impl Iterator<Item = usize> + Clone, next: &mut [u64]) {
        let (words, begin) = (&mut field.words, &mut field.begins[2]);
        if self.play.hands_on {
            begin.copy_from_slice(&self.play.begin);
        }
        let effects = |mv: usize| &self.effects[self.starts[mv] as usize..self.starts[mv + 1] as usize];
        for mv in moves.clone() {
            if self.reads_moves {
                let at = self.moves + mv / 64;
                words[at] |= 1 << (mv % 64);
                words[at + self.words] = !words[at];
            }
            for effect in effects(mv) {
                let begin = &mut begin[effect.chunk as usize];
                *begin = *begin & effect.keep | effect.set;
            }
        }
        self.run_from(&self.play, words, begin.as_mut_ptr());
        for mv in moves {
            if self.reads_moves {
                let at = self.moves + mv / 64;
                words[at] = 0;
                words[at + self.words] = !0;
            }
            if !self.play.hands_on {
                effects(mv).iter().map(|effect| effect.chunk as usize).for_each(|at| begin[at] = self.play.begin[at]);
            }
        }
        for (to, from) in next.iter_mut().zip(&words[self.next..self.next + self.facts]) {
            *to = alone(from);
        }
    }

    fn run(&self, program: &Program, words: &mut [u64], begin: &mut [u64]) {
        // Where nothing is handed on, nothing has been written there.
        if program.hands_on {
            begin.copy_from_slice(&program.begin);
        }
        self.run_from(program, words, begin.as_mut_ptr());
    }

    /// Runs a program whose chunks begin with what is there: a word for each, which may be written where bits are handed on.
    fn run_from(&self, program: &Program, words: &mut [u64], begin: *mut u64) {
        assert_eq!(words.len(), 2 * self.words);
        // SAFETY: the builder gives out words below `words`, and chunks that there are, and as many records as the chunks say, for a skill that
        // the processor has.
        unsafe {
            match self.skill {
                #[cfg(target_arch = "x86_64")]
                Skill::Picks if !program.picks.is_empty() => run_picking(program, words, begin),
                #[cfg(target_arch = "x86_64")]
                Skill::Picks | Skill::Sorts => run_sorting(program, words, begin),
                _ => run(program, words, begin, |word, it| word.rotate_left(it.by) & it.put, |_, _| 0),
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2")]
unsafe fn run_sorting(program: &Program, words: &mut [u64], begin: *mut u64) {
    use std::arch::x86_64::{_pdep_u64, _pext_u64};
    // SAFETY: as for the caller.
    unsafe { run(program, words, begin, |word, it| _pdep_u64(_pext_u64(word, it.take), it.put), |_, _| 0) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512bitalg,bmi1,bmi2")]
unsafe fn run_picking(program: &Program, words: &mut [u64], begin: *mut u64) {
    use std::arch::x86_64::{_mm512_bitshuffle_epi64_mask, _mm512_load_si512, _mm512_set1_epi64, _pdep_u64, _pext_u64};
    let sort = |word, it: &Record| _pdep_u64(_pext_u64(word, it.take), it.put);
    // SAFETY: a pick is 64 bytes, at a multiple of 64.
    let pick = |word, from: &Pick| unsafe {
        _mm512_bitshuffle_epi64_mask(_mm512_set1_epi64(word as i64), _mm512_load_si512(from.0.as_ptr().cast()))
    };
    // SAFETY: as for the caller.
    unsafe { run(program, words, begin, sort, pick) }
}

/// A word that may just have been written, read by itself: reading several at once would wait until all of them are in the cache.
fn alone(word: &u64) -> u64 {
    // SAFETY: it is a reference.
    unsafe { std::ptr::from_ref(word).read_volatile() }
}

/// Runs a program.
///
/// # Safety
/// All words, chunks and records that the program names must be there.
#[inline(always)]
unsafe fn run(
    program: &Program,
    words: &mut [u64],
    begin: *mut u64,
    moved: impl Fn(u64, &Record) -> u64,
    picked: impl Fn(u64, &Pick) -> u64,
) {
    let negated = words.len() / 2;
    let words = words.as_mut_ptr();
    let mut record = program.records.as_ptr();
    let picks = program.picks.as_ptr();
    // What so many records of each kind make of words.
    macro_rules! each {
        ($counts:expr, $record:ident, $word:expr, $give:expr) => {{
            let [test, move_, pick] = $counts;
            for _ in 0..test {
                let $record = &*record;
                record = record.add(1);
                let word: u64 = $word;
                // A branch would be foreseen wrongly every other time.
                $give(std::hint::select_unpredictable(word & $record.take != 0, $record.put, 0));
            }
            for _ in 0..move_ {
                let $record = &*record;
                record = record.add(1);
                $give(moved($word, $record));
            }
            for _ in 0..pick {
                let $record = &*record;
                record = record.add(1);
                let from = &*picks.add($record.by as usize);
                $give((picked($word, from) ^ $record.take) & $record.put);
            }
        }};
    }
    let mut number = 0;
    // SAFETY: the caller's.
    unsafe {
        macro_rules! chunk {
            ($number:expr) => {{
                let chunk = program.chunks.get_unchecked($number);
                let mut found = *begin.add($number);
                let to = chunk.to as usize;
                macro_rules! done {
                    () => {
                        *words.add(to) = found;
                        *words.add(to + negated) = !found;
                    };
                }
                if !chunk.exits {
                    each!(chunk.rest, it, *words.add(it.at as usize), |bits| found |= bits);
                    found ^= chunk.flip;
                    done!();
                } else {
                    each!(chunk.first, it, *words.add(it.at as usize), |bits| found |= bits);
                    if found == !0 {
                        record = record.add(chunk.left as usize);
                        found = 0;
                        done!();
                    } else {
                        each!(chunk.rest, it, *words.add(it.at as usize), |bits| found |= bits);
                        found = !found;
                        done!();
                        each!(chunk.on, it, found, |bits: u64| *begin.add(it.at as usize) |= bits);
                    }
                }
            }};
        }
        for block in &program.blocks {
            match *block {
                Block::Run(count) => {
                    for _ in 0..count {
                        chunk!(number);
                        number += 1;
                    }
                }
                Block::Loop { count, open } => {
                    let last = number + count as usize;
                    let grows = program.chunks.get_unchecked(last - open as usize..last);
                    for chunk in grows {
                        *words.add(chunk.to as usize) = 0;
                        *words.add(chunk.to as usize + negated) = !0;
                    }
                    let again = record;
                    loop {
                        record = again;
                        let mut changed = 0;
                        for inner in number..last {
                            let to = program.chunks.get_unchecked(inner).to as usize;
                            let before = *words.add(to);
                            chunk!(inner);
                            if inner >= last - open as usize {
                                changed |= before ^ *words.add(to);
                            }
                        }
                        if changed == 0 {
                            break;
                        }
                    }
                    number = last;
                }
            }
        }
    }
}
