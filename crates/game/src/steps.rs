//! Many single steps at once: whoever grows a tree knows several states and moves to make there, and engines that run many
//! states side by side answer all of them at about the price of one.

use crate::{Game, Goal, Limit, Move, Role, Turn, roles, turn_from_counts};

/// Steps to be made, and who hears where they lead. Steps are numbered from 0.
pub trait Steps<S> {
    /// How many there are.
    fn count(&self) -> usize;
    /// A state, and a legal move there for every role.
    fn step(&self, number: usize) -> (&S, &[Move]);
    /// Where that step leads. Comes once for every step, in order.
    fn reached(&mut self, number: usize, state: S, seen: &Seen);
}

/// What can be seen in a state that a step led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Whether the game is over there.
    pub over: bool,
    /// The legal moves, role after role, in the order of [`Game::legal`]; none where the game is over.
    pub moves: Vec<Move>,
    /// Where the moves of each role end.
    pub ends: Vec<usize>,
    /// The goal of every role where the game is over or stuck; empty elsewhere.
    pub goals: Vec<Option<Goal>>,
}

impl Seen {
    /// The legal moves of a role.
    pub fn legal(&self, role: Role) -> &[Move] {
        let at = role.0 as usize;
        let from = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.moves[from..self.ends[at]]
    }

    /// Who decides.
    pub fn turn(&self) -> Turn {
        if self.over {
            return Turn::Over;
        }
        turn_from_counts((0..self.ends.len()).map(|role| self.legal(Role(role as u8)).len()))
    }

    /// Whether a role has no legal move although the game is not over.
    pub fn is_stuck(&self) -> bool {
        !self.over && (0..self.ends.len()).any(|role| self.legal(Role(role as u8)).is_empty())
    }

    /// Begins anew, with the memory that is there.
    pub fn clear(&mut self) {
        self.over = false;
        self.moves.clear();
        self.ends.clear();
        self.goals.clear();
    }

    /// What can be seen in the state that a view has looked at.
    pub fn read<G: Game + ?Sized>(&mut self, game: &G, view: &mut G::View) -> Result<(), Limit> {
        self.clear();
        self.over = game.over(view);
        for role in roles(game) {
            if !self.over {
                game.legal(view, role, &mut self.moves);
            }
            self.ends.push(self.moves.len());
        }
        if self.over || self.is_stuck() {
            for role in roles(game) {
                self.goals.push(game.goal(view, role)?);
            }
        }
        Ok(())
    }
}

/// [`Game::advance`] for engines that make one step at a time.
pub fn one_by_one<G: Game + ?Sized>(
    game: &G,
    view: &mut G::View,
    steps: &mut dyn Steps<G::State>,
) -> Result<(), Limit> {
    let mut seen = Seen::default();
    for number in 0..steps.count() {
        let (state, joint) = steps.step(number);
        game.look(state, view)?;
        let mut next = state.clone();
        game.play(view, joint, &mut next)?;
        game.look(&next, view)?;
        seen.read(game, view)?;
        steps.reached(number, next, &seen);
    }
    Ok(())
}
