//! Runs the binary and keeps what came of it.
#![allow(dead_code)] // every test file uses its own part of this

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What came of a run.
pub struct Run {
    /// The exit status.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Run {
    /// The output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in:\n{}\n{}", self.out, self.err))
    }
}

/// The program, with a folder of tables that belongs to this file of tests: neither what a person keeps in theirs nor what
/// other tests solve can change anything.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludens"));
    command.env(
        "LUDENS_TABLES",
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(concat!("tables-of-", env!("CARGO_CRATE_NAME"))),
    );
    command
}

/// Runs `ludens` with nothing on standard input.
pub fn ludens(args: &[&str]) -> Run {
    ludens_with(args, b"")
}

/// Runs `ludens` with this on standard input.
pub fn ludens_with(args: &[&str], input: &[u8]) -> Run {
    run(program().args(args), input)
}

/// Runs a command to its end with this on standard input.
pub fn run(command: &mut Command, input: &[u8]) -> Run {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    // A command that does not read its input may be gone before all of it is written.
    let _ = child.stdin.take().expect("it is piped").write_all(input);
    let output = child.wait_with_output().expect("the binary ends");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    Run { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// A fresh folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder for the test");
    path
}

/// Writes a file into a folder and gives its path.
pub fn file(folder: &std::path::Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("its folder");
    std::fs::write(&path, text).expect("a file for the test");
    path.display().to_string()
}

/// Count up to three by steps of one or two: a game of one that takes two or three moves, or ends beyond at four.
pub const COUNT: &str = "\
(role Me)
(init (At 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal me (Add 1)) (true (at ?x)))
(<= (legal me (Add 2)) (true (at ?x)))
(<= (next (at ?y)) (does me (add 1)) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?z)) (does me (add 2)) (true (at ?x)) (succ ?x ?y) (succ ?y ?z))
(<= terminal (true (at 3)))
(<= terminal (true (at 4)))
(<= (goal me 100) (true (at 3)))
(<= (goal me 0) (true (at 4)))
";

/// Sends Ctrl-C to a running program.
#[cfg(unix)]
pub fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "it is alive");
}

/// A running `ludens player`; it ends with the test.
pub struct Server {
    /// The process.
    pub child: Child,
    /// Where it listens: `http://HOST:PORT`.
    pub url: String,
}

impl Server {
    /// A player of this kind.
    pub fn new(player: &str) -> Server {
        let mut child = program()
            .args(["player", "--port", "0", "--name", "Target", "--player", player])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut line).expect("a first line");
        let url = line.split_whitespace().find(|word| word.starts_with("http://")).expect("an address").to_string();
        Server { child, url }
    }

    /// A connection to it.
    pub fn connect(&self) -> TcpStream {
        let place = self.url.trim_start_matches("http://").trim_end_matches('/');
        let stream = TcpStream::connect(place).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time limit");
        stream.set_write_timeout(Some(Duration::from_secs(20))).expect("a time limit");
        stream
    }

    /// Sends a message as managers do, and gives the body of the answer.
    pub fn ask(&self, message: &str) -> String {
        let mut stream = self.connect();
        let head = "POST / HTTP/1.0\r\nSender: GAMESERVER\r\nContent-Type: text/acl\r\nContent-Length:";
        write!(stream, "{head} {}\r\n\r\n{message}", message.len()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        assert!(answer.starts_with("HTTP/1.0 200 OK\r\n"), "{answer}");
        assert!(answer.contains("Access-Control-Allow-Origin: *\r\n"), "{answer}");
        answer.split_once("\r\n\r\n").expect("a body").1.to_string()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
