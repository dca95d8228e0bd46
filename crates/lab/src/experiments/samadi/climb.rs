//! Weights from matches of an evaluation against its own variants: regression tells which terms go with winning, a match tells
//! which weights win. Nobody else plays, so what comes out is tuned to no opponent.
//!
//! Every try changes all weights a little by chance and plays the variant against the best so far, from both sides of openings
//! that no try before had. A variant that does badly is given up early; one that is better than chance alone would often make it is the new best.

use super::bout::{End, Mind, Stage};
use super::tables::Tables;
use crate::args::SamadiArgs;
use abstraction::alone::{Alone, AloneSpec};
use anyhow::Result;
use game::random::Rng;
use platform::Interrupt;
use std::sync::Arc;
use terminal::{Out, Progress};

/// Openings of a block: afterwards it is asked whether to go on.
const BLOCK: u64 = 20;
/// The most blocks of a match.
const BLOCKS: u64 = 6;
/// A variant that is so many standard deviations behind is given up …
const GIVEN_UP: f64 = -0.5;
/// … and one that is so far ahead needs no more games.
const TAKEN: f64 = 2.5;
/// How far it must be ahead in the end.
const AHEAD: f64 = 1.0;
/// How much weights are changed: by factors between the inverse of this and this.
const FACTOR: f64 = 1.8;
/// One weight of so many is left out, or comes back if it was.
const SWITCHED: usize = 20;
/// A weight that comes back, as a part of the greatest.
const RETURNED: f32 = 0.2;
/// The seeds of its openings begin here, away from those of the experiment.
const SEEDS: u64 = 7_000_000;

/// What a climb did.
pub struct Climbed {
    /// The best weights.
    pub spec: AloneSpec,
    /// Variants that were better than the best before them.
    pub taken: u64,
    /// Games in all.
    pub games: u64,
}

/// Tries so many variants, one after the other; the interrupt ends it with what it has.
pub fn climb(
    args: &SamadiArgs,
    stage: &Stage,
    tables: &mut Tables,
    spec: AloneSpec,
    interrupt: &Interrupt,
    out: Out<'_>,
) -> Result<Climbed> {
    let mut rng = Rng::new(args.seed.wrapping_add(SEEDS));
    let mut best = Climbed { spec, taken: 0, games: 0 };
    let mut champion = Arc::new(tables.alone(best.spec.clone(), &stage.arena, interrupt, out)?);
    let mut progress = Progress::new();
    for number in 0..args.tries {
        let variant = varied(&best.spec, &mut rng);
        let challenger = Arc::new(tables.alone(variant, &stage.arena, interrupt, out)?);
        let (mut games, mut lead, mut ahead) = (0, 0, 0.0);
        for block in 0..BLOCKS {
            lead += duel(args, stage, [&challenger, &champion], SEEDS + args.seed + number, block * BLOCK, interrupt)?;
            games += 2 * BLOCK;
            // A game is worth 1 or -1: the sum of so many has the root of their number as its deviation, at most.
            ahead = lead as f64 / (games as f64).sqrt();
            if !(GIVEN_UP..TAKEN).contains(&ahead) {
                break;
            }
        }
        best.games += games;
        if ahead >= AHEAD {
            best.taken += 1;
            best.spec = challenger.spec().clone();
            champion = challenger;
            writeln!(out, "  try {}: better by {lead} of {games} games", number + 1)?;
            out.flush()?;
        }
        progress.fraction((number + 1) as f64 / args.tries as f64, |_| format!("try {} of {}", number + 1, args.tries));
    }
    Ok(best)
}

/// The same terms with other weights.
fn varied(spec: &AloneSpec, rng: &mut Rng) -> AloneSpec {
    let mut variant = spec.clone();
    let greatest = spec.lookups.iter().map(|lookup| lookup.weight).fold(spec.row, f32::max);
    let mut change = |weight: &mut f32, least: f32| {
        let is_switched = rng.below(SWITCHED) == 0;
        let part = rng.below(2001) as f64 / 1000.0 - 1.0;
        *weight = match (is_switched, *weight == 0.0) {
            (true, true) => RETURNED * greatest,
            (true, false) => 0.0,
            (false, _) => *weight * FACTOR.powf(part) as f32,
        };
        *weight = ((*weight * 1e4).round() / 1e4).max(least);
    };
    variant.lookups.iter_mut().for_each(|lookup| change(&mut lookup.weight, 0.0));
    change(&mut variant.row, 0.0);
    change(&mut variant.curve, super::learn::LEAST_CURVE);
    change(&mut variant.behind, 0.0);
    variant
}

/// How many games more the first one wins than the second, from both sides of a block of openings.
fn duel(
    args: &SamadiArgs,
    stage: &Stage,
    players: [&Arc<Alone>; 2],
    seed: u64,
    first: u64,
    interrupt: &Interrupt,
) -> Result<i64> {
    let minds = players.map(|alone| Mind::FullWidth(Arc::<Alone>::clone(alone)));
    let open: Vec<(u64, usize)> = (first..first + BLOCK).flat_map(|opening| [(opening, 0), (opening, 1)]).collect();
    let cancel = interrupt.cancel();
    let mut lead = 0;
    let one = |&(opening, side): &(u64, usize), broken: &game::Cancel| -> Result<i64> {
        let order = if side == 0 { [&minds[0], &minds[1]] } else { [&minds[1], &minds[0]] };
        let outcome = stage.play(stage.opening(seed, opening), order, super::learn::DEPTH, broken, |_| None)?;
        Ok(match (outcome.end, side) {
            (End::Red, 0) | (End::Blue, 1) => 1,
            (End::Red | End::Blue, _) => -1,
            (End::Repeated | End::Long, _) => 0,
        })
    };
    host::many::play_all(&open, args.parallel(), one, |result| {
        lead += result;
        anyhow::ensure!(!cancel.is_cancelled(), "stopped; weights are written at the end only");
        Ok(())
    })?;
    Ok(lead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use abstraction::alone::{Goal, LookupSpec};

    #[test]
    fn variants_differ_a_little_and_are_no_less_than_nothing() {
        let lookup = |weight| LookupSpec { pieces: (1, 6), goal: Goal::Top, weight };
        let spec = AloneSpec {
            lookups: vec![lookup(1.0), lookup(0.0)],
            row: 0.5,
            curve: 0.02,
            behind: 0.1,
            ..AloneSpec::nothing(9, 10)
        };
        let mut rng = Rng::new(1);
        let (mut left_out, mut returned) = (0, 0);
        for _ in 0..200 {
            let variant = varied(&spec, &mut rng);
            assert!(variant.lookups.iter().all(|lookup| lookup.weight >= 0.0 && lookup.weight <= 1.81));
            assert!(variant.curve >= super::super::learn::LEAST_CURVE);
            left_out += usize::from(variant.lookups[0].weight == 0.0);
            returned += usize::from(variant.lookups[1].weight > 0.0);
        }
        assert!((1..40).contains(&left_out) && (1..40).contains(&returned), "{left_out} {returned}");
        assert_eq!(varied(&spec, &mut Rng::new(3)), varied(&spec, &mut Rng::new(3)));
    }
}
