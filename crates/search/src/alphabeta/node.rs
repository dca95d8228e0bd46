//! The search function: the value of a state within a window, in numbered steps.

use super::plies::Ply;
use super::{MOST_PLIES, POINT, Search, Spent};
use crate::transposition::{Bound, Entry};
use game::{Game, Limit, Move, Role, Turn, roles};

/// A state on the way, and what is asked about it.
struct Node<'a, S> {
    state: &'a S,
    ply: usize,
    depth: u32,
    alpha: i32,
    beta: i32,
}

impl<G: Game> Search<'_, G> {
    /// The value of a state, at least `alpha` and at most `beta` being of interest: outside of these it is a bound.
    pub(super) fn node(
        &mut self,
        state: &G::State,
        ply: usize,
        depth: u32,
        alpha: i32,
        beta: i32,
    ) -> Result<i32, Spent> {
        // 1. The budget.
        self.nodes += 1;
        if self.is_spent(self.nodes - 1) {
            return Err(Spent);
        }

        // 2. A state that was on the way here: going round in circles proves nothing, and is a horizon.
        let place = self.place(state);
        let (key, whole) = (place.key, place.whole);
        let depth = if self.path.contains(&key) { 0 } else { depth };

        // 3. What the table knows.
        let cuts_before = self.cuts;
        let known = self.table.get(key);
        if let Some(entry) = known
            && ply > 0
            && depth > 0
        {
            // What is known of a state that only looks the same is an estimate, and a sure win or loss is none.
            let (low, high) = self.ends();
            let same = entry.is_of(whole);
            let full = entry.full && same;
            let usable = (full || u32::from(entry.depth) >= depth)
                && (same || entry.value > low && entry.value < high)
                && match entry.bound {
                    Bound::Exact => true,
                    Bound::AtLeast => entry.value >= beta,
                    Bound::AtMost => entry.value <= alpha,
                };
            if usable {
                self.cuts += u64::from(!full);
                self.mixed |= entry.mixed;
                return Ok(entry.value);
            }
        }

        // 4. The end of the game, or of what can be played.
        let mut here = self.plies.take(self.game, ply);
        let turn = match look(self.game, self.role, state, self.plies.view(ply), &mut here) {
            Ok(Ok(turn)) => turn,
            Ok(Err(value)) => {
                self.plies.give_back(ply, here);
                return Ok(value);
            }
            Err(_) => {
                self.plies.give_back(ply, here);
                self.cuts += 1;
                return Ok(self.neutral());
            }
        };

        // 5. The horizon.
        if depth == 0 || ply >= MOST_PLIES {
            self.cuts += 1;
            let value = self.evaluate(state, ply);
            self.plies.give_back(ply, here);
            return Ok(value);
        }

        // 6. Simultaneous moves have a rule of their own.
        self.path.push(key);
        let mixed_before = std::mem::replace(&mut self.mixed, false);
        let node = Node { state, ply, depth, alpha, beta };
        let outcome = match turn {
            Turn::One(chooser) => {
                // 7. Moves in order: the table's first, then those that were often best.
                self.order(&mut here, chooser, known.map(|entry| self.own(&place, Move(entry.mv))));
                // 8. Each of them: the first with the full window, the others only to see whether they are better.
                self.each(&node, &mut here, chooser)
            }
            // The end was step 4.
            Turn::Many | Turn::Over => self.expect(&node, &mut here),
        };
        self.path.pop();
        self.plies.give_back(ply, here);
        let (value, mv) = outcome?;

        // 9. The table.
        let bound = match (value <= alpha, value >= beta) {
            (true, _) => Bound::AtMost,
            (_, true) => Bound::AtLeast,
            _ => Bound::Exact,
        };
        let full = self.cuts == cuts_before;
        let depth = depth.min(u32::from(u16::MAX)) as u16;
        self.table
            .put(key, Entry { value, mv: self.common(&place, mv).0, depth, bound, full, mixed: self.mixed, whole });
        self.mixed |= mixed_before;
        Ok(value)
    }

    /// The best of one role's moves: greatest for our team, least for the others.
    fn each(&mut self, node: &Node<'_, G::State>, here: &mut Ply<G>, chooser: Role) -> Result<(i32, Move), Spent> {
        let Node { ply, depth, mut alpha, mut beta, .. } = *node;
        let who = chooser.0 as usize;
        let max = self.ours[who];
        let mut best = (if max { i32::MIN } else { i32::MAX }, here.moves[0].1);
        for at in 0..here.moves.len() {
            let mv = here.moves[at].1;
            here.joint[who] = mv;
            let nodes = self.nodes;
            let value = match self.follow(node, here, at == 0) {
                Err(_) => {
                    self.cuts += 1;
                    self.neutral()
                }
                Ok(()) if at == 0 => self.node(&here.next, ply + 1, depth - 1, alpha, beta)?,
                Ok(()) => {
                    let window = if max { (alpha, alpha + 1) } else { (beta - 1, beta) };
                    let value = self.node(&here.next, ply + 1, depth - 1, window.0, window.1)?;
                    if value > alpha && value < beta && (alpha + 1 < beta) {
                        self.node(&here.next, ply + 1, depth - 1, alpha, beta)?
                    } else {
                        value
                    }
                }
            };
            let better = if max { value > best.0 } else { value < best.0 };
            if ply == 0 && chooser == self.role {
                self.note(mv, value, self.nodes - nodes, better);
            }
            if better {
                best = (value, mv);
            }
            if max {
                alpha = alpha.max(value);
            } else {
                beta = beta.min(value);
            }
            if alpha >= beta {
                break;
            }
        }
        if let Some(worth) = self.worth(chooser, best.1) {
            *worth = worth.saturating_add(depth.min(64) * depth.min(64));
        }
        Ok(best)
    }

    /// A root move has been searched.
    fn note(&mut self, mv: Move, value: i32, nodes: u64, best: bool) {
        let points = value as f32 / POINT as f32;
        let (low, high) = self.ends();
        let exact = value <= low || value >= high || self.cuts == 0 && !self.mixed && best;
        if let Some(choice) = self.root.iter_mut().find(|choice| choice.mv == mv) {
            (choice.value, choice.proven) = (points, exact);
            choice.visits += nodes;
        }
        if best {
            self.best = Some(mv);
            self.monitor.set_best(mv, points);
        }
    }

    /// Several roles choose at once: the best average over what the others may do.
    fn expect(&mut self, node: &Node<'_, G::State>, here: &mut Ply<G>) -> Result<(i32, Move), Spent> {
        let Node { ply, depth, alpha, beta, .. } = *node;
        let mut choices: Vec<Vec<Move>> = Vec::with_capacity(self.ours.len());
        for role in roles(self.game) {
            let mut legal = Vec::new();
            self.game.legal(self.plies.view(ply), role, &mut legal);
            choices.push(legal);
        }
        let count = |ours: bool| -> u64 {
            let sides = choices.iter().zip(&self.ours).filter(|side| *side.1 == ours);
            sides.fold(1u64, |product, side| product.saturating_mul(side.0.len() as u64))
        };
        let (mine, all) = (count(true), count(false));
        self.mixed |= all > 1;
        // Numbers beyond any search: they only must not overflow.
        let (mine, all) = (mine.min(1 << 40), all.min(1 << 40));
        let drawn = self
            .settings
            .drawn
            .filter(|_| self.evaluator.is_some())
            .map(|drawn| u64::from(drawn >> (2 * ply).min(31)).max(1));
        let drawn = drawn.filter(|&drawn| drawn < all);
        let theirs = drawn.unwrap_or(all);
        // The same draws for each of our actions, so that luck does not decide between them.
        let draws: Vec<u64> = (0..drawn.unwrap_or(0)).map(|_| self.rng.below(all as usize) as u64).collect();
        // An estimate is not the outcome of the game.
        self.cuts += u64::from(drawn.is_some());
        let first = if self.settings.shuffle { self.rng.below(mine as usize) as u64 } else { 0 };
        let (low, high) = (self.ends().0 - 1, self.ends().1 + 1);
        let mut best = (i32::MIN, choices[self.role.0 as usize][0]);
        for action in 0..mine {
            self.pick(&choices, true, (action + first) % mine, &mut here.joint);
            let mut sum = 0i64;
            let mut seen = 0;
            let nodes = self.nodes;
            while seen < theirs {
                let which = draws.get(seen as usize).copied().unwrap_or(seen);
                self.pick(&choices, false, which, &mut here.joint);
                sum += i64::from(match self.follow(node, here, action == 0 && seen == 0) {
                    Ok(()) => self.node(&here.next, ply + 1, depth - 1, low, high)?,
                    Err(_) => {
                        self.cuts += 1;
                        self.neutral()
                    }
                });
                seen += 1;
                // Even with the greatest reward from here on it cannot become the best.
                let at_most = sum.saturating_add(i64::from(high).saturating_mul((theirs - seen) as i64));
                if seen < theirs && at_most <= i64::from(alpha.max(best.0)).saturating_mul(theirs as i64) {
                    break;
                }
            }
            let rest = i64::from(high).saturating_mul((theirs - seen) as i64);
            let value = average(sum.saturating_add(rest), theirs, self.ends());
            let mv = here.joint[self.role.0 as usize];
            let better = value > best.0;
            if ply == 0 {
                let shown = self.root.iter().find(|choice| choice.mv == mv).map_or(0.0, |choice| choice.value);
                if better || shown * (POINT as f32) < value as f32 || action == 0 {
                    self.note(mv, value, self.nodes - nodes, better);
                }
            }
            if better {
                best = (value, mv);
            }
            if best.0 >= beta {
                break;
            }
        }
        Ok(best)
    }

    /// Writes the moves of one side's action into the joint move: the action's number, taken apart by role.
    fn pick(&self, choices: &[Vec<Move>], ours: bool, mut number: u64, joint: &mut [Move]) {
        for (role, legal) in choices.iter().enumerate().filter(|(role, _)| self.ours[*role] == ours) {
            joint[role] = legal[(number % legal.len() as u64) as usize];
            number /= legal.len() as u64;
        }
    }

    /// Writes the state that the joint move leads to. Where plies share a view, it has to look at this state again, unless
    /// nothing was searched since.
    fn follow(&mut self, node: &Node<'_, G::State>, here: &mut Ply<G>, fresh: bool) -> Result<(), Limit> {
        let again = !fresh && self.plies.is_shared(node.ply);
        let view = self.plies.view(node.ply);
        if again {
            self.game.look(node.state, view)?;
        }
        self.game.play(view, &here.joint, &mut here.next)
    }

    /// The evaluator's value of a state that the view of this ply has looked at.
    fn evaluate(&mut self, state: &G::State, ply: usize) -> i32 {
        let Some(evaluator) = self.evaluator else { return self.neutral() };
        let (low, high) = self.ends();
        let value = evaluator.value(self.game, state, self.plies.view(ply), self.role);
        let value = f64::from(value).clamp(0.0, 100.0) / 100.0;
        // 1 + R− + (R+ − R− − 2)·V: worse than a sure win, better than a sure loss.
        let inside = f64::from((high - low - 2 * POINT).max(0)) * value;
        (low + POINT + inside as i32).min(high - 1).max(low + 1)
    }

    fn neutral(&self) -> i32 {
        let (low, high) = self.ends();
        (low + high) / 2
    }

    fn order(&mut self, here: &mut Ply<G>, chooser: Role, first: Option<Move>) {
        for at in 0..here.moves.len() {
            let mv = here.moves[at].1;
            let mut worth = self.worth(chooser, mv).map_or(0, |worth| *worth);
            if self.settings.shuffle {
                worth = worth.min(1 << 22) << 8 | self.rng.below(256) as u32;
            }
            here.moves[at].0 = if Some(mv) == first { u32::MAX } else { worth.min(u32::MAX - 1) };
        }
        here.moves.sort_by_key(|entry| std::cmp::Reverse(entry.0));
    }

    fn worth(&mut self, role: Role, mv: Move) -> Option<&mut u32> {
        let history = &mut self.history[role.0 as usize];
        let at = mv.0 as usize;
        if at >= history.len() && at < 1 << 20 {
            history.resize(at + 1, 0);
        }
        history.get_mut(at)
    }
}

/// Looks at a state: who decides, with the moves to decide between; or the value where nobody can.
pub(super) fn look<G: Game>(
    game: &G,
    role: Role,
    state: &G::State,
    view: &mut G::View,
    here: &mut Ply<G>,
) -> Result<Result<Turn, i32>, Limit> {
    game.look(state, view)?;
    let turn = game.turn(view);
    let mut stuck = turn == Turn::Over;
    here.joint.clear();
    here.moves.clear();
    if !stuck {
        for each in roles(game) {
            here.legal.clear();
            game.legal(view, each, &mut here.legal);
            let Some(&first) = here.legal.first() else {
                stuck = true;
                break;
            };
            here.joint.push(first);
            if turn == Turn::One(each) {
                here.moves.extend(here.legal.iter().map(|&mv| (0, mv)));
            }
        }
    }
    if !stuck {
        return Ok(Ok(turn));
    }
    // No goal is no reward.
    let goal = game.goal(view, role)?;
    Ok(Err(i32::from(goal.unwrap_or(0)) * POINT))
}

/// The average of rewards; a win or a loss only if every one of them is.
fn average(sum: i64, count: u64, (low, high): (i32, i32)) -> i32 {
    let count = count as i64;
    let value = (sum / count) as i32;
    if sum > i64::from(low) * count { value.max(low + 1) } else { value }.min(if sum < i64::from(high) * count {
        high - 1
    } else {
        i32::MAX
    })
}
