//! One question to a crew, until the time is over or all has been said.
//!
//! Where workers grow trees the search is divided into parts: after each, all are told what the first plies of all trees have found together, and
//! go on from there, so that at the top it is as if one tree had grown. Nobody is waited for longer than the part lasts.

use crate::crew::{Crew, Standing, Told};
use crate::merge::{Opinion, together};
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
    /// The turn in which it was asked, and how it goes on.
    first: u64,
    turn: u64,
    rounds: u32,
    began: Instant,
    chosen: Instant,
}

/// Why a part of a search is over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    /// All trees have grown by their part, or its time is over.
    Part,
    /// All has been said, or the time is over.
    All,
    /// Nobody is there.
    Alone,
}

impl<'a, C: Fn(&[Told]) -> (Vec<Opinion>, Option<Found>)> Asking<'a, C> {
    /// Asks.
    pub fn begin(
        crew: &'a Crew,
        facts: Vec<String>,
        budget: &'a Budget<'a>,
        monitor: &'a Monitor,
        rounds: u32,
        choose: C,
    ) -> Asking<'a, C> {
        let (began, first) = (Instant::now(), crew.think(facts, budget.seed, left(budget), false));
        Asking { crew, budget, monitor, choose, first, turn: first, rounds, began, chosen: began }
    }

    fn is_counted(&self) -> bool {
        self.budget.nodes.is_some() || self.budget.playouts.is_some()
    }

    /// Listens to the end: what was told, what that comes to, and the choice.
    pub fn listen(mut self) -> (Vec<Told>, Vec<Opinion>, Option<Found>) {
        let mut over = Over::Part;
        for round in 0..self.rounds {
            let left = left(self.budget);
            if round > 0 {
                let told = self.crew.reports(self.first);
                let plies = together(told.iter().map(|told| &told.report.plies[..]));
                self.turn = self.crew.go_on(round, left, plies);
            }
            let parts = self.rounds - round;
            let seconds = left.map(|left| left / f64::from(parts) + LAST_WORDS.as_secs_f64()).filter(|_| parts > 1);
            let length = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            let until = length.and_then(|length| Instant::now().checked_add(length));
            over = self.part(until, parts == 1);
            if over != Over::Part {
                break;
            }
        }
        self.crew.stop(self.turn);
        let last = Instant::now() + LAST_WORDS;
        while over != Over::Alone && Instant::now() < last && (self.budget.spent)() < 2.0 {
            let Standing { alive, finished, .. } = self.crew.standing(self.turn);
            if finished == alive {
                break;
            }
            self.crew.wait(Duration::from_millis(2));
        }
        let told = self.crew.reports(self.first);
        let (opinions, found) = (self.choose)(&told);
        (told, opinions, found)
    }

    /// Listens to one part of the search.
    fn part(&mut self, until: Option<Instant>, is_last: bool) -> Over {
        let patience = Duration::from_secs_f64(left(self.budget).map_or(ALONE.0, |left| (ALONE.1 * left).min(ALONE.0)));
        while (self.budget.spent)() < 1.0 {
            self.crew.wait(LOOK);
            let Standing { alive, finished, trees, growing, .. } = self.crew.standing(self.turn);
            if alive > 0 && finished == alive && (is_last || trees == 0) {
                return Over::All;
            }
            if !is_last && (trees > 0 && growing == 0 || until.is_some_and(|until| Instant::now() > until)) {
                return Over::Part;
            }
            if alive == 0 && self.began.elapsed() > patience {
                return Over::Alone;
            }
            if self.is_settled() {
                return Over::All;
            }
        }
        Over::All
    }

    /// Shows the choice so far now and then, where somebody wants to see it; whether it is proven to be a good one.
    fn is_settled(&mut self) -> bool {
        // A choice costs more than a look.
        if self.chosen.elapsed() < CHOICE || !self.monitor.is_wanted() && self.is_counted() {
            return false;
        }
        self.chosen = Instant::now();
        let (_, Some(found)) = (self.choose)(&self.crew.reports(self.first)) else { return false };
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
