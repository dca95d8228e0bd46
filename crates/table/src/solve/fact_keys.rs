//! Keys of states by the numbers of their facts: the same keys as [`key_of_facts`] makes of the texts, but the text of a fact is
//! written and hashed once, not once for each state that has it.

use super::stored::{key_of_facts, key_of_sum};
use game::Facts;
use std::sync::{PoisonError, RwLock};
use xxhash_rust::xxh3::xxh3_64;

/// Facts with a number from here on are not kept; they are few, if there are any.
const MOST: usize = 1 << 22;

/// The hashes of the facts of one game that were met so far. Can be used from many threads.
#[derive(Default)]
pub struct FactKeys {
    /// By the number of the fact.
    hashes: RwLock<Vec<Option<u64>>>,
}

impl FactKeys {
    /// Nothing met yet.
    pub fn new() -> FactKeys {
        FactKeys::default()
    }

    /// The key of a state. All calls must be about the same game.
    pub fn key<G: Facts>(&self, game: &G, state: &G::State) -> u64 {
        let known = self.hashes.read().unwrap_or_else(PoisonError::into_inner);
        let (mut sum, mut all) = (0u64, true);
        game.each_fact(state, &mut |fact| match known.get(fact as usize) {
            Some(Some(hash)) => sum = sum.wrapping_add(*hash),
            _ => all = false,
        });
        if all {
            return key_of_sum(sum);
        }
        drop(known);
        let texts = game.facts(state);
        let mut known = self.hashes.write().unwrap_or_else(PoisonError::into_inner);
        for text in &texts {
            let Some(number) = game.fact(text).map(|number| number as usize).filter(|number| *number < MOST) else {
                continue;
            };
            if known.len() <= number {
                known.resize(number + 1, None);
            }
            known[number] = Some(xxh3_64(text.as_bytes()));
        }
        key_of_facts(&texts)
    }
}
