//! Small numbers for the actions of each role and for facts: the columns of arrays.

use crate::engine::{Engine, State, View};
use game::{Facts, Game, Limit, Move, Names, Role, roles};
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// See the module. Shared by all that speaks of the same engine's columns.
///
/// The actions of a role are its moves from 0 on, in the order in which all engines list moves, and the facts are the bits of a state;
/// both are fixed for a net. Other engines cannot tell beforehand what will come up: actions and facts get the next number when they
/// first do, so the same games give the same numbers, and what has a number keeps it.
pub struct Numbering {
    engine: Engine,
    /// For engines that are no net.
    grown: RwLock<Grown>,
}

/// What has come up so far.
#[derive(Default)]
struct Grown {
    /// For each role.
    moves: Vec<Column<Move>>,
    facts: Column<u32>,
    /// The texts of the facts, by their columns.
    texts: Vec<String>,
}

struct Column<T> {
    of: HashMap<T, u32>,
    list: Vec<T>,
}

impl<T> Default for Column<T> {
    fn default() -> Column<T> {
        Column { of: HashMap::new(), list: Vec::new() }
    }
}

impl<T: Copy + Eq + std::hash::Hash> Column<T> {
    fn add(&mut self, thing: T) -> u32 {
        let next = self.list.len() as u32;
        let number = *self.of.entry(thing).or_insert(next);
        if number == next {
            self.list.push(thing);
        }
        number
    }
}

impl Numbering {
    /// The columns of an engine; what its start shows has numbers already.
    ///
    /// # Errors
    /// When the engine comes to a limit at the start.
    pub fn new(engine: &Engine) -> Result<Numbering, Limit> {
        let moves = roles(engine).map(|_| Column::default()).collect();
        let grown = RwLock::new(Grown { moves, ..Grown::default() });
        let numbering = Numbering { engine: engine.clone(), grown };
        if !numbering.is_fixed() {
            let (start, mut view) = (engine.start(), engine.view());
            engine.look(&start, &mut view)?;
            numbering.see(&start, &view);
        }
        Ok(numbering)
    }

    /// Whether everything is numbered from the beginning.
    pub fn is_fixed(&self) -> bool {
        self.engine.net().is_some()
    }

    fn read(&self) -> RwLockReadGuard<'_, Grown> {
        self.grown.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Grown> {
        self.grown.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Numbers what a state that was looked at shows.
    pub fn see(&self, state: &State, view: &View) {
        if self.is_fixed() {
            return;
        }
        let mut moves = Vec::new();
        for role in roles(&self.engine) {
            moves.clear();
            self.engine.legal(view, role, &mut moves);
            let is_new = |grown: &Grown| moves.iter().any(|mv| !grown.moves[usize::from(role.0)].of.contains_key(mv));
            if is_new(&self.read()) {
                let mut grown = self.write();
                for &mv in &moves {
                    grown.moves[usize::from(role.0)].add(mv);
                }
            }
        }
        let mut is_new = false;
        let grown = self.read();
        self.engine.each_fact(state, &mut |fact| is_new |= !grown.facts.of.contains_key(&fact));
        drop(grown);
        if is_new {
            // The texts are sorted, so the order does not depend on the engine's own numbers.
            let texts = self.engine.facts(state);
            let mut grown = self.write();
            for text in texts {
                if let Some(fact) = self.engine.fact(&text)
                    && grown.facts.add(fact) as usize == grown.texts.len()
                {
                    grown.texts.push(text);
                }
            }
        }
    }

    /// How many actions a role has; so far, where that is not fixed.
    pub fn actions(&self, role: Role) -> usize {
        match self.engine.net() {
            Some(net) => net.moves_of(role).len(),
            None => self.read().moves.get(usize::from(role.0)).map_or(0, |moves| moves.list.len()),
        }
    }

    /// The most actions that any role has.
    pub fn widest(&self) -> usize {
        roles(&self.engine).map(|role| self.actions(role)).max().unwrap_or(0)
    }

    /// How many facts there are columns for. Facts of a net that hold in every state have none.
    pub fn facts(&self) -> usize {
        match self.engine.net() {
            Some(net) => net.fact_count(),
            None => self.read().texts.len(),
        }
    }

    /// The action of a role that a move is; `None` if it never came up.
    pub fn action(&self, role: Role, mv: Move) -> Option<u32> {
        match self.engine.net() {
            Some(net) => {
                let range = net.moves_of(role);
                range.contains(&(mv.0 as usize)).then(|| mv.0 - range.start as u32)
            }
            None => self.read().moves.get(usize::from(role.0))?.of.get(&mv).copied(),
        }
    }

    /// The move of a role that an action is; `None` if there is no such action.
    pub fn move_of(&self, role: Role, action: i64) -> Option<Move> {
        let action = usize::try_from(action).ok()?;
        match self.engine.net() {
            Some(net) => {
                let range = net.moves_of(role);
                (action < range.len()).then(|| Move((range.start + action) as u32))
            }
            None => self.read().moves.get(usize::from(role.0))?.list.get(action).copied(),
        }
    }

    /// An action in words.
    pub fn action_text(&self, role: Role, action: i64) -> Option<String> {
        self.move_of(role, action).map(|mv| self.engine.move_text(mv))
    }

    /// The fact of a column in words.
    pub fn fact_text(&self, fact: usize) -> Option<String> {
        match self.engine.net() {
            Some(net) => (fact < net.fact_count()).then(|| net.fact_text(fact)),
            None => self.read().texts.get(fact).cloned(),
        }
    }

    /// Calls `seen` with the column of every fact of a state that has one.
    pub fn each_fact(&self, state: &State, seen: &mut dyn FnMut(usize)) {
        if let Some(net) = self.engine.net() {
            let facts = net.fact_count();
            self.engine.each_fact(state, &mut |fact| {
                if (fact as usize) < facts {
                    seen(fact as usize);
                }
            });
            return;
        }
        let grown = self.read();
        self.engine.each_fact(state, &mut |fact| {
            if let Some(&column) = grown.facts.of.get(&fact) {
                seen(column as usize);
            }
        });
    }
}
