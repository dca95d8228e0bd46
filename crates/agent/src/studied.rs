//! Searchers that want to know the game first: before the first search the rules are studied and random games watched,
//! then the searcher is made with the evaluators that came of it.

use crate::event::Event;
use crate::patterns::{EVALUATOR, Looking};
use crate::searcher::Knowledge;
use crate::settled::same;
use crate::solo::{ceiling, narrow, parts, without};
use crate::spec::Method;
use crate::symmetric::symmetries;
use ::study::{NamedEvaluator, Plan, Stage, Study};
use abstraction::pattern::Settings;
use game::{Limit, Role};
use machine::{Engine, State};
use search::alphabeta::AlphaBeta;
use search::portfolio::Portfolio;
use search::proof_number::ProofNumber;
use search::simple::{Greedy, MonteCarlo};
use search::uct::Uct;
use search::{AlphaBetaSettings, Budget, Found, Monitor, PortfolioSettings, Searcher};
use std::sync::Arc;

/// The part of the time that is spent on watching random games: of the start clock, as in the paper, or of the first move's
/// time where there was none.
const WATCHED: f32 = 0.1;
/// The part of the time by which learning from that has to be done.
const LEARNED: f32 = 0.4;

/// The part of the time after the study by which patterns have to be built, where the start clock is long enough for any.
const PATTERNS: f32 = 0.3;
/// The shortest start clock, in seconds, in which the default player looks for patterns.
const PATTERN_SECONDS: f32 = 4.0;

/// States watched at most. With a budget of nodes or playouts it is this many, so that the same seed finds the same things.
const MOST_WATCHED: u64 = 20_000;
const FEW_WATCHED: u64 = 2_000;

/// See the module.
pub struct Studied {
    game: Engine,
    knowledge: Arc<Knowledge>,
    method: Method,
    inner: Option<Box<dyn Searcher<Engine>>>,
}

impl Studied {
    /// A searcher for this method, one of those that use what is known of a game.
    pub fn new(game: &Engine, knowledge: &Arc<Knowledge>, method: &Method) -> Studied {
        Studied { game: game.clone(), knowledge: Arc::clone(knowledge), method: method.clone(), inner: None }
    }

    /// Studies the game and makes the searcher.
    fn inner(&mut self, role: Role, budget: &Budget<'_>, prepares: bool) -> &mut dyn Searcher<Engine> {
        if self.inner.is_none() {
            self.inner = Some(self.study(role, budget, prepares));
        }
        let made = self.inner.get_or_insert_with(|| Box::new(Uct::default()));
        &mut **made
    }

    /// What is known of the game; where nothing is, it is watched first.
    fn findings(&self, budget: &Budget<'_>) -> &Study {
        if let Some(study) = self.knowledge.study.get() {
            return study;
        }
        let counted = budget.nodes.is_some() || budget.playouts.is_some();
        let most = if counted { FEW_WATCHED } else { MOST_WATCHED };
        let begin = (budget.spent)();
        let part = |share: f32| begin + (1.0 - begin) * share;
        let (watching, learning) = if counted { (0.5, 1.0) } else { (part(WATCHED), part(LEARNED)) };
        let mut watched = 0;
        let maps = self.uses_symmetries();
        let more = |stage: Stage| match stage {
            Stage::Form => true,
            Stage::Observe => {
                watched += 1;
                watched <= most && (budget.spent)() < watching
            }
            Stage::Learn => (budget.spent)() < learning,
            Stage::Neighbours | Stage::Symmetries => maps && (counted || (budget.spent)() < learning),
            Stage::ObserveUncounted => false,
        };
        let plan = Plan::play(more);
        // What was seen before the engine reached a limit counts.
        let study = Study::run(
            &self.knowledge.rules,
            &self.game,
            Plan { seed: budget.seed, neighbours: maps, symmetries: maps, ..plan },
        );
        self.knowledge.study.get_or_init(|| study)
    }

    /// The evaluator made of patterns, if it is wanted, or if the default player has the time to look for one.
    fn patterns(&self, study: &Study, budget: &Budget<'_>, prepares: bool) -> Option<NamedEvaluator<Engine>> {
        let asked = self.heuristic().is_some_and(|name| EVALUATOR.contains(&name.to_lowercase()));
        let counted = budget.nodes.is_some() || budget.playouts.is_some();
        let long = budget.seconds.is_some_and(|seconds| seconds >= PATTERN_SECONDS);
        let offered = matches!(&self.method, Method::Portfolio(spec) if spec.patterns) && prepares && long && !counted;
        if self.game.net().is_none() || !(asked || offered) {
            return None;
        }
        let found = self.knowledge.patterns.get_or_init(|| {
            let begin = (budget.spent)();
            let spent = || ((budget.spent)() - begin) / ((1.0 - begin) * PATTERNS).max(1e-6);
            // With counted budgets the same seed is to find the same things: what is small is built whole.
            let usual = Settings::within(budget.memory as u64);
            let settings = if counted { Settings { states: usual.states.min(50_000), ..usual } } else { usual };
            let (engine, seed) = (&self.game, budget.seed);
            let end = || if (budget.spent)() >= 1.0 { 2.0 } else { 0.0 };
            let spent: &dyn Fn() -> f32 = if counted { &end } else { &spent };
            Looking { engine, study, seed, settings, spent }.run(&mut |_| {}).ok()?.choice.evaluator
        });
        let evaluator = Arc::new(found.clone()?);
        Some(NamedEvaluator { name: EVALUATOR.to_string(), evaluator })
    }

    fn study(&self, role: Role, budget: &Budget<'_>, prepares: bool) -> Box<dyn Searcher<Engine>> {
        let study = self.findings(budget);
        let mut named = study.evaluators(&self.game, role);
        let patterns = self.patterns(study, budget, prepares);
        let offered = patterns.is_some();
        named.extend(patterns);
        // The most telling ones first, for those who can use only a few.
        named.sort_by_key(|named| ![EVALUATOR, "learned", "goal"].contains(&named.name.as_str()));
        let names: Vec<String> = named.iter().map(|named| named.name.clone()).collect();
        let chosen = self.choose(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let projection = study.projection(&self.game);
        let offered = names.iter().position(|name| offered && name == EVALUATOR);
        // An engine that reaches a limit while moves are tried out has none.
        let maps =
            self.uses_symmetries().then(|| symmetries(&self.game, study, budget.seed, &projection).ok().flatten());
        let known = search::Knowledge {
            evaluators: named.into_iter().map(|named| named.evaluator).collect(),
            names,
            teams: game::roles(&self.game).map(|role| study.team(role)).collect(),
            symmetries: maps.flatten(),
            key: (!projection.is_empty()).then(|| without(&self.game, projection)),
            same: same(&self.game),
            ceiling: ceiling(&self.game),
            parts: parts(&self.game),
            narrow: narrow(&self.game),
            range: study.goals(role),
            offered,
        };
        let evaluator = chosen.and_then(|which| known.evaluators.get(which).cloned());
        match (&self.method, evaluator) {
            (Method::Portfolio(spec), _) => {
                let usual = PortfolioSettings::default();
                let threads = spec.threads.unwrap_or(usual.threads);
                Box::new(Portfolio::new(PortfolioSettings { selection: spec.rule.selection(), threads }, known))
            }
            (Method::AlphaBeta(spec), evaluator) => {
                let settings = AlphaBetaSettings { depth: spec.depth, ..AlphaBetaSettings::default() };
                let searcher = AlphaBeta::new(settings).with_knowledge(&known);
                Box::new(match evaluator {
                    Some(evaluator) => searcher.with_evaluator(evaluator),
                    None => searcher,
                })
            }
            (Method::ProofNumber, _) => Box::new(ProofNumber::new(&known)),
            (Method::Greedy { .. }, Some(evaluator)) => Box::new(Greedy::new(Default::default(), evaluator)),
            (Method::Greedy { .. }, None) => Box::new(MonteCarlo::default()),
            (Method::Uct(spec), Some(evaluator)) => Box::new(Uct::new(spec.settings()).with_evaluator(evaluator)),
            (Method::Uct(spec), None) => Box::new(Uct::new(spec.settings())),
            (
                Method::Plan { .. }
                | Method::Exhaustive
                | Method::Puzzle
                | Method::MonteCarlo
                | Method::Roschke(_)
                | Method::Chess(_)
                | Method::TableSearch(_)
                | Method::Fleet(_)
                | Method::Random
                | Method::Legal
                | Method::Human
                | Method::Remote { .. }
                | Method::Uci(_)
                | Method::Xboard(_),
                _,
            ) => unreachable!("these methods do not study"),
        }
    }

    /// Tells what is new about the way of searching.
    fn tell(&mut self) {
        if let Some(what) = self.inner.as_mut().and_then(|inner| inner.news()) {
            self.knowledge.events.tell(&Event::Way { what });
        }
    }

    /// Whether maps of the board are looked for.
    fn uses_symmetries(&self) -> bool {
        matches!(&self.method, Method::AlphaBeta(spec) if spec.symmetries)
    }

    /// The name of the evaluator that is asked for.
    fn heuristic(&self) -> Option<&str> {
        match &self.method {
            Method::AlphaBeta(spec) => spec.heuristic.as_deref(),
            Method::Uct(spec) => spec.heuristic.as_deref(),
            Method::Greedy { heuristic } => heuristic.as_deref(),
            _ => None,
        }
    }

    /// The evaluator that is meant: the one of this name, or the first whose name has it in it; without a name what
    /// was learned, or else the mobility.
    fn choose(&self, names: &[&str]) -> Option<usize> {
        let find = |wanted: &str| {
            let exact = names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
            exact.or_else(|| names.iter().position(|name| name.to_lowercase().contains(&wanted.to_lowercase())))
        };
        let Some(wanted) = self.heuristic() else { return find("learned").or_else(|| find("max mobility")) };
        let found = find(wanted);
        if found.is_none() {
            let known = names.iter().map(|name| name.to_string()).collect();
            self.knowledge.events.tell(&Event::NoHeuristic { wanted: wanted.to_string(), known });
        }
        found
    }
}

impl Searcher<Engine> for Studied {
    fn search(
        &mut self,
        game: &Engine,
        state: &State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        let found = self.inner(role, budget, false).search(game, state, role, budget, monitor);
        self.tell();
        found
    }

    fn prepare(&mut self, game: &Engine, state: &State, role: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        let done = self.inner(role, budget, true).prepare(game, state, role, budget);
        self.tell();
        done
    }

    fn ponder(&mut self, game: &Engine, state: &State, role: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        let done = self.inner(role, budget, false).ponder(game, state, role, budget);
        self.tell();
        done
    }

    fn about(&self) -> Option<String> {
        self.inner.as_ref()?.about()
    }

    fn chosen(&self) -> Option<(search::Method, Vec<String>)> {
        self.inner.as_ref()?.chosen()
    }
}
