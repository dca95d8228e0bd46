//! What is learned from the table of an ending: levels, gains, trees, regressions, and how wrong they are.

use anyhow::Result;
use plan::World;
use plan::chess::{Ending, world};
use plan::paper::{Subject, attributes};
use plan::stages::evaluator::{Evaluator, Learned, classify};
use plan::stages::gain::Relevance;
use plan::stages::regression::{mean_error, rmse};
use plan::stages::tree::{Branching, Growth, Tree};
use plan::stages::{Examples, Stage, stage};
use table::chess::{Tables, build_all};

/// Points of a cloud in a figure.
const POINTS: usize = 4000;

/// See the module.
pub struct Findings {
    /// The ending.
    pub subject: Subject,
    /// How many positions each level has.
    pub levels: Vec<u64>,
    /// Gains and their correlation.
    pub relevance: Relevance,
    /// Trees and regressions.
    pub learned: Learned,
    /// Trees that are not played by, with what they are and their classes.
    pub trees: Vec<(String, Vec<String>, Tree)>,
    /// Errors on all positions: what predicts, root of the mean square, mean.
    pub errors: Vec<(String, f64, f64)>,
    /// Predictions of the composite by the grown tree and of the global regression: positions in the order of the paper's Figure 5.
    pub clouds: Vec<Cloud>,
}

/// Some positions in the order of their level, then of what is predicted.
pub struct Cloud {
    /// What predicts.
    pub name: String,
    /// How many positions there are; those of the figure are drawn from them.
    pub positions: usize,
    /// The number in the order, and what is predicted.
    pub predicted: Vec<(f64, f64)>,
    /// The number in the order, and the level.
    pub levels: Vec<(f64, f64)>,
}

/// Builds the tables in memory and learns from them.
///
/// # Errors
/// When `go_on` says no while the tables are built.
pub fn find(
    subject: Subject,
    sample: usize,
    seed: u64,
    go_on: &dyn Fn() -> bool,
) -> Result<(World, Vec<Vec<u8>>, Findings)> {
    let (material, metric) = (subject.material(), subject.metric());
    let mut tables = Tables::new();
    build_all(material, metric, &mut tables, &mut |_, _| go_on()).map_err(|error| match go_on() {
        true => anyhow::Error::from(error),
        false => platform::Interrupted("the same command goes on".to_string()).into(),
    })?;
    let world = world(material, metric, &tables)?;
    drop(tables);
    let values = attributes::values(&world, &Ending::new(material), subject.attributes());
    let examples = Examples::new(&world, &values);
    // The paper's tree for KQKR is learned from some 60,000 positions, that for KRK from all.
    let some = examples.sample(sample, seed);
    let learned = subject.learn(&examples, &some, Growth::default());
    let found = Findings {
        subject,
        levels: examples.counts(),
        relevance: Relevance::new(&examples, Subject::FIRST),
        trees: trees(subject, &some),
        errors: errors(&learned, &examples),
        clouds: [Evaluator::Tree(0), Evaluator::Global].map(|one| cloud(&learned, one, &examples, seed)).into(),
        learned,
    };
    Ok((world, values, found))
}

fn trees(subject: Subject, some: &Examples) -> Vec<(String, Vec<String>, Tree)> {
    let names = |stages: &[Stage]| stages.iter().map(|stage| stage.name.clone()).collect::<Vec<_>>();
    let mut trees = Vec::new();
    let (coarse, fine) = (subject.stages(), subject.fine_stages());
    if coarse != fine {
        trees.push(("three stages".to_string(), names(&fine), classify(some, &fine, Growth::default())));
    }
    let care = Growth { average: true, ..Growth::default() };
    trees.push(("with C4.5's care about small gains".to_string(), names(&coarse), classify(some, &coarse, care)));
    let values = Growth { branching: Branching::Values, ..Growth::default() };
    trees.push(("a branch for every value".to_string(), names(&coarse), classify(some, &coarse, values)));
    trees
}

fn errors(learned: &Learned, examples: &Examples) -> Vec<(String, f64, f64)> {
    let mut errors = Vec::new();
    let mut add = |name: String, evaluator, examples: &Examples| {
        let predicted = learned.predictions(evaluator, examples);
        errors.push((name, rmse(&predicted, &examples.levels), mean_error(&predicted, &examples.levels)));
    };
    for (at, Stage { name, .. }) in learned.stages.iter().enumerate() {
        let own = examples.filter(|example| usize::from(stage(&learned.stages, examples.levels[example])) == at);
        add(format!("{name} in its stage"), Evaluator::Stage(at), &own);
    }
    for evaluator in learned.evaluators() {
        add(learned.name(evaluator), evaluator, examples);
    }
    errors
}

fn cloud(learned: &Learned, evaluator: Evaluator, examples: &Examples, seed: u64) -> Cloud {
    let some = examples.sample(POINTS, seed);
    let mut list: Vec<(u16, f64)> = some.levels.iter().copied().zip(learned.predictions(evaluator, &some)).collect();
    list.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    // Where each of them would be among all positions.
    let place = |at: usize| at as f64 * examples.len() as f64 / list.len().max(1) as f64;
    Cloud {
        name: learned.name(evaluator),
        positions: examples.len(),
        predicted: list.iter().enumerate().map(|(at, (_, predicted))| (place(at), *predicted)).collect(),
        levels: list.iter().enumerate().map(|(at, (level, _))| (place(at), f64::from(*level))).collect(),
    }
}
