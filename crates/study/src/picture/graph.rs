//! Boards whose places have one name each: where they lie is read from their names (`b4`), or found from how the rules join them. And boards of boards.

use super::axis::{self, Axis, Orientation};
use super::find::Finder;
use super::grid::cell;
use super::{BoardPicture, CellKind, Shape};
use crate::places::Place;
use crate::structure::Structure;
use crate::terms::TermId;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// The most places that are laid out.
const MOST_PLACES: usize = 150;
/// From neighbour to neighbour, in halves of cells.
const EDGE: f64 = 5.0;
/// Rounds in which places are moved to where their distances fit.
const ROUNDS: usize = 150;

/// Places named by a letter and a number: where they lie, in halves of cells.
fn named(names: &[String]) -> Option<Vec<(i32, i32)>> {
    let mut found = Vec::new();
    for name in names {
        let letter = name.chars().next().filter(char::is_ascii_alphabetic)?;
        let number: i32 = name[1..].parse().ok()?;
        found.push((number, 2 * (letter.to_ascii_lowercase() as i32 - 'a' as i32)));
    }
    let different: BTreeSet<(i32, i32)> = found.iter().copied().collect();
    let low = found.iter().map(|at| at.0).min()?;
    let high = found.iter().map(|at| at.0).max()?;
    if different.len() < names.len() || high - low > 60 || high == low {
        return None;
    }
    // Where every second number of a row is missing, numbers count halves.
    let close = found.iter().any(|&(x, y)| different.contains(&(x + 1, y)));
    let step = if close { 2 } else { 1 };
    Some(found.into_iter().map(|(x, y)| ((x - low) * step, y)).collect())
}

/// How many steps places are from each other; what is not joined is far.
fn distances(count: usize, joined: &[(usize, usize)]) -> Vec<Vec<f64>> {
    let mut beside = vec![Vec::new(); count];
    for &(a, b) in joined {
        beside[a].push(b);
        beside[b].push(a);
    }
    (0..count)
        .map(|from| {
            let mut far = vec![count as f64 / 2.0; count];
            far[from] = 0.0;
            let mut seen = BTreeSet::from([from]);
            let mut queue = VecDeque::from([from]);
            while let Some(at) = queue.pop_front() {
                for &next in &beside[at] {
                    if seen.insert(next) {
                        far[next] = far[at] + 1.0;
                        queue.push_back(next);
                    }
                }
            }
            far
        })
        .collect()
}

/// Places in the plane so that their distances are like those of the graph; the same for the same graph. (Stress, made smaller place by place.)
fn spread(count: usize, joined: &[(usize, usize)]) -> Vec<(i32, i32)> {
    let far = distances(count, joined);
    let around = |at: usize| std::f64::consts::TAU * at as f64 / count as f64;
    let mut places: Vec<(f64, f64)> =
        (0..count).map(|at| (around(at).sin() * count as f64 / 4.0, -around(at).cos() * count as f64 / 4.0)).collect();
    for _ in 0..ROUNDS {
        for at in 0..count {
            let (mut x, mut y, mut all) = (0.0, 0.0, 0.0);
            for other in (0..count).filter(|&other| other != at) {
                let (dx, dy) = (places[at].0 - places[other].0, places[at].1 - places[other].1);
                let (is, wanted) = (dx.hypot(dy).max(1e-6), far[at][other]);
                let weight = 1.0 / (wanted * wanted);
                x += weight * (places[other].0 + dx / is * wanted);
                y += weight * (places[other].1 + dy / is * wanted);
                all += weight;
            }
            if all > 0.0 {
                places[at] = (x / all, y / all);
            }
        }
    }
    // Whole halves of cells, far enough apart that nothing lies on anything else.
    let mut scale = EDGE;
    loop {
        let whole: Vec<(i32, i32)> =
            places.iter().map(|(x, y)| ((x * scale).round() as i32, (y * scale).round() as i32)).collect();
        let meets = |a: &(i32, i32), b: &(i32, i32)| (a.0 - b.0).abs() < 2 && (a.1 - b.1).abs() < 2;
        let apart = (0..count).all(|a| (0..a).all(|b| !meets(&whole[a], &whole[b])));
        if apart || scale > 12.0 * EDGE {
            return whole;
        }
        scale *= 1.25;
    }
}

/// No two cells lie on each other.
fn is_apart(places: &[(i32, i32)]) -> bool {
    let meets = |a: &(i32, i32), b: &(i32, i32)| (a.0 - b.0).abs() < 2 && (a.1 - b.1).abs() < 2;
    (0..places.len()).all(|a| (0..a).all(|b| !meets(&places[a], &places[b])))
}

impl Finder<'_> {
    /// Places with names of their own, with something in each; tells whether they were drawn.
    pub fn places(&mut self, structure: &Structure) -> bool {
        let study = self.study;
        let fluent = structure.fluent;
        let own = self.study.cells(fluent, &structure.inputs, &mut self.listed);
        let names: Vec<String> = own.iter().map(|place| self.texts(place).join(" ")).collect();
        if names.len() < 4 || names.len() > MOST_PLACES || names.iter().all(|name| name.parse::<i64>().is_ok()) {
            return false;
        }
        let numbers: HashMap<&Place, usize> = own.iter().zip(0..).collect();
        let graph = study.graphs.iter().find(|graph| graph.fluent == fluent);
        let pairs = graph.and_then(|graph| graph.neighbours.as_ref()).map_or(&[][..], |found| &found.pairs[..]);
        let joined: BTreeSet<(usize, usize)> = pairs
            .iter()
            .filter_map(|(a, b)| Some((*numbers.get(a)?, *numbers.get(b)?)))
            .filter(|(a, b)| a != b)
            .map(|(a, b)| (a.min(b), a.max(b)))
            .collect();
        let joined: Vec<(usize, usize)> = joined.into_iter().collect();
        let places = match named(&names).filter(|places| is_apart(places)) {
            Some(places) => places,
            // A graph in which most places are alone is no board.
            None if joined.len() + 1 >= names.len() => spread(names.len(), &joined),
            None => return false,
        };
        let cells = places.iter().zip(&own).map(|(&(x, y), place)| cell(x, y, CellKind::Place, self.texts(place)));
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|&at| (places[at].1, places[at].0));
        let all: Vec<_> = cells.collect();
        let cells = order.iter().map(|&at| all[at].clone()).collect();
        let place_of: HashMap<usize, usize> = order.iter().zip(0..).map(|(&at, number)| (at, number)).collect();
        // Only short lines: a jump is no line of the board.
        let short = |&(a, b): &(usize, usize)| {
            let (dx, dy) = (f64::from(places[a].0 - places[b].0), f64::from(places[a].1 - places[b].1));
            dx.hypot(dy) <= 3.0 * EDGE
        };
        let lines = joined.iter().copied().filter(short).map(|(a, b)| (place_of[&a], place_of[&b])).collect();
        let board = self.add(BoardPicture {
            title: Some(self.name(fluent).0),
            shape: Shape::Points,
            cells,
            rows: Vec::new(),
            columns: Vec::new(),
            lines,
            ..BoardPicture::default()
        });
        let inputs = structure.inputs.clone();
        self.layer(structure, None, &inputs, &BTreeMap::from([(None, board)]));
        true
    }

    /// Boards that lie in the cells of a board: four coordinates, the first two of the board, the others of the cell.
    pub fn nested_grid(&mut self, structure: &Structure) {
        let study = self.study;
        let fluent = structure.fluent;
        let [a, b, c, d] = structure.inputs[..] else { return };
        let [Some(a1), Some(b1), Some(c1), Some(d1)] = [a, b, c, d].map(|column| self.axis(fluent, column)) else {
            return;
        };
        let places = study.cells(fluent, &[a, b, c, d], &mut self.listed);
        if places.len() < 16 || places.len() > 1600 {
            return;
        }
        let outer = axis::orientation(study, fluent, [a, b], [&a1, &b1]);
        let inner = axis::orientation(study, fluent, [c, d], [&c1, &d1]);
        let (wide, tall) = size(&inner, [&c1, &d1]);
        let mut cells = Vec::new();
        for place in &places {
            let (Some(out), Some(own)) = (at(&outer, [&a1, &b1], &place[..2]), at(&inner, [&c1, &d1], &place[2..]))
            else {
                return;
            };
            // A gap of half a cell between boards.
            let (x, y) = (out.0 * (2 * wide + 1) + 2 * own.0, out.1 * (2 * tall + 1) + 2 * own.1);
            cells.push(cell(x, y, CellKind::Place, self.texts(place)));
        }
        cells.sort_by_key(|cell| (cell.y, cell.x));
        let board = self.add(BoardPicture {
            title: Some(self.name(fluent).0),
            shape: Shape::Grid,
            cells,
            rows: Vec::new(),
            columns: Vec::new(),
            ..BoardPicture::default()
        });
        self.layer(structure, None, &[a, b, c, d], &BTreeMap::from([(None, board)]));
    }
}

fn size(orientation: &Orientation, axes: [&Axis; 2]) -> (i32, i32) {
    (axes[orientation.across].length, axes[1 - orientation.across].length)
}

/// Column and row of a place.
fn at(orientation: &Orientation, axes: [&Axis; 2], place: &[TermId]) -> Option<(i32, i32)> {
    let steps = [*axes[0].places.get(&place[0])?, *axes[1].places.get(&place[1])?];
    let (across, up) = (orientation.across, 1 - orientation.across);
    let x = if orientation.leftwards { axes[across].length - 1 - steps[across] } else { steps[across] };
    let y = if orientation.downwards { steps[up] } else { axes[up].length - 1 - steps[up] };
    Some((x, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_numbers_are_places() {
        let names = |text: &str| text.split(' ').map(str::to_string).collect::<Vec<_>>();
        assert_eq!(named(&names("a1 a2 b1")), Some(vec![(0, 0), (2, 0), (0, 2)]));
        assert_eq!(named(&names("a5 b4 b6")), Some(vec![(1, 0), (0, 2), (2, 2)]));
        assert_eq!(named(&names("a1 tower")), None);
        assert_eq!(named(&names("a1 a1")), None);
    }

    #[test]
    fn a_ring_is_laid_out_as_a_ring() {
        let ring: Vec<(usize, usize)> = (0..8).map(|at| (at, (at + 1) % 8)).collect();
        let places = spread(8, &ring);
        assert!(is_apart(&places), "{places:?}");
        assert_eq!(places, spread(8, &ring));
        let far = |a: usize, b: usize| f64::from(places[a].0 - places[b].0).hypot(f64::from(places[a].1 - places[b].1));
        assert!(far(0, 4) > far(0, 1));
        // Places that nothing joins do not lie on each other either.
        assert!(is_apart(&spread(5, &[])));
    }
}
