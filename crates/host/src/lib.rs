//! Matches, tournaments, players elsewhere, and the player as a server: whatever connects players with each other.
//!
//! | module | what it is |
//! |---|---|
//! | [`players`] | from descriptions to players |
//! | [`player_thread`], [`matches`](mod@matches) | one match from the first message to the last, with clocks that hold |
//! | [`many`], [`tournament`], [`standings`] | many matches, and what they come to |
//! | [`tune`](mod@tune) | better settings for a player, found by playing |
//! | [`journal`], [`folder_lock`] | results kept line by line, so that an interrupted run goes on; one process at a time |
//! | [`program`] | other programs that play chess, as players |
//! | [`http`], [`remote`], [`server`] | the protocol of game managers, from both sides |
//!
//! How a player thinks is `agent`'s business; what people see of it, the front end's.

#![forbid(unsafe_code)]

pub mod folder_lock;
pub mod http;
pub mod journal;
pub mod many;
pub mod matches;
pub mod player_thread;
pub mod players;
pub mod program;
pub mod remote;
pub mod server;
pub mod standings;
pub mod tournament;
pub mod tune;

pub use players::{Players, clock_seed};
