//! `ludens tournament`: many matches between players of this program or elsewhere, and what they come to. Every finished game is
//! written down at once, so that an interrupted tournament goes on where it ended.

mod standings;

use crate::cli::TournamentArgs;
use crate::engine::{Engine, Job, Loaded};
use crate::http::Address;
use crate::lab::journal::{Journal, Keep};
use crate::matches::host::{Event, Setup, host_until, open_roles};
use crate::matches::many::play_all;
use crate::matches::seat::Seat;
use crate::matches::{game_url, more, save};
use crate::player::kinds;
use crate::player::stock::Shelf;
use crate::source::{Sheet, load};
use crate::{Answer, Out, interrupt, table};
use anyhow::{Context, Result, bail, ensure};
use game::Names;
use gdl::Rules;
use play::schedule::{Mode, Pairing, schedule};
use play::{Disguise, MatchRecord, Settings, Trouble};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use standings::Standings;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// One finished game, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// What it was played with: clocks and the like. Games of other settings do not count.
    pub settings: String,
    /// The game.
    pub game: String,
    /// What tells its rules from others; results of earlier versions do not have it.
    #[serde(default)]
    pub rules: String,
    /// The two players that met, as they are written; the same one twice where it plays alone.
    pub players: (String, String),
    /// Which meeting of these two in this game it was.
    pub round: usize,
    /// Whether the first of the two had each seat.
    pub first_has: Vec<bool>,
    /// What each seat got. Empty if the match was given up.
    pub goals: Vec<u8>,
    /// Steps made.
    pub steps: usize,
    /// Moves that had to be replaced, of the first and of the second.
    pub faults: (usize, usize),
    /// How long it took.
    pub seconds: f64,
}

/// A game of the tournament, ready to be played.
struct Table {
    sheet: Sheet,
    rules: Rules,
    /// What tells these rules from others.
    digest: String,
    loaded: Loaded,
    /// Which roles are not chance.
    open: Vec<bool>,
}

struct OpenRoles;

impl Job for OpenRoles {
    type Out = Vec<bool>;

    fn run<G: Names>(self, game: &G) -> Vec<bool> {
        open_roles(game)
    }
}

/// Everything that the threads share.
struct Hall<'a> {
    args: &'a TournamentArgs,
    tables: Vec<Table>,
    players: Vec<Settings>,
    /// Where those players are that are elsewhere.
    places: Vec<Option<String>>,
    shelf: Arc<Shelf>,
    settings: String,
    engaged: Engaged,
    interrupted: Arc<AtomicBool>,
}

/// Runs the command.
pub fn run(args: &TournamentArgs, out: Out<'_>) -> Result<Answer> {
    let (standings, missing) = play_some(args, out)?;
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &standings.to_json())?;
        writeln!(out)?;
    } else {
        write!(out, "{}", standings.text())?;
    }
    out.flush()?;
    let Some(missing) = missing else { return Ok(Answer::Yes) };
    let _ = writeln!(stderr(), "ludens: {missing}");
    Ok(Answer::No)
}

/// Plays what was not played yet, and counts all of it.
pub fn play(args: &TournamentArgs, out: Out<'_>) -> Result<Standings> {
    match play_some(args, out)? {
        (standings, None) => Ok(standings),
        (_, Some(missing)) => bail!(missing),
    }
}

/// Plays what was not played yet, and counts what is there then; and says why that is not everything, if it is not.
fn play_some(args: &TournamentArgs, out: Out<'_>) -> Result<(Standings, Option<String>)> {
    ensure!(args.rounds > 0, "a tournament has at least one game (`-n 1`)");
    let players = args.players.iter().map(|text| kinds::read(text)).collect::<Result<Vec<_>>>()?;
    for (at, player) in players.iter().enumerate() {
        ensure!(player.kind != "human", "a tournament is for players that do not need to sleep");
        ensure!(!players[..at].contains(player), "{player} is there twice; settings tell players apart (`seed=2`)");
    }
    let hall = hall(args, players)?;
    let seats: Vec<usize> = hall.tables.iter().map(|table| table.open.iter().filter(|open| **open).count()).collect();
    let mode = if args.gauntlet { Mode::Gauntlet } else { Mode::RoundRobin };
    let pairings = schedule(&seats, hall.players.len(), args.rounds, mode);
    ensure!(
        hall.players.len() > 1 || seats.iter().all(|&seats| seats == 1),
        "a tournament has at least two players (`--player`)"
    );
    let mut results = Results::open(args, &hall.settings)?;
    let open: Vec<&Pairing> = pairings.iter().filter(|pairing| !results.has(&hall.name(pairing))).collect();
    greet(&hall, &results, &pairings, &open, out)?;
    let play = |pairing: &&Pairing, broken: &AtomicBool| hall.play(pairing, broken);
    let mut left_out: Vec<String> = Vec::new();
    play_all(&open, usize::from(args.parallel), play, |came| match came {
        Came::Played(played) => results.add(*played),
        Came::LeftOut(why) => {
            left_out.push(why);
            Ok(())
        }
        Came::Nothing => Ok(()),
    })?;
    let wanted: Vec<Name> = pairings.iter().map(|pairing| hall.name(pairing)).collect();
    let played: Vec<Played> =
        wanted.iter().filter_map(|name| results.played.iter().find(|played| name.is(played)).cloned()).collect();
    let names: Vec<String> = hall.players.iter().map(Settings::to_string).collect();
    let games: Vec<String> = hall.tables.iter().map(|table| table.sheet.name.clone()).collect();
    let standings = Standings::new(&names, &games, &played);
    if let Some(folder) = &args.out {
        standings.save(folder)?;
    }
    let so_far = format!("{} of {} played", played.len(), table::count(pairings.len(), "game"));
    let how = if args.out.is_some() { "the same command goes on" } else { "with `--out DIR` it could go on" };
    let why = match left_out.first() {
        _ if hall.interrupted.load(Ordering::Relaxed) => "interrupted".to_string(),
        Some(why) => format!("{} left out ({why})", table::count(left_out.len(), "game")),
        None => return Ok((standings, None)),
    };
    Ok((standings, Some(format!("{why}; {so_far}; {how}"))))
}

/// Says what was found of an earlier run.
fn greet(hall: &Hall<'_>, results: &Results, pairings: &[Pairing], open: &[&Pairing], out: Out<'_>) -> Result<()> {
    if hall.args.json {
        return Ok(());
    }
    let other = open.iter().filter(|pairing| results.has_with_other_rules(&hall.name(pairing))).count();
    if other > 0 {
        writeln!(out, "{} played again: the rules have changed since", table::count(other, "game"))?;
    }
    if !results.played.is_empty() {
        writeln!(out, "going on with {} games played before (`--fresh` begins anew)", pairings.len() - open.len())?;
    }
    Ok(out.flush()?)
}

/// Makes everything ready.
fn hall<'a>(args: &'a TournamentArgs, players: Vec<Settings>) -> Result<Hall<'a>> {
    let shelf = Arc::new(Shelf::default());
    let mut tables: Vec<Table> = Vec::new();
    let mut places: Vec<Option<String>> = Vec::new();
    for player in &players {
        let place = player.get("url").and_then(|url| Address::read(url).ok()).map(|address| address.place);
        if let Some(at) = places.iter().position(|known| place.is_some() && *known == place) {
            bail!("{} and {player} are one and the same player", players[at]);
        }
        places.push(place);
    }
    for name in &args.games {
        let (sheet, rules) = load(name)?;
        ensure!(!tables.iter().any(|table| table.sheet.name == sheet.name), "the game {name} is there twice");
        let loaded = Loaded::new(Engine::Auto, &sheet, &rules, None)?;
        let open = loaded.run(OpenRoles);
        ensure!(open.contains(&true), "{name} has no role that a player could have");
        // Players need not make the engine anew for each game; with scrambled rules they have to.
        let disguise = Disguise::new(&rules, None);
        if !args.scramble {
            shelf.fill(disguise.rules()).map_err(anyhow::Error::msg)?;
        }
        let digest = Sha256::digest(disguise.rules().as_bytes());
        let digest = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        tables.push(Table { sheet, rules, digest, loaded, open });
    }
    let TournamentArgs { start, play, most, seed, scramble, .. } = args;
    let settings = format!("start={start} play={play} most={most} seed={seed} scramble={scramble}");
    // From here on Ctrl-C ends the matches, and not the program.
    let interrupted = interrupt::flag();
    Ok(Hall { args, tables, players, places, shelf, settings, engaged: Engaged::default(), interrupted })
}

/// What tells a game of a tournament from all others.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Name {
    game: String,
    rules: String,
    players: (String, String),
    round: usize,
}

impl Name {
    fn is(&self, played: &Played) -> bool {
        self.is_but_for_rules(played) && (played.rules == self.rules || played.rules.is_empty())
    }

    fn is_but_for_rules(&self, played: &Played) -> bool {
        (&self.game, &self.players, self.round) == (&played.game, &played.players, played.round)
    }

    /// A seed of its own, whatever else is in the tournament.
    fn seed(&self, seed: u64) -> u64 {
        let text = format!("{seed} {} {} {} {}", self.game, self.players.0, self.players.1, self.round);
        let digest = Sha256::digest(text.as_bytes());
        digest.iter().take(8).fold(0, |seed, &byte| seed << 8 | u64::from(byte))
    }
}

impl Hall<'_> {
    fn name(&self, pairing: &Pairing) -> Name {
        let player = |at: usize| self.players[at].to_string();
        Name {
            game: self.tables[pairing.game].sheet.name.clone(),
            rules: self.tables[pairing.game].digest.clone(),
            players: (player(pairing.players.0), player(pairing.players.1)),
            round: pairing.round,
        }
    }

    /// Plays one game. Whoever is elsewhere has one match at a time; one that is still busy is asked again a few times.
    fn play(&self, pairing: &Pairing, broken: &AtomicBool) -> Result<Came> {
        let table = &self.tables[pairing.game];
        let stop = || broken.load(Ordering::Relaxed) || self.interrupted.load(Ordering::Relaxed);
        let mut places: Vec<&str> = pairing.seats.iter().filter_map(|&who| self.places[who].as_deref()).collect();
        places.sort_unstable();
        places.dedup();
        let Some(_engaged) = self.engaged.take(&places, &stop) else { return Ok(Came::Nothing) };
        for pause in PAUSES {
            let came = table.loaded.run(One { hall: self, table, pairing, stop: &stop })?;
            let Came::LeftOut(why) = came else { return Ok(came) };
            let Some(pause) = pause else { return Ok(Came::LeftOut(why)) };
            let until = Instant::now() + pause;
            while Instant::now() < until {
                if stop() {
                    return Ok(Came::Nothing);
                }
                thread::sleep(Duration::from_millis(50));
            }
        }
        Ok(Came::Nothing)
    }
}

/// How long to wait before a busy player is asked again; after the last time it is left alone.
const PAUSES: [Option<Duration>; 4] =
    [Some(Duration::from_millis(500)), Some(Duration::from_secs(1)), Some(Duration::from_secs(2)), None];

/// What came of a game.
enum Came {
    /// It counts.
    Played(Box<Played>),
    /// A player was busy.
    LeftOut(String),
    /// Everything was broken off.
    Nothing,
}

/// The addresses whose players are in a match.
#[derive(Default)]
struct Engaged {
    places: Mutex<BTreeSet<String>>,
    changed: Condvar,
}

/// Some addresses that nobody else uses until this is dropped.
struct Engagement<'a> {
    engaged: &'a Engaged,
    places: Vec<String>,
}

impl Engaged {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until none of these is in a match; `None` if there is no use in waiting.
    fn take(&self, places: &[&str], stop: &dyn Fn() -> bool) -> Option<Engagement<'_>> {
        let mut taken = self.lock();
        while places.iter().any(|place| taken.contains(*place)) {
            if stop() {
                return None;
            }
            let waited = self.changed.wait_timeout(taken, Duration::from_millis(50));
            taken = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        taken.extend(places.iter().map(|place| place.to_string()));
        Some(Engagement { engaged: self, places: places.iter().map(|place| place.to_string()).collect() })
    }
}

impl Drop for Engagement<'_> {
    fn drop(&mut self) {
        let mut taken = self.engaged.lock();
        for place in &self.places {
            taken.remove(place);
        }
        drop(taken);
        self.engaged.changed.notify_all();
    }
}

/// One game, whatever engine runs it.
struct One<'a> {
    hall: &'a Hall<'a>,
    table: &'a Table,
    pairing: &'a Pairing,
    stop: &'a dyn Fn() -> bool,
}

impl Job for One<'_> {
    type Out = Result<Came>;

    fn run<G: Names>(self, game: &G) -> Result<Came> {
        let One { hall, table, pairing, stop } = self;
        if stop() {
            return Ok(Came::Nothing);
        }
        let (args, name) = (hall.args, hall.name(pairing));
        let seed = name.seed(args.seed);
        let disguise = Disguise::new(&table.rules, args.scramble.then_some(seed));
        let mut sitting = pairing.seats.iter();
        let mut seats = Vec::new();
        for (number, &open) in table.open.iter().enumerate() {
            let who = if open { sitting.next() } else { None };
            let seat = |&who: &usize| {
                let settings = &hall.players[who];
                let player =
                    kinds::make(settings, seed.wrapping_add(1 + number as u64), Some(Arc::clone(&hall.shelf)))?;
                Seat::new(settings.to_string(), false, player)
            };
            seats.push(who.map(seat).transpose()?);
        }
        // Who is not to recognise the game is not told its name.
        let word = if args.scramble { "match".to_string() } else { play::text::word(&table.sheet.name) };
        let setup = Setup {
            id: format!("{word}.{}.{}", pairing.round, &format!("{seed:016x}")[..8]),
            disguise: &disguise,
            start: args.start,
            play: args.play,
            seed,
            most: args.most,
            game: table.sheet.entry.map_or(table.sheet.name.clone(), |entry| entry.title().to_string()),
            url: game_url(&table.sheet),
            tournament: args.out.as_ref().map(|out| out.display().to_string()),
            more: more(&table.sheet, &table.rules),
        };
        let began = Instant::now();
        let busy: RefCell<Option<String>> = RefCell::new(None);
        let give_up = || if stop() { Some("broken off".to_string()) } else { busy.borrow().clone() };
        let record = host_until(game, &setup, &mut seats, &give_up, &mut |event, _| {
            if let Event::Ready(troubles) = event {
                let is_busy = |trouble: &&Trouble| matches!(trouble, Trouble::Busy(_));
                *busy.borrow_mut() = troubles.iter().flatten().find(is_busy).map(Trouble::to_string);
            }
            Ok(())
        })?;
        if let Some(why) = busy.into_inner() {
            return Ok(Came::LeftOut(why));
        }
        if stop() && record.is_completed != Some(true) {
            return Ok(Came::Nothing);
        }
        if let (Some(folder), true) = (&args.out, args.records) {
            let folder = folder.join("matches");
            std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
            save(&folder.join(format!("{}.json", setup.id.replace(['/', '\\'], "-"))), &record)?;
        }
        let played = played(hall, name, pairing, &table.open, &record, began.elapsed().as_secs_f64());
        Ok(Came::Played(Box::new(played)))
    }
}

fn played(hall: &Hall<'_>, name: Name, pairing: &Pairing, open: &[bool], record: &MatchRecord, seconds: f64) -> Played {
    let first_has: Vec<bool> = pairing.seats.iter().map(|&who| who == pairing.players.0).collect();
    let of_players = |row: &[u8]| row.iter().zip(open).filter(|(_, open)| **open).map(|(goal, _)| *goal).collect();
    let mut faults = (0, 0);
    for row in &record.errors {
        let errors = row.iter().zip(open).filter(|(_, open)| **open).map(|(error, _)| error);
        for (error, first) in errors.zip(&first_has) {
            let count = usize::from(!error.is_empty());
            if *first { faults.0 += count } else { faults.1 += count }
        }
    }
    Played {
        settings: hall.settings.clone(),
        game: name.game,
        rules: name.rules,
        players: name.players,
        round: name.round,
        first_has,
        goals: of_players(&record.goal_values),
        steps: record.moves.len(),
        faults,
        seconds,
    }
}

/// The games played so far, and the file they are kept in.
struct Results {
    played: Vec<Played>,
    journal: Option<Journal<Played>>,
}

impl Results {
    fn open(args: &TournamentArgs, settings: &str) -> Result<Results> {
        let Some(folder) = &args.out else { return Ok(Results { played: Vec::new(), journal: None }) };
        let keep = if args.fresh { Keep::None } else { Keep::All };
        let path: PathBuf = Path::new(folder).join("games.jsonl");
        let journal = Journal::open(&path, keep, |played: &Played| played.settings == settings)?;
        Ok(Results { played: journal.entries().to_vec(), journal: Some(journal) })
    }

    fn has(&self, name: &Name) -> bool {
        self.played.iter().any(|played| name.is(played))
    }

    fn has_with_other_rules(&self, name: &Name) -> bool {
        self.played.iter().any(|played| name.is_but_for_rules(played))
    }

    fn add(&mut self, played: Played) -> Result<()> {
        if let Some(journal) = &mut self.journal {
            journal.add(played.clone())?;
        }
        self.played.push(played);
        Ok(())
    }
}
