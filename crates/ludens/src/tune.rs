//! `ludens tune`: better settings for a player on a game, found by playing.

use crate::player::players;
use anyhow::Result;
use clap::{Args, ValueEnum};
use host::tune::run::{Plan, Progress, run as tune};
use host::tune::{Method, Tuning};
use lab::args::seconds;
use platform::Interrupt;
use std::path::PathBuf;
use terminal::{Answer, Out, text};

/// How better settings are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Way {
    /// All games together are read as a hill; the next ones are played where its top may be
    Surface,
    /// Many variants begin, the worse half is out after each lap
    Racing,
    /// One setting after the other, six variants of it against the present player
    Climb,
}

/// Arguments of `tune`.
#[derive(Args)]
pub struct TuneArgs {
    /// The game
    pub game: String,
    /// The player: a kind with settings (`ludens players`); tuning begins there
    #[arg(long, value_name = "PLAYER")]
    pub player: String,
    /// Settings to vary: NAME, NAME=FROM..TO, NAME=FROM..TO@STEP or NAME=A|B|C, with commas between them
    #[arg(long, value_name = "NAMES", required = true)]
    pub vary: Vec<String>,
    /// How better settings are looked for
    #[arg(long, value_enum, default_value_t = Way::Surface)]
    pub method: Way,
    /// Games to spend
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub games: u32,
    /// Games of what was found against where it began, at the end
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub check: u32,
    /// Passes over the settings, for racing and climb; in each the values are nearer
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub passes: u16,
    /// Seconds before the first move [default: 2; plenty if the player has nodes or playouts]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub start: Option<f64>,
    /// Seconds for each move [default: 0.2; plenty if the player has nodes or playouts]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub play: Option<f64>,
    /// Games at the same time [default: what the processors can play]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub parallel: Option<u16>,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Give a game up after this many steps; it counts as a draw
    #[arg(long, value_name = "STEPS", default_value_t = 500)]
    pub most: usize,
    /// Keep every game in this folder; the next run with the same settings goes on there
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Begin anew, and forget what an earlier run has found
    #[arg(long, requires = "out")]
    pub fresh: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Below the help of the command.
pub const TUNE_HELP: &str = "\
Two sets of settings play each other, as often in one role as in the other and with the same seeds; in games for more than \
two they share the roles as in a tournament. At the end what was found meets where it began in games that were not used to find \
it; if it does not get more than half of the points, the start stays. A player with nodes or playouts plays the same games \
whenever the seed is the same. Ranges are known for most settings; others must be given. \
DIR gets games.jsonl (a line for each game, as it ends), tuned.json and tuned.log (what was tried and why); other settings in the \
same folder get tuned-ID.json and so on. After Ctrl-C, or worse, the same command goes on.

Examples:
  ludens tune connect-four-small --player uct:playouts=100 --vary c,bias --out tuned
  ludens tune breakthrough-small --player uct:playouts=200 --vary c=0.1..1@0.05 --method climb --games 720
  ludens tune nim --player uct:playouts=20,heuristic=mobility,cut=5 --vary \"cut=1..10,plain\" --games 100 --check 20";

/// Runs the command.
pub fn run(args: &TuneArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let mut shown = terminal::Progress::new();
    // From here on Ctrl-C ends the games, and not the program.
    let tuned = tune(&plan(args), &players(interrupt), &interrupt.cancel(), &mut |progress| {
        match progress {
            Progress::Games { played, done, of } => {
                // What was there before took no time.
                let part = played as f64 / (of - (done - played)).max(1) as f64;
                shown.fraction(part, |seconds| format!("{done} of {of} games, {}", text::seconds(seconds)));
                return Ok(());
            }
            Progress::Begin { .. } | Progress::Words(_) if args.json => return Ok(()),
            Progress::Begin { words, known } => {
                writeln!(out, "{words}")?;
                if known > 0 {
                    writeln!(out, "going on with {known} games played before (`--fresh` begins anew)")?;
                }
            }
            Progress::Words(words) => {
                shown.wipe();
                writeln!(out, "{words}")?;
            }
        }
        Ok(out.flush()?)
    })?;
    drop(shown);
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &tuned)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    if tuned.faults > 0 {
        let faults = text::count(tuned.faults, "move");
        writeln!(out, "{faults} had to be replaced because they were late or wrong: give more time with `--play`")?;
    }
    if tuned.given_up > 0 {
        writeln!(out, "{} given up, counted as drawn (`--most`)", text::count(tuned.given_up, "game"))?;
    }
    if let Some(path) = &tuned.path {
        writeln!(out, "in {}", path.display())?;
    }
    writeln!(out, "{}", tuned.player)?;
    Ok(Answer::Yes)
}

fn plan(args: &TuneArgs) -> Plan {
    let method = match args.method {
        Way::Surface => Method::Surface,
        Way::Racing => Method::Racing,
        Way::Climb => Method::Climb,
    };
    Plan {
        game: args.game.clone(),
        player: args.player.clone(),
        vary: args.vary.clone(),
        tuning: Tuning { method, games: args.games as usize, passes: args.passes.into(), seed: args.seed },
        check: args.check as usize,
        start: args.start,
        play: args.play,
        most: args.most,
        parallel: args.parallel.map(usize::from),
        out: args.out.clone(),
        fresh: args.fresh,
    }
}
