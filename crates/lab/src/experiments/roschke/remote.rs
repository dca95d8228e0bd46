//! The games of this experiment on the workers of a fleet.

use super::cells::{self, Cell};
use super::duel::{Played, play};
use super::{Open, kit};
use crate::args::RoschkeArgs;
use crate::pieces;
use anyhow::{Context, Result, ensure};
use chinese::Kit;
use game::Cancel;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// What this kind of work is called.
pub const KIND: &str = "lab-roschke";

/// A game as it is sent: what tells its number of a table from all others, and which game of it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Sent {
    part: String,
    cell: String,
    quick: bool,
    time_scale: f64,
    number: u64,
    seed: u64,
}

impl Sent {
    /// The cell, from the same tables.
    fn cell(&self) -> Result<Cell> {
        ensure!(self.time_scale > 0.0 && self.time_scale <= 1e6, "its times make no sense");
        let (only, quick, time_scale) = (vec![self.part.clone()], self.quick, self.time_scale);
        let args = RoschkeArgs { only, quick, time_scale, ..RoschkeArgs::default() };
        let found = cells::all(&args).into_iter().find(|cell| cell.id == self.cell);
        found.context("there is no such number in the tables of this version")
    }
}

/// Lets the workers of a fleet play these games.
pub(super) fn play_all(
    url: &str,
    args: &RoschkeArgs,
    folder: &Path,
    open: &[Open<'_>],
    cancel: &Cancel,
    mut keep: impl FnMut(Played) -> Result<()>,
) -> Result<()> {
    let mut games = Vec::new();
    for one in open {
        games.push(serde_json::to_value(Sent {
            part: one.cell.part.to_string(),
            cell: one.cell.id.clone(),
            quick: args.quick,
            time_scale: args.time_scale,
            number: one.number,
            seed: args.seed,
        })?);
    }
    pieces::play(url, KIND, folder, games, cancel, |game, played: Played| {
        let sent: Sent = serde_json::from_value(game.clone())?;
        let fits = (&played.cell, played.number, played.seed) == (&sent.cell, sent.number, sent.seed);
        ensure!(fits && played.winner.is_none_or(|winner| winner < 2), "a worker sent the result of another game");
        keep(played)
    })
}

/// Kits by the memory that their part of the table takes, and whether it must be there.
type Kits = BTreeMap<(Option<u64>, bool), Arc<Kit>>;

/// What a worker keeps ready for it.
#[derive(Default)]
pub struct Remote {
    kits: Mutex<Kits>,
}

impl Remote {
    fn kit(&self, memory: Option<u64>, needs_table: bool) -> Result<Arc<Kit>> {
        let mut kits = self.kits.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kit) = kits.get(&(memory, needs_table)) {
            return Ok(Arc::clone(kit));
        }
        let made = Arc::new(kit(None, memory, needs_table)?);
        Ok(Arc::clone(kits.entry((memory, needs_table)).or_insert(made)))
    }

    /// Plays one game.
    ///
    /// # Errors
    /// When it cannot be played here: why.
    pub fn play(&self, work: &Value, cancel: &Cancel) -> Result<Value> {
        let sent: Sent = serde_json::from_value(work.clone()).context("it is no game of this experiment")?;
        let cell = sent.cell()?;
        let [first, second] = cell.players.each_ref().map(|player| self.kit(player.memory, cell.needs_table()));
        let (first, second) = (first?, second?);
        let played = play([&first, &second], &cell, sent.number, sent.seed, &|| cancel.is_cancelled())?;
        Ok(serde_json::to_value(played.context("it was broken off")?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_plays_the_game_that_is_meant_and_nothing_else() {
        let args = RoschkeArgs { quick: true, time_scale: 0.05, only: vec!["table3".into()], ..RoschkeArgs::default() };
        let cells = cells::all(&args);
        let cell = cells.iter().find(|cell| !cell.needs_table()).expect("some players need no table");
        let sent = |part: &str, id: &str, time_scale: f64| Sent {
            part: part.to_string(),
            cell: id.to_string(),
            quick: true,
            time_scale,
            number: 1,
            seed: 2,
        };
        assert_eq!(sent("table3", &cell.id, 0.05).cell().expect("it is there"), *cell);
        for bad in [sent("table4", &cell.id, 0.05), sent("table3", "x", 0.05), sent("table3", &cell.id, f64::NAN)] {
            assert!(bad.cell().is_err());
        }
        let remote = Remote::default();
        for bad in [serde_json::json!({}), serde_json::json!({ "cell": 1 }), Value::Null] {
            assert!(remote.play(&bad, &Cancel::new()).is_err());
        }
        // Somebody says stop: nothing is made up.
        let cancelled = Cancel::new();
        cancelled.cancel();
        let work = serde_json::to_value(sent("table3", &cell.id, 0.05)).expect("data");
        assert!(remote.play(&work, &cancelled).is_err());
    }
}
