//! A game as numbers: every position that can come up, who decides in it, what follows, what stands where, and how far the win
//! is. Everything that is learned is learned from a [`World`], and everything that is claimed is checked on one.

use crate::scene::{Board, Scene};

/// Who decides in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The side that has the plan.
    Ours,
    /// The other side.
    Theirs,
    /// Nobody: it is won.
    Won,
    /// Nobody: it is over and not won.
    Failed,
    /// No position: a number that is not used.
    Unused,
}

/// The position that stands for every end outside of the world that is won, such as a won ending of fewer men.
pub const WON: u32 = 0;
/// The position that stands for every end outside of the world that is not won.
pub const FAILED: u32 = 1;
/// The level of a position that is not won.
pub const NO_LEVEL: u16 = u16::MAX;

/// See the [module](self).
pub struct World {
    /// What it is called: a game, or the men of an ending.
    pub name: String,
    /// The board, with what can stand on it.
    pub board: Board,
    /// Who decides, for each position.
    pub kinds: Vec<Kind>,
    /// For each position where its successors begin in `edges`, and the end.
    pub first: Vec<u32>,
    /// The successors of all positions.
    pub edges: Vec<u32>,
    /// For each won position the plies to the win with best play of both sides.
    pub plies: Vec<u16>,
    /// Whether the sides always move by turns.
    pub by_turns: bool,
    /// Whether nobody plays against the plan.
    pub alone: bool,
    /// What stands where.
    pub scenes: Box<dyn Scenes>,
}

/// What stands where in the positions of a world.
pub trait Scenes: Send + Sync {
    /// Writes what stands where in a position.
    fn scene(&self, node: u32, scene: &mut Scene);
    /// Calls `seen` with what stands where before and after many moves, and whether the side of the plan moved. What pieces can do is read off
    /// from these.
    fn moves(&self, world: &World, seen: &mut dyn FnMut(&Scene, &Scene, bool));
}

impl World {
    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The successors of a position.
    #[inline]
    pub fn next(&self, node: u32) -> &[u32] {
        &self.edges[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    /// Whether the side of the plan decides here and wins with best play.
    #[inline]
    pub fn to_win(&self, node: u32) -> bool {
        self.kinds[node as usize] == Kind::Ours && self.plies[node as usize] != NO_LEVEL
    }

    /// All positions in which the side of the plan decides and that it can win.
    pub fn won(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len() as u32).filter(|&node| self.to_win(node))
    }

    /// The level of a position: moves of the plan's side to the win.
    pub fn level(&self, node: u32) -> Option<u16> {
        let plies = self.plies[node as usize];
        (plies != NO_LEVEL).then(|| self.moves(plies))
    }

    /// How many of so many plies are moves of the plan's side: all of them in a game of one, else half.
    pub fn moves(&self, plies: u16) -> u16 {
        if self.alone { plies } else { plies.div_ceil(2) }
    }

    /// Finds out whether there are two sides, and whether they always move by turns.
    pub fn find_turns(&mut self) {
        let by_turns = |node: u32| {
            let kind = self.kinds[node as usize];
            !matches!(kind, Kind::Ours | Kind::Theirs)
                || self.next(node).iter().all(|&to| self.kinds[to as usize] != kind)
        };
        self.by_turns = (0..self.len() as u32).all(by_turns);
        self.alone = !self.kinds.contains(&Kind::Theirs);
    }
}
