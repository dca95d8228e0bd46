//! `ludens bench tables`: what building tables costs, and how fast they answer, beside the figures of other programs.
//!
//! Every build has a process of its own, which measures itself: processor time (user and system, all threads), time on the
//! wall, and the most memory it held, memory maps of files included. Probes are made by one thread.

use super::RunCommand;
use super::meter::{self, Stopwatch};
use ::table::chess::{Index, Material, Metric, Tables};
use ::table::chinese::{Distance, Distances, Spec};
use ::table::store::Store;
use anyhow::{Context, Result, bail};
use clap::Args;
use game::random::Rng;
use native::chess::{Colour, Position};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use terminal::Progress;
use terminal::{Answer, Out, text};

/// Arguments of `bench tables`.
#[derive(Args)]
pub struct BenchTablesArgs {
    /// Also all 35 chess tables of three and four men
    #[arg(long)]
    pub full: bool,
    /// Also a chess table of five men (twice: KRRKR and KQRKR); the smaller ones are built first and not counted
    #[arg(long)]
    pub five: bool,
    /// Also Chinese checkers with six pieces
    #[arg(long)]
    pub chinese: bool,
    /// How long to probe each table
    #[arg(long, default_value_t = 1.0)]
    pub seconds: f64,
    /// Build in this folder and leave the tables there [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Build this in this process and measure it
    #[arg(long, hide = true)]
    pub one: Option<String>,
}

/// Below the help of the command.
pub const HELP: &str = "\
The figures of other programs were measured or published elsewhere, and are shown beside ours as they stand.

Examples:
  ludens bench tables
  ludens bench tables --full --five --chinese --json > tables.json";

/// What a build cost.
#[derive(Serialize, Deserialize)]
struct Cost {
    cpu: f64,
    wall: f64,
    peak: Option<u64>,
}

/// Something to build.
struct Case {
    /// In words.
    what: &'static str,
    /// For the process that builds it.
    order: &'static str,
    /// What it is meant to cost at most, in CPU seconds.
    aim: Option<f64>,
    /// What others need: measured on a machine like the one that the aims are for.
    others: &'static str,
}

const KQKR: Case = Case {
    what: "KQKR with KQK and KRK",
    order: "chess KQKR",
    aim: Some(4.0),
    others: "syzygy1/tb 8.3 s (user), FelicityEgtb 42.8 s",
};
const KQKR_COMPRESSED: Case =
    Case { what: "the same, compressed", order: "chess KQKR compressed", aim: None, others: "" };
const KQKR_SMALLEST: Case =
    Case { what: "the same, as small as can be", order: "chess KQKR smallest", aim: None, others: "" };
const ALL: Case = Case { what: "all 35 of 3 and 4 men", order: "all 4", aim: Some(300.0), others: "" };
const FIVE: [Case; 2] = [
    Case { what: "KRRKR alone", order: "chess KRRKR", aim: Some(100.0), others: "syzygy1/tb 77 s (user)" },
    Case { what: "KQRKR alone", order: "chess KQRKR", aim: Some(100.0), others: "syzygy1/tb 105 s (user)" },
];
const CHINESE: Case = Case {
    what: "Chinese checkers, 6 pieces",
    order: "chinese 6",
    aim: Some(60.0),
    others: "a plain breadth-first search 138 to 182 s, 320 MB",
};
const CHINESE_SMALL: Case = Case { what: "Chinese checkers, 4 pieces", order: "chinese 4", aim: None, others: "" };

/// Placements that are asked for together, where they are.
const AT_A_TIME: usize = 64;
const PROBE_OTHERS: &str = "Gaviota's C code 5.7 to 15.9 M/s in index order, shakmaty-syzygy 0.2 M/s";

/// Runs the command.
pub fn run(args: &BenchTablesArgs, command: RunCommand<'_>, out: Out<'_>) -> Result<Answer> {
    let temporary = std::env::temp_dir().join(format!("ludens-bench-{}", std::process::id()));
    let folder = args.folder.clone().unwrap_or_else(|| temporary.clone());
    if let Some(order) = &args.one {
        return one(order, &folder, command, out);
    }
    let result = measure(args, &folder, out);
    if args.folder.is_none() {
        // Whatever is left behind is in the system's folder for such things.
        let _ = std::fs::remove_dir_all(&temporary);
    }
    result
}

fn measure(args: &BenchTablesArgs, folder: &Path, out: Out<'_>) -> Result<Answer> {
    let small = folder.join("small");
    let compressed = folder.join("compressed");
    let smallest = folder.join("smallest");
    let mut cases: Vec<(Case, PathBuf)> =
        vec![(KQKR, small.clone()), (KQKR_COMPRESSED, compressed.clone()), (KQKR_SMALLEST, smallest.clone())];
    cases.push((CHINESE_SMALL, small.clone()));
    if args.full {
        cases.push((ALL, folder.join("all")));
    }
    if args.five {
        cases.extend(FIVE.map(|case| (case, folder.join("five"))));
    }
    if args.chinese {
        cases.push((CHINESE, small.clone()));
    }
    let mut rows = vec![["built", "CPU s", "wall s", "peak", "aim", "others"].map(String::from).to_vec()];
    let mut builds = Vec::new();
    for (case, folder) in cases {
        if let Some(name) = case.what.strip_suffix(" alone") {
            prepare(name, &folder)?;
        }
        let cost = child(case.order, &folder)?;
        let peak = cost.peak.map_or("–".to_string(), platform::memory::size);
        let aim = case.aim.map_or("–".to_string(), |aim| format!("{aim:.0}"));
        rows.push(vec![
            case.what.to_string(),
            format!("{:.2}", cost.cpu),
            format!("{:.2}", cost.wall),
            peak,
            aim,
            case.others.to_string(),
        ]);
        builds.push(
            json!({ "what": case.what, "cpu_seconds": cost.cpu, "wall_seconds": cost.wall, "peak_bytes": cost.peak,
            "aim_cpu_seconds": case.aim, "others": case.others }),
        );
    }
    let probes = probes(&small, [&compressed, &smallest], args)?;
    if args.json {
        let report = json!({ "version": env!("CARGO_PKG_VERSION"), "clock": meter::clock(),
            "threads": std::thread::available_parallelism().map(usize::from).ok(), "builds": builds, "probes": probes });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    write!(out, "{}", text::aligned(&rows))?;
    let mut rows = vec![["warm random probes, one core", "M/s", "aim", "others"].map(String::from).to_vec()];
    for probe in &probes {
        rows.push(vec![
            probe["what"].as_str().unwrap_or("").to_string(),
            format!("{:.2}", probe["per_second"].as_f64().unwrap_or(0.0) / 1e6),
            format!("{:.0}", probe["aim"].as_f64().unwrap_or(0.0) / 1e6),
            probe["others"].as_str().unwrap_or("").to_string(),
        ]);
    }
    write!(out, "\n{}", text::aligned(&rows))?;
    writeln!(out, "\n(CPU s: user and system, all threads; a build includes counting and writing the tables)")?;
    Ok(Answer::Yes)
}

/// Builds what a table needs, without measuring.
fn prepare(name: &str, folder: &Path) -> Result<()> {
    let needs: Vec<String> = Material::parse(name)?.needs().iter().map(Material::to_string).collect();
    if !needs.is_empty() {
        child(&format!("chess {}", needs.join(" ")), folder)?;
    }
    Ok(())
}

/// Builds in a process of its own.
fn child(order: &str, folder: &Path) -> Result<Cost> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let mut child = Command::new(program)
        .args(["bench", "tables", "--one", order, "--folder"])
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start a process to measure in")?;
    let mut progress = Progress::new();
    while child.try_wait().context("cannot wait for the process")?.is_none() {
        progress.at(|seconds| format!("{order}: {seconds:.0} s"));
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().context("cannot read what the process says")?;
    match serde_json::from_slice(&output.stdout) {
        Ok(cost) => Ok(cost),
        Err(_) => bail!("{order}: {}", String::from_utf8_lossy(&output.stderr).trim()),
    }
}

/// The other side: builds and says what it cost.
fn one(order: &str, folder: &Path, command: RunCommand<'_>, out: Out<'_>) -> Result<Answer> {
    let mut words = order.split(' ');
    let kind = words.next().unwrap_or("");
    let mut line: Vec<String> = match kind {
        "chess" => vec!["table".into(), "build".into(), "chess".into()],
        "all" => vec!["table".into(), "all".into(), "chess".into(), "--pieces".into()],
        "chinese" => vec!["table".into(), "build".into(), "chinese-checkers".into(), "--pieces".into()],
        other => bail!("{other:?} cannot be measured"),
    };
    line.extend(words.map(|word| match word {
        "compressed" => "--compress".to_string(),
        "smallest" => "--small".to_string(),
        word => word.to_string(),
    }));
    line.extend(["--json".to_string(), "--folder".to_string(), folder.display().to_string()]);
    let watch = Stopwatch::start();
    command(&line)?;
    let cost = Cost { cpu: watch.seconds(), wall: watch.wall(), peak: meter::memory().map(|memory| memory.peak) };
    serde_json::to_writer(&mut *out, &cost)?;
    Ok(Answer::Yes)
}

/// So many different positions are asked for, again and again.
const POSITIONS: usize = 1 << 16;
/// What raw and compressed tables are meant to answer a second.
const AIMS: (f64, f64) = (5e6, 1e6);

fn probes(raw: &Path, [compressed, smallest]: [&Path; 2], args: &BenchTablesArgs) -> Result<Vec<Value>> {
    let mut rows = Vec::new();
    let kqkr = Material::parse("KQKR")?;
    let positions = positions(kqkr);
    let chess = [
        ("KQKR, raw", raw, AIMS.0),
        ("KQKR, compressed", compressed, AIMS.1),
        ("KQKR, as small as can be", smallest, AIMS.1),
    ];
    for (what, folder, aim) in chess {
        let tables = Store::new(folder).chess(Metric::Mate);
        let rate = rate(args.seconds, &positions, |position| won(&tables, position));
        rows.push(json!({ "what": what, "per_second": rate, "aim": aim, "others": PROBE_OTHERS }));
    }
    let mut chinese = vec![4];
    chinese.extend(args.chinese.then_some(6));
    for pieces in chinese {
        let path = Store::new(raw).chinese_path(&Spec::new(9, pieces));
        let table = Distances::open(&path)?;
        let mut rng = Rng::new(1);
        let entries = table.space().entries();
        let placement = |_| table.space().placement(rng.below(entries as usize) as u64).unwrap_or_default();
        let placements: Vec<u128> = (0..POSITIONS).map(placement).collect();
        let rate = rate(args.seconds, &placements, |cells| moves(table.distance(*cells).ok()));
        let what = format!("Chinese checkers, {pieces} pieces, raw");
        rows.push(json!({ "what": what, "per_second": rate, "aim": AIMS.0, "others": "" }));
        let rate = rate_of_many(args.seconds, &table, &placements);
        let what = format!("the same, {AT_A_TIME} at a time");
        rows.push(json!({ "what": what, "per_second": rate, "aim": AIMS.0, "others": "" }));
    }
    Ok(rows)
}

/// Random legal positions, both sides to move.
fn positions(material: Material) -> Vec<Position> {
    let index = Index::new(material);
    let mut rng = Rng::new(1);
    let mut positions = Vec::with_capacity(POSITIONS);
    while positions.len() < POSITIONS {
        let turn = Colour::BOTH[rng.below(2)];
        let position = index.position(&index.unrank(rng.below(index.len() as usize) as u64), turn);
        if !position.broken() {
            positions.push(position);
        }
    }
    positions
}

fn won(tables: &Tables, position: &Position) -> u64 {
    tables.probe(position, Metric::Mate).map_or(0, |outcome| u64::from(outcome.plies().unwrap_or(0)))
}

fn moves(distance: Option<Distance>) -> u64 {
    u64::from(distance.and_then(Distance::moves).unwrap_or(0))
}

/// [`rate`] for placements asked as a search asks for those that follow from a state: some dozens at a time.
fn rate_of_many(seconds: f64, table: &Distances, placements: &[u128]) -> f64 {
    let groups: Vec<&[u128]> = placements.chunks(AT_A_TIME).collect();
    let mut answers = Vec::new();
    AT_A_TIME as f64
        * rate(seconds, &groups, |group| {
            let _ = table.distances(group, &mut answers);
            answers.iter().map(|answer| moves(Some(*answer))).sum()
        })
}

/// Answers a second, after a first round that warms everything up.
fn rate<T>(seconds: f64, things: &[T], mut ask: impl FnMut(&T) -> u64) -> f64 {
    let mut sum: u64 = things.iter().map(&mut ask).sum();
    let watch = Stopwatch::start();
    let mut asked = 0;
    while watch.seconds() < seconds {
        sum = sum.wrapping_add(things.iter().map(&mut ask).sum());
        asked += things.len();
    }
    // The sum is used, so that no answer can be left out.
    std::hint::black_box(sum);
    asked as f64 / watch.seconds()
}
