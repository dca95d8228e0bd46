//! `ludens check`: everything that is wrong with rulesheets, strictly.

use crate::cli::CheckArgs;
use anyhow::Result;
use gdl::{Problem, Severity};
use library::Sheet;
use serde::Serialize;
use std::io::Write;
use terminal::{Answer, Out, text};

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
}

/// Runs the command.
pub fn run(args: &CheckArgs, out: Out<'_>) -> Result<Answer> {
    let mut checked = Vec::new();
    let mut unread = false;
    for file in &args.files {
        match Sheet::find(file) {
            Ok(sheet) => {
                let problems = problems(&sheet);
                checked.push((sheet, problems));
            }
            // The other files are still worth checking.
            Err(error) => {
                unread = true;
                let _ = writeln!(std::io::stderr(), "ludens: {error:#}");
            }
        }
    }
    let count = |severity| checked.iter().flat_map(|(_, p)| p).filter(|p| p.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if args.json {
        let rows: Vec<Row<'_>> = checked.iter().flat_map(|(sheet, problems)| rows(sheet, problems)).collect();
        serde_json::to_writer_pretty(&mut *out, &rows)?;
        writeln!(out)?;
    } else {
        for (sheet, problems) in &checked {
            for problem in problems {
                writeln!(out, "{}", sheet.source().show(problem))?;
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

/// What is wrong with the writing and with the rules, in the order of the text.
fn problems(sheet: &Sheet) -> Vec<Problem> {
    let (rules, mut problems) = sheet.parse();
    let all_read = problems.is_empty();
    // A clause that could not be read may be just the one that seems to be missing; everything else stays true
    // whatever it says.
    let lacking = |problem: &Problem| {
        problem.code.starts_with("missing-") || problem.code == "undefined" || problem.code == "unused"
    };
    problems.extend(gdl::validate::validate(&rules).into_iter().filter(|problem| all_read || !lacking(problem)));
    problems.sort_by_key(|problem| problem.span);
    problems
}

fn rows<'a>(sheet: &'a Sheet, problems: &'a [Problem]) -> Vec<Row<'a>> {
    let source = sheet.source();
    let row = |problem: &'a Problem| {
        let (line, column) = source.place(problem.span.start);
        Row {
            file: &sheet.name,
            severity: problem.severity.word(),
            code: problem.code,
            line,
            column,
            message: &problem.message,
            hint: &problem.hint,
        }
    };
    problems.iter().map(row).collect()
}
