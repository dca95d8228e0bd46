//! Games: the library, what each is about, what its rules reveal; tables and plans that are there.

use super::{Answer, Studio, look};
use crate::games::Game;
use crate::guard::DOCUMENT;
use crate::scene;
use agent::EngineChoice;
use agent::studying::Studying;
use anyhow::{Context, Result};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use library::ENTRIES;
use serde_json::{Value, json};
use std::sync::{Arc, PoisonError};
use study::picture::{Use, board_svg, svg};

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
        if let Some(known) = studio.pictures.lock().unwrap_or_else(PoisonError::into_inner).get(&name) {
            return Ok(Arc::clone(known));
        }
        let game = studio.game(&name)?;
        let drawn: Arc<str> = thumbnail(&game)?.into();
        studio.pictures.lock().unwrap_or_else(PoisonError::into_inner).insert(name, Arc::clone(&drawn));
        Ok(drawn)
    });
    let kind = (header::CONTENT_TYPE, "image/svg+xml");
    Ok(([kind, (header::CACHE_CONTROL, "max-age=3600")], svg.await?.to_string()).into_response())
}

/// A small picture of a game; where there is no board, its name.
pub fn thumbnail(game: &Game) -> Result<String> {
    let picture = game.layout.picture(&game.middle()?, None);
    let board = (0..picture.boards.len()).map(|at| board_svg(&picture, at, Use::Thumbnail)).find(|svg| !svg.is_empty());
    Ok(board.unwrap_or_else(|| emblem(&game.title, game.roles.len())))
}

/// A picture for a game without a board: figures of those who play.
fn emblem(title: &str, players: usize) -> String {
    let colours = ["#2f6fb8", "#c9572f", "#3b8f4d", "#8250a8", "#d19a1d", "#1f8a84"];
    let count = players.clamp(1, 6);
    let wide = 44 * count + 16;
    let figures: String = (0..count)
        .map(|at| {
            let (x, colour) = (30 + 44 * at, colours[at % colours.len()]);
            format!(
                "<circle cx=\"{x}\" cy=\"34\" r=\"13\" fill=\"{colour}\"/><path d=\"M{} 86c0-26 8-36 20-36s20 10 20 36z\" fill=\"{colour}\"/>",
                x - 20
            )
        })
        .collect();
    let title = study::picture::escaped(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} 104\" role=\"img\" aria-label=\"{title}\">{figures}</svg>"
    )
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

/// Tables and plans that are there.
pub async fn shelf(State(studio): State<Arc<Studio>>) -> Answer<Json<Value>> {
    let view = look(&studio, |studio| {
        let Some(folder) = studio.games.resources.tables.clone() else { return Ok(json!({"plans": [], "tables": []})) };
        let plans: Vec<Value> = platform::folders::files(&agent::plans::folder(&folder), agent::plans::ENDING)
            .iter()
            .filter_map(|path| {
                let plan = agent::plans::read(path).ok()?;
                Some(json!({"name": path.file_stem()?.to_str()?, "title": plan.title()}))
            })
            .collect();
        let mut tables: Vec<Value> = Vec::new();
        for name in ["krk", "kqkr", "chess"].into_iter().chain(ENTRIES.iter().map(|entry| entry.name)) {
            let seen = tables.iter().any(|table| table["game"] == name);
            if let (false, Some(what)) = (seen, table_of(studio, name)) {
                tables.push(json!({"game": name, "what": what}));
            }
        }
        Ok(json!({"plans": plans, "tables": tables, "folder": folder.display().to_string()}))
    });
    Ok(Json(view.await?))
}

/// What the tables of a game are, without opening the game.
fn table_of(studio: &Studio, name: &str) -> Option<String> {
    let entry = library::find(name)?;
    let rules = gdl::parse(entry.rules).rules;
    let oracles = agent::Oracles::new(studio.games.resources.tables.clone(), &agent::Events::ignored());
    let about = oracles.get(&rules)?.describe();
    Some(format!("{} ({}, {})", about.name, about.family, about.metric))
}

/// A plan as a page of its own.
pub async fn plan(State(studio): State<Arc<Studio>>, Path(name): Path<String>) -> Answer<Response> {
    let page = look(&studio, move |studio| {
        if !crate::kept::is_name(&name) {
            return Err(anyhow::anyhow!("there is no plan {name:?}"));
        }
        let folder = studio.games.resources.tables.clone().context("there is no folder of plans")?;
        let plan = agent::plans::read(&agent::plans::path(&folder, &name))?;
        let (sheet, _) = agent::plans::rules_of(&plan, None)?;
        let game = studio.games.open(sheet)?;
        let draw = |position: &str| svg(&game.layout.picture(&agent::plans::facts(&plan, position), None));
        Ok(plan::page::page(&plan, &draw))
    });
    let kind = (header::CONTENT_TYPE, "text/html; charset=utf-8");
    Ok(([kind, (header::CONTENT_SECURITY_POLICY, DOCUMENT)], page.await?).into_response())
}
