//! A game as a propnet, one state at a time.
//!
//! The same gates serve two purposes: here they are the bits of words, 64 gates of one state at a time; [`Lanes`] runs them as a
//! circuit, bit-sliced on wide planes with another game in every lane. Steps from several states run the circuit on 64-bit words.

mod advance;
mod batch;
mod build;

use crate::bank::{Bank, Id};
use crate::budget::{Budget, Stop};
use crate::circuit::{Circuit, circuit};
use crate::effects::Effects;
use crate::facts;
use crate::gates::{GateKind, Gates, Lit};
use crate::ground::{Ground, Unfit, ground};
use crate::lanes::Lanes;
use crate::legal;
use crate::lexicon::Lexicon;
use crate::packed::{Field, Packed, Plan, Skill, each_one, some_ones};
use crate::parts::Parts;
use crate::plane::{Words, run, slots_for};
use crate::prospect::{Prospect, Scratch};
use crate::prover::{LoadError, Prover};
use crate::settled::Settled;
use crate::symmetry::Wiring;
use game::{Game, Goal, Limit, Move, Names, Role, Turn};
use gdl::Rules;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;

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
    /// For one state at a time.
    packed: Packed,
    /// What can still be had; for games of one role only.
    prospect: Option<Prospect>,
    /// How the game falls apart; for games of one role only.
    parts: Option<Parts>,
    /// What no longer matters once a part of the game is over; for games of several roles only.
    settled: Option<Settled>,
    /// What it computes, for proofs; not for very large nets.
    wiring: Option<Wiring>,
    size: Size,
}

/// The facts that hold, a bit each.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State(pub(crate) Box<[u64]>);

/// What follows from one state.
pub struct View {
    field: Field,
    /// All gates in 64 lanes, each with the state looked at. Filled when it is first needed.
    slots: Vec<u64>,
    filled: bool,
    /// All gates in 512 lanes, for steps from many states. Made when it is first needed.
    wide: Vec<Words>,
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
        Ok(PropNet::build(found, prover, before, constant, Skill::here(), &mut budget)?)
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
    pub fn moves_of(&self, role: Role) -> Range<usize> {
        legal::range(role, &self.ends)
    }

    /// A bound of what a role can still get, whatever is done from this state on: no continuation ends with a greater goal. `None` where
    /// nobody looks for it: the game has several roles, or its net is very large.
    pub fn most(&self, state: &State, role: Role, scratch: &mut Scratch) -> Option<Goal> {
        let prospect = self.prospect.as_ref()?;
        Some(prospect.most(&state.0, role, &self.goals, scratch).unwrap_or(0))
    }

    /// How the game falls apart. `None` where nobody looks for it: the game has several roles, or its net is very large.
    pub fn parts(&self) -> Option<&Parts> {
        self.parts.as_ref()
    }

    /// What no longer matters once a part of the game is over. `None` where there is nothing of the kind, or nobody looks for it: the game has one role,
    /// or its net is very large.
    pub fn settled(&self) -> Option<&Settled> {
        self.settled.as_ref()
    }

    /// Whether it is proved that a map of facts and moves changes nothing: that what is legal, the end, the goals and what follows are in the image
    /// of every state the images of what they are there. Each fact by its bit and each move by its number becomes what is given in its place. A
    /// map may change nothing and not be proved.
    pub fn keeps(&self, facts: &[u32], moves: &[Move]) -> bool {
        let moves: Vec<u32> = moves.iter().map(|mv| mv.0).collect();
        self.wiring.as_ref().is_some_and(|wiring| wiring.keeps(facts, &moves))
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
        self.packed.list_legal(&view.field, legal::range(role, &self.ends), out);
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
        let planes = view.slots.capacity() * 8 + view.wide.capacity() * 64;
        size_of::<View>() + view.field.bytes() + planes
    }

    fn view(&self) -> View {
        View { field: self.packed.field(), slots: Vec::new(), filled: false, wide: Vec::new() }
    }

    fn look(&self, state: &State, view: &mut View) -> Result<(), Limit> {
        view.filled = false;
        self.packed.look(&mut view.field, &state.0);
        Ok(())
    }

    fn turn(&self, view: &View) -> Turn {
        if self.over(view) {
            return Turn::Over;
        }
        let legal = self.packed.legal(&view.field);
        let mut from = 0;
        game::turn_from_counts(self.ends.iter().map(|&end| {
            let count = some_ones(legal, from..end);
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
        let goals = self.packed.goals(&mut view.field);
        let mut holding = (None, 0);
        each_one(goals, 0..self.goals.len(), |goal| {
            let (who, value) = self.goals[goal];
            if who == role {
                holding = (value, holding.1 + 1);
            }
        });
        Ok(holding.0.filter(|_| holding.1 == 1))
    }

    fn play(&self, view: &mut View, joint: &[Move], next: &mut State) -> Result<(), Limit> {
        self.packed.play(&mut view.field, joint.iter().map(|mv| mv.0 as usize), &mut next.0);
        Ok(())
    }

    fn over(&self, view: &View) -> bool {
        bit(self.packed.legal(&view.field), self.moves.len())
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
        let facts = self.packed.facts(&view.field);
        for fact in 0..self.facts.len() {
            view.slots[1 + fact] = 0u64.wrapping_sub(facts[fact / 64] >> (fact % 64) & 1);
        }
        run(&self.circuit, &self.circuit.state, &mut view.slots);
        view.filled = true;
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

fn bit(bits: &[u64], at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 == 1
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
        (!self.over(view) && bit(self.packed.legal(&view.field), mv)).then_some(Move(mv as u32))
    }
}
