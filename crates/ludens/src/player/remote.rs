//! A player somewhere else, spoken to over HTTP.

use crate::http::{self, Failure};
use play::message::Request;
use play::{Clock, Player, Start, Trouble};
use std::time::{Duration, Instant};

/// What a manager waits beyond the play clock, because messages travel.
const TRAVEL: f64 = 1.0;

/// See the module.
pub struct Remote {
    url: String,
    id: String,
}

impl Remote {
    /// The player at this address.
    pub fn new(url: &str) -> Remote {
        Remote { url: url.to_string(), id: String::new() }
    }

    fn ask(&self, request: &Request, seconds: f64) -> Result<String, Trouble> {
        let until = Instant::now() + Duration::from_secs_f64(seconds.clamp(0.001, play::message::LONGEST_CLOCK));
        let answer = http::ask(&self.url, &self.url, &request.to_string(), until);
        answer.map(|text| text.trim().to_string()).map_err(|failure| match failure {
            Failure::Late => Trouble::TimeOut,
            Failure::Broken(why) => Trouble::Connection(why),
        })
    }
}

impl Player for Remote {
    fn prepare(&mut self, start: &Start, clock: &Clock<'_>) -> Result<(), Trouble> {
        self.id.clone_from(&start.id);
        let request = Request::Start {
            id: start.id.clone(),
            role: start.role.clone(),
            rules: start.rules.clone(),
            start: start.start,
            play: start.play,
        };
        let answer = self.ask(&request, clock.left())?;
        if answer.eq_ignore_ascii_case("ready") {
            Ok(())
        } else {
            let answer: String = answer.chars().take(80).collect();
            Err(Trouble::Lost(format!("{} is not ready; it says: {answer}", self.url)))
        }
    }

    fn choose(&mut self, last: Option<&[String]>, clock: &Clock<'_>) -> Result<String, Trouble> {
        let request = Request::Play { id: self.id.clone(), moves: last.map(<[String]>::to_vec) };
        self.ask(&request, clock.left() + TRAVEL)
    }

    fn stop(&mut self, last: Option<&[String]>, clock: &Clock<'_>) {
        let request = Request::Stop { id: self.id.clone(), moves: last.map(<[String]>::to_vec) };
        let _ = self.ask(&request, clock.left());
    }

    fn abort(&mut self, _clock: &Clock<'_>) {
        let _ = self.ask(&Request::Abort { id: self.id.clone() }, 1.0);
    }
}
