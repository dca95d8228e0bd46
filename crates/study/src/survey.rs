//! A closer look at boards: their cells, how these lie beside each other, and which maps of a board change nothing.
//!
//! Cells and neighbours come from the rules (see [`places`] and [`adjacent`]), maps from random games (see [`symmetry`](crate::symmetry)).

use crate::adjacent::{self, BoardColumns, FixedRows, Neighbourhood};
use crate::fixed::Relation;
use crate::form::Column;
use crate::places::{Place, places};
use crate::structure::Structure;
use crate::study::Study;
use crate::symmetry::{self, BoardMap};
use crate::terms::TermId;
use game::{Facts, Limit};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

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

/// The rows of relations that were listed.
pub(crate) type Rows = HashMap<Relation, Option<Rc<Vec<Vec<TermId>>>>>;

impl Study {
    /// Looks for neighbours and symmetries of the boards, with a few states of random games.
    ///
    /// # Errors
    /// When the engine reaches a limit.
    // Old way; goes when the callers have moved to `Study::run`.
    pub fn survey<G: Facts>(&mut self, game: &G, seed: u64, more: &mut dyn FnMut() -> bool) -> Result<(), Limit> {
        self.find_graphs(more);
        self.find_maps(game, seed, more)
    }

    /// The cells of all boards, and their neighbours as long as `more` says yes.
    pub(crate) fn find_graphs(&mut self, more: &mut dyn FnMut() -> bool) {
        let boards: Vec<Structure> = self.boards().cloned().collect();
        self.graphs.clear();
        let mut rows = Rows::default();
        for board in boards {
            let cells = self.cells(board.fluent, &board.inputs, &mut rows);
            let neighbours = self.neighbours(&board, &mut rows, more);
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
        &mut self,
        fluent: usize,
        inputs: &[usize],
        rows: &mut Rows,
        ask: impl FnOnce(&BoardColumns<'_>, &mut FixedRows<'_>) -> T,
    ) -> Option<T> {
        let Study { rules, fixed, terms, fluents, orders, .. } = self;
        let fluent = &fluents[fluent];
        let columns: Vec<&Column> = inputs.iter().map(|&at| &fluent.columns[at]).collect();
        if columns.iter().any(|column| column.path.len() != 1) {
            return None;
        }
        let inputs = columns.iter().map(|column| column.path[0] as usize).collect();
        let board = BoardColumns { name: fluent.name, arity: fluent.arity, inputs, columns, orders };
        let mut tables = FixedRows { rules, fixed, terms, rows: std::mem::take(rows) };
        let answer = ask(&board, &mut tables);
        *rows = tables.rows;
        Some(answer)
    }

    /// The places that facts of a fluent can have in these columns: those that the rules allow, and those that were seen.
    pub(crate) fn cells(&mut self, fluent: usize, columns: &[usize], rows: &mut Rows) -> Vec<Place> {
        let allowed = self.with_columns(fluent, columns, rows, places).flatten();
        let mut cells = self.places_seen(fluent, columns);
        cells.extend(allowed.into_iter().flatten());
        let axes = &self.fluents[fluent].columns;
        let number = |place: &Place| -> Vec<Option<usize>> {
            let at = |(&column, value): (&usize, &TermId)| axes[column].values.iter().position(|other| other == value);
            columns.iter().zip(place).map(at).collect()
        };
        let mut cells: Vec<Place> = cells.into_iter().collect();
        cells.sort_by_cached_key(number);
        cells
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
        &mut self,
        board: &Structure,
        rows: &mut Rows,
        more: &mut dyn FnMut() -> bool,
    ) -> Option<Neighbourhood> {
        let ask = |columns: &BoardColumns<'_>, tables: &mut FixedRows<'_>| adjacent::neighbours(columns, tables, more);
        self.with_columns(board.fluent, &board.inputs, rows, ask).flatten()
    }
}
