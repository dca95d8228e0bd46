//! The legal moves of all roles in one list, role after role, with the place at which each role's end.

use game::{Move, Role, Turn, turn_from_counts};

/// Who decides, by the number of moves of each role.
pub(crate) fn turn(over: bool, ends: &[usize]) -> Turn {
    if over {
        return Turn::Over;
    }
    let mut start = 0;
    turn_from_counts(ends.iter().map(|&end| end - std::mem::replace(&mut start, end)))
}

/// Appends the moves of one role.
pub(crate) fn moves_of(role: Role, moves: &[u32], ends: &[usize], out: &mut Vec<Move>) {
    let role = role.0 as usize;
    if let Some(&end) = ends.get(role) {
        let start = if role == 0 { 0 } else { ends[role - 1] };
        out.extend(moves[start..end].iter().map(|&number| Move(number)));
    }
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
        assert_eq!(turn(false, &ends), Turn::One(Role(0)));
        assert_eq!(turn(false, &[2, 4]), Turn::Many);
        assert_eq!(turn(true, &ends), Turn::Over);
    }
}
