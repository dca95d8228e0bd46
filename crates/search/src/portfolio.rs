//! Several searchers at once, and the choice between them.
//!
//! The baseline is the rule of the paper: one alpha-beta search for each evaluator and some to the end of the game; an
//! exhaustive result always wins, otherwise the deepest search. Ours measures before the game begins which evaluators
//! foretell outcomes, lets searchers that use them play fast matches against UCT, and spends the time of every move on
//! the winner, with UCT where nothing is better beyond doubt. During the game the winner goes on playing UCT, from positions of the match, and is
//! left where it proves to be worse. Part of one thread tries to solve the rest of the game exactly.
//!
//! A [`Task`] is all that a worker needs and a [`Found`] all that it reports, so workers may be elsewhere.

mod reports;

pub use reports::{add_up, deepest};

use crate::measure::watch::{Verdict, Watch};
use crate::measure::{self, Measured};
use crate::method::alpha_beta;
use crate::proof_number::ProofNumber;
use crate::puzzle::{self, Puzzle};
use crate::simple::MonteCarlo;
use crate::uct::Uct;
use crate::{AlphaBetaSettings, PuzzleSettings, UctSettings};
use crate::{
    Budget, Found, Knowledge, Method, Monitor, Searcher, SharedEvaluator, UnknownEvaluator, first_moves, without_choice,
};
use game::{Game, Limit, Move, Role, Turn};
use reports::{better_than_refuted, select};
use std::sync::atomic::{AtomicBool, Ordering};

/// Random games for each move that keeps a proven value, to choose among them.
const TRIES: u64 = 1000;

/// The part of a counted budget that is kept for that choice.
const KEPT: f32 = 0.1;

/// The part of the time before the game in which it is measured what suits the game; the rest is for the first move.
const MEASURED: f32 = 0.85;
/// The part of the time before the game in which the solver has a thread, whether it sees ends of the game or not.
const SOLVER_BESIDE: f32 = 0.2;

/// The part of the time of a move in which a choice is held against UCT, where there was no time of the others for it; and the part of theirs.
const WATCHED: f32 = 0.1;
const WATCHED_PONDERING: f32 = 0.25;

/// All that a worker has to be told; what it reports is a [`Found`].
#[derive(Clone, Debug)]
pub struct Task<S> {
    /// Where to search.
    pub state: S,
    /// For whom.
    pub role: Role,
    /// How.
    pub method: Method,
    /// States to look at, if limited.
    pub nodes: Option<u64>,
    /// Random games to play, if limited.
    pub playouts: Option<u64>,
    /// Bytes to use.
    pub memory: usize,
    /// The seed.
    pub seed: u64,
}

impl<S> Task<S> {
    /// Does it with a searcher of its own, until its limits or `spent` end it.
    pub fn run<G: Game<State = S> + 'static>(
        &self,
        game: &G,
        knowledge: &Knowledge<G>,
        spent: &(dyn Fn() -> f32 + Sync),
        monitor: &Monitor,
    ) -> Result<Result<Found, Limit>, UnknownEvaluator> {
        let Task { nodes, playouts, memory, seed, .. } = *self;
        let budget = Budget { spent, nodes, playouts, memory, seed, seconds: None };
        Ok(self.method.searcher(knowledge)?.search(game, &self.state, self.role, &budget, monitor))
    }
}

/// How a portfolio decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Selection {
    /// As in the paper: an exhaustive result, else the deepest search.
    Deepest,
    /// By what was measured before the game.
    Measured,
}

/// What can be set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PortfolioSettings {
    /// How to decide. (default: measured)
    pub selection: Selection,
    /// Threads to use. (default: one for each processor)
    pub threads: usize,
}

impl Default for PortfolioSettings {
    fn default() -> PortfolioSettings {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        PortfolioSettings { selection: Selection::Measured, threads }
    }
}

/// Who tries to solve the rest of the game. Proof numbers need more states than alpha-beta, and make them many times as fast: they have
/// the clock, and alpha-beta has those budgets in which states are counted.
struct Solver<G: Game> {
    timed: ProofNumber<G>,
    counted: Box<dyn Searcher<G>>,
}

impl<G: Game + 'static> Solver<G> {
    fn new(knowledge: &Knowledge<G>) -> Solver<G> {
        let counted = alpha_beta(AlphaBetaSettings::default(), None, knowledge);
        Solver { timed: ProofNumber::new(knowledge), counted }
    }

    /// The one for this budget.
    fn of(&mut self, budget: &Budget<'_>) -> &mut dyn Searcher<G> {
        if budget.is_counted() { &mut *self.counted } else { &mut self.timed }
    }
}

/// The complete searcher.
pub struct Portfolio<G: Game> {
    settings: PortfolioSettings,
    knowledge: Knowledge<G>,
    /// The searchers of each thread, kept from move to move. Trees of random games are one tree, that all threads grow.
    workers: Vec<Vec<Box<dyn Searcher<G>>>>,
    solver: Solver<G>,
    puzzle: Puzzle<G>,
    method: Method,
    /// Why it is the method, once that was measured.
    measured: Option<Measured>,
    /// The choice held against UCT during the match, as long as that is open.
    watch: Option<Watch<G>>,
    /// Whether that was done since the last search.
    watched: bool,
    /// What was left during the match, and why.
    left: Option<String>,
    /// What nobody has been told yet.
    news: Option<String>,
    /// Whether the last answer was proved by the solver.
    solved: bool,
    /// Whether the game has one role.
    alone: bool,
}

impl<G: Game + 'static> Portfolio<G> {
    /// A portfolio with these settings, for a game of which this is known.
    pub fn new(settings: PortfolioSettings, knowledge: Knowledge<G>) -> Portfolio<G> {
        let threads = settings.threads.max(1);
        let workers = match settings.selection {
            Selection::Measured => {
                let team = Uct::new(UctSettings::default()).team(threads);
                team.into_iter().map(|uct| vec![Box::new(uct) as Box<dyn Searcher<G>>]).collect()
            }
            Selection::Deepest => {
                let mut workers: Vec<Vec<Box<dyn Searcher<G>>>> = (0..threads).map(|_| Vec::new()).collect();
                let exhaustive = [alpha_beta(AlphaBetaSettings::exhaustive(), None, &knowledge)];
                let with =
                    |one: &SharedEvaluator<G>| alpha_beta(AlphaBetaSettings::default(), Some(one.clone()), &knowledge);
                let all = exhaustive.into_iter().chain(knowledge.evaluators.iter().map(with));
                all.enumerate().for_each(|(number, searcher)| workers[number % threads].push(searcher));
                workers.retain(|worker| !worker.is_empty());
                workers
            }
        };
        Portfolio {
            settings,
            workers,
            solver: Solver::new(&knowledge),
            puzzle: Puzzle::new(PuzzleSettings::default()).with_knowledge(&knowledge),
            method: Method::uct(),
            measured: None,
            watch: None,
            watched: false,
            left: None,
            news: None,
            solved: false,
            alone: false,
            knowledge,
        }
    }

    /// The way of searching that was chosen for this game; UCT until something else was measured to be better.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Searches in this way from here on, as if it had been chosen before the game: unless it is UCT, it is held against that during the match and
    /// left where it is worse.
    ///
    /// # Errors
    /// If it names an evaluator that is not known.
    pub fn take(&mut self, method: Method) -> Result<(), UnknownEvaluator> {
        let threads = self.workers.len();
        let team = method.team(&self.knowledge, threads)?;
        self.workers = team.into_iter().map(|searcher| vec![searcher]).collect();
        self.watch = (method != Method::uct()).then(|| Watch::new(method.clone(), threads, 0));
        self.method = method;
        Ok(())
    }

    /// Holds the choice against UCT for a part of the time that is left, if that is still open.
    fn watch(&mut self, game: &G, state: &G::State, budget: &Budget<'_>, part: f32) {
        let Some(watch) = &mut self.watch else { return };
        let begin = (budget.spent)();
        let spent = || budget.part_spent(begin, (1.0 - begin) * part);
        let slice = Budget { spent: &spent, ..budget.part(part) };
        // What the engine cannot do says nothing about the choice.
        let verdict = watch.go(game, &self.knowledge, state, &slice).unwrap_or(Verdict::Open);
        self.watched = true;
        if verdict == Verdict::Fails {
            let left = format!("instead of {}, {}", self.method.words(&self.knowledge.names), watch.why());
            // UCT names no evaluator.
            let _ = self.take(Method::uct());
            self.news = Some(format!("{}: {left}", self.method.words(&self.knowledge.names)));
            self.left = Some(left);
        }
        if verdict != Verdict::Open {
            self.watch = None;
        }
    }

    /// Why it searches in the way it does.
    fn why(&self) -> String {
        match (&self.left, &self.measured) {
            (Some(left), _) => left.clone(),
            (None, Some(measured)) => measured.why(),
            (None, None) if self.knowledge.evaluators.is_empty() => {
                "no evaluation of positions is known for this game".to_string()
            }
            (None, None) => "nothing else was measured before the game".to_string(),
        }
    }

    /// What is shown while it works: a proof, else what the workers report, else what the solver has come to.
    fn merge(&self, seed: u64) -> impl Fn(Vec<Option<Found>>) -> Option<Found> + Send + Sync + 'static {
        let (least, selection) = (f32::from(self.knowledge.range.0), self.settings.selection);
        move |mut reports| {
            let solver = reports.pop().flatten();
            if solver.as_ref().is_some_and(|proof| proof.proven && proof.value > least) {
                return solver;
            }
            select(reports.into_iter().flatten().collect(), selection, seed).or(solver)
        }
    }

    /// All workers side by side, each of its searchers after the other; the last thread may try the solver first.
    fn run(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> (Option<Found>, Vec<Found>) {
        let monitors = monitor.split(self.workers.len() + 1, self.merge(budget.seed));
        let threads = self.workers.len();
        let share = Budget { memory: self.memory(budget), ..*budget };
        // Where several roles choose at once it could not prove anything.
        let mut view = game.view();
        let in_turn = game.look(state, &mut view).is_ok() && game.turn(&view) != Turn::Many;
        let solving = self.settings.selection == Selection::Measured && in_turn;
        let solver = &mut self.solver;
        let last = threads - 1;
        let least = f32::from(self.knowledge.range.0);
        // Whether the solver is done, so that nobody needs to go on; counted budgets are kept to the end, so that the trees
        // grow the same in every run. A proven loss is no advice.
        let solved = AtomicBool::new(false);
        // Alone the solver must leave most of the time to the real search; beside others it may try longer.
        let solvers = if threads == 1 { 0.1 } else { 0.3 };
        let of_workers = if solving { 1.0 - solvers - KEPT } else { 1.0 };
        let work = |number: usize, worker: &mut Vec<Box<dyn Searcher<G>>>, solver: Option<&mut Solver<G>>| {
            let mut proof = None;
            if let Some(solver) = solver {
                let begin = (budget.spent)();
                let spent = || budget.part_spent(begin, (1.0 - begin) * solvers);
                let limited = Budget { spent: &spent, ..share.part(solvers) };
                proof = solver.of(&limited).search(game, state, role, &limited, &monitors[threads]).ok();
                // Where the end is near, a proof is worth more than a second tree.
                let open = proof.as_ref().is_some_and(|proof| !proof.proven);
                if open && threads > 1 && !budget.is_counted() && solver.timed.is_hopeful() {
                    proof = solver.of(&share).search(game, state, role, &share, &monitors[threads]).ok();
                }
                if proof.as_ref().is_some_and(|proof| proof.proven && proof.value > least) {
                    solved.store(!budget.is_counted(), Ordering::Relaxed);
                    return (proof, Vec::new());
                }
            }
            let count = worker.len();
            let mut reports = Vec::with_capacity(count);
            for (at, searcher) in worker.iter_mut().enumerate() {
                let begin = (budget.spent)();
                let spent = || match solved.load(Ordering::Relaxed) {
                    true => 1.0,
                    false => budget.part_spent(begin, (1.0 - begin) / (count - at) as f32),
                };
                let seed = share.seed.wrapping_add((1000 * number + at) as u64);
                let part = Budget { spent: &spent, seed, ..share.part(of_workers / (count * threads) as f32) };
                reports.extend(searcher.search(game, state, role, &part, &monitors[number]).ok());
            }
            (proof, reports)
        };
        let mut proof = None;
        let mut reports = Vec::new();
        if threads == 1 {
            (proof, reports) = work(0, &mut self.workers[0], solving.then_some(solver));
        } else {
            std::thread::scope(|scope| {
                let work = &work;
                let mut solver = solving.then_some(solver);
                let mut running = Vec::new();
                for (number, worker) in self.workers.iter_mut().enumerate() {
                    let solver = if number == last { solver.take() } else { None };
                    running.push(scope.spawn(move || work(number, worker, solver)));
                }
                for thread in running {
                    let Ok((found, more)) = thread.join() else { continue };
                    proof = proof.take().or(found);
                    reports.extend(more);
                }
            });
        }
        (proof, reports)
    }

    /// What is proven can be had by several moves, and some of them leave more to go wrong for the others: of those that
    /// the solver can show to keep the value, the one after which random games end best.
    fn hope_for_more(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        found: &mut Found,
    ) -> Result<(), Limit> {
        let mut view = game.view();
        game.look(state, &mut view)?;
        if game.turn(&view) != Turn::One(role) {
            return Ok(());
        }
        let mut joint = Vec::new();
        let mut legal = Vec::new();
        for each in game::roles(game) {
            legal.clear();
            game.legal(&view, each, &mut legal);
            // Who is stuck ends the game: nothing is to be had.
            let Some(&first) = legal.first() else { return Ok(()) };
            joint.push(first);
        }
        let begin = (budget.spent)();
        let half = || budget.part_spent(begin, (1.0 - begin) * 0.5);
        let part = budget.part(KEPT / 2.0 / found.moves.len() as f32);
        let limited = Budget { spent: &half, memory: self.memory(budget), ..part };
        let mut next = state.clone();
        let mut there = game.view();
        let mut keeps = |mv: Move| {
            joint[role.0 as usize] = mv;
            game.play(&mut view, &joint, &mut next)?;
            game.look(&next, &mut there)?;
            if game.over(&there) {
                return Ok(game.goal(&mut there, role)?.is_some_and(|goal| f32::from(goal) >= found.value));
            }
            let after = self.solver.of(&limited).search(game, &next, role, &limited, &Monitor::new())?;
            Ok(after.proven && after.value >= found.value)
        };
        let mut kept = Vec::new();
        for choice in &found.moves {
            let keeps = match choice.proven {
                _ if Some(choice.mv) == found.mv => true,
                true => choice.value >= found.value,
                false => keeps(choice.mv)?,
            };
            if keeps {
                kept.push(choice.mv);
            }
        }
        if kept.len() < 2 {
            return Ok(());
        }
        let part = budget.part(KEPT / 2.0);
        let most = TRIES * found.moves.len() as u64;
        let playouts = part.playouts.into_iter().chain(part.nodes).fold(most, u64::min);
        let tries = Budget { playouts: Some(playouts), ..part };
        let random = MonteCarlo::default().search(game, state, role, &tries, &Monitor::new())?;
        found.playouts += random.playouts;
        let tried = random.moves.iter().filter(|choice| kept.contains(&choice.mv) && choice.visits > 0);
        let Some(best) = tried.max_by(|a, b| a.value.total_cmp(&b.value)) else { return Ok(()) };
        if Some(best.mv) != found.mv {
            joint[role.0 as usize] = best.mv;
            (found.mv, found.line) = (Some(best.mv), vec![joint]);
        }
        for choice in &mut found.moves {
            choice.share = if Some(choice.mv) == found.mv { 1.0 } else { 0.0 };
            if kept.contains(&choice.mv) {
                (choice.value, choice.proven) = (found.value, true);
            }
        }
        Ok(())
    }

    /// What each thread may use, and the solver.
    fn memory(&self, budget: &Budget<'_>) -> usize {
        budget.memory / (self.workers.len() + 1)
    }
}

impl<G: Game + 'static> Searcher<G> for Portfolio<G> {
    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        if puzzle::is_puzzle(game) {
            self.alone = true;
            return self.puzzle.search(game, state, role, budget, monitor);
        }
        let moves = first_moves(game, state, role, &mut game.view(), monitor)?;
        if moves.len() < 2 {
            return Ok(without_choice(&moves, monitor));
        }
        let watches = self.watch.is_some() && !self.watched;
        if watches {
            self.watch(game, state, budget, WATCHED);
        }
        self.watched = false;
        let left = if watches { budget.part(1.0 - WATCHED) } else { *budget };
        let (proof, reports) = self.run(game, state, role, &left, monitor);
        self.solved = false;
        let (least, greatest) = self.knowledge.range;
        let found = match proof {
            // A proven loss is no advice: the tree knows which loss is hardest to find.
            Some(proof) if proof.proven && proof.value > f32::from(least) => {
                self.solved = true;
                Some(proof)
            }
            proof => select(reports, self.settings.selection, budget.seed).map(|found| match proof {
                Some(proof) if !budget.is_counted() => better_than_refuted(found, &proof),
                _ => found,
            }),
        };
        let mut found = found.unwrap_or_else(|| Found { mv: moves.first().copied(), value: 50.0, ..Found::default() });
        let between = found.value > f32::from(least) && found.value < f32::from(greatest);
        monitor.finish(&found);
        if found.proven && between && self.settings.selection == Selection::Measured {
            // Where the engine gives up, what was proven stands.
            let _ = self.hope_for_more(game, state, role, budget, &mut found);
        }
        monitor.finish(&found);
        Ok(found)
    }

    /// Measures which way of searching suits the game, then grows the tree of the first move.
    fn prepare(&mut self, game: &G, state: &G::State, role: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        if puzzle::is_puzzle(game) {
            return self.puzzle.search(game, state, role, budget, &Monitor::new()).map(|_| ());
        }
        if self.settings.selection == Selection::Measured && !self.knowledge.evaluators.is_empty() {
            let memory = self.memory(budget);
            let threads = self.workers.len();
            let solver = (threads > 1 && !budget.is_counted()).then_some((&mut self.solver.timed, memory));
            let (method, measured) = measure_beside(game, &self.knowledge, (state, role), (budget, threads), solver)?;
            self.measured = Some(measured);
            if method != self.method {
                // What was measured names no evaluator that is not known.
                let _ = self.take(method);
            }
            self.news = Some(format!("{}: {}", self.method.words(&self.knowledge.names), self.why()));
        }
        self.grow(game, state, role, budget, |searcher, part| searcher.prepare(game, state, role, part))
    }

    fn ponder(&mut self, game: &G, state: &G::State, role: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        // A puzzle has no others who could take their time.
        if puzzle::is_puzzle(game) {
            return Ok(());
        }
        // Only trees of random games use this time for themselves.
        let part = if matches!(self.method, Method::Uct { .. }) { WATCHED_PONDERING } else { 1.0 };
        self.watch(game, state, budget, part);
        self.grow(game, state, role, budget, |searcher, part| searcher.ponder(game, state, role, part))
    }

    fn about(&self) -> Option<String> {
        if self.settings.selection == Selection::Deepest {
            return Some("the deepest of several searches, a proof first: that is the rule asked for".to_string());
        }
        if self.alone {
            return Some("the search for one player: nobody else has a choice".to_string());
        }
        if self.solved {
            return Some("a search for proofs to the end of the game: it found one".to_string());
        }
        Some(format!("{}: {}", self.method.words(&self.knowledge.names), self.why()))
    }

    fn news(&mut self) -> Option<String> {
        self.news.take()
    }

    fn chosen(&self) -> Option<(Method, Vec<String>)> {
        self.measured.as_ref().map(|_| (self.method.clone(), self.knowledge.names.clone()))
    }
}

impl<G: Game + 'static> Portfolio<G> {
    /// Grows the trees of all workers from a state, not by searching for a move: our role may have nothing to decide there.
    fn grow(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        how: impl Fn(&mut dyn Searcher<G>, &Budget<'_>) -> Result<(), Limit> + Sync,
    ) -> Result<(), Limit> {
        let how = &how;
        let decides = first_moves(game, state, role, &mut game.view(), &Monitor::new())?.len() > 1;
        let memory = self.memory(budget);
        let (solver, selection) = (&mut self.solver, self.settings.selection);
        let threads = self.workers.len();
        std::thread::scope(|scope| {
            let part = Budget { memory, ..*budget };
            // With several threads one of them tries to solve the whole game: what its table learns now serves later. Where
            // there is nothing to decide it would be done at once.
            let solving = (selection == Selection::Measured && threads > 1 && decides)
                .then(|| scope.spawn(move || solver.of(&part).search(game, state, role, &part, &Monitor::new())));
            let firsts = self.workers.iter_mut().take(threads - usize::from(solving.is_some())).enumerate();
            let running: Vec<_> = firsts
                .filter_map(|(number, worker)| {
                    let searcher = worker.first_mut()?;
                    let part = Budget { memory, seed: budget.seed.wrapping_add(1000 * number as u64), ..*budget };
                    Some(scope.spawn(move || how(&mut **searcher, &part)))
                })
                .collect();
            let done = running.into_iter().try_for_each(|thread| thread.join().unwrap_or(Ok(())));
            drop(solving.map(|thread| thread.join()));
            done
        })
    }
}

/// Measures which way of searching suits the game. On a thread of its own the solver tries to settle the whole game meanwhile, and goes on
/// as long as it sees ends of it; where it has settled everything nothing more needs to be measured.
fn measure_beside<G: Game + 'static>(
    game: &G,
    knowledge: &Knowledge<G>,
    (state, role): (&G::State, Role),
    (budget, threads): (&Budget<'_>, usize),
    solver: Option<(&mut ProofNumber<G>, usize)>,
) -> Result<(Method, Measured), Limit> {
    let begin = (budget.spent)();
    let (solved, done) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        if let Some((solver, memory)) = solver {
            let (solved, done) = (&solved, &done);
            scope.spawn(move || {
                let mut search = |end: f32| {
                    let spent = || match done.load(Ordering::Relaxed) {
                        true => 1.0,
                        false => budget.part_spent(begin, (1.0 - begin) * end),
                    };
                    let own = Budget { spent: &spent, memory, ..*budget };
                    let found = solver.search(game, state, role, &own, &Monitor::new());
                    (found.is_ok_and(|found| found.proven), solver.is_hopeful())
                };
                let (mut proven, hopeful) = search(SOLVER_BESIDE);
                if !proven && hopeful {
                    (proven, _) = search(1.0);
                }
                solved.store(proven, Ordering::Relaxed);
            });
        }
        let spent = || match solved.load(Ordering::Relaxed) {
            true => 1.0,
            false => budget.part_spent(begin, (1.0 - begin) * MEASURED),
        };
        let chosen = measure::choose(game, knowledge, state, role, &Budget { spent: &spent, ..*budget }, threads);
        done.store(true, Ordering::Relaxed);
        chosen.map(|(candidate, measured)| (candidate.method, measured))
    })
}
