//! Tables of patterns from rules alone have the value of every position with the pattern's pieces: compared with what `table` solves,
//! with its tables of chess endings, and where a counter decides, with the game itself.

use abstraction::pattern::{Board, BuildError, Pattern, Settings, Table, Value, build};
use game::{Game, Goal, Limit, Move, Names, Role, Turn};
use machine::{Engine, Loader};
use native::chess::{Colour, Kind, Man, Position};
use study::{Plan, Study};
use table::chess::{Material, Metric, Outcome, Tables, build_all};
use table::solve::{Options, solve};

fn known(name: &str) -> (Study, Engine, Board) {
    let (_, rules) = library::load(name).unwrap();
    let engine = Loader::new(&rules).best().unwrap().engine;
    let study = Study::run(&rules, &engine, Plan::states(2000));
    let board = Board::new(&study, &engine).unwrap();
    (study, engine, board)
}

fn made(engine: &Engine, board: &Board, pattern: &str) -> Table {
    let pattern = Pattern::parse(pattern, board).unwrap();
    build(engine, board, &pattern, &Settings::default(), &mut |_| true).unwrap()
}

/// A game that begins in several places: a first move chooses which.
struct From<'a>(&'a Engine, Vec<machine::State>);

impl Game for From<'_> {
    type State = Option<machine::State>;
    type View = (Option<machine::View>, bool);
    fn roles(&self) -> usize {
        2
    }
    fn start(&self) -> Self::State {
        None
    }
    fn view(&self) -> Self::View {
        (Some(self.0.view()), true)
    }
    fn look(&self, state: &Self::State, view: &mut Self::View) -> Result<(), Limit> {
        view.1 = state.is_none();
        state.as_ref().map_or(Ok(()), |state| self.0.look(state, view.0.as_mut().unwrap()))
    }
    fn turn(&self, view: &Self::View) -> Turn {
        if view.1 { Turn::One(Role(0)) } else { self.0.turn(view.0.as_ref().unwrap()) }
    }
    fn legal(&self, view: &Self::View, role: Role, out: &mut Vec<Move>) {
        match view.1 {
            true if role.0 == 1 => out.push(Move(0)),
            true => out.extend((0..self.1.len() as u32).map(Move)),
            false => self.0.legal(view.0.as_ref().unwrap(), role, out),
        }
    }
    fn goal(&self, view: &mut Self::View, role: Role) -> Result<Option<Goal>, Limit> {
        self.0.goal(view.0.as_mut().unwrap(), role)
    }
    fn play(&self, view: &mut Self::View, joint: &[Move], next: &mut Self::State) -> Result<(), Limit> {
        if view.1 {
            *next = Some(self.1[joint[0].0 as usize].clone());
            return Ok(());
        }
        let mut reached = self.0.start();
        self.0.play(view.0.as_mut().unwrap(), joint, &mut reached)?;
        *next = Some(reached);
        Ok(())
    }
}

/// Compares every placement with a solution of the rules without their counters, by another engine and another solver.
fn agrees(name: &str, pattern: &str) -> (u64, u64, u64) {
    let (study, engine, board) = known(name);
    let table = made(&engine, &board, pattern);
    let endless = study.uncounted().map(|rules| Loader::new(&rules).best().unwrap().engine);
    let endless = endless.as_ref().unwrap_or(&engine);
    let counted: Vec<String> =
        study.findings().counters.iter().map(|counter| format!("({} ", counter.fluent)).collect();
    let starts = placements(&engine, &board, &table);
    let state = |facts: &Vec<u32>, turn: Role| {
        let placed: Vec<(usize, u32)> = facts.iter().map(|&fact| (board.place(fact).unwrap().1, fact)).collect();
        let state = board.state(&engine, &placed, turn).unwrap();
        let mut texts = engine.facts(&state);
        if !std::ptr::eq(endless, &engine) {
            texts.retain(|text| !counted.iter().any(|counter| text.starts_with(counter.as_str())));
        }
        endless.state_of(&texts.iter().map(String::as_str).collect::<Vec<_>>()).unwrap()
    };
    let states: Vec<machine::State> = starts.iter().map(|(facts, turn)| state(facts, *turn)).collect();
    let from = From(endless, states);
    let solved = solve(&from, &Options::default(), None, &mut |_| true).unwrap();
    let (mut won, mut drawn, mut lost) = (0, 0, 0);
    for ((facts, turn), state) in starts.iter().zip(&from.1) {
        let truth = solved.probe(&Some(state.clone())).unwrap();
        let value = table.value(&board, *turn, facts).unwrap();
        let wanted = match (truth.value.unwrap(), truth.distance) {
            (lead, Some(moves)) if lead > 0 => Value::Win(moves as u8),
            (lead, Some(moves)) if lead < 0 => Value::Loss(moves as u8),
            _ => Value::Draw,
        };
        assert_eq!(value, wanted, "{name}: {:?} {turn:?}", endless.facts(state));
        match value {
            Value::Win(_) => won += 1,
            Value::Loss(_) => lost += 1,
            _ => drawn += 1,
        }
    }
    let counts = table.counts();
    assert_eq!((won, drawn, lost), (counts.won, counts.drawn, counts.lost));
    (won, drawn, lost)
}

/// All placements of a pattern: the facts of its pieces, and whose turn it is.
fn placements(engine: &Engine, board: &Board, table: &Table) -> Vec<(Vec<u32>, Role)> {
    let mut all = vec![Vec::new()];
    for &thing in &table.pattern.things {
        let places = &board.things[thing].places;
        let longer = |facts: &Vec<u32>| {
            let facts = facts.clone();
            places.iter().map(move |place| [facts.clone(), vec![place.1]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.retain(|facts| {
        let mut cells: Vec<usize> = facts.iter().map(|&fact| board.place(fact).unwrap().1).collect();
        cells.sort_unstable();
        cells.dedup();
        cells.len() == facts.len()
    });
    let sorted = |facts: &Vec<u32>| {
        facts.windows(2).all(|two| {
            let [a, b] = [two[0], two[1]].map(|fact| board.place(fact).unwrap());
            a.0 != b.0 || a.1 < b.1
        })
    };
    all.retain(sorted);
    game::roles(engine).flat_map(|role| all.iter().map(move |facts| (facts.clone(), role))).collect()
}

#[test]
fn endings_of_small_chess_are_right_everywhere() {
    let (won, drawn, lost) = agrees("chess-small", "wk wq bk");
    // Nobody loses with a queen more; the draws are stalemates and hanging queens.
    assert_eq!((won, drawn, lost), (74_672, 11_008, 0));
}

#[test]
fn endings_of_small_chess_with_a_pawn_are_right_everywhere() {
    let (won, drawn, lost) = agrees("chess-small", "wk wp bk");
    assert!(won > 0 && drawn > 0 && lost == 0, "{won} {drawn} {lost}");
}

#[test]
fn endings_of_checkers_are_right_everywhere() {
    for pattern in ["black_king white_king", "black_man white_king", "black_man white_man"] {
        let (won, drawn, lost) = agrees("checkers", pattern);
        assert!(won > 0 && drawn > 0 && lost > 0, "{pattern}: {won} {drawn} {lost}");
    }
}

/// White has five moves to mate, else Black wins: the table knows how long White takes, and the counter says whether that is soon enough.
#[test]
fn endings_of_minichess_are_right_everywhere() {
    let (_, engine, board) = known("minichess");
    let table = made(&engine, &board, "wk wr bk");
    let starts = placements(&engine, &board, &table);
    let state = |(facts, turn): &(Vec<u32>, Role)| {
        let placed: Vec<(usize, u32)> = facts.iter().map(|&fact| (board.place(fact).unwrap().1, fact)).collect();
        board.state(&engine, &placed, *turn).unwrap()
    };
    let from = From(&engine, starts.iter().map(state).collect());
    let solved = solve(&from, &Options::default(), None, &mut |_| true).unwrap();
    let (mut soon, mut late, mut never) = (0, 0, 0);
    for ((facts, turn), state) in starts.iter().zip(&from.1) {
        let truth = solved.probe(&Some(state.clone())).unwrap();
        let value = table.value(&board, *turn, facts).unwrap();
        let mates = truth.value == Some(100);
        match value {
            // Nine steps are left from the first on.
            Value::Win(moves) if moves <= 9 => {
                assert!(mates && truth.distance == Some(moves.into()), "{:?} {truth:?}", engine.facts(state));
                soon += 1;
            }
            Value::Win(_) => (late, _) = (late + 1, assert!(!mates, "{:?}", engine.facts(state))),
            _ => (never, _) = (never + 1, assert!(!mates, "{:?}", engine.facts(state))),
        }
    }
    assert!(soon > 1000 && late > 0 && never > 0, "{soon} {late} {never}");
}

/// Every legal position of king and rook against king has the distance of the chess table, which other code made of other rules.
#[test]
fn king_and_rook_have_the_distances_of_the_chess_table() {
    let (_, engine, board) = known("krk");
    let pattern = Pattern::parse("wk wr bk", &board).unwrap();
    let table =
        build(&engine, &board, &pattern, &Settings { states: 600_000, ..Settings::default() }, &mut |_| true).unwrap();
    let mut tables = Tables::new();
    build_all(Material::parse("KRK").unwrap(), Metric::Mate, &mut tables, &mut |_, _| true).unwrap();
    let man = |thing: usize| match board.things[thing].name.as_str() {
        "wk" => Man { colour: Colour::White, kind: Kind::King },
        "wr" => Man { colour: Colour::White, kind: Kind::Rook },
        _ => Man { colour: Colour::Black, kind: Kind::King },
    };
    let mut legal = [0; 2];
    for (facts, turn) in placements(&engine, &board, &table) {
        let mut position = Position::empty([Colour::White, Colour::Black][turn.0 as usize]);
        for &fact in &facts {
            let (thing, cell) = board.place(fact).unwrap();
            let name = board.cells[cell].as_bytes();
            position.put(man(thing), 8 * (name[2] - b'1') + name[0] - b'a');
        }
        if position.broken() {
            continue;
        }
        legal[turn.0 as usize] += 1;
        let wanted = match (tables.probe(&position, Metric::Mate).unwrap(), turn.0) {
            (Outcome::Draw, _) => Value::Draw,
            (Outcome::Win(plies), 0) | (Outcome::Loss(plies), 1) => Value::Win(plies),
            (outcome, _) => panic!("Black cannot win: {outcome:?} {position:?}"),
        };
        assert_eq!(table.value(&board, turn, &facts), Some(wanted), "{turn:?} {position:?}");
    }
    // 28,056 up to symmetry with Black to move are 223,944 in all.
    assert_eq!(legal, [175_168, 223_944]);
}

#[test]
fn endings_of_small_breakthrough_are_right_everywhere() {
    let (won, _, lost) = agrees("breakthrough-small", "white white black");
    assert!(won > lost && lost > 0);
}

#[test]
fn what_is_too_large_is_said_before_anything_is_done() {
    let (_, engine, board) = known("krk");
    let pattern = Pattern::parse("wk wr bk", &board).unwrap();
    assert_eq!(pattern.placements(), 2 * 64 * 64 * 64);
    // More than a start clock allows: it is said before anything is done.
    let error = build(&engine, &board, &pattern, &Settings::default(), &mut |_| true).unwrap_err();
    assert_eq!(error, BuildError::TooLarge { limit: 500_000 });
    assert!(error.to_string().contains("allow more states"));
    let stopped = build(&engine, &board, &pattern, &Settings { states: 600_000, ..Settings::default() }, &mut |at| {
        at.done < 1000
    });
    assert_eq!(stopped.unwrap_err(), BuildError::Stopped);
}

#[test]
fn what_is_no_piece_is_named() {
    let (_, _, board) = known("krk");
    let error = Pattern::parse("wk pawn", &board).unwrap_err();
    assert_eq!(error.to_string(), "there is no piece \"pawn\"; there are wk, wr, bk");
    assert!(Pattern::parse(" ", &board).is_err());
}

#[test]
fn patterns_are_chosen_and_foretell() {
    use abstraction::pattern::{Watched, build_all, candidates, carry::carry, choose};
    use game::Evaluator;
    use std::sync::Arc;
    let (_, engine, board) = known("breakthrough-small");
    let board = Arc::new(board);
    let settings = Settings::default();
    let watched = Watched::run(&engine, &board, 1, true, &mut |games| games < 600).unwrap();
    assert_eq!(watched.owners, [Some(Role(0)), Some(Role(1))]);
    let patterns = candidates(&board, &watched, &settings).unwrap();
    let tried = build_all(&engine, &board, patterns, &settings, &mut |_, _| true).unwrap();
    let choice = choose(&board, &watched, tried.clone(), (0, 100), &mut |_| true);
    let evaluator = choice.evaluator.unwrap();
    let last = choice.chosen.last().unwrap();
    assert!(last.loss.unwrap() < choice.base.unwrap(), "{:?} {:?}", last.loss, choice.base);
    let (counting, with) = choice.correlations.unwrap();
    assert!(with > counting, "{with} {counting}");
    let state = engine.start();
    let mut view = engine.view();
    let values = [0, 1].map(|role| evaluator.value(&engine, &state, &mut view, Role(role)));
    assert!((values[0] + values[1] - 100.0).abs() < 0.01, "{values:?}");
    let carried = carry(&engine, &board, &last.table.pattern, &watched.samples, 1).unwrap();
    assert!(carried.carried > 100 && carried.still > 100, "{carried:?}");
    // Where the time is over before anything is weighed, nothing is used.
    assert!(choose(&board, &watched, tried, (0, 100), &mut |_| false).evaluator.is_none());
}

/// Where random games do not tell, both sides are measured by as many pieces: else the side with more of them would seem to be behind.
#[test]
fn races_are_measured_with_as_many_pieces_on_both_sides() {
    use abstraction::pattern::{Other, Watched, build_all, choose};
    let (_, engine, board) = known("breakthrough-small");
    let board = std::sync::Arc::new(board);
    let watched = Watched::run(&engine, &board, 1, false, &mut |games| games < 6).unwrap();
    let alone = |pieces: usize, role: u8| Pattern::new(vec![role.into(); pieces], Other::Absent, Role(role), &board);
    let patterns = vec![alone(1, 0), alone(1, 1), alone(2, 0), alone(2, 1), alone(3, 0)];
    let tried = build_all(&engine, &board, patterns, &Settings::default(), &mut |_, _| true).unwrap();
    let choice = choose(&board, &watched, tried, (0, 100), &mut |_| true);
    let pieces: Vec<usize> = choice.chosen.iter().map(|one| one.table.pattern.things.len()).collect();
    assert_eq!(pieces, [2, 2]);
    let chance = choice.evaluator.unwrap().chance(&engine, &engine.start());
    assert!((chance - 0.5).abs() < 0.001, "{chance}");
}

#[test]
fn tables_together_stay_below_their_limit() {
    use abstraction::pattern::{Watched, candidates};
    let (_, engine, board) = known("breakthrough-small");
    let watched = Watched::run(&engine, &board, 1, false, &mut |games| games < 12).unwrap();
    let bytes = |settings: &Settings| {
        let patterns = candidates(&board, &watched, settings).unwrap();
        patterns.iter().map(Pattern::entries).sum::<u64>()
    };
    let (most, few) = (bytes(&Settings::default()), bytes(&Settings { bytes: 10_000, ..Settings::default() }));
    assert!(few > 1000 && few <= 10_000 && most > 10_000, "{few} {most}");
    // The states of a build and the tables beside it: both fit.
    let small = Settings::within(64 << 20);
    let largest = Pattern::parse("white white black", &board).unwrap();
    assert!(small.memory(&largest) + small.bytes - largest.entries() <= 64 << 20, "{small:?}");
}

#[test]
fn where_pieces_are_placed_or_few_decide_nothing_there_is_no_pattern() {
    use abstraction::pattern::{Watched, build_all, candidates};
    let settings = Settings::default();
    let (_, engine, board) = known("hex");
    let watched = Watched::run(&engine, &board, 1, false, &mut |games| games < 5).unwrap();
    assert!(candidates(&board, &watched, &settings).unwrap_err().contains("put on the board"));
    // Two kings, and nobody can win.
    let (_, engine, board) = known("krk");
    let kings = vec![Pattern::parse("wk bk", &board).unwrap()];
    let (tried, why) = build_all(&engine, &board, kings, &settings, &mut |_, _| true).unwrap_err();
    assert!(tried.len() == 1 && why.contains("decide nothing"), "{why}");
}

/// In checkers one must take, and often there is one way only: then the facts say whose move it is.
#[test]
fn forced_moves_are_those_of_the_side_to_move() {
    use abstraction::pattern::Watched;
    let (_, engine, board) = known("checkers");
    let watched = Watched::run(&engine, &board, 1, false, &mut |games| games < 12).unwrap();
    for (thing, owner) in board.things.iter().zip(&watched.owners) {
        assert_eq!(*owner, Some(Role(u8::from(thing.name.starts_with("white")))), "{}", thing.name);
    }
    for sample in &watched.samples {
        let facts = engine.facts(&sample.state);
        assert!(facts.contains(&format!("(control {})", engine.role_name(sample.turn))), "{facts:?}");
    }
}
