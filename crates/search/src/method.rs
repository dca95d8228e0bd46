//! A searcher described completely by data: which one, with which settings.

use crate::alphabeta::{AlphaBeta, AlphaBetaSettings};
use crate::portfolio::{Portfolio, PortfolioSettings};
use crate::proof_number::ProofNumber;
use crate::puzzle::{Puzzle, PuzzleSettings};
use crate::simple::{Greedy, GreedySettings, MonteCarlo, MonteCarloSettings};
use crate::uct::{Uct, UctSettings};
use crate::{Knowledge, Searcher, SharedEvaluator};
use game::Game;
use std::fmt;

/// A way to search. Evaluators are named by their place in the [`Knowledge`].
///
/// ```
/// use search::{Knowledge, Method, UctSettings};
/// # fn show<G: game::Game + 'static>() {
/// let method = Method::Uct { settings: UctSettings { cut: Some(5), ..UctSettings::default() }, evaluator: Some(0) };
/// let nothing_known: Knowledge<G> = Knowledge::default();
/// assert_eq!(method.searcher(&nothing_known).err().unwrap().to_string(), "there is no evaluator 0: 0 are known");
/// # }
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum Method {
    /// A tree grown by random games, with an evaluator or without.
    Uct {
        /// What can be set.
        settings: UctSettings,
        /// The evaluator of leaves or of cut games.
        evaluator: Option<usize>,
    },
    /// Alpha-beta; without an evaluator to the end of the game.
    AlphaBeta {
        /// What can be set.
        settings: AlphaBetaSettings,
        /// The evaluator of the horizon.
        evaluator: Option<usize>,
    },
    /// Proof-number search to the end of the game.
    ProofNumber,
    /// Random games for each move.
    MonteCarlo(MonteCarloSettings),
    /// One step with an evaluator.
    Greedy {
        /// What can be set.
        settings: GreedySettings,
        /// The evaluator of what follows.
        evaluator: usize,
    },
    /// The search for one player.
    Puzzle(PuzzleSettings),
    /// Several of these, and the choice between them.
    Portfolio(PortfolioSettings),
}

impl Method {
    /// UCT as it is by default.
    pub fn uct() -> Method {
        Method::Uct { settings: UctSettings::default(), evaluator: None }
    }

    /// Alpha-beta as it is by default, with this evaluator; without one step by step to the end.
    pub fn alpha_beta(evaluator: Option<usize>) -> Method {
        Method::AlphaBeta { settings: AlphaBetaSettings::default(), evaluator }
    }

    /// Alpha-beta depth-first to the end of the game.
    pub fn exhaustive() -> Method {
        Method::AlphaBeta { settings: AlphaBetaSettings::exhaustive(), evaluator: None }
    }

    /// The evaluator that it names.
    pub fn evaluator(&self) -> Option<usize> {
        match self {
            Method::Uct { evaluator, .. } | Method::AlphaBeta { evaluator, .. } => *evaluator,
            Method::Greedy { evaluator, .. } => Some(*evaluator),
            Method::ProofNumber | Method::MonteCarlo(_) | Method::Puzzle(_) | Method::Portfolio(_) => None,
        }
    }

    /// The way in words; evaluators have these names.
    ///
    /// ```
    /// let names = ["mobility".to_string()];
    /// assert_eq!(search::Method::alpha_beta(Some(0)).words(&names), "alpha-beta with the evaluation by mobility");
    /// assert_eq!(search::Method::uct().words(&names), "a tree of random games (UCT)");
    /// ```
    pub fn words(&self, names: &[String]) -> String {
        let name = |which: usize| names.get(which).map_or_else(|| format!("evaluator {which}"), String::clone);
        let by = |which: &Option<usize>| match which {
            Some(which) => format!(" with the evaluation by {}", name(*which)),
            None => String::new(),
        };
        match self {
            Method::Uct { settings, evaluator } => {
                let cut = settings.cut.map_or(String::new(), |cut| format!(", random games judged after {cut} moves"));
                let bias = if settings.playout_bias > 0 { ", random games preferring moves that did well" } else { "" };
                let grave =
                    if settings.grave.is_some() { ", moves also counting where they were made later" } else { "" };
                format!("a tree of random games (UCT){}{cut}{bias}{grave}", by(evaluator))
            }
            Method::AlphaBeta { evaluator: None, .. } => "alpha-beta to the end of the game".to_string(),
            Method::AlphaBeta { evaluator, .. } => format!("alpha-beta{}", by(evaluator)),
            Method::ProofNumber => "proof-number search to the end of the game".to_string(),
            Method::MonteCarlo(_) => "random games for each move".to_string(),
            Method::Greedy { evaluator, .. } => format!("one step ahead by {}", name(*evaluator)),
            Method::Puzzle(_) => "the search for one player".to_string(),
            Method::Portfolio(_) => "several searches, and the choice between them".to_string(),
        }
    }

    /// A searcher that works in this way.
    pub fn searcher<G: Game + 'static>(
        &self,
        knowledge: &Knowledge<G>,
    ) -> Result<Box<dyn Searcher<G>>, UnknownEvaluator> {
        let find = |which: usize| evaluator_of(which, knowledge);
        Ok(match self {
            Method::Uct { settings, evaluator } => uct(*settings, evaluator.map(find).transpose()?),
            Method::AlphaBeta { settings, evaluator } => {
                alpha_beta(*settings, evaluator.map(find).transpose()?, knowledge)
            }
            Method::ProofNumber => Box::new(ProofNumber::new(knowledge)),
            Method::MonteCarlo(settings) => Box::new(MonteCarlo(*settings)),
            Method::Greedy { settings, evaluator } => Box::new(Greedy::new(*settings, find(*evaluator)?)),
            Method::Puzzle(settings) => Box::new(Puzzle::new(*settings).with_knowledge(knowledge)),
            Method::Portfolio(settings) => Box::new(Portfolio::new(*settings, knowledge.clone())),
        })
    }
}

impl Method {
    /// So many searchers that work side by side in this way. Those that grow trees of random games grow one together.
    pub(crate) fn team<G: Game + 'static>(
        &self,
        knowledge: &Knowledge<G>,
        members: usize,
    ) -> Result<Vec<Box<dyn Searcher<G>>>, UnknownEvaluator> {
        let Method::Uct { settings, evaluator } = self else {
            return (0..members).map(|_| self.searcher(knowledge)).collect();
        };
        let evaluator = evaluator.map(|which| evaluator_of(which, knowledge)).transpose()?;
        let one = Uct::new(*settings);
        let one = evaluator.into_iter().fold(one, Uct::with_evaluator);
        Ok(one.team(members).into_iter().map(|uct| Box::new(uct) as Box<dyn Searcher<G>>).collect())
    }
}

/// The evaluator with this number.
fn evaluator_of<G: Game>(which: usize, knowledge: &Knowledge<G>) -> Result<SharedEvaluator<G>, UnknownEvaluator> {
    let known = knowledge.evaluators.len();
    knowledge.evaluators.get(which).cloned().ok_or(UnknownEvaluator { which, known })
}

/// UCT with an evaluator at hand, or without.
pub(crate) fn uct<G: Game + 'static>(
    settings: UctSettings,
    evaluator: Option<SharedEvaluator<G>>,
) -> Box<dyn Searcher<G>> {
    let uct = Uct::new(settings);
    Box::new(match evaluator {
        Some(evaluator) => uct.with_evaluator(evaluator),
        None => uct,
    })
}

/// Alpha-beta with an evaluator at hand, or without.
pub(crate) fn alpha_beta<G: Game + 'static>(
    settings: AlphaBetaSettings,
    evaluator: Option<SharedEvaluator<G>>,
    knowledge: &Knowledge<G>,
) -> Box<dyn Searcher<G>> {
    let alpha_beta = AlphaBeta::new(settings).with_knowledge(knowledge);
    Box::new(match evaluator {
        Some(evaluator) => alpha_beta.with_evaluator(evaluator),
        None => alpha_beta,
    })
}

/// A method names an evaluator that is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownEvaluator {
    /// Which one was named.
    pub which: usize,
    /// How many are known.
    pub known: usize,
}

impl fmt::Display for UnknownEvaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no evaluator {}: {} are known", self.which, self.known)
    }
}

impl std::error::Error for UnknownEvaluator {}
