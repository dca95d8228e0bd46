//! `ludens lab abstraction`: patterns of a few pieces over many games, one table: which are used, what they cost, how much better they
//! foretell ends than counting pieces does, and what they are worth in play.

mod contest;

use crate::args::AbstractionArgs;
use crate::bench::corpus;
use agent::engines::{EngineChoice, load};
use agent::patterns::{Looking, Patterns};
use agent::searcher::Knowledge;
use agent::{Events, PlayerSpec};
use anyhow::{Result, ensure};
use contest::{Contest, contest};
use game::Cancel;
use library::Sheet;
use platform::{Interrupt, memory};
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;
use study::{Plan, Stage, Study};
use terminal::{Answer, Out, Progress};

/// The part of the time that a study takes at most.
const STUDIED: f64 = 0.3;
/// States that a study watches at most.
const MOST_WATCHED: u32 = 2_000;

/// What came of one game.
#[derive(Serialize)]
struct Row {
    game: String,
    /// Seconds for the engine, for the study, and for the patterns.
    load: f64,
    study: f64,
    look: f64,
    /// What is used, or why nothing is.
    patterns: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    none: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Bytes of what is used.
    bytes: u64,
    /// Random games that were watched.
    games: usize,
    /// Tables that were built.
    built: usize,
    /// The loss of counting pieces on games held out, and with the patterns.
    base: Option<f64>,
    loss: Option<f64>,
    /// The correlation of the chance that they give with how the game ended, on the same games.
    base_correlation: Option<f64>,
    correlation: Option<f64>,
    contests: Vec<Contest>,
}

/// Runs the experiment.
pub fn run(args: &AbstractionArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let sheets: Vec<Sheet> = match &args.corpus {
        Some(folder) => corpus(folder, &args.games)?,
        None if args.games.is_empty() => library::ENTRIES.iter().map(Sheet::of).collect(),
        None => args.games.iter().map(|name| Sheet::find(name)).collect::<Result<_>>()?,
    };
    let player: PlayerSpec = args.player.parse()?;
    let others = args.against.iter().map(|other| other.parse()).collect::<Result<Vec<PlayerSpec>, _>>()?;
    for spec in others.iter().chain([&player]) {
        ensure!(
            spec.thinks() && spec.limits.seconds.is_none(),
            "{spec}: only players whose work can be counted play here"
        );
    }
    let cancel = interrupt.cancel();
    let mut progress = Progress::new();
    if !args.json {
        head(&others, args, out)?;
    }
    let (mut games, mut used) = (0, 0);
    for sheet in &sheets {
        if cancel.is_cancelled() {
            break;
        }
        progress.at(|_| sheet.name.clone());
        let row = one(sheet, args, &player, &others, &cancel).unwrap_or_else(|error| failed(sheet, &error));
        progress.wipe();
        (games, used) = (games + 1, used + usize::from(!row.patterns.is_empty()));
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&row)?)?;
        } else {
            show(&row, &others, args, out)?;
        }
        out.flush()?;
    }
    if !args.json {
        writeln!(out, "\nPatterns are used in {used} of {games} games.")?;
    }
    Ok(Answer::Yes)
}

fn failed(sheet: &Sheet, error: &anyhow::Error) -> Row {
    Row { error: Some(format!("{error:#}")), ..Row::new(sheet) }
}

impl Row {
    fn new(sheet: &Sheet) -> Row {
        Row {
            game: sheet.name.clone(),
            load: 0.0,
            study: 0.0,
            look: 0.0,
            patterns: Vec::new(),
            none: None,
            error: None,
            bytes: 0,
            games: 0,
            built: 0,
            base: None,
            loss: None,
            base_correlation: None,
            correlation: None,
            contests: Vec::new(),
        }
    }
}

/// One game.
fn one(
    sheet: &Sheet,
    args: &AbstractionArgs,
    player: &PlayerSpec,
    others: &[PlayerSpec],
    cancel: &Cancel,
) -> Result<Row> {
    let mut row = Row::new(sheet);
    let begun = Instant::now();
    let rules = sheet.rules()?;
    let engine = load(EngineChoice::Auto, sheet, &rules, cancel)?.engine;
    row.load = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let mut left = MOST_WATCHED;
    let more = |stage: Stage| {
        left = left.saturating_sub(u32::from(stage == Stage::Observe));
        begun.elapsed().as_secs_f64() < STUDIED * args.seconds && (left > 0 || stage != Stage::Observe)
    };
    let plan = Plan { seed: args.seed, cancel: cancel.clone(), ..Plan::play(more) };
    let study = Study::run(&rules, &engine, plan);
    row.study = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let time = args.seconds * (1.0 - STUDIED);
    let spent = || if cancel.is_cancelled() { 2.0 } else { (begun.elapsed().as_secs_f64() / time) as f32 };
    let settings = Default::default();
    let found = Looking { engine: &engine, study: &study, seed: args.seed, settings, spent: &spent }.run(&mut |_| {});
    row.look = begun.elapsed().as_secs_f64();
    let Patterns { board, watched, choice } = match found {
        Ok(found) => found,
        Err(why) => return Ok(Row { none: Some(why), ..row }),
    };
    row.patterns = choice.chosen.iter().map(|one| one.table.pattern.words(&board)).collect();
    row.none = choice.none.map(str::to_string);
    row.bytes = choice.chosen.iter().map(|one| one.table.pattern.entries()).sum();
    row.games = watched.games;
    row.built = choice.tried.iter().filter(|one| one.table.is_ok()).count();
    row.base = choice.base;
    row.loss = choice.chosen.last().and_then(|one| one.loss);
    if let Some((base, with)) = choice.correlations {
        (row.base_correlation, row.correlation) = (Some(base), Some(with));
    }
    if choice.evaluator.is_none() || args.pairs == 0 {
        return Ok(row);
    }
    let knowledge = Knowledge::new(&Arc::new(rules), None, &Events::ignored());
    let _ = (knowledge.study.set(study), knowledge.patterns.set(choice.evaluator));
    let knowledge = Arc::new(knowledge);
    for other in others {
        row.contests.push(contest(&engine, &knowledge, player, other, args, cancel)?);
    }
    Ok(row)
}

/// The first lines of the table.
fn head(others: &[PlayerSpec], args: &AbstractionArgs, out: Out<'_>) -> Result<()> {
    let others: Vec<&PlayerSpec> = if args.pairs == 0 { Vec::new() } else { others.iter().collect() };
    let columns = "| game | patterns | size | load | study | look | games | loss of counting | with patterns | correlation of counting | with patterns |";
    writeln!(out, "{columns}{}", others.iter().map(|other| format!(" points against {other} |")).collect::<String>())?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|---|---|{}", "---|".repeat(others.len()))?;
    Ok(())
}

/// A line of the table.
fn show(row: &Row, others: &[PlayerSpec], args: &AbstractionArgs, out: Out<'_>) -> Result<()> {
    let number = |value: Option<f64>| value.map_or("–".to_string(), |value| format!("{value:.4}"));
    let patterns = match (&row.error, &row.none) {
        (Some(error), _) => format!("failed: {}", error.replace('\n', " ")),
        (None, Some(why)) => format!("none: {why}"),
        (None, None) => row.patterns.join("; "),
    };
    let size = if row.bytes == 0 { "–".to_string() } else { memory::size(row.bytes) };
    write!(
        out,
        "| {} | {patterns} | {size} | {:.1} | {:.1} | {:.1} | {} ",
        row.game, row.load, row.study, row.look, row.games
    )?;
    write!(out, "| {} | {} ", number(row.base), number(row.loss))?;
    write!(out, "| {} | {} |", number(row.base_correlation), number(row.correlation))?;
    for at in (0..others.len()).filter(|_| args.pairs > 0) {
        write!(out, " {} |", row.contests.get(at).map_or("–".to_string(), Contest::words))?;
    }
    writeln!(out)?;
    Ok(())
}
