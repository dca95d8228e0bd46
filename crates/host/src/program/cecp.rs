//! Programs that speak CECP, the protocol of xboard.
//!
//! Every question begins a new game at the position. So no program can find that the game is drawn by repetition where the rules that are
//! played know no such thing, and none has to take moves back. Programs that cannot be given a position (Fairy-Max) play games from the usual
//! start only: they are told all moves.

use super::process::{Process, Silence};
use super::{GRACE, HELLO};
use agent::program::{Program, Report, Score, Task, Thinking};
use agent::spec::ProgramSpec;
use platform::Children;
use std::time::{Duration, Instant};

/// A program that speaks CECP.
pub(super) struct Cecp {
    process: Process,
    /// What it calls itself.
    name: String,
    /// Whether it answers `ping`.
    pings: bool,
    /// Whether it can be given a position.
    setboard: bool,
    /// What comes before the moves that it is told.
    usermove: &'static str,
    /// How often it was asked to.
    count: u32,
}

/// How long a program of the first version of the protocol, which has no features to tell, is waited for.
const SILENT: Duration = Duration::from_secs(2);

/// The usual start, as far as it matters.
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq";

impl Cecp {
    /// Starts it and sets its options.
    pub fn start(
        spec: &ProgramSpec,
        children: &Children,
        until: Instant,
        stop: &dyn Fn() -> bool,
    ) -> Result<Cecp, String> {
        // It reads ahead and leaves commands lying until more come, takes `sd` for a move, and ignores `?`.
        if spec.command.split(['/', ' ']).any(|word| word == "gnuchess" || word == "gnuchessx") {
            return Err(
                "GNU Chess loses commands when it speaks to xboard; as `uci:command=gnuchess --uci` it plays".into()
            );
        }
        let mut process = Process::start(&spec.command, "quit", children)?;
        let name = process.name.clone();
        let hello = |silence: Silence| format!("{name} {silence}: no answer to `xboard`; is it an engine for xboard?");
        process.tell("xboard").map_err(hello)?;
        process.tell("protover 2").map_err(hello)?;
        let mut features = Features::default();
        let mut patience = until.min(Instant::now() + SILENT);
        while !features.done {
            let line = match process.line(patience, stop) {
                Ok(line) => line,
                Err(Silence::Late) if !features.asked_for_time => break,
                Err(silence) => return Err(hello(silence)),
            };
            let Some(rest) = line.strip_prefix("feature ") else { continue };
            for name in features.read(rest) {
                // It plays in coordinates; whoever cannot tells so by not asking for more.
                let answer = if name == "san" { "rejected" } else { "accepted" };
                process.tell(&format!("{answer} {name}")).map_err(hello)?;
            }
            if features.asked_for_time {
                patience = until;
            }
        }
        let own_name = features.name.unwrap_or(name);
        let usermove = if features.usermove { "usermove " } else { "" };
        let (pings, setboard) = (features.pings, features.setboard);
        let mut cecp = Cecp { process, name: own_name, pings, setboard, usermove, count: 0 };
        for (option, value) in &spec.options {
            let Some(known) = features.options.iter().find(|known| known.eq_ignore_ascii_case(option)) else {
                return Err(format!("{} has no option {option:?}; it has {}", cecp.name, features.options.join(", ")));
            };
            match known.as_str() {
                "memory" | "cores" => cecp.tell(&format!("{known} {value}"))?,
                known => cecp.tell(&format!("option {known}={value}"))?,
            }
        }
        cecp.new_game()?;
        cecp.sync(until, stop)?;
        Ok(cecp)
    }

    fn tell(&mut self, line: &str) -> Result<(), String> {
        self.process.tell(line).map_err(|silence| self.process.trouble(&silence))
    }

    fn set_position(&mut self, task: &Task<'_>) -> Result<(), String> {
        if self.setboard {
            return self.tell(&format!("setboard {}", task.position));
        }
        if !task.start.starts_with(START) {
            return Err(format!("{} cannot be given a position (it has no feature `setboard`)", self.name));
        }
        task.moves.iter().try_for_each(|mv| self.tell(&format!("{}{mv}", self.usermove)))
    }

    /// Waits until the program has done all that it was told; whatever it said before is past.
    fn sync(&mut self, until: Instant, stop: &dyn Fn() -> bool) -> Result<(), String> {
        if !self.pings {
            return Ok(());
        }
        self.count += 1;
        let (ping, pong) = (format!("ping {}", self.count), format!("pong {}", self.count));
        self.tell(&ping)?;
        loop {
            match self.process.line(until, stop) {
                Ok(line) if line == pong => return Ok(()),
                Ok(_) => {}
                Err(silence) => return Err(self.process.trouble(&silence)),
            }
        }
    }
}

impl Program for Cecp {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self) -> Result<(), String> {
        ["new", "easy", "post", "force"].iter().try_for_each(|line| self.tell(line))
    }

    fn think(&mut self, task: &Task<'_>, thinking: &mut Thinking<'_>) -> Result<Report, String> {
        self.new_game()?;
        self.sync(Instant::now() + HELLO, thinking.stop)?;
        self.set_position(task)?;
        // `new` sets the depth back, and programs differ in what `st` means to them beside `sd`: both are told each time.
        let seconds = task.movetime.map_or(1_000_000, |ms| ms.div_ceil(1000).max(1));
        self.tell(&format!("st {seconds}"))?;
        if let Some(depth) = task.depth {
            self.tell(&format!("sd {depth}"))?;
        }
        self.tell("go")?;
        let began = Instant::now();
        let is_over = || task.movetime.is_some_and(|ms| began.elapsed() >= Duration::from_millis(ms));
        let mut report = Report::default();
        let never = || false;
        let mut last: Option<Instant> = None;
        loop {
            let line = match last {
                None => self.process.line(Instant::now() + HELLO, &|| (thinking.stop)() || is_over()),
                Some(last) => self.process.line(last, &never),
            };
            match line {
                Ok(line) => match read_line(&line, task.position, &mut report) {
                    Heard::Move(best) => {
                        report.best = Some(best);
                        return Ok(report);
                    }
                    Heard::Thought => (thinking.tell)(&report),
                    Heard::Refusal => return Err(format!("{} will not play on: {line}", self.name)),
                    Heard::Other => {}
                },
                Err(Silence::Stopped) => {
                    self.tell("?")?;
                    last = Some(Instant::now() + GRACE);
                }
                Err(Silence::Late) if last.is_none() => {}
                Err(Silence::Late) => return Err(format!("{} ignores `?`", self.name)),
                Err(silence) => return Err(self.process.trouble(&silence)),
            }
        }
    }
}

/// What a program says of itself.
#[derive(Default)]
struct Features {
    name: Option<String>,
    pings: bool,
    setboard: bool,
    usermove: bool,
    options: Vec<String>,
    /// It needs more time to begin.
    asked_for_time: bool,
    done: bool,
}

impl Features {
    /// Reads `NAME=VALUE` with numbers or quoted texts; the names that were read.
    fn read(&mut self, mut text: &str) -> Vec<String> {
        let mut names = Vec::new();
        while let Some((name, rest)) = text.trim_start().split_once('=') {
            let name = name.trim();
            let (value, rest) = match rest.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
                None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
            };
            text = rest;
            let is_on = value != "0";
            match name {
                "myname" => self.name = Some(value.to_string()),
                "ping" => self.pings = is_on,
                "setboard" => self.setboard = is_on,
                "usermove" => self.usermove = is_on,
                "memory" if is_on => self.options.push("memory".to_string()),
                "smp" if is_on => self.options.push("cores".to_string()),
                "option" => self.options.push(value.split(" -").next().unwrap_or(value).trim().to_string()),
                "done" => (self.done, self.asked_for_time) = (is_on, self.asked_for_time || !is_on),
                _ => {}
            }
            names.push(name.to_string());
        }
        names
    }
}

/// What a line of a program is.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Heard {
    Move(String),
    Thought,
    /// It gives up, or finds that the game is over.
    Refusal,
    Other,
}

/// Reads a line; thoughts are put into the report.
fn read_line(line: &str, position: &str, report: &mut Report) -> Heard {
    // The second is how programs of the first version of the protocol say it.
    let moved =
        line.strip_prefix("move ").or_else(|| Some(line.strip_prefix("My move is")?.trim_start_matches([' ', ':'])));
    if let Some(mv) = moved {
        let mv = mv.split_whitespace().next().unwrap_or("");
        let rank = if position.split_whitespace().nth(1) == Some("b") { '8' } else { '1' };
        return Heard::Move(match mv {
            "O-O" | "0-0" | "o-o" => format!("e{rank}g{rank}"),
            "O-O-O" | "0-0-0" | "o-o-o" => format!("e{rank}c{rank}"),
            other => other.replace('=', "").to_lowercase(),
        });
    }
    let gives_up = ["resign", "1-0", "0-1", "1/2-1/2", "Illegal"];
    if gives_up.iter().any(|word| line.starts_with(word)) {
        return Heard::Refusal;
    }
    // Ply, score in hundredths of a pawn, hundredths of a second, nodes, line.
    let mut words = line.split_whitespace();
    let mut number = || {
        let word = words.next()?;
        word.trim_end_matches(['.', '+', '-', '&', '*']).parse::<i64>().ok()
    };
    let Some([depth, score, _, nodes]) = (|| Some([number()?, number()?, number()?, number()?]))() else {
        return Heard::Other;
    };
    report.depth = u32::try_from(depth).unwrap_or(report.depth);
    report.nodes = u64::try_from(nodes).unwrap_or(report.nodes);
    report.score = Some(match score {
        100_000.. => Score::Mate((score - 100_000).min(1000) as i32),
        ..=-100_000 => Score::Mate((score + 100_000).max(-1000) as i32),
        _ => Score::Centipawns(score as i32),
    });
    report.line = words.map(str::to_string).collect();
    Heard::Thought
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_read() {
        let mut features = Features::default();
        let names =
            features.read("ping=1 setboard=1 myname=\"An engine = 2\" option=\"Hash Size -spin 1 1 9\" smp=1 done=0");
        assert_eq!(names, ["ping", "setboard", "myname", "option", "smp", "done"]);
        assert_eq!(features.name.as_deref(), Some("An engine = 2"));
        assert_eq!(features.options, ["Hash Size", "cores"]);
        assert!(features.pings && features.setboard && features.asked_for_time && !features.done);
        features.read("done=1");
        assert!(features.done);
        assert!(features.read("nonsense \"").is_empty());
        assert_eq!(features.read("myname=\"open").len(), 1);
    }

    #[test]
    fn lines_are_read() {
        let (white, mut report) = ("8/8/8/8/8/8/8/8 w - - 0 1", Report::default());
        assert_eq!(read_line("move e2e4", white, &mut report), Heard::Move("e2e4".into()));
        assert_eq!(read_line("My move is : d5a5", white, &mut report), Heard::Move("d5a5".into()));
        assert_eq!(read_line("My move is: e2e4", white, &mut report), Heard::Move("e2e4".into()));
        assert_eq!(read_line("move e7e8=Q", white, &mut report), Heard::Move("e7e8q".into()));
        assert_eq!(read_line("move O-O-O", "8/8 b", &mut report), Heard::Move("e8c8".into()));
        assert_eq!(read_line("9  -23  15  43718  Ke4 Kd6", white, &mut report), Heard::Thought);
        assert_eq!((report.depth, report.nodes, report.score), (9, 43718, Some(Score::Centipawns(-23))));
        assert_eq!(read_line("9. 100003 15 4 Ke4", white, &mut report), Heard::Thought);
        assert_eq!(report.score, Some(Score::Mate(3)));
        assert_eq!(read_line("1/2-1/2 {Drawn}", white, &mut report), Heard::Refusal);
        assert_eq!(read_line("Illegal move: e9e9", white, &mut report), Heard::Refusal);
        assert_eq!(read_line("Chess", white, &mut report), Heard::Other);
        assert_eq!(read_line("", white, &mut report), Heard::Other);
    }
}
