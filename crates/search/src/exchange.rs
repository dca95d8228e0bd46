//! Trees that grow from the same state in several places, and tell each other what they gain while they grow.
//!
//! Each tells what it has found itself since the last time, position by position, as far as it is worth telling; what it hears counts as if
//! it had been found in its own tree, visits and rewards alike, at every depth. So all of them explore as one tree would.
//!
//! Moves are numbers that only one engine knows; what is told has names for them that all have in common ([`Exchange::names`]).

use game::{Move, Role};

/// What a tree has found in a position since it last told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Gain {
    /// The position before it, by its place in the list, where it comes earlier, and the name of the move that leads on; `None`: where the
    /// search began.
    pub from: Option<(u32, u64)>,
    /// Who chooses there; of no meaning where no moves are told of.
    pub role: Role,
    /// The moves that were tried.
    pub arms: Vec<GainArm>,
    /// The rewards of all roles between 0 and 1, where they are proven and that is news.
    pub proven: Option<Vec<f32>>,
}

/// What a tree has found of one move since it last told of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GainArm {
    /// The name of the move.
    pub name: u64,
    /// How often it was tried.
    pub visits: u64,
    /// The rewards of who chooses, between 0 and 1 a visit.
    pub sum: f64,
}

/// How a tree that grows reaches the others.
pub trait Exchange: Send + Sync {
    /// Asked at the begin of a search and after random games, with their number: whether to exchange gains now.
    fn is_due(&self, playouts: u64) -> bool;

    /// How many grow trees, this one included.
    fn trees(&self) -> u32;

    /// The names of moves of a role, the same wherever the game is played.
    fn names(&self, role: Role, moves: &[Move]) -> Vec<u64>;

    /// Tells the others what this tree has gained, and answers what they have: one list from each of them, or several of all together.
    fn exchange(&self, gains: Vec<Gain>) -> Vec<Vec<Gain>>;
}
