//! The buffers of a line: one set for each ply, with a view of its own as long as the memory allows.
//!
//! A view holds all that follows from a state, and can be large (some hundred kilobytes in chess). A ply that has its own
//! makes one move after the other; the plies beyond the limit share the last view, and look at their state again after
//! each move that was searched. That is slower, but a long line does not break the limit.

use game::{Game, Move};

/// Buffers of one ply.
pub(super) struct Ply<G: Game> {
    /// The choices of a role, with what they are ordered by.
    pub(super) moves: Vec<(u32, Move)>,
    pub(super) legal: Vec<Move>,
    pub(super) joint: Vec<Move>,
    pub(super) next: G::State,
}

impl<G: Game> Ply<G> {
    pub(super) fn new(game: &G) -> Ply<G> {
        Ply { moves: Vec::new(), legal: Vec::new(), joint: Vec::new(), next: game.start() }
    }
}

/// The buffers of all plies.
pub(super) struct Plies<G: Game> {
    plies: Vec<Option<Box<Ply<G>>>>,
    views: Vec<G::View>,
    most_bytes: usize,
    /// Whether the memory has room for no more views.
    full: bool,
}

impl<G: Game> Plies<G> {
    /// The first view is given; all of them may take about so many bytes, but one is always there.
    pub(super) fn new(first: G::View, most_bytes: usize) -> Plies<G> {
        Plies { plies: Vec::new(), views: vec![first], most_bytes, full: false }
    }

    /// The buffers of a ply; to be given back.
    pub(super) fn take(&mut self, game: &G, ply: usize) -> Box<Ply<G>> {
        if self.plies.len() <= ply {
            self.plies.resize_with(ply + 1, || None);
        }
        if ply >= self.views.len() && !self.full {
            // Views grow with use: the largest so far tells what another one may take.
            let largest = self.views.iter().map(|view| game.view_bytes(view)).max().unwrap_or(0);
            self.full = (self.views.len() + 1).saturating_mul(largest) > self.most_bytes;
            if !self.full {
                self.views.push(game.view());
            }
        }
        self.plies[ply].take().unwrap_or_else(|| Box::new(Ply::new(game)))
    }

    pub(super) fn give_back(&mut self, ply: usize, buffers: Box<Ply<G>>) {
        self.plies[ply] = Some(buffers);
    }

    /// The view of a ply whose buffers are taken.
    pub(super) fn view(&mut self, ply: usize) -> &mut G::View {
        let at = ply.min(self.views.len() - 1);
        &mut self.views[at]
    }

    /// Whether what the view of a ply showed is lost once a move was searched, because the next ply has the same view.
    pub(super) fn is_shared(&self, ply: usize) -> bool {
        self.full && ply + 1 >= self.views.len()
    }
}
