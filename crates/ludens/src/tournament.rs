//! `ludens tournament`: many matches between players of this program or elsewhere, and what they come to.

use crate::cli::TournamentArgs;
use crate::player::players;
use anyhow::Result;
use host::tournament::{Plan, Progress, play_some};
use platform::Interrupt;
use std::io::{Write, stderr};
use terminal::{Answer, Out, text};

/// Runs the command.
pub fn run(args: &TournamentArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let mut shown = terminal::Progress::new();
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
            Progress::Games { done, of } => {
                shown.at(|seconds| format!("{done} of {}, {}", text::count(of, "game"), text::seconds(seconds)));
            }
        }
        Ok(())
    };
    // From here on Ctrl-C ends the matches, and not the program.
    let (standings, missing) = play_some(&plan(args), &players(), &interrupt.cancel(), &mut tell)?;
    drop(shown);
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &standings.to_json())?;
        writeln!(out)?;
    } else {
        write!(out, "{}", standings.text())?;
    }
    out.flush()?;
    let Some(missing) = missing else { return Ok(Answer::Yes) };
    if interrupt.is_interrupted() {
        anyhow::bail!(platform::Interrupted(missing.trim_start_matches("interrupted; ").to_string()));
    }
    let _ = writeln!(stderr(), "ludens: {missing}");
    Ok(Answer::No)
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
