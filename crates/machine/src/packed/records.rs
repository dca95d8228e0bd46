//! How bits of other words come to the bits of a chunk: as few records as can be found.
//!
//! All places with the same distance are one turn of a word; places in the same order, whatever the distances, are taken together and
//! spread again (where the processor can do that); one bit may go to many places, and many to one.

use std::collections::BTreeMap;

/// Bits of one word that go to bits of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// The bits that are taken.
    pub take: u64,
    /// The bits that may come of them.
    pub put: u64,
    /// The word that is read; for records that a chunk hands on, the chunk that they go to.
    pub at: u32,
    /// By how much is turned.
    pub by: u32,
}

/// What a record does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// All bits are put if any is taken: one goes to many places, or many to one.
    Test,
    /// The word is turned.
    Turn,
    /// The bits that are taken are put in order.
    Sort,
}

pub(super) const KINDS: [Kind; 3] = [Kind::Test, Kind::Turn, Kind::Sort];
/// Where words are sorted anyway, so few turns are done in that way too: the end of a loop takes longer than that.
const FEW_TURNS: usize = 4;

impl Kind {
    /// What a record takes, in units of the cheapest.
    pub fn cost(self) -> f64 {
        match self {
            Kind::Turn => 1.0,
            Kind::Test => 1.4,
            Kind::Sort => 1.9,
        }
    }
}

/// Records of each kind.
#[derive(Clone, Default, Debug)]
pub(super) struct Records(pub [Vec<Record>; 3]);

impl Records {
    pub fn cost(&self) -> f64 {
        KINDS.iter().zip(&self.0).map(|(kind, records)| kind.cost() * records.len() as f64).sum()
    }

    pub fn counts(&self) -> [u32; 3] {
        std::array::from_fn(|kind| self.0[kind].len() as u32)
    }

    pub fn len(&self) -> u32 {
        self.counts().iter().sum()
    }

    /// Adds what brings bits of the word `at` to other bits, each pair from here to there. `sorts` says whether the processor can sort.
    pub fn add(&mut self, at: u32, mut pairs: Vec<(u8, u8)>, sorts: bool) {
        pairs.sort_unstable();
        pairs.dedup();
        while !pairs.is_empty() {
            let (kind, by, set) = best(&pairs, sorts);
            let from = set.iter().fold(0, |mask, pair| mask | 1 << pair.0);
            let to = set.iter().fold(0, |mask, pair| mask | 1 << pair.1);
            self.0[kind as usize].push(Record { take: from, put: to, at, by: u32::from(by) });
            pairs.retain(|pair| set.binary_search(pair).is_err());
        }
    }
}

impl Records {
    /// Turns that are few are sorted where words are sorted anyway.
    pub fn gather(mut self) -> Records {
        let [_, turns, sorts] = &mut self.0;
        if !sorts.is_empty() && turns.len() <= FEW_TURNS {
            for turn in turns.drain(..) {
                // What comes round at the end of the word comes first there.
                let round = if turn.by == 0 { 0 } else { !0 << (64 - turn.by) };
                for take in [turn.take & !round, turn.take & round].into_iter().filter(|take| *take != 0) {
                    sorts.push(Record { take, put: take.rotate_left(turn.by), ..turn });
                }
            }
        }
        self
    }
}

/// The record that brings most for what it takes: its kind, the number that goes with it, and the pairs, in order.
fn best(pairs: &[(u8, u8)], sorts: bool) -> (Kind, u8, Vec<(u8, u8)>) {
    let (mut turns, mut froms, mut tos) = ([0u8; 64], [0u8; 64], [0u8; 64]);
    for &(from, to) in pairs {
        let turn = to.wrapping_sub(from) % 64;
        for (counts, at) in [(&mut turns, turn), (&mut froms, from), (&mut tos, to)] {
            counts[usize::from(at)] = counts[usize::from(at)].saturating_add(1);
        }
    }
    let most =
        |counts: &[u8; 64]| (0..64).max_by_key(|&at| (counts[at], 64 - at)).map_or((0, 0), |at| (at as u8, counts[at]));
    let mut found = (Kind::Turn, most(&turns));
    let mut is_one_source = false;
    for (counts, one_source) in [(&froms, true), (&tos, false)] {
        let (by, count) = most(counts);
        if f64::from(count) / Kind::Test.cost() > f64::from(found.1.1) / found.0.cost() {
            found = (Kind::Test, (by, count));
            is_one_source = one_source;
        }
    }
    let (kind, (by, count)) = found;
    if sorts && pairs.len() > 2 {
        let chain = chain(pairs);
        if chain.len() as f64 / Kind::Sort.cost() > f64::from(count) / kind.cost() {
            return (Kind::Sort, 0, chain);
        }
    }
    let belongs = |pair: &&(u8, u8)| match kind {
        Kind::Turn => pair.1.wrapping_sub(pair.0) % 64 == by,
        Kind::Test | Kind::Sort => by == if is_one_source { pair.0 } else { pair.1 },
    };
    (kind, by, pairs.iter().filter(belongs).copied().collect())
}

/// The most pairs that are in the same order on both sides.
fn chain(pairs: &[(u8, u8)]) -> Vec<(u8, u8)> {
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

    fn sorted(word: u64, take: u64, put: u64) -> u64 {
        let bits = (0..64).filter(|bit| take >> bit & 1 == 1);
        let places = (0..64).filter(|bit| put >> bit & 1 == 1);
        bits.zip(places).fold(0, |out, (bit, place)| out | (word >> bit & 1) << place)
    }

    fn bits(records: &Records, word: u64) -> u64 {
        let [tests, turns, sorts] = &records.0;
        let tested = tests.iter().filter(|record| word & record.take != 0).fold(0, |out, record| out | record.put);
        let turned = turns.iter().fold(0, |out, record| out | word.rotate_left(record.by) & record.put);
        sorts.iter().fold(tested | turned, |out, record| out | sorted(word, record.take, record.put))
    }

    #[test]
    fn records_bring_every_bit_and_no_other() {
        let mut rng = Rng::new(1);
        for round in 0..300 {
            let mut bit = || rng.below(64) as u8;
            let pairs: Vec<(u8, u8)> = match round % 3 {
                0 => (0..40).map(|_| (bit(), bit())).collect(),
                1 => (0..30).map(|at| (at, (at + 50) % 64)).chain([(3, bit()), (3, bit())]).collect(),
                _ => (0..20).map(|at| (2 * at, 3 * at)).chain([(bit(), 7), (bit(), 7)]).collect(),
            };
            let word = rng.bits();
            let wanted = pairs.iter().fold(0, |out, &(from, to)| out | (word >> from & 1) << to);
            for sorts in [false, true] {
                let mut records = Records::default();
                records.add(0, pairs.clone(), sorts);
                assert!(sorts || records.0[Kind::Sort as usize].is_empty());
                assert_eq!(bits(&records, word), wanted);
                assert_eq!(bits(&records.gather(), word), wanted);
            }
        }
    }

    #[test]
    fn what_lies_alike_is_one_record() {
        for (pairs, kind) in [
            ((0..40).map(|at| (at, at + 9)).collect::<Vec<_>>(), Kind::Turn),
            ((0..20).map(|at| (at, 3 * at)).collect(), Kind::Sort),
            ((0..20).map(|at| (7, at)).collect(), Kind::Test),
            ((0..20).map(|at| (at, 7)).collect(), Kind::Test),
        ] {
            let mut records = Records::default();
            records.add(0, pairs, true);
            assert_eq!((records.len(), records.0[kind as usize].len()), (1, 1));
        }
    }
}
