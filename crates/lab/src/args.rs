//! The arguments of `replay`, `bench` and `lab` as they are written on the command line.

use crate::experiments::choice::{CHOICE_HELP, ChoiceArgs};
use crate::experiments::exam::{EXAM_HELP, ExamArgs};
use crate::experiments::fleet::{FLEET_HELP, FleetArgs};
use crate::experiments::gauntlet::{GAUNTLET_HELP, GauntletArgs};
use crate::experiments::late::{LATE_HELP, LateArgs};
use crate::experiments::puzzles::{PUZZLES_HELP, PuzzlesArgs};
use crate::experiments::sadikov::{SADIKOV_HELP, SadikovArgs};
use crate::experiments::tuners::{TUNERS_HELP, TunersArgs};
use crate::experiments::waugh::Base;
use agent::EngineChoice;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use host::journal::Keep;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Reads the name of an engine.
pub fn engine() -> impl TypedValueParser<Value = EngineChoice> {
    let values = EngineChoice::NAMES.map(|(name, what)| PossibleValue::new(name).help(what));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<EngineChoice>())
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
    #[arg(long, value_parser = engine(), default_value = "auto")]
    pub engine: EngineChoice,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
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
    #[arg(long, value_parser = engine(), default_value = "auto")]
    pub engine: EngineChoice,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `replay`.
#[derive(Args)]
pub struct ReplayArgs {
    /// A folder with games/ and traces/ or with match records, a playthrough file, or a match record
    #[arg(required_unless_present = "library", conflicts_with = "library")]
    pub path: Option<PathBuf>,
    /// The game of a playthrough or a match [default: what a match says, the rules.kif beside a playthrough]
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
    #[arg(long, value_parser = engine(), default_value = "prover")]
    pub engine: EngineChoice,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `bench`.
#[derive(Args)]
pub struct BenchArgs {
    /// Something else than engines
    #[command(subcommand)]
    pub what: Option<BenchCommand>,
    /// The games [default: a dozen of the library]
    pub games: Vec<String>,
    /// An engine; may be given several times [default: each of them]
    #[arg(long = "engine", value_parser = engine(), value_name = "ENGINE")]
    pub engines: Vec<EngineChoice>,
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

/// What else can be measured.
#[derive(Subcommand)]
pub enum BenchCommand {
    /// Measure how much of what the lanes can play arrives in the tree of UCT
    #[command(after_help = crate::bench::search::HELP)]
    Search(crate::bench::search::BenchSearchArgs),
    /// Measure nets on one state at a time, over the whole library, and beside another build of this program
    #[command(after_help = crate::bench::single::HELP)]
    Single(crate::bench::single::BenchSingleArgs),
    /// Measure building and asking tables
    #[command(after_help = crate::bench::tables::HELP)]
    Tables(crate::bench::tables::BenchTablesArgs),
    /// Measure the engine for chess, with and without lookups
    #[command(after_help = crate::bench::chess_engine::HELP)]
    ChessEngine(crate::bench::chess_engine::BenchChessArgs),
    /// Measure evaluations of Chinese checkers that look tables up
    #[command(after_help = crate::bench::lookups::HELP)]
    Lookups(crate::bench::lookups::BenchLookupsArgs),
    /// Measure a fleet: a message there and back, what it costs beside threads, many workers at once
    #[command(after_help = crate::bench::fleet::HELP)]
    Fleet(crate::bench::fleet::BenchFleetArgs),
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
    /// Patterns of a few pieces over many games: what they cost, foretell and win
    #[command(after_help = PATTERNS_HELP)]
    Abstraction(AbstractionArgs),
    /// A heuristic found in the rules against search without one, beside the paper on the complete general player
    #[command(after_help = KUHLMANN_HELP)]
    Kuhlmann(KuhlmannArgs),
    /// UCT with the distance table of Chinese checkers, beside the paper's tables
    #[command(after_help = ROSCHKE_HELP)]
    Roschke(RoschkeArgs),
    /// Stages, trees and regressions learned from tables of chess endings, and play by them, beside the paper's figures
    #[command(after_help = SADIKOV_HELP)]
    Sadikov(SadikovArgs),
    /// Evaluations made of lookups in small tables, beside the paper on abstraction
    #[command(after_help = SAMADI_HELP)]
    Samadi(SamadiArgs),
    /// Positions whose values are known, and how many of them a player keeps
    #[command(after_help = EXAM_HELP)]
    Exam(ExamArgs),
    /// The default player against plain UCT, UCT on the lanes, random play or another build, on twenty games
    #[command(after_help = GAUNTLET_HELP)]
    Gauntlet(GauntletArgs),
    /// What the default player chooses in many start clocks, and whether that is ever worse than UCT
    #[command(after_help = CHOICE_HELP)]
    Choice(ChoiceArgs),
    /// Thousands of moves with short clocks, and how many came too late
    #[command(after_help = LATE_HELP)]
    Late(LateArgs),
    /// Which games for one player are solved, how soon, and which are not
    #[command(after_help = PUZZLES_HELP)]
    Puzzles(PuzzlesArgs),
    /// What a fleet of workers survives, and what it is worth
    #[command(after_help = FLEET_HELP)]
    Fleet(FleetArgs),
    /// Ways to tune against each other at equal games, where the best settings are known and in a real game
    #[command(after_help = TUNERS_HELP)]
    Tuners(TunersArgs),
}

/// Arguments of `lab roschke`.
#[derive(Args, Default)]
pub struct RoschkeArgs {
    /// Only these of the tables and additions
    #[arg(value_parser = crate::experiments::roschke::PARTS)]
    pub only: Vec<String>,
    /// Games of each number [default: 100 or 200, as the paper has it]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub games: Option<u64>,
    /// A tenth of the games and of the budgets: minutes
    #[arg(long)]
    pub quick: bool,
    /// Only numbers of this player, named as in the report; may be repeated
    #[arg(long, value_name = "NAME")]
    pub with: Vec<String>,
    /// Of tables 4 and 5 only so many columns, those with the least to spend
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub columns: Option<u8>,
    /// Count the games of this earlier results.json as well, and play only those that follow them
    #[arg(long, value_name = "FILE")]
    pub onto: Option<PathBuf>,
    /// In table 5, seconds of processor time for one second of the paper; this program expands some 20 times as many nodes in a second
    #[arg(long, value_name = "SECONDS", default_value_t = 0.05, value_parser = seconds)]
    pub time_scale: f64,
    /// Games at the same time [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub parallel: Option<u16>,
    /// Let the workers of a fleet play (`ludens worker`): nats://HOST:4222 or tls://HOST:4222; each needs the table
    #[arg(long, value_name = "URL")]
    pub fleet: Option<String>,
    /// The folder of tables
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// What all experiments have in common
    #[command(flatten)]
    pub lab: LabArgs,
}

/// What all experiments have in common.
#[derive(Args, Default)]
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

/// Arguments of experiments that are tournaments.
#[derive(Args)]
pub struct MatchesArgs {
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Where to write [default: lab/NAME below the current folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Begin the matches anew, and forget what an earlier run has found
    #[arg(long)]
    pub fresh: bool,
}

impl MatchesArgs {
    /// The folder of the experiment of this name.
    pub fn out(&self, name: &str) -> PathBuf {
        self.out.clone().unwrap_or_else(|| PathBuf::from("lab").join(name))
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
    /// What all experiments have in common
    #[command(flatten)]
    pub lab: LabArgs,
}

/// Arguments of `lab waugh`.
#[derive(Args)]
pub struct WaughArgs {
    /// Only these of the four games
    #[arg(value_parser = crate::experiments::waugh::GAMES)]
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
    /// What all experiments have in common
    #[command(flatten)]
    pub lab: LabArgs,
}

/// Arguments of `lab kuhlmann`.
#[derive(Args)]
pub struct KuhlmannArgs {
    /// Only these of the three games
    #[arg(value_parser = crate::experiments::kuhlmann::GAMES)]
    pub only: Vec<String>,
    /// How many games of each [default: 100 of nothello and hallway, 200 of farmers]
    #[arg(long)]
    pub games: Option<u64>,
    /// States to look at for a move
    #[arg(long, default_value_t = 20_000)]
    pub nodes: u64,
    /// How many random matches show what happens by chance
    #[arg(long, default_value_t = 500)]
    pub priors: u64,
    /// Matches at the same time
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub parallel: u16,
    /// The distributed player instead: all heuristics on many workers against the single best one; without a URL on threads of this program
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    pub fleet: Option<String>,
    /// With --fleet: how many workers
    #[arg(long, value_name = "N", default_value_t = 24, requires = "fleet", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub workers: u16,
    /// With --fleet: the deepest search decides, as in the paper
    #[arg(long, requires = "fleet")]
    pub deepest: bool,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// What all experiments have in common
    #[command(flatten)]
    pub lab: LabArgs,
}

/// When a game of Chinese checkers is won.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The corner is filled, by whomever, and one of the pieces there is one's own
    Filled,
    /// All of one's own pieces are in the corner
    Home,
}

/// Arguments of `lab samadi`.
#[derive(Args)]
pub struct SamadiArgs {
    /// The game
    #[arg(value_parser = ["chinese-checkers", "chess"])]
    pub game: String,
    /// An evaluation that plays, by its name or (not in chess) from a file FILE.json; may be given several times [default: those of the
    /// paper, and the learned one; in chess four, five, learned and ceiling]
    #[arg(long = "player", value_name = "NAME")]
    pub players: Vec<String>,
    /// The evaluation that they play against
    #[arg(long, value_name = "NAME", default_value = "baseline")]
    pub against: String,
    /// How many openings or positions, each played from both sides [default: 25]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    openings: Option<u64>,
    /// The depths of search [default: 3,4,5; in chess 7,9]
    #[arg(long, value_name = "N,N…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=20))]
    depths: Vec<u32>,
    /// When a game is won
    #[arg(long, value_enum, default_value_t = Rule::Filled)]
    pub rule: Rule,
    /// A look at it in minutes: 10 openings at depths 2 and 3; in chess 3 positions at depths 5 and 7
    #[arg(long)]
    pub quick: bool,
    /// In chess: the program that they play against, at the same depth unless it has one of its own [default: GNU Chess, or Toga]
    #[arg(long, value_name = "PLAYER")]
    pub opponent: Option<String>,
    /// In chess: the program that shows what can be reached in our chair [default: uci:command=stockfish,depth=16]
    #[arg(long, value_name = "PLAYER")]
    pub ceiling: Option<String>,
    /// In chess: weights for `learned` beside those built in, as `ludens table weigh` writes them; may be given several times
    #[arg(long, value_name = "FILE")]
    pub weights: Vec<PathBuf>,
    /// In chess: only this ending, such as KRPP-KBN; may be given several times
    #[arg(long = "ending", value_name = "MEN", value_parser = crate::experiments::samadi::endings())]
    pub endings: Vec<String>,
    /// In chess: make the positions of the seed with the strong program, write them to this file, and play nothing
    #[arg(long, value_name = "FILE")]
    pub positions: Option<PathBuf>,
    /// Also five pieces alone against three pieces against two: takes 1 GiB of memory, and a table of 490 MiB
    #[arg(long)]
    pub facing: bool,
    /// Learn these weights by self-play instead of playing matches
    #[arg(long, value_name = "NAME", value_parser = crate::experiments::samadi::LEARNABLE)]
    pub learn: Option<String>,
    /// The terms to learn weights of, and the weights of the first games [default: our own choice]
    #[arg(long, value_name = "FILE", requires = "learn")]
    pub from: Option<PathBuf>,
    /// How many games of each round to learn from
    #[arg(long, default_value_t = 3000, requires = "learn", value_parser = clap::value_parser!(u64).range(10..=10_000_000))]
    pub games: u64,
    /// How many variants `--learn self-play` tries in matches against the best so far
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub tries: u64,
    /// Games at the same time [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    parallel: Option<u16>,
    /// Let the workers of a fleet play (`ludens worker`): nats://HOST:4222 or tls://HOST:4222; not in chess
    #[arg(long, value_name = "URL")]
    pub fleet: Option<String>,
    /// Where tables are, and are built if they are missing [default: as for `ludens table`]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// The seed of the openings
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// What all experiments have in common
    #[command(flatten)]
    pub lab: LabArgs,
}

impl SamadiArgs {
    /// How many openings.
    pub fn openings(&self) -> u64 {
        self.openings.unwrap_or(if self.quick { 10 } else { 25 })
    }

    /// The depths, from the least.
    pub fn depths(&self) -> Vec<u32> {
        self.depths_or(if self.quick { &[2, 3] } else { &[3, 4, 5] })
    }

    /// The same in chess.
    pub fn chess_depths(&self) -> Vec<u32> {
        self.depths_or(if self.quick { &[5, 7] } else { &[7, 9] })
    }

    /// How many positions of each ending in chess.
    pub fn chess_positions(&self) -> u64 {
        self.openings.unwrap_or(if self.quick { 3 } else { 25 })
    }

    fn depths_or(&self, usual: &[u32]) -> Vec<u32> {
        let mut depths = if self.depths.is_empty() { usual.to_vec() } else { self.depths.clone() };
        depths.sort_unstable();
        depths.dedup();
        depths
    }

    /// How many games at the same time.
    pub fn parallel(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        self.parallel.map_or_else(processors, usize::from)
    }
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
    #[arg(long = "engine", value_parser = engine(), value_name = "ENGINE")]
    pub engines: Vec<EngineChoice>,
    /// The longest time for one game before the next has its turn
    #[arg(long, default_value_t = 60.0, value_parser = seconds)]
    pub seconds: f64,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// What all experiments have in common
    #[command(flatten)]
    pub lab: LabArgs,
}

const PATTERNS_HELP: &str = "\
One line a game: what is used or why nothing is, bytes, seconds (of loading, of the study, of looking for patterns), and on games held out the loss and the correlation with \
how they ended, of counting pieces alone and with the patterns. With --pairs the player with patterns looks at N states for a move, and the others may spend \
as many states or random games as take the same processor time, measured in each game; so results hardly depend on other work on the machine.

Examples:
  ludens lab abstraction
  ludens lab abstraction --corpus DIR --seconds 2 --json
  ludens lab abstraction breakthrough-small sheep-and-wolf --seconds 10 --pairs 20 --against uct";

/// Arguments of `lab abstraction`.
#[derive(Args)]
pub struct AbstractionArgs {
    /// Only these games, or rulesheets [default: the whole library]
    pub games: Vec<String>,
    /// The rulesheets of this folder (NAME.kif) instead of the library
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// How long to study a game and to look for patterns
    #[arg(long, default_value_t = 5.0, value_parser = seconds)]
    pub seconds: f64,
    /// How many pairs of matches to play with them against each other player
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub pairs: u32,
    /// Who plays with them
    #[arg(long, value_name = "PLAYER", default_value = "alpha-beta:heuristic=patterns")]
    pub player: String,
    /// Against whom
    #[arg(long, value_name = "PLAYER", default_values_t = ["alpha-beta".to_string(), "uct".to_string()])]
    pub against: Vec<String>,
    /// States that the player looks at for a move
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub nodes: u64,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print JSON, a line a game
    #[arg(long)]
    pub json: bool,
}

/// Reads a number of seconds.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= 1e6 => Ok(value),
        _ => Err("a number of seconds above 0, at most 1000000".to_string()),
    }
}

// What stands below the options in the help of each command.

/// Below the help of `perft`.
pub const PERFT_HELP: &str = "\
With --turns the count is in turns: a run of moves during which the facts of that name stay the same \
counts once, as published numbers for draughts do.

Examples:
  ludens perft chess 3
  ludens perft tic-tac-toe 4 --divide
  ludens perft checkers 4 --turns control";

/// Below the help of `simulate`.
pub const SIMULATE_HELP: &str = "\
The same seed gives the same numbers, the times apart. Exit status 1 if the games show that the rules are faulty: a role has no \
legal move, or an end gives a player no goal.

Examples:
  ludens simulate breakthrough -n 1000 --seed 1
  ludens simulate my-game.kif -n 100 --json";

/// Below the help of `replay`.
pub const REPLAY_HELP: &str = "\
PATH is a folder that holds games/NAME.kif and traces/NAME.json, a folder of match records, a playthrough file, or the record \
of a match. \
Exit status 1 if anything differs or does not load.

Examples:
  ludens replay corpus --seconds 5
  ludens replay playthrough.txt --game nim
  ludens replay match.json
  ludens replay --library";

/// Below the help of `bench`.
pub const BENCH_HELP: &str = "\
Every measurement is made on one core, in a process of its own. Ready: from the text to the first legal moves. \
Exit status 1 if something could not be measured.

Examples:
  ludens bench
  ludens bench connect-four my-game.kif --engine net --engine prover --seconds 5
  ludens bench --yardstick
  ludens bench tables
  ludens bench lookups
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
Compared are the legal moves, whether the game is over, the goals, and the facts of the next state. \
Writes results.json and report.md. An interrupted run goes on where it ended. Exit status 1 on any difference.

Examples:
  ludens lab agree --states 20000
  ludens lab agree nim chess --engine net
  ludens lab agree --corpus corpus";

const KUHLMANN_HELP: &str = "\
The heuristic player has one role, the roles in turn; all others search to the end as far as they come. \
Writes results.json and report.md. An interrupted run goes on where it ended. With --fleet: all heuristics that are found, shared out \
among many workers of which every eighth searches to the end, against the single best heuristic; each looks at as many states.

Examples:
  ludens lab kuhlmann
  ludens lab kuhlmann hallway --games 10 --nodes 2000
  ludens lab kuhlmann nothello --games 10 --nodes 2000 --fleet
  ludens lab kuhlmann --fleet nats://127.0.0.1:4222 --workers 200";

const ROSCHKE_HELP: &str = "\
Needs the table of six pieces (`ludens table build chinese-checkers --pieces 6`). Says beforehand how long it will take. Writes \
results.json, report.md and figure.svg. An interrupted run goes on where it ended.

Examples:
  ludens lab roschke table3
  ludens lab roschke table4 --games 40 --columns 3
  ludens lab roschke table3 --fleet nats://127.0.0.1:4222
  ludens lab roschke readings --with 'end0 halved' --games 50
  ludens lab roschke table3 --games 200 --onto lab/roschke/results/results.json --out target/roschke
  ludens lab roschke --quick";

const SAMADI_HELP: &str = "\
Every opening (after five random moves) is played from both sides; a win is 2 points, a tie 1. A tie is a position that is there for the \
third time, or a game of 200 plies. Writes results.json, report.md and figure.svg. An interrupted run goes on where it ended.

In chess, positions of eight endings are played at a fixed depth against another program, with `four`, `five`, `learned`, `hand` or a strong program \
(`ceiling`) in our chair; with five men or fewer the tables say how a game ends. `--seed 1` has positions; `--positions FILE --seed N` makes others.

Examples:
  ludens lab samadi chinese-checkers --quick
  ludens lab samadi chess --quick
  ludens lab samadi chess --ending KRPP-KBN --opponent xboard:command=crafty
  ludens lab samadi chinese-checkers --player pdb4 --depths 3 --openings 200
  ludens lab samadi chinese-checkers --fleet nats://127.0.0.1:4222
  ludens lab samadi chinese-checkers --learn baseline --games 1000 --out target/samadi";
