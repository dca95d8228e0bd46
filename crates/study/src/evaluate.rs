//! Evaluators: features as values of states, on the scale of goals.
//!
//! A feature V between 0 and 1 becomes `1 + R⁻ + (R⁺ − R⁻ − 2)·V`, where R⁻ and R⁺ are the least and the greatest goal, so that
//! a sure loss is always worse and a sure win always better than any guess.

use crate::goal::{Formula, soft};
use game::{Evaluator, Facts, Game, Role};
use std::sync::Arc;

/// An evaluator with a name, by which it can be asked for.
pub struct NamedEvaluator<G: Game> {
    /// Its name: `max …` and `min …` of a feature, `mobility`, `goal`, `learned`.
    pub name: String,
    /// The evaluator.
    pub evaluator: Arc<dyn Evaluator<G>>,
}

impl<G: Game> Clone for NamedEvaluator<G> {
    fn clone(&self) -> NamedEvaluator<G> {
        NamedEvaluator { name: self.name.clone(), evaluator: self.evaluator.clone() }
    }
}

/// The least and the greatest goal of a role.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Range {
    pub low: f32,
    pub high: f32,
}

impl Range {
    /// The value of a feature between 0 and 1.
    pub fn value(self, v: f32) -> f32 {
        1.0 + self.low + (self.high - self.low - 2.0).max(0.0) * v.clamp(0.0, 1.0)
    }
}

/// For whom a feature is good: for the role and its team; for all others it is as bad.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub range: Range,
    /// For each role, whether it is on this side.
    pub ours: Vec<bool>,
}

impl Side {
    fn value(&self, v: f32, role: Role) -> f32 {
        let ours = self.ours.get(role.0 as usize).copied().unwrap_or(false);
        self.range.value(if ours { v } else { 1.0 - v })
    }
}

/// A sum of weights over the facts that hold.
pub(crate) struct Linear {
    pub side: Side,
    pub base: f32,
    /// By number of fact; what is beyond has no weight.
    pub weights: Vec<f32>,
}

fn sum<G: Facts>(game: &G, state: &G::State, base: f32, weights: &[f32]) -> f32 {
    let mut sum = base;
    game.each_fact(state, &mut |fact| {
        if let Some(weight) = weights.get(fact as usize) {
            sum += weight;
        }
    });
    sum
}

impl<G: Facts> Evaluator<G> for Linear {
    fn value(&self, game: &G, state: &G::State, _: &mut G::View, role: Role) -> f32 {
        self.side.value(sum(game, state, self.base, &self.weights), role)
    }
}

/// Where a piece is, for those facts that say so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub piece: u8,
    pub place: [i16; 3],
}

/// The distances of pairs of pieces, as a share of the greatest possible.
pub(crate) struct Distances {
    pub side: Side,
    pub at: Vec<Option<At>>,
    pub pairs: Vec<(u8, u8)>,
    /// The greatest distance of a pair.
    pub longest: f32,
    /// Small distances are good.
    pub near: bool,
}

impl<G: Facts> Evaluator<G> for Distances {
    fn value(&self, game: &G, state: &G::State, _: &mut G::View, role: Role) -> f32 {
        let mut places: [Option<[i16; 3]>; 16] = [None; 16];
        game.each_fact(state, &mut |fact| {
            if let Some(Some(at)) = self.at.get(fact as usize) {
                places[at.piece as usize] = Some(at.place);
            }
        });
        let mut total = 0.0;
        for &(a, b) in &self.pairs {
            // A piece that is gone is neither near nor far.
            let share = match (places[a as usize], places[b as usize]) {
                (Some(a), Some(b)) => {
                    let steps: i32 = a.iter().zip(&b).map(|(a, b)| i32::from((a - b).abs())).sum();
                    steps as f32 / self.longest
                }
                _ => 0.5,
            };
            total += share;
        }
        let v = total / self.pairs.len().max(1) as f32;
        self.side.value(if self.near { 1.0 - v } else { v }, role)
    }
}

/// How many legal moves there are: many are good for whoever has the choice.
pub(crate) struct Mobility {
    pub ranges: Vec<Range>,
    /// The usual number of choices, which counts as one half.
    pub usual: f32,
    pub few: bool,
}

impl<G: Facts> Evaluator<G> for Mobility {
    fn value(&self, game: &G, _: &G::State, view: &mut G::View, role: Role) -> f32 {
        let mut legal = Vec::new();
        let share = |count: usize| count as f32 / (count as f32 + self.usual);
        game.legal(view, role, &mut legal);
        let v = if legal.len() > 1 {
            share(legal.len())
        } else {
            // Somebody else chooses: their freedom is our loss.
            let mut others = 0;
            for other in game::roles(game).filter(|other| *other != role) {
                legal.clear();
                game.legal(view, other, &mut legal);
                others = others.max(legal.len());
            }
            1.0 - share(others)
        };
        self.ranges[role.0 as usize].value(if self.few { 1.0 - v } else { v })
    }
}

/// What was learned from random games: weights of facts for every role.
pub(crate) struct Learned {
    pub ranges: Vec<Range>,
    pub bases: Vec<f32>,
    pub weights: Vec<Vec<f32>>,
}

impl<G: Facts> Evaluator<G> for Learned {
    fn value(&self, game: &G, state: &G::State, _: &mut G::View, role: Role) -> f32 {
        let at = role.0 as usize;
        let (Some(weights), Some(range)) = (self.weights.get(at), self.ranges.get(at)) else { return 50.0 };
        range.value(sum(game, state, self.bases[at], weights))
    }
}

/// How much of the conditions of the goals holds.
pub(crate) struct SoftGoal {
    pub ranges: Vec<Range>,
    pub formula: Formula,
    /// For each part that is a fact its number; `None` for facts that cannot be.
    pub facts: Vec<Option<u32>>,
    /// Numbers of facts are below this.
    pub size: usize,
}

impl<G: Facts> Evaluator<G> for SoftGoal {
    fn value(&self, game: &G, state: &G::State, _: &mut G::View, role: Role) -> f32 {
        let mut holding = vec![false; self.size];
        game.each_fact(state, &mut |fact| {
            if let Some(holds) = holding.get_mut(fact as usize) {
                *holds = true;
            }
        });
        let mut values = Vec::with_capacity(self.formula.parts.len());
        let holds = |at: usize, _| match self.facts[at] {
            Some(fact) if holding[fact as usize] => 1.0,
            _ => 0.0,
        };
        soft(&self.formula.parts, &holds, &mut values);
        let Some(goals) = self.formula.goals.get(role.0 as usize) else { return 50.0 };
        let (mut sum, mut weight, mut most) = (0.0, 0.0, 0.0);
        let range = self.ranges[role.0 as usize];
        let width = (range.high - range.low).max(1.0);
        for &(goal, part) in goals {
            let (goal, value) = ((f32::from(goal) - range.low) / width, values[part as usize]);
            sum += goal * value;
            weight += value;
            most = f32::max(most, goal * value);
        }
        // Where the lesser goals are not known, what is not there of the greater ones counts as the least.
        range.value(match () {
            () if !self.formula.whole => most,
            () if weight > 0.0 => sum / weight,
            () => 0.5,
        })
    }
}
