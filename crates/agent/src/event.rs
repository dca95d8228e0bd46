//! What a player has to say beside its moves. Whoever shows it decides where and how: the inner rooms print nothing.

use machine::EngineKind;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Something worth telling a person.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// A better engine is ready.
    Engine(EngineKind),
    /// Moves are looked up in a table.
    TableFound {
        /// What it is a table of.
        what: String,
    },
    /// There is a table, but it cannot be used.
    TableRefused {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The default player searches with the distance table of Chinese checkers.
    TableSearched,
    /// A file of weights could not be used, and those built in are.
    WeightsRefused {
        /// Why not.
        why: String,
    },
    /// A player for one game only cannot play here, and the default player does it instead.
    StandIn {
        /// Who was asked for.
        player: String,
        /// Why it cannot.
        why: String,
    },
    /// A move was made by a plan.
    Planned {
        /// The plan.
        plan: String,
        /// The move.
        mv: String,
        /// The number and the words of the sentence that it serves; none where the plan finds all moves equally good.
        sentence: Option<(usize, String)>,
    },
    /// A way of searching was chosen before the game, or left during the match because it did badly.
    Way {
        /// What is used from here on, and why.
        what: String,
    },
    /// The heuristic that was asked for does not exist in this game.
    NoHeuristic {
        /// What was asked for.
        wanted: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Who thinks for a player whose workers are elsewhere has changed.
    Fleet {
        /// What happened.
        what: String,
    },
    /// A worker of a fleet is not used.
    WorkerRefused {
        /// Which one.
        worker: String,
        /// Why, and the way out.
        why: String,
    },
    /// A joint move does not fit the position and was passed over.
    PassedOver {
        /// What is wrong with it.
        why: String,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Engine(kind) => write!(f, "the engine `{kind}` is ready"),
            Event::TableFound { what } => write!(f, "plays from a table: {what}"),
            Event::TableRefused { why, .. } => write!(f, "warning: a table is not used: {why}"),
            Event::WeightsRefused { why } => write!(f, "warning: {why}; the weights built in are used"),
            Event::TableSearched => f.write_str("searches with the distance table of Chinese checkers"),
            Event::StandIn { player, why } => {
                write!(f, "warning: {player}: {why}; the default player plays instead")
            }
            Event::Planned { plan, mv, sentence: Some((number, words)) } => {
                write!(f, "plan {plan}: {mv} serves sentence {number}: {words}")
            }
            Event::Planned { plan, mv, sentence: None } => {
                write!(f, "plan {plan}: {mv} is as good as any move")
            }
            Event::NoHeuristic { wanted, known } => {
                write!(f, "no heuristic {wanted:?} in this game; there are: {}", known.join("; "))
            }
            Event::Way { what } => write!(f, "searches by {what}"),
            Event::Fleet { what } => write!(f, "fleet: {what}"),
            Event::WorkerRefused { worker, why } => write!(f, "warning: the worker {worker} gets no work: {why}"),
            Event::PassedOver { why } => write!(f, "{why}; passed over"),
        }
    }
}

impl Event {
    /// Whether something is not as it should be; the rest is good to know.
    pub fn is_warning(&self) -> bool {
        match self {
            Event::TableRefused { .. }
            | Event::WeightsRefused { .. }
            | Event::StandIn { .. }
            | Event::NoHeuristic { .. }
            | Event::WorkerRefused { .. }
            | Event::PassedOver { .. } => true,
            Event::Engine(_)
            | Event::TableFound { .. }
            | Event::TableSearched
            | Event::Fleet { .. }
            | Event::Way { .. }
            | Event::Planned { .. } => false,
        }
    }
}

/// Where events go. Clones go to the same place.
#[derive(Clone)]
pub struct Events(Arc<dyn Fn(&Event) + Send + Sync>);

impl Events {
    /// Calls this function with every event, from whatever thread it comes.
    pub fn to(listener: impl Fn(&Event) + Send + Sync + 'static) -> Events {
        Events(Arc::new(listener))
    }

    /// Nobody listens.
    pub fn ignored() -> Events {
        Events::to(|_| {})
    }

    /// Tells whoever listens.
    pub fn tell(&self, event: &Event) {
        (self.0)(event);
    }
}

impl Default for Events {
    fn default() -> Events {
        Events::ignored()
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Events")
    }
}
