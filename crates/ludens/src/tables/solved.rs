//! Tables of solved games: asking and verifying them with the rules at hand.

use super::args::ProbeArgs;
use ::table::file::{self, FileError};
use ::table::oracle::Family;
use ::table::solve::{Entry, SolvedTable, Verified};
use agent::engines::engine;
use agent::{EngineChoice, Opening};
use anyhow::{Context, Result, bail, ensure};
use game::role_names;
use game::{Cancel, Game, Names};
use library::load;
use machine::{Engine, State};
use platform::{Interrupt, folders};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use terminal::Progress;
use terminal::{Answer, Out, text};

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
    let (sheet, rules) = load(question.game)?;
    let folder = folders::tables(args.folder.as_deref())?.join(Family::Solved.name());
    let name = folders::file_name(&sheet.name);
    let text = gdl::print(&rules, gdl::Form::Kif);
    let job = Asking { question, folder, name, rules: text, whole_line, args, out };
    job.run(&engine(EngineChoice::Auto, &sheet, &rules)?)
}

/// The rules of a stored table: those that `--game` names, or else those of the library that it is called after.
pub fn game_of<'a>(header: &'a file::Header, game: Option<&'a str>) -> Result<&'a str> {
    let name = game.unwrap_or(&header.name);
    match game.is_none() && library::find(name).is_none() {
        true => bail!("the table is that of {name}, which is not in the library; --game FILE gives its rules"),
        false => Ok(name),
    }
}

struct Asking<'a> {
    question: &'a Question<'a>,
    folder: PathBuf,
    name: String,
    rules: String,
    whole_line: bool,
    args: &'a ProbeArgs,
    out: Out<'a>,
}

/// A move, who makes it, and what is known of the state behind it.
struct Row {
    role: String,
    text: String,
    entry: Option<Entry>,
}

impl Asking<'_> {
    fn run(self, game: &Engine) -> Result<Answer> {
        let table = self.open(game.roles())?;
        if let [only] = self.question.moves
            && only == "-"
        {
            ensure!(!self.whole_line, "a line begins with one position; `ludens table probe` takes many");
            return self.many(&table, game);
        }
        let state = Opening::Moves(self.question.moves.to_vec()).open(game)?.state().clone();
        let known = |state: &State| table.probe_state(game, state);
        let missing = || {
            let again = self.again();
            format!(
                "this state is not in the table, although the file is whole: it is not the table of all states; {again}"
            )
        };
        let entry = known(&state)?.with_context(missing)?;
        let row = |role: game::Role, joint: &[game::Move], entry| Row {
            role: game.role_name(role).to_string(),
            text: game.move_text(joint[role.0 as usize]),
            entry,
        };
        let mut rows = Vec::new();
        if self.whole_line {
            let mut at = state.clone();
            let mut view = game.view();
            for step in table.line(game, &state)?.steps {
                game.look(&at, &mut view)?;
                // Where nobody has a choice there is nothing to tell.
                let mut legal = Vec::new();
                game.legal(&view, step.role, &mut legal);
                let mut next = at.clone();
                game.play(&mut view, &step.joint, &mut next)?;
                at = next;
                if legal.len() > 1 || self.args.json {
                    rows.push(row(step.role, &step.joint, known(&at)?));
                }
            }
        } else {
            for choice in table.choices(game, &state)? {
                let entry = choice.entry.with_context(missing)?;
                rows.push(row(choice.role, &choice.joint, Some(entry)));
            }
        }
        self.tell(entry, &rows, &role_names(game))?;
        Ok(Answer::Yes)
    }

    /// A line of moves from the start for each position.
    fn many(self, table: &SolvedTable, game: &Engine) -> Result<Answer> {
        let roles = role_names(game);
        super::many::many(std::io::stdin().lock(), self.args.json, self.out, |line| {
            let position = Opening::from_moves(line).open(game)?;
            let entry = table.probe_facts(&position.facts())?;
            let entry = entry.context("this state is not in the table, although the file is whole")?;
            let report = json!({ "moves": line, "value": entry.value, "distance": entry.distance });
            Ok((format!("{line}  {}", in_words(&entry, &roles)), report))
        })
    }
}

/// What is known of a state, for people.
fn in_words(entry: &Entry, roles: &[String]) -> String {
    let distance = entry.distance.map(|moves| format!(" in {}", text::count(moves.into(), "move")));
    super::value_words(entry.value, roles) + &distance.unwrap_or_default()
}

impl Asking<'_> {
    fn again(&self) -> String {
        format!("`ludens solve {}{}` makes it anew", self.question.game, folders::option(self.args.folder.as_deref()))
    }

    fn open(&self, roles: usize) -> Result<SolvedTable> {
        if let Some(path) = self.question.file {
            let other = || format!("asked with the rules of {} (--game GAME gives others)", self.name);
            return SolvedTable::open(path, &self.rules, roles).with_context(other);
        }
        let mut unfit = String::new();
        let mut skipped = |error: &FileError| unfit += &format!("; {error}");
        let table = SolvedTable::find(&self.folder, &self.rules, roles, &mut skipped);
        let (name, folder, game) = (&self.name, self.folder.display(), self.question.game);
        let option = folders::option(self.args.folder.as_deref());
        table.with_context(|| {
            format!("there is no table of {name} in {folder}; `ludens solve {game}{option}` makes one{unfit}")
        })
    }

    fn tell(self, entry: Entry, rows: &[Row], roles: &[String]) -> Result<()> {
        if self.args.json {
            let moves: Vec<Value> = rows
                .iter()
                .map(|Row { role, text, entry }| {
                    let (value, distance) = (entry.and_then(|e| e.value), entry.and_then(|e| e.distance));
                    json!({ "role": role, "move": text, "value": value, "distance": distance })
                })
                .collect();
            let report = json!({ "game": self.name, "value": entry.value, "distance": entry.distance,
                if self.whole_line { "line" } else { "moves" }: moves });
            serde_json::to_writer_pretty(&mut *self.out, &report)?;
            return Ok(writeln!(self.out)?);
        }
        let words = |entry: &Entry| in_words(entry, roles);
        writeln!(self.out, "{}", words(&entry))?;
        for Row { role, text, entry } in rows {
            let then = entry.as_ref().map_or("not known".to_string(), words);
            writeln!(self.out, "  {role} {text}  then {then}")?;
        }
        Ok(())
    }
}

/// Derives every entry of a table again. The answer is how many states were compared, or what is wrong.
pub fn verify(
    path: &Path,
    header: &file::Header,
    game: Option<&str>,
    interrupt: &Interrupt,
) -> Result<Result<u64, String>> {
    file::Table::open(path)?.check()?;
    let (sheet, rules) = load(game_of(header, game)?)?;
    let cancel = interrupt.cancel();
    let text = gdl::print(&rules, gdl::Form::Kif);
    let roles = rules.roles().len();
    let table = SolvedTable::open(path, &text, roles)?;
    table.check()?;
    let Some(counter) = &table.summary().counter else {
        return derive(&table, &engine(EngineChoice::Auto, &sheet, &rules)?, &cancel);
    };
    match study::ply_limit(&rules) {
        Some(limit) if limit.facts == counter.facts => {
            derive(&table, &engine(EngineChoice::Auto, &sheet, &limit.rules)?, &cancel)
        }
        Some(_) | None => {
            Ok(Err("it says that a counter was left out, which is not the one that ends the game".into()))
        }
    }
}

/// Derives a table from the rules: those without the counter, where one was left out.
fn derive(table: &SolvedTable, game: &Engine, cancel: &Cancel) -> Result<Result<u64, String>> {
    let total = table.states();
    let mut progress = Progress::new();
    let verified = table.verify(game, &mut |done| {
        progress.at(|seconds| format!("{done} of {total} states, {seconds:.0} s"));
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
