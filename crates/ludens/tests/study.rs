//! `ludens study` as it is used: the report for people and the one for programs.

use serde_json::Value;
use std::process::{Command, Output};

fn study(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ludens")).arg("study").args(args).output().unwrap()
}

fn text(args: &[&str]) -> String {
    let output = study(args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_report_tells_what_was_found_and_how_it_is_known() {
    let report = text(&["hallway", "--states", "300"]);
    for part in [
        "in turn: white, black",
        "cell + + -",
        "board      cell 8 × 8, in order",
        "pieces     white, black",
        "counter    step follows tick with every move",
        "wall: what is true stays true  (proved)",
        "x of cell white",
        "seen in ",
    ] {
        assert!(report.contains(part), "{part} is missing in:\n{report}");
    }
}

#[test]
fn what_was_seen_is_not_told_as_known() {
    let sudoku = text(&["sudoku", "--states", "100"]);
    assert!(sudoku.contains(" of 81 places seen"), "{sudoku}");
    let morris = text(&["nine-mens-morris", "--states", "100"]);
    assert!(morris.contains("steps      2 to 4 neighbours  (found in the rules)"), "{morris}");
    let puzzle = text(&["eight-puzzle", "--states", "100"]);
    assert!(puzzle.contains("parts, 9 goals from 0 to 100"), "{puzzle}");
    let hex = text(&["hex", "--states", "100"]);
    assert!(hex.contains("its condition cannot be measured: it calls itself"), "{hex}");
}

#[test]
fn json_has_the_same_findings_and_the_seed_decides() {
    let read = |args: &[&str]| -> Value {
        let mut value: Value = serde_json::from_str(&text(args)).unwrap();
        value["seconds"] = Value::Null;
        value
    };
    let args = ["tic-tac-toe", "--states", "200", "--json"];
    let report = read(&args);
    assert_eq!(report["boards"][0]["axes"][0].as_array().map(Vec::len), Some(3));
    assert_eq!(report["fluents"][0]["evidence"]["proved"], true);
    assert_eq!(report["teams"].as_array().map(Vec::len), Some(0));
    assert_eq!(report, read(&args));
    let prover = read(&["tic-tac-toe", "--states", "200", "--json", "--engine", "prover"]);
    assert_eq!(report["boards"], prover["boards"]);
    assert_eq!(report["learned"], prover["learned"]);
}

#[test]
fn wrong_use_is_an_error() {
    for args in [&["no-such-game"][..], &["hex", "--seconds", "nan"], &["hex", "--seconds=-1"]] {
        let output = study(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty());
    }
}
