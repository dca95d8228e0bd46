//! The player of a fleet: a searcher that lets a crew search, and chooses among what it finds.
//!
//! It has a legal move from the first moment on, and what the crew has found so far whenever somebody asks. When the time is over the
//! crew is told to stop; last words are waited for only for a moment. Where no worker is heard of, it searches by itself.

use crate::asking::Asking;
use crate::carrier::{Both, Carrier};
use crate::connection::Connection;
use crate::crew::{Crew, CrewSettings, Standing, Told, heuristic_of};
use crate::hub::Hub;
use crate::merge::{Opinion, Records, choose};
use crate::message::Report;
use crate::nats::Nats;
use crate::worker::{Worker, WorkerSettings};
use agent::searcher::{Fleets, Knowledge};
use agent::spec::{Crew as Does, FleetSpec, Method, PlayerSpec};
use agent::{Event, Events};
use game::random::Rng;
use game::{Game, Limit, Move, Names, Role, roles};
use machine::{Engine, State};
use play::Disguise;
use search::uct::Uct;
use search::{Budget, Choice, Found, Monitor, Searcher, first_moves, rank, without_choice};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use study::{Plan, Stage, Study};

/// How often the crew is looked at.
pub(crate) const LOOK: Duration = Duration::from_millis(10);
/// How long workers are waited for before the first question that is counted.
const GATHERING: Duration = Duration::from_millis(1_300);
/// The steps of a line that are told.
const LINE: usize = 16;
/// A heuristic that goes less well with the ends of random games than so much of the best one is worth as much as this.
const LITTLE: f64 = 0.01;
/// States watched to find the heuristics that are shared out.
const WATCHED: u64 = 2_000;

/// Makes the searchers of fleets. Connections, and the workers of this program, are kept from one match to the next.
pub fn fleets(tables: Option<PathBuf>) -> Fleets {
    let dock = Arc::new(Dock { tables, nats: Mutex::default(), resting: Mutex::default() });
    Arc::new(move |spec, _, knowledge| {
        let Method::Fleet(fleet) = &spec.method else { return Err("it is another kind of player".to_string()) };
        Ok(Box::new(FleetSearcher {
            dock: Arc::clone(&dock),
            spec: spec.clone(),
            fleet: fleet.clone(),
            knowledge: Arc::clone(knowledge),
            records: Records::default(),
            alone: None,
        }))
    })
}

/// What the fleets of a program share.
struct Dock {
    tables: Option<PathBuf>,
    /// Connections by their addresses.
    nats: Mutex<HashMap<String, Arc<Nats>>>,
    /// Workers of this program that nobody uses at the moment.
    resting: Mutex<Vec<Own>>,
}

/// Workers of this program.
struct Own {
    hub: Hub,
    worker: Worker,
}

impl Dock {
    /// The connection to a server, made by whoever comes first.
    fn nats(&self, url: &str) -> Result<Arc<Nats>, String> {
        let mut known = lock(&self.nats);
        if let Some(nats) = known.get(url) {
            return Ok(Arc::clone(nats));
        }
        let connection = Connection::from_environment(Some(url)).map_err(|error| format!("{error:#}"))?;
        let nats = Nats::connect_when_there(&connection, "ludens player").map_err(|error| format!("{error:#}"))?;
        let nats = Arc::new(nats);
        known.insert(url.to_string(), Arc::clone(&nats));
        Ok(nats)
    }

    /// Workers of this program with so many seats.
    fn own(&self, seats: u32) -> Result<Own, String> {
        let mut resting = lock(&self.resting);
        if let Some(at) = resting.iter().position(|own| own.worker.presence().seats == seats) {
            return Ok(resting.swap_remove(at));
        }
        drop(resting);
        let hub = Hub::default();
        let settings = WorkerSettings { tables: self.tables.clone(), ..WorkerSettings::new("this program", seats) };
        let worker = Worker::start(Arc::new(hub.clone()), settings)?;
        Ok(Own { hub, worker })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The crews of a match, by the roles that they think for: whoever plays against a person may have several.
type Crews = Mutex<HashMap<u8, Arc<Manned>>>;

/// The crew of a match, and the workers of this program that are part of it.
struct Manned {
    /// Dropped first: it tells the workers that the match is over.
    crew: Option<Crew>,
    own: Option<Own>,
    dock: Arc<Dock>,
    /// What the votes of heuristics are worth.
    trust: HashMap<String, f64>,
}

impl Manned {
    fn crew(&self) -> Result<&Crew, String> {
        self.crew.as_ref().ok_or_else(|| "the match is over".to_string())
    }

    /// What the vote of a worker is worth that searches like this.
    fn trust(&self, player: &str) -> f64 {
        heuristic_of(player).and_then(|name| self.trust.get(name)).copied().unwrap_or(1.0)
    }
}

impl Drop for Manned {
    fn drop(&mut self) {
        drop(self.crew.take());
        if let Some(own) = self.own.take() {
            lock(&self.dock.resting).push(own);
        }
    }
}

/// See the module.
struct FleetSearcher {
    dock: Arc<Dock>,
    spec: PlayerSpec,
    fleet: FleetSpec,
    knowledge: Arc<Knowledge>,
    records: Records,
    /// Searches where there is no worker.
    alone: Option<Box<dyn Searcher<Engine>>>,
}

impl FleetSearcher {
    /// The crew of the match: found by whoever comes first, shared by all sessions.
    fn manned(&self, game: &Engine, role: Role, budget: &Budget<'_>) -> Result<Arc<Manned>, String> {
        let crews = Arc::clone(self.knowledge.crew.get_or_init(|| Arc::new(Crews::default())));
        let crews = crews.downcast::<Crews>().map_err(|_| "another kind of crew is there")?;
        let mut crews = lock(&crews);
        if let Some(manned) = crews.get(&role.0) {
            return Ok(Arc::clone(manned));
        }
        let seats = match (self.fleet.threads, &self.fleet.url) {
            (Some(threads), _) => threads,
            (None, Some(_)) => 1,
            (None, None) => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let own = if seats > 0 { Some(self.dock.own(seats as u32)?) } else { None };
        let carrier: Arc<dyn Carrier> = match (&own, &self.fleet.url) {
            (Some(own), None) => Arc::new(own.hub.clone()),
            (Some(own), Some(url)) => Arc::new(Both(own.hub.clone(), self.dock.nats(url)?)),
            (None, Some(url)) => self.dock.nats(url)?,
            (None, None) => return Err("there are neither threads nor machines to think with".to_string()),
        };
        self.tell_unconnected();
        let heuristics = self.heuristics(game, role, budget);
        let trust = trust(&heuristics);
        let settings = CrewSettings {
            spec: self.spec.clone(),
            rules: Disguise::new(&self.knowledge.rules, None).rules().to_string(),
            role: game.role_name(role).to_string(),
            seed: self.spec.seed.unwrap_or(budget.seed),
            heuristics: heuristics.into_iter().map(|(name, _)| name).collect(),
            version: crate::VERSION.to_string(),
            events: self.knowledge.events.clone(),
        };
        let crew = Some(Crew::start(carrier, settings)?);
        let manned = Manned { crew, own, dock: Arc::clone(&self.dock), trust };
        Ok(Arc::clone(crews.entry(role.0).or_insert(Arc::new(manned))))
    }

    /// Says that there is no connection yet, and why, as far as that is known.
    fn tell_unconnected(&self) {
        let Some(url) = &self.fleet.url else { return };
        let Some(nats) = lock(&self.dock.nats).get(url).cloned().filter(|nats| !nats.is_connected()) else { return };
        let why = nats.trouble().map(|why| format!(" ({why})")).unwrap_or_default();
        let what =
            format!("there is no connection to {url} yet{why}; the workers of this program think alone until there is");
        self.knowledge.events.tell(&Event::Fleet { what });
    }

    /// The heuristics that are shared out, all that a study finds, and how their values go with the ends of random games: the best first, so that
    /// few workers have the best.
    fn heuristics(&self, game: &Engine, role: Role, budget: &Budget<'_>) -> Vec<(String, f32)> {
        if self.fleet.crew != Does::Heuristics {
            return Vec::new();
        }
        let study = self.knowledge.study.get_or_init(|| {
            let mut watched = 0;
            let more = |stage: Stage| match stage {
                Stage::Form | Stage::Learn => true,
                Stage::Observe => {
                    watched += 1;
                    watched <= WATCHED
                }
                Stage::ObserveUncounted | Stage::Neighbours | Stage::Symmetries => false,
            };
            Study::run(&self.knowledge.rules, game, Plan { seed: 1, ..Plan::play(more) })
        });
        let mut found = study.evaluators(game, role);
        // What could not be written into a description is left out.
        found.retain(|named| !named.name.contains([',', '=']));
        let evaluators: Vec<_> = found.iter().map(|named| named.evaluator.clone()).collect();
        let ranking = rank(game, &evaluators, &game.start(), role, budget).unwrap_or_default();
        let mut worth = vec![0.0; found.len()];
        ranking.into_iter().for_each(|(which, correlation)| worth[which] = correlation);
        let mut heuristics: Vec<(String, f32)> = found.into_iter().map(|named| named.name).zip(worth).collect();
        heuristics.sort_by(|a, b| b.1.total_cmp(&a.1));
        heuristics
    }

    /// Searches without anybody's help.
    fn search_alone(
        &mut self,
        game: &Engine,
        state: &State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        let searcher = self.alone.get_or_insert_with(|| Box::new(Uct::default()));
        searcher.search(game, state, role, budget, monitor)
    }

    /// Asks the crew, and listens until the time is over or all has been said. An error if there is nobody.
    fn ask(
        &mut self,
        manned: &Manned,
        game: &Engine,
        state: &State,
        moves: &[Move],
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, String> {
        let crew = manned.crew()?;
        let words: HashMap<String, Move> = moves.iter().map(|&mv| (game.move_text(mv), mv)).collect();
        let asking = Asking::begin(crew, game.facts(state), budget, monitor, |told: &[Told]| {
            let heard = told.iter().filter_map(|told| {
                let found = in_moves(told, moves, &words)?;
                Some(Opinion { player: told.player.clone(), found, trust: manned.trust(&told.player) })
            });
            let opinions: Vec<Opinion> = heard.collect();
            let found = choose(self.fleet.choose, &opinions, &self.records, &mut Rng::new(budget.seed));
            (opinions, found)
        });
        let (told, opinions, found) = asking.listen();
        let mut found = found.ok_or("no worker has found a move")?;
        self.records.note(&opinions, found.value);
        found.line = line(game, state, &told, found.mv);
        Ok(found)
    }
}

/// What the votes of heuristics are worth, from how their values go with the ends of random games: as the square of that, in parts of the best.
fn trust(heuristics: &[(String, f32)]) -> HashMap<String, f64> {
    let most = heuristics.first().map_or(0.0, |best| f64::from(best.1));
    let worth = |correlation: f32| match most > 0.0 {
        true => (f64::from(correlation).max(LITTLE * most) / most).powi(2),
        false => 1.0,
    };
    heuristics.iter().map(|(name, correlation)| (name.clone(), worth(*correlation))).collect()
}

/// The seconds that are left.
pub(crate) fn left(budget: &Budget<'_>) -> Option<f64> {
    budget.seconds.map(|seconds| f64::from(seconds) * f64::from(1.0 - (budget.spent)()).max(0.0))
}

/// What somebody told, in moves of our engine; whatever is not legal here was not told.
fn in_moves(told: &Told, moves: &[Move], words: &HashMap<String, Move>) -> Option<Found> {
    let Report { best, value, proven, depth, nodes, playouts, moves: heard, .. } = &told.report;
    let mv = words.get(best.as_ref()?).copied()?;
    let blank = |&mv: &Move| Choice { mv, value: 0.0, visits: 0, proven: false, share: 0.0 };
    let mut choices: Vec<Choice> = moves.iter().map(blank).collect();
    let places: HashMap<Move, usize> = moves.iter().enumerate().map(|(at, &mv)| (mv, at)).collect();
    for one in heard {
        if let Some(&at) = words.get(&one.mv).and_then(|mv| places.get(mv)) {
            let (value, visits, proven, share) = (one.value, one.visits, one.proven, one.share);
            choices[at] = Choice { mv: choices[at].mv, value, visits, proven, share };
        }
    }
    let (value, proven, depth, nodes, playouts) = (*value, *proven, *depth, *nodes, *playouts);
    Some(Found { mv: Some(mv), value, proven, depth, nodes, playouts, line: Vec::new(), moves: choices })
}

/// The line of whoever looked deepest among those who would make this move, as far as it is legal.
fn line(game: &Engine, state: &State, told: &[Told], mv: Option<Move>) -> Vec<Vec<Move>> {
    let text = mv.map(|mv| game.move_text(mv));
    let own = told.iter().filter(|told| told.report.best == text).max_by_key(|told| told.report.depth);
    let mut line = Vec::new();
    let (mut state, mut view) = (state.clone(), game.view());
    for texts in own.iter().flat_map(|told| &told.report.line).take(LINE) {
        if game.look(&state, &mut view).is_err() || game.over(&view) || texts.len() != game.roles() {
            break;
        }
        let joint = roles(game).zip(texts).map(|(role, text)| game.legal_move(&view, role, text));
        let Some(joint) = joint.collect::<Option<Vec<Move>>>() else { break };
        let mut next = state.clone();
        if game.play(&mut view, &joint, &mut next).is_err() {
            break;
        }
        state = next;
        line.push(joint);
    }
    line
}

/// Says once that nobody helps.
fn tell_alone(events: &Events, why: &str) {
    events.tell(&Event::Fleet { what: format!("{why}; the player searches by itself") });
}

impl Searcher<Engine> for FleetSearcher {
    fn search(
        &mut self,
        game: &Engine,
        state: &State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        let moves = first_moves(game, state, role, &mut game.view(), monitor)?;
        if moves.len() < 2 {
            return Ok(without_choice(&moves, monitor));
        }
        let manned = self.manned(game, role, budget);
        match manned.and_then(|manned| self.ask(&manned, game, state, &moves, budget, monitor)) {
            Ok(found) => {
                monitor.finish(&found);
                Ok(found)
            }
            Err(why) => {
                if self.alone.is_none() {
                    tell_alone(&self.knowledge.events, &why);
                }
                self.search_alone(game, state, role, budget, monitor)
            }
        }
    }

    /// Gathers the crew, and lets it get ready.
    fn prepare(&mut self, game: &Engine, state: &State, role: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        let Ok(manned) = self.manned(game, role, budget) else { return Ok(()) };
        let Ok(crew) = manned.crew() else { return Ok(()) };
        let began = Instant::now();
        let is_counted = budget.nodes.is_some() || budget.playouts.is_some();
        // Everybody is to begin together where the same numbers are to give the same moves.
        let is_gathered = |standing: Standing| match self.fleet.workers {
            Some(workers) => standing.alive >= workers,
            None => began.elapsed() > GATHERING && standing.alive == standing.seats && standing.alive > 0,
        };
        while is_counted && (budget.spent)() < 1.0 && !is_gathered(crew.standing(0)) {
            crew.wait(LOOK);
        }
        let turn = crew.think(game.facts(state), budget.seed, left(budget), true);
        while (budget.spent)() < 1.0 {
            let Standing { alive, finished, .. } = crew.standing(turn);
            if is_counted && alive > 0 && alive == finished {
                break;
            }
            crew.wait(LOOK);
        }
        crew.stop(turn);
        let Standing { seats, alive, .. } = crew.standing(turn);
        let what = format!("{alive} of {seats} workers are ready");
        self.knowledge.events.tell(&Event::Fleet { what });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::trust;

    #[test]
    fn heuristics_are_trusted_as_they_go_with_random_games() {
        let of = |worth: &[f32]| {
            let named: Vec<(String, f32)> = worth.iter().map(|&worth| (worth.to_string(), worth)).collect();
            let trust = trust(&named);
            worth.iter().map(|worth| trust[&worth.to_string()]).collect::<Vec<f64>>()
        };
        let found = of(&[0.5, 0.25, -0.3]);
        assert_eq!(found[..2], [1.0, 0.25]);
        assert!(found[2] > 0.0 && found[2] < 0.001, "{found:?}");
        // Where nothing is known of any of them all are worth the same.
        assert_eq!(of(&[0.0, -0.5]), [1.0, 1.0]);
    }
}
