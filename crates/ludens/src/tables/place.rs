//! Where tables are kept, and how much memory there is to build them in.

use anyhow::{Context, Result, bail};
use std::env;
use std::path::{Path, PathBuf};

/// The folder of tables: the one given, else `LUDENS_TABLES`, else the platform's place for a program's data.
pub fn folder(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(folder) = given {
        return Ok(folder.to_path_buf());
    }
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = set("LUDENS_TABLES") {
        return Ok(folder);
    }
    let data = if cfg!(windows) {
        set("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        set("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        // The convention says that a relative path is to be ignored.
        let data = set("XDG_DATA_HOME").filter(|folder| folder.is_absolute());
        data.or_else(|| set("HOME").map(|home| home.join(".local/share")))
    };
    let data = data.context("there is no home folder to keep tables in: give one with --folder or LUDENS_TABLES")?;
    Ok(data.join("ludens").join("tables"))
}

/// The memory that is free for programs, in bytes, where the system tells.
pub fn available() -> Option<u64> {
    // This file exists on Linux only.
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// What may be used: what `--memory` says, else three quarters of what is free, else 2 GiB.
pub fn budget(memory: Option<u64>) -> u64 {
    match memory {
        Some(mebibytes) => mebibytes.saturating_mul(1 << 20),
        None => available().map_or(2 << 30, |free| free / 4 * 3),
    }
}

/// Refuses work that needs more memory than may be used.
pub fn check(what: &str, needed: u64, memory: Option<u64>) -> Result<()> {
    let budget = budget(memory);
    if needed <= budget {
        return Ok(());
    }
    let why = match memory {
        Some(mebibytes) => format!("--memory allows {mebibytes} MiB"),
        None => {
            format!("{} may be used, three quarters of what is free; --memory MiB sets another limit", size(budget))
        }
    };
    bail!("{what} needs {} of memory: {why}", size(needed))
}

/// A number of bytes for people.
pub fn size(bytes: u64) -> String {
    match bytes {
        b if b < 10 << 10 => format!("{b} bytes"),
        b if b < 10 << 20 => format!("{} KiB", b >> 10),
        b if b < 10 << 30 => format!("{} MiB", b >> 20),
        b => format!("{:.1} GiB", b as f64 / f64::from(1 << 30)),
    }
}

/// A name as part of a file name: letters, digits and hyphens.
pub fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' };
    let stem = Path::new(name).file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    let stem = match stem.as_str() {
        // A folder is called after its game, its rulesheet is not.
        "rules" => {
            Path::new(name).parent().and_then(Path::file_name).map(|folder| folder.to_string_lossy().into_owned())
        }
        _ => None,
    }
    .unwrap_or(stem);
    stem.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_file_names() {
        assert_eq!(file_name("tic-tac-toe"), "tic-tac-toe");
        assert_eq!(file_name("a/b/my game.kif"), "my-game");
        assert_eq!(file_name("games/nim/rules.kif"), "nim");
        assert_eq!(file_name("standard input"), "standard-input");
    }

    #[test]
    fn what_is_too_large_is_refused() {
        assert!(check("it", 1 << 20, Some(1)).is_ok());
        let error = check("KQKR", (1 << 20) + 1, Some(1)).unwrap_err().to_string();
        assert!(error.contains("KQKR") && error.contains("--memory"), "{error}");
        assert!(check("it", u64::MAX, None).is_err());
    }

    #[test]
    fn a_given_folder_comes_first() {
        assert_eq!(folder(Some(Path::new("here"))).unwrap(), Path::new("here"));
    }
}
