//! Lines as commands of UCI and of UGI, which is the same with a few words changed.

use std::fmt;

/// What is asked of an engine.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// Who are you? (`uci`, `ugi`)
    Hello,
    /// Are you ready?
    IsReady,
    /// An option and its value; buttons have none.
    SetOption {
        /// Its name.
        name: String,
        /// Its value.
        value: String,
    },
    /// The next position is of another game.
    NewGame,
    /// Where to think from.
    Position {
        /// A FEN, or facts; `None` is the start.
        start: Option<String>,
        /// The moves from there.
        moves: String,
    },
    /// Think.
    Go(Box<Go>),
    /// Answer now.
    Stop,
    /// What was pondered about has been played.
    PonderHit,
    /// Something about the position (UGI).
    Query(Query),
    /// Show the position.
    Show,
    /// Show what the position is worth, without a search.
    Evaluate,
    /// Say more; we say all there is to say anyway.
    Debug,
    /// The end.
    Quit,
    /// Nothing was written.
    Nothing,
}

/// What can be asked about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// Is the game over?
    GameOver,
    /// Is the first player to move?
    FirstToMove,
    /// Who has won?
    Result,
}

/// How to think.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    /// No deeper than this.
    pub depth: Option<u32>,
    /// No more states than this.
    pub nodes: Option<u64>,
    /// Exactly so many milliseconds.
    pub movetime: Option<u64>,
    /// Milliseconds left on the clocks, the first player's first.
    pub time: [Option<u64>; 2],
    /// Milliseconds that each move brings.
    pub increment: [u64; 2],
    /// Moves until the clock is set again.
    pub moves_to_go: Option<u64>,
    /// Until somebody says stop.
    pub infinite: bool,
    /// On the other side's time, until somebody says so.
    pub ponder: bool,
    /// Only these moves; all if there are none.
    pub only: Vec<String>,
    /// A mate in so many moves.
    pub mate: Option<u32>,
    /// Count the paths of this length instead.
    pub perft: Option<u32>,
}

impl Go {
    /// Whether something beside a word ends it.
    pub fn has_limit(&self) -> bool {
        let counted = self.depth.is_some() || self.nodes.is_some() || self.mate.is_some() || self.perft.is_some();
        counted || self.movetime.is_some() || self.time.iter().any(Option::is_some)
    }
}

/// The words in which the two protocols differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// Chess.
    Uci,
    /// Any game.
    Ugi,
}

impl Dialect {
    /// Its name, which is its greeting.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Uci => "uci",
            Dialect::Ugi => "ugi",
        }
    }

    /// The words of the clocks and of what each move brings.
    fn clocks(self) -> ([&'static str; 2], [&'static str; 2]) {
        match self {
            Dialect::Uci => (["wtime", "btime"], ["winc", "binc"]),
            Dialect::Ugi => (["p1time", "p2time"], ["p1inc", "p2inc"]),
        }
    }
}

/// The longest paths that are counted, one call deeper for each ply.
const MOST_PERFT: u32 = 50;

/// Why a line is no command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoCommand(String);

impl fmt::Display for NoCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoCommand {}

/// Reads a line.
///
/// # Errors
/// When it is no command: what is wrong with it.
///
/// ```
/// use uci::command::{Command, Dialect, read};
/// let Ok(Command::Go(go)) = read("go depth 9 wtime 60000 winc 100", Dialect::Uci) else { panic!() };
/// assert_eq!((go.depth, go.time[0], go.increment[0]), (Some(9), Some(60000), 100));
/// assert!(read("go depth deep", Dialect::Uci).unwrap_err().to_string().contains("depth"));
/// ```
pub fn read(line: &str, dialect: Dialect) -> Result<Command, NoCommand> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    Ok(match word {
        "" => Command::Nothing,
        word if word == dialect.name() => Command::Hello,
        "isready" => Command::IsReady,
        "setoption" => read_option(rest)?,
        "ucinewgame" | "uginewgame" => Command::NewGame,
        "position" => read_position(rest)?,
        "go" => Command::Go(Box::new(read_go(rest, dialect)?)),
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "query" => Command::Query(read_query(rest)?),
        "d" => Command::Show,
        "eval" => Command::Evaluate,
        "debug" => Command::Debug,
        "quit" => Command::Quit,
        other => return Err(NoCommand(format!("unknown command {:?}", short(other)))),
    })
}

/// As much of a text as a message needs.
fn short(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

fn read_option(rest: &str) -> Result<Command, NoCommand> {
    let wrong = || NoCommand(format!("setoption {}: write setoption name NAME value VALUE", short(rest)));
    let rest = rest.strip_prefix("name").filter(|rest| rest.starts_with(char::is_whitespace)).ok_or_else(wrong)?;
    let (name, value) = match rest.split_once(" value") {
        Some((name, value)) if value.is_empty() || value.starts_with(' ') => (name, value),
        _ => (rest, ""),
    };
    let (name, value) = (name.trim().to_string(), value.trim().to_string());
    if name.is_empty() { Err(wrong()) } else { Ok(Command::SetOption { name, value }) }
}

fn read_position(rest: &str) -> Result<Command, NoCommand> {
    let (start, moves) = match rest.split_once("moves") {
        Some((start, moves)) => (start.trim(), moves.trim()),
        None => (rest, ""),
    };
    let start = match start.split_once(char::is_whitespace).unwrap_or((start, "")) {
        ("startpos", "") => None,
        ("fen", fen) if !fen.trim().is_empty() => Some(fen.trim().to_string()),
        _ => {
            let what = format!("position {}: write position startpos or position fen FEN, then moves …", short(rest));
            return Err(NoCommand(what));
        }
    };
    Ok(Command::Position { start, moves: moves.to_string() })
}

fn read_query(rest: &str) -> Result<Query, NoCommand> {
    match rest {
        "gameover" => Ok(Query::GameOver),
        "p1turn" => Ok(Query::FirstToMove),
        "result" => Ok(Query::Result),
        other => Err(NoCommand(format!("query {}: ask gameover, p1turn or result", short(other)))),
    }
}

fn read_go(rest: &str, dialect: Dialect) -> Result<Go, NoCommand> {
    let mut go = Go::default();
    let (clocks, increments) = dialect.clocks();
    let mut words = rest.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if word == "infinite" {
            go.infinite = true;
            continue;
        }
        if word == "ponder" {
            go.ponder = true;
            continue;
        }
        if word == "searchmoves" {
            let names = ["depth", "nodes", "movetime", "movestogo", "infinite", "ponder", "mate", "perft"];
            let is_name = |word: &str| names.contains(&word) || clocks.contains(&word) || increments.contains(&word);
            while let Some(mv) = words.next_if(|word| !is_name(word)) {
                go.only.push(mv.to_string());
            }
            continue;
        }
        let value = words.next().unwrap_or("");
        let number: i64 =
            value.parse().map_err(|_| NoCommand(format!("go {}: {:?} is no number", short(word), short(value))))?;
        if number < 1 && matches!(word, "depth" | "nodes" | "mate") || number < 0 && word == "perft" {
            return Err(NoCommand(format!(
                "go {word} {number}: write a number of at least {}",
                u8::from(word != "perft")
            )));
        }
        // Clocks that have run out are below zero with some programs.
        let count = number.max(0).unsigned_abs();
        let few = u32::try_from(count).unwrap_or(u32::MAX);
        match word {
            "depth" => go.depth = Some(few),
            "nodes" => go.nodes = Some(count),
            "movetime" => go.movetime = Some(count),
            "movestogo" => go.moves_to_go = Some(count).filter(|count| *count > 0),
            "mate" => go.mate = Some(few),
            "perft" if few > MOST_PERFT => {
                return Err(NoCommand(format!("go perft {few}: nobody counts further than {MOST_PERFT}")));
            }
            "perft" => go.perft = Some(few),
            other => {
                match (clocks.iter().position(|name| *name == other), increments.iter().position(|name| *name == other))
                {
                    (Some(at), _) => go.time[at] = Some(count),
                    (_, Some(at)) => go.increment[at] = count,
                    _ => return Err(NoCommand(format!("go: {:?} is unknown", short(other)))),
                }
            }
        }
    }
    Ok(go)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(line: &str) -> Go {
        match read(line, Dialect::Uci) {
            Ok(Command::Go(go)) => *go,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn every_command_is_read() {
        for (line, wanted) in [
            ("uci", Command::Hello),
            ("  isready ", Command::IsReady),
            ("ucinewgame", Command::NewGame),
            ("stop", Command::Stop),
            ("ponderhit", Command::PonderHit),
            ("d", Command::Show),
            ("eval", Command::Evaluate),
            ("debug on", Command::Debug),
            ("quit", Command::Quit),
            ("", Command::Nothing),
            ("query result", Command::Query(Query::Result)),
            ("setoption name Clear Hash", Command::SetOption { name: "Clear Hash".into(), value: String::new() }),
            ("setoption name Hash value 64", Command::SetOption { name: "Hash".into(), value: "64".into() }),
            ("position startpos", Command::Position { start: None, moves: String::new() }),
            ("position startpos moves e2e4 e7e5", Command::Position { start: None, moves: "e2e4 e7e5".into() }),
            (
                "position fen 8/8/8/8/8/1k6/8/K2R4 w - - 0 1 moves d1d3",
                Command::Position { start: Some("8/8/8/8/8/1k6/8/K2R4 w - - 0 1".into()), moves: "d1d3".into() },
            ),
        ] {
            assert_eq!(read(line, Dialect::Uci).as_ref(), Ok(&wanted), "{line}");
        }
        assert_eq!(read("ugi", Dialect::Ugi), Ok(Command::Hello));
        assert!(read("ugi", Dialect::Uci).is_err());
    }

    #[test]
    fn every_limit_is_read() {
        let all = go(
            "go searchmoves e2e4 d2d4 depth 3 nodes 4 movetime 5 wtime -6 btime 7 winc 8 binc 9 movestogo 10 mate 2 infinite ponder",
        );
        assert_eq!(all.only, ["e2e4", "d2d4"]);
        assert_eq!((all.depth, all.nodes, all.movetime), (Some(3), Some(4), Some(5)));
        assert_eq!((all.time, all.increment), ([Some(0), Some(7)], [8, 9]));
        assert_eq!((all.moves_to_go, all.mate, all.infinite, all.ponder), (Some(10), Some(2), true, true));
        assert_eq!(go("go perft 3").perft, Some(3));
        assert_eq!(go("go"), Go::default());
        let Ok(Command::Go(ugi)) = read("go p1time 5 p2inc 6", Dialect::Ugi) else { panic!("it is a command") };
        assert_eq!((ugi.time, ugi.increment), ([Some(5), None], [0, 6]));
    }

    #[test]
    fn what_is_malformed_is_said() {
        for (line, part) in [
            ("xyzzy 1 2", "unknown command \"xyzzy\""),
            ("go depth", "go depth: \"\" is no number"),
            ("go depth deep", "\"deep\" is no number"),
            ("go perft 1000000", "nobody counts further than 50"),
            ("go depth -1", "go depth -1: write a number of at least 1"),
            ("go depth 0", "write a number of at least 1"),
            ("go nodes 0", "write a number of at least 1"),
            ("go mate -3", "write a number of at least 1"),
            ("go perft -1", "write a number of at least 0"),
            ("go fast 3", "\"fast\" is unknown"),
            ("go wtime 1e5", "\"1e5\" is no number"),
            ("position", "write position startpos"),
            ("position fen", "write position startpos"),
            ("position startpos e2e4", "write position startpos"),
            ("setoption", "write setoption name NAME"),
            ("setoption Hash 3", "write setoption name NAME"),
            ("setoption name", "write setoption name NAME"),
            ("query weather", "ask gameover"),
            ("query", "ask gameover"),
        ] {
            let error = read(line, Dialect::Uci).expect_err(line).to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
        let long = read(&"x".repeat(100_000), Dialect::Uci).expect_err("no command").to_string();
        assert!(long.len() < 200);
    }
}
