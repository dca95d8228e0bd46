//! A plan in plain sentences, made from templates.

use crate::attribute::{Attribute, Place};
use crate::check::{Found, Report};
use crate::file::{Goal, Plan, Reached};
use crate::scene::Board;
use crate::verdict::{Subject, Test};

/// What goes before all goals: to win where one can, and not to spoil it.
pub const FIRST: &str = "Win if you see it; never allow what cannot be won any more.";

/// What words are about: a board with its things.
pub struct Words<'a> {
    board: &'a Board,
}

impl<'a> Words<'a> {
    /// Words for a board.
    pub fn new(board: &'a Board) -> Words<'a> {
        Words { board }
    }

    fn thing(&self, thing: usize) -> String {
        format!("the {}", self.board.things[thing].name)
    }

    fn whose(&self, thing: usize) -> String {
        let name = &self.board.things[thing].name;
        format!("the {name}{}", if name.ends_with('s') { "'" } else { "'s" })
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
            Attribute::Count(thing) => format!("the number of {}", self.board.things[*thing].name),
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
            Attribute::On(thing, cell) => {
                format!("{} on {}", self.thing(*thing), self.board.cells[usize::from(*cell)])
            }
            Attribute::Home(_) => "the number of things where they belong at the end".into(),
            Attribute::Astray(_) => "the steps of all things to where they belong at the end".into(),
            Attribute::Counter(counter) => self.board.counters[*counter].clone(),
            Attribute::Nim(counters) => {
                let names: Vec<&str> = counters.iter().map(|&counter| self.board.counters[counter].as_str()).collect();
                format!("the nim-sum of {}", names.join(", "))
            }
            Attribute::Modulo(inner, 2) => format!("whether {} is odd", self.noun(inner)),
            Attribute::Modulo(inner, by) => {
                format!("what is left of {} after taking {by} as often as one can", self.noun(inner))
            }
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
            (Attribute::Moves(thing), true) if !self.ours(*thing) => format!("Leave {} few moves", self.thing(*thing)),
            (Attribute::Attacked(thing), true) if self.ours(*thing) => {
                format!("Do not leave {} attacked", self.thing(*thing))
            }
            (Attribute::Attacked(thing), false) if !self.ours(*thing) => format!("Attack {}", self.thing(*thing)),
            (Attribute::Loose(thing), true) => format!("Do not leave {} attacked and undefended", self.thing(*thing)),
            (Attribute::Defended(thing), false) => format!("Defend {}", self.thing(*thing)),
            (Attribute::Count(thing), true) if !self.ours(*thing) => {
                format!("Take {}", self.board.things[*thing].name)
            }
            (Attribute::Count(thing), false) => format!("Keep as many {} as you can", self.board.things[*thing].name),
            (Attribute::On(thing, cell), false) => {
                format!("Get {} to {}", self.thing(*thing), self.board.cells[usize::from(*cell)])
            }
            (Attribute::On(thing, cell), true) => {
                format!("Have no {} on {}", self.board.things[*thing].name, self.board.cells[usize::from(*cell)])
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
    /// The goals in words, in order, after [`FIRST`].
    pub fn sentences(&self) -> Vec<String> {
        let words = Words::new(&self.board);
        let mut all = vec![FIRST.to_string()];
        all.extend(self.goals.iter().map(|goal| words.goal(&self.attributes, goal)));
        all
    }

    /// How won positions are told from others, in words; empty if the plan does not say.
    pub fn verdict_sentences(&self) -> Vec<String> {
        let words = Words::new(&self.board);
        let bound = |test: &Test| match (test.subject, test.at_most) {
            (Subject::OurMove, true) => "the other side is to move".to_string(),
            (Subject::OurMove, false) => "you are to move".to_string(),
            (Subject::Attribute(at), at_most) => {
                let how = if at_most { "at most" } else { "at least" };
                format!("{} is {how} {}", words.noun(&self.attributes[at]), test.bound)
            }
            (Subject::Difference(first, second), at_most) => {
                let (first, second) = (words.noun(&self.attributes[first]), words.noun(&self.attributes[second]));
                match (i32::from(test.bound) - 100, at_most) {
                    (0, true) => format!("{first} is not more than {second}"),
                    (0, false) => format!("{first} is not less than {second}"),
                    (by @ 1.., true) => format!("{first} is not more than {second} and {by}"),
                    (by @ 1.., false) => format!("{first} is more than {second} by {by} at least"),
                    (by, true) => format!("{first} is less than {second} by {} at least", -by),
                    (by, false) => format!("{first} is not less than {second} by more than {}", -by),
                }
            }
        };
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
        list
    }
}
