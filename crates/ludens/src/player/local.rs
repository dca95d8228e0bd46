//! A player of this program. Whatever its searcher does, an answer is there in time: the search runs on a thread of its
//! own, and whoever waits for it looks at the clock.

use super::kinds::Plan;
use super::mind::{Mind, MindOf, Order, role_of};
use super::stock::{Ready, Shelf, load};
use play::{Clock, Player, Start, Trouble};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Room for searches that use the stack; only what is used is ever taken.
const STACK: usize = 64 << 20;

/// See the module.
pub struct Local {
    plan: Plan,
    shelf: Option<Arc<Shelf>>,
    /// The match is over; everything ends.
    over: Arc<AtomicBool>,
    run: Option<Run>,
}

/// One match.
struct Run {
    desk: Arc<Desk>,
    history: Vec<Vec<String>>,
}

/// What the threads of one match share.
struct Desk {
    /// The match is over; everything ends.
    over: Arc<AtomicBool>,
    inside: Mutex<Inside>,
    changed: Condvar,
}

#[derive(Default)]
struct Inside {
    /// Makes another mind with the best engine so far.
    make: Option<Arc<dyn Fn() -> Box<dyn Mind> + Send + Sync>>,
    rank: u8,
    /// The mind that has been thinking in this match, when it is not at work.
    mind: Option<Box<dyn Mind>>,
    /// No more engines will come.
    done: bool,
    failed: Option<String>,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `good` or until the time is over.
    fn wait(&self, until: Instant, good: impl Fn(&Inside) -> bool) -> MutexGuard<'_, Inside> {
        let mut inside = self.lock();
        while !good(&inside) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.over.load(Ordering::Relaxed) {
                break;
            }
            let left = left.min(Duration::from_millis(100));
            inside = self.changed.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        inside
    }

    /// A mind with the best engine so far: the one that knows this match, or a new one.
    fn mind(&self) -> Option<Box<dyn Mind>> {
        let mut inside = self.lock();
        let rank = inside.rank;
        let known = inside.mind.take().filter(|mind| mind.rank() >= rank);
        known.or_else(|| inside.make.as_ref().map(|make| make()))
    }

    /// Gives a mind back for the next move.
    fn put_back(&self, mind: Box<dyn Mind>) {
        let mut inside = self.lock();
        let better = inside.mind.as_ref().is_none_or(|known| mind.rank() > known.rank());
        if better && mind.rank() >= inside.rank && !self.over.load(Ordering::Relaxed) {
            inside.mind = Some(mind);
        }
    }

    fn offer(&self, rank: u8, make: impl Fn() -> Box<dyn Mind> + Send + Sync + 'static) {
        let mut inside = self.lock();
        inside.rank = rank;
        inside.make = Some(Arc::new(make));
        drop(inside);
        self.changed.notify_all();
    }
}

/// The part of the start clock in which the best engine is waited for before another one begins to study.
const WAIT: f32 = 0.3;

/// The time kept back, so that an answer is there in time even where threads and networks are slow.
fn margin(seconds: f64) -> f64 {
    (seconds * 0.05).clamp(0.1, 0.5).min(seconds * 0.3)
}

fn after(seconds: f64) -> Instant {
    Instant::now() + Duration::from_secs_f64(seconds.clamp(0.0, play::message::LONGEST_CLOCK))
}

impl Local {
    /// A player that plays in this way. Engines are looked for on the shelf first, if there is one.
    pub fn new(plan: Plan, shelf: Option<Arc<Shelf>>) -> Local {
        Local { plan, shelf, over: Arc::new(AtomicBool::new(false)), run: None }
    }

    fn end(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(run) = self.run.take() {
            let mut inside = run.desk.lock();
            (inside.mind, inside.make) = (None, None);
        }
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.end();
    }
}

/// Makes engines until the best one is there, on a thread of its own.
fn begin(desk: &Arc<Desk>, start: &Start, plan: &Plan, shelf: Option<Arc<Shelf>>) -> Result<(), Trouble> {
    let (desk, rules, role, plan) = (Arc::clone(desk), start.rules.clone(), start.role.clone(), plan.clone());
    let shared = plan.shared();
    let body = move || {
        let mut unknown = None;
        let mut offer = |rules: &Arc<gdl::Rules>, ready: Ready| {
            macro_rules! with {
                ($game:expr, $rank:expr) => {{
                    let (game, rules, plan) = ($game, Arc::clone(rules), plan.clone());
                    let shared = shared.clone();
                    match role_of(&*game, &role) {
                        Some(role) => desk.offer($rank, move || {
                            Box::new(MindOf::new(Arc::clone(&game), &rules, role, $rank, &plan, &shared))
                        }),
                        None => unknown = Some(format!("the rules have no role {role}")),
                    }
                }};
            }
            match ready {
                Ready::Prover(game) => with!(game, 1),
                Ready::Rules(game) => with!(game, 2),
                Ready::Net(game) => with!(game, 3),
            }
        };
        let known = shelf.and_then(|shelf| shelf.find(&rules));
        let loaded = match known {
            Some((rules, ready)) => {
                offer(&rules, ready);
                Ok(())
            }
            None => load(&rules, Some(&desk.over), &mut offer),
        };
        let mut inside = desk.lock();
        inside.failed = loaded.err().or(unknown);
        inside.done = true;
        drop(inside);
        desk.changed.notify_all();
    };
    spawn("rules", body)
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), Trouble> {
    let thread = thread::Builder::new().name(name.into()).stack_size(STACK).spawn(body);
    thread.map(|_| ()).map_err(|error| Trouble::Lost(format!("cannot start a thread: {error}")))
}

/// Sets a mind to work on a thread of its own; it goes back to the desk afterwards.
fn at_work<T: Send + 'static>(
    desk: &Arc<Desk>,
    mut mind: Box<dyn Mind>,
    order: &Arc<Order>,
    work: impl FnOnce(&mut dyn Mind, &Order) -> T + Send + 'static,
) -> Result<Receiver<T>, Trouble> {
    let (sender, receiver) = mpsc::channel();
    let (desk, order) = (Arc::clone(desk), Arc::clone(order));
    spawn("search", move || {
        let result = work(&mut *mind, &order);
        // First the mind, then the answer: whoever has the answer may ask for the next move at once.
        desk.put_back(mind);
        let _ = sender.send(result);
    })?;
    Ok(receiver)
}

impl Player for Local {
    fn prepare(&mut self, start: &Start, clock: &Clock<'_>) -> Result<(), Trouble> {
        let until = after(clock.left() - margin(clock.seconds));
        let desk = Arc::new(Desk {
            over: Arc::clone(&self.over),
            inside: Mutex::new(Inside::default()),
            changed: Condvar::new(),
        });
        self.run = Some(Run { desk: Arc::clone(&desk), history: Vec::new() });
        begin(&desk, start, &self.plan, self.shelf.clone())?;
        let all = until.saturating_duration_since(Instant::now());
        let failed = desk.wait(until - all.mul_f32(1.0 - WAIT), |inside| inside.done).failed.clone();
        if let Some(why) = failed {
            self.end();
            return Err(Trouble::Lost(why));
        }
        // The rest of the time belongs to the searcher, with the best engine so far; a better one takes over.
        let latest = until + Duration::from_secs_f64(margin(clock.seconds) / 2.0);
        while !desk.over.load(Ordering::Relaxed) {
            drop(desk.wait(until, |inside| inside.make.is_some() || inside.done));
            let early = until.saturating_duration_since(Instant::now()) > Duration::from_millis(20);
            let Some(mind) = desk.mind().filter(|_| early) else { break };
            let rank = mind.rank();
            let order = Arc::new(Order::new(Vec::new(), Instant::now(), until, Arc::clone(&desk.over)));
            let receiver = at_work(&desk, mind, &order, |mind, order| mind.prepare(order))?;
            let better = || desk.lock().rank > rank;
            while Instant::now() < latest && !desk.over.load(Ordering::Relaxed) && !better() {
                match receiver.recv_timeout(Duration::from_millis(20)) {
                    Err(RecvTimeoutError::Timeout) => {}
                    _ => break,
                }
            }
            order.stop.store(true, Ordering::Relaxed);
            if better() {
                continue;
            }
            let done = desk.wait(until, |inside| inside.done || inside.rank > rank).done;
            if done && !better() {
                break;
            }
        }
        match desk.lock().failed.clone() {
            Some(why) => {
                self.end();
                Err(Trouble::Lost(why))
            }
            None => Ok(()),
        }
    }

    fn choose(&mut self, last: Option<&[String]>, clock: &Clock<'_>) -> Result<String, Trouble> {
        let kept = margin(clock.seconds);
        let began = Instant::now();
        let most = self.plan.seconds.unwrap_or(f64::INFINITY);
        let until = after((clock.left() - kept).min(most));
        let latest = after(clock.left() - kept / 2.0);
        let Some(run) = &mut self.run else { return Err(Trouble::Lost("there is no match".to_string())) };
        run.history.extend(last.map(<[String]>::to_vec));
        let desk = &run.desk;
        drop(desk.wait(until, |inside| inside.make.is_some() || inside.done));
        let mut fallback: Option<Arc<Order>> = None;
        loop {
            let Some(mind) = desk.mind() else {
                let failed = desk.lock().failed.clone();
                return Err(failed.map_or(Trouble::TimeOut, Trouble::Lost));
            };
            let rank = mind.rank();
            let order = Arc::new(Order::new(run.history.clone(), began, until, Arc::clone(&desk.over)));
            let receiver = at_work(desk, mind, &order, |mind, order| mind.think(order))?;
            let heard = listen(desk, &receiver, rank, until, latest);
            order.stop.store(true, Ordering::Relaxed);
            let so_far = || order.best().or_else(|| fallback.as_ref().and_then(|order| order.best()));
            match heard {
                Heard::Answer(Err(Trouble::TimeOut)) => return so_far().ok_or(Trouble::TimeOut),
                Heard::Answer(answer) => return answer,
                Heard::Silence => return so_far().ok_or(Trouble::TimeOut),
                Heard::BetterEngine => fallback = Some(order),
            }
        }
    }

    fn stop(&mut self, _last: Option<&[String]>, _clock: &Clock<'_>) {
        self.end();
    }

    fn abort(&mut self, _clock: &Clock<'_>) {
        self.end();
    }

    fn brake(&self) -> Option<Arc<AtomicBool>> {
        Some(Arc::clone(&self.over))
    }
}

/// What came of waiting for a mind.
enum Heard {
    Answer(Result<String, Trouble>),
    Silence,
    /// A better engine is ready, and it is early enough to begin anew with it.
    BetterEngine,
}

fn listen(
    desk: &Desk,
    receiver: &Receiver<Result<String, Trouble>>,
    rank: u8,
    until: Instant,
    latest: Instant,
) -> Heard {
    let began = Instant::now();
    let enough = until.saturating_duration_since(began) / 3;
    loop {
        let left = latest.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        match receiver.recv_timeout(left.min(Duration::from_millis(20))) {
            Ok(answer) => return Heard::Answer(answer),
            // The mind has crashed; what it thought best until then still counts.
            Err(RecvTimeoutError::Disconnected) => return Heard::Silence,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now = Instant::now();
        if now >= latest || desk.over.load(Ordering::Relaxed) {
            return Heard::Silence;
        }
        if until.saturating_duration_since(now) > enough && desk.lock().rank > rank {
            return Heard::BetterEngine;
        }
    }
}
