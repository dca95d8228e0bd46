//! Whatever is sent as a message or given as a match record is read or refused: the laws of the fuzz targets `message` and
//! `record`, on random input.

#[path = "../../../fuzz/laws/message.rs"]
mod message;
#[path = "../../../fuzz/laws/record.rs"]
mod record;

use proptest::prelude::*;

fn text(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![5 => prop::sample::select(words).prop_map(str::to_string), 1 => "\\PC{0,4}"];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

const MESSAGE: &[&str] = &[
    "(",
    ")",
    " ",
    "( START ",
    "PLAY ",
    "stop ",
    "ABORT",
    "preview",
    "( INFO )",
    "nil",
    "NIL ",
    ";",
    "\n",
    "10 ",
    "-1 ",
    "1e99 ",
    "NaN ",
    "m.1 ",
    "(role a) ",
    "(status available)",
    "(name x y)",
    "\u{2654}",
    "\0",
];

/// One that is right, to begin with.
const RECORD: &str = r#"{"matchId":"m","startTime":5,"randomToken":"0123456789ab","startClock":1,"playClock":1,
    "states":["( (heap 1) )","( )"],"moves":[["(take 1)","noop"]],"stateTimes":[6,7],"errors":[["",""],["IL (take 9)","TO"]],
    "gameMetaURL":"u","isCompleted":true,"goalValues":[0,100],"x-steps":1.5}"#;

const VALUES: &[&str] = &[
    "null",
    "[]",
    "{}",
    "-1",
    "1e300",
    "\"\"",
    "\"( (a) )\"",
    "[[]]",
    "true",
    "300",
    "[\"(\"]",
    "[[\"a\",\"b\"]]",
    "18446744073709551616",
];

proptest! {
    #[test]
    fn any_text_as_a_message(text in text(MESSAGE)) {
        message::check(&text);
    }

    /// A record with some values replaced by others, or with pieces of text put in.
    #[test]
    fn any_text_as_a_record(
        at in prop::collection::vec((0usize..400, prop::sample::select(VALUES), any::<bool>()), 0..3)
    ) {
        let mut text = RECORD.to_string();
        for (at, value, is_whole) in at {
            let places: Vec<usize> = text.match_indices(':').map(|(at, _)| at + 1).collect();
            if is_whole && !places.is_empty() {
                let from = places[at % places.len()];
                let to = text[from..].find(",\"").map_or(text.len() - 1, |length| from + length);
                text.replace_range(from..to.max(from), value);
            } else {
                text.insert_str(at % (text.len() + 1), value);
            }
        }
        record::check(&text);
        record::check(RECORD);
    }
}
