//! The figures of the paper, from what was found here.

use super::{LIMITS, Piece, Reading, Variant, find, names, published, stages, strs};
use crate::chart::plot::{Plane, Series};
use crate::chart::tree::{Node, tree};
use crate::chart::{Bar, Group, bars};
use crate::experiments::sadikov::findings::{Cloud, Findings};
use plan::paper::Subject;
use plan::stages::evaluator::Evaluator;
use plan::stages::play::Repetition;
use plan::stages::tree::{Tree, range};

/// All figures of an ending, with the names of their files.
pub fn all(found: &Findings, pieces: &[&Piece]) -> Vec<(String, String)> {
    let krk = found.subject == Subject::Krk;
    let (first, second) = if krk { (1, 2) } else { (3, 4) };
    let mut figures = vec![(format!("figure{first}.svg"), correlations(found))];
    for (at, (name, one)) in found.learned.trees.iter().enumerate() {
        let letter = char::from(b'a' + at as u8);
        let figure = of_tree(found, &format!("{}: tree {name}", found.subject.material()), &stages(found), one);
        figures.push((format!("figure{second}{letter}.svg"), figure));
    }
    if let Some((name, classes, one)) = found.trees.iter().find(|(name, ..)| name == "three stages") {
        let title = format!("{}: tree for {name}", found.subject.material());
        figures.push((format!("figure{second}c.svg"), of_tree(found, &title, &strs(classes), one)));
    }
    for (cloud, side) in found.clouds.iter().zip(["left", "right"]) {
        let name = if krk { format!("scatter-krk-{side}.svg") } else { format!("figure5-{side}.svg") };
        figures.push((name, scatter(found, cloud)));
    }
    for repetition in Repetition::ALL {
        let name = match repetition {
            Repetition::Avoid { .. } => "avoided",
            Repetition::Second => "second",
            Repetition::Nothing => "no-rule",
        };
        for reading in Reading::ALL {
            let file = format!("success-{}-{name}-{}.svg", found.subject.name(), reading.letter());
            figures.push((file, success(found, pieces, repetition, reading)));
        }
    }
    figures
}

/// Figures 1 and 3.
fn correlations(found: &Findings) -> String {
    let first = f64::from(found.relevance.first);
    let points: Vec<(f64, f64)> =
        found.relevance.correlations.iter().enumerate().map(|(at, value)| (first + at as f64, *value)).collect();
    let last = first + points.len().saturating_sub(1) as f64;
    let step = if points.len() > 15 { 3.0 } else { 1.0 };
    let ticks = std::iter::successors(Some(first), |tick| Some(tick + step)).take_while(|tick| *tick <= last).collect();
    let plane = Plane {
        title: format!("{}: where stages part", found.subject.material()),
        axis: "Corr(i): correlation of the gains of i v i+1 and of i+1 v i+2".into(),
        across: "level i; upright: published minima".into(),
        x: (first, last),
        y: (-1.0, 1.0),
        ticks,
    };
    let marks: Vec<(f64, String)> =
        published::borders(found.subject).iter().map(|&border| (f64::from(border), border.to_string())).collect();
    plane.lines(&[Series { name: "here".into(), points }], &marks)
}

/// Figures 2 and 4.
fn of_tree(found: &Findings, title: &str, classes: &[&str], one: &Tree) -> String {
    let axis = format!("{:.1}% of the positions told right", 100.0 * one.accuracy());
    tree(title, &axis, &node(found, classes, one))
}

fn node(found: &Findings, classes: &[&str], one: &Tree) -> Node {
    let counts = one.counts();
    let all = counts.iter().sum::<u64>();
    match one {
        Tree::Leaf { class, .. } => {
            let share = 100.0 * counts[usize::from(*class)] as f64 / all.max(1) as f64;
            let label = classes[usize::from(*class)].to_string();
            Node { label, detail: format!("{share:.0}% of {all}"), class: usize::from(*class), below: Vec::new() }
        }
        Tree::Split { attribute, branches, .. } => Node {
            label: names(found)[*attribute].to_string(),
            detail: all.to_string(),
            class: 0,
            below: (0..branches.len()).map(|at| (range(branches, at), node(found, classes, &branches[at].1))).collect(),
        },
    }
}

/// Figure 5, and the same for KRK.
fn scatter(found: &Findings, cloud: &Cloud) -> String {
    let most = found.levels.len() as f64 + 3.0;
    let plane = Plane {
        title: format!("{}: {}", found.subject.material(), cloud.name),
        axis: "predicted moves to the win; the line is what is true".into(),
        across: "positions, by their level, then by what is predicted".into(),
        x: (0.0, cloud.positions as f64),
        y: (-4.0, (most / 4.0).ceil() * 4.0),
        ticks: vec![0.0, cloud.positions as f64],
    };
    plane.cloud(&cloud.predicted, &cloud.levels)
}

/// Table 1 as bars: a group for each evaluator, a bar for each depth.
fn success(found: &Findings, pieces: &[&Piece], repetition: Repetition, reading: Reading) -> String {
    let depths = reading.depths(pieces);
    let group = |evaluator: Evaluator| {
        let name = found.learned.name(evaluator);
        let bar = |&plies: &usize| {
            let piece = find(pieces, &name, Variant::Main, reading.plies(plies), repetition, LIMITS[0])?;
            let published = published::play(found.subject, &name, plies).map(|(success, _)| success);
            Some(Bar { name: format!("{plies} plies"), value: piece.success(), interval: None, published })
        };
        let short = match evaluator {
            Evaluator::Global => "global",
            Evaluator::Perfect => "perfect",
            Evaluator::Tree(0) => "tree",
            Evaluator::Tree(_) => "paper's tree",
            Evaluator::Stage(at) => stages(found)[at],
        };
        Group { name: short.to_string(), bars: depths.iter().filter_map(bar).collect() }
    };
    let groups: Vec<Group> = found.learned.evaluators().into_iter().map(group).collect();
    let title = format!("{}: positions won within {} moves, {}", found.subject.material(), LIMITS[0], reading.words());
    let axis = format!("% of positions; repetitions: {}; marks: the paper", repetition.words());
    bars(&title, &axis, 100.0, &groups)
}
