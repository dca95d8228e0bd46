//! The mind behind `ludens uci`: chess, with exact tables where there are some.

use crate::alarm::{Alarm, Allowance};
use crate::command::{Go, Query};
use crate::conversation::{Answer, Mind};
use agent::spec::{JudgeSpec, PartList};
use chess::weights::Weights;
use chess::{Best, Engine, Info, Limits, Score, Settings};
use game::Cancel;
use native::chess::{Position, Step};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use table::chess::{Metric, Outcome, Tables};
use table::store::Store;

/// The most lines that are shown at once.
const MOST_LINES: usize = 256;
/// What stands for no text.
const EMPTY: &str = "<empty>";
/// Bytes of a MiB.
const MEBIBYTE: usize = 1 << 20;

/// What can be set from the beginning, and changed by options.
#[derive(Clone, Debug)]
pub struct Setup {
    /// MiB for the table of positions.
    pub hash: usize,
    /// Threads to search with.
    pub threads: usize,
    /// The folder of exact tables.
    pub tables: Option<PathBuf>,
    /// MiB of the tables that may be in memory.
    pub table_memory: usize,
    /// The deepest horizon of any search.
    pub depth: Option<u32>,
    /// How positions are judged.
    pub judge: JudgeSpec,
    /// The parts that are looked up where all of them occur.
    pub parts: PartList,
    /// A file of weights beside those built in.
    pub weights: Option<PathBuf>,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            hash: 64,
            threads: 1,
            tables: None,
            table_memory: 512,
            depth: None,
            judge: JudgeSpec::default(),
            parts: PartList::default(),
            weights: None,
        }
    }
}

/// See the module.
pub struct ChessEngine {
    engine: Engine,
    setup: Setup,
    tables: Option<Arc<Tables>>,
    weights: Arc<Weights>,
    start: Position,
    moves: Vec<Step>,
    lines: usize,
    /// Milliseconds that are lost on the way.
    overhead: u64,
}

impl ChessEngine {
    /// An engine at the start of a game.
    ///
    /// # Errors
    /// When there is a file of weights that cannot be used.
    pub fn new(setup: Setup) -> anyhow::Result<ChessEngine> {
        let tables = setup.tables.as_ref().and_then(|folder| tables_in(folder, setup.table_memory));
        let weights = agent::chess::weights(setup.weights.as_deref())?;
        let engine = engine(&setup, tables.clone(), &weights);
        let (start, moves) = (Position::start(), Vec::new());
        Ok(ChessEngine { engine, setup, tables, weights, start, moves, lines: 1, overhead: 30 })
    }

    /// The engine with what is set now, in the same game.
    fn renew(&mut self) {
        self.engine = engine(&self.setup, self.tables.clone(), &self.weights);
        self.engine.set_position(self.start, &self.moves);
    }

    fn set_tables(&mut self, name: &str, folder: Option<PathBuf>) -> Result<(), String> {
        let found = folder.as_ref().and_then(|folder| tables_in(folder, self.setup.table_memory));
        if let (Some(folder), None) = (&folder, &found) {
            let folder = folder.display();
            return Err(format!("option {name}: no tables of chess in {folder}; `ludens table build` makes them"));
        }
        (self.setup.tables, self.tables) = (folder, found);
        Ok(())
    }

    /// How positions are judged.
    fn set_judge(&mut self, name: &str, value: &str) -> Result<(), String> {
        let names: Vec<&str> = JudgeSpec::ALL.iter().map(|(name, _)| *name).collect();
        let known = JudgeSpec::ALL.iter().find(|(name, _)| name.eq_ignore_ascii_case(value));
        let wrong = || format!("option {name} is {}, not {value:?}", names.join(" or "));
        self.setup.judge = known.ok_or_else(wrong)?.1;
        Ok(())
    }

    fn go_to(&mut self, start: Option<&str>, moves: &str) -> Result<(), String> {
        let start = start.map_or(Ok(Position::start()), Position::from_fen).map_err(|error| error.to_string())?;
        let mut position = start;
        let mut steps = Vec::new();
        for text in moves.split_whitespace() {
            let step = position.read_uci(text).map_err(|error| error.to_string())?;
            position = position.after(&step);
            steps.push(step);
        }
        self.engine.set_position(start, &steps);
        (self.start, self.moves) = (start, steps);
        Ok(())
    }

    fn search(&mut self, go: &Go, alarm: &Alarm, tell: &mut dyn FnMut(String)) -> Best {
        let position = self.engine.position();
        let mut only = Vec::new();
        for text in &go.only {
            match position.read_uci(text) {
                Ok(step) => only.push(step),
                Err(error) => tell(format!("info string searchmoves: {error}")),
            }
        }
        // A move that should take so long is looked for until then; one that has begun another depth may take longer.
        let spent = || if alarm.is_over() { 2.0 } else { alarm.spent() };
        let depth = [go.depth, self.setup.depth].into_iter().flatten().min();
        let limits = Limits { depth, nodes: go.nodes, mate: go.mate, only, lines: self.lines, spent: &spent };
        let began = Instant::now();
        let lines = self.lines;
        self.engine.search(&limits, &mut |info| tell(written(info, lines, began)))
    }
}

/// The exact tables in a folder, if there are any, with so many MiB of them in memory.
fn tables_in(folder: &PathBuf, memory: usize) -> Option<Arc<Tables>> {
    let tables = Store::new(folder).chess_within(Metric::Mate, memory.saturating_mul(MEBIBYTE));
    let has_some = tables.materials().next().is_some();
    has_some.then(|| Arc::new(tables))
}

fn engine(setup: &Setup, tables: Option<Arc<Tables>>, weights: &Arc<Weights>) -> Engine {
    let mut settings = Settings { judge: setup.judge.judge(), parts: setup.parts.0.clone(), ..Settings::default() };
    settings.search.memory = setup.hash.saturating_mul(MEBIBYTE);
    settings.search.threads = setup.threads;
    Engine::new(settings, tables).with_weights(Arc::clone(weights))
}

/// The value of an option that may be empty.
fn given(value: &str) -> Option<&str> {
    Some(value).filter(|value| !matches!(*value, "" | EMPTY))
}

/// A line of thought.
fn written(info: &Info, lines: usize, began: Instant) -> String {
    let milliseconds = began.elapsed().as_millis() as u64;
    let mut line = format!("info depth {} seldepth {}", info.depth, info.selective_depth.max(info.depth));
    if lines > 1 {
        let _ = write!(line, " multipv {}", info.line);
    }
    let _ = match info.score {
        Score::Centipawns(points) => write!(line, " score cp {points}"),
        Score::Mate(moves) => write!(line, " score mate {moves}"),
    };
    let per_second = info.nodes * 1000 / milliseconds.max(1);
    let _ = write!(line, " nodes {} nps {per_second} hashfull {}", info.nodes, info.hash_full);
    let _ = write!(line, " tbhits {} time {milliseconds}", info.table_hits);
    if !info.moves.is_empty() {
        let moves: Vec<String> = info.moves.iter().map(Step::uci).collect();
        let _ = write!(line, " pv {}", moves.join(" "));
    }
    line
}

/// The value of an option as a number within bounds.
fn number(name: &str, value: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = value.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("option {name} is a number from {least} to {most}, not {value:?}"))
}

impl Mind for ChessEngine {
    fn hello(&self) -> Vec<String> {
        let Setup { hash, threads, tables, table_memory, depth, judge, parts, weights } = &self.setup;
        let shown = |path: &Option<PathBuf>| path.as_ref().map_or(EMPTY.to_string(), |path| path.display().to_string());
        let (folder, file) = (shown(tables), shown(weights));
        let judges: Vec<String> = JudgeSpec::ALL.iter().map(|(name, _)| format!("var {name}")).collect();
        let parts = if parts.0.is_empty() { EMPTY.to_string() } else { parts.to_string() };
        vec![
            "id name Ludens".to_string(),
            "id author the Ludens project".to_string(),
            format!("option name Hash type spin default {hash} min 1 max 65536"),
            "option name Clear Hash type button".to_string(),
            format!("option name Threads type spin default {threads} min 1 max 256"),
            format!("option name Tables type string default {folder}"),
            format!("option name Table Memory type spin default {table_memory} min 1 max 1048576"),
            format!("option name Judge type combo default {} {}", judge.name(), judges.join(" ")),
            format!("option name Lookups type string default {parts}"),
            format!("option name Weights File type string default {file}"),
            format!("option name Depth type spin default {} min 0 max 200", depth.unwrap_or(0)),
            format!("option name MultiPV type spin default {} min 1 max {MOST_LINES}", self.lines),
            format!("option name Move Overhead type spin default {} min 0 max 5000", self.overhead),
            "option name Ponder type check default false".to_string(),
            "option name UCI_AnalyseMode type check default false".to_string(),
        ]
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name.to_lowercase().as_str() {
            "hash" => self.setup.hash = number(name, value, 1, 65536)? as usize,
            "threads" => self.setup.threads = number(name, value, 1, 256)? as usize,
            "table memory" => {
                self.setup.table_memory = number(name, value, 1, 1 << 20)? as usize;
                self.tables = self.setup.tables.as_ref().and_then(|folder| tables_in(folder, self.setup.table_memory));
            }
            "tables" => self.set_tables(name, given(value).map(PathBuf::from))?,
            "judge" => self.set_judge(name, value)?,
            "lookups" => {
                let parts = given(value).map_or(Ok(PartList::default()), str::parse);
                self.setup.parts = parts.map_err(|why| format!("option {name}: {why}"))?;
            }
            "weights file" => {
                let file = given(value).map(PathBuf::from);
                let weights = agent::chess::weights(file.as_deref());
                self.weights = weights.map_err(|why| format!("option {name}: {why:#}"))?;
                self.setup.weights = file;
            }
            "clear hash" => {}
            "depth" => {
                self.setup.depth = Some(number(name, value, 0, 200)? as u32).filter(|depth| *depth > 0);
                return Ok(());
            }
            "multipv" => {
                self.lines = number(name, value, 1, MOST_LINES as u64)? as usize;
                return Ok(());
            }
            "move overhead" => {
                self.overhead = number(name, value, 0, 5000)?;
                return Ok(());
            }
            // It ponders when it is told to, and an analysis is a search like any other.
            "ponder" | "uci_analysemode" => return Ok(()),
            _ => return Err(format!("there is no option {name:?}")),
        }
        self.renew();
        Ok(())
    }

    fn new_game(&mut self) {
        self.engine.new_game();
        (self.start, self.moves) = (Position::start(), Vec::new());
    }

    /// Nothing is lazy here but the tables, which are opened one by one.
    fn get_ready(&mut self, _: &Cancel) {}

    fn place(&mut self, start: Option<&str>, moves: &str) -> Result<(), String> {
        self.go_to(start, moves).map_err(|error| format!("position: {error}"))
    }

    fn allowance(&self, go: &Go) -> Option<Allowance> {
        Allowance::new(go, self.engine.position().turn as usize, self.overhead)
    }

    fn think(&mut self, go: &Go, alarm: &Alarm, tell: &mut dyn FnMut(String)) -> Answer {
        let position = self.engine.position();
        if !position.can_move() {
            let score = if position.in_check(position.turn) { "mate 0" } else { "cp 0" };
            tell(format!("info depth 0 score {score}"));
            return Answer::default();
        }
        let best = self.search(go, alarm, tell);
        // However little time there was, something legal is played.
        let mv = best.mv.or_else(|| position.legal().first().copied());
        Answer { best: mv.map(|step| step.uci()), ponder: best.ponder.map(|step| step.uci()) }
    }

    fn perft(&mut self, depth: u32, alarm: &Alarm, tell: &mut dyn FnMut(String)) -> String {
        let position = self.engine.position();
        let mut sum = 0u64;
        for step in position.legal().iter().filter(|_| depth > 0) {
            let Some(count) = count(&position.after(step), depth - 1, alarm) else {
                return "info string perft was stopped".to_string();
            };
            tell(format!("{}: {count}", step.uci()));
            sum += count;
        }
        format!("nodes {}", if depth == 0 { 1 } else { sum })
    }

    fn query(&mut self, _: Query) -> Result<String, String> {
        Err("queries are for `ludens ugi`".to_string())
    }

    fn show(&mut self) -> String {
        let position = self.engine.position();
        let mut page = String::new();
        for rank in (0..8).rev() {
            let _ = write!(page, "{} ", rank + 1);
            for file in 0..8 {
                let _ = write!(page, " {}", position.at(rank * 8 + file).map_or('.', |man| man.letter()));
            }
            page.push('\n');
        }
        let _ = write!(page, "   a b c d e f g h\nfen {}", position.fen());
        page
    }

    fn evaluate(&mut self) -> String {
        let position = self.engine.position();
        let verdict = self.tables.as_ref().and_then(|tables| tables.probe(&position, Metric::Mate).ok());
        let table = match verdict {
            Some(Outcome::Win(plies)) => format!("tables: the side to move wins in {plies} plies"),
            Some(Outcome::Loss(plies)) => format!("tables: the side to move loses in {plies} plies"),
            Some(Outcome::Draw) => "tables: a draw".to_string(),
            None => "no table knows this position".to_string(),
        };
        let (parts, worth) = self.engine.explain();
        let mut page = format!("worth {worth} hundredths of a pawn to white, without a search");
        for part in parts {
            let said = part.outcome.map_or("no position".to_string(), |outcome| format!("{outcome:?}"));
            let _ = write!(page, "\npart {}: {said}, worth {}", part.men, part.worth);
        }
        format!("{page}\n{table}")
    }
}

/// The paths of a length; `None` if somebody said stop.
fn count(position: &Position, depth: u32, alarm: &Alarm) -> Option<u64> {
    match depth {
        0 => Some(1),
        _ if alarm.is_over() => None,
        1 => Some(position.legal().len() as u64),
        _ => position.legal().iter().map(|step| count(&position.after(step), depth - 1, alarm)).sum(),
    }
}
