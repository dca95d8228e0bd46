//! Where tables are kept, and how much memory there is to build them in.

use anyhow::{Context, Result, bail};
use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write;
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
            "the tables need {} in {}, where {} are free (--compress takes less; --folder DIR names another place)",
            size(bytes),
            folder.display(),
            size(free)
        );
    }
    Ok(())
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

/// The memory that is free for this program, in bytes, where the system tells.
pub fn available() -> Option<u64> {
    // These files exist on Linux only.
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let room = room_in_groups(Path::new("/sys/fs/cgroup"), &groups);
    Some((kibibytes * 1024).min(room.unwrap_or(u64::MAX)))
}

/// What the control groups of a process, listed as in `/proc/self/cgroup`, leave it of their memory. The limit of every group
/// that one is in counts too.
fn room_in_groups(root: &Path, groups: &str) -> Option<u64> {
    let mut least = None;
    for line in groups.lines() {
        let [_, controllers, path] = line.splitn(3, ':').collect::<Vec<_>>()[..] else { continue };
        let (base, names) = if controllers.is_empty() {
            (root.to_path_buf(), ["memory.max", "memory.current", "inactive_file "])
        } else if controllers.split(',').any(|controller| controller == "memory") {
            (root.join("memory"), ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "])
        } else {
            continue;
        };
        // In a container the path may be that of the host; then only the root is there.
        let mut folder = base.join(path.trim_start_matches('/'));
        while folder.starts_with(&base) {
            least = least.into_iter().chain(room_in_group(&folder, names)).min();
            if !folder.pop() {
                break;
            }
        }
    }
    least
}

/// The limit of one group without what is in use. Files that the system keeps in memory and can forget do not count.
fn room_in_group(folder: &Path, [limit, used, idle]: [&str; 3]) -> Option<u64> {
    let number = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    let limit = number(limit)?;
    let about = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let idle = about.lines().find_map(|line| line.strip_prefix(idle)?.trim().parse::<u64>().ok()).unwrap_or(0);
    Some(limit.saturating_sub(number(used).unwrap_or(0).saturating_sub(idle)))
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
    fn control_groups_limit_the_memory() {
        let root = env::temp_dir().join(format!("ludens-groups-{}", std::process::id()));
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert_eq!(room_in_groups(&root, "0::/a/b\n"), None);
        // The second version: the group in between has the limit.
        write("a/b/memory.max", "max\n");
        write("a/memory.max", "1000000\n");
        write("a/memory.current", "300000\n");
        write("a/memory.stat", "anon 5\ninactive_file 100000\n");
        assert_eq!(room_in_groups(&root, "0::/a/b\n"), Some(800_000));
        write("a/b/memory.max", "500\n");
        assert_eq!(room_in_groups(&root, "0::/a/b\n"), Some(500));
        assert_eq!(room_in_groups(&root, "0::/not/here\n"), None);
        // The first one, seen from a container: the path is not there, the root is.
        write("memory/memory.limit_in_bytes", "4096\n");
        write("memory/memory.usage_in_bytes", "8192\n");
        assert_eq!(room_in_groups(&root, "3:cpu:/x\n4:memory:/docker/77\n0::/\n"), Some(0));
        fs::remove_dir_all(root).unwrap();
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
        assert_eq!(folder(Some(Path::new("here"))).unwrap(), Path::new("here"));
    }
}
