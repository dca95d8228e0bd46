//! Searching, studying and solving a game, and asking what tables know of it. Answers are JSON.

use crate::game::{Game, Shared};
use crate::state::State;
use crate::vector;
use crate::work::{self, Teller};
use agent::analysis::Search;
use agent::oracles::in_words;
use agent::searcher::Knowledge;
use agent::solving::{Solution, Solving, Step};
use agent::studying::Studying;
use agent::{Events, Oracles, Position, Resources, TableThoughts, Thoughts};
use anyhow::{Context, Result, bail, ensure};
use game::{Cancel, Role};
use host::players::{Players, read};
use machine::Engine;
use platform::{Children, folders, memory};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use table::file::Form;
use table::solve::{Entry, LineEnd, Phase, StoredGame};
use table::store::Store;

/// How often a search tells what it has found.
const EVERY: Duration = Duration::from_millis(100);
/// The longest time that makes sense.
const MOST_SECONDS: f64 = 1e7;

/// What players say beside their moves.
#[derive(Clone, Default)]
pub struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    /// Where events go.
    pub fn events(&self) -> Events {
        let own = Arc::clone(&self.0);
        Events::to(move |event| {
            let text = event.to_string();
            let mut notes = own.lock().unwrap_or_else(PoisonError::into_inner);
            if event.is_warning() && !notes.contains(&text) {
                notes.push(text);
            }
        })
    }

    /// What was said so far.
    pub fn said(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Makes players whose tables are in this folder, or in the usual one.
pub fn players(folder: Option<&Path>, notes: &Notes) -> Players {
    let tables = folders::tables(folder).ok();
    Players::new(Resources { tables, events: notes.events(), ..Resources::default() }, &Children::default())
}

/// A number of seconds that can be waited for.
pub fn seconds(name: &str, value: f64) -> PyResult<f64> {
    match value {
        value if value.is_finite() && value >= 0.0 => Ok(value.min(MOST_SECONDS)),
        _ => Err(PyValueError::new_err(format!("{name} is a number of seconds, not {value}"))),
    }
}

/// A state of this game, or its start.
fn state_of(game: &Game, state: Option<&State>) -> PyResult<machine::State> {
    match state {
        None => Ok(game::Game::start(&game.shared.engine)),
        Some(state) if Arc::ptr_eq(&state.shared, &game.shared) => Ok(state.state.clone()),
        Some(_) => {
            Err(PyValueError::new_err("the state is of another game: load the rules once, and use that game for both"))
        }
    }
}

/// For whom to think: who is named, else who decides.
fn role_of(position: &mut Position, wanted: Option<Role>) -> Result<Role> {
    ensure!(!position.is_over()?, "the game is over there: nobody can move");
    if let Some(role) = wanted {
        return Ok(role);
    }
    for role in game::roles(&position.engine().clone()) {
        if position.legal(role)?.len() > 1 {
            return Ok(role);
        }
    }
    Ok(Role(0))
}

/// What a player thinks of a position.
#[pyfunction]
#[pyo3(signature = (game, state, player, seconds, role, seed, folder, progress))]
#[expect(clippy::too_many_arguments, reason = "the arguments of the function in Python")]
pub fn search(
    py: Python<'_>,
    game: &Game,
    state: Option<&State>,
    player: &str,
    seconds: f64,
    role: Option<&Bound<'_, PyAny>>,
    seed: u64,
    folder: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let seconds = self::seconds("seconds", seconds)?;
    let state = state_of(game, state)?;
    let role = role.map(|role| game.shared.role(role)).transpose()?;
    let spec = read(player).map_err(|error| PyValueError::new_err(format!("{error:#}")))?;
    if !spec.thinks() {
        return Err(PyValueError::new_err(format!("{spec} does not think; `ludens.players()` lists who does")));
    }
    let shared = Arc::clone(&game.shared);
    let found = work::run(py, progress, move |cancel, teller| {
        let engine = &shared.engine;
        let mut position = Position::new(engine.clone(), state);
        let role = role_of(&mut position, role)?;
        let notes = Notes::default();
        let players = players(folder.as_deref(), &notes);
        players.ready(&spec, &shared.rules, cancel)?;
        let Resources { tables, events, distance_tables, programs, .. } = players.resources;
        let knowledge = Knowledge::new(&shared.rules, tables, &events);
        let knowledge = Arc::new(knowledge.with_distance_tables(&distance_tables).with_programs(programs.as_ref()));
        let table = TableThoughts::new(&knowledge.oracles, &knowledge.rules, engine, position.state());
        let search = Search { spec: &spec, seconds, seed, position: &position, role };
        let began = Instant::now();
        let found = search.run(&knowledge, cancel, EVERY, &mut |found| {
            teller.tell(thought(engine, role, found, began)?);
            Ok(())
        })?;
        let mut all = thought(engine, role, &found, began)?;
        all["player"] = json!(spec.to_string());
        all["table"] = json!(table);
        all["notes"] = json!(notes.said());
        Ok(all)
    })?;
    Ok(found.to_string())
}

fn thought(engine: &Engine, role: Role, found: &::search::Found, began: Instant) -> Result<Value> {
    let mut all = serde_json::to_value(Thoughts::new(engine, role, found))?;
    all["seconds"] = json!(began.elapsed().as_secs_f64());
    Ok(all)
}

/// What rules and random games reveal.
#[pyfunction]
pub fn study(
    py: Python<'_>,
    game: &Game,
    seconds: f64,
    states: Option<u64>,
    seed: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let seconds = self::seconds("seconds", seconds)?;
    let shared = Arc::clone(&game.shared);
    let found = work::run(py, progress, move |cancel, teller| {
        let Shared { sheet, rules, engine, choice, .. } = &*shared;
        let studying = Studying { sheet, rules, engine, choice: *choice, seed, seconds, states, cancel };
        let finished = studying.run(&mut |at| {
            teller
                .tell(json!({"doing": at.doing, "states_left": at.states_left, "seconds_left": at.most.as_secs_f64()}));
        });
        if let Some(limit) = finished.study.limit() {
            bail!(limit.clone());
        }
        Ok(serde_json::to_value(finished.study.findings())?)
    })?;
    Ok(found.to_string())
}

fn entry(entry: Entry) -> Value {
    json!({"value": entry.value, "distance": entry.distance})
}

/// A solution as it leaves.
fn solution(solved: &Solution, seconds: f64) -> Value {
    let statistics = solved.statistics();
    let line = solved
        .line
        .iter()
        .map(|step| json!({"role": step.role, "move": step.text, "joint": step.joint, "after": step.entry.map(entry)}));
    let end = match solved.end {
        LineEnd::Over(goals) => json!({"over": goals}),
        LineEnd::Stuck => json!("stuck"),
        LineEnd::Repeats => json!("repeats"),
        LineEnd::Unknown => json!("unknown"),
        LineEnd::Wrong => json!("wrong"),
    };
    let values: Vec<Value> = statistics.values.iter().map(|(value, count)| json!([value, count])).collect();
    let distances: Vec<Value> = statistics.distances.iter().map(|(value, counts)| json!([value, counts])).collect();
    json!({
        "roles": solved.roles, "engine": solved.engine, "memory": solved.memory, "seconds": seconds,
        "counter": solved.counter.as_ref().map(|counter| &counter.facts),
        "value": solved.start().value, "distance": solved.start().distance,
        "states": statistics.states, "edges": statistics.edges, "layers": statistics.layers, "terminal": statistics.terminal,
        "stuck": statistics.stuck, "may_repeat": statistics.may_repeat, "values": values, "distances": distances,
        "line": line.collect::<Vec<_>>(), "end": end,
    })
}

/// Solves a game, and stores the table if there is a place for it.
#[pyfunction]
pub fn solve(
    py: Python<'_>,
    game: &Game,
    memory_mib: Option<u64>,
    save: bool,
    folder: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let shared = Arc::clone(&game.shared);
    let found = work::run(py, progress, move |cancel, teller| {
        let Shared { sheet, rules, engine, choice, .. } = &*shared;
        let memory = memory::budget(memory_mib);
        let solving = Solving { sheet, rules, engine, choice: *choice, memory, is_stored: save, cancel };
        let began = Instant::now();
        let solved = solving.run(&mut |step| tell_step(&step, began, teller));
        let solved = solved.with_context(|| format!("{} is not solved", sheet.name))?;
        let mut all = solution(&solved, began.elapsed().as_secs_f64());
        if save {
            all["table"] = json!(store(&solved, &shared, folder.as_deref())?);
        }
        Ok(all)
    })?;
    Ok(found.to_string())
}

fn tell_step(step: &Step<'_>, began: Instant, teller: &Teller) {
    if let Step::At(reach) = step {
        let doing = match reach.phase {
            Phase::Forward => "listing",
            Phase::Backward => "valuing",
        };
        teller.tell(json!({"doing": doing, "states": reach.states, "done": reach.expanded, "depth": reach.depth,
            "bytes": reach.needed, "seconds": began.elapsed().as_secs_f64()}));
    }
}

/// Stores the table of a solved game; where it is.
fn store(solved: &Solution, shared: &Shared, folder: Option<&Path>) -> Result<PathBuf> {
    let identity = gdl::identity(&shared.rules).to_string();
    let rules = gdl::print(&shared.rules, gdl::Form::Kif);
    let name = folders::file_name(&shared.sheet.name);
    let path = Store::new(folders::tables(folder)?).solved_path(&name, &identity);
    folders::make_for(&path)?;
    let game = StoredGame { name: &name, roles: &solved.roles, identity: &identity, rules: &rules };
    platform::save::through(&path, |path| Ok(solved.store(path, &game, Form::Raw)?))?;
    Ok(path)
}

/// What the tables in a folder know of a state; nothing if there are none.
#[pyfunction]
pub fn probe(py: Python<'_>, game: &Game, state: Option<&State>, folder: Option<PathBuf>) -> PyResult<Option<String>> {
    let state = state_of(game, state)?;
    let shared = Arc::clone(&game.shared);
    let found = work::run(py, None, move |_: &Cancel, _| {
        let notes = Notes::default();
        let oracles = Oracles::new(folders::tables(folder.as_deref()).ok(), &notes.events());
        let facts = game::Names::facts(&shared.engine, &state);
        let Some(verdict) = oracles.ask(&shared.rules, &facts) else {
            return match notes.said().first() {
                Some(why) => bail!("{why}"),
                None => Ok(None),
            };
        };
        let choices = oracles.choices(&shared.rules, &shared.engine, &state).unwrap_or_default();
        let moves = choices.iter().map(|choice| {
            let text = game::Names::move_text(&shared.engine, choice.joint[usize::from(choice.role.0)]);
            json!({"move": text, "best": choice.best, "verdict": choice.verdict})
        });
        Ok(Some(
            json!({"words": in_words(&verdict, &shared.roles), "verdict": verdict, "moves": moves.collect::<Vec<_>>()}),
        ))
    })?;
    Ok(found.map(|found| found.to_string()))
}

/// Random games from a state.
#[pyfunction]
pub fn playouts(
    py: Python<'_>,
    game: &Game,
    state: Option<&State>,
    n: u64,
    max_steps: usize,
    seed: u64,
) -> PyResult<String> {
    let state = state_of(game, state)?;
    vector::playouts(py, &game.shared, &state, n, max_steps, seed)
}
