//! Work with a time limit that holds: every task runs on its own thread, is told to stop when its time is over, and is
//! left behind if it does not.

use game::Cancel;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a task may take to notice that it should stop.
const GRACE: Duration = Duration::from_secs(2);

/// Room for engines that use the stack; only what is used is ever taken.
const STACK: usize = 64 << 20;

/// How a task ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Everything agrees.
    Ok,
    /// There was nothing to compare with; the rules load.
    Loaded,
    /// Everything agrees as far as the time allowed: up to where.
    Cut(String),
    /// Something differs.
    Mismatch(String),
    /// The rules do not load, or the engine gave up.
    Error(String),
}

/// How far a task has come.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// Recorded states compared, and how many there are.
    pub steps: (usize, usize),
    /// The greatest perft depth compared, and the greatest there is.
    pub perft: (usize, usize),
    /// Seconds until the rules were loaded.
    pub load: Option<f64>,
    /// What is being done.
    pub at: String,
}

/// What a task and its guard share.
#[derive(Default)]
pub struct Watch {
    /// Cancelled when the time is over.
    pub cancel: Cancel,
    reached: Mutex<Reached>,
}

impl Watch {
    /// Whether the time is over.
    pub fn stopped(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Notes how far the task has come.
    pub fn note(&self, change: impl FnOnce(&mut Reached)) {
        change(&mut self.reached.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// How far the task has come.
    pub fn reached(&self) -> Reached {
        self.reached.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Something to replay.
pub struct Task {
    /// The game's name.
    pub name: String,
    /// What to do.
    pub work: Box<dyn FnOnce(&Watch) -> Verdict + Send>,
}

/// A task that has ended.
pub struct Row {
    /// The game's name.
    pub name: String,
    /// How it ended.
    pub verdict: Verdict,
    /// How far it came.
    pub reached: Reached,
    /// How long it took.
    pub seconds: f64,
}

/// What is heard of tasks while they run.
pub enum Heard {
    /// A task has ended, and so have all before it.
    Row(Row),
    /// So many have ended. Said a few times a second.
    Done(usize),
}

/// How often it is said how many tasks have ended.
const OFTEN: Duration = Duration::from_millis(200);

/// Runs all tasks, `jobs` at a time, and hands over the rows in the order of the tasks as soon as they are there. Ends
/// early if `each` fails.
pub fn run_all<E>(
    tasks: Vec<Task>,
    jobs: usize,
    limit: Duration,
    mut each: impl FnMut(Heard) -> Result<(), E>,
) -> Result<(), E> {
    let count = tasks.len();
    let tasks: Vec<Mutex<Option<Task>>> = tasks.into_iter().map(|task| Mutex::new(Some(task))).collect();
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs.min(count) {
            let (tasks, next, sender) = (&tasks, &next, sender.clone());
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(slot) = tasks.get(index) else { return };
                    let task = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
                    let Some(task) = task else { continue };
                    if sender.send((index, guarded(task, limit))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut rows: Vec<Option<Row>> = (0..count).map(|_| None).collect();
        let (mut done, mut shown) = (0, 0);
        let mut hear = |heard: Heard| each(heard).inspect_err(|_| next.store(count, Ordering::Relaxed));
        loop {
            match receiver.recv_timeout(OFTEN) {
                Ok((index, row)) => {
                    done += 1;
                    rows[index] = Some(row);
                }
                Err(RecvTimeoutError::Timeout) => hear(Heard::Done(done))?,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            while let Some(row) = rows.get_mut(shown).and_then(Option::take) {
                shown += 1;
                hear(Heard::Row(row))?;
            }
        }
    })
}

/// Runs one task; comes back soon after the limit whatever the task does.
pub fn guarded(task: Task, limit: Duration) -> Row {
    let started = Instant::now();
    let watch = Arc::new(Watch::default());
    let (sender, receiver) = mpsc::channel();
    let Task { name, work } = task;
    let inner = Arc::clone(&watch);
    let body = move || {
        let _ = sender.send(work(&inner));
    };
    let verdict = match thread::Builder::new().name(name.clone()).stack_size(STACK).spawn(body) {
        Err(error) => Verdict::Error(format!("cannot start a thread: {error}")),
        Ok(_) => match receiver.recv_timeout(limit) {
            Ok(verdict) => verdict,
            Err(RecvTimeoutError::Disconnected) => crashed(&watch),
            Err(RecvTimeoutError::Timeout) => {
                watch.cancel.cancel();
                match receiver.recv_timeout(GRACE) {
                    Ok(verdict) => verdict,
                    Err(RecvTimeoutError::Disconnected) => crashed(&watch),
                    Err(RecvTimeoutError::Timeout) => Verdict::Cut(watch.reached().at),
                }
            }
        },
    };
    Row { name, verdict, reached: watch.reached(), seconds: started.elapsed().as_secs_f64() }
}

fn crashed(watch: &Watch) -> Verdict {
    Verdict::Error(format!("the engine crashed at {}: please report this", watch.reached().at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(name: &str, work: impl FnOnce(&Watch) -> Verdict + Send + 'static) -> Task {
        Task { name: name.to_string(), work: Box::new(work) }
    }

    #[test]
    fn a_task_that_listens_is_stopped() {
        let row = guarded(
            task("patient", |watch| {
                while !watch.stopped() {
                    thread::sleep(Duration::from_millis(1));
                }
                Verdict::Cut("waiting".to_string())
            }),
            Duration::from_millis(20),
        );
        assert_eq!(row.verdict, Verdict::Cut("waiting".to_string()));
        assert!(row.seconds < 2.0);
    }

    #[test]
    fn a_task_that_does_not_listen_is_left_behind() {
        let row = guarded(
            task("deaf", |watch| {
                watch.note(|reached| reached.at = "sleeping".to_string());
                thread::sleep(Duration::from_secs(60));
                Verdict::Ok
            }),
            Duration::from_millis(20),
        );
        assert_eq!(row.verdict, Verdict::Cut("sleeping".to_string()));
        assert!(row.seconds < 10.0);
    }

    #[test]
    fn whoever_waits_hears_how_far_it_is() {
        let slow = |_: &Watch| {
            thread::sleep(3 * OFTEN);
            Verdict::Ok
        };
        let mut heard = Vec::new();
        let result =
            run_all(vec![task("slow", slow), task("quick", |_| Verdict::Ok)], 2, Duration::from_secs(60), |now| {
                heard.push(match now {
                    Heard::Row(row) => row.name,
                    Heard::Done(done) => done.to_string(),
                });
                Ok::<(), ()>(())
            });
        assert_eq!(result, Ok(()));
        // The first one is waited for before the second one is shown, though that has ended.
        assert!(["0", "1"].contains(&heard[0].as_str()), "{heard:?}");
        assert!(heard.ends_with(&["slow".to_string(), "quick".to_string()]), "{heard:?}");
    }

    #[test]
    fn rows_come_in_the_order_of_the_tasks() {
        let tasks = (0..20u64).map(|n| {
            task(&n.to_string(), move |_| {
                thread::sleep(Duration::from_millis(20 - n));
                Verdict::Ok
            })
        });
        let mut names = Vec::new();
        let result = run_all(tasks.collect(), 4, Duration::from_secs(60), |heard| {
            if let Heard::Row(row) = heard {
                names.push(row.name);
            }
            Ok::<(), ()>(())
        });
        assert_eq!(result, Ok(()));
        assert_eq!(names, (0..20).map(|n| n.to_string()).collect::<Vec<_>>());
    }
}
