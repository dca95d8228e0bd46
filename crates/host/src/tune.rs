//! Tuning: better settings for any player on any game, found by playing.
//!
//! The methods ([`tune`]) know nothing of games, players, files or clocks: they take a [`Space`] of settings and a function
//! that plays games between two points of it, and give back the best point and, in words, how they came to it. Which of
//! them finds more with as many games is measured by `ludens lab tuners`; the surface is the default because of that.
//! [`vary`] makes the space from what people write, [`run`] plays real games and keeps them.

mod climb;
mod contest;
mod racing;
mod regression;
pub mod run;
mod space;
mod surface;
pub mod vary;

pub use contest::{Contest, Duel, Play, Score, Tell};
pub use space::{Axis, Point, Space, Variable};

use anyhow::{Result, ensure};
use serde::Serialize;

/// How better settings are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// All games together are read as a hill, and the next ones are played where its top may be.
    Surface,
    /// Many variants begin, the worse half is out after each lap.
    Racing,
    /// One variable after the other, six variants of it against the present player.
    Climb,
}

/// How to tune.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tuning {
    /// The method.
    pub method: Method,
    /// Games to be spent.
    pub games: usize,
    /// Passes over the variables, where the method has such.
    pub passes: usize,
    /// The seed of whatever is drawn.
    pub seed: u64,
}

/// Looks for the best point. The same answers to the same questions give the same path.
///
/// # Errors
/// When there are too few games for the method, and as `play` and `tell`.
pub fn tune(space: &Space, tuning: &Tuning, play: Play<'_>, tell: Tell<'_>) -> Result<Point> {
    ensure!(!space.is_empty(), "nothing is varied (`--vary NAME`)");
    ensure!(tuning.passes > 0, "there is at least one pass (`--passes 1`)");
    let mut contest = Contest::new(space, tuning.games, play, tell);
    match tuning.method {
        Method::Surface => surface::follow(&mut contest, tuning.seed),
        Method::Racing => racing::race(&mut contest, tuning.passes, tuning.seed),
        Method::Climb => climb::climb(&mut contest, tuning.passes),
    }
}

#[cfg(test)]
mod tests;
