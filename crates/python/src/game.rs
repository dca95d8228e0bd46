//! A rulesheet that can be played.

use crate::errors;
use crate::state::State;
use crate::vector::VectorEnv;
use crate::work;
use agent::EngineChoice;
use game::{Game as _, Move, Names, Role, role_names, roles};
use gdl::{Limits, Rules};
use library::{ENTRIES, Sheet};
use machine::{Engine, Numbering, View};
use pyo3::exceptions::{PyFileNotFoundError, PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde_json::json;
use std::sync::{Arc, Mutex, OnceLock};
use study::picture::Layout;
use study::{Plan, Study};

/// How many states' scratch memory is kept for states to come.
const MOST_KEPT: usize = 64;
/// Roles that arrays of small numbers can name.
const MOST_ROLES: usize = 100;

/// What a game and its states share.
pub struct Shared {
    pub sheet: Sheet,
    pub rules: Arc<Rules>,
    pub engine: Engine,
    pub choice: EngineChoice,
    pub no_net: Option<String>,
    pub numbering: Arc<Numbering>,
    pub roles: Vec<String>,
    /// Scratch memory that no state needs at the moment.
    #[expect(clippy::vec_box, reason = "states take the box as it is, and give it back")]
    kept: Mutex<Vec<Box<Scratch>>>,
    /// How states are drawn; found out when the first one is.
    layout: OnceLock<Layout>,
}

/// What a state needs to see what follows from it and to make moves; it outlives the state, so that the next one allocates nothing.
pub struct Scratch {
    pub view: View,
    /// What the last move was made into.
    pub next: machine::State,
    /// The legal moves of each role.
    pub legal: Vec<Vec<Move>>,
    /// The moves that are made.
    pub joint: Vec<Move>,
}

impl Shared {
    /// Scratch memory for a state. Nobody waits for it: a process that was forked may find the lock taken for ever.
    pub fn scratch(&self) -> Box<Scratch> {
        let kept = self.kept.try_lock().ok().and_then(|mut kept| kept.pop());
        kept.unwrap_or_else(|| {
            let legal = vec![Vec::new(); self.roles.len()];
            Box::new(Scratch { view: self.engine.view(), next: self.engine.start(), legal, joint: Vec::new() })
        })
    }

    /// Scratch memory that a state does not need any more.
    pub fn keep(&self, scratch: Box<Scratch>) {
        if let Ok(mut kept) = self.kept.try_lock()
            && kept.len() < MOST_KEPT
        {
            kept.push(scratch);
        }
    }

    /// How states are drawn.
    pub fn layout(&self, py: Python<'_>) -> &Layout {
        self.layout.get_or_init(|| py.detach(|| Layout::new(&Study::run(&self.rules, &self.engine, Plan::quick()))))
    }

    /// A role by its number or its name.
    pub fn role(&self, role: &Bound<'_, PyAny>) -> PyResult<Role> {
        if let Ok(name) = role.extract::<String>() {
            let found = self.roles.iter().position(|known| known.eq_ignore_ascii_case(&name));
            let names = self.roles.join(", ");
            let wrong = || PyValueError::new_err(format!("there is no role {name:?}; the roles are: {names}"));
            return found.map(|at| Role(at as u8)).ok_or_else(wrong);
        }
        let number: i64 = role.extract()?;
        let count = self.roles.len();
        let known = usize::try_from(number).ok().filter(|number| *number < count);
        let wrong =
            || PyIndexError::new_err(format!("there is no player {number}; they are numbered from 0 to {}", count - 1));
        known.map(|number| Role(number as u8)).ok_or_else(wrong)
    }
}

/// A game that can be played: what `ludens.load` gives.
#[pyclass(subclass, frozen, module = "ludens._ludens")]
pub struct Game {
    pub shared: Arc<Shared>,
}

/// The rulesheet that is meant.
fn sheet(py: Python<'_>, source: Option<&str>, text: Option<&str>, name: Option<&str>) -> PyResult<Sheet> {
    match (source, text) {
        (Some(_), Some(_)) => Err(PyValueError::new_err("give a name or path, or a text, not both")),
        (None, None) => Err(PyValueError::new_err("a game is missing: give its name, its path or its text")),
        (None, Some(text)) => {
            let name = name.unwrap_or("the text").to_string();
            Sheet::read(name, text.as_bytes()).map_err(|error| errors::any(py, &error))
        }
        (Some("-"), None) => Err(PyFileNotFoundError::new_err("standard input is no game here; give its text")),
        (Some(source), None) => Sheet::find(source).map_err(|error| PyFileNotFoundError::new_err(format!("{error:#}"))),
    }
}

/// The place in a message about rules that cannot be played, which follows the name.
fn place_in(message: &str, name: &str) -> Option<(usize, usize)> {
    let rest = message.split_once(&format!("cannot play {name}:"))?.1;
    let mut numbers = rest.split(':').map_while(|part| part.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (source=None, *, text=None, name=None, engine="auto"))]
    fn new(
        py: Python<'_>,
        source: Option<&str>,
        text: Option<&str>,
        name: Option<&str>,
        engine: &str,
    ) -> PyResult<Game> {
        let choice: EngineChoice = engine.parse().map_err(PyValueError::new_err)?;
        let sheet = sheet(py, source, text, name)?;
        if let Some(error) = errors::unread(py, &sheet) {
            return Err(error);
        }
        let made = work::run(py, None, |cancel, _| {
            let rules = sheet.rules()?;
            // The token ends loading only: an engine that has it would end with it.
            let loaded = agent::load(choice, &sheet, &rules, cancel).map(|loaded| (loaded, Numbering::new));
            Ok(match loaded {
                Ok((loaded, number)) => Ok((Arc::new(rules), number(&loaded.engine)?, loaded)),
                Err(error) => Err(error),
            })
        })?;
        let (rules, numbering, loaded) = made.map_err(|error| {
            let message = format!("{error:#}");
            let place = place_in(&message, &sheet.name);
            errors::rules(py, message, place)
        })?;
        let roles = role_names(&loaded.engine);
        if roles.len() > MOST_ROLES {
            return Err(PyValueError::new_err(format!(
                "{} roles are more than {MOST_ROLES}, the most here",
                roles.len()
            )));
        }
        let shared = Shared {
            sheet,
            rules,
            engine: loaded.engine,
            choice,
            no_net: loaded.no_net,
            numbering: Arc::new(numbering),
            roles,
            kept: Mutex::default(),
            layout: OnceLock::new(),
        };
        Ok(Game { shared: Arc::new(shared) })
    }

    /// A name of the library, or a path.
    #[getter]
    fn name(&self) -> &str {
        &self.shared.sheet.name
    }

    /// The name for people.
    #[getter]
    fn title(&self) -> &str {
        self.shared.sheet.entry.map_or(&self.shared.sheet.name, |entry| entry.title())
    }

    /// The text of the rules.
    #[getter]
    fn rules(&self) -> &str {
        &self.shared.sheet.text
    }

    /// The roles, in the order of their numbers.
    ///
    /// >>> ludens.load("tic-tac-toe").roles
    /// ('x', 'o')
    #[getter]
    fn roles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shared.roles)
    }

    /// What runs the rules: net, rules or prover.
    ///
    /// >>> ludens.load("tic-tac-toe").engine
    /// 'net'
    #[getter]
    fn engine(&self) -> &'static str {
        self.shared.engine.kind().name()
    }

    /// Why the engine is not a net, if it was to be the best.
    #[getter]
    fn no_net(&self) -> Option<&str> {
        self.shared.no_net.as_deref()
    }

    /// Whether actions and facts have their numbers from the beginning. Without a net they get them as they come up, and arrays grow.
    ///
    /// >>> ludens.load("tic-tac-toe").is_fixed
    /// True
    #[getter]
    fn is_fixed(&self) -> bool {
        self.shared.numbering.is_fixed()
    }

    /// How many roles there are.
    fn num_players(&self) -> usize {
        self.shared.roles.len()
    }

    /// How many actions the role has that has most of them, or one role.
    ///
    /// >>> ludens.load("tic-tac-toe").num_distinct_actions()
    /// 10
    #[pyo3(signature = (player=None))]
    fn num_distinct_actions(&self, player: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
        Ok(match player {
            Some(player) => self.shared.numbering.actions(self.shared.role(player)?),
            None => self.shared.numbering.widest(),
        })
    }

    /// How many facts there are columns for. Facts that hold in every state have none.
    fn num_facts(&self) -> usize {
        self.shared.numbering.facts()
    }

    /// The facts, in the order of their columns.
    fn fact_names(&self) -> Vec<String> {
        let numbering = &self.shared.numbering;
        (0..numbering.facts()).filter_map(|fact| numbering.fact_text(fact)).collect()
    }

    /// The actions of a player in words, in the order of their numbers.
    ///
    /// >>> ludens.load("nim").action_names(0)[:2]
    /// ['(take a 1)', '(take b 1)']
    fn action_names(&self, player: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let (numbering, role) = (&self.shared.numbering, self.shared.role(player)?);
        Ok((0..numbering.actions(role) as i64).filter_map(|action| numbering.action_text(role, action)).collect())
    }

    /// An action of a player in words.
    fn action_to_string(&self, py: Python<'_>, player: &Bound<'_, PyAny>, action: i64) -> PyResult<String> {
        let role = self.shared.role(player)?;
        let text = self.shared.numbering.action_text(role, action);
        let name = &self.shared.roles[usize::from(role.0)];
        text.ok_or_else(|| errors::own(py, "IllegalAction", format!("{name} has no action {action}")))
    }

    /// The state in which the game begins.
    ///
    /// >>> print(ludens.load("tic-tac-toe").new_initial_state())
    /// 3  . . .
    /// 2  . . .
    /// 1  . . .
    ///    1 2 3
    /// control: x
    /// <BLANKLINE>
    fn new_initial_state(slf: &Bound<'_, Self>) -> State {
        let shared = &slf.get().shared;
        State::new(slf.clone().into_any().unbind(), shared, shared.engine.start())
    }

    /// The state in which exactly these facts hold.
    ///
    /// >>> game = ludens.load("nim")
    /// >>> state = game.new_initial_state()
    /// >>> game.from_facts(state.facts()) == state
    /// True
    /// >>> game.from_facts(["(heap z 1)"])
    /// Traceback (most recent call last):
    /// ValueError: (heap z 1) can never be a fact of this game; the start has (heap a 1)
    fn from_facts(slf: &Bound<'_, Self>, facts: Vec<String>) -> PyResult<State> {
        let shared = &slf.get().shared;
        let facts = facts.join(" ");
        let found = agent::Opening::from_facts(&facts).and_then(|opening| opening.open(&shared.engine));
        let position = found.map_err(|error| PyValueError::new_err(format!("{error:#}")))?;
        Ok(State::new(slf.clone().into_any().unbind(), shared, position.state().clone()))
    }

    /// The state after moves in words from the start: one for each role that has a choice.
    ///
    /// >>> ludens.load("tic-tac-toe").from_moves(["(mark 1 1)", "(mark 2 2)"]).current_player()
    /// 0
    fn from_moves(slf: &Bound<'_, Self>, moves: Vec<String>) -> PyResult<State> {
        let shared = &slf.get().shared;
        let found = agent::Opening::Moves(moves).open(&shared.engine);
        let py = slf.py();
        let position = found.map_err(|error| errors::own(py, "IllegalAction", format!("{error:#}")))?;
        Ok(State::new(slf.clone().into_any().unbind(), shared, position.state().clone()))
    }

    /// Many games side by side.
    ///
    /// With `restart` a game that has ended begins anew at once; otherwise it stays over, and what is chosen for it is ignored. `max_steps` cuts games.
    ///
    /// >>> env = ludens.load("connect-four").vector(1024, seed=7)
    /// >>> rewards, done = env.step(env.sample())
    #[pyo3(signature = (n, seed=0, *, restart=true, max_steps=None))]
    fn vector(
        slf: &Bound<'_, Self>,
        n: usize,
        seed: u64,
        restart: bool,
        max_steps: Option<u32>,
    ) -> PyResult<VectorEnv> {
        VectorEnv::new(slf, n, seed, restart, max_steps)
    }

    fn __repr__(&self) -> String {
        format!("<ludens.Game {:?}: {}>", self.shared.sheet.name, self.shared.roles.join(", "))
    }
}

/// The games of the library, as JSON.
#[pyfunction]
pub fn entries() -> String {
    let rows = ENTRIES.iter().map(
        |entry| json!({"name": entry.name, "title": entry.title(), "summary": entry.summary(), "tags": entry.tags()}),
    );
    json!(rows.collect::<Vec<_>>()).to_string()
}

/// What is wrong with a text of rules, as JSON.
#[pyfunction]
pub fn check(py: Python<'_>, text: &str) -> PyResult<String> {
    let found = py.detach(|| gdl::check(text, &Limits::default()));
    let parsed = found.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let source = gdl::Source { name: "the text", text };
    let rows = parsed.problems.iter().map(|problem| {
        let (line, column) = source.place(problem.span.start);
        json!({"severity": problem.severity.word(), "code": problem.code, "line": line, "column": column,
            "message": problem.message, "hint": problem.hint})
    });
    Ok(json!(rows.collect::<Vec<_>>()).to_string())
}

/// The facts of a state that have a column, as bytes.
pub fn observation(shared: &Shared, state: &machine::State) -> Vec<u8> {
    let mut row = vec![0; shared.numbering.facts()];
    shared.numbering.each_fact(state, &mut |fact| {
        if let Some(byte) = row.get_mut(fact) {
            *byte = 1;
        }
    });
    row
}

/// Every role.
pub fn all_roles(shared: &Shared) -> impl Iterator<Item = Role> + use<> {
    roles(&shared.engine)
}

/// A move in words.
pub fn words(shared: &Shared, mv: game::Move) -> String {
    shared.engine.move_text(mv)
}
