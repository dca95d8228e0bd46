//! `ludens show`: a game's stages, printed.

use crate::cli::{ShowCommand, ShowNetArgs, ShowRulesArgs};
use anyhow::{Context, Result};
use gdl::Form;
use gdl::scramble::Scrambler;
use library::{Sheet, load};
use machine::{Budget, PropNet};
use terminal::{Answer, Out, text};

/// Runs the command.
pub fn run(what: &ShowCommand, out: Out<'_>) -> Result<Answer> {
    match what {
        ShowCommand::Rules(args) => rules(args, out),
        ShowCommand::About { game } => about(game, out),
        ShowCommand::Net(args) => net(args, out),
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
    let about = sheet.entry.and_then(|entry| entry.about);
    let about = about
        .with_context(|| format!("there is no description of {}; `ludens show rules` prints its rules", sheet.name))?;
    writeln!(out, "{}", text::wrap_for_terminal(about.trim_end(), 0))?;
    Ok(Answer::Yes)
}

fn net(args: &ShowNetArgs, out: Out<'_>) -> Result<Answer> {
    let (sheet, rules) = load(&args.game)?;
    let net = PropNet::new(&rules, Budget::default()).with_context(|| {
        format!("there is no net of {}; `--engine rules` and `--engine prover` can still play it", sheet.name)
    })?;
    if args.text {
        write!(out, "{}", net.listing())?;
        return Ok(Answer::Yes);
    }
    if args.dot {
        write!(out, "{}", net.dot())?;
        return Ok(Answer::Yes);
    }
    let size = net.size();
    if args.json {
        let json = serde_json::json!({
            "game": sheet.name,
            "ground_rules": size.instances,
            "facts": { "possible": size.facts.0, "changing": size.facts.1 },
            "moves": { "possible": size.moves.0, "legal_somewhere": size.moves.1 },
            "gates": size.gates,
            "operations": size.operations,
            "operations_in_loops": size.looped,
            "slots": size.slots,
        });
        writeln!(out, "{json:#}")?;
        return Ok(Answer::Yes);
    }
    writeln!(out, "{}", sheet.name)?;
    writeln!(out, "  ground rules   {:>10}", size.instances)?;
    writeln!(out, "  facts          {:>10} possible, {} that change", size.facts.0, size.facts.1)?;
    writeln!(out, "  moves          {:>10} possible, {} legal somewhere", size.moves.0, size.moves.1)?;
    writeln!(out, "  gates          {:>10} of any number of inputs, after grounding", size.gates)?;
    writeln!(out, "  operations     {:>10} of two inputs, {} of them in loops", size.operations, size.looped)?;
    writeln!(out, "  slots          {:>10}", size.slots)?;
    Ok(Answer::Yes)
}
