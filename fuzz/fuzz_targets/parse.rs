//! Any bytes: reading them, showing what is wrong, printing and renaming what could be read must not panic, and what is
//! printed must read back as the same rules.

#![no_main]

use gdl::{Form, Parsed, Scrambler, Source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    check(&gdl::parse_bytes(bytes), &String::from_utf8_lossy(bytes));
    if let Ok(text) = std::str::from_utf8(bytes) {
        for form in [Form::Kif, Form::Infix] {
            check(&gdl::parse_as(text, form), text);
        }
    }
});

fn check(parsed: &Parsed, text: &str) {
    for problem in &parsed.problems {
        Source { name: "fuzz", text }.show(problem);
    }
    let rules = &parsed.rules;
    for form in [Form::Kif, Form::Infix] {
        let printed = gdl::print(rules, form);
        let again = gdl::parse(&printed);
        assert!(again.problems.is_empty(), "{printed}\n{:?}", again.problems);
        assert!(again.rules.same(rules), "{printed}");
        assert!(again.form == form || rules.clauses.is_empty(), "{printed}");
    }
    gdl::validate::validate(rules);
    let scrambler = Scrambler::new(rules, bytes_to_seed(text));
    assert_eq!(scrambler.rules().clauses, rules.clauses);
    if !rules.clauses.is_empty() {
        let there = scrambler.scramble_text(&gdl::print(rules, Form::Kif)).expect("every word has a translation");
        let back = scrambler.unscramble_text(&there).expect("every word has a translation");
        assert!(gdl::parse_as(&back, Form::Kif).rules.same(rules), "{there}");
    }
}

fn bytes_to_seed(text: &str) -> u64 {
    text.bytes().fold(0, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)))
}
