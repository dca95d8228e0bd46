//! `ludens record`: a random game, written down.

use crate::cli::RecordArgs;
use crate::engine::{self, Job};
use crate::source::load;
use crate::{Answer, Out};
use anyhow::{Context, Result};
use game::{Limit, Names};

/// Runs the command.
pub fn run(args: &RecordArgs, out: Out<'_>) -> Result<Answer> {
    let (sheet, rules) = load(&args.game)?;
    let text = engine::run(args.engine, &sheet, &rules, None, Record(args))?
        .with_context(|| format!("recording {}", sheet.name))?;
    match &args.output {
        Some(path) => std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?,
        None => write!(out, "{text}")?,
    }
    Ok(Answer::Yes)
}

struct Record<'a>(&'a RecordArgs);

impl Job for Record<'_> {
    type Out = Result<String, Limit>;

    fn run<G: Names>(self, game: &G) -> Self::Out {
        game::record::record(game, self.0.seed, self.0.most)
    }
}
