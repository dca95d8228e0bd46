//! The tables that know something about a game, found by its rules: those of the game itself, if it was solved, or those of
//! the game written by hand that it is equal to. Renamed and rearranged rules find theirs.

use crate::event::{Event, Events};
use game::{Names, role_names};
use gdl::{Rules, Symbol};
use machine::{Engine, State};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use table::file::FileError;
use table::oracle::{AskError, Certainty, Choice, Metric, Oracle, Renamed, Value, Verdict, choices};
use table::store::{Store, Twin};

/// What is known exactly about one game, looked for when it is first asked for.
pub struct Oracles {
    folder: Option<PathBuf>,
    found: OnceLock<Option<Arc<dyn Oracle>>>,
    /// A table turned out to be damaged.
    is_broken: AtomicBool,
    events: Events,
}

impl Oracles {
    /// Tables are looked for in this folder; without one there are none.
    pub fn new(folder: Option<PathBuf>, events: &Events) -> Oracles {
        let (found, is_broken) = (OnceLock::new(), AtomicBool::new(false));
        Oracles { folder, found, is_broken, events: events.clone() }
    }

    /// What knows the game with these rules, if there is anything.
    pub fn get(&self, rules: &Rules) -> Option<&Arc<dyn Oracle>> {
        let found = self.found.get_or_init(|| {
            let folder = self.folder.as_deref().filter(|folder| folder.is_dir())?;
            let store = Store::new(folder);
            let oracle = solved(&store, rules, &self.events).or_else(|| twin(&store, rules, &self.events))?;
            self.events.tell(&Event::TableFound { what: described(&*oracle) });
            Some(oracle)
        });
        found.as_ref().filter(|_| !self.is_broken.load(Ordering::Relaxed))
    }

    /// The moves of a state with what is known behind each, the best first; `None` where nothing is known.
    pub fn choices(&self, rules: &Rules, engine: &Engine, state: &State) -> Option<Vec<Choice<Engine>>> {
        let oracle = self.get(rules)?;
        match choices(&**oracle, engine, state) {
            Ok(choices) => Some(choices).filter(|choices| choices.iter().any(|choice| choice.verdict.is_some())),
            Err(error) => {
                self.hear(&error);
                None
            }
        }
    }

    /// What is known of a state.
    pub fn ask(&self, rules: &Rules, facts: &[String]) -> Option<Verdict> {
        self.get(rules)?.ask(facts).unwrap_or_else(|error| {
            self.hear(&error);
            None
        })
    }

    /// A damaged table is not asked again. (That an engine came to a limit, or that facts are those of no state, says nothing
    /// about the table.)
    fn hear(&self, error: &AskError) {
        if let AskError::Table(why) = error
            && !self.is_broken.swap(true, Ordering::Relaxed)
        {
            let path = self.folder.clone().unwrap_or_default();
            self.events.tell(&Event::TableRefused { path, why: why.clone() });
        }
    }
}

/// An oracle in words.
fn described(oracle: &dyn Oracle) -> String {
    let about = oracle.describe();
    format!("{} ({}, {})", about.name, about.family, about.metric)
}

/// What the tables say about a position, in the words of the rules.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TableThoughts {
    /// Which tables.
    pub what: String,
    /// What they say of the position, for people.
    pub words: String,
    /// The same as data.
    pub verdict: Verdict,
    /// The moves that are as good as any, in the order of the engine.
    pub best: Vec<String>,
}

impl TableThoughts {
    /// What is known of a state.
    pub fn new(oracles: &Oracles, rules: &Rules, engine: &Engine, state: &State) -> Option<TableThoughts> {
        let what = described(&**oracles.get(rules)?);
        let verdict = oracles.ask(rules, &engine.facts(state))?;
        let best: Vec<String> = oracles
            .choices(rules, engine, state)
            .unwrap_or_default()
            .iter()
            .filter(|choice| choice.best && choice.verdict.is_some())
            .map(|choice| engine.move_text(choice.joint[choice.role.0 as usize]))
            .collect();
        let words = in_words(&verdict, &role_names(engine));
        Some(TableThoughts { what, words, verdict, best })
    }
}

/// A verdict for people: who wins, and in how many plies or moves.
pub fn in_words(verdict: &Verdict, roles: &[String]) -> String {
    let bound = |certainty: Certainty| match certainty {
        Certainty::Exact => "",
        Certainty::AtLeast => "at least ",
        Certainty::AtMost => "at most ",
    };
    let value = match (verdict.value, roles) {
        (Value::Lead(100), [first, ..]) => format!("{first} wins"),
        (Value::Lead(-100), [_, second, ..]) => format!("{second} wins"),
        (Value::Lead(0), _) if verdict.certainty == Certainty::Exact => "a draw".to_string(),
        (Value::Lead(0), [first, ..]) => format!("{}a draw for {first}", bound(verdict.certainty)),
        (Value::Lead(lead), [first, second, ..]) => {
            let (ahead, by) = if lead > 0 { (first, lead) } else { (second, lead.saturating_neg()) };
            format!("{ahead} is ahead by {by}")
        }
        (Value::Lead(lead), _) => format!("ahead by {lead}"),
        (Value::Goal(goal), _) => format!("{}goal {goal}", bound(verdict.certainty)),
        (Value::Endless, _) => "no end can be reached".to_string(),
    };
    let distance = verdict.distance.map(|distance| {
        let unit = match distance.metric {
            Metric::Mate | Metric::Conversion | Metric::Zeroing => ("ply", "plies"),
            Metric::End | Metric::Home | Metric::HomeBound => ("move", "moves"),
        };
        let unit = if distance.count == 1 { unit.0 } else { unit.1 };
        format!(" in {}{} {unit}", bound(distance.certainty), distance.count)
    });
    value + &distance.unwrap_or_default()
}

/// The table of the game itself, if somebody solved it.
fn solved(store: &Store, rules: &Rules, events: &Events) -> Option<Arc<dyn Oracle>> {
    let found = store.solved(&gdl::identity(rules).to_string(), &mut |error| refuse(error, events))?;
    let theirs = gdl::parse(&found.summary.rules.as_ref()?.text).rules;
    let renaming = gdl::isomorphism(rules, &theirs)?;
    match found.open() {
        Ok(table) => Some(translated(Box::new(table), renaming)),
        Err(error) => {
            refuse(&error, events);
            None
        }
    }
}

/// The game with tables of its own that these rules are, whatever their words, their order and where they begin.
pub fn twin_of(rules: &Rules) -> Option<Twin> {
    Some(translated_twin(rules)?.0)
}

/// The twin, and how facts are said in the words of its rules. Where a game begins does not matter there.
pub(crate) fn translated_twin(rules: &Rules) -> Option<(Twin, gdl::Renaming)> {
    let own = without_start(rules);
    let identity = gdl::identity(&own);
    Twin::ALL.into_iter().find_map(|twin| Some((twin, renaming(&own, || identity, twin)?)))
}

/// How facts and moves are said in the words of a game with tables of its own, if these rules are that game.
pub(crate) fn renaming_to(rules: &Rules, twin: Twin) -> Option<gdl::Renaming> {
    let own = without_start(rules);
    renaming(&own, || gdl::identity(&own), twin)
}

/// From rules without their start to a twin; the identity is asked for only where that is not refuted by less.
fn renaming(own: &Rules, identity: impl FnOnce() -> gdl::Identity, twin: Twin) -> Option<gdl::Renaming> {
    let theirs = without_start(&gdl::parse(library::find(twin.game())?.rules).rules);
    let alike = theirs.clauses.len() == own.clauses.len() && gdl::identity(&theirs) == identity();
    alike.then(|| gdl::isomorphism(own, &theirs))?
}

/// The tables of the game written by hand that these rules are equal to.
fn twin(store: &Store, rules: &Rules, events: &Events) -> Option<Arc<dyn Oracle>> {
    let (twin, renaming) = translated_twin(rules)?;
    match store.twin(twin) {
        Ok(oracle) => oracle.map(|oracle| translated(oracle, renaming)),
        Err(error) => {
            let (path, why) = (store.folder().to_path_buf(), error.to_string());
            events.tell(&Event::TableRefused { path, why });
            None
        }
    }
}

/// An oracle that is asked in other words.
fn translated(oracle: Box<dyn Oracle>, renaming: gdl::Renaming) -> Arc<dyn Oracle> {
    let translate = move |fact: &str| renaming.text_forth(fact).ok();
    Arc::new(Renamed::new(oracle, Box::new(translate), false))
}

fn without_start(rules: &Rules) -> Rules {
    let mut rules = rules.clone();
    rules.clauses.retain(|clause| clause.head.name != Symbol::INIT);
    rules
}

fn refuse(error: &FileError, events: &Events) {
    events.tell(&Event::TableRefused { path: error.path().to_path_buf(), why: error.to_string() });
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Game;
    use machine::Loader;
    use std::sync::Mutex;
    use table::chess::{self, Material, Tables, build_all};
    use table::file::Form;

    /// The rules as players of a match get them, in other words if there is a seed.
    fn sent(name: &str, scramble: Option<u64>) -> Rules {
        let rules = gdl::parse(library::find(name).expect("it is in the library").rules).rules;
        gdl::parse(play::Disguise::new(&rules, scramble).rules()).rules
    }

    #[test]
    fn scrambled_rules_find_the_tables_of_their_twin() {
        let folder = std::env::temp_dir().join(format!("ludens-oracles-{}", std::process::id()));
        let store = Store::new(&folder);
        let krk = Material::parse("KRK").expect("a material");
        let mut tables = Tables::new();
        build_all(krk, chess::Metric::Mate, &mut tables, &mut |_, _| true).expect("it can be built");
        let path = store.chess_path(krk, chess::Metric::Mate);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let table = tables.get(krk, chess::Metric::Mate).expect("it was built");
        let counted = chess::statistics(table).expect("it can be counted");
        chess::save(table, &counted, &path, Form::Raw).expect("it can be stored");
        for scramble in [None, Some(1), Some(2)] {
            let rules = sent("krk", scramble);
            assert_eq!(twin_of(&rules), Some(Twin::Krk));
            let engine = Loader::new(&rules).best().expect("it can be played").engine;
            let heard = Arc::new(Mutex::new(Vec::new()));
            let told = Arc::clone(&heard);
            let events = Events::to(move |event| told.lock().expect("no panic").push(event.to_string()));
            let oracles = Oracles::new(Some(folder.clone()), &events);
            let thoughts = TableThoughts::new(&oracles, &rules, &engine, &engine.start()).expect("it is known");
            assert_eq!(thoughts.verdict.distance.map(|distance| distance.count), Some(31));
            assert!(!thoughts.best.is_empty());
            assert!(thoughts.words.ends_with(" wins in 31 plies"), "{}", thoughts.words);
            assert_eq!(heard.lock().expect("no panic").len(), 1, "it says so, once");
        }
        assert!(Oracles::new(Some(folder.clone()), &Events::ignored()).get(&sent("nim", None)).is_none());
        assert_eq!(twin_of(&sent("nim", None)), None);
        let _ = std::fs::remove_dir_all(folder);
    }
}
