//! What a game calls things: its symbols, its terms and its roles, shared by all engines of the same rules.
//!
//! Engines know moves and facts as numbers of terms, or by numbers that follow from them. Everything about text is here, so that
//! all engines say the same and understand the same.

use crate::bank::{Bank, Id};
use game::{Goal, Role};
use gdl::{Symbol, Symbols, Term};
use std::sync::{Arc, Mutex, MutexGuard};

/// See the module. Clones share the symbols and the bank, so numbers of terms mean the same in all of them.
#[derive(Clone)]
pub(crate) struct Lexicon {
    symbols: Arc<Symbols>,
    bank: Arc<Mutex<Bank>>,
    pub roles: Vec<Id>,
}

impl Lexicon {
    pub fn new(symbols: Symbols, bank: Bank) -> Lexicon {
        Lexicon { symbols: Arc::new(symbols), bank: Arc::new(Mutex::new(bank)), roles: Vec::new() }
    }

    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The terms known to all.
    pub fn bank(&self) -> MutexGuard<'_, Bank> {
        // The bank is never left half-changed, so a panic elsewhere does not spoil it.
        self.bank.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The term of this text, if all its names are names of the game.
    pub fn term(&self, text: &str) -> Option<Term> {
        gdl::read_term(text, &self.symbols)
    }

    pub fn role_name(&self, role: Role) -> &str {
        let functor = self.bank().functor(self.roles[role.0 as usize]);
        self.symbols.name(functor)
    }

    pub fn text(&self, id: Id) -> String {
        self.bank().text(id, &self.symbols)
    }

    /// The reward that a term of this functor means.
    pub fn goal(&self, functor: Symbol) -> Option<Goal> {
        self.symbols.name(functor).parse().ok().filter(|&goal| goal <= 100)
    }
}
