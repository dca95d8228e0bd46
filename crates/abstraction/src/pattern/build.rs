//! Building a table: everything that follows from the placements of a pattern, listed by the game's own rules, and valued from the ends.
//!
//! Captured and promoted pieces need no care: what the rules make of a placement is listed like everything else. Counters stand
//! still, so that the same placement is the same state. Steps are made 64 at a time ([`game::Game::advance`]). The chance that two of
//! 500,000 states are taken for one, because their hashes of 64 bits are the same, is below one in a hundred million.

use super::board::Board;
use super::numbering::{Counts, MOST_MOVES, Other, Pattern, Table, Value};
use super::watch::turn;
use game::steps::{Seen, Steps};
use game::{Facts, Limit, Move, Role, Turn, roles};
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// What a build may spend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The most states to list. (default: 500,000)
    pub states: u64,
    /// The most bytes of all tables that are tried in a choice. (default: 64 MiB)
    pub bytes: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { states: 500_000, bytes: 64 << 20 }
    }
}

/// Bytes that a listed state takes at most, its steps included, in games of usual size: what is needed is known before.
const STATE_BYTES: u64 = 600;

impl Settings {
    /// As much as fits into so many bytes, and no more than usual: a quarter for the tables, the rest for building one.
    pub fn within(memory: u64) -> Settings {
        let usual = Settings::default();
        Settings { states: usual.states.min(memory / 4 * 3 / STATE_BYTES), bytes: usual.bytes.min(memory / 4) }
    }

    /// The most memory that a build takes, in bytes, for games whose states have at most a thousand facts and fifty steps.
    pub fn memory(&self, pattern: &Pattern) -> u64 {
        self.states * STATE_BYTES + pattern.entries()
    }
}

/// How far a build is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// States listed so far.
    pub states: u64,
    /// Those of them whose steps were made.
    pub done: u64,
    /// Steps made.
    pub steps: u64,
}

/// Why there is no table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildError {
    /// The caller said stop.
    Stopped,
    /// More states follow from the placements than are allowed.
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// The engine reached a limit.
    Limit(Limit),
    /// The rules with so few pieces are something else: several decide at once.
    Simultaneous,
    /// The engine cannot make states of facts.
    Engine,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Stopped => f.write_str("stopped"),
            BuildError::TooLarge { limit } => {
                write!(
                    f,
                    "more than {limit} states follow from its placements; keep fewer pieces, or allow more states"
                )
            }
            BuildError::Limit(limit) => limit.fmt(f),
            BuildError::Simultaneous => f.write_str("with so few pieces several roles decide at the same time"),
            BuildError::Engine => f.write_str("only a net can do this; leave out `--engine`"),
        }
    }
}

impl std::error::Error for BuildError {}

impl From<Limit> for BuildError {
    fn from(limit: Limit) -> BuildError {
        BuildError::Limit(limit)
    }
}

/// Is told how far a build is, and says whether it is to go on.
pub type Watch<'a> = &'a mut dyn FnMut(&Progress) -> bool;

/// Who decides in a state, or how it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Decides(Role),
    /// How far the first role is ahead.
    End(i16),
}

/// Builds the table of a pattern.
///
/// # Errors
/// See [`BuildError`]; nothing is kept then.
pub fn build<G: Facts>(
    game: &G,
    board: &Board,
    pattern: &Pattern,
    settings: &Settings,
    watch: Watch<'_>,
) -> Result<Table, BuildError> {
    if pattern.placements() > settings.states {
        return Err(BuildError::TooLarge { limit: settings.states });
    }
    let mut listing = Listing::new(game, board, pattern, settings.states);
    let mut numbers = vec![u32::MAX; pattern.entries() as usize];
    let mut trouble = None;
    pattern.each_placement(board, &mut |number, turn, places| {
        if trouble.is_some() {
            return;
        }
        let piece = |(&thing, &place): (&usize, &usize)| board.things[thing].places[place];
        let placed: Vec<(usize, u32)> = pattern.things.iter().zip(places).map(piece).collect();
        match board.state(game, &placed, pattern.mover(turn)).ok_or(BuildError::Engine) {
            Ok(state) => match listing.number(state) {
                Ok(state) => numbers[number] = state,
                Err(error) => trouble = Some(error),
            },
            Err(error) => trouble = Some(error),
        }
    });
    if let Some(error) = trouble {
        return Err(error);
    }
    listing.run(watch)?;
    let states = listing.states.len() as u64;
    let values = listing.values();
    let byte = |&state: &u32| values.get(state as usize).map_or(Value::None, |value| *value).byte();
    let bytes: Vec<u8> = numbers.iter().map(byte).collect();
    let counts = Counts::of(&bytes, states);
    Ok(Table { pattern: pattern.clone(), bytes, counts })
}

/// States found so far, and the steps between them.
struct Listing<'a, G: Facts> {
    game: &'a G,
    board: &'a Board,
    pattern: &'a Pattern,
    limit: u64,
    states: Vec<G::State>,
    known: HashMap<u64, u32>,
    kinds: Vec<Kind>,
    edges: Vec<(u32, u32)>,
}

/// Steps made together: a multiple of what a net does at the price of one.
const TOGETHER: usize = 512;

impl<'a, G: Facts> Listing<'a, G> {
    fn new(game: &'a G, board: &'a Board, pattern: &'a Pattern, limit: u64) -> Listing<'a, G> {
        Listing {
            game,
            board,
            pattern,
            limit,
            states: Vec::new(),
            known: HashMap::new(),
            kinds: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// The number of a state, a new one if it was not there.
    fn number(&mut self, state: G::State) -> Result<u32, BuildError> {
        let key = BuildHasherDefault::<DefaultHasher>::default().hash_one(&state);
        let next = self.states.len() as u32;
        let number = *self.known.entry(key).or_insert(next);
        if number == next {
            if u64::from(next) >= self.limit {
                return Err(BuildError::TooLarge { limit: self.limit });
            }
            self.states.push(state);
        }
        Ok(number)
    }

    /// Lists all that follows.
    fn run(&mut self, watch: Watch<'_>) -> Result<(), BuildError> {
        let mut view = self.game.view();
        let mut ahead = self.game.view();
        let mut steps = Batch::default();
        let mut at = 0;
        loop {
            while at < self.states.len() && steps.from.len() < TOGETHER {
                let kind = self.open(at, &mut view, &mut steps)?;
                self.kinds.push(kind);
                at += 1;
            }
            if steps.from.is_empty() && at == self.states.len() {
                return Ok(());
            }
            let (done, made) = (at as u64, self.edges.len() as u64);
            if !watch(&Progress { states: self.states.len() as u64, done, steps: made }) {
                return Err(BuildError::Stopped);
            }
            self.game.advance(&mut ahead, &mut steps)?;
            let back = (self.pattern.other == Other::Absent).then_some(self.pattern.mine);
            for at in 0..steps.from.len() {
                let settled = self.board.settled(self.game, &steps.reached[at], back).ok_or(BuildError::Engine)?;
                let to = self.number(settled)?;
                self.edges.push((steps.from[at].0, to));
            }
            for from in std::mem::take(&mut steps.passes) {
                let other = self.board.settled(self.game, &self.states[from as usize], Some(self.pattern.mine));
                let to = self.number(other.ok_or(BuildError::Engine)?)?;
                self.edges.push((from, to));
            }
            steps.clear();
        }
    }

    /// Looks at a state and puts its steps into the batch.
    fn open(&self, number: usize, view: &mut G::View, steps: &mut Batch<G::State>) -> Result<Kind, BuildError> {
        let game = self.game;
        let state = &self.states[number];
        game.look(state, view)?;
        let alone = self.pattern.other == Other::Absent;
        if alone && self.is_home(state) {
            return Ok(Kind::End(100));
        }
        let mut legal: Vec<Vec<Move>> = vec![Vec::new(); game.roles()];
        // Whether the game is over is no question for pieces that are alone: the other side may be beaten by not being there.
        if alone || !game.over(view) {
            roles(game).for_each(|role| game.legal_anyway(view, role, &mut legal[role.0 as usize]));
        }
        if legal.iter().any(Vec::is_empty) {
            return Ok(Kind::End(if alone { 0 } else { lead(game, view)? }));
        }
        let counts = legal.iter().map(Vec::len);
        let role = match game::turn_from_counts(counts) {
            Turn::Many => return Err(BuildError::Simultaneous),
            // With one move each it does not matter whose it is; but the turn says who may pass.
            Turn::One(_) | Turn::Over => turn(game, self.board, state).unwrap_or(Role(0)),
        };
        let mut joint: Vec<Move> = legal.iter().map(|moves| moves[0]).collect();
        let decides = (0..legal.len()).find(|&role| legal[role].len() > 1).unwrap_or(role.0 as usize);
        for &mv in &legal[decides] {
            joint[decides] = mv;
            steps.from.push((number as u32, state.clone(), joint.clone()));
        }
        if self.pattern.other == Other::MayPass && role != self.pattern.mine {
            steps.passes.push(number as u32);
        }
        Ok(Kind::Decides(Role(decides as u8)))
    }

    /// Whether every piece stands on a cell of the goal.
    fn is_home(&self, state: &G::State) -> bool {
        let mut home = true;
        self.game.each_fact(state, &mut |fact| {
            if let Some((thing, cell)) = self.board.place(fact) {
                home &= self.board.things[thing].wanted[self.pattern.mine.0 as usize].contains(&cell);
            }
        });
        home
    }

    /// The value of every state, from the ends backwards, layer by layer.
    fn values(&self) -> Vec<Value> {
        let count = self.states.len();
        let mut left = vec![0u32; count];
        let mut begins = vec![0usize; count + 1];
        for &(from, to) in &self.edges {
            left[from as usize] += 1;
            begins[to as usize + 1] += 1;
        }
        (0..count).for_each(|at| begins[at + 1] += begins[at]);
        let mut before = vec![0u32; self.edges.len()];
        let mut fill = begins.clone();
        for &(from, to) in &self.edges {
            before[fill[to as usize]] = from;
            fill[to as usize] += 1;
        }
        let mut values = vec![None; count];
        let mut layer: Vec<u32> = Vec::new();
        for (at, kind) in self.kinds.iter().enumerate() {
            if let Kind::End(lead) = *kind {
                values[at] = Some((lead, 0u16));
                // An even end decides nothing for those before it: they are drawn unless something better is found.
                if lead != 0 {
                    layer.push(at as u32);
                }
            }
        }
        let mut moves = 0u16;
        while !layer.is_empty() {
            moves = moves.saturating_add(1);
            let mut next = Vec::new();
            for &at in &layer {
                let ahead = values[at as usize].map_or(0, |(lead, _)| lead);
                for &from in &before[begins[at as usize]..begins[at as usize + 1]] {
                    let from_at = from as usize;
                    let Kind::Decides(role) = self.kinds[from_at] else { continue };
                    if values[from_at].is_some() {
                        continue;
                    }
                    left[from_at] -= 1;
                    if (ahead > 0) == (role.0 == 0 || self.pattern.other == Other::Absent) || left[from_at] == 0 {
                        values[from_at] = Some((ahead, moves));
                        next.push(from);
                    }
                }
            }
            layer = next;
        }
        let value = |value: &Option<(i16, u16)>| match *value {
            Some((lead, moves)) if lead > 0 => Value::Win(moves.min(MOST_MOVES) as u8),
            Some((lead, moves)) if lead < 0 => Value::Loss(moves.min(MOST_MOVES) as u8),
            _ => Value::Draw,
        };
        values.iter().map(value).collect()
    }
}

/// How far the first role is ahead at an end.
fn lead<G: Facts>(game: &G, view: &mut G::View) -> Result<i16, Limit> {
    let [first, second] = [game.goal(view, Role(0))?, game.goal(view, Role(1))?];
    Ok(i16::from(first.unwrap_or(0)) - i16::from(second.unwrap_or(0)))
}

/// Steps to be made together.
struct Batch<S> {
    from: Vec<(u32, S, Vec<Move>)>,
    reached: Vec<S>,
    /// States in which the other side passes.
    passes: Vec<u32>,
}

impl<S> Default for Batch<S> {
    fn default() -> Batch<S> {
        Batch { from: Vec::new(), reached: Vec::new(), passes: Vec::new() }
    }
}

impl<S> Batch<S> {
    fn clear(&mut self) {
        self.from.clear();
        self.reached.clear();
    }
}

impl<S> Steps<S> for Batch<S> {
    fn count(&self) -> usize {
        self.from.len()
    }

    fn step(&self, number: usize) -> (&S, &[Move]) {
        let (_, state, joint) = &self.from[number];
        (state, joint)
    }

    fn reached(&mut self, _: usize, state: S, _: &Seen) {
        self.reached.push(state);
    }
}
