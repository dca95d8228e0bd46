//! Distances in Chinese checkers against published counts, against a plain breadth-first search, and through files.

use native::chinese::{Cells, Graph, cell, far_corner};
use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use table::chinese::{Build, BuildError, Distance, Distances, Fault, OpenError, Progress, Spec, turned};
use table::file::{About, Form};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("chinese-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn built(spec: Spec) -> Build {
    let mut build = Build::new(spec, 1 << 30).unwrap();
    build.run(&mut |_| true).unwrap();
    build
}

/// One line of the list of known counts.
struct Known {
    spec: Spec,
    layers: Vec<u64>,
    opposite: u8,
}

fn known() -> Vec<Known> {
    let lines = include_str!("known/chinese.txt").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(read).collect()
}

fn read(line: &str) -> Known {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [side, pieces, goal, opposite, layers @ ..] = &words[..] else { panic!("{line}") };
    let side: usize = side.parse().unwrap();
    let mut spec = Spec::new(side, pieces.parse().unwrap());
    if *goal != "-" {
        let cells = goal.split('/').map(|pair| pair.split_once(',').unwrap());
        spec.goal = cells.fold(0, |set, (r, c)| set | 1u128 << cell(side, r.parse().unwrap(), c.parse().unwrap()));
    }
    let layers = layers.iter().map(|count| count.parse().unwrap()).collect();
    Known { spec, layers, opposite: opposite.parse().unwrap() }
}

fn check_known(known: Known) {
    let build = built(known.spec.clone());
    assert_eq!(build.layers(), known.layers, "{:?}", known.spec);
    let table = build.into_distances();
    let opposite = turned(known.spec.side, known.spec.goal);
    assert_eq!(table.distance(opposite).unwrap(), Distance::Moves(known.opposite));
    assert_eq!(table.line(opposite).unwrap().unwrap().len(), usize::from(known.opposite));
}

#[test]
fn small_tables_have_the_known_layers() {
    let small: Vec<Known> = known().into_iter().filter(|known| known.spec.pieces < 6).collect();
    assert_eq!(small.len(), 2);
    small.into_iter().for_each(check_known);
}

/// Takes half a minute of processor time in a release build: `LUDENS_SIX=1 cargo test --release -p table --test chinese six`.
#[test]
fn the_table_of_six_has_the_known_layers() {
    if std::env::var_os("LUDENS_SIX").is_none() {
        eprintln!("skipped: the table of six pieces has 324,540,216 entries; LUDENS_SIX=1 builds it");
        return;
    }
    let six: Vec<Known> = known().into_iter().filter(|known| known.spec.pieces == 6).collect();
    assert_eq!(six.len(), 1);
    six.into_iter().for_each(check_known);
}

/// Distances by breadth-first search over a map, with the board's own moves.
fn plain(spec: &Spec) -> HashMap<Cells, u8> {
    let space = table::chinese::Space::new(spec.clone()).unwrap();
    let graph = Graph::diamond(spec.side).unwrap();
    let inside = |cells: Cells| cells & !spec.goal == 0;
    let all = (0..space.entries()).map(|rank| space.placement(rank).unwrap());
    let mut distances: HashMap<Cells, u8> = all.filter(|&cells| inside(cells)).map(|cells| (cells, 0)).collect();
    let mut queue: VecDeque<Cells> = distances.keys().copied().collect();
    while let Some(cells) = queue.pop_front() {
        let next = distances[&cells] + 1;
        graph.successors(cells, 0, |_, _, after| {
            if space.rank_of(after).is_some() {
                distances.entry(after).or_insert_with(|| {
                    queue.push_back(after);
                    next
                });
            }
        });
    }
    distances
}

#[test]
fn every_distance_is_that_of_a_plain_search() {
    let area = Spec { goal: (0..6).fold(0, |goal, c| goal | 1u128 << c), ..Spec::new(4, 2) };
    let lopsided = Spec { goal: 0b1000_0000_0011, ..Spec::new(4, 3) };
    for spec in [Spec::new(5, 1), Spec::new(4, 2), Spec::new(5, 3), Spec::new(4, 5), area, lopsided] {
        let expected = plain(&spec);
        let table = built(spec.clone()).into_distances();
        for rank in 0..table.space().entries() {
            let cells = table.space().placement(rank).unwrap();
            let wanted = expected.get(&cells).map_or(Distance::Never, |&moves| Distance::Moves(moves));
            assert_eq!(table.distance(cells).unwrap(), wanted, "{spec:?} {cells:x}");
        }
        table.verify(&mut |_, _| true).unwrap();
    }
}

#[test]
fn sections_give_bounds() {
    let whole = built(Spec::new(5, 3)).into_distances();
    for start in [3, 4, 10, 20] {
        let section = built(Spec::new(5, 3).from_start(start)).into_distances();
        let mut above = 0;
        for rank in 0..whole.space().entries() {
            let cells = whole.space().placement(rank).unwrap();
            let exact = whole.distance(cells).unwrap().moves().unwrap();
            match section.distance(cells).unwrap() {
                Distance::AtMost(bound) => {
                    assert!(bound >= exact && rank < section.space().entries());
                    above += u32::from(bound > exact);
                }
                Distance::Absent => assert!(rank >= section.space().entries()),
                Distance::Never => assert!(rank < section.space().entries()),
                Distance::Moves(_) => panic!("a section knows no exact distances"),
            }
        }
        println!("start {start}: {above} bounds are not exact");
        section.verify(&mut |_, _| true).unwrap();
    }
}

#[test]
fn deleted_cells_are_not_there() {
    let corner = native::chinese::corner(9, 6).unwrap();
    let front = |row: usize, column: usize| row + column <= 4;
    let cells = (0..81u8).filter(|&c| front(usize::from(c) / 9, usize::from(c) % 9) && corner >> c & 1 == 0);
    let goal = cells.fold(0, |goal, c| goal | 1u128 << c);
    let spec = Spec { deleted: corner, goal, ..Spec::new(9, 3) };
    let table = built(spec.clone()).into_distances();
    assert_eq!(table.space().entries(), 75 * 74 * 73 / 6);
    assert_eq!(table.distance(0b111).unwrap(), Distance::Absent);
    table.verify(&mut |_, _| true).unwrap();
    let far = far_corner(9, 3).unwrap();
    let line = table.line(far).unwrap().unwrap();
    assert_eq!(Some(line.len() as u8), table.distance(far).unwrap().moves());
    // Every move of the line is one of those listed, and gains one.
    let mut at = far;
    for (left, &(from, to)) in (0..line.len() as u8).rev().zip(&line) {
        assert!(table.moves(at).unwrap().contains(&(from, to, Distance::Moves(left))));
        at = at & !(1 << from) | 1 << to;
    }
    let end = line.iter().fold(far, |cells, (from, to)| cells & !(1 << from) | 1 << to);
    assert_eq!(end & !goal, 0);
}

#[test]
fn files_answer_as_memory_does() {
    let folder = folder("files");
    let build = built(Spec::new(6, 3));
    let (raw, packed) = (folder.join("raw"), folder.join("packed"));
    build.write(&raw, Form::Raw).unwrap();
    build.write(&packed, Form::Compressed).unwrap();
    let memory = build.into_distances();
    let files = [Distances::open(&raw).unwrap(), Distances::open(&packed).unwrap()];
    let half = Distances::open_from(&raw, 12).unwrap();
    assert_eq!(half.loaded(), half.space().entries_from(12));
    for rank in 0..memory.space().entries() {
        let cells = memory.space().placement(rank).unwrap();
        let distance = memory.distance(cells).unwrap();
        for file in &files {
            assert_eq!(file.distance(cells).unwrap(), distance);
        }
        assert_eq!(half.distance(cells).unwrap(), if rank < half.loaded() { distance } else { Distance::Absent });
    }
    // Many at a time, among them some with too many or too few pieces.
    let mut many: Vec<u128> = (0..memory.space().entries()).filter_map(|rank| memory.space().placement(rank)).collect();
    many.extend([0, 0b11, 0b1111, 1 << 100]);
    for table in files.iter().chain([&memory, &half]) {
        let mut answers = vec![Distance::Never];
        table.distances(&many, &mut answers).unwrap();
        assert!(answers.iter().copied().eq(many.iter().map(|&cells| table.distance(cells).unwrap())));
    }
    for file in &files {
        let About::Chinese(summary) = &file.table().unwrap().header().about else { panic!("another kind of table") };
        assert_eq!(file.verify(&mut |_, _| true).unwrap(), summary.layers);
    }
    assert!(matches!(half.verify(&mut |_, _| true), Err(Fault::Partial)));
    assert!(matches!(Distances::open_from(&raw, 36), Err(OpenError::Start(36))));
}

#[test]
fn only_the_sections_asked_for_are_read() {
    let path = folder("sections").join("t");
    built(Spec::new(6, 3)).write(&path, Form::Raw).unwrap();
    // Damage the very last entry, which belongs to the rearmost section.
    let mut bytes = fs::read(&path).unwrap();
    let table = table::file::Table::open(&path).unwrap();
    let place = 56 + table.header().entries() as usize - 1;
    drop(table);
    bytes[place] ^= 1;
    fs::write(&path, bytes).unwrap();
    assert!(Distances::open_from(&path, 1).is_ok());
    assert!(matches!(Distances::open_from(&path, 0), Err(OpenError::File(_))));
    assert!(matches!(Distances::open(&path).unwrap().verify(&mut |_, _| true), Err(Fault::File(_))));
}

#[test]
fn damage_is_noticed_when_it_is_asked() {
    let path = folder("asked").join("t");
    built(Spec::new(6, 3)).write(&path, Form::Raw).unwrap();
    let whole = fs::read(&path).unwrap();
    let far = far_corner(6, 3).unwrap();
    let table = Distances::open(&path).unwrap();
    let line = table.line(far).unwrap().unwrap();
    assert_eq!(line.len(), usize::from(table.distance(far).unwrap().moves().unwrap()));
    let next = table.moves(far).unwrap().into_iter().map(|(_, _, distance)| distance.moves().unwrap()).min();
    assert_eq!(next, Some(line.len() as u8 - 1));
    let layers = table.verify(&mut |_, _| true).unwrap();
    assert_eq!(table.misstated(&layers), None);
    assert!(table.misstated(&layers[1..]).is_some_and(|why| why.contains("the statistics in the header")));
    // The placement of the far corner is the last entry.
    let mut bytes = whole.clone();
    bytes[56 + table.space().entries() as usize - 1] ^= 1;
    fs::write(&path, bytes).unwrap();
    let damaged = Distances::open(&path).unwrap();
    assert!(damaged.distance(far).is_err() && damaged.line(far).is_err());
    let near = 0b11 | 1 << 6;
    assert_eq!(damaged.distance(near).unwrap(), Distance::Moves(0), "what is whole can be asked");
}

#[test]
fn wrong_entries_are_found() {
    use table::file::{Table, Writer};
    let folder = folder("wrong");
    let (good, bad) = (folder.join("good"), folder.join("bad"));
    built(Spec::new(5, 3)).write(&good, Form::Raw).unwrap();
    let table = Table::open(&good).unwrap();
    let parts = 0..table.header().parts.len();
    let values: Vec<u8> = parts.flat_map(|part| table.load(part).unwrap().into_bytes()).collect();
    for (place, change) in [(0, 1i16), (5, 1), (700, -1), (2299, 1), (1000, 100)] {
        let mut wrong = values.clone();
        wrong[place] = (i16::from(wrong[place]) + change) as u8;
        let mut writer = Writer::create(&bad, table.header().clone(), Form::Raw).unwrap();
        writer.write(&wrong).unwrap();
        writer.finish().unwrap();
        let result = Distances::open(&bad).unwrap().verify(&mut |_, _| true);
        assert!(matches!(result, Err(Fault::Entry { .. })), "{place}: {result:?}");
    }
}

#[test]
fn a_stopped_build_goes_on() {
    let folder = folder("resume");
    let whole = built(Spec::new(9, 4));
    let save = folder.join("save");
    let mut asked = 0;
    let mut build = Build::new(Spec::new(9, 4), 1 << 30).unwrap();
    let mut stop_at = 3;
    // Stopped again and again, saved, and taken up from the file.
    loop {
        let mut ask = |progress: Progress| {
            assert!(progress.decided <= progress.total && progress.done < progress.shares);
            asked += 1;
            asked < stop_at
        };
        match build.run(&mut ask) {
            Ok(()) => break,
            Err(BuildError::Stopped) => {}
            Err(error) => panic!("{error}"),
        }
        assert!(matches!(build.write(folder.join("early"), Form::Raw), Err(BuildError::Stopped)));
        stop_at = asked + 7;
        build.save(&save).unwrap();
        assert!(Distances::open(&save).is_err(), "an unfinished build is not a table");
        // Every other time the one in memory goes on, which does nothing twice.
        if asked % 2 == 0 {
            build = Build::resume(&save, 1 << 30).unwrap();
        }
    }
    assert_eq!(build.layers(), whole.layers());
    assert!(!folder.join("early").exists());
    build.write(folder.join("done"), Form::Raw).unwrap();
    assert!(matches!(Build::resume(folder.join("done"), 1 << 30), Err(BuildError::NotABuild(_))));
}

#[test]
fn memory_is_known_before() {
    let spec = Spec::new(9, 6);
    let needed = Build::memory(&spec).unwrap();
    assert!(needed < 324_540_216 * 13 / 10);
    let Err(BuildError::Memory { needed: said, allowed, fits_from }) = Build::new(spec.clone(), 50_000_000) else {
        panic!("this is too little memory")
    };
    assert_eq!((said, allowed), (needed, 50_000_000));
    let start = fits_from.unwrap();
    assert!(Build::memory(&spec.clone().from_start(start)).unwrap() <= allowed);
    assert!(Build::memory(&spec.from_start(start - 1)).unwrap() > allowed);
    // Ten pieces do not fit, but their last sections do.
    let ten = Build::new(Spec::new(9, 10), 1 << 30);
    assert!(matches!(ten, Err(BuildError::Memory { fits_from: Some(40..=60), .. })));
}
