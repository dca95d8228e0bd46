//! What the rules of a game reveal: structures, found by form alone and tested in random play, and evaluators made of them.
//!
//! Nothing here depends on what things are called: the rules are read as numbered symbols, and whatever needs an order uses
//! the order in which the rules first name things. So scrambled rules give the same findings, up to the names. (Only
//! pictures, which are for people, look at names.)
//!
//! [`Study::run`] does what a [`Plan`] says. It looks at the form of the rules: successor relations, counters, fluents and their columns. It
//! plays random games and strikes out guesses: argument modes, boards, pieces, teams. It asks the rules for cells and neighbours, tests
//! maps of boards, fits weights of facts to the outcomes, and tries to prove what is left. Then [`Study::findings`] tells what was
//! found, with how it is known, [`Study::evaluators`] gives values of states for a search, [`Study::symmetries`] and
//! [`Study::fact_groups`] give a search what else it can use.
//!
//! [`ply_limit`] tells a game from the counter that ends it, by the form of the rules alone.
//!
//! Files, clocks and threads are not known here: how long to play is the caller's decision.

#![forbid(unsafe_code)]

mod adjacent;
mod evaluate;
mod feature;
mod findings;
mod fixed;
mod form;
mod goal;
mod learn;
mod limit;
mod observe;
mod parts;
mod permutation;
pub mod picture;
mod places;
mod plan;
mod prove;
mod seams;
mod sides;
mod structure;
mod study;
mod survey;
mod symmetry;
mod terms;
mod types;
mod wording;

pub use evaluate::NamedEvaluator;
pub use findings::{
    BoardFindings, CellFindings, ChoiceCounts, ColumnFindings, CounterFindings, Evidence, FeatureWeight, Finding,
    Findings, FluentFindings, Games, GoalRange, InvariantFindings, LearnedFindings, Marker, OrderFindings,
    PieceFindings, SymmetryFindings, Team, TurnFindings, TurnOrder,
};
pub use form::Ticks;
pub use limit::{PlyLimit, ply_limit};
pub use observe::FEWEST_STATES;
pub use permutation::{FactGroup, Symmetry};
pub use plan::{BuildUncounted, Plan, Stage, Uncounted};
pub use structure::FluentKind;
pub use study::Study;
