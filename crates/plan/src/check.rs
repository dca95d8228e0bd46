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
//! ```no_run
//! # let text = String::new();
//! let plan = plan::Plan::parse(&text)?;
//! let report = plan::check::ending(&plan, &game::Cancel::new())?;
//! assert!(report.proven() && report.differences().is_empty());
//! # Ok::<(), plan::PlanError>(())
//! ```

mod sums;

use crate::attribute::{Attribute, MOST_STRIKE, Place};
use crate::file::{Goal, Plan, PlanError, Reached, Subject};
use crate::scene::{Cells, Scene};
use crate::verdict::{Subject as Tested, Test, Verdict};
use game::{Cancel, Names, Role, Turn};
use rayon::prelude::*;
use std::{collections::HashMap, hash::Hash};
pub use sums::Played;

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
/// Then, for each number of plies of which the file says something, about how many positions its rules that tell what is won are right, what the
/// file says of that, and how many positions there are. Last, what games by its sums by cases come to.
#[derive(Clone, PartialEq, Debug)]
pub struct Report(pub Vec<Found>, pub Vec<Told>, pub Vec<Played>);

/// Plies, positions about which rules are right, those that the file says, and all positions.
pub type Told = (usize, u64, u64, u64);

fn wrong<T>(why: impl Into<String>) -> Result<T, PlanError> {
    Err(PlanError(why.into()))
}

fn go_on(cancel: &Cancel) -> Result<(), PlanError> {
    if cancel.is_cancelled() { wrong("stopped") } else { Ok(()) }
}

fn each(set: Cells) -> impl Iterator<Item = usize> {
    let rest = std::iter::successors(Some(set), |set| Some(set & set.wrapping_sub(1)));
    rest.take_while(|set| *set != 0).map(|set| set.trailing_zeros() as usize)
}

fn all(sets: impl Iterator<Item = Cells>) -> Cells {
    sets.fold(0, |all, set| all | set)
}

/// The cells that can be got to, by the number of steps.
fn layers(start: usize, next: impl Fn(usize) -> Cells) -> Vec<Cells> {
    let (mut seen, mut list) = (0, vec![1 << start]);
    while let Some(&last) = list.last().filter(|last| **last != 0) {
        seen |= last;
        list.push(all(each(last).map(&next)) & !seen);
    }
    list
}

/// The ways of one thing from each cell: where to, and what must be empty.
type Ways = Vec<Vec<(usize, Cells)>>;

fn these(cells: &[u8]) -> Cells {
    all(cells.iter().map(|cell| 1 << cell))
}

fn reach(ways: &Ways, from: usize, occupied: Cells) -> Cells {
    all(ways[from].iter().filter(|way| way.1 & occupied == 0).map(|way| 1 << way.0))
}

/// The board of a plan, for reading the values of attributes off positions.
struct Eye<'a> {
    plan: &'a Plan,
    /// For each thing, and last for steps to neighbours.
    ways: Vec<Ways>,
    /// For each of those and each cell what can be got to on an empty board.
    layers: Vec<Vec<Vec<Cells>>>,
    /// Whose each thing is.
    ours: Vec<Option<bool>>,
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
            for (from, to, empty) in written {
                ways[usize::from(*from)].push((usize::from(*to), these(empty)));
            }
        }
        let far = |ways: &Ways| (0..cells).map(|from| layers(from, |cell| reach(ways, cell, 0))).collect();
        let those = |want: &dyn Fn(usize) -> bool| all((0..cells).filter(|&at| want(next[at].len())).map(|at| 1 << at));
        let (fewest, most) = (next.iter().map(Vec::len).min(), next.iter().map(Vec::len).max());
        let edge = those(&|neighbours| Some(neighbours) < most);
        let corner = those(&|neighbours| Some(neighbours) == fewest && fewest < most);
        let (mut middle, mut ring) = (those(&|_| true), edge);
        while ring != 0 && middle & !ring != 0 {
            middle &= !ring;
            ring = all(each(ring).flat_map(|cell| &next[cell]).map(|cell| 1 << cell)) & middle;
        }
        let ours = plan.board.things.iter().map(|thing| thing.ours).collect();
        Ok(Eye { plan, layers: ways.iter().map(far).collect(), ways, ours, zones: [edge, corner, middle] })
    }

    /// The cells that the things of a side attack, those things left out that are not wanted.
    fn attacked(&self, scene: &Scene, side: Option<bool>, occupied: Cells, wanted: impl Fn(usize) -> bool) -> Cells {
        let things = (0..scene.sets.len()).filter(|&thing| side.is_some() && self.ours[thing] == side && wanted(thing));
        let standing = things.flat_map(|thing| each(scene.sets[thing]).map(move |cell| (thing, cell)));
        all(standing.map(|(thing, cell)| reach(&self.ways[thing], cell, occupied)))
    }

    /// Where the other side attacks when a thing has left its cell.
    fn danger(&self, scene: &Scene, thing: usize, cell: usize, by: Option<usize>) -> Cells {
        let (foe, occupied) = (self.ours[thing].map(|ours| !ours), scene.occupied() & !(1 << cell));
        self.attacked(scene, foe, occupied, |other| by.is_none_or(|by| by == other))
    }

    /// The cells of the side of a thing.
    fn side(&self, scene: &Scene, thing: usize) -> Cells {
        let same = |other: &usize| self.ours[thing].is_some() && self.ours[*other] == self.ours[thing];
        all((0..scene.sets.len()).filter(same).map(|other| scene.sets[other]))
    }

    /// Where a thing can ever get to without being attacked. If only one thing is to attack it, all others are thought away.
    fn region(&self, scene: &Scene, thing: usize, by: Option<usize>) -> Cells {
        let from = |start: usize| {
            let (others, alone) = (scene.occupied() & !(1 << start), by.map(|by| scene.sets[by]));
            let closed = alone.unwrap_or(self.side(scene, thing) & others) | self.danger(scene, thing, start, by);
            layers(start, |cell| reach(&self.ways[thing], cell, alone.unwrap_or(others)) & !closed)
        };
        all(each(scene.sets[thing]).flat_map(from))
    }

    /// Where a thing can go from one of these cells, all others standing still, without being attacked, or where it is at least defended.
    fn onward(&self, scene: &Scene, thing: usize, home: usize, from: Cells, defended: bool) -> Cells {
        let mut others = scene.clone();
        others.sets[thing] &= !(1 << home);
        let occupied = others.occupied();
        let guard = if defended { self.attacked(&others, self.ours[thing], occupied, |_| true) } else { 0 };
        let foe = self.attacked(&others, self.ours[thing].map(|ours| !ours), occupied, |_| true);
        all(each(from).map(|at| reach(&self.ways[thing], at, occupied))) & !self.side(&others, thing) & (guard | !foe)
    }

    /// The moves of a thing to where it attacks all targets at once, for each of its cells; with the cells where it does so after one.
    fn strikes(&self, scene: &Scene, thing: usize, targets: &[usize]) -> Vec<(u32, Cells)> {
        let strike = |home: usize| {
            let occupied = scene.occupied() & !(1 << home);
            let hits = |at: &usize| {
                let seen = reach(&self.ways[thing], *at, occupied);
                targets.iter().all(|&target| scene.sets[target] & seen != 0)
            };
            let first = self.onward(scene, thing, home, 1 << home, false) & !(1 << home);
            let found = all(each(first).filter(hits).map(|at| 1 << at));
            let (mut moves, mut from, mut known) = (0, 1 << home, 1 << home);
            while moves < u32::from(MOST_STRIKE) && !each(from).any(|at| hits(&at)) {
                let next = self.onward(scene, thing, home, from & !occupied, false);
                (moves, from, known) = (moves + 1, next & !known, known | next);
            }
            (moves, found)
        };
        each(scene.sets[thing]).map(strike).collect()
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
            Place::EndOf(thing) => {
                all(each(anywhere(*thing)).filter(|&at| self.ways[*thing][at].is_empty()).map(|at| 1 << at))
            }
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
        let counter = |at: &usize| scene.counters[*at].clamp(0, 254) as u32;
        // The cells of a thing that are attacked, and those that are defended: what is alone does not defend itself.
        let hits = |thing: &usize| {
            let others = |other: usize| other != *thing || sets[*thing].count_ones() > 1;
            let (own, foe) = (self.ours[*thing], self.ours[*thing].map(|ours| !ours));
            let sides = [self.attacked(scene, foe, occupied, |_| true), self.attacked(scene, own, occupied, others)];
            sides.map(|side| side & sets[*thing])
        };
        let value = match attribute {
            Attribute::Count(thing) => sets[*thing].count_ones(),
            Attribute::Distance { by, from, to } => near(*by, *from, place(to)).flatten().min()?,
            Attribute::Distances { by, from, to } => near(*by, *from, place(to)).map(|n| n.unwrap_or(50).min(50)).sum(),
            Attribute::Moves(thing) | Attribute::Escapes(thing) => {
                let safe = matches!(attribute, Attribute::Escapes(_));
                let shut = |at| self.side(scene, *thing) | if safe { self.danger(scene, *thing, at, None) } else { 0 };
                each(sets[*thing]).map(|at| (reach(&self.ways[*thing], at, occupied) & !shut(at)).count_ones()).sum()
            }
            Attribute::Aside(a, b) => {
                pairs(a, b).map(|(a, b)| a[0].abs_diff(b[0]).min(a[1].abs_diff(b[1])).into()).min()?
            }
            Attribute::Across(a, b) => pairs(a, b).map(|(a, b)| a[0].abs_diff(b[0]).into()).min()?,
            Attribute::Between(thing, a, b) => {
                at(thing).any(|it| pairs(a, b).any(|(a, b)| (0..2).any(|i| (it[i] - a[i]) * (it[i] - b[i]) < 0))).into()
            }
            Attribute::Up(thing) => at(thing).map(|place| place[1].max(0) as u32).max()?,
            Attribute::On(thing, cell) => (sets[*thing] & 1 << cell != 0).into(),
            Attribute::Home(pairs) => pairs.iter().filter(|pair| sets[pair.0] & 1 << pair.1 != 0).count() as u32,
            Attribute::Astray(pairs) => {
                let by = |thing: usize| self.ways[thing].iter().any(|ways| !ways.is_empty()).then_some(thing);
                let far = |&(thing, cell): &(usize, u8)| near(by(thing), thing, 1 << cell).flatten().min();
                pairs.iter().map(|pair| far(pair).map_or(50, |steps| steps.min(50))).sum()
            }
            Attribute::Attacked(thing) => hits(thing)[0].count_ones(),
            Attribute::Defended(thing) => hits(thing)[1].count_ones(),
            Attribute::Loose(thing) => hits(thing).into_iter().reduce(|attacked, safe| attacked & !safe)?.count_ones(),
            Attribute::Region(thing) => self.region(scene, *thing, None).count_ones(),
            Attribute::Room { thing, by } => self.region(scene, *thing, Some(*by)).count_ones(),
            Attribute::Kept { thing, from } => near(None, *from, self.region(scene, *thing, None)).flatten().min()?,
            Attribute::Havens(thing) => {
                let havens = |at: usize| self.onward(scene, *thing, at, 1 << at, true) & !sets[*thing];
                each(sets[*thing]).map(|at| havens(at).count_ones()).sum()
            }
            Attribute::Strikes { thing, targets } => {
                self.strikes(scene, *thing, targets).iter().map(|found| found.1.count_ones()).sum()
            }
            Attribute::Strike { thing, targets } => {
                self.strikes(scene, *thing, targets).iter().map(|found| found.0).min()?
            }
            Attribute::Controlled { ours } => self.attacked(scene, Some(*ours), occupied, |_| true).count_ones(),
            Attribute::Blocked { thing, target } => {
                let ways = each(sets[*thing]).flat_map(|cell| &self.ways[*thing][cell]);
                let seen = ways.filter(|w| sets[*target] & 1 << w.0 != 0).map(|w| u32::from(w.1 & occupied != 0));
                seen.min().unwrap_or(2)
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

    fn number(&self, scene: &Scene, attribute: usize) -> i32 {
        self.value(scene, &self.plan.attributes[attribute]).unwrap_or(255) as i32
    }

    /// Whether a test holds where the side of the plan is to move, or not.
    fn holds(&self, scene: &Scene, test: &Test, ours: bool) -> bool {
        let apart = |first, second| self.number(scene, first) - self.number(scene, second);
        let value = match test.subject {
            Tested::OurMove => ours.into(),
            Tested::Attribute(at) => self.number(scene, at),
            Tested::Difference(first, second) => (100 + apart(first, second)).clamp(0, 200),
            Tested::Race(first, second) => (100 + 2 * apart(first, second) + i32::from(!ours)).clamp(0, 200),
        };
        if test.at_most { value <= test.bound.into() } else { value >= test.bound.into() }
    }
}

/// All positions.
#[derive(Default)]
struct Graph {
    /// Whether the side of the plan decides; `None` where it is over.
    ours: Vec<Option<bool>>,
    /// What an end is worth to the side of the plan, 0 if it is not won; when solved, what can be had from a position.
    worth: Vec<u8>,
    /// Plies to the win with best play, when solved.
    plies: Vec<u16>,
    /// Where the successors of a position end; they begin where those of the one before end.
    ends: Vec<u32>,
    edges: Vec<u32>,
}

/// The score of an end that is not won. Those below 256 are wins by own moves, others are ranks by goals and own moves.
const LOST: u64 = u64::MAX;
/// Shows what stands where in a position.
type Show<'a> = dyn Fn(u32, &mut Scene) + Sync + 'a;
/// Tells a position.
type Tell<'a> = dyn Fn(u32) -> String + 'a;

impl Graph {
    fn push(&mut self, ours: Option<bool>, worth: u8, next: impl IntoIterator<Item = u32>) {
        self.ours.push(ours);
        self.worth.push(worth);
        self.plies.push(0);
        self.edges.extend(next);
        self.ends.push(self.edges.len() as u32);
    }

    fn next(&self, node: u32) -> &[u32] {
        let from = if node == 0 { 0 } else { self.ends[node as usize - 1] };
        &self.edges[from as usize..self.ends[node as usize] as usize]
    }

    /// Finds what can be won, the greatest worth first, and in how many plies.
    fn solve(&mut self, cancel: &Cancel) -> Result<(), PlanError> {
        let mut open: Vec<u32> = (0..).zip(&self.ours).filter(|(_, who)| who.is_some()).map(|(at, _)| at).collect();
        for level in (1..=u8::MAX).rev().filter(|level| self.worth.contains(level)).collect::<Vec<_>>() {
            for plies in 1..u16::MAX {
                go_on(cancel)?;
                let settled = |to: &u32| self.worth[*to as usize] >= level;
                let (new, rest): (Vec<u32>, Vec<u32>) = open.par_iter().partition(|&&node| {
                    let mut next = self.next(node).iter();
                    if self.ours[node as usize] == Some(true) { next.any(settled) } else { next.all(settled) }
                });
                if new.is_empty() {
                    break;
                }
                open = rest;
                new.iter().for_each(|&at| (self.worth[at as usize], self.plies[at as usize]) = (level, plies));
            }
        }
        Ok(())
    }

    /// What is read off each position where play goes on, given who is to move; 0 elsewhere.
    fn seen(&self, eye: &Eye<'_>, show: &Show<'_>, read: impl Fn(&Scene, bool) -> u64 + Sync) -> Vec<u64> {
        let look = |scene: &mut Scene, (node, ours): (usize, &Option<bool>)| {
            let Some(ours) = *ours else { return 0 };
            show(node as u32, scene);
            read(scene, ours)
        };
        self.ours.par_iter().enumerate().map_init(|| Scene::new(&eye.plan.board), look).collect()
    }

    /// What a move to each position is worth when so many plies are looked ahead, and own positions on the way count or not.
    fn scores(&self, ranks: &[u64], plies: usize, met: bool) -> Vec<u64> {
        let end = |node: usize| if self.worth[node] > 0 { 0 } else { LOST };
        let leaf = |node: usize| if self.ours[node].is_some() { (ranks[node] + 1) << 8 } else { end(node) };
        let mut scores: Vec<u64> = (0..self.ours.len()).map(leaf).collect();
        for _ in 1..plies {
            let back = |node: u32| {
                let next = self.next(node).iter().map(|&to| scores[to as usize]);
                let here = if met { leaf(node as usize) } else { LOST };
                match self.ours[node as usize] {
                    Some(true) => next.min().unwrap_or(LOST).saturating_add(1).min(here),
                    Some(false) => next.max().unwrap_or(LOST),
                    None => scores[node as usize],
                }
            };
            scores = (0..self.ours.len() as u32).into_par_iter().map(back).collect();
        }
        scores
    }

    /// About how many positions rules are right, read with so many plies: as play by a plan whose only goal is to be told that it is won.
    fn told(&self, eye: &Eye<'_>, show: &Show<'_>, verdict: &Verdict) -> Vec<Told> {
        let ranks = self.seen(eye, show, |scene, ours| {
            let rule = verdict.rules.iter().find(|rule| rule.tests.iter().all(|test| eye.holds(scene, test, ours)));
            u64::from(!rule.is_some_and(|rule| rule.won))
        });
        let inside: Vec<usize> = (0..self.ours.len()).filter(|&node| self.ours[node].is_some()).collect();
        let read = |&(plies, claimed): &(usize, u64)| {
            let scores = self.scores(&ranks, plies + 1, false);
            let right = inside.iter().filter(|&&node| (scores[node] < 512) == (self.worth[node] > 0));
            (plies, right.count() as u64, claimed, inside.len() as u64)
        };
        [(verdict.plies, verdict.right)].iter().chain(&verdict.read).map(read).collect()
    }

    /// What following the plan reaches of what can be won.
    fn report(&self, plan: &Plan, show: &Show<'_>, tell: &Tell<'_>, cancel: &Cancel) -> Result<Report, PlanError> {
        let (eye, sides) = (Eye::new(plan)?, if self.ours.contains(&Some(false)) { 2 } else { 1 });
        // The place of each position in the order that the goals make.
        let mut ranks = vec![0u64; self.ours.len()];
        // A goal under conditions and those after it up to one without are cases: the first that holds counts.
        for cases in plan.goals.chunk_by(|goal, _| !goal.when.is_empty()) {
            go_on(cancel)?;
            let values = self.seen(&eye, show, |scene, ours| {
                let holds = |goal: &&Goal| goal.when.iter().all(|test| eye.holds(scene, test, ours));
                let sum = |goal: &Goal| goal.parts.iter().fold(goal.base, |sum, p| sum + p.1 * eye.number(scene, p.0));
                cases.iter().find(holds).map_or(0, sum).abs_diff(i32::MIN).into()
            });
            ranks.iter_mut().zip(values).for_each(|(rank, value)| *rank = *rank << 32 | value);
            let mut order = ranks.clone();
            order.par_sort_unstable();
            order.dedup();
            ranks.par_iter_mut().for_each(|rank| *rank = order.partition_point(|other| other < rank) as u64);
        }
        let claims = plan.reached.iter().map(|claimed| claimed.plies).filter(|plies| *plies != plan.plies);
        let told = plan.verdict.iter().flat_map(|verdict| self.told(&eye, show, verdict));
        let mut report = Report(Vec::new(), told.collect(), Vec::new());
        for plies in [plan.plies].into_iter().chain(claims) {
            // Only moves of the best score are left, and the other side chooses among these too. What is won then is proven.
            let (scores, mut play) = (self.scores(&ranks, plies, !plan.reading.is_usual()), Graph::default());
            for (node, &ours) in (0..).zip(&self.ours) {
                let next = self.next(node).iter().copied();
                let best = next.clone().map(|to| scores[to as usize]).min().filter(|_| ours == Some(true));
                let allowed = next.filter(|&to| best.is_none_or(|best| scores[to as usize] == best));
                play.push(ours.and(Some(false)), (ours.is_none() && self.worth[node as usize] > 0).into(), allowed);
            }
            play.solve(cancel)?;
            let can_win = (0..scores.len()).filter(|&node| self.can_win(node as u32));
            let (proven, others) = can_win.partition::<Vec<_>, _>(|&at| play.worth[at] > 0);
            let moves = |graph: &Graph, node: &usize| graph.plies[*node].div_ceil(sides);
            let over = |node: &usize| moves(&play, node).saturating_sub(moves(self, node));
            let excess = proven.iter().map(|node| f64::from(over(node))).sum::<f64>() / proven.len().max(1) as f64;
            let (won, worst) = (proven.len() as u64, proven.iter().map(over).max().unwrap_or(0));
            let reached = Reached { plies, positions: won + others.len() as u64, won, excess, worst, random: None };
            let claimed = plan.reached.iter().find(|claimed| claimed.plies == plies).cloned();
            let nearest = others.iter().min_by_key(|node| self.plies[**node]);
            report.0.push(Found { reached, claimed, counterexample: nearest.map(|node| tell(*node as u32)) });
        }
        if let Some(cases) = &plan.cases {
            report.2 = self.play(&eye, show, cases, cancel)?;
        }
        Ok(report)
    }
}

/// Whether the side of the plan decides in a state, what it is worth if it is over, and what follows.
type Expanded<S> = Result<(Option<bool>, u8, Vec<S>), PlanError>;

/// Lists all that can be reached from some states.
fn list<S: Clone + Eq + Hash + Send + Sync, V>(
    mut states: Vec<S>,
    view: impl Fn() -> V + Sync,
    expand: impl Fn(&mut V, &S) -> Expanded<S> + Sync,
    cancel: &Cancel,
) -> Result<(Graph, Vec<S>), PlanError> {
    let mut graph = Graph::default();
    let mut number: HashMap<S, u32> = states.iter().cloned().zip(0..).collect();
    while graph.ours.len() < states.len() {
        go_on(cancel)?;
        let part = states[graph.ours.len()..].par_iter().take(1 << 14);
        for (ours, worth, next) in part.map_init(&view, &expand).collect::<Result<Vec<_>, _>>()? {
            let next = next.into_iter().map(|state| {
                *number.entry(state).or_insert_with_key(|state| {
                    states.push(state.clone());
                    states.len() as u32 - 1
                })
            });
            graph.push(ours, worth, next);
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
        let mut image = men.map(|(colour, kind, at)| {
            let at = if mirrors & 4 == 0 { at } else { at % 8 * 8 + at / 8 };
            if colour < 2 { (colour, kind, at ^ [0, 7, 56, 63][usize::from(mirrors & 3)]) } else { NOBODY }
        });
        image.sort_unstable();
        image
    };
    let mirrors = if men.iter().any(|man| man.1 == PAWN) { 2 } else { 8 };
    ((1..mirrors).map(image).fold(image(0), |least, image| least.min(image)), side)
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
        for to in each(targets.into()).map(|to| to as u8) {
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
        let legal = apart && !home && !in_check(&placed, 1 - side);
        (legal && canonical((placed, side)) == (placed, side)).then_some((placed, side))
    };
    (0..2 << (6 * men.len())).into_par_iter().filter_map(place).collect()
}

/// Checks the plan of a chess ending of at most four men, of which only one side has pawns.
pub fn ending(plan: &Plan, cancel: &Cancel) -> Result<Report, PlanError> {
    let Subject::Ending { material, metric } = &plan.subject else { return wrong("not the plan of a chess ending") };
    let man = |(at, man)| Some((u8::from(Some(at) >= material.rfind('K')), LETTERS[..6].find(man)? as u8, 0));
    let men: Option<Vec<Man>> = material.char_indices().map(man).collect();
    let Some(mut men) = men else { return wrong("the plan is for men that nobody knows") };
    men.sort_unstable();
    let both_have_pawns = (0..2).all(|side| men.contains(&(side, PAWN, 0)));
    let few = material.matches('K').count() == 2 && material.starts_with('K') && men.len() <= 4 && !both_have_pawns;
    let name = |man: &Man| format!("{} {}", ["white", "black"][usize::from(man.0 > 0)], KINDS[usize::from(man.1)]);
    let things = plan.board.things.iter().map(|thing| men.iter().copied().find(|man| name(man) == thing.name));
    let named = (0..64).map(|at| format!("{}{}", char::from(b'a' + at % 8), at / 8 + 1)).eq(plan.board.cells.clone());
    let (Some(things), true, true) = (things.collect::<Option<Vec<Man>>>(), few, named) else {
        return wrong("not an ending of at most four men with pawns of one side, or the board is not its own");
    };
    let expand = |_: &mut (), position: &Position| {
        let next = moves(position);
        Ok(((!next.is_empty()).then_some(position.1 == 0), (next.is_empty() && in_check(&position.0, 1)).into(), next))
    };
    let (mut graph, positions) = list(placements(&men), || (), expand, cancel)?;
    graph.solve(cancel)?;
    let kinds = |node: u32| positions[node as usize].0.map(|man| man.1);
    let count = positions.len() as u32;
    if ["dtc", "conversion"].contains(&metric.as_str()) {
        // What white turns into something that is won counts no further.
        let mut other = Graph::default();
        for (node, &ours) in (0..).zip(&graph.ours) {
            let worth = if ours.is_none() { graph.worth[node as usize] } else { 0 };
            let ends = |to: u32| ours == Some(true) && kinds(node) != kinds(to) && graph.worth[to as usize] > 0;
            other.push(ours, worth, graph.next(node).iter().map(|&to| if ends(to) { count } else { to }));
        }
        other.push(None, 1, []);
        other.solve(cancel)?;
        graph = other;
    } else if !["dtm", "mate"].contains(&metric.as_str()) {
        return wrong("the file does not say whether plies to mate (dtm) or to conversion (dtc) are counted");
    }
    (0..count).filter(|&node| kinds(node) != kinds(0)).for_each(|node| graph.ours[node as usize] = None);
    let show = |node: u32, scene: &mut Scene| {
        let stands = |thing: &Man| squares(&positions[node as usize].0, |man| (man.0, man.1) == (thing.0, thing.1));
        scene.sets.iter_mut().zip(&things).for_each(|(set, thing)| *set = stands(thing).into());
    };
    let letter = |man: &Man| (LETTERS[usize::from(man.0 * 6 + man.1)..].chars().next(), man.2);
    let tell = |node: u32| {
        let (men, side) = positions[node as usize];
        crate::words::fen(&men.iter().filter(|man| man.0 < 2).map(letter).collect::<Vec<_>>(), side == 0)
    };
    graph.report(plan, &show, &tell, cancel)
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
    let look = |view: &mut G::View, state: &G::State| expand(game, role, view, state);
    let (mut graph, states) = list(vec![game.start()], || game.view(), look, cancel)?;
    if game.roles() == 1 {
        let best = graph.worth.iter().max().copied().unwrap_or(0);
        graph.worth.iter_mut().for_each(|worth| *worth = u8::from(*worth == best && best > 0));
    }
    graph.solve(cancel)?;
    let scenes =
        states.iter().map(|state| read(&game.facts(state)).map_err(PlanError)).collect::<Result<Vec<_>, _>>()?;
    let size = (plan.board.things.len(), plan.board.counters.len(), plan.board.cells.len());
    let last = |scene: &Scene| each(scene.occupied()).last().map_or(0, |cell| cell + 1);
    if scenes.iter().any(|scene| (scene.sets.len(), scene.counters.len()) != (size.0, size.1) || last(scene) > size.2) {
        return wrong("what stands where in a state does not fit the board of the plan");
    }
    let show = |node: u32, scene: &mut Scene| scene.clone_from(&scenes[node as usize]);
    graph.report(plan, &show, &|node| game.facts(&states[node as usize]).join(" "), cancel)
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
