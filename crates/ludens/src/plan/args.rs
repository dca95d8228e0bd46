//! The command line of `ludens plan`.

use crate::opening::OpeningArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What can be done with plans.
#[derive(Subcommand)]
pub enum PlanCommand {
    /// Learn a plan in words: for a chess ending, or for a game from its rules alone
    #[command(after_help = BUILD_HELP)]
    Build(PlanBuildArgs),
    /// Show a plan: its sentences, what following them reaches, an example for each; stages, their tree and sums
    #[command(after_help = SHOW_HELP)]
    Show(PlanShowArgs),
    /// Prove what a plan reaches again, from its file alone
    #[command(after_help = CHECK_HELP)]
    Check(PlanCheckArgs),
    /// Play against a plan that says at every move which sentence it serves
    #[command(after_help = PLAY_HELP)]
    Play(PlanPlayArgs),
    /// Practise: play a won position by the plan, and hear at once when a move breaks it
    #[command(after_help = DRILL_HELP)]
    Drill(PlanDrillArgs),
}

/// Arguments of `plan build`.
#[derive(Args)]
pub struct PlanBuildArgs {
    /// The men of a chess ending, such as KRK or KBNK; or a game
    #[arg(value_name = "GAME|MATERIAL")]
    pub what: String,
    /// Plies to look ahead when the plan is followed [default: 2, and 4 in endings of four men and more]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8))]
    pub plies: Option<u8>,
    /// The most goals; one sentence more goes before them
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u8).range(1..=25))]
    pub goals: u8,
    /// The most words, where a list is measured on all positions
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u16).range(30..))]
    pub words: u16,
    /// The seed of the search: another one may find another plan
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
    /// Also find so many rules that tell won positions from others
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=25))]
    pub verdict: u8,
    /// Also find sums by cases, at most so many; 0 for none [default: 24 in endings of four men and more]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub cases: Option<u8>,
    /// The role that has the plan [default: the one that wins from the start, else the one that wins more positions]
    #[arg(long)]
    pub role: Option<String>,
    /// The most time for the search [default: as many lists as take KRK a minute, and 900 seconds at most; 200 seconds where there are many positions]
    #[arg(long, value_name = "SECONDS", value_parser = lab::args::seconds)]
    pub seconds: Option<f64>,
    /// Try about so many lists of goals instead of what is usual
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    pub lists: Option<usize>,
    /// The most memory for tables and lists of positions [default: three quarters of what is free]
    #[arg(long, value_name = "MiB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: Option<u64>,
    /// Write the plan to this file [default: plans/NAME.plan in the folder of tables]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The folder of tables [default: see `ludens table --help`]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `plan show`.
#[derive(Args)]
pub struct PlanShowArgs {
    /// The name of a plan in the folder, or a file
    #[arg(value_name = "NAME|FILE")]
    pub plan: String,
    /// The rules, where the plan's game is not in the library
    #[arg(long)]
    pub game: Option<String>,
    /// Play by the stages so many plies ahead (several: 2,4,6) instead of as many as the plan looks; lists or builds what that takes
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..=16))]
    pub plies: Vec<u8>,
    /// Write a page for browsers to this file: boards, plots and words, nothing from elsewhere
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// The most memory for tables and lists of positions [default: three quarters of what is free]
    #[arg(long, value_name = "MiB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: Option<u64>,
    /// The folder of tables [default: see `ludens table --help`]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `plan check`.
#[derive(Args)]
pub struct PlanCheckArgs {
    /// The name of a plan in the folder, or a file
    #[arg(value_name = "NAME|FILE")]
    pub plan: String,
    /// The rules, where the plan's game is not in the library
    #[arg(long)]
    pub game: Option<String>,
    /// The folder of tables [default: see `ludens table --help`]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `plan play`.
#[derive(Args)]
pub struct PlanPlayArgs {
    /// The name of a plan in the folder, or a file
    #[arg(value_name = "NAME|FILE")]
    pub plan: String,
    /// The rules, where the plan's game is not in the library
    #[arg(long)]
    pub game: Option<String>,
    /// Where it begins; an ending without it begins with a won position, drawn by the seed
    #[command(flatten)]
    pub opening: OpeningArgs,
    /// Draws the position, and makes everything repeatable
    #[arg(long)]
    pub seed: Option<u64>,
    /// The folder of tables [default: see `ludens table --help`]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// Arguments of `plan drill`.
#[derive(Args)]
pub struct PlanDrillArgs {
    /// The name of a plan in the folder, or a file
    #[arg(value_name = "NAME|FILE")]
    pub plan: String,
    /// The rules, where the plan's game is not in the library
    #[arg(long)]
    pub game: Option<String>,
    /// Draws the positions [default: others each time]
    #[arg(long)]
    pub seed: Option<u64>,
    /// So many positions
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1)]
    pub positions: usize,
    /// Give a position up after so many moves
    #[arg(long, value_name = "MOVES", default_value_t = 60)]
    pub most: usize,
    /// The most memory for tables and lists of positions [default: three quarters of what is free]
    #[arg(long, value_name = "MiB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: Option<u64>,
    /// The folder of tables [default: see `ludens table --help`]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// Below the help of `ludens plan`.
pub const PLAN_HELP: &str = "\
A plan is an ordered list of goals in plain sentences. Following it means: look so many plies ahead; win where you see it, never allow \
an end that is not won; among the rest make the first goal as good as you can whatever the other side replies, then the second, and so on. \
Nothing about a game is written by hand: what pieces can do and what can be measured is read off from moves. Plans are small files \
in `plans` of the folder of tables (`ludens table --help`). `--player plan` plays by them.

Examples:
  ludens plan build KRK
  ludens plan show KRK --html krk.html
  ludens plan play KRK
  ludens plan drill KRK --seed 1";

const BUILD_HELP: &str = "\
MATERIAL in capitals is a chess ending, white to win; its tables are taken from the folder, or built in memory. GAME is listed and solved from its \
rules; a counter that only ends the game is left out. What is reached is counted over every position that can be won, against every \
reply and with whichever of equally good moves is made. Ctrl-C ends the search and keeps the best plan so far.

Examples:
  ludens plan build KRK
  ludens plan build KBNK --plies 4 --goals 12 --seconds 900
  ludens plan build nim --out nim.plan
  ludens plan build my-game.kif --role black --json";

const SHOW_HELP: &str = "\
Stages are found by the method of Sadikov and Bratko: a border lies where other things begin to tell one distance from the next; a tree tells the stages apart; in each, a sum \
predicts the moves to the win. What play by these sums reaches is told for three readings of what is done at a repetition.

Examples:
  ludens plan show KRK
  ludens plan show KRK --plies 2,4,6
  ludens plan show nim.plan --html nim.html
  ludens plan show KRK --json";

const CHECK_HELP: &str = "\
Every position is listed and every play that the plan allows is gone through, by code that shares nothing with what learned the plan; no table is \
read. Proved are: what is won, and how soon, at each number of plies; what rules tell of what is won; games by the rule about repetitions. Not checked are: \
figures for random replies, worked examples, stages with their figures, and what sums by cases win beside that; what of it a file has is told. \
Exit status 1 if the file says otherwise than what is found.

Examples:
  ludens plan check KRK
  ludens plan check nim.plan --json";

const PLAY_HELP: &str = "\
The prompt is that of `ludens play`.

Examples:
  ludens plan play KRK --seed 1
  ludens plan play KQKR --fen \"Q7/8/8/8/8/1k1r4/8/K7 w - - 0 1\"
  ludens plan play nim";

const DRILL_HELP: &str = "\
A won position is shown; type moves by number or by name (in chess as people write them). Whenever another move would have served the plan better, \
that move and the sentence are told at once. The other side replies as stubbornly as the plan's look-ahead can see. `hint` tells \
the plan's move, `quit` ends; so does the end of input.

Examples:
  ludens plan drill KRK
  ludens plan drill nim --seed 7 -n 3";
