//! Exact knowledge: ranking, building by retrograde analysis, storing and probing.

pub mod chess;
pub mod chinese;
pub mod file;
pub mod solve;
