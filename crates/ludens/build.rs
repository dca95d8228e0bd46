//! The version with the commit it was built from, where there is a repository and git to ask.

use std::path::Path;
use std::process::Command;

fn main() {
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let commit = git(&["rev-parse", "--short", "HEAD"]);
    let version = commit.map_or(version.clone(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=LUDENS_VERSION={version}");
    println!("cargo::rerun-if-changed=build.rs");
    // These files change when HEAD moves: the branch, what is checked out, and the log of both.
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for name in [Some("HEAD"), Some("logs/HEAD"), Some("packed-refs"), branch.as_deref()].into_iter().flatten() {
        // A file that is not there would be taken for one that changes all the time.
        if let Some(path) = git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// What git answers, if this is a repository of its own: a package unpacked inside somebody else's is not.
fn git(args: &[&str]) -> Option<String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tracked =
        Command::new("git").args(["ls-files", "--error-unmatch", "build.rs"]).current_dir(own).output().ok()?;
    let output = Command::new("git").args(args).current_dir(own).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_string();
    (tracked.status.success() && output.status.success() && !text.is_empty()).then_some(text)
}
