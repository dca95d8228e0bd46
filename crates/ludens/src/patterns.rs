//! `ludens abstraction show`, `build` and `verify`: patterns of a few pieces, for any game.

use ::abstraction::pattern::carry::{Carried, carry};
use ::abstraction::pattern::{Board, Candidate, Chosen, Other, Owner, Pattern, Settings, Table, build as build_table};
use agent::engines::{EngineChoice, load};
use agent::patterns::{Doing, Looking, Patterns};
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::{Args, ValueEnum};
use game::{Cancel, Game, Role, role_names};
use library::Sheet;
use machine::Engine;
use platform::{Interrupt, Interrupted, folders, memory};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;
use study::{Plan, Stage, Study};
use terminal::{Answer, Out, Progress, text};

/// What all of these take.
#[derive(Args)]
pub struct CommonArgs {
    /// The game
    #[arg(value_name = "GAME")]
    pub game: String,
    /// The most states that a table may take to build
    #[arg(long, value_name = "N", default_value_t = 500_000, value_parser = clap::value_parser!(u64).range(1..=64_000_000))]
    pub states: u64,
    /// How long to look for patterns, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    pub seconds: f64,
    /// The seed of everything random
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Arguments of `abstraction show`.
#[derive(Args)]
pub struct ShowArgs {
    #[command(flatten)]
    pub common: CommonArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What becomes of the side that a pattern is not about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum OtherArg {
    /// It plays on with its pieces of the pattern
    #[default]
    Against,
    /// It plays on, and may pass
    MayPass,
    /// It is not there
    Absent,
}

/// Arguments of `abstraction build`.
#[derive(Args)]
pub struct BuildArgs {
    #[command(flatten)]
    pub common: CommonArgs,
    /// Build this pattern and no other: names of pieces as the rules have them, with spaces
    #[arg(long, value_name = "PIECES")]
    pub pattern: Option<String>,
    /// What becomes of the other side, for --pattern
    #[arg(long, value_enum, default_value_t, requires = "pattern")]
    pub other: OtherArg,
    /// Whose pattern it is where the other side is absent or may pass [default: the first role]
    #[arg(long, value_name = "ROLE", requires = "pattern")]
    pub role: Option<String>,
    /// Only tell what it costs
    #[arg(long, requires = "pattern")]
    pub estimate: bool,
    /// The folder of tables [default: that of `ludens table list`]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// Arguments of `abstraction verify`.
#[derive(Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    pub common: CommonArgs,
    /// The folder of tables [default: that of `ludens table list`]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// Help of `abstraction show`.
pub const SHOW_HELP: &str = "\
A pattern is a few pieces of the game, and the rest of the board empty: the rules of the game itself are then a smaller game, which \
is solved outright. A pattern is used if it foretells the ends of random games (without blunders of one move) better than counting pieces does. Players use them as \
the heuristic `patterns`, and the default player wherever they win its matches before the game.

Examples:
  ludens abstraction show breakthrough-small
  ludens abstraction show chess-small --seconds 30 --json";

/// Help of `abstraction build`.
pub const BUILD_HELP: &str = "\
Examples:
  ludens abstraction build breakthrough-small
  ludens abstraction build chess-small --pattern \"wk wq bk\"
  ludens abstraction build krk --pattern \"wk wr bk\" --states 600000 --estimate";

/// Help of `abstraction verify`.
pub const VERIFY_HELP: &str = "\
Every entry is derived again from the rules and compared. Exit status 1 if one is wrong.

Example:
  ludens abstraction verify breakthrough-small";

/// A game that is ready to be looked into.
struct Ready {
    sheet: Sheet,
    identity: String,
    engine: Engine,
    study: Study,
    begun: Instant,
    cancel: Cancel,
}

/// States that a study of this kind watches; and what it may take, in seconds.
const WATCHED: u64 = 2_000;
const STUDIED: f64 = 3.0;

fn ready(args: &CommonArgs, interrupt: &Interrupt) -> Result<Ready> {
    ensure!(args.seconds.is_finite() && args.seconds > 0.0, "`--seconds` wants a number of seconds above 0");
    let (sheet, rules) = library::load(&args.game)?;
    let cancel = interrupt.cancel();
    let engine = load(EngineChoice::Auto, &sheet, &rules, &cancel)?.engine;
    let begun = Instant::now();
    let mut left = WATCHED;
    let more = |stage: Stage| {
        left = left.saturating_sub(u64::from(stage == Stage::Observe));
        left > 0 && begun.elapsed().as_secs_f64() < STUDIED.min(args.seconds)
            || (stage != Stage::Observe && begun.elapsed().as_secs_f64() < STUDIED)
    };
    let plan = Plan { seed: args.seed, cancel: cancel.clone(), ..Plan::play(more) };
    let study = Study::run(&rules, &engine, plan);
    let identity = gdl::identity(&rules).to_string();
    Ok(Ready { sheet, identity, engine, study, begun, cancel })
}

impl Ready {
    fn owner(&self) -> Owner<'_> {
        Owner { game: &self.sheet.name, rules: &self.identity }
    }

    fn settings(args: &CommonArgs) -> Settings {
        Settings { states: args.states, ..Settings::default() }
    }

    /// Looks for patterns, and tells how far it is.
    fn look(&self, args: &CommonArgs) -> Result<Result<Patterns, String>> {
        let mut progress = Progress::new();
        let (begun, cancel) = (Instant::now(), &self.cancel);
        let spent = || if cancel.is_cancelled() { 2.0 } else { (begun.elapsed().as_secs_f64() / args.seconds) as f32 };
        let looking = Looking {
            engine: &self.engine,
            study: &self.study,
            seed: args.seed,
            settings: Ready::settings(args),
            spent: &spent,
        };
        let found = looking.run(&mut |doing| {
            progress.at(|_| match doing {
                Doing::Games(games) => text::count(games, "random game"),
                Doing::Weighing(pattern, board) => format!("{}: weighed", pattern.words(board)),
                Doing::Building(pattern, board, states) => {
                    format!("{}: {}", pattern.words(board), text::count(states as usize, "state"))
                }
            })
        });
        progress.wipe();
        if self.cancel.is_cancelled() {
            bail!(Interrupted("nothing was written".to_string()));
        }
        Ok(found)
    }

    fn path(&self, folder: &Path, pattern: &str) -> PathBuf {
        let name = folders::file_name(&format!("{} {pattern}", self.sheet.name)).replace([' ', ','], "-");
        folder.join(::table::pattern::KIND).join(format!("{name}.{}", ::table::store::ENDING))
    }
}

/// `ludens abstraction show`.
pub fn show(args: &ShowArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let ready = ready(&args.common, interrupt)?;
    let found = match ready.look(&args.common)? {
        Ok(found) => found,
        Err(why) => return none(&ready, &why, args.json, out),
    };
    let carried: Vec<Carried> = found
        .choice
        .chosen
        .iter()
        .map(|one| carry(&ready.engine, &found.board, &one.table.pattern, &found.watched.samples, args.common.seed))
        .collect::<Result<_, _>>()?;
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &report(&ready, &found, &carried))?;
        writeln!(out)?;
    } else {
        tell(&ready, &found, &carried, out)?;
    }
    Ok(if found.choice.chosen.is_empty() { Answer::No } else { Answer::Yes })
}

/// There are no patterns in the game, and why.
fn none(ready: &Ready, why: &str, json: bool, out: Out<'_>) -> Result<Answer> {
    if json {
        let report = json!({ "game": ready.sheet.name, "none": why, "chosen": [], "tried": [] });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{}: no pattern is of use: {why}", ready.sheet.name)?;
    }
    Ok(Answer::No)
}

fn row(candidate: &Candidate, board: &Board) -> Value {
    let mut row = json!({ "pattern": candidate.pattern.words(board), "placements": candidate.pattern.placements(),
        "bytes": candidate.pattern.entries(), "loss": candidate.loss });
    match &candidate.table {
        Ok(table) => row["values"] = json!(table.counts()),
        Err(error) => row["error"] = json!(error.to_string()),
    }
    row
}

fn report(ready: &Ready, found: &Patterns, carried: &[Carried]) -> Value {
    let choice = &found.choice;
    let chosen = |(one, carried): (&Chosen, &Carried)| {
        json!({ "pattern": one.table.pattern.words(&found.board), "bytes": one.table.pattern.entries(),
            "weights": one.weights, "loss": one.loss, "steps": carried })
    };
    json!({
        "game": ready.sheet.name,
        "games": found.watched.games,
        "positions": found.watched.samples.len(),
        "loss_of_counting": choice.base,
        "correlations": choice.correlations,
        "none": choice.none,
        "chosen": choice.chosen.iter().zip(carried).map(chosen).collect::<Vec<_>>(),
        "tried": choice.tried.iter().map(|one| row(one, &found.board)).collect::<Vec<_>>(),
        "seconds": ready.begun.elapsed().as_secs_f64(),
    })
}

fn tell(ready: &Ready, found: &Patterns, carried: &[Carried], out: Out<'_>) -> Result<()> {
    let (choice, board) = (&found.choice, &found.board);
    let names = role_names(&ready.engine);
    let games = text::count(found.watched.games, "random game");
    writeln!(out, "{}: patterns of a few pieces, tried on {games}", ready.sheet.name)?;
    if !choice.tried.is_empty() {
        writeln!(
            out,
            "\n{:<34} {:>10} {:>9} {:>9} {:>9} {:>9} {:>4} {:>7}",
            "pattern", "placements", "states", "won", "drawn", "lost", "most", "loss"
        )?;
    }
    for one in &choice.tried {
        let words = one.pattern.words(board);
        let loss = one.loss.map_or("-".to_string(), |loss| format!("{loss:.4}"));
        match &one.table {
            Ok(table) => {
                let counts = table.counts();
                let placements = one.pattern.placements();
                writeln!(
                    out,
                    "{words:<34} {placements:>10} {:>9} {:>9} {:>9} {:>9} {:>4} {loss:>7}",
                    counts.states, counts.won, counts.drawn, counts.lost, counts.longest
                )?;
            }
            Err(error) => writeln!(out, "{words:<34} {:>10} {error}", one.pattern.placements())?,
        }
    }
    if !choice.tried.is_empty() {
        writeln!(
            out,
            "(won and lost for {}; most: the longest way to the end; loss: on games held out, a coin has 0.6931)",
            names[0]
        )?;
    }
    if let Some(base) = choice.base {
        writeln!(out, "\ncounting pieces     loss {base:.4}")?;
        if let Some((counting, with)) = choice.correlations {
            writeln!(
                out,
                "correlation         {counting:.3} of counting with how games end, {with:.3} of what is used"
            )?;
        }
    }
    if let Some(why) = choice.none {
        writeln!(out, "\nno pattern is of use: {why}")?;
    }
    for (one, carried) in choice.chosen.iter().zip(carried) {
        let loss = one.loss.map_or("taken unweighed".to_string(), |loss| format!("loss {loss:.4}"));
        let weights: Vec<String> = one.weights.iter().map(|weight| format!("{weight:+.2}")).collect();
        writeln!(out, "\nused    {}", one.table.pattern.words(board))?;
        writeln!(out, "        {loss}, weights {}, {}", weights.join(" "), memory::size(one.table.pattern.entries()))?;
        writeln!(out, "        {}", carried.words())?;
    }
    if let Some(evaluator) = &choice.evaluator {
        let chance = 100.0 * evaluator.chance(&ready.engine, &ready.engine.start());
        writeln!(out, "\nthe start: {} wins {chance:.0} of 100 such games", names[0])?;
    }
    writeln!(out, "\n{} in all", text::seconds(ready.begun.elapsed().as_secs_f64()))?;
    Ok(())
}

/// `ludens abstraction build`.
pub fn build(args: &BuildArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let ready = ready(&args.common, interrupt)?;
    let folder = folders::tables(args.folder.as_deref())?;
    let (board, tables) = match &args.pattern {
        Some(named) => {
            let board =
                Board::new(&ready.study, &ready.engine).map_err(|why| anyhow!("{}: {why}", ready.sheet.name))?;
            let pattern = meant(named, args, &ready, &board)?;
            let settings = Ready::settings(&args.common);
            writeln!(
                out,
                "{}: {} placements, {} on the disk at most, up to {} of memory",
                pattern.words(&board),
                pattern.placements(),
                memory::size(pattern.entries()),
                memory::size(settings.memory(&pattern))
            )?;
            if args.estimate {
                return Ok(Answer::Yes);
            }
            memory::check("the table", settings.memory(&pattern), None)?;
            let table = one(&ready, &board, &pattern, &settings)?;
            (board, vec![table])
        }
        None => match ready.look(&args.common)? {
            Ok(found) if !found.choice.chosen.is_empty() => {
                let tables = found.choice.chosen.iter().map(|one| (*one.table).clone()).collect();
                ((*found.board).clone(), tables)
            }
            Ok(found) => return none(&ready, found.choice.none.unwrap_or_default(), false, out),
            Err(why) => return none(&ready, &why, false, out),
        },
    };
    for table in &tables {
        let path = ready.path(&folder, &table.pattern.words(&board));
        table.store(&path, &ready.engine, &board, ready.owner())?;
        let counts = table.counts();
        writeln!(
            out,
            "{}: {} won, {} drawn, {} lost, at most {} moves; {} states listed",
            path.display(),
            counts.won,
            counts.drawn,
            counts.lost,
            counts.longest,
            counts.states
        )?;
    }
    writeln!(out, "{} in all", text::seconds(ready.begun.elapsed().as_secs_f64()))?;
    Ok(Answer::Yes)
}

/// The pattern that is meant.
fn meant(named: &str, args: &BuildArgs, ready: &Ready, board: &Board) -> Result<Pattern> {
    let pattern =
        Pattern::parse(named, board).with_context(|| format!("the pattern {named:?} of {}", ready.sheet.name))?;
    let names = role_names(&ready.engine);
    let role = match &args.role {
        None => 0,
        Some(role) => names
            .iter()
            .position(|name| name.eq_ignore_ascii_case(role))
            .with_context(|| format!("there is no role {role:?}; there are {}", names.join(", ")))?,
    };
    let other = match args.other {
        OtherArg::Against => Other::Against,
        OtherArg::MayPass => Other::MayPass,
        OtherArg::Absent => Other::Absent,
    };
    Ok(Pattern::new(pattern.things, other, Role(role as u8), board))
}

/// Builds one table, and tells how far it is.
fn one(ready: &Ready, board: &Board, pattern: &Pattern, settings: &Settings) -> Result<Table> {
    let mut progress = Progress::new();
    let made = build_table(&ready.engine, board, pattern, settings, &mut |at| {
        progress.at(|_| format!("{} states, {} of them done", at.states, at.done));
        !ready.cancel.is_cancelled()
    });
    progress.wipe();
    if ready.cancel.is_cancelled() {
        bail!(Interrupted("nothing was written".to_string()));
    }
    made.with_context(|| format!("the pattern {}", pattern.words(board)))
}

/// `ludens abstraction verify`.
pub fn verify(args: &VerifyArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let ready = ready(&args.common, interrupt)?;
    let folder = folders::tables(args.folder.as_deref())?;
    let board = Board::new(&ready.study, &ready.engine).map_err(|why| anyhow!("{}: {why}", ready.sheet.name))?;
    let mut answer = Answer::Yes;
    let mut seen = 0;
    for path in ::table::store::files(&folder.join(::table::pattern::KIND), ::table::store::ENDING) {
        let header = ::table::file::Table::peek(&path)?;
        let ::table::file::About::Pattern(summary) = &header.about else { continue };
        if summary.rules != ready.identity {
            continue;
        }
        seen += 1;
        let table = open(&path, &summary.pattern, &ready, &board)?;
        let pattern = table.pattern.clone();
        let anew = one(
            &ready,
            &board,
            &pattern,
            &Settings { states: summary.states.max(args.common.states), ..Settings::default() },
        )?;
        match table.difference(&anew) {
            None => writeln!(out, "{}: {} entries are what the rules say", path.display(), pattern.entries())?,
            Some(at) => {
                answer = Answer::No;
                writeln!(out, "{}: WRONG: entry {at} is not what the rules say", path.display())?;
            }
        }
    }
    ensure!(
        seen > 0,
        "there are no tables of {} in {}; `ludens abstraction build {}` makes some",
        ready.sheet.name,
        folder.display(),
        args.common.game
    );
    Ok(answer)
}

/// The table in a file, by the pattern that it says it has.
fn open(path: &Path, words: &str, ready: &Ready, board: &Board) -> Result<Table> {
    let (pieces, other) = match (words.strip_suffix(" alone"), words.strip_suffix(", the other may pass")) {
        (Some(pieces), _) => (pieces, Other::Absent),
        (None, Some(pieces)) => (pieces, Other::MayPass),
        (None, None) => (words, Other::Against),
    };
    let things = Pattern::parse(pieces, board).with_context(|| format!("{}: {words}", path.display()))?.things;
    // Whose pattern it is, is part of the identity: the right one opens.
    let of = |role| Table::open(path, board, &Pattern::new(things.clone(), other, Role(role), board), ready.owner());
    of(0).or_else(|first| of(1).map_err(|_| first)).map_err(Into::into)
}
