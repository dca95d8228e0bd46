//! Alpha-beta for two opponents in turn, on a position that is moved in and taken back: what a program that plays one game
//! strongly needs, for any game that implements [`Board`].
//!
//! The general [`alphabeta`](crate::alphabeta) knows nothing of a game but its rules: any number of roles, simultaneous
//! moves, proofs. Here a game says more of itself: which moves are loud, when a side is pressed, whether a turn can be
//! passed, what is known exactly and how far the end is. For that the search looks further where it is worth it and less
//! far where it is not. Each of these is a switch of [`Settings`], so that a fixed depth can be what it says.
//!
//! Here is what surrounds the search: one depth after the other, several lines, several threads. The search function is in
//! `node.rs`.

mod node;
mod table;

use node::Worker;
use std::sync::atomic::{AtomicBool, Ordering};
use table::Table;

/// A won position is worth this, less one for each ply to its end.
pub const WIN: i32 = 30_000;
/// Values beyond this are wins with a known distance; estimates lie within.
pub const SURE: i32 = 28_000;
/// The longest line.
const MOST_PLIES: usize = 200;

/// What is known exactly of a position, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exact {
    /// Won in so many plies.
    Win(u16),
    /// Nobody wins.
    Draw,
    /// Lost in so many plies; 0 is the end itself.
    Loss(u16),
}

impl Exact {
    /// Its value so many plies after the root.
    fn value(self, ply: usize) -> i32 {
        let far = |plies: u16| WIN - ply as i32 - i32::from(plies);
        match self {
            Exact::Win(plies) => far(plies),
            Exact::Draw => 0,
            Exact::Loss(plies) => -far(plies),
        }
    }
}

/// A position of a game of two opponents in turn, with the way that led there.
pub trait Board: Clone + Send {
    /// A move.
    type Move: Copy + PartialEq + Send + Sync;

    /// A number for the position; different positions get the same one only by rare accident.
    fn key(&self) -> u64;
    /// Appends the legal moves.
    fn moves(&mut self, out: &mut Vec<Self::Move>);
    /// Makes a legal move.
    fn make(&mut self, mv: Self::Move);
    /// Takes the last move, or the last pass, back.
    fn take_back(&mut self);
    /// What the position is worth to the side to move, as far as can be told without moving: within [`SURE`] either way.
    fn estimate(&mut self) -> i32;
    /// What a position without legal moves is.
    fn stuck(&self) -> Exact;
    /// A number of the move, not 0, different from that of every other move of the position.
    fn number(mv: Self::Move) -> u32;

    /// What is known exactly before any move is tried: a draw by the rules, or the word of a table.
    fn known(&mut self) -> Option<Exact> {
        None
    }
    /// Whether the side to move has to answer a threat that decides, such as check.
    fn is_pressed(&self) -> bool {
        false
    }
    /// What a loud move wins at first sight, or 0 for a quiet one: the order in which they are tried.
    fn gain(&self, _mv: Self::Move) -> i32 {
        0
    }
    /// Whether a loud move loses more than it wins, as far as the exchange on one square tells.
    fn is_wasteful(&self, _mv: Self::Move) -> bool {
        false
    }
    /// Appends the legal moves that change so much that nothing can be said before they are tried, such as captures; and
    /// those that press the other side, if that is asked for.
    fn loud(&mut self, _pressing: bool, _out: &mut Vec<Self::Move>) {}
    /// Whether the move takes back what the last move took.
    fn recaptures(&self, _mv: Self::Move) -> bool {
        false
    }
    /// Passes the turn, if that can tell anything: a side that could do so and still be well off is. `take_back` undoes it.
    fn pass(&mut self) -> bool {
        false
    }
    /// How often something exact was looked up so far.
    fn lookups(&self) -> u64 {
        0
    }
}

/// What can be set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Bytes for the table of positions. (default: 64 MiB)
    pub memory: usize,
    /// Threads that search side by side. Counted nodes are searched by one, so that they are always the same. (default: 1)
    pub threads: usize,
    /// Whether lines are followed beyond the horizon as long as moves are loud. (default: true)
    pub quiescence: bool,
    /// Whether a position in which a side is pressed, or takes back, is searched one ply deeper. (default: true)
    pub extensions: bool,
    /// Whether a position is left that is good enough even when the turn is passed. (default: true)
    pub passes: bool,
    /// Whether moves that come late in the order are searched less deep at first. (default: true)
    pub reductions: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { memory: 64 << 20, threads: 1, quiescence: true, extensions: true, passes: true, reductions: true }
    }
}

impl Settings {
    /// Without anything that makes a depth another one for some moves than for others, but for quiescence.
    pub fn plain() -> Settings {
        Settings { extensions: false, passes: false, reductions: false, ..Settings::default() }
    }
}

/// When a search ends, and what it looks at.
pub struct Limits<'a, M> {
    /// The deepest horizon.
    pub depth: Option<u32>,
    /// Positions to look at.
    pub nodes: Option<u64>,
    /// A win in so many plies is enough.
    pub win: Option<u32>,
    /// The first moves to consider; all of them if there are none here.
    pub only: Vec<M>,
    /// How many best first moves are wanted, each with its line.
    pub lines: usize,
    /// Which part of the time is used up; 1 or more means stop. Asked often.
    pub spent: &'a (dyn Fn() -> f32 + Sync),
}

impl<M> Default for Limits<'_, M> {
    fn default() -> Self {
        Limits { depth: None, nodes: None, win: None, only: Vec::new(), lines: 1, spent: &|| 0.0 }
    }
}

/// A first move with what is expected to follow.
#[derive(Clone, PartialEq, Debug)]
pub struct Line<M> {
    /// The moves, the first one being that of the side to move; empty where it has none.
    pub moves: Vec<M>,
    /// Their value to the side to move: beyond [`SURE`] a win, [`WIN`] less the plies to its end.
    pub value: i32,
    /// The horizon it was found with.
    pub depth: u32,
}

/// How far a search has come.
#[derive(Clone, PartialEq, Debug)]
pub struct Progress<M> {
    /// Which of the lines it is about, the best being 0.
    pub rank: usize,
    /// The line.
    pub line: Line<M>,
    /// The longest line looked at, in plies.
    pub selective: u32,
    /// Positions looked at.
    pub nodes: u64,
    /// Exact values looked up.
    pub lookups: u64,
    /// How full the table of positions is, in thousandths.
    pub full: u32,
}

/// A search that keeps its table of positions from one move to the next.
pub struct Duel {
    settings: Settings,
    table: Table,
}

/// What the threads of one search share.
struct Shared<'a, M> {
    settings: Settings,
    limits: &'a Limits<'a, M>,
    table: &'a Table,
    stop: AtomicBool,
}

impl Duel {
    /// Nothing is known yet.
    pub fn new(settings: Settings) -> Duel {
        Duel { settings, table: Table::new(settings.memory) }
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.table = Table::new(self.settings.memory);
    }

    /// Looks for the best moves until a limit is reached. `tell` hears of every line of every finished depth.
    ///
    /// The answer has as many lines as were asked for, or as there are moves, the best first; a line without moves if there
    /// is none. The same limits give the same answer where nodes or the depth are limited and one thread searches.
    pub fn search<B: Board>(
        &mut self,
        board: &B,
        limits: &Limits<'_, B::Move>,
        tell: &mut dyn FnMut(&Progress<B::Move>),
    ) -> (Vec<Line<B::Move>>, u64) {
        self.table.next_age();
        let shared = Shared { settings: self.settings, limits, table: &self.table, stop: AtomicBool::new(false) };
        let helpers = if limits.nodes.is_some() { 0 } else { self.settings.threads.saturating_sub(1) };
        std::thread::scope(|scope| {
            let helping: Vec<_> = (0..helpers)
                .map(|number| {
                    let (board, shared) = (board.clone(), &shared);
                    scope.spawn(move || Worker::new(board, shared, number + 1).deepen(&mut |_| {}).1)
                })
                .collect();
            let (lines, nodes) = Worker::new(board.clone(), &shared, 0).deepen(tell);
            shared.stop.store(true, Ordering::Relaxed);
            // A helper that came to grief has only taken its share of the work with it.
            let helped: u64 = helping.into_iter().filter_map(|helper| helper.join().ok()).sum();
            (lines, nodes + helped)
        })
    }
}
