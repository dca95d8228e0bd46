//! What each crate may see of the outside: files, network, clock, threads, environment, terminal. And where `unsafe` may be.

use super::Finding;
use super::source::{rust, without_tests};
use crate::tree::{File, Tree};
use Outside::{Clock, Environment, Files, Input, Network, Output, Threads};

/// A part of the outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outside {
    Files,
    Network,
    Clock,
    Threads,
    Environment,
    Input,
    Output,
}

/// The names below `std` that lead there.
const WORDS: [(&str, Outside); 9] = [
    ("fs", Files),
    ("net", Network),
    ("Instant", Clock),
    ("SystemTime", Clock),
    ("thread", Threads),
    ("env", Environment),
    ("stdin", Input),
    ("stdout", Output),
    ("stderr", Output),
];

/// What each crate may use. Whatever is not named here is let do everything: `lab` and `ludens` are the outside.
const MAY_USE: &[(&str, &[Outside])] = &[
    ("game", &[]),
    ("gdl", &[]),
    ("machine", &[]),
    ("native", &[]),
    ("study", &[]),
    // Searches with several threads start them themselves; how many is said by the caller.
    ("search", &[Threads]),
    ("abstraction", &[]),
    ("plan", &[]),
    ("chess", &[]),
    ("chinese", &[]),
    ("play", &[]),
    // Tables are files, and are built on all processors.
    ("table", &[Files, Threads]),
    // A game may be a path, or come from standard input.
    ("library", &[Files, Input]),
    ("platform", &[Files, Environment]),
    ("terminal", &[Clock, Environment, Output]),
    // A player thinks by the clock. Files it sees through `table` and `platform` only.
    ("agent", &[Clock, Threads]),
    // Messages come and go by the clock, and secrets come from the environment. The network itself is its client's business.
    ("fleet", &[Clock, Threads, Environment]),
    // Results are kept in a journal that knows the program they come from; whatever else is written goes through `platform`.
    ("host", &[Network, Clock, Threads, Files, Environment]),
    // The conversation has a thread that reads and one that thinks, and moves have a time. Where lines come from and go to is said
    // by the caller.
    ("uci", &[Clock, Threads]),
    // Long work has a thread of its own, so that Python hears Ctrl-C; files it sees through `library`, `table` and `platform`.
    ("python", &[Clock, Threads]),
    // A page is served to the browser, and matches go on meanwhile. Files go through `platform`.
    ("studio", &[Network, Clock, Threads]),
];

/// No crate sees more of the outside than it may. Tests are free.
pub fn access(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (room, allowed) in MAY_USE {
        let inside = format!("crates/{room}/src/");
        for file in rust(tree).filter(|file| file.path.starts_with(&inside)) {
            for (number, word, outside) in outside_words(file) {
                if !allowed.contains(&outside) {
                    let message = format!(
                        "`{word}` of std is not for the crate `{room}`; let the caller do that and pass in what is needed"
                    );
                    findings.push(Finding::new(&file.path, number, message));
                }
            }
        }
    }
    findings
}

/// The uses of [`WORDS`] after `std::`, be it in a path or in a (grouped) import, without comments and tests.
fn outside_words(file: &File) -> Vec<(usize, &str, Outside)> {
    let mut words = Vec::new();
    // Inside a `use` that began at an earlier line and goes on.
    let mut importing = false;
    for (number, line) in without_tests(file) {
        let code = code_of(line);
        let start = if importing { Some(0) } else { code.find("std::") };
        if let Some(start) = start {
            let code = &code[start..];
            let import =
                importing || line.trim_start().starts_with("use ") || line.trim_start().starts_with("pub use ");
            let end = if import { code.find(';') } else { None };
            let parts = code[..end.unwrap_or(code.len())].split(|c: char| !c.is_alphanumeric() && c != '_');
            for part in parts {
                words.extend(WORDS.iter().find(|(word, _)| *word == part).map(|&(_, outside)| (number, part, outside)));
            }
            importing = import && end.is_none();
        }
    }
    words
}

/// A line without its comment.
fn code_of(line: &str) -> &str {
    line.split("//").next().unwrap_or("")
}

/// Macros that print.
const PRINTING: [&str; 4] = ["print!", "println!", "eprint!", "eprintln!"];
/// The crates that talk to people.
const TALKING: [&str; 3] = ["ludens", "lab", "terminal"];

/// Nothing is printed but by the crates that talk to people: the others give back what there is to say.
pub fn printing(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in rust(tree) {
        let Some((room, "src")) = file.path.strip_prefix("crates/").and_then(|rest| {
            let (room, rest) = rest.split_once('/')?;
            Some((room, rest.split_once('/')?.0))
        }) else {
            continue;
        };
        if TALKING.contains(&room) {
            continue;
        }
        for (number, line) in without_tests(file) {
            let is_macro = |word: &&&str| {
                let code = code_of(line);
                code.match_indices(**word)
                    .any(|(at, _)| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
            };
            if let Some(word) = PRINTING.iter().find(is_macro) {
                let message = format!("`{word}` is not for the crate `{room}`; give back what there is to say");
                findings.push(Finding::new(&file.path, number, message));
            }
        }
    }
    findings
}

/// The line that keeps a crate safe.
const FORBIDDEN: &str = "#![forbid(unsafe_code)]";
/// Crates that cannot do without, each with the reason.
const UNSAFE: &[(&str, &str)] = &[
    ("crates/machine", "instructions that not every processor has"),
    ("crates/table", "instructions that not every processor has"),
    ("crates/lab", "instructions that not every processor has"),
    ("crates/python", "arrays of Python over memory of ours"),
];

/// Every crate forbids what it does not need.
pub fn safety(tree: &Tree) -> Vec<Finding> {
    safety_except(tree, UNSAFE)
}

fn safety_except(tree: &Tree, exceptions: &[(&str, &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in rust(tree) {
        let Some(folder) = ["/src/lib.rs", "/src/main.rs"].iter().find_map(|root| file.path.strip_suffix(root)) else {
            continue;
        };
        let excepted = exceptions.iter().any(|(path, _)| *path == folder);
        let forbids = file.lines().any(|(_, line)| line == FORBIDDEN);
        match (excepted, forbids) {
            (false, false) => {
                findings.push(Finding::new(&file.path, 0, format!("`{FORBIDDEN}` is missing; add it below the `//!`")));
            }
            (true, _) if !is_unsafe(tree, folder) => {
                let message = format!("nothing in {folder} is unsafe; forbid it, and remove the exception in walls.rs");
                findings.push(Finding::new(&file.path, 0, message));
            }
            (true, _) | (false, true) => {}
        }
    }
    findings
}

fn is_unsafe(tree: &Tree, folder: &str) -> bool {
    let inside = format!("{folder}/src/");
    let mut lines = rust(tree).filter(|file| file.path.starts_with(&inside)).flat_map(File::lines);
    lines.any(|(_, line)| ["unsafe {", "unsafe fn", "unsafe impl"].iter().any(|word| code_of(line).contains(word)))
}

#[cfg(test)]
mod tests {
    use super::super::assert_found;
    use super::*;

    #[test]
    fn inner_rooms_stay_inside() {
        let found = |line: &str, count| {
            let text = format!("//! A.\n{line}\n");
            assert_found(access, &[("crates/gdl/src/a.rs", &text)], count, "crates/gdl/src/a.rs:2: ");
            assert_found(access, &[("crates/ludens/src/a.rs", &text), ("crates/gdl/tests/a.rs", &text)], 0, "");
        };
        found("use std::fs;", 1);
        found("use std::{collections::HashMap, fs::File};", 1);
        found("    let t = std::time::Instant::now();", 1);
        found("use std::time::{Duration, SystemTime};", 1);
        found("use std::{net::TcpStream,\n    time::Instant,\n};", 2);
        found("    if std::env::var(\"X\").is_ok() {", 1);
        found("use std::io::{Write, stderr};", 1);
        found("use std::thread;", 1);
        found("use std::fmt; // as in std::fs", 0);
        found("use std::time::Duration;\nlet fs = 1;", 0);
        found("#[cfg(test)]\nmod tests {\n    use std::fs;\n    use std::net;\n}", 0);
        found("#[cfg(test)]\nmod tests;", 0);
    }

    #[test]
    fn outer_rooms_see_what_they_need() {
        let found = |room: &str, line: &str, count| {
            let (path, text) = (format!("crates/{room}/src/a.rs"), format!("//! A.\n{line}\n"));
            assert_found(access, &[(&path, &text)], count, &format!("{path}:2: "));
        };
        for room in ["agent", "host"] {
            found(room, "use std::time::Instant;", 0);
            found(room, "use std::thread;", 0);
            found(room, "use std::io::stderr;", 1);
        }
        found("agent", "use std::net::TcpStream;", 1);
        found("agent", "use std::fs;", 1);
        found("host", "use std::net::TcpStream;", 0);
        found("table", "use std::fs;", 0);
        found("table", "use std::time::Instant;", 1);
        found("platform", "use std::net::TcpStream;", 1);
        found("library", "use std::io::stdin;", 0);
        found("library", "use std::io::stderr;", 1);
        found("lab", "use std::net::TcpStream;", 0);
    }

    #[test]
    fn what_follows_tests_is_checked() {
        let text = "//! A.\n#[cfg(test)]\nmod tests {\n}\nuse std::fs;\n";
        assert_found(access, &[("crates/game/src/a.rs", text)], 1, "crates/game/src/a.rs:5: ");
    }

    #[test]
    fn who_does_not_talk_does_not_print() {
        for word in PRINTING {
            let text = format!("//! A.\nfn a() {{\n    {word}(\"b\");\n}}\n");
            assert_found(printing, &[("crates/host/src/http/a.rs", &text)], 1, "crates/host/src/http/a.rs:3: ");
            let free = ["crates/ludens/src/a.rs", "crates/lab/src/a.rs", "crates/host/tests/a.rs", "xtask/src/a.rs"];
            for path in free.iter().chain(&["crates/ludens/build.rs", "crates/library/build.rs"]) {
                assert_found(printing, &[(path, &text)], 0, "");
            }
        }
        let fine = "//! A println!(…) in words.\n#[cfg(test)]\nmod tests {\n    println!();\n}\nmy_print!();\n";
        assert_found(printing, &[("crates/game/src/a.rs", fine)], 0, "");
    }

    #[test]
    fn unsafe_code_is_forbidden_where_there_is_none() {
        let safe = format!("//! A.\n\n{FORBIDDEN}\n");
        let plain = "//! A.\n";
        assert_found(safety, &[("crates/game/src/lib.rs", &safe), ("xtask/src/main.rs", &safe)], 0, "");
        assert_found(safety, &[("crates/game/src/lib.rs", plain)], 1, "crates/game/src/lib.rs: ");
        assert_found(safety, &[("crates/game/src/other.rs", plain), ("crates/game/tests/main.rs", plain)], 0, "");
        let needs = ("crates/table/src/count.rs", "//! A.\nlet bits = unsafe { count(word) };\n");
        assert_found(safety, &[("crates/table/src/lib.rs", plain), needs], 0, "");
        assert_found(safety, &[("crates/table/src/lib.rs", plain)], 1, "crates/table/src/lib.rs: nothing in");
    }
}
