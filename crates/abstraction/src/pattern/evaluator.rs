//! A position judged by lookups: every choice of a pattern's pieces out of those on the board is asked for, and what the answers
//! come to is weighed beside the mere number of pieces.

use super::board::Board;
use super::numbering::{Other, Table, Value};
use super::watch::{read, turn};
use game::{Evaluator, Facts, Role};
use std::sync::Arc;

/// The most choices of a pattern's pieces that are asked for in a position.
pub(crate) const MOST_LOOKUPS: usize = 512;
/// Moves that make a win half as good as one at once.
const FAR: f32 = 256.0;
/// How far a goal that cannot be reached is, in moves.
const OUT_OF_REACH: f32 = 60.0;

/// What a position is judged by: the number of each kind of piece, whose turn it is, and tables.
#[derive(Clone, PartialEq, Debug)]
pub struct Terms {
    /// The things that are counted, with the most of each.
    pub(crate) counted: Vec<(usize, f32)>,
    /// The tables.
    pub(crate) tables: Vec<Arc<Table>>,
}

/// How many terms a table has.
pub(crate) fn width(table: &Table) -> usize {
    if table.pattern.other == Other::Absent { 2 } else { 3 }
}

impl Terms {
    /// The terms of a position, given the places of each thing.
    pub(crate) fn of(&self, on_board: &[Vec<usize>], turn: Role, out: &mut Vec<f32>) {
        out.clear();
        out.extend([1.0, if turn.0 == 0 { 1.0 } else { -1.0 }]);
        out.extend(self.counted.iter().map(|&(thing, most)| on_board[thing].len() as f32 / most));
        self.tables.iter().for_each(|table| ask(table, on_board, turn, out));
    }
}

/// Appends what a table says of a position: for pieces against each other the mean, the best and the worst for the first role;
/// for pieces alone the moves that they are away from their goal, in the mean and for the nearest of them, good for the other.
pub(crate) fn ask(table: &Table, on_board: &[Vec<usize>], turn: Role, out: &mut Vec<f32>) {
    let alone = table.pattern.other == Other::Absent;
    let turn = if alone { 0 } else { turn.0 as usize };
    let (mut asked, mut sum) = (0, 0.0);
    let (mut best, mut worst) = (f32::MIN, f32::MAX);
    table.pattern.each_instance(on_board, &mut |places| {
        let score = match table.at(turn, places) {
            Value::None => return true,
            Value::Win(moves) if alone => f32::from(moves),
            Value::Draw if alone => OUT_OF_REACH,
            Value::Win(moves) => 1.0 - f32::from(moves) / FAR,
            Value::Loss(moves) => f32::from(moves) / FAR - 1.0,
            Value::Draw => 0.0,
        };
        sum += score;
        (best, worst) = (best.max(score), worst.min(score));
        asked += 1;
        asked < MOST_LOOKUPS
    });
    let mean = if asked == 0 { 0.0 } else { sum / asked as f32 };
    match alone {
        true => {
            let nearest = if asked == 0 { OUT_OF_REACH } else { worst };
            let sign = if table.pattern.mine.0 == 0 { -0.1 } else { 0.1 };
            out.extend([sign * mean, sign * nearest]);
        }
        false if asked == 0 => out.extend([0.0; 3]),
        false => out.extend([mean, best, worst]),
    }
}

/// The evaluator.
#[derive(Clone, PartialEq, Debug)]
pub struct Lookups {
    board: Arc<Board>,
    terms: Terms,
    weights: Vec<f32>,
    /// The least and the greatest goal.
    range: (f32, f32),
}

impl Lookups {
    /// An evaluator of these terms and weights; its values lie between the goals, so that what is sure is always better or worse.
    pub(crate) fn new(board: Arc<Board>, terms: Terms, weights: Vec<f32>, (least, greatest): (u8, u8)) -> Lookups {
        Lookups { board, terms, weights, range: (f32::from(least), f32::from(greatest)) }
    }

    /// The chance that the first role wins, between 0 and 1.
    pub fn chance<G: Facts>(&self, game: &G, state: &G::State) -> f32 {
        let on_board = read(game, &self.board, state);
        let turn = turn(game, &self.board, state).unwrap_or(Role(0));
        let mut terms = Vec::with_capacity(self.weights.len());
        self.terms.of(&on_board, turn, &mut terms);
        let sum: f32 = terms.iter().zip(&self.weights).map(|(term, weight)| term * weight).sum();
        1.0 / (1.0 + (-sum).exp())
    }
}

impl<G: Facts> Evaluator<G> for Lookups {
    fn value(&self, game: &G, state: &G::State, _: &mut G::View, role: Role) -> f32 {
        let first = self.chance(game, state);
        let chance = if role.0 == 0 { first } else { 1.0 - first };
        let (least, greatest) = self.range;
        1.0 + least + (greatest - least - 2.0).max(0.0) * chance
    }
}
