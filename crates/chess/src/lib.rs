//! Chess: an engine that plays whole games, and endings of six to ten men by nothing but lookups in smaller tables.
//!
//! The rules are [`native::chess`], the search is [`search::duel`], the tables are [`table::chess`]; here is what only chess
//! has: how a position is judged, and a game that is followed. No clock and no file is touched: time is a function of the
//! caller, tables are given.
//!
//! | module | what it is |
//! |---|---|
//! | `engine` | the [`Engine`]: a game, and the search for the next move |
//! | `board` | the game as the search moves in it: what is drawn, known, loud, pressed |
//! | `evaluation` | what a position is worth: lookups or by hand |
//! | `lookups` | which parts of a position have a table, and what those say |
//! | [`weights`] | what lookups weigh, learned for the men at hand |
//! | [`learn`] | how those weights are learned |
//! | `hand` | the evaluation of positions with more men |

#![forbid(unsafe_code)]

mod board;
mod engine;
mod evaluation;
mod exchange;
mod force;
mod hand;
mod keys;
pub mod learn;
mod lookups;
pub mod weights;

pub use engine::{Best, Engine, Info, Limits, Score, Settings};
pub use evaluation::Judge;
pub use force::Force;
pub use lookups::Reading;
