//! `ludens bench lookups`: how many positions of Chinese checkers are judged a second by lookups in a table (S1.10).
//!
//! What is judged is every legal move of positions from games of ten pieces a side, by PDB(6): two lookups of six pieces for the side that
//! moves. Once as a search does it, with lookups that still apply taken over and the others read together; once each move for itself.

use super::meter::{self, Stopwatch};
use crate::experiments::samadi::{Mind, Stage, Tables};
use abstraction::alone::Alone;
use anyhow::{Context, Result};
use chinese::evaluations::{PIECES, SIDE, named};
use clap::Args;
use game::Cancel;
use native::chinese::{Allowed, Arena, ChineseCheckers, Position, Win};
use platform::Interrupt;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use terminal::{Answer, Out, text};

/// Arguments of `bench lookups`.
#[derive(Args)]
pub struct BenchLookupsArgs {
    /// The evaluation: one of those of `ludens lab samadi`
    #[arg(long, default_value = "pdb6")]
    pub evaluation: String,
    /// Games whose positions are judged; with a few hundred, what is looked up does not fit into the caches
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub games: u64,
    /// How long to measure each way
    #[arg(long, default_value_t = 2.0, value_parser = crate::args::seconds)]
    pub seconds: f64,
    /// Where tables are, and are built if they are missing [default: as for `ludens table`]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Below the help of the command.
pub const HELP: &str = "\
One core; the positions are those of games at depth 1 from random openings, all their legal moves are judged. The table of six pieces \
is 310 MiB and is built in half a minute if it is missing.

Examples:
  ludens bench lookups
  ludens bench lookups --evaluation pdb4 --seconds 5";

/// What is aimed at, evaluations a second.
const AIM: f64 = 5e6;
/// A position with all its moves, as judged.
struct Asked {
    position: Position,
    moves: Vec<((u8, u8), f32)>,
}

/// Runs the command.
pub fn run(args: &BenchLookupsArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let game = ChineseCheckers::new(SIDE, PIECES, Win::Filled, None)?;
    let stage = Stage::new(&game);
    let spec = named(&args.evaluation).with_context(|| format!("there is no evaluation {:?}", args.evaluation))?;
    let alone = Arc::new(Tables::new(args.folder.as_deref())?.alone(spec, &stage.arena, interrupt, out)?);
    let mut asked = positions(&stage, &alone, args.games)?;
    let moves: usize = asked.iter().map(|one| one.moves.len()).sum();
    let reused = reused(&stage.arena, &alone, &asked);
    let together = rate(args.seconds, moves, || {
        for one in &mut asked {
            let (turn, position) = (one.position.turn, one.position);
            alone.each(turn, position.pieces[turn], &mut one.moves, |mv| mv.0, |mv, value| mv.1 = value);
        }
        asked.iter().filter_map(|one| one.moves.last()).map(|mv| mv.1).sum()
    });
    let apart = rate(args.seconds, moves, || {
        let mut sum = 0.0;
        for one in &asked {
            let turn = one.position.turn;
            for &(mv, _) in &one.moves {
                sum += alone.value(turn, one.position.after(mv).pieces[turn]);
            }
        }
        sum
    });
    let mean = moves as f64 / asked.len().max(1) as f64;
    if args.json {
        let report = json!({ "version": env!("CARGO_PKG_VERSION"), "clock": meter::clock(), "evaluation": args.evaluation,
            "positions": asked.len(), "moves": moves, "reused": reused, "per_second": together, "per_second_one_by_one": apart,
            "aim": AIM });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
    } else {
        let row =
            |what: &str, rate: f64, aim: &str| vec![what.to_string(), format!("{:.2}", rate / 1e6), aim.to_string()];
        let rows = vec![
            vec![format!("{}, one core", args.evaluation), "M evaluations/s".to_string(), "aim".to_string()],
            row("all moves of a position, lookups reused", together, &format!("{:.0}", AIM / 1e6)),
            row("one by one, nothing reused", apart, "–"),
        ];
        write!(out, "{}", text::aligned(&rows))?;
        writeln!(
            out,
            "\n{} positions with {mean:.1} moves on average; {:.1}% of the lookups still applied after a move",
            asked.len(),
            100.0 * reused
        )?;
    }
    Ok(Answer::Yes)
}

/// Positions of games, with their moves.
fn positions(stage: &Stage, alone: &Arc<Alone>, games: u64) -> Result<Vec<Asked>> {
    let player = Mind::FullWidth(Arc::<Alone>::clone(alone));
    let (mut asked, mut moves) = (Vec::new(), Vec::new());
    for number in 0..games {
        stage.play(stage.opening(1, number), [&player, &player], 1, &Cancel::new(), |position| {
            stage.arena.moves(position, Allowed::All, &mut moves);
            asked.push(Asked { position: *position, moves: moves.iter().map(|&mv| (mv, 0.0)).collect() });
            None
        })?;
    }
    Ok(asked)
}

/// The share of lookups that a move leaves as they are: whose pieces are the same before and after.
fn reused(arena: &Arena, alone: &Alone, asked: &[Asked]) -> f64 {
    let sorted = |player: usize, pieces| -> Vec<u8> { native::chinese::each(arena.seen_by(player, pieces)).collect() };
    let (mut same, mut all) = (0u64, 0u64);
    for one in asked {
        let turn = one.position.turn;
        let before = sorted(turn, one.position.pieces[turn]);
        for &(mv, _) in &one.moves {
            let after = sorted(turn, one.position.after(mv).pieces[turn]);
            for lookup in &alone.spec().lookups {
                let pieces = lookup.pieces.0 - 1..lookup.pieces.1;
                same += u64::from(before[pieces.clone()] == after[pieces]);
                all += 1;
            }
        }
    }
    same as f64 / all.max(1) as f64
}

/// Evaluations a second, after a first round that warms everything up.
fn rate(seconds: f64, each: usize, mut judge: impl FnMut() -> f32) -> f64 {
    let mut sum = judge();
    let watch = Stopwatch::start();
    let mut done = 0;
    while done == 0 || watch.seconds() < seconds {
        sum += judge();
        done += each;
    }
    // The sum is used, so that nothing can be left out.
    std::hint::black_box(sum);
    done as f64 / watch.seconds()
}
