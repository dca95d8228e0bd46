//! Who may ask for what. A page of somebody else, open in the same browser, can send requests here but is never answered: its origin is another one,
//! its host is another one where it plays with names, and what changes things needs a token that only our own page has been given.

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::net::SocketAddr;
use std::sync::Arc;

/// The header with the token.
pub const TOKEN: &str = "x-studio-token";
/// The cookie with the token, where the page is not for this machine alone.
const COOKIE: &str = "studio-token";

/// What pages of the studio may do: load from here, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
    frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The same for a document of one piece with its own style and no script.
pub const DOCUMENT: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// Who is let in.
pub struct Guard {
    /// What changes things needs this.
    token: String,
    /// The names that this server has.
    hosts: Vec<String>,
    /// Whether only this machine can ask.
    is_local: bool,
}

impl Guard {
    /// For a server that listens there. A name that was given for it counts too.
    pub fn new(address: SocketAddr, given: &str, token: String) -> Guard {
        let port = address.port();
        let mut hosts: Vec<String> =
            ["localhost", "127.0.0.1", "[::1]"].iter().map(|name| format!("{name}:{port}")).collect();
        let is_local = address.ip().is_loopback();
        if !is_local {
            let given = if given.contains(':') { format!("[{given}]") } else { given.to_string() };
            hosts.push(format!("{given}:{port}"));
            hosts.push(address.to_string());
        }
        Guard { token, hosts, is_local }
    }

    /// What has to be in the address of the first page, where others can reach the server too.
    pub fn key(&self) -> Option<&str> {
        (!self.is_local).then_some(self.token.as_str())
    }

    fn is_host(&self, host: &str) -> bool {
        // A server for everybody is reached by names that it does not know; the token still keeps strangers out.
        let any =
            !self.is_local && self.hosts.iter().any(|own| own.starts_with("0.0.0.0:") || own.starts_with("[::]:"));
        any || self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }

    /// The token for a page, if whoever asks may change things.
    pub fn token_for(&self, headers: &HeaderMap, query: Option<&str>) -> Option<&str> {
        let in_query = query.is_some_and(|query| {
            query.split('&').any(|part| part.strip_prefix("key=").is_some_and(|key| same(key, &self.token)))
        });
        (self.is_local || in_query || self.has_cookie(headers)).then_some(self.token.as_str())
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        cookies.flat_map(|line| line.split(';')).any(|cookie| {
            cookie
                .trim()
                .strip_prefix(COOKIE)
                .and_then(|rest| rest.strip_prefix('='))
                .is_some_and(|value| same(value, &self.token))
        })
    }

    /// The cookie that keeps the token for the pages that follow.
    pub fn cookie(&self) -> Option<HeaderValue> {
        let text = format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict", self.token);
        if self.is_local { None } else { HeaderValue::from_str(&text).ok() }
    }

    /// Why a request is refused, if it is.
    fn refuses(&self, method: &Method, headers: &HeaderMap) -> Option<(StatusCode, &'static str)> {
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let Some(host) = text(header::HOST) else {
            return Some((StatusCode::BAD_REQUEST, "the request names no host"));
        };
        if !self.is_host(host) {
            return Some((StatusCode::MISDIRECTED_REQUEST, "this server does not have that name"));
        }
        let is_own = |origin: &str| origin.strip_prefix("http://").is_some_and(|own| own.eq_ignore_ascii_case(host));
        if text(header::ORIGIN).is_some_and(|origin| !is_own(origin)) {
            return Some((StatusCode::FORBIDDEN, "pages of others may not ask here"));
        }
        let site = text(HeaderName::from_static("sec-fetch-site"));
        let elsewhere = site.is_some_and(|site| site == "cross-site" || site == "same-site");
        // Somebody may come here by a link; what a page loads or sends has to come from us.
        let arrives = text(HeaderName::from_static("sec-fetch-mode")) == Some("navigate") && *method == Method::GET;
        if elsewhere && !arrives {
            return Some((StatusCode::FORBIDDEN, "pages of others may not ask here"));
        }
        if !matches!(*method, Method::GET | Method::HEAD) {
            let token = text(HeaderName::from_static(TOKEN)).unwrap_or_default();
            if !same(token, &self.token) {
                return Some((StatusCode::FORBIDDEN, "the token is missing or wrong: open the page anew"));
            }
        }
        None
    }
}

/// A word that nobody can guess: the system's randomness, as hash tables get it.
pub fn secret() -> String {
    let word = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", word(), word())
}

/// Compares in a time that does not depend on where they differ.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |difference, (a, b)| difference | a ^ b) == 0
}

/// Refuses what is not for this server, and adds to every answer what browsers are to know.
pub async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let refused = guard.refuses(request.method(), request.headers());
    let mut response = match refused {
        Some((status, why)) => (status, axum::Json(serde_json::json!({ "error": why }))).into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
            .collect()
    }

    fn guard(address: &str) -> Guard {
        Guard::new(address.parse().unwrap(), "10.1.2.3", "secret".into())
    }

    #[test]
    fn only_our_own_page_is_answered() {
        let guard = guard("127.0.0.1:80");
        let refused = |method: Method, pairs: &[(&'static str, &str)]| {
            guard.refuses(&method, &headers(pairs)).map(|(status, _)| status.as_u16())
        };
        assert_eq!(refused(Method::GET, &[("host", "127.0.0.1:80")]), None);
        assert_eq!(refused(Method::GET, &[("host", "localhost:80"), ("origin", "http://localhost:80")]), None);
        assert_eq!(refused(Method::GET, &[]), Some(400));
        // Names that were turned to this machine.
        assert_eq!(refused(Method::GET, &[("host", "evil.example:80")]), Some(421));
        assert_eq!(refused(Method::GET, &[("host", "localhost:81")]), Some(421));
        assert_eq!(refused(Method::GET, &[("host", "localhost:80"), ("origin", "http://evil.example")]), Some(403));
        assert_eq!(refused(Method::GET, &[("host", "localhost:80"), ("origin", "null")]), Some(403));
        assert_eq!(
            refused(
                Method::GET,
                &[("host", "localhost:80"), ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")]
            ),
            Some(403)
        );
        assert_eq!(
            refused(
                Method::GET,
                &[("host", "localhost:80"), ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")]
            ),
            None
        );
        assert_eq!(refused(Method::POST, &[("host", "localhost:80")]), Some(403));
        assert_eq!(refused(Method::POST, &[("host", "localhost:80"), (TOKEN, "secres")]), Some(403));
        assert_eq!(refused(Method::POST, &[("host", "localhost:80"), (TOKEN, "secret")]), None);
        assert_eq!(
            refused(Method::POST, &[("host", "localhost:80"), (TOKEN, "secret"), ("origin", "http://localhost:81")]),
            Some(403)
        );
        assert_eq!(refused(Method::DELETE, &[("host", "localhost:80")]), Some(403));
    }

    #[test]
    fn where_others_can_ask_the_token_is_given_to_whoever_has_it() {
        let local = guard("127.0.0.1:80");
        assert_eq!((local.token_for(&headers(&[]), None), local.key()), (Some("secret"), None));
        let open = guard("10.1.2.3:80");
        assert_eq!((open.token_for(&headers(&[]), None), open.key()), (None, Some("secret")));
        assert_eq!(open.token_for(&headers(&[]), Some("a=1&key=secret")), Some("secret"));
        assert_eq!(open.token_for(&headers(&[]), Some("key=other")), None);
        assert_eq!(open.token_for(&headers(&[("cookie", "x=1; studio-token=secret")]), None), Some("secret"));
        assert!(
            open.is_host("10.1.2.3:80") && !open.is_host("evil.example:80") && guard("0.0.0.0:80").is_host("any:80")
        );
    }
}
