//! What the rules of a game reveal: structures, found by form alone and tested in random play, and evaluators made of them.
//!
//! Nothing here depends on what things are called: the rules are read as numbered symbols, and whatever needs an order uses
//! the order in which the rules first name things. So scrambled rules give the same findings, up to the names.
//!
//! [`Study::new`] looks at the form of the rules: successor relations, counters, fluents and their columns. [`Study::watch`]
//! plays random games and strikes out guesses: argument modes, boards, pieces, teams. [`Study::prove`] tries to prove
//! what is left. [`Study::learn`] fits weights of facts to
//! the outcomes. Then [`Study::report`] tells what was found, with how it is known, and [`Study::evaluators`] gives values of states for a search.
//!
//! Files, clocks and threads are not known here: how long to play is the caller's decision.

mod adjacent;
mod evaluate;
mod feature;
mod fixed;
mod form;
mod goal;
mod learn;
mod parts;
mod prove;
mod report;
mod structure;
mod study;
mod survey;
mod terms;
mod types;
mod watch;

pub use evaluate::Named;
pub use fixed::Order;
pub use form::{Column, Counter, Fluent, Ticks};
pub use report::{BoardReport, CounterReport, Evidence, Finding, FluentReport, Games, LearnedReport, Report};
pub use structure::{Kind, Structure};
pub use study::Study;
pub use terms::TermId;
pub use watch::FEWEST_STATES;
