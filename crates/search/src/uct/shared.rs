//! What a tree has gained, told to others who grow a tree from the same state, and what they have gained taken in.
//!
//! Each arm remembers which part of its visits and rewards others have told, so that a tree reports only what it has found itself, and sums over
//! all trees count every random game once. Only positions in which one role chooses are told of.

use super::tree::{NONE, Node, Ready, Side, Told, Tree};
use crate::exchange::{Exchange, Gain, GainArm};
use crate::key::key;
use game::{Game, Move, Role};
use std::collections::{BinaryHeap, HashSet};

/// The most positions that a tree tells of at once.
const MOST: usize = 300;
/// The most positions that are looked at to find those.
const MOST_LOOKED: usize = 4_000;
/// Where there are many trees each tells of fewer positions: so many in all, but no fewer than so many each.
const MOST_OF_ALL: (usize, usize) = (2_400, 20);
/// Visits of a position that are worth telling. Of a single one the position before it tells.
const LEAST: u32 = 2;
/// In trees of so many visits positions are told of that had such a part of them at the least: remembering and telling must cost hardly anything there.
const LARGE: (u32, u32) = (16_384, 1_024);
/// Visits that others have told are believed up to this number.
const BELIEVED: u64 = 1 << 28;

/// What is remembered of a node takes so many bytes, about.
pub(super) const UNTOLD_BYTES: usize = 96;

/// What a node has gained since that was last told: of each of its arms the place, the visits and the rewards.
pub(super) type Untold = Vec<(u32, u32, f32)>;

/// A step to a position that a tree was told of and does not have yet.
pub(super) struct Missing<S> {
    /// The node before it, and the choice there.
    pub(super) at: u32,
    pub(super) choice: u64,
    pub(super) state: S,
    pub(super) joint: Vec<Move>,
}

/// The names of the moves of a side.
fn names(others: &dyn Exchange, side: &Side) -> Vec<u64> {
    let moves: Vec<Move> = side.arms.iter().map(|arm| arm.mv).collect();
    others.names(side.role, &moves)
}

impl<G: Game> Tree<G> {
    /// What others have told of a node.
    pub(super) fn heard(&self, node: &Node<G::State>) -> Option<&Told> {
        if self.told.is_empty() {
            return None;
        }
        let side = node.sides.first()?;
        self.told.get(&key(&node.state)).filter(|told| node.sides.len() == 1 && told.len() == side.arms.len())
    }

    /// The visits of a position that is told of.
    fn least(&self) -> u32 {
        let visits = self.root().map_or(0, |root| self.nodes[root as usize].visits);
        if visits < LARGE.0 { 0 } else { visits / LARGE.1 }
    }

    /// Remembers a visit that is to be told of.
    pub(super) fn gain(&mut self, at: u32, choice: u64, rewards: &[f32]) {
        let node = &self.nodes[at as usize];
        let [side] = &*node.sides else { return };
        if node.visits < self.least() {
            return;
        }
        let (place, reward) = (choice as u32, rewards[usize::from(side.role.0)]);
        if !self.untold.contains_key(&at) {
            self.bytes += UNTOLD_BYTES;
        }
        let untold = self.untold.entry(at).or_default();
        match untold.iter_mut().find(|arm| arm.0 == place) {
            Some(arm) => (arm.1, arm.2) = (arm.1 + 1, arm.2 + reward),
            None => untold.push((place, 1, reward)),
        }
    }

    /// What was gained since the last time, in the positions that were visited most, as far as it is worth telling.
    pub(super) fn gains(&mut self, others: &dyn Exchange) -> Vec<Gain> {
        let Some(root) = self.root() else { return Vec::new() };
        let least = self.least().max(LEAST);
        // Positions from the root on, the most visited first, and how they were reached: place in the list, arm.
        let mut looked: Vec<(u32, Option<(usize, usize)>)> = Vec::new();
        let mut open = BinaryHeap::from([(u32::MAX, u32::MAX, root, None)]);
        let mut seen = HashSet::from([root]);
        let mut worth: Vec<(u32, usize)> = Vec::new();
        while let Some((_, _, at, from)) = open.pop().filter(|_| looked.len() < MOST_LOOKED) {
            let node = &self.nodes[at as usize];
            let number = looked.len();
            looked.push((at, from));
            let gained = self.untold.get(&at).map_or(0, |arms| arms.iter().map(|arm| arm.1).sum::<u32>());
            if gained >= LEAST {
                worth.push((gained, number));
            } else if self.news.contains(&at) {
                worth.push((LEAST, number));
            }
            let [side] = &*node.sides else { continue };
            for (place, arm) in side.arms.iter().enumerate() {
                let is_worth = arm.visits >= least || self.news.contains(&arm.child);
                if arm.child != NONE && is_worth && seen.insert(arm.child) {
                    open.push((arm.visits, u32::MAX - arm.child, arm.child, Some((number, place))));
                }
            }
        }
        worth.sort_by_key(|&(gained, number)| (std::cmp::Reverse(gained), number));
        // With each position goes the way to it.
        let mut is_told = vec![false; looked.len()];
        let (all, each) = MOST_OF_ALL;
        let mut left = (all / others.trees().max(1) as usize).clamp(each, MOST);
        for (_, number) in worth {
            let (mut way, mut next) = (Vec::new(), Some(number));
            while let Some(number) = next.filter(|&number| !is_told[number]) {
                way.push(number);
                next = looked[number].1.map(|(from, _)| from);
            }
            if way.len() > left {
                break;
            }
            left -= way.len();
            way.into_iter().for_each(|number| is_told[number] = true);
        }
        let mut place_of = vec![0u32; looked.len()];
        let mut gains: Vec<Gain> = Vec::new();
        for (number, &(at, from)) in looked.iter().enumerate().filter(|(number, _)| is_told[*number]) {
            place_of[number] = gains.len() as u32;
            let node = &self.nodes[at as usize];
            let from = from.map(|(before, arm)| {
                let side = &self.nodes[looked[before].0 as usize].sides[0];
                (place_of[before], others.names(side.role, &[side.arms[arm].mv])[0])
            });
            let role = node.sides.first().map_or(Role(0), |side| side.role);
            let untold = self.untold.remove(&at);
            self.bytes = self.bytes.saturating_sub(untold.as_ref().map_or(0, |_| UNTOLD_BYTES));
            let untold = untold.unwrap_or_default();
            let moves: Vec<Move> = untold.iter().map(|arm| node.sides[0].arms[arm.0 as usize].mv).collect();
            let names = others.names(role, &moves);
            let arm = |((_, visits, sum), name): ((u32, u32, f32), u64)| GainArm {
                name,
                visits: visits.into(),
                sum: sum.into(),
            };
            let proven = self.news.remove(&at).then(|| node.exact.as_deref().map(<[f32]>::to_vec)).flatten();
            gains.push(Gain { from, role, arms: untold.into_iter().zip(names).map(arm).collect(), proven });
        }
        gains
    }

    /// Where the positions of a list are in the tree, as far as they are; and the steps to those that are not, where what lies before them is.
    pub(super) fn places(
        &self,
        others: &dyn Exchange,
        gains: &[Gain],
        places: &mut [Option<u32>],
    ) -> Vec<Missing<G::State>> {
        let mut missing: Vec<Missing<G::State>> = Vec::new();
        let mut asked: HashSet<(u32, usize)> = HashSet::new();
        for (number, gain) in gains.iter().enumerate() {
            if places[number].is_some() {
                continue;
            }
            let Some((before, name)) = gain.from else {
                places[number] = self.root();
                continue;
            };
            let Some(at) = places.get(before as usize).copied().flatten().filter(|_| (before as usize) < number) else {
                continue;
            };
            let node = &self.nodes[at as usize];
            let [side] = &*node.sides else { continue };
            let Some(place) = names(others, side).iter().position(|&own| own == name) else { continue };
            match side.arms[place].child {
                NONE if asked.insert((at, place)) => {
                    let joint = self.joint_of(at, place as u64);
                    missing.push(Missing { at, choice: place as u64, state: node.state.clone(), joint });
                }
                NONE => {}
                child => places[number] = Some(child),
            }
        }
        missing
    }

    /// Takes in what others have gained, in the positions that are in the tree.
    pub(super) fn take_in(&mut self, others: &dyn Exchange, gains: &[Gain], places: &[Option<u32>]) {
        for (gain, at) in gains.iter().zip(places) {
            let Some(at) = *at else { continue };
            self.take_in_one(others, at, gain);
        }
        // From below: what follows from what is proven.
        for (gain, at) in gains.iter().zip(places).rev() {
            let Some(at) = *at else { continue };
            if let Some(proven) = gain.proven.as_ref().filter(|proven| proven.len() == self.roles)
                && self.nodes[at as usize].exact.is_none()
            {
                self.set_exact(at, proven.as_slice().into());
                self.news.remove(&at);
            }
            if let Some((before, _)) = gain.from
                && self.nodes[at as usize].exact.is_some()
                && let Some(before) = places.get(before as usize).copied().flatten()
                && self.nodes[before as usize].ready == Ready::Open
            {
                self.prove(before);
            }
        }
    }

    fn take_in_one(&mut self, others: &dyn Exchange, at: u32, gain: &Gain) {
        let roles = self.roles;
        let Tree { nodes, told, .. } = self;
        let node = &mut nodes[at as usize];
        let [side] = &mut *node.sides else { return };
        if node.ready != Ready::Open || side.role != gain.role || gain.arms.is_empty() {
            return;
        }
        let told = told.entry(key(&node.state)).or_insert_with(|| vec![(0, 0.0); side.arms.len()].into());
        // Two states may have the same key.
        if told.len() != side.arms.len() {
            return;
        }
        let names = names(others, side);
        let (mut more, mut rewards) = (0u32, 0.0);
        for gained in &gain.arms {
            let Some(place) = names.iter().position(|&own| own == gained.name) else { continue };
            let (arm, heard) = (&mut side.arms[place], &mut told[place]);
            let visits = gained.visits.min(BELIEVED.saturating_sub(heard.0.into())) as u32;
            let sum = gained.sum.clamp(0.0, f64::from(visits));
            (arm.visits, arm.sum) = (arm.visits + visits, arm.sum + sum);
            (heard.0, heard.1) = (heard.0 + visits, heard.1 + sum);
            (more, rewards) = (more + visits, rewards + sum);
        }
        let (who, visits) = (usize::from(side.role.0), f64::from(node.visits));
        node.visits += more;
        // The rewards of the other roles are not told: they are taken to be as before.
        for (role, sum) in self.sums_mut(at, roles).iter_mut().enumerate() {
            let usual = if visits > 0.0 { *sum / visits } else { 0.5 };
            *sum += if role == who { rewards } else { usual * f64::from(more) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uct::count::Count;
    use crate::uct::{Uct, UctSettings};
    use crate::{Budget, Found, Monitor, Searcher};
    use std::sync::{Arc, Mutex};

    /// What one tree has told, and what it is to hear.
    #[derive(Default)]
    struct Letters {
        told: Mutex<Vec<Gain>>,
        to_hear: Mutex<Vec<Gain>>,
    }

    impl Exchange for Letters {
        fn is_due(&self, playouts: u64) -> bool {
            playouts == 0 || playouts >= 300 && self.told.lock().unwrap().is_empty()
        }

        fn trees(&self) -> u32 {
            2
        }

        fn names(&self, role: Role, moves: &[Move]) -> Vec<u64> {
            moves.iter().map(|mv| 100 + 10 * u64::from(role.0) + u64::from(mv.0)).collect()
        }

        fn exchange(&self, gains: Vec<Gain>) -> Vec<Vec<Gain>> {
            *self.told.lock().unwrap() = gains;
            vec![std::mem::take(&mut *self.to_hear.lock().unwrap())]
        }
    }

    fn member() -> (Uct<Count>, Arc<Letters>) {
        let mut uct = Uct::new(UctSettings { playouts_per_leaf: Some(1), ..UctSettings::default() });
        let letters: Arc<Letters> = Arc::default();
        uct.exchange_with(Some(Arc::clone(&letters) as Arc<dyn Exchange>));
        (uct, letters)
    }

    fn search(uct: &mut Uct<Count>, state: u32, seed: u64, playouts: u64) -> Found {
        search_to(30, uct, state, seed, playouts)
    }

    fn search_to(end: u32, uct: &mut Uct<Count>, state: u32, seed: u64, playouts: u64) -> Found {
        let role = Role((state % 2) as u8);
        uct.search(&Count(end), &state, role, &Budget::of_playouts(playouts, seed), &Monitor::new()).unwrap()
    }

    fn visits(gains: &[Gain]) -> u64 {
        gains.iter().filter(|gain| gain.from.is_none()).flat_map(|gain| &gain.arms).map(|arm| arm.visits).sum()
    }

    #[test]
    fn what_is_gained_is_told_once_and_taken_in_at_every_depth() {
        let (mut one, letters) = member();
        search_to(400, &mut one, 0, 1, 400);
        let told = letters.told.lock().unwrap().clone();
        assert!((300..=340).contains(&visits(&told)), "{told:?}");
        let depth = |gains: &[Gain]| {
            let mut depths: Vec<u32> = Vec::new();
            gains.iter().for_each(|gain| depths.push(gain.from.map_or(0, |(before, _)| depths[before as usize] + 1)));
            depths.into_iter().max()
        };
        assert!(depth(&told) >= Some(3), "{told:?}");
        // What came later is told when the next search begins, and nothing twice.
        search_to(400, &mut one, 0, 2, 10);
        let rest = visits(&letters.told.lock().unwrap());
        assert!((60..=100).contains(&rest), "{rest}");
        // Somebody who has no tree yet gets it: positions are made, and reports have its own visits only.
        let (mut two, letters) = member();
        *letters.to_hear.lock().unwrap() = told.clone();
        let found = search_to(400, &mut two, 0, 3, 20);
        let tree = two.trees[0].lock();
        assert_eq!(u64::from(tree.nodes[0].visits), visits(&told) + 20);
        assert!(tree.nodes.len() >= told.len(), "{} {}", tree.nodes.len(), told.len());
        let own: u64 = found.moves.iter().map(|choice| choice.visits).sum();
        assert_eq!(own, 20, "{found:?}");
        for node in &tree.nodes {
            let arms: u32 = node.sides.iter().flat_map(|side| side.arms.iter().map(|arm| arm.visits)).sum();
            assert!(arms <= node.visits);
        }
    }

    #[test]
    fn what_others_have_proven_is_proven() {
        // From 25 of 30 the first player says 26 and has won.
        let (mut one, letters) = member();
        assert!(search(&mut one, 50, 1, 2_000).proven);
        let (mut two, heard) = member();
        one.exchange_with(Some(Arc::clone(&letters) as Arc<dyn Exchange>));
        search(&mut one, 50, 2, 1);
        let told = letters.told.lock().unwrap().clone();
        assert!(told.iter().any(|gain| gain.proven.is_some()), "{told:?}");
        *heard.to_hear.lock().unwrap() = told;
        let found = search(&mut two, 50, 3, 1);
        assert!(found.proven && found.playouts <= 1, "{found:?}");
    }

    #[test]
    fn nonsense_is_passed_over() {
        let (mut one, letters) = member();
        let arm = |name| GainArm { name, visits: u64::MAX, sum: f64::INFINITY };
        let gain = |from, arms| Gain { from, role: Role(1), arms, proven: Some(vec![1.0; 9]) };
        *letters.to_hear.lock().unwrap() =
            vec![gain(None, vec![arm(7)]), gain(Some((0, 5)), vec![arm(1)]), gain(Some((9, 101)), Vec::new())];
        let found = search(&mut one, 0, 1, 50);
        assert_eq!(found.moves.iter().map(|choice| choice.visits).sum::<u64>(), 50);
    }
}
