//! Which gate is which bit of which word.
//!
//! Gates go level by level, so that all inputs are there before; within a level several orders are tried and the one with the fewest
//! records is kept. Outputs have their places, in which a gate that nobody else asks for is worked out at once.

use super::records::{NEGATED, Record, Records, Skill};
use super::sample::{Played, truths};
use super::{Block, Chunk, Effect, Packed, Plan, Program};
use crate::budget::{Budget, Stop};
use crate::gates::{GateKind, Lit};
use crate::graph::components;
use std::collections::{BTreeMap, HashMap};

/// Which program works a gate out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Look,
    Score,
    Play,
    /// None: an input, or nobody asks for it.
    Given,
}

/// A gate on its bit: an `or` of literals, or its negation.
#[derive(Clone, Debug)]
struct Cell {
    bit: u8,
    flip: bool,
    lits: Vec<Lit>,
    /// The literal that is looked at first where the whole chunk may be done with it.
    first: Option<Lit>,
}

/// A chunk before its records are known.
#[derive(Clone, Debug)]
struct Draft {
    to: u32,
    cells: Vec<Cell>,
    exits: bool,
    looped: bool,
}

/// A program before its records are known.
#[derive(Clone, Debug, Default)]
struct Sketch {
    blocks: Vec<Block>,
    drafts: Vec<Draft>,
    /// The word of its first output.
    outputs: u32,
    cost: f64,
}

impl Sketch {
    /// So many chunks more that are run one after the other.
    fn run(&mut self, more: usize) {
        match self.blocks.last_mut() {
            Some(Block::Run(count)) => *count += more as u32,
            _ => self.blocks.push(Block::Run(more as u32)),
        }
    }
}

/// Chunks with their gates, and what they take.
type Divided = (f64, Vec<(Draft, Vec<u32>)>);

/// What a chunk takes beside its records.
const CHUNK: f64 = 10.0;
/// In nets with more literals than this fewer ways are tried.
const LARGE: usize = 60_000;

struct Placer<'a> {
    plan: &'a Plan<'a>,
    skill: Skill,
    budget: &'a Budget,
    facts: usize,
    moves: usize,
    part: Vec<Part>,
    level: Vec<u32>,
    /// Whether a gate depends on itself.
    circle: Vec<bool>,
    /// How many gates and outputs ask for a gate.
    asked: Vec<u32>,
    truths: Vec<u64>,
    /// The word and bit of each gate, once it has one.
    places: Vec<Option<(u32, u8)>>,
    /// The first word of the moves.
    does: u32,
    words: u32,
    is_large: bool,
}

pub(super) fn place(plan: &Plan<'_>, skill: Skill, budget: &Budget) -> Result<Packed, Stop> {
    budget.heard()?;
    let mut placer = Placer::new(plan, skill, budget);
    let terminal = [plan.terminal];
    let state: Vec<Lit> = plan.legal.iter().chain(&terminal).copied().collect();
    let look = placer.program(Part::Look, &state)?;
    let score = placer.program(Part::Score, plan.goals)?;
    let play = placer.program(Part::Play, plan.next)?;
    placer.finish([look, score, play])
}

impl<'a> Placer<'a> {
    fn new(plan: &'a Plan<'a>, skill: Skill, budget: &'a Budget) -> Placer<'a> {
        let gates = plan.gates;
        let count = gates.len();
        let (facts, moves) = (plan.start.len(), plan.legal.len());
        let cone = |outputs: &mut dyn Iterator<Item = Lit>| {
            let mut needed = vec![false; count];
            let mut todo: Vec<u32> = outputs.map(|lit| lit.gate()).collect();
            while let Some(gate) = todo.pop() {
                if !std::mem::replace(&mut needed[gate as usize], true) {
                    todo.extend(gates.inputs(gate).iter().map(|lit| lit.gate()));
                }
            }
            needed
        };
        let look = cone(&mut plan.legal.iter().copied().chain([plan.terminal]));
        let (score, play) = (cone(&mut plan.goals.iter().copied()), cone(&mut plan.next.iter().copied()));
        let part: Vec<Part> = (0..count)
            .map(|gate| match gates.kind(gate as u32) {
                GateKind::True | GateKind::Input(_) => Part::Given,
                // What both goals and moves ask for is worked out with every look.
                _ if look[gate] || score[gate] && play[gate] => Part::Look,
                _ if score[gate] => Part::Score,
                _ if play[gate] => Part::Play,
                _ => Part::Given,
            })
            .collect();
        let mut asked = vec![0; count];
        for gate in (0..count).filter(|&gate| part[gate] != Part::Given) {
            gates.inputs(gate as u32).iter().for_each(|lit| asked[lit.gate() as usize] += 1);
        }
        let outputs = plan.legal.iter().chain([&plan.terminal]).chain(plan.goals).chain(plan.next);
        outputs.for_each(|lit| asked[lit.gate() as usize] += 1);
        let played = Played {
            gates,
            start: plan.start,
            ends: plan.ends,
            legal: plan.legal,
            terminal: plan.terminal,
            next: plan.next,
        };
        let does = 1 + facts.div_ceil(64) as u32;
        let mut placer = Placer {
            plan,
            skill,
            budget,
            facts,
            moves,
            level: vec![0; count],
            circle: vec![false; count],
            asked,
            truths: truths(&played),
            places: vec![None; count],
            does,
            words: does + moves.div_ceil(64) as u32,
            is_large: (0..count as u32).map(|gate| gates.inputs(gate).len()).sum::<usize>() > LARGE,
            part,
        };
        placer.put_inputs();
        placer.find_levels();
        placer
    }

    fn put_inputs(&mut self) {
        for gate in 0..self.places.len() {
            self.places[gate] = match self.plan.gates.kind(gate as u32) {
                GateKind::True => Some((0, 0)),
                GateKind::Input(number) => {
                    let number = number as usize;
                    let (first, at) = if number < self.facts { (1, number) } else { (self.does, number - self.facts) };
                    Some((first + at as u32 / 64, (at % 64) as u8))
                }
                GateKind::And | GateKind::Or | GateKind::Open => None,
            };
        }
    }

    /// How many gates of the same program must come before each; those of a circle are on one level.
    fn find_levels(&mut self) {
        let gates = self.plan.gates;
        let count = gates.len() as u32;
        let has_circles = (0..count).any(|gate| gates.kind(gate) == GateKind::Open);
        let mut order: Vec<(u32, u32)> = (0..count).zip(0..count).collect();
        if has_circles {
            let inputs = |gate: u32| gates.inputs(gate).iter().map(|lit| lit.gate()).collect();
            let edges: Vec<Vec<u32>> = (0..count).map(inputs).collect();
            let parts = components(&edges);
            order.iter_mut().for_each(|(part, gate)| *part = parts.of[*gate as usize]);
            order.sort_unstable();
            for &(part, gate) in &order {
                self.circle[gate as usize] = parts.cyclic[part as usize];
            }
        }
        for unit in order.chunk_by(|a, b| a.0 == b.0) {
            let mut level = 0;
            for &(_, gate) in unit {
                for input in gates.inputs(gate).iter().map(|lit| lit.gate() as usize) {
                    let is_inside = unit.binary_search(&(unit[0].0, input as u32)).is_ok();
                    if !is_inside && self.part[input] == self.part[gate as usize] {
                        level = level.max(self.level[input]);
                    }
                }
            }
            unit.iter().for_each(|&(_, gate)| self.level[gate as usize] = level + 1);
        }
    }

    fn truth(&self, lit: Lit) -> u64 {
        let truth = self.truths[lit.gate() as usize];
        if lit.negated() { !truth } else { truth }
    }

    /// Whether a literal is a move, and which.
    fn move_of(&self, lit: Lit) -> Option<usize> {
        match self.plan.gates.kind(lit.gate()) {
            GateKind::Input(number) => (number as usize).checked_sub(self.facts),
            _ => None,
        }
    }

    /// A gate as a cell. `shared` counts how often literals are used around it.
    fn cell(&self, gate: u32, bit: u8, shared: &HashMap<Lit, u32>) -> Cell {
        let inputs = self.plan.gates.inputs(gate);
        if self.plan.gates.kind(gate) != GateKind::And {
            return Cell { bit, flip: false, lits: inputs.to_vec(), first: None };
        }
        let first = inputs.iter().min_by_key(|&&lit| {
            let is_made = self.move_of(lit).is_some() && !lit.negated();
            (!is_made, self.truth(lit).count_ones(), u32::MAX - shared.get(&lit).copied().unwrap_or(0), lit)
        });
        Cell { bit, flip: true, lits: inputs.iter().map(|lit| lit.not()).collect(), first: first.map(|lit| lit.not()) }
    }

    /// A copy of a literal; as a gate that can be decided at once if `flip`.
    fn copy(&self, lit: Lit, bit: u8, flip: bool) -> Cell {
        Cell { bit, flip, lits: vec![lit.flip(flip)], first: flip.then_some(lit.not()) }
    }

    /// Whether a literal of a cell is not read but given by the move that is made.
    fn is_given(&self, cell: &Cell, lit: Lit) -> bool {
        let made = |negated: bool| {
            cell.lits.iter().filter(move |lit| lit.negated() == negated && self.move_of(**lit).is_some()).count()
        };
        self.move_of(lit).is_some() && (!lit.negated() || made(true) == 1 && made(false) == 0)
    }

    /// The records that bring these literals to the bits of a chunk.
    fn pulled(&self, lits: impl Iterator<Item = (Lit, u8)>) -> Records {
        let mut by_word: BTreeMap<u32, [Vec<(u8, u8)>; 2]> = BTreeMap::new();
        for (lit, to) in lits {
            // A gate without a place is a later one of the same circle, and has its place before records are made.
            let (word, bit) = self.places[lit.gate() as usize].unwrap_or((0, 0));
            by_word.entry(word).or_default()[usize::from(lit.negated())].push((bit, to));
        }
        let with = |skill: Skill| {
            let mut records = Records::default();
            by_word.iter().for_each(|(&word, pairs)| records.add(word, pairs.clone(), skill));
            records
        };
        let records = with(self.skill);
        // Picking pays where it saves more than a little.
        let sorted = (!records.picks.is_empty()).then(|| with(Skill::Sorts));
        sorted.filter(|sorted| sorted.cost() <= records.cost()).unwrap_or(records)
    }

    /// Decides whether a chunk may be done early, and what it takes.
    fn weigh(&self, draft: &mut Draft) -> f64 {
        let free = |cell: &Cell, lit: Lit| self.is_given(cell, lit);
        let read = |wanted: &dyn Fn(&Cell, Lit) -> bool| {
            let lits = draft.cells.iter().flat_map(|cell| cell.lits.iter().map(move |&lit| (cell, lit)));
            let read = lits.filter(|&(cell, lit)| !free(cell, lit) && wanted(cell, lit));
            self.pulled(read.map(|(cell, lit)| (lit, cell.bit))).cost()
        };
        let plain = CHUNK + read(&|_, _| true);
        if !draft.cells.iter().all(|cell| cell.flip && cell.first.is_some()) {
            draft.exits = false;
            return plain;
        }
        let alive = draft.cells.iter().fold(0, |alive, cell| alive | cell.first.map_or(!0, |lit| !self.truth(lit)));
        let part = f64::from(alive.count_ones()) / 64.0;
        let exits = CHUNK
            + 1.0
            + read(&|cell, lit| Some(lit) == cell.first)
            + part * read(&|cell, lit| Some(lit) != cell.first);
        draft.exits = exits < plain;
        exits.min(plain)
    }

    /// The literals of a gate by the places of what they name.
    fn key(&self, gate: u32) -> (usize, Vec<(u32, bool, u8)>, u32) {
        let inputs = self.plan.gates.inputs(gate);
        let place = |lit: &Lit| {
            let (word, bit) = self.places[lit.gate() as usize].unwrap_or((u32::MAX, 0));
            (word, lit.negated(), bit)
        };
        let mut places: Vec<_> = inputs.iter().map(place).collect();
        places.sort_unstable();
        (inputs.len(), places, gate)
    }

    /// Divides gates of one level among chunks, in the best of several orders. They have no words yet.
    fn divide(&self, gates: &[u32]) -> Result<Divided, Stop> {
        let (ands, ors): (Vec<u32>, Vec<u32>) =
            gates.iter().partition(|&&gate| self.plan.gates.kind(gate) == GateKind::And);
        let mut shared = HashMap::new();
        for &gate in &ands {
            self.plan.gates.inputs(gate).iter().for_each(|&lit| *shared.entry(lit).or_insert(0) += 1);
        }
        let (mut cost, mut found) = (0.0, Vec::new());
        for group in [&ands, &ors].into_iter().filter(|group| !group.is_empty()) {
            let mut by_places = group.clone();
            by_places.sort_by_cached_key(|&gate| self.key(gate));
            let mut by_first = by_places.clone();
            by_first.sort_by_cached_key(|&gate| {
                let first = self.cell(gate, 0, &shared).first;
                first.map(|lit| (self.places[lit.gate() as usize], lit))
            });
            let mut orders = vec![by_first];
            if !self.is_large {
                orders.extend([by_places, group.clone()]);
                orders.dedup();
            }
            let mut best: Option<Divided> = None;
            for order in orders {
                let tried = self.in_order(&order, &shared)?;
                if best.as_ref().is_none_or(|best| tried.0 < best.0) {
                    best = Some(tried);
                }
            }
            if let Some((least, drafts)) = best {
                cost += least;
                found.extend(drafts);
            }
        }
        // A few gates of both kinds may share a word.
        if !self.is_large && !ands.is_empty() && !ors.is_empty() {
            let mut mixed = gates.to_vec();
            mixed.sort_by_cached_key(|&gate| self.key(gate));
            let mixed = self.in_order(&mixed, &shared)?;
            if mixed.0 < cost {
                return Ok(mixed);
            }
        }
        Ok((cost, found))
    }

    /// Chunks of gates in this order.
    fn in_order(&self, order: &[u32], shared: &HashMap<Lit, u32>) -> Result<Divided, Stop> {
        let (mut cost, mut drafts) = (0.0, Vec::new());
        for part in order.chunks(64) {
            self.budget.heard()?;
            let cells = part.iter().zip(0..).map(|(&gate, bit)| self.cell(gate, bit, shared)).collect();
            let mut draft = Draft { to: 0, cells, exits: false, looped: false };
            cost += self.weigh(&mut draft);
            drafts.push((draft, part.to_vec()));
        }
        Ok((cost, drafts))
    }

    /// Gives a chunk its word, and its gates their places.
    fn settle(&mut self, draft: &mut Draft, gates: &[u32]) {
        draft.to = self.words;
        self.words += 1;
        for (&gate, cell) in gates.iter().zip(&draft.cells) {
            self.places[gate as usize] = Some((draft.to, cell.bit));
        }
    }

    /// The better of two ways to a program: gates worked out where the outputs want them, or copied there.
    fn program(&mut self, part: Part, outputs: &[Lit]) -> Result<Sketch, Stop> {
        let before = (self.words, self.places.clone());
        let inside = self.sketch(part, outputs, true)?;
        if self.is_large {
            return Ok(inside);
        }
        let after = (self.words, std::mem::replace(&mut self.places, before.1));
        self.words = before.0;
        let copied = self.sketch(part, outputs, false)?;
        if copied.cost < inside.cost {
            return Ok(copied);
        }
        (self.words, self.places) = after;
        Ok(inside)
    }

    fn sketch(&mut self, part: Part, outputs: &[Lit], inside: bool) -> Result<Sketch, Stop> {
        let gates = self.plan.gates;
        // Words of mostly `and` gates have nothing else, so that they may be done early.
        let own = |lit: &Lit| {
            let gate = lit.gate() as usize;
            inside && self.part[gate] == part && self.asked[gate] == 1 && !self.circle[gate]
        };
        let is_and = |lit: &Lit| own(lit) && gates.kind(lit.gate()) == GateKind::And && !lit.negated();
        let mut at_output = vec![false; gates.len()];
        let mut forms = Vec::new();
        for word in outputs.chunks(64) {
            let flips = 2 * word.iter().filter(|&lit| is_and(lit)).count() >= word.len();
            forms.push(flips);
            for lit in word.iter().filter(|&lit| if flips { is_and(lit) } else { own(lit) }) {
                at_output[lit.gate() as usize] = true;
            }
        }
        let mut levels: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let inside = self.part.iter().zip(&at_output).zip(&self.level).enumerate();
        for (gate, ((_, _), &level)) in inside.filter(|(_, ((own, at_output), _))| **own == part && !**at_output) {
            levels.entry(level).or_default().push(gate as u32);
        }
        let mut sketch = Sketch::default();
        for level in levels.into_values() {
            let (looped, plain): (Vec<u32>, Vec<u32>) = level.into_iter().partition(|&gate| self.circle[gate as usize]);
            let (cost, parts) = self.divide(&plain)?;
            sketch.cost += cost;
            sketch.run(parts.len());
            for (mut draft, gates) in parts {
                self.settle(&mut draft, &gates);
                sketch.drafts.push(draft);
            }
            if !looped.is_empty() {
                self.circles(&looped, &mut sketch)?;
            }
        }
        sketch.outputs = self.words;
        let none = HashMap::new();
        for (word, flips) in outputs.chunks(64).zip(forms) {
            let cells = word.iter().zip(0..).map(|(&lit, bit)| {
                if !at_output[lit.gate() as usize] {
                    return self.copy(lit, bit, flips);
                }
                let cell = self.cell(lit.gate(), bit, &none);
                Cell { flip: cell.flip != lit.negated(), ..cell }
            });
            let mut draft = Draft { to: self.words, cells: cells.collect(), exits: false, looped: false };
            self.words += 1;
            sketch.cost += self.weigh(&mut draft);
            sketch.drafts.push(draft);
        }
        sketch.run(outputs.len().div_ceil(64));
        Ok(sketch)
    }

    /// Gates that depend on themselves: those between open gates first, level by level, then the open ones, which grow.
    fn circles(&mut self, gates: &[u32], sketch: &mut Sketch) -> Result<(), Stop> {
        /// Rounds that a circle is taken to need.
        const ROUNDS: f64 = 6.0;
        let is_open = |gate: &&u32| self.plan.gates.kind(**gate) == GateKind::Open;
        let (open, inner): (Vec<&u32>, Vec<&u32>) = gates.iter().partition(is_open);
        let mut open: Vec<u32> = open.into_iter().copied().collect();
        let mut inner: Vec<u32> = inner.into_iter().copied().collect();
        inner.sort_unstable();
        open.sort_by_cached_key(|&gate| self.key(gate));
        let first = self.words;
        self.words += open.len().div_ceil(64) as u32;
        for (at, &gate) in open.iter().enumerate() {
            self.places[gate as usize] = Some((first + at as u32 / 64, (at % 64) as u8));
        }
        let mut depth: HashMap<u32, u32> = HashMap::new();
        let mut levels: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for gate in inner {
            let inputs = self.plan.gates.inputs(gate).iter();
            let below = inputs.filter_map(|lit| depth.get(&lit.gate())).max().map_or(0, |depth| depth + 1);
            depth.insert(gate, below);
            levels.entry(below).or_default().push(gate);
        }
        let before = sketch.drafts.len();
        for level in levels.into_values() {
            let (cost, parts) = self.divide(&level)?;
            sketch.cost += ROUNDS * cost;
            for (mut draft, gates) in parts {
                self.settle(&mut draft, &gates);
                sketch.drafts.push(Draft { looped: true, ..draft });
            }
        }
        let none = HashMap::new();
        for (word, part) in open.chunks(64).enumerate() {
            let cells = part.iter().zip(0..).map(|(&gate, bit)| self.cell(gate, bit, &none)).collect();
            let mut draft = Draft { to: first + word as u32, cells, exits: false, looped: true };
            sketch.cost += ROUNDS * self.weigh(&mut draft);
            sketch.drafts.push(draft);
        }
        let count = (sketch.drafts.len() - before) as u32;
        sketch.blocks.push(Block::Loop { count, open: open.len().div_ceil(64) as u32 });
        Ok(())
    }

    fn finish(self, sketches: [Sketch; 3]) -> Result<Packed, Stop> {
        let mut effects: Vec<Vec<Effect>> = vec![Vec::new(); self.moves];
        let outputs: [u32; 3] = std::array::from_fn(|at| sketches[at].outputs);
        let [look, score, play] = sketches;
        let look = self.program_of(look, &mut effects)?;
        let score = self.program_of(score, &mut effects)?;
        let play = self.program_of(play, &mut effects)?;
        let mut starts = vec![0];
        for effects in &effects {
            starts.push(starts[starts.len() - 1] + effects.len() as u32);
        }
        let is_move = |at: u32| (self.does..self.does + self.moves.div_ceil(64) as u32).contains(&(at % self.words));
        Ok(Packed {
            reads_moves: play.records.iter().any(|record| is_move(record.at)),
            words: self.words as usize,
            facts: self.facts.div_ceil(64),
            moves: self.does as usize,
            legal: outputs[0] as usize,
            legal_words: (self.moves + 1).div_ceil(64),
            goals: outputs[1] as usize,
            next: outputs[2] as usize,
            look,
            score,
            play,
            effects: effects.into_iter().flatten().collect(),
            starts,
            skill: self.skill,
        })
    }

    /// Finds the records of a program.
    fn program_of(&self, sketch: Sketch, effects: &mut [Vec<Effect>]) -> Result<Program, Stop> {
        let makers: HashMap<u32, usize> = sketch.drafts.iter().map(|draft| draft.to).zip(0..).collect();
        let hands_on = |lit: Lit, to: usize| {
            let (word, bit) = self.places[lit.gate() as usize]?;
            let maker = *makers.get(&word)?;
            let draft = &sketch.drafts[maker];
            (!lit.negated() && draft.exits && !draft.looped && maker < to).then_some((maker, bit))
        };
        let mut handed: Vec<BTreeMap<u32, Vec<(u8, u8)>>> = vec![BTreeMap::new(); sketch.drafts.len()];
        let mut begin = Vec::new();
        let mut parts = Vec::new();
        for (number, draft) in sketch.drafts.iter().enumerate() {
            self.budget.heard()?;
            let (mut first, mut rest) = (Vec::new(), Vec::new());
            let mut begins = 0u64;
            for cell in &draft.cells {
                for &lit in &cell.lits {
                    if self.is_given(cell, lit) {
                        let list = &mut effects[self.move_of(lit).unwrap_or(0)];
                        begins |= u64::from(lit.negated()) << cell.bit;
                        affect(list, number as u32, 1 << cell.bit, lit.negated());
                    } else if let Some((maker, bit)) = hands_on(lit, number) {
                        handed[maker].entry(number as u32).or_default().push((bit, cell.bit));
                    } else if draft.exits && Some(lit) == cell.first {
                        first.push((lit, cell.bit));
                    } else {
                        rest.push((lit, cell.bit));
                    }
                }
            }
            if draft.exits {
                begins |= !draft.cells.iter().fold(0, |used, cell| used | 1 << cell.bit);
            }
            begin.push(begins);
            parts.push((self.pulled(first.into_iter()), self.pulled(rest.into_iter())));
        }
        let mut program = Program { blocks: sketch.blocks, begin, ..Program::default() };
        for ((draft, (first, rest)), handed) in sketch.drafts.iter().zip(parts).zip(handed) {
            let mut on = Records::default();
            handed.into_iter().for_each(|(to, pairs)| on.add(to, [pairs, Vec::new()], self.skill));
            let flips = draft.cells.iter().filter(|cell| cell.flip).fold(0u64, |flips, cell| flips | 1 << cell.bit);
            program.hands_on |= on.len() > 0;
            program.chunks.push(Chunk {
                to: draft.to,
                exits: draft.exits,
                flip: if draft.exits { !0 } else { flips },
                first: first.counts(),
                rest: rest.counts(),
                on: on.counts(),
                left: rest.len() + on.len(),
            });
            for records in [first, rest, on] {
                let known = program.picks.len() as u32;
                let [tests, moves, mut picks] = records.of;
                picks.iter_mut().for_each(|record| record.by += known);
                program.records.extend([tests, moves, picks].into_iter().flatten().map(|record| self.named(record)));
                program.picks.extend(records.picks);
            }
        }
        Ok(program)
    }

    /// A record with the number of its word.
    fn named(&self, record: Record) -> Record {
        let negated = if record.at & NEGATED != 0 { self.words } else { 0 };
        Record { at: (record.at & !NEGATED) + negated, ..record }
    }
}

/// A move decides a gate, or keeps it from being decided.
fn affect(list: &mut Vec<Effect>, chunk: u32, bit: u64, keeps_open: bool) {
    if list.last().is_none_or(|last| last.chunk != chunk) {
        list.push(Effect { chunk, keep: !0, set: 0 });
    }
    if let Some(effect) = list.last_mut() {
        if keeps_open {
            effect.keep &= !bit;
        } else {
            effect.set |= bit;
        }
    }
}
