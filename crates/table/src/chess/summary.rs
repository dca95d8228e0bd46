//! What the header of a chess table says about its entries.

use super::check::{Counts, Statistics};
use native::chess::Colour;
use serde::{Deserialize, Serialize};

/// Both sides to move in numbers, and the longest wins. Positions that differ only by a symmetry of the board count once.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// White to move.
    #[serde(rename = "white to move")]
    pub white: Side,
    /// Black to move.
    #[serde(rename = "black to move")]
    pub black: Side,
    /// The longest win of either side, if anything is decided.
    pub longest: Option<Longest>,
    /// The longest win of each side; the first tables did not say.
    #[serde(rename = "longest wins", default, skip_serializing_if = "Option::is_none")]
    pub wins: Option<Wins>,
}

/// One side to move in numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Side {
    /// Won for the side to move.
    pub won: u64,
    /// Drawn.
    pub drawn: u64,
    /// Lost for the side to move.
    pub lost: u64,
    /// Positions by plies: odd ones are won, even ones lost.
    pub plies: Vec<u64>,
}

/// A position and how long its win takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Longest {
    /// In plies.
    pub plies: u8,
    /// The position.
    pub fen: String,
}

impl Longest {
    /// Who wins: with an odd number of plies whoever is to move.
    pub fn winner(&self) -> Colour {
        let turn = if self.fen.split_whitespace().nth(1) == Some("b") { Colour::Black } else { Colour::White };
        if self.plies % 2 == 1 { turn } else { turn.other() }
    }
}

/// The longest win of each side.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Wins {
    /// Of white.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub white: Option<Longest>,
    /// Of black.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub black: Option<Longest>,
}

impl Summary {
    /// One side to move.
    pub fn side(&self, turn: Colour) -> &Side {
        match turn {
            Colour::White => &self.white,
            Colour::Black => &self.black,
        }
    }

    /// The longest win of each side that wins at all, white first.
    pub fn longest_wins(&self) -> Vec<(Colour, &Longest)> {
        match (&self.wins, &self.longest) {
            (Some(wins), _) => {
                let both = [(Colour::White, &wins.white), (Colour::Black, &wins.black)];
                both.into_iter().filter_map(|(winner, longest)| Some((winner, longest.as_ref()?))).collect()
            }
            (None, longest) => longest.iter().map(|longest| (longest.winner(), longest)).collect(),
        }
    }
}

impl From<&Counts> for Side {
    fn from(counts: &Counts) -> Side {
        Side { won: counts.won, drawn: counts.drawn, lost: counts.lost, plies: counts.plies.clone() }
    }
}

impl From<&Statistics> for Summary {
    fn from(statistics: &Statistics) -> Summary {
        let [white, black] = statistics.wins.clone().map(|win| win.map(|(plies, fen)| Longest { plies, fen }));
        let longest = statistics.longest.clone();
        Summary {
            white: Side::from(&statistics.sides[0]),
            black: Side::from(&statistics.sides[1]),
            longest: longest.map(|(outcome, fen)| Longest { plies: outcome.byte(), fen }),
            wins: Some(Wins { white, black }),
        }
    }
}
