//! Learning an order of positions: a list of goals, the first of which counts most.

use crate::pool::Pool;
use crate::sweep::{Horizon, Outcomes, Score, Ties, ahead, best, follow, leaves};
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
fn dense(keys: &mut [u64]) -> u64 {
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    keys.iter_mut().for_each(|key| *key = sorted.binary_search(key).unwrap_or(0) as u64);
    sorted.len() as u64
}

/// The chance to win within so many moves, on average over all won positions, when any of the best moves is drawn and the other side makes
/// it as small as it can.
pub fn chance(world: &World, scores: &[Score], moves: usize) -> f64 {
    value(world, scores, moves, false)
}

/// The same when the other side's replies are drawn, each as likely as the others.
pub fn against_random(world: &World, scores: &[Score], moves: usize) -> f64 {
    value(world, scores, moves, true)
}

fn value(world: &World, scores: &[Score], moves: usize, drawn: bool) -> f64 {
    let count = world.len();
    let mut p: Vec<f32> = world.kinds.iter().map(|kind| f32::from(u8::from(*kind == Kind::Won))).collect();
    let mut first = Vec::with_capacity(count + 1);
    let mut edges: Vec<u32> = Vec::new();
    let mut nodes = Vec::new();
    for node in world.won() {
        let allowed = best(world, scores, node);
        nodes.push(node);
        first.push(edges.len());
        edges.extend(world.next(node).iter().filter(|&&to| scores[to as usize] == allowed));
    }
    first.push(edges.len());
    let theirs: Vec<u32> = (0..count as u32)
        .filter(|&node| world.kinds[node as usize] == Kind::Theirs && world.plies[node as usize] != NO_LEVEL)
        .collect();
    let mut before = -1.0;
    for _ in 0..moves {
        let mut sum = 0.0;
        for (at, &node) in nodes.iter().enumerate() {
            let next = &edges[first[at]..first[at + 1]];
            let chance = next.iter().map(|&to| p[to as usize]).sum::<f32>() / next.len() as f32;
            p[node as usize] = chance;
            sum += f64::from(chance);
        }
        for &node in &theirs {
            let next = world.next(node);
            let chances = next.iter().map(|&to| p[to as usize]);
            p[node as usize] =
                if drawn { chances.sum::<f32>() / next.len() as f32 } else { chances.fold(1.0, f32::min) };
        }
        if sum - before < 1e-9 * nodes.len() as f64 {
            break;
        }
        before = sum;
    }
    nodes.iter().map(|&node| f64::from(p[node as usize])).sum::<f64>() / nodes.len().max(1) as f64
}

/// A small generator of random numbers: the same seed gives the same numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as usize % most.max(1)
    }
}

/// The share of games that are won within so many moves, from some starts: any of the best moves is drawn; the other side plays as long as
/// the table allows, or what the strategy likes least, by turns.
pub fn sampled(world: &World, scores: &[Score], starts: &[u32], moves: usize) -> f64 {
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
                    node = tied.clone().nth(one).copied().unwrap_or(node);
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
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { plies: 2, goals: 8, beam: 6, whole: 3_000_000, starts: 3000 }
    }
}

/// How far the search is.
#[derive(Clone, Debug)]
pub struct Progress {
    /// What it is doing.
    pub doing: &'static str,
    /// Lists tried so far.
    pub tried: usize,
    /// Lists to be tried in this step, and how many of them were.
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

/// What lists are measured with.
struct Ruler<'a> {
    world: &'a World,
    pool: &'a Pool,
    plies: usize,
    /// Whether the world is measured as a whole.
    whole: bool,
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
    let ruler = Ruler { world, pool, plies: settings.plies, whole, starts, moves };
    let mut search = Search { ruler, settings, tried: 0, watch, stopped: false, best };
    search.run();
    search.best
}

/// What a list of goals reaches when it is followed with any of the best moves against every defence.
pub fn reached(world: &World, pool: &Pool, goals: &[Goal], plies: usize, ties: Ties) -> Outcomes {
    follow(world, &scores(world, pool, goals, plies), ties)
}

/// The scores that following a list of goals goes by.
pub fn scores(world: &World, pool: &Pool, goals: &[Goal], plies: usize) -> Vec<Score> {
    let order = order(world, &pool.columns, goals);
    ahead(world, &leaves(world, |node| order[node as usize]), plies, Horizon::Fixed)
}

impl Ruler<'_> {
    fn measure(&self, goals: &[Goal]) -> f64 {
        let scores = scores(self.world, self.pool, goals, self.plies);
        let found = if self.whole {
            chance(self.world, &scores, self.moves)
        } else {
            sampled(self.world, &scores, &self.starts, self.moves)
        };
        // Of equal lists the shorter one.
        found - 0.0002 * goals.iter().map(Vec::len).sum::<usize>() as f64
    }
}

impl Search<'_> {
    /// Measures lists, the best first.
    fn measure_all(&mut self, doing: &'static str, lists: Vec<Vec<Goal>>) -> Vec<Candidate> {
        let mut found = Vec::with_capacity(lists.len());
        let total = lists.len();
        for part in lists.chunks(16) {
            let progress = Progress {
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
                part.par_iter().map(|goals| Candidate { measure: ruler.measure(goals), goals: goals.clone() });
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
        (0..self.ruler.pool.columns.len()).flat_map(|column| [vec![(column, 1)], vec![(column, -1)]]).collect()
    }

    fn run(&mut self) {
        let items = self.items();
        let singles = self.measure_all("single goals", items.iter().map(|item| vec![item.clone()]).collect());
        // Of two goals the first is one that does something alone, or drives the other side: all of them in small worlds.
        let firsts = if self.ruler.whole { singles.len() } else { 14 };
        let mut pairs = Vec::new();
        for first in singles.iter().take(firsts) {
            for second in items.iter().filter(|second| second[0].0 != first.goals[0][0].0) {
                pairs.push(vec![first.goals[0].clone(), second.clone()]);
            }
        }
        let pairs = self.measure_all("pairs of goals", pairs);
        let mut beam = self.keep(pairs, singles);
        while !self.stopped {
            let before = self.best.measure;
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
            let longer = self.measure_all("longer lists", lists);
            beam = self.keep(longer, beam);
            if self.best.measure <= before {
                break;
            }
        }
        self.polish();
    }

    /// The best lists of two, each measure once.
    fn keep(&self, mut found: Vec<Candidate>, others: Vec<Candidate>) -> Vec<Candidate> {
        found.extend(others);
        found.sort_by(|a, b| b.measure.total_cmp(&a.measure));
        found.dedup_by(|a, b| (a.measure - b.measure).abs() < 1e-7);
        found.truncate(self.settings.beam);
        found
    }

    /// Changes the best list here and there as long as that helps: goals left out, changed, exchanged or joined by another attribute.
    fn polish(&mut self) {
        while !self.stopped {
            let before = self.best.clone();
            let mut lists = Vec::new();
            let columns = self.ruler.pool.columns.len();
            for at in 0..before.goals.len() {
                let mut shorter = before.goals.clone();
                shorter.remove(at);
                lists.push(shorter);
                for other in 0..at {
                    let mut swapped = before.goals.clone();
                    swapped.swap(at, other);
                    lists.push(swapped);
                }
                for column in 0..columns {
                    for weight in [1i32, -1, 2, -2] {
                        let mut changed = before.goals.clone();
                        if weight.abs() == 1 {
                            changed[at] = vec![(column, weight)];
                            lists.push(changed.clone());
                        }
                        if before.goals[at].iter().all(|part| part.0 != column) && before.goals[at].len() < 3 {
                            changed[at] = before.goals[at].clone();
                            changed[at].push((column, weight));
                            lists.push(changed);
                        }
                    }
                }
            }
            self.measure_all("changes", lists);
            if self.best.measure <= before.measure + 1e-6 {
                break;
            }
        }
    }
}
