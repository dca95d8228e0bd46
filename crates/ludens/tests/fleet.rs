//! `ludens worker`, `ludens fleet` and whatever plays on a fleet, with a real server and workers that are processes of their own.

mod support;

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server of our own.
struct Server {
    child: Child,
    url: String,
    store: PathBuf,
}

impl Server {
    /// `None`, and a word about it, where there is none on this machine.
    fn start(name: &str) -> Option<Server> {
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port").port();
        let store = support::folder(name);
        let mut command = Command::new("nats-server");
        command.args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"]).arg(&store);
        let Ok(child) = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn() else {
            eprintln!("SKIPPED: there is no nats-server on this machine (Debian has a package of that name)");
            return None;
        };
        let server = Server { child, url: format!("nats://127.0.0.1:{port}"), store };
        let until = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "the server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }

    fn status(&self) -> (i32, Value) {
        let run = support::ludens(&["fleet", "status", "--nats", &self.url, "--seconds", "0.5", "--json"]);
        (run.code, run.json())
    }

    /// Waits until so many workers are there.
    fn wait_for(&self, count: usize) -> Value {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let (_, status) = self.status();
            if status["workers"].as_array().is_some_and(|workers| workers.len() == count) {
                return status;
            }
            assert!(Instant::now() < until, "never {count} workers: {status}");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.store);
    }
}

/// A worker, which ends with the test.
struct Worker(Child);

impl Worker {
    fn start(url: &str) -> Worker {
        let mut command = support::program();
        command.args(["worker", "--nats", url, "--threads", "1", "--name", "test machine"]);
        Worker(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts"))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn workers_come_are_shown_play_and_leave() {
    let Some(server) = Server::start("fleet-status") else { return };
    let (code, status) = server.status();
    assert_eq!((code, status["workers"].as_array().map(Vec::len)), (1, Some(0)));
    let (one, two) = (Worker::start(&server.url), Worker::start(&server.url));
    let status = server.wait_for(2);
    assert_eq!((&status["workers"][0]["machine"], &status["workers"][0]["seats"]), (&"test machine".into(), &1.into()));
    let table = support::ludens(&["fleet", "status", "--nats", &server.url]);
    assert!(table.code == 0 && table.out.contains("2 workers at nats://127.0.0.1:"), "{}", table.out);
    // A tournament there is the tournament here.
    let args = ["tournament", "tic-tac-toe", "nim", "--player", "uct:playouts=60", "--player", "random", "-n", "4"];
    let args = [&args[..], &["--start", "30", "--play", "30", "--json"]].concat();
    let (here, there) = (support::ludens(&args), support::ludens(&[&args[..], &["--fleet", &server.url]].concat()));
    assert_eq!((here.code, there.code), (0, 0), "{}\n{}", here.err, there.err);
    assert_eq!(here.json(), there.json());
    let refused = support::ludens(&[
        "tournament",
        "nim",
        "--player",
        "http://localhost:1",
        "--player",
        "random",
        "--fleet",
        &server.url,
    ]);
    assert!(refused.code == 2 && refused.err.contains("cannot play on a fleet"), "{}", refused.err);
    // Asked to end, a worker says goodbye.
    let mut one = one;
    let pid = one.0.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().is_ok_and(|status| status.success()));
    assert_eq!(one.0.wait().expect("it ends").code(), Some(130));
    let words = std::io::read_to_string(one.0.stderr.take().expect("it is piped")).expect("text");
    assert!(words.contains("connected\n") && words.contains("the worker has left"), "{words}");
    server.wait_for(1);
    drop(two);
}

#[test]
fn an_experiment_on_a_fleet_is_the_experiment_here() {
    let Some(server) = Server::start("fleet-lab") else { return };
    let workers = [Worker::start(&server.url), Worker::start(&server.url)];
    server.wait_for(2);
    let run = |name: &str, more: &[&str]| {
        let folder = support::folder(name);
        let out = folder.display().to_string();
        // Chinese checkers by an evaluation that needs no table.
        let args = ["lab", "samadi", "chinese-checkers", "--player", "baseline", "--depths", "1", "--openings", "3"];
        let run = support::ludens(&[&args[..], &["--folder", &out, "--out", &out], more].concat());
        assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
        assert!(run.out.contains("6 games to play"), "{}", run.out);
        let text = std::fs::read_to_string(folder.join("results.json")).expect("results");
        let results: Value = serde_json::from_str(&text).expect("JSON");
        let mut contest = results["contests"][0].clone();
        assert_eq!(contest["games"], 6, "{results}");
        // How long it took is another matter.
        contest.as_object_mut().expect("a contest").retain(|key, _| !key.contains("econds") && !key.contains("time"));
        contest
    };
    let (here, there) = (run("samadi-here", &[]), run("samadi-there", &["--fleet", &server.url]));
    assert_eq!(here, there);
    // The workers have played.
    let (_, status) = server.status();
    let done = |at: usize| status["workers"][at]["done"].as_u64().unwrap_or(0);
    assert!(done(0) + done(1) >= 6, "{status}");
    drop(workers);
}

#[test]
fn whatever_happens_moves_are_in_time_and_games_count_once() {
    let folder = support::folder("lab-fleet");
    let out = folder.display().to_string();
    if Command::new("nats-server").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("SKIPPED: there is no nats-server on this machine (Debian has a package of that name)");
        return;
    }
    let args = [
        "lab",
        "fleet",
        "faults",
        "--matches",
        "4",
        "--games",
        "40",
        "--workers",
        "8",
        "--pause",
        "0.7",
        "--out",
        &out,
    ];
    let run = support::ludens(&args);
    assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
    let text = std::fs::read_to_string(folder.join("faults.json")).expect("figures");
    let figures: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        (&figures["matches"]["completed"], &figures["games"], &figures["equal"]),
        (&4.into(), &40.into(), &true.into())
    );
    let disturbed = figures["disturbances"].as_object().map_or(0, |done| done.len());
    assert_eq!(disturbed, 4, "every kind of disturbance: {figures}");
}

#[test]
fn what_cannot_be_reached_is_named() {
    let nobody = "nats://127.0.0.1:9";
    for args in [
        &["fleet", "status", "--nats", nobody][..],
        &["tournament", "nim", "--player", "legal", "--player", "random", "--fleet", nobody],
    ] {
        let run = support::ludens(args);
        assert!(run.code == 2 && run.err.contains(nobody), "{args:?}: {} {}", run.code, run.err);
    }
    let bad = support::ludens(&["worker", "--nats", "http://host"]);
    assert!(bad.code == 2 && bad.err.contains("nats://HOST:4222"), "{}", bad.err);
    // A worker waits, and says why.
    let mut worker = Worker::start(nobody);
    let mut words = BufReader::new(worker.0.stderr.take().expect("it is piped")).lines();
    let first = words.next().expect("a line").expect("text");
    assert!(first.starts_with("waiting for the server: cannot connect") && first.contains(nobody), "{first}");
    drop(worker);
    // A player without its server plays with its own threads.
    let player = format!("fleet:url={nobody}");
    let run = support::ludens(&[
        "match",
        "tic-tac-toe",
        "--player",
        &player,
        "--player",
        "random",
        "--start",
        "2",
        "--play",
        "1",
    ]);
    assert!(run.code == 0 && !run.out.contains('['), "{}\n{}", run.out, run.err);
}
