//! Every legal move of every game can be entered on its page: by clicks that lead to it, or from the list where the board has no place for it. Random
//! states of the whole library, and of the rulesheets of others where they are there.

use game::random::Rng;
use library::Sheet;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use studio::clicks::{CELLS, meant};
use studio::games::{Game, Games};
use studio::scene;
use study::picture::{CellKind, Picture};

/// What was seen of a game.
#[derive(Default, Debug)]
struct Seen {
    moves: usize,
    /// Moves that are entered by clicks alone.
    clicked: usize,
    boards: usize,
}

/// No two cells of a board lie on each other.
fn overlaps(picture: &Picture) -> Vec<String> {
    let mut found = Vec::new();
    for board in &picture.boards {
        let places: Vec<(i32, i32)> =
            board.cells.iter().filter(|cell| cell.kind == CellKind::Place).map(|cell| (cell.x, cell.y)).collect();
        let least = (2, 2);
        let mut sorted = places.clone();
        sorted.sort_unstable();
        for (at, a) in sorted.iter().enumerate() {
            for b in sorted[at + 1..].iter().take_while(|b| b.0 - a.0 < least.0) {
                if (a.1 - b.1).abs() < least.1 {
                    found.push(format!("{a:?} {b:?} on {:?}", board.title));
                }
            }
        }
    }
    found
}

/// Plays a few random moves, and enters every legal move at each state.
fn look(game: &Game, seed: u64, until: Instant) -> Seen {
    let mut rng = Rng::new(seed);
    let mut seen = Seen::default();
    let mut stand = game.start().expect("a start");
    let steps = 1 + rng.below(30);
    for step in 0..=steps {
        if stand.is_over() || stand.legal.iter().any(Vec::is_empty) || step > 0 && Instant::now() > until {
            break;
        }
        if step % 6 == 0 || step == steps {
            let picture = game.layout.picture(&stand.facts, None);
            seen.boards = picture.boards.len();
            let overlaps = overlaps(&picture);
            assert!(overlaps.is_empty(), "{}: cells lie on each other: {overlaps:?}", game.title);
            for (role, moves) in stand.legal.iter().enumerate() {
                if moves.len() > 5000 {
                    continue;
                }
                let ways = scene::ways(game, &stand, role);
                assert_eq!(ways.len(), moves.len());
                for (at, way) in ways.iter().enumerate() {
                    for spot in way.iter().flatten() {
                        let board = &picture.boards[(spot / CELLS) as usize];
                        assert!(((spot % CELLS) as usize) < board.cells.len(), "{}: {}", game.title, moves[at]);
                    }
                    assert!(
                        way.iter().all(|step| !step.is_empty()),
                        "{}: {} has a click on nothing",
                        game.title,
                        moves[at]
                    );
                    let clicks: Vec<u32> = way.iter().map(|step| step[0]).collect();
                    let (_, exact) = meant(&ways, &clicks);
                    assert!(exact.contains(&at), "{}: {} cannot be entered", game.title, moves[at]);
                    // Where several moves are meant the page asks; that has to be few enough to choose from.
                    assert!(
                        way.is_empty() || exact.len() <= 60,
                        "{}: {} is one of {}",
                        game.title,
                        moves[at],
                        exact.len()
                    );
                    seen.clicked += usize::from(!way.is_empty());
                    seen.moves += 1;
                }
                let names: BTreeSet<&String> = moves.iter().collect();
                assert_eq!(names.len(), moves.len(), "{}: moves of the list can be told apart", game.title);
            }
        }
        let joint: Vec<String> = stand.legal.iter().map(|moves| moves[rng.below(moves.len())].clone()).collect();
        stand = game.follow(&stand, &joint).expect("no limit");
    }
    seen
}

#[test]
fn every_move_of_the_library_can_be_entered() {
    let games = Games::default();
    let mut listed = Vec::new();
    for entry in library::ENTRIES {
        let game = games.open(Sheet::of(entry)).expect(entry.name);
        let mut all = Seen::default();
        for seed in 0..3 {
            let seen = look(&game, seed, Instant::now() + Duration::from_secs(2));
            all = Seen { moves: all.moves + seen.moves, clicked: all.clicked + seen.clicked, boards: seen.boards };
        }
        println!("{}: {all:?}", entry.name);
        if all.boards > 0 && all.clicked * 2 < all.moves {
            listed.push(entry.name);
        }
    }
    // Games whose boards show what moves do not name: their moves are chosen from the list.
    assert!(listed.len() <= 5, "{listed:?}");
}

#[test]
fn every_move_of_other_rulesheets_can_be_entered() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/games");
    let corpus = if corpus.is_dir() {
        corpus
    } else {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus/games")
    };
    if !corpus.is_dir() {
        eprintln!("SKIPPED: there are no rulesheets of others beside the project");
        return;
    }
    let mut paths: Vec<_> = std::fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "kif"));
    paths.sort();
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from).min(4) {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let name = path.file_stem().unwrap().to_string_lossy().to_string();
                    let seen = other(&name, path);
                    results.lock().unwrap().push((name, seen));
                }
            });
        }
    });
    let results = results.into_inner().unwrap();
    let left: Vec<&String> = results.iter().filter(|(_, seen)| seen.is_none()).map(|(name, _)| name).collect();
    let done: Vec<&Seen> = results.iter().filter_map(|(_, seen)| seen.as_ref()).collect();
    let boards = done.iter().filter(|seen| seen.boards > 0).count();
    let (moves, clicked) = done.iter().fold((0, 0), |sum, seen| (sum.0 + seen.moves, sum.1 + seen.clicked));
    println!(
        "{} of {} rulesheets, {boards} with a board; {moves} moves, {clicked} by clicks; too slow for the studio: {left:?}",
        done.len(),
        paths.len()
    );
    assert_eq!(results.len(), paths.len());
    // What the studio itself refuses to wait for; on a busy machine that may be one or two.
    assert!(left.len() <= 4, "{left:?}");
}

/// A rulesheet of others; `None` where the studio does not wait for it.
fn other(name: &str, path: &Path) -> Option<Seen> {
    let text = std::fs::read_to_string(path).unwrap();
    let sheet = Sheet::read(name.to_string(), text.as_bytes()).unwrap();
    match Game::open(sheet, &agent::Resources::default(), &game::Cancel::new()) {
        // However slow the rules are, the beginning is looked at: a budget of half a second a game for what follows.
        Ok(game) => Some(look(&game, 1, Instant::now() + Duration::from_millis(500))),
        Err(error) if format!("{error:#}").contains("was stopped") => None,
        Err(error) => panic!("{name}: {error:#}"),
    }
}
