//! Checks on all texts: white space, things that belong to one machine only, links that lead nowhere.

use super::Finding;
use crate::tree::{File, Tree};

/// No white space at the end of a line, a newline at the end of a file, no tabs in Rust.
pub fn white_space(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        let Some(text) = &file.text else { continue };
        for (number, line) in (1..).zip(text.split('\n')) {
            if line.ends_with(char::is_whitespace) {
                findings.push(Finding::new(&file.path, number, "white space at the end of the line; remove it"));
            }
            if file.is_rust() && line.contains('\t') {
                findings.push(Finding::new(&file.path, number, "a tab; write spaces, or \\t inside a string"));
            }
        }
        if !text.is_empty() && !text.ends_with('\n') {
            let last = text.lines().count();
            findings.push(Finding::new(&file.path, last, "no newline at the end of the file; add one"));
        }
    }
    findings
}

/// Folders that exist on one machine and not on another.
const MACHINE_FOLDERS: [&str; 4] =
    [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/t", "mp/")];

/// No path that is true only on somebody's machine.
pub fn machine_paths(tree: &Tree) -> Vec<Finding> {
    in_lines(tree, |line| {
        let folder =
            MACHINE_FOLDERS.iter().find(|folder| line.match_indices(**folder).any(|(at, _)| begins(line, at)))?;
        Some(format!("`{folder}…` is a path of one machine; write it from the project's root, or ask the system"))
    })
}

/// Whether a path begins here, and not in the middle of a longer one such as `a/b` or `https://host/b`.
fn begins(line: &str, at: usize) -> bool {
    !line[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '}' | ')'))
}

/// Signs of where packages are downloaded from.
const REGISTRIES: [&str; 6] = [
    concat!("sparse", "+http"),
    concat!("registry", "+http"),
    concat!("index.crates", ".io"),
    concat!("static.crates", ".io"),
    concat!("replace", "-with"),
    concat!("[registries", "."),
];

/// The one source that the lock file may name; mirrors are put in its place by each machine's own settings.
const PUBLIC: &str = concat!("registry", "+https://github.com/rust-lang/crates.io-index");

/// No word about where packages come from, except in the lock file, and there only the public registry.
pub fn registries(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        let lock = file.name() == "Cargo.lock";
        for (number, line) in file.lines() {
            if lock && line.starts_with("source = ") && !line.contains(PUBLIC) {
                let message = "a package from another source than the public registry; take it from there";
                findings.push(Finding::new(&file.path, number, message));
            }
            if !lock && let Some(sign) = REGISTRIES.iter().find(|sign| line.contains(**sign)) {
                let message =
                    format!("`{sign}` says where packages come from; that belongs to a machine's own settings");
                findings.push(Finding::new(&file.path, number, message));
            }
        }
    }
    findings
}

/// Links in Markdown to files of the project lead to files that exist.
pub fn links(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.path.ends_with(".md")) {
        for (number, line) in file.lines() {
            for (at, _) in line.match_indices("](") {
                let Some((target, _)) = line[at + 2..].split_once(')') else { continue };
                let target = target.split('#').next().unwrap_or("");
                if target.is_empty() || target.contains(':') {
                    continue;
                }
                if !tree.has(&from(file, target)) {
                    let message = format!("the link to `{target}` leads nowhere; correct it");
                    findings.push(Finding::new(&file.path, number, message));
                }
            }
        }
    }
    findings
}

/// A path written relative to a file, from the root.
fn from(file: &File, target: &str) -> String {
    let mut parts: Vec<&str> = file.path.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn in_lines(tree: &Tree, look: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.name() != "Cargo.lock") {
        for (number, line) in file.lines() {
            findings.extend(look(line).map(|message| Finding::new(&file.path, number, message)));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::assert_found;
    use super::*;

    #[test]
    fn white_space_is_found() {
        assert_found(white_space, &[("a.rs", "//! Fine.\n\nfn a() {}\n")], 0, "");
        assert_found(white_space, &[("a.md", "one\ntwo \n")], 1, "a.md:2: white space");
        assert_found(white_space, &[("a.md", "one\r\n")], 1, "a.md:1: white space");
        assert_found(white_space, &[("a.rs", "fn a() {\n\tb();\n}\n")], 1, "a.rs:2: a tab");
        assert_found(white_space, &[("Makefile", "a:\n\tb\n")], 0, "");
        assert_found(white_space, &[("a.md", "one\ntwo")], 1, "a.md:2: no newline");
        assert_found(white_space, &[("empty", "")], 0, "");
    }

    #[test]
    fn machine_paths_are_found() {
        for folder in MACHINE_FOLDERS {
            assert_found(machine_paths, &[("a.md", &format!("one\nsee {folder}x\n"))], 1, "a.md:2: ");
            assert_found(
                machine_paths,
                &[("a.md", &format!("games{folder}x, ..{folder}x, http://a.b{folder}\n"))],
                0,
                "",
            );
            assert_found(machine_paths, &[("Cargo.lock", folder)], 0, "");
        }
    }

    #[test]
    fn registries_are_found() {
        let config = format!("[source.x]\nregistry = \"{}s://host/\"\n", REGISTRIES[0]);
        assert_found(registries, &[(".cargo/config.toml", &config)], 1, ".cargo/config.toml:2: ");
        assert_found(registries, &[("Cargo.lock", &format!("source = \"{PUBLIC}\"\n"))], 0, "");
        assert_found(registries, &[("Cargo.lock", "source = \"git+https://host/x\"\n")], 1, "Cargo.lock:1: ");
        assert_found(registries, &[("README.md", "see https://crates.io and https://docs.rs\n")], 0, "");
    }

    #[test]
    fn links_are_followed() {
        let files = |link| [("docs/a.md", link), ("docs/b.md", "b\n"), ("README.md", "r\n")];
        assert_found(
            links,
            &files("[b](b.md#part), [up](../README.md), [d](../docs), [web](https://a.b/c), [here](#x)\n"),
            0,
            "",
        );
        assert_found(links, &files("\n[b](c.md)\n"), 1, "docs/a.md:2: the link to `c.md`");
    }
}
