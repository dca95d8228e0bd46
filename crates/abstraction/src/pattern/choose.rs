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
use crate::learn::{Example, logistic, loss};
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
    /// Why none is used, if so.
    pub none: Option<&'static str>,
    /// The evaluator made of those that are used.
    pub evaluator: Option<Lookups>,
}

impl Choice {
    fn nothing(why: &'static str) -> Choice {
        Choice { tried: Vec::new(), chosen: Vec::new(), base: None, none: Some(why), evaluator: None }
    }
}

/// Builds and chooses. `more` is asked before each table and while one is built, with what is being done.
pub fn choose<G: Facts>(
    game: &G,
    board: &Arc<Board>,
    watched: &Watched<G::State>,
    settings: &Settings,
    range: (u8, u8),
    more: &mut dyn FnMut(&Pattern, u64) -> bool,
) -> Choice {
    if watched.places_pieces() {
        return Choice::nothing("pieces are put on the board, not moved: with few of them the game has only begun");
    }
    let patterns = candidates(board, watched, settings);
    if patterns.is_empty() {
        return Choice::nothing(
            "no few pieces of both sides, or of one with a goal to run to, are a small enough game",
        );
    }
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
    let counted = board.things.iter().enumerate().filter(|(thing, _)| {
        let (fewest, most) = watched.numbers[*thing];
        watched.owners[*thing].is_some() && fewest < most
    });
    let counted = counted.map(|(thing, _)| (thing, watched.numbers[thing].1.max(1) as f32)).collect();
    let empty = Terms { counted, tables: Vec::new() };
    let decided = decided(&watched.samples);
    let (chosen, base, weights) = match decided >= FEWEST_DECIDED {
        true => learned(&mut tried, &watched.samples, &empty),
        false => raced(&tried, &empty),
    };
    let none = chosen.is_empty().then_some(match () {
        () if tried.iter().all(|one| one.table.is_err()) => "no table could be built within the limits",
        () if decided >= FEWEST_DECIDED => "none foretells how random games end better than counting pieces does",
        () => "random games do not tell who stands better, and there is no goal that pieces could run to alone",
    });
    let tables = chosen.iter().map(|one: &Chosen| one.table.clone()).collect();
    let evaluator =
        (!chosen.is_empty()).then(|| Lookups::new(board.clone(), Terms { tables, ..empty }, weights, range));
    Choice { tried, chosen, base, none, evaluator }
}

/// How many games were won by one side, the rarer one counted twice.
fn decided<S>(samples: &[Sample<S>]) -> usize {
    let mut ends: Vec<(usize, bool)> =
        samples.iter().filter(|sample| sample.result != 0.5).map(|sample| (sample.game, sample.result > 0.5)).collect();
    ends.dedup();
    let first = ends.iter().filter(|end| end.1).count();
    2 * first.min(ends.len() - first)
}

/// Whether there is any pattern to try, by what a few games have shown of the pieces: whoever asks first need not play many.
pub fn is_worth_trying<S: Clone>(board: &Board, watched: &Watched<S>, settings: &Settings) -> bool {
    !watched.places_pieces() && !candidates(board, watched, settings).is_empty()
}

/// The patterns that are worth trying, smallest first.
fn candidates<S>(board: &Board, watched: &Watched<S>, settings: &Settings) -> Vec<Pattern> {
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

type Weighed = (Vec<Chosen>, Option<f64>, Vec<f32>);

/// Takes the pattern that lowers the loss most, then the next one beside it, as long as it is lowered by more than a margin.
fn learned<S>(tried: &mut [Candidate], samples: &[Sample<S>], empty: &Terms) -> Weighed {
    let mut now = Examples::of(samples, |sample| {
        let mut terms = Vec::new();
        empty.of(&sample.on_board, sample.turn, &mut terms);
        terms
    });
    let (mut weights, base) = now.fitted();
    let mut least = base;
    let own: Vec<Option<Examples>> = tried
        .iter()
        .map(|one| {
            let table = one.table.as_ref().ok().filter(|table| !table.says_nothing())?;
            Some(Examples::of(samples, |sample| {
                let mut terms = Vec::new();
                ask(table, &sample.on_board, sample.turn, &mut terms);
                terms
            }))
        })
        .collect();
    let mut taken: Vec<(usize, f64)> = Vec::new();
    while taken.len() < MOST_CHOSEN {
        let mut best: Option<(usize, f64, Vec<f64>, Examples)> = None;
        for (at, more) in own.iter().enumerate().filter(|(at, _)| taken.iter().all(|one| one.0 != *at)) {
            let Some(more) = more else { continue };
            let both = now.with(more);
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
    let mut from = 2 + empty.counted.len();
    let mut chosen = Vec::new();
    for (at, loss) in taken {
        let Ok(table) = &tried[at].table else { continue };
        let own = weights[from..from + width(table)].iter().map(|&weight| weight as f32).collect();
        from += width(table);
        chosen.push(Chosen { table: table.clone(), weights: own, loss: Some(loss) });
    }
    (chosen, Some(base), weights.into_iter().map(|weight| weight as f32).collect())
}

/// For each side the largest pattern of its pieces alone, where both have one.
fn raced(tried: &[Candidate], empty: &Terms) -> Weighed {
    let alone = |role: u8| {
        let tables = tried.iter().filter_map(|one| one.table.as_ref().ok());
        let own = tables.filter(|table| table.pattern.other == Other::Absent && table.pattern.mine.0 == role);
        own.filter(|table| !table.says_nothing()).max_by_key(|table| table.pattern.things.len())
    };
    let mut weights = vec![0.0; 2 + empty.counted.len()];
    let (Some(first), Some(second)) = (alone(0), alone(1)) else { return (Vec::new(), None, weights) };
    weights.extend([RACE, 0.0, RACE, 0.0]);
    let chosen = [first, second].map(|table| Chosen { table: table.clone(), weights: vec![RACE, 0.0], loss: None });
    (chosen.to_vec(), None, weights)
}
