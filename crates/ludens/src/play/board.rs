//! A state as a picture: facts of three arguments that look like the squares of a board become a grid, the rest a list.
//!
//! What is a board is learned from states, not from the rules: a relation is one if two of its arguments are places
//! that hardly ever occur twice in a state (two may crash into each other). The more states were seen, the better; a
//! wrong guess costs a strange picture and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use terminal::text;

/// The largest grid that is drawn.
const MOST_ACROSS: usize = 40;

/// What is known of a game's relations from the states seen so far.
#[derive(Default)]
pub struct Boards {
    relations: BTreeMap<String, Relation>,
}

/// The three ways in which two of three arguments can be the place: across, up, content.
const WAYS: [[usize; 3]; 3] = [[0, 1, 2], [1, 2, 0], [0, 2, 1]];

struct Relation {
    /// The states seen that have facts of this relation.
    states: usize,
    /// Those of them that have a place twice, for each of [`WAYS`].
    doubles: [usize; 3],
    /// All values of each argument.
    values: [BTreeSet<String>; 3],
    /// All places, for each of [`WAYS`].
    places: [BTreeSet<(String, String)>; 3],
    /// The fewest facts of this relation in a state.
    fewest: usize,
    /// How often each content occurred in the first state, for each of [`WAYS`].
    first: [BTreeMap<String, usize>; 3],
}

/// Contents that say themselves that they are none.
const EMPTY: [&str; 6] = ["blank", "empty", "none", "clear", "free", "nil"];

/// A fact taken apart: its name and its arguments.
fn split(fact: &str) -> (&str, Vec<&str>) {
    let Some(inner) = fact.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return (fact, Vec::new()) };
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0usize, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => {
                parts.push(&inner[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[from..]);
    let name = parts.remove(0);
    (name, parts)
}

impl Boards {
    /// Learns from one more state.
    pub fn see(&mut self, facts: &[String]) {
        let mut here: BTreeMap<&str, Vec<[&str; 3]>> = BTreeMap::new();
        for fact in facts {
            let (name, args) = split(fact);
            if let [a, b, c] = args[..] {
                here.entry(name).or_default().push([a, b, c]);
            }
        }
        for (name, rows) in here {
            self.relations.entry(name.to_string()).or_insert_with(|| Relation::new(&rows)).see(&rows);
        }
    }

    /// Draws a state: first the boards, then everything else.
    pub fn draw(&mut self, facts: &[String]) -> String {
        self.see(facts);
        let mut text = String::new();
        let mut rest: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut grids: BTreeMap<&str, Vec<[&str; 3]>> = BTreeMap::new();
        for fact in facts {
            let (name, args) = split(fact);
            match (&args[..], self.relations.get(name).and_then(Relation::way)) {
                (&[a, b, c], Some(_)) => grids.entry(name).or_default().push([a, b, c]),
                _ => rest.entry(name).or_default().push(args.join(" ")),
            }
        }
        // A board with nothing on it is still a board.
        let boards: Vec<_> = self.relations.iter().filter(|(_, relation)| relation.way().is_some()).collect();
        for (name, relation) in &boards {
            if boards.len() > 1 {
                let _ = writeln!(text, "  {name}");
            }
            text += &relation.grid(grids.get(name.as_str()).map_or(&[], Vec::as_slice));
        }
        for (name, args) in &rest {
            let args = args.join(" · ");
            let line = format!("{name}{}{args}", if args.is_empty() { "" } else { ": " });
            let _ = writeln!(text, "  {}", text::fit(&line, 4 * text::width()));
        }
        text
    }
}

impl Relation {
    fn new(rows: &[[&str; 3]]) -> Relation {
        let first = WAYS.map(|[_, _, content]| {
            let mut counts = BTreeMap::new();
            rows.iter().for_each(|row| *counts.entry(row[content].to_string()).or_default() += 1);
            counts
        });
        let (values, places) = Default::default();
        Relation { states: 0, doubles: [0; 3], values, places, fewest: rows.len(), first }
    }

    fn see(&mut self, rows: &[[&str; 3]]) {
        for row in rows {
            for (values, value) in self.values.iter_mut().zip(row) {
                if !values.contains(*value) {
                    values.insert(value.to_string());
                }
            }
        }
        self.states += 1;
        self.fewest = self.fewest.min(rows.len());
        for (way, [x, y, _]) in WAYS.into_iter().enumerate() {
            let here: BTreeSet<(&str, &str)> = rows.iter().map(|row| (row[x], row[y])).collect();
            self.doubles[way] += usize::from(here.len() != rows.len());
            self.places[way].extend(here.into_iter().map(|(x, y)| (x.to_string(), y.to_string())));
        }
    }

    /// Which of [`WAYS`] makes this a board, if any does.
    fn way(&self) -> Option<usize> {
        let ordinal: Vec<bool> = self.values.iter().map(is_ordinal).collect();
        let fits = |way: &usize| {
            let [x, y, _] = WAYS[*way];
            let (across, up) = (self.values[x].len(), self.values[y].len());
            let rare = self.doubles[*way] * 5 <= self.states;
            rare && across.min(up) >= 2 && across.max(up) <= MOST_ACROSS && self.places[*way].len() >= 4
        };
        // Names and numbers make a board only if there always is something in every place.
        let full = |way: &usize| {
            let [x, y, _] = WAYS[*way];
            let rectangle = self.values[x].len() * self.values[y].len();
            (ordinal[x] || ordinal[y]) && self.fewest == rectangle && self.doubles[*way] == 0
        };
        let both = |way: &usize| ordinal[WAYS[*way][0]] && ordinal[WAYS[*way][1]];
        (0..3).filter(fits).find(both).or_else(|| (0..3).filter(fits).find(full))
    }

    fn grid(&self, rows: &[[&str; 3]]) -> String {
        let Some(way) = self.way() else { return String::new() };
        let [x, y, content] = WAYS[way];
        // Letters go across, as on a chess board, and names go up; otherwise the first argument goes across.
        let turned = (!is_letters(&self.values[x]) && is_letters(&self.values[y])) || !is_ordinal(&self.values[x]);
        let (across, up) = if turned { (y, x) } else { (x, y) };
        let columns = axis(&self.values[across]);
        let mut lines = axis(&self.values[up]);
        if is_ordinal(&self.values[up]) {
            lines.reverse();
        }
        let labels = Labels::new(&self.values[content], self.empty(way));
        let mut cells: BTreeMap<(&str, &str), &str> = BTreeMap::new();
        for row in rows {
            let label = labels.of(row[content]);
            cells.entry((row[across], row[up])).and_modify(|known| *known = "*").or_insert(label);
        }
        // Nearly a whole rectangle that was not always full is one whose last places were only not reached yet.
        let whole =
            self.fewest < self.places[way].len() && self.places[way].len() * 5 >= columns.len() * lines.len() * 4;
        let exists = |c: &str, l: &str| {
            let (a, b) = if turned { (l, c) } else { (c, l) };
            whole || self.places[way].contains(&(a.to_string(), b.to_string()))
        };
        let side = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let wide = labels.width().max(columns.iter().map(|column| column.chars().count()).max().unwrap_or(0));
        let mut text = String::new();
        for line in &lines {
            let cell = |column: &String| {
                let absent = if exists(column, line) { "." } else { "" };
                format!(" {:>wide$}", cells.get(&(column.as_str(), line.as_str())).unwrap_or(&absent))
            };
            let row: String = columns.iter().map(cell).collect();
            let _ = writeln!(text, "  {line:>side$} {}", row.trim_end());
        }
        let foot: String = columns.iter().map(|column| format!(" {column:>wide$}")).collect();
        let _ = writeln!(text, "  {:side$} {foot}", "");
        let several = cells.values().any(|label| *label == "*").then_some("* = several");
        let legend: Vec<String> = labels.legend().into_iter().chain(several.map(str::to_string)).collect();
        if !legend.is_empty() {
            let _ = writeln!(text, "  {:side$}  {}", "", text::fit(&legend.join("   "), 4 * text::width()));
        }
        text
    }

    /// The content that is drawn as a dot. Where empty places simply have no fact, only a word that says so is one;
    /// where every place always has a fact, the most frequent content at the start is.
    fn empty(&self, way: usize) -> Option<&str> {
        let first = &self.first[way];
        let filled = self.fewest == self.places[way].len();
        let named = EMPTY.into_iter().find(|word| first.contains_key(*word));
        let named = named.or(Some("b").filter(|word| filled && first.contains_key(*word)));
        let most = first.iter().max_by_key(|(_, count)| **count).filter(|(_, count)| filled && **count > 1);
        // A number is a number, unless it is none.
        named.or(most.map(|(word, _)| word.as_str()).filter(|word| *word == "0" || word.parse::<i64>().is_err()))
    }
}

/// Short forms of contents.
struct Labels {
    short: BTreeMap<String, String>,
}

impl Labels {
    fn new(contents: &BTreeSet<String>, empty: Option<&str>) -> Labels {
        let real: Vec<&String> = contents.iter().filter(|content| Some(content.as_str()) != empty).collect();
        let long = real.iter().any(|content| content.chars().count() > 2);
        let forms = (1..=3).map(|letters| real.iter().map(|c| initials(c, letters)).collect::<Vec<_>>());
        let short = forms.into_iter().find(|forms| forms.iter().collect::<BTreeSet<_>>().len() == forms.len());
        let mut map: BTreeMap<String, String> = match short.filter(|_| long) {
            Some(forms) => real.into_iter().cloned().zip(forms).collect(),
            None => real.into_iter().map(|content| (content.clone(), content.clone())).collect(),
        };
        if let Some(empty) = empty {
            map.insert(empty.to_string(), ".".to_string());
        }
        Labels { short: map }
    }

    fn of<'a>(&'a self, content: &'a str) -> &'a str {
        self.short.get(content).map_or(content, String::as_str)
    }

    fn width(&self) -> usize {
        self.short.values().map(|short| short.chars().count()).max().unwrap_or(1)
    }

    /// What the short forms stand for; `None` if nothing was shortened.
    fn legend(&self) -> Option<String> {
        let shortened: Vec<String> = self
            .short
            .iter()
            .filter(|(content, short)| content != short)
            .map(|(content, short)| format!("{short} = {content}"))
            .collect();
        (!shortened.is_empty()).then(|| shortened.join("   "))
    }
}

/// The first letters of every word of a content.
fn initials(content: &str, letters: usize) -> String {
    let words = content.split(['(', ')', ' ', '_', '-']).filter(|word| !word.is_empty());
    words.flat_map(|word| word.chars().take(letters)).collect()
}

/// A value of an axis as a sortable thing: what stands before the number, and the number.
fn ordinal(value: &str) -> Option<(&str, u32)> {
    let digits = value.find(|c: char| c.is_ascii_digit()).unwrap_or(value.len());
    let (word, number) = value.split_at(digits);
    number.parse().ok().map(|number| (word, number))
}

fn is_letters(values: &BTreeSet<String>) -> bool {
    values.iter().all(|value| value.len() == 1 && value.as_bytes()[0].is_ascii_alphabetic())
}

/// Whether the values have an obvious order: single letters, numbers, or numbers behind the same word.
fn is_ordinal(values: &BTreeSet<String>) -> bool {
    let words: BTreeSet<Option<&str>> = values.iter().map(|value| ordinal(value).map(|(word, _)| word)).collect();
    is_letters(values) || (words.len() == 1 && !words.contains(&None))
}

/// The values of an axis in order, with the numbers that are missing between them.
fn axis(values: &BTreeSet<String>) -> Vec<String> {
    let numbers: Option<Vec<u32>> = values.iter().map(|value| value.parse().ok()).collect();
    if let Some(numbers) = numbers
        && let (Some(&low), Some(&high)) = (numbers.iter().min(), numbers.iter().max())
        && (high - low) as usize <= MOST_ACROSS
        // Names such as 01 would be lost by counting.
        && numbers.iter().all(|number| values.contains(&number.to_string()))
    {
        return (low..=high).map(|number| number.to_string()).collect();
    }
    let mut sorted: Vec<String> = values.iter().cloned().collect();
    if values.iter().all(|value| ordinal(value).is_some()) {
        sorted.sort_by_key(|value| ordinal(value).map(|(word, number)| (word.to_string(), number)));
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> Vec<String> {
        text.lines().map(|line| line.trim().to_string()).filter(|line| !line.is_empty()).collect()
    }

    #[test]
    fn facts_are_taken_apart() {
        assert_eq!(split("(cell 1 (piece white king) x)"), ("cell", vec!["1", "(piece white king)", "x"]));
        assert_eq!(split("done"), ("done", vec![]));
        assert_eq!(split("(step 3)"), ("step", vec!["3"]));
    }

    #[test]
    fn a_board_is_drawn() {
        let mut boards = Boards::default();
        let state = "(cell 1 1 b)\n(cell 1 2 x)\n(cell 2 1 o)\n(cell 2 2 b)\n(control x)";
        assert_eq!(boards.draw(&facts(state)), "  2  x .\n  1  . o\n     1 2\n     . = b\n  control: x\n");
    }

    #[test]
    fn letters_go_across_and_long_contents_are_shortened() {
        let mut boards = Boards::default();
        boards.see(&facts("(cell 1 a white)\n(cell 1 b white)\n(cell 2 a black)\n(cell 2 b black)"));
        let drawn = boards.draw(&facts("(cell 1 a white)\n(cell 2 b black)"));
        assert_eq!(drawn, "  2  . b\n  1  w .\n     a b\n     b = black   w = white\n");
    }

    #[test]
    fn what_is_no_board_is_listed() {
        let mut boards = Boards::default();
        let drawn = boards.draw(&facts("(heap a 1)\n(heap b 3)\n(likes ann bob much)\n(likes bob ann much)\nquiet"));
        assert_eq!(drawn, "  heap: a 1 · b 3\n  likes: ann bob much · bob ann much\n  quiet\n");
    }

    #[test]
    fn names_go_up_and_numbers_stay_numbers() {
        let mut boards = Boards::default();
        let state = facts("(pit north 1 4)\n(pit north 2 4)\n(pit south 1 4)\n(pit south 2 0)");
        assert_eq!(boards.draw(&state), "  north  4 4\n  south  4 0\n         1 2\n");
    }

    #[test]
    fn an_empty_board_is_drawn_and_a_crash_is_shown() {
        let mut boards = Boards::default();
        for _ in 0..10 {
            boards.see(&facts("(at 1 1 red)\n(at 2 2 blue)"));
            boards.see(&facts("(at 1 2 red)\n(at 2 1 blue)"));
        }
        assert_eq!(boards.draw(&[]), "  2  . .\n  1  . .\n     1 2\n     b = blue   r = red\n");
        let crash = boards.draw(&facts("(at 1 1 red)\n(at 1 1 blue)"));
        assert_eq!(crash, "  2  . .\n  1  * .\n     1 2\n     b = blue   r = red   * = several\n");
    }

    #[test]
    fn content_may_come_first() {
        let mut boards = Boards::default();
        boards.see(&facts("(at wolf 1 1)\n(at lamb 1 2)"));
        let drawn = boards.draw(&facts("(at wolf 2 1)\n(at lamb 2 2)"));
        assert_eq!(drawn, "  2  . l\n  1  . w\n     1 2\n     l = lamb   w = wolf\n");
    }
}
