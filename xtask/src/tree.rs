//! The project's files, read into memory, so that checks work on values and can be tested without a disk.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// A file of the project.
pub struct File {
    /// Its path from the root of the workspace, with `/` between the parts.
    pub path: String,
    /// What is in it; `None` if that is not text.
    pub text: Option<String>,
}

impl File {
    /// The path's last part.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Whether it is Rust.
    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The lines of a text, with their numbers; none if it is not text.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.as_deref().unwrap_or("").lines())
    }
}

/// All files that belong to the project, sorted by path.
pub struct Tree {
    /// The files.
    pub files: Vec<File>,
}

impl Tree {
    /// Reads everything below `root` except what `.gitignore` names and git's own folder. It does not ask git, so that it
    /// works on an unpacked archive too.
    pub fn read(root: &Path) -> Result<Tree> {
        let ignored = fs::read_to_string(root.join(".gitignore")).context("cannot read .gitignore")?;
        let ignored = Ignored::parse(&ignored)?;
        let mut files = Vec::new();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            let place = root.join(&folder);
            let entries = fs::read_dir(&place).with_context(|| format!("cannot read {}", place.display()))?;
            for entry in entries {
                let entry = entry?;
                let name = entry.file_name();
                let name = name.to_str().with_context(|| format!("{} is a strange name", entry.path().display()))?;
                let path = if folder.is_empty() { name.to_string() } else { format!("{folder}/{name}") };
                if path == ".git" || ignored.covers(&path) {
                    continue;
                }
                let kind = entry.file_type()?;
                if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_file() {
                    let bytes = fs::read(entry.path()).with_context(|| format!("cannot read {path}"))?;
                    files.push(File { path, text: String::from_utf8(bytes).ok() });
                }
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Tree { files })
    }

    /// The file of this path.
    pub fn find(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Whether there is such a file or folder.
    pub fn has(&self, path: &str) -> bool {
        let inside = format!("{path}/");
        self.files.iter().any(|file| file.path == path || file.path.starts_with(&inside))
    }

    /// The names of the folders directly in this one, sorted.
    pub fn folders(&self, folder: &str) -> Vec<&str> {
        let inside = format!("{folder}/");
        let below = self.files.iter().filter_map(|file| file.path.strip_prefix(&inside));
        let mut names: Vec<&str> = below.filter_map(|rest| Some(rest.split_once('/')?.0)).collect();
        names.dedup();
        names
    }

    /// A tree of these paths and texts.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Tree {
        let file = |&(path, text): &(&str, &str)| File { path: path.to_string(), text: Some(text.to_string()) };
        let mut files: Vec<File> = files.iter().map(file).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Tree { files }
    }
}

/// What `.gitignore` names. Two forms are enough here: `/path/from/the/root` and `*.ending`.
struct Ignored {
    paths: Vec<String>,
    endings: Vec<String>,
}

impl Ignored {
    fn parse(text: &str) -> Result<Ignored> {
        let mut ignored = Ignored { paths: Vec::new(), endings: Vec::new() };
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match (line.strip_prefix('/'), line.strip_prefix("*.")) {
                (Some(path), _) if !path.contains(['*', '?', '[']) => {
                    ignored.paths.push(path.trim_end_matches('/').to_string());
                }
                (_, Some(ending)) if !ending.contains(['*', '?', '[', '/']) => {
                    ignored.endings.push(format!(".{ending}"))
                }
                _ => bail!(".gitignore: `{line}` is neither /PATH nor *.ENDING; xtask understands only these two"),
            }
        }
        Ok(ignored)
    }

    fn covers(&self, path: &str) -> bool {
        self.paths.iter().any(|ignored| path == ignored) || self.endings.iter().any(|ending| path.ends_with(ending))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignores_what_gitignore_names() {
        let ignored = Ignored::parse("# built\n/target\n/fuzz/corpus/\n\n*.tmp\n").unwrap();
        assert!(ignored.covers("target") && ignored.covers("fuzz/corpus") && ignored.covers("games/nim/x.tmp"));
        assert!(!ignored.covers("crates/target") && !ignored.covers("fuzz") && !ignored.covers("targets"));
        assert!(Ignored::parse("build/*/out\n").is_err());
    }

    #[test]
    fn knows_folders() {
        let tree = Tree::of(&[("games/nim/rules.kif", ""), ("games/hex/about.md", ""), ("games/README.md", "")]);
        assert_eq!(tree.folders("games"), ["hex", "nim"]);
        assert!(tree.has("games") && tree.has("games/nim/rules.kif") && !tree.has("games/ni"));
        assert_eq!(tree.find("games/hex/about.md").map(File::name), Some("about.md"));
    }
}
