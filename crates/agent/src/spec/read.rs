//! Players as people write them, `KIND:NAME=VALUE,…`: reading them, and saying what is wrong.

use super::chess::ChessSpec;
use super::chinese::{RoschkeSpec, TableSearchSpec};
use super::fleet::FleetSpec;
use super::program::{OPTION, ProgramSpec};
use super::{AlphaBetaSpec, KINDS, Method, MoveLimits, PlayerSpec, PortfolioSpec, RuleSpec, SettingInfo, UctSpec};
use anyhow::{Result, anyhow, bail};
use std::fmt::Display;
use std::str::FromStr;

/// A player as it is written: its kind, and settings as text.
pub(super) struct Written<'a> {
    pub kind: &'a str,
    values: Vec<(String, &'a str)>,
}

impl<'a> Written<'a> {
    fn read(text: &'a str) -> Result<Written<'a>> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        if kind.is_empty() {
            bail!("a player has a kind: KIND or KIND:NAME=VALUE,…");
        }
        let mut values: Vec<(String, &str)> = Vec::new();
        for setting in rest.split(',').map(str::trim).filter(|setting| !setting.is_empty()) {
            let (name, value) =
                setting.split_once('=').ok_or_else(|| anyhow!("`{setting}` is no setting: write NAME=VALUE"))?;
            let name = name.trim().to_lowercase();
            if values.iter().any(|(known, _)| *known == name) {
                bail!("`{name}` is set twice");
            }
            values.push((name, value.trim()));
        }
        Ok(Written { kind: kind.trim(), values })
    }

    /// The value of a setting as something else.
    pub fn value<T: FromStr>(&self, name: &str) -> Result<Option<T>> {
        let Some((_, text)) = self.values.iter().find(|(known, _)| known == name) else { return Ok(None) };
        let value = text.parse().map_err(|_| anyhow!("{}: `{text}` cannot be the value of `{name}`", self.kind))?;
        Ok(Some(value))
    }

    /// A number within bounds.
    pub fn number(&self, name: &str, least: u64, most: u64) -> Result<Option<u64>> {
        let Some(value) = self.value::<u64>(name)? else { return Ok(None) };
        if (least..=most).contains(&value) {
            return Ok(Some(value));
        }
        let most = if most == u64::MAX { String::new() } else { format!(" and at most {most}") };
        bail!("{}: `{name}` must be at least {least}{most}, not {value}", self.kind);
    }

    /// A number within bounds, with a sign or a fraction where its type has them.
    pub fn within<T: FromStr + PartialOrd + Display>(&self, name: &str, least: T, most: T) -> Result<Option<T>> {
        let Some(value) = self.value::<T>(name)? else { return Ok(None) };
        if least <= value && value <= most {
            return Ok(Some(value));
        }
        bail!("{}: `{name}` must be at least {least} and at most {most}, not {value}", self.kind);
    }

    /// One of some words, for which something stands.
    pub fn one_of<T: Copy>(&self, name: &str, known: &[(&str, T)]) -> Result<Option<T>> {
        let Some(word) = self.value::<String>(name)? else { return Ok(None) };
        let found = known.iter().find(|(text, _)| text.eq_ignore_ascii_case(&word));
        let words: Vec<&str> = known.iter().map(|(text, _)| *text).collect();
        let found = found.ok_or_else(|| anyhow!("{}: `{name}` is {}, not `{word}`", self.kind, words.join(" or ")))?;
        Ok(Some(found.1))
    }

    /// The name of every setting that was given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|(name, _)| name.as_str())
    }

    fn limits(&self) -> Result<MoveLimits> {
        let seconds = self.value::<f64>("seconds")?;
        if seconds.is_some_and(|seconds| seconds.is_nan() || seconds <= 0.0) {
            bail!("{}: `seconds` must be above 0", self.kind);
        }
        let usual = MoveLimits::default();
        Ok(MoveLimits {
            seconds: seconds.filter(|seconds| seconds.is_finite()),
            nodes: self.number("nodes", 1, u64::MAX)?,
            playouts: self.number("playouts", 1, u64::MAX)?,
            memory: self.number("memory", 1, 1 << 20)?.map_or(usual.memory, |mebibytes| mebibytes as u32),
        })
    }

    pub fn threads(&self) -> Result<Option<usize>> {
        Ok(self.number("threads", 1, 256)?.map(|threads| threads as usize))
    }

    fn portfolio(&self) -> Result<PortfolioSpec> {
        let rule = match self.value::<String>("rule")?.as_deref() {
            None | Some("measured") => RuleSpec::Measured,
            Some("deepest") => RuleSpec::Deepest,
            Some(other) => bail!("portfolio: `rule` is measured or deepest, not `{other}`"),
        };
        let [tables, patterns] = [self.value("tables")?, self.value("patterns")?].map(|flag| flag.unwrap_or(true));
        Ok(PortfolioSpec { rule, threads: self.threads()?, tables, patterns })
    }

    fn uct(&self) -> Result<UctSpec> {
        let usual = UctSpec::default();
        let c: Option<f32> = self.value("c")?;
        if let Some(c) = c.filter(|c| !(c.is_finite() && *c >= 0.0)) {
            bail!("uct: `c` must be a number of at least 0, not {c}");
        }
        let (heuristic, cut) = (self.value("heuristic")?, self.number("cut", 1, 10_000)?);
        if cut.is_some() && heuristic.is_none() {
            bail!("uct: `cut` needs a `heuristic` that judges");
        }
        Ok(UctSpec {
            c,
            plain: self.value("plain")?.unwrap_or(usual.plain),
            bias: self.number("bias", 0, 16)?.map_or(usual.bias, |bias| bias as u8),
            grave: self.number("grave", 1, 1_000_000)?.map(|visits| visits as u32),
            heuristic,
            cut: cut.map(|most| most as usize),
            tables: self.value("tables")?.unwrap_or(usual.tables),
            threads: self.threads()?.unwrap_or(usual.threads),
        })
    }

    fn alpha_beta(&self) -> Result<AlphaBetaSpec> {
        Ok(AlphaBetaSpec {
            heuristic: self.value("heuristic")?,
            depth: self.number("depth", 1, 1000)?.map(|most| most as u32),
            symmetries: self.value("symmetries")?.unwrap_or(false),
            tables: self.value("tables")?.unwrap_or(false),
        })
    }
}

impl FromStr for PlayerSpec {
    type Err = anyhow::Error;

    /// Reads the text. An address alone (`http://…`) means a remote player; whether it is a proper one is seen by those who
    /// connect to it.
    fn from_str(text: &str) -> Result<PlayerSpec> {
        let text = text.trim();
        let address = text.strip_prefix("remote:").unwrap_or(text);
        if address.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http")) && address.contains("://") {
            return Ok(PlayerSpec::of(Method::Remote { url: address.to_string() }));
        }
        let written = Written::read(text).map_err(|why| anyhow!("{why} (in {text:?})"))?;
        let Some(kind) = KINDS.iter().find(|kind| kind.name.eq_ignore_ascii_case(written.kind)) else {
            let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
            bail!(
                "there is no player {:?}; there are {} (`ludens players` tells more)",
                written.kind.to_lowercase(),
                kinds.join(", ")
            );
        };
        let written = Written { kind: kind.name, ..written };
        for (name, _) in &written.values {
            let is_option = name.len() > OPTION.len() && name.starts_with(OPTION);
            let is_known =
                |setting: &SettingInfo| setting.name == name || is_option && setting.name.starts_with(OPTION);
            if !kind.settings.iter().any(is_known) {
                let names: Vec<&str> = kind.settings.iter().map(|setting| setting.name).collect();
                let hint =
                    if names.is_empty() { "it has no settings".into() } else { format!("it has {}", names.join(", ")) };
                bail!("{} has no setting {name:?}; {hint}", kind.name);
            }
        }
        let method = match kind.name {
            "portfolio" => Method::Portfolio(written.portfolio()?),
            "uct" => Method::Uct(written.uct()?),
            "alpha-beta" => Method::AlphaBeta(written.alpha_beta()?),
            "exhaustive" => Method::Exhaustive,
            "proof-number" => Method::ProofNumber,
            "puzzle" => Method::Puzzle,
            "monte-carlo" => Method::MonteCarlo,
            "greedy" => Method::Greedy { heuristic: written.value("heuristic")? },
            "plan" => Method::Plan { file: written.value("file")? },
            "chess" => Method::Chess(ChessSpec::read(&written)?),
            "roschke" => Method::Roschke(RoschkeSpec::read(&written)?),
            "table-search" => Method::TableSearch(TableSearchSpec::read(&written)?),
            "fleet" => Method::Fleet(FleetSpec::read(&written)?),
            "random" => Method::Random,
            "legal" => Method::Legal,
            "human" => Method::Human,
            "remote" => match written.value("url")? {
                Some(url) => Method::Remote { url },
                None => bail!("a remote player has an address: http://HOST:PORT"),
            },
            "uci" => Method::Uci(ProgramSpec::read(&written)?),
            "xboard" => Method::Xboard(ProgramSpec::read(&written)?),
            // A test reads every kind of the list.
            other => bail!("the kind {other} is listed but cannot be read"),
        };
        Ok(PlayerSpec { method, limits: written.limits()?, seed: written.value("seed")? })
    }
}
