//! The command line of `ludens solve`.

use crate::opening::OpeningArgs;
use agent::EngineChoice;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `solve`.
#[derive(Args)]
pub struct SolveArgs {
    /// The game
    pub game: String,
    /// Where it begins
    #[command(flatten)]
    pub opening: OpeningArgs,
    /// The most memory to use [default: three quarters of what is free]
    #[arg(long, value_name = "MiB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: Option<u64>,
    /// Show every move of the best line
    #[arg(long)]
    pub line: bool,
    /// Store the table in this file, not in the folder of tables; without FILE: fail if it cannot be stored
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    pub save: Option<Option<PathBuf>>,
    /// Store no table
    #[arg(long, conflicts_with_all = ["save", "folder", "compress"])]
    pub no_save: bool,
    /// The folder of tables [default: see `ludens table --help`]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Store the table compressed
    #[arg(long)]
    pub compress: bool,
    /// The engine
    #[arg(long, value_parser = lab::args::engine(), default_value = "auto")]
    pub engine: EngineChoice,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Below the help of the command.
pub const SOLVE_HELP: &str = "\
Everything that can be reached from the start is listed and valued from the ends backwards. One player: the best goal and \
the fewest moves to it. Two players in turn: win, draw or loss, and the moves to the end if the winner hurries and the \
loser delays; play that never ends is a draw. Other games cannot be solved, and it says so. Ctrl-C stops.

A counter that does nothing but end the game after some moves is left out of the states, if the rules show it; the value, the moves and \
the line are still those of the game with its counter.

What is found is stored as a table of every position, in the folder of tables. `ludens table probe GAME` asks it; players that \
are given the same rules play from it (`ludens players`: tables). If that folder cannot be written, a warning says so.

Examples:
  ludens solve tic-tac-toe
  ludens solve connect-four-small --line --no-save
  ludens solve hanoi --save hanoi.table
  ludens solve my-game.kif --memory 4096 --json";
