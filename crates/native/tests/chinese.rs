//! Chinese checkers by hand against the rulesheet: the same counts, and along random games the same facts, moves and goals.

use game::perft::perft;
use game::random::Rng;
use game::record::replay;
use game::{Game, Move, Names, Role, Turn};
use machine::{Budget, PropNet};
use native::chinese::{ChineseCheckers, Win, place};

fn text(file: &str) -> String {
    std::fs::read_to_string(format!("{}/../../games/chinese-checkers/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn net() -> PropNet {
    let parsed = gdl::parse(&text("rules.kif"));
    assert!(parsed.problems.is_empty());
    PropNet::new(&parsed.rules, Budget::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn native() -> ChineseCheckers {
    ChineseCheckers::new(9, 6, Win::Filled, Some(400)).unwrap()
}

#[test]
fn perft_is_the_published_one() {
    let counts = perft(&native(), 4).unwrap();
    let nodes: Vec<u64> = counts.iter().map(|count| count.nodes).collect();
    assert_eq!(nodes, [1, 10, 100, 1720, 29584]);
}

#[test]
fn the_recorded_game_is_replayed() {
    replay(&native(), &text("playthrough.txt")).unwrap_or_else(|error| panic!("{error}"));
}

/// One engine in one state.
struct Side<'a, G: Names> {
    game: &'a G,
    state: G::State,
    view: G::View,
}

impl<'a, G: Names> Side<'a, G> {
    fn new(game: &'a G) -> Self {
        let mut side = Side { game, state: game.start(), view: game.view() };
        game.look(&side.state, &mut side.view).unwrap();
        side
    }

    fn legal(&self, role: Role) -> Vec<(String, Move)> {
        let mut moves = Vec::new();
        self.game.legal(&self.view, role, &mut moves);
        moves.into_iter().map(|mv| (self.game.move_text(mv), mv)).collect()
    }

    fn goals(&mut self) -> Vec<Option<u8>> {
        (0..2).map(|role| self.game.goal(&mut self.view, Role(role)).unwrap()).collect()
    }

    fn play(&mut self, joint: &[Move]) {
        let mut next = self.state.clone();
        self.game.play(&mut self.view, joint, &mut next).unwrap();
        self.state = next;
        self.game.look(&self.state, &mut self.view).unwrap();
    }
}

/// Plays one game on both engines and compares everything at every state. `forward` of ten moves are chosen among those
/// that gain most, so that games are won. Returns the number of plies and the goals.
fn compare(native: &ChineseCheckers, net: &PropNet, seed: u64, forward: usize) -> (usize, Vec<Option<u8>>) {
    let mut rng = Rng::new(seed);
    let (mut a, mut b) = (Side::new(native), Side::new(net));
    for ply in 0.. {
        let facts = native.facts(&a.state);
        assert_eq!(facts, net.facts(&b.state), "seed {seed}, ply {ply}");
        let read: Vec<&str> = facts.iter().map(String::as_str).collect();
        assert_eq!(native.state_of(&read), Some(a.state));
        let turn = native.turn(&a.view);
        assert_eq!(turn, net.turn(&b.view), "seed {seed}, ply {ply}");
        assert_eq!(a.goals(), b.goals(), "seed {seed}, ply {ply}");
        if turn == Turn::Over {
            return (ply, a.goals());
        }
        let mut joints = [Vec::new(), Vec::new()];
        for role in [Role(0), Role(1)] {
            let (mine, theirs) = (a.legal(role), b.legal(role));
            let names = |moves: &[(String, Move)]| moves.iter().map(|row| row.0.clone()).collect::<Vec<_>>();
            assert_eq!(names(&mine), names(&theirs), "the same moves in the same order; seed {seed}, ply {ply}");
            let gain = |mv: Move| {
                let sum = |cell| place(9, cell).0 as i32 + place(9, cell).1 as i32;
                let gain = ChineseCheckers::ends(mv).map_or(0, |(from, to)| sum(to) - sum(from));
                if role.0 == 0 { gain } else { -gain }
            };
            let best = mine.iter().map(|row| gain(row.1)).max().unwrap();
            let good: Vec<usize> = (0..mine.len()).filter(|&at| gain(mine[at].1) == best).collect();
            let at = if rng.below(10) < forward { good[rng.below(good.len())] } else { rng.below(mine.len()) };
            joints[0].push(mine[at].1);
            joints[1].push(theirs[at].1);
        }
        a.play(&joints[0]);
        b.play(&joints[1]);
    }
    unreachable!()
}

#[test]
fn random_games_are_the_same_state_by_state() {
    let (native, net) = (native(), net());
    let mut wins = [0, 0];
    let mut drawn = 0;
    for seed in 0..24 {
        // Two games are wholly random and run into the limit; the others press on.
        let (plies, goals) = compare(&native, &net, seed, if seed < 2 { 0 } else { 7 + seed as usize % 2 });
        match goals[..] {
            [Some(100), Some(0)] => wins[0] += 1,
            [Some(0), Some(100)] => wins[1] += 1,
            [Some(50), Some(50)] => drawn += 1,
            _ => panic!("{goals:?}"),
        }
        assert!(plies <= 400);
    }
    assert!(wins[0] > 2 && wins[1] > 2 && drawn >= 2, "every kind of end was seen: {wins:?}, {drawn}");
}

#[test]
fn the_limit_is_a_parameter() {
    let game = ChineseCheckers::new(9, 10, Win::Home, Some(7)).unwrap();
    let (mut state, mut view) = (game.start(), game.view());
    for _ in 0..7 {
        game.look(&state, &mut view).unwrap();
        assert!(!game.over(&view));
        let mut moves = Vec::new();
        game.legal(&view, Role(state.turn), &mut moves);
        let ends = ChineseCheckers::ends(moves[0]);
        state = game.after(&state, ends);
    }
    game.look(&state, &mut view).unwrap();
    assert!(game.over(&view));
    assert_eq!(game.goal(&mut view, Role(1)).unwrap(), Some(50));
}
