//! `bench` and `lab`: what they measure, print and write, with budgets of a blink.

mod support;

use serde_json::Value;
use std::path::Path;
use support::{COUNT, Run, file, folder, ludens, ludens_with};

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&read(path)).expect("it is JSON")
}

fn ends(run: &Run, code: i32) {
    assert_eq!(run.code, code, "{}\n{}", run.out, run.err);
}

#[test]
fn help_has_examples() {
    for command in [
        &["bench"][..],
        &["lab", "anchors"],
        &["lab", "waugh"],
        &["lab", "agree"],
        &["lab", "samadi"],
        &["lab", "exam"],
    ] {
        let run = ludens(&[command, &["--help"]].concat());
        ends(&run, 0);
        assert!(run.out.contains("Example"), "{}", run.out);
        assert!(run.out.contains(&format!("ludens {}", command.join(" "))), "{}", run.out);
        assert!(!run.out.contains("--one"), "what is for the program itself is not shown: {}", run.out);
    }
}

#[test]
fn engines_are_measured_side_by_side() {
    let folder = folder("bench-engines");
    let path = file(&folder, "count.kif", COUNT);
    let run = ludens(&["bench", "tic-tac-toe", &path, "--seconds", "0.05", "--json"]);
    ends(&run, 0);
    let report = run.json();
    assert_eq!(report["settings"]["seconds"], 0.05);
    let games = report["games"].as_array().unwrap();
    assert_eq!(games.iter().map(|game| &game["game"]).collect::<Vec<_>>(), ["tic-tac-toe", path.as_str()]);
    for game in games {
        let engines = game["engines"].as_array().unwrap();
        assert_eq!(engines.iter().map(|line| &line["engine"]).collect::<Vec<_>>(), ["prover", "rules", "net"]);
        for line in engines {
            assert!(line["states_per_second"].as_f64().unwrap() > 100.0, "{line}");
            assert!(line["playouts_per_second"].as_f64().unwrap() > 10.0, "{line}");
            assert!(line["ready"].as_f64().unwrap() > 0.0, "{line}");
            assert!(line["times_prover"].as_f64().unwrap() > 0.0, "{line}");
            assert_eq!(cfg!(target_os = "linux"), line["memory"].is_u64(), "{line}");
        }
    }
    // All play the same game: a random game of tic-tac-toe has 7.6 moves.
    for line in games[0]["engines"].as_array().unwrap() {
        let play = &line["play"];
        let length = play["states"].as_f64().unwrap() / play["playouts"].as_f64().unwrap();
        assert!((7.0..8.3).contains(&length), "{play}");
    }
    assert!(games[0]["by_hand"]["states_per_second"].as_f64().unwrap() > 1e6);
    assert!(games[1]["by_hand"].is_null());
}

#[test]
fn a_table_for_people() {
    let run = ludens(&["bench", "nim", "--engine", "auto", "--seconds", "0.02"]);
    ends(&run, 0);
    let lines: Vec<&str> = run.out.lines().collect();
    assert!(lines[0].starts_with("game  engine") && lines[0].ends_with("× by hand"), "{}", run.out);
    assert!(lines[1].starts_with("nim   net"), "{}", run.out);
    assert!(run.out.contains("one core"), "{}", run.out);
}

#[test]
fn what_cannot_be_measured_is_told() {
    let folder = folder("bench-faulty");
    let bad = file(&folder, "bad.kif", "(role me) (legal me go)");
    let broken = file(&folder, "broken.kif", "(role me");
    let run = ludens(&["bench", &bad, &broken, "--engine", "prover", "--seconds", "0.02"]);
    ends(&run, 1);
    assert!(run.out.contains("error: cannot play"), "{}", run.out);
    assert!(run.out.contains("error: line 1"), "{}", run.out);
    let slow = ludens(&["bench", "chess", "--engine", "prover", "--seconds", "30", "--limit", "0.2"]);
    ends(&slow, 1);
    assert!(slow.out.contains("not done within 0.2 s"), "{}", slow.out);
}

#[test]
fn games_from_standard_input_are_measured() {
    let run = ludens_with(&["bench", "-", "--engine", "rules", "--seconds", "0.02"], COUNT.as_bytes());
    ends(&run, 0);
    assert!(run.out.contains("standard input  rules"), "{}", run.out);
}

#[test]
fn the_interchange_form_has_four_lines() {
    let folder = folder("bench-perf");
    let path = folder.join("out.txt");
    let out = path.display().to_string();
    ends(&ludens(&["bench", "tic-tac-toe", "--gdl-perf", &out, "--seconds", "0.05"]), 0);
    let text = read(&path);
    let keys: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    assert_eq!(keys, ["version", "millisecondsTaken", "numStateChanges", "numRollouts"], "{text}");
    let number = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        line.and_then(|value| value.parse::<u64>().ok()).unwrap_or_else(|| panic!("{key} in {text}"))
    };
    assert!(number("millisecondsTaken") >= 50);
    assert!(number("numStateChanges") > number("numRollouts") && number("numRollouts") > 100);

    let bad = file(&folder, "bad.kif", "(role me)");
    ends(&ludens(&["bench", &bad, "--gdl-perf", &out]), 1);
    let text = read(&path);
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.starts_with("version=ludens ") && text.contains("\nerrorMessage=cannot play"), "{text}");
    // Nothing is left beside it.
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    ends(&ludens(&["bench", "--gdl-perf", &out]), 2);
}

#[test]
fn the_yardstick_plays_the_same_games() {
    let run = ludens(&["bench", "--yardstick", "--seconds", "0.3", "--json"]);
    ends(&run, 0);
    let report = run.json();
    let games = report["games"].as_array().unwrap();
    assert_eq!(games.len(), 3);
    for game in games {
        assert_eq!(game["differences"], serde_json::json!([]), "{game}");
        assert!(game["times_alone"].as_f64().unwrap() > 0.0, "{game}");
    }
    assert_eq!(games[1]["yardstick"], "connect four 7x6");
    let none = ludens(&["bench", "nim", "--yardstick", "--seconds", "0.05"]);
    ends(&none, 2);
    assert!(none.err.contains("no hand-written form"), "{}", none.err);
}

/// A corpus of three rulesheets, one of which cannot be played.
fn corpus(name: &str) -> std::path::PathBuf {
    let folder = folder(name);
    file(&folder, "games/ticTacToe.kif", ludens(&["show", "rules", "tic-tac-toe"]).out);
    file(&folder, "games/count.kif", COUNT);
    file(&folder, "games/bad.kif", "(role me)");
    folder
}

#[test]
fn a_corpus_is_measured_beside_other_systems() {
    let folder = corpus("bench-corpus").display().to_string();
    let run = ludens(&["bench", "--corpus", &folder, "--seconds", "0.05", "--json"]);
    ends(&run, 1);
    let report = run.json();
    assert_eq!(report["games"].as_array().unwrap().len(), 3);
    assert_eq!((&report["anchors"]["rulesheets"], &report["anchors"]["played"]), (&3.into(), &2.into()));
    assert_eq!(report["anchors"]["ratios"][0]["other"], "ggplib");
    let run = ludens(&["bench", "--corpus", &folder, "ticTacToe", "count", "--seconds", "0.05"]);
    ends(&run, 0);
    assert!(run.out.contains("1 of 18 games beside the better of Sancho and ggplib"), "{}", run.out);
}

#[test]
fn anchors_go_on_where_they_ended() {
    let folder = corpus("lab-anchors");
    let (from, out) = (folder.display().to_string(), folder.join("out"));
    let to = out.display().to_string();
    let anchors = |games: &[&str], more: &[&str]| {
        let start = ["lab", "anchors", "--corpus", &from, "--seconds", "0.05", "--out", &to];
        ludens(&[&start, more, games].concat())
    };
    ends(&anchors(&["ticTacToe"], &[]), 0);
    let first = json(&out.join("results.json"));
    assert_eq!(first["games"].as_array().unwrap().len(), 1);
    let run = anchors(&[], &[]);
    ends(&run, 1);
    assert!(run.out.starts_with("going on from"), "{}", run.out);
    let second = json(&out.join("results.json"));
    let row =
        |results: &Value| results["games"].as_array().unwrap().iter().find(|row| row["game"] == "ticTacToe").cloned();
    assert_eq!(row(&first), row(&second), "it was not measured again");
    let page = read(&out.join("report.md"));
    assert!(page.contains("| ticTacToe | net | playouts/s |") && page.contains("| bad | cannot play"), "{page}");
    assert_eq!(read(&out.join("journal.jsonl")).lines().count(), 3);
    ends(&anchors(&["ticTacToe"], &["--fresh"]), 0);
    assert_eq!(read(&out.join("journal.jsonl")).lines().count(), 1);
}

#[test]
fn the_paper_is_repeated() {
    let out = folder("lab-waugh");
    let to = out.display().to_string();
    let waugh = |games: &str| {
        let run = ["lab", "waugh", "tic-tac-toe", "connect-four", "--seconds", "0.004", "--games", games, "--out", &to];
        ludens(&run)
    };
    let run = waugh("1");
    ends(&run, 0);
    assert!(run.out.contains("gdlcc, table (paper)"), "{}", run.out);
    assert_eq!(read(&out.join("journal.jsonl")).lines().count(), 10);
    // What was interrupted in the middle of a line goes on after the last whole one.
    let journal = read(&out.join("journal.jsonl"));
    std::fs::write(out.join("journal.jsonl"), &journal[..journal.len() - 10]).unwrap();
    ends(&waugh("2"), 0);
    let results = json(&out.join("results.json"));
    let ours = results["ours"].as_array().unwrap();
    assert_eq!(ours.len(), 10);
    for row in ours {
        assert_eq!(row["games"], 2, "{row}");
        assert_eq!(row["states"].as_array().unwrap().len(), 3);
        assert!(row["states"][0].as_u64().unwrap() >= row["simulations"][0].as_u64().unwrap(), "{row}");
    }
    assert_eq!(results["paper"].as_array().unwrap().len(), 10);
    let page = read(&out.join("report.md"));
    assert!(page.contains("| tic-tac-toe | YAP (paper) | 20 | 50935 | 54197 | 52663 | - |"), "{page}");
    assert_eq!(ludens(&["lab", "waugh", "nim"]).code, 2);
}

#[test]
fn engines_agree() {
    let out = folder("lab-agree");
    let to = out.display().to_string();
    let corpus = corpus("lab-agree-corpus").display().to_string();
    let run = ludens(&["lab", "agree", "--states", "3000", "--corpus", &corpus, "--out", &to]);
    ends(&run, 0);
    assert!(run.out.contains("states, rules and net against the prover: no difference"), "{}", run.out);
    assert!(run.out.contains("corpus/count"), "{}", run.out);
    let results = json(&out.join("results.json"));
    let games = results["games"].as_array().unwrap();
    assert!(games.len() > 50, "the library and the corpus");
    let bad = games.iter().find(|row| row["game"] == "corpus/bad").unwrap();
    assert_eq!(bad["states"], 0);
    assert!(bad["notes"][0].as_str().unwrap().contains("cannot play"), "{bad}");
    // Nothing is left to do, and then a little.
    let again = ludens(&["lab", "agree", "--states", "3000", "--corpus", &corpus, "--out", &to]);
    assert!(!again.out.contains(" in "), "{}", again.out);
    let states = results["states"].as_u64().unwrap();
    assert!(states >= 3000);
    let more = (states + 50).to_string();
    let more = ludens(&["lab", "agree", "--states", &more, "--corpus", &corpus, "--out", &to, "--json"]);
    ends(&more, 0);
    assert!(more.json()["states"].as_u64().unwrap() >= states + 50);
}

#[test]
fn evaluations_of_chinese_checkers_are_compared() {
    let out = folder("lab-samadi");
    let to = out.display().to_string();
    // Neither needs a table.
    let rows = file(&out, "rows.json", r#"{ "side": 9, "pieces": 10, "row": 1.0, "curve": 0.01 }"#);
    let samadi = |openings: &str| {
        let players = ["--player", "baseline", "--player", &rows, "--depths", "1", "--openings", openings];
        ludens(&[&["lab", "samadi", "chinese-checkers", "--folder", &to, "--out", &to][..], &players].concat())
    };
    let run = samadi("1");
    ends(&run, 0);
    assert!(run.out.contains("4 games to play"), "{}", run.out);
    // What is there is not played again.
    let more = samadi("2");
    ends(&more, 0);
    assert!(more.out.contains("4 games to play"), "{}", more.out);
    let results = json(&out.join("results.json"));
    let contests = results["contests"].as_array().unwrap();
    assert_eq!(contests.len(), 2);
    // Who plays against itself from both sides has half of the points.
    assert_eq!((contests[0]["games"].as_u64(), contests[0]["points"].as_f64()), (Some(4), Some(0.5)));
    assert!(contests[0]["published"].is_null(), "the paper has no such match");
    assert!(read(&out.join("figure.svg")).starts_with("<svg"));
    assert!(read(&out.join("report.md")).contains("| baseline | baseline | 1 | 4 |"));
    let odd = ludens(&["lab", "samadi", "chinese-checkers", "--player", "pdb5", "--folder", &to, "--out", &to]);
    ends(&odd, 2);
    assert!(odd.err.contains("pdb6+4-front"), "the names that there are: {}", odd.err);
}

#[test]
fn weights_are_learned_from_games() {
    let out = folder("lab-samadi-learn");
    let to = out.display().to_string();
    let learn = || {
        let words = ["--learn", "baseline", "--games", "10", "--folder", &to, "--out", &to, "--fresh"];
        let run = ludens(&[&["lab", "samadi", "chinese-checkers"][..], &words].concat());
        ends(&run, 0);
        read(&out.join("baseline.json"))
    };
    let learned = learn();
    assert_eq!(learned, learn(), "the same seed gives the same weights");
    assert!(learned.contains("\"origin\": \"ludens lab samadi"), "{learned}");
}

#[test]
fn lookups_are_measured() {
    let to = folder("bench-lookups").display().to_string();
    let lookups =
        ["bench", "lookups", "--evaluation", "pdb4", "--games", "2", "--seconds", "0.05", "--folder", &to, "--json"];
    let run = ludens(&lookups);
    ends(&run, 0);
    let again = ludens(&lookups);
    let report = again.json();
    assert!(report["per_second"].as_f64().unwrap() > 1e4, "{report}");
    let reused = report["reused"].as_f64().unwrap();
    assert!((0.1..0.9).contains(&reused), "{report}");
}

#[test]
fn players_are_examined() {
    let folder = folder("exam");
    let question = |keep: &str, bad: &str| {
        format!(
            "{{\"suite\":\"heaps\",\"game\":\"nim\",\"role\":\"first\",\"facts\":[\"(heap a 1)\",\"(heap b 0)\",\"(heap c 2)\",\
             \"(heap d 0)\",\"(control first)\"],\"keep\":[\"{keep}\"],\"scores\":{{\"{keep}\":100,\"{bad}\":-100}}}}"
        )
    };
    // The second has the winning move among the losing ones: whoever plays well fails it.
    let right = file(&folder, "right.jsonl", question("(take c 1)", "(take c 2)"));
    let wrong = file(&folder, "wrong.jsonl", question("(take c 2)", "(take c 1)"));
    let ask = |file: &str, out: &str, more: &[&str]| {
        let out = folder.join(out).display().to_string();
        let player =
            ["lab", "exam", file, "--player", "uct:playouts=3000", "--start", "1", "--play", "20", "--out", &out];
        ludens(&[&player[..], more].concat())
    };
    let run = ask(&right, "right", &["--json", "--at-least", "100"]);
    ends(&run, 0);
    assert_eq!((&run.json()["share"], &run.json()["suites"][0]["regret"]), (&1.0.into(), &0.0.into()));
    assert_eq!(run.json()["answers"][0]["answer"], "(take c 1)");
    let run = ask(&wrong, "wrong", &["--at-least", "50"]);
    ends(&run, 1);
    assert!(run.out.contains("heaps") && run.out.contains("200.0"), "{}", run.out);
    assert!(read(&folder.join("wrong/report.md")).contains("Wrong: heaps 1: (take c 1)"));
    // What was answered is not asked again, and it does not matter to those who set no mark.
    let again = ask(&wrong, "wrong", &[]);
    ends(&again, 0);
    assert!(again.out.contains("going on"), "{}", again.out);
    let broken = file(&folder, "broken.jsonl", "{\"suite\": 1}");
    let run = ask(&broken, "broken", &[]);
    ends(&run, 2);
    assert!(run.err.contains("broken.jsonl, line 1"), "{}", run.err);
    let none = folder.join("none").display().to_string();
    let run = ludens(&["lab", "exam", "--make", "nim", "--tables", &none]);
    ends(&run, 2);
    assert!(run.err.contains("ludens solve nim"), "{}", run.err);
}
