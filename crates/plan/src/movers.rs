//! What things can do, read off from moves: for each thing the pairs of cells it was seen to go between, and the cells that
//! were empty every time. What was never empty by chance in many moves has to be empty: that is how a rook differs from a knight.
//!
//! Nothing here knows chess. A thing that goes from one cell to another moves; what is gone from the cell it came to was taken.

use crate::scene::{Board, Cells, bit, cells};
use crate::world::World;
use serde::{Deserialize, Serialize};

/// A way of a thing from a cell: where to, and what must be empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    /// The cell it leads to.
    pub to: u8,
    /// The cells that have to be empty.
    pub empty: Cells,
}

/// A distance that cannot be gone.
pub const FAR: u8 = u8::MAX;

/// What one thing can do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mover {
    /// For each cell the ways from it.
    pub ways: Vec<Vec<Way>>,
    /// For each pair of cells the fewest moves on an empty board; [`FAR`] if there is no way.
    pub steps: Vec<u8>,
}

/// What all things can do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Movers {
    /// For each thing.
    pub movers: Vec<Mover>,
    /// For each pair of cells the fewest steps from neighbour to neighbour.
    pub board: Vec<u8>,
    cells: usize,
}

/// Ways as they are written to files: thing by thing, from, to, cells that must be empty.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Written(pub Vec<Vec<(u8, u8, Vec<u8>)>>);

impl Movers {
    /// Reads off what things can do; tells the board whose things are whose.
    pub fn read(world: &mut World) -> Movers {
        let things = world.board.things.len();
        let count = world.board.cells.len();
        // For each thing and pair of cells: what was empty every time; 0 says that it was never seen.
        let mut seen: Vec<Vec<Option<Cells>>> = vec![vec![None; count * count]; things];
        let mut moved = vec![[0u64; 2]; things];
        world.scenes.moves(world, &mut |before, after, ours| {
            let occupied = before.occupied();
            for thing in 0..things {
                let (was, is) = (before.sets[thing], after.sets[thing]);
                let (left, came) = (was & !is, is & !was);
                if came != 0 {
                    moved[thing][usize::from(ours)] += 1;
                }
                if left.count_ones() != 1 || came.count_ones() != 1 {
                    continue;
                }
                let (from, to) = (left.trailing_zeros() as usize, came.trailing_zeros() as usize);
                let empty = !occupied & !came;
                let entry = &mut seen[thing][from * count + to];
                *entry = Some(entry.map_or(empty, |old| old & empty));
            }
        });
        let all: Cells = if count == 128 { Cells::MAX } else { (1 << count) - 1 };
        let movers = seen
            .iter()
            .map(|pairs| {
                let mut mover = Mover { ways: vec![Vec::new(); count], steps: Vec::new() };
                for (pair, empty) in pairs.iter().enumerate() {
                    if let Some(empty) = empty {
                        mover.ways[pair / count].push(Way { to: (pair % count) as u8, empty: empty & all });
                    }
                }
                mover.steps = distances(count, |from| mover.ways[from].iter().map(|way| way.to).collect());
                mover
            })
            .collect();
        for (thing, [theirs, ours]) in world.board.things.iter_mut().zip(moved) {
            if thing.ours.is_none() && theirs + ours > 0 {
                thing.ours = Some(ours > theirs);
            }
        }
        Movers { movers, board: distances(count, |from| world.board.neighbours[from].clone()), cells: count }
    }

    /// What is written to a file.
    pub fn written(&self) -> Written {
        let one = |mover: &Mover| {
            let ways = mover.ways.iter().enumerate();
            ways.flat_map(|(from, ways)| {
                ways.iter().map(move |way| (from as u8, way.to, cells(way.empty).collect::<Vec<u8>>()))
            })
            .collect()
        };
        Written(self.movers.iter().map(one).collect())
    }

    /// What was written to a file.
    pub fn from_written(board: &Board, written: &Written) -> Option<Movers> {
        let count = board.cells.len();
        let mut movers = Vec::new();
        for ways in &written.0 {
            let mut mover = Mover { ways: vec![Vec::new(); count], steps: Vec::new() };
            for (from, to, empty) in ways {
                let fits = |cell: &u8| usize::from(*cell) < count;
                if !fits(from) || !fits(to) || !empty.iter().all(fits) {
                    return None;
                }
                let empty = empty.iter().fold(0, |set, &cell| set | bit(cell));
                mover.ways[usize::from(*from)].push(Way { to: *to, empty });
            }
            mover.steps = distances(count, |from| mover.ways[from].iter().map(|way| way.to).collect());
            movers.push(mover);
        }
        Some(Movers { movers, board: distances(count, |from| board.neighbours[from].clone()), cells: count })
    }

    /// The fewest moves of a thing from cell to cell on an empty board; without a thing the fewest steps.
    #[inline]
    pub fn steps(&self, by: Option<usize>, from: u8, to: u8) -> u8 {
        let at = usize::from(from) * self.cells + usize::from(to);
        match by {
            Some(thing) => self.movers[thing].steps[at],
            None => self.board[at],
        }
    }

    /// The cells that a thing on `from` can go to, or attacks, given what is occupied.
    #[inline]
    pub fn reach(&self, thing: usize, from: u8, occupied: Cells) -> Cells {
        let ways = &self.movers[thing].ways[usize::from(from)];
        ways.iter().filter(|way| way.empty & occupied == 0).fold(0, |set, way| set | bit(way.to))
    }
}

/// All distances in a graph.
fn distances(count: usize, next: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
    let mut all = vec![FAR; count * count];
    let next: Vec<Vec<u8>> = (0..count).map(next).collect();
    for from in 0..count {
        let row = &mut all[from * count..(from + 1) * count];
        row[from] = 0;
        let mut open = vec![from];
        let mut steps = 0;
        while !open.is_empty() && steps < FAR - 1 {
            steps += 1;
            let mut later = Vec::new();
            for &to in open.iter().flat_map(|&cell| &next[cell]) {
                if row[usize::from(to)] == FAR {
                    row[usize::from(to)] = steps;
                    later.push(usize::from(to));
                }
            }
            open = later;
        }
    }
    all
}
