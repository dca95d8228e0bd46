//! A person at the keyboard as a player of a match. The prompt is on standard error, so that results can go elsewhere.

use crate::board::Boards;
use agent::Position;
use agent::prompt::{self, Input};
use game::{Cancel, Names, Role, roles};
use machine::Loader;
use play::{Clock, Player, Start, Trouble};
use std::io::{BufRead, Write, stderr, stdin};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;
use terminal::text;

/// See the module. There is one keyboard, so there is one of these at a time.
pub struct Human {
    boards: Option<Boards>,
    /// Lines typed, from one thread that does nothing else: a question that was given up must not swallow the answer to
    /// the next one.
    lines: Receiver<String>,
    at: Option<(Position, Role)>,
    /// Cancelled when somebody is asked and nobody is at the keyboard any more.
    gone: Cancel,
}

impl Human {
    /// A person. `gone` is cancelled when a move is asked for and the input has ended.
    pub fn new(gone: &Cancel) -> Human {
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in stdin().lock().lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Human { boards: None, lines, at: None, gone: gone.clone() }
    }

    /// Asks for one of these moves until there is one, or the time is over.
    fn ask(&mut self, name: &str, facts: &[String], texts: &[String], clock: &Clock<'_>) -> Result<usize, Trouble> {
        let digits = texts.len().to_string().len();
        let items = texts.iter().enumerate().map(|(at, text)| format!("{:>digits$} {text}", at + 1));
        let list = text::columns(&items.collect::<Vec<_>>(), text::width());
        let mut err = stderr().lock();
        let picture = self.boards.as_mut().map_or(String::new(), |boards| boards.draw(facts));
        let _ = writeln!(err, "\n{}\n{name} to move:\n{list}", picture.trim_end());
        loop {
            let _ = write!(err, "{name}> ");
            let _ = err.flush();
            let line = loop {
                if clock.left() <= 0.0 || clock.cancel.is_cancelled() {
                    return Err(Trouble::TimeOut);
                }
                match self.lines.recv_timeout(Duration::from_millis(50)) {
                    Ok(line) => break line,
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        let _ = writeln!(err);
                        self.gone.cancel();
                        return Err(Trouble::TimeOut);
                    }
                }
            };
            match prompt::understand(&line, texts) {
                Input::Move(at) => return Ok(at),
                Input::Several(fits) => {
                    let fits: Vec<&str> = fits.iter().take(20).map(|&at| texts[at].as_str()).collect();
                    let _ = writeln!(err, "Several moves fit: {}", fits.join(" "));
                }
                Input::Command(_) => {
                    let _ = write!(err, "Type the number of a move, or its name.\n{list}");
                }
                Input::Nothing | Input::NoSuchNumber | Input::Unknown => {
                    let _ = writeln!(err, "No legal move fits: type its number, 1 to {}, or its name.", texts.len());
                }
            }
        }
    }
}

fn lost(why: impl ToString) -> Trouble {
    Trouble::Lost(why.to_string())
}

impl Player for Human {
    fn prepare(&mut self, start: &Start, _clock: &Clock<'_>) -> Result<(), Trouble> {
        let rules = agent::cache::read(&start.rules, &gdl::Limits::default()).map_err(lost)?;
        let engine = Loader::new(&rules).until(&start.cancel).best().map_err(lost)?.engine;
        self.boards = Some(Boards::new(&rules, &engine));
        let role = roles(&engine).find(|&role| engine.role_name(role).eq_ignore_ascii_case(&start.role));
        let role = role.ok_or_else(|| lost(format!("the rules have no role {}", start.role)))?;
        self.at = Some((Position::start(engine), role));
        Ok(())
    }

    fn choose(&mut self, last: Option<&[String]>, clock: &Clock<'_>) -> Result<String, Trouble> {
        let Some((mut position, role)) = self.at.take() else { return Err(lost("there is no match")) };
        if let Some(texts) = last {
            let joint = position.joint(texts).map_err(lost)?.map_err(Trouble::Lost)?;
            position.play(&joint).map_err(lost)?;
        }
        let legal = position.legal(role).map_err(lost)?;
        let texts: Vec<String> = legal.iter().map(|&mv| position.engine().move_text(mv)).collect();
        let facts = position.facts();
        let name = position.engine().role_name(role).to_string();
        self.at = Some((position, role));
        match &texts[..] {
            [] => Err(lost("there is no legal move")),
            [only] => Ok(only.clone()),
            _ => self.ask(&name, &facts, &texts, clock).map(|at| texts[at].clone()),
        }
    }

    fn stop(&mut self, _last: Option<&[String]>, _clock: &Clock<'_>) {
        self.at = None;
    }

    fn abort(&mut self, _clock: &Clock<'_>) {
        self.at = None;
    }
}
