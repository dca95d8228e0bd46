//! Play by sums by cases, once more: a game from every position that can be won, against best replies, under each rule about repetitions.
//!
//! Of equally good moves the one that seems better with two plies fewer is made. Of those that seem equally good then, and of replies that hold out
//! equally long, the file's maker takes the first in an order of its own, and what comes here is the first in another order. So both do not
//! come to exactly the same: games that hang on such a choice may end otherwise.

use super::{Eye, Graph, LOST, Show, go_on};
use crate::attribute::Attribute;
use crate::file::PlanError;
use crate::scene::Scene;
use crate::stages::cases::{Cases, Node};
use crate::stages::play::{Games, Repetition};
use game::Cancel;
use rayon::prelude::*;

/// What play by sums by cases comes to under one rule.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Played {
    /// Plies looked ahead.
    pub plies: usize,
    /// What is done when a position is about to come up again.
    pub repetition: Repetition,
    /// Games, one from every position that can be won.
    pub games: u64,
    /// Those that are won.
    pub won: u64,
    /// Those that the file says are won.
    pub claimed: u64,
}

impl Played {
    /// Whether the file says what was found, but for one game in 200.
    pub fn agrees(&self) -> bool {
        self.won.abs_diff(self.claimed) * 200 <= self.games
    }
}

/// How an attribute is had from those before it in the list; those without such a way are read off the board.
enum Way {
    Board,
    Above(usize, u32),
    Product(usize, usize),
}

fn ways(list: &[Attribute]) -> Vec<Way> {
    let before = |part: &Attribute, at: usize| list[..at].iter().position(|known| known == part);
    let way = |(at, attribute): (usize, &Attribute)| match attribute {
        Attribute::Beyond(part, by) => before(part, at).map(|part| Way::Above(part, (*by).into())),
        Attribute::Times(first, second) => before(first, at).zip(before(second, at)).map(|(a, b)| Way::Product(a, b)),
        _ => None,
    };
    list.iter().enumerate().map(way).map(|way| way.unwrap_or(Way::Board)).collect()
}

/// What the sum of the case is that a position belongs to, in millionths of a move, none below 0.
fn predicted(eye: &Eye<'_>, cases: &Cases, ways: &[Way], scene: &Scene) -> u64 {
    let mut values: Vec<u32> = Vec::with_capacity(ways.len());
    for ((way, attribute), &most) in ways.iter().zip(&cases.attributes).zip(&cases.most) {
        let value = match way {
            Way::Board => eye.value(scene, attribute).unwrap_or(255),
            Way::Above(part, by) => values[*part].saturating_sub(*by),
            Way::Product(first, second) => (values[*first] * values[*second]).min(254),
        };
        values.push(value.min(most.into()));
    }
    let mut at = 0;
    loop {
        match &cases.nodes[at] {
            Node::Question { attribute, most, low, high } => {
                at = if values[*attribute] <= u32::from(*most) { *low } else { *high };
            }
            Node::Sum { linear, .. } => {
                let parts = linear.weights.iter().zip(&values).map(|(weight, &value)| weight * f64::from(value));
                return ((linear.constant + parts.sum::<f64>()).clamp(-1e5, 1e5) * 1e6 + 1e11) as u64;
            }
        }
    }
}

impl Graph {
    /// Plays by the sums of a plan.
    pub(super) fn play(
        &self,
        eye: &Eye<'_>,
        show: &Show<'_>,
        cases: &Cases,
        cancel: &Cancel,
    ) -> Result<Vec<Played>, PlanError> {
        let (ways, alone) = (ways(&cases.attributes), !self.ours.contains(&Some(false)));
        let starts: Vec<u32> = (0..self.ours.len() as u32).filter(|&node| self.can_win(node)).collect();
        // Only what is claimed of all positions can be checked; replies that were drawn are not drawn again.
        let all = |claim: &&Games| !claim.drawn && claim.games == starts.len() as u64;
        let mut depths: Vec<usize> = cases.played.iter().filter(all).map(|claim| claim.plies).collect();
        depths.dedup();
        let mut played = Vec::new();
        for plies in depths {
            let (side, met) = (alone || plies.is_multiple_of(2), !cases.reading.is_usual());
            let ranks =
                self.seen(eye, show, |scene, ours| if ours == side { predicted(eye, cases, &ways, scene) } else { 0 });
            let scores = self.scores(&ranks, plies, met);
            let sooner = if plies > 2 && !met { self.scores(&ranks, plies - 2, false) } else { Vec::new() };
            for claim in cases.played.iter().filter(all).filter(|claim| claim.plies == plies) {
                go_on(cancel)?;
                let is_won = |start: &&u32| self.game([&scores, &sooner], **start, claim.repetition, claim.limit);
                let won = starts.par_iter().filter(is_won).count() as u64;
                let (repetition, games) = (claim.repetition, starts.len() as u64);
                played.push(Played { plies, repetition, games, won, claimed: claim.won });
            }
        }
        Ok(played)
    }

    pub(super) fn can_win(&self, node: u32) -> bool {
        self.ours[node as usize] == Some(true) && self.worth[node as usize] > 0
    }

    /// Whether a game is won in so many own moves.
    fn game(&self, [scores, sooner]: [&[u64]; 2], start: u32, repetition: Repetition, limit: u16) -> bool {
        let (mut node, mut seen) = (start, vec![start]);
        loop {
            match self.ours[node as usize] {
                None => return self.worth[node as usize] > 0,
                Some(false) => {
                    let holds = |to: &u32| (self.worth[*to as usize] == 0, self.plies[*to as usize], u32::MAX - to);
                    let Some(to) = self.next(node).iter().copied().max_by_key(holds) else { return false };
                    node = to;
                }
                Some(true) if self.worth[node as usize] == 0 || seen.len() > usize::from(limit) => return false,
                Some(true) => {
                    let mut moves = self.next(node).to_vec();
                    moves.sort_unstable_by_key(|&to| (scores[to as usize], sooner.get(to as usize), to));
                    let Some(&best) = moves.first().filter(|best| scores[**best as usize] != LOST) else {
                        return false;
                    };
                    let fresh = |to: &&u32| !seen.contains(to) && scores[**to as usize] != LOST;
                    node = match repetition {
                        _ if !seen.contains(&best) => best,
                        Repetition::Nothing => best,
                        Repetition::Second => moves.get(1).copied().unwrap_or(best),
                        Repetition::Avoid { among } => moves.iter().take(among).find(fresh).copied().unwrap_or(best),
                    };
                    seen.push(node);
                }
            }
        }
    }
}
