//! Tables of chess endings: building them with all they need, and asking them.

use super::args::{AllArgs, BuildChessArgs, MakeArgs, MetricArg};
use super::{files, info};
use ::table::chess::{self, BuildError, KIND, Material, Metric, Phase, Tables};
use ::table::file::{self, Form};
use ::table::store::Store;
use anyhow::{Context, Result, bail, ensure};
use game::Cancel;
use native::chess::Colour;
use platform::{Interrupt, folders, memory};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;
use terminal::Progress;
use terminal::{Answer, Out, bars, text};

impl From<MetricArg> for Metric {
    fn from(metric: MetricArg) -> Metric {
        match metric {
            MetricArg::Dtm => Metric::Mate,
            MetricArg::Dtc => Metric::Conversion,
        }
    }
}

/// `ludens table build chess`.
pub fn build(args: &BuildChessArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let asked = args.tables.iter().map(|name| Ok(Material::parse(name)?)).collect::<Result<Vec<Material>>>()?;
    make(&asked, args.metric.into(), &args.make, interrupt, out)
}

/// `ludens table all chess`.
pub fn all(args: &AllArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let asked: Vec<Material> = (3..=usize::from(args.pieces)).flat_map(Material::all).collect();
    make(&asked, args.metric.into(), &args.make, interrupt, out)
}

/// One table of a build.
struct Task {
    material: Material,
    asked: bool,
    path: PathBuf,
}

fn make(asked: &[Material], metric: Metric, args: &MakeArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let folder = folders::tables(args.folder.as_deref())?;
    let mut tasks: Vec<Task> = Vec::new();
    for material in asked {
        for (needed, asked) in material.needs().into_iter().map(|m| (m, false)).chain([(*material, true)]) {
            match tasks.iter_mut().find(|task| task.material == needed) {
                Some(task) => task.asked |= asked,
                None => {
                    tasks.push(Task { material: needed, asked, path: Store::new(&folder).chess_path(needed, metric) })
                }
            }
        }
    }
    let mut tables = Tables::new();
    let mut open: Vec<&Task> = Vec::new();
    let mut rows = Vec::new();
    for task in &tasks {
        if task.path.is_file() && !(args.force && task.asked) {
            match checked(&task.path, task.material, metric) {
                Ok(table) => {
                    let (table, status) = squeezed(table, task, metric, args)?;
                    rows.push(row(task, status, &table, 0.0));
                    tables.add(table);
                    continue;
                }
                Err(error) if !args.force => return Err(error).context("--force builds it anew"),
                Err(_) => {}
            }
        }
        open.push(task);
    }
    for task in &open {
        let name = task.material.to_string();
        memory::check(&format!("building {name}"), needed(task.material), args.memory)?;
    }
    if !open.is_empty() {
        let bytes = open.iter().map(|task| 2 * chess::Index::new(task.material).len()).sum();
        folders::writable(&folder.join(KIND), (!args.compress).then_some(bytes))?;
    }
    file::clean(folder.join(KIND));
    let mut made = Making::new(metric, args, &open, &mut tables, Store::new(&folder));
    for task in &open {
        rows.push(made.one(task, &interrupt.cancel())?);
    }
    tell(&folder, &rows, args, out)
}

/// The memory that building takes, with the smaller tables, which may have to be unpacked.
fn needed(material: Material) -> u64 {
    let smaller: u64 = material.next().into_iter().map(|next| 2 * chess::Index::new(next).len()).sum();
    chess::memory(material) + smaller
}

/// A table whose every checksum is right.
fn checked(path: &Path, material: Material, metric: Metric) -> Result<chess::Table> {
    let table = chess::open(path, material, metric)?;
    if let Some(file) = table.file() {
        file.check()?;
    }
    Ok(table)
}

/// A table that is there is stored again where it is to be compressed and is not; also says what was done.
fn squeezed(table: chess::Table, task: &Task, metric: Metric, args: &MakeArgs) -> Result<(chess::Table, &'static str)> {
    let raw = table.file().filter(|file| args.compress && task.asked && file.form() == Form::Raw);
    let Some(file) = raw else { return Ok((table, "there")) };
    file.store_as(Form::Compressed)?;
    drop(table);
    Ok((chess::open(&task.path, task.material, metric)?, "compressed"))
}

struct Making<'a> {
    metric: Metric,
    args: &'a MakeArgs,
    tables: &'a mut Tables,
    store: Store,
    progress: Progress,
    /// Positions of all tables to be built, and of those that are done.
    work: (f64, f64),
}

impl<'a> Making<'a> {
    fn new(metric: Metric, args: &'a MakeArgs, open: &[&Task], tables: &'a mut Tables, store: Store) -> Making<'a> {
        let all = open.iter().map(|task| chess::Index::new(task.material).len() as f64).sum();
        Making { metric, args, tables, store, progress: Progress::new(), work: (all, 0.0) }
    }

    fn one(&mut self, task: &Task, cancel: &Cancel) -> Result<Value> {
        let started = Instant::now();
        let size = chess::Index::new(task.material).len() as f64;
        let Making { metric, tables, progress, work, args, store } = self;
        let mut watch = |step: chess::Progress| {
            let share = share(&step);
            progress.at(|seconds| {
                let done = (work.1 + share * size) / work.0;
                let left =
                    if done > 0.02 { format!(", about {:.0} s left", seconds / done - seconds) } else { String::new() };
                format!("{}: {}, {:.0} % of all, {seconds:.0} s{left}", task.material, phase(&step), 100.0 * done)
            });
            !cancel.is_cancelled()
        };
        // What is built upon is looked at in no order, again and again: it is in memory until the table is built.
        let next: Vec<Material> = task.material.next().into_iter().filter(|next| !next.bare()).collect();
        for &material in &next {
            if let Some(table) = tables.remove(material, *metric) {
                tables.add(table.load()?);
            }
        }
        let built = chess::build(task.material, *metric, tables, &mut watch);
        for &material in &next {
            if tables.remove(material, *metric).is_some() {
                tables.add(chess::open(&store.chess_path(material, *metric), material, *metric)?);
            }
        }
        let table = match built {
            Ok(table) => table,
            Err(BuildError::Stopped) => {
                bail!("{} is not built; the tables that were finished stay", task.material)
            }
            Err(error) => return Err(error.into()),
        };
        let statistics = chess::statistics(&table)?;
        let form = if args.compress { Form::Compressed } else { Form::Raw };
        files::make_folder_of(&task.path)?;
        chess::save(&table, &statistics, &task.path, form)?;
        // From here on the file is asked, so that the memory of the builder is free for the next table.
        drop(table);
        let table = chess::open(&task.path, task.material, *metric)?;
        work.1 += size;
        let row = row(task, "built", &table, started.elapsed().as_secs_f64());
        tables.add(table);
        Ok(row)
    }
}

/// How much of the work on a table is done, roughly: layers that nothing is decided in any more are not foreseen.
fn share(step: &chess::Progress) -> f64 {
    let part = step.done as f64 / step.total.max(1) as f64;
    match step.phase {
        Phase::First => 0.3 * part,
        Phase::Layer(_) => 0.3 + 0.6 * part,
        Phase::Pack => 0.9 + 0.1 * part,
    }
}

fn phase(step: &chess::Progress) -> String {
    match step.phase {
        Phase::First => "first look".to_string(),
        Phase::Layer(plies) => format!("{plies} plies"),
        Phase::Pack => "putting in order".to_string(),
    }
}

fn row(task: &Task, status: &str, table: &chess::Table, seconds: f64) -> Value {
    let statistics = table.file().map_or(Value::Null, |file| file.header().statistics());
    let bytes = table.file().map_or(0, file::Table::size);
    json!({ "table": task.material.to_string(), "status": status, "seconds": seconds, "file": task.path,
        "entries": 2 * table.index().len(), "bytes": bytes, "statistics": statistics })
}

fn tell(folder: &Path, rows: &[Value], args: &MakeArgs, out: Out<'_>) -> Result<Answer> {
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &json!({ "folder": folder, "tables": rows }))?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    let head = ["table", "", "seconds", "won", "drawn", "lost", "longest", "bytes"];
    let mut lines = vec![head.map(String::from).to_vec()];
    for row in rows {
        let white = &row["statistics"]["white to move"];
        let longest: Vec<String> =
            longest(&row["statistics"]).iter().map(|(winner, plies, _)| format!("{winner} {plies}")).collect();
        let text = |value: &Value| value.as_u64().map_or("–".to_string(), |count| count.to_string());
        lines.push(vec![
            row["table"].as_str().unwrap_or("").to_string(),
            row["status"].as_str().unwrap_or("").to_string(),
            format!("{:.2}", row["seconds"].as_f64().unwrap_or(0.0)),
            text(&white["won"]),
            text(&white["drawn"]),
            text(&white["lost"]),
            longest.join(", "),
            text(&row["bytes"]),
        ]);
    }
    write!(out, "{}", text::aligned(&lines))?;
    writeln!(
        out,
        "(won, drawn, lost: positions with white to move, unique up to symmetry; longest: who wins, in plies)"
    )?;
    writeln!(out, "in {}", folder.join(KIND).display())?;
    Ok(Answer::Yes)
}

/// The longest wins by who wins: the winner, the plies and the position. Tables of old have the longest of all only.
fn longest(statistics: &Value) -> Vec<(String, u64, String)> {
    let read = |found: &Value| Some((found["plies"].as_u64()?, files::plain(found["fen"].as_str()?)));
    let mut wins: Vec<(String, u64, String)> = Vec::new();
    for winner in Colour::BOTH {
        wins.extend(
            read(&statistics["longest wins"][winner.name()]).map(|(plies, fen)| (winner.name().into(), plies, fen)),
        );
    }
    if wins.is_empty()
        && let Some((plies, fen)) = read(&statistics["longest"])
    {
        let turn = if fen.split_whitespace().nth(1) == Some("w") { Colour::White } else { Colour::Black };
        let winner = if plies % 2 == 1 { turn } else { turn.other() };
        wins.push((winner.name().into(), plies, fen));
    }
    wins
}

/// What `ludens table info` says of a chess table.
pub fn describe(opened: &file::Table, out: Out<'_>) -> Result<()> {
    let statistics = &opened.header().statistics();
    for turn in Colour::BOTH {
        let side = format!("{} to move", turn.name());
        let counts = &statistics[&side];
        writeln!(out, "\n{side}: won {}, drawn {}, lost {}", counts["won"], counts["drawn"], counts["lost"])?;
        // An odd number of plies is a win of the side to move, an even one its loss.
        for (winner, parity) in [(turn, 1), (turn.other(), 0)] {
            let plies = info::counts(&counts["plies"]).into_iter().filter(|(plies, _)| plies % 2 == parity);
            let histogram = bars::histogram(plies);
            if !histogram.is_empty() {
                write!(out, "{} wins, by plies:\n{histogram}", winner.name())?;
            }
        }
    }
    writeln!(out)?;
    for (winner, plies, fen) in longest(statistics) {
        writeln!(out, "longest    {winner} wins, {plies} plies (move {}): {fen}", plies.div_ceil(2))?;
    }
    writeln!(out, "(positions that a symmetry of the board maps to each other count once)")?;
    Ok(())
}

/// What a table of chess counts.
pub fn metric_of(path: &Path, header: &file::Header) -> Result<Metric> {
    let metric = Metric::of(header.metric);
    metric.with_context(|| format!("{}: the metric {:?} is unknown", path.display(), header.metric))
}

/// The file of a table: beside another one, or else in the folder of tables.
pub fn beside_or_in(other: Option<&Path>, folder: &Path, material: Material, metric: Metric) -> Option<PathBuf> {
    let usual = Store::new(folder).chess_path(material, metric);
    let beside = other.and_then(|other| Some(other.with_file_name(usual.file_name()?)));
    beside.into_iter().chain([usual]).find(|path| path.is_file())
}

/// Derives every entry of a table again. The answer is how many entries were compared, or what is wrong.
pub fn verify(
    path: &Path,
    header: &file::Header,
    given: Option<&Path>,
    interrupt: &Interrupt,
) -> Result<Result<u64, String>> {
    let folder = folders::tables(given)?;
    let material = Material::parse(&header.name)?;
    let metric = metric_of(path, header)?;
    let table = checked(path, material, metric)?;
    let mut tables = Tables::new();
    for next in material.next() {
        let found = beside_or_in(Some(path), &folder, next, metric).with_context(|| {
            let option = if metric == Metric::Mate { "" } else { " --metric dtc" };
            let folder = folders::option(given);
            format!(
                "verifying {material} needs the table of {next}; `ludens table build chess {next}{option}{folder}` builds it"
            )
        })?;
        tables.add(checked(&found, next, metric)?.load()?);
    }
    let cancel = interrupt.cancel();
    let total = 2 * table.index().len();
    let progress = std::sync::Mutex::new(Progress::new());
    let go_on = |done: u64| {
        if let Ok(mut progress) = progress.try_lock() {
            progress.at(|seconds| {
                let left = seconds / done as f64 * total.saturating_sub(done) as f64;
                format!("{material}: {done} of {total} entries, {seconds:.0} s, about {left:.0} s left")
            });
        }
        !cancel.is_cancelled()
    };
    let found = chess::verify(&table, &tables, &go_on)?;
    drop(progress);
    ensure!(!cancel.is_cancelled(), "stopped before everything was verified");
    Ok(match found {
        None => chess::misstated(&table)?.map_or(Ok(total), Err),
        Some(wrong) => {
            let derived = wrong.derived.map_or("an impossible position".to_string(), |outcome| outcome.to_string());
            Err(format!("{}: the table says {}, its successors say {derived}", wrong.fen, wrong.table))
        }
    })
}
