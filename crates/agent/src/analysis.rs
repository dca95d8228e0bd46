//! What a search thinks of a position, in the words of the rules.

use crate::position::Position;
use crate::searcher::{Knowledge, searcher};
use crate::spec::PlayerSpec;
use anyhow::{Result, bail};
use game::{Cancel, Move, Names, Role};
use machine::Engine;
use search::{Budget, Found, Monitor, Searcher};
use serde::Serialize;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// What a search thinks of a position; made while it runs and at its end.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Thoughts {
    /// Whose move it is about.
    pub role: String,
    /// The best move so far.
    #[serde(rename = "move")]
    pub best: Option<String>,
    /// The reward expected for the role, from 0 to 100.
    pub value: f32,
    /// Whether the value is exact.
    pub proven: bool,
    /// The depth searched, in joint moves.
    pub depth: u32,
    /// States looked at, outside of random games.
    pub nodes: u64,
    /// Random games played.
    pub playouts: u64,
    /// The joint moves expected, one for each role.
    pub line: Vec<Vec<String>>,
    /// Every legal move, best first.
    pub moves: Vec<MoveThoughts>,
}

/// What a search thinks of one move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MoveThoughts {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// The reward expected after it.
    pub value: f32,
    /// How often it was tried, or how many states were looked at below it.
    pub visits: u64,
    /// Whether the value is exact.
    pub proven: bool,
    /// The part of the time in which it would be chosen.
    pub share: f32,
}

impl Thoughts {
    /// Puts what was found into words.
    pub fn new(engine: &Engine, role: Role, found: &Found) -> Thoughts {
        let text = |mv: Move| engine.move_text(mv);
        let mut moves: Vec<MoveThoughts> = found
            .moves
            .iter()
            .map(|choice| MoveThoughts {
                text: text(choice.mv),
                value: choice.value,
                visits: choice.visits,
                proven: choice.proven,
                share: choice.share,
            })
            .collect();
        let best = found.mv.map(text);
        // The one that would be played comes first: among equals it need not be the one with the greatest value.
        let is_other = |mv: &MoveThoughts| Some(&mv.text) != best.as_ref();
        moves.sort_by(|a, b| {
            let by_value = b.value.total_cmp(&a.value).then(b.visits.cmp(&a.visits));
            is_other(a).cmp(&is_other(b)).then(by_value)
        });
        Thoughts {
            role: engine.role_name(role).to_string(),
            best,
            value: found.value,
            proven: found.proven,
            depth: found.depth,
            nodes: found.nodes,
            playouts: found.playouts,
            line: found.line.iter().map(|joint| joint.iter().map(|&mv| text(mv)).collect()).collect(),
            moves,
        }
    }
}

/// A search of one position.
pub struct Search<'a> {
    /// Who thinks.
    pub spec: &'a PlayerSpec,
    /// For how long at most.
    pub seconds: f64,
    /// Counts where the description names none.
    pub seed: u64,
    /// About what.
    pub position: &'a Position,
    /// For whom.
    pub role: Role,
}

impl Search<'_> {
    /// Thinks on another thread; `tell` hears what was found so far, again and again after so long, and an error of it ends
    /// everything.
    ///
    /// # Errors
    /// That of `tell`, or when the engine reaches a limit at the position itself.
    pub fn run(
        &self,
        knowledge: &Arc<Knowledge>,
        cancel: &Cancel,
        every: Duration,
        tell: &mut dyn FnMut(&Found) -> Result<()>,
    ) -> Result<Found> {
        let mut searcher = searcher(self.spec, self.position.engine(), knowledge);
        self.run_by(&mut *searcher, cancel, every, tell)
    }

    /// As [`Search::run`], by a searcher that keeps what it found out for the next move.
    ///
    /// # Errors
    /// As there.
    pub fn run_by(
        &self,
        searcher: &mut dyn Searcher<Engine>,
        cancel: &Cancel,
        every: Duration,
        tell: &mut dyn FnMut(&Found) -> Result<()>,
    ) -> Result<Found> {
        let Search { spec, role, .. } = *self;
        let (engine, state) = (self.position.engine(), self.position.state());
        let began = Instant::now();
        let stop = cancel.child();
        let seconds = spec.limits.seconds.unwrap_or(f64::INFINITY).min(self.seconds) as f32;
        let spent = || if stop.is_cancelled() { 2.0 } else { began.elapsed().as_secs_f32() / seconds };
        let budget = Budget { seconds: seconds.is_finite().then_some(seconds), ..spec.budget(&spent, self.seed) };
        let monitor = Monitor::new();
        thread::scope(|scope| {
            let thread = scope.spawn(|| searcher.search(engine, state, role, &budget, &monitor));
            let mut shown = Instant::now();
            while !thread.is_finished() {
                thread::sleep(Duration::from_millis(10));
                if shown.elapsed() < every {
                    continue;
                }
                shown = Instant::now();
                if let Some(Err(error)) = monitor.snapshot().map(|found| tell(&found)) {
                    stop.cancel();
                    let _ = thread.join();
                    return Err(error);
                }
            }
            match thread.join() {
                Ok(found) => Ok(found?),
                Err(_) => bail!("the search crashed: please report this"),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Game;

    #[test]
    fn every_move_has_its_words() {
        let rules = gdl::parse(library::find("nim").expect("it is in the library").rules).rules;
        let engine = machine::Loader::new(&rules).best().expect("it can be played").engine;
        let mut uct = search::uct::Uct::default();
        let budget = Budget::of_playouts(2000, 1);
        let found = uct.search(&engine, &engine.start(), Role(0), &budget, &Monitor::new()).expect("no limit");
        let thoughts = Thoughts::new(&engine, Role(0), &found);
        assert_eq!(thoughts.best.as_ref(), thoughts.moves.first().map(|mv| &mv.text));
        assert_eq!(thoughts.moves.len(), found.moves.len());
        assert!(thoughts.moves[1..].is_sorted_by(|a, b| a.value >= b.value));
        assert!(serde_json::to_string(&thoughts).expect("JSON").contains("\"move\":\"(take "));
    }
}
