//! A position seen as several smaller ones, each looked up in a table of its own, and what the answers are worth together
//! (Samadi, Schaeffer and others 2008).
//!
//! Knows games, native boards and tables, and nothing of search.

#![forbid(unsafe_code)]
