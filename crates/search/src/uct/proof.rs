//! Proofs in the tree: what follows for a node from those of its children whose values are known exactly.

use super::tree::Tree;
use game::{Game, Role};

/// Joint choices of a node up to which it is worth looking for proofs.
const MOST_CELLS: usize = 256;

/// Games after which rewards that always added up to the same are taken to do so.
const MANY: u32 = 1000;

impl<G: Game> Tree<G> {
    /// Looks whether a node is decided now that one of its children is; answers whether it is news.
    pub(super) fn prove(&mut self, at: u32) -> bool {
        let node = &self.nodes[at as usize];
        if node.exact.is_some() {
            return false;
        }
        let [side] = &*node.sides else { return self.prove_joint(at) };
        let mine = side.role.0 as usize;
        let mut best: Option<&[f32]> = None;
        let mut open = false;
        let mut torn = false;
        for arm in &side.arms {
            let Some(values) = self.exact_child(arm) else {
                open = true;
                continue;
            };
            match best {
                // Whom the choice between equals favours is not known: with other rewards for the others, nothing is proven.
                Some(best) if best[mine] == values[mine] => torn |= best != values,
                Some(best) if best[mine] > values[mine] => {}
                _ => (best, torn) = (Some(values), false),
            }
        }
        let Some(best) = best else { return false };
        // A sure win ends it, unless an open move may be one as well and give the others something else.
        if torn || open && (best[mine] < 1.0 || !self.is_opposed(best)) {
            return false;
        }
        let exact = best.into();
        self.set_exact(at, exact);
        true
    }

    /// Whether what one role gets settles what the others get, as far as seen: of two roles always, of more where one has
    /// all there is to get.
    fn is_opposed(&self, rewards: &[f32]) -> bool {
        match self.total.always() {
            _ if self.roles == 1 => true,
            Some(total) => self.roles == 2 || (rewards.iter().fold(0.0, |a: f32, b| a.max(*b)) - total).abs() < 1e-3,
            None => false,
        }
    }

    /// [`prove`](Tree::prove) where two roles choose at once: moves that another one is sure to be better than are struck
    /// out, until what is left decides the node or nothing more can be struck out. Where the interests of the two are
    /// opposed, as good is enough; otherwise it matters to the one what the other does between equals.
    fn prove_joint(&mut self, at: u32) -> bool {
        let node = &self.nodes[at as usize];
        let [a, b] = &*node.sides else { return false };
        let (rows, columns) = (a.arms.len(), b.arms.len());
        if rows * columns > MOST_CELLS {
            return false;
        }
        let exact: Vec<Option<&[f32]>> = (0..(rows * columns) as u64)
            .map(|choice| self.child(at, choice).and_then(|child| self.nodes[child as usize].exact.as_deref()))
            .collect();
        // What a role gets in a cell at the least and at the most.
        let bounds =
            |role: Role, cell: usize| exact[cell].map_or((0.0, 1.0), |v| (v[role.0 as usize], v[role.0 as usize]));
        let opposed = self.total.always().filter(|_| self.roles == 2);
        let mut live = [vec![true; rows], vec![true; columns]];
        loop {
            let before = live.clone();
            let [in_rows, in_columns] = &mut live;
            strike(in_rows, in_columns, opposed.is_some(), &|row, column| bounds(a.role, row + rows * column));
            strike(in_columns, in_rows, opposed.is_some(), &|column, row| bounds(b.role, row + rows * column));
            if live == before {
                break;
            }
        }
        let [in_rows, in_columns] = &live;
        let left = |live: &Vec<bool>| -> Vec<usize> { (0..live.len()).filter(|&at| live[at]).collect() };
        let (left_rows, left_columns) = (left(in_rows), left(in_columns));
        let first = exact[left_rows[0] + rows * left_columns[0]];
        let cells = left_rows.iter().flat_map(|row| left_columns.iter().map(move |column| row + rows * column));
        let mut value: Option<Box<[f32]>> = None;
        if first.is_some() && cells.into_iter().all(|cell| exact[cell] == first) {
            value = first.map(Into::into);
        } else if let Some(total) = opposed {
            let low = |row: &usize| {
                left_columns.iter().map(|column| bounds(a.role, row + rows * column).0).fold(1.0, f32::min)
            };
            let high =
                |column: &usize| left_rows.iter().map(|row| bounds(a.role, row + rows * column).1).fold(0.0, f32::max);
            let (low, high) =
                (left_rows.iter().map(low).fold(0.0, f32::max), left_columns.iter().map(high).fold(1.0, f32::min));
            if low == high {
                let mut both = [total - low; 2];
                both[a.role.0 as usize] = low;
                value = Some(both.into());
            }
        }
        let node = &mut self.nodes[at as usize];
        for (side, live) in node.sides.iter_mut().zip(&live) {
            side.arms.iter_mut().zip(live).for_each(|(arm, live)| arm.lost = !live);
        }
        match value {
            Some(value) => self.set_exact(at, value),
            None => return false,
        }
        true
    }

    /// Whether every joint choice of a node leads to one whose value is proven.
    pub(super) fn is_settled_below(&self, at: u32) -> bool {
        let sides = self.nodes[at as usize].sides.iter();
        let count = sides.fold(1u64, |count, side| count.saturating_mul(side.arms.len() as u64));
        let proven = |choice| self.child(at, choice).is_some_and(|child| self.nodes[child as usize].exact.is_some());
        count <= MOST_CELLS as u64 && (0..count).all(proven)
    }
}

/// Strikes out the choices of one side that another one of it is better than, or as good as where ties count, whatever
/// live choice the other side makes.
fn strike(mine: &mut [bool], other: &[bool], ties: bool, bounds: &dyn Fn(usize, usize) -> (f32, f32)) {
    for at in 0..mine.len() {
        let beaten_by = |better: usize| {
            let mut against = (0..other.len()).filter(|&column| other[column]);
            let beaten = |column: usize| {
                let (least, most) = (bounds(better, column).0, bounds(at, column).1);
                least > most || ties && least == most
            };
            better != at && mine[better] && against.all(beaten)
        };
        if mine[at] && (0..mine.len()).any(beaten_by) {
            mine[at] = false;
        }
    }
}

/// What the rewards of all roles add up to, as far as seen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Total {
    sum: f32,
    games: u32,
    varies: bool,
}

impl Total {
    /// So many more games ended with these rewards.
    pub(super) fn add(&mut self, sum: f32, games: u32) {
        self.varies |= self.games > 0 && (sum - self.sum).abs() > 1e-3;
        self.sum = sum;
        self.games = self.games.saturating_add(games);
    }

    /// Takes in the games that another one has seen; that one begins anew.
    pub(super) fn take(&mut self, other: &mut Total) {
        let Total { sum, games, varies } = std::mem::take(other);
        if games > 0 {
            self.varies |= varies;
            self.add(sum, games);
        }
    }

    /// What they always add up to, if that was so in many games.
    fn always(&self) -> Option<f32> {
        (!self.varies && self.games >= MANY).then_some(self.sum)
    }
}
