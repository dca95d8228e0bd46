//! What the header of a solved game's table says about the game.

use super::{Counter, Entry, Statistics};
use crate::file;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A solved game in numbers and names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// What the game is called.
    #[serde(default)]
    pub game: String,
    /// The names of its roles.
    #[serde(default)]
    pub roles: Vec<String>,
    /// The rules; tables made before they were kept are found by the hash of their text alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesText>,
    /// The counter that ends the game, where it was left out of the states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<Counter>,
    /// The goal of the only role when the counter ends the game; two roles are even then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal_at_limit: Option<i8>,
    /// States that can be reached.
    pub states: u64,
    /// Different successors of all states together.
    #[serde(default)]
    pub edges: u64,
    /// The last layer.
    #[serde(default)]
    pub depth: usize,
    /// States by the fewest moves from the start.
    #[serde(default)]
    pub layers: Vec<u64>,
    /// Terminal states.
    #[serde(default)]
    pub terminal: u64,
    /// States that are not terminal but leave a role without a move.
    #[serde(default)]
    pub stuck: u64,
    /// Ends that give a role no goal, or more than one.
    #[serde(default)]
    pub unrated: u64,
    /// The smallest and the greatest sum of the goals of both roles at an end.
    #[serde(default)]
    pub goal_sums: Option<(u8, u8)>,
    /// Whether a successor ever came before its state.
    #[serde(default)]
    pub may_repeat: bool,
    /// The value of the start.
    #[serde(default)]
    pub value: Option<i8>,
    /// Its distance.
    #[serde(default)]
    pub distance: Option<u16>,
    /// States of each value; `None` stands for those from which no end can be reached.
    #[serde(with = "by_value")]
    pub values: BTreeMap<Option<i8>, u64>,
    /// For each value that has distances: states by distance.
    #[serde(with = "by_value")]
    pub distances: BTreeMap<i8, Vec<u64>>,
}

/// The rules that a table belongs to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RulesText {
    /// What tells these rules from all others, and is the same for rules that differ in words and order only. Made by whoever
    /// knows rules; equal identities are taken to be worth a closer look, not to be a proof.
    pub identity: String,
    /// The rules as text: whoever has the same rules in other words finds the translation with it.
    pub text: String,
}

impl Summary {
    /// The summary of a game whose start is worth this.
    pub fn new(statistics: &Statistics, start: Option<Entry>, game: &str, roles: &[String]) -> Summary {
        let Statistics { roles: _, states, edges, layers, terminal, stuck, unrated, .. } = statistics;
        Summary {
            game: game.to_string(),
            roles: roles.to_vec(),
            rules: None,
            counter: None,
            goal_at_limit: None,
            states: *states,
            edges: *edges,
            depth: layers.len().saturating_sub(1),
            layers: layers.clone(),
            terminal: *terminal,
            stuck: *stuck,
            unrated: *unrated,
            goal_sums: statistics.sums,
            may_repeat: statistics.may_repeat,
            value: start.and_then(|entry| entry.value),
            distance: start.and_then(|entry| entry.distance),
            values: statistics.values.clone(),
            distances: statistics.distances.clone(),
        }
    }

    /// What the goals of two roles add up to at every end, if that is always the same.
    pub fn goal_sum(&self) -> Option<u8> {
        self.goal_sums.filter(|(least, most)| least == most).map(|(least, _)| least)
    }

    /// What is said here otherwise than a recount says, in words. What cannot be counted again is not looked at: names, rules,
    /// and whether the engine that solved the game met a state again. The start is that of the game with its counter.
    pub fn misstated(&self, counted: &Statistics, start: Option<Entry>) -> Option<String> {
        let counted = Summary::new(counted, start, &self.game, &self.roles);
        let known = Summary { rules: self.rules.clone(), counter: self.counter.clone(), ..counted };
        let known = Summary { goal_at_limit: self.goal_at_limit, may_repeat: self.may_repeat, ..known };
        file::misstated(self, &known)
    }
}

/// Maps whose keys are values in words: `100`, `-100`, or `none`.
mod by_value {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    /// A value as the key of a map.
    pub trait Named: Ord + Sized {
        fn name(&self) -> String;
        fn read(name: &str) -> Option<Self>;
    }

    impl Named for i8 {
        fn name(&self) -> String {
            self.to_string()
        }

        fn read(name: &str) -> Option<i8> {
            name.parse().ok()
        }
    }

    impl Named for Option<i8> {
        fn name(&self) -> String {
            self.map_or("none".to_string(), |value| value.name())
        }

        fn read(name: &str) -> Option<Option<i8>> {
            if name == "none" { Some(None) } else { i8::read(name).map(Some) }
        }
    }

    pub fn serialize<K: Named, V: Serialize, S: Serializer>(map: &BTreeMap<K, V>, to: S) -> Result<S::Ok, S::Error> {
        let named: BTreeMap<String, &V> = map.iter().map(|(key, value)| (key.name(), value)).collect();
        named.serialize(to)
    }

    pub fn deserialize<'de, K: Named, V: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<K, V>, D::Error> {
        let named: BTreeMap<String, V> = BTreeMap::deserialize(from)?;
        let read = |(name, value): (String, V)| match K::read(&name) {
            Some(key) => Ok((key, value)),
            None => Err(D::Error::custom(format!("{name:?} is not a value"))),
        };
        named.into_iter().map(read).collect()
    }
}
