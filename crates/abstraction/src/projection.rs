//! Projections: a position of a game taken to one of a smaller game (S1.1).
//!
//! | projection | the smaller game |
//! |---|---|
//! | [`Duel`] | Chinese checkers: some pieces of red against some of blue (S1.6, kind 1) |
//! | [`Lone`] | Chinese checkers: some pieces of one side alone (kind 2), on the whole board or on a part of it, which it is enough to enter (kind 3) |
//! | [`Men`] | chess: any men among which are both kings |
//!
//! A projection need not have an image for every position: a piece may stand on a cell that was deleted, a man may be gone, the side that
//! is not to move may be in check once the man between is taken off. Then it says why, and whoever asks leaves it out.
//!
//! ```
//! use abstraction::projection::{Men, Projection};
//! use native::chess::Position;
//!
//! let rook_alone = Men::parse("KRK").unwrap();
//! let position = Position::from_fen("8/8/8/3k4/8/5P2/1R6/K5r1 w - - 0 1").unwrap();
//! assert_eq!(rook_alone.image(&position).unwrap().fen(), "8/8/8/3k4/8/8/1R6/K7 w - - 0 1");
//! // Once the pawn is off the board, the king that is not to move is in check.
//! let hidden = Position::from_fen("3k4/8/8/3P4/8/3R4/8/K5r1 w - - 0 1").unwrap();
//! assert!(rook_alone.image(&hidden).is_err());
//! ```

mod chess;
mod chinese;

pub use chess::{Men, MenError};
pub use chinese::{Duel, Kept, Lone, Numbers};

use std::fmt;

/// Takes positions of a game to positions of a smaller one.
pub trait Projection {
    /// Positions of the game.
    type State;
    /// Positions of the smaller game.
    type Image;

    /// The image of a position, or why it has none.
    fn image(&self, state: &Self::State) -> Result<Self::Image, Absent>;

    /// What it keeps, in words.
    fn describe(&self) -> String;
}

/// Why a position has no image, or a lookup no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Absent(pub String);

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Absent {}
