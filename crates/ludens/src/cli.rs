//! The command line as it is written: commands, options, help. What the commands do is in their own modules.

use crate::engine::Engine;
use crate::play::Opponent;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Give it the rules of a game, and it plays.
#[derive(Parser)]
#[command(
    version,
    propagate_version = false,
    after_help = "\
GAME is a name from the library (`ludens games`), a path to a rulesheet, a folder with a rules.kif, or - for standard input.

Exit status: 0 fine; 1 the answer is negative (problems found, a mismatch, nothing found); 2 wrong usage or input, or a limit.

Examples:
  ludens games
  ludens play connect-four
  ludens check my-game.kif"
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand)]
pub enum Command {
    /// List the games of the library, or those that fit all of the given words
    #[command(after_help = GAMES_HELP)]
    Games(GamesArgs),
    /// Check rulesheets strictly and show every problem
    #[command(after_help = CHECK_HELP)]
    Check(CheckArgs),
    /// Print what is known of a game
    #[command(subcommand, arg_required_else_help = true)]
    Show(ShowCommand),
    /// Count the joint-move paths of each length: the quickest strong test of rules
    #[command(after_help = PERFT_HELP)]
    Perft(PerftArgs),
    /// Play a game in the terminal
    #[command(after_help = PLAY_HELP)]
    Play(PlayArgs),
    /// Play many random games and show what they were like
    #[command(after_help = SIMULATE_HELP)]
    Simulate(SimulateArgs),
    /// Play a random game and write it down as a playthrough that any engine can be held to
    #[command(after_help = RECORD_HELP)]
    Record(RecordArgs),
    /// Play recorded games again and compare everything
    #[command(after_help = REPLAY_HELP)]
    Replay(ReplayArgs),
}

/// Arguments of `games`.
#[derive(Args)]
pub struct GamesArgs {
    /// Words to look for in names, descriptions and kinds
    pub words: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `check`.
#[derive(Args)]
pub struct CheckArgs {
    /// Rulesheets: paths, names from the library, or - for standard input
    #[arg(required = true)]
    pub files: Vec<String>,
    /// Exit with 1 on warnings too
    #[arg(long)]
    pub deny_warnings: bool,
    /// Print JSON: a list of problems
    #[arg(long)]
    pub json: bool,
}

/// What can be shown.
#[derive(Subcommand)]
pub enum ShowCommand {
    /// The rules, printed anew
    #[command(after_help = SHOW_RULES_HELP)]
    Rules(ShowRulesArgs),
    /// What the game is about, in words
    #[command(after_help = SHOW_ABOUT_HELP)]
    About {
        /// A game of the library
        game: String,
    },
}

/// Arguments of `show rules`.
#[derive(Args)]
pub struct ShowRulesArgs {
    /// The game
    pub game: String,
    /// In infix form: legal(P, mark(X, Y)) :- …
    #[arg(long)]
    pub infix: bool,
    /// Rename everything but the keywords; the seed decides how
    #[arg(long, value_name = "SEED")]
    pub scramble: Option<u64>,
}

/// Arguments of `perft`.
#[derive(Args)]
pub struct PerftArgs {
    /// The game
    pub game: String,
    /// The longest paths to count (at most 1000)
    #[arg(value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub depth: u16,
    /// The paths of that length behind each first joint move
    #[arg(long, conflicts_with = "turns")]
    pub divide: bool,
    /// Count turns instead of moves: a turn lasts while the facts of this name stay the same
    #[arg(long, value_name = "FACT")]
    pub turns: Option<String>,
    /// The engine
    #[arg(long, value_enum, default_value_t)]
    pub engine: Engine,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `play`.
#[derive(Args)]
pub struct PlayArgs {
    /// The game
    pub game: String,
    /// A role that a person plays; may be given several times [default: the first role]
    #[arg(long = "role", value_name = "ROLE")]
    pub roles: Vec<String>,
    /// Who plays the other roles
    #[arg(long, value_enum, default_value_t)]
    pub opponent: Opponent,
    /// Makes the other side's moves repeatable
    #[arg(long)]
    pub seed: Option<u64>,
    /// The engine
    #[arg(long, value_enum, default_value_t)]
    pub engine: Engine,
}

/// Arguments of `simulate`.
#[derive(Args)]
pub struct SimulateArgs {
    /// The game
    pub game: String,
    /// How many games
    #[arg(short = 'n', long = "games", value_name = "N", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub count: u64,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Cut a game after this many steps
    #[arg(long, value_name = "STEPS", default_value_t = 1000)]
    pub most: usize,
    /// The engine
    #[arg(long, value_enum, default_value_t)]
    pub engine: Engine,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `record`.
#[derive(Args)]
pub struct RecordArgs {
    /// The game
    pub game: String,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Stop after this many steps
    #[arg(long, value_name = "STEPS", default_value_t = 200)]
    pub most: usize,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The engine
    #[arg(long, value_enum, default_value_t)]
    pub engine: Engine,
}

/// Arguments of `replay`.
#[derive(Args)]
pub struct ReplayArgs {
    /// A folder with games/ and traces/, or a playthrough file
    #[arg(required_unless_present = "library", conflicts_with = "library")]
    pub path: Option<PathBuf>,
    /// The game of a playthrough file [default: the rules.kif beside it]
    #[arg(long, conflicts_with = "library")]
    pub game: Option<String>,
    /// Replay the playthroughs and perft counts of the library
    #[arg(long)]
    pub library: bool,
    /// The time limit for each game
    #[arg(long, default_value_t = 20.0, value_parser = seconds)]
    pub seconds: f64,
    /// Compare the library's perft counts only as deep as they stay within this many nodes
    #[arg(long, default_value_t = 20_000, requires = "library")]
    pub nodes: u64,
    /// How many games at the same time [default: one for each processor]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// The engine
    #[arg(long, value_enum, default_value_t)]
    pub engine: Engine,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= 1e6 => Ok(value),
        _ => Err("a number of seconds above 0, at most 1000000".to_string()),
    }
}

// What stands below the options in the help of each command.

const GAMES_HELP: &str = "\
Examples:
  ludens games
  ludens games chess
  ludens games 'one player' --json";

const CHECK_HELP: &str = "\
Exit status 1 if there are errors.

Examples:
  ludens check my-game.kif
  ludens check *.kif --deny-warnings
  ludens check - --json < my-game.kif";

const PERFT_HELP: &str = "\
With --turns the count is in turns: a run of moves during which the facts of that name stay the same
counts once, as published numbers for draughts do.

Examples:
  ludens perft chess 3
  ludens perft tic-tac-toe 4 --divide
  ludens perft checkers 4 --turns control";

const PLAY_HELP: &str = "\
Moves are chosen by number or by name; `help` at the prompt tells the rest.

Examples:
  ludens play connect-four
  ludens play tic-tac-toe --role o --seed 7
  ludens play tic-tac-toe --role x --role o      (two persons)";

const SIMULATE_HELP: &str = "\
The same seed gives the same numbers, the times apart.

Examples:
  ludens simulate breakthrough -n 1000 --seed 1
  ludens simulate my-game.kif -n 100 --json";

const RECORD_HELP: &str = "\
Examples:
  ludens record nim --seed 1
  ludens record chess --most 60 -o playthrough.txt";

const REPLAY_HELP: &str = "\
PATH is a folder that holds games/NAME.kif and traces/NAME.json, or a playthrough file.
Exit status 1 if anything differs or does not load.

Examples:
  ludens replay corpus --seconds 5
  ludens replay playthrough.txt --game nim
  ludens replay --library";

const SHOW_RULES_HELP: &str = "\
Examples:
  ludens show rules tic-tac-toe
  ludens show rules nim --infix
  ludens show rules nim --scramble 7";

const SHOW_ABOUT_HELP: &str = "\
Example:
  ludens show about nim";

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        super::Cli::command().debug_assert();
    }
}
