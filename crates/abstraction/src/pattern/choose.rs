//! Which patterns are worth their tables: those that foretell the ends of random games better than counting pieces does.
//!
//! A quarter of the games is held out: weights are fitted to the others, and a pattern is taken if the loss on the held-out ones is
//! smaller by a margin. Where random games do not tell (nobody ever wins one), pieces that run to a goal alone are taken as they
//! are, each side's distance against the other's; a match has to tell then whether that is any good.

use super::board::Board;
use super::build::{BuildError, Settings, build};
use super::evaluator::{Lookups, MOST_LOOKUPS, Terms, ask, width};
use super::numbering::{Other, Pattern, Table};
use super::watch::{Sample, Watched};
use crate::learn::{Example, correlation, logistic, loss};
use game::{Facts, Role};
use std::sync::Arc;

/// The most pieces of a pattern.
const MOST_PIECES: usize = 4;
/// Patterns that are built at most, the smallest first.
const MOST_BUILT: usize = 24;
/// Patterns that are used at most.
const MOST_CHOSEN: usize = 4;
/// What a pattern must take off the loss (a coin has 0.693).
const MARGIN: f64 = 0.0015;
/// Positions that weights are fitted to, at most.
const MOST_EXAMPLES: usize = 6_000;
/// Games that ended with different results, at the least, to learn anything.
const FEWEST_DECIDED: usize = 20;
/// The chance to win grows with the lead of one side's pieces, by so much a tenth of a move of their mean distance.
const RACE: f32 = 6.0;
const RIDGE: f64 = 1.0;

/// A pattern that was tried.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The pattern.
    pub pattern: Pattern,
    /// Its table, or why there is none.
    pub table: Result<Arc<Table>, BuildError>,
    /// The loss on held-out games with this one alone beside the number of pieces, where that was measured.
    pub loss: Option<f64>,
}

/// A pattern that is used.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// Its table.
    pub table: Arc<Table>,
    /// The weights of its terms: mean, best and worst, or the mean distance and the nearest.
    pub weights: Vec<f32>,
    /// The loss on held-out games once it is there, if weights were learned.
    pub loss: Option<f64>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Choice {
    /// All that were tried, in the order of their size.
    pub tried: Vec<Candidate>,
    /// Those that are used, the most telling first.
    pub chosen: Vec<Chosen>,
    /// The loss of counting pieces on held-out games, if games tell anything.
    pub base: Option<f64>,
    /// On these games the correlation of the chances given with how they ended: of counting pieces, and of what is used.
    pub correlations: Option<(f64, f64)>,
    /// Why none is used, if so.
    pub none: Option<&'static str>,
    /// The evaluator made of those that are used.
    pub evaluator: Option<Lookups>,
}

impl Choice {
    /// None of these, for this reason.
    pub fn nothing(tried: Vec<Candidate>, why: &'static str) -> Choice {
        let chosen = Vec::new();
        Choice { tried, chosen, base: None, correlations: None, none: Some(why), evaluator: None }
    }
}

/// The patterns that are worth trying by what a few games have shown of the pieces, the smallest first.
///
/// # Errors
/// The reason where there are none.
pub fn candidates<S: Clone>(
    board: &Board,
    watched: &Watched<S>,
    settings: &Settings,
) -> Result<Vec<Pattern>, &'static str> {
    if watched.places_pieces() {
        return Err("pieces are put on the board, not moved: with few of them the game has only begun");
    }
    let patterns = small(board, watched, settings);
    if patterns.is_empty() {
        return Err("no few pieces of both sides, or of one with a goal to run to, are a small enough game");
    }
    Ok(patterns)
}

/// Builds the tables of patterns as long as `more` says yes, which is asked before each and while one is built, with the states listed so far.
///
/// # Errors
/// The reason where none is of any use; no games need be watched then.
pub fn build_all<G: Facts>(
    game: &G,
    board: &Board,
    patterns: Vec<Pattern>,
    settings: &Settings,
    more: &mut dyn FnMut(&Pattern, u64) -> bool,
) -> Result<Vec<Candidate>, (Vec<Candidate>, &'static str)> {
    let mut tried = Vec::new();
    for pattern in patterns {
        if !more(&pattern, 0) {
            break;
        }
        let made = build(game, board, &pattern, settings, &mut |at| more(&pattern, at.states));
        let stopped = made == Err(BuildError::Stopped);
        tried.push(Candidate { pattern, table: made.map(Arc::new), loss: None });
        if stopped {
            break;
        }
    }
    if tried.iter().all(|one| one.table.is_err()) {
        return Err((tried, "no table could be built within the limits"));
    }
    if tried.iter().all(|one| one.table.as_ref().map_or(true, |table| table.says_nothing())) {
        return Err((tried, "few pieces decide nothing: their tables say the same of every placement"));
    }
    Ok(tried)
}

/// Chooses and weighs. `more` is asked before a pattern is weighed: what was done by the time that it says no is what the choice is made of.
pub fn choose<S: Clone>(
    board: &Arc<Board>,
    watched: &Watched<S>,
    mut tried: Vec<Candidate>,
    range: (u8, u8),
    more: &mut dyn FnMut(&Pattern) -> bool,
) -> Choice {
    let counted = board.things.iter().enumerate().filter(|(thing, _)| {
        let (fewest, most) = watched.numbers[*thing];
        watched.owners[*thing].is_some() && fewest < most
    });
    let counted = counted.map(|(thing, _)| (thing, watched.numbers[thing].1.max(1) as f32)).collect();
    let empty = Terms { counted, tables: Vec::new() };
    let decided = decided(&watched.samples);
    let Weighed { chosen, base, correlations, weights } = match decided >= FEWEST_DECIDED {
        true => learned(&mut tried, &watched.samples, &empty, more),
        false => raced(&tried, &empty),
    };
    let none = chosen.is_empty().then_some(match decided >= FEWEST_DECIDED {
        true => "none foretells how random games end better than counting pieces does",
        false => "random games do not tell who stands better, and there is no goal that pieces could run to alone",
    });
    let tables = chosen.iter().map(|one: &Chosen| one.table.clone()).collect();
    let evaluator =
        (!chosen.is_empty()).then(|| Lookups::new(board.clone(), Terms { tables, ..empty }, weights, range));
    Choice { tried, chosen, base, correlations, none, evaluator }
}

/// How many games were won by one side, the rarer one counted twice.
fn decided<S>(samples: &[Sample<S>]) -> usize {
    let mut ends: Vec<(usize, bool)> =
        samples.iter().filter(|sample| sample.result != 0.5).map(|sample| (sample.game, sample.result > 0.5)).collect();
    ends.dedup();
    let first = ends.iter().filter(|end| end.1).count();
    2 * first.min(ends.len() - first)
}

/// The patterns that are small enough, smallest first.
fn small<S>(board: &Board, watched: &Watched<S>, settings: &Settings) -> Vec<Pattern> {
    let required: Vec<usize> = (0..board.things.len()).filter(|&thing| watched.numbers[thing] == (1, 1)).collect();
    let free: Vec<usize> = (0..board.things.len())
        .filter(|thing| !required.contains(thing) && watched.owners[*thing].is_some() && watched.numbers[*thing].1 > 0)
        .collect();
    let mut sets = vec![required];
    let mut at = 0;
    while at < sets.len() {
        let set = sets[at].clone();
        at += 1;
        if set.len() < MOST_PIECES {
            let last = set.iter().filter(|thing| free.contains(thing)).max().copied().unwrap_or(0);
            let longer = free.iter().filter(|&&thing| thing >= last).map(|&thing| [set.clone(), vec![thing]].concat());
            sets.extend(longer.filter(|set| lookups(set, watched) <= MOST_LOOKUPS as u64));
        }
    }
    let has = |set: &[usize], role: u8| set.iter().any(|&thing| watched.owners[thing] == Some(Role(role)));
    let mut patterns = Vec::new();
    for set in sets.into_iter().filter(|set| !set.is_empty()) {
        if has(&set, 0) && has(&set, 1) {
            patterns.push(Pattern::new(set, Other::Against, Role(0), board));
        } else if let Some(role) = watched.owners[set[0]] {
            let wanted = |&thing: &usize| board.things[thing].wanted[role.0 as usize].len();
            let can_run = set.iter().all(|thing| *thing == set[0]) && wanted(&set[0]) >= set.len();
            if can_run && wanted(&set[0]) < board.things[set[0]].places.len() {
                patterns.push(Pattern::new(set, Other::Absent, role, board));
            }
        }
    }
    patterns.retain(|pattern| pattern.placements() <= settings.states);
    patterns.sort_by_key(Pattern::placements);
    patterns.truncate(MOST_BUILT);
    let mut bytes = 0u64;
    patterns.retain(|pattern| {
        let with = bytes.saturating_add(pattern.entries());
        bytes = if with <= settings.bytes { with } else { bytes };
        with <= settings.bytes
    });
    patterns
}

/// How many choices of these pieces there are at most in a position.
fn lookups<S>(set: &[usize], watched: &Watched<S>) -> u64 {
    let mut all = 1u64;
    let mut before = (usize::MAX, 0);
    for &thing in set {
        before = (thing, if before.0 == thing { before.1 + 1 } else { 0 });
        let most = watched.numbers[thing].1 as u64;
        all = all.saturating_mul(most.saturating_sub(before.1)) / (before.1 + 1);
    }
    // None at all is no pattern that could come up.
    if all == 0 { u64::MAX } else { all }
}

/// The terms of every position, held-out ones apart.
struct Examples {
    fit: Vec<Example>,
    held: Vec<Example>,
}

impl Examples {
    fn of<S>(samples: &[Sample<S>], mut terms: impl FnMut(&Sample<S>) -> Vec<f32>) -> Examples {
        let mut made = Examples { fit: Vec::new(), held: Vec::new() };
        let every = samples.len().div_ceil(MOST_EXAMPLES).max(1);
        for sample in samples.iter().step_by(every) {
            let example = Example { terms: terms(sample), result: sample.result };
            if sample.game % 4 == 0 { &mut made.held } else { &mut made.fit }.push(example);
        }
        made
    }

    /// The same with more terms.
    fn with(&self, more: &Examples) -> Examples {
        let join = |own: &[Example], more: &[Example]| {
            let both = |(own, more): (&Example, &Example)| Example {
                terms: [&own.terms[..], &more.terms[..]].concat(),
                result: own.result,
            };
            own.iter().zip(more).map(both).collect()
        };
        Examples { fit: join(&self.fit, &more.fit), held: join(&self.held, &more.held) }
    }

    fn fitted(&self) -> (Vec<f64>, f64) {
        let weights = logistic(&self.fit, RIDGE);
        let loss = loss(&self.held, &weights);
        (weights, loss)
    }
}

/// Patterns with their weights.
struct Weighed {
    chosen: Vec<Chosen>,
    base: Option<f64>,
    correlations: Option<(f64, f64)>,
    weights: Vec<f32>,
}

/// Takes the pattern that lowers the loss most, then the next one beside it, as long as it is lowered by more than a margin.
fn learned<S>(
    tried: &mut [Candidate],
    samples: &[Sample<S>],
    empty: &Terms,
    more: &mut dyn FnMut(&Pattern) -> bool,
) -> Weighed {
    let mut now = Examples::of(samples, |sample| {
        let mut terms = Vec::new();
        empty.of(&sample.on_board, sample.turn, &mut terms);
        terms
    });
    let (mut weights, base) = now.fitted();
    let counting = correlation(&now.held, &weights);
    let mut least = base;
    let mut own: Vec<Option<Examples>> = Vec::new();
    for one in tried.iter() {
        let table = one.table.as_ref().ok().filter(|table| !table.says_nothing());
        let table = table.filter(|_| more(&one.pattern));
        own.push(table.map(|table| {
            Examples::of(samples, |sample| {
                let mut terms = Vec::new();
                ask(table, &sample.on_board, sample.turn, &mut terms);
                terms
            })
        }));
    }
    let mut taken: Vec<(usize, f64)> = Vec::new();
    while taken.len() < MOST_CHOSEN {
        let mut best: Option<(usize, f64, Vec<f64>, Examples)> = None;
        for (at, terms) in own.iter().enumerate().filter(|(at, _)| taken.iter().all(|one| one.0 != *at)) {
            let Some(terms) = terms else { continue };
            if !more(&tried[at].pattern) {
                break;
            }
            let both = now.with(terms);
            let (weights, loss) = both.fitted();
            if taken.is_empty() {
                tried[at].loss = Some(loss);
            }
            if loss < least - MARGIN && best.as_ref().is_none_or(|best| loss < best.1) {
                best = Some((at, loss, weights, both));
            }
        }
        let Some((at, loss, better, both)) = best else { break };
        taken.push((at, loss));
        (least, weights, now) = (loss, better, both);
    }
    let correlations = Some((counting, correlation(&now.held, &weights)));
    let mut from = 2 + empty.counted.len();
    let mut chosen = Vec::new();
    for (at, loss) in taken {
        let Ok(table) = &tried[at].table else { continue };
        let own = weights[from..from + width(table)].iter().map(|&weight| weight as f32).collect();
        from += width(table);
        chosen.push(Chosen { table: table.clone(), weights: own, loss: Some(loss) });
    }
    Weighed {
        chosen,
        base: Some(base),
        correlations,
        weights: weights.into_iter().map(|weight| weight as f32).collect(),
    }
}

/// For each side the largest pattern of its pieces alone, where both have one of so many: more pieces have farther to go.
fn raced(tried: &[Candidate], empty: &Terms) -> Weighed {
    let alone = |role: u8, pieces: usize| {
        let mut tables = tried.iter().filter_map(|one| one.table.as_ref().ok()).filter(|table| !table.says_nothing());
        tables.find(|table| {
            let Pattern { other, mine, things, .. } = &table.pattern;
            *other == Other::Absent && mine.0 == role && things.len() == pieces
        })
    };
    let both = (1..=MOST_PIECES).rev().find_map(|pieces| Some((alone(0, pieces)?, alone(1, pieces)?)));
    let mut weights = vec![0.0; 2 + empty.counted.len()];
    let Some((first, second)) = both else {
        return Weighed { chosen: Vec::new(), base: None, correlations: None, weights };
    };
    weights.extend([RACE, 0.0, RACE, 0.0]);
    let chosen = [first, second].map(|table| Chosen { table: table.clone(), weights: vec![RACE, 0.0], loss: None });
    Weighed { chosen: chosen.to_vec(), base: None, correlations: None, weights }
}
