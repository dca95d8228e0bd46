//! Printing: the layout, and that what is printed reads back as the same rules.

use gdl::{Form, Rules};

/// Reads, prints in both forms, reads each back, and prints in the other form: always the same rules.
#[track_caller]
fn round_trip(text: &str) -> Rules {
    let parsed = gdl::parse(text);
    assert!(parsed.problems.is_empty(), "{text}: {:?}", parsed.problems);
    for form in [Form::Kif, Form::Infix] {
        let printed = gdl::print(&parsed.rules, form);
        let again = gdl::parse(&printed);
        assert!(again.problems.is_empty(), "{printed}: {:?}", again.problems);
        assert!(parsed.rules.same(&again.rules), "{text}\n{printed}");
        assert_eq!(again.form, if printed.is_empty() { Form::Kif } else { form }, "{printed}");
        assert_eq!(gdl::print(&again.rules, form), printed);
        for other in [Form::Kif, Form::Infix] {
            assert!(parsed.rules.same(&gdl::parse(&gdl::print(&again.rules, other)).rules), "{text}");
        }
    }
    parsed.rules
}

#[test]
fn layout() {
    let rules = round_trip(
        "(ROLE White) (role black) (init (cell 1 1 b)) (init (control white)) terminal (<= open)
         (<= (legal ?w (mark ?x ?y)) (true (cell ?x ?y b)) (true (control ?w)) (or (not a) (and b c) (distinct ?x 1)))
         (<= (legal ?w noop) (true (control ?other)) (distinct ?w ?other))",
    );
    let kif = "\
(role White)
(role black)

(init (cell 1 1 b))
(init (control White))

terminal

(<= open)

(<= (legal ?w (mark ?x ?y))
    (true (cell ?x ?y b))
    (true (control ?w))
    (or (not a) (and b c) (distinct ?x 1)))
(<= (legal ?w noop)
    (true (control ?other))
    (distinct ?w ?other))
";
    let infix = "\
role('White')
role(black)

init(cell(1, 1, b))
init(control('White'))

terminal

open :- .

legal(W, mark(X, Y)) :-
    true(cell(X, Y, b)) &
    true(control(W)) &
    (~a | (b & c) | distinct(X, 1))
legal(W, noop) :-
    true(control(Other)) &
    distinct(W, Other)
";
    assert_eq!(gdl::print(&rules, Form::Kif), kif);
    assert_eq!(gdl::print(&rules, Form::Infix), infix);
}

#[test]
fn long_conditions_are_divided() {
    let names: Vec<String> = (10..22).map(|n| format!("(reachable{n} ?x)")).collect();
    let rules = round_trip(&format!("(<= (p ?x) (not (or a (and {}))) (q ?x))", names.join(" ")));
    let kif = gdl::print(&rules, Form::Kif);
    assert!(kif.starts_with(
        "(<= (p ?x)\n    (not\n        (or\n            a\n            (and\n                (reachable10 ?x)\n"
    ));
    assert!(kif.ends_with("                (reachable21 ?x))))\n    (q ?x))\n"));
    let infix = gdl::print(&rules, Form::Infix);
    assert!(infix.starts_with("p(X) :-\n    ~(\n        a |\n        (\n            reachable10(X) &\n"));
    assert!(infix.ends_with("            reachable21(X)\n        )\n    ) &\n    q(X)\n"));
}

#[test]
fn lenient_and_odd_rules() {
    for text in [
        "",
        "terminal",
        "(terminal)",
        "terminal (terminal) terminal",
        "(<= head)",
        "(<= (head))",
        "(<= p (or))",
        "(<= p (and))",
        "(<= p (or a))",
        "(<= p (and (or a) (and)))",
        "(<= p (or a (or b c) (and d (or e))))",
        "(<= p (and a b))",
        "(<= p (and a b) c)",
        "(<= p (or a b) c)",
        "(<= p (not (not (not a))))",
        "(<= p (not (or a b)) (not (or)) (not (and c)))",
        "(<= p (not (distinct a b)))",
        "(<= (p ?x) (q (f)) (q))",
        // The connectives as names.
        "(<= p not or) q",
        "(<= p or) q",
        "(not a b) (or) (distinct) (and (and))",
        "<= (p <=) (<= (<= a b) c) (<= <= <=)",
        "<=",
        "(<= (p (not a) (or b)) (q (<= a)))",
        "a",
        "A",
        "%a b",
        "(%a)",
        "\n\u{feff}x y",
        "(p 'a '' a' a,b a.b a:-b ~a & | % _a _ A É ' \" [ { \\ ¬ 日本)",
        "(p ?_ ?_ ?a ?A ?'b ?1 ?_1 ?v1 ?+ ?ß ?ı ?ς ?Σ ?日 ?? ?,)",
        "(<= (p ?v1 ?, ?v2 ?') q)",
    ] {
        round_trip(text);
    }
}

#[test]
fn variables_keep_their_names() {
    let rules = gdl::parse("(p ?x ?Player ?next-cell ?1 ?_ ?a,b ?_a ?v1)").rules;
    assert_eq!(gdl::print(&rules, Form::Infix), "p(X, Player, Next-cell, _1, V2, V3, _a, V1)\n");
    let rules = gdl::parse("p(X, Player, _, _a)").rules;
    assert_eq!(gdl::print(&rules, Form::Kif), "(p ?X ?Player ?_1 ?_a)\n");
}

#[test]
fn a_first_word_shows_the_form() {
    let rules = gdl::parse("terminal (role me)").rules;
    assert_eq!(gdl::print(&rules, Form::Kif), "(terminal)\n\n(role me)\n");
    assert_eq!(gdl::print(&rules, Form::Infix), "terminal.\n\nrole(me)\n");
}

#[test]
fn as_deep_as_can_be_read() {
    for (open, inside) in [("(f ", "a"), ("(not ", "b"), ("(or ", "c"), ("(or d ", "e"), ("(and d ", "e")] {
        // Within the rule, its list is one level.
        let depth = gdl::MAX_DEPTH - 1;
        let head = if open == "(f " { "(p " } else { "p " };
        let depth = if open == "(f " { depth - 1 } else { depth };
        let close = if open == "(f " { ")" } else { "" };
        let text = format!("(<= {head}{}{inside}{}{close})", open.repeat(depth), ")".repeat(depth));
        round_trip(&text);
        let text = format!("(<= {head}{}{inside}{}{close})", open.repeat(depth + 1), ")".repeat(depth + 1));
        assert_eq!(gdl::parse(&text).problems[0].code, "too-deep");
    }
    let deep = |depth: usize| format!("p :- {}a{}", "~".repeat(depth), "");
    round_trip(&deep(gdl::MAX_DEPTH - 1));
    assert_eq!(gdl::parse(&deep(gdl::MAX_DEPTH)).problems[0].code, "too-deep");
    assert_eq!(gdl::parse(&deep(gdl::MAX_DEPTH + 1)).problems[0].code, "too-deep");
}

#[test]
fn sameness_looks_at_the_meaning() {
    let rules = |text: &str| gdl::parse(text).rules;
    let base = rules("(p a) (<= (q ?x ?y) (r ?x ?y))");
    for same in ["(P A) (<= (Q ?b ?a) (r ?b ?a))", "p(a) q(X, Y) :- r(X, Y)"] {
        assert!(base.same(&rules(same)) && rules(same).same(&base), "{same}");
    }
    for other in [
        "(p a)",
        "(p b) (<= (q ?x ?y) (r ?x ?y))",
        "(p a) (<= (q ?x ?y) (r ?y ?x))",
        "(p a) (<= (q ?x ?x) (r ?x ?x))",
        "(p a) (<= (q ?x ?y) (r ?x ?x))",
        "(p a) (<= (q ?x ?y) (not (r ?x ?y)))",
        "(p a) (<= (q ?x ?y) (or (r ?x ?y)))",
        "(p a) (<= (q ?x ?y) (r ?x (f ?y)))",
        "(p a) (<= (q ?x ?y))",
        "(<= (q ?x ?y) (r ?x ?y)) (p a)",
        "(<= (p a)) (<= (q ?x ?y) (r ?x ?y))",
    ] {
        assert!(!base.same(&rules(other)) && !rules(other).same(&base), "{other}");
    }
}
