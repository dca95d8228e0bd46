//! What things look like: chess men where names say so, crosses and rings, discs with the sign of their owner, letters. Nothing is told by colour alone.

use super::svg::{BOARD, INK, LINE, escaped, n};
use super::{BoardPicture, Shape, Thing};
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;
use std::fmt::Write as _;

/// Where and how large a thing is drawn.
pub(super) struct Put {
    pub at: (f64, f64),
    pub scale: f64,
    /// Half the room of a tower.
    pub tower: f64,
    pub shape: Shape,
}

/// How the things of one board are drawn.
pub(super) struct Tokens {
    /// Names such as `wk` are chess men; otherwise they are men and kings of draughts.
    chess: bool,
    /// The greatest size.
    sizes: u32,
    /// What is written for things of which several begin with the same letter.
    shorts: BTreeMap<String, String>,
}

/// The men of chess.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Man {
    King,
    Queen,
    Rook,
    Bishop,
    Knight,
    Pawn,
}

const MEN: [(&str, &str, Man); 6] = [
    ("king", "k", Man::King),
    ("queen", "q", Man::Queen),
    ("rook", "r", Man::Rook),
    ("bishop", "b", Man::Bishop),
    ("knight", "n", Man::Knight),
    ("pawn", "p", Man::Pawn),
];

impl Man {
    fn word(self) -> &'static str {
        MEN.iter().find(|(_, _, man)| *man == self).map_or("", |(word, _, _)| word)
    }

    /// Its outline in a square of 40 around the middle.
    fn outline(self) -> &'static str {
        match self {
            Man::Pawn => {
                "M0 -12a5.5 5.5 0 0 1 3.6 9.6c3 1.5 4.9 5 5 9.4h-17.2c.1-4.4 2-7.9 5-9.4a5.5 5.5 0 0 1 3.6-9.6zM-10.5 9h21v5h-21z"
            }
            Man::Rook => {
                "M-10-14h4.5v3.5h3.5v-3.5h4v3.5h3.5v-3.5h4.5v8l-3 2.5.8 10h-15.6l.8-10-3-2.5zM-11 8.5h22v5.5h-22z"
            }
            Man::Bishop => {
                "M0-16.5a2.4 2.4 0 0 1 1.8 4c4.4 2.8 6.2 6 6.2 9.3 0 3.2-1.7 5.5-4 6.7l1 3.5h-10l1-3.5c-2.3-1.2-4-3.5-4-6.7 0-3.3 1.8-6.5 6.2-9.3a2.4 2.4 0 0 1 1.8-4zM-11 9h22v5h-22z"
            }
            Man::Knight => {
                "M-3.5-13.5l2.2-3 1.6 2.6c7.6.4 10.6 7 10.4 21.4h-17.7c0-5.4 2.4-7.6 5.6-10.4-2.6.9-4.6 1-6 3.4-1 1.5-3.6 1.4-4.4-.7-.6-1.9.5-3.7 1.6-5.3 1.8-2.8 2.2-5.2 6.7-8zM-11 9h22v5h-22z"
            }
            Man::Queen => {
                "M-14.5-8a2.2 2.2 0 1 1 2.8 1.300l3.2 5.2 2.3-9.300a2.2 2.2 0 1 1 2.6-.6l3.6 8 3.6-8a2.2 2.2 0 1 1 2.6.6l2.3 9.3 3.2-5.200a2.2 2.2 0 1 1 2.8-1.300l-4.5 15.500h-20zM-11 9.500h22v4.500h-22z"
            }
            Man::King => {
                "M-1.7-17.500h3.400v2.700h2.700v3.200h-2.700v3c6-3.6 12.3-.8 11.3 5-.6 3.7-3.5 6.6-5 11.100h-16c-1.5-4.5-4.4-7.4-5-11.1-1-5.8 5.3-8.6 11.3-5v-3h-2.700v-3.200h2.700zM-11 9.500h22v4.500h-22z"
            }
        }
    }
}

/// A name as a chess man: its colour, where it has one, and its kind.
fn man(name: &str) -> Option<(Option<bool>, Man)> {
    let lower = name.to_ascii_lowercase();
    let clean: String = lower.chars().filter(|c| c.is_ascii_alphabetic()).collect();
    let kind = |rest: &str, letters: bool| {
        MEN.iter().find(|(word, letter, _)| rest == *word || letters && rest == *letter).map(|(_, _, man)| *man)
    };
    for (word, white) in [("white", true), ("black", false), ("w", true), ("b", false)] {
        if let Some(man) = clean.strip_prefix(word).and_then(|rest| kind(rest, true)) {
            return Some((Some(white), man));
        }
    }
    kind(&clean, false).map(|man| (None, man))
}

/// Men and kings of draughts: whose, and whether it is a king.
fn draught(name: &str) -> Option<(char, bool)> {
    let lower = name.to_ascii_lowercase();
    if let Some((side, rank)) = lower.split_once(['_', '-', ' ']) {
        let king = match rank {
            "man" | "pawn" | "piece" | "checker" => false,
            "king" => true,
            _ => return None,
        };
        return Some((side.chars().next()?, king));
    }
    match lower.as_bytes() {
        [side @ (b'w' | b'b' | b'r'), b'p' | b'm'] => Some((char::from(*side), false)),
        [side @ (b'w' | b'b' | b'r'), b'k'] => Some((char::from(*side), true)),
        _ => None,
    }
}

/// A thing as it is read aloud.
pub(super) fn spoken(name: &str) -> String {
    match man(name) {
        Some((Some(white), man)) if name.len() == 2 => {
            format!("{} {}", if white { "white" } else { "black" }, man.word())
        }
        _ => name.replace(['_', '-'], " "),
    }
}

/// A name of at most three letters.
pub(super) fn short(name: &str) -> String {
    if name.chars().count() <= 3 {
        name.to_string()
    } else {
        name.chars().take(1).flat_map(char::to_uppercase).collect()
    }
}

/// At most four letters for each of the longer names that begin with the same letter: what follows all they have in common, or how they begin.
fn told_apart(names: &BTreeSet<&str>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    // Walls are drawn, not written.
    let long = || names.iter().filter(|name| name.chars().count() > 3 && !WALLS.contains(name));
    for &name in long() {
        let alike: Vec<&&str> = long().filter(|other| other.chars().next() == name.chars().next()).collect();
        if alike.len() < 2 {
            continue;
        }
        let common = (0..name.len())
            .take_while(|&at| alike.iter().all(|other| other.as_bytes().get(at) == name.as_bytes().get(at)))
            .count();
        let rest = name.get(common..).filter(|rest| (1..=4).contains(&rest.chars().count()));
        found.insert(name.to_string(), rest.map_or_else(|| name.chars().take(4).collect(), str::to_string));
    }
    found
}

/// Colours that names say.
const COLOURS: [(&str, &str); 14] = [
    ("white", "#f7f4ec"),
    ("black", "#2b2b2e"),
    ("red", "#c43c32"),
    ("yellow", "#f0c02f"),
    ("blue", "#2f6fb8"),
    ("green", "#3b8f4d"),
    ("orange", "#e08a2b"),
    ("purple", "#8250a8"),
    ("violet", "#8250a8"),
    ("magenta", "#b53f92"),
    ("cyan", "#2a9ca8"),
    ("teal", "#1f8a84"),
    ("pink", "#d9749b"),
    ("brown", "#7d5a3c"),
];

/// Colours of roles whose names say none.
const SIDES: [&str; 6] = ["#2f6fb8", "#c9572f", "#3b8f4d", "#8250a8", "#d19a1d", "#1f8a84"];

pub(super) fn colour(thing: &Thing) -> &str {
    if let Some(own) = &thing.colour {
        return own;
    }
    let lower = thing.name.to_ascii_lowercase();
    let words: BTreeSet<&str> = lower.split(|c: char| !c.is_ascii_alphabetic()).collect();
    if let Some((_, colour)) = COLOURS.iter().find(|(word, _)| words.contains(word)) {
        return colour;
    }
    match (draught(&lower).map(|(side, _)| side), thing.side) {
        (Some('w'), _) => COLOURS[0].1,
        (Some('b'), _) => COLOURS[1].1,
        (Some('r'), _) => COLOURS[2].1,
        (_, Some(side)) => SIDES[usize::from(side) % SIDES.len()],
        _ => "#b9a98c",
    }
}

/// The ink that can be read on a colour.
fn on(colour: &str) -> &'static str {
    let part = |at: usize| u32::from_str_radix(colour.get(at..at + 2).unwrap_or("0"), 16).unwrap_or(0);
    let light = 3 * part(1) + 6 * part(3) + part(5);
    if light > 1400 { "#22201c" } else { "#fdfbf5" }
}

/// What fills a cell and stays there.
const WALLS: [&str; 11] =
    ["wall", "arrow", "barrier", "blocked", "block", "burnt", "burned", "stone", "fence", "brick", "obstacle"];
/// Things that are round and belong to nobody.
const ROUND: [&str; 8] = ["peg", "ball", "disc", "disk", "pebble", "token", "coin", "marble"];

/// Names of whoever walks about on a board where nobody else does.
const WALKERS: [&str; 14] = [
    "man", "player", "person", "agent", "worker", "pusher", "hero", "walker", "explorer", "me", "at", "pos",
    "position", "location",
];

impl Tokens {
    pub fn new(board: &BoardPicture) -> Tokens {
        let all = || board.things.iter().chain(board.cells.iter().flat_map(|cell| &cell.things));
        let officers = |thing: &Thing| man(&thing.name).is_some_and(|(_, man)| !matches!(man, Man::King | Man::Pawn));
        let kings =
            all().filter_map(|thing| man(&thing.name)).filter(|(side, man)| side.is_some() && *man == Man::King);
        // A king alone may be one of draughts; a man with a name of his own is one of chess.
        let chess = all().any(officers) || kings.count() > 0 && !all().any(|thing| draught(&thing.name).is_some());
        let sizes = all().filter_map(|thing| thing.size).max().unwrap_or(1);
        let names: BTreeSet<&str> = all().map(|thing| thing.name.as_str()).collect();
        Tokens { chess, sizes, shorts: told_apart(&names) }
    }

    pub fn draw(&self, svg: &mut String, thing: &Thing, put: &Put) {
        let Put { at: (x, y), scale, shape, .. } = *put;
        let _ = write!(svg, "<g transform=\"translate({} {})", n(x), n(y));
        if scale != 1.0 {
            let _ = write!(svg, " scale({scale})");
        }
        *svg += "\">";
        match shape {
            Shape::Towers => self.tower(svg, thing, put),
            Shape::Pits => seeds(svg, &thing.name),
            _ => self.token(svg, thing),
        }
        *svg += "</g>";
    }

    fn token(&self, svg: &mut String, thing: &Thing) {
        let lower = thing.name.to_ascii_lowercase();
        let wall = WALLS.contains(&lower.as_str()) && thing.side.is_none();
        if let Some(sign) = &thing.glyph {
            return glyph(svg, thing, sign);
        }
        if let Some((side, man)) = man(&lower).filter(|_| self.chess) {
            return chess_man(svg, man, side, thing.side);
        }
        if let Some((_, king)) = draught(&lower) {
            return disc(svg, thing, if king { "crown" } else { "" });
        }
        if lower == "x" || lower == "o" {
            let usual = SIDES[usize::from(thing.side.unwrap_or(u8::from(lower == "o"))) % SIDES.len()];
            let colour = thing.colour.as_deref().unwrap_or(usual);
            let shape = if lower == "x" { "M-10-10L10 10M10-10L-10 10" } else { "M0-11a11 11 0 1 1 -.01 0z" };
            let _ = write!(
                svg,
                "<path d=\"{shape}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"5\" stroke-linecap=\"round\"/>"
            );
        } else if lower.parse::<i64>().is_ok() {
            let size = if lower.len() > 2 { 14 } else { 20 };
            let _ = write!(
                svg,
                "<text dy=\".35em\" fill=\"{INK}\" font-size=\"{size}\" font-weight=\"600\">{lower}</text>"
            );
        } else if wall {
            let _ = write!(
                svg,
                "<rect x=\"-17\" y=\"-17\" width=\"34\" height=\"34\" rx=\"3\" fill=\"#5b5248\" stroke=\"#2f2a24\"/>\
                 <path d=\"M-17-6H17M-17 6H17M0-17V-6M-8-6V6M8-6V6M0 6V17\" stroke=\"#8a7f70\" stroke-width=\"1.5\"/>"
            );
        } else if lower == "box" || lower == "crate" {
            let _ = write!(
                svg,
                "<rect x=\"-15\" y=\"-15\" width=\"30\" height=\"30\" rx=\"2\" fill=\"#b98346\" stroke=\"#5e3f1c\" stroke-width=\"2\"/>\
                 <path d=\"M-15-15L15 15M15-15L-15 15\" stroke=\"#5e3f1c\" stroke-width=\"2\"/>"
            );
        } else if lower == "on" || lower == "lit" || lower == "light" {
            let _ = write!(
                svg,
                "<circle r=\"11\" fill=\"#f6cf4a\" stroke=\"#8a6a0c\" stroke-width=\"1.5\"/>\
                 <path d=\"M0-18V-13M0 13V18M-18 0H-13M13 0H18M-12-12L-9-9M12-12L9-9M-12 12L-9 9M12 12L9 9\" stroke=\"#8a6a0c\" stroke-width=\"2\"/>"
            );
        } else if WALKERS.contains(&lower.as_str()) && thing.side.is_none() {
            let _ = write!(
                svg,
                "<circle cy=\"-8\" r=\"6.5\" fill=\"#2f6fb8\" stroke=\"#16324f\" stroke-width=\"1.2\"/>\
                 <path d=\"M-11 15c0-9 4-15 11-15s11 6 11 15z\" fill=\"#2f6fb8\" stroke=\"#16324f\" stroke-width=\"1.2\"/>"
            );
        } else if lower == "used" || lower == "visited" {
            let _ = write!(svg, "<circle r=\"5\" fill=\"{LINE}\"/>");
        } else if lower == "square" {
            let _ = write!(
                svg,
                "<rect x=\"-17\" y=\"-17\" width=\"34\" height=\"34\" rx=\"5\" fill=\"#6b4226\" stroke=\"#3b2412\" stroke-width=\"2\"/>\
                 <rect x=\"-10\" y=\"-10\" width=\"20\" height=\"20\" rx=\"3\" fill=\"none\" stroke=\"#9a6a45\" stroke-width=\"2\"/>"
            );
        } else if thing.side.is_some() || ROUND.contains(&lower.as_str()) || says_colour(&lower) {
            disc(svg, thing, "");
        } else {
            let text = self.shorts.get(&thing.name).cloned().unwrap_or_else(|| short(&thing.name));
            let size = [16, 16, 16, 12, 9][text.chars().count().min(4)];
            let text = escaped(&text);
            let _ = write!(
                svg,
                "<rect x=\"-15\" y=\"-15\" width=\"30\" height=\"30\" rx=\"8\" fill=\"{BOARD}\" stroke=\"{INK}\" stroke-width=\"1.5\"/>\
                 <text dy=\".35em\" fill=\"{INK}\" font-size=\"{size}\" font-weight=\"600\">{text}</text>"
            );
        }
    }

    fn tower(&self, svg: &mut String, thing: &Thing, put: &Put) {
        let half = match thing.size {
            Some(size) => 12.0 + (put.tower - 18.0) * f64::from(size) / f64::from(self.sizes.max(1)),
            None => 19.0,
        };
        let fill = SIDES[thing.size.unwrap_or(1) as usize % SIDES.len()];
        let (rx, text) = (if thing.size.is_some() { 12 } else { 3 }, escaped(&short(&thing.name)));
        let _ = write!(
            svg,
            "<rect x=\"{}\" y=\"-18\" width=\"{}\" height=\"36\" rx=\"{rx}\" fill=\"{fill}\" stroke=\"{INK}\" stroke-width=\"1.5\"/>\
             <text dy=\".35em\" fill=\"#fff\" font-size=\"16\" font-weight=\"600\">{text}</text>",
            n(-half),
            n(2.0 * half)
        );
    }
}

/// A sign that somebody chose, in the colour of its owner.
fn glyph(svg: &mut String, thing: &Thing, sign: &str) {
    let size = [30, 30, 20, 15][sign.chars().count().min(3)];
    let own = thing.side.map_or(INK, |_| colour(thing));
    let fill = thing.colour.as_deref().unwrap_or(own);
    let _ = write!(
        svg,
        "<text dy=\".35em\" fill=\"{fill}\" font-size=\"{size}\" font-weight=\"600\" stroke=\"{BOARD}\" stroke-width=\"2\" \
         paint-order=\"stroke\">{}</text>",
        escaped(sign)
    );
}

fn says_colour(name: &str) -> bool {
    name.split(|c: char| !c.is_ascii_alphabetic()).any(|part| COLOURS.iter().any(|(word, _)| *word == part))
}

fn chess_man(svg: &mut String, man: Man, white: Option<bool>, side: Option<u8>) {
    let (fill, line) = match (white, side) {
        (Some(true), _) => ("#fbf8f0", "#26221d"),
        (Some(false), _) => ("#2c2926", "#d8d2c4"),
        (None, Some(side)) => (SIDES[usize::from(side) % SIDES.len()], "#1d1a16"),
        (None, None) => ("#5c7a99", "#1d2a36"),
    };
    let _ = write!(
        svg,
        "<path d=\"{}\" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"1.3\" stroke-linejoin=\"round\"/>",
        man.outline()
    );
}

/// A disc with the sign of its owner: a ring, a lozenge, a triangle, a square, a cross, a bar.
fn disc(svg: &mut String, thing: &Thing, extra: &str) {
    let fill = colour(thing);
    let ink = on(fill);
    let _ = write!(
        svg,
        "<circle r=\"15.5\" fill=\"{fill}\" stroke=\"#1f1c18\" stroke-width=\"1.2\"/><circle r=\"15\" fill=\"none\" stroke=\"#fff\" \
         stroke-opacity=\".25\" stroke-width=\"1\"/>"
    );
    let sign = match (extra, thing.side) {
        ("crown", _) => "M-9 6L-10-6L-4 0L0-8L4 0L10-6L9 6Z",
        (_, None) => return,
        (_, Some(0)) => "M0-8a8 8 0 1 1 -.01 0z",
        (_, Some(1)) => "M0-8.500L8.5 0L0 8.500L-8.5 0Z",
        (_, Some(2)) => "M0-9L8.5 6H-8.500Z",
        (_, Some(3)) => "M-6.5-6.500H6.500V6.500H-6.500Z",
        (_, Some(4)) => "M-7-7L7 7M7-7L-7 7",
        _ => "M-8 0H8M0-8V8",
    };
    let opacity = if extra.is_empty() { ".55" } else { ".9" };
    let _ = write!(
        svg,
        "<path d=\"{sign}\" fill=\"none\" stroke=\"{ink}\" stroke-opacity=\"{opacity}\" stroke-width=\"2\" stroke-linejoin=\"round\"/>"
    );
}

/// The most seeds of a pit that are drawn.
const MOST_SEEDS: usize = 24;

/// Seeds in a pit, and their number.
fn seeds(svg: &mut String, name: &str) {
    let count: usize = name.parse().unwrap_or(0);
    for seed in 0..count.min(MOST_SEEDS) {
        // As seeds lie in a sunflower.
        let angle = seed as f64 * TAU * 0.381_966;
        let radius = 2.6 * (seed as f64 + 0.3).sqrt();
        let _ = write!(
            svg,
            "<circle cx=\"{}\" cy=\"{}\" r=\"2.6\" fill=\"#8b6b45\" stroke=\"#4a3620\" stroke-width=\".6\"/>",
            n(angle.cos() * radius),
            n(angle.sin() * radius - 4.0)
        );
    }
    let _ = write!(
        svg,
        "<text y=\"{}\" dy=\".35em\" fill=\"{INK}\" font-size=\"{}\" font-weight=\"700\" stroke=\"{BOARD}\" stroke-width=\"3\" \
         paint-order=\"stroke\">{}</text>",
        if count == 0 { 0 } else { 12 },
        if count == 0 { 14 } else { 12 },
        escaped(name)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_begin_alike_are_told_apart() {
        let told = |names: &[&str]| told_apart(&names.iter().copied().collect());
        assert_eq!(told(&["p0001", "p1110"]).into_values().collect::<Vec<_>>(), ["0001", "1110"]);
        assert_eq!(told(&["blossom", "blinking"]).into_values().collect::<Vec<_>>(), ["blin", "blos"]);
        assert!(told(&["arrow", "archer", "wolf", "wp"]).is_empty());
    }
}
