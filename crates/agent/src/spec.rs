//! One description of a player, from the command line to the search: [`PlayerSpec`].
//!
//! People write it as `uct:playouts=1000,c=0.7`, files and other programs as JSON; both are read (`read`) and printed here,
//! and the list that `ludens players` shows ([`KINDS`]) is the one that settings are checked against. What a setting means,
//! and its default where none is given, is the searcher's business (`search`, `chinese`).

mod chess;
mod chinese;
mod fleet;
mod program;
mod read;
mod values;

pub use chess::{ChessSpec, JudgeSpec, PartList};
pub use chinese::{ChineseSettings, MovesSpec, RoschkeKind, RoschkeSpec, TableSearchSpec};
pub use fleet::{ChooseSpec, Crew, FleetSpec};
pub use program::ProgramSpec;
pub use values::Values;

use search::{Budget, Selection, UctSettings};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// A kind of player, for people who choose one.
pub struct KindInfo {
    /// What it is called.
    pub name: &'static str,
    /// What it does.
    pub what: &'static str,
    /// What can be set.
    pub settings: &'static [SettingInfo],
}

/// Something that can be set.
pub struct SettingInfo {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub what: &'static str,
    /// The values that are worth trying.
    pub values: Values,
    /// The value where none is given, as it is written; `None` where it has none then.
    pub usual: Option<&'static str>,
}

const fn setting(name: &'static str, what: &'static str) -> SettingInfo {
    SettingInfo { name, what, values: Values::Unknown, usual: None }
}

const SEED: SettingInfo = setting("seed", "makes its choices repeatable").spending();
const SECONDS: SettingInfo = setting("seconds", "thinks no longer than this about a move").spending();
const NODES: SettingInfo = setting("nodes", "states to look at for a move").spending();
const PLAYOUTS: SettingInfo = setting("playouts", "random games for a move").spending();
const MEMORY: SettingInfo = setting("memory", "MiB for trees and tables [256]").spending();
const THREADS: SettingInfo = setting("threads", "threads to think with").spending();
const FLAG: &[&str] = &["false", "true"];
const TABLES: SettingInfo =
    setting("tables", "true: plays from the tables that are there [false]").choice(FLAG).usual("false");
const HEURISTIC: SettingInfo = setting("heuristic", "an evaluator of `ludens study`, or a part of its name [learned]");

/// All kinds; the first is the default.
pub const KINDS: &[KindInfo] = &[
    KindInfo {
        name: "portfolio",
        what: "studies the game, measures what suits it, and searches in that way",
        settings: &[
            setting("rule", "measured, or deepest: exhaustive results, else the deepest search [measured]")
                .choice(&["measured", "deepest"])
                .usual("measured"),
            setting("tables", "false: searches even where there is a table [true]").choice(FLAG).usual("true"),
            setting("patterns", "false: does not look for patterns of a few pieces before the game [true]")
                .choice(FLAG)
                .usual("true"),
            THREADS,
            NODES,
            PLAYOUTS,
            SECONDS,
            MEMORY,
            SEED,
        ],
    },
    KindInfo {
        name: "uct",
        what: "a tree grown by random games",
        settings: &[
            setting("c", "the weight of exploration [0.45, of textbook UCT 0.6]").real(0.05, 1.5),
            setting("plain", "true: textbook UCT, for comparison").choice(FLAG).usual("false"),
            setting("bias", "in so many of 16 cases random games make moves that did well in the tree [0]")
                .whole(0, 16)
                .usual("0"),
            setting("grave", "moves count by the games they were made in, below states with so many visits [none]")
                .whole(5, 500),
            setting("heuristic", "an evaluator that counts as much as the random games [none]"),
            setting("cut", "random games end after so many moves, and the heuristic judges [none]").whole(1, 100),
            TABLES,
            THREADS,
            PLAYOUTS,
            NODES,
            SECONDS,
            MEMORY,
            SEED,
        ],
    },
    KindInfo {
        name: "alpha-beta",
        what: "deeper and deeper, with a heuristic found in the rules",
        settings: &[
            HEURISTIC,
            setting("depth", "looks no deeper than this [no limit]").whole(1, 12),
            setting("symmetries", "true: states that a proved map of the board makes of each other are one [false]")
                .choice(FLAG)
                .usual("false"),
            TABLES,
            NODES,
            SECONDS,
            MEMORY,
            SEED,
        ],
    },
    KindInfo {
        name: "exhaustive",
        what: "alpha-beta to the end of the game, without a heuristic",
        settings: &[NODES, SECONDS, MEMORY, SEED],
    },
    KindInfo {
        name: "proof-number",
        what: "looks for a proof of who wins, where the least is missing for one; no advice where it finds none",
        settings: &[NODES, SECONDS, MEMORY, SEED],
    },
    KindInfo {
        name: "puzzle",
        what: "for games of one: looks for a line to the goal",
        settings: &[NODES, SECONDS, MEMORY, SEED],
    },
    KindInfo {
        name: "monte-carlo",
        what: "the best average of random games, no tree",
        settings: &[PLAYOUTS, SECONDS, SEED],
    },
    KindInfo { name: "greedy", what: "one step with a heuristic", settings: &[HEURISTIC, NODES, SECONDS, SEED] },
    KindInfo {
        name: "plan",
        what: "follows a plan of `ludens plan build`, and says which of its sentences made the move",
        settings: &[
            setting("file", "the file of the plan [that of the game, in the folder of tables]"),
            NODES,
            PLAYOUTS,
            SECONDS,
            MEMORY,
            SEED,
        ],
    },
    chess::CHESS,
    chinese::ROSCHKE,
    chinese::TABLE_SEARCH,
    fleet::FLEET,
    KindInfo { name: "random", what: "any legal move, each as likely as the others", settings: &[SEED] },
    KindInfo { name: "legal", what: "the first legal move", settings: &[] },
    KindInfo { name: "human", what: "a person at this keyboard", settings: &[SECONDS] },
    KindInfo {
        name: "remote",
        what: "a player elsewhere: http://HOST:PORT",
        settings: &[setting("url", "its address")],
    },
    program::UCI,
    program::XBOARD,
];

/// The player that is taken if none is named.
pub const DEFAULT: &str = KINDS[0].name;

/// How settings are written, for help.
pub const EXAMPLE: &str = "uct:playouts=1000,c=0.7";

/// A player: how it chooses moves, what it may spend on one, and what makes it repeatable.
///
/// ```
/// use agent::{Method, PlayerSpec};
/// let spec: PlayerSpec = "uct:playouts=1000,c=0.7".parse().unwrap();
/// assert_eq!(spec.limits.playouts, Some(1000));
/// assert!(matches!(&spec.method, Method::Uct(uct) if uct.c == Some(0.7) && uct.threads == 1));
/// assert_eq!(spec.to_string(), "uct:c=0.7,playouts=1000");
/// let json = serde_json::to_string(&spec).unwrap();
/// assert_eq!(serde_json::from_str::<PlayerSpec>(&json).unwrap(), spec);
/// assert_eq!("http://localhost:9147".parse::<PlayerSpec>().unwrap().to_string(), "http://localhost:9147");
/// assert!("uct:fast=1".parse::<PlayerSpec>().is_err());
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlayerSpec {
    /// How it chooses moves.
    #[serde(flatten)]
    pub method: Method,
    /// What it may spend on a move.
    #[serde(default)]
    pub limits: MoveLimits,
    /// Makes its choices repeatable; without one, whoever makes the player chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// How a player chooses moves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Method {
    /// Studies the game, measures what suits it, and searches in that way.
    Portfolio(PortfolioSpec),
    /// A tree grown by random games.
    Uct(UctSpec),
    /// Deeper and deeper, with an evaluator.
    AlphaBeta(AlphaBetaSpec),
    /// Alpha-beta to the end of the game, without an evaluator.
    Exhaustive,
    /// Looks for a proof of who wins, where the least is missing for one.
    ProofNumber,
    /// For games of one: looks for a line to the goal.
    Puzzle,
    /// The best average of random games, no tree.
    MonteCarlo,
    /// One step with an evaluator.
    Greedy {
        /// The evaluator's name, or a part of it; without one, what was learned.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        heuristic: Option<String>,
    },
    /// Follows a plan.
    Plan {
        /// The file of the plan; without one, that of the game in the folder of tables.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
    },
    /// The engine for chess.
    Chess(ChessSpec),
    /// A player of Roschke and Sturtevant, for Chinese checkers only.
    Roschke(RoschkeSpec),
    /// A search made for the distance table of Chinese checkers.
    TableSearch(TableSearchSpec),
    /// Many workers, on the threads of this program or on other machines.
    Fleet(FleetSpec),
    /// Any legal move, each as likely as the others.
    Random,
    /// The first legal move.
    Legal,
    /// A person; the front end asks.
    Human,
    /// A player elsewhere, which speaks the protocol of game managers.
    Remote {
        /// Its address.
        url: String,
    },
    /// Another program that plays chess and speaks UCI.
    Uci(ProgramSpec),
    /// Another program that plays chess and speaks the protocol of xboard.
    Xboard(ProgramSpec),
}

/// The settings of the portfolio.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct PortfolioSpec {
    /// How it decides between its searchers.
    pub rule: RuleSpec,
    /// Threads to think with; without a number, all processors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
    /// Whether it plays from tables.
    pub tables: bool,
    /// Whether it looks for patterns of a few pieces before the game.
    pub patterns: bool,
}

impl Default for PortfolioSpec {
    fn default() -> PortfolioSpec {
        PortfolioSpec { rule: RuleSpec::Measured, threads: None, tables: true, patterns: true }
    }
}

/// How the portfolio decides between its searchers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleSpec {
    /// By playing them against each other before the first move.
    Measured,
    /// Exhaustive results, else the deepest search.
    Deepest,
}

impl RuleSpec {
    /// The searcher's own word for it.
    pub fn selection(self) -> Selection {
        match self {
            RuleSpec::Measured => Selection::Measured,
            RuleSpec::Deepest => Selection::Deepest,
        }
    }
}

/// The settings of UCT.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct UctSpec {
    /// The weight of exploration; without a number the searcher's own, which is another for textbook UCT.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<f32>,
    /// Textbook UCT, for comparison.
    pub plain: bool,
    /// In so many of 16 cases random games make moves that did well in the tree.
    pub bias: u8,
    /// From how many visits on a state's random games tell of all moves made in them (GRAVE).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grave: Option<u32>,
    /// An evaluator that counts as much as the random games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heuristic: Option<String>,
    /// Random games end after so many moves, and the evaluator judges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<usize>,
    /// Whether it plays from tables.
    pub tables: bool,
    /// Trees side by side.
    pub threads: usize,
}

impl Default for UctSpec {
    fn default() -> UctSpec {
        let UctSettings { threads, playout_bias, .. } = UctSettings::default();
        let bias = playout_bias;
        UctSpec { c: None, plain: false, bias, grave: None, heuristic: None, cut: None, tables: false, threads }
    }
}

impl UctSpec {
    /// The searcher's settings.
    pub fn settings(&self) -> UctSettings {
        let usual = if self.plain { UctSettings::plain() } else { UctSettings::default() };
        let playout_bias = if self.plain { usual.playout_bias } else { self.bias };
        let c = self.c.unwrap_or(usual.c);
        let grave = self.grave.filter(|_| !self.plain);
        UctSettings { c, threads: self.threads, cut: self.cut, playout_bias, grave, ..usual }
    }
}

/// The settings of alpha-beta.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AlphaBetaSpec {
    /// The evaluator's name, or a part of it; without one, what was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heuristic: Option<String>,
    /// The deepest horizon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Whether states that a proved map of the board makes of each other are one.
    pub symmetries: bool,
    /// Whether it plays from tables.
    pub tables: bool,
}

/// What a player may spend on a move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct MoveLimits {
    /// The longest time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// States to look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Random games to play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub playouts: Option<u64>,
    /// MiB for trees and tables.
    pub memory: u32,
}

impl Default for MoveLimits {
    fn default() -> MoveLimits {
        MoveLimits { seconds: None, nodes: None, playouts: None, memory: 256 }
    }
}

impl Default for PlayerSpec {
    fn default() -> PlayerSpec {
        PlayerSpec::of(Method::Portfolio(PortfolioSpec::default()))
    }
}

impl PlayerSpec {
    /// A player of this method, with nothing else set.
    pub fn of(method: Method) -> PlayerSpec {
        PlayerSpec { method, limits: MoveLimits::default(), seed: None }
    }

    /// Whether a person chooses.
    pub fn is_human(&self) -> bool {
        matches!(self.method, Method::Human)
    }

    /// Whether it takes time to choose.
    pub fn thinks(&self) -> bool {
        !matches!(self.method, Method::Random | Method::Legal | Method::Human)
    }

    /// Whether it keeps anything from the time before the first move.
    pub fn prepares(&self) -> bool {
        self.thinks() && !matches!(self.method, Method::MonteCarlo)
    }

    /// Whether it plays from tables where there are some.
    pub fn uses_tables(&self) -> bool {
        match &self.method {
            Method::Portfolio(spec) => spec.tables,
            Method::Uct(spec) => spec.tables,
            Method::AlphaBeta(spec) => spec.tables,
            Method::Chess(_) | Method::Roschke(_) | Method::TableSearch(_) | Method::Plan { .. } => true,
            Method::Exhaustive
            | Method::ProofNumber
            | Method::Puzzle
            | Method::MonteCarlo
            | Method::Greedy { .. }
            | Method::Fleet(_)
            | Method::Random
            | Method::Legal
            | Method::Human
            | Method::Remote { .. }
            | Method::Uci(_)
            | Method::Xboard(_) => false,
        }
    }

    /// What it may spend on a move. `spent` says which part of the time is gone; the seed counts where the description names
    /// none.
    pub fn budget<'a>(&self, spent: &'a (dyn Fn() -> f32 + Sync), seed: u64) -> Budget<'a> {
        let MoveLimits { nodes, playouts, memory, .. } = self.limits;
        let memory = (memory as usize) << 20;
        Budget { nodes, playouts, memory, ..Budget::timed(spent, self.seed.unwrap_or(seed)) }
    }

    /// The name of its kind.
    pub fn kind(&self) -> &'static str {
        match self.method {
            Method::Portfolio(_) => "portfolio",
            Method::Uct(_) => "uct",
            Method::AlphaBeta(_) => "alpha-beta",
            Method::Exhaustive => "exhaustive",
            Method::ProofNumber => "proof-number",
            Method::Puzzle => "puzzle",
            Method::MonteCarlo => "monte-carlo",
            Method::Greedy { .. } => "greedy",
            Method::Plan { .. } => "plan",
            Method::Chess(_) => "chess",
            Method::Roschke(_) => "roschke",
            Method::TableSearch(_) => "table-search",
            Method::Fleet(_) => "fleet",
            Method::Random => "random",
            Method::Legal => "legal",
            Method::Human => "human",
            Method::Remote { .. } => "remote",
            Method::Uci(_) => "uci",
            Method::Xboard(_) => "xboard",
        }
    }

    /// What is set to something else than the default, as it is written.
    fn settings(&self) -> Vec<(Cow<'static, str>, String)> {
        let mut set = Vec::new();
        let mut put = |name: &'static str, value: Option<String>| {
            set.extend(value.map(|value| (Cow::Borrowed(name), value)));
        };
        fn other<T: PartialEq + ToString>(value: T, default: T) -> Option<String> {
            (value != default).then(|| value.to_string())
        }
        match &self.method {
            Method::Portfolio(spec) => {
                put("rule", (spec.rule == RuleSpec::Deepest).then(|| "deepest".to_string()));
                put("tables", other(spec.tables, true));
                put("patterns", other(spec.patterns, true));
                put("threads", given(&spec.threads));
            }
            Method::Uct(spec) => {
                let usual = UctSpec::default();
                put("c", given(&spec.c));
                put("plain", other(spec.plain, usual.plain));
                put("bias", other(spec.bias, usual.bias));
                put("grave", given(&spec.grave));
                put("heuristic", given(&spec.heuristic));
                put("cut", given(&spec.cut));
                put("tables", other(spec.tables, usual.tables));
                put("threads", other(spec.threads, usual.threads));
            }
            Method::AlphaBeta(spec) => {
                put("heuristic", given(&spec.heuristic));
                put("depth", given(&spec.depth));
                put("symmetries", other(spec.symmetries, false));
                put("tables", other(spec.tables, false));
            }
            Method::Greedy { heuristic } => put("heuristic", given(heuristic)),
            Method::Plan { file } => put("file", given(file)),
            Method::Chess(spec) => spec.written(&mut put),
            Method::Roschke(spec) => spec.written(&mut put),
            Method::TableSearch(spec) => spec.set.written(&mut put),
            Method::Fleet(spec) => spec.written(&mut put),
            Method::Remote { url } => put("url", Some(url.clone())),
            Method::Uci(spec) | Method::Xboard(spec) => {
                put("command", Some(spec.command.clone()));
                put("depth", given(&spec.depth));
                put("movetime", given(&spec.movetime));
            }
            Method::Exhaustive
            | Method::ProofNumber
            | Method::Puzzle
            | Method::MonteCarlo
            | Method::Random
            | Method::Legal
            | Method::Human => {}
        }
        put("nodes", given(&self.limits.nodes));
        put("playouts", given(&self.limits.playouts));
        put("seconds", given(&self.limits.seconds));
        put("memory", other(self.limits.memory, MoveLimits::default().memory));
        put("seed", given(&self.seed));
        if let Some((_, spec)) = self.method.program() {
            let options = spec.options.iter();
            set.extend(options.map(|(name, value)| (Cow::Owned(format!("{}{name}", program::OPTION)), value.clone())));
        }
        set
    }
}

/// A setting as it is written, if it was given.
fn given<T: ToString>(value: &Option<T>) -> Option<String> {
    value.as_ref().map(T::to_string)
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Method::Remote { url } = &self.method {
            return f.write_str(url);
        }
        f.write_str(self.kind())?;
        for (at, (name, value)) in self.settings().iter().enumerate() {
            write!(f, "{}{name}={value}", if at == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Result;

    fn read(text: &str) -> Result<PlayerSpec> {
        text.parse()
    }

    #[test]
    fn there_and_back() {
        for text in ["random", "uct:playouts=1000", "uct:c=0.5,playouts=10", "http://localhost:9147/", "legal"] {
            assert_eq!(read(text).unwrap().to_string(), text);
        }
        assert_eq!(read("UCT: C = 1 ,").unwrap().to_string(), "uct:c=1");
    }

    #[test]
    fn every_kind_of_the_list_can_be_read_and_every_setting_matters() {
        for kind in KINDS {
            let base = match kind.name {
                "remote" => "remote:url=http://h:1".to_string(),
                "uci" | "xboard" => format!("{}:command=engine --fast", kind.name),
                name => name.to_string(),
            };
            let usual = read(&base).unwrap();
            assert_eq!(usual.kind(), kind.name);
            for setting in kind.settings.iter().filter(|setting| (kind.name, setting.name) != ("remote", "url")) {
                let value = match setting.name {
                    "rule" => "deepest",
                    "tables" | "patterns" if kind.name == "portfolio" => "false",
                    "keep" => "false",
                    "tables" | "plain" | "symmetries" => "true",
                    "heuristic" => "mobility",
                    "cut" => "5,heuristic=mobility",
                    "url" => "nats://h:1",
                    "crew" => "heuristics",
                    "choose" => "deepest",
                    "kind" => "base",
                    "moves" => "all",
                    "judge" => "sum",
                    "parts" => "KRK+KPK",
                    "length" => "0.3",
                    _ => "3",
                };
                let text = match (kind.name, setting.name) {
                    ("uci" | "xboard", "command") => format!("{}:command=other", kind.name),
                    ("uci" | "xboard", name) => format!("{base},{name}={value}"),
                    (kind, name) => format!("{kind}:{name}={value}"),
                };
                let set = read(&text).unwrap();
                assert_ne!(set, usual, "{} {}", kind.name, setting.name);
                assert_eq!(read(&set.to_string()).unwrap(), set);
                let json = serde_json::to_string(&set).unwrap();
                assert_eq!(serde_json::from_str::<PlayerSpec>(&json).unwrap(), set, "{json}");
            }
        }
    }

    #[test]
    fn settings_are_checked() {
        for good in [
            "portfolio",
            "uct:playouts=10,c=1",
            "alpha-beta:heuristic=max mobility,nodes=5",
            "uct:tables=true",
            "uct:heuristic=mobility,cut=5,bias=8",
            "alpha-beta:depth=3",
            "http://h:1",
            "roschke:kind=alpha-beta-lookup,moves=non-backward,depth=4,table-memory=100",
            "roschke:kind=heur,threshold=32,random=43,length=0.05,c=0.7,depth=13,weight=0.3,nodes=100000",
            "table-search:depth=6,random=70,c=0.2",
            "uci:command=stockfish,depth=9,option.Hash=16,option.Skill Level=3",
            "xboard:command='/usr/games/my engine' -x,movetime=500",
            "fleet",
            "fleet:url=tls://fleet.example:4222,crew=heuristics,choose=deepest,workers=200,threads=0,nodes=500",
        ] {
            assert!(read(good).is_ok(), "{good}");
        }
        for (bad, part) in [
            ("draughts", "there is no player \"draughts\"; there are portfolio, uct"),
            ("", "a player has a kind"),
            ("uct:fast", "`fast` is no setting: write NAME=VALUE"),
            ("uct:c=1,c=2", "`c` is set twice"),
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
            ("uct:bias=99", "`bias` must be at least 0 and at most 16, not 99"),
            ("alpha-beta:depth=0", "`depth` must be at least 1"),
            ("uct:seconds=nan", "`seconds` must be above 0"),
            ("remote", "a remote player has an address"),
            ("uci:depth=9", "uci: which program? Write uci:command=NAME"),
            ("uci:command=x,speed=9", "uci has no setting \"speed\"; it has command, depth"),
            ("uci:command=x,movetime=0", "`movetime` must be at least 1"),
            ("xboard:command=x,nodes=9", "xboard has no setting \"nodes\""),
            ("fleet:url=http://h", "`url` begins with nats:// or tls://, not `http://h`"),
            ("fleet:url=nats://me:secret@h:4222", "no password in `url`"),
            ("fleet:url=nats://", "`url` names no host"),
            ("fleet:threads=0", "at least 1"),
            ("fleet:crew=pirates", "`crew` is portfolio or uct or alpha-beta"),
            ("roschke:kind=best", "`kind` is base or heur or end or alpha-beta or alpha-beta-lookup, not `best`"),
            ("roschke:moves=back", "`moves` is all or non-backward or forward, not `back`"),
            ("roschke:random=101", "`random` must be at least 0 and at most 100, not 101"),
            ("roschke:random=nan", "`random` must be at least 0"),
            ("roschke:length=0.6", "`length` must be at least 0 and at most 0.5, not 0.6"),
            ("roschke:threshold=0", "`threshold` must be at least 1"),
            ("roschke:depth=401", "`depth` must be at least 1 and at most 400"),
            ("roschke:kind=alpha-beta,depth=65", "`depth` must be at least 1 and at most 64"),
            ("roschke:kind=base,depth=3", "roschke: `depth` is no setting of kind=base; it has moves, threshold"),
            ("roschke:kind=alpha-beta,table-memory=9", "`table-memory` is no setting of kind=alpha-beta"),
            ("roschke:c=-0.1", "`c` must be at least 0"),
            ("roschke:weight=inf", "`weight` must be at least 0 and at most 100, not inf"),
            ("roschke:table-memory=0", "`table-memory` must be at least 1"),
            ("table-search:random=101", "`random` must be at least 0 and at most 100, not 101"),
            ("table-search:depth=deep", "`deep` cannot be the value of `depth`"),
            ("table-search:length=0.1", "table-search has no setting \"length\"; it has moves, threshold"),
        ] {
            let error = read(bad).expect_err(bad).to_string();
            assert!(error.contains(part), "{bad}: {error}");
        }
    }
}
