//! The board as fast players see it: cells numbered by rows, so that "farther ahead" is a comparison of bits.
//!
//! A *row* is all cells with the same row + column of the diamond; blue goes home to row 0, red to the last one. Cells have the numbers
//! of the distance table, from row 0 outwards, called *places* as there: what blue looks up is its set of places as it is.

use super::board::{Cells, Graph, each, from_home, place};
use super::rules::{ChineseCheckers, State, Win};

/// Which moves are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Allowed {
    /// Every legal move.
    All,
    /// Moves that do not lose a row.
    NonBackward,
    /// Moves that win a row.
    #[default]
    Forward,
}

/// A position, with sets of places.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// The pieces of red and of blue.
    pub pieces: [Cells; 2],
    /// Whose turn it is: 0 red, 1 blue.
    pub turn: usize,
}

impl Position {
    /// After a move of the player whose turn it is.
    #[inline]
    pub fn after(&self, (from, to): (u8, u8)) -> Position {
        let mut next = *self;
        next.pieces[self.turn] ^= 1 << from | 1 << to;
        next.turn ^= 1;
        next
    }
}

/// See the module.
pub struct Arena {
    side: usize,
    win: Win,
    pieces: usize,
    graph: Graph,
    /// The cell of each place, and the place of each cell.
    cells: Vec<u8>,
    places: [u8; 128],
    /// The place that the other player sees here.
    turned: [u8; 128],
    /// The row of each place, from 0.
    row: [u8; 128],
    /// The places of each row.
    rows: Vec<Cells>,
    /// `ahead[player][place]`: places that lie farther ahead for the player; `level`: those in the same row.
    ahead: [[Cells; 128]; 2],
    level: [Cells; 128],
    targets: [Cells; 2],
}

impl Arena {
    /// The board of a game.
    pub fn new(game: &ChineseCheckers) -> Arena {
        let side = game.side();
        let cells = from_home(side);
        let (mut places, mut turned, mut row) = ([0; 128], [0; 128], [0; 128]);
        let mut rows = vec![0; 2 * side - 1];
        for (at, &cell) in cells.iter().enumerate() {
            let (down, right) = place(side, cell);
            places[usize::from(cell)] = at as u8;
            row[at] = (down + right) as u8;
            rows[down + right] |= 1 << at;
        }
        let last = (side * side - 1) as u8;
        for (at, &cell) in cells.iter().enumerate() {
            turned[at] = places[usize::from(last - cell)];
        }
        let (mut ahead, mut level) = ([[0; 128]; 2], [0; 128]);
        for at in 0..cells.len() {
            let here = usize::from(row[at]);
            ahead[0][at] = rows[here + 1..].iter().fold(0, |all, row| all | row);
            ahead[1][at] = rows[..here].iter().fold(0, |all, row| all | row);
            level[at] = rows[here];
        }
        let mut arena = Arena {
            side,
            win: game.win(),
            pieces: game.target(0).count_ones() as usize,
            graph: game.graph().renumbered(&cells),
            cells,
            places,
            turned,
            row,
            rows,
            ahead,
            level,
            targets: [0; 2],
        };
        arena.targets = [0, 1].map(|player| arena.to_places(game.target(player)));
        arena
    }

    /// Rows of the diamond, and columns.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Pieces a side.
    pub fn pieces(&self) -> usize {
        self.pieces
    }

    /// A state of the game as a position.
    pub fn position(&self, state: &State) -> Position {
        Position { pieces: state.pieces.map(|cells| self.to_places(cells)), turn: usize::from(state.turn) }
    }

    fn to_places(&self, cells: Cells) -> Cells {
        each(cells).fold(0, |all, cell| all | 1 << self.places[usize::from(cell)])
    }

    /// The cells between which a move goes.
    pub fn move_cells(&self, (from, to): (u8, u8)) -> (u8, u8) {
        (self.cells[usize::from(from)], self.cells[usize::from(to)])
    }

    /// A player's pieces as places that go home to place 0: what is looked up in a table.
    #[inline]
    pub fn seen_by(&self, player: usize, places: Cells) -> Cells {
        if player == 1 { places } else { each(places).fold(0, |all, at| all | 1 << self.turned[usize::from(at)]) }
    }

    /// A place as a player sees it who goes home to place 0.
    #[inline]
    pub fn place_seen_by(&self, player: usize, place: u8) -> u8 {
        if player == 1 { place } else { self.turned[usize::from(place)] }
    }

    /// Whether the players have passed each other: every piece of red lies ahead of every piece of blue.
    #[inline]
    pub fn passed(&self, position: &Position) -> bool {
        let [red, blue] = position.pieces;
        let rear = self.row[red.trailing_zeros() as usize & 127];
        let front = self.row[(127 - blue.leading_zeros().min(127)) as usize];
        rear > front
    }

    /// The row of a place as its player counts, 0 at home.
    #[inline]
    pub fn rows_left(&self, player: usize, place: u8) -> u32 {
        let row = u32::from(self.row[usize::from(place)]);
        if player == 1 { row } else { 2 * (self.side as u32 - 1) - row }
    }

    /// The same of a cell.
    #[inline]
    pub fn cell_rows_left(&self, player: usize, cell: u8) -> u32 {
        self.rows_left(player, self.places[usize::from(cell)])
    }

    /// The rows that all pieces of a player have left, added up.
    #[inline]
    pub fn total_left(&self, player: usize, places: Cells) -> u32 {
        each(places).map(|at| self.rows_left(player, at)).sum()
    }

    /// Whether a player has won.
    #[inline]
    pub fn won(&self, position: &Position, player: usize) -> bool {
        let (own, target) = (position.pieces[player], self.targets[player]);
        match self.win {
            Win::Filled => own & target != 0 && target & !(position.pieces[0] | position.pieces[1]) == 0,
            Win::Home => own & !target == 0,
        }
    }

    /// Who has won, if anybody. Where both have (which the rules give no goal), nobody.
    #[inline]
    pub fn winner(&self, position: &Position) -> Option<usize> {
        match [0, 1].map(|player| self.won(position, player)) {
            [true, false] => Some(0),
            [false, true] => Some(1),
            _ => None,
        }
    }

    /// Whether the game is over.
    #[inline]
    pub fn over(&self, position: &Position) -> bool {
        self.won(position, 0) || self.won(position, 1)
    }

    /// Whether all pieces stand on their sides of the middle row, past each other (S3.12). A piece in the middle row is on
    /// neither side.
    #[inline]
    pub fn apart(&self, position: &Position) -> bool {
        let middle = self.side - 1;
        let red = self.ahead[0][self.rows[middle].trailing_zeros() as usize];
        let blue = self.ahead[1][self.rows[middle].trailing_zeros() as usize];
        position.pieces[0] & !red == 0 && position.pieces[1] & !blue == 0
    }

    /// Where the piece on a place can go, all legal moves.
    #[inline]
    pub fn reach(&self, position: &Position, from: u8) -> Cells {
        self.graph.reach(from, (position.pieces[0] | position.pieces[1]) & !(1 << from))
    }

    /// The part of what a piece of a player can reach that is allowed.
    #[inline]
    pub fn allowed(&self, player: usize, from: u8, reach: Cells, allowed: Allowed) -> Cells {
        let from = usize::from(from);
        match allowed {
            Allowed::All => reach,
            Allowed::NonBackward => reach & (self.ahead[player][from] | self.level[from]),
            Allowed::Forward => reach & self.ahead[player][from],
        }
    }

    /// The moves of whose turn it is that are allowed. Where there is none, sideways moves, and where there is none of these
    /// either, all.
    pub fn moves(&self, position: &Position, allowed: Allowed, out: &mut Vec<(u8, u8)>) {
        out.clear();
        let mut wanted = allowed;
        loop {
            for from in each(position.pieces[position.turn]) {
                let reach = self.allowed(position.turn, from, self.reach(position, from), wanted);
                out.extend(each(reach).map(|to| (from, to)));
            }
            wanted = match wanted {
                _ if !out.is_empty() => return,
                Allowed::Forward => Allowed::NonBackward,
                Allowed::NonBackward => Allowed::All,
                Allowed::All => return,
            };
        }
    }

    /// The places of one row.
    #[inline]
    pub fn row_of(&self, place: u8) -> Cells {
        self.level[usize::from(place)]
    }

    /// Of a set of places that is not empty one that lies farthest ahead for a player.
    #[inline]
    pub fn foremost(player: usize, places: Cells) -> u8 {
        if player == 0 { 127 - places.leading_zeros() as u8 } else { places.trailing_zeros() as u8 }
    }
}
