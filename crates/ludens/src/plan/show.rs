//! `ludens plan show`: a plan for people, in the terminal or as a page, and for programs.

use super::args::PlanShowArgs;
use super::tell;
use crate::board::Boards;
use ::plan::Plan;
use ::plan::page::page;
use ::plan::report::{Block, plies};
use agent::plans::{facts, find, ground, rules_of};
use agent::{EngineChoice, engines};
use anyhow::Result;
use platform::{Interrupt, save};
use serde_json::json;
use std::path::Path;
use terminal::text::{aligned, wrap_for_terminal};
use terminal::{Answer, Out, Progress};

/// What is shown beside the plan itself.
#[derive(Default)]
pub struct Showing<'a> {
    /// The rules, where the library does not have them.
    pub game: Option<&'a str>,
    /// How long the plan was looked for.
    pub seconds: Option<f64>,
    /// The page to write.
    pub html: Option<&'a Path>,
    /// Whether programs read it.
    pub json: bool,
}

/// Runs the command.
pub fn run(args: &PlanShowArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let (path, mut plan) = find(&args.plan, args.folder.as_deref())?;
    if !args.plies.is_empty() {
        let mut progress = Progress::new();
        let cancel = interrupt.cancel();
        let depths: Vec<usize> = args.plies.iter().map(|&plies| usize::from(plies)).collect();
        let ground = ground::Under {
            game: args.game.as_deref(),
            folder: args.folder.as_deref(),
            limit: args.memory,
            cancel: &cancel,
        };
        let played = ground::play_stages(&plan, &depths, &ground, &mut |step| match step {
            ground::Step::Table(men, step) => tell(&mut progress, men, step),
            ground::Step::Play(done, all) => {
                progress.at(|seconds| format!("play by stages: {done} of {all}, {seconds:.0} s"))
            }
        })?;
        plan.stages.iter_mut().for_each(|stages| stages.played.clone_from(&played));
    }
    let showing = Showing { game: args.game.as_deref(), seconds: None, html: args.html.as_deref(), json: args.json };
    write(&plan, &path, &showing, out)?;
    Ok(Answer::Yes)
}

/// Shows a plan that is kept in a file.
pub fn write(plan: &Plan, path: &Path, showing: &Showing<'_>, out: Out<'_>) -> Result<()> {
    let boards = || boards(plan, showing.game);
    if let Some(file) = showing.html {
        let found = boards();
        let draw = |position: &str| match &found {
            Ok(boards) => study::picture::svg(&boards.layout().picture(&facts(plan, position), None)),
            Err(_) => String::new(),
        };
        save(file, &page(plan, &draw))?;
    }
    if showing.json {
        let told = plan.stages.as_ref().map(|stages| stages.told(&plan.board));
        let report = json!({ "file": path, "subject": plan.subject, "plies": plan.plies, "sentences": plan.sentences(),
            "words": plan.word_count(), "meanings": plan.meanings(), "stage_meanings": plan.stage_meanings(), "reached": plan.reached, "verdict": plan.verdict,
            "verdict_sentences": plan.verdict_sentences(), "examples": plan.examples, "stages": plan.stages,
            "stages_told": told, "cases": plan.cases, "cases_told": plan.cases.as_ref().map(|cases| cases.told(&plan.board)), "seconds": showing.seconds });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        return Ok(writeln!(out)?);
    }
    if let Some(file) = showing.html {
        return Ok(writeln!(out, "{} in {}", plan.title(), file.display())?);
    }
    writeln!(out, "{}, looking {} ahead, {} words", plan.title(), plies(plan.plies), plan.word_count())?;
    let mut boards = boards();
    if let Err(why) = &boards {
        writeln!(out, "\n{}", wrap_for_terminal(&format!("The boards are not shown: {why:#}"), 2))?;
    }
    for block in plan.report() {
        put(plan, &block, boards.as_mut().ok(), out)?;
    }
    if let Some(seconds) = showing.seconds {
        writeln!(out, "\nfound in {}, in {}", terminal::text::seconds(seconds), path.display())?;
    }
    Ok(())
}

/// A part of the plan on the terminal.
fn put(plan: &Plan, block: &Block, boards: Option<&mut Boards>, out: Out<'_>) -> Result<()> {
    let mut line = |text: &str, indent: usize| writeln!(out, "{}", wrap_for_terminal(text, indent));
    match block {
        Block::Heading(text) => line(&format!("\n== {text} =="), 0)?,
        Block::Under(text) => line(&format!("\n-- {text}"), 3)?,
        Block::Text(text) => line(&format!("\n{text}"), 0)?,
        Block::Note(text) => line(&format!("({text})"), 1)?,
        Block::Numbered(list) => {
            line("", 0)?;
            for (at, text) in list.iter().enumerate() {
                line(&format!("{:>3}. {text}", at + 1), 5)?;
            }
        }
        Block::Lines(lines) => {
            for (depth, text) in lines {
                line(&format!("{}- {text}", "  ".repeat(depth + 1)), 2 * depth + 4)?;
            }
        }
        Block::Terms(terms) => {
            for (word, meaning) in terms {
                line(&format!("  {word}: {meaning}"), 4)?;
            }
        }
        Block::Table(rows) | Block::Plotted(rows) => write!(out, "\n{}", aligned(rows))?,
        Block::Board(position, said) => {
            line("", 0)?;
            for text in said {
                line(text, 2)?;
            }
            if let Some(boards) = boards {
                boards.forget();
                write!(out, "{}", boards.draw(&facts(plan, position)))?;
            }
        }
        Block::Plot(_) => {}
    }
    Ok(())
}

/// How positions of a plan's game are drawn.
pub fn boards(plan: &Plan, given: Option<&str>) -> Result<Boards> {
    let (sheet, rules) = rules_of(plan, given)?;
    let engine = engines::engine(EngineChoice::Auto, &sheet, &rules)?;
    Boards::new(&rules, &engine).dressed(&sheet)
}
