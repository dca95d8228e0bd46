//! `ludens report`: a game in numbers, for those who design games.

use agent::Resources;
use anyhow::Result;
use clap::Args;
use library::Sheet;
use platform::{Interrupt, save};
use std::path::PathBuf;
use std::sync::Mutex;
use studio::games::Game;
use studio::report::{Report, Settings, measure, page};
use terminal::{Answer, Out, Progress, text};

/// Arguments of `report`.
#[derive(Args)]
pub struct ReportArgs {
    /// The game
    pub game: String,
    /// Another one, to be shown beside it: a variant
    pub other: Option<String>,
    /// Games for each question
    #[arg(short = 'n', long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..))]
    pub games: u16,
    /// Random games for a move of those who play
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..))]
    pub playouts: u64,
    /// Makes it repeatable
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Write a page for browsers to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Below the help of the command.
pub const REPORT_HELP: &str = "\
Plays games between equal players that think (UCT with so many random games a move) and tells: who wins, with 95 % intervals; \
draws, length, choices, how often the lead changes; how strength grows with thinking; moves that are never legal or never made. \
The same seed gives the same report. Ctrl-C ends it and reports what was played until then.

Examples:
  ludens report breakthrough-small -n 20
  ludens report othello nothello --html report.html
  ludens report my-rules.kif --playouts 2000 --json";

/// Runs the command.
pub fn run(args: &ReportArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    if let Some(path) = &args.html {
        save::can_save(path)?;
    }
    let cancel = interrupt.cancel();
    let settings = Settings { games: usize::from(args.games), playouts: args.playouts, seed: args.seed };
    let mut reports: Vec<Report> = Vec::new();
    for name in [Some(&args.game), args.other.as_ref()].into_iter().flatten() {
        let game = Game::open(Sheet::find(name)?, &Resources::default(), &cancel)?;
        let progress = Mutex::new(Progress::new());
        let tell = |done: usize, all: usize| {
            if let Ok(mut progress) = progress.lock() {
                progress.at(|_| format!("{name}: {done} of {all} games"));
            }
        };
        let mut report = measure(&game, settings, &cancel, &tell)?;
        if game.entry.is_none() {
            report.title = name.clone();
        }
        reports.push(report);
    }
    if let Some(path) = &args.html {
        save::save(path, &page(&reports))?;
    }
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &reports)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    for (at, report) in reports.iter().enumerate() {
        let gap = if at > 0 { "\n" } else { "" };
        writeln!(out, "{gap}{}", report.title)?;
        let rows = report.rows();
        let wide = rows.iter().map(|(what, _)| what.chars().count()).max().unwrap_or(0);
        for (what, words) in &rows {
            writeln!(out, "{}", text::wrap_for_terminal(&format!("  {what:<wide$}  {words}"), wide + 4))?;
        }
    }
    if let Some(path) = &args.html {
        writeln!(out, "\nthe page is in {}", path.display())?;
    }
    Ok(Answer::Yes)
}
