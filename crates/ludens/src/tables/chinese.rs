//! Tables of Chinese checkers: building one, and asking it about a placement.

use super::args::{BuildChineseArgs, ProbeArgs};
use super::unfinished::Unfinished;
use ::table::chinese::{Build, BuildError, Distance, Distances, Fault, KIND, Progress as Step, Spec};
use ::table::file::{self, Form};
use ::table::store::Store;
use anyhow::{Context, Result, bail, ensure};
use platform::{Interrupt, folders, memory};
use serde_json::{Value, json};
use std::fs;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::time::Instant;
use terminal::Progress;
use terminal::{Answer, Out, text};

/// `ludens table build chinese-checkers`.
pub fn build(args: &BuildChineseArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    if let Some(against) = args.against {
        return super::versus::build(args, against, interrupt, out);
    }
    let mut spec = Spec::new(args.size.into(), args.pieces.into());
    if let Some(start) = args.start {
        spec = spec.from_start(start.into());
    }
    let folder = folders::tables(args.make.folder.as_deref())?;
    let path = Store::new(&folder).chinese_path(&spec);
    let started = Instant::now();
    let there = path.is_file() && !args.make.force;
    let mut resumed = false;
    let mut status = "built";
    if there {
        let table = Distances::open(&path).context("--force builds it anew")?;
        let file = table.table();
        file.map_or(Ok(()), file::Table::check).context("--force builds it anew")?;
        status = "there";
        if let Some(raw) = file.filter(|file| args.make.compress && file.form() == Form::Raw) {
            raw.store_as(Form::Compressed)?;
            status = "compressed";
        }
        Unfinished::new(&path, None).remove();
    } else {
        resumed = run(spec, &path, args, interrupt)?;
    }
    let table = file::Table::open(&path)?;
    let statistics = &table.header().statistics();
    let seconds = if there { 0.0 } else { started.elapsed().as_secs_f64() };
    if args.make.json {
        let report = json!({ "table": table.header().name, "status": status, "seconds": seconds, "resumed": resumed,
            "file": path, "entries": table.header().entries(), "bytes": table.size(), "statistics": statistics });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    let time = if there { String::new() } else { format!(" in {}", text::seconds(seconds)) };
    writeln!(out, "{} {status}{time}: {}", table.header().name, path.display())?;
    writeln!(
        out,
        "{} placements, {} of them reached, at most {} moves; {}",
        table.header().entries(),
        statistics["reached"],
        statistics["greatest"],
        memory::size(table.size())
    )?;
    if statistics["table"]["bounds"].as_bool() == Some(true) {
        writeln!(out, "a section only: its values are upper bounds")?;
    }
    Ok(Answer::Yes)
}

/// Builds and stores the table; says whether it went on from an earlier build.
fn run(spec: Spec, path: &Path, args: &BuildChineseArgs, interrupt: &Interrupt) -> Result<bool> {
    let cancel = interrupt.cancel();
    let name = spec.name();
    let budget = memory::budget(args.make.memory);
    let folder = path.parent().unwrap_or(path);
    folders::writable(folder, None)?;
    let mut unfinished = Unfinished::new(path, args.save_every);
    let earlier = if args.make.force { None } else { unfinished.take_up(&name, budget) };
    let resumed = earlier.is_some();
    let mut build = match earlier.map_or_else(|| Build::new(spec, budget), Ok) {
        Ok(build) => build,
        Err(BuildError::Memory { needed, fits_from, .. }) => {
            let section =
                fits_from.map(|start| format!("; the section from start {start} on would fit (--start {start})"));
            bail!(
                "building {name} needs {} of memory, and {} may be used (--memory MiB sets the limit){}",
                memory::size(needed),
                memory::size(budget),
                section.unwrap_or_default()
            );
        }
        Err(error) => return Err(error.into()),
    };
    folders::writable(folder, (!args.make.compress).then_some(build.space().entries()))?;
    let before = share(&build);
    let mut progress = Progress::new();
    loop {
        let built = build.run(&mut |step| {
            progress.at(|seconds| words(&name, &step, before, seconds));
            !cancel.is_cancelled() && !unfinished.is_due()
        });
        match built {
            Err(BuildError::Stopped) if cancel.is_cancelled() => {
                progress.wipe();
                match unfinished.save(&build) {
                    Ok(kept) => bail!(
                        "{name} is not built; what is done is kept in {}, and the next build goes on from there",
                        kept.display()
                    ),
                    Err(error) => bail!("{name} is not built, and what is done cannot be kept: {error}"),
                }
            }
            Err(BuildError::Stopped) => {
                if let Err(error) = unfinished.save(&build) {
                    progress.wipe();
                    let _ = writeln!(stderr(), "warning: what is done cannot be kept: {error}");
                }
            }
            built => break built?,
        }
    }
    drop(progress);
    file::clean(folder);
    build.write(path, if args.make.compress { Form::Compressed } else { Form::Raw })?;
    unfinished.remove();
    Ok(resumed)
}

/// Which part of the placements is decided.
fn share(build: &Build) -> f64 {
    build.layers().iter().sum::<u64>() as f64 / build.space().entries() as f64
}

/// How far a build is. `before` is the part that an earlier one had done.
fn words(name: &str, step: &Step, before: f64, seconds: f64) -> String {
    let part = step.done as f64 / step.shares.max(1) as f64;
    let done = step.decided as f64 / step.total as f64;
    let rate = (done - before) / seconds;
    let left = if done - before > 0.02 { format!(", about {:.0} s left", (1.0 - done) / rate) } else { String::new() };
    let layer = step.layer;
    format!("{name}: layer {layer} ({:.0} %), {:.0} % of all, {seconds:.0} s{left}", 100.0 * part, 100.0 * done)
}

/// The cells of a placement as a set, given as `row,column`.
pub fn cells(words: &[String], side: usize) -> Result<u128> {
    let mut cells = 0u128;
    for word in words.iter().flat_map(|words| words.split_whitespace()) {
        let pair = word.trim_matches(['(', ')']).split_once(',');
        let pair = pair.and_then(|(row, column)| Some((row.parse::<usize>().ok()?, column.parse::<usize>().ok()?)));
        let Some((row, column)) = pair else { bail!("{word:?} is not a cell: write row,column, such as 8,7") };
        ensure!(row < side && column < side, "the cell {word} is not on a board of {side} by {side} (--size)");
        let bit = 1u128 << native::chinese::cell(side, row, column);
        ensure!(cells & bit == 0, "the cell {word} is given twice");
        cells |= bit;
    }
    ensure!(cells != 0, "give the cells of the pieces, such as 8,8 8,7 7,8");
    Ok(cells)
}

/// A cell as `row,column`.
pub fn text(side: usize, cell: u8) -> String {
    let (row, column) = native::chinese::place(side, cell);
    format!("{row},{column}")
}

/// A placement and the table that has it: that of the file, if one is given, or else the whole one of the folder, or a section.
fn open(words: &[String], file: Option<&Path>, args: &ProbeArgs) -> Result<(u128, PathBuf, Distances)> {
    let Some(path) = file else {
        let placement = cells(words, args.size.into())?;
        let (path, table) = search(args.folder.as_deref(), args.size.into(), placement)?;
        return Ok((placement, path, table));
    };
    let table = Distances::open(path)?;
    let spec = table.space().spec();
    let placement = cells(words, spec.side)?;
    let given = placement.count_ones() as usize;
    ensure!(given == spec.pieces, "{} is for {} pieces, and {given} cells are given", path.display(), spec.pieces);
    Ok((placement, path.to_path_buf(), table))
}

fn search(given: Option<&Path>, side: usize, placement: u128) -> Result<(PathBuf, Distances)> {
    let folder = &folders::tables(given)?;
    let spec = Spec::new(side, placement.count_ones() as usize);
    let whole = Store::new(folder).chinese_path(&spec);
    if whole.is_file() {
        return Ok((whole.clone(), Distances::open(&whole)?));
    }
    let sections = format!("{}-from-", spec.name());
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder.join(KIND)).into_iter().flatten().flatten().map(|e| e.path()).collect();
    found.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&sections)));
    found.sort();
    for path in found {
        let table = Distances::open(&path)?;
        if table.distance(placement)? != Distance::Absent {
            return Ok((path, table));
        }
    }
    bail!(
        "there is no table of {} that has this placement in {}; `ludens table build chinese-checkers --pieces {} --size {side}{}` \
         builds it",
        text::count(spec.pieces, "piece"),
        folder.display(),
        spec.pieces,
        folders::option(given)
    )
}

fn distance_words(distance: Distance) -> String {
    match distance {
        Distance::Moves(moves) => text::count(moves.into(), "move"),
        Distance::AtMost(moves) => format!("at most {}", text::count(moves.into(), "move")),
        Distance::Never => "never".to_string(),
        Distance::Absent => "not in the table".to_string(),
    }
}

fn distance_json(distance: Distance) -> Value {
    json!({ "moves": distance.moves(), "exact": matches!(distance, Distance::Moves(_) | Distance::Never) })
}

/// `ludens table probe chinese-checkers`.
pub fn probe(words: &[String], file: Option<&Path>, args: &ProbeArgs, out: Out<'_>) -> Result<Answer> {
    if let [only] = words
        && only == "-"
    {
        let input = std::io::stdin().lock();
        return super::many::many(input, args.json, out, |line| {
            let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
            let (placement, _, table) = open(&words, file, args)?;
            let distance = table.distance(placement)?;
            let report = json!({ "cells": line, "distance": distance_json(distance) });
            Ok((format!("{line}  home in {}", distance_words(distance)), report))
        });
    }
    let (placement, path, table) = open(words, file, args)?;
    let side = table.space().spec().side;
    let distance = table.distance(placement)?;
    let mut moves = table.moves(placement)?;
    moves.sort_by_key(|row| (row.2, row.0, row.1));
    if args.json {
        let moves: Vec<Value> = moves
            .iter()
            .map(|(from, to, after)| json!({ "from": text(side, *from), "to": text(side, *to), "after": distance_json(*after) }))
            .collect();
        let report = json!({ "file": path, "distance": distance_json(distance), "moves": moves });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    writeln!(out, "home in {}", distance_words(distance))?;
    for (from, to, after) in moves {
        writeln!(out, "  {} to {}  then {}", text(side, from), text(side, to), distance_words(after))?;
    }
    Ok(Answer::Yes)
}

/// `ludens table line chinese-checkers`.
pub fn line(words: &[String], file: Option<&Path>, args: &ProbeArgs, out: Out<'_>) -> Result<Answer> {
    let (placement, path, table) = open(words, file, args)?;
    let side = table.space().spec().side;
    let distance = table.distance(placement)?;
    let line = table.line(placement)?;
    if args.json {
        let steps = line.as_ref().map(|line| {
            let step = |(from, to): &(u8, u8)| json!({ "from": text(side, *from), "to": text(side, *to) });
            line.iter().map(step).collect::<Vec<Value>>()
        });
        let report = json!({ "file": path, "distance": distance_json(distance), "line": steps });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    writeln!(out, "home in {}", distance_words(distance))?;
    for (at, (from, to)) in line.unwrap_or_default().into_iter().enumerate() {
        writeln!(out, "{:>4}. {} to {}", at + 1, text(side, from), text(side, to))?;
    }
    Ok(Answer::Yes)
}

/// Derives every entry of a table again. The answer is how many entries were compared, or what is wrong.
pub fn verify(path: &Path, interrupt: &Interrupt) -> Result<Result<u64, String>> {
    let table = Distances::open(path)?;
    let cancel = interrupt.cancel();
    let mut progress = Progress::new();
    let layers = table.verify(&mut |done, total| {
        progress.at(|seconds| {
            let left = if done > 0 { seconds / done as f64 * (total - done) as f64 } else { 0.0 };
            format!("{done} of {total} entries, {seconds:.0} s, about {left:.0} s left")
        });
        !cancel.is_cancelled()
    });
    drop(progress);
    match layers {
        Ok(layers) => Ok(table.misstated(&layers).map_or(Ok(table.space().entries()), Err)),
        Err(fault @ Fault::Entry { .. }) => Ok(Err(fault.to_string())),
        Err(fault) => Err(fault.into()),
    }
}
