//! What the words of a plan mean, for those that it uses: zones with their cells, what is counted and how.

use crate::attribute::{Attribute, Frame, Place};
use crate::file::Plan;
use crate::scene::{Board, Cells, cells};

/// Zones of more cells are not listed.
const MOST_LISTED: u32 = 12;

/// Words with their meanings, in the order in which they are first used, each once.
struct Meanings<'a> {
    board: &'a Board,
    frame: Frame,
    found: Vec<(String, String)>,
}

impl Meanings<'_> {
    fn add(&mut self, word: &str, meaning: impl Into<String>) {
        if !self.found.iter().any(|(known, _)| known == word) {
            self.found.push((word.to_string(), meaning.into()));
        }
    }

    /// A zone with its cells, or with what they have in common.
    fn zone(&mut self, word: &str, set: Cells, meaning: &str) {
        let meaning = if set.count_ones() <= MOST_LISTED { self.list(cells(set)) } else { meaning.to_string() };
        self.add(word, meaning);
    }

    fn list(&self, cells: impl Iterator<Item = u8>) -> String {
        cells.map(|cell| self.cell(cell)).collect::<Vec<_>>().join(", ")
    }

    fn cell(&self, cell: u8) -> String {
        let name = &self.board.cells[usize::from(cell)];
        if name.contains(' ') { format!("({name})") } else { name.clone() }
    }

    /// A place that needs to be explained.
    fn place(&mut self, place: &Place) {
        let [edge, corner, middle] = self.frame.zones();
        match place {
            Place::Edge => self.zone("edge", edge, "the cells with fewer neighbours than others"),
            Place::Corner => self.zone("corner", corner, "the cells with the fewest neighbours"),
            Place::Middle => self.zone("middle", middle, "the cells furthest from the edge"),
            Place::CornerOf(_) => self.zone("corner", corner, "the cells with the fewest neighbours"),
            Place::EndOf(_) => self.add("end of the way", "the cells from which it can go no further"),
            Place::Cells { name, cells } => {
                let listed = self.list(cells.iter().copied());
                self.add(name, listed);
            }
            _ => {}
        }
    }

    fn attack(&mut self) {
        self.add("attack", "a piece attacks where it could go with its next move");
    }

    fn of(&mut self, attribute: &Attribute) {
        match attribute {
            Attribute::Distance { by, to, .. } => {
                let steps = "steps from cell to neighbouring cell; of several the nearest counts";
                let moves = "moves on an empty board; of several the nearest counts";
                self.add("distance", if by.is_none() { steps } else { moves });
                self.place(to);
            }
            Attribute::Distances { from, to, .. } => {
                let name = self.board.things[*from].name.clone();
                self.add(&format!("all {name}"), "the distances of each of them, added up");
                self.place(to);
            }
            Attribute::Escapes(_) => {
                self.add("safe moves", "moves to cells that are not attacked");
                self.attack();
            }
            Attribute::Attacked(_) | Attribute::Loose(_) | Attribute::Defended(_) | Attribute::Controlled { .. } => {
                self.attack();
            }
            Attribute::Aside(..) => {
                self.add("in line", "in the same row or column; the distance to a line is how many rows or columns are missing");
            }
            Attribute::Between(..) => self.add("between", "its row or its column lies between those of the two others"),
            Attribute::Up(_) => self.add("how far up", "the row, counted from the lowest"),
            Attribute::Region(_) | Attribute::Kept { .. } => {
                self.add("region", "the cells that it can ever get to without going where it is attacked");
            }
            Attribute::Room { .. } => {
                self.add("room", "the cells that it could ever get to if only that other piece were there");
            }
            Attribute::Blocked { .. } => {
                self.add("keeps from", "2 if it is in no line, 1 if something stands between, 0 if it can go there");
            }
            Attribute::Home(pairs) | Attribute::Astray(pairs) => {
                let one = |&(thing, cell): &(usize, u8)| {
                    let name = &self.board.things[thing].name;
                    match self.board.facts.get(usize::from(cell)).filter(|fact| !fact.is_empty()) {
                        Some(fact) => fact.replacen('?', name, 1),
                        None => format!("{name} on {}", self.cell(cell)),
                    }
                };
                let list = pairs.iter().map(one).collect::<Vec<_>>().join(", ");
                self.add("where they belong at the end", list);
            }
            Attribute::Nim(_) => self.add(
                "nim-sum",
                "write the numbers in binary and add them column by column without carrying: 1, 3 and 5 make 7, 3 and 3 make 0",
            ),
            Attribute::UpTo(inner, by) => {
                self.add(&format!("up to {by}"), format!("what is more counts as {by}"));
                self.of(inner);
            }
            Attribute::Beyond(inner, by) => {
                self.add(&format!("beyond {by}"), format!("only what is more than {by} counts, from 1"));
                self.of(inner);
            }
            Attribute::Havens(_) => {
                self.add("havens", "cells that it can go to where it is not attacked, or where it is defended");
                self.attack();
            }
            Attribute::Strikes { .. } | Attribute::Strike { .. } => {
                self.add("safe attack", "without being attacked there; moves are counted as if all others stood still, and more than 4 as 4");
                self.attack();
            }
            Attribute::Times(first, second) => [first, second].into_iter().for_each(|part| self.of(part)),
            Attribute::Off(inner, _) | Attribute::Modulo(inner, _) => self.of(inner),
            Attribute::Sum(parts) => parts.iter().for_each(|(_, part)| self.of(part)),
            Attribute::On(_, cell) if self.board.facts.get(usize::from(*cell)).is_some_and(|fact| !fact.is_empty()) => {
                self.add("( … )", "a fact, as the rules write it");
            }
            _ => {}
        }
    }
}

/// What the words for attributes of a board mean.
pub fn meanings<'a>(board: &Board, attributes: impl IntoIterator<Item = &'a Attribute>) -> Vec<(String, String)> {
    let mut meanings = Meanings { board, frame: Frame::new(board), found: Vec::new() };
    attributes.into_iter().for_each(|attribute| meanings.of(attribute));
    meanings.found
}

impl Plan {
    /// What the words of the goals and of the verdict mean.
    pub fn meanings(&self) -> Vec<(String, String)> {
        let of_goals = self.goals.iter().flat_map(|goal| &goal.parts).filter_map(|(at, _)| self.attributes.get(*at));
        meanings(&self.board, of_goals.chain(&self.attributes))
    }

    /// What the words of the stages and of sums by cases mean.
    pub fn stage_meanings(&self) -> Vec<(String, String)> {
        let of_stages = self.stages.iter().flat_map(|stages| &stages.attributes);
        meanings(&self.board, of_stages.chain(self.cases.iter().flat_map(|cases| &cases.attributes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Thing;

    #[test]
    fn each_word_is_explained_once() {
        let mut board = Board { things: vec![Thing { name: "x".into(), ours: Some(true) }], ..Board::default() };
        for (x, y) in (0..3).flat_map(|x| (0..3).map(move |y| (x, y))) {
            board.cells.push(format!("{} {}", x + 1, y + 1));
            board.places.push((x, y));
        }
        let beside = |a: &(i16, i16), b: &(i16, i16)| a.0.abs_diff(b.0) + a.1.abs_diff(b.1) == 1;
        board.neighbours = (0..9)
            .map(|a| (0..9u8).filter(|&b| beside(&board.places[a], &board.places[usize::from(b)])).collect())
            .collect();
        let far = Attribute::Distances { by: None, from: 0, to: Place::Middle };
        let found = meanings(&board, &[far.clone(), Attribute::UpTo(Box::new(far), 2), Attribute::Nim(vec![])]);
        let words: Vec<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
        assert_eq!(words, ["all x", "middle", "up to 2", "nim-sum"]);
        assert_eq!(found[1].1, "(2 2)");
    }
}
