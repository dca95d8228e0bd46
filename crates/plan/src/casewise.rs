//! Goals that hold under conditions: measuring a list of them on every position, making them of sums by cases, and an example for each.

use crate::attribute::Attribute;
use crate::build::Tell;
use crate::example::Making;
use crate::file::{Example, Goal, Plan};
use crate::guide::Guide;
use crate::learn::dense;
use crate::stages::cases::{Cases, Node};
use crate::sweep::{Reading, Score, WINS, ahead, best, follow, leaves};
use crate::verdict::{Subject, Test};
use crate::world::{Kind, NO_LEVEL, World};

/// Weights of sums are told in these parts of a move: products are great, and small parts of them count. Where sums would be too great, ten times
/// as coarsely.
pub const PARTS: f64 = 10_000.0;
/// What weighs less than this part of a move over the whole range of its attribute is left out.
const NOTHING: f64 = 0.0005;

/// Which goals of each position count: of a goal with cases the first whose conditions hold.
fn case(values: &[Vec<u8>], cases: &[Goal], node: usize) -> Option<usize> {
    let holds = |goal: &Goal| {
        goal.when.iter().all(|test| {
            let value = test.subject.value(|at| values[at][node], true);
            if test.at_most { value <= test.bound } else { value >= test.bound }
        })
    };
    cases.iter().position(holds)
}

/// The order of positions that goals with cases make, by the values of the plan's attributes: less is better, the first goal counts most.
fn order(world: &World, values: &[Vec<u8>], plan_goals: &[Goal]) -> Vec<u64> {
    let mut keys = vec![0u64; world.len()];
    for cases in plan_goals.chunk_by(|goal, _| !goal.when.is_empty()) {
        for (node, key) in keys.iter_mut().enumerate() {
            let sum = |goal: &Goal| {
                goal.base + goal.parts.iter().map(|&(at, by)| by * i32::from(values[at][node])).sum::<i32>()
            };
            let value = case(values, cases, node).map_or(0, |at| sum(&cases[at]));
            *key = *key << 32 | u64::from(value.abs_diff(i32::MIN));
        }
        dense(&mut keys);
    }
    keys
}

/// What moves lead to is worth by goals with cases, so many plies ahead.
pub fn scores(world: &World, values: &[Vec<u8>], goals: &[Goal], plies: usize, reading: Reading) -> Vec<Score> {
    let keys = order(world, values, goals);
    ahead(world, leaves(world, |node| keys[node as usize]), plies, reading)
}

impl Cases {
    /// Sums by cases as one goal with its cases, in whole [`PARTS`] of moves. The attributes are those of the sums.
    pub fn goals(&self) -> (Vec<Attribute>, Vec<Goal>) {
        let fine = self.told_in(PARTS);
        let goals = if fine.iter().all(Goal::is_a_number) { fine } else { self.told_in(PARTS / 10.0) };
        (self.attributes.clone(), goals)
    }

    fn told_in(&self, parts_of_a_move: f64) -> Vec<Goal> {
        let mut goals = Vec::new();
        // The cases from the left to the right of the tree, each with the questions on its way.
        let mut open: Vec<(usize, Vec<Test>)> = vec![(0, Vec::new())];
        while let Some((at, tests)) = open.pop() {
            match &self.nodes[at] {
                Node::Question { attribute, most, low, high } => {
                    let subject = Subject::Attribute(*attribute);
                    let below = Test { subject, bound: *most, at_most: true };
                    let above = Test { subject, bound: most.saturating_add(1), at_most: false };
                    open.push((*high, with(&tests, above)));
                    open.push((*low, with(&tests, below)));
                }
                Node::Sum { linear, .. } => {
                    let whole = |number: f64| (number * parts_of_a_move).round() as i32;
                    let told = linear.weights.iter().enumerate().zip(&self.most);
                    let counts =
                        |&((_, weight), most): &((usize, &f64), &u8)| (weight * f64::from(*most)).abs() > NOTHING;
                    let parts = told.filter(counts).map(|((at, &weight), _)| (at, whole(weight)));
                    let parts = parts.filter(|part| part.1 != 0).collect();
                    goals.push(Goal { when: tests, base: whole(linear.constant), parts });
                }
            }
        }
        if let Some(last) = goals.last_mut() {
            last.when.clear();
        }
        goals
    }
}

/// Tests with one more; of two that say the same of an attribute the one that says more.
fn with(tests: &[Test], more: Test) -> Vec<Test> {
    let same = |test: &Test| test.subject == more.subject && test.at_most == more.at_most;
    tests.iter().filter(|test| !same(test)).copied().chain([more]).collect()
}

/// For each case a position in which it holds and makes the difference between two moves.
pub fn examples(world: &World, plan: &Plan, values: &[Vec<u8>], scored: &[Score], tell: &dyn Tell) -> Vec<Example> {
    let Some(guide) = Guide::new(plan, world) else { return Vec::new() };
    let mut making = Making { world, guide, scored, tell };
    let mut found: Vec<Example> = making.of_win().into_iter().collect();
    let outcomes = follow(world, scored);
    let mut candidates: Vec<Vec<u32>> = vec![Vec::new(); plan.goals.len()];
    let mut before = 0;
    for cases in plan.goals_by_cases() {
        let decides = |node: &u32| outcomes.plies[*node as usize] != NO_LEVEL && best(world, scored, *node) >= WINS;
        for node in world.won().filter(|node| world.kinds[*node as usize] == Kind::Ours).filter(decides) {
            if let Some(at) = case(values, cases, node as usize) {
                candidates[before + at].push(node);
            }
        }
        before += cases.len();
    }
    for (goal, nodes) in candidates.iter().enumerate() {
        found.extend(nodes.get(nodes.len() / 2).and_then(|&node| making.example(node, Some(goal))));
    }
    found
}
