//! Table files: one file holds one table, says what it is, and notices when it is not whole.
//!
//! A table is a list of *parts* (both sides to move, or the sections of Chinese checkers), each with a name and a number
//! of entries of 8, 4 or 2 bits. A file is, in this order, without gaps, all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | the magic `LUDTABLE` |
//! | 4 | the version of this format, [`VERSION`] |
//! | 4 | the form: 0 raw, 1 compressed, 2 small |
//! | 4 | the size of a block before compression |
//! | 4 | the length of the header text in the tail |
//! | 8, 8 | where the tail begins, and how long it is; the file ends with it |
//! | 8 | the XXH3 checksum of the tail |
//! | 8 | the XXH3 checksum of the 48 bytes so far |
//! | … | the blocks, part after part; no block holds entries of two parts |
//! | … | the tail: the [`Header`] as JSON, then for each block where it ends (8) and the XXH3 checksum of its stored bytes (8) |
//!
//! Entries of 4 or 2 bits are packed with the lowest bits first; a part begins with a fresh byte. The size of a block is a
//! power of two. A raw block is stored as it is. A compressed block is LZ4 without a frame, a small one LZMA without a header (with no
//! context bits and a dictionary of the block's length), or as it is where that would not be shorter (its stored length then equals its
//! length). Every byte of a file is under a checksum.
//!
//! A [`Writer`] writes under another name (`.NAME.PID-N.partial`) and renames at the very end, after everything is on the
//! disk: a file with its final name is whole. The writer holds a lock on its file, so what a dead writer left behind can
//! be told from the file of a living one; [`clean`] and the next writer of the same table remove it.

mod disk;
mod pool;
mod read;
mod resident;
mod small;
mod write;

pub use pool::Pool;
pub use read::{Loaded, Table};
pub use write::{Writer, clean, pack};

use crate::oracle::{Family, Metric};
use crate::{chess, chinese, pattern, solve};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The version of the format that this program writes and reads.
pub const VERSION: u32 = 1;

const MAGIC: [u8; 8] = *b"LUDTABLE";
const HEAD: usize = 56;
/// Small, because a random probe of a compressed table that is not in the cache decompresses a whole block.
const COMPRESSED_BLOCK: u32 = 2 << 10;
const RAW_BLOCK: u32 = 64 << 10;
/// The larger, the smaller the file, and the longer the first look at a place takes.
const SMALL_BLOCK: u32 = 16 << 10;

/// What a table is. Stored in the file as JSON.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// Its family, and what the builder counted.
    #[serde(flatten)]
    pub about: About,
    /// Which one of the family, such as `KQKR`.
    pub name: String,
    /// The [`identity`] of the rules and the index. A table with another identity is another table.
    pub identity: u64,
    /// What the values count.
    pub metric: Metric,
    /// Bits of one entry: 8, 4 or 2.
    pub bits: u8,
    /// The parts, in the order in which they are written.
    pub parts: Vec<Part>,
}

/// The family of a table and what its builder counted, in the form that the family has for it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "statistics")]
pub enum About {
    /// A chess ending.
    #[serde(rename = "chess")]
    Chess(chess::Summary),
    /// Distances in Chinese checkers.
    #[serde(rename = "chinese-checkers")]
    Chinese(chinese::Summary),
    /// A build of distances in Chinese checkers that is to go on.
    #[serde(rename = "chinese-checkers-unfinished")]
    ChineseUnfinished(chinese::Summary),
    /// Pieces against pieces in Chinese checkers.
    #[serde(rename = "chinese-checkers-versus")]
    ChineseVersus(chinese::versus::Summary),
    /// A solved game.
    #[serde(rename = "solved")]
    Solved(solve::Summary),
    /// Some pieces of any game.
    #[serde(rename = "pattern")]
    Pattern(pattern::Summary),
}

impl About {
    /// The name in the header.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            About::Chess(_) => Family::Chess.name(),
            About::Chinese(_) => Family::ChineseCheckers.name(),
            About::ChineseUnfinished(_) => "chinese-checkers-unfinished",
            About::ChineseVersus(_) => chinese::versus::KIND,
            About::Solved(_) => Family::Solved.name(),
            About::Pattern(_) => pattern::KIND,
        }
    }

    /// The family; `None` for what is not finished, and for patterns, which are no oracle of their game.
    fn family(&self) -> Option<Family> {
        match self {
            About::Chess(_) => Some(Family::Chess),
            About::Chinese(_) | About::ChineseVersus(_) => Some(Family::ChineseCheckers),
            About::ChineseUnfinished(_) | About::Pattern(_) => None,
            About::Solved(_) => Some(Family::Solved),
        }
    }
}

/// One part of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Part {
    /// Its name, such as `white` or `start 17`.
    pub name: String,
    /// How many entries it has.
    pub entries: u64,
}

impl Part {
    /// A part of this name with so many entries.
    pub fn new(name: impl Into<String>, entries: u64) -> Part {
        Part { name: name.into(), entries }
    }
}

impl Header {
    /// The family of the table; `None` for what is not finished.
    pub fn family(&self) -> Option<Family> {
        self.about.family()
    }

    /// The kind of the table: the name of its family, or of what is special in it.
    pub fn kind(&self) -> &'static str {
        self.about.name()
    }

    /// What the builder counted, as JSON.
    pub fn statistics(&self) -> serde_json::Value {
        serde_json::to_value(&self.about).map(|mut about| about["statistics"].take()).unwrap_or_default()
    }

    /// The number of the part with this name.
    pub fn part(&self, name: &str) -> Option<usize> {
        self.parts.iter().position(|part| part.name == name)
    }

    /// All entries of all parts.
    pub fn entries(&self) -> u64 {
        self.parts.iter().map(|part| part.entries).sum()
    }

    /// The size of a file with this header in bytes: exact for raw ones, and at least that of any compressed one. Whoever
    /// stores a table in another form needs so much beside the file that is there.
    pub fn size(&self, form: Form) -> u64 {
        let blocks = |part: usize| self.bytes_of(part).div_ceil(u64::from(form.block()));
        let parts = 0..self.parts.len();
        let bytes: u64 = parts.map(|part| self.bytes_of(part) + 16 * blocks(part)).sum();
        let text = serde_json::to_vec(self).map_or(0, |text| text.len() as u64);
        HEAD as u64 + bytes + text
    }

    /// How many bytes a part takes before compression.
    fn bytes_of(&self, part: usize) -> u64 {
        let each_byte = u64::from(8 / self.bits);
        self.parts[part].entries.div_ceil(each_byte)
    }

    /// Why no file can have this header, if so.
    fn fault(&self) -> Option<String> {
        if !matches!(self.bits, 8 | 4 | 2) {
            return Some(format!("entries of {} bits; there are entries of 8, 4 and 2 bits", self.bits));
        }
        let total = self.parts.iter().try_fold(0u64, |sum, part| sum.checked_add(part.entries));
        if total.is_none_or(|total| total > 1 << 56) {
            return Some("more entries than a file can have".into());
        }
        // What a file says about itself is shown on terminals.
        let texts = [&self.name].into_iter().chain(self.parts.iter().map(|part| &part.name));
        if let Some(text) = texts.into_iter().find(|text| text.chars().any(char::is_control)) {
            return Some(format!("control characters in {text:?}"));
        }
        for (at, part) in self.parts.iter().enumerate() {
            if self.parts[..at].iter().any(|other| other.name == part.name) {
                return Some(format!("two parts are called '{}'", part.name));
            }
        }
        None
    }
}

/// How the blocks are stored, the largest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Form {
    /// As they are: the fastest to open and to read.
    Raw,
    /// LZ4, block by block, with random access through a cache.
    Compressed,
    /// LZMA, block by block: a third to a half of LZ4, and the first look into a block takes a hundred times as long.
    Small,
}

impl Form {
    fn block(self) -> u32 {
        match self {
            Form::Raw => RAW_BLOCK,
            Form::Compressed => COMPRESSED_BLOCK,
            Form::Small => SMALL_BLOCK,
        }
    }
}

/// The number that stands for a text which describes rules and index: equal texts, equal numbers.
pub fn identity(description: &str) -> u64 {
    xxh3_64(description.as_bytes())
}

/// What is wrong with a file, and with which.
#[derive(Debug)]
pub enum FileError {
    /// The system refused.
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        error: std::io::Error,
    },
    /// Not a table file at all.
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A table file of another version of the format.
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// Shorter or longer than it says it is.
    Length {
        /// The file.
        path: PathBuf,
        /// What its head says.
        expected: u64,
        /// What it has.
        found: u64,
    },
    /// A checksum does not fit.
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which piece of it.
        place: String,
    },
    /// A whole table, but another one.
    Other {
        /// The file.
        path: PathBuf,
        /// `kind`, `name` or `identity`.
        field: &'static str,
        /// What was asked for.
        expected: String,
        /// What the file says.
        found: String,
    },
    /// What was to be written is not a table.
    Unfit {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

impl FileError {
    /// The file in question.
    pub fn path(&self) -> &Path {
        match self {
            FileError::Io { path, .. }
            | FileError::Foreign { path }
            | FileError::Version { path, .. }
            | FileError::Length { path, .. }
            | FileError::Damaged { path, .. }
            | FileError::Other { path, .. }
            | FileError::Unfit { path, .. } => path,
        }
    }

    fn io(path: &Path, doing: &'static str, error: std::io::Error) -> FileError {
        FileError::Io { path: path.to_owned(), doing, error }
    }

    fn damaged(path: &Path, place: impl Into<String>) -> FileError {
        FileError::Damaged { path: path.to_owned(), place: place.into() }
    }
}

/// How to come by a whole file again. The folder of a table tells its kind, even if its header cannot be read any more.
fn anew(path: &Path) -> &'static str {
    match path.parent().and_then(Path::file_name).and_then(|folder| folder.to_str()) {
        Some("pattern") => "delete it and build it anew with `ludens abstraction build GAME`",
        Some("solved") => "make it anew with `ludens solve GAME`",
        Some("chess" | "chinese-checkers") => "delete it and build it anew with `ludens table build`",
        _ => "delete it and make it anew with `ludens table build`, or `ludens solve` if it is that of a solved game",
    }
}

/// What a header says otherwise than a recount, in words. What one of them leaves out is a difference too.
pub(crate) fn misstated<T: Serialize>(stated: &T, counted: &T) -> Option<String> {
    let fields = |summary: &T| match serde_json::to_value(summary) {
        Ok(serde_json::Value::Object(fields)) => fields,
        Ok(_) | Err(_) => serde_json::Map::new(),
    };
    let (stated, counted) = (fields(stated), fields(counted));
    let key = stated.keys().chain(counted.keys()).find(|key| stated.get(*key) != counted.get(*key))?;
    Some(format!("the statistics in the header, {key:?}, are not what the entries say"))
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path().display())?;
        let anew = anew(self.path());
        match self {
            FileError::Io { doing, error, .. } => write!(f, "{doing}: {error}"),
            FileError::Foreign { .. } => {
                write!(f, "this is not a table file; tables are made by `ludens table build` and `ludens solve`")
            }
            FileError::Version { found, .. } => {
                write!(f, "the file has version {found} of the table format, this program reads {VERSION}; {anew}")
            }
            FileError::Length { expected, found, .. } => {
                let what = if found < expected { "cut short" } else { "longer than it should be" };
                write!(f, "the file is {what} ({found} bytes, {expected} expected); {anew}")
            }
            FileError::Damaged { place, .. } => write!(f, "the file is damaged ({place}); {anew}"),
            FileError::Other { field, expected, found, .. } => {
                write!(f, "this is another table: its {field} is {found}, expected {expected}; ")?;
                match *field {
                    "identity" => write!(f, "it was made for other rules or another index: {anew}"),
                    _ => write!(f, "give the right file, or build it with `ludens table build`"),
                }
            }
            FileError::Unfit { why, .. } => write!(f, "cannot be written: {why}"),
        }
    }
}

// What the system said is part of the text already: as a source it would be told twice.
impl std::error::Error for FileError {}
