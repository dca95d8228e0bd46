//! Tournaments: many matches between players of this program or elsewhere, and what they come to. Every finished game is
//! written down at once, so that an interrupted tournament goes on where it ended.

use crate::http::Address;
use crate::journal::{Journal, Keep};
use crate::many::play_all;
use crate::matches::{Event, Setup, game_url, host_until, more, open_roles, save};
use crate::players::{Players, no_people, read};
use crate::seat::Seat;
use crate::standings::Standings;
use agent::{EngineCache, Method, PlayerSpec};
use anyhow::{Context, Result, bail, ensure};
use game::Cancel;
use gdl::Rules;
use library::{Sheet, load};
use machine::Engine;
use play::schedule::{Mode, Pairing, schedule};
use play::{Disguise, MatchRecord, Trouble};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use terminal::text;

/// What is to be played.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The games: names of the library, or paths.
    pub games: Vec<String>,
    /// The players, as they are written.
    pub players: Vec<String>,
    /// How often two players meet in each game; every second time with the roles changed.
    pub rounds: usize,
    /// Only the first player against each of the others.
    pub gauntlet: bool,
    /// Seconds before the first move.
    pub start: f64,
    /// Seconds for each move.
    pub play: f64,
    /// Matches at the same time.
    pub parallel: usize,
    /// Whether everything in the rules that the players see is renamed.
    pub scramble: bool,
    /// The seed.
    pub seed: u64,
    /// A match is given up after this many steps.
    pub most: usize,
    /// The folder for the results.
    pub out: Option<PathBuf>,
    /// Whether the record of every match is kept too.
    pub records: bool,
    /// Whether to forget what an earlier run has found.
    pub fresh: bool,
}

/// What happens in a tournament.
pub enum Progress {
    /// What was found of an earlier run: games that count, and games whose rules have changed since.
    GoingOn {
        /// Games that count.
        played: usize,
        /// Games whose rules have changed since.
        changed: usize,
    },
    /// So many of the games that were left to play are over.
    Games {
        /// How many.
        done: usize,
        /// Of how many.
        of: usize,
    },
}

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
struct ReadyGame {
    sheet: Sheet,
    rules: Rules,
    /// What tells these rules from others.
    digest: String,
    engine: Engine,
    /// Which roles are not chance.
    open: Vec<bool>,
}

/// Everything that the threads share.
struct Tournament<'a> {
    plan: &'a Plan,
    games: Vec<ReadyGame>,
    specs: Vec<PlayerSpec>,
    /// Where those players are that are elsewhere.
    places: Vec<Option<String>>,
    players: Players,
    settings: String,
    engaged: Engaged,
    cancel: Cancel,
}

/// Plays what was not played yet, and counts all of it.
///
/// # Errors
/// When not everything could be played, and as [`play_some`].
pub fn play(
    plan: &Plan,
    players: &Players,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Progress) -> Result<()>,
) -> Result<Standings> {
    match play_some(plan, players, cancel, tell)? {
        (standings, None) => Ok(standings),
        (_, Some(missing)) => bail!(missing),
    }
}

/// Plays what was not played yet, and counts what is there then; and says why that is not everything, if it is not.
///
/// # Errors
/// When the plan makes no sense, rules cannot be played, or results cannot be stored.
pub fn play_some(
    plan: &Plan,
    players: &Players,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Progress) -> Result<()>,
) -> Result<(Standings, Option<String>)> {
    ensure!(plan.rounds > 0, "a tournament has at least one game (`-n 1`)");
    let specs = plan.players.iter().map(|text| read(text)).collect::<Result<Vec<_>>>()?;
    for (at, spec) in specs.iter().enumerate() {
        ensure!(!spec.is_human(), "a tournament is for players that do not need to sleep");
        ensure!(!specs[..at].contains(spec), "{spec} is there twice; settings tell players apart (`seed=2`)");
    }
    let hall = tournament(plan, specs, players, cancel)?;
    let seats: Vec<usize> = hall.games.iter().map(|game| game.open.iter().filter(|open| **open).count()).collect();
    let mode = if plan.gauntlet { Mode::Gauntlet } else { Mode::RoundRobin };
    let pairings = schedule(&seats, hall.specs.len(), plan.rounds, mode);
    ensure!(
        hall.specs.len() > 1 || seats.iter().all(|&seats| seats == 1),
        "a tournament has at least two players (`--player`)"
    );
    let mut results = Results::open(plan, &hall.settings)?;
    let open: Vec<&Pairing> = pairings.iter().filter(|pairing| !results.has(&hall.name(pairing))).collect();
    if !results.played.is_empty() {
        let changed = open.iter().filter(|pairing| results.has_with_other_rules(&hall.name(pairing))).count();
        tell(Progress::GoingOn { played: pairings.len() - open.len(), changed })?;
    }
    let play = |pairing: &&Pairing, broken: &Cancel| hall.play(pairing, broken);
    let mut left_out: Vec<String> = Vec::new();
    let mut done = 0;
    play_all(&open, plan.parallel, play, |came| {
        match came {
            Came::Played(played) => results.add(*played)?,
            Came::LeftOut(why) => left_out.push(why),
            Came::Nothing => {}
        }
        done += 1;
        tell(Progress::Games { done, of: open.len() })
    })?;
    let wanted: Vec<Name> = pairings.iter().map(|pairing| hall.name(pairing)).collect();
    let played: Vec<Played> =
        wanted.iter().filter_map(|name| results.played.iter().find(|played| name.is(played)).cloned()).collect();
    let names: Vec<String> = hall.specs.iter().map(PlayerSpec::to_string).collect();
    let games: Vec<String> = hall.games.iter().map(|game| game.sheet.name.clone()).collect();
    let standings = Standings::new(&names, &games, &played);
    if let Some(folder) = &plan.out {
        standings.save(folder)?;
    }
    let so_far = format!("{} of {} played", played.len(), text::count(pairings.len(), "game"));
    let how = if plan.out.is_some() { "the same command goes on" } else { "with `--out DIR` it could go on" };
    let why = match left_out.first() {
        _ if hall.cancel.is_cancelled() => "interrupted".to_string(),
        Some(why) => format!("{} left out ({why})", text::count(left_out.len(), "game")),
        None => return Ok((standings, None)),
    };
    Ok((standings, Some(format!("{why}; {so_far}; {how}"))))
}

/// Makes everything ready.
fn tournament<'a>(
    plan: &'a Plan,
    specs: Vec<PlayerSpec>,
    players: &Players,
    cancel: &Cancel,
) -> Result<Tournament<'a>> {
    let cache = Arc::new(EngineCache::default());
    let mut games: Vec<ReadyGame> = Vec::new();
    let mut places: Vec<Option<String>> = Vec::new();
    for spec in &specs {
        let place = match &spec.method {
            Method::Remote { url } => Address::read(url).ok().map(|address| address.place),
            _ => None,
        };
        if let Some(at) = places.iter().position(|known| place.is_some() && *known == place) {
            bail!("{} and {spec} are one and the same player", specs[at]);
        }
        places.push(place);
    }
    for name in &plan.games {
        let (sheet, rules) = load(name)?;
        ensure!(!games.iter().any(|game| game.sheet.name == sheet.name), "the game {name} is there twice");
        let engine = agent::engines::engine(Default::default(), &sheet, &rules)?;
        let open = open_roles(&engine);
        ensure!(open.contains(&true), "{name} has no role that a player could have");
        // Players need not make the engine anew for each game; with scrambled rules they have to.
        let disguise = Disguise::new(&rules, None);
        if !plan.scramble {
            cache.fill(disguise.rules()).map_err(anyhow::Error::msg)?;
        }
        let digest = Sha256::digest(disguise.rules().as_bytes());
        let digest = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        games.push(ReadyGame { sheet, rules, digest, engine, open });
    }
    let Plan { start, play, most, seed, scramble, .. } = plan;
    let settings = format!("start={start} play={play} most={most} seed={seed} scramble={scramble}");
    let mut players = players.clone();
    players.resources.cache = Some(cache);
    let (engaged, cancel) = (Engaged::default(), cancel.clone());
    Ok(Tournament { plan, games, specs, places, players, settings, engaged, cancel })
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

impl Tournament<'_> {
    fn name(&self, pairing: &Pairing) -> Name {
        let player = |at: usize| self.specs[at].to_string();
        Name {
            game: self.games[pairing.game].sheet.name.clone(),
            rules: self.games[pairing.game].digest.clone(),
            players: (player(pairing.players.0), player(pairing.players.1)),
            round: pairing.round,
        }
    }

    /// Plays one game. Whoever is elsewhere has one match at a time; one that is still busy is asked again a few times.
    fn play(&self, pairing: &Pairing, broken: &Cancel) -> Result<Came> {
        let stop = || broken.is_cancelled() || self.cancel.is_cancelled();
        let mut places: Vec<&str> = pairing.seats.iter().filter_map(|&who| self.places[who].as_deref()).collect();
        places.sort_unstable();
        places.dedup();
        let Some(_engaged) = self.engaged.take(&places, &stop) else { return Ok(Came::Nothing) };
        for pause in PAUSES {
            let came = self.play_once(pairing, &stop)?;
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

impl Tournament<'_> {
    fn play_once(&self, pairing: &Pairing, stop: &dyn Fn() -> bool) -> Result<Came> {
        let game = &self.games[pairing.game];
        if stop() {
            return Ok(Came::Nothing);
        }
        let (plan, name) = (self.plan, self.name(pairing));
        let seed = name.seed(plan.seed);
        let disguise = Disguise::new(&game.rules, plan.scramble.then_some(seed));
        let mut sitting = pairing.seats.iter();
        let mut seats = Vec::new();
        for (number, &open) in game.open.iter().enumerate() {
            let who = if open { sitting.next() } else { None };
            let seat = |&who: &usize| {
                let spec = &self.specs[who];
                let player = self.players.make(spec, seed.wrapping_add(1 + number as u64), &no_people)?;
                Seat::new(spec.to_string(), false, player)
            };
            seats.push(who.map(seat).transpose()?);
        }
        // Who is not to recognise the game is not told its name.
        let word = if plan.scramble { "match".to_string() } else { play::text::word(&game.sheet.name) };
        let setup = Setup {
            id: format!("{word}.{}.{}", pairing.round, &format!("{seed:016x}")[..8]),
            disguise: &disguise,
            start: plan.start,
            play: plan.play,
            seed,
            most: plan.most,
            game: game.sheet.entry.map_or(game.sheet.name.clone(), |entry| entry.title().to_string()),
            url: game_url(&game.sheet),
            tournament: plan.out.as_ref().map(|out| out.display().to_string()),
            more: more(&game.sheet, &game.rules),
        };
        let began = Instant::now();
        let busy: RefCell<Option<String>> = RefCell::new(None);
        let give_up = || if stop() { Some("broken off".to_string()) } else { busy.borrow().clone() };
        let record = host_until(&game.engine, &setup, &mut seats, &give_up, &mut |event, _| {
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
        if let (Some(folder), true) = (&plan.out, plan.records) {
            let folder = folder.join("matches");
            std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
            save(&folder.join(format!("{}.json", setup.id.replace(['/', '\\'], "-"))), &record)?;
        }
        let played = played(self, name, pairing, &game.open, &record, began.elapsed().as_secs_f64());
        Ok(Came::Played(Box::new(played)))
    }
}

fn played(
    hall: &Tournament<'_>,
    name: Name,
    pairing: &Pairing,
    open: &[bool],
    record: &MatchRecord,
    seconds: f64,
) -> Played {
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
    fn open(plan: &Plan, settings: &str) -> Result<Results> {
        let Some(folder) = &plan.out else { return Ok(Results { played: Vec::new(), journal: None }) };
        let keep = if plan.fresh { Keep::None } else { Keep::All };
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
