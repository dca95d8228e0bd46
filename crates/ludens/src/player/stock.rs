//! Rules made ready for play: first an engine that is there at once, then faster ones as soon as they are finished.

use gdl::{Symbol, Term, TermKind};
use machine::{Budget, Limits, Net, Prover, RuleCode};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// A finished engine.
#[derive(Clone)]
pub enum Ready {
    /// There at once.
    Prover(Arc<Prover>),
    /// Until the net is there, and for what is too large for one.
    Rules(Arc<RuleCode>),
    /// The fastest.
    Net(Arc<Net>),
}

/// Engines by the text of the rules, for those who play the same games again and again.
#[derive(Default)]
pub struct Shelf {
    games: Mutex<HashMap<String, (Arc<gdl::Rules>, Ready)>>,
}

impl Shelf {
    /// The best engine for this text, if it was made before.
    pub fn find(&self, text: &str) -> Option<(Arc<gdl::Rules>, Ready)> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner).get(text).cloned()
    }

    /// Makes the best engine for this text, unless it is there.
    pub fn fill(&self, text: &str) -> Result<(), String> {
        if self.find(text).is_some() {
            return Ok(());
        }
        let mut last = None;
        let rules = read(text)?;
        let mut keep = |ready: Ready| {
            last = Some((Arc::clone(&rules), ready));
            true
        };
        load(&rules, None, &mut keep)?;
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        // Scrambled rules are new each time: what is kept is bounded.
        if games.len() >= 64 {
            games.clear();
        }
        if let Some(last) = last {
            games.insert(text.to_string(), last);
        }
        Ok(())
    }
}

/// Reads the text of rules. The error says what is wrong with it.
pub fn read(text: &str) -> Result<Arc<gdl::Rules>, String> {
    let parsed = gdl::parse(text);
    match parsed.problems.first() {
        Some(problem) => Err(format!("the rules cannot be read: {}", problem.message)),
        None => Ok(Arc::new(parsed.rules)),
    }
}

/// Whether there can be a role of this name: no only if the text itself says so. Where roles follow from other things any
/// name may be one.
pub fn may_have_role(rules: &gdl::Rules, name: &str) -> bool {
    rules.clauses.iter().filter(|clause| clause.head.name == Symbol::ROLE).any(|clause| match &clause.head.args[..] {
        [Term { kind: TermKind::Name(role), .. }] => rules.symbols.name(*role).eq_ignore_ascii_case(name),
        _ => true,
    })
}

/// Makes engines for the rules, the quickest to make first, and hands each over as soon as it is there; `ready` says
/// whether a better one is wanted. The error says why there is none at all. When `stop` becomes true, everything ends soon.
pub fn load(
    rules: &Arc<gdl::Rules>,
    stop: Option<&Arc<AtomicBool>>,
    ready: &mut dyn FnMut(Ready) -> bool,
) -> Result<(), String> {
    let limits = || Limits { stop: stop.cloned(), ..Limits::default() };
    let refused = |error: machine::LoadError| format!("the rules cannot be played: {error}");
    let prover = Arc::new(Prover::with_limits(rules, limits()).map_err(refused)?);
    if !ready(Ready::Prover(Arc::clone(&prover))) {
        return Ok(());
    }
    // A net of a large game takes long; this one is there soon, and several times as fast as the prover.
    if let Ok(code) = RuleCode::with_limits(rules, limits())
        && !ready(Ready::Rules(Arc::new(code)))
    {
        return Ok(());
    }
    let mut budget = Budget::default();
    budget.stop = stop.cloned();
    if let Ok(net) = Net::from_prover(rules, &prover, budget) {
        ready(Ready::Net(Arc::new(net)));
    }
    Ok(())
}
