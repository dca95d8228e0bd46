//! Weights from games of an evaluation against itself: `ludens lab samadi chinese-checkers --learn NAME`.
//!
//! `baseline` has two rounds: games of a player whose weights are given, then games of the player that was learned from those. Of `self-play` there
//! is one, whose weights are none below nothing, and then matches of variants ([`climb`](super::climb)). Some moves are made
//! by chance, so that the games are not all alike. A position gives one example: what each term says of the other side less what it
//! says of the side to move, and what became of the game. The last tenth of the games is held out: the loss there says which terms are
//! worth having.

use super::bout::{End, Mind, Stage};
use super::climb::climb;
use super::tables::Tables;
use crate::args::SamadiArgs;
use abstraction::alone::{Alone, AloneSpec, Goal, LookupSpec};
use abstraction::learn::{Example, logistic, logistic_from_zero, loss};
use anyhow::{Result, bail};
use chinese::evaluations::{PIECES, SIDE};
use game::random::Rng;
use native::chinese::{Allowed, Position};
use platform::{Interrupt, save};
use std::sync::Arc;
use terminal::{Answer, Out, Progress};

/// The depth of the games that are learned from.
pub(super) const DEPTH: u32 = 2;
/// One move in so many is made by chance …
const BY_CHANCE: usize = 8;
/// … of the first so many.
const CHANCES: usize = 40;
/// One position in so many becomes an example.
const KEPT: usize = 3;
/// Examples that say nothing, for each weight.
const RIDGE: f64 = 20.0;

/// What a step from the middle line costs at least, in moves or rows.
pub(super) const LEAST_CURVE: f32 = 0.01;

/// What can be learned.
pub const NAMES: [&str; 2] = ["baseline", "self-play"];

/// The terms and the weights that the first games are played with.
fn beginning(name: &str) -> AloneSpec {
    match name {
        "baseline" => {
            AloneSpec { row: 1.0, curve: 0.02, behind: 0.5, behind_rows: 4, ..AloneSpec::nothing(SIDE, PIECES) }
        }
        _ => {
            let lookup = |pieces, goal, weight| LookupSpec { pieces, goal, weight };
            let lookups = vec![
                lookup((1, 6), Goal::Top, 0.8),
                lookup((7, 10), Goal::Enter, 0.8),
                lookup((5, 10), Goal::Top, 0.4),
                lookup((1, 4), Goal::Top, 0.0),
                lookup((4, 7), Goal::Top, 0.0),
                lookup((7, 10), Goal::Top, 0.0),
                lookup((6, 10), Goal::Corner, 0.0),
                lookup((3, 7), Goal::Corner, 0.0),
            ];
            let nothing = AloneSpec::nothing(SIDE, PIECES);
            AloneSpec { lookups, row: 0.3, curve: 0.015, behind: 0.1, behind_rows: 2, ..nothing }
        }
    }
}

/// Runs both rounds and writes the weights.
pub fn run(
    args: &SamadiArgs,
    name: &str,
    stage: &Stage,
    tables: &mut Tables,
    interrupt: &Interrupt,
    out: Out<'_>,
) -> Result<Answer> {
    let mut spec = match &args.from {
        Some(path) => super::evaluation(&path.display().to_string())?,
        None => beginning(name),
    };
    let climbs = name == "self-play";
    for round in 0..if climbs { 1 } else { 2 } {
        let alone = Arc::new(tables.alone(spec.clone(), &stage.arena, interrupt, out)?);
        let games = games(args, stage, &alone, round, interrupt)?;
        let held_out = games.len() - games.len() / 10;
        let (taught, tested) = (games[..held_out].concat(), games[held_out..].concat());
        let weights = match climbs {
            // What it is worth to be on move may be anything.
            true => logistic_from_zero(&taught, RIDGE, term_names(&spec).len() - 1),
            false => logistic(&taught, RIDGE),
        };
        let tied = games.iter().filter(|game| game.first().is_some_and(|example| example.result == 0.5)).count();
        let examples = taught.len() + tested.len();
        writeln!(out, "round {}: {} games, {tied} of them tied, {examples} examples", round + 1, games.len())?;
        writeln!(out, "  loss {:.4}, held out {:.4}", loss(&taught, &weights), loss(&tested, &weights))?;
        for (at, (name, weight)) in term_names(&spec).iter().zip(&weights).enumerate() {
            let mut without = taught.clone();
            without.iter_mut().for_each(|example| example.terms[at] = 0.0);
            let mut untested = tested.clone();
            untested.iter_mut().for_each(|example| example.terms[at] = 0.0);
            let lost = loss(&untested, &logistic(&without, RIDGE));
            writeln!(out, "  {name:<24} {weight:8.4}   held out without it {lost:.4}")?;
        }
        spec = taught_spec(&spec, &weights);
        spec.origin = format!(
            "ludens lab samadi chinese-checkers --learn {name} --games {} --seed {}: games against itself at depth {DEPTH}, \
             ridge logistic regression; held-out log-loss {:.4}",
            args.games,
            args.seed,
            loss(&tested, &weights)
        );
        out.flush()?;
    }
    if climbs {
        let climbed = climb(args, stage, tables, spec, interrupt, out)?;
        let origin = format!(
            "{}; then {} variants against the best before them, {} games at depth {DEPTH}, {} taken",
            climbed.spec.origin, args.tries, climbed.games, climbed.taken
        );
        spec = AloneSpec { origin, ..climbed.spec };
    }
    let path = args.lab.out("samadi").join(format!("{name}.json"));
    save(&path, &spec.to_json())?;
    writeln!(out, "written: {}", path.display())?;
    Ok(Answer::Yes)
}

fn term_names(spec: &AloneSpec) -> Vec<String> {
    let lookup = |lookup: &LookupSpec| format!("pieces {}-{} to {:?}", lookup.pieces.0, lookup.pieces.1, lookup.goal);
    let mut names: Vec<String> = spec.lookups.iter().map(lookup).collect();
    names.extend(["rows", "curve", "behind", "on move"].map(String::from));
    names
}

/// The same terms with these weights, scaled so that moves stay moves: all weights of lookups, or else the rows, add up to 1.
fn taught_spec(spec: &AloneSpec, weights: &[f64]) -> AloneSpec {
    let count = spec.lookups.len();
    let scale = weights[..count.max(1)].iter().sum::<f64>().abs().max(1e-6);
    let weight = |at: usize| (weights[at] / scale * 1e4).round() as f32 / 1e4;
    let mut taught = spec.clone();
    for (at, lookup) in taught.lookups.iter_mut().enumerate() {
        lookup.weight = weight(at);
    }
    // To be far from the middle line costs a little at least. Otherwise the last piece, beside the corner, does not find its way to a
    // hole in it that is farther than the search sees, and most games are ties.
    (taught.row, taught.curve, taught.behind) = (weight(count), weight(count + 1).max(LEAST_CURVE), weight(count + 2));
    taught
}

/// The examples of many games, game by game.
fn games(
    args: &SamadiArgs,
    stage: &Stage,
    alone: &Arc<Alone>,
    round: u64,
    interrupt: &Interrupt,
) -> Result<Vec<Vec<Example>>> {
    let player = Mind::FullWidth(Arc::<Alone>::clone(alone));
    let cancel = interrupt.cancel();
    let numbers: Vec<u64> = (0..args.games).collect();
    let mut games: Vec<(u64, Vec<Example>)> = Vec::new();
    let mut progress = Progress::new();
    let seed = args.seed.wrapping_add(1000 * (round + 1));
    let one = |number: &u64, broken: &game::Cancel| -> Result<(u64, Vec<Example>)> {
        let mut rng = Rng::new(seed.wrapping_mul(1_000_003).wrapping_add(*number));
        let (mut kept, mut moves): (Vec<Position>, Vec<(u8, u8)>) = (Vec::new(), Vec::new());
        let mut plies = 0;
        let outcome = stage.play(stage.opening(seed, *number), [&player, &player], DEPTH, broken, |position| {
            if rng.below(KEPT) == 0 {
                kept.push(*position);
            }
            plies += 1;
            (plies <= CHANCES && rng.below(BY_CHANCE) == 0).then(|| {
                stage.arena.moves(position, Allowed::NonBackward, &mut moves);
                moves[rng.below(moves.len())]
            })
        })?;
        Ok((*number, kept.iter().map(|position| example(alone, position, outcome.end)).collect()))
    };
    host::many::play_all(&numbers, args.parallel(), one, |game| {
        games.push(game);
        let (done, of) = (games.len(), numbers.len());
        progress.fraction(done as f64 / of as f64, |_| format!("round {}: {done} of {of} games", round + 1));
        if cancel.is_cancelled() {
            bail!("stopped; nothing is kept of a round that is not whole");
        }
        Ok(())
    })?;
    games.sort_by_key(|game| game.0);
    Ok(games.into_iter().map(|game| game.1).collect())
}

fn example(alone: &Alone, position: &Position, end: End) -> Example {
    let (turn, mut own, mut terms) = (position.turn, Vec::new(), Vec::new());
    alone.parts(turn, position.pieces[turn], &mut own);
    alone.parts(1 - turn, position.pieces[1 - turn], &mut terms);
    terms.iter_mut().zip(&own).for_each(|(term, own)| *term -= own);
    terms.push(1.0);
    let result = match end {
        End::Red => (1 - turn) as f32,
        End::Blue => turn as f32,
        End::Repeated | End::Long => 0.5,
    };
    Example { terms, result }
}
