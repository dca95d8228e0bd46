//! Games of a tournament on other machines: what a worker is sent, what it does with that, and what it sends back.
//!
//! A game is data: the rules as text, the players as they are written, the seats, the seeds. With the same version of the program it
//! is the same game wherever it is played, as long as counts and not clocks end the thinking.

use super::one_game::{GameKey, Outcome, ReadyGame};
use super::results::{Played, Results, digest};
use super::{Plan, Progress, Tournament, prepare_games};
use crate::matches::save;
use crate::players::{Players, read};
use agent::PlayerSpec;
use anyhow::{Context, Result, anyhow, bail, ensure};
use fleet::queue::{self, Queue, Run};
use game::Cancel;
use library::Sheet;
use play::MatchRecord;
use play::schedule::Pairing;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// What this kind of work is called.
pub const KIND: &str = "tournament";

/// Games that a worker keeps ready.
const MOST_READY: usize = 16;

/// One game as it is sent.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SentGame {
    game: String,
    rules: String,
    players: (String, String),
    /// Whether the first of the two has each seat.
    first_has: Vec<bool>,
    round: usize,
    start: f64,
    play: f64,
    most: usize,
    seed: u64,
    scramble: bool,
    paired: bool,
    settings: String,
    tournament: Option<String>,
    record: bool,
}

/// What came of one.
#[derive(Serialize, Deserialize)]
struct SentResult {
    played: Played,
    record: Option<MatchRecord>,
    id: String,
}

impl Tournament<'_> {
    fn sent(&self, pairing: &Pairing) -> SentGame {
        let (game, plan) = (&self.games[pairing.game], self.plan);
        let player = |at: usize| self.specs[at].to_string();
        SentGame {
            game: game.sheet.name.clone(),
            rules: game.sheet.text.to_string(),
            players: (player(pairing.players.0), player(pairing.players.1)),
            first_has: pairing.seats.iter().map(|&who| who == pairing.players.0).collect(),
            round: pairing.round,
            start: plan.start,
            play: plan.play,
            most: plan.most,
            seed: plan.seed,
            scramble: plan.scramble,
            paired: self.paired,
            settings: self.settings.clone(),
            tournament: plan.out.as_ref().map(|out| out.display().to_string()),
            record: plan.records && plan.out.is_some(),
        }
    }

    /// Lets the workers of a fleet play these games; each is kept as soon as it is known.
    pub(super) fn play_on_fleet(
        &self,
        queue: &Queue,
        open: &[&Pairing],
        results: &mut Results,
        tell: &mut dyn FnMut(Progress) -> Result<()>,
    ) -> Result<()> {
        for spec in &self.specs {
            fleet::worker::admitted(&spec.to_string(), u32::MAX)
                .map_err(|why| anyhow!("{spec} cannot play on a fleet: {why}"))?;
        }
        let mut keys: HashMap<String, GameKey> = HashMap::new();
        let mut work = Vec::new();
        for pairing in open {
            let key = self.key(pairing);
            let id = digest(&format!("{} {key:?}", self.settings), 12);
            work.push((id.clone(), serde_json::to_value(self.sent(pairing))?));
            keys.insert(id, key);
        }
        let out = self.plan.out.as_deref();
        let folder = out.map(|out| fs::canonicalize(out).unwrap_or_else(|_| out.to_path_buf()).display().to_string());
        let name = match &folder {
            Some(folder) => digest(&format!("{folder} {}", self.settings), 8),
            None => fleet::tokens::name(),
        };
        let fresh = self.plan.fresh || out.is_none();
        let secret = secret(out, self.plan.fresh)?;
        let run = Run { name: &name, kind: KIND, secret: &secret, fresh };
        let (mut done, of) = (0, open.len());
        let mut workers = BTreeSet::new();
        queue.run(&run, work, &self.cancel, &mut |progress| match progress {
            queue::Progress::Waiting { waiting, at_work } => {
                tell(Progress::Fleet { waiting, at_work, workers: workers.len() })
            }
            queue::Progress::Done { id, worker, value } => {
                let result: SentResult =
                    serde_json::from_value(value).with_context(|| format!("what {worker} sent is no result"))?;
                let fits =
                    keys.get(&id).is_some_and(|key| key.is(&result.played)) && result.played.settings == self.settings;
                ensure!(fits, "what {worker} sent is the result of another game");
                if let (Some(record), Some(out)) = (&result.record, out) {
                    let folder = out.join("matches");
                    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
                    ensure!(
                        play::text::word(&result.id) == result.id && !result.id.contains(['/', '\\']),
                        "{} is no name of a match",
                        result.id
                    );
                    save(&folder.join(format!("{}.json", result.id)), record)?;
                }
                results.add(result.played)?;
                workers.insert(worker);
                done += 1;
                tell(Progress::Games { done, of })
            }
        })?;
        Ok(())
    }
}

/// What the secrets of a tournament's games are made from: kept with the results, so that what was played for an earlier run
/// of it counts, and readable for its owner alone.
///
/// # Errors
/// When it cannot be kept.
pub fn secret(out: Option<&Path>, fresh: bool) -> Result<String> {
    let Some(out) = out else { return Ok(fleet::tokens::secret()) };
    let path = out.join("fleet-secret");
    if let Ok(text) = fs::read_to_string(&path)
        && !fresh
    {
        return Ok(text.trim().to_string());
    }
    let secret = fleet::tokens::secret();
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    platform::save_secret(&path, &format!("{secret}\n"))?;
    Ok(secret)
}

/// Plays games that are sent: the side of the worker.
pub struct Sent {
    players: Players,
    /// MiB that a player may use.
    memory: u32,
    ready: Mutex<HashMap<String, Arc<Ready>>>,
}

/// A game that is ready, and players that share its engine.
struct Ready {
    games: Arc<Vec<ReadyGame>>,
    players: Players,
}

impl Sent {
    /// Plays with these players, each within so many MiB.
    pub fn new(players: Players, memory: u32) -> Sent {
        Sent { players, memory, ready: Mutex::default() }
    }

    /// Plays one game.
    ///
    /// # Errors
    /// When it cannot be played here: why.
    pub fn play(&self, work: &Value, cancel: &Cancel) -> Result<Value> {
        let sent: SentGame = serde_json::from_value(work.clone()).context("it is no game of a tournament")?;
        ensure!(sent.first_has.len() <= 255 && sent.rules.len() <= gdl::MAX_BYTES, "it is too large");
        let seconds = |value: f64| value.is_finite() && (0.0..=play::message::LONGEST_CLOCK).contains(&value);
        ensure!(seconds(sent.start) && seconds(sent.play), "its clocks make no sense");
        let alone = sent.players.0 == sent.players.1;
        let mut specs: Vec<PlayerSpec> = vec![self.player(&sent.players.0)?];
        if !alone {
            specs.push(self.player(&sent.players.1)?);
        }
        let plan = Plan {
            games: vec![sent.game.clone()],
            players: specs.iter().map(PlayerSpec::to_string).collect(),
            rounds: 1,
            gauntlet: false,
            start: sent.start,
            play: sent.play,
            parallel: 1,
            scramble: sent.scramble,
            seed: sent.seed,
            most: sent.most,
            out: None,
            records: false,
            fresh: false,
        };
        let ready = self.ready(&sent, &plan, cancel)?;
        for spec in &specs {
            ready.players.ready(spec, &ready.games[0].rules, cancel)?;
        }
        let seats = sent.first_has.iter().map(|&first| if first || alone { 0 } else { 1 }).collect();
        let pairing = Pairing { game: 0, players: (0, usize::from(!alone)), round: sent.round, seats };
        let open = ready.games[0].open.iter().filter(|open| **open).count();
        ensure!(pairing.seats.len() == open, "the game has another number of roles");
        let tournament = Tournament {
            plan: &plan,
            games: Arc::clone(&ready.games),
            places: specs.iter().map(|_| None).collect(),
            specs,
            players: ready.players.clone(),
            settings: sent.settings.clone(),
            busy: Default::default(),
            paired: sent.paired,
            cancel: cancel.clone(),
        };
        let mut kept: Option<(String, MatchRecord)> = None;
        let outcome = tournament.play_kept(&pairing, &Cancel::new(), sent.tournament.clone(), &mut |id, record| {
            kept = Some((id.to_string(), record.clone()));
            Ok(())
        })?;
        let (id, record) = kept.unwrap_or_default();
        match outcome {
            Outcome::Played(played) => {
                let record = sent.record.then_some(record);
                Ok(serde_json::to_value(SentResult { played: *played, record, id })?)
            }
            Outcome::PlayerBusy(why) => bail!("a player is busy: {why}"),
            Outcome::Cancelled => bail!("broken off"),
        }
    }

    /// A player of a game, if it is one that a worker plays.
    fn player(&self, text: &str) -> Result<PlayerSpec> {
        let spec = read(text)?;
        fleet::worker::admitted(text, self.memory).map_err(anyhow::Error::msg)?;
        ensure!(
            spec.limits.memory <= self.memory,
            "{spec} wants {} MiB, and this worker gives {} (`ludens worker --memory`)",
            spec.limits.memory,
            self.memory
        );
        Ok(spec)
    }

    /// The game, made ready by whoever comes first.
    fn ready(&self, sent: &SentGame, plan: &Plan, cancel: &Cancel) -> Result<Arc<Ready>> {
        let key = digest(&format!("{} {} {}", sent.game, sent.scramble, sent.rules), 16);
        let known = || self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ready) = known().get(&key) {
            return Ok(Arc::clone(ready));
        }
        // The name may be that of a game of ours, or a path elsewhere: no file is opened here.
        let entry = library::find(&sent.game).filter(|entry| entry.rules == sent.rules);
        let sheet = match entry {
            Some(entry) => Sheet::of(entry),
            None => Sheet::read(sent.game.clone(), sent.rules.as_bytes())?,
        };
        let rules = sheet.rules()?;
        let (games, players) = prepare_games(plan, vec![(sheet, rules)], &[], &self.players, cancel)?;
        let ready = Arc::new(Ready { games: Arc::new(games), players });
        let mut all = known();
        if all.len() >= MOST_READY {
            all.clear();
        }
        all.insert(key, Arc::clone(&ready));
        Ok(ready)
    }
}
