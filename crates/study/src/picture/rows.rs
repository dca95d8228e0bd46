//! Boards that are no grids: pits, towers, heaps, lines between dots.

use super::axis;
use super::find::Finder;
use super::grid::cell;
use super::{BoardPicture, CellKind, Label, Shape, Stack};
use crate::structure::{FluentKind, Structure};
use crate::study::Study;
use crate::terms::TermId;
use std::collections::{BTreeMap, BTreeSet};

impl Finder<'_> {
    /// Pits of two roles in two rows, that of the first role below; stores at the ends.
    pub fn pits(&mut self, structure: &Structure) {
        let study = self.study;
        let columns = &study.fluents[structure.fluent].columns;
        let Some(&role) = structure.inputs.iter().find(|&&at| columns[at].roles) else { return };
        let Some(&pit) = structure.inputs.iter().find(|&&at| at != role) else { return };
        let Some(axis) = self.axis(structure.fluent, pit).filter(|axis| axis.ordered) else { return };
        let [first, second] = study.roles[..] else { return };
        let mut values: Vec<TermId> = columns[pit].values.clone();
        values.sort_by_key(|value| axis.places.get(value));
        let round = faces(study, &values);
        let length = values.len() as i32;
        let mut cells = Vec::new();
        let (mut rows, mut labels) = (Vec::new(), Vec::new());
        for (y, owner) in [(0, second), (4, first)] {
            rows.push(Label { x: -4, y, text: study.text(owner) });
            for (at, &value) in (0..).zip(&values) {
                let x = 2 * if round && y == 0 { length - 1 - at } else { at };
                let order = |at: usize| if at == role { study.text(owner) } else { study.text(value) };
                cells.push(cell(x, y, CellKind::Place, structure.inputs.iter().map(|&at| order(at)).collect()));
                if y > 0 || round {
                    labels.push(Label { x, y: if y == 0 { -2 } else { 6 }, text: study.text(value) });
                }
            }
        }
        let blank = BTreeMap::from([(None, self.layout.boards.len())]);
        let board = BoardPicture {
            title: Some(self.name(structure.fluent).0),
            shape: Shape::Pits,
            cells,
            rows,
            columns: labels,
            ..BoardPicture::default()
        };
        let at = self.add(board);
        let inputs = structure.inputs.clone();
        self.layer(structure, None, &inputs, &blank);
        // What each role has put by, counted in the same way, lies at the end of its row.
        let order = columns[structure.outputs[0]].order;
        let is_store = |other: &&Structure| {
            let own = &study.fluents[other.fluent].columns;
            other.kind == FluentKind::Quantity
                && other.inputs.len() == 1
                && own[other.inputs[0]].roles
                && own[other.outputs[0]].order == order
        };
        let stores: Vec<&Structure> = study.structures.iter().filter(is_store).collect();
        if let [store] = stores[..] {
            for (x, owner) in [(-2, second), (2 * length, first)] {
                let name = vec![study.text(owner)];
                self.layout.cells[at].insert(name.clone(), self.layout.boards[at].cells.len());
                self.layout.boards[at].cells.push(cell(x, 2, CellKind::Place, name));
            }
            self.layer(store, None, &store.inputs, &blank);
        }
        self.layout.boards[at].things.clear();
    }

    /// Things in a row: towers, heaps, or cells of a line.
    pub fn row(&mut self, structure: &Structure) {
        let study = self.study;
        let fluent = structure.fluent;
        let columns = &study.fluents[fluent].columns;
        let (input, output) = (&columns[structure.inputs[0]], &columns[structure.outputs[0]]);
        if input.path.len() > 1 || output.path.len() > 1 || input.roles || input.values.len() < 2 {
            return;
        }
        let [things, on] = [input, output].map(|column| self.texts(&column.values));
        let on_things = on.len() > things.len() && things.iter().all(|thing| on.contains(thing));
        let small = things.len() <= 12 && structure.inputs[0] == 0;
        if small && (on_things || input.order.is_some() && output.order.is_none() && on.len() < things.len()) {
            self.towers(structure, things, on_things);
            return;
        }
        let numbers = on.iter().all(|amount| amount.parse::<u32>().is_ok());
        let graph = study.graphs.iter().find(|graph| graph.fluent == fluent);
        let seen = &study.seen.fluents[fluent];
        let full = seen.fewest == things.len() && seen.most == things.len();
        // What is never in two places may as well be what is placed.
        let doubled = output.values.iter().any(|&v| seen.together.get(&(structure.outputs[0], v)) > Some(&1));
        let joined = graph.is_some_and(|graph| graph.neighbours.is_some()) && doubled;
        let axis = self.axis(fluent, structure.inputs[0]);
        let is_line = axis.as_ref().is_some_and(|axis| axis.ordered);
        if !is_line && !numbers && (full && doubled || joined) && self.places(structure) {
            return;
        }
        let Some(axis) = axis else { return };
        if !(numbers && full || axis.ordered && things.len() > 3 && (full || joined)) {
            return;
        }
        let numbers = numbers && full;
        let mut cells = Vec::new();
        let mut labels = Vec::new();
        for (value, &step) in &axis.places {
            let name = study.text(*value);
            let (x, y) = if numbers { (0, 2 * step) } else { (2 * step, 0) };
            labels.push(if numbers {
                Label { x: -2, y, text: name.clone() }
            } else {
                Label { x, y: 2, text: name.clone() }
            });
            cells.push(cell(x, y, CellKind::Place, vec![name]));
        }
        cells.sort_by_key(|cell| (cell.y, cell.x));
        labels.sort_by_key(|label| (label.y, label.x));
        let (rows, columns) = if numbers { (labels, Vec::new()) } else { (Vec::new(), labels) };
        let shape = if numbers { Shape::Heaps } else { Shape::Grid };
        let title = Some(self.name(fluent).0);
        let board = self.add(BoardPicture { title, shape, cells, rows, columns, ..BoardPicture::default() });
        let inputs = structure.inputs.clone();
        self.layer(structure, None, &inputs, &BTreeMap::from([(None, board)]));
    }

    /// Things on top of each other: on places, or on things.
    fn towers(&mut self, structure: &Structure, things: Vec<String>, on_things: bool) {
        let study = self.study;
        let fluent = structure.fluent;
        let columns = &study.fluents[fluent].columns;
        let (input, output) = (&columns[structure.inputs[0]], &columns[structure.outputs[0]]);
        let mut feet: Vec<(Option<i32>, String)> = Vec::new();
        let axis = self.axis(fluent, structure.outputs[0]);
        for &value in if on_things { &input.values } else { &output.values } {
            feet.push((axis.as_ref().and_then(|axis| axis.places.get(&value).copied()), study.text(value)));
        }
        feet.sort();
        let feet: Vec<String> = feet.into_iter().map(|(_, foot)| foot).collect();
        let levels = things.len();
        let mut cells = Vec::new();
        for (x, foot) in (0..).zip(&feet) {
            for level in 0..levels {
                let name = vec![foot.clone(), level.to_string()];
                cells.push(cell(2 * x, 2 * (levels - 1 - level) as i32, CellKind::Place, name));
            }
        }
        let below = 2 * levels as i32;
        let labels = feet.iter().zip(0..).map(|(foot, x)| Label { x: 2 * x, y: below, text: foot.clone() });
        let board = self.add(BoardPicture {
            title: Some(self.name(fluent).0),
            shape: Shape::Towers,
            cells,
            rows: Vec::new(),
            columns: if on_things { Vec::new() } else { labels.collect() },
            ..BoardPicture::default()
        });
        self.layout.stacks.push(Stack { fluent: self.name(fluent), feet, sizes: things, on_things, board });
        self.done.insert(fluent);
    }

    /// Lines between dots: a column says whether a line goes across or down, and the last place of that direction has none.
    pub fn lines(&mut self, structure: &Structure) {
        let study = self.study;
        let fluent = structure.fluent;
        let columns = &study.fluents[fluent].columns;
        let Some(way) = (0..3).find(|&at| columns[at].values.len() == 2 && columns[at].order.is_none()) else { return };
        let rest: Vec<usize> = (0..3).filter(|&at| at != way).collect();
        let [Some(first), Some(second)] = [rest[0], rest[1]].map(|column| self.axis(fluent, column)) else { return };
        if !first.ordered || !second.ordered || first.length.max(second.length) > 20 {
            return;
        }
        let places = study.cells(fluent, &[way, rest[0], rest[1]], &mut self.listed);
        // The steps along both axes that lines of a direction begin at.
        let last = |direction: TermId, axis: usize| {
            let own = places.iter().filter(|place| place[0] == direction);
            own.filter_map(|place| [&first, &second][axis].places.get(&place[1 + axis])).max().copied()
        };
        let [a, b] = columns[way].values[..] else { return };
        let ends = [a, b].map(|direction| [last(direction, 0), last(direction, 1)]);
        let (Some([x, y]), Some([u, v])) = (both(ends[0]), both(ends[1])) else { return };
        let across = match () {
            () if x + 1 == u && y == v + 1 => a,
            () if u + 1 == x && v == y + 1 => b,
            () => return,
        };
        let orientation = axis::orientation(study, fluent, [rest[0], rest[1]], [&first, &second]);
        let flip = !(orientation.downwards || self.goes_down(a, b));
        let bottom = second.length - 1;
        let row = |step: i32| 2 * if flip { bottom - step } else { step };
        let mut cells = Vec::new();
        for place in &places {
            let (Some(&x), Some(&y)) = (first.places.get(&place[1]), second.places.get(&place[2])) else { continue };
            // The name has the coordinates in the order of the columns.
            let mut name = vec![String::new(); 3];
            for (at, value) in [way, rest[0], rest[1]].into_iter().zip(place) {
                name[at] = study.text(*value);
            }
            let down = if flip { row(y) - 1 } else { row(y) + 1 };
            cells.push(match place[0] == across {
                true => cell(2 * x + 1, row(y), CellKind::Across, name),
                false => cell(2 * x, down, CellKind::Down, name),
            });
        }
        for x in 0..first.length {
            for y in 0..second.length {
                cells.push(cell(2 * x, row(y), CellKind::Dot, vec![x.to_string(), y.to_string()]));
            }
        }
        cells.sort_by_key(|cell| (cell.y, cell.x));
        let rows = second.places.iter().map(|(&value, &y)| Label { x: -2, y: row(y), text: study.text(value) });
        let below = 2 * bottom + 2;
        let labels = first.places.iter().map(|(&value, &x)| Label { x: 2 * x, y: below, text: study.text(value) });
        let (mut rows, mut labels): (Vec<Label>, Vec<Label>) = (rows.collect(), labels.collect());
        rows.sort_by_key(|label| label.y);
        labels.sort_by_key(|label| label.x);
        let title = Some(self.name(fluent).0);
        let board =
            BoardPicture { title, shape: Shape::Lines, cells, rows, columns: labels, ..BoardPicture::default() };
        let board = self.add(board);
        self.layer(structure, None, &[0, 1, 2], &BTreeMap::from([(None, board)]));
        self.layout.boards[board].things.clear();
    }

    /// Lines between dots by the dots at both ends: `(line 1 1 1 2)`. What is in the squares between the dots is on the same board.
    pub fn segments(&mut self, structure: &Structure) {
        let study = self.study;
        let fluent = structure.fluent;
        let columns = &study.fluents[fluent].columns;
        // Which of the four follow from the others does not matter; that many lines are there at a time does.
        let [a, b, c, d] = [0, 1, 2, 3];
        let kind = matches!(structure.kind, FluentKind::Board | FluentKind::Set);
        if columns.len() != 4 || !kind || study.seen.fluents[fluent].most <= 4 {
            return;
        }
        let [Some(first), Some(second)] = [a, b].map(|column| self.axis(fluent, column)) else { return };
        let values = |at: usize| columns[at].values.iter().collect::<BTreeSet<_>>();
        let same = |from: usize, to: usize| values(to).is_subset(&values(from));
        if !first.ordered || !second.ordered || first.length.max(second.length) > 20 || !same(a, c) || !same(b, d) {
            return;
        }
        let step = |place: &[TermId]| -> Option<[i32; 4]> {
            let at = |axis: &axis::Axis, value: TermId| axis.places.get(&value).copied();
            Some([at(&first, place[0])?, at(&second, place[1])?, at(&first, place[2])?, at(&second, place[3])?])
        };
        let is_short = |[x, y, u, v]: [i32; 4]| (x - u).abs() + (y - v).abs() == 1;
        let inputs = [a, b, c, d];
        let seen = study.places_seen(fluent, &inputs);
        if seen.is_empty() || !seen.iter().all(|place| step(place).is_some_and(is_short)) {
            return;
        }
        let orientation = axis::orientation(study, fluent, [a, b], [&first, &second]);
        let axes = [&first, &second];
        let at = |x: i32, y: i32| {
            let steps = [x, y];
            let (across, up) = (orientation.across, 1 - orientation.across);
            let length = |axis: usize| 2 * (axes[axis].length - 1);
            (
                if orientation.leftwards { length(across) - steps[across] } else { steps[across] },
                if orientation.downwards { steps[up] } else { length(up) - steps[up] },
            )
        };
        let mut cells = Vec::new();
        for place in study.cells(fluent, &inputs, &mut self.listed) {
            let Some([x, y, u, v]) = step(&place).filter(|&steps| is_short(steps)) else { continue };
            let (left, top) = at(x + u, y + v);
            let kind = if left % 2 != 0 { CellKind::Across } else { CellKind::Down };
            cells.push(cell(left, top, kind, self.texts(&place)));
        }
        if !cells.iter().any(|cell| cell.kind == CellKind::Across)
            || !cells.iter().any(|cell| cell.kind == CellKind::Down)
        {
            return;
        }
        let mut labels = [Vec::new(), Vec::new()];
        for (&across, &x) in &first.places {
            for (&up, &y) in &second.places {
                let (left, top) = at(2 * x, 2 * y);
                cells.push(cell(left, top, CellKind::Dot, self.texts(&[across, up, across, up])));
            }
        }
        let below = 2 * (axes[1 - orientation.across].length - 1) + 2;
        for (axis, labels) in labels.iter_mut().enumerate() {
            for (&value, &step) in &axes[axis].places {
                let (left, top) = if axis == 0 { at(2 * step, 0) } else { at(0, 2 * step) };
                let text = study.text(value);
                labels.push(if axis == orientation.across {
                    Label { x: left, y: below, text }
                } else {
                    Label { x: -2, y: top, text }
                });
            }
            labels.sort_by_key(|label| (label.y, label.x));
        }
        let [mut rows, mut columns] = labels;
        if orientation.across == 0 {
            std::mem::swap(&mut rows, &mut columns);
        }
        // What has two coordinates of dots and is never at the last row and column of them, or never at the first ones, is in the boxes between them.
        let lengths = [first.length, second.length];
        let mut boxes = Vec::new();
        for other in
            study.structures.iter().filter(|other| other.fluent != fluent && !self.done.contains(&other.fluent))
        {
            let own = &study.fluents[other.fluent].columns;
            if own.len() != 3 || own.iter().any(|column| column.path.len() > 1) || own[2].order.is_some() {
                continue;
            }
            let on = |column: usize, axis: &axis::Axis| {
                own[column].values.iter().all(|value| axis.places.contains_key(value))
            };
            if own[0].values.is_empty() || !on(0, &first) || !on(1, &second) {
                continue;
            }
            let seen = study.places_seen(other.fluent, &[0, 1]);
            let places: Option<Vec<[i32; 2]>> = seen
                .iter()
                .map(|place| Some([*first.places.get(&place[0])?, *second.places.get(&place[1])?]))
                .collect();
            let Some(places) = places else { continue };
            let inside = |low: i32| {
                places.iter().all(|at| (0..2).all(|axis| (low..low + lengths[axis] - 1).contains(&at[axis])))
            };
            let Some(low) = [0, 1].into_iter().find(|&low| inside(low)) else { continue };
            for (&across, &x) in &first.places {
                for (&up, &y) in &second.places {
                    let own = [x - low, y - low];
                    if (0..2).all(|axis| (0..lengths[axis] - 1).contains(&own[axis])) {
                        let (left, top) = at(2 * own[0] + 1, 2 * own[1] + 1);
                        cells.push(cell(left, top, CellKind::Place, self.texts(&[across, up])));
                    }
                }
            }
            boxes.push((other, [0, 1]));
            break;
        }
        cells.sort_by_key(|cell| (cell.y, cell.x));
        let title = Some(self.name(fluent).0);
        let board =
            self.add(BoardPicture { title, shape: Shape::Lines, cells, rows, columns, ..BoardPicture::default() });
        let boards = BTreeMap::from([(None, board)]);
        self.layer(structure, None, &inputs, &boards);
        self.layout.boards[board].things.clear();
        for (other, place) in boxes {
            self.layer(other, None, &place, &boards);
        }
    }

    /// Whether one of the words says that lines go down.
    fn goes_down(&self, a: TermId, b: TermId) -> bool {
        [a, b].iter().any(|&word| ["down", "south"].contains(&self.study.text(word).as_str()))
    }
}

fn both(ends: [Option<i32>; 2]) -> Option<[i32; 2]> {
    Some([ends[0]?, ends[1]?])
}

/// Whether a relation says that the first of these faces the last, the second the last but one, and so on.
fn faces(study: &Study, values: &[TermId]) -> bool {
    let wanted: BTreeSet<Vec<TermId>> = values.iter().zip(values.iter().rev()).map(|(&a, &b)| vec![a, b]).collect();
    let is = |rows: &Vec<Vec<TermId>>| rows.iter().cloned().collect::<BTreeSet<_>>() == wanted;
    study.fixed.given.iter().any(|(relation, rows)| relation.1 == 2 && is(rows))
}
