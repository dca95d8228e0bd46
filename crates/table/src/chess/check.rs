//! Checking a table against its own successors, and counting what is in it.

use super::table::{Metric, NOTHING, Outcome, ProbeError, Table, Tables};
use crate::file::FileError;
use native::chess::{Colour, Position, Step};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// An entry that its successors contradict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The position.
    pub fen: String,
    /// What the table says.
    pub table: Outcome,
    /// What follows from the moves; `None` for a position that cannot occur, which must have no value.
    pub derived: Option<Outcome>,
}

/// How many numbers one task works on.
const TASK: u64 = 1 << 14;

/// Derives every entry again from its successors, with the rules of `native` and not the builder's own, and tells the
/// first that is different. `tables` must hold the smaller tables that [`super::Material::next`] names. `go_on` hears how
/// many entries are done, and stops the check by `false`: the answer is then `Ok(None)` as far as it came.
pub fn verify(
    table: &Table,
    tables: &Tables,
    go_on: &(dyn Fn(u64) -> bool + Sync),
) -> Result<Option<Mismatch>, ProbeError> {
    let len = table.index().len();
    let (done, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    for turn in Colour::BOTH {
        let found = (0..len.div_ceil(TASK)).into_par_iter().map_init(Vec::new, |steps, task| {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let end = ((task + 1) * TASK).min(len);
            for number in task * TASK..end {
                if let Some(mismatch) = check(table, tables, turn, number, steps)? {
                    return Ok(Some(mismatch));
                }
            }
            if !go_on(done.fetch_add(end - task * TASK, Ordering::Relaxed) + end - task * TASK) {
                stop.store(true, Ordering::Relaxed);
            }
            Ok(None)
        });
        // The first in the order of the index, whichever thread is faster.
        let first = found.find_first(|result| !matches!(result, Ok(None)));
        match first {
            None => {}
            Some(Ok(found)) => return Ok(found),
            Some(Err(error)) => return Err(error),
        }
    }
    Ok(None)
}

fn check(
    table: &Table,
    tables: &Tables,
    turn: Colour,
    number: u64,
    steps: &mut Vec<Step>,
) -> Result<Option<Mismatch>, ProbeError> {
    let position = table.index().position(&table.index().unrank(number), turn);
    let stored = table.byte(turn, number)?;
    let derived = if position.broken() { None } else { Some(derive(table, tables, &position, steps)?) };
    if stored == derived.map_or(NOTHING, Outcome::byte) {
        return Ok(None);
    }
    Ok(Some(Mismatch { fen: position.fen(), table: Outcome::of(stored), derived }))
}

/// The value of a position from those of its successors.
fn derive(table: &Table, tables: &Tables, position: &Position, steps: &mut Vec<Step>) -> Result<Outcome, ProbeError> {
    steps.clear();
    position.legal_into(steps);
    let mut best: Option<Outcome> = None;
    for step in &*steps {
        let after = position.after(step);
        let outcome = if step.converts() {
            match (tables.probe(&after, table.metric())?, table.metric()) {
                (Outcome::Loss(_), Metric::Conversion) => Outcome::Win(1),
                (outcome, _) => outcome.before(),
            }
        } else if after.passed.is_some() && table.material().passing() {
            passing(table, tables, &after)?.before()
        } else {
            table.value(&after)?.before()
        };
        if best.is_none_or(|old| outcome.order() > old.order()) {
            best = Some(outcome);
        }
    }
    Ok(best.unwrap_or(if position.in_check(position.turn) { Outcome::Loss(0) } else { Outcome::Draw }))
}

/// The value after a double step: of the board without en passant if there is another move, and of taking.
fn passing(table: &Table, tables: &Tables, position: &Position) -> Result<Outcome, ProbeError> {
    let legal = position.legal();
    let mut best = None;
    for step in &legal {
        let outcome = if step.passing {
            match (tables.probe(&position.after(step), table.metric())?, table.metric()) {
                (Outcome::Loss(_), Metric::Conversion) => Outcome::Win(1),
                (outcome, _) => outcome.before(),
            }
        } else {
            table.value(position)?
        };
        if best.is_none_or(|old: Outcome| outcome.order() > old.order()) {
            best = Some(outcome);
        }
    }
    match best {
        Some(best) => Ok(best),
        None => Ok(table.value(position)?),
    }
}

/// What is in a table, for one side to move. Positions that differ only by a symmetry of the board count once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Won for the side to move.
    pub won: u64,
    /// Drawn.
    pub drawn: u64,
    /// Lost for the side to move.
    pub lost: u64,
    /// Positions by plies.
    pub plies: Vec<u64>,
    /// The longest loss and the longest win of the side to move: plies, and the number of the first such position.
    pub longest: [Option<(u8, u64)>; 2],
}

impl Counts {
    /// All legal positions.
    pub fn legal(&self) -> u64 {
        self.won + self.drawn + self.lost
    }

    fn add(mut self, other: Counts) -> Counts {
        self.won += other.won;
        self.drawn += other.drawn;
        self.lost += other.lost;
        self.plies.resize(self.plies.len().max(other.plies.len()), 0);
        self.plies.iter_mut().zip(&other.plies).for_each(|(sum, count)| *sum += count);
        let key = |longest: Option<(u8, u64)>| longest.map(|(plies, number)| (plies, u64::MAX - number));
        for (longest, other) in self.longest.iter_mut().zip(other.longest) {
            if key(other) > key(*longest) {
                *longest = other;
            }
        }
        self
    }
}

/// Counts one side to move of a table.
pub fn count(table: &Table, turn: Colour) -> Result<Counts, FileError> {
    let len = table.index().len();
    (0..len.div_ceil(TASK))
        .into_par_iter()
        .map(|task| count_some(table, turn, task * TASK..((task + 1) * TASK).min(len)))
        .try_reduce(Counts::default, |sum, more| Ok(sum.add(more)))
}

fn count_some(table: &Table, turn: Colour, numbers: std::ops::Range<u64>) -> Result<Counts, FileError> {
    let index = table.index();
    let mut counts = Counts::default();
    let mut class = index.class_of(numbers.start);
    for number in numbers {
        while index.bases()[class + 1] <= number {
            class += 1;
        }
        let byte = table.byte(turn, number)?;
        let placement = index.unrank_in(class, number - index.bases()[class]);
        if index.twin(class, &placement).is_some_and(|twin| twin < number) {
            continue;
        }
        match Outcome::of(byte) {
            Outcome::Draw => counts.drawn += u64::from(!index.position(&placement, turn).broken()),
            outcome => {
                let plies = usize::from(byte);
                if matches!(outcome, Outcome::Win(_)) {
                    counts.won += 1;
                } else {
                    counts.lost += 1;
                }
                if counts.plies.len() <= plies {
                    counts.plies.resize(plies + 1, 0);
                }
                counts.plies[plies] += 1;
                let longest = &mut counts.longest[plies % 2];
                if longest.is_none_or(|(longest, _)| byte > longest) {
                    *longest = Some((byte, number));
                }
            }
        }
    }
    Ok(counts)
}

/// What is in a table: both sides to move, white first, and the position with the longest win.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// White to move, then black.
    pub sides: [Counts; 2],
    /// The longest win or loss and its position, if anything is decided.
    pub longest: Option<(Outcome, String)>,
    /// The longest way to a win of white, and of black: plies and the position.
    pub wins: [Option<(u8, String)>; 2],
}

/// Counts a whole table.
pub fn statistics(table: &Table) -> Result<Statistics, FileError> {
    let sides = [count(table, Colour::White)?, count(table, Colour::Black)?];
    // Of equal ones that with white to move.
    let most = |of: &mut dyn Iterator<Item = (Colour, Option<(u8, u64)>)>| {
        let mut longest: Option<(u8, String)> = None;
        for (turn, found) in of {
            let Some((plies, number)) = found else { continue };
            if longest.as_ref().is_none_or(|(best, _)| plies > *best) {
                longest = Some((plies, table.index().position(&table.index().unrank(number), turn).fen()));
            }
        }
        longest
    };
    let both = || Colour::BOTH.into_iter().zip(&sides);
    // Who wins has the move and a win, or the opponent has it and a loss.
    let wins = Colour::BOTH
        .map(|winner| most(&mut both().map(|(turn, counts)| (turn, counts.longest[usize::from(turn == winner)]))));
    let either = |counts: &Counts| counts.longest.iter().flatten().copied().max_by_key(|(plies, _)| *plies);
    let longest = most(&mut both().map(|(turn, counts)| (turn, either(counts))));
    let longest = longest.map(|(plies, fen)| (Outcome::of(plies), fen));
    Ok(Statistics { sides, longest, wins })
}
