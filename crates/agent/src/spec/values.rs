//! Which values the settings of players can have, and descriptions with other values: what whoever varies settings needs.

use super::{KINDS, Method, PlayerSpec, SettingInfo};
use anyhow::Result;

/// The values of a setting that are worth trying.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Values {
    /// Nothing is known about them: whoever varies it has to say.
    Unknown,
    /// Whole numbers.
    Whole {
        /// The least one worth trying.
        from: i64,
        /// The greatest one.
        to: i64,
    },
    /// Any numbers.
    Real {
        /// The least one worth trying.
        from: f64,
        /// The greatest one.
        to: f64,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// What it may spend, or what makes it repeatable, and not how it plays.
    Spending,
}

impl SettingInfo {
    /// Takes whole numbers.
    pub const fn whole(self, from: i64, to: i64) -> SettingInfo {
        SettingInfo { values: Values::Whole { from, to }, ..self }
    }

    /// Takes any numbers.
    pub const fn real(self, from: f64, to: f64) -> SettingInfo {
        SettingInfo { values: Values::Real { from, to }, ..self }
    }

    /// Takes one of these words.
    pub const fn choice(self, words: &'static [&'static str]) -> SettingInfo {
        SettingInfo { values: Values::Choice(words), ..self }
    }

    /// Says what may be spent.
    pub const fn spending(self) -> SettingInfo {
        SettingInfo { values: Values::Spending, ..self }
    }

    /// Has this value where none is given.
    pub const fn usual(self, value: &'static str) -> SettingInfo {
        SettingInfo { usual: Some(value), ..self }
    }
}

impl PlayerSpec {
    /// What can be set for this kind of player.
    pub fn all_settings(&self) -> &'static [SettingInfo] {
        KINDS.iter().find(|kind| kind.name == self.kind()).map_or(&[], |kind| kind.settings)
    }

    /// The value of a setting as it is written: what was set, or what it is where nothing is. `None` where it has none.
    ///
    /// ```
    /// let spec: agent::PlayerSpec = "uct:bias=3".parse().unwrap();
    /// assert_eq!(spec.value("bias").as_deref(), Some("3"));
    /// assert_eq!(spec.value("c").as_deref(), Some("0.45"));
    /// assert_eq!(spec.value("cut"), None);
    /// ```
    pub fn value(&self, name: &str) -> Option<String> {
        let set = self.settings().into_iter().find(|(known, _)| known == name).map(|(_, value)| value);
        set.or_else(|| match (&self.method, name) {
            // Textbook UCT has another one.
            (Method::Uct(spec), "c") => Some(spec.settings().c.to_string()),
            (Method::Roschke(spec), name) => super::chinese::value(&spec.player(), name),
            (Method::TableSearch(spec), name) => super::chinese::value(&spec.player(), name),
            _ => self.all_settings().iter().find(|info| info.name == name)?.usual.map(String::from),
        })
    }

    /// The same player with other settings.
    ///
    /// ```
    /// let spec: agent::PlayerSpec = "uct:bias=3,playouts=50".parse().unwrap();
    /// let other = spec.with(&[("bias", "5".to_string()), ("c", "0.7".to_string())]).unwrap();
    /// assert_eq!(other.to_string(), "uct:c=0.7,bias=5,playouts=50");
    /// assert!(spec.with(&[("bias", "99".to_string())]).is_err());
    /// ```
    ///
    /// # Errors
    /// When there is no such setting, or it cannot have that value.
    pub fn with(&self, settings: &[(&str, String)]) -> Result<PlayerSpec> {
        let own = self.settings().into_iter().filter(|(known, _)| settings.iter().all(|(name, _)| name != known));
        let mut all: Vec<String> = own.map(|(name, value)| format!("{name}={value}")).collect();
        all.extend(settings.iter().map(|(name, value)| format!("{name}={value}")));
        format!("{}:{}", self.kind(), all.join(",")).parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_settings_is_true() {
        for kind in KINDS.iter().filter(|kind| !matches!(kind.name, "remote" | "human" | "uci" | "xboard")) {
            let base: PlayerSpec = kind.name.parse().expect("the kind alone is enough");
            for info in kind.settings {
                let tried: Vec<String> = match info.values {
                    Values::Unknown | Values::Spending => continue,
                    Values::Whole { from, to } => vec![from.to_string(), to.to_string()],
                    Values::Real { from, to } => vec![from.to_string(), to.to_string()],
                    Values::Choice(words) => words.iter().map(|word| word.to_string()).collect(),
                };
                for value in tried {
                    let mut settings = vec![(info.name, value)];
                    if info.name == "cut" {
                        settings.push(("heuristic", "mobility".to_string()));
                    }
                    let with = base.with(&settings);
                    assert!(with.is_ok(), "{} {settings:?}: {with:?}", kind.name);
                }
                // What it is where nothing is set, written out, changes nothing that the searcher sees.
                if let Some(usual) = base.value(info.name) {
                    let written = base.with(&[(info.name, usual.clone())]).expect("its own value");
                    match (&base.method, &written.method) {
                        (Method::Uct(a), Method::Uct(b)) => assert_eq!(a.settings(), b.settings(), "{}", info.name),
                        (Method::Roschke(a), Method::Roschke(b)) => assert_eq!(a.player(), b.player(), "{}", info.name),
                        (Method::TableSearch(a), Method::TableSearch(b)) => {
                            assert_eq!(a.player(), b.player(), "{}", info.name);
                        }
                        _ => assert_eq!(base, written, "{} {}={usual}", kind.name, info.name),
                    }
                }
            }
        }
        let plain: PlayerSpec = "uct:plain=true".parse().expect("a player");
        assert_eq!(plain.value("c").as_deref(), Some("0.6"));
    }
}
