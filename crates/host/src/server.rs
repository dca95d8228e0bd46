//! The player as a server: one match at a time, and an answer to every message, in whatever order they come.

use crate::http::{Request as Call, Response};
use crate::players::{Players, no_people};
use agent::{Loading, PlayerSpec};
use game::Cancel;
use play::message::{Info, Request};
use play::{Clock, Player, Start, Trouble};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// See the module.
pub struct PlayerServer {
    name: String,
    spec: PlayerSpec,
    players: Players,
    log: Box<dyn Fn(&str) + Send + Sync>,
    seed: AtomicU64,
    match_now: Mutex<Option<Match>>,
    number: AtomicU64,
    /// Rules that are being read because of a PREVIEW.
    previews: Arc<AtomicUsize>,
}

/// PREVIEWs that are worked on at the same time.
const MOST_PREVIEWS: usize = 2;

/// Rules that are made into engines at the same time: those of the match at hand, and those of one that was given up a moment
/// ago.
const MOST_LOADING: usize = 2;

/// The most memory for rules that somebody has sent; less where less is free.
const MOST_MEMORY: u64 = 2 << 30;

/// The match being played.
struct Match {
    /// Tells it from all others, even those of the same name.
    number: u64,
    id: String,
    player: Arc<Mutex<Box<dyn Player>>>,
    /// Ends everything that is done for the match.
    cancel: Cancel,
    /// Ends the work at hand.
    question: Cancel,
    play: f64,
    /// Requests that the player is at work for, or will be.
    at_work: usize,
    /// Whether somebody waits for the player to end the work at hand.
    is_awaited: bool,
    /// When the manager was last heard of, and how long it may be silent before another match may begin.
    heard: Instant,
    patience: Duration,
}

impl Match {
    fn is_stale(&self) -> bool {
        self.at_work == 0 && self.heard.elapsed() > self.patience
    }
}

impl Drop for Match {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

const BUSY: &str = "busy";

impl PlayerServer {
    /// A server of this name, whose players play in this way, one after the other: what they see of delays is shared, and
    /// what loading rules may take is limited, since anybody can send them. What happens in matches is told to `log`, line
    /// by line.
    pub fn new(
        name: String,
        spec: PlayerSpec,
        seed: u64,
        mut players: Players,
        log: impl Fn(&str) + Send + Sync + 'static,
    ) -> PlayerServer {
        let memory = platform::memory::budget(None).min(MOST_MEMORY) as usize;
        players.resources.loading = Arc::new(Loading::within(memory, MOST_LOADING));
        let (seed, number) = (AtomicU64::new(seed), AtomicU64::new(0));
        let log = Box::new(log);
        PlayerServer { name, spec, players, log, seed, match_now: Mutex::new(None), number, previews: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Match>> {
        self.match_now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn log(&self, id: &str, what: &str) {
        let line: String = format!("match {id}: {what}").chars().take(300).collect();
        (self.log)(&line);
    }

    /// Answers a call.
    pub fn answer(&self, call: Call) -> Response {
        match Request::read(&call.message) {
            Ok(request) => Response { status: 200, body: self.reply(request, call.since) },
            Err(bad) => {
                let line: String = format!("refused a message: {bad}").chars().take(300).collect();
                (self.log)(&line);
                Response { status: 400, body: bad.to_string() }
            }
        }
    }

    /// The match at hand is over, because the server ends. Says whether there was one.
    pub fn end_match(&self) -> bool {
        let session = self.lock().take();
        if let Some(session) = &session {
            self.log(&session.id, "ended: the player was asked to end");
        }
        session.is_some()
    }

    fn reply(&self, request: Request, since: Instant) -> String {
        match request {
            Request::Info => {
                let busy = self.lock().as_ref().is_some_and(|session| !session.is_stale());
                let status = if busy { BUSY } else { "available" };
                Info { name: Some(self.name.clone()), status: status.to_string() }.to_string()
            }
            Request::Start { id, role, rules, start, play } => {
                self.start(Start { id, role, rules, start, play, cancel: Cancel::new() }, since).to_string()
            }
            Request::Play { id, moves } => self.play(&id, moves, since),
            Request::Stop { id, moves } => self.end(&id, "done", |player, play| {
                player.stop(moves.as_deref(), &Clock::new(play, &|| since.elapsed().as_secs_f64()));
            }),
            Request::Abort { id } => self.end(&id, "aborted", |player, _| {
                player.abort(&Clock::new(1.0, &|| since.elapsed().as_secs_f64()));
            }),
            Request::Preview { rules, clock } => self.preview(rules, clock, since).to_string(),
        }
    }

    /// Reading is all that is done with it: what may never be played is not worth more.
    fn preview(&self, rules: String, clock: f64, since: Instant) -> &'static str {
        if self.lock().as_ref().is_some_and(|session| !session.is_stale()) {
            return BUSY;
        }
        if self.previews.fetch_add(1, Ordering::SeqCst) >= MOST_PREVIEWS {
            self.previews.fetch_sub(1, Ordering::SeqCst);
            return BUSY;
        }
        let (sender, receiver) = mpsc::channel();
        let previews = Arc::clone(&self.previews);
        let memory = self.players.resources.loading.memory;
        let until = since + Duration::from_secs_f64((clock * 0.9).max(0.1));
        let reader = thread::Builder::new().name("preview".into()).spawn(move || {
            let limits = gdl::Limits { stop: &|| Instant::now() >= until, memory };
            let good = gdl::parse_within(&rules, &limits).is_ok_and(|parsed| parsed.problems.is_empty());
            drop(rules);
            previews.fetch_sub(1, Ordering::SeqCst);
            let _ = sender.send(good);
        });
        if reader.is_err() {
            self.previews.fetch_sub(1, Ordering::SeqCst);
            return BUSY;
        }
        match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(true) => "ready",
            _ => BUSY,
        }
    }

    fn start(&self, start: Start, since: Instant) -> &'static str {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let seed = self.seed.fetch_add(1, Ordering::Relaxed);
        let Ok(player) = self.players.make(&self.spec, seed, &no_people) else { return BUSY };
        let cancel = start.cancel.clone();
        let question = cancel.child();
        let player = Arc::new(Mutex::new(player));
        // Nobody comes before us: what is asked of a player before it is prepared it cannot answer.
        let mut own = player.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut now = self.lock();
            if now.as_ref().is_some_and(|session| !session.is_stale()) {
                return BUSY;
            }
            let patience = Duration::from_secs_f64((start.start + 10.0 * start.play + 60.0).min(1e6));
            *now = Some(Match {
                number,
                id: start.id.to_lowercase(),
                player: Arc::clone(&player),
                cancel,
                question: question.clone(),
                play: start.play,
                at_work: 1,
                is_awaited: false,
                heard: Instant::now(),
                patience,
            });
        }
        self.log(&start.id, &format!("begins; my role is {}", start.role));
        let spent = || since.elapsed().as_secs_f64();
        let result = own.prepare(&start, &Clock::new(start.start, &spent).until(&question));
        drop(own);
        let mut now = self.lock();
        let Some(session) = now.as_mut().filter(|session| session.number == number) else { return BUSY };
        match result {
            Ok(()) => {
                session.at_work -= 1;
                session.heard = Instant::now();
                "ready"
            }
            Err(trouble) => {
                let gone = now.take();
                drop(now);
                drop(gone);
                self.log(&start.id, &format!("cannot be played: {trouble}"));
                BUSY
            }
        }
    }

    /// Somebody who asks while the player is still at work for an earlier question of the same match has given up waiting
    /// for that answer: the work ends, and the new question counts. One at a time may wait for that.
    fn play(&self, id: &str, moves: Option<Vec<String>>, since: Instant) -> String {
        let (number, player, seconds, cancel) = {
            let mut now = self.lock();
            let Some(session) = now.as_mut().filter(|session| session.id == id.to_lowercase() && !session.is_awaited)
            else {
                return BUSY.to_string();
            };
            if session.at_work > 0 {
                session.is_awaited = true;
                session.question.cancel();
            }
            session.at_work += 1;
            session.heard = Instant::now();
            (session.number, Arc::clone(&session.player), session.play, session.cancel.child())
        };
        let mut player = player.lock().unwrap_or_else(PoisonError::into_inner);
        match self.lock().as_mut().filter(|session| session.number == number) {
            Some(session) => {
                session.is_awaited = false;
                session.question = cancel.clone();
            }
            None => return BUSY.to_string(),
        }
        let spent = || since.elapsed().as_secs_f64();
        let result = player.choose(moves.as_deref(), &Clock::new(seconds, &spent).until(&cancel));
        drop(player);
        match self.lock().as_mut().filter(|session| session.number == number) {
            Some(session) => {
                session.at_work -= 1;
                session.heard = Instant::now();
            }
            None => return BUSY.to_string(),
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

    fn server(player: &str) -> PlayerServer {
        let spec = player.parse().expect("a player");
        PlayerServer::new("Tester".into(), spec, 1, Players::default(), |_| {})
    }

    fn ask(server: &PlayerServer, message: &str) -> String {
        server.answer(Call { message: message.to_string(), since: Instant::now() }).body
    }

    #[test]
    fn a_match_from_beginning_to_end() {
        let server = server("legal");
        assert_eq!(ask(&server, "( INFO )"), "( ( name Tester ) ( status available ) )");
        assert_eq!(ask(&server, &format!("( START M.1 A ( {RULES} ) 5 5 )")), "ready");
        assert_eq!(ask(&server, ""), "( ( name Tester ) ( status busy ) )");
        assert_eq!(ask(&server, &format!("( START M.2 a ( {RULES} ) 5 5 )")), "busy");
        assert_eq!(ask(&server, "( PLAY M.1 NIL )"), "Go");
        assert_eq!(ask(&server, "( PLAY M.2 NIL )"), "busy");
        assert_eq!(ask(&server, "( PLAY m.1 ( GO NOOP ) )"), "Go");
        assert_eq!(ask(&server, "( STOP M.2 NIL )"), "busy");
        assert_eq!(ask(&server, "( STOP M.1 ( go noop ) )"), "done");
        assert_eq!(ask(&server, "( STOP M.1 ( go noop ) )"), "busy");
        assert_eq!(ask(&server, "( info )"), "( ( name Tester ) ( status available ) )");
    }

    #[test]
    fn wrong_order_and_wrong_rules() {
        let server = server("legal");
        assert_eq!(ask(&server, "( PLAY M.1 NIL )"), "busy");
        assert_eq!(ask(&server, "( ABORT M.1 )"), "busy");
        assert_eq!(ask(&server, "( START M a ( (role a) ) 1 1 )"), "busy");
        assert_eq!(ask(&server, "( START M c ( (role a) (legal a b) (<= terminal (true x)) ) 1 1 )"), "busy");
        assert_eq!(ask(&server, "( START M a ( (role a) (legal a 1 1 )"), "START lacks the start clock");
        assert_eq!(ask(&server, "( PREVIEW ( (role a) ) 1 )"), "ready");
        assert_eq!(ask(&server, &format!("( START M a ( {RULES} ) 5 5 )")), "ready");
        // Moves that nobody can make, too few of them, too many: there is a legal move all the same.
        assert_eq!(ask(&server, "( PLAY M ( jump noop ) )"), "Go");
        assert_eq!(ask(&server, "( PLAY M ( go ) )"), "Go");
        assert_eq!(ask(&server, "( PLAY M ( go noop noop ) )"), "Go");
        assert_eq!(ask(&server, "( ABORT M )"), "aborted");
        assert_eq!(ask(&server, "( info )"), "( ( name Tester ) ( status available ) )");
    }

    /// A and b take turns, three times each, with other moves each time.
    const TURNS: &str =
        "(role a) (role b) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
        (turn a 1) (turn b 2) (turn a 3) (turn b 4) (turn a 5) (turn b 6) (other a b) (other b a) (kind x) (kind y)
        (<= (legal ?r (do ?k ?n)) (true (step ?n)) (turn ?r ?n) (kind ?k))
        (<= (legal ?r noop) (true (step ?n)) (turn ?q ?n) (other ?q ?r))
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= terminal (true (step 7))) (<= (goal ?r 100) (role ?r))";

    #[test]
    fn one_wrong_message_does_not_spoil_the_match() {
        let server = server("legal");
        assert_eq!(ask(&server, &format!("( START M a ( {TURNS} ) 5 5 )")), "ready");
        assert_eq!(ask(&server, "( PLAY M NIL )"), "(do x 1)");
        assert_eq!(ask(&server, "( PLAY M NIL )"), "(do x 1)", "asked again");
        for wrong in ["( (do z 1) noop )", "( (do x 1) )", "( (do x 1) noop noop )", "( noop noop )", "( ( ) noop )"] {
            assert_eq!(ask(&server, &format!("( PLAY M {wrong} )")), "(do x 1)", "{wrong}");
        }
        // The right one after all, and again.
        assert_eq!(ask(&server, "( PLAY M ( (do y 1) noop ) )"), "noop");
        assert_eq!(ask(&server, "( PLAY M ( (DO Y 1) noop ) )"), "noop");
        assert_eq!(ask(&server, "( PLAY M ( noop (do x 2) ) )"), "(do x 3)");
        assert_eq!(ask(&server, "( PLAY M ( noop (do x 2) ) )"), "(do x 3)");
        assert_eq!(ask(&server, "( PLAY M NIL )"), "(do x 3)");
        assert_eq!(ask(&server, "( PLAY M ( (do x 3) noop ) )"), "noop");
        assert_eq!(ask(&server, "( STOP M NIL )"), "done");
    }

    #[test]
    fn the_same_step_twice_is_two_steps_where_it_can_be() {
        let server = server("legal");
        assert_eq!(ask(&server, &format!("( START M a ( {RULES} ) 5 5 )")), "ready");
        assert_eq!(ask(&server, "( PLAY M NIL )"), "Go");
        assert_eq!(ask(&server, "( PLAY M ( go noop ) )"), "Go");
        // It is what was answered, so it is what happened. Then the game is over, and there is nothing left to do.
        assert_eq!(ask(&server, "( PLAY M ( go noop ) )"), "noop");
    }

    #[test]
    fn without_any_time_there_is_a_legal_move() {
        let rules = TURNS.replace("noop", "pass");
        for player in ["legal", "uct", "portfolio:tables=false"] {
            let server = server(player);
            assert_eq!(ask(&server, &format!("( START M a ( {rules} ) 0 0 )")), "ready");
            let mv = ask(&server, "( PLAY M NIL )");
            assert!(mv.starts_with("(do "), "{player}: {mv}");
            assert_eq!(ask(&server, &format!("( PLAY M ( {mv} pass ) )")), "pass", "{player}");
        }
    }

    #[test]
    fn who_asks_the_next_question_is_not_kept_waiting() {
        let server = server("uct");
        let rules = TURNS.replace("(kind y)", "(kind y) (kind z)");
        assert_eq!(ask(&server, &format!("( START M a ( {rules} ) 1 60 )")), "ready");
        let began = Instant::now();
        thread::scope(|scope| {
            let first = scope.spawn(|| ask(&server, "( PLAY M NIL )"));
            thread::sleep(Duration::from_millis(100));
            // Whoever asked is gone, and the manager has made a move for us.
            assert_eq!(ask(&server, "( PLAY M ( (do z 1) noop ) )"), "noop");
            assert!(first.join().expect("no crash").starts_with("(do "));
        });
        assert_eq!(ask(&server, "( ABORT M )"), "aborted");
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    }

    #[test]
    fn unknown_roles_are_refused_at_once_and_nothing_hangs() {
        let server = server("uct");
        let began = Instant::now();
        assert_eq!(ask(&server, &format!("( START M nobody ( {TURNS} ) 30 5 )")), "busy");
        // Here the roles are not facts, and it takes an engine to find out.
        let rules = TURNS.replace("(role a)", "(<= (role ?r) (person ?r)) (person a)");
        assert_eq!(ask(&server, &format!("( START M nobody ( {rules} ) 30 5 )")), "busy");
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
        assert_eq!(ask(&server, "( INFO )"), "( ( name Tester ) ( status available ) )");
        // Rules that turn out to be unplayable in whatever part of the start clock: an answer comes, and the next match can
        // begin.
        let facts: String = (0..30_000).map(|n| format!("(d {n} {n}) ")).collect();
        for clock in [0.1, 0.25, 0.6, 1.5, 3.5] {
            let answer = ask(&server, &format!("( START M a ( (role a) {facts} (<= terminal (d 1 2)) ) {clock} 1 )"));
            assert!(["busy", "ready"].contains(&&answer[..]), "{answer}");
            ask(&server, "( ABORT M )");
            assert_eq!(ask(&server, "( INFO )"), "( ( name Tester ) ( status available ) )");
        }
    }

    #[test]
    fn whoever_begins_and_gives_up_leaves_nothing_behind() {
        let server = server("uct");
        let facts: String = (0..60_000).map(|n| format!("(r{n} a b) ")).collect();
        for number in 0..5 {
            let began = Instant::now();
            let answer = ask(
                &server,
                &format!("( START M{number} a ( (role a) (legal a go) {facts} (<= terminal (r1 c c)) ) 1 1 )"),
            );
            assert!(["busy", "ready"].contains(&&answer[..]), "{answer}");
            assert!(began.elapsed() < Duration::from_millis(1500), "{number}: {:?}", began.elapsed());
            ask(&server, &format!("( ABORT M{number} )"));
            assert!(server.players.resources.loading.at_work() <= MOST_LOADING);
        }
        let until = Instant::now() + Duration::from_secs(20);
        while server.players.resources.loading.at_work() > 0 {
            assert!(Instant::now() < until, "it goes on");
            thread::sleep(Duration::from_millis(10));
        }
        // Whoever finds all places taken hears that before the clock is over, and not that everything is fine.
        let loading = Arc::clone(&server.players.resources.loading);
        let turns: Vec<_> = (0..MOST_LOADING).map(|_| loading.try_turn()).collect();
        let began = Instant::now();
        assert_eq!(ask(&server, &format!("( START M a ( {RULES} ) 1 1 )")), "busy");
        assert!(began.elapsed() < Duration::from_millis(1000), "{:?}", began.elapsed());
        drop(turns);
        assert_eq!(ask(&server, &format!("( START M a ( {RULES} ) 1 1 )")), "ready");
    }

    #[test]
    fn rules_that_take_too_much_memory_are_refused() {
        let mut server = server("uct");
        server.players.resources.loading = Arc::new(Loading::within(1 << 20, 1));
        let facts: String = (0..60_000).map(|n| format!("(r{n} a b) ")).collect();
        assert_eq!(ask(&server, &format!("( START M a ( (role a) (legal a go) {facts} ) 20 1 )")), "busy");
        assert_eq!(ask(&server, &format!("( PREVIEW ( {facts} ) 20 )")), "busy");
        assert_eq!(ask(&server, &format!("( START M a ( {RULES} ) 5 5 )")), "ready");
    }

    #[test]
    fn delays_seen_in_one_match_are_kept_back_in_the_next() {
        let server = server("uct");
        let rules = library::find("connect-four").expect("it is in the library").rules;
        let seconds = |id: &str| {
            assert_eq!(ask(&server, &format!("( START {id} red ( {rules} ) 1 3 )")), "ready");
            let began = Instant::now();
            assert!(ask(&server, &format!("( PLAY {id} NIL )")).starts_with("(drop "));
            let seconds = began.elapsed().as_secs_f64();
            assert_eq!(ask(&server, &format!("( ABORT {id} )")), "aborted");
            seconds
        };
        assert!(seconds("before") < 3.0);
        // A thread that should have run half a second ago: twice that is kept back, and a little less as time goes by.
        server.players.resources.delays.woke(Instant::now() - Duration::from_millis(500));
        let with_reserve = seconds("after");
        assert!(with_reserve < 2.6, "{with_reserve}");
    }

    #[test]
    fn few_previews_at_a_time() {
        let server = server("legal");
        server.previews.store(MOST_PREVIEWS, Ordering::SeqCst);
        assert_eq!(ask(&server, &format!("( PREVIEW ( {RULES} ) 1 )")), "busy");
        server.previews.store(0, Ordering::SeqCst);
        assert_eq!(ask(&server, &format!("( PREVIEW ( {RULES} ) 1 )")), "ready");
        assert_eq!(server.previews.load(Ordering::SeqCst), 0);
        let large = "(d 1 2 3) ".repeat(400_000);
        let began = Instant::now();
        ask(&server, &format!("( PREVIEW ( {large} ) 0.1 )"));
        assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    }
}
