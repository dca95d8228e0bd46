//! `ludens lab puzzles`: which games for one player are solved, in how many steps and how soon, and which are not.

use crate::args::seconds;
use crate::bench::corpus;
use agent::analysis::Search;
use agent::searcher::Knowledge;
use agent::{EngineChoice, Events, PlayerSpec, Position, engines};
use anyhow::{Context, Result};
use clap::Args;
use game::{Game, Goal, Role};
use gdl::Rules;
use library::Sheet;
use machine::{Scratch, State};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use terminal::{Answer, Out};

/// Arguments of `lab puzzles`.
#[derive(Args)]
pub struct PuzzlesArgs {
    /// Only these games [default: all of the library for one player]
    pub only: Vec<String>,
    /// The rulesheets for one player of this folder (NAME.kif) instead of the library
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// Seconds for each game at most
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    pub seconds: f64,
    /// Who searches
    #[arg(long, value_name = "PLAYER", default_value = "portfolio:tables=false")]
    pub player: String,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print JSON, a line a game
    #[arg(long)]
    pub json: bool,
}

/// Below the help of the command.
pub const PUZZLES_HELP: &str = "\
Each game is searched once from its start, until its best result is proven or the time is over; the line found is then played through, and \
the points are those of its last state. `at most` is what the form of the net proves to be the limit before any search. Solved is what brings 100 points, or \
less where more was proven to be out of reach. Exit status 1 if a game was not solved.

Examples:
  ludens lab puzzles --seconds 10
  ludens lab puzzles hanoi sudoku
  ludens lab puzzles --corpus DIR --json";

/// What came of one game.
#[derive(Serialize)]
struct Row {
    game: String,
    solved: bool,
    /// The goal in the last state of the line; none where no line to an end was found.
    points: Option<Goal>,
    /// The bound before any search, where there is one.
    at_most: Option<Goal>,
    proven: bool,
    steps: usize,
    seconds: f64,
    states: u64,
    engine: &'static str,
}

/// Runs the command.
pub fn run(args: &PuzzlesArgs, interrupt: &platform::Interrupt, out: Out<'_>) -> Result<Answer> {
    let spec: PlayerSpec = args.player.parse()?;
    let sheets = match &args.corpus {
        Some(folder) => corpus(folder, &args.only)?,
        None if args.only.is_empty() => library::ENTRIES.iter().map(Sheet::of).collect(),
        None => args.only.iter().map(|name| Sheet::find(name)).collect::<Result<_>>()?,
    };
    if !args.json {
        writeln!(
            out,
            "{:<28} {:>6} {:>7} {:>6} {:>6} {:>8} {:>11}  engine",
            "game", "points", "at most", "proven", "steps", "seconds", "states"
        )?;
    }
    let (mut all, mut solved) = (0, 0);
    let mut missing = Vec::new();
    for sheet in &sheets {
        if interrupt.is_interrupted() {
            return Err(platform::Interrupted(format!("{all} games were searched")).into());
        }
        let rules = sheet.rules()?;
        if roles(&rules) != 1 {
            continue;
        }
        let row = solve(sheet, rules, &spec, args, interrupt).with_context(|| format!("{} failed", sheet.name))?;
        all += 1;
        if row.solved {
            solved += 1;
        } else {
            missing.push(row.game.clone());
        }
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&row)?)?;
        } else {
            let or_dash = |goal: Option<Goal>| goal.map_or("–".to_string(), |goal| goal.to_string());
            let (points, at_most) = (or_dash(row.points), or_dash(row.at_most));
            let proven = if row.proven { "yes" } else { "no" };
            writeln!(
                out,
                "{:<28} {points:>6} {at_most:>7} {proven:>6} {:>6} {:>8.2} {:>11}  {}",
                row.game, row.steps, row.seconds, row.states, row.engine
            )?;
        }
    }
    if !args.json {
        writeln!(out, "\n{solved} of {all} solved within {} s each", args.seconds)?;
        if !missing.is_empty() {
            writeln!(out, "not solved: {}", missing.join(", "))?;
        }
    }
    Ok(if missing.is_empty() { Answer::Yes } else { Answer::No })
}

fn roles(rules: &Rules) -> usize {
    rules.clauses.iter().filter(|clause| clause.head.name == gdl::Symbol::ROLE).count()
}

fn solve(
    sheet: &Sheet,
    rules: Rules,
    spec: &PlayerSpec,
    args: &PuzzlesArgs,
    interrupt: &platform::Interrupt,
) -> Result<Row> {
    let engine = engines::engine(EngineChoice::Auto, sheet, &rules)?;
    let at_most = match engine.start() {
        State::Net(start) => engine.net().and_then(|net| net.most(&start, Role(0), &mut Scratch::default())),
        State::Prover(_) | State::Rules(_) => None,
    };
    let name = engine.kind().name();
    let knowledge = Arc::new(Knowledge::new(&Arc::new(rules), None, &Events::ignored()));
    let mut position = Position::start(engine);
    let began = Instant::now();
    let search = Search { spec, seconds: args.seconds, seed: args.seed, position: &position, role: Role(0) };
    let found = search.run(&knowledge, &interrupt.cancel(), Duration::from_secs(3600), &mut |_| Ok(()))?;
    let seconds = began.elapsed().as_secs_f64();
    let mut steps = 0;
    for joint in &found.line {
        if position.is_over()? || joint.iter().any(|mv| !position.legal(Role(0)).is_ok_and(|legal| legal.contains(mv)))
        {
            break;
        }
        position.play(joint)?;
        steps += 1;
    }
    let ended = position.is_over()? || position.legal(Role(0))?.is_empty();
    let points = if ended { position.goals()?.first().copied().flatten() } else { None };
    let proven = found.proven && points.is_some_and(|points| f32::from(points) >= found.value);
    let solved = points == Some(100) || proven;
    let game = sheet.name.clone();
    Ok(Row { game, solved, points, at_most, proven, steps, seconds, states: found.nodes, engine: name })
}
