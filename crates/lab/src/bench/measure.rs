//! One measurement: a rulesheet, an engine, some seconds of random games.

use super::meter::{self, Clock, Stopwatch, Timer};
use agent::{EngineChoice, Loaded, load as load_engine};
use anyhow::{Context, Result, anyhow};
use game::random::Rng;
use game::{Cancel, Game, Goal, Limit, Move, Names, roles};
use library::Sheet;
use machine::Engine;
use serde::{Deserialize, Serialize};

/// A random game is cut after this many moves: some rules never end.
const MOST: usize = 10_000;

/// A game that is not over after this many times the seconds asked for is left unfinished.
const PATIENCE: f64 = 4.0;

/// Games one at a time are played for no longer than this where they are not the main thing.
const SINGLE: f64 = 1.0;

/// What was asked for and what came of it: a line of a report.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The game's name.
    pub game: String,
    /// The engine asked for.
    pub asked: String,
    /// The measurement, if there was one.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// A measurement, or why there is none.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Outcome {
    /// It worked.
    Measured(Box<Measured>),
    /// It did not.
    Failed {
        /// Why, in words.
        error: String,
    },
}

impl Row {
    /// The measurement, if there is one.
    pub fn measured(&self) -> Option<&Measured> {
        match &self.outcome {
            Outcome::Measured(measured) => Some(measured),
            Outcome::Failed { .. } => None,
        }
    }

    /// A row without measurement.
    pub fn failed(game: &str, engine: EngineChoice, error: impl Into<String>) -> Row {
        let error = error.into();
        Row { game: game.to_string(), asked: engine.name().to_string(), outcome: Outcome::Failed { error } }
    }
}

/// What was measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// The engine that ran.
    pub engine: String,
    /// Why `auto` did not take the fastest engine.
    pub fallback: Option<String>,
    /// Seconds from the text to the legal moves of the start, by the same clock as everything else.
    pub ready: f64,
    /// The same on the wall.
    pub ready_wall: f64,
    /// The most memory that the game took, in bytes, beyond what the program takes without a game.
    pub memory: Option<u64>,
    /// States a second.
    pub states_per_second: f64,
    /// Whole games a second; none if no game came to its end.
    pub playouts_per_second: Option<f64>,
    /// States a second when games are played one at a time, by an engine that usually plays many.
    pub single_states_per_second: Option<f64>,
    /// The random games.
    pub play: Play,
}

/// Random games from the start, counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Play {
    /// Joint moves made.
    pub states: u64,
    /// Games that ended.
    pub playouts: u64,
    /// Those of them that were cut after 10,000 moves.
    pub cut: u64,
    /// Those of them that ended because somebody had no legal move.
    pub stuck: u64,
    /// How long it took.
    pub seconds: f64,
    /// By which clock.
    pub clock: Clock,
    /// How long it took on the wall.
    pub wall: f64,
    /// Many games at once?
    pub lanes: bool,
    /// So few games in each lane that games a second, and what else depends on their ends, is a rough guess.
    pub few: bool,
    /// The roles, in order.
    pub roles: Vec<Goals>,
}

/// What a role got.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Goals {
    /// The role's name.
    pub role: String,
    /// How many games gave each goal; goals that no game gave are left out.
    pub goals: Vec<(Goal, u64)>,
}

impl Goals {
    /// The mean over the games that gave a goal.
    pub fn mean(&self) -> f64 {
        let games: u64 = self.goals.iter().map(|(_, games)| games).sum();
        let sum: u64 = self.goals.iter().map(|(goal, games)| u64::from(*goal) * games).sum();
        sum as f64 / games.max(1) as f64
    }

    fn take(&mut self, counts: &[u64]) {
        let given = counts.iter().enumerate().filter(|(_, games)| **games > 0);
        self.goals = given.map(|(goal, &games)| (goal as Goal, games)).collect();
    }
}

impl Play {
    /// States a second.
    pub fn states_per_second(&self) -> f64 {
        self.states as f64 / self.seconds.max(1e-9)
    }

    /// Whole games a second.
    pub fn playouts_per_second(&self) -> Option<f64> {
        (self.playouts > 0).then(|| self.playouts as f64 / self.seconds.max(1e-9))
    }

    /// Moves a game.
    pub fn length(&self) -> f64 {
        self.states as f64 / self.playouts.max(1) as f64
    }
}

/// Loads a game and plays it at random for some seconds of processor time.
pub fn measure(sheet: &Sheet, engine: EngineChoice, seconds: f64, seed: u64) -> Result<Measured> {
    let before = meter::memory();
    let watch = Stopwatch::start();
    let (rules, problems) = sheet.parse();
    if let Some(problem) = problems.first() {
        let (line, column) = sheet.source().place(problem.span.start);
        return Err(anyhow!("{}:{line}:{column}: {}", sheet.name, problem.message));
    }
    let Loaded { engine: game, no_net } = load_engine(engine, sheet, &rules, &Cancel::new())?;
    first_moves(&game).context("at the start")?;
    let (ready, ready_wall) = (watch.seconds(), watch.wall());
    let play = play(&game, seconds, seed)?;
    let single = if play.lanes {
        let seconds = seconds.min(SINGLE);
        Some(RandomPlay { seconds, seed }.run(&game).context("playing one game at a time")?.states_per_second())
    } else {
        None
    };
    let memory = before.zip(meter::memory()).map(|(before, after)| after.peak.saturating_sub(before.now));
    Ok(Measured {
        engine: game.kind().name().to_string(),
        fallback: no_net,
        ready,
        ready_wall,
        memory,
        states_per_second: play.states_per_second(),
        playouts_per_second: play.playouts_per_second(),
        single_states_per_second: single,
        play,
    })
}

/// Plays random games in the way that suits the engine best.
pub fn play(game: &Engine, seconds: f64, seed: u64) -> Result<Play> {
    match lanes(game, seconds, seed) {
        Some(play) => Ok(play),
        None => Ok(RandomPlay { seconds, seed }.run(game).context("playing at random")?),
    }
}

/// Finds the legal moves of the start.
fn first_moves(game: &Engine) -> Result<(), Limit> {
    let mut view = game.view();
    game.look(&game.start(), &mut view)?;
    let mut moves = Vec::new();
    roles(game).for_each(|role| game.legal(&view, role, &mut moves));
    std::hint::black_box(moves);
    Ok(())
}

/// Plays one game after the other.
pub struct RandomPlay {
    /// For so long.
    pub seconds: f64,
    /// The seed.
    pub seed: u64,
}

impl RandomPlay {
    /// Plays.
    ///
    /// # Errors
    /// When the engine reaches a limit.
    pub fn run(self, game: &machine::Engine) -> Result<Play, Limit> {
        let mut play = Play { clock: meter::clock(), roles: named(game), ..Play::default() };
        let mut table = Table::new(game, self.seed);
        let wall = Stopwatch::start();
        let mut timer = Timer::start();
        while timer.about() < self.seconds {
            if !table.game(game, &mut play, &mut || timer.about() < PATIENCE * self.seconds)? {
                break;
            }
        }
        (play.seconds, play.wall) = (timer.exactly(), wall.wall());
        play.roles.iter_mut().zip(&table.goals).for_each(|(role, counts)| role.take(counts));
        Ok(play)
    }
}

fn named<G: Names>(game: &G) -> Vec<Goals> {
    roles(game).map(|role| Goals { role: game.role_name(role).to_string(), goals: Vec::new() }).collect()
}

/// What random games are played on. (The player in `game` plays whole games; here the clock is asked at every move.)
struct Table<G: Game> {
    view: G::View,
    state: G::State,
    next: G::State,
    legal: Vec<Move>,
    joint: Vec<Move>,
    rng: Rng,
    /// How many games gave each role each goal.
    goals: Vec<[u64; 256]>,
}

impl<G: Game> Table<G> {
    fn new(game: &G, seed: u64) -> Table<G> {
        let rng = Rng::new(seed);
        let (state, next) = (game.start(), game.start());
        Table {
            view: game.view(),
            state,
            next,
            legal: Vec::new(),
            joint: Vec::new(),
            rng,
            goals: vec![[0; 256]; game.roles()],
        }
    }

    /// Plays one game from the start; `false` if it was left unfinished because `on` said so.
    fn game(&mut self, game: &G, play: &mut Play, on: &mut dyn FnMut() -> bool) -> Result<bool, Limit> {
        self.state = game.start();
        let mut steps = 0;
        loop {
            game.look(&self.state, &mut self.view)?;
            if game.over(&self.view) {
                break;
            }
            if steps == MOST {
                play.cut += 1;
                break;
            }
            if !self.choose(game) {
                play.stuck += 1;
                break;
            }
            game.play(&mut self.view, &self.joint, &mut self.next)?;
            std::mem::swap(&mut self.state, &mut self.next);
            steps += 1;
            play.states += 1;
            if !on() {
                return Ok(false);
            }
        }
        for (role, counts) in roles(game).zip(&mut self.goals) {
            if let Some(goal) = game.goal(&mut self.view, role)? {
                counts[goal as usize] += 1;
            }
        }
        play.playouts += 1;
        Ok(true)
    }

    fn choose(&mut self, game: &G) -> bool {
        self.joint.clear();
        for role in roles(game) {
            self.legal.clear();
            game.legal(&self.view, role, &mut self.legal);
            if self.legal.is_empty() {
                return false;
            }
            self.joint.push(self.legal[self.rng.below(self.legal.len())]);
        }
        true
    }
}

/// Enough games that every lane has ended about so many, if the time allows: a lane counts its moves at once and its
/// game at the end, so that a few games a lane would say little about games a second.
const GAMES_A_LANE: u64 = 20;

/// Plays many games at once, if the engine can.
pub fn lanes(game: &Engine, seconds: f64, seed: u64) -> Option<Play> {
    let mut lanes = game.net()?.lanes(seed);
    let width = lanes.width() as u64;
    let ended = |tally: &machine::Tally| tally.playouts + tally.stuck + tally.cut;
    // All games begin together. They are out of step, and the lanes in their usual state, when most have ended twice.
    let mut timer = Timer::start();
    while timer.about() < PATIENCE * seconds && ended(lanes.tally()) < 2 * width {
        lanes.run(1);
    }
    let before = lanes.tally().clone();
    let wall = Stopwatch::start();
    let mut timer = Timer::start();
    let enough = ended(&before) + GAMES_A_LANE * width;
    while timer.about() < seconds || (timer.about() < PATIENCE * seconds && ended(lanes.tally()) < enough) {
        lanes.run(1);
    }
    let mut play = Play { clock: meter::clock(), lanes: true, roles: named(game), ..Play::default() };
    (play.seconds, play.wall) = (timer.exactly(), wall.wall());
    let tally = lanes.tally();
    play.states = tally.states - before.states;
    (play.stuck, play.cut) = (tally.stuck - before.stuck, tally.cut - before.cut);
    play.playouts = ended(tally) - ended(&before);
    play.few = ended(&before) < 2 * width || play.playouts < 2 * width;
    for (role, (counts, before)) in play.roles.iter_mut().zip(tally.goals.iter().zip(&before.goals)) {
        let counts: Vec<u64> = counts.iter().zip(before).map(|(now, before)| now - before).collect();
        role.take(&counts);
    }
    Some(play)
}
