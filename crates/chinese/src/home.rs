//! How far it is home, for one player alone: the distance table, and an estimate where the table is not in memory.

use native::chinese::{Arena, Cells, Position, each};
use table::chinese::{Distances, Space};

/// The distances of a table that is in memory as a whole or in part (S3.5). What is not there is estimated from the rows
/// that are left; the estimate is fitted to what is there.
pub struct Home {
    distances: Distances,
    /// Distance ≈ these times (1, rows left of all pieces, rows left of the last piece).
    fit: [f32; 3],
}

/// Placements that the estimate is fitted to, evenly spread over what is in memory.
const SAMPLES: u64 = 20_000;

impl Home {
    /// The table must have as many pieces as the players, all of them going to their corner.
    pub fn new(arena: &Arena, distances: Distances) -> Home {
        let fit = fit(arena, &distances);
        Home { distances, fit }
    }

    /// The table.
    pub fn distances(&self) -> &Distances {
        &self.distances
    }

    /// Moves home for the pieces of a player, given as places of the board; an estimate where the table is silent.
    #[inline]
    pub fn distance(&self, arena: &Arena, player: usize, pieces: Cells) -> f32 {
        let seen = arena.seen_by(player, pieces);
        match self.distances.by_places(seen) {
            Some(moves) => f32::from(moves),
            None => self.estimate(arena, seen),
        }
    }

    /// Moves home for the pieces of a player, if the table knows.
    #[inline]
    pub fn known(&self, arena: &Arena, player: usize, pieces: Cells) -> Option<u8> {
        self.distances.by_places(arena.seen_by(player, pieces))
    }

    /// How many moves a player is ahead, whoever is to move.
    #[inline]
    pub fn lead(&self, arena: &Arena, position: &Position, player: usize) -> f32 {
        self.distance(arena, 1 - player, position.pieces[1 - player])
            - self.distance(arena, player, position.pieces[player])
    }

    /// The distance of a player after each of many moves. First all numbers are worked out and then all entries read, so that
    /// the ways to memory overlap.
    pub(crate) fn each_distance<T>(
        &self,
        arena: &Arena,
        player: usize,
        own: Cells,
        all: &mut [T],
        mv: impl Fn(&T) -> (u8, u8),
        mut put: impl FnMut(&mut T, f32),
    ) {
        const AT_A_TIME: usize = 64;
        let (space, values) = (self.distances.space(), self.distances.values());
        let seen = arena.seen_by(player, own);
        for some in all.chunks_mut(AT_A_TIME) {
            let (mut ranks, mut after) = ([0; AT_A_TIME], [0; AT_A_TIME]);
            for ((rank, after), one) in ranks.iter_mut().zip(&mut after).zip(some.iter()) {
                let (from, to) = mv(one);
                *after = seen ^ (1 << arena.place_seen_by(player, from) | 1 << arena.place_seen_by(player, to));
                *rank = space.rank_of_places(*after);
            }
            let mut read = [0u8; AT_A_TIME];
            for (value, &rank) in read.iter_mut().zip(&ranks[..some.len()]) {
                *value = values.get(rank as usize).copied().unwrap_or(u8::MAX);
            }
            for ((one, &value), &after) in some.iter_mut().zip(&read).zip(&after) {
                let moves = if value == u8::MAX { self.estimate(arena, after) } else { f32::from(value) };
                put(one, moves);
            }
        }
    }

    fn estimate(&self, arena: &Arena, seen: Cells) -> f32 {
        let [a, b, c] = self.fit;
        let [total, last] = features(arena, seen);
        (a + b * total + c * last).max(1.0)
    }
}

fn features(arena: &Arena, seen: Cells) -> [f32; 2] {
    let last = each(seen).map(|at| arena.rows_left(1, at)).max().unwrap_or(0);
    [arena.total_left(1, seen) as f32, last as f32]
}

/// Least squares over what is in memory.
fn fit(arena: &Arena, distances: &Distances) -> [f32; 3] {
    let space: &Space = distances.space();
    let mut sums = [[0f64; 4]; 3];
    let loaded = distances.loaded();
    let step = (loaded / SAMPLES).max(1);
    for rank in (0..loaded).step_by(step as usize) {
        let Some(places) = space.places_at(rank) else { continue };
        let Some(moves) = distances.by_places(places) else { continue };
        let [total, last] = features(arena, places);
        let row = [1.0, f64::from(total), f64::from(last)];
        for i in 0..3 {
            for j in 0..3 {
                sums[i][j] += row[i] * row[j];
            }
            sums[i][3] += row[i] * f64::from(moves);
        }
    }
    solve(sums).map(|value| value as f32)
}

/// Three equations with three unknowns; what is not determined is 0.
fn solve(mut rows: [[f64; 4]; 3]) -> [f64; 3] {
    for at in 0..3 {
        let Some(pivot) = (at..3).max_by(|&a, &b| rows[a][at].abs().total_cmp(&rows[b][at].abs())) else { break };
        rows.swap(at, pivot);
        if rows[at][at].abs() < 1e-9 {
            continue;
        }
        let row = rows[at];
        for (other, values) in rows.iter_mut().enumerate() {
            if other != at {
                let times = values[at] / row[at];
                for (value, pivot) in values.iter_mut().zip(row) {
                    *value -= times * pivot;
                }
            }
        }
    }
    [0, 1, 2].map(|at| if rows[at][at].abs() < 1e-9 { 0.0 } else { rows[at][3] / rows[at][at] })
}
