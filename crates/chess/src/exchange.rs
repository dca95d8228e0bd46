//! What a capture comes to when both sides take and take back on one square.

use native::chess::geometry::bit;
use native::chess::{Kind, Position, Step};

/// What men are worth when they are exchanged, by kind.
pub(crate) const WORTH: [i32; 6] = [10_000, 950, 500, 330, 320, 100];

/// What the side to move gains with a capture or promotion if both sides go on taking on its square as long as it pays,
/// each with its least man. Pins are not looked at.
pub(crate) fn gain(position: &Position, step: &Step) -> i32 {
    let mut occupied = position.occupied() & !bit(step.from);
    if step.passing {
        occupied &= !bit(step.to ^ 8);
    }
    let mut standing = step.promotion.unwrap_or(step.kind);
    let promoted = step.promotion.map_or(0, |kind| WORTH[kind as usize] - WORTH[Kind::Pawn as usize]);
    let mut gains = [0; 32];
    gains[0] = step.taken.map_or(0, |kind| WORTH[kind as usize]) + promoted;
    let (mut count, mut turn) = (1, position.turn.other());
    while count < gains.len() {
        let attackers = position.attackers(turn, step.to, occupied) & occupied;
        let kinds = Kind::ALL.into_iter().rev();
        let Some((kind, men)) =
            kinds.map(|kind| (kind, attackers & position.men[turn as usize][kind as usize])).find(|(_, men)| *men != 0)
        else {
            break;
        };
        gains[count] = WORTH[standing as usize] - gains[count - 1];
        standing = kind;
        occupied &= !(men & men.wrapping_neg());
        turn = turn.other();
        count += 1;
    }
    // Going back, each side takes only if that is better than to stop.
    while count > 1 {
        count -= 1;
        gains[count - 1] = gains[count - 1].min(-gains[count]);
    }
    gains[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_on_one_square() {
        for (fen, uci, worth) in [
            // A free pawn; a guarded one taken by a rook; by a pawn; behind a battery.
            ("4k3/8/8/3p4/8/8/8/3RK3 w - -", "d1d5", 100),
            ("3rk3/8/8/3p4/8/8/8/3RK3 w - -", "d1d5", -400),
            ("3rk3/8/8/3p4/4P3/8/8/3RK3 w - -", "e4d5", 100),
            ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - -", "d2d5", 100),
            ("4k3/8/4p3/3n4/8/1B6/8/4K3 w - -", "b3d5", -10),
            // En passant, a promotion that is taken, and one that is not.
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6", 100),
            ("1r2k3/P7/8/8/8/8/8/4K3 w - -", "a7b8q", 500 + 850),
            ("r3k3/1P6/8/8/8/8/8/4K3 w - -", "b7b8q", -100),
            // A king takes only what nobody guards.
            ("8/8/8/3pk3/8/8/8/3RK3 w - -", "d1d5", -400),
            ("8/8/8/3pk3/8/8/3R4/3RK3 w - -", "d2d5", 100),
        ] {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(gain(&position, &position.read_uci(uci).unwrap()), worth, "{fen} {uci}");
        }
    }
}
