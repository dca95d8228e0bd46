//! Answers packed by gzip for those who can unpack them: the first page with all pictures is a quarter of its size.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// Shorter answers are sent as they are.
const LEAST_BYTES: u64 = 1000;
/// Longer ones too: nobody waits for them on this machine.
const MOST_BYTES: usize = 8 << 20;

/// Whether a client takes gzip: it names it, and not with the weight 0.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let all = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(',')).any(|one| {
        let mut parts = one.split(';').map(str::trim);
        let is_named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let weight = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f32>().ok());
        is_named && weight.is_none_or(|weight| weight > 0.0)
    })
}

/// Whether a kind of answer is worth it. News are not: they are sent as they come.
fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    kind != "text/event-stream"
        && (kind.starts_with("text/") || ["application/json", "image/svg+xml"].contains(&kind))
        && !headers.contains_key(header::CONTENT_ENCODING)
}

/// Packs what is text and long enough.
pub async fn pack(request: Request, next: Next) -> Response {
    let wanted = takes_gzip(request.headers());
    let mut response = next.run(request).await;
    if !is_text(response.headers()) {
        return response;
    }
    response.headers_mut().append(header::VARY, HeaderValue::from_static("accept-encoding"));
    let size = axum::body::HttpBody::size_hint(response.body()).exact();
    if !wanted || size.is_none_or(|size| size < LEAST_BYTES || size > MOST_BYTES as u64) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, MOST_BYTES).await else { return StatusCode::INTERNAL_SERVER_ERROR.into_response() };
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    // Writing to memory does not fail; if it ever does, the answer goes as it is.
    match encoder.write_all(&bytes).and_then(|()| encoder.finish()) {
        Ok(packed) => {
            head.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            head.headers.remove(header::CONTENT_LENGTH);
            Response::from_parts(head, Body::from(packed))
        }
        Err(_) => Response::from_parts(head, Body::from(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_who_take_gzip_get_it() {
        let takes = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
            takes_gzip(&headers)
        };
        assert!(takes("gzip") && takes("deflate, gzip, br") && takes("br;q=1.0, GZIP;q=0.5"));
        assert!(!takes("br") && !takes("gzip;q=0") && !takes("") && !takes("xgzip"));
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
