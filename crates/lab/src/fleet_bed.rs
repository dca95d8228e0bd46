//! A fleet of our own on this machine, for experiments and measurements: a message server and workers, each a process, which can be
//! ended without a word, stopped and let go on.

use anyhow::{Context, Result, bail, ensure};
use platform::Children;
use platform::children::OwnChild;
use std::env;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// How long a server may take to listen.
const HELLO: Duration = Duration::from_secs(20);

/// A message server.
pub struct Server {
    children: Children,
    child: Option<OwnChild>,
    port: u16,
    store: PathBuf,
}

impl Server {
    /// Starts one whose queues lie in this folder.
    ///
    /// # Errors
    /// When there is none on this machine, or it does not listen.
    pub fn start(children: &Children, store: &Path) -> Result<Server> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut server = Server { children: children.clone(), child: None, port, store: store.to_path_buf() };
        server.begin()?;
        Ok(server)
    }

    /// Begins, perhaps again, at the same place.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn begin(&mut self) -> Result<()> {
        let mut command = Command::new("nats-server");
        command.args(["-a", "127.0.0.1", "-p", &self.port.to_string(), "-js", "-sd"]).arg(&self.store);
        let started = self.children.start(&mut command);
        self.child = Some(started.context("cannot start nats-server, which Debian has as a package of that name")?);
        let until = Instant::now() + HELLO;
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            ensure!(Instant::now() < until, "the server does not listen");
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Ends it without a word.
    pub fn kill(&mut self) {
        self.child = None;
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

/// A worker.
pub struct WorkerProcess {
    child: OwnChild,
}

impl WorkerProcess {
    /// Starts one with so many threads.
    ///
    /// # Errors
    /// When this program cannot be started again.
    pub fn start(children: &Children, url: &str, threads: usize, name: &str) -> Result<WorkerProcess> {
        let own = env::current_exe().context("cannot tell where this program lies")?;
        let mut command = Command::new(own);
        command.args(["worker", "--nats", url, "--threads", &threads.to_string(), "--name", name]);
        Ok(WorkerProcess { child: children.start(&mut command).context("cannot start a worker")? })
    }

    /// Stops it where it is, as a machine does that is cut off from the network.
    ///
    /// # Errors
    /// When the system does not let us.
    pub fn pause(&self) -> Result<()> {
        signal(&self.child, true)
    }

    /// Lets it go on.
    ///
    /// # Errors
    /// When the system does not let us.
    pub fn go_on(&self) -> Result<()> {
        signal(&self.child, false)
    }

    /// Ends it without a word.
    pub fn kill(mut self) {
        self.child.end();
    }
}

#[cfg(unix)]
fn signal(child: &OwnChild, stops: bool) -> Result<()> {
    use rustix::process::{Pid, Signal, kill_process};
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { bail!("there is no such process") };
    Ok(kill_process(pid, if stops { Signal::STOP } else { Signal::CONT })?)
}

#[cfg(not(unix))]
fn signal(_: &OwnChild, _: bool) -> Result<()> {
    bail!("processes cannot be stopped on this system")
}
