//! `ludens table annotate`, and lines of best play as games.

use super::args::AnnotateArgs;
use ::table::chess::{Metric, Outcome, Ruling};
use agent::tables::annotate::Annotator;
use agent::tables::endings::{Asker, is_fen};
use agent::tables::epd::Record;
use agent::tables::pgn::{self, Game, Played};
use anyhow::{Context, Result, bail, ensure};
use native::chess::Colour;
use platform::Interrupt;
use serde_json::json;
use std::fs::File;
use std::io::{Read, Write, stderr};
use std::path::Path;
use terminal::text::plain;
use terminal::{Answer, Out, Progress};

/// The longest file that is read, in bytes.
const MOST: u64 = 1 << 30;

/// Runs the command.
pub fn run(args: &AnnotateArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let text = read(&args.file)?;
    let asker = Asker::new(None, args.folder.as_deref(), args.metric.into())?;
    let mut annotator = Annotator::new(asker);
    let mut faults = Vec::new();
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    let of_positions = first.is_some_and(is_fen);
    let done = match of_positions {
        true => positions(&text, &mut annotator, &mut faults, interrupt)?,
        false => games(&text, &mut annotator, &mut faults, interrupt)?,
    };
    match &args.output {
        Some(path) => platform::save::save(path, &done)?,
        None => write!(out, "{done}")?,
    }
    out.flush()?;
    for fault in &faults {
        let _ = writeln!(stderr(), "{}", plain(fault));
    }
    let tally = &annotator.tally;
    if args.json {
        let missing: Vec<String> = tally.missing.iter().map(ToString::to_string).collect();
        let report = json!({ "positions": tally.known, "moves": tally.moves, "mistakes": tally.mistakes,
            "missing": missing, "faults": faults });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
    } else if let Some(missing) = annotator.missing() {
        let _ = writeln!(stderr(), "{missing}");
    }
    ensure!(!interrupt.is_interrupted(), "stopped; what comes behind is as it was");
    if !faults.is_empty() {
        bail!("{} could not be read in {}", terminal::text::count(faults.len(), "place"), args.file.display());
    }
    Ok(Answer::Yes)
}

fn read(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    let told = || format!("cannot read {}", path.display());
    if path == Path::new("-") {
        std::io::stdin().lock().take(MOST + 1).read_to_end(&mut bytes).context("standard input cannot be read")?;
    } else {
        File::open(path).with_context(told)?.take(MOST + 1).read_to_end(&mut bytes).with_context(told)?;
    }
    ensure!(bytes.len() as u64 <= MOST, "{} is longer than 1 GiB; annotate it in parts", path.display());
    // Old games are often Latin-1: what is no UTF-8 is then read as that.
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().iter().map(|&byte| byte as char).collect()))
}

fn games(text: &str, annotator: &mut Annotator, faults: &mut Vec<String>, interrupt: &Interrupt) -> Result<String> {
    let games = pgn::read(text);
    ensure!(!games.is_empty(), "there is neither a game nor a position in it");
    let mut progress = Progress::new();
    let total = games.len();
    let mut done = Vec::new();
    for (at, mut game) in games.into_iter().enumerate() {
        progress.at(|seconds| format!("{at} of {total} games, {seconds:.0} s"));
        let first = match interrupt.is_interrupted() {
            true => game.start().map_or((Colour::White, 1), |(position, number)| (position.turn, number)),
            false => annotator.game(&mut game).with_context(|| format!("game {}", at + 1))?,
        };
        faults.extend(game.faults.iter().map(|fault| format!("game {}, {fault}", at + 1)));
        done.push(pgn::write(&game, first));
    }
    Ok(done.join("\n"))
}

fn positions(text: &str, annotator: &mut Annotator, faults: &mut Vec<String>, interrupt: &Interrupt) -> Result<String> {
    let mut done = String::new();
    let mut progress = Progress::new();
    for (at, line) in text.lines().enumerate() {
        progress.at(|seconds| format!("{at} positions, {seconds:.0} s"));
        let is_position = !line.trim().is_empty() && !line.trim().starts_with('#');
        let annotated = match is_position && !interrupt.is_interrupted() {
            true => Record::read(line).and_then(|mut record| {
                annotator.record(&mut record)?;
                Ok(record.to_string())
            }),
            false => Ok(line.to_string()),
        };
        match annotated {
            Ok(annotated) => done += &annotated,
            Err(error) => {
                faults.push(format!("line {}: {error:#}", at + 1));
                done += line;
            }
        }
        done.push('\n');
    }
    Ok(done)
}

/// `ludens table line --pgn`.
pub fn line(mut asker: Asker, fen: &str, out: Out<'_>) -> Result<Answer> {
    let given = asker.take(fen)?;
    let outcome = asker.worth(&given)?;
    let steps = asker.line(&given)?;
    let winner = match outcome {
        Outcome::Win(_) => given.position.turn,
        Outcome::Draw | Outcome::Loss(_) => given.position.turn.other(),
    };
    // A draw by the fifty-move rule is a draw, although the line goes on.
    let decided = match asker.metric {
        Metric::Zeroing => matches!(outcome.ruling(given.position.quiet), Ruling::Win | Ruling::Loss),
        Metric::Mate | Metric::Conversion => outcome != Outcome::Draw,
    };
    let result = match winner {
        Colour::White if decided => "1-0",
        Colour::Black if decided => "0-1",
        _ => "1/2-1/2",
    };
    let mut game = Game::default();
    let names = [("Event", "Best play from the tables"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "-")];
    for (name, value) in names.into_iter().chain([("White", "?"), ("Black", "?"), ("Result", result), ("SetUp", "1")]) {
        game.set(name, value);
    }
    game.set("FEN", given.fen());
    for step in &steps {
        game.moves.push(Played { word: step.uci(), line: 0, notes: Vec::new() });
    }
    game.result = Some(result.to_string());
    let first = Annotator::new(asker).game(&mut game)?;
    write!(out, "{}", pgn::write(&game, first))?;
    Ok(Answer::Yes)
}
