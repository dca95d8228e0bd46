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

/// How often those who watch hear what is thought.
const EVERY: Duration = Duration::from_millis(200);

/// A player that has thought in this match.
struct Mind {
    spec: PlayerSpec,
    engine: Engine,
    searcher: Box<dyn Searcher<Engine>>,
    moves: u64,
}

/// The players of a match that do not think at the moment, by role.
#[derive(Default)]
pub(super) struct Minds(Mutex<HashMap<usize, Mind>>);

/// Hears what is thought, and for how many seconds.
pub(super) type Tell<'a> = &'a dyn Fn(&Thoughts, f64);

impl Minds {
    /// The move of a player; what it thought, if it thinks; and the seconds that took.
    pub fn choose(
        &self,
        game: &Game,
        seat: &Seat,
        role: usize,
        stand: &Stand,
        stop: &Cancel,
        tell: Tell<'_>,
    ) -> Result<(String, Option<Thoughts>, f64)> {
        let spec = seat.player()?.context("a person sits there")?;
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&role);
        let mut mind = match known.filter(|mind| mind.spec == spec) {
            Some(mind) => mind,
            None => {
                let engine = if spec.thinks() { game.strong(stop) } else { game.engine.clone() };
                let searcher = searcher(&spec, &engine, &game.knowledge);
                Mind { spec, engine, searcher, moves: host::clock_seed() }
            }
        };
        mind.moves = mind.moves.wrapping_add(1);
        let began = Instant::now();
        let thinks = mind.spec.thinks();
        let position = Opening::Facts(stand.facts.clone()).open(&mind.engine)?;
        let found = search(&position, &mut mind, role, stop, &|found| {
            if thinks {
                tell(&Thoughts::new(position.engine(), Role(role as u8), found), began.elapsed().as_secs_f64());
            }
        })?;
        let thoughts = Thoughts::new(&mind.engine, Role(role as u8), &found);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(role, mind);
        // Whatever a search does, a legal move is made.
        let best = thoughts.best.clone().filter(|mv| stand.legal[role].contains(mv));
        let mv = best.or_else(|| stand.legal[role].first().cloned()).context("there is no legal move")?;
        Ok((mv, thinks.then_some(thoughts), began.elapsed().as_secs_f64()))
    }
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
) -> Result<Thoughts> {
    let mut spec = PlayerSpec::default();
    (spec.limits.seconds, spec.limits.memory) = (Some(seconds), super::MEMORY);
    let engine = game.strong(stop);
    let position = Opening::Facts(stand.facts.clone()).open(&engine)?;
    let began = Instant::now();
    let role = Role(role as u8);
    let search = Search { spec: &spec, seconds, seed: 1, position: &position, role };
    let found = search.run(&game.knowledge, stop, EVERY, &mut |found| {
        tell(&Thoughts::new(position.engine(), role, found), began.elapsed().as_secs_f64());
        Ok(())
    })?;
    Ok(Thoughts::new(&engine, role, &found))
}
