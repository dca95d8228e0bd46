//! Rules to a machine that runs them.
//!
//! [`Prover`] is the slow, simple engine that all others are compared with.

mod answers;
mod bank;
mod extension;
mod graph;
mod program;
mod prover;

pub use prover::{Limits, LoadError, Prover, State, View};
