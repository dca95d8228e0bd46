//! Lookups on small boards, where whole tables are quick.

use abstraction::alone::{Alone, AloneError, AloneSpec, Goal, LookupSpec};
use game::random::Rng;
use native::chinese::{Allowed, Arena, Cells, ChineseCheckers, Position, Win};
use std::sync::Arc;
use table::chinese::{Build, Distances, Spec};

fn built(spec: &Spec) -> Option<Arc<Distances>> {
    let mut build = Build::new(spec.clone(), 64 << 20).ok()?;
    build.run(&mut |_| true).ok()?;
    Some(Arc::new(build.into_distances()))
}

fn arena(side: usize, pieces: usize) -> Arc<Arena> {
    Arc::new(Arena::new(&ChineseCheckers::new(side, pieces, Win::Filled, None).unwrap()))
}

fn specs() -> Vec<AloneSpec> {
    let some = AloneSpec::of_lookups(7, 6, &[((1, 3), Goal::Top), ((3, 5), Goal::Corner), ((4, 6), Goal::Enter)]);
    let other = AloneSpec::of_lookups(7, 6, &[((1, 4), Goal::Top), ((3, 6), Goal::TopSide)]);
    let all = AloneSpec { row: 0.3, curve: 0.05, behind: 0.7, behind_rows: 2, ..some.clone() };
    let simple = AloneSpec { row: 1.0, curve: 0.1, ..AloneSpec::nothing(7, 6) };
    vec![some, other, all, simple, AloneSpec::home(7, 6)]
}

/// Positions of games with some moves in every direction.
fn positions(arena: &Arena, game: &ChineseCheckers, count: usize) -> Vec<Position> {
    let mut rng = Rng::new(4);
    let (mut all, mut moves) = (Vec::new(), Vec::new());
    let start = arena.position(&game::Game::start(game));
    let mut position = start;
    while all.len() < count {
        let allowed = if rng.below(4) == 0 { Allowed::All } else { Allowed::Forward };
        arena.moves(&position, allowed, &mut moves);
        position = position.after(moves[rng.below(moves.len())]);
        if arena.over(&position) {
            position = start;
        }
        all.push(position);
    }
    all
}

#[test]
fn what_is_worked_out_for_many_moves_is_what_each_of_them_is_worth() {
    let game = ChineseCheckers::new(7, 6, Win::Filled, None).unwrap();
    let arena = arena(7, 6);
    for spec in specs() {
        let alone = Alone::new(spec.clone(), Arc::clone(&arena), built).unwrap();
        let mut moves = Vec::new();
        for position in positions(&arena, &game, 150) {
            arena.moves(&position, Allowed::All, &mut moves);
            let own = position.pieces[position.turn];
            let mut rows: Vec<((u8, u8), f32)> = moves.iter().map(|&mv| (mv, f32::NAN)).collect();
            alone.each(position.turn, own, &mut rows, |row| row.0, |row, value| row.1 = value);
            for (mv, value) in rows {
                let expected = alone.value(position.turn, position.after(mv).pieces[position.turn]);
                assert!((value - expected).abs() < 1e-3, "{spec:?} {mv:?}: {value} {expected}");
            }
        }
    }
}

#[test]
fn both_players_see_the_same_board() {
    let game = ChineseCheckers::new(7, 6, Win::Filled, None).unwrap();
    let arena = arena(7, 6);
    for spec in specs() {
        let alone = Alone::new(spec, Arc::clone(&arena), built).unwrap();
        for position in positions(&arena, &game, 60) {
            // Red seen from the other side is blue.
            let seen: Cells = arena.seen_by(0, position.pieces[0]);
            assert_eq!(alone.value(0, position.pieces[0]), alone.value(1, seen));
        }
    }
}

#[test]
fn one_lookup_of_all_pieces_is_the_table() {
    let (game, arena) = (ChineseCheckers::new(5, 3, Win::Filled, None).unwrap(), arena(5, 3));
    let distances = built(&Spec::new(5, 3)).unwrap();
    let alone = Alone::home(Arc::clone(&arena), Arc::clone(&distances)).unwrap();
    assert!(alone.is_exact());
    for position in positions(&arena, &game, 200) {
        let blue = position.pieces[1];
        assert_eq!(alone.value(1, blue), f32::from(distances.by_places(blue).unwrap()));
        assert_eq!(alone.answered(1, blue), 1);
    }
}

#[test]
fn pieces_behind_the_line_are_in() {
    // Six pieces: the corner's front line are the three cells of row 2, behind it rows 0 and 1.
    let arena = arena(7, 6);
    let spec = AloneSpec::of_lookups(7, 6, &[((1, 3), Goal::Enter)]);
    let alone = Alone::new(spec, Arc::clone(&arena), built).unwrap();
    // Places 0 to 2 are deleted, 3 to 5 the line; the last three pieces are somewhere.
    let far: Cells = 0b111 << 30;
    // Those behind the line take its first cells, so the last piece has to go round to the end of the row.
    for (front, moves) in [(0b111, 0.0), (0b111 << 3, 0.0), (0b1 | 0b11 << 4, 0.0), (0b11 | 1 << 6, 2.0)] {
        assert_eq!(alone.value(1, front | far), moves, "{front:b}");
    }
}

#[test]
fn entries_that_are_not_in_memory_are_estimated() {
    let folder = std::env::temp_dir().join(format!("ludens-alone-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("5x5-3");
    let mut build = Build::new(Spec::new(5, 3), 64 << 20).unwrap();
    build.run(&mut |_| true).unwrap();
    build.write(&path, table::file::Form::Raw).unwrap();
    let part = Arc::new(Distances::open_from(&path, 10).unwrap());
    let whole = Alone::home(arena(5, 3), Arc::new(build.into_distances())).unwrap();
    let alone = Alone::home(arena(5, 3), part).unwrap();
    assert!(!alone.is_exact());
    let (near, away): (Cells, Cells) = (0b1011, 0b111 << 21);
    assert_eq!((alone.answered(1, near), alone.answered(1, away)), (1, 0));
    assert_eq!(alone.value(1, near), whole.value(1, near));
    let (estimate, truth) = (alone.value(1, away), whole.value(1, away));
    assert!((estimate - truth).abs() < 0.4 * truth, "{estimate} {truth}");
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    let arena = arena(7, 6);
    let of = |pieces, goal| AloneSpec::of_lookups(7, 6, &[(pieces, goal)]);
    let refused = |spec: AloneSpec| Alone::new(spec, Arc::clone(&arena), built).err().unwrap();
    assert_eq!(refused(of((0, 3), Goal::Top)), AloneError::Pieces { first: 0, last: 3, of: 6 });
    assert_eq!(refused(of((5, 7), Goal::Top)), AloneError::Pieces { first: 5, last: 7, of: 6 });
    assert_eq!(refused(of((4, 3), Goal::Top)), AloneError::Pieces { first: 4, last: 3, of: 6 });
    assert_eq!(refused(AloneSpec::home(7, 3)), AloneError::Board);
    let lookups = vec![LookupSpec { pieces: (1, 2), goal: Goal::Top, weight: 1.0 }; 9];
    assert_eq!(refused(AloneSpec { lookups, ..AloneSpec::nothing(7, 6) }), AloneError::Many(9));
    let missing = Alone::new(of((1, 4), Goal::Top), arena, |_| None).err().unwrap();
    assert!(missing.to_string().contains("7x7-4 is not in memory"), "{missing}");
}

#[test]
fn descriptions_read_back() {
    for spec in specs() {
        let text = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<AloneSpec>(&text).unwrap(), spec, "{text}");
    }
    // S1.7 and RESEARCH: the sizes of the tables of PDB(6+4).
    let spec = AloneSpec::of_lookups(9, 10, &[((1, 6), Goal::Top), ((7, 10), Goal::Enter)]);
    let sizes: Vec<u64> =
        spec.tables().unwrap().into_iter().map(|table| table::chinese::Space::new(table).unwrap().entries()).collect();
    assert_eq!(sizes, [324_540_216, 1_215_450]);
}
