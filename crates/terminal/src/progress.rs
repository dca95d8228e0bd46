//! How far a long command is, on standard error. On a terminal it is one line that is shown after two seconds, changes in
//! place and is wiped when the command is done. Elsewhere (a log, a pipe) it is a plain line now and then: every ten seconds
//! in the first minute, then once a minute.

use crate::text;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// Whatever is done before that needs no words.
const QUIET_FOR: Duration = Duration::from_secs(2);
/// How often the line on a terminal changes.
const EVERY: Duration = Duration::from_millis(200);

/// See the module.
pub struct Progress {
    started: Instant,
    next: Instant,
    is_terminal: bool,
    /// The line on a terminal, while it is shown.
    line: Option<ProgressBar>,
}

impl Progress {
    /// Starts the clock.
    pub fn new() -> Progress {
        let started = Instant::now();
        let is_terminal = stderr().is_terminal();
        let next = started + if is_terminal { QUIET_FOR } else { wait(Duration::ZERO) };
        Progress { started, next, is_terminal, line: None }
    }

    /// Shows how far we are; `text` is asked only when it is time to show it and hears the seconds gone by.
    pub fn at(&mut self, text: impl FnOnce(f64) -> String) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        let gone = now - self.started;
        let text = text(gone.as_secs_f64());
        if self.is_terminal {
            self.next = now + EVERY;
            let line = self.line.get_or_insert_with(line);
            line.set_message(text);
            line.tick();
        } else {
            self.next = now + wait(gone);
            let _ = writeln!(stderr(), "{text}");
        }
    }

    /// As [`at`](Progress::at), where it is known how much of the work is done: the part and the time left are added.
    pub fn fraction(&mut self, done: f64, text: impl FnOnce(f64) -> String) {
        self.at(|seconds| format!("{}{}", text(seconds), left(done, seconds)));
    }

    /// Wipes the line, before something else is written.
    pub fn wipe(&mut self) {
        if let Some(line) = self.line.take() {
            line.finish_and_clear();
        }
    }
}

impl Default for Progress {
    fn default() -> Progress {
        Progress::new()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.wipe();
    }
}

/// A line that changes in place. What does not fit into it is left out, so that it can be wiped.
fn line() -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style)
}

/// How long to wait for the next plain line, after so much time.
fn wait(gone: Duration) -> Duration {
    Duration::from_secs(if gone < Duration::from_secs(60) { 10 } else { 60 })
}

/// `, 40%, 12 s left`: nothing where too little is done to say.
fn left(done: f64, seconds: f64) -> String {
    if !(done > 0.0 && done.is_finite()) {
        return String::new();
    }
    let done = done.min(1.0);
    format!(", {:.0}%, {} left", (done * 100.0).floor(), text::duration(seconds * (1.0 - done) / done))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_follows_from_what_is_done() {
        assert_eq!(left(0.25, 10.0), ", 25%, 30 s left");
        assert_eq!(left(0.5, 3000.0), ", 50%, 50 min left");
        assert_eq!(left(2.0, 10.0), ", 100%, 0 s left");
        assert_eq!((left(0.0, 10.0), left(f64::NAN, 10.0)), (String::new(), String::new()));
    }

    #[test]
    fn plain_lines_become_rare() {
        let seconds = |gone| wait(Duration::from_secs(gone)).as_secs();
        assert_eq!((seconds(0), seconds(50), seconds(60), seconds(600)), (10, 10, 60, 60));
    }

    #[test]
    fn text_is_asked_only_when_it_is_shown() {
        let mut progress = Progress::new();
        progress.at(|_| unreachable!("it is too early"));
        progress.fraction(0.5, |_| unreachable!("it is too early"));
    }
}
