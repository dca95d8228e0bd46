//! Short names and signs for what is in cells, and whose it is. Decoration: a name that says nothing is shown as it is.

use super::{BoardPicture, Thing};
use crate::study::Study;
use std::collections::{BTreeMap, BTreeSet};

/// Contents that say themselves that they are none.
const EMPTY: [&str; 8] = ["blank", "empty", "none", "clear", "free", "nil", "fresh", "off"];

pub(super) fn is_empty_word(word: &str) -> bool {
    EMPTY.contains(&word)
}

/// Which things belong to which role: by a relation of roles and things, or by their names.
pub(super) fn sides(study: &Study) -> BTreeMap<String, u8> {
    let roles: Vec<String> = study.roles.iter().map(|&role| study.text(role)).collect();
    let mut sides = BTreeMap::new();
    for rows in study.fixed.given.iter().filter(|(relation, _)| relation.1 == 2).map(|(_, rows)| rows) {
        let owners = rows.iter().all(|row| study.roles.contains(&row[0]) && !study.roles.contains(&row[1]));
        let things: BTreeSet<_> = rows.iter().map(|row| row[1]).collect();
        if owners && things.len() == rows.len() && rows.len() > 1 {
            for row in rows {
                let role = study.roles.iter().position(|&role| role == row[0]).unwrap_or(0);
                sides.insert(study.text(row[1]), role as u8);
            }
        }
    }
    let columns = study.structures.iter().flat_map(|structure| {
        let columns = &study.fluents[structure.fluent].columns;
        (0..columns.len()).map(move |at| &columns[at])
    });
    let names: BTreeSet<String> = columns.flat_map(|column| &column.values).map(|&value| study.text(value)).collect();
    for name in names {
        let fits = |role: &String| *role == name || is_part(&name, role) || is_part(role, &name) || is_man(&name, role);
        if let Some(role) = roles.iter().position(|role| *role == name).or_else(|| roles.iter().position(fits)) {
            sides.entry(name).or_insert(role as u8);
        }
    }
    sides
}

/// Whether a name has another one as its first word.
fn is_part(name: &str, first: &str) -> bool {
    name.strip_prefix(first).is_some_and(|rest| rest.starts_with(['_', '-']))
}

/// Whether this is the name of a chess man of a role: `wk` for white.
fn is_man(name: &str, role: &str) -> bool {
    man(name).is_some_and(|(white, _)| role == if white { "white" } else { "black" })
}

/// A chess man by its name: whether it is white, and its letter.
fn man(name: &str) -> Option<(bool, char)> {
    let mut letters = name.chars();
    match (letters.next()?, letters.next()?, letters.next()) {
        (side @ ('w' | 'b'), kind @ ('k' | 'q' | 'r' | 'b' | 'n' | 'p'), None) => Some((side == 'w', kind)),
        _ => None,
    }
}

fn glyph(white: bool, kind: char, unicode: bool) -> char {
    let signs = if white { "♔♕♖♗♘♙" } else { "♚♛♜♝♞♟" };
    let at = "kqrbnp".find(kind).unwrap_or(0);
    match (unicode, white) {
        (true, _) => signs.chars().nth(at).unwrap_or(kind),
        (false, true) => kind.to_ascii_uppercase(),
        (false, false) => kind,
    }
}

/// Short forms of what can be on a board.
pub(super) struct Symbols {
    short: BTreeMap<String, String>,
    /// Whether the short forms need to be explained.
    told: bool,
}

impl Symbols {
    pub fn new(board: &BoardPicture, unicode: bool) -> Symbols {
        let now = board.cells.iter().flat_map(|cell| &cell.things);
        let things: BTreeMap<&str, &Thing> =
            board.things.iter().chain(now).map(|thing| (thing.name.as_str(), thing)).collect();
        let names: Vec<&str> = things.keys().copied().collect();
        let chess = !names.is_empty() && names.iter().all(|name| man(name).is_some());
        let chosen = |glyph: &String| unicode || glyph.is_ascii();
        if chess {
            let own = |name: &&str| things[name].glyph.clone().filter(chosen);
            let sign = |name: &&str| {
                own(name).or_else(|| man(name).map(|(white, kind)| glyph(white, kind, unicode).to_string()))
            };
            let short = names.iter().filter_map(|name| Some((name.to_string(), sign(name)?))).collect();
            return Symbols { short, told: false };
        }
        if let Some(short) = draughts(&names).filter(|_| things.values().all(|thing| thing.glyph.is_none())) {
            return Symbols { short, told: true };
        }
        // What belongs to somebody chooses its letter first; then what is there, and last what cells are.
        let grounds: BTreeSet<&str> = board.cells.iter().filter_map(|cell| cell.ground.as_deref()).collect();
        let mut order: Vec<&str> = names.iter().copied().filter(|name| things[name].side.is_some()).collect();
        order.extend(names.iter().copied().filter(|name| things[name].side.is_none()));
        order.extend(grounds.into_iter().filter(|name| !names.contains(name)));
        let mut short = letters(&order);
        short.extend(
            things.values().filter_map(|thing| Some((thing.name.clone(), thing.glyph.clone().filter(chosen)?))),
        );
        let told = short.iter().any(|(name, short)| name != short);
        Symbols { short, told }
    }

    pub fn of<'a>(&'a self, name: &'a str) -> &'a str {
        self.short.get(name).map_or(name, String::as_str)
    }

    pub fn width(&self) -> usize {
        self.short.values().map(|short| short.chars().count()).max().unwrap_or(1)
    }

    /// What the short forms stand for.
    pub fn legend(&self) -> Vec<(String, String)> {
        if !self.told {
            return Vec::new();
        }
        self.short.iter().filter(|(name, short)| name != short).map(|(a, b)| (a.clone(), b.clone())).collect()
    }
}

/// Men and kings of two sides: small and large letters.
fn draughts(names: &[&str]) -> Option<BTreeMap<String, String>> {
    let mut short = BTreeMap::new();
    for name in names {
        let (side, rank) = name.split_once(['_', '-'])?;
        let letter = side.chars().next()?;
        let letter = match rank {
            "man" | "pawn" => letter.to_ascii_lowercase(),
            "king" => letter.to_ascii_uppercase(),
            _ => return None,
        };
        short.insert(name.to_string(), letter.to_string());
    }
    let different = short.values().collect::<BTreeSet<_>>().len() == short.len();
    (different && !short.is_empty()).then_some(short)
}

/// A letter for each name: its first one that is still free, large where none is. Numbers, and whatever gets none, stay as they are.
fn letters(names: &[&str]) -> BTreeMap<String, String> {
    let short = |name: &str| name.chars().count() == 1 || name.parse::<i64>().is_ok();
    let mut used: BTreeSet<char> =
        names.iter().filter(|name| short(name)).filter_map(|name| name.chars().next()).collect();
    let mut found = BTreeMap::new();
    for name in names {
        let own = || name.chars().filter(|c| c.is_alphanumeric());
        let free = own().chain(own().map(|c| c.to_ascii_uppercase())).find(|c| !used.contains(c));
        let letter = match free {
            Some(letter) if !short(name) => {
                used.insert(letter);
                letter.to_string()
            }
            _ => name.to_string(),
        };
        found.insert(name.to_string(), letter);
    }
    found
}
