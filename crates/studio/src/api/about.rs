//! Games: the library, what each is about, what its rules reveal; tables and plans that are there.

use super::{Answer, Studio, look, work};
use crate::pictures;
use crate::scene;
use agent::studying::Studying;
use agent::{EngineChoice, Opening};
use anyhow::{Context, ensure};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use game::Facts;
use library::ENTRIES;
use machine::{Budget, PropNet};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, PoisonError};
use study::picture::thing_svg;

/// Seconds for a study.
const STUDY: f64 = 1.5;

/// The library.
pub async fn games(State(studio): State<Arc<Studio>>) -> Answer<Json<Value>> {
    let rows = look(&studio, |_| {
        let row = |entry: &'static library::Entry| json!({"name": entry.name, "title": entry.title(), "about": entry.summary(), "tags": entry.tags()});
        Ok(ENTRIES.iter().map(row).collect::<Vec<_>>())
    });
    Ok(Json(json!(rows.await?)))
}

/// One game: its roles, what it is about, and its start.
pub async fn game(State(studio): State<Arc<Studio>>, Path(name): Path<String>) -> Answer<Json<Value>> {
    let view = look(&studio, move |studio| {
        let game = studio.game(&name)?;
        let start = game.start()?;
        let about = game.entry.and_then(|entry| entry.about).unwrap_or_default();
        // What tests are made with is not for players.
        let about = about.split("\n## ").next().unwrap_or_default();
        let is_chess = ["chess", "kqkr", "krk"].contains(&game.key.as_str());
        Ok(json!({
            "name": game.key, "title": game.title, "roles": game.roles, "about": about, "fen": is_chess,
            "scene": scene::scene(&game, &start, None),
        }))
    });
    Ok(Json(view.await?))
}

/// The picture of a game in its middle, for lists.
pub async fn picture(State(studio): State<Arc<Studio>>, Path(name): Path<String>) -> Answer<Response> {
    let svg = look(&studio, move |studio| {
        let name = name.strip_suffix(".svg").unwrap_or(&name).to_string();
        if let Some(kept) = pictures::kept(&name) {
            return Ok(Arc::from(kept));
        }
        if let Some(known) = studio.pictures.lock().unwrap_or_else(PoisonError::into_inner).get(&name) {
            return Ok(Arc::clone(known));
        }
        let game = studio.game(&name)?;
        let drawn: Arc<str> = pictures::thumbnail(&game.layout, &game.middle()?, &game.title, game.roles.len()).into();
        studio.pictures.lock().unwrap_or_else(PoisonError::into_inner).insert(name, Arc::clone(&drawn));
        Ok(drawn)
    });
    let kind = (header::CONTENT_TYPE, "image/svg+xml");
    Ok(([kind, (header::CACHE_CONTROL, "max-age=3600")], svg.await?.to_string()).into_response())
}

/// What the rules of a game reveal.
pub async fn study(State(studio): State<Arc<Studio>>, Path(name): Path<String>) -> Answer<Response> {
    let text = look(&studio, move |studio| {
        if let Some(known) = studio.studies.lock().unwrap_or_else(PoisonError::into_inner).get(&name) {
            return Ok(Arc::clone(known));
        }
        let game = studio.game(&name)?;
        let cancel = studio.cancel.child();
        let engine = game.strong(&cancel);
        let choice = EngineChoice::Auto;
        let (sheet, rules) = (&game.sheet, &*game.rules);
        let studying =
            Studying { sheet, rules, engine: &engine, choice, seed: 1, seconds: STUDY, states: None, cancel: &cancel };
        let findings = studying.run(&mut |_| {}).study.findings();
        let start = game.start()?;
        let picture = game.layout.picture(&start.facts, None);
        let cells: Vec<Vec<&[String]>> =
            picture.boards.iter().map(|board| board.cells.iter().map(|cell| &cell.name[..]).collect()).collect();
        let all = json!({"title": game.title, "findings": findings, "scene": scene::scene(&game, &start, None), "cells": cells});
        let text: Arc<str> = all.to_string().into();
        studio.studies.lock().unwrap_or_else(PoisonError::into_inner).insert(name, Arc::clone(&text));
        Ok(text)
    });
    Ok(([(header::CONTENT_TYPE, "application/json")], text.await?.to_string()).into_response())
}

/// The kinds of players that can be chosen, and what can be set.
pub async fn players() -> Json<Value> {
    let kinds = agent::spec::KINDS.iter().filter(|kind| !["human", "remote", "uci", "xboard"].contains(&kind.name));
    let kinds: Vec<Value> = kinds
        .map(|kind| {
            let settings = kind.settings.iter().map(|setting| json!({"name": setting.name, "what": setting.what}));
            json!({"name": kind.name, "what": kind.what, "settings": settings.collect::<Vec<_>>()})
        })
        .collect();
    Json(json!(kinds))
}

/// Operations of a net that are still a picture.
const MOST_OPERATIONS: usize = 600;

/// The net of a small game, as a graph.
pub async fn net(State(studio): State<Arc<Studio>>, Path(name): Path<String>) -> Answer<Json<Value>> {
    let view = look(&studio, move |studio| {
        let game = studio.game(&name)?;
        let net = PropNet::new(&game.rules, Budget::default());
        let net = net.map_err(|_| anyhow::anyhow!("the rules of this game do not become a net"))?;
        let operations = net.size().operations;
        let words =
            format!("the net has {operations} operations, and more than {MOST_OPERATIONS} are no picture any more");
        ensure!(operations <= MOST_OPERATIONS, words);
        Ok(json!({"graph": net.dot(), "operations": operations}))
    });
    Ok(Json(view.await?))
}

/// Facts that a position may have at most.
const MOST_FACTS: usize = 20_000;

/// What can be put into the cells of each board, with pictures.
pub async fn palette(State(studio): State<Arc<Studio>>, Path(name): Path<String>) -> Answer<Json<Value>> {
    let view = look(&studio, move |studio| {
        let game = studio.game(&name)?;
        let picture = game.layout.picture(&game.start()?.facts, None);
        let boards: Vec<Value> = picture
            .boards
            .iter()
            .map(|board| {
                let things = board.things.iter().take(60);
                let things = things.map(|thing| json!({"name": thing.name, "svg": thing_svg(board, thing)}));
                json!({"title": board.title, "things": things.collect::<Vec<_>>()})
            })
            .collect();
        Ok(json!(boards))
    });
    Ok(Json(view.await?))
}

/// A change of a position: something in a cell, or nothing; without a cell the facts are looked at as they are.
#[derive(Deserialize)]
pub struct Edit {
    facts: Vec<String>,
    #[serde(default)]
    cell: Option<(usize, usize)>,
    #[serde(default)]
    thing: Option<String>,
}

/// The position after a change.
pub async fn edit(
    State(studio): State<Arc<Studio>>,
    Path(name): Path<String>,
    Json(edit): Json<Edit>,
) -> Answer<Json<Value>> {
    let view = work(&studio, move |studio| {
        let Edit { mut facts, cell, thing } = edit;
        ensure!(facts.len() <= MOST_FACTS, "no position has more than {MOST_FACTS} facts");
        let game = studio.game(&name)?;
        if let Some(cell) = cell {
            let like: Vec<String> = game.start()?.facts.into_iter().chain(game.middle()?).collect();
            let can_be = |fact: &str| game.engine.fact(fact).is_some();
            let put = game.layout.put(&facts, cell, thing.as_deref(), &like, &can_be);
            facts = put.with_context(|| match &thing {
                Some(thing) => format!("{thing} can never be in this cell"),
                None => "there is no such cell".to_string(),
            })?;
        }
        let text = facts.join("\n");
        let stand = game.at(&Opening::from_facts(&text)?)?;
        let scene = scene::scene(&game, &stand, None);
        Ok(json!({"facts": stand.facts, "scene": scene}))
    });
    Ok(Json(view.await?))
}
