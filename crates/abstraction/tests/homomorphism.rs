//! What carries over to smaller games, as the paper has it: paths of Chinese checkers for its first two abstractions, nothing of chess.

use abstraction::alone::{Goal, LookupSpec};
use abstraction::homomorphism::{Counterexample, Finding, Property, Settings, TestError, Verdict, duel, lone, men};
use abstraction::projection::{Duel, Lone, Men};
use game::Cancel;
use native::chess::Position;
use native::chinese::{ChineseCheckers, Graph, Win};
use table::chinese::Spec;

fn settings(transitions: usize) -> Settings {
    Settings { transitions, ..Settings::default() }
}

fn all(findings: &[Finding], property: Property) -> Vec<&Verdict> {
    findings.iter().filter(|finding| finding.property == property).map(|finding| &finding.verdict).collect()
}

fn refuted(findings: &[Finding], property: Property) -> &Counterexample {
    match all(findings, property)[..] {
        [Verdict::Refuted(example)] => example,
        ref other => panic!("{other:?}"),
    }
}

fn proved(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Proved { .. }) && verdict.upper_bound() == Some(0.0)
}

#[test]
fn pieces_against_pieces_keep_paths_and_not_steps() {
    let game = ChineseCheckers::new(9, 6, Win::Filled, Some(400)).unwrap();
    // Small enough to look at every position: 511,920 of them.
    let findings = duel(&game, &Duel::new(9, (1, 2), (1, 1)).unwrap(), &settings(2000)).unwrap();
    assert!(all(&findings, Property::Paths).into_iter().all(proved), "{findings:?}");
    let example = refuted(&findings, Property::Steps);
    assert!(
        example.position.contains("to move") && example.action.as_ref().unwrap().starts_with("(move "),
        "{example}"
    );
    assert!(example.to_string().contains("why "));
    refuted(&findings, Property::Goals);
    // Three against two: a path is made for every transition.
    let findings = duel(&game, &Duel::new(9, (4, 6), (5, 6)).unwrap(), &settings(2000)).unwrap();
    let paths = all(&findings, Property::Paths);
    assert!(proved(paths[0]), "{paths:?}");
    assert_eq!(paths[1], &Verdict::Seen { transitions: 2000 });
    assert_eq!(paths[1].upper_bound(), Some(0.0015));
}

#[test]
fn one_side_alone_keeps_paths_and_not_steps() {
    let game = ChineseCheckers::new(9, 6, Win::Filled, Some(400)).unwrap();
    for (player, numbers) in [(0, (1, 4)), (1, (3, 6)), (0, (1, 6))] {
        let projection = Lone::new(player, numbers, Spec::new(9, numbers.1 + 1 - numbers.0)).unwrap();
        let findings = lone(&game, &projection, &settings(2000)).unwrap();
        assert!(proved(all(&findings, Property::Paths)[0]), "{findings:?}");
        refuted(&findings, Property::Steps);
        // The other side may fill the rest of the corner.
        refuted(&findings, Property::Goals);
    }
}

#[test]
fn a_part_of_the_board_keeps_nothing() {
    let game = ChineseCheckers::new(9, 10, Win::Home, None).unwrap();
    let spec = LookupSpec { pieces: (1, 4), goal: Goal::Enter, weight: 1.0 };
    let projection = Lone::new(0, (1, 4), spec.table(9, 10).unwrap()).unwrap();
    let findings = lone(&game, &projection, &settings(2000)).unwrap();
    let example = refuted(&findings, Property::Paths);
    assert!(
        example.why.contains("not on this part") && example.image.is_some() && example.after.is_none(),
        "{example}"
    );
}

#[test]
fn goals_carry_over_where_they_can() {
    let game = ChineseCheckers::new(9, 6, Win::Home, None).unwrap();
    let corner = |goal| LookupSpec { pieces: (4, 6), goal, weight: 1.0 }.table(9, 6).unwrap();
    let goals = |spec| lone(&game, &Lone::new(1, (4, 6), spec).unwrap(), &settings(300)).unwrap();
    assert!(proved(all(&goals(corner(Goal::Corner)), Property::Goals)[0]));
    refuted(&goals(corner(Goal::Top)), Property::Goals);
    let foremost = duel(&game, &Duel::new(9, (1, 3), (1, 2)).unwrap(), &settings(300)).unwrap();
    assert!(proved(all(&foremost, Property::Goals)[0]));
    let rearmost = duel(&game, &Duel::new(9, (4, 6), (1, 2)).unwrap(), &settings(300)).unwrap();
    refuted(&rearmost, Property::Goals);
}

#[test]
fn the_position_itself_carries_over() {
    let game = ChineseCheckers::new(4, 1, Win::Filled, None).unwrap();
    let findings = duel(&game, &Duel::new(4, (1, 1), (1, 1)).unwrap(), &settings(500)).unwrap();
    assert!(findings.iter().all(|finding| proved(&finding.verdict)), "{findings:?}");
    let kings = Men::parse("KRK").unwrap();
    assert!(men(&kings, &kings, &settings(200)).unwrap().iter().all(|finding| proved(&finding.verdict)));
}

#[test]
fn chess_keeps_nothing() {
    for (whole, part) in
        [("KRPKR", "KRK"), ("KRPKR", "KRPK"), ("KRPKR", "KPK"), ("KRPPKBN", "KRPKN"), ("KQPKRBPP", "KQKRP")]
    {
        let [all_men, kept] = [whole, part].map(|text| Men::parse(text).unwrap());
        let findings = men(&all_men, &kept, &settings(10_000)).unwrap();
        for property in [Property::Steps, Property::Paths, Property::Goals] {
            let example = refuted(&findings, property);
            // What is told is true: the move is one of the position.
            let position = Position::from_fen(&example.position).unwrap();
            if let Some(action) = &example.action {
                assert!(position.legal().iter().any(|step| position.san(step) == *action), "{example}");
            }
        }
    }
}

#[test]
fn a_seed_tells_the_same_again() {
    let game = ChineseCheckers::new(7, 3, Win::Filled, None).unwrap();
    let projection = Duel::new(7, (1, 2), (1, 2)).unwrap();
    let run = |seed| duel(&game, &projection, &Settings { seed, complete: 0, ..settings(300) }).unwrap();
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}

#[test]
fn what_does_not_fit_is_refused() {
    let game = ChineseCheckers::new(7, 3, Win::Filled, None).unwrap();
    let unfit =
        |result: Result<Vec<Finding>, TestError>| assert!(matches!(result, Err(TestError::Unfit(_))), "{result:?}");
    unfit(duel(&game, &Duel::new(7, (1, 4), (1, 1)).unwrap(), &settings(10)));
    unfit(duel(&game, &Duel::new(6, (1, 1), (1, 1)).unwrap(), &settings(10)));
    unfit(lone(&game, &Lone::new(0, (3, 4), Spec::new(7, 2)).unwrap(), &settings(10)));
    unfit(men(&Men::parse("KRK").unwrap(), &Men::parse("KQK").unwrap(), &settings(10)));
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = duel(&game, &Duel::new(7, (1, 1), (1, 1)).unwrap(), &Settings { cancel, ..settings(10) });
    assert_eq!(stopped, Err(TestError::Cancelled));
}

/// A chain of jumps over pieces that are not kept is a counterexample to steps, and the pieces can walk instead.
#[test]
fn steps_fail_as_the_counterexample_says() {
    let game = ChineseCheckers::new(9, 6, Win::Filled, None).unwrap();
    let findings = duel(&game, &Duel::new(9, (1, 3), (1, 2)).unwrap(), &settings(2000)).unwrap();
    let example = refuted(&findings, Property::Steps);
    let cells = |text: &str, name: &str| {
        let part = text.split("; ").find_map(|part| part.strip_prefix(name)).unwrap().trim();
        part.split(' ').fold(0u128, |set, cell| {
            let (row, column) = cell.split_once(',').unwrap();
            set | 1 << (row.parse::<usize>().unwrap() * 9 + column.parse::<usize>().unwrap())
        })
    };
    let (before, after) = (example.image.as_ref().unwrap(), example.after.as_ref().unwrap());
    let mover = if before.ends_with("red to move") { "red" } else { "blue" };
    let other = if mover == "red" { "blue" } else { "red" };
    let graph = Graph::diamond(9).unwrap();
    let mut reached = false;
    graph.successors(cells(before, mover), cells(before, other), |_, _, next| reached |= next == cells(after, mover));
    assert!(!reached && cells(before, other) == cells(after, other), "{example}");
}
