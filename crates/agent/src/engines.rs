//! The engine that a person or a program asks for, made from a rulesheet: the one place that turns what is wrong with the
//! rules into a message with a place in the text.

use anyhow::{Result, anyhow};
use game::Cancel;
use gdl::Rules;
use library::Sheet;
use machine::{Engine, EngineKind, Loader, NoNet};
use std::fmt;
use std::str::FromStr;

/// Which engine is wanted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum EngineChoice {
    /// The best one for the game at hand.
    #[default]
    Auto,
    /// This one.
    Only(EngineKind),
}

impl EngineChoice {
    /// The prover.
    pub const PROVER: EngineChoice = EngineChoice::Only(EngineKind::Prover);
    /// Rule code.
    pub const RULES: EngineChoice = EngineChoice::Only(EngineKind::Rules);
    /// The propnet.
    pub const NET: EngineChoice = EngineChoice::Only(EngineKind::Net);
    /// The engines themselves, slowest first.
    pub const ALL: [EngineChoice; 3] = [EngineChoice::PROVER, EngineChoice::RULES, EngineChoice::NET];

    /// The names to choose from, and what they mean.
    pub const NAMES: [(&'static str, &'static str); 4] = [
        ("auto", "The best engine for the game at hand"),
        ("prover", "The slow and simple one that the others are measured against"),
        ("rules", "A routine for each question that the rules can ask; for games too large for a net"),
        ("net", "The rules as gates, without variables: the fastest"),
    ];

    /// What it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            EngineChoice::Auto => "auto",
            EngineChoice::Only(kind) => kind.name(),
        }
    }
}

impl fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EngineChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<EngineChoice, String> {
        if text == "auto" { Ok(EngineChoice::Auto) } else { text.parse().map(EngineChoice::Only) }
    }
}

/// A game that is ready to be played.
#[derive(Clone)]
pub struct Loaded {
    /// The engine.
    pub engine: Engine,
    /// Why `auto` did not take a propnet.
    pub no_net: Option<String>,
}

/// Makes the engine for a rulesheet. When `cancel` is cancelled, loading and everything else that the engine does ends
/// with an error soon after.
///
/// # Errors
/// When the rules cannot be played, or not by this engine.
pub fn load(choice: EngineChoice, sheet: &Sheet, rules: &Rules, cancel: &Cancel) -> Result<Loaded> {
    let loader = Loader::new(rules).until(cancel);
    match choice {
        EngineChoice::Auto => match loader.best() {
            Ok(best) => Ok(Loaded { engine: best.engine, no_net: best.no_net.map(|unfit| unfit.to_string()) }),
            Err(error) => Err(refused(sheet, error.span, &error.message)),
        },
        EngineChoice::Only(kind) => match loader.make(kind) {
            Ok(engine) => Ok(Loaded { engine, no_net: None }),
            Err(NoNet::Load(error)) => Err(refused(sheet, error.span, &error.message)),
            Err(NoNet::Unfit(unfit)) => {
                let hint = "`--engine auto` and `--engine rules` play it";
                Err(anyhow::Error::new(unfit).context(format!("there is no net of {} ({hint})", sheet.name)))
            }
        },
    }
}

/// The engine for a rulesheet, where nothing else is wanted and nobody interrupts.
///
/// # Errors
/// As [`load`].
pub fn engine(choice: EngineChoice, sheet: &Sheet, rules: &Rules) -> Result<Engine> {
    load(choice, sheet, rules, &Cancel::new()).map(|loaded| loaded.engine)
}

fn refused(sheet: &Sheet, span: Option<gdl::Span>, message: &str) -> anyhow::Error {
    let place = span.map(|span| sheet.source().place(span.start));
    let place = place.map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
    anyhow!("cannot play {}{place}: {message}", sheet.name)
}
