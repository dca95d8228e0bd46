//! A position seen as several smaller ones, each looked up in a table of its own, and what the answers are worth together
//! (Samadi, Schaeffer and others 2008).
//!
//! Knows games, native boards, what a study finds, and tables; nothing of search.
//!
//! | module | what it is |
//! |---|---|
//! | [`alone`] | Chinese checkers: groups of one player's pieces, each as if alone on the board, weighed and added up |
//! | [`projection`] | positions taken to smaller ones: pieces against pieces, one side alone, a part of the board, some men of chess |
//! | [`lookup`], [`evaluator`] | the images looked up in their tables, and the weighted sum of the answers |
//! | [`homomorphism`] | whether steps, paths and goals carry over to the smaller game |
//! | [`pattern`] | the same for any rulesheet: patterns of a few pieces, their tables, which of them tell something, and what they weigh |
//! | [`learn`] | weights from results: logistic regression |

#![forbid(unsafe_code)]

pub mod alone;
pub mod evaluator;
pub mod homomorphism;
pub mod learn;
pub mod lookup;
pub mod pattern;
pub mod projection;
