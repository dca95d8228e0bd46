//! Tables of solved games: asking and verifying them with the rules at hand.

use super::args::ProbeArgs;
use super::place;
use crate::engine::{self, Engine, Job};
use crate::progress::Progress;
use crate::source::load;
use crate::{Answer, Out, interrupt};
use ::table::file::{self, FileError};
use ::table::solve::{Entry, SolvedTable};
use anyhow::{Context, Result, bail};
use game::{Names, Turn};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Shows what a solved game's table says after some moves from the start, or the whole line from there.
pub fn ask(words: &[String], whole_line: bool, args: &ProbeArgs, out: Out<'_>) -> Result<Answer> {
    let (game, moves) = words.split_first().context("give a position")?;
    let (sheet, rules) = load(game)?;
    let folder = place::folder(args.folder.as_deref())?;
    let name = place::file_name(&sheet.name);
    let text = gdl::print(&rules, gdl::Form::Kif);
    let solved = super::solved_folder(&folder);
    let job = Asking { game, folder: solved, name, rules: text, moves, whole_line, json: args.json, out };
    engine::run(Engine::Auto, &sheet, &rules, None, job)??;
    Ok(Answer::Yes)
}

struct Asking<'a> {
    game: &'a str,
    folder: PathBuf,
    name: String,
    rules: String,
    moves: &'a [String],
    whole_line: bool,
    json: bool,
    out: Out<'a>,
}

impl Job for Asking<'_> {
    type Out = Result<()>;

    fn run<G: Names>(self, game: &G) -> Result<()> {
        let mut unfit = String::new();
        let mut skipped = |error: &FileError| unfit += &format!("; {error}");
        let table = SolvedTable::find(&self.folder, &self.rules, game.roles(), &mut skipped);
        let (name, folder) = (&self.name, self.folder.display());
        let none = || format!("there is no table of {name} in {folder}; `ludens solve {}` makes one{unfit}", self.game);
        let table = table.with_context(none)?;
        let state = reached(game, self.moves)?;
        let entry = table.probe_state(game, &state).context("the table does not have this state")?;
        let text = |role: game::Role, joint: &[game::Move]| game.move_text(joint[role.0 as usize]);
        let known = |entry: Option<Entry>| (entry.and_then(|e| e.value), entry.and_then(|e| e.distance));
        let mut rows: Vec<(String, String, Option<i8>, Option<u16>)> = Vec::new();
        if self.whole_line {
            let mut at = state.clone();
            let mut view = game.view();
            for step in table.line(game, &state)?.steps {
                game.look(&at, &mut view)?;
                let mut next = at.clone();
                game.play(&mut view, &step.joint, &mut next)?;
                at = next;
                let (value, distance) = known(table.probe_state(game, &at));
                rows.push((game.role_name(step.role).to_string(), text(step.role, &step.joint), value, distance));
            }
        } else {
            for choice in table.choices(game, &state)? {
                let (value, distance) = known(choice.entry);
                rows.push((game.role_name(choice.role).to_string(), text(choice.role, &choice.joint), value, distance));
            }
        }
        if self.json {
            let moves: Vec<Value> = rows
                .iter()
                .map(|(role, text, value, distance)| json!({ "role": role, "move": text, "value": value, "distance": distance }))
                .collect();
            let report = json!({ "game": self.name, "value": entry.value, "distance": entry.distance,
                if self.whole_line { "line" } else { "moves" }: moves });
            serde_json::to_writer_pretty(&mut *self.out, &report)?;
            return Ok(writeln!(self.out)?);
        }
        let words = |value: Option<i8>, distance: Option<u16>| {
            let value = value.map_or("no end".to_string(), |value| value.to_string());
            distance.map_or(value.clone(), |moves| format!("{value} in {moves}"))
        };
        let what =
            if game.roles() == 2 { format!("{} is ahead by", game.role_name(game::Role(0))) } else { "goal".into() };
        writeln!(self.out, "{what} {}", words(entry.value, entry.distance))?;
        for (role, text, value, distance) in rows {
            writeln!(self.out, "  {role} {text}  then {}", words(value, distance))?;
        }
        Ok(())
    }
}

/// The state after some moves from the start, one for each state in which somebody decides or must move.
fn reached<G: Names>(game: &G, moves: &[String]) -> Result<G::State> {
    let mut state = game.start();
    let mut view = game.view();
    for wanted in moves {
        game.look(&state, &mut view)?;
        let Turn::One(role) = game.turn(&view) else { bail!("the game is over before {wanted:?}") };
        let mut joint = Vec::new();
        let mut named: Vec<String> = Vec::new();
        for each in game::roles(game) {
            let mut legal = Vec::new();
            game.legal(&view, each, &mut legal);
            let found = legal.iter().find(|mv| game.move_text(**mv).eq_ignore_ascii_case(wanted));
            named.extend(legal.iter().filter(|_| each == role).map(|mv| game.move_text(*mv)));
            let mv = if each == role { found } else { legal.first() };
            match mv {
                Some(mv) => joint.push(*mv),
                None => bail!("{wanted:?} is not a legal move there; these are: {}", named.join(" ")),
            }
        }
        let mut next = state.clone();
        game.play(&mut view, &joint, &mut next)?;
        state = next;
    }
    Ok(state)
}

/// Derives every entry of a table again. The answer is how many states were compared, or what is wrong.
pub fn verify(path: &Path, game: Option<&str>) -> Result<Result<u64, String>> {
    let header = file::Table::open(path)?;
    header.check()?;
    let name = header.header().name.clone();
    let (sheet, rules) = load(game.unwrap_or(&name))
        .with_context(|| format!("the rules of {name} are needed to verify its table (--game GAME)"))?;
    let stop = interrupt::flag();
    let text = gdl::print(&rules, gdl::Form::Kif);
    let job = Verify { path, rules: &text, stop: &stop };
    engine::run(Engine::Auto, &sheet, &rules, None, job)?
}

struct Verify<'a> {
    path: &'a Path,
    rules: &'a str,
    stop: &'a AtomicBool,
}

impl Job for Verify<'_> {
    type Out = Result<Result<u64, String>>;

    fn run<G: Names>(self, game: &G) -> Self::Out {
        let table = SolvedTable::open(self.path, self.rules, game.roles())?;
        table.check()?;
        let total = table.states();
        let mut progress = Progress::new();
        let wrong = table.verify(game, &mut |done| {
            progress.at(|seconds| format!("{done} of {total} states, {seconds:.0} s"));
            !self.stop.load(Ordering::Relaxed)
        })?;
        match wrong {
            None => bail!("stopped before everything was verified"),
            Some(0) => Ok(Ok(total)),
            Some(wrong) => Ok(Err(format!("{wrong} states do not follow from their successors, or are missing"))),
        }
    }
}
