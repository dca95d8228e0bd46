//! A table of states: what was worked out for a state is kept and used again when the state comes back.
//!
//! As in the paper on generated code, the table saves work on states and nothing else: it holds legal moves, goals and
//! the states that follow, not values of a search. It wraps any game and is itself one; the table is part of the view.

use game::{Game, Goal, Limit, Move, Role, Turn, roles};
use std::hash::{Hash, Hasher};

/// A game with a table of at most so many states.
pub struct Remember<'a, G> {
    game: &'a G,
    states: usize,
}

impl<'a, G: Game> Remember<'a, G> {
    /// Wraps a game.
    pub fn new(game: &'a G, states: usize) -> Remember<'a, G> {
        Remember { game, states: states.max(1) }
    }
}

/// What is known of a state.
struct Known<S> {
    state: S,
    turn: Turn,
    /// The legal moves of all roles, and where those of each role end.
    legal: Vec<Move>,
    ends: Vec<usize>,
    /// The goals, as far as they were asked for.
    goals: Vec<Option<Option<Goal>>>,
    /// Joint moves that were made, and where they led.
    next: Vec<(Vec<Move>, S)>,
}

/// The scratch memory of the game, with the table.
pub struct View<G: Game> {
    inner: G::View,
    /// Whether `inner` has looked at the state at hand.
    looked: bool,
    slots: Vec<Option<Box<Known<G::State>>>>,
    at: usize,
}

impl<G: Game> View<G> {
    fn known(&self) -> &Known<G::State> {
        self.slots[self.at].as_deref().expect("`look` comes before everything else, and fills the slot")
    }
}

/// A quick hash: a table of states wants speed, and a bad hash costs nothing but time.
#[derive(Default)]
struct Quick(u64);

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

impl<G: Game> Remember<'_, G> {
    fn slot(&self, state: &G::State) -> usize {
        let mut hasher = Quick::default();
        state.hash(&mut hasher);
        ((u128::from(hasher.finish()) * self.states as u128) >> 64) as usize
    }

    fn work_out(&self, state: &G::State, inner: &G::View) -> Known<G::State> {
        let turn = self.game.turn(inner);
        let (mut legal, mut ends) = (Vec::new(), Vec::new());
        if turn != Turn::Over {
            for role in roles(self.game) {
                self.game.legal(inner, role, &mut legal);
                ends.push(legal.len());
            }
        }
        Known { state: state.clone(), turn, legal, ends, goals: vec![None; self.game.roles()], next: Vec::new() }
    }

    /// Lets the wrapped game look at the state at hand, if it has not yet.
    fn look_inside(&self, view: &mut View<G>) -> Result<(), Limit> {
        if !view.looked {
            let known = view.slots[view.at].as_deref().expect("`look` fills the slot");
            self.game.look(&known.state, &mut view.inner)?;
            view.looked = true;
        }
        Ok(())
    }
}

impl<G: Game> Game for Remember<'_, G> {
    type State = G::State;
    type View = View<G>;

    fn roles(&self) -> usize {
        self.game.roles()
    }

    fn start(&self) -> G::State {
        self.game.start()
    }

    fn view(&self) -> View<G> {
        View { inner: self.game.view(), looked: false, slots: (0..self.states).map(|_| None).collect(), at: 0 }
    }

    fn look(&self, state: &G::State, view: &mut View<G>) -> Result<(), Limit> {
        view.at = self.slot(state);
        view.looked = false;
        if view.slots[view.at].as_ref().is_some_and(|known| known.state == *state) {
            return Ok(());
        }
        self.game.look(state, &mut view.inner)?;
        view.looked = true;
        // Whatever was in the slot is older, and what is newer comes back sooner.
        view.slots[view.at] = Some(Box::new(self.work_out(state, &view.inner)));
        Ok(())
    }

    fn turn(&self, view: &View<G>) -> Turn {
        view.known().turn
    }

    fn legal(&self, view: &View<G>, role: Role, out: &mut Vec<Move>) {
        let (known, role) = (view.known(), role.0 as usize);
        if known.ends.is_empty() {
            return;
        }
        let from = if role == 0 { 0 } else { known.ends[role - 1] };
        out.extend_from_slice(&known.legal[from..known.ends[role]]);
    }

    fn goal(&self, view: &mut View<G>, role: Role) -> Result<Option<Goal>, Limit> {
        if let Some(goal) = view.known().goals[role.0 as usize] {
            return Ok(goal);
        }
        self.look_inside(view)?;
        let goal = self.game.goal(&mut view.inner, role)?;
        if let Some(known) = &mut view.slots[view.at] {
            known.goals[role.0 as usize] = Some(goal);
        }
        Ok(goal)
    }

    fn play(&self, view: &mut View<G>, joint: &[Move], next: &mut G::State) -> Result<(), Limit> {
        if let Some((_, state)) = view.known().next.iter().find(|(made, _)| made == joint) {
            next.clone_from(state);
            return Ok(());
        }
        self.look_inside(view)?;
        self.game.play(&mut view.inner, joint, next)?;
        if let Some(known) = &mut view.slots[view.at] {
            known.next.push((joint.to_vec(), next.clone()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::perft::perft;
    use game::random::{Player, Rng};

    fn tic_tac_toe() -> machine::Prover {
        let entry = library::find("tic-tac-toe").expect("it is in the library");
        machine::Prover::new(&gdl::parse(entry.rules).rules).expect("it can be played")
    }

    #[test]
    fn a_remembered_game_is_the_same_game() {
        let game = tic_tac_toe();
        for states in [1, 7, 10_000] {
            let remember = Remember::new(&game, states);
            assert_eq!(perft(&remember, 5), perft(&game, 5), "{states} states");
            let (mut a, mut b) = (Player::new(&game), Player::new(&remember));
            let (mut x, mut y) = (Rng::new(3), Rng::new(3));
            for _ in 0..200 {
                let one = a.playout(&game, &game.start(), &mut x, 100, &mut |_, _| {});
                let other = b.playout(&remember, &game.start(), &mut y, 100, &mut |_, _| {});
                assert_eq!(one, other, "{states} states");
            }
        }
    }
}
