//! A build of Chinese checkers that is not finished, kept beside its table: whoever is interrupted, or killed, goes on from
//! the last save. The file has the checksums and the identity of a table, so what is damaged or belongs elsewhere is noticed.

use super::files;
use ::table::chinese::{Build, BuildError};
use ::table::file::Table;
use std::fs;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often a build is saved, unless told otherwise.
const EVERY: Duration = Duration::from_secs(60);
/// Building takes at least so many times as long as saving: saving costs two in a hundred at most.
const TIMES: u32 = 50;

/// See the module.
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
        Unfinished { path: path.with_extension(files::UNFINISHED), every, next }
    }

    /// The build of this name that is kept there, if there is one that can be used; says so, or why it cannot.
    pub fn take_up(&self, name: &str, budget: u64) -> Option<Build> {
        if !self.path.is_file() {
            return None;
        }
        let own = |found: String| if found == name { Ok(()) } else { Err(BuildError::NotABuild(self.shown())) };
        let build = Table::peek(&self.path)
            .map_err(BuildError::from)
            .and_then(|header| own(header.name))
            .and_then(|()| Build::resume(&self.path, budget));
        let mut err = stderr();
        match build {
            Ok(build) => {
                let layers = build.layers().len();
                let _ = writeln!(err, "going on from layer {layers}, saved in {}", self.shown());
                Some(build)
            }
            // What is too large now is told by whoever begins anew, with a way out.
            Err(BuildError::Memory { .. }) => None,
            Err(error) => {
                let _ = writeln!(err, "warning: an earlier build cannot be used, beginning anew: {error}");
                None
            }
        }
    }

    /// Whether it is time to save.
    pub fn is_due(&self) -> bool {
        self.next.is_some_and(|next| Instant::now() >= next)
    }

    /// Saves a build, and says where. After a failure it is not due again.
    pub fn save(&mut self, build: &Build) -> Result<&Path, BuildError> {
        self.next = None;
        let began = Instant::now();
        build.save(&self.path)?;
        let pause = self.every.unwrap_or_else(|| EVERY.max(TIMES * began.elapsed()));
        self.next = Some(Instant::now() + pause);
        Ok(&self.path)
    }

    /// The table is built: what was kept is of no use any more.
    pub fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }

    fn shown(&self) -> String {
        self.path.display().to_string()
    }
}
