//! What is known of a game besides its rules: given to searchers as objects, apart from what a person sets.

use game::{Evaluator, Game, Goal, Move, Role};
use std::sync::Arc;

/// An evaluator that several searchers share.
pub type SharedEvaluator<G> = Arc<dyn Evaluator<G>>;

/// A key for states: states with the same key are taken for the same. Used to leave out what does not matter, such as a
/// counter of moves. Two different states that matter must not get the same key except by rare accident.
pub type StateKey<G> = Arc<dyn Fn(&<G as Game>::State) -> u64 + Send + Sync>;

/// What a role can still get from a state on: no continuation ends with a greater goal. A bound, and always one: whatever is passed over because
/// of it need not be looked at.
pub type Ceiling<G> = Arc<dyn Fn(&<G as Game>::State, Role) -> Goal + Send + Sync>;

/// Something that may be true of a state.
pub type Test<G> = Arc<dyn Fn(&<G as Game>::State) -> bool + Send + Sync>;

/// Those of the legal moves that one thing which the best goal needs can come from: the thing that the fewest are left for. None at all if
/// something has no move left, all of them where nothing is known to be needed. It is advice and no proof.
pub type Narrow<G> = Arc<dyn Fn(&<G as Game>::State, &[Move]) -> Vec<Move> + Send + Sync>;

/// How a game for one player falls apart. What is found with it has to be played through: parts may hinder each other.
pub struct Parts<G: Game> {
    /// A key of states without what changes by itself, whatever is done, if anything does.
    pub rest: Option<StateKey<G>>,
    /// The parts; fewer than two if the game does not fall apart.
    pub parts: Vec<Part<G>>,
    /// Ways to goals, the best goals first.
    pub ways: Vec<Way<G>>,
}

/// What moves change apart from everything else.
pub struct Part<G: Game> {
    /// The moves that change it, in order.
    pub moves: Vec<Move>,
    /// A key of states that knows nothing but this part.
    pub key: StateKey<G>,
}

/// What is enough for a goal, but for the time that it takes.
pub struct Way<G: Game> {
    /// The goal.
    pub goal: Goal,
    /// What it asks of which part.
    pub targets: Vec<(usize, Test<G>)>,
}

/// A key that a state has in common with its images, with the number of the map that leads to the image which the key is of.
pub type CommonKey<G> = Arc<dyn Fn(&<G as Game>::State) -> (u64, usize) + Send + Sync>;

/// Maps of states that are proved to change nothing: images have the images of the moves, and the same goals for the same roles.
pub struct Symmetries<G: Game> {
    /// For proofs.
    pub(crate) key: CommonKey<G>,
    /// For estimates: leaves out what hardly matters.
    pub(crate) rough: Option<CommonKey<G>>,
    /// For each map the image of each move and, the other way round, what it is the image of.
    moves: Vec<[Vec<Move>; 2]>,
}

impl<G: Game> Symmetries<G> {
    /// The maps by their images of all moves; the first of them leaves everything as it is. The rough key belongs to [`Knowledge::key`]: there is one
    /// if that is there.
    pub fn new(key: CommonKey<G>, rough: Option<CommonKey<G>>, moves: Vec<Vec<Move>>) -> Symmetries<G> {
        let both = |images: Vec<Move>| {
            let mut back = images.clone();
            images.iter().zip(0..).for_each(|(image, mv)| back[image.0 as usize] = Move(mv));
            [images, back]
        };
        Symmetries { key, rough, moves: moves.into_iter().map(both).collect() }
    }

    /// How many maps there are, with the one that changes nothing.
    pub fn count(&self) -> usize {
        self.moves.len()
    }

    /// The image of a move.
    pub(crate) fn there(&self, map: usize, mv: Move) -> Move {
        self.moves[map][0].get(mv.0 as usize).copied().unwrap_or(mv)
    }

    /// The move whose image this is.
    pub(crate) fn back(&self, map: usize, mv: Move) -> Move {
        self.moves[map][1].get(mv.0 as usize).copied().unwrap_or(mv)
    }
}

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
    /// A key that leaves out only what is proved to change nothing any more: states with the same key have the same moves, ends and goals, and so
    /// have all that follow. Used for proofs.
    pub same: Option<StateKey<G>>,
    /// Maps of states that change nothing. Used by alpha-beta, also for proofs.
    pub symmetries: Option<Arc<Symmetries<G>>>,
    /// What can still be had. Used by puzzles.
    pub ceiling: Option<Ceiling<G>>,
    /// How the game falls apart. Used by puzzles.
    pub parts: Option<Arc<Parts<G>>>,
    /// Moves worth trying. Used by puzzles.
    pub narrow: Option<Narrow<G>>,
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
            same: None,
            symmetries: None,
            ceiling: None,
            parts: None,
            narrow: None,
            range: (0, 100),
            offered: None,
        }
    }
}

// Not derived: the game itself need not be `Clone`.
impl<G: Game> Clone for Knowledge<G> {
    fn clone(&self) -> Knowledge<G> {
        let Knowledge { evaluators, names, teams, key, same, symmetries, ceiling, parts, narrow, range, offered } =
            self;
        let (evaluators, names, teams) = (evaluators.clone(), names.clone(), teams.clone());
        let (key, same, symmetries) = (key.clone(), same.clone(), symmetries.clone());
        let (ceiling, parts, narrow) = (ceiling.clone(), parts.clone(), narrow.clone());
        let (range, offered) = (*range, *offered);
        Knowledge { evaluators, names, teams, key, same, symmetries, ceiling, parts, narrow, range, offered }
    }
}
