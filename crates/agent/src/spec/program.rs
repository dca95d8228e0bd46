//! The settings of programs that play chess, as people write them.

use super::read::Written;
use super::{KindInfo, Method, SettingInfo, setting};
use crate::program::Protocol;
use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the names of a program's own options begin with.
pub(super) const OPTION: &str = "option.";

const COMMAND: SettingInfo = setting("command", "the program: its name or path, and arguments");
const DEPTH: SettingInfo = setting("depth", "looks no deeper than this [no limit]").whole(1, 12);
const MOVETIME: SettingInfo = setting("movetime", "milliseconds for a move [as long as the match gives it]").spending();
const OPTIONS: SettingInfo = setting("option.NAME", "an option of its own, by the name that it has for it");

/// Engines that speak UCI.
pub(super) const UCI: KindInfo = KindInfo {
    name: "uci",
    what: "another program that plays chess and speaks UCI, such as Stockfish",
    settings: &[COMMAND, DEPTH, super::NODES, MOVETIME, super::SECONDS, OPTIONS],
};

/// Engines that speak CECP.
pub(super) const XBOARD: KindInfo = KindInfo {
    name: "xboard",
    what: "another program that plays chess and speaks the protocol of xboard, such as GNU Chess",
    settings: &[COMMAND, DEPTH, MOVETIME, super::SECONDS, OPTIONS],
};

/// A program and what it is told.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ProgramSpec {
    /// The program: its name or path, and arguments.
    pub command: String,
    /// The deepest it looks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Milliseconds for a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub movetime: Option<u64>,
    /// Its own options, by their names in lower case.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

impl ProgramSpec {
    pub(super) fn read(written: &Written<'_>) -> Result<ProgramSpec> {
        let Some(command) = written.value::<String>("command")?.filter(|command| !command.is_empty()) else {
            bail!("{kind}: which program? Write {kind}:command=NAME", kind = written.kind);
        };
        let mut options = BTreeMap::new();
        for name in written.names().filter_map(|name| name.strip_prefix(OPTION)) {
            options.extend(written.value(&format!("{OPTION}{name}"))?.map(|value| (name.to_string(), value)));
        }
        Ok(ProgramSpec {
            command,
            depth: written.number("depth", 1, 1000)?.map(|depth| depth as u32),
            movetime: written.number("movetime", 1, 1 << 40)?,
            options,
        })
    }

    /// Whether something beside the clock ends its thinking.
    pub fn is_limited(&self) -> bool {
        self.depth.is_some() || self.movetime.is_some()
    }
}

impl Method {
    /// The program that plays, and how it is spoken to, if it is another program.
    pub fn program(&self) -> Option<(Protocol, &ProgramSpec)> {
        match self {
            Method::Uci(spec) => Some((Protocol::Uci, spec)),
            Method::Xboard(spec) => Some((Protocol::Xboard, spec)),
            _ => None,
        }
    }
}
