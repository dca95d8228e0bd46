//! Which tables a position is looked up in, and what they say: every largest part of its men, both kings always in it, that
//! there is a table for.
//!
//! A [`Plan`] is made once for the men of a position; [`Marks`] go with a position and keep what was asked. When a man
//! moves, only the parts that it belongs to are asked again. En passant is left out here, as is castling.

use crate::force::Force;
use native::chess::geometry::squares;
use native::chess::{Colour, Kind, Man, Position, Step};
use std::collections::HashMap;
use table::chess::{Material, Metric, Outcome, Placement, Table, Tables};

/// Men other than kings in a position that is looked up, at most.
pub(crate) const MOST_MEN: usize = 8;
/// Parts, at most: three of eight men are 56.
const MOST_PARTS: usize = 64;
/// Men other than kings in a table, at most.
const IN_TABLE: usize = 3;
/// What stands in for the plies of a draw, and of a part that is no position because the side that waits is in check.
pub(crate) const NEITHER: u8 = u8::MAX;

/// Some of the men, with their table.
#[derive(Clone)]
pub(crate) struct Part<'t> {
    table: &'t Table,
    /// A number for the table, for the memory of answers.
    number: u64,
    /// Whether the table has the colours the other way round.
    swap: bool,
    /// Which men: their places in the list, in the order of the table.
    men: [u8; IN_TABLE],
    count: usize,
    /// Parts with the same men are of one class.
    pub class: usize,
}

/// What is looked up for some men.
#[derive(Clone)]
pub(crate) struct Plan<'t> {
    pub force: Force,
    pub men: Vec<Man>,
    pub parts: Vec<Part<'t>>,
    /// By the place of a man: the parts it belongs to.
    with: [u64; MOST_MEN],
    /// The names of the classes: the men of the side that the whole is named after first, then those of the other.
    pub classes: Vec<String>,
}

/// What was asked for one position and is still good.
#[derive(Clone, Copy)]
pub(crate) struct Marks {
    pub plan: u16,
    /// Where the men of the plan stand.
    at: [u8; MOST_MEN],
    /// By the side to move and the part: what it is worth to white.
    values: [[i16; MOST_PARTS]; 2],
    /// By the side to move: which values are good.
    good: [u64; 2],
}

/// What one part of a position says.
#[derive(Clone, PartialEq, Debug)]
pub struct Reading {
    /// The part as a position.
    pub position: Position,
    /// Its men, those of the stronger side of the whole position first.
    pub men: String,
    /// What its table says for the side to move; `None` where the part is no position, because the side that waits would
    /// be in check.
    pub outcome: Option<Outcome>,
    /// What the evaluation makes of it for white, in hundredths of a pawn.
    pub worth: i32,
}

/// Asks the tables, and remembers what they said.
#[derive(Clone)]
pub(crate) struct Lookups<'t> {
    tables: &'t Tables,
    /// If not empty: the parts to use where all of them occur.
    named: Vec<Material>,
    plans: Vec<Plan<'t>>,
    by_force: HashMap<Force, Option<u16>>,
    /// Answers by where the men stand: a slot holds a key and what was said.
    memory: Vec<u64>,
    pub asked: u64,
}

const MEMORY_BITS: u32 = 16;

impl<'t> Lookups<'t> {
    pub fn new(tables: &'t Tables, named: &[Material]) -> Lookups<'t> {
        let memory = vec![0; 1 << MEMORY_BITS];
        Lookups { tables, named: named.to_vec(), plans: Vec::new(), by_force: HashMap::new(), memory, asked: 0 }
    }

    pub fn plan(&self, number: u16) -> &Plan<'t> {
        &self.plans[usize::from(number)]
    }

    /// The plan for the men of a position; `None` if no part of them has a table.
    pub fn plan_for(&mut self, position: &Position) -> Option<u16> {
        let force = Force::of(position);
        if let Some(&known) = self.by_force.get(&force) {
            return known;
        }
        let plan = Plan::new(force, self.tables, &self.named);
        let number = (!plan.parts.is_empty()).then_some(self.plans.len() as u16);
        if number.is_some() {
            self.plans.push(plan);
        }
        self.by_force.insert(force, number);
        number
    }

    /// Nothing was asked yet.
    pub fn fresh(&self, plan: u16, position: &Position) -> Marks {
        let mut at = [0; MOST_MEN];
        for (slot, square) in at.iter_mut().zip(places(position)) {
            *slot = square;
        }
        Marks { plan, at, values: [[0; MOST_PARTS]; 2], good: [0; 2] }
    }

    /// The marks after a move that takes and promotes nothing.
    pub fn moved(&self, marks: &Marks, step: &Step) -> Marks {
        let mut next = *marks;
        if step.kind == Kind::King {
            next.good = [0; 2];
            return next;
        }
        let plan = self.plan(marks.plan);
        if let Some(place) = next.at[..plan.men.len()].iter().position(|&square| square == step.from) {
            next.at[place] = step.to;
            next.good = next.good.map(|good| good & !plan.with[place]);
        }
        next
    }

    /// The sum over all parts of what they are worth to white; `worth` says it by class, side to move and plies.
    #[inline]
    pub fn sum(&mut self, position: &Position, marks: &mut Marks, worth: &[[[i16; 256]; 2]]) -> i32 {
        let turn = position.turn as usize;
        let count = self.plan(marks.plan).parts.len();
        let all = if count == 64 { !0 } else { (1u64 << count) - 1 };
        for number in squares(all & !marks.good[turn]).map(usize::from) {
            let plies = self.ask(marks.plan, number, &marks.at, position);
            let class = self.plans[usize::from(marks.plan)].parts[number].class;
            marks.values[turn][number] = worth[class][turn][usize::from(plies)];
        }
        marks.good[turn] = all;
        marks.values[turn][..count].iter().map(|&value| i32::from(value)).sum()
    }

    /// The plies of one part, odd where the side to move wins, even where it loses.
    #[inline]
    fn ask(&mut self, plan: u16, number: usize, at: &[u8; MOST_MEN], position: &Position) -> u8 {
        let part = &self.plans[usize::from(plan)].parts[number];
        let placement = part.placement(at, position);
        let turn = if part.swap { position.turn.other() } else { position.turn };
        let mut key = part.number << 1 | turn as u64;
        for square in [placement.white, placement.black].iter().chain(&placement.men) {
            key = key << 6 | u64::from(*square);
        }
        // The key has at most 8 + 1 + 30 bits, so that a slot holds it with the answer, and never looks empty.
        let slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - MEMORY_BITS)) as usize;
        let held = self.memory[slot];
        if held >> 9 == key && held & 256 != 0 {
            return held as u8;
        }
        self.asked += 1;
        // What tables say of positions that cannot occur means nothing.
        let is_there = !part.position(&self.plans[usize::from(plan)].men, at, position).broken();
        let index = part.table.index().rank(&placement).filter(|_| is_there);
        let plies = index.and_then(|index| part.table.get(turn, index).ok()).and_then(Outcome::plies);
        let plies = plies.unwrap_or(NEITHER);
        self.memory[slot] = key << 9 | 256 | u64::from(plies);
        plies
    }

    /// What each part of a position says, for people.
    pub fn readings(&mut self, plan: u16, position: &Position, worth: &[[[i16; 256]; 2]]) -> Vec<Reading> {
        let at = self.fresh(plan, position).at;
        let mut readings = Vec::new();
        for number in 0..self.plan(plan).parts.len() {
            let plies = self.ask(plan, number, &at, position);
            let (plan, part) = (self.plan(plan), &self.plan(plan).parts[number]);
            let small = part.position(&plan.men, &at, position);
            let outcome = match plies {
                _ if small.broken() => None,
                NEITHER => Some(Outcome::Draw),
                plies if plies % 2 == 1 => Some(Outcome::Win(plies)),
                plies => Some(Outcome::Loss(plies)),
            };
            let worth = i32::from(worth[part.class][position.turn as usize][usize::from(plies)]);
            readings.push(Reading { position: small, men: plan.classes[part.class].clone(), outcome, worth });
        }
        readings
    }
}

/// Where the men other than kings stand, in the order of [`Force::men`].
fn places(position: &Position) -> impl Iterator<Item = u8> {
    position.list().into_iter().filter(|(man, _)| man.kind != Kind::King).map(|(_, square)| square)
}

impl Part<'_> {
    fn placement(&self, at: &[u8; MOST_MEN], position: &Position) -> Placement {
        let mut men = [0; IN_TABLE];
        for (square, &place) in men.iter_mut().zip(&self.men[..self.count]) {
            *square = at[usize::from(place)] ^ if self.swap { 56 } else { 0 };
        }
        let (white, black) = (position.king(Colour::White), position.king(Colour::Black));
        if self.swap {
            Placement { white: black ^ 56, black: white ^ 56, men }
        } else {
            Placement { white, black, men }
        }
    }

    /// The part as a position.
    fn position(&self, men: &[Man], at: &[u8; MOST_MEN], whole: &Position) -> Position {
        let mut small = Position::empty(whole.turn);
        for colour in Colour::BOTH {
            small.put(Man { colour, kind: Kind::King }, whole.king(colour) & 63);
        }
        for &place in &self.men[..self.count] {
            small.put(men[usize::from(place)], at[usize::from(place)]);
        }
        small
    }
}

impl<'t> Plan<'t> {
    fn new(force: Force, tables: &'t Tables, named: &[Material]) -> Plan<'t> {
        let men = force.men();
        let mut plan = Plan { force, men, parts: Vec::new(), with: [0; MOST_MEN], classes: Vec::new() };
        if plan.men.len() > MOST_MEN {
            return plan;
        }
        let found = plan.found(tables);
        let is_there = |material: &Material| found.iter().any(|(_, part)| part.table.material() == *material);
        let chosen: Vec<(u32, Part<'t>)> = if !named.is_empty() && named.iter().all(is_there) {
            found.iter().filter(|(_, part)| named.contains(&part.table.material())).cloned().collect()
        } else {
            let is_inside = |set: u32| found.iter().any(|&(other, _)| other != set && other & set == set);
            found.iter().filter(|(set, _)| !is_inside(*set)).cloned().collect()
        };
        for (set, mut part) in chosen.into_iter().take(MOST_PARTS) {
            let name = plan.class_name(set);
            part.class = plan.classes.iter().position(|known| *known == name).unwrap_or(plan.classes.len());
            if part.class == plan.classes.len() {
                plan.classes.push(name);
            }
            for place in squares(u64::from(set)) {
                plan.with[usize::from(place)] |= 1 << plan.parts.len();
            }
            plan.parts.push(part);
        }
        plan
    }

    /// All parts that have a table, as sets of places, the largest first.
    fn found(&self, tables: &'t Tables) -> Vec<(u32, Part<'t>)> {
        let numbers: HashMap<Material, u64> =
            (1..).zip(tables.materials()).map(|(n, (material, _))| (material, n)).collect();
        let mut sets: Vec<u32> =
            (1..1u32 << self.men.len()).filter(|set| set.count_ones() as usize <= IN_TABLE).collect();
        sets.sort_by_key(|set| (std::cmp::Reverse(set.count_ones()), *set));
        let part = |set: u32| {
            let places: Vec<u8> = squares(u64::from(set)).collect();
            // Any squares will do to learn the men's normal form.
            let mut sample = Position::empty(Colour::White);
            for (square, &place) in (8..).zip(&places) {
                sample.put(self.men[usize::from(place)], square);
            }
            let (material, swap) = Material::of(&sample).ok()?;
            let table = tables.get(material, Metric::Mate)?;
            let mut left = places;
            let mut men = [0; IN_TABLE];
            for (slot, wanted) in men.iter_mut().zip(material.men()) {
                let colour = if swap { wanted.colour.other() } else { wanted.colour };
                let at = left.iter().position(|&place| self.men[usize::from(place)] == Man { colour, ..wanted })?;
                *slot = left.remove(at);
            }
            let number = numbers.get(&material).copied()?;
            Some((set, Part { table, number, swap, men, count: set.count_ones() as usize, class: 0 }))
        };
        sets.into_iter().filter_map(part).collect()
    }

    fn class_name(&self, set: u32) -> String {
        let first = self.force.first();
        let side = |colour: Colour| {
            let men = squares(u64::from(set)).map(|place| self.men[usize::from(place)]);
            men.filter(|man| man.colour == colour).map(|man| man.kind.letter()).collect::<String>()
        };
        format!("K{}K{}", side(first), side(first.other()))
    }
}
