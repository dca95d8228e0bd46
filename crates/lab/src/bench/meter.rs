//! What a measurement is taken with: the time that the processor spent on this process, and the memory it holds.
//!
//! Processor time is what counts when other work runs on the same machine. Where it cannot be told, the time on the
//! wall is taken instead, and every report says so.

use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Which clock was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// Time that the processor spent on this process, all threads together.
    #[default]
    Cpu,
    /// Time that went by.
    Wall,
}

impl Clock {
    /// In words, as a second of it is called.
    pub fn second(self) -> &'static str {
        match self {
            Clock::Cpu => "CPU second",
            Clock::Wall => "second of wall time (CPU time cannot be told here)",
        }
    }
}

/// The clock that is read on this system.
pub fn clock() -> Clock {
    if cpu(Whose::Process).is_some() { Clock::Cpu } else { Clock::Wall }
}

/// Whose processor time is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Whose {
    Process,
    Thread,
}

#[cfg(unix)]
fn cpu(whose: Whose) -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(match whose {
        Whose::Process => ClockId::ProcessCPUTime,
        Whose::Thread => ClockId::ThreadCPUTime,
    });
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

#[cfg(not(unix))]
fn cpu(_whose: Whose) -> Option<Duration> {
    None
}

/// Seconds since a moment.
pub struct Stopwatch {
    whose: Whose,
    wall: Instant,
    cpu: Option<Duration>,
}

impl Stopwatch {
    /// From now on, for all threads of this process together.
    pub fn start() -> Stopwatch {
        Stopwatch::of(Whose::Process)
    }

    /// From now on, for this thread alone; it is to be read by the same thread.
    pub fn of_thread() -> Stopwatch {
        Stopwatch::of(Whose::Thread)
    }

    fn of(whose: Whose) -> Stopwatch {
        Stopwatch { whose, wall: Instant::now(), cpu: cpu(whose) }
    }

    /// Seconds by [`clock`].
    pub fn seconds(&self) -> f64 {
        match (self.cpu, cpu(self.whose)) {
            (Some(then), Some(now)) => now.saturating_sub(then).as_secs_f64(),
            _ => self.wall(),
        }
    }

    /// Seconds on the wall.
    pub fn wall(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }
}

/// A stopwatch to be asked very often: it looks at the clock about every millisecond, and in between says what it saw
/// last.
pub struct Timer {
    watch: Stopwatch,
    seen: f64,
    asked: u32,
    stride: u32,
}

/// How far apart looks at the clock should be.
const LOOK_EVERY: f64 = 1e-3;

impl Timer {
    /// From now on.
    pub fn start() -> Timer {
        Timer { watch: Stopwatch::start(), seen: 0.0, asked: 0, stride: 1 }
    }

    /// Seconds so far, a little late.
    #[inline]
    pub fn about(&mut self) -> f64 {
        self.asked += 1;
        if self.asked >= self.stride {
            self.look();
        }
        self.seen
    }

    /// Seconds so far.
    pub fn exactly(&mut self) -> f64 {
        self.look();
        self.seen
    }

    fn look(&mut self) {
        let now = self.watch.seconds();
        let each = (now - self.seen) / f64::from(self.asked.max(1));
        // Growing slowly keeps one quick stretch from making the timer blind for a slow one.
        let wanted = if each > 0.0 { LOOK_EVERY / each } else { f64::MAX };
        self.stride = wanted.clamp(1.0, f64::from(self.stride.saturating_mul(2).min(1 << 20))) as u32;
        (self.seen, self.asked) = (now, 0);
    }
}

/// The memory of this process, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Held now.
    pub now: u64,
    /// The most that was ever held.
    pub peak: u64,
}

/// The memory of this process, where the system tells.
pub fn memory() -> Option<Memory> {
    // This file exists on Linux only.
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kibibytes * 1024)
    };
    Some(Memory { now: field("VmRSS:")?, peak: field("VmHWM:")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time() {
        let watch = Stopwatch::start();
        let mut timer = Timer::start();
        let mut asked = 0u64;
        while timer.about() < 0.02 {
            asked += 1;
        }
        assert!(asked > 100, "{asked}");
        assert!((0.019..10.0).contains(&watch.seconds()), "{}", watch.seconds());
        assert!(timer.exactly() >= 0.02);
    }

    #[test]
    fn memory_is_counted_in_bytes() {
        if let Some(Memory { now, peak }) = memory() {
            assert!(now > 100_000 && peak >= now, "{now} {peak}");
        }
    }
}
