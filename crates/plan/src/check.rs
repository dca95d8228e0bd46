//! The proof of a plan, from its file alone: every position is listed, and every play that the file allows is gone through.
//!
//! Nothing is shared with what learned the plan but the form of files and scenes: positions, moves, the values of attributes, the way back
//! from the ends and the play by the plan are worked out here a second time. What attributes mean is taken from the board and the
//! ways that the file itself writes down; what the moves of chess are, or of a game, is not.
//!
//! *Following* a plan: at each position where its side decides, all lines of so many plies are looked at, and each side does its best
//! about what stands at their ends: a win in sight is best, the fewer own moves the better; then come positions where play goes
//! on, whoever is to move in them, by the goals in their order and then by fewer own moves; an end that is not won is worst. Where
//! the plan says so, own positions on the way count like ends: the line stops there if that is better than what comes after. Every
//! move that is equally good is allowed, and every reply. A position is *proven* if no such play from it goes in circles or comes
//! to an end that is not won. Moves over the optimum are those of the longest such play against those of best play.
//!
//! In a chess ending mirror images are one position, and a move that changes the men is an end: won if best play wins from there.
//! The optimum counts as the subject of the file says: plies to mate, or to the winner's own conversion. In a game of one player
//! the ends with the best reward of all are won, in a game of two those where the role has more than the other one.
//!
//! A plan with a rule about repetitions is also followed in games, one from every position that can be won, against the replies that hold out
//! longest. Of equally good moves the one that seems better with two plies fewer is made. Of those that seem equally good then, and of such replies,
//! the file's maker takes the first in an order of its own, and what comes here is the first in another order: both agree but for games that hang on
//! that.
//!
//! Not checked are [these](Plan::unchecked).
//!
//! ```no_run
//! # let text = String::new();
//! let plan = plan::Plan::parse(&text)?;
//! let report = plan::check::ending(&plan, &game::Cancel::new())?;
//! assert!(report.proven() && report.differences().is_empty());
//! # Ok::<(), plan::PlanError>(())
//! ```

use crate::attribute::{Attribute, MOST_STRIKE, Place};
use crate::file::{Goal, Plan, PlanError, Reached, Subject};
use crate::scene::{Cells, Scene, Thing, cells};
use crate::verdict::{Subject as Asked, Test};
use game::{Cancel, Names, Role, Turn};
use rayon::prelude::*;
use std::{collections::HashMap, hash::Hash};

/// What following the plan at one number of plies reaches.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// What was found here; nothing is said about replies drawn at random.
    pub reached: Reached,
    /// What the file says.
    pub claimed: Option<Reached>,
    /// A position that can be won and is not proven, one of those nearest to the win: a FEN, or the facts of a state.
    pub counterexample: Option<String>,
}

/// What was found: first for the plies of the plan, then for all others of which the file says something.
///
/// Then, for each number of plies of which the file says something, about how many positions its rules that tell what is won are right, about how
/// many the file says they are, and how many positions there are. Last, how many games are won by the plan's rule about repetitions, of how many, and
/// what the file says of both.
#[derive(Clone, PartialEq, Debug)]
pub struct Report(pub Vec<Found>, pub Vec<(usize, u64, u64, u64)>, pub Option<[u64; 4]>);

fn wrong<T>(why: impl Into<String>) -> Result<T, PlanError> {
    Err(PlanError(why.into()))
}

fn go_on(cancel: &Cancel) -> Result<(), PlanError> {
    if cancel.is_cancelled() { wrong("stopped") } else { Ok(()) }
}

fn each(set: Cells) -> impl Iterator<Item = usize> {
    cells(set).map(usize::from)
}

fn all(sets: impl Iterator<Item = Cells>) -> Cells {
    sets.fold(0, |all, set| all | set)
}

fn pick(set: Cells, wanted: impl Fn(usize) -> bool) -> Cells {
    all(each(set).filter(|&at| wanted(at)).map(|at| 1 << at))
}

fn these(cells: &[u8]) -> Cells {
    all(cells.iter().map(|cell| 1 << cell))
}

/// The cells that can be got to, by the number of steps.
fn layers(start: usize, next: impl Fn(usize) -> Cells) -> Vec<Cells> {
    let further = |&(last, seen): &(Cells, Cells)| {
        let more = all(each(last).map(&next)) & !seen;
        (more != 0).then_some((more, seen | more))
    };
    std::iter::successors(Some((1 << start, 1 << start)), further).map(|layer| layer.0).collect()
}

/// The ways of one thing from each cell: where to, and what must be empty.
type Ways = Vec<Vec<(usize, Cells)>>;

fn reach(ways: &Ways, from: usize, occupied: Cells) -> Cells {
    all(ways[from].iter().filter(|way| way.1 & occupied == 0).map(|way| 1 << way.0))
}

/// The board of a plan.
struct Eye<'a> {
    plan: &'a Plan,
    /// For each thing, and last for steps to neighbours.
    ways: Vec<Ways>,
    /// For each of those and each cell what can be got to on an empty board.
    layers: Vec<Vec<Vec<Cells>>>,
    /// The edge, the corners, the middle.
    zones: [Cells; 3],
}

impl<'a> Eye<'a> {
    fn new(plan: &'a Plan) -> Result<Eye<'a>, PlanError> {
        // A plan that was put together by hand may not fit together; reading its text finds out.
        Plan::parse(&plan.text())?;
        let (cells, next) = (plan.board.cells.len(), &plan.board.neighbours);
        let mut ways: Vec<Ways> = vec![vec![Vec::new(); cells]; plan.movers.0.len() + 1];
        let steps = (0..).zip(next).flat_map(|(from, list)| list.iter().map(move |&to| (from, to, Vec::new())));
        for (ways, written) in ways.iter_mut().zip(plan.movers.0.iter().chain([&steps.collect()])) {
            written.iter().for_each(|way| ways[usize::from(way.0)].push((usize::from(way.1), these(&way.2))));
        }
        let far = |ways: &Ways| (0..cells).map(|from| layers(from, |cell| reach(ways, cell, 0))).collect();
        let (fewest, most) = (next.iter().map(Vec::len).min(), next.iter().map(Vec::len).max());
        let mut middle = all((0..cells).map(|at| 1 << at));
        let edge = pick(middle, |at| Some(next[at].len()) < most);
        let (corner, mut ring) = (pick(edge, |at| Some(next[at].len()) == fewest), edge);
        while ring != 0 && middle & !ring != 0 {
            middle &= !ring;
            ring = all(each(ring).map(|cell| these(&next[cell]))) & middle;
        }
        Ok(Eye { plan, layers: ways.iter().map(far).collect(), ways, zones: [edge, corner, middle] })
    }

    /// Whose a thing is that is on the same side as another one, or on the other side.
    fn whose(&self, thing: usize, same: bool) -> Option<bool> {
        self.plan.board.things[thing].ours.map(|ours| ours == same)
    }

    /// The things of a side.
    fn side(&self, ours: Option<bool>) -> impl Iterator<Item = usize> {
        (0..self.plan.board.things.len()).filter(move |&it| ours.is_some() && self.plan.board.things[it].ours == ours)
    }

    /// The cells that some things attack when what stands on some cells is gone.
    fn attacked(&self, scene: &Scene, gone: Cells, things: impl Iterator<Item = usize>) -> Cells {
        let standing = things.flat_map(|thing| each(scene.sets[thing] & !gone).map(move |cell| (thing, cell)));
        all(standing.map(|(thing, cell)| reach(&self.ways[thing], cell, scene.occupied() & !gone)))
    }

    /// The cells of the side of a thing.
    fn own(&self, scene: &Scene, thing: usize) -> Cells {
        all(self.side(self.whose(thing, true)).map(|other| scene.sets[other]))
    }

    /// The cells that a thing can ever get to without being attacked. If only one thing is to attack it, all others are thought away.
    fn region(&self, scene: &Scene, thing: usize, by: Option<usize>) -> Cells {
        let (alone, own) = (by.map(|by| scene.sets[by]), self.own(scene, thing));
        let from = |start: usize| {
            let foes = self.side(self.whose(thing, false)).filter(|other| by.is_none_or(|by| by == *other));
            let open = !self.attacked(scene, 1 << start, foes) & (!alone.unwrap_or(own) | 1 << start);
            let occupied = alone.unwrap_or(scene.occupied()) & !(1 << start);
            layers(start, |cell| reach(&self.ways[thing], cell, occupied) & open)
        };
        all(each(scene.sets[thing]).flat_map(from))
    }

    /// Where a thing can go from one of these cells, all others standing still, without being attacked, or where it is at least defended.
    fn onward(&self, scene: &Scene, thing: usize, home: usize, from: Cells, defended: bool) -> Cells {
        let (gone, own) = (1 << home, self.own(scene, thing));
        let attacked = |same: bool| self.attacked(scene, gone, self.side(self.whose(thing, same)));
        let safe = !attacked(false) | if defended { attacked(true) } else { 0 };
        all(each(from).map(|at| reach(&self.ways[thing], at, scene.occupied() & !gone))) & safe & (!own | gone)
    }

    /// How many moves a thing takes to where it attacks all targets at once, and the cells where it does so after one.
    fn strike(&self, scene: &Scene, thing: usize, home: usize, targets: &[usize]) -> (u32, Cells) {
        let (occupied, mut moves, mut from, mut known) = (scene.occupied() & !(1 << home), 0, 1 << home, 1 << home);
        let hits = |at: usize| targets.iter().all(|&it| scene.sets[it] & reach(&self.ways[thing], at, occupied) != 0);
        let found = pick(self.onward(scene, thing, home, from, false) & !from, hits);
        while moves < u32::from(MOST_STRIKE) && !each(from).any(hits) {
            let next = self.onward(scene, thing, home, from & !occupied, false);
            (moves, from, known) = (moves + 1, next & !known, known | next);
        }
        (moves, found)
    }

    fn place(&self, scene: &Scene, place: &Place) -> Cells {
        let reached = |thing: usize| each(scene.sets[thing]).map(move |cell| &self.layers[thing][cell]);
        let anywhere = |thing: usize| all(reached(thing).flatten().copied());
        match place {
            Place::Thing(thing) => scene.sets[*thing],
            Place::Edge => self.zones[0],
            Place::Corner => self.zones[1],
            Place::Middle => self.zones[2],
            Place::CornerOf(thing) => anywhere(*thing) & self.zones[1],
            Place::EndOf(thing) => pick(anywhere(*thing), |at| self.ways[*thing][at].is_empty()),
            Place::Ahead(thing, moves) => all(reached(*thing).filter_map(|far| far.get(usize::from(*moves))).copied()),
            Place::Cells { cells, .. } => these(cells),
        }
    }

    /// The value of an attribute, at most 254; `None` for what cannot be said, which goals count as 255.
    fn value(&self, scene: &Scene, attribute: &Attribute) -> Option<u32> {
        let (sets, occupied) = (&scene.sets, scene.occupied());
        let of = |inner: &Attribute| self.value(scene, inner);
        let near = |by: Option<usize>, from: usize, to: Cells| {
            let far = &self.layers[by.unwrap_or(self.ways.len() - 1)];
            each(sets[from]).map(move |at| far[at].iter().position(|layer| layer & to != 0).map(|steps| steps as u32))
        };
        let place = |place: &Place| self.place(scene, place);
        let at = |thing: &usize| each(sets[*thing]).map(|cell| <[i16; 2]>::from(self.plan.board.places[cell]));
        let pairs = |one, other| at(one).flat_map(move |a| at(other).map(move |b| (a, b)));
        let apart = |a: [i16; 2], b: [i16; 2], axis: usize| u32::from(a[axis].abs_diff(b[axis]));
        let between = |it: [i16; 2], a: [i16; 2], b: [i16; 2]| (0..2).any(|i| (it[i] - a[i]) * (it[i] - b[i]) < 0);
        let counter = |at: &usize| scene.counters[*at].clamp(0, 254) as u32;
        let sum = |it: &usize, to: &dyn Fn(usize) -> Cells| each(sets[*it]).map(|at| to(at).count_ones()).sum::<u32>();
        let strike = |it: usize, targets| each(sets[it]).map(move |home| self.strike(scene, it, home, targets));
        let hit = |it: usize, same: bool| {
            // What is alone does not defend itself.
            let by = self.side(self.whose(it, same)).filter(|&other| other != it || sets[it].count_ones() > 1);
            sets[it] & self.attacked(scene, 0, by)
        };
        let value = match attribute {
            Attribute::Count(thing) => sets[*thing].count_ones(),
            Attribute::Distance { by, from, to } => near(*by, *from, place(to)).flatten().min()?,
            Attribute::Distances { by, from, to } => near(*by, *from, place(to)).map(|n| n.unwrap_or(50).min(50)).sum(),
            Attribute::Moves(it) => sum(it, &|at| reach(&self.ways[*it], at, occupied) & !self.own(scene, *it)),
            Attribute::Escapes(it) => sum(it, &|at| self.onward(scene, *it, at, 1 << at, false)),
            Attribute::Havens(it) => sum(it, &|at| self.onward(scene, *it, at, 1 << at, true)),
            Attribute::Aside(a, b) => pairs(a, b).map(|(a, b)| apart(a, b, 0).min(apart(a, b, 1))).min()?,
            Attribute::Across(a, b) => pairs(a, b).map(|(a, b)| apart(a, b, 0)).min()?,
            Attribute::Between(it, a, b) => at(it).any(|it| pairs(a, b).any(|(a, b)| between(it, a, b))).into(),
            Attribute::Up(thing) => at(thing).map(|place| place[1].max(0) as u32).max()?,
            Attribute::On(thing, cell) => (sets[*thing] & 1 << cell != 0).into(),
            Attribute::Home(pairs) => pairs.iter().filter(|pair| sets[pair.0] & 1 << pair.1 != 0).count() as u32,
            Attribute::Astray(pairs) => {
                let by = |thing: usize| self.ways[thing].iter().any(|ways| !ways.is_empty()).then_some(thing);
                let far = |it: usize, cell: u8| near(by(it), it, 1 << cell).flatten().min().map_or(50, |n| n.min(50));
                pairs.iter().map(|&(thing, cell)| far(thing, cell)).sum()
            }
            Attribute::Attacked(thing) => hit(*thing, false).count_ones(),
            Attribute::Defended(thing) => hit(*thing, true).count_ones(),
            Attribute::Loose(thing) => (hit(*thing, false) & !hit(*thing, true)).count_ones(),
            Attribute::Region(thing) => self.region(scene, *thing, None).count_ones(),
            Attribute::Room { thing, by } => self.region(scene, *thing, Some(*by)).count_ones(),
            Attribute::Kept { thing, from } => near(None, *from, self.region(scene, *thing, None)).flatten().min()?,
            Attribute::Strikes { thing, targets } => strike(*thing, targets).map(|found| found.1.count_ones()).sum(),
            Attribute::Strike { thing, targets } => strike(*thing, targets).map(|found| found.0).min()?,
            Attribute::Controlled { ours } => self.attacked(scene, 0, self.side(Some(*ours))).count_ones(),
            Attribute::Blocked { thing, target } => {
                let lines = each(sets[*thing])
                    .flat_map(|at| &self.ways[*thing][at])
                    .filter(|way| 1 << way.0 & sets[*target] != 0);
                lines.map(|way| u32::from(way.1 & occupied != 0)).min().unwrap_or(2)
            }
            Attribute::Fetch { what, cell, .. } if sets[*what] & 1 << cell != 0 => 0,
            Attribute::Fetch { thing, at, .. } => near(Some(*thing), *thing, these(at)).flatten().min()?,
            Attribute::Counter(at) => counter(at),
            Attribute::Nim(list) => list.iter().fold(0, |sum, at| sum ^ counter(at)),
            Attribute::Modulo(inner, by) => of(inner)? % u32::from(*by).max(1),
            Attribute::Times(first, second) => of(first)? * of(second)?,
            Attribute::Beyond(inner, by) => of(inner)?.saturating_sub((*by).into()),
            Attribute::UpTo(inner, by) => of(inner)?.min((*by).into()),
            Attribute::Off(inner, by) => of(inner)?.abs_diff((*by).into()),
            Attribute::Sum(list) => list.iter().map(|(by, it)| Some(u32::from(*by) * of(it)?)).sum::<Option<_>>()?,
        };
        Some(value.min(254))
    }

    /// The value of an attribute of the plan.
    fn number(&self, scene: &Scene, attribute: usize) -> i32 {
        self.value(scene, &self.plan.attributes[attribute]).unwrap_or(255) as i32
    }

    /// Whether tests hold where the side of the plan is to move, or not.
    fn holds(&self, scene: &Scene, tests: &[Test], ours: Option<bool>) -> bool {
        let (ours, number) = (ours == Some(true), |at| self.number(scene, at));
        let value = |subject| match subject {
            Asked::OurMove => ours.into(),
            Asked::Attribute(at) => number(at),
            Asked::Difference(first, second) => (100 + number(first) - number(second)).clamp(0, 200),
            Asked::Race(one, two) => (100 + 2 * (number(one) - number(two)) + i32::from(!ours)).clamp(0, 200),
        };
        let side = |test: &Test| if test.at_most { 1 } else { -1 };
        tests.iter().all(|test| side(test) * value(test.subject) <= side(test) * i32::from(test.bound))
    }
}

/// A position: whether the side of the plan decides, or `None` where it is over; what it is worth to that side, 0 if it is not won, and where play
/// goes on only when solved; plies to the win with best play, when solved; what follows.
struct Node {
    ours: Option<bool>,
    worth: u8,
    plies: u16,
    next: Vec<usize>,
}

/// All positions.
struct Graph(Vec<Node>);

/// The score of an end that is not won. Those below 256 are wins by own moves, others are ranks by goals and own moves.
const LOST: u64 = u64::MAX;
/// Tells a position.
type Tell<'a> = dyn Fn(usize) -> String + 'a;

impl Graph {
    /// Finds what can be won, the greatest worth first, and in how many plies. Some moves are wins themselves.
    fn solve(&mut self, wins: impl Fn(usize, usize) -> bool + Sync, cancel: &Cancel) -> Result<(), PlanError> {
        self.0.iter_mut().filter(|node| node.ours.is_some()).for_each(|node| (node.worth, node.plies) = (0, 0));
        let levels = (1..=u8::MAX).rev().filter(|level| self.0.iter().any(|node| node.worth == *level));
        for level in levels.collect::<Vec<_>>() {
            for plies in 1..u16::MAX {
                go_on(cancel)?;
                let new = self.0.par_iter().enumerate().filter(|(at, node)| {
                    let settled = |to: &usize| self.0[*to].worth >= level || wins(*at, *to);
                    let mut next = node.next.iter();
                    let decided = |ours| if ours { next.any(settled) } else { next.all(settled) };
                    node.worth == 0 && node.ours.is_some_and(decided)
                });
                let new: Vec<usize> = new.map(|(at, _)| at).collect();
                new.iter().for_each(|&at| (self.0[at].worth, self.0[at].plies) = (level, plies));
                if new.is_empty() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The place of each position in the order that the goals make.
    fn ranks(&self, eye: &Eye<'_>, scenes: &[Scene]) -> Vec<u64> {
        // A goal under conditions and those after it up to one without are cases: the first that holds counts.
        let goals = || eye.plan.goals.chunk_by(|goal, _| !goal.when.is_empty());
        let sums = |(node, scene): (&Node, &Scene)| -> Vec<i32> {
            let holds = |goal: &&Goal| eye.holds(scene, &goal.when, node.ours);
            let sum = |goal: &Goal| goal.parts.iter().fold(goal.base, |sum, p| sum + p.1 * eye.number(scene, p.0));
            goals().map(|cases| cases.iter().find(holds).map_or(0, sum)).collect()
        };
        let sums: Vec<Vec<i32>> = self.0.par_iter().zip(scenes).map(sums).collect();
        let mut order: Vec<&Vec<i32>> = sums.iter().collect();
        order.par_sort_unstable();
        order.dedup();
        sums.par_iter().map(|sums| order.partition_point(|other| *other < sums) as u64).collect()
    }

    /// What a move to each position is worth when so many plies are looked ahead, and own positions on the way count or not.
    fn scores(&self, ranks: &[u64], plies: usize, met: bool) -> Vec<u64> {
        let end = |node: &Node| if node.worth > 0 { 0 } else { LOST };
        let leaf = |(node, rank): (&Node, &u64)| if node.ours.is_some() { (rank + 1) << 8 } else { end(node) };
        let leaves: Vec<u64> = self.0.iter().zip(ranks).map(leaf).collect();
        let back = |scores: Vec<u64>, _| {
            let one = |(node, leaf): (&Node, &u64)| {
                let next = node.next.iter().map(|&to| scores[to]);
                match node.ours {
                    Some(true) => next.min().unwrap_or(LOST).saturating_add(1).min(if met { *leaf } else { LOST }),
                    Some(false) => next.max().unwrap_or(LOST),
                    None => *leaf,
                }
            };
            self.0.par_iter().zip(&leaves).map(one).collect()
        };
        (1..plies).fold(leaves.clone(), back)
    }

    /// About how many positions rules are right, read with so many plies: as play by a plan whose only goal is to be told that it is won.
    fn told(&self, eye: &Eye<'_>, scenes: &[Scene]) -> Vec<(usize, u64, u64, u64)> {
        let Some(verdict) = &eye.plan.verdict else { return Vec::new() };
        let rank = |(node, scene): (&Node, &Scene)| {
            let rule = verdict.rules.iter().find(|rule| eye.holds(scene, &rule.tests, node.ours));
            u64::from(!rule.is_some_and(|rule| rule.won))
        };
        let ranks: Vec<u64> = self.0.par_iter().zip(scenes).map(rank).collect();
        let read = |&(plies, claimed): &(usize, u64)| {
            let scores = self.scores(&ranks, plies + 1, false);
            let inside = self.0.iter().zip(scores).filter(|(node, _)| node.ours.is_some());
            let right = inside.clone().filter(|(node, score)| (*score < 512) == (node.worth > 0)).count();
            (plies, right as u64, claimed, inside.count() as u64)
        };
        [(verdict.plies, verdict.right)].iter().chain(&verdict.read).map(read).collect()
    }

    /// Whether a game is won in which the first of so many of the best moves is made that leads to what was not there.
    fn game(&self, [scores, sooner]: [&[u64]; 2], start: usize, among: usize, limit: u16) -> bool {
        let (mut at, mut seen) = (start, vec![start]);
        while let Some(ours) = self.0[at].ours {
            let mut moves = self.0[at].next.clone();
            moves.retain(|to| !ours || scores[*to] != LOST);
            let held = |to: usize| (u64::from(self.0[to].worth > 0), u64::from(!self.0[to].plies), to);
            moves.sort_unstable_by_key(|&to| if ours { (scores[to], sooner[to], to) } else { held(to) });
            let new = moves.iter().take(among).find(|to| !ours || !seen.contains(to)).or(moves.first());
            let over = ours && (self.0[at].worth == 0 || seen.len() > limit.into());
            let Some(&to) = new.filter(|_| !over) else { return false };
            seen.extend(Some(to).filter(|_| ours));
            at = to;
        }
        self.0[at].worth > 0
    }

    /// What following the plan reaches of what can be won.
    fn report(&self, plan: &Plan, scenes: &[Scene], tell: &Tell<'_>, cancel: &Cancel) -> Result<Report, PlanError> {
        let (eye, alone) = (Eye::new(plan)?, self.0.iter().all(|node| node.ours != Some(false)));
        let (ranks, met) = (self.ranks(&eye, scenes), !plan.reading.is_usual());
        let can_win = |node: &Node| node.ours == Some(true) && node.worth > 0;
        let starts: Vec<usize> = (0..self.0.len()).filter(|&at| can_win(&self.0[at])).collect();
        let claims = plan.reached.iter().map(|claimed| claimed.plies).filter(|plies| *plies != plan.plies);
        let mut report = Report(Vec::new(), self.told(&eye, scenes), None);
        for plies in [plan.plies].into_iter().chain(claims) {
            // Only moves of the best score are left, and the other side chooses among these too. What is won then is proven.
            let scores = self.scores(&ranks, plies, met);
            let left = |node: &Node| {
                let best = node.next.iter().map(|&to| scores[to]).min().filter(|_| node.ours == Some(true));
                let next = node.next.iter().copied().filter(|&to| best.is_none_or(|best| scores[to] == best)).collect();
                Node { ours: node.ours.and(Some(false)), worth: node.worth.min(1), next, ..*node }
            };
            let mut play = Graph(self.0.iter().map(left).collect());
            play.solve(|_, _| false, cancel)?;
            let (proven, others): (Vec<_>, Vec<_>) = starts.iter().copied().partition(|at| play.0[*at].worth > 0);
            let moves = |graph: &Graph, at: usize| graph.0[at].plies.div_ceil(if alone { 1 } else { 2 });
            let over = |at: &usize| moves(&play, *at).saturating_sub(moves(self, *at));
            let excess = proven.iter().map(|at| f64::from(over(at))).sum::<f64>() / proven.len().max(1) as f64;
            let (won, worst) = (proven.len() as u64, proven.iter().map(over).max().unwrap_or(0));
            let reached = Reached { plies, positions: starts.len() as u64, won, excess, worst, random: None };
            let claimed = plan.reached.iter().find(|claimed| claimed.plies == plies).cloned();
            let nearest = others.into_iter().min_by_key(|at| self.0[*at].plies);
            report.0.push(Found { reached, claimed, counterexample: nearest.map(tell) });
        }
        if let (Some(among), Some(claim)) = (plan.avoid, plan.avoiding(false)) {
            let fewer = if met || plan.plies < 3 { plan.plies } else { plan.plies - 2 };
            let (scores, sooner) = (self.scores(&ranks, plan.plies, met), self.scores(&ranks, fewer, met));
            let is_won = |start: &&usize| self.game([&scores, &sooner], **start, among, claim.limit);
            let won = starts.par_iter().filter(is_won).count();
            report.2 = Some([won as u64, starts.len() as u64, claim.won, claim.games]);
        }
        Ok(report)
    }
}

/// Whether the side of the plan decides in a state, what it is worth if it is over, and what follows.
type Expanded<S> = Result<(Option<bool>, u8, Vec<S>), PlanError>;

/// Lists all that can be reached from some states.
fn list<S: Clone + Eq + Hash + Send + Sync>(
    mut states: Vec<S>,
    expand: impl Fn(&S) -> Expanded<S> + Sync,
    cancel: &Cancel,
) -> Result<(Graph, Vec<S>), PlanError> {
    let mut graph = Graph(Vec::new());
    let mut number: HashMap<S, usize> = states.iter().cloned().zip(0..).collect();
    while graph.0.len() < states.len() {
        go_on(cancel)?;
        let part = states[graph.0.len()..].par_iter().take(1 << 14);
        for (ours, worth, next) in part.map(&expand).collect::<Result<Vec<_>, _>>()? {
            let next = next.into_iter().map(|state| {
                *number.entry(state).or_insert_with_key(|state| {
                    states.push(state.clone());
                    states.len() - 1
                })
            });
            graph.0.push(Node { ours, worth, plies: 0, next: next.collect() });
        }
    }
    Ok((graph, states))
}

/// A man of chess: 0 for white or 1 for black, its place in [`KINDS`], its square.
type Man = (u8, u8, u8);
/// The men of a position in order, and who is to move.
type Position = ([Man; 4], u8);
/// No man, where there are fewer than four.
const NOBODY: Man = (2, 9, 0);
const KINDS: [&str; 6] = ["king", "queen", "rook", "bishop", "knight", "pawn"];
const LETTERS: &str = "KQRBNPkqrbnp";
const PAWN: u8 = 5;
/// Steps like a rook, a bishop and a knight on a board 16 wide, of which the right half is not there.
const STEPS: [i16; 16] = [1, -1, 16, -16, 15, 17, -15, -17, 14, 18, 31, 33, -14, -18, -31, -33];

fn attacks((colour, kind, from): Man, occupied: u64) -> u64 {
    let steps = [0..8, 0..8, 0..4, 4..8, 8..16, if colour == 0 { 4..6 } else { 6..8 }][usize::from(kind)].clone();
    let mut set = 0;
    for step in &STEPS[steps] {
        let mut at = i16::from(from + (from & 56)) + step;
        while at & 0x88 == 0 {
            let square = 1 << ((at + (at & 7)) / 2);
            set |= square;
            at = if (1..=3).contains(&kind) && occupied & square == 0 { at + step } else { -1 };
        }
    }
    set
}

fn squares(men: &[Man; 4], wanted: impl Fn(&Man) -> bool) -> u64 {
    men.iter().filter(|man| man.0 < 2 && wanted(man)).fold(0, |set, man| set | 1 << man.2)
}

fn in_check(men: &[Man; 4], side: u8) -> bool {
    let (occupied, king) = (squares(men, |_| true), squares(men, |man| (man.0, man.1) == (side, 0)));
    men.iter().any(|man| man.0 == 1 - side && attacks(*man, occupied) & king != 0)
}

/// The one of all mirror images that stands for them: pawns know up from down.
fn canonical((men, side): Position) -> Position {
    let image = |mirrors: u8| {
        let swapped = |at: u8| if mirrors & 4 == 0 { at } else { at % 8 * 8 + at / 8 };
        let square = |at: u8| swapped(at) ^ [0, 7, 56, 63][usize::from(mirrors & 3)];
        let mut image = men.map(|man| if man.0 < 2 { (man.0, man.1, square(man.2)) } else { man });
        image.sort_unstable();
        (image, side)
    };
    (0..if men.iter().any(|man| man.1 == PAWN) { 2 } else { 8 }).map(image).min().unwrap_or((men, side))
}

/// The positions after all legal moves. There is no castling, and no taking in passing where only one side has pawns.
fn moves(&(men, side): &Position) -> Vec<Position> {
    let (occupied, own) = (squares(&men, |_| true), squares(&men, |man| man.0 == side));
    let mut list = Vec::new();
    for (at, &man) in men.iter().enumerate().filter(|(_, man)| man.0 == side) {
        let mut targets = attacks(man, occupied) & !own;
        if man.1 == PAWN {
            let ahead = |set: u64| if side == 0 { set << 8 } else { set >> 8 } & !occupied;
            let one = ahead(1 << man.2);
            targets = targets & occupied | one | ahead(one & if side == 0 { 0xff << 16 } else { 0xff << 40 });
        }
        for to in cells(targets.into()) {
            let mut next = men.map(|other| if other.2 == to { NOBODY } else { other });
            for kind in if man.1 == PAWN && !(8..56).contains(&to) { 1..PAWN } else { man.1..man.1 + 1 } {
                next[at] = (side, kind, to);
                list.extend((!in_check(&next, side)).then(|| canonical((next, 1 - side))));
            }
        }
    }
    list
}

/// All positions of some men.
fn placements(men: &[Man]) -> Vec<Position> {
    let place = |code: u64| {
        let square = |at: usize| (code >> (6 * at) & 63) as u8;
        let placed = std::array::from_fn(|at| men.get(at).map_or(NOBODY, |man| (man.0, man.1, square(at))));
        let side = (code >> (6 * men.len())) as u8;
        let apart = squares(&placed, |_| true).count_ones() as usize == men.len();
        let home = squares(&placed, |man| man.1 == PAWN && !(8..56).contains(&man.2)) != 0;
        let legal = apart && !home && !in_check(&placed, 1 - side) && canonical((placed, side)) == (placed, side);
        legal.then_some((placed, side))
    };
    (0..2 << (6 * men.len())).into_par_iter().filter_map(place).collect()
}

/// Checks the plan of a chess ending of at most four men, of which only one side has pawns.
pub fn ending(plan: &Plan, cancel: &Cancel) -> Result<Report, PlanError> {
    let Subject::Ending { material, metric } = &plan.subject else { return wrong("not the plan of a chess ending") };
    let name = |man: &Man| format!("{} {}", ["white", "black"][usize::from(man.0)], KINDS[usize::from(man.1)]);
    let man = |(at, kind)| (u8::from(Some(at) >= material.rfind('K')), LETTERS[..6].find(kind).unwrap_or(0) as u8, 0);
    let mut men: Vec<Man> = material.char_indices().map(man).collect();
    men.sort_unstable();
    let thing = |thing: &Thing| men.iter().copied().find(|man| name(man) == thing.name);
    let things: Vec<Man> = plan.board.things.iter().filter_map(thing).collect();
    let pawns = (0..2).filter(|&side| men.contains(&(side, PAWN, 0))).count();
    let kings = men.iter().filter(|man| man.1 == 0).map(|man| man.0).eq(0..2) && material.starts_with('K');
    let named = (0..64).map(|at| format!("{}{}", char::from(b'a' + at % 8), at / 8 + 1)).eq(plan.board.cells.clone());
    let (few, all) = (men.len() <= 4 && pawns < 2 && kings, things.len() == plan.board.things.len() && named);
    let [conversion, mate] = [["dtc", "conversion"], ["dtm", "mate"]].map(|names| names.contains(&metric.as_str()));
    if !few || !all || !(conversion || mate) {
        return wrong("not an ending of at most four men with pawns of one side, or not its board, or no known metric");
    }
    let expand = |position: &Position| {
        let next = moves(position);
        Ok(((!next.is_empty()).then_some(position.1 == 0), (next.is_empty() && in_check(&position.0, 1)).into(), next))
    };
    let (mut graph, positions) = list(placements(&men), expand, cancel)?;
    graph.solve(|_, _| false, cancel)?;
    let kinds = |at: usize| positions[at].0.map(|man| man.1);
    if conversion {
        // What white turns into something that is won counts no further.
        let won: Vec<bool> = graph.0.iter().map(|node| node.worth > 0).collect();
        graph.solve(|from, to| won[to] && positions[from].1 == 0 && kinds(from) != kinds(to), cancel)?;
    }
    (0..positions.len()).filter(|&at| kinds(at) != kinds(0)).for_each(|at| graph.0[at].ours = None);
    let stands = |at: usize, thing: &Man| squares(&positions[at].0, |man| (man.0, man.1) == (thing.0, thing.1)).into();
    let scene = |at| Scene { sets: things.iter().map(|man| stands(at, man)).collect(), counters: Vec::new() };
    let scenes: Vec<Scene> = (0..positions.len()).map(scene).collect();
    let letter = |man: Man| (LETTERS.chars().nth(usize::from(man.0 * 6 + man.1)), man.2);
    let tell = |at: usize| crate::words::fen(&positions[at].0.map(letter), positions[at].1 == 0);
    graph.report(plan, &scenes, &tell, cancel)
}

/// Makes of the facts of a state what stands where.
pub type Read<'a> = dyn FnMut(&[String]) -> Result<Scene, String> + 'a;

/// Checks the plan of a game of one player, or of two who decide in turn.
///
/// The file does not say how facts are read: `read` makes of the facts of a state what stands where, in the numbers of the plan's
/// board. It is for the caller to see that the game is the one that the plan is for (its identity), and that the states are not too
/// many. An engine that shares little with the one that the plan was learned with, such as the prover, makes the better proof.
pub fn game<G: Names>(plan: &Plan, game: &G, read: &mut Read<'_>, cancel: &Cancel) -> Result<Report, PlanError> {
    let Subject::Game { role, .. } = &plan.subject else { return wrong("not the plan of a game") };
    let found = game::roles(game).find(|&one| game.role_name(one) == role);
    let (Some(role), 1..=2) = (found, game.roles()) else { return wrong("no such role, or more than two") };
    let (mut graph, states) = list(vec![game.start()], |state| expand(game, role, &mut game.view(), state), cancel)?;
    if game.roles() == 1 {
        let best = graph.0.iter().map(|node| node.worth).max().unwrap_or(0);
        graph.0.iter_mut().for_each(|node| node.worth = u8::from(node.worth == best && best > 0));
    }
    graph.solve(|_, _| false, cancel)?;
    let scenes = states.iter().map(|it| read(&game.facts(it)).map_err(PlanError)).collect::<Result<Vec<_>, _>>()?;
    let fits = |scene: &Scene| {
        let inside = scene.occupied().checked_shr(plan.board.cells.len() as u32).unwrap_or(0) == 0;
        inside && (scene.sets.len(), scene.counters.len()) == (plan.board.things.len(), plan.board.counters.len())
    };
    if !scenes.iter().all(fits) {
        return wrong("what stands where in a state does not fit the board of the plan");
    }
    graph.report(plan, &scenes, &|at| game.facts(&states[at]).join(" "), cancel)
}

/// Ends are worth how much more the role has than the other one; to a single player by one more than the reward.
fn expand<G: Names>(game: &G, role: Role, view: &mut G::View, state: &G::State) -> Expanded<G::State> {
    game.look(state, view)?;
    let turn = game.turn(view);
    let mut legal = vec![Vec::new(); game.roles()];
    let lists = game::roles(game).zip(&mut legal).filter(|_| turn != Turn::Over);
    lists.for_each(|(role, moves)| game.legal(view, role, moves));
    if legal.iter().any(Vec::is_empty) {
        let mut worth = i16::from(game.roles() == 1);
        for one in game::roles(game) {
            worth += i16::from(game.goal(view, one)?.unwrap_or(0).min(100)) * if one == role { 1 } else { -1 };
        }
        return Ok((None, worth.max(0) as u8, Vec::new()));
    }
    let Turn::One(Role(chooser)) = turn else { return wrong("several roles decide at the same time") };
    let mut joint: Vec<_> = legal.iter().map(|moves| moves[0]).collect();
    let mut next = vec![game.start(); legal[usize::from(chooser)].len()];
    for (next, &mv) in next.iter_mut().zip(&legal[usize::from(chooser)]) {
        joint[usize::from(chooser)] = mv;
        game.play(view, &joint, next)?;
    }
    Ok((Some(chooser == role.0), 0, next))
}
