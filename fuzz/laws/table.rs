//! What holds for any file that is opened as a table: whatever is in it, nothing panics, and what passes the check is
//! read in the same way by everybody.

use std::fs;
use std::path::Path;
use table::chess::{Side, Summary};
use table::file::{About, Form, Header, Part, Table, Writer, identity, pack};
use table::oracle::Metric;
use xxhash_rust::xxh3::xxh3_64;

/// A small table, as it is stored.
pub fn seed(folder: &Path, form: Form) -> Vec<u8> {
    let path = folder.join(format!("seed-{form:?}.table"));
    let header = Header {
        about: About::Chess(Summary { white: Side::default(), black: Side::default(), longest: None, wins: None }),
        name: "T".into(),
        identity: identity("T"),
        metric: Metric::Mate,
        bits: 4,
        parts: vec![Part::new("one", 5001), Part::new("none", 0), Part::new("two", 3)],
    };
    let mut writer = Writer::create(&path, header, form).expect("a new file");
    for entries in [5001u32, 0, 3] {
        let values: Vec<u8> = (0..entries).map(|at| (at / 7 % 16) as u8).collect();
        writer.write(&pack(&values, 4)).expect("room on the disk");
    }
    writer.finish().expect("it is whole");
    fs::read(&path).expect("it was written")
}

/// The bytes themselves, and the seed with changes that the bytes describe, with and without checksums that fit: whoever
/// means harm can work out a checksum too.
pub fn check(seed: &[u8], bytes: &[u8], folder: &Path) {
    let path = folder.join("any.table");
    open(&path, bytes);
    let mut changed = seed.to_vec();
    for change in bytes.chunks_exact(4) {
        // The head and the tail, where the numbers are, are met as often as all the rest.
        let at = u16::from_le_bytes([change[0], change[1]]) as usize;
        let at = match change[2] % 3 {
            0 => at % 56,
            1 => changed.len() - 1 - at % changed.len().min(700),
            _ => at % changed.len(),
        };
        changed[at] = if change[2] < 128 { change[3] } else { changed[at].wrapping_add(1) };
    }
    open(&path, &changed);
    seal(&mut changed);
    open(&path, &changed);
    if let Some(&count) = bytes.first() {
        changed.truncate(changed.len() - usize::from(count) % changed.len());
        seal(&mut changed);
        open(&path, &changed);
    }
}

/// Makes the checksums of head, tail and blocks fit, as far as there are such things.
fn seal(bytes: &mut [u8]) {
    let number = |bytes: &[u8], at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let (Some(tail), Some(text)) = (number(bytes, 24), bytes.get(20..24)) else { return };
    let text = u32::from_le_bytes([text[0], text[1], text[2], text[3]]) as usize;
    let tail = usize::try_from(tail).unwrap_or(usize::MAX);
    let (mut from, mut entry) = (56, tail.saturating_add(text));
    while let Some(end) = number(bytes, entry).and_then(|end| usize::try_from(end).ok())
        && entry.checked_add(16).is_some_and(|next| next <= bytes.len())
    {
        if let Some(sum) = bytes.get(from..end).map(xxh3_64) {
            bytes[entry + 8..entry + 16].copy_from_slice(&sum.to_le_bytes());
        }
        (from, entry) = (end, entry + 16);
    }
    if let Some(sum) = bytes.get(tail..).map(xxh3_64) {
        bytes[40..48].copy_from_slice(&sum.to_le_bytes());
    }
    if let Some(sum) = bytes.get(..48).map(xxh3_64)
        && let Some(place) = bytes.get_mut(48..56)
    {
        place.copy_from_slice(&sum.to_le_bytes());
    }
}

fn open(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).expect("room on the disk");
    let Ok(table) = Table::open(path) else { return };
    assert_eq!(table.size(), bytes.len() as u64);
    let checked = table.check();
    for (part, about) in table.header().parts.iter().enumerate() {
        let some = [0, about.entries / 2, about.entries.saturating_sub(1)];
        let known = some.iter().filter(|&&at| at < about.entries);
        let values: Vec<_> = known.map(|&at| (at, table.get(part, at).ok())).collect();
        if about.entries < 1 << 20 {
            let loaded = table.load(part);
            assert_eq!(loaded.is_ok(), table.check_part(part).is_ok(), "who loads a part checks it");
            if let Ok(loaded) = loaded {
                assert!(values.iter().all(|&(at, value)| value == Some(loaded.get(at))));
            } else {
                assert!(checked.is_err());
            }
        }
    }
}
