//! One tree that several threads grow.
//!
//! The tree has one lock. A thread holds it for a few dozen descents, or for the results of a few leaves, and not while it makes steps or plays
//! random games; visits that have begun are counted in the tree before the lock is given back, so that the next thread goes elsewhere
//! (as in WU-UCT). Waiting counts as time that the tree takes, so where many threads wait, leaves get more random games.

use super::tree::Tree;
use game::Game;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A tree, and whether more of it would change nothing.
pub(super) struct Common<G: Game> {
    tree: Mutex<Tree<G>>,
    decided: AtomicBool,
}

impl<G: Game> Default for Common<G> {
    fn default() -> Common<G> {
        Common { tree: Mutex::default(), decided: AtomicBool::new(false) }
    }
}

impl<G: Game> Common<G> {
    /// The tree, as soon as no other thread has it.
    pub(super) fn lock(&self) -> MutexGuard<'_, Tree<G>> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes `state` the root, or joins those who grow the tree from there already. `None` if others grow it from another state.
    pub(super) fn join(&self, game: &G, state: &G::State, memory: usize, plain: bool) -> Option<Growing<'_, G>> {
        let mut tree = self.lock();
        if tree.growers == 0 {
            tree.begin(game, state, memory, plain);
            self.decided.store(false, Ordering::Relaxed);
        } else if !tree.is_at(state) {
            return None;
        }
        tree.growers += 1;
        Some(Growing(self))
    }

    /// Whether somebody has found that more of the tree would change nothing.
    pub(super) fn is_decided(&self) -> bool {
        self.decided.load(Ordering::Relaxed)
    }

    /// More of the tree would change nothing.
    pub(super) fn decide(&self) {
        self.decided.store(true, Ordering::Relaxed);
    }
}

/// Somebody grows a tree; its root stays as long as this lives.
pub(super) struct Growing<'a, G: Game>(pub(super) &'a Common<G>);

impl<G: Game> Drop for Growing<'_, G> {
    fn drop(&mut self) {
        self.0.lock().growers -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uct::count::Count;
    use crate::uct::{Uct, UctSettings};
    use crate::{Budget, Monitor, Searcher};
    use game::Role;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn every_visit_that_begins_ends() {
        let mut uct = Uct::new(UctSettings { threads: 3, ..UctSettings::default() });
        let asked = AtomicU32::new(0);
        let spent = || asked.fetch_add(1, Ordering::Relaxed) as f32 / 3000.0;
        let found = uct.search(&Count(400), &0, Role(0), &Budget::timed(&spent, 1), &Monitor::new()).unwrap();
        let tree = uct.trees[0].lock();
        assert!(tree.nodes.len() > 100 && tree.growers == 0, "{}", tree.nodes.len());
        for node in &tree.nodes {
            assert!(node.running == 0 && node.sides.iter().all(|side| side.arms.iter().all(|arm| arm.running == 0)));
            // Every visit of a node but those that ended in it went on with one of its moves.
            let visits: u32 = node.sides.iter().flat_map(|side| side.arms.iter().map(|arm| arm.visits)).sum();
            assert!(visits <= node.visits);
        }
        // All games that were played are in the tree, and nothing else.
        let root = &tree.nodes[0];
        assert_eq!(u64::from(root.visits), found.playouts);
    }

    #[test]
    fn who_comes_while_others_grow_the_tree_joins_them() {
        let common: Common<Count> = Common::default();
        let first = common.join(&Count(60), &0, 1 << 20, false);
        assert!(first.is_some() && common.join(&Count(60), &5, 1 << 20, false).is_none());
        let second = common.join(&Count(60), &0, 1 << 20, false);
        assert!(second.is_some() && common.lock().growers == 2);
        drop((first, second));
        assert!(common.join(&Count(60), &5, 1 << 20, false).is_some());
        assert_eq!(common.lock().growers, 0);
    }
}
