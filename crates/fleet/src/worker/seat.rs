//! One seat of a worker in one match: hears what to think about, thinks, and tells what it finds.
//!
//! Two threads: one hears orders, watches the search and reports; the other searches. A new state ends the search of the old one at
//! once. A player that is not heard of for a while is gone, and the seat is free again.

use super::words::Words;
use super::{Inside, Job};
use crate::carrier::Inbox;
use crate::message::{
    self, Bad, Command, MOST_BYTES, MOST_LINE, MOST_MOVES, MoveReport, News, Order, PlyReport, Recruit, Report,
};
use agent::searcher::searcher;
use agent::spec::{Method, PlayerSpec};
use game::{Cancel, Move, Names, Role, roles};
use machine::{Engine, State};
use search::{Budget, Found, Monitor, Searcher};
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
struct Seat {
    inside: Arc<Inside>,
    recruit: Recruit,
    /// The number of the last finding; held while one is sent, so that they leave in order.
    count: Mutex<u64>,
    /// The last word on the last question.
    last: Mutex<Option<Report>>,
    /// What earlier parts of a search took: the question, nodes and random games.
    earlier: Mutex<(u64, u64, u64)>,
    /// Ends everything.
    cancel: Cancel,
    engine: OnceLock<(Engine, Role)>,
}

/// A question.
struct Task {
    turn: u64,
    /// The turn in which it was first asked, and which part of the search this is.
    first: u64,
    round: u32,
    /// What all have found in the earlier parts.
    plies: Vec<PlyReport>,
    facts: Arc<Vec<String>>,
    seed: u64,
    seconds: Option<f64>,
    prepare: bool,
    began: Instant,
    cancel: Cancel,
    monitor: Monitor,
    is_over: AtomicBool,
}

impl Seat {
    fn tell(&self, what: News) {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        self.inside.tell(&self.recruit, *count, what);
    }

    /// Tells what was found, unless the search has told its last word already.
    fn report(&self, task: &Task, found: Option<&Found>, plies: Vec<PlyReport>, is_last: bool) {
        let Some((engine, _)) = self.engine.get() else { return };
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        if task.is_over.load(Ordering::Acquire) {
            return;
        }
        task.is_over.store(is_last, Ordering::Release);
        let (first, nodes, playouts) = *self.earlier.lock().unwrap_or_else(PoisonError::into_inner);
        let (nodes, playouts) = if first == task.first { (nodes, playouts) } else { (0, 0) };
        let report = match found {
            Some(found) => {
                let report = in_words(engine, task.turn, found, is_last);
                Report { nodes: report.nodes + nodes, playouts: report.playouts + playouts, plies, ..report }
            }
            None => Report { turn: task.turn, is_last, value: 50.0, ..Report::default() },
        };
        if is_last {
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(report.clone());
        }
        *count += 1;
        self.inside.tell(&self.recruit, *count, News::Found(report));
    }

    /// What one part of a search took counts for the whole of it.
    fn spent(&self, task: &Task, found: &Found) {
        let mut earlier = self.earlier.lock().unwrap_or_else(PoisonError::into_inner);
        let (nodes, playouts) = if earlier.0 == task.first { (earlier.1, earlier.2) } else { (0, 0) };
        *earlier = (task.first, nodes + found.nodes, playouts + found.playouts);
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
        plies: Vec::new(),
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
        earlier: Mutex::default(),
        cancel: inside.cancel.child(),
        engine: OnceLock::new(),
    });
    let (sender, tasks) = mpsc::channel();
    let own = Arc::clone(&seat);
    let spawn = |name: &str, body: Box<dyn FnOnce() + Send>| {
        let thread = thread::Builder::new().name(name.into()).stack_size(STACK).spawn(body);
        thread.map(|_| ()).map_err(|error| format!("cannot start a thread: {error}"))
    };
    let grows = seat.recruit.rounds > 1 && matches!(spec.method, Method::Uct(_));
    spawn("search", Box::new(move || search_all(&own, &spec, &tasks)))?;
    spawn("seat", Box::new(move || listen(&seat, &inbox, &sender, &job, grows)))
}

impl Task {
    /// A part of a search, cancelled with the seat.
    fn new(seat: &Seat, turn: u64, facts: Arc<Vec<String>>, seed: u64, seconds: Option<f64>) -> Task {
        Task {
            turn,
            first: turn,
            round: 0,
            plies: Vec::new(),
            facts,
            seed: seed.wrapping_add(seat.recruit.seed),
            seconds,
            prepare: false,
            began: Instant::now(),
            cancel: seat.cancel.child(),
            monitor: Monitor::new(),
            is_over: AtomicBool::new(false),
        }
    }
}

/// The part of a search that an order begins, if it begins one: a new question, or how the one at hand goes on.
fn ordered(seat: &Seat, what: Command, at_hand: Option<&Task>, grows: bool) -> Option<Task> {
    match what {
        Command::Think { turn, facts, seed, prepare, seconds } => {
            Some(Task { prepare, ..Task::new(seat, turn, Arc::new(facts), seed, seconds) })
        }
        Command::GoOn { turn, first, round, seconds, plies } => {
            // Whoever does not grow a tree is at it still; who has not heard the question will be asked again.
            let task = at_hand.filter(|task| grows && task.first == first && !task.prepare)?;
            let seed = task.seed.wrapping_sub(seat.recruit.seed).wrapping_add(0x5851_f42d_4c95_7f2d);
            let facts = Arc::clone(&task.facts);
            Some(Task { first, round, plies, ..Task::new(seat, turn, facts, seed, seconds) })
        }
        Command::Stop { .. } | Command::Beat | Command::End => None,
    }
}

/// Hears orders until the match is over, and watches the search.
fn listen(seat: &Arc<Seat>, inbox: &Inbox, tasks: &Sender<Arc<Task>>, job: &Job, grows: bool) {
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
                Command::Think { turn, .. } | Command::GoOn { turn, .. }
                    if last_turn.is_some_and(|last| turn <= last) =>
                {
                    seat.repeat(turn);
                }
                Command::Think { turn, .. } | Command::GoOn { turn, .. } => {
                    if let Some(new) = ordered(seat, order.what, task.as_deref(), grows) {
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
                    seat.report(now, Some(&found), Vec::new(), false);
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
    let mut words = Words::new(&engine);
    seat.tell(News::Ready);
    // Whoever has more than one question wants the last one answered.
    while let Some(mut task) = wait(seat, tasks) {
        while let Ok(newer) = tasks.try_recv() {
            task = newer;
        }
        let facts: Vec<&str> = task.facts.iter().map(String::as_str).collect();
        match engine.state_of(&facts) {
            Some(state) => think(seat, spec, &task, &state, role, &mut *searcher, &mut words),
            None => seat.report(&task, None, Vec::new(), true),
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
    task: &Task,
    state: &State,
    role: Role,
    searcher: &mut dyn Searcher<Engine>,
    words: &mut Words<'_>,
) {
    let engine = words.engine();
    // A search that is divided spends as much in all.
    let is_divided = seat.recruit.rounds > 1 && matches!(spec.method, Method::Uct(_)) && !task.prepare;
    let (round, rounds) = if is_divided { (task.round, seat.recruit.rounds) } else { (0, 1) };
    let seconds = task.seconds.unwrap_or(f64::INFINITY).min(spec.limits.seconds.unwrap_or(f64::INFINITY));
    let seconds = (seconds / f64::from(rounds.saturating_sub(round).max(1))).max(0.001);
    let spent = || match task.cancel.is_cancelled() {
        true => 2.0,
        false => (task.began.elapsed().as_secs_f64() / seconds) as f32,
    };
    let mut budget = Budget { seed: task.seed, seconds: Some(seconds as f32), ..spec.budget(&spent, task.seed) };
    let part = |count: u64| part(count, round, rounds);
    (budget.playouts, budget.nodes) = (budget.playouts.map(part), budget.nodes.map(part));
    if task.prepare {
        let _ = searcher.prepare(engine, state, role, &budget);
        return seat.report(task, None, Vec::new(), true);
    }
    if !task.plies.is_empty() {
        searcher.learn(state, &words.heard(&task.plies));
    }
    let found = searcher.search(engine, state, role, &budget, &task.monitor).ok();
    let plies = if is_divided && round + 1 < rounds { words.told(&searcher.plies()) } else { Vec::new() };
    seat.report(task, found.as_ref(), plies, true);
    if let Some(found) = &found {
        seat.spent(task, found);
    }
}

/// How much of a count one of several parts has.
fn part(count: u64, round: u32, rounds: u32) -> u64 {
    let until = |round: u32| (u128::from(count) * u128::from(round) / u128::from(rounds)) as u64;
    (until(round + 1) - until(round)).max(1)
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn parts_make_the_whole() {
        for count in [4, 7, 100, 1_000_003, u64::MAX] {
            for rounds in [1, 2, 3, 4] {
                assert_eq!((0..rounds).map(|round| part(count, round, rounds)).sum::<u64>(), count);
            }
        }
        assert_eq!(part(2, 0, 4), 1);
    }
}
