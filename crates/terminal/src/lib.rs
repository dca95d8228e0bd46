//! What a person at a terminal sees: columns of text, colour and progress. And what a command comes to.

#![forbid(unsafe_code)]

pub mod bars;
pub mod progress;
pub mod style;
pub mod text;

pub use progress::Progress;
pub use style::{Paint, Style};

/// What a command found out. (That something went wrong on the way is an error instead.)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Fine.
    Yes,
    /// The command worked, and its answer is negative.
    No,
}

/// Where commands write their results.
pub type Out<'a> = &'a mut dyn std::io::Write;
