//! Chinese checkers with one side alone: how many moves its pieces need, put together from tables of some of them.
//!
//! The pieces of a player are numbered from the front, the one nearest to home first; in a row those in the middle come first. A
//! *lookup* takes the pieces with some of these numbers, as if nothing else were on the board, and asks the table of so many
//! pieces ([`Goal`] says where they want to go). An [`Alone`] is a weighted sum of lookups and of a few simple terms: the rows
//! left, how far pieces stand from the middle line, and how far they were left behind by the others. What S3 looks up is the
//! simplest of them, one lookup of all pieces ([`Alone::home`]); the evaluations of S1 and its baseline are others.
//!
//! A lookup that still applies after a move is not repeated: only pieces whose numbers lie between the old and the new number of
//! the piece that moved can have changed. [`Alone::each`] works out many moves at a time, first all numbers of entries and then
//! the entries, so that the ways to memory overlap.

use native::chinese::{Arena, Cells, corner, each, from_home};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use table::chinese::{Distances, Spec};

/// The most pieces of a player.
const MOST_PIECES: usize = 16;
/// The most lookups of an evaluation.
const MOST_LOOKUPS: usize = 8;
/// Moves whose entries are worked out before the first of them is read.
const AT_A_TIME: usize = 64;
/// Placements that an estimate is fitted to, evenly spread over what is in memory.
const SAMPLES: u64 = 20_000;

/// Where the pieces of a lookup want to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// The cells nearest to the corner, as many as there are pieces; what is left of a row is filled from the middle.
    Top,
    /// The same, but what is left of a row is filled from its end.
    TopSide,
    /// Any cells of the whole corner.
    Corner,
    /// The front line of the corner, with the cells behind it deleted: whoever is there is in (S1.9).
    Enter,
}

/// One lookup, described.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LookupSpec {
    /// The numbers of its pieces, from the front, from 1: first and last.
    pub pieces: (usize, usize),
    /// Where they want to go.
    pub goal: Goal,
    /// What one move is worth.
    pub weight: f32,
}

impl LookupSpec {
    /// The table that is asked, for players of so many pieces on a board of so many rows; `None` if there is no such corner.
    pub fn table(&self, side: usize, pieces: usize) -> Option<Spec> {
        let count = (self.pieces.1 + 1).checked_sub(self.pieces.0).filter(|count| *count > 0)?;
        let whole = corner(side, pieces)?;
        let top = Spec::new(side, count);
        Some(match self.goal {
            Goal::Top => top,
            Goal::TopSide => {
                let mut cells = from_home(side);
                let row = |cell: u8| usize::from(cell) / side + usize::from(cell) % side;
                cells.sort_by_key(|&cell| (row(cell), cell));
                Spec { goal: cells[..count].iter().fold(0, |goal, cell| goal | 1 << cell), ..top }
            }
            Goal::Corner => Spec { goal: whole, ..top },
            Goal::Enter => {
                let rows = (1..=side).find(|rows| rows * (rows + 1) / 2 == pieces)?;
                let behind = corner(side, pieces - rows).filter(|_| rows > 1)?;
                Spec { goal: whole & !behind, deleted: behind, ..top }
            }
        })
    }
}

/// A whole evaluation, described: what is stored and read.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AloneSpec {
    /// Rows of the board.
    pub side: usize,
    /// Pieces a side.
    pub pieces: usize,
    /// What is looked up.
    #[serde(default)]
    pub lookups: Vec<LookupSpec>,
    /// What one row that a piece has left is worth, in moves.
    #[serde(default)]
    pub row: f32,
    /// What the square of a piece's distance from the middle line is worth.
    #[serde(default)]
    pub curve: f32,
    /// What each row is worth that a piece stands more than `behind_rows` behind the middle one of all.
    #[serde(default)]
    pub behind: f32,
    /// See `behind`.
    #[serde(default)]
    pub behind_rows: u32,
    /// What it is worth to be on move.
    #[serde(default)]
    pub tempo: f32,
    /// Where the numbers come from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub origin: String,
}

impl AloneSpec {
    /// Nothing counts yet.
    pub fn nothing(side: usize, pieces: usize) -> AloneSpec {
        AloneSpec {
            side,
            pieces,
            lookups: Vec::new(),
            row: 0.0,
            curve: 0.0,
            behind: 0.0,
            behind_rows: 0,
            tempo: 0.0,
            origin: String::new(),
        }
    }

    /// These lookups and nothing else, each move worth one.
    pub fn of_lookups(side: usize, pieces: usize, lookups: &[((usize, usize), Goal)]) -> AloneSpec {
        let lookups = lookups.iter().map(|&(pieces, goal)| LookupSpec { pieces, goal, weight: 1.0 }).collect();
        AloneSpec { lookups, ..AloneSpec::nothing(side, pieces) }
    }

    /// The table of all pieces (S3.4).
    pub fn home(side: usize, pieces: usize) -> AloneSpec {
        AloneSpec::of_lookups(side, pieces, &[((1, pieces), Goal::Top)])
    }

    /// Reads a description from JSON, as it is stored.
    ///
    /// # Errors
    /// What does not fit, and where.
    pub fn from_json(text: &str) -> Result<AloneSpec, AloneError> {
        serde_json::from_str(text).map_err(|error| AloneError::Text(error.to_string()))
    }

    /// As JSON, to be stored.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The tables that are asked, each once.
    pub fn tables(&self) -> Result<Vec<Spec>, AloneError> {
        let mut tables: Vec<Spec> = Vec::new();
        for lookup in &self.lookups {
            let spec = self.table(lookup)?;
            if !tables.contains(&spec) {
                tables.push(spec);
            }
        }
        Ok(tables)
    }

    fn table(&self, lookup: &LookupSpec) -> Result<Spec, AloneError> {
        let (first, last) = lookup.pieces;
        if first < 1 || first > last || last > self.pieces || self.pieces > MOST_PIECES {
            return Err(AloneError::Pieces { first, last, of: self.pieces });
        }
        lookup.table(self.side, self.pieces).ok_or(AloneError::Corner { side: self.side, pieces: self.pieces })
    }
}

/// Why there is no such evaluation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AloneError {
    /// A lookup names pieces that a player does not have.
    Pieces {
        /// The first one named.
        first: usize,
        /// The last one named.
        last: usize,
        /// So many there are.
        of: usize,
    },
    /// No corner has so many cells, or there is nothing behind its front line.
    Corner {
        /// Rows of the board.
        side: usize,
        /// Cells of the corner.
        pieces: usize,
    },
    /// More lookups than an evaluation can have.
    Many(usize),
    /// The board is another one.
    Board,
    /// A table is not there, or not in memory.
    Table(String),
    /// A text is no description of an evaluation.
    Text(String),
}

impl fmt::Display for AloneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AloneError::Pieces { first, last, of } => {
                write!(f, "a lookup of the pieces {first} to {last}; pieces are numbered from 1 to {of}")
            }
            AloneError::Corner { side, pieces } => {
                write!(f, "a board of {side} rows has no such corner for {pieces} pieces")
            }
            AloneError::Many(lookups) => write!(f, "{lookups} lookups; there can be {MOST_LOOKUPS}"),
            AloneError::Text(why) => write!(f, "this does not describe an evaluation: {why}"),
            AloneError::Board => f.write_str("the evaluation is one for another board"),
            AloneError::Table(name) => write!(
                f,
                "the table {name} is not in memory; `ludens table build chinese-checkers` makes tables of any pieces and goal"
            ),
        }
    }
}

impl std::error::Error for AloneError {}

struct Lookup {
    distances: Arc<Distances>,
    pieces: Range<usize>,
    weight: f32,
    /// From places of the whole board to places of the table; `None` where all are the same.
    renumbered: Option<Renumbered>,
    /// Distance ≈ these times (1, rows left of all pieces, rows left of the last piece), where the table is silent.
    fit: [f32; 3],
}

/// The places of a table without some cells.
struct Renumbered {
    place: [Option<u8>; 128],
    goal: Cells,
}

/// See the module. Values are moves left, more or less; less is better.
pub struct Alone {
    spec: AloneSpec,
    arena: Arc<Arena>,
    lookups: Vec<Lookup>,
    /// What a piece on a place is worth by itself.
    squares: [f32; 128],
    /// The row of each place.
    rows: [u8; 128],
}

/// The pieces of a player in order, and what each lookup says of them.
struct Known {
    places: [u8; MOST_PIECES],
    values: [f32; MOST_LOOKUPS],
}

/// An entry that is still to be read.
#[derive(Clone, Copy, Default)]
struct Pending {
    rank: u64,
    mv: u32,
    lookup: u32,
}

impl Alone {
    /// Puts an evaluation together; `find` gives the tables, which must be in memory, whole or their beginnings.
    pub fn new(
        spec: AloneSpec,
        arena: Arc<Arena>,
        mut find: impl FnMut(&Spec) -> Option<Arc<Distances>>,
    ) -> Result<Alone, AloneError> {
        if spec.side != arena.side() || spec.pieces != arena.pieces() {
            return Err(AloneError::Board);
        }
        if spec.lookups.len() > MOST_LOOKUPS {
            return Err(AloneError::Many(spec.lookups.len()));
        }
        let mut rows = [0; 128];
        let mut squares = [0.0; 128];
        for (place, &cell) in from_home(spec.side).iter().enumerate() {
            let (row, column) = (usize::from(cell) / spec.side, usize::from(cell) % spec.side);
            rows[place] = (row + column) as u8;
            let aside = row as f32 - column as f32;
            squares[place] = spec.row * (row + column) as f32 + spec.curve * aside * aside;
        }
        let mut lookups = Vec::new();
        for described in &spec.lookups {
            let table = spec.table(described)?;
            let distances = find(&table)
                .filter(|found| found.loaded() > 0 && *found.space().spec() == table && !found.values().is_empty());
            let distances = distances.ok_or_else(|| AloneError::Table(table.name()))?;
            let renumbered = (table.deleted != 0)
                .then(|| Renumbered { place: distances.space().renumbering(), goal: distances.space().goal_places() });
            let fit = fit(&rows, &distances);
            let pieces = described.pieces.0 - 1..described.pieces.1;
            lookups.push(Lookup { distances, pieces, weight: described.weight, renumbered, fit });
        }
        Ok(Alone { spec, arena, lookups, squares, rows })
    }

    /// The distance of all pieces from one table, where it is in memory, and an estimate elsewhere (S3.4, S3.5).
    pub fn home(arena: Arc<Arena>, distances: Arc<Distances>) -> Result<Alone, AloneError> {
        let spec = AloneSpec::home(arena.side(), arena.pieces());
        Alone::new(spec, arena, |_| Some(Arc::clone(&distances)))
    }

    /// What it is made of.
    pub fn spec(&self) -> &AloneSpec {
        &self.spec
    }

    /// The board.
    pub fn arena(&self) -> &Arc<Arena> {
        &self.arena
    }

    /// Whether its values are the moves that are left, once the players are apart.
    pub fn is_exact(&self) -> bool {
        let home = AloneSpec::home(self.spec.side, self.spec.pieces);
        self.spec.lookups == home.lookups
            && (self.spec.row, self.spec.curve, self.spec.behind) == (0.0, 0.0, 0.0)
            && self.lookups.iter().all(|lookup| lookup.distances.loaded() == lookup.distances.space().entries())
    }

    /// How many of a player's lookups are answered by entries that are in memory.
    pub fn answered(&self, player: usize, pieces: Cells) -> usize {
        let places = self.places(player, pieces);
        self.lookups.iter().filter(|lookup| self.entry(lookup, &places).is_some()).count()
    }

    fn places(&self, player: usize, pieces: Cells) -> [u8; MOST_PIECES] {
        let mut places = [0; MOST_PIECES];
        for (at, place) in each(self.arena.seen_by(player, pieces)).enumerate() {
            places[at & (MOST_PIECES - 1)] = place;
        }
        places
    }

    /// The value of a player's pieces.
    #[inline]
    pub fn value(&self, player: usize, pieces: Cells) -> f32 {
        let places = self.places(player, pieces);
        let looked_up: f32 = self.lookups.iter().map(|lookup| lookup.weight * self.look(lookup, &places)).sum();
        looked_up + self.simple(&places)
    }

    /// How much less a player has left than the other, whoever is on move.
    #[inline]
    pub fn lead(&self, pieces: [Cells; 2], player: usize) -> f32 {
        self.value(1 - player, pieces[1 - player]) - self.value(player, pieces[player])
    }

    /// What each lookup says, and then the sums of rows, of squared distances from the middle line, and of rows behind: whatever
    /// a weight can be learned for.
    pub fn parts(&self, player: usize, pieces: Cells, out: &mut Vec<f32>) {
        let places = self.places(player, pieces);
        out.extend(self.lookups.iter().map(|lookup| self.look(lookup, &places)));
        let own = &places[..self.spec.pieces];
        let order = from_home(self.spec.side);
        let aside = |&place: &u8| {
            let cell = usize::from(order[usize::from(place)]);
            (cell / self.spec.side) as f32 - (cell % self.spec.side) as f32
        };
        out.push(own.iter().map(|&place| f32::from(self.rows[usize::from(place)])).sum());
        out.push(own.iter().map(|place| aside(place) * aside(place)).sum());
        out.push(self.left_behind(&places));
    }

    /// Rows that pieces stand too far behind the middle one.
    #[inline]
    fn left_behind(&self, places: &[u8; MOST_PIECES]) -> f32 {
        let own = &places[..self.spec.pieces];
        let allowed = u32::from(self.rows[usize::from(own[self.spec.pieces / 2])]) + self.spec.behind_rows;
        own.iter().map(|&place| u32::from(self.rows[usize::from(place)]).saturating_sub(allowed)).sum::<u32>() as f32
    }

    /// The terms that need no table.
    #[inline]
    fn simple(&self, places: &[u8; MOST_PIECES]) -> f32 {
        let mut sum = 0.0;
        if self.spec.row != 0.0 || self.spec.curve != 0.0 {
            sum += places[..self.spec.pieces].iter().map(|&place| self.squares[usize::from(place) & 127]).sum::<f32>();
        }
        if self.spec.behind != 0.0 {
            sum += self.spec.behind * self.left_behind(places);
        }
        sum
    }

    fn entry(&self, lookup: &Lookup, places: &[u8; MOST_PIECES]) -> Option<u8> {
        let rank = lookup.rank(&places[lookup.pieces.clone()]);
        lookup.distances.values().get(rank as usize).copied().filter(|value| *value != u8::MAX)
    }

    #[inline]
    fn look(&self, lookup: &Lookup, places: &[u8; MOST_PIECES]) -> f32 {
        match self.entry(lookup, places) {
            Some(moves) => f32::from(moves),
            None => self.estimate(lookup, places),
        }
    }

    /// What the table would say, by the rows that are left.
    fn estimate(&self, lookup: &Lookup, places: &[u8; MOST_PIECES]) -> f32 {
        let own = &places[lookup.pieces.clone()];
        let [total, last] = match &lookup.renumbered {
            None => features(&self.rows, own.iter().copied()),
            Some(renumbered) => features(&self.rows, each(renumbered.places(own))),
        };
        (lookup.fit[0] + lookup.fit[1] * total + lookup.fit[2] * last).max(1.0)
    }

    fn known(&self, player: usize, own: Cells) -> Known {
        let places = self.places(player, own);
        let mut values = [0.0; MOST_LOOKUPS];
        for (value, lookup) in values.iter_mut().zip(&self.lookups) {
            *value = self.look(lookup, &places);
        }
        Known { places, values }
    }

    /// The value of a player's pieces after each of many moves.
    pub fn each<T>(
        &self,
        player: usize,
        own: Cells,
        all: &mut [T],
        mv: impl Fn(&T) -> (u8, u8),
        mut put: impl FnMut(&mut T, f32),
    ) {
        let known = self.known(player, own);
        let seen = self.arena.seen_by(player, own);
        let mut places = [[0; MOST_PIECES]; AT_A_TIME];
        let mut sums = [0.0; AT_A_TIME];
        let mut pending = [Pending::default(); AT_A_TIME * MOST_LOOKUPS];
        for some in all.chunks_mut(AT_A_TIME) {
            let mut count = 0;
            for (at, one) in some.iter().enumerate() {
                let (from, to) = mv(one);
                let ends = (self.arena.place_seen_by(player, from), self.arena.place_seen_by(player, to));
                let changed = moved(&known.places, seen, ends, &mut places[at]);
                sums[at] = self.simple(&places[at]);
                for (number, lookup) in self.lookups.iter().enumerate() {
                    if changed.end <= lookup.pieces.start || lookup.pieces.end <= changed.start {
                        // It still applies.
                        sums[at] += lookup.weight * known.values[number];
                    } else {
                        let rank = lookup.rank(&places[at][lookup.pieces.clone()]);
                        pending[count] = Pending { rank, mv: at as u32, lookup: number as u32 };
                        count += 1;
                    }
                }
            }
            let mut read = [0u8; AT_A_TIME * MOST_LOOKUPS];
            for (value, pending) in read.iter_mut().zip(&pending[..count]) {
                let values = self.lookups[pending.lookup as usize].distances.values();
                *value = values.get(pending.rank as usize).copied().unwrap_or(u8::MAX);
            }
            for (&value, pending) in read.iter().zip(&pending[..count]) {
                let (at, lookup) = (pending.mv as usize, &self.lookups[pending.lookup as usize]);
                let moves = if value == u8::MAX { self.estimate(lookup, &places[at]) } else { f32::from(value) };
                sums[at] += lookup.weight * moves;
            }
            for (one, &sum) in some.iter_mut().zip(&sums) {
                put(one, sum);
            }
        }
    }
}

/// The places in order after a move, and the numbers of the pieces that changed.
#[inline]
fn moved(before: &[u8; MOST_PIECES], seen: Cells, (from, to): (u8, u8), after: &mut [u8; MOST_PIECES]) -> Range<usize> {
    let below = |place: u8| (1u128 << place) - 1;
    let old = (seen & below(from)).count_ones() as usize & (MOST_PIECES - 1);
    let new = (seen & !(1 << from) & below(to)).count_ones() as usize & (MOST_PIECES - 1);
    *after = *before;
    if old < new {
        after.copy_within(old + 1..new + 1, old);
    } else {
        after.copy_within(new..old, new + 1);
    }
    after[new] = to;
    old.min(new)..old.max(new) + 1
}

impl Lookup {
    /// The number of the entry for these pieces, which are in order.
    #[inline]
    fn rank(&self, places: &[u8]) -> u64 {
        let space = self.distances.space();
        match &self.renumbered {
            None => space.rank_of_sorted(places),
            Some(renumbered) => space.rank_of_places(renumbered.places(places)),
        }
    }
}

impl Renumbered {
    /// The same pieces on the smaller board. One that stands where cells were deleted is in already: it takes a free cell of
    /// the goal.
    fn places(&self, places: &[u8]) -> Cells {
        let (mut set, mut inside) = (0, 0);
        for &place in places {
            match self.place[usize::from(place)] {
                Some(place) => set |= 1 << place,
                None => inside += 1,
            }
        }
        let mut free = self.goal & !set;
        for _ in 0..inside {
            // There are as many cells in the goal as pieces, or more.
            set |= free & free.wrapping_neg();
            free &= free.wrapping_sub(1);
        }
        set
    }
}

fn features(rows: &[u8; 128], places: impl Iterator<Item = u8>) -> [f32; 2] {
    let (mut total, mut last) = (0, 0);
    for place in places {
        let row = u32::from(rows[usize::from(place) & 127]);
        total += row;
        last = last.max(row);
    }
    [total as f32, last as f32]
}

/// Least squares over what is in memory.
fn fit(rows: &[u8; 128], distances: &Distances) -> [f32; 3] {
    let space = distances.space();
    let loaded = distances.loaded();
    if loaded == space.entries() {
        return [0.0; 3];
    }
    let mut sums = [[0f64; 4]; 3];
    for rank in (0..loaded).step_by((loaded / SAMPLES).max(1) as usize) {
        let Some(places) = space.places_at(rank) else { continue };
        let Some(moves) = distances.by_places(places) else { continue };
        let [total, last] = features(rows, each(places));
        let row = [1.0, f64::from(total), f64::from(last)];
        for i in 0..3 {
            for j in 0..3 {
                sums[i][j] += row[i] * row[j];
            }
            sums[i][3] += row[i] * f64::from(moves);
        }
    }
    let solved = crate::learn::solve(sums.iter().map(|row| row.to_vec()).collect());
    [0, 1, 2].map(|at| solved[at] as f32)
}
