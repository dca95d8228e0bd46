//! The games of a number, added up; as they stand in results.json, and read from there again.

use super::cells::{Cell, Named};
use super::duel::Played;
use anyhow::{Context, Result, ensure};
use play::score::Tally;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// Games added up: who won them, and what they cost the first and the second player.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// Games that the first player won.
    pub won: u64,
    /// Games that went on for too long.
    pub drawn: u64,
    /// Games that the second player won.
    pub lost: u64,
    /// Plies of all games.
    pub plies: u64,
    /// Expansions of nodes.
    pub expansions: [u64; 2],
    /// Playouts.
    pub playouts: [u64; 2],
    /// Seconds of processor time.
    pub seconds: [f64; 2],
    /// Moves.
    pub moves: [u64; 2],
}

impl Counts {
    /// Counts a game.
    pub fn add(&mut self, played: &Played) {
        *match played.winner {
            Some(0) => &mut self.won,
            Some(_) => &mut self.lost,
            None => &mut self.drawn,
        } += 1;
        self.plies += played.plies;
        for at in 0..2 {
            self.expansions[at] += played.nodes[at];
            self.playouts[at] += played.playouts[at];
            self.seconds[at] += played.seconds[at];
            self.moves[at] += played.moves[at];
        }
    }

    /// The first player's results.
    pub fn tally(&self) -> Tally {
        Tally { wins: self.won, draws: self.drawn, losses: self.lost, ..Tally::default() }
    }
}

/// What tells a number of a results.json from the others.
#[derive(PartialEq, Debug, Serialize, Deserialize)]
struct Key {
    part: String,
    first: String,
    second: String,
    spending: String,
    settings: [String; 2],
}

impl Key {
    fn new(cell: &Cell) -> Key {
        let settings = |named: &Named| {
            // Files from before these settings do not have them; who has them off is the same player.
            let player = format!("{:?}", named.player).replace("prior: 0.0, keep: false, ", "");
            match named.share {
                1.0 => player,
                share => format!("{player}, {share} of the spending"),
            }
        };
        let [first, second] = cell.players.each_ref().map(|named| named.name.clone());
        Key {
            part: cell.part.to_string(),
            first,
            second,
            spending: cell.spending.to_string(),
            settings: cell.players.each_ref().map(settings),
        }
    }
}

/// A number of a results.json with its games.
#[derive(Serialize, Deserialize)]
pub struct Written {
    #[serde(flatten)]
    key: Key,
    #[serde(flatten)]
    counts: Counts,
}

impl Written {
    /// The games of a cell.
    pub fn new(cell: &Cell, counts: &Counts) -> Written {
        Written { key: Key::new(cell), counts: counts.clone() }
    }
}

/// What an earlier run has written; nothing, perhaps.
#[derive(Default, Deserialize)]
pub struct Earlier {
    seed: u64,
    cells: Vec<Written>,
}

impl Earlier {
    /// Reads a results.json of a run with this seed. Its games of a number are those from 0 on.
    ///
    /// # Errors
    /// When it cannot be read, or was made with another seed.
    pub fn read(path: &Path, seed: u64) -> Result<Earlier> {
        let shown = path.display();
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
        let earlier: Earlier =
            serde_json::from_str(&text).with_context(|| format!("{shown} is no results.json of `lab roschke`"))?;
        ensure!(
            earlier.seed == seed,
            "{shown} was made with seed {0}; go on with `--seed {0}`, or play anew without `--onto`",
            earlier.seed
        );
        Ok(earlier)
    }

    /// Whether it has games of one of these cells.
    pub fn knows_any(&self, cells: &[Cell]) -> bool {
        cells.iter().any(|cell| self.cells.iter().any(|written| written.key == Key::new(cell)))
    }

    /// The games of a cell: those of the same players with the same settings and the same to spend.
    pub fn counts(&self, cell: &Cell) -> Counts {
        let key = Key::new(cell);
        self.cells.iter().find(|written| written.key == key).map(|written| written.counts.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells;
    use super::*;
    use crate::args::RoschkeArgs;
    use clap::Parser;
    use serde_json::json;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: RoschkeArgs,
    }

    fn all(line: &[&str]) -> Vec<Cell> {
        cells::all(&Line::parse_from([&["roschke"], line].concat()).args)
    }

    fn file(name: &str, value: &serde_json::Value) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("ludens-roschke-{}-{name}.json", std::process::id()));
        fs::write(&path, value.to_string()).unwrap();
        path
    }

    #[test]
    fn what_is_written_reads_back_for_the_same_number_only() {
        let cells = all(&["table3", "readings"]);
        let counts = Counts { won: 3, drawn: 1, lost: 2, plies: 400, seconds: [1.5, 2.25], ..Counts::default() };
        let written = json!({ "seed": 5, "cells": [Written::new(&cells[4], &counts)], "more": "is passed over" });
        let path = file("back", &written);
        let earlier = Earlier::read(&path, 5).unwrap();
        for (at, cell) in cells.iter().enumerate() {
            assert_eq!(earlier.counts(cell), if at == 4 { counts.clone() } else { Counts::default() });
        }
        assert!(earlier.knows_any(&cells) && !earlier.knows_any(&cells[..4]));
        // The same names with another budget are other games.
        assert!(all(&["table3", "--quick"]).iter().all(|cell| earlier.counts(cell) == Counts::default()));
        let error = Earlier::read(&path, 6).err().unwrap().to_string();
        assert!(error.contains("--seed 5"), "{error}");
        fs::remove_file(path).unwrap();
        let path = file("none", &json!([1]));
        assert!(Earlier::read(&path, 1).err().unwrap().to_string().contains("is no results.json"));
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn players_of_older_files_are_known() {
        let cells = all(&["table3"]);
        let heur = cells.iter().find(|cell| cell.players[0].name == "heur0").unwrap();
        let old = "Uct(UctSettings { moves: Forward, threshold: 32, random: 0.43, length: 0.05, c: 0.25, evaluation: Depth { depth: 13, weight: 0.3 } })";
        assert_eq!(Key::new(heur).settings[0], old);
    }

    #[test]
    fn numbers_can_be_picked() {
        let names = |cells: &[Cell]| cells.iter().map(|cell| cell.players[0].name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&all(&["readings", "--with", "end0 halved"])), ["end0 halved", "base0"]);
        assert_eq!(all(&["table4", "--columns", "2"]).len(), 12);
        assert_eq!(all(&["table5"]).len(), 24);
        let ids: std::collections::BTreeSet<String> = all(&[]).into_iter().map(|cell| cell.id).collect();
        assert_eq!(ids.len(), all(&[]).len(), "every number has its own name in the journal");
    }

    #[test]
    fn whoever_has_half_spends_half() {
        let halved = &all(&["readings", "--with", "end0 halved"])[0];
        assert_eq!(
            halved.players.each_ref().map(|player| halved.spending.part(player.share).to_string()),
            ["50000 expansions", "100000 expansions"]
        );
    }
}
