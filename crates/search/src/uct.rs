//! UCT: a tree that random games grow, with proven results kept in it.
//!
//! Every role has its own statistics (max^n), so one, two or many players, with opposed or common interests, are all
//! the same. Where several roles choose at once, each chooses by its own statistics, and at the root the final choice is
//! a mixture. States reached by different orders of moves share a node. On engines with lanes the random games of many
//! leaves run side by side; the tree stays one step ahead by counting games that are still running.
//!
//! What a move brought elsewhere in the tree counts where it was not tried yet, and random games can be told to make the
//! moves that did well more often. An evaluator can judge leaves, or random games that are cut after some moves.

#[cfg(test)]
pub(crate) mod count;
mod descend;
mod grave;
mod grow;
mod learned;
mod mixture;
mod proof;
mod shared;
mod together;
mod tree;

use crate::exchange::Exchange;
use crate::portfolio::add_up;
use crate::{Budget, Choice, Found, Monitor, Searcher, SharedEvaluator, first_moves, without_choice};
use game::random::Rng;
use game::{Game, Limit, Move, Role};
use grow::Grower;
use std::sync::Arc;
use together::{Common, Growing};
use tree::Tree;

/// What can be set. The evaluator is given apart from it: see [`Uct::with_evaluator`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct UctSettings {
    /// The weight of exploration, for rewards between 0 and 1. [0.45, which won 54% of 210 matches against 0.6 in five
    /// games, at 1,000 to 3,000 random games a move]
    pub c: f32,
    /// Textbook UCT, for comparison: one random game for each new node, no proofs, no sharing of nodes, nothing learned.
    /// [false; [`UctSettings::plain`] has the other settings that belong to it]
    pub plain: bool,
    /// Random games for each leaf on engines with lanes; elsewhere there is one. `None`: 8, or one for each thousand that are allowed where that is
    /// less; where time decides, up to 512 if the tree takes most of it. (default: none)
    pub playouts_per_leaf: Option<u32>,
    /// How much a running game counts as lost, from 0 to 1. (default: 0.5)
    pub virtual_loss: f32,
    /// How many visits the reward of the same move elsewhere in the tree is worth. (default: 4)
    pub prior: f32,
    /// Threads that grow one tree together. Where states or games are counted each grows a tree of its own, and the roots are added up, so
    /// that every run goes the same way; so does textbook UCT. (default: 1)
    pub threads: usize,
    /// Random games longer than this are given up. (default: 2000)
    pub max_steps: usize,
    /// The evaluator's part in the value of a leaf, from 0 (random games alone) to 1 (no random games at all). Without an
    /// evaluator, or with a `cut`, it has no effect. (default: 0.5)
    pub trust: f32,
    /// Random games end after so many moves and the evaluator judges where they got to, instead of judging leaves; `None`: they
    /// are played out, as they are without an evaluator. (default: none)
    pub cut: Option<usize>,
    /// In so many of 16 cases random games make one of the moves that did well in the tree, where there is one. (default: 0)
    pub playout_bias: u8,
    /// GRAVE: what the random games below a node with so many visits brought where a move was made in them, at once or later, counts in that
    /// node and in those below it that have fewer visits. `None`: it does not count. (default: none)
    pub grave: Option<u32>,
}

impl Default for UctSettings {
    fn default() -> UctSettings {
        UctSettings {
            c: 0.45,
            plain: false,
            playouts_per_leaf: None,
            virtual_loss: 0.5,
            prior: 4.0,
            threads: 1,
            max_steps: 2000,
            trust: 0.5,
            cut: None,
            playout_bias: 0,
            grave: None,
        }
    }
}

impl UctSettings {
    /// Textbook UCT, with `c` = 0.6: the baseline that all published comparisons were made with. (0.7 was no better: 49%
    /// of 120 matches in three games.)
    pub fn plain() -> UctSettings {
        UctSettings {
            plain: true,
            c: 0.6,
            playouts_per_leaf: Some(1),
            virtual_loss: 0.0,
            prior: 0.0,
            playout_bias: 0,
            ..UctSettings::default()
        }
    }
}

/// A UCT searcher; keeps its tree from one move to the next.
pub struct Uct<G: Game> {
    settings: UctSettings,
    evaluator: Option<SharedEvaluator<G>>,
    trees: Vec<Common<G>>,
    /// A tree that it grows with others, and how many they are.
    team: Option<(Arc<Common<G>>, usize)>,
    /// Others who grow trees from the same states.
    others: Option<Arc<dyn Exchange>>,
}

impl<G: Game> Uct<G> {
    /// A searcher with these settings.
    pub fn new(settings: UctSettings) -> Uct<G> {
        Uct { settings, evaluator: None, trees: Vec::new(), team: None, others: None }
    }

    /// Textbook UCT.
    pub fn plain() -> Uct<G> {
        Uct::new(UctSettings::plain())
    }

    /// So many searchers like this one that grow one tree while they search from the same state, each on the thread of its caller. Each reports
    /// its part of the visits. Where states or games are counted, each has a tree of its own.
    pub fn team(&self, members: usize) -> Vec<Uct<G>> {
        let common: Arc<Common<G>> = Arc::default();
        let member = |_| Uct {
            settings: self.settings,
            evaluator: self.evaluator.clone(),
            trees: Vec::new(),
            team: Some((common.clone(), members)),
            others: None,
        };
        (0..members).map(member).collect()
    }

    /// With an evaluator of leaves, or of random games that are cut.
    pub fn with_evaluator(self, evaluator: SharedEvaluator<G>) -> Uct<G> {
        Uct { evaluator: Some(evaluator), ..self }
    }
}

impl<G: Game> Default for Uct<G> {
    fn default() -> Uct<G> {
        Uct::new(UctSettings::default())
    }
}

impl<G: Game> Searcher<G> for Uct<G> {
    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        self.look_for(game, state, role, budget, monitor, false)
    }

    /// Grows the tree even if our role has nothing to decide yet.
    fn prepare(&mut self, game: &G, state: &G::State, role: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        self.look_for(game, state, role, budget, &Monitor::new(), true).map(|_| ())
    }

    /// Grows the tree of the state in which the others decide; the next search goes on in a part of it.
    fn ponder(&mut self, game: &G, state: &G::State, role: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        self.prepare(game, state, role, budget)
    }

    /// Only a tree that grows alone in this process exchanges: several are added up at the root, and threads share one.
    fn exchange_with(&mut self, others: Option<Arc<dyn Exchange>>) {
        self.others = others;
    }
}

impl<G: Game> Uct<G> {
    fn look_for(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
        anyway: bool,
    ) -> Result<Found, Limit> {
        let moves = first_moves(game, state, role, &mut game.view(), monitor)?;
        if moves.len() < 2 && !anyway || moves.is_empty() {
            return Ok(without_choice(&moves, monitor));
        }
        let (settings, evaluator) = (self.settings, self.evaluator.as_ref());
        let task = Task { game, role, moves: &moves, settings, evaluator, parts: 1, exchange: None };
        let shares = !budget.is_counted() && !settings.plain;
        if let Some((common, members)) = self.team.as_ref().filter(|_| shares)
            && let Some(growing) = common.join(game, state, budget.memory * members, false)
        {
            // The others of the team report the rest.
            let task = Task { parts: *members as u64, ..task };
            let counts = task.grow(&growing, budget, monitor);
            let found = choose(&[&*common.lock()], &task, budget.seed, &[counts]);
            monitor.finish(&found);
            return Ok(found);
        }
        let threads = settings.threads.max(1);
        let trees = if shares { 1 } else { threads };
        self.trees.resize_with(trees, Common::default);
        let join = |common| Common::join(common, game, state, budget.memory / trees, settings.plain);
        let growing: Vec<Growing<'_, G>> = self.trees.iter().filter_map(join).collect();
        let others = self.others.as_deref().filter(|_| threads == 1 && !settings.plain);
        if let [tree] = &self.trees[..] {
            tree.lock().tells = others.is_some();
        }
        let task = Task { exchange: others, ..task };
        let counts = task.grow_all(&growing, threads, budget, monitor);
        let trees: Vec<_> = self.trees.iter().map(Common::lock).collect();
        let found = choose(&trees.iter().map(|tree| &**tree).collect::<Vec<_>>(), &task, budget.seed, &counts);
        monitor.finish(&found);
        Ok(found)
    }
}

/// What all trees of a search are grown for.
struct Task<'a, G: Game> {
    game: &'a G,
    role: Role,
    moves: &'a [Move],
    settings: UctSettings,
    evaluator: Option<&'a SharedEvaluator<G>>,
    /// How many report on the same tree: each tells one part of its visits.
    parts: u64,
    /// Others who grow trees from the same state.
    exchange: Option<&'a dyn Exchange>,
}

impl<G: Game> Task<'_, G> {
    /// Grows trees until the budget is spent, with so many threads, a tree each as far as there are any; answers how many nodes each thread made
    /// and how many games it played.
    fn grow_all(
        &self,
        growing: &[Growing<'_, G>],
        threads: usize,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Vec<(u64, u64)> {
        if threads == 1 {
            return vec![self.grow(&growing[0], budget, monitor)];
        }
        let part = Budget {
            playouts: budget.playouts.map(|count| count.div_ceil(threads as u64)),
            nodes: budget.nodes.map(|count| count.div_ceil(threads as u64)),
            ..*budget
        };
        let task = Task { parts: (threads / growing.len()) as u64, ..*self };
        let seed = budget.seed;
        let merge =
            move |reports: Vec<Option<Found>>| add_up(reports.into_iter().flatten().collect(), &mut Rng::new(seed));
        let monitors = monitor.split(threads, merge);
        let grow = |number: usize, monitor: &Monitor| {
            let seed = seed.wrapping_add(number as u64 * 0x9e37_79b9);
            task.grow(&growing[number % growing.len()], &Budget { seed, ..part }, monitor)
        };
        std::thread::scope(|scope| {
            let grow = &grow;
            let each = monitors.iter().enumerate();
            let running: Vec<_> = each.map(|(number, monitor)| scope.spawn(move || grow(number, monitor))).collect();
            running.into_iter().map(|thread| thread.join().unwrap_or((0, 0))).collect()
        })
    }

    /// Grows a tree until the budget is spent; answers how many nodes were made and games played.
    fn grow(&self, growing: &Growing<'_, G>, budget: &Budget<'_>, monitor: &Monitor) -> (u64, u64) {
        let Task { game, settings, .. } = self;
        let mut grower = Grower::new(self, growing.0, budget, monitor);
        // An engine that gives up in a random game ends the growth; what has grown so far stands.
        let (most, seed) = (self.cut().unwrap_or(settings.max_steps), budget.seed ^ 0x5eed);
        grower.exchange();
        let _ = match settings.plain {
            true => game::rollouts::one_by_one(*game, &mut grower, most, seed),
            false => game.rollouts(&mut grower, most, seed),
        };
        grower.leave()
    }

    /// Where random games are cut, if they are.
    fn cut(&self) -> Option<usize> {
        self.settings.cut.filter(|_| self.evaluator.is_some())
    }

    /// The evaluator's part in the value of a leaf.
    fn trust(&self) -> f32 {
        if self.evaluator.is_some() && self.settings.cut.is_none() { self.settings.trust } else { 0.0 }
    }
}

/// The choice so far: the roots of all trees added up. `counts` are the nodes made and games played for them.
fn choose<G: Game>(trees: &[&Tree<G>], task: &Task<'_, G>, seed: u64, counts: &[(u64, u64)]) -> Found {
    let Task { role, moves, parts, .. } = *task;
    let blank = Choice { mv: Move(0), value: 0.0, visits: 0, proven: false, share: 0.0 };
    let mut choices: Vec<Choice> = moves.iter().map(|&mv| Choice { mv, ..blank }).collect();
    let mut sums = vec![0.0f64; moves.len()];
    let (mut value, mut visits) = (0.0, 0.0);
    let (mut mixture, mut sure): (Option<Vec<f32>>, Option<Vec<f32>>) = (None, None);
    let mut exact: Option<f32> = None;
    for tree in trees {
        let Some(root) = tree.root() else { continue };
        let node = &tree.nodes[root as usize];
        value += tree.sums(root)[role.0 as usize];
        visits += f64::from(node.visits);
        let known = node.exact.as_ref().map(|values| values[role.0 as usize]);
        // Where several roles choose at once, a proven draw is not what is played for: see the mixture.
        let settled = known.filter(|&value| node.sides.len() < 2 || value <= 0.0 || value >= 1.0);
        exact = settled.map(|value| 100.0 * value).or(exact);
        let Some(side) = node.sides.iter().find(|side| side.role == role) else { continue };
        let heard = tree.heard(node);
        for (at, arm) in side.arms.iter().enumerate().take(choices.len()) {
            // Others tell themselves what they have found.
            let (visits, sum) = heard.map_or((0, 0.0), |heard| heard[at]);
            choices[at].visits += u64::from(arm.visits.saturating_sub(visits));
            sums[at] += arm.sum - sum;
            if let Some(value) = tree.exact_arm(node, arm, role) {
                choices[at].proven = true;
                choices[at].value = 100.0 * value;
            }
        }
        if node.sides.len() > 1
            && let Some(shares) = tree.mixture(root, role)
        {
            // Several trees err in different places: their mixtures are added up. A proof speaks alone.
            match &mut mixture {
                _ if settled.is_some() => sure = Some(shares),
                Some(sum) => sum.iter_mut().zip(&shares).for_each(|(sum, share)| *sum += share),
                None => mixture = Some(shares),
            }
        }
    }
    let mixture = sure.or(mixture);
    for (choice, sum) in choices.iter_mut().zip(&sums).filter(|(choice, _)| !choice.proven) {
        choice.value = if choice.visits == 0 { 0.0 } else { (100.0 * sum / choice.visits as f64) as f32 };
    }
    let best = match &mixture {
        None => best_choice(&choices),
        Some(shares) => {
            let whole: f32 = shares.iter().sum();
            choices.iter_mut().zip(shares).for_each(|(choice, &share)| choice.share = share / whole.max(1e-6));
            draw(shares, &mut Rng::new(seed))
        }
    };
    if mixture.is_none() {
        choices[best].share = 1.0;
    }
    let mean = if visits > 0.0 { (100.0 * value / visits) as f32 } else { 50.0 };
    // A part of many visits is some; of few it is all of them.
    choices.iter_mut().filter(|choice| choice.visits >= parts).for_each(|choice| choice.visits /= parts);
    let top = choices[best];
    let line = trees.first().map_or_else(Vec::new, |tree| tree.line(64));
    Found {
        mv: Some(top.mv),
        value: exact.unwrap_or(if mixture.is_none() && top.visits > 0 { top.value } else { mean }),
        proven: exact.is_some(),
        depth: line.len() as u32,
        nodes: counts.iter().map(|count| count.0).sum(),
        playouts: counts.iter().map(|count| count.1).sum(),
        line,
        moves: choices,
    }
}

/// The most visited move, unless a proven one is better; among losses the one that took longest to refute.
pub(crate) fn best_choice(choices: &[Choice]) -> usize {
    let places = || 0..choices.len();
    let open = places().filter(|&at| !choices[at].proven).max_by_key(|&at| (choices[at].visits, usize::MAX - at));
    let sure = places().filter(|&at| choices[at].proven).max_by(|&a, &b| {
        let (a, b) = (&choices[a], &choices[b]);
        a.value.total_cmp(&b.value).then(a.visits.cmp(&b.visits))
    });
    match (open, sure) {
        (Some(open), Some(sure)) if choices[sure].value >= choices[open].value && choices[open].visits > 0 => sure,
        (Some(_), Some(sure)) if choices[sure].value >= 100.0 => sure,
        (Some(open), _) => open,
        (None, sure) => sure.unwrap_or(0),
    }
}

/// A place by lot, each as likely as its share.
pub(crate) fn draw(shares: &[f32], rng: &mut Rng) -> usize {
    let mut left = rng.bits() as f32 / u64::MAX as f32 * shares.iter().sum::<f32>();
    for (at, share) in shares.iter().enumerate() {
        left -= share;
        if left < 0.0 && *share > 0.0 {
            return at;
        }
    }
    // Rounding may leave a crumb: the likeliest then.
    (0..shares.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b])).unwrap_or(0)
}
