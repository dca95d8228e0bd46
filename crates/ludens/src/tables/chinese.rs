//! Tables of Chinese checkers: building one, and asking it about a placement.

use super::args::{BuildChineseArgs, ProbeArgs};
use ::table::chinese::{Distance, Distances, Fault, Progress as Step, Spec};
use ::table::file;
use ::table::store::Store;
use agent::tables::chinese::{Building, Said, Unfinished, open, text};
use anyhow::{Context, Result};
use platform::{Interrupt, folders, memory};
use serde_json::{Value, json};
use std::io::{Write, stderr};
use std::path::Path;
use std::time::Instant;
use terminal::text::{count, seconds as in_seconds};
use terminal::{Answer, Out, Progress};

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
        status = super::there(table.table(), args.make.form())?;
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
    let time = if there { String::new() } else { format!(" in {}", in_seconds(seconds)) };
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
    let (name, cancel) = (spec.name(), interrupt.cancel());
    let budget = memory::budget(args.make.memory);
    let (form, is_anew, save_every) = (args.make.form(), args.make.force, args.save_every);
    let building = Building { budget, form, is_anew, save_every, cancel: &cancel };
    let mut progress = Progress::new();
    building.run(spec, path, &mut |said| match said {
        Said::At(step, before) => progress.at(|seconds| words(&name, step, before, seconds)),
        Said::Note(note) => {
            progress.wipe();
            let _ = writeln!(stderr(), "{note}");
        }
    })
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

fn distance_words(distance: Distance) -> String {
    match distance {
        Distance::Moves(moves) => count(moves.into(), "move"),
        Distance::AtMost(moves) => format!("at most {}", count(moves.into(), "move")),
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
            let (placement, _, table) = open(&words, file, args.folder.as_deref(), args.size.into())?;
            let distance = table.distance(placement)?;
            let report = json!({ "cells": line, "distance": distance_json(distance) });
            Ok((format!("{line}  home in {}", distance_words(distance)), report))
        });
    }
    let (placement, path, table) = open(words, file, args.folder.as_deref(), args.size.into())?;
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
    let (placement, path, table) = open(words, file, args.folder.as_deref(), args.size.into())?;
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
