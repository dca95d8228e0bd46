//! Backward: the value of every state and the distance to the end.
//!
//! Where nothing can be repeated one pass from the last state to the first is enough. Otherwise outcomes are taken from
//! the best to the worst for one role, and from the worst to the best for the other: from the ends of that outcome
//! backwards, layer by layer of distance, a state is settled when its mover has a move into what is settled, or when the
//! mover's opponent wants the outcome and all moves lead there. What is never settled can be kept going for ever.

use super::seen::Blocks;
use super::walk::{Graph, Kind};
use super::{Phase, Reach, SolveError, Watch};

/// No distance: a draw, or a state from which no end can be forced.
pub const NO_DISTANCE: u16 = u16::MAX;
/// The value of a state of a one-player game from which no end can be reached.
pub const NO_VALUE: i8 = i8::MIN;

/// The answers.
pub struct Answers {
    /// The value of each state: the goal of a single player, or how far the first role is ahead.
    pub values: Blocks<i8>,
    /// Moves to the end with best play.
    pub distances: Blocks<u16>,
}

/// Bytes that the way back takes beside the graph and the values of its ends.
pub fn bytes(states: u64, edges: u64, ascending: bool) -> u64 {
    // A distance each; without an order also a value each, the edges backwards, a place for each state in them, and two
    // lists of states, none of which is in both.
    2 * states + if ascending { 0 } else { states + 4 * edges + 8 * states }
}

/// Solves a graph for so many roles; its lists are used up. `depth` is that of its last layer.
pub fn solve(graph: &mut Graph, roles: usize, depth: usize, watch: Watch<'_>) -> Result<Answers, SolveError> {
    let reach = Reach {
        phase: Phase::Backward,
        states: graph.seen.len() as u64,
        expanded: 0,
        depth,
        edges: graph.edges.len() as u64,
        needed: 0,
    };
    if graph.ascending { in_order(graph, roles, watch, reach) } else { by_layers(graph, roles, watch, reach) }
}

/// Whether the role that decides wants more, and whether it is in a hurry at this value.
fn wishes(kind: Kind, value: i8, roles: usize) -> (bool, bool) {
    let more = kind == Kind::First || roles == 1;
    (more, roles == 1 || (value > 0) == more)
}

/// Every successor has a higher number: one pass.
fn in_order(graph: &mut Graph, roles: usize, watch: Watch<'_>, mut reach: Reach) -> Result<Answers, SolveError> {
    let count = graph.kinds.len();
    let mut values = std::mem::replace(&mut graph.values, Blocks::new());
    let mut distances = Blocks::new();
    (0..count).for_each(|_| distances.push(NO_DISTANCE));
    let mut end = graph.edges.len();
    for at in (0..count).rev() {
        if at.is_multiple_of(1 << 16) {
            reach.expanded = (count - at) as u64;
            ask(watch, &reach)?;
        }
        let kind = graph.kinds.get(at);
        let begin = end - graph.degrees.get(at) as usize;
        if kind == Kind::End {
            if roles == 1 || values.get(at) != 0 {
                distances.set(at, 0);
            }
            continue;
        }
        let mut best: Option<(i8, u16)> = None;
        for edge in begin..end {
            let to = graph.edges.get(edge) as usize;
            let this = (values.get(to), distances.get(to));
            best = Some(best.map_or(this, |best| if better(kind, roles, this, best) { this } else { best }));
        }
        end = begin;
        let (value, distance) = best.unwrap_or((0, NO_DISTANCE));
        values.set(at, value);
        distances.set(at, if distance == NO_DISTANCE { distance } else { one_more(distance)? });
    }
    Ok(Answers { values, distances })
}

/// Whether one answer is better than another for the role that decides.
fn better(kind: Kind, roles: usize, this: (i8, u16), than: (i8, u16)) -> bool {
    let (more, hurry) = wishes(kind, this.0, roles);
    match this.0.cmp(&than.0) {
        std::cmp::Ordering::Equal if hurry => this.1 < than.1,
        std::cmp::Ordering::Equal => this.1 > than.1 && this.1 != NO_DISTANCE,
        order => (order == std::cmp::Ordering::Greater) == more,
    }
}

fn one_more(distance: u16) -> Result<u16, SolveError> {
    distance.checked_add(1).filter(|distance| *distance != NO_DISTANCE).ok_or(SolveError::TooLong)
}

fn ask(watch: Watch<'_>, reach: &Reach) -> Result<(), SolveError> {
    if watch(reach) { Ok(()) } else { Err(SolveError::Stopped(reach.clone())) }
}

/// The edges the other way round.
struct Before {
    /// Where the edges of each state end; those of the first begin at 0.
    ends: Vec<u32>,
    from: Vec<u32>,
}

impl Before {
    fn of(graph: &mut Graph, watch: Watch<'_>, reach: &Reach) -> Result<Before, SolveError> {
        let edges = std::mem::replace(&mut graph.edges, Blocks::new());
        let mut ends = vec![0u32; graph.kinds.len()];
        edges.iter().for_each(|to| ends[to as usize] += 1);
        ask(watch, reach)?;
        let mut sum = 0;
        for end in &mut ends {
            let count = *end;
            *end = sum;
            sum += count;
        }
        let mut from = vec![0u32; edges.len()];
        let mut targets = edges.iter();
        for (number, degree) in graph.degrees.iter().enumerate() {
            for to in targets.by_ref().take(degree as usize) {
                let place = &mut ends[to as usize];
                from[*place as usize] = number as u32;
                *place += 1;
            }
            if number.is_multiple_of(1 << 20) {
                ask(watch, reach)?;
            }
        }
        Ok(Before { ends, from })
    }

    fn of_state(&self, state: u32) -> &[u32] {
        let begin = if state == 0 { 0 } else { self.ends[state as usize - 1] };
        &self.from[begin as usize..self.ends[state as usize] as usize]
    }
}

/// Outcome by outcome, layer by layer.
fn by_layers(graph: &mut Graph, roles: usize, watch: Watch<'_>, reach: Reach) -> Result<Answers, SolveError> {
    let before = Before::of(graph, watch, &reach)?;
    let count = graph.kinds.len();
    let outcomes = std::mem::replace(&mut graph.values, Blocks::new());
    let open = if roles == 1 { NO_VALUE } else { 0 };
    let (mut values, mut distances) = (Blocks::new(), Blocks::new());
    for _ in 0..count {
        values.push(open);
        distances.push(NO_DISTANCE);
    }
    let mut there = vec![false; 256];
    for (kind, outcome) in graph.kinds.iter().zip(outcomes.iter()) {
        there[(outcome as u8) as usize] |= kind == Kind::End;
    }
    let wins = (1..=100i8).rev();
    let levels: Vec<i8> = if roles == 1 { wins.chain([0]).collect() } else { wins.chain(-100..=-1).collect() };
    let mut work = Work { graph, before, outcomes, values, distances, roles, reach };
    for level in levels.into_iter().filter(|level| there[(*level as u8) as usize]) {
        work.level(level, watch)?;
    }
    Ok(Answers { values: work.values, distances: work.distances })
}

struct Work<'a> {
    graph: &'a mut Graph,
    before: Before,
    outcomes: Blocks<i8>,
    values: Blocks<i8>,
    distances: Blocks<u16>,
    roles: usize,
    reach: Reach,
}

impl Work<'_> {
    /// Settles all states of one value.
    fn level(&mut self, level: i8, watch: Watch<'_>) -> Result<(), SolveError> {
        let mut layer: Blocks<u32> = Blocks::new();
        for (at, kind) in self.graph.kinds.iter().enumerate() {
            if kind == Kind::End && self.outcomes.get(at) == level {
                layer.push(at as u32);
            }
        }
        for at in layer.iter() {
            self.values.set(at as usize, level);
            self.distances.set(at as usize, 0);
        }
        let mut distance = 0;
        while layer.len() > 0 {
            self.reach.expanded += layer.len() as u64;
            ask(watch, &self.reach)?;
            distance = one_more(distance)?;
            layer = self.step(&layer, level, distance);
        }
        Ok(())
    }

    /// The states that are settled because those of the layer are.
    fn step(&mut self, layer: &Blocks<u32>, level: i8, distance: u16) -> Blocks<u32> {
        let mut next = Blocks::new();
        for state in layer.iter() {
            for from in self.before.of_state(state) {
                let at = *from as usize;
                if self.distances.get(at) != NO_DISTANCE {
                    continue;
                }
                let (_, wanted) = wishes(self.graph.kinds.get(at), level, self.roles);
                let left = self.graph.degrees.get(at) - 1;
                self.graph.degrees.set(at, left);
                if wanted || left == 0 {
                    self.values.set(at, level);
                    self.distances.set(at, distance);
                    next.push(*from);
                }
            }
        }
        next
    }
}
