//! Alpha-beta: max/min for any number of roles, to the end of the game or to a depth.
//!
//! Values are the reward of our role. Roles of our team are taken to help us, all others to harm us (paranoid play).
//! Where several roles choose at the same time, the others are taken to move uniformly at random and our team chooses
//! the joint action with the greatest expected reward. Without an evaluator the search goes depth-first to the end of
//! the game, or deepens step by step with a neutral value at the horizon; with one, it deepens step by step.
//!
//! Here is what surrounds the search: settings, and one depth after the other. The search function is in `node.rs`.

mod node;
mod plies;

use crate::key::key;
use crate::transposition::TranspositionTable;
use crate::{Budget, Choice, Found, Knowledge, Monitor, Searcher, SharedEvaluator, StateKey, Symmetries, first_moves};
use game::random::Rng;
use game::{Game, Limit, Move, Role, Turn, roles};
use plies::{Plies, Ply};
use std::sync::Arc;

/// One point of reward, inside the search: whole numbers make windows of width one possible.
const POINT: i32 = 1000;
/// The deepest line. Far more than a search without cuts reaches in a game that it can finish.
const MOST_PLIES: usize = 1000;
/// The part of the memory that may hold views, one for each ply; the transposition table has the rest.
const VIEWS_PART: usize = 8;

/// What can be set. What is known of the game is given apart from it: see [`AlphaBeta::with_evaluator`] and
/// [`AlphaBeta::with_knowledge`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AlphaBetaSettings {
    /// Whether to deepen step by step, so that the shortest win is found first. Always so with an evaluator. (default: true)
    pub deepen: bool,
    /// The deepest horizon. (default: no limit)
    pub depth: Option<u32>,
    /// Whether moves of the same worth are tried in random order, so that several searches explore differently. (default: true)
    pub shuffle: bool,
    /// Where several roles choose at once, so many joint moves of the others are drawn at random at the root instead of
    /// trying them all, a quarter as many one step further, and so on, at least one. The average is then an estimate, and
    /// the search goes deeper. Done with an evaluator only: those who guess at the horizon may also guess what the others
    /// do. (default: 8)
    pub drawn: Option<u32>,
}

impl Default for AlphaBetaSettings {
    fn default() -> AlphaBetaSettings {
        AlphaBetaSettings { deepen: true, depth: None, shuffle: true, drawn: Some(8) }
    }
}

impl AlphaBetaSettings {
    /// Depth-first to the end of the game.
    pub fn exhaustive() -> AlphaBetaSettings {
        AlphaBetaSettings { deepen: false, ..AlphaBetaSettings::default() }
    }
}

/// An alpha-beta searcher; keeps its transposition table and its history from one move to the next.
pub struct AlphaBeta<G: Game> {
    settings: AlphaBetaSettings,
    /// Values at the horizon; without one every state there is worth half.
    evaluator: Option<SharedEvaluator<G>>,
    /// For each role the roles that get its reward.
    teams: Vec<Vec<Role>>,
    /// What is estimated of a state counts for all states with the same key. Proofs are always about whole states.
    key: Option<StateKey<G>>,
    /// What is found out about a state holds for all states with the same key of these.
    same: Option<StateKey<G>>,
    /// What is found out about a state, proofs included, holds for its images.
    symmetries: Option<Arc<Symmetries<G>>>,
    range: (u8, u8),
    table: TranspositionTable,
    history: Vec<Vec<u32>>,
    /// Whose values the table holds.
    role: Option<Role>,
}

impl<G: Game> AlphaBeta<G> {
    /// A searcher with these settings, to the end of the game.
    pub fn new(settings: AlphaBetaSettings) -> AlphaBeta<G> {
        AlphaBeta {
            settings,
            evaluator: None,
            teams: Vec::new(),
            key: None,
            same: None,
            symmetries: None,
            range: (0, 100),
            table: TranspositionTable::default(),
            history: Vec::new(),
            role: None,
        }
    }

    /// Depth-first to the end of the game.
    pub fn exhaustive() -> AlphaBeta<G> {
        AlphaBeta::new(AlphaBetaSettings::exhaustive())
    }

    /// To the end of the game, but step by step, so that the shortest win is found first.
    pub fn deepening() -> AlphaBeta<G> {
        AlphaBeta::new(AlphaBetaSettings::default())
    }

    /// Step by step with this evaluator at the horizon.
    pub fn with_evaluator(self, evaluator: SharedEvaluator<G>) -> AlphaBeta<G> {
        AlphaBeta { evaluator: Some(evaluator), ..self }
    }

    /// With the teams, the key of states, symmetries and the range of goals that are known. The key is used with an evaluator only: who
    /// searches for proofs has no use for it.
    pub fn with_knowledge(self, knowledge: &Knowledge<G>) -> AlphaBeta<G> {
        let Knowledge { teams, key, same, symmetries, range, .. } = knowledge;
        let (teams, key, same, symmetries) = (teams.clone(), key.clone(), same.clone(), symmetries.clone());
        AlphaBeta { teams, key, same, symmetries, range: *range, ..self }
    }
}

impl<G: Game> Searcher<G> for AlphaBeta<G> {
    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        let mut view = game.view();
        let moves = first_moves(game, state, role, &mut view, monitor)?;
        if self.role != Some(role) {
            self.table.clear();
            self.history = vec![Vec::new(); game.roles()];
            self.role = Some(role);
        }
        self.history.iter_mut().flatten().for_each(|worth| *worth /= 2);
        self.table.fit(budget.memory - budget.memory / VIEWS_PART);
        let team = self.teams.get(role.0 as usize);
        let neutral = Choice { mv: Move(0), value: 50.0, visits: 0, proven: false, share: 0.0 };
        let mut search = Search {
            game,
            budget,
            monitor,
            role,
            start: state,
            settings: self.settings,
            evaluator: self.evaluator.as_ref(),
            key: self.key.as_ref().filter(|_| self.evaluator.is_some()),
            same: self.same.as_ref(),
            symmetries: self.symmetries.as_deref(),
            range: self.range,
            ours: roles(game).map(|r| r == role || team.is_some_and(|team| team.contains(&r))).collect(),
            table: &mut self.table,
            history: &mut self.history,
            rng: Rng::new(budget.seed),
            mixed_root: game.turn(&view) == Turn::Many,
            plies: Plies::new(view, budget.memory / VIEWS_PART),
            path: Vec::new(),
            nodes: 0,
            cuts: 0,
            mixed: false,
            root: moves.iter().map(|&mv| Choice { mv, ..neutral }).collect(),
            best: moves.first().copied(),
            finished: None,
        };
        if search.settings.shuffle && !moves.is_empty() {
            search.best = Some(moves[search.rng.below(moves.len())]);
        }
        let found = search.run();
        monitor.finish(&found);
        Ok(found)
    }
}

/// Where the table has a state.
struct Place {
    key: u64,
    /// A key of the whole state, for proofs.
    whole: u64,
    /// The map that leads from the state to that of the table.
    map: usize,
}

/// Why a search was left before it was finished.
struct Spent;

/// What the last finished depth came to.
struct Finished {
    value: i32,
    depth: u32,
    proven: bool,
    root: Vec<Choice>,
}

/// One search for one move.
struct Search<'a, G: Game> {
    game: &'a G,
    budget: &'a Budget<'a>,
    monitor: &'a Monitor,
    role: Role,
    start: &'a G::State,
    settings: AlphaBetaSettings,
    evaluator: Option<&'a SharedEvaluator<G>>,
    key: Option<&'a StateKey<G>>,
    same: Option<&'a StateKey<G>>,
    symmetries: Option<&'a Symmetries<G>>,
    range: (u8, u8),
    /// Which roles get our reward.
    ours: Vec<bool>,
    table: &'a mut TranspositionTable,
    /// How often a move of a role was best, weighted by depth.
    history: &'a mut Vec<Vec<u32>>,
    rng: Rng,
    plies: Plies<G>,
    /// The keys of the states from the root to here.
    path: Vec<u64>,
    nodes: u64,
    /// How often a value was taken that is not the outcome of the game: a horizon, a repetition, a limit.
    cuts: u64,
    /// Whether a value is an average over moves of others.
    mixed: bool,
    /// Whether several roles choose at once at the root.
    mixed_root: bool,
    root: Vec<Choice>,
    best: Option<Move>,
    finished: Option<Finished>,
}

impl<G: Game> Search<'_, G> {
    /// The whole search from the root: one depth after the other, or all at once.
    fn run(mut self) -> Found {
        let deepest = self.settings.depth.unwrap_or(MOST_PLIES as u32);
        let stepwise = self.settings.deepen || self.evaluator.is_some();
        let (low, high) = self.ends();
        let mut depth = if stepwise { 1 } else { deepest };
        while depth <= deepest && !self.root.is_empty() {
            self.cuts = 0;
            self.mixed = false;
            let before = self.best;
            let Ok(value) = self.node(self.start, 0, depth, low - 1, high + 1) else {
                // Where one role chooses, the best move so far came first and was only left for a better one. Where
                // several do, nothing can be said before all is seen.
                if self.mixed_root {
                    self.best = before;
                }
                break;
            };
            let decided = value <= low || value >= high;
            // A loss is a loss by any move, but the move that looked best one depth earlier resists longest.
            if value <= low && depth > 1 {
                self.best = before;
            }
            let proven = decided || self.cuts == 0 && !self.mixed;
            self.finished = Some(Finished { value, depth, proven, root: self.root.clone() });
            if decided || self.cuts == 0 || self.is_spent(self.nodes) {
                break;
            }
            depth += 1;
        }
        self.report()
    }

    /// What the search has come to if it ends here: the last finished depth, with the best move of the one begun.
    fn report(&self) -> Found {
        let line = self.line();
        let mut found = Found { mv: self.best, nodes: self.nodes, line, value: 50.0, ..Found::default() };
        match &self.finished {
            Some(Finished { value, depth, proven, root }) => {
                (found.value, found.depth, found.proven) = (*value as f32 / POINT as f32, *depth, *proven);
                found.moves.clone_from(root);
            }
            // What the moves seen so far are worth.
            None => found.moves.clone_from(&self.root),
        }
        for choice in &mut found.moves {
            choice.share = if Some(choice.mv) == found.mv { 1.0 } else { 0.0 };
        }
        found
    }

    /// The line that the table expects, as far as one role at a time decides. Changes nothing of the search.
    fn line(&self) -> Vec<Vec<Move>> {
        let mut line: Vec<Vec<Move>> = Vec::new();
        let mut state = self.start.clone();
        let (mut here, mut view) = (Ply::new(self.game), self.game.view());
        while line.len() < 64 {
            let looked = node::look(self.game, self.role, &state, &mut view, &mut here);
            let Ok(Ok(Turn::One(chooser))) = looked else { break };
            let at = self.place(&state);
            let known = self.table.get(at.key).map(|entry| self.own(&at, Move(entry.mv)));
            let mv = if line.is_empty() && chooser == self.role { self.best } else { known };
            let Some(mv) = mv.filter(|mv| here.moves.iter().any(|entry| entry.1 == *mv)) else { break };
            here.joint[chooser.0 as usize] = mv;
            if self.game.play(&mut view, &here.joint, &mut here.next).is_err() {
                break;
            }
            line.push(here.joint.clone());
            state.clone_from(&here.next);
        }
        line
    }

    /// The least and the greatest value. A game with one goal only has states without any: they are worth nothing.
    fn ends(&self) -> (i32, i32) {
        let (low, high) = self.range;
        let (low, high) = if low < high { (low, high) } else { (0, high.max(1)) };
        (i32::from(low) * POINT, i32::from(high) * POINT)
    }

    /// Whether that many states are all that may be looked at. The clock is asked now and then, and whoever wants a report
    /// is given one.
    fn is_spent(&mut self, nodes: u64) -> bool {
        if self.budget.states().is_some_and(|most| nodes >= most) {
            return true;
        }
        if nodes >= 64 && !nodes.is_multiple_of(16) {
            return false;
        }
        if self.monitor.is_wanted() {
            let found = self.report();
            self.monitor.publish(found);
        }
        (self.budget.spent)() >= 1.0
    }

    fn place(&self, state: &G::State) -> Place {
        let plain = |key: u64, whole: u64| Place { key, whole, map: 0 };
        let key = |state: &G::State| self.same.map_or_else(|| key(state), |same| same(state));
        match (self.key, self.symmetries) {
            (None, None) => {
                let key = key(state);
                plain(key, key)
            }
            (Some(rough), None) => plain(rough(state), key(state)),
            (rough, Some(symmetries)) => {
                let (whole, map) = (symmetries.key)(state);
                let rough = symmetries.rough.as_ref().filter(|_| rough.is_some());
                let (key, map) = rough.map_or((whole, map), |rough| rough(state));
                Place { key, whole, map }
            }
        }
    }

    /// A move of the table as it is called in a state.
    fn own(&self, place: &Place, mv: Move) -> Move {
        self.symmetries.filter(|_| place.map > 0).map_or(mv, |symmetries| symmetries.back(place.map, mv))
    }

    /// A move of a state as the table calls it.
    fn common(&self, place: &Place, mv: Move) -> Move {
        self.symmetries.filter(|_| place.map > 0).map_or(mv, |symmetries| symmetries.there(place.map, mv))
    }
}
