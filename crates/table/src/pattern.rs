//! What a file says of a table of some pieces of a game. How such tables are built and asked is the business of `abstraction`.

use serde::{Deserialize, Serialize};

/// The kind that stands in the header of a file, and the folder of such files.
pub const KIND: &str = "pattern";

/// What was counted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// The game, as it was called.
    pub game: String,
    /// The identity of its rules.
    pub rules: String,
    /// The pieces and what becomes of the other side.
    pub pattern: String,
    /// Placements won for the first role, or from which the goal can be reached.
    pub won: u64,
    /// Drawn ones, or those from which it cannot.
    pub drawn: u64,
    /// Those lost for the first role.
    pub lost: u64,
    /// The greatest distance, in moves.
    pub longest: u8,
    /// States that were listed to know it.
    pub states: u64,
}
