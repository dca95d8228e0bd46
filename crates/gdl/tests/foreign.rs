//! Other languages inside KIF: one message that names the right form.

use gdl::{Limits, Severity};

const GAME: &str = "
(role me) (role you)
(init (at 1)) (succ 1 2) (succ 2 3)
(<= (legal ?who (go ?y)) (role ?who) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?y)) (does me (go ?y)))
(<= terminal (true (at 3)))
(<= (goal ?who 100) (role ?who))
";

/// The codes of all problems, and the message and hint of the first.
fn told(text: &str) -> (Vec<&'static str>, String, String) {
    let problems = gdl::check(text, &Limits::default()).expect("within the limits").problems;
    let first = problems.first();
    let (message, hint) = first.map(|problem| (problem.message.clone(), problem.hint.clone())).unwrap_or_default();
    (problems.iter().map(|problem| problem.code).collect(), message, hint)
}

#[track_caller]
fn expect(text: &str, code: &str, message: &str, hint: &str) {
    let (codes, first, help) = told(text);
    assert_eq!(codes, [code], "{text}");
    assert!(first.contains(message), "{first}");
    assert!(help.contains(hint), "{help}");
}

#[test]
fn comments() {
    let text = format!("// A game, by me: (see below)\n{GAME}// the end\n(<= open // a note\n (true (at 1)))");
    expect(&text, "foreign-comment", "`//` does not begin a comment here (and in 2 other places)", "write `;`");
    // The problems of a comment that cannot be read are told in the same way.
    let text = format!("{GAME}// what (?x is) means\n// and (more) here\n");
    expect(&text, "foreign-comment", "(and in 1 other place)", "write `;`");
    assert!(gdl::parse(&text).problems.iter().all(|problem| problem.code == "foreign-comment"));
}

#[test]
fn a_comment_does_not_decide_the_form() {
    use gdl::Form;
    assert_eq!(Form::of("// a game, by me.\n// more & more\n(role me)"), Form::Kif);
    // A name like others in infix.
    for text in ["//.", "//(a)", "// :- b", "// :-\n(a | b)", "//.\nrole(me)"] {
        assert_eq!(Form::of(text), Form::Infix, "{text}");
    }
}

#[test]
fn commas() {
    let text = GAME.replace("(go ?y)", "(go, ?y)").replace("(succ ?x ?y)", "(succ ?x, ?y)");
    expect(&text, "comma", "a comma does not divide terms", "write spaces between terms");
    expect(&GAME.replace("succ 1 2", "succ 1,2"), "comma", "a part of `1,2`", "spaces");
}

#[test]
fn arrows_and_inequality() {
    let text = format!("{GAME}(=> (true (at 2)) (p 1))\n(=> (true (at 2)) (q 1))");
    expect(&text, "arrow", "`=>` has no meaning in GDL (and in 1 other place)", "(<= head condition …)");
    let text = GAME.replace("(<= (next (at ?y)) (", "(<= (next (at ?y)) (!= ?y 1) (");
    expect(&text, "not-equal", "`!=` has no meaning in GDL", "write (distinct ?x ?y)");
    let text = GAME.replace("(<= (next (at ?y)) (", "(<= (next (at ?y)) (?y != 1) (");
    expect(&text, "not-equal", "`!=` has no meaning in GDL", "write (distinct ?x ?y)");
    assert_eq!(gdl::parse(&text).problems[0].code, "not-equal");
    let text = GAME.replace("(<= terminal (", "(<= terminal (~ (true (at 1))) (");
    expect(&text, "foreign-not", "`~` does not mean `not`", "write (not");
}

#[test]
fn infix_lines() {
    let text = format!("{GAME}legal(W, noop) :- true(control(B)) & ~p\ngoal(W, 0) :-\n  role(W)\n");
    expect(&text, "infix-line", "written in the infix form", "write (legal ?w noop) for legal(W, noop)");
    let text = format!("{GAME}legal(?w, noop) :- role(?w)\n");
    expect(&text, "infix-line", "written in the infix form", "(<= head condition …)");
    let text = GAME.replace("(<= terminal (true (at 3)))", "(<= terminal (role me) true(at 3))");
    expect(&text, "infix-line", "written in the infix form", "write");
}

#[test]
fn quotes() {
    let text = GAME.replace("(role you)", "(role “you”) (init (mark ‘x’))");
    expect(&text, "curly-quote", "there is a curly quote in `“you”`", "without quotes");
    let text = "role(me) legal(me, “go”)\nterminal\ngoal(me, 100)";
    assert_eq!(gdl::parse(text).problems[0].code, "bad-character");
    assert!(gdl::parse(text).problems[0].hint.contains("single quotes"));
}

#[test]
fn what_is_no_sign() {
    // Without a space is KIF too.
    let dense = GAME.replace(" (", "(");
    assert_eq!(told(&dense).0, [""; 0], "{dense}");
    assert_eq!(told(&format!("({GAME})")).0, [""; 0]);
    // Read without a problem, it plays as before: only the strict check tells.
    let text = format!("{GAME}// a note");
    assert!(gdl::parse(&text).problems.is_empty());
    let problems = gdl::check(&text, &Limits::default()).unwrap().problems;
    assert_eq!(problems[0].severity, Severity::Warning);
}

#[test]
fn many_signs_take_time_linear_in_the_text() {
    for piece in ["a, ", "// ", "=> ", "f(x) ", "(a, b) ", "(p // b)\n", ":- & | "] {
        let text = piece.repeat(400_000 / piece.len());
        let start = std::time::Instant::now();
        assert!(gdl::check(&text, &Limits::default()).is_ok());
        assert!(start.elapsed().as_secs() < 30, "{piece}: {:?}", start.elapsed());
    }
}
