//! `play`: whole sessions, typed through a pipe.

mod support;

use support::{COUNT, Run, file, folder, ludens_with};

fn play(args: &[&str], typed: &str) -> Run {
    ludens_with(&[&["play", "--opponent", "random"], args].concat(), typed.as_bytes())
}

#[test]
fn a_whole_game_by_name_number_and_part() {
    let folder = folder("play-count");
    let path = file(&folder, "count.kif", COUNT);
    let run = play(&[&path], "(add 1)\nADD 2\n");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("Me to move:"), "{}", run.out);
    assert!(run.out.contains("1 (Add 1)  2 (Add 2)"), "{}", run.out);
    assert!(run.out.trim_end().ends_with("The game is over. Solved! Your result: 100 of 100."), "{}", run.out);
    let run = play(&[&path], "2\nadd(2)\n");
    assert!(run.out.trim_end().ends_with("Your result: 0 of 100."), "{}", run.out);
}

#[test]
fn the_board_is_drawn_and_the_other_side_answers() {
    let run = play(&["tic-tac-toe", "--seed", "1"], "mark 2 2\n");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("you play x; o moves at random"), "{}", run.out);
    assert!(run.out.contains("  3  . . .\n  2  . . .\n  1  . . .\n     1 2 3\n"), "{}", run.out);
    assert!(run.out.contains("2  .[x"), "the last move is marked: {}", run.out);
    assert!(run.out.contains("x: noop (the only move)   o: (mark "), "{}", run.out);
    assert!(run.out.ends_with("the game was not finished.\n"), "{}", run.out);
    assert_eq!(run.out, play(&["tic-tac-toe", "--seed", "1"], "mark 2 2\n").out);
}

#[test]
fn the_prompt_understands_its_commands() {
    let typed = "help\nundo\nmoves\nstate\nmark\n99\njump\n\n1\nundo\nhint\nquit\n2\n";
    let run = play(&["tic-tac-toe", "--seed", "1"], typed);
    assert_eq!(run.code, 0, "{}", run.err);
    for said in [
        "Type the number of a move",
        "There is nothing to take back.",
        "Several moves fit:",
        "numbered from 1 to 9",
        "No legal move fits",
        "  x: (mark 1 1)",
        "x expects ",
        "Hint: (mark ",
        "Goodbye",
    ] {
        assert!(run.out.contains(said), "{said:?} is missing in:\n{}", run.out);
    }
    let after_undo = run.out.split("  x: (mark 1 1)").nth(1).unwrap();
    assert!(after_undo.contains("9 (mark 3 3)"), "undo brings all nine moves back:\n{after_undo}");
}

#[test]
fn several_persons_and_other_roles() {
    let moves = "mark 1 1\nmark 2 1\nmark 1 2\nmark 2 2\nmark 1 3\n";
    let run = play(&["tic-tac-toe", "--role", "x", "--role", "O"], moves);
    assert!(run.out.contains("you play x and o."), "{}", run.out);
    assert!(run.out.trim_end().ends_with("The game is over. x wins: x 100, o 0."), "{}", run.out);
    let run = play(&["tic-tac-toe", "--role", "o"], "");
    assert!(run.out.contains("o to move:") && !run.out.contains("x to move:"), "{}", run.out);
    let run = play(&["tic-tac-toe", "--role", "z"], "");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("its roles are: x, o"), "{}", run.err);
}

#[test]
fn input_that_is_no_text_is_only_not_understood() {
    let run = ludens_with(&["play", "tic-tac-toe"], b"\xff\xfe\nquit\n");
    assert_eq!(run.code, 0);
    assert!(run.out.contains("No legal move fits"), "{}", run.out);
}

#[test]
fn moves_are_written_as_people_write_them() {
    let run =
        play(&["chess", "--moves", "e4 e5", "--seed", "1", "--role", "white", "--role", "black"], "Nf3\nb8c6\nquit\n");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.out.contains("white: (move wn g 1 f 3)") && run.out.contains("black: (move bn b 8 c 6)"),
        "{}",
        run.out
    );
}

/// Two steps that follow each other for ever, and nobody has a choice.
const ROUND: &str = "(role me) (init (at 1)) (next_place 1 2) (next_place 2 1) (legal me go)
    (<= (next (at ?y)) (true (at ?x)) (next_place ?x ?y)) (<= terminal (true (at 3))) (goal me 0)";

#[test]
fn a_game_that_goes_round_for_ever_is_left() {
    let folder = folder("play-round");
    let path = file(&folder, "round.kif", ROUND);
    let run = play(&[&path], "");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("Nobody has a choice any more"), "{}", run.out);
}

#[test]
fn levels_and_thoughts() {
    let run = ludens_with(&["play", "tic-tac-toe", "--level", "2", "--thoughts", "--seed", "1"], b"mark 2 2\nquit\n");
    assert!(run.out.contains("o expects ") && run.out.contains(" visit"), "{}", run.out);
    let run = ludens_with(&["play", "tic-tac-toe", "--level", "11"], b"");
    assert_eq!(run.code, 2);
    let run = ludens_with(&["play", "tic-tac-toe", "--opponent", "human"], b"");
    assert!(run.code == 2 && run.err.contains("ludens match"), "{}", run.err);
}

#[test]
fn rules_cannot_come_from_where_moves_come_from() {
    assert_eq!(play(&["-"], COUNT).code, 2);
}

#[test]
fn the_machine_thinks() {
    // Whoever gives it a row of two loses: the seed makes the search repeatable.
    let args = ["play", "tic-tac-toe", "--seed", "1"];
    let run = ludens_with(&args, b"mark 1 1\nmark 1 2\nquit\n");
    let text = run.out.clone();
    assert!(text.contains("o moves after some thought"), "{text}");
    assert!(text.contains("o: (mark 2 2)"), "the centre is the only reply that does not lose: {text}");
    assert!(text.contains("o: (mark 1 3)"), "two in a row have to be stopped: {text}");
    assert_eq!(text, ludens_with(&args, b"mark 1 1\nmark 1 2\nquit\n").out);
}
