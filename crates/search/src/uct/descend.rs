//! From the root down to a leaf: which move is looked at next.

use super::UctSettings;
use super::grave::{self, Counts};
use super::learned::Learned;
use super::tree::{Arm, Node, Ready, Tree};
use game::random::Rng;
use game::{Game, Move};

/// Where several roles choose at once, exploration weighs so many times more: what is best keeps changing with the others.
const AT_ONCE: f32 = 1.75;

/// How wrong what games with a move brought is taken to be: what counts as much as so many visits of the move itself is the reciprocal. (In hex, with
/// 300, 4,000 and 15,000 random games a move: better than 0.01 and 0.5.)
const BIAS: f32 = 0.1;

/// The nodes from the root and the choices made in them; the last node has none if the way ends in it.
pub(super) type Path = Vec<(u32, Option<u64>)>;

/// A step that leads to a new node: the way to it, with the choice to be made at its end; the state there and the joint move that is.
pub(super) struct Step<S> {
    pub(super) path: Path,
    pub(super) state: S,
    pub(super) joint: Vec<Move>,
}

/// How a descent ended. The visits of its way have begun, unless nothing came of it.
pub(super) enum Descent<S> {
    /// Where nothing has to be played.
    Settled(Path),
    /// In a node to play from.
    Leaf(Path, S),
    /// Before a step that nobody has made yet.
    Step(Step<S>),
    /// Before a step that is being made already.
    Taken,
}

/// How moves are selected, and what for that has to be remembered.
pub(super) struct Selection {
    pub(super) settings: UctSettings,
    pub(super) learned: Learned,
    pub(super) rng: Rng,
    pub(super) descents: u64,
}

impl Selection {
    /// One descent. Steps that were begun and not yet made are not begun again. Nodes that have not been looked at are opened by `open`.
    pub(super) fn descend<G: Game>(
        &mut self,
        tree: &mut Tree<G>,
        begun: &[Step<G::State>],
        open: &mut dyn FnMut(&mut Tree<G>, u32),
    ) -> Descent<G::State> {
        self.descents += 1;
        let mut path: Path = Vec::with_capacity(32);
        let Some(mut at) = tree.root() else { return Descent::Taken };
        // The last node on the way that knows enough of moves.
        let mut asked = None;
        loop {
            if tree.nodes[at as usize].ready == Ready::New {
                open(tree, at);
            }
            let node = &tree.nodes[at as usize];
            let open_root = tree.root() == Some(at) && node.sides.len() > 1;
            let known = node.exact.is_some() && (!self.settings.plain || node.sides.is_empty()) && !open_root;
            if known || node.ready == Ready::Closed {
                path.push((at, None));
                tree.begin_visit(at, None);
                return Descent::Settled(path);
            }
            // A leaf: never visited, or a state that was met before on this path. Where games are under way already, more of
            // them would tell less than those from a state below.
            let fresh = node.visits == 0 && node.running == 0 && (tree.root() != Some(at));
            if fresh || path.len() > 1000 || path.iter().any(|step| step.0 == at) {
                path.push((at, None));
                let state = node.state.clone();
                tree.begin_visit(at, None);
                return Descent::Leaf(path, state);
            }
            if self.settings.grave.is_some_and(|least| node.visits >= least) && tree.made.contains_key(&at) {
                asked = Some(at);
            }
            let choice = self.select(tree, at, asked.and_then(|asked| tree.made.get(&asked)));
            let child = tree.child(at, choice);
            if child.is_none() && begun.iter().any(|step| step.path.last() == Some(&(at, Some(choice)))) {
                self.descents -= 1;
                path.iter().for_each(|&(at, choice)| tree.drop_visit(at, choice));
                return Descent::Taken;
            }
            path.push((at, Some(choice)));
            tree.begin_visit(at, Some(choice));
            let Some(child) = child else {
                let (state, joint) = (tree.nodes[at as usize].state.clone(), tree.joint_of(at, choice));
                return Descent::Step(Step { path, state, joint });
            };
            at = child;
        }
    }

    /// What each side chooses in a node, as one number.
    fn select<G: Game>(&mut self, tree: &Tree<G>, at: u32, made: Option<&Counts>) -> u64 {
        let node = &tree.nodes[at as usize];
        let total = (node.visits + node.running) as f32;
        let few = total.max(1.0).ln().sqrt();
        let (mut choice, mut scale) = (0u64, 1u64);
        for (number, side) in node.sides.iter().enumerate() {
            let alone = node.sides.len() == 1;
            let at_once = if alone || self.settings.plain { 1.0 } else { AT_ONCE };
            let unit = if self.settings.plain { 1.0 } else { self.learned.unit(side.role.0 as usize) };
            let explore = few * at_once * self.settings.c * unit;
            let count = side.arms.len();
            let offset = if count > 1 { self.rng.below(count) } else { 0 };
            let best = self.best_of(tree, (at, node, made), number, offset, explore);
            choice = choice.saturating_add(scale.saturating_mul(best as u64));
            scale = scale.saturating_mul(count as u64);
        }
        choice
    }

    /// The arm of a side that is worth the next visit; of equals the first from an offset on.
    #[inline]
    fn best_of<G: Game>(
        &self,
        tree: &Tree<G>,
        (at, node, made): (u32, &Node<G::State>, Option<&Counts>),
        side: usize,
        offset: usize,
        explore: f32,
    ) -> usize {
        let proofs = node.sides.len() == 1 && !self.settings.plain;
        let side = &node.sides[side];
        let who = side.role.0 as usize;
        let (mut best, mut open) = ((f32::NEG_INFINITY, 0), (f32::NEG_INFINITY, 0));
        let mut settled = false;
        for place in (offset..side.arms.len()).chain(0..offset) {
            let arm = &side.arms[place];
            if arm.lost && node.exact.is_none() {
                continue;
            }
            let exact = if proofs { tree.exact_child(arm) } else { None };
            let score = match exact {
                Some(values) => values[who],
                None => {
                    let made = made.map_or((0.0, 0.0), |made| made.of(grave::place(side.role, arm.mv, tree.roles)));
                    self.score(arm, who, explore, made)
                }
            };
            if score > best.0 {
                best = (score, place);
                settled = exact.is_some();
            }
            if exact.is_none() && score > open.0 {
                open = (score, place);
            }
        }
        // Where the best is proven, going there tells nothing new, unless it wins and the node does not know yet that it
        // is won (another way led there): what is still open may be better. Below the root
        // that is done now and then only, because it makes the node look worse than it is.
        let instead = settled && best.0 < 1.0 && open.0 > f32::NEG_INFINITY;
        if instead && (tree.root() == Some(at) || self.descents.is_multiple_of(4)) { open.1 } else { best.1 }
    }

    #[inline]
    fn score(&self, arm: &Arm, who: usize, explore: f32, (made, brought): (f32, f32)) -> f32 {
        let (visits, running, sum) = (arm.visits, u32::from(arm.running), arm.sum as f32);
        let tried = (visits + running) as f32;
        if self.settings.plain {
            return if tried == 0.0 { f32::INFINITY } else { sum / tried + explore / tried.sqrt() };
        }
        let weight = self.settings.prior;
        let prior = if weight > 0.0 { self.learned.mean(who, arm.mv) } else { 0.5 };
        let lost = running as f32 * self.settings.virtual_loss;
        let mean = (sum + weight * prior) / (visits as f32 + lost + weight).max(1e-6);
        // What games with the move brought weighs less, the more is known of the move itself.
        let part = if made > 0.0 { made / (made + tried + BIAS * made * tried) } else { 0.0 };
        let mean = mean + part * (brought - mean);
        // A move never tried counts as tried half a time: all are tried early, the promising ones first.
        mean + explore / tried.max(0.5).sqrt()
    }
}
