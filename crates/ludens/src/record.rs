//! `ludens record`: a random game, written down.

use crate::cli::RecordArgs;
use anyhow::{Context, Result};
use game::Cancel;
use library::load;
use platform::{can_save, save};
use terminal::{Answer, Out};

/// Runs the command.
pub fn run(args: &RecordArgs, out: Out<'_>) -> Result<Answer> {
    let (sheet, rules) = load(&args.game)?;
    if let Some(path) = &args.output {
        can_save(path)?;
    }
    let begun = args.opening.begin(args.engine, &sheet, rules, &Cancel::new())?;
    let text = game::record::record(&begun.engine, args.seed, args.most)
        .with_context(|| format!("recording {}", sheet.name))?;
    match &args.output {
        Some(path) => save(path, &text)?,
        None => write!(out, "{text}")?,
    }
    Ok(Answer::Yes)
}
