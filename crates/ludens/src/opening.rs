//! Where play begins, as it is written on the command line; the same for every command that can begin anywhere.

use agent::{EngineChoice, Opening, load as load_engine};
use anyhow::{Context, Result, bail};
use clap::Args;
use game::Cancel;
use gdl::Rules;
use library::Sheet;
use machine::Engine;
use play::MatchRecord;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where play begins.
#[derive(Args, Clone, Default)]
pub struct OpeningArgs {
    /// Begin with the facts in this file, in KIF; - is standard input
    #[arg(long, value_name = "FILE", group = "opening", help_heading = "Where it begins")]
    pub facts: Option<PathBuf>,
    /// Begin after these moves: "(mark 1 1) (mark 2 2)", "take a 3; take b 2", "e4 e5 Nf3"
    #[arg(long, value_name = "MOVES", group = "opening", help_heading = "Where it begins")]
    pub moves: Option<String>,
    /// Begin with this position of chess, for the rulesheets chess, kqkr and krk
    #[arg(long, value_name = "FEN", group = "opening", help_heading = "Where it begins")]
    pub fen: Option<String>,
    /// Begin where this recorded match was
    #[arg(long, value_name = "FILE", group = "opening", help_heading = "Where it begins")]
    pub from_record: Option<PathBuf>,
    /// After so many steps of the recorded match [default: all of them]
    #[arg(long, value_name = "N", help_heading = "Where it begins")]
    pub step: Option<usize>,
}

impl OpeningArgs {
    /// Whether nothing is asked for.
    pub fn is_start(&self) -> bool {
        self.facts.is_none() && self.moves.is_none() && self.fen.is_none() && self.from_record.is_none()
    }

    /// What is asked for.
    pub fn opening(&self, sheet: &Sheet) -> Result<Opening> {
        if let Some(path) = &self.facts {
            let text = read(path)?;
            return Opening::from_facts(&text).with_context(|| path.display().to_string());
        }
        if let Some(moves) = &self.moves {
            return Ok(Opening::from_moves(moves));
        }
        if let Some(fen) = &self.fen {
            let name = sheet.entry.map_or(sheet.name.as_str(), |entry| entry.name);
            return Opening::from_fen(fen, name).with_context(|| format!("the FEN {fen:?}"));
        }
        if let Some(path) = &self.from_record {
            return from_record(path, self.step);
        }
        if self.step.is_some() {
            bail!("`--step` goes with a recorded match: `--from-record FILE --step N`");
        }
        Ok(Opening::Start)
    }

    /// The game for those who only understand rules: with the rules as they are, or with rules that begin where it is asked for.
    pub fn begin(&self, choice: EngineChoice, sheet: &Sheet, rules: Rules, cancel: &Cancel) -> Result<Begun> {
        let engine = load_engine(choice, sheet, &rules, cancel)?.engine;
        match self.opening(sheet)? {
            Opening::Start => Ok(Begun { rules, engine, is_elsewhere: false }),
            opening => {
                let rules = agent::opening::beginning_with(&rules, &opening.open(&engine)?.facts())?;
                let engine = load_engine(choice, sheet, &rules, cancel)?.engine;
                Ok(Begun { rules, engine, is_elsewhere: true })
            }
        }
    }
}

/// A game that begins where it was asked for.
pub struct Begun {
    /// Its rules.
    pub rules: Rules,
    /// Its engine.
    pub engine: Engine,
    /// Whether it begins elsewhere than the rulesheet says.
    pub is_elsewhere: bool,
}

/// The position in a recorded match.
pub fn from_record(path: &Path, step: Option<usize>) -> Result<Opening> {
    let text = read(path)?;
    let record = MatchRecord::read(&text)
        .map_err(|problems| anyhow::anyhow!("{} is no record of a match: {}", path.display(), problems.join("; ")))?;
    Opening::from_record(&record, step).with_context(|| path.display().to_string())
}

fn read(path: &Path) -> Result<String> {
    let mut text = String::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_string(&mut text)
    } else {
        fs::File::open(path).and_then(|mut file| file.read_to_string(&mut text))
    };
    read.with_context(|| format!("cannot read {}", path.display()))?;
    Ok(text)
}
