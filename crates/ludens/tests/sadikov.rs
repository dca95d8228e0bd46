//! `ludens lab sadikov`: what can be seen of it in seconds, which is KRK.

mod support;

use support::ludens;

fn folder(name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sadikov-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    folder.display().to_string()
}

#[test]
fn krk_has_the_published_borders_and_is_won_by_stages() {
    let out = folder("krk");
    let run = ludens(&["lab", "sadikov", "krk", "--quick", "--out", &out]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("this takes about"), "{}", run.out);
    assert!(run.out.contains("KRK: minima at 7, 11 (published: 7, 11)"), "{}", run.out);
    let read = |file: &str| std::fs::read_to_string(std::path::Path::new(&out).join(file)).expect(file);
    assert!(read("report.md").contains("These are the counts of the public data set."));
    for file in ["figure1.svg", "figure2a.svg", "figure2b.svg", "scatter-krk-left.svg", "success-krk-avoided-w.svg"] {
        assert!(read(file).starts_with("<svg"), "{file}");
    }
    let results = read("results.json");
    for part in ["\"correlations\"", "\"excess_of_all\"", "\"published\"", "\"fits\""] {
        assert!(results.contains(part), "{part}");
    }
    // Nothing is played again.
    let again = ludens(&["lab", "sadikov", "krk", "--quick", "--out", &out]);
    assert!(again.out.contains("going on from"), "{}", again.out);
    assert_eq!(read("results.json"), results);
}

#[test]
fn endings_and_numbers_are_checked() {
    for (args, part) in [(["lab", "sadikov", "kbnk"], "kqkr"), (["lab", "sadikov", "--positions=0"], "--positions")] {
        let run = ludens(&args);
        assert_eq!(run.code, 2, "{args:?}");
        assert!(run.err.contains(part), "{args:?}: {}", run.err);
    }
}
