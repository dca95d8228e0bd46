//! Tables of Chinese checkers for two, pieces against pieces: building one, asking it about a position, verifying it.

use super::args::{BuildChineseArgs, ProbeArgs};
use ::table::chinese::Progress as Step;
use ::table::chinese::versus::{Fault, Outcome, Spec, Versus};
use ::table::file;
use ::table::store::Store;
use agent::tables::chinese::text;
use agent::tables::versus::{self, SIDES};
use anyhow::{Context, Result};
use platform::{Interrupt, folders, memory};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;
use terminal::{Answer, Out, Progress, bars};

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
        status = super::there(table.table(), args.make.form())?;
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
    let name = spec.name();
    let form = args.make.form();
    let mut progress = Progress::new();
    versus::build(spec, path, memory::budget(args.make.memory), form, &interrupt.cancel(), &mut |step| {
        progress.at(|seconds| words(&name, step, seconds));
    })
}

/// How far a build is.
fn words(name: &str, step: &Step, seconds: f64) -> String {
    let (part, done) = (step.done as f64 / step.shares.max(1) as f64, step.decided as f64 / step.total as f64);
    let layer = step.layer;
    format!("{name}: layer {layer} ({:.0} %), {:.0} % decided, {seconds:.0} s", 100.0 * part, 100.0 * done)
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
            let (pieces, turn, path, table) = versus::open(&words, file, args.folder.as_deref(), args.size.into())?;
            let outcome = versus::outcome(&table, &path, pieces, turn)?;
            let report = json!({ "cells": line, "turn": SIDES[turn], "outcome": outcome_json(outcome) });
            Ok((format!("{line}  {} to move: {outcome}", SIDES[turn]), report))
        });
    }
    let (pieces, turn, path, table) = versus::open(words, file, args.folder.as_deref(), args.size.into())?;
    let side = table.space().spec().side;
    let outcome = versus::outcome(&table, &path, pieces, turn)?;
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
    let (pieces, turn, path, table) = versus::open(words, file, args.folder.as_deref(), args.size.into())?;
    let side = table.space().spec().side;
    let outcome = versus::outcome(&table, &path, pieces, turn)?;
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
