//! `ludens bench search`: how much of what the lanes can play arrives in the tree of UCT.
//!
//! One core, the processor's time. The tree is grown from the start of each game for some seconds; beside it the lanes play
//! random games from the start and nothing else.

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
    /// Random games for each leaf [default: as many as keep tree and games in balance, 8 to 64]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=512))]
    pub leaf: Option<u32>,
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
    /// Whether the tree was proved to its root before the time was over.
    proven: bool,
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
                    "part": row.part(), "nodes_per_second": row.nodes, "proven": row.proven })
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
        let proven = if row.proven { "proved before the time was over" } else { "" };
        let figures = [row.alone, row.inside].map(|rate| format!("{:.3} M", rate / 1e6));
        let [alone, inside] = figures;
        let (part, nodes) = (format!("{:.2}", row.part()), format!("{:.0} k", row.nodes / 1e3));
        lines.push(vec![row.game.clone(), alone, inside, part, nodes, proven.to_string()]);
    }
    write!(out, "{}", text::aligned(&lines))?;
    writeln!(out, "\nOne core; the aim is a part of {AIM} of the lanes' games in the tree.")?;
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
    let settings = UctSettings { playouts_per_leaf: args.leaf, ..UctSettings::default() };
    let watch = Stopwatch::start();
    let spent = || (watch.seconds() / args.seconds) as f32;
    let budget = Budget { memory: 1 << 30, ..Budget::timed(&spent, 1) };
    let mut uct = Uct::new(settings);
    let found =
        uct.search(&game, &game.start(), Role(0), &budget, &Monitor::new()).map_err(|limit| anyhow!("{limit}"))?;
    let seconds = watch.seconds().max(1e-9);
    Ok(Row {
        game: sheet.name.clone(),
        alone,
        inside: found.playouts as f64 / seconds,
        nodes: found.nodes as f64 / seconds,
        proven: found.proven,
    })
}
