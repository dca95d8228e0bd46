//! The command line of `ludens table`, and what stands below the options in its help.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// What to do with tables.
#[derive(Subcommand)]
pub enum TableCommand {
    /// Build a table, and the smaller ones that it needs
    #[command(subcommand, arg_required_else_help = true, after_help = BUILD_HELP)]
    Build(BuildCommand),
    /// Build all tables of a kind
    #[command(after_help = ALL_HELP)]
    All(AllArgs),
    /// Ask what a table knows of a position, and of the moves from there
    #[command(after_help = PROBE_HELP)]
    Probe(ProbeArgs),
    /// Show the whole line of best play from a position
    #[command(after_help = LINE_HELP)]
    Line(ProbeArgs),
    /// Describe a table: positions by result, distances, the longest win
    #[command(after_help = INFO_HELP)]
    Info(InfoArgs),
    /// Check a table: every checksum, and every entry against its successors
    #[command(after_help = VERIFY_HELP)]
    Verify(VerifyArgs),
    /// List the tables of the folder
    #[command(after_help = LIST_HELP)]
    List(ListArgs),
}

/// What to build.
#[derive(Subcommand)]
pub enum BuildCommand {
    /// Endings of chess, named by their men: KQKR is king and queen against king and rook
    #[command(after_help = BUILD_CHESS_HELP)]
    Chess(BuildChessArgs),
    /// The fewest moves of one side's pieces to the far corner, without an opponent or against so many pieces
    #[command(after_help = BUILD_CHINESE_HELP)]
    ChineseCheckers(BuildChineseArgs),
}

/// What a distance in a chess table counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum MetricArg {
    /// Plies to mate
    #[default]
    Dtm,
    /// Plies to mate, capture or promotion
    Dtc,
}

impl MetricArg {
    /// As it is written in the names of files.
    pub fn name(self) -> &'static str {
        match self {
            MetricArg::Dtm => "dtm",
            MetricArg::Dtc => "dtc",
        }
    }
}

/// What all builds have in common.
#[derive(Args)]
pub struct MakeArgs {
    /// The folder of tables [default: LUDENS_TABLES, or ludens/tables where this system keeps data]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Store compressed: smaller, and a little slower to ask
    #[arg(long)]
    pub compress: bool,
    /// The most memory to use [default: three quarters of what is free]
    #[arg(long, value_name = "MiB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: Option<u64>,
    /// Build anew what is there already
    #[arg(long)]
    pub force: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `table build chess`.
#[derive(Args)]
pub struct BuildChessArgs {
    /// The men of both sides, each with its king first
    #[arg(required = true, value_name = "MEN")]
    pub tables: Vec<String>,
    /// What distances count
    #[arg(long, value_enum, default_value_t)]
    pub metric: MetricArg,
    #[command(flatten)]
    pub make: MakeArgs,
}

/// Arguments of `table build chinese-checkers`.
#[derive(Args)]
pub struct BuildChineseArgs {
    /// How many pieces
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=10))]
    pub pieces: u8,
    /// Against so many pieces: who wins, and in how many plies
    #[arg(long, value_name = "L", conflicts_with_all = ["start", "save_every"], value_parser = clap::value_parser!(u8).range(1..=10))]
    pub against: Option<u8>,
    /// Cells along a side of the diamond
    #[arg(long, visible_alias = "side", default_value_t = 9, value_parser = clap::value_parser!(u8).range(2..=11))]
    pub size: u8,
    /// Only placements whose rearmost piece is at this cell, counted from the far corner, or nearer to home; values are
    /// then upper bounds
    #[arg(long, visible_alias = "section", value_name = "N")]
    pub start: Option<u8>,
    /// How often to save what is done [default: 60, or less often where saving takes long]
    #[arg(long, value_name = "SECONDS", value_parser = lab::args::seconds)]
    pub save_every: Option<f64>,
    #[command(flatten)]
    pub make: MakeArgs,
}

/// Arguments of `table all`.
#[derive(Args)]
pub struct AllArgs {
    /// The game
    #[arg(value_parser = ["chess"])]
    pub game: String,
    /// The most men on the board, kings included
    #[arg(long, value_parser = clap::value_parser!(u8).range(3..=5))]
    pub pieces: u8,
    /// What distances count
    #[arg(long, value_enum, default_value_t)]
    pub metric: MetricArg,
    #[command(flatten)]
    pub make: MakeArgs,
}

/// Arguments of `table probe` and `table line`.
#[derive(Args)]
pub struct ProbeArgs {
    /// A chess position as FEN, or its table and the FEN; or chinese-checkers and its cells, of one side or of both; or a solved game and moves; or the
    /// file of a table and what it wants
    #[arg(required = true, value_name = "POSITION")]
    pub position: Vec<String>,
    /// The rules of a solved game whose table is given as a file [default: the game of the library that it is named after]
    #[arg(long)]
    pub game: Option<String>,
    /// Chess: what distances count
    #[arg(long, value_enum, default_value_t)]
    pub metric: MetricArg,
    /// Chinese checkers: cells along a side of the diamond
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u8).range(2..=11))]
    pub size: u8,
    /// The folder of tables [default: LUDENS_TABLES, or ludens/tables where this system keeps data]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `table info`.
#[derive(Args)]
pub struct InfoArgs {
    /// A table file, or the name of a table in the folder
    pub file: String,
    /// The folder of tables [default: LUDENS_TABLES, or ludens/tables where this system keeps data]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `table verify`.
#[derive(Args)]
pub struct VerifyArgs {
    /// Table files, or the names of tables in the folder
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// The rules of a solved game [default: the game of the library that the table is named after]
    #[arg(long)]
    pub game: Option<String>,
    /// The folder of tables [default: LUDENS_TABLES, or ludens/tables where this system keeps data]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `table list`.
#[derive(Args)]
pub struct ListArgs {
    /// The folder of tables [default: LUDENS_TABLES, or ludens/tables where this system keeps data]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Below the help of `ludens table`.
pub const TABLE_HELP: &str = "\
Tables are kept in a folder: --folder DIR, else the environment variable LUDENS_TABLES, else ludens/tables where this system \
keeps a program's data ($XDG_DATA_HOME or ~/.local/share; Library/Application Support; %LOCALAPPDATA%).

Examples:
  ludens table build chess KQKR
  ludens table probe \"8/8/8/3k4/8/8/1R6/K7 w - -\"
  ludens table info KQKR";

const BUILD_HELP: &str = "\
A table that is there already is not built again (--force does); with --compress it is stored again if it is raw. That the \
folder can be written and has room is checked before the work. What is not whole is never there: a build that is \
interrupted leaves nothing behind that looks like a table. One of Chinese checkers goes on later from what it saved.

Examples:
  ludens table build chess KQKR
  ludens table build chinese-checkers --pieces 6";

const BUILD_CHESS_HELP: &str = "\
Captures and promotions lead into smaller tables; they are built first, or used if they are there.

Examples:
  ludens table build chess KQKR
  ludens table build chess KRPK KBNK --compress
  ludens table build chess KQKR --metric dtc --folder tables";

const BUILD_CHINESE_HELP: &str = "\
The goal is the corner of row + column small: for 6 pieces row + column <= 2, for 3 pieces <= 1.

With --against L there are two sides: red has the greater number of pieces and goes to the far corner, blue goes to 0,0. Each wants to fill \
as many cells as it has pieces; a goal counts when all its cells are filled, by whomever, one of them by its owner. 3 against 2 on 9 by 9 \
takes 1 GiB of memory while it is built. A build that is stopped begins anew.

A long build saves what is done beside the table, as NAME.part, now and then and at Ctrl-C. The next build of the same table goes on \
from there, and removes it at the end; --force begins anew.

Examples:
  ludens table build chinese-checkers --pieces 3
  ludens table build chinese-checkers --pieces 6 --compress
  ludens table build chinese-checkers --pieces 10 --start 45
  ludens table build chinese-checkers --pieces 3 --against 2";

const ALL_HELP: &str = "\
Example:
  ludens table all chess --pieces 4";

const PROBE_HELP: &str = "\
The men of a FEN decide which table is asked. Cells of Chinese checkers are row,column, both from 0; with two \
sides red's come first, then the word against, then blue's, and then red or blue for who is to move. Everything that is read of \
a table is compared with its checksum first.

With - in place of the FEN, positions are read from standard input, one FEN a line, and answered one a line, in order; with \
--json each line is an object. What cannot be answered is told with the number of its line and does not stop the rest; the exit \
status is then 2. `chess -` takes positions of any men, `KQKR -` those of one table.

Examples:
  ludens table probe \"8/8/8/3k4/8/8/1R6/K7 w - -\"
  ludens table probe KQKR \"Q7/8/8/8/8/1k1r4/8/K7 w - - 0 1\" --json
  ludens table probe chinese-checkers 8,8 8,7 7,8
  ludens table probe chinese-checkers 0,0 0,1 1,0 against 8,8 8,7 blue
  ludens table probe nim.table \"(take a 1)\" --game nim
  ludens table probe chess - --json < positions.txt";

const LINE_HELP: &str = "\
Examples:
  ludens table line \"8/8/8/3k4/8/8/1R6/K7 w - -\"
  ludens table line chinese-checkers 8,8 8,7 7,8";

const INFO_HELP: &str = "\
Examples:
  ludens table info KQKR
  ludens table info tables/chess/KQKR.dtm.table --json";

const VERIFY_HELP: &str = "\
The statistics in the file are counted again too. Exit status 1 if an entry does not follow from its successors or a count is \
another, 2 if a file is damaged, missing or called after another table; the others are verified all the same.

Examples:
  ludens table verify KQKR
  ludens table verify nim.table --game nim";

const LIST_HELP: &str = "\
Example:
  ludens table list";
