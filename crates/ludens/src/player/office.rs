//! The player as a server: one match at a time, and an answer to every message, in whatever order they come.

use super::kinds;
use crate::http::{Request as Call, Response};
use play::message::{Info, Request};
use play::{Clock, Player, Settings, Start, Trouble};
use std::io::{Write, stderr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// See the module.
pub struct Office {
    name: String,
    settings: Settings,
    seed: AtomicU64,
    match_now: Mutex<Option<Session>>,
    number: AtomicU64,
}

/// The match being played.
struct Session {
    /// Tells it from all others, even those of the same name.
    number: u64,
    id: String,
    player: Arc<Mutex<Box<dyn Player>>>,
    brake: Option<Arc<AtomicBool>>,
    play: f64,
    /// Whether the player is at work.
    at_work: bool,
    /// When the manager was last heard of, and how long it may be silent before another match may begin.
    heard: Instant,
    patience: Duration,
}

impl Session {
    fn is_stale(&self) -> bool {
        !self.at_work && self.heard.elapsed() > self.patience
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(brake) = &self.brake {
            brake.store(true, Ordering::Relaxed);
        }
    }
}

const BUSY: &str = "busy";

impl Office {
    /// An office of this name, whose players play in this way.
    pub fn new(name: String, settings: Settings, seed: u64) -> Office {
        Office { name, settings, seed: AtomicU64::new(seed), match_now: Mutex::new(None), number: AtomicU64::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Session>> {
        self.match_now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn log(&self, id: &str, what: &str) {
        let line: String = format!("match {id}: {what}").chars().take(300).collect();
        let _ = writeln!(stderr(), "{line}");
    }

    /// Answers a call.
    pub fn answer(&self, call: Call) -> Response {
        match Request::read(&call.message) {
            Ok(request) => Response { status: 200, body: self.reply(request, call.since) },
            Err(bad) => Response { status: 400, body: bad.to_string() },
        }
    }

    fn reply(&self, request: Request, since: Instant) -> String {
        match request {
            Request::Info => {
                let busy = self.lock().as_ref().is_some_and(|session| !session.is_stale());
                let status = if busy { BUSY } else { "available" };
                Info { name: Some(self.name.clone()), status: status.to_string() }.to_string()
            }
            Request::Start { id, role, rules, start, play } => {
                self.start(Start { id, role, rules, start, play }, since).to_string()
            }
            Request::Play { id, moves } => self.play(&id, moves, since),
            Request::Stop { id, moves } => self.end(&id, "done", |player, play| {
                player.stop(moves.as_deref(), &Clock::new(play, &|| since.elapsed().as_secs_f64()));
            }),
            Request::Abort { id } => self.end(&id, "aborted", |player, _| {
                player.abort(&Clock::new(1.0, &|| since.elapsed().as_secs_f64()));
            }),
            Request::Preview { rules, .. } => {
                if self.lock().as_ref().is_some_and(|session| !session.is_stale()) {
                    return BUSY.to_string();
                }
                // Reading is all that is done with it: what may never be played is not worth more.
                if gdl::parse(&rules).problems.is_empty() { "ready" } else { BUSY }.to_string()
            }
        }
    }

    fn start(&self, start: Start, since: Instant) -> &'static str {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let player = {
            let mut now = self.lock();
            if now.as_ref().is_some_and(|session| !session.is_stale()) {
                return BUSY;
            }
            let seed = self.seed.fetch_add(1, Ordering::Relaxed);
            let Ok(player) = kinds::make(&self.settings, seed, None) else { return BUSY };
            let brake = player.brake();
            let player = Arc::new(Mutex::new(player));
            let patience = Duration::from_secs_f64((start.start + 10.0 * start.play + 60.0).min(1e6));
            *now = Some(Session {
                number,
                id: start.id.to_lowercase(),
                player: Arc::clone(&player),
                brake,
                play: start.play,
                at_work: true,
                heard: Instant::now(),
                patience,
            });
            player
        };
        self.log(&start.id, &format!("begins; my role is {}", start.role));
        let spent = || since.elapsed().as_secs_f64();
        let result =
            player.lock().unwrap_or_else(PoisonError::into_inner).prepare(&start, &Clock::new(start.start, &spent));
        let mut now = self.lock();
        let Some(session) = now.as_mut().filter(|session| session.number == number) else { return BUSY };
        match result {
            Ok(()) => {
                (session.at_work, session.heard) = (false, Instant::now());
                "ready"
            }
            Err(trouble) => {
                *now = None;
                drop(now);
                self.log(&start.id, &format!("cannot be played: {trouble}"));
                BUSY
            }
        }
    }

    fn play(&self, id: &str, moves: Option<Vec<String>>, since: Instant) -> String {
        let (number, player, seconds) = match &mut *self.lock() {
            Some(session) if session.id == id.to_lowercase() && !session.at_work => {
                (session.at_work, session.heard) = (true, Instant::now());
                (session.number, Arc::clone(&session.player), session.play)
            }
            _ => return BUSY.to_string(),
        };
        let spent = || since.elapsed().as_secs_f64();
        let result = player
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .choose(moves.as_deref(), &Clock::new(seconds, &spent));
        if let Some(session) = self.lock().as_mut().filter(|session| session.number == number) {
            (session.at_work, session.heard) = (false, Instant::now());
        } else {
            return BUSY.to_string();
        }
        result.unwrap_or_else(|trouble| {
            if trouble != Trouble::TimeOut {
                self.log(id, &trouble.to_string());
            }
            // The most common of all moves, where no legal one is known.
            "noop".to_string()
        })
    }

    fn end(&self, id: &str, word: &str, tell: impl FnOnce(&mut dyn Player, f64)) -> String {
        let session = {
            let mut now = self.lock();
            if now.as_ref().is_none_or(|session| session.id != id.to_lowercase()) {
                return BUSY.to_string();
            }
            now.take()
        };
        // Whoever is at work for this match is told to stop by the session's end, and forgets it then.
        if let Some(session) = session
            && let Ok(mut player) = session.player.try_lock()
        {
            tell(&mut **player, session.play);
        }
        self.log(id, word);
        word.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str =
        "(role a) (role b) (init (step 1)) (succ 1 2) (succ 2 3) (legal a Go) (legal a wait) (legal b noop)
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= terminal (true (step 3)))
        (<= (goal ?r 100) (role ?r))";

    fn office() -> Office {
        Office::new("Tester".into(), Settings::read("legal").expect("a player"), 1)
    }

    fn ask(office: &Office, message: &str) -> String {
        office.answer(Call { message: message.to_string(), since: Instant::now() }).body
    }

    #[test]
    fn a_match_from_beginning_to_end() {
        let office = office();
        assert_eq!(ask(&office, "( INFO )"), "( ( name Tester ) ( status available ) )");
        assert_eq!(ask(&office, &format!("( START M.1 A ( {RULES} ) 5 5 )")), "ready");
        assert_eq!(ask(&office, ""), "( ( name Tester ) ( status busy ) )");
        assert_eq!(ask(&office, &format!("( START M.2 a ( {RULES} ) 5 5 )")), "busy");
        assert_eq!(ask(&office, "( PLAY M.1 NIL )"), "Go");
        assert_eq!(ask(&office, "( PLAY M.2 NIL )"), "busy");
        assert_eq!(ask(&office, "( PLAY m.1 ( GO NOOP ) )"), "Go");
        assert_eq!(ask(&office, "( STOP M.2 NIL )"), "busy");
        assert_eq!(ask(&office, "( STOP M.1 ( go noop ) )"), "done");
        assert_eq!(ask(&office, "( STOP M.1 ( go noop ) )"), "busy");
        assert_eq!(ask(&office, "( info )"), "( ( name Tester ) ( status available ) )");
    }

    #[test]
    fn wrong_order_and_wrong_rules() {
        let office = office();
        assert_eq!(ask(&office, "( PLAY M.1 NIL )"), "busy");
        assert_eq!(ask(&office, "( ABORT M.1 )"), "busy");
        assert_eq!(ask(&office, "( START M a ( (role a) ) 1 1 )"), "busy");
        assert_eq!(ask(&office, "( START M c ( (role a) (legal a b) (<= terminal (true x)) ) 1 1 )"), "busy");
        assert_eq!(ask(&office, "( START M a ( (role a) (legal a 1 1 )"), "START lacks the start clock");
        assert_eq!(ask(&office, "( PREVIEW ( (role a) ) 1 )"), "ready");
        assert_eq!(ask(&office, &format!("( START M a ( {RULES} ) 5 5 )")), "ready");
        // Moves before the beginning, moves that nobody can make, too few of them.
        assert_eq!(ask(&office, "( PLAY M ( jump noop ) )"), "noop");
        assert_eq!(ask(&office, "( PLAY M ( go ) )"), "noop");
        assert_eq!(ask(&office, "( ABORT M )"), "aborted");
        assert_eq!(ask(&office, "( info )"), "( ( name Tester ) ( status available ) )");
    }
}
