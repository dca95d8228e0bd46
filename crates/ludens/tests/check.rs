//! `check` plays: what random games find, with the moves that lead there.

mod support;

use support::{file, folder, ludens};

/// A game of at most two steps in which nothing is wrong. Tests change one line each.
const GAME: &str = "(role me)
(role you)
(init (at 1))
(succ 1 2)
(succ 2 3)
(legal me go)
(legal you noop)
(<= (legal you wait) (true (at 1)))
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
(<= terminal (true (at 3)))
(<= (goal me 100) (true (at 3)))
(<= (goal me 0) (not (true (at 3))))
(goal you 50)
";

/// Checks the game with a line replaced; the one problem found.
#[track_caller]
fn found(name: &str, from: &str, to: &str) -> serde_json::Value {
    let text = GAME.replace(from, to);
    assert_ne!(text, GAME);
    let path = file(&folder(name), "game.kif", text);
    let run = ludens(&["check", &path, "--json"]);
    let rows = run.json();
    let rows = rows.as_array().expect("a list");
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(run.code == 1, rows[0]["severity"] == "error");
    // What the text shows is nothing: it takes play to find it.
    assert_eq!(ludens(&["check", &path, "--json", "--no-play"]).out, "[]\n");
    rows[0].clone()
}

#[test]
fn a_good_game_is_silent() {
    let path = file(&folder("good"), "game.kif", GAME);
    assert_eq!(ludens(&["check", &path, "--deny-warnings", "--json"]).out, "[]\n");
    let run = ludens(&["check", &path]);
    assert_eq!((run.code, run.out.as_str()), (0, "1 file: 0 errors, 0 warnings\n"));
}

#[test]
fn a_role_without_a_move() {
    let row = found("stuck", "(legal you noop)\n", "");
    assert_eq!(row["code"], "no-move");
    assert_eq!(row["message"], "`you` has no legal move after 1 move, though the game is not over");
    assert_eq!(row["moves"], serde_json::json!([["go", "wait"]]));
    assert_eq!((&row["line"], &row["column"]), (&6.into(), &1.into()));
}

#[test]
fn ends_without_a_goal_or_with_two() {
    let row = found("no-goal", "(goal you 50)", "(<= (goal you 50) (true (at 1)))");
    assert_eq!(row["code"], "no-goal");
    assert_eq!(row["message"], "the game ends after 2 moves, but `you` has no goal");
    assert_eq!(row["moves"].as_array().expect("a list").len(), 2);
    let row = found("two-goals", "(goal you 50)", "(goal you 50)\n(<= (goal you 70) (true (at 3)))");
    assert_eq!(row["code"], "several-goals");
    assert_eq!(row["message"], "the game ends after 2 moves, and `you` has the goals 50 and 70");
}

#[test]
fn terms_that_grow() {
    let row = found(
        "grow",
        "(succ 2 3)",
        "(succ 2 1)\n(succ 3 3)\n(init (count zero))\n(<= (next (count (s ?n))) (true (count ?n)))",
    );
    assert_eq!(row["code"], "terms-grow");
    assert!(row["message"].as_str().expect("text").starts_with("terms grow without bound"), "{row}");
}

#[test]
fn games_without_end_are_worth_a_note() {
    let row = found("endless", "(succ 2 3)", "(succ 2 1)\n(succ 3 3)");
    assert_eq!((&row["code"], &row["severity"]), (&"endless".into(), &"note".into()));
    assert!(row["message"].as_str().expect("text").contains("did not end within 2000 steps"), "{row}");
}

#[test]
fn play_is_bounded_in_time_and_repeatable() {
    let start = std::time::Instant::now();
    let run = ludens(&["check", "chess", "--seconds", "0.2"]);
    assert_eq!(run.code, 0, "{}", run.out);
    assert!(start.elapsed().as_secs() < 20);
    let path = file(&folder("again"), "game.kif", GAME.replace("(legal you noop)\n", ""));
    let runs = [0, 1].map(|_| ludens(&["check", &path]).out);
    assert_eq!(runs[0], runs[1]);
    assert!(runs[0].contains("\n  = moves: go wait\n"), "{}", runs[0]);
}

#[test]
fn foreign_signs_are_told_once() {
    let path = file(&folder("foreign"), "game.kif", GAME.replace("(succ 1 2)", "// how to count\n(succ 1 2)"));
    let run = ludens(&["check", &path]);
    assert_eq!(run.out.matches("[foreign-comment]").count(), 1);
    assert!(run.out.ends_with("1 file: 0 errors, 1 warning\n"), "{}", run.out);
}
