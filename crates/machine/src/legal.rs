//! The legal moves of all roles in one list, role after role, with the place at which each role's end.

use game::{Move, Role, Turn, turn_from_counts};
use std::ops::Range;

/// Who decides, by the number of moves of each role.
pub(crate) fn turn(over: bool, ends: &[usize]) -> Turn {
    if over {
        return Turn::Over;
    }
    let mut start = 0;
    turn_from_counts(ends.iter().map(|&end| end - std::mem::replace(&mut start, end)))
}

/// The places of one role's moves in the list; none for a role that has no entry.
pub(crate) fn range(role: Role, ends: &[usize]) -> Range<usize> {
    let role = role.0 as usize;
    let start = if role == 0 { 0 } else { ends.get(role - 1).copied().unwrap_or(0) };
    start..ends.get(role).copied().unwrap_or(start)
}

/// Appends the moves of one role.
pub(crate) fn moves_of(role: Role, moves: &[u32], ends: &[usize], out: &mut Vec<Move>) {
    out.extend(moves[range(role, ends)].iter().map(|&number| Move(number)));
}

/// The move of this number, if it is among those of the role.
pub(crate) fn find(role: Role, moves: &[u32], ends: &[usize], number: u32) -> Option<Move> {
    moves[range(role, ends)].contains(&number).then_some(Move(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_have_their_own_moves() {
        let (moves, ends) = ([7, 8, 9], [2, 2, 3]);
        let of = |role| {
            let mut out = Vec::new();
            moves_of(Role(role), &moves, &ends, &mut out);
            out
        };
        assert_eq!((of(0), of(1), of(2), of(3)), (vec![Move(7), Move(8)], vec![], vec![Move(9)], vec![]));
        let find = |role, number| find(Role(role), &moves, &ends, number);
        assert_eq!((find(0, 8), find(1, 8), find(2, 8), find(3, 8)), (Some(Move(8)), None, None, None));
        assert_eq!(turn(false, &ends), Turn::One(Role(0)));
        assert_eq!(turn(false, &[2, 4]), Turn::Many);
        assert_eq!(turn(true, &ends), Turn::Over);
    }
}
