//! `ludens bench single`: nets on one state at a time, over the whole library, and beside another build of this program.
//!
//! Every measurement has a process of its own. Two programs are run by turns, game by game, and of each the best round counts, so that
//! other work on the machine disturbs both alike.

use super::child::{self, Order};
use super::{measure, meter};
use agent::EngineChoice;
use anyhow::{Result, bail};
use clap::Args;
use library::Sheet;
use platform::{Interrupt, Interrupted};
use serde_json::{Value, json};
use std::path::PathBuf;
use terminal::{Answer, Out, Progress, text};

/// Arguments of `bench single`.
#[derive(Args)]
pub struct BenchSingleArgs {
    /// The games [default: the whole library]
    pub games: Vec<String>,
    /// How long to play in each round
    #[arg(long, default_value_t = 0.2, value_parser = crate::args::seconds)]
    pub seconds: f64,
    /// How often each game is played, by turns; the best of each program counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: u32,
    /// Another build of this program, to compare with
    #[arg(long, value_name = "PROGRAM")]
    pub against: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Below the help of the command.
pub const HELP: &str = "\
Random games are played by the net, one state after the other as a search does it; seconds are those of the processor.

Examples:
  ludens bench single
  ludens bench single --against ../older/target/release/ludens
  ludens bench single chess hex --seconds 1 --rounds 5";

/// Nothing takes longer than this, getting ready included.
const LIMIT: f64 = 300.0;

/// What was measured for one game: states a second here and there.
struct Row {
    game: String,
    here: f64,
    there: Option<f64>,
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        self.there.map(|there| self.here / there.max(1e-9))
    }
}

/// Runs the command.
pub fn run(args: &BenchSingleArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let all: Vec<&str> = library::ENTRIES.iter().map(|entry| entry.name).collect();
    let sheets = super::sheets(&args.games, &all)?;
    let mut progress = Progress::new();
    let mut rows = Vec::new();
    for (at, sheet) in sheets.iter().enumerate() {
        let mut row = Row { game: sheet.name.clone(), here: 0.0, there: args.against.as_ref().map(|_| 0.0) };
        for _ in 0..args.rounds {
            if interrupt.cancel().is_cancelled() {
                return Err(Interrupted(format!("{at} of {} games were measured", sheets.len())).into());
            }
            let mut waiting =
                || progress.at(|gone| format!("{}: {} of {}, {gone:.0} s", sheet.name, at + 1, sheets.len()));
            if let Some(there) = &mut row.there {
                *there = there.max(speed(sheet, args, args.against.clone(), &mut waiting)?);
            }
            row.here = row.here.max(speed(sheet, args, None, &mut waiting)?);
        }
        rows.push(row);
    }
    drop(progress);
    tell(args, &rows, out)
}

/// States a second in one round.
fn speed(sheet: &Sheet, args: &BenchSingleArgs, program: Option<PathBuf>, waiting: &mut dyn FnMut()) -> Result<f64> {
    let engine = EngineChoice::NET;
    let order = Order { sheet, name: &sheet.name, engine, seconds: args.seconds, limit: LIMIT, seed: 1, program };
    let row = child::row(&order, waiting);
    match row.outcome {
        measure::Outcome::Measured(measured) => {
            Ok(measured.single_states_per_second.unwrap_or(measured.states_per_second))
        }
        measure::Outcome::Failed { error } => bail!("{}: {error}", sheet.name),
    }
}

/// The geometric mean.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = values.map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

fn tell(args: &BenchSingleArgs, rows: &[Row], out: Out<'_>) -> Result<Answer> {
    let times = mean(rows.iter().filter_map(Row::ratio));
    if args.json {
        let games: Vec<Value> = rows
            .iter()
            .map(|row| {
                json!({ "game": row.game, "states_per_second": row.here, "states_per_second_there": row.there,
                    "times": row.ratio() })
            })
            .collect();
        let report = json!({ "version": env!("CARGO_PKG_VERSION"), "clock": meter::clock(), "seconds": args.seconds,
            "rounds": args.rounds, "games": games, "times": times });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    let mut lines = vec![["game", "states/s", "there", "times"].map(str::to_string).to_vec()];
    for row in rows {
        let there = row.there.map_or(String::new(), super::report::rate);
        let ratio = row.ratio().map_or(String::new(), |ratio| format!("{ratio:.2}"));
        lines.push(vec![row.game.clone(), super::report::rate(row.here), there, ratio]);
    }
    write!(out, "{}", text::aligned(&lines))?;
    if let Some(here) = mean(rows.iter().map(|row| row.here)) {
        writeln!(out, "\nGeometric mean of {} games: {} states/s.", rows.len(), super::report::rate(here))?;
    }
    if let Some(times) = times {
        writeln!(out, "Geometric mean of the ratios: {times:.2}.")?;
    }
    Ok(Answer::Yes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_geometric() {
        assert_eq!(mean([].into_iter()), None);
        assert!((mean([2.0, 8.0].into_iter()).unwrap() - 4.0).abs() < 1e-9);
        let row = Row { game: "nim".to_string(), here: 6.0, there: Some(2.0) };
        assert_eq!(row.ratio(), Some(3.0));
    }
}
