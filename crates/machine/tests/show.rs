//! What a net looks like in print.

use machine::{Budget, Net};

fn net(text: &str) -> Net {
    Net::new(&gdl::parse(text).rules, Budget::default()).unwrap_or_else(|error| panic!("{error}"))
}

const SWITCH: &str = "(role me) (init on) (<= (legal me flip) (true on)) (<= (legal me wait))
    (<= (next on) (true on) (does me wait)) (<= terminal (not (true on))) (<= (goal me 100) (not (true on)))";

#[test]
fn a_small_net_in_full() {
    let expected = "\
facts to legal moves, end and goals
  legal me flip = on
  legal me wait = true
  terminal = not on
  goal me 100 = not on
facts and moves to the next facts
  s4 = on and does me wait
  next on = s4
";
    assert_eq!(net(SWITCH).listing(), expected);
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
    // Whether a is joined to c goes round in circles over links that change.
    let text = "(role me) (init (link a b)) (init (link b c)) (node a) (node b) (node c)
        (<= (legal me (cut ?x ?y)) (true (link ?x ?y))) (<= (legal me (join ?x ?y)) (node ?x) (node ?y))
        (<= (next (link ?x ?y)) (true (link ?x ?y)) (not (does me (cut ?x ?y)))) (<= (next (link ?x ?y)) (does me (join ?x ?y)))
        (<= (way ?x ?y) (true (link ?x ?y))) (<= (way ?x ?z) (way ?x ?y) (true (link ?y ?z)))
        (<= terminal (not (way a c))) (<= (goal me 100) (way a c))";
    let net = net(text);
    assert!(net.size().looped > 0);
    assert!(net.listing().contains("until nothing changes"));
    assert!(net.dot().contains("diamond"));
}
