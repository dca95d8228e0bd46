//! What endgame people ask of tables: the fifty-move rule, positions that are found, games that are annotated, and the cost of a build.

mod support;

use serde_json::Value;
use std::path::Path;
use support::{Run, file, folder, ludens};

fn ends(run: &Run, code: i32) {
    assert_eq!(run.code, code, "{}\n{}", run.out, run.err);
}

fn table(folder: &Path, args: &[&str]) -> Run {
    let folder = folder.display().to_string();
    ludens(&[&["table"], args, &["--folder", &folder]].concat())
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let run = table(folder, &[args, &["--json"]].concat());
    ends(&run, 0);
    run.json()
}

#[test]
fn the_fifty_move_rule() {
    let folder = folder("endings-zeroing");
    ends(&table(&folder, &["build", "chess", "KPK", "--metric", "zeroing", "--compress"]), 0);
    let ask = |clock: &str| {
        let fen = format!("8/8/8/k7/8/K7/6P1/8 b - - {clock} 1");
        json(&folder, &["probe", &fen, "--metric", "zeroing"])
    };
    let fresh = ask("0");
    assert_eq!((&fresh["result"], &fresh["plies"], &fresh["ruling"]), (&"loss".into(), &20.into(), &"loss".into()));
    let late = ask("81");
    assert_eq!(
        (&late["result"], &late["ruling"], &late["clock"]),
        (&"loss".into(), &"blessed loss".into(), &81.into())
    );
    assert!(late["moves"].as_array().unwrap().iter().any(|row| row["ruling"] == "blessed loss"), "{late}");
    let words = table(&folder, &["probe", "8/8/8/k7/8/K7/6P1/8 b - - 81 1", "--metric", "dtz"]);
    assert!(words.out.contains("draw by the fifty-move rule, 81 of its 100 plies"), "{}", words.out);

    let path = folder.join("chess/KPK.dtz.table").display().to_string();
    let info = table(&folder, &["info", &path]);
    assert!(info.out.contains("0 cursed wins, 0 blessed losses"), "{}", info.out);
    let statistics = &json(&folder, &["info", &path])["statistics"]["black to move"];
    assert_eq!((&statistics["lost"], &statistics["lost by plies"][20]), (&48_802.into(), &4.into()));
    ends(&table(&folder, &["verify", &path]), 0);
    let list = json(&folder, &["list"]);
    assert!(
        list["tables"].as_array().unwrap().iter().all(|table| table["metric"].as_str().unwrap().contains("pawn move"))
    );
    // The other metrics are not there, and the way to them is told.
    let missing = table(&folder, &["probe", "8/8/8/k7/8/K7/6P1/8 b - -"]);
    ends(&missing, 2);
    assert!(missing.err.contains("ludens table build chess KPK --folder"), "{}", missing.err);
    let missing = table(&folder, &["probe", "8/8/8/k7/8/K7/6Q1/8 b - -", "--metric", "dtc"]);
    assert!(missing.err.contains("--metric dtc"), "{}", missing.err);
}

#[test]
fn positions_are_found() {
    let folder = folder("endings-find");
    ends(&table(&folder, &["build", "chess", "KPK", "KRK"]), 0);
    let count = |args: &[&str]| -> u64 {
        let run = table(&folder, &[&["find"], args, &["--count"]].concat());
        run.out.trim().parse().unwrap_or_else(|_| panic!("{args:?}: {}{}", run.out, run.err))
    };
    // Known: 390 positions with black to move are 32 plies from mate, 121 with white to move 31.
    assert_eq!(count(&["KRK", "--longest"]), 390);
    assert_eq!(count(&["KRK", "--longest", "--turn", "white"]), 121);
    assert_eq!(count(&["krk", "--distance", "31"]), 121);
    assert_eq!(count(&["KPK", "--zugzwang"]), 80);
    assert_eq!(count(&["KPK", "--only-move"]), 11_815);
    assert_eq!(count(&["KPK", "--all", "--turn", "black", "--result", "draw"]), 35_210);

    let run = table(&folder, &["find", "KRK", "--distance", "31", "--limit", "2"]);
    ends(&run, 0);
    assert_eq!(run.out.lines().count(), 2, "{}", run.out);
    assert!(run.out.lines().all(|line| line.contains("wdl 1; dtm 31; dm 16;") && line.contains("bm ")), "{}", run.out);
    assert!(run.err.contains("2 of 121 positions"), "{}", run.err);
    let report = json(&folder, &["find", "KPK", "--zugzwang", "--limit", "0"]);
    assert_eq!((&report["count"], report["positions"].as_array().unwrap().len()), (&80.into(), 80));
    assert!(report["positions"].as_array().unwrap().iter().all(|row| row["black to move"]["result"] == "loss"));

    let none = table(&folder, &["find", "KRK", "--all", "--winner", "black"]);
    ends(&none, 1);
    assert_eq!((none.out.as_str(), none.err.trim()), ("", "0 positions"));
    for (args, word) in [
        (&["KRK"][..], "--longest"),
        (&["KRK", "--longest", "--zugzwang"], "--zugzwang"),
        (&["KQKR", "--longest"], "ludens table build chess KQKR"),
        (&["KXK", "--longest"], "KXK"),
        (&["KRK", "--all", "--result", "cursed-win"], "--metric zeroing"),
        (&["KRK", "--distance", "300"], "300"),
        (&["KRK", "--zugzwang", "--turn", "white"], "--turn"),
    ] {
        let run = table(&folder, &[&["find"], args].concat());
        ends(&run, 2);
        assert!(run.err.contains(word), "{args:?}: {}", run.err);
    }
}

const GAMES: &str = r#"[Event "Pawn"]
[FEN "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"]

1. Kd5 {too slow?} Kd7 2. e6+ Ke7 (2... Ke8) 3. Ke5 Ke8 4. Kd6 Kd8 5. e7+ 1-0
"#;

#[test]
fn games_and_positions_are_annotated() {
    let folder = folder("endings-annotate");
    ends(&table(&folder, &["build", "chess", "KPK"]), 0);
    let games = file(&folder, "games.pgn", GAMES);
    let run = table(&folder, &["annotate", &games]);
    ends(&run, 0);
    let text = run.out.replace('\n', " ");
    assert!(text.contains("1. Kd5 $4 {draw; Kd6: white wins, mate in 20 plies} {too slow?}"), "{text}");
    assert!(text.contains("[Annotator \"Ludens tables\"]") && text.contains("(2... Ke8)"), "{text}");
    let output = folder.join("out.pgn").display().to_string();
    let report = json(&folder, &["annotate", &games, "-o", &output]);
    assert_eq!((&report["moves"], &report["faults"]), (&9.into(), &serde_json::json!([])));
    assert_eq!(report["mistakes"], 1, "{report}");
    assert_eq!(std::fs::read_to_string(&output).unwrap(), run.out);

    let positions = "8/8/1P6/2k5/8/8/8/K7 w - - bm b7; id \"one\";\n# a remark\n\n4k3/8/4K3/4P3/8/8/8/8 w - - sm Kd5;\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id \"start\";\n";
    let positions = file(&folder, "positions.epd", positions);
    let run = table(&folder, &["annotate", &positions]);
    ends(&run, 0);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(
        lines[0],
        "8/8/1P6/2k5/8/8/8/K7 w - - bm b7; id \"one\"; wdl 1; dtm 21; dm 11; c9 \"b7 is the only move\";"
    );
    assert!(lines[3].contains("c9 \"Kd5 gives it away: draw\"") && lines[3].contains("bm Kd6;"), "{}", lines[3]);
    assert_eq!((lines[1], lines[4].contains("wdl")), ("# a remark", false));

    // What is not there is told, with the way to it.
    let run = table(&folder, &["annotate", &games, "--metric", "zeroing"]);
    let way = format!("`ludens table build chess KPK --metric dtz --folder {}` builds the first", folder.display());
    assert!(run.err.contains("tables that are not there (1): KPK; ") && run.err.contains(&way), "{}", run.err);

    // A line of best play, as a game that can be annotated again.
    let line = table(&folder, &["line", "8/8/8/8/8/8/1P6/K1k5 w - - 0 1", "--pgn"]);
    ends(&line, 0);
    assert!(line.out.contains("[Result \"1-0\"]") && line.out.contains("mate in 1 ply}"), "{}", line.out);
    assert!(line.out.contains("[SetUp \"1\"]") && line.out.trim_end().ends_with("{mate} 1-0"), "{}", line.out);
    ends(&table(&folder, &["annotate", &file(&folder, "line.pgn", &line.out)]), 0);

    for (text, word) in [
        ("1. e4 e5 2. Ke3 *", "game 1, line 1: `Ke3` is not legal"),
        ("[FEN \"nonsense\"]\n\n1. e4 *", "line 1"),
        ("8/8/8/8/8/8/8/8 w - - id \"none\";", "line 1"),
        ("", "neither a game nor a position"),
    ] {
        let run = table(&folder, &["annotate", &file(&folder, "bad.pgn", text)]);
        ends(&run, 2);
        assert!(run.err.contains(word), "{text}: {}", run.err);
    }
    ends(&table(&folder, &["annotate", "no-such-file.pgn"]), 2);
    let solved = table(&folder, &["line", "nim", "--pgn"]);
    ends(&solved, 2);
    assert!(solved.err.contains("--pgn"), "{}", solved.err);
}

#[test]
fn the_cost_is_told_before() {
    let folder = folder("endings-cost");
    let cost = json(&folder, &["all", "chess", "--pieces", "5", "--compress", "--estimate"]);
    assert_eq!(cost["tables"], 145);
    assert!(cost["seconds"].as_f64().unwrap() > 60.0 && cost["disk"].as_u64().unwrap() > 1 << 30, "{cost}");
    assert!(cost["memory"].as_u64().unwrap() > 1 << 28 && cost["entries"].as_u64().unwrap() > 1 << 30, "{cost}");
    let words = table(&folder, &["all", "chess", "--pieces", "5", "--estimate"]);
    let is_long = words.out.contains("hours") || words.out.contains("minutes");
    assert!(words.out.contains("145 tables") && is_long, "{}", words.out);
    let small = table(&folder, &["build", "chess", "KQK", "--estimate"]);
    assert!(small.out.contains("1 table") && small.out.contains("less than a minute"), "{}", small.out);
    assert!(!folder.join("chess").exists(), "nothing was built");
    ends(&table(&folder, &["build", "chess", "KQK"]), 0);
    let there = table(&folder, &["build", "chess", "KQK", "--estimate"]);
    assert!(there.out.contains("nothing is to be built"), "{}", there.out);
}
