//! Each measurement has a process of its own: memory is counted from nothing, one game cannot slow down the next, and
//! what takes too long can be ended.

use super::measure::{Measured, Outcome, Row, measure};
use agent::EngineChoice;
use anyhow::{Context, Result, bail};
use library::Sheet;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use terminal::{Answer, Out};

/// What to measure.
pub struct Order<'a> {
    /// The rulesheet.
    pub sheet: &'a Sheet,
    /// What to call it.
    pub name: &'a str,
    /// The engine.
    pub engine: EngineChoice,
    /// How long to play.
    pub seconds: f64,
    /// How long to wait for everything.
    pub limit: f64,
    /// The seed.
    pub seed: u64,
    /// The program, if it is not this one.
    pub program: Option<PathBuf>,
}

/// Measures in a process of its own. `waiting` is called a few times a second.
pub fn row(order: &Order<'_>, waiting: &mut dyn FnMut()) -> Row {
    let Order { name, engine, .. } = order;
    let outcome = match ask(order, waiting) {
        Ok(outcome) => outcome,
        Err(error) => Outcome::Failed { error: format!("{error:#}") },
    };
    Row { game: name.to_string(), asked: engine.name().to_string(), outcome }
}

fn ask(order: &Order<'_>, waiting: &mut dyn FnMut()) -> Result<Outcome> {
    let program = match &order.program {
        Some(program) => program.clone(),
        None => std::env::current_exe().context("cannot find this program")?,
    };
    let mut child = Command::new(&program)
        .args(["bench", "--one", "--engine", order.engine.name()])
        .args(["--seconds", &order.seconds.to_string(), "--seed", &order.seed.to_string()])
        .args(["--", order.name])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {} to measure in", program.display()))?;
    let text = order.sheet.text.clone().into_owned();
    let mut stdin = child.stdin.take().context("no way to talk to the process")?;
    // On a thread of its own: a long text does not fit into a pipe at once. An error shows in what the process says.
    let writer = thread::spawn(move || drop(stdin.write_all(text.as_bytes())));
    let ended = wait(&mut child, order.limit, waiting)?;
    let _ = writer.join();
    if !ended {
        bail!("not done within {} s (`--limit`)", order.limit);
    }
    let mut said = String::new();
    child.stdout.take().context("the process has no output")?.read_to_string(&mut said)?;
    if let Ok(outcome) = serde_json::from_str(&said) {
        return Ok(outcome);
    }
    let mut complaint = String::new();
    child.stderr.take().context("the process has no output")?.read_to_string(&mut complaint)?;
    let complaint = complaint.lines().find(|line| !line.trim().is_empty()).unwrap_or("no message").to_string();
    bail!("the engine crashed: {complaint}")
}

/// Waits for the end of a process, and ends it when the time is over. Whether it ended by itself.
fn wait(child: &mut Child, limit: f64, waiting: &mut dyn FnMut()) -> Result<bool> {
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if child.try_wait().context("cannot wait for the process")?.is_some() {
            return Ok(true);
        }
        if started.elapsed().as_secs_f64() > limit {
            child.kill().context("cannot end the process")?;
            child.wait().context("cannot wait for the process")?;
            return Ok(false);
        }
        waiting();
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// The other side: reads a rulesheet from standard input, measures, and says what came of it.
pub fn answer(name: &str, engine: EngineChoice, seconds: f64, seed: u64, out: Out<'_>) -> Result<Answer> {
    let sheet = Sheet::read(name.to_string(), std::io::stdin().lock())?;
    let measured: Result<Measured> = measure(&sheet, engine, seconds, seed);
    let outcome = match measured {
        Ok(measured) => Outcome::Measured(Box::new(measured)),
        Err(error) => Outcome::Failed { error: format!("{error:#}") },
    };
    serde_json::to_writer(&mut *out, &outcome)?;
    Ok(Answer::Yes)
}
