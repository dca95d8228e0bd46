//! Alpha-beta's views count within the limit on memory: what it finds is the same with few of them.

mod toy;

use game::{Game, Goal, Limit, Move, Role, Turn};
use search::alphabeta::AlphaBeta;
use search::{AlphaBetaSettings, Budget, Found, Monitor, Searcher};
use std::sync::atomic::{AtomicUsize, Ordering};
use toy::Toy;

/// The bytes that a view claims to take.
const VIEW: usize = 1 << 20;

/// A toy whose views are heavy, and counted.
struct Heavy {
    toy: Toy,
    views: AtomicUsize,
}

/// Dropping it is not counted: a search keeps its views to the end.
struct View(usize);

impl Game for Heavy {
    type State = usize;
    type View = View;

    fn roles(&self) -> usize {
        self.toy.roles()
    }
    fn start(&self) -> usize {
        self.toy.start()
    }
    fn view(&self) -> View {
        self.views.fetch_add(1, Ordering::Relaxed);
        View(self.toy.view())
    }
    fn view_bytes(&self, _: &View) -> usize {
        VIEW
    }
    fn look(&self, state: &usize, view: &mut View) -> Result<(), Limit> {
        self.toy.look(state, &mut view.0)
    }
    fn turn(&self, view: &View) -> Turn {
        self.toy.turn(&view.0)
    }
    fn legal(&self, view: &View, role: Role, out: &mut Vec<Move>) {
        self.toy.legal(&view.0, role, out);
    }
    fn goal(&self, view: &mut View, role: Role) -> Result<Option<Goal>, Limit> {
        self.toy.goal(&mut view.0, role)
    }
    fn play(&self, view: &mut View, joint: &[Move], next: &mut usize) -> Result<(), Limit> {
        self.toy.play(&mut view.0, joint, next)
    }
}

/// What is found with room for so many views, and how many were made.
fn found(seed: u64, both: usize, deepen: bool, room: usize) -> (Found, usize) {
    let game = Heavy { toy: Toy::new(seed, 60, 2, both, false), views: AtomicUsize::new(0) };
    let settings = AlphaBetaSettings { deepen, ..AlphaBetaSettings::default() };
    // An eighth of the memory is for views.
    let budget = Budget { memory: 8 * room * VIEW, ..Budget::of_nodes(3000, seed) };
    let found = AlphaBeta::new(settings).search(&game, &game.start(), Role(0), &budget, &Monitor::new()).unwrap();
    (found, game.views.into_inner())
}

#[test]
fn few_views_find_the_same() {
    let mut saved = 0;
    for seed in 0..40 {
        let (both, deepen) = (if seed % 2 == 0 { 0 } else { 30 }, seed % 4 < 2);
        let (roomy, many) = found(seed, both, deepen, 1000);
        for room in [1, 2, 5] {
            let (tight, few) = found(seed, both, deepen, room);
            assert_eq!(tight, roomy, "seed {seed}, room for {room}");
            // One more reads the line at the end.
            assert!(few <= room + 1, "seed {seed}: {few} views, room for {room}");
            saved += many - few.min(many);
        }
    }
    assert!(saved > 500, "with room for all only {saved} views more were made: the games are too short");
}
