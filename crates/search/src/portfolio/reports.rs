//! Several reports as one: the best proof, the deepest search, or trees added up.

use super::Selection;
use crate::uct::{best_choice, draw};
use crate::{Choice, Found};
use game::Move;
use game::random::Rng;
use std::cmp::Ordering;

/// The paper's choice among reports: a proven one, the best of them; otherwise the deepest, by lot among equals.
pub fn deepest(reports: &[Found], rng: &mut Rng) -> Option<usize> {
    let places: Vec<usize> = (0..reports.len()).filter(|&at| reports[at].mv.is_some()).collect();
    let proven = places.iter().copied().filter(|&at| reports[at].proven);
    if let Some(best) = proven.max_by(|&a, &b| reports[a].value.total_cmp(&reports[b].value)) {
        return Some(best);
    }
    let depth = places.iter().map(|&at| reports[at].depth).max()?;
    let ties: Vec<usize> = places.into_iter().filter(|&at| reports[at].depth == depth).collect();
    Some(ties[rng.below(ties.len())])
}

/// One report of those of all workers.
pub(super) fn select(reports: Vec<Found>, selection: Selection, seed: u64) -> Option<Found> {
    let mut rng = Rng::new(seed);
    match selection {
        Selection::Deepest => deepest(&reports, &mut rng).and_then(|at| reports.into_iter().nth(at)),
        Selection::Measured => add_up(reports, &mut rng),
    }
}

/// What was found, unless its move is refuted and another one is not: then the best of those that are left.
pub(super) fn better_than_refuted(mut found: Found, proof: &Found) -> Found {
    let refuted = |mv: Move, value: f32| proof.moves.iter().any(|c| c.mv == mv && c.proven && c.value < value);
    let Some(mv) = found.mv.filter(|_| !found.proven) else { return found };
    let left = found.moves.iter().filter(|choice| !refuted(choice.mv, choice.value));
    let best = left.max_by(|a, b| (a.visits, a.value).partial_cmp(&(b.visits, b.value)).unwrap_or(Ordering::Equal));
    let Some(best) = best.copied().filter(|_| refuted(mv, found.value)) else { return found };
    let sure = proof.moves.iter().find(|choice| choice.mv == mv).map_or(0.0, |choice| choice.value);
    // What is sure may still be better than what is expected of all others.
    if best.value > sure {
        (found.mv, found.value, found.line) = (Some(best.mv), best.value, Vec::new());
        found.moves.iter_mut().for_each(|choice| choice.share = if choice.mv == best.mv { 1.0 } else { 0.0 });
    }
    found
}

/// Several reports of the same kind of search as one: proofs first, then visits and mixtures added up.
pub fn add_up(mut reports: Vec<Found>, rng: &mut Rng) -> Option<Found> {
    reports.retain(|report| report.mv.is_some());
    let best = |a: &Found, b: &Found| a.value.total_cmp(&b.value);
    if reports.iter().any(|report| report.proven) {
        return reports.into_iter().filter(|report| report.proven).max_by(best);
    }
    let visits = |report: &Found| report.moves.iter().map(|choice| choice.visits).sum::<u64>();
    let first = (0..reports.len()).max_by_key(|&at| (reports[at].depth, visits(&reports[at])))?;
    // Searches without random games do not visit in proportion to worth: the deepest of them speaks alone.
    let trees = reports.iter().all(|report| report.playouts > 0 && report.moves.len() == reports[0].moves.len());
    let mixed = reports.iter().any(|report| report.moves.iter().any(|choice| choice.share > 0.0 && choice.share < 1.0));
    if !trees || reports.len() == 1 {
        let mut found = reports.swap_remove(first);
        found.playouts += reports.iter().map(|report| report.playouts).sum::<u64>();
        found.nodes += reports.iter().map(|report| report.nodes).sum::<u64>();
        return Some(found);
    }
    let mut moves: Vec<Choice> = reports[0].moves.clone();
    for (at, choice) in moves.iter_mut().enumerate() {
        let all = reports.iter().map(|report| report.moves[at]);
        if let Some(sure) = all.clone().find(|choice| choice.proven) {
            *choice = Choice { visits: all.map(|choice| choice.visits).sum(), ..sure };
            continue;
        }
        let visits: u64 = all.clone().map(|choice| choice.visits).sum();
        let sum: f64 = all.map(|choice| f64::from(choice.value) * choice.visits as f64).sum();
        (choice.visits, choice.value) = (visits, if visits > 0 { (sum / visits as f64) as f32 } else { 0.0 });
    }
    let best = if mixed {
        for (at, choice) in moves.iter_mut().enumerate() {
            choice.share = reports.iter().map(|report| report.moves[at].share).sum::<f32>() / reports.len() as f32;
        }
        draw(&moves.iter().map(|choice| choice.share).collect::<Vec<_>>(), rng)
    } else {
        let best = best_choice(&moves);
        moves.iter_mut().enumerate().for_each(|(at, choice)| choice.share = if at == best { 1.0 } else { 0.0 });
        best
    };
    let proven = moves[best].proven && (moves[best].value >= 100.0 || moves.iter().all(|choice| choice.proven));
    let line = reports.iter().find(|report| report.mv == Some(moves[best].mv)).map_or(Vec::new(), |r| r.line.clone());
    Some(Found {
        mv: Some(moves[best].mv),
        value: moves[best].value,
        proven,
        depth: reports[first].depth,
        nodes: reports.iter().map(|report| report.nodes).sum(),
        playouts: reports.iter().map(|report| report.playouts).sum(),
        line,
        moves,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(mv: u32, value: f32, visits: u64, proven: bool) -> Choice {
        Choice { mv: Move(mv), value, visits, proven, share: 0.0 }
    }

    fn found(mv: u32, value: f32, moves: &[Choice]) -> Found {
        Found { mv: Some(Move(mv)), value, moves: moves.to_vec(), ..Found::default() }
    }

    #[test]
    fn a_refuted_move_gives_way_to_one_that_is_left() {
        let tree = found(0, 60.0, &[choice(0, 60.0, 90, false), choice(1, 40.0, 9, false), choice(2, 45.0, 5, false)]);
        let refuted = |mv: u32| found(1, 50.0, &[choice(mv, 0.0, 0, true)]);
        let left = better_than_refuted(tree.clone(), &refuted(0));
        assert_eq!((left.mv, left.value), (Some(Move(1)), 40.0));
        assert_eq!(left.moves.iter().map(|choice| choice.share).collect::<Vec<_>>(), [0.0, 1.0, 0.0]);
        // Another move's refutation changes nothing, nor does one that is worth as much as what is left.
        assert_eq!(better_than_refuted(tree.clone(), &refuted(2)), tree);
        let sure = found(1, 50.0, &[choice(0, 50.0, 0, true)]);
        assert_eq!(better_than_refuted(tree.clone(), &sure), tree);
        // Nor does it help where all is lost.
        let lost: Vec<Choice> = (0..3).map(|mv| choice(mv, 0.0, 0, true)).collect();
        assert_eq!(better_than_refuted(tree.clone(), &found(0, 0.0, &lost)), tree);
    }
}
