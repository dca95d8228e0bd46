//! How much memory there is.

use anyhow::{Result, bail};
use std::fs;
use std::path::Path;

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::env;

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
}
