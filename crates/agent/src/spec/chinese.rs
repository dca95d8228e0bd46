//! The players of Chinese checkers, described: those of Roschke and Sturtevant, and the search made for the distance table.
//!
//! What is not set is what the searcher of that kind has (`UctSettings::heur` and its like): the values of the paper, where
//! it gives them.

use super::read::Written;
use super::{KindInfo, MEMORY, NODES, PLAYOUTS, SECONDS, SEED, SettingInfo, given, setting};
use ::chinese::Player;
use ::chinese::table_search::TableSearchSettings;
use ::chinese::uct::{Evaluation, UctSettings};
use anyhow::{Result, bail};
use native::chinese::Allowed;
use serde::{Deserialize, Serialize};

const TABLE_MEMORY: SettingInfo =
    setting("table-memory", "MiB of the distance table in memory: the part nearest to home, estimates beyond it [all]");

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
        setting("threshold", "UCT: a node gets children after so many visits [heur 32, else 18]"),
        setting("random", "UCT: percent of a playout's moves that are random, not the farthest [heur 43, else 17]"),
        setting("length", "UCT: the weight of a playout's length [0.05]"),
        setting("c", "UCT: the weight of exploration [0.7]"),
        setting("depth", "heur: moves of a playout [13]; alpha-beta: how deep [5]"),
        setting("weight", "heur: what a lead of one move is worth [0.3]"),
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
    what: "alpha-beta made for Chinese checkers and its distance table; other games are left to the default player",
    settings: &[
        setting("depth", "looks no deeper than this [64]"),
        setting("tempo", "what it is worth to be on move, in hundredths of a move [50]"),
        setting("margin", "looks at moves that gain up to so many moves less than the best [2]"),
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

/// The settings of the players of Roschke and Sturtevant (S3.8, S3.9). What a kind does not have is not looked at.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct RoschkeSpec {
    /// Which of them; called `kind` where people write it.
    pub which: RoschkeKind,
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
    /// MiB of the distance table that may be in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_memory: Option<u32>,
}

/// How deep the paper's alpha-beta looks (S3.8).
const DEPTH: u32 = 5;

impl RoschkeSpec {
    /// The player that is meant.
    pub fn player(&self) -> Player {
        let uct = |usual: fn(Allowed) -> UctSettings| {
            let usual = usual(self.moves.map_or(Allowed::Forward, MovesSpec::allowed));
            let evaluation = match usual.evaluation {
                Evaluation::Depth { depth, weight } => {
                    Evaluation::Depth { depth: self.depth.unwrap_or(depth), weight: self.weight.unwrap_or(weight) }
                }
                other => other,
            };
            Player::Uct(UctSettings {
                moves: usual.moves,
                threshold: self.threshold.unwrap_or(usual.threshold),
                random: self.random.map_or(usual.random, |percent| percent / 100.0),
                length: self.length.unwrap_or(usual.length),
                c: self.c.unwrap_or(usual.c),
                evaluation,
            })
        };
        let alpha_beta = |lookup: bool| Player::AlphaBeta {
            lookup,
            moves: self.moves.map_or(Allowed::NonBackward, MovesSpec::allowed),
            depth: self.depth.unwrap_or(DEPTH),
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
        Ok(RoschkeSpec {
            which,
            moves: written.one_of("moves", &MOVES)?,
            threshold: written.within("threshold", 1, 1_000_000)?,
            random: written.within("random", 0.0, 100.0)?,
            length: written.within("length", 0.0, 0.5)?,
            c: written.within("c", 0.0, 100.0)?,
            depth: written.within("depth", 1, deepest)?,
            weight: written.within("weight", 0.0, 100.0)?,
            table_memory: table_memory(written)?,
        })
    }

    /// What is set, as it is written.
    pub(super) fn written(&self, put: &mut dyn FnMut(&'static str, Option<String>)) {
        // Always: nobody should have to know which is the default.
        put("kind", Some(self.which.name().to_string()));
        put("moves", self.moves.map(|moves| moves.name().to_string()));
        put("threshold", given(&self.threshold));
        put("random", given(&self.random));
        put("length", given(&self.length));
        put("c", given(&self.c));
        put("depth", given(&self.depth));
        put("weight", given(&self.weight));
        put("table-memory", given(&self.table_memory));
    }
}

/// The settings of the search made for the table.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct TableSearchSpec {
    /// The deepest horizon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// What it is worth to be on move, in hundredths of a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tempo: Option<i32>,
    /// How many moves less than the best a move may gain and still be looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<i32>,
    /// MiB of the distance table that may be in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_memory: Option<u32>,
}

impl TableSearchSpec {
    /// The searcher's settings.
    pub fn settings(&self) -> TableSearchSettings {
        let mut settings = TableSearchSettings::default();
        settings.depth = self.depth.or(settings.depth);
        settings.tempo = self.tempo.unwrap_or(settings.tempo);
        settings.margin = self.margin.unwrap_or(settings.margin);
        settings
    }

    /// The player that is meant.
    pub fn player(&self) -> Player {
        Player::TableSearch(self.settings())
    }

    pub(super) fn read(written: &Written<'_>) -> Result<TableSearchSpec> {
        Ok(TableSearchSpec {
            depth: written.within("depth", 1, 64)?,
            tempo: written.within("tempo", -1000, 1000)?,
            margin: written.within("margin", 0, 100)?,
            table_memory: table_memory(written)?,
        })
    }

    /// What is set, as it is written.
    pub(super) fn written(&self, put: &mut dyn FnMut(&'static str, Option<String>)) {
        put("depth", given(&self.depth));
        put("tempo", given(&self.tempo));
        put("margin", given(&self.margin));
        put("table-memory", given(&self.table_memory));
    }
}

fn table_memory(written: &Written<'_>) -> Result<Option<u32>> {
    written.within("table-memory", 1, 1 << 20)
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
        assert_eq!(player("table-search"), Player::TableSearch(TableSearchSettings::default()));
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
            evaluation: Evaluation::Depth { depth: 7, weight: 0.5 },
        };
        assert_eq!(heur, Player::Uct(settings));
        let Player::TableSearch(settings) = player("table-search:depth=4,tempo=-7,margin=1") else { panic!() };
        assert_eq!((settings.depth, settings.tempo, settings.margin), (Some(4), -7, 1));
    }
}
