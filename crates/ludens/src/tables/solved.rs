//! Tables of solved games: asking and verifying them with the rules at hand.

use super::args::ProbeArgs;
use ::table::file::{self, FileError};
use ::table::solve::{Entry, SolvedTable, Statistics, Verified, key_of_facts};
use agent::engines::engine;
use agent::{EngineChoice, table_files};
use anyhow::{Context, Result, bail};
use game::role_names;
use game::{Cancel, Game, Names, Turn};
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
    let folder = table_files::solved(&folders::tables(args.folder.as_deref())?);
    let name = folders::file_name(&sheet.name);
    let text = gdl::print(&rules, gdl::Form::Kif);
    let job = Asking { question, folder, name, rules: text, whole_line, args, out };
    job.run(&engine(EngineChoice::Auto, &sheet, &rules)?)?;
    Ok(Answer::Yes)
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
    fn run(self, game: &machine::Engine) -> Result<()> {
        let table = self.open(game.roles())?;
        let state = reached(game, self.question.moves)?;
        let known = |state: &State| table.probe_checked(key_of_facts(game.facts(state)));
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
            for step in table.line_checked(game, &state)?.steps {
                game.look(&at, &mut view)?;
                let mut next = at.clone();
                game.play(&mut view, &step.joint, &mut next)?;
                at = next;
                rows.push(row(step.role, &step.joint, known(&at)?));
            }
        } else {
            for choice in table.choices_checked(game, &state)? {
                let entry = choice.entry.with_context(missing)?;
                rows.push(row(choice.role, &choice.joint, Some(entry)));
            }
        }
        self.tell(entry, &rows, &role_names(game))
    }
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
        let words = |entry: &Entry| {
            let distance = entry.distance.map(|moves| format!(" in {}", text::count(moves.into(), "move")));
            super::value_words(entry.value, roles) + &distance.unwrap_or_default()
        };
        writeln!(self.out, "{}", words(&entry))?;
        for Row { role, text, entry } in rows {
            let then = entry.as_ref().map_or("not known".to_string(), words);
            writeln!(self.out, "  {role} {text}  then {then}")?;
        }
        Ok(())
    }
}

/// The state after some moves from the start, one for each state in which somebody decides or must move.
fn reached(game: &Engine, moves: &[String]) -> Result<State> {
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
    let job = Verify { path, rules: &text, cancel: &cancel };
    job.run(&engine(EngineChoice::Auto, &sheet, &rules)?)
}

struct Verify<'a> {
    path: &'a Path,
    rules: &'a str,
    cancel: &'a Cancel,
}

impl Verify<'_> {
    fn run(self, game: &machine::Engine) -> Result<Result<u64, String>> {
        let table = SolvedTable::open(self.path, self.rules, game.roles())?;
        table.check()?;
        let total = table.states();
        let mut progress = Progress::new();
        let wrong = table.verify(game, &mut |done| {
            progress.at(|seconds| format!("{done} of {total} states, {seconds:.0} s"));
            !self.cancel.is_cancelled()
        })?;
        match wrong {
            None => bail!("stopped before everything was verified"),
            Some(Verified { wrong: 0, statistics }) => {
                let start = table.probe_state(game, &game.start())?;
                Ok(table.summary().misstated(&statistics, start).map_or(Ok(total), Err))
            }
            Some(Verified { wrong, .. }) => {
                Ok(Err(format!("{wrong} states do not follow from their successors, or are missing")))
            }
        }
    }
}

/// What a table says about its game, apart from names.
pub fn statistics_json(statistics: &Statistics, start: Option<Entry>) -> Value {
    let Statistics { states, edges, layers, terminal, stuck, unrated, sums, may_repeat, .. } = statistics;
    let key = |value: &Option<i8>| value.map_or("none".to_string(), |value| value.to_string());
    let values: serde_json::Map<String, Value> =
        statistics.values.iter().map(|(value, count)| (key(value), json!(count))).collect();
    let distances: serde_json::Map<String, Value> =
        statistics.distances.iter().map(|(value, counts)| (value.to_string(), json!(counts))).collect();
    json!({
        "states": states, "edges": edges, "depth": layers.len().saturating_sub(1), "layers": layers,
        "terminal": terminal, "stuck": stuck, "unrated": unrated,
        "goal_sums": sums.map(|(least, most)| [least, most]), "may_repeat": may_repeat,
        "value": start.and_then(|entry| entry.value), "distance": start.and_then(|entry| entry.distance),
        "values": values, "distances": distances,
    })
}
