//! Rules that are being written.

use super::{Answer, Studio, look, work};
use crate::editor::{self, Checked};
use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// A text, and what it is to become.
#[derive(Deserialize)]
pub struct Text {
    text: String,
    #[serde(default)]
    form: String,
}

/// What is wrong with a text, and what its game looks like.
pub async fn check(State(studio): State<Arc<Studio>>, Json(text): Json<Text>) -> Answer<Json<Checked>> {
    Ok(Json(work(&studio, move |studio| editor::check(&text.text, &studio.games)).await?))
}

/// The text in another form.
pub async fn convert(State(studio): State<Arc<Studio>>, Json(text): Json<Text>) -> Answer<Json<Value>> {
    let text = work(&studio, move |_| editor::convert(&text.text, &text.form)).await?;
    Ok(Json(json!({ "text": text })))
}

/// Keeps rules that can be played.
pub async fn keep(State(studio): State<Arc<Studio>>, Json(text): Json<Text>) -> Answer<Json<Value>> {
    let game = work(&studio, move |studio| {
        studio.games.open(editor::sheet(&text.text)?)?;
        studio.kept.save_rules(&text.text)
    });
    Ok(Json(json!({ "game": game.await? })))
}

/// The text of the rules of this name.
pub async fn text(State(studio): State<Arc<Studio>>, Path(name): Path<String>) -> Answer<Json<Value>> {
    let text = look(&studio, move |studio| Ok(studio.kept.sheet(&name)?.text.to_string())).await?;
    Ok(Json(json!({ "text": text })))
}
