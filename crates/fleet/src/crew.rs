//! The workers of one match, as the player sees them: found, given seats, told what to think about, listened to. Whoever is
//! silent is left out until it is heard of again; whoever comes later gets the question at hand.

use crate::carrier::{Carrier, Inbox, Mail};
use crate::message::{
    self, Bad, Call, Command, Dropped, DroppedCounts, Finding, News, Order, Presence, Recruit, Report, RulesText,
};
use crate::pool::Pool;
use crate::tokens;
use agent::spec::{Crew as Does, FleetSpec, Method, PlayerSpec};
use agent::{Event, Events};
use game::Cancel;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often the crew hears that the player is there.
const BEAT: Duration = Duration::from_millis(500);
/// A question that somebody has not answered is asked again after so long.
const ASK_AGAIN: Duration = Duration::from_secs(1);
/// A seat that was not heard of for so long is left out.
const SILENT: Duration = Duration::from_secs(2);
/// A seat that was given to somebody who never answered is given up.
const UNANSWERED: Duration = Duration::from_secs(3);
/// A seat that was silent for so long will not come back.
const GONE: Duration = Duration::from_secs(30);
/// Where clocks decide, trees are told what all have gained after so long; where there are more than so many, as many times as long.
const PACE: (Duration, usize) = (Duration::from_millis(250), 32);
/// Where random games are counted, all are waited for before trees are told what they have gained: such a part of the time for a move, and no less and no
/// longer than so many seconds.
const PATIENCE: (f64, f64, f64) = (0.05, 0.02, 5.0);
/// How long a worker that refused is not asked again.
const REFUSED: Duration = Duration::from_secs(30);

/// What a crew is for.
pub struct CrewSettings {
    /// The player, with what each worker may spend.
    pub spec: PlayerSpec,
    /// The rules as text.
    pub rules: String,
    /// For whom they think.
    pub role: String,
    /// Makes the choices of the workers repeatable; each gets a seed of its own made from it.
    pub seed: u64,
    /// The heuristics that are shared out, by their names; the first seats get the first ones.
    pub heuristics: Vec<String>,
    /// The version of the program.
    pub version: String,
    /// Where events go.
    pub events: Events,
}

/// See the module. The workers are free again when it is dropped.
pub struct Crew {
    inside: Arc<Inside>,
    thread: Option<JoinHandle<()>>,
}

struct Inside {
    carrier: Arc<dyn Carrier>,
    settings: CrewSettings,
    fleet: FleetSpec,
    id: String,
    key: String,
    hash: String,
    dropped: Dropped,
    cancel: Cancel,
    now: Mutex<Now>,
    changed: Condvar,
}

#[derive(Default)]
struct Now {
    /// The number of the last order.
    count: u64,
    turn: u64,
    /// The question at hand, for those who come late, and when it was asked.
    question: Option<(Command, Instant)>,
    /// What trees have gained and not been told yet.
    pool: Pool,
    seats: BTreeMap<u32, Seat>,
    next_seat: u32,
    /// Workers that are not asked before then.
    refused: HashMap<String, Instant>,
    /// Who was complained about.
    told: HashSet<String>,
}

/// One seat.
struct Seat {
    worker: String,
    key: String,
    player: String,
    /// Whether it grows a tree and exchanges what that gains.
    grows: bool,
    /// It was waited for in vain, and has told of no gains since.
    is_late: bool,
    given: Instant,
    /// The number of its last finding, and when that came.
    count: u64,
    heard: Option<Instant>,
    is_ready: bool,
    report: Option<Report>,
}

impl Now {
    /// How many grow trees together.
    fn trees(&self) -> u32 {
        self.seats.values().filter(|seat| seat.grows && seat.is_alive()).count() as u32
    }
}

impl Seat {
    fn is_alive(&self) -> bool {
        self.is_ready && self.heard.is_some_and(|heard| heard.elapsed() < SILENT)
    }

    /// Whether it has told its last word on a question.
    fn has_finished(&self, turn: u64) -> bool {
        self.report.as_ref().is_some_and(|report| report.is_last && report.turn >= turn)
    }
}

/// What one seat has found.
#[derive(Clone, Debug)]
pub struct Told {
    /// The seat.
    pub seat: u32,
    /// How it searches.
    pub player: String,
    /// What it found.
    pub report: Report,
}

/// How far a crew is with a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    /// Seats that were given, and not given up.
    pub seats: usize,
    /// Seats that are ready and were heard of a moment ago.
    pub alive: usize,
    /// Of these, the ones that have told their last word on the question.
    pub finished: usize,
}

impl Crew {
    /// Begins to look for workers.
    ///
    /// # Errors
    /// When nobody can be listened to, or the rules are too large to be sent.
    pub fn start(carrier: Arc<dyn Carrier>, settings: CrewSettings) -> Result<Crew, String> {
        let Method::Fleet(fleet) = &settings.spec.method else {
            return Err("it is another kind of player".to_string());
        };
        let fleet = fleet.clone();
        let (id, hash) = (tokens::name(), message::hash(&settings.rules));
        let sent = message::write(&settings.version, &RulesText { text: settings.rules.clone() });
        if sent.len() > message::MOST_BYTES {
            return Err(format!("the rules are too large to be sent ({} bytes)", sent.len()));
        }
        let subjects = [message::ALL_PRESENCE.to_string(), message::found(&id), message::want(&hash)];
        let inbox = carrier.listen(&subjects)?;
        let inside = Arc::new(Inside {
            carrier,
            settings,
            fleet,
            id,
            key: tokens::secret(),
            hash,
            dropped: Dropped::default(),
            cancel: Cancel::new(),
            now: Mutex::default(),
            changed: Condvar::new(),
        });
        let own = Arc::clone(&inside);
        let thread = thread::Builder::new().name("crew".into()).spawn(move || own.run(&inbox));
        Ok(Crew { inside, thread: Some(thread.map_err(|error| format!("cannot start a thread: {error}"))?) })
    }

    /// Lets everybody think about a state, for so many seconds if that is known, and says which question that is.
    pub fn think(&self, facts: Vec<String>, seed: u64, seconds: Option<f64>, prepare: bool) -> u64 {
        let mut now = self.inside.lock();
        now.turn += 1;
        let turn = now.turn;
        let (seconds, trees) = (seconds.map(|seconds| seconds.max(0.0)), now.trees());
        let command = Command::Think { turn, facts, seed, prepare, seconds, trees };
        (now.question, now.pool) = (Some((command.clone(), Instant::now())), Pool::default());
        now.seats.values_mut().for_each(|seat| (seat.report, seat.is_late) = (None, false));
        self.inside.order(&mut now, command);
        turn
    }

    /// Nobody needs to think about this any longer.
    pub fn stop(&self, turn: u64) {
        let mut now = self.inside.lock();
        (now.question, now.pool) = (None, Pool::default());
        self.inside.order(&mut now, Command::Stop { turn });
    }

    /// What was found so far, since this turn.
    pub fn reports(&self, turn: u64) -> Vec<Told> {
        let now = self.inside.lock();
        let told = |(&seat, own): (&u32, &Seat)| {
            let report = own.report.clone().filter(|report| report.turn >= turn)?;
            Some(Told { seat, player: own.player.clone(), report })
        };
        now.seats.iter().filter_map(told).collect()
    }

    /// How far everybody is.
    pub fn standing(&self, turn: u64) -> Standing {
        let now = self.inside.lock();
        let alive = || now.seats.values().filter(|seat| seat.is_alive());
        Standing {
            seats: now.seats.len(),
            alive: alive().count(),
            finished: alive().filter(|seat| seat.has_finished(turn)).count(),
        }
    }

    /// Waits until something was found, but not longer than this.
    pub fn wait(&self, patience: Duration) {
        let now = self.inside.lock();
        drop(self.inside.changed.wait_timeout(now, patience).unwrap_or_else(PoisonError::into_inner));
    }

    /// Messages that were dropped.
    pub fn dropped(&self) -> DroppedCounts {
        self.inside.dropped.counts()
    }

    /// What the match is called on the way.
    pub fn id(&self) -> &str {
        &self.inside.id
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        let mut now = self.inside.lock();
        self.inside.order(&mut now, Command::End);
        drop(now);
        self.inside.cancel.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Inside {
    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends an order. Whoever does not get it is left out.
    fn order(&self, now: &mut Now, what: Command) {
        now.count += 1;
        let order = Order { key: self.key.clone(), count: now.count, what };
        let _ = self.carrier.send(&message::to_crew(&self.id), message::write(&self.settings.version, &order));
    }

    /// Asks the question at hand again, with the time that is left. Those who know it pass over it.
    fn ask_again(&self, now: &mut Now) {
        let Some((mut command, asked)) = now.question.clone() else { return };
        if let Command::Think { seconds, trees, .. } = &mut command {
            *seconds = seconds.map(|seconds| (seconds - asked.elapsed().as_secs_f64()).max(0.0));
            *trees = now.trees();
        }
        self.order(now, command);
    }

    /// Tells the trees what all of them have gained, when it is time: as soon as all have told of theirs where random games are counted, so that every run
    /// goes the same way, but nobody is waited for long, and who is late not a second time; otherwise now and then.
    fn tell_gains(&self) {
        let mut now = self.lock();
        let (Some(waits), Some((Command::Think { seconds, .. }, _))) = (now.pool.waits(), &now.question) else {
            return;
        };
        let is_due = if self.settings.spec.limits.playouts.is_some() {
            let (part, least, most) = PATIENCE;
            let patience = seconds.map_or(most, |seconds| (part * seconds).clamp(least, most));
            let turn = now.turn;
            let mut grow =
                now.seats.iter().filter(|(_, seat)| seat.grows && seat.is_alive() && !seat.has_finished(turn));
            waits.as_secs_f64() >= patience || grow.all(|(&number, seat)| seat.is_late || now.pool.has(number))
        } else {
            let (pace, many) = PACE;
            waits >= pace * (now.trees() as usize).div_ceil(many).max(1) as u32
        };
        if is_due {
            let (lists, gains) = now.pool.take();
            for (number, seat) in &mut now.seats {
                seat.is_late = !lists.iter().any(|(told, _)| told == number);
            }
            let (turn, trees) = (now.turn, now.trees());
            self.order(&mut now, Command::Gained { turn, trees, lists, gains });
        }
    }

    fn run(&self, inbox: &Inbox) {
        let call = || drop(self.carrier.send(message::CALL, message::write(&self.settings.version, &Call {})));
        call();
        let mut beat = Instant::now();
        while !self.cancel.is_cancelled() {
            if let Some(mail) = inbox.next(Duration::from_millis(20)) {
                self.hear(&mail);
            }
            self.tell_gains();
            if beat.elapsed() >= BEAT {
                beat = Instant::now();
                let mut now = self.lock();
                self.order(&mut now, Command::Beat);
                // Mail may be lost: who has not told its last word for a while may not have heard the question, or not have been heard.
                let turn = now.turn;
                let missing = now.seats.values().any(|seat| seat.is_alive() && !seat.has_finished(turn));
                if missing && now.question.as_ref().is_some_and(|(_, asked)| asked.elapsed() > ASK_AGAIN) {
                    self.ask_again(&mut now);
                }
                now.seats.retain(|_, seat| match seat.heard {
                    None => seat.given.elapsed() < UNANSWERED,
                    Some(heard) => heard.elapsed() < GONE,
                });
            }
        }
    }

    fn hear(&self, mail: &Mail) {
        if mail.subject == message::want(&self.hash) {
            match message::read::<Call>(&self.settings.version, &mail.body) {
                Ok(_) => {
                    let text = RulesText { text: self.settings.rules.clone() };
                    let body = message::write(&self.settings.version, &text);
                    let _ = self.carrier.send(&message::rules(&self.hash), body);
                }
                Err(why) => self.dropped.count(&why),
            }
        } else if mail.subject == message::found(&self.id) {
            match message::read::<Finding>(&self.settings.version, &mail.body) {
                Ok(finding) => self.found(finding),
                Err(why) => self.dropped.count(&why),
            }
        } else {
            match message::read::<Presence>(&self.settings.version, &mail.body) {
                Ok(presence) if mail.subject == message::presence(&presence.worker) => self.present(&presence),
                Ok(_) => self.dropped.count(&Bad::Forged),
                Err(Bad::Version(_)) => self.other_version(mail),
                Err(why) => self.dropped.count(&why),
            }
        }
    }

    /// A worker of another version is not used, and that is said once.
    fn other_version(&self, mail: &Mail) {
        let Some((worker, machine, version)) = message::stranger(&mail.body) else {
            return self.dropped.count(&Bad::Malformed);
        };
        if self.lock().told.insert(worker.clone()) {
            let why =
                format!("it is version {version} and this is {}; the same version is needed", self.settings.version);
            self.settings.events.tell(&Event::WorkerRefused { worker: format!("{worker} on {machine}"), why });
        }
    }

    /// A worker is there: it gets as many seats as it has free.
    fn present(&self, presence: &Presence) {
        let mut now = self.lock();
        if presence.leaving || now.refused.get(&presence.worker).is_some_and(|until| *until > Instant::now()) {
            return;
        }
        let own = now.seats.values().filter(|seat| seat.worker == presence.worker);
        let unanswered = own.filter(|seat| seat.heard.is_none()).count();
        let free = (presence.seats.saturating_sub(presence.busy) as usize).saturating_sub(unanswered);
        let room = self.fleet.workers.unwrap_or(usize::MAX).saturating_sub(now.seats.len());
        let rounds = self.fleet.shared_rounds(&self.settings.spec.limits);
        for _ in 0..free.min(room) {
            let number = now.next_seat;
            now.next_seat += 1;
            let player = player(&self.settings.spec, &self.fleet, &self.settings.heuristics, number);
            let seat = Seat {
                worker: presence.worker.clone(),
                key: tokens::secret(),
                grows: rounds > 1 && player.starts_with("uct"),
                is_late: false,
                player,
                given: Instant::now(),
                count: 0,
                heard: None,
                is_ready: false,
                report: None,
            };
            let recruit = Recruit {
                match_id: self.id.clone(),
                seat: number,
                seat_key: seat.key.clone(),
                crew_key: self.key.clone(),
                rules: self.hash.clone(),
                role: self.settings.role.clone(),
                player: seat.player.clone(),
                seed: self.settings.seed.wrapping_add(u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
                rounds,
            };
            let body = message::write(&self.settings.version, &recruit);
            let _ = self.carrier.send(&message::to_worker(&presence.worker), body);
            now.seats.insert(number, seat);
        }
    }

    /// A worker has said something about its seat.
    fn found(&self, finding: Finding) {
        let mut now = self.lock();
        let Some(seat) = now.seats.get_mut(&finding.seat) else {
            // A seat that was given up: whoever sits there will notice that nobody asks any more.
            return;
        };
        if seat.key != finding.key {
            return self.dropped.count(&Bad::Forged);
        }
        if finding.count <= seat.count {
            return self.dropped.count(&Bad::Replayed);
        }
        (seat.count, seat.heard) = (finding.count, Some(Instant::now()));
        let worker = seat.worker.clone();
        match finding.what {
            News::Beat => {}
            News::Ready => {
                seat.is_ready = true;
                self.ask_again(&mut now);
            }
            News::Found(report) => {
                let newer = seat
                    .report
                    .as_ref()
                    .is_none_or(|old| report.turn >= old.turn && !(old.is_last && report.turn == old.turn));
                if newer {
                    seat.report = Some(report);
                }
            }
            News::Gained { turn, number, gains } => {
                seat.is_late = false;
                if turn == now.turn && now.question.is_some() {
                    now.pool.add(finding.seat, number, &gains);
                }
            }
            News::Left => {
                now.seats.remove(&finding.seat);
            }
            News::Refused { why } => {
                now.seats.remove(&finding.seat);
                // Somebody else was faster: that is nothing to complain about, and may change soon.
                let is_full = why == message::NO_SEAT;
                now.refused.insert(worker.clone(), Instant::now() + if is_full { SILENT } else { REFUSED });
                let is_news = !is_full && now.told.insert(format!("{worker} {why}"));
                drop(now);
                if is_news {
                    self.settings.events.tell(&Event::WorkerRefused { worker, why });
                }
            }
        }
        self.changed.notify_all();
    }
}

/// The heuristic of a player as it is written, if it has one.
pub fn heuristic_of(player: &str) -> Option<&str> {
    player.split_once("heuristic=").map(|(_, rest)| rest.split_once(',').map_or(rest, |(name, _)| name))
}

/// How the worker of this seat searches, as it is written.
fn player(spec: &PlayerSpec, fleet: &FleetSpec, heuristics: &[String], seat: u32) -> String {
    let solves = fleet.solvers > 0 && seat % fleet.solvers == fleet.solvers - 1;
    let (name, heuristic, plays_games) = match fleet.crew {
        _ if solves => ("exhaustive", None, false),
        Does::Portfolio => ("portfolio", None, true),
        Does::Uct => ("uct", None, true),
        Does::MonteCarlo => ("monte-carlo", None, true),
        Does::AlphaBeta => ("alpha-beta", None, false),
        Does::Heuristics => {
            // Solvers take no heuristic away.
            let turn = seat - seat.checked_div(fleet.solvers).unwrap_or(0);
            let count = heuristics.len().max(1);
            ("alpha-beta", heuristics.get(turn as usize % count), false)
        }
    };
    let limits = &spec.limits;
    let mut settings = Vec::new();
    settings.extend(heuristic.map(|name| format!("heuristic={name}")));
    // Where random games are counted and none are played, as many states are looked at.
    let nodes = if plays_games { limits.nodes } else { limits.nodes.or(limits.playouts) };
    if name != "monte-carlo" {
        settings.extend(nodes.map(|nodes| format!("nodes={nodes}")));
        settings.push(format!("memory={}", limits.memory));
    }
    if plays_games {
        settings.extend(limits.playouts.map(|playouts| format!("playouts={playouts}")));
    }
    if settings.is_empty() { name.to_string() } else { format!("{name}:{}", settings.join(",")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_shared_out() {
        let all = |text: &str, heuristics: &[&str]| -> Vec<String> {
            let spec: PlayerSpec = text.parse().expect("a player");
            let Method::Fleet(fleet) = &spec.method else { panic!("a fleet") };
            let heuristics: Vec<String> = heuristics.iter().map(|name| name.to_string()).collect();
            (0..6).map(|seat| player(&spec, fleet, &heuristics, seat)).collect()
        };
        let players = all("fleet:solvers=3,playouts=100,memory=64", &[]);
        assert_eq!(players[0], "uct:memory=64,playouts=100");
        assert_eq!(players[2], "exhaustive:nodes=100,memory=64");
        assert_eq!(players.iter().filter(|player| player.starts_with("exhaustive")).count(), 2);
        let players = all("fleet:crew=heuristics,solvers=2,nodes=9", &["max a", "min a"]);
        assert_eq!(players[0], "alpha-beta:heuristic=max a,nodes=9,memory=256");
        assert_eq!(players[2], "alpha-beta:heuristic=min a,nodes=9,memory=256");
        assert_eq!(players[4], players[0]);
        assert_eq!((heuristic_of(&players[2]), heuristic_of("uct")), (Some("min a"), None));
        // Whatever is sent can be read.
        for crew in ["portfolio", "uct", "alpha-beta", "monte-carlo", "heuristics"] {
            for player in all(&format!("fleet:crew={crew},nodes=5,playouts=7,solvers=4"), &["max x of y"]) {
                assert!(player.parse::<PlayerSpec>().is_ok(), "{player}");
            }
        }
    }
}
