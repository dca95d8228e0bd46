//! Rules to a machine that runs them.
//!
//! [`Prover`] is the slow, simple engine that all others are compared with.

mod answers;
mod bank;
mod circuit;
mod extension;
mod gates;
mod graph;
mod ground;
mod lanes;
mod net;
mod plane;
mod program;
mod prover;

pub use ground::{Budget, Unfit};
pub use lanes::{Lanes, Tally};
pub use net::{BATCH, Leaves, Net, NoNet, Size, State as NetState};
pub use prover::{Limits, LoadError, Prover};
