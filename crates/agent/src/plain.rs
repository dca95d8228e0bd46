//! Players that do not think: any legal move, and the first one.

use game::random::Rng;
use game::{Game, Limit, Move, Role};
use search::{Budget, Found, Monitor, Searcher};

/// Any legal move, each as likely as the others.
pub struct Random;

/// The first legal move.
pub struct First;

fn legal<G: Game>(game: &G, state: &G::State, role: Role) -> Result<Vec<Move>, Limit> {
    let mut view = game.view();
    game.look(state, &mut view)?;
    let mut moves = Vec::new();
    game.legal(&view, role, &mut moves);
    Ok(moves)
}

fn found(mv: Option<Move>) -> Found {
    Found { mv, ..Found::default() }
}

impl<G: Game> Searcher<G> for Random {
    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        _: &Monitor,
    ) -> Result<Found, Limit> {
        let moves = legal(game, state, role)?;
        let at = Rng::new(budget.seed).below(moves.len().max(1));
        Ok(found(moves.get(at).copied()))
    }

    fn prepare(&mut self, _: &G, _: &G::State, _: Role, _: &Budget<'_>) -> Result<(), Limit> {
        Ok(())
    }
}

impl<G: Game> Searcher<G> for First {
    fn search(&mut self, game: &G, state: &G::State, role: Role, _: &Budget<'_>, _: &Monitor) -> Result<Found, Limit> {
        Ok(found(legal(game, state, role)?.first().copied()))
    }

    fn prepare(&mut self, _: &G, _: &G::State, _: Role, _: &Budget<'_>) -> Result<(), Limit> {
        Ok(())
    }
}
