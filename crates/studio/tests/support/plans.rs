//! A plan for tests, made in a moment.

use agent::plans::{self, ground};
use game::{Cancel, Names};
use plan::Subject;
use plan::build::build;
use plan::learn::Settings;
use plan::listed::ListedWords;
use std::path::Path;

/// Makes the plan of nim in a folder of tables.
pub fn nim(tables: &Path) {
    make("nim", 400, tables);
}

/// Makes the plan of a small game, of so many that are tried.
pub fn make(name: &str, tries: usize, tables: &Path) {
    let (sheet, rules) = library::load(name).unwrap();
    let mut found = ground::listing(&sheet, &rules, None, None, &Cancel::new()).unwrap();
    let (identity, role) = (gdl::identity(&rules).to_string(), found.engine.role_name(found.listed.role).to_string());
    let subject = Subject::Game { name: name.into(), identity, role };
    let words = ListedWords { game: &found.engine, states: &found.listed.states };
    let settings = Settings { goals: 2, rounds: 1, ..Settings::default() };
    let mut plan = build(&mut found.listed.world, subject, &settings, &words, &mut |step| step.tried < tries);
    plan.reads = Some(found.listed.vocabulary.reads(found.listed.best));
    platform::save(&plans::path(tables, name), &plan.text()).unwrap();
}
