//! Who plays the roles that no person plays.

use super::Opponent;
use game::{Game, Limit, Move, Role, roles};
use search::uct::Uct;
use search::{Budget, Latest, Searcher};
use std::sync::Mutex;
use std::time::Instant;
use terminal::Progress;

/// Seconds for a move.
const SECONDS: f32 = 1.0;
/// Random games for a move where everything is to be repeatable.
const PLAYOUTS: u64 = 20_000;

/// The machine's side of a game.
pub struct Others<G: Game> {
    opponent: Opponent,
    /// Somebody who thinks for each role, and keeps what was found out until the next move.
    minds: Vec<Uct<G>>,
    seed: Option<u64>,
}

impl<G: Game> Others<G> {
    /// All roles; who is asked for a move is the caller's business.
    pub fn new(game: &G, opponent: Opponent, seed: Option<u64>) -> Others<G> {
        let minds = roles(game).map(|_| Uct::default()).collect();
        Others { opponent, minds, seed }
    }

    /// How they move, in words.
    pub fn how(&self) -> &'static str {
        match self.opponent {
            Opponent::Uct => "after some thought",
            Opponent::Random => "at random",
        }
    }

    /// The move of a role that has a choice; `None` leaves it to chance.
    pub fn choose(&mut self, game: &G, state: &G::State, role: Role) -> Result<Option<Move>, Limit> {
        if self.opponent == Opponent::Random {
            return Ok(None);
        }
        let began = Instant::now();
        let progress = Mutex::new(Progress::new());
        let spent = || {
            if let Ok(mut progress) = progress.try_lock() {
                progress.at(|_| "thinking".to_string());
            }
            began.elapsed().as_secs_f32() / SECONDS
        };
        let repeatable = Budget::of_playouts(PLAYOUTS, self.seed.unwrap_or(0));
        let budget = match self.seed {
            Some(_) => repeatable,
            None => Budget::timed(&spent, u64::from(began.elapsed().subsec_nanos())),
        };
        let found = self.minds[role.0 as usize].search(game, state, role, &budget, &Latest::new())?;
        Ok(found.mv)
    }
}
