//! `ludens lab anchors`: the public rulesheets under our best engine, beside what other systems make of the same files.

use crate::args::AnchorsArgs;
use crate::bench::measure::{Measured, Outcome, Row};
use crate::bench::report::{bytes, playouts, rate};
use crate::bench::{corpus, measured, meter};
use agent::EngineChoice;
use anyhow::{Context, Result};
use host::journal::Journal;
use platform::save;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use terminal::{Answer, Out, text};

/// What others make of a rulesheet.
#[derive(Deserialize)]
struct Anchor {
    name: String,
    sancho: Option<Speed>,
    ggplib: Option<Speed>,
    swi: Option<Speed>,
}

#[derive(Deserialize, Clone, Copy)]
struct Speed {
    states: f64,
    playouts: Option<f64>,
}

#[derive(Deserialize)]
struct Published {
    game: Vec<Anchor>,
}

fn published() -> Result<Vec<Anchor>> {
    let published: Published = toml::from_str(include_str!("anchors.toml")).context("the figures of other systems")?;
    Ok(published.game)
}

/// Whom a game is compared with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// The better of the two propositional networks.
    Network,
    /// SWI-Prolog: neither of the networks gets ready.
    Prolog,
}

impl Anchor {
    /// The best of the others, and who that is.
    fn best(&self) -> Option<(Class, &'static str, Speed)> {
        let networks = [("Sancho", self.sancho), ("ggplib", self.ggplib)];
        let networks = networks.into_iter().filter_map(|(name, speed)| Some((name, speed?)));
        let best = networks.max_by(|a, b| a.1.order().total_cmp(&b.1.order()));
        let best = best.map(|(name, speed)| (Class::Network, name, speed));
        best.or(self.swi.map(|speed| (Class::Prolog, "SWI-Prolog", speed)))
    }
}

impl Speed {
    fn order(&self) -> f64 {
        self.playouts.unwrap_or(self.states)
    }
}

/// One game beside the best of the others.
#[derive(Clone, Debug, Serialize)]
pub struct Ratio {
    game: String,
    class: Class,
    engine: String,
    /// Compared by whole games, or by states where the others have no figure for games.
    by: &'static str,
    ours: f64,
    other: &'static str,
    others: f64,
    ratio: f64,
    /// Measured for too short a time to be more than a guess.
    rough: bool,
}

impl Ratio {
    fn of(anchor: &Anchor, ours: &Measured) -> Option<Ratio> {
        let (class, other, speed) = anchor.best()?;
        let (by, ours_is, others) = match (speed.playouts, ours.playouts_per_second) {
            (Some(others), Some(ours)) => ("playouts", ours, others),
            _ => ("states", ours.states_per_second, speed.states),
        };
        let (game, engine) = (anchor.name.clone(), ours.engine.clone());
        let (ratio, rough) = (ours_is / others, ours.play.few && by == "playouts");
        Some(Ratio { game, class, engine, by, ours: ours_is, other, others, ratio, rough })
    }
}

/// Ratios of one class together.
#[derive(Clone, Debug, Serialize)]
pub struct Together {
    games: usize,
    /// How many there are figures for.
    of: usize,
    geometric_mean: f64,
    least: f64,
    least_game: String,
}

/// A value that belongs to a game.
#[derive(Clone, Debug, Serialize)]
pub struct Extreme<T> {
    game: String,
    value: T,
}

/// Everything that the measurements say.
#[derive(Debug, Serialize)]
pub struct Comparison {
    rulesheets: usize,
    /// Those that were played.
    played: usize,
    /// How many each engine ran.
    engines: BTreeMap<String, usize>,
    /// Seconds from the text to the first moves.
    ready_median: Option<f64>,
    ready_longest: Option<Extreme<f64>>,
    /// Bytes.
    memory_most: Option<Extreme<u64>>,
    networks: Option<Together>,
    prolog: Option<Together>,
    ratios: Vec<Ratio>,
}

impl Comparison {
    /// Compares measurements with the published figures.
    pub fn of(rows: &[Row]) -> Result<Comparison> {
        let anchors = published()?;
        let found: BTreeMap<&str, &Measured> =
            rows.iter().filter_map(|row| Some((row.game.as_str(), row.measured()?))).collect();
        let ratios: Vec<Ratio> =
            anchors.iter().filter_map(|anchor| Ratio::of(anchor, found.get(anchor.name.as_str())?)).collect();
        let mut engines = BTreeMap::new();
        found.values().for_each(|measured| *engines.entry(measured.engine.clone()).or_default() += 1);
        let mut ready: Vec<(f64, &str)> = found.iter().map(|(name, measured)| (measured.ready, *name)).collect();
        ready.sort_by(|a, b| a.0.total_cmp(&b.0));
        let memory = found.iter().filter_map(|(name, measured)| Some((measured.memory?, *name))).max();
        let together = |class| {
            let of = anchors.iter().filter(|anchor| anchor.best().is_some_and(|best| best.0 == class)).count();
            Together::of(ratios.iter().filter(|ratio| ratio.class == class), of)
        };
        Ok(Comparison {
            rulesheets: rows.len(),
            played: found.len(),
            engines,
            ready_median: median(&ready),
            ready_longest: ready.last().map(|(value, game)| Extreme { game: game.to_string(), value: *value }),
            memory_most: memory.map(|(value, game)| Extreme { game: game.to_string(), value }),
            networks: together(Class::Network),
            prolog: together(Class::Prolog),
            ratios,
        })
    }

    /// The most important in a few lines.
    pub fn summary(&self) -> String {
        let engines: Vec<String> = self.engines.iter().map(|(engine, games)| format!("{games} by {engine}")).collect();
        let mut text = format!("{} rulesheets, {} played: {}\n", self.rulesheets, self.played, engines.join(", "));
        if let (Some(median), Some(Extreme { game, value })) = (self.ready_median, &self.ready_longest) {
            let (median, longest) = (text::seconds(median), text::seconds(*value));
            let _ = writeln!(text, "ready after {median} (median), at most {longest} ({game})");
        }
        if let Some(Extreme { game, value }) = &self.memory_most {
            let _ = writeln!(text, "memory at most {} ({game})", bytes(*value));
        }
        let others = [(&self.networks, "the better of Sancho and ggplib"), (&self.prolog, "SWI-Prolog")];
        for (together, whom) in others {
            if let Some(Together { games, of, geometric_mean, least, least_game }) = together {
                let (mean, least) = (rate(*geometric_mean), rate(*least));
                let _ = writeln!(
                    text,
                    "{games} of {of} games beside {whom}: {mean} times as fast (geometric mean), at least {least} times ({least_game})"
                );
            }
        }
        text
    }

    fn cells(&self) -> Vec<Vec<String>> {
        let head = ["game", "engine", "by", "ours", "others", "", "ratio"];
        let mut lines = vec![head.map(String::from).to_vec()];
        for Ratio { game, engine, by, ours, other, others, ratio, rough, .. } in &self.ratios {
            let by = format!("{by}/s");
            let about = if *rough { "~" } else { "" };
            lines.push(vec![
                game.clone(),
                engine.clone(),
                by,
                format!("{about}{}", rate(*ours)),
                rate(*others),
                other.to_string(),
                format!("{about}{}x", rate(*ratio)),
            ]);
        }
        lines
    }

    /// Game by game, for the terminal.
    pub fn table(&self) -> String {
        if self.ratios.is_empty() {
            return "none of these games has a published figure\n".to_string();
        }
        text::aligned(&self.cells())
    }

    /// Game by game, for a page.
    fn markdown(&self) -> String {
        markdown(&self.cells())
    }
}

/// Cells as a table of a Markdown page; the first row is the head, numbers stand to the right.
pub fn markdown(cells: &[Vec<String>]) -> String {
    let mut text = String::new();
    for (number, line) in cells.iter().enumerate() {
        let _ = writeln!(text, "| {} |", line.join(" | "));
        if number == 0 {
            let rules: Vec<&str> = (0..line.len()).map(|column| if column == 0 { "---" } else { "---:" }).collect();
            let _ = writeln!(text, "|{}|", rules.join("|"));
        }
    }
    text
}

fn median(sorted: &[(f64, &str)]) -> Option<f64> {
    let (low, high) = (sorted.get(sorted.len().checked_sub(1)? / 2)?, sorted.get(sorted.len() / 2)?);
    Some((low.0 + high.0) / 2.0)
}

impl Together {
    fn of<'a>(ratios: impl Iterator<Item = &'a Ratio> + Clone, of: usize) -> Option<Together> {
        let least = ratios.clone().min_by(|a, b| a.ratio.total_cmp(&b.ratio))?;
        let games = ratios.clone().count();
        let geometric_mean = (ratios.map(|ratio| ratio.ratio.ln()).sum::<f64>() / games as f64).exp();
        Some(Together { games, of, geometric_mean, least: least.ratio, least_game: least.game.clone() })
    }
}

/// A finished measurement.
#[derive(Serialize, Deserialize)]
struct Entry {
    seconds: f64,
    seed: u64,
    row: Row,
}

/// Runs the experiment.
pub fn run(args: &AnchorsArgs, out: Out<'_>) -> Result<Answer> {
    let sheets = corpus(&args.corpus, &args.games)?;
    let fits = |entry: &Entry| entry.seconds == args.seconds && entry.seed == args.seed;
    let mut journal = Journal::open(&args.lab.out("anchors").join("journal.jsonl"), args.lab.keep(), fits)?;
    journal.greet(out)?;
    let mut rows = Vec::new();
    for (number, sheet) in sheets.iter().enumerate() {
        let known = journal.entries().iter().find(|entry| entry.row.game == sheet.name);
        let row = match known {
            Some(entry) => entry.row.clone(),
            None => {
                let row = measured(sheet, EngineChoice::Auto, args.seconds, args.limit, args.seed);
                journal.add(Entry { seconds: args.seconds, seed: args.seed, row: row.clone() })?;
                row
            }
        };
        writeln!(out, "{}/{} {}", number + 1, sheets.len(), told(&row))?;
        out.flush()?;
        rows.push(row);
    }
    let comparison = Comparison::of(&rows)?;
    writeln!(out, "\n{}\n{}", comparison.summary(), comparison.table())?;
    write_files(args, &rows, &comparison, out)?;
    Ok(if comparison.played < rows.len() { Answer::No } else { Answer::Yes })
}

fn told(row: &Row) -> String {
    match &row.outcome {
        Outcome::Failed { error } => format!("{}: {error}", row.game),
        Outcome::Measured(measured) => {
            let Measured { engine, ready, states_per_second, playouts_per_second, .. } = &**measured;
            let playouts = playouts_per_second.map_or("no whole game".to_string(), |n| rate(n) + " playouts/s");
            let (ready, states) = (text::seconds(*ready), rate(*states_per_second));
            format!("{}: {engine}, ready after {ready}, {states} states/s, {playouts}", row.game)
        }
    }
}

fn write_files(args: &AnchorsArgs, rows: &[Row], comparison: &Comparison, out: Out<'_>) -> Result<()> {
    let folder = args.lab.out("anchors");
    let settings = json!({ "version": env!("CARGO_PKG_VERSION"), "seconds": args.seconds, "seed": args.seed,
        "clock": meter::clock(), "engine": "auto" });
    let results = json!({ "settings": settings, "comparison": comparison, "games": rows });
    save(&folder.join("results.json"), &(serde_json::to_string_pretty(&results)? + "\n"))?;
    let mut page = format!(
        "# The public rulesheets, beside other systems\n\nEach rulesheet under the engine that `auto` takes, {} s of random games on one core; a second is a {}. \
         Others: see `crates/ludens/src/lab/anchors.toml`.\n\n",
        args.seconds,
        meter::clock().second(),
    );
    for line in comparison.summary().lines() {
        let _ = writeln!(page, "- {line}");
    }
    let _ = write!(page, "\n{}\n## All rulesheets\n\n{}", comparison.markdown(), markdown(&all(rows)));
    save(&folder.join("report.md"), &page)?;
    writeln!(out, "written: {0}/results.json and {0}/report.md", folder.display())?;
    Ok(())
}

fn all(rows: &[Row]) -> Vec<Vec<String>> {
    let head = ["game", "engine", "ready", "memory", "states/s", "one by one", "playouts/s", "length"];
    let mut lines = vec![head.map(String::from).to_vec()];
    for row in rows {
        lines.push(match &row.outcome {
            Outcome::Failed { error } => {
                let mut cells = vec!["-".to_string(); head.len()];
                (cells[0], cells[1]) = (row.game.clone(), error.replace('|', "/"));
                cells
            }
            Outcome::Measured(measured) => vec![
                row.game.clone(),
                measured.engine.clone(),
                text::seconds(measured.ready),
                measured.memory.map_or("n/a".to_string(), bytes),
                rate(measured.states_per_second),
                measured.single_states_per_second.map_or("-".to_string(), rate),
                playouts(&measured.play),
                format!("{:.1}", measured.play.length()),
            ],
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measure::Play;

    fn row(game: &str, playouts: f64, ready: f64) -> Row {
        let measured = Measured {
            engine: "net".to_string(),
            fallback: None,
            ready,
            ready_wall: ready,
            memory: Some(1 << 20),
            states_per_second: playouts * 10.0,
            playouts_per_second: Some(playouts),
            single_states_per_second: None,
            play: Play::default(),
        };
        Row { game: game.to_string(), asked: "auto".to_string(), outcome: Outcome::Measured(Box::new(measured)) }
    }

    #[test]
    fn figures_are_those_of_the_better_network() {
        let anchors = published().expect("the figures can be read");
        let best = |name: &str| anchors.iter().find(|anchor| anchor.name == name).and_then(Anchor::best);
        let (class, whose, speed) = best("ticTacToe").expect("it has figures");
        assert_eq!((class, whose, speed.playouts), (Class::Network, "ggplib", Some(251e3)));
        assert_eq!(best("hex").map(|best| best.1), Some("ggplib"));
        assert_eq!(best("speedChess").map(|best| best.1), Some("Sancho"));
        assert_eq!(best("amazons").map(|best| (best.0, best.2.playouts)), Some((Class::Prolog, None)));
        let of = |class| anchors.iter().filter(|anchor| anchor.best().is_some_and(|best| best.0 == class)).count();
        assert_eq!((of(Class::Network), of(Class::Prolog)), (18, 5));
    }

    #[test]
    fn ratios_come_together() {
        let mut rows = vec![row("ticTacToe", 251e3 * 100.0, 0.1), row("hex", 1132.0, 3.0), row("amazons", 79.0, 1.0)];
        rows.push(Row::failed("chess", EngineChoice::Auto, "too large"));
        let comparison = Comparison::of(&rows).expect("a comparison");
        let networks = comparison.networks.clone().expect("two of them");
        assert_eq!((networks.games, networks.of, networks.least_game.as_str()), (2, 18, "hex"));
        assert!((networks.geometric_mean - 10.0).abs() < 1e-9 && (networks.least - 1.0).abs() < 1e-9);
        let prolog = comparison.prolog.as_ref().expect("one of them");
        assert!((prolog.least - 10.0).abs() < 1e-9, "by states, as there is no other figure: {prolog:?}");
        assert_eq!((comparison.played, comparison.ready_median), (3, Some(1.0)));
        assert!(comparison.summary().contains("at most 3.00 s (hex)"), "{}", comparison.summary());
        assert_eq!(comparison.markdown().lines().count(), 2 + 3);
    }
}
