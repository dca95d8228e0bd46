//! A closer look at boards: their cells, how these lie beside each other, and which maps of a board change nothing.
//!
//! Cells and neighbours come from the rules (see [`places`] and [`adjacent`]), maps from random games (see [`symmetry`](crate::symmetry)).

use crate::adjacent::{self, BoardColumns, FixedRows, Neighbourhood};
use crate::fixed::Relation;
use crate::form::{Column, Fluent};
use crate::places::{Place, places};
use crate::seams::{self, Barrier};
use crate::sides;
use crate::structure::Structure;
use crate::study::Study;
use crate::symmetry::{self, BoardMap};
use crate::terms::{TermId, Terms};
use game::{Facts, Limit};
use gdl::Symbol;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// The most places of a board that is taken to be whole.
const MOST_COMBINED: usize = 1_000;

/// A board as a graph: its cells, which of them are neighbours, and the maps that change nothing.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct BoardGraph {
    pub fluent: usize,
    /// The cells by their coordinates, in the order of the coordinates' values.
    pub cells: Vec<Place>,
    pub neighbours: Option<Neighbourhood>,
    /// Maps, with the number of states in which each was tested.
    pub maps: Vec<(BoardMap, u64)>,
}

/// The rows of relations that were listed, and the terms in them.
pub(crate) struct Listed {
    terms: Terms,
    rows: HashMap<Relation, Option<Rc<Vec<Vec<TermId>>>>>,
}

impl Listed {
    pub fn new(study: &Study) -> Listed {
        Listed { terms: study.terms.clone(), rows: HashMap::new() }
    }
}

impl Study {
    /// The cells of all boards, and their neighbours as long as `more` says yes.
    pub(crate) fn find_graphs(&mut self, more: &mut dyn FnMut() -> bool) {
        let boards: Vec<Structure> = self.boards().cloned().collect();
        self.graphs.clear();
        let mut listed = Listed::new(self);
        for board in boards {
            let cells = self.cells(board.fluent, &board.inputs, &mut listed);
            let neighbours = self.neighbours(&board, &mut listed, more);
            self.graphs.push(BoardGraph { fluent: board.fluent, cells, neighbours, maps: Vec::new() });
        }
    }

    /// The maps of boards with two coordinates, as long as `more` says yes.
    pub(crate) fn find_maps<G: Facts>(
        &mut self,
        game: &G,
        seed: u64,
        more: &mut dyn FnMut() -> bool,
    ) -> Result<(), Limit> {
        let boards: Vec<Structure> = self.boards().filter(|board| board.inputs.len() == 2).cloned().collect();
        if boards.is_empty() {
            return Ok(());
        }
        let states = symmetry::sample(game, seed)?;
        for board in boards {
            let maps = self.maps_of(game, &board, &states, more)?;
            if let Some(graph) = self.graphs.iter_mut().find(|graph| graph.fluent == board.fluent) {
                graph.maps = maps;
            }
        }
        Ok(())
    }

    /// The columns of a fluent as coordinates; `None` if they are inside of functions.
    fn with_columns<T>(
        &self,
        fluent: usize,
        inputs: &[usize],
        listed: &mut Listed,
        ask: impl FnOnce(&BoardColumns<'_>, &mut FixedRows<'_>) -> T,
    ) -> Option<T> {
        let Study { rules, fixed, fluents, orders, .. } = self;
        let fluent = &fluents[fluent];
        let columns: Vec<&Column> = inputs.iter().map(|&at| &fluent.columns[at]).collect();
        if columns.iter().any(|column| column.path.len() != 1) {
            return None;
        }
        let inputs = columns.iter().map(|column| column.path[0] as usize).collect();
        let board = BoardColumns { name: fluent.name, arity: fluent.arity, inputs, columns, orders };
        let Listed { terms, rows } = listed;
        let mut tables = FixedRows { rules, fixed, terms, rows: std::mem::take(rows) };
        let answer = ask(&board, &mut tables);
        listed.rows = tables.rows;
        Some(answer)
    }

    /// The fluents whose facts carry places of these columns of a fluent, with the columns in which they do, in the order of
    /// the fluents; itself among them.
    pub(crate) fn carried(&self, fluent: usize, columns: &[usize], listed: &mut Listed) -> Vec<(usize, Vec<usize>)> {
        let ask = |board: &BoardColumns<'_>, tables: &mut FixedRows<'_>| adjacent::all_carriers(board, tables);
        let mut found = Vec::new();
        for (key, places) in self.with_columns(fluent, columns, listed, ask).into_iter().flatten() {
            let is = |fluent: &Fluent| key == (Symbol::TRUE, fluent.name, fluent.arity);
            let Some(number) = self.fluents.iter().position(is) else { continue };
            let own = &self.fluents[number].columns;
            let column = |&argument: &usize| own.iter().position(|column| column.path == [argument as u8]);
            let first = places.iter().find_map(|place| place.iter().map(column).collect::<Option<Vec<usize>>>());
            found.extend(first.map(|place| (number, place)));
        }
        found.sort();
        found
    }

    /// The relations given as facts that rules ask about places of these columns of a fluent, with the places they name.
    pub(crate) fn marked(&self, fluent: usize, columns: &[usize], listed: &mut Listed) -> Vec<(Symbol, Vec<Place>)> {
        let ask = |board: &BoardColumns<'_>, tables: &mut FixedRows<'_>| adjacent::asked(board, tables);
        let asked = self.with_columns(fluent, columns, listed, ask).unwrap_or_default();
        asked.into_iter().filter_map(|relation| Some((relation.0, self.fixed.given.get(&relation)?.clone()))).collect()
    }

    /// What divides the places of these columns of a fluent into blocks.
    pub(crate) fn blocks(&self, fluent: usize, columns: &[usize], listed: &mut Listed) -> Vec<Vec<BTreeSet<Place>>> {
        self.with_columns(fluent, columns, listed, seams::blocks).unwrap_or_default()
    }

    /// The roles that join sides of the board of these columns of a fluent, with the first and the last place of the axis that they join along.
    pub(crate) fn sides(
        &self,
        fluent: usize,
        columns: &[usize],
        listed: &mut Listed,
    ) -> Vec<(usize, usize, [TermId; 2])> {
        if columns.len() != 2 {
            return Vec::new();
        }
        let ask = |board: &BoardColumns<'_>, tables: &mut FixedRows<'_>| sides::joined(board, tables, &self.roles);
        let joined = self.with_columns(fluent, columns, listed, ask).unwrap_or_default();
        let ends = |axis: usize| {
            let values = &self.fluents[fluent].columns[columns[axis]].values;
            Some([*values.first()?, *values.last()?])
        };
        joined.into_iter().filter_map(|(role, axis)| Some((role, axis, ends(axis)?))).collect()
    }

    /// The fluents whose facts stand between places of these columns of a fluent.
    pub(crate) fn barriers(&self, fluent: usize, columns: &[usize], listed: &mut Listed) -> Vec<(usize, Barrier)> {
        let found = self.with_columns(fluent, columns, listed, seams::barriers).unwrap_or_default();
        let number =
            |(name, arity): Relation| self.fluents.iter().position(|own| (own.name, own.arity) == (name, arity));
        found.into_iter().filter_map(|barrier| Some((number(barrier.name)?, barrier))).collect()
    }

    /// The places that facts of a fluent can have in these columns: those that the rules allow, and those that were seen.
    pub(crate) fn cells(&self, fluent: usize, columns: &[usize], listed: &mut Listed) -> Vec<Place> {
        let allowed = self.with_columns(fluent, columns, listed, places).flatten();
        let mut cells = self.places_seen(fluent, columns);
        // Where something was seen that the rules were not understood to allow, they may allow everything.
        let all =
            allowed.as_ref().filter(|allowed| !cells.is_subset(allowed)).and_then(|_| self.combined(fluent, columns));
        cells.extend(all.or(allowed).into_iter().flatten());
        let axes = &self.fluents[fluent].columns;
        let number = |place: &Place| -> Vec<Option<usize>> {
            let at = |(&column, value): (&usize, &TermId)| axes[column].values.iter().position(|other| other == value);
            columns.iter().zip(place).map(at).collect()
        };
        let mut cells: Vec<Place> = cells.into_iter().collect();
        cells.sort_by_cached_key(number);
        cells
    }

    /// All combinations of the values of some columns, if they are not too many.
    fn combined(&self, fluent: usize, columns: &[usize]) -> Option<BTreeSet<Place>> {
        let mut all: Vec<Place> = vec![Vec::new()];
        for &column in columns {
            let values = &self.fluents[fluent].columns[column].values;
            if all.len() * values.len() > MOST_COMBINED {
                return None;
            }
            let longer = |place: &Place| -> Vec<Place> {
                values.iter().map(|&value| place.iter().copied().chain([value]).collect()).collect()
            };
            all = all.iter().flat_map(longer).collect();
        }
        Some(all.into_iter().collect())
    }

    /// The places that were seen in facts of a fluent.
    pub(crate) fn places_seen(&self, fluent: usize, columns: &[usize]) -> BTreeSet<Place> {
        self.known
            .iter()
            .filter_map(|&fact| crate::observe::split(fact, &self.terms, &self.fluents))
            .filter(|row| row.fluent == fluent)
            .map(|row| columns.iter().map(|&at| row.values[at]).collect())
            .collect()
    }

    /// How places lie beside each other, as rules join them.
    fn neighbours(
        &self,
        board: &Structure,
        listed: &mut Listed,
        more: &mut dyn FnMut() -> bool,
    ) -> Option<Neighbourhood> {
        let ask = |columns: &BoardColumns<'_>, tables: &mut FixedRows<'_>| adjacent::neighbours(columns, tables, more);
        self.with_columns(board.fluent, &board.inputs, listed, ask).flatten()
    }
}
