//! Writing what was built, and why something was not: the same for one side and for two.

use crate::file::{FileError, Form, Header, Writer};
use native::chinese::Unfit;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Why a table is not built.
#[derive(Debug)]
pub enum BuildError {
    /// There is no such table.
    Unfit(Unfit),
    /// It needs more memory than allowed.
    Memory {
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
        /// The first start whose section fits, if any does.
        fits_from: Option<usize>,
    },
    /// More than a byte can tell: the most that it can, and of what.
    TooFar(usize, &'static str),
    /// The caller's function said stop. The build can go on later.
    Stopped,
    /// A file could not be read or written, or is not what it should be.
    File(FileError),
    /// This file does not hold an unfinished build.
    NotABuild(String),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Unfit(unfit) => unfit.fmt(f),
            BuildError::Memory { needed, allowed, fits_from } => {
                write!(f, "building this table takes {needed} bytes of memory, and {allowed} are allowed; ")?;
                match fits_from {
                    Some(start) => write!(f, "the section from start {start} on would fit (--start {start})"),
                    None => write!(f, "take fewer pieces or a smaller board"),
                }
            }
            BuildError::TooFar(most, unit) => write!(
                f,
                "some placement is more than {most} {unit} from the end, more than a byte can say; take a smaller board"
            ),
            BuildError::Stopped => write!(f, "stopped before the table was complete"),
            BuildError::File(error) => error.fmt(f),
            BuildError::NotABuild(path) => {
                write!(f, "{path}: this is not an unfinished build of Chinese checkers; delete it and begin anew")
            }
        }
    }
}

impl std::error::Error for BuildError {}

impl From<FileError> for BuildError {
    fn from(error: FileError) -> Self {
        BuildError::File(error)
    }
}

impl From<Unfit> for BuildError {
    fn from(unfit: Unfit) -> Self {
        BuildError::Unfit(unfit)
    }
}

/// Entries that are written at a time.
const PIECE: usize = 1 << 16;

/// Writes the parts of a table, one after the other.
pub(super) fn store<'a>(
    path: &Path,
    header: Header,
    form: Form,
    parts: impl IntoIterator<Item = &'a [AtomicU8]>,
) -> Result<(), BuildError> {
    let mut writer = Writer::create(path, header, form)?;
    let mut bytes = Vec::with_capacity(PIECE);
    for piece in parts.into_iter().flat_map(|part| part.chunks(PIECE)) {
        bytes.clear();
        bytes.extend(piece.iter().map(|value| value.load(Relaxed)));
        writer.write(&bytes)?;
    }
    writer.finish()?;
    Ok(())
}
