//! Regressions put together to one predictor of the distance, for every position of a world.

use super::regression::Linear;
use super::tree::{Growth, Tree};
use super::{Examples, Stage, classes, stage};
use crate::world::World;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Who predicts the distance of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evaluator {
    /// One regression, learned from all positions.
    Global,
    /// That of the stage that the table says.
    Perfect,
    /// That of the stage that a tree says.
    Tree(usize),
    /// That of one stage, everywhere.
    Stage(usize),
}

/// All that is learned from a table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Learned {
    /// The stages, the one nearest to the win first.
    pub stages: Vec<Stage>,
    /// What tells them: trees with what they are.
    pub trees: Vec<(String, Tree)>,
    /// The regression of all positions.
    pub global: Linear,
    /// The regression of each stage.
    pub local: Vec<Linear>,
}

impl Learned {
    /// Learns regressions from `examples` and a tree from `sample`, which can be fewer.
    pub fn new(stages: Vec<Stage>, examples: &Examples, sample: &Examples, growth: Growth) -> Learned {
        let own = classes(&stages, &examples.levels);
        let local = (0..stages.len())
            .map(|at| Linear::fit(&examples.filter(|example| usize::from(own[example]) == at)))
            .collect();
        let trees = vec![("grown".to_string(), classify(sample, &stages, growth))];
        Learned { stages, trees, global: Linear::fit(examples), local }
    }

    /// The evaluators, those of the paper's Table 1 in its order.
    pub fn evaluators(&self) -> Vec<Evaluator> {
        let stages = (0..self.stages.len()).map(Evaluator::Stage);
        let trees = (0..self.trees.len()).map(Evaluator::Tree);
        [Evaluator::Global, Evaluator::Perfect].into_iter().chain(trees).chain(stages).collect()
    }

    /// What an evaluator is called.
    pub fn name(&self, evaluator: Evaluator) -> String {
        match evaluator {
            Evaluator::Global => "global".to_string(),
            Evaluator::Perfect => "stages, perfect classifier".to_string(),
            Evaluator::Tree(at) => format!("stages, tree {}", self.trees[at].0),
            Evaluator::Stage(at) => format!("{} everywhere", self.stages[at].name),
        }
    }

    /// What an evaluator predicts for an example of attributes `value` and this level, if it has one: a perfect classifier
    /// takes positions that are not won for the last stage.
    pub fn predict(&self, evaluator: Evaluator, value: impl Fn(usize) -> u8, level: Option<u16>) -> f64 {
        match evaluator {
            Evaluator::Global => self.global.value(value),
            Evaluator::Perfect => self.local[usize::from(stage(&self.stages, level.unwrap_or(u16::MAX)))].value(value),
            Evaluator::Tree(at) => self.local[usize::from(self.trees[at].1.class(&value))].value(value),
            Evaluator::Stage(at) => self.local[at].value(value),
        }
    }

    /// Predictions for examples.
    pub fn predictions(&self, evaluator: Evaluator, examples: &Examples) -> Vec<f64> {
        let one = |at: usize| self.predict(evaluator, |column| examples.columns[column][at], Some(examples.levels[at]));
        (0..examples.len()).into_par_iter().with_min_len(1 << 10).map(one).collect()
    }

    /// Predictions for every position of a world, whoever is to move; `values` are those of the attributes.
    pub fn everywhere(&self, evaluator: Evaluator, world: &World, values: &[Vec<u8>]) -> Vec<f64> {
        let one = |node: usize| self.predict(evaluator, |column| values[column][node], world.level(node as u32));
        (0..world.len()).into_par_iter().with_min_len(1 << 10).map(one).collect()
    }
}

/// A tree that tells the stages of examples by any attributes.
pub fn classify(examples: &Examples, stages: &[Stage], growth: Growth) -> Tree {
    let among: Vec<usize> = (0..examples.columns.len()).collect();
    Tree::grow(&examples.columns, &classes(stages, &examples.levels), &among, growth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::Subject;
    use crate::paper::tests::krk;
    use crate::stages::regression::rmse;

    #[test]
    fn stages_predict_better_than_one_regression() {
        let (world, values, examples) = krk();
        let learned = Subject::Krk.learn(examples, examples, Growth::default());
        let error = |evaluator| rmse(&learned.predictions(evaluator, examples), &examples.levels);
        let (global, perfect) = (error(Evaluator::Global), error(Evaluator::Perfect));
        assert!(perfect < error(Evaluator::Tree(0)) && perfect < global, "{perfect} {global}");
        assert_eq!(learned.evaluators().len(), 7);
        let everywhere = learned.everywhere(Evaluator::Tree(1), world, values);
        let same = learned.predictions(Evaluator::Tree(1), examples);
        assert!(examples.nodes.iter().zip(&same).all(|(node, value)| everywhere[*node as usize] == *value));
    }
}
