//! A searcher at work for one role in one match: follows the moves as text, searches, and answers as text.

use super::kinds::{Plan, Shared, Thinker};
use game::random::Rng;
use game::{Limit, Move, Names, Role, roles};
use gdl::Rules;
use play::Trouble;
use play::text::folded;
use search::{Budget, Latest, Searcher};
use std::sync::atomic::{AtomicBool, Ordering};
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

/// What is asked of a mind.
pub struct Order {
    /// All joint moves so far. All but the last were found to fit, or there was no time to find out.
    pub history: Vec<Vec<String>>,
    /// What was answered to the question before: it is answered again if the last joint move does not fit.
    pub spare: Option<String>,
    /// When the time began.
    pub began: Instant,
    /// When it ends.
    pub until: Instant,
    /// Ends this search before its time.
    pub stop: AtomicBool,
    /// Ends everything: the match is over.
    pub over: Arc<AtomicBool>,
    /// What is wrong with the last joint move, once that is known.
    misfit: Mutex<Option<String>>,
    best: Mutex<Option<Best>>,
}

impl Order {
    /// An order to be carried out between two moments.
    pub fn new(history: Vec<Vec<String>>, began: Instant, until: Instant, over: Arc<AtomicBool>) -> Order {
        let (stop, misfit, best) = (AtomicBool::new(false), Mutex::new(None), Mutex::new(None));
        Order { history, spare: None, began, until, stop, over, misfit, best }
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
        if self.stop.load(Ordering::Relaxed) || self.over.load(Ordering::Relaxed) {
            return 2.0;
        }
        let all = self.until.saturating_duration_since(self.began).as_secs_f32();
        if all <= 0.0 { 2.0 } else { self.began.elapsed().as_secs_f32() / all }
    }
}

/// A mind, whatever engine it thinks with.
pub trait Mind: Send {
    /// How good its engine is; the better one is preferred.
    fn rank(&self) -> u8;
    /// Uses the time before the first move.
    fn prepare(&mut self, order: &Order) -> Result<(), Trouble>;
    /// Chooses a move.
    fn think(&mut self, order: &Order) -> Result<String, Trouble>;
}

/// A mind that thinks with this engine.
pub struct MindOf<G: Thinker> {
    game: Arc<G>,
    role: Role,
    rank: u8,
    plan: Plan,
    searcher: Box<dyn Searcher<G>>,
    state: G::State,
    view: G::View,
    followed: usize,
    rng: Rng,
}

impl<G: Thinker> MindOf<G> {
    /// A mind at the beginning of a match.
    pub fn new(game: Arc<G>, rules: &Arc<Rules>, role: Role, rank: u8, plan: &Plan, shared: &Shared) -> MindOf<G> {
        MindOf {
            searcher: plan.searcher(&game, rules, shared),
            role,
            rank,
            plan: plan.clone(),
            state: game.start(),
            view: game.view(),
            followed: 0,
            rng: Rng::new(plan.seed),
            game,
        }
    }

    /// Makes the moves of the history that were not made yet. What does not fit is passed over, so that one wrong message
    /// does not spoil the rest of the match; about the last joint move the order is told.
    fn follow(&mut self, order: &Order) -> Result<(), Trouble> {
        while let Some(texts) = order.history.get(self.followed) {
            let joint = match self.joint(texts)? {
                Ok(joint) => joint,
                Err(misfit) if self.followed + 1 == order.history.len() => {
                    // Whoever gave the order takes it out of the history.
                    *order.misfit.lock().unwrap_or_else(PoisonError::into_inner) = Some(misfit);
                    return Ok(());
                }
                Err(_) => {
                    self.followed += 1;
                    continue;
                }
            };
            let mut next = self.state.clone();
            self.game.play(&mut self.view, &joint, &mut next).map_err(lost)?;
            self.state = next;
            self.followed += 1;
        }
        Ok(())
    }

    /// The legal moves of these names, one for each role; or why they are not.
    fn joint(&mut self, texts: &[String]) -> Result<Result<Vec<Move>, String>, Trouble> {
        let game = &*self.game;
        game.look(&self.state, &mut self.view).map_err(lost)?;
        if game.over(&self.view) || texts.len() != game.roles() {
            let what =
                if game.over(&self.view) { "the game was over before" } else { "one move for each role is wanted" };
            let texts: String = texts.join(" ").chars().take(100).collect();
            return Ok(Err(format!("the moves ({texts}) do not fit: {what}")));
        }
        let (mut joint, mut legal) = (Vec::new(), Vec::new());
        for (role, text) in roles(game).zip(texts) {
            legal.clear();
            game.legal(&self.view, role, &mut legal);
            let wanted = folded(text);
            // What a game says is in canonical form.
            let is = |text: &str, wanted: &str| {
                text.eq_ignore_ascii_case(wanted) || !text.is_ascii() && text.to_lowercase() == wanted
            };
            let found = wanted.and_then(|wanted| legal.iter().find(|mv| is(&game.move_text(**mv), &wanted)));
            match found {
                Some(&mv) => joint.push(mv),
                None => {
                    let text: String = text.chars().take(100).collect();
                    return Ok(Err(format!("{} has no legal move {text}, which was played", game.role_name(role))));
                }
            }
        }
        Ok(Ok(joint))
    }

    fn budget<'a>(&self, spent: &'a (dyn Fn() -> f32 + Sync)) -> Budget<'a> {
        let mut budget = Budget::timed(spent, self.plan.seed.wrapping_add(self.followed as u64));
        (budget.nodes, budget.playouts) = (self.plan.nodes, self.plan.playouts);
        budget.memory = self.plan.memory;
        budget
    }

    /// The legal moves of the role.
    fn legal(&mut self) -> Result<Vec<Move>, Trouble> {
        self.game.look(&self.state, &mut self.view).map_err(lost)?;
        let mut legal = Vec::new();
        if !self.game.over(&self.view) {
            self.game.legal(&self.view, self.role, &mut legal);
        }
        if legal.is_empty() { Err(Trouble::Lost("there is no legal move".to_string())) } else { Ok(legal) }
    }
}

impl<G: Thinker> Mind for MindOf<G> {
    fn rank(&self) -> u8 {
        self.rank
    }

    fn prepare(&mut self, order: &Order) -> Result<(), Trouble> {
        let legal = self.legal()?;
        if !self.plan.prepares() || legal.len() > MOST_LEGAL || order.spent() >= 1.0 {
            return Ok(());
        }
        let spent = || order.spent();
        let budget = self.budget(&spent);
        // A limit during the preparation does not keep anybody from playing.
        let _ = self.searcher.prepare(&self.game, &self.state, self.role, &budget);
        Ok(())
    }

    fn think(&mut self, order: &Order) -> Result<String, Trouble> {
        self.follow(order)?;
        if let (Some(_), Some(spare)) = (order.misfit(), &order.spare) {
            return Ok(spare.clone());
        }
        let legal = self.legal()?;
        // Something legal before anything else.
        let latest = Arc::new(Latest::new());
        let first = legal[self.rng.below(legal.len())];
        latest.set(first, 0.0);
        let (game, shared) = (Arc::clone(&self.game), Arc::clone(&latest));
        if !self.plan.is_human() {
            let best: Best = Box::new(move || shared.get().map(|(mv, _)| game.move_text(mv)));
            *order.best.lock().unwrap_or_else(PoisonError::into_inner) = Some(best);
        }
        if let [only] = legal[..] {
            return Ok(self.game.move_text(only));
        }
        if self.plan.thinks() && (legal.len() > MOST_LEGAL || order.spent() >= 1.0) {
            return Ok(self.game.move_text(first));
        }
        let spent = || order.spent();
        let budget = self.budget(&spent);
        let found = self.searcher.search(&self.game, &self.state, self.role, &budget, &latest);
        let found = found.ok().and_then(|found| found.mv).filter(|mv| legal.contains(mv));
        if found.is_none() && self.plan.is_human() {
            return Err(Trouble::TimeOut);
        }
        let mv = found.or_else(|| latest.get().map(|(mv, _)| mv)).unwrap_or(first);
        Ok(self.game.move_text(mv))
    }
}

/// The role of this name.
pub fn role_of<G: Names>(game: &G, name: &str) -> Option<Role> {
    roles(game).find(|&role| game.role_name(role).eq_ignore_ascii_case(name))
}
