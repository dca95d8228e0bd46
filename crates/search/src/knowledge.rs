//! What is known of a game besides its rules: given to searchers as objects, apart from what a person sets.

use game::{Evaluator, Game, Goal, Role};
use std::sync::Arc;

/// An evaluator that several searchers share.
pub type SharedEvaluator<G> = Arc<dyn Evaluator<G>>;

/// A key for states: states with the same key are taken for the same. Used to leave out what does not matter, such as a
/// counter of moves. Two different states that matter must not get the same key except by rare accident.
pub type StateKey<G> = Arc<dyn Fn(&<G as Game>::State) -> u64 + Send + Sync>;

/// What a role can still get from a state on: no continuation ends with a greater goal. A bound, and always one: whatever is passed over because
/// of it need not be looked at.
pub type Ceiling<G> = Arc<dyn Fn(&<G as Game>::State, Role) -> Goal + Send + Sync>;

/// What is known of a game besides its rules; all of it may be empty.
pub struct Knowledge<G: Game> {
    /// Ways to evaluate a state, each for any role. Settings name them by their places here.
    pub evaluators: Vec<SharedEvaluator<G>>,
    /// What they are called, for people; there may be fewer names.
    pub names: Vec<String>,
    /// For each role the roles that get its reward; where nothing is said, it is alone.
    pub teams: Vec<Vec<Role>>,
    /// A key that leaves out what hardly matters. Used by alpha-beta with an evaluator and by puzzles, never for proofs.
    pub key: Option<StateKey<G>>,
    /// What can still be had. Used by puzzles.
    pub ceiling: Option<Ceiling<G>>,
    /// The least and the greatest goal of the game: evaluations lie strictly between them.
    pub range: (u8, u8),
    /// An evaluator that the portfolio lets play whatever random games say of it, by its place.
    pub offered: Option<usize>,
}

impl<G: Game> Default for Knowledge<G> {
    fn default() -> Knowledge<G> {
        Knowledge {
            evaluators: Vec::new(),
            names: Vec::new(),
            teams: Vec::new(),
            key: None,
            ceiling: None,
            range: (0, 100),
            offered: None,
        }
    }
}

// Not derived: the game itself need not be `Clone`.
impl<G: Game> Clone for Knowledge<G> {
    fn clone(&self) -> Knowledge<G> {
        let Knowledge { evaluators, names, teams, key, ceiling, range, offered } = self;
        let (evaluators, names, teams) = (evaluators.clone(), names.clone(), teams.clone());
        let (key, ceiling) = (key.clone(), ceiling.clone());
        Knowledge { evaluators, names, teams, key, ceiling, range: *range, offered: *offered }
    }
}
