//! One ply ahead, for those who had no time to search: a move that wins at once, else one after which the other cannot win at once.

use agent::{Position, opening};
use anyhow::Result;
use game::{Goal, Move, Role, roles};
use machine::{Engine, State};
use std::time::{Duration, Instant};

/// What it may take; it is needed where the time is over.
const TIME: Duration = Duration::from_millis(50);
/// What a game that goes on is worth.
const OPEN: Goal = 50;
/// What a won game is worth.
const WON: Goal = 100;

/// The best of these legal moves of a role at first sight, the first of several that are equal. What there was no time to look at counts as
/// a game that goes on.
pub fn best(engine: &Engine, state: &State, role: Role, moves: &[Move]) -> Option<Move> {
    let until = Instant::now() + TIME;
    let mut found: Vec<(Goal, Move)> = Vec::new();
    for &mv in moves.iter().take_while(|_| Instant::now() < until) {
        let end = after(engine, state, role, mv).and_then(|mut next| goal_at_end(&mut next, role));
        match end {
            Ok(Some(WON)) => return Some(mv),
            end => found.push((end.ok().flatten().unwrap_or(OPEN), mv)),
        }
    }
    for (goal, mv) in found.iter_mut().filter(|(goal, _)| *goal == OPEN) {
        if Instant::now() < until {
            *goal = after(engine, state, role, *mv).and_then(|next| worst_reply(next, role)).unwrap_or(OPEN);
        }
    }
    let most = found.iter().map(|(goal, _)| *goal).max()?;
    found.iter().find(|(goal, _)| *goal == most).map(|(_, mv)| *mv)
}

/// The next position in which somebody decides, or the end.
fn after(engine: &Engine, state: &State, role: Role, mv: Move) -> Result<Position> {
    let mut next = Position::new(engine.clone(), state.clone());
    let mut joint = Vec::new();
    for other in roles(engine) {
        let own = if other == role { Some(mv) } else { next.legal(other)?.first().copied() };
        joint.extend(own);
    }
    next.play(&joint)?;
    opening::settle(&mut next)?;
    Ok(next)
}

fn goal_at_end(position: &mut Position, role: Role) -> Result<Option<Goal>> {
    Ok(if position.is_over()? { position.goals()?[usize::from(role.0)] } else { None })
}

/// The least that the role gets if the other one ends the game with its next move; as a game that goes on if none does.
fn worst_reply(mut position: Position, role: Role) -> Result<Goal> {
    let engine = position.engine().clone();
    let mut worst = OPEN;
    for other in roles(&engine).filter(|other| *other != role) {
        for mv in position.legal(other)? {
            let mut next = after(&engine, position.state(), other, mv)?;
            worst = worst.min(goal_at_end(&mut next, role)?.unwrap_or(OPEN));
        }
    }
    Ok(worst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent::Opening;
    use game::Names;

    #[test]
    fn wins_are_taken_and_losses_parried() {
        let rules = gdl::parse(library::find("connect-four").expect("it is in the library").rules).rules;
        let engine = machine::Loader::new(&rules).best().expect("it can be played").engine;
        for (moves, role, wanted) in [
            ("4 5 4 5 4 5", Role(0), "(drop 4)"),
            // Before it is parried, it is won.
            ("4 5 4 5 4 5 1", Role(1), "(drop 5)"),
            ("7 5 7 5 7", Role(1), "(drop 7)"),
            ("", Role(0), "(drop 1)"),
        ] {
            let mut position = Position::start(engine.clone());
            if let Opening::Moves(moves) = Opening::from_moves(moves) {
                opening::follow(&mut position, &moves).expect("legal moves");
            }
            opening::settle(&mut position).expect("no limit");
            let legal = position.legal(role).expect("no limit");
            let found = best(&engine, position.state(), role, &legal).expect("a move");
            assert_eq!(engine.move_text(found), wanted, "{moves}");
            assert_eq!(best(&engine, position.state(), role, &[]), None);
        }
    }
}
