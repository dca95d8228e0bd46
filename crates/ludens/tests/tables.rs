//! `ludens table`: small tables built, asked, checked, interrupted and damaged.

mod support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{Run, file, folder, ludens, program};

fn ends(run: &Run, code: i32) {
    assert_eq!(run.code, code, "{}\n{}", run.out, run.err);
}

/// `ludens table …` on a folder of tables.
fn table(folder: &Path, args: &[&str]) -> Run {
    let folder = folder.display().to_string();
    ludens(&[&["table"], args, &["--folder", &folder]].concat())
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let run = table(folder, &[args, &["--json"]].concat());
    ends(&run, 0);
    run.json()
}

/// All files below a folder, hidden ones too.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() { open.push(entry.path()) } else { found.push(entry.path()) }
        }
    }
    found.sort();
    found
}

#[test]
fn help_has_examples() {
    let commands: [&[&str]; 13] = [
        &["solve"],
        &["table"],
        &["table", "build", "chess"],
        &["table", "build", "chinese-checkers"],
        &["table", "all"],
        &["table", "probe"],
        &["table", "line"],
        &["table", "find"],
        &["table", "annotate"],
        &["table", "info"],
        &["table", "verify"],
        &["table", "list"],
        &["bench", "tables"],
    ];
    for command in commands {
        let run = ludens(&[command, &["--help"]].concat());
        ends(&run, 0);
        assert!(run.out.contains("Example"), "{command:?}: {}", run.out);
        assert!(run.out.contains(&format!("ludens {}", command.join(" "))), "{command:?}: {}", run.out);
    }
}

const KRK_FEN: &str = "8/8/8/3k4/8/8/1R6/K7 w - - 0 1";

#[test]
fn a_chess_table_from_end_to_end() {
    let folder = folder("tables-chess");
    let built = json(&folder, &["build", "chess", "KPK"]);
    let names: Vec<&str> = built["tables"].as_array().unwrap().iter().map(|t| t["table"].as_str().unwrap()).collect();
    assert_eq!(names, ["KBK", "KNK", "KQK", "KRK", "KPK"], "what is needed comes first");
    assert!(built["tables"].as_array().unwrap().iter().all(|t| t["status"] == "built"));
    // A second time nothing is built; with --force only what was asked for.
    let again = json(&folder, &["build", "chess", "kkp"]);
    assert!(again["tables"].as_array().unwrap().iter().all(|t| t["status"] == "there"), "{again}");
    let forced = json(&folder, &["build", "chess", "KPK", "--force"]);
    let built = |report: &Value| report["tables"].as_array().unwrap().iter().filter(|t| t["status"] == "built").count();
    assert_eq!(built(&forced), 1);

    // Known: mate in 16 moves from here, and no win is longer.
    let probe = json(&folder, &["probe", "KRK", KRK_FEN]);
    assert_eq!((&probe["result"], &probe["plies"]), (&"win".into(), &31.into()));
    assert_eq!(probe["moves"].as_array().unwrap().len(), 16, "two of the king, fourteen of the rook: {probe}");
    let line = json(&folder, &["line", KRK_FEN]);
    assert_eq!(line["line"].as_array().unwrap().len(), 31);
    assert!(line["line"][30]["san"].as_str().unwrap().ends_with('#'), "{line}");
    let text = table(&folder, &["line", KRK_FEN]);
    assert!(text.out.contains("1. ") && text.out.contains("16. "), "{}", text.out);

    let info = table(&folder, &["info", "KRK"]);
    assert!(info.out.contains("longest    white wins, 32 plies"), "{}", info.out);
    assert!(info.out.contains("white to move") && info.out.contains('█'), "{}", info.out);
    let counts = &json(&folder, &["info", "krk"])["statistics"]["white to move"];
    assert_eq!((&counts["drawn"], &counts["lost"]), (&0.into(), &0.into()), "white to move always wins");

    let list = json(&folder, &["list"]);
    assert_eq!(list["tables"].as_array().unwrap().len(), 5);
    let verify = table(&folder, &["verify", "KPK", "KRK"]);
    ends(&verify, 0);
    assert_eq!(verify.out.matches("follow from their successors").count(), 2, "{}", verify.out);
}

#[test]
fn histograms_are_those_of_an_independent_generator() {
    let truth = include_str!("../../table/tests/known/chess.txt");
    let folder = folder("tables-truth");
    ends(&table(&folder, &["build", "chess", "KPK"]), 0);
    let mut compared = 0;
    for name in ["KPK", "KQK", "KRK"] {
        let statistics = &json(&folder, &["info", name])["statistics"];
        for (side, letter) in [("white to move", "w"), ("black to move", "b")] {
            let start = format!("{name} {letter} ");
            let Some(line) = truth.lines().find_map(|line| line.strip_prefix(&start)) else { continue };
            let side = &statistics[side];
            let ours = ["won", "drawn", "lost"].map(|field| side[field].to_string()).join(" ");
            let plies = side["plies"].as_array().unwrap().iter().enumerate();
            let plies = plies.filter(|(_, count)| **count != 0).map(|(plies, count)| format!("{plies}:{count}"));
            assert_eq!(format!("{ours} {}", plies.collect::<Vec<_>>().join(" ")), line, "{start}");
            compared += 1;
        }
    }
    assert_eq!(compared, 6);
}

#[test]
fn compressed_tables_say_the_same() {
    let folder = folder("tables-compressed");
    let (raw, small) = (folder.join("raw"), folder.join("small"));
    ends(&table(&raw, &["build", "chess", "KQK"]), 0);
    ends(&table(&small, &["build", "chess", "KQK", "--compress"]), 0);
    assert_eq!(json(&small, &["info", "KQK"])["form"], "compressed");
    let bytes = |folder: &Path| json(folder, &["info", "KQK"])["bytes"].as_u64().unwrap();
    assert!(bytes(&small) < bytes(&raw));
    for fen in ["8/8/8/3k4/8/8/1Q6/K7 w - -", "8/8/8/3k4/8/8/1Q6/K7 b - -", "8/8/8/3k4/8/8/6Q1/K7 b - -"] {
        assert_eq!(json(&raw, &["probe", fen]), json(&small, &["probe", fen]));
    }
    ends(&table(&small, &["verify", "KQK"]), 0);
}

#[test]
fn counting_to_conversion() {
    let folder = folder("tables-dtc");
    ends(&table(&folder, &["build", "chess", "KPK", "--metric", "dtc"]), 0);
    // The pawn promotes at once.
    let fen = "8/P7/8/8/8/8/8/K6k w - -";
    let probe = json(&folder, &["probe", fen, "--metric", "dtc"]);
    assert_eq!((&probe["result"], &probe["plies"]), (&"win".into(), &1.into()), "{probe}");
    let missing = table(&folder, &["probe", fen]);
    ends(&missing, 2);
    assert!(missing.err.contains("ludens table build chess KPK"), "{}", missing.err);
}

#[test]
fn chinese_checkers_from_end_to_end() {
    let folder = folder("tables-chinese");
    let built = json(&folder, &["build", "chinese-checkers", "--pieces", "3"]);
    // Known layers of the board of 81 cells with three pieces.
    let layers = [
        1, 6, 26, 72, 176, 376, 713, 1256, 2054, 3135, 4461, 5878, 7358, 8747, 9770, 10196, 9781, 8301, 6168, 3869,
        1957, 762, 233, 24,
    ];
    assert_eq!(built["statistics"]["layers"], serde_json::json!(layers));
    assert_eq!(json(&folder, &["build", "chinese-checkers", "--pieces", "3"])["status"], "there");
    let far = ["8,8", "8,7", "7,8"];
    let probe = json(&folder, &[&["probe", "chinese-checkers"], &far[..]].concat());
    assert_eq!(probe["distance"]["moves"], 23);
    let line = json(&folder, &[&["line", "chinese-checkers"], &far[..]].concat());
    assert_eq!(line["line"].as_array().unwrap().len(), 23);
    let info = table(&folder, &["info", "9x9-3"]);
    assert!(info.out.contains("greatest   23 moves") && info.out.contains('█'), "{}", info.out);
    ends(&table(&folder, &["verify", "9x9-3"]), 0);

    // Another board, a section of it, and the bounds that it gives.
    ends(&table(&folder, &["build", "chinese-checkers", "--pieces", "3", "--size", "5"]), 0);
    let section = table(&folder, &["build", "chinese-checkers", "--pieces", "2", "--size", "5", "--start", "10"]);
    ends(&section, 0);
    assert!(section.out.contains("upper bounds"), "{}", section.out);
    let near = json(&folder, &["probe", "chinese-checkers", "1,1", "0,1", "--size", "5"]);
    assert_eq!(near["distance"]["exact"], false);
    ends(&table(&folder, &["probe", "chinese-checkers", "4,4", "4,3", "--size", "5"]), 2);
}

#[test]
fn pieces_against_pieces_from_end_to_end() {
    let folder = folder("tables-versus");
    let small = ["--size", "5"];
    let build = |pieces: &'static str, against: &'static str| {
        json(&folder, &[&["build", "chinese-checkers", "--pieces", pieces, "--against", against], &small[..]].concat())
    };
    let built = build("2", "1");
    assert_eq!((&built["table"], &built["status"]), (&"5x5-2v1".into(), &"built".into()));
    // C(25, 2) placements of red, 23 cells for blue.
    assert_eq!((&built["statistics"]["placements"], &built["entries"]), (&6900.into(), &13_800.into()));
    // One against two is the same table.
    assert_eq!(build("1", "2")["status"], "there");

    let near = ["4,4", "3,3", "against", "1,1"];
    let ask = |what: &'static str, more: &[&str]| {
        json(&folder, &[&[what, "chinese-checkers"], &near[..], more, &small[..]].concat())
    };
    let probe = ask("probe", &[]);
    assert_eq!((&probe["turn"], &probe["outcome"]["result"]), (&"red".into(), &"win".into()));
    assert_eq!((&probe["outcome"]["plies"], &probe["moves"][0]["to"]), (&1.into(), &"4,3".into()));
    assert_eq!(ask("probe", &["blue"])["outcome"], serde_json::json!({ "result": "loss", "plies": 2 }));
    assert_eq!(ask("line", &["blue"])["line"].as_array().unwrap().len(), 2);
    let line = table(&folder, &[&["line", "chinese-checkers"], &near[..], &["blue"], &small[..]].concat());
    assert!(line.out.contains("1. blue ") && line.out.contains("2. red "), "{}", line.out);
    // Two pieces can keep one out of its only cell.
    let drawn = table(&folder, &["line", "chinese-checkers", "0,0", "0,1", "against", "4,4", "--size", "5"]);
    assert_eq!(drawn.out, "red to move: draw\n");

    let path = folder.join("chinese-checkers/5x5-2v1.table").display().to_string();
    let of_file = json(&folder, &["probe", &path, "3,3", "against", "0,0", "1,1", "blue"]);
    assert_eq!(of_file["outcome"]["result"], "win", "one against two, turned: {of_file}");
    ends(&table(&folder, &["probe", &path, "4,4", "against", "0,0"]), 2);
    let missing = table(&folder, &["probe", "chinese-checkers", "0,0", "against", "4,4", "--size", "5"]);
    ends(&missing, 2);
    assert!(missing.err.contains("--pieces 1 --against 1"), "{}", missing.err);

    let info = table(&folder, &["info", "5x5-2v1"]);
    assert!(info.out.contains("2 red pieces against 1 blue") && info.out.contains('█'), "{}", info.out);
    let verified = table(&folder, &["verify", "5x5-2v1"]);
    assert!(verified.out.contains("13800 entries follow"), "{}", verified.out);
    let list = json(&folder, &["list"]);
    assert_eq!(list["tables"][0]["kind"], "chinese-checkers-versus");
    for (args, word) in [
        (&["--pieces", "3", "--against", "2", "--memory", "1"][..], "--memory"),
        (&["--pieces", "3", "--against", "2", "--start", "4"], "--start"),
        (&["--pieces", "3", "--against", "2", "--size", "2"], "goals"),
        (&["--pieces", "3", "--against", "0"], "0"),
    ] {
        let run = table(&folder, &[&["build", "chinese-checkers"], args].concat());
        ends(&run, 2);
        assert!(run.err.contains(word), "{args:?}: {}", run.err);
    }
}

#[test]
fn bad_input_is_told() {
    let folder = folder("tables-bad");
    ends(&table(&folder, &["build", "chess", "KRK"]), 0);
    let bad: [(&[&str], &str); 17] = [
        (&["build", "chess", "KQX"], "KQX"),
        (&["build", "chess", "KK"], "bare kings"),
        (&["build", "chess", "KQQKRR"], "5"),
        (&["build", "chess"], "MEN"),
        (&["build", "checkers"], "checkers"),
        (&["build", "chinese-checkers"], "--pieces"),
        (&["build", "chinese-checkers", "--pieces", "11"], "11"),
        (&["build", "chinese-checkers", "--pieces", "6", "--size", "2"], "cells"),
        (&["build", "chinese-checkers", "--pieces", "10"], "--memory"),
        (&["build", "chess", "KQKR", "--memory", "1"], "--memory"),
        (&["all", "chess", "--pieces", "6"], "6"),
        (&["probe", "KRK"], "FEN"),
        (&["probe", "KQK", KRK_FEN], "KRK"),
        (&["probe", "8/8/8/8/8/8/8/8 w - -"], "king"),
        (&["probe", "8/8/8/3k4/8/8/1Q6/K7 w - -"], "ludens table build chess KQK"),
        (&["probe", "chinese-checkers", "9,9"], "9,9"),
        (&["info", "no-such-table"], "ludens table list"),
    ];
    for (args, word) in bad {
        let run = table(&folder, args);
        ends(&run, 2);
        assert!(run.err.contains(word), "{args:?}: {}", run.err);
    }
    for cells in [&["8,8", "8,8"][..], &["8"], &["a,b"], &[]] {
        ends(&table(&folder, &[&["probe", "chinese-checkers"], cells].concat()), 2);
    }
    let foreign = file(&folder, "foreign.table", "this is no table");
    ends(&table(&folder, &["info", &foreign]), 2);
    ends(&table(&folder, &["verify", &foreign]), 2);
}

#[test]
fn no_tables_are_told_too() {
    let folder = folder("tables-none");
    let run = table(&folder, &["list"]);
    ends(&run, 0);
    assert!(run.out.contains("no tables"), "{}", run.out);
    // The folder may come from the environment.
    let output = Command::new(env!("CARGO_BIN_EXE_ludens"))
        .args(["table", "list", "--json"])
        .env("LUDENS_TABLES", &folder)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["folder"], folder.display().to_string());
}

#[test]
fn a_changed_byte_is_noticed() {
    let folder = folder("tables-damage");
    ends(&table(&folder, &["build", "chess", "KRK"]), 0);
    ends(&table(&folder, &["build", "chinese-checkers", "--pieces", "2", "--size", "4", "--compress"]), 0);
    for path in files(&folder) {
        let name = path.display().to_string();
        let whole = std::fs::read(&path).unwrap();
        for place in [0, 9, 30, 60, whole.len() / 3, whole.len() / 2, whole.len() - 1] {
            let mut bytes = whole.clone();
            bytes[place] ^= 1;
            std::fs::write(&path, bytes).unwrap();
            let run = table(&folder, &["verify", &name]);
            assert_ne!(run.code, 0, "byte {place} of {name}: {}", run.out);
        }
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        let run = table(&folder, &["verify", &name]);
        ends(&run, 2);
        assert!(run.err.contains("cut short"), "{}", run.err);
        std::fs::write(&path, &whole).unwrap();
        ends(&table(&folder, &["verify", &name]), 0);
    }
    // A damaged table is not used to build on, and --force makes it anew.
    let path = files(&folder).into_iter().find(|path| path.ends_with("KRK.dtm.table")).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let run = table(&folder, &["build", "chess", "KRK"]);
    ends(&run, 2);
    assert!(run.err.contains("--force"), "{}", run.err);
    ends(&table(&folder, &["build", "chess", "KRK", "--force"]), 0);
    ends(&table(&folder, &["verify", "KRK"]), 0);
}

#[test]
fn a_killed_build_leaves_nothing_that_looks_whole() {
    let folder = folder("tables-killed");
    let name = folder.display().to_string();
    for pause in [20, 120, 300] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ludens"))
            .args(["table", "build", "chess", "KQKR", "--folder", &name])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        child.wait().unwrap();
        // Whatever has its name is whole.
        for table in json(&folder, &["list"])["tables"].as_array().unwrap() {
            assert!(table["error"].is_null(), "{table}");
            ends(&ludens(&["table", "verify", table["file"].as_str().unwrap(), "--folder", &name]), 0);
        }
    }
    let started = Instant::now();
    ends(&table(&folder, &["build", "chess", "KQK", "KRK"]), 0);
    println!("built in {:?} after three kills", started.elapsed());
    let left: Vec<PathBuf> =
        files(&folder).into_iter().filter(|path| path.extension().is_none_or(|e| e != "table")).collect();
    assert_eq!(left, Vec::<PathBuf>::new(), "what the dead left is gone");
}

/// Begins to build a table that takes a while.
fn begin(folder: &Path, more: &[&str]) -> Child {
    let place = folder.display().to_string();
    let args = ["table", "build", "chinese-checkers", "--pieces", "5", "--size", "8", "--folder", &place];
    program().args(args).args(more).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until a file is there.
fn appears(path: &Path) {
    let until = Instant::now() + Duration::from_secs(60);
    while !path.exists() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_build_says_so_and_goes_on() {
    let folder = folder("tables-interrupted");
    let part = folder.join("chinese-checkers/8x8-5.part");
    let child = begin(&folder, &["--save-every", "0.05"]);
    appears(&part);
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(err.starts_with("ludens: interrupted; "), "{err}");
    assert!(err.contains("8x8-5 is not built; what is done is kept in "), "{err}");
    assert_eq!(files(&folder), std::slice::from_ref(&part));
    let list = table(&folder, &["list"]);
    ends(&list, 0);
    assert!(list.out.contains("no tables") && list.out.contains("not finished: "), "{}", list.out);
    let list = json(&folder, &["list"]);
    assert_eq!(
        (list["tables"].as_array().map(Vec::len), list["unfinished"].as_array().map(Vec::len)),
        (Some(0), Some(1))
    );
    let report = json(&folder, &["build", "chinese-checkers", "--pieces", "5", "--size", "8"]);
    assert_eq!((&report["resumed"], &report["status"]), (&true.into(), &"built".into()));
    assert!(!part.exists());
}

#[test]
fn a_killed_build_goes_on_from_its_last_save() {
    let folder = folder("tables-resumed");
    let name = "chinese-checkers/8x8-5.table";
    let whole = begin(&folder, &[]).wait_with_output().unwrap();
    // On a slow machine it also tells how far it is.
    let said = |err: Vec<u8>| {
        let err = String::from_utf8(err).unwrap();
        err.lines().filter(|line| !line.contains("% of all, ")).collect::<Vec<_>>().join("\n")
    };
    assert!(whole.status.success());
    assert_eq!(said(whole.stderr), "");
    let whole = std::fs::read(folder.join(name)).unwrap();
    std::fs::remove_file(folder.join(name)).unwrap();
    let part = folder.join("chinese-checkers/8x8-5.part");
    let mut child = begin(&folder, &["--save-every", "0.05"]);
    appears(&part);
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = std::fs::read(&part).unwrap();
    assert!(!folder.join(name).exists());
    // Goes on; and begins anew if told to, or if what was kept is damaged or of another table.
    let mut damaged = kept.clone();
    damaged[kept.len() / 2] ^= 1;
    let other = folder.join("other");
    ends(&table(&other, &["build", "chinese-checkers", "--pieces", "3"]), 0);
    let foreign = std::fs::read(other.join("chinese-checkers/9x9-3.table")).unwrap();
    std::fs::remove_dir_all(&other).unwrap();
    for (bytes, more, word) in [
        (&kept, &[][..], "going on from layer"),
        (&kept, &["--force"], ""),
        (&damaged, &[], "the file is damaged"),
        (&foreign, &[], "not an unfinished build"),
    ] {
        let _ = std::fs::remove_file(folder.join(name));
        std::fs::write(&part, bytes).unwrap();
        let built = begin(&folder, more).wait_with_output().unwrap();
        let err = said(built.stderr);
        assert!(built.status.success() && err.contains(word) && err.is_empty() == word.is_empty(), "{word}: {err}");
        assert_eq!(err.contains("beginning anew"), bytes != &kept, "{err}");
        assert!(std::fs::read(folder.join(name)).unwrap() == whole, "{word}: another table");
        assert_eq!(files(&folder), [folder.join(name)], "nothing else is left");
    }
}

#[test]
fn solved_games_are_asked_by_their_moves() {
    let folder = folder("tables-solved");
    let name = folder.display().to_string();
    ends(&ludens(&["solve", "tic-tac-toe", "--save", "--folder", &name]), 0);
    let start = json(&folder, &["probe", "tic-tac-toe"]);
    assert_eq!((&start["value"], start["moves"].as_array().unwrap().len()), (&0.into(), 9));
    // An answer at the edge to an opening in the corner loses.
    let lost = json(&folder, &["probe", "tic-tac-toe", "(mark 1 1)", "(mark 1 2)"]);
    assert_eq!((&lost["value"], &lost["distance"]), (&100.into(), &5.into()));
    let line = json(&folder, &["line", "tic-tac-toe", "(mark 1 1)", "(mark 1 2)"]);
    assert_eq!(line["line"].as_array().unwrap().len(), 5);
    ends(&table(&folder, &["probe", "tic-tac-toe", "(mark 9 9)"]), 2);
    let missing = table(&folder, &["probe", "nim"]);
    ends(&missing, 2);
    assert!(missing.err.contains(&format!("`ludens solve nim --folder {name}` makes one")), "{}", missing.err);
}

#[test]
fn benches_measure_builds_and_probes() {
    let run = ludens(&["bench", "tables", "--seconds", "0.02", "--json"]);
    ends(&run, 0);
    let report = run.json();
    let builds = report["builds"].as_array().unwrap();
    assert!(builds.iter().any(|build| build["what"].as_str().unwrap().contains("KQKR")));
    assert!(builds.iter().all(|build| build["cpu_seconds"].as_f64().unwrap() > 0.0), "{report}");
    let probes = report["probes"].as_array().unwrap();
    assert!(probes.len() >= 3 && probes.iter().all(|probe| probe["per_second"].as_f64().unwrap() > 1e4), "{report}");
    ends(&ludens(&["bench", "tables", "--one", "nonsense"]), 2);
}
