//! Whether what happens in a game has a counterpart in the smaller one (S1.2).
//!
//! Three things can carry over from a game to the images of its positions:
//!
//! - *steps*: an action leads to the same image, or to one that a single action of the smaller game leads to;
//! - *paths*: the image after an action can be reached from the image before it by any number of actions. This is what the paper
//!   calls a homomorphism, and it says nothing of how many actions there are;
//! - *goals*: the image of a won position is a won position of the smaller game, for the same side.
//!
//! Each is proved, where the structure proves it, or looked for in random transitions until one fails. What is meant exactly, the *reading*, is
//! part of the answer: two readings of the same sentence can differ.
//!
//! **What is true of Chinese checkers.** Steps do not carry over: a chain of jumps may use a piece that is not kept. Paths do, for
//! any pieces of one side alone and for pieces against pieces, because whatever the action was, the image before and the image after are two placements of as many pieces on the
//! same board, and on a connected board every placement can be made from every other by single steps. With one side alone that is all. With two
//! colours pieces cannot be exchanged so simply; but the board is not cut by taking out a cell and has triangles, and then any arrangement of pieces with one cell empty can be
//! brought into any other (Wilson 1974). This is about the board, where a player may make several steps in a row. Where turns
//! alternate strictly, the player who waits has to step to and fro meanwhile: where there are no more positions than allowed, all are looked at, otherwise
//! such a path is made for every transition that is seen. All this lets play go on behind a goal: the paper's definition knows no end of the game.
//! On a part of the board paths do not carry over, because a piece that leaves the part has no image; the paper does not claim it either.
//!
//! **What is true of chess.** Nothing carries over. Once a man is taken off, the side that is not to move may be in check, so that there
//! is no such position; pawns come to other files by taking men that are not there.
//!
//! ```
//! use abstraction::homomorphism::{Property, Settings, Verdict, duel};
//! use abstraction::projection::Duel;
//! use native::chinese::{ChineseCheckers, Win};
//!
//! let game = ChineseCheckers::new(5, 3, Win::Filled, None).unwrap();
//! let projection = Duel::new(5, (1, 2), (1, 1)).unwrap();
//! let findings = duel(&game, &projection, &Settings { transitions: 500, ..Settings::default() }).unwrap();
//! let of = |property| findings.iter().find(|finding| finding.property == property).unwrap();
//! assert!(matches!(of(Property::Steps).verdict, Verdict::Refuted(_)));
//! assert!(matches!(of(Property::Paths).verdict, Verdict::Proved { .. }));
//! ```

mod chess;
mod chinese;
mod walk;

pub use chess::men;
pub use chinese::{duel, lone};

use game::Cancel;
use serde::Serialize;
use std::fmt;

/// What may carry over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Property {
    /// Each action has no counterpart or one.
    Steps,
    /// Each action has any number of counterparts.
    Paths,
    /// What is won is won.
    Goals,
}

impl Property {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Property::Steps => "steps",
            Property::Paths => "paths",
            Property::Goals => "goals",
        }
    }
}

/// What was found out about a property.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// The property.
    pub property: Property,
    /// What exactly it is taken to mean here.
    pub reading: String,
    /// Whether it holds.
    pub verdict: Verdict,
}

/// Whether a property holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// Always.
    Proved {
        /// Why.
        reason: String,
    },
    /// It did not fail.
    Seen {
        /// So often it could have: random transitions, or won positions.
        transitions: usize,
    },
    /// It fails.
    Refuted(Counterexample),
    /// It was neither proved nor refuted.
    Open {
        /// Why not.
        reason: String,
    },
}

impl Verdict {
    /// With 95% certainty the property fails in no more than this part of what the sample was taken from: the rule of three.
    pub fn upper_bound(&self) -> Option<f64> {
        match self {
            Verdict::Proved { .. } => Some(0.0),
            Verdict::Seen { transitions } if *transitions > 0 => Some((3.0 / *transitions as f64).min(1.0)),
            Verdict::Seen { .. } | Verdict::Refuted(_) | Verdict::Open { .. } => None,
        }
    }
}

/// Where a property fails.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Counterexample {
    /// The position.
    pub position: String,
    /// What is done there; nothing where the position itself is the example.
    pub action: Option<String>,
    /// The image of the position, if there is one.
    pub image: Option<String>,
    /// The image after the action, if there is one.
    pub after: Option<String>,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "position  {}", self.position)?;
        for (name, text) in [("action", &self.action), ("image", &self.image), ("after", &self.after)] {
            if let Some(text) = text {
                writeln!(f, "{name:<9} {text}")?;
            }
        }
        write!(f, "why       {}", self.why)
    }
}

/// How much is tried.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Random transitions, 10,000 if nothing else is said.
    pub transitions: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// Smaller games of up to so many positions are looked at completely.
    pub complete: u64,
    /// Ends the test early.
    pub cancel: Cancel,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { transitions: 10_000, seed: 1, complete: 600_000, cancel: Cancel::new() }
    }
}

/// Why a test did not come to an end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TestError {
    /// It was cancelled.
    Cancelled,
    /// Game and projection do not fit together.
    Unfit(String),
}

impl fmt::Display for TestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TestError::Cancelled => f.write_str("stopped before everything was tried"),
            TestError::Unfit(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for TestError {}

fn go_on(settings: &Settings) -> Result<(), TestError> {
    if settings.cancel.is_cancelled() { Err(TestError::Cancelled) } else { Ok(()) }
}

/// A verdict by sampling, while nothing has failed.
fn so_far(refuted: Option<Counterexample>, transitions: usize) -> Verdict {
    match refuted {
        Some(counterexample) => Verdict::Refuted(counterexample),
        None if transitions == 0 => Verdict::Open { reason: "no such position was found to try it on".into() },
        None => Verdict::Seen { transitions },
    }
}
