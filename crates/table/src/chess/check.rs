//! Checking a table against its own successors, and counting what is in it.

use super::layout::Layout;
use super::space::Space;
use super::table::{NOTHING, Outcome, ProbeError, Table, Tables};
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
    let stored = table.get(turn, number)?;
    if position.broken() {
        let wrong = stored != Outcome::Draw;
        return Ok(wrong.then(|| Mismatch { fen: position.fen(), table: stored, derived: None }));
    }
    let derived = derive(table, tables, &position, steps)?;
    Ok((stored != derived).then(|| Mismatch { fen: position.fen(), table: stored, derived: Some(derived) }))
}

/// The value of a position from those of its successors.
fn derive(table: &Table, tables: &Tables, position: &Position, steps: &mut Vec<Step>) -> Result<Outcome, ProbeError> {
    steps.clear();
    position.legal_into(steps);
    let metric = table.metric();
    let mut best: Option<Outcome> = None;
    for step in &*steps {
        let after = position.after(step);
        let outcome = if step.converts() {
            tables.probe(&after, metric)?
        } else if after.passed.is_some() && table.material().passing() {
            passing(table, tables, &after)?
        } else {
            table.value(&after)?
        };
        let outcome = metric.worth(outcome, step);
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
            table.metric().worth(tables.probe(&position.after(step), table.metric())?, step)
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
    /// Won positions by plies.
    pub wins: Vec<u64>,
    /// Lost positions by plies.
    pub losses: Vec<u64>,
    /// The longest loss and the longest win of the side to move: plies, and the number of the first such position.
    pub longest: [Option<(u8, u64)>; 2],
}

impl Counts {
    /// All legal positions.
    pub fn legal(&self) -> u64 {
        self.won + self.drawn + self.lost
    }

    /// Positions by plies, won or lost: counting to mate or to conversion the plies tell which.
    pub fn plies(&self) -> Vec<u64> {
        let mut plies = self.wins.clone();
        add_up(&mut plies, &self.losses);
        plies
    }

    fn add(mut self, other: Counts) -> Counts {
        self.won += other.won;
        self.drawn += other.drawn;
        self.lost += other.lost;
        add_up(&mut self.wins, &other.wins);
        add_up(&mut self.losses, &other.losses);
        let key = |longest: Option<(u8, u64)>| longest.map(|(plies, number)| (plies, u64::MAX - number));
        for (longest, other) in self.longest.iter_mut().zip(other.longest) {
            if key(other) > key(*longest) {
                *longest = other;
            }
        }
        self
    }
}

fn add_up(sums: &mut Vec<u64>, more: &[u64]) {
    sums.resize(sums.len().max(more.len()), 0);
    sums.iter_mut().zip(more).for_each(|(sum, count)| *sum += count);
}

/// Counts one side to move of a table.
pub fn count(table: &Table, turn: Colour) -> Result<Counts, FileError> {
    match table.index().men().len() {
        1 => count_sized::<1>(table, turn),
        2 => count_sized::<2>(table, turn),
        _ => count_sized::<3>(table, turn),
    }
}

fn count_sized<const N: usize>(table: &Table, turn: Colour) -> Result<Counts, FileError> {
    let Some(space) = Space::<N>::new(&table.material()) else { return Ok(Counts::default()) };
    let layout = Layout::new(&space);
    (0..space.kings.pairs.len())
        .into_par_iter()
        .map(|class| count_class(table, turn, class, &space, &layout))
        .try_reduce(Counts::default, |sum, more| Ok(sum.add(more)))
}

/// Counts what has one pair of kings.
fn count_class<const N: usize>(
    table: &Table,
    turn: Colour,
    class: usize,
    space: &Space<N>,
    layout: &Layout<N>,
) -> Result<Counts, FileError> {
    let index = table.index();
    let (begin, end) = (index.bases()[class], index.bases()[class + 1]);
    let mut counts = Counts::default();
    // By byte, how many there are and the first of them.
    let mut bytes = [(0u64, 0u64); 256];
    for number in begin..end {
        let byte = table.byte(turn, number)?;
        if index.has_twins(class) {
            let placement = index.unrank_in(class, number - begin);
            let again = index.twin(class, &placement).is_some_and(|twin| twin < number);
            if again || byte == NOTHING && index.position(&placement, turn).broken() {
                continue;
            }
        }
        let (count, first) = &mut bytes[usize::from(byte)];
        if *count == 0 {
            *first = number;
        }
        *count += 1;
    }
    if !index.has_twins(class) {
        // Draws and what cannot occur have the same byte: draws are the legal ones that are left.
        let decided: u64 = bytes.iter().zip(0..NOTHING).map(|((count, _), _)| count).sum();
        bytes[usize::from(NOTHING)].0 = layout.legal_positions(space, class, turn).saturating_sub(decided);
    }
    for (byte, (count, first)) in (0..=u8::MAX).zip(bytes).filter(|(_, (count, _))| *count > 0) {
        let outcome = table.code(turn).outcome(byte);
        let (all, histogram, plies) = match outcome {
            Outcome::Draw => {
                counts.drawn += count;
                continue;
            }
            Outcome::Win(plies) => (&mut counts.won, &mut counts.wins, plies),
            Outcome::Loss(plies) => (&mut counts.lost, &mut counts.losses, plies),
        };
        *all += count;
        if histogram.len() <= usize::from(plies) {
            histogram.resize(usize::from(plies) + 1, 0);
        }
        histogram[usize::from(plies)] += count;
        let longest = &mut counts.longest[usize::from(matches!(outcome, Outcome::Win(_)))];
        if longest.is_none_or(|(longest, _)| plies > longest) {
            *longest = Some((plies, first));
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
    let fen = |turn: Colour, number: u64| table.index().position(&table.index().unrank(number), turn).fen();
    // Whoever wins has the move and a win, or the opponent has it and a loss. Of equal ones that with white to move.
    let longest = Colour::BOTH.map(|winner| {
        let mut longest: Option<(Outcome, Colour, u64)> = None;
        for (turn, counts) in Colour::BOTH.into_iter().zip(&sides) {
            let Some((plies, number)) = counts.longest[usize::from(turn == winner)] else { continue };
            if longest.is_none_or(|(best, ..)| Some(plies) > best.plies()) {
                let outcome = if turn == winner { Outcome::Win(plies) } else { Outcome::Loss(plies) };
                longest = Some((outcome, turn, number));
            }
        }
        longest
    });
    let wins =
        longest.map(|longest| longest.and_then(|(outcome, turn, number)| Some((outcome.plies()?, fen(turn, number)))));
    let order = |found: &&(Outcome, Colour, u64)| (found.0.plies(), found.1 == Colour::White);
    let most = longest.iter().flatten().max_by_key(order);
    Ok(Statistics { sides, longest: most.map(|&(outcome, turn, number)| (outcome, fen(turn, number))), wins })
}
