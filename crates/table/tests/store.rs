//! A folder of tables: what is there is found, by what it is and not by what it is called.

use game::{Game, Goal, Limit, Move, Names, Role, Turn};
use native::chess::Chess;
use std::fs;
use std::path::{Path, PathBuf};
use table::chess::{Material, Metric, ProbeError, Tables, build_all, save, statistics};
use table::chinese::{Build, Spec};
use table::file::{Form, Table};
use table::oracle::{Family, Oracle, Renamed, Value};
use table::solve::{Options, StoredGame, key_of_facts, solve};
use table::store::{Store, Twin};

fn store(name: &str) -> Store {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("store-{name}"));
    let _ = fs::remove_dir_all(&folder);
    Store::new(folder)
}

fn with_rook(store: &Store) -> PathBuf {
    let krk = Material::parse("KRK").unwrap();
    let mut tables = Tables::new();
    build_all(krk, Metric::Mate, &mut tables, &mut |_, _| true).unwrap();
    let table = tables.get(krk, Metric::Mate).unwrap();
    let path = store.chess_path(krk, Metric::Mate);
    save(table, &statistics(table).unwrap(), &path, Form::Compressed).unwrap();
    path
}

#[test]
fn twins_have_oracles_where_there_are_tables() {
    let store = store("twins");
    assert!(Twin::ALL.iter().all(|twin| store.twin(*twin).unwrap().is_none()));
    let path = with_rook(&store);
    let oracle = store.twin(Twin::Krk).unwrap().unwrap();
    let game = Chess::krk();
    let verdict = oracle.ask(&game.facts(&game.start())).unwrap().unwrap();
    assert_eq!((verdict.value, verdict.distance.unwrap().count), (Value::Lead(100), 31));
    assert!(oracle.describe().name.contains("KRK"));
    // Nothing of the ending with a queen, but the rook may come up in the whole game.
    assert!(store.twin(Twin::Kqkr).unwrap().is_none());
    assert!(store.twin(Twin::Chess).unwrap().is_some());
    assert!(store.twin(Twin::ChineseCheckers).unwrap().is_none());
    // Opened when it is asked for: what is wrong is told then.
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let oracle = store.twin(Twin::Krk).unwrap().unwrap();
    let error = oracle.ask(&game.facts(&game.start())).unwrap_err().to_string();
    assert!(error.contains("cut short") && error.contains("KRK.dtm"), "{error}");
    let krk = Material::parse("KRK").unwrap();
    assert!(matches!(store.chess(Metric::Mate).find(krk, Metric::Mate), Err(ProbeError::Damaged(_))));
    assert!(matches!(store.chess(Metric::Conversion).find(krk, Metric::Mate), Err(ProbeError::Missing(..))));
}

#[test]
fn boards_are_found_by_their_size() {
    let store = store("boards");
    let spec = Spec::new(5, 3);
    assert!(store.chinese(&spec).unwrap().is_none());
    let mut build = Build::new(spec.clone(), 1 << 20).unwrap();
    build.run(&mut |_| true).unwrap();
    build.write(store.chinese_path(&spec), Form::Raw).unwrap();
    let found = store.chinese(&spec).unwrap().unwrap();
    assert_eq!(found.distance(spec.goal).unwrap().moves(), Some(0));
    assert!(store.chinese(&Spec::new(5, 1)).unwrap().is_none());
    let header = found.table().unwrap().header();
    assert_eq!(header.size(Form::Raw), found.table().unwrap().size());
    found.table().unwrap().store_as(Form::Compressed).unwrap();
    let packed = Table::open(store.chinese_path(&spec)).unwrap();
    assert!(packed.size() <= packed.header().size(Form::Compressed));
}

/// Take one or two from a heap; who takes the last one wins.
struct Heap;

impl Game for Heap {
    type State = (u8, u8);
    type View = (u8, u8);
    fn roles(&self) -> usize {
        2
    }
    fn start(&self) -> (u8, u8) {
        (7, 0)
    }
    fn view(&self) -> (u8, u8) {
        (0, 0)
    }
    fn look(&self, state: &(u8, u8), view: &mut (u8, u8)) -> Result<(), Limit> {
        *view = *state;
        Ok(())
    }
    fn turn(&self, view: &(u8, u8)) -> Turn {
        if view.0 == 0 { Turn::Over } else { Turn::One(Role(view.1)) }
    }
    fn legal(&self, view: &(u8, u8), role: Role, out: &mut Vec<Move>) {
        if role.0 == view.1 {
            out.extend((1..=view.0.min(2)).map(|count| Move(count.into())));
        } else {
            out.push(Move(0));
        }
    }
    fn goal(&self, view: &mut (u8, u8), role: Role) -> Result<Option<Goal>, Limit> {
        Ok(Some(if role.0 == view.1 { 0 } else { 100 }))
    }
    fn play(&self, view: &mut (u8, u8), joint: &[Move], next: &mut (u8, u8)) -> Result<(), Limit> {
        *next = (view.0 - joint[view.1 as usize].0 as u8, 1 - view.1);
        Ok(())
    }
}

fn facts(state: &(u8, u8)) -> Vec<String> {
    vec![format!("(heap {})", state.0), format!("(control {})", state.1)]
}

fn keep(store: &Store, path: &Path, identity: &str) {
    let name = |state: &(u8, u8)| key_of_facts(facts(state));
    let solved = solve(&Heap, &Options::default(), Some(&name), &mut |_| true).unwrap();
    let roles = ["left".to_string(), "right".to_string()];
    let game = StoredGame { name: "heap", roles: &roles, identity, rules: "the rules of the heap" };
    solved.store_game(path, &game, Form::Raw).unwrap();
    assert!(store.headers(Family::Solved).iter().any(|(there, _)| there == path));
}

#[test]
fn solved_games_are_found_by_the_identity_of_their_rules() {
    let store = store("solved");
    let plain = store.solved_path("heap", "one");
    assert_eq!(plain, store.folder().join("solved/heap.table"));
    keep(&store, &plain, "one");
    // The same rules go to the same place, others beside them.
    assert_eq!(store.solved_path("heap", "one"), plain);
    let other = store.solved_path("heap", "two");
    assert_ne!(other, plain);
    keep(&store, &store.path(Family::Solved, "called-otherwise"), "three");
    fs::write(store.path(Family::Solved, "a-broken-one"), b"LUDTABLE").unwrap();
    let mut skipped = Vec::new();
    let found = store.solved("three", &mut |error| skipped.push(error.to_string())).unwrap();
    assert!(found.path.ends_with("called-otherwise.table") && skipped.len() == 1, "{skipped:?}");
    assert_eq!(found.summary.rules.as_ref().unwrap().text, "the rules of the heap");
    assert!(store.solved("two", &mut |_| {}).is_none());
    // Asked in its own words, and in others, with the roles the other way round.
    let table = found.open().unwrap();
    let verdict = table.ask(&facts(&(7, 0))).unwrap().unwrap();
    assert_eq!((verdict.value, verdict.distance.unwrap().count), (Value::Lead(100), 5));
    assert_eq!((table.describe().goal_sum, table.describe().roles), (Some(100), 2));
    assert_eq!(table.ask(&facts(&(9, 0))), Ok(None));
    let translate = |fact: &str| Some(fact.replace("pile", "heap"));
    let renamed = Renamed::new(Box::new(table), Box::new(translate), true);
    let asked = ["(pile 7)".to_string(), "(control 0)".to_string()];
    assert_eq!(renamed.ask(&asked).unwrap().unwrap().value, Value::Lead(-100));
}
