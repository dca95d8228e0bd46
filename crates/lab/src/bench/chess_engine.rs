//! `ludens bench chess-engine`: how many positions the engine for chess looks at a second, by hand and by lookups.
//!
//! One thread, the processor's time. Lookups are those of the tables in the folder, with room for less than 1 GB of them (S1.15).

use super::meter::{self, Stopwatch};
use ::table::chess::{Metric, Tables};
use ::table::store::Store;
use anyhow::{Context, Result};
use chess::{Engine, Force, Judge, Limits, Settings};
use clap::Args;
use native::chess::Position;
use platform::{Interrupt, folders, memory};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use terminal::{Answer, Out};

/// Arguments of `bench chess-engine`.
#[derive(Args)]
pub struct BenchChessArgs {
    /// How long to search each position in each way
    #[arg(long, default_value_t = 3.0, value_parser = crate::args::seconds)]
    pub seconds: f64,
    /// Where tables are [default: as for `ludens table`]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// MiB of tables in memory
    #[arg(long, default_value_t = 768)]
    pub memory: usize,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Below the help of the command.
pub const HELP: &str = "\
Endings are searched three times: judged by hand, by the plain sum of lookups, and by learned weights. What is looked up depends on the \
tables that are there.

Examples:
  ludens bench chess-engine
  ludens bench chess-engine --seconds 10 --folder tables --json";

/// What is aimed at with lookups, nodes a second.
const AIM: f64 = 300_000.0;

const POSITIONS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/8/3k4/8/2P1R3/1P6/3K4/5bn1 w - - 0 1",
    "8/5p1k/4n3/6r1/3Q4/6P1/5K2/8 w - - 0 1",
    "8/7k/4qr2/8/2P5/1P1R4/2K5/2R5 w - - 0 1",
    "8/4k3/2p2n1p/5n2/3Q4/6P1/5K2/8 b - - 0 1",
];

/// Runs the command.
pub fn run(args: &BenchChessArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let store = Store::new(folders::tables(args.folder.as_deref())?);
    let cancel = interrupt.cancel();
    let mut rows = Vec::new();
    if !args.json {
        writeln!(out, "nodes a {}, one thread; the aim with lookups is {AIM:.0}", meter::clock().second())?;
    }
    for fen in POSITIONS {
        let position = Position::from_fen(fen).context("a position of the benchmark")?;
        for judge in [Judge::Hand, Judge::Sum, Judge::Learned] {
            if cancel.is_cancelled() || (position.count() > 10 && judge != Judge::Hand) {
                continue;
            }
            let tables: Arc<Tables> = Arc::new(store.chess_within(Metric::Mate, args.memory << 20));
            let mut engine = Engine::new(Settings { judge, ..Settings::default() }, Some(tables));
            engine.set_position(position, &[]);
            let parts = engine.explain().0.len();
            // Until it is warm: tables are opened, blocks are read.
            search(&mut engine, args.seconds / 4.0, &cancel);
            let watch = Stopwatch::of_thread();
            let nodes = search(&mut engine, args.seconds, &cancel);
            let speed = nodes as f64 / watch.seconds().max(1e-9);
            let men = Force::of(&position).to_string();
            if !args.json {
                writeln!(
                    out,
                    "  {men:<34} {:<8} {parts:>3} parts  {speed:>10.0}",
                    format!("{judge:?}").to_lowercase()
                )?;
            }
            rows.push(json!({ "fen": fen, "men": men, "judge": format!("{judge:?}").to_lowercase(), "parts": parts,
                "nodes_per_second": speed }));
        }
    }
    let peak = meter::memory().map(|memory| memory.peak);
    if args.json {
        let report = json!({ "clock": meter::clock(), "rows": rows, "aim": AIM, "peak_bytes": peak });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
    } else if let Some(peak) = peak {
        writeln!(out, "the most memory held: {}", memory::size(peak))?;
    }
    Ok(Answer::Yes)
}

fn search(engine: &mut Engine, seconds: f64, cancel: &game::Cancel) -> u64 {
    let begin = std::time::Instant::now();
    let spent = || if cancel.is_cancelled() { 1.0 } else { (begin.elapsed().as_secs_f64() / seconds) as f32 };
    let best = engine.search(&Limits { spent: &spent, ..Limits::default() }, &mut |_| {});
    best.lines.first().map_or(0, |info| info.nodes)
}
