//! Writing a table file, so that it is there as a whole or not at all.

use super::{FileError, Form, HEAD, Header, MAGIC, VERSION, small};
use rayon::prelude::*;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

const SUFFIX: &str = ".partial";
/// How much is collected before blocks are compressed in parallel.
const BATCH: usize = 1 << 20;

/// Writes one table file: the bytes of all parts, in order, then [`finish`](Writer::finish).
///
/// Nothing has the final name before `finish`; a writer that is dropped instead removes what it wrote.
pub struct Writer {
    path: PathBuf,
    temporary: PathBuf,
    file: Option<BufWriter<File>>,
    header: Header,
    form: Form,
    part: usize,
    /// Bytes of the present part that have become blocks.
    done: u64,
    pending: Vec<u8>,
    at: u64,
    index: Vec<u8>,
}

impl Writer {
    /// Begins a file beside `path`. Leftovers of dead writers of the same table are removed first.
    pub fn create(path: impl AsRef<Path>, header: Header, form: Form) -> Result<Writer, FileError> {
        let path = path.as_ref();
        if let Some(why) = header.fault() {
            return Err(FileError::Unfit { path: path.to_owned(), why });
        }
        let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else {
            return Err(FileError::Unfit { path: path.to_owned(), why: "this is not the name of a file".into() });
        };
        let folder = folder_of(path);
        fs::create_dir_all(folder).map_err(|error| FileError::io(folder, "the folder cannot be made", error))?;
        remove_dead(folder, |found| found.starts_with(&format!(".{name}.")));
        let (temporary, file) = fresh(folder, &name)?;
        let mut file = BufWriter::with_capacity(1 << 18, file);
        if let Err(error) = file.write_all(&[0; HEAD]) {
            let _ = fs::remove_file(&temporary);
            return Err(FileError::io(path, "cannot be written", error));
        }
        let mut writer = Writer {
            path: path.to_owned(),
            temporary,
            file: Some(file),
            header,
            form,
            part: 0,
            done: 0,
            pending: Vec::new(),
            at: HEAD as u64,
            index: Vec::new(),
        };
        writer.skip_empty();
        Ok(writer)
    }

    /// Appends bytes: entries packed as [`pack`] does it, part after part. One call may end one part and begin the next.
    pub fn write(&mut self, mut bytes: &[u8]) -> Result<(), FileError> {
        while !bytes.is_empty() {
            if self.part == self.header.parts.len() {
                return Err(self.unfit("more bytes than the parts have room for".into()));
            }
            let left = self.header.bytes_of(self.part) - self.done - self.pending.len() as u64;
            let now = (BATCH - self.pending.len()).min(bytes.len()).min(usize::try_from(left).unwrap_or(usize::MAX));
            self.pending.extend_from_slice(&bytes[..now]);
            bytes = &bytes[now..];
            if self.pending.len() == BATCH || now as u64 == left {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Writes what is left, waits until all is on the disk, and gives the file its name.
    pub fn finish(mut self) -> Result<(), FileError> {
        if self.part < self.header.parts.len() {
            let name = &self.header.parts[self.part].name;
            return Err(self.unfit(format!("part '{name}' is not complete")));
        }
        self.close().map_err(|error| {
            let _ = fs::remove_file(&self.temporary);
            FileError::io(&self.path, "cannot be written", error)
        })
    }

    fn close(&mut self) -> std::io::Result<()> {
        let text = serde_json::to_vec(&self.header)?;
        let mut tail = text.clone();
        tail.extend_from_slice(&self.index);
        let mut head = Vec::with_capacity(HEAD);
        head.extend_from_slice(&MAGIC);
        for word in [VERSION, self.form as u32, self.form.block(), text.len() as u32] {
            head.extend_from_slice(&word.to_le_bytes());
        }
        for word in [self.at, tail.len() as u64, xxh3_64(&tail)] {
            head.extend_from_slice(&word.to_le_bytes());
        }
        head.extend_from_slice(&xxh3_64(&head).to_le_bytes());
        let Some(mut buffered) = self.file.take() else { return Ok(()) };
        buffered.write_all(&tail)?;
        let mut file = buffered.into_inner().map_err(|error| error.into_error())?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&head)?;
        file.sync_all()?;
        fs::rename(&self.temporary, &self.path)?;
        // The name must survive a crash as well. Where folders cannot be opened as files, the system sees to it.
        if let Ok(folder) = File::open(folder_of(&self.path)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), FileError> {
        let size = self.form.block() as usize;
        let whole = self.done + self.pending.len() as u64 == self.header.bytes_of(self.part);
        let pending = std::mem::take(&mut self.pending);
        let stored: Vec<(u64, Option<Vec<u8>>)> =
            pending.par_chunks(size).map(|block| store(block, self.form)).collect();
        let Some(file) = &mut self.file else { return Ok(()) };
        for (block, (sum, squeezed)) in pending.chunks(size).zip(&stored) {
            let bytes = squeezed.as_deref().unwrap_or(block);
            file.write_all(bytes).map_err(|error| FileError::io(&self.path, "cannot be written", error))?;
            self.at += bytes.len() as u64;
            self.index.extend_from_slice(&self.at.to_le_bytes());
            self.index.extend_from_slice(&sum.to_le_bytes());
        }
        self.done += pending.len() as u64;
        self.pending = pending;
        self.pending.clear();
        if whole {
            self.part += 1;
            self.done = 0;
            self.skip_empty();
        }
        Ok(())
    }

    fn skip_empty(&mut self) {
        while self.header.parts.get(self.part).is_some_and(|part| part.entries == 0) {
            self.part += 1;
        }
    }

    fn unfit(&self, why: String) -> FileError {
        FileError::Unfit { path: self.path.clone(), why }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// The checksum of a block as stored, and its bytes if they differ from what was given.
fn store(block: &[u8], form: Form) -> (u64, Option<Vec<u8>>) {
    let squeezed = match form {
        Form::Raw => None,
        Form::Compressed => Some(lz4_flex::block::compress(block)).filter(|squeezed| squeezed.len() < block.len()),
        Form::Small => small::squeeze(block),
    };
    (xxh3_64(squeezed.as_deref().unwrap_or(block)), squeezed)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new, locked file for the table of this name. The lock lives as long as the file is open, whatever happens to the process.
fn fresh(folder: &Path, name: &str) -> Result<(PathBuf, File), FileError> {
    for count in 0u32.. {
        let temporary = folder.join(format!(".{name}.{}-{count}{SUFFIX}", std::process::id()));
        let file = match OpenOptions::new().read(true).write(true).create_new(true).open(&temporary) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(FileError::io(&temporary, "cannot be made", error)),
        };
        // Between making and locking it, another process may have taken the file for a leftover; then the next number.
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => continue,
            _ if !temporary.exists() => continue,
            _ => return Ok((temporary, file)),
        }
    }
    unreachable!("all numbers are taken")
}

/// Removes what dead writers left in a folder; says how many files that were. Files of living writers stay.
pub fn clean(folder: impl AsRef<Path>) -> usize {
    remove_dead(folder.as_ref(), |_| true)
}

fn remove_dead(folder: &Path, which: impl Fn(&str) -> bool) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let mut removed = 0;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !(name.starts_with('.') && name.ends_with(SUFFIX) && which(&name)) {
            continue;
        }
        let dead = File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if dead && fs::remove_file(entry.path()).is_ok() {
            removed += 1;
        }
    }
    removed
}

/// Packs values of `bits` (8, 4 or 2) bits into bytes, the lowest bits first, as a part of a file wants them.
pub fn pack(values: &[u8], bits: u8) -> Vec<u8> {
    let each = usize::from(8 / bits);
    let mask = 0xff >> (8 - bits);
    let byte = |chunk: &[u8]| chunk.iter().rev().fold(0, |sum, &value| (u32::from(sum) << bits) as u8 | (value & mask));
    values.chunks(each).map(byte).collect()
}
