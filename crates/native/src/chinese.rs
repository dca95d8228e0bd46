//! Chinese checkers for two on an n×n diamond: the board, the moves, and the game as the rest of the program sees it.
//!
//! A cell is a row and a column; its six neighbours are (±1, 0), (0, ±1), (1, −1) and (−1, 1). A set of cells is a
//! `u128` with the bit `row * side + column`. Red starts in the corner at (0, 0) and moves first. The rules in words are in
//! `games/chinese-checkers/about.md`; with nine rows, six pieces and 400 plies this is that game, move for move.
//!
//! ```
//! use native::chinese::{ChineseCheckers, Win};
//!
//! let game = ChineseCheckers::new(9, 6, Win::Filled, Some(400)).unwrap();
//! let counts = game::perft::perft(&game, 3).unwrap();
//! assert_eq!(counts[3].nodes, 1720);
//! ```

mod arena;
mod board;
mod rules;

pub use arena::{Allowed, Arena, Position};
pub use board::{Cells, Graph, Unfit, cell, corner, each, far_corner, from_home, place};
pub use rules::{ChineseCheckers, State, View, Win};
