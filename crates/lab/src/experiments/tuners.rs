//! `ludens lab tuners`: ways to tune against each other at equal games, on players whose strength is a known function of
//! their settings, and on a real player in real games.

use crate::args::LabArgs;
use anyhow::Result;
use clap::Args;
use game::random::Rng;
use host::Players;
use host::journal::Journal;
use host::tune::run::{Plan, run as tune_player};
use host::tune::{Axis, Duel, Method, Point, Space, Tuning, Variable, tune};
use platform::{Interrupt, Interrupted, save};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fmt::Write as _;
use terminal::{Answer, Out, Progress, text};

/// The ways, with their names.
const METHODS: [(&str, Method); 3] =
    [("surface", Method::Surface), ("racing", Method::Racing), ("climb", Method::Climb)];

/// Elo for each unit of the logistic scale.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Arguments of `lab tuners`.
#[derive(Args)]
pub struct TunersArgs {
    /// Games to spend on players that do not exist; may be given several times
    #[arg(long = "games", value_name = "N", default_values_t = [300, 1000])]
    pub games: Vec<u32>,
    /// How often each way is tried with each of them
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub repeats: u32,
    /// The real player
    #[arg(long, value_name = "PLAYER", default_value = "uct:playouts=100,c=1.4")]
    pub player: String,
    /// What is varied of the real player
    #[arg(long, value_name = "NAMES", default_value = "c,bias")]
    pub vary: String,
    /// A game for the real player; may be given several times
    #[arg(long = "game", value_name = "GAME", default_values_t = ["connect-four-small".to_string(), "breakthrough-small".to_string()])]
    pub real: Vec<String>,
    /// Games to spend on the real player
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub real_games: u32,
    /// How often each way is tried with the real player in each game
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub real_repeats: u32,
    /// Games of what was found against the start, for the real player
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub check: u32,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// What all experiments have in common
    #[command(flatten)]
    pub lab: LabArgs,
}

impl TunersArgs {
    /// The command that gives the same figures.
    fn command(&self) -> String {
        let games: Vec<String> = self.games.iter().map(|games| format!(" --games {games}")).collect();
        let real: Vec<String> = self.real.iter().map(|game| format!(" --game {game}")).collect();
        format!(
            "ludens lab tuners{} --repeats {} --player {} --vary {}{} --real-games {} --real-repeats {} --check {} --seed {}",
            games.concat(),
            self.repeats,
            self.player,
            self.vary,
            real.concat(),
            self.real_games,
            self.real_repeats,
            self.check,
            self.seed
        )
    }
}

/// Below the help of the command.
pub const TUNERS_HELP: &str = "\
Writes results.json and report.md. An interrupted run goes on where it ended.

Examples:
  ludens lab tuners
  ludens lab tuners --games 200 --repeats 10 --real-repeats 0";

/// A player that does not exist: where tuning begins, and its strength, which is 0 where it is best.
struct Imagined {
    name: &'static str,
    start: &'static [f64],
    strength: fn(&[f64]) -> f64,
}

fn square(x: f64) -> f64 {
    x * x
}

const IMAGINED: [Imagined; 8] = [
    Imagined { name: "hill, 1 setting", start: &[0.1], strength: |x| -4.0 * square(x[0] - 0.6) },
    Imagined {
        name: "hill, 2 settings",
        start: &[0.2, 0.1],
        strength: |x| -3.0 * (square(x[0] - 0.6) + square(x[1] - 0.7)),
    },
    Imagined {
        name: "hill, 4 settings",
        start: &[0.2, 0.1, 0.5, 0.9],
        strength: |x| -3.0 * x.iter().zip([0.6, 0.7, 0.3, 0.5]).map(|(x, best)| square(x - best)).sum::<f64>(),
    },
    Imagined {
        name: "ridge",
        start: &[0.2, 0.8],
        strength: |x| -6.0 * square(x[0] + x[1] - 1.1) - 0.7 * square(x[0] - x[1] - 0.3),
    },
    Imagined { name: "peak", start: &[0.1, 0.9], strength: |x| -2.5 * ((x[0] - 0.35).abs() + (x[1] - 0.6).abs()) },
    Imagined {
        name: "log",
        start: &[0.8, 0.5],
        strength: |x| -0.3 * square((x[0].max(0.01) / 0.1).ln()) - 2.0 * square(x[1] - 0.3),
    },
    Imagined {
        name: "cliff",
        start: &[0.5, 0.5],
        strength: |x| -square(x[0] - 0.2) - square(x[1] - 0.6) - if x[1] > 0.705 { 1.5 } else { 0.0 },
    },
    Imagined { name: "flat", start: &[0.5, 0.5], strength: |x| -0.4 * (square(x[0] - 0.5) + square(x[1] - 0.5)) },
];

/// One run of a tuner.
#[derive(Clone, Serialize, Deserialize, Debug)]
struct Piece {
    settings: String,
    /// The imagined player, or the game.
    problem: String,
    method: String,
    games: u32,
    repeat: u32,
    /// What was found.
    found: String,
    /// Elo left to the best settings, or points against the start.
    value: f64,
}

/// Runs the experiment.
pub fn run(args: &TunersArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let folder = args.lab.out("tuners/results");
    let settings = format!("{} {} {} seed={}", args.player, args.vary, args.check, args.seed);
    let fits = |piece: &Piece| piece.settings == settings;
    let mut journal = Journal::open(&folder.join("journal.jsonl"), args.lab.keep(), fits)?;
    journal.greet(out)?;
    let cancel = interrupt.cancel();
    let mut wanted: Vec<(String, u32, u32, bool)> = Vec::new();
    for imagined in &IMAGINED {
        let each = args.games.iter().flat_map(|&games| (0..args.repeats).map(move |repeat| (games, repeat)));
        wanted.extend(each.map(|(games, repeat)| (imagined.name.to_string(), games, repeat, false)));
    }
    for game in &args.real {
        wanted.extend((0..args.real_repeats).map(|repeat| (game.clone(), args.real_games, repeat, true)));
    }
    let known = |problem: &str, games: u32, repeat: u32| {
        let is = |piece: &&Piece| (piece.problem.as_str(), piece.games, piece.repeat) == (problem, games, repeat);
        journal.entries().iter().filter(is).count() >= METHODS.len()
    };
    wanted.retain(|(problem, games, repeat, _)| !known(problem, *games, *repeat));
    let mut progress = Progress::new();
    for (at, (problem, games, repeat, is_real)) in wanted.iter().enumerate() {
        for (name, method) in METHODS {
            let is = |piece: &Piece| {
                (&piece.problem, piece.method.as_str(), piece.games, piece.repeat) == (problem, name, *games, *repeat)
            };
            if journal.entries().iter().any(is) {
                continue;
            }
            if cancel.is_cancelled() {
                return Err(Interrupted("the same command goes on".to_string()).into());
            }
            let tuning = Tuning { method, games: *games as usize, passes: 3, seed: mixed(args.seed, *repeat) };
            let (found, value) = match IMAGINED.iter().find(|imagined| !is_real && imagined.name == problem) {
                Some(imagined) => imagined.tune(&tuning)?,
                None => really(args, problem, tuning, &cancel)?,
            };
            let (problem, method, settings) = (problem.clone(), name.to_string(), settings.clone());
            journal.add(Piece { settings, problem, method, games: *games, repeat: *repeat, found, value })?;
        }
        progress.fraction((at + 1) as f64 / wanted.len() as f64, |seconds| {
            format!("{} of {} problems, {}", at + 1, wanted.len(), text::seconds(seconds))
        });
    }
    drop(progress);
    let report = Report::new(args, journal.entries());
    save(&folder.join("report.md"), &report.markdown())?;
    save(&folder.join("results.json"), &format!("{:#}\n", report.json()))?;
    write!(out, "{}", report.text())?;
    writeln!(out, "written: {0}/results.json and {0}/report.md", folder.display())?;
    Ok(Answer::Yes)
}

fn mixed(seed: u64, repeat: u32) -> u64 {
    seed.wrapping_mul(1_000_003).wrapping_add(u64::from(repeat))
}

impl Imagined {
    fn space(&self) -> Result<Space> {
        let mut space = Space::default();
        for (at, &start) in self.start.iter().enumerate() {
            let axis = Axis::number(0.0, 1.0, 0.01, start).map_err(anyhow::Error::msg)?;
            space.variables.push(Variable { name: format!("x{}", at + 1), axis });
        }
        Ok(space)
    }

    fn at(&self, space: &Space, point: &Point) -> f64 {
        let values: Vec<f64> =
            space.variables.iter().zip(&point.0).map(|(variable, &at)| variable.axis.value(at)).collect();
        (self.strength)(&values)
    }

    /// What is found, and how much Elo is left to the best.
    fn tune(&self, tuning: &Tuning) -> Result<(String, f64)> {
        let space = self.space()?;
        let mut rng = Rng::new(tuning.seed);
        let mut play = |duels: &[Duel]| {
            let one = |duel: &Duel| {
                let first = if duel.round.is_multiple_of(2) { 0.2 } else { -0.2 };
                let more = self.at(&space, &duel.a) - self.at(&space, &duel.b) + first;
                let drawn = (rng.bits() >> 11) as f64 / (1u64 << 53) as f64;
                f64::from(u8::from(drawn <= 1.0 / (1.0 + (-more).exp())))
            };
            Ok(duels.iter().map(one).collect())
        };
        let found = tune(&space, tuning, &mut play, &mut |_| Ok(()))?;
        Ok((space.text(&found), -ELO * self.at(&space, &found)))
    }
}

/// What is found for the real player, and its points against the start.
fn really(args: &TunersArgs, game: &str, tuning: Tuning, cancel: &game::Cancel) -> Result<(String, f64)> {
    let plan = Plan {
        game: game.to_string(),
        player: args.player.clone(),
        vary: vec![args.vary.clone()],
        tuning,
        check: args.check as usize,
        start: None,
        play: None,
        most: 500,
        parallel: None,
        out: None,
        fresh: false,
    };
    let tuned = tune_player(&plan, &Players::default(), cancel, &mut |_| Ok(()))?;
    let value = if tuned.check.games == 0 { 0.5 } else { tuned.check.points };
    Ok((tuned.found, value))
}

/// The figures of one problem and budget: for each way, the mean and half of its 95% interval.
struct Row {
    problem: String,
    games: u32,
    runs: usize,
    /// Elo at the start, where it is known.
    start: Option<f64>,
    figures: Vec<(f64, f64)>,
}

struct Report {
    told: String,
    rows: Vec<Row>,
}

/// The 97.5% point of Student's distribution, by the first terms of its expansion around the normal one: a hundredth off
/// at five degrees of freedom, and less beyond.
fn student(freedom: f64) -> f64 {
    1.96 + 2.372 / freedom + 2.823 / square(freedom) + 2.56 / freedom.powi(3)
}

/// The mean, and half of its 95% interval.
fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| square(value - mean)).sum();
    let freedom = (count - 1.0).max(1.0);
    (mean, student(freedom) * (squares / freedom / count).sqrt())
}

impl Report {
    fn new(args: &TunersArgs, pieces: &[Piece]) -> Report {
        let mut rows: Vec<Row> = Vec::new();
        let imagined =
            IMAGINED.iter().flat_map(|one| args.games.iter().map(move |&games| (one.name, games, Some(one))));
        let real = args.real.iter().map(|game| (game.as_str(), args.real_games, None));
        for (problem, games, known) in imagined.chain(real) {
            let repeats = if known.is_some() { args.repeats } else { args.real_repeats };
            let of = |method: &str| -> Vec<f64> {
                let own = pieces.iter().filter(|piece| {
                    (piece.problem.as_str(), piece.games, piece.method.as_str()) == (problem, games, method)
                        && piece.repeat < repeats
                });
                own.map(|piece| piece.value).collect()
            };
            let values: Vec<Vec<f64>> = METHODS.iter().map(|(name, _)| of(name)).collect();
            let runs = values.first().map_or(0, Vec::len);
            if runs > 0 {
                let start = known.map(|one| -ELO * (one.strength)(one.start));
                let figures = values.iter().map(|values| mean(values)).collect();
                rows.push(Row { problem: problem.to_string(), games, runs, start, figures });
            }
        }
        let told = format!(
            "Imagined players: Elo left to the best settings, less is better. Real games ({}, varied: {}): points against \
             the start in {} games after each run, more is better. Means over the runs with 95% intervals. Made with \
             version {} by `{}`.",
            args.player,
            args.vary,
            args.check,
            env!("CARGO_PKG_VERSION"),
            args.command()
        );
        Report { told, rows }
    }

    fn table(&self) -> Vec<Vec<String>> {
        let head = ["problem", "games", "runs", "start"].map(String::from);
        let mut table = vec![[head.to_vec(), METHODS.iter().map(|(name, _)| name.to_string()).collect()].concat()];
        for row in &self.rows {
            let figure = |&(mean, half): &(f64, f64)| match row.start {
                Some(_) => format!("{mean:.1} ±{half:.1}"),
                None => format!("{:.1}% ±{:.1}", 100.0 * mean, 100.0 * half),
            };
            let start = row.start.map_or("50%".to_string(), |elo| format!("{:.1}", elo.abs()));
            let mut cells = vec![row.problem.clone(), row.games.to_string(), row.runs.to_string(), start];
            cells.extend(row.figures.iter().map(figure));
            table.push(cells);
        }
        table
    }

    fn text(&self) -> String {
        format!("{}\n\n{}\n", text::wrap_for_terminal(&self.told, 0), text::aligned(&self.table()))
    }

    fn markdown(&self) -> String {
        let mut all = format!("# Ways to tune at equal games\n\n{}\n\n", self.told);
        for (at, row) in self.table().iter().enumerate() {
            let _ = writeln!(all, "| {} |", row.join(" | "));
            if at == 0 {
                let _ = writeln!(all, "|{}", "---|".repeat(row.len()));
            }
        }
        all
    }

    fn json(&self) -> serde_json::Value {
        let row = |row: &Row| {
            let figures: serde_json::Map<String, serde_json::Value> = METHODS
                .iter()
                .zip(&row.figures)
                .map(|((name, _), (mean, half))| (name.to_string(), json!({ "mean": mean, "margin": half })))
                .collect();
            json!({ "problem": row.problem, "games": row.games, "runs": row.runs, "start": row.start,
                    "unit": if row.start.is_some() { "Elo left" } else { "points against the start" }, "methods": figures })
        };
        json!({ "told": self.told, "version": env!("CARGO_PKG_VERSION"), "rows": self.rows.iter().map(row).collect::<Vec<_>>() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_an_imagined_player_is_nothing_left() {
        for imagined in &IMAGINED {
            let mut rng = Rng::new(1);
            let mut highest = f64::MIN;
            for _ in 0..20_000 {
                let x: Vec<f64> = imagined.start.iter().map(|_| rng.below(101) as f64 / 100.0).collect();
                highest = highest.max((imagined.strength)(&x));
            }
            assert!(highest <= 1e-9 && highest > -0.1, "{}: {highest}", imagined.name);
        }
    }

    #[test]
    fn means_have_margins() {
        let (middle, half) = mean(&[1.0, 2.0, 3.0]);
        assert!((middle - 2.0).abs() < 1e-9 && (half - student(2.0) / 3f64.sqrt()).abs() < 1e-9);
        assert!((student(5.0) - 2.571).abs() < 0.01 && (student(39.0) - 2.023).abs() < 0.001);
        assert_eq!(mean(&[4.0]), (4.0, 0.0));
    }
}
