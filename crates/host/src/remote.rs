//! A player somewhere else, spoken to over HTTP.

use crate::http::{self, Address, Failure};
use game::Cancel;
use play::message::{Info, Request};
use play::{Clock, Player, Start, Trouble};
use std::time::{Duration, Instant};

/// What a manager waits beyond the play clock, because messages travel.
const TRAVEL: f64 = 1.0;

/// See the module.
pub struct Remote {
    address: Address,
    /// What it calls itself, once it has told.
    name: Option<String>,
    id: String,
}

impl Remote {
    /// The player at this address. The error says what is wrong with the address.
    pub fn new(url: &str) -> Result<Remote, String> {
        let address = Address::read(url)?;
        Ok(Remote { address, name: None, id: String::new() })
    }

    fn ask(&self, request: &Request, seconds: f64, cancel: &Cancel) -> Result<String, Trouble> {
        let until = Instant::now() + Duration::from_secs_f64(seconds.clamp(0.001, play::message::LONGEST_CLOCK));
        let name = self.name.as_deref().unwrap_or(&self.address.place);
        let enough = || cancel.is_cancelled();
        let answer = http::ask(&self.address, name, &request.to_string(), until, &enough);
        answer.map(|text| text.trim().to_string()).map_err(|failure| match failure {
            Failure::Late => Trouble::TimeOut,
            Failure::Broken(why) => Trouble::Connection(why),
        })
    }
}

impl Player for Remote {
    fn prepare(&mut self, start: &Start, clock: &Clock<'_>) -> Result<(), Trouble> {
        self.id.clone_from(&start.id);
        // Messages have the name of the player they are for. Who does not tell it soon goes by the address.
        if self.name.is_none()
            && let Ok(text) = self.ask(&Request::Info, (clock.left() / 4.0).min(1.0), &clock.cancel)
        {
            self.name = Info::read(&text).name;
        }
        let request = Request::Start {
            id: start.id.clone(),
            role: start.role.clone(),
            rules: start.rules.clone(),
            start: start.start,
            play: start.play,
        };
        let answer = self.ask(&request, clock.left(), &clock.cancel)?;
        if answer.eq_ignore_ascii_case("ready") {
            return Ok(());
        }
        let said: String = answer.chars().take(80).collect();
        let why = format!("{} is not ready; it says: {said}", self.address.place);
        Err(if answer.eq_ignore_ascii_case("busy") { Trouble::Busy(why) } else { Trouble::Lost(why) })
    }

    fn choose(&mut self, last: Option<&[String]>, clock: &Clock<'_>) -> Result<String, Trouble> {
        let request = Request::Play { id: self.id.clone(), moves: last.map(<[String]>::to_vec) };
        self.ask(&request, clock.left() + TRAVEL, &clock.cancel)
    }

    fn stop(&mut self, last: Option<&[String]>, clock: &Clock<'_>) {
        let request = Request::Stop { id: self.id.clone(), moves: last.map(<[String]>::to_vec) };
        let _ = self.ask(&request, clock.left(), &clock.cancel);
    }

    fn abort(&mut self, _clock: &Clock<'_>) {
        let _ = self.ask(&Request::Abort { id: self.id.clone() }, 1.0, &Cancel::new());
    }
}
