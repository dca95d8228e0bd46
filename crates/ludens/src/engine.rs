//! The one place that knows which engines there are. Commands are written for any [`Facts`], most for any `Names`; an engine is made here and
//! handed to them.

use crate::source::Sheet;
use anyhow::{Result, anyhow};
use clap::ValueEnum;
use game::Facts;
use gdl::Rules;
use machine::{Budget, Limits, Net, NoNet, Prover, RuleCode};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The engines to choose from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, ValueEnum)]
pub enum Engine {
    /// The best engine for the game at hand.
    #[default]
    Auto,
    /// The slow and simple one that the others are measured against.
    Prover,
    /// A routine for each question that the rules can ask; for games too large for a net.
    Rules,
    /// The rules as gates, without variables: the fastest.
    Net,
}

impl Engine {
    /// The engines themselves, slowest first.
    pub const ALL: [Engine; 3] = [Engine::Prover, Engine::Rules, Engine::Net];

    /// What it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Prover => "prover",
            Engine::Rules => "rules",
            Engine::Net => "net",
        }
    }
}

/// Something to do with a game, whatever engine runs it. (A closure cannot be generic, so this is a trait.)
pub trait Job {
    /// What comes out.
    type Out;
    /// Does it.
    fn run<G: Facts>(self, game: &G) -> Self::Out;
}

/// A game that is ready to be played.
pub struct Loaded {
    made: Made,
    fallback: Option<String>,
}

enum Made {
    Prover(Prover),
    Rules(RuleCode),
    Net(Net),
}

impl Loaded {
    /// Makes the engine. `Err` if the rules cannot be loaded. When `stop` becomes true, loading and everything else that
    /// the engine does ends with an error soon after.
    pub fn new(engine: Engine, sheet: &Sheet, rules: &Rules, stop: Option<Arc<AtomicBool>>) -> Result<Loaded> {
        let refused = |error: machine::LoadError| refused(sheet, error.span, &error.message);
        let net = || {
            let mut budget = Budget::default();
            budget.stop = stop.clone();
            Net::new(rules, budget)
        };
        let limits = || Limits { stop: stop.clone(), ..Limits::default() };
        let mut fallback = None;
        let made = match engine {
            Engine::Prover => Made::Prover(Prover::with_limits(rules, limits()).map_err(refused)?),
            Engine::Rules => Made::Rules(RuleCode::with_limits(rules, limits()).map_err(refused)?),
            Engine::Net => match net() {
                Ok(net) => Made::Net(net),
                Err(NoNet::Load(error)) => return Err(refused(error)),
                Err(NoNet::Unfit(unfit)) => {
                    let hint = "`--engine auto` and `--engine rules` play it";
                    return Err(
                        anyhow::Error::new(unfit).context(format!("there is no net of {} ({hint})", sheet.name))
                    );
                }
            },
            Engine::Auto => match net() {
                Ok(net) => Made::Net(net),
                Err(NoNet::Load(error)) => return Err(refused(error)),
                Err(NoNet::Unfit(unfit)) => {
                    fallback = Some(unfit.to_string());
                    Made::Rules(RuleCode::with_limits(rules, limits()).map_err(refused)?)
                }
            },
        };
        Ok(Loaded { made, fallback })
    }

    /// Which engine it is: never [`Engine::Auto`].
    pub fn engine(&self) -> Engine {
        match self.made {
            Made::Prover(_) => Engine::Prover,
            Made::Rules(_) => Engine::Rules,
            Made::Net(_) => Engine::Net,
        }
    }

    /// Why `auto` did not take a net.
    pub fn fallback(&self) -> Option<&str> {
        self.fallback.as_deref()
    }

    /// Does a job with the game.
    pub fn run<J: Job>(&self, job: J) -> J::Out {
        match &self.made {
            Made::Prover(game) => job.run(game),
            Made::Rules(game) => job.run(game),
            Made::Net(game) => job.run(game),
        }
    }

    /// The net, if that is what it is: it can do more than the other engines, such as many games at once.
    pub fn net(&self) -> Option<&Net> {
        match &self.made {
            Made::Net(net) => Some(net),
            _ => None,
        }
    }
}

/// Makes the engine and does the job.
pub fn run<J: Job>(
    engine: Engine,
    sheet: &Sheet,
    rules: &Rules,
    stop: Option<Arc<AtomicBool>>,
    job: J,
) -> Result<J::Out> {
    Ok(Loaded::new(engine, sheet, rules, stop)?.run(job))
}

fn refused(sheet: &Sheet, span: Option<gdl::Span>, message: &str) -> anyhow::Error {
    let place = span.map(|span| sheet.source().place(span.start));
    let place = place.map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
    anyhow!("cannot play {}{place}: {message}", sheet.name)
}
