//! Rules of enormous size: loaded or refused within the memory allowed, and given up soon after the word to stop.

use game::Cancel;
use machine::{Budget, Limits, PropNet, Prover, RuleCode};
use std::alloc::{GlobalAlloc, Layout, System};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, mpsc};
use std::time::{Duration, Instant};

/// Counts what is allocated, and the most that ever was.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is done by the system's allocator; the counters do not touch memory that it hands out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Tests that count or measure must not run beside each other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The most bytes that were allocated at one time during this, beyond what there was before.
fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let done = work();
    (done, MOST.load(Ordering::Relaxed) - before)
}

const FRAME: &str = "(role me) (init s) (q a) (q b) (<= (legal me go) (true s)) (<= (next s) (true s))
    (<= terminal (true e)) (<= (goal me 100) (true e))\n";

/// Rules of as many relations, each used by one more rule in one of several ways.
fn rules(count: usize, form: impl Fn(usize) -> String) -> gdl::Rules {
    let text: String = FRAME.to_string() + &(0..count).map(form).collect::<String>();
    let parsed = gdl::parse(&text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems.first());
    parsed.rules
}

/// 480,000 relations in 8 MB.
fn eight_megabytes() -> &'static gdl::Rules {
    static RULES: OnceLock<gdl::Rules> = OnceLock::new();
    RULES.get_or_init(|| rules(480_000, |i| format!("(r{i} a{i})\n")))
}

/// Everything that engines do with rules: facts and moves of many forms, chains of relations, denials, composed conditions.
fn of_every_kind(count: usize) -> gdl::Rules {
    rules(count, |i| {
        format!(
            "(<= (legal me (m{i} ?x)) (true (f{i} ?x)) (q ?x) (not (c{i} ?x)))
             (<= (next (f{i} ?x)) (does me (m{i} ?x))) (init (f{i} a)) (t{i} a b)
             (<= (c{} ?x) (c{i} ?x) (true (f{i} ?x))) (<= (c{i} ?x) (t{i} ?x ?y) (or (true (f{i} ?y)) (c{} ?y)))\n",
            i + 1,
            i / 2,
        )
    })
}

#[test]
fn eight_megabytes_of_relations_take_no_more_memory_than_allowed() {
    let _alone = alone();
    let rules = eight_megabytes();
    let (prover, bytes) = peak(|| Prover::new(rules).unwrap());
    assert!(bytes < 600 << 20, "the prover took {} MB", bytes >> 20);
    let (code, bytes) = peak(|| RuleCode::from_prover(rules, &prover, Limits::default()).map(drop));
    code.unwrap();
    assert!(bytes < 600 << 20, "rule code took {} MB", bytes >> 20);
    let (net, bytes) = peak(|| PropNet::from_prover(rules, &prover, Budget::default()).map(drop));
    net.unwrap();
    assert!(bytes < 600 << 20, "the net took {} MB", bytes >> 20);
}

#[test]
fn too_little_memory_is_an_ordinary_error() {
    let _alone = alone();
    let rules = eight_megabytes();
    let small = 64 << 20;
    let (refused, bytes) = peak(|| Prover::with_limits(rules, Limits { memory: small, ..Limits::default() }).err());
    assert!(refused.unwrap().message.contains("more memory than allowed"));
    assert!(bytes < 2 * small, "{} MB", bytes >> 20);
    // Rules that the prover still can take, but not the engines that write them out.
    let rules = of_every_kind(6_000);
    let prover = Prover::new(&rules).unwrap();
    let small = 4 << 20;
    let limits = Limits { memory: small, ..Limits::default() };
    let (refused, bytes) = peak(|| RuleCode::from_prover(&rules, &prover, limits).err());
    assert!(refused.unwrap().message.contains("more memory than allowed"));
    assert!(bytes < 64 << 20, "{} MB", bytes >> 20);
    let (refused, bytes) = peak(|| PropNet::from_prover(&rules, &prover, Budget::new(100_000_000, small)).err());
    assert!(refused.unwrap().reason.contains("more memory than allowed"));
    assert!(bytes < 64 << 20, "{} MB", bytes >> 20);
}

/// The time that a thread was really run, where the system tells; other work on the machine does not count.
fn run_time(thread: &Path) -> Option<Duration> {
    let text = std::fs::read_to_string(thread.join("schedstat")).ok()?;
    Some(Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?))
}

/// How long it runs on after the word to stop, which comes after some time; `None` if it was done before.
fn runs_on(after: Duration, work: &(dyn Fn(Cancel) -> bool + Sync)) -> Option<Duration> {
    let cancel = Cancel::new();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let token = cancel.clone();
        let worker = scope.spawn(move || {
            let me = std::fs::read_link("/proc/thread-self").map(|link| PathBuf::from("/proc").join(link));
            let me = me.unwrap_or_default();
            sender.send(me.clone()).unwrap();
            let finished = work(token);
            (finished, run_time(&me), Instant::now())
        });
        let thread = receiver.recv().unwrap();
        std::thread::sleep(after);
        let (told, at) = (run_time(&thread), Instant::now());
        cancel.cancel();
        let (finished, ended, end) = worker.join().unwrap();
        let ran_on = match (told, ended) {
            (Some(told), Some(ended)) => ended.saturating_sub(told),
            _ => end.saturating_duration_since(at),
        };
        (!finished).then_some(ran_on)
    })
}

/// Cancels at many moments of the work. What it still does after the word to stop, and dropping what it had, is to be short.
fn stops_soon(what: &str, work: &(dyn Fn(Cancel) -> bool + Sync)) {
    let start = Instant::now();
    assert!(work(Cancel::new()), "{what} ends by itself");
    let whole = start.elapsed();
    let moments = 12;
    let found: Vec<Duration> = (0..moments).filter_map(|at| runs_on(whole * at / moments, work)).collect();
    assert!(found.len() >= moments as usize / 3, "{what}: only {} of {moments} were in time", found.len());
    let longest = found.iter().max().unwrap();
    assert!(*longest < Duration::from_millis(150), "{what} ran on for {longest:?} (of {whole:?})");
}

#[test]
fn every_stage_of_loading_hears_the_word_to_stop() {
    let _alone = alone();
    let rules = of_every_kind(2_500);
    let limits = |cancel: Cancel| Limits { cancel, ..Limits::default() };
    stops_soon("the prover", &|cancel| Prover::with_limits(&rules, limits(cancel)).is_ok());
    let prover = Prover::new(&rules).unwrap();
    stops_soon("rule code", &|cancel| RuleCode::from_prover(&rules, &prover, limits(cancel)).is_ok());
    stops_soon("the net", &|cancel| PropNet::from_prover(&rules, &prover, Budget::default().until(&cancel)).is_ok());
}
