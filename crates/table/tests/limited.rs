//! Games that a counter ends: solved without it, and compared state by state with the game solved with it.

use game::{Game, Goal, Limit, Move, Names, Role, Turn};
use proptest::prelude::*;
use table::file::Form;
use table::oracle::{Oracle, Standing};
use table::solve::{
    Counted, Counter, LineEnd, Options, SolveError, SolvedTable, StoredGame, key_of_facts, solve, solve_limited,
};

/// A game as a picture: who decides where, where one can go, and what one has there. An end is where there is nowhere to go.
#[derive(Clone, Debug)]
struct Picture {
    roles: usize,
    places: Vec<(u8, Vec<u8>, (u8, u8))>,
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
        let (mover, to, _) = &self.places[*view as usize];
        if to.is_empty() { Turn::Over } else { Turn::One(Role(*mover)) }
    }
    fn legal(&self, view: &u8, role: Role, out: &mut Vec<Move>) {
        let (mover, to, _) = &self.places[*view as usize];
        if *mover == role.0 { out.extend(to.iter().map(|to| Move(u32::from(*to)))) } else { out.push(Move(0)) }
    }
    fn goal(&self, view: &mut u8, role: Role) -> Result<Option<Goal>, Limit> {
        let goals = self.places[*view as usize].2;
        Ok(Some(if role.0 == 0 { goals.0 } else { goals.1 }))
    }
    fn play(&self, view: &mut u8, joint: &[Move], next: &mut u8) -> Result<(), Limit> {
        *next = joint[self.places[*view as usize].0 as usize].0 as u8;
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

/// Pictures whose ends have one of these goals, and all else that of the limit.
fn pictures(roles: usize, ends: &'static [(u8, u8)], idle: (u8, u8)) -> impl Strategy<Value = Picture> {
    let place = (0..roles as u8, prop::collection::vec(any::<u8>(), 0..4), 0..ends.len());
    prop::collection::vec(place, 1..24).prop_map(move |places| {
        let count = places.len();
        let places = places.into_iter().map(|(mover, to, end)| {
            let mut to: Vec<u8> = to.into_iter().map(|to| (to as usize % count) as u8).collect();
            to.sort_unstable();
            to.dedup();
            let goals = if to.is_empty() { ends[end] } else { idle };
            (mover, to, goals)
        });
        Picture { roles, places: places.collect() }
    })
}

fn counter(plies: u32) -> Counter {
    Counter { facts: (0..=plies).map(|step| format!("(step {step})")).collect() }
}

/// Every state of the game with its counter, as the one without it answers.
fn compare(game: &Picture, plies: u32) {
    let counted = Counted { free: game, plies };
    let full = solve(&counted, &Options::default(), None, &mut |_| true).unwrap();
    let limited = solve_limited(game, &counter(plies), &Options::default(), None, &mut |_| true).unwrap();
    assert_eq!(full.start(), limited.start());
    for place in 0..game.places.len() as u8 {
        for step in 0..=plies {
            let Some(entry) = full.probe(&(place, step)) else { continue };
            assert_eq!(limited.probe(&place, plies - step), Some(entry), "{place} after {step} of {plies}: {game:?}");
            let (line, known) =
                (limited.line(game, &(place, step)).unwrap(), full.line(&counted, &(place, step)).unwrap());
            assert_eq!((line.end, line.steps.len()), (known.end, known.steps.len()));
            let choices = limited.choices(game, &(place, step)).unwrap();
            let best = choices.iter().filter(|choice| choice.best).count();
            let others = full.choices(&counted, &(place, step)).unwrap();
            assert_eq!(best, others.iter().filter(|choice| choice.best).count());
        }
    }
}

proptest! {
    #[test]
    fn two_roles_are_answered_exactly(
        game in pictures(2, &[(100, 0), (0, 100), (50, 50), (100, 0)], (50, 50)),
        plies in 0u32..20,
    ) {
        compare(&game, plies);
    }

    #[test]
    fn uneven_wins_are_answered_exactly(game in pictures(2, &[(80, 20), (30, 40)], (10, 10)), plies in 0u32..20) {
        compare(&game, plies);
    }

    #[test]
    fn one_role_is_answered_exactly(game in pictures(1, &[(100, 0)], (25, 0)), plies in 0u32..20) {
        compare(&game, plies);
    }

    /// Through a file, in the words of the game with its counter.
    #[test]
    fn tables_answer_within_the_limit(
        game in pictures(2, &[(100, 0), (0, 100), (50, 50)], (50, 50)),
        plies in 1u32..12,
        number: u64,
    ) {
        let name = |state: &u8| key_of_facts(game.facts(state));
        let limited = solve_limited(&game, &counter(plies), &Options::default(), Some(&name), &mut |_| true).unwrap();
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("limited-{number}.table"));
        let roles = ["first".to_string(), "second".to_string()];
        let stored = StoredGame { name: "picture", roles: &roles, identity: "it", rules: "rules" };
        limited.store_game(&path, &stored, Form::Raw).unwrap();
        let table = SolvedTable::open_found(&path).unwrap();
        for place in 0..game.places.len() as u8 {
            for step in 0..=plies {
                let facts = vec![format!("(step {step})"), format!("(at {place})")];
                let entry = limited.probe(&place, plies - step);
                prop_assert_eq!(table.probe_facts(&facts).unwrap(), entry);
                prop_assert_eq!(table.ask(&facts).unwrap(), entry.map(|entry| entry.verdict(2)));
            }
        }
        let verified = table.verify(&game, &mut |_| true).unwrap().unwrap();
        prop_assert_eq!(verified.wrong, 0);
        prop_assert!(verified.limit_holds);
        let start = table.probe_facts(&["(step 0)", "(at 0)"]).unwrap();
        prop_assert_eq!(table.summary().misstated(&verified.statistics, start), None);
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_limit_that_does_not_fit_the_rules_is_found() {
    // The same moves and ends; but what one has on the way is even in the one game, and not in the other.
    let game =
        |idle| Picture { roles: 2, places: vec![(0, vec![1], idle), (1, vec![0, 2], (50, 50)), (0, vec![], (100, 0))] };
    let (even, uneven) = (game((50, 50)), game((60, 40)));
    let name = |state: &u8| key_of_facts(even.facts(state));
    let limited = solve_limited(&even, &counter(4), &Options::default(), Some(&name), &mut |_| true).unwrap();
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("limited-unfit.table");
    let roles = ["first".to_string(), "second".to_string()];
    let stored = StoredGame { name: "picture", roles: &roles, identity: "it", rules: "rules" };
    limited.store_game(&path, &stored, Form::Raw).unwrap();
    let table = SolvedTable::open_found(&path).unwrap();
    for (game, holds) in [(&even, true), (&uneven, false)] {
        let verified = table.verify(game, &mut |_| true).unwrap().unwrap();
        assert_eq!((verified.wrong, verified.limit_holds), (0, holds));
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn what_cannot_be_left_out_is_told() {
    let solved = |places: Vec<(u8, Vec<u8>, (u8, u8))>, roles: usize| {
        let game = Picture { roles, places };
        solve_limited(&game, &counter(5), &Options::default(), None, &mut |_| true).map(|limited| limited.start())
    };
    let even = (50, 50);
    for (places, roles, word) in [
        // Two wins of different worth: the smaller one in time, or the greater one too late.
        (vec![(0, vec![1, 2], even), (0, vec![], (100, 0)), (0, vec![], (70, 30))], 2, "different worth"),
        (vec![(0, vec![1], (60, 40)), (0, vec![], (100, 0))], 2, "not always even"),
        (vec![(0, vec![1, 2], (0, 0)), (0, vec![], (100, 0)), (0, vec![], (70, 0))], 1, "several goals"),
        (vec![(0, vec![1], (0, 0)), (0, vec![2], (10, 0)), (0, vec![], (100, 0))], 1, "always the same"),
    ] {
        let error = solved(places, roles).unwrap_err();
        assert!(matches!(&error, SolveError::Counter(why) if why.contains(word)), "{error}");
    }
    let nothing = Counter { facts: Vec::new() };
    let game = Picture { roles: 1, places: vec![(0, vec![], (100, 0))] };
    let error = solve_limited(&game, &nothing, &Options::default(), None, &mut |_| true).err().unwrap();
    assert!(error.to_string().contains("with its counter"), "{error}");
}

/// A win that takes three plies is one within three and none within two; and then the line runs into the limit.
#[test]
fn time_runs_out() {
    let on = |to: u8| (to % 2, vec![to + 1], (50, 50));
    let game = Picture { roles: 2, places: vec![on(0), on(1), on(2), (0, vec![], (100, 0))] };
    for (plies, standing, length) in [(3, Standing::Ahead, 3), (2, Standing::Even, 2), (9, Standing::Ahead, 3)] {
        let limited = solve_limited(&game, &counter(plies), &Options::default(), None, &mut |_| true).unwrap();
        assert_eq!(limited.start().verdict(2).standing(Role(0)), Some(standing));
        let line = limited.line(&game, &(0, 0)).unwrap();
        assert_eq!(line.steps.len(), length);
        assert!(matches!(line.end, LineEnd::Over(_)));
    }
}

/// King and rook against king, with and without the clock: one minute or one second.
#[test]
fn the_rook_is_solved_without_its_clock() {
    struct Free(native::chess::Chess);
    impl Game for Free {
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
    let game = Free(native::chess::Chess::krk());
    let limited = solve_limited(&game, &counter(100), &Options::default(), None, &mut |_| true).unwrap();
    assert_eq!((limited.start().value, limited.start().distance), (Some(100), Some(31)));
    let start = game.start();
    assert_eq!(limited.probe(&start, 31).unwrap().value, Some(100));
    assert_eq!(limited.probe(&start, 30).unwrap().value, Some(0));
    assert_eq!(limited.line(&game, &(start, 69)).unwrap().steps.len(), 31);
    assert_eq!(limited.line(&game, &(start, 70)).unwrap().steps.len(), 30);
}
