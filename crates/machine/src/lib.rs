//! Rules to an engine that plays them.
//!
//! [`Prover`] is the slow, simple engine that all others are compared with: resolution over the rules as written.
//! [`PropNet`] is the fast one: the rules without variables, as gates; one state at a time as a [`game::Game`], or hundreds
//! of random games at a time in bit-sliced batches ([`Lanes`]). [`RuleCode`] stands between them: a routine for each question
//! that the rules can ask, for games that are too large for a propnet. [`Engine`] is any of the three.

mod answers;
mod bank;
mod budget;
mod choose;
mod circuit;
mod effects;
mod engine;
mod export;
mod extension;
mod facts;
mod gates;
mod graph;
mod ground;
mod lanes;
mod legal;
mod lexicon;
mod many;
mod net;
mod packed;
mod parts;
mod plane;
mod program;
mod prospect;
mod prover;
mod rollouts;
mod rulecode;
mod settled;
mod show;
mod symmetry;

pub use budget::Budget;
pub use engine::{Best, Engine, EngineKind, Loader, State, View};
pub use export::{BadName, SourceFile, Style, export};
pub use ground::Unfit;
pub use lanes::{Lanes, Tally};
pub use many::{Actions, Done, Form, ManyGames, Numbering, OVER, Planes, SEVERAL, Settings, StepError, Whose};
pub use net::{NoNet, PropNet, Size, State as NetState};
pub use parts::{Need, Part, Parts, Test, Way};
pub use prospect::Scratch;
pub use prover::{Limits, LoadError, Prover};
pub use rulecode::RuleCode;
pub use settled::Settled;
