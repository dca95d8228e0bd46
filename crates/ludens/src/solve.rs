//! `ludens solve`: a game solved outright from its rules.

pub mod args;
mod report;

use crate::tables;
use ::table::file::Form;
use ::table::solve::{FactKeys, Options, Phase, Reach, SolveError, Solved, StoredGame};
use ::table::store::Store;
use anyhow::{Context, Result};
use args::SolveArgs;
use game::role_names;
use game::{Cancel, Game};
use library::{Sheet, load};
use machine::{Engine, State};
use platform::save::through;
use platform::{Interrupt, folders, memory};
use report::Report;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::time::Instant;
use terminal::Progress;
use terminal::{Answer, Out};

/// Runs the command.
pub fn run(args: &SolveArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let (sheet, rules) = load(&args.game)?;
    let cancel = interrupt.cancel();
    let begun = args.opening.begin(args.engine, &sheet, rules, &cancel)?;
    let (game, rules) = (begun.engine, gdl::print(&begun.rules, gdl::Form::Kif));
    let identity = gdl::identity(&begun.rules).to_string();
    let path = path(args, &sheet, &identity)?;
    let job = Solve { args, sheet: &sheet, rules: &rules, identity: &identity, path, cancel: &cancel };
    let (mut report, unstored) = job.run(&game)?;
    report.engine = game.kind().name();
    report.write(args.json, args.line, out)?;
    // What was found is worth telling even if it could not be stored.
    unstored.map_or(Ok(Answer::Yes), |error| Err(error.context("the game is solved, but its table is not stored")))
}

/// Whether somebody asked for the table. What nobody asked for may fail with a warning.
fn asked(args: &SolveArgs) -> bool {
    args.save.is_some() || args.folder.is_some() || args.compress
}

/// Where to store the table, if it is to be stored.
fn path(args: &SolveArgs, sheet: &Sheet, identity: &str) -> Result<Option<PathBuf>> {
    if args.no_save {
        return Ok(None);
    }
    if let Some(Some(path)) = &args.save {
        if path.parent().is_some_and(Path::is_dir) {
            // Better before the work than after it. A folder that is missing is made.
            platform::can_save(path)?;
        }
        return Ok(Some(path.clone()));
    }
    match folders::tables(args.folder.as_deref()) {
        Ok(folder) => Ok(Some(Store::new(folder).solved_path(&folders::file_name(&sheet.name), identity))),
        Err(error) if asked(args) => Err(error),
        Err(error) => {
            warn(&error);
            Ok(None)
        }
    }
}

fn warn(error: &anyhow::Error) {
    let _ = writeln!(stderr(), "warning: the table is not stored: {error:#}");
}

struct Solve<'a> {
    args: &'a SolveArgs,
    sheet: &'a Sheet,
    rules: &'a str,
    identity: &'a str,
    path: Option<PathBuf>,
    cancel: &'a Cancel,
}

impl Solve<'_> {
    /// What was found, and why it is not stored although somebody asked for that.
    fn run(self, game: &Engine) -> Result<(Report, Option<anyhow::Error>)> {
        let started = Instant::now();
        let start = game.start();
        let options = Options { memory: memory::budget(self.args.memory), ..Options::default() };
        let keys = FactKeys::new();
        let name = |state: &State| keys.key(game, state);
        let name = self.path.is_some().then_some(&name as &::table::solve::Name<'_, Engine>);
        let mut progress = Progress::new();
        let mut needed = 0;
        let mut watch = |reach: &Reach| {
            needed = needed.max(reach.needed);
            progress.at(|seconds| words(reach, seconds));
            !self.cancel.is_cancelled()
        };
        let solved = ::table::solve::solve(game, &options, name, &mut watch);
        drop(progress);
        let name = &self.sheet.name;
        // Ways out where memory was the trouble.
        let mut ways = Vec::new();
        if matches!(solved, Err(SolveError::Memory { .. })) {
            ways.extend(self.args.memory.is_none().then_some("--memory MiB sets the limit on memory"));
            ways.extend(self.path.is_some().then_some("--no-save takes less"));
        }
        let ways = if ways.is_empty() { String::new() } else { format!(" here ({})", ways.join("; ")) };
        let solved = solved.with_context(|| match self.cancel.is_cancelled() {
            true => format!("{name} is not solved"),
            false => format!("{name} cannot be solved{ways}"),
        })?;
        let entry = solved.probe(&start).context("the start is not among the states of its own game")?;
        let line = solved.line(game, &start)?;
        let mut report = Report::new(name, role_names(game), &solved, entry);
        report.take_line(game, &solved, line)?;
        report.memory = needed;
        report.seconds = started.elapsed().as_secs_f64();
        let stored = self.store(&solved, &report);
        let unstored = stored.as_ref().err().map(|error| format!("{error:#}"));
        report.table = stored.as_ref().ok().cloned().flatten();
        report.unstored = unstored;
        Ok((report, stored.err()))
    }
}

impl Solve<'_> {
    fn store(&self, solved: &Solved, report: &Report) -> Result<Option<PathBuf>> {
        let Some(path) = &self.path else { return Ok(None) };
        let form = if self.args.compress { Form::Compressed } else { Form::Raw };
        let name = folders::file_name(&self.sheet.name);
        let game = StoredGame { name: &name, roles: report.roles(), identity: self.identity, rules: self.rules };
        let stored =
            tables::make_folder_of(path).and_then(|()| through(path, |path| Ok(solved.store_game(path, &game, form)?)));
        match stored {
            Ok(()) => Ok(Some(path.clone())),
            Err(error) if asked(self.args) => Err(error),
            Err(error) => {
                warn(&error);
                Ok(None)
            }
        }
    }
}

fn words(reach: &Reach, seconds: f64) -> String {
    let Reach { states, expanded, depth, needed, .. } = reach;
    let size = memory::size(*needed);
    match reach.phase {
        Phase::Forward => format!(
            "{states} states, {expanded} expanded, {depth} moves deep, {size}, {seconds:.0} s, {:.0} states/s",
            *expanded as f64 / seconds
        ),
        Phase::Backward => format!("{expanded} of {states} states valued, {seconds:.0} s"),
    }
}
