//! What a fleet survives: matches and a tournament, while workers and the server are killed, stopped, slowed down and started again.

use super::FleetArgs;
use crate::fleet_bed::{Server, WorkerProcess};
use agent::EngineCache;
use anyhow::{Context, Result, ensure};
use fleet::queue::Queue;
use fleet::{Connection, Nats, VERSION};
use game::random::Rng;
use game::{Cancel, roles};
use host::many;
use host::matches::{Setup, game_url, host, more};
use host::player_thread::PlayerThread;
use host::players::{Players, no_people};
use host::tournament::{Place, Plan, Played, Progress, play_some_at};
use machine::Engine;
use platform::{Children, Interrupt, save};
use play::Disguise;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The games that are played.
const GAMES: [&str; 4] = ["tic-tac-toe", "connect-four-small", "breakthrough-small", "nim"];
/// Seconds before the first move, and for each move.
const CLOCKS: (f64, f64) = (3.0, 1.0);
/// Matches at the same time.
const PARALLEL: usize = 2;

/// What came of it.
pub struct Faults {
    /// As it is told.
    pub text: String,
    /// No move late or illegal, no match without a record, no game lost or counted twice.
    pub is_fine: bool,
}

/// Figures of the matches.
#[derive(Default, Serialize)]
struct Figures {
    matches: usize,
    completed: usize,
    steps: usize,
    late: usize,
    illegal: usize,
    not_ready: usize,
    /// The longest answer, in seconds.
    longest: f64,
}

/// Runs this part.
pub fn run(args: &FleetArgs, folder: &Path, interrupt: &Interrupt) -> Result<Faults> {
    let cancel = interrupt.cancel();
    let store = folder.join("store");
    let _ = std::fs::remove_dir_all(&store);
    let server = Server::start(interrupt.children(), &store)?;
    let url = server.url();
    let bed = Bed {
        children: interrupt.children().clone(),
        url: url.clone(),
        server: Mutex::new(server),
        workers: Mutex::default(),
    };
    for number in 0..usize::from(args.workers) {
        bed.add(number)?;
    }
    let over = cancel.child();
    let (figures, tournament, done) = thread::scope(|scope| {
        let disturber = scope.spawn(|| disturb(&bed, args, &over));
        let tournament = scope.spawn(|| play_tournament(args, &url, &folder.join("tournament-fleet"), &cancel));
        let figures = play_matches(args, &url, &cancel);
        let tournament = tournament.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the tournament crashed")));
        over.cancel();
        let done = disturber.join().unwrap_or_else(|_| Err(anyhow::anyhow!("who disturbs has crashed")));
        (figures, tournament, done)
    });
    let (figures, tournament, done) = (figures?, tournament?, done?);
    drop(bed);
    let _ = std::fs::remove_dir_all(&store);
    let alone = results(&Place::Here, args, &folder.join("tournament-alone"), &cancel)
        .context("the tournament on this machine")?;
    let is_same = tournament == alone;
    let wanted = args.matches;
    let is_fine = figures.completed == wanted && figures.late + figures.illegal + figures.not_ready == 0 && is_same;
    let disturbed: Vec<String> = done.iter().map(|(what, times)| format!("{what} {times}")).collect();
    let text = format!(
        "{} worker processes; disturbances: {}\n\
         matches of a fleet: {} of {wanted} played and recorded to the end, {} steps, of the fleet's moves {} late, {} illegal, {} not ready, longest answer {:.2} s of {} s\n\
         tournament on the fleet: {} games counted, each once; results {} those of one machine\n",
        args.workers,
        disturbed.join(", "),
        figures.completed,
        figures.steps,
        figures.late,
        figures.illegal,
        figures.not_ready,
        figures.longest,
        CLOCKS.1,
        tournament.len(),
        if is_same { "equal" } else { "DIFFER FROM" },
    );
    let json = serde_json::json!({ "workers": args.workers, "disturbances": done, "matches": figures, "games": tournament.len(), "equal": is_same, "fine": is_fine });
    save(&folder.join("faults.json"), &format!("{json:#}\n"))?;
    Ok(Faults { text, is_fine })
}

/// The processes.
struct Bed {
    children: Children,
    url: String,
    server: Mutex<Server>,
    workers: Mutex<Vec<WorkerProcess>>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Bed {
    fn add(&self, number: usize) -> Result<()> {
        let worker = WorkerProcess::start(&self.children, &self.url, 1, &format!("worker-{number}"))?;
        lock(&self.workers).push(worker);
        Ok(())
    }
}

fn rest(seconds: f64, over: &Cancel) {
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    while Instant::now() < until && !over.is_cancelled() {
        thread::sleep(Duration::from_millis(20));
    }
}

/// Disturbs the fleet until the work is over: what was done how often.
fn disturb(bed: &Bed, args: &FleetArgs, over: &Cancel) -> Result<BTreeMap<&'static str, usize>> {
    let mut rng = Rng::new(args.seed);
    let mut done: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut number = usize::from(args.workers);
    // Each kind in turn, so that a short run has all of them.
    for kind in (0..4).cycle() {
        rest(args.pause, over);
        if over.is_cancelled() {
            break;
        }
        let which = |rng: &mut Rng| rng.below(lock(&bed.workers).len().max(1));
        let what = match kind {
            0 => {
                let at = which(&mut rng);
                lock(&bed.workers).swap_remove(at).kill();
                bed.add(number)?;
                number += 1;
                "workers killed and others started"
            }
            1 => {
                let at = which(&mut rng);
                lock(&bed.workers)[at].pause()?;
                rest(3.0, over);
                lock(&bed.workers)[at].go_on()?;
                "workers cut off for three seconds"
            }
            2 => {
                lock(&bed.server).kill();
                rest(0.2 + rng.below(1000) as f64 / 1000.0, over);
                lock(&bed.server).begin()?;
                "servers killed and started again"
            }
            _ => {
                let at = which(&mut rng);
                for _ in 0..10 {
                    lock(&bed.workers)[at].pause()?;
                    rest(0.2, over);
                    lock(&bed.workers)[at].go_on()?;
                    rest(0.05, over);
                }
                "workers slowed down"
            }
        };
        *done.entry(what).or_default() += 1;
    }
    Ok(done)
}

/// Plays matches of a fleet against random play.
fn play_matches(args: &FleetArgs, url: &str, cancel: &Cancel) -> Result<Figures> {
    let mut games = Vec::new();
    let cache = Arc::new(EngineCache::default());
    for name in GAMES {
        let (sheet, rules) = library::load(name)?;
        let engine = agent::load(Default::default(), &sheet, &rules, cancel)?.engine;
        cache.fill(Disguise::new(&rules, None).rules()).map_err(anyhow::Error::msg)?;
        games.push((sheet, rules, engine));
    }
    let mut players = Players::default();
    players.resources.cache = Some(cache);
    let numbers: Vec<usize> = (0..args.matches).collect();
    let mut figures = Figures::default();
    let mut shown = terminal::Progress::new();
    let play = |&number: &usize, broken: &Cancel| {
        let (sheet, rules, engine) = &games[number % games.len()];
        let own = (number / games.len()) % 2;
        let disguise = Disguise::new(rules, None);
        let mut seats = Vec::new();
        for seat in 0..roles(engine).count() {
            let text = if seat == own { format!("fleet:url={url}") } else { "random".to_string() };
            let player =
                players.make(&text.parse()?, args.seed.wrapping_add((10 * number + seat) as u64), &no_people)?;
            seats.push(Some(PlayerThread::new(text, false, player)?));
        }
        let setup = Setup {
            id: format!("fleet.{number}"),
            disguise: &disguise,
            start: CLOCKS.0,
            play: CLOCKS.1,
            seed: number as u64,
            most: 200,
            game: sheet.name.clone(),
            url: game_url(sheet),
            tournament: None,
            more: more(sheet, rules),
        };
        ensure!(!cancel.is_cancelled(), "interrupted");
        let record = host(engine, &setup, &mut seats, &mut |event, _| many::go_on(event, broken))?;
        Ok((record, own, engine.clone()))
    };
    many::play_all(&numbers, PARALLEL, play, |(record, own, engine): (play::MatchRecord, usize, Engine)| {
        figures.matches += 1;
        figures.completed +=
            usize::from(record.is_completed == Some(true) && record.goal_values.len() == roles(&engine).count());
        for (at, errors) in record.errors.iter().enumerate() {
            let error = errors.get(own).map_or("", String::as_str);
            let kind = error.split([' ', ':']).next().unwrap_or("");
            match kind {
                "" => {}
                _ if at == 0 => figures.not_ready += 1,
                "IL" => figures.illegal += 1,
                _ => figures.late += 1,
            }
        }
        figures.steps += record.moves.len();
        let times = record.state_times.windows(2).skip(1).map(|pair| (pair[1] - pair[0]) as f64 / 1000.0);
        figures.longest = times.fold(figures.longest, f64::max);
        let done = figures.matches;
        shown.fraction(done as f64 / args.matches as f64, |seconds| {
            format!("{done} of {} matches, {seconds:.0} s", args.matches)
        });
        Ok(())
    })?;
    Ok(figures)
}

fn plan(args: &FleetArgs, out: &Path) -> Plan {
    Plan {
        games: ["tic-tac-toe", "nim"].map(String::from).to_vec(),
        players: ["uct:playouts=60", "random"].map(String::from).to_vec(),
        rounds: args.games.div_ceil(2),
        gauntlet: false,
        start: 60.0,
        play: 60.0,
        parallel: 2,
        scramble: false,
        seed: args.seed,
        most: 500,
        out: Some(out.to_path_buf()),
        records: true,
        fresh: true,
    }
}

/// A game of the tournament, and how it went.
type Game = (String, usize, Vec<u8>, usize, Option<String>);

/// Plays the tournament, and reads what was counted from its file.
fn results(place: &Place<'_>, args: &FleetArgs, out: &Path, cancel: &Cancel) -> Result<Vec<Game>> {
    let plan = plan(args, out);
    let mut tell = |_: Progress| Ok(());
    let (_, missing) = play_some_at(place, &plan, &Players::default(), cancel, &mut tell)?;
    ensure!(missing.is_none(), "not all games of the tournament were played: {missing:?}");
    let text = std::fs::read_to_string(out.join("games.jsonl")).context("the tournament has left no results")?;
    let mut games = Vec::new();
    for line in text.lines() {
        let one: Played = serde_json::from_str(line).context("a line of the results")?;
        games.push((one.game, one.round, one.goals, one.steps, one.moves));
    }
    games.sort();
    let counted = games.len();
    games.dedup_by(|a, b| (&a.0, a.1) == (&b.0, b.1));
    ensure!(games.len() == counted, "{} games were counted twice", counted - games.len());
    ensure!(counted == 2 * plan.rounds, "{counted} games were counted, and {} were to be", 2 * plan.rounds);
    let records = std::fs::read_dir(out.join("matches")).map_or(0, Iterator::count);
    ensure!(records == counted, "{records} of {counted} games have a record");
    Ok(games)
}

/// The tournament on the fleet.
fn play_tournament(args: &FleetArgs, url: &str, out: &Path, cancel: &Cancel) -> Result<Vec<Game>> {
    let nats = Arc::new(Nats::connect(&Connection::to(url), "ludens lab")?);
    let queue = Queue::open(&nats, VERSION)?;
    results(&Place::Fleet(&queue), args, out, cancel).context("the tournament on the fleet")
}
