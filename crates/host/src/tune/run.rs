//! Tuning a player on a game: the games are those of a tournament, each is kept as soon as it is over, and what is kept is
//! not played again. A method asks the same questions whenever it gets the same answers; so an interrupted run that begins
//! anew comes to where it ended by itself, and its log is whole.

use super::{Duel, Method, Point, Score, Space, Tuning, tune, vary};
use crate::many::play_all;
use crate::players::{Players, read};
use crate::tournament::one_game::Outcome;
use crate::tournament::results::{Results, digest, own_name};
use crate::tournament::{Plan as TournamentPlan, Played, Tournament};
use agent::PlayerSpec;
use anyhow::{Result, anyhow, ensure};
use game::Cancel;
use platform::Interrupted;
use play::schedule::{Pairing, lineup};
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What is to be tuned, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The game: a name of the library, or a path.
    pub game: String,
    /// The player, as it is written: where tuning begins.
    pub player: String,
    /// What is varied, as it is written.
    pub vary: Vec<String>,
    /// How.
    pub tuning: Tuning,
    /// Games of what was found against where it began, at the end.
    pub check: usize,
    /// Seconds before the first move; without a number, what suits the player.
    pub start: Option<f64>,
    /// Seconds for each move; without a number, what suits the player.
    pub play: Option<f64>,
    /// A match is given up after this many steps, and counts as a draw.
    pub most: usize,
    /// Games at the same time; without a number, as many as the processors can play.
    pub parallel: Option<usize>,
    /// The folder for what is found.
    pub out: Option<PathBuf>,
    /// Whether to forget what an earlier run has found.
    pub fresh: bool,
}

/// What happens.
pub enum Progress<'a> {
    /// It begins, or goes on.
    Begin {
        /// What is done, in words.
        words: &'a str,
        /// Games of an earlier run that can count.
        known: usize,
    },
    /// So many games are over.
    Games {
        /// How many were played now.
        played: usize,
        /// How many count.
        done: usize,
        /// Of how many.
        of: usize,
    },
    /// What was tried, and what is done next.
    Words(&'a str),
}

/// What was found.
#[derive(Clone, PartialEq, Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Tuned {
    /// What it belongs to.
    pub settings: Settings,
    /// The answer: what was found, or where it began if that is no worse.
    pub player: String,
    /// Where it began.
    pub start: String,
    /// What was found.
    pub found: String,
    /// What was found against where it began, in games that were not used to find it.
    pub check: Checked,
    /// Games that count, those of the check with them.
    pub games: usize,
    /// Games that were given up, and counted as drawn.
    pub given_up: usize,
    /// Moves that had to be replaced.
    pub faults: usize,
    /// What was tried and why, line by line.
    pub log: Vec<String>,
    /// Where it is kept.
    #[serde(skip)]
    pub path: Option<PathBuf>,
}

/// The games at the end.
#[derive(Clone, Copy, PartialEq, Serialize, Debug)]
pub struct Checked {
    /// How many.
    pub games: usize,
    /// The part of the points that what was found got.
    pub points: f64,
    /// The 95% interval of it.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// What a result belongs to.
#[derive(Clone, PartialEq, Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// What tells these settings from others.
    pub id: String,
    /// The game.
    pub game: String,
    /// The player, as it was given.
    pub player: String,
    /// What is varied: names, values and steps.
    pub vary: String,
    /// The method.
    pub method: Method,
    /// Games to be spent.
    pub games: usize,
    /// Passes.
    pub passes: usize,
    /// Seconds for each move.
    pub play: f64,
    /// The seed.
    pub seed: u64,
}

/// Clocks that nobody needs, because the number of states or random games ends a search; and those that are needed.
const PATIENCE: f64 = 600.0;
const QUICK: (f64, f64) = (2.0, 0.2);

/// The name of the files for what was found.
const NAME: &str = "tuned";

/// Games at the end have rounds that no method comes to.
const CHECK_ROUNDS: usize = 1 << 40;

/// Tunes.
///
/// # Errors
/// When the plan makes no sense, rules cannot be played, results cannot be stored, or the program is asked to end.
pub fn run(
    plan: &Plan,
    players: &Players,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Progress<'_>) -> Result<()>,
) -> Result<Tuned> {
    let player = read(&plan.player)?;
    let space = vary::space(&player, &plan.vary)?;
    let games = tournament_plan(plan, &player);
    let hall = Tournament::for_anybody(&games, players, cancel)?;
    let seats = hall.games()[0].open.iter().filter(|open| **open).count();
    ensure!(
        seats > 1,
        "{} is a game for one: there is nobody to beat (tuning is for games of two or more; `ludens tournament` compares \
         players of such games)",
        plan.game
    );
    let settings = settings(plan, &games, &player, &space);
    let mut arena = Arena::open(plan, &games, &hall, &player, &space, seats, cancel)?;
    let words = format!(
        "tuning {} on {}, {}: {} games, then {} against the start; {} at a time",
        settings.player, settings.game, settings.vary, plan.tuning.games, plan.check, games.parallel
    );
    tell(Progress::Begin { words: &words, known: arena.known.len() })?;
    let log = std::cell::RefCell::new(vec![words]);
    let tell = std::cell::RefCell::new(tell);
    let mut play = |duels: &[Duel]| arena.play(duels, &mut *tell.borrow_mut());
    let mut say = |words: &str| {
        log.borrow_mut().push(words.to_string());
        (tell.borrow_mut())(Progress::Words(words))
    };
    let point = match tune(&space, &plan.tuning, &mut play, &mut say) {
        Ok(point) => point,
        Err(error) => {
            // Whoever goes on later writes it again, and to the end.
            if let Some(folder) = &plan.out {
                save_log(folder, &own_name(folder, NAME, &settings.id), &log.borrow())?;
            }
            return Err(error);
        }
    };
    let score = check(plan, &space, &point, &mut play)?;
    let origin = space.origin();
    let (low, high) = score.interval();
    let (start, found) = (arena.spec(&origin)?.to_string(), arena.spec(&point)?.to_string());
    // Whoever does not win against the start is not better than it.
    let is_better = point != origin && (score.games == 0 || score.rate() > 0.5);
    let verdict = match point == origin {
        true => format!("nothing better was found: {start}"),
        false => verdict(&found, &start, &score, is_better),
    };
    say(&verdict)?;
    let mut tuned = Tuned {
        settings,
        player: if is_better { found.clone() } else { start.clone() },
        start,
        found,
        check: Checked { games: score.games, points: score.rate(), low, high },
        games: arena.done,
        given_up: arena.given_up,
        faults: arena.faults,
        log: log.into_inner(),
        path: None,
    };
    if let Some(folder) = &plan.out {
        tuned.path = Some(save(folder, &tuned)?);
    }
    Ok(tuned)
}

/// What the games at the end say.
fn verdict(found: &str, start: &str, score: &Score, is_better: bool) -> String {
    let (low, high) = score.interval();
    let stays = if is_better { "" } else { ", which is no better: the start stays" };
    let (got, low, high) = (score.words(), 100.0 * low, 100.0 * high);
    format!("{found} got {got} ({low:.1}%–{high:.1}%) against {start}{stays}")
}

/// Lets what was found meet the start.
fn check(plan: &Plan, space: &Space, point: &Point, play: super::Play<'_>) -> Result<Score> {
    let origin = space.origin();
    if *point == origin {
        return Ok(Score::default());
    }
    let duel = |round| Duel { a: point.clone(), b: origin.clone(), round: CHECK_ROUNDS + round };
    let duels: Vec<Duel> = (0..plan.check).map(duel).collect();
    let points = play(&duels)?;
    Ok(Score { points: points.iter().sum(), games: points.len() })
}

/// The games as a tournament has them.
fn tournament_plan(plan: &Plan, player: &PlayerSpec) -> TournamentPlan {
    let limits = &player.limits;
    let is_counted = limits.nodes.is_some() || limits.playouts.is_some();
    let (start, play) = if is_counted { (PATIENCE, PATIENCE) } else { QUICK };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = player.value("threads").and_then(|threads| threads.parse().ok());
    // Who does not say how many threads it needs, and could, takes all.
    let has_threads = player.all_settings().iter().any(|info| info.name == "threads");
    let threads = threads.unwrap_or(if has_threads { processors } else { 1 });
    TournamentPlan {
        games: vec![plan.game.clone()],
        players: Vec::new(),
        rounds: 1,
        gauntlet: false,
        start: plan.start.unwrap_or(start),
        play: plan.play.unwrap_or(play),
        parallel: plan.parallel.unwrap_or((processors / threads.max(1)).max(1)),
        scramble: false,
        seed: plan.tuning.seed,
        most: plan.most,
        out: plan.out.clone(),
        records: false,
        fresh: plan.fresh,
    }
}

fn settings(plan: &Plan, games: &TournamentPlan, player: &PlayerSpec, space: &Space) -> Settings {
    let Tuning { method, games: count, passes, seed } = plan.tuning;
    let vary: Vec<String> = space.variables.iter().map(super::Variable::words).collect();
    let mut settings = Settings {
        id: String::new(),
        game: plan.game.clone(),
        player: player.to_string(),
        vary: vary.join(", "),
        method,
        games: count,
        passes,
        play: games.play,
        seed,
    };
    settings.id = digest(&format!("{settings:?} {} {} {}", plan.check, games.start, games.most), 4);
    settings
}

/// Writes what was found, for programs and for people.
fn save(folder: &Path, tuned: &Tuned) -> Result<PathBuf> {
    let name = own_name(folder, NAME, &tuned.settings.id);
    save_log(folder, &name, &tuned.log)?;
    let path = folder.join(format!("{name}.json"));
    platform::save(&path, &(serde_json::to_string_pretty(tuned)? + "\n"))?;
    Ok(path)
}

fn save_log(folder: &Path, name: &str, log: &[String]) -> Result<()> {
    platform::save(&folder.join(format!("{name}.log")), &(log.join("\n") + "\n"))
}

/// Where games are played and kept.
struct Arena<'a> {
    hall: &'a Tournament<'a>,
    player: &'a PlayerSpec,
    space: &'a Space,
    seats: usize,
    parallel: usize,
    /// All games that are wanted.
    of: usize,
    results: Results,
    /// What was played before, by players and round.
    known: HashMap<(String, String, usize), Played>,
    cancel: &'a Cancel,
    is_kept: bool,
    done: usize,
    played: usize,
    given_up: usize,
    faults: usize,
}

impl<'a> Arena<'a> {
    fn open(
        plan: &Plan,
        games: &TournamentPlan,
        hall: &'a Tournament<'a>,
        player: &'a PlayerSpec,
        space: &'a Space,
        seats: usize,
        cancel: &'a Cancel,
    ) -> Result<Arena<'a>> {
        let results = Results::open(games, hall.settings())?;
        let ready = &hall.games()[0];
        let own = results.played.iter().filter(|one| one.game == ready.sheet.name && one.rules == ready.digest);
        let known = own.map(|one| ((one.players.0.clone(), one.players.1.clone(), one.round), one.clone())).collect();
        Ok(Arena {
            hall,
            player,
            space,
            seats,
            parallel: games.parallel,
            of: plan.tuning.games + plan.check,
            results,
            known,
            cancel,
            is_kept: plan.out.is_some(),
            done: 0,
            played: 0,
            given_up: 0,
            faults: 0,
        })
    }

    /// The player at a point.
    fn spec(&self, point: &Point) -> Result<PlayerSpec> {
        self.player.with(&self.space.settings(point))
    }

    /// Plays what was not played before, and gives the points of everything.
    fn play(&mut self, duels: &[Duel], tell: &mut dyn FnMut(Progress<'_>) -> Result<()>) -> Result<Vec<f64>> {
        let mut keys = Vec::new();
        let mut open: Vec<(PlayerSpec, PlayerSpec, usize)> = Vec::new();
        for duel in duels {
            let (a, b) = (self.spec(&duel.a)?, self.spec(&duel.b)?);
            let key = (a.to_string(), b.to_string(), duel.round);
            if !self.known.contains_key(&key) && !keys.contains(&key) {
                open.push((a, b, duel.round));
            }
            keys.push(key);
        }
        let (hall, seats) = (self.hall, self.seats);
        let play = |(a, b, round): &(PlayerSpec, PlayerSpec, usize), broken: &Cancel| {
            let own = lineup(seats, *round).into_iter().map(usize::from).map(|own| 1 - own).collect();
            let pairing = Pairing { game: 0, players: (0, 1), round: *round, seats: own };
            hall.between(a, b).play(&pairing, broken)
        };
        let (results, known, of) = (&mut self.results, &mut self.known, self.of);
        let (before, mut over) = (self.done + duels.len() - open.len(), 0);
        let earlier = self.played;
        play_all(&open, self.parallel, play, |outcome| {
            if let Outcome::Played(played) = outcome {
                let Played { players: (a, b), round, .. } = &*played;
                known.insert((a.clone(), b.clone(), *round), (*played).clone());
                results.add(*played)?;
                over += 1;
                tell(Progress::Games { played: earlier + over, done: before + over, of })?;
            }
            Ok(())
        })?;
        self.played += over;
        if over < open.len() || self.cancel.is_cancelled() {
            let how = if self.is_kept { "the same command goes on" } else { "with `--out DIR` it could go on" };
            return Err(Interrupted(format!("{} of {of} games played; {how}", before + over)).into());
        }
        self.done += duels.len();
        let mut points = Vec::new();
        for key in &keys {
            let played = self.known.get(key).ok_or_else(|| anyhow!("a game is missing that was just played"))?;
            self.given_up += usize::from(played.goals.is_empty());
            self.faults += played.faults.0 + played.faults.1;
            points.push(played.points());
        }
        Ok(points)
    }
}
