//! Tables of chess endings, asked: which of them a position needs, what they say of it and of its moves.
//! Whatever is read of a file for this is compared with its checksum first.

use super::making::{beside_or_in, metric_of};
use anyhow::{Context, Result, anyhow, ensure};
use chess::weights::Weights;
use chess::{Engine, Force, Reading, Settings};
use native::chess::{Position, Step};
use platform::folders;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::chess::{KIND, Material, Metric, Outcome, ProbeError, Tables};
use table::file;
use table::store::Store;

/// The tables that were needed so far, and where to look for others.
pub struct Asker {
    folder: PathBuf,
    /// How hints name the folder.
    option: String,
    /// The file of one table, given by its path; others may be beside it.
    file: Option<PathBuf>,
    /// The men that positions must have.
    named: Option<Material>,
    /// What is counted.
    pub metric: Metric,
    tables: Tables,
    looked: BTreeSet<Material>,
}

/// How to have tables for parts of positions.
const ALL_TABLES: &str = "`ludens table all chess --pieces 4`";

/// What a position with more men than a table has is judged by.
pub struct Parts {
    /// The position.
    pub position: Position,
    /// Its men.
    pub men: String,
    /// What each part says.
    pub readings: Vec<Reading>,
    /// What it is worth to white, in hundredths of a pawn, without searching.
    pub value: i32,
    /// Whether weights were learned for these men.
    pub learned: bool,
}

/// A position as it was given.
pub struct Given {
    /// The position.
    pub position: Position,
    /// Its men.
    pub material: Material,
    /// The number of the move, which a position does not know.
    pub number: u64,
}

impl Given {
    /// Its FEN.
    pub fn fen(&self) -> String {
        numbered(&self.position, self.number)
    }
}

/// The FEN of a position with the number of the move.
pub fn numbered(position: &Position, number: u64) -> String {
    let fen = position.fen();
    let without = fen.rsplit_once(' ').map_or(fen.as_str(), |(before, _)| before);
    format!("{without} {number}")
}

/// A move: its two names, and its worth or the table that would be needed to tell it.
pub struct Row {
    /// In coordinates.
    pub uci: String,
    /// As people write it.
    pub san: String,
    /// Its worth, or what is missing.
    pub worth: Result<Outcome, Material>,
}

impl Asker {
    /// Asks the tables of a folder; a name says which men positions must have.
    ///
    /// # Errors
    /// When there is no folder, or the name is no men's.
    pub fn new(name: Option<&str>, folder: Option<&Path>, metric: Metric) -> Result<Asker> {
        Ok(Asker {
            folder: folders::tables(folder)?,
            option: folders::option(folder),
            file: None,
            named: name.map(Material::parse).transpose()?,
            metric,
            tables: Tables::new(),
            looked: BTreeSet::new(),
        })
    }

    /// Asks the table in this file, and smaller ones beside it or in the folder.
    ///
    /// # Errors
    /// As for [`Asker::new`].
    pub fn of_file(path: &Path, header: &file::Header, folder: Option<&Path>) -> Result<Asker> {
        let mut asker = Asker::new(Some(&header.name), folder, metric_of(path, header)?)?;
        asker.file = Some(path.to_path_buf());
        Ok(asker)
    }

    /// Reads a position, and opens the tables of it and of all that can follow, as far as they are there. Its own must be.
    ///
    /// # Errors
    /// When it is no position, or of other men, or its table is missing or damaged.
    pub fn take(&mut self, fen: &str) -> Result<Given> {
        let position = Position::from_fen(fen).with_context(|| format!("the position {fen:?}"))?;
        if position.castling.any() {
            return Err(ProbeError::Castling).with_context(|| format!("the position {fen:?}"));
        }
        let (material, _) = Material::of(&position)?;
        self.open(material)?;
        let number = fen.split_whitespace().nth(5).and_then(|word| word.parse().ok());
        Ok(Given { position, material, number: number.unwrap_or(1u64).max(1) })
    }

    /// Opens the table of these men and of all that can follow, as far as they are there. Its own must be.
    ///
    /// # Errors
    /// When other men are wanted, or the table is missing or damaged.
    pub fn open(&mut self, material: Material) -> Result<()> {
        if let Some(named) = self.named {
            ensure!(named == material, "the men of the position are those of {material}, not of {named}");
        }
        if self.looked.contains(&material) {
            return Ok(());
        }
        for needed in material.needs().into_iter().chain([material]).filter(|material| !material.bare()) {
            if self.looked.contains(&needed) {
                continue;
            }
            match self.path(needed) {
                Some(path) => self.tables.add(table::chess::open(&path, needed, self.metric)?),
                None if needed == material => return Err(self.missing(material)),
                None => continue,
            }
            self.looked.insert(needed);
        }
        Ok(())
    }

    /// The file of a table, if it is there.
    fn path(&self, material: Material) -> Option<PathBuf> {
        let own = self.file.as_deref().filter(|_| self.named == Some(material)).map(Path::to_path_buf);
        own.or_else(|| beside_or_in(self.file.as_deref(), &self.folder, material, self.metric))
    }

    /// Whether there is a table of these men.
    pub fn is_there(&self, material: Material) -> bool {
        self.looked.contains(&material) || self.path(material).is_some()
    }

    /// The tables that were opened so far.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// What a position of six to ten men is judged by: its parts that have a table. `None` where it has another number of men,
    /// or tables that do not count to mate are asked for.
    ///
    /// # Errors
    /// When it is no position, or none of its parts has a table.
    pub fn parts(&self, fen: &str) -> Result<Option<Parts>> {
        let position = Position::from_fen(fen).with_context(|| format!("the position {fen:?}"))?;
        if !(6..=10).contains(&position.count()) || self.metric != Metric::Mate || self.named.is_some() {
            return Ok(None);
        }
        let tables = Arc::new(Store::new(&self.folder).chess_within(Metric::Mate, 768 << 20));
        let mut engine = Engine::new(Settings::default(), Some(tables));
        engine.set_position(position, &[]);
        let (readings, value) = engine.explain();
        let force = Force::of(&position);
        let folder = self.folder.display();
        ensure!(!readings.is_empty(), "no part of {force} has a table in {folder}; {} builds some", ALL_TABLES);
        let classes = readings.iter().map(|reading| reading.men.as_str());
        let learned = Weights::built_in().find(&force, classes).is_some();
        Ok(Some(Parts { position, men: force.to_string(), readings, value, learned }))
    }

    /// How to build what is missing.
    pub fn way(&self, material: Material) -> String {
        let metric = self.metric.option();
        format!("`ludens table build chess {material}{metric}{}`", self.option)
    }

    fn missing(&self, material: Material) -> anyhow::Error {
        let (metric, folder, way) = (self.metric.name(), self.folder.display(), self.way(material));
        anyhow!("the table of {material} ({metric}) is not in {folder}; {way} builds it")
    }

    /// What a position is worth.
    ///
    /// # Errors
    /// When a table is missing or damaged.
    pub fn worth(&self, given: &Given) -> Result<Outcome> {
        self.tables.probe(&given.position, self.metric).map_err(|error| self.told(error))
    }

    /// The best line from a position.
    ///
    /// # Errors
    /// When a table is missing or damaged.
    pub fn line(&self, given: &Given) -> Result<Vec<Step>> {
        self.tables.line(&given.position, self.metric).map_err(|error| self.told(error))
    }

    fn told(&self, error: ProbeError) -> anyhow::Error {
        match error {
            ProbeError::Missing(material, _) => self.missing(material),
            error => error.into(),
        }
    }

    /// All moves, the best first, those of unknown worth last. What ends the game needs no table.
    ///
    /// # Errors
    /// When a table is damaged.
    pub fn rows(&self, given: &Given) -> Result<Vec<Row>> {
        let position = &given.position;
        let mut rows = Vec::new();
        for step in position.legal() {
            let worth = match self.tables.worth(position, &step, self.metric) {
                Ok(outcome) => Ok(outcome),
                Err(ProbeError::Missing(material, _)) => {
                    let after = position.after(&step);
                    match (after.legal().is_empty(), after.checkmate()) {
                        (true, true) => Ok(Outcome::Win(1)),
                        (true, false) => Ok(Outcome::Draw),
                        _ => Err(material),
                    }
                }
                Err(error) => return Err(self.told(error)),
            };
            rows.push(Row { uci: step.uci(), san: position.san(&step), worth });
        }
        let order = |row: &Row| row.worth.map_or(i32::MAX, |outcome| -outcome.order());
        rows.sort_by_key(|row| (order(row), row.uci.clone()));
        Ok(rows)
    }
}

/// Whether a text is meant as a position of chess, even if it is a faulty one: nearly all of its first word are ranks of men
/// and gaps with strokes between them, or a side to move follows. A path of a file is none.
pub fn is_fen(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let pieces = words.next().unwrap_or("");
    let ranks: Vec<&str> = pieces.split('/').collect();
    let is_rank =
        |rank: &&&str| (1..=9).contains(&rank.len()) && rank.chars().all(|sign| "KQRBNPkqrbnp123456789".contains(sign));
    let sound = ranks.iter().filter(is_rank).count();
    let turn = matches!(words.next(), Some("w" | "b"));
    let many = ranks.len() >= 6 && sound + 2 >= ranks.len();
    (many || (turn && ranks.len() > 1 && sound > 0)) && !pieces.contains(['.', '\\']) && !Path::new(text).exists()
}

/// The family of these tables, for those who name it instead of the men.
pub fn is_family(word: &str) -> bool {
    word.eq_ignore_ascii_case(KIND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_told_from_paths() {
        for fen in [
            "8/8/8/3k4/8/8/1R6/K7 w - -",
            "8/8/8/3k4/8/8/1R6/K7",
            "8/8/8/3k4/8/8/1R6/K7/8 w - -",
            "8/8/8/3k4/8/8/1R6 w - -",
            "8/8/8/3x4/8/8/1R6/K7 w - -",
            "8/8/8/3k4/8/8/1?6/K7 w - -",
            "3k4/8 w - -",
        ] {
            assert!(is_fen(fen), "{fen}");
        }
        for path in [
            "a/b/c/d/e/f/g/nim.kif",
            "games/nim/rules.kif",
            "nim",
            "/one/two/three/four/five/six/seven",
            "src",
            "deep/er w",
        ] {
            assert!(!is_fen(path), "{path}");
        }
    }

    #[test]
    fn numbers_are_kept() {
        let position = Position::from_fen("8/8/8/3k4/8/8/1R6/K7 w - - 7 1").unwrap();
        assert_eq!(numbered(&position, 42), "8/8/8/3k4/8/8/1R6/K7 w - - 7 42");
    }
}
