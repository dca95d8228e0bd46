//! From a world to a plan: attributes, goals, what following them reaches, and an example for each goal.

use crate::attribute::Attribute;
use crate::casewise;
use crate::example::examples;
use crate::file::{FORM, Goal, Plan, Reached, Subject};
use crate::learn::{self, Judge, Phase, Progress, Settings};
use crate::movers::Movers;
use crate::pool::{self, Pool};
use crate::stages;
use crate::stages::cases::Cases;
use crate::stages::play::Repetition;
use crate::sweep::{Reading, Score, follow};
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
        reading: Reading::Ends,
        avoid: None,
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
        renumber(&mut told, &pool.attributes, &mut plan.attributes);
        plan.verdict = Some(told);
    }
    let looked = stages::find::Settings { plies: vec![settings.plies], seed: settings.seed, ..Default::default() };
    plan.stages = stages::find::find(world, &movers, &pool, &looked, tell, &mut |done, all| {
        let (phase, doing) = (Phase::Stages, "stages");
        watch(&Progress { phase, doing, tried: 0, step: (all, done), best: 0.0, goals: plan.goals.len() })
    });
    if settings.cases > 0 {
        let (cases, plies, seed) = (settings.cases, settings.plies, settings.seed);
        // Where everything can be measured at once, sums are to do without a rule against repetition.
        let strict = world.edges.len() <= settings.whole;
        let repetition = if strict { Repetition::Nothing } else { Repetition::ALL[0] };
        let usual = stages::cases::Settings { cases, plies, seed, repetition, ..Default::default() };
        // Own positions on the way can be compared with ends where it is the own side's turn there, too. In larger worlds that was never better, and takes as
        // long again.
        let met = (strict && plies.is_multiple_of(2) && !world.alone).then(|| usual.clone().met());
        for looked in met.into_iter().chain([usual]) {
            let found = stages::cases::find(world, &movers, &pool, &looked, &mut |done, all| {
                let (phase, doing) = (Phase::Stages, "sums by cases");
                watch(&Progress { phase, doing, tried: 0, step: (all, done), best: 0.0, goals: plan.goals.len() })
            });
            let most = |cases: &Option<Cases>| cases.as_ref().map_or(0, Cases::most_won);
            if most(&found) > most(&plan.cases) {
                plan.cases = found;
            }
            if most(&plan.cases) == plan.reached[0].positions {
                break;
            }
        }
        if let Some(cases) = &plan.cases {
            let better = by_cases(world, &movers, &plan, cases, tell);
            plan = better.unwrap_or(plan);
        }
    }
    plan
}

/// The plan with sums by cases for goals, if these win more than the goals that it has: with no rule against repetition, or else with one.
fn by_cases(world: &World, movers: &Movers, plan: &Plan, cases: &Cases, tell: &dyn Tell) -> Option<Plan> {
    let (attributes, goals) = cases.goals();
    let mut other = Plan { attributes, goals, reading: cases.reading, reached: Vec::new(), ..plan.clone() };
    let values = cases.values(world, movers);
    let scores = casewise::scores(world, &values, &other.goals, plan.plies, cases.reading);
    other.reached.push(reached(world, &scores, plan.plies));
    let before = plan.reached.first()?;
    let rule = cases.best_avoiding(plan.plies).filter(|games| games.share() > before.share());
    other.avoid =
        rule.filter(|games| games.share() > other.reached[0].share()).and_then(|games| games.repetition.among());
    if other.reached[0].won <= before.won && other.avoid.is_none() {
        return None;
    }
    if plan.plies != 1 {
        other.reached.push(reached(world, &casewise::scores(world, &values, &other.goals, 1, cases.reading), 1));
    }
    other.examples = casewise::examples(world, &other, &values, &scores, tell);
    // Rules that tell what is won speak of the attributes of the plan.
    if let Some(verdict) = &mut other.verdict {
        renumber(verdict, &plan.attributes, &mut other.attributes);
    }
    Some(other)
}

/// Makes rules speak of some attributes instead of others; those that are missing there are added.
fn renumber(verdict: &mut Verdict, from: &[Attribute], attributes: &mut Vec<Attribute>) {
    let mut number = |at: usize| {
        let attribute = &from[at];
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
        numbered.push(Goal { parts, ..Goal::default() });
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
