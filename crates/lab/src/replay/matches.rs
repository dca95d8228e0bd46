//! Match records: a game held to the record of a match, state by state.

use super::guard::{Task, Verdict, Watch};
use super::tasks::with_game;
use super::trace::{Stop, same};
use agent::EngineChoice;
use anyhow::{Result, bail};
use game::{Game, Limit, LimitKind, Names, roles};
use library::Sheet;
use play::MatchRecord;
use serde_json::Value;
use std::path::Path;

/// The record of a match. Its game is named, or it is one of the library, or the record has the rules.
pub fn of_match(path: &Path, text: &str, game: Option<&str>, engine: EngineChoice) -> Result<Task> {
    let record = match MatchRecord::read(text) {
        Ok(record) => record,
        Err(problems) => bail!("{} is not a match record: {}", path.display(), problems.join("; ")),
    };
    let more = |name: &str| record.more.get(name).and_then(Value::as_str);
    let sheet = match (game, more("x-rules"), more("x-game").and_then(library::find)) {
        (Some(game), ..) => Sheet::find(game)?,
        (None, Some(rules), _) => Sheet::read(record.game_name.clone().unwrap_or_default(), rules.as_bytes())?,
        (None, None, Some(entry)) => Sheet::of(entry),
        _ => bail!("which game is {} of? Name it with --game", path.display()),
    };
    let name = record.match_id.clone();
    let work = move |watch: &Watch| {
        watch.note(|reached| (reached.steps, reached.at) = ((0, record.states.len()), "loading".to_string()));
        with_game(&sheet, engine, watch, |game| Match { record: &record, watch }.run(game))
    };
    Ok(Task { name, work: Box::new(work) as Box<dyn FnOnce(&Watch) -> Verdict + Send> })
}

/// Holds a game to a match.
struct Match<'a> {
    record: &'a MatchRecord,
    watch: &'a Watch,
}

impl Match<'_> {
    fn run(self, game: &machine::Engine) -> Result<(), Stop> {
        let Match { record, watch } = self;
        if !record.game_role_names.is_empty() {
            let names: Vec<String> = roles(game).map(|role| game.role_name(role).to_lowercase()).collect();
            same("the roles are", names.join(" "), record.game_role_names.join(" ").to_lowercase())?;
        }
        let mut view = game.view();
        let mut state = game.start();
        for number in 0..record.states.len() {
            watch.note(|reached| reached.at = format!("state {number}"));
            if watch.stopped() {
                return Err(Limit::new(LimitKind::Time, "replaying").into());
            }
            let sorted = |facts: Vec<String>| {
                let mut facts: Vec<String> = facts.iter().map(|fact| fact.to_lowercase()).collect();
                facts.sort_unstable();
                facts.join(" ")
            };
            let recorded = record.facts(number).unwrap_or_default();
            same("the facts are", sorted(game.facts(&state)), sorted(recorded))?;
            game.look(&state, &mut view)?;
            match record.moves.get(number) {
                Some(texts) => {
                    same("terminal is", game.over(&view), false)?;
                    let joint = joint(game, &view, texts)?;
                    let mut next = state.clone();
                    game.play(&mut view, &joint, &mut next)?;
                    state = next;
                }
                None if record.is_completed == Some(true) => {
                    same("terminal is", game.over(&view), true)?;
                    let mut goals = Vec::new();
                    for role in roles(game) {
                        goals.push(game.goal(&mut view, role)?.unwrap_or(0).to_string());
                    }
                    let recorded: Vec<String> = record.goal_values.iter().map(u8::to_string).collect();
                    same("the goals are", goals.join(" "), recorded.join(" "))?;
                }
                None => {}
            }
            watch.note(|reached| reached.steps.0 += 1);
        }
        Ok(())
    }
}

/// The recorded moves, which must be legal.
fn joint<G: Names>(game: &G, view: &G::View, texts: &[String]) -> Result<Vec<game::Move>, Stop> {
    same("the number of moves made is", texts.len(), game.roles())?;
    let mut joint = Vec::new();
    for (role, text) in roles(game).zip(texts) {
        let Some(mv) = game.legal_move(view, role, text) else {
            let name = game.role_name(role);
            return Err(Stop::Differs(format!("{name} has no legal move {text}, which was played")));
        };
        joint.push(mv);
    }
    Ok(joint)
}
