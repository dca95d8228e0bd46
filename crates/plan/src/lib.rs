//! Plans that a person can follow, learned from exact tables (Sadikov and Bratko 2006, and beyond).
//!
//! A [`World`] is a game as numbers: every position, who decides, what follows, what stands where, and how far the win is; it comes
//! from chess endings ([`chess`]) or from any game whose positions can all be listed. What things can do is read off from moves ([`movers`]),
//! and [`attribute`]s are made of that: nothing here knows what a rook is. A [`Plan`] is an ordered list of goals over attributes;
//! following it means to make the first goal as small as one can within the plies looked ahead, then the second, and so on.
//! [`sweep`] tells what becomes of every position at once when it is followed, [`guide`] follows it from one position, [`check`] proves
//! it again from its file alone. [`stages`] is the method of Sadikov and Bratko for any world, [`paper`] what is special to their endings.

#![forbid(unsafe_code)]

mod anneal;
pub mod attribute;
pub mod build;
pub mod casewise;
pub mod check;
pub mod chess;
mod example;
mod file;
pub mod guide;
pub mod learn;
pub mod listed;
pub mod meaning;
pub mod movers;
mod narrow;
pub mod page;
pub mod paper;
mod plot;
pub mod pool;
pub mod report;
pub mod scene;
pub mod stages;
pub mod sweep;
pub mod verdict;
pub mod words;
pub mod world;

pub use file::{Example, FORM, Goal, Instead, Plan, PlanError, Reached, Reader, Subject};
pub use world::World;
