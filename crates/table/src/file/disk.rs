//! Reading at any place of an open file, from many threads at once.

use super::FileError;
use std::fs::File;
use std::io;
use std::path::Path;

/// An open file, as long as it was when it was opened.
pub struct Disk {
    file: File,
    len: u64,
}

impl Disk {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Disk, FileError> {
        let file = File::open(path).map_err(|error| FileError::io(path, "cannot be opened", error))?;
        let len = file.metadata().map_err(|error| FileError::io(path, "cannot be read", error))?.len();
        Ok(Disk { file, len })
    }

    /// Its length.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Fills `bytes` with what begins at this place. A file that has become too short is damaged.
    pub fn read(&self, path: &Path, bytes: &mut [u8], place: u64) -> Result<(), FileError> {
        read_at(&self.file, bytes, place).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                let found = self.file.metadata().map_or(0, |metadata| metadata.len());
                FileError::Length { path: path.to_owned(), expected: self.len, found }
            }
            _ => FileError::io(path, "cannot be read", error),
        })
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, place)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut place: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = std::os::windows::fs::FileExt::seek_read(file, bytes, place)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[count..];
        place += count as u64;
    }
    Ok(())
}
