//! `analyse`, and commands that begin anywhere.

mod support;

use support::{file, folder, ludens};

#[test]
fn every_move_is_shown_with_its_worth() {
    let run = ludens(&["analyse", "nim", "--player", "exhaustive", "--seconds", "20"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("first to move") && run.out.contains("proven"), "{}", run.out);
    assert!(run.out.contains("(take a 1)") && run.out.contains("(take d 7)"), "all moves are there: {}", run.out);
    let run = ludens(&["analyse", "nim", "--player", "uct:playouts=500", "--json"]);
    let last = run.out.lines().last().expect("a line");
    let report: serde_json::Value = serde_json::from_str(last).expect("JSON");
    assert_eq!((report["final"].as_bool(), report["role"].as_str()), (Some(true), Some("first")));
    assert_eq!(report["moves"].as_array().map(Vec::len), Some(16));
}

#[test]
fn positions_come_from_moves_facts_records_and_fens() {
    let folder = folder("analyse-openings");
    let best = |args: &[&str]| {
        let run = ludens(&[&["analyse"], args, &["--player", "exhaustive", "--seconds", "20", "--json"]].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        let report: serde_json::Value = serde_json::from_str(run.out.lines().last().expect("a line")).expect("JSON");
        (report["role"].as_str().map(String::from), report["value"].as_f64(), report["moves"].as_array().map(Vec::len))
    };
    let facts = file(&folder, "facts.kif", "(true (heap a 0)) (heap b 1) (heap c 0) (heap d 1) (control second)");
    let from_facts = best(&["nim", "--facts", &facts]);
    assert_eq!(from_facts.0.as_deref(), Some("second"));
    let record = format!("{}/match.json", folder.display());
    let run = ludens(&[
        "match", "nim", "--player", "legal", "--player", "legal", "--start", "1", "--play", "1", "--record", &record,
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(best(&["nim", "--record", &record, "--step", "1"]).0.as_deref(), Some("second"));
    assert_eq!(best(&["nim", "--moves", "take a 1; take b 3"]).0.as_deref(), Some("first"));
    let run = ludens(&["analyse", "krk", "8/8/8/3k4/8/8/1R6/K7 b - - 3 2", "--player", "uct:playouts=100", "--json"]);
    assert!(run.out.contains("\"role\":\"black\""), "{} {}", run.out, run.err);
    for (args, part) in [
        (&["analyse", "nim", "8/8/8/3k4/8/8/1R6/K7 w - -"][..], "nim has no FEN"),
        (&["analyse", "nim", "--moves", "(take a 9)"], "these are: (take a 1)"),
        (&["analyse", "nim", "--step", "3"], "`--step` goes with a recorded match"),
        (&["analyse", "nim", "--player", "random"], "does not think"),
        (&["analyse", "nim", "--role", "third"], "its roles are: first, second"),
    ] {
        let run = ludens(args);
        assert!(run.code == 2 && run.err.contains(part), "{args:?}: {}", run.err);
    }
}

#[test]
fn matches_solutions_and_records_begin_anywhere() {
    let folder = folder("begin-anywhere");
    let record = format!("{}/match.json", folder.display());
    let moves = ["--moves", "take a 1; take b 3; take c 5"];
    let players = ["--player", "legal", "--player", "legal", "--start", "1", "--play", "1"];
    let run = ludens(&[&["match", "nim", "--record", &record][..], &moves, &players].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let run = ludens(&["replay", &record]);
    assert_eq!(run.code, 0, "the record has the rules with it: {} {}", run.out, run.err);
    let run = ludens(&[&["solve", "nim", "--no-save"][..], &moves].concat());
    assert!(run.out.contains("second wins"), "only the last heap is left: {} {}", run.out, run.err);
    let run = ludens(&[&["record", "nim"][..], &moves].concat());
    assert!(run.out.contains("+ (heap c 0)"), "{}", run.out);
}
