//! `ludens lab exam`: positions whose values are known, and the share of them in which a player keeps the value.
//!
//! Every question is a match of its own that begins in the position: whoever can play a match, also on another machine, can be
//! examined. Exact tables are out of reach unless somebody asks for them: the search is examined.

mod make;
mod question;
mod report;

use crate::args::{LabArgs, seconds};
use agent::opening::beginning_with;
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use game::Cancel;
use gdl::Rules;
use host::Players;
use host::journal::Journal;
use host::players::{clock_seed, no_people, read};
use platform::{Interrupted, save};
use play::text::folded;
use play::{Clock, Disguise, Player, Start};
use question::{Question, Sheets};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Instant;
use terminal::{Answer, Out, Progress, text};

/// The project's own exam, made by `--make` from solved games and tables.
const OWN: &str = include_str!("../../../../lab/exam/positions.jsonl");

/// Arguments of `lab exam`.
#[derive(Args)]
pub struct ExamArgs {
    /// Files of questions, one JSON object a line [default: the project's own exam]
    #[arg(conflicts_with = "make")]
    pub files: Vec<PathBuf>,
    /// Who is examined
    #[arg(long, value_name = "PLAYER", default_value = agent::spec::DEFAULT)]
    pub player: String,
    /// Seconds before each question
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0, value_parser = seconds)]
    pub start: f64,
    /// Seconds for each answer
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    pub play: f64,
    /// Only suites whose name contains this; may be given several times
    #[arg(long, value_name = "NAME")]
    pub suite: Vec<String>,
    /// The folder of the rulesheets that questions name [default: corpus/games beside the folder of the file]
    #[arg(long, value_name = "DIR")]
    pub rulesheets: Option<PathBuf>,
    /// Let the player ask tables, from the usual folder or this one
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    pub tables: Option<Option<PathBuf>>,
    /// Exit status 1 if fewer than so many per cent of the questions are answered right
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub at_least: Option<u8>,
    /// Make questions about these games, which must be solved or have tables, and print them
    #[arg(long, value_name = "GAME", num_args = 1..)]
    pub make: Vec<String>,
    /// With --make: how many questions of each game
    #[arg(long, value_name = "N", default_value_t = 20, requires = "make")]
    pub count: usize,
    /// The seed of the player, or of --make
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// What all experiments have in common
    #[command(flatten)]
    pub lab: LabArgs,
}

/// Below the help of the command.
pub const EXAM_HELP: &str = "\
A question is {\"suite\", \"game\" (a name of the library) or \"rulesheet\" (a file NAME.kif), \"role\" or \"role_index\", \"facts\", \"keep\" (the moves that \
keep the value), \"scores\" (what each move is worth, if that is known)}. A player passes a question if its move is one of \"keep\"; the regret is how much \
less its move is worth than the best one. Time decides how far a player looks; with a counted budget (uct:playouts=20000) and a long --play the same seed \
gives the same answers. An interrupted run goes on where it ended.

Examples:
  ludens lab exam
  ludens lab exam --player uct:playouts=20000 --play 60
  ludens lab exam positions.jsonl --player http://localhost:9147
  ludens lab exam --make connect-four-small krk --count 20 > positions.jsonl";

/// An answer that was given.
#[derive(Clone, Serialize, Deserialize)]
struct Given {
    /// The question, by what is asked.
    key: String,
    suite: String,
    /// The place in its suite, from 1.
    number: usize,
    settings: String,
    /// The move; `None` if there was none.
    answer: Option<String>,
    /// Why not.
    trouble: Option<String>,
    kept: bool,
    /// How much less the move is worth than the best.
    regret: Option<f64>,
    seconds: f64,
}

/// Runs the command.
///
/// # Errors
/// When a question cannot be read, its game is not there, or the player cannot be made.
pub fn run(args: &ExamArgs, interrupt: &platform::Interrupt, out: Out<'_>) -> Result<Answer> {
    if !args.make.is_empty() {
        return make::run(args, &interrupt.cancel(), out);
    }
    let spec = read(&args.player)?;
    let questions = questions(args)?;
    let settings =
        format!("{spec} start={} play={} seed={} tables={}", args.start, args.play, args.seed, args.tables.is_some());
    let folder = args.lab.out("exam");
    let mut journal =
        Journal::open(&folder.join("journal.jsonl"), args.lab.keep(), |given: &Given| given.settings == settings)?;
    if !args.json {
        journal.greet(out)?;
    }
    let mut players = Players::new(agent::Resources::default(), interrupt.children());
    players.resources.tables = match &args.tables {
        Some(folder) => Some(platform::folders::tables(folder.as_deref())?),
        None => None,
    };
    let mut room =
        Room { args, players, spec, sheets: Sheets::new(args.rulesheets.as_deref()), cancel: interrupt.cancel() };
    let open: Vec<&Numbered> = {
        let known: std::collections::HashSet<&str> = journal.entries().iter().map(|given| given.key.as_str()).collect();
        questions.iter().filter(|numbered| !known.contains(numbered.question.key().as_str())).collect()
    };
    let mut progress = Progress::new();
    for (done, numbered) in open.iter().enumerate() {
        if room.cancel.is_cancelled() {
            break;
        }
        let about = &numbered.question.suite;
        progress.fraction(done as f64 / open.len() as f64, |seconds| {
            format!("{done} of {} questions, {about}, {seconds:.0} s", open.len())
        });
        let given = room.ask(numbered, &settings)?;
        // What was cut off is asked again the next time.
        if !room.cancel.is_cancelled() {
            journal.add(given)?;
        }
    }
    drop(progress);
    let given: HashMap<&str, &Given> = journal.entries().iter().map(|given| (given.key.as_str(), given)).collect();
    let rows: Vec<&Given> =
        questions.iter().filter_map(|numbered| given.get(numbered.question.key().as_str()).copied()).collect();
    let player = room.spec.to_string();
    let report = report::Report::new(&rows, &player, args.start, args.play);
    save(&folder.join("results.json"), &format!("{:#}\n", report.json()))?;
    save(&folder.join("report.md"), &report.markdown())?;
    if args.json {
        writeln!(out, "{:#}", report.json())?;
    } else {
        write!(out, "{}", report.text())?;
        writeln!(out, "written: {0}/results.json and {0}/report.md", folder.display())?;
    }
    if rows.len() < questions.len() {
        let words = format!("{} of {} questions are answered; the same command goes on", rows.len(), questions.len());
        return Err(Interrupted(words).into());
    }
    let enough = args.at_least.is_none_or(|least| 100.0 * report.share() >= f64::from(least));
    Ok(if enough { Answer::Yes } else { Answer::No })
}

/// A question with its place in its suite.
struct Numbered {
    question: Question,
    number: usize,
    /// Where its file is, for the rulesheets beside it.
    file: Option<PathBuf>,
}

fn questions(args: &ExamArgs) -> Result<Vec<Numbered>> {
    let mut read = Vec::new();
    if args.files.is_empty() {
        read.extend(Question::read(OWN, "the project's own exam")?.into_iter().map(|question| (question, None)));
    }
    for path in &args.files {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let questions = Question::read(&text, &path.display().to_string())?;
        read.extend(questions.into_iter().map(|question| (question, Some(path.clone()))));
    }
    let is_wanted = |suite: &str| args.suite.is_empty() || args.suite.iter().any(|part| suite.contains(part.as_str()));
    read.retain(|(question, _)| is_wanted(&question.suite));
    if read.is_empty() {
        bail!("there are no questions{}", if args.suite.is_empty() { "" } else { " of these suites" });
    }
    let mut counts: HashMap<String, usize> = HashMap::new();
    let number = |(question, file): (Question, Option<PathBuf>)| {
        let count = counts.entry(question.suite.clone()).or_default();
        *count += 1;
        Numbered { number: *count, question, file }
    };
    Ok(read.into_iter().map(number).collect())
}

/// Where players are examined.
struct Room<'a> {
    args: &'a ExamArgs,
    players: Players,
    spec: agent::PlayerSpec,
    sheets: Sheets,
    cancel: Cancel,
}

impl Room<'_> {
    fn ask(&mut self, numbered: &Numbered, settings: &str) -> Result<Given> {
        let Numbered { question, number, file } = numbered;
        let rules = self.sheets.rules(question, file.as_deref())?;
        let place = || format!("question {number} of {}", question.suite);
        let role = question.role_name(&rules).with_context(place)?;
        let begun = beginning_with(&rules, &question.facts).with_context(place)?;
        let mut player = self.players.make(&self.spec, self.args.seed.wrapping_add(*number as u64), &no_people)?;
        let began = Instant::now();
        let answer = self.answer(&mut *player, &begun, role);
        let seconds = began.elapsed().as_secs_f64();
        let (answer, trouble) = match answer {
            Ok(answer) => (Some(answer), None),
            Err(trouble) => (None, Some(trouble)),
        };
        let kept = answer.as_deref().is_some_and(|mv| question.keeps(mv));
        let regret = answer.as_deref().and_then(|mv| question.regret(mv));
        let (key, suite, settings) = (question.key(), question.suite.clone(), settings.to_string());
        Ok(Given { key, suite, number: *number, settings, answer, trouble, kept, regret, seconds })
    }

    /// The player's move; or why there is none.
    fn answer(&self, player: &mut dyn Player, rules: &Rules, role: String) -> Result<String, String> {
        let start = Start {
            id: format!("exam.{:016x}", clock_seed()),
            role,
            rules: Disguise::new(rules, None).rules().to_string(),
            start: self.args.start,
            play: self.args.play,
            cancel: self.cancel.child(),
        };
        let began = Instant::now();
        let spent = || began.elapsed().as_secs_f64();
        let clock = Clock::new(self.args.start, &spent).until(&self.cancel);
        player.prepare(&start, &clock).map_err(|trouble| trouble.to_string())?;
        let began = Instant::now();
        let spent = || began.elapsed().as_secs_f64();
        let clock = Clock::new(self.args.play, &spent).until(&self.cancel);
        let answer = player.choose(None, &clock).map_err(|trouble| trouble.to_string());
        let clock = Clock::new(1.0, &|| 0.0).until(&self.cancel);
        player.abort(&clock);
        answer.and_then(|mv| folded(&mv).ok_or_else(|| anyhow!("{mv:?} is no move").to_string()))
    }
}

/// A share with its interval, for people.
fn share_text(kept: usize, of: usize) -> String {
    let rate = kept as f64 / of.max(1) as f64;
    let (low, high) = play::score::wilson(rate, of as u64);
    format!("{:.0}% ({:.0}-{:.0})", 100.0 * rate, 100.0 * low, 100.0 * high)
}

/// Rows of a table as text.
fn table(rows: &[Vec<String>]) -> String {
    text::aligned(rows)
}
