//! A program that plays chess, as a player of a match in the words of any rules that are chess.
//!
//! The clock is the match's: when it is nearly over the program is told to stop. What the program gets wrong is told as it is: a
//! move that is not legal goes to the referee, and one that does not come is missing. For the next move another program is
//! started, but not for ever.

use super::start;
use agent::chess::ChessWords;
use agent::program::{Board, NOT_CHESS, Program, Protocol, Task, Thinking};
use agent::spec::ProgramSpec;
use agent::{PlayerSpec, cache};
use game::{Game, Names};
use machine::Prover;
use platform::Children;
use play::{Clock, Player, Start, Trouble};
use std::sync::Arc;

/// So often in one match a program that failed is started again.
const AGAIN: usize = 3;

/// See the module.
pub struct ProgramPlayer {
    protocol: Protocol,
    program: ProgramSpec,
    /// The most positions, and the most seconds, for a move.
    nodes: Option<u64>,
    seconds: Option<f64>,
    children: Children,
    running: Option<Box<dyn Program>>,
    /// How often it was started.
    started: usize,
    /// The match.
    run: Option<(Board, String)>,
}

impl ProgramPlayer {
    /// The program that a description names; `None` if it is another kind of player.
    pub fn new(spec: &PlayerSpec, children: &Children) -> Option<ProgramPlayer> {
        let (protocol, program) = spec.method.program()?;
        Some(ProgramPlayer {
            protocol,
            program: program.clone(),
            nodes: spec.limits.nodes,
            seconds: spec.limits.seconds,
            children: children.clone(),
            running: None,
            started: 0,
            run: None,
        })
    }

    /// The program, started if it is not there.
    fn running(&mut self, stop: &dyn Fn() -> bool) -> Result<&mut Box<dyn Program>, Trouble> {
        if self.running.is_none() {
            if self.started > AGAIN {
                return Err(Trouble::Connection(format!("{} has failed {} times", self.program.command, self.started)));
            }
            self.started += 1;
            self.running =
                Some(start(self.protocol, &self.program, &self.children, stop).map_err(Trouble::Connection)?);
        }
        self.running.as_mut().ok_or_else(|| Trouble::Connection("the program is not there".to_string()))
    }

    fn think(&mut self, clock: &Clock<'_>) -> Result<String, Trouble> {
        let (began, limit) = (clock.left(), self.seconds.unwrap_or(f64::INFINITY));
        let kept = margin(clock.seconds);
        let stop = || clock.cancel.is_cancelled() || clock.left() <= kept || began - clock.left() >= limit;
        self.running(&stop)?;
        let (Some(program), Some((board, _))) = (&mut self.running, &self.run) else { return Err(Trouble::TimeOut) };
        let task = Task {
            start: board.start(),
            moves: board.moves(),
            position: board.position(),
            depth: self.program.depth,
            nodes: self.nodes,
            movetime: self.program.movetime,
        };
        match program.think(&task, &mut Thinking { stop: &stop, tell: &mut |_| {} }) {
            // What is no legal move here is for the referee to judge.
            Ok(report) => match report.best {
                Some(best) => Ok(board.text(&best).unwrap_or(best)),
                None => Err(Trouble::Connection(format!("{} finds no move", program.name()))),
            },
            Err(why) => {
                self.running = None;
                let late = clock.left() <= kept;
                Err(if late { Trouble::TimeOut } else { Trouble::Connection(why) })
            }
        }
    }
}

/// The time kept back, so that an answer is there in time.
fn margin(seconds: f64) -> f64 {
    (seconds * 0.05).clamp(0.05, 0.5).min(seconds * 0.3)
}

/// The board on which a match begins.
fn board(start: &Start) -> Result<Board, String> {
    let stop = || start.cancel.is_cancelled();
    let rules = cache::read(&start.rules, &gdl::Limits { stop: &stop, ..gdl::Limits::default() })?;
    let words = ChessWords::of(&rules).ok_or(NOT_CHESS)?;
    let prover = Prover::new(&rules).map_err(|error| format!("the rules cannot be played: {error}"))?;
    let facts = prover.facts(&prover.start());
    Board::new(Arc::new(words), &facts).ok_or_else(|| "no game of chess can begin like this".to_string())
}

impl Player for ProgramPlayer {
    fn prepare(&mut self, start: &Start, clock: &Clock<'_>) -> Result<(), Trouble> {
        self.run = Some((board(start).map_err(Trouble::Lost)?, start.role.clone()));
        self.running(&|| clock.cancel.is_cancelled() || clock.left() <= 0.0).map(|_| ())
    }

    fn choose(&mut self, last: Option<&[String]>, clock: &Clock<'_>) -> Result<String, Trouble> {
        let Some((board, role)) = &mut self.run else { return Err(Trouble::Lost(NOT_CHESS.to_string())) };
        if let Some(last) = last {
            board.follow(last).map_err(Trouble::Lost)?;
        }
        if !board.is_turn(role) {
            return Ok(board.wait());
        }
        match board.only() {
            Some(only) => Ok(only),
            None => self.think(clock),
        }
    }

    fn stop(&mut self, _: Option<&[String]>, _: &Clock<'_>) {
        (self.running, self.run) = (None, None);
    }

    fn abort(&mut self, _: &Clock<'_>) {
        (self.running, self.run) = (None, None);
    }
}
