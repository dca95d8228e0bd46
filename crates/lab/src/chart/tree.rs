//! Trees of questions.

use super::{COLOURS, LEFT, begin, escaped};
use std::fmt::Write as _;

/// A question with answers that lead on, or an end.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// What is asked, or what it is.
    pub label: String,
    /// A line below it, in smaller letters.
    pub detail: String,
    /// Which colour an end has; the same number has the same colour.
    pub class: usize,
    /// Answers, and what follows them.
    pub below: Vec<(String, Node)>,
}

const ACROSS: f64 = 112.0;
const DOWN: f64 = 74.0;
const BOX: f64 = 34.0;

/// A tree as a figure, the root at the top.
pub fn tree(title: &str, axis: &str, root: &Node) -> String {
    let (width, depth) = (leaves(root) as f64 * ACROSS, levels(root) as f64 * DOWN);
    let mut svg = begin((2.0 * LEFT + width).max(420.0), 64.0 + depth + 10.0, title, axis);
    draw(root, LEFT, 64.0, &mut svg);
    svg += "</svg>\n";
    svg
}

fn leaves(node: &Node) -> usize {
    if node.below.is_empty() { 1 } else { node.below.iter().map(|(_, node)| leaves(node)).sum() }
}

fn levels(node: &Node) -> usize {
    1 + node.below.iter().map(|(_, node)| levels(node)).max().unwrap_or(0)
}

/// Draws what begins at `left`; gives the middle of its top.
fn draw(node: &Node, left: f64, top: f64, svg: &mut String) -> f64 {
    let middle = left + leaves(node) as f64 * ACROSS / 2.0;
    let mut at = left;
    for (answer, below) in &node.below {
        let to = at + leaves(below) as f64 * ACROSS / 2.0;
        let (from, onto) = (top + BOX, top + DOWN);
        let _ = writeln!(
            svg,
            "<line x1=\"{middle:.1}\" y1=\"{from:.1}\" x2=\"{to:.1}\" y2=\"{onto:.1}\" stroke=\"#999\"/>"
        );
        let (x, y) = (to + (middle - to) * 0.3, onto + (from - onto) * 0.3);
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
            escaped(answer)
        );
        draw(below, at, onto, svg);
        at += leaves(below) as f64 * ACROSS;
    }
    let (fill, ink) =
        if node.below.is_empty() { (COLOURS[node.class % COLOURS.len()], "white") } else { ("#eee", "#222") };
    let _ = writeln!(
        svg,
        "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{BOX}\" rx=\"4\" fill=\"{fill}\"/>\
         <text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{ink}\">{}</text>\
         <text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{ink}\" font-size=\"9\">{}</text>",
        middle - ACROSS / 2.0 + 4.0,
        ACROSS - 8.0,
        top + 14.0,
        escaped(&node.label),
        top + 27.0,
        escaped(&node.detail)
    );
    middle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_is_drawn_once() {
        let end = |label: &str, class| Node { label: label.into(), detail: "9 of 10".into(), class, below: Vec::new() };
        let root = Node {
            label: "edist".into(),
            detail: String::new(),
            class: 0,
            below: vec![("<= 1".into(), end("CLOSE", 0)), ("> 1".into(), end("FAR", 1))],
        };
        let figure = tree("t", "a", &root);
        assert_eq!(figure.matches("rx=").count(), 3);
        assert_eq!(figure.matches("<line").count(), 2);
        assert!(figure.contains("&lt;= 1") && figure.contains(COLOURS[1]));
        assert_eq!((leaves(&root), levels(&root)), (2, 2));
    }
}
