//! Regressions put together to one predictor of the distance, for every position of a world.

use super::regression::Linear;
use super::tree::{Growth, Tree};
use super::{Examples, Subject, stage};
use crate::world::World;
use rayon::prelude::*;

/// Who predicts the distance of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evaluator {
    /// One regression, learned from all positions.
    Global,
    /// That of the stage that the table says.
    Perfect,
    /// That of the stage that the tree says.
    Tree,
    /// That of one stage, everywhere.
    Stage(usize),
}

/// All that is learned from a table.
#[derive(Clone, PartialEq, Debug)]
pub struct Learned {
    /// The stages: names, and the greatest level of each.
    pub stages: Vec<(&'static str, u16)>,
    /// What tells them.
    pub tree: Tree,
    /// The regression of all positions.
    pub global: Linear,
    /// The regression of each stage.
    pub local: Vec<Linear>,
}

impl Learned {
    /// Learns regressions from `examples` and the tree from `sample`, which can be fewer.
    pub fn new(subject: Subject, examples: &Examples, sample: &Examples, growth: Growth) -> Learned {
        let stages = subject.stages();
        let local = (0..stages.len())
            .map(|at| {
                Linear::fit(&examples.filter(|example| usize::from(stage(stages, examples.levels[example])) == at))
            })
            .collect();
        Learned {
            stages: stages.to_vec(),
            tree: classify(sample, stages, growth),
            global: Linear::fit(examples),
            local,
        }
    }

    /// The evaluators, those of the paper's Table 1 in its order.
    pub fn evaluators(&self) -> Vec<Evaluator> {
        let stages = (0..self.stages.len()).map(Evaluator::Stage);
        [Evaluator::Global, Evaluator::Perfect, Evaluator::Tree].into_iter().chain(stages).collect()
    }

    /// What an evaluator is called.
    pub fn name(&self, evaluator: Evaluator) -> String {
        match evaluator {
            Evaluator::Global => "global".to_string(),
            Evaluator::Perfect => "stages, perfect classifier".to_string(),
            Evaluator::Tree => "stages, tree".to_string(),
            Evaluator::Stage(at) => format!("{} everywhere", self.stages[at].0),
        }
    }

    /// What an evaluator predicts for an example of attributes `value` and this level, if it has one: a perfect classifier
    /// takes positions that are not won for the last stage.
    pub fn predict(&self, evaluator: Evaluator, value: impl Fn(usize) -> u8, level: Option<u16>) -> f64 {
        match evaluator {
            Evaluator::Global => self.global.value(value),
            Evaluator::Perfect => self.local[usize::from(stage(&self.stages, level.unwrap_or(u16::MAX)))].value(value),
            Evaluator::Tree => self.local[usize::from(self.tree.class(&value))].value(value),
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

/// A tree that tells the stages of examples.
pub fn classify(examples: &Examples, stages: &[(&str, u16)], growth: Growth) -> Tree {
    let classes: Vec<u8> = examples.levels.iter().map(|level| stage(stages, *level)).collect();
    Tree::grow(&examples.columns, &classes, growth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::regression::rmse;
    use crate::paper::tests::krk;

    #[test]
    fn stages_predict_better_than_one_regression() {
        let (world, values, examples) = krk();
        let learned = Learned::new(Subject::Krk, examples, examples, Growth::default());
        let error = |evaluator| rmse(&learned.predictions(evaluator, examples), &examples.levels);
        let (global, perfect) = (error(Evaluator::Global), error(Evaluator::Perfect));
        assert!(perfect < error(Evaluator::Tree) && perfect < global, "{perfect} {global}");
        assert_eq!(learned.evaluators().len(), 6);
        let everywhere = learned.everywhere(Evaluator::Tree, world, values);
        let same = learned.predictions(Evaluator::Tree, examples);
        assert!(examples.nodes.iter().zip(&same).all(|(node, value)| everywhere[*node as usize] == *value));
    }
}
