//! What trees have gained, as it travels, and what many have gained together.
//!
//! A list names each move once, by a number that is made from its words, so that it is the same on all machines; positions follow from earlier ones by such
//! a name. What is too much for a message is left out, that of the fewest visits first.

use game::Role;
use search::exchange::{Gain, GainArm};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::cmp::Reverse;
use std::collections::HashMap;

/// The most positions of a list.
pub const MOST_POSITIONS: usize = 500;
/// The most moves of all its positions, and of names.
const MOST_MOVES: usize = 20_000;
/// Names are numbers below this, which whatever reads JSON reads exactly.
const NAMES: u64 = 1 << 53;
/// Visits in one list are fewer than this.
const MOST_VISITS: u64 = 1 << 28;

/// A list as it travels.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Gains {
    /// Names of moves.
    names: Vec<u64>,
    /// Positions, those that lead to others first.
    positions: Vec<Position>,
}

/// What was gained in a position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Position {
    /// The position before it and the name of the move between them, by their places; none where the search began.
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    from: Option<(u32, u32)>,
    /// Who chooses there.
    #[serde(rename = "r")]
    role: u8,
    /// Moves, by the places of their names: visits and rewards.
    #[serde(rename = "a")]
    arms: Vec<(u32, u64, f64)>,
    /// What is proven of it.
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    proven: Option<Vec<f32>>,
}

/// The name of a move that has these words.
pub fn name(words: &str) -> u64 {
    let digest = Sha256::digest(words.as_bytes());
    digest.iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte)) % NAMES
}

impl Gains {
    /// Written down, as much as fits.
    pub fn of(gains: &[Gain]) -> Gains {
        let mut places: HashMap<u64, u32> = HashMap::new();
        let mut written = Gains::default();
        let mut left = MOST_MOVES;
        for gain in gains.iter().take(MOST_POSITIONS) {
            if gain.arms.len() + 1 > left {
                break;
            }
            left -= gain.arms.len() + 1;
            let Gains { names, positions } = &mut written;
            let mut place = |name: u64| {
                *places.entry(name).or_insert_with(|| {
                    names.push(name);
                    names.len() as u32 - 1
                })
            };
            // Four digits are enough for rewards between 0 and 1.
            let sum = |arm: &GainArm| ((arm.sum * 1e4).round() / 1e4).clamp(0.0, arm.visits as f64);
            positions.push(Position {
                from: gain.from.map(|(before, name)| (before, place(name))),
                role: gain.role.0,
                arms: gain
                    .arms
                    .iter()
                    .map(|arm| (place(arm.name), arm.visits.min(MOST_VISITS - 1), sum(arm)))
                    .collect(),
                proven: gain.proven.clone(),
            });
        }
        written
    }

    /// As a tree takes it in.
    pub fn read(&self) -> Vec<Gain> {
        let name = |place: u32| self.names[place as usize];
        let one = |position: &Position| Gain {
            from: position.from.map(|(before, place)| (before, name(place))),
            role: Role(position.role),
            arms: position.arms.iter().map(|&(at, visits, sum)| GainArm { name: name(at), visits, sum }).collect(),
            proven: position.proven.clone(),
        };
        self.positions.iter().map(one).collect()
    }

    /// Whether it may be read: places are those of something that is there, numbers are in range.
    pub fn is_within_limits(&self) -> bool {
        let is_named = |place: u32| (place as usize) < self.names.len();
        let is_arm = |&(place, visits, sum): &(u32, u64, f64)| {
            is_named(place) && visits < MOST_VISITS && (0.0..=visits as f64).contains(&sum)
        };
        let is_fine = |(number, position): (usize, &Position)| {
            position.from.is_none_or(|(before, place)| (before as usize) < number && is_named(place))
                && position.arms.iter().all(is_arm)
                && position
                    .proven
                    .as_ref()
                    .is_none_or(|values| values.len() <= 255 && values.iter().all(|value| (0.0..=1.0).contains(value)))
        };
        self.names.len() <= MOST_MOVES
            && self.names.iter().all(|&name| name < NAMES)
            && self.positions.len() <= MOST_POSITIONS
            && self.positions.iter().map(|position| position.arms.len()).sum::<usize>() <= MOST_MOVES
            && self.positions.iter().enumerate().all(is_fine)
    }
}

/// Lists by the ways to their positions.
#[derive(Default)]
struct Ways {
    /// The position that follows from another one, counted from 1 so that 0 is what comes before all of them.
    next: HashMap<(u32, u64), u32>,
    all: Vec<Gain>,
}

impl Ways {
    /// Where each position of a list is among all of them; made where `makes` says so.
    fn places(&mut self, gains: &[Gain], makes: bool) -> Vec<Option<u32>> {
        let mut places: Vec<Option<u32>> = Vec::with_capacity(gains.len());
        for gain in gains {
            let before = match gain.from {
                None => Some((0, 0)),
                Some((before, name)) => places.get(before as usize).copied().flatten().map(|at| (at + 1, name)),
            };
            let Ways { next, all } = self;
            let place = before.and_then(|way| match next.get(&way) {
                Some(&at) => Some(at),
                None if makes => {
                    let from = gain.from.map(|(_, name)| (way.0 - 1, name));
                    all.push(Gain { from, role: gain.role, arms: Vec::new(), proven: None });
                    next.insert(way, all.len() as u32 - 1);
                    Some(all.len() as u32 - 1)
                }
                None => None,
            });
            places.push(place);
        }
        places
    }
}

/// What several lists say together, the same for the same lists in the same order: visits and rewards of each move added up. The positions with the most visits, as
/// many as fit into a message, and those that lead to them.
pub fn together<'a>(lists: impl Iterator<Item = &'a [Gain]>) -> Vec<Gain> {
    let mut ways = Ways::default();
    for gains in lists {
        let places = ways.places(gains, true);
        for (gain, place) in gains.iter().zip(places) {
            let Some(own) = place.map(|place| &mut ways.all[place as usize]) else { continue };
            own.proven = own.proven.take().or_else(|| gain.proven.clone());
            if own.arms.is_empty() {
                own.role = gain.role;
            }
            for arm in gain.arms.iter().filter(|_| own.role == gain.role) {
                match own.arms.iter_mut().find(|one| one.name == arm.name) {
                    Some(one) => (one.visits, one.sum) = (one.visits + arm.visits, one.sum + arm.sum),
                    None => own.arms.push(*arm),
                }
            }
        }
    }
    most_visited(ways.all)
}

/// The positions with the most visits, as many as fit into a message, and those that lead to them.
fn most_visited(all: Vec<Gain>) -> Vec<Gain> {
    if all.len() <= MOST_POSITIONS {
        return all;
    }
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&at| (Reverse(all[at].arms.iter().map(|arm| arm.visits).sum::<u64>()), at));
    let mut is_kept = vec![false; all.len()];
    let mut left = MOST_POSITIONS;
    for at in order {
        let (mut way, mut next) = (Vec::new(), Some(at));
        while let Some(at) = next.filter(|&at| !is_kept[at]) {
            way.push(at);
            next = all[at].from.map(|(before, _)| before as usize);
        }
        if way.len() > left {
            break;
        }
        left -= way.len();
        way.into_iter().for_each(|at| is_kept[at] = true);
    }
    let mut places = vec![0; all.len()];
    let mut kept: Vec<Gain> = Vec::with_capacity(MOST_POSITIONS);
    for (at, gain) in all.into_iter().enumerate().filter(|(at, _)| is_kept[*at]) {
        places[at] = kept.len() as u32;
        let from = gain.from.map(|(before, name)| (places[before as usize], name));
        kept.push(Gain { from, ..gain });
    }
    kept
}

/// What is left of what all have gained when one's own part of it is taken away.
pub fn without(all: Vec<Gain>, own: &[Gain]) -> Vec<Gain> {
    let mut ways = Ways::default();
    let places = ways.places(&all, true);
    let back: HashMap<u32, usize> = places.iter().enumerate().filter_map(|(at, place)| Some(((*place)?, at))).collect();
    let mut all = all;
    for (gain, place) in own.iter().zip(ways.places(own, false)) {
        let Some(rest) = place.and_then(|place| back.get(&place)).map(|&at| &mut all[at]) else { continue };
        for arm in gain.arms.iter().filter(|_| rest.role == gain.role) {
            if let Some(one) = rest.arms.iter_mut().find(|one| one.name == arm.name) {
                one.visits = one.visits.saturating_sub(arm.visits);
                one.sum = (one.sum - arm.sum).clamp(0.0, one.visits as f64);
            }
        }
        rest.arms.retain(|arm| arm.visits > 0);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gain(from: Option<(u32, u64)>, arms: &[(u64, u64, f64)]) -> Gain {
        let arms = arms.iter().map(|&(name, visits, sum)| GainArm { name, visits, sum }).collect();
        Gain { from, role: Role(1), arms, proven: None }
    }

    #[test]
    fn there_and_back() {
        let mut gains =
            vec![gain(None, &[(7, 3, 1.5), (9, 1, 0.0)]), gain(Some((0, 9)), &[(7, 1, 1.0)]), gain(Some((1, 7)), &[])];
        gains[2].proven = Some(vec![0.0, 1.0]);
        let written = Gains::of(&gains);
        assert!(written.is_within_limits());
        assert_eq!((written.names.len(), written.read()), (2, gains));
        assert!(name("(mark 1 1)") != name("(mark 1 2)") && name("noop") < NAMES);
    }

    #[test]
    fn what_is_out_of_range_is_not_read() {
        let fine = Gains::of(&[gain(None, &[(7, 3, 1.5)]), gain(Some((0, 7)), &[(7, 1, 1.0)])]);
        let bad = |change: &dyn Fn(&mut Gains)| {
            let mut gains = fine.clone();
            change(&mut gains);
            assert!(!gains.is_within_limits(), "{gains:?}");
        };
        bad(&|gains| gains.names.clear());
        bad(&|gains| gains.names[0] = NAMES);
        bad(&|gains| gains.positions[1].from = Some((1, 0)));
        bad(&|gains| gains.positions[1].from = Some((0, 1)));
        bad(&|gains| gains.positions[0].arms[0].1 = MOST_VISITS);
        for sum in [-1.0, 3.5, f64::NAN] {
            bad(&|gains| gains.positions[0].arms[0].2 = sum);
        }
        bad(&|gains| gains.positions[0].proven = Some(vec![1.5]));
        bad(&|gains| gains.positions[0].arms = vec![(0, 1, 0.0); MOST_MOVES + 1]);
        bad(&|gains| gains.positions = vec![gains.positions[0].clone(); MOST_POSITIONS + 1]);
    }

    #[test]
    fn gains_are_added_up_and_ones_own_part_is_taken_away() {
        let one = [gain(None, &[(1, 5, 2.0), (2, 3, 3.0)]), gain(Some((0, 1)), &[(3, 1, 0.0)])];
        let two = [gain(None, &[(2, 4, 1.0)]), gain(Some((0, 2)), &[(3, 2, 1.0)])];
        let all = together([&one[..], &two].into_iter());
        let expected = [
            gain(None, &[(1, 5, 2.0), (2, 7, 4.0)]),
            gain(Some((0, 1)), &[(3, 1, 0.0)]),
            gain(Some((0, 2)), &[(3, 2, 1.0)]),
        ];
        assert_eq!(all, expected);
        let others = without(all, &one);
        assert_eq!(others, [gain(None, &[(2, 4, 1.0)]), gain(Some((0, 1)), &[]), gain(Some((0, 2)), &[(3, 2, 1.0)])]);
        assert!(together(std::iter::empty()).is_empty());
    }

    #[test]
    fn of_too_many_positions_the_most_visited_are_told() {
        let mut gains = vec![gain(None, &[(1, 1, 0.0)])];
        gains.extend((0..2 * MOST_POSITIONS as u64).map(|name| gain(Some((0, name)), &[(1, 1 + name, 0.0)])));
        let told = together([&gains[..]].into_iter());
        assert_eq!(told.len(), MOST_POSITIONS);
        let visits = |gain: &Gain| gain.arms.iter().map(|arm| arm.visits).sum::<u64>();
        assert!(told[0].from.is_none() && told[1..].iter().all(|gain| visits(gain) > MOST_POSITIONS as u64));
        assert!(Gains::of(&told).is_within_limits());
    }
}
