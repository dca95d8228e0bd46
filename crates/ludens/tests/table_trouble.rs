//! `ludens table` and `ludens solve` where something is wrong: damaged, forged, misnamed and missing files, full disks, faulty
//! positions.

mod support;

use ::table::file::{Form, Header, Table, Writer};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use support::{Run, file, folder, ludens, ludens_with};

fn ends(run: &Run, code: i32) {
    assert_eq!(run.code, code, "{}\n{}", run.out, run.err);
}

/// `ludens table …` on a folder of tables.
fn table(folder: &Path, args: &[&str]) -> Run {
    table_with(folder, args, "")
}

fn table_with(folder: &Path, args: &[&str], input: &str) -> Run {
    let folder = folder.display().to_string();
    ludens_with(&[&["table"], args, &["--folder", &folder]].concat(), input.as_bytes())
}

fn told(run: &Run, words: &[&str]) {
    for word in words {
        assert!(run.err.contains(word), "{word:?} in: {}", run.err);
    }
}

/// Changes every byte of the data of a raw table, so that whatever is asked is damaged; gives what was there.
fn spoil(path: &Path) -> Vec<u8> {
    let whole = std::fs::read(path).unwrap();
    let tail = u64::from_le_bytes(whole[24..32].try_into().unwrap()) as usize;
    let mut bytes = whole.clone();
    bytes[56..tail].iter_mut().for_each(|byte| *byte ^= 2);
    std::fs::write(path, bytes).unwrap();
    whole
}

/// Writes a table again with another header and right checksums.
fn restate(header: &mut Header, change: impl Fn(&mut Value)) {
    let mut written = serde_json::to_value(&*header).unwrap();
    change(&mut written["statistics"]);
    *header = serde_json::from_value(written).unwrap();
}

fn forge(path: &Path, change: impl Fn(&mut Header)) {
    let table = Table::open(path).unwrap();
    let mut header = table.header().clone();
    change(&mut header);
    let mut writer = Writer::create(path, header, Form::Raw).unwrap();
    (0..table.header().parts.len()).for_each(|part| writer.write(table.load(part).unwrap().bytes()).unwrap());
    writer.finish().unwrap();
}

const KRK_FEN: &str = "8/8/8/3k4/8/8/1R6/K7 w - - 0 1";

#[test]
fn damaged_data_is_not_told_as_truth() {
    let folder = folder("trouble-damage");
    let place = folder.display().to_string();
    ends(&table(&folder, &["build", "chess", "KRK"]), 0);
    ends(&table(&folder, &["build", "chinese-checkers", "--pieces", "3", "--size", "5"]), 0);
    ends(&ludens(&["solve", "nim", "--folder", &place]), 0);
    let cases: [(&str, &[&str], &str); 3] = [
        ("chess/KRK.dtm.table", &[KRK_FEN], "`ludens table build`"),
        (
            "chinese-checkers/5x5-3.table",
            &["chinese-checkers", "4,4", "4,3", "3,4", "--size", "5"],
            "`ludens table build`",
        ),
        ("solved/nim.table", &["nim"], "`ludens solve GAME`"),
    ];
    for (name, question, way) in cases {
        let whole = spoil(&folder.join(name));
        for command in ["probe", "line"] {
            let run = table(&folder, &[&[command], question].concat());
            ends(&run, 2);
            told(&run, &["the file is damaged", name, way]);
            assert_eq!(run.out, "");
        }
        std::fs::write(folder.join(name), whole).unwrap();
        ends(&table(&folder, &[&["line"], question].concat()), 0);
    }
    // Whole files whose entries contradict each other, or miss a state: there is no line either.
    let path = folder.join("chess/KRK.dtm.table");
    let opened = Table::open(&path).unwrap();
    let mut writer = Writer::create(&path, opened.header().clone(), Form::Raw).unwrap();
    let ahead =
        |bytes: &[u8]| bytes.iter().map(|b| if b % 2 == 1 && *b < 99 { b + 2 } else { *b }).collect::<Vec<u8>>();
    (0..2).for_each(|part| writer.write(&ahead(opened.load(part).unwrap().bytes())).unwrap());
    writer.finish().unwrap();
    let run = table(&folder, &["line", KRK_FEN]);
    ends(&run, 2);
    told(&run, &["contradict", "ludens table verify KRK"]);
    ends(&table(&folder, &["verify", "KRK"]), 1);
    let path = folder.join("solved/nim.table");
    let opened = Table::open(&path).unwrap();
    let mut writer = Writer::create(&path, opened.header().clone(), Form::Raw).unwrap();
    // All keys one higher: none is found.
    let keys = opened.load(0).unwrap();
    let keys = keys.bytes().chunks_exact(8).map(|key| u64::from_le_bytes(key.try_into().unwrap()));
    writer.write(&keys.flat_map(|key| key.wrapping_add(1).to_le_bytes()).collect::<Vec<u8>>()).unwrap();
    (1..3).for_each(|part| writer.write(opened.load(part).unwrap().bytes()).unwrap());
    writer.finish().unwrap();
    let run = table(&folder, &["probe", "nim"]);
    ends(&run, 2);
    told(
        &run,
        &["this state is not in the table", "the file is whole", &format!("`ludens solve nim --folder {place}`")],
    );
}

#[test]
fn what_was_found_is_told_even_if_it_cannot_be_stored() {
    let folder = folder("trouble-store");
    let blocked = file(&folder, "file", "not a folder");
    for option in ["--folder", "--save"] {
        let place = format!("{blocked}/below");
        let run = ludens(&["solve", "nim", option, &place]);
        ends(&run, 2);
        told(&run, &["the game is solved, but its table is not stored", &blocked]);
        assert_eq!(run.err.matches("os error").count(), 1, "{}", run.err);
        assert!(run.out.contains("second wins in 16 moves") && run.out.contains("(take a 1)"), "{}", run.out);
        let run = ludens(&["solve", "nim", option, &place, "--json"]);
        ends(&run, 2);
        let report = run.json();
        assert_eq!((&report["value"], &report["table"]), (&(-100).into(), &Value::Null));
        assert!(report["unstored"].is_string() && report["line"].is_array());
    }
    // A build takes long: whether it can be stored is tried before.
    for args in [&["build", "chess", "KQKR"][..], &["build", "chinese-checkers", "--pieces", "6"]] {
        let begun = std::time::Instant::now();
        let run = table(&PathBuf::from(&blocked).join("below"), args);
        ends(&run, 2);
        told(&run, &[&blocked]);
        assert!(begun.elapsed().as_secs_f64() < 2.0, "before the work");
    }
}

#[test]
fn a_table_under_the_name_of_another_is_noticed() {
    let folder = folder("trouble-names");
    ends(&table(&folder, &["build", "chess", "KQK"]), 0);
    let (kqk, krk) = (folder.join("chess/KQK.dtm.table"), folder.join("chess/KRK.dtm.table"));
    std::fs::copy(&kqk, &krk).unwrap();
    for command in ["info", "verify"] {
        let run = table(&folder, &[command, "KRK"]);
        ends(&run, 2);
        told(&run, &["called after KRK.dtm, but holds the table of KQK"]);
        let run = table(&folder, &[command, &krk.display().to_string()]);
        ends(&run, 0);
        told(&run, &["warning: ", "holds the table of KQK"]);
        // A name that promises nothing is free.
        let mine = folder.join("mine.table");
        std::fs::copy(&kqk, &mine).unwrap();
        let run = table(&folder, &[command, &mine.display().to_string()]);
        ends(&run, 0);
        assert_eq!(run.err, "");
    }
    let list = table(&folder, &["list"]);
    ends(&list, 1);
    assert!(list.out.contains("called after KRK.dtm"), "{}", list.out);
}

#[test]
fn statistics_are_counted_again() {
    let folder = folder("trouble-statistics");
    let place = folder.display().to_string();
    ends(&table(&folder, &["build", "chess", "KRK"]), 0);
    ends(&table(&folder, &["build", "chinese-checkers", "--pieces", "2", "--size", "4"]), 0);
    ends(&ludens(&["solve", "nim", "--folder", &place]), 0);
    for (name, path, field, value) in [
        ("KRK", "chess/KRK.dtm.table", "white to move", json!({ "won": 7, "drawn": 0, "lost": 0, "plies": [] })),
        ("KRK", "chess/KRK.dtm.table", "longest", json!({ "plies": 5, "fen": KRK_FEN })),
        ("4x4-2", "chinese-checkers/4x4-2.table", "reached", json!(1)),
        ("4x4-2", "chinese-checkers/4x4-2.table", "greatest", json!(99)),
        ("nim", "solved/nim.table", "values", json!({ "100": 1 })),
        ("nim", "solved/nim.table", "terminal", json!(17)),
        ("nim", "solved/nim.table", "layers", json!([1])),
    ] {
        let path = folder.join(path);
        let whole = std::fs::read(&path).unwrap();
        ends(&table(&folder, &["verify", name]), 0);
        forge(&path, |header| restate(header, |statistics| statistics[field] = value.clone()));
        let run = table(&folder, &["verify", name]);
        ends(&run, 1);
        assert!(run.out.contains("WRONG") && run.out.contains(field), "{}", run.out);
        std::fs::write(path, whole).unwrap();
    }
}

#[test]
fn files_of_tables_are_asked_as_what_they_are() {
    let folder = folder("trouble-paths");
    let elsewhere = folder.join("elsewhere");
    ends(&table(&folder, &["build", "chess", "KPK", "--metric", "dtc"]), 0);
    ends(&table(&folder, &["build", "chinese-checkers", "--pieces", "2", "--size", "5"]), 0);
    let nim = folder.join("nim-of-mine.table").display().to_string();
    ends(&ludens(&["solve", "nim", "--save", &nim]), 0);
    let kpk = folder.join("chess/KPK.dtc.table").display().to_string();
    let run = table(&elsewhere, &["probe", &kpk, "8/P7/8/8/8/8/8/K6k w - -", "--json"]);
    ends(&run, 0);
    assert_eq!((&run.json()["metric"], &run.json()["plies"]), (&"dtc".into(), &1.into()));
    told(&table(&elsewhere, &["probe", &kpk]), &["FEN"]);
    told(&table(&elsewhere, &["line", &kpk, KRK_FEN]), &["KRK", "KPK"]);
    let board = folder.join("chinese-checkers/5x5-2.table").display().to_string();
    let run = table(&elsewhere, &["line", &board, "4,4", "4,3"]);
    ends(&run, 0);
    told(&table(&elsewhere, &["line", &board, "4,4"]), &["2 pieces"]);
    for args in [&["probe", &nim][..], &["probe", &nim, "--game", "nim"]] {
        let run = table(&elsewhere, args);
        ends(&run, 0);
        assert!(run.out.starts_with("second wins in 16 moves\n"), "{}", run.out);
        assert!(run.out.contains("(take a 1)  then second wins in 15 moves"), "{}", run.out);
    }
    let run = table(&elsewhere, &["line", &nim, "(take a 1)"]);
    ends(&run, 0);
    let run = table(&elsewhere, &["probe", &nim, "--game", "chomp"]);
    ends(&run, 2);
    told(&run, &["other rules", "--game"]);
    forge(Path::new(&nim), |header| header.name = "no-such-game".into());
    let run = table(&elsewhere, &["probe", &nim]);
    ends(&run, 2);
    told(&run, &["no-such-game", "--game FILE"]);
}

#[test]
fn numbers_of_moves_and_winners_are_told() {
    let folder = folder("trouble-numbers");
    ends(&table(&folder, &["build", "chess", "KRK", "KBKN"]), 0);
    let run = table(&folder, &["line", "8/8/8/3k4/8/8/1R6/K7 b - - 3 17"]);
    ends(&run, 0);
    assert!(run.out.contains("17… ") && run.out.contains(" 18. "), "{}", run.out);
    let last = run.out.lines().last().unwrap();
    assert!(last.ends_with(" 33"), "32 plies later: {last}");
    let probe = table(&folder, &["probe", "8/8/8/3k4/8/8/1R6/K7 b - - 3 17", "--json"]).json();
    assert_eq!(probe["fen"], "8/8/8/3k4/8/8/1R6/K7 b - - 3 17");
    let info = table(&folder, &["info", "KBKN"]);
    for part in ["longest    white wins, ", "longest    black wins, ", "white wins, by plies:", "black wins, by plies:"]
    {
        assert!(info.out.contains(part), "{part} in {}", info.out);
    }
    let info = table(&folder, &["info", "KRK"]);
    assert!(
        info.out.contains("longest    white wins, 32 plies (move 16)") && !info.out.contains("black wins"),
        "{}",
        info.out
    );
    let build = table(&folder, &["build", "chess", "KRK"]);
    assert!(build.out.contains("white 32"), "{}", build.out);
}

#[test]
fn faulty_positions_are_told_as_positions() {
    let folder = folder("trouble-positions");
    for (fen, word) in [
        ("8/8/8/8/8/8/1k6/K6R w - -", "the kings stand on neighbouring squares"),
        ("8/8/8/3k4/8/8/1R6/K7 w KQ -", "castling right `K`"),
        ("8/8/8/3k4/8/8/1R6/K7/8 w - -", "9 ranks"),
        ("8/8/8/3x4/8/8/1R6/K7 w - -", "`x`"),
        ("8/8/8/3?4/8/8/1R6/K7 w - -", "`?`"),
        ("8/8/8 w - -", "3 ranks"),
    ] {
        for args in [&["probe", fen][..], &["line", "KRK", fen]] {
            let run = table(&folder, args);
            ends(&run, 2);
            told(&run, &["the position", word]);
        }
    }
    // Ways out keep the folder.
    let option = format!("--folder {}", folder.display());
    told(&table(&folder, &["probe", KRK_FEN]), &[&format!("`ludens table build chess KRK {option}`")]);
    told(&table(&folder, &["probe", "chinese-checkers", "1,1"]), &[&option]);
    told(&table(&folder, &["probe", "nim"]), &[&format!("`ludens solve nim {option}`")]);
    told(&table(&folder, &["info", "KRK"]), &[&format!("`ludens table list {option}`")]);
}

#[test]
fn one_trouble_does_not_hide_the_rest() {
    let folder = folder("trouble-many");
    ends(&table(&folder, &["build", "chess", "KQK", "KRK"]), 0);
    let run = table(&folder, &["verify", "KQK", "missing", "KRK", "gone"]);
    ends(&run, 2);
    assert_eq!(run.out.matches("follow from their successors").count(), 2, "{}", run.out);
    told(&run, &["no file missing", "no file gone", "2 of 4 tables could not be verified"]);
    let run = table(&folder, &["verify", "KQK", "missing", "--json"]);
    ends(&run, 2);
    let rows = run.json();
    assert_eq!((&rows[0]["right"], &rows[1]["file"]), (&true.into(), &"missing".into()));
    // What the list shows can be asked for.
    let list = table(&folder, &["list"]);
    for name in ["chess/KQK.dtm.table", "chess/KRK.dtm.table"] {
        assert!(list.out.contains(name), "{}", list.out);
        ends(&table(&folder, &["info", name]), 0);
        ends(&table(&folder, &["verify", name]), 0);
    }
}

#[test]
fn what_is_there_can_be_compressed_and_cleaned_up() {
    let folder = folder("trouble-compress");
    let json = |args: &[&str]| table(&folder, &[args, &["--json"]].concat()).json();
    let chess = ["build", "chess", "KRK"];
    let board = ["build", "chinese-checkers", "--pieces", "2", "--size", "5"];
    ends(&table(&folder, &chess), 0);
    ends(&table(&folder, &board), 0);
    let before = table(&folder, &["line", KRK_FEN]).out;
    assert_eq!(json(&[&chess[..], &["--compress"]].concat())["tables"][0]["status"], "compressed");
    assert_eq!(json(&[&chess[..], &["--compress"]].concat())["tables"][0]["status"], "there");
    assert_eq!(json(&[&board[..], &["--compress"]].concat())["status"], "compressed");
    for name in ["KRK", "5x5-2"] {
        assert_eq!(json(&["info", name])["form"], "compressed");
        ends(&table(&folder, &["verify", name]), 0);
    }
    assert_eq!(table(&folder, &["line", KRK_FEN]).out, before);
    let part = PathBuf::from(file(&folder, "chinese-checkers/5x5-2.part", "left over"));
    let list = table(&folder, &["list"]);
    assert!(list.out.contains("left over: ") && !list.out.contains("goes on from there"), "{}", list.out);
    ends(&table(&folder, &board), 0);
    assert!(!part.exists());
}

#[test]
fn many_positions_are_asked_at_once() {
    let folder = folder("trouble-stdin");
    ends(&table(&folder, &["build", "chess", "KRK", "KQK"]), 0);
    let queen = "8/8/8/3k4/8/8/1Q6/K7 w - - 4 9";
    let input =
        format!("{KRK_FEN}\n\n{queen}\r\n8/8/8/8/8/8/8/8 w - -\nnonsense\x1b[31m\n8/8/8/3k4/8/8/1R6/K7 b - -\n");
    let run = table_with(&folder, &["probe", "chess", "-"], &input);
    ends(&run, 2);
    told(&run, &["2 of 5 positions could not be answered"]);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines.len(), 5, "{}", run.out);
    assert_eq!(lines[0], format!("{KRK_FEN}  win, mate in 31 plies (move 16)"));
    assert!(lines[1].starts_with(queen) && lines[2].starts_with("line 4: ") && lines[3].starts_with("line 5: "));
    assert!(lines[4].contains("loss, mate in") && !run.out.contains('\x1b'), "{}", run.out);
    let run = table_with(&folder, &["probe", "KRK", "-", "--json"], &input);
    ends(&run, 2);
    let rows: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&rows[0]["line"], &rows[0]["result"], &rows[0]["plies"]), (&1.into(), &"win".into(), &31.into()));
    assert_eq!(rows[1]["line"], 3);
    assert!(rows[1]["error"].as_str().unwrap().contains("KQK"), "{}", rows[1]);
    ends(&table_with(&folder, &["probe", "KRK", "-"], KRK_FEN), 0);
    ends(&table_with(&folder, &["probe", "KRK", "-"], "\n"), 2);
    ends(&table_with(&folder, &["line", "KRK", "-"], KRK_FEN), 2);
}

#[test]
fn missing_smaller_tables_are_named() {
    let folder = folder("trouble-smaller");
    ends(&table(&folder, &["build", "chess", "KPK"]), 0);
    for name in ["KQK", "KRK"] {
        std::fs::remove_file(folder.join(format!("chess/{name}.dtm.table"))).unwrap();
    }
    // Promoting to a queen or a rook is mate: no table is needed to see that. A bishop draws, as its table says.
    let mate = table(&folder, &["probe", "7k/P7/6K1/8/8/8/8/8 w - -"]);
    ends(&mate, 0);
    assert!(mate.out.contains("a8=Q#  win, mate in 1 ply") && mate.out.contains("a8=R#  win"), "{}", mate.out);
    assert!(!mate.out.contains("unknown"), "{}", mate.out);
    let run = table(&folder, &["probe", "8/P7/8/8/8/8/8/K6k w - -"]);
    ends(&run, 0);
    assert!(run.out.contains("unknown: the table of KQK is not there"), "{}", run.out);
    assert!(run.out.contains("unknown: the table of KRK is not there"), "{}", run.out);
    let way = format!("`ludens table build chess KPK --folder {}` builds what is missing", folder.display());
    assert!(run.out.contains(&way), "{}", run.out);
    let report = table(&folder, &["probe", "8/P7/8/8/8/8/8/K6k w - -", "--json"]).json();
    let missing = report["moves"].as_array().unwrap().iter().filter(|mv| mv["missing"] == "KQK").count();
    assert_eq!(missing, 1, "{report}");
}

#[test]
fn a_forged_header_cannot_write_to_the_terminal() {
    let folder = folder("trouble-forged");
    ends(&table(&folder, &["build", "chess", "KRK"]), 0);
    let path = folder.join("chess/KRK.dtm.table");
    let red = |statistics: &mut Value| statistics["longest wins"]["white"]["fen"] = json!("\x1b[31mRED w");
    forge(&path, |header| restate(header, red));
    let info = table(&folder, &["info", "KRK"]);
    ends(&info, 0);
    assert!(info.out.contains("RED") && !info.out.contains('\x1b'), "{}", info.out);
    // The name of a table itself may not have such characters at all; the library does not write one.
    let mut bytes = std::fs::read(&path).unwrap();
    let tail = u64::from_le_bytes(bytes[24..32].try_into().unwrap()) as usize;
    bytes[tail + 20] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    ends(&table(&folder, &["info", "KRK"]), 2);
}

#[test]
fn a_damaged_table_says_nothing_about_itself() {
    let folder = folder("trouble-info");
    ends(&table(&folder, &["build", "chess", "KRK"]), 0);
    ends(&table(&folder, &["info", "KRK"]), 0);
    let path = folder.join("chess/KRK.dtm.table");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[200] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    for args in [&["info", "KRK"][..], &["info", "KRK", "--json"]] {
        let run = table(&folder, args);
        ends(&run, 2);
        told(&run, &["KRK.dtm.table"]);
    }
}
