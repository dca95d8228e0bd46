//! Many games side by side, in arrays of numpy.
//!
//! What is told of the games is written into arrays that are made once: whoever has one sees what the next step writes, and nothing
//! is copied. They lie in memory that numpy cannot move, and are written by raw access while the interpreter does other things: whoever looks at
//! an array on another thread meanwhile may see half of a step. What is chosen is copied before it is looked at, so nobody can change it
//! after it was found legal.

use crate::errors;
use crate::game::{Game, Shared};
use crate::state::State;
use game::random::End;
use game::rollouts::Feed;
use game::{Cancel, Game as _, Goal};
use machine::{Actions, Done, Form, ManyGames, Numbering, OVER, Settings, StepError, Tally, Whose};
use numpy::ndarray::{Array, ArrayView3, Dimension, Ix2, Ix3, IxDyn, ShapeBuilder};
use numpy::{PyArray, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use platform::memory;
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the interpreter's signals wait.
const SLICE: Duration = Duration::from_millis(40);

/// An array of bytes whose rows follow from the games, written when it is asked for.
struct Table {
    array: Option<Py<PyArrayDyn<u8>>>,
    /// The same memory as what is given out.
    shown: Option<Py<PyAny>>,
    /// Whether it shows the games as they are.
    is_fresh: bool,
}

impl Table {
    fn new() -> Table {
        Table { array: None, shown: None, is_fresh: false }
    }
}

/// Which table.
#[derive(Clone, Copy)]
enum Kind {
    Facts,
    FactBits,
    Masks,
    MaskBits,
    JointMasks,
}

const KINDS: usize = 5;

/// What a step gives: rewards, and what is done.
type Stepped = (Py<PyArray<f32, Ix2>>, Py<PyArray1<u8>>);

/// Many games side by side.
#[pyclass(module = "ludens._ludens")]
pub struct VectorEnv {
    game: Py<PyAny>,
    shared: Arc<Shared>,
    games: ManyGames,
    tables: [Table; KINDS],
    rewards: Py<PyArray<f32, Ix2>>,
    done: Py<PyArray1<u8>>,
    players: Py<PyArray1<i8>>,
    /// What was chosen, as it was when it was looked at.
    chosen: Vec<i64>,
    steps: u64,
}

/// An array in memory of ours, which numpy cannot resize.
fn fixed<T: numpy::Element + Clone, S: ShapeBuilder>(
    py: Python<'_>,
    value: T,
    shape: S,
) -> Bound<'_, PyArray<T, S::Dim>> {
    PyArray::from_owned_array(py, Array::from_elem(shape, value))
}

/// The memory of an array of ours.
#[expect(clippy::mut_from_ref, reason = "the memory is numpy's kind of shared; see below")]
fn memory_of<'a, T: numpy::Element, D: Dimension>(array: &'a Bound<'_, PyArray<T, D>>) -> PyResult<&'a mut [T]> {
    // SAFETY: the arrays of this module are made by `fixed`: contiguous, in memory that lives as long as the array and is never moved.
    // Only one such slice of an array exists at a time, since whoever makes one holds the environment exclusively.
    unsafe { array.as_slice_mut() }.map_err(|error| PyValueError::new_err(error.to_string()))
}

impl VectorEnv {
    pub fn new(
        game: &Bound<'_, Game>,
        count: usize,
        seed: u64,
        restarts: bool,
        most: Option<u32>,
    ) -> PyResult<VectorEnv> {
        let (py, shared) = (game.py(), Arc::clone(&game.get().shared));
        if count == 0 {
            return Err(PyValueError::new_err("there must be at least one game"));
        }
        if most == Some(0) {
            return Err(PyValueError::new_err("max_steps is at least 1"));
        }
        let row = shared.numbering.facts() + shared.numbering.widest() + 4 * shared.roles.len() + 16;
        let needed = ManyGames::bytes(&shared.engine, count).saturating_add(count.saturating_mul(row)) as u64;
        if needed > memory::budget(None) || i64::try_from(needed).is_err() {
            let message = format!("{count} games of {} need {} of memory", shared.sheet.name, memory::size(needed));
            return Err(PyMemoryError::new_err(message));
        }
        let settings = Settings { count, seed, restarts, most };
        let games = py.detach(|| ManyGames::new(&shared.engine, &shared.numbering, settings));
        let games = games.map_err(|limit| errors::limit(py, &limit))?;
        let roles = shared.roles.len();
        let env = VectorEnv {
            game: game.clone().into_any().unbind(),
            games,
            tables: std::array::from_fn(|_| Table::new()),
            rewards: fixed(py, 0.0, (count, roles)).unbind(),
            done: fixed(py, 0, count).unbind(),
            players: fixed(py, 0, count).unbind(),
            chosen: Vec::new(),
            steps: 0,
            shared,
        };
        env.show_players(py)?;
        Ok(env)
    }

    fn numbering(&self) -> &Numbering {
        &self.shared.numbering
    }

    /// Copies who decides to where it is seen.
    fn show_players(&self, py: Python<'_>) -> PyResult<()> {
        memory_of(self.players.bind(py))?.copy_from_slice(self.games.players());
        Ok(())
    }

    fn changed(&mut self, py: Python<'_>) -> PyResult<()> {
        self.tables.iter_mut().for_each(|table| table.is_fresh = false);
        self.show_players(py)
    }

    fn error(&self, py: Python<'_>, error: &StepError) -> PyErr {
        let message = match error {
            StepError::Illegal { game, role, action } => {
                let name = &self.shared.roles[usize::from(role.0)];
                match self.numbering().action_text(*role, *action) {
                    Some(text) => format!("action {action} ({text}) is not legal for {name} in game {game}"),
                    None => format!("{name} has no action {action}, which was chosen in game {game}"),
                }
            }
            StepError::Several { game } => format!(
                "several roles choose at once in game {game}: give an action for each role, in an array of shape ({}, {})",
                self.games.len(),
                self.shared.roles.len()
            ),
            StepError::Length { .. } | StepError::Limit { .. } => error.to_string(),
        };
        errors::step(py, error, message)
    }

    /// A table, brought up to date.
    fn table(&mut self, py: Python<'_>, kind: Kind) -> PyResult<Py<PyAny>> {
        let (count, roles) = (self.games.len(), self.shared.roles.len());
        let (facts, actions) = (self.numbering().facts(), self.numbering().widest());
        let (shape, is_truth) = match kind {
            Kind::Facts => (vec![count, facts], false),
            Kind::FactBits => (vec![count, Form::Bits.row(facts)], false),
            Kind::Masks => (vec![count, actions], true),
            Kind::MaskBits => (vec![count, Form::Bits.row(actions)], false),
            Kind::JointMasks => (vec![count, roles, actions], true),
        };
        let VectorEnv { tables, games, .. } = self;
        let table = &mut tables[kind as usize];
        // Engines without a net number what comes up: then the table has become wider, and is another one.
        if table.array.as_ref().is_none_or(|array| array.bind(py).shape() != shape) {
            let array = fixed(py, 0u8, IxDyn(&shape));
            let shown = if is_truth { array.call_method1("view", ("bool",))? } else { array.clone().into_any() };
            *table = Table { array: Some(array.unbind()), shown: Some(shown.unbind()), is_fresh: false };
        }
        let (Some(array), Some(shown)) = (&table.array, &table.shown) else { return Ok(py.None()) };
        if !table.is_fresh {
            let bound = array.bind(py);
            let out = memory_of(bound)?;
            let games: &ManyGames = games;
            let written = py.detach(|| match kind {
                Kind::Facts => games.facts(Form::Bytes, out),
                Kind::FactBits => games.facts(Form::Bits, out),
                Kind::Masks => games.masks(Whose::Deciding, Form::Bytes, out),
                Kind::MaskBits => games.masks(Whose::Deciding, Form::Bits, out),
                Kind::JointMasks => games.masks(Whose::All, Form::Bytes, out),
            });
            written.map_err(|error| PyValueError::new_err(error.to_string()))?;
            table.is_fresh = true;
        }
        Ok(shown.clone_ref(py))
    }

    /// Copies what is chosen, whatever kind of whole numbers it is; tells whether it is one action for each role.
    fn take(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<bool> {
        let whole = match actions.extract::<PyReadonlyArrayDyn<'_, i64>>() {
            Ok(array) => array,
            Err(_) => {
                let numpy = py.import("numpy")?;
                let array = numpy.call_method1("asarray", (actions,))?;
                let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
                if !matches!(kind.as_str(), "i" | "u") {
                    let message = format!("actions are whole numbers, not {}", array.getattr("dtype")?);
                    return Err(PyTypeError::new_err(message));
                }
                array.call_method1("astype", ("int64",))?.extract()?
            }
        };
        let (count, roles) = (self.games.len(), self.shared.roles.len());
        let is_joint = match whole.shape() {
            [n] if *n == count => false,
            [n, r] if (*n, *r) == (count, roles) => true,
            other => {
                let message = format!("actions have the shape ({count},) or ({count}, {roles}), not {other:?}");
                return Err(PyValueError::new_err(message));
            }
        };
        self.chosen.clear();
        match whole.as_slice() {
            // The slice is in the order of the memory, which may be by columns.
            Ok(slice) if whole.is_c_contiguous() => self.chosen.extend_from_slice(slice),
            Ok(_) | Err(_) => self.chosen.extend(whole.as_array().iter()),
        }
        Ok(is_joint)
    }

    /// Makes random moves, and hears Ctrl-C between slices of them.
    fn random(&mut self, py: Python<'_>, steps: u64) -> PyResult<Tally> {
        let mut all = self.nothing();
        let (mut left, mut slice) = (steps, 16);
        while left > 0 {
            let (now, began, games) = (slice.min(left), Instant::now(), &mut self.games);
            let tally = py.detach(|| games.rollout(now, &Cancel::new())).map_err(|limit| errors::limit(py, &limit))?;
            left -= now;
            self.steps += now;
            add(&mut all, &tally);
            if tally.states == 0 {
                break;
            }
            slice = if began.elapsed() < SLICE { slice.saturating_mul(2) } else { (slice / 2).max(1) };
            if let Err(error) = py.check_signals() {
                self.changed(py)?;
                return Err(error);
            }
        }
        self.changed(py)?;
        Ok(all)
    }

    /// Makes the moves that a function chooses.
    fn led(slf: &Bound<'_, Self>, steps: u64, policy: &Bound<'_, PyAny>) -> PyResult<Tally> {
        let py = slf.py();
        let mut all = slf.try_borrow()?.nothing();
        for _ in 0..steps {
            let actions = policy.call1((slf,))?;
            let mut env = slf.try_borrow_mut()?;
            let going_on = env.games.players().iter().filter(|player| **player != OVER).count();
            env.step(py, &actions)?;
            all.states += going_on as u64;
            let roles = env.shared.roles.len();
            let (goals, codes) = (memory_of(env.rewards.bind(py))?, memory_of(env.done.bind(py))?);
            for (goals, code) in goals.chunks(roles).zip(codes) {
                match code {
                    1 => {
                        all.playouts += 1;
                        for (histogram, goal) in all.goals.iter_mut().zip(goals) {
                            histogram[(*goal as usize).min(100)] += 1;
                        }
                    }
                    2 => all.stuck += 1,
                    3 => all.cut += 1,
                    _ => {}
                }
            }
        }
        Ok(all)
    }

    /// What no games come to.
    fn nothing(&self) -> Tally {
        Tally { goals: vec![vec![0; 101]; self.shared.roles.len()], ..Tally::default() }
    }

    fn has(&self, game: usize) -> PyResult<()> {
        let count = self.games.len();
        if game < count {
            Ok(())
        } else {
            Err(PyIndexError::new_err(format!("there is no game {game}; there are {count}")))
        }
    }
}

#[pymethods]
impl VectorEnv {
    /// The game.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<PyAny> {
        self.game.clone_ref(py)
    }

    /// How many games there are.
    #[getter]
    fn num_envs(&self) -> usize {
        self.games.len()
    }

    fn __len__(&self) -> usize {
        self.games.len()
    }

    /// Whether they run on lanes; otherwise one state after the other, with the same results.
    #[getter]
    fn has_lanes(&self) -> bool {
        self.games.has_lanes()
    }

    /// How many joint moves every game has seen.
    #[getter]
    fn steps(&self) -> u64 {
        self.steps
    }

    /// Who decides in each game: an array of numbers; -2 where several choose at once, -4 where a game is over. Always the same memory.
    #[getter]
    fn players(&self, py: Python<'_>) -> Py<PyArray1<i8>> {
        self.players.clone_ref(py)
    }

    /// The goals of games that have ended with the last step, 0 elsewhere. Always the same memory.
    #[getter]
    fn rewards(&self, py: Python<'_>) -> Py<PyArray<f32, Ix2>> {
        self.rewards.clone_ref(py)
    }

    /// How games ended with the last step: 0 for those that go on, 1 for those that came to an end, 2 where a role had no move, 3 where
    /// `max_steps` cut them. Always the same memory.
    #[getter]
    fn done(&self, py: Python<'_>) -> Py<PyArray1<u8>> {
        self.done.clone_ref(py)
    }

    /// The facts of every game, a byte each: an array of shape (n, facts), written when it is asked for. Always the same memory.
    ///
    /// >>> env = ludens.load("tic-tac-toe").vector(3)
    /// >>> env.observations.shape, int(env.observations[0].sum())
    /// ((3, 29), 10)
    #[getter]
    fn observations(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.table(py, Kind::Facts)
    }

    /// The same as bits, the first in the lowest bit of the first byte: `numpy.unpackbits(..., axis=1, bitorder="little")` reads it.
    #[getter]
    fn packed_observations(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.table(py, Kind::FactBits)
    }

    /// The legal actions of whoever decides: an array of truth values of shape (n, actions), written when it is asked for. Always the
    /// same memory. Where several choose at once, or the game is over, there are none.
    ///
    /// >>> env = ludens.load("tic-tac-toe").vector(3)
    /// >>> env.masks.sum(axis=1).tolist()
    /// [9, 9, 9]
    #[getter]
    fn masks(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.table(py, Kind::Masks)
    }

    /// The same as bits, as in `packed_observations`.
    #[getter]
    fn packed_masks(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.table(py, Kind::MaskBits)
    }

    /// The legal actions of every role: an array of shape (n, roles, actions).
    #[getter]
    fn joint_masks(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.table(py, Kind::JointMasks)
    }

    /// The states themselves, as the lanes have them: an array of shape (groups, facts, 8) of 64-bit words that cannot be written; bit `i`
    /// of the 512 bits of `planes[g, f]` says whether fact `f` holds in game `512 * g + i`. None where there are no lanes.
    ///
    /// >>> env = ludens.load("tic-tac-toe").vector(600)
    /// >>> env.planes.shape
    /// (2, 29, 8)
    #[getter]
    fn planes<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyArray<u64, Ix3>>>> {
        let env = slf.try_borrow()?;
        let Some(planes) = env.games.planes() else { return Ok(None) };
        let shape = (planes.groups, planes.facts, 8).strides((planes.stride, 8, 1));
        if planes.facts == 0 {
            return Ok(None);
        }
        // SAFETY: the words are where `planes` says, and stay there as long as the environment lives, which the array keeps alive.
        // The array cannot be written; what a step changes is seen in it.
        let array = unsafe {
            let view = ArrayView3::from_shape_ptr(shape, planes.words.as_ptr());
            PyArray::borrow_from_array(&view, slf.clone().into_any())
        };
        array.call_method1("setflags", (false,))?;
        Ok(Some(array))
    }

    /// Makes one joint move in every game: an array of shape (n,) has the action of whoever decides, one of shape (n, roles) one for each
    /// role. Gives the rewards and what is done; both arrays are written anew by the next step.
    ///
    /// With `restart` a game that has ended is at its start again, and its rewards are those of the end. If anything is wrong, no game has
    /// changed.
    ///
    /// >>> env = ludens.load("tic-tac-toe").vector(2, seed=1)
    /// >>> for _ in range(9):
    /// ...     rewards, done = env.step(env.sample())
    /// >>> rewards.shape, done.shape
    /// ((2, 2), (2,))
    /// >>> env.step([0, 99])
    /// Traceback (most recent call last):
    /// ludens.errors.IllegalAction: ...
    fn step(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<Stepped> {
        let is_joint = self.take(py, actions)?;
        let VectorEnv { games, chosen, rewards, done, .. } = self;
        let (rewards, done) = (rewards.bind(py), done.bind(py));
        let (goals, ended) = (memory_of(rewards)?, memory_of(done)?);
        let actions = if is_joint { Actions::Joint(chosen) } else { Actions::Deciding(chosen) };
        let stepped = py.detach(|| games.step(actions, Done { goals, ended }));
        stepped.map_err(|error| self.error(py, &error))?;
        self.steps += 1;
        self.changed(py)?;
        Ok((self.rewards.clone_ref(py), self.done.clone_ref(py)))
    }

    /// Begins all games anew.
    fn reset(&mut self, py: Python<'_>) -> PyResult<()> {
        let games = &mut self.games;
        py.detach(|| games.reset()).map_err(|limit| errors::limit(py, &limit))?;
        memory_of(self.rewards.bind(py))?.fill(0.0);
        memory_of(self.done.bind(py))?.fill(0);
        self.changed(py)
    }

    /// Draws a random legal action for every game, each as likely as the others: an array for `step`. -1 where nobody decides.
    #[pyo3(signature = (joint=false))]
    fn sample<'py>(&mut self, py: Python<'py>, joint: bool) -> PyResult<Bound<'py, PyArrayDyn<i64>>> {
        let (count, roles) = (self.games.len(), self.shared.roles.len());
        let (whose, shape) = if joint { (Whose::All, vec![count, roles]) } else { (Whose::Deciding, vec![count]) };
        let array = fixed(py, -1, IxDyn(&shape));
        let (out, games) = (memory_of(&array)?, &mut self.games);
        py.detach(|| games.sample(whose, out)).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(array)
    }

    /// Makes so many joint moves in every game and tells what they came to. The policy is "random", or a function that is given this
    /// environment and answers the actions for a step.
    ///
    /// >>> env = ludens.load("tic-tac-toe").vector(1024, seed=1)
    /// >>> found = env.rollout(100)
    /// >>> found.states, found.games > 10_000
    /// (102400, True)
    /// >>> env.rollout(5, policy=lambda env: env.masks.argmax(axis=1)).states
    /// 5120
    #[pyo3(signature = (steps, policy=None))]
    fn rollout<'py>(
        slf: &Bound<'py, Self>,
        steps: u64,
        policy: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let tally = match policy {
            None => slf.try_borrow_mut()?.random(py, steps)?,
            Some(policy) if policy.is_callable() => VectorEnv::led(slf, steps, policy)?,
            Some(policy) if policy.extract::<String>().is_ok_and(|name| name == "random") => {
                slf.try_borrow_mut()?.random(py, steps)?
            }
            Some(other) => {
                let message = format!("a policy is \"random\" or a function, not {}", other.repr()?);
                return Err(PyValueError::new_err(message));
            }
        };
        py.import("ludens._results")?.getattr("Playouts")?.call_method1("_of", (told(&tally),))
    }

    /// The state of one game.
    fn state(&self, py: Python<'_>, game: usize) -> PyResult<State> {
        self.has(game)?;
        Ok(State::new(self.game.clone_ref(py), &self.shared, self.games.state(game)))
    }

    /// Puts one game into a state.
    ///
    /// >>> game = ludens.load("tic-tac-toe")
    /// >>> env = game.vector(2)
    /// >>> env.set_state(1, game.from_moves(["(mark 1 1)"]))
    /// >>> env.players.tolist()
    /// [0, 1]
    fn set_state(&mut self, py: Python<'_>, game: usize, state: &State) -> PyResult<()> {
        self.has(game)?;
        if !Arc::ptr_eq(&state.shared, &self.shared) {
            return Err(PyValueError::new_err(
                "the state is of another game: load the rules once, and use that game for both",
            ));
        }
        self.games.set(game, &state.state).map_err(|limit| errors::limit(py, &limit))?;
        self.changed(py)
    }

    fn __repr__(&self) -> String {
        format!("<ludens.VectorEnv of {:?}: {} games>", self.shared.sheet.name, self.games.len())
    }
}

fn add(all: &mut Tally, tally: &Tally) {
    all.states += tally.states;
    all.playouts += tally.playouts;
    all.stuck += tally.stuck;
    all.cut += tally.cut;
    for (all, tally) in all.goals.iter_mut().zip(&tally.goals) {
        all.iter_mut().zip(tally).for_each(|(all, count)| *all += count);
    }
}

fn told(tally: &Tally) -> String {
    json!({"states": tally.states, "games": tally.playouts, "stuck": tally.stuck, "cut": tally.cut, "goals": tally.goals})
        .to_string()
}

/// Random games from one state.
struct FromState<'a> {
    state: &'a machine::State,
    left: u64,
    tally: Tally,
    stop: &'a dyn Fn() -> bool,
}

impl Feed<machine::State> for FromState<'_> {
    fn stop(&mut self) -> bool {
        (self.stop)()
    }

    fn next(&mut self) -> Option<(u32, &machine::State)> {
        self.left = self.left.checked_sub(1)?;
        Some((0, self.state))
    }

    fn done(&mut self, _: u32, end: End, steps: usize, goals: &[Option<Goal>]) {
        self.tally.states += steps as u64;
        match end {
            End::Terminal => {
                self.tally.playouts += 1;
                for (histogram, goal) in self.tally.goals.iter_mut().zip(goals) {
                    if let Some(goal) = goal {
                        histogram[usize::from((*goal).min(100))] += 1;
                    }
                }
            }
            End::Stuck => self.tally.stuck += 1,
            End::Cut => self.tally.cut += 1,
        }
    }
}

/// Plays random games from a state; what they came to, as JSON.
pub fn playouts(
    py: Python<'_>,
    shared: &Shared,
    state: &machine::State,
    count: u64,
    most: usize,
    seed: u64,
) -> PyResult<String> {
    let roles = shared.roles.len();
    let (state, engine) = (state.clone(), &shared.engine);
    let tally = crate::work::run(py, None, |cancel, _| {
        let stop = || cancel.is_cancelled();
        let tally = Tally { goals: vec![vec![0; 101]; roles], ..Tally::default() };
        let mut feed = FromState { state: &state, left: count, tally, stop: &stop };
        engine.rollouts(&mut feed, most, seed)?;
        Ok(feed.tally)
    })?;
    Ok(told(&tally))
}
