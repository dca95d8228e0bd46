//! Another build of this program as the opponent: it is started as a player on a port of this machine, and ends with this program.

use anyhow::{Context, Result, ensure};
use platform::Interrupt;
use platform::children::OwnChild;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{ChildStdout, Command};

/// The program at work.
pub(super) struct Older {
    /// Where it listens.
    pub(super) url: String,
    /// It ends when this is dropped.
    _child: OwnChild,
    /// As long as this is there it can write.
    _out: BufReader<ChildStdout>,
}

/// The port for a program: always the same one, so that a run which was interrupted finds the same opponent.
fn port(program: &Path) -> u16 {
    let mut hasher = DefaultHasher::new();
    program.hash(&mut hasher);
    20_000 + (hasher.finish() % 10_000) as u16
}

/// Starts `PROGRAM player`, and waits until it listens. It does not think while we do, as our player does not either; builds that know nothing
/// of that never did.
///
/// # Errors
/// When it cannot be started, or does not say that it listens.
pub(super) fn start(program: &Path, player: &str, interrupt: &Interrupt) -> Result<Older> {
    let shown = program.display();
    let cannot = || format!("cannot start {shown}");
    let help = Command::new(program).args(["player", "--help"]).output().with_context(cannot)?;
    ensure!(help.status.success(), "{shown} has no command `player`");
    let url = format!("http://127.0.0.1:{}", port(program));
    let mut command = Command::new(program);
    command.args(["player", "--host", "127.0.0.1", "--port", &port(program).to_string(), "--player", player]);
    if String::from_utf8_lossy(&help.stdout).contains("--no-ponder") {
        command.arg("--no-ponder");
    }
    let mut child = interrupt.children().start(&mut command).with_context(cannot)?;
    let (_, out) = child.pipes().with_context(cannot)?;
    let (mut out, mut line) = (BufReader::new(out), String::new());
    out.read_line(&mut line).with_context(|| format!("{shown} says nothing"))?;
    ensure!(line.contains(&url), "{shown} does not listen on {url} (is the port taken?)");
    Ok(Older { url, _child: child, _out: out })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_player_is_named() {
        let interrupt = Interrupt::default();
        let missing = start(Path::new("no/such/ludens"), "random", &interrupt).err().expect("it is not there");
        assert!(missing.to_string().contains("no/such/ludens"), "{missing}");
        let other = start(Path::new("true"), "random", &interrupt).err().expect("it is no player");
        assert!(other.to_string().contains("does not listen"), "{other}");
        let failing = start(Path::new("false"), "random", &interrupt).err().expect("it is no player");
        assert!(failing.to_string().contains("has no command"), "{failing}");
        assert_eq!(port(Path::new("a/b")), port(Path::new("a/b")));
    }
}
