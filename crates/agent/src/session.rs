//! A searcher at work for one role in one match: follows the moves as text, searches, and answers as text.

use crate::position::Position;
use crate::searcher::{Knowledge, searcher};
use crate::spec::PlayerSpec;
use game::random::Rng;
use game::{Cancel, Limit, Move, Names, Role};
use machine::{Engine, EngineKind};
use play::Trouble;
use search::{Budget, Monitor, Searcher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// With more legal moves than this nothing is to be gained by thinking: a search would not even get to know them all, but
/// would need long to begin and to end.
const MOST_LEGAL: usize = 20_000;

fn lost(limit: Limit) -> Trouble {
    Trouble::Lost(limit.to_string())
}

/// Tells the best move so far.
type Best = Box<dyn Fn() -> Option<String> + Send>;

/// What is asked of a session.
pub struct Question {
    /// All joint moves so far. All but the last were found to fit, or there was no time to find out.
    pub history: Vec<Vec<String>>,
    /// What was answered to the question before: it is answered again if the last joint move does not fit.
    pub spare: Option<String>,
    /// When the time began.
    pub began: Instant,
    /// When it ends.
    pub until: Instant,
    /// Ends this search before its time.
    pub cancel: Cancel,
    /// What is wrong with the last joint move, once that is known.
    misfit: Mutex<Option<String>>,
    best: Mutex<Option<Best>>,
}

impl Question {
    /// A question to be answered between two moments.
    pub fn new(history: Vec<Vec<String>>, began: Instant, until: Instant, cancel: Cancel) -> Question {
        let (misfit, best) = (Mutex::new(None), Mutex::new(None));
        Question { history, spare: None, began, until, cancel, misfit, best }
    }

    /// What is wrong with the last joint move, if that was found out.
    pub fn misfit(&self) -> Option<String> {
        self.misfit.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The best move so far; there is one from the moment on in which the legal moves are known.
    pub fn best(&self) -> Option<String> {
        self.best.lock().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(|best| best())
    }

    /// Which part of the time is gone; more than all of it if somebody said stop.
    fn spent(&self) -> f32 {
        if self.cancel.is_cancelled() {
            return 2.0;
        }
        let all = self.until.saturating_duration_since(self.began).as_secs_f32();
        if all <= 0.0 { 2.0 } else { self.began.elapsed().as_secs_f32() / all }
    }
}

/// A searcher for one role, and the position it has followed the match to.
pub struct Session {
    position: Position,
    role: Role,
    spec: PlayerSpec,
    seed: u64,
    searcher: Box<dyn Searcher<Engine>>,
    followed: usize,
    rng: Rng,
}

impl Session {
    /// A session at the beginning of a match. The seed counts where the description names none.
    pub fn new(engine: Engine, role: Role, spec: &PlayerSpec, seed: u64, knowledge: &Arc<Knowledge>) -> Session {
        let seed = spec.seed.unwrap_or(seed);
        Session {
            searcher: searcher(spec, &engine, knowledge),
            role,
            spec: spec.clone(),
            seed,
            followed: 0,
            rng: Rng::new(seed),
            position: Position::start(engine),
        }
    }

    /// The engine it thinks with; the better one is preferred.
    pub fn engine(&self) -> EngineKind {
        self.position.engine().kind()
    }

    /// Makes the moves of the history that were not made yet. What does not fit is passed over, so that one wrong message
    /// does not spoil the rest of the match; about the last joint move the question is told.
    fn follow(&mut self, question: &Question) -> Result<(), Trouble> {
        while let Some(texts) = question.history.get(self.followed) {
            let joint = match self.position.joint(texts).map_err(lost)? {
                Ok(joint) => joint,
                Err(misfit) if self.followed + 1 == question.history.len() => {
                    // Whoever asked takes it out of the history.
                    *question.misfit.lock().unwrap_or_else(PoisonError::into_inner) = Some(misfit);
                    return Ok(());
                }
                Err(_) => {
                    self.followed += 1;
                    continue;
                }
            };
            self.position.play(&joint).map_err(lost)?;
            self.followed += 1;
        }
        Ok(())
    }

    fn budget<'a>(&self, question: &Question, spent: &'a (dyn Fn() -> f32 + Sync)) -> Budget<'a> {
        let seconds = question.until.saturating_duration_since(question.began).as_secs_f32();
        // Another seed for every move.
        let seed = self.seed.wrapping_add(self.followed as u64);
        Budget { seed, seconds: Some(seconds), ..self.spec.budget(spent, self.seed) }
    }

    /// The legal moves of the role.
    fn legal(&mut self) -> Result<Vec<Move>, Trouble> {
        let legal = self.position.legal(self.role).map_err(lost)?;
        if legal.is_empty() { Err(Trouble::Lost("there is no legal move".to_string())) } else { Ok(legal) }
    }

    /// Uses the time before the first move.
    pub fn prepare(&mut self, question: &Question) -> Result<(), Trouble> {
        let legal = self.legal()?;
        if !self.spec.prepares() || legal.len() > MOST_LEGAL || question.spent() >= 1.0 {
            return Ok(());
        }
        let spent = || question.spent();
        let budget = self.budget(question, &spent);
        // A limit during the preparation does not keep anybody from playing.
        let _ = self.searcher.prepare(self.position.engine(), self.position.state(), self.role, &budget);
        Ok(())
    }

    /// Uses the time in which others decide: where our role had nothing to choose, what it may have to answer is thought about
    /// already. Where moves or games are counted nothing is done: the same seed has to give the same moves.
    pub fn ponder(&mut self, question: &Question) -> Result<(), Trouble> {
        self.follow(question)?;
        let spent = || question.spent();
        let budget = self.budget(question, &spent);
        let is_counted = budget.nodes.is_some() || budget.playouts.is_some();
        if !self.spec.prepares() || is_counted || self.position.is_over().map_err(lost)? || self.legal()?.len() != 1 {
            return Ok(());
        }
        // A limit on the way only ends it.
        let _ = self.searcher.ponder(self.position.engine(), self.position.state(), self.role, &budget);
        Ok(())
    }

    /// Chooses a move.
    pub fn think(&mut self, question: &Question) -> Result<String, Trouble> {
        self.follow(question)?;
        if let (Some(_), Some(spare)) = (question.misfit(), &question.spare) {
            return Ok(spare.clone());
        }
        let legal = self.legal()?;
        // Something legal before anything else.
        let monitor = Arc::new(Monitor::new());
        let first = legal[self.rng.below(legal.len())];
        monitor.set_best(first, 0.0);
        let (engine, shared) = (self.position.engine().clone(), Arc::clone(&monitor));
        let best: Best = Box::new(move || shared.best().map(|(mv, _)| engine.move_text(mv)));
        *question.best.lock().unwrap_or_else(PoisonError::into_inner) = Some(best);
        if let [only] = legal[..] {
            return Ok(self.position.engine().move_text(only));
        }
        if self.spec.thinks() && (legal.len() > MOST_LEGAL || question.spent() >= 1.0) {
            return Ok(self.position.engine().move_text(first));
        }
        let spent = || question.spent();
        let budget = self.budget(question, &spent);
        let found = self.searcher.search(self.position.engine(), self.position.state(), self.role, &budget, &monitor);
        let found = found.ok().and_then(|found| found.mv).filter(|mv| legal.contains(mv));
        let mv = found.or_else(|| monitor.best().map(|(mv, _)| mv)).unwrap_or(first);
        Ok(self.position.engine().move_text(mv))
    }
}
