//! Many positions from standard input, one a line, for every kind of table.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::io::BufRead;
use terminal::text::plain;
use terminal::{Answer, Out};

/// Answers every line. `answer` gives what is said of it in words, and as JSON, to which the number of the line is added. A line
/// that cannot be answered is told as such, and the others are answered all the same.
pub fn many(
    mut input: impl BufRead,
    as_json: bool,
    out: Out<'_>,
    mut answer: impl FnMut(&str) -> Result<(String, Value)>,
) -> Result<Answer> {
    let (mut asked, mut bad) = (0u64, 0u64);
    let mut bytes = Vec::new();
    for number in 1u64.. {
        bytes.clear();
        if input.read_until(b'\n', &mut bytes).context("standard input cannot be read")? == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&bytes);
        let line = text.trim();
        if line.is_empty() {
            continue;
        }
        asked += 1;
        match (answer(line), as_json) {
            (Ok((_, mut report)), true) => {
                report["line"] = json!(number);
                writeln!(out, "{report}")?;
            }
            (Ok((words, _)), false) => writeln!(out, "{words}")?,
            (Err(error), as_json) => {
                bad += 1;
                let fault = plain(&format!("{error:#}"));
                match as_json {
                    true => writeln!(out, "{}", json!({ "line": number, "error": fault }))?,
                    false => writeln!(out, "line {number}: {fault}")?,
                }
            }
        }
        out.flush()?;
    }
    ensure!(asked > 0, "there is no position on standard input; give one a line");
    if bad > 0 {
        bail!("{bad} of {asked} positions could not be answered");
    }
    Ok(Answer::Yes)
}
