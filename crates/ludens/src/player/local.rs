//! A player of this program. Whatever its searcher does, an answer is there in time: the search runs on a thread of its
//! own, and whoever waits for it looks at the clock.

use super::kinds::Plan;
use super::mind::{Mind, MindOf, Order, role_of};
use super::stock::{self, Ready, Shelf};
use game::Game;
use play::text::folded;
use play::{Clock, Player, Start, Trouble};
use std::io::{Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Room for searches that use the stack; only what is used is ever taken.
const STACK: usize = 64 << 20;

/// Minds of one match at work at the same time. Those that were told to stop may need a moment (studying a large game ends
/// late); more than this would only take memory and time from each other.
const MOST_MINDS: usize = 3;

/// See the module.
pub struct Local {
    plan: Plan,
    shelf: Option<Arc<Shelf>>,
    /// The match is over; everything ends.
    over: Arc<AtomicBool>,
    /// The work at hand is to end.
    bell: Arc<AtomicBool>,
    run: Option<Run>,
}

/// One match.
struct Run {
    desk: Arc<Desk>,
    history: Vec<Vec<String>>,
    asked: Option<Asked>,
}

/// The last question.
struct Asked {
    /// The joint move that came with it, in the form in which moves are compared.
    moves: Option<Vec<Option<String>>>,
    /// What was answered, if there was an answer.
    answer: Option<String>,
}

/// What is to be done about a question.
enum Question {
    /// It was answered before, or cannot be understood: this was the answer.
    Repeat(String),
    /// The answer to the question before, for the case that what came with this one does not fit.
    Search(Option<String>),
}

impl Run {
    /// Takes note of a question. Messages get lost, and managers ask again: what was asked before is answered as before, and
    /// what cannot be a step is none. `seat` is the number of our role and how many roles there are, as soon as that is known.
    fn hear(&mut self, last: Option<&[String]>, seat: Option<(usize, usize)>) -> Question {
        let moves: Option<Vec<Option<String>>> = last.map(|texts| texts.iter().map(|text| folded(text)).collect());
        let (same, answer) = match self.asked.take() {
            Some(asked) => (asked.moves == moves, asked.answer),
            None => (false, None),
        };
        // A new step tells what we answered to the question before. (Unless the manager had to replace it; but then it will
        // hardly be the same step again.)
        let own = moves.as_ref().zip(seat).and_then(|(moves, (at, _))| moves.get(at).cloned().flatten());
        let again = same && answer.as_ref().is_none_or(|answer| own.is_none() || own != folded(answer));
        let fits = |texts: &&[String]| seat.map_or(texts.len() <= 255, |(_, count)| texts.len() == count);
        match last.filter(fits) {
            Some(step) if !again => {
                self.history.push(step.to_vec());
                self.asked = Some(Asked { moves, answer: None });
                Question::Search(answer)
            }
            _ => {
                self.asked = Some(Asked { moves, answer: answer.clone() });
                answer.map_or(Question::Search(None), Question::Repeat)
            }
        }
    }
}

/// What the threads of one match share.
struct Desk {
    /// The match is over; everything ends.
    over: Arc<AtomicBool>,
    /// The work at hand is to end.
    bell: Arc<AtomicBool>,
    inside: Mutex<Inside>,
    changed: Condvar,
}

#[derive(Default)]
struct Inside {
    /// Makes another mind with the best engine so far.
    make: Option<Arc<dyn Fn() -> Box<dyn Mind> + Send + Sync>>,
    rank: u8,
    /// The number of our role, and how many there are.
    seat: Option<(usize, usize)>,
    /// The mind that has been thinking in this match, when it is not at work.
    mind: Option<Box<dyn Mind>>,
    /// How many are at work.
    at_work: usize,
    /// No more engines will come.
    done: bool,
    failed: Option<String>,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the work at hand is to end.
    fn is_called(&self) -> bool {
        self.over.load(Ordering::Relaxed) || self.bell.load(Ordering::Relaxed)
    }

    /// Why there is nothing to play with, if that is so. (The lock is not kept.)
    fn failed(&self) -> Option<String> {
        self.lock().failed.clone()
    }

    /// Waits until `good` or until the time is over, and says whether it is good.
    fn wait(&self, until: Instant, good: impl Fn(&Inside) -> bool) -> bool {
        let mut inside = self.lock();
        while !good(&inside) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.is_called() {
                return good(&inside);
            }
            let left = left.min(Duration::from_millis(50));
            inside = self.changed.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// A mind with the best engine so far: the one that knows this match, or a new one.
    fn mind(&self) -> Option<Box<dyn Mind>> {
        let mut inside = self.lock();
        let (rank, known, make) = (inside.rank, inside.mind.take(), inside.make.clone());
        // What follows can take a while.
        drop(inside);
        known.filter(|mind| mind.rank() >= rank).or_else(|| make.map(|make| make()))
    }

    /// Whether a mind with a better engine could begin at once.
    fn has_room_for_better(&self, rank: u8) -> bool {
        let inside = self.lock();
        inside.rank > rank && inside.at_work < MOST_MINDS
    }

    /// Gives a mind back for the next move.
    fn put_back(&self, mind: Box<dyn Mind>) {
        let mut inside = self.lock();
        let better = inside.mind.as_ref().is_none_or(|known| mind.rank() > known.rank());
        let old = if better && mind.rank() >= inside.rank && !self.over.load(Ordering::Relaxed) {
            inside.mind.replace(mind)
        } else {
            Some(mind)
        };
        drop(inside);
        drop(old);
    }

    fn offer(&self, rank: u8, seat: (usize, usize), make: impl Fn() -> Box<dyn Mind> + Send + Sync + 'static) {
        let mut inside = self.lock();
        inside.rank = rank;
        inside.seat = Some(seat);
        let old = inside.make.replace(Arc::new(make));
        drop(inside);
        self.changed.notify_all();
        drop(old);
    }

    /// No more engines will come.
    fn done(&self, failed: Option<String>) {
        let mut inside = self.lock();
        inside.failed = failed;
        inside.done = true;
        drop(inside);
        self.changed.notify_all();
    }
}

/// The part of the start clock in which the best engine is waited for before another one begins to study.
const WAIT: f32 = 0.3;

/// What a manager waits beyond the play clock is a second. Half of it is used, but only where no legal move is known yet.
const GRACE: f64 = 0.5;

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
        let (over, bell) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        Local { plan, shelf, over, bell, run: None }
    }

    fn end(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let Some(run) = self.run.take() else { return };
        let mut inside = run.desk.lock();
        let rest = (inside.mind.take(), inside.make.take());
        drop(inside);
        // Trees and nets can be large, and nobody needs to wait until they are gone. Without a thread they go here.
        let _ = spawn("end", move || drop(rest));
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.end();
    }
}

/// Makes engines until the best one is there, on a thread of its own.
fn begin(desk: &Arc<Desk>, start: &Start, plan: &Plan, shelf: Option<Arc<Shelf>>) -> Result<(), Trouble> {
    let (desk, text, role, plan) = (Arc::clone(desk), start.rules.clone(), start.role.clone(), plan.clone());
    spawn("rules", move || {
        let failed = make_engines(&desk, &text, &role, &plan, shelf).err();
        desk.done(failed);
    })
}

fn make_engines(
    desk: &Arc<Desk>,
    text: &str,
    role: &str,
    plan: &Plan,
    shelf: Option<Arc<Shelf>>,
) -> Result<(), String> {
    let shared = plan.shared();
    let unknown = || format!("the rules have no role {role}");
    let mut is_unknown = false;
    let mut offer = |rules: &Arc<gdl::Rules>, ready: Ready| -> bool {
        macro_rules! with {
            ($game:expr, $rank:expr) => {{
                let (game, rules, plan) = ($game, Arc::clone(rules), plan.clone());
                let shared = shared.clone();
                let Some(role) = role_of(&*game, role) else {
                    is_unknown = true;
                    return false;
                };
                desk.offer($rank, (role.0.into(), game.roles()), move || {
                    Box::new(MindOf::new(Arc::clone(&game), &rules, role, $rank, &plan, &shared))
                });
            }};
        }
        match ready {
            Ready::Prover(game) => with!(game, 1),
            Ready::Rules(game) => with!(game, 2),
            Ready::Net(game) => with!(game, 3),
        }
        true
    };
    if let Some((rules, ready)) = shelf.and_then(|shelf| shelf.find(text)) {
        offer(&rules, ready);
    } else {
        let rules = stock::read(text)?;
        // Nobody needs to wait for an engine to hear this.
        if !stock::may_have_role(&rules, role) {
            return Err(unknown());
        }
        stock::load(&rules, Some(&desk.over), &mut |ready| offer(&rules, ready))?;
    }
    if is_unknown { Err(unknown()) } else { Ok(()) }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), Trouble> {
    let thread = thread::Builder::new().name(name.into()).stack_size(STACK).spawn(body);
    thread.map(|_| ()).map_err(|error| Trouble::Lost(format!("cannot start a thread: {error}")))
}

/// Counts a mind as at work until it is dropped, whatever happens to the thread.
struct AtWork(Arc<Desk>);

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.lock().at_work -= 1;
        self.0.changed.notify_all();
    }
}

/// Sets a mind to work on a thread of its own; it goes back to the desk afterwards.
fn at_work<T: Send + 'static>(
    desk: &Arc<Desk>,
    mut mind: Box<dyn Mind>,
    order: &Arc<Order>,
    work: impl FnOnce(&mut dyn Mind, &Order) -> T + Send + 'static,
) -> Result<Receiver<T>, Trouble> {
    let (sender, receiver) = mpsc::channel();
    desk.lock().at_work += 1;
    let (working, order) = (AtWork(Arc::clone(desk)), Arc::clone(order));
    spawn("search", move || {
        let result = work(&mut *mind, &order);
        // First the mind, then the answer: whoever has the answer may ask for the next move at once.
        working.0.put_back(mind);
        drop(working);
        let _ = sender.send(result);
    })?;
    Ok(receiver)
}

impl Local {
    /// The rest of the time before the first move belongs to the searcher, with the best engine so far; a better one takes
    /// over.
    fn study(&self, desk: &Arc<Desk>, until: Instant, latest: Instant) -> Result<(), Trouble> {
        while !desk.is_called() {
            desk.wait(until, |inside| inside.make.is_some() && inside.at_work < MOST_MINDS || inside.failed.is_some());
            let early = until.saturating_duration_since(Instant::now()) > Duration::from_millis(20);
            if !early || desk.lock().at_work >= MOST_MINDS {
                break;
            }
            let Some(mind) = desk.mind() else { break };
            let rank = mind.rank();
            let order = Arc::new(Order::new(Vec::new(), Instant::now(), until, Arc::clone(&desk.over)));
            let receiver = at_work(desk, mind, &order, |mind, order| mind.prepare(order))?;
            let better = || desk.lock().rank > rank;
            while Instant::now() < latest && !desk.is_called() && !better() {
                match receiver.recv_timeout(Duration::from_millis(20)) {
                    Err(RecvTimeoutError::Timeout) => {}
                    _ => break,
                }
            }
            order.stop.store(true, Ordering::Relaxed);
            if better() {
                continue;
            }
            if !desk.wait(until, |inside| inside.done || inside.rank > rank) || !better() {
                break;
            }
        }
        Ok(())
    }

    /// Searches for an answer to the question that the history ends with.
    fn search(&self, run: &Run, spare: Option<String>, clock: &Clock<'_>) -> Searched {
        let desk = &run.desk;
        let (kept, left, began) = (margin(clock.seconds), clock.left(), Instant::now());
        let until = after((left - kept).min(self.plan.seconds.unwrap_or(f64::INFINITY)));
        let times = Times { until, latest: after(left - kept / 2.0), last: after(left + GRACE) };
        desk.wait(times.last, |inside| inside.make.is_some() || inside.done);
        let mut orders: Vec<Arc<Order>> = Vec::new();
        let searched =
            |orders: &[Arc<Order>], answer| Searched { answer, misfit: orders.iter().find_map(|order| order.misfit()) };
        loop {
            let known = orders.iter().any(|order| order.best().is_some());
            let patience = if known { times.latest } else { times.last };
            let room = desk.wait(patience, |inside| inside.at_work < MOST_MINDS);
            let Some(mind) = (if room { desk.mind() } else { None }) else {
                let best = orders.iter().find_map(|order| order.best());
                return searched(&orders, best.ok_or_else(|| desk.failed().map_or(Trouble::TimeOut, Trouble::Lost)));
            };
            let rank = mind.rank();
            let mut order = Order::new(run.history.clone(), began, until, Arc::clone(&desk.over));
            order.spare.clone_from(&spare);
            let order = Arc::new(order);
            let receiver = match at_work(desk, mind, &order, |mind, order| mind.think(order)) {
                Ok(receiver) => receiver,
                Err(trouble) => return searched(&orders, Err(trouble)),
            };
            orders.insert(0, Arc::clone(&order));
            let so_far = || orders.iter().find_map(|order| order.best());
            let heard = listen(desk, &receiver, rank, &times, &so_far);
            order.stop.store(true, Ordering::Relaxed);
            match heard {
                Heard::Answer(Err(Trouble::TimeOut)) | Heard::Silence => {
                    return searched(&orders, so_far().ok_or(Trouble::TimeOut));
                }
                Heard::Answer(answer) => return searched(&orders, answer),
                Heard::BetterEngine => {}
            }
        }
    }
}

/// What came of a search.
struct Searched {
    answer: Result<String, Trouble>,
    /// What is wrong with the last step, if that was noticed.
    misfit: Option<String>,
}

/// When a search has to end.
struct Times {
    /// Nobody thinks any longer.
    until: Instant,
    /// Nobody is waited for any longer.
    latest: Instant,
    /// As long as no legal move is known.
    last: Instant,
}

impl Player for Local {
    fn prepare(&mut self, start: &Start, clock: &Clock<'_>) -> Result<(), Trouble> {
        // Managers wait for the start clock and not longer.
        let kept = margin(clock.seconds).max(0.2).min(clock.seconds * 0.3);
        let until = after(clock.left() - kept);
        let desk = Arc::new(Desk {
            over: Arc::clone(&self.over),
            bell: Arc::clone(&self.bell),
            inside: Mutex::new(Inside::default()),
            changed: Condvar::new(),
        });
        self.run = Some(Run { desk: Arc::clone(&desk), history: Vec::new(), asked: None });
        begin(&desk, start, &self.plan, self.shelf.clone())?;
        let all = until.saturating_duration_since(Instant::now());
        desk.wait(until - all.mul_f32(1.0 - WAIT), |inside| inside.done);
        let latest = until + Duration::from_secs_f64(kept / 2.0);
        if desk.failed().is_none() {
            self.study(&desk, until, latest)?;
        }
        if let Some(why) = desk.failed() {
            self.end();
            return Err(Trouble::Lost(why));
        }
        Ok(())
    }

    fn choose(&mut self, last: Option<&[String]>, clock: &Clock<'_>) -> Result<String, Trouble> {
        let Some(mut run) = self.run.take() else { return Err(Trouble::Lost("there is no match".to_string())) };
        let seat = run.desk.lock().seat;
        let result = match run.hear(last, seat) {
            Question::Repeat(answer) => Ok(answer),
            Question::Search(spare) => {
                let searched = self.search(&run, spare, clock);
                // What does not fit did not happen. What was noticed too late is passed over by everybody.
                if let Some(misfit) = searched.misfit {
                    run.history.pop();
                    let _ = writeln!(stderr(), "{misfit}; passed over");
                }
                searched.answer
            }
        };
        // What was cut short is not repeated: whoever asks again has time for something better.
        if let (Ok(answer), Some(asked), false) = (&result, &mut run.asked, self.bell.load(Ordering::Relaxed)) {
            asked.answer = Some(answer.clone());
        }
        self.run = Some(run);
        result
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

    fn bell(&self) -> Option<Arc<AtomicBool>> {
        Some(Arc::clone(&self.bell))
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
    times: &Times,
    so_far: &dyn Fn() -> Option<String>,
) -> Heard {
    let began = Instant::now();
    let enough = times.until.saturating_duration_since(began) / 3;
    loop {
        let left = times.latest.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        match receiver.recv_timeout(left.min(Duration::from_millis(20))) {
            Ok(answer) => return Heard::Answer(answer),
            // The mind has crashed; what it thought best until then still counts.
            Err(RecvTimeoutError::Disconnected) => return Heard::Silence,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now = Instant::now();
        if desk.is_called() || now >= times.last || now >= times.latest && so_far().is_some() {
            return Heard::Silence;
        }
        if times.until.saturating_duration_since(now) > enough && desk.has_room_for_better(rank) {
            return Heard::BetterEngine;
        }
    }
}
