//! Weights of lookups that were learned for some men, and their files.
//!
//! A file is JSON: the men, where the weights come from, and for each class of parts what it adds to the logarithm of the odds
//! that the side named first wins. Those of the repository are in `crates/chess/weights` and built into the program.

use crate::force::Force;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What odds are worth in hundredths of a pawn: so much for each unit of their logarithm.
pub(crate) const UNIT: f64 = 150.0;

/// What a part adds when its table says that a side wins.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Decided {
    /// At once.
    pub now: f64,
    /// For each 128 moves that it takes.
    pub far: f64,
}

/// What a part says, for and against the side named first.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Class {
    /// It wins.
    pub win: Decided,
    /// It loses.
    pub loss: Decided,
}

/// What was learned for some men.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Learned {
    /// The men, such as `KRPPKBN`.
    pub men: String,
    /// How the weights were made.
    pub origin: String,
    /// For the side named first, whatever the lookups say.
    pub constant: f64,
    /// For the side to move.
    pub turn: f64,
    /// For each pawn that the evaluation by hand sees the side named first ahead.
    pub hand: f64,
    /// By the men of a part.
    pub parts: BTreeMap<String, Class>,
}

impl Learned {
    /// What a part adds, in hundredths of a pawn for the side named first.
    pub(crate) fn worth(&self, part: &str, wins: bool, far: f64) -> f64 {
        let class = self.parts.get(part).copied().unwrap_or_default();
        let decided = if wins { class.win } else { class.loss };
        UNIT * (decided.now + decided.far * far)
    }

    /// What is added anyway, with the side named first to move or not.
    pub(crate) fn constant(&self, to_move: bool) -> f64 {
        UNIT * (self.constant + if to_move { self.turn } else { -self.turn })
    }

    /// The part of the evaluation by hand that counts.
    pub(crate) fn hand(&self) -> f64 {
        UNIT * self.hand / 100.0
    }
}

/// Weights by men and by the parts that were looked up.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Weights {
    learned: Vec<Learned>,
}

impl Weights {
    /// None.
    pub fn none() -> Weights {
        Weights::default()
    }

    /// Those that are built into the program.
    pub fn built_in() -> Weights {
        let mut weights = Weights::none();
        for text in BUILT_IN {
            // A test reads them all.
            if let Ok(learned) = serde_json::from_str(text) {
                weights.add(learned);
            }
        }
        weights
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// When it is none of weights, with the place in it.
    pub fn read(text: &str) -> Result<Learned, String> {
        serde_json::from_str(text).map_err(|error| format!("no file of weights: {error}"))
    }

    /// Adds what was learned for some men and parts, in place of what was there for them.
    pub fn add(&mut self, learned: Learned) {
        let is_same = |old: &Learned| old.men == learned.men && old.parts.keys().eq(learned.parts.keys());
        self.learned.retain(|old| !is_same(old));
        self.learned.push(learned);
    }

    /// What was learned for these men, looked up in these parts: with other tables at hand the weights are others.
    pub fn find<'a>(&self, force: &Force, parts: impl IntoIterator<Item = &'a str>) -> Option<&Learned> {
        let (men, parts) = (force.to_string(), parts.into_iter().collect::<BTreeSet<&str>>());
        let is_meant = |learned: &&Learned| {
            learned.men == men && learned.parts.keys().map(String::as_str).eq(parts.iter().copied())
        };
        self.learned.iter().find(is_meant)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Learned> {
        self.learned.iter()
    }
}

/// The files of the repository.
const BUILT_IN: &[&str] = &[
    include_str!("../weights/KQPKNNPP.json"),
    include_str!("../weights/KQPKRNP.json"),
    include_str!("../weights/KQRKRRPP.json"),
    include_str!("../weights/KRBPPKQP.json"),
    include_str!("../weights/KRNKRPP.json"),
    include_str!("../weights/KRPKNPP.json"),
    include_str!("../weights/KRPPKBN.json"),
    include_str!("../weights/KRPPKNN.json"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_can_be_read() {
        for text in BUILT_IN {
            let learned = Weights::read(text).unwrap();
            assert!(!learned.origin.is_empty() && !learned.parts.is_empty(), "{}", learned.men);
        }
        assert_eq!(Weights::built_in().iter().count(), BUILT_IN.len());
    }

    #[test]
    fn weights_belong_to_men_and_parts() {
        let force = Force::parse("KRPKPP").unwrap();
        let learned = |parts: &[&str], constant| Learned {
            men: force.to_string(),
            constant,
            parts: parts.iter().map(|part| ((*part).to_string(), Class::default())).collect(),
            ..Learned::default()
        };
        let mut weights = Weights::none();
        weights.add(learned(&["KRK", "KPK"], 1.0));
        weights.add(learned(&["KRPK"], 2.0));
        weights.add(learned(&["KPK", "KRK"], 3.0));
        let constant = |parts: &[&str]| weights.find(&force, parts.iter().copied()).map(|learned| learned.constant);
        assert_eq!((constant(&["KPK", "KRK"]), constant(&["KRPK"]), constant(&["KRK"])), (Some(3.0), Some(2.0), None));
        assert_eq!(weights.find(&Force::parse("KRKPP").unwrap(), ["KRPK"]), None);
    }
}
