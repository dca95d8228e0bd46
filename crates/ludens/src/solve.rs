//! `ludens solve`: a game solved outright from its rules.

mod advice;
pub mod args;
mod report;

use crate::tables;
use ::table::file::Form;
use ::table::solve::{
    Beyond, Counter, FactKeys, Limited, Name, Options, Phase, Reach, SolveError, Solved, StoredGame, Watch,
    solve_limited,
};
use ::table::store::Store;
use anyhow::Result;
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
use study::PlyLimit;
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
    let job = Solve { args, sheet: &sheet, text: &text, identity: &identity, path, cancel: &cancel };
    let started = Instant::now();
    // Games of more roles are refused, with or without a counter.
    let limit = if begun.engine.roles() <= 2 { study::ply_limit(&begun.rules) } else { None };
    let without = limit.map(|limit| job.run_without_counter(&limit)).transpose()?.flatten();
    let mut found = without.map_or_else(|| job.run_whole(&begun.engine), Ok)?;
    found.report.seconds = started.elapsed().as_secs_f64();
    let stored = job.store(&found);
    found.report.unstored = stored.as_ref().err().map(|error| format!("{error:#}"));
    found.report.table = stored.as_ref().ok().cloned().flatten();
    found.report.write(args.json, args.line, out)?;
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
    text: &'a str,
    identity: &'a str,
    path: Option<PathBuf>,
    cancel: &'a Cancel,
}

/// What was found.
struct Found {
    solution: Solution,
    report: Report,
}

enum Solution {
    Whole(Solved),
    WithoutCounter(Limited),
}

/// What a solver is given beside the game.
struct Given<'a> {
    options: &'a Options,
    name: Option<&'a Name<'a, Engine>>,
    watch: Watch<'a>,
}

impl Solve<'_> {
    /// The game without the counter that ends it; `None` if it has to be solved with the counter, and then it is told why.
    fn run_without_counter(&self, limit: &PlyLimit) -> Result<Option<Found>> {
        let counter = Counter { facts: limit.facts.clone() };
        advice::counter(&self.sheet.name, &counter);
        let game = match agent::load(self.args.engine, self.sheet, &limit.rules, self.cancel) {
            Ok(loaded) => loaded.engine,
            Err(error) if self.cancel.is_cancelled() => return Err(error),
            Err(error) => {
                advice::with_counter(&self.sheet.name, &format!("{error:#}"));
                return Ok(None);
            }
        };
        let mut beyond = Beyond::new(counter.plies());
        let mut go_on = |reach: &Reach| !beyond.is_too_much(reach);
        let (solved, memory) = self.solve(&game, &mut go_on, |Given { options, name, watch }| {
            solve_limited(&game, &counter, options, name, watch)
        });
        let solved = match solved {
            Ok(solved) => solved,
            Err(error) => {
                return match beyond.reason(&error) {
                    Some(why) if !self.cancel.is_cancelled() => {
                        advice::with_counter(&self.sheet.name, &why);
                        Ok(None)
                    }
                    Some(_) | None => Err(self.failed(error)),
                };
            }
        };
        let mut report = Report::new(&self.sheet.name, role_names(&game), solved.statistics(), solved.start());
        let line = solved.line(&game, &(game.start(), 0))?;
        let probe = |state: &State, plies: usize| solved.probe(state, counter.plies().saturating_sub(plies as u32));
        report.take_line(&game, line, &probe)?;
        (report.engine, report.memory, report.counter) = (game.kind().name(), memory, Some(counter));
        Ok(Some(Found { solution: Solution::WithoutCounter(solved), report }))
    }

    /// The game as it is.
    fn run_whole(&self, game: &Engine) -> Result<Found> {
        let (solved, memory) = self.solve(game, &mut |_| true, |Given { options, name, watch }| {
            ::table::solve::solve(game, options, name, watch)
        });
        let solved = solved.map_err(|error| self.failed(error))?;
        let mut report = Report::new(&self.sheet.name, role_names(game), solved.statistics(), solved.start());
        let line = solved.line(game, &game.start())?;
        report.take_line(game, line, &|state: &State, _| solved.probe(state))?;
        (report.engine, report.memory) = (game.kind().name(), memory);
        Ok(Found { solution: Solution::Whole(solved), report })
    }

    /// Runs a solver and tells how far it is; also how much memory it needed. It ends early when `go_on` says no.
    fn solve<T>(
        &self,
        game: &Engine,
        go_on: &mut dyn FnMut(&Reach) -> bool,
        solver: impl FnOnce(Given<'_>) -> Result<T, SolveError>,
    ) -> (Result<T, SolveError>, u64) {
        let options = Options { memory: memory::budget(self.args.memory), ..Options::default() };
        let keys = FactKeys::new();
        let name = |state: &State| keys.key(game, state);
        let name = self.path.is_some().then_some(&name as &Name<'_, Engine>);
        let mut progress = Progress::new();
        let mut needed = 0;
        let mut watch = |reach: &Reach| {
            needed = needed.max(reach.needed);
            progress.at(|seconds| words(reach, seconds));
            !self.cancel.is_cancelled() && go_on(reach)
        };
        let solved = solver(Given { options: &options, name, watch: &mut watch });
        (solved, needed)
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

    fn store(&self, found: &Found) -> Result<Option<PathBuf>> {
        let Some(path) = &self.path else { return Ok(None) };
        let form = if self.args.compress { Form::Compressed } else { Form::Raw };
        let name = folders::file_name(&self.sheet.name);
        let roles = found.report.roles();
        let game = StoredGame { name: &name, roles, identity: self.identity, rules: self.text };
        let stored = tables::make_folder_of(path).and_then(|()| {
            through(path, |path| match &found.solution {
                Solution::Whole(solved) => Ok(solved.store_game(path, &game, form)?),
                Solution::WithoutCounter(limited) => Ok(limited.store_game(path, &game, form)?),
            })
        });
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
