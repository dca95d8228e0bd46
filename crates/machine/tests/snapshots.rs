//! Everything that can be printed of an engine, for a few tiny games, compared with texts that people have looked at.
//!
//! The texts are in `snapshots/`, one file for each game and stage. After a change that is meant, make them anew with
//! `UPDATE_SNAPSHOTS=1 cargo test -p machine --test snapshots`, and look at what git shows as different.

use machine::{Budget, Limits, PropNet, Prover, RuleCode, Style};
use std::path::PathBuf;

/// A light that goes out: one fact, two moves.
const SWITCH: &str = "(role me) (init on) (<= (legal me flip) (true on)) (<= (legal me wait))
    (<= (next on) (true on) (does me wait)) (<= terminal (not (true on))) (<= (goal me 100) (not (true on)))";

/// Two roles take one or two from a heap in turn: arithmetic by facts, a role that waits, goals for both.
const HEAP: &str = "(role left) (role right) (init (heap 3)) (init (turn left)) (succ 0 1) (succ 1 2) (succ 2 3)
    (other left right) (other right left)
    (<= (minus ?a 1 ?b) (succ ?b ?a)) (<= (minus ?a 2 ?c) (succ ?b ?a) (succ ?c ?b))
    (<= (legal ?r (take ?n)) (true (turn ?r)) (true (heap ?a)) (minus ?a ?n ?b)) (<= (legal ?r wait) (true (turn ?s)) (other ?s ?r))
    (<= (next (heap ?b)) (true (heap ?a)) (does ?r (take ?n)) (minus ?a ?n ?b)) (<= (next (turn ?r)) (true (turn ?s)) (other ?s ?r))
    (<= terminal (true (heap 0))) (<= (goal ?r 0) (true (turn ?r))) (<= (goal ?r 100) (role ?r) (not (true (turn ?r))))";

/// Links that are cut and joined: whether there is a way goes round in circles, so the circuit has loops and the rule code tables.
const WAYS: &str = "(role me) (init (link a b)) (init (link b c)) (node a) (node b) (node c)
    (<= (legal me (cut ?x ?y)) (true (link ?x ?y))) (<= (legal me (join ?x ?y)) (node ?x) (node ?y) (distinct ?x ?y))
    (<= (next (link ?x ?y)) (true (link ?x ?y)) (not (does me (cut ?x ?y)))) (<= (next (link ?x ?y)) (does me (join ?x ?y)))
    (<= (way ?x ?y) (true (link ?x ?y))) (<= (way ?x ?z) (way ?x ?y) (true (link ?y ?z)))
    (<= terminal (not (way a c))) (<= (goal me 100) (way a c))";

const GAMES: [(&str, &str); 3] = [("switch", SWITCH), ("heap", HEAP), ("ways", WAYS)];

fn net(text: &str) -> PropNet {
    PropNet::new(&gdl::parse(text).rules, Budget::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Compares with the file of this name, or writes it where that is asked for.
fn check(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let different = expected.lines().zip(text.lines()).position(|(a, b)| a != b);
    let line = different.unwrap_or_else(|| expected.lines().count().min(text.lines().count()));
    assert!(
        expected == text,
        "{name}, line {}: expected `{}`, found `{}`. If that is meant: UPDATE_SNAPSHOTS=1, and look at the difference.",
        line + 1,
        expected.lines().nth(line).unwrap_or(""),
        text.lines().nth(line).unwrap_or(""),
    );
}

#[test]
fn circuits() {
    for (name, text) in GAMES {
        check(&format!("{name}-circuit"), &net(text).listing());
    }
}

#[test]
fn graphs() {
    for (name, text) in GAMES {
        check(&format!("{name}-graph"), &net(text).dot());
    }
}

#[test]
fn plans_of_rule_code() {
    for (name, text) in GAMES {
        let rules = gdl::parse(text).rules;
        let prover = Prover::new(&rules).unwrap();
        check(&format!("{name}-plans"), &RuleCode::plans(&rules, &prover, Limits::default()).unwrap());
    }
}

#[test]
fn c_sources() {
    for (name, text) in GAMES {
        for (style, what) in [(Style::Statements, "statements"), (Style::Table, "table")] {
            let files = machine::export(&net(text), name, name, style).unwrap();
            let source = &files.iter().find(|file| file.name == format!("{name}.c")).unwrap().text;
            // The end is the same for all games.
            let own = source.strip_suffix(include_str!("../src/export/text/runtime.c")).unwrap();
            check(&format!("{name}-{what}"), own);
        }
    }
}

#[test]
fn a_graph_names_every_input_and_output_once() {
    let dot = net(SWITCH).dot();
    assert!(dot.starts_with("digraph net {") && dot.ends_with("}\n"));
    for label in ["\"on\"", "\"does me flip\"", "\"legal me wait\"", "\"next on\"", "\"terminal\""] {
        assert_eq!(dot.matches(label).count(), 1, "{label} in {dot}");
    }
}

#[test]
fn loops_are_shown() {
    let net = net(WAYS);
    assert!(net.size().looped > 0);
    assert!(net.listing().contains("until nothing changes"));
    assert!(net.dot().contains("diamond"));
}
