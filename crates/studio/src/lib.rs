//! The studio: a page in the browser, served by the program itself, that shows and plays any game.
//!
//! ```text
//! browser ─ HTTP ─▶ guard ─▶ api ─▶ games (rules, engines, boards) · matches (trees of positions, who thinks) · study, tables, plans
//!         ◀─ events ─────────────────────────────┘
//! ```
//!
//! | module | what it is |
//! |---|---|
//! | [`server`] | listening, and the end of it |
//! | [`guard`] | who may ask for what: hosts, origins, the token, headers |
//! | [`packed`] | answers by gzip, for those who take it |
//! | [`api`] | what can be asked, one function each |
//! | [`games`] | games that were opened: rules, engines, how their states are drawn |
//! | [`clicks`] | how each legal move is entered on the board |
//! | [`scene`] | a position as the page gets it |
//! | [`mod@matches`] | a match: positions as a tree, seats, what is thought about |
//! | [`kept`] | matches and rules on the disk |
//! | [`editor`] | rules that are being written |
//! | [`pictures`] | small pictures of games, for lists |
//! | [`follow`] | a match that is played elsewhere |
//! | [`practice`] | plans that are followed on the page |
//! | [`laboratory`] | tournaments and experiments, running and past |
//! | [`report`] | a game in numbers, for those who design games |
//!
//! Pages are plain files of `assets`, built into the program. Nothing comes from elsewhere, and nothing is sent elsewhere.

#![forbid(unsafe_code)]

pub mod api;
pub mod assets;
pub mod clicks;
pub mod editor;
pub mod follow;
pub mod games;
pub mod guard;
pub mod kept;
pub mod laboratory;
pub mod matches;
pub mod packed;
pub mod pictures;
pub mod practice;
pub mod report;
pub mod scene;
pub mod server;

pub use server::{Options, Server};
