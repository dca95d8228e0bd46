//! The one way in which an engine may refuse: a limit was reached. An ordinary value, never a panic.

use std::fmt;

/// Which limit was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitKind {
    /// More steps of inference than allowed for one question.
    Work,
    /// More memory than allowed.
    Memory,
    /// Terms or calls nested too deeply.
    Depth,
    /// Out of time.
    Time,
    /// The rules ask for something that has no finite answer (a variable that nothing binds).
    Unbound,
    /// The rules ask for something that rests on its own denial.
    Circular,
}

/// A limit that was reached, and what was being done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limit {
    /// Which one.
    pub kind: LimitKind,
    /// What was being worked out, in words.
    pub during: String,
}

impl Limit {
    /// A limit of this kind, reached during that.
    pub fn new(kind: LimitKind, during: impl Into<String>) -> Limit {
        Limit { kind, during: during.into() }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            LimitKind::Work => "the limit on inference steps was reached",
            LimitKind::Memory => "the limit on memory was reached",
            LimitKind::Depth => "terms or calls are nested too deeply",
            LimitKind::Time => "out of time",
            LimitKind::Unbound => "a variable is bound by nothing",
            LimitKind::Circular => "the rules deny what they rest on",
        };
        write!(f, "{what}: {}", self.during)
    }
}

impl std::error::Error for Limit {}
