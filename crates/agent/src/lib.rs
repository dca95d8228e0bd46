//! A player put together: from one serialisable description ([`PlayerSpec`]) to something that follows a match and answers in
//! time.
//!
//! | module | what it is |
//! |---|---|
//! | [`spec`] | the description of a player, as text and as data |
//! | [`engines`] | the engine that is asked for, from a rulesheet |
//! | [`cache`], [`loading`] | engines kept for rules that are played again; what making them may take |
//! | [`searcher`] | from a description to something that searches, with what is known of the game |
//! | [`chess`] | the engine for chess, for rules in any words |
//! | [`chinese`] | the players of Chinese checkers, for rules in any words |
//! | [`notation`] | moves as people write them |
//! | [`prompt`] | what a person types: a move by number or name, or a command |
//! | [`opponent`] | who plays against a person, and gives hints |
//! | [`opening`] | where play begins: any facts, moves, a record, a FEN |
//! | [`patterns`] | patterns of a few pieces: found, built, chosen and weighed within a time |
//! | [`plans`] | plans in their folder, and how a game is said in the words of one |
//! | [`oracles`] | the tables that know something about a game |
//! | [`tables`] | tables as people name, build, ask and verify them |
//! | [`position`] | an engine, a state, and what follows from it |
//! | [`program`] | other programs that play chess: what they are asked, and rules as a board they know |
//! | [`session`] | a searcher for one role, and the position it has followed the match to |
//! | [`local`] | a player of this program: whatever its searcher does, an answer is there in time |
//! | [`analysis`] | what a search thinks of a position, in the words of the rules |
//! | [`solving`] | games solved outright, from rules to values and the line of best play |
//! | [`studying`] | a study that keeps to a time |
//! | [`faults`] | what random games show to be wrong with rules |
//! | [`event`] | what a player has to say beside its moves |
//!
//! It knows no network and no terminal: people and players elsewhere are somebody else's business.

#![forbid(unsafe_code)]

pub mod analysis;
pub mod cache;
pub mod chess;
pub mod chinese;
pub mod delays;
pub mod engines;
pub mod event;
pub mod faults;
pub mod loading;
pub mod local;
pub mod notation;
pub mod opening;
pub mod opponent;
pub mod oracles;
pub mod patterns;
mod plain;
mod planned;
pub mod plans;
mod pool;
pub mod position;
pub mod program;
pub mod prompt;
pub mod searcher;
pub mod session;
mod settled;
mod solo;
pub mod solving;
pub mod spec;
mod studied;
pub mod studying;
mod symmetric;
mod tabled;
pub mod tables;

pub use analysis::Thoughts;
pub use cache::EngineCache;
pub use delays::Delays;
pub use engines::{EngineChoice, Loaded, load};
pub use event::{Event, Events};
pub use loading::Loading;
pub use local::LocalPlayer;
pub use opening::Opening;
pub use oracles::{Oracles, TableThoughts};
pub use pool::Resources;
pub use position::Position;
pub use spec::{Method, PlayerSpec};
