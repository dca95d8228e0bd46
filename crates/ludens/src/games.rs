//! `ludens games`: what is in the library.

use crate::cli::GamesArgs;
use anyhow::Result;
use library::{ENTRIES, Entry};
use serde::Serialize;
use std::borrow::Cow;
use std::io::Write;
use terminal::{Answer, Out, text};

#[derive(Serialize)]
struct Row {
    name: &'static str,
    title: String,
    roles: Vec<String>,
    tags: Vec<Cow<'static, str>>,
    about: String,
}

impl Row {
    fn of(entry: &'static Entry) -> Row {
        let rules = gdl::parse(entry.rules).rules;
        Row {
            name: entry.name,
            title: entry.title().to_string(),
            roles: rules.roles().into_iter().map(|role| rules.symbols.name(role).to_string()).collect(),
            tags: entry.tags(),
            about: entry.summary(),
        }
    }

    fn fits(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        let texts = [self.name, &self.title, &self.about].map(str::to_lowercase);
        texts.iter().any(|text| text.contains(&word)) || self.tags.iter().any(|tag| tag.contains(&word))
    }
}

/// Runs the command.
pub fn run(args: &GamesArgs, out: Out<'_>) -> Result<Answer> {
    let mut rows: Vec<Row> = ENTRIES.iter().map(Row::of).collect();
    rows.retain(|row| args.words.iter().all(|word| row.fits(word)));
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &rows)?;
        writeln!(out)?;
    } else {
        write(&rows, out)?;
    }
    if rows.is_empty() && !args.json {
        let _ = writeln!(std::io::stderr(), "ludens: no game fits; `ludens games` without words lists all of them");
    }
    Ok(if rows.is_empty() { Answer::No } else { Answer::Yes })
}

fn write(rows: &[Row], out: Out<'_>) -> Result<()> {
    let names = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let kinds: Vec<String> = rows.iter().map(|row| row.tags.join(", ")).collect();
    let kind_width = kinds.iter().map(|kind| kind.chars().count()).max().unwrap_or(0);
    // Whatever reads a pipe wants one line for each game; a person wants lines that fit.
    let width = text::terminal_width().unwrap_or(usize::MAX);
    for (row, kind) in rows.iter().zip(&kinds) {
        writeln!(out, "{}", line(&format!("{:<names$}  {kind:<kind_width$}", row.name), &row.about, width))?;
    }
    if !rows.is_empty() {
        writeln!(out, "\n{}; `ludens show about GAME` tells more", text::count(rows.len(), "game"))?;
    }
    Ok(())
}

/// What a line of the list needs at its right; with less, the description goes below the name.
const COLUMN: usize = 30;

/// A game and what it is about: beside each other, or below each other where it is narrow.
fn line(head: &str, about: &str, width: usize) -> String {
    let indent = head.chars().count() + 2;
    if indent + COLUMN <= width {
        return text::wrap(&format!("{head}  {about}"), width, indent);
    }
    format!("{}\n{}", head.trim_end(), text::wrap(&format!("    {about}"), width, 4))
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn descriptions_keep_to_their_column() {
        let about = "Each player tries to be the one who takes the last stick of all.";
        assert_eq!(line("nim  two", about, usize::MAX), format!("nim  two  {about}"));
        let wrapped = line("nim  two", about, 50);
        assert_eq!(wrapped, "nim  two  Each player tries to be the one who\n          takes the last stick of all.");
        let narrow = line("nim  two ", about, 38);
        assert_eq!(narrow, "nim  two\n    Each player tries to be the one\n    who takes the last stick of all.");
    }
}
