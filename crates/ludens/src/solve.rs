//! `ludens solve`: a game solved outright from its rules.

mod advice;
pub mod args;
mod report;

use crate::opening::Begun;
use ::table::file::Form;
use ::table::solve::{Phase, Reach, SolveError, StoredGame};
use ::table::store::Store;
use agent::solving::{Solution, Solving, Step};
use anyhow::Result;
use args::SolveArgs;
use game::Cancel;
use library::{Sheet, load};
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
    let text = gdl::print(&begun.rules, gdl::Form::Kif);
    let identity = gdl::identity(&begun.rules).to_string();
    let path = path(args, &sheet, &identity)?;
    advice::twin(&sheet.name, &begun.rules);
    let job = Solve { args, sheet: &sheet, path, cancel: &cancel };
    let started = Instant::now();
    let solution = job.run(&begun)?;
    let seconds = started.elapsed().as_secs_f64();
    let stored = job.store(&solution, &identity, &text);
    let report = Report {
        name: &sheet.name,
        solution: &solution,
        seconds,
        table: stored.as_ref().ok().cloned().flatten(),
        unstored: stored.as_ref().err().map(|error| format!("{error:#}")),
    };
    report.write(args.json, args.line, out)?;
    // What was found is worth telling even if it could not be stored.
    stored.err().map_or(Ok(Answer::Yes), |error| Err(error.context("the game is solved, but its table is not stored")))
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
    path: Option<PathBuf>,
    cancel: &'a Cancel,
}

impl Solve<'_> {
    fn run(&self, begun: &Begun) -> Result<Solution> {
        let solving = Solving {
            sheet: self.sheet,
            rules: &begun.rules,
            engine: &begun.engine,
            choice: self.args.engine,
            memory: memory::budget(self.args.memory),
            is_stored: self.path.is_some(),
            cancel: self.cancel,
        };
        let mut progress = Progress::new();
        let solution = solving.run(&mut |step| match step {
            Step::WithoutCounter(counter) => advice::counter(&self.sheet.name, counter),
            Step::WithCounter(why) => {
                progress = Progress::new();
                advice::with_counter(&self.sheet.name, why);
            }
            Step::At(reach) => progress.at(|seconds| words(reach, seconds)),
        });
        solution.map_err(|error| error.downcast().map_or_else(|error| error, |error| self.failed(error)))
    }

    /// Why there is no solution, with ways out where memory was the trouble.
    fn failed(&self, error: SolveError) -> anyhow::Error {
        let name = &self.sheet.name;
        let mut ways = Vec::new();
        if matches!(error, SolveError::Memory { .. }) {
            ways.extend(self.args.memory.is_none().then_some("--memory MiB sets the limit on memory"));
            ways.extend(self.path.is_some().then_some("--no-save takes less"));
        }
        let ways = if ways.is_empty() { String::new() } else { format!(" here ({})", ways.join("; ")) };
        anyhow::Error::new(error).context(match self.cancel.is_cancelled() {
            true => format!("{name} is not solved"),
            false => format!("{name} cannot be solved{ways}"),
        })
    }

    fn store(&self, solution: &Solution, identity: &str, rules: &str) -> Result<Option<PathBuf>> {
        let Some(path) = &self.path else { return Ok(None) };
        let form = if self.args.compress { Form::Compressed } else { Form::Raw };
        let name = folders::file_name(&self.sheet.name);
        let game = StoredGame { name: &name, roles: &solution.roles, identity, rules };
        let stored =
            folders::make_for(path).and_then(|()| through(path, |path| Ok(solution.store(path, &game, form)?)));
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
