//! A player on a thread of its own, so that the clock of a match is the manager's and not the player's.

use anyhow::{Context, Result};
use game::Cancel;
use play::{Clock, Player, Start, Trouble};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// What is asked of a player.
enum Ask {
    Prepare(Start),
    Choose(Option<Vec<String>>),
    Stop(Option<Vec<String>>),
    Abort,
}

/// A question with its number, the moment it was asked, the seconds for it, and what ends it.
struct Question {
    number: u64,
    ask: Ask,
    asked: Instant,
    seconds: f64,
    cancel: Cancel,
}

/// See the module.
pub struct PlayerThread {
    /// Who it is, as it was written on the command line.
    pub name: String,
    /// Whether it is a person.
    pub is_human: bool,
    asks: Sender<Question>,
    answers: Receiver<(u64, Result<String, Trouble>)>,
    /// Ends everything that the player does for the match.
    cancel: Cancel,
    /// Ends the question at hand.
    question: Cancel,
    number: u64,
}

/// How often those who wait look whether they should.
const LOOK: Duration = Duration::from_millis(50);

impl PlayerThread {
    /// Gives a player a thread.
    ///
    /// # Errors
    /// When the system has none.
    pub fn new(name: String, is_human: bool, mut player: Box<dyn Player>) -> Result<PlayerThread> {
        let (asks, questions) = mpsc::channel::<Question>();
        let (sender, answers) = mpsc::channel();
        let body = move || {
            for Question { number, ask, asked, seconds, cancel } in questions {
                let spent = || asked.elapsed().as_secs_f64();
                let clock = Clock::new(seconds, &spent).until(&cancel);
                let answer = match ask {
                    Ask::Prepare(start) => player.prepare(&start, &clock).map(|()| String::new()),
                    Ask::Choose(last) => player.choose(last.as_deref(), &clock),
                    Ask::Stop(last) => {
                        player.stop(last.as_deref(), &clock);
                        Ok(String::new())
                    }
                    Ask::Abort => {
                        player.abort(&clock);
                        Ok(String::new())
                    }
                };
                if sender.send((number, answer)).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("player".into()).spawn(body).context("cannot start a thread for a player")?;
        let cancel = Cancel::new();
        let question = cancel.child();
        Ok(PlayerThread { name, is_human, asks, answers, cancel, question, number: 0 })
    }

    fn ask(&mut self, ask: Ask, seconds: f64) {
        self.number += 1;
        self.question = self.cancel.child();
        let question =
            Question { number: self.number, ask, asked: Instant::now(), seconds, cancel: self.question.clone() };
        // If the player's thread is gone, the answer will be missing, and that is noticed there.
        let _ = self.asks.send(question);
    }

    /// Tells the player that a match begins.
    pub fn prepare(&mut self, start: Start) {
        let seconds = start.start;
        self.ask(Ask::Prepare(Start { cancel: self.cancel.clone(), ..start }), seconds);
    }

    /// Asks for a move.
    pub fn choose(&mut self, last: Option<Vec<String>>, seconds: f64) {
        self.ask(Ask::Choose(last), seconds);
    }

    /// Tells the player that the match is over.
    pub fn stop(&mut self, last: Option<Vec<String>>, seconds: f64) {
        self.ask(Ask::Stop(last), seconds);
    }

    /// Tells the player that the match is given up. Whatever it is doing for the match ends.
    pub fn abort(&mut self) {
        self.question.cancel();
        self.ask(Ask::Abort, 1.0);
    }

    /// The answer to the last question; earlier questions that are answered only now are past. `enough` is asked now and
    /// then whether to wait no longer; the answer counts as late then.
    pub fn answer(&mut self, until: Instant, enough: &mut dyn FnMut() -> bool) -> Result<String, Trouble> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.answers.recv_timeout(left.clamp(Duration::from_millis(1), LOOK)) {
                Ok((number, answer)) if number == self.number => return answer,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) if left > LOOK && !enough() => {}
                Err(RecvTimeoutError::Timeout) => return Err(Trouble::TimeOut),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Trouble::Connection("the player has crashed".to_string()));
                }
            }
        }
    }
}

impl Drop for PlayerThread {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
