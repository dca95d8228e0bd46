//! Table files in the folder: how they are called, how they are found, and what there is.

use super::args::ListArgs;
use ::table::file::{Form, Header, Table};
use ::table::oracle::Family;
use ::table::store::ENDING;
use anyhow::{Context, Result, bail};
use platform::{folders, memory};
use serde_json::json;
use std::fs;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use terminal::{Answer, Out, text};

/// Makes the folder that a file is to be in.
pub fn make_folder_of(path: &Path) -> Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => {
            fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))
        }
        None => Ok(()),
    }
}

/// A table file that a person means.
pub struct Meant {
    /// Where it is.
    pub path: PathBuf,
    /// Whether it was looked up in the folder of tables, and not given as a path.
    by_name: bool,
}

/// The file that a person means: a path, or a name in the folder such as `KQKR`, `9x9-6`, `nim` or what `ludens table list` shows.
pub fn find(name: &str, given: Option<&Path>) -> Result<Meant> {
    let as_path = Path::new(name);
    if as_path.is_file() {
        return Ok(Meant { path: as_path.to_path_buf(), by_name: false });
    }
    let folder = folders::tables(given)?;
    let chess = ::table::chess::Material::parse(name).map(|material| material.to_string());
    let mut names = vec![name.to_string(), name.to_ascii_lowercase()];
    names.extend(chess.into_iter().flat_map(|name| ["dtm", "dtc"].map(|metric| format!("{name}.{metric}"))));
    for name in &names {
        for kind in [".", "chess", "chinese-checkers", "solved"] {
            let folder = folder.join(kind);
            for path in [folder.join(format!("{name}.{ENDING}")), folder.join(name)] {
                if path.is_file() {
                    // Without the dot.
                    return Ok(Meant { path: path.components().collect(), by_name: true });
                }
            }
        }
    }
    bail!(
        "there is no file {name}, and no table of that name in {} (`ludens table list{}` shows what is there)",
        folder.display(),
        folders::option(given)
    )
}

impl Meant {
    /// Opens the file. That its name is the name of another table is an error where it was meant by its name, and told
    /// where it was given as a path.
    pub fn open(&self) -> Result<Table> {
        let opened = Table::open(&self.path)?;
        if let Some(fault) = misnamed(&self.path, opened.header()) {
            if self.by_name {
                bail!("{fault}; delete it, or give it another name");
            }
            let _ = writeln!(stderr(), "warning: {fault}");
        }
        Ok(opened)
    }
}

/// What is wrong with the name of a file: it is the usual name of another table. Names of no table are free, and a solved
/// game may be called like an ending, if that is its name.
fn misnamed(path: &Path, header: &Header) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    let stem = name.strip_suffix(&format!(".{ENDING}")).unwrap_or(&name);
    let (first, metric) = stem.split_once('.').map_or((stem, None), |(first, rest)| (first, Some(rest)));
    let (men, game) = (::table::chess::Material::parse(first).ok(), library::find(stem));
    let fits = match (header.family(), men) {
        (Some(Family::Chess), Some(men)) => {
            let counts = ::table::chess::Metric::of(header.metric).map(|metric| metric.name());
            header.name == men.to_string() && (metric.is_none() || metric == counts)
        }
        (Some(Family::Solved), men) => match game {
            Some(entry) => entry.name == header.name,
            None => men.is_none() && !is_board(stem) || header.name == stem,
        },
        (Some(Family::ChineseCheckers), _) if is_board(stem) => header.name == stem,
        (Some(Family::Chess | Family::ChineseCheckers), men) => men.is_none() && game.is_none() && !is_board(stem),
        (None, _) => true,
    };
    let (file, kind) = (path.display(), header.kind());
    (!fits).then(|| format!("{file}: the file is called after {stem}, but holds the table of {} ({kind})", header.name))
}

/// Whether a name is that of a table of Chinese checkers, such as `9x9-6`, `9x9-6-from-45` or `9x9-3v2`.
fn is_board(name: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((rows, (columns, pieces))) = name.split_once('x').and_then(|(a, b)| Some((a, b.split_once('-')?))) else {
        return false;
    };
    let pieces = pieces.split('-').next().unwrap_or("");
    let counts = pieces.split_once('v').map_or([pieces, pieces], |(red, blue)| [red, blue]);
    number(rows) && number(columns) && counts.into_iter().all(number)
}

/// Text that may come from a forged file, fit for a terminal.
pub fn plain(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
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
    match header.part("values").filter(|_| header.family() == Some(Family::Solved)) {
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
    let folder = folders::tables(args.folder.as_deref())?;
    let files = all(&folder, ENDING);
    let unfinished: Vec<Unfinished> = all(&folder, UNFINISHED).into_iter().map(Unfinished::new).collect();
    let mut rows = vec![["table", "kind", "metric", "entries", "stored", "bytes"].map(String::from).to_vec()];
    let mut reports = Vec::new();
    let mut faults = Vec::new();
    for path in &files {
        let shown = plain(&path.strip_prefix(&folder).unwrap_or(path).display().to_string());
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
        let shown = plain(&path.strip_prefix(&folder).unwrap_or(path).display().to_string());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_promise_another_table() {
        let header = |kind: &str, name: &str, metric: &str, statistics: serde_json::Value| -> Header {
            let header = json!({ "kind": kind, "name": name, "identity": 0, "metric": metric, "bits": 8, "parts": [],
                "statistics": statistics });
            serde_json::from_value(header).unwrap()
        };
        let side = json!({ "won": 0, "drawn": 0, "lost": 0, "plies": [] });
        let chess = json!({ "white to move": side, "black to move": side, "longest": null });
        let kqk = header("chess", "KQK", ::table::chess::Metric::Mate.words(), chess);
        for (name, fits) in [
            ("KQK.dtm.table", true),
            ("kqk.table", true),
            ("mine.table", true),
            ("KRK.dtm.table", false),
            ("KQK.dtc.table", false),
            ("9x9-3.table", false),
            ("nim.table", false),
        ] {
            assert_eq!(misnamed(&Path::new("folder").join(name), &kqk).is_none(), fits, "{name}");
        }
        let section = json!({ "table": { "side": 9, "pieces": 3, "goal": [], "deleted": [], "start": 7, "bounds": true },
            "layers": [], "greatest": 0, "reached": 0, "entries": 0 });
        let section = header("chinese-checkers", "9x9-3-from-7", "moves to the goal, one player", section);
        assert!(misnamed(Path::new("9x9-3-from-7.table"), &section).is_none());
        assert!(misnamed(Path::new("9x9-3.table"), &section).is_some());
        let sides = json!({ "won": 0, "drawn": 0, "lost": 0, "wins": [], "losses": [] });
        let versus = json!({ "table": { "side": 9, "pieces": [3, 2], "goals": [[], []] }, "placements": 0, "both": 0,
            "red to move": sides, "blue to move": sides });
        let versus = header("chinese-checkers-versus", "9x9-3v2", "value, and moves to the end with best play", versus);
        assert!(misnamed(Path::new("9x9-3v2.table"), &versus).is_none());
        assert!(["9x9-3", "9x9-2v2"].iter().all(|name| misnamed(Path::new(name), &versus).is_some()));
        let nim = json!({ "states": 0, "values": {}, "distances": {} });
        let nim = header("solved", "nim", "value, and moves to the end with best play", nim);
        assert!(["nim", "nim-0badcafe", "x"].iter().all(|name| misnamed(Path::new(name), &nim).is_none()));
        assert!(misnamed(Path::new("chomp.table"), &nim).is_some());
        let krk = json!({ "states": 0, "values": {}, "distances": {} });
        let krk = header("solved", "krk", "value, and moves to the end with best play", krk);
        assert!(misnamed(Path::new("krk.table"), &krk).is_none(), "a game may be called like an ending");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(plain("a\x1b[31mb\n–é"), "a\\u{1b}[31mb\\n–é");
    }
}
