//! Table files as people name them: by a path, or by what they are tables of.

use anyhow::{Result, bail};
use platform::folders;
use std::path::{Path, PathBuf};
use table::chess::{Material, Metric, file_name};
use table::file::{Form, Header, Table};
use table::oracle::Family;
use table::store::ENDING;

/// A table file that a person means.
pub struct Meant {
    /// Where it is.
    pub path: PathBuf,
    /// Whether it was looked up in the folder of tables, and not given as a path.
    by_name: bool,
}

/// The file that a person means: a path, or a name in the folder such as `KQKR`, `9x9-6`, `nim` or what `ludens table list` shows.
///
/// # Errors
/// When there is none.
pub fn find(name: &str, given: Option<&Path>) -> Result<Meant> {
    let as_path = Path::new(name);
    if as_path.is_file() {
        return Ok(Meant { path: as_path.to_path_buf(), by_name: false });
    }
    let folder = folders::tables(given)?;
    let chess = Material::parse(name);
    let mut names = vec![name.to_string(), name.to_ascii_lowercase()];
    names.extend(chess.into_iter().flat_map(|name| Metric::ALL.map(|metric| file_name(name, metric))));
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
    ///
    /// # Errors
    /// When it cannot be opened, or another table was meant.
    pub fn open(&self, warn: &mut dyn FnMut(&str)) -> Result<Table> {
        let opened = Table::open(&self.path)?;
        if let Some(fault) = misnamed(&self.path, opened.header()) {
            if self.by_name {
                bail!("{fault}; delete it, or give it another name");
            }
            warn(&fault);
        }
        Ok(opened)
    }
}

/// What is wrong with the name of a file: it is the usual name of another table. Names of no table are free, and a solved
/// game may be called like an ending, if that is its name.
pub fn misnamed(path: &Path, header: &Header) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    let stem = name.strip_suffix(&format!(".{ENDING}")).unwrap_or(&name);
    let (first, metric) = stem.split_once('.').map_or((stem, None), |(first, rest)| (first, Some(rest)));
    let (men, game) = (table::chess::Material::parse(first).ok(), library::find(stem));
    let fits = match (header.family(), men) {
        (Some(Family::Chess), Some(men)) => {
            let counts = table::chess::Metric::of(header.metric).map(|metric| metric.name());
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
        Form::Small => "small",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_that_promise_another_table() {
        let header = |kind: &str, name: &str, metric: &str, statistics: serde_json::Value| -> Header {
            let header = json!({ "kind": kind, "name": name, "identity": 0, "metric": metric, "bits": 8, "parts": [],
                "statistics": statistics });
            serde_json::from_value(header).unwrap()
        };
        let side = json!({ "won": 0, "drawn": 0, "lost": 0, "plies": [] });
        let chess = json!({ "white to move": side, "black to move": side, "longest": null });
        let kqk = header("chess", "KQK", table::chess::Metric::Mate.words(), chess);
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
}
