//! Distances to zeroing: against tables that others made, against themselves, and under the clock; and what can be found in tables.

use native::chess::{Colour, Position};
use std::sync::OnceLock;
use table::chess::{
    Filter, Material, Metric, Outcome, Quest, Ruling, Table, Tables, build_all, file_name, find, misstated, open, save,
    statistics, verify,
};
use table::file::Form;

fn material(name: &str) -> Material {
    Material::parse(name).unwrap()
}

fn built(names: &[&str], metric: Metric) -> Tables {
    let mut tables = Tables::new();
    for name in names {
        build_all(material(name), metric, &mut tables, &mut |_, _| true).unwrap();
    }
    tables
}

/// The tables that most tests look at, built once.
fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| built(&["KPK", "KPKP", "KBNK"], Metric::Zeroing))
}

fn table(name: &str) -> &'static Table {
    tables().get(material(name), Metric::Zeroing).unwrap()
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

#[test]
fn what_others_say() {
    let mut compared = 0;
    for line in include_str!("known/zeroing.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [fen, result, distance] = line.split(';').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (result, distance): (i8, i16) = (result.parse().unwrap(), distance.parse().unwrap());
        let outcome = tables().probe(&position(fen), Metric::Zeroing).unwrap();
        let (ours, plies) = match outcome {
            Outcome::Win(plies) => (2, i16::from(plies)),
            Outcome::Draw => (0, 0),
            Outcome::Loss(plies) => (-2, i16::from(plies)),
        };
        assert_eq!(ours, result, "{line}");
        assert!((0..=1).contains(&(plies - distance.abs())), "{line}: {outcome}");
        compared += 1;
    }
    assert_eq!(compared, 150);
}

#[test]
fn tables_follow_from_themselves() {
    for name in ["KRK", "KPK", "KPKP"] {
        assert_eq!(verify(table(name), tables(), &|_| true), Ok(None), "{name}");
    }
}

#[test]
fn who_wins_is_the_same_as_counting_to_mate() {
    let mate = built(&["KPK"], Metric::Mate);
    let (mate, zeroing) = (mate.get(material("KPK"), Metric::Mate).unwrap(), table("KPK"));
    let mut even = 0;
    for turn in Colour::BOTH {
        for number in 0..mate.index().len() {
            match (mate.get(turn, number).unwrap(), zeroing.get(turn, number).unwrap()) {
                (Outcome::Win(far), Outcome::Win(near)) | (Outcome::Loss(far), Outcome::Loss(near)) => {
                    assert!(near <= far, "{number}");
                    even += usize::from(near % 2 != far % 2);
                }
                (a, b) => assert_eq!((a, b), (Outcome::Draw, Outcome::Draw), "{number}"),
            }
        }
    }
    // Only white has a pawn, so whoever is lost never zeroes: the king may take nothing that keeps the loss.
    assert_eq!(even, 0);
}

/// The longest distances of these endings are known: 66 plies to mate with bishop and knight, 20 until the pawn moves.
#[test]
fn longest_distances() {
    let longest = |name: &str| statistics(table(name)).unwrap().wins[0].as_ref().unwrap().0;
    assert_eq!((longest("KBNK"), longest("KPK"), longest("KQKR"), longest("KRKN")), (66, 20, 62, 54));
}

#[test]
fn the_clock_counts() {
    let at = |clock: u16| position(&format!("8/8/8/k7/8/K7/6P1/8 b - - {clock} 1"));
    let outcome = tables().probe(&at(0), Metric::Zeroing).unwrap();
    assert_eq!(outcome, Outcome::Loss(20));
    for (clock, ruling) in
        [(0, Ruling::Loss), (80, Ruling::Loss), (81, Ruling::BlessedLoss), (u16::MAX, Ruling::BlessedLoss)]
    {
        assert_eq!(outcome.ruling(at(clock).quiet), ruling, "{clock}");
    }
    for (outcome, ruling) in [
        (Outcome::Win(100), Ruling::Win),
        (Outcome::Win(101), Ruling::CursedWin),
        (Outcome::Loss(101), Ruling::BlessedLoss),
        (Outcome::Loss(0), Ruling::Loss),
        (Outcome::Draw, Ruling::Draw),
    ] {
        assert_eq!(outcome.ruling(0), ruling);
    }
    // Mate ends the game before the clock does.
    assert_eq!(Outcome::Loss(0).ruling(100), Ruling::Loss);
}

#[test]
fn lines_go_on_to_mate() {
    for fen in ["8/8/8/8/8/8/1P6/K1k5 w - -", "7k/8/8/8/pP6/8/8/7K b - b3"] {
        let mut now = position(fen);
        let line = tables().line(&now, Metric::Zeroing).unwrap();
        for step in &line {
            now = now.after(step);
        }
        assert!(now.checkmate(), "{fen}: {}", now.fen());
    }
}

#[test]
fn files_keep_the_border_between_wins_and_losses() {
    let folder = std::env::temp_dir().join(format!("ludens-zeroing-{}", std::process::id()));
    let (men, metric) = (material("KPKP"), Metric::Zeroing);
    for form in [Form::Raw, Form::Compressed] {
        let path = folder.join(file_name(men, metric));
        save(table("KPKP"), &statistics(table("KPKP")).unwrap(), &path, form).unwrap();
        let opened = open(&path, men, metric).unwrap();
        assert_eq!(misstated(&opened).unwrap(), None);
        let loaded = opened.load().unwrap();
        let index = loaded.index();
        for turn in Colour::BOTH {
            for number in (0..index.len()).filter(|&number| !index.position(&index.unrank(number), turn).broken()) {
                assert_eq!(loaded.get(turn, number).unwrap(), table("KPKP").get(turn, number).unwrap());
            }
        }
        assert!(open(&path, men, Metric::Mate).is_err());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

fn count(name: &str, quest: Quest, filter: Filter) -> u64 {
    let found = find(table(name), tables(), quest, &filter, 3, &|_, _| true).unwrap();
    assert!(found.first.len() as u64 == found.count.min(3) && !found.stopped);
    found.count
}

/// Counted with python-chess and the Syzygy tables, position by position: 80 mutual zugzwangs, and 11,815 positions with several moves of
/// which one keeps what the position is worth.
#[test]
fn zugzwangs_and_only_moves_of_the_pawn_ending() {
    assert_eq!(count("KPK", Quest::Zugzwang, Filter::default()), 80);
    assert_eq!(count("KPK", Quest::OnlyMove, Filter::default()), 11_815);
    let wins = Filter { ruling: Some(Ruling::Win), ..Filter::default() };
    let draws = Filter { ruling: Some(Ruling::Draw), ..Filter::default() };
    assert_eq!(count("KPK", Quest::OnlyMove, wins) + count("KPK", Quest::OnlyMove, draws), 11_815);
}

#[test]
fn what_is_found_is_what_was_counted() {
    let statistics = statistics(table("KBNK")).unwrap();
    let [white, black] = &statistics.sides;
    let of = |turn: Colour| Filter { turn: Some(turn), ..Filter::default() };
    for plies in [1u8, 31, 65, 66] {
        let distance = Quest::Distance(plies);
        let counted = |losses: &[u64]| losses.get(usize::from(plies)).copied().unwrap_or(0);
        assert_eq!(count("KBNK", distance, of(Colour::White)), counted(&white.wins), "{plies}");
        assert_eq!(count("KBNK", distance, of(Colour::Black)), counted(&black.losses), "{plies}");
    }
    assert_eq!(count("KBNK", Quest::Longest, Filter::default()), black.losses[66]);
    assert_eq!(count("KBNK", Quest::Longest, of(Colour::White)), white.wins[65]);
    assert_eq!(count("KBNK", Quest::Any, of(Colour::Black)), black.legal());
    let black_wins = Filter { winner: Some(Colour::Black), ..Filter::default() };
    assert_eq!(count("KBNK", Quest::Longest, black_wins), 0);
}

#[test]
fn a_search_can_be_stopped() {
    let found = find(table("KBNK"), tables(), Quest::Any, &Filter::default(), 5, &|_, _| false).unwrap();
    assert!(found.stopped && found.count > 0, "what was found so far is told");
}
