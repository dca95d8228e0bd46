//! The engine from outside: mates, tables, repetition, several lines, limits, and what lookups say.

use chess::{Engine, Force, Judge, Limits, Score, Settings};
use game::random::Rng;
use native::chess::{Position, Sheet, Step};
use search::duel;
use std::sync::{Arc, LazyLock};
use table::chess::{Material, Metric, Outcome, Tables, build_all, save, statistics};
use table::file::Form;

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

/// The tables of three men, and KBNK.
static TABLES: LazyLock<Arc<Tables>> = LazyLock::new(|| {
    let mut tables = Tables::new();
    for name in ["KPK", "KBNK"] {
        build_all(Material::parse(name).unwrap(), Metric::Mate, &mut tables, &mut |_, _| true).unwrap();
    }
    Arc::new(tables)
});

fn engine(tables: bool) -> Engine {
    let search = duel::Settings { memory: 4 << 20, ..duel::Settings::default() };
    Engine::new(Settings { search, ..Settings::default() }, tables.then(|| Arc::clone(&TABLES)))
}

/// A few that everybody knows, wherever the tests run: a rook, Morphy's problem, a smothered mate.
#[test]
fn known_mates_in_two_are_found() {
    for (fen, keys) in [
        ("7k/8/5K2/8/8/8/8/1R6 w - -", &["f6f7", "f6g6"][..]),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - -", &["a1a6"]),
        ("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -", &["c4g8"]),
    ] {
        let mut engine = engine(false);
        engine.set_position(position(fen), &[]);
        let best = engine.search(&Limits { mate: Some(2), depth: Some(6), ..Limits::default() }, &mut |_| {});
        assert_eq!(best.lines[0].score, Score::Mate(2), "{fen}");
        let step = best.mv.unwrap().uci();
        assert!(keys.contains(&&step[..]), "{fen}: {step}");
    }
}

#[test]
fn mates_in_two_are_found() {
    let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/exam/chess-mate-in-2.jsonl"));
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("skipped: {} is not there, so its mates in two are not looked for", path.display());
        return;
    };
    let mut count = 0;
    for line in text.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let strings = |name: &str| -> Vec<String> {
            case[name].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_string()).collect()
        };
        let start = Sheet::Chess.read(&strings("facts")).unwrap();
        for settings in [duel::Settings::default(), duel::Settings::plain()] {
            let search = duel::Settings { memory: 4 << 20, ..settings };
            let mut engine = Engine::new(Settings { search, ..Settings::default() }, None);
            engine.set_position(start, &[]);
            let best = engine.search(&Limits { mate: Some(2), depth: Some(6), ..Limits::default() }, &mut |_| {});
            assert_eq!(best.lines[0].score, Score::Mate(2), "{}", start.fen());
            let step = best.mv.unwrap();
            let name = |square: u8| format!("{} {}", (b'a' + square % 8) as char, square / 8 + 1);
            let squares = format!("{} {})", name(step.from), name(step.to));
            assert!(strings("keep").iter().any(|text| text.ends_with(&squares)), "{} {}", start.fen(), step.uci());
        }
        count += 1;
    }
    assert!(count > 0);
}

/// Random positions of some men, won or lost by the tables.
fn decided(men: &str, count: usize, seed: u64) -> Vec<Position> {
    let table = TABLES.get(Material::parse(men).unwrap(), Metric::Mate).unwrap();
    let mut rng = Rng::new(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let number = rng.below(table.index().len() as usize) as u64;
        let position = table.index().position(&table.index().unrank(number), native::chess::Colour::White);
        let is_won = || matches!(TABLES.probe(&position, Metric::Mate), Ok(Outcome::Win(_)));
        if position.fault().is_none() && is_won() {
            found.push(position);
        }
    }
    found
}

/// The engine mates from every won position in as many moves as the tables say, against the longest defence.
#[test]
fn won_endings_are_won() {
    for men in ["KQK", "KRK", "KPK", "KBNK"] {
        for start in decided(men, 250, 7) {
            let Ok(Outcome::Win(plies)) = TABLES.probe(&start, Metric::Mate) else { unreachable!("it is won") };
            let (mut engine, mut moves, mut at): (_, Vec<Step>, _) = (engine(true), Vec::new(), start);
            while at.can_move() {
                let step = if at.turn == start.turn {
                    engine.set_position(start, &moves);
                    engine.search(&Limits { depth: Some(2), ..Limits::default() }, &mut |_| {}).mv.unwrap()
                } else {
                    TABLES.choices(&at, Metric::Mate).unwrap()[0].step
                };
                at = at.after(&step);
                moves.push(step);
            }
            assert!(at.checkmate() && moves.len() == usize::from(plies), "{}: {plies}", start.fen());
        }
    }
}

#[test]
fn a_table_is_shown_with_its_line() {
    let mut engine = engine(true);
    engine.set_position(position("8/8/8/3k4/8/8/1R6/K7 w - -"), &[]);
    let best = engine.search(&Limits { depth: Some(3), ..Limits::default() }, &mut |_| {});
    assert_eq!((best.lines[0].score, best.lines[0].moves.len()), (Score::Mate(16), 31));
    assert!(best.ponder.is_some() && best.lines[0].table_hits > 0);
    // A drawn position is worth nothing, and the move keeps it.
    engine.set_position(position("8/8/8/8/8/k7/p7/K7 b - -"), &[]);
    let best = engine.search(&Limits { depth: Some(5), ..Limits::default() }, &mut |_| {});
    assert_eq!(best.lines[0].score, Score::Centipawns(0));
}

/// What is read of tables keeps to the limit, and where it is far too small for them the moves are the same.
#[test]
fn table_memory_keeps_to_its_limit() {
    const LIMIT: usize = 1 << 20;
    let folder = std::env::temp_dir().join(format!("ludens-engine-memory-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (mut limited, mut bytes) = (Tables::within(LIMIT), 0);
    for (material, metric) in TABLES.materials() {
        let (table, path) = (TABLES.get(material, metric).unwrap(), folder.join(material.to_string()));
        save(table, &statistics(table).unwrap(), &path, Form::Compressed).unwrap();
        limited.add_file(path, material, metric);
        bytes += 2 * table.index().len();
    }
    assert!(bytes > 2 * LIMIT as u64, "{bytes}: what is asked for does not fit");
    let limited = Arc::new(limited);
    let search = duel::Settings { memory: 4 << 20, ..duel::Settings::default() };
    let mut tight = Engine::new(Settings { search, ..Settings::default() }, Some(Arc::clone(&limited)));
    let mut free = engine(true);
    let mut most = 0;
    for start in decided("KBNK", 100, 3) {
        let moves = [&mut tight, &mut free].map(|engine| {
            engine.new_game();
            engine.set_position(start, &[]);
            engine.search(&Limits { depth: Some(3), ..Limits::default() }, &mut |_| {}).mv.unwrap().uci()
        });
        assert_eq!(moves[0], moves[1], "{}", start.fen());
        let held = limited.held().unwrap();
        // Room that a block has grown into may be a little more than the block.
        assert!(held <= LIMIT + LIMIT / 8, "{held}");
        most = most.max(held);
    }
    assert!(most > LIMIT / 2, "{most}: the limit was never near");
    std::fs::remove_dir_all(folder).unwrap();
}

/// The clock is looked at every thousand nodes or so, also where many of them are known without a search.
#[test]
fn the_clock_is_looked_at_where_much_is_known() {
    let looks = std::sync::atomic::AtomicU64::new(0);
    let spent = || {
        looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        0.0
    };
    let mut engine = engine(false);
    // There is nothing to take, and after three plies the game is drawn: nineteen of twenty nodes are known.
    let fen = "8/8/8/1k6/8/8/5RR1/5RK1 w - - 97 80";
    engine.set_position(position(fen), &[]);
    let best = engine.search(&Limits { nodes: Some(300_000), spent: &spent, ..Limits::default() }, &mut |_| {});
    let (looks, nodes) = (looks.into_inner(), best.lines[0].nodes);
    assert!(nodes > 50_000 && looks >= nodes / 1100, "{looks} looks in {nodes} nodes");
}

#[test]
fn draws_by_repetition_and_by_the_clock() {
    let mut engine = engine(false);
    // A rook behind and about to be mated, white checks for ever on e8 and h5.
    engine.set_position(position("6k1/6p1/8/7Q/8/8/rq6/7K w - - 0 1"), &[]);
    let best = engine.search(&Limits { depth: Some(8), ..Limits::default() }, &mut |_| {});
    assert_eq!(best.lines[0].score, Score::Centipawns(0));
    // One ply before the clock ends the game nothing wins any more, but mate does.
    engine.set_position(position("7k/8/8/8/8/8/8/KQ6 w - - 99 1"), &[]);
    let best = engine.search(&Limits { depth: Some(4), ..Limits::default() }, &mut |_| {});
    assert_eq!(best.lines[0].score, Score::Centipawns(0));
    engine.set_position(position("7k/8/6K1/8/8/8/8/1Q6 w - - 99 1"), &[]);
    let best = engine.search(&Limits { depth: Some(4), ..Limits::default() }, &mut |_| {});
    assert_eq!(best.lines[0].score, Score::Mate(1));
}

#[test]
fn lines_restrictions_and_ends() {
    let mut engine = engine(false);
    engine.set_position(Position::start(), &[]);
    let mut heard = Vec::new();
    let best = engine.search(&Limits { depth: Some(4), lines: 3, ..Limits::default() }, &mut |info| {
        heard.push((info.depth, info.line));
    });
    assert_eq!(heard, (1..=4).flat_map(|depth| [(depth, 1), (depth, 2), (depth, 3)]).collect::<Vec<_>>());
    let mut first: Vec<String> = best.lines.iter().map(|info| info.moves[0].uci()).collect();
    first.sort();
    first.dedup();
    assert_eq!(first.len(), 3);
    let only: Vec<Step> = ["a2a3", "h2h4"].map(|text| Position::start().read_uci(text).unwrap()).into();
    let best = engine.search(&Limits { depth: Some(3), only: only.clone(), ..Limits::default() }, &mut |_| {});
    assert!(only.contains(&best.mv.unwrap()));
    for (fen, score) in
        [("7k/5Q2/6K1/8/8/8/8/8 b - -", Score::Centipawns(0)), ("R6k/8/6K1/8/8/8/8/8 b - -", Score::Mate(0))]
    {
        engine.set_position(position(fen), &[]);
        let best = engine.search(&Limits { depth: Some(3), ..Limits::default() }, &mut |_| {});
        assert_eq!((best.mv, best.lines[0].score), (None, score));
    }
}

#[test]
fn the_same_nodes_give_the_same_answer_and_time_ends_it() {
    let run = |threads: usize| {
        let search = duel::Settings { memory: 4 << 20, threads, ..duel::Settings::default() };
        let mut engine = Engine::new(Settings { search, ..Settings::default() }, None);
        engine.set_position(position("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -"), &[]);
        engine.search(&Limits { nodes: Some(20_000), ..Limits::default() }, &mut |_| {})
    };
    assert_eq!(run(1), run(1));
    assert_eq!(run(1), run(2));
    let search = duel::Settings { memory: 4 << 20, threads: 2, ..duel::Settings::default() };
    let mut engine = Engine::new(Settings { search, ..Settings::default() }, None);
    let asked = std::sync::atomic::AtomicU32::new(0);
    let spent = || if asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 20 { 0.0 } else { 1.0 };
    let best = engine.search(&Limits { spent: &spent, ..Limits::default() }, &mut |_| {});
    assert!(best.mv.is_some() && best.lines[0].nodes < 1_000_000);
}

/// Lookups are those of the parts as they are asked one by one, whatever moves led to the position.
#[test]
fn lookups_are_kept_as_men_move() {
    let settings = Settings { judge: Judge::Sum, ..Settings::default() };
    let mut moved = Engine::new(settings.clone(), Some(Arc::clone(&TABLES)));
    let mut rng = Rng::new(3);
    for fen in ["8/5p2/3k4/5p2/8/1P6/3K4/R7 w - -", "3n4/8/3k1b2/8/8/1P6/3K4/R5B1 w - -"] {
        let start = position(fen);
        let (mut at, mut moves): (Position, Vec<Step>) = (start, Vec::new());
        while at.count() > 5 && moves.len() < 40 && at.can_move() {
            let legal = at.legal();
            let step = legal[rng.below(legal.len())];
            at = at.after(&step);
            moves.push(step);
            moved.set_position(start, &moves);
            let (readings, value) = moved.explain();
            if at.count() < 6 {
                break;
            }
            assert!(!readings.is_empty());
            let mut sum = 0;
            for reading in &readings {
                let said = TABLES.probe(&reading.position, Metric::Mate).unwrap();
                assert_eq!(reading.outcome.is_none(), reading.position.broken(), "{}", reading.position.fen());
                if let Some(outcome) = reading.outcome {
                    assert_eq!(outcome, said, "{}", reading.position.fen());
                }
                sum += reading.worth;
            }
            assert_eq!(value, sum);
            // A search without depth in which the position stands still says the same.
            let search = duel::Settings { quiescence: false, ..duel::Settings::plain() };
            let mut still = Engine::new(Settings { search, ..settings.clone() }, Some(Arc::clone(&TABLES)));
            still.set_position(start, &moves);
            if at.can_move() {
                let best = still.search(&Limits { depth: Some(1), ..Limits::default() }, &mut |_| {});
                let Score::Centipawns(score) = best.lines[0].score else { continue };
                let next = at.after(&best.mv.unwrap());
                still.set_position(next, &[]);
                let (_, there) = still.explain();
                let sign = if at.turn == native::chess::Colour::White { 1 } else { -1 };
                if next.count() > 5 && score != 0 {
                    assert_eq!(score, sign * there, "{}", next.fen());
                }
            }
        }
    }
}

/// The parts that are named are used where all of them occur, otherwise the largest that have a table.
#[test]
fn named_parts_and_the_largest() {
    let at = position("8/8/3k4/8/2P1R3/1P6/3K4/5bn1 w - -");
    assert_eq!(Force::of(&at).to_string(), "KRPPKBN");
    let men = |parts: &[&str], at: &Position| {
        let parts = parts.iter().map(|name| Material::parse(name).unwrap()).collect();
        let mut engine = Engine::new(Settings { parts, ..Settings::default() }, Some(Arc::clone(&TABLES)));
        engine.set_position(*at, &[]);
        let mut men: Vec<String> = engine.explain().0.into_iter().map(|reading| reading.men).collect();
        men.sort();
        men
    };
    assert_eq!(men(&[], &at), ["KKBN", "KPK", "KPK", "KRK"]);
    assert_eq!(men(&["KRK", "KPK"], &at), ["KPK", "KPK", "KRK"]);
    assert_eq!(men(&["KRK", "KQK"], &at), ["KKBN", "KPK", "KPK", "KRK"]);
    assert_eq!(men(&["KRK"], &at.swapped()), ["KRK"]);
}
