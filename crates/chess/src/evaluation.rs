//! What a position is worth: by lookups of its parts where there are six to ten men, by hand where there are more.

use crate::force::Force;
use crate::hand;
pub(crate) use crate::lookups::Marks;
use crate::lookups::{Lookups, MOST_MEN, NEITHER, Reading};
use crate::weights::Weights;
use native::chess::{Colour, Position, Step};
use table::chess::{Material, Metric, Outcome, Tables};

/// How positions are judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Judge {
    /// By hand: men, squares, mobility, pawns, kings. Tables are asked only where they know the position itself.
    Hand,
    /// With six to ten men by nothing but lookups, their plain sum (S1.4): a win in n moves 1 − n/128 pawns, a loss the negative of
    /// it, a draw 0.
    Sum,
    /// With weights learned for the men at hand. Where there are none, by hand, with the mean of the lookups.
    #[default]
    Learned,
}

/// What the plain sum makes of a sure win in one part: a whole number for each move to the win, so that none is lost by rounding.
const SURE_PART: f64 = 128.0;
/// What the mean of the lookups weighs beside the evaluation by hand, where no weights were learned.
const MEAN: f64 = 300.0;
/// Positions that tables call won, but perhaps not before the clock ends the game.
const PERHAPS: i32 = 20_000;
/// The greatest estimate.
const MOST: i32 = 19_000;

/// The numbers that an evaluation goes by for some men.
#[derive(Clone)]
struct Scale {
    /// By class, side to move and plies: hundredths of a pawn for white.
    worth: Vec<[[i16; 256]; 2]>,
    /// For white, with each side to move.
    constant: [i32; 2],
    /// What the evaluation by hand counts.
    hand: f64,
}

/// See the module.
#[derive(Clone)]
pub(crate) struct Evaluation<'t> {
    judge: Judge,
    tables: Option<&'t Tables>,
    lookups: Option<Lookups<'t>>,
    weights: &'t Weights,
    scales: Vec<Scale>,
}

impl<'t> Evaluation<'t> {
    /// By these tables; `named` are the parts to look up where all of them occur, otherwise all of the largest are.
    pub fn new(judge: Judge, tables: Option<&'t Tables>, named: &[Material], weights: &'t Weights) -> Evaluation<'t> {
        let lookups = tables.filter(|_| judge != Judge::Hand).map(|tables| Lookups::new(tables, named));
        Evaluation { judge, tables, lookups, weights, scales: Vec::new() }
    }

    /// Where the lookups of a position are kept; `None` if there are none.
    pub fn marks(&mut self, position: &Position) -> Option<Marks> {
        let lookups = self.lookups.as_mut()?;
        let count = position.count() as usize;
        if !(6..=MOST_MEN + 2).contains(&count) {
            return None;
        }
        let plan = lookups.plan_for(position)?;
        let marks = lookups.fresh(plan, position);
        while self.scales.len() <= usize::from(plan) {
            let scale = self.scale(self.scales.len() as u16)?;
            self.scales.push(scale);
        }
        Some(marks)
    }

    /// The marks after a move that takes and promotes nothing.
    pub fn moved(&self, marks: &Marks, step: &Step) -> Marks {
        self.lookups.as_ref().map_or(*marks, |lookups| lookups.moved(marks, step))
    }

    /// What a position is worth to white.
    pub fn value(&mut self, position: &Position, marks: Option<&mut Marks>) -> i32 {
        if let (Some(marks), Some(lookups)) = (marks, self.lookups.as_mut()) {
            let scale = &self.scales[usize::from(marks.plan)];
            let sum = lookups.sum(position, marks, &scale.worth) + scale.constant[position.turn as usize];
            let by_hand = if scale.hand == 0.0 { 0 } else { (scale.hand * f64::from(hand::value(position))) as i32 };
            return (sum + by_hand).clamp(-MOST, MOST);
        }
        let known =
            self.tables.filter(|_| position.count() <= 5).and_then(|tables| tables.probe(position, Metric::Mate).ok());
        let sign = if position.turn == Colour::White { 1 } else { -1 };
        match known {
            Some(Outcome::Win(plies)) => sign * (PERHAPS - i32::from(plies)),
            Some(Outcome::Loss(plies)) => sign * (i32::from(plies) - PERHAPS),
            Some(Outcome::Draw) => hand::value(position) / 32,
            None => hand::value(position).clamp(-MOST, MOST),
        }
    }

    /// What each part of a position says; nothing where it is not judged by lookups.
    pub fn readings(&mut self, position: &Position) -> Vec<Reading> {
        let Some(marks) = self.marks(position) else { return Vec::new() };
        let scale = &self.scales[usize::from(marks.plan)];
        self.lookups.as_mut().map_or_else(Vec::new, |lookups| lookups.readings(marks.plan, position, &scale.worth))
    }

    /// What lookups say of a position as numbers for those who learn weights, with their names: see [`crate::learn`].
    pub fn terms(&mut self, position: &Position) -> Option<(Vec<String>, Vec<f32>)> {
        let first = Force::of(position).first();
        let readings = self.readings(position);
        let mut classes: Vec<String> = readings.iter().map(|reading| reading.men.clone()).collect();
        classes.sort();
        classes.dedup();
        let mut terms = vec![0.0; 4 * classes.len()];
        for reading in &readings {
            let (Some(outcome), Ok(class)) = (reading.outcome, classes.binary_search(&reading.men)) else { continue };
            let (winner, plies) = match outcome {
                Outcome::Draw => continue,
                Outcome::Win(plies) => (position.turn, plies),
                Outcome::Loss(plies) => (position.turn.other(), plies),
            };
            let at = 4 * class + if winner == first { 0 } else { 2 };
            terms[at] += 1.0;
            terms[at + 1] += f32::from(plies.div_ceil(2)) / 128.0;
        }
        (!classes.is_empty()).then_some((classes, terms))
    }

    /// The numbers for a plan.
    fn scale(&self, plan: u16) -> Option<Scale> {
        let plan = self.lookups.as_ref()?.plan(plan);
        let first = plan.force.first();
        let learned = self.weights.find(&plan.force, plan.classes.iter().map(String::as_str));
        let learned = learned.filter(|_| self.judge == Judge::Learned);
        let share = match self.judge {
            Judge::Sum | Judge::Hand => SURE_PART,
            Judge::Learned => MEAN / plan.parts.len() as f64,
        };
        let class = |name: &String| {
            let mut worth = [[0; 256]; 2];
            for (turn, by_plies) in Colour::BOTH.into_iter().zip(&mut worth) {
                for plies in (0..NEITHER).filter(|plies| *plies != NEITHER) {
                    let winner = if plies % 2 == 1 { turn } else { turn.other() };
                    let far = f64::from(plies.div_ceil(2)) / 128.0;
                    let value = match &learned {
                        Some(learned) => learned.worth(name, winner == first, far),
                        None if winner == first => share * (1.0 - far),
                        None => -share * (1.0 - far),
                    };
                    let for_white = if first == Colour::White { value } else { -value };
                    by_plies[usize::from(plies)] = for_white.round().clamp(-3000.0, 3000.0) as i16;
                }
            }
            worth
        };
        let worth = plan.classes.iter().map(class).collect();
        let sign = if first == Colour::White { 1.0 } else { -1.0 };
        let constant = Colour::BOTH.map(|turn| {
            let to_first = learned.as_ref().map_or(0.0, |learned| learned.constant(turn == first));
            (sign * to_first).round() as i32
        });
        let hand = match (&learned, self.judge) {
            (Some(learned), _) => learned.hand(),
            (None, Judge::Learned) => 1.0,
            (None, Judge::Sum | Judge::Hand) => 0.0,
        };
        Some(Scale { worth, constant, hand })
    }
}
