//! A game as a propnet, one state at a time.
//!
//! The same circuit serves two purposes: here it runs on 64-bit words with one state in lane 0; [`Lanes`] runs it bit-sliced
//! on wide planes with another game in every lane.

mod advance;
mod batch;
mod build;

use crate::bank::{Bank, Id};
use crate::budget::{Budget, Stop};
use crate::circuit::{Circuit, circuit};
use crate::events::{Events, Values};
use crate::facts;
use crate::gates::{GateKind, Gates, Lit};
use crate::ground::{Ground, Unfit, ground};
use crate::lanes::Lanes;
use crate::legal;
use crate::lexicon::Lexicon;
use crate::plane::{Words, read, run, slots_for};
use crate::prover::{LoadError, Prover};
use game::{Game, Goal, Limit, Move, Names, Role, Turn};
use gdl::Rules;
use std::cmp::Ordering;
use std::collections::HashMap;

use batch::BATCH;
use build::simplify;

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

/// A game as a propnet: gates from facts to legal moves, the end and goals, and with moves to the next facts.
///
/// ```
/// use game::{Game, perft::perft};
/// let rules = gdl::parse("(role me) (init (at 1)) (succ 1 2) (succ 2 3)
///     (<= (legal me (go ?y)) (true (at ?x)) (succ ?x ?y)) (<= (legal me stay) (true (at ?x)))
///     (<= (next (at ?y)) (does me (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does me stay))
///     (<= terminal (true (at 3))) (<= (goal me 100) (true (at 3)))").rules;
/// let net = machine::PropNet::new(&rules, machine::Budget::default()).unwrap();
/// let nodes: Vec<u64> = perft(&net, 3).unwrap().iter().map(|count| count.nodes).collect();
/// assert_eq!(nodes, [1, 2, 4, 6]);
/// ```
pub struct PropNet {
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

impl State {
    /// How many facts are different.
    fn differences(&self, other: &State) -> u32 {
        self.0.iter().zip(&other.0).map(|(a, b)| (a ^ b).count_ones()).sum()
    }
}

/// What follows from one state.
pub struct View {
    /// The outputs, a bit each: legal for each move, terminal, goals, what each fact becomes.
    outputs: Outputs,
    /// The state looked at.
    state: State,
    /// All gates in 64 lanes, each with the state looked at. Filled when it is first needed.
    slots: Vec<u64>,
    filled: bool,
    /// All gates in 512 lanes, for steps from many states. Made when it is first needed.
    wide: Vec<Words>,
}

enum Outputs {
    /// Kept up to date by following changes; the moves made last are still set.
    Followed(Values, Vec<Move>),
    /// Read off the slots after they were run.
    Read(Vec<u64>),
}

impl View {
    fn bits(&self) -> &[u64] {
        match &self.outputs {
            Outputs::Followed(values, _) => &values.outputs,
            Outputs::Read(bits) => bits,
        }
    }

    fn bit(&self, at: usize) -> bool {
        self.bits()[at / 64] >> (at % 64) & 1 == 1
    }
}

impl PropNet {
    /// Grounds rules and makes a net of them.
    pub fn new(rules: &Rules, budget: Budget) -> Result<PropNet, NoNet> {
        let prover = Prover::new(rules).map_err(NoNet::Load)?;
        PropNet::from_prover(rules, &prover, budget).map_err(NoNet::Unfit)
    }

    /// As [`PropNet::new`], where a prover for the rules is at hand.
    pub fn from_prover(rules: &Rules, prover: &Prover, budget: Budget) -> Result<PropNet, Unfit> {
        let (mut found, mut budget) = ground(rules, prover, budget)?;
        let before = (found.facts.len(), found.moves.len(), found.gates.len());
        let constant = simplify(&mut found, &prover.shared_bank(), &mut budget)?;
        Ok(PropNet::build(found, prover, before, constant, &mut budget)?)
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

    /// How many facts change; they are numbered from 0.
    pub fn fact_count(&self) -> usize {
        self.facts.len()
    }

    /// The moves of a role, which are numbered role after role.
    pub fn moves_of(&self, role: Role) -> std::ops::Range<usize> {
        legal::range(role, &self.ends)
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

    /// The state in which exactly these facts hold, and those that always do; `None` if one of them is not a fact.
    pub(crate) fn state_with(&self, facts: &[u32]) -> Option<State> {
        let mut words = vec![0; self.facts.len().div_ceil(64)];
        for &fact in facts {
            let fact = fact as usize;
            if fact >= self.facts.len() + self.always.len() {
                return None;
            }
            if fact < self.facts.len() {
                words[fact / 64] |= 1 << (fact % 64);
            }
        }
        Some(State(words.into()))
    }

    /// Appends the moves that the rules name as legal, whether or not the game is over.
    pub(crate) fn legal_by_rules(&self, view: &View, role: Role, out: &mut Vec<Move>) {
        let range = legal::range(role, &self.ends);
        out.extend(ones(view.bits(), range.start, range.end).map(|mv| Move(mv as u32)));
    }

    pub(crate) fn move_count(&self) -> usize {
        self.moves.len()
    }
}

impl Game for PropNet {
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
            Outputs::Followed(values, joint) => values.bytes() + joint.capacity() * size_of::<Move>(),
            Outputs::Read(bits) => bits.capacity() * 8,
        };
        size_of::<View>()
            + outputs
            + size_of_val(&*view.state.0)
            + view.slots.capacity() * 8
            + view.wide.capacity() * 64
    }

    fn view(&self) -> View {
        let outputs = match &self.events {
            Some(events) => Outputs::Followed(events.values(), Vec::new()),
            None => Outputs::Read(vec![0; self.circuit.outputs.len().div_ceil(64)]),
        };
        View { outputs, state: self.start.clone(), slots: Vec::new(), filled: false, wide: Vec::new() }
    }

    fn look(&self, state: &State, view: &mut View) -> Result<(), Limit> {
        view.filled = false;
        let View { outputs, state: last, .. } = view;
        if let (Some(events), Outputs::Followed(values, made)) = (&self.events, outputs) {
            // The next game begins far from where the last one ended.
            if *state == self.start && events.is_far(last.differences(state)) {
                events.begin_again(values);
                made.clear();
                last.clone_from(state);
                return Ok(());
            }
            // The moves made last are taken back with the same changes: what would follow from them here is of no use to anybody.
            made.drain(..).for_each(|mv| events.set(values, self.facts.len() + mv.0 as usize, false));
            for (at, (new, old)) in state.0.iter().zip(&mut last.0).enumerate() {
                let mut changed = *new ^ *old;
                while changed != 0 {
                    let bit = changed.trailing_zeros() as usize;
                    changed &= changed - 1;
                    events.set(values, 64 * at + bit, new >> bit & 1 == 1);
                }
                *old = *new;
            }
            events.follow(values);
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
        self.legal_by_rules(view, role, out);
    }

    fn goal(&self, view: &mut View, role: Role) -> Result<Option<Goal>, Limit> {
        let first = self.moves.len() + 1;
        Ok(self.only_goal(role, |goal| view.bit(first + goal)))
    }

    fn play(&self, view: &mut View, joint: &[Move], next: &mut State) -> Result<(), Limit> {
        let facts = self.facts.len();
        let first = self.moves.len() + 1 + self.goals.len();
        if let (Some(events), Outputs::Followed(values, made)) = (&self.events, &mut view.outputs) {
            made.iter().for_each(|mv| events.set(values, facts + mv.0 as usize, false));
            joint.iter().for_each(|mv| events.set(values, facts + mv.0 as usize, true));
            made.clear();
            made.extend_from_slice(joint);
            events.follow(values);
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
        PropNet::children(self, view, joints, out);
        Ok(())
    }

    fn advance(&self, view: &mut View, steps: &mut dyn game::steps::Steps<State>) -> Result<(), Limit> {
        self.make_steps(view, steps)
    }

    fn lanes(&self) -> usize {
        crate::rollouts::LANES
    }

    fn rollouts(&self, feed: &mut dyn game::rollouts::Feed<State>, most: usize, seed: u64) -> Result<(), Limit> {
        crate::rollouts::rollouts(self, feed, most, seed);
        Ok(())
    }
}

impl PropNet {
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

impl Names for PropNet {
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
