//! A player as it is written on the command line: `uct:playouts=1000,c=0.7`.

use std::fmt;

/// The kind of a player, and its settings in the order in which they were written.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Settings {
    /// What kind of player.
    pub kind: String,
    /// Names and values.
    pub values: Vec<(String, String)>,
}

impl Settings {
    /// Reads the text. An address alone (`http://…`) means a remote player.
    ///
    /// ```
    /// use play::Settings;
    /// let settings = Settings::read("uct:playouts=1000,c=0.7").unwrap();
    /// assert_eq!((settings.kind.as_str(), settings.get("playouts")), ("uct", Some("1000")));
    /// assert_eq!(Settings::read("http://localhost:9147").unwrap().kind, "remote");
    /// assert_eq!(Settings::read("uct:fast").unwrap_err(), "`fast` is no setting: write NAME=VALUE");
    /// ```
    pub fn read(text: &str) -> Result<Settings, String> {
        let text = text.trim();
        let address = text.strip_prefix("remote:").unwrap_or(text);
        // Whether it is a proper address is seen by those who connect to it.
        if address.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http")) && address.contains("://") {
            return Ok(Settings { kind: "remote".into(), values: vec![("url".into(), address.into())] });
        }
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        if kind.is_empty() {
            return Err("a player has a kind: KIND or KIND:NAME=VALUE,…".to_string());
        }
        let mut values: Vec<(String, String)> = Vec::new();
        for setting in rest.split(',').map(str::trim).filter(|setting| !setting.is_empty()) {
            let (name, value) =
                setting.split_once('=').ok_or_else(|| format!("`{setting}` is no setting: write NAME=VALUE"))?;
            let (name, value) = (name.trim().to_lowercase(), value.trim().to_string());
            if values.iter().any(|(known, _)| *known == name) {
                return Err(format!("`{name}` is set twice"));
            }
            values.push((name, value));
        }
        Ok(Settings { kind: kind.trim().to_lowercase(), values })
    }

    /// The value of a setting.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The value of a setting as something else, or what holds if it is not set.
    pub fn value<T: std::str::FromStr>(&self, name: &str, otherwise: T) -> Result<T, String> {
        match self.get(name) {
            None => Ok(otherwise),
            Some(text) => text.parse().map_err(|_| format!("{}: `{text}` cannot be the value of `{name}`", self.kind)),
        }
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let ("remote", [(_, url)]) = (&self.kind[..], &self.values[..]) {
            return f.write_str(url);
        }
        f.write_str(&self.kind)?;
        for (at, (name, value)) in self.values.iter().enumerate() {
            write!(f, "{}{name}={value}", if at == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for text in ["random", "uct:playouts=1000", "uct:playouts=10,c=0.5", "http://localhost:9147/"] {
            assert_eq!(Settings::read(text).map(|settings| settings.to_string()), Ok(text.to_string()));
        }
        assert_eq!(Settings::read("UCT: C = 1 ,").map(|settings| settings.to_string()), Ok("uct:c=1".to_string()));
        assert_eq!(Settings::read("uct:c=1,c=2"), Err("`c` is set twice".to_string()));
        assert!(Settings::read("").is_err());
    }

    #[test]
    fn values_have_types() {
        let settings = Settings::read("uct:c=high").expect("it can be read");
        assert_eq!(settings.value("playouts", 7u64), Ok(7));
        assert_eq!(settings.value("c", 1.0), Err("uct: `high` cannot be the value of `c`".to_string()));
    }
}
