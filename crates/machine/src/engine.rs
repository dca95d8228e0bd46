//! One engine, whichever of the three it is: what every other room plays with.
//!
//! [`Engine`] is the prover, rule code or a propnet behind one type, so that whatever is built on `game::Game` is compiled
//! once. Asking it costs one branch more than asking the engine inside, and nothing in the inner loops: random games and
//! batches of children run wholly inside the engine.
//!
//! A [`Loader`] makes engines of the same rules from one prover: first one that is there at once, then faster ones.

use crate::budget::Budget;
use crate::ground::Unfit;
use crate::net::{NoNet, PropNet, State as NetState, View as NetView};
use crate::prover::{Limits, LoadError, Prover, State as ProverState, View as ProverView};
use crate::rulecode::{RuleCode, State as RuleState, View as RuleView};
use game::random::End;
use game::rollouts::{Alike, Feed, PlayoutBias};
use game::steps::{Seen, Steps};
use game::{Cancel, Facts, Game, Goal, Limit, Move, Names, Role, Turn};
use gdl::Rules;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The engines there are, slowest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EngineKind {
    /// Resolution over the rules as written; what the others are compared with.
    Prover,
    /// A routine for each question that the rules can ask.
    Rules,
    /// The rules as gates, without variables.
    Net,
}

impl EngineKind {
    /// All of them, slowest first.
    pub const ALL: [EngineKind; 3] = [EngineKind::Prover, EngineKind::Rules, EngineKind::Net];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            EngineKind::Prover => "prover",
            EngineKind::Rules => "rules",
            EngineKind::Net => "net",
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EngineKind {
    type Err = String;

    fn from_str(text: &str) -> Result<EngineKind, String> {
        let found = EngineKind::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| format!("there is no engine {text:?}; there are prover, rules and net"))
    }
}

/// Rules that can be played. Clones share everything.
///
/// ```
/// use game::{Game, perft::perft};
/// use machine::{Engine, EngineKind, Loader};
/// let rules = gdl::parse("(role me) (init (at 1)) (succ 1 2) (succ 2 3)
///     (<= (legal me (go ?y)) (true (at ?x)) (succ ?x ?y)) (<= (legal me stay) (true (at ?x)))
///     (<= (next (at ?y)) (does me (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does me stay))
///     (<= terminal (true (at 3))) (<= (goal me 100) (true (at 3)))").rules;
/// let best = Loader::new(&rules).best().unwrap().engine;
/// assert_eq!(best.kind(), EngineKind::Net);
/// let nodes: Vec<u64> = perft(&best, 3).unwrap().iter().map(|count| count.nodes).collect();
/// assert_eq!(nodes, [1, 2, 4, 6]);
/// ```
#[derive(Clone)]
pub enum Engine {
    /// The prover.
    Prover(Arc<Prover>),
    /// Rule code.
    Rules(Arc<RuleCode>),
    /// A propnet.
    Net(Arc<PropNet>),
}

/// A state of an [`Engine`]; only the engine that made it, or another of the same kind and rules, understands it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum State {
    /// Of the prover.
    Prover(ProverState),
    /// Of rule code.
    Rules(RuleState),
    /// Of a propnet.
    Net(NetState),
}

/// What follows from one state.
pub enum View {
    /// Of the prover.
    Prover(Box<ProverView>),
    /// Of rule code.
    Rules(Box<RuleView>),
    /// Of a propnet.
    Net(Box<NetView>),
}

/// A state or a view was given to an engine of another kind: a mistake of the program, not of its input.
#[cold]
#[inline(never)]
fn mixed_up() -> ! {
    panic!("a state or view of another engine")
}

/// Calls a method of the engine inside.
macro_rules! inside {
    ($engine:expr, $game:ident => $body:expr) => {
        match $engine {
            Engine::Prover($game) => $body,
            Engine::Rules($game) => $body,
            Engine::Net($game) => $body,
        }
    };
    // The same with a view, a state, or both.
    ($engine:expr, $($kind:ident $other:expr),+; $game:ident $(, $name:ident)+ => $body:expr) => {
        match ($engine, $($other),+) {
            (Engine::Net($game), $($kind::Net($name)),+) => $body,
            (Engine::Rules($game), $($kind::Rules($name)),+) => $body,
            (Engine::Prover($game), $($kind::Prover($name)),+) => $body,
            _ => mixed_up(),
        }
    };
}

impl Engine {
    /// Which engine it is.
    pub fn kind(&self) -> EngineKind {
        match self {
            Engine::Prover(_) => EngineKind::Prover,
            Engine::Rules(_) => EngineKind::Rules,
            Engine::Net(_) => EngineKind::Net,
        }
    }

    /// The propnet, if that is what it is: it can do more than the other engines, such as many games at once.
    pub fn net(&self) -> Option<&PropNet> {
        match self {
            Engine::Net(net) => Some(net),
            Engine::Prover(_) | Engine::Rules(_) => None,
        }
    }
}

impl Game for Engine {
    type State = State;
    type View = View;

    fn roles(&self) -> usize {
        inside!(self, game => game.roles())
    }

    fn start(&self) -> State {
        match self {
            Engine::Prover(game) => State::Prover(game.start()),
            Engine::Rules(game) => State::Rules(game.start()),
            Engine::Net(game) => State::Net(game.start()),
        }
    }

    fn view(&self) -> View {
        match self {
            Engine::Prover(game) => View::Prover(Box::new(game.view())),
            Engine::Rules(game) => View::Rules(Box::new(game.view())),
            Engine::Net(game) => View::Net(Box::new(game.view())),
        }
    }

    fn view_bytes(&self, view: &View) -> usize {
        size_of::<View>() + inside!(self, View view; game, view => game.view_bytes(view))
    }

    #[inline]
    fn look(&self, state: &State, view: &mut View) -> Result<(), Limit> {
        inside!(self, State state, View view; game, state, view => game.look(state, view))
    }

    #[inline]
    fn turn(&self, view: &View) -> Turn {
        inside!(self, View view; game, view => game.turn(view))
    }

    #[inline]
    fn legal(&self, view: &View, role: Role, out: &mut Vec<Move>) {
        inside!(self, View view; game, view => game.legal(view, role, out));
    }

    #[inline]
    fn goal(&self, view: &mut View, role: Role) -> Result<Option<Goal>, Limit> {
        inside!(self, View view; game, view => game.goal(view, role))
    }

    #[inline]
    fn play(&self, view: &mut View, joint: &[Move], next: &mut State) -> Result<(), Limit> {
        inside!(self, View view, State next; game, view, next => game.play(view, joint, next))
    }

    #[inline]
    fn over(&self, view: &View) -> bool {
        inside!(self, View view; game, view => game.over(view))
    }

    fn children(&self, view: &mut View, joints: &[Vec<Move>], out: &mut Vec<State>) -> Result<(), Limit> {
        out.clear();
        match (self, view) {
            (Engine::Net(game), View::Net(view)) => {
                let mut states = Vec::new();
                Game::children(&**game, view, joints, &mut states)?;
                out.extend(states.into_iter().map(State::Net));
            }
            (Engine::Rules(game), View::Rules(view)) => {
                let mut states = Vec::new();
                game.children(view, joints, &mut states)?;
                out.extend(states.into_iter().map(State::Rules));
            }
            (Engine::Prover(game), View::Prover(view)) => {
                let mut states = Vec::new();
                game.children(view, joints, &mut states)?;
                out.extend(states.into_iter().map(State::Prover));
            }
            _ => mixed_up(),
        }
        Ok(())
    }

    fn advance(&self, view: &mut View, steps: &mut dyn Steps<State>) -> Result<(), Limit> {
        match (self, view) {
            (Engine::Net(game), View::Net(view)) => game.advance(view, &mut NetSteps(steps)),
            (_, view) => game::steps::one_by_one(self, view, steps),
        }
    }

    fn lanes(&self) -> usize {
        match self {
            Engine::Prover(game) => game.lanes(),
            Engine::Rules(game) => game.lanes(),
            Engine::Net(game) => Game::lanes(&**game),
        }
    }

    fn rollouts(&self, feed: &mut dyn Feed<State>, most: usize, seed: u64) -> Result<(), Limit> {
        match self {
            Engine::Net(game) => game.rollouts(&mut NetFeed(feed), most, seed),
            Engine::Prover(_) | Engine::Rules(_) => game::rollouts::one_by_one(self, feed, most, seed),
        }
    }
}

/// A feed of states of any engine, as one of states of a propnet.
struct NetFeed<'a>(&'a mut dyn Feed<State>);

impl Feed<NetState> for NetFeed<'_> {
    fn stop(&mut self) -> bool {
        self.0.stop()
    }

    fn next(&mut self) -> Option<(u32, &NetState)> {
        match self.0.next()? {
            (number, State::Net(state)) => Some((number, state)),
            (_, State::Prover(_) | State::Rules(_)) => mixed_up(),
        }
    }

    fn again(&mut self, number: u32, most: u32) -> u32 {
        self.0.again(number, most)
    }

    fn done(&mut self, number: u32, end: End, steps: usize, goals: &[Option<Goal>]) {
        self.0.done(number, end, steps, goals);
    }

    fn done_alike(&mut self, games: &[Alike], end: End, goals: &[Option<Goal>]) {
        self.0.done_alike(games, end, goals);
    }

    fn counts_moves(&self) -> bool {
        self.0.counts_moves()
    }

    fn made(&mut self, number: u32, role: Role, mv: Move, games: u32) {
        self.0.made(number, role, mv, games);
    }

    fn bias(&self) -> Option<PlayoutBias<'_>> {
        self.0.bias()
    }

    fn looks_at_cuts(&self) -> bool {
        self.0.looks_at_cuts()
    }

    fn cut(&mut self, number: u32, state: &NetState) {
        self.0.cut(number, &State::Net(state.clone()));
    }
}

/// Steps from states of any engine, as steps from states of a propnet.
struct NetSteps<'a>(&'a mut dyn Steps<State>);

impl Steps<NetState> for NetSteps<'_> {
    fn count(&self) -> usize {
        self.0.count()
    }

    fn step(&self, number: usize) -> (&NetState, &[Move]) {
        match self.0.step(number) {
            (State::Net(state), joint) => (state, joint),
            (State::Prover(_) | State::Rules(_), _) => mixed_up(),
        }
    }

    fn reached(&mut self, number: usize, state: NetState, seen: &Seen) {
        self.0.reached(number, State::Net(state), seen);
    }
}

impl Names for Engine {
    fn role_name(&self, role: Role) -> &str {
        inside!(self, game => game.role_name(role))
    }

    fn move_text(&self, mv: Move) -> String {
        inside!(self, game => game.move_text(mv))
    }

    fn facts(&self, state: &State) -> Vec<String> {
        inside!(self, State state; game, state => game.facts(state))
    }

    fn state_of(&self, facts: &[&str]) -> Option<State> {
        match self {
            Engine::Prover(game) => game.state_of(facts).map(State::Prover),
            Engine::Rules(game) => game.state_of(facts).map(State::Rules),
            Engine::Net(game) => game.state_of(facts).map(State::Net),
        }
    }

    fn legal_move(&self, view: &View, role: Role, text: &str) -> Option<Move> {
        inside!(self, View view; game, view => game.legal_move(view, role, text))
    }
}

impl Facts for Engine {
    fn fact(&self, text: &str) -> Option<u32> {
        inside!(self, game => game.fact(text))
    }

    fn each_fact(&self, state: &State, seen: &mut dyn FnMut(u32)) {
        inside!(self, State state; game, state => game.each_fact(state, seen));
    }

    fn state_from(&self, facts: &[u32]) -> Option<State> {
        match self {
            Engine::Net(game) => game.state_from(facts).map(State::Net),
            Engine::Prover(_) | Engine::Rules(_) => None,
        }
    }

    fn legal_anyway(&self, view: &View, role: Role, out: &mut Vec<Move>) {
        inside!(self, View view; game, view => game.legal_anyway(view, role, out));
    }
}

/// Makes engines of the same rules, all from one prover.
pub struct Loader<'a> {
    rules: &'a Rules,
    /// What engines may spend, while they are made and afterwards.
    pub limits: Limits,
    /// What grounding may spend.
    pub budget: Budget,
}

/// The best engine for some rules.
#[derive(Clone)]
pub struct Best {
    /// The engine.
    pub engine: Engine,
    /// Why it is not a propnet.
    pub no_net: Option<Unfit>,
}

impl<'a> Loader<'a> {
    /// A loader with the usual limits.
    pub fn new(rules: &'a Rules) -> Loader<'a> {
        Loader { rules, limits: Limits::default(), budget: Budget::default() }
    }

    /// The same, ended by this token: loading, and everything that the engines do afterwards.
    pub fn until(mut self, cancel: &Cancel) -> Loader<'a> {
        self.limits.cancel = cancel.clone();
        self.budget.cancel = cancel.clone();
        self
    }

    fn prover(&self) -> Result<Arc<Prover>, LoadError> {
        if self.limits.cancel.is_cancelled() {
            return Err(LoadError { span: None, message: "loading was stopped".to_string() });
        }
        Prover::with_limits(self.rules, self.limits.clone()).map(Arc::new)
    }

    /// An engine of this kind.
    ///
    /// # Errors
    /// When the rules cannot be played, or not by this engine.
    pub fn make(&self, kind: EngineKind) -> Result<Engine, NoNet> {
        let prover = self.prover().map_err(NoNet::Load)?;
        Ok(match kind {
            EngineKind::Prover => Engine::Prover(prover),
            EngineKind::Rules => {
                let code = RuleCode::from_prover(self.rules, &prover, self.limits.clone());
                Engine::Rules(Arc::new(code.map_err(NoNet::Load)?))
            }
            EngineKind::Net => {
                let net = PropNet::from_prover(self.rules, &prover, self.budget.clone());
                Engine::Net(Arc::new(net.map_err(NoNet::Unfit)?))
            }
        })
    }

    /// The fastest engine that there is for the rules: a propnet, or else rule code.
    ///
    /// # Errors
    /// When the rules cannot be played at all.
    pub fn best(&self) -> Result<Best, LoadError> {
        let prover = self.prover()?;
        match PropNet::from_prover(self.rules, &prover, self.budget.clone()) {
            Ok(net) => Ok(Best { engine: Engine::Net(Arc::new(net)), no_net: None }),
            Err(unfit) => {
                let code = RuleCode::from_prover(self.rules, &prover, self.limits.clone())?;
                Ok(Best { engine: Engine::Rules(Arc::new(code)), no_net: Some(unfit) })
            }
        }
    }

    /// Better and better engines, each handed over as soon as it is there; `ready` says whether a better one is wanted.
    ///
    /// # Errors
    /// When the rules cannot be played at all; an engine that cannot be made after the first is left out.
    pub fn better_and_better(&self, ready: &mut dyn FnMut(Engine) -> bool) -> Result<(), LoadError> {
        let prover = self.prover()?;
        if !ready(Engine::Prover(Arc::clone(&prover))) {
            return Ok(());
        }
        // A propnet of a large game takes long; this one is there soon, and several times as fast as the prover.
        if let Ok(code) = RuleCode::from_prover(self.rules, &prover, self.limits.clone())
            && !ready(Engine::Rules(Arc::new(code)))
        {
            return Ok(());
        }
        if let Ok(net) = PropNet::from_prover(self.rules, &prover, self.budget.clone()) {
            ready(Engine::Net(Arc::new(net)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "(role me) (init (at 1)) (succ 1 2) (succ 2 3)
        (<= (legal me (go ?y)) (true (at ?x)) (succ ?x ?y)) (<= (legal me stay) (true (at ?x)))
        (<= (next (at ?y)) (does me (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does me stay))
        (<= terminal (true (at 3))) (<= (goal me 100) (true (at 3)))";

    #[test]
    fn all_kinds_are_the_same_game() {
        let rules = gdl::parse(RULES).rules;
        let mut kinds = Vec::new();
        let mut seen = Vec::new();
        let done = Loader::new(&rules).better_and_better(&mut |engine| {
            kinds.push(engine.kind());
            let counts = game::perft::perft(&engine, 4).expect("no limit is reached");
            seen.push(counts.iter().map(|count| (count.nodes, count.terminal)).collect::<Vec<_>>());
            let state = engine.state_of(&["(at 2)"]).expect("it is a state");
            assert_eq!(engine.facts(&state), ["(at 2)"]);
            true
        });
        assert!(done.is_ok());
        assert_eq!(kinds, EngineKind::ALL);
        assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{seen:?}");
    }

    #[test]
    fn whoever_has_enough_stops() {
        let rules = gdl::parse(RULES).rules;
        let mut count = 0;
        let done = Loader::new(&rules).better_and_better(&mut |engine| {
            count += 1;
            engine.kind() < EngineKind::Rules
        });
        assert!(done.is_ok());
        assert_eq!(count, 2);
    }

    #[test]
    fn a_cancelled_loader_makes_nothing() {
        let rules = gdl::parse(RULES).rules;
        let cancel = Cancel::new();
        cancel.cancel();
        let loader = Loader::new(&rules).until(&cancel);
        assert!(loader.better_and_better(&mut |_| true).is_err());
    }
}
