//! Engines kept for those who play the same games again and again, and what the text of rules says before any engine is
//! made.

use gdl::{Rules, Symbol, Term, TermKind};
use machine::{Engine, Loader};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Scrambled rules are new each time: what is kept is bounded.
const MOST_KEPT: usize = 64;

/// The best engines, by the text of the rules.
#[derive(Default)]
pub struct EngineCache {
    games: Mutex<HashMap<String, (Arc<Rules>, Engine)>>,
}

impl EngineCache {
    /// The best engine for this text, if it was made before.
    pub fn find(&self, text: &str) -> Option<(Arc<Rules>, Engine)> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner).get(text).cloned()
    }

    /// Makes the best engine for this text, unless it is there.
    ///
    /// # Errors
    /// When the text cannot be read or played.
    pub fn fill(&self, text: &str) -> Result<(), String> {
        if self.find(text).is_some() {
            return Ok(());
        }
        let rules = read(text, &gdl::Limits::default())?;
        let best = Loader::new(&rules).best().map_err(|error| format!("the rules cannot be played: {error}"))?;
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        if games.len() >= MOST_KEPT {
            games.clear();
        }
        games.insert(text.to_string(), (rules, best.engine));
        Ok(())
    }
}

/// Reads the text of rules within these limits. The error says what is wrong with it.
pub fn read(text: &str, limits: &gdl::Limits<'_>) -> Result<Arc<Rules>, String> {
    let parsed = gdl::parse_within(text, limits).map_err(|unfinished| unfinished.to_string())?;
    match parsed.problems.first() {
        Some(problem) => Err(format!("the rules cannot be read: {}", problem.message)),
        None => Ok(Arc::new(parsed.rules)),
    }
}

/// Whether there can be a role of this name: no only if the text itself says so. Where roles follow from other things any
/// name may be one.
pub fn may_have_role(rules: &Rules, name: &str) -> bool {
    rules.clauses.iter().filter(|clause| clause.head.name == Symbol::ROLE).any(|clause| match &clause.head.args[..] {
        [Term { kind: TermKind::Name(role), .. }] => rules.symbols.name(*role).eq_ignore_ascii_case(name),
        _ => true,
    })
}
