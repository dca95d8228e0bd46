//! From a world to a plan: attributes, goals, what following them reaches, and an example for each goal.

use crate::attribute::Attribute;
use crate::example::examples;
use crate::file::{FORM, Goal, Plan, Reached, Subject};
use crate::learn::{self, Judge, Phase, Progress, Settings};
use crate::movers::Movers;
use crate::pool::{self, Pool};
use crate::stages;
use crate::sweep::{Score, follow};
use crate::verdict::{self, Verdict};
use crate::world::World;

/// What positions and moves of a world are called.
pub trait Tell {
    /// A position: a FEN, or facts.
    fn position(&self, node: u32) -> String;
    /// The move from one position to another.
    fn step(&self, from: u32, to: u32) -> String;
}

/// Builds a plan. `watch` hears of it now and then; `false` ends the search with the best so far.
pub fn build(
    world: &mut World,
    subject: Subject,
    settings: &Settings,
    tell: &dyn Tell,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Plan {
    let movers = Movers::read(world);
    let mut pool = Pool::new(world, &movers, pool::simple(world, &movers), &mut |done, all| {
        let phase = Phase::Attributes;
        watch(&Progress {
            phase,
            doing: "attributes of all positions",
            tried: 0,
            step: (all, done),
            best: 0.0,
            goals: 0,
        })
    });
    pool.shape(world);
    let found = learn::search(world, &pool, settings.clone(), watch);
    let (attributes, goals) = used(&pool, &found.goals);
    let mut plan = Plan {
        form: FORM,
        version: env!("CARGO_PKG_VERSION").to_string(),
        subject,
        board: world.board.clone(),
        reads: None,
        movers: movers.written(),
        attributes,
        goals,
        plies: settings.plies,
        reached: Vec::new(),
        verdict: None,
        examples: Vec::new(),
        stages: None,
        cases: None,
    };
    let at_plan = learn::scores(world, &pool, &found.goals, settings.plies);
    plan.reached.push(reached(world, &at_plan, settings.plies));
    if settings.plies != 1 {
        let at_one = learn::scores(world, &pool, &found.goals, 1);
        plan.reached.push(reached(world, &at_one, 1));
    }
    plan.examples = examples(world, &plan, &pool, &found.goals, &at_plan, tell);
    if settings.verdict > 0 {
        let rules = verdict::Settings {
            rules: settings.verdict,
            plies: settings.plies,
            seed: settings.seed,
            ..verdict::Settings::default()
        };
        let mut told = verdict::find(world, &pool, &rules, &mut |round, so_far| {
            let step = (rules.rounds, round);
            watch(&Progress {
                phase: Phase::Verdict,
                doing: "rules that tell what is won",
                tried: 0,
                step,
                best: so_far.share(),
                goals: plan.goals.len(),
            })
        });
        renumber(&mut told, &pool, &mut plan.attributes);
        plan.verdict = Some(told);
    }
    let looked = stages::find::Settings { plies: vec![settings.plies], seed: settings.seed, ..Default::default() };
    plan.stages = stages::find::find(world, &movers, &pool, &looked, tell, &mut |done, all| {
        let (phase, doing) = (Phase::Stages, "stages");
        watch(&Progress { phase, doing, tried: 0, step: (all, done), best: 0.0, goals: plan.goals.len() })
    });
    if settings.cases > 0 {
        let (cases, plies, seed) = (settings.cases, settings.plies, settings.seed);
        let looked = stages::cases::Settings { cases, plies, seed, ..Default::default() };
        plan.cases = stages::cases::find(world, &movers, &pool, &looked, &mut |done, all| {
            let (phase, doing) = (Phase::Stages, "sums by cases");
            watch(&Progress { phase, doing, tried: 0, step: (all, done), best: 0.0, goals: plan.goals.len() })
        });
    }
    plan
}

/// Makes rules speak of the attributes of the plan instead of those of the pool.
fn renumber(verdict: &mut Verdict, pool: &Pool, attributes: &mut Vec<Attribute>) {
    let mut number = |column: usize| {
        let attribute = &pool.attributes[column];
        attributes.iter().position(|known| known == attribute).unwrap_or_else(|| {
            attributes.push(attribute.clone());
            attributes.len() - 1
        })
    };
    for test in verdict.rules.iter_mut().flat_map(|rule| &mut rule.tests) {
        test.subject = test.subject.renumbered(&mut number);
    }
}

/// The attributes that goals use, and the goals in their numbers.
fn used(pool: &Pool, goals: &[learn::Goal]) -> (Vec<Attribute>, Vec<Goal>) {
    let mut columns: Vec<usize> = Vec::new();
    let mut numbered = Vec::new();
    for goal in goals {
        let mut parts = Vec::new();
        for &(column, weight) in goal {
            let at = columns.iter().position(|&known| known == column).unwrap_or_else(|| {
                columns.push(column);
                columns.len() - 1
            });
            parts.push((at, weight));
        }
        numbered.push(Goal { parts });
    }
    (columns.into_iter().map(|column| pool.attributes[column].clone()).collect(), numbered)
}

/// What scores reach when they are followed.
pub fn reached(world: &World, scores: &[Score], plies: usize) -> Reached {
    let outcomes = follow(world, scores);
    Reached {
        plies,
        positions: outcomes.positions,
        won: outcomes.won,
        excess: outcomes.mean_excess(),
        worst: outcomes.worst,
        random: Some(learn::worth(
            world,
            &learn::by_level(world),
            scores,
            Judge { worst: 0.0, patience: 1.0, drawn: true, sweeps: 100 },
        )),
    }
}
