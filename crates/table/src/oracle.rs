//! Asking what is known exactly: an [`Oracle`] is given the facts of a state and answers with a [`Verdict`].
//!
//! Facts are canonical KIF text in the words of the rules that the oracle belongs to; rules that are the same but for their
//! words are asked through [`Renamed`]. Text is what crosses from any engine to any table; whoever asks millions of times has a position
//! and asks the tables behind the oracles directly ([`chess::Tables::probe`](crate::chess::Tables::probe),
//! [`chinese::Race`](crate::chinese::Race), [`solve::SolvedTable::probe`](crate::solve::SolvedTable::probe)).
//!
//! | oracle | says |
//! |---|---|
//! | [`chess::Endings`](crate::chess::Endings) | win, draw or loss of few men, and the plies to mate, under the clock of the rulesheet |
//! | [`chinese::Race`](crate::chinese::Race) | who wins where the pieces have passed each other; a bound on the plies |
//! | [`solve::SolvedTable`](crate::solve::SolvedTable) | everything about a game that was solved |
//!
//! A value is about the first role, whoever is to move: what is compared, told or turned into a reward is then the same for
//! all, and a state in which nobody has a choice is no special case.
//!
//! ```
//! use native::chess::Sheet;
//! use table::chess::{Endings, Material, Metric, Tables, build_all};
//! use table::oracle::{Oracle, Value};
//!
//! let mut tables = Tables::new();
//! build_all(Material::parse("KRK").unwrap(), Metric::Mate, &mut tables, &mut |_, _| true).unwrap();
//! let oracle: Box<dyn Oracle> = Box::new(Endings::new(tables.into(), Sheet::Krk));
//! let facts = ["(cell a 1 wk)", "(cell b 2 wr)", "(cell d 5 bk)", "(control white)", "(step 0)"].map(String::from);
//! let verdict = oracle.ask(&facts).unwrap().unwrap();
//! assert_eq!(verdict.value, Value::Lead(100));
//! assert_eq!(verdict.distance.unwrap().count, 31);
//! // With 70 plies gone, 30 are left: too few.
//! let facts = ["(cell a 1 wk)", "(cell b 2 wr)", "(cell d 5 bk)", "(control white)", "(step 70)"].map(String::from);
//! assert_eq!(oracle.ask(&facts).unwrap().unwrap().value, Value::Lead(0));
//! ```

mod choose;
mod renamed;
mod verdict;

pub use choose::{Choice, Line, LineEnd, choices, line, settles};
pub use renamed::{Renamed, Translate};
pub use verdict::{Certainty, Distance, Metric, Standing, Value, Verdict};

use serde::{Deserialize, Serialize};
use std::fmt;

/// Something that knows states of a game. See the [module](self).
pub trait Oracle: Send + Sync {
    /// What is known of the state with these facts, in any order; `None` if nothing is.
    fn ask(&self, facts: &[String]) -> Result<Option<Verdict>, AskError>;

    /// What this oracle is.
    fn describe(&self) -> Description;
}

/// Which family a table belongs to. Each has a folder of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Family {
    /// Chess endings.
    #[serde(rename = "chess")]
    Chess,
    /// Chinese checkers.
    #[serde(rename = "chinese-checkers")]
    ChineseCheckers,
    /// Solved games.
    #[serde(rename = "solved")]
    Solved,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 3] = [Family::Chess, Family::ChineseCheckers, Family::Solved];

    /// The name, as in files and folders.
    pub fn name(self) -> &'static str {
        match self {
            Family::Chess => "chess",
            Family::ChineseCheckers => "chinese-checkers",
            Family::Solved => "solved",
        }
    }

    /// The family of this name.
    pub fn of(name: &str) -> Option<Family> {
        Family::ALL.into_iter().find(|family| family.name() == name)
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What an oracle is, for reports and for those who choose between oracles.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Description {
    /// Where its knowledge comes from.
    pub family: Family,
    /// Which game or which tables.
    pub name: String,
    /// What its distances count.
    pub metric: Metric,
    /// How many roles the game has.
    pub roles: usize,
    /// What the goals of both roles add up to at every end; `None` for one role, or if it is not always the same. Only
    /// where it is, the most for oneself and the greatest lead are the same ([`Verdict::reward`]).
    pub goal_sum: Option<u8>,
}

/// Why an oracle gave no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AskError {
    /// The facts are not those of a state of its game; the text says which one, or what is missing.
    Facts(String),
    /// A table cannot be read, is damaged, or contradicts itself, in the words of its error.
    Table(String),
    /// The engine that was to list the moves came to a limit.
    Limit(game::Limit),
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskError::Facts(why) => write!(f, "{why}; give all facts of a state, in the words of the rules"),
            AskError::Table(error) => f.write_str(error),
            AskError::Limit(limit) => limit.fmt(f),
        }
    }
}

impl std::error::Error for AskError {}

impl From<game::Limit> for AskError {
    fn from(limit: game::Limit) -> AskError {
        AskError::Limit(limit)
    }
}
