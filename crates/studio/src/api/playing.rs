//! Matches: begun, watched, moved in, kept.

use super::{Answer, Studio, Trouble, look, work};
use crate::guard::DOCUMENT;
use crate::matches::{Match, Seat, Setup};
use crate::scene::{self, Scene};
use agent::Opening;
use anyhow::{Context, Result, bail};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream, StreamExt};
use serde::Deserialize;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use study::picture::{Use, board_svg, escaped};
use tokio::sync::broadcast::error::RecvError;

/// Matches that one page may listen to.
const MOST_HEARD: usize = 32;

/// The matches there are, the newest first.
pub async fn list(State(studio): State<Arc<Studio>>) -> Answer<Json<Value>> {
    let lines = look(&studio, |studio| {
        let names = studio.kept.matches();
        let lines: Vec<Value> = names.iter().take(50).filter_map(|id| Some(studio.find(id).ok()?.line())).collect();
        Ok(lines)
    });
    Ok(Json(json!(lines.await?)))
}

/// What a match begins with.
#[derive(Deserialize)]
pub struct Begin {
    game: String,
    seats: Vec<Seat>,
    #[serde(default)]
    facts: Option<String>,
    #[serde(default)]
    moves: Option<String>,
    #[serde(default)]
    fen: Option<String>,
    #[serde(default)]
    delay: f64,
    #[serde(default)]
    paused: bool,
}

/// Begins a match.
pub async fn begin(State(studio): State<Arc<Studio>>, Json(begin): Json<Begin>) -> Answer<Json<Value>> {
    let made = work(&studio, move |studio| {
        let Begin { game, seats, facts, moves, fen, delay, paused } = begin;
        let opening = match (facts, moves, fen) {
            (Some(facts), _, _) => Opening::from_facts(&facts)?,
            (None, Some(moves), _) => Opening::from_moves(&moves),
            (None, None, Some(fen)) => Opening::from_fen(&fen, &game)?,
            (None, None, None) => Opening::Start,
        };
        studio.begin(&game, Setup { seats, opening, delay, paused })
    });
    Ok(Json(json!({ "id": made.await?.id })))
}

/// A record from elsewhere.
#[derive(Deserialize)]
pub struct Record {
    text: String,
    #[serde(default)]
    game: Option<String>,
}

/// Opens a record.
pub async fn replay(State(studio): State<Arc<Studio>>, Json(record): Json<Record>) -> Answer<Json<Value>> {
    let made = work(&studio, move |studio| studio.replay(&record.text, record.game.as_deref()));
    Ok(Json(json!({ "id": made.await?.id })))
}

/// A match as a whole.
pub async fn overview(State(studio): State<Arc<Studio>>, Path(id): Path<String>) -> Answer<Response> {
    Ok(Json(look(&studio, move |studio| Ok(studio.find(&id)?.overview())).await?).into_response())
}

/// A position.
pub async fn scene(State(studio): State<Arc<Studio>>, Path((id, node)): Path<(String, usize)>) -> Answer<Json<Scene>> {
    Ok(Json(look(&studio, move |studio| studio.find(&id)?.scene(node)).await?))
}

/// The best play of both sides from a position on, as the tables know it.
pub async fn line(State(studio): State<Arc<Studio>>, Path((id, node)): Path<(String, usize)>) -> Answer<Json<Value>> {
    let line = look(&studio, move |studio| {
        let found = studio.find(&id)?;
        let (stand, _) = found.stands(node)?;
        scene::line(&found.game, stand)
    });
    Ok(Json(json!(line.await?)))
}

/// The record of a match up to a position.
pub async fn record(State(studio): State<Arc<Studio>>, Path((id, node)): Path<(String, usize)>) -> Answer<Response> {
    let text = look(&studio, move |studio| Ok(studio.find(&id)?.record(node)?.to_json())).await?;
    let kind = (header::CONTENT_TYPE, "application/json");
    Ok(([kind, (header::CONTENT_DISPOSITION, "attachment; filename=\"match.json\"")], text).into_response())
}

/// A position as a picture.
pub async fn picture(State(studio): State<Arc<Studio>>, Path((id, node)): Path<(String, usize)>) -> Answer<Response> {
    let svg = look(&studio, move |studio| {
        let found = studio.find(&id)?;
        let (stand, before) = found.stands(node)?;
        let picture = found.game.layout.picture(&stand.facts, before.as_ref().map(|stand| &stand.facts[..]));
        first_board(&picture).context("there is no board to be drawn")
    });
    Ok(([(header::CONTENT_TYPE, "image/svg+xml"), (header::CONTENT_SECURITY_POLICY, DOCUMENT)], svg.await?)
        .into_response())
}

fn first_board(picture: &study::picture::Picture) -> Option<String> {
    (0..picture.boards.len()).map(|at| board_svg(picture, at, Use::Image)).find(|svg| !svg.is_empty())
}

/// The most positions of a film.
const MOST_FRAMES: usize = 300;

/// The way to a position as a picture that moves: one frame a second, with nothing but SVG.
pub async fn film(State(studio): State<Arc<Studio>>, Path((id, node)): Path<(String, usize)>) -> Answer<Response> {
    let svg = look(&studio, move |studio| {
        let found = studio.find(&id)?;
        let record = found.record(node)?;
        let mut frames = Vec::new();
        let mut before: Option<Vec<String>> = None;
        for step in 0..record.states.len().min(MOST_FRAMES) {
            let facts = record.facts(step).context("a state cannot be read")?;
            let picture = found.game.layout.picture(&facts, before.as_deref());
            frames.push(first_board(&picture).context("there is no board to be drawn")?);
            before = Some(facts);
        }
        Ok(filmed(&found.game.title, &frames))
    });
    Ok(([(header::CONTENT_TYPE, "image/svg+xml"), (header::CONTENT_SECURITY_POLICY, DOCUMENT)], svg.await?)
        .into_response())
}

/// Frames one after the other, for ever.
fn filmed(title: &str, frames: &[String]) -> String {
    let count = frames.len().max(1);
    let open = frames.first().and_then(|frame| frame.split_once('>')).map_or("<svg", |(open, _)| open);
    let mut svg = format!("{open}><title>{}</title>", escaped(title));
    for (at, frame) in frames.iter().enumerate() {
        // The last frame stays a little longer.
        let all = count + 2;
        let (from, to) = (at as f64 / all as f64, if at + 1 == count { 1.0 } else { (at + 1) as f64 / all as f64 });
        let inner = frame.split_once('>').map_or("", |(_, rest)| rest).strip_suffix("</svg>").unwrap_or_default();
        let (values, times) = match at {
            0 => ("visible;hidden".to_string(), format!("0;{to:.4}")),
            _ => ("hidden;visible;hidden".to_string(), format!("0;{from:.4};{to:.4}")),
        };
        svg += &format!(
            "<g visibility=\"hidden\"><animate attributeName=\"visibility\" values=\"{values}\" keyTimes=\"{times}\" calcMode=\"discrete\" \
             dur=\"{all}s\" repeatCount=\"indefinite\"/>{inner}</g>"
        );
    }
    svg + "</svg>"
}

/// What can be done in a match.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Act {
    node: Option<usize>,
    role: Option<usize>,
    #[serde(rename = "move")]
    mv: Option<String>,
    seats: Option<Vec<Seat>>,
    delay: Option<f64>,
    paused: Option<bool>,
    seconds: Option<f64>,
}

/// Does something in a match.
pub async fn act(
    State(studio): State<Arc<Studio>>,
    Path((id, what)): Path<(String, String)>,
    Json(act): Json<Act>,
) -> Answer<Json<Value>> {
    let found = look(&studio, move |studio| studio.find(&id)).await?;
    work(&studio, move |_| perform(&found, &what, act)).await.map(|()| Json(json!({ "done": true })))
}

fn perform(found: &Arc<Match>, what: &str, act: Act) -> Result<()> {
    let Act { node, role, mv, seats, delay, paused, seconds } = act;
    let node_or_here = node.unwrap_or_else(|| found.current());
    match what {
        "move" => {
            let role = role.context("whose move is it?")?;
            found.choose(node_or_here, role, &mv.context("which move?")?)
        }
        "go" => found.go(node.context("to which position?")?),
        "undo" => found.undo(),
        "change" => found.change(seats, delay, paused),
        "step" => {
            found.step();
            Ok(())
        }
        "resign" => found.resign(role.context("who resigns?")?),
        "think" => found.think(node_or_here, role, seconds.unwrap_or(5.0)),
        "review" => found.review(node_or_here),
        "stop" => {
            found.stop_thinking();
            Ok(())
        }
        other => bail!("nobody knows how to {other:?} in a match"),
    }
}

/// Which matches are listened to: names with commas.
#[derive(Deserialize)]
pub struct Heard {
    #[serde(rename = "match")]
    ids: String,
}

/// News of matches as they come.
pub async fn events(
    State(studio): State<Arc<Studio>>,
    Query(heard): Query<Heard>,
) -> Answer<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let ids: Vec<String> = heard.ids.split(',').filter(|id| !id.is_empty()).map(str::to_string).collect();
    if ids.len() > MOST_HEARD {
        return Err(Trouble::from(anyhow::anyhow!("{MOST_HEARD} matches can be listened to at a time")));
    }
    let matches: Vec<Arc<Match>> =
        look(&studio, move |studio| ids.iter().map(|id| studio.find(id)).collect::<Result<Vec<_>>>()).await?;
    let all = stream::select_all(matches.into_iter().map(|found| Box::pin(news(found))));
    Ok(Sse::new(all).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))))
}

/// The news of one match, beginning with the whole.
fn news(found: Arc<Match>) -> impl Stream<Item = Result<Event, Infallible>> {
    let receiver = found.listen();
    let whole = |found: &Match| {
        Event::default().data(json!({"type": "whole", "match": found.id, "whole": found.overview()}).to_string())
    };
    let first = whole(&found);
    let rest = stream::unfold((receiver, found), move |(mut receiver, found)| async move {
        let event = match receiver.recv().await {
            Ok(text) => Event::default().data(&*text),
            // Who was too slow to hear everything hears it all again.
            Err(RecvError::Lagged(_)) => whole(&found),
            Err(RecvError::Closed) => return None,
        };
        Some((Ok(event), (receiver, found)))
    });
    stream::once(async move { Ok(first) }).chain(rest)
}
