//! The tree: nodes for states, arms for moves, results and proofs.

use super::grave::Counts;
use super::proof::Total;
use super::shared::{UNTOLD_BYTES, Untold};
use crate::key::{Mix, key};
use game::steps::Seen;
use game::{Game, Limit, Move, Role, Turn};
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::ops::{Deref, DerefMut};

/// No child yet.
pub(super) const NONE: u32 = u32::MAX;

/// A move that a role can make in a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    pub(super) mv: Move,
    pub(super) visits: u32,
    /// Visits whose random games are still running.
    pub(super) running: u16,
    /// Rewards of the role that chooses, between 0 and 1 a visit. A narrower number would stop growing after some
    /// million visits.
    pub(super) sum: f64,
    /// The node it leads to, where this role alone chooses.
    pub(super) child: u32,
    /// Whether another move is proven to be as good whatever the others do, where several roles choose.
    pub(super) lost: bool,
}

/// A role that has a choice in a node.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub(super) role: Role,
    pub(super) arms: Box<[Arm]>,
}

/// The roles that have a choice in a node. Nearly always it is one, which is kept in the node itself: one look less on the way down.
#[derive(Clone, Debug, Default)]
pub(super) enum Sides {
    #[default]
    Nobody,
    One(Side),
    Many(Box<[Side]>),
}

impl From<Vec<Side>> for Sides {
    fn from(mut sides: Vec<Side>) -> Sides {
        match sides.len() {
            0 | 1 => sides.pop().map_or(Sides::Nobody, Sides::One),
            _ => Sides::Many(sides.into()),
        }
    }
}

impl Deref for Sides {
    type Target = [Side];
    #[inline]
    fn deref(&self) -> &[Side] {
        match self {
            Sides::Nobody => &[],
            Sides::One(side) => std::slice::from_ref(side),
            Sides::Many(sides) => sides,
        }
    }
}

impl DerefMut for Sides {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Side] {
        match self {
            Sides::Nobody => &mut [],
            Sides::One(side) => std::slice::from_mut(side),
            Sides::Many(sides) => sides,
        }
    }
}

/// How much is known of a node's moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ready {
    /// Not yet looked at.
    New,
    /// Its moves are listed.
    Open,
    /// Nothing can be played here: the game is over or stuck, or the engine gave up.
    Closed,
}

/// A state in the tree.
pub(super) struct Node<S> {
    pub(super) state: S,
    pub(super) visits: u32,
    pub(super) running: u32,
    pub(super) ready: Ready,
    /// The roles with a choice; the first role with its only move where nobody has one.
    pub(super) sides: Sides,
    /// A legal move of every role.
    pub(super) joint: Box<[Move]>,
    /// The rewards of all roles, between 0 and 1, where they are proven.
    pub(super) exact: Option<Box<[f32]>>,
}

impl<S> Node<S> {
    /// Does something with the arm of each side that is part of a joint choice.
    #[inline]
    fn chosen(&mut self, choice: Option<u64>, mut with: impl FnMut(Role, &mut Arm)) {
        let Some(mut choice) = choice else { return };
        if let Sides::One(side) = &mut self.sides {
            return with(side.role, &mut side.arms[choice as usize]);
        }
        for side in self.sides.iter_mut() {
            let count = side.arms.len() as u64;
            with(side.role, &mut side.arms[(choice % count) as usize]);
            choice /= count;
        }
    }
}

/// What is to be decided in a state: all that a node is made of beside the state.
pub(super) struct Opening {
    sides: Sides,
    joint: Box<[Move]>,
    /// The rewards where nothing can be played.
    pub(super) exact: Option<Box<[f32]>>,
}

impl Opening {
    pub(super) fn new(seen: &Seen) -> Opening {
        if seen.over || seen.is_stuck() {
            let exact = seen.goals.iter().map(|goal| f32::from(goal.unwrap_or(0)) / 100.0).collect();
            return Opening { sides: Sides::default(), joint: Box::default(), exact: Some(exact) };
        }
        let turn = seen.turn();
        let mut sides = Vec::with_capacity(1);
        let mut joint = Vec::with_capacity(seen.ends.len());
        for role in (0..seen.ends.len()).map(|role| Role(role as u8)) {
            let legal = seen.legal(role);
            joint.push(legal[0]);
            if turn == Turn::One(role) || turn == Turn::Many && legal.len() > 1 {
                let arm = |&mv: &Move| Arm { mv, visits: 0, running: 0, sum: 0.0, child: NONE, lost: false };
                sides.push(Side { role, arms: legal.iter().map(arm).collect() });
            }
        }
        Opening { sides: sides.into(), joint: joint.into(), exact: None }
    }
}

/// Hashing that is the same in every run.
#[derive(Clone, Copy, Default)]
pub(super) struct Same;

impl BuildHasher for Same {
    type Hasher = Mix;
    fn build_hasher(&self) -> Mix {
        Mix(0)
    }
}

/// Visits and rewards of each arm of a node that others have told.
pub(super) type Told = Box<[(u32, f64)]>;

/// All nodes of a search.
pub(super) struct Tree<G: Game> {
    pub(super) nodes: Vec<Node<G::State>>,
    sums: Vec<f64>,
    /// Whether a node's rewards are known: looked up for every move of every node on the way down, so it must be small.
    proven: Vec<bool>,
    pub(super) roles: usize,
    /// Nodes by the key of their state.
    known: HashMap<u64, u32, Same>,
    /// Children where several roles choose at once: by node and number of the joint choice.
    pub(super) joints: HashMap<(u32, u64), u32, Same>,
    root: u32,
    pub(super) bytes: usize,
    most_bytes: usize,
    /// Whether equal states share a node.
    share: bool,
    /// What others have found of the moves of a node, by the key of its state: it is part of its arms.
    pub(super) told: HashMap<u64, Told, Same>,
    /// What was gained and not told yet, by the node; and the nodes that were proven since.
    pub(super) untold: HashMap<u32, Untold, Same>,
    pub(super) news: HashSet<u32>,
    /// Whether others are told.
    pub(super) tells: bool,
    /// What random games tell of moves, by the node that they came through.
    pub(super) made: HashMap<u32, Counts, Same>,
    pub(super) total: Total,
    /// Searches that are growing it.
    pub(super) growers: usize,
}

impl<G: Game> Default for Tree<G> {
    fn default() -> Tree<G> {
        Tree {
            nodes: Vec::new(),
            sums: Vec::new(),
            proven: Vec::new(),
            roles: 0,
            known: HashMap::default(),
            joints: HashMap::default(),
            root: NONE,
            bytes: 0,
            most_bytes: 0,
            share: true,
            told: HashMap::default(),
            untold: HashMap::default(),
            news: HashSet::new(),
            tells: false,
            made: HashMap::default(),
            total: Total::default(),
            growers: 0,
        }
    }
}

impl<G: Game> Tree<G> {
    /// Makes `state` the root: a node that is already there, with all below it, or a new tree.
    pub(super) fn begin(&mut self, game: &G, state: &G::State, memory: usize, plain: bool) {
        self.roles = game.roles();
        self.share = !plain;
        self.most_bytes = memory;
        let old = self.known.get(&key(state)).copied().filter(|&at| self.nodes[at as usize].state == *state);
        match old {
            Some(root) if !plain => {
                self.root = root;
                if self.bytes > memory / 2 {
                    self.keep_below(root);
                }
            }
            _ => {
                let Tree { roles, share, total, growers, tells, .. } = *self;
                *self = Tree { roles, share, total, growers, tells, most_bytes: memory, ..Tree::default() };
                self.root = self.node(state.clone());
            }
        }
        for node in &mut self.nodes {
            if node.running > 0 {
                node.running = 0;
                node.sides.iter_mut().flat_map(|side| side.arms.iter_mut()).for_each(|arm| arm.running = 0);
            }
        }
    }

    pub(super) fn root(&self) -> Option<u32> {
        (self.root != NONE).then_some(self.root)
    }

    /// Whether this state is the root.
    pub(super) fn is_at(&self, state: &G::State) -> bool {
        self.root().is_some_and(|root| self.nodes[root as usize].state == *state)
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes > self.most_bytes || self.nodes.len() > 1 << 30
    }

    pub(super) fn sums(&self, node: u32) -> &[f64] {
        let at = node as usize * self.roles;
        &self.sums[at..at + self.roles]
    }

    pub(super) fn sums_mut(&mut self, node: u32, roles: usize) -> &mut [f64] {
        &mut self.sums[node as usize * roles..(node as usize + 1) * roles]
    }

    /// The node of a state; made if it is new.
    pub(super) fn node(&mut self, state: G::State) -> u32 {
        let key = key(&state);
        if self.share
            && let Some(&at) = self.known.get(&key)
            && self.nodes[at as usize].state == state
        {
            return at;
        }
        let at = self.nodes.len() as u32;
        // Where two states have the same key, the first stays findable; the other is just not shared.
        if self.share || self.nodes.is_empty() {
            self.known.entry(key).or_insert(at);
        }
        self.bytes += size_of::<Node<G::State>>() + 160 + 8 * self.roles;
        self.sums.resize(self.sums.len() + self.roles, 0.0);
        self.proven.push(false);
        self.nodes.push(Node {
            state,
            visits: 0,
            running: 0,
            ready: Ready::New,
            sides: Sides::default(),
            joint: Box::default(),
            exact: None,
        });
        at
    }

    /// Lists the moves of a node that a view can look at.
    pub(super) fn open(&mut self, game: &G, at: u32, view: &mut G::View) -> Result<(), Limit> {
        let mut seen = Seen::default();
        let node = &mut self.nodes[at as usize];
        node.ready = Ready::Closed;
        game.look(&node.state, view)?;
        seen.read(game, view)?;
        self.fill(at, Opening::new(&seen));
        Ok(())
    }

    /// Writes into a node what is to be decided there.
    pub(super) fn fill(&mut self, at: u32, opening: Opening) {
        let Opening { sides, joint, exact } = opening;
        self.bytes += sides.iter().map(|side| 48 + side.arms.len() * size_of::<Arm>()).sum::<usize>();
        let node = &mut self.nodes[at as usize];
        node.ready = if exact.is_some() { Ready::Closed } else { Ready::Open };
        (node.sides, node.joint) = (sides, joint);
        if let Some(exact) = exact {
            self.set_exact(at, exact);
        }
    }

    /// The number of a joint choice in a node: which arm each side takes.
    pub(super) fn arms_of(node: &Node<G::State>, mut choice: u64) -> impl Iterator<Item = usize> + '_ {
        node.sides.iter().map(move |side| {
            let count = side.arms.len() as u64;
            let arm = choice % count;
            choice /= count;
            arm as usize
        })
    }

    pub(super) fn child(&self, at: u32, choice: u64) -> Option<u32> {
        let node = &self.nodes[at as usize];
        match &*node.sides {
            [side] => Some(side.arms[choice as usize].child).filter(|&child| child != NONE),
            _ => self.joints.get(&(at, choice)).copied(),
        }
    }

    pub(super) fn set_child(&mut self, at: u32, choice: u64, child: u32) {
        match &mut *self.nodes[at as usize].sides {
            [side] => side.arms[choice as usize].child = child,
            _ => {
                self.bytes += 40;
                self.joints.insert((at, choice), child);
            }
        }
    }

    /// The joint move that a choice in a node is.
    pub(super) fn joint_of(&self, at: u32, choice: u64) -> Vec<Move> {
        let node = &self.nodes[at as usize];
        let mut joint = node.joint.to_vec();
        for (side, arm) in node.sides.iter().zip(Self::arms_of(node, choice)) {
            joint[side.role.0 as usize] = side.arms[arm].mv;
        }
        joint
    }

    /// The rewards of a node are known now.
    pub(super) fn set_exact(&mut self, at: u32, exact: Box<[f32]>) {
        self.nodes[at as usize].exact = Some(exact);
        self.proven[at as usize] = true;
        if self.tells {
            self.news.insert(at);
        }
    }

    /// Counts a visit that has begun in a node and in the arms chosen in it.
    pub(super) fn begin_visit(&mut self, at: u32, choice: Option<u64>) {
        let node = &mut self.nodes[at as usize];
        node.running += 1;
        node.chosen(choice, |_, arm| arm.running = arm.running.saturating_add(1));
    }

    /// Takes back that a visit has begun.
    pub(super) fn drop_visit(&mut self, at: u32, choice: Option<u64>) {
        let node = &mut self.nodes[at as usize];
        node.running = node.running.saturating_sub(1);
        node.chosen(choice, |_, arm| arm.running = arm.running.saturating_sub(1));
    }

    /// Adds the result of a visit that had begun.
    pub(super) fn end_visit(&mut self, at: u32, choice: Option<u64>, rewards: &[f32]) {
        let first = at as usize * self.roles;
        for (sum, reward) in self.sums[first..first + self.roles].iter_mut().zip(rewards) {
            *sum += f64::from(*reward);
        }
        let node = &mut self.nodes[at as usize];
        (node.visits, node.running) = (node.visits + 1, node.running.saturating_sub(1));
        node.chosen(choice, |role, arm| {
            (arm.visits, arm.running) = (arm.visits + 1, arm.running.saturating_sub(1));
            arm.sum += f64::from(rewards[role.0 as usize]);
        });
    }

    /// The proven rewards behind an arm, where its role alone chooses.
    pub(super) fn exact_child(&self, arm: &Arm) -> Option<&[f32]> {
        if !*self.proven.get(arm.child as usize)? {
            return None;
        }
        self.nodes[arm.child as usize].exact.as_deref()
    }

    /// The proven reward of the role behind an arm, where it alone chooses.
    pub(super) fn exact_arm(&self, node: &Node<G::State>, arm: &Arm, role: Role) -> Option<f32> {
        if node.sides.len() != 1 {
            return None;
        }
        self.exact_child(arm).map(|values| values[role.0 as usize])
    }

    /// The most visited line, as joint moves.
    pub(super) fn line(&self, most: usize) -> Vec<Vec<Move>> {
        let mut line = Vec::new();
        let mut at = self.root;
        while at != NONE && line.len() < most {
            let node = &self.nodes[at as usize];
            let mut joint = node.joint.to_vec();
            let (mut choice, mut scale) = (0u64, 1u64);
            for side in node.sides.iter() {
                let worth = |arm: &Arm| {
                    let exact = self.exact_arm(node, arm, side.role);
                    (exact == Some(1.0), exact != Some(0.0), arm.visits)
                };
                let places = 0..side.arms.len();
                let Some(best) = places.max_by_key(|&arm| worth(&side.arms[arm])) else { break };
                joint[side.role.0 as usize] = side.arms[best].mv;
                choice = scale.saturating_mul(best as u64).saturating_add(choice);
                scale = scale.saturating_mul(side.arms.len() as u64);
            }
            if node.sides.is_empty() || node.visits == 0 && node.exact.is_none() {
                break;
            }
            line.push(joint);
            at = self.child(at, choice).unwrap_or(NONE);
        }
        line
    }

    /// Forgets all nodes that cannot be reached from `root`.
    fn keep_below(&mut self, root: u32) {
        let mut place = vec![NONE; self.nodes.len()];
        let mut order = vec![root];
        place[root as usize] = 0;
        let mut below: HashMap<u32, Vec<(u64, u32)>, Same> = HashMap::default();
        for (&(parent, choice), &child) in &self.joints {
            below.entry(parent).or_default().push((choice, child));
        }
        below.values_mut().for_each(|children| children.sort_unstable());
        let mut next = 0;
        while let Some(&at) = order.get(next) {
            next += 1;
            let arms = self.nodes[at as usize].sides.iter().flat_map(|side| side.arms.iter().map(|arm| arm.child));
            let joint = below.get(&at).into_iter().flatten().map(|&(_, child)| child);
            for child in arms.chain(joint).filter(|&child| child != NONE) {
                if place[child as usize] == NONE {
                    place[child as usize] = order.len() as u32;
                    order.push(child);
                }
            }
        }
        let mut old: Vec<Option<Node<G::State>>> = std::mem::take(&mut self.nodes).into_iter().map(Some).collect();
        let sums = std::mem::take(&mut self.sums);
        self.proven.clear();
        self.known.clear();
        self.bytes = 0;
        for &at in &order {
            let Some(mut node) = old[at as usize].take() else { continue };
            self.known.entry(key(&node.state)).or_insert(self.nodes.len() as u32);
            self.bytes += size_of::<Node<G::State>>() + 160 + 8 * self.roles;
            for side in node.sides.iter_mut() {
                self.bytes += 48 + side.arms.len() * size_of::<Arm>();
                for arm in side.arms.iter_mut().filter(|arm| arm.child != NONE) {
                    arm.child = place[arm.child as usize];
                }
            }
            self.proven.push(node.exact.is_some());
            self.sums.extend_from_slice(&sums[at as usize * self.roles..(at as usize + 1) * self.roles]);
            self.nodes.push(node);
        }
        let joints = std::mem::take(&mut self.joints);
        let kept = joints.into_iter().filter(|((parent, _), _)| place[*parent as usize] != NONE);
        self.joints =
            kept.map(|((parent, choice), child)| ((place[parent as usize], choice), place[child as usize])).collect();
        self.bytes += 40 * self.joints.len();
        let made = std::mem::take(&mut self.made).into_iter().filter(|(at, _)| place[*at as usize] != NONE);
        self.made = made.map(|(at, counts)| (place[at as usize], counts)).collect();
        self.bytes += self.made.values().map(Counts::bytes).sum::<usize>();
        let untold = std::mem::take(&mut self.untold).into_iter().filter(|(at, _)| place[*at as usize] != NONE);
        self.untold = untold.map(|(at, arms)| (place[at as usize], arms)).collect();
        self.bytes += UNTOLD_BYTES * self.untold.len();
        let news = std::mem::take(&mut self.news).into_iter().filter(|at| place[*at as usize] != NONE);
        self.news = news.map(|at| place[at as usize]).collect();
        let Tree { told, known, .. } = self;
        told.retain(|key, _| known.contains_key(key));
        self.root = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uct::count::Count;
    use crate::uct::{Uct, UctSettings};
    use crate::{Budget, Monitor, Searcher};

    /// The state that follows from a node by a choice.
    fn follow(tree: &Tree<Count>, at: u32, choice: u64) -> u32 {
        let mut state = tree.nodes[at as usize].state;
        Count(60).play(&mut { state }, &tree.joint_of(at, choice), &mut state).unwrap();
        state
    }

    #[test]
    fn a_tree_is_kept_and_cut_to_what_can_be_reached() {
        let mut tree: Tree<Count> = Tree::default();
        tree.begin(&Count(60), &0, 1 << 20, false);
        let mut view = 0;
        // Everything that two moves can reach.
        let mut next = 0;
        while next < 13 {
            tree.open(&Count(60), next, &mut view).unwrap();
            for choice in 0..3 {
                let state = follow(&tree, next, choice);
                let child = tree.node(state);
                tree.set_child(next, choice, child);
            }
            next += 1;
        }
        let (size, bytes) = (tree.nodes.len(), tree.bytes);
        tree.begin(&Count(60), &5, 1 << 20, false);
        assert_eq!((tree.nodes.len(), tree.nodes[tree.root as usize].state), (size, 5));
        // Too little memory for all of it: only what lies below the root stays.
        tree.begin(&Count(60), &5, bytes, false);
        assert!(tree.nodes.len() < size && tree.bytes < bytes);
        assert_eq!((tree.root, tree.nodes[0].state), (0, 5));
        for at in 0..tree.nodes.len() as u32 {
            for choice in 0..tree.nodes[at as usize].sides.first().map_or(0, |side| side.arms.len()) as u64 {
                let Some(child) = tree.child(at, choice) else { continue };
                assert_eq!(tree.nodes[child as usize].state, follow(&tree, at, choice));
            }
        }
        tree.begin(&Count(60), &99, 1 << 20, false);
        assert_eq!(tree.nodes.len(), 1);
    }

    #[test]
    fn what_is_found_while_others_decide_is_kept() {
        let mut uct = Uct::new(UctSettings::default());
        // The other role is at 20; we wait. Then it says 21, and there is hardly any time for an answer.
        uct.ponder(&Count(60), &41, Role(0), &Budget::of_playouts(20_000, 1)).unwrap();
        let is_proven = |uct: &mut Uct<Count>| {
            let budget = Budget::of_playouts(50, 1);
            uct.search(&Count(60), &42, Role(0), &budget, &Monitor::new()).unwrap().proven
        };
        assert!(is_proven(&mut uct));
        assert!(!is_proven(&mut Uct::new(UctSettings::default())));
    }

    #[test]
    fn with_hardly_any_memory_play_goes_on() {
        let mut uct = Uct::new(UctSettings::default());
        let budget = Budget { memory: 4000, ..Budget::of_playouts(20_000, 1) };
        // From 53 only 56 wins.
        let found = uct.search(&Count(60), &106, Role(0), &budget, &Monitor::new()).unwrap();
        assert_eq!(found.mv, Some(Move(3)), "{found:?}");
        assert!(found.nodes < 40, "{}", found.nodes);
    }
}
