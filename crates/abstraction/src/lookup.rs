//! Lookups: a position's image looked up in the table of the smaller game, on one scale for all of them.
//!
//! What a lookup says is worth between -1 and 1 to the first role (red, white): a win in n moves 1 − n/128, a loss the negative of it, a draw
//! 0; and of pieces that go home alone every move costs its side 1/128. So one move weighs the same everywhere, and what a lookup is worth beside the others is
//! left to its weight. A position without an image, or one that the table does not have, is [`Absent`].

use crate::projection::{Absent, Duel, Lone, Men, Projection};
use native::chess::{Colour, Position};
use native::chinese::State;
use std::sync::Arc;
use table::chess::{Metric, Outcome as Ending, Tables};
use table::chinese::versus::{Outcome, Versus};
use table::chinese::{Distance, Distances};

/// What one move is worth.
pub const MOVE: f32 = 1.0 / 128.0;

/// Asks the table of a smaller game about positions of a game.
pub trait Lookup<S>: Send + Sync {
    /// What the image of the position is worth to the first role, from -1 to 1, or why nothing can be said.
    fn worth(&self, state: &S) -> Result<f32, Absent>;

    /// What is looked up.
    fn describe(&self) -> String;
}

/// Some pieces of red against some of blue.
pub struct DuelLookup {
    projection: Duel,
    table: Arc<Versus>,
}

impl DuelLookup {
    /// Asks this table; it must be one of as many pieces on as large a board, in either order.
    pub fn new(projection: Duel, table: Arc<Versus>) -> Result<DuelLookup, Absent> {
        let (spec, [red, blue]) = (table.space().spec(), projection.counts());
        if spec.side != projection.side() || spec.pieces != [red.max(blue), red.min(blue)] {
            return Err(Absent(format!(
                "the table {} is not of {red} against {blue} pieces on {} rows",
                spec.name(),
                projection.side()
            )));
        }
        Ok(DuelLookup { projection, table })
    }
}

/// The worth of a win or a loss so far away to the side to move.
fn decided(won: bool, plies: u8) -> f32 {
    let worth = 1.0 - f32::from(plies.div_ceil(2)) * MOVE;
    if won { worth } else { -worth }
}

impl Lookup<State> for DuelLookup {
    fn worth(&self, state: &State) -> Result<f32, Absent> {
        let image = self.projection.image(state)?;
        let found = self.table.outcome(image.pieces, image.turn.into());
        let to_mover = match found.map_err(|error| Absent(error.to_string()))? {
            Some(Outcome::Win(plies)) => decided(true, plies),
            Some(Outcome::Loss(plies)) => decided(false, plies),
            Some(Outcome::Draw) => 0.0,
            Some(Outcome::Both) => return Err(Absent("both goals are filled".into())),
            None => return Err(Absent(format!("not in the table {}", self.table.space().spec().name()))),
        };
        Ok(if state.turn == 0 { to_mover } else { -to_mover })
    }

    fn describe(&self) -> String {
        self.projection.describe()
    }
}

/// Some pieces of one side alone.
pub struct LoneLookup {
    projection: Lone,
    table: Arc<Distances>,
}

impl LoneLookup {
    /// Asks this table, which must be that of the projection.
    pub fn new(projection: Lone, table: Arc<Distances>) -> Result<LoneLookup, Absent> {
        if table.space().spec() != projection.spec() {
            let (found, wanted) = (table.space().spec().name(), projection.spec().name());
            return Err(Absent(format!("the table {found} is not {wanted}")));
        }
        Ok(LoneLookup { projection, table })
    }
}

impl Lookup<State> for LoneLookup {
    fn worth(&self, state: &State) -> Result<f32, Absent> {
        let image = self.projection.image(state)?;
        let moves = match self.table.distance(image).map_err(|error| Absent(error.to_string()))? {
            Distance::Moves(moves) | Distance::AtMost(moves) => moves,
            Distance::Never => return Err(Absent("the goal cannot be reached".into())),
            Distance::Absent => return Err(Absent(format!("not in the table {}", self.table.space().spec().name()))),
        };
        let cost = f32::from(moves) * MOVE;
        Ok(if self.projection.kept().player() == 0 { -cost } else { cost })
    }

    fn describe(&self) -> String {
        self.projection.describe()
    }
}

/// Some men of a chess position.
pub struct MenLookup {
    projection: Men,
    tables: Arc<Tables>,
}

impl MenLookup {
    /// Asks these tables for plies to mate.
    pub fn new(projection: Men, tables: Arc<Tables>) -> MenLookup {
        MenLookup { projection, tables }
    }
}

impl Lookup<Position> for MenLookup {
    fn worth(&self, position: &Position) -> Result<f32, Absent> {
        let image = self.projection.image(position)?;
        let found = self.tables.probe(&image, Metric::Mate).map_err(|error| Absent(error.to_string()))?;
        let to_mover = match found {
            Ending::Win(plies) => decided(true, plies),
            Ending::Loss(plies) => decided(false, plies),
            Ending::Draw => 0.0,
        };
        Ok(if position.turn == Colour::White { to_mover } else { -to_mover })
    }

    fn describe(&self) -> String {
        self.projection.describe()
    }
}
