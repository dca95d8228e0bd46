//! What is sent: jobs for workers, and what they find. All of it is data with a version and with limits; what does not fit is
//! dropped and counted by whoever reads it.
//!
//! | subject | from | to | what |
//! |---|---|---|---|
//! | `ludens.call` | anybody | all workers | [`Call`]: who is there? |
//! | `ludens.presence.WORKER` | a worker | anybody | [`Presence`] |
//! | `ludens.worker.WORKER` | a player | one worker | [`Recruit`]: a seat in a match |
//! | `ludens.crew.MATCH` | a player | its workers | [`Order`]: a state to think about, what all trees have gained, stop, the end |
//! | `ludens.found.MATCH` | a worker | the player | [`Finding`] |
//! | `ludens.want.HASH` | a worker | whoever has them | [`Call`]: rules are wanted |
//! | `ludens.rules.HASH` | whoever has them | workers | [`RulesText`] |
//!
//! Orders and findings carry a secret that only the player and the workers it has chosen know, and a number that grows: what
//! somebody else has forged, or sends a second time, is noticed.

use crate::gains::Gains;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// The form of all messages. Other forms are not read.
pub const PROTOCOL: u32 = 3;

/// The largest message, in bytes; what servers take by default is a little more.
pub const MOST_BYTES: usize = 1_000_000;
/// The longest word of the rules: a fact, a move, a role.
pub const MOST_WORD: usize = 4_000;
/// The most facts of a state.
pub const MOST_FACTS: usize = 50_000;
/// The most moves of a finding; of more, those that were looked at most are sent.
pub const MOST_MOVES: usize = 2_000;
/// The longest line of a finding.
pub const MOST_LINE: usize = 32;
/// The most lists that the gains of all trees are made of.
pub const MOST_LISTS: usize = 8_192;
/// The most trees of a crew.
const MOST_TREES: u32 = 100_000;

/// A message around what it says.
#[derive(Serialize, Deserialize)]
struct Envelope<T> {
    protocol: u32,
    version: String,
    body: T,
}

/// As much of a message as tells whether the rest can be read.
#[derive(Deserialize)]
struct Outside {
    protocol: u32,
    version: String,
}

/// Something that is sent.
pub trait Body: Serialize + DeserializeOwned {
    /// Whether it keeps to the limits.
    fn is_within_limits(&self) -> bool;
}

/// Why a message is dropped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bad {
    /// It is larger than any message may be.
    TooLarge,
    /// It is no message, or not one of this kind.
    Malformed,
    /// Its sender has another version of the program, or speaks in another form.
    Version(String),
    /// Its sender does not know what only the right one knows.
    Forged,
    /// It was sent before.
    Replayed,
}

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bad::TooLarge => f.write_str("too large"),
            Bad::Malformed => f.write_str("malformed"),
            Bad::Version(other) => write!(f, "of another version ({other})"),
            Bad::Forged => f.write_str("forged"),
            Bad::Replayed => f.write_str("sent twice"),
        }
    }
}

/// Writes a message.
pub fn write<T: Body>(version: &str, body: &T) -> Vec<u8> {
    let envelope = Envelope { protocol: PROTOCOL, version: version.to_string(), body };
    serde_json::to_vec(&envelope).unwrap_or_default()
}

/// Reads a message of this version.
///
/// # Errors
/// When it is to be dropped: why.
pub fn read<T: Body>(version: &str, bytes: &[u8]) -> Result<T, Bad> {
    if bytes.len() > MOST_BYTES {
        return Err(Bad::TooLarge);
    }
    let outside: Outside = serde_json::from_slice(bytes).map_err(|_| Bad::Malformed)?;
    if outside.protocol != PROTOCOL || outside.version != version {
        let short: String = outside.version.chars().filter(|c| !c.is_control()).take(40).collect();
        return Err(Bad::Version(short));
    }
    let envelope: Envelope<T> = serde_json::from_slice(bytes).map_err(|_| Bad::Malformed)?;
    if envelope.body.is_within_limits() { Ok(envelope.body) } else { Err(Bad::Malformed) }
}

/// Messages that were dropped, by the reason.
#[derive(Debug, Default)]
pub struct Dropped {
    too_large: AtomicU64,
    malformed: AtomicU64,
    version: AtomicU64,
    forged: AtomicU64,
    replayed: AtomicU64,
}

/// How many messages were dropped, by the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct DroppedCounts {
    /// Larger than any message may be.
    pub too_large: u64,
    /// No message of the kind that was expected.
    pub malformed: u64,
    /// Of another version.
    pub version: u64,
    /// From somebody who does not know the secret.
    pub forged: u64,
    /// Sent before.
    pub replayed: u64,
}

impl DroppedCounts {
    /// All of them.
    pub fn all(&self) -> u64 {
        self.too_large + self.malformed + self.version + self.forged + self.replayed
    }
}

impl Dropped {
    /// Counts a message.
    pub fn count(&self, why: &Bad) {
        let counter = match why {
            Bad::TooLarge => &self.too_large,
            Bad::Malformed => &self.malformed,
            Bad::Version(_) => &self.version,
            Bad::Forged => &self.forged,
            Bad::Replayed => &self.replayed,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// How many there were.
    pub fn counts(&self) -> DroppedCounts {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        DroppedCounts {
            too_large: of(&self.too_large),
            malformed: of(&self.malformed),
            version: of(&self.version),
            forged: of(&self.forged),
            replayed: of(&self.replayed),
        }
    }
}

/// A question to all who can answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Call {}

impl Body for Call {
    fn is_within_limits(&self) -> bool {
        true
    }
}

/// A worker says that it is there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Presence {
    /// Its name, which nobody else has.
    pub worker: String,
    /// The machine, in its own words.
    pub machine: String,
    /// How many jobs it does at the same time.
    pub seats: u32,
    /// How many it is doing.
    pub busy: u32,
    /// What it is doing, a line for each job.
    pub doing: Vec<String>,
    /// States looked at and random games played in the last second.
    pub speed: u64,
    /// Jobs it has done.
    pub done: u64,
    /// Messages it has dropped.
    pub dropped: DroppedCounts,
    /// Seconds since it began.
    pub uptime: f64,
    /// It is about to leave.
    pub leaving: bool,
}

/// The most words about what a worker does.
const MOST_DOING: usize = 1_024;

impl Body for Presence {
    fn is_within_limits(&self) -> bool {
        crate::tokens::is_name(&self.worker)
            && self.machine.len() <= 200
            && self.seats <= 4_096
            && self.busy <= self.seats
            && self.doing.len() <= MOST_DOING
            && self.doing.iter().all(|line| line.len() <= 200)
    }
}

/// As much of a presence as anybody can read, whatever version it comes from.
#[derive(Deserialize)]
struct AnyPresence {
    version: String,
    body: AnyBody,
}

#[derive(Deserialize)]
struct AnyBody {
    worker: String,
    #[serde(default)]
    machine: String,
}

/// Who a worker of another version is: its name, its machine, its version.
pub fn stranger(bytes: &[u8]) -> Option<(String, String, String)> {
    let any: AnyPresence = serde_json::from_slice(bytes.get(..).filter(|bytes| bytes.len() <= MOST_BYTES)?).ok()?;
    let short = |text: &str| text.chars().filter(|c| !c.is_control()).take(60).collect::<String>();
    let AnyBody { worker, machine } = any.body;
    crate::tokens::is_name(&worker).then(|| (worker, short(&machine), short(&any.version)))
}

/// A seat in a match: what a worker needs to know once.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recruit {
    /// The match.
    pub match_id: String,
    /// The seat.
    pub seat: u32,
    /// What only the player and this seat know: findings carry it.
    pub seat_key: String,
    /// What only the player and its crew know: orders carry it.
    pub crew_key: String,
    /// The hash of the rules.
    pub rules: String,
    /// For whom it thinks.
    pub role: String,
    /// How it searches, as players are written.
    pub player: String,
    /// Makes its choices its own.
    pub seed: u64,
    /// How often trees exchange what they have gained, where random games are counted; 1: never, wherever.
    pub rounds: u32,
}

impl Body for Recruit {
    fn is_within_limits(&self) -> bool {
        let are_names = [&self.match_id, &self.seat_key, &self.crew_key, &self.rules];
        are_names.iter().all(|name| crate::tokens::is_name(name))
            && self.role.len() <= MOST_WORD
            && self.player.len() <= MOST_WORD
            && (1..=256).contains(&self.rounds)
    }
}

/// What a player tells its crew.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Order {
    /// The secret of the crew.
    pub key: String,
    /// Grows with every order.
    pub count: u64,
    /// What is to be done.
    pub what: Command,
}

/// What is to be done.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Command {
    /// Think about a state, instead of whatever came before.
    Think {
        /// Which question it is; they grow.
        turn: u64,
        /// The facts of the state.
        facts: Vec<String>,
        /// Makes this search repeatable.
        seed: u64,
        /// Before the first move: get ready.
        prepare: bool,
        /// The deadline: so many seconds from now; clocks of machines differ, seconds do not.
        seconds: Option<f64>,
        /// How many grow trees.
        trees: u32,
    },
    /// What all trees have gained since the last time; for those who grow one.
    Gained {
        /// The question.
        turn: u64,
        /// How many grow trees.
        trees: u32,
        /// Whose lists these are made of, and which ones of theirs.
        lists: Vec<(u32, u64)>,
        /// What was gained.
        gains: Gains,
    },
    /// Enough of this question.
    Stop {
        /// Which.
        turn: u64,
    },
    /// Nothing new; the player is there.
    Beat,
    /// The match is over.
    End,
}

impl Body for Order {
    fn is_within_limits(&self) -> bool {
        match &self.what {
            Command::Think { facts, seconds, trees, .. } => {
                *trees <= MOST_TREES
                    && facts.len() <= MOST_FACTS
                    && facts.iter().all(|fact| fact.len() <= MOST_WORD)
                    && seconds.is_none_or(|seconds| (0.0..=1e7).contains(&seconds))
            }
            Command::Gained { trees, lists, gains, .. } => {
                *trees <= MOST_TREES && lists.len() <= MOST_LISTS && gains.is_within_limits()
            }
            Command::Stop { .. } | Command::Beat | Command::End => true,
        }
    }
}

/// What a worker tells the player.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The seat.
    pub seat: u32,
    /// Its secret.
    pub key: String,
    /// Grows with every finding.
    pub count: u64,
    /// What it has to say.
    pub what: News,
}

/// What a worker has to say.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "kebab-case")]
pub enum News {
    /// Nothing new; it is there and works.
    Beat,
    /// It knows the rules, and waits for a state.
    Ready,
    /// It cannot do this job.
    Refused {
        /// Why.
        why: String,
    },
    /// What it found so far.
    Found(Report),
    /// What its tree has gained since it last said so.
    Gained {
        /// The question.
        turn: u64,
        /// The number of this list; they are counted from 0 with each question.
        number: u64,
        /// What was gained.
        gains: Gains,
    },
    /// It leaves.
    Left,
}

/// What a search found, in the words of the rules.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The question.
    pub turn: u64,
    /// Nothing more will come.
    pub is_last: bool,
    /// The best move so far.
    pub best: Option<String>,
    /// The reward expected, from 0 to 100.
    pub value: f32,
    /// Whether that is exact.
    pub proven: bool,
    /// How deep.
    pub depth: u32,
    /// States looked at.
    pub nodes: u64,
    /// Random games.
    pub playouts: u64,
    /// The joint moves expected.
    pub line: Vec<Vec<String>>,
    /// What is known of each move.
    pub moves: Vec<MoveReport>,
}

/// What a search found out about one move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MoveReport {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The reward expected after it.
    pub value: f32,
    /// How often it was tried.
    pub visits: u64,
    /// Whether the value is exact.
    pub proven: bool,
    /// The part of the time in which it would be chosen.
    pub share: f32,
}

impl Report {
    fn is_within_limits(&self) -> bool {
        let is_word = |word: &String| word.len() <= MOST_WORD;
        let is_reward = |value: f32| (0.0..=100.0).contains(&value);
        is_reward(self.value)
            && self.best.as_ref().is_none_or(is_word)
            && self.line.len() <= MOST_LINE
            && self.line.iter().all(|joint| joint.len() <= 255 && joint.iter().all(is_word))
            && self.moves.len() <= MOST_MOVES
            && self.moves.iter().all(|mv| {
                is_word(&mv.mv) && is_reward(mv.value) && mv.visits < 1 << 50 && (0.0..=1.0).contains(&mv.share)
            })
    }
}

impl Body for Finding {
    fn is_within_limits(&self) -> bool {
        match &self.what {
            News::Found(report) => report.is_within_limits(),
            News::Gained { gains, .. } => gains.is_within_limits(),
            News::Refused { why } => why.len() <= MOST_WORD,
            News::Beat | News::Ready | News::Left => true,
        }
    }
}

/// Rules as text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RulesText {
    /// The text.
    pub text: String,
}

impl Body for RulesText {
    fn is_within_limits(&self) -> bool {
        true
    }
}

/// What rules are known by: the first half of the SHA-256 of their text, in hexadecimal digits.
pub fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// What a worker says that has no seat left.
pub const NO_SEAT: &str = "no seat is free";

/// The subject for a question to all workers.
pub const CALL: &str = "ludens.call";
/// The subjects of what workers say of themselves.
pub const ALL_PRESENCE: &str = "ludens.presence.>";

/// The subject of what a worker says of itself.
pub fn presence(worker: &str) -> String {
    format!("ludens.presence.{worker}")
}

/// The subject of jobs for one worker.
pub fn to_worker(worker: &str) -> String {
    format!("ludens.worker.{worker}")
}

/// The subject of orders to a crew.
pub fn to_crew(match_id: &str) -> String {
    format!("ludens.crew.{match_id}")
}

/// The subject of what a crew finds.
pub fn found(match_id: &str) -> String {
    format!("ludens.found.{match_id}")
}

/// The subject of a question for rules.
pub fn want(hash: &str) -> String {
    format!("ludens.want.{hash}")
}

/// The subject of rules.
pub fn rules(hash: &str) -> String {
    format!("ludens.rules.{hash}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::exchange::{Gain, GainArm};

    fn order(count: u64) -> Order {
        let what = Command::Think {
            turn: 3,
            facts: vec!["(cell 1 1 x)".into()],
            seed: 7,
            prepare: false,
            seconds: None,
            trees: 1,
        };
        Order { key: "abc".into(), count, what }
    }

    #[test]
    fn there_and_back() {
        let sent = order(1);
        assert_eq!(read::<Order>("1.0", &write("1.0", &sent)), Ok(sent));
        let call = write("1.0", &Call {});
        assert_eq!(String::from_utf8_lossy(&call), r#"{"protocol":3,"version":"1.0","body":{}}"#);
    }

    #[test]
    fn what_is_no_message_is_dropped_and_counted() {
        let dropped = Dropped::default();
        let drop_it = |bytes: &[u8]| {
            let why = read::<Order>("1.0", bytes).expect_err("it is bad");
            dropped.count(&why);
            why
        };
        for bytes in [&b""[..], b"{}", b"\xff\xfe", b"[[[[[[", b"null", br#"{"protocol":3,"version":"1.0","body":{}}"#]
        {
            assert_eq!(drop_it(bytes), Bad::Malformed, "{bytes:?}");
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(drop_it(deep.as_bytes()), Bad::Malformed);
        assert_eq!(drop_it(&vec![b'['; MOST_BYTES + 1]), Bad::TooLarge);
        assert_eq!(drop_it(&write("0.9", &order(1))), Bad::Version("0.9".to_string()));
        let other =
            String::from_utf8(write("1.0", &order(1))).expect("text").replace("\"protocol\":3", "\"protocol\":4");
        assert!(matches!(drop_it(other.as_bytes()), Bad::Version(_)));
        let long = Command::Think {
            turn: 1,
            facts: vec!["x".repeat(MOST_WORD + 1)],
            seed: 0,
            prepare: false,
            seconds: None,
            trees: 1,
        };
        assert_eq!(drop_it(&write("1.0", &Order { what: long, ..order(1) })), Bad::Malformed);
        let many = Command::Think {
            turn: 1,
            facts: vec![String::new(); MOST_FACTS + 1],
            seed: 0,
            prepare: false,
            seconds: None,
            trees: 1,
        };
        assert_eq!(drop_it(&write("1.0", &Order { what: many, ..order(1) })), Bad::Malformed);
        let counts = dropped.counts();
        assert_eq!((counts.malformed, counts.too_large, counts.version, counts.all()), (9, 1, 2, 12));
    }

    #[test]
    fn numbers_out_of_range_are_no_findings() {
        let found = |value: f32| Finding {
            seat: 0,
            key: "k".into(),
            count: 1,
            what: News::Found(Report { value, ..Report::default() }),
        };
        assert!(read::<Finding>("1", &write("1", &found(50.0))).is_ok());
        for value in [-1.0, 101.0, f32::NAN, f32::INFINITY] {
            assert_eq!(read::<Finding>("1", &write("1", &found(value))), Err(Bad::Malformed), "{value}");
        }
    }

    #[test]
    fn gains_out_of_range_are_no_messages() {
        let gained = |gains: &Gains, trees: u32| {
            let what = Command::Gained { turn: 2, trees, lists: vec![(0, 0)], gains: gains.clone() };
            let found = Finding {
                seat: 0,
                key: "k".into(),
                count: 1,
                what: News::Gained { turn: 2, number: 0, gains: gains.clone() },
            };
            (
                read::<Order>("1", &write("1", &Order { what, ..order(1) })).is_ok(),
                read::<Finding>("1", &write("1", &found)).is_ok(),
            )
        };
        let arm = GainArm { name: 7, visits: 3, sum: 1.5 };
        let gain = Gain { from: None, role: game::Role(0), arms: vec![arm], proven: None };
        assert_eq!(gained(&Gains::of(std::slice::from_ref(&gain)), 8), (true, true));
        assert_eq!(gained(&Gains::of(std::slice::from_ref(&gain)), u32::MAX), (false, true));
        let bad = Gain { proven: Some(vec![7.0]), ..gain };
        assert_eq!(gained(&Gains::of(&[bad]), 8), (false, false));
    }

    #[test]
    fn workers_of_other_versions_are_known_by_name() {
        let text = br#"{"protocol":9,"version":"9.9","body":{"worker":"w1","machine":"m","unheard":[]}}"#;
        assert_eq!(stranger(text), Some(("w1".into(), "m".into(), "9.9".into())));
        assert_eq!(stranger(br#"{"protocol":9,"version":"9.9","body":{"worker":"a.b"}}"#), None);
    }
}
