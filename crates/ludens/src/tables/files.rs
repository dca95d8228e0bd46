//! `ludens table list`: what there is in the folder.

use super::args::ListArgs;
use ::table::file::Table;
use ::table::store::{self, ENDING};
use agent::tables::chinese::UNFINISHED;
use agent::tables::named::{form_name, misnamed, positions};
use anyhow::Result;
use platform::{folders, memory};
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use terminal::{Answer, Out, text};

/// `ludens table list`.
pub fn list(args: &ListArgs, out: Out<'_>) -> Result<Answer> {
    let folder = folders::tables(args.folder.as_deref())?;
    let files = store::files(&folder, ENDING);
    let unfinished: Vec<Unfinished> = store::files(&folder, UNFINISHED).into_iter().map(Unfinished::new).collect();
    let mut rows = vec![["table", "kind", "metric", "entries", "stored", "bytes"].map(String::from).to_vec()];
    let mut reports = Vec::new();
    let mut faults = Vec::new();
    for path in &files {
        let shown = text::plain(&path.strip_prefix(&folder).unwrap_or(path).display().to_string());
        match Table::open(path) {
            Ok(opened) => {
                let header = opened.header();
                let (entries, size, form) = (positions(header), opened.size(), form_name(opened.form()));
                rows.push(vec![
                    shown,
                    header.kind().to_string(),
                    header.metric.to_string(),
                    entries.to_string(),
                    form.to_string(),
                    size.to_string(),
                ]);
                reports
                    .push(json!({ "file": path, "kind": header.kind(), "name": header.name, "metric": header.metric,
                    "entries": entries, "form": form, "bytes": size }));
                if let (Some(fault), Some(report)) = (misnamed(path, header), reports.last_mut()) {
                    report["error"] = json!(fault);
                    faults.push(fault);
                }
            }
            Err(error) => {
                reports.push(json!({ "file": path, "error": error.to_string() }));
                faults.push(error.to_string());
            }
        }
    }
    let answer = if faults.is_empty() { Answer::Yes } else { Answer::No };
    if args.json {
        let parts: Vec<_> = unfinished
            .iter()
            .map(|part| json!({ "file": part.path, "bytes": part.size, "finished": part.finished }))
            .collect();
        let report = json!({ "folder": folder, "tables": reports, "unfinished": parts });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(answer);
    }
    if files.is_empty() {
        writeln!(
            out,
            "no tables in {} (`ludens table build chess KQKR{option}` or `ludens solve nim{option}` makes one)",
            folder.display(),
            option = folders::option(args.folder.as_deref())
        )?;
    } else {
        writeln!(out, "{} in {}\n", text::count(files.len(), "table"), folder.display())?;
        write!(out, "{}", text::aligned(&rows))?;
        faults.iter().try_for_each(|fault| writeln!(out, "{fault}"))?;
    }
    for Unfinished { path, size, finished } in &unfinished {
        let shown = text::plain(&path.strip_prefix(&folder).unwrap_or(path).display().to_string());
        let size = memory::size(*size);
        match finished {
            true => writeln!(out, "left over: {shown}, {size} (the table is finished; this can be deleted)")?,
            false => writeln!(out, "not finished: {shown}, {size} (the same build goes on from there)")?,
        }
    }
    Ok(answer)
}

/// What is kept of a build.
struct Unfinished {
    path: PathBuf,
    size: u64,
    /// Whether its table is there, so that nothing will go on from here.
    finished: bool,
}

impl Unfinished {
    fn new(path: PathBuf) -> Unfinished {
        let size = fs::metadata(&path).map_or(0, |about| about.len());
        let finished = Table::peek(path.with_extension(ENDING)).is_ok();
        Unfinished { path, size, finished }
    }
}
