//! Files that are either whole or not there: written beside their place and then moved into it.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Writes a file as a whole; its folder is made if need be.
pub fn save(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let moved = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    if moved.is_err() {
        // Nothing half-written is left behind; what matters is the first error.
        let _ = fs::remove_file(&beside);
    }
    moved.with_context(|| format!("cannot write {}", path.display()))
}
