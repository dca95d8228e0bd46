//! `ludens solve`: a game solved outright from its rules.

pub mod args;
mod report;

use crate::engine::{Job, Loaded};
use crate::perft::role_names;
use crate::progress::Progress;
use crate::source::{Sheet, load};
use crate::tables::{self, place};
use crate::{Answer, Out, interrupt};
use ::table::file::Form;
use ::table::solve::{Options, Phase, Reach, Solved, key_of_facts};
use anyhow::{Context, Result};
use args::SolveArgs;
use game::Names;
use report::Report;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Runs the command.
pub fn run(args: &SolveArgs, out: Out<'_>) -> Result<Answer> {
    let (sheet, rules) = load(&args.game)?;
    let path = path(args, &sheet)?;
    let stop = interrupt::flag();
    let loaded = Loaded::new(args.engine, &sheet, &rules, Some(Arc::clone(&stop)))?;
    let rules = gdl::print(&rules, gdl::Form::Kif);
    let job = Solve { args, sheet: &sheet, rules: &rules, path, stop: &stop };
    let mut report = loaded.run(job)?;
    report.engine = loaded.engine().name();
    report.write(args.json, args.line, out)?;
    Ok(Answer::Yes)
}

/// Where to store the table, if it is to be stored.
fn path(args: &SolveArgs, sheet: &Sheet) -> Result<Option<PathBuf>> {
    match &args.save {
        None => Ok(None),
        Some(Some(path)) => Ok(Some(path.clone())),
        Some(None) => Ok(Some(tables::solved_path(&place::folder(args.folder.as_deref())?, &sheet.name))),
    }
}

struct Solve<'a> {
    args: &'a SolveArgs,
    sheet: &'a Sheet,
    rules: &'a str,
    path: Option<PathBuf>,
    stop: &'a AtomicBool,
}

impl Job for Solve<'_> {
    type Out = Result<Report>;

    fn run<G: Names>(self, game: &G) -> Result<Report> {
        let started = Instant::now();
        let start = game.start();
        let state_bytes = (size_of::<G::State>() + 48 + 8 * game.facts(&start).len()) as u64;
        let options = Options { memory: place::budget(self.args.memory), state_bytes, ..Options::default() };
        let name = |state: &G::State| key_of_facts(game.facts(state));
        let name = self.path.is_some().then_some(&name as &::table::solve::Name<'_, G>);
        let mut progress = Progress::new();
        let mut needed = 0;
        let mut watch = |reach: &Reach| {
            needed = needed.max(reach.needed);
            progress.at(|seconds| words(reach, seconds));
            !self.stop.load(Ordering::Relaxed)
        };
        let solved = ::table::solve::solve(game, &options, name, &mut watch);
        drop(progress);
        let name = &self.sheet.name;
        let solved = solved.with_context(|| match self.args.memory {
            _ if self.stop.load(Ordering::Relaxed) => format!("{name} is not solved"),
            None => format!("{name} cannot be solved here (--memory MiB sets the limit on memory)"),
            Some(_) => format!("{name} cannot be solved"),
        })?;
        let entry = solved.probe(&start).context("the start is not among the states of its own game")?;
        let line = solved.line(game, &start)?;
        let mut report = Report::new(name, role_names(game), &solved, entry);
        report.take_line(game, &solved, line)?;
        report.memory = needed;
        report.seconds = started.elapsed().as_secs_f64();
        report.table = self.store(&solved, &report)?;
        Ok(report)
    }
}

impl Solve<'_> {
    fn store(&self, solved: &Solved, report: &Report) -> Result<Option<PathBuf>> {
        let Some(path) = &self.path else { return Ok(None) };
        tables::make_folder_of(path)?;
        let form = if self.args.compress { Form::Compressed } else { Form::Raw };
        solved.store(path, &place::file_name(&self.sheet.name), self.rules, form, report.statistics())?;
        Ok(Some(path.clone()))
    }
}

fn words(reach: &Reach, seconds: f64) -> String {
    let Reach { states, expanded, depth, needed, .. } = reach;
    let size = place::size(*needed);
    match reach.phase {
        Phase::Forward => format!(
            "{states} states, {expanded} expanded, {depth} moves deep, {size}, {seconds:.0} s, {:.0} states/s",
            *expanded as f64 / seconds
        ),
        Phase::Backward => format!("{expanded} of {states} states valued, {seconds:.0} s"),
    }
}
