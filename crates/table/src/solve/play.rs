//! What a solution says to do: the moves of a state in the order of their worth, and the line of best play.

use super::Entry;
use super::seen::Keys;
use game::{Game, Limit, Move, Role, Turn};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// A move of the role that decides, and what it leads to.
pub struct Choice<G: Game> {
    /// The role that decides.
    pub role: Role,
    /// The joint move.
    pub joint: Vec<Move>,
    /// The state that follows.
    pub state: G::State,
    /// What is known of that state; `None` if the table does not have it.
    pub entry: Option<Entry>,
    /// Whether no other move is better.
    pub best: bool,
}

/// One step of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The role that decided.
    pub role: Role,
    /// The joint move.
    pub joint: Vec<Move>,
}

/// How a line ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEnd {
    /// The game is over, with these goals (the second is that of the second role, if there is one).
    Over([Option<u8>; 2]),
    /// A role has no move, although the game is not over.
    Stuck,
    /// Whatever keeps the value leads back to where the line has been: it can go on for ever.
    Repeats,
    /// Nothing is known of what follows.
    Unknown,
    /// What is known contradicts itself: the best move does not keep the value, or does not bring the end nearer by one.
    Wrong,
}

/// Best play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its moves.
    pub steps: Vec<Step>,
    /// How it ends.
    pub end: LineEnd,
}

type Probe<'a, S> = &'a dyn Fn(&S) -> Option<Entry>;

/// How a role likes an answer compared with another: `Greater` is better.
fn compare(role: Role, roles: usize, a: Option<Entry>, b: Option<Entry>) -> Ordering {
    let (a, b) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        (a, b) => return a.is_some().cmp(&b.is_some()),
    };
    let (x, y) = (a.value, b.value);
    let order = if role.0 == 0 { x.cmp(&y) } else { y.cmp(&x) };
    let ahead = roles == 1 || x.is_some_and(|value| if role.0 == 0 { value > 0 } else { value < 0 });
    order.then(if ahead { b.distance.cmp(&a.distance) } else { a.distance.cmp(&b.distance) })
}

/// A move of the role that decides: the role, the joint move, and the state that follows.
pub type Successor<S> = (Role, Vec<Move>, S);

/// The moves of a state in the order of the engine; none if the game is over or stuck, or if several roles decide.
pub fn successors<G: Game>(game: &G, state: &G::State) -> Result<Vec<Successor<G::State>>, Limit> {
    let mut view = game.view();
    game.look(state, &mut view)?;
    let Turn::One(role) = game.turn(&view) else { return Ok(Vec::new()) };
    let legal: Vec<Vec<Move>> = game::roles(game)
        .map(|role| {
            let mut moves = Vec::new();
            game.legal(&view, role, &mut moves);
            moves
        })
        .collect();
    if legal.iter().any(Vec::is_empty) {
        return Ok(Vec::new());
    }
    let mut joint: Vec<Move> = legal.iter().map(|moves| moves[0]).collect();
    let mut found = Vec::with_capacity(legal[role.0 as usize].len());
    for mv in &legal[role.0 as usize] {
        joint[role.0 as usize] = *mv;
        let mut next = state.clone();
        game.play(&mut view, &joint, &mut next)?;
        found.push((role, joint.clone(), next));
    }
    Ok(found)
}

/// The moves of a state, the best first, equal ones in the order of the engine; none if the game is over or stuck, or if
/// several roles decide.
pub fn choices<G: Game>(
    game: &G,
    state: &G::State,
    roles: usize,
    probe: Probe<'_, G::State>,
) -> Result<Vec<Choice<G>>, Limit> {
    let found = successors(game, state)?.into_iter().map(|(role, joint, state)| {
        let entry = probe(&state);
        Choice { role, joint, state, entry, best: false }
    });
    let mut found: Vec<Choice<G>> = found.collect();
    found.sort_by(|a, b| compare(a.role, roles, b.entry, a.entry));
    if let Some(top) = found.first().map(|choice| choice.entry) {
        found.iter_mut().for_each(|choice| choice.best = compare(choice.role, roles, choice.entry, top).is_eq());
    }
    Ok(found)
}

/// Best play from a state.
pub fn line<G: Game>(game: &G, state: &G::State, roles: usize, probe: Probe<'_, G::State>) -> Result<Line, Limit> {
    let mut keys = Keys::default();
    let mut been = BTreeSet::from([keys.of(state)]);
    let mut state = state.clone();
    let mut steps = Vec::new();
    let mut known = probe(&state);
    loop {
        let mut choices = choices(game, &state, roles, probe)?;
        if choices.is_empty() {
            let early = known.is_some_and(|entry| entry.distance.is_some_and(|left| left > 0));
            return Ok(Line { steps, end: if early { LineEnd::Wrong } else { end(game, &state)? } });
        }
        choices.retain(|choice| choice.best);
        let Some(best) = choices[0].entry else {
            return Ok(Line { steps, end: LineEnd::Unknown });
        };
        let before = Entry { distance: best.distance.and_then(|left| left.checked_add(1)), ..best };
        if known.is_some_and(|entry| entry != before) {
            return Ok(Line { steps, end: LineEnd::Wrong });
        }
        known = Some(best);
        // An even game may have moves that keep it even for ever; prefer what has not been there yet.
        let Some(choice) = choices.into_iter().find(|choice| been.insert(keys.of(&choice.state))) else {
            return Ok(Line { steps, end: LineEnd::Repeats });
        };
        steps.push(Step { role: choice.role, joint: choice.joint });
        state = choice.state;
    }
}

fn end<G: Game>(game: &G, state: &G::State) -> Result<LineEnd, Limit> {
    let mut view = game.view();
    game.look(state, &mut view)?;
    if !game.over(&view) {
        return Ok(LineEnd::Stuck);
    }
    let mut goals = [None; 2];
    for (at, goal) in goals.iter_mut().enumerate().take(game.roles()) {
        *goal = game.goal(&mut view, Role(at as u8))?;
    }
    Ok(LineEnd::Over(goals))
}
