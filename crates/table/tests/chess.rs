//! Chess tables against independent counts, against themselves, and against hand-picked positions.

use native::chess::{Colour, Position};
use proptest::prelude::*;
use std::sync::OnceLock;
use table::chess::{
    BuildError, Counts, Index, Material, Metric, Outcome, ProbeError, Tables, build, build_all, count, file_name,
    memory, misstated, open, save, statistics, verify,
};
use table::file::{About, Form};

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
    TABLES.get_or_init(|| built(&["KQKR", "KBNK", "KPKP"], Metric::Mate))
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

/// One line of the independent counts: won, drawn, lost, and positions by plies.
fn truth(line: &str) -> Option<(Material, Colour, [u64; 3], Vec<u64>)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [men, side, won, drawn, lost, histogram @ ..] = &words[..] else { return None };
    let turn = if *side == "w" { Colour::White } else { Colour::Black };
    let mut plies = Vec::new();
    for pair in histogram {
        let (distance, positions) = pair.split_once(':')?;
        let distance: usize = distance.parse().ok()?;
        plies.resize(plies.len().max(distance + 1), 0);
        plies[distance] = positions.parse().ok()?;
    }
    let counts = [won.parse().ok()?, drawn.parse().ok()?, lost.parse().ok()?];
    Some((Material::parse(men).ok()?, turn, counts, plies))
}

#[test]
fn counts_equal_the_independent_ones() {
    let mut compared = 0;
    for line in include_str!("known/chess.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (material, turn, counts, plies) = truth(line).expect(line);
        let found = count(tables().get(material, Metric::Mate).expect(line), turn).unwrap();
        assert_eq!(found.plies(), plies, "{material} {}", turn.name());
        assert_eq!([found.won, found.drawn, found.lost], counts, "{material}");
        compared += 1;
    }
    assert_eq!(compared, 10);
}

/// King and rook against king by moves, as published with the UCI data set (S5.8).
#[test]
fn rook_ending_by_moves() {
    let counts = count(tables().get(material("KRK"), Metric::Mate).unwrap(), Colour::Black).unwrap();
    let published = [27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390];
    assert_eq!(counts.losses.iter().step_by(2).copied().collect::<Vec<_>>(), published);
    assert_eq!((counts.drawn, counts.legal()), (2796, 28056));
}

#[test]
fn tables_follow_from_themselves() {
    for name in ["KRK", "KPK", "KQKR", "KPKP"] {
        let table = tables().get(material(name), Metric::Mate).unwrap();
        assert_eq!(verify(table, tables(), &|_| true), Ok(None), "{name}");
    }
}

#[test]
fn a_changed_entry_is_noticed() {
    let mut tables = built(&["KRK"], Metric::Mate);
    let mut table = tables.remove(material("KRK"), Metric::Mate).unwrap();
    for (turn, number) in [(Colour::White, 0), (Colour::Black, 777), (Colour::White, table.index().len() - 1)] {
        let old = table.get(turn, number).unwrap();
        table.set(turn, number, Outcome::Loss(if old == Outcome::Loss(30) { 32 } else { 30 }));
        assert!(verify(&table, &tables, &|_| true).unwrap().is_some(), "{number}");
        table.set(turn, number, old);
    }
    assert_eq!(verify(&table, &tables, &|_| true), Ok(None));
}

#[test]
fn either_colour_may_be_the_stronger() {
    for (fen, outcome) in [
        ("8/8/8/3k4/8/8/1R6/K7 w - -", Outcome::Win(31)),
        ("k7/1r6/8/8/3K4/8/8/8 b - -", Outcome::Win(31)),
        ("Q7/8/8/8/8/1k1r4/8/K7 w - -", Outcome::Win(69)),
        ("k7/8/1K1R4/8/8/8/8/q7 b - -", Outcome::Win(69)),
        ("7k/8/5KQ1/8/8/8/8/8 b - -", Outcome::Draw),
        ("8/8/8/8/8/8/2k5/K7 w - -", Outcome::Draw),
    ] {
        assert_eq!(tables().probe(&position(fen), Metric::Mate).unwrap(), outcome, "{fen}");
    }
}

/// The whole line has the length that the table promises, and ends in mate.
#[test]
fn lines_end_in_mate() {
    for fen in ["8/8/8/3k4/8/8/1R6/K7 w - -", "Q7/8/8/8/8/1k1r4/8/K7 w - -", "7k/8/8/8/pP6/8/8/7K b - b3"] {
        let mut now = position(fen);
        let plies = tables().probe(&now, Metric::Mate).unwrap().plies().unwrap();
        let line = tables().line(&now, Metric::Mate).unwrap();
        assert_eq!(line.len(), usize::from(plies), "{fen}");
        for step in &line {
            now = now.after(step);
        }
        assert!(now.checkmate(), "{fen}");
    }
}

/// The right to take en passant changes the value, both where it wins and where it is the only move.
#[test]
fn en_passant_is_exact() {
    let (mut different, mut turned) = (0, 0);
    for file in 0..8u8 {
        for side in [-1i8, 1] {
            let Some(beside) = file.checked_add_signed(side).filter(|&f| f < 8) else { continue };
            for kings in 0..4096u16 {
                let (white, black) = ((kings & 63) as u8, (kings >> 6) as u8);
                let mut now = Position::empty(Colour::Black);
                now.men[0][5] = 1 << (24 + file);
                now.men[1][5] = 1 << (24 + beside);
                now.men[0][0] = 1 << white;
                now.men[1][0] = 1 << black;
                now.passed = Some(16 + file);
                let free = now.occupied() & (1 << (16 + file) | 1 << (8 + file)) == 0;
                if now.count() < 4 || !free || now.broken() || now.in_check(Colour::White) {
                    continue;
                }
                // The definition: the best of all moves, en passant among them.
                let choices = tables().choices(&now, Metric::Mate).unwrap();
                let value = tables().probe(&now, Metric::Mate).unwrap();
                if let Some(best) = choices.first() {
                    assert_eq!(best.outcome, value, "{}", now.fen());
                }
                let without = tables().probe(&Position { passed: None, ..now }, Metric::Mate).unwrap();
                different += usize::from(value != without);
                turned += usize::from(matches!((value, without), (Outcome::Win(_), Outcome::Loss(_))));
            }
        }
    }
    assert!(different > 1000 && turned > 100, "only {different} and {turned}");
}

#[test]
fn conversion_is_never_longer_than_mate() {
    let other = built(&["KQKR", "KPK"], Metric::Conversion);
    for name in ["KQKR", "KPK"] {
        let (mate, conversion) = (
            tables().get(material(name), Metric::Mate).unwrap(),
            other.get(material(name), Metric::Conversion).unwrap(),
        );
        assert_eq!(verify(conversion, &other, &|_| true), Ok(None));
        let mut shorter = 0;
        for turn in Colour::BOTH {
            for number in 0..mate.index().len() {
                let outcomes = (mate.get(turn, number).unwrap(), conversion.get(turn, number).unwrap());
                let (a, b) = match outcomes {
                    (Outcome::Win(a), Outcome::Win(b)) | (Outcome::Loss(a), Outcome::Loss(b)) => (a, b),
                    (a, b) => {
                        assert_eq!((a, b), (Outcome::Draw, Outcome::Draw), "{name} {number}");
                        continue;
                    }
                };
                assert!(b <= a, "{name} {number}");
                shorter += usize::from(b < a);
            }
        }
        assert!(shorter > 1000, "{name}");
    }
    // The queen takes the rook at once.
    let takes = position("7k/8/8/1r1Q4/8/8/8/K7 w - -");
    assert_eq!(other.probe(&takes, Metric::Conversion).unwrap(), Outcome::Win(1));
    assert_eq!(other.line(&takes, Metric::Conversion).unwrap().len(), 1);
    let longest = statistics(other.get(material("KQKR"), Metric::Conversion).unwrap()).unwrap().longest.unwrap();
    assert_eq!(longest.0, Outcome::Loss(62));
}

#[test]
fn missing_tables_and_stops_are_errors() {
    let none = Tables::new();
    let missing = build(material("KQKR"), Metric::Mate, &none, &mut |_| true).unwrap_err();
    assert!(matches!(missing, BuildError::Missing(_)), "{missing}");
    assert_eq!(build(material("KRK"), Metric::Mate, &none, &mut |_| false).unwrap_err(), BuildError::Stopped);
    let probe = none.probe(&position("8/8/8/3k4/8/8/1R6/K7 w - -"), Metric::Mate).unwrap_err();
    assert_eq!(probe, ProbeError::Missing(material("KRK"), Metric::Mate));
    assert!(probe.to_string().contains("build it"));
    let many = position("8/8/8/3k4/8/8/1RRRR3/K7 b - -");
    assert!(none.probe(&many, Metric::Mate).unwrap_err().to_string().contains("up to 5"));
    assert!(memory(material("KQRKR")) < 1 << 30);
}

#[test]
fn tables_are_built_upon_files() {
    let folder = std::env::temp_dir().join(format!("ludens-chess-upon-{}", std::process::id()));
    let mut files = Tables::new();
    for name in ["KQK", "KRK"] {
        let table = tables().get(material(name), Metric::Mate).unwrap();
        let path = folder.join(file_name(material(name), Metric::Mate));
        save(table, &statistics(table).unwrap(), &path, Form::Raw).unwrap();
        files.add_file(path, material(name), Metric::Mate);
    }
    let kqkr = material("KQKR");
    let (built, known) = (build(kqkr, Metric::Mate, &files, &mut |_| true).unwrap(), tables().get(kqkr, Metric::Mate));
    let same = |turn, number| built.get(turn, number).unwrap() == known.unwrap().get(turn, number).unwrap();
    assert!(Colour::BOTH.iter().all(|&turn| (0..built.index().len()).all(|number| same(turn, number))));
    // A file that is damaged is an error, not a wrong table.
    let path = folder.join(file_name(material("KRK"), Metric::Mate));
    let mut bytes = std::fs::read(&path).unwrap();
    // Who has taken waits: the second half, with the bare king to move, is asked.
    bytes[56 + Index::new(material("KRK")).len() as usize + 1000] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    files.add_file(path, material("KRK"), Metric::Mate);
    let error = build(kqkr, Metric::Mate, &files, &mut |_| true).unwrap_err();
    assert!(matches!(&error, BuildError::File(why) if why.contains("damaged")), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn files_hold_what_was_built() {
    let folder = std::env::temp_dir().join(format!("ludens-chess-{}", std::process::id()));
    let (krk, metric) = (material("KRK"), Metric::Mate);
    let table = tables().get(krk, metric).unwrap();
    for form in [Form::Raw, Form::Compressed, Form::Small] {
        let path = folder.join(file_name(krk, metric));
        save(table, &statistics(table).unwrap(), &path, form).unwrap();
        let opened = open(&path, krk, metric).unwrap();
        for turn in Colour::BOTH {
            assert!(
                (0..table.index().len())
                    .all(|number| opened.get(turn, number).unwrap() == table.get(turn, number).unwrap())
            );
        }
        let About::Chess(summary) = &opened.file().unwrap().header().about else { panic!("another kind of table") };
        assert_eq!(summary.black.drawn, 2796);
        let loaded = opened.load().unwrap();
        assert_eq!(verify(&loaded, tables(), &|_| true), Ok(None));
        assert!(open(&path, krk, Metric::Conversion).is_err());
        assert!(open(&path, material("KQK"), metric).is_err());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn damage_is_noticed_when_it_is_asked() {
    let folder = std::env::temp_dir().join(format!("ludens-chess-damage-{}", std::process::id()));
    let (krk, metric) = (material("KRK"), Metric::Mate);
    let table = tables().get(krk, metric).unwrap();
    let path = folder.join(file_name(krk, metric));
    save(table, &statistics(table).unwrap(), &path, Form::Raw).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let at = position("8/8/8/3k4/8/8/1R6/K7 w - -");
    let number = table.index().rank(&table.index().place(&at)).unwrap() as usize;
    let opened = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let mut tables = Tables::new();
        tables.add(open(&path, krk, metric).unwrap());
        tables
    };
    assert_eq!(opened(&whole).line(&at, metric).unwrap().len(), 31);
    let mut bytes = whole.clone();
    bytes[56 + number] ^= 2;
    let tables = opened(&bytes);
    let damaged = |result: Result<(), ProbeError>| assert!(matches!(result, Err(ProbeError::Damaged(_))), "{result:?}");
    damaged(tables.probe(&at, metric).map(drop));
    damaged(tables.line(&at, metric).map(drop));
    // The side to move has a block of its own, which is whole.
    tables.probe(&position("8/8/8/3k4/8/8/1R6/K7 b - -"), metric).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn tables_that_contradict_themselves_have_no_line() {
    let mut tables = built(&["KRK"], Metric::Mate);
    let mut table = tables.remove(material("KRK"), Metric::Mate).unwrap();
    let at = position("8/8/8/3k4/8/8/1R6/K7 w - -");
    let number = table.index().rank(&table.index().place(&at)).unwrap();
    for outcome in [Outcome::Win(5), Outcome::Win(33), Outcome::Loss(30)] {
        table.set(Colour::White, number, outcome);
        tables.add(table);
        let error = tables.line(&at, Metric::Mate).unwrap_err();
        assert!(matches!(error, ProbeError::Wrong(..)) && error.to_string().contains("verify KRK"), "{error}");
        table = tables.remove(material("KRK"), Metric::Mate).unwrap();
    }
}

#[test]
fn statistics_are_what_the_entries_say() {
    let folder = std::env::temp_dir().join(format!("ludens-chess-statistics-{}", std::process::id()));
    let (kpkp, metric) = (material("KPKP"), Metric::Mate);
    let table = tables().get(kpkp, metric).unwrap();
    let path = folder.join(file_name(kpkp, metric));
    let mut counted = statistics(table).unwrap();
    // Both sides win, and equally long.
    let [white, black] = counted.wins.clone().map(|win| win.unwrap().0);
    assert_eq!((white, Some(white)), (black, counted.longest.clone().unwrap().0.plies()));
    let [white, black] = statistics(tables().get(material("KBNK"), metric).unwrap()).unwrap().wins;
    assert!(white.is_some() && black.is_none());
    save(table, &counted, &path, Form::Compressed).unwrap();
    assert_eq!(misstated(&open(&path, kpkp, metric).unwrap()).unwrap(), None);
    counted.sides[1].drawn += 1;
    save(table, &counted, &path, Form::Compressed).unwrap();
    assert!(misstated(&open(&path, kpkp, metric).unwrap()).unwrap().unwrap().contains("black to move"));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Equal counts for both sides of an even ending, seen from the other side.
#[test]
fn even_endings_are_even() {
    let table = tables().get(material("KPKP"), Metric::Mate).unwrap();
    let [white, black]: [Counts; 2] = Colour::BOTH.map(|turn| count(table, turn).unwrap());
    assert_eq!((white.plies(), white.drawn), (black.plies(), black.drawn));
}

proptest! {
    #[test]
    fn ranks_are_inverse(pick in 0usize..145, number in any::<u64>()) {
        let all: Vec<Material> = (3..=5).flat_map(Material::all).collect();
        let index = Index::new(all[pick]);
        let number = number % index.len();
        let placement = index.unrank(number);
        prop_assert_eq!(index.rank(&placement), Some(number));
        let position = index.position(&placement, Colour::White);
        prop_assert_eq!(position.count() as usize, all[pick].count());
        prop_assert_eq!(index.rank(&index.place(&position)), Some(number));
    }
}
