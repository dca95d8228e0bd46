//! Random games by the hundred: whoever needs them feeds start states in and hears how each game ended.
//!
//! A search that grows a tree wants another start for every game, and engines that run many games side by side want
//! their lanes full. So the engine asks for a start whenever it has room and reports each game when it ends; games may
//! end in another order than they began.

use crate::random::{End, Player, Rng};
use crate::{Game, Goal, Limit};

/// Where random games begin, and who hears how they end.
pub trait Feed<S> {
    /// Asked before every step of the engine: whether to stop at once and forget the games still running.
    fn stop(&mut self) -> bool;
    /// Asked whenever there is room for another game: where it begins, and a number that comes back with its result.
    /// `None` if there is nothing to play before one of the running games has ended.
    fn next(&mut self) -> Option<(u32, &S)>;
    /// The game with this number is over: how, after how many joint moves, and the goal of every role in its last state.
    fn done(&mut self, number: u32, end: End, steps: usize, goals: &[Option<Goal>]);
}

/// [`Game::rollouts`] for engines that play one game at a time; also for whoever wants each result before the next start.
pub fn one_by_one<G: Game + ?Sized>(
    game: &G,
    feed: &mut dyn Feed<G::State>,
    most: usize,
    seed: u64,
) -> Result<(), Limit> {
    let mut rng = Rng::new(seed);
    let mut player = Player::new(game);
    while !feed.stop() {
        let Some((number, from)) = feed.next() else { break };
        let played = player.playout(game, from, &mut rng, most, &mut |_, _| {})?;
        feed.done(number, played.end, played.steps, &played.goals);
    }
    Ok(())
}
