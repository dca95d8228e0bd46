//! The player of chess, described.

use super::read::Written;
use super::{KindInfo, MEMORY, NODES, SECONDS, SettingInfo, THREADS, given, setting};
use ::chess::Judge;
use anyhow::Result;
use serde::{Deserialize, Serialize};

const JUDGES: &[(&str, JudgeSpec)] =
    &[("learned", JudgeSpec::Learned), ("sum", JudgeSpec::Sum), ("hand", JudgeSpec::Hand)];

const JUDGE: SettingInfo = setting(
    "judge",
    "learned: lookups with learned weights; sum: their plain sum; hand: an evaluation by hand [learned]",
)
.choice(&["learned", "sum", "hand"])
.usual("learned");

pub(super) const CHESS: KindInfo = KindInfo {
    name: "chess",
    what: "the engine for chess and its endings, judged by lookups in tables of few men where there are some; other games are \
           left to the default player",
    settings: &[
        setting("depth", "looks no deeper than this [no limit]").whole(1, 30),
        JUDGE,
        THREADS,
        NODES,
        SECONDS,
        MEMORY,
    ],
};

/// How the engine judges positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgeSpec {
    /// Lookups with learned weights, by hand where there are none.
    #[default]
    Learned,
    /// The plain sum of lookups.
    Sum,
    /// By hand.
    Hand,
}

impl JudgeSpec {
    /// The engine's own word for it.
    pub fn judge(self) -> Judge {
        match self {
            JudgeSpec::Learned => Judge::Learned,
            JudgeSpec::Sum => Judge::Sum,
            JudgeSpec::Hand => Judge::Hand,
        }
    }
}

/// The settings of the engine for chess.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChessSpec {
    /// The deepest horizon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// How positions are judged.
    pub judge: JudgeSpec,
    /// Threads to think with; without a number one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
}

impl ChessSpec {
    pub(super) fn read(written: &Written<'_>) -> Result<ChessSpec> {
        Ok(ChessSpec {
            depth: written.number("depth", 1, 1000)?.map(|most| most as u32),
            judge: written.one_of("judge", JUDGES)?.unwrap_or_default(),
            threads: written.threads()?,
        })
    }

    pub(super) fn written(&self, put: &mut dyn FnMut(&'static str, Option<String>)) {
        put("depth", given(&self.depth));
        let name = JUDGES.iter().find(|(_, judge)| *judge == self.judge).map(|(name, _)| (*name).to_string());
        put("judge", name.filter(|_| self.judge != JudgeSpec::default()));
        put("threads", given(&self.threads));
    }
}
