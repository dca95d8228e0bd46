//! Embeds what the pages show: for every folder of `lab/` the question, the reports and the figures; and the pictures of the library's games.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-changed=build.rs");
    fs::write(out.join("papers.rs"), papers(&own.join("../../lab"))?)?;
    fs::write(out.join("pictures.rs"), pictures(&own.join("pictures"))?)
}

/// A table of the pictures, by the name of the game.
fn pictures(folder: &Path) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut table = String::from("&[\n");
    for file in sorted(folder).into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "svg")) {
        let Some(name) = file.file_stem().and_then(|name| name.to_str()) else { continue };
        let _ = writeln!(table, "    ({name:?}, include_str!({:?})),", fs::canonicalize(&file)?);
    }
    table.push_str("]\n");
    Ok(table)
}

/// A table of the experiments.
fn papers(root: &Path) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", root.display());
    let mut table = String::from("&[\n");
    for folder in sorted(root) {
        let (Some(name), question) = (folder.file_name().and_then(|name| name.to_str()), folder.join("question.md"))
        else {
            continue;
        };
        if !question.is_file() {
            continue;
        }
        let question = fs::canonicalize(question)?;
        let _ = writeln!(table, "    Paper {{ name: {name:?}, question: include_str!({question:?}), files: &[");
        let shown = |path: &Path| path.extension().is_some_and(|ending| ending == "md" || ending == "svg");
        for file in sorted(&folder.join("results")).into_iter().filter(|file| shown(file)) {
            let Some(own) = file.file_name().and_then(|name| name.to_str()) else { continue };
            let _ = writeln!(table, "        ({own:?}, include_str!({:?})),", fs::canonicalize(&file)?);
        }
        table.push_str("    ] },\n");
    }
    table.push_str("]\n");
    Ok(table)
}

/// What is in a folder; nothing if there is none.
fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.sort();
    found
}
