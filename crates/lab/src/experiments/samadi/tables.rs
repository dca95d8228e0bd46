//! The tables that the evaluations ask: found in the folder of tables, or built there.

use ::table::chinese::versus::{self, Build, Versus};
use ::table::chinese::{Distances, Progress as Step, Space, Spec};
use ::table::file::Form;
use ::table::store::Store;
use abstraction::alone::{Alone, AloneSpec};
use agent::tables::chinese::{Building, Said};
use agent::tables::versus::build;
use anyhow::{Context, Result};
use chinese::facing::Facing;
use native::chinese::Arena;
use platform::{Interrupt, folders, memory};
use std::io::{Write, stderr};
use std::path::Path;
use std::sync::Arc;
use terminal::{Out, Progress, text};

/// Tables in memory, each loaded once.
pub struct Tables {
    store: Store,
    loaded: Vec<Arc<Distances>>,
}

/// Processor time for an entry, in seconds: six pieces, 324 million of them, take half a minute.
const EACH: f64 = 1e-7;

impl Tables {
    /// Those in a folder, by default where `ludens table` keeps its own.
    pub fn new(folder: Option<&Path>) -> Result<Tables> {
        Ok(Tables { store: Store::new(folders::tables(folder)?), loaded: Vec::new() })
    }

    /// The evaluation of this description; tables that are missing are built, after saying what that costs.
    pub fn alone(&mut self, spec: AloneSpec, arena: &Arc<Arena>, interrupt: &Interrupt, out: Out<'_>) -> Result<Alone> {
        for table in spec.tables()? {
            if !self.loaded.iter().any(|loaded| *loaded.space().spec() == table) {
                let found = self.get(table, interrupt, out)?;
                self.loaded.push(Arc::new(found));
            }
        }
        let find = |wanted: &Spec| self.loaded.iter().find(|loaded| loaded.space().spec() == wanted).cloned();
        Ok(Alone::new(spec, Arc::clone(arena), find)?)
    }

    /// The table of three against two.
    pub fn facing(&self, arena: &Arc<Arena>, interrupt: &Interrupt, out: Out<'_>) -> Result<Facing> {
        let spec = Facing::table(arena.side());
        let path = self.store.versus_path(&spec);
        if !path.is_file() {
            let (name, needed) = (spec.name(), Build::memory(&spec)?);
            let size = 2 * versus::Space::new(spec.clone())?.entries();
            self.say(&name, size, needed as f64 * EACH, out)?;
            let mut progress = Progress::new();
            let mut tell = |step: &Step| progress.at(|seconds| format!("{name}, layer {}, {seconds:.0} s", step.layer));
            build(spec, &path, memory::budget(None), Form::Raw, &interrupt.cancel(), &mut tell)?;
        }
        let hint = || damaged(&path);
        let table = Versus::open(&path).with_context(hint)?.load().with_context(hint)?;
        Facing::new(Arc::clone(arena), Arc::new(table)).context("three against two need ten pieces a side")
    }

    fn say(&self, name: &str, bytes: u64, seconds: f64, out: Out<'_>) -> Result<()> {
        writeln!(
            out,
            "the table {name} is missing: it is built in {}, {} and about {} of processor time",
            self.store.folder().display(),
            memory::size(bytes),
            text::duration(seconds)
        )?;
        Ok(out.flush()?)
    }

    fn get(&self, spec: Spec, interrupt: &Interrupt, out: Out<'_>) -> Result<Distances> {
        let path = self.store.chinese_path(&spec);
        if !path.is_file() {
            let (name, entries) = (spec.name(), Space::new(spec.clone())?.entries());
            self.say(&name, entries, entries as f64 * EACH, out)?;
            let cancel = interrupt.cancel();
            let mut progress = Progress::new();
            let building = Building {
                budget: memory::budget(None),
                form: Form::Raw,
                is_anew: false,
                save_every: None,
                cancel: &cancel,
            };
            building.run(spec, &path, &mut |said| match said {
                Said::At(step, _) => {
                    let done = step.decided as f64 / step.total as f64;
                    progress.fraction(done, |_| format!("{name}, layer {}", step.layer));
                }
                Said::Note(note) => {
                    progress.wipe();
                    let _ = writeln!(stderr(), "{note}");
                }
            })?;
        }
        let hint = || damaged(&path);
        Distances::open(&path).with_context(hint)?.load().with_context(hint)
    }
}

/// What helps where a table cannot be used.
fn damaged(path: &Path) -> String {
    format!("{} cannot be used; delete it, and it is built anew", path.display())
}
