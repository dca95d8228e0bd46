//! A worker: serves jobs until it is told to leave.
//!
//! It has some seats. Each is a job of its own: a search for a player (`seat`), or a piece of work from a queue (`tasks` of the
//! crate). What it knows of games (`shelf`) is shared by the seats. Jobs come from anybody who may send them; what they may ask for
//! is limited: memory, threads, and players that only think ([`admitted`]).

mod link;
mod seat;
mod shelf;

use crate::carrier::{Carrier, Inbox, Mail};
use crate::message::{self, Bad, Call, Dropped, Finding, News, Presence, Recruit};
use crate::tokens;
use agent::spec::{Method, PlayerSpec};
use game::Cancel;
use shelf::Shelf;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often a worker says that it is there.
pub const BEAT: Duration = Duration::from_secs(1);
/// Seats of matches that are over, remembered so that nobody is asked to sit there again.
const MOST_REMEMBERED: usize = 10_000;
/// What a seat may use where nothing is said, in MiB.
pub const MEMORY: u32 = 256;
/// What rules may use, in MiB.
pub const RULES_MEMORY: u32 = 1_024;

/// How a worker is set up.
#[derive(Clone)]
pub struct WorkerSettings {
    /// Its name, which nobody else has.
    pub name: String,
    /// The machine it runs on, for people.
    pub machine: String,
    /// Jobs at the same time.
    pub seats: u32,
    /// MiB for a job.
    pub memory: u32,
    /// MiB for reading the rules of a game, and again for an engine of them.
    pub rules_memory: u32,
    /// The folder of tables.
    pub tables: Option<PathBuf>,
    /// The version of the program.
    pub version: String,
}

impl WorkerSettings {
    /// A worker of this version with so many seats, and a name of its own.
    pub fn new(machine: &str, seats: u32) -> WorkerSettings {
        WorkerSettings {
            name: tokens::name(),
            machine: machine.chars().filter(|c| !c.is_control()).take(100).collect(),
            seats: seats.clamp(1, 4096),
            memory: MEMORY,
            rules_memory: RULES_MEMORY,
            tables: None,
            version: crate::VERSION.to_string(),
        }
    }
}

/// See the module.
pub struct Worker {
    inside: Arc<Inside>,
    thread: Option<JoinHandle<()>>,
}

/// What the threads of a worker share.
pub(crate) struct Inside {
    pub carrier: Arc<dyn Carrier>,
    pub settings: WorkerSettings,
    pub shelf: Shelf,
    pub dropped: Dropped,
    /// Everything ends.
    pub cancel: Cancel,
    /// States and random games since the last beat, and in the beat before.
    pub work: AtomicU64,
    speed: AtomicU64,
    began: Instant,
    jobs: Mutex<Jobs>,
}

#[derive(Default)]
struct Jobs {
    /// What is being done, by number.
    doing: BTreeMap<u64, String>,
    next: u64,
    done: u64,
    /// Seats that somebody was asked to take: matches and numbers.
    seen: BTreeMap<(String, u32), u64>,
}

/// A job that is being done, until it is dropped.
pub(crate) struct Job {
    inside: Arc<Inside>,
    number: u64,
}

impl Job {
    /// Says what is being done at the moment.
    pub fn say(&self, what: &str) {
        let short: String = what.chars().filter(|c| !c.is_control()).take(60).collect();
        self.inside.jobs().doing.insert(self.number, short);
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let mut jobs = self.inside.jobs();
        jobs.doing.remove(&self.number);
        jobs.done += 1;
    }
}

impl Inside {
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A free seat for a job, if there is one.
    pub fn take_seat(self: &Arc<Inside>, what: &str) -> Option<Job> {
        let mut jobs = self.jobs();
        if jobs.doing.len() >= self.settings.seats as usize || self.cancel.is_cancelled() {
            return None;
        }
        let number = jobs.next;
        jobs.next += 1;
        jobs.doing.insert(number, String::new());
        drop(jobs);
        let job = Job { inside: Arc::clone(self), number };
        job.say(what);
        Some(job)
    }

    /// Whether a job could begin.
    pub fn has_seat(&self) -> bool {
        self.jobs().doing.len() < self.settings.seats as usize
    }

    /// What it says of itself.
    pub fn presence(&self) -> Presence {
        let WorkerSettings { name, machine, seats, .. } = &self.settings;
        let jobs = self.jobs();
        Presence {
            worker: name.clone(),
            machine: machine.clone(),
            seats: *seats,
            busy: jobs.doing.len() as u32,
            doing: jobs.doing.values().take(64).cloned().collect(),
            speed: self.speed.load(Ordering::Relaxed),
            done: jobs.done,
            dropped: self.dropped.counts(),
            uptime: self.began.elapsed().as_secs_f64(),
            leaving: self.cancel.is_cancelled(),
        }
    }

    fn announce(&self) {
        let body = message::write(&self.settings.version, &self.presence());
        // Where there is no connection there is nobody to be told; the next beat will come.
        let _ = self.carrier.send(&message::presence(&self.settings.name), body);
    }

    /// Reads mail; what is bad is counted.
    pub fn read<T: message::Body>(&self, mail: &Mail) -> Option<T> {
        match message::read(&self.settings.version, &mail.body) {
            Ok(body) => Some(body),
            Err(why) => {
                self.dropped.count(&why);
                None
            }
        }
    }

    /// Sends something about a seat.
    fn tell(&self, recruit: &Recruit, count: u64, what: News) {
        let finding = Finding { seat: recruit.seat, key: recruit.seat_key.clone(), count, what };
        let _ = self.carrier.send(&message::found(&recruit.match_id), message::write(&self.settings.version, &finding));
    }
}

impl Worker {
    /// Begins to serve.
    ///
    /// # Errors
    /// When nobody can be listened to.
    pub fn start(carrier: Arc<dyn Carrier>, settings: WorkerSettings) -> Result<Worker, String> {
        let inbox = carrier.listen(&[message::to_worker(&settings.name), message::CALL.to_string()])?;
        let inside = Arc::new(Inside {
            carrier,
            shelf: Shelf::new(settings.tables.clone(), settings.rules_memory),
            settings,
            dropped: Dropped::default(),
            cancel: Cancel::new(),
            work: AtomicU64::new(0),
            speed: AtomicU64::new(0),
            began: Instant::now(),
            jobs: Mutex::default(),
        });
        let own = Arc::clone(&inside);
        let thread = thread::Builder::new().name("worker".into()).spawn(move || serve(&own, &inbox));
        let thread = Some(thread.map_err(|error| format!("cannot start a thread: {error}"))?);
        Ok(Worker { inside, thread })
    }

    /// What it says of itself.
    pub fn presence(&self) -> Presence {
        self.inside.presence()
    }

    pub(crate) fn inside(&self) -> &Arc<Inside> {
        &self.inside
    }

    /// Takes no more jobs, ends those at hand and says goodbye.
    pub fn leave(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.inside.cancel.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

/// Hears of jobs, and says that it is there.
fn serve(inside: &Arc<Inside>, inbox: &Inbox) {
    let mut beat: Option<Instant> = None;
    while !inside.cancel.is_cancelled() {
        if beat.is_none_or(|beat| beat.elapsed() >= BEAT) {
            let seconds = beat.map_or(1.0, |beat| beat.elapsed().as_secs_f64());
            let work = inside.work.swap(0, Ordering::Relaxed);
            inside.speed.store((work as f64 / seconds) as u64, Ordering::Relaxed);
            inside.announce();
            beat = Some(Instant::now());
        }
        let Some(mail) = inbox.next(Duration::from_millis(50)) else { continue };
        if mail.subject == message::CALL {
            // Whoever asks hears even from another version: that is what it may want to know.
            match message::read::<Call>(&inside.settings.version, &mail.body) {
                Ok(_) | Err(Bad::Version(_)) => inside.announce(),
                Err(why) => inside.dropped.count(&why),
            }
        } else if let Some(recruit) = inside.read::<Recruit>(&mail) {
            recruited(inside, recruit);
        }
    }
    inside.announce();
}

/// Takes a seat in a match, unless it was taken before.
fn recruited(inside: &Arc<Inside>, recruit: Recruit) {
    {
        let mut jobs = inside.jobs();
        let number = jobs.next;
        if jobs.seen.insert((recruit.match_id.clone(), recruit.seat), number).is_some() {
            inside.dropped.count(&Bad::Replayed);
            return;
        }
        if jobs.seen.len() > MOST_REMEMBERED {
            let middle = number.saturating_sub(MOST_REMEMBERED as u64 / 2);
            jobs.seen.retain(|_, number| *number >= middle);
        }
    }
    let spec = match admitted(&recruit.player, inside.settings.memory) {
        Ok(spec) => spec,
        Err(why) => return inside.tell(&recruit, 1, News::Refused { why }),
    };
    let Some(job) = inside.take_seat(&format!("match {}: gets ready", recruit.match_id)) else {
        return inside.tell(&recruit, 1, News::Refused { why: message::NO_SEAT.to_string() });
    };
    if let Err(why) = seat::sit(inside, recruit.clone(), spec, job) {
        inside.tell(&recruit, 1, News::Refused { why });
    }
}

/// The player that a worker makes of what it was sent: one that only thinks, with one thread and within this memory.
///
/// # Errors
/// When it is no player, or one that would start a program, open a file or a connection, or ask a person.
///
/// ```
/// use fleet::worker::admitted;
/// assert_eq!(admitted("uct:threads=64,memory=9999", 256).unwrap().to_string(), "uct");
/// for bad in ["uci:command=rm", "http://host", "human", "plan:file=/etc/passwd", "fleet", "nonsense"] {
///     assert!(admitted(bad, 256).is_err());
/// }
/// ```
pub fn admitted(player: &str, memory: u32) -> Result<PlayerSpec, String> {
    let mut spec: PlayerSpec = player.parse().map_err(|error| format!("no player: {error}"))?;
    match &mut spec.method {
        Method::Portfolio(own) => own.threads = Some(1),
        Method::Uct(own) => own.threads = 1,
        Method::Chess(own) => own.threads = own.threads.map(|_| 1),
        Method::Plan { file: None }
        | Method::AlphaBeta(_)
        | Method::Exhaustive
        | Method::ProofNumber
        | Method::Puzzle
        | Method::MonteCarlo
        | Method::Greedy { .. }
        | Method::Roschke(_)
        | Method::TableSearch(_)
        | Method::Random
        | Method::Legal => {}
        Method::Plan { file: Some(_) }
        | Method::Fleet(_)
        | Method::Human
        | Method::Remote { .. }
        | Method::Uci(_)
        | Method::Xboard(_) => {
            return Err(format!("a worker does not play `{}`: only what thinks by itself", spec.kind()));
        }
    }
    spec.limits.memory = spec.limits.memory.min(memory);
    Ok(spec)
}
