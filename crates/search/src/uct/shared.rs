//! The top of a tree, told to others who grow a tree from the same state, and what they have found taken in.
//!
//! Each arm remembers which part of its visits and rewards others have told, so that a tree tells only what it has found itself, and sums over
//! all trees count every random game once. Only positions in which one role chooses are told of.

use super::tree::{NONE, Node, Ready, Told, Tree};
use crate::key::key;
use crate::{Ply, PlyArm};
use game::{Game, Move, Role};
use std::collections::{HashSet, VecDeque};

/// The most positions that are told of.
const MOST: usize = 32;
/// How many moves they are from the root at most.
const DEEPEST: usize = 3;
/// Positions that had less than this part of the visits are not told of.
const PART: u64 = 24;
/// Nor those that had fewer visits than this.
const LEAST: u64 = 16;
/// Visits that others have told are believed up to this number.
const BELIEVED: u64 = 1 << 28;

impl<G: Game> Tree<G> {
    /// What others have told of a node.
    pub(super) fn heard(&self, node: &Node<G::State>) -> Option<&Told> {
        if self.told.is_empty() {
            return None;
        }
        let side = node.sides.first()?;
        self.told.get(&key(&node.state)).filter(|told| node.sides.len() == 1 && told.len() == side.arms.len())
    }

    /// The first plies as this tree has found them.
    pub(super) fn plies(&self) -> Vec<Ply> {
        let Some(root) = self.root() else { return Vec::new() };
        let mut plies: Vec<Ply> = Vec::new();
        let mut least = 0;
        let mut open: VecDeque<(u32, Vec<(Role, Move)>)> = [(root, Vec::new())].into();
        let mut seen = HashSet::from([root]);
        while let Some((at, path)) = open.pop_front().filter(|_| plies.len() < MOST) {
            let node = &self.nodes[at as usize];
            let [side] = &*node.sides else { continue };
            let heard = self.heard(node);
            let own = |place: usize| heard.map_or((0, 0.0), |heard| heard[place]);
            let arms: Vec<PlyArm> = side
                .arms
                .iter()
                .enumerate()
                .map(|(place, arm)| {
                    let (visits, sum) = own(place);
                    PlyArm {
                        mv: arm.mv,
                        visits: u64::from(arm.visits.saturating_sub(visits)),
                        sum: (arm.sum - sum).max(0.0),
                    }
                })
                .collect();
            if path.is_empty() {
                least = (arms.iter().map(|arm| arm.visits).sum::<u64>() / PART).max(LEAST);
            }
            for (arm, told) in side.arms.iter().zip(&arms).filter(|_| path.len() < DEEPEST) {
                if arm.child != NONE && told.visits >= least && seen.insert(arm.child) {
                    open.push_back((arm.child, path.iter().copied().chain([(side.role, arm.mv)]).collect()));
                }
            }
            plies.push(Ply { path, role: side.role, arms });
        }
        plies
    }

    /// Takes in what all trees have found together from this state, this one included.
    pub(super) fn learn(&mut self, state: &G::State, plies: &[Ply]) {
        let Some(root) = self.root().filter(|&root| self.nodes[root as usize].state == *state) else { return };
        for ply in plies {
            if let Some(at) = self.walk(root, &ply.path) {
                self.take_in(at, ply);
            }
        }
    }

    /// The node behind some moves, where it is in the tree and its moves are listed.
    fn walk(&self, root: u32, path: &[(Role, Move)]) -> Option<u32> {
        let mut at = root;
        for &(role, mv) in path {
            let [side] = &*self.nodes[at as usize].sides else { return None };
            let arm = side.arms.iter().find(|arm| side.role == role && arm.mv == mv)?;
            at = Some(arm.child).filter(|&child| child != NONE)?;
        }
        Some(at).filter(|&at| self.nodes[at as usize].ready == Ready::Open)
    }

    fn take_in(&mut self, at: u32, ply: &Ply) {
        let roles = self.roles;
        let Tree { nodes, told, .. } = self;
        let node = &mut nodes[at as usize];
        let [side] = &mut *node.sides else { return };
        let told = told.entry(key(&node.state)).or_insert_with(|| vec![(0, 0.0); side.arms.len()].into());
        // Two states may have the same key.
        if side.role != ply.role || told.len() != side.arms.len() {
            return;
        }
        let (mut more, mut rewards) = (0, 0.0);
        for all in &ply.arms {
            let Some(place) = side.arms.iter().position(|arm| arm.mv == all.mv) else { continue };
            let (arm, heard) = (&mut side.arms[place], &mut told[place]);
            let own = (u64::from(arm.visits.saturating_sub(heard.0)), arm.sum - heard.1);
            let others = all.visits.min(BELIEVED).saturating_sub(own.0) as u32;
            if others <= heard.0 {
                continue;
            }
            let sum = (all.sum - own.1).clamp(0.0, f64::from(others));
            (arm.visits, arm.sum) = (arm.visits + others - heard.0, arm.sum + sum - heard.1);
            (more, rewards) = (more + others - heard.0, rewards + sum - heard.1);
            *heard = (others, sum);
        }
        let (who, visits) = (usize::from(side.role.0), f64::from(node.visits));
        node.visits += more;
        // The rewards of the other roles were not told: they are taken to be as before.
        for (role, sum) in self.sums_mut(at, roles).iter_mut().enumerate() {
            let usual = if visits > 0.0 { *sum / visits } else { 0.5 };
            *sum += if role == who { rewards } else { usual * f64::from(more) };
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::uct::count::Count;
    use crate::uct::{Uct, UctSettings};
    use crate::{Budget, Monitor, Ply, Searcher};
    use game::{Move, Role};

    fn grown(seed: u64) -> Uct<Count> {
        let mut uct = Uct::new(UctSettings { playouts_per_leaf: Some(1), ..UctSettings::default() });
        search(&mut uct, &0, seed, 400);
        uct
    }

    fn search(uct: &mut Uct<Count>, state: &u32, seed: u64, playouts: u64) -> crate::Found {
        let budget = Budget { playouts: Some(playouts), ..Budget::timed(&|| 0.0, seed) };
        uct.search(&Count(30), state, Role((state % 2) as u8), &budget, &Monitor::new()).unwrap()
    }

    /// What two trees have found together.
    fn together(a: &[Ply], b: &[Ply]) -> Vec<Ply> {
        let mut all = a.to_vec();
        for ply in &mut all {
            let Some(other) = b.iter().find(|other| other.path == ply.path) else { continue };
            for (arm, more) in ply.arms.iter_mut().zip(&other.arms) {
                assert_eq!(arm.mv, more.mv);
                (arm.visits, arm.sum) = (arm.visits + more.visits, arm.sum + more.sum);
            }
        }
        all
    }

    #[test]
    fn trees_tell_what_they_have_found_themselves_and_nothing_twice() {
        let (mut one, two) = (grown(1), grown(2));
        let (first, second) = (one.plies(), two.plies());
        assert!(
            first.len() > 3 && first[0].path.is_empty() && first.iter().any(|ply| ply.path.len() == 2),
            "{first:?}"
        );
        let all = together(&first, &second);
        let visits = |uct: &Uct<Count>| u64::from(uct.trees[0].lock().nodes[0].visits);
        let alone = visits(&one);
        one.learn(&0, &all);
        // What was told is not told again, and being told the same again changes nothing.
        let same = |now: &[Ply], before: &[Ply]| {
            let find = |path: &[(Role, Move)]| now.iter().find(|ply| ply.path == path);
            before.iter().all(|ply| {
                find(&ply.path).is_none_or(|now| {
                    now.arms.iter().zip(&ply.arms).all(|(a, b)| a.visits == b.visits && (a.sum - b.sum).abs() < 1e-6)
                })
            })
        };
        assert!(same(&one.plies(), &first));
        let before = visits(&one);
        one.learn(&0, &all);
        assert_eq!(visits(&one), before);
        let told: u64 = second[0].arms.iter().map(|arm| arm.visits).sum();
        assert_eq!(before, alone + told, "{first:?}");
        // It goes on from there, and reports its own visits only.
        let found = search(&mut one, &0, 3, 100);
        let own: u64 = found.moves.iter().map(|choice| choice.visits).sum();
        assert!(own <= alone + 110 && own < visits(&one), "{own} of {alone}, {before}");
        // Another state, or nonsense, is passed over.
        one.learn(&7, &all);
        one.learn(&0, &[Ply { path: vec![(Role(1), Move(9))], role: Role(0), arms: Vec::new() }]);
        // What others told stays with what is kept of the tree.
        let after = search(&mut one, &3, 3, 50);
        assert!(after.mv.is_some());
    }
}
