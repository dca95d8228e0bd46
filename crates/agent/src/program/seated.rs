//! A searcher that asks a program: for whoever plays against one or wants to see what it thinks.
//!
//! Where the rules are not chess, or the program fails, the default player searches in its place and an event says so. (In a
//! match there is no such thing: a program that fails there has failed.)

use super::{Board, NOT_CHESS, Program, Report, Task, Thinking};
use crate::event::Event;
use crate::searcher::Knowledge;
use crate::spec::PlayerSpec;
use game::{Game, Limit, Move, Names, Role, roles};
use machine::{Engine, State};
use search::{Budget, Choice, Found, Monitor, Searcher, first_moves};
use std::collections::HashMap;
use std::sync::Arc;

/// See the module.
pub(crate) struct Seated {
    spec: PlayerSpec,
    knowledge: Arc<Knowledge>,
    program: Option<Box<dyn Program>>,
    board: Option<Board>,
    /// It was said that somebody else plays.
    has_failed: bool,
    other: Box<dyn Searcher<Engine>>,
}

impl Seated {
    /// The program that a description names; `other` searches where it cannot.
    pub fn new(spec: &PlayerSpec, knowledge: &Arc<Knowledge>, other: Box<dyn Searcher<Engine>>) -> Seated {
        let (spec, knowledge) = (spec.clone(), Arc::clone(knowledge));
        Seated { spec, knowledge, program: None, board: None, has_failed: false, other }
    }

    /// The program, started if it is not there.
    fn program(&mut self, stop: &dyn Fn() -> bool) -> Result<&mut Box<dyn Program>, String> {
        if self.program.is_none() {
            let (protocol, spec) = self.spec.method.program().ok_or("it is another kind of player")?;
            let start = self.knowledge.programs().ok_or("programs cannot be started here")?;
            self.program = Some(start(protocol, spec, stop)?);
        }
        self.program.as_mut().ok_or_else(|| "the program is not there".to_string())
    }

    /// Puts the board where the state is.
    fn set_board(&mut self, engine: &Engine, state: &State) -> Result<(), String> {
        let facts = engine.facts(state);
        if self.board.as_mut().is_some_and(|board| board.go_to(&facts)) {
            return Ok(());
        }
        let words = self.knowledge.chess_words().ok_or(NOT_CHESS)?;
        self.board = Board::new(Arc::clone(words), &facts);
        self.board.as_ref().map(drop).ok_or_else(|| "no game of chess leads to this position".to_string())
    }

    fn ask(
        &mut self,
        game: &Engine,
        state: &State,
        legal: &[Move],
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, String> {
        self.set_board(game, state)?;
        self.program(&|| (budget.spent)() >= 1.0)?;
        let (Some(board), Some(program)) = (&self.board, &mut self.program) else { return Err(NOT_CHESS.to_string()) };
        let moves: HashMap<String, Move> = legal.iter().map(|&mv| (game.move_text(mv).to_lowercase(), mv)).collect();
        let known = |coordinates: &str| moves.get(&board.text(coordinates)?.to_lowercase()).copied();
        let found = |report: &Report, mv: Option<Move>| found(game, state, legal, report, mv);
        let (_, spec) = self.spec.method.program().ok_or(NOT_CHESS)?;
        let task = Task {
            start: board.start(),
            moves: board.moves(),
            position: board.position(),
            depth: spec.depth,
            nodes: self.spec.limits.nodes,
            movetime: spec.movetime,
        };
        let mut tell = |report: &Report| {
            let Some(mv) = report.line.first().and_then(|first| known(first)) else { return };
            monitor.set_best(mv, report.score.map_or(50.0, |score| score.reward()));
            if monitor.is_wanted() {
                monitor.publish(found(report, Some(mv)));
            }
        };
        let mut thinking = Thinking { stop: &|| (budget.spent)() >= 1.0, tell: &mut tell };
        let report = program.think(&task, &mut thinking)?;
        let best = report.best.clone().ok_or_else(|| format!("{} finds no move", program.name()))?;
        let mv = known(&best).ok_or_else(|| format!("{} answers {best}, which is no legal move", program.name()))?;
        Ok(found(&report, Some(mv)))
    }
}

/// What a program thinks, in the words of the engine.
fn found(game: &Engine, state: &State, legal: &[Move], report: &Report, mv: Option<Move>) -> Found {
    let value = report.score.map_or(50.0, |score| score.reward());
    let choice = |&other: &Move| {
        let is_best = Some(other) == mv;
        let (value, visits) = if is_best { (value, report.nodes) } else { (0.0, 0) };
        Choice { mv: other, value, visits, proven: false, share: f32::from(u8::from(is_best)) }
    };
    let mut view = game.view();
    let mut joint = || -> Option<Vec<Move>> {
        game.look(state, &mut view).ok()?;
        let of = |role: Role| {
            let mut own = Vec::new();
            game.legal(&view, role, &mut own);
            mv.filter(|mv| own.contains(mv)).or(own.first().copied())
        };
        roles(game).map(of).collect()
    };
    Found {
        mv,
        value,
        proven: false,
        depth: report.depth,
        nodes: report.nodes,
        playouts: 0,
        line: joint().into_iter().collect(),
        moves: legal.iter().map(choice).collect(),
    }
}

impl Searcher<Engine> for Seated {
    fn search(
        &mut self,
        game: &Engine,
        state: &State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        if self.has_failed {
            return self.other.search(game, state, role, budget, monitor);
        }
        let legal = first_moves(game, state, role, &mut game.view(), monitor)?;
        if legal.len() < 2 {
            let found = Found { mv: legal.first().copied(), value: 50.0, ..Found::default() };
            monitor.finish(&found);
            return Ok(found);
        }
        match self.ask(game, state, &legal, budget, monitor) {
            Ok(found) => {
                monitor.finish(&found);
                Ok(found)
            }
            // What was thought until then counts, and another program is started next time.
            Err(_) if (budget.spent)() >= 1.0 => {
                self.program = None;
                let best = monitor.best().map(|(mv, _)| mv).or(legal.first().copied());
                let found = found(game, state, &legal, &Report::default(), best);
                monitor.finish(&found);
                Ok(found)
            }
            Err(why) => {
                (self.program, self.has_failed) = (None, true);
                let player = self.spec.to_string();
                self.knowledge.events.tell(&Event::StandIn { player, why });
                self.other.search(game, state, role, budget, monitor)
            }
        }
    }

    /// Starts the program; there is nothing else to get ready.
    fn prepare(&mut self, _: &Engine, _: &State, _: Role, budget: &Budget<'_>) -> Result<(), Limit> {
        // What is wrong with it is said when it is asked for a move.
        let _ = self.program(&|| (budget.spent)() >= 1.0);
        Ok(())
    }
}
