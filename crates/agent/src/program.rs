//! Programs that play chess and speak a protocol of their own: what they are asked and what they say, the board between them and
//! rules in any words ([`Board`]), and a searcher that asks one of them.
//!
//! Starting programs and speaking with them is somebody else's business: whoever makes players passes in [`Programs`].

mod board;
mod seated;

pub use board::Board;
pub(crate) use seated::Seated;

use crate::spec::ProgramSpec;
use std::sync::Arc;

/// How a program is spoken to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// UCI.
    Uci,
    /// CECP, the protocol of xboard.
    Xboard,
}

/// What a program is to think about, and how much.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// Where the game began, as FEN.
    pub start: &'a str,
    /// The moves since then, in coordinates.
    pub moves: &'a [String],
    /// Where that leads, as FEN.
    pub position: &'a str,
    /// No deeper than this.
    pub depth: Option<u32>,
    /// No more positions than this.
    pub nodes: Option<u64>,
    /// So many milliseconds.
    pub movetime: Option<u64>,
}

/// What a program thinks.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// The move it makes, in coordinates; only at the end, and not where it finds none.
    pub best: Option<String>,
    /// What it thinks of the position, for the side to move.
    pub score: Option<Score>,
    /// How deep it looked.
    pub depth: u32,
    /// How many positions it looked at.
    pub nodes: u64,
    /// What it expects, in its own notation.
    pub line: Vec<String>,
}

/// A judgement as chess programs give it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in so many moves; below zero the side to move is mated.
    Mate(i32),
}

impl Score {
    /// The same as a reward from 0 to 100: four pawns are worth ten to one, as in Elo's scale.
    ///
    /// ```
    /// use agent::program::Score;
    /// assert_eq!(Score::Centipawns(0).reward(), 50.0);
    /// assert!(Score::Centipawns(-100).reward() < 40.0);
    /// assert_eq!((Score::Mate(3).reward(), Score::Mate(-2).reward()), (100.0, 0.0));
    /// ```
    pub fn reward(self) -> f32 {
        match self {
            Score::Mate(moves) if moves > 0 => 100.0,
            Score::Mate(_) => 0.0,
            Score::Centipawns(points) => 100.0 / (1.0 + 10f32.powf(-points as f32 / 400.0)),
        }
    }
}

/// Whoever waits for a program.
pub struct Thinking<'a> {
    /// Whether it is enough; asked often.
    pub stop: &'a (dyn Fn() -> bool + 'a),
    /// Hears what is thought so far.
    pub tell: &'a mut (dyn FnMut(&Report) + 'a),
}

/// A program that was started. It ends when it is dropped.
pub trait Program: Send {
    /// What it calls itself.
    fn name(&self) -> &str;

    /// Another game begins.
    ///
    /// # Errors
    /// When it cannot be told.
    fn new_game(&mut self) -> Result<(), String>;

    /// Thinks until it has done what the task says, or somebody says stop.
    ///
    /// # Errors
    /// When no move comes: what is wrong with it. The program is of no use any more then.
    fn think(&mut self, task: &Task<'_>, thinking: &mut Thinking<'_>) -> Result<Report, String>;
}

/// Starts programs, unless somebody says stop before they are there.
pub type Programs =
    Arc<dyn Fn(Protocol, &ProgramSpec, &dyn Fn() -> bool) -> Result<Box<dyn Program>, String> + Send + Sync>;

/// What is said where a program cannot play.
pub const NOT_CHESS: &str = "the rules are not those of the library's chess, kqkr or krk, which chess programs know";
