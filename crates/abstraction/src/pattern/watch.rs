//! What random games show of the pieces: whose they are, how many there are, and positions with what came of them.
//!
//! Moves are random, but nobody misses a win that is one move away, nor allows one where that can be helped. In the games of players
//! who do not even see that, standing well hardly tells who wins.

use super::board::Board;
use game::random::Rng;
use game::steps::{Seen, Steps};
use game::{Facts, Limit, Move, Role, Turn};

/// A position of a random game.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample<S> {
    /// The position.
    pub state: S,
    /// The one that followed.
    pub next: S,
    /// For each thing its places, rising.
    pub on_board: Vec<Vec<usize>>,
    /// Whose turn it is.
    pub turn: Role,
    /// What came of it for the first role: 1 won, 0 lost.
    pub result: f32,
    /// Which game it is from.
    pub game: usize,
}

/// What was seen.
pub struct Watched<S> {
    /// Positions.
    pub samples: Vec<Sample<S>>,
    /// For each thing whose it is: who makes it appear. `None` if both do, or nobody did.
    pub owners: Vec<Option<Role>>,
    /// For each thing the fewest and the most on the board, where the game goes on.
    pub numbers: Vec<(usize, usize)>,
    /// Moves, and those after which there were more pieces than before.
    pub moves: (u64, u64),
    /// Games that ended.
    pub games: usize,
}

/// Positions of a game that are kept, one of so many.
const KEPT: usize = 3;
/// The longest game.
const MOST_STEPS: usize = 400;

impl<S: Clone> Watched<S> {
    /// Plays random games as long as `more` says yes, which is asked before every move, with how many games there were. Without
    /// `careful` any legal move is made, which is far quicker.
    ///
    /// # Errors
    /// When the engine reaches a limit.
    pub fn run<G: Facts<State = S>>(
        game: &G,
        board: &Board,
        seed: u64,
        careful: bool,
        more: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Watched<S>, Limit> {
        let things = board.things.len();
        let mut watched = Watched {
            samples: Vec::new(),
            owners: vec![None; things],
            numbers: vec![(usize::MAX, 0); things],
            moves: (0, 0),
            games: 0,
        };
        let mut made = vec![[0u64; 2]; things];
        let mut rng = Rng::new(seed);
        let mut begun = 0;
        while more(begun) {
            watched.play(game, board, &mut rng, careful, &mut made, &mut || more(begun))?;
            begun += 1;
        }
        for (owner, [first, second]) in watched.owners.iter_mut().zip(made) {
            let (role, most, least) = if first > second { (0, first, second) } else { (1, second, first) };
            *owner = (most > 20 * least).then_some(Role(role));
        }
        Ok(watched)
    }

    /// Plays a game.
    fn play<G: Facts<State = S>>(
        &mut self,
        game: &G,
        board: &Board,
        rng: &mut Rng,
        careful: bool,
        made: &mut [[u64; 2]],
        more: &mut dyn FnMut() -> bool,
    ) -> Result<(), Limit> {
        let mut view = game.view();
        let mut state = game.start();
        let mut ahead = game.view();
        let mut seen = Seen::default();
        let first = self.samples.len();
        for _ in 0..MOST_STEPS {
            game.look(&state, &mut view)?;
            seen.read(game, &mut view)?;
            let Turn::One(decides) = seen.turn() else { break };
            if seen.is_stuck() || !more() {
                break;
            }
            // Where nobody has a choice, only the facts say whose move it is.
            let turn = turn(game, board, &state).unwrap_or(decides);
            let now = read(game, board, &state);
            let next = match careful {
                true => sensible(game, &mut ahead, &state, &seen, decides, rng)?,
                false => any(game, &mut view, &state, &seen, rng)?,
            };
            let then = read(game, board, &next);
            self.compare(&now, &then, turn, made);
            if rng.below(KEPT) == 0 {
                let (state, next) = (state.clone(), next.clone());
                self.samples.push(Sample { state, next, on_board: now, turn, result: 0.5, game: self.games });
            }
            state = next;
        }
        game.look(&state, &mut view)?;
        if game.over(&view) {
            let goals = [game.goal(&mut view, Role(0))?, game.goal(&mut view, Role(1))?];
            let [first_goal, second_goal] = goals.map(|goal| f32::from(goal.unwrap_or(0)));
            let result = ((first_goal - second_goal + 100.0) / 200.0).clamp(0.0, 1.0);
            self.samples[first..].iter_mut().for_each(|sample| sample.result = result);
            self.games += 1;
        } else {
            // A game that was cut tells of pieces, not of outcomes.
            self.samples.truncate(first);
        }
        Ok(())
    }

    fn compare(&mut self, now: &[Vec<usize>], then: &[Vec<usize>], turn: Role, made: &mut [[u64; 2]]) {
        let pieces = |all: &[Vec<usize>]| all.iter().map(Vec::len).sum::<usize>();
        self.moves = (self.moves.0 + 1, self.moves.1 + u64::from(pieces(then) > pieces(now)));
        for (thing, (now, then)) in now.iter().zip(then).enumerate() {
            if then.iter().any(|place| !now.contains(place)) {
                made[thing][turn.0 as usize] += 1;
            }
            let number = &mut self.numbers[thing];
            *number = (number.0.min(now.len()), number.1.max(now.len()));
        }
    }

    /// Takes over what other games of the same board have shown of the pieces.
    pub fn learn(&mut self, other: &Watched<S>) {
        for (own, others) in self.numbers.iter_mut().zip(&other.numbers) {
            *own = (own.0.min(others.0), own.1.max(others.1));
        }
        self.owners.clone_from(&other.owners);
        self.moves = (self.moves.0 + other.moves.0, self.moves.1 + other.moves.1);
    }

    /// Whether pieces are put on the board rather than moved: then few of them are the beginning of a game and not its end.
    pub fn places_pieces(&self) -> bool {
        5 * self.moves.1 > self.moves.0
    }
}

/// Whose turn the facts of a state say it is.
pub(crate) fn turn<G: Facts>(game: &G, board: &Board, state: &G::State) -> Option<Role> {
    let mut turn = None;
    game.each_fact(state, &mut |fact| turn = board.turn(fact).or(turn));
    turn
}

/// For each thing its places in a state, rising.
pub(crate) fn read<G: Facts>(game: &G, board: &Board, state: &G::State) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); board.things.len()];
    game.each_fact(state, &mut |fact| {
        if let Some((thing, place)) = board.spot(fact) {
            found[thing].push(place);
        }
    });
    found.iter_mut().for_each(|places| places.sort_unstable());
    found
}

/// A state that follows by a random move.
fn any<G: Facts>(
    game: &G,
    view: &mut G::View,
    state: &G::State,
    seen: &Seen,
    rng: &mut Rng,
) -> Result<G::State, Limit> {
    let mut pick = |role: usize| {
        let legal = seen.legal(Role(role as u8));
        legal[rng.below(legal.len())]
    };
    let joint: Vec<Move> = (0..seen.ends.len()).map(&mut pick).collect();
    let mut next = state.clone();
    game.play(view, &joint, &mut next)?;
    Ok(next)
}

/// A state that follows by a random move, but for blunders: a win at once is taken, and a win of the other in the move after it is
/// not allowed if that can be helped.
fn sensible<G: Facts>(
    game: &G,
    view: &mut G::View,
    state: &G::State,
    seen: &Seen,
    turn: Role,
    rng: &mut Rng,
) -> Result<G::State, Limit> {
    let mut first = Ahead::default();
    first.add(0, state, seen, turn);
    game.advance(view, &mut first)?;
    let count = first.reached.len();
    let ends = |at: usize| first.reached[at].1.over.then(|| lead(&first.reached[at].1, turn));
    if let Some(win) = (0..count).find(|&at| ends(at).is_some_and(|lead| lead > 0)) {
        return Ok(first.reached.swap_remove(win).0);
    }
    let mut second = Ahead::default();
    for (at, (state, seen)) in first.reached.iter().enumerate().filter(|_| count > 1) {
        if let Turn::One(other) = seen.turn()
            && !seen.is_stuck()
        {
            second.add(at, state, seen, other);
        }
    }
    game.advance(view, &mut second)?;
    let mut bad: Vec<bool> = (0..count).map(|at| ends(at).is_some_and(|lead| lead < 0)).collect();
    for ((_, seen), (from, ..)) in second.reached.iter().zip(&second.steps) {
        bad[*from] |= seen.over && lead(seen, turn) < 0;
    }
    let good: Vec<usize> = (0..count).filter(|&at| !bad[at]).collect();
    let which = if good.is_empty() { rng.below(count) } else { good[rng.below(good.len())] };
    Ok(first.reached.swap_remove(which).0)
}

/// How far a role is ahead at an end.
fn lead(seen: &Seen, role: Role) -> i16 {
    let goal = |at: usize| i16::from(seen.goals.get(at).copied().flatten().unwrap_or(0));
    let lead = goal(0) - goal(1);
    if role.0 == 0 { lead } else { -lead }
}

/// Steps from several states, and where they lead.
struct Ahead<S> {
    /// From which of the states, the state, and the moves.
    steps: Vec<(usize, S, Vec<Move>)>,
    reached: Vec<(S, Seen)>,
}

impl<S> Default for Ahead<S> {
    fn default() -> Ahead<S> {
        Ahead { steps: Vec::new(), reached: Vec::new() }
    }
}

impl<S: Clone> Ahead<S> {
    /// Adds all moves of the role that decides.
    fn add(&mut self, from: usize, state: &S, seen: &Seen, turn: Role) {
        let mut joint: Vec<Move> = (0..seen.ends.len()).map(|role| seen.legal(Role(role as u8))[0]).collect();
        for &mv in seen.legal(turn) {
            joint[turn.0 as usize] = mv;
            self.steps.push((from, state.clone(), joint.clone()));
        }
    }
}

impl<S> Steps<S> for Ahead<S> {
    fn count(&self) -> usize {
        self.steps.len()
    }

    fn step(&self, number: usize) -> (&S, &[Move]) {
        let (_, state, joint) = &self.steps[number];
        (state, joint)
    }

    fn reached(&mut self, _: usize, state: S, seen: &Seen) {
        self.reached.push((state, seen.clone()));
    }
}
