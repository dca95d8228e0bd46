//! Symmetries of a game for searchers: what a study has seen, as far as the net proves it.

use ::study::Study;
use game::{Facts, Limit, Move, Names, Role, roles};
use machine::{Engine, PropNet};
use search::{CommonKey, Symmetries};
use std::collections::HashMap;
use std::sync::Arc;

/// With the map that changes nothing, more than the maps of one board.
const MOST: usize = 16;

/// A map of facts, by their bits, and of moves.
type Map = (Vec<u32>, Vec<Move>);

/// The symmetries that a study has found and the net proves, without those that exchange roles; `None` if there are none. `beside` are the facts that
/// hardly matter, in order.
pub(crate) fn symmetries(
    game: &Engine,
    study: &Study,
    seed: u64,
    beside: &[u32],
) -> Result<Option<Arc<Symmetries<Engine>>>, Limit> {
    let Some(net) = game.net() else { return Ok(None) };
    let mut maps: Vec<Map> = Vec::new();
    for seen in study.symmetries(game, seed)? {
        let stays = seen.roles.iter().zip(0..).all(|(image, role)| *image == Role(role));
        let map = if stays { map(game, net, &seen) } else { None };
        maps.extend(map.filter(|(facts, moves)| net.keeps(facts, moves)));
    }
    if maps.is_empty() {
        return Ok(None);
    }
    let same = (0..net.fact_count() as u32).collect();
    let own = roles(game).flat_map(|role| net.moves_of(role)).map(|mv| Move(mv as u32)).collect();
    maps.insert(0, (same, own));
    maps.truncate(MOST);
    let key = common(game, &maps, &[]);
    let rough = (!beside.is_empty()).then(|| common(game, &maps, beside));
    let moves = maps.into_iter().map(|map| map.1).collect();
    Ok(Some(Arc::new(Symmetries::new(key, rough, moves))))
}

/// What was seen, in the numbers of the net; `None` where something has no image.
fn map(game: &Engine, net: &PropNet, seen: &::study::Symmetry) -> Option<Map> {
    let count = net.fact_count();
    let known = |fact: usize| seen.facts.get(fact).copied().flatten().filter(|&image| (image as usize) < count);
    let facts: Vec<u32> = (0..count).map(known).collect::<Option<_>>()?;
    let mut moves = Vec::new();
    for role in roles(game) {
        let all = net.moves_of(role);
        let numbers: HashMap<String, usize> = all.clone().map(|mv| (net.move_text(Move(mv as u32)), mv)).collect();
        for mv in all {
            let text = net.move_text(Move(mv as u32));
            // Nobody saw where waiting leads to. A move without arguments should be its own image; the net is to prove it with all others.
            let image = seen.move_text(&text).or_else(|| (!text.starts_with('(')).then_some(text))?;
            moves.push(Move(*numbers.get(&image)? as u32));
        }
    }
    Some((facts, moves))
}

/// A key that images have in common: the least of the keys of all images, in which some facts do not count.
fn common(game: &Engine, maps: &[Map], beside: &[u32]) -> CommonKey<Engine> {
    let word = |fact: &u32| -> u64 { if beside.binary_search(fact).is_ok() { 0 } else { search::key::key(fact) } };
    let words: Vec<Vec<u64>> = maps.iter().map(|(facts, _)| facts.iter().map(word).collect()).collect();
    // One row a fact: its words in all images are next to each other.
    let count = words.len();
    let rows: Vec<u64> = (0..words[0].len()).flat_map(|fact| words.iter().map(move |map| map[fact])).collect();
    let game = game.clone();
    Arc::new(move |state| {
        let mut sums = [0u64; MOST];
        let sums = &mut sums[..count];
        game.each_fact(state, &mut |fact| {
            // Facts that always hold come after all others, and tell nothing.
            let row = rows.get(fact as usize * count..(fact as usize + 1) * count).unwrap_or_default();
            sums.iter_mut().zip(row).for_each(|(sum, word)| *sum = sum.wrapping_add(*word));
        });
        let (key, map) = sums.iter().zip(0..).min().unwrap_or((&0, 0));
        (*key, map)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::study::Plan;
    use game::Game;
    use search::alphabeta::AlphaBeta;
    use search::{AlphaBetaSettings, Budget, Found, Knowledge, Monitor, Searcher};

    fn ready(name: &str) -> (Engine, Study) {
        let (_, rules) = library::load(name).expect("a game");
        let engine = machine::Loader::new(&rules).best().expect("it can be played").engine;
        let study = Study::run(&rules, &engine, Plan { learn: false, proofs: None, ..Plan::states(100) });
        (engine, study)
    }

    /// A search from a state a few steps into the game, with and without symmetries.
    fn both(engine: &Engine, maps: &Arc<Symmetries<Engine>>, depth: u32, seed: u64) -> [Found; 2] {
        let mut rng = game::random::Rng::new(seed);
        let (mut view, mut state) = (engine.view(), engine.start());
        for _ in 0..seed {
            engine.look(&state, &mut view).expect("no limit");
            let joint: Vec<Move> = roles(engine)
                .map(|role| {
                    let mut legal = Vec::new();
                    engine.legal(&view, role, &mut legal);
                    legal[rng.below(legal.len())]
                })
                .collect();
            engine.play(&mut view, &joint, &mut state).expect("no limit");
        }
        let settings = AlphaBetaSettings { depth: Some(depth), shuffle: false, ..AlphaBetaSettings::default() };
        [None, Some(Arc::clone(maps))].map(|symmetries| {
            let known = Knowledge { symmetries, ..Knowledge::default() };
            let mut search = AlphaBeta::new(settings).with_knowledge(&known);
            search.search(engine, &state, Role(0), &Budget::of_nodes(3_000_000, 1), &Monitor::new()).expect("no limit")
        })
    }

    #[test]
    fn what_a_study_sees_is_proved_and_saves_states() {
        let (engine, study) = ready("tic-tac-toe");
        let maps = symmetries(&engine, &study, 1, &[]).expect("no limit").expect("a square has maps");
        assert_eq!(maps.count(), 8);
        for seed in 0..3 {
            let [plain, mapped] = both(&engine, &maps, 9, seed);
            assert_eq!((plain.value, plain.proven), (mapped.value, mapped.proven), "seed {seed}");
            assert!(mapped.nodes < plain.nodes, "seed {seed}: {} of {}", mapped.nodes, plain.nodes);
        }
    }
}
