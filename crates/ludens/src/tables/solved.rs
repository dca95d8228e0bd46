//! Tables of solved games: asking and verifying them with the rules at hand.

use super::args::ProbeArgs;
use ::table::file;
use ::table::solve::Entry;
use agent::tables::solved::{self, Known, Row};
use anyhow::{Result, ensure};
use game::role_names;
use platform::Interrupt;
use serde_json::{Value, json};
use std::path::Path;
use terminal::{Answer, Out, Progress, text};

/// What is asked: a game and moves from its start.
pub struct Question<'a> {
    /// The game, as a person names it.
    pub game: &'a str,
    /// The moves.
    pub moves: &'a [String],
    /// The file of its table; without one it is looked for in the folder.
    pub file: Option<&'a Path>,
}

/// Shows what a solved game's table says after some moves from the start, or the whole line from there.
pub fn ask(question: &Question<'_>, whole_line: bool, args: &ProbeArgs, out: Out<'_>) -> Result<Answer> {
    let known = Known::open(question.game, question.file, args.folder.as_deref())?;
    let roles = role_names(&known.engine);
    if let [only] = question.moves
        && only == "-"
    {
        ensure!(!whole_line, "a line begins with one position; `ludens table probe` takes many");
        return super::many::many(std::io::stdin().lock(), args.json, out, |line| {
            let entry = known.after_line(line)?;
            let report = json!({ "moves": line, "value": entry.value, "distance": entry.distance });
            Ok((format!("{line}  {}", in_words(&entry, &roles)), report))
        });
    }
    let (position, entry) = known.after(question.moves)?;
    // For people: where nobody has a choice there is nothing to tell.
    let rows = if whole_line { known.line(position.state(), args.json)? } else { known.moves(position.state())? };
    if args.json {
        let moves: Vec<Value> = rows
            .iter()
            .map(|Row { role, text, entry }| {
                let (value, distance) = (entry.and_then(|e| e.value), entry.and_then(|e| e.distance));
                json!({ "role": role, "move": text, "value": value, "distance": distance })
            })
            .collect();
        let report = json!({ "game": known.name, "value": entry.value, "distance": entry.distance,
            if whole_line { "line" } else { "moves" }: moves });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    writeln!(out, "{}", in_words(&entry, &roles))?;
    for Row { role, text, entry } in &rows {
        let then = entry.as_ref().map_or("not known".to_string(), |entry| in_words(entry, &roles));
        writeln!(out, "  {role} {text}  then {then}")?;
    }
    Ok(Answer::Yes)
}

/// What is known of a state, for people.
fn in_words(entry: &Entry, roles: &[String]) -> String {
    let distance = entry.distance.map(|moves| format!(" in {}", text::count(moves.into(), "move")));
    super::value_words(entry.value, roles) + &distance.unwrap_or_default()
}

/// Derives every entry of a table again. The answer is how many states were compared, or what is wrong.
pub fn verify(
    path: &Path,
    header: &file::Header,
    game: Option<&str>,
    interrupt: &Interrupt,
) -> Result<Result<u64, String>> {
    let mut progress = Progress::new();
    solved::verify(path, header, game, &interrupt.cancel(), &mut |done, total| {
        progress.at(|seconds| format!("{done} of {total} states, {seconds:.0} s"));
    })
}
