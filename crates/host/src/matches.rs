//! The game manager: one match from the first message to the last.

use crate::player_thread::PlayerThread;
use anyhow::Result;
use game::random::Rng;
use game::{Cancel, Names, roles};
use gdl::Rules;
use library::Sheet;
use machine::Engine;
use play::referee::{Answer, Standing, Step, is_chance};
use play::{Disguise, MatchRecord, Referee, Start, Trouble};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// What a manager waits beyond the play clock, because messages travel.
const TRAVEL: f64 = 1.0;

/// How a match is to be played.
pub struct Setup<'a> {
    /// The match.
    pub id: String,
    /// What the players see.
    pub disguise: &'a Disguise,
    /// Seconds before the first move.
    pub start: f64,
    /// Seconds for a move.
    pub play: f64,
    /// Decides what stands in for missing moves.
    pub seed: u64,
    /// The match is given up after this many steps.
    pub most: usize,
    /// The game's name.
    pub game: String,
    /// Where the game is described.
    pub url: String,
    /// The tournament.
    pub tournament: Option<String>,
    /// What else is to be in the record.
    pub more: Vec<(String, Value)>,
}

/// What happens in a match.
pub enum Event<'a> {
    /// It begins; the record is not whole yet.
    Begin,
    /// The players have prepared themselves, or have not: what is wrong with each role's player.
    Ready(&'a [Option<Trouble>]),
    /// Players are thinking; told now and then. Nothing has changed.
    Waiting {
        /// The roles that have a choice, by number; at the beginning all that have a player.
        roles: &'a [usize],
        /// For how long.
        seconds: f64,
        /// Of how many.
        of: f64,
    },
    /// A step was made: the number of legal moves of each role, what was done, what was wrong with each role's player.
    Step(&'a [usize], &'a Step, &'a [Option<Trouble>]),
    /// It is over: why, if it was given up.
    End(Option<&'a str>),
}

/// Hears what happens, with the record as it is then.
pub type Listener<'a> = &'a mut dyn FnMut(&Event<'_>, &MatchRecord) -> Result<()>;

/// The time as match records write it.
fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64)
}

/// A word that nobody else has.
pub fn token() -> String {
    let mut rng = Rng::new(crate::players::clock_seed());
    format!("{:016x}{:016x}", rng.bits(), rng.bits())
}

fn whole(seconds: f64) -> u64 {
    seconds.ceil() as u64
}

fn record(game: &Engine, setup: &Setup<'_>, players: &[Option<PlayerThread>], state: String) -> MatchRecord {
    let start_time = now();
    let name =
        |player: &Option<PlayerThread>| player.as_ref().map_or("random".to_string(), |player| player.name.clone());
    let mut more: std::collections::BTreeMap<String, Value> = setup.more.iter().cloned().collect();
    for (key, seconds) in [("x-startSeconds", setup.start), ("x-playSeconds", setup.play)] {
        if seconds.fract() != 0.0 {
            more.insert(key.to_string(), Value::from(seconds));
        }
    }
    MatchRecord {
        match_id: setup.id.clone(),
        start_time,
        random_token: token(),
        start_clock: whole(setup.start),
        play_clock: whole(setup.play),
        game_meta_url: Some(setup.url.clone()),
        game_name: Some(setup.game.clone()),
        game_role_names: roles(game).map(|role| game.role_name(role).to_string()).collect(),
        player_names_from_host: players.iter().map(name).collect(),
        is_player_human: players.iter().map(|player| player.as_ref().is_some_and(|player| player.is_human)).collect(),
        scrambled: Some(matches!(setup.disguise, Disguise::Renamed { .. })),
        tournament_name_from_host: setup.tournament.clone(),
        states: vec![state],
        state_times: vec![start_time],
        is_completed: Some(false),
        more,
        ..MatchRecord::default()
    }
}

/// Says why the match is to be given up, as soon as it is. Asked often.
pub type GiveUp<'a> = &'a dyn Fn() -> Option<String>;

/// Plays a match. `players` has one entry for each role, `None` where chance plays. Whatever the players do, the match
/// ends with a whole record; only `watch` can break it off, with an error.
pub fn host(
    game: &Engine,
    setup: &Setup<'_>,
    players: &mut [Option<PlayerThread>],
    watch: Listener<'_>,
) -> Result<MatchRecord> {
    host_until(game, setup, players, &|| None, watch)
}

/// As [`host`], but the match is given up when `stop` says so. However it ends, the players are told.
pub fn host_until(
    game: &Engine,
    setup: &Setup<'_>,
    players: &mut [Option<PlayerThread>],
    stop: GiveUp<'_>,
    watch: Listener<'_>,
) -> Result<MatchRecord> {
    let mut referee = Referee::new(game, setup.seed)?;
    let mut record = record(game, setup, players, referee.state_text());
    let mut running = RunningMatch { game, setup, players: &mut *players, stop, watch: &mut *watch };
    let result = running.run(&mut referee, &mut record);
    let given_up = match &result {
        Ok(given_up) => given_up.clone(),
        Err(error) => Some(format!("broken off: {error:#}")),
    };
    if given_up.is_some() {
        (record.is_completed, record.is_aborted) = (Some(false), Some(true));
    }
    let last = record.moves.last().map(|moves| moves.iter().map(|mv| setup.disguise.to_player(mv)).collect());
    tell_end(setup, players, last, given_up.is_some(), stop);
    let told = watch(&Event::End(given_up.as_deref()), &record);
    // Whoever could not hear of a step may not hear of the end either; the first error is the one that tells why.
    result?;
    told?;
    Ok(record)
}

/// A match on its way.
struct RunningMatch<'a> {
    game: &'a Engine,
    setup: &'a Setup<'a>,
    players: &'a mut [Option<PlayerThread>],
    stop: GiveUp<'a>,
    watch: Listener<'a>,
}

impl RunningMatch<'_> {
    /// Plays until the game is over or the match is given up: why, in that case.
    fn run(&mut self, referee: &mut Referee<'_, Engine>, record: &mut MatchRecord) -> Result<Option<String>> {
        let troubles = self.prepare(record)?;
        (self.watch)(&Event::Ready(&troubles), record)?;
        let mut last: Option<Vec<String>> = None;
        while *referee.standing() == Standing::Open {
            if let Some(why) = (self.stop)() {
                return Ok(Some(why));
            }
            if record.moves.len() >= self.setup.most {
                return Ok(Some(format!("{} steps are enough", self.setup.most)));
            }
            let counts: Vec<usize> = roles(self.game).map(|role| referee.legal(role).len()).collect();
            let (answers, troubles) = self.ask(record, &last, &counts)?;
            if let Some(why) = (self.stop)() {
                return Ok(Some(why));
            }
            let step = match referee.step(&answers) {
                Ok(Some(step)) => step,
                Ok(None) => break,
                Err(limit) => return Ok(Some(limit.to_string())),
            };
            record.moves.push(step.moves.clone());
            record.states.push(referee.state_text());
            record.errors.push(step.errors());
            record.state_times.push(now().max(record.state_times.last().copied().unwrap_or(0)));
            last = Some(step.moves.iter().map(|mv| self.setup.disguise.to_player(mv)).collect());
            (self.watch)(&Event::Step(&counts, &step, &troubles), record)?;
        }
        match referee.standing() {
            Standing::Over(goals) => {
                record.is_completed = Some(true);
                record.goal_values = goals.iter().map(|goal| goal.unwrap_or(0)).collect();
                Ok(None)
            }
            Standing::Stuck(role) => {
                let name = self.game.role_name(*role);
                Ok(Some(format!("{name} has no legal move, which is a fault of the rules")))
            }
            Standing::Open => Ok(None),
        }
    }

    /// Tells everybody that the match begins, and waits until they are ready or the start clock is over.
    fn prepare(&mut self, record: &mut MatchRecord) -> Result<Vec<Option<Trouble>>> {
        let RunningMatch { game, setup, .. } = *self;
        let until = Instant::now() + Duration::from_secs_f64(setup.start);
        for (role, player) in roles(game).zip(self.players.iter_mut()) {
            if let Some(player) = player {
                player.prepare(Start {
                    id: setup.id.clone(),
                    role: setup.disguise.to_player(game.role_name(role)),
                    rules: setup.disguise.rules().to_string(),
                    start: setup.start,
                    play: setup.play,
                    cancel: Cancel::new(),
                });
            }
        }
        // Until everybody is ready the record is not shown: its first row of errors is not known yet.
        (self.watch)(&Event::Begin, record)?;
        // Nobody is told to hurry; the wait is a little longer than the clock so that an answer at the last moment counts.
        let until = until + Duration::from_millis(50);
        let players = self.players.iter().enumerate().filter(|(_, player)| player.is_some());
        let asked: Vec<usize> = players.map(|(role, _)| role).collect();
        let answers = self.answers(record, until, &asked, setup.start)?;
        let troubles: Vec<Option<Trouble>> = answers.into_iter().map(|answer| answer.and_then(Result::err)).collect();
        let error = |trouble: &Option<Trouble>| match trouble {
            Some(Trouble::TimeOut) => "TO",
            Some(Trouble::Connection(_)) => "CE",
            // Refused to play: there is no word for that, and no move to be replaced.
            Some(Trouble::Busy(_) | Trouble::Lost(_)) | None => "",
        };
        record.errors.push(troubles.iter().map(|trouble| error(trouble).to_string()).collect());
        Ok(troubles)
    }

    /// The answers of all players to what they were asked, `None` where chance plays.
    fn answers(
        &mut self,
        record: &MatchRecord,
        until: Instant,
        asked: &[usize],
        of: f64,
    ) -> Result<Vec<Option<Result<String, Trouble>>>> {
        let began = Instant::now();
        let RunningMatch { players, stop, watch, .. } = self;
        let mut told = Ok(());
        let mut enough = || {
            let seconds = began.elapsed().as_secs_f64();
            if told.is_ok() {
                told = watch(&Event::Waiting { roles: asked, seconds, of }, record);
            }
            told.is_err() || stop().is_some()
        };
        let mut answers = Vec::new();
        for player in players.iter_mut() {
            answers.push(player.as_mut().map(|player| player.answer(until, &mut enough)));
        }
        told.map(|()| answers)
    }

    /// Asks everybody for a move at the same time.
    fn ask(
        &mut self,
        record: &MatchRecord,
        last: &Option<Vec<String>>,
        counts: &[usize],
    ) -> Result<(Vec<Answer>, Vec<Option<Trouble>>)> {
        let setup = self.setup;
        let until = Instant::now() + Duration::from_secs_f64(setup.play + TRAVEL + 0.05);
        for player in self.players.iter_mut().flatten() {
            player.choose(last.clone(), setup.play);
        }
        let has_choice = |role: &usize| counts[*role] > 1 && self.players[*role].is_some();
        let asked: Vec<usize> = (0..counts.len()).filter(has_choice).collect();
        let answer = |answer: Option<Result<String, Trouble>>| match answer {
            None => (Answer::Chance, None),
            Some(Ok(text)) => match setup.disguise.to_referee(&text) {
                Some(mv) => (Answer::Move(mv), None),
                None => (Answer::Rubbish(text), None),
            },
            Some(Err(Trouble::TimeOut)) => (Answer::TimeOut, Some(Trouble::TimeOut)),
            Some(Err(trouble)) => (Answer::Unreachable, Some(trouble)),
        };
        Ok(self.answers(record, until, &asked, setup.play)?.into_iter().map(answer).unzip())
    }
}

/// Tells everybody that it is over, and waits for those who are still there: for the play clock, or for a second if the
/// match was given up.
fn tell_end(
    setup: &Setup<'_>,
    players: &mut [Option<PlayerThread>],
    last: Option<Vec<String>>,
    given_up: bool,
    stop: GiveUp<'_>,
) {
    let seconds = if given_up { 1.0 } else { setup.play };
    for player in players.iter_mut().flatten() {
        if given_up {
            player.abort();
        } else {
            player.stop(last.clone(), seconds);
        }
    }
    let until = Instant::now() + Duration::from_secs_f64(seconds + 0.1);
    for player in players.iter_mut().flatten() {
        let _ = player.answer(until, &mut || !given_up && stop().is_some());
    }
}

/// The roles of a game that players can have.
pub fn open_roles(game: &Engine) -> Vec<bool> {
    roles(game).map(|role| !is_chance(game.role_name(role))).collect()
}

/// A game's name as one word, for the names of matches and files: that of the library, or the file's without folders and
/// ending. Nobody else needs to know where a file lies.
pub fn game_name(sheet: &Sheet) -> String {
    sheet.entry.map_or_else(|| platform::folders::file_name(&sheet.name), |entry| entry.name.to_string())
}

/// A game's name for people.
pub fn game_title(sheet: &Sheet) -> String {
    sheet.entry.map_or_else(|| game_name(sheet), |entry| entry.title().to_string())
}

/// Where a game is described: an address of our own, since nobody else may know it.
pub fn game_url(sheet: &Sheet) -> String {
    format!("ludens://games/{}", game_name(sheet))
}

/// What a record needs besides, so that it can be replayed: the rules, unless everybody who has this program has them.
pub fn more(sheet: &Sheet, rules: &Rules) -> Vec<(String, Value)> {
    match sheet.entry {
        Some(entry) => vec![("x-game".to_string(), Value::from(entry.name))],
        None => rules_in_record(rules),
    }
}

/// The rules themselves, for a record of a game that nobody else may have.
pub fn rules_in_record(rules: &Rules) -> Vec<(String, Value)> {
    vec![("x-rules".to_string(), Value::from(Disguise::new(rules, None).rules()))]
}

/// Writes a record so that whoever reads the file finds a whole one at any moment.
///
/// # Errors
/// When it cannot be written.
pub fn save(path: &Path, record: &MatchRecord) -> Result<()> {
    let is_over = record.is_completed == Some(true) || record.is_aborted == Some(true);
    // A pipe or a device gets the record once, when the match is over.
    if !is_over && !platform::is_replaceable(path) {
        return Ok(());
    }
    platform::save::save_in_folder(path, &(record.to_json() + "\n"))
}
