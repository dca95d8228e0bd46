//! Projections of chess: some of the men, both kings among them.

use super::{Absent, Projection};
use native::chess::geometry::{bit, squares};
use native::chess::{Colour, Kind, Position};
use std::fmt;

/// How many men of each colour and kind are kept. Of several equal ones those on the first squares are (a1, b1, …).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Men {
    counts: [[u32; 6]; 2],
}

/// Why a text names no men.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MenError(String);

impl fmt::Display for MenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} names no men: write those of white and those of black, each with its king first, such as KRPKR",
            self.0
        )
    }
}

impl std::error::Error for MenError {}

impl Men {
    /// Reads men as in `KRPKR`: white's first, each side with its king first.
    pub fn parse(text: &str) -> Result<Men, MenError> {
        let error = || MenError(text.to_string());
        let mut counts = [[0; 6]; 2];
        let mut side = None;
        for letter in text.chars() {
            let kind = Kind::from_letter(letter).ok_or_else(error)?;
            side = match (kind, side) {
                (Kind::King, None) => Some(0),
                (Kind::King, Some(0)) => Some(1),
                (Kind::King, Some(_)) | (_, None) => return Err(error()),
                (_, side) => side,
            };
            counts[side.unwrap_or(0)][kind as usize] += 1;
        }
        let total: u32 = counts.iter().flatten().sum();
        if side != Some(1) || total > 32 || counts.iter().any(|men| men[Kind::Pawn as usize] > 8) {
            return Err(error());
        }
        Ok(Men { counts })
    }

    /// How many of this colour and kind are kept.
    pub fn count(&self, colour: Colour, kind: Kind) -> u32 {
        self.counts[colour as usize][kind as usize]
    }

    /// Whether all these men are among others.
    pub fn within(&self, others: &Men) -> bool {
        self.counts.iter().flatten().zip(others.counts.iter().flatten()).all(|(mine, theirs)| mine <= theirs)
    }

    /// The kept men that are still on the board, be they all or not, legal or not. The count of quiet plies is 0, and en passant is left
    /// where the pawn that passed was kept.
    pub fn left(&self, position: &Position) -> Position {
        let mut image = Position::empty(position.turn);
        for colour in Colour::BOTH {
            for kind in Kind::ALL {
                let men = squares(position.men[colour as usize][kind as usize]);
                let kept = men.take(self.count(colour, kind) as usize).fold(0, |set, square| set | bit(square));
                image.men[colour as usize][kind as usize] = kept;
            }
        }
        // The pawn stands behind the square that it passed, seen from the side to move.
        let pawns = image.men[position.turn.other() as usize][Kind::Pawn as usize];
        image.passed = position.passed.filter(|square| pawns & bit(square ^ 8) != 0);
        image
    }
}

impl fmt::Display for Men {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for men in &self.counts {
            for kind in Kind::ALL {
                for _ in 0..men[kind as usize] {
                    write!(f, "{}", kind.letter())?;
                }
            }
        }
        Ok(())
    }
}

impl Projection for Men {
    type State = Position;
    type Image = Position;

    fn image(&self, position: &Position) -> Result<Position, Absent> {
        let image = self.left(position);
        for colour in Colour::BOTH {
            for kind in Kind::ALL {
                if image.men[colour as usize][kind as usize].count_ones() < self.count(colour, kind) {
                    let letter = kind.letter();
                    return Err(Absent(format!("{self}: {} has not so many men of the kind {letter}", colour.name())));
                }
            }
        }
        if image.broken() {
            let waiting = image.turn.other().name();
            return Err(Absent(format!("{self}: {waiting}, who is not to move, would be in check")));
        }
        Ok(image)
    }

    fn describe(&self) -> String {
        format!("the men {self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn men_are_read_and_printed() {
        for text in ["KK", "KRPPKBN", "KQKR", "KKP"] {
            assert_eq!(Men::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Men::parse("kprkn").unwrap().to_string(), "KRPKN");
        for bad in ["", "K", "RK", "KRKK", "KXK", "KPPPPPPPPPK"] {
            assert!(Men::parse(bad).is_err(), "{bad}");
        }
        let [small, large] = ["KRK", "KRPKN"].map(|text| Men::parse(text).unwrap());
        assert!(small.within(&large) && !large.within(&small));
    }

    #[test]
    fn the_smaller_position_is_a_legal_one_or_absent() {
        let position = Position::from_fen("8/8/8/3k1Pp1/8/8/1R6/K5n1 w - g6 5 9").unwrap();
        let image = |men: &str| Men::parse(men).unwrap().image(&position);
        assert_eq!(image("KRPKP").unwrap().fen(), "8/8/8/3k1Pp1/8/8/1R6/K7 w - g6 0 1");
        assert_eq!(image("KRPK").unwrap().passed, None);
        assert_eq!(image("KRKN").unwrap().fen(), "8/8/8/3k4/8/8/1R6/K5n1 w - - 0 1");
        assert!(image("KQK").is_err_and(|why| why.to_string().contains("white")));
        assert_eq!(Men::parse("KQRK").unwrap().left(&position).count(), 3);
    }
}
