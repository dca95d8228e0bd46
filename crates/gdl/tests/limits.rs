//! Huge rules: read in time linear in their length, stopped as soon as somebody says so, and never beyond the memory
//! that is allowed.

use std::cell::Cell;
use std::time::{Duration, Instant};

use gdl::validate::{MOST_TOLD, validate_within};
use gdl::{Limits, Unfinished, parse_within};

/// So many relations, as facts and as rules, in both forms.
fn huge(relations: usize) -> [String; 3] {
    [
        (0..relations).map(|at| format!("(r{at} a c{})\n", at % 1000)).collect(),
        (0..relations / 2).map(|at| format!("(<= (p{at} ?x) (q{at} ?x))\n")).collect(),
        (0..relations / 2).map(|at| format!("p{at}(X) :- q{at}(X)\n")).collect(),
    ]
}

#[test]
fn huge_rules_are_read() {
    // 8 MB.
    for text in huge(480_000) {
        let start = Instant::now();
        let parsed = parse_within(&text, &Limits::default()).expect("within the limits");
        assert!(parsed.problems.is_empty() && parsed.rules.clauses.len() >= 240_000);
        let problems = validate_within(&parsed.rules, &Limits::default()).expect("within the limits");
        // Below two seconds on an idle machine; work that grows with the square would take hours.
        assert!(start.elapsed() < Duration::from_secs(60), "took {:?}", start.elapsed());
        let warnings = problems.iter().filter(|problem| ["unused", "undefined"].contains(&problem.code));
        assert_eq!(warnings.count(), MOST_TOLD);
        assert_eq!(problems.last().expect("too many").code, "and-more");
        assert!(problems.iter().any(|problem| problem.code == "missing-goal"), "errors are told nevertheless");
    }
}

#[test]
fn stopped_at_once() {
    for text in huge(100_000) {
        let asked = Cell::new(0_u32);
        let all = Limits {
            stop: &|| {
                asked.set(asked.get() + 1);
                false
            },
            ..Limits::default()
        };
        let rules = parse_within(&text, &all).expect("nobody says stop").rules;
        let reading = asked.replace(0);
        validate_within(&rules, &all).expect("nobody says stop");
        let checking = asked.get();
        // Often enough: each time stands for a few milliseconds.
        assert!(reading > 50 && checking > 50, "{reading} and {checking}");
        // At any time: after the word nothing more is asked, so nothing more is done.
        for part in 0..4 {
            let stop_at = |last: u32| 1 + part * (last - 1) / 3;
            for (last, validates) in [(reading, false), (checking, true)] {
                asked.set(0);
                let stop = || {
                    asked.set(asked.get() + 1);
                    asked.get() >= stop_at(last)
                };
                let limits = Limits { stop: &stop, ..Limits::default() };
                let unfinished = match validates {
                    false => parse_within(&text, &limits).err(),
                    true => validate_within(&rules, &limits).err(),
                };
                assert_eq!(unfinished, Some(Unfinished::Stopped));
                assert_eq!(asked.get(), stop_at(last));
            }
        }
    }
}

#[test]
fn memory_is_limited() {
    for text in huge(100_000) {
        let within = |memory| Limits { memory, ..Limits::default() };
        let unfinished = parse_within(&text, &within(10_000_000)).expect_err("takes more");
        assert_eq!(unfinished, Unfinished::Memory { limit: 10_000_000 });
        assert!(unfinished.to_string().contains("more than 10 MB"), "{unfinished}");
        let rules = parse_within(&text, &Limits::default()).expect("within the limits").rules;
        assert!(validate_within(&rules, &within(5_000_000)).is_err());
        // What is small is not affected.
        assert!(parse_within("(role me)", &within(10_000)).is_ok());
    }
    let wide = format!("(p {})", "a ".repeat(2_000_000));
    assert!(parse_within(&wide, &Limits { memory: 50_000_000, ..Limits::default() }).is_err());
}
