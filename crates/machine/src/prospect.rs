//! What can still be had: goals that no continuation of a game reaches any more.
//!
//! A fact that stays as it is whatever happens is *settled*. Which facts are settled in a state is found by running the net with three
//! values, true, false and open: at first every fact is what it is and every legal move is open. A fact that may become something
//! else is open from then on, what depends on it may become open with it, and so on until nothing changes. Values only ever go from
//! known to open, so every wire of the net is followed once. A goal that is known to be false in the end is out of reach: a
//! *latch* has closed, or the way has led into a *dead end*.
//!
//! One move is made at a time, so a fact only becomes open if an open move can change it (`effects`): a cell for which no number is left stays
//! empty, even where the rules would let it go if no move were made at all.
//!
//! The answer is a bound. Otherwise moves are taken to be open one by one, as if several could be made at once, and gates that depend on
//! themselves are always open; so what is out of reach may not be noticed, and what is told to be out of reach is.

use crate::effects::Effects;
use crate::gates::{GateKind, Gates, Lit};
use crate::ground::Ground;
use game::{Goal, Role};

const OPEN: u8 = 2;

/// The net in the form that following openings needs. What does not lead to facts, legal moves or goals is left out.
pub(crate) struct Prospect {
    /// The kind of each gate, inputs before what reads them.
    kinds: Vec<Kind>,
    inputs: Wires,
    /// Who reads a gate: gates, then what becomes of facts, then moves that it makes legal.
    readers: Wires,
    facts: Vec<u32>,
    next: Vec<Lit>,
    moves: Vec<u32>,
    legal: Vec<Lit>,
    goals: Vec<Lit>,
    /// The moves that can change a fact, and the facts that a move can change, where that is known.
    touches: Option<Touches>,
}

struct Touches {
    of_facts: Vec<Vec<u32>>,
    of_moves: Vec<Vec<u32>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    True,
    Fact(u32),
    Move(u32),
    And,
    Or,
    Loop,
}

/// Lists of wires, one after the other.
struct Wires {
    ends: Vec<u32>,
    lits: Vec<Lit>,
}

impl Wires {
    fn of(&self, at: u32) -> std::ops::Range<usize> {
        let at = at as usize;
        let from = if at == 0 { 0 } else { self.ends[at - 1] };
        from as usize..self.ends[at] as usize
    }
}

/// Memory for [`PropNet::most`](crate::PropNet::most), to be used again and again.
#[derive(Default)]
pub struct Scratch {
    values: Vec<u8>,
    /// How many inputs decide a gate.
    deciding: Vec<u32>,
    /// Gates that have become open, and what they were before.
    waiting: Vec<(u32, u8)>,
}

impl Scratch {
    fn value(&self, lit: Lit) -> u8 {
        match self.values[lit.gate() as usize] {
            OPEN => OPEN,
            known => known ^ u8::from(lit.negated()),
        }
    }

    fn open(&mut self, gate: u32) {
        let before = std::mem::replace(&mut self.values[gate as usize], OPEN);
        if before != OPEN {
            self.waiting.push((gate, before));
        }
    }
}

impl Prospect {
    pub fn new(found: &Ground, effects: Option<&Effects>) -> Prospect {
        let gates = &found.gates;
        let facts = found.facts.len();
        let wanted: Vec<Lit> = found.next.iter().copied().chain(found.moves.iter().map(|mv| mv.2)).collect();
        let kept = cone(gates, wanted.iter().chain(found.goals.iter().map(|goal| &goal.2)));
        let mut number = vec![0; gates.len()];
        let mut count = 0;
        for gate in 0..gates.len() {
            if kept[gate] {
                number[gate] = count;
                count += 1;
            }
        }
        let lit = |old: Lit| Lit::of(number[old.gate() as usize]).flip(old.negated());
        let (mut kinds, mut inputs) = (Vec::new(), Wires { ends: Vec::new(), lits: Vec::new() });
        let (mut of_facts, mut of_moves) = (vec![0; facts], vec![0; found.moves.len()]);
        for gate in (0..gates.len() as u32).filter(|&gate| kept[gate as usize]) {
            let here = kinds.len() as u32;
            kinds.push(match gates.kind(gate) {
                GateKind::True => Kind::True,
                GateKind::Input(fact) if (fact as usize) < facts => {
                    of_facts[fact as usize] = here;
                    Kind::Fact(fact)
                }
                GateKind::Input(mv) => {
                    of_moves[mv as usize - facts] = here;
                    Kind::Move(mv - facts as u32)
                }
                GateKind::And => Kind::And,
                GateKind::Or => Kind::Or,
                GateKind::Open => Kind::Loop,
            });
            if matches!(gates.kind(gate), GateKind::And | GateKind::Or) {
                inputs.lits.extend(gates.inputs(gate).iter().map(|&input| lit(input)));
            }
            inputs.ends.push(inputs.lits.len() as u32);
        }
        let next: Vec<Lit> = found.next.iter().map(|&old| lit(old)).collect();
        let legal: Vec<Lit> = found.moves.iter().map(|mv| lit(mv.2)).collect();
        let goals = found.goals.iter().map(|goal| lit(goal.2)).collect();
        let mut read: Vec<Vec<Lit>> = vec![Vec::new(); kinds.len()];
        for gate in 0..kinds.len() as u32 {
            for &input in &inputs.lits[inputs.of(gate)] {
                read[input.gate() as usize].push(Lit::of(gate).flip(input.negated()));
            }
        }
        for (at, target) in (kinds.len() as u32..).zip(next.iter().chain(&legal)) {
            read[target.gate() as usize].push(Lit::of(at));
        }
        let mut readers = Wires { ends: Vec::new(), lits: Vec::new() };
        for list in read {
            readers.lits.extend(list);
            readers.ends.push(readers.lits.len() as u32);
        }
        let touches = effects.map(|effects| {
            let mut of_facts = vec![Vec::new(); facts];
            for (mv, touched) in (0..).zip(&effects.touched) {
                touched.iter().for_each(|&fact| of_facts[fact as usize].push(mv));
            }
            Touches { of_facts, of_moves: effects.touched.clone() }
        });
        Prospect { kinds, inputs, readers, facts: of_facts, next, moves: of_moves, legal, goals, touches }
    }

    /// Whether a move that may be made could change this fact.
    fn is_touched(&self, fact: usize, scratch: &Scratch) -> bool {
        let Some(touches) = &self.touches else { return true };
        touches.of_facts[fact].iter().any(|&mv| scratch.values[self.moves[mv as usize] as usize] == OPEN)
    }

    /// Opens a fact if it may become something else.
    fn reconsider(&self, fact: usize, scratch: &mut Scratch) {
        let gate = self.facts[fact];
        let current = scratch.values[gate as usize];
        if current != OPEN && scratch.value(self.next[fact]) != current && self.is_touched(fact, scratch) {
            scratch.open(gate);
        }
    }

    /// The greatest goal of a role that is not out of reach; `None` if all are.
    pub fn most(
        &self,
        state: &[u64],
        role: Role,
        goals: &[(Role, Option<Goal>)],
        scratch: &mut Scratch,
    ) -> Option<Goal> {
        self.begin(state, scratch);
        for (&mv, &legal) in self.moves.iter().zip(&self.legal) {
            if scratch.value(legal) != 0 {
                scratch.open(mv);
            }
        }
        self.settle(scratch);
        (0..self.facts.len()).for_each(|fact| self.reconsider(fact, scratch));
        self.settle(scratch);
        let within = goals.iter().zip(&self.goals).filter(|((who, _), lit)| *who == role && scratch.value(**lit) != 0);
        within.filter_map(|((_, goal), _)| *goal).max()
    }

    /// Every gate as it is in the state, while no move is made.
    fn begin(&self, state: &[u64], scratch: &mut Scratch) {
        scratch.waiting.clear();
        scratch.values.clear();
        scratch.deciding.clear();
        for (gate, &kind) in self.kinds.iter().enumerate() {
            let mut deciding = 0;
            let value = match kind {
                Kind::True => 1,
                Kind::Fact(fact) => (state[fact as usize / 64] >> (fact % 64) & 1) as u8,
                Kind::Move(_) => 0,
                Kind::Loop => OPEN,
                Kind::And | Kind::Or => {
                    let decisive = u8::from(kind == Kind::Or);
                    let mut open = false;
                    for &input in &self.inputs.lits[self.inputs.of(gate as u32)] {
                        let value = scratch.value(input);
                        deciding += u32::from(value == decisive);
                        open |= value == OPEN;
                    }
                    if deciding > 0 {
                        decisive
                    } else if open {
                        OPEN
                    } else {
                        1 - decisive
                    }
                }
            };
            scratch.values.push(value);
            scratch.deciding.push(deciding);
        }
    }

    /// Follows what became open as far as it goes.
    fn settle(&self, scratch: &mut Scratch) {
        let count = self.kinds.len();
        while let Some((gate, before)) = scratch.waiting.pop() {
            if let (Kind::Move(mv), Some(touches)) = (self.kinds[gate as usize], &self.touches) {
                touches.of_moves[mv as usize].iter().for_each(|&fact| self.reconsider(fact as usize, scratch));
            }
            for &reader in &self.readers.lits[self.readers.of(gate)] {
                let at = reader.gate() as usize;
                if at >= count + self.facts.len() {
                    scratch.open(self.moves[at - count - self.facts.len()]);
                } else if at >= count {
                    self.reconsider(at - count, scratch);
                } else if scratch.values[at] != OPEN {
                    let decisive = u8::from(self.kinds[at] == Kind::Or);
                    scratch.deciding[at] -= u32::from(before ^ u8::from(reader.negated()) == decisive);
                    if scratch.deciding[at] == 0 {
                        scratch.open(at as u32);
                    }
                }
            }
        }
    }
}

/// The gates that these literals depend on, with all inputs of the net.
fn cone<'a>(gates: &Gates, wanted: impl Iterator<Item = &'a Lit>) -> Vec<bool> {
    let mut kept: Vec<bool> =
        (0..gates.len() as u32).map(|gate| matches!(gates.kind(gate), GateKind::True | GateKind::Input(_))).collect();
    let mut waiting: Vec<u32> = wanted.map(|lit| lit.gate()).collect();
    while let Some(gate) = waiting.pop() {
        if !std::mem::replace(&mut kept[gate as usize], true) && gates.kind(gate) != GateKind::Open {
            waiting.extend(gates.inputs(gate).iter().map(|lit| lit.gate()));
        }
    }
    kept
}
