//! Programs that speak UCI.

use super::process::{Process, Silence};
use super::{GRACE, HELLO};
use agent::program::{Program, Report, Score, Task, Thinking};
use agent::spec::ProgramSpec;
use platform::Children;
use std::time::Instant;

/// A program that speaks UCI.
pub(super) struct Uci {
    process: Process,
    /// What it calls itself.
    name: String,
}

impl Uci {
    /// Starts it, sets its options and waits until it is ready.
    pub fn start(
        spec: &ProgramSpec,
        children: &Children,
        until: Instant,
        stop: &dyn Fn() -> bool,
    ) -> Result<Uci, String> {
        // GNU Chess alone talks to people.
        let command = if spec.command == "gnuchess" { "gnuchess --uci" } else { &spec.command };
        let mut process = Process::start(command, "quit", children)?;
        let name = process.name.clone();
        let hello = |silence: Silence| format!("{name} {silence}: no answer to `uci`; is it a UCI engine?");
        process.tell("uci").map_err(hello)?;
        let (mut known, mut own_name): (Vec<String>, Option<String>) = (Vec::new(), None);
        loop {
            let line = process.line(until, stop).map_err(hello)?;
            if line == "uciok" {
                break;
            }
            if let Some(rest) = line.strip_prefix("id name ") {
                own_name = Some(rest.trim().to_string());
            }
            if let Some(rest) = line.strip_prefix("option name ") {
                known.push(rest.split(" type ").next().unwrap_or(rest).trim().to_string());
            }
        }
        let mut uci = Uci { process, name: own_name.unwrap_or(name) };
        for (option, value) in &spec.options {
            let Some(known) = known.iter().find(|known| known.eq_ignore_ascii_case(option)) else {
                return Err(format!("{} has no option {option:?}; it has {}", uci.name, known.join(", ")));
            };
            uci.tell(&format!("setoption name {known} value {value}"))?;
        }
        uci.tell("ucinewgame")?;
        uci.sync(until, stop)?;
        Ok(uci)
    }

    fn tell(&mut self, line: &str) -> Result<(), String> {
        self.process.tell(line).map_err(|silence| self.process.trouble(&silence))
    }

    /// Waits until the program has done all that it was told; whatever it said before is past.
    fn sync(&mut self, until: Instant, stop: &dyn Fn() -> bool) -> Result<(), String> {
        self.tell("isready")?;
        loop {
            match self.process.line(until, stop) {
                Ok(line) if line == "readyok" => return Ok(()),
                Ok(_) => {}
                Err(silence) => return Err(self.process.trouble(&silence)),
            }
        }
    }
}

impl Program for Uci {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self) -> Result<(), String> {
        self.tell("ucinewgame")
    }

    fn think(&mut self, task: &Task<'_>, thinking: &mut Thinking<'_>) -> Result<Report, String> {
        self.sync(Instant::now() + HELLO, thinking.stop)?;
        let moves = if task.moves.is_empty() { String::new() } else { format!(" moves {}", task.moves.join(" ")) };
        self.tell(&format!("position fen {}{moves}", task.start))?;
        let mut go = "go".to_string();
        let given = [("depth", task.depth.map(u64::from)), ("nodes", task.nodes), ("movetime", task.movetime)];
        for (name, value) in given.iter().filter_map(|(name, value)| Some((name, (*value)?))) {
            go += &format!(" {name} {value}");
        }
        if go == "go" {
            go += " infinite";
        }
        self.tell(&go)?;
        let mut report = Report::default();
        let never = || false;
        // Once it was told to stop, it has until then.
        let mut last: Option<Instant> = None;
        loop {
            let far = Instant::now() + HELLO;
            let line = match last {
                None => self.process.line(far, thinking.stop),
                Some(last) => self.process.line(last, &never),
            };
            match line {
                Ok(line) if line.starts_with("info ") => {
                    if read_info(&line, &mut report) {
                        (thinking.tell)(&report);
                    }
                }
                Ok(line) => {
                    if let Some(best) = line.strip_prefix("bestmove ") {
                        let best = best.split_whitespace().next().unwrap_or("");
                        report.best =
                            Some(best.to_string()).filter(|best| !matches!(&best[..], "(none)" | "0000" | ""));
                        return Ok(report);
                    }
                }
                Err(Silence::Stopped) => {
                    self.tell("stop")?;
                    last = Some(Instant::now() + GRACE);
                }
                // It thinks for as long as it may.
                Err(Silence::Late) if last.is_none() => {}
                Err(Silence::Late) => return Err(format!("{} ignores `stop`", self.name)),
                Err(silence) => return Err(self.process.trouble(&silence)),
            }
        }
    }
}

/// Puts what a line of thought says into the report; whether it has a best line.
fn read_info(line: &str, report: &mut Report) -> bool {
    let mut words = line.split_whitespace().skip(1).peekable();
    let mut heard = Report { best: None, line: Vec::new(), ..report.clone() };
    while let Some(word) = words.next() {
        match word {
            "string" => return false,
            "depth" => heard.depth = words.next().and_then(|word| word.parse().ok()).unwrap_or(heard.depth),
            "nodes" => heard.nodes = words.next().and_then(|word| word.parse().ok()).unwrap_or(heard.nodes),
            // Further lines are other moves.
            "multipv" if words.peek().is_some_and(|number| *number != "1") => return false,
            "score" => {
                let kind = words.next();
                let number = words.next().and_then(|word| word.parse::<i32>().ok());
                heard.score = match (kind, number) {
                    (Some("cp"), Some(number)) => Some(Score::Centipawns(number)),
                    (Some("mate"), Some(number)) => Some(Score::Mate(number)),
                    _ => heard.score,
                };
            }
            "lowerbound" | "upperbound" => {}
            "pv" => heard.line = words.by_ref().map(str::to_string).collect(),
            _ => {}
        }
    }
    report.nodes = heard.nodes;
    if heard.line.is_empty() {
        return false;
    }
    *report = heard;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_read() {
        let mut report = Report::default();
        assert!(read_info(
            "info depth 9 seldepth 12 multipv 1 score cp -31 nodes 5446 nps 1 pv e2e4 e7e5",
            &mut report
        ));
        assert_eq!((report.depth, report.nodes, report.score), (9, 5446, Some(Score::Centipawns(-31))));
        assert_eq!(report.line, ["e2e4", "e7e5"]);
        assert!(!read_info("info depth 9 multipv 2 score cp 3 nodes 6 pv d2d4", &mut report));
        assert!(!read_info("info string score cp 99 pv d2d4", &mut report));
        assert!(!read_info("info nodes 7000 nps 3", &mut report));
        assert_eq!((report.nodes, &report.line[0][..]), (7000, "e2e4"));
        assert!(read_info("info depth x score mate -3 pv g1f3", &mut report));
        assert_eq!((report.depth, report.score), (9, Some(Score::Mate(-3))));
        assert!(!read_info("info score cp", &mut report));
        assert!(!read_info("info", &mut report));
    }
}
