//! Laws, on generated rules and texts: printing and reading are inverse, renaming is inverse, nothing panics.

use gdl::{Atom, Clause, Form, Literal, Rules, Scrambler, Source, Span, Symbol, Term, TermKind, Var};
use proptest::collection::vec;
use proptest::prelude::*;

const FORMS: [Form; 2] = [Form::Kif, Form::Infix];

/// A word of KIF: plain ones mostly, and what is allowed but strange.
fn word() -> impl Strategy<Value = String> {
    let odd = |c: &char| !c.is_control() && !matches!(c, ' ' | '(' | ')' | ';');
    prop_oneof![
        6 => "[a-zA-Z0-9_+-]{1,6}",
        2 => prop::sample::select(vec![
            "role", "init", "true", "goal", "terminal", "not", "or", "and", "distinct", "<=", "0", "100", "random",
        ]).prop_map(String::from),
        2 => vec("[!-'*-:<-~]".prop_map(|s| s.chars().next().unwrap_or('x')), 1..4).prop_map(String::from_iter),
        1 => vec(any::<char>().prop_filter("is not in words", odd), 1..4).prop_map(String::from_iter),
        1 => vec(prop::sample::select("ΣσςİıIßẞǅ\u{feff}\u{307}_'%.".chars().collect::<Vec<_>>()), 1..4)
            .prop_map(String::from_iter),
    ]
}

fn name() -> impl Strategy<Value = String> {
    word().prop_filter("is a variable", |word| !word.starts_with('?'))
}

/// Names for a description, and of variables for its clauses.
#[derive(Clone, Debug)]
struct Names {
    symbols: Vec<String>,
    vars: Vec<String>,
}

/// Choices, from which rules are made: numbers that select among whatever is possible.
fn rules() -> impl Strategy<Value = Rules> {
    (vec(name(), 1..8), vec(word(), 1..6), vec(any::<u16>(), 0..300)).prop_map(|(symbols, vars, choices)| {
        Maker { names: Names { symbols, vars }, choices, rules: Rules::default() }.make()
    })
}

struct Maker {
    names: Names,
    choices: Vec<u16>,
    rules: Rules,
}

impl Maker {
    fn choose(&mut self, below: usize) -> usize {
        self.choices.pop().map_or(0, |choice| choice as usize % below)
    }

    fn make(mut self) -> Rules {
        while !self.choices.is_empty() && self.rules.clauses.len() < 12 {
            let is_rule = self.choose(3) > 0;
            // As the readers would have it: variables differ in more than case.
            let mut vars: Vec<String> = Vec::new();
            for name in &self.names.vars {
                if vars.iter().all(|var| gdl::symbol::fold(var) != gdl::symbol::fold(name)) {
                    vars.push(name.clone());
                }
            }
            let head = self.atom(vars.len(), !is_rule, false);
            let body = if is_rule { self.literals(vars.len(), 3) } else { Vec::new() };
            self.rules.clauses.push(Clause { head, body, vars, is_rule, span: Span::default() });
        }
        self.rules
    }

    fn symbol(&mut self) -> Symbol {
        let at = self.choose(self.names.symbols.len());
        self.rules.symbols.intern(&self.names.symbols[at])
    }

    fn atom(&mut self, vars: usize, fact: bool, condition: bool) -> Atom {
        let name = self.symbol();
        let connective = [Symbol::NOT, Symbol::OR, Symbol::AND, Symbol::DISTINCT, Symbol::IF].contains(&name);
        let bare = (condition && connective) || (fact && name == Symbol::IF);
        let arity = if bare { 0 } else { self.choose(4) };
        let args: Vec<Term> = (0..arity).map(|_| self.term(vars, 3)).collect();
        let parens = !bare && (!args.is_empty() || self.choose(2) == 1);
        Atom { name, args, span: Span::default(), parens }
    }

    fn term(&mut self, vars: usize, depth: usize) -> Term {
        let kind = match self.choose(if depth == 0 { 2 } else { 3 }) {
            0 => TermKind::Name(self.symbol()),
            1 => TermKind::Var(Var(self.choose(vars) as u16)),
            _ => {
                let name = self.symbol();
                let arity = 1 + self.choose(3);
                TermKind::Call(name, (0..arity).map(|_| self.term(vars, depth - 1)).collect())
            }
        };
        Term { kind, span: Span::default() }
    }

    fn literals(&mut self, vars: usize, depth: usize) -> Vec<Literal> {
        (0..self.choose(4)).map(|_| self.literal(vars, depth)).collect()
    }

    fn literal(&mut self, vars: usize, depth: usize) -> Literal {
        let span = Span::default();
        match self.choose(if depth == 0 { 4 } else { 9 }) {
            0..=2 => Literal::Is(self.atom(vars, false, true)),
            3 => Literal::Distinct(self.term(vars, 2), self.term(vars, 2), span),
            4 | 5 => Literal::Not(Box::new(self.literal(vars, depth - 1)), span),
            6 | 7 => Literal::Or(self.literals(vars, depth - 1), span),
            _ => Literal::And(self.literals(vars, depth - 1), span),
        }
    }
}

/// Text that looks somewhat like rules.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "(", ")", "(", ")", " ", " ", "\n", "<=", "(<= ", "?x", "?", "X", "_", "a", "b", "'", "''", "'A'", ",", ", ",
        "&", " & ", "|", "~", ".", ":-", " :- ", ":", "%", ";", "not", "or", "and", "distinct", "not(", "or(", "(not ",
        "(or ", "role", "p(", "true(", "\u{feff}", "é", "日", "\0", "\r", "\r\n", "\t", "1", "-", "\"", "<", "=",
    ]);
    vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Reading must not panic, nor showing what is wrong; what was read can be printed and read again.
fn survives(text: &str) -> Result<(), TestCaseError> {
    for parsed in [gdl::parse(text), gdl::parse_as(text, Form::Kif), gdl::parse_as(text, Form::Infix)] {
        for problem in &parsed.problems {
            let (start, end) = (problem.span.start as usize, problem.span.end as usize);
            prop_assert!(text.get(start..end).is_some(), "{:?} is no piece of the text", problem.span);
            Source { name: "text", text }.show(problem);
        }
        for form in FORMS {
            let printed = gdl::print(&parsed.rules, form);
            let again = gdl::parse(&printed);
            prop_assert!(again.problems.is_empty(), "{printed}: {:?}", again.problems);
            prop_assert!(again.rules.same(&parsed.rules), "{printed}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_then_reading_is_identity(rules in rules()) {
        for form in FORMS {
            let printed = gdl::print(&rules, form);
            let read = gdl::parse(&printed);
            prop_assert!(read.problems.is_empty(), "{printed}: {:?}", read.problems);
            prop_assert!(read.rules.same(&rules), "{printed}");
            prop_assert!(rules.clauses.is_empty() || read.form == form, "{printed}");
            prop_assert_eq!(gdl::print(&read.rules, form), printed, "printing again differs");
            for other in FORMS {
                prop_assert!(gdl::parse(&gdl::print(&read.rules, other)).rules.same(&rules), "{form:?} to {other:?}");
            }
        }
    }

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        survives(&text)?;
        let checked = gdl::check(&text, &gdl::Limits::default());
        prop_assert!(checked.is_ok());
    }

    #[test]
    fn token_soup_is_survived(text in soup()) {
        survives(&text)?;
        let checked = gdl::check(&text, &gdl::Limits::default());
        prop_assert!(checked.is_ok_and(|checked| checked.problems.iter().all(|problem| !problem.hint.is_empty())));
    }

    #[test]
    fn any_bytes_are_survived(bytes in vec(any::<u8>(), 0..200)) {
        gdl::parse_bytes(&bytes);
    }

    #[test]
    fn a_problem_may_be_anywhere(text in soup(), start in 0u32..100, end in 0u32..100) {
        let problem = gdl::Problem::error("test", Span::new(start, end), "m", "h");
        let shown = Source { name: "text", text: &text }.show(&problem);
        prop_assert!(shown.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
    }

    #[test]
    fn renaming_is_undone(rules in rules(), seed in any::<u64>()) {
        let scrambler = Scrambler::new(&rules, seed);
        // Isomorphic: the same clauses over other symbols, and no two symbols became one.
        prop_assert_eq!(&scrambler.rules().clauses, &rules.clauses);
        prop_assert_eq!(scrambler.rules().symbols.len(), rules.symbols.len());
        for symbol in rules.symbols.own() {
            let (old, new) = (rules.symbols.name(symbol), scrambler.rules().symbols.name(symbol));
            prop_assert_eq!(scrambler.scramble_text(old).ok(), Some(new.to_string()));
            prop_assert_eq!(scrambler.unscramble_text(new).ok(), Some(old.to_string()));
        }
        if !rules.clauses.is_empty() {
            let text = gdl::print(&rules, Form::Kif);
            let there = scrambler.scramble_text(&text).map_err(|p| TestCaseError::fail(p.message))?;
            prop_assert!(gdl::parse_as(&there, Form::Kif).rules.same(scrambler.rules()));
            let back = scrambler.unscramble_text(&there).map_err(|p| TestCaseError::fail(p.message))?;
            prop_assert!(gdl::parse_as(&back, Form::Kif).rules.same(&rules));
            // The renamed rules are rules like others.
            let printed = gdl::print(scrambler.rules(), Form::Infix);
            prop_assert!(gdl::parse(&printed).rules.same(scrambler.rules()));
        }
        // It is the same game, and can be found out to be.
        prop_assert_eq!(gdl::identity(&rules), gdl::identity(scrambler.rules()));
        prop_assert!(gdl::isomorphism(&rules, scrambler.rules()).is_some());
        let again = Scrambler::new(&rules, seed);
        prop_assert_eq!(gdl::print(again.rules(), Form::Kif), gdl::print(scrambler.rules(), Form::Kif));
    }
}
