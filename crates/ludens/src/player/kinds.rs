//! Which players there are, what can be set in each, and how they are made. The list that `ludens players` shows is the one
//! that settings are checked against.

use super::local::Local;
use super::plain::{First, Human, Random};
use super::remote::Remote;
use super::stock::Shelf;
use super::studied::{Notebook, Studied, Wanted};
use super::tabled::{Tabled, Tables};
use crate::tables::{place, solved_folder};
use anyhow::{Result, anyhow, bail};
use game::Facts;
use gdl::Rules;
use play::{Player, Settings};
use search::Searcher;
use search::alphabeta::{self, AlphaBeta};
use search::portfolio::Rule;
use search::puzzle::Puzzle;
use search::simple::MonteCarlo;
use search::uct::{self, Uct};
use std::sync::Arc;

/// What an engine must be able to do for our searchers.
pub trait Thinker: Facts + 'static {}

impl<G: Facts + 'static> Thinker for G {}

/// A kind of player.
pub struct Kind {
    /// What it is called.
    pub name: &'static str,
    /// What it does.
    pub what: &'static str,
    /// What can be set.
    pub settings: &'static [Setting],
}

/// Something that can be set.
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub what: &'static str,
}

const SEED: Setting = Setting { name: "seed", what: "makes its choices repeatable" };
const SECONDS: Setting = Setting { name: "seconds", what: "thinks no longer than this about a move" };
const NODES: Setting = Setting { name: "nodes", what: "states to look at for a move" };
const PLAYOUTS: Setting = Setting { name: "playouts", what: "random games for a move" };
const MEMORY: Setting = Setting { name: "memory", what: "MiB for trees and tables [256]" };
const THREADS: Setting = Setting { name: "threads", what: "threads to think with" };
const TABLES: Setting =
    Setting { name: "tables", what: "true: plays from a table of `ludens solve`, if there is one [false]" };
const HEURISTIC: Setting =
    Setting { name: "heuristic", what: "an evaluator of `ludens study`, or a part of its name [learned]" };

/// All kinds; the first is the default.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "portfolio",
        what: "studies the game, measures what suits it, and searches in that way",
        settings: &[
            Setting {
                name: "rule",
                what: "measured, or deepest: exhaustive results, else the deepest search [measured]",
            },
            Setting { name: "tables", what: "false: searches even where `ludens solve` has stored a table [true]" },
            THREADS,
            NODES,
            PLAYOUTS,
            SECONDS,
            MEMORY,
            SEED,
        ],
    },
    Kind {
        name: "uct",
        what: "a tree grown by random games",
        settings: &[
            Setting { name: "c", what: "the weight of exploration [0.6]" },
            Setting { name: "plain", what: "true: textbook UCT, for comparison" },
            Setting {
                name: "favour",
                what: "in so many of 16 cases random games make moves that did well in the tree [0]",
            },
            Setting { name: "heuristic", what: "an evaluator that counts as much as the random games [none]" },
            Setting { name: "cut", what: "random games end after so many moves, and the heuristic judges [none]" },
            TABLES,
            THREADS,
            PLAYOUTS,
            NODES,
            SECONDS,
            MEMORY,
            SEED,
        ],
    },
    Kind {
        name: "alpha-beta",
        what: "deeper and deeper, with a heuristic found in the rules",
        settings: &[
            HEURISTIC,
            Setting { name: "depth", what: "looks no deeper than this [no limit]" },
            TABLES,
            NODES,
            SECONDS,
            MEMORY,
            SEED,
        ],
    },
    Kind {
        name: "exhaustive",
        what: "alpha-beta to the end of the game, without a heuristic",
        settings: &[NODES, SECONDS, MEMORY, SEED],
    },
    Kind {
        name: "puzzle",
        what: "for games of one: looks for a line to the goal",
        settings: &[NODES, SECONDS, MEMORY, SEED],
    },
    Kind {
        name: "monte-carlo",
        what: "the best average of random games, no tree",
        settings: &[PLAYOUTS, SECONDS, SEED],
    },
    Kind { name: "greedy", what: "one step with a heuristic", settings: &[HEURISTIC, NODES, SECONDS, SEED] },
    Kind { name: "random", what: "any legal move, each as likely as the others", settings: &[SEED] },
    Kind { name: "legal", what: "the first legal move", settings: &[] },
    Kind { name: "human", what: "a person at this keyboard", settings: &[SECONDS] },
    Kind {
        name: "remote",
        what: "a player elsewhere: http://HOST:PORT",
        settings: &[Setting { name: "url", what: "its address" }],
    },
];

/// The player that is taken if none is named.
pub const DEFAULT: &str = KINDS[0].name;

/// How settings are written, for help.
pub const EXAMPLE: &str = "uct:playouts=1000,c=0.7";

/// How a player of this program plays.
#[derive(Clone)]
pub struct Plan {
    settings: Settings,
    /// States to look at for a move.
    pub nodes: Option<u64>,
    /// Random games to play for a move.
    pub playouts: Option<u64>,
    /// The longest time for a move.
    pub seconds: Option<f64>,
    /// Bytes for trees and tables.
    pub memory: usize,
    /// What makes it repeatable.
    pub seed: u64,
    c: f32,
    favour: u8,
    cut: Option<usize>,
    depth: Option<u32>,
    plain: bool,
    threads: usize,
    rule: Rule,
    tables: bool,
}

/// What the minds of one match share, whatever engine each of them has.
#[derive(Clone)]
pub struct Shared {
    tables: Arc<Tables>,
    notebook: Notebook,
}

impl Plan {
    /// Checks the settings of a player of this program. `seed` counts where the settings name none.
    fn new(settings: &Settings, seed: u64) -> Result<Plan> {
        let wrong = |why: String| anyhow!(why);
        // A number within bounds, or nothing where it is not set.
        let maybe = |name: &str, least: u64, most: u64| -> Result<Option<u64>> {
            let Some(text) = settings.get(name) else { return Ok(None) };
            let value = settings.value(name, least).map_err(wrong)?;
            if (least..=most).contains(&value) {
                return Ok(Some(value));
            }
            let most = if most == u64::MAX { String::new() } else { format!(" and at most {most}") };
            bail!("{}: `{name}` must be at least {least}{most}, not {text}", settings.kind);
        };
        let seconds: f64 = settings.value("seconds", f64::INFINITY).map_err(wrong)?;
        if seconds.is_nan() || seconds <= 0.0 {
            bail!("{settings}: `seconds` must be above 0");
        }
        // Trees are grown on one thread unless told otherwise, the portfolio uses all processors.
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if settings.kind == "portfolio" { all() } else { 1 };
        let threads = maybe("threads", 1, 256)?.map_or(threads, |threads| threads as usize);
        let memory = maybe("memory", 1, 1 << 20)?.unwrap_or(256) as usize;
        let c: f32 = settings.value("c", 0.6).map_err(wrong)?;
        if !(c.is_finite() && c >= 0.0) {
            bail!("{}: `c` must be a number of at least 0, not {c}", settings.kind);
        }
        if settings.get("cut").is_some() && settings.get("heuristic").is_none() {
            bail!("{settings}: `cut` needs a `heuristic` that judges");
        }
        let favour = maybe("favour", 0, 16)?.map_or(uct::FAVOUR, |favour| favour as u8);
        Ok(Plan {
            nodes: maybe("nodes", 1, u64::MAX)?,
            playouts: maybe("playouts", 1, u64::MAX)?,
            seconds: seconds.is_finite().then_some(seconds),
            memory: memory << 20,
            seed: settings.value("seed", seed).map_err(wrong)?,
            c,
            favour,
            cut: maybe("cut", 1, 10_000)?.map(|most| most as usize),
            depth: maybe("depth", 1, 1000)?.map(|most| most as u32),
            plain: settings.value("plain", false).map_err(wrong)?,
            threads,
            tables: settings.value("tables", settings.kind == "portfolio").map_err(wrong)?,
            rule: match settings.get("rule") {
                None | Some("measured") => Rule::Measured,
                Some("deepest") => Rule::Deepest,
                Some(other) => bail!("{settings}: `rule` is measured or deepest, not `{other}`"),
            },
            settings: settings.clone(),
        })
    }

    /// Whether a person chooses.
    pub fn is_human(&self) -> bool {
        self.settings.kind == "human"
    }

    /// Whether it takes time to choose.
    pub fn thinks(&self) -> bool {
        !matches!(&self.settings.kind[..], "random" | "legal" | "human")
    }

    /// Whether it keeps anything from the time before the first move.
    pub fn prepares(&self) -> bool {
        !matches!(&self.settings.kind[..], "monte-carlo" | "random" | "legal" | "human")
    }

    /// What the minds of one match are to share.
    pub fn shared(&self) -> Shared {
        // Where it looks for the table of a solved game.
        let folder = if self.tables { place::folder(None).ok() } else { None };
        let tables = Arc::new(Tables::new(folder.map(|folder| solved_folder(&folder))));
        Shared { tables, notebook: Notebook::default() }
    }

    /// What thinks, or plays from the table.
    pub fn searcher<G: Thinker>(&self, game: &Arc<G>, rules: &Arc<Rules>, shared: &Shared) -> Box<dyn Searcher<G>> {
        let inner = self.thinker(game, rules, &shared.notebook);
        if self.tables { Box::new(Tabled::new(rules, &shared.tables, inner)) } else { inner }
    }

    fn thinker<G: Thinker>(&self, game: &Arc<G>, rules: &Arc<Rules>, notebook: &Notebook) -> Box<dyn Searcher<G>> {
        let Plan { c, plain, threads, rule, depth, cut, favour, .. } = *self;
        let heuristic = self.settings.get("heuristic");
        let studied = |wanted: Wanted| Box::new(Studied::new(game, rules, wanted, heuristic, notebook));
        match &self.settings.kind[..] {
            "portfolio" => studied(Wanted::Portfolio { rule, threads }),
            "alpha-beta" => studied(Wanted::AlphaBeta { depth }),
            "greedy" => studied(Wanted::Greedy),
            "uct" if heuristic.is_some() => studied(Wanted::JudgedUct { c, threads, cut, favour }),
            "uct" => {
                let settings = if plain { uct::Settings::plain() } else { uct::Settings::default() };
                let favour = if plain { 0 } else { favour };
                Box::new(Uct::new(uct::Settings { c, threads, favour, ..settings }))
            }
            "exhaustive" => Box::new(AlphaBeta::new(alphabeta::Settings { shuffle: true, ..Default::default() })),
            "puzzle" => Box::new(Puzzle::default()),
            "monte-carlo" => Box::new(MonteCarlo::default()),
            "legal" => Box::new(First),
            "human" => Box::new(Human::new()),
            _ => Box::new(Random),
        }
    }
}

/// Reads a player from the command line, and checks that it can be made.
pub fn read(text: &str) -> Result<Settings> {
    let settings = Settings::read(text).map_err(|why| anyhow!("{why} (in {text:?})"))?;
    let Some(kind) = KINDS.iter().find(|kind| kind.name == settings.kind) else {
        let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        bail!("there is no player {:?}; there are {} (`ludens players` tells more)", settings.kind, kinds.join(", "));
    };
    for (name, _) in &settings.values {
        if !kind.settings.iter().any(|setting| setting.name == name) {
            let names: Vec<&str> = kind.settings.iter().map(|setting| setting.name).collect();
            let hint =
                if names.is_empty() { "it has no settings".into() } else { format!("it has {}", names.join(", ")) };
            bail!("{} has no setting {name:?}; {hint}", kind.name);
        }
    }
    make(&settings, 0, None)?;
    Ok(settings)
}

/// Makes a player. `seed` counts where the settings name none.
pub fn make(settings: &Settings, seed: u64, shelf: Option<Arc<Shelf>>) -> Result<Box<dyn Player>> {
    if settings.kind == "remote" {
        let Some(url) = settings.get("url") else { bail!("a remote player has an address: http://HOST:PORT") };
        return Ok(Box::new(Remote::new(url).map_err(anyhow::Error::msg)?));
    }
    Ok(Box::new(Local::new(Plan::new(settings, seed)?, shelf)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_checked() {
        for good in [
            "portfolio",
            "uct:playouts=10,c=1",
            "alpha-beta:heuristic=max mobility,nodes=5",
            "uct:tables=true",
            "uct:heuristic=mobility,cut=5,favour=8",
            "alpha-beta:depth=3",
            "http://h:1",
        ] {
            assert!(read(good).is_ok(), "{good}");
        }
        for (bad, part) in [
            ("chess", "there is no player \"chess\"; there are portfolio, uct"),
            ("legal:seed=1", "legal has no setting \"seed\"; it has no settings"),
            ("uct:speed=1", "uct has no setting \"speed\"; it has c, plain"),
            ("uct:playouts=many", "uct: `many` cannot be the value of `playouts`"),
            ("portfolio:rule=best", "`rule` is measured or deepest"),
            ("portfolio:tables=no", "`no` cannot be the value of `tables`"),
            ("greedy:tables=true", "greedy has no setting"),
            ("uct:cut=5", "`cut` needs a `heuristic`"),
            ("uct:seconds=0", "`seconds` must be above 0"),
            ("uct:c=nan", "`c` must be a number of at least 0, not NaN"),
            ("uct:c=inf", "`c` must be a number of at least 0"),
            ("uct:c=-1", "`c` must be a number of at least 0"),
            ("uct:playouts=0", "uct: `playouts` must be at least 1, not 0"),
            ("uct:nodes=0", "`nodes` must be at least 1"),
            ("portfolio:threads=0", "`threads` must be at least 1 and at most 256, not 0"),
            ("uct:memory=0", "`memory` must be at least 1"),
            ("uct:memory=99999999999", "`memory` must be at least 1 and at most 1048576"),
            ("uct:favour=99", "`favour` must be at least 0 and at most 16, not 99"),
            ("alpha-beta:depth=0", "`depth` must be at least 1"),
            ("uct:seconds=nan", "`seconds` must be above 0"),
            ("remote", "a remote player has an address"),
            ("http://", "it has no host"),
            ("http://h:99999", "1 to 65535"),
            ("https://h:1", "only http:// is supported"),
            ("remote:url=h:1", "does not begin with http://"),
        ] {
            let error = read(bad).expect_err(bad).to_string();
            assert!(error.contains(part), "{bad}: {error}");
        }
    }

    #[test]
    fn every_kind_plays() {
        let rules = "(role a) (role b) (init (heap 3)) (init (control a)) (other a b) (other b a) (less 3 2) (less 2 1) (less 1 0)
            (<= (legal ?p take) (true (control ?p))) (<= (legal ?p (give ?q)) (true (control ?p)) (other ?p ?q))
            (<= (legal ?p noop) (true (control ?q)) (other ?p ?q))
            (<= (next (heap ?y)) (true (heap ?x)) (less ?x ?y)) (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
            (<= terminal (true (heap 0))) (<= (goal ?p 100) (true (control ?p))) (<= (goal ?p 0) (role ?p) (not (true (control ?p))))";
        for kind in KINDS.iter().filter(|kind| !matches!(kind.name, "human" | "remote")) {
            let settings = read(kind.name).expect("the kind alone is enough");
            // A person's tables have nothing to do with this test.
            let settings =
                if kind.name == DEFAULT { read("portfolio:tables=false").expect("it can be set") } else { settings };
            let mut player = make(&settings, 1, None).expect("it can be made");
            let start = play::Start { id: "m".into(), role: "A".into(), rules: rules.into(), start: 0.4, play: 0.3 };
            let began = std::time::Instant::now();
            let spent = || began.elapsed().as_secs_f64();
            let ready = player.prepare(&start, &play::Clock::new(0.4, &spent));
            assert_eq!(ready, Ok(()), "{}", kind.name);
            let began = std::time::Instant::now();
            let spent = || began.elapsed().as_secs_f64();
            let mv = player.choose(None, &play::Clock::new(0.3, &spent)).expect(kind.name);
            assert!(["take", "(give b)"].contains(&&mv[..]), "{}: {mv}", kind.name);
            let last = [mv, "noop".to_string()];
            assert_eq!(player.choose(Some(&last), &play::Clock::new(9.0, &|| 0.0)), Ok("noop".to_string()));
        }
    }

    #[test]
    fn a_brake_ends_the_preparation_at_once() {
        let rules = crate::library::find("breakthrough").expect("it is in the library").rules;
        let mut player =
            make(&read("portfolio:tables=false").expect("it can be set"), 1, None).expect("it can be made");
        let brake = player.brake().expect("it has one");
        let start = play::Start { id: "m".into(), role: "white".into(), rules: rules.into(), start: 60.0, play: 1.0 };
        let began = std::time::Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(300));
                brake.store(true, std::sync::atomic::Ordering::Relaxed);
            });
            let spent = || began.elapsed().as_secs_f64();
            let _ = player.prepare(&start, &play::Clock::new(60.0, &spent));
        });
        assert!(began.elapsed().as_secs_f64() < 20.0, "{:?}", began.elapsed());
    }
}
