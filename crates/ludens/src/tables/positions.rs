//! Asking tables of chess endings: one position with its moves, the whole line, or many positions one after the other.

use super::args::ProbeArgs;
use ::table::chess::{Metric, Outcome};
use agent::tables::endings::{Asker, Parts, Row, numbered};
use anyhow::Result;
use native::chess::{Colour, Position};
use serde_json::{Value, json};
use std::io::BufRead;
use terminal::{Answer, Out, text};

/// `ludens table probe` for chess.
pub fn probe(mut asker: Asker, fen: &str, args: &ProbeArgs, out: Out<'_>) -> Result<Answer> {
    if let Some(parts) = asker.parts(fen)? {
        return judged(&parts, args, out);
    }
    let given = asker.take(fen)?;
    let outcome = asker.worth(&given)?;
    let rows = asker.rows(&given)?;
    let position = &given.position;
    if args.json {
        let moves = rows.iter().map(|row| {
            let known = row.worth.ok();
            let mut said =
                json!({ "uci": row.uci, "san": row.san, "result": known.map(result), "plies": known.and_then(plies) });
            rule(&mut said, known, position, asker.metric);
            if let Err(material) = row.worth {
                said["missing"] = json!(material.to_string());
            }
            said
        });
        let mut report = json!({ "fen": given.fen(), "turn": position.turn.name(), "metric": asker.metric.name(),
            "result": result(outcome), "plies": plies(outcome), "moves": moves.collect::<Vec<_>>() });
        rule(&mut report, Some(outcome), position, asker.metric);
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    writeln!(out, "{}", given.fen())?;
    writeln!(out, "{} to move: {}", position.turn.name(), words(outcome, asker.metric, position.quiet))?;
    if rows.is_empty() {
        writeln!(out, "there is no legal move: {}", if position.checkmate() { "mate" } else { "stalemate" })?;
    }
    let width = rows.iter().map(|row| row.san.chars().count()).max().unwrap_or(0);
    for Row { san, worth, .. } in &rows {
        let worth = match worth {
            Ok(outcome) => words(*outcome, asker.metric, position.quiet),
            Err(material) => format!("unknown: the table of {material} is not there"),
        };
        writeln!(out, "  {san:<width$}  {worth}")?;
    }
    if rows.iter().any(|row| row.worth.is_err()) {
        writeln!(out, "{} builds what is missing", asker.way(given.material))?;
    }
    Ok(Answer::Yes)
}

/// What a position with more men than a table has is judged by.
fn judged(parts: &Parts, args: &ProbeArgs, out: Out<'_>) -> Result<Answer> {
    let Parts { position, men, readings, value, learned } = parts;
    if args.json {
        let each = readings.iter().map(|reading| {
            json!({ "men": reading.men, "fen": reading.position.fen(), "absent": reading.outcome.is_none(),
                "result": reading.outcome.map(result), "plies": reading.outcome.and_then(plies),
                "centipawns": reading.worth })
        });
        let report = json!({ "fen": position.fen(), "turn": position.turn.name(), "men": men, "learned": learned,
            "centipawns": value, "parts": each.collect::<Vec<_>>() });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    let how =
        if *learned { "weights learned for these men" } else { "the mean of the parts, and an evaluation by hand" };
    writeln!(out, "{}", position.fen())?;
    writeln!(
        out,
        "{} to move: no table has {men}; judged by {}, {how}",
        position.turn.name(),
        text::count(readings.len(), "part")
    )?;
    let width = readings.iter().map(|reading| reading.men.len()).max().unwrap_or(0);
    for reading in readings {
        let said = match reading.outcome {
            Some(outcome) => words(outcome, Metric::Mate, 0),
            None => format!("absent: {} would be in check and is not to move", position.turn.other().name()),
        };
        let pawns = f64::from(reading.worth) / 100.0;
        let board = reading.position.fen();
        let board = board.split(' ').next().unwrap_or_default();
        writeln!(out, "  {:<width$}  {pawns:>+6.2}  {said:<28}  {board}", reading.men)?;
    }
    writeln!(out, "together, for white and without searching: {:+.2}", f64::from(*value) / 100.0)?;
    Ok(Answer::Yes)
}

/// `ludens table line` for chess.
pub fn line(mut asker: Asker, fen: &str, args: &ProbeArgs, out: Out<'_>) -> Result<Answer> {
    let given = asker.take(fen)?;
    let outcome = asker.worth(&given)?;
    let line = asker.line(&given)?;
    let (mut at, mut number) = (given.position, given.number);
    let mut steps = Vec::new();
    for step in &line {
        let (turn, before) = (at.turn, number);
        let (uci, san) = (step.uci(), at.san(step));
        at = at.after(step);
        number = number.saturating_add(u64::from(turn == Colour::Black));
        steps.push((turn, before, uci, san, numbered(&at, number)));
    }
    if args.json {
        let moves: Vec<Value> =
            steps.iter().map(|(_, _, uci, san, fen)| json!({ "uci": uci, "san": san, "fen": fen })).collect();
        let mut report = json!({ "fen": given.fen(), "metric": asker.metric.name(), "result": result(outcome),
            "plies": plies(outcome), "line": moves });
        rule(&mut report, Some(outcome), &given.position, asker.metric);
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    let quiet = given.position.quiet;
    writeln!(out, "{} to move: {}", given.position.turn.name(), words(outcome, asker.metric, quiet))?;
    let mut text = String::new();
    for (at, (turn, number, _, san, _)) in steps.iter().enumerate() {
        match (turn, at) {
            (Colour::White, _) => text += &format!("{number}. {san} "),
            (Colour::Black, 0) => text += &format!("{number}… {san} "),
            (Colour::Black, _) => text += &format!("{san} "),
        }
    }
    write!(out, "{}", wrapped(&text, text::width()))?;
    if outcome == Outcome::Draw {
        writeln!(out, "no line leads to a mate: nobody can force one")?;
    } else {
        writeln!(out, "{}", numbered(&at, number))?;
    }
    Ok(Answer::Yes)
}

/// Answers a position a line, in order. What cannot be answered is told in its place, with the number of its line, and does
/// not stop the rest.
pub fn many(mut asker: Asker, args: &ProbeArgs, input: impl BufRead, out: Out<'_>) -> Result<Answer> {
    super::many::many(input, args.json, out, |fen| {
        let given = asker.take(fen)?;
        let (outcome, metric) = (asker.worth(&given)?, asker.metric);
        let mut report = json!({ "fen": given.fen(), "turn": given.position.turn.name(), "metric": metric.name(),
            "result": result(outcome), "plies": plies(outcome) });
        rule(&mut report, Some(outcome), &given.position, metric);
        Ok((format!("{}  {}", given.fen(), words(outcome, metric, given.position.quiet)), report))
    })
}

/// Words in lines that are not longer than the width.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let more = word.chars().count() + 1;
        if length > 0 && length + more > width {
            lines.push('\n');
            length = 0;
        }
        if length > 0 {
            lines.push(' ');
        }
        lines += word;
        length += more;
    }
    if length > 0 {
        lines.push('\n');
    }
    lines
}

fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(_) => "win",
        Outcome::Draw => "draw",
        Outcome::Loss(_) => "loss",
    }
}

fn plies(outcome: Outcome) -> Option<u8> {
    outcome.plies()
}

/// Adds what the fifty-move rule makes of an outcome, where it is counted.
fn rule(report: &mut Value, outcome: Option<Outcome>, position: &Position, metric: Metric) {
    if metric == Metric::Zeroing {
        report["clock"] = json!(position.quiet);
        report["ruling"] = json!(outcome.map(|outcome| outcome.ruling(position.quiet).words()));
    }
}

/// For the side to move, or for who makes the move, so many plies after the last capture or pawn move.
fn words(outcome: Outcome, metric: Metric, quiet: u16) -> String {
    let count = |plies: u8| if plies == 1 { "1 ply".to_string() } else { format!("{plies} plies") };
    let (to, plies) = match (metric, outcome) {
        (_, Outcome::Draw) => return "draw".to_string(),
        (_, Outcome::Loss(0)) => return "loss: this is mate".to_string(),
        (Metric::Mate, outcome) => ("mate", outcome.plies()),
        (Metric::Conversion, outcome) => ("mate, a winning capture or a promotion", outcome.plies()),
        (Metric::Zeroing, outcome) => ("mate, a capture or a pawn move", outcome.plies()),
    };
    let plies = plies.unwrap_or(0);
    let name = match metric {
        Metric::Zeroing => outcome.ruling(0).words(),
        Metric::Mate | Metric::Conversion => result(outcome),
    };
    let number = match outcome {
        Outcome::Win(_) => format!(" (move {})", u16::from(plies).div_ceil(2)),
        Outcome::Draw | Outcome::Loss(_) => String::new(),
    };
    let text = format!("{name}, {to} in {}{number}", count(plies));
    match metric {
        Metric::Zeroing if outcome.ruling(0) != outcome.ruling(quiet) => {
            format!("draw by the fifty-move rule, {quiet} of its 100 plies being gone; without them a {text}")
        }
        Metric::Mate | Metric::Conversion | Metric::Zeroing => text,
    }
}
