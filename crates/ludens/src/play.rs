//! `ludens play`: a person in the terminal.

mod session;

use crate::board::Boards;
use crate::opening::OpeningArgs;
use crate::tables::with_tables;
use agent::opponent::{Opponent, OpponentSpec, at_level};
use agent::{EngineChoice, engines};
use anyhow::{Result, bail, ensure};
use clap::Args;
use game::{Cancel, role_names};
use gdl::Rules;
use lab::args::engine;
use library::load;
use machine::Engine;
use platform::Interrupt;
use session::Session;
use std::io::BufRead;
use std::sync::{Arc, Mutex};
use terminal::{Answer, Out, Progress};

/// Arguments of `play`.
#[derive(Args)]
pub struct PlayArgs {
    /// The game
    pub game: String,
    /// A role that a person plays; may be given several times [default: the first role]
    #[arg(long = "role", value_name = "ROLE")]
    pub roles: Vec<String>,
    /// How strong the other side is: 1 (sees a few random games) to 10 (thinks for 30 seconds); 5 thinks for a second
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=10), conflicts_with = "opponent")]
    pub level: u8,
    /// Who plays the other roles, with settings (`ludens players`) [default: the default player, by --level]
    #[arg(long, value_name = "PLAYER")]
    pub opponent: Option<String>,
    /// Show what the other side thinks
    #[arg(long)]
    pub thoughts: bool,
    /// Build the tables that players cannot do without and that are missing
    #[arg(long)]
    pub build_tables: bool,
    /// Where it begins
    #[command(flatten)]
    pub opening: OpeningArgs,
    /// Makes the other side's moves repeatable
    #[arg(long)]
    pub seed: Option<u64>,
    /// The engine
    #[arg(long, value_parser = engine(), default_value = "auto")]
    pub engine: EngineChoice,
}

/// Below the help of the command.
pub const PLAY_HELP: &str = "\
Moves are chosen by number or by name, or as people write them (e2e4, Nf3, d4); `help` at the prompt tells the rest. \
Levels 1 to 4 see 10, 60, 300 and 2,000 random games for a move; 5 to 10 are the default player, with tables where there \
are some, and think for 1, 2, 4, 8, 15 and 30 seconds.

Examples:
  ludens play connect-four
  ludens play tic-tac-toe --role o --seed 7
  ludens play chess --level 2 --moves 'e4 e5'
  ludens play tic-tac-toe --role x --role o      (two persons)";

/// Runs the command, reading what the person types from `input`.
pub fn run(args: &PlayArgs, interrupt: &Interrupt, input: impl BufRead, out: Out<'_>) -> Result<Answer> {
    ensure!(args.game != "-", "standard input is for your moves; save the rulesheet to a file and name that");
    ensure!(
        args.opening.facts.as_ref().is_none_or(|path| path.as_os_str() != "-"),
        "standard input is for your moves; save the facts to a file and name that"
    );
    let (sheet, rules) = load(&args.game)?;
    let game = engines::engine(args.engine, &sheet, &rules)?;
    let persons = persons(&args.roles, &role_names(&game))?;
    let position = args.opening.opening(&sheet)?.open(&game)?;
    let boards = Boards::new(&rules, &game).dressed(&sheet)?;
    let rules = Arc::new(rules);
    // Ctrl-C ends the program, whatever it does.
    let opponent = with_tables(args.build_tables, &Interrupt::default(), || opponent(args, &game, &rules, interrupt))?;
    Session::new(position, persons, boards, opponent, input, out).play(&sheet.name)?;
    Ok(Answer::Yes)
}

/// Who plays the other roles.
fn opponent(args: &PlayArgs, game: &Engine, rules: &Arc<Rules>, interrupt: &Interrupt) -> Result<Opponent<'static>> {
    let player = match &args.opponent {
        Some(text) => host::players::read(text)?,
        None => at_level(args.level, args.seed),
    };
    let players = crate::player::players(interrupt);
    let who = OpponentSpec { player, seed: args.seed, other_seed: host::clock_seed(), shows: args.thoughts };
    let opponent = Opponent::new(who, game, rules, players.resources.clone(), &waiting)?;
    players.ready(opponent.spec(), rules, &Cancel::new())?;
    Ok(opponent)
}

/// Says that somebody thinks, where that takes a while.
fn waiting() -> Box<dyn Fn() + Sync> {
    let progress = Mutex::new(Progress::new());
    Box::new(move || {
        if let Ok(mut progress) = progress.try_lock() {
            progress.at(|_| "thinking".to_string());
        }
    })
}

/// Which roles persons play.
fn persons(wanted: &[String], names: &[String]) -> Result<Vec<bool>> {
    let mut persons = vec![false; names.len()];
    for role in wanted {
        let Some(index) = names.iter().position(|name| name.eq_ignore_ascii_case(role)) else {
            bail!("there is no role {role:?} in this game; its roles are: {}", names.join(", "));
        };
        persons[index] = true;
    }
    if let (true, Some(first)) = (wanted.is_empty(), persons.first_mut()) {
        *first = true;
    }
    Ok(persons)
}
