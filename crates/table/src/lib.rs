//! Exact knowledge: ranking, building by retrograde analysis, storing, and asking.

pub mod chess;
pub mod chinese;
pub mod file;
pub mod oracle;
pub mod pattern;
pub mod solve;
pub mod store;
