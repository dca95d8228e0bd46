//! Castling: who may still do it, and what it moves.
//!
//! A king moves two squares only when it castles, so a [`Step`] needs no mark of its own for it.

use super::geometry::bit;
use super::position::{Colour, Kind, Position, Step};

/// The two ways to castle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wing {
    /// The short way, to the g file.
    King,
    /// The long way, to the c file.
    Queen,
}

impl Wing {
    /// Both, the short way first.
    pub const BOTH: [Wing; 2] = [Wing::King, Wing::Queen];

    /// Where the rook stands before and after, for white.
    fn rook(self) -> (u8, u8) {
        match self {
            Wing::King => (7, 5),
            Wing::Queen => (0, 3),
        }
    }

    /// Which squares have to be empty, and the two that the king passes and enters, for white.
    fn path(self) -> (u64, [u8; 2]) {
        match self {
            Wing::King => (0x60, [5, 6]),
            Wing::Queen => (0x0e, [3, 2]),
        }
    }
}

/// Where a king stands that has not moved, for white.
const KING_HOME: u8 = 4;

/// From white's square to that of `colour`.
fn at(colour: Colour, square: u8) -> u8 {
    if colour == Colour::White { square } else { square ^ 56 }
}

/// Who may still castle, as far as moves made so far are concerned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Rights(u8);

impl Rights {
    /// Nobody.
    pub const NONE: Rights = Rights(0);

    fn mask(colour: Colour, wing: Wing) -> u8 {
        1 << (colour as u8 * 2 + wing as u8)
    }

    /// Whether `colour` may castle on this wing.
    #[inline]
    pub fn has(self, colour: Colour, wing: Wing) -> bool {
        self.0 & Rights::mask(colour, wing) != 0
    }

    /// Whether anybody may.
    #[inline]
    pub fn any(self) -> bool {
        self.0 != 0
    }

    /// A number below 16, different for different rights.
    #[inline]
    pub fn number(self) -> usize {
        usize::from(self.0)
    }

    /// With this right too.
    #[must_use]
    pub fn with(self, colour: Colour, wing: Wing) -> Rights {
        Rights(self.0 | Rights::mask(colour, wing))
    }

    /// All of them, white first and the short way first.
    pub fn list(self) -> impl Iterator<Item = (Colour, Wing)> {
        let all = Colour::BOTH.into_iter().flat_map(|colour| Wing::BOTH.map(|wing| (colour, wing)));
        all.filter(move |&(colour, wing)| self.has(colour, wing))
    }

    /// What is left when something has left or entered these squares.
    #[inline]
    pub(super) fn touched(self, squares: u64) -> Rights {
        const WATCHED: u64 = 0x9100_0000_0000_0091;
        if self.0 == 0 || squares & WATCHED == 0 {
            return self;
        }
        let gone = self.list().filter(|&(colour, wing)| squares & homes(colour, wing) != 0);
        Rights(gone.fold(self.0, |left, (colour, wing)| left & !Rights::mask(colour, wing)))
    }

    /// The same with the colours swapped.
    pub(super) fn swapped(self) -> Rights {
        Rights((self.0 & 3) << 2 | self.0 >> 2)
    }
}

/// Where the king and the rook of a right stand.
fn homes(colour: Colour, wing: Wing) -> u64 {
    bit(at(colour, KING_HOME)) | bit(at(colour, wing.rook().0))
}

impl Step {
    /// Whether this is castling, and on which wing.
    #[inline]
    pub fn castles(&self) -> Option<Wing> {
        if self.kind != Kind::King || self.from.abs_diff(self.to) != 2 {
            return None;
        }
        Some(if self.to > self.from { Wing::King } else { Wing::Queen })
    }
}

impl Position {
    /// The squares that the rook of `colour` leaves and enters when it castles, as one set.
    #[inline]
    pub(super) fn rook_path(colour: Colour, wing: Wing) -> u64 {
        let (from, to) = wing.rook();
        bit(at(colour, from)) | bit(at(colour, to))
    }

    /// A right that nobody can have, since its king or rook is not at home.
    pub(super) fn groundless(&self) -> Option<(Colour, Wing)> {
        let stands = |colour: Colour, kind: Kind, square: u8| {
            self.men[colour as usize][kind as usize] & bit(at(colour, square)) != 0
        };
        self.castling.list().find(|&(colour, wing)| {
            !stands(colour, Kind::King, KING_HOME) || !stands(colour, Kind::Rook, wing.rook().0)
        })
    }

    /// Appends castling. The squares attacked by the other side are given.
    pub(super) fn push_castling(&self, out: &mut Vec<Step>, occupied: u64, danger: u64) {
        if !self.castling.any() {
            return;
        }
        for wing in Wing::BOTH.into_iter().filter(|&wing| self.castling.has(self.turn, wing)) {
            let (empty, safe) = wing.path();
            let empty = if self.turn == Colour::White { empty } else { empty << 56 };
            let from = at(self.turn, KING_HOME);
            let safe = safe.map(|square| at(self.turn, square));
            if occupied & empty == 0 && danger & (bit(from) | bit(safe[0]) | bit(safe[1])) == 0 {
                let to = safe[1];
                out.push(Step { kind: Kind::King, from, to, promotion: None, taken: None, passing: false });
            }
        }
    }
}
