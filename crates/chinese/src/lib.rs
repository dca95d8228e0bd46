//! Players of Chinese checkers for two: those of Roschke and Sturtevant, and better ones.
//!
//! All of them search the native game ([`native::chinese`]), on boards of any size and with any number of pieces, and are
//! [`search::Searcher`]s of it.
//!
//! | module | player |
//! |---|---|
//! | [`uct`] | UCT with playouts of forward moves: base, heuristic and endgame players (S3.9) |
//! | [`narrow`] | the project's alpha-beta with some of the moves, judged by rows or by the table (S3.8) |
//! | [`full_width`] | minimax with every move to a fixed depth, over any evaluation (S1.11) |
//!
//! [`evaluations`] are those of the paper on abstraction (S1.8, S1.9), by name; [`facing`] is the one with pieces of both sides.

#![forbid(unsafe_code)]

pub mod evaluations;
pub mod facing;
pub mod full_width;
pub mod narrow;
mod player;
pub mod uct;

pub use player::{Kit, NoTable, Player};
