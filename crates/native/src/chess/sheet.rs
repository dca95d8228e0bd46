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
use super::rules::{Chess, Clock};
use game::Names;

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

/// The facts of a state, read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The position; its `quiet` is the clock of the sheet. It may be one that no game leads to ([`Position::fault`]).
    pub position: Position,
    /// Whether somebody may still castle, which a [`Position`] cannot say.
    pub castling: bool,
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

    /// Reads the facts of a state, in the words of the rulesheet and in any order; `None` if a fact cannot be read, or the
    /// turn, the clock or a king is missing.
    ///
    /// ```
    /// use native::chess::Sheet;
    ///
    /// let facts = ["(cell a 1 wk)", "(cell b 2 wr)", "(cell d 5 bk)", "(control white)", "(step 7)"];
    /// let reading = Sheet::Krk.read(&facts).unwrap();
    /// assert_eq!(reading.position.fen(), "8/8/8/3k4/8/8/1R6/K7 w - - 7 1");
    /// assert_eq!(Sheet::Kqkr.read(&facts), None);
    /// ```
    pub fn read<T: AsRef<str>>(self, facts: &[T]) -> Option<Reading> {
        let facts = facts.iter().map(AsRef::as_ref);
        let (mut castling, mut kept) = (false, Vec::with_capacity(16));
        for fact in facts {
            match self {
                Sheet::Chess if is_blank(fact) => {}
                Sheet::Chess if fact.starts_with("(castling ") => castling = true,
                Sheet::Krk | Sheet::Kqkr | Sheet::Chess => kept.push(fact),
            }
        }
        let game = Chess::new(Position::empty(Colour::White), self.clock(), self.most());
        let position = game.state_of(&kept)?;
        Some(Reading { position, castling })
    }
}

fn is_blank(fact: &str) -> bool {
    fact.starts_with("(cell ") && fact.ends_with(" blank)")
}
