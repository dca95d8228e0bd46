//! The players by description: plain data, and what makes a searcher of it.

use crate::full_width::FullWidth;
use crate::narrow::{Fixed, Judge, Narrow};
use crate::uct::{Evaluation, Uct, UctSettings};
use abstraction::alone::Alone;
use native::chinese::{Allowed, Arena, ChineseCheckers};
use search::Searcher;
use std::fmt;
use std::sync::Arc;

/// A way to play.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Player {
    /// Alpha-beta to a fixed depth (S3.8).
    AlphaBeta {
        /// Whether the table judges, or the rows left on average.
        lookup: bool,
        /// Which moves are looked at.
        moves: Allowed,
        /// How deep.
        depth: u32,
    },
    /// UCT (S3.9).
    Uct(UctSettings),
    /// Minimax with every move, to a fixed depth (S1.11).
    FullWidth {
        /// How deep.
        depth: u32,
    },
}

impl Player {
    /// Whether it cannot play without the distances.
    pub fn needs_table(&self) -> bool {
        match self {
            Player::AlphaBeta { lookup, .. } => *lookup,
            Player::Uct(settings) => settings.evaluation != Evaluation::Outcome,
            Player::FullWidth { .. } => true,
        }
    }
}

/// What the players of one game share.
#[derive(Clone)]
pub struct Kit {
    game: ChineseCheckers,
    arena: Arc<Arena>,
    home: Option<Arc<Alone>>,
}

/// A player needs the distance table, and there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoTable;

impl fmt::Display for NoTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this player looks distances up, and there is no table of them")
    }
}

impl std::error::Error for NoTable {}

impl Kit {
    /// For players of this game, without a table.
    pub fn new(game: ChineseCheckers) -> Kit {
        let arena = Arc::new(Arena::new(&game));
        Kit { game, arena, home: None }
    }

    /// The same with a table.
    pub fn with_home(self, home: Arc<Alone>) -> Kit {
        Kit { home: Some(home), ..self }
    }

    /// The game.
    pub fn game(&self) -> &ChineseCheckers {
        &self.game
    }

    /// The board.
    pub fn arena(&self) -> &Arc<Arena> {
        &self.arena
    }

    /// The table.
    pub fn home(&self) -> Option<&Arc<Alone>> {
        self.home.as_ref()
    }

    /// What plays in this way.
    pub fn searcher(&self, player: &Player) -> Result<Box<dyn Searcher<ChineseCheckers>>, NoTable> {
        let arena = || Arc::clone(&self.arena);
        let home = || self.home.clone().ok_or(NoTable);
        Ok(match *player {
            Player::AlphaBeta { lookup, moves, depth } => {
                let judge = if lookup { Judge::Table(home()?) } else { Judge::Rows };
                Box::new(Fixed::new(Narrow::new(self.game.clone(), arena(), moves), judge, depth))
            }
            Player::Uct(settings) => {
                let home = if player.needs_table() { Some(home()?) } else { None };
                Box::new(Uct::new(settings, arena(), home))
            }
            Player::FullWidth { depth } => Box::new(FullWidth::new(arena(), home()?, depth)),
        })
    }
}
