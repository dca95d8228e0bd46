//! Checks on which files there are: the game library and the change log.

use super::Finding;
use crate::tree::Tree;

/// What belongs to a game, and how it comes about.
const GAME_FILES: [(&str, &str); 4] = [
    ("rules.kif", "write the rules"),
    ("about.md", "tell the rules in words and where the test numbers come from"),
    ("perft.toml", "count with `ludens perft`, and compare with a published count where there is one"),
    ("playthrough.txt", "run `cargo xtask record`"),
];

/// What a game may have beside.
const MORE: [&str; 1] = ["board.toml"];

/// Every game of the library is complete, and nothing else lies in its folder.
pub fn games(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in tree.folders("games") {
        let folder = format!("games/{name}");
        for (file, remedy) in GAME_FILES {
            let text = tree.find(&format!("{folder}/{file}")).and_then(|file| file.text.as_deref());
            if text.is_none_or(|text| text.trim().is_empty()) {
                findings.push(Finding::new(&folder, 0, format!("{file} is missing or empty; {remedy}")));
            }
        }
        let odd = |c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '-';
        if name.contains(odd) {
            findings.push(Finding::new(&folder, 0, "a game's name is lower-case words joined by hyphens; rename it"));
        }
        let inside = format!("{folder}/");
        for file in tree.files.iter().filter(|file| file.path.starts_with(&inside)) {
            let own = &file.path[inside.len()..];
            if !GAME_FILES.iter().any(|(known, _)| own == *known) && !MORE.contains(&own) {
                let message =
                    "does not belong to a game's folder; remove it, or teach xtask/src/tidy/layout.rs what it is";
                findings.push(Finding::new(&file.path, 0, message));
            }
        }
    }
    findings
}

/// The change log has a place for what is not released yet.
pub fn changelog(tree: &Tree) -> Vec<Finding> {
    let wanted = "## [Unreleased]";
    let file = tree.find("CHANGELOG.md");
    if file.is_some_and(|file| file.lines().any(|(_, line)| line.starts_with(wanted))) {
        return Vec::new();
    }
    vec![Finding::new(
        "CHANGELOG.md",
        0,
        format!("there is no section `{wanted}`; add it at the top and write changes there"),
    )]
}

#[cfg(test)]
mod tests {
    use super::super::{assert_found, found};
    use super::*;

    #[test]
    fn games_are_complete() {
        let complete = GAME_FILES.map(|(file, _)| (format!("games/nim/{file}"), "text\n"));
        let complete: Vec<(&str, &str)> = complete.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        assert_found(games, &complete, 0, "");
        for missing in 0..complete.len() {
            let mut files = complete.clone();
            files[missing].1 = "\n";
            assert_found(games, &files, 1, "games/nim: ");
        }
        let mut more = complete.clone();
        more.push(("games/nim/old.kif", "text\n"));
        assert_found(games, &more, 1, "games/nim/old.kif: does not belong");
        assert_eq!(found(games, &[("games/Big_Nim/rules.kif", "text\n")]).len(), 4);
    }

    #[test]
    fn the_change_log_has_its_place() {
        assert_found(changelog, &[("CHANGELOG.md", "# Changes\n\n## [Unreleased]\n")], 0, "");
        assert_found(changelog, &[("CHANGELOG.md", "# Changes\n")], 1, "CHANGELOG.md: ");
        assert_found(changelog, &[], 1, "CHANGELOG.md: ");
    }
}
