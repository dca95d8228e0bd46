//! `ludens uci` and `ludens ugi`: the player as an engine that other programs talk to.

use agent::searcher::Knowledge;
use agent::{EngineChoice, Resources, load as load_engine};
use anyhow::{Result, ensure};
use clap::Args;
use host::players::read;
use lab::args::engine;
use library::load;
use platform::{Interrupt, folders};
use std::io::{BufReader, stdin};
use std::path::PathBuf;
use std::sync::Arc;
use terminal::{Answer, Out};
use uci::any_game::AnyGame;
use uci::chess_engine::{ChessEngine, Setup};
use uci::command::Dialect;
use uci::converse;

/// Arguments of `uci`.
#[derive(Args)]
pub struct UciArgs {
    /// MiB for the table of positions (the option Hash)
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub hash: u32,
    /// Threads to search with (the option Threads)
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,
    /// The folder of exact tables (the option Tables) [default: where `ludens table build` puts them]
    #[arg(long, value_name = "FOLDER")]
    pub tables: Option<PathBuf>,
    /// MiB of the exact tables that may be in memory (the option Table Memory)
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub table_memory: u32,
    /// Look no deeper than this, whatever is asked for (the option Depth)
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=200))]
    pub depth: Option<u32>,
}

/// Arguments of `ugi`.
#[derive(Args)]
pub struct UgiArgs {
    /// The game, for two players in turn
    pub game: String,
    /// Who plays, with settings (`ludens players`; the option Player)
    #[arg(long, value_name = "PLAYER", default_value = agent::spec::DEFAULT)]
    pub player: String,
    /// The engine
    #[arg(long, value_parser = engine(), default_value = "auto")]
    pub engine: EngineChoice,
}

/// Below the help of `uci`.
pub const UCI_HELP: &str = "\
A chess program asks in lines (uci, isready, setoption, ucinewgame, position, go, stop, ponderhit, quit) and is answered in lines. \
`go` takes depth, nodes, movetime, wtime, btime, winc, binc, movestogo, infinite, ponder, searchmoves, mate and perft; `d` shows the board, \
`eval` what it is worth at first sight. Tables of `ludens table build` are used where they are. The option Judge says how positions are \
judged (learned, sum, hand), Lookups which parts are looked up (KRPKN+KPPKN), Weights File names a file of `ludens table weigh`. What \
comes behind a `go` that ends by itself waits for its answer, except stop, quit, isready and ponderhit.

Examples:
  ludens uci
  ludens uci --tables ~/tables --hash 256
  printf 'position startpos moves e2e4\\ngo depth 6\\n' | ludens uci";

/// Below the help of `ugi`.
pub const UGI_HELP: &str = "\
The same conversation as with `ludens uci`, for any game: ugi, uginewgame, position startpos|fen … moves …, go p1time … p2time …, \
query gameover|p1turn|result. Moves are read as people write them and written as short as they can be understood; a position is the \
start, facts in KIF, or a FEN where the game is chess, kqkr or krk. What nobody has a choice about is played by itself. \
`isready` lets the player study the game, for two seconds at most; whoever does not ask loses that time in the first move.

Examples:
  ludens ugi connect-four
  ludens ugi breakthrough --player uct:threads=2
  printf 'position startpos moves 4 4\\ngo movetime 500\\n' | ludens ugi connect-four";

/// Runs `ludens uci`.
pub fn uci(args: &UciArgs, out: Out<'_>) -> Result<Answer> {
    let tables = match &args.tables {
        Some(folder) => {
            ensure!(folder.is_dir(), "there is no folder {}", folder.display());
            Some(folder.clone())
        }
        None => folders::tables(None).ok(),
    };
    let setup = Setup {
        hash: args.hash as usize,
        threads: args.threads.into(),
        tables,
        table_memory: args.table_memory as usize,
        depth: args.depth,
        ..Setup::default()
    };
    converse(Dialect::Uci, ChessEngine::new(setup)?, BufReader::new(stdin()), out)?;
    Ok(Answer::Yes)
}

/// Runs `ludens ugi`.
pub fn ugi(args: &UgiArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    ensure!(args.game != "-", "standard input is for the conversation; save the rulesheet to a file and name that");
    let (sheet, rules) = load(&args.game)?;
    let spec = read(&args.player)?;
    let cancel = game::Cancel::new();
    let engine = load_engine(args.engine, &sheet, &rules, &cancel)?.engine;
    let players = crate::player::players(interrupt);
    players.ready(&spec, &rules, &cancel)?;
    let Resources { tables, events, distance_tables, programs, fleets, .. } = players.resources;
    let knowledge = Knowledge::new(&Arc::new(rules), tables, &events);
    let knowledge = knowledge.with_distance_tables(&distance_tables).with_programs(programs.as_ref());
    let knowledge = Arc::new(knowledge.with_fleets(fleets.as_ref()));
    let name = sheet.entry.map_or(sheet.name.as_str(), |entry| entry.name);
    converse(Dialect::Ugi, AnyGame::new(name, engine, knowledge, spec)?, BufReader::new(stdin()), out)?;
    Ok(Answer::Yes)
}
