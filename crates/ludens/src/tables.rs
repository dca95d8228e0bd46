//! `ludens table`: exact knowledge of chess endings, of Chinese checkers and of solved games, built, stored, checked and asked.

mod annotate;
pub mod args;
pub mod chess;
mod chinese;
mod files;
mod find;
mod info;
mod many;
mod positions;
mod solved;
mod versus;
mod wanted;
mod weigh;

use ::table::file::{self, Form};
use ::table::oracle::Family;
use ::table::store::ENDING;
use agent::tables::endings::{Asker, is_family, is_fen};
use agent::tables::named;
use anyhow::{Context, Result, bail, ensure};
use args::{BuildCommand, ProbeArgs, TableCommand, VerifyArgs};
use platform::Interrupt;
use serde_json::{Value, json};
use solved::Question;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use terminal::text::fit;
use terminal::{Answer, Out};

pub use wanted::with_tables;

/// Runs the command.
pub fn run(what: &TableCommand, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    match what {
        TableCommand::Build(BuildCommand::Chess(args)) => chess::build(args, interrupt, out),
        TableCommand::Build(BuildCommand::ChineseCheckers(args)) => chinese::build(args, interrupt, out),
        TableCommand::All(args) => chess::all(args, interrupt, out),
        TableCommand::Probe(args) => ask(args, Want::Moves, out),
        TableCommand::Line(args) if args.pgn => ask(&args.probe, Want::Pgn, out),
        TableCommand::Line(args) => ask(&args.probe, Want::Line, out),
        TableCommand::Find(args) => find::run(args, interrupt, out),
        TableCommand::Annotate(args) => annotate::run(args, interrupt, out),
        TableCommand::Info(args) => info::run(args, out),
        TableCommand::Verify(args) => verify(args, interrupt, out),
        TableCommand::Weigh(args) => weigh::run(args, interrupt, out),
        TableCommand::List(args) => files::list(args, out),
    }
}

/// What is asked of a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    /// What it and its moves are worth.
    Moves,
    /// The line of best play.
    Line,
    /// That as a game of chess.
    Pgn,
}

/// Looks at a table that is there instead of building it, and stores it in a smaller form if that is wanted; says which.
fn there(table: Option<&file::Table>, form: Form) -> Result<&'static str> {
    let Some(table) = table else { return Ok("there") };
    table.check().context("--force builds it anew")?;
    if table.form() >= form {
        return Ok("there");
    }
    table.store_as(form)?;
    Ok("compressed")
}

fn warn(fault: &str) {
    let _ = writeln!(stderr(), "warning: {fault}");
}

/// The value of a solved state in words.
pub fn value_words(value: Option<i8>, roles: &[String]) -> String {
    let Some(value) = value else { return "no end can be reached".to_string() };
    let (ahead, by) = (usize::from(value < 0), value.unsigned_abs());
    match roles {
        [_, _] if value == 0 => "draw".to_string(),
        [_, _] if by == 100 => format!("{} wins", fit(&roles[ahead], 30)),
        [_, _] => format!("{} is ahead by {by}", fit(&roles[ahead], 30)),
        _ => format!("goal {value}"),
    }
}

/// That a counter was left out of the states, for people.
pub fn counter_words(first: &str, last: &str, plies: usize) -> String {
    let limit = terminal::text::count(plies, "move");
    format!("counter    {first} to {last}, left out of the states: the game ends after {limit}")
}

/// What a person means by a position: a FEN, or what begins with the name of a game, or with a table and goes on as it
/// wants.
fn ask(args: &ProbeArgs, want: Want, out: Out<'_>) -> Result<Answer> {
    let (first, rest) = args.position.split_first().context("give a position")?;
    let path = Path::new(first);
    let ends = path.extension().is_some_and(|ending| ending == ENDING);
    if path.is_file() && (ends || file::Table::peek(path).is_ok()) {
        return ask_file(path, rest, want, args, out);
    }
    ensure!(args.game.is_none(), "--game goes with the file of a table: `ludens table probe FILE.table --game GAME`");
    let line = want != Want::Moves;
    if first.eq_ignore_ascii_case(::table::chinese::KIND) {
        ensure!(want != Want::Pgn, "{NO_PGN}");
    }
    if first.eq_ignore_ascii_case(::table::chinese::KIND) && agent::tables::versus::is_meant(rest) {
        return if line { versus::line(rest, None, args, out) } else { versus::probe(rest, None, args, out) };
    }
    if first.eq_ignore_ascii_case(::table::chinese::KIND) {
        return if line { chinese::line(rest, None, args, out) } else { chinese::probe(rest, None, args, out) };
    }
    let men = ::table::chess::Material::parse(first);
    let is_position = |rest: &[String]| rest.first().is_some_and(|word| word == "-") || is_fen(&rest.join(" "));
    // A game may be called like an ending: `krk` is the game of the library, `KRK` the ending. A FEN is asked of the ending in any case.
    let is_game = library::find(first).is_some_and(|entry| entry.name == first) || Path::new(first).exists();
    let (name, fen) = match rest.first() {
        _ if is_fen(first) => (None, args.position.join(" ")),
        Some(_) if is_fen(&rest.join(" ")) => (Some(first.as_str()), rest.join(" ")),
        Some(second) if second == "-" && (is_family(first) || men.is_ok() && !is_game) => {
            (Some(first.as_str()), second.clone())
        }
        Some(_) if men.is_ok() && !is_game && !is_position(rest) => (Some(first.as_str()), rest.join(" ")),
        None if men.is_ok() && !is_game => {
            bail!("{first}: give the position too, as FEN, such as \"8/8/8/3k4/8/8/1R6/K7 w - -\", or - for many")
        }
        _ => {
            ensure!(want != Want::Pgn, "{NO_PGN}");
            return solved::ask(&Question { game: first, moves: rest, file: None }, line, args, out);
        }
    };
    let asker = Asker::new(name.filter(|name| !is_family(name)), args.folder.as_deref(), args.metric.into())?;
    ask_chess(asker, &fen, want, args, out)
}

/// Why there is no game in PGN.
const NO_PGN: &str = "only games of chess can be written as PGN (--pgn)";

fn ask_chess(asker: Asker, fen: &str, want: Want, args: &ProbeArgs, out: Out<'_>) -> Result<Answer> {
    match (fen, want) {
        ("-", Want::Line | Want::Pgn) => bail!("a line begins with one position; `ludens table probe` takes many"),
        ("-", Want::Moves) => positions::many(asker, args, std::io::stdin().lock(), out),
        (_, Want::Line) => positions::line(asker, fen, args, out),
        (_, Want::Pgn) => annotate::line(asker, fen, out),
        (_, Want::Moves) => positions::probe(asker, fen, args, out),
    }
}

/// Asks the table in a file.
fn ask_file(path: &Path, rest: &[String], want: Want, args: &ProbeArgs, out: Out<'_>) -> Result<Answer> {
    let header = file::Table::peek(path)?;
    let line = want != Want::Moves;
    ensure!(want != Want::Pgn || header.family() == Some(Family::Chess), "{NO_PGN}");
    match header.kind() {
        ::table::chess::KIND => {
            ensure!(!rest.is_empty(), "{}: give the position too, as FEN, or - for many", path.display());
            ask_chess(Asker::of_file(path, &header, args.folder.as_deref())?, &rest.join(" "), want, args, out)
        }
        ::table::chinese::KIND if line => chinese::line(rest, Some(path), args, out),
        ::table::chinese::KIND => chinese::probe(rest, Some(path), args, out),
        ::table::chinese::versus::KIND if line => versus::line(rest, Some(path), args, out),
        ::table::chinese::versus::KIND => versus::probe(rest, Some(path), args, out),
        _ if header.family() == Some(Family::Solved) => {
            let game = agent::tables::solved::game_of(&header, args.game.as_deref())?;
            solved::ask(&Question { game, moves: rest, file: Some(path) }, line, args, out)
        }
        other => bail!("{}: tables of the kind {other:?} are unknown", path.display()),
    }
}

/// `ludens table verify`: all that are asked for, even if some cannot be verified.
fn verify(args: &VerifyArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let mut answer = Answer::Yes;
    let mut rows = Vec::new();
    let mut failed = Vec::new();
    for name in &args.files {
        match verify_one(name, args, interrupt) {
            Ok((path, kind, result)) => {
                if !args.json {
                    match &result {
                        Ok(count) => writeln!(out, "{}: {count} entries follow from their successors", path.display())?,
                        Err(fault) => writeln!(out, "{}: WRONG: {fault}", path.display())?,
                    }
                }
                if result.is_err() {
                    answer = Answer::No;
                }
                rows.push(
                    json!({ "file": path, "kind": kind, "right": result.is_ok(), "entries": result.as_ref().ok(),
                    "fault": result.as_ref().err() }),
                );
            }
            Err(error) => {
                rows.push(json!({ "file": name, "right": Value::Null, "error": format!("{error:#}") }));
                failed.push(error);
            }
        }
        out.flush()?;
        if interrupt.is_interrupted() {
            break;
        }
    }
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &rows)?;
        writeln!(out)?;
    }
    // One error is told as it is; of several each, and then their number.
    let count = failed.len();
    if args.files.len() == 1 {
        return failed.pop().map_or(Ok(answer), Err);
    }
    for error in &failed {
        let _ = writeln!(stderr(), "ludens: {error:#}");
    }
    ensure!(count == 0, "{count} of {} tables could not be verified", args.files.len());
    ensure!(rows.len() == args.files.len(), "stopped before everything was verified");
    Ok(answer)
}

/// The path and the kind of a table, and how many of its entries are right, or what is wrong.
fn verify_one(name: &str, args: &VerifyArgs, interrupt: &Interrupt) -> Result<(PathBuf, String, Result<u64, String>)> {
    let meant = named::find(name, args.folder.as_deref())?;
    let header = meant.open(&mut warn)?.header().clone();
    let path = meant.path;
    let result = match header.kind() {
        ::table::chess::KIND => chess::verify(&path, &header, args.folder.as_deref(), interrupt)?,
        ::table::chinese::KIND => chinese::verify(&path, interrupt)?,
        ::table::chinese::versus::KIND => versus::verify(&path, interrupt)?,
        _ if header.family() == Some(Family::Solved) => {
            solved::verify(&path, &header, args.game.as_deref(), interrupt)?
        }
        other => bail!("{}: tables of the kind {other:?} are unknown", path.display()),
    };
    Ok((path, header.kind().to_string(), result))
}
