//! `ludens lab roschke`: UCT with the distance table of Chinese checkers, beside the tables of Roschke and Sturtevant (2013).
//!
//! A *cell* is one number of a table: a player that begins, another that answers, what both may spend on a move, and the games
//! to be played. Every game is kept as it ends, one of each cell before the second of any, so an interrupted run has something
//! of everything and goes on where it ended.

mod cells;
mod counts;
mod duel;
mod remote;
mod report;

pub use remote::{KIND, Remote};

use crate::args::RoschkeArgs;
use abstraction::alone::Alone;
use anyhow::{Context, Result, bail, ensure};
use cells::{Cell, Spending};
use chinese::Kit;
use counts::Earlier;
use duel::{Played, play};
use host::journal::Journal;
use host::many;
use native::chinese::{ChineseCheckers, Win};
use platform::{Interrupt, folders, save};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use table::chinese::{Distances, Space, Spec};
use table::store::Store;
use terminal::{Answer, Out, Progress, text};

/// Rows of the board, and pieces a side.
const SIDE: usize = 9;
const PIECES: usize = 6;

/// What was found, for programs.
const RESULTS: &str = "results.json";

/// The tables of the paper, and what stands beside them.
pub const PARTS: [&str; 7] = ["table1", "table3", "table4", "table5", "ours", "memory", "readings"];

/// A game that is still to be played.
struct Open<'a> {
    cell: &'a Cell,
    number: u64,
}

/// One kit for each player of a cell: they may have different parts of the table in memory.
fn of_players<'a>(kits: &'a BTreeMap<Option<u64>, Kit>, cell: &Cell) -> Result<[&'a Kit; 2]> {
    let [first, second] = cell.players.each_ref().map(|player| kits.get(&player.memory));
    first.zip(second).map(|(first, second)| [first, second]).context("a player is not ready")
}

/// Runs the experiment.
///
/// # Errors
/// When the table is missing or damaged, something cannot be written, or the run is interrupted.
pub fn run(args: &RoschkeArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let cancel = interrupt.cancel();
    let cells = cells::all(args);
    let is_played = |name: &&String| cells.iter().flat_map(|cell| &cell.players).any(|player| player.name == **name);
    if let Some(name) = args.with.iter().find(|name| !is_played(name)) {
        bail!("no number has a player called {name}; the reports name them, such as heur0 and 'end0 halved'");
    }
    // Whoever lets others play needs no table.
    let kits = if args.fleet.is_none() { kits(args, &cells)? } else { BTreeMap::new() };
    let folder = args.lab.out("roschke");
    let earlier = match &args.onto {
        None => Earlier::default(),
        Some(onto) => {
            let own = folder.join(RESULTS).canonicalize();
            let is_own = own.is_ok_and(|own| onto.canonicalize().is_ok_and(|onto| onto == own));
            ensure!(!is_own, "this run would overwrite {}; name another folder with --out", onto.display());
            let earlier = Earlier::read(onto, args.seed)?;
            ensure!(
                cells.is_empty() || earlier.knows_any(&cells),
                "{} has no games of what is to be played: other tables, players or settings; play anew without `--onto`",
                onto.display()
            );
            earlier
        }
    };
    let fits = |played: &Played| played.seed == args.seed;
    let mut journal = Journal::open(&folder.join("journal.jsonl"), args.lab.keep(), fits)?;
    journal.greet(out)?;
    let open = open(&cells, &earlier, journal.entries());
    let parallel = args.parallel.map_or_else(processors, usize::from);
    let whole = match &args.fleet {
        Some(url) => {
            writeln!(out, "{} to play, on the fleet", text::count(open.len(), "game"))?;
            out.flush()?;
            remote::play_all(url, args, &folder, &open, &cancel, |played| journal.add(played))
        }
        None => {
            if !open.is_empty() {
                let seconds = expected(&open, &kits, args.seed)? / parallel as f64;
                writeln!(out, "{} to play, about {}", text::count(open.len(), "game"), text::seconds(seconds))?;
                out.flush()?;
            }
            let one = |open: &Open<'_>, broken: &game::Cancel| {
                let stop = || broken.is_cancelled() || cancel.is_cancelled();
                play(of_players(&kits, open.cell)?, open.cell, open.number, args.seed, &stop)
            };
            play_here(&open, parallel, one, &mut journal)
        }
    };
    // Whoever broke it off sees what there is.
    let report = report::report(args, &cells, &earlier, journal.entries());
    save(&folder.join("report.md"), &report.markdown)?;
    save(&folder.join(RESULTS), &format!("{:#}\n", report.json))?;
    save(&folder.join("figure.svg"), &report.figure)?;
    whole?;
    write!(out, "{}", report.text)?;
    writeln!(out, "written: {0}/{RESULTS}, {0}/report.md and {0}/figure.svg", folder.display())?;
    Ok(Answer::Yes)
}

/// Plays on this machine.
fn play_here<'a>(
    open: &[Open<'a>],
    parallel: usize,
    one: impl Fn(&Open<'a>, &game::Cancel) -> Result<Option<Played>> + Sync,
    journal: &mut Journal<Played>,
) -> Result<()> {
    let (mut done, all, mut progress) = (0, open.len(), Progress::new());
    many::play_all(open, parallel, one, |played| {
        done += 1;
        progress.fraction(done as f64 / all as f64, |seconds| format!("{done} of {all} games, {seconds:.0} s"));
        match played {
            Some(played) => journal.add(played),
            None => {
                Err(platform::Interrupted("the games played so far are kept; the same command goes on".to_string())
                    .into())
            }
        }
    })
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What the players have in common, for each amount of memory that the distance table may take.
fn kits(args: &RoschkeArgs, cells: &[Cell]) -> Result<BTreeMap<Option<u64>, Kit>> {
    let needs_table = cells.iter().any(Cell::needs_table);
    let mut kits = BTreeMap::new();
    for memory in cells.iter().flat_map(|cell| cell.players.each_ref().map(|player| player.memory)) {
        if let Entry::Vacant(place) = kits.entry(memory) {
            place.insert(kit(args.folder.as_deref(), memory, needs_table)?);
        }
    }
    Ok(kits)
}

/// What players with so much of the distance table in memory have in common.
fn kit(folder: Option<&Path>, memory: Option<u64>, needs_table: bool) -> Result<Kit> {
    let spec = Spec::new(SIDE, PIECES);
    let path = Store::new(folders::tables(folder)?).chinese_path(&spec);
    if !path.is_file() && needs_table {
        bail!(
            "there is no table {}; `ludens table build chinese-checkers --pieces {PIECES}{}` makes it in about half a minute of \
             processor time, 310 MiB on the disk and in memory",
            path.display(),
            folder.map_or(String::new(), |folder| format!(" --folder {}", folder.display()))
        );
    }
    let space = Space::new(spec)?;
    let kit = Kit::new(ChineseCheckers::new(SIDE, PIECES, Win::Filled, None)?);
    if !path.is_file() {
        return Ok(kit);
    }
    let fitting = |start: &usize| memory.is_none_or(|bytes| space.entries_from(*start) <= bytes);
    let start = (0..SIDE * SIDE).find(fitting).context("not even one section fits into that memory")?;
    let home = Alone::home(Arc::clone(kit.arena()), Arc::new(Distances::open_from(&path, start)?))?;
    Ok(kit.with_home(Arc::new(home)))
}

/// What was not played yet, one game of each cell before the second of any.
fn open<'a>(cells: &'a [Cell], earlier: &Earlier, played: &[Played]) -> Vec<Open<'a>> {
    let mut known: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for played in played {
        known.entry(&played.cell).or_default().push(played.number);
    }
    let most = cells.iter().map(|cell| cell.games).max().unwrap_or(0);
    let begun: Vec<(&Cell, u64)> = cells.iter().map(|cell| (cell, earlier.counts(cell).tally().games())).collect();
    let mut open = Vec::new();
    for number in 0..most {
        for (cell, _) in begun.iter().filter(|(cell, begun)| (*begun..cell.games).contains(&number)) {
            let is_known = known.get(cell.id.as_str()).is_some_and(|numbers| numbers.contains(&number));
            if !is_known {
                open.push(Open { cell, number });
            }
        }
    }
    open
}

/// Moves of a player in a game, more or less.
const MOVES: f64 = 32.0;

/// The processor seconds that the open games will take, from one move of each player with each budget.
fn expected(open: &[Open<'_>], kits: &BTreeMap<Option<u64>, Kit>, seed: u64) -> Result<f64> {
    let mut times: BTreeMap<String, f64> = BTreeMap::new();
    let mut sum = 0.0;
    for one in open {
        for (player, kit) in one.cell.players.iter().zip(of_players(kits, one.cell)?) {
            let time = match one.cell.spending.part(player.share) {
                Spending::Processor(seconds) => seconds,
                spending => {
                    let key = format!("{} {spending:?}", player.name);
                    match times.get(&key) {
                        Some(time) => *time,
                        None => {
                            let began = Instant::now();
                            duel::first_move(kit, player, spending, seed)?;
                            *times.entry(key).or_insert(began.elapsed().as_secs_f64())
                        }
                    }
                }
            };
            sum += MOVES * time;
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use counts::{Counts, Written};
    use duel::Played;

    #[test]
    fn games_follow_those_of_an_earlier_run() {
        let named = |name: &str| cells::Named::of(name);
        let cell = |id: &str, first: &str| Cell {
            id: id.to_string(),
            part: "table3",
            players: [named(first), named("ab")],
            spending: Spending::Nodes(10),
            games: 4,
            published: None,
        };
        let cells = [cell("a", "base0"), cell("b", "heur0")];
        let text = serde_json::json!({ "seed": 1,
            "cells": [Written::new(&cells[0], &Counts { won: 1, lost: 1, ..Counts::default() })] });
        let earlier: Earlier = serde_json::from_value(text).unwrap();
        let played = Played { cell: "a".to_string(), number: 3, ..Played::default() };
        let open = open(&cells, &earlier, &[played]);
        let order: Vec<(&str, u64)> = open.iter().map(|open| (open.cell.id.as_str(), open.number)).collect();
        assert_eq!(order, [("b", 0), ("b", 1), ("a", 2), ("b", 2), ("b", 3)]);
    }
}
