//! Tables of solved games, asked and verified with the rules at hand.

use crate::engines::{EngineChoice, engine};
use crate::{Opening, Position};
use anyhow::{Context, Result, bail};
use game::{Cancel, Game, Move, Names, Role};
use library::load;
use machine::{Engine, State};
use platform::folders;
use std::path::Path;
use study::ply_limit;
use table::file::{self, FileError};
use table::oracle::Family;
use table::solve::{Entry, SolvedTable, Verified};

/// A game, and the table that knows it.
pub struct Known<'a> {
    /// The game, as a person names it.
    game: &'a str,
    /// The folder of tables, as a person gives it.
    folder: Option<&'a Path>,
    /// Its engine.
    pub engine: Engine,
    /// What it is called.
    pub name: String,
    table: SolvedTable,
}

/// A move, who makes it, and what is known of the state behind it.
pub struct Row {
    /// Who makes it.
    pub role: String,
    /// The move.
    pub text: String,
    /// What is known.
    pub entry: Option<Entry>,
}

impl<'a> Known<'a> {
    /// Opens the table of a game: that in the file, or else the one that is found in the folder.
    ///
    /// # Errors
    /// When there is none, or it is damaged or of other rules.
    pub fn open(game: &'a str, file: Option<&Path>, folder: Option<&'a Path>) -> Result<Known<'a>> {
        let (sheet, rules) = load(game)?;
        let (name, text) = (folders::file_name(&sheet.name), gdl::print(&rules, gdl::Form::Kif));
        let tables = folders::tables(folder)?.join(Family::Solved.name());
        let engine = engine(EngineChoice::Auto, &sheet, &rules)?;
        let roles = engine.roles();
        let table = match file {
            Some(path) => {
                let other = || format!("asked with the rules of {name} (--game GAME gives others)");
                SolvedTable::open(path, &text, roles).with_context(other)?
            }
            None => {
                let mut unfit = String::new();
                let mut skipped = |error: &FileError| unfit += &format!("; {error}");
                let table = SolvedTable::find(&tables, &text, roles, &mut skipped);
                let (tables, option) = (tables.display(), folders::option(folder));
                table.with_context(|| {
                    format!("there is no table of {name} in {tables}; `ludens solve {game}{option}` makes one{unfit}")
                })?
            }
        };
        Ok(Known { game, folder, engine, name, table })
    }

    fn missing(&self) -> String {
        format!(
            "this state is not in the table, although the file is whole: it is not the table of all states; `ludens solve {}{}` makes it anew",
            self.game,
            folders::option(self.folder)
        )
    }

    /// The position after moves from the start, and what is known of it.
    ///
    /// # Errors
    /// When the moves do not fit, or nothing is known.
    pub fn after(&self, moves: &[String]) -> Result<(Position, Entry)> {
        let position = Opening::Moves(moves.to_vec()).open(&self.engine)?;
        let entry = self.table.probe_state(&self.engine, position.state())?.with_context(|| self.missing())?;
        Ok((position, entry))
    }

    /// What is known after the moves of a line of text.
    ///
    /// # Errors
    /// When the moves do not fit, or nothing is known.
    pub fn after_line(&self, line: &str) -> Result<Entry> {
        let position = Opening::from_moves(line).open(&self.engine)?;
        let entry = self.table.probe_facts(&position.facts())?;
        entry.context("this state is not in the table, although the file is whole")
    }

    fn row(&self, role: Role, joint: &[Move], entry: Option<Entry>) -> Row {
        let text = self.engine.move_text(joint[role.0 as usize]);
        Row { role: self.engine.role_name(role).to_string(), text, entry }
    }

    /// The moves of a state, the best first.
    ///
    /// # Errors
    /// When nothing is known of one of them.
    pub fn moves(&self, state: &State) -> Result<Vec<Row>> {
        let choices = self.table.choices(&self.engine, state)?.into_iter();
        let row = |choice: table::solve::Choice<Engine>| {
            let entry = choice.entry.with_context(|| self.missing())?;
            Ok(self.row(choice.role, &choice.joint, Some(entry)))
        };
        choices.map(row).collect()
    }

    /// The line of best play from a state; steps in which nobody has a choice only if all are wanted.
    ///
    /// # Errors
    /// When the table is damaged, or the engine comes to a limit.
    pub fn line(&self, state: &State, all: bool) -> Result<Vec<Row>> {
        let game = &self.engine;
        let mut rows = Vec::new();
        let mut at = state.clone();
        let mut view = game.view();
        for step in self.table.line(game, state)?.steps {
            game.look(&at, &mut view)?;
            let mut legal = Vec::new();
            game.legal(&view, step.role, &mut legal);
            let mut next = at.clone();
            game.play(&mut view, &step.joint, &mut next)?;
            at = next;
            if legal.len() > 1 || all {
                rows.push(self.row(step.role, &step.joint, self.table.probe_state(game, &at)?));
            }
        }
        Ok(rows)
    }
}

/// The rules of a stored table: those that `--game` names, or else those of the library that it is called after.
///
/// # Errors
/// When the library does not have them.
pub fn game_of<'a>(header: &'a file::Header, game: Option<&'a str>) -> Result<&'a str> {
    let name = game.unwrap_or(&header.name);
    match game.is_none() && library::find(name).is_none() {
        true => bail!("the table is that of {name}, which is not in the library; --game FILE gives its rules"),
        false => Ok(name),
    }
}

/// Derives every entry of a table again, and tells how many of how many are done. The answer is how many states were compared, or what is wrong.
///
/// # Errors
/// When it is damaged or of other rules, or it was cancelled.
pub fn verify(
    path: &Path,
    header: &file::Header,
    game: Option<&str>,
    cancel: &Cancel,
    tell: &mut dyn FnMut(u64, u64),
) -> Result<Result<u64, String>> {
    file::Table::open(path)?.check()?;
    let (sheet, rules) = load(game_of(header, game)?)?;
    let text = gdl::print(&rules, gdl::Form::Kif);
    let roles = rules.roles().len();
    let table = SolvedTable::open(path, &text, roles)?;
    table.check()?;
    let Some(counter) = &table.summary().counter else {
        return derive(&table, &engine(EngineChoice::Auto, &sheet, &rules)?, cancel, tell);
    };
    match ply_limit(&rules) {
        Some(limit) if limit.facts == counter.facts => {
            derive(&table, &engine(EngineChoice::Auto, &sheet, &limit.rules)?, cancel, tell)
        }
        Some(_) | None => {
            Ok(Err("it says that a counter was left out, which is not the one that ends the game".into()))
        }
    }
}

/// Derives a table from the rules: those without the counter, where one was left out.
fn derive(
    table: &SolvedTable,
    game: &Engine,
    cancel: &Cancel,
    tell: &mut dyn FnMut(u64, u64),
) -> Result<Result<u64, String>> {
    let total = table.states();
    let verified = table.verify(game, &mut |done| {
        tell(done, total);
        !cancel.is_cancelled()
    })?;
    match verified {
        None => bail!("stopped before everything was verified"),
        Some(Verified { wrong: 0, limit_holds: true, statistics }) => {
            let mut facts = game.facts(&game.start());
            facts.extend(table.summary().counter.iter().flat_map(|counter| counter.facts.first().cloned()));
            Ok(table.summary().misstated(&statistics, table.probe_facts(&facts)?).map_or(Ok(total), Err))
        }
        Some(Verified { wrong: 0, limit_holds: false, .. }) => {
            Ok(Err("what it says of the limit does not follow from the rules".to_string()))
        }
        Some(Verified { wrong, .. }) => {
            Ok(Err(format!("{wrong} states do not follow from their successors, or are missing")))
        }
    }
}
