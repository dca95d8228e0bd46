//! Who plays the roles that no person plays, and who is asked for a hint.

use crate::searcher::{Knowledge, searcher};
use crate::spec::{Method, PlayerSpec, UctSpec};
use crate::{Event, Events, Position, Resources, Thoughts};
use anyhow::{Result, ensure};
use game::random::Rng;
use game::{Move, Role, roles};
use gdl::Rules;
use machine::Engine;
use search::{Found, Monitor, Searcher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Random games for a move, at the levels that are told by them.
const FEW_GAMES: [u64; 4] = [10, 60, 300, 2000];
/// Seconds for a move at the levels from the fifth on.
const SECONDS: [f64; 6] = [1.0, 2.0, 4.0, 8.0, 15.0, 30.0];
/// Random games instead of each of these seconds where everything is to be repeatable.
const GAMES_A_SECOND: f64 = 20_000.0;
/// Seconds for a hint.
const HINT: f64 = 1.0;

/// The machine's side of a game.
pub struct Opponent<'a> {
    spec: PlayerSpec,
    hint: PlayerSpec,
    /// Somebody who thinks for each role, and keeps what was found out until the next move.
    searchers: Vec<Box<dyn Searcher<Engine>>>,
    knowledge: Arc<Knowledge>,
    seed: Option<u64>,
    rng: Rng,
    shows: bool,
    /// What a plan said about its moves.
    said: Arc<Mutex<Vec<String>>>,
    waiting: Waiting<'a>,
}

/// Makes what is called now and then while somebody thinks, and dropped when that is over.
pub type Waiting<'a> = &'a dyn Fn() -> Box<dyn Fn() + Sync>;

/// Who it is.
pub struct OpponentSpec {
    /// The player.
    pub player: PlayerSpec,
    /// Makes moves repeatable.
    pub seed: Option<u64>,
    /// The seed where none is given.
    pub other_seed: u64,
    /// Whether what it thinks is to be shown.
    pub shows: bool,
}

/// The default player at a level from 1 to 10.
pub fn at_level(level: u8, seed: Option<u64>) -> PlayerSpec {
    let level = usize::from(level.clamp(1, 10)) - 1;
    if let Some(&games) = FEW_GAMES.get(level) {
        let mut spec = PlayerSpec::of(Method::Uct(UctSpec::default()));
        spec.limits.playouts = Some(games);
        return spec;
    }
    let mut spec = PlayerSpec::default();
    limit(&mut spec, SECONDS[level - FEW_GAMES.len()], seed);
    spec
}

/// So many seconds, or as many random games.
fn limit(spec: &mut PlayerSpec, seconds: f64, seed: Option<u64>) {
    match seed {
        Some(_) => spec.limits.playouts = Some((seconds * GAMES_A_SECOND) as u64),
        None => spec.limits.seconds = Some(seconds),
    }
}

impl<'a> Opponent<'a> {
    /// All roles; who is asked for a move is the caller's business, and so is that the player has the tables it needs.
    ///
    /// # Errors
    /// When somebody else plays: a person, or a player elsewhere.
    pub fn new(
        who: OpponentSpec,
        engine: &Engine,
        rules: &Arc<Rules>,
        resources: Resources,
        waiting: Waiting<'a>,
    ) -> Result<Opponent<'a>> {
        let OpponentSpec { player: mut spec, seed, other_seed, shows } = who;
        let elsewhere = matches!(spec.method, Method::Human | Method::Remote { .. });
        ensure!(!elsewhere, "{spec} cannot be the opponent here; `ludens match` brings such players together");
        if spec.thinks()
            && spec.limits.seconds.is_none()
            && spec.limits.playouts.is_none()
            && spec.limits.nodes.is_none()
        {
            match spec.method.program() {
                None => limit(&mut spec, SECONDS[0], seed),
                // Other programs count no random games.
                Some((_, program)) if !program.is_limited() => spec.limits.seconds = Some(SECONDS[0]),
                Some(_) => {}
            }
        }
        let mut hint = PlayerSpec::default();
        limit(&mut hint, HINT, seed);
        let Resources { tables, events, distance_tables, programs, fleets, .. } = resources;
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = Arc::clone(&said);
        let events = Events::to(move |event| match event {
            Event::Planned { .. } => heard.lock().unwrap_or_else(PoisonError::into_inner).push(event.to_string()),
            other => events.tell(other),
        });
        let knowledge = Knowledge::new(rules, tables, &events);
        let knowledge = knowledge.with_distance_tables(&distance_tables).with_programs(programs.as_ref());
        let knowledge = Arc::new(knowledge.with_fleets(fleets.as_ref()));
        let searchers = roles(engine).map(|_| searcher(&spec, engine, &knowledge)).collect();
        let rng = Rng::new(seed.unwrap_or(other_seed));
        Ok(Opponent { spec, hint, searchers, knowledge, seed, rng, shows, said, waiting })
    }

    /// The player, with the limits that it has here.
    pub fn spec(&self) -> &PlayerSpec {
        &self.spec
    }

    /// How they move, in words.
    pub fn how(&self) -> String {
        match self.spec.method {
            Method::Random => "at random".to_string(),
            Method::Plan { .. } => "by its plan".to_string(),
            Method::Legal => "as the rules list their moves".to_string(),
            _ => "after some thought".to_string(),
        }
    }

    /// What a plan said since it was last asked.
    pub fn said(&mut self) -> Vec<String> {
        std::mem::take(&mut self.said.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Any of these moves.
    pub fn any(&mut self, legal: &[Move]) -> Move {
        legal[self.rng.below(legal.len())]
    }

    /// The move of a role that has a choice, and what was thought about it, if that is to be shown.
    pub fn choose(&mut self, position: &Position, role: Role) -> Result<(Option<Move>, Option<Thoughts>)> {
        let spec = self.spec.clone();
        // Another one for every move: the same moves of a person get the same answers, and not the same answer each time.
        let seed = self.rng.bits();
        let found = think(&spec, seed, &mut *self.searchers[role.0 as usize], position, role, self.waiting)?;
        let thoughts = (self.shows && spec.thinks()).then(|| Thoughts::new(position.engine(), role, &found));
        Ok((found.mv, thoughts))
    }

    /// What the default player thinks of a person's moves.
    pub fn hint(&mut self, position: &Position, role: Role) -> Result<Thoughts> {
        // Another searcher: a hint does not change what the others will do.
        let mut searcher = searcher(&self.hint, position.engine(), &self.knowledge);
        let found = think(&self.hint, self.seed.unwrap_or(1), &mut *searcher, position, role, self.waiting)?;
        Ok(Thoughts::new(position.engine(), role, &found))
    }
}

fn think(
    spec: &PlayerSpec,
    seed: u64,
    searcher: &mut dyn Searcher<Engine>,
    position: &Position,
    role: Role,
    waiting: Waiting<'_>,
) -> Result<Found> {
    let (began, waiting) = (Instant::now(), waiting());
    let seconds = spec.limits.seconds.unwrap_or(f64::INFINITY) as f32;
    let spent = || {
        waiting();
        if seconds.is_finite() { began.elapsed().as_secs_f32() / seconds } else { 0.0 }
    };
    let budget = spec.budget(&spent, seed);
    Ok(searcher.search(position.engine(), position.state(), role, &budget, &Monitor::new())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_grow() {
        let few = at_level(1, None);
        assert_eq!((few.kind(), few.limits.playouts), ("uct", Some(10)));
        assert_eq!(at_level(5, None), {
            let mut spec = PlayerSpec::default();
            spec.limits.seconds = Some(1.0);
            spec
        });
        assert_eq!(at_level(6, Some(1)).limits.playouts, Some(40_000));
        assert_eq!(at_level(10, None).limits.seconds, Some(30.0));
    }
}
