//! Which placements a table for two has, their numbers, and the moves between them.

use super::super::space::{self as alone, MOST_PIECES, turned};
use super::rest::Rest;
use crate::file::identity;
use native::chinese::{Cells, Unfit, each, place};
use serde::{Deserialize, Serialize};

/// What a table is about. Sets of cells have the bit `row * side + column`; red is the first, blue the second.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    /// The number of rows, and of columns.
    pub side: usize,
    /// How many pieces red and blue have. Red never has fewer.
    pub pieces: [usize; 2],
    /// What red and what blue want to fill: as many cells as they have pieces, none in common.
    pub goals: [Cells; 2],
}

/// A [`Spec`] as it stands in files, with cells as rows and columns.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Written {
    /// The number of rows, and of columns.
    pub side: usize,
    /// How many pieces red and blue have.
    pub pieces: [usize; 2],
    /// What they want to fill.
    pub goals: [Vec<(usize, usize)>; 2],
}

impl Spec {
    /// So many pieces against so many others, in either order: red gets the greater number. The goals are the cells nearest to
    /// the corners.
    pub fn new(side: usize, pieces: usize, against: usize) -> Spec {
        let pieces = [pieces.max(against), pieces.min(against)];
        let near = pieces.map(|count| alone::Spec::new(side, count).goal);
        let far = if side <= 11 { turned(side.max(1), near[0]) } else { 0 };
        Spec { side, pieces, goals: [far, near[1]] }
    }

    /// The name of the table, unlike that of any other one.
    pub fn name(&self) -> String {
        let [red, blue] = self.pieces;
        let mut name = format!("{0}x{0}-{red}v{blue}", self.side);
        if *self != Spec::new(self.side, red, blue) {
            name += &format!("-goal-{:08x}", self.identity() as u32);
        }
        name
    }

    /// The text whose hash is the identity of the table: the rules, the index and the values.
    pub fn describe(&self) -> String {
        format!(
            "Chinese checkers for two; {0}x{0} diamond; {1} red fill {2:x}, {3} blue fill {4:x}, one of their own among them; steps and \
             chains of jumps, who cannot move passes; cells by row+column, |row-column|, row; colexicographic rank of red, then of blue among \
             the free cells; win in n plies 2n+1, loss 2n+2, draw 0, both 255",
            self.side, self.pieces[0], self.goals[0], self.pieces[1], self.goals[1]
        )
    }

    /// The table's identity.
    pub fn identity(&self) -> u64 {
        identity(&self.describe())
    }
}

impl From<&Spec> for Written {
    fn from(spec: &Spec) -> Written {
        let goals = spec.goals.map(|goal| each(goal).map(|cell| place(spec.side, cell)).collect());
        Written { side: spec.side, pieces: spec.pieces, goals }
    }
}

impl Written {
    /// What is written; `None` if it is no table.
    pub(super) fn spec(&self) -> Option<Spec> {
        let side = self.side;
        let cells = |pairs: &[(usize, usize)]| {
            pairs.iter().try_fold(0, |cells, &(row, column)| {
                (row < side && column < side && side <= 11).then(|| cells | 1u128 << (row * side + column))
            })
        };
        Some(Spec { side, pieces: self.pieces, goals: [cells(&self.goals[0])?, cells(&self.goals[1])?] })
    }
}

/// A placement: the pieces of red and of blue, as cells or, inside a [`Space`], as places.
pub type Placement = [Cells; 2];

/// Whether a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// It is not.
    No,
    /// This player (0 red, 1 blue) has won.
    Won(usize),
    /// Both goals are filled, which cannot come about.
    Both,
}

/// The placements of a [`Spec`]. Cells have their numbers from blue's goal outwards inside, called *places* as in the tables for
/// one player.
pub struct Space {
    spec: Spec,
    /// Each colour alone on the board: ranks, and the ways.
    red: alone::Space,
    /// Blue among the cells that red leaves free.
    blue: alone::Space,
    goals: Placement,
    row: u64,
    cells: usize,
}

impl Space {
    /// The placements of this table. Nothing large is made here.
    pub fn new(spec: Spec) -> Result<Space, Unfit> {
        let (side, [red, blue]) = (spec.side, spec.pieces);
        let one =
            |pieces: usize, goal: Cells| alone::Space::new(alone::Spec { goal, ..alone::Spec::new(side, pieces) });
        if blue > red {
            return Err(Unfit(format!(
                "{red} against {blue} pieces is the table of {blue} against {red}, seen from the other side"
            )));
        }
        if spec.goals[0] & spec.goals[1] != 0 {
            return Err(Unfit(format!("{red} against {blue} pieces on a board of {side} rows: the goals meet")));
        }
        let spaces = [one(red, spec.goals[0])?, one(blue, spec.goals[1])?];
        for (count, goal) in spec.pieces.into_iter().zip(spec.goals) {
            if goal.count_ones() as usize != count {
                return Err(Unfit(format!("a goal of {} cells for {count} pieces", goal.count_ones())));
            }
        }
        // A piece reaches at most its six neighbours and, by jumps, the cells whose row and column are both as odd or even as its own.
        let most = (side.div_ceil(2).pow(2) + 5) * red;
        if most > usize::from(u8::MAX) {
            return Err(Unfit(format!(
                "{red} pieces on a board of {side} rows may have more moves than a byte can count"
            )));
        }
        let [red_space, blue_space] = spaces;
        let cells = side * side;
        if red + blue > cells {
            return Err(Unfit(format!("{red} and {blue} pieces do not fit on {cells} cells")));
        }
        let row = red_space.choose(cells - red, blue);
        let goals = [red_space.goal, blue_space.goal];
        let space = Space { spec, red: red_space, blue: blue_space, goals, row, cells };
        if space.rows().checked_mul(row).is_none_or(|entries| entries > 1 << 56) {
            return Err(Unfit(format!("{red} against {blue} pieces: more placements than any table can have")));
        }
        Ok(space)
    }

    /// What it is about.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// How many placements there are; each can have either side to move.
    pub fn entries(&self) -> u64 {
        self.rows() * self.row
    }

    /// How many placements red has.
    pub fn rows(&self) -> u64 {
        self.red.entries()
    }

    /// How many placements blue has for each of them.
    pub fn row_length(&self) -> u64 {
        self.row
    }

    /// The number of a placement given by its cells; `None` if it has no entry here.
    pub fn rank_of(&self, cells: Placement) -> Option<u64> {
        self.places(cells).map(|places| self.rank(places))
    }

    /// The cells of the placement with this number.
    pub fn placement(&self, rank: u64) -> Option<Placement> {
        (rank < self.entries()).then(|| self.cells(self.unrank(rank)))
    }

    /// Cells to places, if there are as many as there should be.
    pub(super) fn places(&self, cells: Placement) -> Option<Placement> {
        let [red, blue] = [self.red.places(cells[0])?, self.red.places(cells[1])?];
        let counts = [red, blue].map(|set| set.count_ones() as usize);
        (counts == self.spec.pieces && red & blue == 0).then_some([red, blue])
    }

    /// Places to cells.
    pub(super) fn cells(&self, places: Placement) -> Placement {
        places.map(|set| self.red.cells(set))
    }

    pub(super) fn rank(&self, [red, blue]: Placement) -> u64 {
        let free = each(blue).fold(0, |set: Cells, place| set | 1 << free_number(red, place));
        self.red.rank(red) * self.row + self.blue.rank(free)
    }

    pub(super) fn unrank(&self, rank: u64) -> Placement {
        let red = self.red.unrank(rank / self.row);
        [red, self.blue_at(red, rank % self.row)]
    }

    /// The red pieces of a row.
    pub(super) fn red_at(&self, row: u64) -> Cells {
        self.red.unrank(row)
    }

    /// The blue pieces at a place of the row.
    pub(super) fn blue_at(&self, red: Cells, at: u64) -> Cells {
        let mut blue = self.blue.unrank(at);
        // From below: each red piece pushes what stands on its place or behind it by one.
        for place in each(red) {
            let before = (1 << place) - 1;
            blue = blue & before | (blue & !before) << 1;
        }
        blue
    }

    /// Whether the game is over.
    #[inline]
    pub(super) fn ended(&self, places: Placement) -> Ended {
        let all = places[0] | places[1];
        let won = |player: usize| self.goals[player] & !all == 0 && places[player] & self.goals[player] != 0;
        match [won(0), won(1)] {
            [false, false] => Ended::No,
            [true, false] => Ended::Won(0),
            [false, true] => Ended::Won(1),
            [true, true] => Ended::Both,
        }
    }

    /// How many moves a player has.
    #[inline]
    pub(super) fn count_moves(&self, places: Placement, player: usize) -> u32 {
        let all = places[0] | places[1];
        each(places[player]).map(|from| self.red.graph.reach(from, all & !(1 << from)).count_ones()).sum()
    }

    /// Calls `seen` with first and last place of each move of a player.
    pub(super) fn each_way(&self, places: Placement, player: usize, mut seen: impl FnMut(u8, u8)) {
        let all = places[0] | places[1];
        for from in each(places[player]) {
            each(self.red.graph.reach(from, all & !(1 << from))).for_each(|to| seen(from, to));
        }
    }

    /// Calls `seen` with the number of every placement that a move of the player leads to, or can have come from; with that of the
    /// placement itself, if the player cannot move and so passes.
    #[inline]
    pub(super) fn each_move(&self, places: Placement, player: usize, mut seen: impl FnMut(u64)) {
        let none = if player == 0 { self.red_moves(places, &mut seen) } else { self.blue_moves(places, &mut seen) };
        if none {
            seen(self.rank(places));
        }
    }

    /// As [`each_move`](Space::each_move), without passing: says whether there is no move.
    #[inline(always)]
    fn red_moves(&self, [red, blue]: Placement, seen: &mut impl FnMut(u64)) -> bool {
        let binomials = &self.red.binomial[..];
        let mut none = true;
        for from in each(red) {
            let others = red & !(1 << from);
            let mut reach = self.red.graph.reach(from, others | blue);
            if reach == 0 {
                continue;
            }
            none = false;
            let rest = Rest::new(binomials, each(others));
            // The blue pieces, and their numbers among what the other red pieces leave free.
            let mut pieces = [(0u8, 0u8); MOST_PIECES];
            let mut count = 0;
            for place in each(blue).take(MOST_PIECES) {
                pieces[count] = (place, free_number(others, place));
                count += 1;
            }
            while reach != 0 {
                let to = reach.trailing_zeros() as u8;
                reach &= reach - 1;
                let mut rank = rest.with(binomials, to) * self.row;
                for (at, (place, number)) in pieces[..count].iter().enumerate() {
                    rank += binomials[usize::from((number - u8::from(to < *place)) & 127)][(at + 1) & 15];
                }
                seen(rank);
            }
        }
        none
    }

    #[inline(always)]
    fn blue_moves(&self, [red, blue]: Placement, seen: &mut impl FnMut(u64)) -> bool {
        let binomials = &self.red.binomial[..];
        let row = self.red.rank(red) * self.row;
        let mut none = true;
        for from in each(blue) {
            let others = blue & !(1 << from);
            let mut reach = self.red.graph.reach(from, others | red);
            if reach == 0 {
                continue;
            }
            none = false;
            let rest = Rest::new(binomials, each(others).map(|place| free_number(red, place)));
            while reach != 0 {
                let to = reach.trailing_zeros() as u8;
                reach &= reach - 1;
                seen(row + rest.with(binomials, free_number(red, to)));
            }
        }
        none
    }

    /// How many cells the board has.
    pub fn board_cells(&self) -> usize {
        self.cells
    }
}

/// The number of a place among those that a set leaves free.
#[inline(always)]
fn free_number(taken: Cells, place: u8) -> u8 {
    let mut before = taken & ((1 << place) - 1);
    let mut number = place;
    while before != 0 {
        number -= 1;
        before &= before - 1;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ranks_are_perfect() {
        for (spec, entries) in [
            (Spec::new(4, 1, 1), 240),
            (Spec::new(4, 1, 2), 1680),
            (Spec::new(5, 2, 2), 75_900),
            (Spec::new(3, 3, 1), 504),
        ] {
            let space = Space::new(spec).unwrap();
            assert_eq!(space.entries(), entries);
            for rank in 0..entries {
                let places = space.unrank(rank);
                assert_eq!(space.rank(places), rank);
                assert_eq!(places[0] & places[1], 0);
                assert_eq!(space.rank_of(space.placement(rank).unwrap()), Some(rank));
            }
            assert_eq!(space.placement(entries), None);
        }
        // S1.7
        assert_eq!(Space::new(Spec::new(9, 3, 2)).unwrap().entries(), 256_215_960);
    }

    #[test]
    fn moves_have_the_ranks_of_their_placements() {
        let mut rng = game::random::Rng::new(3);
        for spec in [Spec::new(4, 2, 1), Spec::new(5, 3, 2), Spec::new(6, 4, 4), Spec::new(9, 3, 2), Spec::new(5, 7, 1)]
        {
            let space = Space::new(spec).unwrap();
            for _ in 0..500 {
                let places = space.unrank(rng.below(space.entries() as usize) as u64);
                for player in [0, 1] {
                    let mut found = BTreeSet::new();
                    space.each_move(places, player, |rank| assert!(found.insert(rank)));
                    let mut expected = BTreeSet::new();
                    space.red.graph.successors(places[player], places[1 - player], |_, _, next| {
                        let mut after = places;
                        after[player] = next;
                        expected.insert(space.rank(after));
                    });
                    assert_eq!(space.count_moves(places, player) as usize, expected.len());
                    if expected.is_empty() {
                        expected.insert(space.rank(places));
                    }
                    assert_eq!(found, expected);
                }
            }
        }
    }

    #[test]
    fn who_cannot_move_passes() {
        let space = Space::new(Spec::new(4, 4, 1)).unwrap();
        let cells = |list: &[(usize, usize)]| list.iter().fold(0u128, |set, (r, c)| set | 1 << (r * 4 + c));
        let places = space.places([cells(&[(0, 1), (1, 0), (0, 2), (2, 0)]), cells(&[(0, 0)])]).unwrap();
        let mut found = Vec::new();
        space.each_move(places, 1, |rank| found.push(rank));
        assert_eq!(found, [space.rank(places)]);
        assert_eq!(space.count_moves(places, 1), 0);
    }

    #[test]
    fn impossible_tables_are_refused() {
        for spec in [
            Spec::new(9, 0, 0),
            Spec::new(9, 11, 1),
            Spec::new(9, 2, 0),
            Spec::new(2, 3, 2),
            Spec::new(1, 1, 1),
            Spec::new(20, 3, 2),
            Spec::new(9, 9, 1),
        ] {
            assert!(Space::new(spec.clone()).is_err(), "{spec:?}");
        }
        let spec = Spec::new(9, 3, 2);
        assert!(Space::new(Spec { goals: [0b111, 0b11], ..spec.clone() }).is_err(), "goals meet");
        assert!(Space::new(Spec { goals: [0b11 << 20, 0b11], ..spec.clone() }).is_err(), "a goal too small");
        assert!(Space::new(Spec { pieces: [2, 3], ..spec.clone() }).is_err(), "the other way round");
        let other = Spec { goals: [0b111 << 20, 0b11], ..spec.clone() };
        assert!(other.name().starts_with("9x9-3v2-goal-"));
        assert_eq!((spec.name(), Spec::new(9, 2, 3)), ("9x9-3v2".to_string(), spec.clone()));
        assert_eq!(Written::from(&spec).spec(), Some(spec));
    }

    #[test]
    fn ends_are_those_of_the_game() {
        use native::chinese::{ChineseCheckers, State, Win};
        for pieces in [[2, 1], [2, 2], [3, 2]] {
            let game = ChineseCheckers::between(4, pieces, Win::Filled, None).unwrap();
            let space = Space::new(Spec::new(4, pieces[0], pieces[1])).unwrap();
            for rank in 0..space.entries() {
                let state = State { pieces: space.placement(rank).unwrap(), turn: 0, step: 1 };
                let ended = match [0, 1].map(|player| game.won(&state, player)) {
                    [false, false] => Ended::No,
                    [true, true] => Ended::Both,
                    [red, _] => Ended::Won(usize::from(!red)),
                };
                assert_eq!(space.ended(space.unrank(rank)), ended);
            }
        }
    }
}
