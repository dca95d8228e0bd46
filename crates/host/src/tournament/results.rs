//! What is kept of a tournament: every finished game with the settings it was played with, and which standings belong to
//! which settings. One folder can hold the results of many tournaments; none of them overwrites another's.

use super::Plan;
use super::one_game::GameKey;
use crate::journal::{Journal, Keep};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

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
    /// What tells its moves from those of other games; results of earlier versions do not have it.
    #[serde(default)]
    pub moves: Option<String>,
    /// Moves that had to be replaced, of the first and of the second.
    pub faults: (usize, usize),
    /// How long it took.
    pub seconds: f64,
}

impl Played {
    /// What the first of the two made of it: 1 for a win, a half for a draw. A game that was given up is a draw.
    pub fn points(&self) -> f64 {
        let (own, others) = self.means();
        if own > others {
            1.0
        } else if own < others {
            0.0
        } else {
            0.5
        }
    }

    /// The mean goal of the seats that the first had, and of the others.
    pub fn means(&self) -> (f64, f64) {
        let mean = |own: bool| {
            let goals = self.goals.iter().zip(&self.first_has).filter(|(_, first)| **first == own);
            let (sum, count) = goals.fold((0.0, 0.0), |(sum, count), (goal, _)| (sum + f64::from(*goal), count + 1.0));
            if count == 0.0 { 0.0 } else { sum / count }
        };
        (mean(true), mean(false))
    }
}

/// The first bytes of a SHA-256 in hexadecimal digits.
pub(crate) fn digest(text: &str, bytes: usize) -> String {
    Sha256::digest(text.as_bytes()).iter().take(bytes).map(|byte| format!("{byte:02x}")).collect()
}

/// What the standings of a tournament belong to. How often everybody meets is no part of it: a tournament may grow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// What tells these settings from others.
    pub id: String,
    /// The games.
    pub games: Vec<String>,
    /// The players, as they are written.
    pub players: Vec<String>,
    /// Only the first player against each of the others.
    pub gauntlet: bool,
    /// Seconds before the first move.
    pub start: f64,
    /// Seconds for each move.
    pub play: f64,
    /// A match is given up after this many steps.
    pub most: usize,
    /// The seed.
    pub seed: u64,
    /// Whether everything in the rules that the players see is renamed.
    pub scramble: bool,
}

impl Settings {
    pub(crate) fn new(plan: &Plan, games: &[String], players: &[String]) -> Settings {
        let text = format!("{} gauntlet={} {games:?} {players:?}", of_games(plan), plan.gauntlet);
        Settings {
            id: digest(&text, 4),
            games: games.to_vec(),
            players: players.to_vec(),
            gauntlet: plan.gauntlet,
            start: plan.start,
            play: plan.play,
            most: plan.most,
            seed: plan.seed,
            scramble: plan.scramble,
        }
    }
}

/// What every game of a tournament is played with, as it stands in its line.
pub(crate) fn of_games(plan: &Plan) -> String {
    let Plan { start, play, most, seed, scramble, .. } = plan;
    format!("start={start} play={play} most={most} seed={seed} scramble={scramble}")
}

/// The name of the files for what came of it, without the ending: `standings`, say, for the first settings that were used
/// in a folder, `standings-ID` for all others.
pub(crate) fn own_name(folder: &Path, name: &str, id: &str) -> String {
    /// As much of a file as tells whose it is.
    #[derive(Deserialize)]
    struct Owner {
        settings: OwnerId,
    }
    #[derive(Deserialize)]
    struct OwnerId {
        id: String,
    }
    let path = folder.join(format!("{name}.json"));
    let own = match fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str::<Owner>(&text).is_ok_and(|owner| owner.settings.id == id),
        Err(_) => !path.exists(),
    };
    if own { name.to_string() } else { format!("{name}-{id}") }
}

/// The games played so far, and the file they are kept in.
pub(crate) struct Results {
    /// Those that were played with the settings at hand.
    pub played: Vec<Played>,
    journal: Option<Journal<Played>>,
}

impl Results {
    /// Opens what is kept; nobody else can do so until this is dropped.
    pub fn open(plan: &Plan, settings: &str) -> Result<Results> {
        let Some(folder) = &plan.out else { return Ok(Results { played: Vec::new(), journal: None }) };
        let keep = if plan.fresh { Keep::OtherSettings } else { Keep::All };
        let path: PathBuf = Path::new(folder).join("games.jsonl");
        let journal = Journal::open(&path, keep, |played: &Played| played.settings == settings)?;
        Ok(Results { played: journal.entries().to_vec(), journal: Some(journal) })
    }

    /// Whether this game was played.
    pub fn has(&self, key: &GameKey) -> bool {
        self.played.iter().any(|played| key.is(played))
    }

    /// Whether this game was played, perhaps with other rules.
    pub fn has_with_any_rules(&self, key: &GameKey) -> bool {
        self.played.iter().any(|played| key.is_but_for_rules(played))
    }

    /// Keeps a game.
    pub fn add(&mut self, played: Played) -> Result<()> {
        if let Some(journal) = &mut self.journal {
            journal.add(played.clone())?;
        }
        self.played.push(played);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standings_belong_to_whoever_came_first() {
        let folder = std::env::temp_dir().join(format!("ludens-standings-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        assert_eq!(own_name(&folder, "standings", "aa"), "standings");
        fs::write(folder.join("standings.json"), r#"{"settings": {"id": "aa", "more": 1}}"#).expect("a file");
        assert_eq!(own_name(&folder, "standings", "aa"), "standings");
        assert_eq!(own_name(&folder, "standings", "bb"), "standings-bb");
        // An earlier version wrote it, or somebody else: whose it is cannot be told.
        fs::write(folder.join("standings.json"), "{}").expect("a file");
        assert_eq!(own_name(&folder, "standings", "aa"), "standings-aa");
        fs::remove_dir_all(folder).expect("it was there");
    }
}
