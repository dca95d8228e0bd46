//! The three boards.

use super::{After, Bits, Board};

/// Tic-tac-toe: nine cells, a bit each. How many are empty is kept apart, so that a random choice need not wait for the
/// move before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TicTacToe {
    mine: u64,
    theirs: u64,
    empty: u64,
    left: u64,
}

/// One bit for each set of cells: whether it holds a line of three.
static LINES: [u64; 8] = {
    let lines = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
    let mut table = [0; 8];
    let mut cells = 0;
    while cells < 512 {
        let mut line = 0;
        while line < lines.len() {
            if cells & lines[line] == lines[line] {
                table[cells >> 6] |= 1 << (cells & 63);
            }
            line += 1;
        }
        cells += 1;
    }
    table
};

impl Board for TicTacToe {
    const START: Self = TicTacToe { mine: 0, theirs: 0, empty: 0o777, left: 9 };
    const MOVES_A_WORD: Option<u64> = None;

    #[inline(always)]
    fn step<B: Bits>(self, pick: impl FnOnce(u64) -> u64) -> (Self, After) {
        let cell = B::nth(self.empty, pick(self.left));
        let mine = self.mine | cell;
        let left = self.left - 1;
        let after = if LINES[(mine >> 6) as usize & 7] >> (mine & 63) & 1 != 0 {
            After::Won
        } else if left == 0 {
            After::Drawn
        } else {
            After::GoesOn
        };
        (TicTacToe { mine: self.theirs, theirs: mine, empty: self.empty ^ cell, left }, after)
    }
}

/// Connect four with six rows and `WIDTH` columns (at most nine). A column is seven bits, the lowest cell first; the
/// seventh is always empty, so that lines do not run from one column into the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConnectFour<const WIDTH: u32> {
    mine: u64,
    theirs: u64,
}

impl<const WIDTH: u32> ConnectFour<WIDTH> {
    const BOTTOM: u64 = {
        let mut cells = 0;
        let mut column = 0;
        while column < WIDTH {
            cells |= 1 << (7 * column);
            column += 1;
        }
        cells
    };
    const ALL: u64 = Self::BOTTOM * 0b11_1111;
}

/// Whether four of these cells are in a line: up, and to the three sides on the right.
#[inline(always)]
fn four(cells: u64) -> bool {
    let up = cells & cells >> 1;
    let right = cells & cells >> 7;
    let falling = cells & cells >> 6;
    let rising = cells & cells >> 8;
    (up & up >> 2) | (right & right >> 14) | (falling & falling >> 12) | (rising & rising >> 16) != 0
}

impl<const WIDTH: u32> Board for ConnectFour<WIDTH> {
    const START: Self = ConnectFour { mine: 0, theirs: 0 };
    const MOVES_A_WORD: Option<u64> = Some(8);

    #[inline(always)]
    fn step<B: Bits>(self, pick: impl FnOnce(u64) -> u64) -> (Self, After) {
        let taken = self.mine | self.theirs;
        // Adding one at the foot of a column carries to its lowest empty cell.
        let open = (taken + Self::BOTTOM) & Self::ALL;
        let cell = B::nth(open, pick(u64::from(open.count_ones())));
        let mine = self.mine | cell;
        let after = if four(mine) {
            After::Won
        } else if taken | cell == Self::ALL {
            After::Drawn
        } else {
            After::GoesOn
        };
        (ConnectFour { mine: self.theirs, theirs: mine }, after)
    }
}

/// Breakthrough on eight by eight. The side to move always goes up: the board is turned over after every move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Breakthrough {
    mine: u64,
    theirs: u64,
}

/// All columns but the leftmost; all columns but the rightmost.
const NOT_LEFT: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_RIGHT: u64 = 0x7f7f_7f7f_7f7f_7f7f;

impl Board for Breakthrough {
    const START: Self = Breakthrough { mine: 0xffff, theirs: 0xffff << 48 };
    const MOVES_A_WORD: Option<u64> = Some(8);

    // Somebody can always move: ahead of the foremost piece there is nobody of its own side, and of the two
    // diagonals at least one is on the board.
    #[inline(always)]
    fn step<B: Bits>(self, pick: impl FnOnce(u64) -> u64) -> (Self, After) {
        let Breakthrough { mine, theirs } = self;
        let ahead = mine << 8 & !(mine | theirs);
        let left = (mine & NOT_LEFT) << 7 & !mine;
        let right = (mine & NOT_RIGHT) << 9 & !mine;
        let first = u64::from(ahead.count_ones());
        let second = first + u64::from(left.count_ones());
        let all = second + u64::from(right.count_ones());
        let k = pick(all);
        let (mut targets, mut skip, mut shift) = (ahead, 0, 8);
        if k >= first {
            (targets, skip, shift) = (left, first, 7);
        }
        if k >= second {
            (targets, skip, shift) = (right, second, 9);
        }
        let to = B::nth(targets, k - skip);
        let mine = (mine ^ to >> shift) | to;
        let theirs = theirs & !to;
        let over = (to >> 56 != 0) | (theirs == 0);
        let next = Breakthrough { mine: theirs.swap_bytes(), theirs: mine.swap_bytes() };
        (next, if over { After::Won } else { After::GoesOn })
    }
}
