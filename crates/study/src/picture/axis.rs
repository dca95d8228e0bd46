//! Which way coordinates go: across or up, in which order, counted from where. Names decide where they say something, because pictures
//! are for people.

use crate::fixed::Relation;
use crate::form::fact;
use crate::study::Study;
use crate::terms::TermId;
use gdl::{Literal, Symbol, TermKind};
use std::collections::BTreeMap;

/// The values of a coordinate with their distance from the first one.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Axis {
    pub places: BTreeMap<TermId, i32>,
    /// How many steps there are, with those that have no value.
    pub length: i32,
    pub letters: bool,
    /// Whether the values have an order, by the rules or by their names.
    pub ordered: bool,
}

/// The longest axis that is drawn.
const LONGEST: usize = 40;

/// A value as something that can be counted: what stands before the number, and the number.
fn ordinal(value: &str) -> Option<(&str, i64)> {
    let digits = value.find(|c: char| c.is_ascii_digit()).unwrap_or(value.len());
    let (word, number) = value.split_at(digits);
    number.parse().ok().map(|number| (word, number))
}

fn letter(value: &str) -> Option<i64> {
    match value.as_bytes() {
        [c] if c.is_ascii_alphabetic() => Some(i64::from(c.to_ascii_lowercase())),
        _ => None,
    }
}

impl Axis {
    /// The axis of these values; in the order that their names say, or else in the one given. `None` if it is too short or too
    /// long to be drawn.
    pub fn new(study: &Study, values: &[TermId], ordered: bool) -> Option<Axis> {
        if values.len() < 2 || values.len() > LONGEST {
            return None;
        }
        let names: Vec<String> = values.iter().map(|&value| study.text(value)).collect();
        let letters: Option<Vec<i64>> = names.iter().map(|name| letter(name)).collect();
        let numbers: Option<Vec<(&str, i64)>> = names.iter().map(|name| ordinal(name)).collect();
        let numbers = numbers.filter(|all| all.iter().all(|(word, _)| *word == all[0].0));
        let counted = letters.clone().or(numbers.map(|all| all.into_iter().map(|(_, number)| number).collect()));
        let Some(counted) = counted else {
            let places = values.iter().copied().zip(0..).collect();
            return Some(Axis { places, length: values.len() as i32, letters: false, ordered });
        };
        let (low, high) = (counted.iter().min()?, counted.iter().max()?);
        let mut sorted = counted.clone();
        sorted.sort_unstable();
        // Missing numbers keep their room, unless that is too much.
        let gaps = high - low < LONGEST as i64 && high - low < 3 * values.len() as i64;
        let place = |n: i64| if gaps { n - low } else { sorted.iter().position(|&m| m == n).unwrap_or(0) as i64 };
        let places: BTreeMap<TermId, i32> =
            values.iter().copied().zip(counted.iter().map(|&n| place(n) as i32)).collect();
        let length = places.values().max().map_or(0, |last| last + 1);
        Some(Axis { places, length, letters: letters.is_some(), ordered: true })
    }
}

/// How two coordinates are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Orientation {
    /// The coordinate that goes across.
    pub across: usize,
    /// Whether it goes from right to left.
    pub leftwards: bool,
    /// Whether the other one goes down.
    pub downwards: bool,
}

/// Votes for an axis being drawn to the right (or, if negative, to the left), and upwards.
#[derive(Default)]
struct Votes {
    right: [i32; 2],
    up: [i32; 2],
}

/// The direction of a word: right and up.
fn direction(word: &str) -> Option<(i32, i32)> {
    match word.to_ascii_lowercase().as_str() {
        "right" | "east" | "right-of" | "right_of" => Some((1, 0)),
        "left" | "west" | "left-of" | "left_of" => Some((-1, 0)),
        "up" | "north" | "above" | "ahead" => Some((0, 1)),
        "down" | "south" | "below" => Some((0, -1)),
        _ => None,
    }
}

impl Votes {
    fn add(&mut self, (right, up): (i32, i32), step: [i32; 2]) {
        if let ([d, 0], at) | ([0, d], at) = (step, usize::from(step[0] == 0))
            && d != 0
        {
            self.right[at] += right * d.signum();
            self.up[at] += up * d.signum();
        }
    }
}

/// How the coordinates of a fluent are drawn.
pub(super) fn orientation(study: &Study, fluent: usize, columns: [usize; 2], axes: [&Axis; 2]) -> Orientation {
    let votes = directions(study, axes);
    let size = |votes: [i32; 2]| votes[0].abs() != votes[1].abs();
    let most = |votes: [i32; 2]| usize::from(votes[1].abs() > votes[0].abs());
    let names = variables(study, fluent, columns);
    let across = if size(votes.right) {
        most(votes.right)
    } else if size(votes.up) {
        1 - most(votes.up)
    } else if axes[0].letters != axes[1].letters {
        usize::from(axes[1].letters)
    } else if axes[0].ordered != axes[1].ordered {
        usize::from(axes[1].ordered)
    } else {
        usize::from(names[1] > names[0])
    };
    let up = votes.up[1 - across];
    let downwards = match up {
        // Row and column in this order is how matrices are written, from the top.
        0 if across == 1 && !axes[1].letters => true,
        0 => study.roles.len() == 1 && written_downwards(study, fluent, columns[1 - across], axes[1 - across]),
        _ => up < 0,
    };
    Orientation { across, leftwards: votes.right[across] < 0, downwards }
}

/// What relations with words such as `north` say.
fn directions(study: &Study, axes: [&Axis; 2]) -> Votes {
    let mut votes = Votes::default();
    let symbols = &study.rules.symbols;
    let place = |values: &[TermId]| Some([*axes[0].places.get(&values[0])?, *axes[1].places.get(&values[1])?]);
    let mut scratch = study.terms.clone();
    let mut relations: Vec<Relation> = Vec::new();
    for clause in &study.rules.clauses {
        let relation = (clause.head.name, clause.head.args.len());
        let says = |kind: &TermKind| matches!(kind, TermKind::Name(name) if direction(symbols.name(*name)).is_some());
        let named = relation.1 == 5 && clause.head.args.iter().any(|arg| says(&arg.kind));
        if named && study.fixed.is_fixed(relation) && !relations.contains(&relation) {
            relations.push(relation);
        }
    }
    for relation in relations {
        for row in study.fixed.rows(&study.rules, &mut scratch, relation).unwrap_or_default() {
            let word = row.iter().position(|&value| {
                scratch.args(value).is_empty() && direction(symbols.name(scratch.functor(value))).is_some()
            });
            let Some(at) = word else { continue };
            let Some(way) = direction(symbols.name(scratch.functor(row[at]))) else { continue };
            let rest: Vec<TermId> = (0..5).filter(|&i| i != at).map(|i| row[i]).collect();
            if let (Some(from), Some(to)) = (place(&rest[..2]), place(&rest[2..])) {
                votes.add(way, [to[0] - from[0], to[1] - from[1]]);
            }
        }
    }
    for order in &study.orders {
        let Some((right, up)) = direction(symbols.name(order.relation)) else { continue };
        for at in 0..2 {
            let (own, other) = (axes[at], axes[1 - at]);
            let ends: Vec<Option<&i32>> =
                [order.chain.first(), order.chain.last()].map(|end| own.places.get(end?)).to_vec();
            let alone = !order.chain.iter().all(|value| other.places.contains_key(value));
            if let ([Some(first), Some(last)], true) = (&ends[..], alone) {
                let sign = (*last - *first).signum() * if order.downwards { -1 } else { 1 };
                votes.right[at] += right * sign;
                votes.up[at] += up * sign;
            }
        }
    }
    votes
}

/// For each coordinate how often variables in its place are called like something that goes across, less how often like something that
/// goes up.
fn variables(study: &Study, fluent: usize, columns: [usize; 2]) -> [i32; 2] {
    let fluent = &study.fluents[fluent];
    let mut votes = [0, 0];
    for clause in &study.rules.clauses {
        let mut look = |atom: &gdl::Atom| {
            if !matches!(atom.name, Symbol::TRUE | Symbol::NEXT | Symbol::INIT) {
                return;
            }
            let Some((name, args)) = fact(atom) else { return };
            if (name, args.len()) != (fluent.name, fluent.arity) {
                return;
            }
            for (vote, column) in votes.iter_mut().zip(columns) {
                let Some(arg) = args.get(fluent.columns[column].path[0] as usize) else { continue };
                if let TermKind::Var(var) = arg.kind {
                    let name = clause.vars[var.0 as usize].trim_start_matches('?').to_ascii_lowercase();
                    *vote += match name.trim_end_matches(|c: char| c.is_ascii_digit()) {
                        "x" | "c" | "col" | "column" | "f" | "file" => 1,
                        "y" | "r" | "row" | "rank" => -1,
                        _ => 0,
                    };
                }
            }
        };
        look(&clause.head);
        clause.body.iter().for_each(|literal: &Literal| literal.for_each_atom(false, &mut |atom, _| look(atom)));
    }
    votes
}

/// Whether the rules write the start row by row, the first row first: so puzzles are written, from the top.
fn written_downwards(study: &Study, fluent: usize, column: usize, axis: &Axis) -> bool {
    let own = &study.fluents[fluent];
    let mut rows: Vec<i32> = Vec::new();
    let mut terms = study.terms.clone();
    for clause in study.rules.clauses.iter().filter(|clause| clause.head.name == Symbol::INIT) {
        let Some((name, args)) = fact(&clause.head) else { continue };
        if (name, args.len()) == (own.name, own.arity)
            && let Some(value) = args.get(own.columns[column].path[0] as usize).and_then(|arg| terms.add(arg))
        {
            rows.extend(axis.places.get(&value).copied());
        }
    }
    rows.len() >= 6 && rows.is_sorted() && rows.first() != rows.last()
}
