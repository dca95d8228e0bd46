//! Proof-number search: whether a value can be forced, by a tree that grows where a proof needs the fewest more positions.
//!
//! Every position knows how many others must at least be won to prove that our team gets a value here (its proof number), and how many
//! to refute it (its disproof number). The next position to look at is the one that counts for both. Numbers begin with the
//! moves that the position leaves, so lines that leave the other side little are followed first. The question is first
//! whether the greatest goal can be had; once that is refuted, the greatest one that is left, and so on down.
//!
//! Many positions are chosen before the tree hears of any, and all their moves are made at once ([`Game::advance`]): engines
//! with lanes do that at the price of a few. As in the other searches our team wants our reward and everybody else does not; where
//! several roles choose at once nothing is asked. The tree is kept from move to move.

mod tree;

use crate::{Budget, Choice, Found, Knowledge, Monitor, Searcher, StateKey, first_moves};
use game::steps::{Seen, Steps};
use game::{Game, Limit, Move, Role};
use tree::{Kind, Tree};

/// Steps that are made at once, where there are as many.
const BATCH: usize = 256;
/// States of which one in so many must have been an end, or have settled something, for the search to be called hopeful.
const HOPEFUL: u64 = 25;
/// So many of the newest states are counted for that.
const RECENT: u64 = 20_000;

/// The searcher; see the module.
pub struct ProofNumber<G: Game> {
    /// For each role the roles that get its reward.
    teams: Vec<Vec<Role>>,
    range: (u8, u8),
    /// A key that states have in common of which the same can be proved.
    same: Option<StateKey<G>>,
    /// What is known, and whose reward it is about.
    tree: Option<(Role, Tree<G::State>)>,
    /// States and ends among the newest.
    recent: (u64, u64),
    hopeful: bool,
}

impl<G: Game> ProofNumber<G> {
    /// For a game of which this is known: teams, the range of goals and which states play on alike.
    pub fn new(knowledge: &Knowledge<G>) -> ProofNumber<G> {
        let Knowledge { teams, range, same, .. } = knowledge;
        ProofNumber {
            teams: teams.clone(),
            range: *range,
            same: same.clone(),
            tree: None,
            recent: (0, 0),
            hopeful: false,
        }
    }

    /// Whether ends of the game were among the positions seen last, so that a proof may be near.
    pub fn is_hopeful(&self) -> bool {
        self.hopeful
    }

    /// Counts what a batch made, and judges now and then.
    fn judge(&mut self, made: u64, ends: u64) {
        self.recent = (self.recent.0 + made, self.recent.1 + ends);
        if self.recent.0 >= RECENT {
            self.hopeful = self.recent.1 * HOPEFUL >= self.recent.0;
            self.recent = (0, 0);
        }
    }

    /// Grows the tree until its root is settled or the budget is spent; says how many states were made.
    fn grow(
        &mut self,
        game: &G,
        view: &mut G::View,
        tree: &mut Tree<G::State>,
        budget: &Budget<'_>,
        look: &mut dyn FnMut(&Tree<G::State>, u64),
    ) -> u64 {
        let mut nodes = 0;
        while tree.ask() && tree.bytes() < budget.memory {
            if budget.states().is_some_and(|most| nodes >= most) || (budget.spent)() >= 1.0 {
                break;
            }
            let (states, ends) = (tree.len(), tree.ends());
            let mut batch = Batch { chosen: tree.choose(BATCH), tree };
            // A limit of the engine leaves what is there: nothing was settled by what could not be seen.
            let went = game.advance(view, &mut batch);
            let chosen = batch.chosen;
            tree.settle(&chosen);
            let made = (tree.len() - states) as u64;
            nodes += made.max(1);
            self.judge(made, tree.ends() - ends);
            look(tree, nodes);
            if went.is_err() || (chosen.is_empty() && !tree.root().is_settled()) {
                break;
            }
        }
        nodes
    }
}

/// The moves of the positions that were chosen, for the engine.
struct Batch<'a, S> {
    tree: &'a mut Tree<S>,
    chosen: tree::Chosen,
}

impl<S: Clone + Eq + std::hash::Hash> Steps<S> for Batch<'_, S> {
    fn count(&self) -> usize {
        self.chosen.steps.len()
    }

    fn step(&self, number: usize) -> (&S, &[Move]) {
        let step = &self.chosen.steps[number];
        (self.tree.state(step.node), &self.chosen.joints[step.joint..step.joint + self.tree.roles()])
    }

    fn reached(&mut self, number: usize, state: S, seen: &Seen) {
        self.tree.reach(self.chosen.steps[number], state, seen);
    }
}

/// What is known of the moves of a role at the root, and the best of them.
fn found<S: Clone + Eq + std::hash::Hash>(tree: &Tree<S>, moves: &[Move], nodes: u64) -> Found {
    let root = tree.root();
    let proven = root.lo == root.hi;
    let neutral = Choice { mv: Move(0), value: 50.0, visits: 0, proven: false, share: 0.0 };
    let mut choices: Vec<Choice> = moves.iter().map(|&mv| Choice { mv, ..neutral }).collect();
    for (mv, child) in tree.below_root() {
        if let Some(choice) = choices.iter_mut().find(|choice| choice.mv == mv) {
            (choice.value, choice.proven) = (child.estimate(), child.lo == child.hi);
        }
    }
    let line = tree.line();
    let at = tree.best_move().and_then(|best| choices.iter().position(|choice| choice.mv == best)).unwrap_or(0);
    if let Some(choice) = choices.get_mut(at) {
        choice.share = 1.0;
    }
    Found {
        mv: choices.get(at).map(|choice| choice.mv),
        value: if proven { f32::from(root.lo) } else { root.estimate() },
        proven,
        depth: line.len() as u32,
        nodes,
        playouts: 0,
        line,
        moves: choices,
    }
}

impl<G: Game> Searcher<G> for ProofNumber<G> {
    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        let mut view = game.view();
        let moves = first_moves(game, state, role, &mut view, monitor)?;
        let mut seen = Seen::default();
        seen.read(game, &mut view)?;
        let kept = self.tree.take().filter(|(whose, _)| *whose == role).map(|(_, tree)| tree);
        let mut tree = kept.and_then(|tree| tree.moved_to(state, budget.memory / 2)).unwrap_or_else(|| {
            let team = self.teams.get(role.0 as usize);
            let kinds = game::roles(game).map(|each| {
                let ours = each == role || team.is_some_and(|team| team.contains(&each));
                if ours { Kind::Ours } else { Kind::Theirs }
            });
            Tree::new(role, kinds.collect(), self.range, self.same.clone(), (state, &seen))
        });
        let mut look = |tree: &Tree<G::State>, nodes: u64| {
            if monitor.is_wanted() {
                monitor.publish(found(tree, &moves, nodes));
            }
        };
        let nodes = self.grow(game, &mut view, &mut tree, budget, &mut look);
        let found = found(&tree, &moves, nodes);
        self.tree = Some((role, tree));
        monitor.finish(&found);
        Ok(found)
    }
}
