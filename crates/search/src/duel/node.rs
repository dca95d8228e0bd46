//! The search function: the value of a position within a window, in numbered steps; and quiescence behind the horizon.

use super::table::{Bound, Entry};
use super::{Board, Line, MOST_PLIES, Progress, SURE, Shared, WIN};
use std::sync::atomic::Ordering;

/// The search was told to stop.
struct Stopped;

/// More than any value.
const INFINITE: i32 = WIN + 1;
/// Nodes between two looks at the clock.
const CLOCK_NODES: u64 = 1024;
/// Moves in the history: the low bits of their numbers.
const HISTORY: usize = 1 << 12;

/// The memory of one ply.
struct Ply<M> {
    /// The moves with the worth that orders them.
    moves: Vec<(i32, M)>,
    list: Vec<M>,
    /// Quiet moves that were best in positions of this ply, by number.
    killers: [u32; 2],
    /// The line that is expected from here.
    line: Vec<M>,
}

/// One thread of a search.
pub(super) struct Worker<'a, B: Board> {
    board: B,
    shared: &'a Shared<'a, B::Move>,
    /// The first one is the search, the others help it by filling the table.
    number: usize,
    plies: Vec<Ply<B::Move>>,
    /// How often a quiet move of the side to move at even and at odd plies was best, weighted by depth.
    history: [Vec<i32>; 2],
    nodes: u64,
    /// The count of nodes at which the clock is looked at next. (Not every multiple of something: nodes that tables know are
    /// counted elsewhere, and just they may be slow.)
    next_look: u64,
    selective: u32,
    /// The first moves with their newest values, in the order in which they are tried.
    root: Vec<(i32, B::Move)>,
    /// The lines of the last finished depth.
    lines: Vec<Line<B::Move>>,
    /// Those of the depth at hand: finished ones, and behind them the best so far of the one at hand, if there is one.
    current: Vec<Line<B::Move>>,
    /// How many of them are finished.
    taken: usize,
    depth: u32,
}

impl<'a, B: Board> Worker<'a, B> {
    pub fn new(mut board: B, shared: &'a Shared<'a, B::Move>, number: usize) -> Worker<'a, B> {
        let ply = || Ply { moves: Vec::new(), list: Vec::new(), killers: [0; 2], line: Vec::new() };
        let mut moves = Vec::new();
        board.moves(&mut moves);
        let only = &shared.limits.only;
        moves.retain(|mv| only.is_empty() || only.contains(mv));
        let mut root: Vec<(i32, B::Move)> = moves.into_iter().map(|mv| (board.gain(mv), mv)).collect();
        root.sort_by_key(|(gain, _)| std::cmp::Reverse(*gain));
        Worker {
            board,
            shared,
            number,
            plies: (0..MOST_PLIES + 2).map(|_| ply()).collect(),
            history: [vec![0; HISTORY], vec![0; HISTORY]],
            nodes: 0,
            next_look: CLOCK_NODES,
            selective: 0,
            root,
            lines: Vec::new(),
            current: Vec::new(),
            taken: 0,
            depth: 0,
        }
    }

    /// One depth after the other, and at each depth one line after the other.
    pub fn deepen(mut self, tell: &mut dyn FnMut(&Progress<B::Move>)) -> (Vec<Line<B::Move>>, u64) {
        let Some(&(_, first)) = self.root.first() else {
            let value = self.board.stuck().value(0);
            return (vec![Line { moves: Vec::new(), value, depth: 0 }], 0);
        };
        self.lines = vec![Line { moves: vec![first], value: 0, depth: 0 }];
        let wanted = self.shared.limits.lines.clamp(1, self.root.len());
        let deepest = self.shared.limits.depth.unwrap_or(MOST_PLIES as u32 - 1).clamp(1, MOST_PLIES as u32 - 1);
        // Every other helper begins one ply deeper, so that not all look at the same.
        self.depth = 1 + (self.number % 2) as u32;
        while self.depth <= deepest {
            self.current.clear();
            self.taken = 0;
            while self.taken < wanted {
                if self.node(self.depth as i32, 0, -INFINITE, INFINITE, false).is_err() {
                    return self.end(wanted);
                }
                tell(&self.progress());
                self.taken += 1;
            }
            self.lines = std::mem::take(&mut self.current);
            let best = self.lines.iter().map(|line| line.value).max().unwrap_or(0);
            let is_enough = self.shared.limits.win.is_some_and(|plies| best >= WIN - plies as i32);
            if is_enough || self.is_settled(best) {
                break;
            }
            self.depth += 1;
        }
        self.end(wanted)
    }

    /// Whether deeper searches can only say the same: the win or the loss is nearer than the horizon.
    fn is_settled(&self, best: i32) -> bool {
        let is_free = self.shared.limits.depth.is_none() && self.shared.limits.lines < 2;
        is_free && best.abs() > SURE && WIN - best.abs() <= self.depth as i32 / 2
    }

    /// The lines, the newest word on each first move: of a depth that is not finished only what was searched, and that
    /// begins with the move that was best before.
    fn end(self, wanted: usize) -> (Vec<Line<B::Move>>, u64) {
        let mut lines = self.current;
        for line in self.lines {
            if lines.iter().all(|newer| newer.moves.first() != line.moves.first()) {
                lines.push(line);
            }
        }
        // Stable, so that a move that only equals the best so far does not take its place.
        lines[..].sort_by_key(|line| std::cmp::Reverse((line.value, line.depth)));
        lines.truncate(wanted);
        (lines, self.nodes)
    }

    fn progress(&self) -> Progress<B::Move> {
        Progress {
            rank: self.taken,
            line: self.current[self.taken].clone(),
            selective: self.selective,
            nodes: self.nodes,
            lookups: self.board.lookups(),
            full: self.shared.table.full(),
        }
    }

    fn is_spent(&mut self) -> bool {
        let limits = self.shared.limits;
        let is_counted_out = limits.nodes.is_some_and(|most| self.nodes > most);
        if self.nodes >= self.next_look && self.number == 0 {
            self.next_look = self.nodes + CLOCK_NODES;
            if (limits.spent)() >= 1.0 {
                self.shared.stop.store(true, Ordering::Relaxed);
            }
        }
        is_counted_out || self.shared.stop.load(Ordering::Relaxed)
    }

    /// The value of the position for the side to move, between `alpha` and `beta`: outside of these it is a bound.
    fn node(&mut self, depth: i32, ply: usize, alpha: i32, beta: i32, may_pass: bool) -> Result<i32, Stopped> {
        let is_root = ply == 0;
        self.plies[ply].line.clear();

        // 1. What is known exactly: draws by the rules, and what tables say.
        if !is_root && let Some(exact) = self.board.known() {
            self.nodes += 1;
            return Ok(exact.value(ply));
        }

        // 2. One ply more where a side is pressed; behind the horizon only loud moves count.
        let settings = self.shared.settings;
        let is_pressed = self.board.is_pressed();
        let depth = if is_pressed && settings.extensions && !is_root { depth + 1 } else { depth };
        if depth <= 0 || ply >= MOST_PLIES {
            return self.calm(0, ply, alpha, beta);
        }
        self.nodes += 1;
        self.selective = self.selective.max(ply as u32);
        if self.is_spent() && self.lines[0].depth > 0 {
            return Err(Stopped);
        }

        // 3. A win further away than one already found is of no interest.
        let (mut alpha, beta) =
            if is_root { (alpha, beta) } else { (alpha.max(ply as i32 - WIN), beta.min(WIN - ply as i32 - 1)) };
        if alpha >= beta {
            return Ok(alpha);
        }

        // 4. What the table says.
        let key = self.board.key();
        let entry = self.shared.table.get(key);
        let is_open = beta - alpha > 1;
        if let Some(entry) = entry
            && !is_open
            && entry.depth >= depth
        {
            let value = from_table(entry.value, ply);
            let is_enough = match entry.bound {
                Bound::Exact => true,
                Bound::AtLeast => value >= beta,
                Bound::AtMost => value <= alpha,
            };
            if is_enough {
                return Ok(value);
            }
        }

        // 5. Good enough even if the turn is passed.
        if settings.passes && may_pass && !is_open && !is_pressed && depth >= 3 && beta.abs() < SURE {
            let estimate = self.board.estimate();
            if estimate >= beta && self.board.pass() {
                let value = self.node(depth - 3 - depth / 6, ply + 1, -beta, 1 - beta, false).map(|value| -value);
                self.board.take_back();
                if value? >= beta {
                    return Ok(beta);
                }
            }
        }

        // 6. The moves in order: the table's first, then loud ones by what they win, killers, the rest by their history,
        //    and last what loses more than it wins.
        if is_root {
            self.order_root();
        } else {
            self.order(ply, entry.map_or(0, |entry| entry.mv), is_pressed);
        }
        let count = self.plies[ply].moves.len();
        if count == 0 {
            return Ok(self.board.stuck().value(ply));
        }

        // 7. Each of them: the first with the full window, the others only to see whether they are better.
        let (mut best, mut best_move, old_alpha) = (-INFINITE, 0, alpha);
        for at in 0..count {
            let (_, mv) = self.plies[ply].moves[at];
            let is_quiet = self.board.gain(mv) <= 0;
            let takes_back = settings.extensions && !is_quiet && is_open && depth <= 4 && self.board.recaptures(mv);
            self.board.make(mv);
            let next = depth - 1 + i32::from(takes_back);
            let less = if settings.reductions && is_quiet && at >= 3 && depth >= 3 && !is_pressed {
                if self.board.is_pressed() { 0 } else { 1 + i32::from(at >= 8 && depth >= 5) }
            } else {
                0
            };
            let value = if at == 0 {
                self.node(next, ply + 1, -beta, -alpha, true).map(|value| -value)
            } else {
                self.later(next, less, ply, alpha, beta)
            };
            self.board.take_back();
            let value = value?;
            if is_root {
                self.note(mv, value, at == 0 || value > alpha);
            }

            // 8. The best so far, and the end where the other side would not let it come to this.
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    best_move = B::number(mv);
                    self.keep_line(ply, mv);
                }
                if alpha >= beta {
                    if is_quiet {
                        self.reward(ply, at, depth);
                    }
                    break;
                }
            }
        }

        // 9. The table.
        if !is_root || self.taken == 0 {
            let bound = match (best <= old_alpha, best >= beta) {
                (true, _) => Bound::AtMost,
                (_, true) => Bound::AtLeast,
                _ => Bound::Exact,
            };
            self.shared.table.put(key, Entry { value: to_table(best, ply), mv: best_move, depth, bound });
        }
        Ok(best)
    }

    /// A move that is not the first: whether it is better, less deep at first, and how much better if it is.
    fn later(&mut self, depth: i32, less: i32, ply: usize, alpha: i32, beta: i32) -> Result<i32, Stopped> {
        let mut value = -self.node(depth - less, ply + 1, -alpha - 1, -alpha, true)?;
        if less > 0 && value > alpha {
            value = -self.node(depth, ply + 1, -alpha - 1, -alpha, true)?;
        }
        if value > alpha && value < beta {
            value = -self.node(depth, ply + 1, -beta, -alpha, true)?;
        }
        Ok(value)
    }

    /// Behind the horizon: the side to move may leave it at what the position is worth, or make a loud move; pressed, it
    /// has to move. Moves that press are tried in the first ply.
    fn calm(&mut self, behind: u32, ply: usize, alpha: i32, beta: i32) -> Result<i32, Stopped> {
        self.plies[ply].line.clear();
        self.nodes += 1;
        self.selective = self.selective.max(ply as u32);
        if self.is_spent() && self.lines[0].depth > 0 {
            return Err(Stopped);
        }
        // 1. What is known exactly; the node that led here has asked already.
        if behind > 0
            && let Some(exact) = self.board.known()
        {
            return Ok(exact.value(ply));
        }

        // 2. What the position is worth as it stands, unless there is something to answer.
        let is_end = !self.shared.settings.quiescence || ply >= MOST_PLIES;
        let is_pressed = !is_end && self.board.is_pressed();
        let mut best = if is_pressed { -INFINITE } else { self.board.estimate() };
        if best >= beta || is_end {
            return Ok(best);
        }
        let mut alpha = alpha.max(best);

        // 3. Loud moves, or all of them where there is something to answer.
        let mut list = std::mem::take(&mut self.plies[ply].list);
        list.clear();
        if is_pressed {
            self.board.moves(&mut list);
        } else {
            self.board.loud(behind == 0, &mut list);
        }
        if list.is_empty() && is_pressed {
            best = self.board.stuck().value(ply);
        }
        list.sort_unstable_by_key(|&mv| -self.board.gain(mv));
        let mut outcome = Ok(());
        for &mv in &list {
            if !is_pressed && self.board.is_wasteful(mv) {
                continue;
            }
            self.board.make(mv);
            let value = self.calm(behind + 1, ply + 1, -beta, -alpha).map(|value| -value);
            self.board.take_back();
            match value {
                Err(stopped) => {
                    outcome = Err(stopped);
                    break;
                }
                Ok(value) if value > best => best = value,
                Ok(_) => {}
            }
            if best > alpha {
                alpha = best;
                self.keep_line(ply, mv);
            }
            if alpha >= beta {
                break;
            }
        }
        self.plies[ply].list = list;
        outcome.map(|()| best)
    }

    fn keep_line(&mut self, ply: usize, mv: B::Move) {
        let (here, below) = self.plies.split_at_mut(ply + 1);
        let line = &mut here[ply].line;
        line.clear();
        line.push(mv);
        line.extend_from_slice(&below[0].line);
    }

    /// A first move has been searched; `exact` says whether its value is more than a bound.
    fn note(&mut self, mv: B::Move, value: i32, exact: bool) {
        if let Some(entry) = self.root.iter_mut().find(|entry| entry.1 == mv) {
            entry.0 = if exact { value } else { -INFINITE };
        }
        if !exact {
            return;
        }
        let mut moves = vec![mv];
        moves.extend_from_slice(&self.plies[1].line);
        self.current.truncate(self.taken);
        self.current.push(Line { moves, value, depth: self.depth });
    }

    /// The first moves: those that lines were found for before are out, the others as they did last.
    fn order_root(&mut self) {
        let lines = self.current[..self.taken].iter();
        let spoken: Vec<B::Move> = lines.filter_map(|line| line.moves.first().copied()).collect();
        // The sort is stable: what was not better keeps its place.
        self.root.sort_by_key(|(value, _)| std::cmp::Reverse(*value));
        let free = self.root.iter().filter(|(_, mv)| !spoken.contains(mv));
        self.plies[0].moves = free.copied().collect();
    }

    fn order(&mut self, ply: usize, first: u32, is_pressed: bool) {
        let mut moves = std::mem::take(&mut self.plies[ply].moves);
        let mut list = std::mem::take(&mut self.plies[ply].list);
        moves.clear();
        list.clear();
        self.board.moves(&mut list);
        let killers = self.plies[ply].killers;
        for &mv in &list {
            let (number, gain) = (B::number(mv), self.board.gain(mv));
            let worth = if number == first {
                FIRST
            } else if gain > 0 {
                if !is_pressed && self.board.is_wasteful(mv) { gain - LOUD } else { LOUD + gain }
            } else if number == killers[0] {
                KILLER
            } else if number == killers[1] {
                KILLER - 1
            } else {
                self.history[ply & 1][number as usize % HISTORY].min(KILLER - 2)
            };
            moves.push((worth, mv));
        }
        moves.sort_by_key(|entry| std::cmp::Reverse(entry.0));
        self.plies[ply].list = list;
        self.plies[ply].moves = moves;
    }

    /// A quiet move was so good that the other side would not let it come to this.
    fn reward(&mut self, ply: usize, at: usize, depth: i32) {
        let number = B::number(self.plies[ply].moves[at].1);
        let killers = &mut self.plies[ply].killers;
        if killers[0] != number {
            *killers = [number, killers[0]];
        }
        let worth = &mut self.history[ply & 1][number as usize % HISTORY];
        *worth += depth * depth;
        if *worth > KILLER / 2 {
            self.history.iter_mut().flatten().for_each(|worth| *worth /= 2);
        }
    }
}

/// Bounds between the kinds of moves when they are ordered.
const KILLER: i32 = 1 << 20;
const LOUD: i32 = 1 << 22;
const FIRST: i32 = 1 << 24;

/// Distances in the table are counted from its position, those of the search from the root.
fn to_table(value: i32, ply: usize) -> i32 {
    match value {
        win if win > SURE => win + ply as i32,
        loss if loss < -SURE => loss - ply as i32,
        other => other,
    }
}

fn from_table(value: i32, ply: usize) -> i32 {
    match value {
        win if win > SURE => win - ply as i32,
        loss if loss < -SURE => loss + ply as i32,
        other => other,
    }
}
