//! Whether steps of the whole game are steps of a pattern's smaller game: tried on positions of random games.
//!
//! Pieces of the pattern are chosen by lot in a position, and followed through the move that was made. A move of another piece leaves
//! them *still*: the smaller game has no such step unless one may pass. A move that takes or changes one of them ends the comparison. Any
//! other move must be possible in the smaller game and lead to the same placement.

use super::board::Board;
use super::numbering::{Other, Pattern};
use super::watch::{Sample, read, turn};
use game::random::Rng;
use game::{Facts, Limit, Move, Role, Turn, roles};
use serde::Serialize;

/// What was seen.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Carried {
    /// Moves of the pattern's pieces that are moves of the smaller game too.
    pub carried: u64,
    /// Moves that left them still.
    pub still: u64,
    /// Moves that took one of them, or made something else of it.
    pub gone: u64,
    /// Moves of its pieces that the smaller game does not have.
    pub failed: u64,
    /// One of them: what the facts of the smaller position are.
    pub example: Option<Vec<String>>,
}

impl Carried {
    /// In words. None failing in 10,000 moves means at most 0.03% do, with 95% confidence.
    pub fn words(&self) -> String {
        let Carried { carried, still, failed, .. } = self;
        match (carried, failed) {
            (0, 0) => "nothing was seen of its steps".to_string(),
            (_, 0) => {
                format!("all {carried} moves of its pieces carry over (seen), {still} moves of others are passes in it")
            }
            _ => format!("{failed} of {} moves of its pieces do not carry over", carried + failed),
        }
    }
}

/// Follows moves of random games.
///
/// # Errors
/// When the engine reaches a limit.
pub fn carry<G: Facts>(
    game: &G,
    board: &Board,
    pattern: &Pattern,
    samples: &[Sample<G::State>],
    seed: u64,
) -> Result<Carried, Limit> {
    let mut rng = Rng::new(seed);
    let mut seen = Carried::default();
    let mut view = game.view();
    for sample in samples {
        if pattern.other == Other::Absent && sample.turn != pattern.mine {
            continue;
        }
        let Some(before) = pick(pattern, &sample.on_board, &mut rng) else { continue };
        let then = read(game, board, &sample.next);
        let Some(after) = follow(pattern, &before, &sample.on_board, &then) else {
            seen.gone += 1;
            continue;
        };
        if after == before {
            seen.still += 1;
            continue;
        }
        let facts = |places: &[usize]| -> Vec<(usize, u32)> {
            pattern.things.iter().zip(places).map(|(&thing, &place)| board.things[thing].places[place]).collect()
        };
        let turn = if pattern.other == Other::Absent {
            pattern.mine
        } else {
            turn(game, board, &sample.next).unwrap_or(Role(0))
        };
        let (Some(from), Some(to)) =
            (board.state(game, &facts(&before), sample.turn), board.state(game, &facts(&after), turn))
        else {
            continue;
        };
        let back = (pattern.other == Other::Absent).then_some(turn);
        if leads(game, board, &from, &to, back, &mut view)? {
            seen.carried += 1;
        } else {
            seen.failed += 1;
            seen.example.get_or_insert_with(|| game.facts(&from));
        }
    }
    Ok(seen)
}

/// Pieces for the pattern, by lot.
fn pick(pattern: &Pattern, on_board: &[Vec<usize>], rng: &mut Rng) -> Option<Vec<usize>> {
    let mut picked: Vec<(usize, usize)> = Vec::new();
    for &thing in &pattern.things {
        let left: Vec<usize> =
            on_board[thing].iter().copied().filter(|&place| !picked.contains(&(thing, place))).collect();
        picked.push((thing, *left.get(rng.below(left.len().max(1)))?));
    }
    picked.sort_unstable();
    Some(picked.into_iter().map(|(_, place)| place).collect())
}

/// Where the same pieces are afterwards; `None` if one is gone.
fn follow(pattern: &Pattern, before: &[usize], now: &[Vec<usize>], then: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut after = Vec::new();
    for (&thing, &place) in pattern.things.iter().zip(before) {
        if then[thing].contains(&place) {
            after.push((thing, place));
            continue;
        }
        let mut fresh = then[thing].iter().filter(|place| !now[thing].contains(place));
        let to = *fresh.next()?;
        if fresh.next().is_some() || then[thing].len() < now[thing].len() {
            return None;
        }
        after.push((thing, to));
    }
    after.sort_unstable();
    Some(after.into_iter().map(|(_, place)| place).collect())
}

/// Whether a move leads from one state to the other, as far as the board and the turn go.
fn leads<G: Facts>(
    game: &G,
    board: &Board,
    from: &G::State,
    to: &G::State,
    back: Option<Role>,
    view: &mut G::View,
) -> Result<bool, Limit> {
    game.look(from, view)?;
    if back.is_none() && game.turn(view) == Turn::Over {
        return Ok(false);
    }
    let mut legal: Vec<Vec<Move>> = vec![Vec::new(); game.roles()];
    roles(game).for_each(|role| game.legal_anyway(view, role, &mut legal[role.0 as usize]));
    if legal.iter().any(Vec::is_empty) {
        return Ok(false);
    }
    let mut joint: Vec<Move> = legal.iter().map(|moves| moves[0]).collect();
    let decides = (0..legal.len()).find(|&role| legal[role].len() > 1).unwrap_or(0);
    let mut next = from.clone();
    for &mv in &legal[decides] {
        joint[decides] = mv;
        game.play(view, &joint, &mut next)?;
        let same_turn = back.is_some() || turn(game, board, &next) == turn(game, board, to);
        if same_turn && read(game, board, &next) == read(game, board, to) {
            return Ok(true);
        }
    }
    Ok(false)
}
