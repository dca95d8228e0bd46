//! `ludens`: the one binary, and the only door outside. Reads the command line, runs the command, and turns what came of
//! it into an exit status.

mod bench;
mod check;
mod cli;
mod compile;
mod engine;
mod games;
mod http;
mod interrupt;
mod lab;
mod library;
mod matches;
mod perft;
mod play;
mod player;
mod progress;
mod record;
mod replay;
mod show;
mod simulate;
mod solve;
mod source;
mod study;
mod table;
mod tables;
mod tournament;

use clap::Parser;
use cli::{Cli, Command};
use std::io::{self, Write};
use std::process::ExitCode;

/// What a command found out. (That something went wrong on the way is an error instead.)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Fine.
    Yes,
    /// The command worked, and its answer is negative.
    No,
}

/// Where commands write their results.
pub type Out<'a> = &'a mut dyn Write;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = io::BufWriter::new(io::stdout());
    let result = run(&cli.command, &mut out).and_then(|answer| Ok(out.flush().map(|()| answer)?));
    match result {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        // Whoever read our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = out.flush();
            let _ = writeln!(io::stderr(), "ludens: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(command: &Command, out: Out<'_>) -> anyhow::Result<Answer> {
    match command {
        Command::Games(args) => games::run(args, out),
        Command::Check(args) => check::run(args, out),
        Command::Show(what) => show::run(what, out),
        Command::Perft(args) => perft::run(args, out),
        Command::Play(args) => play::run(args, io::stdin().lock(), out),
        Command::Simulate(args) => simulate::run(args, out),
        Command::Record(args) => record::run(args, out),
        Command::Replay(args) => replay::run(args, out),
        Command::Player(args) => player::run(args, out),
        Command::Players(args) => player::list(args, out),
        Command::Match(args) => matches::run(args, out),
        Command::Tournament(args) => tournament::run(args, out),
        Command::Compile(args) => compile::run(args, out),
        Command::Solve(args) => solve::run(args, out),
        Command::Study(args) => study::run(args, out),
        Command::Table(what) => tables::run(what, out),
        Command::Bench(args) => bench::run(args, out),
        Command::Lab(what) => lab::run(what, out),
    }
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
