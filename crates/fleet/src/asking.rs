//! One question to a crew, until the time is over or all has been said.

use crate::crew::{Crew, Standing, Told};
use crate::merge::Opinion;
use crate::searcher::{LOOK, left};
use search::{Budget, Found, Monitor};
use std::time::{Duration, Instant};

/// How long last words are waited for when the time is over.
const LAST_WORDS: Duration = Duration::from_millis(25);
/// Where no worker is heard of for so long, or for such a part of the time, the player searches by itself.
const ALONE: (f64, f64) = (2.5, 0.3);
/// How often a choice is made while the crew searches.
const CHOICE: Duration = Duration::from_millis(50);

/// A question at hand. `choose` makes one choice of what was told.
pub struct Asking<'a, C> {
    crew: &'a Crew,
    budget: &'a Budget<'a>,
    monitor: &'a Monitor,
    choose: C,
    turn: u64,
    began: Instant,
    chosen: Instant,
}

impl<'a, C: Fn(&[Told]) -> (Vec<Opinion>, Option<Found>)> Asking<'a, C> {
    /// Asks.
    pub fn begin(
        crew: &'a Crew,
        facts: Vec<String>,
        budget: &'a Budget<'a>,
        monitor: &'a Monitor,
        choose: C,
    ) -> Asking<'a, C> {
        let (began, turn) = (Instant::now(), crew.think(facts, budget.seed, left(budget), false));
        Asking { crew, budget, monitor, choose, turn, began, chosen: began }
    }

    fn is_counted(&self) -> bool {
        self.budget.nodes.is_some() || self.budget.playouts.is_some()
    }

    /// Listens to the end: what was told, what that comes to, and the choice.
    pub fn listen(mut self) -> (Vec<Told>, Vec<Opinion>, Option<Found>) {
        let is_alone = self.is_left_alone();
        self.crew.stop(self.turn);
        let last = Instant::now() + LAST_WORDS;
        while !is_alone && Instant::now() < last && (self.budget.spent)() < 2.0 {
            let Standing { alive, finished, .. } = self.crew.standing(self.turn);
            if finished == alive {
                break;
            }
            self.crew.wait(Duration::from_millis(2));
        }
        let told = self.crew.reports(self.turn);
        let (opinions, found) = (self.choose)(&told);
        (told, opinions, found)
    }

    /// Listens until all has been said, or the time is over; or until it is plain that nobody is there.
    fn is_left_alone(&mut self) -> bool {
        let patience = Duration::from_secs_f64(left(self.budget).map_or(ALONE.0, |left| (ALONE.1 * left).min(ALONE.0)));
        while (self.budget.spent)() < 1.0 {
            self.crew.wait(LOOK);
            let Standing { alive, finished, .. } = self.crew.standing(self.turn);
            if alive == 0 && self.began.elapsed() > patience {
                return true;
            }
            if alive > 0 && finished == alive || self.is_settled() {
                break;
            }
        }
        false
    }

    /// Shows the choice so far now and then, where somebody wants to see it; whether it is proven to be a good one.
    fn is_settled(&mut self) -> bool {
        // A choice costs more than a look.
        if self.chosen.elapsed() < CHOICE || !self.monitor.is_wanted() && self.is_counted() {
            return false;
        }
        self.chosen = Instant::now();
        let (_, Some(found)) = (self.choose)(&self.crew.reports(self.turn)) else { return false };
        if let Some(mv) = found.mv {
            self.monitor.set_best(mv, found.value);
        }
        let is_settled = found.proven && found.value > 0.0;
        if self.monitor.is_wanted() {
            self.monitor.publish(found);
        }
        is_settled && !self.is_counted()
    }
}
