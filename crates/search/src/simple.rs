//! Two players that grow no tree: Monte Carlo averages, and one step with an evaluator.

use crate::{Budget, Choice, Found, Monitor, Searcher, SharedEvaluator, first_moves, without_choice};
use game::random::{End, Rng};
use game::rollouts::Feed;
use game::{Game, Goal, Limit, Move, Role, roles};

/// What can be set in the Monte Carlo player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MonteCarloSettings {
    /// Random games longer than this are given up. (default: 2000)
    pub max_steps: usize,
}

impl Default for MonteCarloSettings {
    fn default() -> MonteCarloSettings {
        MonteCarloSettings { max_steps: 2000 }
    }
}

/// The Monte Carlo player: a random joint move, a random game from there, the average for each of our moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct MonteCarlo(pub MonteCarloSettings);

impl<G: Game> Searcher<G> for MonteCarlo {
    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        let mut view = game.view();
        let moves = first_moves(game, state, role, &mut view, monitor)?;
        let legal: Vec<Vec<Move>> = roles(game)
            .map(|role| {
                let mut legal = Vec::new();
                game.legal(&view, role, &mut legal);
                legal
            })
            .collect();
        if moves.is_empty() || legal.iter().any(Vec::is_empty) {
            return Ok(without_choice(&moves, monitor));
        }
        let mut feed = Averages {
            game,
            view,
            next: state.clone(),
            legal,
            role,
            budget,
            monitor,
            moves: &moves,
            rng: Rng::new(budget.seed),
            sums: vec![(0, 0.0); moves.len()],
            playouts: 0,
            best: 0,
        };
        // Where the engine gives up, the averages so far stand.
        let _ = game.rollouts(&mut feed, self.0.max_steps, budget.seed ^ 0x5eed);
        let found = feed.report();
        monitor.finish(&found);
        Ok(found)
    }
}

/// Adds up random games by our first move.
struct Averages<'a, G: Game> {
    game: &'a G,
    /// Has looked at the state that we move in.
    view: G::View,
    next: G::State,
    legal: Vec<Vec<Move>>,
    role: Role,
    budget: &'a Budget<'a>,
    monitor: &'a Monitor,
    moves: &'a [Move],
    rng: Rng,
    sums: Vec<(u64, f64)>,
    playouts: u64,
    best: usize,
}

impl<G: Game> Averages<'_, G> {
    fn mean(&self, at: usize) -> f32 {
        let (count, sum) = self.sums[at];
        if count == 0 { 0.0 } else { (sum / count as f64) as f32 }
    }

    fn report(&self) -> Found {
        let best = self.best();
        let choice = |(at, &mv): (usize, &Move)| Choice {
            mv,
            value: self.mean(at),
            visits: self.sums[at].0,
            proven: false,
            share: if at == best { 1.0 } else { 0.0 },
        };
        let moves: Vec<Choice> = self.moves.iter().enumerate().map(choice).collect();
        let (mv, value) = (Some(moves[best].mv), moves[best].value);
        Found { mv, value, depth: 1, playouts: self.playouts, moves, ..Found::default() }
    }

    fn best(&self) -> usize {
        let places = (0..self.sums.len()).rev();
        places.max_by(|&a, &b| self.mean(a).total_cmp(&self.mean(b))).unwrap_or(0)
    }
}

impl<G: Game> Feed<G::State> for Averages<'_, G> {
    fn stop(&mut self) -> bool {
        if self.monitor.is_wanted() {
            self.monitor.publish(self.report());
        }
        self.budget.is_spent(self.playouts, self.playouts)
    }

    fn next(&mut self) -> Option<(u32, &G::State)> {
        let picks: Vec<usize> = self.legal.iter().map(|legal| self.rng.below(legal.len())).collect();
        let joint: Vec<Move> = self.legal.iter().zip(&picks).map(|(legal, &at)| legal[at]).collect();
        self.game.play(&mut self.view, &joint, &mut self.next).ok()?;
        Some((picks[self.role.0 as usize] as u32, &self.next))
    }

    fn done(&mut self, number: u32, end: End, _: usize, goals: &[Option<Goal>]) {
        self.playouts += 1;
        let goal = match end {
            End::Cut => 50.0,
            _ => f64::from(goals[self.role.0 as usize].unwrap_or(0)),
        };
        let sum = &mut self.sums[number as usize];
        *sum = (sum.0 + 1, sum.1 + goal);
        if self.playouts.is_multiple_of(64) {
            let best = self.best();
            if best != self.best {
                self.best = best;
                let mv = self.legal[self.role.0 as usize][best];
                self.monitor.set_best(mv, self.mean(best));
            }
        }
    }
}

/// What can be set in the greedy player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GreedySettings {
    /// Replies of the others that are averaged over, at most. (default: 64)
    pub replies: u64,
}

impl Default for GreedySettings {
    fn default() -> GreedySettings {
        GreedySettings { replies: 64 }
    }
}

/// The greedy player: the best value of an evaluator after one move, on average over what the others may do.
pub struct Greedy<G: Game> {
    settings: GreedySettings,
    evaluator: SharedEvaluator<G>,
}

impl<G: Game> Greedy<G> {
    /// A player with these settings and this evaluator.
    pub fn new(settings: GreedySettings, evaluator: SharedEvaluator<G>) -> Greedy<G> {
        Greedy { settings, evaluator }
    }
}

impl<G: Game> Searcher<G> for Greedy<G> {
    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        let mut view = game.view();
        let mut after = game.view();
        let moves = first_moves(game, state, role, &mut view, monitor)?;
        let mut others: Vec<Vec<Move>> = Vec::new();
        for other in roles(game) {
            let mut legal = Vec::new();
            game.legal(&view, other, &mut legal);
            others.push(if other == role { vec![Move(0)] } else { legal });
        }
        let replies = others.iter().fold(1u64, |product, legal| product.saturating_mul(legal.len() as u64));
        let mut found = Found { mv: moves.first().copied(), value: 0.0, depth: 1, ..Found::default() };
        let mut rng = Rng::new(budget.seed);
        let mut next = state.clone();
        let mut best = f32::NEG_INFINITY;
        let most = self.settings.replies.max(1);
        for &mv in moves.iter().filter(|_| replies > 0) {
            let (mut sum, mut count) = (0.0, 0u64);
            for reply in 0..replies.min(most) {
                if count > 0 && budget.is_spent(found.nodes, 0) {
                    break;
                }
                let mut number = if replies > most { rng.bits() } else { reply };
                let mut joint: Vec<Move> = Vec::with_capacity(others.len());
                for legal in &others {
                    joint.push(legal[(number % legal.len() as u64) as usize]);
                    number /= legal.len() as u64;
                }
                joint[role.0 as usize] = mv;
                found.nodes += 1;
                let value = (|| {
                    game.play(&mut view, &joint, &mut next)?;
                    game.look(&next, &mut after)?;
                    if game.over(&after) {
                        return Ok(f32::from(game.goal(&mut after, role)?.unwrap_or(0)));
                    }
                    // Between a sure loss and a sure win.
                    Ok::<f32, Limit>(1.0 + 0.98 * self.evaluator.value(game, &next, &mut after, role).clamp(0.0, 100.0))
                })();
                // Where the engine gives up there is nothing to hope for.
                sum += value.unwrap_or(0.0);
                count += 1;
            }
            let value = sum / count.max(1) as f32;
            found.moves.push(Choice { mv, value, visits: count, proven: false, share: 0.0 });
            if value > best {
                best = value;
                (found.mv, found.value) = (Some(mv), value);
                monitor.set_best(mv, value);
            }
            if monitor.is_wanted() {
                monitor.publish(with_shares(found.clone()));
            }
            if budget.is_spent(found.nodes, 0) {
                break;
            }
        }
        let found = with_shares(found);
        monitor.finish(&found);
        Ok(found)
    }
}

/// The move to make is chosen always, the others never.
fn with_shares(mut found: Found) -> Found {
    found.moves.iter_mut().for_each(|choice| choice.share = f32::from(u8::from(Some(choice.mv) == found.mv)));
    found
}
