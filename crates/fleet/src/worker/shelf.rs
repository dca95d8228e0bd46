//! What a worker knows of games: the rules by their hash, an engine, what a study found. Learned once for all seats.

use crate::carrier::Carrier;
use crate::message::{self, Bad, Call, RulesText};
use crate::worker::Inside;
use agent::searcher::Knowledge;
use agent::spec::{Method, PlayerSpec};
use agent::{Events, Loading, cache};
use game::Cancel;
use machine::{Engine, Loader};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use study::{Plan, Stage, Study};

/// Games that are kept.
const MOST_KEPT: usize = 16;
/// How long rules are asked for.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long one answer is waited for before the question is asked again.
const ASK_AGAIN: Duration = Duration::from_millis(500);
/// States watched in a study: always as many, so that the same seed finds the same move on every machine.
const WATCHED: u64 = 2_000;
/// Rules that are made into engines at the same time.
const MOST_LOADING: usize = 2;

/// A game that is known.
#[derive(Clone)]
pub struct Known {
    /// What runs it.
    pub engine: Engine,
    /// What else is known of it.
    pub knowledge: Arc<Knowledge>,
}

/// A place for a game: empty until it is known, or until it is known that it cannot be played.
type Place = Arc<Mutex<Option<Result<Known, String>>>>;

/// See the module.
pub struct Shelf {
    games: Mutex<HashMap<String, (Place, u64)>>,
    tables: Option<PathBuf>,
    loading: Arc<Loading>,
}

impl Shelf {
    /// Nothing is known yet. Tables are looked for in this folder; rules may use so many MiB.
    pub fn new(tables: Option<PathBuf>, memory: u32) -> Shelf {
        let loading = Arc::new(Loading::within((memory as usize) << 20, MOST_LOADING));
        Shelf { games: Mutex::default(), tables, loading }
    }

    fn place(&self, hash: &str) -> Place {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = games.values().map(|(_, used)| *used).max().unwrap_or(0);
        if games.len() >= MOST_KEPT && !games.contains_key(hash) {
            let oldest = games.iter().min_by_key(|(_, (_, used))| *used).map(|(hash, _)| hash.clone());
            oldest.map(|hash| games.remove(&hash));
        }
        let (place, used) = games.entry(hash.to_string()).or_default();
        *used = newest + 1;
        Arc::clone(place)
    }

    /// The game of this hash; asked for, read and compiled by whoever comes first, while the others wait.
    ///
    /// # Errors
    /// When nobody has the rules, or they cannot be played within the limits.
    pub fn game(&self, hash: &str, spec: &PlayerSpec, inside: &Inside, cancel: &Cancel) -> Result<Known, String> {
        let place = self.place(hash);
        let mut known = place.lock().unwrap_or_else(PoisonError::into_inner);
        let game = match &*known {
            Some(game) => game.clone()?,
            None => {
                let text = fetch(hash, inside, cancel)?;
                let game = self.make(&text, cancel);
                // What ended because nobody wanted it any more may be wanted again.
                if cancel.is_cancelled() {
                    return game;
                }
                *known = Some(game.clone());
                game?
            }
        };
        if studies(&spec.method) && game.knowledge.study.get().is_none() {
            let mut watched = 0;
            let more = |stage: Stage| match stage {
                Stage::Form | Stage::Learn => !cancel.is_cancelled(),
                Stage::Observe => {
                    watched += 1;
                    watched <= WATCHED && !cancel.is_cancelled()
                }
                Stage::ObserveUncounted | Stage::Neighbours | Stage::Symmetries => false,
            };
            let study = Study::run(&game.knowledge.rules, &game.engine, Plan { seed: 1, ..Plan::play(more) });
            if !cancel.is_cancelled() {
                let _ = game.knowledge.study.set(study);
            }
        }
        Ok(game)
    }

    fn make(&self, text: &str, cancel: &Cancel) -> Result<Known, String> {
        let Some(_turn) = self.loading.turn(cancel) else { return Err("ended".to_string()) };
        let stop = || cancel.is_cancelled();
        let rules = cache::read(text, &gdl::Limits { stop: &stop, memory: self.loading.memory })?;
        let mut loader = Loader::new(&rules).until(cancel);
        loader.limits.memory = loader.limits.memory.min(self.loading.memory);
        loader.budget.memory = loader.budget.memory.min(self.loading.memory);
        let best = loader.best().map_err(|error| format!("the rules cannot be played: {error}"))?;
        let knowledge = Arc::new(Knowledge::new(&rules, self.tables.clone(), &Events::ignored()));
        Ok(Known { engine: best.engine, knowledge })
    }
}

/// Whether players of this kind study the game first.
fn studies(method: &Method) -> bool {
    match method {
        Method::Portfolio(_) | Method::AlphaBeta(_) | Method::Greedy { .. } => true,
        Method::Uct(spec) => spec.heuristic.is_some(),
        _ => false,
    }
}

/// Asks for rules until they come.
fn fetch(hash: &str, inside: &Inside, cancel: &Cancel) -> Result<String, String> {
    let inbox = inside.carrier.listen(&[message::rules(hash)])?;
    let until = Instant::now() + PATIENCE;
    let mut asked: Option<Instant> = None;
    while Instant::now() < until && !cancel.is_cancelled() {
        if asked.is_none_or(|asked| asked.elapsed() >= ASK_AGAIN) {
            let _ = inside.carrier.send(&message::want(hash), message::write(&inside.settings.version, &Call {}));
            asked = Some(Instant::now());
        }
        let Some(mail) = inbox.next(Duration::from_millis(50)) else { continue };
        let Some(RulesText { text }) = inside.read::<RulesText>(&mail) else { continue };
        if message::hash(&text) == hash {
            return Ok(text);
        }
        inside.dropped.count(&Bad::Forged);
    }
    Err("nobody sends the rules".to_string())
}
