//! `ludens lab sadikov`: stages, trees, regressions and play of Sadikov and Bratko (2006), beside their figures and tables.
//!
//! A *chain* is one evaluator of one ending: the search goes one ply deeper at a time for all positions at once, and at each depth games
//! are played from many positions under each rule against repetition. What was played is kept, so an interrupted run goes on.

mod findings;
mod published;
mod report;

use crate::args::LabArgs;
use anyhow::Result;
use clap::Args;
use findings::Findings;
use host::journal::Journal;
use plan::paper::Subject;
use plan::stages::evaluator::Evaluator;
use plan::stages::play::{Defence, Order, Player, Repetition, Search};
use plan::stages::{sample, starts};
use platform::{Interrupt, Interrupted, save};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use terminal::{Answer, Out, Progress, text};

/// A game that takes more moves is not won; both are reported.
const LIMITS: [u16; 2] = [50, 100];
/// Positions of KQKR that the paper learned its tree from.
const SAMPLE: usize = 60_000;

/// Arguments of `lab sadikov`.
#[derive(Args)]
pub struct SadikovArgs {
    /// Only this ending
    #[arg(value_parser = ["krk", "kqkr"])]
    pub only: Vec<String>,
    /// Fewer games of KQKR, to 13 plies, and no other settings than the main ones: about two minutes
    #[arg(long)]
    pub quick: bool,
    /// Positions that games of KQKR begin with; KRK is played from all
    #[arg(long, value_name = "N", default_value_t = 60_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub positions: u32,
    /// The seed that positions are drawn with
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// What all experiments have in common
    #[command(flatten)]
    pub lab: LabArgs,
}

/// Below the help of the command.
pub const SADIKOV_HELP: &str = "\
Builds the tables it needs in memory. Says beforehand how long it will take. Writes results.json, report.md and the figures of the paper as \
SVG. An interrupted run goes on where it ended.

Examples:
  ludens lab sadikov krk
  ludens lab sadikov --quick
  ludens lab sadikov kqkr --positions 200000";

impl SadikovArgs {
    /// The command that gives the same figures.
    fn command(&self) -> String {
        let only: Vec<String> = self.only.iter().map(|name| format!(" {name}")).collect();
        let quick = if self.quick { " --quick" } else { "" };
        format!("ludens lab sadikov{}{quick} --positions {} --seed {}", only.concat(), self.positions, self.seed)
    }

    fn subjects(&self) -> Vec<Subject> {
        let wanted = |subject: &Subject| self.only.is_empty() || self.only.iter().any(|name| name == subject.name());
        Subject::ALL.into_iter().filter(wanted).collect()
    }

    fn plies(&self, subject: Subject) -> std::ops::RangeInclusive<usize> {
        match (subject, self.quick) {
            (Subject::Krk, _) => 2..=7,
            (Subject::Kqkr, true) => 8..=13,
            (Subject::Kqkr, false) => 8..=17,
        }
    }

    fn games(&self, subject: Subject) -> usize {
        match (subject, self.quick) {
            (Subject::Krk, _) => usize::MAX,
            (Subject::Kqkr, true) => 10_000.min(self.positions as usize),
            (Subject::Kqkr, false) => self.positions as usize,
        }
    }

    fn variants(&self) -> &'static [Variant] {
        if self.quick { &Variant::ALL[..1] } else { &Variant::ALL }
    }
}

/// Settings that the paper leaves open, beside the rule against repetition and who is to move at the leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Variant {
    /// A man that is lost is seen, and of equally good moves the first is made.
    Main,
    /// A man that is lost is not seen.
    Blind,
    /// Of equally good moves one is drawn.
    Drawn,
}

impl Variant {
    const ALL: [Variant; 3] = [Variant::Main, Variant::Blind, Variant::Drawn];

    fn name(self) -> &'static str {
        match self {
            Variant::Main => "main",
            Variant::Blind => "losses not seen",
            Variant::Drawn => "ties drawn",
        }
    }
}

/// What became of the games of one evaluator at one depth under one rule.
#[derive(Clone, Serialize, Deserialize, Debug)]
struct Piece {
    settings: String,
    ending: String,
    evaluator: String,
    variant: String,
    plies: usize,
    repetition: String,
    limit: u16,
    games: u64,
    won: u64,
    excess: u64,
    counted: u64,
    worst: u16,
}

impl Piece {
    fn success(&self) -> f64 {
        100.0 * self.won as f64 / self.games.max(1) as f64
    }

    fn mean_excess(&self) -> f64 {
        self.excess as f64 / self.won.max(1) as f64
    }

    fn mean_counted(&self) -> f64 {
        self.counted as f64 / self.games.max(1) as f64
    }

    fn key(&self) -> Key {
        (self.ending.clone(), self.evaluator.clone(), self.variant.clone(), self.plies, self.repetition.clone())
    }
}

/// What tells pieces apart, but for the limit: those of all limits are made together.
type Key = (String, String, String, usize, String);

/// Seconds of one processor, as measured on one of 2 GHz or so: for one ply of all positions, and for a game.
fn cost(subject: Subject) -> (f64, f64) {
    match subject {
        Subject::Krk => (0.004, 4e-6),
        Subject::Kqkr => (0.5, 20e-6),
    }
}

/// What is still to be done of an ending.
struct Open {
    subject: Subject,
    /// Seconds of one processor.
    cost: f64,
}

/// Runs the experiment.
///
/// # Errors
/// When something cannot be written, or the run is interrupted.
pub fn run(args: &SadikovArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let folder = args.lab.out("sadikov/results");
    let settings = format!("positions={} quick={} seed={}", args.positions, args.quick, args.seed);
    let fits = |piece: &Piece| piece.settings == settings;
    let mut journal = Journal::open(&folder.join("journal.jsonl"), args.lab.keep(), fits)?;
    journal.greet(out)?;
    let open: Vec<Open> = args.subjects().into_iter().map(|subject| open(args, subject, journal.entries())).collect();
    let processors = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let all: f64 = open.iter().map(|open| open.cost).sum();
    writeln!(out, "this takes about {}", text::duration(all / processors))?;
    out.flush()?;
    let mut work = Work { done: 0.0, all, progress: Progress::new(), cancel: interrupt.cancel() };
    let mut found = Vec::new();
    for Open { subject, .. } in open {
        found.push(ending(args, subject, &settings, &mut journal, &mut work)?);
    }
    work.progress.wipe();
    drop(work);
    let report = report::report(args, &found, journal.entries());
    for (name, figure) in &report.figures {
        save(&folder.join(name), figure)?;
    }
    save(&folder.join("report.md"), &report.markdown)?;
    save(&folder.join("results.json"), &format!("{:#}\n", report.json))?;
    write!(out, "{}", report.text)?;
    let figures = text::count(report.figures.len(), "figure");
    writeln!(out, "written: {0}/results.json, {0}/report.md and {figures}", folder.display())?;
    Ok(Answer::Yes)
}

/// How far it is, and whether to go on.
struct Work {
    done: f64,
    all: f64,
    progress: Progress,
    cancel: game::Cancel,
}

impl Work {
    /// Some more is done; says what is under way.
    fn step(&mut self, cost: f64, what: impl FnOnce() -> String) -> Result<()> {
        self.done += cost;
        let part = (self.done / self.all).min(0.999);
        self.progress.fraction(part, |seconds| format!("{}, {}", what(), text::seconds(seconds)));
        if self.cancel.is_cancelled() {
            return Err(Interrupted("the games played so far are kept; the same command goes on".to_string()).into());
        }
        Ok(())
    }
}

/// The depths at which a variant is played: the others only where the paper has them.
fn depths(args: &SadikovArgs, subject: Subject, variant: Variant) -> Vec<usize> {
    args.plies(subject).filter(|plies| variant == Variant::Main || plies % 2 == 0).collect()
}

/// What an ending takes, without what is known already.
fn open(args: &SadikovArgs, subject: Subject, known: &[Piece]) -> Open {
    let known: BTreeSet<Key> = known.iter().map(Piece::key).collect();
    let mine = known.iter().filter(|key| key.0 == subject.name()).count();
    let (ply, game) = cost(subject);
    let (games, evaluators, preparing) = match subject {
        Subject::Krk => (25_260, 7, 1.0),
        Subject::Kqkr => (args.games(subject), 6, 45.0),
    };
    let chains: Vec<usize> = args.variants().iter().map(|&variant| depths(args, subject, variant).len()).collect();
    let plays = (evaluators * Repetition::ALL.len() * chains.iter().sum::<usize>()).saturating_sub(mine);
    let sweeps = if plays == 0 { 0 } else { evaluators * chains.len() * args.plies(subject).end() };
    Open { subject, cost: preparing + sweeps as f64 * ply + plays as f64 * games as f64 * game }
}

/// Everything about one ending.
fn ending(
    args: &SadikovArgs,
    subject: Subject,
    settings: &str,
    journal: &mut Journal<Piece>,
    work: &mut Work,
) -> Result<Findings> {
    let (ply, game) = cost(subject);
    work.step(0.0, || format!("{}: table", subject.material()))?;
    let cancel = work.cancel.clone();
    let (world, values, found) = findings::find(subject, SAMPLE, args.seed, &|| !cancel.is_cancelled())?;
    work.step(if subject == Subject::Krk { 1.0 } else { 45.0 }, || format!("{}: learned", subject.material()))?;
    let starts = {
        let all = starts(&world);
        // Other positions than those that the tree was learned from.
        let chosen = sample(all.len(), args.games(subject), args.seed.wrapping_add(1));
        all.into_iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(node, _)| node).collect::<Vec<u32>>()
    };
    let defence = Defence::best(&world);
    let known: BTreeSet<Key> = journal.entries().iter().map(Piece::key).collect();
    let key = |evaluator: Evaluator, variant: Variant, plies: usize, repetition: Repetition| -> Key {
        let name = found.learned.name(evaluator);
        (subject.name().to_string(), name, variant.name().to_string(), plies, repetition.words())
    };
    for evaluator in found.learned.evaluators() {
        let mut predicted = None;
        for &variant in args.variants() {
            let depths = depths(args, subject, variant);
            let missing = |plies: usize, repetition| !known.contains(&key(evaluator, variant, plies, repetition));
            let Some(last) = depths.iter().rev().find(|&&plies| Repetition::ALL.iter().any(|&r| missing(plies, r)))
            else {
                continue;
            };
            let predicted = predicted.get_or_insert_with(|| found.learned.everywhere(evaluator, &world, &values));
            let mut search = Search::new(&world, predicted, variant != Variant::Blind);
            let name = found.learned.name(evaluator);
            while search.plies() < *last {
                search.deepen();
                work.step(ply, || format!("{}: {name}, {} plies", subject.material(), search.plies()))?;
                if !depths.contains(&search.plies()) {
                    continue;
                }
                let ties = (variant == Variant::Drawn).then_some(args.seed);
                // As in the paper, where nothing is said of equally good moves.
                let player = Player::new(&world, Order { sooner: &[], ties, ..search.order() });
                for repetition in Repetition::ALL {
                    if !missing(search.plies(), repetition) {
                        continue;
                    }
                    for (tally, limit) in player.play(&defence, &starts, repetition, &LIMITS).into_iter().zip(LIMITS) {
                        journal.add(Piece {
                            settings: settings.to_string(),
                            ending: subject.name().to_string(),
                            evaluator: name.clone(),
                            variant: variant.name().to_string(),
                            plies: search.plies(),
                            repetition: repetition.words(),
                            limit,
                            games: tally.games,
                            won: tally.won,
                            excess: tally.excess,
                            counted: tally.counted,
                            worst: tally.worst,
                        })?;
                    }
                    work.step(starts.len() as f64 * game, || {
                        format!("{}: {name}, {} plies", subject.material(), search.plies())
                    })?;
                }
            }
        }
    }
    Ok(found)
}
