//! The infix form: what it reads as, what is wrong with it, and how it is told apart from KIF.

use gdl::{Form, Parsed, Source};

/// The rules of both texts are the same, and both are read without a word of complaint, each as its form.
#[track_caller]
fn same(infix: &str, kif: &str) {
    let (a, b) = (gdl::parse_as(infix, Form::Infix), gdl::parse_as(kif, Form::Kif));
    assert!(a.problems.is_empty(), "{infix}: {:?}", a.problems);
    assert!(b.problems.is_empty(), "{kif}: {:?}", b.problems);
    assert!(a.rules.same(&b.rules), "{infix} is not {kif} but {}", gdl::print(&a.rules, Form::Kif));
}

/// The codes of the problems, each with the text it points at.
fn told(text: &str) -> Vec<(&'static str, &str)> {
    let Parsed { problems, .. } = gdl::parse_as(text, Form::Infix);
    for problem in &problems {
        Source { name: "test", text }.show(problem);
    }
    problems.iter().map(|p| (p.code, &text[p.span.start as usize..p.span.end as usize])).collect()
}

fn clauses(text: &str) -> usize {
    gdl::parse_as(text, Form::Infix).rules.clauses.len()
}

#[test]
fn sentences_and_rules() {
    same("role(white)", "(role white)");
    same("role(white) role(black).role(red)\nterminal", "(role white) (role black) (role red) terminal");
    same(
        "legal(W, mark(X,Y)) :- true(cell(X,Y,b)) & true(control(W))",
        "(<= (legal ?w (mark ?x ?y)) (true (cell ?x ?y b)) (true (control ?w)))",
    );
    same("a:-b&c.d:-~e", "(<= a b c) (<= d (not e))");
    same("p(f(g(X)), 1, -2, +, a_b)", "(p (f (g ?x)) 1 -2 + a_b)");
    same("p ( a ,\n b )", "(p a b)");
    same("p() :- q()", "(<= (p) (q))");
    same("p :- .\nq", "(<= p) q");
}

#[test]
fn connectives() {
    same("p :- a | b", "(<= p (or a b))");
    same("p :- a & b | ~c", "(<= p (or (and a b) (not c)))");
    same("p :- a & (b | c) & d", "(<= p a (or b c) d)");
    same("p :- (a & b)", "(<= p (and a b))");
    same("p :- (a & b) & c", "(<= p (and a b) c)");
    same("p :- ((a)) & ~((b))", "(<= p a (not b))");
    same("p :- a | (b | c)", "(<= p (or a (or b c)))");
    same("p :- or(a, b & c, ~d | e) & and(f) & or()", "(<= p (or a (and b c) (or (not d) e)) (and f) (or))");
    same("p :- not(a) & not(a | b) & not(not(c)) & ~~d", "(<= p (not a) (not (or a b)) (not (not c)) (not (not d)))");
    same(
        "p(X) :- q(X,Y) & distinct(X, Y) & ~distinct(f(X), 1)",
        "(<= (p ?x) (q ?x ?y) (distinct ?x ?y) (not (distinct (f ?x) 1)))",
    );
    // Inside a sentence these are names like others.
    same("p(or(a, b), not)", "(p (or a b) not)");
}

#[test]
fn variables() {
    same("p(X, x, _y, Xy, XY)", "(p ?x x ?_y ?xy ?xy)");
    same("p(_, _, _) :- q(_)", "(<= (p ?a ?b ?c) (q ?d))");
    // Blanks get names, but not those that are taken.
    let rules = gdl::parse_as("p(_1, _, _3, _)", Form::Infix).rules;
    assert_eq!(rules.clauses[0].vars, ["_1", "_2", "_3", "_4"]);
    same("'É'(É, é)", "(É ?é é)");
}

#[test]
fn quotes_and_comments() {
    same("'Role'('White', 'it''s', 'a,b', '%', '<=', 'x.y')", "(role White it's a,b % <= x.y)");
    same("% a (comment\np % another :- \n:- q ; and one\n& r", "(<= p q r)");
    same("\u{feff}% begins with a mark\nrole(me)", "(role me)");
    let rules = gdl::parse_as("p('White') q(white)", Form::Infix).rules;
    assert_eq!(gdl::print(&rules, Form::Kif), "(p White)\n\n(q White)\n");
}

#[test]
fn problems_name_the_place() {
    assert_eq!(told("p(a"), [("unclosed", "(")]);
    assert_eq!(told("p(a,"), [("unclosed", "(")]);
    assert_eq!(told("p(a) :-"), [("incomplete", "")]);
    assert_eq!(told("p(a) :- q &"), [("incomplete", "")]);
    assert_eq!(told("p(a) :- q & & r"), [("incomplete", "&")]);
    assert_eq!(told("p(a) :- q & ()"), [("incomplete", ")")]);
    assert_eq!(told("p(a,)"), [("incomplete", ")")]);
    assert_eq!(told("p(~a)"), [("incomplete", "~")]);
    assert_eq!(told("p(a))"), [("unopened", ")")]);
    assert_eq!(told("p(a b)"), [("no-comma", "b")]);
    assert_eq!(told("p(a & b)"), [("no-comma", "&")]);
    assert_eq!(told("p(a :- b"), [("unclosed", "(")]);
    assert_eq!(told("p(?x)"), [("bad-character", "?x")]);
    assert_eq!(told("p <= q"), [("bad-character", "<=")]);
    assert_eq!(told("p('a b')"), [("bad-name", "'a b'")]);
    assert_eq!(told("p('?a')"), [("bad-name", "'?a'")]);
    assert_eq!(told("p('')"), [("bad-name", "''")]);
    assert_eq!(told("p('a)\nq(b)"), [("unclosed-quote", "'")]);
    assert_eq!(told("p(\0)"), [("control-character", "\0")]);
    assert_eq!(told("p('\u{1b}')"), [("control-character", "'\u{1b}'")]);
    assert_eq!(told("X"), [("variable-relation", "X")]);
    assert_eq!(told("p :- X"), [("variable-relation", "X")]);
    assert_eq!(told("Legal(x)"), [("variable-relation", "Legal")]);
    assert_eq!(told("p :- not q"), [("not-arity", "not")]);
    assert_eq!(told("p :- not(q, r)"), [("not-arity", "not(q, r)")]);
    assert_eq!(told("p(X) :- distinct(X)"), [("arity", "distinct(X)")]);
    assert_eq!(told("'<='(a, b)"), [("no-head", "'<='(a, b)")]);
    assert_eq!(told("p :- '<='(a, b)"), [("nested-rule", "'<='(a, b)")]);
    assert_eq!(told(":- q"), [("no-clause", ":-")]);
    assert_eq!(told("p.."), [("no-clause", ".")]);
}

#[test]
fn hints_speak_the_form() {
    let parsed = gdl::parse("p(X) :- distinct(X)");
    assert_eq!(parsed.problems[0].hint, "write distinct(X, Y)");
    let parsed = gdl::parse("(<= (p ?x) (distinct ?x))");
    assert_eq!(parsed.problems[0].hint, "write (distinct ?x ?y)");
}

#[test]
fn one_run_tells_all() {
    let text = "\
role(white
role(black)
init(cell(1, 1, b)
init(cell(1, ?x, b))
legal(W, noop) :- true(control(W)), role(W)
legal(W, go) :-
    true(control(W) &
    role(W)
next(x) :- does(white, ) &
    role(W)
goal(white, 100)
";
    assert_eq!(
        told(text),
        [
            ("unclosed", "("),
            ("unclosed", "("),
            ("bad-character", "?x"),
            ("comma", ","),
            ("no-comma", "&"),
            ("incomplete", ")"),
        ]
    );
    // role(black), the rule with the comma, goal.
    assert_eq!(clauses(text), 3);
}

#[test]
fn recovery_does_not_take_a_condition_for_a_clause() {
    let text = "p(X) :- q(X,,) &\nr(X) &\ns(X)\nt(a)";
    assert_eq!(told(text), [("incomplete", ",")]);
    assert_eq!(clauses(text), 1);
}

#[test]
fn a_problem_as_shown() {
    let text = "role(me)\nlegal(me, go) :-\n\ttrue(x) & ?p\n";
    let problem = &gdl::parse(text).problems[0];
    assert_eq!(
        Source { name: "g.gdl", text }.show(problem),
        "error[bad-character]: `?p` is not understood here
 --> g.gdl:3:12
  |
3 | \ttrue(x) & ?p
  | \t          ^^
  = hint: a variable begins with an upper-case letter in this form, without `?`
"
    );
}

#[test]
fn forms_are_told_apart() {
    let kif = [
        "",
        " \n",
        "; only a comment",
        "; 1\n; 2\n",
        "(role me)",
        "% a comment\n(role me)",
        "\u{feff}(role me)",
        "\u{feff}; c\n(role me)",
        "terminal",
        "terminal (role me)",
        "terminal(role me)",
        "terminal\n; c\n(role me)",
        "terminal done (init a)",
        "terminal ((role a))",
        "terminal (p ?x)",
        "p (?x)",
        "terminal (<= a b)",
        "a <= (b)",
        "()",
        ")",
        "\u{feff}terminal (role me)",
    ];
    for text in kif {
        assert_eq!(Form::of(text), Form::Kif, "{text:?}");
    }
    let infix = [
        "role(me)",
        "role( me )",
        "role (me)",
        "p(a,b)",
        "p(a, b)",
        "p( a , b )",
        "p('A')",
        "p(f(x))",
        "p()",
        "terminal.",
        "terminal :- a",
        "terminal:-a(b)",
        "terminal\nrole(me)",
        "a b c(d)",
        "% only a comment (with parentheses",
        "; c\n% d\nrole(me)",
        "'Role'(me)",
        "\u{feff}role(me)",
        "p % c (\n (a, b)",
        "~",
        "a & b",
    ];
    for text in infix {
        assert_eq!(Form::of(text), Form::Infix, "{text:?}");
    }
    // Comments of the other form at the start are comments; a text of comments is an empty description.
    for text in ["% c\n(role me)", "; c\nrole(me)", "\u{feff}% c\n; d\n(role me)"] {
        let parsed = gdl::parse(text);
        assert!(parsed.problems.is_empty() && parsed.rules.clauses.len() == 1, "{text:?}");
    }
    for text in ["", "\u{feff}", "; a", "% a (", "; a\n% b", "% a\n; b"] {
        let parsed = gdl::parse(text);
        assert!(parsed.problems.is_empty() && parsed.rules.clauses.is_empty(), "{text:?}");
    }
}
