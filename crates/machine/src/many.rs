//! Many games side by side whose moves are chosen outside: environments for those who learn.
//!
//! With a propnet the games run on lanes: their states are planes of bits, 512 games a group, and stay so from step to step; a step
//! of a group runs the circuit once. Other engines play one state after the other, with the same results. What is told of the games
//! (who decides, legal moves, facts, goals) is written into arrays of the caller, a row a game.
//!
//! Moves and facts are columns of these arrays, so they have small numbers ([`Numbering`]): those of a net are fixed; other engines
//! number what comes up in the order in which it does.

mod lanes;
mod numbering;
mod rows;
mod single;

pub use numbering::Numbering;

use crate::engine::{Engine, State};
use crate::lanes::Tally;
use crate::net::PropNet;
use crate::plane::Words;
use game::random::End;
use game::{Cancel, Limit, Role};
use lanes::{LaneGames, Task};
use single::SingleGames;
use std::fmt;
use std::sync::Arc;

/// How many games, and what becomes of those that end.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many games.
    pub count: usize,
    /// The seed of [`ManyGames::sample`] and [`ManyGames::rollout`].
    pub seed: u64,
    /// Whether a game that has ended begins anew at once. Otherwise it stays where it is, and what is chosen for it is ignored.
    pub restarts: bool,
    /// Games are cut after so many moves.
    pub most: Option<u32>,
}

/// What is chosen, by number, a row a game.
#[derive(Clone, Copy, Debug)]
pub enum Actions<'a> {
    /// One action a game: that of the role that decides. Whoever waits makes its only move.
    Deciding(&'a [i64]),
    /// One action for each role in each game, game after game.
    Joint(&'a [i64]),
}

/// Whose moves are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whose {
    /// A row a game: those of the role that decides; none where several do.
    Deciding,
    /// A row a role, role after role, game after game.
    All,
}

/// How truth values are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A byte each, 0 or 1.
    Bytes,
    /// A bit each, the first in the lowest bit of the first byte; rows begin with a byte.
    Bits,
}

impl Form {
    /// The bytes of a row of so many values.
    pub fn row(self, columns: usize) -> usize {
        match self {
            Form::Bytes => columns,
            Form::Bits => columns.div_ceil(8),
        }
    }
}

/// What a step has brought: arrays of the caller, all of which is written.
#[derive(Debug)]
pub struct Done<'a> {
    /// The goals of each role in games that have ended with this step, 0 elsewhere; game after game. A role without a goal gets 0.
    pub goals: &'a mut [f32],
    /// 0 for a game that goes on, 1 for one that came to its end, 2 for one where a role had no move, 3 for one that was cut.
    pub ended: &'a mut [u8],
}

/// How an end is written in [`Done::ended`].
pub(crate) fn code(end: End) -> u8 {
    match end {
        End::Terminal => 1,
        End::Stuck => 2,
        End::Cut => 3,
    }
}

/// What [`ManyGames::players`] says where several roles choose at once.
pub const SEVERAL: i8 = -2;
/// What [`ManyGames::players`] says where the game is over.
pub const OVER: i8 = -4;

/// Why no step was made. No game has changed then.
#[derive(Clone, PartialEq, Debug)]
pub enum StepError {
    /// An array has another length than it should.
    Length {
        /// Its length.
        is: usize,
        /// What it should be.
        should: usize,
    },
    /// That is no legal move of the role there.
    Illegal {
        /// In which game.
        game: usize,
        /// Whose.
        role: Role,
        /// What was chosen.
        action: i64,
    },
    /// Several roles choose at once, and only one action was given.
    Several {
        /// In which game.
        game: usize,
    },
    /// The engine came to a limit.
    Limit {
        /// In which game.
        game: usize,
        /// Which.
        limit: Limit,
    },
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepError::Length { is, should } => write!(f, "an array has {is} entries and should have {should}"),
            StepError::Illegal { game, role, action } => {
                write!(f, "action {action} is not legal for role {} in game {game}", role.0)
            }
            StepError::Several { game } => {
                write!(f, "several roles choose at once in game {game}: give an action for each role")
            }
            StepError::Limit { game, limit } => write!(f, "in game {game}: {limit}"),
        }
    }
}

impl std::error::Error for StepError {}

/// See the module.
///
/// ```
/// use machine::{Actions, Done, ManyGames, Numbering, Settings};
/// let rules = gdl::parse("(role me) (init (at 1)) (succ 1 2) (succ 2 3)
///     (<= (legal me (go ?y)) (true (at ?x)) (succ ?x ?y)) (<= (legal me stay) (true (at ?x)))
///     (<= (next (at ?y)) (does me (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does me stay))
///     (<= terminal (true (at 3))) (<= (goal me 100) (true (at 3)))").rules;
/// let engine = machine::Loader::new(&rules).best().unwrap().engine;
/// let numbering = std::sync::Arc::new(Numbering::new(&engine).unwrap());
/// let settings = Settings { count: 2, seed: 1, restarts: true, most: None };
/// let mut games = ManyGames::new(&engine, &numbering, settings).unwrap();
/// let [two, three] = ["(go 2)", "(go 3)"].map(|text| {
///     (0..3).find(|&action| numbering.action_text(game::Role(0), action).unwrap() == text).unwrap() as i64
/// });
/// let (mut goals, mut ended) = ([0.0; 2], [0; 2]);
/// for action in [two, three] {
///     games.step(Actions::Deciding(&[action; 2]), Done { goals: &mut goals, ended: &mut ended }).unwrap();
/// }
/// assert_eq!((goals, ended), ([100.0; 2], [1; 2]));
/// ```
pub struct ManyGames {
    engine: Engine,
    numbering: Arc<Numbering>,
    count: usize,
    inside: Inside,
}

enum Inside {
    #[cfg(target_arch = "x86_64")]
    Wide(Box<LaneGames<crate::plane::wide::Wide>>),
    Words(Box<LaneGames<Words>>),
    Single(Box<SingleGames>),
}

/// The same expression for games on lanes of either kind, or for single ones.
macro_rules! inside {
    ($inside:expr, $lanes:ident => $body:expr, $single:ident => $other:expr) => {
        match $inside {
            #[cfg(target_arch = "x86_64")]
            Inside::Wide($lanes) => $body,
            Inside::Words($lanes) => $body,
            Inside::Single($single) => $other,
        }
    };
}

/// The net of games that run on lanes: they are made for nets only.
fn net_of(engine: &Engine) -> &PropNet {
    engine.net().unwrap_or_else(|| unreachable!("lanes have a net"))
}

impl ManyGames {
    /// Games at the start of the rules; on lanes if the engine has them.
    ///
    /// # Errors
    /// When the engine comes to a limit at the start.
    pub fn new(engine: &Engine, numbering: &Arc<Numbering>, settings: Settings) -> Result<ManyGames, Limit> {
        let Some(net) = engine.net() else { return ManyGames::one_by_one(engine, numbering, settings) };
        #[cfg(target_arch = "x86_64")]
        if crate::plane::wide::available() {
            let games =
                ManyGames::on(engine, numbering, &settings, Inside::Wide(LaneGames::new(net, &settings).into()));
            return Ok(games);
        }
        Ok(ManyGames::on(engine, numbering, &settings, Inside::Words(LaneGames::new(net, &settings).into())))
    }

    /// The same one state after the other, whatever the engine: what lanes are compared with.
    ///
    /// # Errors
    /// When the engine comes to a limit at the start.
    pub fn one_by_one(engine: &Engine, numbering: &Arc<Numbering>, settings: Settings) -> Result<ManyGames, Limit> {
        let games = SingleGames::new(engine, numbering, &settings)?;
        Ok(ManyGames::on(engine, numbering, &settings, Inside::Single(games.into())))
    }

    /// The same on lanes without instructions that not every processor has; `None` for an engine without lanes.
    pub fn portable(engine: &Engine, numbering: &Arc<Numbering>, settings: Settings) -> Option<ManyGames> {
        let games = LaneGames::new(engine.net()?, &settings);
        Some(ManyGames::on(engine, numbering, &settings, Inside::Words(games.into())))
    }

    fn on(engine: &Engine, numbering: &Arc<Numbering>, settings: &Settings, inside: Inside) -> ManyGames {
        let mut games =
            ManyGames { engine: engine.clone(), numbering: Arc::clone(numbering), count: settings.count, inside };
        games.work(Task::Look);
        games
    }

    /// About how many bytes so many games take, the arrays of the caller not counted.
    pub fn bytes(engine: &Engine, count: usize) -> usize {
        match engine.net() {
            Some(net) => LaneGames::<Words>::bytes(net, count),
            None => count.saturating_mul(1024),
        }
    }

    /// How many games there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether they run on lanes.
    pub fn has_lanes(&self) -> bool {
        inside!(&self.inside, _lanes => true, _single => false)
    }

    /// The role that decides in each game; [`SEVERAL`] or [`OVER`] where there is none.
    pub fn players(&self) -> &[i8] {
        inside!(&self.inside, lanes => lanes.players(), single => single.players())
    }

    /// The state of a game.
    ///
    /// # Panics
    /// If there is no such game.
    pub fn state(&self, game: usize) -> State {
        assert!(game < self.count, "there is no game {game}");
        inside!(&self.inside, lanes => State::Net(lanes.state(net_of(&self.engine), game)), single => single.state(game))
    }

    /// Puts a game into a state of the same engine; it goes on from there, whatever was before.
    ///
    /// # Errors
    /// When the engine comes to a limit there; then the game is where it was.
    ///
    /// # Panics
    /// If there is no such game, or the state is of another kind of engine.
    pub fn set(&mut self, game: usize, state: &State) -> Result<(), Limit> {
        assert!(game < self.count, "there is no game {game}");
        match &mut self.inside {
            Inside::Single(single) => return single.set(game, state),
            inside => {
                let State::Net(state) = state else { panic!("a state of another engine") };
                inside!(inside, lanes => lanes.put(game, state), _single => {});
            }
        }
        self.work(Task::LookAt(game));
        Ok(())
    }

    /// Begins all games anew.
    ///
    /// # Errors
    /// When the engine comes to a limit.
    pub fn reset(&mut self) -> Result<(), Limit> {
        match &mut self.inside {
            Inside::Single(single) => return single.reset(),
            inside => inside!(inside, lanes => lanes.reset(net_of(&self.engine)), _single => {}),
        }
        self.work(Task::Look);
        Ok(())
    }

    /// Makes one joint move in every game.
    ///
    /// # Errors
    /// When something is wrong with the actions or the arrays; then nothing has changed.
    pub fn step(&mut self, actions: Actions<'_>, done: Done<'_>) -> Result<(), StepError> {
        let roles = game::Game::roles(&self.engine);
        let should =
            |is: usize, should: usize| if is == should { Ok(()) } else { Err(StepError::Length { is, should }) };
        match actions {
            Actions::Deciding(actions) => should(actions.len(), self.count)?,
            Actions::Joint(actions) => should(actions.len(), self.count * roles)?,
        }
        should(done.goals.len(), self.count * roles)?;
        should(done.ended.len(), self.count)?;
        match &mut self.inside {
            Inside::Single(single) => return single.step(actions, done),
            inside => inside!(inside, lanes => lanes.check(net_of(&self.engine), actions)?, _single => {}),
        }
        self.work(Task::Step(actions, done));
        Ok(())
    }

    /// Draws a random legal action for whoever is asked about, each as likely as the others; -1 where there is none.
    ///
    /// # Errors
    /// When the array has another length than it should.
    pub fn sample(&mut self, whose: Whose, out: &mut [i64]) -> Result<(), StepError> {
        let should = self.rows(whose);
        if out.len() != should {
            return Err(StepError::Length { is: out.len(), should });
        }
        match &mut self.inside {
            Inside::Single(single) => single.sample(whose, out),
            _ => self.work(Task::Sample(whose, out)),
        }
        Ok(())
    }

    /// Makes so many random joint moves in every game, and tells what they came to. Ends early when cancelled, or when no game is
    /// going on any more.
    ///
    /// # Errors
    /// When the engine comes to a limit.
    pub fn rollout(&mut self, steps: u64, cancel: &Cancel) -> Result<Tally, Limit> {
        let roles = game::Game::roles(&self.engine);
        let mut tally = Tally { goals: vec![vec![0; 101]; roles], ..Tally::default() };
        match &mut self.inside {
            Inside::Single(single) => single.rollout(steps, cancel, &mut tally)?,
            _ => self.work(Task::Rollout(steps, cancel, &mut tally)),
        }
        Ok(tally)
    }

    /// How many rows [`ManyGames::masks`] and [`ManyGames::sample`] have.
    fn rows(&self, whose: Whose) -> usize {
        match whose {
            Whose::Deciding => self.count,
            Whose::All => self.count * game::Game::roles(&self.engine),
        }
    }

    /// Writes which actions are legal, a column for each action of [`Numbering::widest`].
    ///
    /// # Errors
    /// When the array has another length than it should.
    pub fn masks(&self, whose: Whose, form: Form, out: &mut [u8]) -> Result<(), StepError> {
        let columns = self.numbering.widest();
        self.has_room(self.rows(whose), form.row(columns), out)?;
        inside!(&self.inside, lanes => lanes.masks(net_of(&self.engine), whose, form, columns, out), single => single.masks(whose, form, columns, out));
        Ok(())
    }

    /// Writes which facts hold, a column for each fact of [`Numbering::facts`].
    ///
    /// # Errors
    /// When the array has another length than it should.
    pub fn facts(&self, form: Form, out: &mut [u8]) -> Result<(), StepError> {
        let columns = self.numbering.facts();
        self.has_room(self.count, form.row(columns), out)?;
        inside!(&self.inside, lanes => lanes.facts(net_of(&self.engine), form, out), single => single.facts(form, columns, out));
        Ok(())
    }

    fn has_room(&self, rows: usize, row: usize, out: &[u8]) -> Result<(), StepError> {
        let should = rows * row;
        if out.len() == should { Ok(()) } else { Err(StepError::Length { is: out.len(), should }) }
    }

    /// The states themselves, where games run on lanes: bit `game % 512` of a plane is that of the game in its group, and plane `fact`
    /// of group `group` is the eight words from `group * stride + 8 * fact` on. Neither moves as long as the games are there.
    pub fn planes(&self) -> Option<Planes<'_>> {
        inside!(&self.inside, lanes => Some(lanes.planes(net_of(&self.engine))), _single => None)
    }

    /// Has lanes do something, with the best instructions that there are for them.
    fn work(&mut self, task: Task<'_>) {
        let net = match &self.engine {
            Engine::Net(net) => net,
            Engine::Prover(_) | Engine::Rules(_) => return,
        };
        match &mut self.inside {
            // SAFETY: this kind is made only where the processor has the instructions.
            #[cfg(target_arch = "x86_64")]
            Inside::Wide(games) => unsafe { lanes::on_wide(games, net, task) },
            Inside::Words(games) => lanes::on_words(games, net, task),
            Inside::Single(_) => {}
        }
    }
}

/// See [`ManyGames::planes`].
#[derive(Clone, Copy, Debug)]
pub struct Planes<'a> {
    /// The words, from the first plane of the first group on.
    pub words: &'a [u64],
    /// How many groups of 512 games.
    pub groups: usize,
    /// How many words lie between a group and the next.
    pub stride: usize,
    /// How many facts.
    pub facts: usize,
}
