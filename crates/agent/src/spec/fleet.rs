//! The settings of the player that thinks on many threads or machines, as people write them.

use super::read::Written;
use super::{KindInfo, MEMORY, MoveLimits, NODES, PLAYOUTS, SECONDS, SEED, given, setting};
use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

/// What the workers of a fleet can do, by the names that people write.
const CREWS: &[(&str, Crew)] = &[
    ("portfolio", Crew::Portfolio),
    ("uct", Crew::Uct),
    ("alpha-beta", Crew::AlphaBeta),
    ("monte-carlo", Crew::MonteCarlo),
    ("heuristics", Crew::Heuristics),
];

/// The least random games between two exchanges.
const LEAST_PART: u64 = 25;

const CHOICES: &[(&str, ChooseSpec)] = &[("merge", ChooseSpec::Merge), ("deepest", ChooseSpec::Deepest)];

pub(super) const FLEET: KindInfo = KindInfo {
    name: "fleet",
    what: "many workers search, on the threads of this program or on other machines (`ludens worker`), and the best of what they \
           find is played",
    settings: &[
        setting("url", "the message server of the workers: nats://HOST:4222 or tls://HOST:4222 [none: threads of this program]"),
        setting(
            "crew",
            "what a worker does: portfolio, uct, alpha-beta, monte-carlo; heuristics: those found in the rules are shared out [uct]",
        )
        .choice(&["portfolio", "uct", "alpha-beta", "monte-carlo", "heuristics"])
        .usual("uct"),
        setting("choose", "merge: what all workers found is added up; deepest: the deepest search decides [merge]")
            .choice(&["merge", "deepest"])
            .usual("merge"),
        setting("solvers", "every so many-th worker searches to the end of the game; 0: none [8]").whole(0, 64).usual("8"),
        setting(
            "rounds",
            "how often trees tell each other what they gain while they grow, where random games are counted (by the clock: four times a second); 1: they \
             are added up at the end only [32]",
        )
        .whole(1, 256)
        .usual("32"),
        setting("workers", "no more workers than this [all that are there]").spending(),
        setting("threads", "workers in this program [with a url 1, without one all processors]").spending(),
        PLAYOUTS,
        NODES,
        SECONDS,
        MEMORY,
        SEED,
    ],
};

/// What the workers of a fleet do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Crew {
    /// Each is the default player, with one thread.
    Portfolio,
    /// Each grows a tree by random games.
    #[default]
    Uct,
    /// Each searches with what was learned.
    AlphaBeta,
    /// Each plays random games, without a tree.
    MonteCarlo,
    /// Each searches with one of the heuristics found in the rules.
    Heuristics,
}

/// How a fleet chooses among what its workers found. Proven results come first either way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChooseSpec {
    /// Visits and values at the roots are added up; other searches vote, by what they were right about so far.
    #[default]
    Merge,
    /// The deepest search decides.
    Deepest,
}

/// The settings of a fleet. What a worker may spend on a move is in the limits of the player: each has all of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct FleetSpec {
    /// The message server; without one, threads of this program are the workers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What the workers do.
    pub crew: Crew,
    /// How the choice is made.
    pub choose: ChooseSpec,
    /// Every so many-th worker searches to the end of the game.
    pub solvers: u32,
    /// How often trees exchange what they gain where random games are counted; 1: never, wherever.
    pub rounds: u32,
    /// The most workers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<usize>,
    /// Workers in this program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
}

impl Default for FleetSpec {
    fn default() -> FleetSpec {
        FleetSpec {
            url: None,
            crew: Crew::Uct,
            choose: ChooseSpec::Merge,
            solvers: 8,
            rounds: 32,
            workers: None,
            threads: None,
        }
    }
}

impl FleetSpec {
    pub(super) fn read(written: &Written<'_>) -> Result<FleetSpec> {
        let usual = FleetSpec::default();
        let url: Option<String> = written.value("url")?;
        if let Some(url) = &url {
            check_url(url)?;
        }
        let threads = written.number("threads", 0, 1024)?.map(|threads| threads as usize);
        if url.is_none() && threads == Some(0) {
            bail!("fleet: without a `url` the workers are threads of this program, at least 1");
        }
        Ok(FleetSpec {
            url,
            crew: written.one_of("crew", CREWS)?.unwrap_or_default(),
            choose: written.one_of("choose", CHOICES)?.unwrap_or_default(),
            solvers: written.number("solvers", 0, 64)?.map_or(usual.solvers, |solvers| solvers as u32),
            rounds: written.number("rounds", 1, 256)?.map_or(usual.rounds, |rounds| rounds as u32),
            workers: written.number("workers", 1, 100_000)?.map(|workers| workers as usize),
            threads,
        })
    }

    /// How often trees exchange what they gain, where so many random games are counted: only trees whose roots are added up can go on from what
    /// others have found, and each time there has to be something to tell. Where only states are counted they are added up at the end.
    pub fn shared_rounds(&self, limits: &MoveLimits) -> u32 {
        let is_shared = self.crew == Crew::Uct && self.choose == ChooseSpec::Merge;
        let most = match limits {
            MoveLimits { playouts: Some(playouts), .. } => playouts / LEAST_PART,
            MoveLimits { nodes: Some(_), .. } => 1,
            MoveLimits { .. } => u64::MAX,
        };
        if is_shared { u64::from(self.rounds).min(most).max(1) as u32 } else { 1 }
    }

    pub(super) fn written(&self, put: &mut dyn FnMut(&'static str, Option<String>)) {
        let usual = FleetSpec::default();
        put("url", given(&self.url));
        let crew = CREWS.iter().find(|(_, crew)| *crew == self.crew && *crew != usual.crew);
        put("crew", crew.map(|(name, _)| (*name).to_string()));
        let choose = CHOICES.iter().find(|(_, choose)| *choose == self.choose && *choose != usual.choose);
        put("choose", choose.map(|(name, _)| (*name).to_string()));
        put("solvers", (self.solvers != usual.solvers).then(|| self.solvers.to_string()));
        put("rounds", (self.rounds != usual.rounds).then(|| self.rounds.to_string()));
        put("workers", given(&self.workers));
        put("threads", given(&self.threads));
    }
}

/// An address of a message server as it may stand in a description, which is written into records: without a password.
fn check_url(url: &str) -> Result<()> {
    let Some(rest) = ["nats://", "tls://"].iter().find_map(|scheme| url.strip_prefix(scheme)) else {
        bail!("fleet: `url` begins with nats:// or tls://, not `{url}`");
    };
    if rest.contains('@') {
        bail!(
            "fleet: no password in `url`, which stands in records: set LUDENS_FLEET_USER and LUDENS_FLEET_PASSWORD, or LUDENS_FLEET_CREDS"
        );
    }
    if rest.is_empty() || rest.contains(char::is_whitespace) {
        bail!("fleet: `url` names no host: nats://HOST:4222");
    }
    Ok(())
}
