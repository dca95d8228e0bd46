//! Playing from every position at once: minimax of n plies is n sweeps over the world, and what becomes of play by a fixed
//! strategy is one walk over it.

use crate::world::{Kind, NO_LEVEL, World};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Which positions count of those that are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// Those where the plies end.
    #[default]
    Ends,
    /// These, and all on the way in which the own side is to move: the least that is met anywhere, and the soonest. Who has met it looks for less than
    /// that, so what is less than where one stands is never put off for ever.
    Met,
}

impl Reading {
    /// Whether it is that of plans that say nothing of it.
    pub fn is_usual(&self) -> bool {
        *self == Reading::Ends
    }

    /// What of the scores of ends counts on the way.
    pub fn met(self, leaves: &[Score]) -> &[Score] {
        if self == Reading::Met { leaves } else { &[] }
    }
}

/// How good a position is, for minimax: less is better. Up to [`WINS`] stand for wins that were seen, by plies.
pub type Score = u64;
/// Scores below this are wins within that many plies.
pub const WINS: Score = 64;
/// Not won, and over.
pub const LOST: Score = Score::MAX;

/// Ranks are this far apart in scores: what lies between counts the moves to it.
pub const STEP: Score = 8;
/// The greatest rank.
pub const MOST_RANK: u64 = (LOST - WINS) / STEP - 1;

/// Scores of all positions out of an order: ends by what they are, all others by the number that `rank` gives.
pub fn leaves(world: &World, rank: impl Fn(u32) -> u64 + Sync) -> Vec<Score> {
    (0..world.len() as u32)
        .into_par_iter()
        .with_min_len(1 << 12)
        .map(|node| match world.kinds[node as usize] {
            Kind::Won => 0,
            Kind::Failed | Kind::Unused => LOST,
            Kind::Ours | Kind::Theirs => WINS + rank(node).min(MOST_RANK) * STEP,
        })
        .collect()
}

/// The score of a position one move earlier.
#[inline]
fn later(score: Score) -> Score {
    if score == LOST || score == WINS - 1 { score } else { score + 1 }
}

/// One ply of minimax for every position, or for those of one kind: the best or the worst of what follows. `met` is what own positions
/// themselves are worth; nothing where only ends count.
pub fn back(world: &World, scores: &[Score], met: &[Score], only: Option<Kind>, out: &mut Vec<Score>) {
    (0..world.len() as u32)
        .into_par_iter()
        .with_min_len(1 << 12)
        .map(|node| {
            let kind = world.kinds[node as usize];
            let next = || world.next(node).iter().map(|&to| scores[to as usize]);
            match kind {
                Kind::Ours | Kind::Theirs if only.is_some_and(|only| only != kind) => LOST,
                Kind::Ours => {
                    let next = later(next().min().unwrap_or(LOST));
                    met.get(node as usize).map_or(next, |&met| next.min(met))
                }
                Kind::Theirs => next().max().unwrap_or(LOST),
                Kind::Won => 0,
                Kind::Failed | Kind::Unused => LOST,
            }
        })
        .collect_into_vec(out);
}

/// Scores of what a move leads to, when `plies` are looked ahead: `leaves` are those of the last positions.
pub fn ahead(world: &World, leaves: Vec<Score>, plies: usize, reading: Reading) -> Vec<Score> {
    let met = reading.met(&leaves).to_vec();
    let mut scores = leaves;
    let mut next = Vec::with_capacity(scores.len());
    for ply in 1..plies {
        // Where the sides move by turns, only one of them is looked at.
        let only = world.by_turns.then(|| if (plies - ply) % 2 == 1 { Kind::Theirs } else { Kind::Ours });
        back(world, &scores, &met, only, &mut next);
        std::mem::swap(&mut scores, &mut next);
    }
    scores
}

/// What becomes of positions when a strategy is followed against best defence.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcomes {
    /// For each position the plies to the win at most; [`NO_LEVEL`] if it is not sure.
    pub plies: Vec<u16>,
    /// Positions with the plan's side to move that can be won.
    pub positions: u64,
    /// Those that are won.
    pub won: u64,
    /// Moves over the optimum in those that are won, added up.
    pub excess: u64,
    /// The most moves over the optimum.
    pub worst: u16,
}

impl Outcomes {
    /// The share that is won.
    pub fn share(&self) -> f64 {
        self.won as f64 / self.positions.max(1) as f64
    }

    /// Moves over the optimum, on average over what is won.
    pub fn mean_excess(&self) -> f64 {
        self.excess as f64 / self.won.max(1) as f64
    }
}

/// The moves that are best by scores.
#[inline]
pub fn best(world: &World, scores: &[Score], node: u32) -> Score {
    world.next(node).iter().map(|&to| scores[to as usize]).min().unwrap_or(LOST)
}

/// Follows the strategy that goes to the best scores from every position, by any of equally good moves and against every defence: only what
/// all of that reaches counts.
pub fn follow(world: &World, scores: &[Score]) -> Outcomes {
    const OPEN: u16 = NO_LEVEL - 1;
    const NEW: u16 = NO_LEVEL - 2;
    let count = world.len();
    let mut plies: Vec<u16> = vec![NEW; count];
    for (plies, kind) in plies.iter_mut().zip(&world.kinds) {
        match kind {
            Kind::Won => *plies = 0,
            Kind::Failed | Kind::Unused => *plies = NO_LEVEL,
            Kind::Ours | Kind::Theirs => {}
        }
    }
    // One frame for each position on the way: where in its successors, which score is allowed, the longest so far.
    struct Frame {
        node: u32,
        at: u32,
        allowed: Score,
        longest: u16,
    }
    let enter = |node: u32| -> Frame {
        let ours = world.kinds[node as usize] == Kind::Ours;
        let allowed = if ours { best(world, scores, node) } else { LOST };
        Frame { node, at: world.first[node as usize], allowed, longest: 0 }
    };
    let mut stack: Vec<Frame> = Vec::new();
    for root in 0..count as u32 {
        if plies[root as usize] != NEW {
            continue;
        }
        plies[root as usize] = OPEN;
        stack.push(enter(root));
        while let Some(frame) = stack.last_mut() {
            let node = frame.node as usize;
            let ours = world.kinds[node] == Kind::Ours;
            let mut failed = false;
            let mut child = None;
            while frame.at < world.first[node + 1] {
                let to = world.edges[frame.at as usize];
                if ours && scores[to as usize] != frame.allowed {
                    frame.at += 1;
                    continue;
                }
                match plies[to as usize] {
                    NEW => {
                        child = Some(to);
                        break;
                    }
                    OPEN | NO_LEVEL => {
                        failed = true;
                        break;
                    }
                    done => {
                        frame.longest = frame.longest.max(done + 1);
                        frame.at += 1;
                    }
                }
            }
            if let Some(to) = child {
                plies[to as usize] = OPEN;
                stack.push(enter(to));
                continue;
            }
            let stuck = world.first[node] == world.first[node + 1];
            plies[node] = if failed || stuck { NO_LEVEL } else { frame.longest.min(NEW - 1) };
            stack.pop();
        }
    }
    let mut outcomes = Outcomes { plies, positions: 0, won: 0, excess: 0, worst: 0 };
    for node in world.won() {
        outcomes.positions += 1;
        let plies = outcomes.plies[node as usize];
        if plies != NO_LEVEL {
            outcomes.won += 1;
            let over = world.moves(plies).saturating_sub(world.moves(world.plies[node as usize]));
            outcomes.excess += u64::from(over);
            outcomes.worst = outcomes.worst.max(over);
        }
    }
    outcomes
}
