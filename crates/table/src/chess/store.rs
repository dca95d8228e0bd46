//! Chess tables on the disk: what is written into the header, and how it is checked.

use super::check::{Statistics, statistics};
use super::index::Index;
use super::material::Material;
use super::summary::Summary;
use super::table::{Code, Data, Metric, Table, side_name};
use crate::file::{self, About, FileError, Form, Header, Part, Pool, Writer};
use crate::oracle::Family;
use native::chess::Colour;
use std::path::Path;
use std::sync::Arc;

/// The kind of these tables in a header.
pub const KIND: &str = "chess";

/// The number that stands for the rules, the index and the metric of a table.
pub fn identity(material: Material, metric: Metric) -> u64 {
    // Whatever changes the meaning of a number or a byte has to change this text.
    let byte = match metric {
        Metric::Mate | Metric::Conversion => "plies, odd won, even lost, 255 neither",
        Metric::Zeroing => {
            "plies if won, up to a border, 254 less the plies if lost, 255 neither, more than 100 plies cursed"
        }
    };
    file::identity(&format!(
        "chess {material}; no castling, en passant exact but not indexed; index 1: king pair, pawns, men, combinations of \
         free squares; a byte is {byte}; {}",
        metric.words()
    ))
}

/// The usual name of the file, such as `KQKR.dtm`.
pub fn file_name(material: Material, metric: Metric) -> String {
    format!("{material}.{}", metric.name())
}

/// What the statistics in the header of a table's file say otherwise than its entries, in words.
pub fn misstated(table: &Table) -> Result<Option<String>, FileError> {
    let Some(About::Chess(stated)) = table.file().map(|file| &file.header().about) else { return Ok(None) };
    let mut counted = Summary::new(table, &statistics(table)?);
    if stated.wins.is_none() {
        counted.wins = None;
    }
    Ok(file::misstated(stated, &counted))
}

/// Writes a table to a file, with its statistics in the header.
pub fn save(table: &Table, statistics: &Statistics, path: &Path, form: Form) -> Result<(), FileError> {
    let header = Header {
        name: table.material().to_string(),
        identity: identity(table.material(), table.metric()),
        metric: table.metric().into(),
        bits: 8,
        parts: Colour::BOTH.map(|turn| Part::new(side_name(turn), table.index().len())).into(),
        about: About::Chess(Summary::new(table, statistics)),
    };
    let mut writer = Writer::create(path, header, form)?;
    for turn in Colour::BOTH {
        match &table.data {
            Data::Memory(sides) => writer.write(&sides[turn as usize])?,
            Data::File(file) => writer.write(file.load(turn as usize)?.bytes())?,
        }
    }
    writer.finish()
}

/// Opens the table of a material. Whether the file is whole and belongs to these rules and this index is checked; the
/// blocks are checked by [`file::Table::check`].
pub fn open(path: &Path, material: Material, metric: Metric) -> Result<Table, FileError> {
    checked(file::Table::open(path)?, path, material, metric)
}

/// As [`open`], with blocks that share the room of a pool.
pub fn open_in(path: &Path, material: Material, metric: Metric, pool: &Arc<Pool>) -> Result<Table, FileError> {
    checked(file::Table::open_in(path, pool)?, path, material, metric)
}

fn checked(file: file::Table, path: &Path, material: Material, metric: Metric) -> Result<Table, FileError> {
    let file = file.wanted(Family::Chess, &material.to_string(), identity(material, metric))?;
    let index = Index::new(material);
    let expected: Vec<Part> = Colour::BOTH.map(|turn| Part::new(side_name(turn), index.len())).into();
    if file.header().parts != expected || file.header().bits != 8 {
        return Err(FileError::Other {
            path: path.to_owned(),
            field: "parts",
            expected: format!("w and b with {} entries of 8 bits", index.len()),
            found: format!("{:?} of {} bits", file.header().parts, file.header().bits),
        });
    }
    let codes = match &file.header().about {
        About::Chess(summary) => Colour::BOTH.map(|turn| summary.side(turn).code()),
        _ => [Code::Parity; 2],
    };
    Ok(Table::new(index, metric, codes, Data::File(Box::new(file))))
}

impl Table {
    /// The same table in memory, every block checked on the way: what building and long runs of probes want.
    pub fn load(self) -> Result<Table, FileError> {
        let data = match &self.data {
            Data::Memory(_) => return Ok(self),
            Data::File(file) => [file.load(0)?.into_bytes(), file.load(1)?.into_bytes()],
        };
        let codes = Colour::BOTH.map(|turn| self.code(turn));
        Ok(Table::new(Index::new(self.material()), self.metric(), codes, Data::Memory(data)))
    }

    /// The file behind the table, if it was opened from one.
    pub fn file(&self) -> Option<&file::Table> {
        match &self.data {
            Data::File(file) => Some(file),
            Data::Memory(_) => None,
        }
    }
}
