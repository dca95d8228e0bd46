//! The prefix form: what is wrong with a text, all of it in one run.

use gdl::{Form, Source};

fn told(text: &str) -> Vec<(&'static str, &str)> {
    let problems = gdl::parse_as(text, Form::Kif).problems;
    for problem in &problems {
        Source { name: "test", text }.show(problem);
    }
    problems.iter().map(|p| (p.code, &text[p.span.start as usize..p.span.end as usize])).collect()
}

fn clauses(text: &str) -> usize {
    gdl::parse_as(text, Form::Kif).rules.clauses.len()
}

#[test]
fn lenient() {
    for text in
        ["(terminal)", "(<= p)", "(<= p (or))", "(<= p (or a (or b (and c d))))", "(<= p (not (distinct a b)))", "p"]
    {
        assert_eq!(told(text), [], "{text}");
        assert_eq!(clauses(text), 1, "{text}");
    }
    assert_eq!(clauses("((role a) (role b) terminal)"), 3);
    assert_eq!(clauses("\u{feff}terminal (role b)"), 2);
    assert_eq!(gdl::parse("\u{feff}terminal (role b)").rules.clauses[0].head.name, gdl::Symbol::TERMINAL);
}

#[test]
fn problems_name_the_place() {
    assert_eq!(told("(p a"), [("unclosed", "(")]);
    assert_eq!(told("p)"), [("unopened", ")")]);
    assert_eq!(told("()"), [("empty", "()")]);
    assert_eq!(told("(p ())"), [("empty", "()")]);
    assert_eq!(told("(<=)"), [("no-head", "(<=)")]);
    assert_eq!(told("(<= p (<= q r))"), [("nested-rule", "(<= q r)")]);
    assert_eq!(told("(?p a)"), [("variable-relation", "?p")]);
    assert_eq!(told("?p"), [("variable-relation", "?p")]);
    assert_eq!(told("(p ?)"), [("nameless-variable", "?")]);
    assert_eq!(told("(p ((q) r))"), [("list-relation", "(q)")]);
    assert_eq!(told("(p a\0b)"), [("control-character", "a\0b")]);
    assert_eq!(told("(<= p (not) (not a b))"), [("not-arity", "(not)"), ("not-arity", "(not a b)")]);
    // Everything that is wrong in one clause.
    assert_eq!(told("(<= (?p) (?q ?) (r ()))").len(), 4);
}

#[test]
fn a_missing_parenthesis_does_not_hide_the_rest() {
    let text = "(role a)\n(<= (p ?x) (q ?x)\n(<= (r ?x) (?s))\n(<= t u)\n(init\n(<= v w)";
    assert_eq!(told(text), [("unclosed", "("), ("variable-relation", "?s"), ("unclosed", "(")]);
    assert_eq!(clauses(text), 3);
    // The same inside a list around everything, which may itself be open.
    let text = "((role a)\n(<= (p ?x) (q ?x)\n(<= t u)";
    assert_eq!(told(text), [("unclosed", "("), ("unclosed", "(")]);
    assert_eq!(clauses(text), 2);
}

#[test]
fn the_number_of_problems_is_bounded() {
    let many = "()".repeat(1000);
    let problems = gdl::parse(&many).problems;
    assert_eq!(problems.len(), 51);
    assert_eq!(problems.last().unwrap().code, "and-more");
    // Reading stopped because of the many: what is open then is no problem of its own.
    let many = format!("{}(", ")".repeat(60));
    assert!(gdl::parse(&many).problems.iter().all(|problem| problem.code != "unclosed"));
}

#[test]
fn many_variables() {
    let clause =
        |count: usize| format!("(<= (p {0}) (q {0}))", (0..count).map(|n| format!("?x{n} ")).collect::<String>());
    assert_eq!(told(&clause(4096)), []);
    assert_eq!(told(&clause(4097)).len(), 1);
    let rules = gdl::parse(&format!("(p ?a ?B ?b)\n{}", clause(3))).rules;
    assert_eq!(rules.clauses[0].vars, ["a", "B"]);
    assert_eq!(rules.clauses[1].vars, ["x0", "x1", "x2"]);
}

#[test]
fn long_lines_are_shown_around_the_place() {
    let text = format!("(p {}é? {})", "a ".repeat(1000), "b ".repeat(1000));
    let problem = gdl::Problem::error("test", gdl::Span::new(2004, 2006), "m", "");
    let shown = Source { name: "g", text: &text }.show(&problem);
    let lines: Vec<&str> = shown.lines().collect();
    let column = lines[4].chars().position(|c| c == '^').unwrap();
    // The place is inside `é`, and is shown where that begins.
    assert_eq!(lines[3].chars().nth(column), Some('é'));
    assert!(lines[3].chars().count() < 180 && lines[3].contains('…'));
    // Control characters do not reach the terminal.
    let text = "(p \u{1b}[31m)";
    assert!(!Source { name: "g", text }.show(&gdl::parse(text).problems[0]).contains('\u{1b}'));
}
