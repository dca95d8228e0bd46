//! Tables of chess endings: building them with all they need, and asking them.

use super::args::{AllArgs, BuildChessArgs, MakeArgs, MetricArg, ProbeArgs};
use super::{bars, files, info, place};
use crate::progress::Progress;
use crate::{Answer, Out, interrupt, table};
use ::table::chess::{self, BuildError, Choice, KIND, Material, Metric, Outcome, Phase, ProbeError, Tables};
use ::table::file::{self, Form};
use anyhow::{Context, Result, bail, ensure};
use native::chess::{Colour, Position};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

impl From<MetricArg> for Metric {
    fn from(metric: MetricArg) -> Metric {
        match metric {
            MetricArg::Dtm => Metric::Mate,
            MetricArg::Dtc => Metric::Conversion,
        }
    }
}

/// Where the table of a material is kept.
pub fn path(folder: &Path, material: Material, metric: Metric) -> PathBuf {
    files::path(folder, KIND, &chess::file_name(material, metric))
}

/// `ludens table build chess`.
pub fn build(args: &BuildChessArgs, out: Out<'_>) -> Result<Answer> {
    let asked = args.tables.iter().map(|name| Ok(Material::parse(name)?)).collect::<Result<Vec<Material>>>()?;
    make(&asked, args.metric.into(), &args.make, out)
}

/// `ludens table all chess`.
pub fn all(args: &AllArgs, out: Out<'_>) -> Result<Answer> {
    let asked: Vec<Material> = (3..=usize::from(args.pieces)).flat_map(Material::all).collect();
    make(&asked, args.metric.into(), &args.make, out)
}

/// One table of a build.
struct Task {
    material: Material,
    asked: bool,
    path: PathBuf,
}

fn make(asked: &[Material], metric: Metric, args: &MakeArgs, out: Out<'_>) -> Result<Answer> {
    let folder = place::folder(args.folder.as_deref())?;
    let mut tasks: Vec<Task> = Vec::new();
    for material in asked {
        for (needed, asked) in material.needs().into_iter().map(|m| (m, false)).chain([(*material, true)]) {
            match tasks.iter_mut().find(|task| task.material == needed) {
                Some(task) => task.asked |= asked,
                None => tasks.push(Task { material: needed, asked, path: path(&folder, needed, metric) }),
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
                    rows.push(row(task, "there", &table, 0.0));
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
        place::check(&format!("building {name}"), needed(task.material), args.memory)?;
    }
    file::clean(folder.join(KIND));
    let mut made = Making::new(metric, args, &open, &mut tables);
    for task in &open {
        rows.push(made.one(task)?);
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

struct Making<'a> {
    metric: Metric,
    args: &'a MakeArgs,
    tables: &'a mut Tables,
    progress: Progress,
    /// Positions of all tables to be built, and of those that are done.
    work: (f64, f64),
}

impl<'a> Making<'a> {
    fn new(metric: Metric, args: &'a MakeArgs, open: &[&Task], tables: &'a mut Tables) -> Making<'a> {
        let all = open.iter().map(|task| chess::Index::new(task.material).len() as f64).sum();
        Making { metric, args, tables, progress: Progress::new(), work: (all, 0.0) }
    }

    fn one(&mut self, task: &Task) -> Result<Value> {
        let started = Instant::now();
        let stop = interrupt::flag();
        let size = chess::Index::new(task.material).len() as f64;
        let Making { metric, tables, progress, work, args } = self;
        let mut watch = |step: chess::Progress| {
            let share = share(&step);
            progress.at(|seconds| {
                let done = (work.1 + share * size) / work.0;
                let left =
                    if done > 0.02 { format!(", about {:.0} s left", seconds / done - seconds) } else { String::new() };
                format!("{}: {}, {:.0} % of all, {seconds:.0} s{left}", task.material, phase(&step), 100.0 * done)
            });
            !stop.load(Ordering::Relaxed)
        };
        let built = chess::build(task.material, *metric, tables, &mut watch);
        let table = match built {
            Ok(table) => table,
            Err(BuildError::Stopped) => {
                bail!("stopped: {} is not built; the tables that were finished stay", task.material)
            }
            Err(error) => return Err(error.into()),
        };
        let statistics = chess::statistics(&table);
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
    let statistics = table.file().map_or(Value::Null, |file| file.header().statistics.clone());
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
        let text = |value: &Value| value.as_u64().map_or("–".to_string(), |count| count.to_string());
        lines.push(vec![
            row["table"].as_str().unwrap_or("").to_string(),
            row["status"].as_str().unwrap_or("").to_string(),
            format!("{:.2}", row["seconds"].as_f64().unwrap_or(0.0)),
            text(&white["won"]),
            text(&white["drawn"]),
            text(&white["lost"]),
            text(&row["statistics"]["longest"]["plies"]),
            text(&row["bytes"]),
        ]);
    }
    write!(out, "{}", table::aligned(&lines))?;
    writeln!(out, "(won, drawn, lost: positions with white to move, unique up to symmetry; longest: in plies)")?;
    writeln!(out, "in {}", folder.join(KIND).display())?;
    Ok(Answer::Yes)
}

/// The tables of a position and of all that can follow, as far as they are there. That of the position must be.
pub fn tables_for(folder: &Path, material: Material, metric: Metric, must: bool) -> Result<Tables> {
    let mut tables = Tables::new();
    for needed in material.needs().into_iter().chain([material]).filter(|material| !material.bare()) {
        let path = path(folder, needed, metric);
        if path.is_file() {
            tables.add(chess::open(&path, needed, metric)?);
        } else if must && needed == material {
            let option = if metric == Metric::Mate { "" } else { " --metric dtc" };
            bail!(
                "the table of {material} ({}) is not in {}; `ludens table build chess {material}{option}` builds it",
                metric.name(),
                folder.display()
            );
        }
    }
    Ok(tables)
}

/// A position and the tables that know it.
struct Asked {
    position: Position,
    metric: Metric,
    tables: Tables,
}

fn ask(name: Option<&str>, fen: &str, args: &ProbeArgs) -> Result<Asked> {
    let position = Position::from_fen(fen).with_context(|| format!("the position {fen:?}"))?;
    let (material, _) = Material::of(&position)?;
    if let Some(name) = name {
        let named = Material::parse(name)?;
        ensure!(named == material, "the men of the position are those of {material}, not of {named}");
    }
    let folder = place::folder(args.folder.as_deref())?;
    let metric = args.metric.into();
    let tables = tables_for(&folder, material, metric, true)?;
    Ok(Asked { position, metric, tables })
}

/// `ludens table probe` for chess.
pub fn probe(name: Option<&str>, fen: &str, args: &ProbeArgs, out: Out<'_>) -> Result<Answer> {
    let Asked { position, metric, tables } = ask(name, fen, args)?;
    let outcome = tables.probe(&position, metric)?;
    let mut choices: Vec<(String, String, Option<Outcome>)> = Vec::new();
    match tables.choices(&position, metric) {
        Ok(known) => {
            let said = |Choice { step, outcome }: &Choice| (step.uci(), position.san(step), Some(*outcome));
            choices.extend(known.iter().map(said));
        }
        // A smaller table is not there: tell what can be told.
        Err(ProbeError::Missing(..)) => {
            let legal = position.legal();
            let worth = |step| tables.worth(&position, step, metric).ok();
            choices.extend(legal.iter().map(|step| (step.uci(), position.san(step), worth(step))));
        }
        Err(error) => return Err(error.into()),
    }
    if args.json {
        let moves = choices.iter().map(|(uci, san, outcome)| {
            json!({ "uci": uci, "san": san, "result": outcome.map(result), "plies": outcome.and_then(plies) })
        });
        let report = json!({ "fen": position.fen(), "turn": position.turn.name(), "metric": metric.name(),
            "result": result(outcome), "plies": plies(outcome), "moves": moves.collect::<Vec<_>>() });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    writeln!(out, "{}", position.fen())?;
    writeln!(out, "{} to move: {}", position.turn.name(), words(outcome, metric))?;
    if choices.is_empty() {
        writeln!(out, "there is no legal move: {}", if position.checkmate() { "mate" } else { "stalemate" })?;
    }
    let width = choices.iter().map(|(_, san, _)| san.chars().count()).max().unwrap_or(0);
    for (_, san, outcome) in &choices {
        let worth = outcome.map_or("unknown: a smaller table is not there".to_string(), |o| words(o, metric));
        writeln!(out, "  {san:<width$}  {worth}")?;
    }
    Ok(Answer::Yes)
}

/// `ludens table line` for chess.
pub fn line(name: Option<&str>, fen: &str, args: &ProbeArgs, out: Out<'_>) -> Result<Answer> {
    let Asked { position, metric, tables } = ask(name, fen, args)?;
    let outcome = tables.probe(&position, metric)?;
    let line = tables.line(&position, metric)?;
    let mut at = position;
    let mut steps = Vec::new();
    for step in &line {
        let (uci, san) = (step.uci(), at.san(step));
        let turn = at.turn;
        at = at.after(step);
        steps.push((turn, uci, san, at.fen()));
    }
    if args.json {
        let moves: Vec<Value> =
            steps.iter().map(|(_, uci, san, fen)| json!({ "uci": uci, "san": san, "fen": fen })).collect();
        let report = json!({ "fen": position.fen(), "metric": metric.name(), "result": result(outcome),
            "plies": plies(outcome), "line": moves });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    writeln!(out, "{} to move: {}", position.turn.name(), words(outcome, metric))?;
    let mut number = 1;
    let mut text = String::new();
    for (at, (turn, _, san, _)) in steps.iter().enumerate() {
        match (turn, at) {
            (Colour::White, _) => text += &format!("{number}. {san} "),
            (Colour::Black, 0) => text += &format!("{number}… {san} "),
            (Colour::Black, _) => text += &format!("{san} "),
        }
        number += usize::from(*turn == Colour::Black);
    }
    write!(out, "{}", wrapped(&text, table::width()))?;
    if outcome == Outcome::Draw {
        writeln!(out, "no line leads to a mate: nobody can force one")?;
    } else {
        writeln!(out, "{}", at.fen())?;
    }
    Ok(Answer::Yes)
}

/// Words in lines that are not longer than the width.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let more = word.chars().count() + 1;
        if length > 0 && length + more > width {
            lines.push('\n');
            length = 0;
        }
        if length > 0 {
            lines.push(' ');
        }
        lines += word;
        length += more;
    }
    if length > 0 {
        lines.push('\n');
    }
    lines
}

fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(_) => "win",
        Outcome::Draw => "draw",
        Outcome::Loss(_) => "loss",
    }
}

fn plies(outcome: Outcome) -> Option<u8> {
    match outcome {
        Outcome::Win(plies) | Outcome::Loss(plies) => Some(plies),
        Outcome::Draw => None,
    }
}

/// For the side to move.
fn words(outcome: Outcome, metric: Metric) -> String {
    let to = match metric {
        Metric::Mate => "mate",
        Metric::Conversion => "mate, a winning capture or a promotion",
    };
    let count = |plies: u8| if plies == 1 { "1 ply".to_string() } else { format!("{plies} plies") };
    match outcome {
        Outcome::Win(plies) => format!("win, {to} in {} (move {})", count(plies), u16::from(plies).div_ceil(2)),
        Outcome::Loss(0) => "loss: this is mate".to_string(),
        Outcome::Loss(plies) => format!("loss, {to} in {}", count(plies)),
        Outcome::Draw => "draw".to_string(),
    }
}

/// What `ludens table info` says of a chess table.
pub fn describe(opened: &file::Table, out: Out<'_>) -> Result<()> {
    let statistics = &opened.header().statistics;
    for side in ["white to move", "black to move"] {
        let counts = &statistics[side];
        writeln!(out, "\n{side}: won {}, drawn {}, lost {}", counts["won"], counts["drawn"], counts["lost"])?;
        write!(out, "{}", bars::histogram(info::counts(&counts["plies"])))?;
    }
    if let (Some(plies), Some(fen)) = (statistics["longest"]["plies"].as_u64(), statistics["longest"]["fen"].as_str()) {
        writeln!(out, "\nlongest    {plies} plies (move {}): {fen}", plies.div_ceil(2))?;
    }
    writeln!(out, "(positions that a symmetry of the board maps to each other count once; bars are by plies)")?;
    Ok(())
}

/// Derives every entry of a table again. The answer is how many entries were compared, or what is wrong.
pub fn verify(path: &Path, folder: &Path) -> Result<Result<u64, String>> {
    let header = file::Table::open(path)?.header().clone();
    let material = Material::parse(&header.name)?;
    let metric = Metric::ALL.into_iter().find(|metric| metric.words() == header.metric);
    let metric = metric.with_context(|| format!("{}: the metric {:?} is unknown", path.display(), header.metric))?;
    let table = checked(path, material, metric)?;
    let mut tables = Tables::new();
    for next in material.next() {
        let beside = path.with_file_name(path_name(&self::path(folder, next, metric)));
        let found = [beside, self::path(folder, next, metric)].into_iter().find(|path| path.is_file());
        let found = found.with_context(|| {
            format!("verifying {material} needs the table of {next}; `ludens table build chess {next}` builds it")
        })?;
        tables.add(checked(&found, next, metric)?);
    }
    let stop = interrupt::flag();
    let total = 2 * table.index().len();
    let progress = std::sync::Mutex::new(Progress::new());
    let go_on = |done: u64| {
        if let Ok(mut progress) = progress.try_lock() {
            progress.at(|seconds| {
                let left = seconds / done as f64 * total.saturating_sub(done) as f64;
                format!("{material}: {done} of {total} entries, {seconds:.0} s, about {left:.0} s left")
            });
        }
        !stop.load(Ordering::Relaxed)
    };
    let found = chess::verify(&table, &tables, &go_on)?;
    drop(progress);
    ensure!(!stop.load(Ordering::Relaxed), "stopped before everything was verified");
    Ok(match found {
        None => Ok(total),
        Some(wrong) => {
            let derived = wrong.derived.map_or("an impossible position".to_string(), |outcome| outcome.to_string());
            Err(format!("{}: the table says {}, its successors say {derived}", wrong.fen, wrong.table))
        }
    })
}

fn path_name(path: &Path) -> &std::ffi::OsStr {
    path.file_name().unwrap_or_default()
}
