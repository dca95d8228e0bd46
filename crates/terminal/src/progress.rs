//! A line on standard error that says how far a long command is. Shown only after two seconds and only on a terminal, and
//! wiped when the command is done.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

const QUIET_FOR: Duration = Duration::from_secs(2);
const EVERY: Duration = Duration::from_millis(200);

/// See the module.
pub struct Progress {
    started: Instant,
    next: Option<Instant>,
    shown: bool,
}

impl Progress {
    /// Starts the clock.
    pub fn new() -> Progress {
        let started = Instant::now();
        Progress { started, next: stderr().is_terminal().then_some(started + QUIET_FOR), shown: false }
    }

    /// Shows how far we are; `text` is asked only when it is time to show it and hears the seconds gone by.
    pub fn at(&mut self, text: impl FnOnce(f64) -> String) {
        let now = Instant::now();
        if self.next.is_some_and(|next| now >= next) {
            self.next = Some(now + EVERY);
            self.shown = true;
            let _ = write!(stderr(), "\r{}\x1b[K", text(self.started.elapsed().as_secs_f64()));
        }
    }

    /// Wipes the line, before something else is written.
    pub fn wipe(&mut self) {
        if self.shown {
            self.shown = false;
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.wipe();
    }
}
