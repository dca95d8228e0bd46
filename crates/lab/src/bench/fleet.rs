//! `ludens bench fleet`: a message there and back, what a fleet costs beside threads, and how one player gets on with many workers.

use super::meter::{Stopwatch, clock};
use crate::fleet_bed::Server;
use agent::PlayerSpec;
use agent::analysis::Search;
use agent::searcher::Knowledge;
use agent::{Events, Position};
use anyhow::{Context, Result, ensure};
use clap::Args;
use fleet::message::{self, Finding, News, Report};
use fleet::{Carrier, Connection, Nats, VERSION, Worker, WorkerSettings};
use game::{Cancel, Role};
use host::Players;
use platform::Interrupt;
use play::{Clock, Disguise, Start};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use terminal::{Answer, Out};

/// Arguments of `bench fleet`.
#[derive(Args)]
pub struct BenchFleetArgs {
    /// The game that is searched
    #[arg(long, default_value = "breakthrough")]
    pub game: String,
    /// How long to search, each way
    #[arg(long, default_value_t = 3.0, value_parser = crate::args::seconds)]
    pub seconds: f64,
    /// How often each way of searching is measured, in turn; the median of the differences counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub times: u16,
    /// Threads to search with, both ways
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub threads: usize,
    /// Workers that one player has to do with, each with a small counted budget
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub workers: usize,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Below the help of the command.
pub const HELP: &str = "\
Aims: a message there and back under 2 ms; at most 5% fewer random games a second than with threads; 200 workers and a play clock of one second. \
Needs nats-server on this machine for the first and the last.

Examples:
  ludens bench fleet
  ludens bench fleet --game hex --seconds 1 --json";

/// Messages there and back.
const MESSAGES: usize = 1_000;

/// Runs the command.
pub fn run(args: &BenchFleetArgs, interrupt: &Interrupt, out: Out<'_>) -> Result<Answer> {
    let folder = std::env::temp_dir().join(format!("ludens-bench-fleet-{}", std::process::id()));
    let server = Server::start(interrupt.children(), &folder)?;
    let cancel = interrupt.cancel();
    let measured = (|| {
        let trip = round_trip(&server.url())?;
        let cost = cost(args, &cancel)?;
        let many = many(args, &server.url())?;
        Ok::<_, anyhow::Error>((trip, cost, many))
    })();
    drop(server);
    let _ = std::fs::remove_dir_all(&folder);
    let (trip, cost, many) = measured?;
    if args.json {
        let report = json!({ "roundTripMilliseconds": trip, "overhead": cost, "manyWorkers": many });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(Answer::Yes);
    }
    let number = |of: &Value, name: &str| of[name].as_f64().unwrap_or(f64::NAN);
    let (median, most) = (number(&trip, "median"), number(&trip, "most"));
    writeln!(
        out,
        "a message there and back: median {median:.3} ms, 99% below {most:.3} ms, of {MESSAGES} (aim: 2 ms)"
    )?;
    writeln!(
        out,
        "random games a {}, {} with {} threads: {:.0} by threads, {:.0} by a fleet of threads, {:+.1}% (aim: at least -5%); a second on the wall: {:.0} and {:.0}, {:+.1}%",
        clock().second(),
        args.game,
        args.threads,
        number(&cost, "threads"),
        number(&cost, "fleet"),
        number(&cost, "percent"),
        number(&cost, "threadsWall"),
        number(&cost, "fleetWall"),
        number(&cost, "percentWall")
    )?;
    writeln!(
        out,
        "{} of {} workers ready; {} moves with a play clock of 1 s: the longest took {:.3} s, {:.1} last words of workers a move",
        many["ready"],
        args.workers,
        many["moves"],
        number(&many, "longest"),
        number(&many, "answers")
    )?;
    Ok(Answer::Yes)
}

/// Milliseconds for a message to another connection and its answer.
fn round_trip(url: &str) -> Result<Value> {
    let connect = || Nats::connect(&Connection::to(url), "ludens bench");
    let (here, there) = (connect()?, connect()?);
    let answers = here.listen(&["ludens.found.bench".to_string()]).map_err(anyhow::Error::msg)?;
    let questions = there.listen(&["ludens.crew.bench".to_string()]).map_err(anyhow::Error::msg)?;
    let over = Cancel::new();
    let times = std::thread::scope(|scope| {
        let (over, there) = (&over, &there);
        scope.spawn(move || {
            while !over.is_cancelled() {
                if let Some(mail) = questions.next(Duration::from_millis(50)) {
                    let _ = there.send("ludens.found.bench", mail.body.to_vec());
                }
            }
        });
        let mut times = Vec::new();
        for _ in 0..MESSAGES {
            let began = Instant::now();
            let _ = here.send("ludens.crew.bench", vec![b'x'; 1_000]);
            if answers.next(Duration::from_secs(1)).is_some() {
                times.push(began.elapsed().as_secs_f64() * 1000.0);
            }
        }
        over.cancel();
        times
    });
    ensure!(times.len() > MESSAGES / 2, "only {} of {MESSAGES} messages came back", times.len());
    let mut times = times;
    times.sort_by(f64::total_cmp);
    Ok(json!({ "median": times[times.len() / 2], "most": times[times.len() * 99 / 100], "messages": times.len() }))
}

/// Random games a second by threads of UCT, and by a fleet of as many threads; in turn, so that whatever else the machine does meets both.
fn cost(args: &BenchFleetArgs, cancel: &Cancel) -> Result<Value> {
    let (sheet, rules) = library::load(&args.game)?;
    let engine = agent::load(Default::default(), &sheet, &rules, cancel)?.engine;
    let rules = Arc::new(rules);
    let fleets = fleet::searcher::fleets(None);
    let (mut speeds, mut ratios) = ([[0.0; 2]; 2], Vec::new());
    for _ in 0..args.times {
        let mut pair = [0.0; 2];
        for (at, text) in [format!("uct:threads={}", args.threads), format!("fleet:threads={},solvers=0", args.threads)]
            .iter()
            .enumerate()
        {
            let spec: PlayerSpec = text.parse()?;
            let knowledge = Arc::new(Knowledge::new(&rules, None, &Events::ignored()).with_fleets(Some(&fleets)));
            let position = Position::start(engine.clone());
            let search = |seconds: f64, seed: u64| {
                let search = Search { spec: &spec, seconds, seed, position: &position, role: Role(0) };
                search.run(&knowledge, cancel, Duration::from_secs(3600), &mut |_| Ok(()))
            };
            // Until the workers have the rules.
            search(1.0, 1)?;
            let began = Stopwatch::start();
            let found = search(args.seconds, 2)?;
            let (games, times) = (found.playouts as f64, f64::from(args.times));
            pair[at] = games / began.seconds();
            speeds[at] = [speeds[at][0] + pair[at] / times, speeds[at][1] + games / began.wall() / times];
        }
        ratios.push(pair[1] / pair[0]);
    }
    ratios.sort_by(f64::total_cmp);
    let [[threads, threads_wall], [fleet, fleet_wall]] = speeds;
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    Ok(json!({
        "threads": threads, "fleet": fleet, "percent": percent(ratios[ratios.len() / 2]), "clock": clock().second(),
        "threadsWall": threads_wall, "fleetWall": fleet_wall, "percentWall": percent(fleet_wall / threads_wall),
    }))
}

/// One player and many workers with a small budget each.
fn many(args: &BenchFleetArgs, url: &str) -> Result<Value> {
    let (_, rules) = library::load("tic-tac-toe")?;
    let nats = Arc::new(Nats::connect(&Connection::to(url), "ludens bench")?);
    let spy = nats.listen(&["ludens.found.>".to_string()]).map_err(anyhow::Error::msg)?;
    let settings = WorkerSettings { memory: 1, ..WorkerSettings::new("simulated", args.workers as u32) };
    let worker = Worker::start(nats as Arc<dyn Carrier>, settings).map_err(anyhow::Error::msg)?;
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&told);
    let mut players = Players::default();
    players.resources.events =
        Events::to(move |event| heard.lock().unwrap_or_else(PoisonError::into_inner).push(event.to_string()));
    let text = format!("fleet:url={url},threads=0,workers={},playouts=20,memory=1", args.workers);
    let mut player = players.make(&text.parse()?, 1, &host::players::no_people)?;
    let began = Instant::now();
    let spent = || began.elapsed().as_secs_f64();
    let rules = Disguise::new(&rules, None).rules().to_string();
    let start = Start { id: "bench".into(), role: "x".into(), rules, start: 20.0, play: 1.0, cancel: Cancel::new() };
    player.prepare(&start, &Clock::new(20.0, &spent)).map_err(|trouble| anyhow::anyhow!("{trouble}"))?;
    let mut longest: f64 = 0.0;
    let steps = [["(mark 2 2)", "noop"], ["noop", "(mark 1 1)"], ["(mark 1 2)", "noop"], ["noop", "(mark 3 3)"]];
    let mut moves = 0;
    for at in 0..=steps.len() {
        let last = at.checked_sub(1).map(|before| steps[before].map(String::from).to_vec());
        let began = Instant::now();
        let spent = || began.elapsed().as_secs_f64();
        player.choose(last.as_deref(), &Clock::new(1.0, &spent)).map_err(|trouble| anyhow::anyhow!("{trouble}"))?;
        if at % 2 == 0 {
            longest = longest.max(began.elapsed().as_secs_f64());
            moves += 1;
        }
    }
    let (mut answers, until) = (0, Instant::now() + Duration::from_secs(1));
    while let Some(mail) = spy.next(Duration::from_millis(100)).filter(|_| Instant::now() < until) {
        let finding = message::read::<Finding>(VERSION, &mail.body);
        // The first question is about getting ready.
        let is_answer = |report: &Report| report.is_last && report.turn > 1;
        answers += usize::from(matches!(finding, Ok(Finding { what: News::Found(report), .. }) if is_answer(&report)));
    }
    player.stop(None, &Clock::new(1.0, &|| 0.0));
    drop(worker);
    let told = told.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let ready = told.iter().find_map(|words| words.strip_prefix("fleet: ")?.split(" of ").next()?.parse::<u64>().ok());
    let ready = ready.with_context(|| format!("no worker was ready: {}", told.join("; ")))?;
    Ok(json!({ "ready": ready, "moves": moves, "longest": longest, "answers": answers as f64 / f64::from(moves) }))
}
