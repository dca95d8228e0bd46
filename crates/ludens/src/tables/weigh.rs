//! `ludens table weigh`: what the parts of an ending weigh that has no table of its own, learned from games against itself.

use super::args::WeighArgs;
use ::chess::Force;
use ::chess::learn::{Learning, learn};
use ::table::chess::{Material, Metric};
use ::table::store::Store;
use anyhow::{Context, Result, anyhow, bail};
use platform::{Interrupt, Interrupted, folders};
use std::sync::Arc;
use terminal::{Answer, Out, Progress};

/// Runs the command.
pub fn run(args: &WeighArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let force = Force::parse(&args.men).map_err(|why| anyhow!(why))?;
    if let Some(path) = &args.output {
        platform::save::can_save(path)?;
    }
    let folder = folders::tables(args.folder.as_deref())?;
    let tables = Arc::new(Store::new(&folder).chess_within(Metric::Mate, 768 << 20));
    let WeighArgs { games, rounds, nodes, seed, hand, .. } = *args;
    let parts = args.parts.iter().map(|name| Ok(Material::parse(name)?)).collect::<Result<Vec<_>>>()?;
    let learning = Learning { games, rounds, nodes, seed, hand, parts };
    let mut progress = Progress::new();
    let cancel = interrupt.cancel();
    let outline = learn(&force, &tables, &learning, &cancel, &mut |at| {
        let part = f64::from(at.round * games + at.games) / f64::from(rounds * games);
        progress.fraction(part, |gone| format!("{force}: round {}, game {}: {gone:.0} s", at.round + 1, at.games));
    });
    progress.wipe();
    let Some(outline) = outline else {
        if cancel.is_cancelled() {
            return Err(Interrupted("nothing is kept".to_string()).into());
        }
        bail!(
            "no part of {force} has a table in {}; `ludens table all chess --pieces 4` builds some",
            folder.display()
        );
    };
    let text = serde_json::to_string_pretty(&outline.learned).context("weights as JSON")? + "\n";
    match &args.output {
        None => out.write_all(text.as_bytes())?,
        Some(path) => {
            platform::save::save(path, &text)?;
            writeln!(
                out,
                "{force}: {} positions; loss {:.3} on games not learned from, {:.3} without lookups; written to {}",
                outline.examples,
                outline.held_out,
                outline.without,
                path.display()
            )?;
        }
    }
    Ok(Answer::Yes)
}
