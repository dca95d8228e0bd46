//! Rules to code: which routines are needed, their plans, and the code for them.

use super::code::{Code, Entries, Memo, Routine};
use super::emit::{Emitter, Sink};
use super::plan::{self, Mode, Planner};
use super::recursion::{self, Shapes};
use super::show;
use super::space::Ranks;
use super::world::World;
use crate::budget::Stop;
use crate::program::{Reach, Rel};
use gdl::Symbol;
use std::collections::BTreeSet;

/// Facts or moves of more forms than this are found by one routine for all of them, and not by one for each.
const MOST_FORMS: usize = 2048;
/// The routine after which memory is counted first.
const FIRST_CHECK: u32 = 16;

/// What is asked from outside, planned.
struct Planned {
    /// The routines that yield moves and facts, with what they do with them.
    moves: Vec<(u32, Sink)>,
    facts: Vec<(u32, Sink)>,
    terminal: Option<u32>,
    goal: Option<u32>,
    shapes: Shapes,
}

/// Plans all routines.
fn plan(planner: &mut Planner<'_, '_>) -> Result<Planned, String> {
    let program = planner.world.prover.program();
    let (legal, next) = (program.relation(Symbol::LEGAL, 2), program.relation(Symbol::NEXT, 1));
    let (terminal, goal) = (program.relation(Symbol::TERMINAL, 0), program.relation(Symbol::GOAL, 2));
    let moves = outside(planner, legal, &[Mode::Bound], Sink::Move);
    let facts = outside(planner, next, &[], Sink::Fact);
    let terminal = terminal.map(|rel| planner.routine(rel, &[]));
    let goal = goal.map(|rel| planner.routine(rel, &[Mode::Bound, Mode::Free]));
    planner.run()?;
    let shapes = recursion::shapes(planner)?;
    Ok(Planned { moves, facts, terminal, goal, shapes })
}

/// All plans as text.
pub(super) fn plans(world: &mut World<'_>) -> Result<String, String> {
    let mut planner = Planner::new(world);
    let planned = plan(&mut planner)?;
    Ok(show::plans(&planner.routines, &planned.shapes, planner.world))
}

/// Plans and writes all code.
pub(super) fn compile(world: &mut World<'_>) -> Result<(Code, Vec<plan::Routine>), String> {
    let mut planner = Planner::new(world);
    let Planned { moves, facts, terminal, goal, shapes } = plan(&mut planner)?;
    let empty = Code::new(planner.world.facts.shapes.len());
    let mut emitter = Emitter::new(&mut planner, &shapes, empty);
    let count = emitter.planner.routines.len() as u32;
    let mut next_check = FIRST_CHECK;
    for number in 0..count {
        write_routine(&mut emitter, number)?;
        emitter.planner.check()?;
        if number == next_check {
            // Going through all tables takes a while: the more there are, the less often.
            next_check *= 2;
            emitter.planner.world.budget.hold_now(emitter.code.bytes())?;
        }
    }
    emitter.planner.world.budget.hold_now(emitter.code.bytes())?;
    let mut entries = Entries { terminal, goal, ..Entries::default() };
    for (number, sink) in moves {
        entries.legal.push(emitter.routine(number, sink)?.0);
    }
    for (number, sink) in facts {
        entries.next.push(emitter.routine(number, sink)?.0);
    }
    if emitter.planner.routines.len() as u32 != count {
        return Err("a routine was not planned".to_string());
    }
    let (mut code, labels) = (emitter.code, emitter.labels);
    code.entries = entries;
    let plans = std::mem::take(&mut planner.routines);
    finish(&mut code, &labels, world)?;
    Ok((code, plans))
}

/// The routines that find all moves of a role, or all facts of the next state, with what they do with them.
fn outside(
    planner: &mut Planner<'_, '_>,
    rel: Option<Rel>,
    before: &[Mode],
    sink: impl Fn(Symbol) -> Sink,
) -> Vec<(u32, Sink)> {
    let Some(rel) = rel else { return Vec::new() };
    let place = planner.world.types.arg(rel, before.len());
    let functors = planner.world.types.functors(place, &planner.world.prover.shared_bank());
    let Some(functors) = functors.filter(|functors| functors.len() <= MOST_FORMS) else {
        let modes = [before, &[Mode::Free]].concat();
        return vec![(planner.routine(rel, &modes), Sink::Term)];
    };
    let routines = functors.into_iter().map(|(functor, args)| {
        let modes = [before, &[Mode::Call(functor, vec![Mode::Free; args.len()])]].concat();
        (planner.routine(rel, &modes), sink(functor))
    });
    routines.collect()
}

fn write_routine(emitter: &mut Emitter<'_, '_, '_>, number: u32) -> Result<(), String> {
    let tabled = emitter.shapes.tabled[number as usize];
    let planned = &emitter.planner.routines[number as usize];
    let (rel, inputs, outputs) = (planned.rel, planned.inputs as u8, planned.outputs as u8);
    let sink = match (tabled, outputs) {
        (true, _) => Sink::Answer,
        (false, 0) => Sink::Prove,
        (false, _) => Sink::Yield,
    };
    let reach = emitter.reach(number);
    let keep = !tabled && (reach != Reach::Moves || emitter.shapes.recursive[number as usize]);
    let memo = if keep { emitter.memo(number) } else { Memo::No };
    let (entry, _) = emitter.routine(number, sink)?;
    emitter.code.routines.push(Routine { rel, entry, inputs, outputs, reach, memo, tabled });
    Ok(())
}

/// Puts places in the code where labels were, and ranks where domains were.
fn finish(code: &mut Code, labels: &[u32], world: &mut World<'_>) -> Result<(), String> {
    let place = |label: &mut u32| *label = labels[*label as usize];
    code.ops.iter_mut().for_each(|op| op.for_each_place(&mut |label| place(label)));
    code.asks.iter_mut().for_each(|ask| place(&mut ask.then));
    code.switches.iter_mut().for_each(place);
    for (number, index) in (0..).zip(&code.indexes) {
        code.indexes_of[index.shape as usize].push(number);
    }
    let wanted: BTreeSet<u32> = code.parts.iter().map(|part| part.ranks).collect();
    let left = world.budget.memory.saturating_sub(code.bytes()) / size_of::<u16>();
    let (ranks, places) = world.domains.ranks(&wanted, left).ok_or(Stop::Memory)?;
    code.ranks = ranks;
    for part in &mut code.parts {
        let Ranks { first, low, terms } = places[&part.ranks];
        (part.ranks, part.low, part.terms) = (first, low, terms);
    }
    code.domains = world.domains.clone();
    code.facts = world.facts.clone();
    code.moves = world.moves.clone();
    world.budget.heard()?;
    Ok(())
}
