//! The command line as it is written: commands, options, help. What the commands do is in their own modules.

use crate::compile::Code;
use crate::engine::Engine;
use crate::lab::journal::Keep;
use crate::lab::waugh::Base;
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
    /// Write a game as a C library, for programs of your own
    #[command(after_help = COMPILE_HELP)]
    Compile(CompileArgs),
    /// Measure how fast the engines are
    #[command(after_help = BENCH_HELP)]
    Bench(BenchArgs),
    /// Repeat an experiment, and write down what it found
    #[command(subcommand, arg_required_else_help = true)]
    Lab(LabCommand),
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
    /// The net of gates that the rules become: its size, its operations, or a graph
    #[command(after_help = SHOW_NET_HELP)]
    Net(ShowNetArgs),
}

/// Arguments of `show net`.
#[derive(Args)]
pub struct ShowNetArgs {
    /// The game
    pub game: String,
    /// Every operation and output as text
    #[arg(long, conflicts_with_all = ["dot", "json"])]
    pub text: bool,
    /// The net as a graph for Graphviz
    #[arg(long, conflicts_with = "json")]
    pub dot: bool,
    /// The sizes as JSON
    #[arg(long)]
    pub json: bool,
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
    /// The engine to hold to the records; the prover is ready at once, whatever the game
    #[arg(long, value_enum, default_value = "prover")]
    pub engine: Engine,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `compile`.
#[derive(Args)]
pub struct CompileArgs {
    /// The game
    pub game: String,
    /// The folder to write to; it is made if need be
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// What the files are called [default: the game's name]
    #[arg(long)]
    pub name: Option<String>,
    /// How the operations of the game are written [default: what suits their number]
    #[arg(long, value_enum)]
    pub code: Option<Code>,
    /// Replace files that were not written by this command, or were edited since
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `bench`.
#[derive(Args)]
pub struct BenchArgs {
    /// The games [default: a dozen of the library]
    pub games: Vec<String>,
    /// An engine; may be given several times [default: each of them]
    #[arg(long = "engine", value_enum, value_name = "ENGINE")]
    pub engines: Vec<Engine>,
    /// How long to play with each engine
    #[arg(long, default_value_t = 2.0, value_parser = seconds)]
    pub seconds: f64,
    /// Give up a measurement that takes longer than this
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0, value_parser = seconds)]
    pub limit: f64,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// All rulesheets of DIR/games, with the engine that suits each, beside the figures of other systems
    #[arg(long, value_name = "DIR", conflicts_with_all = ["yardstick", "gdl_perf"])]
    pub corpus: Option<PathBuf>,
    /// Beside games written by hand: tic-tac-toe, connect-four, breakthrough
    #[arg(long, conflicts_with = "gdl_perf")]
    pub yardstick: bool,
    /// Write the figures of one game to a file, in the form of the public tests of GDL engines
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub gdl_perf: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Measure the rulesheet on standard input in this process
    #[arg(long, hide = true)]
    pub one: bool,
}

/// The experiments.
#[derive(Subcommand)]
pub enum LabCommand {
    /// The public rulesheets beside the figures of other systems
    #[command(after_help = ANCHORS_HELP)]
    Anchors(AnchorsArgs),
    /// A Monte Carlo player on every engine, beside the tables of the paper on generated code
    #[command(after_help = WAUGH_HELP)]
    Waugh(WaughArgs),
    /// All engines against the prover, fact by fact, on random states
    #[command(after_help = AGREE_HELP)]
    Agree(AgreeArgs),
}

/// What all experiments have in common.
#[derive(Args)]
pub struct LabArgs {
    /// Where to write [default: lab/NAME below the current folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Begin anew, and forget what an earlier run has found
    #[arg(long)]
    fresh: bool,
    /// Go on even if the earlier run was made by another build of the program
    #[arg(long, conflicts_with = "fresh")]
    any_build: bool,
}

impl LabArgs {
    /// The folder of the experiment of this name.
    pub fn out(&self, name: &str) -> PathBuf {
        self.out.clone().unwrap_or_else(|| PathBuf::from("lab").join(name))
    }

    /// What counts of an earlier run.
    pub fn keep(&self) -> Keep {
        match (self.fresh, self.any_build) {
            (true, _) => Keep::None,
            (_, true) => Keep::All,
            _ => Keep::SameBuild,
        }
    }
}

/// Arguments of `lab anchors`.
#[derive(Args)]
pub struct AnchorsArgs {
    /// Only these rulesheets
    pub games: Vec<String>,
    /// A folder with games/NAME.kif
    #[arg(long, value_name = "DIR")]
    pub corpus: PathBuf,
    /// How long to play each game
    #[arg(long, default_value_t = 5.0, value_parser = seconds)]
    pub seconds: f64,
    /// Give up a game that takes longer than this
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0, value_parser = seconds)]
    pub limit: f64,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub lab: LabArgs,
}

/// Arguments of `lab waugh`.
#[derive(Args)]
pub struct WaughArgs {
    /// Only these of the four games
    #[arg(value_parser = crate::lab::waugh::GAMES)]
    pub only: Vec<String>,
    /// How long to think about a move
    #[arg(long, default_value_t = 5.0, value_parser = seconds)]
    pub seconds: f64,
    /// How many games of each kind
    #[arg(long, default_value_t = 20)]
    pub games: u64,
    /// Cut a game after this many moves
    #[arg(long, value_name = "MOVES", default_value_t = 500)]
    pub most: usize,
    /// What the player is built on; may be given several times [default: each of them]
    #[arg(long = "player", value_enum, value_name = "BASE")]
    pub players: Vec<Base>,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub lab: LabArgs,
}

/// Arguments of `lab agree`.
#[derive(Args)]
pub struct AgreeArgs {
    /// Only these games [default: the whole library]
    pub games: Vec<String>,
    /// Also the rulesheets of this folder
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// How many states to compare, in all
    #[arg(long, default_value_t = 1_000_000)]
    pub states: u64,
    /// An engine to compare with the prover; may be given several times [default: each of the others]
    #[arg(long = "engine", value_enum, value_name = "ENGINE")]
    pub engines: Vec<Engine>,
    /// The longest time for one game before the next has its turn
    #[arg(long, default_value_t = 60.0, value_parser = seconds)]
    pub seconds: f64,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub lab: LabArgs,
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

const COMPILE_HELP: &str = "\
Writes a header, the library in C without dependencies, examples in C and Python, a Makefile and a README.
The interface is the same for every game: init, legal, next, terminal, goal, random playouts, the facts of a state.

Examples:
  ludens compile connect-four -o build/connect-four
  ludens compile my-game.kif -o build --name mygame";

const BENCH_HELP: &str = "\
Every measurement is made on one core, in a process of its own. Ready: from the text to the first legal moves.
Exit status 1 if something could not be measured.

Examples:
  ludens bench
  ludens bench connect-four my-game.kif --engine net --engine prover --seconds 5
  ludens bench --yardstick
  ludens bench connect-four --gdl-perf result.txt --seconds 30
  ludens bench --corpus corpus --json > result.json";

const ANCHORS_HELP: &str = "\
Writes results.json and report.md. An interrupted run goes on where it ended.

Example:
  ludens lab anchors --corpus corpus --seconds 5";

const WAUGH_HELP: &str = "\
Writes results.json and report.md. An interrupted run goes on with the game that it was at.

Examples:
  ludens lab waugh
  ludens lab waugh tic-tac-toe connect-four --seconds 1 --games 3";

const AGREE_HELP: &str = "\
Compared are the legal moves, whether the game is over, the goals, and the facts of the next state.
Writes results.json and report.md. An interrupted run goes on where it ended. Exit status 1 on any difference.

Examples:
  ludens lab agree --states 20000
  ludens lab agree nim chess --engine net
  ludens lab agree --corpus corpus";

const SHOW_NET_HELP: &str = "\
Examples:
  ludens show net connect-four
  ludens show net tic-tac-toe --text
  ludens show net tic-tac-toe --dot | dot -Tsvg > net.svg";

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
