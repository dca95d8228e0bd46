//! Tables of chess endings, built with all they need, and verified.

use anyhow::{Context, Result, bail, ensure};
use game::Cancel;
use platform::{folders, memory};
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Instant;
use table::chess::{self, BuildError, KIND, Material, Metric, Phase, Tables};
use table::file::{self, Form};
use table::store::Store;

/// How tables are to be built.
pub struct Making<'a> {
    /// The folder of tables.
    pub folder: PathBuf,
    /// What is counted.
    pub metric: Metric,
    /// How those that are asked for are stored.
    pub form: Form,
    /// Whether those that are asked for are built anew.
    pub force: bool,
    /// The most memory to use, in MiB.
    pub memory: Option<u64>,
    /// Ends it early; the tables that are finished stay.
    pub cancel: &'a Cancel,
}

/// How far it is.
pub struct HowFar {
    /// The table at hand.
    pub material: Material,
    /// How far that is.
    pub step: chess::Progress,
    /// The part of all work that is done.
    pub done: f64,
}

/// A table that is there now.
#[derive(Serialize)]
pub struct Made {
    /// Its men.
    pub table: String,
    /// What was done.
    pub status: &'static str,
    /// How long that took.
    pub seconds: f64,
    /// Where it is.
    pub file: PathBuf,
    /// Its entries.
    pub entries: u64,
    /// Its size.
    pub bytes: u64,
    /// What it says of itself.
    pub statistics: Value,
}

/// One table of a build.
struct Task {
    material: Material,
    asked: bool,
    path: PathBuf,
}

impl Task {
    fn made(&self, status: &'static str, table: &chess::Table, seconds: f64) -> Made {
        Made {
            table: self.material.to_string(),
            status,
            seconds,
            file: self.path.clone(),
            entries: 2 * table.index().len(),
            bytes: table.file().map_or(0, file::Table::size),
            statistics: table.file().map_or(Value::Null, |file| file.header().statistics()),
        }
    }
}

/// What building would cost.
#[derive(Clone, Serialize, Debug)]
pub struct Cost {
    /// How many tables there are to be built.
    pub tables: usize,
    /// Their entries.
    pub entries: u64,
    /// The seconds that it takes, about, at the speed of this machine at this moment; not told where it takes no time.
    pub seconds: Option<f64>,
    /// The bytes of memory that the largest of them takes.
    pub memory: u64,
    /// The bytes of memory that may be used.
    pub memory_limit: u64,
    /// The bytes that their files take, about.
    pub disk: u64,
    /// The bytes that are free there, where the system tells.
    pub disk_free: Option<u64>,
}

/// So many entries take no time that somebody would ask for.
const QUICK: u64 = 50_000_000;
/// What is built to measure the speed: 1.7 million entries, like all larger tables in blocks of pairs of kings.
const MEASURE: &str = "KRRK";
/// How much of its entries' bytes a table takes, about: the mean over all tables of three and four men, and some more.
fn shrinks_to(form: Form) -> f64 {
    match form {
        Form::Raw => 1.0,
        Form::Compressed => 0.5,
        Form::Small => 0.25,
    }
}

impl Making<'_> {
    /// What it would cost to build tables and all that they need. The speed is measured by building a small table, where
    /// there is much to do.
    ///
    /// # Errors
    /// When that cannot be built.
    pub fn cost(&self, asked: &[Material]) -> Result<Cost> {
        let tasks = self.tasks(asked);
        let open: Vec<&Task> = tasks.iter().filter(|task| !task.path.is_file() || self.force && task.asked).collect();
        let entries = open.iter().map(|task| entries(task.material)).sum();
        Ok(Cost {
            tables: open.len(),
            entries,
            seconds: if entries > QUICK { Some(entries as f64 * self.seconds_an_entry()?) } else { None },
            memory: open.iter().map(|task| needed(task.material)).max().unwrap_or(0),
            memory_limit: memory::budget(self.memory),
            disk: self.disk(entries),
            disk_free: folders::free(&self.folder),
        })
    }

    /// How long an entry takes at the moment, with counting and storing it.
    fn seconds_an_entry(&self) -> Result<f64> {
        let material = Material::parse(MEASURE)?;
        let mut tables = Tables::new();
        for needed in material.needs() {
            tables.add(chess::build(needed, self.metric, &tables, &mut |_| true)?);
        }
        let began = Instant::now();
        let table = chess::build(material, self.metric, &tables, &mut |_| !self.cancel.is_cancelled());
        let table = match table {
            Err(BuildError::Stopped) => bail!("stopped before anything was built"),
            table => table?,
        };
        chess::statistics(&table)?;
        Ok(began.elapsed().as_secs_f64() / entries(material) as f64)
    }

    /// The bytes that so many entries take in files, about.
    fn disk(&self, entries: u64) -> u64 {
        (entries as f64 * shrinks_to(self.form)) as u64
    }

    /// Builds tables and all that they need, as far as they are not there, and tells how far it is.
    ///
    /// # Errors
    /// When one that is there is damaged, memory or disk is too small, or it was cancelled.
    pub fn run(&self, asked: &[Material], tell: &mut dyn FnMut(&HowFar)) -> Result<Vec<Made>> {
        let tasks = self.tasks(asked);
        let mut tables = Tables::new();
        let mut open: Vec<&Task> = Vec::new();
        let mut all = Vec::new();
        for task in &tasks {
            if task.path.is_file() && !(self.force && task.asked) {
                match checked(&task.path, task.material, self.metric) {
                    Ok(table) => {
                        let (table, status) = self.squeezed(table, task)?;
                        all.push(task.made(status, &table, 0.0));
                        tables.add(table);
                        continue;
                    }
                    Err(error) if !self.force => return Err(error).context("--force builds it anew"),
                    Err(_) => {}
                }
            }
            open.push(task);
        }
        for task in &open {
            let name = task.material.to_string();
            memory::check(&format!("building {name}"), needed(task.material), self.memory)?;
        }
        let folder = self.folder.join(KIND);
        if !open.is_empty() {
            let all = open.iter().map(|task| entries(task.material)).sum();
            folders::writable(&folder, Some(self.disk(all)))?;
        }
        file::clean(folder);
        let size = |task: &Task| chess::Index::new(task.material).len() as f64;
        let (work, mut done) = (open.iter().map(|task| size(task)).sum::<f64>(), 0.0);
        for task in &open {
            let mut at = |step: chess::Progress| {
                let done = (done + share(&step) * size(task)) / work;
                tell(&HowFar { material: task.material, step, done });
            };
            all.push(self.one(task, &mut tables, &mut at)?);
            done += size(task);
        }
        Ok(all)
    }

    /// What is asked for and what that needs, in the order in which it can be built.
    fn tasks(&self, asked: &[Material]) -> Vec<Task> {
        let mut tasks: Vec<Task> = Vec::new();
        for material in asked {
            for (needed, asked) in material.needs().into_iter().map(|m| (m, false)).chain([(*material, true)]) {
                match tasks.iter_mut().find(|task| task.material == needed) {
                    Some(task) => task.asked |= asked,
                    None => {
                        let path = Store::new(&self.folder).chess_path(needed, self.metric);
                        tasks.push(Task { material: needed, asked, path });
                    }
                }
            }
        }
        tasks
    }

    /// A table that is there is stored again where it is to be smaller; also says what was done.
    fn squeezed(&self, table: chess::Table, task: &Task) -> Result<(chess::Table, &'static str)> {
        let larger = table.file().filter(|file| task.asked && file.form() < self.form);
        let Some(file) = larger else { return Ok((table, "there")) };
        file.store_as(self.form)?;
        drop(table);
        Ok((chess::open(&task.path, task.material, self.metric)?, "compressed"))
    }

    fn one(&self, task: &Task, tables: &mut Tables, at: &mut dyn FnMut(chess::Progress)) -> Result<Made> {
        let started = Instant::now();
        let metric = self.metric;
        let store = Store::new(&self.folder);
        // What is built upon is looked at in no order, again and again: it is in memory until the table is built.
        let next: Vec<Material> = task.material.next().into_iter().filter(|next| !next.bare()).collect();
        for &material in &next {
            if let Some(table) = tables.remove(material, metric) {
                tables.add(table.load()?);
            }
        }
        let built = chess::build(task.material, metric, tables, &mut |step| {
            at(step);
            !self.cancel.is_cancelled()
        });
        for &material in &next {
            if tables.remove(material, metric).is_some() {
                tables.add(chess::open(&store.chess_path(material, metric), material, metric)?);
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
        folders::make_for(&task.path)?;
        chess::save(&table, &statistics, &task.path, self.form)?;
        // From here on the file is asked, so that the memory of the builder is free for the next table.
        drop(table);
        let table = chess::open(&task.path, task.material, metric)?;
        let made = task.made("built", &table, started.elapsed().as_secs_f64());
        tables.add(table);
        Ok(made)
    }
}

/// How many entries a table has.
fn entries(material: Material) -> u64 {
    2 * chess::Index::new(material).len()
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

/// How much of the work on a table is done, roughly: layers that nothing is decided in any more are not foreseen.
fn share(step: &chess::Progress) -> f64 {
    let part = step.done as f64 / step.total.max(1) as f64;
    let (pass, passes) = step.pass;
    let part = match step.phase {
        Phase::First => 0.3 * part,
        Phase::Layer(_) => 0.3 + 0.7 * part,
        Phase::Pack => return 0.9 + 0.1 * part,
    };
    0.9 * (f64::from(pass) + part) / f64::from(passes)
}

/// What a table of chess counts.
///
/// # Errors
/// When nobody knows what that is.
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

/// Derives every entry of a table again, and tells how many are done, and of how many. The answer is how many entries were compared, or what is
/// wrong.
///
/// # Errors
/// When a table that it needs is missing or damaged, or it was cancelled.
pub fn verify(
    path: &Path,
    header: &file::Header,
    given: Option<&Path>,
    cancel: &Cancel,
    tell: &(dyn Fn(Material, u64, u64) + Sync),
) -> Result<Result<u64, String>> {
    let folder = folders::tables(given)?;
    let material = Material::parse(&header.name)?;
    let metric = metric_of(path, header)?;
    let table = checked(path, material, metric)?;
    let mut tables = Tables::new();
    for next in material.next() {
        let found = beside_or_in(Some(path), &folder, next, metric).with_context(|| {
            let option = metric.option();
            let folder = folders::option(given);
            format!(
                "verifying {material} needs the table of {next}; `ludens table build chess {next}{option}{folder}` builds it"
            )
        })?;
        tables.add(checked(&found, next, metric)?.load()?);
    }
    let total = 2 * table.index().len();
    let go_on = |done: u64| {
        tell(material, done, total);
        !cancel.is_cancelled()
    };
    let found = chess::verify(&table, &tables, &go_on)?;
    ensure!(!cancel.is_cancelled(), "stopped before everything was verified");
    Ok(match found {
        None => chess::misstated(&table)?.map_or(Ok(total), Err),
        Some(wrong) => {
            let derived = wrong.derived.map_or("an impossible position".to_string(), |outcome| outcome.to_string());
            Err(format!("{}: the table says {}, its successors say {derived}", wrong.fen, wrong.table))
        }
    })
}
