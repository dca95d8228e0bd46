//! Many games one state after the other, for engines without lanes, and to compare lanes with.

use super::{Actions, Done, Form, Numbering, OVER, SEVERAL, Settings, StepError, Whose, code};
use crate::engine::{Engine, State, View};
use crate::lanes::Tally;
use game::random::{End, Rng};
use game::{Cancel, Game, Limit, Move, Role, Turn, roles};
use std::sync::Arc;

/// See the module.
pub(super) struct SingleGames {
    engine: Engine,
    numbering: Arc<Numbering>,
    restarts: bool,
    most: Option<u32>,
    view: View,
    games: Vec<Seen>,
    players: Vec<i8>,
    first: Seen,
    rng: Rng,
}

/// A game, and what follows from its state.
#[derive(Clone)]
struct Seen {
    state: State,
    age: u32,
    turn: Turn,
    /// The legal moves of each role.
    legal: Vec<Vec<Move>>,
    /// How it has ended, if nothing follows from the state.
    end: Option<End>,
    goals: Vec<f32>,
}

impl Seen {
    fn player(&self) -> i8 {
        match (self.end, self.turn) {
            (Some(_), _) | (_, Turn::Over) => OVER,
            (None, Turn::One(role)) => role.0 as i8,
            (None, Turn::Many) => SEVERAL,
        }
    }
}

fn look(engine: &Engine, numbering: &Numbering, view: &mut View, state: State, age: u32) -> Result<Seen, Limit> {
    engine.look(&state, view)?;
    numbering.see(&state, view);
    let turn = engine.turn(view);
    let mut legal = vec![Vec::new(); engine.roles()];
    let mut end = (turn == Turn::Over).then_some(End::Terminal);
    if end.is_none() {
        for (role, legal) in roles(engine).zip(&mut legal) {
            engine.legal(view, role, legal);
            if legal.is_empty() {
                end = Some(End::Stuck);
            }
        }
    }
    let mut goals = Vec::with_capacity(engine.roles());
    for role in roles(engine) {
        // Only the last state of a game is asked for its goals.
        goals.push(if end.is_some() { engine.goal(view, role)?.map_or(0.0, f32::from) } else { 0.0 });
    }
    Ok(Seen { state, age, turn, legal, end, goals })
}

impl SingleGames {
    pub fn new(engine: &Engine, numbering: &Arc<Numbering>, settings: &Settings) -> Result<SingleGames, Limit> {
        let mut view = engine.view();
        let first = look(engine, numbering, &mut view, engine.start(), 0)?;
        Ok(SingleGames {
            engine: engine.clone(),
            numbering: Arc::clone(numbering),
            restarts: settings.restarts && first.end.is_none(),
            most: settings.most,
            view,
            players: vec![first.player(); settings.count],
            games: vec![first.clone(); settings.count],
            first,
            rng: Rng::new(settings.seed),
        })
    }

    pub fn players(&self) -> &[i8] {
        &self.players
    }

    pub fn state(&self, game: usize) -> State {
        self.games[game].state.clone()
    }

    pub fn set(&mut self, game: usize, state: &State) -> Result<(), Limit> {
        self.games[game] = look(&self.engine, &self.numbering, &mut self.view, state.clone(), 0)?;
        self.players[game] = self.games[game].player();
        Ok(())
    }

    pub fn reset(&mut self) -> Result<(), Limit> {
        self.games.fill(self.first.clone());
        self.players.fill(self.first.player());
        Ok(())
    }

    /// The joint move that is meant in a game.
    fn joint(&self, game: usize, actions: Actions<'_>) -> Result<Vec<Move>, StepError> {
        let seen = &self.games[game];
        let mut joint: Vec<Move> = seen.legal.iter().filter_map(|legal| legal.first().copied()).collect();
        let mut choose = |role: usize, action: i64| {
            let own = Role(role as u8);
            let mv = self.numbering.move_of(own, action).filter(|mv| seen.legal[role].contains(mv));
            joint[role] = mv.ok_or(StepError::Illegal { game, role: own, action })?;
            Ok(())
        };
        match (actions, self.players[game]) {
            (Actions::Deciding(_), SEVERAL) => return Err(StepError::Several { game }),
            (Actions::Deciding(actions), role) => choose(role as usize, actions[game])?,
            (Actions::Joint(actions), _) => {
                let roles = seen.legal.len();
                (0..roles).try_for_each(|role| choose(role, actions[game * roles + role]))?;
            }
        }
        Ok(joint)
    }

    /// The game after a joint move.
    fn after(&mut self, game: usize, joint: &[Move]) -> Result<Seen, Limit> {
        let Seen { state, age, .. } = &self.games[game];
        let (mut next, age) = (state.clone(), age.saturating_add(1));
        self.engine.look(state, &mut self.view)?;
        self.engine.play(&mut self.view, joint, &mut next)?;
        let mut seen = look(&self.engine, &self.numbering, &mut self.view, next, age)?;
        if seen.end.is_none() && self.most.is_some_and(|most| age >= most) {
            seen.end = Some(End::Cut);
            for (role, goal) in roles(&self.engine).zip(&mut seen.goals) {
                *goal = self.engine.goal(&mut self.view, role)?.map_or(0.0, f32::from);
            }
        }
        Ok(seen)
    }

    /// Puts a game where it has come to, or at the start if it has ended.
    fn settle(&mut self, game: usize, seen: Seen) {
        self.games[game] = if seen.end.is_some() && self.restarts { self.first.clone() } else { seen };
        self.players[game] = self.games[game].player();
    }

    pub fn step(&mut self, actions: Actions<'_>, done: Done<'_>) -> Result<(), StepError> {
        let mut joints = Vec::with_capacity(self.games.len());
        for (game, &player) in self.players.iter().enumerate() {
            joints.push(if player == OVER { None } else { Some(self.joint(game, actions)?) });
        }
        let mut after = Vec::with_capacity(joints.len());
        for (game, joint) in joints.iter().enumerate() {
            let seen = joint.as_ref().map(|joint| self.after(game, joint)).transpose();
            after.push(seen.map_err(|limit| StepError::Limit { game, limit })?);
        }
        done.goals.fill(0.0);
        done.ended.fill(0);
        let roles = self.engine.roles();
        for (game, seen) in after.into_iter().enumerate() {
            let Some(seen) = seen else { continue };
            if let Some(end) = seen.end {
                done.ended[game] = code(end);
                done.goals[game * roles..(game + 1) * roles].copy_from_slice(&seen.goals);
            }
            self.settle(game, seen);
        }
        Ok(())
    }

    pub fn sample(&mut self, whose: Whose, out: &mut [i64]) {
        out.fill(-1);
        let SingleGames { games, players, numbering, rng, .. } = self;
        for (game, seen) in games.iter().enumerate().filter(|(game, _)| players[*game] != OVER) {
            let roles = seen.legal.len();
            for (role, legal) in seen.legal.iter().enumerate() {
                let place = match whose {
                    Whose::Deciding if players[game] == role as i8 => game,
                    Whose::Deciding => continue,
                    Whose::All => game * roles + role,
                };
                let mv = legal[rng.below(legal.len())];
                out[place] = numbering.action(Role(role as u8), mv).map_or(-1, i64::from);
            }
        }
    }

    pub fn rollout(&mut self, steps: u64, cancel: &Cancel, tally: &mut Tally) -> Result<(), Limit> {
        for _ in 0..steps {
            let mut is_going_on = false;
            for game in 0..self.games.len() {
                if self.players[game] == OVER {
                    continue;
                }
                if cancel.is_cancelled() {
                    return Ok(());
                }
                is_going_on = true;
                let SingleGames { games, rng, .. } = self;
                let joint: Vec<Move> = games[game].legal.iter().map(|legal| legal[rng.below(legal.len())]).collect();
                let seen = self.after(game, &joint)?;
                tally.states += 1;
                match seen.end {
                    Some(End::Terminal) => {
                        tally.playouts += 1;
                        for (role, histogram) in roles(&self.engine).zip(&mut tally.goals) {
                            if let Some(goal) = self.engine.goal(&mut self.view, role)? {
                                histogram[usize::from(goal.min(100))] += 1;
                            }
                        }
                    }
                    Some(End::Stuck) => tally.stuck += 1,
                    Some(End::Cut) => tally.cut += 1,
                    None => {}
                }
                self.settle(game, seen);
            }
            if !is_going_on {
                break;
            }
        }
        Ok(())
    }

    pub fn masks(&self, whose: Whose, form: Form, columns: usize, out: &mut [u8]) {
        out.fill(0);
        let row = form.row(columns);
        for (game, seen) in self.games.iter().enumerate().filter(|(game, _)| self.players[*game] != OVER) {
            let roles = seen.legal.len();
            for (role, legal) in seen.legal.iter().enumerate() {
                let place = match whose {
                    Whose::Deciding if self.players[game] == role as i8 => game,
                    Whose::Deciding => continue,
                    Whose::All => game * roles + role,
                };
                for mv in legal {
                    if let Some(action) = self.numbering.action(Role(role as u8), *mv) {
                        mark(&mut out[place * row..(place + 1) * row], form, action as usize);
                    }
                }
            }
        }
    }

    pub fn facts(&self, form: Form, columns: usize, out: &mut [u8]) {
        out.fill(0);
        let row = form.row(columns);
        for (game, seen) in self.games.iter().enumerate() {
            let out = &mut out[game * row..(game + 1) * row];
            self.numbering.each_fact(&seen.state, &mut |fact| mark(out, form, fact));
        }
    }
}

/// Sets a value of a row; what came up since the row was made has no column there.
fn mark(row: &mut [u8], form: Form, column: usize) {
    match form {
        Form::Bytes => row.get_mut(column).map(|byte| *byte = 1),
        Form::Bits => row.get_mut(column / 8).map(|byte| *byte |= 1 << (column % 8)),
    };
}
