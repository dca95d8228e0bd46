//! What `ludens solve` says before it starts: what is known of the size, and whether there is an easier way.

use ::table::solve::Counter;
use gdl::Rules;
use platform::memory::size;
use std::io::{Write, stderr};

fn note(text: &str) {
    let _ = writeln!(stderr(), "note: {text}");
}

/// That the game has tables of its own.
pub fn twin(name: &str, rules: &Rules) {
    let twin = agent::oracles::twin_of(rules);
    if let Some((twin, build, entries)) = twin.and_then(|twin| Some((twin, twin.build()?, twin.entries()?))) {
        let known = if name == twin.game() { String::new() } else { format!(", the library's {}", twin.game()) };
        let what = if build.starts_with("chess") { "an ending of chess" } else { "a game with tables of its own" };
        note(&format!(
            "{name} is {what}{known}: `ludens table build {build}` makes its table of {entries} entries ({})",
            size(entries)
        ));
    }
}

/// That the game is tried without its counter.
pub fn counter(name: &str, counter: &Counter) {
    let (Some(first), Some(last)) = (counter.facts.first(), counter.facts.last()) else { return };
    note(&format!(
        "{first} to {last} does nothing but end {name}; without it there are up to {} times fewer states",
        counter.facts.len()
    ));
}

/// That the game is solved with its counter after all.
pub fn with_counter(name: &str, why: &str) {
    note(&format!("{name} is solved with its counter: {why}"));
}
