//! A study that keeps to a time, or to a number of states: which part of it each stage gets.

use crate::engines::{EngineChoice, load};
use anyhow::{Result, anyhow};
use game::Cancel;
use gdl::Rules;
use library::Sheet;
use machine::Engine;
use std::cell::Cell;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use study::picture::{Layout, Looks};
use study::{Plan, Stage, Study};

/// What looking at the boards may take, and then what learning may take, as parts of the time for random games.
const REST: f64 = 0.4;
/// Of the time for random games, that for the game as it is, where there is one without counters too.
const COUNTED: f64 = 0.8;
/// With a number of states the report is to be repeatable: nothing depends on the time then, unless it is out of all
/// proportion.
const PROPORTION: Duration = Duration::from_secs(10);

/// A layout with the looks that lie beside the rules as `board.toml`.
///
/// # Errors
/// When what lies there cannot be read; the message says what is wrong.
pub fn dressed(layout: Layout, sheet: &Sheet) -> Result<Layout> {
    let Some(text) = &sheet.board else { return Ok(layout) };
    let looks = Looks::parse(text).map_err(|why| anyhow!("the board.toml of {}: {why}", sheet.name))?;
    Ok(layout.with_looks(&looks))
}

/// What is to be studied, and for how long.
pub struct Studying<'a> {
    /// Where the rules come from.
    pub sheet: &'a Sheet,
    /// The rules.
    pub rules: &'a Rules,
    /// Their engine.
    pub engine: &'a Engine,
    /// The engine for the rules without their counters.
    pub choice: EngineChoice,
    /// The seed of random games.
    pub seed: u64,
    /// How long random games are played.
    pub seconds: f64,
    /// How many states are looked at instead.
    pub states: Option<u64>,
    /// Ends it early.
    pub cancel: &'a Cancel,
}

/// How far a study is.
pub struct HowFar {
    /// What it does.
    pub doing: &'static str,
    /// States that are still to be looked at, where they are counted and this stage looks at any.
    pub states_left: Option<u64>,
    /// No stage takes longer than it may, but it may be done before.
    pub most: Duration,
}

/// A study that is over.
pub struct Finished {
    /// What was found.
    pub study: Study,
    /// What the form of the rules took.
    pub form: Duration,
    /// What came after it took.
    pub play: Duration,
}

impl Studying<'_> {
    /// Studies the game, and tells how far it is.
    pub fn run(&self, tell: &mut dyn FnMut(&HowFar)) -> Finished {
        let begun = Instant::now();
        let is_uncounted = Cell::new(false);
        let mut clock = Clock {
            studying: self,
            is_uncounted: &is_uncounted,
            stage: None,
            formed: begun,
            until: begun,
            left: 0,
            tell,
        };
        let plan = Plan {
            seed: self.seed,
            cancel: self.cancel.clone(),
            uncounted: Some(Box::new(|rules, cancel, waiting| {
                // Without its counter a game may be more than the engine bears, or than there is time for; what was seen until
                // then counts.
                is_uncounted.set(true);
                let token = cancel.child();
                let built = within(self.time(1.0 - COUNTED), &token, || load(self.choice, self.sheet, rules, &token));
                if let Ok(endless) = built {
                    let _ = waiting.observe(&endless.engine);
                }
            })),
            ..Plan::full(|stage| clock.more(stage))
        };
        let study = Study::run(self.rules, self.engine, plan);
        Finished { study, form: clock.formed - begun, play: clock.formed.elapsed() }
    }

    /// What a part of the time for random games is.
    fn time(&self, share: f64) -> Duration {
        match self.states {
            Some(_) => PROPORTION,
            None => Duration::from_secs_f64((self.seconds * share).clamp(0.0, 1e6)),
        }
    }
}

/// Builds something, whose token is cancelled if it is not there when the time is over.
fn within<T>(time: Duration, token: &Cancel, build: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let (done, wait) = mpsc::channel::<()>();
        scope.spawn(move || {
            if wait.recv_timeout(time) == Err(mpsc::RecvTimeoutError::Timeout) {
                token.cancel();
            }
        });
        let built = build();
        drop(done);
        built
    })
}

/// Says when a stage of the study is over.
struct Clock<'a> {
    studying: &'a Studying<'a>,
    /// Whether the game without counters is another one.
    is_uncounted: &'a Cell<bool>,
    stage: Option<Stage>,
    /// When the form of the rules was known.
    formed: Instant,
    until: Instant,
    left: u64,
    tell: &'a mut dyn FnMut(&HowFar),
}

impl Clock<'_> {
    fn more(&mut self, stage: Stage) -> bool {
        // The stage's share of the time, what it does, and the shares of those that follow.
        let (share, doing, later) = match stage {
            Stage::Form => {
                self.formed = Instant::now();
                return true;
            }
            Stage::Observe => (COUNTED, "random games", 1.0 - COUNTED + 3.0 * REST),
            Stage::ObserveUncounted => (1.0 - COUNTED, "random games without counters", 3.0 * REST),
            Stage::Neighbours => (REST, "neighbours", 2.0 * REST),
            Stage::Symmetries => (REST, "symmetries", REST),
            Stage::Learn => (REST, "learning", 0.0),
        };
        let states = self.studying.states;
        if self.stage.replace(stage) != Some(stage) {
            let least = Duration::from_millis(if share == REST { 100 } else { 0 });
            self.until = Instant::now() + self.studying.time(share).max(least);
            self.left = self.states(stage, share);
        }
        let most = self.until.saturating_duration_since(Instant::now()) + self.studying.time(later);
        (self.tell)(&HowFar { doing, states_left: states.map(|_| self.left), most });
        match stage {
            Stage::Observe | Stage::ObserveUncounted if states.is_some() => {
                self.left = self.left.saturating_sub(1);
                self.left > 0
            }
            _ => Instant::now() < self.until,
        }
    }

    /// How many states a stage looks at, and one more.
    fn states(&self, stage: Stage, share: f64) -> u64 {
        let all = self.studying.states.unwrap_or(0);
        match stage {
            // The same games go on: as many states as if this were one stage.
            Stage::ObserveUncounted if !self.is_uncounted.get() => all + 1 - (all as f64 * COUNTED) as u64,
            Stage::Observe | Stage::ObserveUncounted => (all as f64 * share) as u64,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States that were seen of a game of the library.
    fn states(name: &str, states: u64) -> u64 {
        let (sheet, rules) = library::load(name).unwrap();
        let (choice, cancel) = (EngineChoice::Auto, Cancel::new());
        let engine = load(choice, &sheet, &rules, &cancel).unwrap().engine;
        let (sheet, rules, engine, cancel) = (&sheet, &rules, &engine, &cancel);
        let studying = Studying { sheet, rules, engine, choice, seed: 1, seconds: 0.0, states: Some(states), cancel };
        let mut stages = Vec::new();
        let finished = studying.run(&mut |at| {
            if stages.last() != Some(&at.doing) {
                stages.push(at.doing);
            }
        });
        assert_eq!(stages[..2], ["random games", "random games without counters"], "{name}");
        finished.study.findings().games.states
    }

    #[test]
    fn as_many_states_are_seen_as_are_asked_for() {
        // Fifty are seen before anybody is asked, and the last answer is no.
        assert_eq!(states("tic-tac-toe", 2000), 2049);
        assert_eq!(states("tic-tac-toe", 333), 382);
        // The counter of this one can be left out, and its two games have their own shares.
        assert_eq!(states("eight-puzzle", 200), 297);
    }
}
