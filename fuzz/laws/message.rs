//! What holds for any text that is sent as a message of the protocol.

use play::message::{Info, LONGEST_CLOCK, Request};
use play::text::{inside, is_whole, members, tidy};

/// Reading it does not panic; what is read is within its limits, and reads as the same when it is written down.
pub fn check(text: &str) {
    if let Ok(request) = Request::read(text) {
        let clocks: &[f64] = match &request {
            Request::Start { start, play, .. } => &[*start, *play],
            Request::Preview { clock, .. } => &[*clock],
            Request::Info | Request::Play { .. } | Request::Stop { .. } | Request::Abort { .. } => &[],
        };
        assert!(clocks.iter().all(|clock| (0.0..=LONGEST_CLOCK).contains(clock)), "{request:?}");
        if let Request::Play { moves: Some(moves), .. } | Request::Stop { moves: Some(moves), .. } = &request {
            assert!(!moves.is_empty(), "{request:?}");
        }
        let again = request.to_string();
        assert!(Request::read(&again).is_ok() || again.contains([';', '(']), "{text:?} as {again:?}");
    }
    let info = Info::read(text);
    let again = Info::read(&info.to_string());
    assert_eq!(again.is_available(), info.is_available(), "{text:?}");
    for member in members(text) {
        assert!(text.contains(member));
        assert!(is_whole(member) || text.ends_with(member), "only the last one is cut off: {member:?} in {text:?}");
    }
    if let Some(inside) = inside(text) {
        assert!(text.contains(inside));
    }
    if let Some(tidied) = tidy(text) {
        assert_eq!(tidy(&tidied).as_deref(), Some(&tidied[..]));
    }
}
