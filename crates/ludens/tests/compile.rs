//! `ludens compile`: what it writes is compiled with the system's C compiler and held to the library's recordings, to
//! path counts that are not ours, and to the prover. Without a C compiler these tests say so and end.

mod support;

use game::random::{Player, Rng};
use game::{Game, Names};
use machine::Prover;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use support::{COUNT, file, folder, ludens, ludens_with};

const WARNINGS: [&str; 5] = ["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror"];

/// Whether there is such a program; says so if not.
fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        println!("SKIPPED: there is no `{program}` on this system");
    }
    found
}

/// Writes a game and builds the driver with it; `None` if there is no C compiler.
fn built(game: &str, test: &str, options: &[&str], optimise: &str) -> Option<PathBuf> {
    if !has("cc") {
        return None;
    }
    let folder = folder(&format!("compile-{test}"));
    let output = folder.display().to_string();
    let run = ludens(&[&["compile", game, "-o", &output, "--name", "it"], options].concat());
    assert_eq!(run.code, 0, "{game}: {}", run.err);
    let driver = folder.join("driver");
    let status = Command::new("cc")
        .args(WARNINGS)
        .args([optimise, "-DHEADER=\"it.h\"", "-I", &output, "-o"])
        .arg(&driver)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/driver.c"))
        .arg(folder.join("it.c"))
        .status();
    assert!(status.is_ok_and(|status| status.success()), "{game} does not compile");
    Some(driver)
}

/// What a program prints, given what is typed.
fn answer(program: &Path, args: &[&str], typed: &str) -> String {
    let mut child =
        Command::new(program).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("it is piped");
    let typed = typed.to_string();
    let writer = std::thread::spawn(move || {
        // The program may end without reading everything.
        let _ = input.write_all(typed.as_bytes());
    });
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("the writer ends");
    assert!(output.status.success(), "{} {args:?}: {}", program.display(), output.status);
    String::from_utf8(output.stdout).expect("its output is text")
}

fn of_library(game: &str, file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games").join(game).join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Plays the recorded moves with the compiled game and compares line by line.
fn replay(driver: &Path, game: &str) {
    let recorded = of_library(game, "playthrough.txt");
    let does = recorded.lines().filter_map(|line| line.strip_prefix("  does "));
    let moves: String = does.filter_map(|line| line.split_once(' ')).map(|(_, mv)| format!("{mv}\n")).collect();
    let played = answer(driver, &["replay"], &moves);
    // The first line is a title.
    for (number, (wanted, got)) in recorded.lines().skip(1).zip(played.lines()).enumerate() {
        assert_eq!(wanted, got, "{game}: line {}", number + 2);
    }
    assert_eq!(recorded.lines().count(), played.lines().count() + 1, "{game}");
}

/// Compares path counts with those of the library as deep as there are not more nodes than this.
fn perft(driver: &Path, game: &str, most: i64) {
    let known: toml::Table = of_library(game, "perft.toml").parse().expect("perft.toml can be read");
    let rows = known["perft"].as_array().expect("counts");
    let number = |row: &toml::Value, key: &str| row[key].as_integer().expect("a number");
    let shallow: Vec<&toml::Value> = rows.iter().take_while(|row| number(row, "nodes") <= most).collect();
    let depth = shallow.last().map_or(0, |row| number(row, "depth"));
    let counted = answer(driver, &["perft", &depth.to_string()], "");
    let counted: Vec<i64> = counted.lines().map(|line| line.parse().expect("a number")).collect();
    for row in &shallow {
        assert_eq!(counted[number(row, "depth") as usize - 1], number(row, "nodes"), "{game}");
    }
    assert!(!shallow.is_empty(), "{game} has no count below {most}");
}

/// Games that ended, joint moves made, and the sum of each role's goals.
fn playouts(driver: &Path, count: u64, most: u64, seed: u64) -> Vec<u64> {
    let args = [count, most, seed].map(|number| number.to_string());
    let text = answer(driver, &["playouts", &args[0], &args[1], &args[2]], "");
    text.split_whitespace().map(|word| word.parse().expect("a number")).collect()
}

#[test]
fn playthroughs_come_out_the_same() {
    let games = [
        ("tic-tac-toe", "-O2"),
        ("connect-four", "-O2"),
        ("rock-paper-scissors", "-O2"),
        ("hex", "-O1"),
        ("awkward", "-O1"),
        ("chess-small", "-O1"),
        ("chinese-checkers-3", "-O0"),
    ];
    for (game, optimise) in games {
        let Some(driver) = built(game, game, &[], optimise) else { return };
        replay(&driver, game);
        perft(&driver, game, 10_000);
        answer(&driver, &["promises"], "");
    }
}

#[test]
fn statements_and_tables_are_the_same_game() {
    for game in ["tic-tac-toe", "hex", "awkward", "knights-tour", "bidding-tic-tac-toe"] {
        let styles = ["statements", "table"].map(|style| {
            let driver = built(game, &format!("{style}-{game}"), &["--code", style], "-O1")?;
            replay(&driver, game);
            Some(playouts(&driver, 3000, 0, 5))
        });
        let [Some(statements), Some(table)] = styles else { return };
        assert_eq!(statements, table, "{game}");
        assert_eq!(statements[0], 3000, "{game}");
    }
}

/// The mean of numbers, and the standard deviation of that mean.
fn mean(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let variance = numbers.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

#[test]
fn random_games_are_like_the_provers() {
    for game in ["tic-tac-toe", "rock-paper-scissors", "awkward", "three-player-nim"] {
        let Some(driver) = built(game, &format!("random-{game}"), &[], "-O1") else { return };
        let prover = Prover::new(&gdl::parse(&of_library(game, "rules.kif")).rules).expect("it loads");
        let (mut player, mut rng) = (Player::new(&prover), Rng::new(3));
        // For each game its length and the goal of every role.
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); 1 + prover.roles()];
        for _ in 0..2000 {
            let playout = player.playout(&prover, &prover.start(), &mut rng, 1000, &mut |_, _| ()).expect("no limit");
            columns[0].push(playout.steps as f64);
            for (column, goal) in columns[1..].iter_mut().zip(&playout.goals) {
                column.push(f64::from(goal.unwrap_or(0)));
            }
        }
        let count = 100_000;
        let compiled = playouts(&driver, count, 0, 1);
        assert_eq!(compiled[0], count);
        for (column, &sum) in columns.iter().zip(&compiled[1..]) {
            let (mean, deviation) = mean(column);
            let got = sum as f64 / count as f64;
            assert!((got - mean).abs() <= 5.0 * deviation + 1e-9, "{game}: {got}, the prover has {mean} ± {deviation}");
        }
    }
}

#[test]
fn random_games_are_counted_exactly() {
    let Some(driver) = built("tic-tac-toe", "counted", &[], "-O1") else { return };
    for count in [0, 1, 2, 127, 129, 1000, 5001] {
        assert_eq!(playouts(&driver, count, 0, 7)[0], count);
    }
    assert_eq!(playouts(&driver, 500, 0, 7), playouts(&driver, 500, 0, 7));
    assert_ne!(playouts(&driver, 500, 0, 7), playouts(&driver, 500, 0, 8));
    // No game is over after four moves, and no game has more than nine.
    assert_eq!(playouts(&driver, 700, 4, 1), [0, 4 * 700, 0, 0]);
    assert_eq!(playouts(&driver, 700, 9, 1), playouts(&driver, 700, 0, 1));
    // Some are over after seven; the others are cut there.
    let [ended, moves, ..] = playouts(&driver, 700, 7, 1)[..] else { panic!("too few numbers") };
    assert!(0 < ended && ended < 700 && moves > 5 * 700 && moves <= 7 * 700, "{ended} {moves}");
}

/// Games of one move in which every outcome has a witness: a role whose goal is 100 if that outcome came about.
fn witnesses(choosers: usize, moves: usize, legal: impl Fn(usize) -> bool) -> (String, usize) {
    let mut text = String::from("(init (now)) (<= terminal (not (true (now))))\n");
    for chooser in 0..choosers {
        let _ = writeln!(text, "(role c{chooser}) (<= (goal c{chooser} 0) (true (did ?x)))");
    }
    let choices: Vec<usize> = (0..moves).filter(|&mv| legal(mv)).collect();
    for chooser in 0..choosers {
        for mv in &choices {
            let _ = writeln!(text, "(<= (legal c{chooser} (take {mv})) (true (now)))");
        }
        // Moves that are possible but never legal here, so that the legal ones lie apart.
        for mv in (0..moves).filter(|&mv| !legal(mv)) {
            let _ = writeln!(text, "(<= (legal c{chooser} (take {mv})) (true (did {mv})))");
        }
    }
    let outcomes = choices.len().pow(choosers as u32);
    for outcome in 0..outcomes {
        let _ = write!(text, "(role w{outcome}) (legal w{outcome} noop) (<= (next (did {outcome}))");
        for chooser in 0..choosers {
            let mv = choices[outcome / choices.len().pow(chooser as u32) % choices.len()];
            let _ = write!(text, " (does c{chooser} (take {mv}))");
        }
        let _ = writeln!(text, ")\n(<= (goal w{outcome} 100) (true (did {outcome})))");
    }
    (text, outcomes)
}

#[test]
fn choices_are_uniform_and_independent() {
    let cases: [(&str, (String, usize)); 4] = [
        ("few", witnesses(1, 7, |_| true)),
        ("many", witnesses(1, 70, |_| true)),
        ("apart", witnesses(1, 90, |mv| mv % 4 == 1)),
        ("two", witnesses(2, 5, |mv| mv != 2)),
    ];
    for (name, (text, outcomes)) in cases {
        let sheet = file(&folder(&format!("uniform-rules-{name}")), "rules.kif", text);
        let Some(driver) = built(&sheet, &format!("uniform-{name}"), &[], "-O1") else { return };
        let count = 400_000;
        let all = playouts(&driver, count, 0, 11);
        let seen: Vec<f64> = all[all.len() - outcomes..].iter().map(|&sum| sum as f64 / 100.0).collect();
        assert_eq!(seen.iter().sum::<f64>(), count as f64, "{name}");
        let expected = count as f64 / outcomes as f64;
        let chi: f64 = seen.iter().map(|&x| (x - expected) * (x - expected) / expected).sum();
        let freedom = outcomes as f64 - 1.0;
        assert!(chi < freedom + 5.0 * (2.0 * freedom).sqrt(), "{name}: {chi} with {freedom} degrees of freedom");
    }
}

#[test]
fn examples_work() {
    if !has("cc") || !has("make") {
        return;
    }
    let folder = folder("compile-examples");
    assert_eq!(ludens(&["compile", "nim", "-o", &folder.display().to_string()]).code, 0);
    // What a make or a compiler outside may have been told is not for this one.
    let mut make = Command::new("make");
    make.arg("-s").arg("-C").arg(&folder).env_remove("MAKEFLAGS").env_remove("CFLAGS").env("NATIVE", "");
    assert!(make.status().expect("make starts").success());
    let told = answer(&folder.join("example"), &["2000"], "");
    assert!(told.starts_with("state 0:") && told.contains("2000 of 2000 random games ended"), "{told}");
    if has("python3") {
        let script = folder.join("example.py").display().to_string();
        let told = answer(Path::new("python3"), &[&script, "2000"], "");
        assert!(told.contains("goal 100\n") && told.contains("2000 of 2000 random games ended"), "{told}");
    }
}

fn texts(folder: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut texts: Vec<_> =
        entries.map(|path| (name(&path), std::fs::read_to_string(&path).expect("a text"))).collect();
    texts.sort();
    texts
}

#[test]
fn files_are_written_and_own_ones_replaced() {
    let folder = folder("compile-files").join("deep/er");
    let output = folder.display().to_string();
    let run = ludens_with(&["compile", "-", "-o", &output, "--name", "count-up"], COUNT.as_bytes());
    assert_eq!(run.code, 0, "{}", run.err);
    let first = texts(&folder);
    let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Makefile", "README.md", "count-up.c", "count-up.h", "example.c", "example.py"]);
    assert!(names.iter().all(|name| run.out.contains(&format!("{name}\n"))), "{}", run.out);
    // The same again gives the same; another game replaces it.
    let again = ludens_with(&["compile", "-", "-o", &output, "--name", "count-up"], COUNT.as_bytes());
    assert_eq!((again.code, texts(&folder)), (0, first.clone()), "{}", again.err);
    assert_eq!(ludens(&["compile", "nim", "-o", &output, "--name", "count-up"]).code, 0);
    assert_ne!(texts(&folder), first);
}

#[test]
fn files_of_others_are_left_alone() {
    let folder = folder("compile-foreign");
    let output = folder.display().to_string();
    let args = ["compile", "nim", "-o", &output];
    assert_eq!(ludens(&args).code, 0);
    let edited = std::fs::read_to_string(folder.join("example.c")).expect("written").replace("1000", "2000");
    file(&folder, "example.c", &edited);
    file(&folder, "Makefile", b"all:\n\ttrue # \xff\n");
    let before = std::fs::read(folder.join("nim.c")).expect("written");
    let run = ludens(&args);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("example.c, Makefile") && run.err.contains("--force"), "{}", run.err);
    assert_eq!(std::fs::read_to_string(folder.join("example.c")).expect("kept"), edited);
    assert_eq!(std::fs::read(folder.join("nim.c")).expect("kept"), before);
    assert_eq!(ludens(&[&args[..], &["--force"]].concat()).code, 0);
    assert_eq!(ludens(&args).code, 0);
}

#[test]
fn what_cannot_be_compiled_is_2() {
    let folder = folder("compile-refused");
    let output = folder.join("out").display().to_string();
    // Every move makes a new fact, so that there is no end of facts.
    let endless = "(role me) (init (n z)) (legal me go) (<= (next (n (s ?x))) (true (n ?x))) (goal me 100)
        (<= terminal (true (n (s (s (s z))))))";
    let run = ludens_with(&["compile", "-", "-o", &output], endless.as_bytes());
    assert_eq!(run.code, 2);
    assert!(run.err.contains("only a net can be written as C") && run.err.contains("nested"), "{}", run.err);
    let run = ludens_with(&["compile", "-", "-o", &output], b"(role me) (init");
    assert_eq!(run.code, 2);
    for name in ["example", "../up", "", "-x", "a b"] {
        let run = ludens(&["compile", "nim", "-o", &output, &format!("--name={name}")]);
        assert!(run.code == 2 && run.err.contains("--name"), "{name}: {}", run.err);
    }
    assert!(!folder.join("out").exists());
    let taken = file(&folder, "taken", "");
    let run = ludens(&["compile", "nim", "-o", &taken]);
    assert!(run.code == 2 && run.err.contains("taken"), "{}", run.err);
    assert_eq!(ludens(&["compile", "nim"]).code, 2);
}

#[test]
fn help_has_an_example() {
    let run = ludens(&["compile", "--help"]);
    assert!(run.code == 0 && run.out.contains("ludens compile connect-four -o"), "{}", run.out);
}

#[test]
fn names_are_those_of_the_game() {
    let folder = folder("compile-names");
    // Characters that mean something to a C compiler.
    let rules = "(role a??/b) (init (\\x é)) (<= (legal a??/b go) (true (\\x é))) (<= (next done) (does a??/b go))
        (<= terminal (true done)) (<= (goal a??/b 100) (true done))";
    let prover = Prover::new(&gdl::parse(rules).rules).expect("it loads");
    let sheet = file(&folder, "rules.kif", rules);
    let Some(driver) = built(&sheet, "names-built", &[], "-O1") else { return };
    let wanted = prover.facts(&prover.start());
    let told = answer(&driver, &["replay"], "go\n");
    assert!(told.contains(&format!("  + {}\n", wanted[0])), "{told}");
    assert!(told.ends_with("  terminal\n  goal a??/b 100\n"), "{told}");
}
