//! Table files in the folder: how they are called, how they are found, and what there is.

use super::args::ListArgs;
use super::place;
use crate::{Answer, Out, table};
use ::table::file::{Form, Header, Table};
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// The ending of table files.
const ENDING: &str = "table";

/// The file of a table in a folder of tables.
pub fn path(folder: &Path, kind: &str, name: &str) -> PathBuf {
    folder.join(kind).join(format!("{name}.{ENDING}"))
}

/// Makes the folder that a file is to be in.
pub fn make_folder_of(path: &Path) -> Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => {
            fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))
        }
        None => Ok(()),
    }
}

/// The file that a person means: a path, or a name in the folder such as `KQKR`, `9x9-6` or `nim`.
pub fn find(name: &str, folder: Option<&Path>) -> Result<PathBuf> {
    let as_path = Path::new(name);
    if as_path.is_file() {
        return Ok(as_path.to_path_buf());
    }
    if name.contains(['/', '\\']) {
        bail!("there is no file {name}");
    }
    let folder = place::folder(folder)?;
    let chess = ::table::chess::Material::parse(name).map(|material| material.to_string());
    let mut names = vec![name.to_string(), name.to_ascii_lowercase()];
    names.extend(chess.into_iter().flat_map(|name| ["dtm", "dtc"].map(|metric| format!("{name}.{metric}"))));
    for name in &names {
        for kind in ["chess", "chinese-checkers", "solved", "."] {
            for path in [path(&folder, kind, name), folder.join(kind).join(name)] {
                if path.is_file() {
                    return Ok(path);
                }
            }
        }
    }
    bail!(
        "there is no file {name}, and no table of that name in {} (`ludens table list` shows what is there)",
        folder.display()
    )
}

/// The ending of what is kept of builds that are not finished.
pub const UNFINISHED: &str = "part";

/// All files with this ending in a folder and the folders in it, in order.
fn all(folder: &Path, wanted: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, depth)) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if path.is_dir() && depth < 3 {
                open.push((path, depth + 1));
            } else if path.extension().is_some_and(|ending| ending == wanted) && !hidden {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// How many positions a table knows. A solved game has three parts about each: its key, its value and its distance.
pub fn positions(header: &Header) -> u64 {
    match header.part("values").filter(|_| header.kind == super::SOLVED) {
        Some(values) => header.parts[values].entries,
        None => header.entries(),
    }
}

/// How it is stored, in a word.
pub fn form_name(form: Form) -> &'static str {
    match form {
        Form::Raw => "raw",
        Form::Compressed => "compressed",
    }
}

/// `ludens table list`.
pub fn list(args: &ListArgs, out: Out<'_>) -> Result<Answer> {
    let folder = place::folder(args.folder.as_deref())?;
    let files = all(&folder, ENDING);
    let unfinished: Vec<(PathBuf, u64)> = all(&folder, UNFINISHED)
        .into_iter()
        .map(|path| {
            let size = fs::metadata(&path).map_or(0, |about| about.len());
            (path, size)
        })
        .collect();
    let mut rows = vec![["table", "kind", "metric", "entries", "stored", "bytes"].map(String::from).to_vec()];
    let mut reports = Vec::new();
    let mut faults = Vec::new();
    for path in &files {
        let shown = path.strip_prefix(&folder).unwrap_or(path).display().to_string();
        match Table::open(path) {
            Ok(opened) => {
                let header = opened.header();
                let (entries, size, form) = (positions(header), opened.size(), form_name(opened.form()));
                rows.push(vec![
                    shown,
                    header.kind.clone(),
                    header.metric.clone(),
                    entries.to_string(),
                    form.to_string(),
                    size.to_string(),
                ]);
                reports.push(json!({ "file": path, "kind": header.kind, "name": header.name, "metric": header.metric,
                    "entries": entries, "form": form, "bytes": size }));
            }
            Err(error) => {
                reports.push(json!({ "file": path, "error": error.to_string() }));
                faults.push(error.to_string());
            }
        }
    }
    let answer = if faults.is_empty() { Answer::Yes } else { Answer::No };
    if args.json {
        let parts: Vec<_> = unfinished.iter().map(|(path, size)| json!({ "file": path, "bytes": size })).collect();
        let report = json!({ "folder": folder, "tables": reports, "unfinished": parts });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(answer);
    }
    if files.is_empty() {
        writeln!(
            out,
            "no tables in {} (`ludens table build chess KQKR` or `ludens solve nim` makes one)",
            folder.display()
        )?;
    } else {
        writeln!(out, "{} in {}\n", table::count(files.len(), "table"), folder.display())?;
        write!(out, "{}", table::aligned(&rows))?;
        faults.iter().try_for_each(|fault| writeln!(out, "{fault}"))?;
    }
    for (path, size) in &unfinished {
        let shown = path.strip_prefix(&folder).unwrap_or(path).display();
        writeln!(out, "not finished: {shown}, {} (the same build goes on from there)", place::size(*size))?;
    }
    Ok(answer)
}
