//! The patterns of a game: found, built, chosen and weighed within a time, for the player and for the commands.

use abstraction::pattern::{Board, Choice, Pattern, Settings, Watched, build_all, candidates, choose};
use game::Role;
use machine::{Engine, State};
use std::sync::Arc;
use study::Study;

/// The name of the evaluator made of them.
pub const EVALUATOR: &str = "patterns";

/// The part of the time by which tables are built, and that by which random games are played; the rest is for weighing.
const BUILT: f32 = 0.6;
const WATCHED: f32 = 0.85;
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
    /// What a pattern adds.
    Weighing(&'a Pattern, &'a Board),
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
        let part = |share: f32| begin + (1.0 - begin) * share;
        // A few quick games show whose pieces are whose, and whether they are moved at all; where not, nothing more is spent.
        let mut more = |games: usize| games < FEWEST_GAMES && spent() < part(BUILT);
        let mut watched = Watched::run(*engine, &board, *seed, false, &mut more).map_err(|limit| limit.to_string())?;
        let patterns = match candidates(&board, &watched, settings) {
            Ok(patterns) => patterns,
            Err(why) => return Ok(Patterns { board, watched, choice: Choice::nothing(Vec::new(), why) }),
        };
        let mut more = |pattern: &Pattern, states: u64| {
            tell(Doing::Building(pattern, &board, states));
            spent() < part(BUILT)
        };
        let tried = match build_all(*engine, &board, patterns, settings, &mut more) {
            Ok(tried) => tried,
            Err((tried, why)) => return Ok(Patterns { board, watched, choice: Choice::nothing(tried, why) }),
        };
        // What tables leave of the time is for games: the more of them, the better the weights.
        let mut more = |games: usize| {
            tell(Doing::Games(games));
            games < MOST_GAMES && spent() < part(WATCHED)
        };
        let careful = Watched::run(*engine, &board, *seed, true, &mut more).map_err(|limit| limit.to_string())?;
        if careful.games > 0 {
            let few = std::mem::replace(&mut watched, careful);
            watched.learn(&few);
        }
        let mut more = |pattern: &Pattern| {
            tell(Doing::Weighing(pattern, &board));
            spent() < 1.0
        };
        let choice = choose(&board, &watched, tried, study.goals(Role(0)), &mut more);
        Ok(Patterns { board, watched, choice })
    }
}
