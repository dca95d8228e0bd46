//! What holds for any bytes that come over a connection, from either side.

use host::http::{Method, body, read_request};
use std::io::{self, Read};

/// Gives one byte at a time, as a slow connection does.
struct Slowly<'a>(&'a [u8]);

impl Read for Slowly<'_> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        let count = piece.len().min(1);
        self.0.read(&mut piece[..count])
    }
}

/// Reading them as a request or as an answer does not panic, and how they are cut into pieces changes nothing.
pub fn check(bytes: &[u8]) {
    let request = read_request(bytes);
    assert_eq!(request, read_request(Slowly(bytes)), "as a whole, and byte by byte");
    if let Ok(request) = request {
        // A body is never longer than what was sent (a byte that is no text takes three), and an address has escapes.
        assert!(request.message.len() <= 3 * bytes.len(), "{request:?}");
        assert!(request.method != Method::Post || bytes.len() >= 4, "{request:?}");
    }
    let whole = body(bytes, false);
    for cut in [1, 2, 3, 5, 8].map(|part| bytes.len() * part / 9) {
        // What was whole before the rest came does not change.
        if let Ok(Some(early)) = body(&bytes[..cut], false) {
            assert_eq!(whole, Ok(Some(early)));
        }
    }
    assert_ne!(body(bytes, true), Ok(None), "when nothing more comes, it is whole or wrong");
}
