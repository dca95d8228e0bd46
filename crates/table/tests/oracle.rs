//! Oracles against what follows from the rules: every verdict from those of its successors, and from a game solved outright.

use game::random::Rng;
use game::{Game, Names, Role};
use native::chess::{Chess, Colour, Kind, Man, Position, Sheet};
use native::chinese::{ChineseCheckers, State, Win, cell};
use std::sync::{Arc, OnceLock};
use table::chess::{Endings, Material, Metric, Tables, build_all};
use table::chinese::{Build, Race, Spec};
use table::oracle::{AskError, Certainty, Choice, LineEnd, Oracle, Standing, Value, Verdict, choices, line, settles};
use table::solve::{Options, solve};

/// The tables, built once.
fn endings(sheet: Sheet) -> Endings {
    static TABLES: OnceLock<Arc<Tables>> = OnceLock::new();
    let build = || {
        let mut tables = Tables::new();
        for name in ["KQKR", "KBNK"] {
            build_all(Material::parse(name).unwrap(), Metric::Mate, &mut tables, &mut |_, _| true).unwrap();
        }
        tables.into()
    };
    Endings::new(Arc::clone(TABLES.get_or_init(build)), sheet)
}

/// A position that can occur, of these men on random squares, with this clock.
fn random(men: &str, quiet: u16, rng: &mut Rng) -> Position {
    loop {
        let turn = if rng.below(2) == 0 { Colour::White } else { Colour::Black };
        let mut position = Position::empty(turn);
        for letter in men.chars() {
            let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
            let square = rng.below(64) as u8;
            if position.at(square).is_none() {
                position.put(Man { colour, kind: Kind::from_letter(letter).unwrap() }, square);
            }
        }
        position.quiet = quiet;
        if position.count() as usize == men.len() && position.fault().is_none() {
            return position;
        }
    }
}

/// What the rules say of an end.
fn at_end<G: Game>(game: &G, state: &G::State) -> Option<i8> {
    let mut view = game.view();
    game.look(state, &mut view).unwrap();
    let mut goal = |role| game.goal(&mut view, Role(role)).unwrap().unwrap() as i8;
    let lead = goal(0) - goal(1);
    game.over(&view).then_some(lead)
}

/// Compares the verdict of a state with those of the states behind its moves, one by one: exact where they are, and never
/// outside the bounds that follow from theirs.
fn follows<G: Names>(oracle: &dyn Oracle, game: &G, state: &G::State) -> Verdict {
    let facts = game.facts(state);
    let verdict = oracle.ask(&facts).unwrap().unwrap();
    if let Some(lead) = at_end(game, state) {
        assert_eq!((verdict.value, verdict.certainty), (Value::Lead(lead), Certainty::Exact), "{facts:?}");
        assert_eq!(verdict.distance.map(|distance| distance.count), (lead != 0).then_some(0));
        return verdict;
    }
    let moves: Vec<Choice<G>> = choices(oracle, game, state).unwrap();
    let verdicts: Vec<Verdict> = moves.iter().map(|choice| choice.verdict.unwrap()).collect();
    let role = moves[0].role;
    let best = |of: &dyn Fn(&Verdict) -> i32| verdicts.iter().map(of).max().unwrap();
    let (low, high) = (best(&|v| v.bounds(role).0), best(&|v| v.bounds(role).1));
    let own = verdict.bounds(role);
    assert!(own.0 <= high && low <= own.1, "{facts:?}: {verdict} but {}", verdicts[0]);
    if verdict.certainty == Certainty::Exact && low == high {
        assert_eq!(own, (low, high), "{facts:?}");
        let expected = verdicts[0].distance.map(|distance| distance.count + 1);
        assert_eq!(verdict.distance.map(|distance| distance.count), expected, "{facts:?}");
    }
    verdict
}

#[test]
fn verdicts_of_the_rook_follow_from_their_successors() {
    let game = Chess::krk();
    let mut rng = Rng::new(3);
    let mut seen = [0; 3];
    for _ in 0..3000 {
        let from = 70 + rng.below(31) as u16;
        let position = random("KRk", from, &mut rng);
        let verdict = follows(&endings(Sheet::Krk), &game, &position);
        assert_eq!(verdict.certainty, Certainty::Exact);
        match verdict.standing(Role(0)).unwrap() {
            Standing::Ahead => seen[0] += 1,
            Standing::Even => seen[1] += 1,
            Standing::Behind => seen[2] += 1,
        }
    }
    // The clock makes draws of wins.
    assert!(seen[0] > 500 && seen[1] > 500 && seen[2] == 0, "{seen:?}");
}

#[test]
fn verdicts_of_queen_and_rook_follow_from_their_successors() {
    let game = Chess::kqkr();
    let mut rng = Rng::new(4);
    let (mut exact, mut bounds) = (0, 0);
    for _ in 0..3000 {
        let from = rng.below(101) as u16;
        match follows(&endings(Sheet::Kqkr), &game, &random("KQkr", from, &mut rng)).certainty {
            Certainty::Exact => exact += 1,
            Certainty::AtLeast | Certainty::AtMost => bounds += 1,
        }
    }
    assert!(exact > 1500 && bounds > 100, "{exact} {bounds}");
}

/// The value under the clock by looking at every line until it runs out; a capture sets it back, and then tables are exact.
fn searched(game: &Chess, endings: &Endings, position: &Position) -> i32 {
    if let Some(lead) = at_end(game, position) {
        return i32::from(lead);
    }
    if position.quiet == 0 {
        let verdict = endings.verdict(position).unwrap().unwrap();
        assert_eq!(verdict.certainty, Certainty::Exact);
        return verdict.bounds(Role(0)).0;
    }
    let values = position.legal().into_iter().map(|step| searched(game, endings, &position.after(&step)));
    if position.turn == Colour::White { values.max().unwrap() } else { values.min().unwrap() }
}

#[test]
fn under_a_clock_nothing_is_said_that_is_not_so() {
    let game = Chess::kqkr();
    let mut rng = Rng::new(5);
    let (mut wins, mut saved, mut drawn) = (0, 0, 0);
    for round in 0..600u16 {
        // Once nothing but the loser could take: then a draw by the clock is certain.
        let men = if round % 2 == 0 { "KQkr" } else { "Krk" };
        let position = random(men, 97 + round % 3, &mut rng);
        let verdict = endings(Sheet::Kqkr).verdict(&position).unwrap().unwrap();
        let (low, high) = verdict.bounds(Role(0));
        let value = searched(&game, &endings(Sheet::Kqkr), &position);
        assert!((low..=high).contains(&value), "{}: {verdict} is {value}", position.fen());
        assert!(men == "KQkr" || low == high, "{}: {verdict}", position.fen());
        wins += usize::from(low == high && value != 0);
        saved += usize::from(low != high && value != 0);
        drawn += usize::from(value == 0);
    }
    assert!(wins > 2 && saved > 20 && drawn > 100, "{wins} {saved} {drawn}");
}

/// Best play against best play is as long as was said, and ends in mate.
#[test]
fn won_endings_are_won_in_the_least_number_of_moves() {
    for (sheet, game, plies) in [(Sheet::Krk, Chess::krk(), 31), (Sheet::Kqkr, Chess::kqkr(), 69)] {
        let oracle = &endings(sheet);
        let verdict = oracle.ask(&game.facts(&game.start())).unwrap().unwrap();
        assert_eq!((verdict.value, verdict.distance.unwrap().count), (Value::Lead(100), plies));
        let line = line(oracle, &game, &game.start(), 1000).unwrap();
        assert_eq!((line.steps.len(), line.end), (plies as usize, LineEnd::NoMove));
        assert!(line.steps.last().unwrap().state.checkmate());
        let short = table::oracle::line(oracle, &game, &game.start(), 5).unwrap();
        assert_eq!((short.steps.len(), short.end), (5, LineEnd::Long));
    }
}

#[test]
fn what_is_not_known_is_not_said() {
    let chess = Endings::new(Tables::new().into(), Sheet::Chess);
    let facts = |list: &[&str]| list.iter().map(|fact| fact.to_string()).collect::<Vec<_>>();
    // No table, castling rights, a position that cannot occur.
    let few = ["(cell a 1 wk)", "(cell h 8 bk)", "(cell b 1 wq)", "(control white)", "(quiet 3)"];
    assert_eq!(chess.ask(&facts(&few)), Ok(None));
    let mut castling = vec!["(castling white kingside)", "(cell a 2 blank)"];
    castling.extend(&few);
    let full = endings(Sheet::Chess);
    assert_eq!(full.ask(&facts(&castling)), Ok(None));
    assert!(full.ask(&facts(&castling[1..])).unwrap().is_some());
    let broken = ["(cell a 1 wk)", "(cell b 8 bk)", "(cell b 1 wq)", "(control white)", "(quiet 3)"];
    assert_eq!(full.ask(&facts(&broken)), Ok(None));
    // Bare kings are even with any tables, and what is not chess is an error that says so.
    let bare = facts(&["(cell a 1 wk)", "(cell h 8 bk)", "(control black)", "(quiet 99)"]);
    assert_eq!(chess.ask(&bare).unwrap().unwrap().standing(Role(0)), Some(Standing::Even));
    assert!(matches!(chess.ask(&facts(&["(heap a 3)"])), Err(AskError::Facts(why)) if why.contains("chess")));
}

/// Without pawns a lone bishop or knight cannot win, so the clock cannot be set back with profit; two heavy men can give one.
#[test]
fn bishop_and_knight_run_out_of_time() {
    let game = Chess::new(random("KBNk", 90, &mut Rng::new(1)), Sheet::Kqkr);
    let oracle = endings(Sheet::Chess);
    let mut rng = Rng::new(8);
    for _ in 0..300 {
        let position = random("KBNk", 95, &mut rng);
        let verdict = oracle.verdict(&position).unwrap().unwrap();
        assert_eq!(verdict.certainty, Certainty::Exact);
    }
    for _ in 0..40 {
        let position = random("KBNk", 98, &mut rng);
        let verdict = oracle.verdict(&position).unwrap().unwrap();
        assert_eq!(verdict.bounds(Role(0)).0, searched(&game, &oracle, &position), "{}", position.fen());
    }
}

fn race(side: usize, pieces: usize, limit: Option<u16>) -> Race {
    let mut build = Build::new(Spec::new(side, pieces), 1 << 28).unwrap();
    build.run(&mut |_| true).unwrap();
    Race::new(build.into_distances(), limit).unwrap()
}

/// All that the race says of all states, against the game solved outright; how often it says something.
fn compare_with_solution(side: usize, pieces: usize) -> (usize, u64) {
    let race = race(side, pieces, None);
    let solved = solve(race.game(), &Options::default(), None, &mut |_| true).unwrap();
    let mut said = 0;
    let mut sets: Vec<u128> = vec![0];
    for _ in 0..pieces {
        let more = |set: &u128| {
            let set = *set;
            (0..side * side).filter(move |at| set >> at == 0).map(move |at| set | 1 << at).collect::<Vec<_>>()
        };
        sets = sets.iter().flat_map(more).collect();
    }
    for &red in &sets {
        for &blue in sets.iter().filter(|blue| red & **blue == 0) {
            for turn in 0..2 {
                let state = State { pieces: [red, blue], turn, step: 1 };
                let Some(entry) = solved.probe(&state) else { continue };
                let Some(verdict) = race.verdict(&state).unwrap() else { continue };
                let truth = entry.verdict(2);
                assert_eq!((verdict.value, verdict.certainty), (truth.value, Certainty::Exact), "{state:?}");
                let (bound, exact) = (verdict.distance.unwrap(), truth.distance.unwrap());
                assert!(exact.count <= bound.count, "{state:?}: {exact:?} and {bound:?}");
                said += usize::from(bound.count > 0);
            }
        }
    }
    (said, solved.statistics().states)
}

#[test]
fn races_are_decided_as_they_end() {
    let (said, states) = compare_with_solution(7, 1);
    assert!(said > 1000 && states > 4000, "{said} of {states}");
    let (said, states) = compare_with_solution(4, 3);
    assert!(said > 0 && states > 200_000, "{said} of {states}");
}

#[test]
fn the_limit_of_plies_is_seen() {
    let side = 9;
    let at = |cells: &[(usize, usize)]| cells.iter().fold(0u128, |set, &(r, c)| set | 1 << cell(side, r, c));
    let (red, blue) = (at(&[(8, 8), (8, 7), (5, 8)]), at(&[(0, 0), (0, 1), (3, 0)]));
    let late = race(side, 3, Some(400));
    let state = |turn, step| State { pieces: [red, blue], turn, step };
    let [alone_red, alone_blue] = late.alone(&state(0, 1)).unwrap().map(|distance| distance.moves().unwrap());
    assert_eq!(alone_red, alone_blue);
    let plies = 2 * u32::from(alone_red) - 1;
    for turn in 0..2 {
        let verdict = late.verdict(&state(turn, 1)).unwrap().unwrap();
        assert_eq!(verdict.standing(Role(turn)), Some(Standing::Ahead));
        assert_eq!(verdict.distance.unwrap().count, plies);
    }
    // The last ply may be the 400th.
    let last = 401 - plies as u16;
    assert!(late.verdict(&state(0, last)).unwrap().is_some());
    assert_eq!(late.verdict(&state(0, last + 1)).unwrap(), None);
    assert_eq!(late.verdict(&state(0, 401)).unwrap().unwrap().standing(Role(0)), Some(Standing::Even));
    let facts = late.game().facts(&state(0, last));
    assert!(late.ask(&facts).unwrap().is_some());
    assert!(late.ask(&facts[..facts.len() - 1]).is_err());
}

#[test]
fn a_race_is_run_to_its_end() {
    let race = race(9, 3, Some(400));
    let game = race.game();
    // Whoever is at home soon, played from what the oracle says: every move that it needs is known, and the end comes in time.
    let start = ChineseCheckers::new(9, 3, Win::Filled, None).unwrap().start();
    let back = |cells: u128, by: usize| cells >> (by * 10);
    let state = State { pieces: [back(start.pieces[1], 2), start.pieces[0] << 20], turn: 0, step: 1 };
    let verdict = race.verdict(&state).unwrap().unwrap();
    let line = line(&race, game, &state, 100).unwrap();
    assert!(line.steps.iter().all(|choice| choice.verdict.is_some()));
    assert_eq!(line.end, LineEnd::NoMove);
    assert!(line.steps.len() as u32 <= verdict.distance.unwrap().count);
    assert_eq!(verdict.standing(Role(0)), Some(Standing::Ahead));
    assert!(game.won(&line.steps.last().unwrap().state, 0));
    assert!(settles(&choices(&race, game, &state).unwrap()));
}
