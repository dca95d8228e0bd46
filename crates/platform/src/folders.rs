//! Where tables are kept, whether something can be stored there, and small files that are read whole.

use crate::memory::size;
use anyhow::{Context, Result, bail};
use directories::ProjectDirs;
use std::env;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The folder of tables: the one given, else `LUDENS_TABLES`, else the platform's place for a program's data.
pub fn tables(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(folder) = given {
        return Ok(folder.to_path_buf());
    }
    if let Some(folder) = env::var_os("LUDENS_TABLES").filter(|value| !value.is_empty()) {
        return Ok(PathBuf::from(folder));
    }
    let dirs = ProjectDirs::from("", "", "ludens");
    let dirs = dirs.context("there is no home folder to keep tables in: give one with --folder or LUDENS_TABLES")?;
    Ok(dirs.data_local_dir().join("tables"))
}

/// The folder of what the studio keeps: the one given, else `LUDENS_STUDIO`, else the platform's place for a program's data.
///
/// # Errors
/// When there is no such place.
pub fn studio(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(folder) = given {
        return Ok(folder.to_path_buf());
    }
    if let Some(folder) = env::var_os("LUDENS_STUDIO").filter(|value| !value.is_empty()) {
        return Ok(PathBuf::from(folder));
    }
    let dirs = ProjectDirs::from("", "", "ludens");
    let dirs = dirs.context("there is no home folder to keep matches in: give one with --folder or LUDENS_STUDIO")?;
    Ok(dirs.data_local_dir().join("studio"))
}

/// Removes a file, if it is there and that can be done.
pub fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}

/// Makes the folder that a file is to be in.
///
/// # Errors
/// When that fails.
pub fn make_for(path: &Path) -> Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => {
            fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))
        }
        None => Ok(()),
    }
}

/// The option that names a folder of tables in a command, if one was given: hints have to keep it.
pub fn option(given: Option<&Path>) -> String {
    let Some(folder) = given.map(|folder| folder.display().to_string()) else { return String::new() };
    let plain = |c: char| c.is_alphanumeric() || "/._-+\\:~".contains(c);
    if folder.chars().all(plain) { format!(" --folder {folder}") } else { format!(" --folder '{folder}'") }
}

/// Makes sure, before the work, that a folder can be written and, where the system tells, that so many bytes fit in.
pub fn writable(folder: &Path, bytes: Option<u64>) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let path = folder.join(format!(".writable.{}", std::process::id()));
    let tried = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(&path)
        .and_then(|mut file| file.write_all(b"x"));
    let _ = fs::remove_file(&path);
    tried.with_context(|| format!("nothing can be stored in {}", folder.display()))?;
    if let (Some(bytes), Some(free)) = (bytes, free_space(folder))
        && bytes > free
    {
        bail!(
            "the tables need {} in {}, where {} are free (--compress and --small take less; --folder DIR names another place)",
            size(bytes),
            folder.display(),
            size(free)
        );
    }
    Ok(())
}

/// The bytes that still fit where a folder is, or would be made, where the system tells.
pub fn free(folder: &Path) -> Option<u64> {
    let there = folder.ancestors().find(|folder| folder.is_dir());
    free_space(there.unwrap_or(Path::new(".")))
}

/// The bytes that still fit into the file system of a folder.
#[cfg(unix)]
fn free_space(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    about.f_bavail.checked_mul(about.f_frsize)
}

#[cfg(not(unix))]
fn free_space(_: &Path) -> Option<u64> {
    None
}

/// The text of a file that is to be read whole, if it is no longer than so many bytes.
///
/// # Errors
/// When it cannot be read, is longer, or is no text.
pub fn text(path: &Path, most: u64) -> Result<String> {
    let mut text = String::new();
    let read = fs::File::open(path).and_then(|file| file.take(most + 1).read_to_string(&mut text));
    read.with_context(|| format!("cannot read {}", path.display()))?;
    if text.len() as u64 > most {
        bail!("{} is longer than {}", path.display(), size(most));
    }
    Ok(text)
}

/// The folders in a folder, sorted; none if there is no such folder.
pub fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// The files of a folder that have this ending, sorted; none if there is no such folder.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|own| own == ending)).collect();
    files.sort();
    files
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
    fn a_folder_is_tried_before_the_work() {
        let folder = env::temp_dir().join(format!("ludens-writable-{}", std::process::id()));
        writable(&folder, Some(1)).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "nothing is left");
        if cfg!(unix) {
            let error = writable(&folder, Some(u64::MAX)).unwrap_err().to_string();
            assert!(error.contains("--compress") && error.contains("are free"), "{error}");
        }
        let file = folder.join("file");
        fs::write(&file, "").unwrap();
        assert!(writable(&file.join("below"), None).is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn hints_keep_the_folder() {
        assert_eq!(option(None), "");
        assert_eq!(option(Some(Path::new("a/b"))), " --folder a/b");
        assert_eq!(option(Some(Path::new("my tables"))), " --folder 'my tables'");
    }

    #[test]
    fn a_given_folder_comes_first() {
        assert_eq!(tables(Some(Path::new("here"))).unwrap(), Path::new("here"));
    }
}
