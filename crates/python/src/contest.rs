//! Matches and tournaments. Answers are JSON.

use crate::errors;
use crate::game::Game;
use crate::state::State;
use crate::think::{Notes, players as makers, seconds};
use crate::work;
use agent::spec::KINDS;
use agent::{PlayerSpec, Position};
use anyhow::{Result, bail, ensure};
use host::matches::{Event, Setup, game_name, game_title, game_url, host_until, more, open_roles, token};
use host::player_thread::PlayerThread;
use host::players::{no_people, read};
use host::tournament::{self, Missing, Plan, Progress};
use play::{Clock, Disguise, Player, Start, Trouble};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// The kinds of players, as JSON.
#[pyfunction]
pub fn players() -> String {
    let kinds = KINDS.iter().map(|kind| {
        let settings = kind.settings.iter().map(|setting| json!({"name": setting.name, "what": setting.what}));
        json!({"name": kind.name, "what": kind.what, "settings": settings.collect::<Vec<_>>()})
    });
    json!(kinds.collect::<Vec<_>>()).to_string()
}

/// Who sits at a role.
enum Seat {
    Described(Box<PlayerSpec>),
    /// A function of Python: from a state to an action.
    Function(Py<PyAny>, String),
}

/// A function of Python as a player: it is called with a state, and answers an action by number or in words.
struct FunctionPlayer {
    function: Py<PyAny>,
    game: Py<Game>,
    position: Option<Position>,
    role: usize,
}

impl FunctionPlayer {
    fn follow(&mut self, last: Option<&[String]>) -> Result<&mut Position, Trouble> {
        let lost = |limit: game::Limit| Trouble::Lost(limit.to_string());
        let Some(position) = &mut self.position else { return Err(Trouble::Lost("there is no match".to_string())) };
        if let Some(last) = last {
            let joint = position.joint(last).map_err(lost)?.map_err(Trouble::Lost)?;
            position.play(&joint).map_err(lost)?;
        }
        Ok(position)
    }
}

impl Player for FunctionPlayer {
    fn prepare(&mut self, start: &Start, _: &Clock<'_>) -> Result<(), Trouble> {
        let shared = &self.game.get().shared;
        let role = shared.roles.iter().position(|role| role.eq_ignore_ascii_case(&start.role));
        self.role = role.ok_or_else(|| Trouble::Lost(format!("there is no role {}", start.role)))?;
        self.position = Some(Position::start(shared.engine.clone()));
        Ok(())
    }

    fn choose(&mut self, last: Option<&[String]>, _: &Clock<'_>) -> Result<String, Trouble> {
        let role = game::Role(self.role as u8);
        let position = self.follow(last)?;
        let legal = position.legal(role).map_err(|limit| Trouble::Lost(limit.to_string()))?;
        let state = position.state().clone();
        let shared = Arc::clone(&self.game.get().shared);
        if let [only] = legal[..] {
            return Ok(game::Names::move_text(&shared.engine, only));
        }
        Python::attach(|py| {
            let state = State::new(self.game.clone_ref(py).into_any(), &shared, state);
            let answer = self.function.call1(py, (state,))?;
            if let Ok(action) = answer.extract::<i64>(py) {
                let name = &shared.roles[self.role];
                let text = shared.numbering.action_text(role, action);
                return text.ok_or_else(|| errors::own(py, "IllegalAction", format!("{name} has no action {action}")));
            }
            answer.extract::<String>(py)
        })
        .map_err(|error| Trouble::Connection(error.to_string()))
    }

    fn stop(&mut self, _: Option<&[String]>, _: &Clock<'_>) {
        self.position = None;
    }

    fn abort(&mut self, _: &Clock<'_>) {
        self.position = None;
    }
}

fn seat(player: &Bound<'_, PyAny>) -> PyResult<Seat> {
    if let Ok(text) = player.extract::<String>() {
        let spec = read(&text).map_err(|error| PyValueError::new_err(format!("{error:#}")))?;
        if spec.is_human() {
            return Err(PyValueError::new_err("a person cannot play here: give a function that asks"));
        }
        return Ok(Seat::Described(Box::new(spec)));
    }
    if player.is_callable() {
        let name =
            player.getattr("__name__").and_then(|name| name.extract()).unwrap_or_else(|_| "function".to_string());
        return Ok(Seat::Function(player.clone().unbind(), name));
    }
    Err(PyValueError::new_err(
        "a player is a description such as \"portfolio\", or a function from a state to an action",
    ))
}

/// Plays a match.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the arguments of the function in Python")]
pub fn play_match(
    py: Python<'_>,
    game: &Bound<'_, Game>,
    players: Vec<Bound<'_, PyAny>>,
    start: f64,
    play: f64,
    seed: u64,
    max_steps: usize,
    folder: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (start, play) = (seconds("start", start)?, seconds("play", play)?);
    let seats = players.iter().map(seat).collect::<PyResult<Vec<Seat>>>()?;
    let shared = Arc::clone(&game.get().shared);
    let own: Py<Game> = game.clone().unbind();
    let notes = Notes::default();
    let own = &own;
    let record = work::run(py, progress, |cancel, teller| {
        let open = open_roles(&shared.engine);
        let count = open.iter().filter(|open| **open).count();
        ensure!(
            seats.len() == count,
            "{} players are given for {count} roles: {}",
            seats.len(),
            shared.roles.join(", ")
        );
        let makers = makers(folder.as_deref(), &notes);
        let mut seats = seats.into_iter();
        let mut threads = Vec::new();
        for (number, open) in open.iter().enumerate() {
            let Some(seat) = open.then(|| seats.next()).flatten() else {
                threads.push(None);
                continue;
            };
            let (name, player): (String, Box<dyn Player>) = match seat {
                Seat::Described(spec) => {
                    makers.ready(&spec, &shared.rules, cancel)?;
                    let seed = seed.wrapping_add(1 + number as u64);
                    (spec.to_string(), makers.make(&spec, seed, &no_people)?)
                }
                Seat::Function(function, name) => {
                    let game = Python::attach(|py| own.clone_ref(py));
                    (name, Box::new(FunctionPlayer { function, game, position: None, role: 0 }))
                }
            };
            threads.push(Some(PlayerThread::new(name, false, player)?));
        }
        let disguise = Disguise::new(&shared.rules, None);
        let setup = Setup {
            id: format!("{}.{}", game_name(&shared.sheet), &token()[..8]),
            disguise: &disguise,
            start,
            play,
            seed,
            most: max_steps,
            game: game_title(&shared.sheet),
            url: game_url(&shared.sheet),
            tournament: None,
            more: more(&shared.sheet, &shared.rules),
        };
        let stop = || cancel.is_cancelled().then(|| "interrupted".to_string());
        let mut given_up = None;
        let mut troubles = Vec::new();
        let record = host_until(&shared.engine, &setup, &mut threads, &stop, &mut |event, record| {
            match event {
                Event::Step(_, _, step_troubles) => {
                    for (role, trouble) in step_troubles.iter().enumerate() {
                        troubles.extend(
                            trouble
                                .as_ref()
                                .map(|why| format!("step {}: {}: {why}", record.moves.len(), shared.roles[role])),
                        );
                    }
                    teller.tell(json!({"steps": record.moves.len(), "moves": record.moves.last()}));
                }
                Event::End(why) => given_up = why.map(str::to_string),
                Event::Begin | Event::Ready(_) | Event::Waiting { .. } => {}
            }
            Ok(())
        })?;
        Ok(json!({"record": record, "given_up": given_up, "troubles": troubles, "notes": notes.said()}))
    })?;
    Ok(record.to_string())
}

/// Plays a tournament.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the arguments of the function in Python")]
pub fn play_tournament(
    py: Python<'_>,
    games: Vec<String>,
    players: Vec<String>,
    rounds: usize,
    start: f64,
    play: f64,
    parallel: usize,
    gauntlet: bool,
    seed: u64,
    max_steps: usize,
    out: Option<PathBuf>,
    folder: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (start, play) = (seconds("start", start)?, seconds("play", play)?);
    let plan = Plan {
        games,
        players,
        rounds,
        gauntlet,
        start,
        play,
        parallel: parallel.clamp(1, 64),
        scramble: false,
        seed,
        most: max_steps,
        out,
        records: false,
        fresh: false,
    };
    let found = work::run(py, progress, move |cancel, teller| {
        let notes = Notes::default();
        let makers = makers(folder.as_deref(), &notes);
        let (standings, missing) = tournament::play_some(&plan, &makers, cancel, &mut |step| {
            if let Progress::Games { done, of } = step {
                teller.tell(json!({"done": done, "of": of}));
            }
            Ok(())
        })?;
        let missing = match missing {
            None => None,
            Some(Missing::Interrupted(why)) => bail!("interrupted; {why}"),
            Some(Missing::LeftOut(why)) => Some(why),
        };
        Ok(json!({"report": standings.report(), "text": standings.text(), "missing": missing, "notes": notes.said()}))
    })?;
    Ok(found.to_string())
}
