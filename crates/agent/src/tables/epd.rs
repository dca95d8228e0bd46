//! Positions with what is said of them, one a line (EPD): four fields of a FEN, then operations such as `bm Qd4+; dm 12;`.

use anyhow::{Context, Result, ensure};
use native::chess::{Position, Step};
use std::fmt;
use table::chess::{Metric, Outcome};

/// One line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    fields: [String; 4],
    /// Names and operands, as they are written.
    operations: Vec<(String, String)>,
}

impl Record {
    /// Reads a line. A FEN of six fields is one too; its counts become `hmvc` and `fmvn`.
    ///
    /// # Errors
    /// When there are no four fields, or an operation has no name.
    pub fn read(line: &str) -> Result<Record> {
        let mut rest = line.trim();
        let mut fields = [const { String::new() }; 4];
        for field in &mut fields {
            let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            ensure!(
                !word.is_empty(),
                "a position needs four fields: the board, the side to move, castling and en passant"
            );
            *field = word.to_string();
            rest = behind.trim_start();
        }
        let mut record = Record { fields, operations: Vec::new() };
        for name in ["hmvc", "fmvn"] {
            let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) {
                record.operations.push((name.to_string(), word.to_string()));
                rest = behind.trim_start();
            }
        }
        for operation in split(rest) {
            let (name, operands) = operation.split_once(char::is_whitespace).unwrap_or((operation, ""));
            let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            ensure!(is_name, "`{}` is no operation of EPD; write a name, operands and a semicolon", shown(operation));
            record.operations.push((name.to_string(), operands.trim().to_string()));
        }
        Ok(record)
    }

    /// A record of a position without anything said of it.
    pub fn of(position: &Position) -> Record {
        let fen = position.fen();
        let mut words = fen.split_whitespace().map(String::from);
        let fields = std::array::from_fn(|_| words.next().unwrap_or_default());
        Record { fields, operations: Vec::new() }
    }

    /// The operands of an operation.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.operations.iter().find(|(own, _)| own == name).map(|(_, operands)| operands.as_str())
    }

    /// Sets an operation, at the end if it is new.
    pub fn set(&mut self, name: &str, operands: &str) {
        match self.operations.iter_mut().find(|(own, _)| own == name) {
            Some((_, own)) => *own = operands.to_string(),
            None => self.operations.push((name.to_string(), operands.to_string())),
        }
    }

    /// The position, with the clock of `hmvc`. Whether somebody may castle is left out.
    ///
    /// # Errors
    /// When it is none.
    pub fn position(&self) -> Result<Position> {
        let clock = self.get("hmvc").unwrap_or("0");
        let fen = format!("{} {clock} 1", self.fields.join(" "));
        let (position, _) = super::pgn::begin(&fen).with_context(|| format!("the position {fen:?}"))?;
        Ok(position)
    }

    /// Adds what a table says: `dm` with the moves to mate where the side to move mates, `wdl` (1, 0, -1) and the plies under the name
    /// of the metric, and as `bm` the best moves, where none are named.
    pub fn tell(&mut self, position: &Position, metric: Metric, outcome: Outcome, best: &[Step]) {
        if self.get("bm").is_none() && !best.is_empty() && outcome != Outcome::Draw {
            let best: Vec<String> = best.iter().map(|step| position.san(step)).collect();
            self.set("bm", &best.join(" "));
        }
        let wdl = match outcome {
            Outcome::Win(_) => "1",
            Outcome::Draw => "0",
            Outcome::Loss(_) => "-1",
        };
        self.set("wdl", wdl);
        let Some(plies) = outcome.plies() else { return };
        self.set(metric.name(), &plies.to_string());
        if metric == Metric::Mate && matches!(outcome, Outcome::Win(_)) {
            self.set("dm", &u16::from(plies).div_ceil(2).to_string());
        }
    }
}

/// The operations of a text; a semicolon in double quotes ends none.
fn split(text: &str) -> Vec<&str> {
    let mut quoted = false;
    let ends = text.split(|c: char| {
        quoted ^= c == '"';
        c == ';' && !quoted
    });
    ends.map(str::trim).filter(|operation| !operation.is_empty()).collect()
}

fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fields.join(" "))?;
        for (name, operands) in &self.operations {
            match operands.is_empty() {
                true => write!(f, " {name};")?,
                false => write!(f, " {name} {operands};")?,
            }
        }
        Ok(())
    }
}
