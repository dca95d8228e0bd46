//! Stages of any world, with attributes made from the rules: which attributes matter, the borders, tree and regressions, an example for
//! each stage, and what play by them reaches.

use super::evaluator::{Evaluator, Learned};
use super::gain::Relevance;
use super::play::{Games, Search};
use super::regression::{mean_error, rmse};
use super::tree::{Growth, Tree};
use super::{Examples, Stage, classes, sample, stage};
use crate::attribute::{Attribute, Frame, Look};
use crate::build::Tell;
use crate::movers::{FAR, Movers};
use crate::pool::{Pool, columns};
use crate::scene::Scene;
use crate::words::Words;
use crate::world::{FAILED, Kind, World};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What stages are looked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The most attributes; the paper has eleven and twelve.
    pub attributes: usize,
    /// The most stages.
    pub stages: usize,
    /// Where a border is, the correlation is below this: what is more is no lack of correlation.
    pub correlation: f64,
    /// The least share of the positions in a stage.
    pub share: f64,
    /// The most positions that attributes are chosen and trees are grown from, and that games begin with.
    pub sample: usize,
    /// Plies to look ahead in play.
    pub plies: Vec<usize>,
    /// Draws positions and replies.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { attributes: 12, stages: 3, correlation: 0.4, share: 0.02, sample: 60_000, plies: vec![2], seed: 1 }
    }
}

/// An attribute is taken as long as it explains this much more of the variance of levels.
const EXPLAINS: f64 = 0.002;
/// Of attributes that explain at least this part of what the best one does, the one that is said in the fewest words is taken.
const NEARLY: f64 = 0.9;
/// A leaf of the tree has one of so many positions at least; never more than 1,000 are asked for, as in the paper.
const LEAF: usize = 25;
/// The levels that are left out of the correlations where there are enough others: they have few positions.
const NEAR: usize = 3;

/// The stages of a world: what of them is written to the file of a plan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Staged {
    /// The attributes.
    pub attributes: Vec<Attribute>,
    /// The greatest value of each: what cannot be measured counts as that.
    pub most: Vec<u8>,
    /// How many positions each level has.
    pub levels: Vec<u64>,
    /// Gains and correlations of the levels.
    pub relevance: Relevance,
    /// Stages, tree and regressions.
    pub learned: Learned,
    /// What is typical of each stage.
    pub profiles: Vec<Profile>,
    /// How wrong predictions are.
    pub errors: Vec<Wrong>,
    /// A position of each stage where there is one, with the move that is made.
    pub examples: Vec<Worked>,
    /// What play reaches.
    pub played: Vec<Played>,
}

/// What is typical of a stage.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Profile {
    /// The mean of each attribute.
    pub means: Vec<f64>,
    /// How far attributes are from it, as the root of the mean square.
    pub spreads: Vec<f64>,
}

/// How wrong a predictor is, in moves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Wrong {
    /// Who predicts.
    pub evaluator: Evaluator,
    /// The root of the mean squared error.
    pub root: f64,
    /// The mean absolute error.
    pub mean: f64,
}

/// A move made by the regressions, worked out.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Worked {
    /// The stage of the position after the move.
    pub stage: usize,
    /// The position: a FEN, or facts.
    pub position: String,
    /// The move.
    pub step: String,
    /// The attributes after the move.
    pub values: Vec<u8>,
    /// What is predicted after the move.
    pub predicted: f64,
    /// What the table says.
    pub level: u16,
    /// The move that comes next, and what is predicted after it.
    pub other: Option<(String, f64)>,
}

/// What became of play by one of the predictors.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Played {
    /// Who predicts.
    pub evaluator: Evaluator,
    /// What became of it.
    #[serde(flatten)]
    pub games: Games,
}

/// Hears how much is done of how much; `false` ends it.
pub type Watch<'a> = &'a mut dyn FnMut(usize, usize) -> bool;

/// Finds the stages of a world; `None` if it was stopped, or no attribute says anything about levels. Play that was not watched to its end is left out.
pub fn find(
    world: &World,
    movers: &Movers,
    pool: &Pool,
    settings: &Settings,
    tell: &dyn Tell,
    watch: Watch<'_>,
) -> Option<Staged> {
    // Values are known where somebody moves.
    let inside = super::starts(world).into_iter().filter(|&node| world.kinds[node as usize] != Kind::Won);
    let inside: Vec<u32> = inside.collect();
    let drawn = sample(inside.len(), settings.sample, settings.seed);
    let nodes: Vec<u32> = inside.into_iter().zip(drawn).filter(|(_, drawn)| *drawn).map(|(node, _)| node).collect();
    let tried: Vec<(&Attribute, &[u8])> = pool.tried().collect();
    let chosen = choose(world, &tried, &nodes, settings.attributes, EXPLAINS);
    if chosen.is_empty() || !watch(0, 1) {
        return None;
    }
    let attributes: Vec<Attribute> = chosen.iter().map(|&at| pool.attributes[at].clone()).collect();
    let found: Vec<Vec<u8>> = chosen.iter().map(|&at| pool.columns[at].clone()).collect();
    let most: Vec<u8> = found.iter().map(|column| greatest(world, column)).collect();
    let values = ready(world, movers, &attributes, &most, found);
    let examples = Examples::new(world, &values);
    let levels = examples.counts();
    let first = NEAR.min(levels.len().saturating_sub(2 * NEAR));
    let mut relevance = Relevance::new(&examples, first as u16);
    relevance.gains.iter_mut().flatten().chain(&mut relevance.correlations).for_each(short);
    let stages = named(&borders(&relevance, &levels, attributes.len(), settings));
    let some = examples.sample(settings.sample, settings.seed);
    let growth = Growth { least: (some.len() / LEAF).clamp(2, 1000) as u64, ..Growth::default() };
    let mut learned = Learned::new(stages, &examples, &some, growth);
    for linear in learned.local.iter_mut().chain([&mut learned.global]) {
        linear.weights.iter_mut().chain([&mut linear.constant]).for_each(short);
    }
    let mut staged = Staged {
        attributes,
        most,
        profiles: profiles(&learned.stages, &examples),
        errors: errors(&learned, &examples),
        examples: Vec::new(),
        played: Vec::new(),
        levels,
        relevance,
        learned,
    };
    staged.profiles.iter_mut().flat_map(|one| one.means.iter_mut().chain(&mut one.spreads)).for_each(short);
    staged.errors.iter_mut().flat_map(|one| [&mut one.root, &mut one.mean]).for_each(short);
    staged.examples = worked(world, &staged, &values, tell);
    staged
        .examples
        .iter_mut()
        .flat_map(|one| one.other.iter_mut().map(|other| &mut other.1).chain([&mut one.predicted]))
        .for_each(short);
    staged.played = staged.play(world, &values, settings, watch);
    Some(staged)
}

/// The most moves of a game where so many levels are: it may take four times as long as it must, and a hundred moves in any case.
pub(super) fn limit(levels: usize) -> u16 {
    (levels * 4).clamp(100, 10_000) as u16
}

/// Keeps six digits after the point: what is written to a file reads back as the same number, and is played by as it is written.
pub(super) fn short(value: &mut f64) {
    *value = (*value * 1e6).round() / 1e6;
}

/// The attributes that explain the levels best together, the most important first; `tried` are attributes with their values.
pub(super) fn choose(
    world: &World,
    tried: &[(&Attribute, &[u8])],
    nodes: &[u32],
    most: usize,
    explains: f64,
) -> Vec<usize> {
    let words = Words::new(&world.board);
    let columns: Vec<Vec<f64>> = tried
        .par_iter()
        .map(|(_, column)| {
            let most = greatest(world, column);
            standard(nodes.iter().map(|&node| f64::from(column[node as usize].min(most))).collect())
        })
        .collect();
    let levels = standard(nodes.iter().map(|&node| f64::from(world.level(node).unwrap_or(0))).collect());
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    // What is left of the correlations when what is explained by the chosen ones is taken away.
    let row = |of: &Vec<f64>| columns.iter().map(|other| product(of, other)).collect::<Vec<f64>>();
    let mut own: Vec<Vec<f64>> = columns.par_iter().map(row).collect();
    let mut with: Vec<f64> = columns.iter().map(|column| product(column, &levels)).collect();
    let length = |at: usize| words.noun(tried[at].0).split_whitespace().count();
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < most {
        let gain = |at: usize| if own[at][at] > 1e-6 { with[at] * with[at] / own[at][at] } else { 0.0 };
        let best = (0..columns.len()).map(gain).fold(0.0, f64::max);
        if best < explains {
            break;
        }
        let fits = (0..columns.len()).filter(|&at| gain(at) >= NEARLY * best);
        let Some(next) = fits.min_by_key(|&at| length(at)) else { break };
        chosen.push(next);
        let (row, target) = (own[next].clone(), with[next]);
        for at in 0..columns.len() {
            let part = row[at] / row[next];
            with[at] -= part * target;
            own[at].iter_mut().zip(&row).for_each(|(entry, row)| *entry -= part * row);
        }
    }
    chosen
}

/// Values with mean 0, whose squares add up to 1; all 0 if they are the same.
fn standard(values: Vec<f64>) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let length = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>().sqrt();
    let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
    values.into_iter().map(|value| (value - mean) * scale).collect()
}

/// One more than the greatest value that could be measured, at most: what cannot be measured is further than all that can.
pub(super) fn greatest(world: &World, column: &[u8]) -> u8 {
    let used = |node: usize| matches!(world.kinds[node], Kind::Ours | Kind::Theirs);
    let values = column.iter().enumerate().filter(|(node, value)| used(*node) && **value != FAR);
    values.map(|(_, value)| *value).max().unwrap_or(0).saturating_add(1).min(FAR - 1)
}

/// Values in all positions, those of wins as well, none above the greatest.
pub(super) fn ready(
    world: &World,
    movers: &Movers,
    attributes: &[Attribute],
    most: &[u8],
    mut values: Vec<Vec<u8>>,
) -> Vec<Vec<u8>> {
    let frame = Frame::new(&world.board);
    let (mut look, mut scene) = (Look::new(movers, &frame), Scene::new(&world.board));
    for node in (FAILED as usize + 1..world.len()).filter(|&node| world.kinds[node] == Kind::Won) {
        world.scenes.scene(node as u32, &mut scene);
        look.at(&scene);
        for (column, attribute) in values.iter_mut().zip(attributes) {
            column[node] = look.value(attribute);
        }
    }
    for (column, &most) in values.iter_mut().zip(most) {
        column.iter_mut().for_each(|value| *value = (*value).min(most));
    }
    values
}

/// The levels after which a border is drawn: the lowest minima of the correlation that leave no stage too few positions; where there
/// is no minimum, its lowest value.
fn borders(relevance: &Relevance, levels: &[u64], attributes: usize, settings: &Settings) -> Vec<u16> {
    let value = |level: u16| relevance.correlation(level).unwrap_or(1.0);
    let mut candidates = relevance.minima();
    if candidates.is_empty() {
        candidates = (0..relevance.correlations.len()).map(|at| relevance.first + at as u16).collect();
        candidates.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
        candidates.truncate(1);
    }
    candidates.retain(|&level| value(level) < settings.correlation);
    candidates.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
    let all: u64 = levels.iter().sum();
    // A sum of so many attributes is not learned from as few positions.
    let least = (settings.share * all as f64).max(2.0 * attributes as f64);
    let enough = |borders: &[u16]| {
        let ends = borders.iter().map(|&last| usize::from(last) + 1).chain([levels.len()]);
        let mut from = 0;
        ends.into_iter().all(|end| {
            let count: u64 = levels[from..end].iter().sum();
            from = end;
            count as f64 >= least
        })
    };
    let mut borders: Vec<u16> = Vec::new();
    for level in candidates {
        let mut more = borders.clone();
        more.push(level);
        more.sort_unstable();
        if more.len() < settings.stages && enough(&more) {
            borders = more;
        }
    }
    borders
}

/// Stages with names.
fn named(borders: &[u16]) -> Vec<Stage> {
    let names: &[&str] = match borders.len() {
        0 => &["ALL"],
        1 => &["CLOSE", "FAR"],
        2 => &["CLOSE", "MEDIUM", "FAR"],
        _ => &[],
    };
    let lasts = borders.iter().copied().chain([u16::MAX]).enumerate();
    let name = |at: usize| names.get(at).map_or_else(|| format!("STAGE {}", at + 1), |name| (*name).to_string());
    lasts.map(|(at, last)| Stage { name: name(at), last }).collect()
}

fn profiles(stages: &[Stage], examples: &Examples) -> Vec<Profile> {
    let own = classes(stages, &examples.levels);
    let profile = |of: usize| {
        let (mut means, mut spreads) = (Vec::new(), Vec::new());
        for column in &examples.columns {
            let values =
                || column.iter().zip(&own).filter(|(_, own)| usize::from(**own) == of).map(|(v, _)| f64::from(*v));
            let count = values().count().max(1) as f64;
            let mean = values().sum::<f64>() / count;
            means.push(mean);
            spreads.push((values().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt());
        }
        Profile { means, spreads }
    };
    (0..stages.len()).map(profile).collect()
}

/// The predictors that are told of: one stage has no composite.
fn predictors(learned: &Learned) -> Vec<Evaluator> {
    let composite = [Evaluator::Tree(0), Evaluator::Perfect];
    let all = [Evaluator::Global].into_iter().chain(composite);
    all.take(if learned.stages.len() > 1 { 3 } else { 1 }).collect()
}

fn errors(learned: &Learned, examples: &Examples) -> Vec<Wrong> {
    let one = |evaluator: Evaluator| {
        let predicted = learned.predictions(evaluator, examples);
        Wrong { evaluator, root: rmse(&predicted, &examples.levels), mean: mean_error(&predicted, &examples.levels) }
    };
    predictors(learned).into_iter().map(one).collect()
}

/// For each stage a position in which the regression makes a move that the table makes too: from the middle of all such.
fn worked(world: &World, staged: &Staged, values: &[Vec<u8>], tell: &dyn Tell) -> Vec<Worked> {
    let learned = &staged.learned;
    let predicted = learned.everywhere(Evaluator::Tree(0), world, values);
    let told = |node: u32| learned.trees[0].1.class(|at| values[at][node as usize]);
    let fits = |node: u32, of: u8| {
        let to = world
            .next(node)
            .iter()
            .copied()
            .min_by(|a, b| predicted[*a as usize].total_cmp(&predicted[*b as usize]))?;
        let level = world.level(to).filter(|&level| stage(&learned.stages, level) == of && told(to) == of)?;
        let moves = matches!(world.kinds[to as usize], Kind::Ours | Kind::Theirs);
        let best = world.plies[to as usize] < world.plies[node as usize];
        (moves && best && (predicted[to as usize] - f64::from(level)).abs() < 1.0).then_some((node, to, level))
    };
    let mut list = Vec::new();
    for of in 0..learned.stages.len() {
        let won = |node: &u32| world.next(*node).len() > 1 && !world.next(*node).contains(&crate::world::WON);
        let found: Vec<_> = world.won().filter(won).filter_map(|node| fits(node, of as u8)).take(20_000).collect();
        let Some(&(node, to, level)) = found.get(found.len() / 2) else { continue };
        let others = world.next(node).iter().copied().filter(|&other| other > FAILED && other != to);
        let other = others.min_by(|a, b| predicted[*a as usize].total_cmp(&predicted[*b as usize]));
        list.push(Worked {
            stage: of,
            position: tell.position(node),
            step: tell.step(node, to),
            values: values.iter().map(|column| column[to as usize]).collect(),
            predicted: predicted[to as usize],
            level,
            other: other.map(|other| (tell.step(node, other), predicted[other as usize])),
        });
    }
    list
}

impl Staged {
    /// The values of the attributes in all positions of a world.
    pub fn values(&self, world: &World, movers: &Movers) -> Vec<Vec<u8>> {
        ready(world, movers, &self.attributes, &self.most, columns(world, movers, &self.attributes))
    }

    /// Plays from the positions that can be won, by one regression and by stages, under each reading of repetition, against best and against random
    /// replies. What `watch` does not want any more is left out.
    pub fn play(&self, world: &World, values: &[Vec<u8>], settings: &Settings, watch: Watch<'_>) -> Vec<Played> {
        let won: Vec<u32> = world.won().collect();
        let drawn = sample(won.len(), settings.sample, settings.seed);
        let starts: Vec<u32> = won.into_iter().zip(drawn).filter(|(_, drawn)| *drawn).map(|(node, _)| node).collect();
        let limit = limit(self.levels.len());
        let deepest = settings.plies.iter().max().copied().unwrap_or(0);
        let predictors: Vec<Evaluator> =
            predictors(&self.learned).into_iter().filter(|one| *one != Evaluator::Perfect).collect();
        let all = predictors.len() * deepest;
        let mut played = Vec::new();
        for (at, &evaluator) in predictors.iter().enumerate() {
            let predicted = self.learned.everywhere(evaluator, world, values);
            let mut search = Search::new(world, &predicted, true);
            loop {
                if !watch(at * deepest + search.plies(), all) {
                    return played;
                }
                let plies = search.plies();
                if settings.plies.contains(&plies) {
                    let all = Games::all(world, &search, &starts, limit, settings.seed);
                    played.extend(all.into_iter().map(|games| Played { evaluator, games }));
                }
                if plies >= deepest {
                    break;
                }
                search.deepen();
            }
        }
        played
    }

    /// What does not fit together, if anything: for files that others wrote.
    pub fn fault(&self, things: usize, cells: usize, counters: usize) -> Option<&'static str> {
        let width = self.attributes.len();
        let Learned { stages, trees, global, local } = &self.learned;
        let sound = |tree: &Tree| tree.fits(width, stages.len());
        let known = |evaluator: &Evaluator| match evaluator {
            Evaluator::Global | Evaluator::Perfect => true,
            Evaluator::Tree(at) => *at < trees.len(),
            Evaluator::Stage(at) => *at < stages.len(),
        };
        let of_width = |list: &[f64]| list.len() == width;
        if !self.attributes.iter().all(|attribute| attribute.fits(things, cells, counters)) || self.most.len() != width
        {
            return Some("a stage speaks of what is not on the board");
        }
        let linears = local.iter().chain([global]);
        if stages.is_empty() || local.len() != stages.len() || !linears.clone().all(|one| of_width(&one.weights)) {
            return Some("the regressions of its stages do not fit together");
        }
        if trees.is_empty() || !trees.iter().all(|(_, tree)| sound(tree)) {
            return Some("the tree of its stages does not fit together");
        }
        let profiles = self.profiles.iter().all(|one| of_width(&one.means) && of_width(&one.spreads));
        let examples = self.examples.iter().all(|one| one.stage < stages.len() && one.values.len() == width);
        let gains = self.relevance.gains.iter().all(|gains| of_width(gains));
        let evaluators =
            self.errors.iter().map(|one| &one.evaluator).chain(self.played.iter().map(|one| &one.evaluator));
        let rising = stages.windows(2).all(|pair| pair[0].last < pair[1].last);
        let all = profiles && self.profiles.len() == stages.len() && examples && gains && rising;
        (!all || !evaluators.into_iter().all(known)).then_some("what is told of its stages does not fit together")
    }
}
