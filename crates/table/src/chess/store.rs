//! Chess tables on the disk: what is written into the header, and how it is checked.

use super::check::{Statistics, statistics};
use super::index::Index;
use super::material::Material;
use super::summary::Summary;
use super::table::{Data, Metric, Table, side_name};
use crate::file::{self, About, FileError, Form, Header, Part, Writer};
use crate::oracle::Family;
use native::chess::Colour;
use std::path::Path;

/// The kind of these tables in a header.
pub const KIND: &str = "chess";

/// The number that stands for the rules, the index and the metric of a table.
pub fn identity(material: Material, metric: Metric) -> u64 {
    // Whatever changes the meaning of a number or a byte has to change this text.
    file::identity(&format!(
        "chess {material}; no castling, en passant exact but not indexed; index 1: king pair, pawns, men, combinations of \
         free squares; a byte is plies, odd won, even lost, 255 neither; {}",
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
    let mut counted = Summary::from(&statistics(table)?);
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
        about: About::Chess(Summary::from(statistics)),
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
    let file = file::Table::open_as(path, Family::Chess, &material.to_string(), identity(material, metric))?;
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
    Ok(Table::with(index, metric, Data::File(Box::new(file))))
}

impl Table {
    /// The same table in memory, every block checked on the way: what building and long runs of probes want.
    pub fn load(self) -> Result<Table, FileError> {
        let data = match &self.data {
            Data::Memory(_) => return Ok(self),
            Data::File(file) => [file.load(0)?.into_bytes(), file.load(1)?.into_bytes()],
        };
        let metric = self.metric();
        Ok(Table::new(Index::new(self.material()), metric, data))
    }

    /// The file behind the table, if it was opened from one.
    pub fn file(&self) -> Option<&file::Table> {
        match &self.data {
            Data::File(file) => Some(file),
            Data::Memory(_) => None,
        }
    }
}
