//! One game from a position: who sits where, and how it ends.

use super::rows::{Row, row};
use ::chess::weights::Weights;
use ::chess::{Engine, Judge, Limits, Settings};
use agent::PlayerSpec;
use agent::program::{Program, Task, Thinking};
use anyhow::{Context, Result, anyhow, bail, ensure};
use game::Cancel;
use native::chess::{Colour, Position, Step};
use platform::Children;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use table::chess::{Material, Metric, Outcome, Tables};

/// The longest game, in plies; longer ones are drawn.
pub const MOST_PLIES: usize = 300;
/// MiB for the table of positions of a player of ours.
const HASH: usize = 16;

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Mate.
    Mate,
    /// No move.
    Stalemate,
    /// Five men or fewer, and a table knows.
    Table,
    /// The third time of a position.
    Repeated,
    /// Fifty moves without capture or pawn move.
    Fifty,
    /// [`MOST_PLIES`].
    Long,
}

/// Who sits in our chair.
#[derive(Clone, PartialEq, Debug)]
pub enum Chair {
    /// The plain sum of lookups in the paper's tables of three and four men.
    Four,
    /// The plain sum of lookups in the paper's tables of five men.
    Five,
    /// The paper's tables of five men, with weights that were learned.
    Learned,
    /// No lookups but of the position itself: an evaluation by hand.
    Hand,
    /// Another program: what can be reached against this opponent.
    Ceiling(PlayerSpec),
}

impl Chair {
    /// The names of those that are always there.
    pub const NAMES: [&'static str; 5] = ["four", "five", "learned", "hand", "ceiling"];

    /// What it is called in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Chair::Four => "four",
            Chair::Five => "five",
            Chair::Learned => "learned",
            Chair::Hand => "hand",
            Chair::Ceiling(_) => "ceiling",
        }
    }

    /// What the paper says, at this depth.
    pub fn published(&self, row: &Row, depth: u32) -> Option<f64> {
        let at = super::rows::DEPTHS.iter().position(|known| *known == depth)?;
        match self {
            Chair::Four => row.four.as_ref().map(|four| four.published[at]),
            Chair::Five => Some(row.five.published[at]),
            Chair::Learned | Chair::Hand | Chair::Ceiling(_) => None,
        }
    }
}

/// The tables.
#[derive(Clone)]
pub struct Stage {
    /// Where they are.
    pub folder: PathBuf,
    /// All of them.
    pub all: Arc<Tables>,
    /// Those of at most four men.
    pub small: Arc<Tables>,
    /// What lookups weigh.
    pub weights: Arc<Weights>,
    /// The programs that are started.
    pub children: Children,
}

/// What came of a game.
pub struct Bout {
    /// How it ended.
    pub end: End,
    /// Who won.
    pub winner: Option<Colour>,
    /// How long it was.
    pub plies: usize,
    /// For us and for the opponent: positions looked at, moves, seconds.
    pub nodes: [u64; 2],
    /// Moves made.
    pub moves: [u64; 2],
    /// Seconds thought.
    pub seconds: [f64; 2],
}

/// Somebody who moves.
enum Seat {
    Ours(Box<Engine>),
    Program(Box<dyn Program>, PlayerSpec),
}

impl Seat {
    fn program(spec: &PlayerSpec, stage: &Stage, cancel: &Cancel) -> Result<Seat> {
        let (protocol, own) =
            spec.method.program().with_context(|| format!("{spec} is no program that plays chess"))?;
        let program = host::program::start(protocol, own, &stage.children, &|| cancel.is_cancelled());
        Ok(Seat::Program(program.map_err(|why| anyhow!("{why}"))?, spec.clone()))
    }

    fn of(chair: &Chair, men: &str, stage: &Stage, cancel: &Cancel) -> Result<Seat> {
        let row = row(men).with_context(|| format!("{men} is none of the paper's endings"))?;
        let (judge, parts, tables) = match chair {
            Chair::Four => {
                let four =
                    row.four.as_ref().with_context(|| format!("{men} has no tables of four men in the paper"))?;
                (Judge::Sum, four.parts, &stage.small)
            }
            Chair::Five => (Judge::Sum, row.five.parts, &stage.all),
            Chair::Learned => (Judge::Learned, row.five.parts, &stage.all),
            Chair::Hand => (Judge::Hand, &[][..], &stage.all),
            Chair::Ceiling(spec) => return Seat::program(spec, stage, cancel),
        };
        let parts = parts.iter().map(|part| Ok(Material::parse(part)?)).collect::<Result<Vec<_>>>()?;
        let mut settings = Settings { judge, parts, ..Settings::default() };
        // A fixed depth is what it says: nothing is left out. Lines are followed beyond it while moves are loud, as everybody does.
        (settings.search.passes, settings.search.reductions) = (false, false);
        settings.search.memory = HASH << 20;
        let engine = Engine::new(settings, Some(Arc::clone(tables))).with_weights(Arc::clone(&stage.weights));
        Ok(Seat::Ours(Box::new(engine)))
    }

    /// The move, and how many positions were looked at.
    fn choose(&mut self, game: &Followed, depth: u32, cancel: &Cancel) -> Result<(Step, u64)> {
        match self {
            Seat::Ours(engine) => {
                engine.set_position(game.start, &game.moves);
                let spent = || if cancel.is_cancelled() { 2.0 } else { 0.0 };
                let best =
                    engine.search(&Limits { depth: Some(depth), spent: &spent, ..Limits::default() }, &mut |_| {});
                let nodes = best.lines.first().map_or(0, |line| line.nodes);
                Ok((best.mv.context("our player finds no move")?, nodes))
            }
            Seat::Program(program, spec) => {
                let (_, own) = spec.method.program().context("it is a program")?;
                let (start, position) = (game.start.fen(), game.position.fen());
                let moves: Vec<String> = game.moves.iter().map(Step::uci).collect();
                let task = Task {
                    start: &start,
                    moves: &moves,
                    position: &position,
                    depth: own.depth.or((own.movetime.is_none() && spec.limits.nodes.is_none()).then_some(depth)),
                    nodes: spec.limits.nodes,
                    movetime: own.movetime,
                };
                let report = program.think(&task, &mut Thinking { stop: &|| cancel.is_cancelled(), tell: &mut |_| {} });
                let report = report.map_err(|why| anyhow!("{why}"))?;
                let best = report.best.with_context(|| format!("{} finds no move in {position}", program.name()))?;
                let step = game.position.read_uci(&best).with_context(|| program.name().to_string())?;
                Ok((step, report.nodes))
            }
        }
    }
}

/// A game so far.
struct Followed {
    start: Position,
    moves: Vec<Step>,
    position: Position,
    seen: HashMap<Position, u8>,
}

impl Followed {
    fn new(start: Position) -> Followed {
        let mut own = Followed { start, moves: Vec::new(), position: start, seen: HashMap::new() };
        own.count();
        own
    }

    fn count(&mut self) -> u8 {
        let times = self.seen.entry(Position { quiet: 0, ..self.position }).or_default();
        *times = times.saturating_add(1);
        *times
    }

    /// The end of the game, if it is over, and who has won.
    fn end(&self, tables: &Tables) -> Option<(End, Option<Colour>)> {
        let position = &self.position;
        let (turn, other) = (position.turn, position.turn.other());
        if !position.can_move() {
            return Some(if position.in_check(turn) { (End::Mate, Some(other)) } else { (End::Stalemate, None) });
        }
        if position.count() <= 5 {
            match tables.probe(position, Metric::Mate) {
                Ok(Outcome::Win(_)) => return Some((End::Table, Some(turn))),
                Ok(Outcome::Loss(_)) => return Some((End::Table, Some(other))),
                Ok(Outcome::Draw) => return Some((End::Table, None)),
                // Without a table it is played on.
                Err(_) => {}
            }
        }
        if self.seen.get(&Position { quiet: 0, ..*position }).is_some_and(|times| *times >= 3) {
            return Some((End::Repeated, None));
        }
        if position.quiet >= 100 {
            return Some((End::Fifty, None));
        }
        (self.moves.len() >= MOST_PLIES).then_some((End::Long, None))
    }
}

/// Plays a game from a position, with us on one side.
///
/// # Errors
/// When a program fails, or somebody says stop.
#[expect(clippy::too_many_arguments, reason = "a game, in one place")]
pub fn play(
    stage: &Stage,
    chair: &Chair,
    opponent: &PlayerSpec,
    men: &str,
    start: Position,
    side: Colour,
    depth: u32,
    cancel: &Cancel,
) -> Result<Bout> {
    let mut seats = [Seat::of(chair, men, stage, cancel)?, Seat::program(opponent, stage, cancel)?];
    let mut game = Followed::new(start);
    let mut outcome = Bout { end: End::Long, winner: None, plies: 0, nodes: [0; 2], moves: [0; 2], seconds: [0.0; 2] };
    loop {
        if let Some((end, winner)) = game.end(&stage.all) {
            return Ok(Bout { end, winner, plies: game.moves.len(), ..outcome });
        }
        let who = usize::from(game.position.turn != side);
        let began = Instant::now();
        let (step, nodes) = seats[who].choose(&game, depth, cancel)?;
        ensure!(!cancel.is_cancelled(), "broken off");
        outcome.nodes[who] += nodes;
        outcome.moves[who] += 1;
        outcome.seconds[who] += began.elapsed().as_secs_f64();
        if !game.position.legal().contains(&step) {
            bail!("{} is not legal in {}", step.uci(), game.position.fen());
        }
        game.position = game.position.after(&step);
        game.moves.push(step);
        game.count();
    }
}

/// The seconds that both sides together need for one move each from a position.
///
/// # Errors
/// As [`play`].
pub fn first_moves(
    stage: &Stage,
    chair: &Chair,
    opponent: &PlayerSpec,
    men: &str,
    start: Position,
    depth: u32,
    cancel: &Cancel,
) -> Result<f64> {
    let mut seats = [Seat::of(chair, men, stage, cancel)?, Seat::program(opponent, stage, cancel)?];
    let game = Followed::new(start);
    let began = Instant::now();
    for seat in &mut seats {
        seat.choose(&game, depth, cancel)?;
    }
    Ok(began.elapsed().as_secs_f64())
}
