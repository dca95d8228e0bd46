//! What several tests need: a real server on this machine, and games to play.

#![allow(dead_code)]

use fleet::{Connection, Nats};
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A server of our own, which ends with the test.
pub struct Server {
    child: Option<Child>,
    pub port: u16,
    folder: PathBuf,
    config: Option<PathBuf>,
}

/// A port that nobody uses at the moment.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port").port()
}

impl Server {
    /// Starts one with queues; `None`, and a word about it, where there is none on this machine.
    pub fn start(name: &str) -> Option<Server> {
        Server::with(name, None)
    }

    /// The same with a configuration.
    pub fn with(name: &str, config: Option<&str>) -> Option<Server> {
        if Command::new("nats-server").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            eprintln!("SKIPPED: there is no nats-server on this machine (Debian has a package of that name)");
            return None;
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("nats-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let config = config.map(|text| {
            let path = folder.join("server.conf");
            fs::write(&path, text).expect("a file");
            path
        });
        let mut server = Server { child: None, port: free_port(), folder, config };
        server.begin();
        Some(server)
    }

    /// Begins, perhaps again, at the same port and with the same store.
    pub fn begin(&mut self) {
        let mut command = Command::new("nats-server");
        command.args(["-a", "127.0.0.1", "-p", &self.port.to_string(), "-js", "-sd"]).arg(self.folder.join("store"));
        if let Some(config) = &self.config {
            command.arg("-c").arg(config);
        }
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        self.child = Some(child);
        let until = Instant::now() + Duration::from_secs(20);
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(Instant::now() < until, "the server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends it without a word, as a power cut would.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn connect(&self) -> Arc<Nats> {
        Arc::new(Nats::connect(&Connection::to(&self.url()), "test").expect("it listens"))
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Waits until something is so.
pub fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < until, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
