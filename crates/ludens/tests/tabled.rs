//! Players and the tables of solved games, as a person sees them: solved once, played from, and not in the way when damaged.

mod support;

use std::path::Path;
use support::{Run, file, folder, program, run};

/// Runs the program with this folder of tables.
fn with(tables: &Path, args: &[&str]) -> Run {
    run(program().env("LUDENS_TABLES", tables).args(args), b"")
}

/// The record of a match, which is in the last line of a stream.
fn record(run: &Run) -> serde_json::Value {
    let last: serde_json::Value = serde_json::from_str(run.out.lines().last().unwrap_or_default()).unwrap();
    last["match"].clone()
}

/// How many lines tell that something is not as it should be; the others tell by what is searched.
fn warnings(err: &str) -> usize {
    err.lines().filter(|line| line.starts_with("warning: ")).count()
}

/// A match of nim, which the second wins: `player` is the second.
fn nim(tables: &Path, player: &str) -> Run {
    let args = ["match", "nim", "--player", "random", "--player", player, "--seed", "5"];
    let ended = with(tables, &[&args[..], &["--start", "2", "--play", "1", "--stream"]].concat());
    assert_eq!(ended.code, 0, "{}", ended.err);
    ended
}

#[test]
fn a_table_is_played_from_and_a_damaged_one_is_told_once() {
    let tables = folder("tabled");
    let solved = with(&tables, &["solve", "nim"]);
    assert_eq!(solved.code, 0, "{}", solved.err);
    let fine = nim(&tables, "portfolio");
    assert_eq!((&record(&fine)["goalValues"][1], &fine.err[..]), (&100.into(), ""));
    // A byte of a key: seen only by those who ask the table.
    let path = tables.join("solved/nim.table");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    for (player, told) in [("portfolio", 1), ("uct:tables=true,playouts=50", 1), ("uct:playouts=50", 0)] {
        let ended = nim(&tables, player);
        assert_eq!(ended.err.matches("nim.table: the file is damaged").count(), told, "{player}: {}", ended.err);
        assert_eq!(warnings(&ended.err), told, "{}", ended.err);
        assert_eq!(record(&ended)["isCompleted"], true);
    }
    assert_eq!(warnings(&nim(&tables, "portfolio:tables=false").err), 0);
    // What is damaged from the first byte on, cut short or no table at all is skipped, and the whole one behind it is found.
    file(&tables, "solved/a.table", "this is no table");
    file(&tables, "solved/b.table", &bytes[..bytes.len() / 2]);
    file(&tables, "solved/c.table", "");
    bytes[100] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let args =
        ["match", "nim", "--player", "portfolio", "--player", "portfolio", "--start", "2", "--play", "1", "--stream"];
    let ended = with(&tables, &args);
    assert_eq!((ended.code, &record(&ended)["goalValues"]), (0, &serde_json::json!([0, 100])), "{}", ended.err);
    let names: Vec<bool> = ["a.table", "b.table", "c.table"].map(|name| ended.err.matches(name).count() == 1).into();
    assert!(names.iter().all(|once| *once) && warnings(&ended.err) == 3, "{}", ended.err);
}

#[test]
fn the_setting_is_listed() {
    let players = with(&folder("tabled-none"), &["players", "--json"]).json();
    let with_tables: Vec<&str> = players
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|kind| {
            let settings = kind["settings"].as_array()?;
            settings.iter().any(|setting| setting["name"] == "tables").then(|| kind["name"].as_str())?
        })
        .collect();
    assert_eq!(with_tables, ["portfolio", "uct", "alpha-beta"]);
}
