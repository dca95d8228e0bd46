//! `record` and `replay`: what was written down is played again, and every difference is found.

mod support;

use md5::{Digest, Md5};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;
use support::{COUNT, file, folder, ludens};

fn sum(terms: &[&str]) -> String {
    Md5::digest(terms.join("\n")).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The game 0, 2, 3 of [`COUNT`], worked out by hand.
fn trace() -> Value {
    let legal = json!([{ "n": 2, "md5": sum(&["(add 1)", "(add 2)"]) }]);
    let step = |fact: &str, mv: &str| json!({ "facts": 1, "state": sum(&[fact]), "terminal": false, "legal": legal, "joint": [mv] });
    let last = json!({ "facts": 1, "state": sum(&["(at 3)"]), "terminal": true, "goals": [100] });
    json!({
        "game": "count", "roles": ["me"],
        "perft": [{ "depth": 1, "nodes": 2, "terminal": 0 }, { "depth": 2, "nodes": 4, "terminal": 3 },
                  { "depth": 3, "nodes": 2, "terminal": 2 }],
        "traces": [[step("(at 0)", "(add 2)"), step("(at 2)", "(add 1)"), last]],
    })
}

/// A folder with the game and this trace; what replaying it gives.
fn replayed(name: &str, trace: &Value) -> (i32, String) {
    let folder = folder(name);
    file(&folder, "games/count.kif", COUNT);
    file(&folder, "traces/count.json", trace.to_string());
    let run = ludens(&["replay", &folder.display().to_string()]);
    (run.code, run.out)
}

#[test]
fn a_true_trace_agrees() {
    let (code, out) = replayed("replay-true", &trace());
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("3/3      3/3"), "{out}");
    assert!(out.lines().last().unwrap().starts_with("1 game: 1 ok, 0 cut by time, 0 mismatches, 0 errors"), "{out}");
}

#[test]
fn every_difference_is_found() {
    let changes: [(&str, &str, Value); 10] = [
        ("/roles/0", "the roles are me, recorded you", json!("you")),
        ("/sha256", "belongs to another text", json!("00")),
        ("/perft/1/nodes", "perft 2: the number of paths is 4, recorded 5", json!(5)),
        ("/perft/1/terminal", "perft 2: the number of terminal paths is 3, recorded 0", json!(0)),
        ("/traces/0/0/facts", "game 1 state 0: the number of facts is 1, recorded 2", json!(2)),
        ("/traces/0/1/state", "game 1 state 1: the facts are not the recorded ones", json!("0")),
        ("/traces/0/1/terminal", "terminal is false, recorded true", json!(true)),
        ("/traces/0/0/legal/0/n", "legal moves of Me is 2, recorded 1", json!(1)),
        ("/traces/0/0/legal/0/md5", "the legal moves of Me are not the recorded ones", json!("0")),
        ("/traces/0/2/goals/0", "the goals are 100, recorded none", Value::Null),
    ];
    for (number, (place, said, value)) in changes.into_iter().enumerate() {
        let mut trace = trace();
        match trace.pointer_mut(place) {
            Some(old) => *old = value,
            None => trace[&place[1..]] = value,
        }
        let (code, out) = replayed(&format!("replay-wrong-{number}"), &trace);
        assert_eq!(code, 1, "{place}: {out}");
        assert!(out.contains("MISMATCH: ") && out.contains(said), "{place}: {out}");
    }
}

#[test]
fn games_without_traces_broken_games_and_broken_traces_are_told_apart() {
    let folder = folder("replay-mixed");
    file(&folder, "games/count.kif", COUNT);
    file(&folder, "games/alone.kif", COUNT);
    file(&folder, "games/broken.kif", "(role me");
    file(&folder, "games/garbled.kif", COUNT);
    file(&folder, "traces/count.json", trace().to_string());
    file(&folder, "traces/garbled.json", "{}");
    file(&folder, "traces/missing.json", trace().to_string());
    let path = folder.display().to_string();
    let run = ludens(&["replay", &path]);
    assert_eq!(run.code, 1);
    let results: Vec<&str> = run.out.lines().skip(1).map(|line| line.split("  ").last().unwrap_or("").trim()).collect();
    assert_eq!(results[0], "loaded; nothing to compare with");
    assert!(results[1].contains("1:1: this parenthesis is never closed"), "{}", run.out);
    assert_eq!(results[2], "ok");
    assert!(results[3].contains("is not a trace"), "{}", run.out);
    assert!(results[4].contains("cannot read"), "{}", run.out);
    assert!(results[5].starts_with("5 games: 1 ok, 1 only loaded"), "{}", run.out);

    let json = ludens(&["replay", &path, "--json", "--jobs", "3"]).json();
    let words: Vec<&str> = json["games"].as_array().unwrap().iter().map(|g| g["result"].as_str().unwrap()).collect();
    assert_eq!(words, ["loaded", "error", "ok", "error", "error"]);
    assert_eq!(json["summary"]["errors"], 3);
}

#[test]
fn the_time_limit_holds_inside_a_slow_question() {
    // Twelve independent variables over ten values, and a last condition that never holds.
    let vars: Vec<String> = (0..12).map(|n| format!("(d ?v{n} ?p{n})")).collect();
    let facts: String = (0..10).map(|n| format!("(d {n} x{n}) ")).collect();
    let never = "(distinct ?v0 ?v0)";
    let slow = format!(
        "(role me) (init (p 1)) {facts} (<= (hard ?v0 ?v11) {} (true (p ?v11)) {never}) \
         (<= (legal me go) (not (hard 1 2))) (<= (next (p 1)) (does me go)) (<= terminal (true (p 2))) (goal me 0)",
        vars.join(" ")
    );
    let folder = folder("replay-slow");
    file(&folder, "games/slow.kif", slow);
    let started = Instant::now();
    let run = ludens(&["replay", &folder.display().to_string(), "--seconds", "0.3"]);
    assert!(started.elapsed().as_secs() < 10);
    assert_eq!(run.code, 0, "{}", run.out);
    assert!(run.out.contains("cut by time at loading") && run.out.contains("1 cut by time"), "{}", run.out);
}

#[test]
fn folders_that_hold_nothing_are_wrong_input() {
    let empty = folder("replay-empty");
    let run = ludens(&["replay", &empty.display().to_string()]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("games/NAME.kif"), "{}", run.err);
    std::fs::create_dir_all(empty.join("games")).unwrap();
    assert_eq!(ludens(&["replay", &empty.display().to_string()]).code, 2);
    assert_eq!(ludens(&["replay", &empty.join("nowhere").display().to_string()]).code, 2);
}

#[test]
fn a_recorded_game_is_replayed_and_a_changed_one_is_not() {
    let folder = folder("record");
    let path = folder.join("game.txt").display().to_string();
    let printed = ludens(&["record", "nim", "--seed", "3"]);
    assert_eq!(printed.code, 0, "{}", printed.err);
    assert_eq!(ludens(&["record", "nim", "--seed", "3", "-o", &path]).out, "");
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(printed.out, written);
    assert_ne!(written, ludens(&["record", "nim", "--seed", "4"]).out);

    let run = ludens(&["replay", &path, "--game", "nim"]);
    assert_eq!(run.code, 0, "{}", run.out);
    let changed = file(&folder, "changed.txt", written.replace("(heap a 1)", "(heap a 2)"));
    let run = ludens(&["replay", &changed, "--game", "nim"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("MISMATCH: the playthrough: line "), "{}", run.out);

    assert_eq!(ludens(&["replay", &path]).code, 2, "which game it is of is not known");
    beside(&folder, &written);
    assert_eq!(ludens(&["record", "nim", "--most", "2"]).out.lines().filter(|line| *line == "  cut").count(), 1);
}

/// A playthrough beside its rulesheet needs no name.
fn beside(folder: &Path, written: &str) {
    let rules = ludens(&["show", "rules", "nim"]).out;
    file(folder, "nim/rules.kif", rules);
    let path = file(folder, "nim/playthrough.txt", written);
    assert_eq!(ludens(&["replay", &path]).code, 0);
    let other = file(folder, "nim/other.txt", "something else");
    assert_eq!(ludens(&["replay", &other]).code, 2);
}

#[test]
fn the_library_agrees_with_what_is_recorded_in_it() {
    let run = ludens(&["replay", "--library", "--nodes", "3000", "--seconds", "300"]);
    assert_eq!(run.code, 0, "{}", run.out);
    assert!(run.out.lines().last().is_some_and(|line| line.contains(" 0 cut by time")), "{}", run.out);
}
