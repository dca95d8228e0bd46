//! The distance table of Chinese checkers, loaded once for all players of a program.
//!
//! It is large (310 MiB, or the part that a player may have), so that it is read on a thread of its own: whoever waits
//! for it can stop waiting, and the table is there for the next one who asks. A table that cannot be used is looked at
//! again when it is next asked for: somebody may have built it anew.

use ::chinese::Kit;
use abstraction::alone::Alone;
use platform::memory::{available, size};
use std::fmt;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use table::chinese::{Distances, Space};
use table::store::{Store, chinese_checkers};

/// How often those who wait look whether they still should.
const LOOK: Duration = Duration::from_millis(20);
/// More tables than this are not kept without somebody who uses them.
const MOST_KEPT: usize = 3;

/// Why there are no distances.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoDistances {
    /// There is no such file, or no folder for it.
    Missing(Option<PathBuf>),
    /// The file cannot be used.
    Refused {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// There is not enough memory for it, in bytes.
    Memory {
        /// What it takes.
        needed: u64,
        /// What there is.
        free: u64,
    },
}

/// The command that makes the table.
const BUILD: &str = "`ludens table build chinese-checkers --pieces 6` makes it";

impl fmt::Display for NoDistances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoDistances::Missing(path) => {
                f.write_str("the distance table of Chinese checkers is missing")?;
                if let Some(path) = path {
                    write!(f, " ({})", path.display())?;
                }
                write!(f, "; {BUILD}, in about 30 s of processor time and 310 MiB")
            }
            NoDistances::Refused { why, .. } => {
                write!(f, "the distance table of Chinese checkers cannot be used: {why}; {BUILD} anew with --force")
            }
            NoDistances::Memory { needed, free } => write!(
                f,
                "the distance table of Chinese checkers takes {} of memory, and {} are free; `table-memory` (in MiB) sets less",
                size(*needed),
                size(*free)
            ),
        }
    }
}

impl std::error::Error for NoDistances {}

/// One table, or the beginning of one.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Wanted {
    path: PathBuf,
    /// The first section that is in memory.
    start: usize,
}

/// A table on its way into memory.
#[derive(Default)]
struct Load {
    done: Mutex<Option<Result<Kit, NoDistances>>>,
    changed: Condvar,
}

impl Load {
    fn lock(&self) -> MutexGuard<'_, Option<Result<Kit, NoDistances>>> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is there and nobody uses it.
    fn is_idle(&self) -> bool {
        match &*self.lock() {
            Some(Ok(kit)) => kit.home().is_none_or(|home| Arc::strong_count(home) == 1),
            Some(Err(_)) => true,
            None => false,
        }
    }

    fn finish(&self, result: Result<Kit, NoDistances>) {
        *self.lock() = Some(result);
        self.changed.notify_all();
    }
}

type Loads = Mutex<Vec<(Wanted, Arc<Load>)>>;

fn locked(loads: &Loads) -> MutexGuard<'_, Vec<(Wanted, Arc<Load>)>> {
    loads.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The tables that were loaded; see the module. Clones share them.
#[derive(Clone, Default)]
pub struct DistanceTables {
    loads: Arc<Loads>,
}

/// Where the table lies in a folder of tables, if it is there.
pub(super) fn found(folder: Option<&Path>) -> Result<PathBuf, NoDistances> {
    let Some(folder) = folder else { return Err(NoDistances::Missing(None)) };
    let spec = table(folder)?;
    let path = Store::new(folder).chinese_path(&spec);
    if path.is_file() { Ok(path) } else { Err(NoDistances::Missing(Some(path))) }
}

fn table(path: &Path) -> Result<table::chinese::Spec, NoDistances> {
    chinese_checkers().map(|(_, spec)| spec).map_err(|unfit| refused(path, unfit))
}

fn refused(path: &Path, why: impl fmt::Display) -> NoDistances {
    NoDistances::Refused { path: path.to_path_buf(), why: why.to_string() }
}

/// The first section of the largest part of a table that fits into so many bytes; all of it without a number. The sections
/// nearest to home always fit in.
fn first_section(space: &Space, bytes: Option<u64>) -> usize {
    let starts: Vec<usize> = space.sections().into_iter().map(|section| section.0).collect();
    let fits = |start: &usize| bytes.is_none_or(|bytes| space.entries_from(*start) <= bytes);
    // From home outwards.
    starts.iter().take_while(|start| fits(start)).last().or(starts.first()).copied().unwrap_or(0)
}

impl DistanceTables {
    /// The game with the table in this folder, of which so many MiB may be in memory. Waits until it is loaded; `None` if that
    /// took until `stop`.
    ///
    /// # Errors
    /// When there is no such table, or it cannot be used.
    pub fn kit(
        &self,
        folder: Option<&Path>,
        mebibytes: Option<u32>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Kit>, NoDistances> {
        let path = found(folder)?;
        let space = Space::new(table(&path)?).map_err(|unfit| refused(&path, unfit))?;
        let start = first_section(&space, mebibytes.map(|mebibytes| u64::from(mebibytes) << 20));
        let load = self.load(Wanted { path, start })?;
        let mut done = load.lock();
        loop {
            if let Some(result) = &*done {
                return result.clone().map(Some);
            }
            if stop() {
                return Ok(None);
            }
            (done, _) = load.changed.wait_timeout(done, LOOK).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The table that is loaded or being loaded; begins to load it if nobody has.
    fn load(&self, wanted: Wanted) -> Result<Arc<Load>, NoDistances> {
        let mut loads = locked(&self.loads);
        if let Some((_, load)) = loads.iter().find(|(known, _)| *known == wanted) {
            return Ok(Arc::clone(load));
        }
        if loads.len() >= MOST_KEPT {
            loads.retain(|(_, load)| !load.is_idle());
        }
        let load = Arc::new(Load::default());
        let (own, all) = (Arc::clone(&load), Arc::clone(&self.loads));
        let described = wanted.clone();
        let thread = thread::Builder::new().name("table".into()).spawn(move || {
            // Somebody may wait without a clock: whatever happens, there is an answer.
            let crashed = |_| Err(refused(&described.path, "reading it crashed, which is a fault of this program"));
            let result = catch_unwind(|| read(&described)).unwrap_or_else(crashed);
            if result.is_err() {
                locked(&all).retain(|(known, _)| *known != described);
            }
            own.finish(result);
        });
        thread.map_err(|error| refused(&wanted.path, format!("cannot start a thread: {error}")))?;
        loads.push((wanted, Arc::clone(&load)));
        Ok(load)
    }
}

fn read(wanted: &Wanted) -> Result<Kit, NoDistances> {
    let Wanted { path, start } = wanted;
    let (game, spec) = chinese_checkers().map_err(|unfit| refused(path, unfit))?;
    let kit = Kit::new(game);
    let needed = Space::new(spec).map_err(|unfit| refused(path, unfit))?.entries_from(*start);
    if let Some(free) = available().filter(|free| *free < needed) {
        return Err(NoDistances::Memory { needed, free });
    }
    let distances = Distances::open_from(path, *start).map_err(|error| refused(path, error))?;
    let home = Alone::home(Arc::clone(kit.arena()), Arc::new(distances));
    Ok(kit.with_home(Arc::new(home.map_err(|error| refused(path, error))?)))
}

impl fmt::Debug for DistanceTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DistanceTables")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use table::chinese::Spec;

    #[test]
    fn the_largest_part_that_fits() {
        let space = Space::new(Spec::new(9, 6)).expect("a table");
        assert_eq!(first_section(&space, None), 0);
        assert_eq!(first_section(&space, Some(u64::MAX)), 0);
        assert_eq!(first_section(&space, Some(324_540_216)), 0);
        assert_eq!(first_section(&space, Some(324_540_215)), 1);
        for bytes in [1 << 20, 100 << 20, 200 << 20] {
            let start = first_section(&space, Some(bytes));
            assert!(space.entries_from(start) <= bytes && space.entries_from(start - 1) > bytes, "{bytes}");
        }
        assert_eq!(first_section(&space, Some(0)), 75);
    }
}
