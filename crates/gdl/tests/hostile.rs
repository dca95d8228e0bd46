//! Hostile text: an answer quickly, whatever the text, never a crash. On an idle machine each text takes
//! below a second; the limits here are generous for busy ones, and forbid work that grows with the square of the text.

use std::time::{Duration, Instant};

use gdl::{Form, MAX_BYTES, Source};

/// Reads the text as every form, shows every problem, and returns the codes. Must be done soon.
#[track_caller]
fn told(text: &str) -> Vec<&'static str> {
    let mut codes = None;
    let start = Instant::now();
    for parsed in [gdl::parse(text), gdl::parse_as(text, Form::Kif), gdl::parse_as(text, Form::Infix)] {
        for problem in &parsed.problems {
            let shown = Source { name: "hostile", text }.show(problem);
            assert!(shown.len() < 2000, "{} bytes to show {}", shown.len(), problem.code);
        }
        codes.get_or_insert_with(|| parsed.problems.iter().map(|problem| problem.code).collect());
    }
    soon(start);
    codes.unwrap_or_default()
}

#[track_caller]
fn soon(start: Instant) {
    assert!(start.elapsed() < Duration::from_secs(60), "took {:?}", start.elapsed());
}

/// As much of this as a text may hold.
fn full_of(piece: &str) -> String {
    piece.repeat(MAX_BYTES / piece.len())
}

/// Enough of this to make work that grows with the square of the text take minutes.
fn much_of(piece: &str) -> String {
    piece.repeat((2 << 20) / piece.len())
}

#[test]
fn deep() {
    assert_eq!(told(&"(".repeat(100_000)), ["too-deep"]);
    assert_eq!(told(&format!("{}{}", "(".repeat(100_000), ")".repeat(100_000))), ["too-deep"]);
    assert_eq!(told(&"(a ".repeat(100_000)), ["too-deep"]);
    assert_eq!(told(&format!("(<= p {}", "(not ".repeat(100_000))), ["too-deep"]);
    assert_eq!(told(&format!("p :- {}", "not(".repeat(100_000))), ["too-deep"]);
    assert_eq!(told(&format!("p :- {}a{}", "not(".repeat(100_000), ")".repeat(100_000))), ["too-deep"]);
    assert_eq!(told(&format!("p :- {}a", "~".repeat(100_000))), ["too-deep"]);
    assert_eq!(told(&format!("p :- {}a", "(".repeat(100_000))), ["too-deep"]);
    assert_eq!(told(&"a(".repeat(100_000)), ["too-deep"]);
    assert_eq!(told(&format!("p :- {}c{}", "(a|b&".repeat(150), ")".repeat(150))), ["too-deep"]);
}

#[test]
fn large() {
    let text = "(role me)\n".repeat(10_000_001);
    let start = Instant::now();
    for parsed in [gdl::parse(&text), gdl::parse_bytes(text.as_bytes()), gdl::parse_as(&text, Form::Infix)] {
        assert_eq!(parsed.problems[0].code, "too-large");
        Source { name: "large", text: &text }.show(&parsed.problems[0]);
    }
    let invalid = vec![0xff; 100_000_000];
    assert_eq!(gdl::parse_bytes(&invalid).problems[0].code, "too-large");
    assert!(start.elapsed() < Duration::from_secs(5), "took {:?}", start.elapsed());
}

#[test]
fn not_text() {
    for bytes in [&b"\xff"[..], b"(role \xc3", b"\xff\xfe(\0r\0", b"(role me)\n\x80"] {
        let parsed = gdl::parse_bytes(bytes);
        assert_eq!(parsed.problems[0].code, "not-text");
        let lossy = String::from_utf8_lossy(bytes);
        Source { name: "bytes", text: &lossy }.show(&parsed.problems[0]);
    }
    let mut late = full_of("(role me)\n").into_bytes();
    *late.last_mut().unwrap() = 0xff;
    assert_eq!(gdl::parse_bytes(&late).problems[0].code, "not-text");
}

#[test]
fn empty_or_unbalanced() {
    for text in ["", " ", "\n\n", "; c", "% c", "\u{feff}", ";", "%"] {
        assert_eq!(told(text), [""; 0], "{text:?}");
    }
    for text in [
        "(", ")", "(()", "())", "((((a)", "a(", "a)", "a(b", "a(b))", "'", "'a", "a('", ":", ":-", ".", ",", "(\0",
        "\0",
    ] {
        assert!(!told(text).is_empty(), "{text:?}");
    }
}

#[test]
fn full_to_the_limit() {
    assert_eq!(told(&full_of("(a")), ["too-deep"]);
    assert_eq!(told(&full_of(")")).last(), Some(&"and-more"));
    assert_eq!(told(&full_of("a")), [""; 0]);
    assert_eq!(told(&full_of("日本")), [""; 0]);
    assert_eq!(told(&full_of("a ")), ["too-large"]);
    assert_eq!(told(&full_of("()")), ["too-large"]);
    assert_eq!(told(&format!("(p {})", &full_of("a")[10..])), [""; 0]);
}

#[test]
fn much_of_anything() {
    for piece in ["(", "(a ", "( ", "((a) ", "(<= ", "(<= a (", "a(", "a :- (", "~", "a :- ~", "\0", "\0 "] {
        assert!(!told(&much_of(piece)).is_empty(), "{piece}");
    }
    for piece in [") ", "))\n", "a)", "&", "|", ",", ".", ":", ":-", "''", "\"", "?", "? ", "\u{feff}", "é\n", "\u{85}"]
    {
        told(&much_of(piece));
    }
    for piece in ["a\n", "A ", "_ ", "'a'", "(a)", "(a)\n", "a.", "a:-b.", "p(a)", "p(_)", "(<= a)", "?x ", "or() "] {
        told(&much_of(piece));
    }
}

#[test]
fn much_in_one_clause() {
    for (start, piece, end) in [
        ("(p ", "a ", ")"),
        ("(p ", "(f a) ", ")"),
        ("(<= p ", "(or a) ", ")"),
        ("p(a", ",b", ")"),
        ("p :- a", "&b", ""),
        ("p :- a", "|b&c", ""),
        ("p :- a", "&(b|c)", ""),
        ("p :- or(a", ",b&~c", ")"),
    ] {
        assert_eq!(told(&format!("{start}{}{end}", much_of(piece))), [""; 0], "{start}");
    }
    assert_eq!(told(&format!("p(a{})", much_of(",_"))), ["too-many-variables"]);
    assert_eq!(told(&format!("(<= p {})", much_of("(?x) "))).last(), Some(&"and-more"));
}

#[test]
fn full_of_variables() {
    let variables = |mark: &str, between: &str| {
        let mut text = String::new();
        for number in 0.. {
            text.push_str(&format!("{mark}x{number}{between}"));
            if text.len() > MAX_BYTES - 100 {
                break;
            }
        }
        text
    };
    let many = variables("?", " ");
    assert_eq!(told(&many).last(), Some(&"and-more"));
    assert_eq!(told(&format!("(<= p (q {many}))")), ["too-many-variables"]);
    assert_eq!(told(&format!("p({}X)", variables("X", ","))), ["too-many-variables"]);
    // Many clauses with many variables each.
    let clause = format!("(p {})\n", &many[..20_000]);
    assert_eq!(told(&much_of(&clause)), [""; 0]);
}

#[test]
fn large_rules_print() {
    let start = Instant::now();
    for text in [
        format!("(<= p {}a{})", "(or b ".repeat(190), ")".repeat(190)).repeat(500),
        format!("(<= p (or {}))", "a ".repeat(1 << 17)),
        format!("(<= p {}{}{})", "(or ".repeat(150), "(q a) ".repeat(1 << 17), ")".repeat(150)),
    ] {
        let rules = gdl::parse(&text).rules;
        for form in [Form::Kif, Form::Infix] {
            let printed = gdl::print(&rules, form);
            assert!(printed.len() < 20 * text.len());
            assert!(printed.len() > MAX_BYTES || gdl::parse(&printed).rules.same(&rules));
        }
    }
    soon(start);
}
