//! `ludens match`: full games between processes, with faults, and a valid record at the end of each.

mod support;

use play::MatchRecord;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use support::Server;

/// A player that takes every message and gives this answer; none at all if there is none to give.
fn fake(answer: Option<&'static [u8]>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for mut stream in listener.incoming().flatten() {
            let _ = stream.set_read_timeout(Some(Duration::from_millis(20)));
            let mut waste = vec![0; 1 << 16];
            while stream.read(&mut waste).is_ok_and(|count| count > 0) {}
            match answer {
                Some(answer) => {
                    let _ = stream.write_all(answer);
                }
                None => held.push(stream),
            }
        }
    });
    url
}

/// Three steps in which both choose; the sum decides.
const SHORT: &str = "\
(role left) (role right) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal ?r (say ?n)) (role ?r) (succ ?n ?m))
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
(<= (next (said ?r ?n)) (does ?r (say ?n)))
(<= terminal (true (step 3)))
(<= (goal left 100) (true (said left 2)))
(<= (goal left 0) (not (true (said left 2))))
(<= (goal right 100) (not (true (said left 2))))
(<= (goal right 0) (true (said left 2)))
";

/// The record in a file: valid, and a game that our engines play in the same way.
fn checked(path: &Path, game: Option<&str>) -> MatchRecord {
    let text = std::fs::read_to_string(path).expect("a record");
    let record = MatchRecord::read(&text).unwrap_or_else(|problems| panic!("{problems:?} in {text}"));
    let path = path.display().to_string();
    let mut args = vec!["replay", &path[..]];
    args.extend(game.iter().flat_map(|game| ["--game", game]));
    let run = support::ludens(&args);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    record
}

/// Plays a match to its end and gives the record.
fn play(folder: &Path, name: &str, args: &[&str]) -> MatchRecord {
    let path = folder.join(format!("{name}.json"));
    let file = path.display().to_string();
    let run = support::ludens(&[&["match"][..], args, &["--record", &file]].concat());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    checked(&path, None)
}

/// What was wrong with the answers of a role.
fn errors(record: &MatchRecord, role: usize) -> Vec<&str> {
    record.errors.iter().map(|row| &row[role][..]).collect()
}

/// How many games the long test plays; all 50 with `LUDENS_HTTP_GAMES=50`.
fn games() -> usize {
    std::env::var("LUDENS_HTTP_GAMES").ok().and_then(|text| text.parse().ok()).unwrap_or(8)
}

#[test]
fn full_games_over_loopback_with_faults() {
    let folder = support::folder("matches-loopback");
    let short = support::file(&folder, "short.kif", SHORT);
    let names = ["tic-tac-toe", "connect-four-small", "nim", "rock-paper-scissors", "breakthrough-small"];
    let (one, two) = (Server::new("uct:playouts=50"), Server::new("random"));
    for number in 0..games() {
        let game = names[number % names.len()];
        let name = format!("game-{number}");
        let scramble: &[&str] = if number % 2 == 1 { &["--scramble"] } else { &[] };
        let clocks = ["--start", "5", "--play", "2", "--seed", &number.to_string()].map(str::to_string);
        let clocks: Vec<&str> = clocks.iter().map(String::as_str).chain(scramble.iter().copied()).collect();
        match number % 8 {
            // Nothing wrong: nothing recorded.
            0 | 2 | 4 | 6 => {
                let players = ["--player", &one.url, "--player", &two.url];
                let record = play(&folder, &name, &[&[game][..], &players, &clocks].concat());
                assert!(record.errors.iter().flatten().all(String::is_empty), "{:?}", record.errors);
                assert_eq!(record.is_completed, Some(true));
            }
            1 => {
                let rubbish = fake(Some(b"HTTP/1.0 200 OK\r\n\r\n(fly (to the) moon"));
                let players = ["--player", &rubbish, "--player", &two.url];
                let record = play(&folder, &name, &[&[game][..], &players, &clocks].concat());
                assert!(errors(&record, 0)[1..].iter().all(|error| error.starts_with("IL ")), "{:?}", record.errors);
                assert!(errors(&record, 1).iter().all(|error| error.is_empty()), "{:?}", record.errors);
            }
            3 => {
                let broken = fake(Some(b"\x00\xff no protocol at all"));
                let players = ["--player", &two.url, "--player", &broken];
                let record = play(&folder, &name, &[&[game][..], &players, &clocks].concat());
                assert!(errors(&record, 1).iter().all(|error| *error == "CE"), "{:?}", record.errors);
            }
            5 => {
                let hanging = fake(None);
                let players = ["--player", &hanging, "--player", &two.url, "--start", "0.5", "--play", "0.2"];
                let record = play(&folder, &name, &[&[&short[..]][..], &players, scramble].concat());
                assert_eq!(errors(&record, 0), ["TO"; 4]);
            }
            _ => killed(&folder, &name, &two.url),
        }
    }
}

/// A player that dies in the middle of a match.
fn killed(folder: &Path, name: &str, other: &str) {
    let mut victim = Server::new("monte-carlo:seconds=0.1");
    let path = folder.join(format!("{name}.json"));
    let file = path.display().to_string();
    let mut child = support::program()
        .args(["match", "connect-four-small", "--player", &victim.url, "--player", other])
        .args(["--start", "1", "--play", "1", "--record", &file])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("the binary starts");
    // The record is whole at any moment, and only grows.
    let mut before: Option<MatchRecord> = None;
    let until = Instant::now() + Duration::from_secs(60);
    while before.as_ref().is_none_or(|record| record.moves.len() < 3) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let now = MatchRecord::read(&text).unwrap_or_else(|problems| panic!("{problems:?} in {text}"));
        if let Some(before) = before.as_ref().filter(|before| **before != now) {
            assert!(now.continues(before));
        }
        before = Some(now);
    }
    victim.child.kill().expect("it was alive");
    assert!(child.wait().expect("it ends").success());
    let record = checked(&path, None);
    assert!(record.continues(&before.expect("some steps were made")));
    assert!(errors(&record, 0).contains(&"CE"), "{:?}", record.errors);
    assert_eq!((record.is_completed, record.goal_values.len()), (Some(true), 2));
}

#[test]
fn local_players_need_no_network() {
    let folder = support::folder("matches-local");
    let args = ["tic-tac-toe", "--player", "uct:playouts=200", "--player", "legal", "--start", "2", "--play", "1"];
    let record = play(&folder, "local", &[&args[..], &["--seed", "3", "--scramble"]].concat());
    assert_eq!(record.goal_values, [100, 0], "UCT beats the first legal move");
    assert_eq!(record.scrambled, Some(true));
    assert_eq!(record.player_names_from_host, ["uct:playouts=200", "legal"]);
    let again = play(&folder, "again", &[&args[..], &["--seed", "3", "--scramble"]].concat());
    assert_eq!(record.moves, again.moves, "the seed decides");
}

#[test]
fn events_are_streamed() {
    let run =
        support::ludens(&["match", "nim", "--player", "random", "--player", "random", "--stream", "--start", "1"]);
    let lines: Vec<serde_json::Value> =
        run.out.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    let kinds: Vec<&str> = lines.iter().filter_map(|line| line["event"].as_str()).collect();
    assert_eq!(kinds[..2], ["start", "ready"]);
    assert_eq!(kinds.last(), Some(&"end"));
    let record = &lines[lines.len() - 1]["match"];
    assert_eq!(record["moves"].as_array().map(Vec::len), Some(lines.len() - 3));
    assert!(MatchRecord::read(&record.to_string()).is_ok());
}

#[test]
fn a_match_that_does_not_end_is_given_up() {
    let folder = support::folder("matches-given-up");
    let path = folder.join("cut.json");
    let file = path.display().to_string();
    let args = ["match", "chess", "--player", "random", "--player", "random", "--most", "4", "--start", "5"];
    let run = support::ludens(&[&args[..], &["--play", "1", "--record", &file]].concat());
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    let record = checked(&path, None);
    assert_eq!((record.is_aborted, record.moves.len()), (Some(true), 4));
    // Somebody else's record: the game must be named, and a change is noticed.
    let text = std::fs::read_to_string(&path).expect("a record").replace("\"x-game\":\"chess\"", "\"x-note\":\"?\"");
    let other = support::file(&folder, "other.json", &text);
    assert!(support::ludens(&["replay", &other]).err.contains("--game"));
    checked(Path::new(&other), Some("chess"));
    // As managers write it for a game of their own.
    let bare = text.replace("\"gameMetaURL\":\"ludens://games/chess\",", "");
    assert_ne!(bare, text);
    checked(Path::new(&support::file(&folder, "bare.json", &bare)), Some("chess"));
    let wrong = support::file(&folder, "wrong.json", text.replacen("white", "black", 40));
    assert_ne!(support::ludens(&["replay", &wrong, "--game", "chess"]).code, 0);
}

#[test]
fn chance_is_played_by_the_manager() {
    let folder = support::folder("matches-chance");
    let dice = "(role me) (role random) (init (step 1)) (succ 1 2) (succ 2 3) (face 1) (face 2) (face 3)
        (legal me noop) (<= (legal random (roll ?n)) (face ?n))
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= (next (rolled ?n)) (does random (roll ?n)))
        (<= terminal (true (step 3))) (<= (goal me 100) (true (rolled 1))) (<= (goal me 0) (not (true (rolled 1))))
        (goal random 0)";
    let dice = support::file(&folder, "dice.kif", dice);
    let record = play(&folder, "dice", &[&dice, "--player", "random", "--start", "1", "--play", "1"]);
    assert_eq!(record.player_names_from_host, ["random", "random"]);
    // Where the file lies is nobody's business.
    assert!(record.match_id.starts_with("dice."), "{}", record.match_id);
    assert_eq!(record.game_name.as_deref(), Some("dice"));
    assert_eq!(record.game_meta_url.as_deref(), Some("ludens://games/dice"));
    assert!(record.moves.iter().all(|joint| joint[1].starts_with("(roll ")));
    let run = support::ludens(&["match", &dice, "--player", "random", "--player", "random"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("there are 2 players for 1 role"), "{}", run.err);
}

/// Waits until a match has written its record, and made so many steps.
#[cfg(unix)]
fn wait_for_steps(path: &Path, steps: usize) {
    let until = Instant::now() + Duration::from_secs(60);
    let made = || Some(MatchRecord::read(&std::fs::read_to_string(path).ok()?).ok()?.moves.len());
    while made().is_none_or(|made| made < steps) {
        assert!(Instant::now() < until, "no step was made");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(unix)]
#[test]
fn whoever_breaks_off_tells_the_players() {
    let folder = support::folder("matches-broken-off");
    let (one, two) = (Server::new("legal"), Server::new("uct"));
    let path = folder.join("interrupted.json");
    let file = path.display().to_string();
    // Somebody thinks for a long time, and Ctrl-C comes in the middle of it.
    let began = Instant::now();
    let child = support::program()
        .args(["match", "connect-four", "--player", &one.url, "--player", &two.url, "--record", &file])
        .args(["--start", "1", "--play", "100"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    wait_for_steps(&path, 1);
    std::thread::sleep(Duration::from_millis(200));
    support::interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(130), "{out}{err}");
    assert!(out.contains("given up: interrupted") && err.starts_with("ludens: interrupted; "), "{out}{err}");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    let record = checked(&path, None);
    assert_eq!((record.is_aborted, record.is_completed), (Some(true), Some(false)));
    for server in [&one, &two] {
        assert!(server.ask("( INFO )").contains("( status available )"));
    }
    // The record cannot be written any more.
    let gone = folder.join("gone");
    std::fs::create_dir_all(&gone).expect("a folder");
    let file = gone.join("match.json");
    let mut child = support::program()
        .args(["match", "hex", "--player", &one.url, "--player", "monte-carlo:seconds=0.1", "--start", "2"])
        .args(["--play", "5", "--record", &file.display().to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    wait_for_steps(&file, 1);
    // A file where the folder was: that can be neither used nor made again.
    while std::fs::remove_dir_all(&gone).and_then(|()| std::fs::write(&gone, "")).is_err() {}
    assert_eq!(child.wait().expect("it ends").code(), Some(2));
    assert!(one.ask("( INFO )").contains("( status available )"));
    // Whoever read the output has seen enough.
    let path = folder.join("pipe.json");
    let file = path.display().to_string();
    let mut child = support::program()
        .args(["match", "nim", "--player", &one.url, "--player", &one.url.replace("127.0.0.1", "localhost")])
        .args(["--start", "1", "--play", "1", "--record", &file])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    child.wait().expect("it ends");
    assert!(one.ask("( INFO )").contains("( status available )"));
    assert_eq!(checked(&path, None).is_aborted, Some(true));
}

#[test]
fn what_cannot_work_is_told_before_anybody_waits() {
    let began = Instant::now();
    let players = ["--player", "random", "--player", "random", "--start", "20"];
    for (more, part) in [
        (["--id", "two words"], "\"two words\" cannot be the name of a match"),
        (["--id", "a(b"], "without blanks, brackets"),
        (["--id", "a\nb"], "one word"),
        (["--id", ""], "one word"),
        (["--record", "/nowhere/at/all.json"], "cannot write /nowhere/at/all.json"),
        (["--record", "."], "cannot write ."),
    ] {
        let run = support::ludens(&[&["match", "tic-tac-toe"][..], &players, &more].concat());
        assert_eq!(run.code, 2, "{more:?}: {}", run.out);
        assert!(run.err.contains(part), "{more:?}: {}", run.err);
    }
    let run = support::ludens(&["match", "tic-tac-toe", "--player", "human", "--start", "1", "--play", "100"]);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(run.out.contains("given up: the input has ended"), "{}{}", run.out, run.err);
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
}

#[test]
fn a_scrambled_match_does_not_tell_the_game() {
    let folder = support::folder("matches-scrambled");
    let known = fake(Some(b"HTTP/1.0 200 OK\r\n\r\n(mark 1 1)"));
    let args = ["tic-tac-toe", "--scramble", "--player", &known, "--player", "random", "--start", "1", "--play", "1"];
    let record = play(&folder, "scrambled", &args);
    assert!(record.match_id.starts_with("match."), "{}", record.match_id);
    let errors = errors(&record, 0);
    assert!(errors[1..].iter().all(|error| *error == "IL (mark 1 1)"), "{errors:?}");
    // A folder of records.
    std::fs::write(folder.join("other.json"), "{\"matchId\": 7}").expect("it can be written");
    let run = support::ludens(&["replay", &folder.display().to_string()]);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.out.contains("2 games: 1 ok") && run.out.contains("`matchId`: invalid type"), "{}", run.out);
}

#[test]
fn other_answers_of_the_web() {
    let folder = support::folder("matches-web");
    let short = support::file(&folder, "short.kif", SHORT);
    let chunked =
        fake(Some(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n(say\r\n3\r\n 1)\r\n0\r\n\r\n"));
    let oops = fake(Some(b"HTTP/1.0 500 Oops\r\n\r\n(say 1)"));
    let args = [&short, "--player", &chunked, "--player", &oops, "--start", "1", "--play", "1"];
    let record = play(&folder, "web", &args);
    assert!(errors(&record, 0)[1..].iter().all(|error| error.is_empty()), "{:?}", record.errors);
    assert!(errors(&record, 1).iter().all(|error| *error == "CE"), "{:?}", record.errors);
}
