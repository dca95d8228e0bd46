//! A tree that tells stages: attributes are split by thresholds, chosen by gain ratio, and no leaf has fewer examples than
//! asked for (pruning forward, as in the paper; C4.5 and Orange grow such trees).

use super::gain::gain;
use std::fmt::Write as _;

/// How a tree is grown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Growth {
    /// The fewest examples in a leaf.
    pub least: u64,
    /// C4.5's care: the ratio decides only between attributes that gain at least as much as those that can be split do on average.
    pub average: bool,
    /// Leaves of one class that hang together are made one.
    pub merge: bool,
}

impl Default for Growth {
    fn default() -> Growth {
        Growth { least: 1000, average: false, merge: true }
    }
}

/// A tree.
#[derive(Clone, PartialEq, Debug)]
pub enum Tree {
    /// A class.
    Leaf {
        /// The most frequent class.
        class: u8,
        /// How many examples of each class came here.
        counts: Vec<u64>,
    },
    /// A question.
    Split {
        /// The attribute that is looked at.
        attribute: usize,
        /// Up to this value it goes on at `low`, above at `high`.
        most: u8,
        /// What follows for low values.
        low: Box<Tree>,
        /// What follows for high values.
        high: Box<Tree>,
        /// How many examples of each class came here.
        counts: Vec<u64>,
    },
}

impl Tree {
    /// Grows a tree from columns of values and the class of each example.
    pub fn grow(columns: &[Vec<u8>], classes: &[u8], growth: Growth) -> Tree {
        let kinds = classes.iter().max().map_or(1, |class| usize::from(*class) + 1);
        let tree = grow(columns, classes, (0..classes.len() as u32).collect(), kinds, growth);
        if growth.merge { tree.merged() } else { tree }
    }

    /// The class of an example; `value` gives its attributes.
    pub fn class(&self, value: impl Fn(usize) -> u8) -> u8 {
        let mut tree = self;
        loop {
            match tree {
                Tree::Leaf { class, .. } => return *class,
                Tree::Split { attribute, most, low, high, .. } => {
                    tree = if value(*attribute) <= *most { low } else { high };
                }
            }
        }
    }

    /// How many examples of each class came here.
    pub fn counts(&self) -> &[u64] {
        match self {
            Tree::Leaf { counts, .. } | Tree::Split { counts, .. } => counts,
        }
    }

    /// The leaves.
    pub fn leaves(&self) -> usize {
        match self {
            Tree::Leaf { .. } => 1,
            Tree::Split { low, high, .. } => low.leaves() + high.leaves(),
        }
    }

    /// The attributes that are looked at, in order.
    pub fn attributes(&self) -> Vec<usize> {
        let mut list = match self {
            Tree::Leaf { .. } => Vec::new(),
            Tree::Split { attribute, low, high, .. } => {
                [vec![*attribute], low.attributes(), high.attributes()].concat()
            }
        };
        list.sort_unstable();
        list.dedup();
        list
    }

    /// The share of the examples it was grown from that it tells right.
    pub fn accuracy(&self) -> f64 {
        self.right() as f64 / self.counts().iter().sum::<u64>().max(1) as f64
    }

    fn right(&self) -> u64 {
        match self {
            Tree::Leaf { class, counts } => counts.get(usize::from(*class)).copied().unwrap_or(0),
            Tree::Split { low, high, .. } => low.right() + high.right(),
        }
    }

    /// As lines of text, with the names of attributes and classes.
    pub fn text(&self, attributes: &[&str], classes: &[&str]) -> String {
        let mut text = String::new();
        self.write(attributes, classes, 0, &mut text);
        text
    }

    fn write(&self, attributes: &[&str], classes: &[&str], depth: usize, text: &mut String) {
        match self {
            Tree::Leaf { class, .. } => {
                let _ = writeln!(text, " {} ({})", classes[usize::from(*class)], self.shares(classes));
            }
            Tree::Split { attribute, most, low, high, .. } => {
                if depth > 0 {
                    text.push('\n');
                }
                for (sign, part) in [("<=", low), (">", high)] {
                    let _ = write!(text, "{}{} {sign} {most}:", "|   ".repeat(depth), attributes[*attribute]);
                    part.write(attributes, classes, depth + 1, text);
                }
            }
        }
    }

    /// The classes that came here, in words.
    pub fn shares(&self, classes: &[&str]) -> String {
        let all = self.counts().iter().sum::<u64>().max(1) as f64;
        let share = |(name, count): (&&str, &u64)| format!("{name} {:.0}%", 100.0 * *count as f64 / all);
        let list: Vec<String> = classes.iter().zip(self.counts()).map(share).collect();
        format!("{} of {}", list.join(", "), self.counts().iter().sum::<u64>())
    }

    fn merged(self) -> Tree {
        let Tree::Split { attribute, most, low, high, counts } = self else { return self };
        match (low.merged(), high.merged()) {
            (Tree::Leaf { class, .. }, Tree::Leaf { class: other, .. }) if class == other => {
                Tree::Leaf { class, counts }
            }
            (low, high) => Tree::Split { attribute, most, low: Box::new(low), high: Box::new(high), counts },
        }
    }
}

/// A split of the examples: how good it is, and where.
struct Split {
    ratio: f64,
    gain: f64,
    attribute: usize,
    most: u8,
}

fn grow(columns: &[Vec<u8>], classes: &[u8], examples: Vec<u32>, kinds: usize, growth: Growth) -> Tree {
    let mut counts = vec![0; kinds];
    for &at in &examples {
        counts[usize::from(classes[at as usize])] += 1;
    }
    let found = if counts.iter().filter(|count| **count > 0).count() > 1 {
        let splits: Vec<Split> = (0..columns.len())
            .filter_map(|at| best_split(at, &columns[at], classes, &examples, kinds, growth))
            .collect();
        let average = splits.iter().map(|split| split.gain).sum::<f64>() / splits.len().max(1) as f64;
        let enough = |split: &Split| !growth.average || split.gain >= average - 1e-12;
        // The first of equally good ones.
        splits.into_iter().filter(enough).reduce(|best, next| if next.ratio > best.ratio { next } else { best })
    } else {
        None
    };
    let Some(Split { attribute, most, .. }) = found else {
        let best = (0..kinds).rev().max_by_key(|&class| counts[class]).unwrap_or(0);
        return Tree::Leaf { class: best as u8, counts };
    };
    let (low, high): (Vec<u32>, Vec<u32>) = examples.iter().partition(|at| columns[attribute][**at as usize] <= most);
    drop(examples);
    let mut part = |list| Box::new(grow(columns, classes, list, kinds, growth));
    Tree::Split { attribute, most, low: part(low), high: part(high), counts }
}

/// The best threshold of an attribute; none if it leaves too few on one side, or gains nothing.
fn best_split(
    attribute: usize,
    column: &[u8],
    classes: &[u8],
    examples: &[u32],
    kinds: usize,
    growth: Growth,
) -> Option<Split> {
    let mut tables = vec![[0u64; 256]; kinds];
    for &at in examples {
        tables[usize::from(classes[at as usize])][usize::from(column[at as usize])] += 1;
    }
    let all: Vec<u64> = tables.iter().map(|table| table.iter().sum()).collect();
    let mut low = vec![0; kinds];
    let mut best: Option<Split> = None;
    for most in 0..u8::MAX {
        let here: u64 = tables.iter().map(|table| table[usize::from(most)]).sum();
        if here == 0 {
            continue;
        }
        for (low, table) in low.iter_mut().zip(&tables) {
            *low += table[usize::from(most)];
        }
        let (below, total) = (low.iter().sum::<u64>(), all.iter().sum::<u64>());
        if below < growth.least.max(1) || total - below < growth.least.max(1) {
            continue;
        }
        let sides: Vec<[u64; 2]> = low.iter().zip(&all).map(|(low, all)| [*low, all - low]).collect();
        let (gained, split) = gain(&sides.iter().collect::<Vec<_>>());
        let next = Split { ratio: gained / split, gain: gained, attribute, most };
        let better = |old: &Split| if growth.average { next.gain > old.gain } else { next.ratio > old.ratio };
        if gained > 1e-9 && best.as_ref().is_none_or(better) {
            best = Some(next);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::tests::krk;
    use crate::paper::{Subject, stage};

    #[test]
    fn a_tree_asks_what_matters_and_keeps_its_leaves_large() {
        // The class is whether the first attribute is above 3; the second says nothing.
        let first: Vec<u8> = (0..80).map(|at| at % 8).collect();
        let second: Vec<u8> = (0..80).map(|at| at / 8 % 2).collect();
        let classes: Vec<u8> = first.iter().map(|value| u8::from(*value > 3)).collect();
        let columns = [second, first];
        let tree = Tree::grow(&columns, &classes, Growth { least: 20, ..Growth::default() });
        assert_eq!((tree.leaves(), tree.attributes(), tree.accuracy()), (2, vec![1], 1.0));
        assert_eq!(tree.class(|_| 3), 0);
        assert_eq!(tree.class(|_| 4), 1);
        let text = tree.text(&["b", "a"], &["low", "high"]);
        assert_eq!(text, "a <= 3: low (low 100%, high 0% of 40)\na > 3: high (low 0%, high 100% of 40)\n");
        let none = Tree::grow(&columns, &classes, Growth { least: 41, ..Growth::default() });
        assert_eq!(none.leaves(), 1);
    }

    #[test]
    fn krk_is_told_by_the_three_attributes_of_the_paper() {
        let (.., examples) = krk();
        let classes: Vec<u8> = examples.levels.iter().map(|level| stage(Subject::Krk.stages(), *level)).collect();
        let tree = Tree::grow(&examples.columns, &classes, Growth::default());
        let names: Vec<&str> = Subject::Krk.attributes().iter().map(|attribute| attribute.name).collect();
        let used: Vec<&str> = tree.attributes().into_iter().map(|at| names[at]).collect();
        assert_eq!(used, ["edist", "kdist", "grook"], "{}", tree.text(&names, &["CLOSE", "MEDIUM", "FAR"]));
    }
}
