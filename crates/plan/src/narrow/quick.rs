//! Lists of goals measured quickly, behind goals that come first and stay: only what later goals decide about is looked at, and a list
//! that can no longer be good enough is left at once.

use super::{Columns, FAILED, Lists, Measured, NEW, Narrow, ON_THE_WAY, PATIENCE, SPOILT, Work};
use crate::learn::Goal;
use crate::world::NO_LEVEL;

/// What a list has to be worth: as much as this, where wins, time and regret count in this way.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Floor {
    /// The least that it has to come to.
    pub least: f64,
    /// What a position costs that is not won, beside what it is not worth.
    pub lost: f64,
    /// What a move costs that is lost at once.
    pub regret: f64,
    /// The most regret.
    pub most_regret: f64,
}

#[cfg(test)]
impl Floor {
    /// Every list is measured to its end.
    pub const NONE: Floor = Floor { least: f64::NEG_INFINITY, lost: 0.0, regret: 0.0, most_regret: f64::INFINITY };
}

/// What a list does not change, and what it decides about; for two plies.
pub struct Quick<'a> {
    narrow: &'a Narrow,
    /// The values of all columns at the positions that later goals are asked about, one after the other, and their ranges.
    values: Vec<Vec<u8>>,
    ranges: &'a [(i32, i32)],
    /// For each move that is asked about, the replies that decide, as places in `values`.
    open: Lists<u32>,
    /// For each position with several moves, these moves as places in `open`, and how much time each loses.
    moves: Lists<(u32, u16)>,
    /// The time that is lost where nothing is to be chosen, added up; the positions that can be won.
    lost_anyway: u64,
    positions: usize,
}

impl<'a> Quick<'a> {
    /// Prepares what is left behind the goals that come first.
    pub fn new(narrow: &'a Narrow, columns: &'a Columns) -> Quick<'a> {
        let shared = &narrow.shared;
        let mut place = vec![u32::MAX; shared.nodes.len()];
        let mut leaves = Vec::new();
        let mut of_leaf = |node: u32| {
            if place[node as usize] == u32::MAX {
                place[node as usize] = leaves.len() as u32;
                leaves.push(node);
            }
            place[node as usize]
        };
        let open = Lists::of(narrow.asked.iter().map(|&mv| {
            let replies = narrow.open.get(mv as usize).iter();
            replies.map(|&to| of_leaf(to)).collect::<Vec<_>>()
        }));
        let mut number = vec![u32::MAX; narrow.open.len()];
        narrow.asked.iter().zip(0..).for_each(|(&mv, at)| number[mv as usize] = at);
        let cost = |at: usize, mv: u32| match (shared.best[at], shared.after[mv as usize]) {
            (NO_LEVEL, _) => 0,
            (_, NO_LEVEL) => SPOILT,
            (best, after) => (after + 1).saturating_sub(best),
        };
        let moves = Lists::of(narrow.choosers.iter().map(|&at| {
            let moves = narrow.moves.get(at as usize).iter();
            moves.map(|&mv| (number[mv as usize], cost(at as usize, mv))).collect::<Vec<_>>()
        }));
        let sole = |at: usize| if narrow.sole[at] == 0 { 0 } else { u64::from(cost(at, narrow.moves.get(at)[0])) };
        Quick {
            narrow,
            values: columns.values.iter().map(|all| leaves.iter().map(|&at| all[at as usize]).collect()).collect(),
            ranges: &columns.ranges,
            open,
            moves,
            lost_anyway: (0..shared.nodes.len()).map(sole).sum(),
            positions: shared.best.iter().filter(|best| **best != NO_LEVEL).count(),
        }
    }

    /// The order that goals make of the positions that are asked about.
    fn order(&self, goals: &[Goal], work: &mut Work) {
        let Work { keys, sums, .. } = work;
        let count = self.values.first().map_or(0, Vec::len);
        keys.clear();
        keys.resize(count, 0);
        let mut most = 0u64;
        for goal in goals {
            let (lowest, range) = super::range(self.ranges, goal);
            sums.clear();
            sums.resize(count, -lowest);
            for &(column, weight) in goal {
                let values = &self.values[column];
                sums.iter_mut().zip(values).for_each(|(sum, &value)| *sum += weight * i32::from(value));
            }
            if most.checked_mul(range).is_none_or(|most| most > 1 << 56) {
                most = crate::learn::dense(keys);
            }
            keys.iter_mut().zip(&*sums).for_each(|(key, &sum)| *key = *key * range + u64::from(sum.unsigned_abs()));
            most = (most + 1) * range;
        }
    }

    /// The moves that are equally good, for each position; the time that the worst of them lose, added up.
    fn choose(&self, goals: &[Goal], work: &mut Work) -> u64 {
        self.order(goals, work);
        let Work { keys, worst, tied, .. } = work;
        worst.clear();
        worst.extend((0..self.open.len()).map(|mv| {
            let open = self.open.get(mv).iter();
            open.fold(0, |worst, &to| keys[to as usize].max(worst))
        }));
        tied.clone_from(&self.narrow.sole);
        let mut lost = self.lost_anyway;
        for (place, &at) in self.narrow.choosers.iter().enumerate() {
            let (mut least, mut set, mut longest) = (u64::MAX, 0, 0);
            for (bit, &(mv, cost)) in self.moves.get(place).iter().enumerate() {
                let worst = worst[mv as usize];
                if worst < least || set == 0 {
                    (least, set, longest) = (worst, 1u64 << bit, cost);
                } else if worst == least {
                    set |= 1 << bit;
                    longest = longest.max(cost);
                }
            }
            tied[at as usize] = set;
            lost += u64::from(longest);
        }
        lost
    }

    /// Follows goals as [`Narrow::measure`] does; `None` as soon as it is clear that the list does not come to what it has to.
    pub fn measure(&self, goals: &[Goal], floor: &Floor, work: &mut Work) -> Option<Measured> {
        let regret = self.choose(goals, work) as f64 / self.positions.max(1) as f64;
        let each = 1.0 / self.positions.max(1) as f64;
        let mut room = 1.0 - floor.regret * regret - floor.least;
        if regret > floor.most_regret || room < 0.0 {
            return None;
        }
        let shared = &self.narrow.shared;
        work.begin(shared);
        let Work { tied, length, stack, .. } = work;
        for root in 0..shared.nodes.len() {
            if length[root] != NEW {
                continue;
            }
            length[root] = ON_THE_WAY;
            stack.push((root as u32, tied[root], u32::MAX, 0));
            'next: while let Some((node, moves, reply, longest)) = stack.last_mut() {
                let at = *node as usize;
                let mut failed = tied[at] == 0;
                'moves: while *moves != 0 && !failed {
                    let mv = self.narrow.moves.get(at)[moves.trailing_zeros() as usize] as usize;
                    let end = shared.replies.first[mv + 1];
                    if *reply == u32::MAX {
                        *reply = shared.replies.first[mv];
                    }
                    while *reply < end {
                        let to = shared.replies.all[*reply as usize] as usize;
                        match length[to] {
                            NEW => {
                                length[to] = ON_THE_WAY;
                                stack.push((to as u32, tied[to], u32::MAX, 0));
                                continue 'next;
                            }
                            ON_THE_WAY | FAILED => {
                                failed = true;
                                break 'moves;
                            }
                            done => {
                                *longest = done.max(*longest);
                                *reply += 1;
                            }
                        }
                    }
                    *reply = u32::MAX;
                    *moves &= *moves - 1;
                }
                length[at] = if failed { FAILED } else { *longest + 1 };
                stack.pop();
                if length[at] == FAILED {
                    room -= (1.0 + floor.lost) * each;
                } else {
                    let over = length[at].saturating_sub(shared.best[at]);
                    room -= (1.0 - PATIENCE[usize::from(over).min(PATIENCE.len() - 1)]) * each;
                }
                if room < 0.0 {
                    return None;
                }
            }
        }
        Some(Measured { regret, ..self.narrow.judge(work) })
    }
}
