//! Rule code: rules compiled to routines, one for each relation and pattern of known arguments.
//!
//! The engine for rules that are too large for a net. Beginning with what is asked from outside (`legal` for a role,
//! `next`, `terminal`, `goal` for a role) the routines that are needed are found, the conditions of their clauses put
//! in order, and all of it written as code over registers: [`plan`](plan), [`emit`](emit), [`run`](run). Relations
//! that depend on nothing become tables; facts of the state have numbers by position and indexes that follow the
//! state from move to move. What depends only on the state can be kept while the state lasts; what depends on the moves
//! is not kept, except where recursion needs it.

mod clause;
mod code;
mod compile;
mod emit;
mod plan;
mod recursion;
mod run;
mod show;
mod space;
mod state;
mod types;
mod vars;
mod world;

pub use state::View;

use crate::bank::{Bank, Id};
use crate::budget::Budget;
use crate::facts;
use crate::legal;
use crate::lexicon::Lexicon;
use crate::program::Reach;
use crate::prover::{Limits, LoadError, Prover};
use code::Code;
use game::{Game, Goal, Limit, Move, Names, Role, Turn};
use gdl::{Rules, Symbol};
use plan::Guess;
use run::Run;
use state::Played;
use world::World;

/// The facts of a sampled state: functor and arguments of each.
type SampleState = Vec<(Symbol, Vec<Id>)>;

/// A game run by code made from its rules.
///
/// ```
/// use game::{Game, Names, Role};
/// let rules = gdl::parse("(role me) (init (at 1)) (succ 1 2) (succ 2 3)
///     (<= (legal me (go ?y)) (true (at ?x)) (succ ?x ?y))
///     (<= (next (at ?y)) (does me (go ?y)))
///     (<= terminal (true (at 3))) (<= (goal me 100) (true (at 3)))").rules;
/// let game = machine::RuleCode::new(&rules).unwrap();
/// let mut view = game.view();
/// game.look(&game.start(), &mut view).unwrap();
/// let mut moves = Vec::new();
/// game.legal(&view, Role(0), &mut moves);
/// assert_eq!(game.move_text(moves[0]), "(go 2)");
/// ```
pub struct RuleCode {
    code: Code,
    lexicon: Lexicon,
    start: State,
    limits: Limits,
    /// The names of relations.
    names: Vec<Symbol>,
}

/// How many states are looked at to learn what states look like, and the steps that may take.
const SAMPLE_STATES: usize = 150;
const SAMPLE_WORK: u64 = 1_000_000;
/// The steps that planning may take: some seconds.
const PLAN_WORK: u64 = 1 << 28;
/// How often the code is made anew from what the last one showed.
const ROUNDS: usize = 4;

/// The facts that are true, by number, sorted.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct State(Vec<u32>);

impl State {
    /// The numbers of the facts, sorted.
    pub(crate) fn numbers(&self) -> &[u32] {
        &self.0
    }
}

impl RuleCode {
    /// Makes rules ready to be played, with the usual limits.
    pub fn new(rules: &Rules) -> Result<RuleCode, LoadError> {
        RuleCode::with_limits(rules, Limits::default())
    }

    /// Makes rules ready to be played.
    pub fn with_limits(rules: &Rules, limits: Limits) -> Result<RuleCode, LoadError> {
        let prover = Prover::with_limits(rules, limits.clone())?;
        RuleCode::from_prover(rules, &prover, limits)
    }

    /// As [`RuleCode::with_limits`], where a prover for the rules is at hand.
    pub fn from_prover(rules: &Rules, prover: &Prover, limits: Limits) -> Result<RuleCode, LoadError> {
        RuleCode::learn(rules, prover, limits).map(|(code, _)| code)
    }

    /// The plans of all routines as text: which questions the rules can ask, and in which order conditions are tried.
    pub fn plans(rules: &Rules, prover: &Prover, limits: Limits) -> Result<String, LoadError> {
        let (_, mut world) = RuleCode::learn(rules, prover, limits)?;
        compile::plans(&mut world).map_err(refused)
    }

    /// The first code knows only the start; the next ones learn from the games it plays what states look like and what
    /// routines cost.
    fn learn<'a>(rules: &Rules, prover: &'a Prover, limits: Limits) -> Result<(RuleCode, World<'a>), LoadError> {
        let budget = Budget::planning(PLAN_WORK, &limits);
        let mut world = World::new(rules, prover, budget).map_err(refused)?;
        let (mut code, mut plans) = RuleCode::build(&mut world, &limits).map_err(refused)?;
        for round in 0..ROUNDS {
            let (states, counts) = code.sample();
            if round == 0 {
                world.see_states(&states);
            }
            for (routine, count) in plans.into_iter().zip(&counts.routines) {
                let calls = count.calls as f64;
                if count.calls >= 5 && routine.cost.is_some() {
                    let cost = (count.steps + 2 * count.kept) as f64 / calls;
                    let rows = count.found as f64 / (count.calls - count.kept).max(1) as f64;
                    world.measured.insert((routine.rel, routine.modes), Guess { rows, cost });
                }
            }
            (code, plans) = RuleCode::build(&mut world, &limits).map_err(refused)?;
        }
        Ok((code, world))
    }

    fn build(world: &mut World<'_>, limits: &Limits) -> Result<(RuleCode, Vec<plan::Routine>), String> {
        let (code, plans) = compile::compile(world)?;
        let prover = world.prover;
        let names = world.relations.iter().map(|relation| relation.name).collect();
        let bank = prover.shared_bank();
        let numbers = prover.start_ids().iter().map(|&id| code.facts.number(id, &bank, &code.domains));
        let mut start: Vec<u32> = numbers.collect();
        drop(bank);
        start.sort_unstable();
        let made =
            RuleCode { code, lexicon: prover.lexicon().clone(), start: State(start), limits: limits.clone(), names };
        Ok((made, plans))
    }

    /// States of random games, each fact as functor and arguments; as many as a small amount of work allows.
    fn sample(&self) -> (Vec<SampleState>, run::Counts) {
        let (mut states, mut rng) = (Vec::new(), game::random::Rng::new(1));
        let mut view = self.view();
        view.budget = Some(SAMPLE_WORK);
        view.counts = Some(Box::new(run::Counts::new(&self.code)));
        let (mut state, mut next) = (self.start(), self.start());
        while states.len() < SAMPLE_STATES && self.look(&state, &mut view).is_ok() {
            states.push(state.0.iter().map(|&number| self.parts(number, &view)).collect());
            let mut joint = Vec::new();
            for role in game::roles(self) {
                let mut legal = Vec::new();
                self.legal(&view, role, &mut legal);
                if !legal.is_empty() {
                    joint.push(legal[rng.below(legal.len())]);
                }
            }
            if view.over || joint.len() < self.lexicon.roles.len() {
                state.clone_from(&self.start);
            } else if self.play(&mut view, &joint, &mut next).is_ok() {
                std::mem::swap(&mut state, &mut next);
            } else {
                break;
            }
        }
        (states, view.counts.map(|counts| *counts).unwrap_or_default())
    }

    /// The functor and arguments of a fact.
    fn parts(&self, number: u32, view: &View) -> (Symbol, Vec<Id>) {
        let facts = &self.code.facts;
        match number.checked_sub(facts.total) {
            Some(id) => (view.bank.functor(id), view.bank.args(id).to_vec()),
            None => {
                let shape = &facts.shapes[facts.shape_at(number)];
                let args = (0..shape.digits.len()).map(|at| shape.arg(number, at, &self.code.domains));
                (shape.functor, args.collect())
            }
        }
    }

    /// The number of a fact, if its words are those of the game. A term that no state has made yet has a number by position,
    /// or gets one here where facts can have any form, so that it keeps it.
    pub(crate) fn fact_number(&self, text: &str) -> Option<u32> {
        let term = self.lexicon.term(text)?;
        let mut bank = self.lexicon.bank();
        let facts = &self.code.facts;
        facts.find(&term, &bank, &self.code.domains).or_else(|| {
            let id = if facts.others { bank.add(&term) } else { None };
            id.map(|id| facts.total + id)
        })
    }

    /// The term of this functor whose arguments are the view's key; `None` if it would be nested too deeply.
    fn make(&self, view: &mut View, functor: Symbol) -> Option<Id> {
        let mut shared = self.lexicon.bank();
        let id = shared.intern(functor, &view.key);
        view.bank.catch_up(&shared);
        id
    }

    /// A fact as a term.
    fn fact_term(&self, view: &mut View, number: u32) -> Option<Id> {
        let facts = &self.code.facts;
        if let Some(id) = number.checked_sub(facts.total) {
            return Some(id);
        }
        let shape = &facts.shapes[facts.shape_at(number)];
        view.key.clear();
        view.key.extend((0..shape.digits.len()).map(|at| shape.arg(number, at, &self.code.domains)));
        let found = view.bank.find(shape.functor, &view.key);
        found.or_else(|| self.make(view, shape.functor))
    }

    /// A move as a term.
    fn move_term(&self, view: &mut View, number: u32) -> Option<Id> {
        let moves = &self.code.moves;
        if let Some(id) = number.checked_sub(moves.total) {
            return Some(id);
        }
        let shape = &moves.shapes[moves.shape_at(number)];
        view.key.clear();
        view.key.extend((0..shape.digits.len()).map(|at| shape.arg(number, at, &self.code.domains)));
        let found = view.bank.find(shape.functor, &view.key);
        found.or_else(|| self.make(view, shape.functor))
    }

    /// Makes a view ready for a question from outside.
    fn begin(&self, view: &mut View) {
        view.lists.iter_mut().for_each(Vec::clear);
        view.most = view.budget.unwrap_or(self.limits.work);
        if view.budget.is_none() {
            view.work = 0;
        }
    }

    /// Runs pieces of code one after the other; what they yield is in `out`.
    fn collect(&self, view: &mut View, entries: &[u32], asked: Symbol, role: Option<Id>) -> Result<(), Limit> {
        view.out.clear();
        self.begin(view);
        for &entry in entries {
            if let Some(role) = role {
                view.regs[0] = role;
            }
            let mut counts = view.counts.take();
            let mut run = Run { game: self, code: &self.code, view, asked, count: counts.as_deref_mut() };
            let done = run.exec(entry, 0);
            view.counts = counts;
            if let Err(limit) = done {
                view.forget();
                return Err(limit);
            }
        }
        Ok(())
    }

    fn text(&self, number: u32, numbering: &space::Numbering, bank: &Bank) -> String {
        if let Some(id) = number.checked_sub(numbering.total) {
            return bank.text(id, self.lexicon.symbols());
        }
        let shape = &numbering.shapes[numbering.shape_at(number)];
        let name = self.lexicon.symbols().name(shape.functor);
        if shape.digits.is_empty() {
            return name.to_string();
        }
        let args: Vec<String> = (0..shape.digits.len())
            .map(|at| bank.text(shape.arg(number, at, &self.code.domains), self.lexicon.symbols()))
            .collect();
        format!("({name} {})", args.join(" "))
    }
}

fn refused(message: String) -> LoadError {
    LoadError { span: None, message }
}

impl Game for RuleCode {
    type State = State;
    type View = View;

    fn roles(&self) -> usize {
        self.lexicon.roles.len()
    }

    fn start(&self) -> State {
        self.start.clone()
    }

    fn view_bytes(&self, view: &View) -> usize {
        view.all_bytes()
    }

    fn view(&self) -> View {
        View::new(&self.code, self.lexicon.bank().clone())
    }

    fn look(&self, state: &State, view: &mut View) -> Result<(), Limit> {
        let last = state.0.last().and_then(|last| last.checked_sub(self.code.facts.total));
        if last.is_some_and(|id| id as usize >= view.bank.len()) {
            view.bank.catch_up(&self.lexicon.bank());
        }
        view.load(&self.code, &state.0);
        view.over = match self.code.entries.terminal {
            Some(routine) => self.ask(view, routine, Symbol::TERMINAL, None, |_, proved| proved)?,
            None => false,
        };
        if view.over {
            return Ok(());
        }
        for &role in &self.lexicon.roles {
            self.collect(view, &self.code.entries.legal, Symbol::LEGAL, Some(role))?;
            let View { out, legal, ends, bank, .. } = view;
            let moves = &self.code.moves;
            if moves.others {
                self.sort_terms(out, bank);
            } else {
                out.sort_unstable();
            }
            out.dedup();
            legal.extend_from_slice(out);
            ends.push(legal.len());
        }
        Ok(())
    }

    fn turn(&self, view: &View) -> Turn {
        legal::turn(view.over, &view.ends)
    }

    fn legal(&self, view: &View, role: Role, out: &mut Vec<Move>) {
        legal::moves_of(role, &view.legal, &view.ends, out);
    }

    fn goal(&self, view: &mut View, role: Role) -> Result<Option<Goal>, Limit> {
        let Some(routine) = self.code.entries.goal else { return Ok(None) };
        let role = self.lexicon.roles[role.0 as usize];
        self.ask(view, routine, Symbol::GOAL, Some(role), |view, _| {
            let rows = &mut view.lists[1];
            rows.sort_unstable();
            rows.dedup();
            let [value] = rows[..] else { return None };
            self.lexicon.goal(view.bank.functor(value))
        })
    }

    fn play(&self, view: &mut View, joint: &[Move], next: &mut State) -> Result<(), Limit> {
        view.void(Reach::Moves);
        view.played.clear();
        view.args.clear();
        joint.iter().for_each(|mv| self.take_apart(view, mv.0));
        self.collect(view, &self.code.entries.next, Symbol::NEXT, None)?;
        next.0.clear();
        let View { out, out_bits, .. } = view;
        let words = out_bits.len();
        if self.code.facts.others || words > 2 * out.len() + 16 {
            next.0.extend_from_slice(out);
            next.0.sort_unstable();
            next.0.dedup();
            return Ok(());
        }
        // Few bits for the facts there are: going through them is quicker than sorting.
        out.iter().for_each(|&number| out_bits[number as usize / 64] |= 1 << (number % 64));
        for (at, word) in out_bits.iter_mut().enumerate() {
            let mut left = std::mem::take(word);
            while left != 0 {
                next.0.push(at as u32 * 64 + left.trailing_zeros());
                left &= left - 1;
            }
        }
        Ok(())
    }

    fn over(&self, view: &View) -> bool {
        view.over
    }
}

impl RuleCode {
    /// Runs a routine for a question from outside.
    fn ask<T>(
        &self,
        view: &mut View,
        routine: u32,
        asked: Symbol,
        role: Option<Id>,
        read: impl FnOnce(&mut View, bool) -> T,
    ) -> Result<T, Limit> {
        self.begin(view);
        if let Some(role) = role {
            view.regs[0] = role;
        }
        // The answers of a list are at depth one, as if something had called it.
        view.depth = 1;
        let mut counts = view.counts.take();
        let mut run = Run { game: self, code: &self.code, view, asked, count: counts.as_deref_mut() };
        let done = run.answer_outside(routine);
        view.counts = counts;
        view.depth = 0;
        match done {
            Ok(proved) => Ok(read(view, proved)),
            Err(limit) => {
                view.forget();
                Err(limit)
            }
        }
    }

    fn take_apart(&self, view: &mut View, number: u32) {
        let first = view.args.len() as u32;
        let functor = match number.checked_sub(self.code.moves.total) {
            Some(id) => {
                if id as usize >= view.bank.len() {
                    view.bank.catch_up(&self.lexicon.bank());
                }
                view.args.extend_from_slice(view.bank.args(id));
                view.bank.functor(id)
            }
            None => {
                let shape = &self.code.moves.shapes[self.code.moves.shape_at(number)];
                view.args.extend((0..shape.digits.len()).map(|at| shape.arg(number, at, &self.code.domains)));
                shape.functor
            }
        };
        let arity = (view.args.len() as u32 - first) as u8;
        view.played.push(Played { number, functor, first, arity });
    }

    /// Puts moves in the order of their terms.
    fn sort_terms(&self, out: &mut [u32], bank: &Bank) {
        let moves = &self.code.moves;
        let parts = |number: u32| match number.checked_sub(moves.total) {
            Some(id) => (bank.functor(id), bank.args(id).to_vec()),
            None => {
                let shape = &moves.shapes[moves.shape_at(number)];
                (shape.functor, (0..shape.digits.len()).map(|at| shape.arg(number, at, &self.code.domains)).collect())
            }
        };
        out.sort_by(|&a, &b| {
            let ((f, x), (g, y)) = (parts(a), parts(b));
            f.cmp(&g).then(x.len().cmp(&y.len())).then_with(|| {
                x.iter().zip(&y).map(|(&x, &y)| bank.compare(x, y)).find(|order| order.is_ne()).unwrap_or(a.cmp(&b))
            })
        });
    }
}

impl Names for RuleCode {
    fn role_name(&self, role: Role) -> &str {
        self.lexicon.role_name(role)
    }

    fn move_text(&self, mv: Move) -> String {
        self.text(mv.0, &self.code.moves, &self.lexicon.bank())
    }

    fn facts(&self, state: &State) -> Vec<String> {
        let bank = self.lexicon.bank();
        facts::sorted(state.0.iter().map(|&number| self.text(number, &self.code.facts, &bank)))
    }

    fn state_of(&self, facts: &[&str]) -> Option<State> {
        facts::sorted_numbers(facts, |fact| self.fact_number(fact)).map(State)
    }

    fn legal_move(&self, view: &View, role: Role, text: &str) -> Option<Move> {
        let number = self.code.moves.find(&self.lexicon.term(text)?, &view.bank, &self.code.domains)?;
        legal::find(role, &view.legal, &view.ends, number)
    }
}
