//! Chores for people who work on Ludens: `cargo xtask help` lists them.

#![forbid(unsafe_code)]

mod python;
mod record;
mod test;
mod tidy;
mod tree;

use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
Chores for people who work on Ludens.

Usage: cargo xtask COMMAND

Commands:
  test                    everything that CI checks; needs nothing but the Rust toolchain
  tidy                    only the checks on the texts: layout, names, forbidden words
  record [--all] [GAME…]  write games/GAME/playthrough.txt anew: for the games named, for all of them, or (without
                          either) for those that have none
  help                    this text

Exit status: 0 fine; 1 something has to be put right; 2 wrong usage, or the command itself could not work.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Does what was asked; tells whether all is well.
fn run(args: &[String]) -> Result<bool> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["test"] => test::run(&root()?),
        ["tidy"] => tidy::run(&root()?),
        ["record", ref rest @ ..] => record::run(&root()?, rest),
        ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(true)
        }
        [] => bail!("a command is missing\n\n{HELP}"),
        _ => bail!("`{}` is no command\n\n{HELP}", words.join(" ")),
    }
}

/// The folder of the workspace: the one above this package.
fn root() -> Result<PathBuf> {
    let own = std::env::var_os("CARGO_MANIFEST_DIR").context("start this with `cargo xtask`")?;
    let own = PathBuf::from(own);
    let root = own.parent().with_context(|| format!("{} has no folder above it", own.display()))?;
    Ok(root.to_path_buf())
}
