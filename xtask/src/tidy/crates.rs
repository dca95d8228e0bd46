//! Which crate may depend on which: the walls between the rooms.

use super::Finding;
use crate::tree::Tree;
use toml::{Table, Value};

/// What a crate may depend on.
enum May {
    /// Only these.
    Only(&'static [&'static str]),
    /// Whatever it needs.
    Anything,
}

/// The rule for each crate. (What tests need, `dev-dependencies`, is free.)
const RULES: &[(&str, May)] = &[
    ("game", May::Only(&[])),
    ("gdl", May::Only(&["strsim"])),
    ("machine", May::Only(&["game", "gdl"])),
    ("native", May::Only(&["game"])),
    (
        "table",
        May::Only(&[
            "game",
            "native",
            "rayon",
            "memmap2",
            "lz4_flex",
            "lzma-rust2",
            "xxhash-rust",
            "serde",
            "serde_json",
        ]),
    ),
    ("study", May::Only(&["game", "gdl", "machine", "serde", "toml"])),
    ("search", May::Only(&["game"])),
    ("abstraction", May::Only(&["game", "native", "table", "study", "serde", "serde_json"])),
    ("plan", May::Only(&["game", "native", "table", "study", "rayon", "serde", "serde_json"])),
    ("chess", May::Only(&["game", "native", "table", "abstraction", "search", "serde", "serde_json"])),
    ("chinese", May::Only(&["game", "native", "table", "abstraction", "search"])),
    ("play", May::Only(&["game", "gdl", "serde", "serde_json"])),
    ("platform", May::Only(&["game", "anyhow", "ctrlc", "tempfile", "directories", "rustix"])),
    ("terminal", May::Only(&["anyhow", "indicatif", "terminal_size"])),
    ("library", May::Only(&["gdl", "anyhow", "strsim"])),
    (
        "agent",
        May::Only(&[
            "game",
            "gdl",
            "machine",
            "native",
            "table",
            "plan",
            "study",
            "search",
            "abstraction",
            "chess",
            "chinese",
            "play",
            "library",
            "platform",
            "anyhow",
            "serde",
            "serde_json",
        ]),
    ),
    (
        "fleet",
        May::Only(&[
            "game",
            "gdl",
            "machine",
            "search",
            "study",
            "play",
            "agent",
            "platform",
            "anyhow",
            "serde",
            "serde_json",
            "sha2",
            "async-nats",
            "tokio",
            "futures-util",
        ]),
    ),
    (
        "host",
        May::Only(&[
            "game",
            "gdl",
            "machine",
            "play",
            "agent",
            "fleet",
            "library",
            "platform",
            "terminal",
            "anyhow",
            "serde",
            "serde_json",
            "sha2",
        ]),
    ),
    ("uci", May::Only(&["game", "machine", "native", "table", "search", "chess", "agent", "anyhow"])),
    (
        "python",
        May::Only(&[
            "game",
            "gdl",
            "machine",
            "study",
            "table",
            "plan",
            "search",
            "play",
            "library",
            "platform",
            "agent",
            "host",
            "anyhow",
            "serde_json",
            "pyo3",
            "numpy",
        ]),
    ),
    (
        "studio",
        May::Only(&[
            "game",
            "gdl",
            "machine",
            "table",
            "plan",
            "study",
            "search",
            "play",
            "agent",
            "host",
            "library",
            "platform",
            "anyhow",
            "serde",
            "serde_json",
            "sha2",
            "axum",
            "flate2",
            "tokio",
            "futures-util",
        ]),
    ),
    ("lab", May::Anything),
    ("ludens", May::Anything),
];

/// Every crate keeps to its rule, and every crate has one.
pub fn dependencies(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in tree.folders("crates") {
        let path = format!("crates/{name}/Cargo.toml");
        let Some(text) = tree.find(&path).and_then(|file| file.text.as_deref()) else {
            findings.push(Finding::new(
                &format!("crates/{name}"),
                0,
                "a folder without Cargo.toml; crates/ is for crates",
            ));
            continue;
        };
        let Some((_, may)) = RULES.iter().find(|(known, _)| *known == name) else {
            let message = "a new crate: say what it may depend on, in xtask/src/tidy/crates.rs";
            findings.push(Finding::new(&path, 0, message));
            continue;
        };
        match (may, text.parse::<Table>()) {
            (_, Err(error)) => findings.push(Finding::new(&path, 0, format!("cannot be read: {}", error.message()))),
            (May::Anything, Ok(_)) => {}
            (May::Only(allowed), Ok(manifest)) => {
                for dependency in named(&manifest).into_iter().filter(|found| !allowed.contains(&found.as_str())) {
                    let message = format!(
                        "`{name}` may not depend on `{dependency}`; what it may is in xtask/src/tidy/crates.rs"
                    );
                    findings.push(Finding::new(&path, line_of(text, &dependency), message));
                }
            }
        }
    }
    findings
}

/// All dependencies that a manifest names, whatever platform they are for.
fn named(manifest: &Table) -> Vec<String> {
    let mut tables = vec![manifest];
    if let Some(Value::Table(targets)) = manifest.get("target") {
        tables.extend(targets.values().filter_map(Value::as_table));
    }
    let mut names = Vec::new();
    for table in tables {
        for kind in ["dependencies", "build-dependencies"] {
            names.extend(table.get(kind).and_then(Value::as_table).into_iter().flat_map(Table::keys).cloned());
        }
    }
    names
}

/// The line at which a key stands; 0 if it cannot be told.
fn line_of(text: &str, key: &str) -> usize {
    let starts = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(['.', ' ', '=']));
    text.lines().position(starts).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::super::assert_found;
    use super::*;

    #[test]
    fn walls_hold() {
        let fine =
            "[package]\nname = \"machine\"\n\n[dependencies]\ngame.workspace = true\ngdl = { path = \"../gdl\" }\n";
        assert_found(dependencies, &[("crates/machine/Cargo.toml", fine)], 0, "");
        let through = "[package]\nname = \"gdl\"\n\n[dependencies]\ngame.workspace = true\n";
        assert_found(dependencies, &[("crates/gdl/Cargo.toml", through)], 1, "crates/gdl/Cargo.toml:5: ");
        let test_only = "[dependencies]\n\n[dev-dependencies]\nproptest.workspace = true\n";
        assert_found(dependencies, &[("crates/gdl/Cargo.toml", test_only)], 0, "");
        let hidden = "[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n";
        assert_found(dependencies, &[("crates/game/Cargo.toml", hidden)], 1, "crates/game/Cargo.toml:2: ");
        assert_found(dependencies, &[("crates/ludens/Cargo.toml", "[dependencies]\nclap = \"4\"\n")], 0, "");
    }

    #[test]
    fn every_crate_has_a_rule() {
        assert_found(dependencies, &[("crates/new/Cargo.toml", "")], 1, "crates/new/Cargo.toml: a new crate");
        assert_found(dependencies, &[("crates/new/src/lib.rs", "")], 1, "crates/new: a folder without");
        assert_found(dependencies, &[("crates/gdl/Cargo.toml", "[dep")], 1, "crates/gdl/Cargo.toml: cannot be read");
    }
}
