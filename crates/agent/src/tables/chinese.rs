//! Tables of Chinese checkers for one side: built, and found for a placement.
//!
//! A build that is not finished is kept beside its table: whoever is interrupted, or killed, goes on from the last save. The file has
//! the checksums and the identity of a table, so what is damaged or belongs elsewhere is noticed.

use anyhow::{Result, anyhow, bail, ensure};
use game::Cancel;
use platform::{folders, memory};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use table::chinese::{Build, BuildError, Distance, Distances, KIND, Progress, Spec};
use table::file::{self, Form, Table};
use table::store::{ENDING, Store};

/// The ending of what is kept of builds that are not finished.
pub const UNFINISHED: &str = "part";

/// How a table is to be built.
pub struct Building<'a> {
    /// The most memory to use, in bytes.
    pub budget: u64,
    /// How it is stored.
    pub form: Form,
    /// Whether what an earlier build has kept is left alone.
    pub is_anew: bool,
    /// How often what is done is kept, in seconds; what suits, if nothing is said.
    pub save_every: Option<f64>,
    /// Ends it early; what is done is kept.
    pub cancel: &'a Cancel,
}

/// What is told on the way.
pub enum Said<'a> {
    /// How far it is, and which part an earlier build had done.
    At(&'a Progress, f64),
    /// Something that is good to know.
    Note(String),
}

impl Building<'_> {
    /// Builds and stores the table; says whether it went on from an earlier build.
    ///
    /// # Errors
    /// When memory or disk does not suffice, or it was cancelled.
    pub fn run(&self, spec: Spec, path: &Path, tell: &mut dyn FnMut(Said<'_>)) -> Result<bool> {
        let name = spec.name();
        let budget = self.budget;
        let folder = path.parent().unwrap_or(path);
        folders::writable(folder, None)?;
        let mut unfinished = Unfinished::new(path, self.save_every);
        let earlier = if self.is_anew { None } else { unfinished.take_up(&name, budget, tell) };
        let resumed = earlier.is_some();
        let mut build =
            earlier.map_or_else(|| Build::new(spec, budget), Ok).map_err(|error| not_begun(error, &name, budget))?;
        folders::writable(folder, (self.form == Form::Raw).then_some(build.space().entries()))?;
        let before = share(&build);
        loop {
            let built = build.run(&mut |step| {
                tell(Said::At(&step, before));
                !self.cancel.is_cancelled() && !unfinished.is_due()
            });
            match built {
                Err(BuildError::Stopped) if self.cancel.is_cancelled() => match unfinished.save(&build) {
                    Ok(kept) => bail!(
                        "{name} is not built; what is done is kept in {}, and the next build goes on from there",
                        kept.display()
                    ),
                    Err(error) => bail!("{name} is not built, and what is done cannot be kept: {error}"),
                },
                Err(BuildError::Stopped) => {
                    if let Err(error) = unfinished.save(&build) {
                        tell(Said::Note(format!("warning: what is done cannot be kept: {error}")));
                    }
                }
                built => break built?,
            }
        }
        file::clean(folder);
        build.write(path, self.form)?;
        unfinished.remove();
        Ok(resumed)
    }
}

/// Why a table cannot be built in so many bytes, with a way out.
pub(super) fn not_begun(error: BuildError, name: &str, budget: u64) -> anyhow::Error {
    let BuildError::Memory { needed, fits_from, .. } = error else { return error.into() };
    let way = match fits_from {
        Some(start) => format!("the section from start {start} on would fit (--start {start})"),
        None => "take fewer pieces or a smaller board".to_string(),
    };
    anyhow!(
        "building {name} needs {} of memory, and {} may be used (--memory MiB sets the limit); {way}",
        memory::size(needed),
        memory::size(budget)
    )
}

/// Which part of the placements is decided.
fn share(build: &Build) -> f64 {
    build.layers().iter().sum::<u64>() as f64 / build.space().entries() as f64
}

/// How often a build is saved, unless told otherwise.
const EVERY: Duration = Duration::from_secs(60);
/// Building takes at least so many times as long as saving: saving costs two in a hundred at most.
const TIMES: u32 = 50;

/// What is kept of a build; see the module.
pub struct Unfinished {
    path: PathBuf,
    /// What the caller wants; nothing is adapted then.
    every: Option<Duration>,
    /// When it is to be saved again; never once that has failed.
    next: Option<Instant>,
}

impl Unfinished {
    /// The place for unfinished work on the table at this path.
    pub fn new(path: &Path, every: Option<f64>) -> Unfinished {
        let every = every.map(Duration::from_secs_f64);
        let next = Some(Instant::now() + every.unwrap_or(EVERY));
        Unfinished { path: path.with_extension(UNFINISHED), every, next }
    }

    /// The build of this name that is kept there, if there is one that can be used; says so, or why it cannot.
    fn take_up(&self, name: &str, budget: u64, tell: &mut dyn FnMut(Said<'_>)) -> Option<Build> {
        if !self.path.is_file() {
            return None;
        }
        let own = |found: String| if found == name { Ok(()) } else { Err(BuildError::NotABuild(self.shown())) };
        let build = Table::peek(&self.path)
            .map_err(BuildError::from)
            .and_then(|header| own(header.name))
            .and_then(|()| Build::resume(&self.path, budget));
        match build {
            Ok(build) => {
                let layers = build.layers().len();
                tell(Said::Note(format!("going on from layer {layers}, saved in {}", self.shown())));
                Some(build)
            }
            // What is too large now is told by whoever begins anew, with a way out.
            Err(BuildError::Memory { .. }) => None,
            Err(error) => {
                tell(Said::Note(format!("warning: an earlier build cannot be used, beginning anew: {error}")));
                None
            }
        }
    }

    /// Whether it is time to save.
    fn is_due(&self) -> bool {
        self.next.is_some_and(|next| Instant::now() >= next)
    }

    /// Saves a build, and says where. After a failure it is not due again.
    fn save(&mut self, build: &Build) -> Result<&Path, BuildError> {
        self.next = None;
        let began = Instant::now();
        build.save(&self.path)?;
        let pause = self.every.unwrap_or_else(|| EVERY.max(TIMES * began.elapsed()));
        self.next = Some(Instant::now() + pause);
        Ok(&self.path)
    }

    /// The table is built: what was kept is of no use any more.
    pub fn remove(&self) {
        folders::remove(&self.path);
    }

    fn shown(&self) -> String {
        self.path.display().to_string()
    }
}

/// The cells of a placement as a set, given as `row,column`.
///
/// # Errors
/// When there is none, one is not on the board, or comes twice.
pub fn cells(words: &[String], side: usize) -> Result<u128> {
    let mut cells = 0u128;
    for word in words.iter().flat_map(|words| words.split_whitespace()) {
        let pair = word.trim_matches(['(', ')']).split_once(',');
        let pair = pair.and_then(|(row, column)| Some((row.parse::<usize>().ok()?, column.parse::<usize>().ok()?)));
        let Some((row, column)) = pair else { bail!("{word:?} is not a cell: write row,column, such as 8,7") };
        ensure!(row < side && column < side, "the cell {word} is not on a board of {side} by {side} (--size)");
        let bit = 1u128 << native::chinese::cell(side, row, column);
        ensure!(cells & bit == 0, "the cell {word} is given twice");
        cells |= bit;
    }
    ensure!(cells != 0, "give the cells of the pieces, such as 8,8 8,7 7,8");
    Ok(cells)
}

/// A cell as `row,column`.
pub fn text(side: usize, cell: u8) -> String {
    let (row, column) = native::chinese::place(side, cell);
    format!("{row},{column}")
}

/// A placement and the table that has it: that of the file, if one is given, or else the whole one of the folder, or a section.
///
/// # Errors
/// When there is none, or the words are no placement.
pub fn open(
    words: &[String],
    file: Option<&Path>,
    folder: Option<&Path>,
    size: usize,
) -> Result<(u128, PathBuf, Distances)> {
    let Some(path) = file else {
        let placement = cells(words, size)?;
        let (path, table) = search(folder, size, placement)?;
        return Ok((placement, path, table));
    };
    let table = Distances::open(path)?;
    let spec = table.space().spec();
    let placement = cells(words, spec.side)?;
    let given = placement.count_ones() as usize;
    ensure!(given == spec.pieces, "{} is for {} pieces, and {given} cells are given", path.display(), spec.pieces);
    Ok((placement, path.to_path_buf(), table))
}

fn search(given: Option<&Path>, side: usize, placement: u128) -> Result<(PathBuf, Distances)> {
    let folder = &folders::tables(given)?;
    let spec = Spec::new(side, placement.count_ones() as usize);
    let whole = Store::new(folder).chinese_path(&spec);
    if whole.is_file() {
        return Ok((whole.clone(), Distances::open(&whole)?));
    }
    let sections = format!("{}-from-", spec.name());
    let mut found = folders::files(&folder.join(KIND), ENDING);
    found.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&sections)));
    found.sort();
    for path in found {
        let table = Distances::open(&path)?;
        if table.distance(placement)? != Distance::Absent {
            return Ok((path, table));
        }
    }
    bail!(
        "there is no table of {} that has this placement in {}; `ludens table build chinese-checkers --pieces {} --size {side}{}` \
         builds it",
        if spec.pieces == 1 { "1 piece".to_string() } else { format!("{} pieces", spec.pieces) },
        folder.display(),
        spec.pieces,
        folders::option(given)
    )
}
