//! The engine: a game that is followed, and the search for the next move in it.

use crate::board::Board;
use crate::evaluation::{Evaluation, Judge};
use crate::lookups::Reading;
use crate::weights::Weights;
use native::chess::{Position, Step};
use search::duel::{self, Duel, Line, Progress, SURE, WIN};
use std::sync::Arc;
use table::chess::{Material, Metric, Outcome, Tables};

/// What can be set.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Settings {
    /// The search: memory, threads, and what makes it selective.
    pub search: duel::Settings,
    /// How positions are judged.
    pub judge: Judge,
    /// The parts that are looked up where all of them occur in the men on the board; otherwise, and where there are none
    /// here, all of the largest that have a table.
    pub parts: Vec<Material>,
}

/// When a search ends, and what it looks at.
pub struct Limits<'a> {
    /// The deepest horizon, in plies.
    pub depth: Option<u32>,
    /// Positions to look at.
    pub nodes: Option<u64>,
    /// A mate in so many moves is enough.
    pub mate: Option<u32>,
    /// The first moves to consider; all of them if there are none here.
    pub only: Vec<Step>,
    /// How many best first moves are wanted, each with its line; at least 1.
    pub lines: usize,
    /// Which part of the time is used up; 1 or more means stop. Asked often.
    pub spent: &'a (dyn Fn() -> f32 + Sync),
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits { depth: None, nodes: None, mate: None, only: Vec::new(), lines: 1, spent: &|| 0.0 }
    }
}

/// What a position is worth to the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in so many moves; negative, or 0 where it has come, if the side to move is mated.
    Mate(i32),
}

impl Score {
    fn of(value: i32) -> Score {
        match value {
            win if win > SURE => Score::Mate((WIN - win + 1) / 2),
            loss if loss < -SURE => Score::Mate(-(WIN + loss) / 2),
            value => Score::Centipawns(value),
        }
    }

    /// The chance to win that it stands for, a draw counting half.
    pub fn chance(self) -> f64 {
        match self {
            Score::Mate(moves) => f64::from(u8::from(moves > 0)),
            Score::Centipawns(value) => 1.0 / (1.0 + (-f64::from(value) / crate::weights::UNIT).exp()),
        }
    }
}

/// How far a search has come.
#[derive(Clone, PartialEq, Debug)]
pub struct Info {
    /// The horizon, in plies.
    pub depth: u32,
    /// The longest line looked at.
    pub selective_depth: u32,
    /// Which of the lines it is about; the best is 1.
    pub line: usize,
    /// What it is worth.
    pub score: Score,
    /// Positions looked at.
    pub nodes: u64,
    /// Exact values taken from tables.
    pub table_hits: u64,
    /// How full the table of positions is, in thousandths.
    pub hash_full: u32,
    /// The moves that are expected.
    pub moves: Vec<Step>,
}

/// What a search came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Best {
    /// The move to make; `None` only where there is no legal one.
    pub mv: Option<Step>,
    /// The answer that is expected.
    pub ponder: Option<Step>,
    /// The lines that were asked for, the best first.
    pub lines: Vec<Info>,
}

/// An engine that follows one game.
///
/// ```
/// use chess::{Engine, Limits, Score, Settings};
/// use native::chess::Position;
///
/// let mut engine = Engine::new(Settings::default(), None);
/// engine.set_position(Position::from_fen("6k1/5ppp/8/8/8/8/8/K2R4 w - -").unwrap(), &[]);
/// let best = engine.search(&Limits { depth: Some(3), ..Limits::default() }, &mut |_| {});
/// assert_eq!(best.mv.unwrap().uci(), "d1d8");
/// assert_eq!(best.lines[0].score, Score::Mate(1));
/// ```
pub struct Engine {
    settings: Settings,
    tables: Option<Arc<Tables>>,
    weights: Arc<Weights>,
    duel: Duel,
    start: Position,
    moves: Vec<Step>,
}

impl Engine {
    /// An engine at the start of a game. The tables must count to mate; they are asked where they know a position, and
    /// are what positions of six to ten men are judged by.
    pub fn new(settings: Settings, tables: Option<Arc<Tables>>) -> Engine {
        let duel = Duel::new(settings.search);
        let weights = Arc::new(Weights::built_in());
        Engine { settings, tables, weights, duel, start: Position::start(), moves: Vec::new() }
    }

    /// The same with other weights than those built in.
    #[must_use]
    pub fn with_weights(self, weights: Arc<Weights>) -> Engine {
        Engine { weights, ..self }
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Another game begins: forgets everything.
    pub fn new_game(&mut self) {
        self.duel.clear();
        self.set_position(Position::start(), &[]);
    }

    /// The game so far: where it began and the moves that were made. They are needed to tell repetitions.
    pub fn set_position(&mut self, start: Position, moves: &[Step]) {
        (self.start, self.moves) = (start, moves.to_vec());
    }

    /// The position on the board.
    pub fn position(&self) -> Position {
        self.moves.iter().fold(self.start, |position, step| position.after(step))
    }

    /// What each part of the position on the board says that it is judged by, in the order of their size; nothing where it is
    /// not judged by lookups. And what it is worth to white, all in all and without searching, in hundredths of a pawn.
    pub fn explain(&self) -> (Vec<Reading>, i32) {
        let (settings, position) = (&self.settings, self.position());
        let mut evaluation = Evaluation::new(settings.judge, self.tables.as_deref(), &settings.parts, &self.weights);
        let readings = evaluation.readings(&position);
        let mut marks = evaluation.marks(&position);
        (readings, evaluation.value(&position, marks.as_mut()))
    }

    /// Looks for the best move until a limit is reached. `tell` hears of every line of every finished depth.
    ///
    /// Without a limit the search goes on until nothing is left to find, which may be never; whoever wants an answer at
    /// some time gives `spent`. The same limits give the same answer where the depth or the nodes are limited and one
    /// thread searches.
    pub fn search(&mut self, limits: &Limits<'_>, tell: &mut dyn FnMut(&Info)) -> Best {
        let position = self.position();
        let tables = self.tables.clone();
        let weights = Arc::clone(&self.weights);
        let known = tables.as_deref().and_then(|tables| Known::of(tables, &position, &limits.only));
        // A drawn position is searched for what may go wrong in it, among the moves that keep it.
        let is_drawn = known.as_ref().is_some_and(|known| known.outcome == Outcome::Draw);
        let exact = tables.as_deref().filter(|_| !is_drawn);
        let evaluation = Evaluation::new(self.settings.judge, tables.as_deref(), &self.settings.parts, &weights);
        let board = Board::new(self.start, &self.moves, evaluation, exact);
        let only = known.as_ref().map_or_else(|| limits.only.clone(), |known| known.moves.clone());
        let wanted = duel::Limits {
            depth: limits.depth,
            nodes: limits.nodes,
            win: limits.mate.map(|moves| (2 * moves).saturating_sub(1)),
            only,
            lines: limits.lines.max(1),
            spent: limits.spent,
        };
        let finished = |line: &Line<Step>| {
            let mut line = line.clone();
            if let (Some(tables), Some(known)) = (tables.as_deref(), &known) {
                known.finish(tables, &position, &mut line);
            }
            line
        };
        let (mut last, mut hear) = (None, |progress: &Progress<Step>| {
            let line = finished(&progress.line);
            let info = info(&Progress { line, ..progress.clone() });
            tell(&info);
            Some(info)
        });
        let (lines, nodes) = self.duel.search(&board, &wanted, &mut |progress| last = hear(progress));
        let last: Option<Info> = last;
        let lines: Vec<Info> = (1..)
            .zip(&lines)
            .map(|(number, line)| {
                let line = finished(line);
                Info {
                    depth: line.depth,
                    selective_depth: last.as_ref().map_or(line.depth, |last| last.selective_depth),
                    line: number,
                    score: Score::of(line.value),
                    nodes,
                    table_hits: last.as_ref().map_or(0, |last| last.table_hits),
                    hash_full: last.as_ref().map_or(0, |last| last.hash_full),
                    moves: line.moves,
                }
            })
            .collect();
        let first = lines.first().map_or(&[][..], |info| &info.moves);
        Best { mv: first.first().copied(), ponder: first.get(1).copied(), lines }
    }
}

fn info(progress: &Progress<Step>) -> Info {
    Info {
        depth: progress.line.depth,
        selective_depth: progress.selective,
        line: progress.rank + 1,
        score: Score::of(progress.line.value),
        nodes: progress.nodes,
        table_hits: progress.lookups,
        hash_full: progress.full,
        moves: progress.line.moves.clone(),
    }
}

/// What the tables say of the position to be searched.
struct Known {
    outcome: Outcome,
    /// The first moves that are to be considered: in a drawn position those that keep it.
    moves: Vec<Step>,
}

impl Known {
    fn of(tables: &Tables, position: &Position, only: &[Step]) -> Option<Known> {
        let outcome = tables.probe(position, Metric::Mate).ok()?;
        if outcome != Outcome::Draw {
            return Some(Known { outcome, moves: only.to_vec() });
        }
        let choices = tables.choices(position, Metric::Mate).ok()?;
        let wanted = choices.iter().filter(|choice| only.is_empty() || only.contains(&choice.step));
        let best = wanted.clone().map(|choice| choice.outcome.order()).max()?;
        let moves = wanted.filter(|choice| choice.outcome.order() == best).map(|choice| choice.step).collect();
        Some(Known { outcome, moves })
    }

    /// What the tables add to a line: how it goes on to mate, and that a draw is one.
    fn finish(&self, tables: &Tables, position: &Position, line: &mut Line<Step>) {
        if self.outcome == Outcome::Draw && line.value.abs() <= SURE {
            line.value = 0;
        } else if let ([step], true) = (&line.moves[..], line.value.abs() > SURE) {
            let rest = tables.line(&position.after(step), Metric::Mate).unwrap_or_default();
            line.moves.extend(rest);
        }
    }
}
