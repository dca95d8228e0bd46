//! `games`, `check`, `show`, `perft`, `simulate`: what they print, and the exit status they end with.

mod support;

use std::process::{Command, Stdio};
use support::{COUNT, file, folder, ludens, ludens_with};

#[test]
fn every_command_has_help_with_an_example() {
    let commands: [&[&str]; 11] = [
        &["games"],
        &["check"],
        &["show", "rules"],
        &["show", "about"],
        &["perft"],
        &["play"],
        &["simulate"],
        &["record"],
        &["replay"],
        &["completions"],
        &["man"],
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
    assert_eq!(run.code, 1, "the rules are faulty");
    let run = ludens(&["simulate", "tic-tac-toe", "-n", "4", "--most", "2"]);
    assert!(run.out.contains("4 cut after 2 steps"), "{}", run.out);
    assert_eq!(run.code, 0, "a game that is cut need not have a goal yet");
    let ends = "(role me) (role you) (init (p 1)) (legal me go) (legal you go) (<= (next (p 2)) (true (p 1)))
        (<= terminal (true (p 2))) (goal me 5)";
    let run = ludens_with(&["simulate", "-", "-n", "3"], ends.as_bytes());
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("3 of them without one goal for each role"), "{}", run.out);
    // Chance plays for nothing.
    let run = ludens_with(&["simulate", "-", "-n", "3"], ends.replace("you", "random").as_bytes());
    assert_eq!(run.code, 0, "{}", run.err);
}

/// A program that is asked to end by a signal as soon as it prints something, or after a second.
#[cfg(unix)]
fn ended_by(signal: &str, args: &[&str]) -> support::Run {
    use std::io::Read;
    let mut child = support::program()
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 1];
    let mut stdout = child.stdout.take().unwrap();
    if args[0] == "perft" {
        stdout.read_exact(&mut first).expect("a first line");
    }
    std::thread::sleep(std::time::Duration::from_secs(1));
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "it is alive");
    let mut out = String::from_utf8_lossy(&first).trim_matches('\0').to_string();
    stdout.read_to_string(&mut out).unwrap();
    let output = child.wait_with_output().unwrap();
    support::Run { code: output.status.code().unwrap_or(-1), out, err: String::from_utf8(output.stderr).unwrap() }
}

#[cfg(unix)]
#[test]
fn whoever_is_asked_to_end_says_what_is_kept() {
    for signal in ["-INT", "-TERM"] {
        let run = ended_by(signal, &["perft", "chess", "60"]);
        assert_eq!(run.code, 130, "{}", run.err);
        assert!(run.err.starts_with("ludens: interrupted; the paths of "), "{}", run.err);
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
        assert!(run.out.lines().nth(1).is_some_and(|line| line.trim_start().starts_with("0 ")), "{}", run.out);
        let run = ended_by(signal, &["simulate", "tic-tac-toe", "-n", "1000000000", "--json"]);
        assert_eq!(run.code, 130, "{}", run.err);
        let games = run.json()["games"].as_u64().unwrap();
        assert_eq!(run.err, format!("ludens: interrupted; the numbers are those of {games} of 1000000000 games\n"));
        let run = ended_by(signal, &["player", "--port", "0"]);
        assert!(run.code == 130 && run.err.starts_with("ludens: interrupted; "), "{} {}", run.code, run.err);
        // Nobody listens here: the program ends at once, and says so in the same way.
        let run = ended_by(signal, &["replay", "--library", "--jobs", "1", "--seconds", "60"]);
        assert_eq!(run.code, 130, "{}", run.err);
        assert_eq!(run.err, "ludens: interrupted; what is printed or saved until now stays\n");
    }
}

#[cfg(unix)]
#[test]
fn recordings_go_through_links_and_to_devices() {
    use std::os::unix::fs::symlink;
    let folder = folder("record-output");
    let [link, made] = ["link", "made"].map(|name| folder.join(name));
    symlink("made", &link).unwrap();
    let recorded = |path: &std::path::Path| ludens(&["record", "nim", "-o", &path.display().to_string()]);
    assert_eq!(recorded(&link).code, 0);
    assert_eq!(std::fs::read_to_string(&made).unwrap(), ludens(&["record", "nim"]).out);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(recorded(std::path::Path::new("/dev/stdout")).out, ludens(&["record", "nim"]).out);
    let full = recorded(std::path::Path::new("/dev/full"));
    assert_eq!(full.code, 2);
    assert!(full.err.starts_with("ludens: cannot write /dev/full: "), "{}", full.err);
    assert_eq!(recorded(&folder).code, 2);
    assert_eq!(recorded(&folder.join("no/such/folder")).code, 2);
    // The record of a match is written after each step; a pipe gets it once.
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || std::fs::read_to_string(pipe).unwrap())
    };
    let players = ["match", "nim", "--player", "legal", "--player", "legal", "--start", "1", "--play", "1", "--record"];
    let run = ludens(&[&players[..], &[&pipe.display().to_string()]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let record: serde_json::Value = serde_json::from_str(&reader.join().unwrap()).expect("one record");
    assert_eq!(record["isCompleted"], true, "{record}");
    let run = ludens(&[&players[..], &[&link.display().to_string()]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&made).unwrap().starts_with('{'));
    assert_eq!(ludens(&[&players[..], &["/dev/full"]].concat()).code, 2);
}

#[test]
fn the_version_names_the_commit() {
    let run = ludens(&["--version"]);
    let version = run.out.trim().strip_prefix(concat!("ludens ", env!("CARGO_PKG_VERSION"))).expect("the version");
    let head = Command::new("git").args(["rev-parse", "--short", "HEAD"]).output();
    let head = head.ok().filter(|output| output.status.success());
    match (version, head) {
        ("", _) => {}
        (_, Some(head)) => assert_eq!(version.trim(), format!("({})", String::from_utf8_lossy(&head.stdout).trim())),
        (_, None) => panic!("{version}: there is no repository"),
    }
}

#[test]
fn shells_and_manuals_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = ludens(&["completions", shell]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.contains("tournament") && run.out.contains("deny-warnings"), "{shell}");
    }
    assert_eq!(ludens(&["completions", "cmd"]).code, 2);
    assert!(ludens(&["man"]).out.contains(".TH ludens 1"));
    let folder = folder("man");
    let run = ludens(&["man", &folder.join("man1").display().to_string()]);
    assert_eq!(run.code, 0, "{}", run.err);
    for (page, word) in [("ludens", "tournament"), ("ludens-table-build-chess", "KQKR"), ("ludens-simulate", "seed")] {
        let text = std::fs::read_to_string(folder.join(format!("man1/{page}.1"))).expect(page);
        assert!(text.starts_with(".ie") && text.contains(word), "{page}");
    }
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
