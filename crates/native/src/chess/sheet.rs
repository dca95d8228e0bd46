//! The rulesheets of the library that are chess: which they are, how they end, and their facts read as a position.
//!
//! | sheet | facts beside the men and the turn | ends in a draw |
//! |---|---|---|
//! | `krk` | `(step n)`: all plies | at step 100, when the rook is gone, or without a move |
//! | `kqkr` | `(quiet n)`: plies since the last capture | at quiet 100, with bare kings, or without a move |
//! | `chess` | `(quiet n)`: plies since the last capture or pawn move; empty cells as `blank`; castling rights; `double_step` | at quiet 100, or without a move |
//!
//! Mate wins in all of them, also a mate on the very ply that brings the clock to 100. None of them knows repetition.

use super::position::{Colour, Position};
use super::rules::Chess;
use game::Names;

/// Which plies count towards the draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// All of them, as in `games/krk`: `(step n)`.
    Steps,
    /// Those since the last capture or pawn move, as in `games/kqkr`: `(quiet n)`.
    Quiet,
}

/// A rulesheet of the library whose states are positions of chess.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sheet {
    /// `games/krk`.
    Krk,
    /// `games/kqkr`.
    Kqkr,
    /// `games/chess`.
    Chess,
}

impl Sheet {
    /// All of them.
    pub const ALL: [Sheet; 3] = [Sheet::Krk, Sheet::Kqkr, Sheet::Chess];

    /// The name of the game in the library.
    pub fn name(self) -> &'static str {
        match self {
            Sheet::Krk => "krk",
            Sheet::Kqkr => "kqkr",
            Sheet::Chess => "chess",
        }
    }

    /// Which plies its clock counts.
    pub fn clock(self) -> Clock {
        match self {
            Sheet::Krk => Clock::Steps,
            Sheet::Kqkr | Sheet::Chess => Clock::Quiet,
        }
    }

    /// What the clock shows when the game is drawn.
    pub const fn most(self) -> u16 {
        100
    }

    /// Whether bare kings end the game.
    pub const fn ends_bare(self) -> bool {
        matches!(self, Sheet::Krk | Sheet::Kqkr)
    }

    /// Reads the facts of a state, in the words of the rulesheet and in any order; `None` if a fact cannot be read, or the
    /// turn, the clock or a king is missing. The position's `quiet` is the clock of the sheet. It may be a position that no
    /// game leads to ([`Position::fault`]).
    ///
    /// ```
    /// use native::chess::Sheet;
    ///
    /// let facts = ["(cell a 1 wk)", "(cell b 2 wr)", "(cell d 5 bk)", "(control white)", "(step 7)"];
    /// let position = Sheet::Krk.read(&facts).unwrap();
    /// assert_eq!(position.fen(), "8/8/8/3k4/8/8/1R6/K7 w - - 7 1");
    /// assert_eq!(Sheet::Kqkr.read(&facts), None);
    /// ```
    pub fn read<T: AsRef<str>>(self, facts: &[T]) -> Option<Position> {
        let facts: Vec<&str> = facts.iter().map(AsRef::as_ref).collect();
        Chess::new(Position::empty(Colour::White), self).state_of(&facts)
    }
}
