//! Games written by hand, each proved equal to its rulesheet: Chinese checkers and chess with few pieces.

#![forbid(unsafe_code)]

pub mod chess;

pub mod chinese;
