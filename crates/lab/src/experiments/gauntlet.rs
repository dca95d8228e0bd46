//! `ludens lab gauntlet`: the default player against plain UCT, or against random play, on games of the library for two.

use crate::args::seconds;
use anyhow::Result;
use clap::{Args, ValueEnum};
use host::Players;
use host::tournament::{Place, Plan, Progress, play_some_at};
use platform::save;
use std::path::PathBuf;
use terminal::{Answer, Out};

/// The games, unless some are named.
const GAMES: [&str; 20] = [
    "amazons-small",
    "atari-go",
    "bidding-tic-tac-toe",
    "breakthrough",
    "breakthrough-small",
    "checkers",
    "connect-four",
    "connect-four-small",
    "dots-and-boxes",
    "hallway",
    "hex",
    "kalah",
    "knightthrough",
    "lines-of-action",
    "nine-mens-morris",
    "nothello",
    "othello",
    "pentago",
    "sheep-and-wolf",
    "tron",
];

/// A match that goes on for so long is given up, and counts as a draw.
const MOST: usize = 200;

/// Who is to be beaten.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Against {
    /// Textbook UCT, as many threads as the default player
    PlainUct,
    /// Any legal move
    Random,
}

impl Against {
    fn player(self) -> String {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        match self {
            Against::PlainUct => format!("uct:plain=true,threads={threads}"),
            Against::Random => "random".to_string(),
        }
    }

    /// The points that we are out for: in all, and in every game.
    fn aim(self) -> (f64, f64) {
        match self {
            Against::PlainUct => (0.6, 0.4),
            Against::Random => (0.99, 0.99),
        }
    }
}

/// Arguments of `lab gauntlet`.
#[derive(Args)]
pub struct GauntletArgs {
    /// Only these games, or others [default: twenty of the library]
    pub only: Vec<String>,
    /// Who is to be beaten
    #[arg(long, value_enum, default_value_t = Against::PlainUct)]
    pub against: Against,
    /// Matches of each game, half of them with the roles changed
    #[arg(short = 'n', long = "games", value_name = "N", default_value_t = 2)]
    pub rounds: usize,
    /// Seconds before the first move
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0, value_parser = seconds)]
    pub start: f64,
    /// Seconds for each move
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    pub play: f64,
    /// Let the workers of a fleet play (`ludens worker`): nats://HOST:4222 or tls://HOST:4222
    #[arg(long, value_name = "URL")]
    pub fleet: Option<String>,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Where to write [default: lab/gauntlet below the current folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Begin anew, and forget what an earlier run has found
    #[arg(long)]
    pub fresh: bool,
}

/// Below the help of the command.
pub const GAUNTLET_HELP: &str = "\
One match at a time, because both players use all processors; with --fleet as many as there are workers, of the same version. Exit status 1 if the default player has fewer points than \
we are out for: against plain UCT 60% in all and 40% in every game, against random play 99%. Writes games.jsonl, \
standings.json, standings.csv and report.md. An interrupted run goes on where it ended.

Examples:
  ludens lab gauntlet
  ludens lab gauntlet --against random --play 0.2
  ludens lab gauntlet tron hex -n 10 --play 0.1";

/// Runs the command.
pub fn run(args: &GauntletArgs, interrupt: &platform::Interrupt, out: Out<'_>) -> Result<Answer> {
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from("lab").join("gauntlet"));
    let games = if args.only.is_empty() { GAMES.map(String::from).to_vec() } else { args.only.clone() };
    let plan = Plan {
        games,
        // Searching is what is tried, and not what happens to be in the folder of tables.
        players: vec![format!("{}:tables=false", agent::spec::DEFAULT), args.against.player()],
        rounds: args.rounds,
        gauntlet: true,
        start: args.start,
        play: args.play,
        parallel: 1,
        scramble: false,
        seed: args.seed,
        most: MOST,
        out: Some(folder.clone()),
        records: false,
        fresh: args.fresh,
    };
    let mut shown = terminal::Progress::new();
    let queue = args.fleet.as_deref().map(fleet::queue::Queue::at).transpose()?;
    let place = queue.as_ref().map_or(Place::Here, Place::Fleet);
    let mut tell = |progress: Progress| {
        match progress {
            Progress::GoingOn { played, .. } => {
                writeln!(out, "going on with {played} games played before (`--fresh` begins anew)")?;
            }
            Progress::Games { done, of } => {
                shown.fraction(done as f64 / of as f64, |seconds| format!("{done} of {of} games, {seconds:.0} s"));
            }
            Progress::Fleet { waiting, at_work, workers } => {
                shown.at(|seconds| {
                    format!("{workers} workers so far, {at_work} games at hand, {waiting} waiting, {seconds:.0} s")
                });
            }
            Progress::Saved { .. } => {}
        }
        Ok(())
    };
    let (standings, missing) = play_some_at(&place, &plan, &Players::default(), &interrupt.cancel(), &mut tell)?;
    if let Some(missing) = missing {
        return Err(missing.into());
    }
    drop(shown);
    let text = standings.text();
    write!(out, "{text}")?;
    let (all, games) = standings.points(0);
    let (aim, least) = args.against.aim();
    let below: Vec<String> = games
        .iter()
        .filter(|(_, points)| *points < least)
        .map(|(game, points)| format!("{game} {:.0}%", 100.0 * points))
        .collect();
    let verdict = format!(
        "{:.1}% of the points, out for {:.0}%; games below {:.0}%: {}",
        100.0 * all,
        100.0 * aim,
        100.0 * least,
        if below.is_empty() { "none".to_string() } else { below.join(", ") }
    );
    writeln!(out, "\n{verdict}")?;
    let report = format!(
        "# The default player against {}\n\n{} s before the first move, {} s a move, {} matches of each game.\n\n```\n{text}```\n\n{verdict}\n",
        args.against.player(),
        args.start,
        args.play,
        args.rounds
    );
    let path = folder.join("report.md");
    save(&path, &report)?;
    Ok(if all >= aim && below.is_empty() { Answer::Yes } else { Answer::No })
}
