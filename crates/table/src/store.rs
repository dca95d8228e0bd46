//! A folder of tables: where each kind lies, what is there, and the oracle of a game.
//!
//! ```text
//! FOLDER/chess/KQKR.dtm.table
//! FOLDER/chinese-checkers/9x9-6.table
//! FOLDER/chinese-checkers/9x9-3v2.table
//! FOLDER/solved/nim.table
//! ```
//!
//! Chess tables are found by men and metric, Chinese checkers by the size of the board, and solved games by the
//! identity of their rules, whatever the file is called. What an identity is, this room does not know: it is a text that whoever
//! knows rules makes, so that rules in other words and another order have the same one. Nor does it compare rules: the
//! caller gets the text of the stored rules, finds the translation of facts, and asks through [`Renamed`](crate::oracle::Renamed).
//!
//! ```
//! use table::store::{Store, Twin};
//!
//! let store = Store::new(std::env::temp_dir().join("a-folder-without-tables"));
//! assert!(store.twin(Twin::Krk).unwrap().is_none());
//! assert!(store.solved("the identity of some rules", &mut |_| {}).is_none());
//! ```

use crate::chess::{self, Endings, Index, Material, Metric, Tables};
use crate::chinese::versus::{self, Versus};
use crate::chinese::{Distances, OpenError, Race, Space, Spec};
use crate::file::{About, FileError, Header, Table};
use crate::oracle::{Family, Oracle};
use crate::solve::{self, SolvedTable};
use native::chess::Sheet;
use native::chinese::{ChineseCheckers, Unfit, Win};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The ending of table files.
pub const ENDING: &str = "table";

/// A folder of tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// A game of the library that has a native twin, and therefore tables without being solved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Twin {
    /// `games/krk`.
    Krk,
    /// `games/kqkr`.
    Kqkr,
    /// `games/chess`.
    Chess,
    /// `games/chinese-checkers`.
    ChineseCheckers,
}

impl Twin {
    /// All of them.
    pub const ALL: [Twin; 4] = [Twin::Krk, Twin::Kqkr, Twin::Chess, Twin::ChineseCheckers];

    /// The name of the game in the library, whose rules have the words of its facts.
    pub fn game(self) -> &'static str {
        match self {
            Twin::Krk | Twin::Kqkr | Twin::Chess => self.sheet().map_or("", Sheet::name),
            Twin::ChineseCheckers => "chinese-checkers",
        }
    }

    fn sheet(self) -> Option<Sheet> {
        match self {
            Twin::Krk => Some(Sheet::Krk),
            Twin::Kqkr => Some(Sheet::Kqkr),
            Twin::Chess => Some(Sheet::Chess),
            Twin::ChineseCheckers => None,
        }
    }

    /// What to build so that the whole game from its start is known: the arguments of `ludens table build`. Chess has more men at
    /// its start than tables reach.
    pub fn build(self) -> Option<&'static str> {
        match self {
            Twin::Krk => Some("chess KRK"),
            Twin::Kqkr => Some("chess KQKR"),
            Twin::Chess => None,
            Twin::ChineseCheckers => Some("chinese-checkers"),
        }
    }

    /// How many entries there are in what [`build`](Twin::build) makes, of a byte each before they are compressed.
    pub fn entries(self) -> Option<u64> {
        let chess = |name: &str| {
            let material = Material::parse(name).ok()?;
            Some(material.needs().into_iter().chain([material]).map(|men| 2 * Index::new(men).len()).sum())
        };
        match self {
            Twin::Krk => chess("KRK"),
            Twin::Kqkr => chess("KQKR"),
            Twin::Chess => None,
            Twin::ChineseCheckers => Some(Space::new(Spec::new(SIDE, PIECES)).ok()?.entries()),
        }
    }
}

/// The board and the limit of `games/chinese-checkers`.
const SIDE: usize = 9;
const PIECES: usize = 6;
const PLIES: u16 = 400;

/// The game of `games/chinese-checkers`, written by hand, and the table of its distances: for those who search with it.
///
/// # Errors
/// None: a test makes it.
pub fn chinese_checkers() -> Result<(ChineseCheckers, Spec), Unfit> {
    Ok((ChineseCheckers::new(SIDE, PIECES, Win::Filled, Some(PLIES))?, Spec::new(SIDE, PIECES)))
}

/// Why the tables of a game cannot be used.
#[derive(Debug)]
pub enum StoreError {
    /// A file cannot be read or is damaged.
    File(FileError),
    /// A file is not the table that its name says.
    Open(OpenError),
    /// A table does not hold what the game needs.
    Unfit(PathBuf, Unfit),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::File(error) => error.fmt(f),
            StoreError::Open(error) => error.fmt(f),
            StoreError::Unfit(path, why) => write!(f, "{}: {why}", path.display()),
        }
    }
}

impl std::error::Error for StoreError {}

/// A solved game that was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// Where its table is.
    pub path: PathBuf,
    /// What it says about itself, with the text of its rules.
    pub summary: solve::Summary,
}

impl Found {
    /// Opens the table.
    pub fn open(&self) -> Result<SolvedTable, FileError> {
        SolvedTable::open_found(&self.path)
    }
}

impl Store {
    /// The tables in this folder, which need not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Store {
        Store { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where a table of this family and name lies.
    pub fn path(&self, family: Family, name: &str) -> PathBuf {
        self.folder.join(family.name()).join(format!("{name}.{ENDING}"))
    }

    /// Where the table of these men lies.
    pub fn chess_path(&self, material: Material, metric: Metric) -> PathBuf {
        self.path(Family::Chess, &chess::file_name(material, metric))
    }

    /// Where the table of this board lies.
    pub fn chinese_path(&self, spec: &Spec) -> PathBuf {
        self.path(Family::ChineseCheckers, &spec.name())
    }

    /// Where the table of these pieces against those lies.
    pub fn versus_path(&self, spec: &versus::Spec) -> PathBuf {
        self.path(Family::ChineseCheckers, &spec.name())
    }

    /// Where the table of a solved game is to lie: called after the game, unless the table of other rules is there already.
    pub fn solved_path(&self, game: &str, identity: &str) -> PathBuf {
        let plain = self.path(Family::Solved, game);
        match Table::peek(&plain).map(|header| header.about) {
            Ok(About::Solved(summary)) if is_of(&summary, identity) => plain,
            Err(_) => plain,
            Ok(_) => {
                let hash = crate::file::identity(identity) >> 32;
                self.path(Family::Solved, &format!("{game}-{hash:08x}"))
            }
        }
    }

    /// All chess tables of this metric that are there. They are opened when they are first asked for.
    pub fn chess(&self, metric: Metric) -> Tables {
        self.chess_in(metric, Tables::new())
    }

    /// The same; what is read of them is kept within about so many bytes.
    pub fn chess_within(&self, metric: Metric, bytes: usize) -> Tables {
        self.chess_in(metric, Tables::within(bytes))
    }

    fn chess_in(&self, metric: Metric, mut tables: Tables) -> Tables {
        for material in (3..=chess::MOST_MEN).flat_map(Material::all) {
            let path = self.chess_path(material, metric);
            if path.is_file() {
                tables.add_file(path, material, metric);
            }
        }
        tables
    }

    /// The table of this board, if it is there.
    pub fn chinese(&self, spec: &Spec) -> Result<Option<Distances>, OpenError> {
        let path = self.chinese_path(spec);
        if path.is_file() { Distances::open(path).map(Some) } else { Ok(None) }
    }

    /// The table of these pieces against those, if it is there.
    pub fn versus(&self, spec: &versus::Spec) -> Result<Option<Versus>, OpenError> {
        let path = self.versus_path(spec);
        if path.is_file() { Versus::open(path).map(Some) } else { Ok(None) }
    }

    /// The oracle of a game with a native twin, in the words of the library's rules; `None` if no table is there that it
    /// could use.
    pub fn twin(&self, twin: Twin) -> Result<Option<Box<dyn Oracle>>, StoreError> {
        if let Some(sheet) = twin.sheet() {
            let tables = self.chess(Metric::Mate);
            let some = tables.materials().any(|(material, _)| match twin {
                Twin::Krk => material.to_string() == "KRK",
                Twin::Kqkr => material.to_string() == "KQKR",
                Twin::Chess | Twin::ChineseCheckers => true,
            });
            return Ok(some.then(|| Box::new(Endings::new(Arc::new(tables), sheet)) as Box<dyn Oracle>));
        }
        let spec = Spec::new(SIDE, PIECES);
        let Some(distances) = self.chinese(&spec).map_err(StoreError::Open)? else { return Ok(None) };
        let race = Race::new(distances, Some(PLIES));
        let race = race.map_err(|unfit| StoreError::Unfit(self.chinese_path(&spec), unfit))?;
        Ok(Some(Box::new(race)))
    }

    /// The table of the solved game whose rules have this identity: the first in the order of file names. `skipped` hears of files
    /// that cannot be used.
    pub fn solved(&self, identity: &str, skipped: &mut dyn FnMut(&FileError)) -> Option<Found> {
        for (path, header) in self.headers(Family::Solved) {
            match header.map(|header| header.about) {
                Ok(About::Solved(summary)) if is_of(&summary, identity) => return Some(Found { path, summary }),
                Ok(_) => {}
                Err(error) => skipped(&error),
            }
        }
        None
    }

    /// All files of a family, in the order of their names, with what they say about themselves.
    pub fn headers(&self, family: Family) -> Vec<(PathBuf, Result<Header, FileError>)> {
        let entries = std::fs::read_dir(self.folder.join(family.name())).into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries
            .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == ENDING))
            .collect();
        paths.sort();
        paths.into_iter().map(|path| (path.clone(), Table::peek(path))).collect()
    }
}

fn is_of(summary: &solve::Summary, identity: &str) -> bool {
    summary.rules.as_ref().is_some_and(|rules| rules.identity == identity)
}

/// All files with this ending in a folder and the folders in it, in order.
pub fn files(folder: &Path, wanted: &str) -> Vec<PathBuf> {
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
