//! The one place that knows which engines there are. Commands are written for any [`Names`]; an engine is made here and
//! handed to them.

use crate::source::Sheet;
use anyhow::{Result, anyhow};
use clap::ValueEnum;
use game::Names;
use gdl::Rules;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The engines to choose from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Engine {
    /// The best engine for the game at hand.
    #[default]
    Auto,
    /// The slow and simple one that the others are measured against.
    Prover,
}

/// Something to do with a game, whatever engine runs it. (A closure cannot be generic, so this is a trait.)
pub trait Job {
    /// What comes out.
    type Out;
    /// Does it.
    fn run<G: Names>(self, game: &G) -> Self::Out;
}

/// Makes the engine and does the job. `Err` if the rules cannot be loaded. When `stop` becomes true, loading and
/// everything else that the engine does ends with an error soon after.
pub fn run<J: Job>(
    engine: Engine,
    sheet: &Sheet,
    rules: &Rules,
    stop: Option<Arc<AtomicBool>>,
    job: J,
) -> Result<J::Out> {
    match engine {
        Engine::Auto | Engine::Prover => {
            let limits = machine::Limits { stop, ..machine::Limits::default() };
            match machine::Prover::with_limits(rules, limits) {
                Ok(prover) => Ok(job.run(&prover)),
                Err(error) => Err(refused(sheet, error)),
            }
        }
    }
}

fn refused(sheet: &Sheet, error: machine::LoadError) -> anyhow::Error {
    let place = error.span.map(|span| sheet.source().place(span.start));
    let place = place.map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
    anyhow!("cannot play {}{place}: {}", sheet.name, error.message)
}
