//! A player of this program. Whatever its searcher does, an answer is there in time: the search runs on a thread of its
//! own, and whoever waits for it looks at the clock.

use crate::event::Event;
use crate::pool::{Resources, SessionPool};
use crate::session::Question;
use crate::spec::PlayerSpec;
use game::Cancel;
use machine::EngineKind;
use play::text::folded;
use play::{Clock, Player, Start, Trouble};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// See the module.
pub struct LocalPlayer {
    spec: PlayerSpec,
    seed: u64,
    resources: Resources,
    run: Option<Run>,
}

/// One match.
struct Run {
    pool: Arc<SessionPool>,
    history: Vec<Vec<String>>,
    asked: Option<Asked>,
    pondering: Option<Pondering>,
}

/// A session that thinks although nobody has asked.
struct Pondering {
    cancel: Cancel,
    done: Receiver<Result<(), Trouble>>,
}

impl Pondering {
    /// Ends it, and waits until the session is back with what it has found. One that does not listen is left behind.
    fn end(self) {
        self.cancel.cancel();
        let _ = self.done.recv_timeout(PATIENCE);
    }
}

/// The last question.
struct Asked {
    /// The joint move that came with it, in the form in which moves are compared.
    moves: Option<Vec<Option<String>>>,
    /// What was answered, if there was an answer.
    answer: Option<String>,
}

/// What is to be done about a question.
enum Reading {
    /// It was answered before, or cannot be understood: this was the answer.
    Repeat(String),
    /// The answer to the question before, for the case that what came with this one does not fit.
    Search(Option<String>),
}

impl Run {
    /// Takes note of a question. Messages get lost, and managers ask again: what was asked before is answered as before, and
    /// what cannot be a step is none. `seat` is the number of our role and how many roles there are, as soon as that is known.
    fn hear(&mut self, last: Option<&[String]>, seat: Option<(usize, usize)>) -> Reading {
        let moves: Option<Vec<Option<String>>> = last.map(|texts| texts.iter().map(|text| folded(text)).collect());
        let (same, answer) = match self.asked.take() {
            Some(asked) => (asked.moves == moves, asked.answer),
            None => (false, None),
        };
        // A new step tells what we answered to the question before. (Unless the manager had to replace it; but then it will
        // hardly be the same step again.)
        let own = moves.as_ref().zip(seat).and_then(|(moves, (at, _))| moves.get(at).cloned().flatten());
        let again = same && answer.as_ref().is_none_or(|answer| own.is_none() || own != folded(answer));
        let fits = |texts: &&[String]| seat.map_or(texts.len() <= 255, |(_, count)| texts.len() == count);
        match last.filter(fits) {
            Some(step) if !again => {
                self.history.push(step.to_vec());
                self.asked = Some(Asked { moves, answer: None });
                Reading::Search(answer)
            }
            _ => {
                self.asked = Some(Asked { moves, answer: answer.clone() });
                answer.map_or(Reading::Search(None), Reading::Repeat)
            }
        }
    }
}

/// The part of the start clock in which the best engine is waited for before another one begins to study.
const WAIT: f32 = 0.3;

/// What a manager waits beyond the play clock is a second. Half of it is used, but only where no legal move is known yet.
const GRACE: f64 = 0.5;

/// How long a session that thinks unasked is waited for when it is wanted.
const PATIENCE: Duration = Duration::from_millis(100);

/// How often those who wait for a search look at the clock.
const LOOK: Duration = Duration::from_millis(20);

/// The time kept back, so that an answer is there in time even where threads and networks are slow.
fn margin(seconds: f64) -> f64 {
    (seconds * 0.05).clamp(0.1, 0.5).min(seconds * 0.3)
}

fn after(seconds: f64) -> Instant {
    Instant::now() + Duration::from_secs_f64(seconds.clamp(0.0, play::message::LONGEST_CLOCK))
}

impl LocalPlayer {
    /// A player that plays as the description says. The seed counts where that names none.
    pub fn new(spec: PlayerSpec, seed: u64, resources: Resources) -> LocalPlayer {
        LocalPlayer { spec, seed, resources, run: None }
    }

    fn end(&mut self) {
        if let Some(run) = self.run.take() {
            run.pool.end();
        }
    }

    /// Lets the session that has just answered think on, for as long as others may take for their moves.
    fn ponder(&self, run: &Run, seconds: f64) -> Option<Pondering> {
        if !self.resources.ponders {
            return None;
        }
        let session = run.pool.resting()?;
        let cancel = run.pool.cancel().child();
        let question = Question::new(run.history.clone(), Instant::now(), after(2.0 * seconds), cancel.clone());
        let done = run.pool.at_work(session, &Arc::new(question), |session, question| session.ponder(question)).ok()?;
        Some(Pondering { cancel, done })
    }

    /// The rest of the time before the first move belongs to the searcher, with the best engine so far; a better one takes
    /// over.
    fn study(&self, pool: &Arc<SessionPool>, times: &Times<'_>, cancel: &Cancel) -> Result<(), Trouble> {
        while !pool.is_over(cancel) {
            pool.wait(times.until(), cancel, |now| now.engine.is_some() && now.has_room || now.has_failed);
            let early = times.until().saturating_duration_since(Instant::now()) > LOOK;
            if !early || !pool.standing().has_room {
                break;
            }
            let Some(session) = pool.session() else { break };
            let engine = session.engine();
            let stop = pool.cancel().child();
            let question = Arc::new(Question::new(Vec::new(), Instant::now(), times.until(), stop.clone()));
            let receiver = pool.at_work(session, &question, |session, question| session.prepare(question))?;
            let better = || pool.standing().engine > Some(engine);
            while Instant::now() < times.latest() && !pool.is_over(cancel) && !better() {
                if !matches!(self.receive(&receiver, LOOK), Err(RecvTimeoutError::Timeout)) {
                    break;
                }
            }
            stop.cancel();
            if better() {
                continue;
            }
            if !pool.wait(times.until(), cancel, |now| now.is_complete || now.engine > Some(engine)) || !better() {
                break;
            }
        }
        Ok(())
    }

    /// Waits for a moment, and notes how late that was.
    fn receive<T>(&self, receiver: &Receiver<T>, patience: Duration) -> Result<T, RecvTimeoutError> {
        let planned = Instant::now() + patience;
        let received = receiver.recv_timeout(patience);
        if matches!(received, Err(RecvTimeoutError::Timeout)) {
            self.resources.delays.woke(planned);
        }
        received
    }

    /// Searches for an answer to the question that the history ends with.
    fn search(&self, run: &Run, spare: Option<String>, clock: &Clock<'_>) -> Searched {
        let pool = &run.pool;
        let (kept, left, began) = (margin(clock.seconds), clock.left(), Instant::now());
        let until = after((left - kept).min(self.spec.limits.seconds.unwrap_or(f64::INFINITY)));
        let times =
            Times { until, latest: after(left - kept / 2.0), seconds: clock.seconds, resources: &self.resources };
        let last = after(left + GRACE);
        let cancel = &clock.cancel;
        pool.wait(last, cancel, |now| now.engine.is_some() || now.is_complete);
        let mut questions: Vec<Arc<Question>> = Vec::new();
        let searched = |questions: &[Arc<Question>], answer| Searched {
            answer,
            misfit: questions.iter().find_map(|question| question.misfit()),
        };
        loop {
            let known = questions.iter().any(|question| question.best().is_some());
            let patience = if known { times.latest() } else { last };
            let room = pool.wait(patience, cancel, |now| now.has_room);
            let Some(session) = (if room { pool.session() } else { None }) else {
                let best = questions.iter().find_map(|question| question.best());
                let why = || pool.failed().map_or(Trouble::TimeOut, Trouble::Lost);
                return searched(&questions, best.ok_or_else(why));
            };
            let engine = session.engine();
            let stop = pool.cancel().child();
            let mut question = Question::new(run.history.clone(), began, times.until(), stop.clone());
            question.spare.clone_from(&spare);
            let question = Arc::new(question);
            let receiver = match pool.at_work(session, &question, |session, question| session.think(question)) {
                Ok(receiver) => receiver,
                Err(trouble) => return searched(&questions, Err(trouble)),
            };
            questions.insert(0, Arc::clone(&question));
            let so_far = || questions.iter().find_map(|question| question.best());
            let heard = self.listen(pool, &receiver, engine, &times, last, cancel, &so_far);
            stop.cancel();
            match heard {
                Heard::Answer(Err(Trouble::TimeOut)) | Heard::Silence => {
                    return searched(&questions, so_far().ok_or(Trouble::TimeOut));
                }
                Heard::Answer(answer) => return searched(&questions, answer),
                Heard::BetterEngine => {}
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "what a search waits for, in one place")]
    fn listen(
        &self,
        pool: &SessionPool,
        receiver: &Receiver<Result<String, Trouble>>,
        engine: EngineKind,
        times: &Times<'_>,
        last: Instant,
        cancel: &Cancel,
        so_far: &dyn Fn() -> Option<String>,
    ) -> Heard {
        let enough = times.until().saturating_duration_since(Instant::now()) / 3;
        loop {
            let left = times.latest().saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            match self.receive(receiver, left.min(LOOK)) {
                Ok(answer) => return Heard::Answer(answer),
                // The session has crashed; what it thought best until then still counts.
                Err(RecvTimeoutError::Disconnected) => return Heard::Silence,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = Instant::now();
            if pool.is_over(cancel) || now >= last || now >= times.latest() && so_far().is_some() {
                return Heard::Silence;
            }
            let standing = pool.standing();
            let is_early = times.until().saturating_duration_since(now) > enough;
            if is_early && standing.engine > Some(engine) && standing.has_room {
                return Heard::BetterEngine;
            }
        }
    }
}

impl Drop for LocalPlayer {
    fn drop(&mut self) {
        self.end();
    }
}

/// What came of a search.
struct Searched {
    answer: Result<String, Trouble>,
    /// What is wrong with the last step, if that was noticed.
    misfit: Option<String>,
}

/// When a search has to end; earlier where threads were seen to wake up late.
struct Times<'a> {
    until: Instant,
    latest: Instant,
    seconds: f64,
    resources: &'a Resources,
}

impl Times<'_> {
    fn reserve(&self) -> Duration {
        self.resources.delays.reserve(self.seconds)
    }

    /// Nobody thinks any longer.
    fn until(&self) -> Instant {
        self.until.checked_sub(self.reserve()).unwrap_or(self.until)
    }

    /// Nobody is waited for any longer.
    fn latest(&self) -> Instant {
        self.latest.checked_sub(self.reserve()).unwrap_or(self.latest)
    }
}

impl Player for LocalPlayer {
    fn prepare(&mut self, start: &Start, clock: &Clock<'_>) -> Result<(), Trouble> {
        // Managers wait for the start clock and not longer.
        let kept = margin(clock.seconds).max(0.2).min(clock.seconds * 0.3);
        let until = after(clock.left() - kept);
        let latest = until + Duration::from_secs_f64(kept / 2.0);
        let pool = SessionPool::begin(start, &self.spec, self.seed, &self.resources)?;
        self.run = Some(Run { pool: Arc::clone(&pool), history: Vec::new(), asked: None, pondering: None });
        // Ended by whoever asked, or with the match.
        let cancel = clock.cancel.clone();
        let times = Times { until, latest, seconds: clock.seconds, resources: &self.resources };
        let all = times.until().saturating_duration_since(Instant::now());
        pool.wait(times.until() - all.mul_f32(1.0 - WAIT), &cancel, |now| now.is_complete);
        if pool.failed().is_none() {
            self.study(&pool, &times, &cancel)?;
        }
        if let Some(why) = pool.failed() {
            self.end();
            return Err(Trouble::Lost(why));
        }
        if pool.is_waiting() {
            self.end();
            return Err(Trouble::Busy("the rules of earlier matches are still being loaded".to_string()));
        }
        Ok(())
    }

    fn choose(&mut self, last: Option<&[String]>, clock: &Clock<'_>) -> Result<String, Trouble> {
        let Some(mut run) = self.run.take() else { return Err(Trouble::Lost("there is no match".to_string())) };
        if let Some(pondering) = run.pondering.take() {
            pondering.end();
        }
        let result = match run.hear(last, run.pool.seat()) {
            Reading::Repeat(answer) => Ok(answer),
            Reading::Search(spare) => {
                let searched = self.search(&run, spare, clock);
                // What does not fit did not happen. What was noticed too late is passed over by everybody.
                if let Some(why) = searched.misfit {
                    run.history.pop();
                    self.resources.events.tell(&Event::PassedOver { why });
                }
                searched.answer
            }
        };
        // What was cut short is not repeated: whoever asks again has time for something better.
        if let (Ok(answer), Some(asked), false) = (&result, &mut run.asked, clock.cancel.is_cancelled()) {
            asked.answer = Some(answer.clone());
            run.pondering = self.ponder(&run, clock.seconds);
        }
        self.run = Some(run);
        result
    }

    fn stop(&mut self, _last: Option<&[String]>, _clock: &Clock<'_>) {
        self.end();
    }

    fn abort(&mut self, _clock: &Clock<'_>) {
        self.end();
    }
}

/// What came of waiting for a session.
enum Heard {
    Answer(Result<String, Trouble>),
    Silence,
    /// A better engine is ready, and it is early enough to begin anew with it.
    BetterEngine,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two players count up; whoever says 9 wins.
    const RULES: &str = "(role a) (role b) (init (at 0)) (init (turn a)) (other a b) (other b a)
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
        (<= (legal ?r (say ?y)) (true (turn ?r)) (true (at ?x)) (succ ?x ?y))
        (<= (legal ?r (say ?z)) (true (turn ?r)) (true (at ?x)) (succ ?x ?y) (succ ?y ?z))
        (<= (legal ?r wait) (true (turn ?s)) (other ?s ?r))
        (<= (next (at ?x)) (does ?r (say ?x))) (<= (next (turn ?r)) (true (turn ?s)) (other ?s ?r))
        (<= terminal (true (at 9))) (<= terminal (true (at 10)))
        (<= (goal ?r 100) (true (at 9)) (true (turn ?s)) (other ?s ?r)) (<= (goal ?r 0) (true (at 9)) (true (turn ?r)))
        (<= (goal ?r 50) (true (at 10)))";

    /// Asks with a clock of so many seconds from now on.
    fn asked<T>(seconds: f64, work: impl FnOnce(&Clock<'_>) -> T) -> T {
        let began = Instant::now();
        work(&Clock::new(seconds, &move || began.elapsed().as_secs_f64()))
    }

    #[test]
    fn who_ponders_answers_in_time_all_the_same() {
        for ponders in [true, false] {
            let mut player = LocalPlayer::new("uct".parse().unwrap(), 1, Resources { ponders, ..Resources::default() });
            let (id, role, rules) = ("m".to_string(), "b".to_string(), RULES.to_string());
            let start = Start { id, role, rules, start: 5.0, play: 5.0, cancel: Cancel::default() };
            asked(5.0, |clock| player.prepare(&start, clock)).unwrap();
            assert_eq!(asked(5.0, |clock| player.choose(None, clock)).unwrap(), "wait");
            assert_eq!(player.run.as_ref().is_some_and(|run| run.pondering.is_some()), ponders);
            let began = Instant::now();
            let last = ["(say 1)".to_string(), "wait".to_string()];
            // From 1 the way to win is 3; that is proved long before the time is over.
            assert_eq!(asked(5.0, |clock| player.choose(Some(&last), clock)).unwrap(), "(say 3)");
            assert!(began.elapsed() < Duration::from_secs(4));
            // What was thought about is not where the match is: nobody can say 7 after 3.
            let misfit = ["(say 7)".to_string(), "(say 3)".to_string()];
            assert_eq!(asked(5.0, |clock| player.choose(Some(&misfit), clock)).unwrap(), "(say 3)");
        }
    }
}
