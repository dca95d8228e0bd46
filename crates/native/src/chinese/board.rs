//! The cells and the ways between them: steps, jumps, and all that one piece can reach in a move.
//!
//! Every move can be taken back: a step obviously, a jump over the same piece, and so a chain of jumps from its end to
//! its beginning. The cells that a piece can reach are therefore also the cells from which it can have come, and there is one
//! generator for both directions.

use std::fmt;

/// A set of cells, one bit each.
pub type Cells = u128;

/// The most rows that fit into [`Cells`].
const MOST: usize = 11;

/// Why there is no such board or game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfit(pub String);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unfit {}

/// The number of the cell at this row and column.
pub fn cell(side: usize, row: usize, column: usize) -> u8 {
    (row * side + column) as u8
}

/// Row and column of a cell.
pub fn place(side: usize, cell: u8) -> (usize, usize) {
    (usize::from(cell) / side, usize::from(cell) % side)
}

/// The triangular corner at (0, 0) with this number of cells; `None` if the number is not triangular or too large.
pub fn corner(side: usize, pieces: usize) -> Option<Cells> {
    let rows = (1..=side).find(|rows| rows * (rows + 1) / 2 >= pieces)?;
    let within = |&(row, column): &(usize, usize)| row + column < rows;
    let all = (0..side).flat_map(|row| (0..side).map(move |column| (row, column)));
    (rows * (rows + 1) / 2 == pieces && pieces > 0)
        .then(|| all.filter(within).fold(0, |cells, (row, column)| cells | 1 << cell(side, row, column)))
}

/// As [`corner`], at the other end of the board.
pub fn far_corner(side: usize, pieces: usize) -> Option<Cells> {
    let cells = (side * side) as u32;
    corner(side, pieces).map(|near| near.reverse_bits() >> (128 - cells))
}

/// The cells of a board from home outwards: by row + column, and each cell beside its mirror image. The place of a cell in this
/// list is its number in the tables.
pub fn from_home(side: usize) -> Vec<u8> {
    let mut cells: Vec<u8> = (0..(side * side) as u8).collect();
    cells.sort_by_key(|&cell| {
        let (row, column) = place(side, cell);
        (row + column, row.abs_diff(column), row)
    });
    cells
}

/// Which cells lie beside which, and which lie behind them. The numbers of the cells may be those of the board or, after
/// [`renumbered`](Graph::renumbered), any others.
#[derive(Clone)]
pub struct Graph {
    cells: usize,
    /// The neighbours of each cell.
    near: Vec<Cells>,
    /// `land[from][over]`: the cell behind the neighbour `over`, or [`NOWHERE`].
    land: Vec<[u8; 128]>,
}

const NOWHERE: u8 = u8::MAX;
const DIRECTIONS: [(isize, isize); 6] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)];

impl Graph {
    /// The diamond with this number of rows, from 2 to 11.
    pub fn diamond(side: usize) -> Result<Graph, Unfit> {
        if !(2..=MOST).contains(&side) {
            return Err(Unfit(format!("a board of {side} rows; there are boards of 2 to {MOST} rows")));
        }
        let cells = side * side;
        let at = |row: isize, column: isize| {
            let inside = |x: isize| (0..side as isize).contains(&x);
            (inside(row) && inside(column)).then(|| cell(side, row as usize, column as usize))
        };
        let mut graph = Graph { cells, near: vec![0; cells], land: vec![[NOWHERE; 128]; cells] };
        for from in 0..cells {
            let (row, column) = ((from / side) as isize, (from % side) as isize);
            for (down, right) in DIRECTIONS {
                let Some(over) = at(row + down, column + right) else { continue };
                graph.near[from] |= 1 << over;
                if let Some(land) = at(row + 2 * down, column + 2 * right) {
                    graph.land[from][usize::from(over)] = land;
                }
            }
        }
        Ok(graph)
    }

    /// The same graph on the cells listed only, each under its place in the list. Cells left out do not exist any more:
    /// nothing stands there and nothing jumps over them or onto them.
    pub fn renumbered(&self, order: &[u8]) -> Graph {
        let mut number = [NOWHERE; 128];
        for (new, &old) in order.iter().enumerate() {
            number[usize::from(old)] = new as u8;
        }
        let mut graph = Graph { cells: order.len(), near: Vec::new(), land: Vec::new() };
        for &from in order {
            let mut near = 0;
            let mut lands = [NOWHERE; 128];
            for over in each(self.near[usize::from(from)]) {
                let new = number[usize::from(over)];
                if new == NOWHERE {
                    continue;
                }
                near |= 1 << new;
                let land = self.land[usize::from(from)][usize::from(over)];
                lands[usize::from(new)] = if land == NOWHERE { NOWHERE } else { number[usize::from(land)] };
            }
            graph.near.push(near);
            graph.land.push(lands);
        }
        graph
    }

    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// The neighbours of a cell.
    #[inline]
    pub fn near(&self, from: u8) -> Cells {
        self.near[usize::from(from)]
    }

    /// All cells to which the piece on `from` can move, or from which it can have come. `others` are all other pieces,
    /// of either colour, without the one that moves: it is off the board during a chain of jumps.
    #[inline]
    pub fn reach(&self, from: u8, others: Cells) -> Cells {
        let near = self.near[usize::from(from)];
        let steps = near & !others;
        if near & others == 0 { steps } else { steps | self.jumps(from, others) }
    }

    /// The cells that chains of one or more jumps reach; never `from` itself.
    #[inline]
    pub fn jumps(&self, from: u8, others: Cells) -> Cells {
        let start = 1 << from;
        let mut reached: Cells = start;
        let mut open = reached;
        while open != 0 {
            let at = open.trailing_zeros() as usize;
            open &= open - 1;
            let mut over = self.near[at] & others;
            while over != 0 {
                let land = self.land[at][over.trailing_zeros() as usize];
                over &= over - 1;
                if land != NOWHERE {
                    let fresh = (1 << land) & !(others | reached);
                    reached |= fresh;
                    open |= fresh;
                }
            }
        }
        reached & !start
    }

    /// Calls `seen` with every placement of one's own pieces that one move leads to: single-agent successors, which are
    /// the predecessors too. `blocks` are pieces that stand still.
    #[inline]
    pub fn successors(&self, own: Cells, blocks: Cells, mut seen: impl FnMut(u8, u8, Cells)) {
        for from in each(own) {
            let rest = own & !(1 << from);
            for to in each(self.reach(from, rest | blocks)) {
                seen(from, to, rest | 1 << to);
            }
        }
    }
}

/// The cells of a set, in order of their numbers.
#[inline]
pub fn each(mut cells: Cells) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        (cells != 0).then(|| {
            let cell = cells.trailing_zeros() as u8;
            cells &= cells - 1;
            cell
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_triangles() {
        assert_eq!(
            corner(9, 6).unwrap(),
            [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0)].map(|(r, c)| 1u128 << cell(9, r, c)).iter().sum()
        );
        assert_eq!(
            far_corner(9, 3).unwrap(),
            [(8, 8), (7, 8), (8, 7)].map(|(r, c)| 1u128 << cell(9, r, c)).iter().sum()
        );
        assert_eq!(corner(9, 5), None);
        assert_eq!(corner(9, 0), None);
        assert_eq!(corner(2, 6), None);
        assert_eq!(corner(9, 10).unwrap().count_ones(), 10);
    }

    #[test]
    fn boards_have_limits() {
        assert!(Graph::diamond(1).is_err());
        assert!(Graph::diamond(12).is_err());
        assert_eq!(Graph::diamond(11).unwrap().cells(), 121);
    }

    #[test]
    fn chains_go_both_ways() {
        let graph = Graph::diamond(6).unwrap();
        let mut rng = game::random::Rng::new(5);
        for _ in 0..2000 {
            let others = (0..10).fold(0u128, |cells, _| cells | 1 << rng.below(36));
            for from in each(!others & ((1 << 36) - 1)) {
                let reach = graph.reach(from, others);
                assert_eq!(reach & (others | 1 << from), 0);
                assert!(each(reach).all(|to| graph.reach(to, others) >> from & 1 == 1));
            }
        }
    }

    #[test]
    fn renumbering_keeps_the_moves() {
        let graph = Graph::diamond(5).unwrap();
        let order: Vec<u8> = (0..25).rev().filter(|&cell| cell != 12).collect();
        let other = graph.renumbered(&order);
        let new =
            |cells: Cells| each(cells).map(|old| 1u128 << order.iter().position(|&o| o == old).unwrap()).sum::<u128>();
        let mut rng = game::random::Rng::new(6);
        for _ in 0..500 {
            let others = (0..6).fold(0u128, |cells, _| cells | 1 << order[rng.below(24)]);
            for (at, &from) in order.iter().enumerate() {
                if others >> from & 1 == 0 {
                    // With the deleted cell as a wall, which can be neither entered nor jumped: compare where it is far away.
                    let mine = other.reach(at as u8, new(others));
                    let full = graph.reach(from, others) & !(1 << 12);
                    assert_eq!(mine & !new(full), 0, "nothing new is reached");
                    assert_eq!(graph.near(from) & !others & !(1 << 12) & !full, 0);
                }
            }
        }
    }
}
