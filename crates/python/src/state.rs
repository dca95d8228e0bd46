//! One position, with the names that users of OpenSpiel know.

use crate::errors;
use crate::game::{Scratch, Shared, all_roles, observation, words};
use game::{Game as _, Move, Names, Role, Turn};
use machine::{OVER, SEVERAL};
use numpy::{IntoPyArray, PyArray1};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use study::picture::{Style, plain, svg, text};

/// A position of a game.
#[pyclass(module = "ludens._ludens")]
pub struct State {
    game: Py<PyAny>,
    pub shared: Arc<Shared>,
    pub state: machine::State,
    /// Scratch memory, once it was needed.
    scratch: Option<Box<Scratch>>,
    /// Whether what follows is about this state.
    is_seen: bool,
    turn: Turn,
}

impl Drop for State {
    fn drop(&mut self) {
        if let Some(scratch) = self.scratch.take() {
            self.shared.keep(scratch);
        }
    }
}

impl State {
    pub fn new(game: Py<PyAny>, shared: &Arc<Shared>, state: machine::State) -> State {
        State { game, shared: Arc::clone(shared), state, scratch: None, is_seen: false, turn: Turn::Over }
    }

    /// Works out what follows from the state, once.
    fn see(&mut self, py: Python<'_>) -> PyResult<&mut Scratch> {
        let State { shared, state, scratch, is_seen, turn, .. } = self;
        let scratch = scratch.get_or_insert_with(|| shared.scratch());
        if *is_seen {
            return Ok(scratch);
        }
        let (engine, Scratch { view, legal, .. }) = (&shared.engine, &mut **scratch);
        engine.look(state, view).map_err(|limit| errors::limit(py, &limit))?;
        shared.numbering.see(state, view);
        legal.iter_mut().for_each(Vec::clear);
        if engine.over(view) {
            *turn = Turn::Over;
        } else {
            for (role, legal) in all_roles(shared).zip(legal.iter_mut()) {
                engine.legal(view, role, legal);
            }
            *turn = game::turn_from_counts(legal.iter().map(Vec::len));
        }
        *is_seen = true;
        Ok(scratch)
    }

    /// The role that decides.
    fn decider(&mut self, py: Python<'_>) -> PyResult<Role> {
        self.see(py)?;
        match self.turn {
            Turn::One(role) => Ok(role),
            Turn::Over => Err(errors::own(py, "IllegalAction", "the game is over".to_string())),
            Turn::Many => {
                let message = "several roles choose at once: name the player, or give an action for each role";
                Err(errors::own(py, "IllegalAction", message.to_string()))
            }
        }
    }

    /// The role that is meant; whoever decides if none is.
    fn whose(&mut self, py: Python<'_>, player: Option<&Bound<'_, PyAny>>) -> PyResult<Role> {
        match player {
            Some(player) => self.shared.role(player),
            None => self.decider(py),
        }
    }

    fn action(&self, role: Role, mv: Move) -> u32 {
        self.shared.numbering.action(role, mv).unwrap_or(u32::MAX)
    }

    /// The legal move that an action is.
    fn chosen(&self, py: Python<'_>, role: Role, action: i64) -> PyResult<Move> {
        let legal = self.legal(role);
        let found = self.shared.numbering.move_of(role, action).filter(|mv| legal.contains(mv));
        found.ok_or_else(|| {
            let name = &self.shared.roles[usize::from(role.0)];
            let what = match self.shared.numbering.action_text(role, action) {
                Some(text) => format!("{action} ({text})"),
                None => format!("{action}, which does not exist,"),
            };
            let some: Vec<String> = legal.iter().take(8).map(|&mv| self.action(role, mv).to_string()).collect();
            let more = if legal.len() > 8 { ", …" } else { "" };
            let message = format!("action {what} is not legal for {name} here; these are: {}{more}", some.join(", "));
            errors::own(py, "IllegalAction", message)
        })
    }

    /// Makes the joint move that was put together.
    fn play(&mut self, py: Python<'_>) -> PyResult<()> {
        let State { shared, state, scratch: Some(scratch), is_seen, .. } = self else { return Ok(()) };
        let Scratch { view, next, joint, .. } = &mut **scratch;
        shared.engine.play(view, joint, next).map_err(|limit| errors::limit(py, &limit))?;
        std::mem::swap(state, next);
        *is_seen = false;
        Ok(())
    }

    /// One move for each role; those that have only one need not be chosen.
    fn forced(&mut self, py: Python<'_>) -> PyResult<()> {
        let Scratch { legal, joint, .. } = self.see(py)?;
        joint.clear();
        joint.extend(legal.iter().map_while(|legal| legal.first()));
        let (there, wanted) = (joint.len(), legal.len());
        if there < wanted {
            let name = &self.shared.roles[there];
            let message = format!("{name} has no legal move although the game is not over: the rules are faulty");
            return Err(errors::own(py, "IllegalAction", message));
        }
        Ok(())
    }

    /// The legal moves of a role, as they were seen.
    fn legal(&self, role: Role) -> &[Move] {
        self.scratch.as_ref().and_then(|scratch| scratch.legal.get(usize::from(role.0))).map_or(&[], Vec::as_slice)
    }

    /// Puts an action in the place of the first move that its role has.
    fn put(&mut self, py: Python<'_>, role: Role, action: &Bound<'_, PyAny>) -> PyResult<()> {
        let mv = self.meant(py, role, action)?;
        if let Some(place) = self.scratch.as_mut().and_then(|scratch| scratch.joint.get_mut(usize::from(role.0))) {
            *place = mv;
        }
        Ok(())
    }

    fn goals_now(&mut self, py: Python<'_>) -> PyResult<Vec<Option<u8>>> {
        self.see(py)?;
        let State { shared, scratch: Some(scratch), .. } = self else { return Ok(Vec::new()) };
        let goal = |role| shared.engine.goal(&mut scratch.view, role);
        let goals = all_roles(shared).map(goal).collect::<Result<Vec<_>, _>>();
        goals.map_err(|limit| errors::limit(py, &limit))
    }

    /// The legal move of a role that is called so.
    fn named(&self, py: Python<'_>, role: Role, text: &str) -> PyResult<Move> {
        let view = self.scratch.as_ref().map(|scratch| &scratch.view);
        let found = view.and_then(|view| self.shared.engine.legal_move(view, role, text));
        found.ok_or_else(|| {
            let name = &self.shared.roles[usize::from(role.0)];
            errors::own(py, "IllegalAction", format!("{name} has no legal move {text} here"))
        })
    }

    /// A move that is written as a number or in words.
    fn meant(&self, py: Python<'_>, role: Role, given: &Bound<'_, PyAny>) -> PyResult<Move> {
        if let Ok(action) = given.extract::<i64>() {
            return self.chosen(py, role, action);
        }
        let Ok(text) = given.extract::<String>() else {
            return Err(PyTypeError::new_err("an action is a number, or a move in words"));
        };
        self.named(py, role, &text)
    }
}

#[pymethods]
impl State {
    /// The game that this is a state of.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<PyAny> {
        self.game.clone_ref(py)
    }

    /// How many roles the game has.
    fn num_players(&self) -> usize {
        self.shared.roles.len()
    }

    /// Whether the game is over.
    ///
    /// >>> ludens.load("tic-tac-toe").new_initial_state().is_terminal()
    /// False
    fn is_terminal(&mut self, py: Python<'_>) -> PyResult<bool> {
        self.see(py)?;
        Ok(self.turn == Turn::Over)
    }

    /// Whether a role has no legal move although the game is not over: the rules are faulty.
    ///
    /// >>> ludens.load("nim").new_initial_state().is_stuck()
    /// False
    fn is_stuck(&mut self, py: Python<'_>) -> PyResult<bool> {
        self.see(py)?;
        Ok(self.turn != Turn::Over && all_roles(&self.shared).any(|role| self.legal(role).is_empty()))
    }

    /// Whether several roles choose at once.
    fn is_simultaneous_node(&mut self, py: Python<'_>) -> PyResult<bool> {
        self.see(py)?;
        Ok(self.turn == Turn::Many)
    }

    /// Always false: in GDL chance is a role like any other.
    fn is_chance_node(&self) -> bool {
        false
    }

    /// The number of the role that decides; -2 where several choose at once, -4 where the game is over.
    ///
    /// >>> state = ludens.load("tic-tac-toe").new_initial_state()
    /// >>> state.current_player()
    /// 0
    /// >>> state.apply_action(state.legal_actions()[0])
    /// >>> state.current_player()
    /// 1
    fn current_player(&mut self, py: Python<'_>) -> PyResult<i8> {
        self.see(py)?;
        Ok(match self.turn {
            Turn::Over => OVER,
            Turn::One(role) => role.0 as i8,
            Turn::Many => SEVERAL,
        })
    }

    /// The legal actions of whoever decides, or of a player that is named by number or role; none where the game is over.
    ///
    /// Who waits has one action, usually called noop.
    ///
    /// >>> state = ludens.load("tic-tac-toe").new_initial_state()
    /// >>> len(state.legal_actions()), len(state.legal_actions("o"))
    /// (9, 1)
    #[pyo3(signature = (player=None))]
    fn legal_actions<'py>(
        &mut self,
        py: Python<'py>,
        player: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.see(py)?;
        if self.turn == Turn::Over {
            return Ok(PyList::empty(py));
        }
        let role = self.whose(py, player)?;
        let legal = self.legal(role);
        match self.shared.engine.net() {
            Some(net) => {
                let from = net.moves_of(role).start as u32;
                PyList::new(py, legal.iter().map(|mv| mv.0 - from))
            }
            None => PyList::new(py, legal.iter().map(|&mv| self.action(role, mv))),
        }
    }

    /// The legal actions as an array of truth values, one for each action that any role has.
    ///
    /// >>> state = ludens.load("tic-tac-toe").new_initial_state()
    /// >>> mask = state.legal_actions_mask()
    /// >>> mask.dtype.name, int(mask.sum())
    /// ('bool', 9)
    #[pyo3(signature = (player=None))]
    fn legal_actions_mask<'py>(
        &mut self,
        py: Python<'py>,
        player: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.see(py)?;
        let mut mask = vec![false; self.shared.numbering.widest()];
        if self.turn != Turn::Over {
            let role = self.whose(py, player)?;
            for &mv in self.legal(role) {
                mask[self.action(role, mv) as usize] = true;
            }
        }
        Ok(mask.into_pyarray(py).into_any())
    }

    /// The legal moves in words.
    ///
    /// >>> ludens.load("nim").new_initial_state().legal_moves()[0]
    /// '(take a 1)'
    #[pyo3(signature = (player=None))]
    fn legal_moves(&mut self, py: Python<'_>, player: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
        self.see(py)?;
        if self.turn == Turn::Over {
            return Ok(Vec::new());
        }
        let role = self.whose(py, player)?;
        Ok(self.legal(role).iter().map(|&mv| words(&self.shared, mv)).collect())
    }

    /// Makes a move of whoever decides, by its number or in words; whoever waits makes its only one.
    ///
    /// >>> state = ludens.load("tic-tac-toe").new_initial_state()
    /// >>> state.apply_action("(mark 2 2)")
    /// >>> "(cell 2 2 x)" in state.facts()
    /// True
    /// >>> state.apply_action(99)
    /// Traceback (most recent call last):
    /// ludens.errors.IllegalAction: action 99, which does not exist, is not legal for o here; these are: 0, 1, 2, 3, 5, 6, 7, 8
    fn apply_action(&mut self, py: Python<'_>, action: &Bound<'_, PyAny>) -> PyResult<()> {
        let role = self.decider(py)?;
        self.forced(py)?;
        self.put(py, role, action)?;
        self.play(py)
    }

    /// Makes a joint move: a list with one action for each role, or a dictionary by role or number that may leave out who has no choice.
    ///
    /// >>> state = ludens.load("tic-tac-toe").new_initial_state()
    /// >>> state.apply_actions({"x": "(mark 1 1)"})
    /// >>> state.apply_actions([state.legal_actions(0)[0], state.legal_actions(1)[0]])
    /// >>> len([fact for fact in state.facts() if fact.endswith(" b)")])
    /// 7
    fn apply_actions(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        self.see(py)?;
        if self.turn == Turn::Over {
            return Err(errors::own(py, "IllegalAction", "the game is over".to_string()));
        }
        self.forced(py)?;
        if let Ok(named) = actions.cast::<PyDict>() {
            for (role, action) in named {
                let role = self.shared.role(&role)?;
                self.put(py, role, &action)?;
            }
            for role in all_roles(&self.shared).filter(|role| self.legal(*role).len() > 1) {
                let name = &self.shared.roles[usize::from(role.0)];
                if !named.contains(role.0)? && !named.contains(name)? {
                    let message = format!("{name} has {} legal moves, and none is chosen", self.legal(role).len());
                    return Err(errors::own(py, "IllegalAction", message));
                }
            }
            return self.play(py);
        }
        let actions: Vec<Bound<'_, PyAny>> = actions.extract()?;
        if actions.len() != self.shared.roles.len() {
            let message = format!("{} actions are given for {} roles", actions.len(), self.shared.roles.len());
            return Err(PyValueError::new_err(message));
        }
        for (role, action) in all_roles(&self.shared).zip(&actions) {
            self.put(py, role, action)?;
        }
        self.play(py)
    }

    /// The state after an action; this one stays as it is.
    ///
    /// >>> state = ludens.load("tic-tac-toe").new_initial_state()
    /// >>> state.child(0) == state
    /// False
    fn child(slf: &Bound<'_, Self>, action: &Bound<'_, PyAny>) -> PyResult<State> {
        let py = slf.py();
        let mut state = slf.try_borrow()?.clone(py);
        state.apply_action(py, action)?;
        Ok(state)
    }

    /// An action in words: of whoever decides, or `action_to_string(player, action)`.
    ///
    /// >>> ludens.load("nim").new_initial_state().action_to_string(0)
    /// '(take a 1)'
    #[pyo3(signature = (player, action=None))]
    fn action_to_string(&mut self, py: Python<'_>, player: &Bound<'_, PyAny>, action: Option<i64>) -> PyResult<String> {
        let (role, action) = match action {
            Some(action) => (self.shared.role(player)?, action),
            None => (self.decider(py)?, player.extract()?),
        };
        let text = self.shared.numbering.action_text(role, action);
        let name = &self.shared.roles[usize::from(role.0)];
        text.ok_or_else(|| errors::own(py, "IllegalAction", format!("{name} has no action {action}")))
    }

    /// The action that a legal move in words is: of whoever decides, or `string_to_action(player, text)`.
    ///
    /// >>> state = ludens.load("nim").new_initial_state()
    /// >>> state.string_to_action("(TAKE  b 1)")
    /// 1
    #[pyo3(signature = (player, text=None))]
    fn string_to_action(&mut self, py: Python<'_>, player: &Bound<'_, PyAny>, text: Option<&str>) -> PyResult<u32> {
        let (role, text) = match text {
            Some(text) => (self.shared.role(player)?, text.to_string()),
            None => (self.decider(py)?, player.extract::<String>()?),
        };
        self.see(py)?;
        let found = self.named(py, role, &text)?;
        Ok(self.action(role, found))
    }

    /// The goal of every role in this state, from 0 to 100; None where the rules give none, or several.
    fn goals(&mut self, py: Python<'_>) -> PyResult<Vec<Option<u8>>> {
        self.goals_now(py)
    }

    /// What every role has got: its goal from 0 to 100 where the game is over (0 where the rules give none), else 0.
    ///
    /// >>> state = ludens.load("tic-tac-toe").from_moves(["(mark 1 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)", "(mark 3 3)"])
    /// >>> state.is_terminal(), state.returns()
    /// (True, [100.0, 0.0])
    fn returns(&mut self, py: Python<'_>) -> PyResult<Vec<f64>> {
        self.see(py)?;
        if self.turn != Turn::Over {
            return Ok(vec![0.0; self.shared.roles.len()]);
        }
        Ok(self.goals_now(py)?.into_iter().map(|goal| goal.map_or(0.0, f64::from)).collect())
    }

    /// What one player has got.
    fn player_return(&mut self, py: Python<'_>, player: &Bound<'_, PyAny>) -> PyResult<f64> {
        let role = self.shared.role(player)?;
        Ok(self.returns(py)?[usize::from(role.0)])
    }

    /// What is true, in KIF, sorted.
    ///
    /// >>> ludens.load("nim").new_initial_state().facts()[0]
    /// '(control first)'
    fn facts(&self) -> Vec<String> {
        self.shared.engine.facts(&self.state)
    }

    /// The facts as an array of bytes, one for each of `game.fact_names()`.
    ///
    /// >>> game = ludens.load("tic-tac-toe")
    /// >>> state = game.new_initial_state()
    /// >>> [name for name, holds in zip(game.fact_names(), state.observation()) if holds] == state.facts()
    /// True
    fn observation<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        observation(&self.shared, &self.state).into_pyarray(py)
    }

    /// A copy; nothing is shared with it but the game.
    pub fn clone(&self, py: Python<'_>) -> State {
        State::new(self.game.clone_ref(py), &self.shared, self.state.clone())
    }

    fn __copy__(&self, py: Python<'_>) -> State {
        self.clone(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> State {
        self.clone(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Vec<String>,))> {
        Ok((self.game.bind(py).getattr("from_facts")?, (self.facts(),)))
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let Ok(other) = other.cast::<State>() else { return Ok(py.NotImplemented()) };
        // A state may be compared with itself while it is in use.
        let same = match other.try_borrow() {
            Ok(other) => Arc::ptr_eq(&self.shared, &other.shared) && self.state == other.state,
            Err(_) => false,
        };
        Ok(match op {
            CompareOp::Eq => same.into_pyobject(py)?.to_owned().into_any().unbind(),
            CompareOp::Ne => (!same).into_pyobject(py)?.to_owned().into_any().unbind(),
            _ => py.NotImplemented(),
        })
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.state.hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self, py: Python<'_>) -> String {
        let layout = self.shared.layout(py);
        plain(&text(&layout.picture(&self.facts(), None), &Style::default()))
    }

    fn _repr_svg_(&self, py: Python<'_>) -> String {
        svg(&self.shared.layout(py).picture(&self.facts(), None))
    }

    fn __repr__(&self) -> String {
        format!("<ludens.State of {:?}: {} facts>", self.shared.sheet.name, self.facts().len())
    }
}
