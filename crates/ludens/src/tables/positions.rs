//! Asking tables of chess endings: one position with its moves, the whole line, or many positions one after the other.

use super::args::ProbeArgs;
use ::table::chess::{Metric, Outcome};
use agent::tables::endings::{Asker, Row, numbered};
use anyhow::Result;
use native::chess::Colour;
use serde_json::{Value, json};
use std::io::BufRead;
use terminal::{Answer, Out, text};

/// `ludens table probe` for chess.
pub fn probe(mut asker: Asker, fen: &str, args: &ProbeArgs, out: Out<'_>) -> Result<Answer> {
    let given = asker.take(fen)?;
    let outcome = asker.worth(&given)?;
    let rows = asker.rows(&given)?;
    let position = &given.position;
    if args.json {
        let moves = rows.iter().map(|row| {
            let known = row.worth.ok();
            let mut said =
                json!({ "uci": row.uci, "san": row.san, "result": known.map(result), "plies": known.and_then(plies) });
            if let Err(material) = row.worth {
                said["missing"] = json!(material.to_string());
            }
            said
        });
        let report = json!({ "fen": given.fen(), "turn": position.turn.name(), "metric": asker.metric.name(),
            "result": result(outcome), "plies": plies(outcome), "moves": moves.collect::<Vec<_>>() });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    writeln!(out, "{}", given.fen())?;
    writeln!(out, "{} to move: {}", position.turn.name(), words(outcome, asker.metric))?;
    if rows.is_empty() {
        writeln!(out, "there is no legal move: {}", if position.checkmate() { "mate" } else { "stalemate" })?;
    }
    let width = rows.iter().map(|row| row.san.chars().count()).max().unwrap_or(0);
    for Row { san, worth, .. } in &rows {
        let worth = match worth {
            Ok(outcome) => words(*outcome, asker.metric),
            Err(material) => format!("unknown: the table of {material} is not there"),
        };
        writeln!(out, "  {san:<width$}  {worth}")?;
    }
    if rows.iter().any(|row| row.worth.is_err()) {
        writeln!(out, "{} builds what is missing", asker.way(given.material))?;
    }
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
        let report = json!({ "fen": given.fen(), "metric": asker.metric.name(), "result": result(outcome),
            "plies": plies(outcome), "line": moves });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    writeln!(out, "{} to move: {}", given.position.turn.name(), words(outcome, asker.metric))?;
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
        let report = json!({ "fen": given.fen(), "turn": given.position.turn.name(), "metric": metric.name(),
            "result": result(outcome), "plies": plies(outcome) });
        Ok((format!("{}  {}", given.fen(), words(outcome, metric)), report))
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
    match outcome {
        Outcome::Win(plies) | Outcome::Loss(plies) => Some(plies),
        Outcome::Draw => None,
    }
}

/// For the side to move.
fn words(outcome: Outcome, metric: Metric) -> String {
    let to = match metric {
        Metric::Mate => "mate",
        Metric::Conversion => "mate, a winning capture or a promotion",
    };
    let count = |plies: u8| if plies == 1 { "1 ply".to_string() } else { format!("{plies} plies") };
    match outcome {
        Outcome::Win(plies) => format!("win, {to} in {} (move {})", count(plies), u16::from(plies).div_ceil(2)),
        Outcome::Loss(0) => "loss: this is mate".to_string(),
        Outcome::Loss(plies) => format!("loss, {to} in {}", count(plies)),
        Outcome::Draw => "draw".to_string(),
    }
}
