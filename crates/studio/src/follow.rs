//! A match that is played elsewhere and told line by line, as `ludens match --stream` and `ludens player --stream` do: it is shown as it grows.

use crate::api::Studio;
use crate::matches::{Match, Seat, Setup};
use agent::Opening;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::io::BufRead;
use std::sync::Arc;

/// The longest line.
const MOST_BYTES: u64 = 16 << 20;

/// Follows lines until they end; `tell` hears the name of every match that begins, and what goes wrong.
pub fn follow(studio: &Studio, mut lines: impl BufRead, tell: &mut dyn FnMut(Result<String>)) {
    let mut followed = Followed::default();
    loop {
        let mut line = String::new();
        match std::io::Read::take(&mut lines, MOST_BYTES).read_line(&mut line) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) => return tell(Err(error.into())),
        }
        if line.trim().is_empty() {
            continue;
        }
        match followed.hear(studio, &line) {
            Ok(Some(id)) => tell(Ok(id)),
            Ok(None) => {}
            Err(error) => tell(Err(error.context("a line of a match cannot be shown"))),
        }
    }
}

/// What is known of the match at hand.
#[derive(Default)]
struct Followed {
    game: Option<String>,
    shown: Option<Arc<Match>>,
}

impl Followed {
    /// Hears a line; the name of the match, if it begins to be shown.
    fn hear(&mut self, studio: &Studio, line: &str) -> Result<Option<String>> {
        let event: Value = serde_json::from_str(line)
            .context("it is no JSON; `ludens match --stream` and `ludens player --stream` write such lines")?;
        match event["event"].as_str() {
            Some("start") => {
                // Rules that are no game of the library come with it, in the words that the moves have.
                let game = match event["rules"].as_str() {
                    Some(rules) => Some(studio.kept.save_rules(rules)?),
                    None => event["game"].as_str().filter(|name| library::find(name).is_some()).map(str::to_string),
                };
                *self = Followed { game, shown: None };
                Ok(None)
            }
            Some("ready") => {
                // Without rules there is still the record at the end.
                let Some(game) = self.game.as_deref() else { return Ok(None) };
                // A player is told the rules, and no state: its match begins where they say.
                let opening = match event["state"].as_str() {
                    Some(state) => {
                        let inner = state.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
                        Opening::from_facts(inner.context("a state is no list of facts")?)?
                    }
                    None => Opening::Start,
                };
                let seats = vec![Seat::Level { level: 5 }; studio.game(game)?.roles.len()];
                let shown = studio.begin(game, Setup { seats, opening, delay: 0.7, paused: true })?;
                let id = shown.id.clone();
                self.shown = Some(shown);
                Ok(Some(id))
            }
            Some("step") => {
                let moves = event["moves"].as_array().context("moves are missing")?;
                let moves: Option<Vec<String>> =
                    moves.iter().map(|mv| mv.as_str().and_then(play::text::tidy)).collect();
                match &self.shown {
                    Some(shown) => shown.append(moves.context("a move is no text")?).map(|()| None),
                    None => Ok(None),
                }
            }
            Some("end") if self.shown.is_some() || event["match"].is_null() => Ok(None),
            Some("end") => Ok(Some(studio.replay(&event["match"].to_string(), None)?.id.clone())),
            other => bail!("nobody knows the event {other:?}"),
        }
    }
}
