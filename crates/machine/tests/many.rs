//! Many games side by side, held to one state at a time: every game of the library on lanes and one by one, with the same moves.
//! What lanes say of each game (who decides, legal actions, facts, how it ended and with which goals) has to be what the
//! single states say.

mod library;

use game::{Cancel, Game, Names, Role, Turn, roles};
use machine::{
    Actions, Done, Engine, EngineKind, Form, Loader, ManyGames, Numbering, OVER, SEVERAL, Settings, StepError, Whose,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Games side by side: more than a group, and the last group is not full.
const COUNT: usize = 520;
/// The seconds that one game of the library may take.
const SECONDS: f64 = 2.0;

fn engine(name: &str, kind: EngineKind) -> Option<Engine> {
    Loader::new(&library::rules(name)).make(kind).ok()
}

fn settings(count: usize) -> Settings {
    Settings { count, seed: 3, restarts: true, most: None }
}

/// Games and arrays for them.
struct Told {
    games: ManyGames,
    goals: Vec<f32>,
    ended: Vec<u8>,
}

impl Told {
    fn new(games: ManyGames, roles: usize) -> Told {
        let count = games.len();
        Told { games, goals: vec![9.0; count * roles], ended: vec![9; count] }
    }

    fn step(&mut self, actions: Actions<'_>) -> Result<(), StepError> {
        self.games.step(actions, Done { goals: &mut self.goals, ended: &mut self.ended })
    }

    fn masks(&self, whose: Whose, form: Form, rows: usize, columns: usize) -> Vec<u8> {
        let mut masks = vec![9; rows * form.row(columns)];
        self.games.masks(whose, form, &mut masks).unwrap();
        masks
    }

    fn facts(&self, form: Form, columns: usize) -> Vec<u8> {
        let mut facts = vec![9; self.games.len() * form.row(columns)];
        self.games.facts(form, &mut facts).unwrap();
        facts
    }
}

/// Both say the same of every game.
fn agree(name: &str, numbering: &Numbering, roles: usize, one: &Told, many: &Told) {
    assert_eq!(one.games.players(), many.games.players(), "{name}");
    assert_eq!((&one.goals, &one.ended), (&many.goals, &many.ended), "{name}");
    let (actions, facts, count) = (numbering.widest(), numbering.facts(), many.games.len());
    for form in [Form::Bytes, Form::Bits] {
        assert_eq!(one.facts(form, facts), many.facts(form, facts), "{name} {form:?}");
        for (whose, rows) in [(Whose::Deciding, count), (Whose::All, count * roles)] {
            let masks = [one, many].map(|told| told.masks(whose, form, rows, actions));
            assert_eq!(masks[0], masks[1], "{name} {whose:?} {form:?}");
        }
    }
    assert_eq!(one.games.state(count / 2), many.games.state(count / 2), "{name}");
}

/// Plays the same random games on lanes and one by one, until the time is over.
fn compare(name: &str, engine: &Engine, count: usize, restarts: bool, steps: usize) -> usize {
    let numbering = Arc::new(Numbering::new(engine).unwrap());
    let settings = || Settings { restarts, most: Some(40), ..settings(count) };
    let roles = engine.roles();
    let mut one = Told::new(ManyGames::one_by_one(engine, &numbering, settings()).unwrap(), roles);
    let mut all = [
        Told::new(ManyGames::new(engine, &numbering, settings()).unwrap(), roles),
        Told::new(ManyGames::portable(engine, &numbering, settings()).unwrap(), roles),
    ];
    assert!(all.iter().all(|many| many.games.has_lanes()) && !one.games.has_lanes());
    let began = Instant::now();
    for step in 0..steps {
        all.iter().for_each(|many| agree(name, &numbering, roles, &one, many));
        if began.elapsed() > Duration::from_secs_f64(SECONDS) {
            return step;
        }
        let is_joint = step % 2 == 0 || one.games.players().contains(&SEVERAL);
        let whose = if is_joint { Whose::All } else { Whose::Deciding };
        let mut chosen = vec![9; if is_joint { count * roles } else { count }];
        // Each draws for the others by turns.
        let drawn =
            if step % 3 == 0 { one.games.sample(whose, &mut chosen) } else { all[0].games.sample(whose, &mut chosen) };
        drawn.unwrap();
        let actions = if is_joint { Actions::Joint(&chosen) } else { Actions::Deciding(&chosen) };
        one.step(actions).unwrap();
        all.iter_mut().for_each(|many| many.step(actions).unwrap());
    }
    steps
}

#[test]
fn lanes_say_what_single_states_say() {
    let mut steps = 0;
    for name in library::names() {
        // The largest take longer to load than all others; `ludens replay` and the tests in Python go through them.
        let large =
            library::file(&name, "rules.kif").len() > 20_000 || ["chess", "amazons", "checkers"].contains(&&*name);
        let Some(engine) = (!large).then(|| engine(&name, EngineKind::Net)).flatten() else { continue };
        let is_small = engine.net().is_some_and(|net| net.size().operations < 3000);
        steps += compare(&name, &engine, if is_small { COUNT } else { 3 }, is_small, 60);
    }
    assert!(steps > 500, "{steps} steps");
}

#[test]
fn other_engines_number_what_comes_up() {
    let engine = engine("tic-tac-toe", EngineKind::Rules).unwrap();
    let numbering = Arc::new(Numbering::new(&engine).unwrap());
    assert!(!numbering.is_fixed());
    let before = (numbering.widest(), numbering.facts());
    let mut many = Told::new(ManyGames::new(&engine, &numbering, settings(40)).unwrap(), 2);
    let mut chosen = vec![0; 40];
    for _ in 0..30 {
        many.games.sample(Whose::Deciding, &mut chosen).unwrap();
        many.step(Actions::Deciding(&chosen)).unwrap();
    }
    // Nine marks and a noop for each; a cell is blank or has one of two marks, and it is somebody's turn.
    assert_eq!(before, (9, 10));
    assert_eq!((numbering.widest(), numbering.facts()), (10, 29));
    for role in roles(&engine) {
        for action in 0..10 {
            let mv = numbering.move_of(role, action).unwrap();
            assert_eq!(numbering.action(role, mv), Some(action as u32));
            assert_eq!(numbering.action_text(role, action), Some(engine.move_text(mv)));
        }
        assert_eq!(numbering.move_of(role, 10), None);
        assert_eq!(numbering.move_of(role, -1), None);
    }
    let texts: std::collections::BTreeSet<String> = (0..29).map(|fact| numbering.fact_text(fact).unwrap()).collect();
    assert_eq!(texts.len(), 29);
    // Rows have exactly the facts of their states.
    let facts = many.facts(Form::Bytes, 29);
    for game in 0..40 {
        let state = many.games.state(game);
        let row: Vec<String> = (0..29)
            .filter(|fact| facts[29 * game + fact] == 1)
            .map(|fact| numbering.fact_text(fact).unwrap())
            .collect();
        let mut row = row;
        row.sort();
        assert_eq!(row, engine.facts(&state));
    }
}

#[test]
fn what_is_wrong_changes_nothing() {
    let engine = engine("tic-tac-toe", EngineKind::Net).unwrap();
    let numbering = Arc::new(Numbering::new(&engine).unwrap());
    let makers: [fn(&Engine, &Arc<Numbering>) -> ManyGames; 2] = [
        |engine, numbering| ManyGames::new(engine, numbering, settings(3)).unwrap(),
        |engine, numbering| ManyGames::one_by_one(engine, numbering, settings(3)).unwrap(),
    ];
    for make in makers {
        let mut many = Told::new(make(&engine, &numbering), 2);
        let mut chosen = vec![0; 3];
        many.games.sample(Whose::Deciding, &mut chosen).unwrap();
        let before = many.facts(Form::Bytes, numbering.facts());
        for (game, action) in [(2, 99), (1, -1), (0, i64::MIN)] {
            let mut wrong = chosen.clone();
            wrong[game] = action;
            let error = many.step(Actions::Deciding(&wrong)).unwrap_err();
            assert_eq!(error, StepError::Illegal { game, role: Role(0), action });
        }
        assert_eq!(many.step(Actions::Deciding(&[1; 2])), Err(StepError::Length { is: 2, should: 3 }));
        assert_eq!(many.step(Actions::Joint(&[1; 3])), Err(StepError::Length { is: 3, should: 6 }));
        assert!(many.games.sample(Whose::All, &mut [0; 3]).is_err());
        assert!(many.games.masks(Whose::All, Form::Bits, &mut [0; 3]).is_err());
        assert_eq!(many.facts(Form::Bytes, numbering.facts()), before);
        many.step(Actions::Deciding(&chosen)).unwrap();
        // The same mark again is not legal, and it is the other's turn.
        assert!(matches!(many.step(Actions::Deciding(&chosen)), Err(StepError::Illegal { role: Role(1), .. })));
    }
}

#[test]
fn games_can_be_put_anywhere() {
    let engine = engine("connect-four", EngineKind::Net).unwrap();
    let numbering = Arc::new(Numbering::new(&engine).unwrap());
    let mut many = Told::new(ManyGames::new(&engine, &numbering, settings(600)).unwrap(), 2);
    many.games.rollout(5, &Cancel::new()).unwrap();
    let (from, untouched) = (many.games.state(3), many.games.state(598));
    many.games.set(599, &from).unwrap();
    assert_eq!((many.games.state(599), many.games.state(598)), (from.clone(), untouched));
    let mut view = engine.view();
    engine.look(&from, &mut view).unwrap();
    let Turn::One(role) = engine.turn(&view) else { panic!("the game goes on") };
    assert_eq!(many.games.players()[599], role.0 as i8);
    many.games.reset().unwrap();
    assert!(many.games.players().iter().all(|&player| player == 0));
    assert_eq!(many.games.state(599), engine.start());
}

#[test]
fn random_games_end_as_they_do_elsewhere() {
    let engine = engine("tic-tac-toe", EngineKind::Net).unwrap();
    let numbering = Arc::new(Numbering::new(&engine).unwrap());
    let mut many = ManyGames::new(&engine, &numbering, settings(1024)).unwrap();
    let tally = many.rollout(400, &Cancel::new()).unwrap();
    assert_eq!((tally.states, tally.stuck, tally.cut), (1024 * 400, 0, 0));
    let ended: u64 = tally.goals[0].iter().sum();
    assert_eq!(ended, tally.playouts);
    // The first player of random games wins 58.5 % of them, 28.8 % are lost and 12.7 % drawn (Allis counts 255,168 games).
    let share = |goal: usize| tally.goals[0][goal] as f64 / ended as f64;
    assert!((share(100) - 0.585).abs() < 0.01 && (share(0) - 0.288).abs() < 0.01, "{} {}", share(100), share(0));
    // The same seed gives the same games.
    let mut again = ManyGames::new(&engine, &numbering, settings(1024)).unwrap();
    assert_eq!(again.rollout(400, &Cancel::new()).unwrap(), tally);
    let cancelled = Cancel::new();
    cancelled.cancel();
    assert_eq!(again.rollout(400, &cancelled).unwrap().states, 0);
    // Without a new beginning every game is played once.
    let once = Settings { restarts: false, ..settings(700) };
    for mut many in [
        ManyGames::new(&engine, &numbering, once.clone()).unwrap(),
        ManyGames::one_by_one(&engine, &numbering, once).unwrap(),
    ] {
        let tally = many.rollout(1000, &Cancel::new()).unwrap();
        assert_eq!(tally.playouts, 700);
        assert!(many.players().iter().all(|&player| player == OVER));
        let mut chosen = vec![0; 700];
        many.sample(Whose::Deciding, &mut chosen).unwrap();
        assert!(chosen.iter().all(|&action| action == -1));
    }
}

#[test]
fn rules_that_are_over_at_once() {
    let rules = gdl::parse("(role me) (init (at 1)) (legal me go) (<= (next (at 1)) (does me go)) (<= terminal (true (at 1))) (goal me 30)").rules;
    let engine = Loader::new(&rules).make(EngineKind::Net).unwrap();
    let numbering = Arc::new(Numbering::new(&engine).unwrap());
    let mut many = Told::new(ManyGames::new(&engine, &numbering, settings(2)).unwrap(), 1);
    assert_eq!(many.games.players(), [OVER; 2]);
    many.step(Actions::Deciding(&[7; 2])).unwrap();
    assert_eq!((&many.goals[..], &many.ended[..]), (&[0.0; 2][..], &[0; 2][..]));
}
