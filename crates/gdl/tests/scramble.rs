//! Renaming: what changes, what stays, and that it can be undone.

use std::collections::HashSet;

use gdl::{Form, Scrambler, Symbol};

const GAME: &str = "
(role White) (role random) (init (cell 1 1 b)) (init (step 100)) (init (step 50)) (init (step 7))
(<= (legal ?w (mark ?x ?y)) (true (cell ?x ?y b)) (role ?W))
(<= (next (cell 1 ?x o)) (does white (mark 1 ?x)))
(<= (sees white ?m) (does random ?m))
(<= terminal (not (true (cell 1 1 b))))
(goal white 100) (<= (goal random 0) (true (step 7)))";

fn names(scrambler: &Scrambler) -> HashSet<String> {
    let symbols = &scrambler.rules().symbols;
    (0..symbols.len() as u32).map(|symbol| symbols.name(Symbol(symbol)).to_string()).collect()
}

#[test]
fn everything_else_is_renamed() {
    let rules = gdl::parse(GAME).rules;
    let scrambler = Scrambler::new(&rules, 1);
    let names = names(&scrambler);
    for stays in ["role", "init", "terminal", "random", "sees", "100", "0", "distinct", "<="] {
        assert!(names.contains(stays), "{stays}");
    }
    for gone in ["White", "cell", "1", "b", "50", "7", "mark", "o", "step"] {
        assert!(!names.contains(gone), "{gone}");
    }
    assert_eq!(names.len(), rules.symbols.len());
    for name in &names {
        let plain = name.bytes().all(|byte| byte.is_ascii_lowercase()) && name.len() >= 4;
        assert!(plain || ["<=", "or", "0", "100", "not", "and"].contains(&&**name), "{name}");
    }
    let text = gdl::print(scrambler.rules(), Form::Kif);
    assert!(!text.contains("?w") && !text.contains("?x "));
    // The shape and the numbers stay, and what is printed reads back.
    assert_eq!(scrambler.rules().clauses, rules.clauses);
    assert!(gdl::parse(&text).rules.same(scrambler.rules()));
}

#[test]
fn the_seed_decides() {
    let rules = gdl::parse(GAME).rules;
    let text = |seed| gdl::print(Scrambler::new(&rules, seed).rules(), Form::Kif);
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
    assert_ne!(text(0), gdl::print(&rules, Form::Kif));
    // Names must not change from one version to the next, or recorded seeds lose their meaning.
    let rules = gdl::parse("(p a b)").rules;
    assert_eq!(gdl::print(Scrambler::new(&rules, 0).rules(), Form::Kif), "(husipo gane ziraki)\n");
}

#[test]
fn goal_values_from_relations() {
    let rules =
        gdl::parse("(<= (goal ?r ?v) (score ?r ?v)) (score white 30) (row 101) (row 8) (row a8) (goal x win)").rules;
    let names = names(&Scrambler::new(&rules, 3));
    for stays in ["30", "8", "win"] {
        assert!(names.contains(stays), "{stays}");
    }
    for gone in ["101", "a8", "score", "white"] {
        assert!(!names.contains(gone), "{gone}");
    }
}

#[test]
fn text_both_ways() {
    let rules = gdl::parse(GAME).rules;
    let scrambler = Scrambler::new(&rules, 5);
    for (text, back) in [
        ("white", "White"),
        ("(mark 1 1)", "(mark 1 1)"),
        ("  ( MARK\t1 ; comment\n 1 ) ", "(mark 1 1)"),
        ("(true (cell 1 1 b))", "(true (cell 1 1 b))"),
        ("((mark 1 1) (mark 1 1))", "((mark 1 1) (mark 1 1))"),
        ("(does ?w (mark ?X 7)) random", "(does ?w (mark ?x 7)) random"),
        ("()", "()"),
    ] {
        let there = scrambler.scramble_text(text).unwrap();
        assert_eq!(scrambler.unscramble_text(&there).unwrap(), back);
        assert_eq!(scrambler.unscramble_text(&there.to_uppercase()).unwrap(), back);
    }
    let rules_text = gdl::print(&rules, Form::Kif);
    let there = scrambler.scramble_text(&rules_text).unwrap();
    assert!(gdl::parse(&there).rules.same(scrambler.rules()));
}

#[test]
fn bad_text_is_an_error() {
    let scrambler = Scrambler::new(&gdl::parse(GAME).rules, 5);
    let code = |text: &str| scrambler.scramble_text(text).unwrap_err().code;
    assert_eq!(code(""), "empty");
    assert_eq!(code(" ; nothing"), "empty");
    assert_eq!(code("(mark 1"), "unclosed");
    assert_eq!(code("(mark 1))"), "unopened");
    assert_eq!(code("(mark 1 9)"), "unknown-word");
    assert_eq!(code("(mark ?nobody 1)"), "unknown-word");
    assert_eq!(code("\0"), "control-character");
    assert_eq!(code(&"(".repeat(100_000)), "too-deep");
    assert_eq!(code(&"a".repeat(gdl::MAX_BYTES + 1)), "too-large");
    let problem = scrambler.scramble_text("(mark 1 9)").unwrap_err();
    assert_eq!((problem.span.start, &*problem.message), (8, "the game has no word `9`"));
    // The old names are not new names.
    assert_eq!(scrambler.unscramble_text("cell").unwrap_err().code, "unknown-word");
}

#[test]
fn many_names() {
    let text: String = (0..20_000).map(|n| format!("(p{n} ?x{n})\n")).collect();
    let rules = gdl::parse(&text).rules;
    let scrambler = Scrambler::new(&rules, 9);
    assert_eq!(names(&scrambler).len(), rules.symbols.len());
}
