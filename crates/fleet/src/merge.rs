//! One choice of what many workers have found.
//!
//! What is proven comes first. Otherwise the paper's rule takes the deepest search ([`ChooseSpec::Deepest`]), and ours adds up
//! ([`ChooseSpec::Merge`]): the visits and values of trees are summed at the root, as if one tree had grown from all of them; searches
//! without random games, whose visits say nothing, vote for their move. A vote weighs more the deeper the search went, and the
//! better what its heuristic said earlier in the match agreed with what was known later ([`Records`]), and with the ends of random games before it ([`Opinion::trust`]).

use agent::spec::ChooseSpec;
use game::random::Rng;
use search::portfolio::{add_up, deepest};
use search::{Choice, Found};
use std::collections::HashMap;

/// What one worker has found, in the words of our engine.
#[derive(Clone, Debug)]
pub struct Opinion {
    /// How it searches: those that search alike are judged together.
    pub player: String,
    /// What it found.
    pub found: Found,
    /// What its vote is worth before anything is known of it in this match; 1 for those that nothing speaks against.
    pub trust: f64,
}

/// What is believed of a heuristic before it has said anything: as if it had been wrong by so much, so often.
const BELIEF: (f64, f64) = (0.05, 2.0);
/// Votes of searches that are one step less deep than the deepest count for so much.
const SHALLOWER: f64 = 0.7;

/// How right each kind of search was so far.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// Squared errors and their number.
    errors: HashMap<String, (f64, f64)>,
    /// What each kind said of the last position.
    said: Vec<(String, f32)>,
}

impl Records {
    /// The weight of a kind of search: 1 for one that nothing is known of.
    pub fn weight(&self, player: &str) -> f64 {
        let (sum, count) = self.errors.get(player).copied().unwrap_or_default();
        let (wrong, times) = BELIEF;
        let mean = (sum + wrong * times) / (count + times);
        (wrong + 0.01) / (mean + 0.01)
    }

    /// Takes note of what everybody said of a position, and of what is known now: the value that all of them together give the
    /// position after it is what each of them should have said of the one before.
    pub fn note(&mut self, opinions: &[Opinion], value: f32) {
        for (player, said) in std::mem::take(&mut self.said) {
            let error = f64::from(said - value) / 100.0;
            let (sum, count) = self.errors.entry(player).or_default();
            *sum += error * error;
            *count += 1.0;
        }
        let moved = opinions.iter().filter(|opinion| opinion.found.mv.is_some());
        self.said = moved.map(|opinion| (opinion.player.clone(), opinion.found.value)).collect();
    }
}

/// The choice. `None` if nobody has found a move.
pub fn choose(rule: ChooseSpec, opinions: &[Opinion], records: &Records, rng: &mut Rng) -> Option<Found> {
    let mut reports: Vec<Found> = opinions.iter().map(|opinion| opinion.found.clone()).collect();
    let (nodes, playouts) = reports.iter().fold((0, 0), |(n, p), found| (n + found.nodes, p + found.playouts));
    let chosen = match rule {
        ChooseSpec::Deepest => deepest(&reports, rng).map(|at| reports.swap_remove(at)),
        ChooseSpec::Merge => merge(opinions, records, rng),
    };
    chosen.map(|found| Found { nodes, playouts, ..found })
}

fn merge(opinions: &[Opinion], records: &Records, rng: &mut Rng) -> Option<Found> {
    let of_kind = |is_tree: bool| opinions.iter().filter(move |one| (one.found.playouts > 0) == is_tree);
    let proven = opinions.iter().map(|one| &one.found).filter(|found| found.proven && found.mv.is_some());
    // Of equal values the one that was seen sooner.
    let best = proven.max_by(|a, b| a.value.total_cmp(&b.value).then(b.depth.cmp(&a.depth)));
    // A proven loss is no advice: a tree may know which loss is hardest to find.
    if let Some(best) = best.filter(|best| best.value > 0.0) {
        return Some(best.clone());
    }
    let trees: Vec<Found> = of_kind(true).map(|one| one.found.clone()).collect();
    let voters: Vec<&Opinion> = of_kind(false).filter(|one| one.found.mv.is_some() && !one.found.proven).collect();
    let together = add_up(trees.clone(), rng);
    let mut found = match (together, &voters[..]) {
        // Nobody knows more than that all is lost, if that.
        (None, []) => return best.cloned(),
        (Some(found), []) => found,
        (together, voters) => vote(together, trees.len(), voters, records, rng)?,
    };
    if let Some(lost) = best {
        (found.value, found.proven) = (lost.value, true);
    }
    Some(found)
}

/// Trees speak with as many votes as there are, shared out by visits; everybody else has one for its move.
fn vote(trees: Option<Found>, count: usize, voters: &[&Opinion], records: &Records, rng: &mut Rng) -> Option<Found> {
    let deepest = voters.iter().map(|one| one.found.depth).max().unwrap_or(0);
    let mut votes: HashMap<game::Move, f64> = HashMap::new();
    for one in voters {
        let shallower = SHALLOWER.powi((deepest - one.found.depth).min(100) as i32);
        if let Some(mv) = one.found.mv {
            *votes.entry(mv).or_default() += one.trust * records.weight(&one.player) * shallower;
        }
    }
    if let Some(found) = &trees {
        let visits: u64 = found.moves.iter().map(|choice| choice.visits).sum();
        for choice in &found.moves {
            *votes.entry(choice.mv).or_default() += count as f64 * choice.visits as f64 / visits.max(1) as f64;
        }
    }
    let most = votes.values().copied().fold(0.0, f64::max);
    let mut best: Vec<game::Move> =
        votes.iter().filter(|(_, votes)| **votes >= most - 1e-9).map(|(mv, _)| *mv).collect();
    best.sort_unstable();
    let mv = *best.get(rng.below(best.len().max(1)))?;
    // Whoever is for it and went deepest tells the rest.
    let for_it = voters.iter().filter(|one| one.found.mv == Some(mv)).max_by_key(|one| one.found.depth);
    let spoken = for_it.map(|one| one.found.clone()).or(trees)?;
    let moves: Vec<Choice> = spoken
        .moves
        .iter()
        .map(|choice| Choice { share: if choice.mv == mv { 1.0 } else { 0.0 }, ..*choice })
        .collect();
    let value = moves.iter().find(|choice| choice.mv == mv).map_or(spoken.value, |choice| choice.value);
    let value = if spoken.mv == Some(mv) { spoken.value } else { value };
    Some(Found { mv: Some(mv), value, proven: false, moves, ..spoken })
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Move;

    fn opinion(player: &str, mv: u32, value: f32, depth: u32, visits: &[u64]) -> Opinion {
        let moves = (0..).zip(visits).map(|(at, &visits)| Choice {
            mv: Move(at),
            value,
            visits,
            proven: false,
            share: f32::from(u8::from(at == mv)),
        });
        let playouts = visits.iter().sum();
        let found = Found { mv: Some(Move(mv)), value, depth, playouts, moves: moves.collect(), ..Found::default() };
        Opinion { player: player.to_string(), found, trust: 1.0 }
    }

    fn chosen(rule: ChooseSpec, opinions: &[Opinion]) -> Option<u32> {
        choose(rule, opinions, &Records::default(), &mut Rng::new(1)).and_then(|found| found.mv).map(|mv| mv.0)
    }

    #[test]
    fn visits_are_added_up() {
        let opinions = [
            opinion("uct", 0, 60.0, 9, &[60, 40, 0]),
            opinion("uct", 2, 50.0, 5, &[0, 45, 55]),
            opinion("uct", 2, 50.0, 5, &[0, 45, 55]),
        ];
        assert_eq!(chosen(ChooseSpec::Merge, &opinions), Some(1));
        assert_eq!(chosen(ChooseSpec::Deepest, &opinions), Some(0));
    }

    #[test]
    fn proofs_come_first_and_proven_losses_are_no_advice() {
        let mut proof = opinion("exhaustive", 2, 100.0, 1, &[]);
        proof.found.proven = true;
        let trees = [opinion("uct", 0, 90.0, 30, &[90, 5, 5]), proof.clone()];
        for rule in [ChooseSpec::Merge, ChooseSpec::Deepest] {
            assert_eq!(chosen(rule, &trees), Some(2), "{rule:?}");
        }
        proof.found.value = 0.0;
        let lost = [trees[0].clone(), proof];
        let found = choose(ChooseSpec::Merge, &lost, &Records::default(), &mut Rng::new(1)).expect("a choice");
        assert_eq!((found.mv, found.value, found.proven), (Some(Move(0)), 0.0, true));
    }

    #[test]
    fn votes_weigh_by_what_was_right() {
        let says = |player: &str, mv: u32, value: f32| opinion(player, mv, value, 4, &[]);
        let opinions = [says("good", 0, 70.0), says("bad", 1, 5.0)];
        let mut records = Records::default();
        for _ in 0..5 {
            records.note(&opinions, 70.0);
        }
        assert!(records.weight("good") > 1.0 && records.weight("bad") < 0.3, "{records:?}");
        assert_eq!(records.weight("unheard"), 1.0);
        let two = [says("bad", 1, 5.0), says("bad", 1, 5.0), says("good", 0, 70.0)];
        let found = choose(ChooseSpec::Merge, &two, &records, &mut Rng::new(1)).expect("a choice");
        assert_eq!(found.mv, Some(Move(0)));
        assert_eq!(chosen(ChooseSpec::Merge, &two), Some(1));
    }

    #[test]
    fn votes_weigh_by_what_random_games_say() {
        let mut opinions = vec![opinion("good", 0, 50.0, 4, &[])];
        opinions.extend((0..3).map(|_| Opinion { trust: 0.3, ..opinion("bad", 1, 50.0, 4, &[]) }));
        assert_eq!(chosen(ChooseSpec::Merge, &opinions), Some(0));
        opinions.push(opinions[1].clone());
        assert_eq!(chosen(ChooseSpec::Merge, &opinions), Some(1));
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert_eq!(chosen(ChooseSpec::Merge, &[]), None);
        assert_eq!(chosen(ChooseSpec::Deepest, &[]), None);
        let none = Opinion { player: "uct".into(), found: Found::default(), trust: 1.0 };
        assert_eq!(chosen(ChooseSpec::Merge, std::slice::from_ref(&none)), None);
    }
}
