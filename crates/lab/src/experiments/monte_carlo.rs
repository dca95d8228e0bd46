//! The Monte Carlo player of the paper on generated code: no tree, no preference. Every role moves at random, the game is
//! played to its end at random, and what came out is averaged for the moves that began it. When the time is over, each
//! role's best average is its move.

use crate::bench::meter::Timer;
use game::perft::Joints;
use game::random::Rng;
use game::{Game, Goal, Limit, Move, Role, roles};
use machine::{NetState, PropNet};

/// A random game is cut after this many moves; its goals then count as they stand.
const MOST: usize = 10_000;

/// Buffers for searching one game.
pub struct Searcher<G: Game> {
    /// For the state that is searched, and for those of the random games.
    views: [G::View; 2],
    state: G::State,
    next: G::State,
    legal: Vec<Move>,
    joint: Vec<Move>,
    rng: Rng,
}

/// What a search found.
pub struct Found {
    /// The best move of each role.
    pub joint: Vec<Move>,
    /// Random games that were played to their end.
    pub simulations: u64,
    /// States that were examined in them, and in one that the bell ended.
    pub states: u64,
}

/// How the random games went that began with a move.
#[derive(Clone, Copy, Default)]
struct Score {
    games: u64,
    sum: u64,
}

impl<G: Game> Searcher<G> {
    /// Buffers for this game.
    pub fn new(game: &G, seed: u64) -> Searcher<G> {
        Searcher {
            views: [game.view(), game.view()],
            state: game.start(),
            next: game.start(),
            legal: Vec::new(),
            joint: Vec::new(),
            rng: Rng::new(seed),
        }
    }

    /// Searches a state for some seconds; `None` if it is terminal or somebody has no move in it.
    pub fn search(&mut self, game: &G, root: &G::State, seconds: f64) -> Result<Option<Found>, Limit> {
        game.look(root, &mut self.views[0])?;
        if game.over(&self.views[0]) {
            return Ok(None);
        }
        let mut moves: Vec<Vec<Move>> = Vec::new();
        for role in roles(game) {
            moves.push(Vec::new());
            game.legal(&self.views[0], role, &mut moves[role.0 as usize]);
        }
        if moves.iter().any(Vec::is_empty) {
            return Ok(None);
        }
        let mut scores: Vec<Vec<Score>> = moves.iter().map(|moves| vec![Score::default(); moves.len()]).collect();
        let mut found = Found { joint: Vec::new(), simulations: 0, states: 0 };
        let mut timer = Timer::start();
        let mut chosen = vec![0; moves.len()];
        while timer.about() < seconds {
            self.joint.clear();
            for (role, moves) in moves.iter().enumerate() {
                chosen[role] = self.rng.below(moves.len());
                self.joint.push(moves[chosen[role]]);
            }
            game.play(&mut self.views[0], &self.joint, &mut self.state)?;
            let mut on = || timer.about() < seconds;
            let Some(goals) = self.simulate(game, &mut found.states, &mut on)? else { break };
            found.simulations += 1;
            for (role, goal) in goals.into_iter().enumerate() {
                let score = &mut scores[role][chosen[role]];
                score.games += 1;
                score.sum += u64::from(goal.unwrap_or(0));
            }
        }
        found.joint = moves.iter().zip(&scores).map(|(moves, scores)| moves[self.best(scores)]).collect();
        Ok(Some(found))
    }

    /// Plays from `self.state` to the end; `None` if `on` said stop before.
    fn simulate(
        &mut self,
        game: &G,
        states: &mut u64,
        on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Vec<Option<Goal>>>, Limit> {
        *states += 1;
        let view = &mut self.views[1];
        game.look(&self.state, view)?;
        for _ in 0..MOST {
            if game.over(view) {
                break;
            }
            self.joint.clear();
            for role in roles(game) {
                self.legal.clear();
                game.legal(view, role, &mut self.legal);
                if !self.legal.is_empty() {
                    self.joint.push(self.legal[self.rng.below(self.legal.len())]);
                }
            }
            if self.joint.len() < game.roles() {
                break;
            }
            game.play(view, &self.joint, &mut self.next)?;
            std::mem::swap(&mut self.state, &mut self.next);
            *states += 1;
            game.look(&self.state, view)?;
            if !on() {
                return Ok(None);
            }
        }
        (0..game.roles()).map(|role| game.goal(view, Role(role as u8))).collect::<Result<_, _>>().map(Some)
    }

    /// The move with the best average; one at random if none was tried.
    fn best(&mut self, scores: &[Score]) -> usize {
        let tried = scores.iter().enumerate().filter(|(_, score)| score.games > 0);
        let mean = |score: &Score| score.sum as f64 / score.games as f64;
        // Of equals the first.
        let best = tried.rev().max_by(|a, b| mean(a.1).total_cmp(&mean(b.1)));
        best.map_or_else(|| self.rng.below(scores.len()), |(index, _)| index)
    }
}

/// The same search with hundreds of games at once: every joint move has an equal part of the time, and all its games
/// begin in the state behind it.
pub fn search_in_lanes(net: &PropNet, root: &NetState, seconds: f64, seed: u64) -> Result<Option<Found>, Limit> {
    let mut view = net.view();
    net.look(root, &mut view)?;
    let mut joints = Joints::default();
    joints.fill(net, &view);
    if net.over(&view) || joints.is_empty() {
        return Ok(None);
    }
    let mut scores: Vec<Vec<(Move, Score)>> =
        roles(net).map(|role| joints.of(role).iter().map(|&mv| (mv, Score::default())).collect()).collect();
    let mut found = Found { joint: Vec::new(), simulations: 0, states: 0 };
    let mut note = |joint: &[Move], role: usize, games: u64, sum: u64| {
        if let Some((_, score)) = scores[role].iter_mut().find(|(mv, _)| *mv == joint[role]) {
            *score = Score { games: score.games + games, sum: score.sum + sum };
        }
    };
    // Where a joint move ends the game, one look is enough, and the time is for the others.
    let mut open = Vec::new();
    let (mut next, mut after) = (root.clone(), net.view());
    for index in 0..joints.len() {
        let joint = joints.get(index);
        net.play(&mut view, &joint, &mut next)?;
        net.look(&next, &mut after)?;
        if !net.over(&after) {
            open.push((joint, next.clone()));
            continue;
        }
        (found.simulations, found.states) = (found.simulations + 1, found.states + 1);
        for role in roles(net) {
            let goal = net.goal(&mut after, role)?.unwrap_or(0);
            note(&joint, role.0 as usize, 1, u64::from(goal));
        }
    }
    let mut timer = Timer::start();
    for (index, (joint, state)) in open.iter().enumerate() {
        let until = seconds * (index + 1) as f64 / open.len() as f64;
        if timer.exactly() >= until {
            continue;
        }
        let mut lanes = net.lanes_from(state, seed.wrapping_add(index as u64));
        lanes.most_steps(MOST as u16);
        while timer.about() < until {
            lanes.run(1);
        }
        let tally = lanes.tally();
        let games = tally.playouts + tally.stuck + tally.cut;
        found.simulations += games;
        // The state behind the joint move belongs to every game.
        found.states += tally.states + games;
        for (role, counts) in tally.goals.iter().enumerate() {
            let sum = counts.iter().zip(0..).map(|(games, goal)| games * goal).sum();
            note(joint, role, tally.playouts, sum);
        }
    }
    let mean = |score: &Score| if score.games > 0 { score.sum as f64 / score.games as f64 } else { -1.0 };
    for scores in &scores {
        // Of equals the first.
        let best = scores.iter().rev().max_by(|a, b| mean(&a.1).total_cmp(&mean(&b.1)));
        found.joint.extend(best.map(|(mv, _)| *mv));
    }
    Ok(Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Names;

    /// x has two in a row, and so has o.
    fn state<G: Names>(game: &G) -> G::State {
        let marked = ["(cell 1 1 x)", "(cell 2 1 x)", "(cell 1 2 o)", "(cell 2 2 o)"];
        let empty = ["(cell 1 3 b)", "(cell 2 3 b)", "(cell 3 1 b)", "(cell 3 2 b)", "(cell 3 3 b)"];
        game.state_of(&[&marked[..], &empty[..], &["(control x)"]].concat()).expect("a state")
    }

    #[test]
    fn it_takes_the_win() {
        let entry = library::find("tic-tac-toe").expect("it is in the library");
        let rules = gdl::parse(entry.rules).rules;
        let prover = machine::Prover::new(&rules).expect("it can be played");
        let found = Searcher::new(&prover, 1).search(&prover, &state(&prover), 0.2).expect("no limit").expect("a move");
        assert_eq!(prover.move_text(found.joint[0]), "(mark 3 1)");
        assert!(found.simulations > 10 && found.states >= found.simulations, "{}", found.simulations);

        let net = PropNet::new(&rules, machine::Budget::default()).expect("it has a net");
        let found = search_in_lanes(&net, &state(&net), 0.05, 1).expect("no limit").expect("a move");
        assert_eq!(net.move_text(found.joint[0]), "(mark 3 1)");
        assert!(found.simulations > 1000, "{}", found.simulations);
    }
}
