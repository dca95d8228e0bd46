//! The geometry of the board as tables: what a man attacks on an empty board, what lies between and behind.

/// What a king attacks.
pub static KING: [u64; 64] = leaper(&[(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]);
/// What a knight attacks.
pub static KNIGHT: [u64; 64] = leaper(&[(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
/// What a rook attacks on an empty board.
pub static ROOK: [u64; 64] = slider(&[(1, 0), (0, 1), (-1, 0), (0, -1)]);
/// What a bishop attacks on an empty board.
pub static BISHOP: [u64; 64] = slider(&[(1, 1), (-1, 1), (-1, -1), (1, -1)]);
/// What a queen attacks on an empty board.
pub static QUEEN: [u64; 64] = slider(&[(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]);
/// What a pawn attacks, white first.
pub static PAWN: [[u64; 64]; 2] = [leaper(&[(-1, 1), (1, 1)]), leaper(&[(-1, -1), (1, -1)])];
/// `BEHIND[from][at]`: the squares that a man on `at` hides from `from`; empty if the two are not on a line.
pub static BEHIND: [[u64; 64]; 64] = lines().0;
/// `BETWEEN[a][b]`: the squares strictly between two squares; empty if they are not on a line.
pub static BETWEEN: [[u64; 64]; 64] = lines().1;

/// The set of one square.
#[inline]
pub const fn bit(square: u8) -> u64 {
    1 << square
}

/// The squares of a set, in ascending order.
#[inline]
pub fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let square = set.trailing_zeros() as u8;
        set &= set - 1;
        Some(square)
    })
}

/// What a sliding man sees from `from`, given what it sees on an empty board and the occupied squares.
#[inline]
pub fn sees(empty: u64, from: u8, occupied: u64) -> u64 {
    let mut seen = empty;
    let mut blockers = empty & occupied;
    while blockers != 0 {
        seen &= !BEHIND[from as usize][blockers.trailing_zeros() as usize];
        blockers &= blockers - 1;
        blockers &= seen;
    }
    seen
}

/// What a rook sees from `from`.
#[inline]
pub fn straights(from: u8, occupied: u64) -> u64 {
    along(&LINES[from as usize][0], occupied) | along(&LINES[from as usize][1], occupied)
}

/// What a bishop sees from `from`.
#[inline]
pub fn diagonals(from: u8, occupied: u64) -> u64 {
    along(&LINES[from as usize][2], occupied) | along(&LINES[from as usize][3], occupied)
}

/// The squares of a line through a square that come before it and after it.
type Line = [u64; 2];

/// The rank, the file, the rising and the falling diagonal through each square.
static LINES: [[Line; 4]; 64] = through();

/// What is seen on a line up to the first man on either side. Taking away the greatest square below from twice the least
/// one above leaves ones from the former to the latter, without a branch.
#[inline]
fn along(line: &Line, occupied: u64) -> u64 {
    let [before, after] = *line;
    let below = 1 << (63 - ((before & occupied) | 1).leading_zeros());
    let above = (after & occupied) & (after & occupied).wrapping_neg();
    (before | after) & above.wrapping_mul(2).wrapping_sub(below)
}

const fn through() -> [[Line; 4]; 64] {
    let steps = [(1, 0), (0, 1), (1, 1), (-1, 1)];
    let mut table = [[[0; 2]; 4]; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < 4 {
            let (file, rank) = steps[i];
            table[square as usize][i] = [ray(square, -file, -rank), ray(square, file, rank)];
            i += 1;
        }
        square += 1;
    }
    table
}

const fn ray(square: i32, file_step: i32, rank_step: i32) -> u64 {
    let (mut file, mut rank) = (square % 8 + file_step, square / 8 + rank_step);
    let mut ray = 0;
    while on_board(file, rank) {
        ray |= 1 << (rank * 8 + file);
        file += file_step;
        rank += rank_step;
    }
    ray
}

const fn on_board(file: i32, rank: i32) -> bool {
    file >= 0 && file < 8 && rank >= 0 && rank < 8
}

const fn leaper(steps: &[(i32, i32)]) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < steps.len() {
            let (file, rank) = (square % 8 + steps[i].0, square / 8 + steps[i].1);
            if on_board(file, rank) {
                table[square as usize] |= 1 << (rank * 8 + file);
            }
            i += 1;
        }
        square += 1;
    }
    table
}

const fn slider(steps: &[(i32, i32)]) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < steps.len() {
            let (mut file, mut rank) = (square % 8 + steps[i].0, square / 8 + steps[i].1);
            while on_board(file, rank) {
                table[square as usize] |= 1 << (rank * 8 + file);
                file += steps[i].0;
                rank += steps[i].1;
            }
            i += 1;
        }
        square += 1;
    }
    table
}

type Lines = [[u64; 64]; 64];

const fn lines() -> (Lines, Lines) {
    let steps = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];
    let (mut behind, mut between) = ([[0; 64]; 64], [[0; 64]; 64]);
    let mut square: i32 = 0;
    while square < 64 {
        let mut i = 0;
        while i < 8 {
            let (mut file, mut rank) = (square % 8 + steps[i].0, square / 8 + steps[i].1);
            let mut ray = 0u64;
            while on_board(file, rank) {
                let at = rank * 8 + file;
                between[square as usize][at as usize] = ray;
                ray |= 1 << at;
                file += steps[i].0;
                rank += steps[i].1;
            }
            let mut left = ray;
            while left != 0 {
                let at = left.trailing_zeros() as usize;
                behind[square as usize][at] = ray & !(between[square as usize][at] | (1 << at));
                left &= left - 1;
            }
            i += 1;
        }
        square += 1;
    }
    (behind, between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_seen_as_by_walking_along_them() {
        let mut occupied = 0x1234_5678_9abc_def1u64;
        for _ in 0..200 {
            occupied = occupied.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let few = occupied & occupied.rotate_left(17);
            for from in 0..64u8 {
                for set in [occupied, few, 0, !0] {
                    assert_eq!(straights(from, set), sees(ROOK[from as usize], from, set));
                    assert_eq!(diagonals(from, set), sees(BISHOP[from as usize], from, set));
                }
            }
        }
    }

    #[test]
    fn rays_stop_at_the_first_man() {
        // Rook a1, men on a3 and c1.
        assert_eq!(sees(ROOK[0], 0, bit(16) | bit(2)), bit(8) | bit(16) | bit(1) | bit(2));
        assert_eq!(BEHIND[0][18], bit(27) | bit(36) | bit(45) | bit(54) | bit(63));
        assert_eq!(BETWEEN[0][18], bit(9));
        assert_eq!(BETWEEN[0][17], 0);
    }
}
