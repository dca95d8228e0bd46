//! `ludens lab abstraction`: patterns of a few pieces over many games, one table: which are used, what they cost, how much better they
//! foretell ends than counting pieces does, and what they are worth in play.
//!
//! Play is alpha-beta with the patterns against UCT, both on one thread with the same time a move, from positions after a few random
//! moves, each played from both sides.

use crate::args::AbstractionArgs;
use agent::engines::{EngineChoice, load};
use agent::patterns::{Looking, Patterns};
use anyhow::Result;
use game::random::Rng;
use game::{Cancel, Game, Limit, Role};
use machine::{Engine, State};
use platform::Interrupt;
use search::{Budget, Knowledge, Method, Monitor, Searcher, SharedEvaluator};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;
use study::{Plan, Stage, Study};
use terminal::{Answer, Out, Progress, text};

/// Random moves before a match.
const OPENING: usize = 4;
/// The longest match.
const MOST_STEPS: usize = 300;

/// Runs the experiment.
pub fn run(args: &AbstractionArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let names: Vec<String> = match args.games.is_empty() {
        true => library::ENTRIES.iter().map(|entry| entry.name.to_string()).collect(),
        false => args.games.clone(),
    };
    let cancel = interrupt.cancel();
    let mut progress = Progress::new();
    let mut rows = Vec::new();
    for name in &names {
        if cancel.is_cancelled() {
            break;
        }
        progress.at(|_| name.clone());
        rows.push(
            one(name, args, &cancel).unwrap_or_else(|error| json!({ "game": name, "error": format!("{error:#}") })),
        );
    }
    progress.wipe();
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &rows)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    writeln!(out, "| game | patterns | bytes | seconds | loss of counting | with patterns | points against UCT |")?;
    writeln!(out, "|---|---|---|---|---|---|---|")?;
    for row in &rows {
        let number =
            |key: &str, digits: usize| row[key].as_f64().map_or("-".into(), |value| format!("{value:.digits$}"));
        let points = match (row["points"].as_f64(), row["matches"].as_u64()) {
            (Some(points), Some(matches)) => format!("{points} of {}", text::count(matches as usize, "match")),
            _ => "-".to_string(),
        };
        let patterns = ["patterns", "none", "error"].iter().find_map(|key| row[key].as_str()).unwrap_or("-");
        let game = row["game"].as_str().unwrap_or_default();
        let (bytes, seconds) = (number("bytes", 0), number("seconds", 2));
        let (base, loss) = (number("base", 4), number("loss", 4));
        writeln!(out, "| {game} | {patterns} | {bytes} | {seconds} | {base} | {loss} | {points} |")?;
    }
    Ok(Answer::Yes)
}

/// One game.
fn one(name: &str, args: &AbstractionArgs, cancel: &Cancel) -> Result<Value> {
    let (sheet, rules) = library::load(name)?;
    let engine = load(EngineChoice::Auto, &sheet, &rules, cancel)?.engine;
    let begun = Instant::now();
    let mut left = 2_000u32;
    let more = |stage: Stage| {
        left = left.saturating_sub(u32::from(stage == Stage::Observe));
        begun.elapsed().as_secs_f64() < 0.3 * args.seconds && (left > 0 || stage != Stage::Observe)
    };
    let plan = Plan { seed: args.seed, cancel: cancel.clone(), ..Plan::play(more) };
    let study = Study::run(&rules, &engine, plan);
    let spent = || if cancel.is_cancelled() { 2.0 } else { (begun.elapsed().as_secs_f64() / args.seconds) as f32 };
    let (study, settings) = (&study, Default::default());
    let found = Looking { engine: &engine, study, seed: args.seed, settings, spent: &spent }.run(&mut |_| {});
    let seconds = begun.elapsed().as_secs_f64();
    let Patterns { board, choice, .. } = match found {
        Ok(found) => found,
        Err(why) => return Ok(json!({ "game": sheet.name, "none": why, "seconds": seconds })),
    };
    let Some(evaluator) = choice.evaluator else {
        let base = choice.base;
        return Ok(json!({ "game": sheet.name, "none": choice.none, "seconds": seconds, "base": base }));
    };
    let words: Vec<String> = choice.chosen.iter().map(|one| one.table.pattern.words(&board)).collect();
    let bytes: u64 = choice.chosen.iter().map(|one| one.table.pattern.entries()).sum();
    let knowledge =
        Knowledge { evaluators: vec![Arc::new(evaluator) as SharedEvaluator<Engine>], ..Knowledge::default() };
    let mut points = 0.0;
    for pair in 0..args.pairs {
        let from = opening(&engine, args.seed.wrapping_add(u64::from(pair)))?;
        for role in [Role(0), Role(1)] {
            points += duel(&engine, &from, role, &knowledge, args, cancel)?;
        }
    }
    let loss = choice.chosen.last().and_then(|one| one.loss);
    let matches = 2 * args.pairs;
    Ok(
        json!({ "game": sheet.name, "patterns": words.join("; "), "bytes": bytes, "seconds": seconds, "base": choice.base,
        "loss": loss, "points": (matches > 0).then_some(points), "matches": matches }),
    )
}

/// A position after a few random moves that has not ended.
fn opening(engine: &Engine, seed: u64) -> Result<State, Limit> {
    let mut rng = Rng::new(seed);
    let mut view = engine.view();
    let mut state = engine.start();
    for _ in 0..OPENING {
        engine.look(&state, &mut view)?;
        let mut joint = Vec::new();
        for role in game::roles(engine) {
            let mut legal = Vec::new();
            engine.legal(&view, role, &mut legal);
            if legal.is_empty() {
                return Ok(state);
            }
            joint.push(legal[rng.below(legal.len())]);
        }
        let mut next = state.clone();
        engine.play(&mut view, &joint, &mut next)?;
        state = next;
    }
    Ok(state)
}

/// A match of alpha-beta with patterns in this role against UCT: its points, 1 for a win.
fn duel(
    engine: &Engine,
    from: &State,
    its: Role,
    knowledge: &Knowledge<Engine>,
    args: &AbstractionArgs,
    cancel: &Cancel,
) -> Result<f64> {
    let mut players: Vec<Box<dyn Searcher<Engine>>> = Vec::new();
    for role in game::roles(engine) {
        let method = if role == its { Method::alpha_beta(Some(0)) } else { Method::uct() };
        players.push(method.searcher(knowledge)?);
    }
    let mut view = engine.view();
    let mut state = from.clone();
    for step in 0..MOST_STEPS as u64 {
        engine.look(&state, &mut view)?;
        if engine.over(&view) || cancel.is_cancelled() {
            break;
        }
        let mut joint = Vec::new();
        for role in game::roles(engine) {
            let mut legal = Vec::new();
            engine.legal(&view, role, &mut legal);
            let Some(&only) = legal.first() else { return Ok(0.5) };
            if legal.len() == 1 {
                joint.push(only);
                continue;
            }
            let begun = Instant::now();
            let spent = || (begun.elapsed().as_secs_f64() / args.play) as f32;
            let budget = Budget::timed(&spent, args.seed.wrapping_add(step));
            let found = players[role.0 as usize].search(engine, &state, role, &budget, &Monitor::new())?;
            joint.push(found.mv.unwrap_or(only));
        }
        let mut next = state.clone();
        engine.play(&mut view, &joint, &mut next)?;
        state = next;
    }
    engine.look(&state, &mut view)?;
    if !engine.over(&view) {
        return Ok(0.5);
    }
    let goal = |view: &mut machine::View, role: Role| engine.goal(view, role).map(|goal| f64::from(goal.unwrap_or(0)));
    let (own, other) = (goal(&mut view, its)?, goal(&mut view, Role(1 - its.0))?);
    Ok(if own > other {
        1.0
    } else if own < other {
        0.0
    } else {
        0.5
    })
}
