//! `ludens table`: exact knowledge of chess endings, of Chinese checkers and of solved games, built, stored, checked and asked.

pub mod args;
pub mod bars;
pub mod chess;
mod chinese;
mod files;
mod info;
pub mod place;
mod solved;
mod unfinished;

use crate::{Answer, Out};
use ::table::file;
use anyhow::{Context, Result, bail};
use args::{BuildCommand, ProbeArgs, TableCommand, VerifyArgs};
use serde_json::json;
use std::path::{Path, PathBuf};

pub use files::make_folder_of;

/// The family of tables of solved games, and the folder that they are in.
const SOLVED: &str = "solved";

/// Where the tables of solved games are kept.
pub fn solved_folder(folder: &Path) -> PathBuf {
    folder.join(SOLVED)
}

/// Where the table of a solved game is to be kept: called after the game, unless a whole table of other rules is there already.
pub fn path_for_solved(folder: &Path, game: &str, rules: &str) -> PathBuf {
    let name = place::file_name(game);
    let identity = ::table::solve::SolvedTable::identity(rules);
    let plain = files::path(folder, SOLVED, &name);
    match file::Table::peek(&plain) {
        Ok(header) if header.identity != identity => {
            files::path(folder, SOLVED, &format!("{name}-{:08x}", identity >> 32))
        }
        _ => plain,
    }
}

/// Where the whole table of Chinese checkers for so many pieces is kept.
pub fn chinese_path(folder: &Path, side: usize, pieces: usize) -> PathBuf {
    files::path(folder, ::table::chinese::KIND, &::table::chinese::Spec::new(side, pieces).name())
}

/// Runs the command.
pub fn run(what: &TableCommand, out: Out<'_>) -> Result<Answer> {
    match what {
        TableCommand::Build(BuildCommand::Chess(args)) => chess::build(args, out),
        TableCommand::Build(BuildCommand::ChineseCheckers(args)) => chinese::build(args, out),
        TableCommand::All(args) => chess::all(args, out),
        TableCommand::Probe(args) => ask(args, false, out),
        TableCommand::Line(args) => ask(args, true, out),
        TableCommand::Info(args) => info::run(args, out),
        TableCommand::Verify(args) => verify(args, out),
        TableCommand::List(args) => files::list(args, out),
    }
}

/// Whether a text is meant as a position of chess: the pieces of a FEN are eight ranks of at most eight signs with strokes
/// between them. A path can have as many strokes, but not eight such names.
fn is_fen(text: &str) -> bool {
    let rank = |rank: &str| (1..=8).contains(&rank.len()) && rank.chars().all(|sign| sign.is_ascii_alphanumeric());
    let pieces = text.split_whitespace().next().unwrap_or("");
    pieces.split('/').count() == 8 && pieces.split('/').all(rank)
}

/// What a person means by a position: a FEN, or what begins with the name of a game.
fn ask(args: &ProbeArgs, line: bool, out: Out<'_>) -> Result<Answer> {
    let (first, rest) = args.position.split_first().context("give a position")?;
    if first.eq_ignore_ascii_case(::table::chinese::KIND) {
        return if line { chinese::line(rest, args, out) } else { chinese::probe(rest, args, out) };
    }
    let (name, fen) = match rest.first() {
        _ if is_fen(first) => (None, args.position.join(" ")),
        Some(second) if second.contains('/') => (Some(first.as_str()), rest.join(" ")),
        _ if ::table::chess::Material::parse(first).is_ok() => {
            bail!("{first}: give the position too, as FEN, such as \"8/8/8/3k4/8/8/1R6/K7 w - -\"")
        }
        _ => return solved::ask(&args.position, line, args, out),
    };
    if line { chess::line(name, &fen, args, out) } else { chess::probe(name, &fen, args, out) }
}

/// `ludens table verify`.
fn verify(args: &VerifyArgs, out: Out<'_>) -> Result<Answer> {
    let mut answer = Answer::Yes;
    let mut rows = Vec::new();
    let folder = place::folder(args.folder.as_deref())?;
    for name in &args.files {
        let path = files::find(name, Some(&folder))?;
        let kind = file::Table::open(&path)?.header().kind.clone();
        let result = match kind.as_str() {
            ::table::chess::KIND => chess::verify(&path, &folder)?,
            ::table::chinese::KIND => chinese::verify(&path)?,
            SOLVED => solved::verify(&path, args.game.as_deref())?,
            other => bail!("{}: tables of the kind {other:?} are unknown", path.display()),
        };
        if !args.json {
            match &result {
                Ok(count) => writeln!(out, "{}: {count} entries follow from their successors", path.display())?,
                Err(fault) => writeln!(out, "{}: WRONG: {fault}", path.display())?,
            }
            out.flush()?;
        }
        if result.is_err() {
            answer = Answer::No;
        }
        rows.push(json!({ "file": path, "kind": kind, "right": result.is_ok(), "entries": result.as_ref().ok(),
            "fault": result.as_ref().err() }));
    }
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &rows)?;
        writeln!(out)?;
    }
    Ok(answer)
}
