//! From a description to something that searches.

use crate::chinese::{Chinese, DistanceTables, Words};
use crate::event::Events;
use crate::oracles::Oracles;
use crate::plain::{First, Random};
use crate::planned::Planned;
use crate::spec::{Method, PlayerSpec};
use crate::studied::Studied;
use crate::tabled::Tabled;
use ::study::Study;
use gdl::Rules;
use machine::Engine;
use search::Searcher;
use search::alphabeta::AlphaBeta;
use search::puzzle::Puzzle;
use search::simple::MonteCarlo;
use search::uct::Uct;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// What the sessions of one match share, whatever engine each of them has: engines come one after the other, and what one
/// of them was watched doing holds for the next.
pub struct Knowledge {
    /// The rules.
    pub rules: Arc<Rules>,
    /// What was found out about the game; whoever comes first fills it.
    pub study: OnceLock<Study>,
    /// What is known exactly.
    pub oracles: Oracles,
    /// Where events go.
    pub events: Events,
    /// The folder of tables.
    pub(crate) tables: Option<PathBuf>,
    /// Where the distance table of Chinese checkers is kept.
    pub(crate) distance_tables: DistanceTables,
    /// The words of Chinese checkers, if this is that game; see [`Knowledge::words`].
    words: OnceLock<Option<Words>>,
}

impl Knowledge {
    /// Nothing is known yet. Tables are looked for in this folder; without one there are none.
    pub fn new(rules: &Arc<Rules>, tables: Option<PathBuf>, events: &Events) -> Knowledge {
        let oracles = Oracles::new(tables.clone(), events);
        Knowledge {
            rules: Arc::clone(rules),
            study: OnceLock::new(),
            oracles,
            events: events.clone(),
            tables,
            distance_tables: DistanceTables::default(),
            words: OnceLock::new(),
        }
    }

    /// The same with tables that were loaded for others.
    pub fn with_distance_tables(self, distance_tables: &DistanceTables) -> Knowledge {
        Knowledge { distance_tables: distance_tables.clone(), ..self }
    }

    /// How the game is said in the words of the library's Chinese checkers, if it is that game.
    pub(crate) fn words(&self) -> Option<&Words> {
        self.words.get_or_init(|| Words::of(&self.rules)).as_ref()
    }
}

/// What searches as the description says, or plays from a table.
///
/// # Panics
/// If somebody else plays: a person, or a player elsewhere.
pub fn searcher(spec: &PlayerSpec, game: &Engine, knowledge: &Arc<Knowledge>) -> Box<dyn Searcher<Engine>> {
    match &spec.method {
        Method::Roschke(_) | Method::TableSearch(_) => {
            let other = searcher(&PlayerSpec::default(), game, knowledge);
            Box::new(Chinese::named(spec, knowledge, other))
        }
        Method::Plan { file } => {
            let other = searcher(&PlayerSpec::default(), game, knowledge);
            Box::new(Planned::new(file.as_deref(), spec, knowledge, other))
        }
        Method::Portfolio(portfolio) if portfolio.tables => {
            let inner = without_tables(&spec.method, game, knowledge);
            Box::new(Tabled::new(knowledge, Box::new(Chinese::offered(knowledge, None, inner))))
        }
        method if spec.uses_tables() => Box::new(Tabled::new(knowledge, without_tables(method, game, knowledge))),
        method => without_tables(method, game, knowledge),
    }
}

fn without_tables(method: &Method, game: &Engine, knowledge: &Arc<Knowledge>) -> Box<dyn Searcher<Engine>> {
    match method {
        Method::Uct(spec) if spec.heuristic.is_none() => Box::new(Uct::new(spec.settings())),
        Method::Portfolio(_) | Method::AlphaBeta(_) | Method::Greedy { .. } | Method::Uct(_) => {
            Box::new(Studied::new(game, knowledge, method))
        }
        Method::Exhaustive => Box::new(AlphaBeta::exhaustive()),
        Method::Puzzle => Box::new(Puzzle::default()),
        Method::MonteCarlo => Box::new(MonteCarlo::default()),
        Method::Random => Box::new(Random),
        Method::Legal => Box::new(First),
        Method::Roschke(_) | Method::TableSearch(_) => unreachable!("they know their table themselves"),
        Method::Plan { .. } => unreachable!("it has a searcher of its own"),
        Method::Human | Method::Remote { .. } => unreachable!("nobody searches for these players"),
    }
}
