//! A game as a net of gates, one state at a time.
//!
//! The same circuit serves two purposes: here it runs on 64-bit words with one state in lane 0; [`Lanes`] runs it on
//! wide planes with another game in every lane.

use crate::bank::{Bank, Id};
use crate::budget::{Budget, Stop};
use crate::circuit::{Circuit, circuit};
use crate::events::{Events, Watch};
use crate::facts;
use crate::gates::{Gates, Kind, Lit};
use crate::ground::{Ground, Unfit, ground};
use crate::lanes::Lanes;
use crate::legal;
use crate::lexicon::Lexicon;
use crate::plane::{read, run, slots_for};
use crate::prover::{LoadError, Prover};
use game::{Game, Goal, Limit, Move, Names, Role, Turn};
use gdl::Rules;
use std::cmp::Ordering;
use std::collections::HashMap;

/// Sizes of a net, as built and as run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Ground rules found.
    pub instances: u64,
    /// Facts that can be true, before and after constant ones were removed.
    pub facts: (usize, usize),
    /// Moves that can be made, before and after those that are never legal were removed.
    pub moves: (usize, usize),
    /// Gates of any number of inputs after grounding.
    pub gates: usize,
    /// Two-input operations in all.
    pub operations: usize,
    /// Operations that must be repeated until nothing changes.
    pub looped: usize,
    /// Planes of memory.
    pub slots: usize,
}

/// Why there is no net.
#[derive(Debug)]
pub enum NoNet {
    /// The rules cannot be played at all.
    Load(LoadError),
    /// They can, but not as a net.
    Unfit(Unfit),
}

impl std::fmt::Display for NoNet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoNet::Load(error) => error.fmt(f),
            NoNet::Unfit(unfit) => unfit.fmt(f),
        }
    }
}

impl std::error::Error for NoNet {}

/// A game as a net of gates.
///
/// ```
/// use game::{Game, perft::perft};
/// let rules = gdl::parse("(role me) (init (at 1)) (succ 1 2) (succ 2 3)
///     (<= (legal me (go ?y)) (true (at ?x)) (succ ?x ?y)) (<= (legal me stay) (true (at ?x)))
///     (<= (next (at ?y)) (does me (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does me stay))
///     (<= terminal (true (at 3))) (<= (goal me 100) (true (at 3)))").rules;
/// let net = machine::Net::new(&rules, machine::Budget::default()).unwrap();
/// let nodes: Vec<u64> = perft(&net, 3).unwrap().iter().map(|count| count.nodes).collect();
/// assert_eq!(nodes, [1, 2, 4, 6]);
/// ```
pub struct Net {
    pub(crate) circuit: Circuit,
    lexicon: Lexicon,
    /// The facts that change, by number, and the way back.
    facts: Vec<Id>,
    numbers: HashMap<Id, u32>,
    /// Facts that hold in every state.
    always: Vec<Id>,
    pub(crate) start: State,
    /// The moves of all roles, role after role, and where each role's end.
    moves: Vec<Id>,
    pub(crate) ends: Vec<usize>,
    /// Where the outputs are: legal for each move, then terminal, then the goals, then what each fact becomes.
    pub(crate) goals: Vec<(Role, Option<Goal>)>,
    /// For one state at a time; `None` for nets with loops.
    events: Option<Events>,
    size: Size,
}

/// The facts that hold, a bit each.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State(pub(crate) Box<[u64]>);

/// What follows from one state.
pub struct View {
    /// The outputs, a bit each: legal for each move, terminal, goals, what each fact becomes.
    outputs: Outputs,
    /// The state looked at.
    state: State,
    /// All gates in 64 lanes, each with the state looked at. Filled when it is first needed.
    slots: Vec<u64>,
    filled: bool,
}

enum Outputs {
    /// Kept up to date by following changes; the moves made last are still set.
    Watch(Watch, Vec<Move>),
    /// Read off the slots after they were run.
    Read(Vec<u64>),
}

impl View {
    fn bits(&self) -> &[u64] {
        match &self.outputs {
            Outputs::Watch(watch, _) => &watch.outputs,
            Outputs::Read(bits) => bits,
        }
    }

    fn bit(&self, at: usize) -> bool {
        self.bits()[at / 64] >> (at % 64) & 1 == 1
    }
}

impl Net {
    /// Grounds rules and makes a net of them.
    pub fn new(rules: &Rules, budget: Budget) -> Result<Net, NoNet> {
        let prover = Prover::new(rules).map_err(NoNet::Load)?;
        Net::from_prover(rules, &prover, budget).map_err(NoNet::Unfit)
    }

    /// As [`Net::new`], where a prover for the rules is at hand.
    pub fn from_prover(rules: &Rules, prover: &Prover, budget: Budget) -> Result<Net, Unfit> {
        let (mut found, mut budget) = ground(rules, prover, budget)?;
        let before = (found.facts.len(), found.moves.len(), found.gates.len());
        let constant = simplify(&mut found, &prover.shared_bank(), &mut budget)?;
        Ok(Net::build(found, prover, before, constant, &mut budget)?)
    }

    fn build(
        found: Ground,
        prover: &Prover,
        before: (usize, usize, usize),
        always: Vec<Id>,
        budget: &mut Budget,
    ) -> Result<Net, Stop> {
        let lexicon = prover.lexicon().clone();
        let legal: Vec<Lit> = found.moves.iter().map(|&(_, _, lit)| lit).collect();
        let goals: Vec<Lit> = found.goals.iter().map(|&(_, _, lit)| lit).collect();
        let state: Vec<Lit> = legal.iter().chain([&found.terminal]).chain(&goals).copied().collect();
        let inputs = (found.facts.len() + found.moves.len()) as u32;
        let circuit = circuit(&found.gates, inputs, &state, &found.next, budget)?;
        let outputs: Vec<Lit> = state.iter().chain(&found.next).copied().collect();
        let events = Events::new(&found.gates, inputs as usize, &outputs, budget)?;
        let mut ends = vec![0; lexicon.roles.len()];
        for (role, end) in ends.iter_mut().enumerate() {
            *end = found.moves.partition_point(|&(who, _, _)| who as usize <= role);
        }
        let bank = lexicon.bank();
        let goals = found.goals.iter().map(|&(role, id, _)| (Role(role), lexicon.goal(bank.functor(id)))).collect();
        drop(bank);
        let mut start = State(vec![0; found.facts.len().div_ceil(64)].into());
        for (at, _) in found.start.iter().enumerate().filter(|(_, holds)| **holds) {
            start.0[at / 64] |= 1 << (at % 64);
        }
        let mut looped = 0;
        let mut inside = false;
        for piece in circuit.state.pieces.iter().chain(&circuit.moves.pieces) {
            match piece {
                crate::circuit::Piece::Run(_, count) => looped += if inside { *count as usize } else { 0 },
                crate::circuit::Piece::Loop { .. } => inside = true,
                crate::circuit::Piece::End => inside = false,
            }
        }
        let size = Size {
            instances: found.instances,
            facts: (before.0, found.facts.len()),
            moves: (before.1, found.moves.len()),
            gates: before.2,
            operations: circuit.state.ops.len() + circuit.moves.ops.len(),
            looped,
            slots: circuit.slots as usize,
        };
        budget.heard()?;
        Ok(Net {
            circuit,
            lexicon,
            numbers: found.facts.iter().copied().zip(0..).collect(),
            facts: found.facts,
            always,
            start,
            moves: found.moves.iter().map(|&(_, id, _)| id).collect(),
            ends,
            goals,
            events,
            size,
        })
    }

    /// How large the net is.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Random playouts from the start, many at a time.
    pub fn lanes(&self, seed: u64) -> Lanes<'_> {
        Lanes::new(self, &self.start, seed)
    }

    /// Random playouts from any state, many at a time.
    pub fn lanes_from(&self, state: &State, seed: u64) -> Lanes<'_> {
        Lanes::new(self, state, seed)
    }

    pub(crate) fn fact_count(&self) -> usize {
        self.facts.len()
    }

    /// The name of a fact that changes.
    pub(crate) fn fact_text(&self, fact: usize) -> String {
        self.lexicon.text(self.facts[fact])
    }

    /// The number of a fact as [`game::Facts`] counts: its bit, or for a fact that always holds, what comes after all bits.
    pub(crate) fn fact_number(&self, text: &str) -> Option<u32> {
        let term = self.lexicon.term(text)?;
        let id = self.lexicon.bank().find_term(&term)?;
        let lasting = || self.always.iter().position(|&fact| fact == id).map(|at| (self.facts.len() + at) as u32);
        self.numbers.get(&id).copied().or_else(lasting)
    }

    /// The numbers of the facts that always hold.
    pub(crate) fn each_lasting(&self, seen: &mut dyn FnMut(u32)) {
        (self.facts.len()..self.facts.len() + self.always.len()).for_each(|fact| seen(fact as u32));
    }

    pub(crate) fn move_count(&self) -> usize {
        self.moves.len()
    }
}

/// Removes what is constant: facts that never change, moves that are never legal. Answers the facts that always hold.
fn simplify(found: &mut Ground, bank: &Bank, budget: &mut Budget) -> Result<Vec<Id>, Stop> {
    let mut always = Vec::new();
    loop {
        let facts = found.facts.len();
        // Looking at a gate once more is far cheaper than a step of joining.
        budget.spend(1 + found.gates.len() as u64 / 64)?;
        budget.heard()?;
        budget.hold_now(2 * found.gates.bytes())?;
        let own: Vec<Lit> = {
            let mut own = vec![Lit::FALSE; facts + found.moves.len()];
            for gate in 0..found.gates.len() as u32 {
                if let Kind::Input(number) = found.gates.kind(gate) {
                    own[number as usize] = Lit::of(gate);
                }
            }
            own
        };
        // A fact that becomes what it is keeps its first value; one that becomes its first value whatever happens, too.
        let fixed: Vec<Option<bool>> = (0..facts)
            .map(|fact| {
                let (first, next) = (found.start[fact], found.next[fact]);
                let same = next == own[fact] || next == if first { Lit::TRUE } else { Lit::FALSE };
                same.then_some(first)
            })
            .collect();
        let kept: Vec<usize> = (0..facts).filter(|&fact| fixed[fact].is_none()).collect();
        let possible: Vec<usize> = (0..found.moves.len()).filter(|&mv| found.moves[mv].2 != Lit::FALSE).collect();
        if kept.len() == facts && possible.len() == found.moves.len() && in_order(&found.moves, bank) {
            return Ok(always);
        }
        always.extend((0..facts).filter(|&fact| fixed[fact] == Some(true)).map(|fact| found.facts[fact]));
        rebuild(found, bank, &fixed, &kept, &possible);
    }
}

/// The order of moves: by role, then the order that all engines list moves in.
fn compare(bank: &Bank, a: &(u8, Id, Lit), b: &(u8, Id, Lit)) -> Ordering {
    a.0.cmp(&b.0).then_with(|| bank.compare(a.1, b.1))
}

fn in_order(moves: &[(u8, Id, Lit)], bank: &Bank) -> bool {
    moves.is_sorted_by(|a, b| compare(bank, a, b).is_le())
}

/// The same game with the fixed facts as constants and only some moves, in the order of the roles.
fn rebuild(found: &mut Ground, bank: &Bank, fixed: &[Option<bool>], kept: &[usize], possible: &[usize]) {
    let facts = found.facts.len();
    let mut order = possible.to_vec();
    order.sort_by(|&a, &b| compare(bank, &found.moves[a], &found.moves[b]));
    let mut gates = Gates::new();
    let mut input = vec![Lit::FALSE; facts + found.moves.len()];
    for (number, &fact) in kept.iter().enumerate() {
        input[fact] = gates.input(number as u32);
    }
    for (number, &mv) in order.iter().enumerate() {
        input[facts + mv] = gates.input((kept.len() + number) as u32);
    }
    for (fact, value) in fixed.iter().enumerate() {
        if let Some(value) = value {
            input[fact] = if *value { Lit::TRUE } else { Lit::FALSE };
        }
    }
    let old = &found.gates;
    let mut value = vec![Lit::TRUE; old.len()];
    let mut lits = Vec::new();
    for gate in 0..old.len() as u32 {
        if old.kind(gate) == Kind::Open {
            value[gate as usize] = gates.open();
        }
    }
    for gate in 0..old.len() as u32 {
        lits.clear();
        lits.extend(old.inputs(gate).iter().map(|lit| value[lit.gate() as usize].flip(lit.negated())));
        match old.kind(gate) {
            Kind::True | Kind::Open => {}
            Kind::Input(number) => value[gate as usize] = input[number as usize],
            Kind::And => value[gate as usize] = gates.and(&lits),
            Kind::Or => value[gate as usize] = gates.or(&lits),
        }
    }
    for gate in 0..old.len() as u32 {
        if old.kind(gate) == Kind::Open {
            lits.clear();
            lits.extend(old.inputs(gate).iter().map(|lit| value[lit.gate() as usize].flip(lit.negated())));
            gates.close(value[gate as usize].gate(), &lits);
        }
    }
    let map = |lit: Lit| value[lit.gate() as usize].flip(lit.negated());
    found.next = kept.iter().map(|&fact| map(found.next[fact])).collect();
    found.start = kept.iter().map(|&fact| found.start[fact]).collect();
    found.facts = kept.iter().map(|&fact| found.facts[fact]).collect();
    found.moves = order.iter().map(|&mv| (found.moves[mv].0, found.moves[mv].1, map(found.moves[mv].2))).collect();
    found.terminal = map(found.terminal);
    found.goals.iter_mut().for_each(|goal| goal.2 = map(goal.2));
    found.goals.retain(|goal| goal.2 != Lit::FALSE);
    found.gates = gates;
}

impl Game for Net {
    type State = State;
    type View = View;

    fn roles(&self) -> usize {
        self.lexicon.roles.len()
    }

    fn start(&self) -> State {
        self.start.clone()
    }

    fn view_bytes(&self, view: &View) -> usize {
        let outputs = match &view.outputs {
            Outputs::Watch(watch, joint) => watch.bytes() + joint.capacity() * size_of::<Move>(),
            Outputs::Read(bits) => bits.capacity() * 8,
        };
        size_of::<View>() + outputs + size_of_val(&*view.state.0) + view.slots.capacity() * 8
    }

    fn view(&self) -> View {
        let outputs = match &self.events {
            Some(events) => Outputs::Watch(events.watch(), Vec::new()),
            None => Outputs::Read(vec![0; self.circuit.outputs.len().div_ceil(64)]),
        };
        let state = State(vec![0; self.facts.len().div_ceil(64)].into());
        View { outputs, state, slots: Vec::new(), filled: false }
    }

    fn look(&self, state: &State, view: &mut View) -> Result<(), Limit> {
        view.filled = false;
        let View { outputs, state: last, .. } = view;
        if let (Some(events), Outputs::Watch(watch, _)) = (&self.events, outputs) {
            for (at, (new, old)) in state.0.iter().zip(&mut last.0).enumerate() {
                let mut changed = *new ^ *old;
                while changed != 0 {
                    let bit = changed.trailing_zeros() as usize;
                    changed &= changed - 1;
                    events.set(watch, 64 * at + bit, new >> bit & 1 == 1);
                }
                *old = *new;
            }
            events.follow(watch);
            return Ok(());
        }
        view.state.clone_from(state);
        self.fill(view);
        let View { outputs, slots, .. } = view;
        if let Outputs::Read(bits) = outputs {
            let next = self.moves.len() + 1 + self.goals.len();
            self.read_bits(slots, 0..next, bits);
        }
        Ok(())
    }

    fn turn(&self, view: &View) -> Turn {
        if self.over(view) {
            return Turn::Over;
        }
        let mut from = 0;
        game::turn_from_counts(self.ends.iter().map(|&end| {
            let count = ones(view.bits(), from, end).count();
            from = end;
            count
        }))
    }

    fn legal(&self, view: &View, role: Role, out: &mut Vec<Move>) {
        if self.over(view) {
            return;
        }
        let range = legal::range(role, &self.ends);
        out.extend(ones(view.bits(), range.start, range.end).map(|mv| Move(mv as u32)));
    }

    fn goal(&self, view: &mut View, role: Role) -> Result<Option<Goal>, Limit> {
        let first = self.moves.len() + 1;
        Ok(self.only_goal(role, |goal| view.bit(first + goal)))
    }

    fn play(&self, view: &mut View, joint: &[Move], next: &mut State) -> Result<(), Limit> {
        let facts = self.facts.len();
        let first = self.moves.len() + 1 + self.goals.len();
        if let (Some(events), Outputs::Watch(watch, made)) = (&self.events, &mut view.outputs) {
            made.iter().for_each(|mv| events.set(watch, facts + mv.0 as usize, false));
            joint.iter().for_each(|mv| events.set(watch, facts + mv.0 as usize, true));
            made.clear();
            made.extend_from_slice(joint);
            events.follow(watch);
        } else {
            self.run_moves(view, joint);
        }
        next.0.fill(0);
        copy_bits(view.bits(), first, facts, &mut next.0);
        Ok(())
    }

    fn over(&self, view: &View) -> bool {
        view.bit(self.moves.len())
    }

    fn children(&self, view: &mut View, joints: &[Vec<Move>], out: &mut Vec<State>) -> Result<(), Limit> {
        Net::children(self, view, joints, out);
        Ok(())
    }

    fn lanes(&self) -> usize {
        crate::rollouts::LANES
    }

    fn rollouts(&self, feed: &mut dyn game::rollouts::Feed<State>, most: usize, seed: u64) -> Result<(), Limit> {
        crate::rollouts::rollouts(self, feed, most, seed);
        Ok(())
    }
}

impl Net {
    /// Runs the first program on the state of the view, in all lanes.
    fn fill(&self, view: &mut View) {
        if view.slots.is_empty() {
            view.slots = slots_for(&self.circuit);
        }
        for fact in 0..self.facts.len() {
            view.slots[1 + fact] = 0u64.wrapping_sub(view.state.0[fact / 64] >> (fact % 64) & 1);
        }
        run(&self.circuit, &self.circuit.state, &mut view.slots);
        view.filled = true;
    }

    /// Runs the second program with these moves in lane 0, and reads what the facts become.
    fn run_moves(&self, view: &mut View, joint: &[Move]) {
        let moves = 1 + self.facts.len();
        joint.iter().for_each(|mv| view.slots[moves + mv.0 as usize] = 1);
        run(&self.circuit, &self.circuit.moves, &mut view.slots);
        let first = self.moves.len() + 1 + self.goals.len();
        if let Outputs::Read(bits) = &mut view.outputs {
            self.read_bits(&view.slots, first..self.circuit.outputs.len(), bits);
        }
        joint.iter().for_each(|mv| view.slots[moves + mv.0 as usize] = 0);
    }

    fn read_bits(&self, slots: &[u64], range: std::ops::Range<usize>, bits: &mut [u64]) {
        for at in range {
            let bit = read(slots, self.circuit.outputs[at]) & 1;
            bits[at / 64] = bits[at / 64] & !(1 << (at % 64)) | bit << (at % 64);
        }
    }

    /// The role's goal, if exactly one holds.
    fn only_goal(&self, role: Role, holds: impl Fn(usize) -> bool) -> Option<Goal> {
        let mine = self.goals.iter().enumerate().filter(|(at, (who, _))| *who == role && holds(*at));
        let mut values = mine.map(|(_, (_, value))| *value);
        match (values.next(), values.next()) {
            (Some(value), None) => value,
            _ => None,
        }
    }
}

/// The places of the bits that are set from one place to another.
fn ones(bits: &[u64], from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
    let words = from / 64..to.div_ceil(64);
    words.flat_map(move |at| {
        let mut word = bits[at];
        if at == from / 64 {
            word &= !0 << (from % 64);
        }
        if at == to / 64 {
            word &= (1 << (to % 64)) - 1;
        }
        std::iter::from_fn(move || {
            (word != 0).then(|| {
                let bit = word.trailing_zeros() as usize;
                word &= word - 1;
                64 * at + bit
            })
        })
    })
}

/// Copies so many bits that begin at some place to the beginning of `to`.
fn copy_bits(from: &[u64], first: usize, count: usize, to: &mut [u64]) {
    for (at, word) in to.iter_mut().enumerate() {
        let place = first + 64 * at;
        let mut bits = from[place / 64] >> (place % 64);
        if !place.is_multiple_of(64) && place / 64 + 1 < from.len() {
            bits |= from[place / 64 + 1] << (64 - place % 64);
        }
        let left = count - 64 * at;
        *word = if left < 64 { bits & ((1 << left) - 1) } else { bits };
    }
}

/// How many states [`Net::children`] and [`Net::leaves`] work out at the price of one.
pub const BATCH: usize = 64;

/// Up to [`BATCH`] states looked at together.
pub struct Leaves {
    slots: Vec<u64>,
    count: usize,
}

impl Net {
    /// The states that follow from the state looked at when each of these joint moves is made: up to [`BATCH`] of
    /// them cost as much as one. Written to `out`, in the same order.
    pub fn children(&self, view: &mut View, joints: &[Vec<Move>], out: &mut Vec<State>) {
        if !view.filled {
            self.fill(view);
        }
        let moves = 1 + self.facts.len();
        let outputs = &self.circuit.outputs[self.moves.len() + 1 + self.goals.len()..];
        out.clear();
        for part in joints.chunks(BATCH) {
            for (lane, joint) in part.iter().enumerate() {
                joint.iter().for_each(|mv| view.slots[moves + mv.0 as usize] |= 1 << lane);
            }
            run(&self.circuit, &self.circuit.moves, &mut view.slots);
            let first = out.len();
            out.resize(first + part.len(), State(vec![0; self.facts.len().div_ceil(64)].into()));
            for (fact, &wire) in outputs.iter().enumerate() {
                let mut lanes = read(&view.slots, wire);
                if part.len() < BATCH {
                    lanes &= (1 << part.len()) - 1;
                }
                while lanes != 0 {
                    out[first + lanes.trailing_zeros() as usize].0[fact / 64] |= 1 << (fact % 64);
                    lanes &= lanes - 1;
                }
            }
            part.iter().flatten().for_each(|mv| view.slots[moves + mv.0 as usize] = 0);
        }
    }

    /// Scratch for [`Net::look_at`].
    pub fn leaves(&self) -> Leaves {
        Leaves { slots: slots_for(&self.circuit), count: 0 }
    }

    /// Looks at up to [`BATCH`] states at the price of one.
    ///
    /// # Panics
    /// If there are more than [`BATCH`].
    pub fn look_at(&self, states: &[&State], leaves: &mut Leaves) {
        assert!(states.len() <= BATCH, "at most {BATCH} states at a time");
        leaves.count = states.len();
        for fact in 0..self.facts.len() {
            let lanes = states.iter().enumerate();
            leaves.slots[1 + fact] =
                lanes.fold(0, |word, (lane, state)| word | (state.0[fact / 64] >> (fact % 64) & 1) << lane);
        }
        run(&self.circuit, &self.circuit.state, &mut leaves.slots);
    }

    /// Whether the state in this lane is terminal.
    pub fn leaf_over(&self, leaves: &Leaves, lane: usize) -> bool {
        read(&leaves.slots, self.circuit.outputs[self.moves.len()]) >> lane & 1 == 1
    }

    /// The goal of a role in the state of this lane.
    pub fn leaf_goal(&self, leaves: &Leaves, lane: usize, role: Role) -> Option<Goal> {
        let outputs = &self.circuit.outputs[self.moves.len() + 1..];
        self.only_goal(role, |goal| read(&leaves.slots, outputs[goal]) >> lane & 1 == 1)
    }

    /// Appends the legal moves of a role in the state of this lane.
    pub fn leaf_legal(&self, leaves: &Leaves, lane: usize, role: Role, out: &mut Vec<Move>) {
        let legal = |mv: &usize| read(&leaves.slots, self.circuit.outputs[*mv]) >> lane & 1 == 1;
        out.extend(legal::range(role, &self.ends).filter(legal).map(|mv| Move(mv as u32)));
    }
}

impl Leaves {
    /// How many states were looked at.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether no state was looked at.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl Names for Net {
    fn role_name(&self, role: Role) -> &str {
        self.lexicon.role_name(role)
    }

    fn move_text(&self, mv: Move) -> String {
        self.lexicon.text(self.moves[mv.0 as usize])
    }

    fn facts(&self, state: &State) -> Vec<String> {
        let holding = (0..self.facts.len()).filter(|&fact| state.0[fact / 64] >> (fact % 64) & 1 == 1);
        let ids = holding.map(|fact| self.facts[fact]).chain(self.always.iter().copied());
        let bank = self.lexicon.bank();
        facts::sorted(ids.map(|id| bank.text(id, self.lexicon.symbols())))
    }

    fn state_of(&self, facts: &[&str]) -> Option<State> {
        let numbers = facts::sorted_numbers(facts, |fact| self.fact_number(fact))?;
        let (bits, lasting) = numbers.split_at(numbers.partition_point(|&number| (number as usize) < self.facts.len()));
        let mut state = State(vec![0; self.facts.len().div_ceil(64)].into());
        bits.iter().for_each(|fact| state.0[*fact as usize / 64] |= 1 << (fact % 64));
        // A state without one of the facts that always hold is no state of this game.
        (lasting.len() == self.always.len()).then_some(state)
    }

    fn legal_move(&self, view: &View, role: Role, text: &str) -> Option<Move> {
        let term = self.lexicon.term(text)?;
        let range = legal::range(role, &self.ends);
        let mv = {
            let bank = self.lexicon.bank();
            let id = bank.find_term(&term)?;
            range.start + self.moves[range].binary_search_by(|&mv| bank.compare(mv, id)).ok()?
        };
        (!self.over(view) && view.bit(mv)).then_some(Move(mv as u32))
    }
}
