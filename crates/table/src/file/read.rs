//! Opening, checking and probing table files.
//!
//! Blocks are read when they are first asked for, compared with their checksum, and kept. Nothing is mapped: a file that is cut
//! short while it is open is an error of the probe that comes too late, not the end of the process.

use super::disk::Disk;
use super::pool::Pool;
use super::resident::Resident;
use super::{FileError, Form, HEAD, Header, MAGIC, VERSION, Writer, small};
use crate::oracle::Family;
use rayon::prelude::*;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// How much of a table is kept in memory at most, unless told otherwise. It is taken as blocks are asked for.
const CACHE: usize = 1 << 30;

/// An open table. Probing is `&self` and may be done from many threads.
///
/// Opening reads the head and the tail of a raw file only: what is never probed is never read. Opening another
/// one also checks every block.
pub struct Table {
    path: PathBuf,
    header: Header,
    form: Form,
    disk: Disk,
    /// log2 of the bytes of a block before compression.
    block: u32,
    /// For each block where it ends in the file and its checksum.
    index: Vec<(u64, u64)>,
    /// For each part its first block, and one entry more.
    first: Vec<u64>,
    /// log2 of the bits of an entry.
    shift: u32,
    held: Held,
}

/// The blocks in memory, each compared with its checksum when it was read.
enum Held {
    /// There is room for all of them: what has been read stays, and asking for it takes no lock.
    All(Resident),
    /// Block `b` can only be in slot `b % slots`.
    Some(Vec<Mutex<Slot>>),
    /// They share the room with those of other files; the number is this file's.
    Pooled(Arc<Pool>, u64),
}

/// A place for one block.
#[derive(Default)]
struct Slot {
    block: Option<u64>,
    bytes: Vec<u8>,
}

impl Table {
    /// Opens a table of any kind.
    pub fn open(path: impl AsRef<Path>) -> Result<Table, FileError> {
        Table::open_with_cache(path, CACHE)
    }

    /// Opens a table whose blocks are kept in a pool with those of other files. What is never probed is never read, even of
    /// a compressed file; each block is compared with its checksum when it is read.
    pub fn open_in(path: impl AsRef<Path>, pool: &Arc<Pool>) -> Result<Table, FileError> {
        let table = Table::begin(path.as_ref(), 0)?;
        Ok(Table { held: Held::Pooled(Arc::clone(pool), pool.number()), ..table })
    }

    /// Opens a table and makes sure that it is the one wanted.
    pub fn open_as(path: impl AsRef<Path>, family: Family, name: &str, identity: u64) -> Result<Table, FileError> {
        Table::open(path)?.wanted(family, name, identity)
    }

    /// The same table, if it is the one wanted.
    pub fn wanted(self, family: Family, name: &str, identity: u64) -> Result<Table, FileError> {
        let table = self;
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
        Ok(Table::begin(path.as_ref(), 0)?.header)
    }

    /// As [`open`](Table::open), keeping at most `cache` bytes in memory, and one block at least.
    pub fn open_with_cache(path: impl AsRef<Path>, cache: usize) -> Result<Table, FileError> {
        let table = Table::begin(path.as_ref(), cache)?;
        match table.form {
            Form::Raw => {}
            Form::Compressed => table.check()?,
            Form::Small => table.check_sums()?,
        }
        Ok(table)
    }

    fn begin(path: &Path, cache: usize) -> Result<Table, FileError> {
        let disk = Disk::open(path)?;
        let mut bytes = vec![0; disk.len().min(HEAD as u64) as usize];
        disk.read(path, &mut bytes, 0)?;
        let head = Head::read(path, &bytes, disk.len())?;
        let mut tail = vec![0; (disk.len() - head.tail) as usize];
        disk.read(path, &mut tail, head.tail)?;
        if xxh3_64(&tail) != head.tail_sum {
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
        let mut first = vec![0];
        for part in 0..header.parts.len() {
            first.push(first[part] + header.bytes_of(part).div_ceil(1 << head.block));
        }
        if first[header.parts.len()] != index.len() as u64 {
            return Err(malformed("its index does not have the blocks that its header needs"));
        }
        let fits = index.len() as u64 <= cache as u64 >> head.block;
        let room = fits.then(|| Resident::new(index.len(), head.block)).flatten();
        let slots = (cache >> head.block).clamp(1, index.len().max(1));
        let table = Table {
            path: path.to_owned(),
            form: head.form,
            disk,
            block: head.block,
            held: match room {
                Some(room) => Held::All(room),
                None => Held::Some((0..slots).map(|_| Mutex::default()).collect()),
            },
            shift: header.bits.trailing_zeros(),
            header,
            index,
            first,
        };
        for block in 0..table.index.len() as u64 {
            let stored = table.stored(block);
            let (stored, wanted) = ((stored.end - stored.start) as usize, table.length_of(block));
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
        self.disk.len()
    }

    /// One entry. An error says that its block cannot be read, or is damaged.
    ///
    /// # Panics
    /// Where there is no such part or no such entry in it, as a slice does.
    #[inline]
    pub fn get(&self, part: usize, index: u64) -> Result<u8, FileError> {
        assert!(index < self.header.parts[part].entries, "entry {index} of part {part}: there are fewer");
        let [byte] = self.bytes(part, (index << self.shift) >> 3)?;
        Ok(unpack(byte, index, self.shift))
    }

    /// The bytes of a part that begin here, before compression. They must lie in one block.
    #[inline]
    pub(crate) fn bytes<const N: usize>(&self, part: usize, byte: u64) -> Result<[u8; N], FileError> {
        let place = (self.first[part] << self.block) + byte;
        match &self.held {
            Held::All(blocks) => match blocks.get(place) {
                Some(bytes) => Ok(bytes),
                None => self.fetch(blocks, place),
            },
            Held::Some(slots) => self.cached(slots, place),
            Held::Pooled(pool, file) => {
                let block = place >> self.block;
                let offset = (place & ((1 << self.block) - 1)) as usize;
                let read = |bytes: &mut [u8]| self.read_block(block, bytes, &mut Vec::new());
                pool.get((*file, block), offset, self.length_of(block), read)
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn fetch<const N: usize>(&self, blocks: &Resident, place: u64) -> Result<[u8; N], FileError> {
        let block = place >> self.block;
        blocks.fill(block, self.length_of(block), |bytes| self.read_block(block, bytes, &mut Vec::new()))?;
        // It is there now.
        Ok(blocks.get(place).unwrap_or([0; N]))
    }

    fn cached<const N: usize>(&self, slots: &[Mutex<Slot>], place: u64) -> Result<[u8; N], FileError> {
        let block = place >> self.block;
        let offset = (place & ((1 << self.block) - 1)) as usize;
        let slot = &slots[(block % slots.len() as u64) as usize];
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.block != Some(block) {
            slot.block = None;
            slot.bytes.resize(self.length_of(block), 0);
            self.read_block(block, &mut slot.bytes, &mut Vec::new())?;
            slot.block = Some(block);
        }
        let mut bytes = [0; N];
        bytes.copy_from_slice(&slot.bytes[offset..offset + N]);
        Ok(bytes)
    }

    /// Compares every block with its checksum. Together with what opening checks, this covers every byte of the file.
    pub fn check(&self) -> Result<(), FileError> {
        (0..self.header.parts.len()).try_for_each(|part| self.check_part(part))
    }

    /// Compares every block with its checksum, without expanding it: that takes long in the smallest form.
    fn check_sums(&self) -> Result<(), FileError> {
        let blocks = (0..self.index.len() as u64).into_par_iter();
        blocks.try_for_each_init(Vec::new, |stored, block| self.read_stored(block, stored))
    }

    /// As [`check`](Table::check), for one part.
    pub fn check_part(&self, part: usize) -> Result<(), FileError> {
        self.blocks(part).into_par_iter().try_for_each_init(
            || (Vec::new(), Vec::new()),
            |(space, stored), block| {
                space.resize(self.length_of(block), 0);
                self.read_block(block, space, stored)
            },
        )
    }

    /// Writes the same table again in another form, in place of this file; this one stays open as it is. Every block is
    /// checked on the way.
    pub fn store_as(&self, form: Form) -> Result<(), FileError> {
        /// Blocks that are read at once, to be compressed side by side.
        const AT_ONCE: usize = 1 << 22;
        let mut writer = Writer::create(&self.path, self.header.clone(), form)?;
        for part in 0..self.header.parts.len() {
            let blocks = self.blocks(part);
            let step = (AT_ONCE >> self.block).max(1);
            for begin in blocks.clone().step_by(step) {
                let some = begin..(begin + step as u64).min(blocks.end);
                let mut bytes = vec![0; some.clone().map(|block| self.length_of(block)).sum()];
                self.read_blocks(some.start, &mut bytes)?;
                writer.write(&bytes)?;
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
        self.read_blocks(self.first[part], bytes)
    }

    /// Reads blocks of one part, one after the other.
    fn read_blocks(&self, first: u64, bytes: &mut [u8]) -> Result<(), FileError> {
        bytes
            .par_chunks_mut(1 << self.block)
            .enumerate()
            .try_for_each_init(Vec::new, |stored, (at, space)| self.read_block(first + at as u64, space, stored))
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
        let before = (block - self.first[part]) << self.block;
        (self.header.bytes_of(part) - before).min(1 << self.block) as usize
    }

    /// Where a block is in the file.
    fn stored(&self, block: u64) -> Range<u64> {
        let begin = if block == 0 { HEAD as u64 } else { self.index[block as usize - 1].0 };
        begin..self.index[block as usize].0
    }

    /// Reads a block, compares it with its checksum and expands it into `space`, which is as long as it is then; `memory`
    /// is for what is stored.
    fn read_block(&self, block: u64, space: &mut [u8], memory: &mut Vec<u8>) -> Result<(), FileError> {
        let place = self.stored(block);
        let length = (place.end - place.start) as usize;
        let sum = self.index[block as usize].1;
        if length == space.len() {
            self.disk.read(&self.path, space, place.start)?;
            return if xxh3_64(space) == sum { Ok(()) } else { Err(self.bad(block)) };
        }
        self.read_stored(block, memory)?;
        let whole = match self.form {
            Form::Small => small::expand(memory, space),
            Form::Raw | Form::Compressed => {
                lz4_flex::block::decompress_into(memory, space).is_ok_and(|length| length == space.len())
            }
        };
        if whole { Ok(()) } else { Err(self.bad(block)) }
    }

    /// Reads a block as it is stored, and compares it with its checksum.
    fn read_stored(&self, block: u64, memory: &mut Vec<u8>) -> Result<(), FileError> {
        let place = self.stored(block);
        memory.resize((place.end - place.start) as usize, 0);
        self.disk.read(&self.path, memory, place.start)?;
        if xxh3_64(memory) == self.index[block as usize].1 { Ok(()) } else { Err(self.bad(block)) }
    }

    fn bad(&self, block: u64) -> FileError {
        let part = self.part_of(block);
        let each = (8 << self.block) / u64::from(self.header.bits);
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
    /// log2 of the size of a block.
    block: u32,
    text: u32,
    tail: u64,
    tail_sum: u64,
}

impl Head {
    /// Reads the first bytes of a file that is so long.
    fn read(path: &Path, bytes: &[u8], found: u64) -> Result<Head, FileError> {
        let known = bytes.len().min(MAGIC.len());
        if bytes[..known] != MAGIC[..known] {
            return Err(FileError::Foreign { path: path.to_owned() });
        }
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
            2 => Form::Small,
            _ => return Err(FileError::damaged(path, "an unknown form")),
        };
        let (tail, length) = (long(bytes, 24), long(bytes, 32));
        let expected = tail.checked_add(length).ok_or_else(|| FileError::damaged(path, "its length"))?;
        if expected != found {
            return Err(FileError::Length { path: path.to_owned(), expected, found });
        }
        let block = word(bytes, 16);
        if !block.is_power_of_two() || tail < HEAD as u64 {
            return Err(FileError::damaged(path, "its first bytes"));
        }
        Ok(Head { form, block: block.trailing_zeros(), text: word(bytes, 20), tail, tail_sum: long(bytes, 40) })
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
