//! Reading that ends when it is told to, and that takes no more memory than it may.
//!
//! This crate knows no clock and starts no thread: the word to stop is a function of the caller, asked now and then.

use std::fmt;

/// What reading and checking may take.
///
/// ```
/// use gdl::{Limits, Unfinished};
/// let stopped = Limits { stop: &|| true, ..Limits::default() };
/// assert_eq!(gdl::parse_within("(role me)", &stopped).unwrap_err(), Unfinished::Stopped);
/// assert!(gdl::parse_within("(role me)", &Limits::default()).unwrap().problems.is_empty());
/// ```
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Asked every few thousand words. Once it says `true`, everything ends.
    pub stop: &'a dyn Fn() -> bool,
    /// The most memory, in bytes. It is estimated from what is built; what is really taken is rarely
    /// more, and seldom less than half of it.
    pub memory: usize,
}

impl Default for Limits<'_> {
    /// Nobody says stop, and 2 GiB, which is more than the longest text takes.
    fn default() -> Self {
        Limits { stop: &|| false, memory: 2 << 30 }
    }
}

/// Why there is no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfinished {
    /// It was told to stop.
    Stopped,
    /// It would take more memory than this, in bytes.
    Memory {
        /// The limit.
        limit: usize,
    },
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfinished::Stopped => f.write_str("reading the rules was stopped"),
            Unfinished::Memory { limit } => {
                write!(f, "reading these rules takes more than {} MB of memory; ", limit.div_ceil(1_000_000))?;
                f.write_str("allow more, or is this really a game description?")
            }
        }
    }
}

impl std::error::Error for Unfinished {}

/// Counts what is done, and asks.
pub(crate) struct Meter<'a> {
    limits: Limits<'a>,
    steps: u32,
    bytes: usize,
}

impl<'a> Meter<'a> {
    pub fn new(limits: &Limits<'a>) -> Meter<'a> {
        Meter { limits: *limits, steps: 0, bytes: 0 }
    }

    /// One more word or so, and the memory it takes.
    pub fn step(&mut self, bytes: usize) -> Result<(), Unfinished> {
        const BETWEEN: u32 = 4096;
        // The first step asks too, so that what is stopped before it begins does nothing.
        if self.steps.is_multiple_of(BETWEEN) && (self.limits.stop)() {
            return Err(Unfinished::Stopped);
        }
        self.steps = self.steps.wrapping_add(1);
        self.bytes += bytes;
        match self.bytes <= self.limits.memory {
            true => Ok(()),
            false => Err(Unfinished::Memory { limit: self.limits.memory }),
        }
    }

    /// Memory that was given back.
    pub fn give_back(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}
