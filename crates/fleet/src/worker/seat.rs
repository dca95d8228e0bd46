//! One seat of a worker in one match: hears what to think about, thinks, and tells what it finds.
//!
//! Two threads: one hears orders, watches the search and reports; the other searches. A new state ends the search of the old one at
//! once. A player that is not heard of for a while is gone, and the seat is free again.

use super::link::{Heard, Link, Waiting};
use super::{Inside, Job};
use crate::carrier::Inbox;
use crate::message::{self, Bad, Command, MOST_BYTES, MOST_LINE, MOST_MOVES, MoveReport, News, Order, Recruit, Report};
use agent::searcher::searcher;
use agent::spec::{Method, PlayerSpec};
use game::{Cancel, Move, Names, Role, roles};
use machine::{Engine, State};
use search::{Budget, Exchange, Found, Monitor, Searcher};
use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A player that was not heard of for so long is gone.
const LEASE: Duration = Duration::from_secs(5);
/// How long a seat says nothing at most.
const SILENCE: Duration = Duration::from_millis(400);
/// When the first report of a search comes; the pauses double from there.
const FIRST_REPORT: Duration = Duration::from_millis(25);
/// The longest pause between two reports.
const LAST_PAUSE: Duration = Duration::from_millis(500);
/// Room for searches that use the stack; only what is used is ever taken.
const STACK: usize = 64 << 20;

/// What the two threads share.
pub(super) struct Seat {
    inside: Arc<Inside>,
    pub(super) recruit: Recruit,
    /// The number of the last finding; held while one is sent, so that they leave in order.
    count: Mutex<u64>,
    /// The last word on the last question.
    last: Mutex<Option<Report>>,
    /// Ends everything.
    cancel: Cancel,
    engine: OnceLock<(Engine, Role)>,
}

/// A question.
pub(super) struct Task {
    pub(super) turn: u64,
    facts: Vec<String>,
    seed: u64,
    pub(super) seconds: Option<f64>,
    prepare: bool,
    began: Instant,
    pub(super) cancel: Cancel,
    /// What other trees have gained, until ours takes it in.
    pub(super) waiting: Waiting,
    monitor: Monitor,
    is_over: AtomicBool,
}

impl Seat {
    pub(super) fn tell(&self, what: News) {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        self.inside.tell(&self.recruit, *count, what);
    }

    /// Tells what was found, unless the search has told its last word already.
    fn report(&self, task: &Task, found: Option<&Found>, is_last: bool) {
        let Some((engine, _)) = self.engine.get() else { return };
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        if task.is_over.load(Ordering::Acquire) {
            return;
        }
        task.is_over.store(is_last, Ordering::Release);
        let report = match found {
            Some(found) => in_words(engine, task.turn, found, is_last),
            None => Report { turn: task.turn, is_last, value: 50.0, ..Report::default() },
        };
        if is_last {
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(report.clone());
        }
        *count += 1;
        self.inside.tell(&self.recruit, *count, News::Found(report));
    }

    /// Tells the last word on a question again, if it was told: somebody asks who may not have heard it.
    fn repeat(&self, turn: u64) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(report) = last.filter(|report| report.turn >= turn) {
            self.tell(News::Found(report));
        }
    }
}

/// What was found, in the words of the rules and within the limits of messages.
fn in_words(engine: &Engine, turn: u64, found: &Found, is_last: bool) -> Report {
    let text = |mv: Move| engine.move_text(mv);
    let mut choices = found.moves.clone();
    choices.sort_by_key(|choice| Reverse(choice.visits));
    choices.truncate(MOST_MOVES);
    let mut room = MOST_BYTES / 2;
    let reward = |value: f32| if value.is_finite() { value.clamp(0.0, 100.0) } else { 50.0 };
    let mut moves = Vec::with_capacity(choices.len());
    for choice in choices {
        let mv = text(choice.mv);
        let size = mv.len() + 100;
        if size > room {
            break;
        }
        room -= size;
        let share = if choice.share.is_finite() { choice.share.clamp(0.0, 1.0) } else { 0.0 };
        let (value, visits, proven) = (reward(choice.value), choice.visits, choice.proven);
        moves.push(MoveReport { mv, value, visits, proven, share });
    }
    let line = found.line.iter().take(MOST_LINE).map(|joint| joint.iter().map(|&mv| text(mv)).collect()).collect();
    Report {
        turn,
        is_last,
        best: found.mv.map(text),
        value: reward(found.value),
        proven: found.proven,
        depth: found.depth,
        nodes: found.nodes,
        playouts: found.playouts,
        line,
        moves,
    }
}

/// Takes the seat, on threads of its own.
pub fn sit(inside: &Arc<Inside>, recruit: Recruit, spec: PlayerSpec, job: Job) -> Result<(), String> {
    let inbox = inside.carrier.listen(&[message::to_crew(&recruit.match_id)])?;
    let seat = Arc::new(Seat {
        inside: Arc::clone(inside),
        recruit,
        count: Mutex::new(0),
        last: Mutex::default(),
        cancel: inside.cancel.child(),
        engine: OnceLock::new(),
    });
    let (sender, tasks) = mpsc::channel();
    let own = Arc::clone(&seat);
    let spawn = |name: &str, body: Box<dyn FnOnce() + Send>| {
        let thread = thread::Builder::new().name(name.into()).stack_size(STACK).spawn(body);
        thread.map(|_| ()).map_err(|error| format!("cannot start a thread: {error}"))
    };
    spawn("search", Box::new(move || search_all(&own, &spec, &tasks)))?;
    spawn("seat", Box::new(move || listen(&seat, &inbox, &sender, &job)))
}

/// The question that an order asks, if it asks one.
fn asked(seat: &Seat, what: Command) -> Option<Task> {
    let Command::Think { turn, facts, seed, prepare, seconds, trees } = what else { return None };
    let task = Task {
        turn,
        facts,
        seed: seed.wrapping_add(seat.recruit.seed),
        seconds,
        prepare,
        began: Instant::now(),
        cancel: seat.cancel.child(),
        waiting: Waiting::default(),
        monitor: Monitor::new(),
        is_over: AtomicBool::new(false),
    };
    task.waiting.count(trees);
    Some(task)
}

/// Hears orders until the match is over, and watches the search.
fn listen(seat: &Arc<Seat>, inbox: &Inbox, tasks: &Sender<Arc<Task>>, job: &Job) {
    let (mut heard, mut spoken) = (Instant::now(), Instant::now());
    let (mut last_count, mut last_turn) = (0, None);
    let mut task: Option<Arc<Task>> = None;
    let (mut reported, mut pause, mut counted) = (Instant::now(), FIRST_REPORT, 0);
    while !seat.cancel.is_cancelled() && heard.elapsed() < LEASE {
        let mail = inbox.next(Duration::from_millis(10));
        if let Some(order) = mail.and_then(|mail| seat.inside.read::<Order>(&mail)) {
            if order.key != seat.recruit.crew_key {
                seat.inside.dropped.count(&Bad::Forged);
                continue;
            }
            if order.count <= last_count {
                seat.inside.dropped.count(&Bad::Replayed);
                continue;
            }
            (last_count, heard) = (order.count, Instant::now());
            match order.what {
                Command::Stop { turn } => {
                    if let Some(task) = task.as_ref().filter(|task| task.turn <= turn) {
                        task.cancel.cancel();
                    }
                }
                Command::Think { turn, trees, .. } if last_turn.is_some_and(|last| turn <= last) => {
                    task.iter().filter(|task| task.turn == turn).for_each(|task| task.waiting.count(trees));
                    seat.repeat(turn);
                }
                Command::Gained { turn, trees, lists, gains } => {
                    if let Some(task) = task.as_ref().filter(|task| task.turn == turn) {
                        task.waiting.count(trees);
                        task.waiting.put(Heard { lists, gains });
                    }
                }
                Command::Think { turn, .. } => {
                    if let Some(new) = asked(seat, order.what) {
                        if let Some(old) = task.take() {
                            old.cancel.cancel();
                        }
                        last_turn = Some(turn);
                        let (id, player) = (&seat.recruit.match_id, &seat.recruit.player);
                        job.say(&format!("match {id} as {player}: question {turn}"));
                        let new = Arc::new(new);
                        (reported, pause, counted) = (Instant::now(), FIRST_REPORT, 0);
                        // If the other thread is gone, it has said why.
                        let _ = tasks.send(Arc::clone(&new));
                        task = Some(new);
                    }
                }
                Command::Beat => {}
                Command::End => break,
            }
        }
        if let Some(now) = task.as_ref().filter(|task| !task.is_over.load(Ordering::Acquire)) {
            now.monitor.ask();
            if reported.elapsed() >= pause {
                if let Some(found) = now.monitor.report() {
                    let work = found.nodes + found.playouts;
                    seat.inside.work.fetch_add(work.saturating_sub(counted), Ordering::Relaxed);
                    counted = work.max(counted);
                    seat.report(now, Some(&found), false);
                    spoken = Instant::now();
                }
                (reported, pause) = (Instant::now(), (pause * 2).min(LAST_PAUSE));
            }
        }
        if spoken.elapsed() >= SILENCE {
            seat.tell(News::Beat);
            spoken = Instant::now();
        }
    }
    seat.cancel.cancel();
    seat.tell(News::Left);
}

/// Gets to know the game, and searches whatever comes.
fn search_all(seat: &Arc<Seat>, spec: &PlayerSpec, tasks: &Receiver<Arc<Task>>) {
    let refuse = |why: String| {
        seat.tell(News::Refused { why: why.chars().take(500).collect() });
        seat.cancel.cancel();
    };
    let known = match seat.inside.shelf.game(&seat.recruit.rules, spec, &seat.inside, &seat.cancel) {
        Ok(known) => known,
        Err(why) => return refuse(why),
    };
    let engine = known.engine.clone();
    let is_own = |role: &Role| engine.role_name(*role).eq_ignore_ascii_case(&seat.recruit.role);
    let Some(role) = roles(&engine).find(is_own) else {
        return refuse(format!("the rules have no role {}", seat.recruit.role));
    };
    let _ = seat.engine.set((engine.clone(), role));
    let mut searcher = searcher(spec, &engine, &known.knowledge);
    let link =
        (seat.recruit.rounds > 1 && matches!(spec.method, Method::Uct(_))).then(|| Arc::new(Link::new(seat, &engine)));
    searcher.exchange_with(link.clone().map(|link| link as Arc<dyn Exchange>));
    seat.tell(News::Ready);
    // Whoever has more than one question wants the last one answered.
    while let Some(mut task) = wait(seat, tasks) {
        while let Ok(newer) = tasks.try_recv() {
            task = newer;
        }
        let facts: Vec<&str> = task.facts.iter().map(String::as_str).collect();
        match engine.state_of(&facts) {
            Some(state) => think(seat, spec, &task, (&engine, &state, role), &mut *searcher, link.as_deref()),
            None => seat.report(&task, None, true),
        }
    }
}

fn wait(seat: &Seat, tasks: &Receiver<Arc<Task>>) -> Option<Arc<Task>> {
    loop {
        match tasks.recv_timeout(Duration::from_millis(200)) {
            Ok(task) => return Some(task),
            Err(mpsc::RecvTimeoutError::Timeout) if !seat.cancel.is_cancelled() => {}
            Err(_) => return None,
        }
    }
}

/// Searches one state, until its time is over or somebody says stop.
fn think(
    seat: &Seat,
    spec: &PlayerSpec,
    task: &Arc<Task>,
    (engine, state, role): (&Engine, &State, Role),
    searcher: &mut dyn Searcher<Engine>,
    link: Option<&Link>,
) {
    let seconds = task.seconds.unwrap_or(f64::INFINITY).min(spec.limits.seconds.unwrap_or(f64::INFINITY)).max(0.001);
    let spent = || match task.cancel.is_cancelled() {
        true => 2.0,
        false => (task.began.elapsed().as_secs_f64() / seconds) as f32,
    };
    let budget = Budget { seed: task.seed, seconds: Some(seconds as f32), ..spec.budget(&spent, task.seed) };
    if let Some(link) = link {
        link.attend(Some((task, budget.playouts)));
    }
    let found = if task.prepare {
        let _ = searcher.prepare(engine, state, role, &budget);
        None
    } else {
        searcher.search(engine, state, role, &budget, &task.monitor).ok()
    };
    if let Some(link) = link {
        link.attend(None);
    }
    seat.report(task, found.as_ref(), true);
}
