//! Tournaments: many matches between players of this program or elsewhere, and what they come to. Every finished game is
//! written down at once, so that an interrupted tournament goes on where it ended.

mod addresses;
pub(crate) mod one_game;
pub(crate) mod results;
mod sent;

pub use results::{Played, Settings};
pub use sent::{KIND, Sent, secret as fleet_secret};

use crate::http::Address;
use crate::many::play_all;
use crate::matches::open_roles;
use crate::players::{Players, read};
use crate::standings::{RatedGame, Standings};
use addresses::BusyAddresses;
use agent::{EngineCache, Method, PlayerSpec};
use anyhow::{Result, bail, ensure};
use fleet::queue::Queue;
use game::Cancel;
use gdl::Rules;
use library::{Sheet, load};
use one_game::{GameKey, Outcome, ReadyGame};
use play::Disguise;
use play::schedule::{Mode, Pairing, schedule};
use results::{Results, digest, of_games, own_name};
use std::path::PathBuf;
use std::sync::Arc;
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
    /// Workers of a fleet are playing.
    Fleet {
        /// Games that nobody has begun.
        waiting: u64,
        /// Games that are being played.
        at_work: u64,
        /// Workers that have played so far.
        workers: usize,
    },
    /// The standings were written.
    Saved {
        /// The file for programs; the others are beside it.
        path: PathBuf,
    },
}

/// Why not everything was played: how far it came, and what can be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Missing {
    /// The program was asked to end.
    Interrupted(String),
    /// A player was busy whenever it was asked.
    LeftOut(String),
}

impl From<Missing> for anyhow::Error {
    fn from(missing: Missing) -> anyhow::Error {
        match missing {
            Missing::Interrupted(kept) => platform::Interrupted(kept).into(),
            Missing::LeftOut(why) => anyhow::Error::msg(why),
        }
    }
}

/// Everything that the threads share.
pub(crate) struct Tournament<'a> {
    plan: &'a Plan,
    games: Arc<Vec<ReadyGame>>,
    specs: Vec<PlayerSpec>,
    /// Where those players are that are elsewhere.
    places: Vec<Option<String>>,
    players: Players,
    /// What every game is played with.
    settings: String,
    busy: BusyAddresses,
    /// Whether seeds belong to pairs of rounds, whoever plays, and not to players and rounds.
    paired: bool,
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
        (_, Some(missing)) => Err(missing.into()),
    }
}

/// Where matches are played.
pub enum Place<'a> {
    /// On this machine.
    Here,
    /// By the workers of a fleet.
    Fleet(&'a Queue),
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
) -> Result<(Standings, Option<Missing>)> {
    play_some_at(&Place::Here, plan, players, cancel, tell)
}

/// As [`play_some`], wherever it is.
///
/// # Errors
/// Likewise, and when a player cannot play there.
pub fn play_some_at(
    place: &Place<'_>,
    plan: &Plan,
    players: &Players,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Progress) -> Result<()>,
) -> Result<(Standings, Option<Missing>)> {
    ensure!(plan.rounds > 0, "a tournament has at least one game (`-n 1`)");
    let specs = plan.players.iter().map(|text| read(text)).collect::<Result<Vec<_>>>()?;
    for (at, spec) in specs.iter().enumerate() {
        ensure!(!spec.is_human(), "a tournament is for players that do not need to sleep");
        ensure!(!specs[..at].contains(spec), "{spec} is there twice; settings tell players apart (`seed=2`)");
    }
    let tournament = prepare(plan, specs, players, cancel)?;
    let seats: Vec<usize> =
        tournament.games.iter().map(|game| game.open.iter().filter(|open| **open).count()).collect();
    let mode = if plan.gauntlet { Mode::Gauntlet } else { Mode::RoundRobin };
    let pairings = schedule(&seats, tournament.specs.len(), plan.rounds, mode);
    ensure!(
        tournament.specs.len() > 1 || seats.iter().all(|&seats| seats == 1),
        "a tournament has at least two players (`--player`)"
    );
    let mut results = Results::open(plan, &tournament.settings)?;
    let open: Vec<&Pairing> = pairings.iter().filter(|pairing| !results.has(&tournament.key(pairing))).collect();
    if !results.played.is_empty() {
        let changed = open.iter().filter(|pairing| results.has_with_any_rules(&tournament.key(pairing))).count();
        tell(Progress::GoingOn { played: pairings.len() - open.len(), changed })?;
    }
    let play = |pairing: &&Pairing, broken: &Cancel| tournament.play(pairing, broken);
    let mut left_out: Vec<String> = Vec::new();
    let mut done = 0;
    match place {
        Place::Fleet(queue) => tournament.play_on_fleet(queue, &open, &mut results, tell)?,
        Place::Here => play_all(&open, plan.parallel, play, |outcome| {
            match outcome {
                Outcome::Played(played) => results.add(*played)?,
                Outcome::PlayerBusy(why) => left_out.push(why),
                Outcome::Cancelled => {}
            }
            done += 1;
            tell(Progress::Games { done, of: open.len() })
        })?,
    }
    let wanted: Vec<GameKey> = pairings.iter().map(|pairing| tournament.key(pairing)).collect();
    let played: Vec<Played> =
        wanted.iter().filter_map(|key| results.played.iter().find(|played| key.is(played)).cloned()).collect();
    let standings = tournament.standings(&played);
    if let Some(folder) = &plan.out {
        let name = own_name(folder, "standings", &standings.settings().id);
        standings.save(folder, &name)?;
        tell(Progress::Saved { path: folder.join(name + ".json") })?;
    }
    let so_far = format!("{} of {} played", played.len(), text::count(pairings.len(), "game"));
    let how = if plan.out.is_some() { "the same command goes on" } else { "with `--out DIR` it could go on" };
    let missing = match left_out.first() {
        _ if tournament.cancel.is_cancelled() && played.len() < pairings.len() => {
            Some(Missing::Interrupted(format!("{so_far}; {how}")))
        }
        Some(why) => {
            let games = text::count(left_out.len(), "game");
            Some(Missing::LeftOut(format!("{games} left out ({why}); {so_far}; {how}")))
        }
        None => None,
    };
    Ok((standings, missing))
}

impl<'a> Tournament<'a> {
    /// The games of a plan, ready for players that are yet to be named ([`between`](Tournament::between)). Both rounds of
    /// a pair have the same seed, and so have all who play them: what tells them apart is how they play.
    ///
    /// # Errors
    /// When rules cannot be played.
    pub fn for_anybody(plan: &'a Plan, players: &Players, cancel: &Cancel) -> Result<Tournament<'a>> {
        let tournament = prepare(plan, Vec::new(), players, cancel)?;
        // Games with other seeds are other games.
        let settings = format!("paired {}", tournament.settings);
        Ok(Tournament { paired: true, settings, ..tournament })
    }

    /// The same games for these two, who are players of this program.
    pub fn between(&self, a: &PlayerSpec, b: &PlayerSpec) -> Tournament<'a> {
        Tournament {
            plan: self.plan,
            games: Arc::clone(&self.games),
            specs: vec![a.clone(), b.clone()],
            places: vec![None, None],
            players: self.players.clone(),
            settings: self.settings.clone(),
            busy: BusyAddresses::default(),
            paired: self.paired,
            cancel: self.cancel.clone(),
        }
    }

    /// What every game is played with, as it is kept.
    pub fn settings(&self) -> &str {
        &self.settings
    }

    /// The games.
    pub fn games(&self) -> &[ReadyGame] {
        &self.games
    }

    fn standings(&self, played: &[Played]) -> Standings {
        let players: Vec<String> = self.specs.iter().map(PlayerSpec::to_string).collect();
        let rated = |game: &ReadyGame| RatedGame { name: game.sheet.name.clone(), roles: game.roles() };
        let games: Vec<RatedGame> = self.games.iter().map(rated).collect();
        let names: Vec<String> = games.iter().map(|game| game.name.clone()).collect();
        Standings::new(Settings::new(self.plan, &names, &players), &games, played)
    }
}

/// Makes everything ready.
fn prepare<'a>(plan: &'a Plan, specs: Vec<PlayerSpec>, players: &Players, cancel: &Cancel) -> Result<Tournament<'a>> {
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
    let sheets = plan.games.iter().map(|name| load(name)).collect::<Result<Vec<_>>>()?;
    let (games, players) = prepare_games(plan, sheets, &specs, players, cancel)?;
    let (settings, busy, cancel) = (of_games(plan), BusyAddresses::default(), cancel.clone());
    let games = Arc::new(games);
    Ok(Tournament { plan, games, specs, places, players, settings, busy, paired: false, cancel })
}

/// Makes games ready, and players that share their engines.
fn prepare_games(
    plan: &Plan,
    sheets: Vec<(Sheet, Rules)>,
    specs: &[PlayerSpec],
    players: &Players,
    cancel: &Cancel,
) -> Result<(Vec<ReadyGame>, Players)> {
    let cache = Arc::new(EngineCache::default());
    let mut games: Vec<ReadyGame> = Vec::new();
    for (sheet, rules) in sheets {
        let name = sheet.name.clone();
        ensure!(!games.iter().any(|game| game.sheet.name == name), "the game {name} is there twice");
        let engine = agent::load(Default::default(), &sheet, &rules, cancel)?.engine;
        let open = open_roles(&engine);
        ensure!(open.contains(&true), "{name} has no role that a player could have");
        // Players need not make the engine anew for each game; with scrambled rules they have to.
        let disguise = Disguise::new(&rules, None);
        if !plan.scramble {
            cache.fill(disguise.rules()).map_err(anyhow::Error::msg)?;
        }
        for spec in specs {
            players.ready(spec, &rules, cancel)?;
        }
        let digest = digest(disguise.rules(), 8);
        games.push(ReadyGame { sheet, rules, digest, engine, open });
    }
    let mut players = players.clone();
    players.resources.cache = Some(cache);
    Ok((games, players))
}
