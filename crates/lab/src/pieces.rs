//! Games of experiments on other machines: how they get into the queue of a fleet and back, and what a worker does with them.
//!
//! A game is data: which one it is, and its seed. With the same version of the program it is the same game wherever it is played.

use crate::experiments::{roschke, samadi};
use anyhow::{Context, Result, anyhow, bail, ensure};
use fleet::message;
use fleet::queue::{self, Queue, Run};
use game::Cancel;
use host::tournament::fleet_secret;
use platform::{Interrupt, Interrupted};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use terminal::Progress;

/// What a worker keeps ready for the games of experiments.
pub struct Workshop {
    roschke: roschke::Remote,
    samadi: samadi::Remote,
}

impl Workshop {
    /// Nothing is ready yet.
    pub fn new(interrupt: &Interrupt) -> Workshop {
        Workshop { roschke: roschke::Remote::default(), samadi: samadi::Remote::new(interrupt) }
    }

    /// Does a piece of work.
    ///
    /// # Errors
    /// When it cannot be done here: why.
    pub fn work(&self, kind: &str, work: &Value, cancel: &Cancel) -> Result<Value> {
        let done = match kind {
            roschke::KIND => self.roschke.play(work, cancel)?,
            samadi::KIND => self.samadi.play(work, cancel)?,
            other => bail!("there is no work of the kind {other:?} in this version"),
        };
        ensure!(!cancel.is_cancelled(), "it was broken off");
        Ok(done)
    }
}

/// Lets the workers of a fleet play the games of an experiment whose results lie in a folder, and tells of each once; the same command goes on with those that are
/// missing.
///
/// # Errors
/// When there is no such fleet, a game cannot be played, or it was interrupted.
pub fn play<P: DeserializeOwned>(
    url: &str,
    kind: &str,
    folder: &Path,
    games: Vec<Value>,
    cancel: &Cancel,
    mut played: impl FnMut(&Value, P) -> Result<()>,
) -> Result<()> {
    if games.is_empty() {
        return Ok(());
    }
    let queue = Queue::at(url)?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let place = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    let secret = fleet_secret(Some(folder), false)?;
    let name = message::hash(&format!("{kind} {}", place.display()));
    let of = games.len();
    let games: HashMap<String, Value> =
        games.into_iter().map(|game| (message::hash(&format!("{kind} {game}")), game)).collect();
    let work = games.iter().map(|(id, game)| (id.clone(), game.clone())).collect();
    let run = Run { name: &name, kind, secret: &secret, fresh: false };
    let (mut done, mut workers, mut shown) = (0, BTreeSet::new(), Progress::new());
    queue.run(&run, work, cancel, &mut |progress| match progress {
        queue::Progress::Waiting { waiting, at_work } => {
            let workers = workers.len();
            shown.at(|seconds| {
                format!("{workers} workers so far, {at_work} games at hand, {waiting} waiting, {done} of {of} played, {seconds:.0} s")
            });
            Ok(())
        }
        queue::Progress::Done { id, worker, value } => {
            let result = serde_json::from_value(value).with_context(|| format!("what {worker} sent is no result"))?;
            let game = games.get(&id).ok_or_else(|| anyhow!("what {worker} sent is the result of another game"))?;
            played(game, result)?;
            workers.insert(worker);
            done += 1;
            Ok(())
        }
    })?;
    if cancel.is_cancelled() {
        bail!(Interrupted("the games played so far are kept; the same command goes on".to_string()));
    }
    Ok(())
}
