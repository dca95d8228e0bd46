//! `ludens bench search`: how much of what the lanes can play arrives in the tree of UCT.
//!
//! The processor's time. The tree is grown from the start of each game for some seconds; beside it the lanes play random games from the start
//! and nothing else. Where the tree is proved to its root before that, a new one is begun: what counts is how quickly trees grow while there is
//! something left to grow.

use super::measure;
use super::meter::{self, Stopwatch};
use agent::EngineChoice;
use agent::engines::engine;
use anyhow::{Result, anyhow};
use clap::Args;
use game::{Game, Role};
use library::Sheet;
use platform::{Interrupt, Interrupted};
use search::uct::Uct;
use search::{Budget, Monitor, Searcher, UctSettings};
use serde_json::{Value, json};
use terminal::{Answer, Out, Progress, text};

/// Arguments of `bench search`.
#[derive(Args)]
pub struct BenchSearchArgs {
    /// The games [default: ten of the library]
    pub games: Vec<String>,
    /// How long to grow each tree, and how long to let the lanes play
    #[arg(long, default_value_t = 2.0, value_parser = crate::args::seconds)]
    pub seconds: f64,
    /// Random games for each leaf [default: as many as keep tree and games in balance, 8 to 512]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=512))]
    pub leaf: Option<u32>,
    /// Threads that grow the tree; figures are for a second of each
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub threads: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Below the help of the command.
pub const HELP: &str = "\
Games for which there is no net are played one by one, in the tree and beside it.

Examples:
  ludens bench search
  ludens bench search breakthrough othello --seconds 5 --leaf 8";

/// What is measured if no game is named.
const USUAL: [&str; 10] = [
    "tic-tac-toe",
    "connect-four",
    "breakthrough",
    "othello",
    "hex",
    "pentago",
    "checkers",
    "kalah",
    "knightthrough",
    "chess",
];

/// The part of the games that should arrive.
const AIM: f64 = 0.5;

/// What was measured for one game.
struct Row {
    game: String,
    /// Random games a second, alone and in the tree; new nodes a second.
    alone: f64,
    inside: f64,
    nodes: f64,
    /// How many trees were proved to their roots before the time was over.
    proven: u64,
}

/// Runs the command.
pub fn run(args: &BenchSearchArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let sheets = super::sheets(&args.games, &USUAL)?;
    let mut progress = Progress::new();
    let mut rows = Vec::new();
    for (at, sheet) in sheets.iter().enumerate() {
        if interrupt.cancel().is_cancelled() {
            return Err(Interrupted(format!("{at} of {} games were measured", sheets.len())).into());
        }
        progress.at(|gone| format!("{}: {} of {}, {gone:.0} s", sheet.name, at + 1, sheets.len()));
        rows.push(row(sheet, args)?);
    }
    drop(progress);
    if args.json {
        let rows: Vec<Value> = rows
            .iter()
            .map(|row| {
                json!({ "game": row.game, "games_per_second": row.alone, "games_per_second_in_the_tree": row.inside,
                    "part": row.part(), "nodes_per_second": row.nodes, "proven": row.proven > 0, "trees_proven": row.proven })
            })
            .collect();
        let report =
            json!({ "version": env!("CARGO_PKG_VERSION"), "clock": meter::clock(), "aim": AIM, "games": rows });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    let head = ["game", "lanes, games/s", "in the tree", "part", "nodes/s", ""].map(str::to_string).to_vec();
    let mut lines = vec![head];
    for row in &rows {
        let proven = match row.proven {
            0 => String::new(),
            count => format!("proved {count} times, each time by a new tree"),
        };
        let figures = [row.alone, row.inside].map(|rate| format!("{:.3} M", rate / 1e6));
        let [alone, inside] = figures;
        let (part, nodes) = (format!("{:.2}", row.part()), format!("{:.0} k", row.nodes / 1e3));
        lines.push(vec![row.game.clone(), alone, inside, part, nodes, proven]);
    }
    write!(out, "{}", text::aligned(&lines))?;
    writeln!(out, "\nFor a second of one core; the aim is a part of {AIM} of the lanes' games in the tree.")?;
    Ok(Answer::Yes)
}

impl Row {
    fn part(&self) -> f64 {
        self.inside / self.alone.max(1e-9)
    }
}

fn row(sheet: &Sheet, args: &BenchSearchArgs) -> Result<Row> {
    let (rules, problems) = sheet.parse();
    if let Some(problem) = problems.first() {
        let (line, column) = sheet.source().place(problem.span.start);
        return Err(anyhow!("{}:{line}:{column}: {}", sheet.name, problem.message));
    }
    let game = engine(EngineChoice::default(), sheet, &rules)?;
    let alone = measure::play(&game, args.seconds, 1)?.playouts_per_second().unwrap_or(0.0);
    let threads = args.threads as usize;
    let settings = UctSettings { playouts_per_leaf: args.leaf, threads, ..UctSettings::default() };
    let (watch, whole) = (Stopwatch::start(), args.seconds * f64::from(args.threads));
    let spent = || (watch.seconds() / whole) as f32;
    let (mut playouts, mut nodes, mut proven) = (0, 0, 0);
    while spent() < 1.0 {
        let budget = Budget { memory: 1 << 30, ..Budget::timed(&spent, 1 + proven) };
        let mut uct = Uct::new(settings);
        let found =
            uct.search(&game, &game.start(), Role(0), &budget, &Monitor::new()).map_err(|limit| anyhow!("{limit}"))?;
        (playouts, nodes) = (playouts + found.playouts, nodes + found.nodes);
        if !found.proven {
            break;
        }
        proven += 1;
    }
    let seconds = watch.seconds().max(1e-9);
    let (inside, nodes) = (playouts as f64 / seconds, nodes as f64 / seconds);
    Ok(Row { game: sheet.name.clone(), alone, inside, nodes, proven })
}
