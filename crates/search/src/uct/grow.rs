//! Growing the tree: leaves found on the way down, random games from there, results back up.
//!
//! The engine asks for a start whenever a lane is free; several leaves are therefore under way at the same time. Descents are gathered, and
//! the steps that they end with are made together.

use super::descend::{Descent, Path, Selection, Step};
use super::grave::{Counts, place};
use super::learned::Learned;
use super::proof::Total;
use super::shared::Missing;
use super::together::Common;
use super::tree::{Arm, Opening, Ready, Tree};
use super::{Task, choose};
use crate::exchange::{Exchange, Gain};
use crate::{Budget, Monitor};
use game::random::{End, Rng};
use game::rollouts::{Alike, Feed, PlayoutBias};
use game::steps::{Seen, Steps};
use game::{Game, Goal, Move, Role};
use std::collections::VecDeque;

/// A leaf under way.
struct Leaf<G: Game> {
    path: Path,
    state: G::State,
    /// Games still to begin, and still running.
    begin: u32,
    running: u32,
    /// Rewards so far, and from how many games.
    rewards: Vec<f32>,
    games: u32,
    /// The moves that were made in them, where that counts.
    made: Counts,
    /// What the evaluator says.
    evaluated: Vec<f32>,
}

/// Steps that are made together, and where they lead.
struct Batch<'a, G: Game> {
    steps: &'a [Step<G::State>],
    reached: Vec<(G::State, Opening)>,
}

impl<G: Game> Steps<G::State> for Batch<'_, G> {
    fn count(&self) -> usize {
        self.steps.len()
    }

    fn step(&self, number: usize) -> (&G::State, &[Move]) {
        let Step { state, joint, .. } = &self.steps[number];
        (state, joint)
    }

    fn reached(&mut self, _: usize, state: G::State, seen: &Seen) {
        self.reached.push((state, Opening::new(seen)));
    }
}

/// What the time since some moment was spent on.
#[derive(Clone, Copy)]
struct Balance {
    since: f32,
    /// On going down the tree and making nodes.
    tree: f32,
}

impl Balance {
    fn new(since: f32) -> Balance {
        Balance { since, tree: 0.0 }
    }
}

/// Looks at the time no more often than it goes on: asking takes longer than a step of the lanes in a small game.
#[derive(Default)]
struct Clock {
    last: f32,
    /// Questions until the next look, and from the last look to it.
    left: u32,
    every: u32,
    over: bool,
}

impl Clock {
    fn is_over(&mut self, spent: &dyn Fn() -> f32) -> bool {
        if self.left > 0 && !self.over {
            self.left -= 1;
            return false;
        }
        let now = spent();
        self.over = now >= 1.0;
        // Half as often while hardly any of the time goes by between two looks.
        self.every = if now - self.last < LOOK { (2 * self.every).clamp(1, MOST_SKIPPED) } else { self.every / 4 };
        (self.left, self.last) = (self.every, now);
        self.over
    }
}

/// The part of the time that may go by between two looks at it, about.
const LOOK: f32 = 0.0005;

/// Questions about the time that are answered without a look, at the most.
const MOST_SKIPPED: u32 = 64;

/// Feeds the engine with leaves of a tree.
pub(super) struct Grower<'a, G: Game> {
    task: &'a Task<'a, G>,
    game: &'a G,
    common: &'a Common<G>,
    selection: Selection,
    trust: f32,
    budget: &'a Budget<'a>,
    monitor: &'a Monitor,
    view: G::View,
    leaves: Vec<Leaf<G>>,
    free: Vec<u32>,
    /// The leaf that games are begun for, and those that come after it.
    current: Option<u32>,
    ready: VecDeque<u32>,
    /// Leaves whose games are over.
    finished: Vec<u32>,
    /// Steps that lead to new nodes, while they are gathered, and how many at the most.
    steps: Vec<Step<G::State>>,
    batch: usize,
    games: u32,
    balance: Option<Balance>,
    clock: Clock,
    made: u64,
    playouts: u64,
    results: u32,
    /// What games that ended alike bring each role.
    rewards: Vec<f32>,
    /// Moves made in games whose end comes next, with the game's number and how many games these are.
    made_moves: Vec<(u32, usize, Role, u32)>,
    /// What the rewards of all roles add up to, as far as the tree was not told.
    total: Total,
}

/// Random games for each leaf, and at the most: only where games are very short does the tree still take most of the time with 64.
const USUAL_GAMES: u32 = 8;
const MOST_GAMES: u32 = 512;
/// Where games are counted, a tree gets so many leaves before a leaf gets a second game.
const FEW_LEAVES: u64 = 1000;

/// Results after which tree and games are balanced again.
const BALANCED: u32 = 64;

/// Steps to new nodes that are made at once on engines with lanes.
const BATCH: usize = 32;

/// Descents in a row that end in proven nodes before games under way are let go on.
const PATIENCE: u32 = 64;

impl<'a, G: Game> Grower<'a, G> {
    pub(super) fn new(
        task: &'a Task<'a, G>,
        common: &'a Common<G>,
        budget: &'a Budget<'a>,
        monitor: &'a Monitor,
    ) -> Grower<'a, G> {
        let Task { game, settings, .. } = *task;
        let on_lanes = game.lanes() > 1 && !settings.plain;
        let usual = budget.playouts.map_or(USUAL_GAMES, |most| (most / FEW_LEAVES).clamp(1, USUAL_GAMES.into()) as u32);
        let games = if on_lanes { settings.playouts_per_leaf.unwrap_or(usual).max(1) } else { 1 };
        let balances = on_lanes && settings.playouts_per_leaf.is_none() && !budget.is_counted();
        let (rng, learned) = (Rng::new(budget.seed), Learned::new(game.roles()));
        Grower {
            task,
            game,
            common,
            selection: Selection { settings, learned, rng, descents: 0 },
            trust: task.trust(),
            budget,
            monitor,
            view: game.view(),
            leaves: Vec::new(),
            free: Vec::new(),
            current: None,
            ready: VecDeque::new(),
            finished: Vec::new(),
            steps: Vec::new(),
            batch: if on_lanes { BATCH } else { 1 },
            games,
            balance: balances.then(|| Balance::new((budget.spent)())),
            clock: Clock::default(),
            made: 0,
            playouts: 0,
            results: 0,
            rewards: Vec::new(),
            made_moves: Vec::new(),
            total: Total::default(),
        }
    }

    /// Nodes made and games played.
    fn counts(&self) -> (u64, u64) {
        (self.made, self.playouts)
    }

    /// The end: what is still under way counts for nobody who goes on with the tree. Answers the nodes made and games played.
    pub(super) fn leave(self) -> (u64, u64) {
        let mut tree = self.common.lock();
        let under_way = self.leaves.iter().flat_map(|leaf| &leaf.path);
        under_way.for_each(|&(at, choice)| tree.drop_visit(at, choice));
        self.counts()
    }

    /// How many leaves may be under way. A small budget must not be spent before the first results are in.
    fn most_under_way(&self) -> usize {
        let budget = self.budget.playouts.into_iter().chain(self.budget.nodes).min();
        budget.map_or(usize::MAX, |budget| (budget / 32 / u64::from(self.games)).max(1) as usize)
    }

    /// Notices whether more of the tree would change nothing.
    fn look_whether_decided(&self, tree: &Tree<G>) {
        let Some(root) = tree.root() else { return self.common.decide() };
        let node = &tree.nodes[root as usize];
        let Some(exact) = node.exact.as_deref().filter(|_| !self.task.settings.plain) else { return };
        // Where several roles choose at once and we cannot force a win, the others may still go wrong.
        if node.sides.len() < 2 || exact[self.task.role.0 as usize] >= 1.0 || tree.is_settled_below(root) {
            self.common.decide();
        }
    }

    /// Descends several times and makes the steps that lead to new nodes all at once; leaves that games can begin from are
    /// put into `ready`.
    fn gather(&mut self) {
        let mut steps = std::mem::take(&mut self.steps);
        let most = self.most_under_way().saturating_sub(self.leaves.len() - self.free.len()).clamp(1, self.batch);
        let common = self.common;
        let mut tree = common.lock();
        tree.total.take(&mut self.total);
        for _ in 0..most {
            let Grower { game, view, made, .. } = self;
            let mut open = |tree: &mut Tree<G>, at: u32| {
                let _ = tree.open(game, at, view);
                *made += 1;
            };
            match self.selection.descend(&mut tree, &steps, &mut open) {
                Descent::Settled(path) => self.settle(&mut tree, &path),
                Descent::Leaf(path, state) => self.leaf(&mut tree, path, state),
                Descent::Step(step) => steps.push(step),
                Descent::Taken => break,
            }
        }
        if !steps.is_empty() {
            drop(tree);
            let mut batch: Batch<'_, G> = Batch { steps: &steps, reached: Vec::with_capacity(steps.len()) };
            // An engine that gives up makes the rest of the batch worth nothing to anybody, so that it is avoided.
            let _ = self.game.advance(&mut self.view, &mut batch);
            let mut reached = batch.reached.into_iter();
            tree = common.lock();
            for Step { path, .. } in steps.drain(..) {
                match reached.next() {
                    Some((state, opening)) => self.arrive(&mut tree, path, state, opening),
                    None => self.back_up(&mut tree, &path, &vec![0.0; self.game.roles()], None),
                }
            }
        }
        self.look_whether_decided(&tree);
        self.steps = steps;
    }

    /// A step has led to a state: a node for it, and a leaf to play from unless all is known of it.
    fn arrive(&mut self, tree: &mut Tree<G>, mut path: Path, state: G::State, opening: Opening) {
        if tree.is_full() {
            return self.leaf(tree, path, state);
        }
        let Some(&(at, Some(choice))) = path.last() else { return };
        let child = tree.node(state);
        tree.set_child(at, choice, child);
        if tree.nodes[child as usize].ready == Ready::New {
            self.made += 1;
            tree.fill(child, opening);
        }
        path.push((child, None));
        tree.begin_visit(child, None);
        let node = &tree.nodes[child as usize];
        if node.ready == Ready::Closed || node.exact.is_some() && !self.task.settings.plain {
            return self.settle(tree, &path);
        }
        let state = node.state.clone();
        self.leaf(tree, path, state);
    }

    /// A descent that ended in a node of known value, or in one where nothing can be played.
    fn settle(&mut self, tree: &mut Tree<G>, path: &Path) {
        let Some(&(at, _)) = path.last() else { return };
        // A node may have been proven on another way to it, so whoever comes upon it passes the news on.
        if !self.task.settings.plain {
            let _ = path.iter().rev().skip(1).all(|&(at, _)| tree.prove(at));
        }
        let mut rewards = std::mem::take(&mut self.rewards);
        rewards.clear();
        match &tree.nodes[at as usize].exact {
            Some(exact) => {
                rewards.extend_from_slice(exact);
                tree.total.add(rewards.iter().sum(), 1);
            }
            None => rewards.resize(self.game.roles(), 0.5),
        }
        self.back_up(tree, path, &rewards, None);
        self.rewards = rewards;
        // An ended game counts as a game played: budgets of games must end, whatever the tree looks like.
        self.playouts += 1;
    }

    /// A leaf for the engine to play from, unless the evaluator's word is enough.
    fn leaf(&mut self, tree: &mut Tree<G>, path: Path, state: G::State) {
        let evaluated = if self.trust > 0.0 { self.evaluate(&state) } else { Vec::new() };
        if self.trust >= 1.0 && !evaluated.is_empty() {
            self.playouts += 1;
            return self.back_up(tree, &path, &evaluated, None);
        }
        let number = self.free.pop().unwrap_or(self.leaves.len() as u32);
        let (mut rewards, mut made) = self
            .leaves
            .get_mut(number as usize)
            .map_or_else(Default::default, |old| (std::mem::take(&mut old.rewards), std::mem::take(&mut old.made)));
        rewards.clear();
        rewards.resize(self.game.roles(), 0.0);
        made.clear();
        let leaf = Leaf { path, state, begin: self.games, running: 0, rewards, games: 0, made, evaluated };
        match self.leaves.get_mut(number as usize) {
            Some(old) => *old = leaf,
            None => self.leaves.push(leaf),
        }
        self.ready.push_back(number);
    }

    /// Adds a result to all nodes on its way; `made` are the moves of its random games, and how many these were.
    fn back_up(&mut self, tree: &mut Tree<G>, path: &Path, rewards: &[f32], made: Option<(&Counts, f32)>) {
        let Selection { learned, settings, .. } = &mut self.selection;
        if let Some(asked) = settings.grave {
            let none = Counts::default();
            let (made, games) = made.unwrap_or((&none, 1.0));
            tree.count_moves(path, rewards, made, games, asked);
        }
        learned.result(rewards);
        let learns = settings.prior > 0.0 || settings.playout_bias > 0;
        for &(at, choice) in path {
            tree.end_visit(at, choice, rewards);
            if let (true, Some(choice)) = (tree.tells, choice) {
                tree.gain(at, choice, rewards);
            }
            let Some(choice) = choice.filter(|_| learns) else { continue };
            let node = &tree.nodes[at as usize];
            for (side, arm) in node.sides.iter().zip(Tree::<G>::arms_of(node, choice)) {
                learned.made(side.role, side.arms[arm].mv, rewards[side.role.0 as usize]);
            }
        }
    }

    /// What the evaluator says of a state, for every role between 0 and 1; nothing if the engine gives up.
    fn evaluate(&mut self, state: &G::State) -> Vec<f32> {
        let Some(evaluator) = self.task.evaluator else { return Vec::new() };
        if self.game.look(state, &mut self.view).is_err() {
            return Vec::new();
        }
        let value = |role| evaluator.value(self.game, state, &mut self.view, role).clamp(0.0, 100.0) / 100.0;
        game::roles(self.game).map(value).collect()
    }

    /// Takes the results of leaves whose games are over into the tree.
    fn finish(&mut self) {
        let common = self.common;
        let mut tree = common.lock();
        tree.total.take(&mut self.total);
        for number in std::mem::take(&mut self.finished) {
            let leaf = &mut self.leaves[number as usize];
            let (path, mut rewards) = (std::mem::take(&mut leaf.path), std::mem::take(&mut leaf.rewards));
            let made = std::mem::take(&mut leaf.made);
            let (games, trust) = (leaf.games.max(1) as f32, self.trust);
            rewards.iter_mut().for_each(|sum| *sum /= games);
            for (reward, evaluated) in rewards.iter_mut().zip(&leaf.evaluated) {
                *reward = *reward * (1.0 - trust) + evaluated * trust;
            }
            self.free.push(number);
            self.back_up(&mut tree, &path, &rewards, Some((&made, games)));
            let leaf = &mut self.leaves[number as usize];
            (leaf.rewards, leaf.made) = (rewards, made);
            self.results += 1;
            if self.task.settings.playout_bias > 0 && self.results.is_multiple_of(64) {
                self.selection.learned.refresh();
            }
            self.rebalance();
        }
        self.tell(&tree);
        drop(tree);
        self.exchange();
    }

    /// Tells others what this tree has gained and takes in what they have, where that is due. Positions that are new to it are made.
    pub(super) fn exchange(&mut self) {
        let Some(others) = self.task.exchange.filter(|others| others.is_due(self.playouts)) else { return };
        let mut tree = self.common.lock();
        let gains = tree.gains(others);
        drop(tree);
        for gains in others.exchange(gains) {
            self.take_in(others, &gains);
        }
    }

    fn take_in(&mut self, others: &dyn Exchange, gains: &[Gain]) {
        let common = self.common;
        let mut tree = common.lock();
        if let Some(root) = tree.root().filter(|&root| tree.nodes[root as usize].ready == Ready::New) {
            let _ = tree.open(self.game, root, &mut self.view);
            self.made += 1;
        }
        let mut places = vec![None; gains.len()];
        loop {
            let missing = tree.places(others, gains, &mut places);
            if missing.is_empty() || tree.is_full() {
                break;
            }
            let step = |Missing { at, choice, state, joint }| Step { path: vec![(at, Some(choice))], state, joint };
            let steps: Vec<Step<G::State>> = missing.into_iter().map(step).collect();
            let mut batch: Batch<'_, G> = Batch { steps: &steps, reached: Vec::with_capacity(steps.len()) };
            if self.game.advance(&mut self.view, &mut batch).is_err() {
                break;
            }
            for (step, (state, opening)) in steps.iter().zip(batch.reached) {
                let child = tree.node(state);
                tree.set_child(step.path[0].0, step.path[0].1.unwrap_or(0), child);
                if tree.nodes[child as usize].ready == Ready::New {
                    self.made += 1;
                    tree.fill(child, opening);
                }
            }
        }
        tree.take_in(others, gains, &places);
        self.look_whether_decided(&tree);
    }

    /// Now and then: more games for each leaf where the tree takes most of the time. Never fewer than usual: the lanes are full
    /// then only if more leaves are under way, chosen by older results. (Down to one game a leaf: 10 of 20 in othello, 10 of 20 in hex, 6 of 20
    /// in pentago against 8.)
    fn rebalance(&mut self) {
        let Some(balance) = self.balance.as_mut().filter(|_| self.results.is_multiple_of(BALANCED)) else { return };
        let now = (self.budget.spent)();
        let share = balance.tree / (now - balance.since);
        if share > 0.5 {
            self.games = (2 * self.games).min(MOST_GAMES);
        } else if share < 0.2 {
            self.games = (self.games / 2).max(USUAL_GAMES);
        }
        *balance = Balance::new(now);
    }

    /// Lets the world know the best move so far, now and then.
    fn tell(&self, tree: &Tree<G>) {
        if !self.selection.descents.is_multiple_of(16) {
            return;
        }
        let Some(root) = tree.root() else { return };
        let (node, role) = (&tree.nodes[root as usize], self.task.role);
        let Some(side) = node.sides.iter().find(|side| side.role == role) else { return };
        let worth = |arm: &&Arm| {
            let exact = tree.exact_arm(node, arm, role);
            (exact == Some(1.0), exact != Some(0.0), arm.visits)
        };
        if let Some(arm) = side.arms.iter().max_by_key(worth).filter(|arm| arm.visits > 0) {
            self.monitor.set_best(arm.mv, (100.0 * arm.sum / f64::from(arm.visits)) as f32);
        }
    }
}

impl<G: Game> Feed<G::State> for Grower<'_, G> {
    fn stop(&mut self) -> bool {
        // Descents and not new nodes: a tree that has nothing new any more must end too.
        if self.monitor.is_wanted() {
            let tree = self.common.lock();
            self.monitor.publish(choose(&[&*tree], self.task, self.budget.seed, &[self.counts()]));
        }
        let counted = |most: Option<u64>, count: u64| most.is_some_and(|most| count >= most);
        self.common.is_decided()
            || counted(self.budget.nodes, self.selection.descents)
            || counted(self.budget.playouts, self.playouts)
            || self.clock.is_over(self.budget.spent)
    }

    fn next(&mut self) -> Option<(u32, &G::State)> {
        let mut tries = 0;
        loop {
            self.current = self.current.or_else(|| self.ready.pop_front());
            if self.current.is_some() {
                break;
            }
            let under_way = self.leaves.len() - self.free.len();
            let busy = under_way > 0;
            if under_way >= self.most_under_way() {
                return None;
            }
            if busy && tries == PATIENCE || self.common.is_decided() || tries > 0 && self.stop() {
                return None;
            }
            tries += 1;
            let begin = self.balance.map(|_| (self.budget.spent)());
            self.gather();
            if let (Some(balance), Some(begin)) = (&mut self.balance, begin) {
                balance.tree += (self.budget.spent)() - begin;
            }
        }
        let number = self.current?;
        let leaf = &mut self.leaves[number as usize];
        leaf.begin -= 1;
        leaf.running += 1;
        if leaf.begin == 0 {
            self.current = None;
        }
        Some((number, &self.leaves[number as usize].state))
    }

    fn again(&mut self, number: u32, most: u32) -> u32 {
        let leaf = &mut self.leaves[number as usize];
        let more = leaf.begin.min(most);
        leaf.begin -= more;
        leaf.running += more;
        if leaf.begin == 0 {
            self.current = None;
        }
        more
    }

    fn done(&mut self, number: u32, end: End, steps: usize, goals: &[Option<Goal>]) {
        self.done_alike(&[Alike { number, steps, games: 1 }], end, goals);
    }

    fn done_alike(&mut self, games: &[Alike], end: End, goals: &[Option<Goal>]) {
        let count = games.iter().map(|same| same.games).sum::<u32>();
        self.playouts += u64::from(count);
        let evaluated = end == End::Cut && self.looks_at_cuts();
        let reward = |goal: &Option<Goal>| match end {
            // A game without an end says nothing: half for everybody.
            End::Cut => 0.5,
            End::Terminal | End::Stuck => f32::from(goal.unwrap_or(0)) / 100.0,
        };
        self.rewards.clear();
        self.rewards.extend(goals.iter().map(reward));
        if end == End::Terminal {
            self.total.add(self.rewards.iter().sum(), count);
        }
        for (number, place, role, games) in self.made_moves.drain(..) {
            let reward = self.rewards[usize::from(role.0)];
            self.leaves[number as usize].made.add(place, games as f32, games as f32 * reward);
        }
        for same in games.chunk_by(|a, b| a.number == b.number) {
            let (number, count) = (same[0].number, same.iter().map(|same| same.games).sum::<u32>());
            let leaf = &mut self.leaves[number as usize];
            (leaf.games, leaf.running) = (leaf.games + count, leaf.running - count);
            for (sum, reward) in leaf.rewards.iter_mut().zip(&self.rewards).filter(|_| !evaluated) {
                *sum += count as f32 * reward;
            }
            if leaf.running == 0 && leaf.begin == 0 {
                self.finished.push(number);
            }
        }
        if !self.finished.is_empty() {
            self.finish();
        }
    }

    fn counts_moves(&self) -> bool {
        self.task.settings.grave.is_some()
    }

    fn made(&mut self, number: u32, role: Role, mv: Move, games: u32) {
        let place = place(role, mv, self.game.roles());
        self.made_moves.push((number, place, role, games));
    }

    fn bias(&self) -> Option<PlayoutBias<'_>> {
        let (chance, moves) = (self.task.settings.playout_bias, self.selection.learned.preferred());
        (chance > 0 && !moves.is_empty()).then_some(PlayoutBias { moves, chance })
    }

    fn looks_at_cuts(&self) -> bool {
        self.task.cut().is_some()
    }

    fn cut(&mut self, number: u32, state: &G::State) {
        let mut evaluated = self.evaluate(state);
        evaluated.resize(self.game.roles(), 0.5);
        self.leaves[number as usize].rewards.iter_mut().zip(&evaluated).for_each(|(sum, value)| *sum += value);
    }
}
