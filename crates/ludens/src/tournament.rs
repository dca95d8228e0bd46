//! `ludens tournament`: many matches between players of this program or elsewhere, and what they come to.

use crate::cli::TournamentArgs;
use crate::player::players;
use crate::tables::with_tables;
use anyhow::Result;
use host::tournament::{Missing, Place, Plan, Progress, play_some_at};
use platform::Interrupt;
use std::io::{Write, stderr};
use std::path::PathBuf;
use terminal::{Answer, Out, text};

/// Runs the command.
pub fn run(args: &TournamentArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let mut shown = terminal::Progress::new();
    let mut saved: Option<PathBuf> = None;
    let mut tell = |progress: Progress| {
        match progress {
            Progress::GoingOn { .. } if args.json => {}
            Progress::GoingOn { played, changed } => {
                if changed > 0 {
                    writeln!(out, "{} played again: the rules have changed since", text::count(changed, "game"))?;
                }
                writeln!(out, "going on with {played} games played before (`--fresh` begins anew)")?;
                out.flush()?;
            }
            Progress::Games { done, of } => shown.fraction(done as f64 / of.max(1) as f64, |seconds| {
                format!("{done} of {}, {}", text::count(of, "game"), text::seconds(seconds))
            }),
            Progress::Fleet { waiting, at_work, workers } => shown.at(|seconds| {
                let workers = text::count(workers, "worker");
                format!("{workers} so far, {at_work} games at hand, {waiting} waiting, {}", text::seconds(seconds))
            }),
            Progress::Saved { path } => saved = Some(path),
        }
        Ok(())
    };
    // From here on Ctrl-C ends the matches, and not the program.
    let (plan, players, cancel) = (plan(args), players(interrupt), interrupt.cancel());
    let queue = args.fleet.as_deref().map(fleet::queue::Queue::at).transpose()?;
    let place = queue.as_ref().map_or(Place::Here, Place::Fleet);
    let (standings, missing) =
        with_tables(args.build_tables, interrupt, || play_some_at(&place, &plan, &players, &cancel, &mut tell))?;
    drop(shown);
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &standings.report())?;
        writeln!(out)?;
    } else {
        write!(out, "{}", standings.text())?;
        if let Some(path) = saved {
            writeln!(out, "in {}", path.display())?;
        }
    }
    out.flush()?;
    match missing {
        None => Ok(Answer::Yes),
        Some(Missing::LeftOut(why)) => {
            let _ = writeln!(stderr(), "ludens: {why}");
            Ok(Answer::No)
        }
        Some(interrupted) => Err(interrupted.into()),
    }
}

fn plan(args: &TournamentArgs) -> Plan {
    Plan {
        games: args.games.clone(),
        players: args.players.clone(),
        rounds: args.rounds,
        gauntlet: args.gauntlet,
        start: args.start,
        play: args.play,
        parallel: args.parallel.into(),
        scramble: args.scramble,
        seed: args.seed,
        most: args.most,
        out: args.out.clone(),
        records: args.records,
        fresh: args.fresh,
    }
}
