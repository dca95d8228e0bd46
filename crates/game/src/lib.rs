//! The words every other room uses — role, move, goal, turn — and the one trait that all engines implement.
//!
//! This crate knows nothing of GDL, of files or of clocks, and has no dependencies. On top of the trait stand the
//! things that need nothing else: [`perft`](mod@perft), seeded [random play](mod@random) and the [recording](mod@record) of playthroughs.
//!
//! ```
//! use game::{Game, Goal, Limit, Move, Role, Turn};
//!
//! /// Take one or two from a heap; who takes the last one wins.
//! struct Heap(u8);
//!
//! impl Game for Heap {
//!     type State = (u8, u8); // what is left, whose turn
//!     type View = (u8, u8);
//!     fn roles(&self) -> usize { 2 }
//!     fn start(&self) -> (u8, u8) { (self.0, 0) }
//!     fn view(&self) -> (u8, u8) { (0, 0) }
//!     fn look(&self, s: &(u8, u8), v: &mut (u8, u8)) -> Result<(), Limit> { *v = *s; Ok(()) }
//!     fn turn(&self, v: &(u8, u8)) -> Turn {
//!         if v.0 == 0 { Turn::Over } else { Turn::One(Role(v.1)) }
//!     }
//!     fn legal(&self, v: &(u8, u8), role: Role, out: &mut Vec<Move>) {
//!         if role.0 == v.1 { (1..=v.0.min(2)).for_each(|n| out.push(Move(n.into()))) } else { out.push(Move(0)) }
//!     }
//!     fn goal(&self, v: &mut (u8, u8), role: Role) -> Result<Option<Goal>, Limit> {
//!         Ok(Some(if role.0 == v.1 { 0 } else { 100 }))
//!     }
//!     fn play(&self, v: &mut (u8, u8), joint: &[Move], next: &mut (u8, u8)) -> Result<(), Limit> {
//!         *next = (v.0 - joint[v.1 as usize].0 as u8, 1 - v.1);
//!         Ok(())
//!     }
//! }
//!
//! let counts = game::perft::perft(&Heap(4), 4).unwrap();
//! assert_eq!(counts.iter().map(|c| c.nodes).collect::<Vec<_>>(), [1, 2, 4, 4, 1]);
//! ```

#![forbid(unsafe_code)]

mod cancel;
mod limit;
pub mod perft;
pub mod random;
pub mod record;
pub mod rollouts;
pub mod steps;
mod term;

pub use cancel::Cancel;
pub use limit::{Limit, LimitKind};

use std::hash::Hash;

/// One of the players, numbered in the order in which the rules name them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Role(pub u8);

/// A move, numbered by the engine that made it. Numbers of different engines have nothing to do with each other;
/// what crosses from one to the other is the move's text ([`Names`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move(pub u32);

/// A reward from 0 to 100.
pub type Goal = u8;

/// Who has something to decide in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// Nobody: the state is terminal.
    Over,
    /// At most one role has more than one legal move: this one (the first role if nobody has a choice).
    One(Role),
    /// Several roles choose at the same time.
    Many,
}

/// A game that can be played: immutable rules, with all scratch memory in the caller's hands.
///
/// Call [`look`](Game::look) once for a state, then read as often as needed. `look`, `goal` and `play` can fail only
/// where an engine has a limit on work or memory.
///
/// A state that is not terminal may still leave a role without a legal move when the rules are faulty; such a state is
/// *stuck*, and everything built on this trait has to survive it.
pub trait Game: Send + Sync {
    /// What is true at one moment; equal states behave equally.
    type State: Clone + Eq + Hash + Send + Sync;
    /// Scratch: all that follows from one state. Made once, reused for many states.
    type View: Send;

    /// How many roles there are (at least one, at most 255).
    fn roles(&self) -> usize;
    /// The state in which the game begins.
    fn start(&self) -> Self::State;
    /// Fresh scratch memory.
    fn view(&self) -> Self::View;
    /// Works out what follows from `state`. Everything below reads the view that was filled here.
    fn look(&self, state: &Self::State, view: &mut Self::View) -> Result<(), Limit>;
    /// Who decides in the state looked at.
    fn turn(&self, view: &Self::View) -> Turn;
    /// Appends the legal moves of `role`, each once, in an order that depends on the state alone. Nothing is promised for a terminal state.
    fn legal(&self, view: &Self::View, role: Role, out: &mut Vec<Move>);
    /// The reward of `role`; `None` where the rules give none, or more than one.
    fn goal(&self, view: &mut Self::View, role: Role) -> Result<Option<Goal>, Limit>;
    /// Writes the state that follows when every role makes its move of `joint` (one entry for each role, all legal).
    fn play(&self, view: &mut Self::View, joint: &[Move], next: &mut Self::State) -> Result<(), Limit>;

    /// Whether the state looked at is terminal.
    fn over(&self, view: &Self::View) -> bool {
        self.turn(view) == Turn::Over
    }

    /// The states that follow from the state looked at by each of these joint moves, in the same order: [`play`](Game::play)
    /// for many moves at once, which some engines do at the price of a few.
    fn children(&self, view: &mut Self::View, joints: &[Vec<Move>], out: &mut Vec<Self::State>) -> Result<(), Limit> {
        out.clear();
        let mut next = self.start();
        for joint in joints {
            self.play(view, joint, &mut next)?;
            out.push(next.clone());
        }
        Ok(())
    }

    /// Makes a step from each of many states and looks at where it leads, which engines that run many states side by side do at
    /// about the price of one. Nothing may be read from the view afterwards before the next look.
    fn advance(&self, view: &mut Self::View, steps: &mut dyn steps::Steps<Self::State>) -> Result<(), Limit> {
        steps::one_by_one(self, view, steps)
    }

    /// About how many bytes a view takes, for those who keep many and have a limit on memory. Engines whose views own more than
    /// their size shows override it.
    fn view_bytes(&self, _view: &Self::View) -> usize {
        size_of::<Self::View>()
    }

    /// How many games [`rollouts`](Game::rollouts) plays side by side. More than one says that random games by the
    /// hundred are far cheaper than one at a time.
    fn lanes(&self) -> usize {
        1
    }

    /// Plays uniformly random games from the states that `feed` gives, each at most `most` joint moves long, until the
    /// feed says stop, or has no state to play from when no game is running. The same seed and the same feed give the
    /// same games.
    fn rollouts(&self, feed: &mut dyn rollouts::Feed<Self::State>, most: usize, seed: u64) -> Result<(), Limit> {
        rollouts::one_by_one(self, feed, most, seed)
    }
}

/// What moves, facts and roles are called: text for people and for other programs, away from the hot path.
///
/// All text is KIF in canonical form: `(cell 1 1 b)`, single spaces, none inside the parentheses.
pub trait Names: Game {
    /// The role's name as the rules write it.
    fn role_name(&self, role: Role) -> &str;
    /// The move in words.
    fn move_text(&self, mv: Move) -> String;
    /// The facts of a state, sorted.
    fn facts(&self, state: &Self::State) -> Vec<String>;
    /// The state in which exactly these facts hold; `None` if one of them cannot be read or is not a fact of this game.
    fn state_of(&self, facts: &[&str]) -> Option<Self::State>;

    /// The legal move of `role` in the state looked at that this text means, however it is spaced and whatever the case of
    /// its letters; `None` if there is none. Engines that know moves by terms find it without printing any.
    fn legal_move(&self, view: &Self::View, role: Role, text: &str) -> Option<Move> {
        let wanted = term::same_form(text);
        let mut legal = Vec::new();
        self.legal(view, role, &mut legal);
        legal.into_iter().find(|&mv| term::same_form(&self.move_text(mv)) == wanted)
    }
}

/// The facts of a state as numbers, for whatever reads states often, such as an evaluation.
pub trait Facts: Names {
    /// The number of a fact, given in KIF; `None` if it can never be a fact of this game.
    fn fact(&self, text: &str) -> Option<u32>;
    /// Calls `seen` once with the number of every fact of the state, in no particular order.
    fn each_fact(&self, state: &Self::State, seen: &mut dyn FnMut(u32));
    /// The state in which exactly these facts hold, and those that always do; `None` if a number is not that of a fact, or where
    /// the engine has no quick way to make states of numbers.
    fn state_from(&self, _facts: &[u32]) -> Option<Self::State> {
        None
    }
    /// Appends the moves that the rules name as legal, also where they say that the game is over, if the engine knows those.
    fn legal_anyway(&self, view: &Self::View, role: Role, out: &mut Vec<Move>) {
        self.legal(view, role, out);
    }
}

/// Tells how good a state is, where the end is too far away to be seen.
pub trait Evaluator<G: Game + ?Sized>: Send + Sync {
    /// The value for `role` of the state, which `view` has looked at: between 0 and 100, on the scale of goals.
    fn value(&self, game: &G, state: &G::State, view: &mut G::View, role: Role) -> f32;
}

/// The turn that follows from the number of legal moves of each role, for engines that have nothing quicker.
pub fn turn_from_counts(counts: impl IntoIterator<Item = usize>) -> Turn {
    let mut chooser = None;
    for (role, count) in counts.into_iter().enumerate() {
        if count > 1 {
            if chooser.is_some() {
                return Turn::Many;
            }
            chooser = Some(Role(role as u8));
        }
    }
    Turn::One(chooser.unwrap_or(Role(0)))
}

/// The roles of a game, in order.
pub fn roles<G: Game + ?Sized>(game: &G) -> impl Iterator<Item = Role> + use<G> {
    (0..game.roles() as u8).map(Role)
}

/// The name of every role, in order.
pub fn role_names<G: Names + ?Sized>(game: &G) -> Vec<String> {
    roles(game).map(|role| game.role_name(role).to_string()).collect()
}
