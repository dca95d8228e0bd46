//! Rules made ready for play: first an engine that is there at once, then a fast one as soon as it is finished.

use machine::{Budget, Limits, Net, Prover, RuleCode};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// A finished engine.
#[derive(Clone)]
pub enum Ready {
    /// There at once.
    Prover(Arc<Prover>),
    /// For what is too large for a net.
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
        let mut keep = |rules: &Arc<gdl::Rules>, ready: Ready| last = Some((Arc::clone(rules), ready));
        load(text, None, &mut keep)?;
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

/// Makes engines of a text, the quickest to make first, and hands each over as soon as it is there. The error says why
/// there is none at all. When `stop` becomes true, everything ends soon.
pub fn load(
    text: &str,
    stop: Option<&Arc<AtomicBool>>,
    ready: &mut dyn FnMut(&Arc<gdl::Rules>, Ready),
) -> Result<(), String> {
    let parsed = gdl::parse(text);
    if let Some(problem) = parsed.problems.first() {
        return Err(format!("the rules cannot be read: {}", problem.message));
    }
    let rules = Arc::new(parsed.rules);
    let limits = || Limits { stop: stop.cloned(), ..Limits::default() };
    let refused = |error: machine::LoadError| format!("the rules cannot be played: {error}");
    let prover = Arc::new(Prover::with_limits(&rules, limits()).map_err(refused)?);
    ready(&rules, Ready::Prover(Arc::clone(&prover)));
    let mut budget = Budget::default();
    budget.stop = stop.cloned();
    if let Ok(net) = Net::from_prover(&rules, &prover, budget) {
        ready(&rules, Ready::Net(Arc::new(net)));
    } else if let Ok(code) = RuleCode::with_limits(&rules, limits()) {
        ready(&rules, Ready::Rules(Arc::new(code)));
    }
    Ok(())
}
