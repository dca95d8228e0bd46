//! Random games by the hundred: whoever needs them feeds start states in and hears how each game ended.
//!
//! A search that grows a tree wants another start for every game, and engines that run many games side by side want
//! their lanes full. So the engine asks for a start whenever it has room and reports each game when it ends; games may
//! end in another order than they began.

use crate::random::{End, Player, Rng};
use crate::{Game, Goal, Limit, Move, Role, roles};

/// A bias of random games: moves that they make more often than others.
#[derive(Clone, Copy, Debug)]
pub struct PlayoutBias<'a> {
    /// A bit for every move, by its number; moves beyond the last word are not preferred.
    pub moves: &'a [u64],
    /// In so many of 16 cases a role with a preferred legal move makes one of those, each as likely as the others;
    /// otherwise it makes any legal move.
    pub chance: u8,
}

impl PlayoutBias<'_> {
    /// Whether this move is preferred.
    #[inline]
    pub fn has(&self, mv: Move) -> bool {
        self.moves.get(mv.0 as usize / 64).is_some_and(|word| word >> (mv.0 % 64) & 1 == 1)
    }
}

/// So many games with this number, of as many joint moves each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alike {
    /// What the feed called them.
    pub number: u32,
    /// The joint moves of each.
    pub steps: usize,
    /// How many they are.
    pub games: u32,
}

/// Where random games begin, and who hears how they end.
pub trait Feed<S> {
    /// Asked before every game and every few steps: whether to stop at once and forget the games still running.
    fn stop(&mut self) -> bool;
    /// Asked whenever there is room for another game: where it begins, and a number that comes back with its result.
    /// `None` if there is nothing to play before one of the running games has ended.
    fn next(&mut self) -> Option<(u32, &S)>;
    /// Asked right after [`next`](Feed::next), where there is room for `most` more games: how many of them begin there as well, with the
    /// same number.
    fn again(&mut self, _number: u32, _most: u32) -> u32 {
        0
    }
    /// The game with this number is over: how, after how many joint moves, and the goal of every role in its last state.
    fn done(&mut self, number: u32, end: End, steps: usize, goals: &[Option<Goal>]);
    /// Several games are over that ended in the same way.
    fn done_alike(&mut self, games: &[Alike], end: End, goals: &[Option<Goal>]) {
        for alike in games {
            (0..alike.games).for_each(|_| self.done(alike.number, end, alike.steps, goals));
        }
    }
    /// Whether to be told which moves were made. Asked once, before the first game.
    fn counts_moves(&self) -> bool {
        false
    }
    /// Before [`done`](Feed::done) or [`done_alike`](Feed::done_alike) tells of games: in so many of those with this number this role made this
    /// move, once or more often. Several calls for one move add up.
    fn made(&mut self, _number: u32, _role: Role, _mv: Move, _games: u32) {}
    /// Asked before every step or game: the moves to make more often; `None` for uniformly random games.
    fn bias(&self) -> Option<PlayoutBias<'_>> {
        None
    }
    /// Whether to be told the last state of games that are cut for their length; the same all the time.
    fn looks_at_cuts(&self) -> bool {
        false
    }
    /// The game with this number is cut in this state; `done` follows.
    fn cut(&mut self, _number: u32, _state: &S) {}
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
    let counts = feed.counts_moves();
    let mut made: Vec<(Role, Move)> = Vec::new();
    while !feed.stop() {
        let Some((number, from)) = feed.next() else { break };
        player.begin(from);
        let mut steps = 0;
        let end = loop {
            if let Some(end) = player.step(game, &mut rng, steps == most, feed.bias(), &mut |_, _| {})? {
                break end;
            }
            steps += 1;
            if counts {
                made.extend(roles(game).zip(player.joint().iter().copied()));
            }
            // A slow engine must not keep anybody waiting for the end of a long game.
            if steps.is_multiple_of(16) && feed.stop() {
                return Ok(());
            }
        };
        if end == End::Cut && feed.looks_at_cuts() {
            feed.cut(number, player.state());
        }
        made.sort_unstable();
        made.dedup();
        made.drain(..).for_each(|(role, mv)| feed.made(number, role, mv, 1));
        feed.done(number, end, steps, &player.goals(game)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferred_moves_are_those_with_a_bit() {
        let bias = PlayoutBias { moves: &[0b100, 1], chance: 8 };
        let has: Vec<u32> = (0..200).filter(|&mv| bias.has(Move(mv))).collect();
        assert_eq!(has, [2, 64]);
    }
}
