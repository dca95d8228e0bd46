//! Tables of Chinese checkers for two, pieces against pieces: building one, asking it about a position, verifying it.

use super::args::{BuildChineseArgs, ProbeArgs};
use super::chinese::{cells, text};
use ::table::chinese::Progress as Step;
use ::table::chinese::versus::{Build, BuildError, Fault, Outcome, Spec, Versus};
use ::table::file::{self, Form};
use ::table::store::Store;
use anyhow::{Context, Result, bail, ensure};
use platform::{Interrupt, folders, memory};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;
use terminal::{Answer, Out, Progress, bars};

/// The word between red's cells and blue's.
const AGAINST: &str = "against";
const SIDES: [&str; 2] = ["red", "blue"];

/// `ludens table build chinese-checkers --against L`.
pub fn build(args: &BuildChineseArgs, against: u8, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let spec = Spec::new(args.size.into(), args.pieces.into(), against.into());
    let folder = folders::tables(args.make.folder.as_deref())?;
    let path = Store::new(&folder).versus_path(&spec);
    let started = Instant::now();
    let there = path.is_file() && !args.make.force;
    let mut status = "built";
    if there {
        let table = Versus::open(&path).context("--force builds it anew")?;
        let file = table.table();
        file.map_or(Ok(()), file::Table::check).context("--force builds it anew")?;
        status = "there";
        if let Some(raw) = file.filter(|file| args.make.compress && file.form() == Form::Raw) {
            raw.store_as(Form::Compressed)?;
            status = "compressed";
        }
    } else {
        run(spec, &path, args, interrupt)?;
    }
    let table = file::Table::open(&path)?;
    let statistics = &table.header().statistics();
    let seconds = if there { 0.0 } else { started.elapsed().as_secs_f64() };
    if args.make.json {
        let report = json!({ "table": table.header().name, "status": status, "seconds": seconds, "file": path,
            "entries": table.header().entries(), "bytes": table.size(), "statistics": statistics });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    let time = if there { String::new() } else { format!(" in {}", terminal::text::seconds(seconds)) };
    writeln!(out, "{} {status}{time}: {}", table.header().name, path.display())?;
    writeln!(out, "{} placements, either side to move; {}", statistics["placements"], memory::size(table.size()))?;
    sides(statistics, out)?;
    Ok(Answer::Yes)
}

fn run(spec: Spec, path: &Path, args: &BuildChineseArgs, interrupt: &Interrupt) -> Result<()> {
    let (cancel, name) = (interrupt.cancel(), spec.name());
    let budget = memory::budget(args.make.memory);
    let folder = path.parent().unwrap_or(path);
    folders::writable(folder, None)?;
    let mut build = match Build::new(spec, budget) {
        Ok(build) => build,
        Err(BuildError::Memory { needed, .. }) => bail!(
            "building {name} needs {} of memory, and {} may be used (--memory MiB sets the limit); take fewer pieces or a smaller board",
            memory::size(needed),
            memory::size(budget)
        ),
        Err(error) => return Err(error.into()),
    };
    folders::writable(folder, (!args.make.compress).then_some(2 * build.space().entries()))?;
    let mut progress = Progress::new();
    let built = build.run(&mut |step| {
        progress.at(|seconds| words(&name, &step, seconds));
        !cancel.is_cancelled()
    });
    drop(progress);
    if let Err(BuildError::Stopped) = built {
        bail!("{name} is not built, and nothing of it is kept");
    }
    built?;
    file::clean(folder);
    build.write(path, if args.make.compress { Form::Compressed } else { Form::Raw })?;
    Ok(())
}

/// How far a build is.
fn words(name: &str, step: &Step, seconds: f64) -> String {
    let (part, done) = (step.done as f64 / step.shares.max(1) as f64, step.decided as f64 / step.total as f64);
    let layer = step.layer;
    format!("{name}: layer {layer} ({:.0} %), {:.0} % decided, {seconds:.0} s", 100.0 * part, 100.0 * done)
}

/// Whether a position has two sides.
pub fn is_meant(words: &[String]) -> bool {
    words.iter().flat_map(|words| words.split_whitespace()).any(|word| word == AGAINST)
}

/// A position: red's cells, `against`, blue's cells, and whose turn it is, red's if nothing is said.
fn position(words: &[String], side: usize) -> Result<([u128; 2], usize)> {
    let mut words: Vec<String> = words.iter().flat_map(|words| words.split_whitespace()).map(str::to_string).collect();
    let turn = words.last().and_then(|last| SIDES.iter().position(|name| name == last));
    if turn.is_some() {
        words.pop();
    }
    let Some(middle) = words.iter().position(|word| word == AGAINST) else {
        bail!("give the cells of both sides, such as 0,0 0,1 {AGAINST} 8,8, and then red or blue for who is to move")
    };
    let pieces = [cells(&words[..middle], side)?, cells(&words[middle + 1..], side)?];
    ensure!(pieces[0] & pieces[1] == 0, "red and blue cannot stand in the same cell");
    Ok((pieces, turn.unwrap_or(0)))
}

/// A position and the table that has it: that of the file, if one is given, or else of the folder.
fn open(words: &[String], file: Option<&Path>, args: &ProbeArgs) -> Result<([u128; 2], usize, PathBuf, Versus)> {
    if let Some(path) = file {
        let table = Versus::open(path)?;
        let (pieces, turn) = position(words, table.space().spec().side)?;
        return Ok((pieces, turn, path.to_path_buf(), table));
    }
    let side = usize::from(args.size);
    let (pieces, turn) = position(words, side)?;
    let counts = pieces.map(|cells| cells.count_ones() as usize);
    let spec = Spec::new(side, counts[0], counts[1]);
    let folder = folders::tables(args.folder.as_deref())?;
    let store = Store::new(&folder);
    let Some(table) = store.versus(&spec)? else {
        bail!(
            "there is no table {} in {}; `ludens table build chinese-checkers --pieces {} --against {} --size {side}{}` builds it",
            spec.name(),
            folder.display(),
            spec.pieces[0],
            spec.pieces[1],
            folders::option(args.folder.as_deref())
        )
    };
    Ok((pieces, turn, store.versus_path(&spec), table))
}

/// What a table says of a position that it should have.
fn outcome(table: &Versus, path: &Path, pieces: [u128; 2], turn: usize) -> Result<Outcome> {
    let [red, blue] = table.space().spec().pieces;
    let found = table.outcome(pieces, turn)?;
    found.with_context(|| format!("{} is for {red} against {blue} pieces, and has no such position", path.display()))
}

fn outcome_json(outcome: Outcome) -> Value {
    let result = match outcome {
        Outcome::Win(_) => "win",
        Outcome::Draw => "draw",
        Outcome::Loss(_) => "loss",
        Outcome::Both => "both",
    };
    json!({ "result": result, "plies": outcome.plies() })
}

/// `ludens table probe chinese-checkers CELLS against CELLS`.
pub fn probe(words: &[String], file: Option<&Path>, args: &ProbeArgs, out: Out<'_>) -> Result<Answer> {
    if let [only] = words
        && only == "-"
    {
        return super::many::many(std::io::stdin().lock(), args.json, out, |line| {
            let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
            let (pieces, turn, path, table) = open(&words, file, args)?;
            let outcome = outcome(&table, &path, pieces, turn)?;
            let report = json!({ "cells": line, "turn": SIDES[turn], "outcome": outcome_json(outcome) });
            Ok((format!("{line}  {} to move: {outcome}", SIDES[turn]), report))
        });
    }
    let (pieces, turn, path, table) = open(words, file, args)?;
    let side = table.space().spec().side;
    let outcome = outcome(&table, &path, pieces, turn)?;
    let moves = table.moves(pieces, turn)?;
    if args.json {
        let moves: Vec<Value> = moves
            .iter()
            .map(|((from, to), worth)| {
                json!({ "from": text(side, *from), "to": text(side, *to), "worth": outcome_json(*worth) })
            })
            .collect();
        let report = json!({ "file": path, "turn": SIDES[turn], "outcome": outcome_json(outcome), "moves": moves });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    writeln!(out, "{} to move: {outcome}", SIDES[turn])?;
    for ((from, to), worth) in moves {
        writeln!(out, "  {} to {}  {worth}", text(side, from), text(side, to))?;
    }
    Ok(Answer::Yes)
}

/// `ludens table line chinese-checkers CELLS against CELLS`.
pub fn line(words: &[String], file: Option<&Path>, args: &ProbeArgs, out: Out<'_>) -> Result<Answer> {
    let (pieces, turn, path, table) = open(words, file, args)?;
    let side = table.space().spec().side;
    let outcome = outcome(&table, &path, pieces, turn)?;
    let line = table.line(pieces, turn)?;
    if args.json {
        let step = |ends: &Option<(u8, u8)>| match ends {
            Some((from, to)) => json!({ "from": text(side, *from), "to": text(side, *to) }),
            None => Value::Null,
        };
        let steps = line.as_ref().map(|line| line.iter().map(step).collect::<Vec<Value>>());
        let report = json!({ "file": path, "turn": SIDES[turn], "outcome": outcome_json(outcome), "line": steps });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    writeln!(out, "{} to move: {outcome}", SIDES[turn])?;
    for (at, ends) in line.unwrap_or_default().into_iter().enumerate() {
        let mover = SIDES[(turn + at) % 2];
        match ends {
            Some((from, to)) => writeln!(out, "{:>4}. {mover:<4} {} to {}", at + 1, text(side, from), text(side, to))?,
            None => writeln!(out, "{:>4}. {mover:<4} passes", at + 1)?,
        }
    }
    Ok(Answer::Yes)
}

/// Derives every entry of a table again. The answer is how many entries were compared, or what is wrong.
pub fn verify(path: &Path, interrupt: &Interrupt) -> Result<Result<u64, String>> {
    let table = Versus::open(path)?;
    let cancel = interrupt.cancel();
    let mut progress = Progress::new();
    let counts = table.verify(&mut |done, total| {
        progress.at(|seconds| {
            let left = if done > 0 { seconds / done as f64 * (total - done) as f64 } else { 0.0 };
            format!("{done} of {total} entries, {seconds:.0} s, about {left:.0} s left")
        });
        !cancel.is_cancelled()
    });
    drop(progress);
    match counts {
        Ok(counts) => Ok(table.misstated(&counts).map_or(Ok(2 * table.space().entries()), Err)),
        Err(fault @ Fault::Entry { .. }) => Ok(Err(fault.to_string())),
        Err(fault) => Err(fault.into()),
    }
}

/// Both sides to move in a line each.
fn sides(statistics: &Value, out: Out<'_>) -> Result<()> {
    for name in ["red to move", "blue to move"] {
        let side = &statistics[name];
        let farthest = |list: &Value| list.as_array().map_or(0, Vec::len).saturating_sub(1);
        let (won, lost) = (farthest(&side["wins"]), farthest(&side["losses"]));
        writeln!(
            out,
            "{name:<12}  {} won (in {won} plies at most), {} drawn, {} lost ({lost})",
            side["won"], side["drawn"], side["lost"]
        )?;
    }
    Ok(())
}

/// What `ludens table info` tells.
pub fn describe(statistics: &Value, out: Out<'_>) -> Result<()> {
    let spec = &statistics["table"];
    writeln!(
        out,
        "board      {0} by {0}, {1} red pieces against {2} blue",
        spec["side"], spec["pieces"][0], spec["pieces"][1]
    )?;
    writeln!(out, "placements {}, {} of them with both goals filled\n", statistics["placements"], statistics["both"])?;
    sides(statistics, out)?;
    for name in ["red to move", "blue to move"] {
        for (list, words) in [("wins", "won"), ("losses", "lost")] {
            let histogram = bars::histogram(super::info::counts(&statistics[name][list]));
            if !histogram.is_empty() {
                write!(out, "\n{name}, {words}, by plies:\n{histogram}")?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read() {
        let read = |text: &str| position(&[text.to_string()], 9);
        assert_eq!(read("0,0 0,1 against 8,8 blue").unwrap(), ([0b11, 1 << 80], 1));
        assert_eq!(read("0,0 against 0,1").unwrap(), ([1, 2], 0));
        for bad in ["0,0", "0,0 against", "against 1,1", "0,0 against 0,0", "0,0 against 9,9", "0,0 against 1,1 green"]
        {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(is_meant(&["0,0 against 1,1".to_string()]) && !is_meant(&["0,0".to_string()]));
    }
}
