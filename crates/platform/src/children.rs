//! Programs that this program starts: they end when whoever started them lets go of them, and at the latest with this
//! program.
//!
//! Each has a process group of its own, so that whatever it starts ends with it, and so that Ctrl-C reaches this program alone,
//! which ends the others in order.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// All programs that were started and have not ended. Clones are the same list.
///
/// ```
/// use platform::children::Children;
/// use std::process::Command;
///
/// let children = Children::default();
/// let mut child = children.start(&mut Command::new("cat")).unwrap();
/// assert!(child.is_alive());
/// children.end();
/// while child.is_alive() {}
/// assert!(children.start(&mut Command::new("cat")).is_err());
/// ```
#[derive(Clone, Default)]
pub struct Children(Arc<Mutex<List>>);

#[derive(Default)]
struct List {
    /// The groups, by the number of the program that leads each, which nobody has asked for its status yet.
    groups: BTreeSet<u32>,
    /// No more are started.
    is_over: bool,
}

impl Children {
    fn list(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a program that is written to and read from here; what it writes to standard error is nobody's.
    ///
    /// # Errors
    /// As the system says it, or when this program is about to end.
    pub fn start(&self, command: &mut Command) -> io::Result<OwnChild> {
        let mut list = self.list();
        if list.is_over {
            return Err(io::Error::other("the program is about to end"));
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        list.groups.insert(child.id());
        Ok(OwnChild { child, children: self.clone(), is_over: false })
    }

    /// Ends all of them, and lets no more begin.
    pub fn end(&self) {
        let mut list = self.list();
        list.is_over = true;
        list.groups.iter().for_each(|&id| kill_group(id));
    }
}

/// Ends a program and all that it has started.
#[cfg(unix)]
fn kill_group(id: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        // Whoever is gone already cannot be ended.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: u32) {}

/// A program that ends, with all that it has started, when this is dropped.
pub struct OwnChild {
    child: Child,
    children: Children,
    /// Its status was asked for: its number may be somebody else's.
    is_over: bool,
}

impl OwnChild {
    /// Where it reads from and writes to; once.
    pub fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        self.child.stdin.take().zip(self.child.stdout.take())
    }

    /// Its number, for those who send it signals while it runs.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it runs.
    pub fn is_alive(&mut self) -> bool {
        let children = self.children.clone();
        let mut list = children.list();
        if !self.is_over && !matches!(self.child.try_wait(), Ok(None)) {
            self.forget(&mut list);
        }
        !self.is_over
    }

    /// Ends it.
    pub fn end(&mut self) {
        let children = self.children.clone();
        let mut list = children.list();
        if !self.is_over {
            kill_group(self.child.id());
            let _ = self.child.kill();
            let _ = self.child.wait();
            self.forget(&mut list);
        }
    }

    /// It has ended. What it has started may not have: that ends with it.
    fn forget(&mut self, list: &mut List) {
        self.is_over = true;
        kill_group(self.child.id());
        list.groups.remove(&self.child.id());
    }
}

impl Drop for OwnChild {
    fn drop(&mut self) {
        self.end();
    }
}
