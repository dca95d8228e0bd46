//! `ludens tournament`: results that survive, and add up.

mod support;

use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn everybody_meets_everybody_with_roles_changed() {
    let folder = support::folder("tournament-all");
    let out = folder.display().to_string();
    let args = ["tournament", "tic-tac-toe", "nim", "hanoi", "--player", "uct:playouts=60", "--player", "random"];
    let more = ["--player", "legal", "-n", "2", "--start", "2", "--play", "1", "--parallel", "2", "--out", &out];
    let run = support::ludens(&[&args[..], &more, &["--records", "--json"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let result = run.json();
    // Three pairs, two games for two, and one for one with three players; twice.
    assert_eq!(result["games"], 2 * (3 + 3 + 3));
    let of = |name: &str| result["players"].as_array().expect("players").iter().find(|p| p["player"] == name).cloned();
    let uct = of("uct:playouts=60").expect("it played");
    assert_eq!(uct["games"], 10);
    assert!(uct["points"].as_f64() > of("random").expect("it played")["points"].as_f64(), "{result:#}");
    assert!(uct["elo"].as_f64() > Some(0.0), "{result:#}");
    let csv = std::fs::read_to_string(folder.join("standings.csv")).expect("a table");
    assert!(csv.lines().any(|line| line.starts_with("\"nim\",\"random\",\"legal\",2,")), "{csv}");
    assert!(folder.join("standings.json").is_file());
    // Who did how in which role: each of the three had each of the two roles twice.
    let roles: Vec<&serde_json::Value> =
        result["roles"].as_array().expect("roles").iter().filter(|row| row["game"] == "tic-tac-toe").collect();
    assert_eq!(roles.len(), 6, "{roles:?}");
    assert!(roles.iter().all(|row| row["games"] == 2), "{roles:?}");
    let csv = std::fs::read_to_string(folder.join("standings-roles.csv")).expect("a table");
    assert!(csv.lines().any(|line| line.starts_with("\"tic-tac-toe\",\"x\",\"random\",2,")), "{csv}");
    let records = std::fs::read_dir(folder.join("matches")).expect("records").flatten();
    let mut count = 0;
    for record in records {
        let text = std::fs::read_to_string(record.path()).expect("a record");
        assert!(play::MatchRecord::read(&text).is_ok(), "{text}");
        count += 1;
    }
    assert_eq!(count, 18);
    // The same again has nothing left to do, and other clocks are another tournament.
    let again = support::ludens(&[&args[..], &more, &["--json"]].concat());
    assert_eq!(again.json(), result);
    let seated = "\"first_has\":[true,false]";
    let lines = std::fs::read_to_string(folder.join("games.jsonl")).expect("results");
    assert_eq!(lines.lines().count(), 18);
    assert_eq!(lines.matches(seated).count(), 6, "half of the games for two");
}

#[test]
fn an_interrupted_tournament_goes_on() {
    let folder = support::folder("tournament-killed");
    let out = folder.display().to_string();
    let args = ["tournament", "tic-tac-toe", "--player", "monte-carlo:seconds=0.02", "--player", "random"];
    let args = [&args[..], &["-n", "8", "--start", "1", "--play", "1", "--out", &out]].concat();
    let mut child =
        support::program().args(&args).stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("the binary starts");
    let results = folder.join("games.jsonl");
    let lines = || std::fs::read_to_string(&results).unwrap_or_default();
    let until = Instant::now() + Duration::from_secs(60);
    while lines().lines().count() < 2 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it was alive");
    let _ = child.wait();
    let before = lines();
    assert!(before.lines().count() >= 2, "{before}");
    let run = support::ludens(&args);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("going on with"), "{}", run.out);
    assert!(run.out.contains("8 games\n"), "{}", run.out);
    let kept: Vec<&str> = before.lines().filter(|line| line.ends_with('}')).collect();
    assert!(kept.iter().all(|line| lines().contains(line)), "what was played stays");
    assert!(support::ludens(&[&args[..], &["--fresh", "--gauntlet"]].concat()).out.contains("8 games\n"));
}

#[test]
fn other_settings_overwrite_nothing() {
    let folder = support::folder("tournament-settings");
    let out = folder.display().to_string();
    let args = ["tournament", "nim", "--player", "legal", "--player", "random", "--start", "1", "--out", &out];
    let run = |more: &[&str]| {
        let run = support::ludens(&[&args[..], more].concat());
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        run
    };
    let shown = run(&["--play", "1"]);
    assert!(shown.out.contains("standings.json\n"), "{}", shown.out);
    assert!(shown.out.contains("game, role, player"), "{}", shown.out);
    let text =
        |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (first, table) = (text("standings.json"), text("standings.csv"));
    // Other clocks, other players, other games: other standings, beside the first.
    let other = run(&["--play", "2"]);
    let name = other.out.split(&['/', '\\', '\n'][..]).rfind(|word| word.starts_with("standings-")).expect("a name");
    let id = name.trim_start_matches("standings-").trim_end_matches(".json").to_string();
    assert!(text(name).contains(&id), "it says whose it is");
    run(&["--play", "1", "--player", "uct:playouts=10"]);
    run(&["--play", "1", "hanoi"]);
    assert_eq!((text("standings.json"), text("standings.csv")), (first.clone(), table));
    let files = || std::fs::read_dir(&folder).expect("a folder").flatten().map(|file| file.file_name());
    assert_eq!(files().filter(|name| name.to_string_lossy().ends_with(".json")).count(), 4);
    // More of the same goes on, and beginning anew forgets nothing of the others.
    let lines = || text("games.jsonl").lines().map(str::to_string).collect::<Vec<_>>();
    let before = lines();
    run(&["--play", "1", "-n", "4"]);
    assert_ne!(text("standings.json"), first);
    run(&["--play", "1", "--fresh"]);
    let others = |line: &&String| line.contains("play=2");
    assert_eq!(lines().iter().filter(others).count(), before.iter().filter(others).count());
    assert_eq!(lines().iter().filter(|line| line.contains("play=1")).count(), 2);
}

#[test]
fn one_tournament_at_a_time() {
    let folder = support::folder("tournament-locked");
    let out = folder.display().to_string();
    let args = ["tournament", "connect-four", "--player", "uct", "--player", "random", "--play", "5", "--out", &out];
    let mut child =
        support::program().args(args).stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("the binary starts");
    let lock = folder.join("games.lock");
    let until = Instant::now() + Duration::from_secs(60);
    while std::fs::read_to_string(&lock).map_or(true, |text| text.is_empty()) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    let quick = ["tournament", "nim", "--player", "legal", "--player", "random", "--start", "1", "--out", &out];
    let run = support::ludens(&quick);
    assert_eq!(run.code, 2, "{}", run.out);
    let who = format!("another run (process {}) is at work in", child.id());
    assert!(run.err.contains(&who) && run.err.contains("--out"), "{}", run.err);
    // A killed process is in nobody's way.
    child.kill().expect("it was alive");
    let _ = child.wait();
    assert_eq!(support::ludens(&quick).code, 0);
}

#[test]
fn a_seed_does_not_make_every_round_the_same_game() {
    let folder = support::folder("tournament-seeds");
    let out = folder.display().to_string();
    let args =
        ["tournament", "connect-four-small", "--player", "random:seed=1", "--player", "random:seed=2", "-n", "6"];
    let run = support::ludens(&[&args[..], &["--start", "1", "--play", "1", "--out", &out, "--json"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.json()["repeats"], 0);
    let lines = std::fs::read_to_string(folder.join("games.jsonl")).expect("results");
    let moves = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["moves"].to_string();
    let mut moves: Vec<String> = lines.lines().map(moves).collect();
    moves.sort();
    moves.dedup();
    assert_eq!(moves.len(), 6, "{lines}");
    // And the seeds decide all the same.
    let again = support::ludens(&[&args[..], &["--start", "1", "--play", "1", "--json"]].concat());
    assert_eq!(again.json(), run.json());
}

#[test]
fn the_seed_decides() {
    let args = ["tournament", "connect-four-small", "--player", "uct:playouts=40", "--player", "random", "--json"];
    let args = [&args[..], &["--scramble", "-n", "4", "--start", "5", "--play", "5"]].concat();
    let (one, two) = (support::ludens(&args), support::ludens(&args));
    assert_eq!(one.json(), two.json());
}

#[test]
fn wrong_usage_is_told() {
    for (args, part) in [
        (&["tournament", "nim", "--player", "random"][..], "at least two players"),
        (&["tournament", "nim", "--player", "random", "--player", "random"], "is there twice"),
        (&["tournament", "nim", "--player", "human", "--player", "random"], "do not need to sleep"),
        (&["tournament", "nimm", "--player", "legal", "--player", "random"], "did you mean nim"),
        (&["tournament", "nim", "nim", "--player", "legal", "--player", "random"], "the game nim is there twice"),
        (&["tournament", "nim", "-n", "0", "--player", "legal", "--player", "random"], "at least one game"),
        (&["tournament", "nim", "--player", "http://h:1", "--player", "http://H:1/x"], "one and the same player"),
    ] {
        let run = support::ludens(args);
        assert_eq!(run.code, 2, "{args:?}");
        assert!(run.err.contains(part), "{}", run.err);
    }
}

#[test]
fn the_gauntlet_says_whether_the_default_player_is_good_enough() {
    let folder = support::folder("gauntlet");
    let out = folder.display().to_string();
    let args = ["lab", "gauntlet", "nim", "--against", "random", "--start", "0.5", "--play", "0.2", "--out", &out];
    let run = support::ludens(&args);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("100.0% of the points, out for 99%; games below 99%: none"), "{}", run.out);
    let report = std::fs::read_to_string(folder.join("report.md")).expect("a report");
    assert!(report.contains("100.0% of the points") && report.contains("0.2 s a move"), "{report}");
    // Nobody loses in a game where everybody gets the same by doing the same: that is not enough.
    let even = ["lab", "gauntlet", "rock-paper-scissors", "--against", "random", "--start", "0.5", "--play", "0.2"];
    let run = support::ludens(&[&even[..], &["-n", "8", "--out", &out]].concat());
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(run.out.contains("games below 99%: rock-paper-scissors"), "{}", run.out);
}

#[test]
fn a_player_elsewhere_has_one_match_at_a_time() {
    let server = support::Server::new("legal");
    let args = ["tournament", "tic-tac-toe", "--player", &server.url, "--player", "random", "--player", "legal"];
    let args = [&args[..], &["-n", "4", "--start", "2", "--play", "1", "--parallel", "4", "--json"]].concat();
    let run = support::ludens(&args);
    assert_eq!(run.code, 0, "{}", run.err);
    let result = run.json();
    assert_eq!(result["games"], 12);
    assert!(result["players"].as_array().expect("players").iter().all(|player| player["faults"] == 0), "{result:#}");
    // Somebody else has begun a match with it: that is no game, and it is told.
    let rules = support::ludens(&["show", "rules", "nim"]).out;
    let role = rules.split("(role ").nth(1).and_then(|rest| rest.split(')').next()).expect("a role").to_string();
    assert_eq!(server.ask(&format!("( START other {role} ( {rules} ) 5 100 )")), "ready");
    let run = support::ludens(&[
        "tournament",
        "nim",
        "--player",
        &server.url,
        "--player",
        "random",
        "-n",
        "1",
        "--start",
        "2",
    ]);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.err.contains("1 game left out") && run.err.contains("it says: busy"), "{}", run.err);
    assert!(run.err.contains("0 of 1 game played"), "{}", run.err);
    assert_eq!(server.ask("( ABORT other )"), "aborted", "the other match was not touched");
}

#[cfg(unix)]
#[test]
fn ctrl_c_shows_what_is_there() {
    let folder = support::folder("tournament-interrupted");
    let out = folder.display().to_string();
    let server = support::Server::new("monte-carlo:seconds=0.05");
    let args = ["tournament", "tic-tac-toe", "--player", &server.url, "--player", "random", "-n", "40"];
    let args = [&args[..], &["--start", "1", "--play", "1", "--out", &out]].concat();
    let child = support::program()
        .args(&args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let lines = || std::fs::read_to_string(folder.join("games.jsonl")).unwrap_or_default().lines().count();
    let until = Instant::now() + Duration::from_secs(60);
    while lines() < 1 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    support::interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    let (shown, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(130), "{shown}{err}");
    assert!(
        err.starts_with("ludens: interrupted; ") && err.contains(" of 40 games played; the same command goes on"),
        "{err}"
    );
    assert!(shown.contains("Elo"), "{shown}");
    assert!(folder.join("standings.json").is_file());
    assert!(server.ask("( INFO )").contains("( status available )"));
}

#[test]
fn other_rules_are_another_game() {
    let folder = support::folder("tournament-rules");
    let game = support::file(&folder, "count.kif", support::COUNT);
    let out = folder.join("results").display().to_string();
    let args = ["tournament", &game, "--player", "random", "--player", "legal", "--start", "1", "--play", "1"];
    let args = [&args[..], &["--out", &out]].concat();
    assert_eq!(support::ludens(&args).code, 0);
    // Another comment is nothing new.
    support::file(&folder, "count.kif", format!("; the same\n{}", support::COUNT));
    let run = support::ludens(&args);
    assert!(run.out.contains("going on with 4 games"), "{}", run.out);
    support::file(&folder, "count.kif", support::COUNT.replace("(goal me 0)", "(goal me 50)"));
    let run = support::ludens(&args);
    assert!(run.out.contains("4 games played again: the rules have changed since"), "{}{}", run.out, run.err);
    assert!(run.out.contains("going on with 0 games"), "{}", run.out);
    assert!(!support::ludens(&args).out.contains("played again"));
}

#[test]
fn the_gauntlet_stops_when_it_is_decided() {
    let folder = support::folder("gauntlet-decided");
    let out = folder.display().to_string();
    let args = ["lab", "gauntlet", "nim", "tic-tac-toe", "--opponent", "legal", "--until-decided", "-n", "40"];
    let run = support::ludens(&[&args[..], &["--start", "0.3", "--play", "0.1", "--out", &out]].concat());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let told = run.out.split("decided after ").nth(1).and_then(|rest| rest.split_once(" matches: more"));
    let matches: u32 = told.expect(&run.out).0.parse().expect(&run.out);
    assert!((8..80).contains(&matches), "{}", run.out);
}

#[test]
fn what_is_chosen_in_start_clocks_is_held_against_uct() {
    let folder = support::folder("choice");
    let out = folder.display().to_string();
    let args = ["lab", "choice", "nim", "tic-tac-toe", "--starts", "2", "--start", "0.4", "--play", "0.05", "-n", "2"];
    let run = support::ludens(&[&args[..], &["--out", &out]].concat());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("\n4 start clocks, "), "{}", run.out);
    let starts = std::fs::read_to_string(folder.join("starts.jsonl")).expect("it is written");
    assert_eq!(starts.lines().filter(|line| line.contains("\"why\":\"")).count(), 4, "{starts}");
}

#[test]
fn puzzles_are_listed_with_what_was_found() {
    let run = support::ludens(&["lab", "puzzles", "hanoi", "lights-out", "--seconds", "20", "--json"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    for line in run.out.lines() {
        assert!(line.contains("\"solved\":true") && line.contains("\"points\":100"), "{line}");
    }
    assert_eq!(run.out.lines().count(), 2);
}
