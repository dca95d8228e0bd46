//! Searchers that want to know the game first: before the first search the rules are studied and random games watched,
//! then the searcher is made with the evaluators that came of it.

use super::kinds::Thinker;
use ::study::Study;
use game::{Limit, Role};
use gdl::Rules;
use search::portfolio::{self, Kit, Portfolio, Recipe, Rule};
use search::uct::{self, Uct};
use search::{Budget, Found, KeyOf, Latest, Searcher};
use std::io::{Write, stderr};
use std::sync::{Arc, OnceLock};

/// What is made of the findings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Wanted {
    /// Alpha-beta with one evaluator.
    AlphaBeta {
        /// The deepest horizon.
        depth: Option<u32>,
    },
    /// One step with one evaluator.
    Greedy,
    /// UCT whose random games count half, and one evaluator the other half.
    JudgedUct {
        /// The weight of exploration.
        c: f32,
        /// Trees side by side.
        threads: usize,
        /// The evaluator judges random games after so many moves, and not leaves.
        cut: Option<usize>,
        /// How often random games make moves that did well.
        favour: u8,
    },
    /// All of it.
    Portfolio {
        /// How it decides.
        rule: Rule,
        /// Threads to use.
        threads: usize,
    },
}

/// The part of the time that is spent on watching random games: of the start clock, as in the paper, or of the first move's
/// time where there was none.
const WATCHED: f32 = 0.1;
/// The part of the time by which learning from that has to be done.
const LEARNED: f32 = 0.4;

/// States watched at most. With a budget of nodes or playouts it is this many, so that the same seed finds the same things.
const MOST_WATCHED: u64 = 20_000;
const FEW_WATCHED: u64 = 2_000;

/// What was found out about a game; whoever comes first fills it. Engines come one after the other, and what one of them
/// was watched doing holds for the next.
pub type Notebook = Arc<OnceLock<Study>>;

/// See the module.
pub struct Studied<G: Thinker> {
    game: Arc<G>,
    rules: Arc<Rules>,
    wanted: Wanted,
    heuristic: Option<String>,
    notebook: Notebook,
    inner: Option<Box<dyn Searcher<G>>>,
}

impl<G: Thinker> Studied<G> {
    /// A searcher of this kind; `heuristic` is the name of an evaluator, or a part of it.
    pub fn new(
        game: &Arc<G>,
        rules: &Arc<Rules>,
        wanted: Wanted,
        heuristic: Option<&str>,
        notebook: &Notebook,
    ) -> Studied<G> {
        let (game, rules, notebook) = (Arc::clone(game), Arc::clone(rules), Arc::clone(notebook));
        Studied { game, rules, wanted, heuristic: heuristic.map(str::to_string), notebook, inner: None }
    }

    /// Studies the game and makes the searcher.
    fn inner(&mut self, role: Role, budget: &Budget<'_>) -> &mut dyn Searcher<G> {
        if self.inner.is_none() {
            self.inner = Some(self.study(role, budget));
        }
        let made = self.inner.get_or_insert_with(|| Box::new(Uct::default()));
        &mut **made
    }

    /// What is in the notebook; where it is empty, the game is watched first.
    fn findings(&self, budget: &Budget<'_>) -> &Study {
        if let Some(study) = self.notebook.get() {
            return study;
        }
        let mut study = Study::new(&self.rules);
        let counted = budget.nodes.is_some() || budget.playouts.is_some();
        let most = if counted { FEW_WATCHED } else { MOST_WATCHED };
        let begin = (budget.spent)();
        let until = begin + (1.0 - begin) * WATCHED;
        let mut watched = 0;
        let mut more = || {
            watched += 1;
            watched <= most && (budget.spent)() < if counted { 0.5 } else { until }
        };
        // What was seen before a limit counts.
        let _ = study.watch(&*self.game, budget.seed, &mut more);
        let learned = if counted { 1.0 } else { begin + (1.0 - begin) * LEARNED };
        study.learn_while(&mut || (budget.spent)() < learned);
        self.notebook.get_or_init(|| study)
    }

    fn study(&self, role: Role, budget: &Budget<'_>) -> Box<dyn Searcher<G>> {
        let study = self.findings(budget);
        let mut named = study.evaluators(&*self.game, role);
        // The most telling ones first, for those who can use only a few.
        named.sort_by_key(|named| !["learned", "goal"].contains(&named.name.as_str()));
        let chosen = self.choose(&named.iter().map(|named| named.name.as_str()).collect::<Vec<_>>());
        let projection = study.projection(&*self.game);
        let kit = Kit {
            evaluators: named.into_iter().map(|named| named.evaluator).collect(),
            teams: game::roles(&*self.game).map(|role| study.team(role)).collect(),
            key: (!projection.is_empty()).then(|| without(&self.game, projection)),
            range: study.goals(role),
            depth: None,
        };
        match (self.wanted, chosen) {
            (Wanted::Portfolio { rule, threads }, _) => {
                Box::new(Portfolio::new(portfolio::Settings { kit, rule, threads }))
            }
            (Wanted::AlphaBeta { depth }, which) => {
                let recipe = which.map_or(Recipe::Solver, Recipe::AlphaBeta);
                recipe.searcher(&Kit { depth, ..kit })
            }
            (Wanted::Greedy, Some(which)) => Recipe::Greedy(which).searcher(&kit),
            (Wanted::Greedy, None) => Recipe::MonteCarlo.searcher(&kit),
            (Wanted::JudgedUct { c, threads, cut, favour }, which) => {
                let evaluator = which.and_then(|which| kit.evaluators.get(which).cloned());
                let trust = if evaluator.is_some() && cut.is_none() { 0.5 } else { 0.0 };
                let settings = uct::Settings { c, threads, evaluator, trust, cut, favour, ..Default::default() };
                Box::new(Uct::new(settings))
            }
        }
    }

    /// The evaluator that is meant: the one of this name, or the first whose name has it in it; without a name what
    /// was learned, or else the mobility.
    fn choose(&self, names: &[&str]) -> Option<usize> {
        let find = |wanted: &str| {
            let exact = names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
            exact.or_else(|| names.iter().position(|name| name.to_lowercase().contains(&wanted.to_lowercase())))
        };
        let Some(wanted) = &self.heuristic else { return find("learned").or_else(|| find("max mobility")) };
        let found = find(wanted);
        if found.is_none() {
            let _ = writeln!(stderr(), "no heuristic {wanted:?} in this game; there are: {}", names.join("; "));
        }
        found
    }
}

/// A key of states in which these facts do not count.
fn without<G: Thinker>(game: &Arc<G>, facts: Vec<u32>) -> KeyOf<G> {
    let game = Arc::clone(game);
    Arc::new(move |state| {
        let mut sum = 0u64;
        game.each_fact(state, &mut |fact| {
            if facts.binary_search(&fact).is_err() {
                // The facts come in any order: a sum does not mind.
                sum = sum.wrapping_add(search::key::key(&fact));
            }
        });
        sum
    })
}

impl<G: Thinker> Searcher<G> for Studied<G> {
    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        latest: &Latest,
    ) -> Result<Found, Limit> {
        self.inner(role, budget).search(game, state, role, budget, latest)
    }

    fn prepare(&mut self, game: &G, state: &G::State, role: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        self.inner(role, budget).prepare(game, state, role, budget)
    }
}
