//! Where the tables of a folder are: chess by material, Chinese checkers by size, solved games by name.

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use table::chess::{self, KIND as CHESS, Material, Metric, Tables};
use table::chinese;

/// The ending of table files.
pub const ENDING: &str = "table";

/// The family of tables of solved games, and the folder that they are in.
pub const SOLVED: &str = "solved";

/// The file of a table in a folder of tables.
pub fn path(folder: &Path, kind: &str, name: &str) -> PathBuf {
    folder.join(kind).join(format!("{name}.{ENDING}"))
}

/// Where the table of a material is kept.
pub fn chess(folder: &Path, material: Material, metric: Metric) -> PathBuf {
    path(folder, CHESS, &chess::file_name(material, metric))
}

/// Where the whole table of Chinese checkers for so many pieces is kept.
pub fn chinese(folder: &Path, side: usize, pieces: usize) -> PathBuf {
    path(folder, chinese::KIND, &chinese::Spec::new(side, pieces).name())
}

/// Where the tables of solved games are kept.
pub fn solved(folder: &Path) -> PathBuf {
    folder.join(SOLVED)
}

/// The tables of a position and of all that can follow, as far as they are there. That of the position must be.
pub fn chess_tables(folder: &Path, material: Material, metric: Metric, must: bool) -> Result<Tables> {
    let mut tables = Tables::new();
    for needed in material.needs().into_iter().chain([material]).filter(|material| !material.bare()) {
        let path = self::chess(folder, needed, metric);
        if path.is_file() {
            tables.add(chess::open(&path, needed, metric)?);
        } else if must && needed == material {
            let option = if metric == Metric::Mate { "" } else { " --metric dtc" };
            bail!(
                "the table of {material} ({}) is not in {}; `ludens table build chess {material}{option}` builds it",
                metric.name(),
                folder.display()
            );
        }
    }
    Ok(tables)
}
