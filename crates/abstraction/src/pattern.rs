//! Patterns of a few pieces for any rulesheet: the rules of the game itself, with all other pieces taken off, are the smaller game.
//!
//! Nothing here knows a game. What is on a board, and what a cell becomes when it is left, comes from a study ([`Board`]); whose
//! pieces are whose, and what positions look like, from random games ([`Watched`]). A [`Pattern`] says which pieces are kept and
//! what becomes of the other side ([`Other`]). [`build`] lists all that follows from every placement of them and works backwards from the
//! ends ([`build_all`] those of all [`candidates`]); [`choose()`] takes the patterns that foretell how games end better than counting pieces does, and weighs them; [`Lookups`] is the
//! evaluator made of them; [`carry`] tells whether steps of the whole game are steps of the smaller one.
//!
//! ```
//! use abstraction::pattern::{Board, Pattern, Settings, build};
//! # let (_, rules) = library::load("krk").unwrap();
//! # let engine = machine::Loader::new(&rules).best().unwrap().engine;
//! let study = study::Study::run(&rules, &engine, study::Plan::states(500));
//! let board = Board::new(&study, &engine).unwrap();
//! let kings = Pattern::parse("wk bk", &board).unwrap();
//! let table = build(&engine, &board, &kings, &Settings::default(), &mut |_| true).unwrap();
//! assert!(table.counts().drawn > 0);
//! ```

mod board;
mod build;
pub mod carry;
mod choose;
mod evaluator;
mod file;
mod numbering;
mod watch;

pub use board::{Board, NoBoard, Thing};
pub use build::{BuildError, Progress, Settings, build};
pub use choose::{Candidate, Choice, Chosen, build_all, candidates, choose};
pub use evaluator::Lookups;
pub use file::Owner;
pub use numbering::{Counts, Other, Pattern, PatternError, Table, Value};
pub use watch::{Sample, Watched};
