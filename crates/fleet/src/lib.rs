//! Many workers, on the threads of this program or on other machines: what they are sent, what they send back, and what is
//! made of it.
//!
//! | module | what it is |
//! |---|---|
//! | [`message`] | jobs and answers as data: versioned, limited, checked |
//! | [`carrier`] | how messages travel: one small trait; in this process ([`hub`]), over the network ([`nats`]), or both |
//! | [`worker`] | serves jobs: learns the rules once a game, searches, reports, leaves |
//! | [`crew`] | the workers of one match, as the player sees them: found, told, listened to, given up |
//! | [`gains`] | what trees have gained while they grow, as it travels and added up |
//! | [`merge`] | one choice of what many have found |
//! | [`searcher`] | the player: a searcher that lets a crew search |
//! | [`queue`] | pieces of work that outlive whoever does them: each is done at least once and counted exactly once |
//! | [`roll_call`] | who is there, and what they are doing |
//!
//! A job is data: rules by their hash, a state as facts, a player as it is written, numbers. Nothing that is sent is ever run as
//! a program, and descriptions that would start one or open a file are refused ([`worker::admitted`]).

#![forbid(unsafe_code)]

mod asking;
pub mod carrier;
pub mod connection;
pub mod crew;
pub mod gains;
pub mod hub;
pub mod merge;
pub mod message;
pub mod nats;
mod pool;
pub mod queue;
pub mod roll_call;
pub mod searcher;
pub mod tasks;
pub mod tokens;
pub mod worker;

pub use carrier::{Carrier, Inbox, Mail};
pub use connection::Connection;
pub use hub::Hub;
pub use nats::Nats;
pub use worker::{Worker, WorkerSettings};

/// The version of this program, which all parts of a fleet have in common: other versions may play other moves.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
