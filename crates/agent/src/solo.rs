//! What the net proves or proposes about a game for one player, in the form in which searchers are told of it.

use game::{Facts, Game, Move, Role};
use machine::{Engine, Scratch, State};
use search::{Ceiling, Narrow, Part, Parts, StateKey, Test, Way};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A key of states in which these facts do not count; they are in order.
pub(crate) fn without(game: &Engine, facts: Vec<u32>) -> StateKey<Engine> {
    key_of(game, move |fact| facts.binary_search(fact).is_err())
}

/// A key of states in which nothing but these facts counts; they are in order.
fn only(game: &Engine, facts: Vec<u32>) -> StateKey<Engine> {
    key_of(game, move |fact| facts.binary_search(fact).is_ok())
}

/// A key of states in which these facts count.
fn key_of(game: &Engine, counts: impl Fn(&u32) -> bool + Send + Sync + 'static) -> StateKey<Engine> {
    let game = game.clone();
    Arc::new(move |state| {
        let mut sum = 0u64;
        game.each_fact(state, &mut |fact| {
            if counts(&fact) {
                // The facts come in any order: a sum does not mind.
                sum = sum.wrapping_add(search::key::key(&fact));
            }
        });
        sum
    })
}

/// What can still be had from a state on, where the engine can tell.
pub(crate) fn ceiling(game: &Engine) -> Option<Ceiling<Engine>> {
    let scratch = Mutex::new(Scratch::default());
    let most = move |game: &Engine, state: &State, role: Role| {
        let State::Net(state) = state else { return None };
        game.net()?.most(state, role, &mut scratch.lock().unwrap_or_else(PoisonError::into_inner))
    };
    most(game, &game.start(), Role(0))?;
    let game = game.clone();
    Some(Arc::new(move |state, role| most(&game, state, role).unwrap_or(100)))
}

/// How the game falls apart, where the engine can tell.
pub(crate) fn parts(game: &Engine) -> Option<Arc<Parts<Engine>>> {
    let found = game.net()?.parts()?;
    let part = |part: &machine::Part| Part { moves: part.moves.clone(), key: only(game, part.facts.clone()) };
    let target = |way: usize, which: usize| -> Test<Engine> {
        let game = game.clone();
        Arc::new(move |state| {
            let State::Net(state) = state else { return false };
            let parts = game.net().and_then(machine::PropNet::parts);
            parts.is_some_and(|parts| parts.ways[way].targets[which].1.holds(state))
        })
    };
    let way = |(number, way): (usize, &machine::Way)| {
        let targets = way.targets.iter().enumerate().map(|(which, (part, _))| (*part, target(number, which)));
        Way { goal: way.goal, targets: targets.collect() }
    };
    Some(Arc::new(Parts {
        rest: (!found.clock.is_empty()).then(|| without(game, found.clock.clone())),
        parts: found.parts.iter().map(part).collect(),
        ways: found.ways.iter().enumerate().map(way).collect(),
    }))
}

/// Moves worth trying, where the best goal needs things that single moves bring.
pub(crate) fn narrow(game: &Engine) -> Option<Narrow<Engine>> {
    let needs = &game.net()?.parts().filter(|parts| parts.needs.len() > 1)?.needs;
    let mut brought: HashMap<Move, Vec<usize>> = HashMap::new();
    for (number, need) in needs.iter().enumerate() {
        need.moves.iter().for_each(|&mv| brought.entry(mv).or_default().push(number));
    }
    let game = game.clone();
    Some(Arc::new(move |state, legal| {
        let (State::Net(state), Some(parts)) = (state, game.net().and_then(machine::PropNet::parts)) else {
            return legal.to_vec();
        };
        let brought = |mv: &Move| brought.get(mv).map_or(&[][..], Vec::as_slice);
        let mut left = vec![0; parts.needs.len()];
        legal.iter().flat_map(&brought).for_each(|&need| left[need] += 1);
        let open = (0..left.len()).filter(|&need| !parts.needs[need].is_met(state));
        match open.min_by_key(|&need| left[need]) {
            Some(need) => legal.iter().filter(|mv| brought(mv).contains(&need)).copied().collect(),
            None => legal.to_vec(),
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::puzzle::Puzzle;
    use search::{Budget, Knowledge, Monitor, Searcher};

    fn engine(text: &str) -> Engine {
        machine::Loader::new(&gdl::parse(text).rules).best().expect("it can be played").engine
    }

    fn solve(engine: &Engine, known: &Knowledge<Engine>, nodes: u64) -> search::Found {
        let mut puzzle = Puzzle::default().with_knowledge(known);
        puzzle.search(engine, &engine.start(), Role(0), &Budget::of_nodes(nodes, 1), &Monitor::new()).expect("no limit")
    }

    /// Two rows of nine lamps, each of which is switched with its neighbours, and as many moves as the shortest way takes: four in each row.
    const LAMPS: &str = "(role me) (row l) (row r) (beside 1 2) (beside 2 3) (beside 3 4) (beside 4 5) (beside 5 6) (beside 6 7)
        (beside 7 8) (beside 8 9) (<= (place ?x) (beside ?x ?y)) (<= (place ?y) (beside ?x ?y))
        (init (time 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
        (init (lit l 1)) (init (lit l 2)) (init (lit l 3)) (init (lit l 6)) (init (lit l 7)) (init (lit l 8)) (init (lit l 9))
        (init (lit r 1)) (init (lit r 4)) (init (lit r 5)) (init (lit r 6)) (init (lit r 7)) (init (lit r 8)) (init (lit r 9))
        (<= (legal me (press ?r ?x)) (row ?r) (place ?x))
        (<= (hit ?r ?x) (does me (press ?r ?x))) (<= (hit ?r ?y) (does me (press ?r ?x)) (beside ?x ?y))
        (<= (hit ?r ?x) (does me (press ?r ?y)) (beside ?x ?y))
        (<= (next (lit ?r ?x)) (true (lit ?r ?x)) (not (hit ?r ?x))) (<= (next (lit ?r ?x)) (hit ?r ?x) (not (true (lit ?r ?x))))
        (<= (next (time ?m)) (true (time ?n)) (succ ?n ?m))
        (<= (bright ?r) (true (lit ?r ?x))) (<= dark (not (bright l)) (not (bright r)))
        (<= terminal dark) (<= terminal (true (time 8))) (<= (goal me 100) dark) (<= (goal me 0) (not dark))";

    #[test]
    fn a_sum_is_solved_part_by_part_and_what_comes_of_it_is_checked() {
        let sum = engine(LAMPS);
        let known = Knowledge { parts: parts(&sum), ..Knowledge::default() };
        let found = solve(&sum, &known, 60_000);
        assert_eq!((found.value, found.proven, found.line.len()), (100.0, true, 8));
        let alone = solve(&sum, &Knowledge::default(), 60_000);
        assert!(alone.value < 100.0);
        // A move less, and the parts promise what the whole does not keep: nobody is taken in.
        let short = engine(&LAMPS.replace("(true (time 8))", "(true (time 7))"));
        let known = Knowledge { parts: parts(&short), ..Knowledge::default() };
        let found = solve(&short, &known, 60_000);
        assert_eq!((found.value, found.proven), (0.0, false));
    }

    #[test]
    fn arrangements_are_seen_once_whatever_the_clock_says() {
        // A walk on a ring in which the last step has to come when the clock says so; at the end of all ways there is 50 to be had.
        let steps: String = (0..40).map(|n| format!("(succ {n} {}) ", n + 1)).collect();
        let ring: String = (0..30).map(|n| format!("(ring {n} {}) ", (n + 1) % 30)).collect();
        let game = engine(&format!(
            "(role me) {steps} {ring} (init (time 0)) (init (at 0)) (init (token 0))
            (<= (legal me (go ?y)) (true (at ?x)) (ring ?x ?y)) (<= (legal me (go ?x)) (true (at ?y)) (ring ?x ?y)) (legal me carry)
            (<= walks (does me (go ?x))) (<= (next (at ?x)) (does me (go ?x))) (<= (next (at ?x)) (true (at ?x)) (not walks))
            (<= (next (token ?x)) (true (at ?x)) (does me carry)) (<= (next (token ?x)) (true (token ?x)) (not (does me carry)))
            (<= (next (time ?m)) (true (time ?n)) (succ ?n ?m)) (<= home (true (at 15)) (true (token 14)))
            (<= terminal home) (<= terminal (true (time 40)))
            (<= (goal me 100) home (true (time 16))) (<= (goal me 50) home (not (true (time 16)))) (<= (goal me 0) (not home))"
        ));
        let known = Knowledge { parts: parts(&game), ..Knowledge::default() };
        let found = solve(&game, &known, 60_000);
        assert_eq!((found.value, found.line.len()), (100.0, 16));
    }

    #[test]
    fn the_thing_with_the_fewest_moves_left_comes_first() {
        // Three cells and three colours; the first two of them allow two colours each, and no colour is used twice.
        let game = engine(
            "(role me) (may a red) (may a blue) (may b blue) (may b red) (may c red) (may c blue) (may c green) (<= (cell ?x) (may ?x ?c))
            (<= (init (empty ?x)) (cell ?x)) (<= (legal me (paint ?x ?c)) (true (empty ?x)) (may ?x ?c) (not (used ?c)))
            (<= (used ?c) (true (has ?x ?c))) (legal me wait)
            (<= (next (has ?x ?c)) (does me (paint ?x ?c))) (<= (next (has ?x ?c)) (true (has ?x ?c))) (<= (next waited) (does me wait))
            (<= (touched ?x) (does me (paint ?x ?c))) (<= (next (empty ?x)) (true (empty ?x)) (not (touched ?x)))
            (<= open (true (empty ?x))) (<= terminal (not open)) (<= terminal (true waited)) (<= (goal me 100) (not open)) (<= (goal me 0) open)",
        );
        use game::Names;
        let narrow = narrow(&game).expect("cells have to be filled");
        let mut view = game.view();
        let legal = |state: &State, view: &mut machine::View| {
            let mut legal = Vec::new();
            game.look(state, view).expect("no limit");
            game.legal(view, Role(0), &mut legal);
            legal
        };
        let start = game.start();
        let moves = legal(&start, &mut view);
        let few = narrow(&start, &moves);
        assert_eq!((moves.len(), few.len()), (8, 2));
        // Blue for the last cell leaves one colour for two cells: whichever comes first, then nothing is left for the other.
        let blue = *moves.iter().find(|&&mv| game.move_text(mv) == "(paint c blue)").expect("it is legal");
        let mut next = start.clone();
        game.look(&start, &mut view).and_then(|()| game.play(&mut view, &[blue], &mut next)).expect("no limit");
        let moves = legal(&next, &mut view);
        assert_eq!(narrow(&next, &moves).len(), 1);
        let red = narrow(&next, &moves)[0];
        let mut last = next.clone();
        game.look(&next, &mut view).and_then(|()| game.play(&mut view, &[red], &mut last)).expect("no limit");
        let moves = legal(&last, &mut view);
        assert!(narrow(&last, &moves).is_empty());
    }
}
