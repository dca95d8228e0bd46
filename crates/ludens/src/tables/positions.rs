//! Asking tables of chess endings: one position with its moves, the whole line, or many positions one after the other.
//! Whatever is read of a file for this is compared with its checksum first.

use super::args::ProbeArgs;
use super::chess;
use ::table::chess::{KIND, Material, Metric, Outcome, ProbeError, Tables};
use ::table::file;
use anyhow::{Context, Result, anyhow, ensure};
use native::chess::{Colour, Position};
use platform::folders;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use terminal::{Answer, Out, text};

/// The tables that were needed so far, and where to look for others.
pub struct Asker {
    folder: PathBuf,
    /// How hints name the folder.
    option: String,
    /// The file of one table, given by its path; others may be beside it.
    file: Option<PathBuf>,
    /// The men that positions must have.
    named: Option<Material>,
    metric: Metric,
    tables: Tables,
    looked: BTreeSet<Material>,
}

/// A position as it was given.
pub struct Given {
    position: Position,
    material: Material,
    /// The number of the move, which a position does not know.
    number: u64,
}

impl Given {
    fn fen(&self) -> String {
        numbered(&self.position, self.number)
    }
}

/// The FEN of a position with the number of the move.
fn numbered(position: &Position, number: u64) -> String {
    let fen = position.fen();
    let without = fen.rsplit_once(' ').map_or(fen.as_str(), |(before, _)| before);
    format!("{without} {number}")
}

/// A move: its two names, and its worth or the table that would be needed to tell it.
struct Row {
    uci: String,
    san: String,
    worth: Result<Outcome, Material>,
}

impl Asker {
    /// Asks the tables of a folder; a name says which men positions must have.
    pub fn new(name: Option<&str>, args: &ProbeArgs) -> Result<Asker> {
        Ok(Asker {
            folder: folders::tables(args.folder.as_deref())?,
            option: folders::option(args.folder.as_deref()),
            file: None,
            named: name.map(Material::parse).transpose()?,
            metric: args.metric.into(),
            tables: Tables::new(),
            looked: BTreeSet::new(),
        })
    }

    /// Asks the table in this file, and smaller ones beside it or in the folder.
    pub fn of_file(path: &Path, header: &file::Header, args: &ProbeArgs) -> Result<Asker> {
        let mut asker = Asker::new(Some(&header.name), args)?;
        asker.metric = chess::metric_of(path, header)?;
        asker.file = Some(path.to_path_buf());
        Ok(asker)
    }

    /// Reads a position, and opens the tables of it and of all that can follow, as far as they are there. Its own must be.
    pub fn take(&mut self, fen: &str) -> Result<Given> {
        let position = Position::from_fen(fen).with_context(|| format!("the position {fen:?}"))?;
        let (material, _) = Material::of(&position)?;
        if let Some(named) = self.named {
            ensure!(named == material, "the men of the position are those of {material}, not of {named}");
        }
        for needed in material.needs().into_iter().chain([material]).filter(|material| !material.bare()) {
            if self.looked.contains(&needed) {
                continue;
            }
            let own = self.file.as_deref().filter(|_| self.named == Some(needed)).map(Path::to_path_buf);
            let path = own.or_else(|| chess::beside_or_in(self.file.as_deref(), &self.folder, needed, self.metric));
            match path {
                Some(path) => self.tables.add(::table::chess::open(&path, needed, self.metric)?),
                None if needed == material => return Err(self.missing(material)),
                None => continue,
            }
            self.looked.insert(needed);
        }
        let number = fen.split_whitespace().nth(5).and_then(|word| word.parse().ok());
        Ok(Given { position, material, number: number.unwrap_or(1u64).max(1) })
    }

    fn way(&self, material: Material) -> String {
        let metric = if self.metric == Metric::Mate { "" } else { " --metric dtc" };
        format!("`ludens table build chess {material}{metric}{}`", self.option)
    }

    fn missing(&self, material: Material) -> anyhow::Error {
        let (metric, folder, way) = (self.metric.name(), self.folder.display(), self.way(material));
        anyhow!("the table of {material} ({metric}) is not in {folder}; {way} builds it")
    }

    /// What a position is worth.
    fn worth(&self, given: &Given) -> Result<Outcome> {
        self.tables.probe(&given.position, self.metric).map_err(|error| self.told(error))
    }

    fn told(&self, error: ProbeError) -> anyhow::Error {
        match error {
            ProbeError::Missing(material, _) => self.missing(material),
            error => error.into(),
        }
    }

    /// All moves, the best first, those of unknown worth last. What ends the game needs no table.
    fn rows(&self, given: &Given) -> Result<Vec<Row>> {
        let position = &given.position;
        let mut rows = Vec::new();
        for step in position.legal() {
            let worth = match self.tables.worth(position, &step, self.metric) {
                Ok(outcome) => Ok(outcome),
                Err(ProbeError::Missing(material, _)) => {
                    let after = position.after(&step);
                    match (after.legal().is_empty(), after.checkmate()) {
                        (true, true) => Ok(Outcome::Win(1)),
                        (true, false) => Ok(Outcome::Draw),
                        _ => Err(material),
                    }
                }
                Err(error) => return Err(self.told(error)),
            };
            rows.push(Row { uci: step.uci(), san: position.san(&step), worth });
        }
        let order = |row: &Row| row.worth.map_or(i32::MAX, |outcome| -outcome.order());
        rows.sort_by_key(|row| (order(row), row.uci.clone()));
        Ok(rows)
    }
}

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
    let line = asker.tables.line(&given.position, asker.metric).map_err(|error| asker.told(error))?;
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

/// Whether a text is meant as a position of chess, even if it is a faulty one: nearly all of its first word are ranks of men
/// and gaps with strokes between them, or a side to move follows. A path of a file is none.
pub fn is_fen(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let pieces = words.next().unwrap_or("");
    let ranks: Vec<&str> = pieces.split('/').collect();
    let is_rank =
        |rank: &&&str| (1..=9).contains(&rank.len()) && rank.chars().all(|sign| "KQRBNPkqrbnp123456789".contains(sign));
    let sound = ranks.iter().filter(is_rank).count();
    let turn = matches!(words.next(), Some("w" | "b"));
    let many = ranks.len() >= 6 && sound + 2 >= ranks.len();
    (many || (turn && ranks.len() > 1 && sound > 0)) && !pieces.contains(['.', '\\']) && !Path::new(text).exists()
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

/// The family of these tables, for those who name it instead of the men.
pub fn is_family(word: &str) -> bool {
    word.eq_ignore_ascii_case(KIND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_told_from_paths() {
        for fen in [
            "8/8/8/3k4/8/8/1R6/K7 w - -",
            "8/8/8/3k4/8/8/1R6/K7",
            "8/8/8/3k4/8/8/1R6/K7/8 w - -",
            "8/8/8/3k4/8/8/1R6 w - -",
            "8/8/8/3x4/8/8/1R6/K7 w - -",
            "8/8/8/3k4/8/8/1?6/K7 w - -",
            "3k4/8 w - -",
        ] {
            assert!(is_fen(fen), "{fen}");
        }
        for path in [
            "a/b/c/d/e/f/g/nim.kif",
            "games/nim/rules.kif",
            "nim",
            "/one/two/three/four/five/six/seven",
            "src",
            "deep/er w",
        ] {
            assert!(!is_fen(path), "{path}");
        }
    }

    #[test]
    fn numbers_are_kept() {
        let position = Position::from_fen("8/8/8/3k4/8/8/1R6/K7 w - - 7 1").unwrap();
        assert_eq!(numbered(&position, 42), "8/8/8/3k4/8/8/1R6/K7 w - - 7 42");
    }
}
