//! The messages between a game manager and a player: read leniently, written as everybody writes them.
//!
//! Keywords are read without regard to case. What a message has too much is passed over; what it lacks is an error that
//! says so.

use crate::text::{inside, members, tidy, word};
use std::fmt;

/// The longest clock that is taken seriously: a day.
pub const LONGEST_CLOCK: f64 = 86_400.0;

/// What a manager asks of a player.
#[derive(Clone, PartialEq, Debug)]
pub enum Request {
    /// Who are you, and are you free?
    Info,
    /// A match begins.
    Start {
        /// The match.
        id: String,
        /// The player's role.
        role: String,
        /// The rules, without the list around them.
        rules: String,
        /// Seconds until the first move is asked for.
        start: f64,
        /// Seconds for each move.
        play: f64,
    },
    /// Choose a move.
    Play {
        /// The match.
        id: String,
        /// What everybody did in the step before; `None` at the beginning.
        moves: Option<Vec<String>>,
    },
    /// The match is over.
    Stop {
        /// The match.
        id: String,
        /// What everybody did in the last step.
        moves: Option<Vec<String>>,
    },
    /// The match is given up.
    Abort {
        /// The match.
        id: String,
    },
    /// Rules that may be played later.
    Preview {
        /// The rules, without the list around them.
        rules: String,
        /// Seconds.
        clock: f64,
    },
}

/// A message that cannot be understood: what is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadMessage(pub String);

impl fmt::Display for BadMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadMessage {}

impl Request {
    /// Reads a message. An empty one counts as `INFO`, since some sites ask that way whether anybody is there.
    ///
    /// ```
    /// use play::message::Request;
    /// assert_eq!(Request::read("(play M1 nil)"), Ok(Request::Play { id: "M1".into(), moves: None }));
    /// assert_eq!(Request::read(" "), Ok(Request::Info));
    /// assert!(Request::read("(JUMP M1)").is_err());
    /// ```
    pub fn read(text: &str) -> Result<Request, BadMessage> {
        if text.trim().is_empty() {
            return Ok(Request::Info);
        }
        let parts = members(inside(text).unwrap_or(text));
        let head = parts.first().ok_or_else(|| BadMessage("the message is an empty list".to_string()))?;
        let head = head.to_lowercase();
        let part = |at: usize, what: &str| {
            parts.get(at).copied().ok_or_else(|| BadMessage(format!("{} lacks {what}", head.to_uppercase())))
        };
        let id = || part(1, "the match").map(match_id);
        Ok(match &head[..] {
            "info" | "ping" => Request::Info,
            "start" => Request::Start {
                id: id()?,
                role: tidy(part(2, "the role")?).ok_or_else(|| BadMessage("START has no proper role".to_string()))?,
                rules: rules(part(3, "the rules")?),
                start: clock(part(4, "the start clock")?)?,
                play: clock(part(5, "the play clock")?)?,
            },
            "play" => Request::Play { id: id()?, moves: moves(part(2, "the moves")?) },
            // Some managers leave the moves out.
            "stop" => Request::Stop { id: id()?, moves: parts.get(2).and_then(|part| moves(part)) },
            "abort" => Request::Abort { id: id()? },
            "preview" => Request::Preview { rules: rules(part(1, "the rules")?), clock: clock(part(2, "the clock")?)? },
            _ => return Err(BadMessage(format!("there is no message {}", crate::text::word(&short(&head))))),
        })
    }
}

/// The first characters of a text that may be long.
fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

fn match_id(text: &str) -> String {
    tidy(text).unwrap_or_else(|| word(text))
}

/// The clauses, without the list around them.
fn rules(text: &str) -> String {
    let clauses = inside(text).filter(|inner| {
        let first = inner.trim_start();
        first.starts_with('(') || first.starts_with(';')
    });
    clauses.unwrap_or(text).trim().to_string()
}

/// A joint move; `NIL` and the empty list are none. What is not a term is kept as it stands: it will not be legal.
fn moves(text: &str) -> Option<Vec<String>> {
    let list = members(inside(text).unwrap_or(text));
    let nothing = list.is_empty() || matches!(list[..], [word] if word.eq_ignore_ascii_case("nil"));
    (!nothing).then(|| list.into_iter().map(|text| tidy(text).unwrap_or_else(|| text.to_string())).collect())
}

fn clock(text: &str) -> Result<f64, BadMessage> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 => Ok(seconds.min(LONGEST_CLOCK)),
        _ => Err(BadMessage(format!("{} is not a number of seconds", short(text)))),
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joint = |moves: &Option<Vec<String>>| {
            moves.as_ref().map_or("NIL".to_string(), |moves| format!("( {} )", moves.join(" ")))
        };
        match self {
            Request::Info => f.write_str("( INFO )"),
            Request::Start { id, role, rules, start, play } => {
                write!(f, "( START {id} {role} ( {rules} ) {start} {play} )")
            }
            Request::Play { id, moves } => write!(f, "( PLAY {id} {} )", joint(moves)),
            Request::Stop { id, moves } => write!(f, "( STOP {id} {} )", joint(moves)),
            Request::Abort { id } => write!(f, "( ABORT {id} )"),
            Request::Preview { rules, clock } => write!(f, "( PREVIEW ( {rules} ) {clock} )"),
        }
    }
}

/// What a player says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// Its name, if it tells.
    pub name: Option<String>,
    /// `available`, `busy`, or whatever else it says.
    pub status: String,
}

impl Info {
    /// Reads the answer to `INFO`: unknown entries are passed over, a bare word is the status.
    ///
    /// ```
    /// use play::message::Info;
    /// let info = Info::read("( (Name Deep Thought) (colour red) (STATUS Available) )");
    /// assert_eq!((info.name.as_deref(), &info.status[..]), (Some("Deep Thought"), "available"));
    /// assert_eq!(Info::read("busy").status, "busy");
    /// ```
    pub fn read(text: &str) -> Info {
        let mut info = Info::default();
        let Some(entries) = inside(text) else {
            info.status = members(text).first().unwrap_or(&"").to_lowercase();
            return info;
        };
        for entry in members(entries) {
            match inside(entry).map(members).as_deref() {
                Some([key, rest @ ..]) if key.eq_ignore_ascii_case("name") => info.name = Some(rest.join(" ")),
                Some([key, rest @ ..]) if key.eq_ignore_ascii_case("status") => {
                    info.status = rest.join(" ").to_lowercase();
                }
                Some(_) => {}
                None if info.status.is_empty() => info.status = entry.to_lowercase(),
                None => {}
            }
        }
        info
    }

    /// Whether a match can begin.
    pub fn is_available(&self) -> bool {
        self.status == "available"
    }
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("( ")?;
        if let Some(name) = &self.name {
            write!(f, "( name {} ) ", word(name))?;
        }
        write!(f, "( status {} ) )", word(&self.status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_as_managers_send_it() {
        let text = "( START Match.1 WHITE ( (ROLE WHITE) (ROLE BLACK) (<= TERMINAL (TRUE DONE)) ) 30 10 extra )";
        let Ok(Request::Start { id, role, rules, start, play }) = Request::read(text) else { panic!("not read") };
        assert_eq!((&id[..], &role[..], start, play), ("Match.1", "WHITE", 30.0, 10.0));
        assert_eq!(rules, "(ROLE WHITE) (ROLE BLACK) (<= TERMINAL (TRUE DONE))");
    }

    #[test]
    fn heads_have_no_case_and_parentheses_may_be_missing() {
        assert_eq!(Request::read("info"), Ok(Request::Info));
        assert_eq!(Request::read("(Ping)"), Ok(Request::Info));
        assert_eq!(Request::read("(abort x"), Ok(Request::Abort { id: "x".into() }));
        let moves = Some(vec!["(mark 1 2)".to_string(), "noop".to_string()]);
        assert_eq!(Request::read("( PLAY x ((mark  1 2) (noop)) )"), Ok(Request::Play { id: "x".into(), moves }));
        assert_eq!(Request::read("(stop x)"), Ok(Request::Stop { id: "x".into(), moves: None }));
        assert_eq!(Request::read("(stop x ())"), Ok(Request::Stop { id: "x".into(), moves: None }));
    }

    #[test]
    fn what_lacks_is_named() {
        for (text, lacks) in [
            ("(start m r", "START lacks the rules"),
            ("(start m r ((role r)) 1)", "START lacks the play clock"),
            ("(play)", "PLAY lacks the match"),
            ("(play m)", "PLAY lacks the moves"),
            ("(preview ((role r)) soon)", "soon is not a number of seconds"),
            ("(start m r ((role r)) -1 NaN)", "-1 is not a number of seconds"),
            ("()", "the message is an empty list"),
            ("(x y)", "there is no message x"),
        ] {
            assert_eq!(Request::read(text), Err(BadMessage(lacks.to_string())), "{text}");
        }
    }

    #[test]
    fn info_goes_there_and_back() {
        let info = Info { name: Some("A b".into()), status: "busy".into() };
        assert_eq!(info.to_string(), "( ( name A-b ) ( status busy ) )");
        assert_eq!(Info::read(&info.to_string()).name.as_deref(), Some("A-b"));
        assert!(Info::read("( ( status AVAILABLE ) )").is_available());
        assert!(Info::read("( available )").is_available());
        assert_eq!(Info::read("").status, "");
    }
}
