//! The pictures of all games of the library, as they are built into the program: drawn anew and compared. A person has looked at every one of them.
//!
//! After a change that is meant: `UPDATE_SNAPSHOTS=1 cargo test -p studio --test pictures`, and look at what is different.

use machine::{EngineKind, Loader};
use std::collections::BTreeSet;
use std::path::Path;
use studio::games::recorded;
use studio::pictures::{kept, thumbnail};
use study::picture::{Layout, Looks};
use study::{Plan, Study};

#[test]
fn every_game_of_the_library_looks_as_it_did() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("pictures");
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let mut different = Vec::new();
    for entry in library::ENTRIES {
        let rules = gdl::parse(entry.rules).rules;
        let engine = Loader::new(&rules).make(EngineKind::Rules).expect("it can be played");
        // Without a clock, so that it is the same on every machine.
        let mut layout = Layout::new(&Study::run(&rules, &engine, Plan::quick()));
        if let Some(text) = entry.board {
            layout = layout.with_looks(&Looks::parse(text).expect(entry.name));
        }
        let facts = entry.playthrough.and_then(recorded).expect("a recorded game");
        let svg = thumbnail(&layout, &facts, entry.title(), rules.roles().len());
        if update {
            std::fs::write(folder.join(format!("{}.svg", entry.name)), svg + "\n").unwrap();
        } else if kept(entry.name) != Some(svg.as_str()) {
            different.push(entry.name);
        }
    }
    assert!(different.is_empty(), "these look different: {different:?}; UPDATE_SNAPSHOTS=1 writes them anew");
}

#[test]
fn there_is_no_picture_without_a_game() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("pictures");
    let names: BTreeSet<&str> = library::ENTRIES.iter().map(|entry| entry.name).collect();
    for path in std::fs::read_dir(folder).unwrap() {
        let path = path.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(names.contains(name), "{} belongs to no game", path.display());
    }
}
