//! The men of both sides without their squares, however many there are: `KRPPKBN`.

use native::chess::{Colour, Kind, Man, Position};
use std::fmt;

/// All kinds but the king, the strongest first.
pub(crate) const KINDS: [Kind; 5] = [Kind::Queen, Kind::Rook, Kind::Bishop, Kind::Knight, Kind::Pawn];

/// How many men of each kind but the king white and black have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Force {
    counts: [[u8; 5]; 2],
}

impl Force {
    /// Reads men such as `KRPPKBN`, up to ten with the kings: those named first are white's.
    ///
    /// # Errors
    /// In words, when the text does not name men.
    ///
    /// ```
    /// use chess::Force;
    /// assert_eq!(Force::parse("KRPPKBN").unwrap().to_string(), "KRPPKBN");
    /// assert_eq!(Force::parse("kbn-krpp").unwrap().to_string(), "KRPPKBN");
    /// assert!(Force::parse("KRPP").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Force, String> {
        let wrong =
            |why: &str| Err(format!("`{text}`: {why}; write two sides, each with its king first, such as KRPPKBN"));
        let (mut counts, mut kings) = ([[0u8; 5]; 2], 0usize);
        for letter in text.chars().filter(|letter| *letter != '-') {
            match Kind::from_letter(letter) {
                None => return wrong("there is a letter that is no man"),
                Some(Kind::King) if kings == 2 => return wrong("there are more than two kings"),
                Some(Kind::King) => kings += 1,
                Some(_) if kings == 0 => return wrong("it does not begin with a king"),
                Some(kind) => {
                    let count = &mut counts[kings - 1][kind as usize - 1];
                    *count = count.saturating_add(1);
                }
            }
        }
        let total: u32 = counts.iter().flatten().map(|&count| u32::from(count)).sum();
        match (kings, total) {
            (2, 0..=8) => Ok(Force { counts }),
            (2, _) => wrong("more than ten men"),
            _ => wrong("there are not two kings"),
        }
    }

    /// The men of a position.
    pub fn of(position: &Position) -> Force {
        let side = |colour: Colour| KINDS.map(|kind| position.men[colour as usize][kind as usize].count_ones() as u8);
        Force { counts: Colour::BOTH.map(side) }
    }

    /// The side that is named first: the stronger by the usual values, then that with more men, then that with the
    /// strongest man in which they differ, then white.
    pub fn first(&self) -> Colour {
        let strength = |side: &[u8; 5]| {
            let value: u32 = side.iter().zip([9, 5, 3, 3, 1]).map(|(&count, value)| u32::from(count) * value).sum();
            (value, side.iter().sum::<u8>(), *side)
        };
        if strength(&self.counts[1]) > strength(&self.counts[0]) { Colour::Black } else { Colour::White }
    }

    /// The men of one side without its king, such as `RPP`.
    pub fn letters(&self, colour: Colour) -> String {
        let counts = KINDS.into_iter().zip(self.counts[colour as usize]);
        counts.flat_map(|(kind, count)| std::iter::repeat_n(kind.letter(), count.into())).collect()
    }

    /// The men other than kings: white's first, the strongest first.
    pub(crate) fn men(&self) -> Vec<Man> {
        let side = |colour: Colour| {
            let counts = KINDS.into_iter().zip(self.counts[colour as usize]);
            counts.flat_map(move |(kind, count)| std::iter::repeat_n(Man { colour, kind }, count.into()))
        };
        Colour::BOTH.into_iter().flat_map(side).collect()
    }
}

impl fmt::Display for Force {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.first();
        write!(f, "K{}K{}", self.letters(first), self.letters(first.other()))
    }
}
