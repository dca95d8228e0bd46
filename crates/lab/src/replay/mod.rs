//! `ludens replay`: recorded games played again, and everything compared.

mod guard;
mod matches;
mod tasks;
mod trace;

use crate::args::ReplayArgs;
use anyhow::{Result, bail};
use guard::{Heard, Reached, Row, Verdict};
use serde_json::{Value, json};
use std::thread;
use std::time::Duration;
use terminal::{Answer, Out, Progress, text};

/// Runs the command.
pub fn run(args: &ReplayArgs, out: Out<'_>) -> Result<Answer> {
    let tasks = match &args.path {
        None => tasks::of_library(args.engine, args.nodes),
        Some(path) if path.is_dir() => tasks::of_folder(path, args.game.as_deref(), args.engine)?,
        Some(path) if path.exists() => vec![tasks::of_file(path, args.game.as_deref(), args.engine)?],
        Some(path) => bail!("there is no {}", path.display()),
    };
    let processors = || thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.map_or_else(processors, usize::from);
    let names = tasks.iter().map(|task| task.name.chars().count()).max().unwrap_or(0).max(4);
    let mut summary = Summary::default();
    let mut rows = Vec::new();
    if !args.json {
        writeln!(out, "{:<names$}  {:>9}  {:>7}  {:>9}  {:>9}  result", "game", "steps", "perft", "load", "time")?;
    }
    let count = tasks.len();
    let mut progress = Progress::new();
    guard::run_all(tasks, jobs, Duration::from_secs_f64(args.seconds), |heard| {
        let row = match heard {
            Heard::Row(row) => row,
            Heard::Done(done) => {
                progress.fraction(done as f64 / count as f64, |_| format!("{done} of {}", text::count(count, "game")));
                return Ok(());
            }
        };
        progress.wipe();
        summary.add(&row);
        if args.json {
            rows.push(to_json(&row));
            return Ok(());
        }
        writeln!(out, "{}", line(&row, names))?;
        out.flush()
    })?;
    drop(progress);
    if args.json {
        let report = json!({ "games": rows, "summary": summary.to_json() });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{}", summary.line())?;
    }
    Ok(if summary.mismatches + summary.errors > 0 { Answer::No } else { Answer::Yes })
}

/// `a/b`, or a dash where there is nothing.
fn part((done, all): (usize, usize)) -> String {
    if all == 0 { "-".to_string() } else { format!("{done}/{all}") }
}

fn line(row: &Row, names: usize) -> String {
    let Row { name, verdict, reached: Reached { steps, perft, load, .. }, seconds } = row;
    let load = load.map_or("-".to_string(), text::seconds);
    let result = match verdict {
        Verdict::Ok => "ok".to_string(),
        Verdict::Loaded => "loaded; nothing to compare with".to_string(),
        Verdict::Cut(at) => format!("ok, cut by time at {at}"),
        Verdict::Mismatch(what) => format!("MISMATCH: {what}"),
        Verdict::Error(what) => format!("error: {what}"),
    };
    let (steps, perft, time) = (part(*steps), part(*perft), text::seconds(*seconds));
    format!("{name:<names$}  {steps:>9}  {perft:>7}  {load:>9}  {time:>9}  {result}")
}

fn to_json(row: &Row) -> Value {
    let (result, detail) = match &row.verdict {
        Verdict::Ok => ("ok", None),
        Verdict::Loaded => ("loaded", None),
        Verdict::Cut(at) => ("cut", Some(at)),
        Verdict::Mismatch(what) => ("mismatch", Some(what)),
        Verdict::Error(what) => ("error", Some(what)),
    };
    let Reached { steps, perft, load, .. } = &row.reached;
    json!({
        "game": row.name, "result": result, "detail": detail,
        "steps": steps.0, "steps_recorded": steps.1, "perft": perft.0, "perft_recorded": perft.1,
        "load_seconds": load, "seconds": row.seconds,
    })
}

/// All rows together.
#[derive(Default)]
struct Summary {
    games: usize,
    ok: usize,
    loaded: usize,
    cut: usize,
    mismatches: usize,
    errors: usize,
    steps: (usize, usize),
}

impl Summary {
    fn add(&mut self, row: &Row) {
        self.games += 1;
        self.steps.0 += row.reached.steps.0;
        self.steps.1 += row.reached.steps.1;
        *match row.verdict {
            Verdict::Ok => &mut self.ok,
            Verdict::Loaded => &mut self.loaded,
            Verdict::Cut(_) => &mut self.cut,
            Verdict::Mismatch(_) => &mut self.mismatches,
            Verdict::Error(_) => &mut self.errors,
        } += 1;
    }

    fn line(&self) -> String {
        let Summary { games, ok, loaded, cut, mismatches, errors, steps } = self;
        let games = text::count(*games, "game");
        let loaded =
            if *loaded > 0 { format!(", {loaded} only loaded (nothing to compare with)") } else { String::new() };
        let steps = format!("{} of {} steps compared", steps.0, steps.1);
        let (mismatches, errors) = (text::count(*mismatches, "mismatch"), text::count(*errors, "error"));
        format!("{games}: {ok} ok{loaded}, {cut} cut by time, {mismatches}, {errors}; {steps}")
    }

    fn to_json(&self) -> Value {
        json!({
            "games": self.games, "ok": self.ok, "loaded": self.loaded, "cut": self.cut,
            "mismatches": self.mismatches, "errors": self.errors,
            "steps": self.steps.0, "steps_recorded": self.steps.1,
        })
    }
}
