//! Chess programs as players: small programs that misbehave in every way, and real ones where they are installed.
#![cfg(unix)]

use agent::PlayerSpec;
use game::Cancel;
use host::Players;
use host::matches::{Event, Setup, host};
use host::player_thread::PlayerThread;
use host::players::{no_people, read};
use machine::Engine;
use play::{Clock, Disguise, MatchRecord, Player, Start, Trouble};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A position in which white has a choice.
const KRK: &str = "krk";

fn rules(game: &str) -> gdl::Rules {
    gdl::parse(library::find(game).expect("it is in the library").rules).rules
}

/// A folder of the test's own, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("ludens-programs-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A UCI engine as a shell script: what it does when it hears `go`, `stop`, and before it answers anything.
fn engine(folder: &Path, name: &str, go: &str, stop: &str) -> String {
    let script = format!(
        "#!/bin/sh
echo $$ >> {pids}
while read -r line; do
case \"$line\" in
uci) echo id name Fake; echo option name Hash type spin default 1 min 1 max 9; echo uciok;;
isready) echo readyok;;
go*) {go};;
stop) {stop};;
quit) exit 0;;
esac
done
",
        pids = folder.join(format!("{name}.pids")).display()
    );
    let path = folder.join(name);
    std::fs::write(&path, script).expect("a script");
    format!("uci:command=sh {}", path.display())
}

/// A player in a match that has begun as white.
fn begun(player: &str, game: &str, seconds: f64) -> Result<Box<dyn Player>, Trouble> {
    let spec: PlayerSpec = read(player).expect("a player");
    let mut player = Players::default().make(&spec, 1, &no_people).expect("it can be made");
    let sheet = Disguise::new(&rules(game), None);
    let start = Start {
        id: "m".into(),
        role: "white".into(),
        rules: sheet.rules().to_string(),
        start: seconds,
        play: 1.0,
        cancel: Cancel::new(),
    };
    let began = Instant::now();
    let spent = || began.elapsed().as_secs_f64();
    player.prepare(&start, &Clock::new(seconds, &spent)).map(|()| player)
}

/// What it answers, and after how long.
fn answer(player: &mut Box<dyn Player>, seconds: f64) -> (Result<String, Trouble>, Duration) {
    let began = Instant::now();
    let spent = || began.elapsed().as_secs_f64();
    (player.choose(None, &Clock::new(seconds, &spent)), began.elapsed())
}

/// Whether all programs that wrote down their numbers are gone.
fn all_gone(folder: &Path, name: &str) -> bool {
    let pids = std::fs::read_to_string(folder.join(format!("{name}.pids"))).unwrap_or_default();
    let is_gone = |pid: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    };
    let until = Instant::now() + Duration::from_secs(5);
    while Instant::now() < until {
        if pids.lines().all(is_gone) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn a_program_plays_and_is_ended() {
    let folder = Folder::new("fine");
    let player = engine(&folder.0, "fine", "echo info depth 3 score cp 10 nodes 9 pv a1a2; echo bestmove a1a2", ":");
    let mut player = begun(&player, KRK, 10.0).expect("it is ready");
    let (mv, _) = answer(&mut player, 5.0);
    assert_eq!(mv.as_deref(), Ok("(move wk a 1 a 2)"));
    let last = ["(move wk a 1 a 2)".to_string(), "noop".to_string()];
    assert_eq!(player.choose(Some(&last), &Clock::new(5.0, &|| 0.0)).as_deref(), Ok("noop"));
    let other = ["noop".to_string(), "(move bk h 9 h 9)".to_string()];
    assert!(matches!(player.choose(Some(&other), &Clock::new(5.0, &|| 0.0)), Err(Trouble::Lost(_))));
    drop(player);
    assert!(all_gone(&folder.0, "fine"));
}

#[test]
fn whatever_a_program_does_an_answer_comes_in_time() {
    let folder = Folder::new("bad");
    for (name, go, stop, part) in [
        ("hangs", "sleep 1000", ":", "out of time"),
        ("ignores-stop", ":", ":", "out of time"),
        ("dies", "exit 1", ":", "has ended"),
        ("dies-late", "sleep 0.2; exit 1", ":", "has ended"),
        ("endless", "yes info string talk", ":", "out of time"),
        ("one-line", "yes no end of line | tr -d \"\\n\"", ":", "out of time"),
        ("noise", "head -c 100000 /dev/urandom", "echo bestmove", "out of time"),
        ("finds-nothing", "echo bestmove \\(none\\)", ":", "finds no move"),
        ("stops", ":", "echo bestmove b2b7", "(move wr b 2 b 7)"),
        ("illegal", "echo bestmove a1h8", ":", "a1h8"),
        ("twice", "echo bestmove a1a2; echo bestmove a1b1", ":", "(move wk a 1 a 2)"),
    ] {
        let player = engine(&folder.0, name, go, stop);
        let mut player = begun(&player, KRK, 20.0).unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
        let (answered, time) = answer(&mut player, 0.6);
        let text = answered.unwrap_or_else(|trouble| trouble.to_string());
        assert!(text.contains(part), "{name}: {text}");
        assert!(time < Duration::from_secs_f64(2.5), "{name}: {time:?}");
        // And again, with another one where the first is of no use any more.
        let (again, _) = answer(&mut player, 0.6);
        let text = again.unwrap_or_else(|trouble| trouble.to_string());
        assert!(text.contains(part), "{name} again: {text}");
        drop(player);
        assert!(all_gone(&folder.0, name), "{name} is still there");
    }
}

#[test]
fn what_is_no_engine_is_refused_with_its_name() {
    let folder = Folder::new("none");
    let fake = engine(&folder.0, "fine", "echo bestmove a1a2", ":");
    let (players, chess, cancel) = (Players::default(), rules(KRK), Cancel::new());
    for (player, part) in [
        ("uci:command=no-such-engine", "there is no program `no-such-engine`"),
        ("xboard:command=gnuchess", "uci:command=gnuchess --uci"),
        ("xboard:command=no-such-engine", "there is no program `no-such-engine`"),
        ("uci:command=true", "true has ended: no answer to `uci`; is it a UCI engine?"),
        ("uci:command='", "a quote is open"),
        (&format!("{fake},option.Speed=9")[..], "Fake has no option \"speed\"; it has Hash"),
    ] {
        let spec = read(player).expect("it can be written");
        let error = players.ready(&spec, &chess, &cancel).expect_err(player).to_string();
        assert!(error.contains(part), "{player}: {error}");
    }
    let spec = read(&format!("{fake},option.hash=3")).expect("a player");
    players.ready(&spec, &chess, &cancel).expect("it is there");
    let error = players.ready(&spec, &rules("nim"), &cancel).expect_err("no chess").to_string();
    assert!(error.contains("the rules are not those of the library's chess"), "{error}");
    // Whoever waits in vain can say that it is enough.
    let silent = read("uci:command=sleep 1000").expect("a player");
    let began = Instant::now();
    cancel.cancel();
    assert!(players.ready(&silent, &chess, &cancel).is_err());
    assert!(began.elapsed() < Duration::from_secs(5));
}

/// Plays a match on a game, with the words of the rules changed if there is a seed.
fn play(game: &str, white: &str, black: &str, scramble: Option<u64>, seconds: f64) -> MatchRecord {
    let rules = rules(game);
    let engine: Engine = machine::Loader::new(&rules).best().expect("it can be played").engine;
    let disguise = Disguise::new(&rules, scramble);
    let shared = Players::default();
    let thread = |text: &str, seed: u64| {
        let spec = read(text).expect("a player");
        let player = shared.make(&spec, seed, &no_people).expect("it can be made");
        Some(PlayerThread::new(spec.to_string(), false, player).expect("a thread"))
    };
    let setup = Setup {
        id: "m".into(),
        disguise: &disguise,
        start: 20.0,
        play: seconds,
        seed: 1,
        most: 400,
        game: game.into(),
        url: String::new(),
        tournament: None,
        more: Vec::new(),
    };
    let mut players = [thread(white, 1), thread(black, 2)];
    host(&engine, &setup, &mut players, &mut |event, _| {
        if let Event::Ready(troubles) = event {
            assert!(troubles.iter().all(Option::is_none), "{troubles:?}");
        }
        Ok(())
    })
    .expect("it is played")
}

fn has(program: &str) -> bool {
    let path = std::env::var("PATH").unwrap_or_default();
    path.split(':').chain(["/usr/games"]).any(|folder| Path::new(folder).join(program).is_file())
}

/// The real engines of this machine. Three plies are enough to play on; to mate with a rook Stockfish needs more.
fn real() -> Vec<&'static str> {
    let all = [
        ("stockfish", "uci:command=stockfish,depth=9,option.Threads=1"),
        ("gnuchess", "uci:command=gnuchess --uci,depth=3"),
        ("toga2", "uci:command=toga2,depth=3"),
        ("sjeng", "xboard:command=sjeng,depth=3"),
    ];
    let (there, absent): (Vec<_>, Vec<_>) = all.into_iter().partition(|(program, _)| has(program));
    for (program, _) in absent {
        eprintln!("skipped: {program} is not installed here (Debian: apt-get install {program})");
    }
    there.into_iter().map(|(_, player)| player).collect()
}

#[test]
fn real_engines_play_whole_games_without_a_fault() {
    for (at, player) in real().into_iter().enumerate() {
        let record = play(KRK, player, "random", (at % 2 == 1).then_some(7), 20.0);
        let faults: Vec<&Vec<String>> = record.errors.iter().filter(|row| row.iter().any(|e| !e.is_empty())).collect();
        assert!(faults.is_empty(), "{player}: {faults:?}");
        assert_eq!(record.is_completed, Some(true), "{player}");
        if player.contains("stockfish") {
            assert_eq!(record.goal_values, [100, 0], "{player} mates with a rook");
        }
        let record = play("chess", player, "random", None, 20.0);
        let faults: Vec<&Vec<String>> = record.errors.iter().filter(|row| row.iter().any(|e| !e.is_empty())).collect();
        assert!(faults.is_empty(), "{player}: {faults:?}");
    }
}
