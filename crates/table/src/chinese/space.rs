//! Which placements a table has, and their numbers.

use crate::file::identity;
use native::chinese::{Cells, Graph, Unfit, from_home, place};
use serde::{Deserialize, Serialize};

/// The most pieces a table can have.
pub(super) const MOST_PIECES: usize = 10;

/// What a table is about. All sets of cells have the bit `row * side + column`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    /// The number of rows, and of columns.
    pub side: usize,
    /// How many pieces.
    pub pieces: usize,
    /// Where they want to be: all of them inside.
    pub goal: Cells,
    /// Cells that do not exist: nothing stands there, nothing jumps over them.
    pub deleted: Cells,
    /// Only placements whose rearmost piece is at this cell or nearer to home, counting cells from the rearmost, 0.
    /// Moves that leave them are forbidden, so with a `start` above 0 the distances are upper bounds.
    pub start: usize,
}

/// A [`Spec`] as it stands in files, with cells as rows and columns.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Written {
    /// The number of rows, and of columns.
    pub side: usize,
    /// How many pieces.
    pub pieces: usize,
    /// Where they want to be.
    pub goal: Vec<(usize, usize)>,
    /// Cells that do not exist.
    pub deleted: Vec<(usize, usize)>,
    /// The first start.
    pub start: usize,
    /// Whether the distances are upper bounds, since moves that leave the section are forbidden.
    pub bounds: bool,
}

impl Spec {
    /// The whole table for so many pieces, with the cells nearest to the corner as the goal (a triangle for 1, 3, 6, 10 …).
    pub fn new(side: usize, pieces: usize) -> Spec {
        let goal = from_home(side.min(11)).into_iter().take(pieces).fold(0, |goal, cell| goal | 1u128 << cell);
        Spec { side, pieces, goal, deleted: 0, start: 0 }
    }

    /// Only the placements from this start cell on.
    pub fn from_start(self, start: usize) -> Spec {
        Spec { start, ..self }
    }

    /// The name of the table, unlike that of any other one.
    pub fn name(&self) -> String {
        let mut name = format!("{0}x{0}-{1}", self.side, self.pieces);
        if self.start > 0 {
            name += &format!("-from-{}", self.start);
        }
        if (Spec { start: 0, ..self.clone() }) != Spec::new(self.side, self.pieces) {
            name += &format!("-goal-{:08x}", identity(&self.describe()) as u32);
        }
        name
    }

    /// The text whose hash is the identity of the table: the rules, the index and the values.
    pub fn describe(&self) -> String {
        format!(
            "Chinese checkers alone; {0}x{0} diamond without {1:x}; {2} pieces; all inside {3:x}; steps and chains of jumps; \
             cells by row+column, |row-column|, row; colexicographic rank; start {4}; moves in one byte",
            self.side, self.deleted, self.pieces, self.goal, self.start
        )
    }

    /// The table's identity.
    pub fn identity(&self) -> u64 {
        identity(&self.describe())
    }
}

impl From<&Spec> for Written {
    fn from(spec: &Spec) -> Written {
        let pairs = |cells: Cells| (0..128).filter(|c| cells >> c & 1 == 1).map(|c| place(spec.side, c)).collect();
        Written {
            side: spec.side,
            pieces: spec.pieces,
            goal: pairs(spec.goal),
            deleted: pairs(spec.deleted),
            start: spec.start,
            bounds: spec.start > 0,
        }
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
        let (goal, deleted) = (cells(&self.goal)?, cells(&self.deleted)?);
        Some(Spec { side, pieces: self.pieces, goal, deleted, start: self.start })
    }
}

/// A set of cells seen from the other side of the board: what is home for one player is the far corner for the other.
pub fn turned(side: usize, cells: Cells) -> Cells {
    cells.reverse_bits() >> (128 - (side * side) as u32)
}

/// The placements of a [`Spec`]: their numbers, their symmetry, the ways between them.
///
/// Inside, cells have their numbers from home outwards, called *places* here, and sets of cells are sets of places.
pub struct Space {
    spec: Spec,
    /// All places with their cells, without those before the start.
    order: Vec<u8>,
    /// How many places the table without a start would have.
    all: usize,
    number: [u8; 128],
    pub(super) graph: Graph,
    pub(super) goal: Cells,
    /// `binomial[p][j]` = C(p, j).
    pub(super) binomial: Vec<[u64; 16]>,
    pub(super) below: [Cells; 128],
    /// The lower place of each pair of mirror images, or no place at all where goal or holes are not symmetric.
    lower: Cells,
}

const NONE: u8 = u8::MAX;

impl Space {
    /// The placements of this table. Nothing large is made here.
    pub fn new(spec: Spec) -> Result<Space, Unfit> {
        let board = Graph::diamond(spec.side)?;
        let mut order = from_home(spec.side);
        order.retain(|&cell| spec.deleted >> cell & 1 == 0);
        let all = order.len();
        if !(1..=MOST_PIECES).contains(&spec.pieces) {
            return Err(Unfit(format!("{} pieces; there are tables for 1 to {MOST_PIECES} pieces", spec.pieces)));
        }
        if all < spec.start + spec.pieces {
            let left = all.saturating_sub(spec.start);
            return Err(Unfit(format!("{left} cells are left for {} pieces: take a smaller start", spec.pieces)));
        }
        order.truncate(all - spec.start);
        let mut number = [NONE; 128];
        for (place, &cell) in order.iter().enumerate() {
            number[usize::from(cell)] = place as u8;
        }
        let mut space = Space {
            graph: board.renumbered(&order),
            goal: 0,
            binomial: binomials(),
            below: std::array::from_fn(|place| (1 << place) - 1),
            lower: 0,
            number,
            all,
            order,
            spec,
        };
        let goal = space.spec.goal;
        space.goal =
            (0..128).filter(|c| goal >> c & 1 == 1).filter_map(|c| space.place_of(c)).fold(0, |g, p| g | 1 << p);
        if (space.goal.count_ones() as usize) < space.spec.pieces {
            return Err(Unfit(format!(
                "the goal has {} cells that can be reached, too few for {} pieces",
                space.goal.count_ones(),
                space.spec.pieces
            )));
        }
        space.lower = space.pairs();
        Ok(space)
    }

    /// The lower places of mirror images, if the mirror changes neither the goal nor the board.
    fn pairs(&self) -> Cells {
        let mut lower = 0;
        for (at, &cell) in self.order.iter().enumerate() {
            let (row, column) = place(self.spec.side, cell);
            let image = match self.place_of((column * self.spec.side + row) as u8) {
                // Where the start cuts a pair of images apart, or one of them was deleted.
                None => return 0,
                Some(image) => usize::from(image),
            };
            if self.goal >> at & 1 != self.goal >> image & 1 || image.abs_diff(at) > 1 {
                return 0;
            }
            if image > at {
                lower |= 1 << at;
            }
        }
        lower
    }

    fn place_of(&self, cell: u8) -> Option<u8> {
        self.number.get(usize::from(cell)).copied().filter(|&place| place != NONE)
    }

    /// What it is about.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// How many placements there are.
    pub fn entries(&self) -> u64 {
        self.choose(self.order.len(), self.spec.pieces)
    }

    /// How many ways there are to choose `j` of `n`, for numbers that occur here.
    pub(super) fn choose(&self, n: usize, j: usize) -> u64 {
        self.binomial[n][j]
    }

    /// The sections, from home outwards: the start cell of each and its number of entries.
    pub fn sections(&self) -> Vec<(usize, u64)> {
        let pieces = self.spec.pieces;
        (pieces - 1..self.order.len()).map(|last| (self.all - 1 - last, self.choose(last, pieces - 1))).collect()
    }

    /// How many entries lie at this start or nearer to home: the beginning of the table that a probe from there needs.
    pub fn entries_from(&self, start: usize) -> u64 {
        let places = self.all.saturating_sub(start).min(self.order.len());
        self.choose(places, self.spec.pieces)
    }

    /// Whether the mirror image of a placement has the same distance, so that half of the work can be saved.
    pub fn symmetric(&self) -> bool {
        self.lower != 0
    }

    /// The number of a placement, given by its cells; `None` if it has no entry here.
    pub fn rank_of(&self, cells: Cells) -> Option<u64> {
        let places = self.places(cells)?;
        (places.count_ones() as usize == self.spec.pieces).then(|| self.rank(places))
    }

    /// The cells of the placement with this number.
    pub fn placement(&self, rank: u64) -> Option<Cells> {
        (rank < self.entries()).then(|| self.cells(self.unrank(rank)))
    }

    /// The number of a placement given by its places, which must be as many as the table's pieces.
    #[inline]
    pub fn rank_of_places(&self, places: Cells) -> u64 {
        self.rank(places)
    }

    /// The same for places that are listed in order.
    #[inline]
    pub fn rank_of_sorted(&self, places: &[u8]) -> u64 {
        places.iter().enumerate().map(|(at, &place)| self.binomial[usize::from(place) & 127][(at + 1) & 15]).sum()
    }

    /// From the places of the whole board to the places here; `None` for cells that this table does not have.
    pub fn renumbering(&self) -> [Option<u8>; 128] {
        let mut places = [None; 128];
        for (at, &cell) in from_home(self.spec.side).iter().enumerate() {
            places[at] = self.place_of(cell);
        }
        places
    }

    /// Where the pieces want to be, as places.
    pub fn goal_places(&self) -> Cells {
        self.goal
    }

    /// The placement with this number, as places instead of cells.
    pub fn places_at(&self, rank: u64) -> Option<Cells> {
        (rank < self.entries()).then(|| self.unrank(rank))
    }

    /// Cells to places.
    pub(super) fn places(&self, mut cells: Cells) -> Option<Cells> {
        let mut places = 0;
        while cells != 0 {
            places |= 1 << self.place_of(cells.trailing_zeros() as u8)?;
            cells &= cells - 1;
        }
        Some(places)
    }

    /// Places to cells.
    pub(super) fn cells(&self, places: Cells) -> Cells {
        let each = self.order.iter().enumerate().filter(|(at, _)| places >> at & 1 == 1);
        each.fold(0, |cells, (_, &cell)| cells | 1 << cell)
    }

    #[inline]
    pub(super) fn rank(&self, mut places: Cells) -> u64 {
        let mut rank = 0;
        let mut count = 0;
        while places != 0 {
            count += 1;
            rank += self.binomial[places.trailing_zeros() as usize & 127][count & 15];
            places &= places - 1;
        }
        rank
    }

    pub(super) fn unrank(&self, mut rank: u64) -> Cells {
        let mut places = 0;
        let mut top = self.order.len();
        for count in (1..=self.spec.pieces).rev() {
            // The greatest p below the last one with C(p, count) at most the rest.
            let (mut low, mut high) = (count - 1, top - 1);
            while low < high {
                let middle = (low + high).div_ceil(2);
                if self.binomial[middle][count] <= rank { low = middle } else { high = middle - 1 }
            }
            rank -= self.binomial[low][count];
            places |= 1 << low;
            top = low;
        }
        places
    }

    /// The mirror image of a set of places, where there is symmetry; otherwise the set itself.
    #[inline]
    pub(super) fn mirror(&self, places: Cells) -> Cells {
        let (low, high) = (self.lower, self.lower << 1);
        (places & low) << 1 | (places & high) >> 1 | places & !(low | high)
    }

    /// Whether nothing from the placement `first` to the placement `last`, in order of their numbers, is the one of two
    /// mirror images that stands for both.
    pub(super) fn all_images(&self, first: Cells, last: Cells) -> bool {
        // The order of numbers is the order of the sets as binary numbers, so what lies above the highest difference is
        // common to all, and if the image is smaller there, it is smaller.
        let common = match (first ^ last).leading_zeros() {
            128 => Cells::MAX,
            zeros @ 2.. => Cells::MAX << (127 - zeros) << 2,
            _ => 0,
        };
        first & common > self.mirror(first) & common
    }
}

fn binomials() -> Vec<[u64; 16]> {
    let mut rows = vec![[0u64; 16]; 128];
    for n in 0..128 {
        rows[n][0] = 1;
        for j in 1..16 {
            // Saturates far beyond any table that could be stored.
            rows[n][j] = if n == 0 { 0 } else { rows[n - 1][j - 1].saturating_add(rows[n - 1][j]) };
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_perfect() {
        for (spec, entries) in [
            (Spec::new(4, 3), 560),
            (Spec { deleted: 1 << 9, ..Spec::new(4, 4) }, 1365),
            (Spec::new(4, 3).from_start(4), 220),
            (Spec::new(3, 1), 9),
        ] {
            let space = Space::new(spec).unwrap();
            assert_eq!(space.entries(), entries);
            let mut last = 0;
            for rank in 0..entries {
                let places = space.unrank(rank);
                assert_eq!(space.rank(places), rank);
                assert!(places > last);
                last = places;
                let cells = space.placement(rank).unwrap();
                assert_eq!(space.rank_of(cells), Some(rank));
            }
            assert_eq!(space.placement(entries), None);
            assert_eq!(space.sections().iter().map(|section| section.1).sum::<u64>(), entries);
        }
    }

    #[test]
    fn sections_are_those_of_the_paper() {
        let space = Space::new(Spec::new(9, 6)).unwrap();
        assert_eq!(space.entries(), 324_540_216);
        // S3.5: C(80 - n, 5) for start n.
        for (start, entries) in space.sections() {
            assert_eq!(entries, space.choose(80 - start, 5), "start {start}");
        }
        // S3.6: the sizes of the paper, which counts from 1; there C(82 - n, 6).
        for n in [1, 5, 10, 15, 20, 25, 30, 35, 40] {
            assert_eq!(space.entries_from(n - 1), space.choose(82 - n, 6));
        }
        assert_eq!(Space::new(Spec::new(9, 10)).unwrap().entries(), 1_878_392_407_320);
        // S1.7
        assert_eq!(Space::new(Spec::new(9, 5)).unwrap().entries(), 25_621_596);
        assert_eq!(Space::new(Spec::new(9, 4)).unwrap().entries(), 1_663_740);
    }

    #[test]
    fn images_are_ordered() {
        let space = Space::new(Spec::new(5, 3)).unwrap();
        assert!(space.symmetric());
        let count = space.entries();
        for rank in 0..count {
            let places = space.unrank(rank);
            let image = space.mirror(places);
            assert_eq!(space.mirror(image), places);
            for more in [0, 1, 5, 40] {
                let last = space.unrank((rank + more).min(count - 1));
                if space.all_images(places, last) {
                    for between in rank..=(rank + more).min(count - 1) {
                        let places = space.unrank(between);
                        assert!(places > space.mirror(places));
                    }
                }
            }
        }
        assert!(!Space::new(Spec { goal: 0b111, ..Spec::new(5, 3) }).unwrap().symmetric());
    }

    #[test]
    fn impossible_tables_are_refused() {
        for spec in
            [Spec::new(9, 0), Spec::new(9, 11), Spec::new(1, 1), Spec::new(20, 3), Spec::new(3, 3).from_start(7)]
        {
            assert!(Space::new(spec).is_err());
        }
        assert!(Space::new(Spec { goal: 1, ..Spec::new(9, 3) }).is_err());
    }

    #[test]
    fn specs_read_back() {
        let spec = Spec { deleted: 1 << 80, goal: 0xff, ..Spec::new(9, 4).from_start(7) };
        assert_eq!(Written::from(&spec).spec(), Some(spec.clone()));
        assert!(spec.name().starts_with("9x9-4-from-7-goal-"));
        assert_eq!(Spec::new(9, 6).name(), "9x9-6");
    }
}
