//! How bits of other words come to the bits of a chunk: as few records as can be found.
//!
//! All places with the same distance are one turn of a word; where the processor can sort, places in the same order, whatever the
//! distances, are taken together and spread again; where it can pick, one record brings any bit to any place. One bit may go to many
//! places, and many to one.

use std::collections::BTreeMap;

/// Bits of one word that go to bits of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// The bits that are taken; where bits are picked, the places that are negated.
    pub take: u64,
    /// The bits that may come of them.
    pub put: u64,
    /// The word that is read; for records that a chunk hands on, the chunk that they go to.
    pub at: u32,
    /// By how much is turned; where bits are picked, the number of the [`Pick`].
    pub by: u32,
}

/// From which bit each bit comes.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Pick(pub [u8; 64]);

/// What the processor can do with the bits of a word; each can do what those before it can.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Skill {
    /// Turn them.
    Turns,
    /// Take some out, and spread them (BMI2).
    Sorts,
    /// Bring any of them to any place (AVX-512 with BITALG and VBMI2, which come together).
    Picks,
}

impl Skill {
    /// That of this processor.
    pub fn here() -> Skill {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2") {
            let picks = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vbmi2")
                && is_x86_feature_detected!("avx512bitalg")
                && is_x86_feature_detected!("popcnt");
            return if picks { Skill::Picks } else { Skill::Sorts };
        }
        Skill::Turns
    }
}

/// What a record does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// All bits are put if any is taken: one goes to many places, or many to one.
    Test,
    /// The word is turned; where the processor can sort, the bits that are taken are put in order.
    Move,
    /// Each bit comes from wherever it is.
    Pick,
}

const KINDS: [Kind; 3] = [Kind::Test, Kind::Move, Kind::Pick];
/// Marks the negation of a word until it is known how many words there are.
pub(super) const NEGATED: u32 = 1 << 31;

/// What the first bits that are picked take beside their record: it is some steps longer until they are there, and whoever needs them waits.
const FIRST_PICK: f64 = 2.0;

impl Kind {
    /// What a record takes, in units of the cheapest.
    fn cost(self) -> f64 {
        match self {
            Kind::Move => 1.0,
            Kind::Test => 1.4,
            Kind::Pick => 1.6,
        }
    }
}

/// From which bit to which.
type Pair = (u8, u8);

/// Records of each kind.
#[derive(Clone, Default, Debug)]
pub(super) struct Records {
    pub of: [Vec<Record>; 3],
    /// What belongs to the records that pick.
    pub picks: Vec<Pick>,
}

impl Records {
    pub fn cost(&self) -> f64 {
        let each: f64 = KINDS.iter().zip(&self.of).map(|(kind, records)| kind.cost() * records.len() as f64).sum();
        each + if self.picks.is_empty() { 0.0 } else { FIRST_PICK }
    }

    pub fn counts(&self) -> [u32; 3] {
        std::array::from_fn(|kind| self.of[kind].len() as u32)
    }

    pub fn len(&self) -> u32 {
        self.counts().iter().sum()
    }

    /// Adds what brings bits of the word `at` to other bits: some as they are, others negated.
    pub fn add(&mut self, at: u32, pairs: [Vec<Pair>; 2], skill: Skill) {
        let [plain, negated] = pairs;
        let mut made = divide(at, plain, skill);
        made.extend(divide(at | NEGATED, negated, skill));
        let kept = if skill == Skill::Picks { worth_keeping(&mut made) } else { made.len() };
        self.pick(at, &made[kept..]);
        made[..kept].iter().for_each(|made| self.of[made.kind as usize].push(made.record));
    }

    /// Picks what these records would bring: as many times as one place waits for several bits.
    fn pick(&mut self, at: u32, made: &[Made]) {
        let first = self.picks.len();
        let mut seen = [0; 64];
        for made in made {
            for &(from, to) in &made.pairs {
                let number = first + seen[usize::from(to)];
                seen[usize::from(to)] += 1;
                if number == self.picks.len() {
                    self.picks.push(Pick([0; 64]));
                    self.of[Kind::Pick as usize].push(Record { take: 0, put: 0, at, by: number as u32 });
                }
                self.picks[number].0[usize::from(to)] = from;
                let record = &mut self.of[Kind::Pick as usize][number];
                record.put |= 1 << to;
                record.take |= u64::from(made.record.at & NEGATED != 0) << to;
            }
        }
    }
}

/// A record, and what it brings.
struct Made {
    kind: Kind,
    record: Record,
    pairs: Vec<Pair>,
}

impl Made {
    /// What it brings for what it takes.
    fn worth(&self) -> f64 {
        self.pairs.len() as f64 / self.kind.cost()
    }
}

/// Sorts records by their worth, and tells how many of them take less than picking what they bring.
fn worth_keeping(made: &mut [Made]) -> usize {
    made.sort_by(|a, b| b.worth().total_cmp(&a.worth()));
    let mut spent: f64 = made.iter().map(|made| made.kind.cost()).sum();
    let (mut least, mut kept) = (spent, made.len());
    let (mut wanted, mut picks) = ([0; 64], 0);
    for (number, made) in made.iter().enumerate().rev() {
        spent -= made.kind.cost();
        for &(_, to) in &made.pairs {
            wanted[usize::from(to)] += 1;
            picks = wanted[usize::from(to)].max(picks);
        }
        let cost = spent + f64::from(picks) * Kind::Pick.cost();
        if cost < least {
            (least, kept) = (cost, number);
        }
    }
    kept
}

/// Records that bring bits of the word `at` to other bits without picking.
fn divide(at: u32, mut pairs: Vec<Pair>, skill: Skill) -> Vec<Made> {
    pairs.sort_unstable();
    pairs.dedup();
    let mut made = Vec::new();
    while !pairs.is_empty() {
        let (kind, by, set) = best(&pairs, skill);
        let take = set.iter().fold(0, |mask, pair| mask | 1 << pair.0);
        let put = set.iter().fold(0, |mask, pair| mask | 1 << pair.1);
        pairs.retain(|pair| set.binary_search(pair).is_err());
        made.push(Made { kind, record: Record { take, put, at, by: u32::from(by) }, pairs: set });
    }
    made
}

/// The record that brings most for what it takes: its kind, the number that goes with it, and the pairs, in order.
fn best(pairs: &[Pair], skill: Skill) -> (Kind, u8, Vec<Pair>) {
    let (mut turns, mut froms, mut tos) = ([0u8; 64], [0u8; 64], [0u8; 64]);
    for &(from, to) in pairs {
        let turn = to.wrapping_sub(from) % 64;
        for (counts, at) in [(&mut turns, turn), (&mut froms, from), (&mut tos, to)] {
            counts[usize::from(at)] = counts[usize::from(at)].saturating_add(1);
        }
    }
    let most =
        |counts: &[u8; 64]| (0..64).max_by_key(|&at| (counts[at], 64 - at)).map_or((0, 0), |at| (at as u8, counts[at]));
    let alike = |of: &dyn Fn(&Pair) -> u8, by: u8| pairs.iter().filter(|pair| of(pair) == by).copied().collect();
    let turn = |pair: &Pair| pair.1.wrapping_sub(pair.0) % 64;
    let (by, moved) = match skill {
        Skill::Turns => (most(&turns).0, alike(&turn, most(&turns).0)),
        Skill::Sorts | Skill::Picks => (0, chain(pairs)),
    };
    let (from, to) = (most(&froms), most(&tos));
    if f64::from(from.1.max(to.1)) / Kind::Test.cost() <= moved.len() as f64 / Kind::Move.cost() {
        return (Kind::Move, by, moved);
    }
    let set = if from.1 >= to.1 { alike(&|pair| pair.0, from.0) } else { alike(&|pair| pair.1, to.0) };
    (Kind::Test, 0, set)
}

/// The most pairs that are in the same order on both sides.
fn chain(pairs: &[Pair]) -> Vec<Pair> {
    // Pairs with the same beginning come with their ends falling, so that only one of them can be in the chain.
    let mut sorted = pairs.to_vec();
    sorted.sort_unstable_by_key(|&(from, to)| (from, u8::MAX - to));
    let mut tails: Vec<usize> = Vec::new();
    let mut before = vec![None; sorted.len()];
    for at in 0..sorted.len() {
        let length = tails.partition_point(|&tail| sorted[tail].1 < sorted[at].1);
        before[at] = length.checked_sub(1).map(|last| tails[last]);
        tails.truncate(length.max(tails.len()));
        match tails.get_mut(length) {
            Some(tail) => *tail = at,
            None => tails.push(at),
        }
    }
    let mut found = BTreeMap::new();
    let mut next = tails.last().copied();
    while let Some(at) = next {
        found.insert(sorted[at].0, sorted[at].1);
        next = before[at];
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::random::Rng;

    const SKILLS: [Skill; 3] = [Skill::Turns, Skill::Sorts, Skill::Picks];

    fn sorted(word: u64, take: u64, put: u64) -> u64 {
        let bits = (0..64).filter(|bit| take >> bit & 1 == 1);
        let places = (0..64).filter(|bit| put >> bit & 1 == 1);
        bits.zip(places).fold(0, |out, (bit, place)| out | (word >> bit & 1) << place)
    }

    fn bits(records: &Records, word: u64, skill: Skill) -> u64 {
        let [tests, moves, picks] = &records.of;
        let read = |record: &Record| if record.at & NEGATED != 0 { !word } else { word };
        let mut out = 0;
        for record in tests.iter().filter(|record| read(record) & record.take != 0) {
            out |= record.put;
        }
        for record in moves {
            out |= match skill {
                Skill::Turns => read(record).rotate_left(record.by) & record.put,
                Skill::Sorts | Skill::Picks => sorted(read(record), record.take, record.put),
            };
        }
        for record in picks {
            let from = &records.picks[record.by as usize].0;
            let picked = (0..64).fold(0, |picked, to| picked | (word >> from[to] & 1) << to);
            out |= (picked ^ record.take) & record.put;
        }
        out
    }

    #[test]
    fn records_bring_every_bit_and_no_other() {
        let mut rng = Rng::new(1);
        for round in 0..300 {
            let mut bit = || rng.below(64) as u8;
            let pairs: Vec<Pair> = match round % 3 {
                0 => (0..40).map(|_| (bit(), bit())).collect(),
                1 => (0..30).map(|at| (at, (at + 50) % 64)).chain([(3, bit()), (3, bit())]).collect(),
                _ => (0..20).map(|at| (2 * at, 3 * at)).chain([(bit(), 7), (bit(), 7)]).collect(),
            };
            let negated: Vec<Pair> = (0..round % 7).map(|_| (bit(), bit())).collect();
            let word = rng.bits();
            let brought =
                |word: u64, pairs: &[Pair]| pairs.iter().fold(0, |out, &(from, to)| out | (word >> from & 1) << to);
            let wanted = brought(word, &pairs) | brought(!word, &negated);
            for skill in SKILLS {
                let mut records = Records::default();
                records.add(0, [pairs.clone(), negated.clone()], skill);
                assert!(skill == Skill::Picks || records.picks.is_empty());
                assert_eq!(bits(&records, word, skill), wanted);
            }
        }
    }

    #[test]
    fn what_lies_alike_is_one_record() {
        let shuffled = |at: u8| (at, at * 5 % 64);
        for (pairs, kind, skills) in [
            ((0..40).map(|at| (at, at + 9)).collect::<Vec<_>>(), Kind::Move, &SKILLS[..]),
            ((0..20).map(|at| (at, 3 * at)).collect(), Kind::Move, &SKILLS[1..]),
            ((0..40).map(shuffled).collect(), Kind::Pick, &SKILLS[2..]),
            ((0..20).map(|at| (7, at)).collect(), Kind::Test, &SKILLS),
            ((0..20).map(|at| (at, 7)).collect(), Kind::Test, &SKILLS),
        ] {
            for &skill in skills {
                let mut records = Records::default();
                records.add(0, [pairs.clone(), Vec::new()], skill);
                assert_eq!((records.len(), records.of[kind as usize].len()), (1, 1), "{skill:?}");
            }
        }
    }
}
