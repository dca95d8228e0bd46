//! The command line as it is written: commands, options, help. What the commands do is in their own modules.

use crate::abstraction::{ABSTRACTION_HELP, AbstractionCommand};
use crate::analyse::{ANALYSE_HELP, AnalyseArgs};
use crate::compile::Code;
use crate::engine::{UCI_HELP, UGI_HELP, UciArgs, UgiArgs};
use crate::fleet::{FLEET_HELP, FleetCommand, WORKER_HELP, WorkerArgs};
use crate::opening::OpeningArgs;
use crate::plan::args::{PLAN_HELP, PlanCommand};
use crate::play::{PLAY_HELP, PlayArgs};
use crate::report::{REPORT_HELP, ReportArgs};
use crate::solve::args::{SOLVE_HELP, SolveArgs};
use crate::studio::{STUDIO_HELP, StudioArgs};
use crate::tables::args::{TABLE_HELP, TableCommand};
use crate::tune::{TUNE_HELP, TuneArgs};
use agent::EngineChoice;
use clap::{Args, Parser, Subcommand};
use lab::args::{
    BENCH_HELP, BenchArgs, LabCommand, PERFT_HELP, PerftArgs, REPLAY_HELP, ReplayArgs, SIMULATE_HELP, SimulateArgs,
    engine, seconds,
};
use std::path::PathBuf;

/// Give it the rules of a game, and it plays.
#[derive(Parser)]
#[command(
    version = env!("LUDENS_VERSION"),
    propagate_version = false,
    after_help = "\
GAME is a name from the library (`ludens games`), a path to a rulesheet, a folder with a rules.kif, or - for standard input.

Exit status: 0 fine; 1 the answer is negative (problems found, a mismatch, nothing found); 2 wrong usage or input, or a limit; \
130 interrupted (Ctrl-C or SIGTERM), with a line on standard error that says what is kept.

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
    /// Play, watch, understand and write games in the browser
    #[command(after_help = STUDIO_HELP)]
    Studio(StudioArgs),
    /// Play a game in the terminal
    #[command(after_help = PLAY_HELP)]
    Play(PlayArgs),
    /// Think about a position, and show what every move is worth
    #[command(after_help = ANALYSE_HELP)]
    Analyse(AnalyseArgs),
    /// Play many random games and show what they were like
    #[command(after_help = SIMULATE_HELP)]
    Simulate(SimulateArgs),
    /// Study a game: what its rules and random games reveal
    #[command(after_help = STUDY_HELP)]
    Study(StudyArgs),
    /// Tell designers what competent players make of a game: balance, length, choices, depth
    #[command(after_help = REPORT_HELP)]
    Report(ReportArgs),
    /// Play a random game and write it down as a playthrough that any engine can be held to
    #[command(after_help = RECORD_HELP)]
    Record(RecordArgs),
    /// Play recorded games again and compare everything
    #[command(after_help = REPLAY_HELP)]
    Replay(ReplayArgs),
    /// Be a player that game managers talk to over HTTP
    #[command(after_help = PLAYER_HELP)]
    Player(PlayerArgs),
    /// List the kinds of players and their settings
    #[command(after_help = PLAYERS_HELP)]
    Players(PlayersArgs),
    /// Be a chess engine that any chess program can use: UCI on standard input and output
    #[command(after_help = UCI_HELP)]
    Uci(UciArgs),
    /// Be an engine for any two-player game in turn: UGI on standard input and output
    #[command(after_help = UGI_HELP)]
    Ugi(UgiArgs),
    /// Be the game manager of one match, between players here or elsewhere
    #[command(after_help = MATCH_HELP)]
    Match(MatchArgs),
    /// Play many matches between players, and tell who is better
    #[command(after_help = TOURNAMENT_HELP)]
    Tournament(TournamentArgs),
    /// Think and play for others: be a worker of a fleet
    #[command(after_help = WORKER_HELP)]
    Worker(WorkerArgs),
    /// Show the workers of a fleet, and what they are doing
    #[command(subcommand, arg_required_else_help = true, after_help = FLEET_HELP)]
    Fleet(FleetCommand),
    /// Find better settings for a player on a game, by playing
    #[command(after_help = TUNE_HELP)]
    Tune(TuneArgs),
    /// Write a game as a C library, for programs of your own
    #[command(after_help = COMPILE_HELP)]
    Compile(CompileArgs),
    /// Solve a game outright: its value, the best line, and a table of every position
    #[command(after_help = SOLVE_HELP)]
    Solve(SolveArgs),
    /// Build, ask and check exact tables: endings, Chinese checkers, solved games
    #[command(subcommand, arg_required_else_help = true, after_help = TABLE_HELP)]
    Table(TableCommand),
    /// Learn plans that a person can follow, show them, play by them
    #[command(subcommand, arg_required_else_help = true, after_help = PLAN_HELP)]
    Plan(PlanCommand),
    /// Smaller games of a few pieces: their tables, and what they keep of the whole game
    #[command(subcommand, arg_required_else_help = true, after_help = ABSTRACTION_HELP)]
    Abstraction(AbstractionCommand),
    /// Measure how fast the engines are
    #[command(after_help = BENCH_HELP, args_conflicts_with_subcommands = true)]
    Bench(BenchArgs),
    /// Print the script that lets a shell complete these commands
    #[command(after_help = COMPLETIONS_HELP)]
    Completions(CompletionsArgs),
    /// Print the manual page, or write those of all commands
    #[command(after_help = MAN_HELP)]
    Man(ManArgs),
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
    /// Look at the rules alone; play no random games
    #[arg(long, conflicts_with = "seconds")]
    pub no_play: bool,
    /// The most time for the random games of a rulesheet
    #[arg(long, default_value_t = 2.0, value_parser = seconds)]
    pub seconds: f64,
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

/// Arguments of `study`.
#[derive(Args)]
pub struct StudyArgs {
    /// The game
    pub game: String,
    /// How long random games are played to test what the rules suggest; what follows from them takes less than that
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    pub seconds: f64,
    /// Look at so many states instead, which makes the report repeatable
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    pub states: Option<u64>,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The engine
    #[arg(long, value_parser = engine(), default_value = "auto")]
    pub engine: EngineChoice,
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
    /// Where it begins
    #[command(flatten)]
    pub opening: OpeningArgs,
    /// The engine
    #[arg(long, value_parser = engine(), default_value = "auto")]
    pub engine: EngineChoice,
}

/// Arguments of `player`.
#[derive(Args)]
pub struct PlayerArgs {
    /// The port to listen on; 0 takes any free one
    #[arg(long, default_value_t = 9147)]
    pub port: u16,
    /// The address to listen on; 0.0.0.0 is everybody's way in
    #[arg(long, default_value = "127.0.0.1")]
    pub host: String,
    /// Who plays, with settings (`ludens players`)
    #[arg(long, value_name = "PLAYER", default_value = agent::spec::DEFAULT)]
    pub player: String,
    /// The name it goes by
    #[arg(long, default_value = "Ludens")]
    pub name: String,
    /// Do not think while others decide, for matches in which all players share these processors
    #[arg(long)]
    pub no_ponder: bool,
    /// Makes its choices repeatable
    #[arg(long)]
    pub seed: Option<u64>,
    /// Write a line of JSON for everything that happens in a match, as `match --stream` does, for `studio --follow`; the address goes to standard error
    #[arg(long)]
    pub stream: bool,
}

/// Arguments of `players`.
#[derive(Args)]
pub struct PlayersArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `match`.
#[derive(Args)]
pub struct MatchArgs {
    /// The game
    pub game: String,
    /// A player, in the order of the roles: a kind with settings (`ludens players`), or http://HOST:PORT [default: the default player]
    #[arg(long = "player", value_name = "PLAYER")]
    pub players: Vec<String>,
    /// Seconds before the first move
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, value_parser = seconds)]
    pub start: f64,
    /// Seconds for each move
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    pub play: f64,
    /// Rename everything in the rules that the players see
    #[arg(long)]
    pub scramble: bool,
    /// Decides what stands in for missing moves, how the rules are renamed, and what random players do
    #[arg(long)]
    pub seed: Option<u64>,
    /// Write the match to this file, step by step, as JSON that other tools read; a pipe or a device gets it at the end
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Print a line of JSON for each step
    #[arg(long, conflicts_with = "boards")]
    pub stream: bool,
    /// Draw the board after each step
    #[arg(long)]
    pub boards: bool,
    /// Give the match up after this many steps
    #[arg(long, value_name = "STEPS", default_value_t = 1000)]
    pub most: usize,
    /// Build the tables that players cannot do without and that are missing
    #[arg(long)]
    pub build_tables: bool,
    /// Where it begins
    #[command(flatten)]
    pub opening: OpeningArgs,
    /// What to call the match, in one word [default: the game and a random word]
    #[arg(long)]
    pub id: Option<String>,
    /// Where the game is described, for the record
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// The engine of the manager
    #[arg(long, value_parser = engine(), default_value = "auto")]
    pub engine: EngineChoice,
}

/// Arguments of `tournament`.
#[derive(Args)]
pub struct TournamentArgs {
    /// The games
    #[arg(required = true)]
    pub games: Vec<String>,
    /// A player: a kind with settings (`ludens players`), or http://HOST:PORT; given several times
    #[arg(long = "player", value_name = "PLAYER", required = true)]
    pub players: Vec<String>,
    /// How often two players meet in each game; every second time with the roles changed
    #[arg(short = 'n', long = "games", value_name = "N", default_value_t = 2)]
    pub rounds: usize,
    /// Only the first player against each of the others
    #[arg(long)]
    pub gauntlet: bool,
    /// Seconds before the first move
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds)]
    pub start: f64,
    /// Seconds for each move
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    pub play: f64,
    /// Matches at the same time; players that think share the processors
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub parallel: u16,
    /// Let the workers of a fleet play (`ludens worker`): nats://HOST:4222 or tls://HOST:4222
    #[arg(long, value_name = "URL", conflicts_with = "parallel")]
    pub fleet: Option<String>,
    /// Rename everything in the rules that the players see, anew for each match
    #[arg(long)]
    pub scramble: bool,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Give a match up after this many steps
    #[arg(long, value_name = "STEPS", default_value_t = 500)]
    pub most: usize,
    /// Build the tables that players cannot do without and that are missing
    #[arg(long)]
    pub build_tables: bool,
    /// Keep all results in this folder; the next run with the same settings goes on there
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Keep the record of every match too, in DIR/matches
    #[arg(long, requires = "out")]
    pub records: bool,
    /// Begin anew, and forget what an earlier run has found
    #[arg(long, requires = "out")]
    pub fresh: bool,
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

/// Arguments of `completions`.
#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Args)]
pub struct ManArgs {
    /// Write a page for each command to this folder; it is made if need be
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

// What stands below the options in the help of each command.

const GAMES_HELP: &str = "\
Examples:
  ludens games
  ludens games chess
  ludens games 'one player' --json";

const CHECK_HELP: &str = "\
If the rules are valid, a few hundred random games look for roles without a legal move, ends without \
a goal or with two, and terms that grow without bound; the moves that lead there are shown. \
Exit status 1 if there are errors.

Examples:
  ludens check my-game.kif
  ludens check *.kif --deny-warnings
  ludens check - --json < my-game.kif";

const STUDY_HELP: &str = "\
What is found does not depend on the names in the rules. Each finding says how it is known: proved from the rules, or seen \
in so many states of random games. The features at the end are what a player can maximise or minimise.

Examples:
  ludens study chess
  ludens study hallway --seconds 5
  ludens study hex --states 2000 --json";

const RECORD_HELP: &str = "\
Examples:
  ludens record nim --seed 1
  ludens record chess --most 60 -o playthrough.txt";

const PLAYER_HELP: &str = "\
One match at a time; the messages are INFO, START, PLAY, STOP, ABORT and PREVIEW. The first line printed has the address. \
Ctrl-C ends the match at hand, and the player.

Examples:
  ludens player
  ludens player --port 0 --name Ada --player legal
  ludens player --host 0.0.0.0 --port 9147
  ludens player --stream | ludens studio --follow      (what it plays is watched in a browser)";

const PLAYERS_HELP: &str = "\
Examples:
  ludens players
  ludens players --json";

const MATCH_HELP: &str = "\
An illegal move, a move that is late, or a player that cannot be reached is replaced by a random legal move and recorded as \
IL, TO or CE. The role `random` is played by the manager. `ludens replay FILE` plays a record again. \
Ctrl-C gives the match up: the players are told, and the record says so. Exit status 1 if the match was given up, 130 after Ctrl-C.

Examples:
  ludens match tic-tac-toe --player random --player legal --start 1 --play 1
  ludens match connect-four --player http://localhost:9147 --player random --record match.json
  ludens match nim --player human --scramble
  ludens match chess --start 10 --play 1 --stream";

const TOURNAMENT_HELP: &str = "\
Points: a win is 1, a draw 0.5, by the mean goal of the roles that each player had. The interval is Wilson's; Elo is 0 on \
average, with half a 95% interval. In games for one, everybody plays alone, and reaching 100 is a win. \
DIR gets games.jsonl (a line for each game, as it ends), standings.json, standings.csv (who against whom) and \
standings-roles.csv (who in which role). They belong to one set of games, players and settings; -n may grow. Others in the \
same folder get standings-ID.json and so on, and --fresh forgets only what was played with the same settings. One tournament \
at a time works in a folder. A player with a seed gets another seed made from it for each game; games that are the same move by \
move all the same are counted and told. A player elsewhere has one match at a time. Ctrl-C gives up the matches at \
hand and shows the standings so far; the same command goes on. With --fleet the games are put into a durable queue: a game lost with its worker is played again, and none is counted twice; players that only think can play there, and counted budgets (playouts, nodes) give the results of one machine. Games whose rules have changed are played again. Exit status 1 if not all games could be played.

Examples:
  ludens tournament tic-tac-toe --player random --player legal -n 10
  ludens tournament connect-four nim --player legal --player random --out results --parallel 2
  ludens tournament breakthrough --gauntlet --player http://localhost:9147 --player random --play 2
  ludens tournament hex --player uct:playouts=1000 --player alpha-beta:nodes=1000 -n 100 --fleet nats://localhost:4222 --out results";

const COMPILE_HELP: &str = "\
Writes a header, the library in C without dependencies, examples in C and Python, a Makefile and a README. \
The interface is the same for every game: init, legal, next, terminal, goal, random playouts, the facts of a state.

Examples:
  ludens compile connect-four -o build/connect-four
  ludens compile my-game.kif -o build --name mygame";

const COMPLETIONS_HELP: &str = "\
Examples:
  ludens completions bash > ~/.local/share/bash-completion/completions/ludens
  ludens completions zsh > ~/.zfunc/_ludens        (with `fpath+=~/.zfunc` in ~/.zshrc)
  ludens completions fish > ~/.config/fish/completions/ludens.fish";

const MAN_HELP: &str = "\
Examples:
  ludens man | man -l -
  ludens man ~/.local/share/man/man1";

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
