//! Opening, checking and probing table files.

use super::{FileError, Form, HEAD, Header, MAGIC, VERSION, Writer};
use crate::oracle::Family;
use memmap2::Mmap;
use rayon::prelude::*;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// How much decompressed data a reader of a compressed table keeps at most, unless told otherwise. It is taken as blocks are
/// asked for.
const CACHE: usize = 512 << 20;

/// An open table. Probing is `&self` and may be done from many threads.
///
/// Opening a raw table reads its head and its tail only and maps the rest: what is never probed is never loaded.
/// Opening a compressed one also checks every block, so that a probe cannot meet a damaged one.
pub struct Table {
    path: PathBuf,
    header: Header,
    form: Form,
    block: u64,
    map: Mmap,
    /// For each block where it ends in the file and its checksum.
    index: Vec<(u64, u64)>,
    /// For each part its first block, and one entry more.
    first: Vec<u64>,
    /// For each part where it begins in the file.
    base: Vec<u64>,
    /// log2 of the bits of an entry.
    shift: u32,
    cache: Vec<Mutex<Slot>>,
    /// One bit for each block that was compared with its checksum by [`check_byte`](Table::check_byte) and is right.
    right: Vec<AtomicU64>,
}

/// One block in the cache. Block `b` can only be in slot `b % slots`, so a table smaller than the cache stays in it as a whole.
#[derive(Default)]
struct Slot {
    /// The block's number plus one; 0 is an empty slot.
    holds: u64,
    bytes: Vec<u8>,
}

impl Table {
    /// Opens a table of any kind.
    pub fn open(path: impl AsRef<Path>) -> Result<Table, FileError> {
        Table::open_with_cache(path, CACHE)
    }

    /// Opens a table and makes sure that it is the one wanted.
    pub fn open_as(path: impl AsRef<Path>, family: Family, name: &str, identity: u64) -> Result<Table, FileError> {
        let table = Table::open(path)?;
        let header = &table.header;
        let other = |field, expected: &str, found: &str| FileError::Other {
            path: table.path.clone(),
            field,
            expected: expected.into(),
            found: found.into(),
        };
        if header.family() != Some(family) {
            return Err(other("kind", family.name(), header.about.name()));
        }
        if header.name != name {
            return Err(other("name", name, &header.name));
        }
        if header.identity != identity {
            return Err(other("identity", &format!("{identity:016x}"), &format!("{:016x}", header.identity)));
        }
        Ok(table)
    }

    /// What a file says about itself. Its head and its tail are read and checked, its blocks are not touched.
    pub fn peek(path: impl AsRef<Path>) -> Result<Header, FileError> {
        Ok(Table::map(path.as_ref(), 0)?.header)
    }

    /// As [`open`](Table::open), keeping at most `cache` bytes decompressed (compressed tables only).
    pub fn open_with_cache(path: impl AsRef<Path>, cache: usize) -> Result<Table, FileError> {
        let table = Table::map(path.as_ref(), cache)?;
        if table.form == Form::Compressed {
            table.check()?;
        }
        Ok(table)
    }

    fn map(path: &Path, cache: usize) -> Result<Table, FileError> {
        let file = File::open(path).map_err(|error| FileError::io(path, "cannot be opened", error))?;
        let length = file.metadata().map_err(|error| FileError::io(path, "cannot be read", error))?.len();
        if length == 0 {
            return Err(FileError::Length { path: path.to_owned(), expected: HEAD as u64, found: 0 });
        }
        // SAFETY: a table file is complete before it gets its name, and is never written to afterwards, only replaced by
        // renaming, which leaves this map on the old file. Bytes that change all the same are seen as values, not as types.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| FileError::io(path, "cannot be mapped", error))?;
        Table::from_map(path, map, cache)
    }

    fn from_map(path: &Path, map: Mmap, cache: usize) -> Result<Table, FileError> {
        let head = Head::read(path, &map)?;
        let tail = &map[head.tail as usize..];
        if xxh3_64(tail) != head.tail_sum {
            return Err(FileError::damaged(path, "its header or its index of blocks"));
        }
        let malformed = |what: &str| FileError::damaged(path, what);
        let text = tail.get(..head.text as usize).ok_or_else(|| malformed("the length of its header"))?;
        let header: Header =
            serde_json::from_slice(text).map_err(|error| malformed(&format!("its header cannot be read: {error}")))?;
        if let Some(why) = header.fault() {
            return Err(malformed(&format!("its header: {why}")));
        }
        let index =
            read_index(&tail[head.text as usize..], head.tail).ok_or_else(|| malformed("its index of blocks"))?;
        let block = u64::from(head.block);
        let mut first = vec![0];
        let mut base = Vec::new();
        for part in 0..header.parts.len() {
            let begin = first[part];
            base.push(if begin == 0 { HEAD as u64 } else { index.get(begin as usize - 1).map_or(0, |entry| entry.0) });
            first.push(begin + header.bytes_of(part).div_ceil(block));
        }
        if first[header.parts.len()] != index.len() as u64 {
            return Err(malformed("its index does not have the blocks that its header needs"));
        }
        let slots = if head.form == Form::Raw { 0 } else { (cache / head.block as usize).clamp(1, index.len().max(1)) };
        let table = Table {
            path: path.to_owned(),
            form: head.form,
            block,
            map,
            right: (0..index.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            shift: header.bits.trailing_zeros(),
            header,
            index,
            first,
            base,
            cache: (0..slots).map(|_| Mutex::default()).collect(),
        };
        for block in 0..table.index.len() as u64 {
            let stored = table.stored(block).len();
            let wanted = table.length_of(block);
            if stored > wanted || (table.form == Form::Raw && stored < wanted) {
                return Err(FileError::damaged(path, "its index of blocks"));
            }
        }
        Ok(table)
    }

    /// What the file says about itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How it is stored.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its size on the disk in bytes.
    pub fn size(&self) -> u64 {
        self.map.len() as u64
    }

    /// One entry.
    ///
    /// # Panics
    /// Where there is no such part or no such entry in it, as a slice does.
    #[inline]
    pub fn get(&self, part: usize, index: u64) -> u8 {
        assert!(index < self.header.parts[part].entries, "entry {index} of part {part}: there are fewer");
        let byte = (index << self.shift) >> 3;
        let value = match self.form {
            Form::Raw => self.map[(self.base[part] + byte) as usize],
            Form::Compressed => self.cached(self.first[part] + byte / self.block, (byte % self.block) as usize),
        };
        unpack(value, index, self.shift)
    }

    fn cached(&self, block: u64, offset: usize) -> u8 {
        let slot = &self.cache[(block % self.cache.len() as u64) as usize];
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.holds != block + 1 {
            slot.holds = 0;
            slot.bytes.resize(self.length_of(block), 0);
            // Checked when the table was opened: this fails only if the disk does.
            self.expand(block, &mut slot.bytes).expect("a checked block can be read again");
            slot.holds = block + 1;
        }
        slot.bytes[offset]
    }

    /// Compares every block with its checksum. Together with what opening checks, this covers every byte of the file.
    pub fn check(&self) -> Result<(), FileError> {
        (0..self.header.parts.len()).try_for_each(|part| self.check_part(part))
    }

    /// As [`check`](Table::check), for one part.
    pub fn check_part(&self, part: usize) -> Result<(), FileError> {
        let blocks = self.blocks(part);
        blocks.into_par_iter().try_for_each_init(Vec::new, |space, block| {
            self.verify(block)?;
            if self.form == Form::Compressed {
                space.resize(self.length_of(block), 0);
                self.expand(block, space)?;
            }
            Ok(())
        })
    }

    /// Compares the block that holds this byte of a part (counted before compression) with its checksum, when it is asked
    /// for the first time.
    ///
    /// # Panics
    /// Where there is no such part, or no such byte in it.
    pub fn check_byte(&self, part: usize, byte: u64) -> Result<(), FileError> {
        assert!(byte < self.header.bytes_of(part), "byte {byte} of part {part}: there are fewer");
        let block = self.first[part] + byte / self.block;
        let (word, bit) = (&self.right[(block / 64) as usize], 1 << (block % 64));
        if word.load(Ordering::Relaxed) & bit == 0 {
            self.verify(block)?;
            word.fetch_or(bit, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Writes the same table again in another form, in place of this file; this one stays open as it is. Every block is
    /// checked on the way.
    pub fn store_as(&self, form: Form) -> Result<(), FileError> {
        let mut writer = Writer::create(&self.path, self.header.clone(), form)?;
        for part in 0..self.header.parts.len() {
            match self.raw(part) {
                Some(bytes) => {
                    self.check_part(part)?;
                    writer.write(bytes)?;
                }
                None => writer.write(self.load(part)?.bytes())?,
            }
        }
        writer.finish()
    }

    /// Reads one part into memory and checks it on the way; nothing else of the file is touched.
    pub fn load(&self, part: usize) -> Result<Loaded, FileError> {
        let mut bytes = vec![0; self.header.bytes_of(part) as usize];
        self.load_into(part, &mut bytes)?;
        Ok(Loaded { bytes, entries: self.header.parts[part].entries, shift: self.shift })
    }

    /// As [`load`](Table::load), into memory that the caller has.
    ///
    /// # Panics
    /// If `bytes` is not as long as the part is before compression.
    pub fn load_into(&self, part: usize, bytes: &mut [u8]) -> Result<(), FileError> {
        assert_eq!(bytes.len() as u64, self.header.bytes_of(part), "room for part {part}");
        let first = self.first[part];
        bytes.par_chunks_mut(self.block as usize).enumerate().try_for_each(|(at, space)| {
            self.verify(first + at as u64)?;
            self.expand(first + at as u64, space)
        })
    }

    /// The packed bytes of a part in the memory map, for raw tables; `None` for compressed ones.
    pub fn raw(&self, part: usize) -> Option<&[u8]> {
        let base = self.base[part] as usize;
        (self.form == Form::Raw).then(|| &self.map[base..base + self.header.bytes_of(part) as usize])
    }

    /// The packed bytes of all parts, one after the other, for raw tables.
    pub fn raw_parts(&self) -> Option<&[u8]> {
        let end = self.index.last().map_or(HEAD as u64, |entry| entry.0) as usize;
        (self.form == Form::Raw).then(|| &self.map[HEAD..end])
    }

    fn blocks(&self, part: usize) -> Range<u64> {
        self.first[part]..self.first[part + 1]
    }

    fn part_of(&self, block: u64) -> usize {
        self.first.partition_point(|&first| first <= block) - 1
    }

    /// The length of a block before compression.
    fn length_of(&self, block: u64) -> usize {
        let part = self.part_of(block);
        let before = (block - self.first[part]) * self.block;
        (self.header.bytes_of(part) - before).min(self.block) as usize
    }

    fn stored(&self, block: u64) -> &[u8] {
        let begin = if block == 0 { HEAD as u64 } else { self.index[block as usize - 1].0 };
        &self.map[begin as usize..self.index[block as usize].0 as usize]
    }

    fn verify(&self, block: u64) -> Result<(), FileError> {
        if xxh3_64(self.stored(block)) == self.index[block as usize].1 { Ok(()) } else { Err(self.bad(block)) }
    }

    fn expand(&self, block: u64, space: &mut [u8]) -> Result<(), FileError> {
        let stored = self.stored(block);
        if stored.len() == space.len() {
            space.copy_from_slice(stored);
            return Ok(());
        }
        match lz4_flex::block::decompress_into(stored, space) {
            Ok(length) if length == space.len() => Ok(()),
            _ => Err(self.bad(block)),
        }
    }

    fn bad(&self, block: u64) -> FileError {
        let part = self.part_of(block);
        let each = self.block * 8 / u64::from(self.header.bits);
        let from = (block - self.first[part]) * each;
        let name = &self.header.parts[part].name;
        FileError::damaged(&self.path, format!("part '{name}', the block that begins with entry {from}"))
    }
}

#[inline]
fn unpack(byte: u8, index: u64, shift: u32) -> u8 {
    let bits = 1u32 << shift;
    let place = (index as u32 & (7 >> shift)) << shift;
    (byte >> place) & (0xff >> (8 - bits)) as u8
}

/// One part in memory.
pub struct Loaded {
    bytes: Vec<u8>,
    entries: u64,
    shift: u32,
}

impl Loaded {
    /// One entry.
    ///
    /// # Panics
    /// Where there is no such entry.
    #[inline]
    pub fn get(&self, index: u64) -> u8 {
        assert!(index < self.entries, "entry {index}: there are fewer");
        unpack(self.bytes[((index << self.shift) >> 3) as usize], index, self.shift)
    }

    /// How many entries there are.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// The packed bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The packed bytes, to keep.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// The fixed beginning of a file.
struct Head {
    form: Form,
    block: u32,
    text: u32,
    tail: u64,
    tail_sum: u64,
}

impl Head {
    fn read(path: &Path, bytes: &[u8]) -> Result<Head, FileError> {
        let known = bytes.len().min(MAGIC.len());
        if bytes[..known] != MAGIC[..known] {
            return Err(FileError::Foreign { path: path.to_owned() });
        }
        let found = bytes.len() as u64;
        if bytes.len() < HEAD {
            return Err(FileError::Length { path: path.to_owned(), expected: HEAD as u64, found });
        }
        let version = word(bytes, 8);
        if version != VERSION {
            return Err(FileError::Version { path: path.to_owned(), found: version });
        }
        if xxh3_64(&bytes[..48]) != long(bytes, 48) {
            return Err(FileError::damaged(path, "its first bytes"));
        }
        let form = match word(bytes, 12) {
            0 => Form::Raw,
            1 => Form::Compressed,
            _ => return Err(FileError::damaged(path, "an unknown form")),
        };
        let (tail, length) = (long(bytes, 24), long(bytes, 32));
        let expected = tail.checked_add(length).ok_or_else(|| FileError::damaged(path, "its length"))?;
        if expected != found {
            return Err(FileError::Length { path: path.to_owned(), expected, found });
        }
        let block = word(bytes, 16);
        if block == 0 || tail < HEAD as u64 {
            return Err(FileError::damaged(path, "its first bytes"));
        }
        Ok(Head { form, block, text: word(bytes, 20), tail, tail_sum: long(bytes, 40) })
    }
}

/// The index of blocks: each ends where the next one begins, the last one where the tail begins.
fn read_index(bytes: &[u8], tail: u64) -> Option<Vec<(u64, u64)>> {
    let (rows, rest) = bytes.as_chunks::<16>();
    if !rest.is_empty() {
        return None;
    }
    let index: Vec<_> = rows.iter().map(|row| (long(row, 0), long(row, 8))).collect();
    let mut last = HEAD as u64;
    for &(end, _) in &index {
        if end < last {
            return None;
        }
        last = end;
    }
    (last == tail).then_some(index)
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}
