//! How the tree of a seat reaches the trees of the others: what it gains goes to the player, and what all have gained comes back.
//!
//! Where random games are counted, that happens a fixed number of times a search, and each time the answer is waited for, so that every run goes the same
//! way; but not for long, and after it was waited for in vain not again in this search. Where clocks decide, nobody is waited for.

use super::seat::{Seat, Task};
use crate::gains::{Gains, name, without};
use crate::message::News;
use game::{Move, Names, Role};
use machine::Engine;
use search::exchange::{Exchange, Gain};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Where clocks decide, a tree tells what it has gained after so long; where there are more than so many trees, as many times as long.
const PACE: (Duration, u32) = (Duration::from_millis(250), 32);
/// Where random games are counted, the answer is waited for such a part of the time for a move, and no less and no longer than so many seconds: a
/// little longer than the player waits for the others.
const PATIENCE: (f64, f64, f64) = (0.1, 0.1, 10.0);
/// Answers that wait to be read; of more the oldest are dropped.
const MOST_WAITING: usize = 64;
/// Lists that are remembered until the answer comes that has them.
const MOST_SENT: usize = 64;

/// What all trees have gained, as it came.
pub struct Heard {
    /// Whose lists it is made of, and which ones.
    pub lists: Vec<(u32, u64)>,
    /// What was gained.
    pub gains: Gains,
}

/// Where what is heard waits for the tree.
#[derive(Default)]
pub struct Waiting {
    heard: Mutex<Vec<Heard>>,
    changed: Condvar,
    /// How many grow trees.
    trees: AtomicU32,
}

impl Waiting {
    /// So many grow trees.
    pub fn count(&self, trees: u32) {
        self.trees.store(trees, Ordering::Relaxed);
    }

    /// Something has come.
    pub fn put(&self, heard: Heard) {
        let mut waiting = lock(&self.heard);
        if waiting.len() >= MOST_WAITING {
            waiting.remove(0);
        }
        waiting.push(heard);
        self.changed.notify_all();
    }
}

/// The search at hand.
struct Now {
    task: Arc<Task>,
    /// Random games that are allowed.
    counted: Option<u64>,
    /// Lists that no answer had yet, by their numbers.
    sent: BTreeMap<u64, Vec<Gain>>,
    number: u64,
    last: Instant,
    waits: bool,
}

impl Now {
    fn trees(&self) -> u32 {
        self.task.waiting.trees.load(Ordering::Relaxed)
    }
}

/// See the module.
pub struct Link {
    seat: Arc<Seat>,
    engine: Engine,
    now: Mutex<Option<Now>>,
    names: Mutex<HashMap<(Role, Move), u64>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Link {
    /// Nothing is searched yet.
    pub fn new(seat: &Arc<Seat>, engine: &Engine) -> Link {
        Link { seat: Arc::clone(seat), engine: engine.clone(), now: Mutex::default(), names: Mutex::default() }
    }

    /// A search begins, or has ended.
    pub fn attend(&self, search: Option<(&Arc<Task>, Option<u64>)>) {
        *lock(&self.now) = search.map(|(task, counted)| Now {
            task: Arc::clone(task),
            counted,
            sent: BTreeMap::new(),
            number: 0,
            last: Instant::now(),
            waits: true,
        });
    }

    /// How often gains are exchanged where so many random games are counted: not more often than there are games.
    fn rounds(&self, playouts: u64) -> u64 {
        u64::from(self.seat.recruit.rounds).clamp(1, playouts.max(1))
    }
}

impl Exchange for Link {
    fn is_due(&self, playouts: u64) -> bool {
        let now = lock(&self.now);
        let Some(now) = now.as_ref().filter(|now| now.trees() > 1) else { return false };
        match now.counted {
            Some(most) => {
                let rounds = u128::from(self.rounds(most));
                u128::from(now.number) < rounds
                    && u128::from(playouts) * rounds >= u128::from(now.number) * u128::from(most)
            }
            None => now.last.elapsed() >= PACE.0 * now.trees().div_ceil(PACE.1),
        }
    }

    fn trees(&self) -> u32 {
        lock(&self.now).as_ref().map_or(1, Now::trees)
    }

    fn names(&self, role: Role, moves: &[Move]) -> Vec<u64> {
        let mut names = lock(&self.names);
        let mut of = |&mv: &Move| *names.entry((role, mv)).or_insert_with(|| name(&self.engine.move_text(mv)));
        moves.iter().map(&mut of).collect()
    }

    fn exchange(&self, gains: Vec<Gain>) -> Vec<Vec<Gain>> {
        let mut now = lock(&self.now);
        let Some(now) = now.as_mut() else { return Vec::new() };
        let (seat, number, task) = (self.seat.recruit.seat, now.number, Arc::clone(&now.task));
        (now.number, now.last) = (number + 1, Instant::now());
        let gains = Gains::of(&gains);
        now.sent.insert(number, gains.read());
        if now.sent.len() > MOST_SENT {
            now.sent.pop_first();
        }
        self.seat.tell(News::Gained { turn: task.turn, number, gains });
        let mut waiting = lock(&task.waiting.heard);
        if now.counted.is_some() && now.waits {
            let (part, least, most) = PATIENCE;
            let patience = task.seconds.map_or(most, |seconds| (part * seconds).clamp(least, most));
            let is_answered = |waiting: &[Heard]| waiting.iter().any(|heard| heard.lists.contains(&(seat, number)));
            while !is_answered(&waiting) && !task.cancel.is_cancelled() {
                if now.last.elapsed().as_secs_f64() >= patience {
                    now.waits = false;
                    break;
                }
                // Whoever cancels tells nobody.
                let again = task.waiting.changed.wait_timeout(waiting, Duration::from_millis(20));
                waiting = again.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        let heard = std::mem::take(&mut *waiting);
        drop(waiting);
        let others = |Heard { lists, gains }: Heard| {
            let own = lists.iter().filter(|list| list.0 == seat).filter_map(|list| now.sent.remove(&list.1));
            own.fold(gains.read(), |all, own| without(all, &own))
        };
        heard.into_iter().map(others).collect()
    }
}
