//! `ludens worker`: serves the searches and matches of others. And `ludens fleet`: who is there, and what they are doing.

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use fleet::message::Presence;
use fleet::roll_call::{Entry, RollCall};
use fleet::tasks::{Handler, TaskRunner};
use fleet::{Carrier, Connection, Nats, VERSION, Worker, WorkerSettings};
use game::Cancel;
use host::tournament::Sent;
use platform::{Interrupt, Interrupted, folders};
use serde_json::{Value, json};
use std::io::{IsTerminal, Write, stderr, stdout};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use terminal::{Answer, Out, text};

/// Below the help of `worker`.
pub const WORKER_HELP: &str = "\
Searches for players (`--player fleet:url=URL`) and plays matches of tournaments and experiments (`--fleet URL`), one for each of its \
threads at a time. It connects to the server and listens to nobody else. It waits for a server that is not there yet, or not any \
more, and gets its work back when it is. Jobs are data: rules within limits, players that only think; nothing that is sent is run as a program. All parts of a \
fleet have the same version. Ctrl-C or SIGTERM: it takes no more work, gives back what is not done, and leaves.

Secrets come from the environment: LUDENS_FLEET_USER and LUDENS_FLEET_PASSWORD, or LUDENS_FLEET_CREDS (a file of `nsc`); LUDENS_FLEET_CA is \
a file with certificates to trust, LUDENS_FLEET_CERT and LUDENS_FLEET_KEY are a certificate of its own. docs/fleet.md tells how to set up a fleet.

Examples:
  nats-server -a 127.0.0.1 -js                      (the server, for this machine alone)
  ludens worker
  ludens worker --nats tls://fleet.example:4222 --threads 16
  ludens match connect-four --player fleet:url=nats://127.0.0.1:4222 --player random --start 5 --play 1";

/// Below the help of `fleet`.
pub const FLEET_HELP: &str = "\
Workers of another version are shown, and get no work. Exit status 1 if there is no worker.

Examples:
  ludens fleet status
  ludens fleet status --nats tls://fleet.example:4222 --json
  ludens fleet watch";

/// Arguments of `worker`.
#[derive(Args)]
pub struct WorkerArgs {
    /// The server: nats://HOST:4222, or tls://HOST:4222 [default: $LUDENS_FLEET, or nats://127.0.0.1:4222]
    #[arg(long, value_name = "URL")]
    pub nats: Option<String>,
    /// Jobs at the same time [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
    /// MiB that a job may use for trees and tables
    #[arg(long, value_name = "MIB", default_value_t = fleet::worker::MEMORY, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub memory: u32,
    /// What to call this machine [default: its own name]
    #[arg(long)]
    pub name: Option<String>,
}

/// What can be asked of a fleet.
#[derive(Subcommand)]
pub enum FleetCommand {
    /// Show who is there, and what they are doing
    #[command(after_help = FLEET_HELP)]
    Status(StatusArgs),
    /// The same, again and again, until Ctrl-C
    #[command(after_help = FLEET_HELP)]
    Watch(WatchArgs),
}

/// Arguments of `fleet status`.
#[derive(Args)]
pub struct StatusArgs {
    /// The server [default: $LUDENS_FLEET, or nats://127.0.0.1:4222]
    #[arg(long, value_name = "URL")]
    pub nats: Option<String>,
    /// How long to wait for answers
    #[arg(long, value_name = "SECONDS", default_value_t = 0.5, value_parser = lab::args::seconds)]
    pub seconds: f64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `fleet watch`.
#[derive(Args)]
pub struct WatchArgs {
    /// The server [default: $LUDENS_FLEET, or nats://127.0.0.1:4222]
    #[arg(long, value_name = "URL")]
    pub nats: Option<String>,
    /// Seconds between two looks
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = lab::args::seconds)]
    pub every: f64,
}

/// What this machine calls itself.
fn machine_name() -> String {
    let from_file = || std::fs::read_to_string("/etc/hostname").ok();
    let name = std::env::var("HOSTNAME").ok().or_else(from_file).unwrap_or_default();
    if name.trim().is_empty() { "a machine without a name".to_string() } else { name.trim().to_string() }
}

/// Connects with a server that has to be there.
pub fn connect(url: Option<&str>) -> Result<Arc<Nats>> {
    let connection = Connection::from_environment(url)?;
    Ok(Arc::new(Nats::connect(&connection, "ludens")?))
}

/// Connects with a server, and says why if that takes a while; `None` if the program is asked to end meanwhile.
fn connect_patiently(connection: &Connection, name: &str, cancel: &Cancel) -> Result<Option<Arc<Nats>>> {
    let nats = match Nats::connect(connection, name) {
        Ok(nats) => nats,
        Err(why) => {
            say(&format!("waiting for the server: {why:#}"));
            Nats::connect_when_there(connection, name)?
        }
    };
    while !nats.is_connected() && !cancel.is_cancelled() {
        thread::sleep(Duration::from_millis(50));
    }
    Ok((!cancel.is_cancelled()).then(|| Arc::new(nats)))
}

/// Runs `ludens worker`; it goes on until the program is asked to end.
pub fn worker(args: &WorkerArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let connection = Connection::from_environment(args.nats.as_deref())?;
    let cancel = interrupt.cancel();
    let machine = args.name.clone().unwrap_or_else(machine_name);
    let seats = args.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, |count| count.get() as u32));
    let mut settings = WorkerSettings::new(&machine, seats);
    (settings.memory, settings.tables) = (args.memory, folders::tables(None).ok());
    let name = settings.name.clone();
    writeln!(
        out,
        "worker {name} on {machine}: {}, version {VERSION}, for {}",
        text::count(seats as usize, "thread"),
        connection.url
    )?;
    out.flush()?;
    let Some(nats) = connect_patiently(&connection, &format!("ludens worker on {machine}"), &cancel)? else {
        return Err(Interrupted("the worker had not begun".to_string()).into());
    };
    let worker = Worker::start(Arc::clone(&nats) as Arc<dyn Carrier>, settings).map_err(anyhow::Error::msg)?;
    let tasks = TaskRunner::start(&nats, &worker, handler(interrupt, args.memory)).map_err(anyhow::Error::msg)?;
    say("connected");
    let (mut was_connected, mut trouble) = (true, None);
    while !cancel.is_cancelled() {
        thread::sleep(Duration::from_millis(100));
        let now = nats.is_connected();
        if now != was_connected {
            say(if now { "connected again" } else { "the server is away; waiting for it" });
            was_connected = now;
        }
        let complaint = nats.trouble();
        if complaint != trouble {
            complaint.iter().for_each(|complaint| say(complaint));
            trouble = complaint;
        }
    }
    drop(tasks);
    let Presence { done, dropped, .. } = worker.presence();
    worker.leave();
    let kept = format!(
        "the worker has left: {} done, {} dropped",
        text::count(done as usize, "job"),
        text::count(dropped.all() as usize, "message")
    );
    Err(Interrupted(kept).into())
}

fn say(what: &str) {
    let _ = writeln!(stderr(), "{what}");
}

/// What a worker does with pieces of work, by their kinds.
fn handler(interrupt: &Interrupt, memory: u32) -> Handler {
    let sent = Sent::new(crate::player::players(interrupt), memory);
    let workshop = lab::pieces::Workshop::new(interrupt);
    Arc::new(move |kind, work, cancel| {
        let done = match kind {
            host::tournament::KIND => sent.play(work, cancel),
            other => workshop.work(other, work, cancel),
        };
        done.map_err(|error| format!("{error:#}"))
    })
}

/// Runs `ludens fleet`.
pub fn run(what: &FleetCommand, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    match what {
        FleetCommand::Status(args) => status(args, out),
        FleetCommand::Watch(args) => watch(args, interrupt, out),
    }
}

fn status(args: &StatusArgs, out: Out<'_>) -> Result<Answer> {
    let nats = connect(args.nats.as_deref())?;
    let url = nats.url().to_string();
    let mut call = RollCall::new(Arc::clone(&nats) as Arc<dyn Carrier>, VERSION).map_err(anyhow::Error::msg)?;
    call.call().map_err(anyhow::Error::msg)?;
    call.listen(Duration::from_secs_f64(args.seconds));
    let workers = call.workers();
    if args.json {
        let all: Vec<Value> = workers.iter().map(|(name, entry)| as_json(name, entry)).collect();
        serde_json::to_writer_pretty(&mut *out, &json!({ "url": url, "version": VERSION, "workers": all }))?;
        writeln!(out)?;
    } else {
        write!(out, "{}", table(&url, &workers))?;
    }
    // Whoever may not listen would see nobody, and wonder why.
    nats.trouble().iter().for_each(|trouble| say(trouble));
    let is_manned = workers.iter().any(|(_, entry)| matches!(entry, Entry::Here(_)));
    Ok(if is_manned { Answer::Yes } else { Answer::No })
}

fn watch(args: &WatchArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let nats = connect(args.nats.as_deref())?;
    let cancel = interrupt.cancel();
    let mut call = RollCall::new(Arc::clone(&nats) as Arc<dyn Carrier>, VERSION).map_err(anyhow::Error::msg)?;
    let clear = if stdout().is_terminal() { "\x1b[2J\x1b[H" } else { "" };
    while !cancel.is_cancelled() {
        // Without a connection nobody hears, and that is shown.
        let _ = call.call();
        let until = Instant::now() + Duration::from_secs_f64(args.every);
        while Instant::now() < until && !cancel.is_cancelled() {
            call.listen(Duration::from_millis(50).min(until.saturating_duration_since(Instant::now())));
        }
        let away = if nats.is_connected() { "" } else { "the server is away; waiting for it\n" };
        write!(out, "{clear}{}{away}", table(nats.url(), &call.workers()))?;
        if clear.is_empty() {
            writeln!(out)?;
        }
        out.flush()?;
    }
    bail!(Interrupted("nothing was changed by watching".to_string()))
}

fn as_json(name: &str, entry: &Entry) -> Value {
    match entry {
        Entry::Here(presence) => {
            let mut value = serde_json::to_value(presence).unwrap_or_default();
            value["version"] = json!(VERSION);
            value
        }
        Entry::OtherVersion { machine, version } => {
            json!({ "worker": name, "machine": machine, "version": version, "refused": "another version" })
        }
    }
}

/// All workers, a line for each and one for all.
fn table(url: &str, workers: &[(String, Entry)]) -> String {
    let head = ["worker", "machine", "version", "threads", "busy", "states/s", "done", "dropped", "doing"];
    let mut rows = vec![head.map(String::from).to_vec()];
    let (mut seats, mut busy, mut speed) = (0, 0, 0);
    for (name, entry) in workers {
        rows.push(match entry {
            Entry::Here(presence) => {
                (seats, busy, speed) = (seats + presence.seats, busy + presence.busy, speed + presence.speed);
                let mut doing = presence.doing.first().map_or("-".to_string(), |first| text::plain(first));
                if presence.doing.len() > 1 {
                    doing += &format!(" and {} more", presence.doing.len() - 1);
                }
                vec![
                    name.clone(),
                    text::plain(&presence.machine),
                    VERSION.to_string(),
                    presence.seats.to_string(),
                    presence.busy.to_string(),
                    presence.speed.to_string(),
                    presence.done.to_string(),
                    presence.dropped.all().to_string(),
                    doing,
                ]
            }
            Entry::OtherVersion { machine, version } => {
                let why = format!("refused: this is {VERSION}");
                let blank = || "-".to_string();
                vec![
                    name.clone(),
                    text::plain(machine),
                    version.clone(),
                    blank(),
                    blank(),
                    blank(),
                    blank(),
                    blank(),
                    why,
                ]
            }
        });
    }
    if workers.is_empty() {
        return format!("no worker at {url} (`ludens worker` is one)\n");
    }
    let is_refused = |entry: &Entry| matches!(entry, Entry::OtherVersion { .. });
    let refused = workers.iter().filter(|(_, entry)| is_refused(entry)).count();
    let count = text::count(workers.len() - refused, "worker");
    let refused = if refused > 0 { format!(", {refused} refused") } else { String::new() };
    format!(
        "{}{count} at {url}{refused}: {busy} of {} busy, {speed} states/s\n",
        text::aligned(&rows),
        text::count(seats as usize, "thread")
    )
}
