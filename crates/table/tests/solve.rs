//! Solving from the rules: random games against a brute-force minimax, games with a known answer, and stored tables.

use game::{Game, Goal, Limit, Move, Names, Role, Turn};
use proptest::prelude::*;
use std::collections::VecDeque;
use table::file::Form;
use table::solve::{Entry, LineEnd, Options, Phase, SolveError, SolvedTable, StoredGame, key_of_facts, solve};

/// A game as a picture: who decides where, and where one can go; an end where there is nowhere to go.
#[derive(Clone, Debug)]
struct Picture {
    roles: usize,
    places: Vec<Place>,
}

#[derive(Clone, Debug)]
struct Place {
    mover: u8,
    to: Vec<u8>,
    goals: (u8, u8),
}

impl Game for Picture {
    type State = u8;
    type View = u8;
    fn roles(&self) -> usize {
        self.roles
    }
    fn start(&self) -> u8 {
        0
    }
    fn view(&self) -> u8 {
        0
    }
    fn look(&self, state: &u8, view: &mut u8) -> Result<(), Limit> {
        *view = *state;
        Ok(())
    }
    fn turn(&self, view: &u8) -> Turn {
        let place = &self.places[*view as usize];
        if place.to.is_empty() { Turn::Over } else { Turn::One(Role(place.mover)) }
    }
    fn legal(&self, view: &u8, role: Role, out: &mut Vec<Move>) {
        let place = &self.places[*view as usize];
        if place.mover == role.0 {
            out.extend(place.to.iter().map(|to| Move(u32::from(*to))));
        } else {
            out.push(Move(0));
        }
    }
    fn goal(&self, view: &mut u8, role: Role) -> Result<Option<Goal>, Limit> {
        let goals = self.places[*view as usize].goals;
        Ok(Some(if role.0 == 0 { goals.0 } else { goals.1 }))
    }
    fn play(&self, view: &mut u8, joint: &[Move], next: &mut u8) -> Result<(), Limit> {
        *next = joint[self.places[*view as usize].mover as usize].0 as u8;
        Ok(())
    }
}

impl Names for Picture {
    fn role_name(&self, role: Role) -> &str {
        ["first", "second"][role.0 as usize]
    }
    fn move_text(&self, mv: Move) -> String {
        format!("(go {})", mv.0)
    }
    fn facts(&self, state: &u8) -> Vec<String> {
        vec![format!("(at {state})")]
    }
    fn state_of(&self, facts: &[&str]) -> Option<u8> {
        facts.first()?.strip_prefix("(at ")?.strip_suffix(')')?.parse().ok()
    }
}

fn pictures(roles: usize, ascending: bool) -> impl Strategy<Value = Picture> {
    let goal = prop_oneof![Just(0u8), Just(50), Just(100), 0u8..=100];
    let place = (0..roles as u8, prop::collection::vec(any::<u8>(), 0..4), (goal.clone(), goal));
    prop::collection::vec(place, 1..24).prop_map(move |places| {
        let count = places.len();
        let places = places.into_iter().enumerate().map(|(at, (mover, to, goals))| {
            let first = if ascending { at + 1 } else { 0 };
            let mut to: Vec<u8> = to
                .into_iter()
                .filter(|_| first < count)
                .map(|to| (first + to as usize % (count - first)) as u8)
                .collect();
            to.sort_unstable();
            to.dedup();
            Place { mover, to, goals }
        });
        Picture { roles, places: places.collect() }
    })
}

/// All values and distances, by looking ahead so far that nothing more can change.
fn minimax(game: &Picture) -> Vec<Entry> {
    const SCALE: i32 = 1000;
    let count = game.places.len();
    let mut scores = vec![0i32; count];
    for _ in 0..=count * 2 {
        scores = game
            .places
            .iter()
            .map(|place| {
                if place.to.is_empty() {
                    return SCALE * (i32::from(place.goals.0) - i32::from(place.goals.1));
                }
                let scores = place.to.iter().map(|to| scores[*to as usize]).map(|score| score - score.signum());
                if place.mover == 0 { scores.max().unwrap() } else { scores.min().unwrap() }
            })
            .collect();
    }
    let entry = |score: i32| {
        let value = (score.abs() + SCALE / 2) / SCALE * score.signum();
        let distance = (value * SCALE - score).unsigned_abs() as u16;
        Entry { value: Some(value as i8), distance: (score != 0).then_some(distance) }
    };
    scores.into_iter().map(entry).collect()
}

/// The best goal that one player can reach from a place, and the fewest moves to it.
fn reachable(game: &Picture, from: usize) -> Entry {
    let mut distance = vec![None; game.places.len()];
    distance[from] = Some(0u16);
    let mut queue = VecDeque::from([from]);
    let mut best: Option<(u8, u16)> = None;
    while let Some(at) = queue.pop_front() {
        let (place, moves) = (&game.places[at], distance[at].unwrap());
        if place.to.is_empty() && best.is_none_or(|(goal, _)| place.goals.0 > goal) {
            best = Some((place.goals.0, moves));
        }
        for to in &place.to {
            if distance[*to as usize].is_none() {
                distance[*to as usize] = Some(moves + 1);
                queue.push_back(*to as usize);
            }
        }
    }
    Entry { value: best.map(|(goal, _)| goal as i8), distance: best.map(|(_, moves)| moves) }
}

fn reached(game: &Picture) -> Vec<usize> {
    let mut seen = vec![false; game.places.len()];
    let mut open = vec![0usize];
    seen[0] = true;
    while let Some(at) = open.pop() {
        for to in &game.places[at].to {
            if !std::mem::replace(&mut seen[*to as usize], true) {
                open.push(*to as usize);
            }
        }
    }
    (0..seen.len()).filter(|at| seen[*at]).collect()
}

fn folder() -> std::path::PathBuf {
    let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("solve");
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn compare(game: &Picture, threads: usize, expected: impl Fn(usize) -> Entry) {
    let options = Options { threads, ..Options::default() };
    let solved = solve(game, &options, None, &mut |_| true).unwrap();
    let reached = reached(game);
    assert_eq!(solved.statistics().states, reached.len() as u64);
    assert_eq!(solved.statistics().values.values().sum::<u64>(), reached.len() as u64);
    for at in reached {
        assert_eq!(solved.probe(&(at as u8)), Some(expected(at)), "place {at}");
        // Best play keeps the value and takes as long as was said.
        let line = solved.line(game, &(at as u8)).unwrap();
        let entry = expected(at);
        if let Some(distance) = entry.distance {
            assert_eq!(line.steps.len(), usize::from(distance));
            let LineEnd::Over(goals) = line.end else { panic!("{:?}", line.end) };
            let second = if game.roles == 2 { goals[1].unwrap() } else { 0 };
            assert_eq!(Some(goals[0].unwrap() as i8 - second as i8), entry.value);
        }
    }
}

proptest! {
    #[test]
    fn two_players_agree_with_minimax(game in pictures(2, false), threads in 1usize..4) {
        let scores = minimax(&game);
        compare(&game, threads, |at| scores[at]);
    }

    #[test]
    fn two_players_without_repetition_agree_with_minimax(game in pictures(2, true)) {
        let scores = minimax(&game);
        compare(&game, 2, |at| scores[at]);
    }

    #[test]
    fn one_player_agrees_with_a_search(game in pictures(1, false)) {
        compare(&game, 2, |at| reachable(&game, at));
    }

    #[test]
    fn one_player_without_repetition_agrees_with_a_search(game in pictures(1, true)) {
        compare(&game, 1, |at| reachable(&game, at));
    }

    #[test]
    fn tables_say_what_the_solution_says(game in pictures(2, false), compressed: bool, number: u64) {
        let name = |state: &u8| key_of_facts(game.facts(state));
        let solved = solve(&game, &Options::default(), Some(&name), &mut |_| true).unwrap();
        let path = folder().join(format!("{number}.table"));
        let form = if compressed { Form::Compressed } else { Form::Raw };
        let roles = ["first".to_string(), "second".to_string()];
        let stored = StoredGame { name: "picture", roles: &roles, identity: "that of the picture", rules: "rules" };
        solved.store_game(&path, &stored, form).unwrap();
        let table = SolvedTable::open(&path, "rules", 2).unwrap();
        for at in 0..game.places.len() as u8 {
            prop_assert_eq!(table.probe_state(&game, &at).unwrap(), solved.probe(&at));
            prop_assert_eq!(table.probe(name(&at)).unwrap(), solved.probe(&at));
        }
        prop_assert_eq!(table.line(&game, &0).unwrap(), solved.line(&game, &0).unwrap());
        table.check().unwrap();
        let mut verified = table.verify(&game, &mut |_| true).unwrap().unwrap();
        prop_assert_eq!(verified.wrong, 0);
        // Counted again, and the same, apart from what depends on the order of moves.
        verified.statistics.may_repeat = solved.statistics().may_repeat;
        prop_assert_eq!(&verified.statistics, solved.statistics());
        let (summary, start) = (table.summary(), table.probe_state(&game, &0).unwrap());
        prop_assert_eq!(summary.misstated(&verified.statistics, start), None);
        prop_assert_eq!(summary.rules.as_ref().map(|rules| rules.identity.as_str()), Some(stored.identity));
        verified.statistics.terminal += 1;
        prop_assert!(summary.misstated(&verified.statistics, start).is_some_and(|why| why.contains("terminal")));
        // Whatever byte of the data is changed, a line is not shown.
        if !compressed {
            let mut bytes = std::fs::read(&path).unwrap();
            bytes[56 + (number % (11 * table.states())) as usize] ^= 1;
            std::fs::write(&path, bytes).unwrap();
            let error = SolvedTable::open(&path, "rules", 2).unwrap().line(&game, &0).unwrap_err().to_string();
            prop_assert!(error.contains("damaged"), "{error}");
        }
        prop_assert!(SolvedTable::open(&path, "other rules", 2).is_err());
        std::fs::remove_file(path).unwrap();
    }
}

/// Heaps; a turn takes any number from one; who takes the last one wins.
struct Nim(Vec<u8>);

impl Game for Nim {
    type State = (Vec<u8>, u8);
    type View = (Vec<u8>, u8);
    fn roles(&self) -> usize {
        2
    }
    fn start(&self) -> Self::State {
        (self.0.clone(), 0)
    }
    fn view(&self) -> Self::View {
        (Vec::new(), 0)
    }
    fn look(&self, state: &Self::State, view: &mut Self::View) -> Result<(), Limit> {
        view.clone_from(state);
        Ok(())
    }
    fn turn(&self, view: &Self::View) -> Turn {
        if view.0.iter().all(|heap| *heap == 0) { Turn::Over } else { Turn::One(Role(view.1)) }
    }
    fn legal(&self, view: &Self::View, role: Role, out: &mut Vec<Move>) {
        if role.0 != view.1 {
            return out.push(Move(0));
        }
        for (at, heap) in view.0.iter().enumerate() {
            out.extend((1..=*heap).map(|taken| Move((at as u32) << 8 | u32::from(taken))));
        }
    }
    fn goal(&self, view: &mut Self::View, role: Role) -> Result<Option<Goal>, Limit> {
        Ok(Some(if role.0 == view.1 { 0 } else { 100 }))
    }
    fn play(&self, view: &mut Self::View, joint: &[Move], next: &mut Self::State) -> Result<(), Limit> {
        next.clone_from(view);
        let mv = joint[view.1 as usize].0;
        next.0[(mv >> 8) as usize] -= mv as u8;
        next.1 = 1 - view.1;
        Ok(())
    }
}

#[test]
fn nim_is_what_the_theory_says() {
    let game = Nim(vec![3, 5, 7]);
    let solved = solve(&game, &Options::default(), None, &mut |_| true).unwrap();
    for a in 0..=3u8 {
        for b in 0..=5u8 {
            for c in 0..=7u8 {
                for turn in 0..2u8 {
                    let Some(entry) = solved.probe(&(vec![a, b, c], turn)) else { continue };
                    let mover_wins = a ^ b ^ c != 0;
                    let value = if mover_wins == (turn == 0) { 100 } else { -100 };
                    assert_eq!(entry.value, Some(value), "{a} {b} {c}");
                }
            }
        }
    }
    // Either player may be to move, except where at most one was taken from each heap: then the number of moves is known.
    assert_eq!(solved.statistics().states, 4 * 6 * 8 * 2 - 8);
}

/// Tiles 1 to 8 and a gap (0) in a frame of three by three; the game is over when they are in order.
struct Eight;

impl Game for Eight {
    type State = [u8; 9];
    type View = [u8; 9];
    fn roles(&self) -> usize {
        1
    }
    fn start(&self) -> [u8; 9] {
        [0, 8, 5, 2, 1, 3, 6, 7, 4]
    }
    fn view(&self) -> [u8; 9] {
        [0; 9]
    }
    fn look(&self, state: &[u8; 9], view: &mut [u8; 9]) -> Result<(), Limit> {
        *view = *state;
        Ok(())
    }
    fn turn(&self, view: &[u8; 9]) -> Turn {
        if *view == [1, 2, 3, 4, 5, 6, 7, 8, 0] { Turn::Over } else { Turn::One(Role(0)) }
    }
    fn legal(&self, view: &[u8; 9], _: Role, out: &mut Vec<Move>) {
        let gap = view.iter().position(|tile| *tile == 0).unwrap();
        let beside = |at: usize| (at / 3).abs_diff(gap / 3) + (at % 3).abs_diff(gap % 3) == 1;
        out.extend((0..9).filter(|at| beside(*at)).map(|at| Move(at as u32)));
    }
    fn goal(&self, _: &mut [u8; 9], _: Role) -> Result<Option<Goal>, Limit> {
        Ok(Some(100))
    }
    fn play(&self, view: &mut [u8; 9], joint: &[Move], next: &mut [u8; 9]) -> Result<(), Limit> {
        *next = *view;
        next.swap(joint[0].0 as usize, view.iter().position(|tile| *tile == 0).unwrap());
        Ok(())
    }
}

#[test]
fn the_eight_puzzle_has_the_known_distances() {
    let mut phases = Vec::new();
    let solved = solve(&Eight, &Options::default(), None, &mut |reach| {
        phases.push(reach.phase);
        true
    })
    .unwrap();
    let statistics = solved.statistics();
    assert_eq!(statistics.states, 181_440);
    // Published: the number of positions at each distance from the solved one, with the gap in a corner.
    let known = [
        1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878, 16993, 17110,
        23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2,
    ];
    assert_eq!(statistics.distances[&100], known);
    assert_eq!(solved.probe(&Eight.start()).unwrap().distance, Some(24));
    assert_eq!(solved.line(&Eight, &Eight.start()).unwrap().steps.len(), 24);
    assert!(phases.contains(&Phase::Forward) && phases.contains(&Phase::Backward));
}

#[test]
fn what_storing_takes_is_counted() {
    let needed = |name: Option<&table::solve::Name<'_, Eight>>| {
        let mut most = 0;
        let solved = solve(&Eight, &Options::default(), name, &mut |reach| {
            most = most.max(reach.needed);
            true
        });
        (solved.unwrap().statistics().states, most)
    };
    let (states, without) = needed(None);
    let (_, with) = needed(Some(&|state| key_of_facts([format!("{state:?}")])));
    // A key for each state, in blocks.
    assert!(with >= without + 8 * states && with <= without + 17 * states + (1 << 20), "{without} and {with}");
}

#[test]
fn limits_say_how_far_it_came() {
    let little = Options { memory: 4 << 20, ..Options::default() };
    let Err(SolveError::Memory { reach, limit }) = solve(&Eight, &little, None, &mut |_| true) else {
        panic!("4 MiB are not enough")
    };
    assert!(limit == 4 << 20 && reach.needed > limit && reach.states > 1000 && reach.depth > 5, "{reach:?}");
    let text = SolveError::Memory { reach, limit }.to_string();
    assert!(text.contains("4 MiB") && text.contains("states seen"), "{text}");

    let Err(SolveError::Stopped(reach)) = solve(&Eight, &Options::default(), None, &mut |reach| reach.depth < 9) else {
        panic!("it was told to stop")
    };
    assert_eq!((reach.depth, reach.phase), (9, Phase::Forward));

    let three = Picture { roles: 3, places: vec![Place { mover: 0, to: Vec::new(), goals: (0, 0) }] };
    assert!(matches!(solve(&three, &Options::default(), None, &mut |_| true), Err(SolveError::Roles(3))));
}

/// Both choose at once.
struct Both;

impl Game for Both {
    type State = u8;
    type View = u8;
    fn roles(&self) -> usize {
        2
    }
    fn start(&self) -> u8 {
        0
    }
    fn view(&self) -> u8 {
        0
    }
    fn look(&self, state: &u8, view: &mut u8) -> Result<(), Limit> {
        *view = *state;
        Ok(())
    }
    fn turn(&self, view: &u8) -> Turn {
        if *view > 1 { Turn::Many } else { Turn::One(Role(0)) }
    }
    fn legal(&self, view: &u8, role: Role, out: &mut Vec<Move>) {
        out.extend((0..if *view > 1 || role.0 == 0 { 2 } else { 1 }).map(Move));
    }
    fn goal(&self, _: &mut u8, _: Role) -> Result<Option<Goal>, Limit> {
        Ok(None)
    }
    fn play(&self, view: &mut u8, joint: &[Move], next: &mut u8) -> Result<(), Limit> {
        *next = *view + joint[0].0 as u8;
        Ok(())
    }
}

#[test]
fn deciding_at_the_same_time_is_told() {
    let error = solve(&Both, &Options::default(), None, &mut |_| true).err().unwrap();
    assert!(matches!(&error, SolveError::Simultaneous(reach) if reach.depth == 2), "{error}");
    assert!(error.to_string().contains("2 moves from the start"), "{error}");
}

/// King and rook against king, without the clock.
struct Krk(native::chess::Chess);

impl Game for Krk {
    type State = native::chess::State;
    type View = native::chess::View;
    fn roles(&self) -> usize {
        2
    }
    fn start(&self) -> Self::State {
        self.0.start()
    }
    fn view(&self) -> Self::View {
        self.0.view()
    }
    fn look(&self, state: &Self::State, view: &mut Self::View) -> Result<(), Limit> {
        self.0.look(state, view)
    }
    fn turn(&self, view: &Self::View) -> Turn {
        self.0.turn(view)
    }
    fn legal(&self, view: &Self::View, role: Role, out: &mut Vec<Move>) {
        self.0.legal(view, role, out);
    }
    fn goal(&self, view: &mut Self::View, role: Role) -> Result<Option<Goal>, Limit> {
        self.0.goal(view, role)
    }
    fn play(&self, view: &mut Self::View, joint: &[Move], next: &mut Self::State) -> Result<(), Limit> {
        self.0.play(view, joint, next)?;
        next.quiet = 0;
        Ok(())
    }
}

#[test]
fn rook_against_king_is_won_in_sixteen_moves() {
    let game = Krk(native::chess::Chess::krk());
    let solved = solve(&game, &Options::default(), None, &mut |_| true).unwrap();
    let start = solved.probe(&game.start()).unwrap();
    assert_eq!((start.value, start.distance), (Some(100), Some(31)));
    // White to move wins from every legal position, and none takes longer.
    let wins = &solved.statistics().distances[&100];
    assert_eq!(wins.len(), 33);
    assert_eq!(wins.iter().skip(1).step_by(2).sum::<u64>(), 175_168);
}
