//! Stages in plain sentences: what each is, what it is for, how the tree tells it, what its regression adds up, and an example worked out.

use super::cases::{Cases, Node};
use super::evaluator::Evaluator;
use super::find::{Played, Staged, Worked};
use super::regression::Linear;
use super::tree::Tree;
use crate::attribute::Attribute;
use crate::scene::Board;
use crate::words::Words;
use serde::Serialize;

/// Parts of a sum that change it by less than this, in moves, are told together.
const LITTLE: f64 = 0.1;
/// Aims told for a stage.
const AIMS: usize = 2;
/// Means that lie apart by less than this part of their spread tell no aim.
const APART: f64 = 0.25;

/// Stages in words.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Told {
    /// How many levels and positions there are, and where the borders come from.
    pub borders: String,
    /// Each stage, the nearest to the win first.
    pub stages: Vec<StageTold>,
    /// The tree: how far a line goes in, and what it says.
    pub tree: Vec<(usize, String)>,
    /// How often the tree is right.
    pub accuracy: String,
    /// The regression of all positions.
    pub global: Vec<String>,
    /// How wrong predictions are.
    pub errors: Vec<String>,
}

/// A stage in words.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StageTold {
    /// Its name.
    pub name: String,
    /// Its levels and how many positions it has.
    pub heading: String,
    /// What leads out of it, towards the win.
    pub aims: Vec<String>,
    /// What its regression adds up.
    pub sum: Vec<String>,
    /// An example.
    pub example: Option<ExampleTold>,
}

/// An example in words.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExampleTold {
    /// The position: a FEN, or facts.
    pub position: String,
    /// The move.
    pub step: String,
    /// Why.
    pub why: Vec<String>,
}

/// A case in words.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CaseTold {
    /// When it is the one that counts, and how often that is.
    pub when: String,
    /// What its sum adds up.
    pub sum: Vec<String>,
}

impl Cases {
    /// Each case in words for this board, in the order of the questions.
    pub fn told(&self, board: &Board) -> Vec<CaseTold> {
        let words = Words::new(board);
        let mut told = Vec::new();
        let mut open: Vec<(usize, Vec<Answer>)> = vec![(0, Vec::new())];
        while let Some((at, answers)) = open.pop() {
            match &self.nodes[at] {
                Node::Question { attribute, most, low, high } => {
                    open.push((*high, and(&answers, (*attribute, false, most.saturating_add(1)))));
                    open.push((*low, and(&answers, (*attribute, true, *most))));
                }
                Node::Sum { linear, share, spreads } => {
                    let bound = |&(at, at_most, bound): &Answer| words.bound(&self.attributes[at], at_most, bound);
                    let list: Vec<String> = answers.iter().map(bound).collect();
                    let when = if list.is_empty() { "always".to_string() } else { format!("if {}", list.join(", ")) };
                    let when = format!("{when} ({:.1} % of the positions)", 100.0 * share);
                    told.push(CaseTold { when, sum: sum(&words, &self.attributes, linear, spreads) });
                }
            }
        }
        told
    }
}

/// An answer: the attribute, and that it is at most or at least a number.
type Answer = (usize, bool, u8);

/// Answers with one more: a later one about the same attribute says more than an earlier one.
fn and(answers: &[Answer], more: Answer) -> Vec<Answer> {
    let other = |known: &&Answer| (known.0, known.1) != (more.0, more.1);
    answers.iter().filter(other).copied().chain([more]).collect()
}

impl Staged {
    /// What was found, in words for this board.
    pub fn told(&self, board: &Board) -> Told {
        let words = Words::new(board);
        let mut tree = Vec::new();
        if self.learned.stages.len() > 1 {
            self.branches(&words, &self.learned.trees[0].1, 0, &mut tree);
        }
        Told {
            borders: self.borders(),
            stages: (0..self.learned.stages.len()).map(|at| self.stage(&words, at)).collect(),
            tree,
            accuracy: format!("It tells {:.1} % of the positions right.", 100.0 * self.learned.trees[0].1.accuracy()),
            global: sum(&words, &self.attributes, &self.learned.global, &self.overall()),
            errors: self
                .errors
                .iter()
                .map(|one| format!("{}: {:.2} moves", self.name(one.evaluator), one.mean))
                .collect(),
        }
    }

    /// What a predictor is called.
    pub fn name(&self, evaluator: Evaluator) -> String {
        match evaluator {
            Evaluator::Global => "one sum for all positions".to_string(),
            Evaluator::Perfect => "stages, if they were always told right".to_string(),
            Evaluator::Tree(_) => "stages, told by the tree".to_string(),
            Evaluator::Stage(at) => format!("the sum of {} everywhere", self.learned.stages[at].name),
        }
    }

    fn borders(&self) -> String {
        let positions: u64 = self.levels.iter().sum();
        let lasts = &self.learned.stages[..self.learned.stages.len() - 1];
        let begin =
            format!("{positions} positions are 0 to {} moves from the win.", self.levels.len().saturating_sub(1));
        let value = |last: u16| self.relevance.correlation(last).unwrap_or(0.0);
        let list: Vec<String> =
            lasts.iter().map(|stage| format!("after {} (correlation {:.2})", stage.last, value(stage.last))).collect();
        match list.as_slice() {
            [] => format!("{begin} Nowhere on the way do other things begin to matter: there is one stage."),
            list => format!(
                "{begin} What tells one level from the next changes {}: that is where stages part.",
                list.join(" and ")
            ),
        }
    }

    fn stage(&self, words: &Words<'_>, at: usize) -> StageTold {
        let stages = &self.learned.stages;
        let from = if at == 0 { 0 } else { usize::from(stages[at - 1].last) + 1 };
        let to = usize::from(stages[at].last).min(self.levels.len().saturating_sub(1));
        let (all, own) =
            (self.levels.iter().sum::<u64>(), self.levels.get(from..=to).map_or(0, |part| part.iter().sum()));
        let share = 100.0 * own as f64 / all.max(1) as f64;
        StageTold {
            name: stages[at].name.clone(),
            heading: format!("{from} to {to} moves to the win, {share:.1} % of the positions"),
            aims: if at == 0 { Vec::new() } else { self.aims(words, at) },
            sum: sum(words, &self.attributes, &self.learned.local[at], &self.profiles[at].spreads),
            example: self.examples.iter().find(|one| one.stage == at).map(|one| self.worked(words, one)),
        }
    }

    /// What is most different in the stage that is nearer to the win.
    fn aims(&self, words: &Words<'_>, at: usize) -> Vec<String> {
        let (here, nearer) = (&self.profiles[at], &self.profiles[at - 1]);
        let apart = |column: usize| {
            let spread = (here.spreads[column] + nearer.spreads[column]).max(1e-9) / 2.0;
            (here.means[column] - nearer.means[column]) / spread
        };
        let mut order: Vec<usize> = (0..self.attributes.len()).filter(|&column| apart(column).abs() > APART).collect();
        order.sort_by(|a, b| apart(*b).abs().total_cmp(&apart(*a).abs()));
        let aim = |&column: &usize| {
            let ask = words.ask(&self.attributes[column], apart(column) > 0.0);
            let name = &self.learned.stages[at - 1].name;
            format!("{ask}: on average {:.1} here and {:.1} in {name}.", here.means[column], nearer.means[column])
        };
        order.iter().take(AIMS).map(aim).collect()
    }

    /// How far attributes are from their mean in all stages together: the mean of the stages.
    fn overall(&self) -> Vec<f64> {
        let mean = |column: usize| {
            self.profiles.iter().map(|one| one.spreads[column]).sum::<f64>() / self.profiles.len().max(1) as f64
        };
        (0..self.attributes.len()).map(mean).collect()
    }

    fn branches(&self, words: &Words<'_>, tree: &Tree, depth: usize, lines: &mut Vec<(usize, String)>) {
        let Tree::Split { attribute, branches, .. } = tree else { return };
        for (at, (most, below)) in branches.iter().enumerate() {
            let test = match at.checked_sub(1) {
                None => words.bound(&self.attributes[*attribute], true, *most),
                Some(before) => words.bound(&self.attributes[*attribute], false, branches[before].0 + 1),
            };
            let says = match below {
                Tree::Leaf { class, counts } => {
                    let (all, own) =
                        (counts.iter().sum::<u64>(), counts.get(usize::from(*class)).copied().unwrap_or(0));
                    let name = &self.learned.stages[usize::from(*class)].name;
                    format!(" {name} (right for {:.0} % of {all})", 100.0 * own as f64 / all.max(1) as f64)
                }
                Tree::Split { .. } => String::new(),
            };
            lines.push((depth, format!("if {test}:{says}")));
            self.branches(words, below, depth + 1, lines);
        }
    }

    /// The answers that the tree gets on its way.
    fn path(&self, words: &Words<'_>, values: &[u8]) -> Vec<String> {
        let mut path: Vec<(usize, bool, u8)> = Vec::new();
        let mut tree = &self.learned.trees[0].1;
        while let Tree::Split { attribute, branches, .. } = tree {
            let at = branches.iter().position(|(most, _)| values[*attribute] <= *most).unwrap_or(branches.len() - 1);
            // A later answer about the same attribute says more than an earlier one.
            let low = at.checked_sub(1).map(|before| (*attribute, false, branches[before].0 + 1));
            let high = (at + 1 < branches.len()).then_some((*attribute, true, branches[at].0));
            for found in low.into_iter().chain(high) {
                path.retain(|known| (known.0, known.1) != (found.0, found.1));
                path.push(found);
            }
            tree = &branches[at].1;
        }
        path.into_iter().map(|(at, at_most, bound)| words.bound(&self.attributes[at], at_most, bound)).collect()
    }

    fn worked(&self, words: &Words<'_>, one: &Worked) -> ExampleTold {
        let mut why = Vec::new();
        let name = &self.learned.stages[one.stage].name;
        let path = self.path(words, &one.values);
        if !path.is_empty() {
            why.push(format!("After {} the tree says {name}: {}.", one.step, path.join(", ")));
        }
        let linear = &self.learned.local[one.stage];
        let (shown, _) = order(linear, &self.profiles[one.stage].spreads);
        let part = |at: usize| linear.weights[at] * f64::from(one.values[at]);
        let mut sum = format!("{:.1}", linear.constant);
        for &at in shown.iter().filter(|&&at| one.values[at] > 0) {
            let sign = if linear.weights[at] < 0.0 { "−" } else { "+" };
            sum += &format!(" {sign} {} × {}", digits(linear.weights[at]), one.values[at]);
        }
        let rest = one.predicted - linear.constant - shown.iter().map(|&at| part(at)).sum::<f64>();
        if rest.abs() >= 0.05 {
            sum += &format!(" {} {:.1}", if rest < 0.0 { "−" } else { "+" }, rest.abs());
        }
        why.push(format!("{sum} = {:.1} moves to the win; the table says {}.", one.predicted, one.level));
        if let Some((step, predicted)) = &one.other {
            why.push(format!("The next best move, {step}, comes to {predicted:.1}."));
        }
        ExampleTold { position: one.position.clone(), step: one.step.clone(), why }
    }

    /// Rows of a table of what play reaches: predictor, plies, repetitions, then what is won against best and against random replies.
    pub fn rows(&self, played: &[Played]) -> Vec<[String; 5]> {
        let cell = |one: Option<&Played>| match one {
            None => String::new(),
            Some(one) => format!("{} (+{:.2})", crate::report::percent(one.games.share()), one.games.excess),
        };
        let best = played.iter().filter(|one| !one.games.drawn);
        let row = |one: &Played| {
            let same = |other: &&Played| {
                let of = |one: &Played| (one.evaluator, one.games.plies, one.games.repetition);
                other.games.drawn && of(other) == of(one)
            };
            let random = played.iter().find(same);
            [
                self.name(one.evaluator),
                one.games.plies.to_string(),
                one.games.repetition.words(),
                cell(Some(one)),
                cell(random),
            ]
        };
        best.map(row).collect()
    }
}

/// What a regression adds up, the most important first.
fn sum(words: &Words<'_>, attributes: &[Attribute], linear: &Linear, spreads: &[f64]) -> Vec<String> {
    let (shown, little) = order(linear, spreads);
    let mut lines = vec![format!("Begin with {:.1} moves.", linear.constant)];
    for at in shown {
        let weight = linear.weights[at];
        let what = match words.yes(&attributes[at]) {
            Some(yes) => format!("if {yes}"),
            None => format!("for each 1 of {}", words.noun(&attributes[at])),
        };
        lines.push(format!("{} {} {what}.", if weight > 0.0 { "Add" } else { "Take off" }, digits(weight)));
    }
    if little > 0 {
        let more = if little == 1 { "One more changes".to_string() } else { format!("{little} more change") };
        lines.push(format!("{more} it by less than {LITTLE} on average."));
    }
    lines
}

/// A weight without its sign, with as many digits as tell something.
fn digits(weight: f64) -> String {
    if weight.abs() < 0.1 { format!("{:.3}", weight.abs()) } else { format!("{:.2}", weight.abs()) }
}

/// The parts of a sum in the order of how much they change it, and how many change it little.
fn order(linear: &Linear, spreads: &[f64]) -> (Vec<usize>, usize) {
    let weight = |at: usize| (linear.weights[at] * spreads[at]).abs();
    let mut order: Vec<usize> = (0..linear.weights.len()).filter(|&at| weight(at) > 0.0).collect();
    order.sort_by(|a, b| weight(*b).total_cmp(&weight(*a)));
    let shown = order.iter().take_while(|&&at| weight(at) >= LITTLE).count();
    let little = order.len() - shown;
    order.truncate(shown);
    (order, little)
}
