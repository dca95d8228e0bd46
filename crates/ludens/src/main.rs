//! `ludens`: the one binary, and the only door outside. Reads the command line, runs the command, and turns what came of
//! it into an exit status.

#![forbid(unsafe_code)]

mod abstraction;
mod analyse;
mod board;
mod check;
mod cli;
mod compile;
mod engine;
mod fleet;
mod games;
mod human;
mod manual;
mod matches;
mod opening;
mod patterns;
mod plan;
mod play;
mod player;
mod record;
mod report;
mod show;
mod solve;
mod studio;
mod study;
mod tables;
mod tournament;
mod tune;

use clap::Parser;
use cli::{Cli, Command};
use platform::interrupt::INTERRUPTED;
use platform::{Interrupt, Interrupted};
use std::io::{self, Write};
use std::process::ExitCode;
use terminal::{Answer, Out, text};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = io::BufWriter::new(io::stdout());
    let interrupt = match Interrupt::listen(|| say(&format!("interrupted; {KEPT}"))) {
        Ok(interrupt) => interrupt,
        Err(error) => return failed(&error),
    };
    let result = run(&cli.command, &interrupt, &mut out);
    interrupt.children().end();
    let result = result.and_then(|answer| Ok(out.flush().map(|()| answer)?));
    match result {
        // Whoever read our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Ok(_) if interrupt.is_interrupted() => interrupted(KEPT),
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Err(error) => {
            let _ = out.flush();
            Interrupted::words(&error, &interrupt).map_or_else(|| failed(&error), |kept| interrupted(&kept))
        }
    }
}

/// What is kept by those who do not say it themselves.
const KEPT: &str = "what is printed or saved until now stays";

fn interrupted(kept: &str) -> ExitCode {
    say(&format!("interrupted; {kept}"));
    ExitCode::from(INTERRUPTED)
}

fn failed(error: &anyhow::Error) -> ExitCode {
    say(&format!("{error:#}"));
    ExitCode::from(2)
}

/// Writes a message to standard error.
fn say(message: &str) {
    let _ = writeln!(io::stderr(), "{}", text::message(&format!("ludens: {message}")));
}

fn run(command: &Command, interrupt: &Interrupt, out: Out<'_>) -> anyhow::Result<Answer> {
    match command {
        Command::Games(args) => games::run(args, out),
        Command::Check(args) => check::run(args, out),
        Command::Show(what) => show::run(what, out),
        Command::Perft(args) => lab::perft::run(args, interrupt, out),
        Command::Play(args) => play::run(args, interrupt, io::stdin().lock(), out),
        Command::Studio(args) => studio::run(args, interrupt, out),
        Command::Analyse(args) => analyse::run(args, interrupt, out),
        Command::Simulate(args) => lab::simulate::run(args, interrupt, out),
        Command::Report(args) => report::run(args, interrupt, out),
        Command::Record(args) => record::run(args, out),
        Command::Replay(args) => lab::replay::run(args, out),
        Command::Player(args) => player::run(args, interrupt, out),
        Command::Players(args) => player::list(args, out),
        Command::Uci(args) => engine::uci(args, out),
        Command::Ugi(args) => engine::ugi(args, interrupt, out),
        Command::Match(args) => matches::run(args, interrupt, out),
        Command::Tournament(args) => tournament::run(args, interrupt, out),
        Command::Worker(args) => fleet::worker(args, interrupt, out),
        Command::Fleet(what) => fleet::run(what, interrupt, out),
        Command::Tune(args) => tune::run(args, interrupt, out),
        Command::Compile(args) => compile::run(args, out),
        Command::Solve(args) => solve::run(args, interrupt, out),
        Command::Study(args) => study::run(args, interrupt, out),
        Command::Plan(what) => plan::run(what, interrupt, out),
        Command::Table(what) => tables::run(what, interrupt, out),
        Command::Abstraction(what) => abstraction::run(what, interrupt, out),
        Command::Bench(args) => lab::bench::run(args, &|words| again(words, interrupt), interrupt, out),
        Command::Completions(args) => manual::completions(args, out),
        Command::Man(args) => manual::man(args, out),
        Command::Lab(what) => lab::experiments::run(what, interrupt, out),
    }
}

/// Runs another command of this program in this process, for those who measure it.
fn again(words: &[String], interrupt: &Interrupt) -> anyhow::Result<()> {
    let cli = Cli::try_parse_from(["ludens".to_string()].iter().chain(words))?;
    run(&cli.command, interrupt, &mut io::sink()).map(|_| ())
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        // A JSON error does not show the error of the pipe as its cause.
        let kind =
            kind.or_else(|| cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind));
        kind == Some(io::ErrorKind::BrokenPipe)
    })
}
