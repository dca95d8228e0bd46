//! What random games tell of moves that were made in them, at once or later (GRAVE, Cazenave 2015).
//!
//! Every node that is visited often counts, for each move, the games below it in which the move was made and what they brought to its role. A node
//! that has few visits itself is told what the nearest such node above it knows.

use super::descend::Path;
use super::tree::Tree;
use game::{Game, Move, Role};

/// Moves with greater numbers are not counted.
const MOST_MOVES: usize = 1 << 20;

/// For each move of each role in how many games it was made, and what they brought to the role.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts(Vec<[f32; 2]>);

impl Counts {
    pub(super) fn clear(&mut self) {
        self.0.fill([0.0; 2]);
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }

    /// More games in which a move was made.
    pub(super) fn add(&mut self, place: usize, games: f32, rewards: f32) {
        if place >= self.0.len() {
            if place >= MOST_MOVES {
                return;
            }
            self.0.resize(place + 1, [0.0; 2]);
        }
        let [count, sum] = &mut self.0[place];
        (*count, *sum) = (*count + games, *sum + rewards);
    }

    /// How often a move was made, and what it brought on average.
    #[inline]
    pub(super) fn of(&self, place: usize) -> (f32, f32) {
        match self.0.get(place) {
            Some(&[count, sum]) if count > 0.0 => (count, sum / count),
            _ => (0.0, 0.0),
        }
    }

    /// The games of others, each as so much of one.
    fn take(&mut self, others: &Counts, weight: f32) {
        for (place, &[games, rewards]) in others.0.iter().enumerate() {
            if games > 0.0 {
                self.add(place, weight * games, weight * rewards);
            }
        }
    }
}

/// Where the counts have a move of a role, in a game of so many roles.
#[inline]
pub(super) fn place(role: Role, mv: Move, roles: usize) -> usize {
    mv.0 as usize * roles + usize::from(role.0)
}

impl<G: Game> Tree<G> {
    /// A result: the way that it came on, the moves that were made in its random games, and how many these were. Nodes with half of the visits
    /// from which on they are asked begin to count.
    pub(super) fn count_moves(&mut self, path: &Path, rewards: &[f32], made: &Counts, games: f32, asked: u32) {
        let roles = self.roles;
        let mut below: Vec<(usize, f32)> = Vec::new();
        for &(at, choice) in path.iter().rev() {
            let node = &self.nodes[at as usize];
            if let Some(choice) = choice {
                let chosen = node.sides.iter().zip(Tree::<G>::arms_of(node, choice));
                below.extend(chosen.map(|(side, arm)| {
                    (place(side.role, side.arms[arm].mv, roles), rewards[usize::from(side.role.0)])
                }));
            }
            if node.visits.saturating_mul(2) < asked {
                continue;
            }
            let counts = self.made.entry(at).or_default();
            let before = counts.bytes();
            counts.take(made, 1.0 / games.max(1.0));
            below.iter().for_each(|&(place, reward)| counts.add(place, 1.0, reward));
            self.bytes += counts.bytes() - before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uct::count::Count;
    use crate::uct::{Uct, UctSettings};
    use crate::{Budget, Found, Monitor, Searcher};

    fn search(state: u32, grave: Option<u32>, memory: usize) -> Found {
        let mut uct = Uct::new(UctSettings { grave, ..UctSettings::default() });
        let budget = Budget { memory, ..Budget::of_playouts(3000, 1) };
        uct.search(&Count(60), &state, Role((state % 2) as u8), &budget, &Monitor::new()).unwrap()
    }

    #[test]
    fn it_finds_what_uct_finds_and_every_run_goes_the_same_way() {
        // From 53 only 56 wins.
        for asked in [1, 10, 100] {
            let found = search(106, Some(asked), 1 << 24);
            assert_eq!(found.mv, Some(Move(3)), "{found:?}");
            assert_eq!(found, search(106, Some(asked), 1 << 24));
        }
        // Counts of moves are used, and count as memory.
        assert_ne!(search(60, Some(10), 1 << 24), search(60, None, 1 << 24));
        assert!(search(60, Some(1), 12_000).nodes < search(60, None, 12_000).nodes);
    }

    #[test]
    fn results_count_for_the_moves_made_in_them_and_on_the_way() {
        let mut tree: Tree<Count> = Tree::default();
        tree.begin(&Count(60), &0, 1 << 20, false);
        let mut view = 0;
        tree.open(&Count(60), 0, &mut view).unwrap();
        let child = tree.node(3);
        tree.set_child(0, 0, child);
        let mv = tree.nodes[0].sides[0].arms[0].mv;
        let mut made = Counts::default();
        let other = place(Role(1), Move(2), 2);
        made.add(other, 4.0, 1.0);
        tree.count_moves(&vec![(0, Some(0)), (child, None)], &[1.0, 0.0], &made, 8.0, 0);
        // The root knows of the move on the way, which brought 1, and both know of half of the games, which brought a quarter.
        assert_eq!(tree.made[&0].of(place(Role(0), mv, 2)), (1.0, 1.0));
        assert_eq!(tree.made[&child].of(place(Role(0), mv, 2)), (0.0, 0.0));
        assert!([0, child].iter().all(|at| tree.made[at].of(other) == (0.5, 0.25)));
        // Who is hardly visited does not count.
        tree.count_moves(&vec![(0, Some(0))], &[1.0, 0.0], &made, 8.0, 10);
        assert_eq!(tree.made[&0].of(other), (0.5, 0.25));
    }
}
