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
