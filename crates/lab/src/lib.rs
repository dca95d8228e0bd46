//! Experiments and benchmarks: every table and figure of the papers as one command each, how fast everything is, and whether
//! engines agree with recorded games.
//!
//! | module | what it is |
//! |---|---|
//! | [`bench`](mod@bench) | `ludens bench`: how fast the engines and tables are |
//! | [`chart`] | figures of experiments, as SVG |
//! | [`experiments`] | `ludens lab`: experiments that can be repeated, each with a folder of its own |
//! | [`pieces`] | games of experiments on the workers of a fleet |
//! | [`perft`] | `ludens perft`: paths of each length, counted |
//! | [`simulate`] | `ludens simulate`: random games in numbers |
//! | [`replay`] | `ludens replay`: recorded games played again, and everything compared |

pub mod args;
pub mod bench;
pub mod chart;
pub mod experiments;
mod fleet_bed;
pub mod perft;
pub mod pieces;
pub mod replay;
pub mod simulate;
