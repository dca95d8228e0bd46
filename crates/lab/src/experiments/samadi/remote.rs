//! The games of this experiment in Chinese checkers on the workers of a fleet.

use super::{Contest, Mind, Open, Played, Stage, Tables, mind, named, play_one, stage};
use super::{FACING, TABLE_SEARCH};
use crate::args::{Rule, SamadiArgs};
use crate::pieces;
use anyhow::{Context, Result, ensure};
use game::Cancel;
use platform::Interrupt;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// What this kind of work is called.
pub const KIND: &str = "lab-samadi";
/// The deepest search that a worker accepts.
const DEEPEST: u32 = 20;

/// A game as it is sent.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Sent {
    player: String,
    opponent: String,
    depth: u32,
    opening: u64,
    side: usize,
    rule: Rule,
    seed: u64,
}

impl Sent {
    /// Whether it can be played: by evaluations that the program knows. No file is opened because of a message.
    fn check(&self) -> Result<()> {
        let is_known = |name: &str| name == FACING || name == TABLE_SEARCH || named(name).is_some();
        ensure!(is_known(&self.player) && is_known(&self.opponent), "this version has no such evaluation");
        ensure!((1..=DEEPEST).contains(&self.depth) && self.side < 2, "its depth or its side makes no sense");
        Ok(())
    }

    fn is(&self, played: &Played) -> bool {
        let Played { player, opponent, depth, opening, side, rule, seed, .. } = played.clone();
        *self == Sent { player, opponent, depth, opening, side, rule, seed }
    }
}

/// Lets the workers of a fleet play these games.
pub(super) fn play_all(
    url: &str,
    args: &SamadiArgs,
    folder: &Path,
    contests: &[Contest],
    open: &[Open],
    cancel: &Cancel,
    mut keep: impl FnMut(Played) -> Result<()>,
) -> Result<()> {
    let mut games = Vec::new();
    for one in open {
        let Contest { player, opponent, depth } = contests[one.contest].clone();
        let (opening, side, rule, seed) = (one.opening, one.side, args.rule, args.seed);
        games.push(serde_json::to_value(Sent { player, opponent, depth, opening, side, rule, seed })?);
    }
    pieces::play(url, KIND, folder, games, cancel, |game, played: Played| {
        let sent: Sent = serde_json::from_value(game.clone())?;
        ensure!(sent.is(&played), "a worker sent the result of another game");
        keep(played)
    })
}

/// What a worker keeps ready for it.
pub struct Remote {
    interrupt: Interrupt,
    ready: Mutex<Ready>,
}

#[derive(Default)]
struct Ready {
    tables: Option<Tables>,
    stages: Vec<(Rule, Arc<Stage>)>,
    minds: HashMap<(bool, String), Arc<Mind>>,
}

impl Remote {
    /// Nothing is ready yet; building tables ends with the program.
    pub fn new(interrupt: &Interrupt) -> Remote {
        Remote { interrupt: interrupt.clone(), ready: Mutex::default() }
    }

    /// What a game needs. Whoever comes first makes it, and the others wait.
    fn ready(&self, sent: &Sent) -> Result<(Arc<Stage>, [Arc<Mind>; 2])> {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let Ready { tables, stages, minds } = &mut *ready;
        let own = match stages.iter().find(|(rule, _)| *rule == sent.rule) {
            Some((_, stage)) => Arc::clone(stage),
            None => {
                let made = Arc::new(stage(sent.rule)?);
                stages.push((sent.rule, Arc::clone(&made)));
                made
            }
        };
        let tables = match tables {
            Some(tables) => tables,
            None => tables.insert(Tables::new(None)?),
        };
        let mut one = |name: &str| -> Result<Arc<Mind>> {
            let key = (sent.rule == Rule::Home, name.to_string());
            if let Some(mind) = minds.get(&key) {
                return Ok(Arc::clone(mind));
            }
            let made = Arc::new(mind(name, &own, tables, &self.interrupt, &mut std::io::sink())?);
            minds.insert(key, Arc::clone(&made));
            Ok(made)
        };
        let minds = [one(&sent.player)?, one(&sent.opponent)?];
        Ok((own, minds))
    }

    /// Plays one game.
    ///
    /// # Errors
    /// When it cannot be played here: why.
    pub fn play(&self, work: &Value, cancel: &Cancel) -> Result<Value> {
        let sent: Sent = serde_json::from_value(work.clone()).context("it is no game of this experiment")?;
        sent.check()?;
        let (stage, [player, opponent]) = self.ready(&sent)?;
        let contest = Contest { player: sent.player.clone(), opponent: sent.opponent.clone(), depth: sent.depth };
        let (place, how) = ((sent.opening, sent.side), (sent.rule, sent.seed));
        let played = play_one(&stage, &contest, [&player, &opponent], place, how, cancel)?;
        ensure!(!cancel.is_cancelled(), "it was broken off");
        Ok(serde_json::to_value(played)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_know_evaluations_by_name_and_open_no_file() {
        let remote = Remote::new(&Interrupt::default());
        let sent = |player: &str, depth: u32, side: usize| Sent {
            player: player.to_string(),
            opponent: "baseline".to_string(),
            depth,
            opening: 0,
            side,
            rule: Rule::Filled,
            seed: 1,
        };
        assert!(sent("pdb4", 3, 1).check().is_ok());
        for bad in [sent("/etc/passwd.json", 3, 0), sent("pdb4", 21, 0), sent("pdb4", 0, 0), sent("pdb4", 3, 2)] {
            let work = serde_json::to_value(bad).expect("data");
            assert!(remote.play(&work, &Cancel::new()).is_err(), "{work}");
        }
        assert!(remote.play(&Value::Null, &Cancel::new()).is_err());
    }
}
