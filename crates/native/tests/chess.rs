//! Chess with few pieces against its rulesheets: counts, recorded games, and random walks compared state by state.

use game::perft::perft;
use game::random::Rng;
use game::record::{record, replay};
use game::{Game, Move, Names, roles};
use machine::{Budget, PropNet, Prover};
use native::chess::{Chess, Colour, Kind, Man, Position, Sheet};
use std::path::PathBuf;

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../games").join(name)
}

fn rules(name: &str) -> gdl::Rules {
    let parsed = gdl::parse(&std::fs::read_to_string(folder(name).join("rules.kif")).unwrap());
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    parsed.rules
}

/// The natives and the names of their rulesheets.
fn games() -> [(&'static str, Chess); 2] {
    [("krk", Chess::krk()), ("kqkr", Chess::kqkr())]
}

/// The same with the whole game, whose net takes longer.
fn all_games() -> [(&'static str, Chess); 3] {
    let [krk, kqkr] = games();
    [krk, kqkr, ("chess", Chess::full())]
}

fn moves_text<G: Names>(game: &G, view: &G::View, role: game::Role) -> Vec<String> {
    let mut legal = Vec::new();
    game.legal(view, role, &mut legal);
    legal.into_iter().map(|mv| game.move_text(mv)).collect()
}

/// Whatever both engines say about one state must be the same. Gives a random joint move, as each of them numbers it.
fn compare<A: Names, B: Names>(
    (a, va, sa): (&A, &mut A::View, &A::State),
    (b, vb, sb): (&B, &mut B::View, &B::State),
    rng: &mut Rng,
) -> Option<(Vec<Move>, Vec<Move>)> {
    assert_eq!(a.facts(sa), b.facts(sb));
    a.look(sa, va).unwrap();
    b.look(sb, vb).unwrap();
    let place = a.facts(sa).join(" ");
    assert_eq!(a.turn(va), b.turn(vb), "{place}");
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for role in roles(a) {
        assert_eq!(a.goal(va, role).unwrap(), b.goal(vb, role).unwrap(), "{place}");
        if a.over(va) {
            continue;
        }
        // The same moves; the order is the engine's own.
        let (ours, theirs) = (moves_text(a, va, role), moves_text(b, vb, role));
        let sorted = |list: &[String]| {
            let mut list = list.to_vec();
            list.sort();
            list
        };
        assert_eq!(sorted(&ours), sorted(&theirs), "{place}");
        let chosen = rng.below(ours.len());
        let same = theirs.iter().position(|name| *name == ours[chosen]).unwrap();
        let mut legal = Vec::new();
        a.legal(va, role, &mut legal);
        first.push(legal[chosen]);
        legal.clear();
        b.legal(vb, role, &mut legal);
        second.push(legal[same]);
    }
    (!a.over(va)).then_some((first, second))
}

fn walk<B: Names>(native: &Chess, other: &B, from: Position, rng: &mut Rng, steps: &mut usize) {
    let (mut va, mut vb) = (native.view(), other.view());
    let mut sa = from;
    let facts = native.facts(&sa);
    let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
    assert_eq!(native.state_of(&facts), Some(sa));
    let Some(mut sb) = other.state_of(&facts) else {
        panic!("the rulesheet does not know {facts:?}");
    };
    while let Some((first, second)) = compare((native, &mut va, &sa), (other, &mut vb, &sb), rng) {
        let (mut na, mut nb) = (sa, sb.clone());
        native.play(&mut va, &first, &mut na).unwrap();
        other.play(&mut vb, &second, &mut nb).unwrap();
        (sa, sb) = (na, nb);
        *steps += 1;
    }
}

/// A legal position with the men of `like` on random squares, and a random clock.
fn shuffled(like: &Position, rng: &mut Rng) -> Position {
    loop {
        let mut position = Position::empty(if rng.below(2) == 0 { Colour::White } else { Colour::Black });
        for (man, _) in like.list() {
            let square = rng.below(64) as u8;
            if position.at(square).is_none() {
                position.put(man, square);
            }
        }
        position.quiet = rng.below(100) as u16;
        let pawns = position.men[0][Kind::Pawn as usize] | position.men[1][Kind::Pawn as usize];
        if position.count() == like.count() && pawns & 0xff00_0000_0000_00ff == 0 && !position.broken() {
            return position;
        }
    }
}

#[test]
fn counts_of_the_rulesheets() {
    for (native, counts) in [
        (Chess::krk(), &[16, 112, 1871, 12042, 202_076][..]),
        (Chess::kqkr(), &[21, 245, 5067, 64302]),
        (Chess::full(), &[20, 400, 8902]),
    ] {
        let found: Vec<u64> = perft(&native, counts.len()).unwrap()[1..].iter().map(|count| count.nodes).collect();
        assert_eq!(found, counts);
    }
}

#[test]
fn counts_of_the_net_from_the_start() {
    for (name, native) in games() {
        let net = PropNet::new(&rules(name), Budget::default()).unwrap();
        assert_eq!(perft(&native, 4).unwrap(), perft(&net, 4).unwrap(), "{name}");
    }
}

#[test]
fn recorded_games_replay() {
    for (name, native) in all_games() {
        let recorded = std::fs::read_to_string(folder(name).join("playthrough.txt")).unwrap();
        replay(&native, &recorded).unwrap_or_else(|error| panic!("{name}: {error}"));
        let prover = Prover::new(&rules(name)).unwrap();
        replay(&native, &record(&prover, 5, 30).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn random_walks_equal_the_net_state_by_state() {
    let mut rng = Rng::new(11);
    for (name, native) in games() {
        let net = PropNet::new(&rules(name), Budget::default()).unwrap();
        let mut steps = 0;
        walk(&native, &net, native.start(), &mut rng, &mut steps);
        for _ in 0..150 {
            let from = shuffled(&native.start(), &mut rng);
            walk(&native, &net, from, &mut rng, &mut steps);
        }
        assert!(steps > 2000, "{name}: only {steps}");
    }
}

#[test]
fn random_walks_equal_the_prover_state_by_state() {
    let mut rng = Rng::new(12);
    for (name, native) in games() {
        let prover = Prover::new(&rules(name)).unwrap();
        let mut steps = 0;
        for _ in 0..3 {
            let mut from = shuffled(&native.start(), &mut rng);
            from.quiet = 80;
            walk(&native, &prover, from, &mut rng, &mut steps);
        }
        assert!(steps > 0, "{name}");
    }
}

/// Whole games from the start and from positions in which both sides can castle, compared state by state.
#[test]
fn whole_games_equal_the_rulesheet() {
    let (native, net) = (Chess::full(), PropNet::new(&rules("chess"), Budget::default()).unwrap());
    let mut rng = Rng::new(15);
    let mut steps = 0;
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w Kq - 90 1",
        "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 80 1",
    ] {
        for _ in 0..3 {
            walk(&native, &net, Position::from_fen(fen).unwrap(), &mut rng, &mut steps);
        }
    }
    assert!(steps > 500, "{steps}");
}

/// With pawns: the rulesheet of the whole game, from positions without castling rights.
#[test]
fn moves_with_pawns_equal_those_of_the_whole_game() {
    let net = PropNet::new(&rules("chess"), Budget::default()).unwrap();
    let mut rng = Rng::new(13);
    let (mut passing, mut promotions, mut seen) = (0, 0, 0);
    for men in ["KPPkpp", "KPkp", "KQPkrp", "KBPknpp", "KPPPkppr"] {
        let mut like = Position::empty(Colour::White);
        for (square, letter) in (8..).zip(men.chars()) {
            let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
            like.put(Man { colour, kind: Kind::from_letter(letter).unwrap() }, square);
        }
        let native = Chess::new(like, Sheet::Chess);
        let (mut va, mut vb) = (native.view(), net.view());
        for _ in 0..25 {
            let mut position = shuffled(&like, &mut rng);
            for _ in 0..12 {
                native.look(&position, &mut va).unwrap();
                assert_eq!(position.fault(), None);
                let facts = native.facts(&position);
                let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
                assert_eq!(Sheet::Chess.read(&facts), Some(position));
                net.look(&net.state_of(&facts).unwrap(), &mut vb).unwrap();
                if net.over(&vb) {
                    assert!(native.over(&va));
                    break;
                }
                let role = game::Role(position.turn as u8);
                let (mut ours, mut theirs) = (moves_text(&native, &va, role), moves_text(&net, &vb, role));
                ours.sort();
                theirs.sort();
                assert_eq!(ours, theirs, "{}", position.fen());
                seen += 1;
                let legal = position.legal();
                passing += legal.iter().filter(|step| step.passing).count();
                promotions += legal.iter().filter(|step| step.promotion.is_some()).count();
                // Double steps are preferred, so that taking en passant comes up.
                let doubles: Vec<_> =
                    legal.iter().filter(|s| s.kind == Kind::Pawn && s.from.abs_diff(s.to) == 16).collect();
                let step = if doubles.is_empty() { &legal[rng.below(legal.len())] } else { doubles[0] };
                position = position.after(step);
            }
        }
    }
    assert!(passing > 0 && promotions > 0 && seen > 500, "{passing} {promotions} {seen}");
}

/// Backward is the inverse of forward: a position is among those before another one exactly if a quiet move leads there.
#[test]
fn unmoves_are_the_inverse_of_moves() {
    let mut rng = Rng::new(14);
    let like = Position::from_fen("8/8/8/8/p6k/8/1P6/KQ4r1 w - -").unwrap();
    for _ in 0..300 {
        let position = Position { quiet: 0, ..shuffled(&like, &mut rng) };
        let strip = |p: Position| Position { quiet: 0, passed: None, ..p };
        for step in position.legal().iter().filter(|step| !step.converts()) {
            let next = position.after(step);
            assert!(next.before().into_iter().any(|p| strip(p) == position), "{} {}", position.fen(), step.uci());
        }
        for earlier in position.before() {
            assert!(!earlier.broken());
            let leads = |step: &native::chess::Step| strip(earlier.after(step)) == position && !step.converts();
            assert!(earlier.legal().iter().any(leads), "{} before {}", earlier.fen(), position.fen());
        }
    }
}

#[test]
fn unreadable_facts_are_refused() {
    let native = Chess::kqkr();
    for facts in [
        &["(cell a 1 wk)", "(control white)", "(quiet 0)"][..],
        &["(cell a 1 wk)", "(cell a 1 bk)", "(control white)", "(quiet 0)"],
        &["(cell a 1 wk)", "(cell c 1 bk)", "(control white)", "(quiet 101)"],
        &["(cell a 1 wk)", "(cell c 1 bk)", "(control white)", "(step 1)"],
        &["(cell a 9 wk)", "(cell c 1 bk)", "(control white)", "(quiet 1)"],
        &["(cell a 1 wk)", "(cell c 1 bk)", "(quiet 1)"],
    ] {
        assert_eq!(native.state_of(facts), None, "{facts:?}");
    }
}

/// The facts that the engines give for the sheets are read as the same positions, castling rights included.
#[test]
fn sheets_are_read_as_the_engines_write_them() {
    for sheet in Sheet::ALL {
        let prover = Prover::new(&rules(sheet.name())).unwrap();
        let read = sheet.read(&prover.facts(&prover.start())).unwrap();
        let start = match sheet {
            Sheet::Krk => Chess::krk().start(),
            Sheet::Kqkr => Chess::kqkr().start(),
            Sheet::Chess => Chess::full().start(),
        };
        assert_eq!(read, start);
    }
    let impossible = ["(cell a 1 wk)", "(cell a 2 bk)", "(control white)", "(quiet 0)"];
    assert!(Sheet::Kqkr.read(&impossible).unwrap().fault().is_some_and(|why| why.contains("neighbouring")));
    let passed = ["(cell a 1 wk)", "(cell h 8 bk)", "(control white)", "(quiet 0)", "(double_step e)"];
    assert!(Sheet::Chess.read(&passed).unwrap().fault().is_some_and(|why| why.contains("e6")));
}
