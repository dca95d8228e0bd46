//! Tables, plans and the laboratory: what is known, and what is being found out.

use super::{Answer, Studio, look, work};
use crate::guard::DOCUMENT;
use crate::laboratory::{Asked, PAPERS};
use crate::practice::{Lesson, Practice, Wish};
use crate::report::{self, Settings, measure};
use anyhow::{Context, Result};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use library::ENTRIES;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, PoisonError};
use study::picture::svg;
use table::oracle::Family;
use table::store::Store;

/// Plans that are kept ready.
const MOST_PRACTICES: usize = 6;

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

/// The tables that are there in numbers: what their builders counted, as it is in their headers.
pub async fn numbers(State(studio): State<Arc<Studio>>) -> Answer<Json<Value>> {
    let view = look(&studio, |studio| {
        let Some(folder) = studio.games.resources.tables.clone() else { return Ok(json!([])) };
        let store = Store::new(&folder);
        let files = Family::ALL.into_iter().flat_map(|family| store.headers(family));
        let rows = files.filter_map(|(path, header)| {
            let (name, header) = (path.file_name()?.to_str()?.to_string(), header.ok()?);
            Some(json!({"file": name, "kind": header.kind(), "entries": header.entries(), "counts": header.statistics()}))
        });
        Ok(Value::Array(rows.collect()))
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

impl Studio {
    /// A plan that is ready to be followed.
    fn practice(&self, name: &str) -> Result<Arc<Practice>> {
        if !crate::kept::is_name(name) {
            return Err(anyhow::anyhow!("there is no plan {name:?}"));
        }
        let folder = self.games.resources.tables.clone().context("there is no folder of plans")?;
        let text = platform::folders::text(&agent::plans::path(&folder, name), 64 << 20)
            .with_context(|| format!("there is no plan {name} yet (`ludens plan build {name}` finds one)"))?;
        // A plan that was built anew is another one.
        let key = crate::games::own_key(&text);
        let known = || self.practices.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ready) = known().get(&key) {
            return Ok(Arc::clone(ready));
        }
        let made = Arc::new(Practice::open(name, &folder, &self.games, &self.cancel)?);
        let mut known = known();
        if known.len() >= MOST_PRACTICES {
            known.clear();
        }
        known.insert(key, Arc::clone(&made));
        Ok(made)
    }
}

/// Which position of a plan is wanted: one in a line, or one that is drawn.
#[derive(Deserialize)]
pub struct Where {
    #[serde(default)]
    at: Option<String>,
    #[serde(default)]
    seed: u64,
}

/// A position in which a plan is followed.
pub async fn drill(
    State(studio): State<Arc<Studio>>,
    Path(name): Path<String>,
    Query(wanted): Query<Where>,
) -> Answer<Json<Lesson>> {
    let lesson = look(&studio, move |studio| {
        let wish = wanted.at.as_deref().map_or(Wish::Draw(wanted.seed), Wish::See);
        studio.practice(&name)?.answer(&wish)
    });
    Ok(Json(lesson.await?))
}

/// A move of somebody who follows a plan.
#[derive(Deserialize)]
pub struct Step {
    at: String,
    #[serde(rename = "move")]
    mv: String,
    #[serde(default)]
    seen: Vec<String>,
}

/// Judges a move by a plan.
pub async fn drill_move(
    State(studio): State<Arc<Studio>>,
    Path(name): Path<String>,
    Json(step): Json<Step>,
) -> Answer<Json<Lesson>> {
    let lesson =
        work(&studio, move |studio| studio.practice(&name)?.answer(&Wish::Move(&step.at, &step.mv, &step.seen)));
    Ok(Json(lesson.await?))
}

/// What a report is made of.
#[derive(Deserialize)]
pub struct Numbers {
    #[serde(default)]
    other: Option<String>,
    #[serde(default = "few")]
    games: usize,
    #[serde(default = "some")]
    playouts: u64,
}

fn few() -> usize {
    20
}

fn some() -> u64 {
    100
}

/// A game in numbers, or two beside each other, as a page of its own. One report at a time is made.
pub async fn report(
    State(studio): State<Arc<Studio>>,
    Path(name): Path<String>,
    Query(numbers): Query<Numbers>,
) -> Answer<Response> {
    let page = look(&studio, move |studio| {
        let Numbers { other, games, playouts } = numbers;
        let settings = Settings { games: games.clamp(2, 100), playouts: playouts.clamp(1, 2000), seed: 1 };
        let _one = studio.reporting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut reports = Vec::new();
        for name in std::iter::once(&name).chain(&other) {
            let game = studio.game(name)?;
            reports.push(measure(&game, settings, &studio.cancel, &|_, _| {})?);
        }
        Ok(report::page(&reports))
    });
    let kind = (header::CONTENT_TYPE, "text/html; charset=utf-8");
    Ok(([kind, (header::CONTENT_SECURITY_POLICY, DOCUMENT)], page.await?).into_response())
}

/// Tournaments and experiments.
pub async fn lab(State(studio): State<Arc<Studio>>) -> Answer<Json<Value>> {
    let view = look(&studio, |studio| {
        let papers: Vec<Value> = PAPERS
            .iter()
            .map(|paper| json!({"name": paper.name, "title": paper.title(), "found": !paper.files.is_empty()}))
            .collect();
        Ok(json!({"tournaments": studio.laboratory.list(), "papers": papers}))
    });
    Ok(Json(view.await?))
}

/// A tournament with its standings.
pub async fn tournament(State(studio): State<Arc<Studio>>, Path(name): Path<String>) -> Answer<Json<Value>> {
    let view = look(&studio, move |studio| {
        let (line, groups) = studio.laboratory.tournament(&name)?;
        Ok(json!({"line": line, "groups": groups}))
    });
    Ok(Json(view.await?))
}

/// A tournament that is to be played.
#[derive(Deserialize)]
pub struct Compete {
    name: String,
    #[serde(flatten)]
    asked: Asked,
}

/// Begins a tournament, or goes on with one.
pub async fn compete(State(studio): State<Arc<Studio>>, Json(wanted): Json<Compete>) -> Answer<Json<Value>> {
    work(&studio, move |studio| studio.laboratory.begin(&wanted.name, &wanted.asked)).await?;
    Ok(Json(json!({ "done": true })))
}

/// Ends a tournament.
pub async fn end_tournament(State(studio): State<Arc<Studio>>, Path(name): Path<String>) -> Answer<Json<Value>> {
    work(&studio, move |studio| studio.laboratory.end(&name)).await?;
    Ok(Json(json!({ "done": true })))
}

/// An experiment: the question, and the reports of what was found.
pub async fn paper(State(studio): State<Arc<Studio>>, Path(name): Path<String>) -> Answer<Json<Value>> {
    let view = look(&studio, move |_| {
        let paper = PAPERS.iter().find(|paper| paper.name == name).context("there is no such experiment")?;
        let texts = paper.files.iter().filter(|(own, _)| own.ends_with(".md"));
        let texts: Vec<Value> = texts.map(|(own, text)| json!({"name": own, "text": text})).collect();
        let figures: Vec<&str> = paper.files.iter().map(|(own, _)| *own).filter(|own| own.ends_with(".svg")).collect();
        Ok(
            json!({"name": paper.name, "title": paper.title(), "question": paper.question, "reports": texts, "figures": figures}),
        )
    });
    Ok(Json(view.await?))
}

/// A figure of an experiment.
pub async fn figure(
    Path((paper, file)): Path<(String, String)>,
    State(studio): State<Arc<Studio>>,
) -> Answer<Response> {
    let svg = look(&studio, move |_| {
        let paper = PAPERS.iter().find(|known| known.name == paper).context("there is no such experiment")?;
        paper.file(&file).filter(|_| file.ends_with(".svg")).context("there is no such figure")
    });
    let kind = (header::CONTENT_TYPE, "image/svg+xml");
    Ok(([kind, (header::CONTENT_SECURITY_POLICY, DOCUMENT)], svg.await?).into_response())
}
