//! A plan in plain sentences, made from templates.

use crate::attribute::{Attribute, Place};
use crate::check::{Found, Report};
use crate::file::{Goal, Plan, Reached};
use crate::scene::Board;
use crate::sweep::Reading;
use crate::verdict::{Subject, Test};

/// What goes before all goals: to win where one can, and not to spoil it.
pub const FIRST: &str = "Win if you see it; never spoil the win.";

/// The rule about repetitions, for somebody who looks at so many of the best moves.
fn new_positions(among: usize, reading: Reading) -> String {
    let best = match reading {
        Reading::Ends => {
            "Of equally good moves the best is the one that seems better when you look two plies less far; where it"
        }
        Reading::Met => "Where the best move",
    };
    format!(
        "{best} leads back to a position that was there, turned or mirrored ones among them, make instead the best of the next {} that leads to a new one.",
        among - 1
    )
}

/// What to do with the totals of cases.
fn totals(reading: Reading) -> &'static str {
    match reading {
        Reading::Ends => "Make the total small. ",
        Reading::Met => "Force the least total that you can meet when it is your turn, the soonest. ",
    }
}

/// Of a sum with more parts than this the others are only counted where people read.
const BRIEF: usize = 6;

/// What words are about: a board with its things.
pub struct Words<'a> {
    board: &'a Board,
    /// What each thing is called: the rook, your king.
    names: Vec<String>,
}

/// What a thing is called in sentences: as shortly as it is told from all others. What only one side has is *the rook*; where each side has
/// one, it is *your king* and *their king*.
fn short(board: &Board, thing: usize) -> String {
    let of = &board.things[thing];
    let last = |name: &str| name.rsplit(' ').next().unwrap_or_default().to_string();
    let own = last(&of.name);
    let others = board.things.iter().enumerate().filter(|(at, other)| *at != thing && last(&other.name) == own);
    let mut sides = others.map(|(_, other)| other.ours);
    match (sides.next(), sides.next(), of.ours) {
        (None, ..) => format!("the {own}"),
        (Some(Some(false)), None, Some(true)) => format!("your {own}"),
        (Some(Some(true)), None, Some(false)) => format!("their {own}"),
        _ => format!("the {}", of.name),
    }
}

impl<'a> Words<'a> {
    /// Words for a board.
    pub fn new(board: &'a Board) -> Words<'a> {
        Words { board, names: (0..board.things.len()).map(|thing| short(board, thing)).collect() }
    }

    fn thing(&self, thing: usize) -> String {
        self.names[thing].clone()
    }

    /// Several things: this one, and that one.
    fn all(&self, things: &[usize]) -> String {
        let names: Vec<String> = things.iter().map(|&thing| self.thing(thing)).collect();
        names.join(" and ")
    }

    fn whose(&self, thing: usize) -> String {
        let name = &self.names[thing];
        format!("{name}{}", if name.ends_with('s') { "'" } else { "'s" })
    }

    /// A thing with its article.
    fn one(&self, thing: usize) -> String {
        let name = &self.board.things[thing].name;
        let first = name.chars().next().unwrap_or(' ').to_ascii_lowercase();
        // Letters are said as they are called: an x, an r.
        let vowels = if name.chars().count() == 1 { "aefhilmnorsx" } else { "aeiou" };
        format!("{} {name}", if vowels.contains(first) { "an" } else { "a" })
    }

    /// A cell by its name; several coordinates are kept together.
    fn cell(&self, cell: u8) -> String {
        let name = &self.board.cells[usize::from(cell)];
        if name.contains(' ') { format!("({name})") } else { name.clone() }
    }

    /// The fact that a thing is on a cell, where that is no place.
    fn fact(&self, thing: usize, cell: u8) -> Option<String> {
        let fact = self.board.facts.get(usize::from(cell)).filter(|fact| !fact.is_empty())?;
        Some(fact.replacen('?', &self.board.things[thing].name, 1))
    }

    /// All facts with a thing, where cells are no places: `(on … table)`.
    fn facts(&self, thing: usize) -> Option<String> {
        let (cell, fact) = self.board.facts.iter().enumerate().find(|(_, fact)| !fact.is_empty())?;
        let own = self.board.cells.get(cell)?;
        let inner = fact.trim_matches(['(', ')']).split(' ').map(|word| match word {
            "?" => self.board.things[thing].name.as_str(),
            word if word == own => "…",
            word => word,
        });
        Some(format!("({})", inner.collect::<Vec<_>>().join(" ")))
    }

    /// That a thing is on a cell, as a noun.
    fn on(&self, thing: usize, cell: u8) -> String {
        self.fact(thing, cell).unwrap_or_else(|| format!("{} on {}", self.one(thing), self.cell(cell)))
    }

    fn ours(&self, thing: usize) -> bool {
        self.board.things[thing].ours == Some(true)
    }

    fn place(&self, place: &Place) -> String {
        match place {
            Place::Thing(thing) => self.thing(*thing),
            Place::Edge => "the edge".into(),
            Place::Corner => "a corner".into(),
            Place::Middle => "the middle".into(),
            Place::CornerOf(thing) => format!("a corner that {} can reach", self.thing(*thing)),
            Place::EndOf(thing) => format!("the end of the way of {}", self.thing(*thing)),
            Place::Ahead(thing, 1) => format!("the next cell of {}", self.thing(*thing)),
            Place::Ahead(thing, moves) => format!("where {} gets in {moves} moves", self.thing(*thing)),
            Place::Cells { name, .. } => name.clone(),
        }
    }

    fn by(&self, by: Option<usize>) -> String {
        match by {
            None => String::new(),
            Some(thing) => format!(" in moves of {}", self.thing(thing)),
        }
    }

    /// What an attribute measures, as a noun.
    pub fn noun(&self, attribute: &Attribute) -> String {
        let all = |thing: usize| format!("all {}", self.board.things[thing].name);
        match attribute {
            Attribute::Count(thing) => {
                let facts = self.facts(*thing).unwrap_or_else(|| self.board.things[*thing].name.clone());
                format!("the number of {facts}")
            }
            Attribute::Distance { by, from, to } => {
                let own = if by == &Some(*from) { " in its own moves" } else { "" };
                let by = self.by(by.filter(|by| by != from));
                format!("{} distance to {}{own}{by}", self.whose(*from), self.place(to))
            }
            Attribute::Distances { from, to, .. } => format!("the distances from {} to {}", all(*from), self.place(to)),
            Attribute::Moves(thing) => format!("{} moves", self.whose(*thing)),
            Attribute::Escapes(thing) => format!("{} safe moves", self.whose(*thing)),
            Attribute::Aside(first, second) => {
                format!("{} distance to a line with {}", self.whose(*first), self.thing(*second))
            }
            Attribute::Between(thing, first, second) => {
                format!("{} between {} and {}", self.thing(*thing), self.thing(*first), self.thing(*second))
            }
            Attribute::Across(first, second) => {
                format!("the columns between {} and {}", self.thing(*first), self.thing(*second))
            }
            Attribute::Up(thing) => format!("how far up {} is", self.thing(*thing)),
            Attribute::Attacked(thing) => format!("attacks on {}", self.thing(*thing)),
            Attribute::Loose(thing) => format!("attacks on {} while it is not defended", self.thing(*thing)),
            Attribute::Defended(thing) => format!("the protection of {}", self.thing(*thing)),
            Attribute::Havens(thing) => format!("{} havens", self.whose(*thing)),
            Attribute::Strikes { thing, targets } => {
                format!("the cells where {} safely attacks {}", self.thing(*thing), self.all(targets))
            }
            Attribute::Strike { thing, targets } => {
                format!("{} moves to a safe attack on {}", self.whose(*thing), self.all(targets))
            }
            Attribute::Region(thing) => format!("{} region", self.whose(*thing)),
            Attribute::Room { thing, by } => format!("the room that {} leaves {}", self.thing(*by), self.thing(*thing)),
            Attribute::Kept { thing, from } => {
                format!("{} distance to {} region", self.whose(*from), self.whose(*thing))
            }
            Attribute::Controlled { ours: true } => "the cells that you attack".into(),
            Attribute::Controlled { ours: false } => "the cells that the other side attacks".into(),
            Attribute::Blocked { thing, target } => {
                format!("what keeps {} from {}", self.thing(*thing), self.thing(*target))
            }
            Attribute::On(thing, cell) => self.on(*thing, *cell),
            Attribute::Home(_) => "the number of things where they belong at the end".into(),
            Attribute::Astray(_) => "the steps of all things to where they belong at the end".into(),
            Attribute::Fetch { thing, what, cell, .. } => {
                let what = &self.board.things[*what].name;
                format!("{} moves to where {what} {} begins", self.whose(*thing), self.board.cells[usize::from(*cell)])
            }
            Attribute::Counter(counter) => self.board.counters[*counter].clone(),
            Attribute::Nim(counters) => {
                let names: Vec<&str> = counters.iter().map(|&counter| self.board.counters[counter].as_str()).collect();
                format!("the nim-sum of {}", names.join(", "))
            }
            Attribute::Modulo(inner, 2) => format!("whether {} is odd", self.noun(inner)),
            Attribute::Modulo(inner, by) => {
                format!("the remainder of {} divided by {by}", self.noun(inner))
            }
            Attribute::Times(first, second) => format!("{} times {}", self.noun(first), self.noun(second)),
            Attribute::Beyond(inner, by) => format!("{} beyond {by}", self.noun(inner)),
            Attribute::UpTo(inner, by) => format!("{} up to {by}", self.noun(inner)),
            Attribute::Off(inner, by) => format!("how far {} is from {by}", self.noun(inner)),
            Attribute::Sum(parts) => {
                let part = |(weight, part): &(u8, Attribute)| times(i32::from(*weight), &self.noun(part));
                parts.iter().map(part).collect::<Vec<_>>().join(" plus ")
            }
        }
    }

    /// A goal of one attribute as a request: make it less, or more.
    pub fn ask(&self, attribute: &Attribute, less: bool) -> String {
        match (attribute, less) {
            (Attribute::Distance { from, to: Place::Thing(other), by }, true) => {
                let (first, second) =
                    if self.ours(*from) || !self.ours(*other) { (from, other) } else { (other, from) };
                format!("Bring {} close to {}{}", self.thing(*first), self.thing(*second), self.by(*by))
            }
            (Attribute::Distance { from, to: Place::Thing(other), by }, false) => {
                format!("Keep {} far from {}{}", self.thing(*from), self.thing(*other), self.by(*by))
            }
            (Attribute::Distance { from, to, .. }, true) if self.ours(*from) => {
                format!("Bring {} to {}", self.thing(*from), self.place(to))
            }
            (Attribute::Distance { from, to, .. }, true) => {
                format!("Drive {} to {}", self.thing(*from), self.place(to))
            }
            (Attribute::Distance { from, to, .. }, false) if self.ours(*from) => {
                format!("Keep {} away from {}", self.thing(*from), self.place(to))
            }
            (Attribute::Distance { from, to, .. }, false) => {
                format!("Hold {} off {}", self.thing(*from), self.place(to))
            }
            (Attribute::Aside(first, second), true) => {
                format!("Put {} in line with {}", self.thing(*first), self.thing(*second))
            }
            (Attribute::Room { thing, by }, true) => {
                format!("Shrink the room that {} leaves {}", self.thing(*by), self.thing(*thing))
            }
            (Attribute::Region(thing), true) => format!("Shrink {} region", self.whose(*thing)),
            (Attribute::Escapes(thing), true) if !self.ours(*thing) => {
                format!("Leave {} few safe moves", self.thing(*thing))
            }
            (Attribute::Escapes(thing), false) if !self.ours(*thing) => {
                format!("Leave {} many safe moves", self.thing(*thing))
            }
            (Attribute::Escapes(thing), less) => {
                format!("Give {} {} safe moves", self.thing(*thing), if less { "few" } else { "many" })
            }
            (Attribute::Moves(thing), less) => {
                let how = if self.ours(*thing) { "Give" } else { "Leave" };
                format!("{how} {} {} moves", self.thing(*thing), if less { "few" } else { "many" })
            }
            (Attribute::Controlled { ours: true }, less) => {
                format!("Attack as {} cells as you can", if less { "few" } else { "many" })
            }
            (Attribute::Controlled { ours: false }, less) => {
                format!("Leave the other side {} cells that it attacks", if less { "few" } else { "many" })
            }
            (Attribute::Attacked(thing), true) if self.ours(*thing) => {
                format!("Do not leave {} attacked", self.thing(*thing))
            }
            (Attribute::Attacked(thing), false) if !self.ours(*thing) => format!("Attack {}", self.thing(*thing)),
            (Attribute::Loose(thing), true) => format!("Do not leave {} attacked and undefended", self.thing(*thing)),
            (Attribute::Defended(thing), false) => format!("Defend {}", self.thing(*thing)),
            (Attribute::Count(thing), less) if self.facts(*thing).is_some() => {
                let facts = self.facts(*thing).unwrap_or_default();
                format!("Have {} {facts}", if less { "few" } else { "many" })
            }
            (Attribute::Count(thing), true) if !self.ours(*thing) => {
                format!("Take {}", self.board.things[*thing].name)
            }
            (Attribute::Count(thing), false) => format!("Keep as many {} as you can", self.board.things[*thing].name),
            (Attribute::On(thing, cell), less) => {
                let name = &self.board.things[*thing].name;
                match (self.fact(*thing, *cell), less) {
                    (Some(fact), false) => format!("Make {fact} true"),
                    (Some(fact), true) => format!("Make {fact} false"),
                    (None, false) => format!("Get {} to {}", self.one(*thing), self.cell(*cell)),
                    (None, true) => format!("Have no {name} on {}", self.cell(*cell)),
                }
            }
            (Attribute::Distances { from, to, .. }, less) => {
                let all = format!("all {}", self.board.things[*from].name);
                let how = match (self.ours(*from), less) {
                    (true, true) => "Bring {} near",
                    (true, false) => "Keep {} far from",
                    (false, true) => "Drive {} near",
                    (false, false) => "Hold {} off",
                };
                format!("{} {}", how.replace("{}", &all), self.place(to))
            }
            (Attribute::Fetch { thing, what, cell, .. }, true) => {
                let (what, cell) = (&self.board.things[*what].name, &self.board.cells[usize::from(*cell)]);
                format!("Until there is {what} {cell}, go with {} to where it begins", self.thing(*thing))
            }
            (Attribute::Between(..), false) => format!("Keep {}", self.noun(attribute)),
            (Attribute::Between(..), true) => format!("Do not put {}", self.noun(attribute)),
            (Attribute::Modulo(inner, 2), true) => format!("Have {} even", self.noun(inner)),
            (Attribute::Modulo(inner, 2), false) => format!("Have {} odd", self.noun(inner)),
            (Attribute::Beyond(inner, by), true) => self.bounded(inner, &format!("at most {by}")),
            (Attribute::UpTo(inner, by), false) => self.bounded(inner, &format!("at least {by}")),
            (Attribute::Off(inner, by), true) => self.bounded(inner, &by.to_string()),
            (Attribute::Nim(_), true) => format!("Make {} zero", self.noun(attribute)),
            (attribute, true) => format!("Make {} small", self.noun(attribute)),
            (attribute, false) => format!("Make {} large", self.noun(attribute)),
        }
    }

    /// A request to bring an attribute to a number, or as near as one can.
    fn bounded(&self, attribute: &Attribute, bound: &str) -> String {
        match attribute {
            Attribute::Distance { by, from, to } => {
                let own = if by == &Some(*from) { " in its own moves" } else { "" };
                let by = self.by(by.filter(|by| by != from));
                format!("Have {} {bound} from {}{own}{by}", self.thing(*from), self.place(to))
            }
            Attribute::Moves(thing) => format!("Have {bound} moves for {}", self.thing(*thing)),
            Attribute::Escapes(thing) => format!("Have {bound} safe moves for {}", self.thing(*thing)),
            attribute => format!("Have {} {bound}", self.noun(attribute)),
        }
    }

    /// What is said where an attribute that is 1 or 0 is 1; `None` for others.
    pub fn yes(&self, attribute: &Attribute) -> Option<String> {
        match attribute {
            Attribute::On(thing, cell) => Some(match self.fact(*thing, *cell) {
                Some(fact) => format!("{fact} holds"),
                None => format!("{} is on {}", self.one(*thing), self.cell(*cell)),
            }),
            Attribute::Between(thing, first, second) => {
                let (first, second) = (self.thing(*first), self.thing(*second));
                Some(format!("{} is between {first} and {second}", self.thing(*thing)))
            }
            Attribute::Modulo(inner, 2) => Some(format!("{} is odd", self.noun(inner))),
            _ => None,
        }
    }

    /// That an attribute is at most, or at least, a number.
    pub fn bound(&self, attribute: &Attribute, at_most: bool, bound: u8) -> String {
        let how = if at_most { format!("at most {bound}") } else { format!("at least {bound}") };
        let none = match (at_most, bound) {
            (true, 0) => Some(true),
            (false, 1) => Some(false),
            _ => None,
        };
        match (attribute, none) {
            (Attribute::On(thing, cell), Some(true)) => match self.fact(*thing, *cell) {
                Some(fact) => format!("{fact} does not hold"),
                None => format!("no {} is on {}", self.board.things[*thing].name, self.cell(*cell)),
            },
            (Attribute::Modulo(inner, 2), Some(true)) => format!("{} is even", self.noun(inner)),
            (Attribute::Between(..), Some(true)) => {
                self.yes(attribute).unwrap_or_default().replacen(" is ", " is not ", 1)
            }
            (Attribute::Attacked(thing), Some(none)) => {
                format!("{} is {}attacked", self.thing(*thing), if none { "not " } else { "" })
            }
            (Attribute::Defended(thing), Some(none)) => {
                format!("{} is {}defended", self.thing(*thing), if none { "not " } else { "" })
            }
            (Attribute::Loose(thing), Some(none)) => {
                format!("{} is {}attacked and undefended", self.thing(*thing), if none { "not " } else { "" })
            }
            (Attribute::Aside(first, second), Some(none)) => {
                let (first, second) = (self.thing(*first), self.thing(*second));
                format!("{first} is {}in line with {second}", if none { "" } else { "not " })
            }
            (Attribute::Count(thing), none) => {
                let name = self.facts(*thing).unwrap_or_else(|| self.board.things[*thing].name.clone());
                match none {
                    Some(true) => format!("there is no {name}"),
                    Some(false) => format!("there is at least one {name}"),
                    None => format!("there are {how} {name}"),
                }
            }
            (Attribute::Moves(thing), _) => format!("{} has {how} moves", self.thing(*thing)),
            (Attribute::Escapes(thing), _) => format!("{} has {how} safe moves", self.thing(*thing)),
            (Attribute::Distance { by: None, from, to }, Some(none)) if !matches!(to, Place::Thing(_)) => {
                format!("{} is {}at {}", self.thing(*from), if none { "" } else { "not " }, self.place(to))
            }
            (Attribute::Distance { by, from, to }, _) => {
                let own = if by == &Some(*from) { " in its own moves" } else { "" };
                let by = self.by(by.filter(|by| by != from));
                format!("{} is {how} from {}{own}{by}", self.thing(*from), self.place(to))
            }
            (Attribute::Controlled { ours: true }, _) => format!("you attack {how} cells"),
            (Attribute::Controlled { ours: false }, _) => format!("the other side attacks {how} cells"),
            _ => match self.yes(attribute) {
                Some(yes) => yes,
                None => format!("{} is {how}", self.noun(attribute)),
            },
        }
    }

    /// What a goal with its cases measures, and 1 if its sum is that, -1 if it is the opposite.
    pub fn measure(&self, attributes: &[Attribute], cases: &[Goal]) -> (String, i32) {
        let [goal] = cases else { return ("the total of the case".to_string(), 1) };
        match goal.parts.as_slice() {
            [(attribute, weight)] if weight.abs() == 1 => (self.noun(&attributes[*attribute]), *weight),
            parts if parts.iter().any(|(_, weight)| *weight > 0) => ("the total".to_string(), 1),
            _ => ("the total".to_string(), -1),
        }
    }

    /// Where a test holds.
    pub fn test(&self, attributes: &[Attribute], test: &Test) -> String {
        match (test.subject, test.at_most) {
            (Subject::OurMove, true) => "the other side is to move".to_string(),
            (Subject::OurMove, false) => "you are to move".to_string(),
            (Subject::Attribute(at), at_most) => self.bound(&attributes[at], at_most, test.bound),
            (Subject::Race(first, second), at_most) => {
                let (first, second) = (self.noun(&attributes[first]), self.noun(&attributes[second]));
                let by = (i32::from(test.bound) - 100 + i32::from(!at_most)).div_euclid(2);
                let second = match by {
                    0 => second,
                    1.. => format!("{second} plus {by}"),
                    _ => format!("{second} less {}", -by),
                };
                let how = if at_most { "at most" } else { "at least" };
                format!("{first} is {how} {second}, or one less if the other side is to move")
            }
            (Subject::Difference(first, second), at_most) => {
                let (first, second) = (self.noun(&attributes[first]), self.noun(&attributes[second]));
                match (i32::from(test.bound) - 100, at_most) {
                    (0, true) => format!("{first} is not more than {second}"),
                    (0, false) => format!("{first} is not less than {second}"),
                    (by @ 1.., true) => format!("{first} is not more than {second} and {by}"),
                    (by @ 1.., false) => format!("{first} is more than {second} by {by} at least"),
                    (by, true) => format!("{first} is less than {second} by {} at least", -by),
                    (by, false) => format!("{first} is not less than {second} by more than {}", -by),
                }
            }
        }
    }

    /// A case of a goal as a sentence: its conditions, and the sum that counts. The last one has no conditions. Only these parts of the sum are said.
    fn case(&self, attributes: &[Attribute], goal: &Goal, mut parts: Vec<(usize, i32)>) -> String {
        parts.sort_by_key(|(_, weight)| *weight < 0);
        let left = goal.parts.len() - parts.len();
        let mut text = match goal.when.as_slice() {
            [] => "Otherwise".to_string(),
            tests => {
                let tests: Vec<String> = tests.iter().map(|test| self.test(attributes, test)).collect();
                format!("If {}", tests.join(" and "))
            }
        };
        text += ", the total is";
        let mut first = true;
        if goal.base != 0 || parts.is_empty() {
            text += &format!(" {}", goal.base);
            first = false;
        }
        for (attribute, weight) in parts {
            text += match (first, weight > 0) {
                (true, true) => " ",
                (false, true) => " plus ",
                (true, false) => " 0 less ",
                (false, false) => " less ",
            };
            text += &times(weight.abs(), &self.noun(&attributes[attribute]));
            first = false;
        }
        if left > 0 {
            text += &format!(", and {left} parts that matter less");
        }
        text + "."
    }

    /// A goal as a sentence.
    pub fn goal(&self, attributes: &[Attribute], goal: &Goal) -> String {
        match goal.parts.as_slice() {
            [(attribute, weight)] => format!("{}.", self.ask(&attributes[*attribute], *weight > 0)),
            parts => {
                // What is added comes first; where all is taken away, the opposite is made large.
                let small = parts.iter().any(|(_, weight)| *weight > 0);
                let mut parts: Vec<(usize, i32)> = parts
                    .iter()
                    .map(|&(attribute, weight)| (attribute, if small { weight } else { -weight }))
                    .collect();
                parts.sort_by_key(|(_, weight)| *weight < 0);
                let mut text = format!("Make the total {}:", if small { "small" } else { "large" });
                for (at, (attribute, weight)) in parts.iter().enumerate() {
                    let sign = match (at, *weight > 0) {
                        (0, _) => " ",
                        (_, true) => " plus ",
                        (_, false) => " less ",
                    };
                    text += sign;
                    text += &times(weight.abs(), &self.noun(&attributes[*attribute]));
                }
                text + "."
            }
        }
    }
}

fn times(weight: i32, noun: &str) -> String {
    match weight {
        1 => noun.to_string(),
        2 => format!("twice {noun}"),
        _ => format!("{weight} times {noun}"),
    }
}

/// A position of chess: letters of men and their squares, and whether white is to move.
pub(crate) fn fen(men: &[(Option<char>, u8)], white: bool) -> String {
    let mut text = String::new();
    for row in (0..8).rev() {
        let mut empty = 0;
        for square in row * 8..row * 8 + 8 {
            match men.iter().find(|man| man.1 == square).and_then(|man| man.0) {
                None => empty += 1,
                Some(letter) => {
                    text += &if empty > 0 { format!("{empty}{letter}") } else { letter.to_string() };
                    empty = 0;
                }
            }
        }
        text += &if empty > 0 { empty.to_string() } else { String::new() };
        text += if row > 0 { "/" } else { "" };
    }
    format!("{text} {} - - 0 1", if white { "w" } else { "b" })
}

impl Plan {
    /// The goals in words, in order, after [`FIRST`]. Of a goal with cases each has a sentence, and the first says what to do with the totals.
    pub fn sentences(&self) -> Vec<String> {
        self.sentences_with(usize::MAX)
    }

    /// The same as they are shown to people: of long sums the parts that matter most.
    pub fn brief(&self) -> Vec<String> {
        self.sentences_with(BRIEF)
    }

    /// The parts of a sum that can change it most, at most so many.
    fn most_of(&self, goal: &Goal, most: usize) -> Vec<(usize, i32)> {
        let mut parts = goal.parts.clone();
        if parts.len() > most {
            let greatest =
                |at: usize| self.cases.as_ref().and_then(|cases| cases.most.get(at)).map_or(1, |&most| i64::from(most));
            parts.sort_by_key(|&(at, weight)| -(i64::from(weight).abs() * greatest(at)));
            parts.truncate(most);
        }
        parts
    }

    fn sentences_with(&self, most: usize) -> Vec<String> {
        let words = Words::new(&self.board);
        let mut all = vec![FIRST.to_string()];
        for cases in self.goals_by_cases() {
            match cases {
                [goal] => all.push(words.goal(&self.attributes, goal)),
                cases => {
                    let say = |goal: &Goal| words.case(&self.attributes, goal, self.most_of(goal, most));
                    let mut said: Vec<String> = cases.iter().map(say).collect();
                    said[0].insert_str(0, totals(self.reading));
                    all.extend(said);
                }
            }
        }
        all.extend(self.avoid.map(|among| new_positions(among, self.reading)));
        all
    }

    /// How won positions are told from others, in words; empty if the plan does not say.
    pub fn verdict_sentences(&self) -> Vec<String> {
        let words = Words::new(&self.board);
        let bound = |test: &Test| words.test(&self.attributes, test);
        let rules = self.verdict.iter().flat_map(|verdict| &verdict.rules);
        rules
            .map(|rule| {
                let says = if rule.won { "Won" } else { "Not won" };
                let tests: Vec<String> = rule.tests.iter().map(bound).collect();
                match tests.as_slice() {
                    [] => format!("{says} otherwise."),
                    tests => format!("{says} if {}.", tests.join(", and ")),
                }
            })
            .collect()
    }

    /// How many words the goals are.
    pub fn word_count(&self) -> usize {
        self.sentences().iter().map(|sentence| sentence.split_whitespace().count()).sum()
    }
}

impl Report {
    /// Whether following the plan at its own number of plies wins every position that can be won.
    pub fn proven(&self) -> bool {
        self.0.first().is_some_and(|found| found.reached.won == found.reached.positions)
    }

    /// Where the file says otherwise than what was found, or nothing, in words.
    pub fn differences(&self) -> Vec<String> {
        let told = |it: &Reached| format!("{} of {}, {:.6} over, most {}", it.won, it.positions, it.excess, it.worst);
        let mut list = Vec::new();
        for Found { reached, claimed, .. } in &self.0 {
            let (said, is) = (claimed.as_ref().map_or("nothing".to_string(), told), told(reached));
            if said != is {
                list.push(format!("at {} plies the file says {said}; it is {is}", reached.plies));
            }
        }
        for (plies, right, claimed, all) in self.1.iter().filter(|told| told.1 != told.2) {
            list.push(format!(
                "read with {plies} plies the rules are right about {right} of {all}; the file says {claimed}"
            ));
        }
        // Which of equally good moves is made is not the same everywhere, and some games hang on it: one in 200 may.
        // Which of equally good moves is made is not the same everywhere, and some games hang on it: one in 200 may.
        let tells = |[won, games, said, of]: &&[u64; 4]| won.abs_diff(*said) * 200 > *games || games != of;
        for [won, games, said, of] in self.2.iter().filter(tells) {
            list.push(format!(
                "with the rule about repetitions {won} of {games} games are won; the file says {said} of {of}"
            ));
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Thing;

    fn board(things: &[(&str, Option<bool>)], cells: &[&str], facts: &[&str]) -> Board {
        Board {
            things: things.iter().map(|&(name, ours)| Thing { name: name.into(), ours }).collect(),
            cells: cells.iter().map(|cell| cell.to_string()).collect(),
            facts: facts.iter().map(|fact| fact.to_string()).collect(),
            ..Board::default()
        }
    }

    #[test]
    fn marks_are_said_with_their_article_and_cells_are_kept_together() {
        let board = board(&[("x", Some(true)), ("o", Some(false))], &["3 1"], &[]);
        let words = Words::new(&board);
        assert_eq!(words.ask(&Attribute::On(0, 0), false), "Get an x to (3 1)");
        assert_eq!(words.bound(&Attribute::On(1, 0), true, 0), "no o is on (3 1)");
        assert_eq!(words.bound(&Attribute::On(1, 0), false, 1), "an o is on (3 1)");
        let far = Attribute::Distances { by: None, from: 0, to: Place::Middle };
        assert_eq!(words.ask(&far, false), "Keep all x far from the middle");
        assert_eq!(words.bound(&Attribute::Count(1), false, 1), "there is at least one o");
    }

    #[test]
    fn what_is_no_place_is_said_as_the_rules_write_it() {
        let board = board(&[("d", None), ("table", None)], &["c"], &["(on c ?)"]);
        let words = Words::new(&board);
        assert_eq!(words.ask(&Attribute::On(0, 0), false), "Make (on c d) true");
        assert_eq!(words.bound(&Attribute::On(0, 0), true, 0), "(on c d) does not hold");
        assert_eq!(words.noun(&Attribute::Count(1)), "the number of (on … table)");
        assert_eq!(words.ask(&Attribute::Count(1), false), "Have many (on … table)");
    }

    #[test]
    fn things_are_called_as_shortly_as_they_are_told_apart() {
        let things = [("white king", Some(true)), ("white rook", Some(true)), ("black king", Some(false)), ("x", None)];
        let board = board(&things, &[], &[]);
        let words = Words::new(&board);
        assert_eq!([0, 1, 2, 3].map(|thing| words.thing(thing)), ["your king", "the rook", "their king", "the x"]);
        assert_eq!(words.whose(1), "the rook's");
        let many = [("red pawn", Some(true)), ("white pawn", Some(true)), ("black pawn", Some(false))];
        let board = super::tests::board(&many, &[], &[]);
        assert_eq!(Words::new(&board).thing(2), "the black pawn", "three pawns need their colours");
    }

    #[test]
    fn bounds_are_said_as_people_say_them() {
        let board = board(&[("white king", Some(true)), ("black king", Some(false))], &[], &[]);
        let words = Words::new(&board);
        let edge = Attribute::Distance { by: None, from: 1, to: Place::Edge };
        assert_eq!(words.bound(&edge, true, 0), "their king is at the edge");
        assert_eq!(words.bound(&edge, false, 1), "their king is not at the edge");
        assert_eq!(words.bound(&edge, true, 2), "their king is at most 2 from the edge");
        assert_eq!(words.bound(&Attribute::Aside(0, 1), true, 0), "your king is in line with their king");
        assert_eq!(words.bound(&Attribute::Escapes(1), true, 2), "their king has at most 2 safe moves");
    }
}
