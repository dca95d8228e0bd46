//! Alpha-beta: max/min for any number of roles, to the end of the game or to a depth.
//!
//! Values are the reward of our role. Roles of our team are taken to help us, all others to harm us (paranoid play).
//! Where several roles choose at the same time, the others are taken to move uniformly at random and our team chooses
//! the joint action with the greatest expected reward. Without an evaluator the search goes depth-first to the end of
//! the game, or deepens step by step with a neutral value at the horizon; with one, it deepens step by step.

use crate::key::key;
use crate::table::{Bound, Entry, Table};
use crate::{Budget, Choice, Found, Judge, KeyOf, Latest, Searcher, first_moves};
use game::random::Rng;
use game::{Game, Limit, Move, Role, Turn, roles};

/// One point of reward, inside the search: whole numbers make windows of width one possible.
const POINT: i32 = 1000;
/// The deepest line. Far more than a search without cuts reaches in a game that it can finish.
const MOST_PLIES: usize = 1000;

/// What to search with.
#[derive(Clone)]
pub struct Settings<G: Game> {
    /// Values at the horizon; without one every state there is worth half.
    pub evaluator: Option<Judge<G>>,
    /// Whether to deepen step by step. Always so with an evaluator.
    pub deepen: bool,
    /// For each role the roles that get its reward; where nothing is said, it is alone.
    pub teams: Vec<Vec<Role>>,
    /// What is estimated of a state counts for all states with the same key; `None` compares whole states. Proofs are always
    /// about whole states.
    pub key: Option<KeyOf<G>>,
    /// The least and the greatest goal of the game: evaluations lie strictly between them.
    pub range: (u8, u8),
    /// The deepest horizon.
    pub depth: Option<u32>,
    /// Whether moves of the same worth are tried in random order, so that several searches explore differently.
    pub shuffle: bool,
    /// Where several roles choose at once, so many joint moves of the others are drawn at random at the root instead of
    /// trying them all, a quarter as many one step further, and so on, at least one. The average is then an estimate, and
    /// the search goes deeper.
    pub drawn: Option<u32>,
}

impl<G: Game> Default for Settings<G> {
    fn default() -> Settings<G> {
        Settings {
            evaluator: None,
            deepen: false,
            teams: Vec::new(),
            key: None,
            range: (0, 100),
            depth: None,
            shuffle: false,
            drawn: None,
        }
    }
}

/// An alpha-beta searcher; keeps its table and its history from one move to the next.
pub struct AlphaBeta<G: Game> {
    settings: Settings<G>,
    table: Table,
    history: Vec<Vec<u32>>,
    /// Whose values the table holds.
    role: Option<Role>,
}

impl<G: Game> AlphaBeta<G> {
    /// A searcher with these settings.
    pub fn new(settings: Settings<G>) -> AlphaBeta<G> {
        AlphaBeta { settings, table: Table::default(), history: Vec::new(), role: None }
    }

    /// Depth-first to the end of the game.
    pub fn exhaustive() -> AlphaBeta<G> {
        AlphaBeta::new(Settings::default())
    }

    /// To the end of the game, but step by step, so that the shortest win is found first.
    pub fn deepening() -> AlphaBeta<G> {
        AlphaBeta::new(Settings { deepen: true, ..Settings::default() })
    }

    /// Step by step with an evaluator.
    pub fn with(evaluator: Judge<G>) -> AlphaBeta<G> {
        AlphaBeta::new(Settings { evaluator: Some(evaluator), ..Settings::default() })
    }
}

impl<G: Game> Searcher<G> for AlphaBeta<G> {
    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        latest: &Latest,
    ) -> Result<Found, Limit> {
        let mut view = game.view();
        let moves = first_moves(game, state, role, &mut view, latest)?;
        if self.role != Some(role) {
            self.table.clear();
            self.history = vec![Vec::new(); game.roles()];
            self.role = Some(role);
        }
        self.history.iter_mut().flatten().for_each(|worth| *worth /= 2);
        self.table.fit(budget.memory);
        let team = self.settings.teams.get(role.0 as usize);
        let neutral = Choice { mv: Move(0), value: 50.0, visits: 0, proven: false, share: 0.0 };
        let mut search = Search {
            game,
            budget,
            latest,
            role,
            settings: &self.settings,
            ours: roles(game).map(|r| r == role || team.is_some_and(|team| team.contains(&r))).collect(),
            table: &mut self.table,
            history: &mut self.history,
            rng: Rng::new(budget.seed),
            plies: Vec::new(),
            path: Vec::new(),
            nodes: 0,
            cuts: 0,
            mixed: false,
            mixed_root: game.turn(&view) == Turn::Many,
            root: moves.iter().map(|&mv| Choice { mv, ..neutral }).collect(),
            best: moves.first().copied(),
        };
        if search.settings.shuffle && !moves.is_empty() {
            search.best = Some(moves[search.rng.below(moves.len())]);
        }
        Ok(search.run(state))
    }
}

/// Why a search was left before it was finished.
enum Halt {
    /// The budget is spent.
    Spent,
    /// The engine gave up on this state.
    Limit,
}

impl From<Limit> for Halt {
    fn from(_: Limit) -> Halt {
        Halt::Limit
    }
}

/// Buffers of one ply.
struct Ply<G: Game> {
    view: G::View,
    /// The choices of a role, with what they are ordered by.
    moves: Vec<(u32, Move)>,
    legal: Vec<Move>,
    joint: Vec<Move>,
    next: G::State,
}

struct Search<'a, G: Game> {
    game: &'a G,
    budget: &'a Budget<'a>,
    latest: &'a Latest,
    role: Role,
    settings: &'a Settings<G>,
    /// Which roles get our reward.
    ours: Vec<bool>,
    table: &'a mut Table,
    /// How often a move of a role was best, weighted by depth.
    history: &'a mut Vec<Vec<u32>>,
    rng: Rng,
    plies: Vec<Option<Box<Ply<G>>>>,
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
}

impl<G: Game> Search<'_, G> {
    /// The whole search from the root: one depth after the other, or all at once.
    fn run(mut self, state: &G::State) -> Found {
        let mut found = Found { mv: self.best, value: 50.0, ..Found::default() };
        let deepest = self.settings.depth.unwrap_or(MOST_PLIES as u32);
        let stepwise = self.settings.deepen || self.settings.evaluator.is_some();
        let (low, high) = self.ends();
        let mut depth = if stepwise { 1 } else { deepest };
        let mut kept = self.root.clone();
        if !self.root.is_empty() {
            while depth <= deepest {
                self.cuts = 0;
                self.mixed = false;
                let before = self.best;
                let Ok(value) = self.node(state, 0, depth, low - 1, high + 1) else {
                    // Where one role chooses, the best move so far came first and was only left for a better one. Where
                    // several do, nothing can be said before all is seen.
                    if self.mixed_root {
                        self.best = before;
                    }
                    break;
                };
                kept.clone_from(&self.root);
                let decided = value <= low || value >= high;
                // A loss is a loss by any move, but the move that looked best one depth earlier resists longest.
                if value <= low && depth > 1 {
                    self.best = before;
                }
                found.value = value as f32 / POINT as f32;
                found.depth = depth;
                found.proven = decided || self.cuts == 0 && !self.mixed;
                if decided || self.cuts == 0 || self.is_spent(self.nodes) {
                    break;
                }
                depth += 1;
            }
        }
        found.mv = self.best;
        found.nodes = self.nodes;
        found.moves = kept;
        for choice in &mut found.moves {
            choice.share = if Some(choice.mv) == found.mv { 1.0 } else { 0.0 };
        }
        found.line = self.line(state);
        found
    }

    /// The least and the greatest value. A game with one goal only has states without any: they are worth nothing.
    fn ends(&self) -> (i32, i32) {
        let (low, high) = self.settings.range;
        let (low, high) = if low < high { (low, high) } else { (0, high.max(1)) };
        (i32::from(low) * POINT, i32::from(high) * POINT)
    }

    /// Whether that many states are all that may be looked at. The clock is asked now and then.
    fn is_spent(&self, nodes: u64) -> bool {
        self.budget.states().is_some_and(|most| nodes >= most)
            || (nodes < 64 || nodes.is_multiple_of(16)) && (self.budget.spent)() >= 1.0
    }

    fn key(&self, state: &G::State) -> u64 {
        self.settings.key.as_ref().map_or_else(|| key(state), |key| key(state))
    }

    /// The value of a state, at least `alpha` and at most `beta` being of interest: outside of these it is a bound.
    fn node(&mut self, state: &G::State, ply: usize, depth: u32, alpha: i32, beta: i32) -> Result<i32, Halt> {
        // 1. The budget.
        self.nodes += 1;
        if self.is_spent(self.nodes - 1) {
            return Err(Halt::Spent);
        }

        // 2. A state that was on the way here: going round in circles proves nothing, and is a horizon.
        let key = self.key(state);
        let depth = if self.path.contains(&key) { 0 } else { depth };

        // 3. What the table knows.
        let cuts_before = self.cuts;
        let known = self.table.get(key);
        let whole = if self.settings.key.is_some() { crate::key::key(state) } else { key };
        if let Some(entry) = known
            && ply > 0
            && depth > 0
        {
            // What is known of a state that only looks the same is an estimate, and a sure win or loss is none.
            let (low, high) = self.ends();
            let same = entry.is_of(whole);
            let full = entry.full && same;
            let usable = (full || u32::from(entry.depth) >= depth)
                && (same || entry.value > low && entry.value < high)
                && match entry.bound {
                    Bound::Exact => true,
                    Bound::AtLeast => entry.value >= beta,
                    Bound::AtMost => entry.value <= alpha,
                };
            if usable {
                self.cuts += u64::from(!full);
                self.mixed |= entry.mixed;
                return Ok(entry.value);
            }
        }

        // 4. The end of the game, or of what can be played.
        let mut here = self.take(ply);
        let result = self.look(state, &mut here);
        let turn = match result {
            Ok(Ok(turn)) => turn,
            Ok(Err(value)) => {
                self.plies[ply] = Some(here);
                return Ok(value);
            }
            Err(_) => {
                self.plies[ply] = Some(here);
                self.cuts += 1;
                return Ok(self.neutral());
            }
        };

        // 5. The horizon.
        if depth == 0 || ply >= MOST_PLIES {
            self.cuts += 1;
            let value = self.evaluate(state, &mut here.view);
            self.plies[ply] = Some(here);
            return Ok(value);
        }

        // 6. Simultaneous moves have a rule of their own.
        self.path.push(key);
        let mixed_before = std::mem::replace(&mut self.mixed, false);
        let outcome = match turn {
            Turn::One(chooser) => {
                // 7. Moves in order: the table's first, then those that were often best.
                self.order(&mut here, chooser, known.map(|entry| Move(entry.mv)));
                // 8. Each of them: the first with the full window, the others only to see whether they are better.
                self.each(&mut here, chooser, ply, depth, alpha, beta)
            }
            _ => self.expect(&mut here, ply, depth, alpha, beta),
        };
        self.path.pop();
        self.plies[ply] = Some(here);
        let (value, mv) = outcome?;

        // 9. The table.
        let bound = match (value <= alpha, value >= beta) {
            (true, _) => Bound::AtMost,
            (_, true) => Bound::AtLeast,
            _ => Bound::Exact,
        };
        let full = self.cuts == cuts_before;
        let depth = depth.min(u32::from(u16::MAX)) as u16;
        self.table.put(key, Entry { value, mv: mv.0, depth, bound, full, mixed: self.mixed, whole });
        self.mixed |= mixed_before;
        Ok(value)
    }

    /// The best of one role's moves: greatest for our team, least for the others.
    fn each(
        &mut self,
        here: &mut Ply<G>,
        chooser: Role,
        ply: usize,
        depth: u32,
        mut alpha: i32,
        mut beta: i32,
    ) -> Result<(i32, Move), Halt> {
        let who = chooser.0 as usize;
        let max = self.ours[who];
        let mut best = (if max { i32::MIN } else { i32::MAX }, here.moves[0].1);
        for at in 0..here.moves.len() {
            let mv = here.moves[at].1;
            here.joint[who] = mv;
            let nodes = self.nodes;
            let value = match self.game.play(&mut here.view, &here.joint, &mut here.next) {
                Err(_) => {
                    self.cuts += 1;
                    self.neutral()
                }
                Ok(()) if at == 0 => self.node(&here.next, ply + 1, depth - 1, alpha, beta)?,
                Ok(()) => {
                    let window = if max { (alpha, alpha + 1) } else { (beta - 1, beta) };
                    let value = self.node(&here.next, ply + 1, depth - 1, window.0, window.1)?;
                    if value > alpha && value < beta && (alpha + 1 < beta) {
                        self.node(&here.next, ply + 1, depth - 1, alpha, beta)?
                    } else {
                        value
                    }
                }
            };
            let better = if max { value > best.0 } else { value < best.0 };
            if ply == 0 && chooser == self.role {
                self.note(mv, value, self.nodes - nodes, better);
            }
            if better {
                best = (value, mv);
            }
            if max {
                alpha = alpha.max(value);
            } else {
                beta = beta.min(value);
            }
            if alpha >= beta {
                break;
            }
        }
        if let Some(worth) = self.worth(chooser, best.1) {
            *worth = worth.saturating_add(depth.min(64) * depth.min(64));
        }
        Ok(best)
    }

    /// A root move has been searched.
    fn note(&mut self, mv: Move, value: i32, nodes: u64, best: bool) {
        let points = value as f32 / POINT as f32;
        let (low, high) = self.ends();
        let exact = value <= low || value >= high || self.cuts == 0 && !self.mixed && best;
        if let Some(choice) = self.root.iter_mut().find(|choice| choice.mv == mv) {
            (choice.value, choice.proven) = (points, exact);
            choice.visits += nodes;
        }
        if best {
            self.best = Some(mv);
            self.latest.set(mv, points);
        }
    }

    /// Several roles choose at once: the best average over what the others may do.
    fn expect(
        &mut self,
        here: &mut Ply<G>,
        ply: usize,
        depth: u32,
        alpha: i32,
        beta: i32,
    ) -> Result<(i32, Move), Halt> {
        let mut choices: Vec<Vec<Move>> = Vec::with_capacity(self.ours.len());
        for role in roles(self.game) {
            let mut legal = Vec::new();
            self.game.legal(&here.view, role, &mut legal);
            choices.push(legal);
        }
        let count = |ours: bool| -> u64 {
            let sides = choices.iter().zip(&self.ours).filter(|side| *side.1 == ours);
            sides.fold(1u64, |product, side| product.saturating_mul(side.0.len() as u64))
        };
        let (mine, all) = (count(true), count(false));
        self.mixed |= all > 1;
        // Numbers beyond any search: they only must not overflow.
        let (mine, all) = (mine.min(1 << 40), all.min(1 << 40));
        let drawn = self.settings.drawn.map(|drawn| u64::from(drawn >> (2 * ply).min(31)).max(1));
        let drawn = drawn.filter(|&drawn| drawn < all);
        let theirs = drawn.unwrap_or(all);
        // The same draws for each of our actions, so that luck does not decide between them.
        let draws: Vec<u64> = (0..drawn.unwrap_or(0)).map(|_| self.rng.below(all as usize) as u64).collect();
        // An estimate is not the outcome of the game.
        self.cuts += u64::from(drawn.is_some());
        let first = if self.settings.shuffle { self.rng.below(mine as usize) as u64 } else { 0 };
        let (low, high) = (self.ends().0 - 1, self.ends().1 + 1);
        let mut best = (i32::MIN, choices[self.role.0 as usize][0]);
        for action in 0..mine {
            self.pick(&choices, true, (action + first) % mine, &mut here.joint);
            let mut sum = 0i64;
            let mut seen = 0;
            let nodes = self.nodes;
            while seen < theirs {
                let which = draws.get(seen as usize).copied().unwrap_or(seen);
                self.pick(&choices, false, which, &mut here.joint);
                sum += i64::from(match self.game.play(&mut here.view, &here.joint, &mut here.next) {
                    Ok(()) => self.node(&here.next, ply + 1, depth - 1, low, high)?,
                    Err(_) => {
                        self.cuts += 1;
                        self.neutral()
                    }
                });
                seen += 1;
                // Even with the greatest reward from here on it cannot become the best.
                let at_most = sum.saturating_add(i64::from(high).saturating_mul((theirs - seen) as i64));
                if seen < theirs && at_most <= i64::from(alpha.max(best.0)).saturating_mul(theirs as i64) {
                    break;
                }
            }
            let rest = i64::from(high).saturating_mul((theirs - seen) as i64);
            let value = average(sum.saturating_add(rest), theirs, self.ends());
            let mv = here.joint[self.role.0 as usize];
            let better = value > best.0;
            if ply == 0 {
                let shown = self.root.iter().find(|choice| choice.mv == mv).map_or(0.0, |choice| choice.value);
                if better || shown * (POINT as f32) < value as f32 || action == 0 {
                    self.note(mv, value, self.nodes - nodes, better);
                }
            }
            if better {
                best = (value, mv);
            }
            if best.0 >= beta {
                break;
            }
        }
        Ok(best)
    }

    /// Writes the moves of one side's action into the joint move: the action's number, taken apart by role.
    fn pick(&self, choices: &[Vec<Move>], ours: bool, mut number: u64, joint: &mut [Move]) {
        for (role, legal) in choices.iter().enumerate().filter(|(role, _)| self.ours[*role] == ours) {
            joint[role] = legal[(number % legal.len() as u64) as usize];
            number /= legal.len() as u64;
        }
    }

    /// Looks at a state: who decides, or the value where nobody can.
    fn look(&mut self, state: &G::State, here: &mut Ply<G>) -> Result<Result<Turn, i32>, Limit> {
        self.game.look(state, &mut here.view)?;
        let turn = self.game.turn(&here.view);
        let mut stuck = turn == Turn::Over;
        here.joint.clear();
        here.moves.clear();
        if !stuck {
            for role in roles(self.game) {
                here.legal.clear();
                self.game.legal(&here.view, role, &mut here.legal);
                let Some(&first) = here.legal.first() else {
                    stuck = true;
                    break;
                };
                here.joint.push(first);
                if turn == Turn::One(role) {
                    here.moves.extend(here.legal.iter().map(|&mv| (0, mv)));
                }
            }
        }
        if !stuck {
            return Ok(Ok(turn));
        }
        // No goal is no reward.
        let goal = self.game.goal(&mut here.view, self.role)?;
        Ok(Err(i32::from(goal.unwrap_or(0)) * POINT))
    }

    fn evaluate(&mut self, state: &G::State, view: &mut G::View) -> i32 {
        let Some(evaluator) = &self.settings.evaluator else { return self.neutral() };
        let (low, high) = self.ends();
        let value = f64::from(evaluator.value(self.game, state, view, self.role)).clamp(0.0, 100.0) / 100.0;
        // 1 + R− + (R+ − R− − 2)·V: worse than a sure win, better than a sure loss.
        let inside = f64::from((high - low - 2 * POINT).max(0)) * value;
        (low + POINT + inside as i32).min(high - 1).max(low + 1)
    }

    fn neutral(&self) -> i32 {
        let (low, high) = self.ends();
        (low + high) / 2
    }

    fn order(&mut self, here: &mut Ply<G>, chooser: Role, first: Option<Move>) {
        for at in 0..here.moves.len() {
            let mv = here.moves[at].1;
            let mut worth = self.worth(chooser, mv).map_or(0, |worth| *worth);
            if self.settings.shuffle {
                worth = worth.min(1 << 22) << 8 | self.rng.below(256) as u32;
            }
            here.moves[at].0 = if Some(mv) == first { u32::MAX } else { worth.min(u32::MAX - 1) };
        }
        here.moves.sort_by_key(|entry| std::cmp::Reverse(entry.0));
    }

    fn worth(&mut self, role: Role, mv: Move) -> Option<&mut u32> {
        let history = &mut self.history[role.0 as usize];
        let at = mv.0 as usize;
        if at >= history.len() && at < 1 << 20 {
            history.resize(at + 1, 0);
        }
        history.get_mut(at)
    }

    fn take(&mut self, ply: usize) -> Box<Ply<G>> {
        if self.plies.len() <= ply {
            self.plies.resize_with(ply + 1, || None);
        }
        self.plies[ply].take().unwrap_or_else(|| {
            Box::new(Ply {
                view: self.game.view(),
                moves: Vec::new(),
                legal: Vec::new(),
                joint: Vec::new(),
                next: self.game.start(),
            })
        })
    }

    /// The line that the table expects, as far as one role at a time decides.
    fn line(&mut self, state: &G::State) -> Vec<Vec<Move>> {
        let mut line: Vec<Vec<Move>> = Vec::new();
        let mut state = state.clone();
        let mut here = self.take(0);
        while line.len() < 64 {
            let Ok(Ok(Turn::One(chooser))) = self.look(&state, &mut here) else { break };
            let known = self.table.get(self.key(&state)).map(|entry| Move(entry.mv));
            let mv = if line.is_empty() && chooser == self.role { self.best } else { known };
            let Some(mv) = mv.filter(|mv| here.moves.iter().any(|entry| entry.1 == *mv)) else { break };
            here.joint[chooser.0 as usize] = mv;
            if self.game.play(&mut here.view, &here.joint, &mut here.next).is_err() {
                break;
            }
            line.push(here.joint.clone());
            state.clone_from(&here.next);
        }
        line
    }
}

/// The average of rewards; a win or a loss only if every one of them is.
fn average(sum: i64, count: u64, (low, high): (i32, i32)) -> i32 {
    let count = count as i64;
    let value = (sum / count) as i32;
    if sum > i64::from(low) * count { value.max(low + 1) } else { value }.min(if sum < i64::from(high) * count {
        high - 1
    } else {
        i32::MAX
    })
}
