//! Chess tables as the oracle of a rulesheet, whose clock may end the game before the mate.
//!
//! The tables know no clock: an outcome there is of chess without draws by counting. Let a side win in `d` plies, and let
//! `n` plies be left until the clock ends the game.
//!
//! - `d <= n`: mate comes in time, along the way of the tables and in no less. *Exact.*
//! - `d > n` and nothing can set the clock back: the loser of the tables can keep off mate for more than `n` plies, so it is a draw.
//!   *Exact.* That is so where the clock counts all plies (`krk`), and where only the loser could take something and what is
//!   then left can win no more.
//! - `d > n` otherwise: a capture or a pawn move may set the clock back in time, or not. The side that wins in the tables
//!   cannot lose, since it can follow the tables until the clock runs out: *at least a draw* for it.
//! - A draw in the tables is a draw under a clock: either side can hold it. *Exact.*

use super::table::{Metric, Outcome, ProbeError, Tables};
use crate::oracle::{self, AskError, Certainty, Description, Distance, Family, Oracle, Value, Verdict};
use native::chess::{Clock, Colour, Kind, Position, Sheet};
use std::sync::Arc;

/// See the module. Values are about white, the first role of all these rulesheets.
pub struct Endings {
    tables: Arc<Tables>,
    sheet: Sheet,
}

impl Endings {
    /// Asks these tables, which must count to mate, about the game of this rulesheet.
    pub fn new(tables: Arc<Tables>, sheet: Sheet) -> Endings {
        Endings { tables, sheet }
    }

    /// The tables.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Which rulesheet.
    pub fn sheet(&self) -> Sheet {
        self.sheet
    }

    /// What is known of a position whose `quiet` is the clock of the rulesheet. Nothing is known of positions that no game
    /// leads to, in which somebody may castle, or that have no table here.
    pub fn verdict(&self, position: &Position) -> Result<Option<Verdict>, ProbeError> {
        if position.fault().is_some() || position.quiet > self.sheet.most() {
            return Ok(None);
        }
        let outcome = match self.tables.probe(position, Metric::Mate) {
            Ok(outcome) => outcome,
            Err(ProbeError::Missing(..) | ProbeError::Material(_) | ProbeError::Castling) => return Ok(None),
            Err(error @ (ProbeError::Damaged(_) | ProbeError::Wrong(..))) => return Err(error),
        };
        let left = self.sheet.most() - position.quiet;
        let (winner, plies) = match outcome {
            Outcome::Draw => return Ok(Some(Verdict::exact(Value::Lead(0), None))),
            Outcome::Win(plies) => (position.turn, plies),
            Outcome::Loss(plies) => (position.turn.other(), plies),
        };
        if u16::from(plies) <= left {
            let lead = if winner == Colour::White { 100 } else { -100 };
            let distance = Distance::exact(u32::from(plies), oracle::Metric::Mate);
            return Ok(Some(Verdict::exact(Value::Lead(lead), Some(distance))));
        }
        let certainty = match winner {
            _ if left == 0 || self.runs_out(position, winner) => Certainty::Exact,
            Colour::White => Certainty::AtLeast,
            Colour::Black => Certainty::AtMost,
        };
        Ok(Some(Verdict { value: Value::Lead(0), certainty, distance: None }))
    }

    /// Whether nothing can set the clock back without giving the win away.
    fn runs_out(&self, position: &Position, winner: Colour) -> bool {
        if self.sheet.clock() == Clock::Steps {
            return true;
        }
        let (own, other) = (position.men[winner as usize], position.of(winner.other()));
        let count = |kind: Kind| own[kind as usize].count_ones();
        let heavy = count(Kind::Queen) + count(Kind::Rook);
        let men = position.of(winner).count_ones() - 1;
        // Whichever man is taken, at most a bishop or a knight is left to the winner.
        other.count_ones() == 1 && count(Kind::Pawn) == 0 && (men == 1 || men == 2 && heavy == 0)
    }
}

impl Oracle for Endings {
    fn ask(&self, facts: &[String]) -> Result<Option<Verdict>, AskError> {
        let Some(position) = self.sheet.read(facts) else {
            let why = format!("these are not the facts of a state of {}", self.sheet.name());
            return Err(AskError::Facts(why));
        };
        self.verdict(&position).map_err(|error| AskError::Table(error.to_string()))
    }

    fn describe(&self) -> Description {
        let names = self.tables.materials().filter(|(_, metric)| *metric == Metric::Mate);
        let names: Vec<String> = names.map(|(material, _)| material.to_string()).collect();
        let name = match names.len() {
            0..=8 => format!("{} ({})", self.sheet.name(), names.join(" ")),
            many => format!("{} ({many} tables)", self.sheet.name()),
        };
        Description { family: Family::Chess, name, metric: oracle::Metric::Mate, roles: 2, goal_sum: Some(100) }
    }
}
