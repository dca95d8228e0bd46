//! Perft: how many joint-move paths of each length there are. The cheapest strong test of a rules engine.

use crate::{Game, Limit, LimitKind, Move, Role, roles};

/// The paths of exactly one length.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// Joint-move paths of exactly this length.
    pub nodes: u64,
    /// Those of them that end in a terminal state (terminal states are not expanded).
    pub terminal: u64,
}

/// Counts the paths of every length from 0 to `depth`, from the start of the game.
pub fn perft<G: Game>(game: &G, depth: usize) -> Result<Vec<Count>, Limit> {
    perft_from(game, &game.start(), depth, &mut |_| true)
}

/// As [`perft`], from any state. `progress` hears the number of nodes visited so far, now and then; when it answers
/// `false` the count is given up with [`LimitKind::Time`].
pub fn perft_from<G: Game>(
    game: &G,
    state: &G::State,
    depth: usize,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Vec<Count>, Limit> {
    let mut walk = Walk::new(game, depth, progress);
    walk.visit(state, 0)?;
    Ok(walk.counts)
}

/// The number of paths of length `depth` behind each joint move of the start state, in the engine's order.
pub fn divide<G: Game>(
    game: &G,
    state: &G::State,
    depth: usize,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Vec<(Vec<Move>, Count)>, Limit> {
    let mut view = game.view();
    game.look(state, &mut view)?;
    let mut rows = Vec::new();
    if depth == 0 || game.over(&view) {
        return Ok(rows);
    }
    let mut joints = Joints::default();
    joints.fill(game, &view);
    let mut next = state.clone();
    for index in 0..joints.len() {
        let joint = joints.get(index);
        game.play(&mut view, &joint, &mut next)?;
        let counts = perft_from(game, &next, depth - 1, progress)?;
        rows.push((joint, counts[depth - 1]));
    }
    Ok(rows)
}

/// How many plies a path counted in turns may have: the count goes one call deeper for each.
const MOST_PLIES: usize = 1000;

/// Counts in *turns*: a turn is a maximal run of moves during which `owner` of the state stays the same, so that a
/// chain of moves by one player (a multiple jump in draughts) counts once. Entry `d` counts the paths of `d` turns.
pub fn perft_turns<G: Game, K: PartialEq>(
    game: &G,
    depth: usize,
    owner: &dyn Fn(&G::State) -> K,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Vec<Count>, Limit> {
    // A terminal state ends the turn that led to it, whatever its owner says.
    struct Turns<'a, G: Game, K> {
        game: &'a G,
        owner: &'a dyn Fn(&G::State) -> K,
        counts: Vec<Count>,
        visited: u64,
        progress: &'a mut dyn FnMut(u64) -> bool,
    }
    impl<G: Game, K: PartialEq> Turns<'_, G, K> {
        fn visit(&mut self, state: &G::State, turn: usize, plies: usize) -> Result<(), Limit> {
            tick(&mut self.visited, self.progress)?;
            if plies == MOST_PLIES {
                return Err(Limit::new(LimitKind::Depth, "counting turns: a turn does not end"));
            }
            let mut view = self.game.view();
            self.game.look(state, &mut view)?;
            if self.game.over(&view) || turn + 1 == self.counts.len() {
                return Ok(());
            }
            let mut joints = Joints::default();
            joints.fill(self.game, &view);
            let mine = (self.owner)(state);
            let mut after = self.game.view();
            let mut next = state.clone();
            for index in 0..joints.len() {
                self.game.play(&mut view, &joints.get(index), &mut next)?;
                self.game.look(&next, &mut after)?;
                let ends = self.game.over(&after);
                if ends || (self.owner)(&next) != mine {
                    self.counts[turn + 1].nodes += 1;
                    self.counts[turn + 1].terminal += u64::from(ends);
                    self.visit(&next, turn + 1, plies + 1)?;
                } else {
                    self.visit(&next, turn, plies + 1)?;
                }
            }
            Ok(())
        }
    }
    let mut counts = vec![Count::default(); depth + 1];
    counts[0].nodes = 1;
    let mut turns = Turns { game, owner, counts, visited: 0, progress };
    turns.visit(&game.start(), 0, 0)?;
    Ok(turns.counts)
}

fn tick(visited: &mut u64, progress: &mut dyn FnMut(u64) -> bool) -> Result<(), Limit> {
    *visited += 1;
    if visited.is_multiple_of(1024) && !progress(*visited) {
        return Err(Limit::new(LimitKind::Time, "counting paths"));
    }
    Ok(())
}

/// All joint moves of one state: the product of the roles' legal moves, the last role varying fastest.
#[derive(Default)]
pub struct Joints {
    moves: Vec<Move>,
    ends: Vec<usize>,
}

impl Joints {
    /// Reads the legal moves of every role from a view.
    pub fn fill<G: Game>(&mut self, game: &G, view: &G::View) {
        self.moves.clear();
        self.ends.clear();
        for role in roles(game) {
            game.legal(view, role, &mut self.moves);
            self.ends.push(self.moves.len());
        }
    }

    /// The legal moves of one role.
    pub fn of(&self, role: Role) -> &[Move] {
        let role = role.0 as usize;
        let from = if role == 0 { 0 } else { self.ends[role - 1] };
        &self.moves[from..self.ends[role]]
    }

    /// How many joint moves there are; none if a role has no move.
    pub fn len(&self) -> usize {
        (0..self.ends.len()).map(|r| self.of(Role(r as u8)).len()).product()
    }

    /// Whether there is no joint move at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The joint move of this number.
    pub fn get(&self, index: usize) -> Vec<Move> {
        let mut joint = Vec::new();
        self.write(index, &mut joint);
        joint
    }

    fn write(&self, mut index: usize, joint: &mut Vec<Move>) {
        joint.clear();
        joint.resize(self.ends.len(), Move(0));
        for role in (0..self.ends.len()).rev() {
            let moves = self.of(Role(role as u8));
            joint[role] = moves[index % moves.len()];
            index /= moves.len();
        }
    }
}

/// One level of the walk: its own scratch, so that a level's moves survive the visit of its children.
struct Level<G: Game> {
    view: G::View,
    next: G::State,
    joints: Joints,
    joint: Vec<Move>,
}

struct Walk<'a, G: Game> {
    game: &'a G,
    counts: Vec<Count>,
    levels: Vec<Level<G>>,
    visited: u64,
    progress: &'a mut dyn FnMut(u64) -> bool,
}

impl<'a, G: Game> Walk<'a, G> {
    fn new(game: &'a G, depth: usize, progress: &'a mut dyn FnMut(u64) -> bool) -> Self {
        let levels = (0..=depth)
            .map(|_| Level { view: game.view(), next: game.start(), joints: Joints::default(), joint: Vec::new() })
            .collect();
        Walk { game, counts: vec![Count::default(); depth + 1], levels, visited: 0, progress }
    }

    fn visit(&mut self, state: &G::State, depth: usize) -> Result<(), Limit> {
        tick(&mut self.visited, self.progress)?;
        let Level { view, joints, .. } = &mut self.levels[depth];
        self.game.look(state, view)?;
        self.counts[depth].nodes += 1;
        if self.game.over(view) {
            self.counts[depth].terminal += 1;
            return Ok(());
        }
        if depth + 1 == self.counts.len() {
            return Ok(());
        }
        joints.fill(self.game, view);
        for index in 0..joints.len() {
            let Level { view, next, joints, joint } = &mut self.levels[depth];
            joints.write(index, joint);
            self.game.play(view, joint, next)?;
            let next = next.clone();
            self.visit(&next, depth + 1)?;
        }
        Ok(())
    }
}
/// The facts of this name: what a state's turn is known by when paths are counted in turns.
pub fn facts_named(facts: Vec<String>, name: &str) -> Vec<String> {
    let called = |fact: &String| {
        let word = fact.strip_prefix('(').unwrap_or(fact).split([' ', ')']).next().unwrap_or("");
        word.eq_ignore_ascii_case(name)
    };
    facts.into_iter().filter(called).collect()
}
