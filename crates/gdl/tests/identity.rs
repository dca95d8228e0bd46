//! Renamed rules are the same game; changed rules are another one.

use std::collections::HashMap;
use std::path::Path;

use gdl::{Atom, Clause, Form, Literal, Renaming, Rules, Scrambler, Symbol, Term, TermKind, identity, isomorphism};

/// All rulesheets of the library.
fn library() -> Vec<(String, Rules)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let mut games: Vec<(String, Rules)> = std::fs::read_dir(folder)
        .expect("the library is there")
        .map(|entry| {
            let path = entry.expect("a folder can be listed").path();
            let text = std::fs::read_to_string(path.join("rules.kif")).expect("every game has rules");
            (path.file_name().expect("a name").to_string_lossy().into_owned(), gdl::parse(&text).rules)
        })
        .collect();
    games.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(games.len() >= 53);
    games
}

/// A generator for tests: the high bits of a linear congruence.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// Everything in another order that may be in another order; the roles keep theirs.
fn shuffled(rules: &Rules, chance: &mut Chance) -> Rules {
    fn literals(parts: &mut [Literal], chance: &mut Chance) {
        chance.shuffle(parts);
        for part in parts {
            match part {
                Literal::Or(parts, _) | Literal::And(parts, _) => literals(parts, chance),
                Literal::Distinct(a, b, _) => std::mem::swap(a, b),
                Literal::Is(_) | Literal::Not(..) => {}
            }
        }
    }
    let mut rules = rules.clone();
    for clause in &mut rules.clauses {
        literals(&mut clause.body, chance);
    }
    let (mut roles, mut others): (Vec<Clause>, Vec<Clause>) =
        rules.clauses.drain(..).partition(|clause| clause.head.name == Symbol::ROLE);
    chance.shuffle(&mut others);
    others.append(&mut roles);
    // Symbols get other numbers, too.
    gdl::parse(&gdl::print(&Rules { clauses: others, ..rules }, Form::Kif)).rules
}

/// What clauses say when nothing is kept of variables but that they are some; conditions in the order of their text.
fn outline(rules: &Rules, name: &dyn Fn(Symbol) -> String) -> Vec<String> {
    fn term(term: &Term, name: &dyn Fn(Symbol) -> String) -> String {
        match &term.kind {
            TermKind::Var(_) => "?".to_string(),
            TermKind::Name(symbol) => name(*symbol),
            TermKind::Call(symbol, args) => format!("({}{})", name(*symbol), terms(args, name)),
        }
    }
    fn terms(args: &[Term], name: &dyn Fn(Symbol) -> String) -> String {
        args.iter().map(|arg| format!(" {}", term(arg, name))).collect()
    }
    fn atom(atom: &Atom, name: &dyn Fn(Symbol) -> String) -> String {
        format!("({}{})", name(atom.name), terms(&atom.args, name))
    }
    fn literal(condition: &Literal, name: &dyn Fn(Symbol) -> String) -> String {
        match condition {
            Literal::Is(inner) => atom(inner, name),
            Literal::Not(inner, _) => format!("(not {})", literal(inner, name)),
            Literal::Or(parts, _) => format!("(or {})", literals(parts, name)),
            Literal::And(parts, _) => format!("(and {})", literals(parts, name)),
            Literal::Distinct(a, b, _) => {
                let mut sides = [term(a, name), term(b, name)];
                sides.sort();
                format!("(distinct {})", sides.join(" "))
            }
        }
    }
    fn literals(parts: &[Literal], name: &dyn Fn(Symbol) -> String) -> String {
        let mut parts: Vec<String> = parts.iter().map(|part| literal(part, name)).collect();
        parts.sort();
        parts.join(" ")
    }
    let mut clauses: Vec<String> = rules
        .clauses
        .iter()
        .map(|clause| format!("{} <= {}", atom(&clause.head, name), literals(&clause.body, name)))
        .collect();
    clauses.sort();
    clauses
}

#[track_caller]
fn check(name: &str, from: &Rules, to: &Rules) -> Renaming {
    let renaming = isomorphism(from, to).unwrap_or_else(|| panic!("{name} is not found again"));
    let renamed = outline(from, &|symbol| {
        let other = renaming.forth(symbol).expect("every symbol of a clause");
        assert_eq!(renaming.back(other), Some(symbol));
        to.symbols.name(other).to_string()
    });
    assert_eq!(renamed, outline(to, &|symbol| to.symbols.name(symbol).to_string()), "{name}");
    let roles: Vec<Option<Symbol>> = from.roles().into_iter().map(|role| renaming.forth(role)).collect();
    assert_eq!(roles, to.roles().into_iter().map(Some).collect::<Vec<_>>(), "{name}");
    renaming
}

#[test]
fn scrambled_games_are_found_again() {
    for (name, rules) in library() {
        for seed in 0..4 {
            let scrambler = Scrambler::new(&rules, seed);
            let scrambled = gdl::parse(&gdl::print(scrambler.rules(), Form::Kif)).rules;
            assert_eq!(identity(&rules), identity(&scrambled), "{name}");
            let renaming = check(&name, &rules, &scrambled);
            for clause in rules.clauses.iter().filter(|clause| clause.head.name == Symbol::INIT) {
                let Some(fact) = clause.head.args.first().filter(|fact| fact.is_ground()) else { continue };
                let text = fact.text(&rules.symbols);
                let there = renaming.text_forth(&text).expect("words of the game");
                assert_eq!(renaming.text_back(&there).expect("words of the game"), text);
                // As many symbols that are kept, and those the same.
                assert_eq!(there.split(' ').count(), scrambler.scramble_text(&text).unwrap().split(' ').count());
            }
        }
    }
}

#[test]
fn order_does_not_count() {
    let mut chance = Chance(5);
    for (name, rules) in library() {
        for seed in 0..2 {
            let other = shuffled(Scrambler::new(&rules, seed).rules(), &mut chance);
            assert_eq!(identity(&rules), identity(&other), "{name}");
            check(&name, &rules, &other);
        }
    }
}

#[test]
fn different_games_differ() {
    let games = library();
    let mut known = HashMap::new();
    for (name, rules) in &games {
        if let Some(other) = known.insert(identity(rules), name) {
            panic!("{name} and {other} have the same identity");
        }
    }
    for pair in games.windows(2) {
        assert!(isomorphism(&pair[0].1, &pair[1].1).is_none());
    }
}

#[test]
fn small_changes_count() {
    let mut chance = Chance(9);
    for (name, rules) in library() {
        let own = identity(&rules);
        let bodies: Vec<usize> = (0..rules.clauses.len()).filter(|&at| !rules.clauses[at].body.is_empty()).collect();
        for _ in 0..5 {
            let mut less = rules.clone();
            let body = &mut less.clauses[bodies[chance.below(bodies.len())]].body;
            body.remove(chance.below(body.len()));
            assert_ne!(identity(&less), own, "{name} with a condition less");
            assert!(isomorphism(&rules, &less).is_none());
            let mut less = rules.clone();
            less.clauses.remove(chance.below(rules.clauses.len()));
            assert_ne!(identity(&less), own, "{name} with a clause less");
        }
        let mut other = rules.clone();
        let goal = other.clauses.iter_mut().find(|clause| clause.head.name == Symbol::GOAL).expect("a goal");
        let value = other.symbols.intern("13");
        goal.head.args[1].kind = TermKind::Name(value);
        assert_ne!(identity(&other), own, "{name} with another goal value");
        assert!(isomorphism(&rules, &other).is_none());
    }
}

#[track_caller]
fn same(a: &str, b: &str, expected: bool) {
    let (a, b) = (gdl::parse(a).rules, gdl::parse(b).rules);
    assert_eq!(identity(&a) == identity(&b), expected, "identity");
    assert_eq!(isomorphism(&a, &b).is_some(), expected, "isomorphism");
}

#[test]
fn what_counts() {
    same("(role a) (role b) (init (p a))", "(role x) (role y) (init (q x))", true);
    same("(role a) (role b) (init (p a))", "(role a) (role b) (init (p b))", false);
    same("(role a) (role b) (init (p a))", "(role b) (role a) (init (p a))", false);
    same("(goal a 100)", "(goal a 50)", false);
    same("(init (p 1 2))", "(init (p 2 1))", true);
    same("(init (p 1 2))", "(init (p 1 1))", false);
    same("(<= (p ?x) (q ?x ?y))", "(<= (p ?x) (q ?y ?x))", false);
    same("(<= (p ?x ?y) (q ?x) (r ?y)) (q a)", "(<= (p ?x ?y) (q ?y) (r ?x)) (q a)", false);
    same("(<= (p ?x ?y) (q ?x) (r ?y))", "(<= (p ?x ?y) (r ?x) (q ?y))", true);
    same("(<= p (true q))", "(<= p (not (true q)))", false);
    same("(<= p (or a b))", "(<= p a b)", false);
    same("(<= p (distinct ?x a) (q ?x))", "(<= p (q ?x) (distinct b ?x))", true);
    same("p", "(<= p)", true);
    same("(legal r (m a))", "(does r (m a))", false);
    // One word is one word, whatever it is used for.
    same("(p a) (q (p b))", "(p a) (q (r b))", false);
    same("(Cell 1) (next (CELL 1))", "(cell 1) (next (cell 1))", true);
}

#[test]
fn hard_to_tell_apart() {
    // Conditions that look alike in another order: a ring of variables.
    let ring = |order: &[usize]| {
        let edges: String = order.iter().map(|&at| format!(" (e ?v{at} ?v{})", (at + 1) % order.len())).collect();
        format!("(<= p{edges})")
    };
    same(&ring(&[0, 1, 2, 3, 4, 5]), &ring(&[0, 3, 1, 5, 2, 4]), true);
    // Two rings of three look like a ring of six to refinement; only trying shows that they differ.
    let edges = |pairs: &[[u32; 2]]| -> String { pairs.iter().map(|[a, b]| format!("(e c{a} c{b})\n")).collect() };
    let six = gdl::parse(&edges(&[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]])).rules;
    let twice_three = gdl::parse(&edges(&[[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3]])).rules;
    assert!(isomorphism(&six, &twice_three).is_none());
    assert!(isomorphism(&six, &gdl::parse(&edges(&[[5, 3], [3, 1], [1, 0], [0, 2], [2, 4], [4, 5]])).rules).is_some());
    let both = |a: &str| format!("{a}(mark c0)");
    let three_six = both(&edges(&[[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3]]));
    check("rings", &gdl::parse(&three_six).rules, Scrambler::new(&gdl::parse(&three_six).rules, 3).rules());
}

#[test]
fn large_rules_take_bounded_effort() {
    let chain: String = (0..40_000).map(|at| format!("(succ n{at} n{})\n", at + 1)).collect();
    let apart: String = (0..20_000).map(|at| format!("(item n{at})\n")).collect();
    for text in [chain, apart] {
        let rules = gdl::parse(&text).rules;
        let scrambled = Scrambler::new(&rules, 1);
        assert_eq!(identity(&rules), identity(scrambled.rules()));
        check("large", &rules, scrambled.rules());
    }
}

/// Tables are found by identity, so it must not change from one version to the next.
#[test]
fn the_identity_is_for_good() {
    let rules = gdl::parse("(role me) (init (at 1)) (<= (legal me (go ?x)) (true (at ?x))) (goal me 100)").rules;
    assert_eq!(identity(&rules).to_string(), "7c344c6bd4903eb68d44145792c70a6d");
    assert!("xyz".parse::<gdl::Identity>().is_err());
}
