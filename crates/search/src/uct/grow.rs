//! Growing the tree: from the root down to a leaf, random games from there, results back up.
//!
//! The engine asks for a start whenever a lane is free; several leaves are therefore under way at the same time.

use super::tree::{Opening, Ready, Tree};
use super::{Task, UctSettings, choose};
use crate::{Budget, Monitor};
use game::random::{End, Rng};
use game::rollouts::{Feed, PlayoutBias};
use game::steps::{Seen, Steps};
use game::{Game, Goal, Move, Role};
use std::collections::VecDeque;

/// A leaf under way.
struct Leaf<G: Game> {
    /// The nodes from the root and the choices made in them; the last node has none if it is itself the leaf.
    path: Vec<(u32, Option<u64>)>,
    state: G::State,
    /// Games still to begin, and still running.
    begin: u32,
    running: u32,
    /// Rewards so far, and from how many games.
    rewards: Vec<f32>,
    games: u32,
    /// What the evaluator says.
    evaluated: Vec<f32>,
}

/// A step that leads to a new node: the way to it, with the choice to be made at its end, and the joint move that is.
struct Step {
    path: Vec<(u32, Option<u64>)>,
    joint: Vec<Move>,
}

/// How a descent ended.
enum Descent {
    /// Where nothing has to be played; it is accounted for.
    Settled,
    /// In a leaf to play from; none if the evaluator's word was enough.
    Leaf(Option<u32>),
    /// Before a step that nobody has made yet.
    Step(Step),
    /// Before a step that is being made already.
    Taken,
}

/// Steps that are made together, and where they lead.
struct Batch<'a, G: Game> {
    tree: &'a Tree<G>,
    steps: &'a [Step],
    reached: Vec<(G::State, Opening)>,
}

impl<G: Game> Steps<G::State> for Batch<'_, G> {
    fn count(&self) -> usize {
        self.steps.len()
    }

    fn step(&self, number: usize) -> (&G::State, &[Move]) {
        let Step { path, joint } = &self.steps[number];
        let at = path.last().map_or(0, |last| last.0);
        (&self.tree.nodes[at as usize].state, joint)
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

/// Feeds the engine with leaves of a tree.
pub(super) struct Grower<'a, G: Game> {
    task: &'a Task<'a, G>,
    game: &'a G,
    tree: &'a mut Tree<G>,
    role: Role,
    settings: UctSettings,
    trust: f32,
    budget: &'a Budget<'a>,
    monitor: &'a Monitor,
    view: G::View,
    rng: Rng,
    leaves: Vec<Leaf<G>>,
    free: Vec<u32>,
    /// The leaf that games are begun for, and those that come after it.
    current: Option<u32>,
    ready: VecDeque<u32>,
    /// Steps that lead to new nodes, while they are gathered, and how many at the most.
    steps: Vec<Step>,
    batch: usize,
    games: u32,
    balance: Option<Balance>,
    made: u64,
    playouts: u64,
    descents: u64,
    /// How the rewards of each role spread: count, sum, sum of squares.
    spread: Vec<[f64; 3]>,
    /// For each role and move, how often it was made in the tree and with what reward.
    learned: Vec<Vec<(f32, f32)>>,
    /// Moves that did well in the tree, a bit each, and how many results went into that.
    preferred: Vec<u64>,
    results: u32,
}

/// Where several roles choose at once, exploration weighs so many times more: what is best keeps changing with the others.
const AT_ONCE: f32 = 1.75;

/// How much better than usual the moves are that random games should make more often; rewards are between 0 and 1.
const CLEARLY: f32 = 0.05;

/// Random games for each leaf, and at the most.
const USUAL_GAMES: u32 = 8;
const MOST_GAMES: u32 = 64;

/// Results after which tree and games are balanced again.
const BALANCED: u32 = 256;

/// Steps to new nodes that are made at once on engines with lanes.
const BATCH: usize = 32;

/// Descents in a row that end in proven nodes before games under way are let go on.
const PATIENCE: u32 = 64;

impl<'a, G: Game> Grower<'a, G> {
    pub(super) fn new(
        task: &'a Task<'a, G>,
        tree: &'a mut Tree<G>,
        budget: &'a Budget<'a>,
        monitor: &'a Monitor,
    ) -> Grower<'a, G> {
        let Task { game, role, settings, .. } = *task;
        let on_lanes = game.lanes() > 1 && !settings.plain;
        let games = if on_lanes { settings.playouts_per_leaf.unwrap_or(USUAL_GAMES).max(1) } else { 1 };
        let balances = on_lanes && settings.playouts_per_leaf.is_none() && !budget.is_counted();
        Grower {
            task,
            game,
            tree,
            role,
            settings,
            trust: task.trust(),
            budget,
            monitor,
            view: game.view(),
            rng: Rng::new(budget.seed),
            leaves: Vec::new(),
            free: Vec::new(),
            current: None,
            ready: VecDeque::new(),
            steps: Vec::new(),
            batch: if on_lanes { BATCH } else { 1 },
            games,
            balance: balances.then(|| Balance::new((budget.spent)())),
            made: 0,
            playouts: 0,
            descents: 0,
            spread: vec![[0.0; 3]; game.roles()],
            learned: vec![Vec::new(); game.roles()],
            preferred: Vec::new(),
            results: 0,
        }
    }

    /// Nodes made and games played.
    pub(super) fn counts(&self) -> (u64, u64) {
        (self.made, self.playouts)
    }

    /// How many leaves may be under way. A small budget must not be spent before the first results are in.
    fn most_under_way(&self) -> usize {
        let budget = self.budget.playouts.into_iter().chain(self.budget.nodes).min();
        budget.map_or(usize::MAX, |budget| (budget / 32 / u64::from(self.games)).max(1) as usize)
    }

    fn is_decided(&self) -> bool {
        let Some(root) = self.tree.root() else { return true };
        let node = &self.tree.nodes[root as usize];
        let Some(exact) = node.exact.as_deref().filter(|_| !self.settings.plain) else { return false };
        // Where several roles choose at once and we cannot force a win, the others may still go wrong.
        node.sides.len() < 2 || exact[self.role.0 as usize] >= 1.0 || self.tree.is_settled_below(root)
    }

    /// Descends several times and makes the steps that lead to new nodes all at once; leaves that games can begin from are
    /// put into `ready`.
    fn gather(&mut self) {
        let mut steps = std::mem::take(&mut self.steps);
        let most = self.most_under_way().saturating_sub(self.leaves.len() - self.free.len()).clamp(1, self.batch);
        for _ in 0..most {
            match self.descend(&steps) {
                Descent::Settled => {}
                Descent::Leaf(number) => self.ready.extend(number),
                Descent::Step(step) => {
                    self.mark(&step.path, true);
                    steps.push(step);
                }
                Descent::Taken => break,
            }
        }
        let mut batch = Batch { tree: &*self.tree, steps: &steps, reached: Vec::with_capacity(steps.len()) };
        // An engine that gives up makes the rest of the batch worth nothing to anybody, so that it is avoided.
        let _ = self.game.advance(&mut self.view, &mut batch);
        let mut reached = batch.reached.into_iter();
        for step in steps.drain(..) {
            self.mark(&step.path, false);
            match reached.next() {
                Some((state, opening)) => self.arrive(step, state, opening),
                None => self.back_up(&step.path, &vec![0.0; self.game.roles()]),
            }
        }
        self.steps = steps;
    }

    /// One descent. Steps that others have begun and not yet made are not begun again.
    fn descend(&mut self, begun: &[Step]) -> Descent {
        self.descents += 1;
        let mut path: Vec<(u32, Option<u64>)> = Vec::with_capacity(16);
        let Some(mut at) = self.tree.root() else { return Descent::Taken };
        loop {
            if self.tree.nodes[at as usize].ready == Ready::New {
                let _ = self.tree.open(self.game, at, &mut self.view);
                self.made += 1;
            }
            let node = &self.tree.nodes[at as usize];
            let open_root = self.tree.root() == Some(at) && node.sides.len() > 1;
            let known = node.exact.is_some() && (!self.settings.plain || node.sides.is_empty()) && !open_root;
            if known || node.ready == Ready::Closed {
                path.push((at, None));
                self.settle(&path, at);
                return Descent::Settled;
            }
            // A leaf: never visited, or a state that was met before on this path. Where games are under way already, more of
            // them would tell less than those from a state below.
            let fresh = node.visits == 0 && node.running == 0 && (self.tree.root() != Some(at));
            if fresh || path.len() > 1000 || path.iter().any(|step| step.0 == at) {
                path.push((at, None));
                let state = node.state.clone();
                return Descent::Leaf(self.leaf(path, state));
            }
            let choice = self.select(at);
            if let Some(child) = self.tree.child(at, choice) {
                path.push((at, Some(choice)));
                at = child;
                continue;
            }
            if begun.iter().any(|step| step.path.last() == Some(&(at, Some(choice)))) {
                self.descents -= 1;
                return Descent::Taken;
            }
            path.push((at, Some(choice)));
            return Descent::Step(Step { path, joint: self.tree.joint_of(at, choice) });
        }
    }

    /// A step has led to a state: a node for it, and a leaf to play from unless all is known of it.
    fn arrive(&mut self, step: Step, state: G::State, opening: Opening) {
        let Step { mut path, .. } = step;
        if self.tree.is_full() {
            let leaf = self.leaf(path, state);
            return self.ready.extend(leaf);
        }
        let Some(&(at, Some(choice))) = path.last() else { return };
        let child = self.tree.node(state);
        self.tree.set_child(at, choice, child);
        if self.tree.nodes[child as usize].ready == Ready::New {
            self.made += 1;
            self.tree.fill(child, opening);
        }
        path.push((child, None));
        let node = &self.tree.nodes[child as usize];
        if node.ready == Ready::Closed || node.exact.is_some() && !self.settings.plain {
            return self.settle(&path, child);
        }
        let state = node.state.clone();
        let leaf = self.leaf(path, state);
        self.ready.extend(leaf);
    }

    /// Counts games under way on a path, or that they are not any more.
    fn mark(&mut self, path: &[(u32, Option<u64>)], begin: bool) {
        for &(at, choice) in path {
            self.tree.running(at, choice, begin);
        }
    }

    /// A descent that ended in a node of known value, or in one where nothing can be played.
    fn settle(&mut self, path: &[(u32, Option<u64>)], at: u32) {
        // A node may have been proven on another way to it, so whoever comes upon it passes the news on.
        self.prove_up(path);
        let half = || vec![0.5; self.game.roles()];
        if let Some(exact) = &self.tree.nodes[at as usize].exact {
            self.tree.total.add(exact.iter().sum());
        }
        let rewards = self.tree.nodes[at as usize].exact.as_ref().map_or_else(half, |exact| exact.to_vec());
        self.back_up(path, &rewards);
        // An ended game counts as a game played: budgets of games must end, whatever the tree looks like.
        self.playouts += 1;
    }

    /// Tells the parents on the path that the last node is proven, as far as that decides them.
    fn prove_up(&mut self, path: &[(u32, Option<u64>)]) {
        if self.settings.plain {
            return;
        }
        for &(at, _) in path.iter().rev().skip(1) {
            if !self.tree.prove(at) {
                return;
            }
        }
    }

    /// A leaf for the engine to play from; `None` if the evaluator's word is enough.
    fn leaf(&mut self, path: Vec<(u32, Option<u64>)>, state: G::State) -> Option<u32> {
        let evaluated = if self.trust > 0.0 { self.evaluate(&state) } else { Vec::new() };
        if self.trust >= 1.0 && !evaluated.is_empty() {
            self.playouts += 1;
            self.back_up(&path, &evaluated);
            return None;
        }
        self.mark(&path, true);
        let rewards = vec![0.0; self.game.roles()];
        let leaf = Leaf { path, state, begin: self.games, running: 0, rewards, games: 0, evaluated };
        Some(match self.free.pop() {
            Some(number) => {
                self.leaves[number as usize] = leaf;
                number
            }
            None => {
                self.leaves.push(leaf);
                self.leaves.len() as u32 - 1
            }
        })
    }

    /// What each side chooses in a node, as one number.
    fn select(&mut self, at: u32) -> u64 {
        let node = &self.tree.nodes[at as usize];
        let total = (node.visits + node.running) as f32;
        let few = total.max(1.0).ln().sqrt();
        let (mut choice, mut scale) = (0u64, 1u64);
        for side in &node.sides {
            let who = side.role.0 as usize;
            let alone = node.sides.len() == 1;
            let at_once = if alone || self.settings.plain { 1.0 } else { AT_ONCE };
            let explore = few * at_once * self.settings.c * self.unit(who);
            let count = side.arms.len();
            let offset = if count > 1 { self.rng.below(count) } else { 0 };
            let (mut best, mut open) = ((f32::NEG_INFINITY, 0), (f32::NEG_INFINITY, 0));
            let mut settled = false;
            for place in (offset..count).chain(0..offset) {
                let arm = &side.arms[place];
                if arm.lost && node.exact.is_none() {
                    continue;
                }
                let exact = match alone && !self.settings.plain {
                    true => self.tree.exact_arm(node, arm, side.role),
                    false => None,
                };
                let score = match exact {
                    Some(value) => value,
                    None => self.score(arm.mv, who, (arm.visits, u32::from(arm.running), arm.sum as f32), explore),
                };
                if score > best.0 {
                    best = (score, place);
                    settled = exact.is_some();
                }
                if exact.is_none() && score > open.0 {
                    open = (score, place);
                }
            }
            // Where the best is proven, going there tells nothing new, unless it wins and the node does not know yet that it
            // is won (another way led there): what is still open may be better. Below the root
            // that is done now and then only, because it makes the node look worse than it is.
            if settled
                && best.0 < 1.0
                && open.0 > f32::NEG_INFINITY
                && (self.tree.root() == Some(at) || self.descents.is_multiple_of(4))
            {
                best = open;
            }
            choice = choice.saturating_add(scale.saturating_mul(best.1 as u64));
            scale = scale.saturating_mul(count as u64);
        }
        choice
    }

    #[inline]
    fn score(&self, mv: Move, who: usize, (visits, running, sum): (u32, u32, f32), explore: f32) -> f32 {
        let tried = (visits + running) as f32;
        if self.settings.plain {
            return if tried == 0.0 { f32::INFINITY } else { sum / tried + explore / tried.sqrt() };
        }
        let weight = self.settings.prior;
        let prior = match self.learned[who].get(mv.0 as usize) {
            Some(&(times, total)) if weight > 0.0 => (total + 0.5) / (times + 1.0),
            _ => 0.5,
        };
        let lost = running as f32 * self.settings.virtual_loss;
        let mean = (sum + weight * prior) / (visits as f32 + lost + weight).max(1e-6);
        // A move never tried counts as tried half a time: all are tried early, the promising ones first.
        mean + explore / tried.max(0.5).sqrt()
    }

    /// The unit of exploration for a role: 1 where rewards are wins and losses, less where they are close together.
    fn unit(&self, who: usize) -> f32 {
        let [count, sum, squares] = self.spread[who];
        if self.settings.plain || count < 32.0 {
            return 1.0;
        }
        let mean = sum / count;
        (2.0 * (squares / count - mean * mean).max(0.0).sqrt()).clamp(0.05, 1.0) as f32
    }

    fn back_up(&mut self, path: &[(u32, Option<u64>)], rewards: &[f32]) {
        for (spread, &reward) in self.spread.iter_mut().zip(rewards) {
            let reward = f64::from(reward);
            *spread = [spread[0] + 1.0, spread[1] + reward, spread[2] + reward * reward];
        }
        for &(at, choice) in path {
            self.tree.add(at, choice, rewards);
            let learns = self.settings.prior > 0.0 || self.settings.playout_bias > 0;
            let Some(choice) = choice.filter(|_| learns) else { continue };
            let node = &self.tree.nodes[at as usize];
            for (side, arm) in node.sides.iter().zip(Tree::<G>::arms_of(node, choice)) {
                let (who, mv) = (side.role.0 as usize, side.arms[arm].mv.0 as usize);
                let learned = &mut self.learned[who];
                if mv >= learned.len() && mv < 1 << 20 {
                    learned.resize(mv + 1, (0.0, 0.0));
                }
                if let Some((times, total)) = learned.get_mut(mv) {
                    // Old results fade, before the numbers get too large to grow.
                    if *times >= 1e6 {
                        (*times, *total) = (*times / 2.0, *total / 2.0);
                    }
                    (*times, *total) = (*times + 1.0, *total + rewards[who]);
                }
            }
        }
    }

    /// Finds out anew which moves do well: those clearly better than what their role usually gets.
    fn refresh(&mut self) {
        self.preferred.clear();
        for (who, learned) in self.learned.iter().enumerate() {
            let (times, total) = learned.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            if times < 100.0 {
                continue;
            }
            let bar = total / times + CLEARLY * self.unit(who);
            for (mv, &(times, total)) in learned.iter().enumerate() {
                // A few bad results are assumed, so that a lucky start is not enough.
                if (total + bar - CLEARLY) / (times + 1.0) > bar {
                    let word = mv / 64;
                    if word >= self.preferred.len() {
                        self.preferred.resize(word + 1, 0);
                    }
                    self.preferred[word] |= 1 << (mv % 64);
                }
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

    fn finish(&mut self, number: u32) {
        let leaf = &mut self.leaves[number as usize];
        let path = std::mem::take(&mut leaf.path);
        let games = leaf.games.max(1) as f32;
        let mut rewards: Vec<f32> = leaf.rewards.iter().map(|sum| sum / games).collect();
        let trust = self.trust;
        for (reward, evaluated) in rewards.iter_mut().zip(&leaf.evaluated) {
            *reward = *reward * (1.0 - trust) + evaluated * trust;
        }
        self.free.push(number);
        self.mark(&path, false);
        self.back_up(&path, &rewards);
        self.results += 1;
        if self.settings.playout_bias > 0 && self.results.is_multiple_of(64) {
            self.refresh();
        }
        self.rebalance();
        self.tell();
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
    fn tell(&self) {
        if !self.descents.is_multiple_of(16) {
            return;
        }
        let Some(root) = self.tree.root() else { return };
        let node = &self.tree.nodes[root as usize];
        let Some(side) = node.sides.iter().find(|side| side.role == self.role) else { return };
        let worth = |arm: &&super::tree::Arm| {
            let exact = self.tree.exact_arm(node, arm, self.role);
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
            let Task { role, moves, .. } = *self.task;
            self.monitor.publish(choose(&[&*self.tree], role, moves, self.budget.seed, &[self.counts()]));
        }
        self.is_decided() || self.budget.is_spent(self.descents, self.playouts)
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
            if busy && tries == PATIENCE || self.is_decided() || tries > 0 && self.stop() {
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

    fn done(&mut self, number: u32, end: End, _: usize, goals: &[Option<Goal>]) {
        self.playouts += 1;
        let evaluated = end == End::Cut && self.looks_at_cuts();
        if end == End::Terminal {
            self.tree.total.add(goals.iter().map(|goal| f32::from(goal.unwrap_or(0)) / 100.0).sum());
        }
        let leaf = &mut self.leaves[number as usize];
        leaf.games += 1;
        leaf.running -= 1;
        for (sum, goal) in leaf.rewards.iter_mut().zip(goals).filter(|_| !evaluated) {
            *sum += match (end, goal) {
                // A game without an end says nothing: half for everybody.
                (End::Cut, _) => 0.5,
                (_, goal) => f32::from(goal.unwrap_or(0)) / 100.0,
            };
        }
        if leaf.running == 0 && leaf.begin == 0 {
            self.finish(number);
        }
    }

    fn bias(&self) -> Option<PlayoutBias<'_>> {
        let chance = self.settings.playout_bias;
        (chance > 0 && !self.preferred.is_empty()).then_some(PlayoutBias { moves: &self.preferred, chance })
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
