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
    // Whatever reads a pipe wants the whole text; a person wants one line for each game.
    let room = text::terminal_width().map_or(usize::MAX, |width| width.saturating_sub(names + kind_width + 4).max(20));
    for (row, kind) in rows.iter().zip(&kinds) {
        writeln!(out, "{:<names$}  {kind:<kind_width$}  {}", row.name, text::fit(&row.about, room))?;
    }
    if !rows.is_empty() {
        writeln!(out, "\n{}; `ludens show about GAME` tells more", text::count(rows.len(), "game"))?;
    }
    Ok(())
}
