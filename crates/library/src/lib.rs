//! The rulesheets of `games/`, which are part of the program, and whatever else a GAME argument can mean.

#![forbid(unsafe_code)]

pub mod games;
mod sheet;

pub use games::{ENTRIES, Entry, find};
pub use sheet::{Sheet, load};
