//! `ludens solve`: games with known answers, limits, and stored tables.

mod support;

use support::{COUNT, file, folder, ludens, ludens_with, program, run};

#[test]
fn tic_tac_toe_is_a_draw() {
    let folder = folder("solve-engines");
    let mut tables = Vec::new();
    for engine in ["net", "rules", "prover"] {
        let path = folder.join(engine);
        let run =
            ludens(&["solve", "tic-tac-toe", "--engine", engine, "--json", "--save", &path.display().to_string()]);
        assert_eq!(run.code, 0, "{}", run.err);
        let report = run.json();
        assert_eq!((&report["states"], &report["value"]), (&5478.into(), &0.into()));
        assert!(report["distance"].is_null());
        // Published: 958 ends; 626 won by the first, 316 by the second, 16 drawn.
        assert_eq!(report["terminal"], 958);
        assert_eq!((&report["distances"]["100"][0], &report["distances"]["-100"][0]), (&626.into(), &316.into()));
        assert_eq!(report["line"].as_array().unwrap().len(), 9, "{}", report["line"]);
        assert_eq!(report["end"]["over"], serde_json::json!([50, 50]));
        assert_eq!(report["engine"], engine);
        tables.push(std::fs::read(path).unwrap());
    }
    // Keys are made of facts, not of what an engine makes of them.
    assert!(tables[0] == tables[1] && tables[1] == tables[2]);
}

#[test]
fn small_games_have_their_known_values() {
    // The game, the value for the first role, and the moves to the end.
    let known = [
        ("nim", -100, None),
        ("chomp", 100, None),
        ("hanoi", 100, Some(63)),
        ("maze", 100, Some(22)),
        ("blocks-world", 100, Some(6)),
    ];
    for (game, value, distance) in known {
        let report = ludens(&["solve", game, "--json"]).json();
        assert_eq!(report["value"], value, "{game}");
        if let Some(distance) = distance {
            assert_eq!(report["distance"], distance, "{game}");
            assert_eq!(report["line"].as_array().unwrap().len(), distance, "{game}");
        }
    }
    let chomp = ludens(&["solve", "chomp", "--json"]).json();
    assert_eq!(chomp["line"][0]["move"], "(eat 3 3)", "the only winning first bite");
}

#[test]
fn people_read_the_value_the_line_and_the_counts() {
    let run = ludens(&["solve", "nim"]);
    assert_eq!(run.code, 0);
    for part in ["nim: solved in", "second wins in 16 moves", "(take a 1)", "by moves to the end", "stored in"] {
        assert!(run.out.contains(part), "{part} in {}", run.out);
    }
    assert!(!run.out.contains("noop"), "who waits is not shown: {}", run.out);
    let line = ludens(&["solve", "hanoi", "--line"]);
    assert!(
        line.out.lines().any(|line| line.trim_start().starts_with("63  player (move 1 c)  0 to go")),
        "{}",
        line.out
    );
}

#[test]
fn one_player_may_never_come_to_an_end() {
    // Around and around; and one way out, to a goal of 40.
    let circle = "(role me) (init (at a)) (succ a b) (succ b a) (legal me go)
        (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at c))) (goal me 0)";
    let run = ludens_with(&["solve", "-"], circle.as_bytes());
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("no end can be reached") && run.out.contains("for ever"), "{}", run.out);
    let count = ludens_with(&["solve", "-", "--json"], COUNT.as_bytes()).json();
    assert_eq!((&count["value"], &count["distance"], &count["states"]), (&100.into(), &2.into(), &5.into()));
}

#[test]
fn faulty_rules_are_survived() {
    let stuck = "(role me) (init (at a)) (<= (legal me go) (true (at a))) (<= (next (at b)) (does me go))
        (<= terminal (true (at c))) (<= (goal me 30) (true (at b)))";
    let report = ludens_with(&["solve", "-", "--json"], stuck.as_bytes()).json();
    assert_eq!((&report["stuck"], &report["value"], &report["end"]), (&1.into(), &30.into(), &"stuck".into()));
}

#[test]
fn what_cannot_be_solved_is_told() {
    for (game, word) in [("tron", "at the same time"), ("three-player-nim", "3 roles")] {
        let run = ludens(&["solve", game]);
        assert_eq!(run.code, 2);
        assert!(run.err.contains(word), "{}", run.err);
    }
    let run = ludens(&["solve", "connect-four-small", "--memory", "8"]);
    assert_eq!(run.code, 2);
    for part in ["8 MiB", "states seen", "moves from the start", "--no-save takes less"] {
        assert!(run.err.contains(part), "{part} in {}", run.err);
    }
    assert_eq!(ludens(&["solve", "nim", "--memory", "0"]).code, 2);
    assert_eq!(ludens(&["solve", "no-such-game"]).code, 2);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_with_a_word() {
    let child = program()
        .args(["solve", "lights-out", "--memory", "2000"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(err.contains("ludens: interrupted; lights-out is not solved"), "{err}");
}

#[test]
fn tables_are_stored_unless_told_otherwise() {
    let folder = folder("solve-default");
    let solve = |args: &[&str], input: &str| {
        run(program().env("LUDENS_TABLES", &folder).arg("solve").args(args), input.as_bytes())
    };
    let path = folder.join("solved/nim.table");
    let left = solve(&["nim", "--no-save"], "");
    assert!(left.code == 0 && left.out.ends_with("not stored\n"), "{}", left.out);
    assert!(!path.exists());
    let kept = solve(&["nim"], "");
    assert!(kept.code == 0 && kept.out.ends_with(&format!("stored in {}\n", path.display())), "{}", kept.out);
    // Other rules of the same name have a table of their own; the same rules have the same one.
    let other = folder.join("nim.kif").display().to_string();
    std::fs::write(&other, COUNT).unwrap();
    let place = |args: &[&str]| solve(args, "").json()["table"].as_str().unwrap().to_string();
    let second = place(&[&other, "--json"]);
    assert!(second.contains("/nim-"), "{second}");
    assert_eq!(place(&[&other, "--json"]), second);
    assert_eq!(place(&["nim", "--json"]), path.display().to_string());
    let probe =
        |game: &str| run(program().env("LUDENS_TABLES", &folder).args(["table", "probe", game, "--json"]), b"").json();
    assert_eq!((&probe("nim")["value"], &probe(&other)["value"]), (&(-100).into(), &100.into()));
    // A path with as many strokes as a position of chess is still a path, from wherever it is asked.
    for strokes in 1..12 {
        let nested = file(&folder, &format!("{}nim.kif", "deep/".repeat(strokes)), COUNT);
        assert_eq!(probe(&nested)["value"], 100, "{nested}");
    }
    assert_eq!(solve(&["nim", "--no-save", "--save"], "").code, 2);
}

#[test]
fn a_folder_that_cannot_be_written_is_a_warning() {
    let folder = folder("solve-unwritable");
    // A file where the folder should be: nobody can write there, whoever runs this.
    let blocked = file(&folder, "blocked", "");
    let solve = |args: &[&str]| run(program().env("LUDENS_TABLES", &blocked).args(["solve", "nim"]).args(args), b"");
    let told = solve(&[]);
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(told.out.contains("second wins in 16 moves") && told.out.ends_with("not stored\n"), "{}", told.out);
    assert!(told.err.starts_with("warning: the table is not stored: ") && told.err.contains("blocked"), "{}", told.err);
    assert!(solve(&["--json"]).json()["table"].is_null());
    let inside = format!("{blocked}/nim.table");
    for args in [&["--save"][..], &["--save", &inside], &["--folder", &blocked]] {
        let run = solve(args);
        assert!(run.code == 2 && run.err.contains("blocked"), "{args:?}: {} {}", run.code, run.err);
    }
}

#[test]
fn tables_are_stored_checked_and_described() {
    let folder = folder("solve-store");
    let tables = folder.display().to_string();
    let run = ludens(&["solve", "nim", "--save", "--folder", &tables, "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let path = run.json()["table"].as_str().unwrap().to_string();
    assert!(path.starts_with(&tables) && path.ends_with("nim.table"), "{path}");
    // A file of one's own choice, compressed.
    let own = folder.join("own.table").display().to_string();
    assert_eq!(ludens(&["solve", "nim", "--save", &own, "--compress"]).code, 0);
    for path in [&path, &own] {
        let info = ludens(&["table", "info", path, "--json"]);
        assert_eq!(info.code, 0, "{}", info.err);
        assert_eq!(info.json()["kind"], "solved");
        assert_eq!((&info.json()["statistics"]["states"], &info.json()["entries"]), (&752.into(), &752.into()));
        let info = ludens(&["table", "info", path]).out;
        assert!(
            info.contains("states     752, up to 5 moves from the start\nstart      second wins in 16 moves"),
            "{info}"
        );
        let verify = ludens(&["table", "verify", path, "--game", "nim"]);
        assert_eq!(verify.code, 0, "{}{}", verify.out, verify.err);
        assert!(verify.out.contains("752"), "{}", verify.out);
    }
    let list = ludens(&["table", "list", "--folder", &tables, "--json"]).json();
    assert_eq!(list["tables"].as_array().unwrap().len(), 2);
    assert!(list["tables"].as_array().unwrap().iter().all(|table| table["entries"] == 752), "{list}");
    // The rules of another game are not those of the table.
    assert_eq!(ludens(&["table", "verify", &path, "--game", "chomp"]).code, 2);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let verify = ludens(&["table", "verify", &path]);
    assert_ne!(verify.code, 0);
    assert!(verify.err.contains("damaged"), "{}{}", verify.out, verify.err);
    let _ = file(&folder, "not.table", "nothing");
    assert_eq!(ludens(&["table", "info", &folder.join("not.table").display().to_string()]).code, 2);
}

/// Six steps to the goal, and nine moves for them.
const WALK: &str = "(role me) (init (at 0)) (init (step 0))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
    (legal me stay) (<= (legal me right) (true (at ?x)) (succ ?x ?y)) (<= (legal me left) (true (at ?x)) (succ ?y ?x))
    (<= (next (at ?y)) (does me right) (true (at ?x)) (succ ?x ?y))
    (<= (next (at ?y)) (does me left) (true (at ?x)) (succ ?y ?x))
    (<= (next (at ?x)) (does me stay) (true (at ?x))) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= terminal (true (at 6))) (<= terminal (true (step 9)))
    (<= (goal me 100) (true (at 6))) (<= (goal me 25) (not (true (at 6))))";

#[test]
fn king_and_rook_are_solved_without_the_counter() {
    let folder = folder("solve-krk");
    let tables = folder.display().to_string();
    let run = ludens(&["solve", "krk", "--folder", &tables, "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    for part in ["`ludens table build chess KRK` makes its table of", "(step 0) to (step 100) does nothing but end krk"]
    {
        assert!(run.err.contains(part), "{part} in {}", run.err);
    }
    let report = run.json();
    // Known: mate in 16 moves from Ka1, Rb2 against Kd5.
    assert_eq!((&report["value"], &report["distance"]), (&100.into(), &31.into()));
    assert_eq!((&report["left_out"]["plies"], &report["left_out"]["last"]), (&100.into(), &"(step 100)".into()));
    assert!(report["states"].as_u64().unwrap() < 500_000, "{}", report["states"]);
    let line = report["line"].as_array().unwrap();
    assert_eq!((line.len(), &report["end"]["over"]), (31, &serde_json::json!([100, 0])));
    for (at, step) in line.iter().enumerate() {
        assert_eq!(step["distance"], 30 - at, "{step}");
    }
    // The same as the table of the ending, move by move.
    let table = |args: &[&str]| ludens(&[&["table"], args, &["--folder", &tables, "--json"]].concat());
    let built = table(&["build", "chess", "KRK"]);
    assert_eq!(built.code, 0, "{}", built.err);
    let distances = |asked: &serde_json::Value| {
        let moves = asked["moves"].as_array().unwrap().iter();
        // The table of the ending counts the move itself.
        let mut found: Vec<Option<u64>> =
            moves.map(|mv| mv["distance"].as_u64().map(|after| after + 1).or(mv["plies"].as_u64())).collect();
        found.sort_unstable();
        found
    };
    let (ours, theirs) = (table(&["probe", "krk"]).json(), table(&["probe", "8/8/8/3k4/8/8/1R6/K7 w - - 0 1"]).json());
    assert_eq!(distances(&ours), distances(&theirs), "{ours}\n{theirs}");
    let asked = table(&["line", "krk"]).json();
    assert_eq!((&asked["distance"], asked["line"].as_array().unwrap().len()), (&31.into(), 31));
}

#[test]
fn tables_without_the_counter_are_asked_verified_and_described() {
    let folder = folder("solve-counter");
    let tables = folder.display().to_string();
    let game = file(&folder, "walk.kif", WALK);
    let table = |args: &[&str]| ludens(&[&["table"], args, &["--folder", &tables]].concat());
    let solved = ludens(&["solve", &game, "--folder", &tables]);
    assert_eq!(solved.code, 0, "{}", solved.err);
    let counter = "counter    (step 0) to (step 9), left out of the states: the game ends after 9 moves";
    assert!(solved.out.contains("states     7, ") && solved.out.contains(counter), "{}", solved.out);
    let path = folder.join("solved/walk.table").display().to_string();
    let info = ludens(&["table", "info", &path]).out;
    assert!(info.contains(counter) && info.contains("start      goal 100 in 6 moves"), "{info}");
    let verify = ludens(&["table", "verify", &path, "--game", &game]);
    assert_eq!(verify.code, 0, "{}{}", verify.out, verify.err);
    // The six moves still fit after three others, and not after four: then the limit comes first.
    for (wasted, words) in [(0, "goal 100 in 6 moves"), (3, "goal 100 in 6 moves"), (4, "goal 25 in 5 moves")] {
        let asked = [&["probe", &game][..], &["stay"].repeat(wasted)].concat();
        assert!(table(&asked).out.starts_with(words), "{wasted}: {}{}", table(&asked).out, table(&asked).err);
    }
    let line = table(&["line", &game, "stay"]);
    assert_eq!(line.out.lines().filter(|line| line.contains("me right")).count(), 6, "{}{}", line.out, line.err);
    // Begun elsewhere, the limit is what is left of it.
    let later = ludens(&["solve", &game, "--moves", "stay; stay; stay; stay", "--no-save", "--json"]).json();
    assert_eq!((&later["value"], &later["distance"], &later["left_out"]["plies"]), (&25.into(), &5.into(), &5.into()));
}

#[test]
fn what_a_counter_does_beyond_ending_the_game_keeps_it() {
    // What the limit gives depends on where one is then: that cannot be told without the counter.
    let uneven =
        "(role me) (init (at a)) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (legal me stay) (legal me go)
        (<= (next (at ?x)) (does me stay) (true (at ?x))) (<= (next (at b)) (does me go) (true (at a)))
        (<= (next (at c)) (does me go) (true (at b))) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (<= terminal (true (at c))) (<= terminal (true (step 3)))
        (<= (goal me 0) (true (at a))) (<= (goal me 50) (true (at b))) (<= (goal me 20) (true (at c)))";
    let run = ludens_with(&["solve", "-", "--json", "--no-save"], uneven.as_bytes());
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("is solved with its counter: what it gives at its limit is not always the same"),
        "{}",
        run.err
    );
    let report = run.json();
    assert_eq!((&report["value"], &report["distance"]), (&50.into(), &3.into()));
    assert!(report["left_out"].is_null());
}
