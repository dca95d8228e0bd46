//! The patterns of a game: found, built, chosen and weighed within a time, for the player and for the commands.

use abstraction::pattern::{Board, Choice, Pattern, Settings, Watched, choose, is_worth_trying};
use game::Role;
use machine::{Engine, State};
use std::sync::Arc;
use study::Study;

/// The name of the evaluator made of them.
pub const EVALUATOR: &str = "patterns";

/// The part of the time that random games take; the tables have the rest.
const WATCHED: f32 = 0.35;
/// Quick games that are played in any case, and careful ones at most.
const FEWEST_GAMES: usize = 12;
const MOST_GAMES: usize = 1_500;

/// What patterns are looked for in, and for how long.
pub struct Looking<'a> {
    /// The engine; only a net will do.
    pub engine: &'a Engine,
    /// What is known of the game, goals included.
    pub study: &'a Study,
    /// The seed of random games.
    pub seed: u64,
    /// What each table may spend.
    pub settings: Settings,
    /// Which part of the time is used up; 1 or more means stop.
    pub spent: &'a dyn Fn() -> f32,
}

/// What was found.
pub struct Patterns {
    /// The board.
    pub board: Arc<Board>,
    /// Random games.
    pub watched: Watched<State>,
    /// Which patterns were tried, and which are used.
    pub choice: Choice,
}

/// What looking for patterns does.
pub enum Doing<'a> {
    /// Random games, so many so far.
    Games(usize),
    /// A table, with so many states listed.
    Building(&'a Pattern, &'a Board, u64),
}

impl Looking<'_> {
    /// Looks for patterns; the reason where there can be none, which is known within a moment.
    ///
    /// # Errors
    /// Where the game has no pieces that can be taken off, or the engine reaches a limit.
    pub fn run(&self, tell: &mut dyn FnMut(Doing<'_>)) -> Result<Patterns, String> {
        let Looking { engine, study, seed, settings, spent } = self;
        let board = Arc::new(Board::new(study, *engine).map_err(|why| why.to_string())?);
        let begin = spent();
        // A few quick games show whose pieces are whose, and whether they are moved at all; where not, nothing more is spent.
        let few = Watched::run(*engine, &board, *seed, false, &mut |games| games < FEWEST_GAMES);
        let few = few.map_err(|limit| limit.to_string())?;
        let mut watched = few;
        if is_worth_trying(&board, &watched, settings) {
            let mut more = |games: usize| {
                tell(Doing::Games(games));
                games < MOST_GAMES && spent() < begin + (1.0 - begin) * WATCHED
            };
            let careful = Watched::run(*engine, &board, *seed, true, &mut more).map_err(|limit| limit.to_string())?;
            if careful.games > 0 {
                let few = std::mem::replace(&mut watched, careful);
                watched.learn(&few);
            }
        }
        let (range, mut tables) = (study.goals(Role(0)), |pattern: &Pattern, states: u64| {
            tell(Doing::Building(pattern, &board, states));
            spent() < 1.0
        });
        let choice = choose(*engine, &board, &watched, settings, range, &mut tables);
        Ok(Patterns { board, watched, choice })
    }
}
