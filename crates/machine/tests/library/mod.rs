//! The games of the library, read from `games/`.

use gdl::Rules;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../games"))
}

/// A file of a game.
pub fn file(game: &str, name: &str) -> String {
    let path = folder().join(game).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rules of a game.
pub fn rules(game: &str) -> Rules {
    let parsed = gdl::parse(&file(game, "rules.kif"));
    assert!(parsed.problems.is_empty(), "{game}: {:?}", parsed.problems);
    parsed.rules
}

/// The names of all games, sorted.
#[allow(dead_code, reason = "not every file of tests goes through all games")]
pub fn names() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
