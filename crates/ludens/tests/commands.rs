//! `games`, `check`, `show`, `perft`, `simulate`: what they print, and the exit status they end with.

mod support;

use std::process::{Command, Stdio};
use support::{COUNT, file, folder, ludens, ludens_with};

#[test]
fn every_command_has_help_with_an_example() {
    let commands: [&[&str]; 9] = [
        &["games"],
        &["check"],
        &["show", "rules"],
        &["show", "about"],
        &["perft"],
        &["play"],
        &["simulate"],
        &["record"],
        &["replay"],
    ];
    for command in commands {
        let run = ludens(&[command, &["--help"]].concat());
        assert_eq!(run.code, 0, "{command:?}");
        assert!(run.out.contains("Example"), "{command:?}: {}", run.out);
        assert!(run.out.contains(&format!("ludens {}", command.join(" "))), "{command:?}: {}", run.out);
    }
    assert!(ludens(&["--help"]).out.contains("Exit status"));
}

#[test]
fn wrong_usage_is_2() {
    for args in
        [&["fly"][..], &[], &["perft", "nim"], &["perft", "nim", "many"], &["perft", "nim", "1001"], &["replay"]]
    {
        let run = ludens(args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.err);
        assert!(!run.err.is_empty());
    }
}

#[test]
fn games_are_listed_and_found() {
    let all = ludens(&["games"]);
    assert_eq!(all.code, 0);
    assert!(all.out.lines().any(|line| line.starts_with("tic-tac-toe ")), "{}", all.out);
    let some = ludens(&["games", "NIM", "two players", "--json"]);
    let rows = some.json();
    assert!(rows.as_array().is_some_and(|rows| rows.iter().any(|row| row["name"] == "nim")), "{}", some.out);
    assert!(rows.as_array().is_some_and(|rows| rows.iter().all(|row| row["name"] != "three-player-nim")));
    let none = ludens(&["games", "no such game anywhere"]);
    assert_eq!((none.code, none.out.as_str()), (1, ""));
    assert!(none.err.starts_with("ludens: "));
}

#[test]
fn unknown_games_are_answered_with_near_names() {
    let run = ludens(&["perft", "tictacto", "1"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("did you mean tic-tac-toe"), "{}", run.err);
    assert!(run.err.contains("ludens games"), "{}", run.err);
    let run = ludens(&["simulate", "no/such/file.kif"]);
    assert_eq!(run.code, 2);
    assert!(run.err.starts_with("ludens: cannot read no/such/file.kif"), "{}", run.err);
}

#[test]
fn names_paths_folders_and_standard_input_are_games() {
    let folder = folder("games-by-path");
    let path = file(&folder, "rules.kif", COUNT);
    for game in [path.as_str(), &folder.display().to_string(), "-"] {
        let run = ludens_with(&["perft", game, "3", "--json"], COUNT.as_bytes());
        let nodes: Vec<u64> =
            run.json()["perft"].as_array().unwrap().iter().map(|r| r["nodes"].as_u64().unwrap()).collect();
        assert_eq!(nodes, [1, 2, 4, 2], "{game}: {}", run.out);
    }
    assert_eq!(ludens(&["perft", "Tic_Tac_Toe", "1"]).code, 0);
}

const FAULTY: &str = "(role me)\n(init (p 1))\n(legal me go)\n(<= (next (p ?x)) (not (true (p 1))))\n(goal me 100)\n(<= terminal (true (p 2)))\n(<= unused (true (p 2)))\n";

#[test]
fn check_shows_problems_with_their_places() {
    let folder = folder("check");
    let faulty = file(&folder, "faulty.kif", FAULTY);
    let run = ludens(&["check", &faulty, "tic-tac-toe"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("faulty.kif:4:14"), "{}", run.out);
    assert!(run.out.contains("(<= (next (p ?x))"), "{}", run.out);
    assert!(run.out.lines().last().is_some_and(|line| line.starts_with("2 files: 1 error, 1 warning")), "{}", run.out);

    let rows = ludens(&["check", &faulty, "--json"]).json();
    let error = rows.as_array().unwrap().iter().find(|row| row["severity"] == "error").unwrap();
    assert_eq!((&error["line"], &error["column"]), (&4.into(), &14.into()));
    for field in ["file", "code", "message", "hint"] {
        assert!(error[field].is_string(), "{field}");
    }
}

#[test]
fn check_counts_warnings_only_when_asked() {
    let folder = folder("check-warnings");
    let text = FAULTY.replace("(<= (next (p ?x)) (not (true (p 1))))", "(<= (next (p 2)) (true (p 1)))");
    let path = file(&folder, "warned.kif", text);
    assert_eq!(ludens(&["check", &path]).code, 0);
    assert_eq!(ludens(&["check", &path, "--deny-warnings"]).code, 1);
    assert_eq!(ludens(&["check", "tic-tac-toe", "--deny-warnings", "--json"]).out, "[]\n");
}

#[test]
fn check_tells_of_faulty_rules_even_if_the_writing_is_faulty() {
    let run = ludens_with(&["check", "-"], FAULTY.replace("(init (p 1))", "(init (p 1)))").as_bytes());
    assert_eq!(run.code, 1);
    assert!(run.out.contains("error[unopened]") && run.out.contains("error[unsafe-variable]"), "{}", run.out);
    let run = ludens_with(&["check", "-"], b"(role me) (legal me go) (goal me 100) (<= terminal (true");
    assert!(run.out.contains("error[unclosed]") && !run.out.contains("missing-terminal"), "{}", run.out);
}

#[test]
fn check_survives_hostile_text() {
    let deep = "(".repeat(100_000);
    for (text, code) in [(deep.as_bytes(), "too-deep"), (b"(role \xff)", "not-text"), (b"(role me", "unclosed")] {
        let run = ludens_with(&["check", "-"], text);
        assert_eq!(run.code, 1, "{}", run.err);
        assert!(run.out.contains(code), "{}", run.out);
        let play = ludens_with(&["perft", "-", "1"], text);
        assert_eq!(play.code, 2);
        assert!(play.err.contains(code) && play.err.contains("ludens: standard input cannot be read"), "{}", play.err);
    }
    assert_eq!(ludens_with(&["check", "-"], b"").code, 1);
    let large = vec![b' '; gdl::MAX_BYTES + 2];
    assert!(ludens_with(&["check", "-"], &large).out.contains("too-large"));
}

#[test]
fn check_reads_the_other_files_though_one_is_missing() {
    let run = ludens(&["check", "no-such.kif", "tic-tac-toe"]);
    assert_eq!(run.code, 2);
    assert!(run.out.starts_with("1 file: "), "{}", run.out);
    assert!(run.err.contains("no-such.kif"), "{}", run.err);
}

#[test]
fn rules_are_shown_in_both_forms_and_scrambled() {
    let rules = |args: &[&str]| {
        let run = ludens(&[&["show", "rules", "tic-tac-toe"], args].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        let parsed = gdl::parse(&run.out);
        assert!(parsed.problems.is_empty(), "{}", run.out);
        (run.out, parsed.rules)
    };
    let (kif, plain) = rules(&[]);
    let (infix, same) = rules(&["--infix"]);
    assert!(kif.contains("(<= (legal ?p (mark ?x ?y))") && infix.contains(":-"), "{kif}\n{infix}");
    assert_eq!(plain.clauses.len(), same.clauses.len());
    let (one, renamed) = rules(&["--scramble", "7"]);
    assert_eq!(one, rules(&["--scramble", "7"]).0);
    assert_ne!(one, rules(&["--scramble", "8"]).0);
    assert!(!one.contains("control") && one.contains("(<= (legal "), "{one}");
    assert_eq!(plain.clauses.len(), renamed.clauses.len());
}

#[test]
fn what_a_game_is_about_is_told() {
    let run = ludens(&["show", "about", "tic-tac-toe"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.starts_with("# "), "{}", run.out);
    let folder = folder("about");
    let run = ludens(&["show", "about", &file(&folder, "count.kif", COUNT)]);
    assert_eq!(run.code, 2);
}

#[test]
fn perft_counts() {
    let run = ludens(&["perft", "tic-tac-toe", "3"]);
    let words: Vec<Vec<&str>> = run.out.lines().map(|line| line.split_whitespace().take(3).collect()).collect();
    assert_eq!(words[0], ["depth", "nodes", "terminal"]);
    assert_eq!(words[1..5], [["0", "1", "0"], ["1", "9", "0"], ["2", "72", "0"], ["3", "504", "0"]]);

    let rows = ludens(&["perft", "tic-tac-toe", "5", "--json"]).json();
    assert_eq!((&rows["perft"][5]["nodes"], &rows["perft"][5]["terminal"]), (&15120.into(), &1440.into()));
}

#[test]
fn perft_stops_when_every_path_has_ended() {
    let folder = folder("perft-ends");
    let path = file(&folder, "count.kif", COUNT);
    let run = ludens(&["perft", &path, "1000"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("none longer than 3"), "{}", run.out);
}

#[test]
fn perft_divides() {
    let run = ludens(&["perft", "tic-tac-toe", "2", "--divide"]);
    assert!(run.out.contains("(mark 1 1) noop      8"), "{}", run.out);
    assert!(
        run.out.lines().last().is_some_and(|line| line.split_whitespace().eq(["all", "9", "72", "0"])),
        "{}",
        run.out
    );
    let json = ludens(&["perft", "tic-tac-toe", "2", "--divide", "--json"]).json();
    assert_eq!(json["divide"].as_array().map(Vec::len), Some(9));
    assert_eq!(json["divide"][0]["joint"], serde_json::json!(["(mark 1 1)", "noop"]));
}

#[test]
fn perft_counts_turns() {
    // With one move a turn, turns are moves.
    let run = ludens(&["perft", "tic-tac-toe", "3", "--turns", "CONTROL", "--json"]);
    assert_eq!(run.json()["turns"][3]["nodes"], 504, "{}", run.out);
    let run = ludens(&["perft", "tic-tac-toe", "3", "--turns", "nothing"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("--turns control"), "{}", run.err);
}

#[test]
fn rules_that_cannot_be_played_are_errors() {
    for text in ["(role me)", "", "(legal me go)", "(role me) (legal me go)"] {
        let run = ludens_with(&["simulate", "-"], text.as_bytes());
        assert_eq!(run.code, 2, "{text}");
        assert!(run.err.starts_with("ludens: cannot play standard input"), "{text}: {}", run.err);
    }
}

#[test]
fn simulations_repeat() {
    let numbers = |seed: &str| {
        let run = ludens(&["simulate", "tic-tac-toe", "-n", "50", "--seed", seed, "--json"]);
        assert_eq!(run.code, 0, "{}", run.err);
        let mut json = run.json();
        json.as_object_mut().unwrap().remove("time").expect("times are told");
        json
    };
    let first = numbers("1");
    assert_eq!(first, numbers("1"));
    assert_ne!(first, numbers("2"));
    assert_eq!((&first["games"], &first["terminal"], &first["stuck"]), (&50.into(), &50.into(), &0.into()));
    let values = first["roles"][0]["goal"]["values"].as_object().unwrap();
    assert_eq!(values.values().map(|n| n.as_u64().unwrap()).sum::<u64>(), 50);
}

#[test]
fn simulations_tell_of_stuck_and_cut_games() {
    let stuck =
        "(role me) (init (p 1)) (<= (legal me go) (true (p 1))) (next (p 2)) (<= terminal (true (p 3))) (goal me 5)";
    let run = ludens_with(&["simulate", "-", "-n", "3", "--json"], stuck.as_bytes());
    let json = run.json();
    assert_eq!((&json["stuck"], &json["length"]["max"]), (&3.into(), &1.into()), "{}", run.out);
    let run = ludens(&["simulate", "tic-tac-toe", "-n", "4", "--most", "2"]);
    assert!(run.out.contains("4 cut after 2 steps"), "{}", run.out);
}

#[test]
fn a_closed_pipe_is_no_failure() {
    for args in [&["show", "rules", "chess"], &["games", "two", "--json"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ludens"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
    }
}
