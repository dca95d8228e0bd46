//! Telling won positions from others by an ordered list of rules: the first rule whose tests all hold decides.
//!
//! Rules are read with looking ahead, as a person does: each side does its best about what the rules say of the positions so many plies
//! later, and about ends that are seen on the way. [`find`] finds rules that are right when they are read in this way.

mod ground;
mod search;

pub use search::{Settings, find};

use serde::{Deserialize, Serialize};

/// What is tested.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The plan's side is to move: 1, else 0.
    OurMove,
    /// An attribute, by number.
    Attribute(usize),
    /// How much greater the first attribute is than the second; 100 is equal.
    Difference(usize, usize),
    /// A race: twice the difference, and one more if the other side is to move; 100 is equal with the plan's side to move.
    Race(usize, usize),
}

impl Subject {
    /// The value in a position, by the values of attributes and whether the plan's side is to move.
    pub fn value(self, attribute: impl Fn(usize) -> u8, ours: bool) -> u8 {
        let difference = |first, second| i32::from(attribute(first)) - i32::from(attribute(second));
        match self {
            Subject::OurMove => u8::from(ours),
            Subject::Attribute(at) => attribute(at),
            Subject::Difference(first, second) => (100 + difference(first, second)).clamp(0, 200) as u8,
            Subject::Race(first, second) => {
                (100 + 2 * difference(first, second) + i32::from(!ours)).clamp(0, 200) as u8
            }
        }
    }

    /// The same about attributes of other numbers.
    pub fn renumbered(self, mut number: impl FnMut(usize) -> usize) -> Subject {
        match self {
            Subject::OurMove => Subject::OurMove,
            Subject::Attribute(at) => Subject::Attribute(number(at)),
            Subject::Difference(first, second) => Subject::Difference(number(first), number(second)),
            Subject::Race(first, second) => Subject::Race(number(first), number(second)),
        }
    }
}

/// A test: something is at most, or at least, so much.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Test {
    /// What.
    pub subject: Subject,
    /// The bound.
    pub bound: u8,
    /// At most; else at least.
    pub at_most: bool,
}

impl Test {
    /// The same test in simpler words: a race in which it does not matter who is to move is a difference.
    pub fn simplified(self) -> Test {
        let Subject::Race(first, second) = self.subject else { return self };
        let over = i32::from(self.bound) - 100;
        // 2 d + 1 <= 2 k + 1 and 2 d >= 2 k say the same of d for both sides to move.
        let plain = if self.at_most { over.rem_euclid(2) == 1 } else { over.rem_euclid(2) == 0 };
        match plain {
            true => {
                Test { subject: Subject::Difference(first, second), bound: (100 + over.div_euclid(2)) as u8, ..self }
            }
            false => self,
        }
    }
}

/// A rule: where all tests hold, positions are won, or not.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Rule {
    /// All of these hold.
    pub tests: Vec<Test>,
    /// What it says.
    pub won: bool,
    /// Positions that it decides.
    pub decides: u64,
    /// Those about which it is wrong.
    pub wrong: u64,
}

/// A list of rules.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Verdict {
    /// The rules in order; the last one has no tests.
    pub rules: Vec<Rule>,
    /// Positions of both sides to move.
    pub positions: u64,
    /// Those about which the list is right when it is read with `plies`.
    pub right: u64,
    /// How many plies are looked ahead when it is read.
    #[serde(default)]
    pub plies: usize,
    /// Those about which it is right at several numbers of plies.
    #[serde(default)]
    pub read: Vec<(usize, u64)>,
}

impl Verdict {
    /// The share about which the list is right.
    pub fn share(&self) -> f64 {
        self.right as f64 / self.positions.max(1) as f64
    }
}
