//! One process at a time: a lock file that says who is at work.
//!
//! The lock is the system's and not the file's: a process that is killed leaves the file behind, and nobody has to remove it.

use anyhow::{Context, Result, bail};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Held until it is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Takes the lock that this file stands for; the file is made if need be. Its content is the number of the process.
    ///
    /// # Errors
    /// When another process has it, or the file cannot be made.
    pub fn take(path: &Path) -> Result<FolderLock> {
        let problem = || format!("cannot use {}", path.display());
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(path).with_context(problem)?;
        match file.try_lock() {
            Ok(()) => {}
            // Some network folders have no locks. Whoever works there does so at their own risk, as before.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(error).with_context(problem),
            Err(TryLockError::WouldBlock) => {
                let folder = path.parent().unwrap_or(path).display();
                let who = holder(&mut file).map_or(String::new(), |who| format!(" (process {who})"));
                bail!(
                    "another run{who} is at work in {folder}: wait until it ends, or give another folder with `--out`"
                );
            }
        }
        let written = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id())).and_then(|()| file.flush());
        written.with_context(problem)?;
        Ok(FolderLock { _file: file })
    }
}

/// The process that has the lock, where the file can be read meanwhile.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.take(20).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let path = std::env::temp_dir().join(format!("ludens-lock-{}.lock", std::process::id()));
        let lock = FolderLock::take(&path).expect("nobody has it");
        let refused = FolderLock::take(&path).expect_err("it is taken").to_string();
        let who = format!("(process {})", std::process::id());
        assert!(refused.contains(&who) && refused.contains("--out"), "{refused}");
        drop(lock);
        // What a killed process leaves behind is in nobody's way.
        std::fs::write(&path, "999999999").expect("a file");
        assert!(FolderLock::take(&path).is_ok());
        let _ = std::fs::remove_file(&path);
    }
}
