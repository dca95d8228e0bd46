//! Lines to and from a program. One thread reads and one writes, so that nobody here ever waits for the program longer than
//! it wants to: not for one that says nothing, not for one that does not listen, not for one that never stops talking.

use platform::Children;
use platform::children::OwnChild;
use std::fmt;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::process::{ChildStdout, Command};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

/// Lines that wait to be read. A program that talks on is not listened to until there is room again.
const WAITING: usize = 1024;
/// The longest line that is kept; the rest of it is passed over.
const LONGEST: u64 = 16 << 10;
/// How often those who wait look whether they should.
const LOOK: Duration = Duration::from_millis(5);
/// Where Debian puts engines, which is not on everybody's path.
const GAMES: &str = "/usr/games/";
/// How long a program may take to end by itself.
const FAREWELL: Duration = Duration::from_millis(150);

/// Why there is no line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Silence {
    /// The time is over.
    Late,
    /// Somebody said stop.
    Stopped,
    /// The program has ended.
    Dead,
    /// It does not read what it is told.
    Deaf,
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Silence::Late => "does not answer",
            Silence::Stopped => "was stopped before it answered",
            Silence::Dead => "has ended",
            Silence::Deaf => "does not read what it is told",
        })
    }
}

/// A program at the other end of two pipes; it ends when this is dropped.
pub(super) struct Process {
    /// What it is called.
    pub name: String,
    child: OwnChild,
    lines: Receiver<String>,
    told: Option<SyncSender<String>>,
    /// What asks it to end.
    farewell: &'static str,
}

impl Process {
    /// Starts a program: its name or path, and arguments, as a shell reads them (without variables and the like).
    pub fn start(command: &str, farewell: &'static str, children: &Children) -> Result<Process, String> {
        let words = words(command)?;
        let (name, arguments) = words.split_first().ok_or("a program has a name: command=NAME")?;
        let mut started = children.start(Command::new(name).args(arguments));
        let is_absent = matches!(&started, Err(error) if error.kind() == ErrorKind::NotFound);
        if is_absent && !name.contains('/') {
            started = children.start(Command::new(format!("{GAMES}{name}")).args(arguments));
        }
        let mut child = started.map_err(|error| match error.kind() {
            ErrorKind::NotFound => format!(
                "there is no program `{name}` on this machine; install it (Debian has engines: `apt-get install stockfish gnuchess`), or write its path: command=/path/to/{}",
                name.rsplit('/').next().unwrap_or(name)
            ),
            _ => format!("cannot start `{name}`: {error}"),
        })?;
        let (mut stdin, stdout) = child.pipes().ok_or("the program has no pipes")?;
        let (to_us, lines) = mpsc::sync_channel(WAITING);
        let (told, to_it) = mpsc::sync_channel::<String>(WAITING);
        let thread = |what: &str, body: Box<dyn FnOnce() + Send>| {
            let thread = thread::Builder::new().name(what.into()).spawn(body);
            thread.map(drop).map_err(|error| format!("cannot start a thread: {error}"))
        };
        thread("engine out", Box::new(move || read_all(stdout, &to_us)))?;
        let write = move || {
            for line in to_it {
                if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        };
        thread("engine in", Box::new(write))?;
        let name = name.rsplit('/').next().unwrap_or(name).to_string();
        Ok(Process { name, child, lines, told: Some(told), farewell })
    }

    /// Tells the program a line.
    pub fn tell(&mut self, line: &str) -> Result<(), Silence> {
        let Some(told) = &self.told else { return Err(Silence::Dead) };
        match told.try_send(format!("{line}\n")) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(Silence::Deaf),
            Err(TrySendError::Disconnected(_)) => Err(Silence::Dead),
        }
    }

    /// The next line of the program, without spaces at its ends.
    pub fn line(&mut self, until: Instant, stop: &dyn Fn() -> bool) -> Result<String, Silence> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Silence::Late);
            }
            if stop() {
                return Err(Silence::Stopped);
            }
            match self.lines.recv_timeout(left.min(LOOK)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Dead),
            }
        }
    }

    /// What is wrong, with the name of the program before it.
    pub fn trouble(&self, silence: &Silence) -> String {
        format!("{} {silence}", self.name)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let asked = self.tell(self.farewell).is_ok();
        self.told = None;
        let until = Instant::now() + FAREWELL;
        while asked && Instant::now() < until && self.child.is_alive() {
            // A full pipe keeps a program from reading that it is to end.
            let _ = self.lines.recv_timeout(LOOK);
        }
        self.child.end();
    }
}

/// Passes on all lines until there are no more, or nobody listens.
fn read_all(stdout: ChildStdout, to: &SyncSender<String>) {
    let mut reader = BufReader::new(stdout);
    while let Ok(Some(line)) = bounded_line(&mut reader) {
        if to.send(line).is_err() {
            return;
        }
    }
}

/// The next line, at most so much of it; `None` at the end.
fn bounded_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if reader.by_ref().take(LONGEST).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() != Some(&b'\n') && bytes.len() as u64 == LONGEST {
        reader.skip_until(b'\n')?;
    }
    Ok(Some(String::from_utf8_lossy(&bytes).trim().to_string()))
}

/// The words of a command: what stands in quotes is one.
fn words(command: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in command.chars() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(format!("a quote is open in the command {command:?}"));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Process {
        Process::start(&format!("sh -c '{script}'"), "quit", &Children::default()).expect("there is a shell")
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(10)
    }

    #[test]
    fn commands_have_words() {
        assert_eq!(words("a 'b c' \"d\"e '' ").expect("words"), ["a", "b c", "de", ""]);
        assert!(words("a 'b").is_err());
        assert!(words("").expect("none").is_empty());
    }

    #[test]
    fn lines_go_there_and_back() {
        let mut cat = shell("cat");
        cat.tell("hello").expect("it listens");
        assert_eq!(cat.line(soon(), &|| false).as_deref(), Ok("hello"));
        assert_eq!(cat.line(Instant::now() + Duration::from_millis(20), &|| false), Err(Silence::Late));
        assert_eq!(cat.line(soon(), &|| true), Err(Silence::Stopped));
    }

    #[test]
    fn who_is_not_there_is_named() {
        let error = Process::start("no-such-engine --uci", "quit", &Children::default()).err().expect("not there");
        assert!(error.contains("there is no program `no-such-engine`") && error.contains("command="), "{error}");
    }

    #[test]
    fn the_dead_the_deaf_and_the_talkative_are_survived() {
        let mut dead = shell("exit 3");
        assert_eq!(dead.line(soon(), &|| false), Err(Silence::Dead));
        // Nobody reads: the pipe is full after a while, and nobody here waits.
        let mut deaf = shell("sleep 100");
        let long = "x".repeat(1 << 12);
        let told = (0..100_000).find_map(|_| deaf.tell(&long).err());
        assert_eq!(told, Some(Silence::Deaf));
        let mut talkative = shell("yes talk & yes no-end-of-line | tr -d \"\\n\"");
        assert!(talkative.line(soon(), &|| false).expect("a line").len() as u64 <= LONGEST);
        let began = Instant::now();
        drop((deaf, talkative, dead));
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }

    #[test]
    fn whatever_a_program_has_started_ends_with_it() {
        let mut script = shell("sleep 1000 & echo $!; wait");
        let id = script.line(soon(), &|| false).expect("the number of the child");
        let alive = || std::fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|text| !text.contains(") Z "));
        if !std::path::Path::new("/proc/self/stat").exists() {
            return;
        }
        assert!(alive());
        drop(script);
        let until = soon();
        while alive() && Instant::now() < until {
            thread::sleep(Duration::from_millis(10));
        }
        assert!(!alive());
    }
}
