//! Embeds the game library: writes a table of `include_str!` for every folder of `games/` that has a rulesheet, so that
//! the binary works anywhere and the texts stay plain files.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../games");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut folders: Vec<PathBuf> = match fs::read_dir(&root) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?,
        Err(_) => {
            println!("cargo::warning=no games/ folder beside the crates: the library will be empty");
            Vec::new()
        }
    };
    folders.retain(|folder| folder.join("rules.kif").is_file());
    folders.sort();
    let mut table = String::from("&[\n");
    for folder in &folders {
        let Some(name) = folder.file_name().and_then(|name| name.to_str()) else { continue };
        let _ = writeln!(table, "    Entry {{");
        let _ = writeln!(table, "        name: {name:?},");
        let _ = writeln!(table, "        rules: include_str!({:?}),", fs::canonicalize(folder.join("rules.kif"))?);
        for (field, file) in [
            ("about", "about.md"),
            ("board", "board.toml"),
            ("perft", "perft.toml"),
            ("playthrough", "playthrough.txt"),
        ] {
            let _ = writeln!(table, "        {field}: {},", optional(&folder.join(file)));
        }
        let _ = writeln!(table, "    }},");
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("library.rs");
    fs::write(out, table)
}

/// The expression for a file that may be missing.
fn optional(file: &Path) -> String {
    match fs::canonicalize(file) {
        Ok(path) => format!("Some(include_str!({path:?}))"),
        Err(_) => "None".to_string(),
    }
}
