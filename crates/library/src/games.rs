//! The game library that is part of the binary: the texts of `games/`, found by name.

use std::borrow::Cow;

/// One folder of `games/`.
pub struct Entry {
    /// The folder's name, which is the game's name.
    pub name: &'static str,
    /// `rules.kif`.
    pub rules: &'static str,
    /// `about.md`.
    pub about: Option<&'static str>,
    /// `board.toml`: how its boards look, if somebody wants them otherwise.
    pub board: Option<&'static str>,
    /// `perft.toml`.
    pub perft: Option<&'static str>,
    /// `playthrough.txt`.
    pub playthrough: Option<&'static str>,
}

/// All games, sorted by name.
pub static ENTRIES: &[Entry] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// The game of this name. Case, hyphens, underscores and spaces do not matter: `TicTacToe` is `tic-tac-toe`.
pub fn find(name: &str) -> Option<&'static Entry> {
    let wanted = plain(name);
    ENTRIES.iter().find(|entry| plain(entry.name) == wanted)
}

/// The names most like this one, best first, at most three; none if nothing is like it.
pub fn nearest(name: &str) -> Vec<&'static str> {
    let wanted = plain(name);
    let mut scored: Vec<(usize, &str)> = ENTRIES
        .iter()
        .map(|entry| (plain(entry.name), entry.name))
        .map(|(known, name)| (strsim::levenshtein(&wanted, &known), known, name))
        .filter(|(distance, known, _)| {
            let part = wanted.len() > 2 && (known.contains(&wanted) || wanted.contains(known.as_str()));
            part || *distance <= 1 + wanted.chars().count() / 3
        })
        .map(|(distance, _, name)| (distance, name))
        .collect();
    scored.sort();
    scored.into_iter().map(|(_, name)| name).take(3).collect()
}

/// A name reduced to what counts when names are compared.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl Entry {
    /// The first heading of `about.md`, or the name.
    pub fn title(&self) -> &str {
        let heading = self.about.and_then(|text| text.lines().find_map(|line| line.strip_prefix("# ")));
        heading.map_or(self.name, str::trim)
    }

    /// The first sentence of `about.md` after its heading; without that file the first comment of the rulesheet.
    pub fn summary(&self) -> String {
        let paragraph = match self.about {
            Some(text) => first_paragraph(text.lines().map(str::trim).filter(|line| !line.starts_with('#'))),
            None => first_paragraph(
                self.rules
                    .lines()
                    .map_while(|line| line.strip_prefix(';'))
                    .map(|line| line.trim_start_matches(';').trim()),
            ),
        };
        let end = paragraph.find(". ").map_or(paragraph.len(), |at| at + 1);
        paragraph[..end].to_string()
    }

    /// What kind of game it is, as far as the rulesheet and the recorded playthrough show.
    pub fn tags(&self) -> Vec<Cow<'static, str>> {
        let mut tags = Vec::new();
        tags.push(match gdl::parse(self.rules).rules.roles().len() {
            1 => Cow::from("one player"),
            2 => Cow::from("two players"),
            3 => Cow::from("three players"),
            4 => Cow::from("four players"),
            6 => Cow::from("six players"),
            n => Cow::from(format!("{n} players")),
        });
        if let Some(text) = self.playthrough {
            tags.extend(turns(text).map(Cow::from));
        }
        tags
    }
}

fn first_paragraph<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let lines: Vec<&str> = lines.skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// Whether the roles move one after another or at the same time, as seen in a playthrough; `None` for a game of one.
fn turns(playthrough: &str) -> Option<&'static str> {
    let (mut one, mut many, mut roles) = (0, 0, 0);
    let mut choosers = 0;
    let mut legal = 0;
    // Every state ends with its moves, or with the end of the game: count the choosers of the state before.
    for line in playthrough.lines().chain(["state"]) {
        if let Some(rest) = line.strip_prefix("  legal ") {
            let mut words = rest.split(' ').skip(1);
            let count = words.next().and_then(|word| word.trim_end_matches(':').parse::<usize>().ok());
            // Whoever waits has one move, and it is a word; a move that says how it is made is one even without a choice.
            let acts = words.next().is_some_and(|word| word.starts_with('('));
            choosers += usize::from(count > Some(1) || acts);
            legal += 1;
        } else if line.starts_with("state") {
            match choosers {
                0 => {}
                1 => one += 1,
                _ => many += 1,
            }
            roles = roles.max(legal);
            (choosers, legal) = (0, 0);
        }
    }
    match (roles, one, many) {
        (0 | 1, _, _) | (_, 0, 0) => None,
        (_, _, 0) => Some("alternating"),
        // A simultaneous game may narrow to one chooser near its end.
        (_, one, many) if many >= 3 * one => Some("simultaneous"),
        _ => Some("mixed turns"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_loosely() {
        assert_eq!(plain("Tic_Tac Toe"), plain("tic-tac-toe"));
        for entry in ENTRIES {
            assert_eq!(find(&entry.name.to_uppercase()).map(|found| found.name), Some(entry.name));
        }
    }

    #[test]
    fn every_rulesheet_can_be_read() {
        for entry in ENTRIES {
            assert!(gdl::parse(entry.rules).problems.is_empty(), "{}", entry.name);
            assert!(!entry.summary().is_empty(), "{} has neither about.md nor an opening comment", entry.name);
        }
    }

    #[test]
    fn turns_are_read_from_playthroughs() {
        let alternating = "state 0\n  legal x 9: a\n  legal o 1: noop\nstate 1\n  legal x 1: noop\n  legal o 8: a\n";
        assert_eq!(turns(alternating), Some("alternating"));
        assert_eq!(turns("state 0\n  legal x 3: a b c\n  legal o 3: a b c\n"), Some("simultaneous"));
        assert_eq!(turns("state 0\n  legal x 3: a b c\n"), None);
        let forced = "state 0\n  legal x 3: a b c\n  legal o 1: (ride east)\n";
        assert_eq!(turns(forced), Some("simultaneous"));
    }
}
