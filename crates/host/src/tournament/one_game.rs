//! One game of a tournament: who plays it, with which seeds, and what came of it.

use super::Tournament;
use super::results::{Played, digest};
use crate::matches::{Event, Setup, game_name, game_title, game_url, host_until, more, save};
use crate::player_thread::PlayerThread;
use crate::players::no_people;
use agent::PlayerSpec;
use anyhow::{Context, Result};
use game::{Cancel, Names, roles};
use gdl::Rules;
use library::Sheet;
use machine::Engine;
use play::schedule::Pairing;
use play::{Disguise, MatchRecord, Trouble};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::thread;
use std::time::{Duration, Instant};

/// A game of the tournament, ready to be played.
pub(crate) struct ReadyGame {
    pub sheet: Sheet,
    pub rules: Rules,
    /// What tells these rules from others.
    pub digest: String,
    pub engine: Engine,
    /// Which roles are not chance.
    pub open: Vec<bool>,
}

impl ReadyGame {
    /// The names of the roles that players have.
    pub fn roles(&self) -> Vec<String> {
        let open = roles(&self.engine).zip(&self.open).filter(|(_, open)| **open);
        open.map(|(role, _)| self.engine.role_name(role).to_string()).collect()
    }
}

/// What tells a game of a tournament from all others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GameKey {
    pub game: String,
    pub rules: String,
    pub players: (String, String),
    pub round: usize,
}

impl GameKey {
    pub fn is(&self, played: &Played) -> bool {
        self.is_but_for_rules(played) && (played.rules == self.rules || played.rules.is_empty())
    }

    pub fn is_but_for_rules(&self, played: &Played) -> bool {
        (&self.game, &self.players, self.round) == (&played.game, &played.players, played.round)
    }

    /// A seed of its own, whatever else is in the tournament; or, paired, one for two rounds and everybody.
    pub fn seed(&self, seed: u64, paired: bool) -> u64 {
        let text = match paired {
            true => format!("{seed} {} {}", self.game, self.round / 2),
            false => format!("{seed} {} {} {} {}", self.game, self.players.0, self.players.1, self.round),
        };
        let digest = Sha256::digest(text.as_bytes());
        digest.iter().take(8).fold(0, |seed, &byte| seed << 8 | u64::from(byte))
    }
}

/// What came of a game.
pub(crate) enum Outcome {
    /// It counts.
    Played(Box<Played>),
    /// A player was busy.
    PlayerBusy(String),
    /// Everything was broken off.
    Cancelled,
}

/// How long to wait before a busy player is asked again; after the last time it is left alone.
const PAUSES: [Option<Duration>; 4] =
    [Some(Duration::from_millis(500)), Some(Duration::from_secs(1)), Some(Duration::from_secs(2)), None];

impl Tournament<'_> {
    pub fn key(&self, pairing: &Pairing) -> GameKey {
        let player = |at: usize| self.specs[at].to_string();
        GameKey {
            game: self.games[pairing.game].sheet.name.clone(),
            rules: self.games[pairing.game].digest.clone(),
            players: (player(pairing.players.0), player(pairing.players.1)),
            round: pairing.round,
        }
    }

    /// Plays one game. Whoever is elsewhere has one match at a time; one that is still busy is asked again a few times.
    pub fn play(&self, pairing: &Pairing, broken: &Cancel) -> Result<Outcome> {
        let plan = self.plan;
        let name = plan.out.as_ref().map(|out| out.display().to_string());
        self.play_kept(pairing, broken, name, &mut |id, record| match (&plan.out, plan.records) {
            (Some(folder), true) => {
                let folder = folder.join("matches");
                std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
                save(&folder.join(format!("{id}.json")), record)
            }
            _ => Ok(()),
        })
    }

    /// The same in a tournament of this name; `keep` gets the record of the match, and what the match is called.
    pub fn play_kept(
        &self,
        pairing: &Pairing,
        broken: &Cancel,
        name: Option<String>,
        keep: &mut dyn FnMut(&str, &MatchRecord) -> Result<()>,
    ) -> Result<Outcome> {
        let stop = || broken.is_cancelled() || self.cancel.is_cancelled();
        let mut places: Vec<&str> = pairing.seats.iter().filter_map(|&who| self.places[who].as_deref()).collect();
        places.sort_unstable();
        places.dedup();
        let Some(_reserved) = self.busy.take(&places, &stop) else { return Ok(Outcome::Cancelled) };
        for pause in PAUSES {
            let outcome = self.play_once(pairing, &stop, name.clone(), keep)?;
            let Outcome::PlayerBusy(why) = outcome else { return Ok(outcome) };
            let Some(pause) = pause else { return Ok(Outcome::PlayerBusy(why)) };
            let until = Instant::now() + pause;
            while Instant::now() < until {
                if stop() {
                    return Ok(Outcome::Cancelled);
                }
                thread::sleep(Duration::from_millis(50));
            }
        }
        Ok(Outcome::Cancelled)
    }

    /// The players of one game, role by role. One with a seed of its own gets another one made from it for each game:
    /// otherwise every round would be the same game, and be counted as new evidence.
    fn lineup(&self, pairing: &Pairing, key: &GameKey) -> Result<Vec<Option<PlayerThread>>> {
        let mut sitting = pairing.seats.iter();
        let mut players = Vec::new();
        for (number, &open) in self.games[pairing.game].open.iter().enumerate() {
            let Some(&who) = (if open { sitting.next() } else { None }) else {
                players.push(None);
                continue;
            };
            let number = 1 + number as u64;
            let spec = &self.specs[who];
            let seed = |seed: u64| key.seed(seed, self.paired).wrapping_add(number);
            let of_game = PlayerSpec { seed: spec.seed.map(seed), ..spec.clone() };
            let player = self.players.make(&of_game, seed(self.plan.seed), &no_people)?;
            players.push(Some(PlayerThread::new(spec.to_string(), false, player)?));
        }
        Ok(players)
    }

    fn play_once(
        &self,
        pairing: &Pairing,
        stop: &dyn Fn() -> bool,
        name: Option<String>,
        keep: &mut dyn FnMut(&str, &MatchRecord) -> Result<()>,
    ) -> Result<Outcome> {
        let game = &self.games[pairing.game];
        if stop() {
            return Ok(Outcome::Cancelled);
        }
        let (plan, key) = (self.plan, self.key(pairing));
        let seed = key.seed(plan.seed, self.paired);
        let disguise = Disguise::new(&game.rules, plan.scramble.then_some(seed));
        let mut players = self.lineup(pairing, &key)?;
        // Who is not to recognise the game is not told its name.
        let word = if plan.scramble { "match".to_string() } else { game_name(&game.sheet) };
        // Records of other settings, and of other rules, are other files.
        let number = digest(&format!("{} {key:?}", self.settings), 4);
        let setup = Setup {
            id: format!("{word}.{}.{number}", pairing.round),
            disguise: &disguise,
            start: plan.start,
            play: plan.play,
            seed,
            most: plan.most,
            game: game_title(&game.sheet),
            url: game_url(&game.sheet),
            tournament: name,
            more: more(&game.sheet, &game.rules),
        };
        let began = Instant::now();
        let busy: RefCell<Option<String>> = RefCell::new(None);
        let give_up = || if stop() { Some("broken off".to_string()) } else { busy.borrow().clone() };
        let record = host_until(&game.engine, &setup, &mut players, &give_up, &mut |event, _| {
            if let Event::Ready(troubles) = event {
                let is_busy = |trouble: &&Trouble| matches!(trouble, Trouble::Busy(_));
                *busy.borrow_mut() = troubles.iter().flatten().find(is_busy).map(Trouble::to_string);
            }
            Ok(())
        })?;
        if let Some(why) = busy.into_inner() {
            return Ok(Outcome::PlayerBusy(why));
        }
        if stop() && record.is_completed != Some(true) {
            return Ok(Outcome::Cancelled);
        }
        keep(&setup.id, &record)?;
        let played = self.played(key, pairing, &record, began.elapsed().as_secs_f64());
        Ok(Outcome::Played(Box::new(played)))
    }

    /// What is kept of a match.
    fn played(&self, key: GameKey, pairing: &Pairing, record: &MatchRecord, seconds: f64) -> Played {
        let open = &self.games[pairing.game].open;
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
        let moves: Vec<String> = record.moves.iter().map(|joint| joint.join(" ")).collect();
        Played {
            settings: self.settings.clone(),
            game: key.game,
            rules: key.rules,
            players: key.players,
            round: key.round,
            first_has,
            goals: of_players(&record.goal_values),
            steps: record.moves.len(),
            moves: Some(digest(&moves.join("\n"), 8)),
            faults,
            seconds,
        }
    }
}
