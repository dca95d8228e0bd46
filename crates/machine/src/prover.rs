//! The oracle: top-down resolution over the rules as written, with every question asked once.
//!
//! A question is a relation with some of its arguments given. Its answers are found by trying the clauses in order
//! and their conditions one by one, and are kept in a table, so that asking again costs nothing: for good where the
//! relation depends on nothing, until the next state or the next moves otherwise. A question that leads back to
//! itself uses the answers found so far, and the whole circle of questions is worked through again until nothing new
//! turns up; negation is stratified, so this is the exact meaning of the rules. (Published rules sometimes deny a
//! relation inside itself, though never for the same arguments; that works too, and what really denies itself is an error.)
//!
//! Slow compared with the other engines, simple, and kept as what they are compared with. It uses no recursion:
//! rules can exhaust the limits, not the stack.

mod run;
mod view;

use crate::answers::Status;
use crate::bank::{Bank, Id, UNBOUND};
use crate::budget::Budget;
use crate::facts;
use crate::legal;
use crate::lexicon::Lexicon;
use crate::program::{Program, Reach, Rel};
use game::{Cancel, Facts, Game, Goal, Limit, Move, Names, Role, Turn};
use gdl::{Rules, Span, Symbol, Symbols};
use run::Run;
pub(crate) use run::unify;
use std::fmt;
use std::sync::MutexGuard;
pub use view::{State, View};

/// What the prover may spend.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Steps of inference for one question (the legal moves, the next state …).
    pub work: u64,
    /// Bytes for terms and answers, in all.
    pub memory: usize,
    /// When this is cancelled, what is being worked out ends with [`game::LimitKind::Time`].
    pub cancel: Cancel,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { work: 20_000_000_000, memory: 2 << 30, cancel: Cancel::new() }
    }
}

/// Why rules cannot be played.
#[derive(Clone, Debug)]
pub struct LoadError {
    /// The place in the rules, where there is one.
    pub span: Option<Span>,
    /// What is wrong.
    pub message: String,
}

impl LoadError {
    fn new(message: impl Into<String>) -> LoadError {
        LoadError { span: None, message: message.into() }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LoadError {}

/// A game run by resolution over its rules.
///
/// ```
/// use game::{Game, Names, Role};
/// let rules = gdl::parse("(role me) (init (at 1)) (succ 1 2) (succ 2 3)
///     (<= (legal me (go ?y)) (true (at ?x)) (succ ?x ?y))
///     (<= (next (at ?y)) (does me (go ?y)))
///     (<= terminal (true (at 3))) (<= (goal me 100) (true (at 3)))").rules;
/// let game = machine::Prover::new(&rules).unwrap();
/// let mut view = game.view();
/// game.look(&game.start(), &mut view).unwrap();
/// let mut moves = Vec::new();
/// game.legal(&view, Role(0), &mut moves);
/// assert_eq!(game.move_text(moves[0]), "(go 2)");
/// ```
pub struct Prover {
    program: Program,
    lexicon: Lexicon,
    /// What new views begin with: the questions about fixed relations that the start needed are answered in it.
    template: View,
    start: State,
    limits: Limits,
    ask: Ask,
}

/// The relations that are asked from outside; `None` where the rules never mention one.
struct Ask {
    legal: Option<Rel>,
    next: Option<Rel>,
    goal: Option<Rel>,
    terminal: Option<Rel>,
}

impl Prover {
    /// Makes rules ready to be played, with the usual limits.
    pub fn new(rules: &Rules) -> Result<Prover, LoadError> {
        Prover::with_limits(rules, Limits::default())
    }

    /// Makes rules ready to be played. Lenient: faults that `gdl::validate` calls errors are accepted as long as the
    /// rules still have a meaning.
    pub fn with_limits(rules: &Rules, limits: Limits) -> Result<Prover, LoadError> {
        let mut bank = Bank::new();
        let mut budget = Budget::of(&limits);
        let program = Program::new(rules, &mut bank, &mut budget)
            .map_err(|refusal| LoadError { span: refusal.span, message: refusal.message })?;
        let ask = Ask {
            legal: program.relation(Symbol::LEGAL, 2),
            next: program.relation(Symbol::NEXT, 1),
            goal: program.relation(Symbol::GOAL, 2),
            terminal: program.relation(Symbol::TERMINAL, 0),
        };
        let template = View::new(&program, bank.clone());
        let mut prover = Prover {
            program,
            lexicon: Lexicon::new(rules.symbols.clone(), bank),
            template,
            start: State::default(),
            limits,
            ask,
        };
        budget.heard()?;
        prover.begin().map_err(|limit| LoadError::new(format!("working out the start: {limit}")))?;
        if prover.lexicon.roles.is_empty() {
            return Err(LoadError::new("the rules name no role; add (role …)"));
        }
        if prover.lexicon.roles.len() > 255 {
            return Err(LoadError::new("more than 255 roles"));
        }
        for (missing, what) in [(prover.ask.legal.is_none(), "legal"), (prover.ask.terminal.is_none(), "terminal")] {
            if missing {
                return Err(LoadError::new(format!("the rules never define `{what}`, so nothing can be played")));
            }
        }
        budget.heard()?;
        Ok(prover)
    }

    fn begin(&mut self) -> Result<(), Limit> {
        let mut view = self.template.clone();
        if let Some(role) = self.program.relation(Symbol::ROLE, 1) {
            self.lexicon.roles = self.all(&mut view, role)?;
        }
        if let Some(init) = self.program.relation(Symbol::INIT, 1) {
            let mut facts = self.all(&mut view, init)?;
            facts.sort_unstable();
            self.start = State(facts);
        }
        if self.lexicon.roles.len() <= 255 {
            self.look(&self.start, &mut view)?;
        }
        view.reset();
        self.template = view;
        Ok(())
    }

    /// All answers to a relation of one argument.
    fn all(&self, view: &mut View, rel: Rel) -> Result<Vec<Id>, Limit> {
        let (reach, table) = self.query(view, rel, &[UNBOUND])?;
        let table = view.stores[reach as usize].table(table);
        Ok((0..table.count).map(|row| table.row(row)[0]).collect())
    }

    /// The rows of a relation that depends on nothing, where the arguments that are not 0 have these values. Gives up
    /// when it would take more than `work` steps.
    pub(crate) fn ask_fixed(
        &self,
        view: &mut View,
        rel: Rel,
        key: &[Id],
        most: u64,
    ) -> Result<(Vec<Vec<Id>>, u64), Limit> {
        let (reach, table, work) = self.query_within(view, rel, key, most)?;
        let table = view.stores[reach as usize].table(table);
        let rows = (0..table.count).map(|row| {
            let mut values = table.row(row).iter();
            key.iter().map(|&id| if id == UNBOUND { values.next().copied().unwrap_or(UNBOUND) } else { id }).collect()
        });
        Ok((rows.collect(), work))
    }

    /// The term with this functor and these arguments; `None` if it would be nested too deeply.
    pub(crate) fn make(&self, view: &mut View, functor: Symbol, args: &[Id]) -> Option<Id> {
        if let Some(id) = view.bank.find(functor, args) {
            return Some(id);
        }
        let mut shared = self.lexicon.bank();
        let id = shared.intern(functor, args);
        view.bank.catch_up(&shared);
        id
    }

    /// The terms known to all views.
    pub(crate) fn shared_bank(&self) -> MutexGuard<'_, Bank> {
        self.lexicon.bank()
    }

    /// Makes terms that others added known to this view.
    pub(crate) fn catch_up(&self, view: &mut View) {
        view.bank.catch_up(&self.lexicon.bank());
    }

    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// What the game calls things, for the engines that are made from this one.
    pub(crate) fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    pub(crate) fn symbols(&self) -> &Symbols {
        self.lexicon.symbols()
    }

    pub(crate) fn role_ids(&self) -> &[Id] {
        &self.lexicon.roles
    }

    pub(crate) fn start_ids(&self) -> &[Id] {
        &self.start.0
    }

    /// Answers a question completely.
    fn query(&self, view: &mut View, rel: Rel, key: &[Id]) -> Result<(Reach, u32), Limit> {
        let (reach, table, _) = self.query_within(view, rel, key, self.limits.work)?;
        Ok((reach, table))
    }

    /// The table that answers a question, and the steps it took to fill it.
    fn query_within(&self, view: &mut View, rel: Rel, key: &[Id], most: u64) -> Result<(Reach, u32, u64), Limit> {
        let reach = self.program.relations[rel as usize].reach;
        let table = view.stores[reach as usize].find(rel, key);
        let mut work = 0;
        if view.stores[reach as usize].table(table).status != Status::Complete {
            let mut run = Run { prover: self, program: &self.program, view, work: 0, most };
            let done = run.complete(reach, table);
            work = run.work;
            if let Err(limit) = done {
                // Half-answered questions must not survive.
                view.forget();
                return Err(limit);
            }
        }
        Ok((reach, table, work))
    }
}

impl Game for Prover {
    type State = State;
    type View = View;

    fn roles(&self) -> usize {
        self.lexicon.roles.len()
    }

    fn start(&self) -> State {
        self.start.clone()
    }

    fn view_bytes(&self, view: &View) -> usize {
        // Terms, answers and marks of facts; the stack of frames is small beside them.
        let words = view.answer_words + view.marks.capacity() + view.slots.capacity() + view.state.capacity();
        size_of::<View>() + view.bank.bytes() * 2 + words * 4
    }

    fn view(&self) -> View {
        self.template.clone()
    }

    fn look(&self, state: &State, view: &mut View) -> Result<(), Limit> {
        if state.0.last().is_some_and(|&id| id as usize >= view.bank.len()) {
            view.bank.catch_up(&self.lexicon.bank());
        }
        view.load(&self.program, state);
        view.over = match self.ask.terminal {
            Some(terminal) => {
                let (reach, table) = self.query(view, terminal, &[])?;
                view.stores[reach as usize].table(table).count > 0
            }
            None => false,
        };
        view.legal.clear();
        view.ends.clear();
        if view.over {
            return Ok(());
        }
        for &role in &self.lexicon.roles {
            let start = view.legal.len();
            if let Some(legal) = self.ask.legal {
                let (reach, table) = self.query(view, legal, &[role, UNBOUND])?;
                let View { stores, legal, bank, .. } = view;
                let table = stores[reach as usize].table(table);
                legal.extend((0..table.count).map(|row| table.row(row)[0]));
                legal[start..].sort_unstable_by(|&a, &b| bank.compare(a, b));
            }
            view.ends.push(view.legal.len());
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
        let Some(goal) = self.ask.goal else { return Ok(None) };
        let (reach, table) = self.query(view, goal, &[self.lexicon.roles[role.0 as usize], UNBOUND])?;
        let table = view.stores[reach as usize].table(table);
        if table.count != 1 {
            return Ok(None);
        }
        Ok(self.lexicon.goal(view.bank.functor(table.row(0)[0])))
    }

    fn play(&self, view: &mut View, joint: &[Move], next: &mut State) -> Result<(), Limit> {
        view.joint.clear();
        view.joint.extend(joint.iter().map(|mv| mv.0));
        view.stores[Reach::Moves as usize].clear();
        next.0.clear();
        if let Some(rel) = self.ask.next {
            let (reach, table) = self.query(view, rel, &[UNBOUND])?;
            let table = view.stores[reach as usize].table(table);
            next.0.extend((0..table.count).map(|row| table.row(row)[0]));
            next.0.sort_unstable();
        }
        Ok(())
    }

    fn over(&self, view: &View) -> bool {
        view.over
    }
}

impl Names for Prover {
    fn role_name(&self, role: Role) -> &str {
        self.lexicon.role_name(role)
    }

    fn move_text(&self, mv: Move) -> String {
        self.lexicon.text(mv.0)
    }

    fn facts(&self, state: &State) -> Vec<String> {
        let bank = self.lexicon.bank();
        facts::sorted(state.0.iter().map(|&id| bank.text(id, self.lexicon.symbols())))
    }

    fn state_of(&self, facts: &[&str]) -> Option<State> {
        facts::sorted_numbers(facts, |fact| self.fact(fact)).map(State)
    }

    fn legal_move(&self, view: &View, role: Role, text: &str) -> Option<Move> {
        let id = view.bank.find_term(&self.lexicon.term(text)?)?;
        legal::find(role, &view.legal, &view.ends, id)
    }
}
