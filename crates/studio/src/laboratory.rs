//! Tournaments, running and past, and the experiments of `lab/` with what they found.
//!
//! A tournament is a folder with `games.jsonl`, as `ludens tournament --out` writes it: one line a game, so that one that goes on is seen as it grows. Those that
//! are begun on the page lie in the studio's own folder; others are looked for where the studio is told to.

use crate::kept::is_name;
use agent::Resources;
use anyhow::{Context, Result, bail, ensure};
use game::Cancel;
use host::Players;
use host::tournament::{Missing, Plan, Played, Progress, play_some};
use platform::{Children, folders, save};
use play::score::Tally;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The longest file of games that is read.
const MOST_BYTES: u64 = 64 << 20;
/// Tournaments of the page at a time.
const MOST_RUNNING: usize = 2;
/// The most rounds of a tournament of the page, players, and games.
const MOST_ROUNDS: usize = 500;
const MOST_PLAYERS: usize = 12;
/// Steps after which a match is given up.
const MOST_STEPS: usize = 500;
/// The file with what a tournament of the page is.
const ASKED: &str = "studio.json";

/// An experiment of `lab/`.
pub struct Paper {
    /// Its folder.
    pub name: &'static str,
    /// What is asked, and how it is repeated.
    pub question: &'static str,
    /// Reports and figures.
    pub files: &'static [(&'static str, &'static str)],
}

/// All experiments.
pub static PAPERS: &[Paper] = include!(concat!(env!("OUT_DIR"), "/papers.rs"));

impl Paper {
    /// The first heading.
    pub fn title(&self) -> &'static str {
        self.question.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(self.name)
    }

    /// A file of its results.
    pub fn file(&self, name: &str) -> Option<&'static str> {
        self.files.iter().find(|(own, _)| *own == name).map(|(_, text)| *text)
    }
}

/// A tournament as somebody asks for it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Asked {
    /// The games, by their names in the library.
    pub games: Vec<String>,
    /// The players, as they are written.
    pub players: Vec<String>,
    /// How often every two of them meet in every game.
    pub rounds: usize,
    /// Seconds for a move of players that have no limit of their own.
    pub seconds: f64,
}

/// How far a tournament of the page is.
#[derive(Clone, Default, Serialize)]
pub struct Going {
    /// Games that were played in this run, of so many.
    pub done: usize,
    /// Of so many.
    pub of: usize,
    /// Why it ended early.
    pub trouble: Option<String>,
    /// Whether it has ended.
    pub ended: bool,
}

struct Run {
    going: Going,
    cancel: Cancel,
}

/// See the module.
#[derive(Clone)]
pub struct Laboratory {
    own: PathBuf,
    others: Vec<PathBuf>,
    runs: Arc<Mutex<HashMap<String, Run>>>,
    resources: Resources,
    cancel: Cancel,
}

/// How somebody did.
#[derive(Serialize)]
pub struct Row {
    /// The game, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// Who.
    pub player: String,
    /// Against whom, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// Games, won, drawn, lost.
    pub counts: [u64; 4],
    /// The share of points and its interval, from 0 to 1.
    pub points: [f64; 3],
    /// The mean goal.
    pub goal: f64,
}

impl Row {
    fn of(game: Option<&str>, player: &str, other: Option<&str>, tally: &Tally) -> Row {
        let (low, high) = tally.interval();
        Row {
            game: game.map(str::to_string),
            player: player.to_string(),
            other: other.map(str::to_string),
            counts: [tally.games(), tally.wins, tally.draws, tally.losses],
            points: [tally.rate(), low, high],
            goal: tally.mean_goal(),
        }
    }
}

/// What the games of a tournament that were played with the same settings come to.
#[derive(Serialize)]
pub struct Group {
    /// What they were played with.
    pub settings: String,
    /// Everybody, from the best to the worst.
    pub players: Vec<Row>,
    /// Who against whom, game by game.
    pub pairs: Vec<Row>,
    /// The mean length of a game, and the mean time for one.
    pub steps: f64,
    /// Seconds.
    pub seconds: f64,
}

/// A tournament in a list.
#[derive(Serialize)]
pub struct Line {
    /// Its name in addresses.
    pub name: String,
    /// Where it lies.
    pub folder: String,
    /// Games that were played.
    pub games: usize,
    /// Which games.
    pub of: Vec<String>,
    /// Who plays.
    pub players: Vec<String>,
    /// How far it is, if it was begun on the page since the studio was opened.
    pub going: Option<Going>,
    /// What was asked, where it was begun on the page: it can go on.
    pub asked: Option<Asked>,
}

impl Laboratory {
    /// Tournaments of the page lie in `own`; others are looked for in the other folders, and one level below.
    pub fn new(own: PathBuf, others: Vec<PathBuf>, resources: Resources, cancel: &Cancel) -> Laboratory {
        Laboratory { own, others, runs: Arc::default(), resources, cancel: cancel.child() }
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<String, Run>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The folders of all tournaments, by their names in addresses.
    fn folders(&self) -> BTreeMap<String, PathBuf> {
        let mut found = BTreeMap::new();
        let roots = std::iter::once(&self.own).chain(&self.others);
        for root in roots {
            let below = folders::below(root);
            for folder in std::iter::once(root.clone()).chain(below) {
                let is_own = folder.parent() == Some(self.own.as_path());
                if !(folder.join("games.jsonl").is_file() || is_own && folder.join(ASKED).is_file()) {
                    continue;
                }
                let plain = folder.file_name().and_then(|name| name.to_str()).unwrap_or("tournament");
                let plain: String =
                    plain.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(36).collect();
                let mut name = plain.clone();
                for number in 2.. {
                    if !found.contains_key(&name) {
                        break;
                    }
                    name = format!("{plain}-{number}");
                }
                found.insert(name, folder);
            }
        }
        found
    }

    fn folder(&self, name: &str) -> Result<PathBuf> {
        self.folders().remove(name).with_context(|| format!("there is no tournament {name:?}"))
    }

    /// All tournaments.
    pub fn list(&self) -> Vec<Line> {
        self.folders().into_iter().map(|(name, folder)| self.line(&name, &folder)).collect()
    }

    fn line(&self, name: &str, folder: &Path) -> Line {
        let played = games_in(folder);
        let asked = asked_in(folder).filter(|_| folder.parent() == Some(self.own.as_path()));
        let distinct = |all: Vec<&String>| {
            let mut seen: Vec<String> = Vec::new();
            all.into_iter().for_each(|one| {
                if !seen.contains(one) {
                    seen.push(one.clone());
                }
            });
            seen
        };
        let (of, players) = match &asked {
            Some(asked) => (asked.games.clone(), asked.players.clone()),
            None => (
                distinct(played.iter().map(|one| &one.game).collect()),
                distinct(played.iter().flat_map(|one| [&one.players.0, &one.players.1]).collect()),
            ),
        };
        let going = self.runs().get(name).map(|run| run.going.clone());
        Line {
            name: name.to_string(),
            folder: folder.display().to_string(),
            games: played.len(),
            of,
            players,
            going,
            asked,
        }
    }

    /// A tournament with its standings.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn tournament(&self, name: &str) -> Result<(Line, Vec<Group>)> {
        let folder = self.folder(name)?;
        Ok((self.line(name, &folder), grouped(&games_in(&folder))))
    }

    /// Begins a tournament, or goes on with one: games that were played are not played again.
    ///
    /// # Errors
    /// When it makes no sense, or too many are going on.
    pub fn begin(&self, name: &str, asked: &Asked) -> Result<()> {
        ensure!(is_name(name), "{name:?} is no name for a tournament: letters, digits and hyphens");
        let Asked { games, players, rounds, seconds } = asked;
        ensure!((1..=MOST_ROUNDS).contains(rounds), "a tournament has 1 to {MOST_ROUNDS} rounds");
        ensure!(!games.is_empty() && games.len() <= MOST_PLAYERS, "choose 1 to {MOST_PLAYERS} games");
        ensure!(players.len() <= MOST_PLAYERS, "at most {MOST_PLAYERS} players meet");
        ensure!(seconds.is_finite() && (0.01..=60.0).contains(seconds), "0.01 to 60 seconds are for a move");
        for game in games {
            ensure!(library::find(game).is_some(), "there is no game {game:?} in the library");
        }
        for player in players {
            crate::matches::Seat::Player { player: player.clone() }.player()?;
        }
        let folder = self.own.join(name);
        if let Some(known) = asked_in(&folder) {
            ensure!(known == *asked, "there is another tournament of this name; choose another name");
        }
        let cancel = self.cancel.child();
        {
            let mut runs = self.runs();
            let busy = runs.values().filter(|run| !run.going.ended).count();
            if runs.get(name).is_some_and(|run| !run.going.ended) {
                bail!("this tournament is going on");
            }
            ensure!(busy < MOST_RUNNING, "{MOST_RUNNING} tournaments are going on; end one first");
            runs.insert(name.to_string(), Run { going: Going::default(), cancel: cancel.clone() });
        }
        let plan = Plan {
            games: games.clone(),
            players: players.clone(),
            rounds: *rounds,
            gauntlet: false,
            start: *seconds,
            play: *seconds,
            parallel: 1,
            scramble: false,
            seed: 1,
            most: MOST_STEPS,
            out: Some(folder.clone()),
            records: false,
            fresh: false,
        };
        let kept = serde_json::to_string(asked).map_err(anyhow::Error::from);
        let begun = kept.and_then(|text| save(&folder.join(ASKED), &text)).and_then(|()| {
            let (own, name) = (self.clone(), name.to_string());
            Ok(thread::Builder::new().name("tournament".into()).spawn(move || own.run(&name, &plan, &cancel))?)
        });
        if let Err(error) = begun {
            self.runs().remove(name);
            return Err(error);
        }
        Ok(())
    }

    fn run(&self, name: &str, plan: &Plan, cancel: &Cancel) {
        let players = Players::new(self.resources.clone(), &Children::default());
        let mut tell = |progress: Progress| -> Result<()> {
            if let (Progress::Games { done, of }, Some(run)) = (progress, self.runs().get_mut(name)) {
                (run.going.done, run.going.of) = (done, of);
            }
            Ok(())
        };
        let played = play_some(plan, &players, cancel, &mut tell);
        let trouble = match played {
            Ok((_, None)) => None,
            Ok((_, Some(Missing::Interrupted(_)))) => Some("ended early; it can go on".to_string()),
            Ok((_, Some(Missing::LeftOut(why)))) => Some(why),
            Err(error) => Some(format!("{error:#}")),
        };
        if let Some(run) = self.runs().get_mut(name) {
            (run.going.ended, run.going.trouble) = (true, trouble);
        }
    }

    /// Ends a tournament of the page; what was played is kept.
    ///
    /// # Errors
    /// When it is not going on.
    pub fn end(&self, name: &str) -> Result<()> {
        match self.runs().get(name) {
            Some(run) if !run.going.ended => run.cancel.cancel(),
            _ => bail!("this tournament is not going on"),
        }
        Ok(())
    }
}

fn asked_in(folder: &Path) -> Option<Asked> {
    serde_json::from_str(&folders::text(&folder.join(ASKED), MOST_BYTES).ok()?).ok()
}

/// The games in a folder. The last line may be half written: what cannot be read is not there yet.
fn games_in(folder: &Path) -> Vec<Played> {
    let text = folders::text(&folder.join("games.jsonl"), MOST_BYTES).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// What games come to, by the settings they were played with.
pub fn grouped(played: &[Played]) -> Vec<Group> {
    let mut settings: Vec<&str> = Vec::new();
    for one in played {
        if !settings.contains(&one.settings.as_str()) {
            settings.push(&one.settings);
        }
    }
    settings
        .into_iter()
        .map(|settings| group(settings, &played.iter().filter(|one| one.settings == settings).collect::<Vec<_>>()))
        .collect()
}

fn group(settings: &str, played: &[&Played]) -> Group {
    let mut players: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut pairs: BTreeMap<(&str, &str, &str), Tally> = BTreeMap::new();
    for one in played {
        let (first, second) = (one.players.0.as_str(), one.players.1.as_str());
        let (own, others) = one.means();
        players.entry(first).or_default().add(own, others);
        if first != second {
            players.entry(second).or_default().add(others, own);
            pairs.entry((&one.game, second, first)).or_default().add(others, own);
        }
        pairs.entry((&one.game, first, second)).or_default().add(own, others);
    }
    let mut rows: Vec<Row> = players.iter().map(|(player, tally)| Row::of(None, player, None, tally)).collect();
    rows.sort_by(|a, b| b.points[0].total_cmp(&a.points[0]));
    let pairs = pairs.iter().map(|((game, player, other), tally)| Row::of(Some(game), player, Some(other), tally));
    let count = played.len().max(1) as f64;
    Group {
        settings: settings.to_string(),
        players: rows,
        pairs: pairs.collect(),
        steps: played.iter().map(|one| one.steps as f64).sum::<f64>() / count,
        seconds: played.iter().map(|one| one.seconds).sum::<f64>() / count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laboratory(folder: &Path) -> Laboratory {
        Laboratory::new(folder.join("own"), vec![folder.join("results")], Resources::default(), &Cancel::new())
    }

    #[test]
    fn papers_have_their_tables_and_figures() {
        let paper = PAPERS.iter().find(|paper| paper.name == "sadikov").unwrap();
        assert!(paper.title().contains("stages") && paper.file("report.md").is_some(), "{}", paper.title());
        assert!(paper.file("figure1.svg").unwrap().starts_with("<svg") && paper.file("../question.md").is_none());
        assert!(PAPERS.iter().all(|paper| !paper.title().is_empty() && !paper.question.is_empty()));
    }

    #[test]
    fn a_tournament_is_played_kept_and_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let own = laboratory(folder.path());
        let asked = |rounds| Asked {
            games: vec!["nim".into()],
            players: vec!["uct:playouts=60".into(), "random".into()],
            rounds,
            seconds: 1.0,
        };
        for (name, wrong, part) in [
            ("../evil", asked(1), "no name"),
            ("a", asked(0), "rounds"),
            ("a", Asked { games: vec!["/etc/passwd".into()], ..asked(1) }, "no game"),
            ("a", Asked { players: vec!["remote:url=localhost:1".into()], ..asked(1) }, "cannot play here"),
        ] {
            let error = own.begin(name, &wrong).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        own.begin("first", &asked(4)).unwrap();
        for _ in 0..600 {
            if own.list()[0].going.as_ref().is_some_and(|going| going.ended) {
                break;
            }
            thread::sleep(std::time::Duration::from_millis(50));
        }
        let (line, groups) = own.tournament("first").unwrap();
        assert_eq!((line.games, line.going.unwrap().trouble), (4, None));
        let [best, worst] = &groups[0].players[..] else { panic!("two players") };
        assert_eq!((best.counts[0], best.counts[1] + worst.counts[1] + best.counts[2]), (4, 4));
        assert!(best.points[1] < best.points[0] && best.points[0] <= best.points[2]);
        assert!(own.begin("first", &asked(5)).unwrap_err().to_string().contains("another tournament"));
        // A new studio finds it; and half a line that somebody is writing does no harm.
        let path = folder.path().join("own/first/games.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::create_dir_all(folder.path().join("results/by hand")).unwrap();
        std::fs::write(folder.path().join("results/by hand/games.jsonl"), format!("{text}{{\"settings\": \"sta"))
            .unwrap();
        let names: Vec<(String, usize)> =
            laboratory(folder.path()).list().into_iter().map(|line| (line.name, line.games)).collect();
        assert_eq!(names, [("by-hand".to_string(), 4), ("first".to_string(), 4)]);
        assert!(own.tournament("nothing").is_err() && own.end("first").is_err());
    }
}
