//! Features: numbers that can be read off a state, made from its structures.
//!
//! Nearly all are sums of weights over the facts that hold, so a state is read once and nothing is searched for. Only
//! distances need the positions of two pieces at a time.

use crate::form::Fluent;
use crate::observe::{Observation, Row};
use crate::structure::{FluentKind, Structure};
use crate::terms::{TermId, Terms};
use gdl::Symbols;

/// What a feature measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// A coordinate of a piece.
    Coordinate,
    /// How many facts of a kind hold.
    Count,
    /// An amount.
    Amount,
    /// The sum of a coordinate over all markers of a kind: how far they have come.
    Advance,
    /// The sum of several amounts.
    Total,
    /// The Manhattan distance of two pieces, by number.
    Distance(usize, usize),
    /// The sum of the distances of all pairs of pieces.
    Distances,
}

/// A number that can be read off a state, between 0 and 1.
#[derive(Clone, PartialEq, Debug)]
pub struct Feature {
    /// What it measures.
    pub what: Measure,
    /// The fluent of the facts that count.
    pub fluent: usize,
    /// Facts that count have these values in these columns.
    pub fixed: Vec<(usize, TermId)>,
    /// The column whose place in its order counts; without one, each fact counts the same.
    pub axis: Option<usize>,
    /// What the sum is divided by.
    pub scale: f32,
}

/// A thing that is in one place at a time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The fluent that says where it is.
    pub fluent: usize,
    /// Which thing: values of columns.
    pub fixed: Vec<(usize, TermId)>,
    /// The columns that are its coordinates.
    pub coordinates: Vec<usize>,
}

/// The most pieces for which features of their own are made.
const MOST_PIECES: usize = 12;
/// The most amounts of one fluent that become features of their own.
const MOST_AMOUNTS: usize = 24;

impl Feature {
    /// What a fact adds, before it is divided by the scale; `None` if it does not count.
    pub(crate) fn raw(&self, row: &Row, fluents: &[Fluent]) -> Option<f32> {
        if row.fluent != self.fluent || self.fixed.iter().any(|&(at, value)| row.values[at] != value) {
            return None;
        }
        match self.axis {
            None => Some(1.0),
            Some(at) => rank(&fluents[self.fluent], at, row.values[at]),
        }
    }

    /// Its name.
    pub fn name(&self, fluents: &[Fluent], pieces: &[Piece], terms: &Terms, symbols: &Symbols) -> String {
        let thing = |fluent: usize, fixed: &[(usize, TermId)]| {
            let values = fixed.iter().map(|&(_, value)| terms.text(value, symbols));
            let name = symbols.name(fluents[fluent].name).to_string();
            std::iter::once(name).chain(values).collect::<Vec<_>>().join(" ")
        };
        let own = thing(self.fluent, &self.fixed);
        match self.what {
            Measure::Coordinate => format!("{} of {own}", self.axis_name()),
            Measure::Advance => format!("sum of {} of {own}", self.axis_name()),
            Measure::Count => format!("number of {own}"),
            Measure::Amount => format!("amount of {own}"),
            Measure::Total => format!("total of {own}"),
            Measure::Distance(a, b) => {
                let [a, b] = [a, b].map(|at| thing(pieces[at].fluent, &pieces[at].fixed));
                format!("distance of {a} and {b}")
            }
            Measure::Distances => "sum of distances".to_string(),
        }
    }

    /// `x`, `y` or `z` by the place among the columns that are not fixed; a number after that.
    fn axis_name(&self) -> String {
        let before = |at: usize| (0..at).filter(|at| self.fixed.iter().all(|fixed| fixed.0 != *at)).count();
        let place = self.axis.map_or(0, before);
        ["x", "y", "z"].get(place).map_or_else(|| format!("coordinate {}", place + 1), ToString::to_string)
    }
}

/// The place of a value in the order of its column, from 0 to 1.
fn rank(fluent: &Fluent, column: usize, value: TermId) -> Option<f32> {
    let values = &fluent.columns[column].values;
    let place = values.iter().position(|&other| other == value)?;
    Some(place as f32 / (values.len() - 1).max(1) as f32)
}

/// The pieces of all boards and positions, in the order of the fluents.
pub(crate) fn pieces(fluents: &[Fluent], structures: &[Structure], seen: &Observation) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for structure in structures {
        let fluent = structure.fluent;
        let with_order = |columns: &[usize]| {
            columns.iter().copied().filter(|&at| fluents[fluent].columns[at].order.is_some()).collect()
        };
        match structure.kind {
            FluentKind::Board => {
                let coordinates: Vec<usize> = with_order(&structure.inputs);
                let at = structure.outputs[0];
                for &value in structure.pieces.iter().filter(|_| !coordinates.is_empty()) {
                    pieces.push(Piece { fluent, fixed: vec![(at, value)], coordinates: coordinates.clone() });
                }
            }
            FluentKind::Position => {
                let coordinates: Vec<usize> = with_order(&structure.outputs);
                for fixed in combinations(structure, fluents, seen) {
                    pieces.push(Piece { fluent, fixed, coordinates: coordinates.clone() });
                }
            }
            _ => {}
        }
    }
    pieces
}

/// All combinations of values of the inputs that were seen; none if there are too many.
fn combinations(structure: &Structure, fluents: &[Fluent], seen: &Observation) -> Vec<Vec<(usize, TermId)>> {
    let fluent = &fluents[structure.fluent];
    let mut all = vec![Vec::new()];
    for &at in &structure.inputs {
        let met = |value: &&TermId| seen.fluents[structure.fluent].together.contains_key(&(at, **value));
        let values: Vec<TermId> = fluent.columns[at].values.iter().filter(met).copied().collect();
        if all.len() * values.len() > MOST_AMOUNTS {
            return Vec::new();
        }
        all = all
            .iter()
            .flat_map(|fixed: &Vec<(usize, TermId)>| {
                values.iter().map(move |&value| fixed.iter().copied().chain([(at, value)]).collect())
            })
            .collect();
    }
    all
}

/// All features, in the order of the fluents; distances last.
/// `ticking` are the counters that go on with every move: they tell the time and nothing else.
pub(crate) fn features(
    fluents: &[Fluent],
    structures: &[Structure],
    pieces: &[Piece],
    seen: &Observation,
    ticking: &[usize],
) -> Vec<Feature> {
    let mut features = Vec::new();
    for structure in structures {
        let fluent = structure.fluent;
        match structure.kind {
            FluentKind::Board | FluentKind::Position => {
                own_pieces(&mut features, structure, pieces);
                board_features(&mut features, structure, fluents, seen);
            }
            FluentKind::Quantity => amounts(&mut features, structure, fluents, seen),
            FluentKind::Counter if !ticking.contains(&fluent) && structure.outputs.len() == 1 => {
                amounts(&mut features, structure, fluents, seen);
            }
            FluentKind::Set => counts(&mut features, fluent, fluents),
            _ => {}
        }
    }
    let few = pieces.len().min(MOST_PIECES);
    let distance = |what| Feature { what, fluent: 0, fixed: Vec::new(), axis: None, scale: 1.0 };
    let mut pairs = 0;
    for a in 0..few {
        for b in a + 1..few {
            if pieces[a].coordinates.len() == pieces[b].coordinates.len() {
                features.push(distance(Measure::Distance(a, b)));
                pairs += 1;
            }
        }
    }
    if pairs > 1 {
        features.push(distance(Measure::Distances));
    }
    features
}

fn own_pieces(features: &mut Vec<Feature>, structure: &Structure, pieces: &[Piece]) {
    for piece in pieces.iter().filter(|piece| piece.fluent == structure.fluent).take(MOST_PIECES) {
        for &axis in &piece.coordinates {
            features.push(Feature {
                what: Measure::Coordinate,
                fluent: piece.fluent,
                fixed: piece.fixed.clone(),
                axis: Some(axis),
                scale: 1.0,
            });
        }
    }
}

fn board_features(features: &mut Vec<Feature>, structure: &Structure, fluents: &[Fluent], seen: &Observation) {
    if structure.kind != FluentKind::Board {
        return;
    }
    let fluent = structure.fluent;
    let at = structure.outputs[0];
    let cells: usize = structure.inputs.iter().map(|&at| fluents[fluent].columns[at].values.len()).product();
    for &value in structure.markers.iter().chain(&structure.pieces) {
        let fixed = vec![(at, value)];
        let is_piece = structure.pieces.contains(&value);
        // Where a piece can be lost, its number is worth something.
        if is_piece && seen.fluents[fluent].present.get(&(at, value)) == Some(&seen.tested) {
            continue;
        }
        let scale = if is_piece { 1.0 } else { cells as f32 };
        features.push(Feature { what: Measure::Count, fluent, fixed: fixed.clone(), axis: None, scale });
        if is_piece || Some(value) == structure.blank {
            continue;
        }
        let most = seen.fluents[fluent].together.get(&(at, value)).copied().unwrap_or(1).max(1);
        for &axis in structure.inputs.iter().filter(|&&at| fluents[fluent].columns[at].order.is_some()) {
            let fixed = fixed.clone();
            features.push(Feature { what: Measure::Advance, fluent, fixed, axis: Some(axis), scale: most as f32 });
        }
    }
}

fn amounts(features: &mut Vec<Feature>, structure: &Structure, fluents: &[Fluent], seen: &Observation) {
    let fluent = structure.fluent;
    let axis = Some(structure.outputs[0]);
    let all = combinations(structure, fluents, seen);
    for fixed in &all {
        features.push(Feature { what: Measure::Amount, fluent, fixed: fixed.clone(), axis, scale: 1.0 });
    }
    // What a role has in all, where it has several amounts.
    let most = seen.fluents[fluent].most.max(1);
    for &at in structure.inputs.iter().filter(|&&at| fluents[fluent].columns[at].roles) {
        if structure.inputs.len() > 1 || all.is_empty() {
            for &role in &fluents[fluent].columns[at].values {
                let fixed = vec![(at, role)];
                let scale = most as f32 / fluents[fluent].columns[at].values.len() as f32;
                features.push(Feature { what: Measure::Total, fluent, fixed, axis, scale });
            }
        }
    }
}

/// The numbers of facts of a set: of each role's where a column names roles, otherwise in all.
fn counts(features: &mut Vec<Feature>, fluent: usize, fluents: &[Fluent]) {
    let columns = &fluents[fluent].columns;
    let all: usize = columns.iter().map(|column| column.values.len().max(1)).product();
    match columns.iter().position(|column| column.roles) {
        Some(at) => {
            for &role in &columns[at].values {
                let scale = (all / columns[at].values.len()).max(1) as f32;
                features.push(Feature { what: Measure::Count, fluent, fixed: vec![(at, role)], axis: None, scale });
            }
        }
        None => {
            let scale = all.max(1) as f32;
            features.push(Feature { what: Measure::Count, fluent, fixed: Vec::new(), axis: None, scale });
        }
    }
}
