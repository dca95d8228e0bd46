//! Looking for positions in a table: the longest wins, a distance, mutual zugzwangs, positions with only one good move.
//!
//! All of these are sweeps over the numbers of a table, side by side, in the order of the index: the same question has the same
//! answer in the same order on every machine. Positions that differ only by a symmetry of the board are told once. Taking en passant is
//! not looked for, since it is no part of a position's number; of the moves from a position it is none.

use super::table::{Metric, Outcome, ProbeError, Ruling, Table, Tables};
use native::chess::{Colour, Position, Step};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quest {
    /// The longest wins among those that the filter lets through.
    Longest,
    /// Won or lost in so many plies.
    Distance(u8),
    /// Whoever is to move would rather not be: with the move both sides get less than without it.
    Zugzwang,
    /// Of several moves only one keeps a win or a draw.
    OnlyMove,
    /// Everything that the filter lets through.
    Any,
}

/// Which positions count. Of mutual zugzwangs, where both sides are to move, all do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// Who is to move.
    pub turn: Option<Colour>,
    /// Who wins.
    pub winner: Option<Colour>,
    /// What the position is worth to the side to move.
    pub ruling: Option<Ruling>,
}

impl Filter {
    fn lets(&self, turn: Colour, outcome: Outcome, metric: Metric) -> bool {
        let winner = match outcome {
            Outcome::Win(_) => Some(turn),
            Outcome::Draw => None,
            Outcome::Loss(_) => Some(turn.other()),
        };
        self.turn.is_none_or(|wanted| wanted == turn)
            && self.winner.is_none_or(|wanted| Some(wanted) == winner)
            && self.ruling.is_none_or(|wanted| wanted == ruling(outcome, metric))
    }
}

/// What an outcome is worth with the clock at 0.
pub(super) fn ruling(outcome: Outcome, metric: Metric) -> Ruling {
    match (outcome, metric) {
        (_, Metric::Zeroing) => outcome.ruling(0),
        (Outcome::Win(_), _) => Ruling::Win,
        (Outcome::Draw, _) => Ruling::Draw,
        (Outcome::Loss(_), _) => Ruling::Loss,
    }
}

/// A position that was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// The position.
    pub position: Position,
    /// What it is worth to the side to move.
    pub outcome: Outcome,
    /// Of a mutual zugzwang: what it is worth to the other side, if that is to move.
    pub other: Option<Outcome>,
}

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Finds {
    /// How many positions there are.
    pub count: u64,
    /// The first of them, in the order of the index, white to move first.
    pub first: Vec<Found>,
    /// Whether the caller stopped it: then these are not all.
    pub stopped: bool,
}

/// How many numbers one task works on.
const TASK: u64 = 1 << 14;

/// Looks for positions, and keeps at most `limit` of them. [`Quest::OnlyMove`] needs the smaller tables that [`super::Material::next`]
/// names. `go_on` hears how many entries are done, and of how many, and stops the search by `false`.
pub fn find(
    table: &Table,
    tables: &Tables,
    quest: Quest,
    filter: &Filter,
    limit: usize,
    go_on: &(dyn Fn(u64, u64) -> bool + Sync),
) -> Result<Finds, ProbeError> {
    let sides: &[Colour] = if quest == Quest::Zugzwang { &[Colour::White] } else { &Colour::BOTH };
    let passes = if quest == Quest::Longest { 2 } else { 1 };
    let sweep = Sweep {
        table,
        tables,
        filter,
        limit,
        go_on,
        done: AtomicU64::new(0),
        total: passes * sides.len() as u64 * table.index().len(),
        stop: AtomicBool::new(false),
    };
    let quest = match quest {
        Quest::Longest => match sweep.longest()? {
            Some(plies) => Quest::Distance(plies),
            None => return Ok(Finds { stopped: sweep.stop.load(Ordering::Relaxed), ..Finds::default() }),
        },
        other => other,
    };
    let mut all = Finds::default();
    for &turn in sides {
        let found = sweep.run(|place, steps| sweep.look(quest, turn, place, steps))?;
        all.count += found.count;
        all.first.extend(found.first);
    }
    all.first.truncate(limit);
    all.stopped = sweep.stop.load(Ordering::Relaxed);
    Ok(all)
}

/// A number, and the pair of kings that it belongs to.
#[derive(Clone, Copy)]
struct Place {
    class: usize,
    number: u64,
}

struct Sweep<'a> {
    table: &'a Table,
    tables: &'a Tables,
    filter: &'a Filter,
    limit: usize,
    go_on: &'a (dyn Fn(u64, u64) -> bool + Sync),
    done: AtomicU64,
    total: u64,
    stop: AtomicBool,
}

impl Sweep<'_> {
    /// Asks `look` about every number.
    fn run(
        &self,
        look: impl Fn(Place, &mut Vec<Step>) -> Result<Option<Found>, ProbeError> + Sync,
    ) -> Result<Finds, ProbeError> {
        let len = self.table.index().len();
        let parts = (0..len.div_ceil(TASK)).into_par_iter().map_init(Vec::new, |steps, task| {
            let mut finds = Finds::default();
            if self.stop.load(Ordering::Relaxed) {
                return Ok(finds);
            }
            let numbers = task * TASK..((task + 1) * TASK).min(len);
            let size = numbers.end - numbers.start;
            for place in self.places(numbers) {
                if let Some(found) = look(place, steps)? {
                    finds.count += 1;
                    if finds.first.len() < self.limit {
                        finds.first.push(found);
                    }
                }
            }
            if !(self.go_on)(self.done.fetch_add(size, Ordering::Relaxed) + size, self.total) {
                self.stop.store(true, Ordering::Relaxed);
            }
            Ok(finds)
        });
        parts.try_reduce(Finds::default, |mut sum, more| {
            sum.count += more.count;
            sum.first.extend(more.first);
            sum.first.truncate(self.limit);
            Ok(sum)
        })
    }

    fn places(&self, numbers: std::ops::Range<u64>) -> impl Iterator<Item = Place> {
        let index = self.table.index();
        let mut class = index.class_of(numbers.start);
        numbers.map(move |number| {
            while index.bases()[class + 1] <= number {
                class += 1;
            }
            Place { class, number }
        })
    }

    /// The position of a number, if it can occur and is the first of those that a symmetry maps to each other.
    fn position(&self, place: Place, turn: Colour) -> Option<Position> {
        let index = self.table.index();
        let placement = index.unrank_in(place.class, place.number - index.bases()[place.class]);
        if index.twin(place.class, &placement).is_some_and(|twin| twin < place.number) {
            return None;
        }
        Some(index.position(&placement, turn)).filter(|position| !position.broken())
    }

    fn outcome(&self, turn: Colour, place: Place) -> Result<Outcome, ProbeError> {
        Ok(self.table.get(turn, place.number)?)
    }

    /// The most plies that the filter lets through.
    fn longest(&self) -> Result<Option<u8>, ProbeError> {
        let most = std::sync::atomic::AtomicU8::new(0);
        let any = AtomicBool::new(false);
        for turn in Colour::BOTH {
            self.run(|place, _| {
                let outcome = self.outcome(turn, place)?;
                let Some(plies) = outcome.plies().filter(|_| self.lets(turn, outcome)) else { return Ok(None) };
                let news = !any.load(Ordering::Relaxed) || plies > most.load(Ordering::Relaxed);
                if news && self.position(place, turn).is_some() {
                    most.fetch_max(plies, Ordering::Relaxed);
                    any.store(true, Ordering::Relaxed);
                }
                Ok(None)
            })?;
        }
        Ok(any.into_inner().then(|| most.into_inner()))
    }

    fn lets(&self, turn: Colour, outcome: Outcome) -> bool {
        self.filter.lets(turn, outcome, self.table.metric())
    }

    fn look(
        &self,
        quest: Quest,
        turn: Colour,
        place: Place,
        steps: &mut Vec<Step>,
    ) -> Result<Option<Found>, ProbeError> {
        let outcome = self.outcome(turn, place)?;
        let wanted = match quest {
            Quest::Zugzwang => return self.zugzwang(outcome, place),
            Quest::Distance(plies) => outcome.plies() == Some(plies),
            Quest::OnlyMove => !matches!(outcome, Outcome::Loss(_)),
            Quest::Longest | Quest::Any => true,
        };
        if !wanted || !self.lets(turn, outcome) {
            return Ok(None);
        }
        let Some(position) = self.position(place, turn) else { return Ok(None) };
        if quest == Quest::OnlyMove && !self.is_only(&position, outcome, steps)? {
            return Ok(None);
        }
        Ok(Some(Found { position, outcome, other: None }))
    }

    /// The placement with white to move, if both sides would rather not be to move.
    fn zugzwang(&self, white: Outcome, place: Place) -> Result<Option<Found>, ProbeError> {
        let black = self.outcome(Colour::Black, place)?;
        let metric = self.table.metric();
        // What black gets is the less to white the better it is: a ruling seen from the other side is the one as far from the
        // other end. Rulings are ordered with the best first.
        let (mine, theirs) = (ruling(white, metric) as u8, Ruling::Loss as u8 - ruling(black, metric) as u8);
        if mine <= theirs {
            return Ok(None);
        }
        let (Some(position), Some(_)) = (self.position(place, Colour::White), self.position(place, Colour::Black))
        else {
            return Ok(None);
        };
        // Whoever has no legal move is mated or stalemated, which is no zugzwang.
        let waiting = Position { turn: Colour::Black, ..position };
        if !position.can_move() || !waiting.can_move() {
            return Ok(None);
        }
        Ok(Some(Found { position, outcome: white, other: Some(black) }))
    }

    /// Whether there are several moves, and only one of them keeps what the position is worth.
    fn is_only(&self, position: &Position, outcome: Outcome, steps: &mut Vec<Step>) -> Result<bool, ProbeError> {
        steps.clear();
        position.legal_into(steps);
        let metric = self.table.metric();
        let wanted = ruling(outcome, metric);
        let mut keep = 0;
        for step in &*steps {
            let after = position.after(step);
            let worth = if step.converts() || after.passed.is_some() {
                self.probe(&after)?
            } else {
                self.table.value(&after)?
            };
            keep += u32::from(ruling(metric.worth(worth, step), metric) <= wanted);
            if keep > 1 {
                return Ok(false);
            }
        }
        Ok(keep == 1 && steps.len() > 1)
    }

    /// What a position of this table or of a smaller one is worth, with taking en passant.
    fn probe(&self, position: &Position) -> Result<Outcome, ProbeError> {
        self.tables.probe(position, self.table.metric())
    }
}
