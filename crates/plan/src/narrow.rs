//! Two or four plies of a plan, made fast: what each move may lead to is listed once, and goals that come first narrow the lists down.
//!
//! A move is judged by the worst position that the reply to it can lead to, goal by goal. So goals that come first leave for each
//! position some moves, and for each of them some replies, about which the goals that follow decide: a list that begins with known goals
//! is measured on what they leave. And the best play inside of what they leave is a bound for every such list. Four plies are the same
//! twice: what counts of a position is then what the best move there leads to, and that is the same wherever the position comes up.

mod quick;

use crate::learn::Goal;
use crate::pool::Pool;
use crate::world::{Kind, NO_LEVEL, World};
pub use quick::{Floor, Quick};
use std::sync::Arc;

/// The most moves in a position.
const MOST_MOVES: usize = 64;
/// What a position costs in [`Measured::regret`] that can be won no more.
const SPOILT: u16 = 20;
/// What a win is worth so many moves over the optimum.
const PATIENCE: [f64; 128] = {
    let mut worth = [1.0; 128];
    let mut over = 1;
    while over < worth.len() {
        worth[over] = worth[over - 1] * 0.99;
        over += 1;
    }
    worth
};

/// Lists one after another, and where each begins.
#[derive(Clone, Default)]
struct Lists<T> {
    first: Vec<u32>,
    all: Vec<T>,
}

impl<T: Copy> Lists<T> {
    fn of<L: IntoIterator<Item = T>>(lists: impl Iterator<Item = L>) -> Lists<T> {
        let mut made = Lists { first: vec![0], all: Vec::new() };
        for list in lists {
            made.all.extend(list);
            made.first.push(made.all.len() as u32);
        }
        made
    }

    fn len(&self) -> usize {
        self.first.len() - 1
    }

    #[inline]
    fn get(&self, at: usize) -> &[T] {
        &self.all[self.first[at] as usize..self.first[at + 1] as usize]
    }
}

impl Lists<u32> {
    /// For each of `count` numbers the lists it is in, and where in them.
    fn turned<T: Copy + Default>(&self, count: usize, entry: impl Fn(u32, usize) -> T) -> Lists<T> {
        let mut first = vec![0u32; count + 1];
        self.all.iter().for_each(|&to| first[to as usize + 1] += 1);
        (0..count).for_each(|at| first[at + 1] += first[at]);
        let (mut next, mut all) = (first.clone(), vec![T::default(); self.all.len()]);
        for from in 0..self.len() {
            for (place, &to) in self.get(from).iter().enumerate() {
                all[next[to as usize] as usize] = entry(from as u32, place);
                next[to as usize] += 1;
            }
        }
        Lists { first, all }
    }
}

/// What stays as it is, whatever goals come first.
struct Shared {
    /// The positions, by their numbers in the world.
    nodes: Vec<u32>,
    /// For each position the moves of the best play to the win; [`NO_LEVEL`] if it cannot be won.
    best: Vec<u16>,
    /// Whether a win is in sight.
    wins: Vec<bool>,
    replies: Lists<u32>,
    /// For each move the longest of the best plays after it.
    after: Vec<u16>,
}

/// The world as a plan of two or four plies sees it. Positions are those in which the side of the plan decides, moves are those after which
/// the other side does and no reply ends the game without a win.
pub struct Narrow {
    shared: Arc<Shared>,
    moves: Lists<u32>,
    /// The replies that later goals decide about.
    open: Lists<u32>,
    /// The positions that a move is made in, and the moves that are left and lead to a position by a reply.
    before_move: Lists<(u32, u8)>,
    before_reply: Lists<u32>,
    /// The positions with several moves, and those moves.
    choosers: Vec<u32>,
    asked: Vec<u32>,
    /// For each position its moves as bits if nothing is to be chosen, else none.
    sole: Vec<u64>,
    /// The next two plies, where four are looked ahead.
    further: Option<Further>,
}

/// The third and fourth ply: what is judged there is what later goals decide about.
struct Further {
    moves: Lists<u32>,
    open: Lists<u32>,
    /// The positions that replies lead to about which something is to be chosen, and their moves.
    positions: Vec<u32>,
    asked: Vec<u32>,
}

impl Further {
    fn new(moves: Lists<u32>, open: Lists<u32>, outer: &Lists<u32>, outer_asked: &[u32], wins: &[bool]) -> Further {
        let mut seen = vec![false; moves.len()];
        for &to in outer_asked.iter().flat_map(|&mv| outer.get(mv as usize)) {
            seen[to as usize] = true;
        }
        let positions: Vec<u32> = (0..moves.len() as u32).filter(|&at| seen[at as usize]).collect();
        let mut asked = vec![false; open.len()];
        for &mv in positions.iter().filter(|&&at| !wins[at as usize]).flat_map(|&at| moves.get(at as usize)) {
            asked[mv as usize] = true;
        }
        let asked = (0..open.len() as u32).filter(|&mv| asked[mv as usize]).collect();
        Further { moves, open, positions, asked }
    }

    /// Puts what the best move leads to in the place of what a position is by itself.
    fn look(&self, wins: &[bool], work: &mut Work) {
        let Work { keys, later, best, .. } = work;
        later.resize(self.open.len(), 0);
        best.resize(keys.len(), 0);
        for &mv in &self.asked {
            let open = self.open.get(mv as usize).iter();
            later[mv as usize] = open.fold(0, |worst, &to| keys[to as usize].max(worst));
        }
        for &at in &self.positions {
            let moves = self.moves.get(at as usize).iter();
            let least = moves.map(|&mv| later[mv as usize]).min();
            // A win in sight comes before all, a loss after all.
            best[at as usize] = if wins[at as usize] { 0 } else { least.map_or(u64::MAX, |key| key + 1) };
        }
        std::mem::swap(keys, best);
    }

    /// What is left when these goals come first; the work is what [`Further::look`] left.
    fn narrowed(&self, wins: &[bool], work: &Work) -> (Lists<u32>, Lists<u32>) {
        // The keys were exchanged: what positions are by themselves is in `best` now.
        let mut asked = vec![false; self.open.len()];
        self.asked.iter().for_each(|&mv| asked[mv as usize] = true);
        let mut seen = vec![false; self.moves.len()];
        self.positions.iter().for_each(|&at| seen[at as usize] = true);
        let open = Lists::of((0..self.open.len()).map(|mv| {
            let decides = |to: &u32| !asked[mv] || work.best[*to as usize] == work.later[mv];
            self.open.get(mv).iter().copied().filter(decides).collect::<Vec<_>>()
        }));
        let moves = Lists::of((0..self.moves.len()).map(|at| {
            let chosen = |mv: &u32| !seen[at] || wins[at] || work.later[*mv as usize] + 1 == work.keys[at];
            self.moves.get(at).iter().copied().filter(chosen).collect::<Vec<_>>()
        }));
        (moves, open)
    }
}

/// The values of attributes at the positions.
pub struct Columns {
    values: Vec<Vec<u8>>,
    /// The least and the greatest value of each.
    ranges: Vec<(i32, i32)>,
}

/// The least value of a goal, and how many there can be.
fn range(ranges: &[(i32, i32)], goal: &Goal) -> (i32, u64) {
    let ends = |&(column, weight): &(usize, i32)| {
        let (least, most) = ranges[column];
        if weight > 0 { (weight * least, weight * most) } else { (weight * most, weight * least) }
    };
    let lowest: i32 = goal.iter().map(|part| ends(part).0).sum();
    let greatest: i32 = goal.iter().map(|part| ends(part).1).sum();
    (lowest, u64::from((greatest - lowest).unsigned_abs()) + 1)
}

impl Columns {
    fn sum(&self, goal: &Goal, node: usize) -> i32 {
        goal.iter().map(|&(column, weight)| weight * i32::from(self.values[column][node])).sum()
    }
}

/// The positions from which a list of goals may go in circles or spoil the win, and those that decide what is done in them.
#[derive(Clone, Default)]
pub struct Counterexamples {
    positions: Vec<u32>,
    leaves: Vec<u32>,
}

/// The positions with several moves, those moves, and for each position its moves as bits if there is but one.
fn choices(moves: &Lists<u32>, wins: &[bool], count: usize) -> (Vec<u32>, Vec<u32>, Vec<u64>) {
    let mut choosers = Vec::new();
    let mut asked = vec![false; count];
    let mut sole = vec![0; wins.len()];
    for (at, _) in wins.iter().enumerate().filter(|(_, wins)| !**wins) {
        match moves.get(at) {
            [] => {}
            [_] => sole[at] = 1,
            several => {
                choosers.push(at as u32);
                several.iter().for_each(|&mv| asked[mv as usize] = true);
            }
        }
    }
    (choosers, (0..count as u32).filter(|&mv| asked[mv as usize]).collect(), sole)
}

/// For each position the moves that are made somewhere and that a reply to leads there.
fn leading(before_move: &Lists<(u32, u8)>, replies: &Lists<u32>, positions: usize) -> Lists<u32> {
    let made = |mv: usize| if before_move.get(mv).is_empty() { &[] } else { replies.get(mv) };
    Lists::of((0..replies.len()).map(|mv| made(mv).iter().copied())).turned(positions, |from, _| from)
}

/// What a list of goals reaches.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Measured {
    /// Positions that are won, and those that can be.
    pub won: usize,
    pub positions: usize,
    /// Moves over the optimum, on average over what is won.
    pub excess: f64,
    /// A won position counts 0.99 for each move over the optimum.
    pub worth: f64,
    /// How much further away the win is after the worst of equally good moves than it could be, on average.
    pub regret: f64,
    /// Equally good moves, on average.
    pub free: f64,
}

impl Measured {
    /// The share of positions that is won.
    pub fn share(&self) -> f64 {
        self.won as f64 / self.positions.max(1) as f64
    }
}

/// Room to work in.
#[derive(Default)]
pub struct Work {
    keys: Vec<u64>,
    sums: Vec<i32>,
    worst: Vec<u64>,
    /// For each position the moves that are equally good, one bit each.
    tied: Vec<u64>,
    length: Vec<u16>,
    stack: Vec<(u32, u64, u32, u16)>,
    /// Two plies further on: the worst of each move, and the best of each position.
    later: Vec<u64>,
    best: Vec<u64>,
    /// For counterexamples: the moves that are equally good, and what is lost.
    open: Vec<(u32, Vec<u32>)>,
    lost: Vec<bool>,
}

impl Work {
    /// Nothing has been followed yet.
    fn begin(&mut self, shared: &Shared) {
        self.length.clear();
        self.length.extend(shared.wins.iter().zip(&shared.best).map(|(&wins, &best)| match (wins, best) {
            (true, _) => 1,
            (false, NO_LEVEL) => FAILED,
            (false, _) => NEW,
        }));
        self.stack.clear();
    }
}

const NEW: u16 = u16::MAX;
const ON_THE_WAY: u16 = u16::MAX - 1;
const FAILED: u16 = u16::MAX - 2;

impl Narrow {
    /// A world seen in this way, two or four plies ahead; `None` if the sides do not move by turns or there are too many moves.
    pub fn new(world: &World, plies: usize) -> Option<Narrow> {
        if !world.by_turns || world.alone || ![2, 4].contains(&plies) {
            return None;
        }
        let kind = |node: u32| world.kinds[node as usize];
        let nodes: Vec<u32> = (0..world.len() as u32).filter(|&node| kind(node) == Kind::Ours).collect();
        let mut number = vec![u32::MAX; world.len()];
        nodes.iter().zip(0..).for_each(|(&node, at)| number[node as usize] = at);
        // A move is known by the position it leads to.
        let mut move_number = vec![u32::MAX; world.len()];
        let mut sure = vec![false; world.len()];
        let mut kept = Vec::new();
        for node in (0..world.len() as u32).filter(|&node| kind(node) == Kind::Theirs) {
            let next = world.next(node);
            if next.is_empty() || next.iter().any(|&to| matches!(kind(to), Kind::Failed | Kind::Unused)) {
                continue;
            }
            sure[node as usize] = next.iter().all(|&to| kind(to) == Kind::Won);
            move_number[node as usize] = kept.len() as u32;
            kept.push(node);
        }
        let ours = |node: &u32| {
            let next = world.next(*node).iter().map(|&to| number[to as usize]);
            next.filter(|&at| at != u32::MAX).collect::<Vec<_>>()
        };
        let replies = Lists::of(kept.iter().map(ours));
        let wins: Vec<bool> = nodes
            .iter()
            .map(|&node| world.next(node).iter().any(|&to| kind(to) == Kind::Won || sure[to as usize]))
            .collect();
        let made = |node: &u32| {
            let next = world.next(*node).iter().map(|&to| move_number[to as usize]);
            next.filter(|&at| at != u32::MAX).collect::<Vec<_>>()
        };
        let moves = Lists::of(nodes.iter().map(made));
        if (0..moves.len()).any(|at| moves.get(at).len() > MOST_MOVES) {
            return None;
        }
        let best: Vec<u16> = nodes.iter().map(|&node| world.level(node).unwrap_or(NO_LEVEL)).collect();
        let after = |at: usize| replies.get(at).iter().map(|&to| best[to as usize]).max().unwrap_or(0);
        let after = (0..replies.len()).map(after).collect();
        let before_move = moves.turned(kept.len(), |from, at| (from, at as u8));
        let before_reply = leading(&before_move, &replies, nodes.len());
        let open = replies.clone();
        let (choosers, asked, sole) = choices(&moves, &wins, kept.len());
        let further = (plies == 4).then(|| Further::new(moves.clone(), replies.clone(), &open, &asked, &wins));
        let shared = Arc::new(Shared { nodes, best, wins, replies, after });
        Some(Narrow { shared, moves, open, before_move, before_reply, choosers, asked, sole, further })
    }

    /// Whether four plies are looked ahead.
    pub fn deep(&self) -> bool {
        self.further.is_some()
    }

    /// The columns of a pool at the positions.
    pub fn columns(&self, pool: &Pool) -> Columns {
        let here = |column: &Vec<u8>| self.shared.nodes.iter().map(|&node| column[node as usize]).collect();
        let values: Vec<Vec<u8>> = pool.columns.iter().map(here).collect();
        let range = |column: &Vec<u8>| {
            let (least, most) = (column.iter().min(), column.iter().max());
            (i32::from(least.copied().unwrap_or(0)), i32::from(most.copied().unwrap_or(0)))
        };
        Columns { ranges: values.iter().map(range).collect(), values }
    }

    /// What goals leave open: for each position the moves that are equally good.
    fn choose(&self, columns: &Columns, goals: &[Goal], work: &mut Work) {
        work.keys.clear();
        work.keys.resize(self.shared.nodes.len(), 0);
        let mut most = 0u64;
        for goal in goals {
            let (lowest, range) = range(&columns.ranges, goal);
            if most.checked_mul(range).is_none_or(|most| most > 1 << 56) {
                most = crate::learn::dense(&mut work.keys);
            }
            if let [(column, weight)] = goal.as_slice() {
                for (key, &value) in work.keys.iter_mut().zip(&columns.values[*column]) {
                    *key = *key * range + u64::from((weight * i32::from(value) - lowest).unsigned_abs());
                }
            } else {
                for (node, key) in work.keys.iter_mut().enumerate() {
                    *key = *key * range + u64::from((columns.sum(goal, node) - lowest).unsigned_abs());
                }
            }
            most = (most + 1) * range;
        }
        if let Some(further) = &self.further {
            further.look(&self.shared.wins, work);
        }
        work.worst.resize(self.open.len(), 0);
        for &mv in &self.asked {
            let open = self.open.get(mv as usize).iter();
            work.worst[mv as usize] = open.fold(0, |worst, &to| work.keys[to as usize].max(worst));
        }
        work.tied.clone_from(&self.sole);
        for &at in &self.choosers {
            let (mut least, mut set) = (u64::MAX, 0);
            for (bit, &mv) in self.moves.get(at as usize).iter().enumerate() {
                let worst = work.worst[mv as usize];
                if worst < least {
                    (least, set) = (worst, 1u64 << bit);
                } else if worst == least {
                    set |= 1 << bit;
                }
            }
            work.tied[at as usize] = set;
        }
    }

    /// What is left when these goals come first.
    pub fn narrowed(&self, columns: &Columns, goals: &[Goal], work: &mut Work) -> Narrow {
        self.choose(columns, goals, work);
        let those = |(at, set): (usize, &u64)| {
            let (moves, set) = (self.moves.get(at), *set);
            let kept = |bit: &usize| set >> bit & 1 == 1;
            (0..moves.len()).filter(kept).map(|bit| moves[bit]).collect::<Vec<_>>()
        };
        let moves = Lists::of(work.tied.iter().enumerate().map(those));
        // Moves that nothing is chosen by keep all replies.
        let mut asked = vec![false; self.open.len()];
        self.asked.iter().for_each(|&mv| asked[mv as usize] = true);
        let deciding = |at: usize| {
            let decides = |to: &u32| !asked[at] || work.keys[*to as usize] == work.worst[at];
            self.open.get(at).iter().copied().filter(decides).collect::<Vec<_>>()
        };
        let open = Lists::of((0..self.open.len()).map(deciding));
        let Shared { wins, replies, .. } = &*self.shared;
        let (choosers, asked, sole) = choices(&moves, wins, replies.len());
        let before_move = moves.turned(replies.len(), |from, at| (from, at as u8));
        let before_reply = leading(&before_move, replies, self.shared.nodes.len());
        let further = self.further.as_ref().map(|further| {
            let (inner_moves, inner_open) = further.narrowed(wins, work);
            Further::new(inner_moves, inner_open, &open, &asked, wins)
        });
        let shared = self.shared.clone();
        Narrow { shared, moves, open, before_move, before_reply, choosers, asked, sole, further }
    }

    /// Follows goals from all positions, by any of equally good moves and against every reply. `None` if the moves lose more time than
    /// `most_regret`: nothing is followed then.
    pub fn measure(&self, columns: &Columns, goals: &[Goal], most_regret: f64, work: &mut Work) -> Option<Measured> {
        self.choose(columns, goals, work);
        let regret = self.regret(work);
        if regret > most_regret {
            return None;
        }
        work.begin(&self.shared);
        let Work { tied, length, stack, .. } = work;
        for root in 0..self.shared.nodes.len() {
            if length[root] != NEW {
                continue;
            }
            length[root] = ON_THE_WAY;
            stack.push((root as u32, tied[root], u32::MAX, 0));
            'next: while let Some((node, moves, reply, longest)) = stack.last_mut() {
                let at = *node as usize;
                let mut failed = tied[at] == 0;
                'moves: while *moves != 0 && !failed {
                    let mv = self.moves.get(at)[moves.trailing_zeros() as usize] as usize;
                    if *reply == u32::MAX {
                        *reply = self.shared.replies.first[mv];
                    }
                    while *reply < self.shared.replies.first[mv + 1] {
                        let to = self.shared.replies.all[*reply as usize];
                        match length[to as usize] {
                            NEW => {
                                length[to as usize] = ON_THE_WAY;
                                stack.push((to, tied[to as usize], u32::MAX, 0));
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
            }
        }
        Some(Measured { regret, ..self.judge(work) })
    }

    /// What the list that was measured last does not win.
    pub fn counterexamples(&self, work: &Work) -> Counterexamples {
        let lost = |at: &u32| work.length[*at as usize] == FAILED && self.shared.best[*at as usize] != NO_LEVEL;
        let positions: Vec<u32> = (0..self.shared.nodes.len() as u32).filter(lost).collect();
        let moves = positions.iter().flat_map(|&at| self.moves.get(at as usize));
        let mut leaves: Vec<u32> = moves.flat_map(|&mv| self.open.get(mv as usize)).copied().collect();
        leaves.sort_unstable();
        leaves.dedup();
        Counterexamples { positions, leaves }
    }

    /// How many of the counterexamples to a list another one wins, if it does nothing else elsewhere: what is far from certain, but
    /// quickly found out.
    pub fn mends(&self, columns: &Columns, goals: &[Goal], known: &Counterexamples, work: &mut Work) -> usize {
        work.keys.resize(self.shared.nodes.len(), 0);
        work.worst.resize(self.open.len(), 0);
        known.leaves.iter().for_each(|&leaf| work.keys[leaf as usize] = 0);
        for goal in goals {
            let (lowest, range) = range(&columns.ranges, goal);
            for &leaf in &known.leaves {
                let value = u64::from((columns.sum(goal, leaf as usize) - lowest).unsigned_abs());
                let key = &mut work.keys[leaf as usize];
                *key = key.wrapping_mul(range).wrapping_add(value);
            }
        }
        work.open.clear();
        for &at in &known.positions {
            let worst = |mv: &u32| {
                let open = self.open.get(*mv as usize).iter();
                open.fold(0, |worst, &to| work.keys[to as usize].max(worst))
            };
            let moves = self.moves.get(at as usize);
            let least = moves.iter().map(worst).min();
            let tied = moves.iter().filter(|mv| Some(worst(mv)) == least);
            work.open.push((at, tied.copied().collect()));
        }
        work.lost.resize(self.shared.nodes.len(), false);
        known.positions.iter().for_each(|&at| work.lost[at as usize] = true);
        let mut mended = 0;
        loop {
            let before = mended;
            for (at, moves) in &work.open {
                let leads_to_lost = |mv: &u32| {
                    let replies = self.shared.replies.get(*mv as usize).iter();
                    replies.into_iter().any(|&to| work.lost[to as usize] || self.shared.best[to as usize] == NO_LEVEL)
                };
                if work.lost[*at as usize] && !moves.is_empty() && !moves.iter().any(leads_to_lost) {
                    work.lost[*at as usize] = false;
                    mended += 1;
                }
            }
            if mended == before {
                break;
            }
        }
        known.positions.iter().for_each(|&at| work.lost[at as usize] = false);
        mended
    }

    /// The best that any list can reach which begins with these goals: best play inside of what they leave.
    pub fn bound(&self, columns: &Columns, goals: &[Goal], work: &mut Work) -> Measured {
        self.choose(columns, goals, work);
        let Work { tied, length, .. } = work;
        length.clear();
        length.resize(self.shared.nodes.len(), FAILED);
        let mut missing: Vec<u32> =
            (0..self.shared.replies.len()).map(|at| self.shared.replies.get(at).len() as u32).collect();
        let mut now: Vec<u32> =
            (0..self.shared.nodes.len() as u32).filter(|&at| self.shared.wins[at as usize]).collect();
        now.iter().for_each(|&at| length[at as usize] = 1);
        let mut moves = 1;
        while !now.is_empty() {
            moves += 1;
            let mut next = Vec::new();
            for &mv in now.iter().flat_map(|&at| self.before_reply.get(at as usize)) {
                missing[mv as usize] -= 1;
                if missing[mv as usize] > 0 {
                    continue;
                }
                for &(at, bit) in self.before_move.get(mv as usize) {
                    if length[at as usize] == FAILED && tied[at as usize] >> bit & 1 == 1 {
                        length[at as usize] = moves;
                        next.push(at);
                    }
                }
            }
            now = next;
        }
        self.judge(work)
    }

    /// See [`Measured::regret`].
    fn regret(&self, work: &Work) -> f64 {
        let (mut sum, mut positions) = (0u64, 0u64);
        for (at, &best) in self.shared.best.iter().enumerate().filter(|(_, best)| **best != NO_LEVEL) {
            positions += 1;
            let (mut set, mut worst) = (work.tied[at], 0);
            while set != 0 {
                let mv = self.moves.get(at)[set.trailing_zeros() as usize] as usize;
                let after = self.shared.after[mv];
                worst = worst.max(if after == NO_LEVEL { SPOILT } else { (after + 1).saturating_sub(best) });
                set &= set - 1;
            }
            sum += u64::from(worst);
        }
        sum as f64 / positions.max(1) as f64
    }

    fn judge(&self, work: &Work) -> Measured {
        let mut found = Measured::default();
        let (mut excess, mut free, mut to_choose) = (0u64, 0u64, 0u64);
        for (at, &best) in self.shared.best.iter().enumerate().filter(|(_, best)| **best != NO_LEVEL) {
            found.positions += 1;
            if work.length[at] < FAILED {
                let over = work.length[at].saturating_sub(best);
                found.won += 1;
                excess += u64::from(over);
                found.worth += PATIENCE[usize::from(over).min(PATIENCE.len() - 1)];
            }
            free += u64::from(work.tied[at].count_ones());
            to_choose += u64::from(work.tied[at] != 0);
        }
        found.excess = excess as f64 / found.won.max(1) as f64;
        found.worth /= found.positions.max(1) as f64;
        found.free = free as f64 / to_choose.max(1) as f64;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::{Random, reached};
    use crate::movers::Movers;
    use crate::pool::simple;
    use table::chess::{Material, Metric, Tables, build_all};

    fn world_and_pool() -> (World, Pool) {
        let material = Material::parse("KRK").unwrap();
        let mut tables = Tables::new();
        build_all(material, Metric::Mate, &mut tables, &mut |_, _| true).unwrap();
        let mut world = crate::chess::world(material, Metric::Mate, &tables).unwrap();
        let movers = Movers::read(&mut world);
        let mut pool = Pool::new(&world, &movers, simple(&world, &movers), &mut |_, _| true);
        pool.shape(&world);
        (world, pool)
    }

    /// Lists of goals drawn at random, measured in the quick way and by walking the whole world, whole and behind the goals that come first.
    #[test]
    fn lists_are_measured_as_on_the_whole_world() {
        let (world, pool) = world_and_pool();
        for plies in [2, 4] {
            measured_as_on_the_whole_world(&world, &pool, plies);
        }
    }

    /// The quickest way finds the same, and leaves lists that do not come to what they have to.
    fn left_at_once(behind: &Narrow, columns: &Columns, goals: &[Goal], found: Measured) {
        let (quick, mut work) = (Quick::new(behind, columns), Work::default());
        assert_eq!(quick.measure(goals, &Floor::NONE, &mut work), Some(found));
        assert_eq!(behind.counterexamples(&work).positions.len(), found.positions - found.won);
        let worth = found.worth - 2.0 * (1.0 - found.share()) - 0.1 * found.regret;
        let floor = |least| Floor { least, lost: 2.0, regret: 0.1, most_regret: 100.0 };
        assert_eq!(quick.measure(goals, &floor(worth - 1e-6), &mut work), Some(found));
        assert_eq!(quick.measure(goals, &floor(worth + 0.1), &mut work), None);
        let impatient = Floor { most_regret: found.regret - 1e-6, ..Floor::NONE };
        assert_eq!(quick.measure(goals, &impatient, &mut work), None);
    }

    fn measured_as_on_the_whole_world(world: &World, pool: &Pool, plies: usize) {
        let narrow = Narrow::new(world, plies).unwrap();
        let columns = narrow.columns(pool);
        let mut work = Work::default();
        let mut random = Random(5);
        let edge = pool.attributes.iter().position(|attribute| {
            matches!(
                attribute,
                crate::attribute::Attribute::Distance { from: 2, to: crate::attribute::Place::Edge, .. }
            )
        });
        for round in 0..12 {
            let mut goals: Vec<Goal> = vec![vec![(edge.unwrap(), 1)]];
            for _ in 0..random.below(5) + 2 {
                let mut part = || (random.below(pool.columns.len()), random.below(5) as i32 - 2);
                goals.push(if round % 2 == 0 { vec![part()] } else { vec![part(), part()] });
            }
            let slow = reached(world, pool, &goals, plies);
            let quick = narrow.measure(&columns, &goals, f64::INFINITY, &mut work).unwrap();
            assert_eq!((quick.won as u64, quick.positions as u64), (slow.won, slow.positions), "{goals:?}");
            assert!((quick.excess - slow.mean_excess()).abs() < 1e-9);
            let known = narrow.counterexamples(&work);
            assert_eq!(known.positions.len(), quick.positions - quick.won);
            if !narrow.deep() {
                assert_eq!(narrow.mends(&columns, &goals, &known, &mut work), 0, "a list does not mend itself");
            }
            let (first, rest) = goals.split_at(2);
            let behind = narrow.narrowed(&columns, first, &mut work);
            assert_eq!(behind.measure(&columns, rest, f64::INFINITY, &mut work), Some(quick));
            // No list that begins in this way reaches more than the bound.
            let bound = narrow.bound(&columns, first, &mut work);
            assert!(bound.won >= quick.won);
            assert_eq!(behind.bound(&columns, &[], &mut work).won, bound.won);
            assert_eq!(narrow.measure(&columns, &goals, quick.regret - 1e-6, &mut work), None);
            if !narrow.deep() {
                left_at_once(&behind, &columns, rest, quick);
            }
        }
    }
}
