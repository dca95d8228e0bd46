//! How each legal move is entered on the board: which cells are clicked, one after the other. It is found in the words of the move where these name
//! cells, things or lines of the board, and otherwise in what the move changes. A move of which nothing is found is chosen from the list.

use std::collections::{BTreeMap, BTreeSet};
use study::picture::{BoardPicture, CellKind, Picture, Shape};

/// A cell: the number of the board times [`CELLS`], and the number of the cell.
pub type Spot = u32;

/// More than the cells of any board.
pub const CELLS: u32 = 1 << 16;

/// How a move is entered: clicks in order, each on any of some cells. Without any it is chosen by its name.
pub type Way = Vec<Vec<Spot>>;

/// The most moves whose consequences are looked at.
const MOST_TRIED: usize = 400;

fn spot(board: usize, cell: usize) -> Spot {
    board as u32 * CELLS + cell as u32
}

/// The words of a move without those that only hold them together: `(move (from a 1) (to a 2))` has `a 1 a 2`.
fn leaves(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut is_head = false;
    for part in text.split_whitespace() {
        let opens = part.starts_with('(');
        let word = part.trim_start_matches('(').trim_end_matches(')');
        // What follows a parenthesis is the name of what is inside of it.
        let head = opens || is_head;
        is_head = opens && word.is_empty();
        if !head && !word.is_empty() {
            found.push(word);
        }
    }
    found
}

/// What the moves of a role are entered by. `after` tells what the board looks like after a move, where that is known.
pub fn ways(role: &str, moves: &[String], picture: &Picture, after: &dyn Fn(usize) -> Option<Picture>) -> Vec<Way> {
    let board = Boards::new(picture);
    let mut ways: Vec<Way> = moves.iter().map(|text| board.named(role, &leaves(text))).collect();
    let nameless: Vec<usize> =
        (0..moves.len()).filter(|&at| ways[at].is_empty() && moves[at].starts_with('(')).collect();
    let words: Vec<usize> = (0..moves.len()).filter(|&at| ways[at].is_empty() && !moves[at].starts_with('(')).collect();
    if nameless.is_empty() && words.is_empty() || nameless.len() + words.len() > MOST_TRIED || picture.boards.is_empty()
    {
        return ways;
    }
    let tried: Vec<(usize, Effect)> =
        nameless.iter().chain(&words).filter_map(|&at| Some((at, Effect::between(picture, &after(at)?)))).collect();
    board.lines(moves, &tried, &mut ways);
    board.effects(&tried, &mut ways);
    ways
}

/// What a move changes.
struct Effect {
    changed: BTreeSet<Spot>,
    /// Things that left a cell and turned up in another: the name, from where, to where.
    moved: Vec<(String, Spot, Spot)>,
}

impl Effect {
    fn between(before: &Picture, after: &Picture) -> Effect {
        let mut changed = BTreeSet::new();
        let mut gone: BTreeMap<String, Vec<Spot>> = BTreeMap::new();
        let mut come: BTreeMap<String, Vec<Spot>> = BTreeMap::new();
        for (number, (old, new)) in before.boards.iter().zip(&after.boards).enumerate() {
            for (at, (old, new)) in old.cells.iter().zip(&new.cells).enumerate() {
                if old.things == new.things {
                    continue;
                }
                let here = spot(number, at);
                changed.insert(here);
                for thing in old.things.iter().filter(|thing| !new.things.contains(thing)) {
                    gone.entry(thing.name.clone()).or_default().push(here);
                }
                for thing in new.things.iter().filter(|thing| !old.things.contains(thing)) {
                    come.entry(thing.name.clone()).or_default().push(here);
                }
            }
        }
        let mut moved = Vec::new();
        for (name, from) in gone {
            if let ([from], Some([to])) = (&from[..], come.get(&name).map(|to| &to[..])) {
                moved.push((name, *from, *to));
            }
        }
        Effect { changed, moved }
    }
}

/// The boards of a picture, by what their cells are called and what is in them.
struct Boards<'a> {
    picture: &'a Picture,
    cells: Vec<BTreeMap<Vec<&'a str>, usize>>,
    /// Where things are that are in one cell only.
    single: BTreeMap<&'a str, Option<Spot>>,
}

impl<'a> Boards<'a> {
    fn new(picture: &'a Picture) -> Boards<'a> {
        let names = |board: &'a BoardPicture| {
            let places = board.cells.iter().enumerate().filter(|(_, cell)| cell.kind != CellKind::Dot);
            places.map(|(at, cell)| (cell.name.iter().map(String::as_str).collect(), at)).collect()
        };
        let cells = picture.boards.iter().map(names).collect();
        let mut single: BTreeMap<&str, Option<Spot>> = BTreeMap::new();
        for (number, board) in picture.boards.iter().enumerate() {
            for (at, cell) in board.cells.iter().enumerate() {
                for thing in &cell.things {
                    let here = spot(number, at);
                    single.entry(&thing.name).and_modify(|known| *known = None).or_insert(Some(here));
                }
            }
        }
        Boards { picture, cells, single }
    }

    /// The boards on which moves of a role with these words are made: those that are named, those of the role, or all.
    fn meant(&self, role: &str, words: &[&str]) -> Vec<usize> {
        let boards = &self.picture.boards;
        let all: Vec<usize> = (0..boards.len()).collect();
        let titled = |wanted: &dyn Fn(&str) -> bool| -> Vec<usize> {
            all.iter().copied().filter(|&at| boards[at].title.as_deref().is_some_and(wanted)).collect()
        };
        let named = titled(&|title| words.contains(&title));
        let own = titled(&|title| title == role);
        [named, own].into_iter().find(|found| !found.is_empty()).unwrap_or(all)
    }

    /// What the words of a move name.
    fn named(&self, role: &str, words: &[&str]) -> Way {
        let meant = self.meant(role, words);
        let cells = self.cells_named(&meant, words);
        if !cells.is_empty() {
            return cells;
        }
        if let Some(way) = self.own_place(&meant, role, words) {
            return way;
        }
        self.things_named(&meant, words)
    }

    /// Cells that are named whole, in the order of the words.
    fn cells_named(&self, meant: &[usize], words: &[&str]) -> Way {
        let mut way = Way::new();
        let mut at = 0;
        while at < words.len() {
            let found = meant.iter().find_map(|&number| {
                let board = &self.picture.boards[number];
                // A tower is named by its foot, a heap by its name: words that may mean many things come later.
                let wide = board.cells.first().map_or(0, |cell| cell.name.len());
                if wide == 0 || board.shape == Shape::Towers || at + wide > words.len() {
                    return None;
                }
                let cell = *self.cells[number].get(&words[at..at + wide])?;
                Some((wide, spot(number, cell)))
            });
            match found {
                Some((wide, spot)) => {
                    way.push(vec![spot]);
                    at += wide;
                }
                None => at += 1,
            }
        }
        way
    }

    /// A place of the role itself: `(sow 3)` of south is the third pit of south.
    fn own_place(&self, meant: &[usize], role: &str, words: &[&str]) -> Option<Way> {
        let [word] = words[..] else { return None };
        for &number in meant {
            for name in [vec![role, word], vec![word, role]] {
                if let Some(&cell) = self.cells[number].get(&name) {
                    return Some(vec![vec![spot(number, cell)]]);
                }
            }
        }
        None
    }

    /// Things that are in one place, and feet of towers.
    fn things_named(&self, meant: &[usize], words: &[&str]) -> Way {
        let mut way = Way::new();
        for word in words {
            let column = |of: Spot| -> Vec<Spot> {
                let (number, cell) = ((of / CELLS) as usize, (of % CELLS) as usize);
                let board = &self.picture.boards[number];
                match board.shape {
                    // Of a tower every cell is the tower.
                    Shape::Towers => (0..board.cells.len())
                        .filter(|&at| board.cells[at].x == board.cells[cell].x)
                        .map(|at| spot(number, at))
                        .collect(),
                    _ => vec![of],
                }
            };
            if let Some(&Some(place)) = self.single.get(word) {
                way.push(column(place));
                continue;
            }
            let foot = meant.iter().find_map(|&number| {
                let board = &self.picture.boards[number];
                let own = |cell: &study::picture::CellPicture| cell.name.first().map(String::as_str) == Some(word);
                let labels = board.columns.iter().any(|label| label.text == *word);
                let at = board.cells.iter().position(own).filter(|_| board.shape == Shape::Towers && labels)?;
                Some(column(spot(number, at)))
            });
            way.extend(foot);
        }
        way
    }

    /// Moves that name a row or a column by one word: whatever they change lies there.
    fn lines(&self, moves: &[String], tried: &[(usize, Effect)], ways: &mut [Way]) {
        let mut kinds: BTreeMap<&str, Vec<&(usize, Effect)>> = BTreeMap::new();
        for entry in tried.iter().filter(|(at, _)| leaves(&moves[*at]).len() == 1) {
            let kind = moves[entry.0].trim_start_matches('(').split(' ').next().unwrap_or_default();
            kinds.entry(kind).or_default().push(entry);
        }
        for entries in kinds.into_values().filter(|entries| entries.len() > 1) {
            for (number, board) in self.picture.boards.iter().enumerate() {
                let axes = board.cells.first().map_or(0, |cell| cell.name.len());
                let line = |axis: usize, word: &str| -> Vec<Spot> {
                    let own = board.cells.iter().enumerate().filter(|(_, cell)| cell.kind == CellKind::Place);
                    own.filter(|(_, cell)| cell.name.get(axis).map(String::as_str) == Some(word))
                        .map(|(at, _)| spot(number, at))
                        .collect()
                };
                let fits = |axis: usize| {
                    entries.iter().all(|(at, effect)| {
                        let line = line(axis, leaves(&moves[*at])[0]);
                        !line.is_empty()
                            && !effect.changed.is_empty()
                            && effect.changed.iter().any(|s| line.contains(s))
                    })
                };
                if let Some(axis) = (0..axes).filter(|_| axes > 1).find(|&axis| fits(axis)) {
                    for (at, _) in &entries {
                        ways[*at] = vec![line(axis, leaves(&moves[*at])[0])];
                    }
                    break;
                }
            }
        }
    }

    /// Moves that are known by what they change: something goes from one cell to another, or one cell changes that others leave as it is.
    fn effects(&self, tried: &[(usize, Effect)], ways: &mut [Way]) {
        let open: Vec<&(usize, Effect)> = tried.iter().filter(|(at, _)| ways[*at].is_empty()).collect();
        // What all of them change tells nothing: the cell that a piece leaves, whatever the others do.
        let common: BTreeSet<Spot> = match open.len() {
            0 | 1 => BTreeSet::new(),
            _ => open.iter().skip(1).fold(open[0].1.changed.clone(), |kept, (_, effect)| &kept & &effect.changed),
        };
        let sources: BTreeSet<Spot> = ways.iter().filter_map(|way| Some(*way.first()?.first()?)).collect();
        let single = |name: &str| self.single.get(name).is_some_and(Option::is_some);
        for (at, effect) in open {
            let mut moved: Vec<&(String, Spot, Spot)> =
                effect.moved.iter().filter(|(_, _, to)| !common.contains(to)).collect();
            // The man and not his boxes, the king and not his rook.
            moved.sort_by_key(|(name, from, _)| (!common.contains(from), !single(name), name.len(), *from));
            if let Some((_, from, to)) = moved.first() {
                // Where other moves begin at cells, this one does too.
                ways[*at] = if sources.contains(from) { vec![vec![*from], vec![*to]] } else { vec![vec![*to]] };
                continue;
            }
            let own: Vec<Spot> = effect.changed.difference(&common).copied().collect();
            if let [only] = own[..] {
                ways[*at] = vec![vec![only]];
            }
        }
    }
}

/// Follows clicks as the page does: which moves are still meant, and which of them are meant exactly. For tests, and as the one place where it is said.
pub fn meant(ways: &[Way], clicks: &[Spot]) -> (Vec<usize>, Vec<usize>) {
    let fits =
        |way: &Way| way.len() >= clicks.len() && way.iter().zip(clicks).all(|(step, click)| step.contains(click));
    let candidates: Vec<usize> = (0..ways.len()).filter(|&at| fits(&ways[at])).collect();
    let exact = candidates.iter().copied().filter(|&at| ways[at].len() == clicks.len()).collect();
    (candidates, exact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use study::picture::Layout;
    use study::{Plan, Study};

    fn first(name: &str) -> (Vec<String>, Picture, Vec<Way>) {
        let game = crate::games::Games::default().library(name).unwrap();
        let start = game.start().unwrap();
        let ways = crate::scene::ways(&game, &start, 0);
        let picture = game.layout.picture(&start.facts, None);
        (start.legal[0].clone(), picture, ways)
    }

    fn cells(picture: &Picture, step: &[Spot]) -> Vec<String> {
        let cell = |s: &Spot| picture.boards[(s / CELLS) as usize].cells[(s % CELLS) as usize].name.join(" ");
        step.iter().map(cell).collect()
    }

    #[test]
    fn words_inside_of_words_are_found() {
        assert_eq!(leaves("(move (from a 1) (to a 2))"), ["a", "1", "a", "2"]);
        assert_eq!(leaves("(drop 4)"), ["4"]);
        assert_eq!(leaves("noop"), ["noop"]);
    }

    #[test]
    fn moves_are_entered_as_people_would() {
        let (moves, picture, ways) = first("chess");
        let at = moves.iter().position(|mv| mv == "(move wp e 2 e 4)").unwrap();
        let steps: Vec<Vec<String>> = ways[at].iter().map(|step| cells(&picture, step)).collect();
        assert_eq!(steps, [["e 2"], ["e 4"]]);
        let (moves, picture, ways) = first("connect-four");
        let at = moves.iter().position(|mv| mv == "(drop 4)").unwrap();
        assert_eq!(ways[at].len(), 1);
        assert_eq!(cells(&picture, &ways[at][0]), ["4 6", "4 5", "4 4", "4 3", "4 2", "4 1"]);
        let (moves, picture, ways) = first("kalah");
        let at = moves.iter().position(|mv| mv == "(sow 3)").unwrap();
        assert_eq!(cells(&picture, &ways[at][0]), ["south 3"]);
        let (moves, picture, ways) = first("sokoban");
        let at = moves.iter().position(|mv| mv == "(go east)").unwrap();
        assert_eq!(ways[at].len(), 1, "{:?}", ways[at]);
        assert_eq!(cells(&picture, &ways[at][0]).len(), 1);
        let (moves, picture, ways) = first("eight-puzzle");
        assert!(moves.iter().zip(&ways).all(|(_, way)| way.len() == 1), "{ways:?}");
        drop(picture);
    }

    #[test]
    fn clicks_narrow_down_what_is_meant() {
        let ways = vec![vec![vec![1], vec![2]], vec![vec![1], vec![3]], vec![vec![1]], vec![]];
        assert_eq!(meant(&ways, &[]), (vec![0, 1, 2, 3], vec![3]));
        assert_eq!(meant(&ways, &[1]), (vec![0, 1, 2], vec![2]));
        assert_eq!(meant(&ways, &[1, 3]), (vec![1], vec![1]));
        assert_eq!(meant(&ways, &[7]), (vec![], vec![]));
    }

    #[test]
    fn boards_without_a_study_have_no_ways() {
        let rules = gdl::parse("(role a) (legal a go) (init x) terminal (goal a 100)").rules;
        let engine = machine::Prover::new(&rules).unwrap();
        let layout = Layout::new(&Study::run(&rules, &engine, Plan::quick()));
        let picture = layout.picture::<&str>(&["x"], None);
        assert_eq!(ways("a", &["go".to_string()], &picture, &|_| None), [Way::new()]);
    }
}
