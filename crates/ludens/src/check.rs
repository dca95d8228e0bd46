//! `ludens check`: everything that is wrong with rulesheets, strictly: what the text shows, and what random games show.

use crate::cli::CheckArgs;
use agent::faults;
use anyhow::Result;
use faults::Found;
use gdl::{Problem, Rules, Severity};
use library::Sheet;
use serde::Serialize;
use std::io::Write;
use std::time::Duration;
use terminal::{Answer, Out, Progress, text};

/// A problem as a program reads it.
#[derive(Serialize)]
struct Row<'a> {
    file: &'a str,
    severity: &'static str,
    code: &'static str,
    line: usize,
    column: usize,
    message: &'a str,
    hint: &'a str,
    /// The joint moves that lead there, for what play has shown.
    #[serde(skip_serializing_if = "<[Vec<String>]>::is_empty")]
    moves: &'a [Vec<String>],
}

/// Runs the command.
pub fn run(args: &CheckArgs, out: Out<'_>) -> Result<Answer> {
    let mut checked = Vec::new();
    let mut unread = false;
    let mut progress = Progress::new();
    for file in &args.files {
        match Sheet::find(file).and_then(|sheet| Ok((problems(&sheet, args, &mut progress)?, sheet))) {
            Ok((problems, sheet)) => checked.push((sheet, problems)),
            // The other files are still worth checking.
            Err(error) => {
                unread = true;
                progress.wipe();
                let _ = writeln!(std::io::stderr(), "ludens: {error:#}");
            }
        }
    }
    drop(progress);
    let all = || checked.iter().flat_map(|(_, found)| found);
    let count = |severity| all().filter(|found| found.problem.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if args.json {
        let rows: Vec<Row<'_>> = checked.iter().flat_map(|(sheet, found)| rows(sheet, found)).collect();
        serde_json::to_writer_pretty(&mut *out, &rows)?;
        writeln!(out)?;
    } else {
        for (sheet, found) in &checked {
            for Found { problem, moves } in found {
                write!(out, "{}", sheet.source().show(problem))?;
                if !moves.is_empty() {
                    writeln!(out, "  = moves: {}", line(moves))?;
                }
                writeln!(out)?;
            }
        }
        let files = text::count(checked.len(), "file");
        writeln!(out, "{files}: {}, {}", text::count(errors, "error"), text::count(warnings, "warning"))?;
    }
    if unread {
        anyhow::bail!("not every file could be read");
    }
    Ok(if errors > 0 || (args.deny_warnings && warnings > 0) { Answer::No } else { Answer::Yes })
}

/// What is wrong with the writing and with the rules, in the order of the text; then what play shows, if nothing that
/// the text shows is in its way.
fn problems(sheet: &Sheet, args: &CheckArgs, progress: &mut Progress) -> Result<Vec<Found>> {
    let written = |problem: Problem| Found { problem, moves: Vec::new() };
    if let Some(problem) = sheet.spoiled() {
        return Ok(vec![written(problem.clone())]);
    }
    let checked = gdl::check(&sheet.text, &gdl::Limits::default())?;
    let playable = !checked.problems.iter().any(|problem| problem.severity == Severity::Error);
    let mut found: Vec<Found> = checked.problems.into_iter().map(written).collect();
    if playable && !args.no_play && can_begin(&checked.rules) {
        let limit = Duration::from_secs_f64(args.seconds);
        found.extend(faults::run(&checked.rules, limit, &mut |games| {
            progress.at(|_| format!("{}: {games} random games", sheet.name));
        }));
    }
    Ok(found)
}

/// Whether there is anything to play: a text with signs of another language may lack what a game needs.
fn can_begin(rules: &Rules) -> bool {
    !rules.roles().is_empty()
}

/// Joint moves in one line: the first ones are left out if there are many.
fn line(moves: &[Vec<String>]) -> String {
    const MOST: usize = 24;
    let left = moves.len().saturating_sub(MOST);
    let mut parts: Vec<String> = moves[left..].iter().map(|joint| joint.join(" ")).collect();
    if left > 0 {
        parts.insert(0, format!("… {left} more (`--json` has them all)"));
    }
    parts.join(" | ")
}

fn rows<'a>(sheet: &'a Sheet, found: &'a [Found]) -> Vec<Row<'a>> {
    let source = sheet.source();
    let row = |Found { problem, moves }: &'a Found| {
        let (line, column) = source.place(problem.span.start);
        Row {
            file: &sheet.name,
            severity: problem.severity.word(),
            code: problem.code,
            line,
            column,
            message: &problem.message,
            hint: &problem.hint,
            moves,
        }
    };
    found.iter().map(row).collect()
}
