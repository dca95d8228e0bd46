//! Chess: positions, moves forward and backward, FEN, and the game as its rulesheets have it.
//!
//! Squares are numbers from 0 (a1) over 7 (h1) to 63 (h8), sets of squares are `u64`.
//!
//! ```
//! use native::chess::Position;
//!
//! let position = Position::from_fen("8/8/8/8/8/1k6/8/K2R4 w - - 0 1").unwrap();
//! let moves: Vec<String> = position.legal().iter().map(|m| position.san(m)).collect();
//! assert_eq!(moves.len(), 14);
//! assert!(moves.contains(&"Rd3+".to_string()));
//! ```

mod castling;
mod fen;
pub mod geometry;
mod moves;
mod notation;
mod position;
mod rules;
mod sheet;

pub use castling::{Rights, Wing};
pub use fen::FenError;
pub use notation::MoveError;
pub use position::{Colour, Kind, Man, Position, Step};
pub use rules::{Chess, State, View};
pub use sheet::{Clock, Sheet};
