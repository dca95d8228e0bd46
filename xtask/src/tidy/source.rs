//! Checks on Rust files: how they open, how long they are, what they must not contain.

use super::Finding;
use crate::tree::{File, Tree};

/// The Rust files.
pub fn rust(tree: &Tree) -> impl Iterator<Item = &File> {
    tree.files.iter().filter(|file| file.is_rust())
}

/// Every file opens with what it is for.
pub fn opening(tree: &Tree) -> Vec<Finding> {
    let message = "the first line has to be `//!` and say what this file is for";
    let bare = rust(tree).filter(|file| file.lines().next().is_none_or(|(_, line)| !line.starts_with("//! ")));
    bare.map(|file| Finding::new(&file.path, 1, message)).collect()
}

/// A file longer than this wants to be split soon.
const LONG: usize = 700;
/// A file may not be longer than this.
const TOO_LONG: usize = 800;
/// Files that may be longer, each with the reason.
const MAY_BE_LONG: &[(&str, &str)] = &[];

/// Files stay short enough to be read.
pub fn length(tree: &Tree) -> Vec<Finding> {
    length_except(tree, MAY_BE_LONG)
}

fn length_except(tree: &Tree, exceptions: &[(&str, &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in rust(tree) {
        let lines = file.lines().count();
        let excepted = exceptions.iter().any(|(path, _)| *path == file.path);
        match (lines, excepted) {
            (..=TOO_LONG, true) => {
                let message =
                    format!("{lines} lines: no exception needed any more; remove it in xtask/src/tidy/source.rs");
                findings.push(Finding::new(&file.path, 0, message));
            }
            (..=LONG, false) | (_, true) => {}
            (..=TOO_LONG, false) => {
                findings.push(Finding::mild(&file.path, 0, format!("{lines} lines: soon too long; think of a split")));
            }
            _ => {
                let message = format!("{lines} lines, more than {TOO_LONG}; split it where a reader would");
                findings.push(Finding::new(&file.path, 0, message));
            }
        }
    }
    for (path, _) in exceptions.iter().filter(|(path, _)| tree.find(path).is_none()) {
        findings.push(Finding::new(
            path,
            0,
            "an exception for a file that is gone; remove it in xtask/src/tidy/source.rs",
        ));
    }
    findings
}

/// What is small on purpose, with the most lines that are neither empty nor comments: who is to believe a proof reads all of it.
const SMALL: &[(&str, usize)] = &[("crates/plan/src/check.rs", 500)];

/// What has to stay small does, and in one file.
pub fn small(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, most) in SMALL {
        let code = |line: &&(usize, &str)| !line.1.trim().is_empty() && !line.1.trim_start().starts_with("//");
        let lines = tree.find(path).map_or(0, |file| file.lines().collect::<Vec<_>>().iter().filter(code).count());
        if lines > *most {
            findings.push(Finding::new(path, 0, format!("{lines} lines of code, and it is to have {most} at most")));
        }
        let parts = path.replace(".rs", "/");
        for file in rust(tree).filter(|file| file.path.starts_with(&parts)) {
            findings.push(Finding::new(&file.path, 0, format!("a part of {path}, which is to be one small file")));
        }
    }
    findings
}

/// Signs of work that is not done.
const UNFINISHED: [&str; 6] = [
    concat!("to", "do!"),
    concat!("unimple", "mented!"),
    concat!("db", "g!"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("#[ig", "nore"),
];

/// Nothing is left half-done in the code.
pub fn unfinished(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in rust(tree) {
        for (number, line) in file.lines() {
            if let Some(sign) = UNFINISHED.iter().find(|sign| line.contains(**sign)) {
                let message =
                    format!("`{sign}` means that something is not done; do it, or open an issue and remove it");
                findings.push(Finding::new(&file.path, number, message));
            }
        }
    }
    findings
}

/// Names that say nothing about what is inside.
const VAGUE: [&str; 7] = ["util", "utils", "common", "helper", "helpers", "misc", "manager"];

/// No module has a name that says nothing.
pub fn vague_names(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in rust(tree) {
        let stem = file.path.trim_end_matches(".rs");
        if let Some(name) = stem.split('/').find(|part| VAGUE.contains(part)) {
            findings.push(Finding::new(&file.path, 0, format!("`{name}` says nothing; name it after what it does")));
        }
        for (number, line) in file.lines() {
            let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            let declared = words.windows(2).find(|pair| pair[0] == "mod" && VAGUE.contains(&pair[1]));
            // A declaration stands at the start of the line, after nothing but `pub` and the like.
            if let (Some(pair), true) = (declared, line.trim_start().starts_with(['m', 'p'])) {
                let message = format!("the module name `{}` says nothing; name it after what it does", pair[1]);
                findings.push(Finding::new(&file.path, number, message));
            }
        }
    }
    findings
}

/// The lines of a file, except items that are compiled for tests only. (Formatted code ends them at the first column.)
pub fn without_tests(file: &File) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    let mut testing = false;
    for (number, line) in file.lines() {
        testing |= line == "#[cfg(test)]";
        if !testing {
            lines.push((number, line));
        }
        let ends_here = line == "}" || (line.ends_with(';') && !line.starts_with(' '));
        testing &= !ends_here;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::assert_found;
    use super::*;

    #[test]
    fn openings() {
        assert_found(opening, &[("a.rs", "//! What it is for.\n"), ("b.md", "text\n")], 0, "");
        assert_found(opening, &[("a.rs", "use b;\n//! Late.\n")], 1, "a.rs:1: ");
        assert_found(opening, &[("a.rs", "")], 1, "a.rs:1: ");
    }

    #[test]
    fn lengths() {
        let lines = |n: usize| "x\n".repeat(n);
        let length = |tree: &Tree| length_except(tree, &[]);
        assert_found(length, &[("a.rs", &lines(700)), ("rules.kif", &lines(2000))], 0, "");
        assert_found(length, &[("a.rs", &lines(701))], 1, "a.rs: warning: 701 lines");
        assert_found(length, &[("a.rs", &lines(800))], 1, "a.rs: warning: 800 lines");
        assert_found(length, &[("a.rs", &lines(801))], 1, "a.rs: 801 lines");
        let of = |n| length_except(&Tree::of(&[("a.rs", &lines(n))]), &[("a.rs", "one search function")]);
        assert_eq!(of(1000), []);
        assert!(of(700)[0].message.contains("no exception needed"));
        assert!(length_except(&Tree::of(&[]), &[("a.rs", "gone")])[0].message.contains("gone"));
    }

    #[test]
    fn what_is_small_on_purpose() {
        let (path, most) = SMALL[0];
        let lines = |n: usize| format!("//! A proof.\n\n{}", "x\n    // why\n".repeat(n));
        assert_found(small, &[(path, &lines(most)), ("a.rs", &lines(2 * most))], 0, "");
        assert_found(small, &[(path, &lines(most + 1))], 1, &format!("{path}: {} lines of code", most + 1));
        assert_found(small, &[(&path.replace(".rs", "/more.rs"), "//! More.\n")], 1, "crates/plan/src/check/more.rs: ");
    }

    #[test]
    fn unfinished_work() {
        for sign in UNFINISHED {
            assert_found(unfinished, &[("a.rs", &format!("//! A.\nfn a() {{ {sign}() }}\n"))], 1, "a.rs:2: ");
            assert_found(unfinished, &[("a.md", sign)], 0, "");
        }
    }

    #[test]
    fn names_that_say_nothing() {
        assert_found(vague_names, &[("src/common/mod.rs", "//! A.\n")], 1, "src/common/mod.rs: `common`");
        assert_found(vague_names, &[("src/util.rs", "//! A.\n")], 1, "src/util.rs: `util`");
        assert_found(vague_names, &[("a.rs", "//! A.\n\npub(crate) mod helpers {\n")], 1, "a.rs:3: ");
        assert_found(vague_names, &[("a.rs", "//! No mod util, in common.\nmod utility;\nlet common = 1;\n")], 0, "");
    }
}
