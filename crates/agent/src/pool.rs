//! The sessions of one match: engines arrive one after the other, and whoever thinks next does it with the best of them.

use crate::cache::{self, EngineCache};
use crate::chinese::DistanceTables;
use crate::delays::Delays;
use crate::event::{Event, Events};
use crate::loading::Loading;
use crate::program::Programs;
use crate::searcher::{Fleets, Knowledge};
use crate::session::{Question, Session};
use crate::spec::PlayerSpec;
use game::{Cancel, Game, Names, Role, roles};
use gdl::Rules;
use machine::{Engine, EngineKind, Loader};
use play::{Start, Trouble};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Room for searches that use the stack; only what is used is ever taken.
const STACK: usize = 64 << 20;

/// Sessions of one match at work at the same time. Those that were told to stop may need a moment (studying a large game ends
/// late); more than this would only take memory and time from each other.
const MOST_AT_WORK: usize = 3;

/// What players of this program share with each other.
#[derive(Clone, Default)]
pub struct Resources {
    /// Engines made before.
    pub cache: Option<Arc<EngineCache>>,
    /// The folder of tables.
    pub tables: Option<PathBuf>,
    /// Where events go.
    pub events: Events,
    /// How late threads wake up.
    pub delays: Arc<Delays>,
    /// What making engines may take.
    pub loading: Arc<Loading>,
    /// Distance tables that were loaded.
    pub distance_tables: DistanceTables,
    /// Starts other programs, where that can be done.
    pub programs: Option<Programs>,
    /// Makes the searchers of fleets, where that can be done.
    pub fleets: Option<Fleets>,
    /// Whether players think while others decide. Only fair where these others have processors of their own.
    pub ponders: bool,
}

/// The sessions of one match.
pub(crate) struct SessionPool {
    spec: PlayerSpec,
    seed: u64,
    resources: Resources,
    /// The match is over; everything ends.
    cancel: Cancel,
    inside: Mutex<Inside>,
    changed: Condvar,
}

#[derive(Default)]
struct Inside {
    /// Too many others load their rules.
    is_waiting: bool,
    best: Option<Best>,
    /// The session that has been thinking in this match, when it is not at work.
    resting: Option<Box<Session>>,
    /// How many are at work.
    at_work: usize,
    /// No more engines will come.
    is_complete: bool,
    failed: Option<String>,
}

/// The best engine so far, and what sessions with it need.
#[derive(Clone)]
struct Best {
    engine: Engine,
    role: Role,
    knowledge: Arc<Knowledge>,
}

/// A snapshot for those who wait.
#[derive(Clone, Copy)]
pub(crate) struct Standing {
    /// The best engine so far.
    pub engine: Option<EngineKind>,
    /// Whether another session may begin.
    pub has_room: bool,
    /// No more engines will come.
    pub is_complete: bool,
    /// There is nothing to play with.
    pub has_failed: bool,
}

impl SessionPool {
    /// Begins to make engines, on a thread of its own. Ended by the match's token.
    pub fn begin(
        start: &Start,
        spec: &PlayerSpec,
        seed: u64,
        resources: &Resources,
    ) -> Result<Arc<SessionPool>, Trouble> {
        let pool = Arc::new(SessionPool {
            spec: spec.clone(),
            seed,
            resources: resources.clone(),
            cancel: start.cancel.child(),
            inside: Mutex::new(Inside::default()),
            changed: Condvar::new(),
        });
        let (own, text, role) = (Arc::clone(&pool), start.rules.clone(), start.role.clone());
        let turn = pool.resources.loading.try_turn();
        pool.lock().is_waiting = turn.is_none();
        spawn("rules", move || {
            let Some(_turn) = turn.or_else(|| own.resources.loading.turn(&own.cancel)) else { return };
            own.lock().is_waiting = false;
            let failed = own.make_engines(&text, &role).err();
            let mut inside = own.lock();
            inside.failed = failed;
            inside.is_complete = true;
            drop(inside);
            own.changed.notify_all();
        })?;
        Ok(pool)
    }

    /// The match is over. Trees and nets can be large, and nobody needs to wait until they are gone.
    pub fn end(&self) {
        self.cancel.cancel();
        let mut inside = self.lock();
        let rest = (inside.resting.take(), inside.best.take());
        drop(inside);
        // Without a thread they go here.
        let _ = spawn("end", move || drop(rest));
    }

    /// The token of the match.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Whether the work for an answer is to end: somebody said so, or the match is over.
    pub fn is_over(&self, answer: &Cancel) -> bool {
        answer.is_cancelled() || self.cancel.is_cancelled()
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why there is nothing to play with, if that is so.
    pub fn failed(&self) -> Option<String> {
        self.lock().failed.clone()
    }

    /// Whether nothing has begun yet, because too many others load their rules.
    pub fn is_waiting(&self) -> bool {
        self.lock().is_waiting
    }

    /// The number of our role, and how many there are, once that is known.
    pub fn seat(&self) -> Option<(usize, usize)> {
        let inside = self.lock();
        inside.best.as_ref().map(|best| (best.role.0.into(), best.engine.roles()))
    }

    /// How things stand.
    pub fn standing(&self) -> Standing {
        self.lock().standing()
    }

    /// Waits until `good`, until the time is over or the work is cancelled, and says whether it is good.
    pub fn wait(&self, until: Instant, cancel: &Cancel, good: impl Fn(Standing) -> bool) -> bool {
        let mut inside = self.lock();
        while !good(inside.standing()) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.is_over(cancel) {
                return false;
            }
            let left = left.min(Duration::from_millis(50));
            let planned = Instant::now() + left;
            let (guard, timeout) = self.changed.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner);
            inside = guard;
            if timeout.timed_out() {
                self.resources.delays.woke(planned);
            }
        }
        true
    }

    /// The session that has been thinking in this match, if it rests.
    pub fn resting(&self) -> Option<Box<Session>> {
        self.lock().resting.take()
    }

    /// A session with the best engine so far: the one that knows this match, or a new one.
    pub fn session(&self) -> Option<Box<Session>> {
        let mut inside = self.lock();
        let best = inside.best.clone()?;
        let resting = inside.resting.take();
        // What follows can take a while.
        drop(inside);
        let known = resting.filter(|session| session.engine() >= best.engine.kind());
        Some(
            known.unwrap_or_else(|| {
                Box::new(Session::new(best.engine, best.role, &self.spec, self.seed, &best.knowledge))
            }),
        )
    }

    /// Sets a session to work on a thread of its own; it comes back to rest afterwards.
    pub fn at_work<T: Send + 'static>(
        self: &Arc<SessionPool>,
        mut session: Box<Session>,
        question: &Arc<Question>,
        work: impl FnOnce(&mut Session, &Question) -> T + Send + 'static,
    ) -> Result<Receiver<T>, Trouble> {
        let (sender, receiver) = mpsc::channel();
        self.lock().at_work += 1;
        let (working, question) = (AtWork(Arc::clone(self)), Arc::clone(question));
        spawn("search", move || {
            let result = work(&mut session, &question);
            // First the session, then the answer: whoever has the answer may ask for the next move at once.
            working.0.put_back(session);
            drop(working);
            let _ = sender.send(result);
        })?;
        Ok(receiver)
    }

    fn put_back(&self, session: Box<Session>) {
        let mut inside = self.lock();
        let kind = session.engine();
        let better = inside.resting.as_ref().is_none_or(|known| kind > known.engine());
        let best = inside.best.as_ref().map(|best| best.engine.kind());
        let old = if better && Some(kind) >= best && !self.cancel.is_cancelled() {
            inside.resting.replace(session)
        } else {
            Some(session)
        };
        drop(inside);
        drop(old);
    }

    fn make_engines(&self, text: &str, role: &str) -> Result<(), String> {
        let unknown = || format!("the rules have no role {role}");
        let kept = self.resources.cache.as_ref().and_then(|cache| cache.find(text));
        if let Some((rules, engine)) = kept {
            let knowledge = self.knowledge(&rules);
            return if self.offer(engine, role, &knowledge) { Ok(()) } else { Err(unknown()) };
        }
        let stop = || self.cancel.is_cancelled();
        let rules = cache::read(text, &gdl::Limits { stop: &stop, memory: self.resources.loading.memory })?;
        // Nobody needs to wait for an engine to hear this.
        if !cache::may_have_role(&rules, role) {
            return Err(unknown());
        }
        let knowledge = self.knowledge(&rules);
        let mut is_known = true;
        let mut loader = Loader::new(&rules).until(&self.cancel);
        loader.limits.memory = loader.limits.memory.min(self.resources.loading.memory);
        loader.budget.memory = loader.budget.memory.min(self.resources.loading.memory);
        let loaded = loader.better_and_better(&mut |engine| {
            is_known = self.offer(engine, role, &knowledge);
            is_known
        });
        loaded.map_err(|error| format!("the rules cannot be played: {error}"))?;
        if is_known { Ok(()) } else { Err(unknown()) }
    }

    fn knowledge(&self, rules: &Arc<Rules>) -> Arc<Knowledge> {
        let tables = self.resources.tables.clone().filter(|_| self.spec.uses_tables());
        Arc::new(
            Knowledge::new(rules, tables, &self.resources.events)
                .with_distance_tables(&self.resources.distance_tables)
                .with_programs(self.resources.programs.as_ref())
                .with_fleets(self.resources.fleets.as_ref()),
        )
    }

    /// Makes an engine the best; false if it does not know the role.
    fn offer(&self, engine: Engine, role: &str, knowledge: &Arc<Knowledge>) -> bool {
        let Some(role) = roles(&engine).find(|&known| engine.role_name(known).eq_ignore_ascii_case(role)) else {
            return false;
        };
        let kind = engine.kind();
        let old = self.lock().best.replace(Best { engine, role, knowledge: Arc::clone(knowledge) });
        self.changed.notify_all();
        self.resources.events.tell(&Event::Engine(kind));
        drop(old);
        true
    }
}

impl Inside {
    fn standing(&self) -> Standing {
        Standing {
            engine: self.best.as_ref().map(|best| best.engine.kind()),
            has_room: self.at_work < MOST_AT_WORK,
            is_complete: self.is_complete,
            has_failed: self.failed.is_some(),
        }
    }
}

/// Counts a session as at work until it is dropped, whatever happens to the thread.
struct AtWork(Arc<SessionPool>);

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.lock().at_work -= 1;
        self.0.changed.notify_all();
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), Trouble> {
    let thread = thread::Builder::new().name(name.into()).stack_size(STACK).spawn(body);
    thread.map(|_| ()).map_err(|error| Trouble::Lost(format!("cannot start a thread: {error}")))
}
