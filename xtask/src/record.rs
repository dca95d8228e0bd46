//! `cargo xtask record`: playthroughs for the games of the library, written by the program itself.

use crate::test::{build_release, ludens};
use crate::tree::Tree;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::Path;

/// Every playthrough is the random game of this seed, so that anyone who records it again gets the same.
const SEED: &str = "1";
/// The longest playthrough, in moves.
const MOST_MOVES: usize = 200;
/// The largest playthrough, in bytes. Games with hundreds of moves in each state are recorded for fewer moves.
const MOST_BYTES: usize = 200_000;

/// Runs the command; tells whether all games could be recorded.
pub fn run(root: &Path, args: &[&str]) -> Result<bool> {
    let tree = Tree::read(root)?;
    let games = chosen(&tree, args)?;
    if games.is_empty() {
        println!("every game has its playthrough; `cargo xtask record --all` writes all of them anew");
        return Ok(true);
    }
    // Built once and then called directly: the games are part of the program, so cargo would build it anew each time.
    ensure!(build_release(root)?, "the program could not be built");
    let mut fine = true;
    for game in games {
        match record(root, game) {
            Ok(text) => println!("{game}: {} states, {} bytes", states(&text), text.len()),
            Err(error) => {
                println!("{game}: FAILED: {error:#}");
                fine = false;
            }
        }
    }
    Ok(fine)
}

/// The games to record.
fn chosen<'a>(tree: &'a Tree, args: &[&'a str]) -> Result<Vec<&'a str>> {
    let known = tree.folders("games");
    match args {
        ["--all"] => Ok(known),
        [] => Ok(known.into_iter().filter(|game| !tree.has(&format!("games/{game}/playthrough.txt"))).collect()),
        names => {
            if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
                bail!("there is no folder games/{unknown}");
            }
            Ok(names.to_vec())
        }
    }
}

/// Records a game and writes it down, with as many moves as its size allows.
fn record(root: &Path, game: &str) -> Result<String> {
    let rules = format!("games/{game}/rules.kif");
    let mut most = MOST_MOVES;
    loop {
        let words = ["record", &rules, "--seed", SEED, "--most", &most.to_string()];
        let output = ludens(root, &words)?.output().context("cannot start ludens")?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
        let text = String::from_utf8(output.stdout).context("ludens wrote something that is not text")?;
        if text.len() <= MOST_BYTES || most == 1 {
            fs::write(root.join(format!("games/{game}/playthrough.txt")), &text)?;
            return Ok(text);
        }
        most = fewer(most, states(&text), text.len());
    }
}

/// How many moves to try after a recording of `states` states took too many `bytes`.
fn fewer(most: usize, states: usize, bytes: usize) -> usize {
    // What is left out may be larger or smaller than the average, so a little less than the share that should fit.
    let share = states * MOST_BYTES / bytes * 9 / 10;
    share.clamp(1, most - 1)
}

fn states(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with("state ")).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chooses_games() {
        let tree =
            Tree::of(&[("games/hex/rules.kif", ""), ("games/nim/rules.kif", ""), ("games/nim/playthrough.txt", "")]);
        assert_eq!(chosen(&tree, &[]).unwrap(), ["hex"]);
        assert_eq!(chosen(&tree, &["--all"]).unwrap(), ["hex", "nim"]);
        assert_eq!(chosen(&tree, &["nim"]).unwrap(), ["nim"]);
        assert!(chosen(&tree, &["go"]).is_err());
    }

    #[test]
    fn shortens_until_it_fits() {
        let (mut most, mut rounds) = (MOST_MOVES, 0);
        while most > 1 {
            most = fewer(most, most + 1, (most + 1) * 250_000);
            rounds += 1;
        }
        assert!(rounds < 5, "{rounds}");
        assert_eq!(states("playthrough: x\nstate 0\n  + a\nstate 1\n"), 2);
    }
}
