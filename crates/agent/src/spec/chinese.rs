//! The players of Chinese checkers, described: those of Roschke and Sturtevant, and the search made for the distance table.
//!
//! What is not set is what the searcher of that kind has (`UctSettings::heur` and its like): the values of the paper, where
//! it gives them.

use super::read::Written;
use super::{FLAG, KindInfo, MEMORY, NODES, PLAYOUTS, SECONDS, SEED, SettingInfo, given, setting};
use ::chinese::Player;
use ::chinese::uct::{Evaluation, UctSettings};
use anyhow::{Result, bail};
use native::chinese::Allowed;
use serde::{Deserialize, Serialize};

const TABLE_MEMORY: SettingInfo =
    setting("table-memory", "MiB of the distance table in memory: the part nearest to home, estimates beyond it [all]");

const THRESHOLD: SettingInfo = setting("threshold", "UCT: a node gets children after so many visits").whole(1, 60);
const RANDOM: SettingInfo =
    setting("random", "UCT: percent of a playout's moves that are random; the others are the farthest").whole(0, 100);
const LENGTH: SettingInfo = setting("length", "UCT: the weight of a playout's length [0.05]").real(0.0, 0.3);
const C: SettingInfo = setting("c", "UCT: the weight of exploration").real(0.02, 1.5);
const PRIOR: SettingInfo =
    setting("prior", "what the table says of a new move counts like so many visits; 0: unvisited moves come first")
        .real(0.0, 8.0);
const KEEP: SettingInfo =
    setting("keep", "false: forgets what was found out about the next position [true]").choice(FLAG).usual("true");
const WEIGHT: SettingInfo = setting("weight", "what a lead of one move is worth [0.3]").real(0.05, 1.5);

pub(super) const ROSCHKE: KindInfo = KindInfo {
    name: "roschke",
    what: "the players of Roschke and Sturtevant for Chinese checkers (nodes=100000 in the paper); other games are left to \
           the default player. All but base and alpha-beta need the table of `ludens table build chinese-checkers`",
    settings: &[
        setting(
            "kind",
            "base, heur, end (UCT), alpha-beta (judges by rows) or alpha-beta-lookup (by the table) [heur]",
        ),
        setting("moves", "all, non-backward or forward: the moves it looks at [forward, of alpha-beta non-backward]"),
        THRESHOLD,
        RANDOM,
        LENGTH,
        C,
        setting("depth", "heur: moves of a playout [13]; alpha-beta: how deep [5]").whole(1, 30),
        WEIGHT,
        TABLE_MEMORY,
        NODES,
        PLAYOUTS,
        SECONDS,
        MEMORY,
        SEED,
    ],
};

pub(super) const TABLE_SEARCH: KindInfo = KindInfo {
    name: "table-search",
    what: "the strongest for Chinese checkers: UCT with very short playouts, judged by the distance table; other games are left \
           to the default player. Needs the table of `ludens table build chinese-checkers`",
    settings: &[
        setting("moves", "all, non-backward or forward: the moves in the tree [forward]"),
        THRESHOLD,
        RANDOM,
        C,
        setting("depth", "moves of a playout [4]").whole(1, 30),
        WEIGHT,
        PRIOR,
        KEEP,
        TABLE_MEMORY,
        NODES,
        PLAYOUTS,
        SECONDS,
        MEMORY,
        SEED,
    ],
};

/// Which of the players of Roschke and Sturtevant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoschkeKind {
    /// UCT with playouts to the end of the game.
    Base,
    /// UCT with short playouts, judged by the table.
    #[default]
    Heur,
    /// UCT with playouts until the players are apart; then the table tells who wins.
    End,
    /// Alpha-beta, judged by the rows that are left.
    AlphaBeta,
    /// Alpha-beta, judged by the table.
    AlphaBetaLookup,
}

const KINDS: [(&str, RoschkeKind); 5] = [
    ("base", RoschkeKind::Base),
    ("heur", RoschkeKind::Heur),
    ("end", RoschkeKind::End),
    ("alpha-beta", RoschkeKind::AlphaBeta),
    ("alpha-beta-lookup", RoschkeKind::AlphaBetaLookup),
];

/// Settings that only some kinds have; all have `kind`, `moves` and what a move may cost.
const UCT: [&str; 4] = ["threshold", "random", "length", "c"];

impl RoschkeKind {
    fn name(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// The names of its own settings.
    fn settings(self) -> Vec<&'static str> {
        let (is_uct, more): (bool, &[&str]) = match self {
            RoschkeKind::Base => (true, &[]),
            RoschkeKind::Heur => (true, &["depth", "weight", "table-memory"]),
            RoschkeKind::End => (true, &["table-memory"]),
            RoschkeKind::AlphaBeta => (false, &["depth"]),
            RoschkeKind::AlphaBetaLookup => (false, &["depth", "table-memory"]),
        };
        let uct: &[&str] = if is_uct { &UCT } else { &[] };
        [&["moves"], uct, more].concat()
    }

    /// Whether this is a setting of some kind, and perhaps not of all.
    fn some_has(name: &str) -> bool {
        KINDS.iter().any(|(_, kind)| kind.settings().contains(&name))
    }
}

/// Which moves are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MovesSpec {
    /// Every legal move.
    All,
    /// Moves that do not lose a row.
    NonBackward,
    /// Moves that win a row.
    Forward,
}

const MOVES: [(&str, MovesSpec); 3] =
    [("all", MovesSpec::All), ("non-backward", MovesSpec::NonBackward), ("forward", MovesSpec::Forward)];

impl MovesSpec {
    fn name(self) -> &'static str {
        MOVES.iter().find(|(_, moves)| *moves == self).map_or("", |(name, _)| name)
    }

    fn allowed(self) -> Allowed {
        match self {
            MovesSpec::All => Allowed::All,
            MovesSpec::NonBackward => Allowed::NonBackward,
            MovesSpec::Forward => Allowed::Forward,
        }
    }
}

/// What is set of these players; without a value each has its own.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct ChineseSettings {
    /// The moves in the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<MovesSpec>,
    /// A node gets children when it has been visited so often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u32>,
    /// Percent of a playout's moves that are random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random: Option<f32>,
    /// The weight of a playout's length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f32>,
    /// The weight of exploration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<f32>,
    /// The moves of a playout, or how deep alpha-beta looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// What a lead of one move is worth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f32>,
    /// What the table says of a new move counts like so many visits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<f32>,
    /// Whether the tree is kept from move to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<bool>,
    /// MiB of the distance table that may be in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_memory: Option<u32>,
}

impl ChineseSettings {
    /// UCT with these settings, and the usual ones where nothing is set.
    fn uct(&self, usual: UctSettings) -> Player {
        let evaluation = match usual.evaluation {
            Evaluation::Depth { depth, weight } => {
                Evaluation::Depth { depth: self.depth.unwrap_or(depth), weight: self.weight.unwrap_or(weight) }
            }
            other => other,
        };
        Player::Uct(UctSettings {
            moves: self.moves.map_or(usual.moves, MovesSpec::allowed),
            threshold: self.threshold.unwrap_or(usual.threshold),
            random: self.random.map_or(usual.random, |percent| percent / 100.0),
            length: self.length.unwrap_or(usual.length),
            c: self.c.unwrap_or(usual.c),
            prior: self.prior.unwrap_or(usual.prior),
            keep: self.keep.unwrap_or(usual.keep),
            evaluation,
        })
    }

    /// Reads the settings that a player has.
    fn read(written: &Written<'_>, deepest: u32) -> Result<ChineseSettings> {
        Ok(ChineseSettings {
            moves: written.one_of("moves", &MOVES)?,
            threshold: written.within("threshold", 1, 1_000_000)?,
            random: written.within("random", 0.0, 100.0)?,
            length: written.within("length", 0.0, 0.5)?,
            c: written.within("c", 0.0, 100.0)?,
            depth: written.within("depth", 1, deepest)?,
            weight: written.within("weight", 0.0, 100.0)?,
            prior: written.within("prior", 0.0, 100.0)?,
            keep: written.value("keep")?,
            table_memory: written.within("table-memory", 1, 1 << 20)?,
        })
    }

    /// What is set, as it is written.
    pub(super) fn written(&self, put: &mut dyn FnMut(&'static str, Option<String>)) {
        put("moves", self.moves.map(|moves| moves.name().to_string()));
        put("threshold", given(&self.threshold));
        put("random", given(&self.random));
        put("length", given(&self.length));
        put("c", given(&self.c));
        put("depth", given(&self.depth));
        put("weight", given(&self.weight));
        put("prior", given(&self.prior));
        put("keep", given(&self.keep));
        put("table-memory", given(&self.table_memory));
    }
}

/// The value of a setting that a player has, as it is written.
pub(super) fn value(player: &Player, name: &str) -> Option<String> {
    match (player, name) {
        (Player::AlphaBeta { depth, .. }, "depth") => Some(depth.to_string()),
        (Player::Uct(uct), "threshold") => Some(uct.threshold.to_string()),
        (Player::Uct(uct), "random") => Some((100.0 * uct.random).round().to_string()),
        (Player::Uct(uct), "length") => Some(uct.length.to_string()),
        (Player::Uct(uct), "prior") => Some(uct.prior.to_string()),
        (Player::Uct(uct), "c") => Some(uct.c.to_string()),
        (Player::Uct(UctSettings { evaluation: Evaluation::Depth { depth, .. }, .. }), "depth") => {
            Some(depth.to_string())
        }
        (Player::Uct(UctSettings { evaluation: Evaluation::Depth { weight, .. }, .. }), "weight") => {
            Some(weight.to_string())
        }
        _ => None,
    }
}

/// The players of Roschke and Sturtevant (S3.8, S3.9). What a kind does not have is not looked at.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RoschkeSpec {
    /// Which of them; called `kind` where people write it.
    pub which: RoschkeKind,
    /// What is set.
    #[serde(flatten)]
    pub set: ChineseSettings,
}

/// How deep the paper's alpha-beta looks (S3.8).
const DEPTH: u32 = 5;

impl RoschkeSpec {
    /// The player that is meant.
    pub fn player(&self) -> Player {
        let moves = self.set.moves.map(MovesSpec::allowed);
        let uct = |usual: fn(Allowed) -> UctSettings| self.set.uct(usual(moves.unwrap_or(Allowed::Forward)));
        let alpha_beta = |lookup: bool| Player::AlphaBeta {
            lookup,
            moves: moves.unwrap_or(Allowed::NonBackward),
            depth: self.set.depth.unwrap_or(DEPTH),
        };
        match self.which {
            RoschkeKind::Base => uct(UctSettings::base),
            RoschkeKind::Heur => uct(UctSettings::heur),
            RoschkeKind::End => uct(UctSettings::end),
            RoschkeKind::AlphaBeta => alpha_beta(false),
            RoschkeKind::AlphaBetaLookup => alpha_beta(true),
        }
    }

    pub(super) fn read(written: &Written<'_>) -> Result<RoschkeSpec> {
        let which = written.one_of("kind", &KINDS)?.unwrap_or_default();
        let own = which.settings();
        let all = ROSCHKE.settings.iter().map(|setting| setting.name);
        let of_others: Vec<&str> = all.filter(|name| RoschkeKind::some_has(name) && !own.contains(name)).collect();
        if let Some(name) = written.names().find(|name| of_others.contains(name)) {
            let (kind, which) = (written.kind, which.name());
            bail!("{kind}: `{name}` is no setting of kind={which}; it has {}", own.join(", "));
        }
        let deepest = match which {
            RoschkeKind::AlphaBeta | RoschkeKind::AlphaBetaLookup => 64,
            RoschkeKind::Base | RoschkeKind::Heur | RoschkeKind::End => 400,
        };
        Ok(RoschkeSpec { which, set: ChineseSettings::read(written, deepest)? })
    }

    /// What is set, as it is written.
    pub(super) fn written(&self, put: &mut dyn FnMut(&'static str, Option<String>)) {
        // Always: nobody should have to know which is the default.
        put("kind", Some(self.which.name().to_string()));
        self.set.written(put);
    }
}

/// Ours: UCT with short playouts and the table.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TableSearchSpec {
    /// What is set.
    #[serde(flatten)]
    pub set: ChineseSettings,
}

impl TableSearchSpec {
    /// The player that is meant.
    pub fn player(&self) -> Player {
        self.set.uct(UctSettings::short())
    }

    pub(super) fn read(written: &Written<'_>) -> Result<TableSearchSpec> {
        Ok(TableSearchSpec { set: ChineseSettings::read(written, 400)? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Method, PlayerSpec};
    use super::*;

    fn player(text: &str) -> Player {
        match text.parse::<PlayerSpec>().expect(text).method {
            Method::Roschke(spec) => spec.player(),
            Method::TableSearch(spec) => spec.player(),
            other => panic!("{text} is {other:?}"),
        }
    }

    #[test]
    fn without_settings_they_are_those_of_the_paper() {
        assert_eq!(player("roschke"), Player::Uct(UctSettings::heur(Allowed::Forward)));
        assert_eq!(player("roschke:kind=base"), Player::Uct(UctSettings::base(Allowed::Forward)));
        assert_eq!(player("roschke:kind=end,moves=all"), Player::Uct(UctSettings::end(Allowed::All)));
        let moves = Allowed::NonBackward;
        assert_eq!(player("roschke:moves=non-backward"), Player::Uct(UctSettings::heur(moves)));
        assert_eq!(player("roschke:kind=alpha-beta"), Player::AlphaBeta { lookup: false, moves, depth: 5 });
        assert_eq!(player("roschke:kind=alpha-beta-lookup"), Player::AlphaBeta { lookup: true, moves, depth: 5 });
        assert_eq!(player("table-search"), Player::Uct(UctSettings::short()));
    }

    #[test]
    fn the_values_that_players_have_are_known() {
        let value = |text: &str, name: &str| text.parse::<PlayerSpec>().expect(text).value(name);
        assert_eq!(value("roschke", "random").as_deref(), Some("43"));
        assert_eq!(value("roschke:kind=base", "random").as_deref(), Some("17"));
        assert_eq!(value("roschke:kind=alpha-beta", "depth").as_deref(), Some("5"));
        assert_eq!(value("table-search:c=0.3", "c").as_deref(), Some("0.3"));
        assert_eq!(value("table-search", "threshold").as_deref(), Some("4"));
        assert_eq!(value("roschke:kind=base", "weight"), None);
    }

    #[test]
    fn settings_arrive() {
        let heur = player("roschke:random=50,depth=7,weight=0.5,c=1,length=0.1,threshold=2");
        let settings = UctSettings {
            moves: Allowed::Forward,
            threshold: 2,
            random: 0.5,
            length: 0.1,
            c: 1.0,
            prior: 0.0,
            keep: false,
            evaluation: Evaluation::Depth { depth: 7, weight: 0.5 },
        };
        assert_eq!(heur, Player::Uct(settings));
        let ours = player("table-search:depth=6,c=0.2");
        let evaluation = Evaluation::Depth { depth: 6, weight: 0.3 };
        assert_eq!(ours, Player::Uct(UctSettings { c: 0.2, evaluation, ..UctSettings::short() }));
        let ours = player("table-search:prior=0.5,keep=false");
        assert_eq!(ours, Player::Uct(UctSettings { prior: 0.5, keep: false, ..UctSettings::short() }));
        let spec: PlayerSpec = "table-search:prior=0.5,keep=false".parse().unwrap();
        assert_eq!(spec.to_string().parse::<PlayerSpec>().unwrap(), spec);
        assert!("table-search:keep=maybe".parse::<PlayerSpec>().is_err());
        assert!("roschke:keep=true".parse::<PlayerSpec>().is_err());
    }
}
