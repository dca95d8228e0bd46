//! `ludens lab roschke`: what can be seen of it without the large table.

mod support;

use support::ludens;

fn folder(name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("roschke-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    folder.display().to_string()
}

#[test]
fn sizes_need_no_table() {
    let out = folder("sizes");
    let run = ludens(&["lab", "roschke", "table1", "--out", &out]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("324540216") && run.out.contains("1878392407320"), "{}", run.out);
    for file in ["report.md", "results.json", "figure.svg"] {
        assert!(std::path::Path::new(&out).join(file).is_file(), "{file}");
    }
}

#[test]
fn a_missing_table_has_a_way_out() {
    let run = ludens(&["lab", "roschke", "table3", "--quick", "--out", &folder("missing")]);
    assert_eq!(run.code, 2, "{}", run.out);
    assert!(run.err.contains("ludens table build chinese-checkers --pieces 6"), "{}", run.err);
}

#[test]
fn earlier_games_are_read_from_elsewhere() {
    let out = folder("onto");
    assert_eq!(ludens(&["lab", "roschke", "table1", "--out", &out]).code, 0);
    let results = format!("{out}/results.json");
    for (onto, part) in [(results.as_str(), "would overwrite"), ("nowhere.json", "cannot read nowhere.json")] {
        let run = ludens(&["lab", "roschke", "table1", "--out", &out, "--onto", onto]);
        assert_eq!(run.code, 2, "{}", run.out);
        assert!(run.err.contains(part), "{}", run.err);
    }
    let run = ludens(&["lab", "roschke", "table1", "--out", &folder("onto-2"), "--onto", &results]);
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn parts_and_numbers_are_checked() {
    for (args, part) in [
        (["lab", "roschke", "table2"], "table3"),
        (["lab", "roschke", "--games=0"], "--games"),
        (["lab", "roschke", "--with=nobody"], "no number has a player called nobody"),
        (["lab", "roschke", "--time-scale=0"], "above 0"),
    ] {
        let run = ludens(&args);
        assert_eq!(run.code, 2, "{args:?}");
        assert!(run.err.contains(part), "{args:?}: {}", run.err);
    }
}
