//! Who thinks in a match: a searcher for each role, which keeps what it found out until the next move.

use super::Seat;
use crate::games::{Game, Stand};
use agent::analysis::Search;
use agent::searcher::searcher;
use agent::{Opening, PlayerSpec, Position, Thoughts};
use anyhow::{Context, Result};
use game::{Cancel, Role};
use machine::Engine;
use search::{Found, Searcher};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Seconds at most for measuring, before the first move of a match, which way of searching suits the game.
const READY: f64 = 2.0;
/// From so many seconds on an analysis measures that too, in this part of its time.
const LONG: f64 = 3.0;
const PART: f64 = 0.25;
/// How often those who watch hear what is thought.
const EVERY: Duration = Duration::from_millis(200);

/// A player that has thought in this match.
struct Mind {
    spec: PlayerSpec,
    engine: Engine,
    searcher: Box<dyn Searcher<Engine>>,
    moves: u64,
    /// Whether it has got ready for the game.
    ready: bool,
}

/// The players of a match that do not think at the moment, by role.
#[derive(Default)]
pub(super) struct Minds(Mutex<HashMap<usize, Mind>>);

/// Hears what is thought, for how many seconds, and what moves are found by and why.
pub(super) type Tell<'a> = &'a dyn Fn(&Thoughts, f64, Option<&str>);

/// What came of thinking.
pub(super) struct Decided {
    /// The move.
    pub mv: String,
    /// What was thought, if it thinks.
    pub thoughts: Option<Thoughts>,
    /// The seconds that took.
    pub seconds: f64,
    /// What the move was found by, and why.
    pub about: Option<String>,
}

impl Minds {
    /// The move of a player, and what it thought.
    pub fn choose(
        &self,
        game: &Game,
        seat: &Seat,
        role: usize,
        stand: &Stand,
        stop: &Cancel,
        tell: Tell<'_>,
    ) -> Result<Decided> {
        let spec = seat.player()?.context("a person sits there")?;
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&role);
        let mut mind = match known.filter(|mind| mind.spec == spec) {
            Some(mind) => mind,
            None => {
                let engine = if spec.thinks() { game.strong(stop) } else { game.engine.clone() };
                let searcher = searcher(&spec, &engine, &game.knowledge);
                Mind { spec, engine, searcher, moves: host::clock_seed(), ready: false }
            }
        };
        mind.moves = mind.moves.wrapping_add(1);
        let began = Instant::now();
        let thinks = mind.spec.thinks();
        let position = Opening::Facts(stand.facts.clone()).open(&mind.engine)?;
        if !mind.ready {
            mind.ready = true;
            let seconds = mind.spec.limits.seconds.unwrap_or(READY).min(READY);
            prepare(&position, &mind.spec, &mut *mind.searcher, role, seconds, stop);
        }
        let known = mind.searcher.about();
        let found = search(&position, &mut mind, role, stop, &|found| {
            if thinks {
                let thoughts = Thoughts::new(position.engine(), Role(role as u8), found);
                tell(&thoughts, began.elapsed().as_secs_f64(), known.as_deref());
            }
        })?;
        let about = mind.searcher.about();
        let thoughts = Thoughts::new(&mind.engine, Role(role as u8), &found);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(role, mind);
        // Whatever a search does, a legal move is made.
        let best = thoughts.best.clone().filter(|mv| stand.legal[role].contains(mv));
        let mv = best.or_else(|| stand.legal[role].first().cloned()).context("there is no legal move")?;
        Ok(Decided { mv, thoughts: thinks.then_some(thoughts), seconds: began.elapsed().as_secs_f64(), about })
    }
}

/// Lets the portfolio measure which way of searching suits the game. Other players need nothing before the first move.
fn prepare(
    position: &Position,
    spec: &PlayerSpec,
    searcher: &mut dyn Searcher<Engine>,
    role: usize,
    seconds: f64,
    stop: &Cancel,
) {
    if spec.kind() != "portfolio" {
        return;
    }
    let began = Instant::now();
    let spent = || if stop.is_cancelled() { 2.0 } else { (began.elapsed().as_secs_f64() / seconds) as f32 };
    let budget = spec.budget(&spent, 1);
    // A limit during the preparation does not keep anybody from playing.
    let _ = searcher.prepare(position.engine(), position.state(), Role(role as u8), &budget);
}

fn search(position: &Position, mind: &mut Mind, role: usize, stop: &Cancel, tell: &dyn Fn(&Found)) -> Result<Found> {
    let Mind { spec, searcher, moves, .. } = mind;
    let seconds = spec.limits.seconds.unwrap_or(60.0);
    let search = Search { spec, seconds, seed: *moves, position, role: Role(role as u8) };
    search.run_by(&mut **searcher, stop, EVERY, &mut |found| {
        tell(found);
        Ok(())
    })
}

/// What the default player thinks of a position, for so many seconds.
pub(super) fn analyse(
    game: &Game,
    stand: &Stand,
    role: usize,
    seconds: f64,
    stop: &Cancel,
    tell: Tell<'_>,
) -> Result<(Thoughts, Option<String>)> {
    let mut spec = PlayerSpec::default();
    (spec.limits.seconds, spec.limits.memory) = (Some(seconds), super::MEMORY);
    let engine = game.strong(stop);
    let position = Opening::Facts(stand.facts.clone()).open(&engine)?;
    let began = Instant::now();
    let mut searcher = searcher(&spec, &engine, &game.knowledge);
    if seconds >= LONG {
        prepare(&position, &spec, &mut *searcher, role, seconds * PART, stop);
    }
    let (role, known) = (Role(role as u8), searcher.about());
    let seconds = (seconds - began.elapsed().as_secs_f64()).max(0.1);
    let search = Search { spec: &spec, seconds, seed: 1, position: &position, role };
    let found = search.run_by(&mut *searcher, stop, EVERY, &mut |found| {
        let thoughts = Thoughts::new(position.engine(), role, found);
        tell(&thoughts, began.elapsed().as_secs_f64(), known.as_deref());
        Ok(())
    })?;
    Ok((Thoughts::new(&engine, role, &found), searcher.about()))
}
