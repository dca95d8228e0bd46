//! Pieces against pieces in Chinese checkers: against plain value iteration over the game itself, against the solver of any game, and
//! through files.

use game::{Game, Role, Turn};
use native::chinese::{Cells, ChineseCheckers, State, Win, each};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use table::chinese::versus::{Build, BuildError, Fault, Outcome, Space, Spec, Versus};
use table::chinese::{Distances, OpenError, turned};
use table::file::{About, Form, Table, Writer};
use table::store::Store;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("versus-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn built(spec: Spec) -> Build {
    let mut build = Build::new(spec, 1 << 30).unwrap();
    build.run(&mut |_| true).unwrap();
    build
}

/// Sets of so many of these cells.
fn choices(cells: &[u8], count: usize) -> Vec<Cells> {
    match (count, cells) {
        (0, _) => vec![0],
        (_, []) => Vec::new(),
        (_, [first, rest @ ..]) => {
            let with = choices(rest, count - 1).into_iter().map(|set| set | 1 << first);
            with.chain(choices(rest, count)).collect()
        }
    }
}

/// All positions of a game.
fn positions(side: usize, pieces: [usize; 2]) -> Vec<State> {
    let all: Vec<u8> = (0..(side * side) as u8).collect();
    let mut states = Vec::new();
    for red in choices(&all, pieces[0]) {
        let free: Vec<u8> = all.iter().copied().filter(|cell| red >> cell & 1 == 0).collect();
        for blue in choices(&free, pieces[1]) {
            states.extend([0, 1].map(|turn| State { pieces: [red, blue], turn, step: 1 }));
        }
    }
    states
}

/// What the game says of every position, found by going over all of them again and again: who can reach a loss of the other in
/// n - 1 wins in n, who has only wins of the other, the farthest in n - 1, loses in n.
fn by_iteration(game: &ChineseCheckers, states: &[State]) -> HashMap<State, Outcome> {
    let mut view = game.view();
    let mut known = HashMap::new();
    let mut open = Vec::new();
    for state in states {
        game.look(state, &mut view).unwrap();
        if game.turn(&view) == Turn::Over {
            let mover = Role(state.turn);
            known.insert(
                *state,
                match game.goal(&mut view, mover).unwrap() {
                    None => Outcome::Both,
                    Some(100) => Outcome::Win(0),
                    Some(0) => Outcome::Loss(0),
                    goal => panic!("{goal:?}"),
                },
            );
            continue;
        }
        let (mut moves, mut next) = ([Vec::new(), Vec::new()], Vec::new());
        for (role, list) in moves.iter_mut().enumerate() {
            game.legal(&view, Role(role as u8), list);
        }
        for red in &moves[0] {
            for blue in &moves[1] {
                let mut after = *state;
                game.play(&mut view, &[*red, *blue], &mut after).unwrap();
                next.push(after);
            }
        }
        open.push((*state, next));
    }
    for plies in 1u8.. {
        let mut decided = Vec::new();
        open.retain(|(state, next)| {
            let values: Vec<Option<Outcome>> = next.iter().map(|after| known.get(after).copied()).collect();
            if values.contains(&Some(Outcome::Loss(plies - 1))) {
                decided.push((*state, Outcome::Win(plies)));
            } else if values.iter().all(|value| matches!(value, Some(Outcome::Win(_)))) {
                decided.push((*state, Outcome::Loss(plies)));
            } else {
                return true;
            }
            false
        });
        if decided.is_empty() {
            break;
        }
        known.extend(decided);
    }
    known.extend(open.into_iter().map(|(state, _)| (state, Outcome::Draw)));
    known
}

#[test]
fn every_entry_is_what_the_game_says() {
    for (side, pieces) in
        [(2, [1, 1]), (3, [2, 1]), (3, [3, 3]), (3, [4, 1]), (4, [1, 1]), (4, [2, 1]), (4, [3, 2]), (5, [2, 2])]
    {
        let game = ChineseCheckers::between(side, pieces, Win::Filled, None).unwrap();
        let states = positions(side, pieces);
        let known = by_iteration(&game, &states);
        let build = built(Spec::new(side, pieces[0], pieces[1]));
        let counts = build.counts().clone();
        let table = build.into_versus();
        assert_eq!(2 * table.space().entries(), states.len() as u64);
        let mut seen = [0u64; 4];
        for state in &states {
            let outcome = table.outcome(state.pieces, state.turn.into()).unwrap().unwrap();
            assert_eq!(outcome, known[state], "{side} {pieces:?} {state:?}");
            seen[match outcome {
                Outcome::Win(_) => 0,
                Outcome::Draw => 1,
                Outcome::Loss(_) => 2,
                Outcome::Both => 3,
            }] += 1;
            // The same position from the other side of the board.
            let [red, blue] = state.pieces.map(|cells| turned(side, cells));
            let other = table.outcome([blue, red], 1 - usize::from(state.turn)).unwrap();
            assert_eq!(other, Some(outcome), "{side} {pieces:?} {state:?}");
        }
        let sum = |of: fn(&table::chinese::versus::Side) -> u64| counts.sides.iter().map(of).sum::<u64>();
        assert_eq!(seen, [sum(|s| s.won), sum(|s| s.drawn), sum(|s| s.lost), 2 * counts.both]);
        assert_eq!(table.verify(&mut |_, _| true).unwrap(), counts);
    }
}

#[test]
fn the_solver_of_any_game_agrees() {
    let game = ChineseCheckers::between(4, [2, 1], Win::Filled, None).unwrap();
    let solved = table::solve::solve(&game, &table::solve::Options::default(), None, &mut |_| true).unwrap();
    let table = built(Spec::new(4, 2, 1)).into_versus();
    let mut compared = 0;
    for state in positions(4, [2, 1]) {
        let Some(entry) = solved.probe(&state) else { continue };
        let outcome = table.outcome(state.pieces, state.turn.into()).unwrap().unwrap();
        let lead = match outcome {
            Outcome::Draw => 0,
            Outcome::Win(_) if state.turn == 0 => 100,
            Outcome::Loss(_) if state.turn == 1 => 100,
            Outcome::Win(_) | Outcome::Loss(_) => -100,
            Outcome::Both => panic!("{state:?} was reached"),
        };
        assert_eq!(entry.value, Some(lead), "{state:?}");
        if lead != 0 {
            assert_eq!(entry.distance, outcome.plies().map(u16::from), "{state:?}");
        }
        compared += 1;
    }
    assert!(compared > 3000, "{compared}");
}

#[test]
fn moves_and_lines_lead_to_the_end() {
    let table = built(Spec::new(5, 2, 1)).into_versus();
    let game = ChineseCheckers::between(5, [2, 1], Win::Filled, None).unwrap();
    let mut rng = game::random::Rng::new(8);
    for _ in 0..300 {
        let pieces = table.space().placement(rng.below(table.space().entries() as usize) as u64).unwrap();
        let turn = rng.below(2);
        let outcome = table.outcome(pieces, turn).unwrap().unwrap();
        let moves = table.moves(pieces, turn).unwrap();
        let Some(line) = table.line(pieces, turn).unwrap() else {
            assert!(matches!(outcome, Outcome::Draw | Outcome::Both));
            continue;
        };
        assert_eq!(line.len(), usize::from(outcome.plies().unwrap()));
        if let Some((ends, worth)) = moves.first() {
            assert_eq!((*worth, Some(*ends)), (outcome, line[0]));
        }
        let mut state = State { pieces, turn: turn as u8, step: 1 };
        for ends in &line {
            assert!(![0, 1].iter().any(|player| game.won(&state, *player)));
            state = game.after(&state, *ends);
        }
        let winner = if matches!(outcome, Outcome::Win(_)) { turn } else { 1 - turn };
        assert!(game.won(&state, winner), "{pieces:?}");
        // From the other side of the board the moves are the same ones, turned.
        let [red, blue] = pieces.map(|cells| turned(5, cells));
        let mut other: Vec<_> = table.moves([blue, red], 1 - turn).unwrap();
        other.iter_mut().for_each(|((from, to), _)| (*from, *to) = (24 - *from, 24 - *to));
        other.sort_by_key(|(ends, worth)| (-worth.order(), *ends));
        assert_eq!(other, moves);
    }
    assert_eq!(table.outcome([0b111, 1 << 20], 0).unwrap(), None, "too many pieces");
    assert_eq!(table.outcome([0b11, 1 << 1], 0).unwrap(), None, "two pieces in one cell");
    assert_eq!(table.outcome([0b11, 1 << 100], 0).unwrap(), None, "off the board");
    assert!(table.moves([0b111, 1 << 20], 0).unwrap().is_empty());
}

#[test]
fn files_answer_as_memory_does() {
    let folder = folder("files");
    let spec = Spec::new(4, 2, 2);
    let build = built(spec.clone());
    let counts = build.counts().clone();
    let store = Store::new(&folder);
    let (raw, packed) = (store.versus_path(&spec), folder.join("packed"));
    assert!(store.versus(&spec).unwrap().is_none());
    build.write(&raw, Form::Raw).unwrap();
    build.write(&packed, Form::Compressed).unwrap();
    assert!(raw.ends_with("chinese-checkers/4x4-2v2.table"));
    let memory = build.into_versus();
    let files = [
        store.versus(&spec).unwrap().unwrap(),
        Versus::open(&packed).unwrap(),
        Versus::open(&raw).unwrap().load().unwrap(),
    ];
    for rank in 0..memory.space().entries() {
        let pieces = memory.space().placement(rank).unwrap();
        for turn in [0, 1] {
            let outcome = memory.outcome(pieces, turn).unwrap();
            assert!(files.iter().all(|file| file.outcome(pieces, turn).unwrap() == outcome));
        }
    }
    for file in &files[..2] {
        let counted = file.verify(&mut |_, _| true).unwrap();
        assert_eq!(counted, counts);
        assert_eq!(file.misstated(&counted), None);
        let mut other = counted.clone();
        other.sides[1].drawn += 1;
        assert!(file.misstated(&other).is_some_and(|why| why.contains("the statistics in the header")));
        let About::ChineseVersus(summary) = &file.table().unwrap().header().about else { panic!("another kind") };
        assert_eq!((summary.placements, &summary.red), (memory.space().entries(), &counts.sides[0]));
    }
    assert!(matches!(files[0].verify(&mut |_, _| false), Err(Fault::Stopped)));
    assert!(matches!(Distances::open(&raw), Err(OpenError::Other(_))));
    let mut alone = table::chinese::Build::new(table::chinese::Spec::new(4, 2), 1 << 20).unwrap();
    alone.run(&mut |_| true).unwrap();
    alone.write(folder.join("alone"), Form::Raw).unwrap();
    let error = Versus::open(folder.join("alone")).err().unwrap();
    assert!(matches!(error, OpenError::NotVersus(_)) && error.to_string().contains("--against"));
}

#[test]
fn wrong_entries_and_damage_are_found() {
    let folder = folder("wrong");
    let (good, bad) = (folder.join("good"), folder.join("bad"));
    built(Spec::new(4, 2, 1)).write(&good, Form::Raw).unwrap();
    let table = Table::open(&good).unwrap();
    let values: Vec<Vec<u8>> = [0, 1].map(|part| table.load(part).unwrap().into_bytes()).to_vec();
    for (part, place) in [(0, 0), (0, 777), (1, 5), (1, 1679), (0, 1000)] {
        for value in [0, 1, 2, 9, 10, 254, 255] {
            let mut wrong = values.clone();
            if wrong[part][place] == value {
                continue;
            }
            wrong[part][place] = value;
            let mut writer = Writer::create(&bad, table.header().clone(), Form::Raw).unwrap();
            writer.write(&wrong.concat()).unwrap();
            writer.finish().unwrap();
            let result = Versus::open(&bad).unwrap().verify(&mut |_, _| true);
            let Err(fault @ Fault::Entry { .. }) = result else { panic!("{part} {place} {value}: {result:?}") };
            assert!(fault.to_string().contains("to move"));
        }
    }
    let whole = fs::read(&good).unwrap();
    let first = table.header().entries() as usize / 2;
    for place in [60, 56 + first + 3] {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        fs::write(&bad, &bytes).unwrap();
        let table = Versus::open(&bad).unwrap();
        assert!(matches!(table.verify(&mut |_, _| true), Err(Fault::File(_))));
        assert!(table.load().is_err());
    }
    fs::write(&bad, &whole[..whole.len() / 2]).unwrap();
    assert!(matches!(Versus::open(&bad), Err(OpenError::File(_))));
}

#[test]
fn a_stopped_build_goes_on() {
    let whole = built(Spec::new(5, 3, 1));
    let mut build = Build::new(Spec::new(5, 3, 1), 1 << 30).unwrap();
    assert!(matches!(build.write("nowhere", Form::Raw), Err(BuildError::Stopped)));
    let mut stops = 0;
    loop {
        let mut asked = 0;
        let result = build.run(&mut |step| {
            assert!(step.done < step.shares && step.decided <= step.total);
            asked += 1;
            asked < 3
        });
        match result {
            Ok(()) => break,
            Err(BuildError::Stopped) => stops += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(stops > 10);
    assert_eq!(build.counts(), whole.counts());
    let (mine, other) = (build.into_versus(), whole.into_versus());
    for rank in 0..mine.space().entries() {
        let pieces = mine.space().placement(rank).unwrap();
        for turn in [0, 1] {
            assert_eq!(mine.outcome(pieces, turn).unwrap(), other.outcome(pieces, turn).unwrap());
        }
    }
}

#[test]
fn memory_is_known_before() {
    let spec = Spec::new(9, 3, 2);
    let needed = Build::memory(&spec).unwrap();
    assert!(needed > 4 * 256_215_960 && needed < 5 * 256_215_960);
    let error = Build::new(spec, needed - 1).err().unwrap();
    assert!(matches!(error, BuildError::Memory { .. }) && error.to_string().contains("fewer pieces"));
    assert!(matches!(Build::new(Spec::new(3, 5, 5), 1 << 30), Err(BuildError::Unfit(_))));
}

#[test]
fn given_goals_are_kept() {
    // Red wants to go where it stands already but for one cell.
    let spec = Spec { goals: [0b11 << 5, 0b1], ..Spec::new(4, 2, 1) };
    let path = folder("goals").join("t");
    built(spec.clone()).write(&path, Form::Compressed).unwrap();
    let table = Versus::open(&path).unwrap();
    assert_eq!(table.space().spec(), &spec);
    assert_eq!(table.outcome([1 << 5 | 1 << 2, 1 << 15], 0).unwrap(), Some(Outcome::Win(1)));
    assert_eq!(table.outcome([1 << 5 | 1 << 6, 1 << 15], 1).unwrap(), Some(Outcome::Loss(0)));
    // Blue filling red's goal wins for red.
    assert_eq!(table.outcome([1 << 5 | 1 << 15, 1 << 6], 0).unwrap(), Some(Outcome::Win(0)));
    // Seen from the other side these are other goals.
    assert_eq!(table.outcome([1 << 15, 1 << 5 | 1 << 2], 0).unwrap(), None);
    assert_eq!(each(spec.goals[0]).count(), 2);
    assert!(Space::new(spec).is_ok());
}
