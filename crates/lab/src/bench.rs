//! `ludens bench`: how fast each engine is on each game, with what it takes to get there.

mod by_hand;
pub mod chess_engine;
mod child;
pub mod fleet;
pub mod lookups;
pub mod measure;
pub mod meter;
mod perf;
pub mod report;
pub mod search;
pub mod single;
pub mod tables;
mod yardstick;

use crate::args::{BenchArgs, BenchCommand};
use crate::experiments::anchors;
use agent::EngineChoice;
use anyhow::{Context, Result, bail};
use child::Order;
use library::Sheet;
use measure::Row;
use report::{Figures, Growing, Line};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use terminal::Progress;
use terminal::{Answer, Out};

/// What is measured if no game is named: boards small and large, puzzles, games in which all move at once.
const USUAL: [&str; 12] = [
    "tic-tac-toe",
    "connect-four",
    "breakthrough",
    "chess",
    "checkers",
    "othello",
    "hex",
    "pentago",
    "chinese-checkers-6",
    "kalah",
    "eight-puzzle",
    "tron",
];

/// The games that have a hand-written form.
const BY_HAND: [&str; 3] = ["tic-tac-toe", "connect-four", "breakthrough"];

/// Runs a command of this program in this process, given as the words after its name.
pub type RunCommand<'a> = &'a dyn Fn(&[String]) -> Result<()>;

/// Runs the command.
pub fn run(args: &BenchArgs, command: RunCommand<'_>, interrupt: &platform::Interrupt, out: Out<'_>) -> Result<Answer> {
    match &args.what {
        Some(BenchCommand::Search(args)) => return search::run(args, interrupt, out),
        Some(BenchCommand::Single(args)) => return single::run(args, interrupt, out),
        Some(BenchCommand::Tables(args)) => return tables::run(args, command, out),
        Some(BenchCommand::ChessEngine(args)) => return chess_engine::run(args, interrupt, out),
        Some(BenchCommand::Fleet(args)) => return fleet::run(args, interrupt, out),
        Some(BenchCommand::Lookups(args)) => return lookups::run(args, interrupt, out),
        None => {}
    }
    let engine = || args.engines.first().copied().unwrap_or_default();
    if args.one {
        let name = args.games.first().context("a process that measures needs a name for the game")?;
        return child::answer(name, engine(), args.seconds, args.seed, out);
    }
    if let Some(path) = &args.gdl_perf {
        let [game] = args.games.as_slice() else { bail!("--gdl-perf is about one game: name it") };
        return perf::run(game, engine(), args.seconds, args.seed, path);
    }
    if args.yardstick {
        let sheets = sheets(&args.games, &BY_HAND)?;
        return by_hand::compare(&sheets, engine(), args.seconds, args.seed, args.json, out);
    }
    if let Some(folder) = &args.corpus {
        let sheets = corpus(folder, &args.games)?;
        return of_corpus(args, &sheets, out);
    }
    let engines = if args.engines.is_empty() { EngineChoice::ALL.to_vec() } else { args.engines.clone() };
    let sheets = sheets(&args.games, &USUAL)?;
    compare(args, &sheets, &engines, out)
}

fn sheets(games: &[String], usual: &[&str]) -> Result<Vec<Sheet>> {
    match games {
        [] => usual.iter().map(|name| Sheet::find(name)).collect(),
        games => games.iter().map(|name| Sheet::find(name)).collect(),
    }
}

/// The rulesheets of a folder: `folder/games/*.kif`, or `folder/*.kif`; only those of these names, if there are any.
pub fn corpus(folder: &Path, only: &[String]) -> Result<Vec<Sheet>> {
    let games = folder.join("games");
    let folder = if games.is_dir() { games } else { folder.to_path_buf() };
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut sheets = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
        let name = path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
        if path.extension().is_some_and(|ending| ending == "kif") && (only.is_empty() || only.contains(&name)) {
            let file = fs::File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
            sheets.push(Sheet::read(name, file)?);
        }
    }
    sheets.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(missing) = only.iter().find(|name| !sheets.iter().any(|sheet| sheet.name == **name)) {
        bail!("there is no {missing}.kif in {}", folder.display());
    }
    if sheets.is_empty() {
        bail!("there is no rulesheet (NAME.kif) in {}", folder.display());
    }
    Ok(sheets)
}

/// Measures one game with one engine, in a process of its own.
pub fn measured(sheet: &Sheet, engine: EngineChoice, seconds: f64, limit: f64, seed: u64) -> Row {
    let (_, problems) = sheet.parse();
    if let Some(problem) = problems.first() {
        let (line, column) = sheet.source().place(problem.span.start);
        return Row::failed(&sheet.name, engine, format!("line {line}, column {column}: {}", problem.message));
    }
    let mut progress = Progress::new();
    let order = Order { sheet, name: &sheet.name, engine, seconds, limit, seed, program: None };
    child::row(&order, &mut || progress.at(|gone| format!("{} with {}: {gone:.0} s", sheet.name, engine.name())))
}

fn compare(args: &BenchArgs, sheets: &[Sheet], engines: &[EngineChoice], out: Out<'_>) -> Result<Answer> {
    let growing = begin(args, sheets, out)?;
    let mut games = Vec::new();
    let mut failed = false;
    for sheet in sheets {
        let hand = by_hand::of_sheet(sheet).map(|hand| by_hand::play(hand.ways.alone, args.seconds, args.seed));
        let mut prover = None;
        let mut lines: Vec<Line> = Vec::new();
        for &engine in engines {
            let row = measured(sheet, engine, args.seconds, args.limit, args.seed);
            let states = row.measured().map(|measured| measured.states_per_second);
            if engine == EngineChoice::PROVER {
                prover = states;
            }
            failed |= states.is_none();
            let times = |than: Option<f64>| Some(states? / than.filter(|than| *than > 0.0)?);
            let by_hand = hand.as_ref().map(|play| play.states_per_second());
            let line = Line { times_prover: times(prover), times_by_hand: times(by_hand), row };
            if let Some(growing) = &growing {
                growing.add(&line, out)?;
            }
            lines.push(line);
        }
        if let (Some(growing), Some(play)) = (&growing, &hand) {
            growing.by_hand(&sheet.name, play, out)?;
        }
        games.push(json!({ "game": sheet.name, "engines": lines, "by_hand": hand.as_ref().map(Figures::of) }));
    }
    end(args, growing, json!({ "games": games }), out)?;
    Ok(if failed { Answer::No } else { Answer::Yes })
}

fn of_corpus(args: &BenchArgs, sheets: &[Sheet], out: Out<'_>) -> Result<Answer> {
    let engine = args.engines.first().copied().unwrap_or_default();
    let growing = begin(args, sheets, out)?;
    let mut rows = Vec::new();
    for sheet in sheets {
        let row = measured(sheet, engine, args.seconds, args.limit, args.seed);
        if let Some(growing) = &growing {
            growing.add(&Line { row: row.clone(), times_prover: None, times_by_hand: None }, out)?;
        }
        rows.push(row);
    }
    let comparison = anchors::Comparison::of(&rows)?;
    if growing.is_some() {
        writeln!(out, "\n{}\n{}", comparison.summary(), comparison.table())?;
    }
    let failed = rows.iter().any(|row| row.measured().is_none());
    end(args, growing, json!({ "games": rows, "anchors": comparison }), out)?;
    Ok(if failed { Answer::No } else { Answer::Yes })
}

/// Begins the table, unless it is JSON that is wanted.
fn begin(args: &BenchArgs, sheets: &[Sheet], out: Out<'_>) -> Result<Option<Growing>> {
    if args.json {
        return Ok(None);
    }
    Growing::begin(sheets.iter().map(|sheet| sheet.name.as_str()), out).map(Some)
}

fn end(args: &BenchArgs, growing: Option<Growing>, mut report: Value, out: Out<'_>) -> Result<()> {
    if let Some(growing) = growing {
        return growing.end(out);
    }
    let settings = BTreeMap::from([
        ("version", json!(env!("CARGO_PKG_VERSION"))),
        ("clock", json!(meter::clock())),
        ("seconds", json!(args.seconds)),
        ("seed", json!(args.seed)),
    ]);
    report["settings"] = json!(settings);
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)?;
    Ok(())
}
