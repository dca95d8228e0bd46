//! Learning an order of positions: a list of goals, the first of which counts most.

use crate::anneal::{Chain, Costs, Schedule, Standard, Task};
use crate::narrow::{Columns, Measured, Narrow, Quick, Work};
use crate::pool::Pool;
use crate::sweep::{Outcomes, Reading, Score, ahead, best, follow, leaves};
use crate::world::{Kind, NO_LEVEL, World};
use rayon::prelude::*;

/// One goal: a sum of columns with weights; less is better.
pub type Goal = Vec<(usize, i32)>;

/// The order of positions that goals make: less is better, the first goal counts most.
pub fn order(world: &World, columns: &[Vec<u8>], goals: &[Goal]) -> Vec<u64> {
    let mut keys = vec![0u64; world.len()];
    let mut most = 0u64;
    for goal in goals {
        let lowest: i32 = goal.iter().map(|(_, weight)| (weight * 255).min(0)).sum();
        let range: i32 = goal.iter().map(|(_, weight)| weight.abs() * 255).sum();
        let range = u64::from(range.unsigned_abs()) + 1;
        if most.checked_mul(range).is_none_or(|most| most > 1 << 56) {
            most = dense(&mut keys);
        }
        for (node, key) in keys.iter_mut().enumerate() {
            let sum: i32 = goal.iter().map(|&(column, weight)| weight * i32::from(columns[column][node])).sum();
            *key = *key * range + u64::from((sum - lowest).unsigned_abs());
        }
        most = (most + 1) * range;
    }
    keys
}

/// Numbers keys without gaps, in order; the greatest is returned.
pub(crate) fn dense(keys: &mut [u64]) -> u64 {
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    keys.iter_mut().for_each(|key| *key = sorted.binary_search(key).unwrap_or(0) as u64);
    sorted.len() as u64
}

/// How a strategy is judged by what it is sure of.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Judge {
    /// How much the worst of equally good moves counts; the rest is for their average.
    pub worst: f32,
    /// What a win is worth one move later.
    pub patience: f32,
    /// Whether the other side's replies are drawn; otherwise they are the worst.
    pub drawn: bool,
    /// The most sweeps.
    pub sweeps: usize,
}

/// The won positions of a world in the order of their levels, so that one sweep carries the news of a win far.
pub fn by_level(world: &World) -> Vec<u32> {
    let won = |&node: &u32| {
        world.plies[node as usize] != NO_LEVEL && matches!(world.kinds[node as usize], Kind::Ours | Kind::Theirs)
    };
    let mut nodes: Vec<u32> = (0..world.len() as u32).filter(won).collect();
    nodes.sort_by_key(|&node| world.plies[node as usize]);
    nodes
}

/// What following scores is worth, on average over all won positions: 1 if all of them are won without a move lost.
pub fn worth(world: &World, by_level: &[u32], scores: &[Score], judge: Judge) -> f64 {
    let mut p: Vec<f32> = world.kinds.iter().map(|kind| f32::from(u8::from(*kind == Kind::Won))).collect();
    let mut first = Vec::with_capacity(by_level.len() + 1);
    let mut edges: Vec<u32> = Vec::new();
    for &node in by_level {
        first.push(edges.len());
        if world.kinds[node as usize] == Kind::Ours {
            let allowed = best(world, scores, node);
            edges.extend(world.next(node).iter().filter(|&&to| scores[to as usize] == allowed));
        }
    }
    first.push(edges.len());
    let par = |node: u32| judge.patience.powi(i32::from(world.moves(world.plies[node as usize])));
    let mut before = 0.0;
    for sweep in 0..judge.sweeps {
        let (mut sum, mut count) = (0.0, 0u64);
        for (at, &node) in by_level.iter().enumerate() {
            if world.kinds[node as usize] == Kind::Ours {
                let next = &edges[first[at]..first[at + 1]];
                let chances = next.iter().map(|&to| p[to as usize]);
                let mean = chances.clone().sum::<f32>() / next.len().max(1) as f32;
                let worst = chances.fold(1.0, f32::min);
                let value = judge.patience * (mean + judge.worst * (worst - mean));
                p[node as usize] = value;
                sum += f64::from(value / par(node));
                count += 1;
            } else {
                let next = world.next(node);
                let chances = next.iter().map(|&to| p[to as usize]);
                p[node as usize] = if judge.drawn {
                    chances.sum::<f32>() / next.len().max(1) as f32
                } else {
                    chances.fold(1.0, f32::min)
                };
            }
        }
        let mean = sum / count.max(1) as f64;
        if sweep > 0 && mean - before < 0.002 {
            return mean;
        }
        before = mean;
    }
    before
}

/// How many plies further away the win is after a move than it could be, on average over won positions and equally good moves; what is not
/// won any more counts as twenty.
pub fn regret(world: &World, scores: &[Score]) -> f64 {
    let (mut sum, mut count) = (0.0, 0u64);
    for node in world.won() {
        let allowed = best(world, scores, node);
        let (mut lost, mut ways) = (0.0, 0u32);
        for &to in world.next(node).iter().filter(|&&to| scores[to as usize] == allowed) {
            let (after, now) = (world.plies[to as usize], world.plies[node as usize]);
            lost += if after == NO_LEVEL { 20.0 } else { f64::from(after) + 1.0 - f64::from(now) };
            ways += 1;
        }
        sum += lost / f64::from(ways.max(1));
        count += 1;
    }
    sum / count.max(1) as f64
}

/// A small generator of random numbers: the same seed gives the same numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as usize % most.max(1)
    }
}

/// The share of games that are won within so many moves, from some starts: one of the best moves is drawn, or with the share `worst` the worst
/// of them is made; the other side plays as long as the table allows, or what the strategy likes least, by turns.
pub fn sampled(world: &World, scores: &[Score], starts: &[u32], moves: usize, worst: f32) -> f64 {
    let won = |&start: &u32| -> f64 {
        let mut random = Random(u64::from(start));
        let mut node = start;
        let stubborn = random.below(2) == 0;
        let mut left = moves;
        loop {
            match world.kinds[node as usize] {
                // A quick win counts a little more than a slow one.
                Kind::Won => return 0.9 + 0.1 * left as f64 / moves as f64,
                Kind::Failed | Kind::Unused => return 0.0,
                Kind::Ours => {
                    if left == 0 || world.plies[node as usize] == NO_LEVEL {
                        return 0.0;
                    }
                    left -= 1;
                    let allowed = best(world, scores, node);
                    let tied = world.next(node).iter().filter(|&&to| scores[to as usize] == allowed);
                    let one = random.below(tied.clone().count());
                    node = if (random.below(1000) as f32) < worst * 1000.0 {
                        tied.max_by_key(|&&to| world.plies[to as usize]).copied().unwrap_or(node)
                    } else {
                        tied.clone().nth(one).copied().unwrap_or(node)
                    };
                }
                Kind::Theirs => {
                    let plies = |to: u32| world.plies[to as usize];
                    let worst = |&&to: &&u32| {
                        if stubborn { (u64::from(plies(to)), 0) } else { (best(world, scores, to), plies(to)) }
                    };
                    node = world.next(node).iter().max_by_key(worst).copied().unwrap_or(node);
                }
            }
        }
    };
    starts.iter().map(won).sum::<f64>() / starts.len().max(1) as f64
}

/// Lists that are kept while the first goals are looked for.
const FIRST_BEAM: usize = 8;
/// Annealing: how many lists begin anew, how many of them are mended, how many changes of each are tried, and how many rounds there are at most.
const ENTRANTS: usize = 4;
const MENDED: usize = 2;
const TRIES: usize = 24_000;
const ROUNDS: usize = 60;
/// Rounds in vain after which a list that wins everything is left as it is.
const IN_VAIN: usize = 6;
/// Changes between two looks at whether to go on.
const STEPS: usize = 40;
/// What counts of lists that are young, of those that are mended, and in the end.
const EARLY: Standard = Standard { lost: 0.5, regret: 0.1 };
const LATE: Standard = Standard { lost: 100.0, regret: 0.1 };
const FINAL: Standard = Standard { lost: 100.0, regret: 0.0 };
/// How lists are annealed that begin anew, that are mended, and that are good already.
const ANEW: Schedule = Schedule { tries: TRIES, heat: 0.015, standard: EARLY };
const MEND: Schedule = Schedule { tries: TRIES, heat: 0.004, standard: LATE };
const POLISH: Schedule = Schedule { tries: TRIES / 3, heat: 0.001, standard: FINAL };

/// How a plan is looked for.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Plies to look ahead.
    pub plies: usize,
    /// The most goals.
    pub goals: usize,
    /// How many lists are kept from step to step.
    pub beam: usize,
    /// The most edges of a world that is measured as a whole; larger ones are measured by games from some positions.
    pub whole: usize,
    /// How many positions those games begin from.
    pub starts: usize,
    /// How many single goals may come first of two, those that lose least time and those that win most.
    pub firsts: usize,
    /// How many single goals are tried in longer lists.
    pub items: usize,
    /// How many rules are to tell won positions from others; 0 if that is not wanted.
    pub verdict: usize,
    /// The most cases of sums by cases; 0 if they are not wanted.
    pub cases: usize,
    /// How many times in vain the best list is shaken and improved again, or the most rounds of annealing.
    pub rounds: usize,
    /// The most words that the plan may take, where it is looked for in that way.
    pub words: usize,
    /// The most attributes in the sum of one goal.
    pub parts: usize,
    /// The seed of what is drawn.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            plies: 2,
            goals: 7,
            beam: 4,
            whole: 5_000_000,
            starts: 3000,
            firsts: 20,
            items: 200,
            verdict: 0,
            cases: 0,
            rounds: 40,
            words: 120,
            parts: 3,
            seed: 1,
        }
    }
}

/// What is being looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// The values of attributes in all positions.
    Attributes,
    /// Goals.
    Goals,
    /// Rules that tell what is won.
    Verdict,
    /// Stages, and play by them.
    Stages,
}

/// How far a plan is.
#[derive(Clone, Debug)]
pub struct Progress {
    /// What is being looked for.
    pub phase: Phase,
    /// What it is doing.
    pub doing: &'static str,
    /// Lists tried so far.
    pub tried: usize,
    /// Lists to be tried in this step (or positions, or rules), and how many of them were.
    pub step: (usize, usize),
    /// The measure of the best list: about the share of positions that it wins.
    pub best: f64,
    /// Goals in it.
    pub goals: usize,
}

/// A list of goals with its measure.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// The measure: about the share of positions that are won.
    pub measure: f64,
    /// The goals.
    pub goals: Vec<Goal>,
}

/// A list of goals and what it reaches.
type Judged = (Candidate, Measured);

/// What lists are measured with.
struct Ruler<'a> {
    world: &'a World,
    pool: &'a Pool,
    plies: usize,
    /// Whether the world is measured as a whole.
    whole: bool,
    by_level: Vec<u32>,
    starts: Vec<u32>,
    moves: usize,
}

/// The search for a list of goals.
struct Search<'a> {
    ruler: Ruler<'a>,
    settings: Settings,
    tried: usize,
    watch: &'a mut dyn FnMut(&Progress) -> bool,
    stopped: bool,
    best: Candidate,
}

/// Looks for a plan. `watch` hears of it now and then; `false` ends the search with the best so far.
pub fn search<'a>(
    world: &'a World,
    pool: &'a Pool,
    settings: Settings,
    watch: &'a mut dyn FnMut(&Progress) -> bool,
) -> Candidate {
    let won: Vec<u32> = world.won().collect();
    let longest = won.iter().filter_map(|&node| world.level(node)).max().unwrap_or(1);
    let mut random = Random(1);
    let starts = (0..settings.starts.min(won.len())).map(|_| won[random.below(won.len())]).collect();
    let moves = usize::from(longest) * 3 / 2 + 12;
    let best = Candidate { measure: 0.0, goals: Vec::new() };
    let whole = world.edges.len() <= settings.whole;
    let settings = if whole {
        settings
    } else {
        // A list takes a hundred times as long to measure: fewer are tried.
        Settings { firsts: settings.firsts.min(8), items: settings.items.min(36), ..settings }
    };
    let ruler = Ruler {
        world,
        pool,
        plies: settings.plies,
        whole,
        by_level: if whole { by_level(world) } else { Vec::new() },
        starts,
        moves,
    };
    let narrow = whole.then(|| Narrow::new(world, settings.plies)).flatten();
    let mut search = Search { ruler, settings, tried: 0, watch, stopped: false, best };
    match narrow {
        Some(narrow) => search.narrow(&narrow),
        None => search.run(),
    }
    search.best
}

/// Whether lists are measured many times as fast as by sweeping over the whole world.
pub fn is_quick(world: &World, plies: usize) -> bool {
    Narrow::new(world, plies).is_some()
}

/// What a list of goals reaches when it is followed with any of the best moves against every defence.
pub fn reached(world: &World, pool: &Pool, goals: &[Goal], plies: usize) -> Outcomes {
    follow(world, &scores(world, pool, goals, plies))
}

/// The scores that following a list of goals goes by.
pub fn scores(world: &World, pool: &Pool, goals: &[Goal], plies: usize) -> Vec<Score> {
    let order = order(world, &pool.columns, goals);
    ahead(world, leaves(world, |node| order[node as usize]), plies, Reading::Ends)
}

impl Ruler<'_> {
    fn measure(&self, goals: &[Goal], worst: f32) -> f64 {
        let scores = scores(self.world, self.pool, goals, self.plies);
        let found = if self.whole {
            let judge = Judge { worst, patience: 0.99, drawn: false, sweeps: 20 };
            worth(self.world, &self.by_level, &scores, judge)
        } else {
            sampled(self.world, &scores, &self.starts, self.moves, worst)
        };
        // Of equal lists the shorter one; sums are hard to read and have to be worth it.
        let parts: usize = goals.iter().map(Vec::len).sum();
        found - 0.0003 * goals.len() as f64 - 0.002 * (parts - goals.len()) as f64
    }
}

impl Search<'_> {
    /// Looks for the first goals by what they leave to those that follow, and for these by annealing.
    fn narrow(&mut self, narrow: &Narrow) {
        let pool = self.ruler.pool;
        let columns = narrow.columns(pool);
        let costs = Costs::new(&self.ruler.world.board, pool);
        let first = self.first_goals(narrow, &columns, &costs);
        let rest = narrow.narrowed(&columns, &first, &mut Work::default());
        let quick = |narrow| if Narrow::deep(narrow) { None } else { Some(Quick::new(narrow, &columns)) };
        let whole = Task {
            fixed: 0,
            narrow,
            columns: &columns,
            quick: quick(narrow),
            pool,
            costs: &costs,
            goals: self.settings.goals,
            words: self.settings.words.saturating_sub(costs.before),
            parts: self.settings.parts,
        };
        let task = Task { fixed: first.len(), narrow: &rest, quick: quick(&rest), ..whole };
        let Some(measured) = rest.measure(&columns, &[], f64::INFINITY, &mut Work::default()) else { return };
        let start = task.judge(&first, measured, FINAL);
        self.best = self.anneal(&whole, &task, &start).0;
    }

    /// Anneals the goals that follow the first ones. Three rounds again and again: some lists begin anew; the best of them are mended; the best
    /// of all is changed a little, with its first goals and without. Once everything is won, only the last.
    fn anneal(&mut self, whole: &Task<'_>, task: &Task<'_>, start: &Judged) -> Judged {
        let (mut best, mut latest) = (start.clone(), vec![start.clone()]);
        let mut in_vain = 0;
        for round in 0..ROUNDS.min(self.settings.rounds) {
            let perfect = best.1.won == best.1.positions;
            if self.stopped || perfect && (best.1.excess == 0.0 || in_vain >= IN_VAIN) {
                break;
            }
            let seed = |chain: usize| self.settings.seed << 32 ^ (round as u64) << 8 ^ chain as u64;
            let step = if perfect { 2 } else { round % 3 };
            let mut chains: Vec<Chain<'_>> = match step {
                0 => (0..ENTRANTS).map(|chain| task.chain(start, ANEW, seed(chain))).collect(),
                1 => {
                    let mended = latest.iter().take(MENDED).enumerate();
                    mended.map(|(chain, one)| task.chain(one, MEND, seed(chain))).collect()
                }
                _ => {
                    let warm = Schedule { heat: MEND.heat, ..POLISH };
                    let inner = if best.0.goals.starts_with(&start.0.goals) { task } else { whole };
                    vec![
                        inner.chain(&best, if round % 2 == 0 { POLISH } else { warm }, seed(0)),
                        whole.chain(&best, if round % 2 == 0 { warm } else { POLISH }, seed(1)),
                    ]
                }
            };
            let before = self.tried;
            loop {
                let more = chains.par_iter_mut().map(|chain| chain.go_on(STEPS)).reduce(|| false, |a, b| a || b);
                self.tried = before + chains.iter().map(|chain| chain.measured).sum::<usize>();
                let far = chains.iter().map(|chain| chain.best.1.share()).fold(best.1.share(), f64::max);
                if !self.goes_on("goals that follow", far, best.0.goals.len()) || !more {
                    break;
                }
            }
            let found = chains.into_iter().map(|chain| task.judge(&chain.best.0.goals, chain.best.1, FINAL));
            latest = found.collect();
            latest.sort_by(|a, b| b.0.measure.total_cmp(&a.0.measure));
            let gain = latest.first().map_or(0.0, |one| one.0.measure - best.0.measure);
            in_vain = if gain > 0.0005 { 0 } else { in_vain + 1 };
            if let Some(one) = latest.first().filter(|_| gain > 0.0) {
                best = one.clone();
            }
        }
        best
    }

    /// Tells how far it is; whether it is to go on.
    fn goes_on(&mut self, doing: &'static str, best: f64, goals: usize) -> bool {
        let progress = Progress { phase: Phase::Goals, doing, tried: self.tried, step: (0, 0), best, goals };
        self.stopped |= !(self.watch)(&progress);
        !self.stopped
    }

    /// The goals that come first: each leaves fewer moves, and good ones among them.
    fn first_goals(&mut self, narrow: &Narrow, columns: &Columns, costs: &Costs) -> Vec<Goal> {
        let words = self.settings.words.saturating_sub(costs.before);
        let fits = |goals: &Vec<Goal>| goals.iter().map(|goal| costs.words(goal)).sum::<usize>() <= words;
        let mut beam: Vec<(f64, Vec<Goal>)> = vec![(f64::INFINITY, Vec::new())];
        let mut best = beam[0].clone();
        let items = self.items();
        while best.1.len() + 2 < self.settings.goals {
            let mut found = Vec::new();
            for (_, goals) in &beam {
                // What these goals leave is found once; what one more leaves of that is little work.
                let behind = narrow.narrowed(columns, goals, &mut Work::default());
                let more = items.iter().filter(|item| goals.iter().all(|goal| goal[0].0 != item[0].0));
                let longer = more.map(|item| [goals.clone(), vec![item.clone()]].concat());
                let lists: Vec<Vec<Goal>> = longer.filter(fits).collect();
                for part in lists.chunks(16) {
                    if !self.goes_on("first goals", 0.0, best.1.len()) {
                        return best.1;
                    }
                    let rank = |work: &mut Work, goals: &Vec<Goal>| {
                        let bound = behind.bound(columns, &goals[goals.len() - 1..], work);
                        // How many moves are left, how much time they lose at least, and what they win at most.
                        (2.0 * bound.free.ln() + bound.excess + 200.0 * (1.0 - bound.share()), goals.clone())
                    };
                    found.extend(part.par_iter().map_init(Work::default, rank).collect::<Vec<_>>());
                    self.tried += part.len();
                }
            }
            found.sort_by(|a, b| a.0.total_cmp(&b.0));
            found.dedup_by(|a, b| (a.0 - b.0).abs() < 1e-9);
            found.truncate(FIRST_BEAM);
            match found.first() {
                Some(first) if first.0 < best.0 - 0.3 => best = first.clone(),
                _ => break,
            }
            beam = found;
        }
        best.1
    }

    /// Measures lists, the best first.
    fn measure_all(&mut self, doing: &'static str, worst: f32, lists: Vec<Vec<Goal>>) -> Vec<Candidate> {
        let mut found = Vec::with_capacity(lists.len());
        let total = lists.len();
        for part in lists.chunks(16) {
            let progress = Progress {
                phase: Phase::Goals,
                doing,
                tried: self.tried,
                step: (total, found.len()),
                best: self.best.measure,
                goals: self.best.goals.len(),
            };
            if self.stopped || !(self.watch)(&progress) {
                self.stopped = true;
                break;
            }
            let ruler = &self.ruler;
            let measured =
                part.par_iter().map(|goals| Candidate { measure: ruler.measure(goals, worst), goals: goals.clone() });
            found.extend(measured.collect::<Vec<_>>());
            self.tried += part.len();
        }
        found.sort_by(|a, b| b.measure.total_cmp(&a.measure));
        if let Some(first) = found.first()
            && first.measure > self.best.measure
        {
            self.best = first.clone();
        }
        found
    }

    fn items(&self) -> Vec<Goal> {
        (0..self.ruler.pool.plain).flat_map(|column| [vec![(column, 1)], vec![(column, -1)]]).collect()
    }

    fn run(&mut self) {
        let items = self.items();
        let singles = self.measure_all("single goals", 0.0, items.iter().map(|item| vec![item.clone()]).collect());
        // The first of two goals is one that wins something alone, or one that loses little time.
        let mut by_regret: Vec<(f64, Goal)> = singles
            .iter()
            .map(|single| {
                let ruler = &self.ruler;
                let scores = scores(ruler.world, ruler.pool, &single.goals, ruler.plies);
                (regret(ruler.world, &scores), single.goals[0].clone())
            })
            .collect();
        by_regret.sort_by(|a, b| a.0.total_cmp(&b.0));
        let half = self.settings.firsts.div_ceil(2);
        let mut firsts: Vec<Goal> = by_regret.iter().take(half).map(|(_, goal)| goal.clone()).collect();
        firsts.extend(singles.iter().take(half).map(|single| single.goals[0].clone()));
        firsts.dedup();
        let items: Vec<Goal> = by_regret.into_iter().map(|(_, goal)| goal).take(self.settings.items).collect();
        let mut pairs = Vec::new();
        for first in &firsts {
            for second in items.iter().filter(|second| second[0].0 != first[0].0) {
                pairs.push(vec![first.clone(), second.clone()]);
            }
        }
        let pairs = self.measure_all("pairs of goals", 0.0, pairs);
        let mut beam = self.keep(pairs, singles);
        for worst in [0.3, 1.0] {
            beam = self.again(beam, worst);
            while !self.stopped {
                let before = self.best.measure;
                let longer = self.measure_all("longer lists", worst, self.longer(&beam, &items));
                beam = self.keep(longer, beam);
                if self.best.measure <= before + 0.001 {
                    break;
                }
            }
        }
        self.go_on(&items);
    }

    /// Improves the best list; then changes it at two places at once, takes the best of several such changes and improves that, again and
    /// again until the watch says stop or nothing better comes any more.
    fn go_on(&mut self, items: &[Goal]) {
        let mut random = Random(3);
        self.polish(items);
        let mut best = self.best.clone();
        let mut in_vain = 0;
        while !self.stopped && in_vain < self.settings.rounds {
            let mut shaken = Vec::new();
            for _ in 0..32 {
                let mut goals = best.goals.clone();
                for _ in 0..2 {
                    let mut lists = self.changes(&goals);
                    if !lists.is_empty() {
                        goals = lists.swap_remove(random.below(lists.len()));
                    }
                }
                shaken.push(goals);
            }
            self.best = Candidate { measure: -1.0, goals: Vec::new() };
            self.measure_all("other lists", 1.0, shaken);
            self.polish(items);
            if self.best.measure > best.measure + 1e-6 {
                best = self.best.clone();
                in_vain = 0;
            } else {
                in_vain += 1;
            }
            self.best = best.clone();
        }
    }

    /// Measures lists again by another standard.
    fn again(&mut self, beam: Vec<Candidate>, worst: f32) -> Vec<Candidate> {
        self.best.measure = 0.0;
        self.measure_all("the same lists", worst, beam.into_iter().map(|kept| kept.goals).collect())
    }

    /// Lists with one goal more.
    fn longer(&self, beam: &[Candidate], items: &[Goal]) -> Vec<Vec<Goal>> {
        let mut lists = Vec::new();
        for kept in beam.iter().filter(|kept| kept.goals.len() < self.settings.goals) {
            for item in items.iter().filter(|item| kept.goals.iter().all(|goal| goal[0].0 != item[0].0)) {
                for at in 0..=kept.goals.len() {
                    let mut goals = kept.goals.clone();
                    goals.insert(at, item.clone());
                    lists.push(goals);
                }
            }
        }
        lists
    }

    /// The best lists of two, each measure once.
    fn keep(&self, mut found: Vec<Candidate>, others: Vec<Candidate>) -> Vec<Candidate> {
        found.extend(others);
        found.sort_by(|a, b| b.measure.total_cmp(&a.measure));
        found.dedup_by(|a, b| (a.measure - b.measure).abs() < 1e-7);
        found.truncate(self.settings.beam);
        found
    }

    /// Changes the best list here and there as long as that helps: goals left out, changed, added, exchanged or joined by another
    /// attribute. The first change that helps is taken, in an order that is mixed.
    fn polish(&mut self, items: &[Goal]) {
        let mut random = Random(2);
        while !self.stopped {
            let before = self.best.clone();
            let mut lists = self.changes(&before.goals);
            lists.extend(self.longer(std::slice::from_ref(&before), items));
            for at in (1..lists.len()).rev() {
                lists.swap(at, random.below(at + 1));
            }
            for part in lists.chunks(16) {
                self.measure_all("changes", 1.0, part.to_vec());
                if self.stopped || self.best.measure > before.measure + 1e-6 {
                    break;
                }
            }
            if self.best.measure <= before.measure + 1e-6 {
                break;
            }
        }
    }

    /// Lists that differ from this one in one place.
    fn changes(&self, goals: &[Goal]) -> Vec<Vec<Goal>> {
        let mut lists = Vec::new();
        for at in 0..goals.len() {
            let mut shorter = goals.to_vec();
            shorter.remove(at);
            lists.push(shorter);
            for other in 0..at {
                let mut swapped = goals.to_vec();
                swapped.swap(at, other);
                lists.push(swapped);
            }
            for column in 0..self.ruler.pool.plain {
                for weight in [1i32, -1, 2, -2] {
                    let mut changed = goals.to_vec();
                    if weight.abs() == 1 {
                        changed[at] = vec![(column, weight)];
                        lists.push(changed.clone());
                    }
                    if goals[at].iter().all(|part| part.0 != column) && goals[at].len() < 3 {
                        changed[at] = goals[at].clone();
                        changed[at].push((column, weight));
                        lists.push(changed);
                    }
                }
            }
        }
        lists
    }
}
