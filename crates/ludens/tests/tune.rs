//! `ludens tune`: an answer that can be pasted, the same for the same seed, and nothing lost when it is interrupted.

mod support;

use std::process::Stdio;
use std::time::{Duration, Instant};

const QUICK: [&str; 10] =
    ["tune", "nim", "--player", "uct:playouts=20", "--vary", "c,bias", "--games", "60", "--check", "20"];

#[test]
fn the_answer_can_be_pasted_and_is_the_same_again() {
    let folder = support::folder("tune-all");
    let out = folder.display().to_string();
    let run = support::ludens(&[&QUICK[..], &["--out", &out]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.out.starts_with("tuning uct:playouts=20 on nim, c 0.05..1.5 by 0.01 from 0.45, bias 0..16"),
        "{}",
        run.out
    );
    let answer = run.out.lines().last().expect("an answer").to_string();
    assert!(answer.starts_with("uct:") && answer.ends_with("playouts=20"), "{answer}");
    let again = support::ludens(&[&QUICK[..], &["--json", "--parallel", "1"]].concat());
    let json = again.json();
    assert_eq!((json["player"].as_str(), again.code), (Some(answer.as_str()), 0), "{json}");
    assert!(json["log"].as_array().is_some_and(|log| log.len() > 3), "{json}");
    let played = support::ludens(&["tournament", "nim", "--player", &answer, "--player", "random", "-n", "2"]);
    assert_eq!(played.code, 0, "{}", played.err);
    // Another method has files of its own beside the first ones.
    let climb = ["--method", "climb", "--games", "72", "--check", "4", "--out", &out];
    let other = support::ludens(&[&QUICK[..6], &climb[..]].concat());
    assert_eq!(other.code, 0, "{}", other.err);
    assert!(other.out.contains("pass 3, bias: against"), "{}", other.out);
    let names = || std::fs::read_dir(&folder).expect("a folder").flatten().map(|file| file.file_name());
    assert_eq!(names().filter(|name| name.to_string_lossy().ends_with(".log")).count(), 2);
}

#[test]
fn whoever_is_killed_goes_on() {
    let folder = support::folder("tune-killed");
    let out = folder.display().to_string();
    let args =
        ["tune", "tic-tac-toe", "--player", "uct:playouts=150", "--vary", "c", "--games", "200", "--check", "40"];
    let whole = support::ludens(&[&args[..], &["--json"]].concat()).json();
    let args = [&args[..], &["--json", "--out", &out]].concat();
    let mut child =
        support::program().args(&args).stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("the binary starts");
    let games = folder.join("games.jsonl");
    let lines = || std::fs::read_to_string(&games).unwrap_or_default().lines().count();
    let until = Instant::now() + Duration::from_secs(60);
    while lines() < 30 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("it was alive");
    let _ = child.wait();
    let before = lines();
    assert!((30..240).contains(&before), "{before}");
    let run = support::ludens(&args);
    assert_eq!(run.code, 0, "{}", run.err);
    for key in ["player", "found", "check", "log", "games"] {
        assert_eq!(run.json()[key], whole[key], "{key}");
    }
    assert!(lines() <= 241, "{}: nothing is played twice, but what was cut off", lines());
    // Without `--json` it says so; and nothing is left to play.
    let args: Vec<&str> = args.into_iter().filter(|word| *word != "--json").collect();
    let again = support::ludens(&args);
    assert!(again.out.contains("going on with 2"), "{}", again.out);
}

#[test]
fn games_for_three_are_tuned_too() {
    let args = ["tune", "farmers", "--player", "uct:playouts=5", "--vary", "c", "--games", "40", "--check", "4"];
    let run = support::ludens(&args);
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn what_makes_no_sense_is_refused_with_a_way_out() {
    for (args, part) in [
        (&["hanoi", "--player", "uct:playouts=5", "--vary", "c"][..], "a game for one"),
        (&["nim", "--player", "uct:playouts=5", "--vary", "speed"], "has no setting `speed`"),
        (&["nim", "--player", "uct:playouts=5", "--vary", "playouts"], "may spend"),
        (&["nim", "--player", "random", "--vary", "c"], "nothing of random can be"),
        (&["nim", "--player", "uct:playouts=5", "--vary", "c", "--games", "5"], "too few"),
        (&["nim", "--player", "human", "--vary", "c"], "nothing of human can be"),
        (&["nimm", "--player", "uct:playouts=5", "--vary", "c"], "did you mean nim"),
    ] {
        let run = support::ludens(&[&["tune"][..], args].concat());
        assert!(run.code == 2 && run.err.contains(part), "{args:?}: {} {}", run.code, run.err);
    }
}
