//! `ludens plan check`: the proof of a plan again, from its file alone, by code that shares nothing with what learned it.

use super::args::PlanCheckArgs;
use ::plan::Subject;
use ::plan::check::{self, Found};
use ::plan::report::percent;
use agent::plans::{find, ground, rules_of};
use anyhow::{Result, bail};
use platform::{Interrupt, Interrupted};
use serde_json::json;
use terminal::text::wrap_for_terminal;
use terminal::{Answer, Out};

/// Runs the command.
pub fn run(args: &PlanCheckArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let (path, plan) = find(&args.plan, args.folder.as_deref())?;
    let cancel = interrupt.cancel();
    let report = match &plan.subject {
        Subject::Ending { .. } => check::ending(&plan, &cancel)?,
        Subject::Game { .. } => {
            let (sheet, rules) = rules_of(&plan, args.game.as_deref())?;
            ground::check(&plan, &sheet, &rules, &cancel)?
        }
    };
    if cancel.is_cancelled() {
        bail!(Interrupted("nothing is proved".to_string()));
    }
    let differences = report.differences();
    let answer = if differences.is_empty() { Answer::Yes } else { Answer::No };
    if args.json {
        let one = |found: &Found| json!({ "reached": found.reached, "claimed": found.claimed, "counterexample": found.counterexample });
        let found: Vec<_> = report.0.iter().map(one).collect();
        let games = report.2.map(
            |[won, games, said, of]| json!({ "won": won, "games": games, "claimed": { "won": said, "games": of } }),
        );
        let told: Vec<_> = report.1.iter().map(|(plies, right, said, all)| json!({ "plies": plies, "right": right, "positions": all, "claimed": said })).collect();
        let report = json!({ "file": path, "proven": report.proven(), "found": found, "verdict": told, "avoiding": games,
            "differences": differences, "unchecked": plan.unchecked() });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(answer);
    }
    for Found { reached, counterexample, .. } in &report.0 {
        let plies = if reached.plies == 1 { "1 ply".to_string() } else { format!("{} plies", reached.plies) };
        let share = percent(reached.share());
        let line = format!(
            "looking {plies} ahead: {} of {} positions that can be won are won ({share}), {:.2} moves over the optimum, at most {}",
            reached.won, reached.positions, reached.excess, reached.worst
        );
        writeln!(out, "{}", wrap_for_terminal(&line, 2))?;
        if let Some(position) = counterexample {
            writeln!(out, "  not won: {position}")?;
        }
    }
    for (plies, right, _, all) in &report.1 {
        let share = percent(*right as f64 / (*all).max(1) as f64);
        let line =
            format!("rules that tell what is won, read {plies} plies ahead: right about {right} of {all} ({share})");
        writeln!(out, "{}", wrap_for_terminal(&line, 2))?;
    }
    if let Some([won, games, ..]) = report.2 {
        let share = percent(won as f64 / games.max(1) as f64);
        let line =
            format!("with the rule about repetitions: {won} of {games} games against best replies are won ({share})");
        writeln!(out, "{}", wrap_for_terminal(&line, 2))?;
    }
    for difference in &differences {
        writeln!(out, "{}", wrap_for_terminal(difference, 2))?;
    }
    let unchecked = plan.unchecked();
    if !unchecked.is_empty() {
        writeln!(out, "{}", wrap_for_terminal(&format!("Not checked: {}.", unchecked.join("; ")), 2))?;
    }
    let verdict = match (differences.is_empty(), report.proven()) {
        (false, _) => "The file says otherwise than what was found.",
        (true, true) => "Proven: following the plan wins every position that can be won.",
        (true, false) => "The file says what was found.",
    };
    writeln!(out, "{verdict}")?;
    Ok(answer)
}
