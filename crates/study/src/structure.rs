//! What fluents are: boards with markers and pieces, positions, quantities, whose turn it is, sets.
//!
//! A set of columns is a *key* when no two facts of a state agree in it. The columns of the key are the inputs of the
//! fluent (`+`), the others its outputs (`-`). Often several sets qualify, and the form decides between them: coordinates that
//! have an order are inputs rather than outputs, amounts that have an order are outputs.

use crate::fixed::{Order, order_of};
use crate::form::{Counter, Fluent, sort_values};
use crate::observe::{MOST_COLUMNS, Observation};
use crate::terms::TermId;
use serde::{Deserialize, Serialize};

/// What a fluent is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FluentKind {
    /// No arguments: true or not.
    Flag,
    /// Says which role has the choice.
    #[serde(rename = "whose turn")]
    Control,
    /// Counts moves.
    Counter,
    /// One thing in each place: inputs are coordinates, outputs what is there.
    Board,
    /// An amount: one output that has an order.
    Quantity,
    /// Where something is: all outputs are coordinates.
    Position,
    /// One value of several, such as the phase of a turn.
    #[serde(rename = "one of several")]
    Choice,
    /// Nothing depends on anything: a set of things.
    Set,
    /// Never seen to be true.
    #[serde(rename = "never true")]
    Unseen,
}

impl FluentKind {
    /// What it is, in words.
    pub fn words(self) -> &'static str {
        match self {
            FluentKind::Flag => "flag",
            FluentKind::Control => "whose turn",
            FluentKind::Counter => "counter",
            FluentKind::Board => "board",
            FluentKind::Quantity => "quantity",
            FluentKind::Position => "position",
            FluentKind::Choice => "one of several",
            FluentKind::Set => "set",
            FluentKind::Unseen => "never true",
        }
    }
}

/// A fluent and what it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Structure {
    /// The fluent, by number.
    pub fluent: usize,
    /// What it is.
    pub kind: FluentKind,
    /// The input columns, in order; the others are outputs.
    pub inputs: Vec<usize>,
    /// The output columns, in order.
    pub outputs: Vec<usize>,
    /// Whether all coordinates have an order.
    pub ordered: bool,
    /// On a board, and for positions: what is there in one place at a time, at most.
    pub pieces: Vec<TermId>,
    /// On a board: what can be in several places at a time.
    pub markers: Vec<TermId>,
    /// The output that most places have at the start, where it stands for nothing being there.
    pub blank: Option<TermId>,
}

impl Structure {
    /// The columns that are coordinates: inputs of a board, outputs of a position.
    pub fn coordinates(&self) -> &[usize] {
        match self.kind {
            FluentKind::Board => &self.inputs,
            FluentKind::Position => &self.outputs,
            _ => &[],
        }
    }

    /// The argument modes: `+` for inputs, `-` for outputs.
    pub fn modes(&self) -> String {
        let columns = self.inputs.len() + self.outputs.len();
        let mode = |at| if self.inputs.contains(&at) { "+" } else { "-" };
        (0..columns).map(mode).collect::<Vec<_>>().join(" ")
    }
}

/// Narrows the columns to the values that were seen, if that gives an order where there was none.
pub(crate) fn refine(fluents: &mut [Fluent], orders: &[Order], seen: &Observation, roles: &[TermId]) {
    for (fluent, seen) in fluents.iter_mut().zip(&seen.fluents) {
        for (at, column) in fluent.columns.iter_mut().enumerate() {
            let met = || seen.together.keys().filter(|key| key.0 == at).map(|key| key.1);
            if column.order.is_none() || column.values.is_empty() {
                let values: Vec<TermId> = met().collect();
                let order = order_of(orders, &values);
                if order.is_some() || column.values.is_empty() {
                    column.values = values;
                    column.order = order;
                }
            }
            // Values of odd forms may turn up that the rules did not promise.
            let extra: Vec<TermId> = met().filter(|value| !column.values.contains(value)).collect();
            column.values.extend(extra);
            sort_values(column, orders);
            column.roles = !column.values.is_empty() && column.values.iter().all(|value| roles.contains(value));
        }
    }
}

/// What each fluent is, as far as was seen.
pub(crate) fn structures(
    fluents: &[Fluent],
    counters: &[Counter],
    seen: &Observation,
    start: &[(usize, Vec<TermId>)],
) -> Vec<Structure> {
    (0..fluents.len()).map(|number| structure(number, &fluents[number], counters, seen, start)).collect()
}

fn structure(
    number: usize,
    fluent: &Fluent,
    counters: &[Counter],
    seen: &Observation,
    start: &[(usize, Vec<TermId>)],
) -> Structure {
    let found = &seen.fluents[number];
    let columns = fluent.columns.len();
    let inputs: Vec<usize> = match best_key(fluent, found.keys) {
        Some(key) => (0..columns).filter(|at| key >> at & 1 == 1).collect(),
        None => (0..columns).collect(),
    };
    let outputs: Vec<usize> = (0..columns).filter(|at| !inputs.contains(at)).collect();
    let has_order = |&at: &usize| fluent.columns[at].order.is_some();
    let kind = if seen.tested > 0 && found.most == 0 {
        FluentKind::Unseen
    } else if columns == 0 {
        FluentKind::Flag
    } else if counters.iter().any(|counter| counter.fluent == number) {
        FluentKind::Counter
    } else if columns == 1 && inputs.is_empty() && found.names_chooser && found.choosers > 0 {
        FluentKind::Control
    } else if outputs.is_empty() {
        FluentKind::Set
    } else if outputs.len() == 1 && has_order(&outputs[0]) && !coordinates_like(fluent, &inputs, &outputs) {
        FluentKind::Quantity
    } else if outputs.len() > 1 && outputs.iter().all(has_order) {
        FluentKind::Position
    } else if inputs.is_empty() {
        FluentKind::Choice
    } else {
        FluentKind::Board
    };
    let mut structure = Structure {
        fluent: number,
        kind,
        ordered: false,
        pieces: Vec::new(),
        markers: Vec::new(),
        blank: None,
        inputs,
        outputs,
    };
    structure.ordered = !structure.coordinates().is_empty() && structure.coordinates().iter().all(has_order);
    if kind == FluentKind::Board && structure.outputs.len() == 1 {
        things(&mut structure, fluent, seen, start);
    }
    structure
}

/// Whether the output is of the same sort as the inputs: digits in a grid of digits are no amounts.
fn coordinates_like(fluent: &Fluent, inputs: &[usize], outputs: &[usize]) -> bool {
    inputs.len() >= 2
        && inputs.iter().all(|&at| fluent.columns[at].order.is_some())
        && fluent.columns[inputs[0]].order == fluent.columns[outputs[0]].order
}

/// Pieces, markers and the blank of a board.
fn things(structure: &mut Structure, fluent: &Fluent, seen: &Observation, start: &[(usize, Vec<TermId>)]) {
    let out = structure.outputs[0];
    let number = structure.fluent;
    let mut counts = Vec::new();
    for value in &fluent.columns[out].values {
        let together = seen.fluents[number].together.get(&(out, *value)).copied().unwrap_or(0);
        match together {
            0 => {}
            1 if structure.inputs.len() > 1 => structure.pieces.push(*value),
            _ => structure.markers.push(*value),
        }
        let count = start.iter().filter(|(f, values)| *f == number && values[out] == *value).count();
        counts.push((count, *value));
    }
    // Where every place always holds something, one thing must stand for nothing: what is in the most places at the start,
    // and in more than any other.
    let full = seen.fluents[number].fewest == seen.fluents[number].most;
    counts.sort_by_key(|&(count, _)| std::cmp::Reverse(count));
    let second = counts.get(1).map_or(0, |second| second.0);
    if let Some(&(most, value)) = counts.first()
        && full
        && most > second.max(1)
        && !fluent.columns[out].roles
        && structure.markers.contains(&value)
    {
        structure.blank = Some(value);
    }
}

/// The key that makes the most sense, as a set of columns; `None` if there is none but all columns together.
fn best_key(fluent: &Fluent, keys: u64) -> Option<usize> {
    let columns = fluent.columns.len();
    if columns == 0 || columns > MOST_COLUMNS {
        return None;
    }
    let score = |key: usize| {
        let ordered = |inside: bool| {
            let chosen = (0..columns).filter(move |at| (key >> at & 1 == 1) == inside);
            let all = chosen.clone().count();
            let with = chosen.filter(|&at| fluent.columns[at].order.is_some()).count();
            (all, with)
        };
        let ((ins, ins_ordered), (outs, outs_ordered)) = (ordered(true), ordered(false));
        match () {
            () if ins > 0 && ins == ins_ordered && outs_ordered == 0 => 100 - ins,
            () if ins == 0 => 95,
            () if ins_ordered == 0 && outs == outs_ordered => 90 - ins,
            () if outs == 1 && outs_ordered == 1 => 80 - ins,
            () if outs == 1 && ins == 2 => 70,
            () if outs_ordered == 0 => 60 - ins,
            () => 30 - ins,
        }
    };
    let alive = (0..(1usize << columns) - 1).filter(|key| keys >> key & 1 == 1);
    // The first of equals: columns named first are inputs.
    alive.max_by_key(|&key| (score(key), std::cmp::Reverse(key)))
}
