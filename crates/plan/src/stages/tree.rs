//! A tree that tells stages: attributes are split by thresholds, chosen by gain ratio, and no leaf has fewer examples than
//! asked for (pruning forward, as in the paper; C4.5 and Orange grow such trees).

use super::gain::gain;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// How the values of an attribute are divided between branches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Branching {
    /// Two branches: up to a value, and above it.
    Threshold,
    /// A branch for every value.
    Values,
}

/// How a tree is grown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Growth {
    /// How values are divided.
    pub branching: Branching,
    /// The fewest examples in a leaf.
    pub least: u64,
    /// C4.5's care: the ratio decides only between attributes that gain at least as much as those that can be split do on average.
    pub average: bool,
    /// Leaves of one class that hang together are made one.
    pub merge: bool,
}

impl Default for Growth {
    fn default() -> Growth {
        Growth { branching: Branching::Threshold, least: 1000, average: false, merge: true }
    }
}

/// A tree.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
        /// What follows: values up to the first number go on at the first tree, other ones up to the second at the second, and so on; the
        /// last number is 255.
        branches: Vec<(u8, Tree)>,
        /// How many examples of each class came here.
        counts: Vec<u64>,
    },
}

impl Tree {
    /// Grows a tree from columns of values and the class of each example; only the attributes of `among` are looked at.
    pub fn grow(columns: &[Vec<u8>], classes: &[u8], among: &[usize], growth: Growth) -> Tree {
        let kinds = classes.iter().max().map_or(1, |class| usize::from(*class) + 1);
        let ground = Ground { columns, classes, among, kinds, growth };
        let tree = ground.grow((0..classes.len() as u32).collect());
        if growth.merge { tree.merged() } else { tree }
    }

    /// The same tree with the counts of these examples.
    pub fn counted(self, columns: &[Vec<u8>], classes: &[u8]) -> Tree {
        self.recounted(columns, classes, (0..classes.len() as u32).collect())
    }

    fn recounted(self, columns: &[Vec<u8>], classes: &[u8], examples: Vec<u32>) -> Tree {
        let mut counts = vec![0; self.counts().len()];
        for &at in &examples {
            counts[usize::from(classes[at as usize])] += 1;
        }
        match self {
            Tree::Leaf { class, .. } => Tree::Leaf { class, counts },
            Tree::Split { attribute, branches, .. } => {
                let mosts: Vec<u8> = branches.iter().map(|(most, _)| *most).collect();
                let parts = divided(&columns[attribute], &mosts, examples);
                let part = |((most, tree), part): ((u8, Tree), _)| (most, tree.recounted(columns, classes, part));
                Tree::Split { attribute, branches: branches.into_iter().zip(parts).map(part).collect(), counts }
            }
        }
    }

    /// The class of an example; `value` gives its attributes.
    pub fn class(&self, value: impl Fn(usize) -> u8) -> u8 {
        let mut tree = self;
        loop {
            match tree {
                Tree::Leaf { class, .. } => return *class,
                Tree::Split { attribute, branches, .. } => {
                    let value = value(*attribute);
                    let branch = branches.iter().find(|(most, _)| value <= *most).or(branches.last());
                    tree = &branch.expect("a split has branches").1;
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
            Tree::Split { branches, .. } => branches.iter().map(|(_, tree)| tree.leaves()).sum(),
        }
    }

    /// The attributes that are looked at, in order.
    pub fn attributes(&self) -> Vec<usize> {
        let mut list: Vec<usize> = match self {
            Tree::Leaf { .. } => Vec::new(),
            Tree::Split { attribute, branches, .. } => {
                let below = branches.iter().flat_map(|(_, tree)| tree.attributes());
                std::iter::once(*attribute).chain(below).collect()
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
            Tree::Split { branches, .. } => branches.iter().map(|(_, tree)| tree.right()).sum(),
        }
    }

    /// Whether it asks for attributes that there are, answers with classes that there are, and has an answer for every value.
    pub fn fits(&self, attributes: usize, classes: usize) -> bool {
        self.counts().len() <= classes
            && match self {
                Tree::Leaf { class, .. } => usize::from(*class) < classes,
                Tree::Split { attribute, branches, .. } => {
                    let rising = branches.windows(2).all(|pair| pair[0].0 < pair[1].0);
                    let whole = branches.len() > 1 && branches.last().is_some_and(|last| last.0 == u8::MAX);
                    let below = branches.iter().all(|(_, tree)| tree.fits(attributes, classes));
                    *attribute < attributes && rising && whole && below
                }
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
            Tree::Split { attribute, branches, .. } => {
                if depth > 0 {
                    text.push('\n');
                }
                for (at, (_, part)) in branches.iter().enumerate() {
                    let _ = write!(text, "{}{} {}:", "|   ".repeat(depth), attributes[*attribute], range(branches, at));
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
        let Tree::Split { attribute, branches, counts } = self else { return self };
        let branches: Vec<(u8, Tree)> = branches.into_iter().map(|(most, tree)| (most, tree.merged())).collect();
        let class = |tree: &Tree| match tree {
            Tree::Leaf { class, .. } => Some(*class),
            Tree::Split { .. } => None,
        };
        match class(&branches[0].1) {
            Some(one) if branches.iter().all(|(_, tree)| class(tree) == Some(one)) => Tree::Leaf { class: one, counts },
            _ => Tree::Split { attribute, branches, counts },
        }
    }
}

/// Which values a branch is for, in signs.
pub fn range(branches: &[(u8, Tree)], at: usize) -> String {
    let most = branches[at].0;
    let least = if at == 0 { 0 } else { branches[at - 1].0 + 1 };
    match (at == 0, at + 1 == branches.len()) {
        (true, _) => format!("<= {most}"),
        (_, true) => format!("> {}", least - 1),
        _ if least == most => format!("= {most}"),
        _ => format!("= {least}..{most}"),
    }
}

/// A split of the examples: how good it is, and where.
struct Split {
    ratio: f64,
    gain: f64,
    attribute: usize,
    /// The greatest value of each branch.
    mosts: Vec<u8>,
}

/// Examples divided between branches by their values.
fn divided(column: &[u8], mosts: &[u8], examples: Vec<u32>) -> Vec<Vec<u32>> {
    let mut parts: Vec<Vec<u32>> = vec![Vec::new(); mosts.len()];
    for at in examples {
        let value = column[at as usize];
        parts[mosts.partition_point(|most| *most < value)].push(at);
    }
    parts
}

/// What a tree grows on.
struct Ground<'a> {
    columns: &'a [Vec<u8>],
    classes: &'a [u8],
    among: &'a [usize],
    kinds: usize,
    growth: Growth,
}

impl Ground<'_> {
    fn grow(&self, examples: Vec<u32>) -> Tree {
        let mut counts = vec![0; self.kinds];
        for &at in &examples {
            counts[usize::from(self.classes[at as usize])] += 1;
        }
        let found = if counts.iter().filter(|count| **count > 0).count() > 1 { self.split(&examples) } else { None };
        let Some(Split { attribute, mosts, .. }) = found else {
            let best = (0..self.kinds).rev().max_by_key(|&class| counts[class]).unwrap_or(0);
            return Tree::Leaf { class: best as u8, counts };
        };
        let parts = divided(&self.columns[attribute], &mosts, examples);
        let grown = parts.into_iter().map(|part| self.grow(part));
        Tree::Split { attribute, branches: mosts.iter().copied().zip(grown).collect(), counts }
    }

    /// The best split of these examples; the first of equally good ones.
    fn split(&self, examples: &[u32]) -> Option<Split> {
        let splits: Vec<Split> = self.among.iter().filter_map(|&at| self.best(at, examples)).collect();
        let average = splits.iter().map(|split| split.gain).sum::<f64>() / splits.len().max(1) as f64;
        let enough = |split: &Split| !self.growth.average || split.gain >= average - 1e-12;
        splits.into_iter().filter(enough).reduce(|best, next| if next.ratio > best.ratio { next } else { best })
    }

    /// The best way to split an attribute; none if it leaves too few in a branch, or gains nothing.
    fn best(&self, attribute: usize, examples: &[u32]) -> Option<Split> {
        let (kinds, growth) = (self.kinds, self.growth);
        let column = &self.columns[attribute];
        let mut tables = vec![[0u64; 256]; kinds];
        for &at in examples {
            tables[usize::from(self.classes[at as usize])][usize::from(column[at as usize])] += 1;
        }
        let present: Vec<u8> =
            (0..=u8::MAX).filter(|value| tables.iter().any(|table| table[usize::from(*value)] > 0)).collect();
        let last = present.len().checked_sub(1).filter(|last| *last > 0)?;
        let ways: Vec<Vec<u8>> = match growth.branching {
            Branching::Threshold => present[..last].iter().map(|most| vec![*most, u8::MAX]).collect(),
            Branching::Values => vec![present[..last].iter().copied().chain([u8::MAX]).collect()],
        };
        let mut best: Option<Split> = None;
        for mosts in ways {
            // How often each class comes into each branch.
            let mut sums = vec![[0u64; 256]; kinds];
            for (sums, table) in sums.iter_mut().zip(&tables) {
                for value in &present {
                    sums[mosts.partition_point(|most| most < value)] += table[usize::from(*value)];
                }
            }
            let size = |branch: usize| sums.iter().map(|sums| sums[branch]).sum::<u64>();
            if (0..mosts.len()).any(|branch| size(branch) < growth.least.max(1)) {
                continue;
            }
            let (gained, split) = gain(&sums.iter().collect::<Vec<_>>());
            let next = Split { ratio: gained / split, gain: gained, attribute, mosts };
            let better = |old: &Split| if growth.average { next.gain > old.gain } else { next.ratio > old.ratio };
            if gained > 1e-9 && best.as_ref().is_none_or(better) {
                best = Some(next);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::Subject;
    use crate::paper::tests::krk;
    use crate::stages::classes;

    #[test]
    fn a_tree_asks_what_matters_and_keeps_its_leaves_large() {
        // The class is whether the first attribute is above 3; the second says nothing.
        let first: Vec<u8> = (0..80).map(|at| at % 8).collect();
        let second: Vec<u8> = (0..80).map(|at| at / 8 % 2).collect();
        let classes: Vec<u8> = first.iter().map(|value| u8::from(*value > 3)).collect();
        let columns = [second, first];
        let tree = Tree::grow(&columns, &classes, &[0, 1], Growth { least: 20, ..Growth::default() });
        assert_eq!((tree.leaves(), tree.attributes(), tree.accuracy()), (2, vec![1], 1.0));
        assert_eq!(tree.class(|_| 3), 0);
        assert_eq!(tree.class(|_| 4), 1);
        let text = tree.text(&["b", "a"], &["low", "high"]);
        assert_eq!(text, "a <= 3: low (low 100%, high 0% of 40)\na > 3: high (low 0%, high 100% of 40)\n");
        let none = Tree::grow(&columns, &classes, &[0, 1], Growth { least: 41, ..Growth::default() });
        assert_eq!(none.leaves(), 1);
    }

    #[test]
    fn a_branch_for_every_value() {
        let column: Vec<u8> = (0..60).map(|at| at % 3).collect();
        let classes: Vec<u8> = column.iter().map(|value| u8::from(*value == 1)).collect();
        let growth = Growth { branching: Branching::Values, least: 5, ..Growth::default() };
        let tree = Tree::grow(std::slice::from_ref(&column), &classes, &[0], growth);
        assert_eq!((tree.leaves(), tree.accuracy()), (3, 1.0));
        assert_eq!([0, 1, 2, 200].map(|value| tree.class(|_| value)), [0, 1, 0, 0]);
        assert!(tree.text(&["a"], &["x", "y"]).contains("a = 1: y"));
        assert_eq!(tree.clone().counted(&[column], &classes), tree);
    }

    #[test]
    fn krk_is_told_by_the_edge_and_the_kings_above_all() {
        let (.., examples) = krk();
        let classes = classes(&Subject::Krk.stages(), &examples.levels);
        let all: Vec<usize> = (0..12).collect();
        let tree = Tree::grow(&examples.columns, &classes, &all, Growth::default());
        assert!(tree.attributes().starts_with(&[0, 1]), "edist and kdist: {:?}", tree.attributes());
        assert!(tree.counts().iter().sum::<u64>() == 25_260 && tree.accuracy() > 0.7);
        // The three attributes that the published tree uses tell nearly as much.
        let three = Tree::grow(&examples.columns, &classes, &[0, 1, 2], Growth::default());
        assert!(three.accuracy() > 0.68, "{}", three.accuracy());
        assert_eq!(three.class(|at| [3, 5, 0][at]), 2, "in the middle it is FAR");
    }
}
