//! `ludens show`: a game's stages, printed.

use crate::cli::{ShowCommand, ShowRulesArgs};
use crate::source::{Sheet, load};
use crate::{Answer, Out};
use anyhow::{Context, Result};
use gdl::Form;
use gdl::scramble::Scrambler;

/// Runs the command.
pub fn run(what: &ShowCommand, out: Out<'_>) -> Result<Answer> {
    match what {
        ShowCommand::Rules(args) => rules(args, out),
        ShowCommand::About { game } => about(game, out),
    }
}

fn rules(args: &ShowRulesArgs, out: Out<'_>) -> Result<Answer> {
    let (_, mut rules) = load(&args.game)?;
    if let Some(seed) = args.scramble {
        rules = Scrambler::new(&rules, seed).rules().clone();
    }
    let form = if args.infix { Form::Infix } else { Form::Kif };
    write!(out, "{}", gdl::print::print(&rules, form))?;
    Ok(Answer::Yes)
}

fn about(game: &str, out: Out<'_>) -> Result<Answer> {
    let sheet = Sheet::find(game)?;
    let text = sheet.entry.and_then(|entry| entry.about);
    let text = text
        .with_context(|| format!("there is no description of {}; `ludens show rules` prints its rules", sheet.name))?;
    writeln!(out, "{}", text.trim_end())?;
    Ok(Answer::Yes)
}
