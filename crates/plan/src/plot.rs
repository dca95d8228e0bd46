//! The plots of a page, as SVG in the colours of its style: bars of levels, the correlations of neighbouring levels, bars of success.

use crate::file::Reached;
use crate::report::{percent, plies};
use crate::stages::evaluator::Evaluator;
use crate::stages::find::{Played, Staged};
use crate::stages::stage;
use std::fmt::Write as _;
use study::picture::escaped;

const WIDTH: f64 = 420.0;
const LEFT: f64 = 40.0;
const TOP: f64 = 14.0;
const HEIGHT: f64 = 130.0;
/// Below the plot: numbers and what they are.
const BELOW: f64 = 44.0;

/// The variable that has the colour of a stage.
fn colour(at: usize) -> String {
    format!("var(--stage{})", at % 3 + 1)
}

fn begin(height: f64, label: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" \
         aria-label=\"{}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"var(--ink)\">",
        escaped(label)
    )
}

/// A line across with its number.
fn tick(svg: &mut String, y: f64, text: &str) {
    let _ = write!(
        svg,
        "<path d=\"M{LEFT} {y:.1}H{WIDTH}\" stroke=\"var(--line)\" stroke-width=\".5\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
        LEFT - 6.0,
        y + 4.0
    );
}

/// The numbers of levels below a plot, as many as there is room for, and what they are.
fn across(svg: &mut String, levels: usize, x: impl Fn(usize) -> f64, what: &str) {
    let step = levels.div_ceil(18).max(1);
    for level in (0..levels).step_by(step) {
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{level}</text>",
            x(level),
            TOP + HEIGHT + 17.0
        );
    }
    let middle = f64::midpoint(LEFT, WIDTH);
    let _ = write!(
        svg,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" opacity=\".75\">{what}</text>",
        TOP + HEIGHT + 38.0
    );
}

/// How many positions are how far from the win, each level in the colour of its stage.
pub fn levels(staged: &Staged) -> String {
    let count = staged.levels.len().max(1);
    let most = staged.levels.iter().max().copied().unwrap_or(1).max(1) as f64;
    let wide = (WIDTH - LEFT) / count as f64;
    let mut svg = begin(TOP + HEIGHT + BELOW, "Positions by moves to the win");
    for part in [0.0, 0.5, 1.0] {
        tick(&mut svg, TOP + HEIGHT * (1.0 - part), &format!("{:.0}", most * part));
    }
    for (level, positions) in staged.levels.iter().enumerate() {
        let high = HEIGHT * *positions as f64 / most;
        let at = usize::from(stage(&staged.learned.stages, level as u16));
        let _ = write!(
            svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{high:.1}\" fill=\"{}\"><title>{level}: {positions}, {}</title></rect>",
            LEFT + wide * level as f64 + wide * 0.1,
            TOP + HEIGHT - high,
            wide * 0.8,
            colour(at),
            escaped(&staged.learned.stages[at].name)
        );
    }
    across(&mut svg, count, |level| LEFT + wide * (level as f64 + 0.5), "positions by moves to the win");
    svg + "</svg>"
}

/// The correlations of neighbouring levels, with the borders between stages.
pub fn correlations(staged: &Staged) -> String {
    let count = staged.levels.len().max(1);
    let wide = (WIDTH - LEFT) / count as f64;
    let x = |level: f64| LEFT + wide * (level + 0.5);
    let y = |value: f64| TOP + HEIGHT * (1.0 - value.clamp(-1.0, 1.0)) / 2.0;
    let mut svg = begin(TOP + HEIGHT + BELOW, "Correlation of the gains of neighbouring levels");
    for value in [-1.0, -0.5, 0.0, 0.5, 1.0] {
        tick(&mut svg, y(value), &format!("{value}").replace('-', "−"));
    }
    for border in &staged.learned.stages[..staged.learned.stages.len().saturating_sub(1)] {
        let at = x(f64::from(border.last) + 0.5);
        let _ = write!(svg, "<path d=\"M{at:.1} {TOP}v{HEIGHT}\" stroke=\"var(--second)\" stroke-dasharray=\"4 3\"/>");
    }
    let first = f64::from(staged.relevance.first);
    let points: Vec<(f64, f64)> =
        staged.relevance.correlations.iter().enumerate().map(|(at, value)| (x(first + at as f64), y(*value))).collect();
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    if !path.is_empty() {
        let _ =
            write!(svg, "<path d=\"M{}\" fill=\"none\" stroke=\"var(--first)\" stroke-width=\"2\"/>", path.join("L"));
    }
    for ((x, y), value) in points.iter().zip(&staged.relevance.correlations) {
        let _ = write!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"var(--first)\"><title>{value:.2}</title></circle>"
        );
    }
    across(
        &mut svg,
        count,
        |level| x(level as f64),
        "Corr(i): how alike what tells i from i+1 is to what tells i+1 from i+2",
    );
    svg + "</svg>"
}

/// What is won by the sentences, against best and against random replies.
pub fn success(reached: &[Reached]) -> String {
    let mut list: Vec<(String, f64)> = Vec::new();
    for reached in reached {
        list.push((format!("{}, best replies", plies(reached.plies)), reached.share()));
        list.extend(reached.random.map(|share| (format!("{}, random replies", plies(reached.plies)), share)));
    }
    bars(&list, "What is won by the sentences")
}

/// What is won by the sums, against best replies, for each reading of repetition.
pub fn staged(staged: &Staged) -> String {
    let one = |one: &Played| {
        let short = if one.evaluator == Evaluator::Global { "one sum" } else { "stages" };
        (format!("{short}, {}, {}", plies(one.games.plies), one.games.repetition.brief()), one.games.share())
    };
    let list: Vec<(String, f64)> = staged.played.iter().filter(|one| !one.games.drawn).map(one).collect();
    bars(&list, "What is won by the sums")
}

fn bars(bars: &[(String, f64)], label: &str) -> String {
    let height = 26 * bars.len() + 6;
    let mut svg = begin(height as f64, label);
    for (at, (name, share)) in bars.iter().enumerate() {
        let y = 26 * at + 4;
        let _ = write!(
            svg,
            "<text x=\"0\" y=\"{0}\">{1}</text><rect x=\"178\" y=\"{y}\" width=\"186\" height=\"18\" fill=\"var(--board)\"/>\
             <rect x=\"178\" y=\"{y}\" width=\"{2:.1}\" height=\"18\" fill=\"var(--bar)\"/><text x=\"{WIDTH}\" y=\"{0}\" text-anchor=\"end\">{3}</text>",
            y + 13,
            escaped(name),
            186.0 * share.clamp(0.0, 1.0),
            percent(*share)
        );
    }
    svg + "</svg>"
}
