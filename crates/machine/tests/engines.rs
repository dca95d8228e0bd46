//! One suite for all engines: every game of the library on the prover, the rule code, the net, and on each of them as
//! an [`Engine`].
//!
//! Each engine has to replay the recorded game and one that the prover played just now, give the path counts of
//! `perft.toml`, and understand its own words for moves, facts and states however they are written.

mod library;

use game::perft::perft;
use game::random::End;
use game::record::{record, replay};
use game::rollouts::Feed;
use game::{Facts, Game, Goal, Move, Role, roles};
use library::{file, rules};
use machine::{Budget, Engine, EngineKind, Limits, Loader, PropNet, Prover, RuleCode, State};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most paths counted on each engine. Deeper counts of `perft.toml` are left to `ludens replay --library`, so that the
/// whole suite takes less than a minute of one core.
const PROVER_PATHS: u64 = 600;
const RULE_CODE_PATHS: u64 = 12_000;
const NET_PATHS: u64 = 60_000;
/// The same once more through [`Engine`].
const PATHS_AGAIN: u64 = 100;

/// How many states of a random game are looked at for the words of moves and facts.
const WORDED_STATES: usize = 12;

/// A depth with the paths and ends at it.
type Count = (usize, u64, u64);

/// The `[[perft]]` entries of a game.
fn counts(game: &str) -> Vec<Count> {
    let mut found: Vec<Count> = Vec::new();
    let mut inside = false;
    for line in file(game, "perft.toml").lines() {
        match line.split_once('=').map(|(key, value)| (key.trim(), value.trim().parse::<u64>())) {
            None if line.starts_with("[[") => {
                inside = line == "[[perft]]";
                if inside {
                    found.push((0, 0, 0));
                }
            }
            Some((key, Ok(value))) if inside => {
                let entry = found.last_mut().unwrap();
                match key {
                    "depth" => entry.0 = value as usize,
                    "nodes" => entry.1 = value,
                    "terminal" => entry.2 = value,
                    other => panic!("{game}: what is `{other}`?"),
                }
            }
            _ => assert!(!inside || line.is_empty(), "{game}: {line}"),
        }
    }
    assert!(!found.is_empty(), "{game} has no counts");
    found
}

/// Counts as deep as the paths allow, but at least to the first count.
fn count_paths<G: Game>(engine: &G, counts: &[Count], most: u64, what: &str) {
    let depth = counts.iter().filter(|count| count.1 <= most).map(|count| count.0).max().unwrap_or(counts[0].0);
    let found = perft(engine, depth).unwrap();
    for &(depth, nodes, terminal) in counts.iter().filter(|count| count.0 <= depth) {
        assert_eq!((found[depth].nodes, found[depth].terminal), (nodes, terminal), "{what} at depth {depth}");
    }
}

/// Other ways of writing a term.
fn rewritten(text: &str) -> [String; 3] {
    let spaced = text.replace('(', "(  ").replace(')', "\t)").replace(' ', "\n ");
    [text.to_uppercase(), format!(" {spaced} ; as it was written"), text.to_lowercase()]
}

/// Every move and every fact is found by its words, and nothing else is.
fn check_words<G: Facts>(engine: &G, what: &str) {
    let mut view = engine.view();
    let (mut state, mut next) = (engine.start(), engine.start());
    let mut known: Vec<BTreeSet<String>> = vec![BTreeSet::new(); engine.roles()];
    for step in 0..WORDED_STATES {
        engine.look(&state, &mut view).unwrap();
        check_facts(engine, &state, what);
        let mut joint = Vec::new();
        for role in roles(engine) {
            let mut legal = Vec::new();
            engine.legal(&view, role, &mut legal);
            let texts: BTreeSet<String> = legal.iter().map(|&mv| engine.move_text(mv)).collect();
            for (&mv, at) in legal.iter().zip(0..) {
                let text = engine.move_text(mv);
                assert_eq!(engine.legal_move(&view, role, &text), Some(mv), "{what}: {text}");
                // All moves of games with hundreds of them would take long and show nothing new.
                if at < 40 {
                    for text in rewritten(&text) {
                        assert_eq!(engine.legal_move(&view, role, &text), Some(mv), "{what}: {text}");
                    }
                }
            }
            let mine = &mut known[role.0 as usize];
            for text in mine.difference(&texts) {
                assert_eq!(engine.legal_move(&view, role, text), None, "{what}: {text} is not legal");
            }
            mine.extend(texts);
            for text in ["", "(", "noop noop", "(no such move)", "?x", "(legal ?x)"] {
                assert_eq!(engine.legal_move(&view, role, text), None, "{what}: {text}");
            }
            if !legal.is_empty() {
                joint.push(legal[(7 * step + 3) % legal.len()]);
            }
        }
        if engine.over(&view) || joint.len() < engine.roles() {
            break;
        }
        engine.play(&mut view, &joint, &mut next).unwrap();
        std::mem::swap(&mut state, &mut next);
    }
}

fn check_facts<G: Facts>(engine: &G, state: &G::State, what: &str) {
    let facts = engine.facts(state);
    for write in 0..4 {
        let written = facts.iter().map(|fact| match write {
            3 => fact.clone(),
            way => rewritten(fact)[way].clone(),
        });
        let written: Vec<String> = written.rev().collect();
        let words: Vec<&str> = written.iter().map(String::as_str).collect();
        assert!(engine.state_of(&words).as_ref() == Some(state), "{what}: {words:?}");
    }
    let mut numbers = BTreeSet::new();
    engine.each_fact(state, &mut |number| assert!(numbers.insert(number), "{what}: {number} twice"));
    let found: Option<BTreeSet<u32>> = facts.iter().map(|fact| engine.fact(fact)).collect();
    assert_eq!(found, Some(numbers), "{what}");
    assert!(engine.state_of(&["(no such fact)"]).is_none() && engine.fact("(no such fact)").is_none(), "{what}");
}

fn check<G: Facts>(engine: &G, name: &str, fresh: &str, paths: u64, engine_name: &str) {
    let what = format!("{name} on {engine_name}");
    replay(engine, &file(name, "playthrough.txt")).unwrap_or_else(|error| panic!("{what}: {error}"));
    replay(engine, fresh).unwrap_or_else(|error| panic!("{what}: {error}"));
    count_paths(engine, &counts(name), paths, &what);
    check_words(engine, &what);
}

fn suite(name: &str) {
    let rules = rules(name);
    let prover = Prover::new(&rules).unwrap();
    let fresh = record(&prover, 77, 40).unwrap();
    check(&prover, name, &fresh, PROVER_PATHS, "the prover");
    let code = RuleCode::from_prover(&rules, &prover, Limits::default()).unwrap();
    check(&code, name, &fresh, RULE_CODE_PATHS, "rule code");
    let net =
        PropNet::from_prover(&rules, &prover, Budget::default()).unwrap_or_else(|unfit| panic!("{name}: {unfit}"));
    check(&net, name, &fresh, NET_PATHS, "the net");
    for engine in [Engine::Prover(Arc::new(prover)), Engine::Rules(Arc::new(code)), Engine::Net(Arc::new(net))] {
        check(&engine, name, &fresh, PATHS_AGAIN, &format!("the engine {}", engine.kind()));
    }
}

/// One test for each game, and one that no game is left out.
macro_rules! suites {
    ($($test:ident $name:literal),* $(,)?) => {
        $(
            #[test]
            fn $test() {
                suite($name);
            }
        )*

        #[test]
        fn no_game_is_left_out() {
            assert_eq!(library::names(), [$($name),*]);
        }
    };
}

suites! {
    amazons "amazons",
    amazons_small "amazons-small",
    atari_go "atari-go",
    auction "auction",
    awkward "awkward",
    bidding_tic_tac_toe "bidding-tic-tac-toe",
    blocker "blocker",
    blocks_world "blocks-world",
    breakthrough "breakthrough",
    breakthrough_small "breakthrough-small",
    centipede "centipede",
    checkers "checkers",
    chess "chess",
    chess_small "chess-small",
    chinese_checkers "chinese-checkers",
    chinese_checkers_3 "chinese-checkers-3",
    chinese_checkers_6 "chinese-checkers-6",
    chomp "chomp",
    connect_four "connect-four",
    connect_four_small "connect-four-small",
    connect_four_teams "connect-four-teams",
    dots_and_boxes "dots-and-boxes",
    eight_puzzle "eight-puzzle",
    farmers "farmers",
    hallway "hallway",
    hanoi "hanoi",
    hex "hex",
    kalah "kalah",
    knights_tour "knights-tour",
    knightthrough "knightthrough",
    kqkr "kqkr",
    krk "krk",
    lights_out "lights-out",
    lines_of_action "lines-of-action",
    maze "maze",
    meeting "meeting",
    minichess "minichess",
    nim "nim",
    nine_mens_morris "nine-mens-morris",
    nothello "nothello",
    othello "othello",
    peg_solitaire "peg-solitaire",
    pentago "pentago",
    prisoners_dilemma "prisoners-dilemma",
    queens "queens",
    racetrack_corridor "racetrack-corridor",
    rock_paper_scissors "rock-paper-scissors",
    sheep_and_wolf "sheep-and-wolf",
    sokoban "sokoban",
    sudoku "sudoku",
    three_player_nim "three-player-nim",
    tic_tac_toe "tic-tac-toe",
    tron "tron",
}

/// A term that no state has made yet has a number where it can become a fact, and asking for moves adds nothing.
#[test]
fn terms_that_are_new_to_an_engine() {
    // Facts are nested ever deeper, so they have no numbers by position.
    let text =
        "(role me) (init (at z)) (<= (legal me (wrap ?x)) (true (at ?x))) (<= (next (at (s ?x))) (does me (wrap ?x)))
        (<= terminal (true (at (s (s (s z))))))";
    let rules = gdl::parse(text).rules;
    fn check<G: Facts>(engine: &G) {
        let mut view = engine.view();
        engine.look(&engine.start(), &mut view).unwrap();
        assert_eq!(engine.legal_move(&view, Role(0), "(wrap (s z))"), None);
        assert_eq!(engine.fact("(at"), None);
        let later = engine.fact("(at (s z))").unwrap();
        let wrap: Move = engine.legal_move(&view, Role(0), "( WRAP z )").unwrap();
        let mut next = engine.start();
        engine.play(&mut view, &[wrap], &mut next).unwrap();
        let mut seen = Vec::new();
        engine.each_fact(&next, &mut |fact| seen.push(fact));
        assert_eq!(seen, [later]);
        assert!(engine.state_of(&["(at (s z))"]) == Some(next));
    }
    check(&Prover::new(&rules).unwrap());
    check(&RuleCode::new(&rules).unwrap());
}

/// Random games from the start, and what is told of their moves.
struct Told {
    start: State,
    left: u32,
    games: u32,
    made: u32,
}

impl Feed<State> for Told {
    fn stop(&mut self) -> bool {
        false
    }

    fn next(&mut self) -> Option<(u32, &State)> {
        self.left = self.left.checked_sub(1)?;
        Some((5, &self.start))
    }

    fn counts_moves(&self) -> bool {
        true
    }

    fn made(&mut self, number: u32, role: Role, _: Move, games: u32) {
        assert_eq!(number, 5);
        self.made += if role == Role(0) { games } else { 0 };
    }

    fn done(&mut self, _: u32, _: End, _: usize, _: &[Option<Goal>]) {
        self.games += 1;
    }
}

#[test]
fn every_engine_tells_the_moves_of_random_games() {
    let rules = rules("tic-tac-toe");
    for kind in EngineKind::ALL {
        let engine = Loader::new(&rules).make(kind).unwrap();
        let mut told = Told { start: engine.start(), left: 40, games: 0, made: 0 };
        engine.rollouts(&mut told, 100, 1).unwrap();
        assert_eq!(told.games, 40, "{kind:?}");
        // Three to five crosses a game, and nearly always waiting.
        assert!((140..=240).contains(&told.made), "{kind:?}: {}", told.made);
    }
}
