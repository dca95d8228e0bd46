//! Checks on Rust files: how they open, how long they are, what they must not contain.

use super::Finding;
use crate::tree::{File, Tree};

fn rust(tree: &Tree) -> impl Iterator<Item = &File> {
    tree.files.iter().filter(|file| file.is_rust())
}

/// Every file opens with what it is for.
pub fn opening(tree: &Tree) -> Vec<Finding> {
    let message = "the first line has to be `//!` and say what this file is for";
    let bare = rust(tree).filter(|file| file.lines().next().is_none_or(|(_, line)| !line.starts_with("//! ")));
    bare.map(|file| Finding::new(&file.path, 1, message)).collect()
}

/// A file longer than this wants to be split.
const LONG: usize = 800;
/// A file may not be longer than this.
const TOO_LONG: usize = 900;
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
            (..=LONG, true) => {
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

/// The crates that must not see files, the network or the clock.
const INNER: [&str; 7] = ["game", "gdl", "machine", "native", "study", "search", "play"];
/// What belongs to the outside, below `std`.
const OUTSIDE: [&str; 4] = ["fs", "net", "Instant", "SystemTime"];

/// No wall clock, file or network access in the inner rooms. Their tests are free.
pub fn inner_rooms(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for room in INNER {
        let inside = format!("crates/{room}/src/");
        for file in rust(tree).filter(|file| file.path.starts_with(&inside)) {
            for (number, word) in outside_words(file) {
                let message = format!(
                    "`{word}` of std is not for the crate `{room}`; let the caller do that and pass in what is needed"
                );
                findings.push(Finding::new(&file.path, number, message));
            }
        }
    }
    findings
}

/// The uses of [`OUTSIDE`] after `std::`, be it in a path or in a (grouped) import, without comments and tests.
fn outside_words(file: &File) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    // Inside a `use` that began at an earlier line and goes on.
    let mut importing = false;
    for (number, line) in without_tests(file) {
        let code = line.split("//").next().unwrap_or("");
        let start = if importing { Some(0) } else { code.find("std::") };
        if let Some(start) = start {
            let code = &code[start..];
            let import =
                importing || line.trim_start().starts_with("use ") || line.trim_start().starts_with("pub use ");
            let end = if import { code.find(';') } else { None };
            let parts = code[..end.unwrap_or(code.len())].split(|c: char| !c.is_alphanumeric() && c != '_');
            words.extend(parts.filter(|part| OUTSIDE.contains(part)).map(|part| (number, part)));
            importing = import && end.is_none();
        }
    }
    words
}

/// The lines of a file, except items that are compiled for tests only. (Formatted code ends them at the first column.)
fn without_tests(file: &File) -> Vec<(usize, &str)> {
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
        assert_found(length, &[("a.rs", &lines(800)), ("rules.kif", &lines(2000))], 0, "");
        assert_found(length, &[("a.rs", &lines(801))], 1, "a.rs: warning: 801 lines");
        assert_found(length, &[("a.rs", &lines(901))], 1, "a.rs: 901 lines");
        let of = |n| length_except(&Tree::of(&[("a.rs", &lines(n))]), &[("a.rs", "one search function")]);
        assert_eq!(of(1000), []);
        assert!(of(700)[0].message.contains("no exception needed"));
        assert!(length_except(&Tree::of(&[]), &[("a.rs", "gone")])[0].message.contains("gone"));
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

    #[test]
    fn inner_rooms_stay_inside() {
        let found = |line: &str, count| {
            let text = format!("//! A.\n{line}\n");
            assert_found(inner_rooms, &[("crates/gdl/src/a.rs", &text)], count, "crates/gdl/src/a.rs:2: ");
            assert_found(inner_rooms, &[("crates/ludens/src/a.rs", &text), ("crates/gdl/tests/a.rs", &text)], 0, "");
        };
        found("use std::fs;", 1);
        found("use std::{collections::HashMap, fs::File};", 1);
        found("    let t = std::time::Instant::now();", 1);
        found("use std::time::{Duration, SystemTime};", 1);
        found("use std::{net::TcpStream,\n    time::Instant,\n};", 2);
        found("use std::fmt; // as in std::fs", 0);
        found("use std::time::Duration;\nlet fs = 1;", 0);
        found("#[cfg(test)]\nmod tests {\n    use std::fs;\n    use std::net;\n}", 0);
        found("#[cfg(test)]\nmod tests;", 0);
    }

    #[test]
    fn what_follows_tests_is_checked() {
        let text = "//! A.\n#[cfg(test)]\nmod tests {\n}\nuse std::fs;\n";
        assert_found(inner_rooms, &[("crates/game/src/a.rs", text)], 1, "crates/game/src/a.rs:5: ");
    }
}
