//! `ludens abstraction`: what carries over, as the paper says, and patterns of any game, in words and in JSON.

mod support;

use support::ludens;

fn test(args: &[&str]) -> support::Run {
    ludens(&[&["abstraction", "test"], args].concat())
}

/// The verdicts of a property.
fn verdicts(report: &serde_json::Value, property: &str) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter().filter(|finding| finding["property"] == property);
    findings.map(|finding| finding["verdict"].as_str().unwrap().to_string()).collect()
}

#[test]
fn help_has_examples() {
    for args in [&["chinese-checkers"][..], &["chess"]] {
        let run = test(&[args, &["--help"]].concat());
        assert_eq!(run.code, 0);
        assert!(run.out.contains("Example") && run.out.contains(&format!("ludens abstraction test {}", args[0])));
    }
    assert!(ludens(&["abstraction", "--help"]).out.contains("Example"));
}

#[test]
fn chinese_checkers_keeps_paths() {
    let duel = ["chinese-checkers", "--red", "1-3", "--blue", "1-2", "--transitions", "1000"];
    let run = test(&duel);
    assert_eq!(run.code, 0, "{}", run.err);
    for words in ["steps: refuted", "paths: proved", "paths: seen", "0.300%", "position  red ", "action    (move "] {
        assert!(run.out.contains(words), "{words}: {}", run.out);
    }
    let json = test(&[&duel[..], &["--json"]].concat());
    let report = json.json();
    assert_eq!(verdicts(&report, "steps"), ["refuted"]);
    assert_eq!(verdicts(&report, "paths"), ["proved", "seen"]);
    assert_eq!(report["findings"][2]["upper_bound"], 0.003);
    assert!(report["findings"][0]["image"].is_string() && report["findings"][0]["position"].is_string());
    // The same seed, the same report.
    assert_eq!(test(&[&duel[..], &["--json"]].concat()).out, json.out);

    let alone = test(&["chinese-checkers", "--blue", "1-4", "--pieces", "10", "--transitions", "500", "--json"]);
    assert_eq!((alone.code, verdicts(&alone.json(), "paths")), (0, vec!["proved".to_string()]));
    let part = ["--red", "1-4", "--pieces", "10", "--goal", "enter", "--win", "home", "--transitions", "500"];
    let part = test(&[&["chinese-checkers"], &part[..]].concat());
    assert_eq!(part.code, 1, "{}", part.err);
    assert!(part.out.contains("not on this part of the board"), "{}", part.out);
}

#[test]
fn chess_keeps_nothing() {
    let run = test(&["chess", "KRPKR", "KRK", "--json"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let report = run.json();
    for property in ["steps", "paths", "goals"] {
        assert_eq!(verdicts(&report, property), ["refuted"], "{}", run.out);
    }
}

#[test]
fn bad_input_is_told() {
    for (args, word) in [
        (&["chinese-checkers"][..], "--red"),
        (&["chinese-checkers", "--red", "3-1"], "1-3"),
        (&["chinese-checkers", "--red", "1-7"], "do not exist"),
        (&["chinese-checkers", "--red", "1-3", "--pieces", "5"], "triangles"),
        (&["chinese-checkers", "--red", "1-3", "--blue", "1-2", "--goal", "enter"], "--goal"),
        (&["chinese-checkers", "--red", "1-3", "--transitions", "0"], "0"),
        (&["chess", "KRPKR", "KQK"], "not among"),
        (&["chess", "KRPKR", "RK"], "king first"),
        (&["chess", "KRPKR"], "KEPT"),
    ] {
        let run = test(args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.out);
        assert!(run.err.contains(word), "{args:?}: {}", run.err);
    }
}

#[test]
fn patterns_are_built_verified_and_damage_is_noticed() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("patterns");
    let _ = std::fs::remove_dir_all(&folder);
    let place = ["--folder", folder.to_str().unwrap()];
    let build = |args: &[&str]| ludens(&[&["abstraction", "build", "breakthrough-small"], args, &place].concat());
    let built = build(&["--pattern", "white white black"]);
    assert_eq!(built.code, 0, "{}", built.err);
    assert!(built.out.contains("8834 won, 1050 drawn, 3916 lost, at most 7 moves"), "{}", built.out);
    assert_eq!(build(&["--pattern", "black", "--other", "absent", "--role", "black"]).code, 0);
    let verify = || ludens(&[&["abstraction", "verify", "breakthrough-small"][..], &place].concat());
    let right = verify();
    assert_eq!((right.code, right.out.matches("are what the rules say").count()), (0, 2), "{}{}", right.out, right.err);
    let file = std::fs::read_dir(folder.join("pattern")).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[60] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let damaged = verify();
    assert_eq!(damaged.code, 2);
    assert!(damaged.err.contains("damaged") && damaged.err.contains("ludens abstraction build"), "{}", damaged.err);
    let wrong = build(&["--pattern", "white queen"]);
    assert!(wrong.code == 2 && wrong.err.contains("there are white, black"), "{}", wrong.err);
    let large = build(&["--pattern", "white white black", "--states", "1000"]);
    assert!(large.code == 2 && large.err.contains("keep fewer pieces"), "{}", large.err);
}

#[test]
fn where_there_are_no_patterns_it_is_said() {
    for (game, why) in
        [("hex", "put on the board"), ("nim", "not known what a cell becomes"), ("eight-puzzle", "two roles")]
    {
        let run = ludens(&["abstraction", "show", game]);
        assert_eq!(run.code, 1, "{}", run.err);
        assert!(run.out.contains("no pattern is of use") && run.out.contains(why), "{}", run.out);
    }
    let shown = ludens(&["abstraction", "show", "breakthrough-small", "--seconds", "3", "--json"]);
    assert!(shown.json()["tried"].as_array().unwrap().len() > 3, "{}", shown.out);
}
