//! Checks on the project's texts: what a compiler does not see and a reader would.
//!
//! Each check is a function from the files to what it found. Words that are forbidden are spelled in two parts in this
//! program, so that it passes its own checks.

mod crates;
mod layout;
mod source;
mod text;
mod walls;

use crate::tree::Tree;
use anyhow::Result;
use std::fmt;
use std::path::Path;

/// Something that was found, where, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The file or folder.
    pub path: String,
    /// The line, from 1; 0 where it is about the whole file.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
    /// Whether it only should be looked at; otherwise it has to be put right.
    pub mild: bool,
}

impl Finding {
    /// Something that has to be put right.
    fn new(path: &str, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: path.to_string(), line, message: message.into(), mild: false }
    }

    /// Something to look at.
    fn mild(path: &str, line: usize, message: impl Into<String>) -> Finding {
        Finding { mild: true, ..Finding::new(path, line, message) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { path, line, message, mild } = self;
        let kind = if *mild { "warning: " } else { "" };
        if *line == 0 { write!(f, "{path}: {kind}{message}") } else { write!(f, "{path}:{line}: {kind}{message}") }
    }
}

type Check = fn(&Tree) -> Vec<Finding>;

/// All checks.
const CHECKS: &[Check] = &[
    text::white_space,
    text::machine_paths,
    text::registries,
    text::links,
    source::opening,
    source::length,
    source::small,
    source::unfinished,
    source::vague_names,
    crates::dependencies,
    walls::access,
    walls::printing,
    walls::safety,
    layout::games,
    layout::changelog,
];

/// Everything that is found in these files, sorted by place.
fn findings(tree: &Tree) -> Vec<Finding> {
    let mut findings: Vec<Finding> = CHECKS.iter().flat_map(|check| check(tree)).collect();
    findings.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    findings
}

/// Runs all checks, prints what they find, and tells whether all is well.
pub fn run(root: &Path) -> Result<bool> {
    let tree = Tree::read(root)?;
    let findings = findings(&tree);
    findings.iter().for_each(|finding| println!("{finding}"));
    let mild = findings.iter().filter(|finding| finding.mild).count();
    let wrong = findings.len() - mild;
    println!("tidy: {} checks on {} files: {wrong} to put right, {mild} to look at", CHECKS.len(), tree.files.len());
    Ok(wrong == 0)
}

/// What a check finds, as text.
#[cfg(test)]
fn found(check: Check, files: &[(&str, &str)]) -> Vec<String> {
    check(&Tree::of(files)).iter().map(Finding::to_string).collect()
}

/// Holds if a check finds exactly this many things, the first of them at this place.
#[cfg(test)]
#[track_caller]
fn assert_found(check: Check, files: &[(&str, &str)], count: usize, place: &str) {
    let found = found(check, files);
    assert_eq!(found.len(), count, "{found:?}");
    assert!(found.first().is_none_or(|first| first.starts_with(place)), "{found:?}");
}
