//! Where the message server is, and how one proves who one is: an address, and secrets that are never shown.

use anyhow::{Result, bail, ensure};
use std::env;
use std::path::PathBuf;

/// The address where nothing is said.
pub const DEFAULT_URL: &str = "nats://127.0.0.1:4222";

/// What a connection needs. Secrets come from the environment or from files, and stand in no description of a player:
///
/// | variable | what it is |
/// |---|---|
/// | `LUDENS_FLEET` | the address, where none is given |
/// | `LUDENS_FLEET_USER`, `LUDENS_FLEET_PASSWORD` | a user of the server |
/// | `LUDENS_FLEET_CREDS` | a file with credentials (a JWT and its key, as `nsc` writes them) |
/// | `LUDENS_FLEET_CA` | a file with certificates that the server's is checked against |
/// | `LUDENS_FLEET_CERT`, `LUDENS_FLEET_KEY` | files with a certificate of one's own and its key |
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Connection {
    /// The address: `nats://HOST:4222`, or `tls://…` where everything has to be encrypted.
    pub url: String,
    /// A user and a password.
    pub user: Option<(String, String)>,
    /// A file with credentials.
    pub creds: Option<PathBuf>,
    /// A file with certificates to trust.
    pub ca: Option<PathBuf>,
    /// Files with a certificate and its key.
    pub identity: Option<(PathBuf, PathBuf)>,
}

impl Connection {
    /// To this address, without secrets.
    pub fn to(url: &str) -> Connection {
        Connection { url: url.to_string(), ..Connection::default() }
    }

    /// To this address, or the one in the environment, or a server on this machine; with the secrets of the environment.
    ///
    /// # Errors
    /// When the address makes no sense, or half of a pair is missing.
    pub fn from_environment(url: Option<&str>) -> Result<Connection> {
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let url = url.map(String::from).or_else(|| variable("LUDENS_FLEET")).unwrap_or_else(|| DEFAULT_URL.to_string());
        let pair = |one: &str, other: &str| match (variable(one), variable(other)) {
            (Some(first), Some(second)) => Ok(Some((first, second))),
            (None, None) => Ok(None),
            _ => bail!("{one} and {other} belong together: set both or none"),
        };
        let identity = pair("LUDENS_FLEET_CERT", "LUDENS_FLEET_KEY")?;
        let mut connection = Connection {
            url: url.clone(),
            user: pair("LUDENS_FLEET_USER", "LUDENS_FLEET_PASSWORD")?,
            creds: variable("LUDENS_FLEET_CREDS").map(PathBuf::from),
            ca: variable("LUDENS_FLEET_CA").map(PathBuf::from),
            identity: identity.map(|(cert, key)| (cert.into(), key.into())),
        };
        // A password in the address is taken out of it: addresses are shown.
        if let Some((scheme, rest)) = url.split_once("://")
            && let Some((user, host)) = rest.rsplit_once('@')
        {
            let (user, password) = user.split_once(':').unwrap_or((user, ""));
            connection.user = Some((user.to_string(), password.to_string()));
            connection.url = format!("{scheme}://{host}");
        }
        connection.check()?;
        Ok(connection)
    }

    fn check(&self) -> Result<()> {
        let host = ["nats://", "tls://"].iter().find_map(|scheme| self.url.strip_prefix(scheme));
        let Some(host) = host else {
            bail!("the address of a fleet is nats://HOST:4222 or tls://HOST:4222, not {:?}", self.url)
        };
        ensure!(
            !host.is_empty() && !host.contains(char::is_whitespace),
            "{:?} names no host: nats://HOST:4222",
            self.url
        );
        for path in [&self.creds, &self.ca].into_iter().flatten() {
            ensure!(path.is_file(), "there is no file {}, which the environment names for the fleet", path.display());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        let connection = Connection::from_environment(Some("nats://me:secret@host:4222")).expect("an address");
        assert_eq!(connection.url, "nats://host:4222");
        assert_eq!(connection.user, Some(("me".to_string(), "secret".to_string())));
    }

    #[test]
    fn addresses_are_checked() {
        for bad in ["http://host", "host:4222", "nats://", "nats://a b"] {
            assert!(Connection::from_environment(Some(bad)).is_err(), "{bad}");
        }
    }
}
