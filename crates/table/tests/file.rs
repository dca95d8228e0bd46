//! Table files: what is written is read, whatever is damaged is noticed, and nothing that is not whole has a name.

use std::fs;
use std::path::{Path, PathBuf};
use table::chess::{Longest, Side, Summary};
use table::file::{About, FileError, Form, Header, Part, Table, Writer, clean, identity, pack};
use table::oracle::{Family, Metric};

/// A folder of its own for each test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("file-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn header(bits: u8, sizes: &[u64]) -> Header {
    Header {
        name: "T".into(),
        identity: identity("rules and index of T"),
        metric: Metric::Mate,
        bits,
        parts: sizes.iter().enumerate().map(|(at, &n)| Part::new(format!("part {at}"), n)).collect(),
        about: About::Chess(Summary {
            white: Side { won: 3, ..Side::default() },
            black: Side::default(),
            longest: Some(Longest { plies: 7, fen: "some position".into() }),
            wins: None,
        }),
    }
}

/// Values with long runs and noise, so that some blocks shrink and others do not.
fn value(part: usize, index: u64, bits: u8) -> u8 {
    let noise = index.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31).wrapping_mul(part as u64 * 2 + 3) >> 40;
    let value = if (index / 5000).is_multiple_of(2) { index / 700 } else { noise };
    value as u8 & (0xff >> (8 - bits))
}

fn write(path: &Path, bits: u8, sizes: &[u64], form: Form) {
    let mut writer = Writer::create(path, header(bits, sizes), form).unwrap();
    for (part, &n) in sizes.iter().enumerate() {
        let values: Vec<u8> = (0..n).map(|index| value(part, index, bits)).collect();
        // Uneven pieces.
        for piece in pack(&values, bits).chunks(777) {
            writer.write(piece).unwrap();
        }
    }
    writer.finish().unwrap();
}

#[test]
fn what_is_written_is_read() {
    let folder = folder("read");
    let sizes = [20_001, 0, 1, 150_003, 0];
    for form in [Form::Raw, Form::Compressed, Form::Small] {
        for bits in [8, 4, 2] {
            let path = folder.join(format!("{form:?}-{bits}.table"));
            write(&path, bits, &sizes, form);
            let table = Table::open_as(&path, Family::Chess, "T", identity("rules and index of T")).unwrap();
            assert_eq!(*table.header(), header(bits, &sizes));
            assert_eq!(table.form(), form);
            table.check().unwrap();
            for (part, &n) in sizes.iter().enumerate() {
                let loaded = table.load(part).unwrap();
                assert_eq!(loaded.entries(), n);
                for index in 0..n {
                    assert_eq!(
                        table.get(part, index).unwrap(),
                        value(part, index, bits),
                        "{form:?} {bits} {part} {index}"
                    );
                    assert_eq!(loaded.get(index), value(part, index, bits));
                }
            }
            // A cache of one block gives the same answers.
            let small = Table::open_with_cache(&path, 1).unwrap();
            for index in (0..n_of(&small, 3)).rev().step_by(997) {
                assert_eq!(small.get(3, index).unwrap(), value(3, index, bits));
            }
        }
    }
    let (raw, squeezed) = (folder.join("Raw-8.table"), folder.join("Compressed-8.table"));
    assert!(fs::metadata(squeezed).unwrap().len() < fs::metadata(raw).unwrap().len() * 3 / 4);
}

fn n_of(table: &Table, part: usize) -> u64 {
    table.header().parts[part].entries
}

#[test]
fn many_threads_read_the_same() {
    let path = folder("threads").join("t.table");
    write(&path, 8, &[300_000], Form::Compressed);
    let table = Table::open_with_cache(&path, 40_000).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let table = &table;
            scope.spawn(move || {
                for step in 0..50_000u64 {
                    let index = (step * 7919 + thread * 31) % 300_000;
                    assert_eq!(table.get(0, index).unwrap(), value(0, index, 8));
                }
            });
        }
    });
}

/// Whether opening or checking notices something.
fn noticed(path: &Path) -> bool {
    Table::open(path).and_then(|table| table.check()).is_err()
}

#[test]
fn every_flipped_byte_is_noticed() {
    let folder = folder("flips");
    for form in [Form::Raw, Form::Compressed, Form::Small] {
        let path = folder.join(format!("{form:?}"));
        write(&path, 4, &[9_001, 20_000, 3], form);
        let whole = fs::read(&path).unwrap();
        assert!(!noticed(&path));
        let dense = 200.min(whole.len());
        let places = (0..dense).chain((dense..whole.len() - 700).step_by(53)).chain(whole.len() - 700..whole.len());
        let bad = folder.join(format!("{form:?}-bad"));
        for place in places {
            let flip = 1 << (place % 8);
            let mut bytes = whole.clone();
            bytes[place] ^= flip;
            fs::write(&bad, &bytes).unwrap();
            assert!(noticed(&bad), "{form:?}: byte {place} of {} ^ {flip}", whole.len());
        }
        for length in (0..whole.len()).step_by(211).chain([1, 7, 8, 55, 56, whole.len() - 1]) {
            fs::write(&bad, &whole[..length]).unwrap();
            assert!(matches!(Table::open(&bad), Err(FileError::Length { .. })), "{form:?}: cut to {length}");
        }
        let mut longer = whole.clone();
        longer.push(0);
        fs::write(&bad, &longer).unwrap();
        assert!(matches!(Table::open(&bad), Err(FileError::Length { .. })));
    }
}

#[test]
fn errors_say_which_file_what_and_the_way_out() {
    let folder = folder("errors");
    let path = folder.join("t.table");
    write(&path, 8, &[100], Form::Raw);
    let right = identity("rules and index of T");
    let message = |result: Result<Table, FileError>| result.err().expect("an error").to_string();

    for (what, text) in [
        (Table::open_as(&path, Family::Solved, "T", right), "its kind is chess, expected solved"),
        (Table::open_as(&path, Family::Chess, "KQKR", right), "its name is T, expected KQKR"),
        (Table::open_as(&path, Family::Chess, "T", 1), "made for other rules or another index"),
    ] {
        let message = message(what);
        assert!(
            message.contains(text) && message.contains("t.table") && message.contains("ludens table build"),
            "{message}"
        );
    }

    let foreign = folder.join("foreign");
    fs::write(&foreign, "this is some other file, not a table at all, but long enough to be one").unwrap();
    assert!(message(Table::open(&foreign)).contains("not a table file"));

    let mut bytes = fs::read(&path).unwrap();
    bytes[8] = 9;
    fs::write(&foreign, &bytes).unwrap();
    assert!(message(Table::open(&foreign)).contains("version 9"));

    assert!(message(Table::open(folder.join("nothing"))).contains("cannot be opened"));
    assert!(message(Table::open(&folder)).contains("file-errors"));
}

#[test]
fn only_a_finished_file_has_its_name() {
    let folder = folder("names");
    let path = folder.join("t.table");
    let names = || {
        let mut names: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let mut writer = Writer::create(&path, header(8, &[10]), Form::Raw).unwrap();
    writer.write(&[1; 4]).unwrap();
    assert!(!path.exists());
    assert_eq!(names().len(), 1);
    // Neither cleaning up nor a second writer touches the file of a living one.
    assert_eq!(clean(&folder), 0);
    let mut second = Writer::create(&path, header(8, &[10]), Form::Raw).unwrap();
    assert_eq!(names().len(), 2);
    second.write(&[2; 10]).unwrap();
    assert!(second.write(&[2]).is_err(), "there is no room for an eleventh entry");
    second.finish().unwrap();
    assert_eq!(Table::open(&path).unwrap().get(0, 9).unwrap(), 2);
    // Too few entries are an error, and nothing stays.
    assert!(matches!(writer.finish(), Err(FileError::Unfit { .. })));
    assert_eq!(names(), ["t.table"]);

    // What a killed writer leaves behind is removed by the next one, and by `clean`; other files stay.
    fs::write(folder.join(".t.table.1-0.partial"), b"LUDTABLE").unwrap();
    fs::write(folder.join(".u.table.1-0.partial"), b"LUDTABLE").unwrap();
    fs::write(folder.join("mine.partial"), b"mine").unwrap();
    write(&path, 8, &[10], Form::Raw);
    assert_eq!(names(), [".u.table.1-0.partial", "mine.partial", "t.table"]);
    assert_eq!(clean(&folder), 1);
    assert_eq!(names(), ["mine.partial", "t.table"]);
}

#[test]
fn headers_that_cannot_be_are_refused() {
    let path = folder("unfit").join("t.table");
    let mut twice = header(8, &[1, 1]);
    twice.parts[1].name = twice.parts[0].name.clone();
    for bad in [header(3, &[1]), header(0, &[1]), header(8, &[u64::MAX, 2]), twice] {
        assert!(matches!(Writer::create(&path, bad, Form::Raw), Err(FileError::Unfit { .. })));
    }
}

#[test]
fn blocks_are_checked_when_they_are_asked_for() {
    let path = folder("asked").join("t.table");
    write(&path, 8, &[200_000, 10], Form::Raw);
    let mut bytes = fs::read(&path).unwrap();
    bytes[56 + 70_000] ^= 1;
    fs::write(&path, bytes).unwrap();
    let table = Table::open(&path).unwrap();
    for _ in 0..2 {
        // Blocks of 65536 bytes: the second is damaged.
        for whole in [65_535, 131_072] {
            assert_eq!(table.get(0, whole).unwrap(), value(0, whole, 8));
        }
        assert_eq!(table.get(1, 9).unwrap(), value(1, 9, 8));
        for damaged in [65_536, 131_071] {
            let error = table.get(0, damaged).unwrap_err().to_string();
            assert!(error.contains("damaged") && error.contains("entry 65536"), "{error}");
        }
    }
    assert!(table.store_as(Form::Compressed).is_err(), "what is damaged is not stored as if it were whole");
}

#[test]
fn a_table_can_be_stored_in_another_form() {
    let path = folder("again").join("t.table");
    let sizes = [70_001, 0, 130_003];
    write(&path, 4, &sizes, Form::Raw);
    let raw = fs::read(&path).unwrap();
    Table::open(&path).unwrap().store_as(Form::Compressed).unwrap();
    let squeezed = Table::open(&path).unwrap();
    assert_eq!((squeezed.form(), squeezed.header()), (Form::Compressed, &header(4, &sizes)));
    assert_eq!(squeezed.get(2, 77).unwrap(), value(2, 77, 4));
    squeezed.store_as(Form::Raw).unwrap();
    assert!(fs::read(&path).unwrap() == raw);
}

#[test]
fn errors_say_things_once_and_name_the_way_out() {
    let folder = folder("words");
    let missing = Table::open(folder.join("t.table")).err().unwrap();
    assert!(std::error::Error::source(&missing).is_none(), "its text has it already");
    for (kind, way) in [("solved", "`ludens solve GAME`"), ("chess", "`ludens table build`")] {
        let path = folder.join(kind).join("t.table");
        write(&path, 8, &[100], Form::Raw);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        let error = Table::open(&path).err().unwrap().to_string();
        assert!(error.contains(way) && error.contains("cut short"), "{error}");
    }
    // What a file says about itself comes to terminals.
    let mut forged = header(8, &[1]);
    forged.name = "\x1b[31mT".into();
    let error = Writer::create(folder.join("t"), forged, Form::Raw).err().unwrap().to_string();
    assert!(error.contains("control characters") && !error.contains('\x1b'), "{error}");
}

#[test]
fn what_cannot_be_finished_leaves_nothing() {
    let folder = folder("unfinished");
    // A folder has the name that the file is to get.
    let path = folder.join("t.table");
    fs::create_dir_all(path.join("below")).unwrap();
    let mut writer = Writer::create(&path, header(8, &[3]), Form::Raw).unwrap();
    writer.write(&[1, 2, 3]).unwrap();
    assert!(matches!(writer.finish(), Err(FileError::Io { .. })));
    let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["t.table"]);
}

/// Headers as the first release wrote them, by kind of table.
#[test]
fn old_headers_are_read() {
    let chess = r#"{"kind":"chess","name":"KQK","identity":5,"metric":"plies to mate","bits":8,
        "parts":[{"name":"w","entries":4}],"statistics":{"white to move":{"won":1,"drawn":2,"lost":0,"plies":[0,1]},
        "black to move":{"won":0,"drawn":3,"lost":1,"plies":[1]},"longest":{"plies":1,"fen":"8/8/8/8/8/1k6/8/K2Q4 w - - 0 1"}}}"#;
    let header: Header = serde_json::from_str(chess).unwrap();
    let About::Chess(summary) = &header.about else { panic!("{header:?}") };
    assert_eq!((header.family(), header.metric, summary.white.drawn), (Some(Family::Chess), Metric::Mate, 2));
    assert_eq!(summary.longest_wins().len(), 1);
    let board = r#"{"kind":"chinese-checkers","name":"4x4-1-from-2","identity":5,
        "metric":"upper bound of the moves to the goal, one player","bits":8,"parts":[],"statistics":{"table":{"side":4,
        "pieces":1,"goal":[[0,0]],"deleted":[],"start":2,"bounds":true},"layers":[1,2],"greatest":1,"reached":3,"entries":14}}"#;
    let header: Header = serde_json::from_str(board).unwrap();
    let About::Chinese(summary) = &header.about else { panic!("{header:?}") };
    assert!(header.metric == Metric::HomeBound && summary.table.bounds && summary.layers == [1, 2]);
    let solved = r#"{"kind":"solved","name":"nim","identity":5,"metric":"value, and moves to the end with best play","bits":8,
        "parts":[],"statistics":{"states":7,"edges":6,"depth":2,"layers":[1,3,3],"terminal":2,"stuck":0,"unrated":0,
        "goal_sums":[100,100],"may_repeat":false,"value":-100,"distance":2,"values":{"-100":3,"100":3,"none":1},
        "distances":{"-100":[1,2],"100":[1,1,1]},"game":"nim","roles":["a","b"]}}"#;
    let header: Header = serde_json::from_str(solved).unwrap();
    let About::Solved(summary) = &header.about else { panic!("{header:?}") };
    assert_eq!((summary.goal_sum(), summary.values[&None], &summary.rules), (Some(100), 1, &None));
    // And written as they were.
    for text in [chess, board, solved] {
        let (old, header): (serde_json::Value, Header) =
            (serde_json::from_str(text).unwrap(), serde_json::from_str(text).unwrap());
        assert_eq!(serde_json::to_value(&header).unwrap(), old);
    }
    let unknown = chess.replace("plies to mate", "moves to the moon");
    assert!(serde_json::from_str::<Header>(&unknown).is_err());
}

/// A file that is cut short or changed while it is open: what was read stays, the rest is an error, and nothing else happens.
#[test]
fn what_happens_to_an_open_file_is_an_error() {
    let folder = folder("cut");
    for (form, cache) in [(Form::Raw, 1 << 30), (Form::Raw, 1), (Form::Compressed, 1 << 30), (Form::Compressed, 1)] {
        let path = folder.join(format!("{form:?}-{cache}.table"));
        write(&path, 8, &[200_000, 100_000], form);
        let table = Table::open_with_cache(&path, cache).unwrap();
        assert_eq!(table.get(0, 5).unwrap(), value(0, 5, 8));
        let whole = fs::read(&path).unwrap();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(60).unwrap();
        assert_eq!(table.get(0, 6).unwrap(), value(0, 6, 8), "the block is in memory");
        for (part, index) in [(0, 199_999), (1, 50_000)] {
            let error = table.get(part, index).unwrap_err();
            assert!(matches!(error, FileError::Length { found: 60, .. }), "{error}");
        }
        assert!(table.load(1).is_err() && table.check().is_err() && table.store_as(Form::Raw).is_err());
        // Whole again, it can be asked again; changed, it is damaged.
        fs::write(&path, &whole).unwrap();
        assert_eq!(table.get(1, 50_000).unwrap(), value(1, 50_000, 8));
        let mut other = whole.clone();
        other[56..].iter_mut().for_each(|byte| *byte ^= 0x55);
        fs::write(&path, &other).unwrap();
        let error = table.get(0, 199_999).unwrap_err();
        assert!(matches!(error, FileError::Damaged { .. }), "{error}");
    }
}
