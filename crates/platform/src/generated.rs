//! Files that the program writes for people to build upon: recognised by their first line, and left alone once they were edited.

use anyhow::{Result, bail};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// The words by which the first line of a file tells that it was written here; a checksum of the rest follows.
const MARK: &str = "Written by `ludens compile`; checksum of all below: ";

/// Puts a line before a file by which it can be recognised.
pub fn mark(name: &str, text: &mut String) {
    let (open, close) = match Path::new(name).extension().and_then(|end| end.to_str()) {
        Some("c" | "h") => ("/* ", " */"),
        Some("md") => ("<!-- ", " -->"),
        _ => ("# ", ""),
    };
    text.insert_str(0, &format!("{open}{MARK}{:016x}{close}\n", checksum(text)));
}

/// FNV-1a: enough to tell whether a file was edited.
fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Whether a text was written here and not changed since.
fn is_ours(text: &str) -> bool {
    let Some((first, rest)) = text.split_once('\n') else { return false };
    let written = first.split_once(MARK).and_then(|(_, sum)| sum.get(..16));
    written == Some(format!("{:016x}", checksum(rest)).as_str())
}

/// That nothing is in the way of files of these names but what was written here.
///
/// # Errors
/// When something is.
pub fn refuse_foreign<'a>(folder: &Path, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut foreign = Vec::new();
    for name in names {
        match fs::read_to_string(folder.join(name)) {
            Ok(text) if is_ours(&text) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            _ => foreign.push(name),
        }
    }
    if foreign.is_empty() {
        return Ok(());
    }
    bail!(
        "nothing is written, because {} would be lost in {}: not written by `ludens compile`, or edited since\n  choose \
         another folder, or replace with --force",
        foreign.join(", "),
        folder.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_files_are_recognised_until_they_are_edited() {
        for name in ["a.c", "a.h", "README.md", "Makefile", "example.py"] {
            let mut text = "some\ntext\n".to_string();
            assert!(!is_ours(&text));
            mark(name, &mut text);
            assert!(is_ours(&text), "{name}");
            assert!(!is_ours(&(text.clone() + " ")), "{name}");
            assert!(!is_ours(&text.replace("some", "other")), "{name}");
        }
        assert!(!is_ours("") && !is_ours(MARK) && !is_ours(&format!("{MARK}\n")));
    }
}
