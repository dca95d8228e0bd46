//! States that a proved map of the board makes of each other are one: the same is found with fewer states.

use game::random::Rng;
use game::{Facts, Game, Move, Names, Role, roles};
use machine::PropNet;
use search::alphabeta::AlphaBeta;
use search::{AlphaBetaSettings, Budget, CommonKey, Found, Knowledge, Monitor, Searcher, Symmetries};
use std::path::PathBuf;
use std::sync::Arc;

/// What becomes of a place.
type Turn = fn((i32, i32)) -> (i32, i32);

fn net(game: &str) -> PropNet {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../games").join(game).join("rules.kif");
    PropNet::new(&gdl::parse(&std::fs::read_to_string(path).unwrap()).rules, machine::Budget::default()).unwrap()
}

/// A fact or a move with its places turned: pairs of numbers, or a column alone.
fn turned(text: &str, turn: Turn) -> String {
    let mut words: Vec<String> = text.trim_matches(['(', ')']).split(' ').map(String::from).collect();
    match &words[..] {
        [_, column] if column.parse::<i32>().is_ok() => words[1] = turn((column.parse().unwrap(), 1)).0.to_string(),
        [_, x, y, ..] if x.parse::<i32>().is_ok() && y.parse::<i32>().is_ok() => {
            for pair in words[1..].chunks_exact_mut(2) {
                let place = turn((pair[0].parse().unwrap(), pair[1].parse().unwrap()));
                (pair[0], pair[1]) = (place.0.to_string(), place.1.to_string());
            }
        }
        _ => return text.to_string(),
    }
    format!("({})", words.join(" "))
}

/// The images of facts and moves.
fn images(net: &PropNet, turn: Turn) -> (Vec<u32>, Vec<Move>) {
    let text = |fact: u32| {
        let facts = net.facts(&net.state_from(&[fact]).unwrap());
        facts.into_iter().find(|text| net.fact(text) == Some(fact)).unwrap()
    };
    let facts = (0..net.fact_count() as u32).map(|fact| net.fact(&turned(&text(fact), turn)).unwrap()).collect();
    let moves = roles(net).flat_map(|role| {
        let all: Vec<usize> = net.moves_of(role).collect();
        let image = |&mv: &usize| {
            let wanted = turned(&net.move_text(Move(mv as u32)), turn);
            Move(*all.iter().find(|&&mv| net.move_text(Move(mv as u32)) == wanted).unwrap() as u32)
        };
        all.iter().map(image).collect::<Vec<Move>>()
    });
    (facts, moves.collect())
}

/// The maps that these turns are, each of them proved.
fn symmetries(net: &Arc<PropNet>, turns: &[Turn]) -> Arc<Symmetries<PropNet>> {
    let same: Turn = |place| place;
    let maps: Vec<(Vec<u32>, Vec<Move>)> = [same].iter().chain(turns).map(|turn| images(net, *turn)).collect();
    assert!(maps.iter().all(|(facts, moves)| net.keeps(facts, moves)));
    let (facts, moves): (Vec<_>, Vec<_>) = maps.into_iter().unzip();
    let net = net.clone();
    let key: CommonKey<PropNet> = Arc::new(move |state| {
        let mut sums = vec![0u64; facts.len()];
        net.each_fact(state, &mut |fact| {
            for (sum, images) in sums.iter_mut().zip(&facts) {
                *sum = sum.wrapping_add(images.get(fact as usize).map_or(0, search::key::key));
            }
        });
        let (key, map) = sums.into_iter().zip(0..).min().unwrap();
        (key, map)
    });
    Arc::new(Symmetries::new(key, None, moves))
}

/// A state after some random moves.
fn after(net: &PropNet, moves: u64) -> <PropNet as Game>::State {
    let mut rng = Rng::new(moves);
    let (mut view, mut state) = (net.view(), net.start());
    for _ in 0..moves {
        net.look(&state, &mut view).unwrap();
        let joint: Vec<Move> = roles(net)
            .map(|role| {
                let mut legal = Vec::new();
                net.legal(&view, role, &mut legal);
                legal[rng.below(legal.len())]
            })
            .collect();
        net.play(&mut view, &joint, &mut state).unwrap();
    }
    state
}

/// What is found without and with symmetries, looking so far ahead; the best move is legal and the line can be played.
fn both(net: &Arc<PropNet>, maps: &Arc<Symmetries<PropNet>>, depth: u32, moves: u64) -> [Found; 2] {
    let state = after(net, moves);
    let settings = AlphaBetaSettings { depth: Some(depth), shuffle: false, ..AlphaBetaSettings::default() };
    [None, Some(maps.clone())].map(|symmetries| {
        let known = Knowledge { symmetries, ..Knowledge::default() };
        let mut search = AlphaBeta::new(settings).with_knowledge(&known);
        search.search(&**net, &state, Role(0), &Budget::of_nodes(u64::MAX, 1), &Monitor::new()).unwrap()
    })
}

fn check(game: &str, turns: &[Turn], depth: u32, part: f64) {
    let net = Arc::new(net(game));
    let maps = symmetries(&net, turns);
    for moves in 0..4 {
        let [plain, mapped] = both(&net, &maps, depth, moves);
        println!(
            "{game}, {moves} moves made, {depth} ahead: {} states, with {} maps {}",
            plain.nodes,
            maps.count(),
            mapped.nodes
        );
        assert_eq!((plain.value, plain.proven), (mapped.value, mapped.proven), "{game}, {moves} moves made");
        assert!(!mapped.line.is_empty() && plain.depth == mapped.depth);
        let limit = if moves == 0 { part } else { 1.1 };
        assert!((mapped.nodes as f64) < limit * plain.nodes as f64, "{game}: {} of {}", mapped.nodes, plain.nodes);
    }
}

#[test]
fn eight_maps_of_tic_tac_toe() {
    let turns: [Turn; 7] = [
        |(x, y)| (4 - x, y),
        |(x, y)| (x, 4 - y),
        |(x, y)| (4 - x, 4 - y),
        |(x, y)| (y, x),
        |(x, y)| (4 - y, 4 - x),
        |(x, y)| (y, 4 - x),
        |(x, y)| (4 - y, x),
    ];
    check("tic-tac-toe", &turns, 9, 0.45);
}

#[test]
fn the_mirror_of_connect_four() {
    check("connect-four-small", &[|(x, y)| (6 - x, y)], 14, 0.97);
}

#[test]
fn the_mirror_of_breakthrough() {
    check("breakthrough-small", &[|(x, y)| (6 - x, y)], 10, 0.95);
}
