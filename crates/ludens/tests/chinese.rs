//! The players of Chinese checkers on the command line: matches in any words, and what is said where they cannot play.

mod support;

use std::path::Path;
use support::{Run, Server, file, folder, ludens, program, run};

const GAME: &str = "chinese-checkers";

/// Runs the program with this folder of tables.
fn with(tables: &Path, args: &[&str]) -> Run {
    run(program().env("LUDENS_TABLES", tables).args(args), b"")
}

/// The record of a match, which is in the last line of a stream.
fn record(run: &Run) -> serde_json::Value {
    let last: serde_json::Value = serde_json::from_str(run.out.lines().last().unwrap_or_default())
        .unwrap_or_else(|error| panic!("{error}: {}\n{}", run.out, run.err));
    last["match"].clone()
}

/// A few steps of a match.
fn steps(red: &str, blue: &str, more: &[&str]) -> Run {
    let args = ["match", GAME, "--player", red, "--player", blue, "--start", "20", "--play", "20", "--seed", "3"];
    ludens(&[&args[..], &["--most", "8", "--stream"], more].concat())
}

#[test]
fn the_same_moves_in_any_words() {
    let (red, blue) = ("roschke:kind=base,nodes=500", "roschke:kind=alpha-beta,depth=2");
    let server = Server::new(red);
    let mut moves = Vec::new();
    for (red, more) in [(red, &[][..]), (red, &["--scramble"]), (&server.url, &["--scramble"])] {
        let ended = steps(red, blue, more);
        let record = record(&ended);
        assert_eq!(ended.err, "");
        // Given up after so many steps, and no move of it was replaced.
        assert_eq!(ended.code, 1, "{}", ended.err);
        let rows = record["errors"].as_array().expect("rows of errors");
        assert!(rows.iter().all(|row| row == &serde_json::json!(["", ""])), "{rows:?}");
        moves.push(record["moves"].clone());
    }
    assert_eq!(moves[0].as_array().map(Vec::len), Some(8));
    assert_eq!(moves[0], moves[1], "the same seed and the same game");
    // The server has a seed of its own: only that all its moves are legal was seen above.
}

#[test]
fn a_missing_or_damaged_table_is_told_before_anything_is_played() {
    let tables = folder("chinese-none");
    let commands: [&[&str]; 4] = [
        &["match", GAME, "--player", "roschke:kind=heur", "--player", "random", "--start", "1", "--play", "1"],
        &["match", GAME, "--player", "random", "--player", "table-search", "--scramble", "--start", "1", "--play", "1"],
        &["analyse", GAME, "--player", "table-search:nodes=100"],
        &["play", GAME, "--opponent", "roschke:kind=alpha-beta-lookup"],
    ];
    let tournament = ["tournament", GAME, "--player", "table-search", "--player", "random", "-n", "1"];
    for args in commands.into_iter().chain([&tournament[..]]) {
        let refused = with(&tables, args);
        assert_eq!(refused.code, 2, "{args:?}: {}", refused.out);
        for part in ["cannot play", "9x9-6.table", "is missing", "`ludens table build chinese-checkers --pieces 6`"] {
            assert!(refused.err.contains(part), "{args:?}: {}", refused.err);
        }
        assert_eq!(refused.err.contains("--build-tables"), args[0] != "analyse", "{args:?}: {}", refused.err);
    }
    file(&tables, "chinese-checkers/9x9-6.table", "this is no table");
    for args in commands.into_iter().chain([&tournament[..]]) {
        let refused = with(&tables, args);
        assert_eq!(refused.code, 2, "{args:?}: {}", refused.out);
        for part in ["cannot play", "9x9-6.table", "cannot be used", "--force"] {
            assert!(refused.err.contains(part), "{args:?}: {}", refused.err);
        }
    }
    // Who needs no table thinks; that the tables are not asked about the position is told.
    let fine = with(&tables, &["analyse", GAME, "--player", "roschke:kind=base,nodes=300", "--json"]);
    assert_eq!((fine.code, fine.err.lines().count()), (0, 1), "{}", fine.err);
    let last: serde_json::Value = serde_json::from_str(fine.out.lines().last().unwrap_or_default()).expect("JSON");
    assert!(last["nodes"].as_u64().is_some_and(|nodes| nodes >= 300), "{last}");
}

#[test]
fn wrong_settings_are_told() {
    for (player, part) in [
        ("roschke:kind=heur,speed=1", "roschke has no setting \"speed\"; it has kind, moves"),
        ("roschke:kind=best", "`kind` is base or heur"),
        ("roschke:kind=base,weight=1", "`weight` is no setting of kind=base"),
        ("table-search:depth=0", "`depth` must be at least 1"),
    ] {
        let refused = ludens(&["match", GAME, "--player", player]);
        assert_eq!(refused.code, 2);
        assert!(refused.err.contains(part), "{}", refused.err);
    }
}

#[test]
fn in_other_games_the_default_player_stands_in_and_says_so_once() {
    let player = "roschke:nodes=300";
    let args = ["match", "nim", "--player", player, "--player", player, "--start", "1", "--play", "1", "--stream"];
    let ended = ludens(&args);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert_eq!(record(&ended)["isCompleted"], true);
    // Beside it stands by what each of the two searches.
    assert_eq!(ended.err.lines().filter(|line| line.starts_with("warning: ")).count(), 1, "{}", ended.err);
    assert!(ended.err.contains("roschke:kind=heur,nodes=300: the game is not Chinese checkers"), "{}", ended.err);
}

#[test]
fn they_are_listed() {
    let listed = ludens(&["players"]).out;
    for part in ["roschke", "table-search", "table-memory", "nodes=100000"] {
        assert!(listed.contains(part), "{part}: {listed}");
    }
}
