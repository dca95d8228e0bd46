//! The command line of `ludens table`, and what stands below the options in its help.

use ::table::file::Form;
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
    Line(LineArgs),
    /// Find positions of a chess table: the longest wins, a distance, mutual zugzwangs, only moves
    #[command(after_help = FIND_HELP)]
    Find(FindArgs),
    /// Annotate games (PGN) or positions (EPD) of chess from the tables
    #[command(after_help = ANNOTATE_HELP)]
    Annotate(AnnotateArgs),
    /// Describe a table: positions by result, distances, the longest win
    #[command(after_help = INFO_HELP)]
    Info(InfoArgs),
    /// Check a table: every checksum, and every entry against its successors
    #[command(after_help = VERIFY_HELP)]
    Verify(VerifyArgs),
    /// Learn what the parts of an ending weigh that has no table, from games against itself
    #[command(after_help = WEIGH_HELP)]
    Weigh(WeighArgs),
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
    #[value(alias = "mate")]
    Dtm,
    /// Plies to mate, capture or promotion
    #[value(alias = "conversion")]
    Dtc,
    /// Plies to mate, capture or pawn move: what the fifty-move rule counts
    #[value(alias = "zeroing")]
    Dtz,
}

impl MetricArg {
    /// As it is written in the names of files.
    pub fn name(self) -> &'static str {
        match self {
            MetricArg::Dtm => "dtm",
            MetricArg::Dtc => "dtc",
            MetricArg::Dtz => "dtz",
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
    /// Store as small as can be: a third to a half of --compress, but slow to store, and slow where it is asked for the first time
    #[arg(long, conflicts_with = "compress")]
    pub small: bool,
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

impl MakeArgs {
    /// How tables are to be stored.
    pub fn form(&self) -> Form {
        match (self.small, self.compress) {
            (true, _) => Form::Small,
            (false, true) => Form::Compressed,
            (false, false) => Form::Raw,
        }
    }
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
    pub cost: CostArgs,
    #[command(flatten)]
    pub make: MakeArgs,
}

/// What is done about the cost of a build.
#[derive(Args)]
pub struct CostArgs {
    /// Only tell what it would cost: tables, time, memory and disk
    #[arg(long)]
    pub estimate: bool,
    /// Begin without asking, however long it takes
    #[arg(long, short)]
    pub yes: bool,
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

/// Arguments of `table weigh`.
#[derive(Args)]
pub struct WeighArgs {
    /// The men of both sides, six to ten with the kings, each side with its king first
    #[arg(value_name = "MEN")]
    pub men: String,
    /// Games a round
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u32).range(10..=1_000_000))]
    pub games: u32,
    /// Rounds; each plays with the weights of the one before
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub rounds: u32,
    /// Positions looked at for a move
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// The same seed learns the same weights
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The parts to look up, such as KRPKN,KPPKN,KPKNN [default: all of the largest that have a table]
    #[arg(long, value_name = "MEN", value_delimiter = ',')]
    pub parts: Vec<String>,
    /// Let the evaluation by hand count too
    #[arg(long)]
    pub hand: bool,
    /// The folder of tables [default: LUDENS_TABLES, or ludens/tables where this system keeps data]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// The file to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
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
    pub cost: CostArgs,
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

/// Arguments of `table line`.
#[derive(Args)]
pub struct LineArgs {
    #[command(flatten)]
    pub probe: ProbeArgs,
    /// Chess: print the line as a game in PGN, with the distance after each move
    #[arg(long, conflicts_with = "json")]
    pub pgn: bool,
}

/// A side of chess.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SideArg {
    /// White, in a table the stronger side
    White,
    /// Black
    Black,
}

/// What a position is worth to the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ResultArg {
    /// Won
    Win,
    /// Won but for the fifty-move rule (--metric zeroing)
    CursedWin,
    /// Drawn
    Draw,
    /// Lost but for the fifty-move rule (--metric zeroing)
    BlessedLoss,
    /// Lost
    Loss,
}

/// Arguments of `table find`.
#[derive(Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(false).args(["longest", "distance", "zugzwang", "only_move", "all"]))]
pub struct FindArgs {
    /// The men of both sides, each with its king first, or the file of a table
    #[arg(value_name = "MEN")]
    pub table: String,
    /// The longest wins
    #[arg(long)]
    pub longest: bool,
    /// Won or lost in so many plies
    #[arg(long, value_name = "PLIES")]
    pub distance: Option<u8>,
    /// Mutual zugzwangs: either side gets less if it is to move than if the other is; shown with white to move
    #[arg(long, conflicts_with_all = ["turn", "winner", "result"])]
    pub zugzwang: bool,
    /// Of several moves only one keeps the win or the draw
    #[arg(long)]
    pub only_move: bool,
    /// Everything that --turn, --winner and --result leave
    #[arg(long)]
    pub all: bool,
    /// Only with this side to move
    #[arg(long, value_enum)]
    pub turn: Option<SideArg>,
    /// Only where this side wins
    #[arg(long, value_enum)]
    pub winner: Option<SideArg>,
    /// Only where the position is this to the side to move
    #[arg(long, value_enum)]
    pub result: Option<ResultArg>,
    /// Show at most so many; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// Print how many there are, and nothing else
    #[arg(long, conflicts_with = "limit")]
    pub count: bool,
    /// What distances count
    #[arg(long, value_enum, default_value_t)]
    pub metric: MetricArg,
    /// The folder of tables [default: LUDENS_TABLES, or ludens/tables where this system keeps data]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `table annotate`.
#[derive(Args)]
pub struct AnnotateArgs {
    /// A file of games or positions, or - for standard input
    pub file: PathBuf,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What distances count
    #[arg(long, value_enum, default_value_t)]
    pub metric: MetricArg,
    /// The folder of tables [default: LUDENS_TABLES, or ludens/tables where this system keeps data]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Print JSON: how many positions were known, and how many moves were mistakes (needs -o)
    #[arg(long, requires = "output")]
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
A table that is there already is not built again (--force does); with --compress or --small it is stored again if that is smaller. That the \
folder can be written and has room is checked before the work. What is not whole is never there: a build that is \
interrupted leaves nothing behind that looks like a table. One of Chinese checkers goes on later from what it saved.

Examples:
  ludens table build chess KQKR
  ludens table build chinese-checkers --pieces 6";

const BUILD_CHESS_HELP: &str = "\
Captures and promotions lead into smaller tables; they are built first, or used if they are there.

With --metric zeroing, distances are plies to mate, to a capture or to a pawn move, whoever makes it, with the result kept. What takes more than \
100 of them is a win that the fifty-move rule makes a draw: a cursed win, and for the other side a blessed loss. They count on from 100.

Examples:
  ludens table build chess KQKR
  ludens table build chess KRPK KBNK --small
  ludens table build chess KQKR --metric dtc --folder tables
  ludens table build chess KBBKN --metric zeroing --compress";

const BUILD_CHINESE_HELP: &str = "\
The goal is the corner of row + column small: for 6 pieces row + column <= 2, for 3 pieces <= 1.

With --against L there are two sides: red has the greater number of pieces and goes to the far corner, blue goes to 0,0. Each wants to fill \
as many cells as it has pieces; a goal counts when all its cells are filled, by whomever, one of them by its owner. 3 against 2 on 9 by 9 \
takes 1 GiB of memory and about three minutes of processor time while it is built. Nothing of such a build is saved on the way: one that is \
stopped begins anew.

A long build of one side's pieces saves what is done beside the table, as NAME.part, now and then and at Ctrl-C. The next build of the same table goes on \
from there, and removes it at the end; --force begins anew.

Examples:
  ludens table build chinese-checkers --pieces 3
  ludens table build chinese-checkers --pieces 6 --compress
  ludens table build chinese-checkers --pieces 10 --start 45
  ludens table build chinese-checkers --pieces 3 --against 2";

const ALL_HELP: &str = "\
What takes more than ten minutes is told before it begins, and at a terminal asked for: tables, time, memory and disk. The speed is that of \
this machine at this moment, measured by building a small table. Tables that are there are not built again, so what was interrupted goes on.

Examples:
  ludens table all chess --pieces 4
  ludens table all chess --pieces 5 --small --estimate";

const PROBE_HELP: &str = "\
The men of a FEN decide which table is asked. Cells of Chinese checkers are row,column, both from 0; with two \
sides red's come first, then the word against, then blue's, and then red or blue for who is to move. Everything that is read of \
a table is compared with its checksum first.

With --metric zeroing the clock of the FEN, its fifth field, counts too: what cannot be done in what is left of 100 plies is a draw.

With - in place of the FEN, positions are read from standard input, one FEN a line, and answered one a line, in order; with \
--json each line is an object. What cannot be answered is told with the number of its line and does not stop the rest; the exit \
status is then 2. `chess -` takes positions of any men, `KQKR -` those of one table.

Examples:
  ludens table probe \"8/8/8/3k4/8/8/1R6/K7 w - -\"
  ludens table probe KQKR \"Q7/8/8/8/8/1k1r4/8/K7 w - - 0 1\" --json
  ludens table probe \"8/8/3k4/8/2P1R3/1P6/3K4/5bn1 w - -\"
  ludens table probe chinese-checkers 8,8 8,7 7,8
  ludens table probe chinese-checkers 0,0 0,1 1,0 against 8,8 8,7 blue
  ludens table probe nim.table \"(take a 1)\" --game nim
  ludens table probe chess - --json < positions.txt";

const LINE_HELP: &str = "\
Examples:
  ludens table line \"8/8/8/3k4/8/8/1R6/K7 w - -\"
  ludens table line \"8/8/8/3k4/8/8/1R6/K7 w - -\" --pgn
  ludens table line chinese-checkers 8,8 8,7 7,8";

const FIND_HELP: &str = "\
Prints EPD, one position a line: bm has the best moves, dm the moves to mate, wdl the result for the side to move (1, 0, -1), and dtm, dtc or dtz \
the plies. Positions that differ only by a symmetry of the board are found once; the right to take en passant is no part of them. \
Ctrl-C shows what was found so far. Exit status 1 if there is none.

Examples:
  ludens table find KQKR --longest
  ludens table find KRK --distance 31 --limit 5
  ludens table find KPK --zugzwang --count
  ludens table find KPK --only-move --result win --json
  ludens table find KBBKN --all --result cursed-win --metric zeroing";

const ANNOTATE_HELP: &str = "\
In games, every move from a position with a table gets a comment with the result and the distance behind it; ?? ($4) marks moves that give \
a win or a draw away, with the best move instead, and $7 the only move that keeps it. Comments, marks and variations of the file stay; variations are \
not looked into. With --metric zeroing the fifty-move rule counts, and so does the clock.

In EPD, operations are added as `table find` prints them, and c9 says whether the move that sm or bm names keeps the result.

Whatever cannot be read is told with its line, and stays as it is; the exit status is then 2.

Examples:
  ludens table annotate games.pgn -o annotated.pgn
  ludens table annotate positions.epd
  ludens table annotate games.pgn --metric zeroing -o annotated.pgn --json";

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

pub const WEIGH_HELP: &str = "\
Games begin with the men on random squares and end where a table knows the position. What the tables say of the largest parts of \
each quiet position, and what came of it (half the result, half what a search saw), are weighed by logistic regression. The \
weights are JSON; those of the repository are in crates/chess/weights. Takes the tables of the folder, the more men the better.

Examples:
  ludens table weigh KRPPKBN --games 1000 --output KRPPKBN.json
  ludens table weigh KQPKRNP --nodes 500 --folder tables";
