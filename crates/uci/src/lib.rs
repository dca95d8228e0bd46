//! The player as an engine that other programs talk to, line by line: UCI for chess, UGI for any two-player game in turn.
//!
//! | module | what it is |
//! |---|---|
//! | [`command`] | lines as commands |
//! | [`conversation`] | who reads, who thinks, who answers: nobody waits for anybody |
//! | [`alarm`] | when a search has to end |
//! | [`chess_engine`] | the mind behind `ludens uci` |
//! | [`any_game`] | the mind behind `ludens ugi` |
//! | `glance` | its move where there was no time to search |
//!
//! Whatever is written to it, the engine goes on: what it does not understand is told and ignored.

#![forbid(unsafe_code)]

pub mod alarm;
pub mod any_game;
pub mod chess_engine;
pub mod command;
pub mod conversation;
mod glance;

pub use conversation::{Mind, converse};
