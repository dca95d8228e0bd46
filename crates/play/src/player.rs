//! Whoever chooses moves: in this program, in another one, or at the keyboard.

use game::Cancel;
use std::fmt;

/// What a player is told when a match begins.
#[derive(Clone, Debug)]
pub struct Start {
    /// The match.
    pub id: String,
    /// The player's role.
    pub role: String,
    /// The rules as text.
    pub rules: String,
    /// Seconds until the first move is asked for.
    pub start: f64,
    /// Seconds for each move.
    pub play: f64,
    /// Ends everything that is done for this match.
    pub cancel: Cancel,
}

/// How much time there is for an answer. Time itself comes from outside.
#[derive(Clone)]
pub struct Clock<'a> {
    /// Seconds in all.
    pub seconds: f64,
    /// Ends the work for this answer; the match goes on.
    pub cancel: Cancel,
    spent: &'a (dyn Fn() -> f64 + Sync),
}

impl<'a> Clock<'a> {
    /// A clock of so many seconds, with a function that tells how many of them are gone.
    ///
    /// ```
    /// let clock = play::Clock::new(10.0, &|| 4.0);
    /// assert_eq!(clock.left(), 6.0);
    /// ```
    pub fn new(seconds: f64, spent: &'a (dyn Fn() -> f64 + Sync)) -> Clock<'a> {
        Clock { seconds, cancel: Cancel::new(), spent }
    }

    /// The same with a token that ends the work for this answer.
    #[must_use]
    pub fn until(self, cancel: &Cancel) -> Clock<'a> {
        Clock { cancel: cancel.clone(), ..self }
    }

    /// Seconds gone.
    pub fn spent(&self) -> f64 {
        (self.spent)()
    }

    /// Seconds left; below zero when the time is over.
    pub fn left(&self) -> f64 {
        self.seconds - self.spent()
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// It did not come in time.
    TimeOut,
    /// The player cannot be reached, or what came is no answer.
    Connection(String),
    /// The player is in another match, it says.
    Busy(String),
    /// The player cannot follow: the rules cannot be played, or the moves do not fit.
    Lost(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::TimeOut => f.write_str("out of time"),
            Trouble::Connection(why) | Trouble::Busy(why) | Trouble::Lost(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Trouble {}

/// A player in one match; another match wants another one. Moves are text in the words of the rules it was given.
///
/// Whoever cannot wait until a call comes back cancels the clock's token, which ends the answer at hand, or the match's.
pub trait Player: Send {
    /// Gets ready for a match. Comes back within the clock.
    fn prepare(&mut self, start: &Start, clock: &Clock<'_>) -> Result<(), Trouble>;

    /// Chooses a move, told what everybody did in the step before (`None` at the beginning). Comes back within the
    /// clock.
    fn choose(&mut self, last: Option<&[String]>, clock: &Clock<'_>) -> Result<String, Trouble>;

    /// The match is over; this was the last step.
    fn stop(&mut self, last: Option<&[String]>, clock: &Clock<'_>);

    /// The match is given up. Nothing of it is kept.
    fn abort(&mut self, clock: &Clock<'_>);
}
