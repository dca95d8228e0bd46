//! How states of the library's games are drawn: each game in the middle of its recorded playthrough, compared with `pictures.txt`.
//!
//! With `UPDATE_PICTURES=1` in the environment the file is written anew; look at the difference before it is kept.

use machine::RuleCode;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use study::picture::{Ink, Layout, Span, Style, plain, text};
use study::{Plan, Study};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../games")
}

/// The states of a playthrough.
fn states(game: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(folder().join(game).join("playthrough.txt")).unwrap();
    let mut states: Vec<Vec<String>> = Vec::new();
    let mut now = BTreeSet::new();
    for line in text.lines() {
        if line.starts_with("state ") {
            states.push(Vec::new());
        } else if let Some(fact) = line.strip_prefix("  + ") {
            now.insert(fact.to_string());
        } else if let Some(fact) = line.strip_prefix("  - ") {
            now.remove(fact);
        }
        if let Some(last) = states.last_mut() {
            *last = now.iter().cloned().collect();
        }
    }
    states
}

fn layout(game: &str) -> Layout {
    let rules = gdl::parse(&std::fs::read_to_string(folder().join(game).join("rules.kif")).unwrap()).rules;
    let engine = RuleCode::new(&rules).unwrap();
    Layout::new(&Study::run(&rules, &engine, Plan::quick()))
}

fn games() -> Vec<String> {
    let names = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut games: Vec<String> = names.filter(|name| folder().join(name).join("playthrough.txt").is_file()).collect();
    games.sort();
    games
}

#[test]
fn the_library_is_drawn_as_it_was() {
    let mut drawn = String::new();
    for game in games() {
        let layout = layout(&game);
        let states = states(&game);
        let at = states.len() * 3 / 5;
        let before = at.checked_sub(1).map(|at| &states[at][..]);
        let picture = layout.picture(&states[at], before);
        let _ = writeln!(drawn, "== {game}, state {at}\n{}", plain(&text(&picture, &Style::default())));
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/pictures.txt");
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        std::fs::write(&path, &drawn).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    for (now, before) in drawn.split("== ").zip(kept.split("== ")) {
        assert!(now == before, "was\n{before}\nis now\n{now}");
    }
    assert_eq!(drawn.len(), kept.len());
}

/// The pieces of a line that are more than blanks, with what they are.
fn inks(line: &[Span]) -> Vec<(&str, Ink, bool)> {
    let shown = line.iter().filter(|span| !span.text.trim().is_empty());
    shown.map(|span| (span.text.as_str(), span.ink, span.changed)).collect()
}

#[test]
fn glyphs_and_inks_are_for_whoever_can_show_them() {
    let krk = layout("krk");
    let facts = ["(cell a 1 wk)", "(cell c 2 wr)", "(cell d 5 bk)", "(control black)", "(step 1)"];
    let before = ["(cell a 1 wk)", "(cell b 2 wr)", "(cell d 5 bk)", "(control white)", "(step 0)"];
    let picture = krk.picture(&facts, Some(&before));
    assert_eq!(picture.rest, ["(control black)", "(step 1)"]);
    let lines = text(&picture, &Style { colour: true, unicode: true, ..Style::default() });
    // Two of rank 2 were changed: the rook came from b to c.
    assert_eq!(
        inks(&lines[6]),
        [
            ("2", Ink::Label, false),
            ("·", Ink::Blank, false),
            ("·", Ink::Blank, true),
            ("♖", Ink::Piece(0), true),
            ("·", Ink::Blank, false),
            ("·", Ink::Blank, false),
            ("·", Ink::Blank, false),
            ("·", Ink::Blank, false),
            ("·", Ink::Blank, false),
        ]
    );
    assert!(lines[3].iter().any(|span| span.text == "♚" && span.ink == Ink::Piece(1)), "{:?}", lines[3]);
    let checkers = layout("checkers");
    let lines = text(&checkers.picture(&["(cell a 1 black_man)", "(cell b 2 white_king)"], None), &Style::default());
    assert!(inks(&lines[7]).contains(&("b", Ink::Piece(0), false)), "{:?}", lines[7]);
    assert!(inks(&lines[6]).contains(&("W", Ink::Piece(1), false)), "{:?}", lines[6]);
}

/// Names decorate; without them there is still a board.
#[test]
fn scrambled_rules_have_the_same_boards() {
    for game in
        ["tic-tac-toe", "breakthrough", "othello", "hex", "kalah", "hanoi", "nine-mens-morris", "dots-and-boxes"]
    {
        let rules = gdl::parse(&std::fs::read_to_string(folder().join(game).join("rules.kif")).unwrap()).rules;
        let scrambled = gdl::Scrambler::new(&rules, 3);
        let engine = RuleCode::new(scrambled.rules()).unwrap();
        let other = Layout::new(&Study::run(scrambled.rules(), &engine, Plan::quick()));
        let (plain, other) = (layout(game).picture::<&str>(&[], None), other.picture::<&str>(&[], None));
        let shapes = |picture: &study::picture::Picture| -> Vec<(study::picture::Shape, usize)> {
            picture.boards.iter().map(|board| (board.shape, board.cells.len())).collect()
        };
        assert_eq!(shapes(&plain), shapes(&other), "{game}");
        assert!(!plain.boards.is_empty(), "{game}");
    }
}

#[test]
fn facts_on_no_board_are_listed_and_wrapped() {
    let layout = layout("farmers");
    let facts: Vec<String> = (0..12).map(|n| format!("(owns bob field-{n})")).chain(["quiet".to_string()]).collect();
    let lines = plain(&text(&layout.picture(&facts, None), &Style { width: 40, ..Style::default() }));
    assert!(lines.contains("owns: bob field-0, bob field-1") && lines.ends_with("quiet\n"), "{lines}");
    assert!(lines.lines().all(|line| line.chars().count() <= 40), "{lines}");
}

#[test]
fn walls_stand_between_cells_and_blocks_have_borders() {
    let hallway = layout("hallway");
    let facts = ["(cell 1 4 white)", "(cell 8 5 black)", "(wall 3 5)", "(wall 6 1)", "(walls white 3)"];
    let picture = hallway.picture(&facts, Some(&facts[..3]));
    let board = &picture.boards[0];
    // A wall stops two rows between its column and the next; what is in the cells is something else.
    let name = |cell: usize| board.cells[cell].name.join(" ");
    let between: BTreeSet<(String, String)> = board.walls[0].between.iter().map(|&(a, b)| (name(a), name(b))).collect();
    let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
    assert_eq!(between, BTreeSet::from([pair("3 5", "4 5"), pair("3 6", "4 6")]));
    assert_eq!(board.walls.iter().map(|wall| wall.changed).collect::<Vec<_>>(), [false, true]);
    assert!(board.cells.iter().all(|cell| cell.things.iter().all(|thing| thing.name != "wall")));
    let svg = study::picture::board_svg(&picture, 0, study::picture::Use::Grid);
    assert!(svg.contains("aria-label=\"3 5: empty, wall towards 4 5\""), "{svg}");
    let lines = plain(&text(&picture, &Style::default()));
    assert!(lines.contains(". . .|. . . . b"), "{lines}");
    // What only is in the way on a cell, as in amazons, is no wall; and no other game of the library has any.
    for (game, seams) in [("pentago", 12), ("sudoku", 36), ("amazons", 0), ("tron", 0), ("chess", 0), ("othello", 0)] {
        let picture = layout(game).picture(&states(game)[0], None);
        assert_eq!((picture.boards[0].seams.len(), picture.boards[0].walls.len()), (seams, 0), "{game}");
    }
}

/// Moves that are called legal by a rule that does not name them: places flow through them all the same.
#[test]
fn a_board_is_whole_where_rules_hide_their_moves() {
    let rules = gdl::parse(
        "(role p) (index 1) (index 2) (index 3) (index 4) (index 5) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
         (init (cell 1 1 man)) (init (step 1))
         (<= (legal ?p ?m) (may ?p ?m))
         (<= (may p (go ?a ?b ?c ?b)) (true (cell ?a ?b man)) (succ ?a ?c))
         (<= (may p (go ?a ?b ?a ?c)) (true (cell ?a ?b man)) (succ ?b ?c))
         (<= (next (cell ?c ?d man)) (does p (go ?a ?b ?c ?d)))
         (<= terminal (true (cell 5 ?y man))) (<= terminal (true (cell ?x 5 man))) (goal p 100)",
    )
    .rules;
    let layout = Layout::new(&Study::run(&rules, &RuleCode::new(&rules).unwrap(), Plan::quick()));
    let picture = layout.picture(&["(cell 3 3 man)"], None);
    assert_eq!(picture.boards[0].cells.len(), 25);
    assert!(picture.rest.is_empty());
}

fn drawn(rules: &str) -> Layout {
    let rules = gdl::parse(rules).rules;
    Layout::new(&Study::run(&rules, &RuleCode::new(&rules).unwrap(), Plan::quick()))
}

/// Who has to join which sides is in the rules, in other words each time, and in most games in none.
#[test]
fn sides_that_are_joined_belong_to_somebody() {
    // Chains have numbers, as in some public rules, and the first coordinate goes down.
    let chains = drawn(
        "(role north) (role east) (init (turn north)) (init (time 1))
         (line p) (line q) (line r) (after p q) (after q r) (col 1) (col 2) (col 3) (up 1 2) (up 2 3)
         (tick 1 2) (tick 2 3) (tick 3 4) (tick 4 5) (tick 5 6) (tick 6 7) (tick 7 8) (tick 8 9) (tick 9 10)
         (<= (legal ?w (put ?a ?b)) (true (turn ?w)) (line ?a) (col ?b) (not (full ?a ?b)))
         (<= (full ?a ?b) (true (stone ?a ?b ?w)))
         (<= (legal north noop) (true (turn east))) (<= (legal east noop) (true (turn north)))
         (<= (next (stone ?a ?b ?w)) (does ?w (put ?a ?b))) (<= (next (stone ?a ?b ?w)) (true (stone ?a ?b ?w)))
         (<= (next (time ?n)) (true (time ?m)) (tick ?m ?n))
         (<= (next (whose ?k ?w)) (true (time ?k)) (true (turn ?w))) (<= (next (whose ?k ?w)) (true (whose ?k ?w)))
         (<= (next (chain ?k ?a ?b)) (does ?w (put ?a ?b)) (true (time ?k)))
         (<= (next (chain ?k ?a ?b)) (grows ?e) (true (chain ?e ?a ?b)) (true (time ?k)))
         (<= (next (chain ?k ?a ?b)) (true (chain ?k ?a ?b)) (not (grows ?k)))
         (<= (next (turn north)) (true (turn east))) (<= (next (turn east)) (true (turn north)))
         (<= (grows ?k) (does ?w (put ?x ?y)) (true (whose ?k ?w)) (true (chain ?k ?a ?b)) (near ?x ?y ?a ?b))
         (<= (near ?a ?b ?a ?c) (line ?a) (up ?b ?c)) (<= (near ?a ?b ?a ?c) (line ?a) (up ?c ?b))
         (<= (near ?a ?b ?c ?b) (col ?b) (after ?a ?c)) (<= (near ?a ?b ?c ?b) (col ?b) (after ?c ?a))
         (<= (near ?a ?b ?c ?d) (after ?c ?a) (up ?b ?d)) (<= (near ?a ?b ?c ?d) (after ?a ?c) (up ?d ?b))
         (<= down (true (chain ?k p ?i)) (true (chain ?k r ?j)) (true (whose ?k north)))
         (<= across (true (chain ?k ?i 1)) (true (chain ?k ?j 3)) (true (whose ?k east)))
         (<= terminal down) (<= terminal across)
         (<= (goal north 100) down) (<= (goal north 0) (not down)) (<= (goal east 100) across) (<= (goal east 0) (not across))",
    );
    let hex = layout("hex");
    for (game, first, cells) in [(&chains, "north", 3), (&hex, "red", 9)] {
        let picture = game.picture::<&str>(&[], None);
        let board = picture.boards.iter().find(|board| !board.edges.is_empty()).expect("sides");
        assert_eq!(board.shape, study::picture::Shape::Hexagons);
        assert_eq!(board.edges.iter().map(|edge| edge.cells.len()).collect::<Vec<_>>(), [cells; 4]);
        assert_eq!(board.edges.iter().filter(|edge| edge.owner.name == first).count(), 2);
        let words = board.joins().unwrap();
        assert!(words.starts_with(&format!("{first} joins ")) && words.contains("left and right"), "{words}");
    }
    let picture = hex.picture::<&str>(&[], None);
    let svg = study::picture::board_svg(&picture, 0, study::picture::Use::Grid);
    assert!(svg.contains("aria-label=\"1 5: empty, side of red\""), "{svg}");
    assert!(svg.contains("aria-label=\"1 1: empty, side of red, side of blue\""), "{svg}");
    assert_eq!(svg.matches("class=\"edge\"").count(), 4);
    // Both ends of a board matter elsewhere too, and are nobody's to join.
    for game in ["breakthrough", "chess", "checkers", "connect-four", "othello", "tron", "hallway", "lines-of-action"] {
        let picture = layout(game).picture(&states(game)[0], None);
        assert!(picture.boards.iter().all(|board| board.edges.is_empty()), "{game}");
    }
}

/// Lines that are told by the dots at their ends, and boxes that are told by a corner.
#[test]
fn lines_between_dots_are_told_by_their_ends() {
    let game = drawn(
        "(role x) (role o) (init (control x)) (at 1) (at 2) (at 3) (then 1 2) (then 2 3)
         (<= (open ?a ?b ?a ?c) (at ?a) (then ?b ?c) (not (true (line ?a ?b ?a ?c))))
         (<= (open ?a ?b ?c ?b) (then ?a ?c) (at ?b) (not (true (line ?a ?b ?c ?b))))
         (<= left (open ?a ?b ?c ?d))
         (<= (legal ?p (draw ?a ?b ?c ?d)) (true (control ?p)) (open ?a ?b ?c ?d))
         (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
         (<= (next (line ?a ?b ?c ?d)) (does ?p (draw ?a ?b ?c ?d)))
         (<= (next (line ?a ?b ?c ?d)) (true (line ?a ?b ?c ?d)))
         (<= (drawn ?a ?b ?c ?d) (does ?p (draw ?a ?b ?c ?d))) (<= (drawn ?a ?b ?c ?d) (true (line ?a ?b ?c ?d)))
         (<= (boxed ?a ?b) (then ?a ?c) (then ?b ?d) (drawn ?a ?b ?c ?b) (drawn ?a ?d ?c ?d) (drawn ?a ?b ?a ?d) (drawn ?c ?b ?c ?d))
         (<= (has ?a ?b) (true (box ?a ?b ?p)))
         (<= (next (box ?a ?b ?p)) (boxed ?a ?b) (not (has ?a ?b)) (true (control ?p)))
         (<= (next (box ?a ?b ?p)) (true (box ?a ?b ?p)))
         (<= (next (control x)) (true (control o))) (<= (next (control o)) (true (control x)))
         (<= terminal (not left)) (goal x 50) (goal o 50)",
    );
    let facts = ["(line 1 1 2 1)", "(line 1 1 1 2)", "(line 1 2 2 2)", "(line 2 1 2 2)", "(box 1 1 x)", "(control o)"];
    let picture = game.picture(&facts, None);
    assert_eq!(picture.boards.len(), 1, "boxes are where the lines are");
    let board = &picture.boards[0];
    assert_eq!(board.shape, study::picture::Shape::Lines);
    let count = |kind| board.cells.iter().filter(|cell| cell.kind == kind).count();
    use study::picture::CellKind;
    let kinds = [CellKind::Dot, CellKind::Across, CellKind::Down, CellKind::Place];
    assert_eq!(kinds.map(count), [9, 6, 6, 4]);
    let lines = plain(&text(&picture, &Style::default()));
    assert_eq!(lines, "3  +   +   +\n\n2  +---+   +\n   | x |\n1  +---+   +\n\n   1   2   3\ncontrol: o\n");
}
