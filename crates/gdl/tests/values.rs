//! What the form of the rules shows about values: what is never true, never done, never there, and what nothing keeps.

use gdl::validate::validate;

const GAME: &str = "
(role white) (role black)
(index 1) (index 2) (index 3)
(<= (init (cell ?x ?y b)) (index ?x) (index ?y))
(init (control white))
(<= (legal ?w (mark ?x ?y)) (true (cell ?x ?y b)) (true (control ?w)))
(<= (legal white noop) (true (control black)))
(<= (legal black noop) (true (control white)))
(<= (next (cell ?m ?n x)) (does white (mark ?m ?n)))
(<= (next (cell ?m ?n o)) (does black (mark ?m ?n)))
(<= (next (cell ?m ?n ?w)) (true (cell ?m ?n ?w)) (distinct ?w b))
(<= (next (cell ?m ?n b)) (does ?w (mark ?j ?k)) (true (cell ?m ?n b)) (or (distinct ?m ?j) (distinct ?n ?k)))
(<= (next (control white)) (true (control black)))
(<= (next (control black)) (true (control white)))
(<= (row ?x ?p) (true (cell ?x 1 ?p)) (true (cell ?x 2 ?p)) (true (cell ?x 3 ?p)))
(<= (line ?p) (row ?x ?p))
(<= open (true (cell ?x ?y b)))
(<= terminal (line x))
(<= terminal (line o))
(<= terminal (not open))
(<= (goal white 100) (line x))
(<= (goal white 0) (not (line x)))
(<= (goal black 100) (line o))
(<= (goal black 0) (not (line o)))
";

/// The problems as `code: text`, message, hint.
fn told(text: &str) -> Vec<(String, String, String)> {
    let parsed = gdl::parse(text);
    assert_eq!(parsed.problems, [], "{text}");
    let show = |problem: &gdl::Problem| {
        let place = &text[problem.span.start as usize..problem.span.end as usize];
        (format!("{}: {place}", problem.code), problem.message.clone(), problem.hint.clone())
    };
    validate(&parsed.rules).iter().map(show).collect()
}

/// Exactly this one problem, if `from` is replaced by `to`.
#[track_caller]
fn expect(from: &str, to: &str, problem: &str, hint: &str) {
    let text = GAME.replacen(from, to, 1);
    assert_ne!(text, GAME, "{from}");
    let told = told(&text);
    assert!(told.len() == 1 && told[0].0 == problem && told[0].2.contains(hint), "{told:?}");
}

#[test]
fn nothing_is_wrong() {
    assert_eq!(told(GAME), []);
}

#[test]
fn misspelt_fluents_and_moves() {
    expect("(<= open (true (cell", "(<= open (true (sell", "never-true: (sell ?x ?y b)", "is `cell` meant?");
    expect(
        "(<= open (true (cell ?x ?y b)",
        "(<= open (true (cell ?x b)",
        "several-arities: (cell ?x b)",
        "a name of its own",
    );
    let text = GAME.replace("(<= open (true (cell ?x ?y b)))", "(<= open (does white (mork ?x ?y)))");
    assert!(told(&text).iter().any(|told| told.0 == "never-done: (mork ?x ?y)" && told.2.contains("is `mark` meant?")));
    // A variable may stand for any fluent.
    let anything = format!(
        "{}(<= (next ?f) (true ?f) (kept ?f)) (kept (sell 1 1 b))",
        GAME.replace("open (true (cell", "open (true (sell")
    );
    assert!(!told(&anything).iter().any(|told| told.0.starts_with("never")), "{:?}", told(&anything));
}

#[test]
fn constants_that_never_match() {
    expect("(<= terminal (line x))", "(<= terminal (line xx))", "never-matches: xx", "what can stand there");
    expect("(<= (goal white 100) (line x))", "(<= (goal white 100) (line w))", "never-matches: w", "x");
    expect("(true (cell ?x 3 ?p))", "(true (cell ?x 4 ?p))", "never-matches: 4", "what can stand there: 1, 2, 3");
    expect(
        "(<= terminal (not open))",
        "(<= terminal (not (line y)))\n(<= terminal (not open))",
        "never-matches: y",
        "b",
    );
    let long = GAME.replace("(index 3)", "(index middle)").replacen("?x 3 ?p", "?x midle ?p", 1);
    assert_eq!(told(&long)[0].2, "is `middle` meant?");
}

#[test]
fn variables_without_their_mark() {
    let from = "(<= (next (cell ?m ?n ?w)) (true (cell ?m ?n ?w)) (distinct ?w b))";
    let to = "(<= (next (cell ?m ?n ?w)) (true (cell ?m n ?w)) (distinct ?w b) (index ?n))";
    expect(from, to, "missing-question-mark: n", "write ?n");
    // `x` is a piece, and a variable elsewhere in the same clause.
    let text = GAME.replace("(<= (line ?p) (row ?x ?p))", "(<= (line x) (row ?x x)) (<= (line o) (row ?x o))");
    assert_eq!(told(&text), []);
    // Where it cannot be, a variable of that name is probably meant.
    expect("(true (cell ?x 2 ?p))", "(true (cell x 2 ?p))", "never-matches: x", "is ?x meant?");
}

#[test]
fn unknown_roles() {
    expect("(<= (goal black 0)", "(<= (goal blak 0)", "unknown-role: blak", "is `black` meant?");
    expect("(<= (legal black noop)", "(<= (legal red noop)", "unknown-role: red", "the roles are white, black");
    expect("(does white (mark", "(does whit (mark", "unknown-role: whit", "is `white` meant?");
    let text = format!("{GAME}(goal gren 50)");
    assert_eq!(told(&text)[0].0, "unknown-role: gren");
}

#[test]
fn frames() {
    let text: String = GAME
        .lines()
        .filter(|line| !line.contains("(next (cell ?m ?n ?w))") && !line.contains("(distinct ?m ?j)"))
        .collect();
    let told = told(&text);
    assert!(told.len() == 1 && told[0].0 == "missing-frame: (init (cell ?x ?y b))", "{told:?}");
    assert!(told[0].2.contains("(<= (next (cell …)) (true (cell …)) …)"));
}

#[test]
fn frames_that_are_not_missing() {
    let rest =
        "(role me) (legal me go) (legal me stay) terminal (goal me 0) (<= open (true (on ?x))) (<= (next done) open)";
    let missing = |rules: &str| told(&format!("{rest}{rules}")).iter().any(|told| told.0.starts_with("missing-frame"));
    assert!(missing("(init (on 1)) (init (on 2))"));
    assert!(missing("(init (on 1)) (init (on 2)) (<= (next (on 3)) (does me go))"));
    // A single fact may mark the beginning.
    assert!(!missing("(init (on 1))"));
    // Kept one by one, made anew from the state, made for each role, kept by whatever a variable stands for.
    assert!(!missing("(init (on 1)) (init (on 2)) (<= (next (on 1)) (does me stay) (true (on 1)))"));
    assert!(!missing("(init (on 1)) (init (on 2)) (<= (next (on 1)) (true (on 2)))"));
    assert!(!missing("(init (on 1)) (init (on 2)) (<= (next (on ?x)) (does ?x go))"));
    assert!(!missing("(init (on 1)) (init (on 2)) (<= (next ?f) (true ?f))"));
    assert!(!missing("(init (on 1)) (init (on 2)) (<= (next (on ?x)) (does me go) (dark ?x)) (dark 1)"));
}
