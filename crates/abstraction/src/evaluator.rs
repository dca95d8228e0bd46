//! An evaluation that is nothing but lookups: their weighted sum (S1.4).
//!
//! ```
//! use abstraction::evaluator::Weighted;
//! use abstraction::lookup::DuelLookup;
//! use abstraction::projection::Duel;
//! use game::{Evaluator, Game, Role};
//! use native::chinese::{ChineseCheckers, Win};
//! use std::sync::Arc;
//! use table::chinese::versus::{Build, Spec};
//!
//! let mut build = Build::new(Spec::new(5, 2, 1), 1 << 20).unwrap();
//! build.run(&mut |_| true).unwrap();
//! let table = Arc::new(build.into_versus());
//! // The two foremost red pieces against the foremost blue one, and the other way round.
//! let mine = DuelLookup::new(Duel::new(5, (1, 2), (1, 1)).unwrap(), table.clone()).unwrap();
//! let theirs = DuelLookup::new(Duel::new(5, (1, 1), (1, 2)).unwrap(), table).unwrap();
//! let evaluation = Weighted::new().with(1.0, mine).with(1.0, theirs);
//! let game = ChineseCheckers::new(5, 3, Win::Filled, None).unwrap();
//! let (state, mut view) = (game.start(), game.view());
//! let [red, blue] = [0, 1].map(|role| evaluation.value(&game, &state, &mut view, Role(role)));
//! assert!((red + blue - 100.0).abs() < 0.01);
//! ```

use crate::lookup::Lookup;
use crate::projection::Absent;
use game::{Evaluator, Role};
use native::chess::{Chess, Position};
use native::chinese::{ChineseCheckers, State};

/// A weighted sum of lookups. What is absent is left out.
pub struct Weighted<S> {
    terms: Vec<(f32, Box<dyn Lookup<S>>)>,
}

/// What one lookup says of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Reading {
    /// What was looked up.
    pub lookup: String,
    /// Its weight.
    pub weight: f32,
    /// What it is worth to the first role, from -1 to 1, or why it was left out.
    pub worth: Result<f32, Absent>,
}

impl<S> Default for Weighted<S> {
    fn default() -> Weighted<S> {
        Weighted { terms: Vec::new() }
    }
}

impl<S> Weighted<S> {
    /// No lookups yet: everything is worth 50.
    pub fn new() -> Weighted<S> {
        Weighted::default()
    }

    /// One lookup more.
    pub fn with(mut self, weight: f32, lookup: impl Lookup<S> + 'static) -> Weighted<S> {
        self.terms.push((weight, Box::new(lookup)));
        self
    }

    /// The sum for the first role, of those that are there.
    pub fn sum(&self, state: &S) -> f32 {
        self.terms.iter().filter_map(|(weight, lookup)| Some(weight * lookup.worth(state).ok()?)).sum()
    }

    /// What each lookup says, with those that are left out.
    pub fn readings(&self, state: &S) -> Vec<Reading> {
        let read = |(weight, lookup): &(f32, Box<dyn Lookup<S>>)| Reading {
            lookup: lookup.describe(),
            weight: *weight,
            worth: lookup.worth(state),
        };
        self.terms.iter().map(read).collect()
    }

    /// The sum on the scale of goals: 50 where nobody is ahead, and never quite 0 or 100, which only ends are.
    fn scaled(&self, state: &S, role: Role) -> f32 {
        let sum = self.sum(state);
        50.0 + 49.0 * (if role.0 == 0 { sum } else { -sum }).tanh()
    }
}

impl Evaluator<ChineseCheckers> for Weighted<State> {
    fn value(&self, _: &ChineseCheckers, state: &State, _: &mut native::chinese::View, role: Role) -> f32 {
        self.scaled(state, role)
    }
}

impl Evaluator<Chess> for Weighted<Position> {
    fn value(&self, _: &Chess, state: &Position, _: &mut native::chess::View, role: Role) -> f32 {
        self.scaled(state, role)
    }
}
