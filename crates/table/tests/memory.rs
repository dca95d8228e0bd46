//! What the solver says it needs is what it takes, counted by the allocator itself.

use game::{Game, Goal, Limit, Move, Role, Turn};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use table::file::Form;
use table::solve::{Options, Solved, StoredGame, key_of_facts, solve};

/// Bytes in use, and the most there were.
struct Counting;

static NOW: AtomicU64 = AtomicU64::new(0);
static MOST: AtomicU64 = AtomicU64::new(0);

// SAFETY: the system's allocator does all the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size() as u64, Relaxed) + layout.size() as u64;
        MOST.fetch_max(now, Relaxed);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size() as u64, Relaxed);
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test at a time.
static TURN: Mutex<()> = Mutex::new(());

/// Runs something; the most bytes that were in use meanwhile, beyond those before.
fn measured<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let before = NOW.load(Relaxed);
    MOST.store(before, Relaxed);
    let result = run();
    (result, MOST.load(Relaxed) - before)
}

/// Solves and perhaps stores a game. What it said it needs, and what it took.
fn said_and_taken<G: Game>(game: &G, name: Option<&table::solve::Name<'_, G>>) -> (Solved, u64, u64) {
    let mut said = 0;
    let ((solved, path), taken) = measured(|| {
        let solved = solve(game, &Options::default(), name, &mut |reach| {
            said = said.max(reach.needed);
            true
        })
        .unwrap();
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("memory-{}.table", said));
        if name.is_some() {
            let stored = StoredGame { name: "it", roles: &[], identity: "it", rules: "rules" };
            solved.store_game(&path, &stored, Form::Raw).unwrap();
        }
        (solved, path)
    });
    let _ = std::fs::remove_file(path);
    (solved, said, taken)
}

fn close<G: Game>(what: &str, game: &G, name: Option<&table::solve::Name<'_, G>>, least_states: u64) {
    let _turn = TURN.lock().unwrap();
    let (solved, said, taken) = said_and_taken(game, name);
    let states = solved.statistics().states;
    assert!(states >= least_states, "{what}: {states}");
    let ratio = said as f64 / taken as f64;
    println!("{what}: {states} states, said {said}, took {taken}, ratio {ratio:.2}");
    assert!((0.9..1.25).contains(&ratio), "{what}: {states} states, said {said}, took {taken}");
}

/// Tiles 1 to 8 and a gap (0) in a frame of three by three: can be repeated, and its states own nothing.
struct Eight;

impl Game for Eight {
    type State = [u8; 9];
    type View = [u8; 9];
    fn roles(&self) -> usize {
        1
    }
    fn start(&self) -> [u8; 9] {
        [0, 8, 5, 2, 1, 3, 6, 7, 4]
    }
    fn view(&self) -> [u8; 9] {
        [0; 9]
    }
    fn look(&self, state: &[u8; 9], view: &mut [u8; 9]) -> Result<(), Limit> {
        *view = *state;
        Ok(())
    }
    fn turn(&self, view: &[u8; 9]) -> Turn {
        if *view == [1, 2, 3, 4, 5, 6, 7, 8, 0] { Turn::Over } else { Turn::One(Role(0)) }
    }
    fn legal(&self, view: &[u8; 9], _: Role, out: &mut Vec<Move>) {
        let gap = view.iter().position(|tile| *tile == 0).unwrap();
        let beside = |at: usize| (at / 3).abs_diff(gap / 3) + (at % 3).abs_diff(gap % 3) == 1;
        out.extend((0..9).filter(|at| beside(*at)).map(|at| Move(at as u32)));
    }
    fn goal(&self, _: &mut [u8; 9], _: Role) -> Result<Option<Goal>, Limit> {
        Ok(Some(100))
    }
    fn play(&self, view: &mut [u8; 9], joint: &[Move], next: &mut [u8; 9]) -> Result<(), Limit> {
        *next = *view;
        next.swap(joint[0].0 as usize, view.iter().position(|tile| *tile == 0).unwrap());
        Ok(())
    }
}

/// Heaps from which one is taken at a time, with much beside them: never repeated, wide layers, and states that own what they hold.
struct Heaps {
    heaps: usize,
    height: u64,
    beside: usize,
}

impl Game for Heaps {
    type State = Box<[u64]>;
    type View = Box<[u64]>;
    fn roles(&self) -> usize {
        2
    }
    fn start(&self) -> Box<[u64]> {
        (0..self.heaps + self.beside).map(|at| if at < self.heaps { self.height } else { 7 }).collect()
    }
    fn view(&self) -> Box<[u64]> {
        self.start()
    }
    fn look(&self, state: &Box<[u64]>, view: &mut Box<[u64]>) -> Result<(), Limit> {
        view.copy_from_slice(state);
        Ok(())
    }
    fn turn(&self, view: &Box<[u64]>) -> Turn {
        let left: u64 = view[..self.heaps].iter().sum();
        if left == 0 { Turn::Over } else { Turn::One(Role((left % 2) as u8)) }
    }
    fn legal(&self, view: &Box<[u64]>, role: Role, out: &mut Vec<Move>) {
        if self.turn(view) == Turn::One(role) {
            out.extend((0..self.heaps).filter(|at| view[*at] > 0).map(|at| Move(at as u32)));
        } else {
            out.push(Move(0));
        }
    }
    fn goal(&self, _: &mut Box<[u64]>, role: Role) -> Result<Option<Goal>, Limit> {
        Ok(Some(if role.0 == 0 { 100 } else { 0 }))
    }
    fn play(&self, view: &mut Box<[u64]>, joint: &[Move], next: &mut Box<[u64]>) -> Result<(), Limit> {
        let Turn::One(role) = self.turn(view) else { return Ok(()) };
        next.copy_from_slice(view);
        next[joint[role.0 as usize].0 as usize] -= 1;
        Ok(())
    }
}

#[test]
fn a_puzzle_with_repetitions() {
    close("eight", &Eight, None, 181_440);
    close("eight, stored", &Eight, Some(&|state| key_of_facts([format!("{state:?}")])), 181_440);
}

#[test]
fn wide_layers_of_long_states() {
    close("heaps", &Heaps { heaps: 6, height: 5, beside: 1 }, None, 40_000);
    close("long heaps", &Heaps { heaps: 6, height: 5, beside: 60 }, None, 40_000);
    close("many heaps", &Heaps { heaps: 6, height: 6, beside: 10 }, None, 100_000);
}

/// A small game takes little and says so.
#[test]
fn small_games_say_that_they_are_small() {
    let _turn = TURN.lock().unwrap();
    let (_, said, taken) = said_and_taken(&Heaps { heaps: 4, height: 3, beside: 1 }, None);
    assert!(said < 400_000 && taken < 400_000 && said * 3 > taken, "said {said}, took {taken}");
}
