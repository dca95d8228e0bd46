//! The player of chess, described.

use super::read::Written;
use super::{KindInfo, MEMORY, NODES, SECONDS, SettingInfo, THREADS, given, setting};
use ::chess::Judge;
use anyhow::{Result, anyhow};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use table::chess::{Material, MaterialError};

const JUDGES: &[(&str, JudgeSpec)] =
    &[("learned", JudgeSpec::Learned), ("sum", JudgeSpec::Sum), ("hand", JudgeSpec::Hand)];

const JUDGE: SettingInfo = setting(
    "judge",
    "learned: lookups with learned weights; sum: their plain sum; hand: an evaluation by hand [learned]",
)
.choice(&["learned", "sum", "hand"])
.usual("learned");

const PARTS: SettingInfo = setting(
    "parts",
    "the lookups where all of these men occur, such as KRPKN+KPPKN [all of the largest that have a table]",
);
const WEIGHTS: SettingInfo = setting(
    "weights",
    "a file of `ludens table weigh`, for its men looked up in its parts, beside the weights built in",
);

pub(super) const CHESS: KindInfo = KindInfo {
    name: "chess",
    what: "the engine for chess and its endings, judged by lookups in tables of few men where there are some; other games are \
           left to the default player",
    settings: &[
        setting("depth", "looks no deeper than this [no limit]").whole(1, 30),
        JUDGE,
        PARTS,
        WEIGHTS,
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
    /// All of them, with their names.
    pub const ALL: &'static [(&'static str, JudgeSpec)] = JUDGES;

    /// What people write for it.
    pub fn name(self) -> &'static str {
        JUDGES.iter().find(|(_, judge)| *judge == self).map_or("learned", |(name, _)| name)
    }

    /// The engine's own word for it.
    pub fn judge(self) -> Judge {
        match self {
            JudgeSpec::Learned => Judge::Learned,
            JudgeSpec::Sum => Judge::Sum,
            JudgeSpec::Hand => Judge::Hand,
        }
    }
}

/// Parts that are looked up, as people write them: `KRPKN+KPPKN`.
///
/// ```
/// let parts: agent::spec::PartList = "krpkn+KPPvKN".parse().unwrap();
/// assert_eq!(parts.to_string(), "KRPKN+KNKPP");
/// assert!("KRPKN,KPK".parse::<agent::spec::PartList>().is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PartList(pub Vec<Material>);

impl FromStr for PartList {
    type Err = MaterialError;

    fn from_str(text: &str) -> Result<PartList, MaterialError> {
        text.split('+').map(|name| Material::parse(name.trim())).collect::<Result<_, _>>().map(PartList)
    }
}

impl TryFrom<String> for PartList {
    type Error = MaterialError;

    fn try_from(text: String) -> Result<PartList, MaterialError> {
        text.parse()
    }
}

impl From<PartList> for String {
    fn from(parts: PartList) -> String {
        parts.to_string()
    }
}

impl fmt::Display for PartList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&names.join("+"))
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
    /// The parts that are looked up where all of them occur; without any, all of the largest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<PartList>,
    /// A file of weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<PathBuf>,
    /// Threads to think with; without a number one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
}

impl ChessSpec {
    pub(super) fn read(written: &Written<'_>) -> Result<ChessSpec> {
        let parts = written.value::<String>("parts")?.map(|text| text.parse::<PartList>());
        Ok(ChessSpec {
            parts: parts.transpose().map_err(|why: MaterialError| anyhow!("chess: `parts`: {why}"))?,
            weights: written.value("weights")?,
            depth: written.number("depth", 1, 1000)?.map(|most| most as u32),
            judge: written.one_of("judge", JUDGES)?.unwrap_or_default(),
            threads: written.threads()?,
        })
    }

    pub(super) fn written(&self, put: &mut dyn FnMut(&'static str, Option<String>)) {
        put("depth", given(&self.depth));
        put("judge", Some(self.judge.name().to_string()).filter(|_| self.judge != JudgeSpec::default()));
        put("parts", given(&self.parts));
        put("weights", self.weights.as_ref().map(|file| file.display().to_string()));
        put("threads", given(&self.threads));
    }
}

#[cfg(test)]
mod tests {
    use crate::PlayerSpec;

    #[test]
    fn lookups_and_weights_are_read_and_written() {
        let text = "chess:judge=sum,parts=KRPKN+KNKPP,weights=my weights.json";
        let spec: PlayerSpec = text.parse().expect("a player");
        assert_eq!(spec.to_string(), text);
        let json = serde_json::to_string(&spec).expect("it can be written");
        assert!(json.contains("\"KRPKN+KNKPP\""), "{json}");
        assert_eq!(serde_json::from_str::<PlayerSpec>(&json).expect("it can be read"), spec);
        assert!(serde_json::from_str::<PlayerSpec>(&json.replace("KNKPP", "KXKN")).is_err());
        for (text, part) in [("chess:parts=KRPKN+KXK", "`X` is not a man"), ("chess:parts=", "chess: `parts`")] {
            let error = text.parse::<PlayerSpec>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
