//! The players on the true rulesheet, plain and in other words, with and without a table.

use ::chinese::Kit;
use agent::chinese::{Chinese, DistanceTables, Words, ready};
use agent::searcher::{Knowledge, searcher};
use agent::{Events, PlayerSpec, Resources};
use game::{Cancel, Game, Limit, Move, Names, Role, roles};
use gdl::Rules;
use machine::{Engine, Loader, State};
use search::{Budget, Found, Monitor, Searcher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use table::chinese::{Build, Distances, Space, Spec, Summary, Written};
use table::file::{About, Form, Header, Part, Writer};
use table::oracle::Metric;
use table::store::Store;

/// Sections from here on are true in the table of the tests, as bounds; what lies before them is never loaded.
const START: usize = 55;

/// A place for files of these tests.
fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("chinese").join(name)
}

/// A folder with a table in the form of the true one, which would take minutes to build: its beginning is true, the rest is
/// made up and compressed to nothing.
fn tables() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = place("tables");
        let spec = Spec::new(9, 6);
        let space = Space::new(spec.clone()).expect("a table");
        let mut build = Build::new(spec.clone().from_start(START), 1 << 30).expect("a small table");
        build.run(&mut |_| true).expect("it can be built");
        let near = build.into_distances();
        let (layers, entries) = (vec![1], space.entries());
        let summary = Summary { table: Written::from(&spec), layers, greatest: 0, reached: entries, entries };
        let parts = space.sections().into_iter().map(|(start, entries)| Part::new(format!("start {start}"), entries));
        let header = Header {
            name: spec.name(),
            identity: spec.identity(),
            metric: Metric::Home,
            bits: 8,
            parts: parts.collect(),
            about: About::Chinese(summary),
        };
        let path = Store::new(&folder).chinese_path(&spec);
        let mut writer = Writer::create(path, header, Form::Compressed).expect("it can be written");
        writer.write(near.values()).expect("it can be written");
        let rest = vec![25; 1 << 20];
        let mut left = entries - near.values().len() as u64;
        while left > 0 {
            let now = left.min(rest.len() as u64);
            writer.write(&rest[..now as usize]).expect("it can be written");
            left -= now;
        }
        writer.finish().expect("it can be written");
        folder
    })
}

/// The rules as players of a match get them, in other words if there is a seed.
fn sent(name: &str, scramble: Option<u64>) -> Arc<Rules> {
    let rules = gdl::parse(library::find(name).expect("it is in the library").rules).rules;
    Arc::new(gdl::parse(play::Disguise::new(&rules, scramble).rules()).rules)
}

struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    fn new() -> (Heard, Events) {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&heard);
        (Heard(heard), Events::to(move |event| told.lock().expect("no panic").push(event.to_string())))
    }

    fn all(&self) -> String {
        self.0.lock().expect("no panic").join("\n")
    }
}

fn engine(rules: &Rules) -> Engine {
    Loader::new(rules).best().expect("it can be played").engine
}

fn spec(text: &str) -> PlayerSpec {
    text.parse().expect(text)
}

/// What a player finds at a state, and what it tells.
fn found(player: &str, rules: &Arc<Rules>, engine: &Engine, state: &State, tables: Option<&Path>) -> (Found, String) {
    found_within(f32::INFINITY, player, rules, engine, state, tables)
}

/// The same with a clock: the default player takes all the time it has to get ready.
fn found_within(
    seconds: f32,
    player: &str,
    rules: &Arc<Rules>,
    engine: &Engine,
    state: &State,
    tables: Option<&Path>,
) -> (Found, String) {
    let (heard, events) = Heard::new();
    let began = std::time::Instant::now();
    let spent = || began.elapsed().as_secs_f32() / seconds;
    let knowledge = Arc::new(Knowledge::new(rules, tables.map(Path::to_path_buf), &events));
    let spec = spec(player);
    let budget = spec.budget(&spent, 1);
    let mut searcher = searcher(&spec, engine, &knowledge);
    let role = mover(engine, state);
    searcher.prepare(engine, state, role, &budget).expect("no limit");
    let monitor = Monitor::new();
    let found = searcher.search(engine, state, role, &budget, &monitor).expect("no limit");
    assert_eq!(monitor.best().map(|(mv, _)| mv), found.mv);
    assert_eq!(monitor.report().as_ref(), Some(&found));
    (found, heard.all())
}

fn legal(engine: &Engine, state: &State, role: Role) -> Vec<Move> {
    let mut view = engine.view();
    engine.look(state, &mut view).expect("no limit");
    let mut moves = Vec::new();
    engine.legal(&view, role, &mut moves);
    moves
}

fn mover(engine: &Engine, state: &State) -> Role {
    roles(engine).find(|&role| legal(engine, state, role).len() > 1).expect("somebody is on move")
}

/// A move in the words of the native game.
fn native_text(words: &Words, engine: &Engine, mv: Move) -> String {
    words.to_native(&engine.move_text(mv)).expect("a move")
}

/// Makes the first legal move.
struct First;

impl Searcher<Engine> for First {
    fn search(
        &mut self,
        game: &Engine,
        state: &State,
        role: Role,
        _: &Budget<'_>,
        _: &Monitor,
    ) -> Result<Found, Limit> {
        Ok(Found { mv: legal(game, state, role).first().copied(), ..Found::default() })
    }
}

/// The state in which the native facts hold, said in the words of the rules.
fn state(words: &Words, engine: &Engine, native: &native::chinese::State) -> State {
    let facts: Vec<String> =
        words.game().facts(native).iter().map(|fact| words.from_native(fact).expect("a fact")).collect();
    engine.state_of(&facts.iter().map(String::as_str).collect::<Vec<_>>()).expect("a state")
}

/// Both players near home, with red to move: all of it is in the small table.
fn near_home() -> native::chinese::State {
    let (game, _) = table::store::chinese_checkers().expect("the game");
    let mut state = game.start();
    // Red stands two rows before its corner, blue likewise.
    let cells = |places: &[(u32, u32)]| places.iter().fold(0, |all, (row, column)| all | 1u128 << (row * 9 + column));
    state.pieces[0] = cells(&[(8, 8), (8, 7), (7, 8), (8, 6), (6, 7), (5, 8)]);
    state.pieces[1] = cells(&[(0, 0), (0, 1), (1, 0), (2, 0), (2, 1), (3, 0)]);
    state
}

#[test]
fn the_same_move_whatever_the_words() {
    let native = near_home();
    for player in [
        "roschke:kind=base,nodes=400",
        "roschke:kind=alpha-beta,depth=2,moves=all",
        "roschke:kind=alpha-beta-lookup,depth=2,table-memory=1",
        "roschke:kind=heur,playouts=60,table-memory=1",
        "roschke:kind=end,nodes=400,table-memory=1",
        "table-search:nodes=400,table-memory=1",
    ] {
        let mut told = Vec::new();
        for scramble in [None, Some(1), Some(2), Some(3)] {
            let rules = sent("chinese-checkers", scramble);
            let engine = engine(&rules);
            let words = Words::of(&rules).expect("it is the game");
            for state in [engine.start(), state(&words, &engine, &native)] {
                let (found, heard) = found(player, &rules, &engine, &state, Some(tables()));
                assert_eq!(heard, "", "{player}");
                let role = mover(&engine, &state);
                let legal = legal(&engine, &state, role);
                assert_eq!(found.moves.iter().map(|choice| choice.mv).collect::<Vec<_>>(), legal, "in this order");
                let mv = found.mv.expect("a move");
                assert!(legal.contains(&mv));
                assert_eq!(found.line.first().map(|joint| joint[usize::from(role.0)]), Some(mv), "{player}");
                assert!(found.nodes > 0);
                let values: Vec<(String, u32, u64)> = found
                    .moves
                    .iter()
                    .map(|choice| (native_text(&words, &engine, choice.mv), choice.value.to_bits(), choice.visits))
                    .collect();
                told.push((native_text(&words, &engine, mv), found.value, sorted(values)));
            }
        }
        for pair in told.chunks(2) {
            assert_eq!(pair, &told[..2], "{player}");
        }
    }
}

fn sorted(mut values: Vec<(String, u32, u64)>) -> Vec<(String, u32, u64)> {
    values.sort();
    values
}

#[test]
fn a_line_is_followed_to_its_end() {
    let rules = sent("chinese-checkers", Some(4));
    let engine = engine(&rules);
    for (player, least) in [("roschke:kind=alpha-beta,depth=3", 3), ("table-search:nodes=4000,table-memory=1", 2)] {
        let (found, _) = found(player, &rules, &engine, &engine.start(), Some(tables()));
        assert!(found.line.len() >= least, "{player}: {:?}", found.line);
        let mut state = engine.start();
        let mut view = engine.view();
        for joint in &found.line {
            engine.look(&state, &mut view).expect("no limit");
            for role in roles(&engine) {
                assert!(legal(&engine, &state, role).contains(&joint[usize::from(role.0)]));
            }
            let mut next = state.clone();
            engine.play(&mut view, joint, &mut next).expect("no limit");
            state = next;
        }
    }
}

#[test]
fn what_is_best_so_far_is_told_during_the_search() {
    let rules = sent("chinese-checkers", Some(5));
    let engine = engine(&rules);
    let start = engine.start();
    let legal = legal(&engine, &start, mover(&engine, &start));
    for player in ["roschke:kind=base,playouts=3000", "roschke:kind=alpha-beta,depth=4"] {
        let spec = spec(player);
        let knowledge = Arc::new(Knowledge::new(&rules, None, &Events::ignored()));
        let monitor = Monitor::new();
        let reports = Mutex::new(Vec::new());
        let spent = || {
            if let Some(report) = monitor.snapshot() {
                reports.lock().expect("no panic").push(report);
            }
            let (best, _) = monitor.best().expect("there is a move from the first moment on");
            assert!(legal.contains(&best));
            0.0
        };
        let budget = spec.budget(&spent, 1);
        let mut searcher = searcher(&spec, &engine, &knowledge);
        searcher.search(&engine, &start, mover(&engine, &start), &budget, &monitor).expect("no limit");
        let reports = reports.into_inner().expect("no panic");
        assert!(!reports.is_empty(), "{player}");
        for report in reports {
            assert!(report.mv.is_none_or(|mv| legal.contains(&mv)));
            assert_eq!(report.moves.iter().map(|choice| choice.mv).collect::<Vec<_>>(), legal);
        }
    }
}

#[test]
fn other_games_and_other_pieces_are_left_to_the_default_player() {
    let rules = sent("nim", None);
    let engine = engine(&rules);
    for player in ["roschke:kind=base,nodes=200", "roschke:nodes=200", "table-search:nodes=200"] {
        let (found, heard) = found_within(0.5, player, &rules, &engine, &engine.start(), Some(tables()));
        assert!(found.mv.is_some());
        assert!(heard.contains("the game is not Chinese checkers; the default player plays instead"), "{heard}");
    }
    let rules = sent("chinese-checkers", None);
    let engine = self::engine(&rules);
    let words = Words::of(&rules).expect("it is the game");
    let mut native = near_home();
    native.pieces[1] &= native.pieces[1] - 1;
    let state = state(&words, &engine, &native);
    let (found, heard) = found_within(0.5, "roschke:kind=base,nodes=20", &rules, &engine, &state, None);
    assert!(found.mv.is_some());
    assert!(heard.contains("six pieces a side; the default player"), "{heard}");
}

#[test]
fn a_missing_table_has_a_way_out() {
    let rules = sent("chinese-checkers", Some(6));
    let empty = place("none");
    let checked = |player: &str, tables: Option<&Path>| {
        let resources = Resources { tables: tables.map(Path::to_path_buf), ..Resources::default() };
        ready(&spec(player), &rules, &resources, &Cancel::new()).map_err(|error| error.to_string())
    };
    for player in ["roschke", "roschke:kind=end", "roschke:kind=alpha-beta-lookup", "table-search"] {
        let error = checked(player, Some(&empty)).expect_err(player);
        assert!(error.contains("9x9-6.table") && error.contains("is missing"), "{error}");
        assert!(error.contains("`ludens table build chinese-checkers --pieces 6`"), "{error}");
        assert!(checked(player, None).is_err());
    }
    for player in ["roschke:kind=base", "roschke:kind=alpha-beta", "portfolio", "random"] {
        assert_eq!(checked(player, Some(&empty)), Ok(()), "{player}");
    }
    assert_eq!(checked("table-search:table-memory=1", Some(tables())), Ok(()));
    let (engine, nim) = (engine(&rules), sent("nim", None));
    assert!(ready(&spec("table-search"), &nim, &Resources::default(), &Cancel::new()).is_ok());
    // Who plays all the same has somebody who stands in.
    let (found, heard) = found_within(0.5, "table-search", &rules, &engine, &engine.start(), Some(&empty));
    assert!(found.mv.is_some() && heard.contains("is missing"), "{heard}");
    assert!(heard.contains("the default player plays instead"), "{heard}");
}

#[test]
fn a_damaged_table_is_refused_until_it_is_whole_again() {
    let folder = place("damaged");
    let path = Store::new(&folder).chinese_path(&Spec::new(9, 6));
    let whole = std::fs::read(Store::new(tables()).chinese_path(&Spec::new(9, 6))).expect("a table");
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let resources = Resources { tables: Some(folder.clone()), ..Resources::default() };
    let rules = sent("chinese-checkers", None);
    let checked = || ready(&spec("table-search:table-memory=1"), &rules, &resources, &Cancel::new());
    let engine = engine(&rules);
    // In the head, among the distances nearest to home, and in the tail.
    for place in [3, 100, whole.len() - 5] {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        std::fs::write(&path, bytes).expect("a file");
        let error = checked().expect_err("it is damaged").to_string();
        assert!(error.contains("cannot be used") && error.contains("--force"), "{place}: {error}");
        let (found, heard) =
            found_within(0.5, "table-search:table-memory=1", &rules, &engine, &engine.start(), Some(&folder));
        assert!(found.mv.is_some() && heard.contains("cannot be used"), "{heard}");
    }
    std::fs::write(&path, &whole).expect("a file");
    assert_eq!(checked(), Ok(()));
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn a_table_is_loaded_once_and_nobody_has_to_wait_for_it() {
    let distance_tables = DistanceTables::default();
    let never = || false;
    let kit =
        |mebibytes| distance_tables.kit(Some(tables()), Some(mebibytes), &never).expect("a table").expect("in time");
    let home = |kit: &Kit| Arc::clone(kit.home().expect("a table"));
    let (one, two, more) = (kit(1), kit(1), kit(2));
    assert!(Arc::ptr_eq(&home(&one), &home(&two)));
    assert!(!Arc::ptr_eq(&home(&one), &home(&more)));
    assert!(!home(&one).is_exact(), "only its beginning is there");
    // Who stops waiting is let go at once, and the table still comes.
    let distance_tables = DistanceTables::default();
    let first = distance_tables.kit(Some(tables()), Some(3), &|| true).expect("a table");
    assert!(first.is_none() || first.is_some_and(|kit| kit.home().is_some()));
    assert!(distance_tables.kit(Some(tables()), Some(3), &never).expect("a table").is_some());
}

#[test]
fn a_search_without_time_for_the_table_has_a_move() {
    let rules = sent("chinese-checkers", Some(7));
    let engine = engine(&rules);
    let knowledge = Arc::new(Knowledge::new(&rules, Some(tables().to_path_buf()), &Events::ignored()));
    let spec = spec("table-search:table-memory=1");
    let mut searcher = searcher(&spec, &engine, &knowledge);
    let budget = spec.budget(&|| 1.0, 1);
    let found = searcher.search(&engine, &engine.start(), Role(0), &budget, &Monitor::new()).expect("no limit");
    assert!(found.mv.is_some());
}

#[test]
fn the_default_player_searches_with_the_table() {
    let rules = sent("chinese-checkers", Some(8));
    let engine = engine(&rules);
    let words = Words::of(&rules).expect("it is the game");
    let (heard, events) = Heard::new();
    let knowledge = Arc::new(Knowledge::new(&rules, Some(tables().to_path_buf()), &events));
    let mut chinese = Chinese::offered(&knowledge, Some(1), Box::new(First));
    let start = engine.start();
    let budget = Budget::of_nodes(500, 1);
    let found = chinese.search(&engine, &start, mover(&engine, &start), &budget, &Monitor::new()).expect("no limit");
    assert_eq!(heard.all(), "searches with the distance table of Chinese checkers");
    assert!(found.nodes > 100 && found.mv.is_some());
    assert!(native_text(&words, &engine, found.mv.expect("a move")).starts_with("(move "));
    // Nowhere else, and not without a table.
    for (game, tables) in [("nim", Some(tables().to_path_buf())), ("chinese-checkers", None)] {
        let rules = sent(game, None);
        let engine = self::engine(&rules);
        let (heard, events) = Heard::new();
        let knowledge = Arc::new(Knowledge::new(&rules, tables, &events));
        let mut chinese = Chinese::offered(&knowledge, None, Box::new(First));
        let start = engine.start();
        let found = chinese.search(&engine, &start, Role(0), &Budget::of_nodes(1, 1), &Monitor::new());
        assert_eq!(found.expect("no limit").mv, legal(&engine, &start, Role(0)).first().copied());
        assert_eq!(heard.all(), "");
    }
}

#[test]
fn the_table_of_these_tests_is_true_near_home() {
    let path = Store::new(tables()).chinese_path(&Spec::new(9, 6));
    let distances = Distances::open_from(path, START).expect("a table");
    let goal = Spec::new(9, 6).goal;
    assert_eq!(distances.distance(goal).expect("an entry").moves(), Some(0));
}
