//! Whatever comes over a connection is read or refused: the laws of the fuzz target `http`, on random input.

#[path = "../../../fuzz/laws/http.rs"]
mod laws;

use proptest::prelude::*;

/// Pieces that requests and answers are made of.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            &b"POST / HTTP/1.0\r\n"[..], b"GET /%28+INFO%20) HTTP/1.1\n", b"OPTIONS * HTTP/1.1\r\n", b"HTTP/1.1 200 OK\r\n",
            b"HTTP/1.1 100 Continue\r\n\r\n", b"Content-Length: 7\r\n", b"content-length: 99999999999999999999\n",
            b"Content-Length: -1\n", b"Transfer-Encoding: chunked\r\n", b"Expect: 100-continue\r\n", b"\r\n", b"\n\n",
            b"( INFO )", b"( PLAY m ( (move \xe2\x99\x94) noop ) )", b"3\r\nabc\r\n", b"0\r\n\r\n", b"ffffffffffffffff\r\n", b"\xff\xfe",
        ])
        .prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_over_a_connection(bytes in pieces()) {
        laws::check(&bytes);
    }
}
