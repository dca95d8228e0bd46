//! Figures of experiments, as SVG written by hand: bars with intervals, lines, clouds of points ([`plot`]) and trees
//! ([`tree`]), beside what was published.
//!
//! A figure is text, the same for the same numbers, and needs neither fonts nor scripts of its own. Bars of one name have one colour in
//! all groups.

pub mod plot;
pub mod tree;

use std::fmt::Write as _;

/// A bar.
#[derive(Clone, PartialEq, Debug)]
pub struct Bar {
    /// What it stands for; the same name has the same colour everywhere.
    pub name: String,
    /// How high it is.
    pub value: f64,
    /// The ends of its interval, if there is one.
    pub interval: Option<(f64, f64)>,
    /// What was published, drawn as a mark beside it.
    pub published: Option<f64>,
}

/// Bars that stand together.
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    /// What stands below them.
    pub name: String,
    /// The bars, from left to right.
    pub bars: Vec<Bar>,
}

const LEFT: f64 = 56.0;
const TOP: f64 = 48.0;
const HEIGHT: f64 = 260.0;
const BAR: f64 = 26.0;
const GAP: f64 = 34.0;
const COLOURS: [&str; 8] = ["#4472a8", "#d98a3d", "#5a9e5a", "#b8504f", "#8a6bb0", "#7f6a5a", "#c978a8", "#7d8a94"];

/// A bar chart from 0 to `most`. What lies outside is cut off; what is no number is left out.
///
/// ```
/// use lab::chart::{Bar, Group, bars};
/// let bar = Bar { name: "PDB(4)".into(), value: 71.0, interval: Some((57.0, 82.0)), published: Some(79.0) };
/// let figure = bars("Points", "% of the points", 100.0, &[Group { name: "depth 3".into(), bars: vec![bar] }]);
/// assert!(figure.starts_with("<svg") && figure.contains("PDB(4)"));
/// ```
pub fn bars(title: &str, axis: &str, most: f64, groups: &[Group]) -> String {
    let names = names(groups);
    let count: usize = groups.iter().map(|group| group.bars.len()).sum();
    let plot = count as f64 * BAR + groups.len().max(1) as f64 * GAP;
    let legend = names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64 * 7.0 + 40.0;
    let (width, height) = ((LEFT + plot + 24.0 + legend.max(120.0)).ceil(), TOP + HEIGHT + 48.0);
    let y = |value: f64| TOP + HEIGHT * (1.0 - (value / most).clamp(0.0, 1.0));
    let mut svg = begin(width, height, title, axis);
    for tick in 0..=4 {
        let value = most * f64::from(tick) / 4.0;
        let (at, right) = (y(value), LEFT + plot);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{right:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            LEFT - 6.0,
            at + 4.0
        );
    }
    let mut x = LEFT + GAP / 2.0;
    for group in groups {
        let middle = x + group.bars.len() as f64 * BAR / 2.0;
        let below = TOP + HEIGHT + 20.0;
        let label = escaped(&group.name);
        let _ = writeln!(svg, "<text x=\"{middle:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{label}</text>");
        for bar in &group.bars {
            let colour = names.iter().position(|name| *name == bar.name).unwrap_or(0) % COLOURS.len();
            draw(&mut svg, bar, x, COLOURS[colour], y);
            x += BAR;
        }
        x += GAP;
    }
    key(&mut svg, &names, LEFT + plot + 24.0, groups);
    svg += "</svg>\n";
    svg
}

/// The beginning of every figure: its size, a title and a line below it.
fn begin(width: f64, height: f64, title: &str, axis: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"15\">{}</text>\n<text x=\"{LEFT}\" y=\"40\" fill=\"#555\">{}</text>\n",
        escaped(title),
        escaped(axis)
    )
}

fn names(groups: &[Group]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for bar in groups.iter().flat_map(|group| &group.bars) {
        if !names.contains(&bar.name.as_str()) {
            names.push(&bar.name);
        }
    }
    names
}

fn draw(svg: &mut String, bar: &Bar, x: f64, colour: &str, y: impl Fn(f64) -> f64) {
    if !bar.value.is_finite() {
        return;
    }
    let (top, bottom, middle) = (y(bar.value), y(0.0), x + BAR / 2.0);
    let _ = writeln!(
        svg,
        "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\"><title>{}: {:.1}</title></rect>",
        x + 2.0,
        BAR - 4.0,
        bottom - top,
        escaped(&bar.name),
        bar.value
    );
    if let Some((low, high)) = bar.interval.filter(|(low, high)| low.is_finite() && high.is_finite()) {
        let (low, high) = (y(low), y(high));
        let _ = writeln!(
            svg,
            "<path d=\"M{middle:.1} {low:.1}V{high:.1}M{0:.1} {low:.1}H{1:.1}M{0:.1} {high:.1}H{1:.1}\" stroke=\"#222\" fill=\"none\"/>",
            middle - 4.0,
            middle + 4.0
        );
    }
    if let Some(published) = bar.published.filter(|value| value.is_finite()) {
        let at = y(published);
        let _ = writeln!(
            svg,
            "<path d=\"M{middle:.1} {:.1}l5 5l-5 5l-5 -5z\" fill=\"white\" stroke=\"#222\"><title>published: {published}</title></path>",
            at - 5.0
        );
    }
}

fn key(svg: &mut String, names: &[&str], x: f64, groups: &[Group]) {
    let mut y = TOP + 8.0;
    for (at, name) in names.iter().enumerate() {
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"12\" height=\"12\" fill=\"{}\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            y,
            COLOURS[at % COLOURS.len()],
            x + 18.0,
            y + 10.0,
            escaped(name)
        );
        y += 20.0;
    }
    if groups.iter().flat_map(|group| &group.bars).any(|bar| bar.published.is_some()) {
        let _ = writeln!(
            svg,
            "<path d=\"M{:.1} {y:.1}l5 5l-5 5l-5 -5z\" fill=\"white\" stroke=\"#222\"/><text x=\"{:.1}\" y=\"{:.1}\">published</text>",
            x + 6.0,
            x + 18.0,
            y + 9.0
        );
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(name: &str, value: f64) -> Bar {
        Bar { name: name.into(), value, interval: Some((value - 10.0, value + 10.0)), published: None }
    }

    #[test]
    fn a_name_has_one_colour_and_odd_texts_do_no_harm() {
        let group = |name: &str| Group { name: name.into(), bars: vec![bar("a < b & c", 40.0), bar("other", 60.0)] };
        let figure = bars("x > y", "points", 100.0, &[group("one"), group("two")]);
        assert!(figure.contains("a &lt; b &amp; c") && !figure.contains("a < b"));
        assert_eq!(figure.matches(COLOURS[0]).count(), 3, "two bars and the key");
        assert_eq!(figure.matches("published").count(), 0);
        assert_eq!(figure, bars("x > y", "points", 100.0, &[group("one"), group("two")]));
    }

    #[test]
    fn what_is_no_number_is_left_out_and_the_rest_stays_inside() {
        let published = Bar { published: Some(79.0), ..bar("high", 130.0) };
        let figure = bars("t", "a", 100.0, &[Group { name: "g".into(), bars: vec![bar("none", f64::NAN), published] }]);
        assert!(!figure.contains("NaN"));
        assert!(figure.contains(&format!("y=\"{TOP:.1}\" width")), "cut off at the top");
        assert!(figure.contains("published: 79"));
        assert!(bars("nothing", "", 1.0, &[]).ends_with("</svg>\n"));
    }
}
