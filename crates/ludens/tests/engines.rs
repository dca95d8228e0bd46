//! `ludens uci` and `ludens ugi` as other programs use them, and other programs as players: ours plays against itself.

mod support;

use play::MatchRecord;
use support::{ludens, ludens_with};

#[test]
fn a_conversation_from_a_pipe() {
    let run = ludens_with(&["uci"], b"uci\nposition startpos moves e2e4\ngo depth 3\nisready\nxyzzy\n");
    assert_eq!(run.code, 0, "{}", run.err);
    for part in ["uciok", "bestmove ", "readyok", "info string unknown command \"xyzzy\""] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let run =
        ludens_with(&["ugi", "nim", "--player", "exhaustive"], b"ugi\nposition startpos\ngo\nquery p1turn\nquit\n");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("ugiok"), "{}", run.out);
    assert_eq!(ludens(&["uci"]).code, 0, "the end of the input ends it");
}

#[test]
fn what_cannot_be_played_is_said_beforehand() {
    for (args, part) in [
        (&["ugi", "sudoku"][..], "UGI is for two players"),
        (&["ugi", "no-such-game"], "no-such-game"),
        (&["ugi", "nim", "--player", "uci:command=x"], "the rules are not those of the library's chess"),
        (&["uci", "--tables", "/no/such/folder"], "there is no folder"),
        (&["uci", "--hash", "0"], "0"),
        (&["match", "krk", "--player", "uci:command=no-such-engine"], "there is no program `no-such-engine`"),
        (&["match", "krk", "--player", "xboard:command=no-such-engine"], "there is no program `no-such-engine`"),
        (&["match", "krk", "--player", "uci:depth=3"], "which program?"),
        (&["play", "krk", "--opponent", "uci:command=no-such-engine"], "there is no program `no-such-engine`"),
        (&["tournament", "nim", "--player", "uci:command=true", "--player", "random"], "the rules are not those"),
    ] {
        let run = ludens(args);
        assert_eq!(run.code, 2, "{args:?}: {}{}", run.out, run.err);
        assert!(run.err.contains(part), "{args:?}: {}", run.err);
    }
}

#[test]
fn our_engine_is_a_player_of_our_matches() {
    let own = format!("uci:command='{}' uci,depth=4", env!("CARGO_BIN_EXE_ludens"));
    let folder = support::folder("engines");
    for (game, args) in [("krk", &["--scramble"][..]), ("chess", &["--most", "30"])] {
        let file = folder.join(format!("{game}.json")).display().to_string();
        let fixed =
            ["match", game, "--player", &own, "--player", "random", "--start", "20", "--play", "20", "--seed", "3"];
        let run = ludens(&[&fixed[..], args, &["--record", &file]].concat());
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        let record = MatchRecord::read(&std::fs::read_to_string(&file).expect("a record")).expect("a valid one");
        assert!(record.errors.iter().flatten().all(String::is_empty), "{game}: {:?}", record.errors);
    }
}

#[test]
fn our_engine_is_asked_by_analyse_and_play() {
    let own = format!("uci:command='{}' uci,depth=6", env!("CARGO_BIN_EXE_ludens"));
    // A rook and a king that mate in two.
    let run =
        ludens(&["analyse", "krk", "7k/8/5K2/8/8/8/8/1R6 w - - 0 1", "--player", &own, "--seconds", "20", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let last: serde_json::Value = serde_json::from_str(run.out.lines().last().expect("a report")).expect("JSON");
    assert_eq!((last["value"].as_f64(), last["final"].as_bool()), (Some(100.0), Some(true)), "{last}");
    let run = ludens_with(&["play", "krk", "--opponent", &own, "--role", "black"], b"1\nquit\n");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("white: (move w") && !run.err.contains("plays instead"), "{}{}", run.out, run.err);
}
