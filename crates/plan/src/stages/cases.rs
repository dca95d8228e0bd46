//! Sums by cases: a tree of questions about attributes, with a sum in each leaf that predicts the moves to the win.
//!
//! It differs from the stages of the paper in what it is learned from, in how it is cut, and in what is done about mistakes. It is learned from positions of the side that
//! is to move where the look ahead ends. A question is asked where two sums instead of one take most off the squared error. Then it plays, and is taught by
//! what it wrongly went for and what it should have gone for ([`Settings::lessons`]).

mod made;
mod metric;
mod sheet;
mod teach;

use super::find::{Watch, choose, greatest, limit, ready, short};
use super::play::{Games, Repetition, Search};
use super::regression::Linear;
use super::sample;
use crate::attribute::Attribute;
use crate::movers::{FAR, Movers};
use crate::pool::{self, Pool, columns};
use crate::sweep::Reading;
use crate::world::{FAILED, Kind, World};
use made::Made;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sheet::Sheet;
use teach::Lessons;

/// What cases are looked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The most cases.
    pub cases: usize,
    /// The most attributes that questions and sums are made of.
    pub attributes: usize,
    /// The most products and thresholds of these that sums are made of as well.
    pub made: usize,
    /// The most positions that are learned from before the first game is played.
    pub sample: usize,
    /// The most positions that games of a lesson begin with.
    pub starts: usize,
    /// How many lessons there are.
    pub lessons: usize,
    /// How many small steps follow, where there is a rule against repetitions.
    pub polish: usize,
    /// What it is to do well under.
    pub repetition: Repetition,
    /// Which positions count of those that are looked at.
    pub reading: Reading,
    /// Plies to look ahead.
    pub plies: usize,
    /// Draws positions and replies.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        let repetition = Repetition::ALL[0];
        Settings {
            cases: 25,
            attributes: 110,
            made: 90,
            sample: 60_000,
            starts: 3000,
            lessons: 80,
            polish: 400,
            repetition,
            reading: Reading::Ends,
            plies: 4,
            seed: 1,
        }
    }
}

impl Settings {
    /// The same for sums that are taught until less is met everywhere: its lessons are short, and it makes much of many attributes.
    pub fn met(self) -> Settings {
        Settings { reading: Reading::Met, made: 250, lessons: 100, polish: 0, ..self }
    }
}

/// A question, or the sum of a case.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node {
    /// Whether an attribute is at most a number.
    Question {
        /// The attribute.
        attribute: usize,
        /// The number.
        most: u8,
        /// The node for those of which it is so; its number is greater than that of the question.
        low: usize,
        /// The node for the others, likewise.
        high: usize,
    },
    /// What is added up.
    Sum {
        /// The sum.
        linear: Linear,
        /// The share of the positions.
        share: f64,
        /// How far each attribute is from its mean here, as the root of the mean square.
        spreads: Vec<f64>,
    },
}

/// Sums by cases: what of them is written to the file of a plan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Cases {
    /// The attributes.
    pub attributes: Vec<Attribute>,
    /// The greatest value of each: what cannot be measured counts as that.
    pub most: Vec<u8>,
    /// Questions and sums; the first is where one begins.
    pub nodes: Vec<Node>,
    /// Positions that the questions were learned from.
    pub positions: u64,
    /// Positions in which mistakes were made, and that the sums were taught by.
    pub mistakes: u64,
    /// How much of the variance of levels the sums explained before they were taught.
    pub explained: f64,
    /// Which positions count of those that are looked at.
    #[serde(default, skip_serializing_if = "Reading::is_usual")]
    pub reading: Reading,
    /// What play reaches.
    pub played: Vec<Games>,
}

/// A column that says less than this part of its squares more than those before it says nothing.
const TINY: f64 = 1e-9;
/// An attribute is taken as long as it explains this much more of the variance of levels: what says little of all positions can say much in a case.
const EXPLAINS: f64 = 1e-5;
/// The tree is grown by so many of the attributes, those that explain most, and from so many positions: its questions are seen by these, and more take long.
const GROWN: (usize, usize) = (40, 12_000);
/// Products and thresholds are found by what is not explained of so many positions.
const MADE: usize = 30_000;
/// The most questions tried for one attribute.
const QUESTIONS: usize = 12;
/// A case has at least so many positions for each attribute.
const LEAST: usize = 3;
/// How fine predictions are told apart, for each move, and between which numbers they are kept.
const FINE: (f64, f64) = (1e6, 1e5);

/// Sums of products of a row of numbers with itself.
#[derive(Clone)]
struct Products {
    sums: Vec<f64>,
}

/// The weights of all cases, their constants last.
type Weights = Vec<Vec<f64>>;

/// What is learned from: rows of 1, the attributes and the level.
struct Rows {
    width: usize,
    data: Vec<f64>,
}

impl Rows {
    fn count(&self) -> usize {
        self.data.len() / self.width
    }

    fn row(&self, at: u32) -> &[f64] {
        &self.data[at as usize * self.width..(at as usize + 1) * self.width]
    }
}

impl Products {
    fn new(width: usize) -> Products {
        Products { sums: vec![0.0; width * width] }
    }

    fn add(&mut self, row: &[f64]) {
        for (i, (line, &value)) in self.sums.chunks_exact_mut(row.len()).zip(row).enumerate() {
            if value != 0.0 {
                line[..=i].iter_mut().zip(row).for_each(|(sum, other)| *sum += value * other);
            }
        }
    }

    fn and(&mut self, other: &Products) {
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, other)| *sum += other);
    }

    fn less(&self, other: &Products) -> Products {
        Products { sums: self.sums.iter().zip(&other.sums).map(|(sum, other)| sum - other).collect() }
    }

    /// The squared error of the best sum, with the triangle that it is found from.
    fn solve(&self, width: usize) -> (f64, Vec<f64>) {
        let mut lower = self.sums.clone();
        for i in 0..width {
            let (above, rest) = lower.split_at_mut(i * width);
            let line = &mut rest[..width];
            let own = line[i];
            for j in 0..i {
                let other = &above[j * width..=j * width + j];
                let part: f64 = line[..j].iter().zip(other).map(|(a, b)| a * b).sum();
                line[j] = if other[j] > 0.0 { (line[j] - part) / other[j] } else { 0.0 };
            }
            // A hundred-thousandth more keeps columns apart that say nearly the same.
            let ridge = if i == 0 || i + 1 == width { 0.0 } else { 1e-5 * own };
            let left = own + ridge - line[..i].iter().map(|a| a * a).sum::<f64>();
            line[i] = if left > TINY * own { left.sqrt() } else { 0.0 };
        }
        let last = lower[width * width - 1];
        (last * last, lower)
    }

    /// The best sum.
    fn linear(&self, width: usize) -> Linear {
        let (_, lower) = self.solve(width);
        let count = width - 1;
        let mut answer = lower[count * width..count * width + count].to_vec();
        for i in (0..count).rev() {
            let pivot = lower[i * width + i];
            answer[i] = if pivot > 0.0 { answer[i] / pivot } else { 0.0 };
            for j in 0..i {
                answer[j] -= lower[i * width + j] * answer[i];
            }
        }
        answer.iter_mut().for_each(short);
        Linear { constant: answer[0], weights: answer[1..].to_vec() }
    }
}

/// A leaf while the tree grows, with the question that would help most.
struct Leaf {
    node: usize,
    rows: Vec<u32>,
    best: Option<(f64, usize, u8)>,
}

impl Leaf {
    fn new(all: &Rows, node: usize, rows: Vec<u32>) -> Leaf {
        let mut products = Products::new(all.width);
        rows.iter().for_each(|&row| products.add(all.row(row)));
        let (error, _) = products.solve(all.width);
        let least = LEAST * all.width;
        let best = (1..all.width - 1)
            .into_par_iter()
            .filter_map(|column| question(all, &rows, &products, error, column, least))
            .collect::<Vec<_>>();
        let best = best.into_iter().max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        Leaf { node, rows, best }
    }
}

/// The best question about one column: what it takes off the squared error, the attribute, and the number.
fn question(
    all: &Rows,
    rows: &[u32],
    products: &Products,
    error: f64,
    column: usize,
    least: usize,
) -> Option<(f64, usize, u8)> {
    let value = |row: u32| all.row(row)[column] as u8;
    let mut counts = [0usize; 256];
    rows.iter().for_each(|&row| counts[usize::from(value(row))] += 1);
    // The numbers to ask about: all of them, or some with about as many positions between them.
    let used: Vec<usize> = (0..256).filter(|&value| counts[value] > 0).collect();
    let wanted = if used.len() <= QUESTIONS { 0 } else { rows.len() / QUESTIONS };
    let (mut bounds, mut since) = (Vec::new(), 0);
    for &value in &used {
        since += counts[value];
        if since >= wanted {
            bounds.push(value);
            since = 0;
        }
    }
    let part_of = |value: usize| bounds.iter().position(|&bound| value <= bound).unwrap_or(bounds.len());
    let part: Vec<usize> = (0..256).map(part_of).collect();
    let mut parts = vec![Products::new(all.width); bounds.len() + 1];
    rows.iter().for_each(|&row| parts[part[usize::from(value(row))]].add(all.row(row)));
    let mut low = Products::new(all.width);
    let mut best: Option<(f64, usize, u8)> = None;
    for (at, &bound) in bounds.iter().enumerate() {
        low.and(&parts[at]);
        let below: usize = counts[..=bound].iter().sum();
        if below < least || rows.len() - below < least {
            continue;
        }
        let gain = error - low.solve(all.width).0 - products.less(&low).solve(all.width).0;
        if gain > 0.0 && best.is_none_or(|(known, ..)| gain > known) {
            best = Some((gain, column - 1, bound as u8));
        }
    }
    best
}

/// Grows a tree: always the question that takes most off the squared error.
fn grow(all: &Rows, cases: usize) -> Vec<Node> {
    let own = all.count();
    let mut nodes = vec![None];
    let mut leaves = vec![Leaf::new(all, 0, (0..own as u32).collect())];
    while leaves.len() < cases {
        let gain = |leaf: &Leaf| leaf.best.map_or(0.0, |best| best.0);
        let Some(at) = (0..leaves.len()).max_by(|&a, &b| gain(&leaves[a]).total_cmp(&gain(&leaves[b]))) else { break };
        let Some((_, attribute, most)) = leaves[at].best else { break };
        let leaf = leaves.swap_remove(at);
        let (low, high) = (nodes.len(), nodes.len() + 1);
        nodes[leaf.node] = Some(Node::Question { attribute, most, low, high });
        nodes.extend([None, None]);
        let (below, above): (Vec<u32>, Vec<u32>) =
            leaf.rows.into_iter().partition(|&row| all.row(row)[attribute + 1] <= f64::from(most));
        leaves.push(Leaf::new(all, low, below));
        leaves.push(Leaf::new(all, high, above));
    }
    // Sums are found later, from all attributes.
    let empty = || Node::Sum { linear: Linear { constant: 0.0, weights: Vec::new() }, share: 0.0, spreads: Vec::new() };
    nodes.into_iter().map(|node| node.unwrap_or_else(empty)).collect()
}

/// Finds the sum of each case by all attributes; how much of the variance of levels they explain.
fn fit(cases: &mut Cases, all: &Rows) -> f64 {
    let own = all.count();
    let members = cases.members(all);
    let mut wrong = 0.0;
    for (node, mine) in cases.nodes.iter_mut().zip(&members) {
        if !matches!(node, Node::Sum { .. }) {
            continue;
        }
        let mut products = Products::new(all.width);
        mine.iter().for_each(|&row| products.add(all.row(row)));
        let linear = products.linear(all.width);
        let count = mine.len().max(1) as f64;
        for &row in mine {
            let row = all.row(row);
            wrong += (linear.value(|at| row[at + 1] as u8) - row[all.width - 1]).powi(2);
        }
        let spread = |column: usize| {
            let values = || mine.iter().map(|&row| all.row(row)[column]);
            let mean = values().sum::<f64>() / count;
            let mut spread = (values().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
            short(&mut spread);
            spread
        };
        let mut share = mine.len() as f64 / own.max(1) as f64;
        short(&mut share);
        *node = Node::Sum { linear, share, spreads: (1..all.width - 1).map(spread).collect() };
    }
    let levels = || (0..own as u32).map(|row| all.row(row)[all.width - 1]);
    let mean = levels().sum::<f64>() / own.max(1) as f64;
    let varies: f64 = levels().map(|level| (level - mean).powi(2)).sum();
    1.0 - wrong / varies.max(1e-9)
}

/// Who is to move where so many plies end.
fn turn(world: &World, plies: usize) -> Kind {
    if world.alone || plies.is_multiple_of(2) { Kind::Ours } else { Kind::Theirs }
}

/// The place of a prediction in the order of all.
fn rank(predicted: f64) -> u64 {
    ((predicted.clamp(-FINE.1, FINE.1) + FINE.1) * FINE.0) as u64
}

/// Finds sums by cases; `None` if it was stopped, if the sides do not move by turns, or no attribute says anything about levels.
pub fn find(world: &World, movers: &Movers, pool: &Pool, settings: &Settings, watch: Watch<'_>) -> Option<Cases> {
    let kind = turn(world, settings.plies);
    if !world.by_turns && !world.alone {
        return None;
    }
    let learned = |node: &u32| world.kinds[*node as usize] == kind && world.level(*node).is_some();
    let drawn = |all: Vec<u32>, count: usize| -> Vec<u32> {
        let drawn = sample(all.len(), count, settings.seed);
        all.into_iter().zip(drawn).filter(|(_, drawn)| *drawn).map(|(node, _)| node).collect()
    };
    let nodes = drawn((FAILED + 1..world.len() as u32).filter(learned).collect(), settings.sample);
    let strikes = pool::strikes(world, movers);
    let struck = columns(world, movers, &strikes);
    let tried: Vec<(&Attribute, &[u8])> =
        pool.tried().chain(strikes.iter().zip(struck.iter().map(Vec::as_slice))).collect();
    // What cannot always be measured is left out: sums are goals, too, and those have no number for it.
    let measured = |at: &usize| {
        let used = |node: usize| matches!(world.kinds[node], Kind::Ours | Kind::Theirs);
        !tried[*at].1.iter().enumerate().any(|(node, &value)| value == FAR && used(node))
    };
    let few = every(&nodes, GROWN.1);
    let chosen = choose(world, &tried, &few, settings.attributes, EXPLAINS);
    let chosen: Vec<usize> = chosen.into_iter().filter(measured).collect();
    let steps = settings.lessons + settings.polish + 2;
    if chosen.is_empty() || !watch(0, steps) {
        return None;
    }
    let attributes: Vec<Attribute> = chosen.iter().map(|&at| tried[at].0.clone()).collect();
    let found: Vec<Vec<u8>> = chosen.iter().map(|&at| tried[at].1.to_vec()).collect();
    drop(tried);
    drop(struck);
    let most: Vec<u8> = found.iter().map(|column| greatest(world, column)).collect();
    let mut values = ready(world, movers, &attributes, &most, found);
    let grown = grow(&rows(world, &values[..values.len().min(GROWN.0)], &few), settings.cases);
    let positions = nodes.len() as u64;
    let mut cases = Cases {
        attributes,
        most,
        nodes: grown,
        positions,
        mistakes: 0,
        explained: 0.0,
        reading: settings.reading,
        played: Vec::new(),
    };
    let some = rows(world, &values, &every(&nodes, MADE));
    for made in made::find(&some, &cases.members(&some), settings.made) {
        let column: Vec<u8> = (0..world.len()).map(|node| made.value(|at| values[at][node])).collect();
        cases.most.push(greatest(world, &column));
        cases.attributes.push(made.attribute(&cases.attributes));
        values.push(column);
    }
    let learned = rows(world, &values, &nodes);
    cases.explained = fit(&mut cases, &learned);
    short(&mut cases.explained);
    let won: Vec<u32> = world.won().collect();
    let furthest = won.iter().filter_map(|&node| world.level(node)).max().unwrap_or(0);
    let limit = limit(usize::from(furthest) + 1);
    let sheet = Sheet::new(world, &values, kind, &cases);
    let lessons = Lessons { world, sheet: &sheet, won: &won, settings, limit };
    cases.mistakes = lessons.teach(&mut cases, &learned, &mut |lesson| watch(lesson, steps));
    drop(sheet);
    cases.played = cases.play(world, &values, &[settings.plies], usize::MAX, settings.seed);
    Some(cases)
}

/// About so many of some positions, at equal distances.
fn every(nodes: &[u32], count: usize) -> Vec<u32> {
    nodes.iter().step_by(nodes.len().div_ceil(count.max(1)).max(1)).copied().collect()
}

/// What is learned from.
fn rows(world: &World, values: &[Vec<u8>], nodes: &[u32]) -> Rows {
    let mut rows = Rows { width: values.len() + 2, data: Vec::new() };
    for &node in nodes {
        rows.data.push(1.0);
        rows.data.extend(values.iter().map(|column| f64::from(column[node as usize])));
        rows.data.push(world.level(node).map_or(0.0, f64::from));
    }
    rows
}

impl Cases {
    /// The number of the node whose sum counts for a position; `value` gives its attributes.
    pub fn case(&self, value: impl Fn(usize) -> u8) -> usize {
        let mut at = 0;
        while let Node::Question { attribute, most, low, high } = &self.nodes[at] {
            at = if value(*attribute) <= *most { *low } else { *high };
        }
        at
    }

    /// The rows that belong to each node: to questions none.
    fn members(&self, all: &Rows) -> Vec<Vec<u32>> {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for row in 0..all.count() as u32 {
            members[self.case(|at| all.row(row)[at + 1] as u8)].push(row);
        }
        members
    }

    /// The moves that a position is predicted to take.
    pub fn predict(&self, value: impl Fn(usize) -> u8) -> f64 {
        match &self.nodes[self.case(&value)] {
            Node::Sum { linear, .. } => linear.value(value),
            Node::Question { .. } => 0.0,
        }
    }

    /// Predictions for every position of a world.
    pub fn everywhere(&self, world: &World, values: &[Vec<u8>]) -> Vec<f64> {
        let one = |node: usize| self.predict(|column| values[column][node]);
        (0..world.len()).into_par_iter().with_min_len(1 << 10).map(one).collect()
    }

    /// How many cases there are.
    pub fn len(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node, Node::Sum { .. })).count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values of the attributes in all positions of a world.
    pub fn values(&self, world: &World, movers: &Movers) -> Vec<Vec<u8>> {
        // What is made of attributes that are there is not worked out a second time.
        let made = |attribute: &Attribute| Made::of(attribute, &self.attributes);
        let plain = self.attributes.iter().position(|attribute| made(attribute).is_some());
        let plain = plain.unwrap_or(self.attributes.len());
        let found = columns(world, movers, &self.attributes[..plain]);
        let mut values = ready(world, movers, &self.attributes[..plain], &self.most, found);
        for attribute in &self.attributes[plain..] {
            let column = match made(attribute) {
                Some(made) => (0..world.len()).map(|node| made.value(|at| values[at][node])).collect(),
                None => {
                    let one = std::slice::from_ref(attribute);
                    let found = columns(world, movers, one);
                    ready(world, movers, one, &self.most[values.len()..], found).remove(0)
                }
            };
            values.push(column);
        }
        values
    }

    /// Plays from at most so many of the positions that can be won, under each reading of repetition, against best and against random replies.
    pub fn play(&self, world: &World, values: &[Vec<u8>], plies: &[usize], most: usize, seed: u64) -> Vec<Games> {
        let won: Vec<u32> = world.won().collect();
        let drawn = sample(won.len(), most, seed);
        let starts: Vec<u32> = won.into_iter().zip(drawn).filter(|(_, drawn)| *drawn).map(|(node, _)| node).collect();
        let furthest = starts.iter().filter_map(|&node| world.level(node)).max().unwrap_or(0);
        let predicted = self.everywhere(world, values);
        let mut search = Search::new(world, &predicted, true).reading(self.reading);
        let mut played = Vec::new();
        for depth in 1..=plies.iter().max().copied().unwrap_or(0) {
            if depth > 1 {
                search.deepen();
            }
            if plies.contains(&depth) {
                played.extend(Games::all(world, &search, &starts, limit(usize::from(furthest) + 1), seed));
            }
        }
        played
    }

    /// What is won against best replies by the rule about repetitions that wins most.
    pub fn most_won(&self) -> u64 {
        self.played.iter().filter(|games| !games.drawn).map(|games| games.won).max().unwrap_or(0)
    }

    /// What play looking so many plies ahead reaches against best replies when positions that were there are avoided, by the rule that wins most.
    pub fn best_avoiding(&self, plies: usize) -> Option<&Games> {
        let avoids = |games: &&Games| games.plies == plies && !games.drawn && games.repetition.among().is_some();
        self.played.iter().filter(avoids).max_by_key(|games| games.won)
    }

    /// What does not fit together, if anything: for files that others wrote.
    pub fn fault(&self, things: usize, cells: usize, counters: usize) -> Option<&'static str> {
        let width = self.attributes.len();
        if !self.attributes.iter().all(|attribute| attribute.fits(things, cells, counters)) || self.most.len() != width
        {
            return Some("a case speaks of what is not on the board");
        }
        let sound = |(at, node): (usize, &Node)| match node {
            // Numbers that rise keep one from going in circles.
            Node::Question { attribute, low, high, .. } => {
                *attribute < width && [low, high].iter().all(|&&next| next > at && next < self.nodes.len())
            }
            Node::Sum { linear, spreads, .. } => linear.weights.len() == width && spreads.len() == width,
        };
        let all = !self.nodes.is_empty() && self.nodes.iter().enumerate().all(sound);
        (!all).then_some("the cases of its sums do not fit together")
    }
}
