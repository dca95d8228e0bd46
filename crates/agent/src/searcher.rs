//! From a description to something that searches.

use crate::chess::{ChessWords, Played};
use crate::chinese::{Chinese, DistanceTables, Words};
use crate::event::{Event, Events};
use crate::oracles::Oracles;
use crate::plain::{First, Random};
use crate::planned::Planned;
use crate::program::{Programs, Seated};
use crate::spec::{Method, PlayerSpec};
use crate::studied::Studied;
use crate::tabled::Tabled;
use ::study::Study;
use abstraction::pattern::Lookups;
use gdl::Rules;
use machine::Engine;
use search::Searcher;
use search::alphabeta::AlphaBeta;
use search::puzzle::Puzzle;
use search::simple::MonteCarlo;
use search::uct::Uct;
use std::any::Any;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// What the sessions of one match share, whatever engine each of them has: engines come one after the other, and what one
/// of them was watched doing holds for the next.
pub struct Knowledge {
    /// The rules.
    pub rules: Arc<Rules>,
    /// What was found out about the game; whoever comes first fills it.
    pub study: OnceLock<Study>,
    /// The evaluator made of patterns, for nets; whoever comes first fills it, with nothing where none pays.
    pub patterns: OnceLock<Option<Lookups>>,
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
    /// The words of chess, if this is that game; see [`Knowledge::chess_words`].
    chess_words: OnceLock<Option<Arc<ChessWords>>>,
    /// Starts other programs, where that can be done.
    programs: Option<Programs>,
    /// Makes the searchers of fleets, where that can be done.
    fleets: Option<Fleets>,
    /// The workers of a fleet in this match: whoever comes first finds them, the searchers of all sessions share them.
    pub crew: OnceLock<Arc<dyn Any + Send + Sync>>,
}

/// Makes the searcher of a player whose workers are elsewhere: what it shares with other searchers of the match is in
/// [`Knowledge::crew`].
pub type Fleets =
    Arc<dyn Fn(&PlayerSpec, &Engine, &Arc<Knowledge>) -> Result<Box<dyn Searcher<Engine>>, String> + Send + Sync>;

impl Knowledge {
    /// Nothing is known yet. Tables are looked for in this folder; without one there are none.
    pub fn new(rules: &Arc<Rules>, tables: Option<PathBuf>, events: &Events) -> Knowledge {
        let oracles = Oracles::new(tables.clone(), events);
        Knowledge {
            rules: Arc::clone(rules),
            study: OnceLock::new(),
            patterns: OnceLock::new(),
            oracles,
            events: events.clone(),
            tables,
            distance_tables: DistanceTables::default(),
            words: OnceLock::new(),
            chess_words: OnceLock::new(),
            programs: None,
            fleets: None,
            crew: OnceLock::new(),
        }
    }

    /// The same with tables that were loaded for others.
    pub fn with_distance_tables(self, distance_tables: &DistanceTables) -> Knowledge {
        Knowledge { distance_tables: distance_tables.clone(), ..self }
    }

    /// The same with somebody who starts other programs.
    pub fn with_programs(self, programs: Option<&Programs>) -> Knowledge {
        Knowledge { programs: programs.cloned(), ..self }
    }

    /// The same with somebody who makes the searchers of fleets.
    pub fn with_fleets(self, fleets: Option<&Fleets>) -> Knowledge {
        Knowledge { fleets: fleets.cloned(), ..self }
    }

    /// Who starts other programs.
    pub(crate) fn programs(&self) -> Option<&Programs> {
        self.programs.as_ref()
    }

    /// How the game is said in the words of one of the library's chess rulesheets, if it is one of them.
    pub(crate) fn chess_words(&self) -> Option<&Arc<ChessWords>> {
        self.chess_words.get_or_init(|| ChessWords::of(&self.rules).map(Arc::new)).as_ref()
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
        Method::Chess(own) => {
            let other = searcher(&PlayerSpec::default(), game, knowledge);
            Box::new(Played::named(spec, own, knowledge, other))
        }
        Method::Plan { file } => {
            let other = searcher(&PlayerSpec::default(), game, knowledge);
            Box::new(Planned::new(file.as_deref(), spec, knowledge, other))
        }
        Method::Uci(_) | Method::Xboard(_) => {
            let other = searcher(&PlayerSpec::default(), game, knowledge);
            Box::new(Seated::new(spec, knowledge, other))
        }
        Method::Fleet(_) => {
            let make = knowledge.fleets.as_ref().ok_or_else(|| "there are no fleets here".to_string());
            make.and_then(|make| make(spec, game, knowledge)).unwrap_or_else(|why| {
                knowledge.events.tell(&Event::StandIn { player: spec.to_string(), why });
                searcher(&PlayerSpec::default(), game, knowledge)
            })
        }
        Method::Portfolio(portfolio) if portfolio.tables => {
            let inner = without_tables(&spec.method, game, knowledge);
            let inner = Box::new(Chinese::offered(knowledge, None, inner));
            Box::new(Tabled::new(knowledge, Box::new(Played::offered(portfolio.threads, knowledge, inner))))
        }
        method if spec.uses_tables() => Box::new(Tabled::new(knowledge, without_tables(method, game, knowledge))),
        method => without_tables(method, game, knowledge),
    }
}

fn without_tables(method: &Method, game: &Engine, knowledge: &Arc<Knowledge>) -> Box<dyn Searcher<Engine>> {
    match method {
        Method::Uct(spec) if spec.heuristic.is_none() => Box::new(Uct::new(spec.settings())),
        Method::Portfolio(_) | Method::AlphaBeta(_) | Method::ProofNumber | Method::Greedy { .. } | Method::Uct(_) => {
            Box::new(Studied::new(game, knowledge, method))
        }
        Method::Exhaustive => Box::new(AlphaBeta::exhaustive()),
        Method::Puzzle => Box::new(Puzzle::default()),
        Method::MonteCarlo => Box::new(MonteCarlo::default()),
        Method::Random => Box::new(Random),
        Method::Legal => Box::new(First),
        Method::Chess(_) | Method::Roschke(_) | Method::TableSearch(_) => {
            unreachable!("they know their tables themselves")
        }
        Method::Plan { .. } | Method::Uci(_) | Method::Xboard(_) | Method::Fleet(_) => {
            unreachable!("they have searchers of their own")
        }
        Method::Human | Method::Remote { .. } => unreachable!("nobody searches for these players"),
    }
}
