//! Maps of boards that are proved to change nothing, and maps that are not.

use game::random::Rng;
use game::{Facts, Game, Move, Names, Role, roles};
use machine::{Budget, PropNet};
use std::path::PathBuf;

fn net(game: &str) -> PropNet {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../games").join(game).join("rules.kif");
    PropNet::new(&gdl::parse(&std::fs::read_to_string(path).unwrap()).rules, Budget::default()).unwrap()
}

/// A word of a fact or a move becomes another one: by what it is a part of, its place there, and itself.
type Map<'a> = &'a dyn Fn(&[&str]) -> Vec<String>;

fn mapped(text: &str, map: Map<'_>) -> String {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text.to_string() };
    format!("({})", map(&inner.split(' ').collect::<Vec<_>>()).join(" "))
}

/// The images of all facts and all moves; of what has no image, itself.
fn images(net: &PropNet, map: Map<'_>) -> (Vec<u32>, Vec<Move>) {
    let text =
        |fact: u32| net.facts(&net.state_from(&[fact]).unwrap()).into_iter().find(|text| net.fact(text) == Some(fact));
    let image = |fact: u32| net.fact(&mapped(&text(fact).unwrap(), map)).unwrap_or(fact);
    let facts = (0..net.fact_count() as u32).map(image).collect();
    let moves = roles(net).flat_map(|role| {
        let all = net.moves_of(role);
        all.clone().map(move |mv| {
            let wanted = mapped(&net.move_text(Move(mv as u32)), map);
            let found = all.clone().find(|&other| net.move_text(Move(other as u32)) == wanted);
            Move(found.unwrap_or(mv) as u32)
        })
    });
    (facts, moves.collect())
}

/// A map of numbers in words at these places: `n` becomes `sum - n`.
fn turn(words: &[&str], sums: &[(usize, i64)]) -> Vec<String> {
    let turned = |(at, word): (usize, &&str)| match (sums.iter().find(|sum| sum.0 == at), word.parse::<i64>()) {
        (Some((_, sum)), Ok(number)) => (sum - number).to_string(),
        _ => word.to_string(),
    };
    words.iter().enumerate().map(turned).collect()
}

/// Walks through random games and their images side by side.
fn check(net: &PropNet, facts: &[u32], moves: &[Move]) {
    let image = |state: &<PropNet as Game>::State| {
        let mut there = Vec::new();
        net.each_fact(state, &mut |fact| there.push(facts.get(fact as usize).copied().unwrap_or(fact)));
        net.state_from(&there).unwrap()
    };
    let (mut view, mut other) = (net.view(), net.view());
    let mut rng = Rng::new(1);
    for _ in 0..20 {
        let mut state = net.start();
        loop {
            let mut turned = image(&state);
            net.look(&state, &mut view).unwrap();
            net.look(&turned, &mut other).unwrap();
            assert_eq!(net.over(&view), net.over(&other));
            for role in roles(net) {
                assert_eq!(net.goal(&mut view, role).unwrap(), net.goal(&mut other, role).unwrap());
            }
            if net.over(&view) {
                break;
            }
            let choose = |role: Role, rng: &mut Rng| {
                let (mut legal, mut same) = (Vec::new(), Vec::new());
                net.legal(&view, role, &mut legal);
                net.legal(&other, role, &mut same);
                let mut expected: Vec<Move> = legal.iter().map(|mv| moves[mv.0 as usize]).collect();
                expected.sort();
                assert_eq!(same, expected);
                legal[rng.below(legal.len())]
            };
            let joint: Vec<Move> = roles(net).map(|role| choose(role, &mut rng)).collect();
            let images: Vec<Move> = joint.iter().map(|mv| moves[mv.0 as usize]).collect();
            let from = turned.clone();
            net.look(&from, &mut other).unwrap();
            net.play(&mut other, &images, &mut turned).unwrap();
            net.play(&mut view, &joint, &mut state).unwrap();
            assert!(image(&state) == turned);
        }
    }
}

#[test]
fn maps_of_boards_are_proved() {
    let across = |words: &[&str]| match words[0] {
        "cell" => turn(words, &[(1, 4)]),
        "mark" => turn(words, &[(1, 4)]),
        _ => turn(words, &[]),
    };
    let diagonal = |words: &[&str]| {
        let mut words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        if words.len() > 2 {
            words.swap(1, 2);
        }
        words
    };
    let net = net("tic-tac-toe");
    for map in [&across as Map<'_>, &diagonal] {
        let (facts, moves) = images(&net, map);
        assert!(facts.iter().zip(0..).any(|(&a, b)| a != b), "nothing is mapped");
        assert!(net.keeps(&facts, &moves));
        check(&net, &facts, &moves);
        // The facts alone, the moves alone, two facts that have nothing to do with each other, what is no map.
        let same: Vec<u32> = (0..facts.len() as u32).collect();
        let own: Vec<Move> = (0..moves.len() as u32).map(Move).collect();
        assert!(net.keeps(&same, &own) && !net.keeps(&same, &moves) && !net.keeps(&facts, &own));
        let mut swapped = facts.clone();
        swapped.swap(0, 1);
        assert!(!net.keeps(&swapped, &moves) && !net.keeps(&facts[1..], &moves));
        assert!(!net.keeps(&vec![0; facts.len()], &moves));
    }
}

#[test]
fn a_mirror_is_proved_and_what_is_no_symmetry_is_not() {
    let column = |words: &[&str]| turn(words, &[(1, 8)]);
    // Half a turn of the board changes nothing, but the rules join stones to the one side and look for them at the other: the same is said in
    // another way, and is not proved.
    let half = |words: &[&str]| turn(words, &[(1, 10), (2, 10)]);
    // Black's men go the other way.
    let upside_down = |words: &[&str]| turn(words, &[(2, 6), (4, 6)]);
    let sideways = |words: &[&str]| turn(words, &[(1, 6), (3, 6)]);
    let games: [(&str, Map<'_>, bool); 5] = [
        ("connect-four", &column, true),
        ("hex", &half, false),
        ("atari-go", &|words: &[&str]| turn(words, &[(1, 8)]), true),
        ("breakthrough-small", &sideways, true),
        ("breakthrough-small", &upside_down, false),
    ];
    for (game, map, kept) in games {
        let net = net(game);
        let (facts, moves) = images(&net, map);
        assert!(facts.iter().zip(0..).any(|(&a, b)| a != b), "nothing is mapped");
        assert_eq!(net.keeps(&facts, &moves), kept, "{game}");
        if kept {
            check(&net, &facts, &moves);
        }
    }
}
