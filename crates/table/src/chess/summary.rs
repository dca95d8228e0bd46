//! What the header of a chess table says about its entries.

use super::check::{Counts, Statistics};
use super::table::{Code, FIFTY, Table};
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
    /// Positions by plies: odd ones are won, even ones lost. Counting to zeroing: won ones.
    pub plies: Vec<u64>,
    /// Counting to zeroing, lost positions by plies.
    #[serde(rename = "lost by plies", default, skip_serializing_if = "Option::is_none")]
    pub losses: Option<Vec<u64>>,
    /// Counting to zeroing, the greatest byte that is a win.
    #[serde(rename = "bytes of wins", default, skip_serializing_if = "Option::is_none")]
    pub border: Option<u8>,
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

impl Side {
    /// What was counted, in the way in which the bytes of this side are read.
    fn new(counts: &Counts, code: Code) -> Side {
        let Counts { won, drawn, lost, .. } = *counts;
        match code {
            Code::Parity => Side { won, drawn, lost, plies: counts.plies(), losses: None, border: None },
            Code::Border(border) => {
                let (plies, losses) = (counts.wins.clone(), Some(counts.losses.clone()));
                Side { won, drawn, lost, plies, losses, border: Some(border) }
            }
        }
    }

    /// How the bytes of this side are read.
    pub(super) fn code(&self) -> Code {
        self.border.map_or(Code::Parity, Code::Border)
    }

    /// So many of the won and of the lost positions are draws by the fifty-move rule; nothing is known of that where the
    /// plies are counted to something else than zeroing.
    pub fn drawn_by_rule(&self) -> Option<[u64; 2]> {
        let beyond = |plies: &[u64]| plies.iter().skip(usize::from(FIFTY) + 1).sum();
        Some([beyond(&self.plies), beyond(self.losses.as_ref()?)])
    }
}

impl Summary {
    /// What a table with these statistics says of itself.
    pub(super) fn new(table: &Table, statistics: &Statistics) -> Summary {
        let [white, black] = statistics.wins.clone().map(|win| win.map(|(plies, fen)| Longest { plies, fen }));
        let longest = statistics.longest.clone();
        Summary {
            white: Side::new(&statistics.sides[0], table.code(Colour::White)),
            black: Side::new(&statistics.sides[1], table.code(Colour::Black)),
            longest: longest.and_then(|(outcome, fen)| Some(Longest { plies: outcome.plies()?, fen })),
            wins: Some(Wins { white, black }),
        }
    }
}
