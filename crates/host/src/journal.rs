//! A journal of an experiment: a line of JSON for each finished piece, so that nothing is lost when it is interrupted and
//! the next run goes on where this one ended. One process at a time writes it.

use crate::folder_lock::FolderLock;
use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use terminal::{Out, text};

/// A piece with the program that made it.
#[derive(Serialize, Deserialize)]
struct Line<T> {
    build: String,
    #[serde(flatten)]
    entry: T,
}

/// See the module.
pub struct Journal<T> {
    path: PathBuf,
    file: File,
    build: String,
    entries: Vec<T>,
    passed_over: usize,
    _lock: FolderLock,
}

/// Which lines of an earlier run count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// None: the journal begins anew.
    None,
    /// None of this run's settings; the lines of other settings stay in the file.
    OtherSettings,
    /// Those written by this very program.
    SameBuild,
    /// All.
    All,
}

impl<T: Serialize + DeserializeOwned> Journal<T> {
    /// Opens a journal, or begins one. Of the lines found there, those count that can be read, that `fits` accepts (it
    /// says whether they were made with the same settings), and that `keep` allows.
    ///
    /// # Errors
    /// When another process has the journal open, or it cannot be read or written.
    pub fn open(path: &Path, keep: Keep, fits: impl Fn(&T) -> bool) -> Result<Journal<T>> {
        let problem = || format!("cannot use the journal {}", path.display());
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(problem)?;
        }
        let lock = FolderLock::take(&path.with_extension("lock"))?;
        let build = build()?;
        let old = match fs::read_to_string(path) {
            Ok(_) if keep == Keep::None => String::new(),
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).with_context(problem),
        };
        let (mut entries, mut passed_over, mut others) = (Vec::new(), 0, String::new());
        // The last line may be cut off: whoever was interrupted while writing it does that piece again.
        for line in old.lines() {
            match serde_json::from_str::<Line<T>>(line) {
                Ok(read) if fits(&read.entry) => match keep {
                    Keep::None | Keep::OtherSettings => {}
                    Keep::SameBuild if read.build != build => passed_over += 1,
                    Keep::SameBuild | Keep::All => entries.push(read.entry),
                },
                Ok(_) => {
                    passed_over += 1;
                    others += line;
                    others.push('\n');
                }
                Err(_) => passed_over += 1,
            }
        }
        let mut options = OpenOptions::new();
        let mut file = match keep {
            Keep::None => options.write(true).truncate(true),
            Keep::OtherSettings => {
                platform::save(path, &others)?;
                options.append(true)
            }
            Keep::SameBuild | Keep::All => options.append(true),
        }
        .create(true)
        .open(path)
        .with_context(problem)?;
        if keep != Keep::OtherSettings && !old.is_empty() && !old.ends_with('\n') {
            file.write_all(b"\n").with_context(problem)?;
        }
        Ok(Journal { path: path.to_path_buf(), file, build, entries, passed_over, _lock: lock })
    }

    /// What counts so far.
    pub fn entries(&self) -> &[T] {
        &self.entries
    }

    /// Says what was found of an earlier run.
    pub fn greet(&self, out: Out<'_>) -> Result<()> {
        let Journal { path, entries, passed_over, .. } = self;
        let path = path.display();
        if !entries.is_empty() {
            writeln!(out, "going on from {path}: {} (`--fresh` begins anew)", text::count(entries.len(), "piece"))?;
        }
        if *passed_over > 0 {
            let hint = "made with other settings or by another build (`--any-build` counts the latter)";
            writeln!(out, "{path} has {passed_over} that do not count: {hint}")?;
        }
        Ok(())
    }

    /// Adds a piece, and does not come back before it is in the file.
    pub fn add(&mut self, entry: T) -> Result<()> {
        let line = Line { build: self.build.clone(), entry };
        let written = serde_json::to_string(&line)? + "\n";
        let written = self.file.write_all(written.as_bytes()).and_then(|()| self.file.flush());
        written.with_context(|| format!("cannot write to {}", self.path.display()))?;
        self.entries.push(line.entry);
        Ok(())
    }
}

/// What tells this program from another build of it.
fn build() -> Result<String> {
    let path = std::env::current_exe().context("cannot find this program")?;
    let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Sha256::digest(&bytes)[..6].iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize, Debug, PartialEq)]
    struct Piece {
        n: u32,
    }

    #[test]
    fn a_journal_goes_on_after_an_interruption() {
        let path = std::env::temp_dir().join(format!("ludens-journal-{}.jsonl", std::process::id()));
        let open = |keep| Journal::<Piece>::open(&path, keep, |piece| piece.n != 7).expect("a journal");
        let mut journal = open(Keep::None);
        for n in [1, 7] {
            journal.add(Piece { n }).expect("a line");
        }
        drop(journal);
        let mut text = fs::read_to_string(&path).expect("the journal is there");
        text += "{\"build\":\"other\",\"n\":5}\n{\"build\":\"oth";
        fs::write(&path, text).expect("a torn line");
        let mut journal = open(Keep::SameBuild);
        assert_eq!((journal.entries(), journal.passed_over), (&[Piece { n: 1 }][..], 3));
        journal.add(Piece { n: 2 }).expect("a line");
        drop(journal);
        assert_eq!(open(Keep::SameBuild).entries(), [Piece { n: 1 }, Piece { n: 2 }]);
        assert_eq!(open(Keep::All).entries(), [Piece { n: 1 }, Piece { n: 5 }, Piece { n: 2 }]);
        // One at a time.
        let journal = open(Keep::All);
        assert!(Journal::<Piece>::open(&path, Keep::None, |_| true).is_err());
        drop(journal);
        assert!(open(Keep::OtherSettings).entries().is_empty());
        let kept = Journal::<Piece>::open(&path, Keep::All, |_| true).expect("a journal");
        assert_eq!(kept.entries(), [Piece { n: 7 }], "it belongs to somebody else");
        drop(kept);
        assert!(open(Keep::None).entries().is_empty());
        let _ = (fs::remove_file(&path), fs::remove_file(path.with_extension("lock")));
    }
}
